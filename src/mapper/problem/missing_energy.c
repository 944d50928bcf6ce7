/* What to do when an architecture does not give the energies that the objective needs. */
#include "base/context.h"
#include "base/text.h"
#include "mapper/problem/problem.h"

#include <string.h>
#include <strings.h>

/* The library's table for the architecture's technology, or the one whose figures are best known.
 */
static const char *table_for(const struct sator_arch *arch)
{
    return arch->technology_nm == 28 ? "28nm" : arch->technology_nm == 65 ? "65nm" : "45nm";
}

/* Whether the library's tables have a component for a memory of this name (doc/formats.md). */
static bool is_component(const char *name)
{
    static const char *const components[] = {
            "dram", "scratchpad", "scratchpads", "register", "registers"};

    for (size_t i = 0; i < sizeof components / sizeof *components; i++) {
        if (strcasecmp(name, components[i]) == 0)
            return true;
    }
    return false;
}

/* The component that a memory at "level" is most like: off the chip, shared, or in a PE. */
static const char *likeness(const struct sator_arch *arch, int level)
{
    if (level == 0)
        return "dram";
    for (int i = level + 1; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_ARRAY)
            return "scratchpad";
    }
    return "register";
}

static bool is_missing(const struct mapper_problem *p, const char *name)
{
    return sator_lists(name, p->n_missing, p->missing);
}

/* The first level, link or bus without its energy. */
static struct sator_loc missing_loc(const struct mapper_problem *p)
{
    for (int i = 0; i < p->arch->n_levels; i++) {
        const struct sator_level *level = &p->arch->levels[i];
        if (is_missing(p, level->name))
            return level->loc;
        if (level->kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int k = 0; k < level->array.n_links; k++) {
            if (is_missing(p, level->array.links[k].name))
                return level->array.links[k].loc;
        }
        for (int k = 0; k < level->array.n_buses; k++) {
            if (is_missing(p, level->array.buses[k].name))
                return level->array.buses[k].loc;
        }
    }
    return p->arch->loc;
}

void sator_mapper_say_missing_energy(struct sator_ctx *ctx, const struct mapper_problem *problem)
{
    const struct sator_arch *arch = problem->arch;
    struct sator_text names = {0}, sets = {0};

    for (int i = 0; i < problem->n_missing; i++)
        sator_text_add(&names, "%s'%s'",
                i == 0                               ? ""
                        : i < problem->n_missing - 1 ? ", "
                                                     : " and ",
                problem->missing[i]);
    for (int i = 0; i < arch->n_levels; i++) {
        const char *name = arch->levels[i].name;
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY && is_missing(problem, name) &&
                !is_component(name))
            sator_text_add(&sets, " %s levels.%s.component=%s", sator_word(ctx, "sets"), name,
                    likeness(arch, i));
    }
    sator_error(ctx, missing_loc(problem),
            "'%s' does not give the energy of %s, which this objective needs", arch->name,
            names.data);
    sator_help(ctx, "estimates, from a table of the library: %s energy_table=%s%s",
            sator_word(ctx, "sets"), table_for(arch), sets.data == NULL ? "" : sets.data);
    sator_help(ctx, "without energies: %s latency", sator_word(ctx, "objective"));
    sator_text_clear(&names);
    sator_text_clear(&sets);
}
