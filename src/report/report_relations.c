/* --show relations: what an analysis counts, as isl statements that iscc reads as they are.
 *
 * Domain, accesses and links are written as they were read. Data assignment and spacetime maps are
 * computed with isl; one that is beyond the work limit is left out with a comment.
 */
#include "report/stamping.h"

#include "base/arguments.h"

#include <ctype.h>
#include <isl/space.h>
#include <stdlib.h>
#include <string.h>

struct printer {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_arch *arch;
    struct report_stamping stamping;
    struct sator_text out;
};

/* "name" as an isl identifier: other characters become '_'. */
static const char *identifier(struct sator_arena *arena, const char *name)
{
    char *copy = sator_arena_strdup(arena, name);

    for (char *at = copy; *at != '\0'; at++) {
        if (!isalnum((unsigned char)*at))
            *at = '_';
    }
    return copy;
}

static const char *role_prefix(enum sator_role role)
{
    return role == SATOR_READ ? "Read" : "Write";
}

static void comment(struct printer *p, const char *text)
{
    sator_text_add(&p->out, "%s# %s\n", p->out.length == 0 ? "" : "\n", text);
}

static void relation(struct printer *p, const char *name, const struct sator_relation *written)
{
    sator_text_add(&p->out, "%s := ", name);
    sator_relation_write(&p->out, written);
    sator_text_add(&p->out, ";\n");
}

/* Write "map" (TAKE), or, when the limit was reached on the way to it, say so. */
static enum sator_status computed(struct printer *p, const char *name, isl_map *map)
{
    enum sator_status st = SATOR_OK;
    char *text = map == NULL ? NULL : isl_map_to_str(map);

    isl_map_free(map);
    sator_bridge_check(p->ctx);
    if (text != NULL) {
        sator_text_add(&p->out, "%s := %s;\n", name, text);
    } else {
        st = sator_bridge_status(p->ctx);
        if (st == SATOR_LIMIT) {
            sator_text_add(&p->out, "# %s is beyond the work limit\n", name);
            st = sator_bridge_begin(p->ctx);
        }
    }
    free(text);
    return st;
}

static enum sator_status write_accesses(struct printer *p)
{
    const struct sator_workload *workload = p->stamping.workload;
    enum sator_status st = SATOR_OK;

    comment(p, "Accesses: loop instance -> element.");
    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        relation(p,
                sator_arena_printf(p->arena, "%s_%s", role_prefix(access->role),
                        identifier(p->arena, access->tensor)),
                access->relation);
    }
    comment(p, "Dataflow: loop instance -> (PE | time-stamp).");
    SATOR_TRY(computed(p, "Dataflow", isl_map_copy(p->stamping.dataflow)));
    comment(p, "Data assignment: (PE | time-stamp) -> element.");
    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        const char *name = sator_arena_printf(p->arena, "Assign_%s_%s", role_prefix(access->role),
                identifier(p->arena, access->tensor));
        SATOR_TRY(computed(
                p, name, isl_map_coalesce(report_assignment(p->ctx, &p->stamping, access))));
    }
done:
    return st;
}

/* ---- interconnect ---- */

/* A link of the array whose dimensions begin at "first", over all space dimensions: { PE[p] ->
 * PE[q] }, the same in the other arrays' dimensions. */
static isl_map *lifted_link(struct printer *p, const struct sator_array *array, int first,
        const struct sator_link *link)
{
    isl_ctx *isl = sator_bridge_ctx(p->ctx);
    unsigned before = (unsigned)first;
    unsigned after = (unsigned)(sator_arch_space_dims(p->arch) - first - array->n_dims);
    isl_map *map = isl_map_flat_product(isl_map_identity(isl_space_alloc(isl, 0, before, before)),
            sator_bridge_map(p->ctx, link->map));

    map = isl_map_flat_product(map, isl_map_identity(isl_space_alloc(isl, 0, after, after)));
    return report_name_tuples(map, p->stamping.space_name, p->stamping.space_name);
}

/* { T[t] -> T[t'] }: t is what t' calls "interval" occupied stamps back. */
static isl_map *later(struct printer *p, int interval)
{
    isl_set *times = isl_set_copy(p->stamping.times);

    if (interval == 0)
        return isl_set_identity(times);
    isl_map *step = isl_map_lexmax(isl_set_lex_gt_set(isl_set_copy(times), times));
    isl_map *back = isl_map_copy(step);
    for (int i = 1; i < interval; i++)
        back = isl_map_apply_range(back, isl_map_copy(step));
    isl_map_free(step);
    return isl_map_reverse(back);
}

/* { (PE | T) -> (PE' | T') } over occupied stamps; "link" is TAKE. */
static isl_map *spacetime_map(struct printer *p, isl_map *link, int interval)
{
    isl_map *map = isl_map_product(link, later(p, interval));

    map = isl_map_intersect_domain(map, isl_set_copy(p->stamping.stamps));
    map = isl_map_intersect_range(map, isl_set_copy(p->stamping.stamps));
    return isl_map_coalesce(map);
}

static void write_array(struct printer *p, const struct sator_level *level)
{
    const struct sator_array *array = &level->array;

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        sator_text_add(
                &p->out, "# %s, interval %d\n", report_clean(p->arena, link->name), link->interval);
        relation(p, sator_arena_printf(p->arena, "Link_%s", identifier(p->arena, link->name)),
                link->map);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        sator_text_add(&p->out, "# %s, a %s\n", report_clean(p->arena, bus->name),
                bus->is_reduction ? "reduction tree" : "multicast bus");
        relation(p, sator_arena_printf(p->arena, "Bus_%s", identifier(p->arena, bus->name)),
                bus->map);
    }
}

static enum sator_status write_spacetime_maps(struct printer *p)
{
    enum sator_status st = SATOR_OK;
    int first = 0;

    comment(p, "Spacetime maps: stamp that holds an element -> stamp that may take it from there.");
    isl_map *own = report_name_tuples(isl_map_identity(isl_space_alloc(sator_bridge_ctx(p->ctx), 0,
                                              (unsigned)sator_arch_space_dims(p->arch),
                                              (unsigned)sator_arch_space_dims(p->arch))),
            p->stamping.space_name, p->stamping.space_name);
    SATOR_TRY(computed(p, "Spacetime_own_registers", spacetime_map(p, own, 1)));
    for (int l = 0; l < p->arch->n_levels; l++) {
        const struct sator_level *level = &p->arch->levels[l];
        if (level->kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int i = 0; i < level->array.n_links; i++) {
            const struct sator_link *link = &level->array.links[i];
            isl_map *map = lifted_link(p, &level->array, first, link);
            const char *name =
                    sator_arena_printf(p->arena, "Spacetime_%s", identifier(p->arena, link->name));
            SATOR_TRY(computed(p, name, spacetime_map(p, map, link->interval)));
        }
        first += level->array.n_dims;
    }
done:
    return st;
}

static void write_interconnect(struct printer *p)
{
    comment(p,
            "Interconnect: provider PE -> consumer PE; buses and trees: PE -> the one it is on.");
    for (int l = 0; l < p->arch->n_levels; l++) {
        if (p->arch->levels[l].kind == SATOR_LEVEL_ARRAY)
            write_array(p, &p->arch->levels[l]);
    }
}

enum sator_status sator_report_relations(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        char **text)
{
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    enum sator_status st;
    struct printer p = {.ctx = ctx, .arena = sator_arena_new(), .arch = arch};

    SATOR_TRY(report_stamping_init(ctx, p.arena, network, layer, arch, dataflow, &p.stamping));
    comment(&p, "The iteration domain.");
    relation(&p, "Domain", p.stamping.workload->domain);
    SATOR_TRY(write_accesses(&p));
    write_interconnect(&p);
    SATOR_TRY(write_spacetime_maps(&p));
    *text = sator_text_take(&p.out);
done:
    sator_text_clear(&p.out);
    report_stamping_clear(&p.stamping);
    sator_arena_free(p.arena);
    return st;
}
