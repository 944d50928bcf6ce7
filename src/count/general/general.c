/* The general counting engine: any quasi-affine relation (doc/counting.md). The relations of
 * doc/model.md are built as isl sets; points.c counts them. */
#include "base/arena.h"
#include "base/checked.h"
#include "count/engine.h"
#include "count/general/reuse.h"
#include "count/general/stamps.h"

#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

static enum sator_status general_open(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void **state, const char **reason)
{
    struct sator_stamps *stamps = NULL;
    enum sator_status st = sator_stamps_open(ctx, stamping, &stamps);

    (void)reason;
    if (st == SATOR_OK)
        *state = stamps;
    return st;
}

static void general_close(void *state)
{
    sator_stamps_close(state);
}

/* The coordinates of "point" (TAKE). */
static enum sator_status take_point(
        struct sator_stamps *stamps, isl_point *point, int n_dims, int64_t *coordinates)
{
    enum sator_status st = point ? SATOR_OK : sator_bridge_status(stamps->ctx);

    for (int d = 0; d < n_dims && st == SATOR_OK; d++) {
        isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, d);

        if (!value)
            st = sator_bridge_status(stamps->ctx);
        else
            coordinates[d] = isl_val_get_num_si(value);
        isl_val_free(value);
    }
    isl_point_free(point);
    return st;
}

/* If "set" (TAKE) has points, "*found" and its lexicographically smallest one. */
static enum sator_status find_first(
        struct sator_stamps *stamps, isl_set *set, int n_dims, bool *found, int64_t *instance)
{
    isl_bool empty = isl_set_is_empty(set);
    enum sator_status st;

    if (empty != isl_bool_false) {
        isl_set_free(set);
        return empty < 0 ? sator_bridge_status(stamps->ctx) : SATOR_OK;
    }
    st = take_point(stamps, isl_set_sample_point(isl_set_lexmin(set)), n_dims, instance);
    if (st == SATOR_OK)
        *found = true;
    return st;
}

static enum sator_status general_outside(
        void *state, bool *found, int64_t *instance, const char **reason)
{
    struct sator_stamps *stamps = state;
    enum sator_status st;
    bool any = false;

    (void)reason;
    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    for (int d = 0; d < stamps->n_space && !any; d++)
        for (int side = 0; side < 2 && !any; side++) {
            isl_map *beyond = isl_map_copy(stamps->space);
            int64_t extent = stamps->stamping->shape[d];

            if (side == 0)
                beyond = isl_map_upper_bound_si(beyond, isl_dim_out, (unsigned)d, -1);
            else
                beyond = isl_map_lower_bound_val(beyond, isl_dim_out, (unsigned)d,
                        isl_val_int_from_si(sator_bridge_ctx(stamps->ctx), extent));
            SATOR_TRY(find_first(stamps, isl_map_domain(beyond), stamps->stamping->domain->n_in,
                    &any, instance));
        }
    *found = any;
done:
    return st;
}

/* The most points of "set" (TAKE) with the same leading "n_outer" coordinates, and such
 * coordinates. */
static enum sator_status most_of(
        struct sator_stamps *stamps, isl_set *set, int n_outer, sator_int *most, int64_t *outer)
{
    struct sator_pieces pieces;
    enum sator_status st;

    SATOR_TRY(sator_stamps_pieces(stamps, set, &pieces));
    SATOR_TRY(sator_points_most(stamps->points, pieces.n, pieces.systems, n_outer, most, outer));
done:
    sator_pieces_clear(&pieces);
    return st;
}

static enum sator_status general_stamps(
        void *state, struct sator_stamp_counts *counts, const char **reason)
{
    struct sator_stamps *stamps = state;
    struct sator_stamp_counts result;
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(stamps->n_time + 1));
    enum sator_status st;

    (void)reason;
    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(sator_stamps_count(stamps, isl_set_copy(stamps->domain), &result.instances));
    SATOR_TRY(
            sator_stamps_count(stamps, isl_map_range(isl_map_copy(stamps->stamp)), &result.stamps));
    SATOR_TRY(sator_stamps_count(
            stamps, isl_map_range(isl_map_copy(stamps->time)), &result.time_stamps));
    SATOR_TRY(sator_stamps_count(
            stamps, isl_map_range(isl_map_copy(stamps->space)), &result.active_pes));
    SATOR_TRY(most_of(stamps,
            isl_map_range(isl_map_flat_range_product(
                    isl_map_copy(stamps->time), isl_map_copy(stamps->space))),
            stamps->n_time, &result.max_active_pes, outer));
    *counts = result;
done:
    free(outer);
    return st;
}

/* An instance with the stamp "outer" (p, then t). */
static enum sator_status instance_of(
        struct sator_stamps *stamps, const int64_t *outer, int64_t *instance)
{
    isl_map *stamp = isl_map_copy(stamps->stamp);
    bool found = false;

    for (int d = 0; d < stamps->n_space + stamps->n_time; d++) {
        isl_val *value = isl_val_int_from_si(sator_bridge_ctx(stamps->ctx), outer[d]);

        stamp = isl_map_intersect_range(stamp,
                isl_set_from_basic_set(isl_basic_set_fix_val(
                        isl_basic_set_universe(isl_space_range(isl_map_get_space(stamp))),
                        isl_dim_set, (unsigned)d, value)));
    }
    return find_first(
            stamps, isl_map_domain(stamp), stamps->stamping->domain->n_in, &found, instance);
}

static enum sator_status general_max_per_stamp(
        void *state, sator_int *most, int64_t *instance, const char **reason)
{
    struct sator_stamps *stamps = state;
    int n_outer = stamps->n_space + stamps->n_time;
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(n_outer + 1));
    enum sator_status st;
    sator_int result;

    (void)reason;
    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(most_of(stamps,
            isl_set_flatten(isl_map_wrap(isl_map_reverse(isl_map_copy(stamps->stamp)))), n_outer,
            &result, outer));
    if (instance && result > 0)
        SATOR_TRY(instance_of(stamps, outer, instance));
    *most = result;
done:
    free(outer);
    return st;
}

static enum sator_status general_tile(
        void *state, const struct sator_relation *access, sator_int *words, const char **reason)
{
    struct sator_stamps *stamps = state;
    int n_outer = stamps->n_space + stamps->n_time;
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(n_outer + 1));
    isl_map *map = NULL;
    enum sator_status st;

    (void)reason;
    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(sator_stamps_access(stamps, access, &map));
    SATOR_TRY(most_of(stamps, sator_stamps_assignment(stamps, map), n_outer, words, outer));
done:
    isl_map_free(map);
    free(outer);
    return st;
}

/* The reuse of an assignment of which the access counts are known. */
static enum sator_status count_reuse(struct sator_stamps *stamps, isl_set *assignment,
        const struct sator_transport *transport, struct sator_volumes *volumes)
{
    struct sator_pieces pieces;
    enum sator_status st;

    volumes->total = volumes->spatial = 0;
    SATOR_TRY(sator_stamps_pieces(stamps, isl_set_copy(assignment), &pieces));
    for (int i = 0; i < pieces.n; i++) {
        sator_int part;

        SATOR_TRY(sator_points_count(stamps->points, sator_system_copy(pieces.systems[i]), &part));
        if (!sator_add(volumes->total, part, &volumes->total))
            SATOR_TRY(SATOR_OVERFLOW);
    }
    SATOR_TRY(sator_reuse_count(
            stamps, assignment, &pieces, transport, &volumes->temporal, volumes->by_link));
    if (transport->n_buses > 0)
        SATOR_TRY(sator_bus_count(stamps, assignment, transport, volumes->by_bus));
    /* All of these are parts of the total. */
    for (int i = 0; i < transport->n_links; i++)
        volumes->spatial += volumes->by_link[i];
    for (int i = 0; i < transport->n_buses; i++)
        volumes->spatial += volumes->by_bus[i];
    volumes->unique = volumes->total - volumes->temporal - volumes->spatial;
done:
    sator_pieces_clear(&pieces);
    return st;
}

static enum sator_status general_volumes(void *state, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes, const char **reason)
{
    struct sator_stamps *stamps = state;
    struct sator_volumes result = {0};
    isl_map *map = NULL;
    isl_set *assignment = NULL;
    enum sator_status st;

    (void)reason;
    result.by_link = sator_alloc(sizeof *result.by_link * (size_t)(transport->n_links + 1));
    result.by_bus = sator_alloc(sizeof *result.by_bus * (size_t)(transport->n_buses + 1));
    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(sator_stamps_access(stamps, access, &map));
    SATOR_TRY(sator_stamps_count(
            stamps, isl_set_flatten(isl_map_wrap(isl_map_copy(map))), &result.access));
    SATOR_TRY(sator_stamps_count(stamps, isl_map_range(isl_map_copy(map)), &result.footprint));
    assignment = sator_stamps_assignment(stamps, map);
    SATOR_TRY(count_reuse(stamps, assignment, transport, &result));
    if (volumes->by_link && transport->n_links > 0)
        memcpy(volumes->by_link, result.by_link,
                sizeof *result.by_link * (size_t)transport->n_links);
    if (volumes->by_bus && transport->n_buses > 0)
        memcpy(volumes->by_bus, result.by_bus, sizeof *result.by_bus * (size_t)transport->n_buses);
done:
    free(result.by_link);
    free(result.by_bus);
    isl_map_free(map);
    isl_set_free(assignment);
    if (st == SATOR_OK) {
        result.by_link = volumes->by_link;
        result.by_bus = volumes->by_bus;
        *volumes = result;
    }
    return st;
}

const struct sator_engine sator_engine_general = {
        .name = "general",
        .open = general_open,
        .close = general_close,
        .outside = general_outside,
        .stamps = general_stamps,
        .max_per_stamp = general_max_per_stamp,
        .volumes = general_volumes,
        .tile = general_tile,
};
