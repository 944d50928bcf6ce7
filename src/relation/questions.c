/* Questions that readers ask about what they have read, to find mistakes: whether a map between the
 * points of an array joins any, which point of a set fulfils a condition. Only isl tells for every
 * map and set. */
#include "relation/bridge.h"

#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>

/* { [p] : 0 <= p < shape } */
static isl_set *box(struct sator_ctx *ctx, int n_dims, const int64_t *shape)
{
    isl_set *set =
            isl_set_universe(isl_space_set_alloc(sator_bridge_ctx(ctx), 0, (unsigned)n_dims));

    for (int d = 0; d < n_dims; d++) {
        set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)d, 0);
        set = isl_set_upper_bound_val(set, isl_dim_set, (unsigned)d,
                isl_val_int_from_si(sator_bridge_ctx(ctx), shape[d] - 1));
    }
    return set;
}

/* Whether "map" without the pairs of a point with itself is empty; false where isl gives up. Takes
 * the map. */
static bool joins_nothing(struct sator_ctx *ctx, isl_map *map, bool apart)
{
    if (apart)
        map = isl_map_subtract(map, isl_map_identity(isl_map_get_space(map)));
    isl_bool empty = isl_map_is_empty(map);
    isl_map_free(map);
    sator_bridge_check(ctx);
    return empty == isl_bool_true;
}

bool sator_map_joins(
        struct sator_ctx *ctx, const struct sator_relation *map, const int64_t *shape, bool apart)
{
    if (sator_bridge_begin(ctx) != SATOR_OK)
        return true;
    isl_map *inside = sator_bridge_map(ctx, map);
    inside = isl_map_intersect_domain(inside, box(ctx, map->n_in, shape));
    inside = isl_map_intersect_range(inside, box(ctx, map->n_out, shape));
    return !joins_nothing(ctx, inside, apart);
}

bool sator_map_shares(struct sator_ctx *ctx, const struct sator_relation *map, const int64_t *shape)
{
    if (sator_bridge_begin(ctx) != SATOR_OK)
        return true;
    isl_map *inside =
            isl_map_intersect_domain(sator_bridge_map(ctx, map), box(ctx, map->n_in, shape));
    inside = isl_map_apply_range(inside, isl_map_reverse(isl_map_copy(inside)));
    return !joins_nothing(ctx, inside, true);
}

bool sator_set_find(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_relation *set, const struct sator_cond *cond, int64_t *point)
{
    const struct sator_relation *fulfils = sator_relation_make(
            arena, set->in_name, set->n_in, set->pieces[0].names, NULL, 0, NULL, cond);
    bool found = false;

    if (sator_bridge_begin(ctx) != SATOR_OK)
        return false;
    isl_set *both = isl_set_intersect(sator_bridge_set(ctx, set), sator_bridge_set(ctx, fulfils));
    isl_point *first = isl_set_sample_point(isl_set_lexmin(both));
    if (first != NULL && isl_point_is_void(first) == isl_bool_false) {
        found = true;
        for (int i = 0; i < set->n_in; i++) {
            isl_val *value = isl_point_get_coordinate_val(first, isl_dim_set, i);
            point[i] = isl_val_get_num_si(value);
            isl_val_free(value);
        }
    }
    isl_point_free(first);
    sator_bridge_check(ctx);
    return found;
}
