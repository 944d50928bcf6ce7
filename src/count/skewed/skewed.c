/* The engine for skewed nests (doc/counting.md, "Skewed nests"): its questions. */
#include "count/skewed/skewed.h"
#include "base/room.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/context.h"
#include "count/engine.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPAN = SATOR_ROOM(1 << 24, 16) /* to count the PEs at each distance */
};

struct skewed_state {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_stamping *windows; /* asked instead of a nest; NULL: none */
    const struct sator_decline *why; /* "nest" was not made; NULL: it was */
    struct skewed_nest nest, idle; /* "idle": of skewed_straighten, where PEs keep what they have */
    struct sator_counter *counter, *idle_counter; /* of these, without the skew */
};

static void skewed_close(void *opaque)
{
    struct skewed_state *state = opaque;

    sator_counter_free(state->counter);
    sator_counter_free(state->idle_counter);
    sator_arena_free(state->arena);
    free(state);
}

/* Whether the stamping is that of a memory which holds windows. */
static bool is_windows(struct sator_arena *arena, const struct sator_stamping *given)
{
    const struct sator_piece *time = sator_relation_function(given->time);
    int64_t m;

    return given->n_time == 1 && given->n_space == 0 && time != NULL &&
            windows_row(arena, time->out[0], &m) != NULL;
}

static enum sator_status skewed_open(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void **opaque, const struct sator_decline **reason)
{
    struct skewed_state *state = sator_alloc(sizeof *state);

    *state = (struct skewed_state){.ctx = ctx, .arena = sator_arena_new()};
    if (is_windows(state->arena, stamping)) {
        state->windows = stamping;
        *opaque = state;
        return SATOR_OK;
    }
    *reason = skewed_straighten(state->arena, stamping, &state->idle);
    enum sator_status st = *reason != NULL ? SATOR_DECLINED : SATOR_OK;
    if (st == SATOR_OK)
        state->why = skewed_reduce(state->arena, stamping, &state->nest);
    if (st == SATOR_OK && state->why == NULL)
        st = sator_counter_new(ctx, SATOR_ENGINE_AUTO, &state->nest.plain, &state->counter);
    if (st == SATOR_OK)
        *opaque = state;
    else
        skewed_close(state);
    return st;
}

/* A question to the counter of the nest without the skew. */
struct question {
    const struct sator_relation *access;
    const struct sator_transport *transport;
    struct sator_volumes *volumes; /* where these are asked for; else ... */
    struct sator_stamp_counts *counts; /* ... or these */
    sator_int *words; /* of the largest tile */
    sator_int *most; /* in a stamp */
    bool *found; /* a stamp outside of the array */
    int64_t *instance; /* of "most" and "found" */
};

static enum sator_status put(struct sator_counter *counter, const struct question *q)
{
    if (q->volumes != NULL)
        return sator_count_volumes(counter, q->access, q->transport, q->volumes);
    if (q->counts != NULL)
        return sator_count_stamps(counter, q->counts);
    if (q->words != NULL)
        return sator_count_tile(counter, q->access, q->words);
    if (q->most != NULL)
        return sator_count_max_per_stamp(counter, q->most, q->instance);
    return sator_count_outside(counter, q->found, q->instance);
}

/* Ask it. What it cannot say is left to the engines that follow; they say why. */
static enum sator_status ask_of(struct skewed_state *state, struct sator_counter *counter,
        const struct question *q, const struct sator_decline **reason)
{
    struct sator_hush before;

    if (state->windows != NULL) {
        *reason = DECLINE("windows are not counted so");
        return SATOR_DECLINED;
    }
    if (counter == NULL) {
        *reason = state->why;
        return SATOR_DECLINED;
    }
    sator_ctx_hush(state->ctx, &before);
    enum sator_status st = put(counter, q);
    sator_ctx_unhush(state->ctx, &before);
    if (st == SATOR_OK || st == SATOR_INTERRUPTED)
        return st;
    *reason = DECLINE("the nest without the skew is not counted");
    return SATOR_DECLINED;
}

static enum sator_status ask(
        struct skewed_state *state, const struct question *q, const struct sator_decline **reason)
{
    return ask_of(state, state->counter, q, reason);
}

/* ---- links and buses ---- */

/* "map" over the coordinates of the other nest, whose runs it keeps: each output a coordinate plus
 * a constant, "offset" (or NULL) by output; NULL where it is not that. "kept": bits of the
 * coordinates that stand in it. */
static const struct sator_relation *lift(const struct skewed_state *state,
        const struct skewed_nest *nest, const struct sator_relation *map, int64_t *offset,
        unsigned *kept)
{
    const struct sator_piece *piece = sator_relation_function(map);
    int n_runs = nest->n_runs, n_in = nest->plain.n_space;
    const char **names = SATOR_NEW_ARRAY(state->arena, const char *, n_in);

    if (piece == NULL || map->n_in != nest->given->n_space)
        return NULL;
    const struct sator_expr **out =
            SATOR_NEW_ARRAY(state->arena, const struct sator_expr *, n_runs + map->n_out + 1);
    *kept = 0;
    for (int v = 0; v < n_in; v++)
        names[v] = sator_arena_printf(state->arena, "p%d", v);
    for (int r = 0; r < n_runs; r++)
        out[r] = sator_expr_var(state->arena, r);
    for (int i = 0; i < map->n_out; i++) {
        const struct sator_expr *was = piece->out[i];
        bool is_one = was->n_terms == 1 && was->terms[0].atom == SATOR_ATOM_VAR &&
                was->terms[0].factor == 1;
        if (!is_one && was->n_terms > 0)
            return NULL;
        if (offset != NULL && (!is_one || was->terms[0].var != i))
            return NULL;
        if (offset != NULL)
            offset[i] = was->constant;
        *kept |= is_one ? 1U << was->terms[0].var : 0;
        out[n_runs + i] = sator_expr_constant(state->arena, was->constant);
        if (is_one)
            out[n_runs + i] = sator_expr_add(state->arena, out[n_runs + i], 1,
                    sator_expr_var(state->arena, n_runs + was->terms[0].var));
    }
    return sator_relation_make(
            state->arena, map->in_name, n_in, names, map->out_name, n_runs + map->n_out, out, NULL);
}

/* Whether a link of interval "h" that is one of "g" without the skew brings the same there. */
static const struct sator_decline *check_interval(
        const struct skewed_nest *nest, int h, int64_t g, bool sums_pass)
{
    if (g < 0 || g > INT32_MAX)
        return DECLINE("a link under a skew has its PE run ahead");
    if (g > nest->values - nest->length && nest->n_runs > 0)
        return DECLINE("a link reaches the run before");
    if (sums_pass && h > 1)
        return DECLINE("a link under a skew brings sums past other stamps");
    return NULL;
}

/* The same where idle PEs keep what they have. What p - o had at its last active stamp before p's
 * is what it had at its last one below L + s.o in the same run, or in an earlier run: that is the
 * rule of interval 1 - s.o where this is 0 or 1, whatever stamps are missing. More stamps back have
 * to be counted: none may be missing, and beyond 1 no run may lie before. */
static const struct sator_decline *check_idle_interval(
        const struct skewed_state *state, int h, int64_t g, bool is_last, bool sums_pass)
{
    bool is_near = h <= 1 && g <= 1;

    if (!is_near && (state->why != NULL || !is_last || (g > 1 && state->idle.row > 0)))
        return DECLINE("a link under a skew counts stamps past those of idle PEs");
    if (g < 0 || g > INT32_MAX)
        return DECLINE("a link under a skew has its PE run ahead");
    if (sums_pass && h > 1)
        return DECLINE("a link under a skew brings sums past other stamps");
    return NULL;
}

/* The transport of the other nest. */
static const struct sator_decline *lift_transport(const struct skewed_state *state, bool idles,
        const struct sator_transport *given, struct sator_transport *lifted)
{
    const struct skewed_nest *nest = idles ? &state->idle : &state->nest;
    int n_space = nest->given->n_space;
    bool is_last = nest->row == nest->given->n_time - 1;
    unsigned kept, skewed = 0;
    const struct sator_decline *why;
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(state->arena, struct sator_network_link, given->n_links + 1);
    const struct sator_relation **buses =
            SATOR_NEW_ARRAY(state->arena, const struct sator_relation *, given->n_buses + 1);

    *lifted = *given;
    lifted->links = links;
    lifted->buses = buses;
    lifted->held_space = lifted->held_time = 0;
    for (int d = 0; d < n_space; d++)
        skewed |= nest->skew[d] != 0 ? 1U << d : 0;
    for (int k = 0; k < given->n_links; k++) {
        int64_t offset[TILED_SPACES] = {0}, interval = given->links[k].interval, moved = 0;
        const struct sator_relation *map = given->links[k].map->n_out != n_space
                ? NULL
                : lift(state, nest, given->links[k].map, offset, &kept);
        if (map == NULL)
            return DECLINE("a link under a skew is no translation");
        for (int d = 0; d < n_space; d++)
            moved += nest->skew[d] * offset[d];
        interval -= moved;
        if (!is_last && moved != 0)
            return DECLINE("a link under a skew has its PE run ahead");
        why = idles
                ? check_idle_interval(
                          state, given->links[k].interval, interval, is_last, given->held_time > 0)
                : check_interval(nest, given->links[k].interval, interval, given->held_time > 0);
        if (why != NULL)
            return why;
        links[k] = (struct sator_network_link){.map = map, .interval = (int)interval};
    }
    for (int b = 0; b < given->n_buses; b++) {
        buses[b] = lift(state, nest, given->buses[b], NULL, &kept);
        if (buses[b] == NULL || (skewed & ~kept) != 0)
            return DECLINE("a bus under a skew joins PEs at different times");
    }
    return NULL;
}

/* Where idle PEs keep what they have, with runs as rows of time: their contents stay over the ends.
 */
static enum sator_status idle_volumes(struct skewed_state *state,
        const struct sator_relation *access, const struct sator_transport *transport,
        struct sator_volumes *volumes, const struct sator_decline **reason)
{
    struct sator_transport lifted;
    enum sator_status st = SATOR_OK;

    *reason = transport->holds_idle ? NULL : DECLINE("a memory outside idles under a skew");
    for (int i = 0; i < transport->n_outside && *reason == NULL; i++) {
        if (transport->outside[i].time > state->idle.n_before)
            *reason = DECLINE("a memory outside is cut by a skewed row");
    }
    if (*reason == NULL)
        *reason = lift_transport(state, true, transport, &lifted);
    if (*reason != NULL)
        return SATOR_DECLINED;
    if (state->idle_counter == NULL)
        st = sator_counter_new(
                state->ctx, SATOR_ENGINE_AUTO, &state->idle.plain, &state->idle_counter);
    if (st != SATOR_OK)
        return st;
    return ask_of(state, state->idle_counter,
            &(struct question){.access = access, .transport = &lifted, .volumes = volumes}, reason);
}

static enum sator_status skewed_volumes(void *opaque, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason)
{
    struct skewed_state *state = opaque;
    struct sator_transport lifted;

    if (state->windows != NULL) {
        *reason = windows_volumes(state->arena, state->windows, access, transport, volumes);
        return *reason == NULL ? SATOR_OK : SATOR_DECLINED;
    }
    if (sator_transport_idles(transport))
        return idle_volumes(state, access, transport, volumes, reason);
    *reason = state->why != NULL ? state->why : lift_transport(state, false, transport, &lifted);
    if (*reason != NULL)
        return SATOR_DECLINED;
    return ask(state,
            &(struct question){.access = access, .transport = &lifted, .volumes = volumes}, reason);
}

/* ---- stamps ---- */

/* The most PEs at one value of the row: those whose delays lie in a window of its length. Delays of
 * the dimensions add up, each 0 .. |s_d| (used - 1) in steps of |s_d|. */
static sator_int most_active(const struct skewed_nest *nest)
{
    int64_t n = nest->span + 1;
    sator_int *at = sator_alloc(sizeof *at * (size_t)n), others = 1, most = 0, now = 0;

    memset(at, 0, sizeof *at * (size_t)n);
    at[0] = 1;
    for (int d = 0; d < nest->given->n_space; d++) {
        int64_t step = nest->skew[d] < 0 ? -nest->skew[d] : nest->skew[d];
        int64_t wide = step * nest->used[d];
        if (step == 0) {
            others *= nest->used[d];
            continue;
        }
        for (int64_t i = step; i < n; i++) /* sums of steps ... */
            at[i] += at[i - step];
        for (int64_t i = n - 1; i >= wide; i--) /* ... "used" of them at most */
            at[i] -= at[i - wide];
    }
    for (int64_t i = 0; i < n; i++) {
        now += at[i] - (i >= nest->length ? at[i - nest->length] : 0);
        most = now > most ? now : most;
    }
    free(at);
    return most * others;
}

static enum sator_status skewed_stamps(
        void *opaque, struct sator_stamp_counts *counts, const struct sator_decline **reason)
{
    struct skewed_state *state = opaque;
    const struct skewed_nest *nest = &state->nest;
    struct sator_stamp_counts plain;
    sator_int pes = 1, values = 0;

    if (state->why != NULL) {
        *reason = state->why;
        return SATOR_DECLINED;
    }
    if (state->windows != NULL || !(nest->is_whole || nest->run_together) ||
            nest->span >= MOST_SPAN) {
        *reason = DECLINE("tiles are cut short under a skew");
        return SATOR_DECLINED;
    }
    enum sator_status st = ask(state, &(struct question){.counts = &plain}, reason);
    if (st != SATOR_OK)
        return st;
    for (int d = 0; d < nest->given->n_space; d++)
        pes *= nest->used[d];
    bool are_idle = plain.stamps != plain.time_stamps * nest->runs * pes;
    if ((are_idle && nest->is_whole) || /* coordinates that leave gaps */
            !sator_mul(nest->runs, nest->values, &values) ||
            !sator_mul(values, nest->inside, &values)) {
        *reason = DECLINE("PEs are idle under a skew");
        return SATOR_DECLINED;
    }
    if (!nest->is_whole)
        pes = plain.active_pes / nest->runs; /* all runs have the same */
    *counts = (struct sator_stamp_counts){.instances = plain.instances,
            .stamps = plain.stamps,
            .time_stamps = values,
            .active_pes = pes,
            .max_active_pes = nest->is_whole ? most_active(nest) : pes};
    return SATOR_OK;
}

static enum sator_status skewed_max_per_stamp(
        void *opaque, sator_int *most, int64_t *instance, const struct sator_decline **reason)
{
    return ask(opaque, &(struct question){.most = most, .instance = instance}, reason);
}

static enum sator_status skewed_tile(void *opaque, const struct sator_relation *access,
        sator_int *words, const struct sator_decline **reason)
{
    struct skewed_state *state = opaque;

    if (state->windows != NULL) {
        *reason = windows_tile(state->arena, state->windows, access, words);
        return *reason == NULL ? SATOR_OK : SATOR_DECLINED;
    }
    return ask(opaque, &(struct question){.access = access, .words = words}, reason);
}

static enum sator_status skewed_outside(
        void *opaque, bool *found, int64_t *instance, const struct sator_decline **reason)
{
    return ask(opaque, &(struct question){.found = found, .instance = instance}, reason);
}

const struct sator_engine sator_engine_skewed = {
        .name = "skewed",
        .open = skewed_open,
        .close = skewed_close,
        .outside = skewed_outside,
        .stamps = skewed_stamps,
        .max_per_stamp = skewed_max_per_stamp,
        .volumes = skewed_volumes,
        .tile = skewed_tile,
};
