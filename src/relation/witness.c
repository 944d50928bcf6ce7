#include "relation/witness.h"

#include "relation/bridge.h"

#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

/* The lexicographically first point of "set" (TAKE), if there is one. */
static enum sator_status first_point(
        struct sator_ctx *ctx, isl_set *set, int n_dims, bool *found, int64_t *point)
{
    isl_bool empty = isl_set_is_empty(set);
    isl_point *first = NULL;
    enum sator_status st = SATOR_OK;

    if (empty == isl_bool_true) {
        *found = false;
        isl_set_free(set);
        return SATOR_OK;
    }
    if (empty == isl_bool_false)
        set = isl_set_lexmin(set);
    first = isl_set_sample_point(set);
    for (int i = 0; i < n_dims && first != NULL; i++) {
        isl_val *value = isl_point_get_coordinate_val(first, isl_dim_set, i);
        if (value == NULL)
            first = isl_point_free(first);
        else
            point[i] = isl_val_get_num_si(value);
        isl_val_free(value);
    }
    if (first == NULL)
        st = sator_bridge_status(ctx);
    else
        *found = true;
    isl_point_free(first);
    return st;
}

enum sator_status sator_witness_unplaced(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *map, bool *found, int64_t *instance)
{
    enum sator_status st = sator_bridge_begin(ctx);

    if (st != SATOR_OK)
        return st;
    isl_set *all = sator_bridge_set(ctx, domain);
    isl_map *placed = isl_map_intersect_domain(sator_bridge_map(ctx, map), isl_set_copy(all));
    isl_set *rest = isl_set_subtract(all, sator_bridge_compute_divs(isl_map_domain(placed)));
    return first_point(ctx, rest, domain->n_in, found, instance);
}

enum sator_status sator_witness_doubled(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *map, bool *found, int64_t *instance, int64_t *first,
        int64_t *second)
{
    struct sator_arena *scratch = sator_arena_new();
    int n = domain->n_in, n_out = map->n_out;
    int64_t *point = SATOR_NEW_ARRAY(scratch, int64_t, n + 2 * n_out + 1);
    enum sator_status st;

    SATOR_TRY(sator_bridge_begin(ctx));
    isl_map *once =
            isl_map_intersect_domain(sator_bridge_map(ctx, map), sator_bridge_set(ctx, domain));
    isl_map *twice = isl_map_range_product(isl_map_copy(once), once);
    isl_map *ascending =
            isl_map_lex_lt(isl_space_set_alloc(sator_bridge_ctx(ctx), 0, (unsigned)n_out));
    twice = isl_map_intersect_range(twice, isl_map_wrap(ascending));
    SATOR_TRY(first_point(ctx, isl_set_flatten(isl_map_wrap(twice)), n + 2 * n_out, found, point));
    for (int i = 0; i < n && *found; i++)
        instance[i] = point[i];
    for (int i = 0; i < n_out && *found; i++) {
        first[i] = point[n + i];
        second[i] = point[n + n_out + i];
    }
done:
    sator_arena_free(scratch);
    return st;
}
