/* The engine for tiled nests (doc/counting.md, "Tiled nests"): its questions. */
#include "count/tiled/tiled.h"

#include "base/arena.h"
#include "base/checked.h"
#include "count/engine.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_TICKS = 1 << 23 /* of one question: some tenths of a second */
};

struct tiled_state {
    struct sator_ctx *ctx;
    const struct sator_stamping *stamping;
    struct sator_arena *arena; /* of one question */
    struct tiled_nest nest;
    struct tiled_question question;
    uint64_t left; /* ticks of the question */
};

static enum sator_status decline(
        const struct sator_decline *why, const struct sator_decline **reason)
{
    *reason = why;
    return why == NULL ? SATOR_OK : SATOR_DECLINED;
}

/* Make the nest of the stamping, with an access (or NULL) and buses. */
static enum sator_status make_nest(struct tiled_state *state, const struct sator_relation *access,
        const struct sator_transport *transport, struct tiled_bus *bus,
        const struct sator_decline **reason)
{
    const struct sator_piece *space = sator_relation_function(state->stamping->space);
    struct tiled_nest *nest = &state->nest;
    struct tiled_access *added = NULL;
    int n_buses = transport == NULL ? 0 : transport->n_buses, first[TILED_BUSES];

    sator_arena_clear(state->arena);
    state->question = (struct tiled_question){
            .ctx = state->ctx, .arena = state->arena, .nest = nest, .left = &state->left};
    state->left = MOST_TICKS;
    const struct sator_decline *why = tiled_nest_begin(nest, state->arena, state->stamping);
    if (why == NULL && access != NULL)
        why = tiled_access_add(nest, access, &added);
    if (n_buses > TILED_BUSES)
        why = DECLINE("the array has too many buses");
    for (int b = 0; b < n_buses && why == NULL; b++) {
        const struct sator_piece *map = sator_relation_function(transport->buses[b]);
        if (map == NULL || transport->buses[b]->n_in != state->stamping->n_space)
            return decline(DECLINE("a bus is no function of the PE"), reason);
        first[b] = nest->n_rows;
        for (int i = 0, row; i < transport->buses[b]->n_out && why == NULL; i++)
            why = tiled_nest_add(
                    nest, sator_expr_substitute(state->arena, map->out[i], space->out), &row);
    }
    if (why == NULL)
        why = tiled_nest_finish(nest);
    if (why == NULL)
        why = tiled_access_finish(nest, added);
    for (int b = 0; b < n_buses && why == NULL; b++) {
        bool named[TILED_DIGITS] = {false};
        for (int i = 0; i < transport->buses[b]->n_out && why == NULL; i++)
            why = tiled_nest_names(nest, first[b] + i, named);
        for (int d = 0; d < nest->n_digits; d++)
            bus[b].spreads[d] = nest->digit[d].kind == TILED_SPACE &&
                    nest->digit[d].row != TILED_NOWHERE && !named[d];
    }
    return decline(why, reason);
}

/* ---- opening ---- */

static enum sator_status tiled_reopen(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void *opaque, const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;

    state->ctx = ctx;
    state->stamping = stamping;
    return make_nest(state, NULL, NULL, NULL, reason);
}

static void tiled_close(void *opaque)
{
    struct tiled_state *state = opaque;

    sator_arena_free(state->arena);
    free(state);
}

static void *tiled_create(void)
{
    struct tiled_state *state = sator_alloc(sizeof *state);

    state->arena = sator_arena_new();
    return state;
}

/* ---- stamps ---- */

/* Whether some instance runs outside of the array: "instance" (or NULL) is one. */
static bool leaves_array(const struct tiled_state *state, int64_t *instance)
{
    for (int i = 0; i < state->stamping->n_space; i++) {
        int64_t where[TILED_LOOPS];
        int64_t reach = tiled_nest_reach(&state->nest, i, where);
        bool below = state->nest.origin[i] < 0; /* where all digits are 0 */
        if (!below && reach < state->stamping->shape[i])
            continue;
        for (int l = 0; l < state->nest.n_loops && instance != NULL; l++)
            instance[l] = below ? state->nest.loop[l].lower : where[l];
        return true;
    }
    return false;
}

static enum sator_status tiled_outside(
        void *opaque, bool *found, int64_t *instance, const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;
    enum sator_status st = make_nest(state, NULL, NULL, NULL, reason);

    if (st == SATOR_OK)
        *found = leaves_array(state, instance);
    return st;
}

/* What runs somewhere, some time, runs there at time 0, too: all digits of time 0 cut nothing
 * short. So all PEs are active then, and the most instances are at PE 0 and time 0. */
static enum sator_status tiled_stamps(
        void *opaque, struct sator_stamp_counts *counts, const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;
    struct sator_stamp_counts result = {
            .stamps = 1, .time_stamps = 1, .active_pes = 1, .max_active_pes = 1};
    enum sator_status st = make_nest(state, NULL, NULL, NULL, reason);

    if (st != SATOR_OK)
        return st;
    for (int l = 0; l < state->nest.n_loops; l++) {
        result.stamps *= tiled_loop_count(&state->nest, l, 1U << TILED_TIME | 1U << TILED_SPACE);
        result.time_stamps *= tiled_loop_count(&state->nest, l, 1U << TILED_TIME);
        result.active_pes *= tiled_loop_count(&state->nest, l, 1U << TILED_SPACE);
    }
    result.instances = state->nest.instances;
    result.max_active_pes = result.active_pes;
    *counts = result;
    return SATOR_OK;
}

static enum sator_status tiled_max_per_stamp(
        void *opaque, sator_int *most, int64_t *instance, const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;
    enum sator_status st = make_nest(state, NULL, NULL, NULL, reason);

    if (st != SATOR_OK)
        return st;
    *most = 1;
    for (int l = 0; l < state->nest.n_loops; l++) {
        *most *= tiled_loop_count(&state->nest, l, 1U << TILED_INSIDE);
        if (instance != NULL)
            instance[l] = state->nest.loop[l].lower;
    }
    return SATOR_OK;
}

/* ---- volumes ---- */

/* Whether a condition fixes a digit of the part. */
static bool is_restricted(const struct tiled_nest *nest, const struct tiled_part *part)
{
    for (int d = 0; d < nest->n_digits; d++) {
        if (nest->digit[d].fixed >= 0 && tiled_part_has(part, nest->digit[d].loop))
            return true;
    }
    return false;
}

/* What all instances touch, one by one or together. */
static enum sator_status count_touched(struct tiled_state *state, bool together, sator_int *words,
        const struct sator_decline **reason)
{
    const struct tiled_nest *nest = &state->nest;
    enum sator_status st = SATOR_OK;

    *words = 1;
    for (int p = 0; p < nest->n_parts && st == SATOR_OK; p++) {
        const struct tiled_part *part = &nest->part[p];
        sator_int of_part = together && !part->is_indexed ? 1 : part->n_places;
        bool is_plain = !part->is_indexed || part->is_named || (!together && part->divisor == 1);
        for (int i = 0; i < part->n_loops && (part->is_indexed || !together); i++)
            of_part *= nest->loop[part->loop[i]].extent;
        if (!is_plain || is_restricted(nest, part))
            st = tiled_count_kind(&state->question, part, together ? TILED_INSIDE : TILED_SPACE,
                    &of_part, reason);
        if (!sator_mul(*words, of_part, words))
            return SATOR_OVERFLOW;
    }
    return st;
}

static void deliver(const struct sator_transport *transport, const struct tiled_volumes *counted,
        struct sator_volumes *result, struct sator_volumes *volumes)
{
    result->by_link = volumes->by_link;
    result->by_bus = volumes->by_bus;
    result->total = counted->total;
    result->temporal = counted->credit[0];
    for (int i = 0; i < transport->n_links; i++) {
        result->spatial += counted->credit[1 + i];
        if (result->by_link != NULL)
            result->by_link[i] = counted->credit[1 + i];
    }
    for (int b = 0; b < transport->n_buses; b++) {
        result->spatial += counted->by_bus[b];
        if (result->by_bus != NULL)
            result->by_bus[b] = counted->by_bus[b];
    }
    result->unique = result->total - result->temporal - result->spatial;
    *volumes = *result;
}

static enum sator_status tiled_volumes(void *opaque, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;
    struct tiled_bus bus[TILED_BUSES];
    struct tiled_volumes counted = {0};
    struct sator_volumes result = {0};
    enum sator_status st = make_nest(state, access, transport, bus, reason);

    if (st == SATOR_OK && transport->n_links > 0 && leaves_array(state, NULL))
        st = decline(DECLINE("the dataflow leaves the array"), reason);
    if (st == SATOR_OK)
        st = tiled_find_sources(&state->question, transport, reason);
    if (st != SATOR_OK)
        return st;
    counted.credit = SATOR_NEW_ARRAY(state->arena, sator_int, transport->n_links + 1);
    counted.by_bus = SATOR_NEW_ARRAY(state->arena, sator_int, transport->n_buses + 1);
    st = tiled_count_reuse(&state->question, transport->n_buses, bus, &counted, reason);
    if (st == SATOR_OK)
        st = count_touched(state, false, &result.access, reason);
    if (st == SATOR_OK)
        st = count_touched(state, true, &result.footprint, reason);
    if (st == SATOR_OK)
        deliver(transport, &counted, &result, volumes);
    return st;
}

static enum sator_status tiled_footprint(void *opaque, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;
    enum sator_status st = make_nest(state, access, NULL, NULL, reason);

    return st == SATOR_OK ? count_touched(state, true, words, reason) : st;
}

static enum sator_status tiled_tile(void *opaque, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    struct tiled_state *state = opaque;
    sator_int product = 1;
    enum sator_status st = make_nest(state, access, NULL, NULL, reason);

    for (int p = 0; p < state->nest.n_parts && st == SATOR_OK; p++) {
        int64_t most = 0;
        st = tiled_walk_most(&state->question, &state->nest.part[p], &most, reason);
        product *= most;
    }
    if (st == SATOR_OK)
        *words = product;
    return st;
}

const struct sator_engine sator_engine_tiled = {
        .name = "tiled",
        .create = tiled_create,
        .reopen = tiled_reopen,
        .close = tiled_close,
        .outside = tiled_outside,
        .stamps = tiled_stamps,
        .max_per_stamp = tiled_max_per_stamp,
        .volumes = tiled_volumes,
        .footprint = tiled_footprint,
        .tile = tiled_tile,
};
