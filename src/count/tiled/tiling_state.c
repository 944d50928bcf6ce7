/* A way the digits of a part of a tiling stand, as a nest, and what that says. */
#include "count/tiled/tiling_state.h"

#include "base/arena.h"

#include <assert.h>
#include <string.h>

/* ---- a state as a nest ---- */

/* The digits of a part's state from the root on. */
static int chain_of(const struct sator_tiling *t, int state, int *chain)
{
    int n = 0;

    for (int s = state; s >= 0; s = t->states[s].parent)
        n++;
    for (int s = state, k = n; s >= 0; s = t->states[s].parent)
        chain[--k] = s;
    assert(n <= TILING_DIGITS + TILING_LOOPS);
    return n;
}

/* Add a digit of loop "l", the next one outside; they are turned around in the end. */
static void add_digit(struct tiled_nest *nest, int l, enum tiled_kind kind, int order,
        int64_t *place, int64_t size, int64_t coef)
{
    struct tiled_digit *digit = &nest->digit[nest->n_digits];

    assert(nest->n_digits < TILED_DIGITS && size >= 1 && *place >= 1);
    *digit = (struct tiled_digit){.loop = l,
            .place = *place,
            .size = size,
            .kind = kind,
            .order = order,
            .row = TILED_NOWHERE,
            .fixed = -1};
    nest->step[nest->n_digits++] = coef * *place;
    *place *= size;
}

/* Turn the digits of a loop, which stand innermost first, around, and set their tops. */
static void finish_loop(struct tiled_nest *nest, struct tiled_loop *loop, bool *is_shared)
{
    loop->n_digits = nest->n_digits - loop->first;
    for (int i = 0, k = loop->n_digits - 1; i < k; i++, k--) {
        struct tiled_digit digit = nest->digit[loop->first + i];
        int64_t step = nest->step[loop->first + i];
        bool shared = is_shared[loop->first + i];
        is_shared[loop->first + i] = is_shared[loop->first + k];
        is_shared[loop->first + k] = shared;
        nest->digit[loop->first + i] = nest->digit[loop->first + k];
        nest->step[loop->first + i] = nest->step[loop->first + k];
        nest->digit[loop->first + k] = digit;
        nest->step[loop->first + k] = step;
    }
    tiled_loop_finish(nest, loop);
}

/* Orders of time: first the digits that are not placed, loop by loop; then those that are, the last
 * one outermost: that of entry "k" of a chain of "n". One less lies between it and the next. */
static int order_of(int n, int k)
{
    return TILED_PART_LOOPS * TILED_DIGITS + 2 * (n - k);
}

/* The digits of "loop", the last one made, have been turned around: so are the joined ones. */
static void turn_joined(struct sator_tiling *t, const struct tiled_loop *loop, int n_joined)
{
    for (int k = 0; k < n_joined; k++) {
        if (t->joined_digit[k] >= loop->first)
            t->joined_digit[k] = 2 * loop->first + loop->n_digits - 1 - t->joined_digit[k];
    }
}

/* The iterations of loop "l": of the problem, or as many as its digits make. */
static int64_t extent_of(const struct sator_tiling *t, int l, const int *chain, int n)
{
    int64_t extent = 1;

    if (!t->is_whole)
        return t->extent[l];
    for (int k = 0; k < n; k++)
        extent *= t->states[chain[k]].loop == l ? t->states[chain[k]].size : 1;
    return extent;
}

/* The digits of loop "l", outermost last, with those of time in the order in which they are placed.
 */
static void make_loop(
        struct sator_tiling *t, const struct tiled_part *part, int i, const int *chain, int n)
{
    struct tiled_nest *nest = &t->nest;
    int l = part->loop[i], time[TILING_DIGITS + TILING_LOOPS], n_time = 0, n_placed = 0;
    int n_joined = 0;
    int64_t place = 1, extent = extent_of(t, l, chain, n);

    nest->loop[l] = (struct tiled_loop){.extent = extent, .first = nest->n_digits};
    for (int k = 0; k < n; k++) {
        const struct tiling_state *state = &t->states[chain[k]];
        bool is_joined = state->kind == OF_PES + (int)TILING_JOINED;
        n_joined += is_joined;
        if (state->loop != l || state->kind == PLACED)
            continue;
        if (state->kind == OF_TIME)
            time[n_time++] = -1;
        if (is_joined)
            t->joined_digit[n_joined - 1] = nest->n_digits;
        else if (state->size == 1 || place >= extent)
            continue; /* nothing is divided */
        enum tiled_kind kind = state->kind == OF_TILE ? TILED_INSIDE
                : state->kind == OF_TIME              ? TILED_TIME
                                                      : TILED_SPACE;
        if (kind == TILED_TIME)
            time[n_time - 1] = nest->n_digits;
        int64_t left = (extent - 1) / place + 1;
        t->is_shared[nest->n_digits] = state->kind == OF_PES + (int)TILING_SHARED;
        struct tiled_digit *digit = &nest->digit[nest->n_digits];
        add_digit(nest, l, kind, (i + 1) * TILED_DIGITS - nest->n_digits, &place,
                state->size < left ? state->size : left, t->coef[l]);
        if (state->kind == OF_PES + (int)TILING_FIRST)
            digit->fixed = 0;
        if (state->kind == OF_PES + (int)TILING_LAST)
            digit->fixed = digit->size - 1;
    }
    if (place < extent) {
        t->is_shared[nest->n_digits] = false;
        add_digit(nest, l, TILED_TIME, i * TILED_DIGITS, &place, (extent - 1) / place + 1,
                t->coef[l]);
    }
    if (nest->n_digits == nest->loop[l].first) {
        t->is_shared[nest->n_digits] = false;
        add_digit(nest, l, TILED_INSIDE, 0, &place, 1, t->coef[l]);
    }
    for (int k = 0; k < n; k++) {
        const struct tiling_state *state = &t->states[chain[k]];
        if (state->loop != l || state->kind != PLACED)
            continue;
        t->row[k] = n_placed < n_time ? time[n_placed] : -1;
        if (t->row[k] >= 0)
            nest->digit[t->row[k]].order = order_of(n, k);
        n_placed++;
    }
    finish_loop(nest, &nest->loop[l], t->is_shared);
    turn_joined(t, &nest->loop[l], n_joined);
}

static void make_nest(
        struct sator_tiling *t, const struct tiled_part *part, const int *chain, int n)
{
    struct tiled_nest *nest = &t->nest;

    nest->n_loops = t->n_loops;
    nest->is_whole = t->is_whole;
    nest->n_digits = 0;
    nest->n_time = order_of(n, -1);
    for (int i = 0; i < part->n_loops; i++)
        make_loop(t, part, i, chain, n);
}

/* ---- what a state says ---- */

/* The row of the pattern "kept" (of struct tiling_state) of a chain; false: the digit has no steps.
 */
static bool find_row(const struct sator_tiling *t, const int *chain, int n, int kept, int *row)
{
    int times = 0;

    *row = order_of(n, -1) + 1; /* inside of all */
    for (int k = 0; k < n; k++) {
        if (t->states[chain[k]].kind != PLACED)
            continue;
        if (kept == 2 * times + 1) {
            *row = order_of(n, k);
            return t->row[k] >= 0;
        }
        times++;
        if (kept == 2 * times)
            *row = order_of(n, k) - 1;
    }
    return true;
}

bool tiling_state_open(struct sator_tiling *t, int p, int state, int kept, struct tiled_question *q)
{
    static const struct tiled_source own = {.credit = 0, .back = 1};
    int chain[TILING_DIGITS + TILING_LOOPS];
    int n = chain_of(t, state, chain);

    sator_work_begin(t->ctx);
    make_nest(t, &t->part[p], chain, n);
    *q = (struct tiled_question){.ctx = t->ctx,
            .arena = t->scratch,
            .nest = &t->nest,
            .source = &own,
            .aspect = TILED_LEAST,
            .n_sources = kept >= 0,
            .n_back = kept >= 0};
    memcpy(q->is_spread, t->is_shared, sizeof q->is_spread);
    return kept < 0 || find_row(t, chain, n, kept, &q->pattern[0]);
}

/* What a state says of pattern "kept", or of TILING_ALL or TILING_MOST; -2 when that cannot be
 * counted. */
static int64_t count_state(struct sator_tiling *t, int p, int state, int kept)
{
    struct tiled_question q;
    struct tiled_tally tally = {0};
    const struct sator_decline *reason = NULL;
    enum sator_status st;
    sator_int sum = 0;
    int64_t most = 0;

    sator_arena_clear(t->scratch);
    if (!tiling_state_open(t, p, state, kept, &q))
        return 0;
    if (kept == TILING_MOST)
        st = tiled_walk_most(&q, &t->part[p], &most, &reason);
    else
        st = tiled_walk(&q, &t->part[p], &tally, &reason);
    for (int i = 0; i < tally.n; i++)
        sum += kept < 0 || tally.word[i].holder[0].sources != 0 ? tally.word[i].times : 0;
    sum += most;
    return st == SATOR_OK && sum < INT64_MAX / 4 ? (int64_t)sum : -2;
}

int64_t tiling_state_ask(struct sator_tiling *t, int p, int state, int kept)
{
    assert(0 <= state && state < t->n_states);
    assert(kept < 2 * t->states[state].n_times + 1);
    struct tiling_state *s = &t->states[state];
    int64_t *value = kept == TILING_ALL ? &s->all : kept == TILING_MOST ? &s->most : &s->kept[kept];

    if (*value == -1)
        *value = count_state(t, p, state, kept);
    return *value;
}
