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

/* The digits of a loop, innermost first. */
struct digits {
    int n;
    int64_t place; /* of the next one */
    struct made {
        struct tiled_digit digit;
        bool is_shared;
        int joined; /* which it is of the part's joined ones, or -1 */
    } made[TILED_DIGITS];
};

static struct made *add_digit(
        struct digits *digits, int loop, enum tiled_kind kind, int order, int64_t size)
{
    struct made *made = &digits->made[digits->n++];

    assert(digits->n <= TILED_DIGITS && size >= 1 && digits->place >= 1);
    *made = (struct made){.digit = {.loop = loop,
                                  .place = digits->place,
                                  .size = size,
                                  .kind = kind,
                                  .order = order,
                                  .row = TILED_NOWHERE,
                                  .fixed = -1},
            .joined = -1};
    digits->place *= size;
    return made;
}

/* Give a nest its next loop, and the digits of it, outermost first. */
static void add_loop(struct sator_tiling *t, int l, int64_t extent, const struct digits *digits)
{
    struct tiled_nest *nest = &t->nest;

    assert(nest->n_digits + digits->n <= TILED_DIGITS);
    nest->loop[l] =
            (struct tiled_loop){.extent = extent, .first = nest->n_digits, .n_digits = digits->n};
    for (int k = digits->n - 1; k >= 0; k--) {
        const struct made *made = &digits->made[k];
        int d = nest->n_digits++;
        nest->digit[d] = made->digit;
        nest->step[d] = t->coef[l] * made->digit.place;
        t->is_shared[d] = made->is_shared;
        if (made->joined >= 0)
            t->joined_digit[made->joined] = d;
    }
    tiled_loop_finish(nest, &nest->loop[l]);
}

/* Orders of time: first the digits that are not placed, loop by loop; then those that are, the last
 * one outermost: that of entry "k" of a chain of "n". One less lies between it and the next. */
static int order_of(int n, int k)
{
    return TILED_PART_LOOPS * TILED_DIGITS + 2 * (n - k);
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

/* Make loop "i" of the part, with its digits of time in the order in which they are placed. */
static void make_loop(
        struct sator_tiling *t, const struct tiled_part *part, int i, const int *chain, int n)
{
    int l = part->loop[i], time[TILING_DIGITS + TILING_LOOPS], n_time = 0, n_placed = 0;
    int n_joined = 0, first = t->nest.n_digits;
    int64_t extent = extent_of(t, l, chain, n);
    struct digits digits;

    digits.n = 0;
    digits.place = 1;
    for (int k = 0; k < n; k++) {
        const struct tiling_state *state = &t->states[chain[k]];
        bool is_joined = state->kind == OF_PES + (int)TILING_JOINED;
        n_joined += is_joined;
        if (state->loop != l || state->kind == PLACED)
            continue;
        if (state->kind == OF_TIME)
            time[n_time++] = -1;
        if (!is_joined && (state->size == 1 || digits.place >= extent))
            continue; /* nothing is divided */
        enum tiled_kind kind = state->kind == OF_TILE ? TILED_INSIDE
                : state->kind == OF_TIME              ? TILED_TIME
                                                      : TILED_SPACE;
        if (kind == TILED_TIME)
            time[n_time - 1] = digits.n;
        int64_t left = (extent - 1) / digits.place + 1;
        struct made *made = add_digit(&digits, l, kind, (i + 1) * TILED_DIGITS - first - digits.n,
                state->size < left ? state->size : left);
        made->is_shared = state->kind == OF_PES + (int)TILING_SHARED;
        made->joined = is_joined ? n_joined - 1 : -1;
        if (state->kind == OF_PES + (int)TILING_FIRST)
            made->digit.fixed = 0;
        if (state->kind == OF_PES + (int)TILING_LAST)
            made->digit.fixed = made->digit.size - 1;
    }
    if (digits.place < extent)
        add_digit(&digits, l, TILED_TIME, i * TILED_DIGITS, (extent - 1) / digits.place + 1);
    if (digits.n == 0)
        add_digit(&digits, l, TILED_INSIDE, 0, 1);
    for (int k = 0; k < n; k++) {
        const struct tiling_state *state = &t->states[chain[k]];
        if (state->loop != l || state->kind != PLACED)
            continue;
        int at = n_placed < n_time ? time[n_placed] : -1;
        t->has_steps[k] = at >= 0;
        if (at >= 0)
            digits.made[at].digit.order = order_of(n, k);
        n_placed++;
    }
    add_loop(t, l, extent, &digits);
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
            return t->has_steps[k];
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
