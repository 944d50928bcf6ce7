/* The general counting engine: any quasi-affine relation (doc/counting.md).
 *
 * By algebra: the relations of doc/model.md are built as isl sets, points.c counts them; the cost
 * does not depend on extents. When that takes more work than listing a small domain would (skews
 * and floors entangled beyond what isl can project in reasonable time; a few instances), by listing
 * it: table.c. Both are exact.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "count/engine.h"
#include "count/general/reuse.h"
#include "count/general/stamps.h"
#include "count/general/table.h"

#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

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

/* The most points of "set" (TAKE) with the same leading "n_outer" coordinates, no more than
 * "most_ub" (-1: not known), and such coordinates. */
static enum sator_status most_of(struct sator_stamps *stamps, isl_set *set, int n_outer,
        sator_int most_ub, sator_int *most, int64_t *outer)
{
    struct sator_pieces pieces;
    enum sator_status st;

    SATOR_TRY(sator_stamps_pieces(stamps, set, &pieces));
    SATOR_TRY(sator_points_most(
            stamps->points, pieces.n, pieces.systems, n_outer, most_ub, most, outer));
done:
    sator_pieces_clear(&pieces);
    return st;
}

/* Add to "*most_ub" the most points of the hull of "set" (TAKE), -1 where that is not counted:
 * where i != k cuts a set into many pieces, the hull is one, and most values have as many points of
 * the set as of the hull. */
static enum sator_status add_hull(
        struct sator_stamps *stamps, isl_set *set, int n_outer, sator_int *most_ub)
{
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(n_outer + 1));
    isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(set));
    sator_int most = 0;
    enum sator_status st = most_of(stamps, hull, n_outer, -1, &most, outer);

    free(outer);
    if (st == SATOR_DECLINED || (st == SATOR_OK && !sator_add(*most_ub, most, most_ub)))
        *most_ub = -1;
    return st == SATOR_DECLINED ? SATOR_OK : st;
}

/* The same where a bound is worth being found: for sets of several pieces. */
static enum sator_status most_of_set(
        struct sator_stamps *stamps, isl_set *set, int n_outer, sator_int *most, int64_t *outer)
{
    sator_int most_ub = isl_set_n_basic_set(set) > 1 ? 0 : -1;
    enum sator_status st =
            most_ub < 0 ? SATOR_OK : add_hull(stamps, isl_set_copy(set), n_outer, &most_ub);

    if (st != SATOR_OK) {
        isl_set_free(set);
        return st;
    }
    return most_of(stamps, set, n_outer, most_ub, most, outer);
}

/* A bound of what one stamp touches, from each piece of the access over the hull of the domain; -1
 * for one piece over a set that is one. (Different maps of a tensor seldom meet in one stamp.) */
static enum sator_status tile_ub(struct sator_stamps *stamps, const struct sator_relation *access,
        int n_outer, sator_int *most_ub)
{
    isl_set *hull = isl_set_from_basic_set(isl_set_simple_hull(isl_set_copy(stamps->domain)));
    struct sator_relation single = *access;
    enum sator_status st = SATOR_OK;

    *most_ub = isl_set_n_basic_set(stamps->domain) > 1 || access->n_pieces > 1 ? 0 : -1;
    single.n_pieces = 1;
    for (int p = 0; p < access->n_pieces && *most_ub >= 0; p++) {
        isl_map *map;

        single.pieces = &access->pieces[p];
        map = isl_map_intersect_domain(sator_bridge_map(stamps->ctx, &single), isl_set_copy(hull));
        st = add_hull(stamps, sator_stamps_assignment(stamps, map), n_outer, most_ub);
        isl_map_free(map);
        SATOR_TRY(st);
    }
done:
    isl_set_free(hull);
    return st;
}

static enum sator_status algebra_stamps(
        struct sator_stamps *stamps, struct sator_stamp_counts *counts)
{
    struct sator_stamp_counts result;
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(stamps->n_time + 1));
    enum sator_status st;

    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(sator_stamps_count(stamps, isl_set_copy(stamps->domain), &result.instances));
    SATOR_TRY(
            sator_stamps_count(stamps, isl_map_range(isl_map_copy(stamps->stamp)), &result.stamps));
    SATOR_TRY(sator_stamps_count(
            stamps, isl_map_range(isl_map_copy(stamps->time)), &result.time_stamps));
    SATOR_TRY(sator_stamps_count(
            stamps, isl_map_range(isl_map_copy(stamps->space)), &result.active_pes));
    SATOR_TRY(most_of_set(stamps,
            isl_map_range(isl_map_flat_range_product(
                    isl_map_copy(stamps->time), isl_map_copy(stamps->any_space))),
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

static enum sator_status algebra_max_per_stamp(
        struct sator_stamps *stamps, sator_int *most, int64_t *instance)
{
    int n_outer = stamps->n_space + stamps->n_time;
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(n_outer + 1));
    enum sator_status st;
    sator_int result;

    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(most_of_set(stamps,
            isl_set_flatten(isl_map_wrap(isl_map_reverse(isl_map_copy(stamps->stamp)))), n_outer,
            &result, outer));
    if (instance && result > 0)
        SATOR_TRY(instance_of(stamps, outer, instance));
    *most = result;
done:
    free(outer);
    return st;
}

static enum sator_status algebra_tile(
        struct sator_stamps *stamps, const struct sator_relation *access, sator_int *words)
{
    int n_outer = stamps->n_space + stamps->n_time;
    int64_t *outer = sator_alloc(sizeof *outer * (size_t)(n_outer + 1));
    isl_map *map = NULL;
    sator_int most_ub;
    enum sator_status st;

    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(tile_ub(stamps, access, n_outer, &most_ub));
    SATOR_TRY(sator_stamps_access(stamps, access, &map));
    SATOR_TRY(
            most_of(stamps, sator_stamps_assignment(stamps, map), n_outer, most_ub, words, outer));
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
    struct sator_ways ways = {0};
    enum sator_status st;

    volumes->total = volumes->temporal = volumes->spatial = 0;
    for (int i = 0; i < transport->n_links; i++)
        volumes->by_link[i] = 0;
    SATOR_TRY(sator_stamps_pieces(stamps, isl_set_copy(assignment), &pieces));
    SATOR_TRY(sator_pieces_count(stamps, &pieces, &volumes->total));
    SATOR_TRY(sator_ways_find(stamps, assignment, &pieces, transport, &ways));
    SATOR_TRY(sator_ways_credit(stamps, &ways, isl_set_dim(assignment, isl_dim_set),
            &volumes->temporal, volumes->by_link));
    if (transport->n_buses > 0)
        SATOR_TRY(sator_bus_count(stamps, assignment, &pieces, &ways, transport, volumes->by_bus));
    /* All of these are parts of the total. */
    for (int i = 0; i < transport->n_links; i++)
        volumes->spatial += volumes->by_link[i];
    for (int i = 0; i < transport->n_buses; i++)
        volumes->spatial += volumes->by_bus[i];
    volumes->unique = volumes->total - volumes->temporal - volumes->spatial;
done:
    sator_ways_clear(&ways);
    sator_pieces_clear(&pieces);
    return st;
}

/* by_link and by_bus are never NULL here. */
static enum sator_status algebra_volumes(struct sator_stamps *stamps,
        const struct sator_relation *access, const struct sator_transport *transport,
        struct sator_volumes *volumes)
{
    isl_map *map = NULL;
    isl_set *assignment = NULL;
    enum sator_status st;

    SATOR_TRY(sator_bridge_begin(stamps->ctx));
    SATOR_TRY(sator_stamps_access(stamps, access, &map));
    SATOR_TRY(sator_stamps_count(
            stamps, isl_set_flatten(isl_map_wrap(isl_map_copy(map))), &volumes->access));
    SATOR_TRY(sator_stamps_count(stamps, isl_map_range(isl_map_copy(map)), &volumes->footprint));
    assignment = sator_stamps_assignment(stamps, map);
    SATOR_TRY(count_reuse(stamps, assignment, transport, volumes));
done:
    isl_map_free(map);
    isl_set_free(assignment);
    return st;
}

/* ---- the engine ---- */

struct general {
    struct sator_ctx *ctx;
    struct sator_stamps *stamps;
    sator_int size_ub; /* what listing would list; -1: too much, -2: not known yet */
    struct sator_table
            *table; /* made when algebra was too slow; from then on used for all questions */
    bool hurried; /* engine.h */
};

enum {
    FEW_INSTANCES = 1024 /* of 10^3, listing takes a sixth of what algebra does (doc/counting.md) */
};

static enum sator_status general_open(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void **state, const struct sator_decline **reason)
{
    struct sator_stamps *stamps = NULL;
    enum sator_status st = sator_stamps_open(ctx, stamping, &stamps);
    struct general *general;

    (void)reason;
    if (st != SATOR_OK)
        return st;
    general = sator_alloc(sizeof *general);
    *general = (struct general){.ctx = ctx, .stamps = stamps, .size_ub = -2};
    *state = general;
    return SATOR_OK;
}

static void general_close(void *state)
{
    struct general *general = state;

    sator_table_close(general->table);
    sator_stamps_close(general->stamps);
    free(general);
}

static bool general_hurry(void *state, bool hurried)
{
    ((struct general *)state)->hurried = hurried;
    return false;
}

/* A question, for algebra or the table. */
struct question {
    enum {
        STAMPS,
        MAX_PER_STAMP,
        TILE,
        VOLUMES
    } kind;
    const struct sator_relation *access;
    const struct sator_transport *transport;
    struct sator_stamp_counts *counts;
    sator_int *number;
    int64_t *instance;
    struct sator_volumes *volumes;
};

static enum sator_status ask_algebra(struct sator_stamps *stamps, const struct question *question)
{
    switch (question->kind) {
    case STAMPS:
        return algebra_stamps(stamps, question->counts);
    case MAX_PER_STAMP:
        return algebra_max_per_stamp(stamps, question->number, question->instance);
    case TILE:
        return algebra_tile(stamps, question->access, question->number);
    default: /* VOLUMES */
        return algebra_volumes(stamps, question->access, question->transport, question->volumes);
    }
}

static enum sator_status ask_table(struct sator_table *table, const struct question *question)
{
    switch (question->kind) {
    case STAMPS:
        return sator_table_stamps(table, question->counts);
    case MAX_PER_STAMP:
        return sator_table_max_per_stamp(table, question->number, question->instance);
    case TILE:
        return sator_table_tile(table, question->access, question->number);
    default: /* VOLUMES */
        return sator_table_volumes(table, question->access, question->transport, question->volumes);
    }
}

/* Whether the domain is small enough to be listed, and enough work is left for that. */
static bool may_list(const struct general *general)
{
    const struct sator_ctx *ctx = general->ctx;

    return general->size_ub >= 0 && ctx->work_done < ctx->work_limit &&
            (ctx->work_limit - ctx->work_done) / SATOR_TABLE_TICKS > (uint64_t)general->size_ub;
}

/* What algebra may spend before a domain of at most size_ub instances is listed instead. The least
 * is what the relations of usual dataflows take; listing costs some hundred ticks an instance and
 * is the exception, so algebra gets more. Where too little is left to list, it gets all. */
static uint64_t algebra_budget(const struct general *general)
{
    uint64_t left = general->ctx->work_limit > general->ctx->work_done
            ? general->ctx->work_limit - general->ctx->work_done
            : 0;
    uint64_t budget;

    if (!may_list(general))
        return left;
    budget = 20000000 + 20000 * (uint64_t)general->size_ub;
    return budget < left / 2 ? budget : left / 2;
}

/* Whether contents of PEs, or of memories outside, that idle take part. */
static bool needs_table(const struct question *question)
{
    return question->kind == VOLUMES && sator_transport_idles(question->transport);
}

static bool prefers_table(const struct general *general)
{
    return general->hurried && general->size_ub <= FEW_INSTANCES && may_list(general);
}

static enum sator_status list(struct general *general, const struct question *question)
{
    enum sator_status st;

    SATOR_TRY(sator_bridge_begin(general->ctx));
    if (!general->table)
        SATOR_TRY(sator_table_open(general->stamps, &general->table));
    SATOR_TRY(sator_bridge_begin(general->ctx));
    st = ask_table(general->table, question);
done:
    return st;
}

/* Whether the other way may still have an answer. */
static bool gave_up(enum sator_status st)
{
    return st == SATOR_LIMIT || st == SATOR_OVERFLOW || st == SATOR_DECLINED;
}

static enum sator_status ask(struct general *general, const struct question *question,
        const struct sator_decline **reason)
{
    struct sator_ctx *ctx = general->ctx;
    uint64_t limit = ctx->work_limit;
    enum sator_status st;

    if (general->size_ub == -2) {
        SATOR_TRY(sator_bridge_begin(ctx));
        SATOR_TRY(sator_table_size_ub(general->stamps, &general->size_ub));
    }
    if (!general->table && needs_table(question) && !may_list(general)) {
        *reason = DECLINE(
                "what idle PEs hold is followed instance by instance, and there are too many");
        return SATOR_DECLINED;
    }
    bool lists_first = general->table || needs_table(question) || prefers_table(general);
    if (lists_first) {
        st = list(general, question);
        if (!gave_up(st) || needs_table(question))
            goto done;
    }
    ctx->work_limit = ctx->work_done + algebra_budget(general);
    st = ask_algebra(general->stamps, question);
    ctx->work_limit = limit;
    if (gave_up(st) && !lists_first && may_list(general))
        st = list(general, question);
done:
    if (st == SATOR_DECLINED)
        *reason = may_list(general)
                ? DECLINE("numbers on the way to its counts have more than 64 bits")
                : DECLINE("the systems on the way to its counts grow too large (numbers of more "
                          "than 64 bits, or thousands of inequalities), and it has too many "
                          "instances to list");
    return st;
}

static enum sator_status general_outside(
        void *state, bool *found, int64_t *instance, const struct sator_decline **reason)
{
    struct sator_stamps *stamps = ((struct general *)state)->stamps;
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

static enum sator_status general_stamps(
        void *state, struct sator_stamp_counts *counts, const struct sator_decline **reason)
{
    return ask(state, &(struct question){.kind = STAMPS, .counts = counts}, reason);
}

static enum sator_status general_max_per_stamp(
        void *state, sator_int *most, int64_t *instance, const struct sator_decline **reason)
{
    return ask(state,
            &(struct question){.kind = MAX_PER_STAMP, .number = most, .instance = instance},
            reason);
}

static enum sator_status general_tile(void *state, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    return ask(state, &(struct question){.kind = TILE, .access = access, .number = words}, reason);
}

static enum sator_status general_volumes(void *state, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason)
{
    size_t links_size = sizeof *volumes->by_link * (size_t)transport->n_links;
    size_t buses_size = sizeof *volumes->by_bus * (size_t)transport->n_buses;
    struct sator_volumes result = {
            .by_link = sator_alloc(links_size + 1), .by_bus = sator_alloc(buses_size + 1)};
    enum sator_status st = ask(state,
            &(struct question){
                    .kind = VOLUMES, .access = access, .transport = transport, .volumes = &result},
            reason);

    if (st == SATOR_OK) {
        struct sator_volumes given = *volumes;

        if (given.by_link)
            memcpy(given.by_link, result.by_link, links_size);
        if (given.by_bus)
            memcpy(given.by_bus, result.by_bus, buses_size);
        *volumes = result;
        volumes->by_link = given.by_link;
        volumes->by_bus = given.by_bus;
    }
    free(result.by_link);
    free(result.by_bus);
    return st;
}

const struct sator_engine sator_engine_general = {
        .name = "general",
        .open = general_open,
        .close = general_close,
        .hurry = general_hurry,
        .outside = general_outside,
        .stamps = general_stamps,
        .max_per_stamp = general_max_per_stamp,
        .volumes = general_volumes,
        .tile = general_tile,
};
