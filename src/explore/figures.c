/* The figures of a result that are not kept unless somebody names them: the energy of a component,
 * what crosses a memory level, what a wire saves. Their names are the paths of `sator analyze
 * --json`. */
#include "explore/figures.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

static const char expected[] = "energy_expected_pj.total"; /* with zeros gated */
static const char expected_cycles[] = "latency_cycles.expected"; /* with zeros skipped */
static const char energy[] = "energy_pj.", levels[] = "levels.", tensors[] = "tensors.",
                  areas[] = "area_um2.", ports[] = "ports.",
                  bandwidths[] = "bandwidth_bits_per_cycle.by_tensor.";

static const struct {
    const char *name;
    enum explore_sum sum;
} level_counts[] = {{"tile_words", EXPLORE_MOST}, {"fills", EXPLORE_SUM}, {"writes", EXPLORE_SUM},
        {"reads", EXPLORE_SUM}, {"updates", EXPLORE_SUM}};
static const char *const level_cycles[] = {"read_cycles", "write_cycles"};
static const char *const port_figures[] = {"cycles", "bits"};
static const char *const tensor_counts[] = {"reuse_volume", "partial_sum_reads"};
static const char *const tensor_bits[] = {"interconnect", "scratchpad"};

enum {
    N_LEVEL_COUNTS = sizeof level_counts / sizeof *level_counts
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The last name of a path. */
static const char *last_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot == NULL ? name : dot + 1;
}

/* ---- what a name means ---- */

enum explore_kind explore_figure_kind(const char *name)
{
    const char *last = last_of(name);

    if (starts_with(name, energy) || starts_with(name, bandwidths) || starts_with(name, areas) ||
            strcmp(name, expected) == 0 || strcmp(name, expected_cycles) == 0)
        return EXPLORE_NUMBER;
    if (starts_with(name, ports))
        return strcmp(last, port_figures[0]) == 0 ? EXPLORE_NUMBER : EXPLORE_COUNT;
    return strcmp(last, "read_cycles") == 0 || strcmp(last, "write_cycles") == 0 ? EXPLORE_NUMBER
                                                                                 : EXPLORE_COUNT;
}

enum explore_sum explore_figure_sum(const char *name)
{
    if (starts_with(name, bandwidths))
        return EXPLORE_NO_SUM;
    if (starts_with(name, areas))
        return EXPLORE_MOST;
    return starts_with(name, levels) && strcmp(last_of(name), "tile_words") == 0 ? EXPLORE_MOST
                                                                                 : EXPLORE_SUM;
}

/* ---- names ---- */

struct lister {
    struct sator_arena *arena;
    struct explore_names *names;
};

static void add(struct lister *l, bool is_symmetric, const char *name)
{
    for (int i = 0; i < l->names->n_known; i++) {
        if (strcmp(l->names->known[i].name, name) == 0)
            return;
    }
    SATOR_PUSH(l->arena, l->names->known, l->names->n_known,
            (struct explore_known){name, is_symmetric});
}

/* "L2.psum reads" is ports.L2.psum.reads: a name of an expression has no blanks. */
static void add_ports(struct lister *l, const struct sator_level *level)
{
    int n_lanes;
    const struct sator_lane *lanes = sator_memory_lanes(l->arena, level, &n_lanes);

    for (int i = 0; i < n_lanes; i++) {
        char *name = sator_arena_strndup(l->arena, lanes[i].name, strlen(lanes[i].name));
        for (char *at = strchr(name, ' '); at != NULL; at = strchr(at, ' '))
            *at = '.';
        for (int f = 0; f < 2; f++)
            add(l, true, sator_arena_printf(l->arena, "%s%s.%s", ports, name, port_figures[f]));
    }
}

static void add_memory(struct lister *l, const struct sator_level *level)
{
    const struct sator_memory *memory = &level->memory;

    add(l, true, sator_arena_printf(l->arena, "%s%s", energy, level->name));
    add(l, true, sator_arena_printf(l->arena, "%s%s.read", energy, level->name));
    add(l, true, sator_arena_printf(l->arena, "%s%s.write", energy, level->name));
    if (!isnan(memory->leakage_pj.value))
        add(l, true, sator_arena_printf(l->arena, "%s%s.leakage", energy, level->name));
    for (int c = 0; c < 2; c++)
        add(l, true, sator_arena_printf(l->arena, "%s%s.%s", levels, level->name, level_cycles[c]));
    add_ports(l, level);
    for (int c = 0; c < N_LEVEL_COUNTS; c++) {
        const char *count = level_counts[c].name;
        add(l, true, sator_arena_printf(l->arena, "%s%s.%s", levels, level->name, count));
        for (int t = 0; t < l->names->n_tensors; t++)
            add(l, false,
                    sator_arena_printf(l->arena, "%s%s.%s.%s", levels, level->name,
                            l->names->tensors[t], count));
    }
}

static void add_wire(struct lister *l, const char *wire)
{
    add(l, false, sator_arena_printf(l->arena, "%s%s", energy, wire));
    for (int t = 0; t < l->names->n_tensors; t++)
        add(l, false,
                sator_arena_printf(l->arena, "%s%s.links.%s", tensors, l->names->tensors[t], wire));
}

void explore_figures_list(
        struct sator_arena *arena, const struct sator_arch *arch, struct explore_names *names)
{
    struct lister l = {arena, names};

    add(&l, false, expected); /* densities are tensors' own */
    add(&l, false, expected_cycles);
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        if (level->kind != SATOR_LEVEL_ARRAY)
            add(&l, true, sator_arena_printf(arena, "%s%s", areas, level->name));
        if (level->kind == SATOR_LEVEL_MEMORY)
            add_memory(&l, level);
        for (int k = 0; level->kind == SATOR_LEVEL_ARRAY && k < level->array.n_links; k++)
            add_wire(&l, level->array.links[k].name);
        for (int k = 0; level->kind == SATOR_LEVEL_ARRAY && k < level->array.n_buses; k++)
            add_wire(&l, level->array.buses[k].name);
        if (level->kind == SATOR_LEVEL_COMPUTE)
            add(&l, true, sator_arena_printf(arena, "%s%s", energy, level->name));
        if (level->kind == SATOR_LEVEL_COMPUTE && !isnan(level->compute.leakage_pj.value))
            add(&l, true, sator_arena_printf(arena, "%s%s.leakage", energy, level->name));
    }
    for (int t = 0; t < names->n_tensors; t++) {
        for (int c = 0; c < 2; c++) {
            add(&l, false,
                    sator_arena_printf(
                            arena, "%s%s.%s", tensors, names->tensors[t], tensor_counts[c]));
            add(&l, false,
                    sator_arena_printf(
                            arena, "%s%s.%s", bandwidths, names->tensors[t], tensor_bits[c]));
        }
    }
}

int explore_figure_choose(
        struct sator_arena *arena, struct explore_names *names, const char *name, bool *too_many)
{
    *too_many = false;
    for (int i = 0; i < names->n_figures; i++) {
        if (strcmp(names->figures[i], name) == 0)
            return i;
    }
    for (int i = 0; i < names->n_known; i++) {
        if (strcmp(names->known[i].name, name) != 0)
            continue;
        *too_many = names->n_figures == EXPLORE_MOST_FIGURES;
        if (*too_many)
            return -1;
        SATOR_PUSH(arena, names->figures, names->n_figures, names->known[i].name);
        return names->n_figures - 1;
    }
    return -1;
}

bool explore_figure_is_symmetric(const struct explore_names *names, int figure)
{
    for (int i = 0; i < names->n_known; i++) {
        if (strcmp(names->known[i].name, names->figures[figure]) == 0)
            return names->known[i].is_symmetric;
    }
    return false;
}

/* ---- values ---- */

static struct explore_value missing(void)
{
    return (struct explore_value){.kind = EXPLORE_NUMBER, .number = NAN};
}

static struct explore_value number(double value)
{
    return (struct explore_value){.kind = EXPLORE_NUMBER, .number = value};
}

/* Saturates, as no workload that can be counted passes the 128 bits of a sum of counts. */
static void add_count(struct explore_value *sum, sator_int count)
{
    if (sum->kind == EXPLORE_NUMBER)
        *sum = (struct explore_value){.kind = EXPLORE_COUNT, .number = NAN};
    if (!sator_add(sum->count, count, &sum->count))
        sum->count = ((sator_int)1 << 126) - 1 + ((sator_int)1 << 126);
}

/* The components "path", or "path.read" and the like. */
static struct explore_value energy_of(const char *path, const struct sator_result *r)
{
    size_t length = strlen(path);
    double sum = 0;

    for (int i = 0; i < r->n_energy_terms; i++) {
        const char *component = r->energy_terms[i].component;
        if (strncmp(component, path, length) == 0 &&
                (component[length] == '\0' || component[length] == '.'))
            sum += r->energy_terms[i].pj;
    }
    return number(sum);
}

/* Whether "path" goes on with "name"; "*rest" is then what follows the dot, or the end. */
static bool take(const char *path, const char *name, const char **rest)
{
    size_t length = strlen(name);

    if (strncmp(path, name, length) != 0 || (path[length] != '.' && path[length] != '\0'))
        return false;
    *rest = path + length + (path[length] == '.');
    return true;
}

static sator_int level_count(const struct sator_level_tensor *t, int which)
{
    const sator_int counts[N_LEVEL_COUNTS] = {
            t->tile_words, t->fills, t->writes, t->reads, t->updates};

    return counts[which];
}

static struct explore_value level_value(const char *path, const struct sator_level_result *level)
{
    struct explore_value sum = missing();
    const char *rest;

    if (strcmp(path, level_cycles[0]) == 0)
        return number(level->read_cycles);
    if (strcmp(path, level_cycles[1]) == 0)
        return number(level->write_cycles);
    for (int t = 0; t < level->n_tensors; t++) {
        const struct sator_level_tensor *tensor = &level->tensors[t];
        for (int c = 0; c < N_LEVEL_COUNTS; c++) {
            if (strcmp(path, level_counts[c].name) == 0 ||
                    (take(path, tensor->name, &rest) && strcmp(rest, level_counts[c].name) == 0))
                add_count(&sum, level_count(tensor, c));
        }
    }
    return sum;
}

/* Whether "path" goes on with a port's name; "*rest" is then what follows it. */
static bool take_port(const char *path, const char *name, const char **rest)
{
    for (; *name != '\0'; name++, path++) {
        if (*path != (*name == ' ' ? '.' : *name))
            return false;
    }
    *rest = path + 1;
    return *path == '.';
}

static struct explore_value port_value(const char *path, const struct sator_result *r)
{
    struct explore_value bits = missing();
    const char *rest;

    for (int i = 0; i < r->n_ports; i++) {
        const struct sator_port_result *port = &r->ports[i];
        if (!take_port(path, port->name, &rest))
            continue;
        if (strcmp(rest, port_figures[0]) == 0)
            return number(port->cycles);
        if (strcmp(rest, port_figures[1]) == 0 && port->bits >= 0)
            add_count(&bits, port->bits);
    }
    return bits;
}

static struct explore_value tensor_value(const char *path, const struct sator_result *r)
{
    struct explore_value sum = missing();
    const char *rest, *wire;

    for (int i = 0; i < r->n_tensors; i++) {
        const struct sator_tensor_result *t = &r->tensors[i];
        if (!take(path, t->name, &rest))
            continue;
        if (strcmp(rest, tensor_counts[0]) == 0)
            add_count(&sum, t->reuse_volume);
        if (strcmp(rest, tensor_counts[1]) == 0)
            add_count(&sum, t->partial_sum_reads);
        for (int k = 0; take(rest, "links", &wire) && k < t->n_links; k++) {
            if (strcmp(t->links[k].name, wire) == 0)
                add_count(&sum, t->links[k].spatial_reuse);
        }
    }
    return sum;
}

static struct explore_value bandwidth_of(const char *path, const struct sator_result *r)
{
    double sum = NAN;
    const char *rest;

    for (int i = 0; i < r->n_tensors; i++) {
        const struct sator_tensor_result *t = &r->tensors[i];
        if (!take(path, t->name, &rest))
            continue;
        double bits = strcmp(rest, tensor_bits[0]) == 0 ? t->interconnect_bits_per_cycle
                                                        : t->scratchpad_bits_per_cycle;
        sum = isnan(sum) ? bits : sum + bits;
    }
    return number(sum);
}

static struct explore_value area_of(const char *name, const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (strcmp(arch->levels[i].name, name) == 0)
            return number(sator_arch_level_area(arch, i));
    }
    return missing();
}

struct explore_value explore_figure_value(
        const char *name, const struct sator_result *r, const struct sator_arch *arch)
{
    const char *rest;

    if (strcmp(name, expected) == 0)
        return number(r->expected_energy_pj);
    if (strcmp(name, expected_cycles) == 0)
        return number(r->expected_cycles);
    if (starts_with(name, areas))
        return area_of(name + strlen(areas), arch);
    if (starts_with(name, energy))
        return energy_of(name + strlen(energy), r);
    if (starts_with(name, ports))
        return port_value(name + strlen(ports), r);
    if (starts_with(name, tensors))
        return tensor_value(name + strlen(tensors), r);
    if (starts_with(name, bandwidths))
        return bandwidth_of(name + strlen(bandwidths), r);
    for (int i = 0; starts_with(name, levels) && i < r->n_levels; i++) {
        if (take(name + strlen(levels), r->levels[i].name, &rest))
            return level_value(rest, &r->levels[i]);
    }
    return missing();
}
