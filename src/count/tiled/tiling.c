/* Tilings: parts of a nest that remember, for each way their digits stand, what they have to say.
 *
 * The states of a part are a tree: the root for its tiles, a child for each digit said to be there,
 * and for each one placed in time. What is not placed counts as time outside of all others, so that
 * a state is a nest: what a pattern of time that stays outside of a digit says of it does not
 * depend on how the rest is ordered.
 */
#include "count/tiled/tiling.h"

#include "base/arena.h"
#include "base/memo.h"
#include "count/tiled/joined.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum digit_kind {
    OF_TILE, /* of the root: what is inside */
    OF_TIME,
    PLACED, /* the next digit of time of the loop */
    OF_NETWORK, /* nothing more of PEs: they have network number "size" */
    OF_PES /* and more: enum sator_tiling_pes */
};

/* A way the digits of a part stand: the parent's, and one more is said of them. */
struct state {
    int parent; /* -1: none */
    int8_t loop, kind;
    int64_t size;
    int n_times; /* digits of time that are placed */
    int64_t all, most; /* words of all stamps, of the largest tile; -1 while unknown */
    /* Words kept from stamp to stamp, or -1. At 2 k: in the steps of a digit of another part that
     * stands outside of the innermost k digits of time; at 2 k + 1: in those of the k-th itself. */
    int64_t *kept;
    /* Where PEs are joined, by their holders: at 0 the words of all stamps, then of those patterns.
     * NULL while unknown. */
    const struct tiled_tally **tally;
};

/* Words that cross where PEs are joined. */
struct crossing {
    int64_t anew; /* as if none had been there in the stamp before */
    int64_t words;
};

struct sator_tiling {
    struct sator_ctx *ctx;
    struct sator_arena *arena; /* of the tiling */
    struct sator_arena *scratch; /* of one question */
    int n_loops, n_parts;
    int64_t extent[TILING_LOOPS];
    struct tiled_part part[TILING_LOOPS];
    int64_t coef[TILING_LOOPS];
    int8_t part_of[TILING_LOOPS];
    int state[TILING_LOOPS]; /* by part: its present one */
    int n_placed;
    struct placed {
        int part, before; /* the state before */
        bool is_time;
    } placed[TILING_DIGITS];
    int n_states, state_room;
    struct state *states;
    struct sator_memo *numbers; /* int: of a state, by its parent and digit */
    struct tiled_nest nest; /* of the state that is counted, with */
    bool is_shared[TILED_DIGITS]; /* by digit */
    int row[TILING_DIGITS + TILING_LOOPS]; /* by entry of its chain that is placed: the digit, -1 */
    int joined_digit[TILING_DIGITS]; /* of the part's joined ones, as they were said */
    int n_joined;
    struct tiling_joined joined[TILING_DIGITS];
    struct tiling_network *network; /* of these; NULL: none */
    int n_networks;
    struct tiling_network **networks;
    struct sator_memo *network_of; /* int: by joined digits and net */
    struct sator_memo *crossings; /* struct crossing: by states and patterns */
};

/* ---- states ---- */

/* The state after one digit more. */
static int child_of(struct sator_tiling *t, int parent, int loop, int kind, int64_t size)
{
    int64_t key[] = {(int64_t)parent * 65536 + loop * 256 + kind, size};
    bool is_new;
    int *number = sator_memo_place(t->numbers, key, 2, &is_new);

    if (!is_new)
        return *number;
    *number = t->n_states;
    int n_times = (parent < 0 ? 0 : t->states[parent].n_times) + (kind == PLACED);
    int64_t *kept = SATOR_NEW_ARRAY(t->arena, int64_t, 2 * n_times + 1);
    memset(kept, 0xff, sizeof *kept * (size_t)(2 * n_times + 1));
    bool is_joined = kind == OF_NETWORK || (parent >= 0 && t->states[parent].tally != NULL);
    const struct tiled_tally **tally = is_joined
            ? SATOR_NEW_ARRAY(t->arena, const struct tiled_tally *, 2 * n_times + 2)
            : NULL;
    if (t->n_states == t->state_room) {
        t->state_room *= 2;
        t->states = sator_realloc(t->states, sizeof *t->states * (size_t)t->state_room);
    }
    t->states[t->n_states] = (struct state){.parent = parent,
            .loop = (int8_t)loop,
            .kind = (int8_t)kind,
            .size = size,
            .n_times = n_times,
            .all = -1,
            .most = -1,
            .kept = kept,
            .tally = tally};
    return t->n_states++;
}

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

/* Set the tops of a loop's digits, which stand innermost first, and turn them around. */
static void finish_loop(struct tiled_nest *nest, struct tiled_loop *loop, bool *is_shared)
{
    int64_t rest = loop->extent - 1;

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
    for (int k = loop->first; k < nest->n_digits; k++) {
        nest->digit[k].top = rest / nest->digit[k].place;
        assert(nest->digit[k].top < nest->digit[k].size);
        rest %= nest->digit[k].place;
    }
    assert(rest == 0);
    loop->whole_from = loop->n_digits;
    while (loop->whole_from > 0) {
        const struct tiled_digit *digit = &nest->digit[loop->first + loop->whole_from - 1];
        if (digit->top != digit->size - 1)
            break;
        loop->whole_from--;
    }
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

/* The digits of loop "l", outermost last, with those of time in the order in which they are placed.
 */
static void make_loop(
        struct sator_tiling *t, const struct tiled_part *part, int i, const int *chain, int n)
{
    struct tiled_nest *nest = &t->nest;
    int l = part->loop[i], time[TILING_DIGITS + TILING_LOOPS], n_time = 0, n_placed = 0;
    int n_joined = 0;
    int64_t place = 1;

    nest->loop[l] = (struct tiled_loop){.extent = t->extent[l], .first = nest->n_digits};
    for (int k = 0; k < n; k++) {
        const struct state *state = &t->states[chain[k]];
        bool is_joined = state->kind == OF_PES + (int)TILING_JOINED;
        n_joined += is_joined;
        if (state->loop != l || state->kind == PLACED)
            continue;
        if (state->kind == OF_TIME)
            time[n_time++] = -1;
        if (is_joined)
            t->joined_digit[n_joined - 1] = nest->n_digits;
        else if (state->size == 1 || place >= t->extent[l])
            continue; /* nothing is divided */
        enum tiled_kind kind = state->kind == OF_TILE ? TILED_INSIDE
                : state->kind == OF_TIME              ? TILED_TIME
                                                      : TILED_SPACE;
        if (kind == TILED_TIME)
            time[n_time - 1] = nest->n_digits;
        int64_t left = (t->extent[l] - 1) / place + 1;
        t->is_shared[nest->n_digits] = state->kind == OF_PES + (int)TILING_SHARED;
        struct tiled_digit *digit = &nest->digit[nest->n_digits];
        add_digit(nest, l, kind, (i + 1) * TILED_DIGITS - nest->n_digits, &place,
                state->size < left ? state->size : left, t->coef[l]);
        if (state->kind == OF_PES + (int)TILING_FIRST)
            digit->fixed = 0;
        if (state->kind == OF_PES + (int)TILING_LAST)
            digit->fixed = digit->size - 1;
    }
    if (place < t->extent[l]) {
        t->is_shared[nest->n_digits] = false;
        add_digit(nest, l, TILED_TIME, i * TILED_DIGITS, &place, (t->extent[l] - 1) / place + 1,
                t->coef[l]);
    }
    if (nest->n_digits == nest->loop[l].first) {
        t->is_shared[nest->n_digits] = false;
        add_digit(nest, l, TILED_INSIDE, 0, &place, 1, t->coef[l]);
    }
    for (int k = 0; k < n; k++) {
        const struct state *state = &t->states[chain[k]];
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
    nest->n_digits = 0;
    nest->n_time = order_of(n, -1);
    for (int i = 0; i < part->n_loops; i++)
        make_loop(t, part, i, chain, n);
}

/* ---- what a state says ---- */

/* The row of the pattern "kept" (of struct state) of a chain; false: the digit has no steps. */
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

enum {
    ALL = -1,
    MOST = -2
};

/* Make the nest of a state of part "p" and let "q" ask it about pattern "kept", ALL or MOST. False:
 * there are no such stamps. */
static bool open_question(
        struct sator_tiling *t, int p, int state, int kept, struct tiled_question *q)
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

/* What a state says of pattern "kept", or of ALL or MOST; -2 when that cannot be counted. */
static int64_t count_state(struct sator_tiling *t, int p, int state, int kept)
{
    struct tiled_question q;
    struct tiled_tally tally = {0};
    const struct sator_decline *reason = NULL;
    enum sator_status st;
    sator_int sum = 0;
    int64_t most = 0;

    sator_arena_clear(t->scratch);
    if (!open_question(t, p, state, kept, &q))
        return 0;
    if (kept == MOST)
        st = tiled_walk_most(&q, &t->part[p], &most, &reason);
    else
        st = tiled_walk(&q, &t->part[p], &tally, &reason);
    for (int i = 0; i < tally.n; i++)
        sum += kept < 0 || tally.word[i].holder[0].sources != 0 ? tally.word[i].times : 0;
    sum += most;
    return st == SATOR_OK && sum < INT64_MAX / 4 ? (int64_t)sum : -2;
}

static int64_t ask(struct sator_tiling *t, int p, int state, int kept)
{
    assert(0 <= state && state < t->n_states);
    assert(kept < 2 * t->states[state].n_times + 1);
    struct state *s = &t->states[state];
    int64_t *value = kept == ALL ? &s->all : kept == MOST ? &s->most : &s->kept[kept];

    if (*value == -1)
        *value = count_state(t, p, state, kept);
    return *value;
}

/* ---- joined PEs ---- */

/* The words of a state in pattern "kept", or ALL, by their holders; NULL when they cannot be
 * counted. */
static const struct tiled_tally *find_tally(struct sator_tiling *t, int p, int state, int kept)
{
    const struct tiled_tally **known = &t->states[state].tally[1 + kept];
    struct tiled_question q;
    const struct sator_decline *reason = NULL;

    if (*known != NULL)
        return *known;
    struct tiled_tally *made = SATOR_NEW(t->arena, struct tiled_tally);
    if (open_question(t, p, state, kept, &q)) {
        tiling_network_ask(t->network, t->scratch, p, t->joined_digit, &q);
        if (tiled_walk(&q, &t->part[p], made, &reason) != SATOR_OK)
            return NULL;
    }
    struct tiled_word *words =
            sator_arena_copy(t->arena, made->word, sizeof *words * (size_t)made->n);
    for (int i = 0; i < made->n; i++)
        words[i].holder = sator_arena_copy(
                t->arena, words[i].holder, sizeof *words[i].holder * (size_t)words[i].n);
    made->word = words;
    return *known = made;
}

/* Multiply the parts' words in the patterns "kept" by part. */
static bool count_crossing(struct sator_tiling *t, const int *kept, struct crossing *crossing)
{
    const struct tiling_network *network = t->network;
    struct tiled_question q = {
            .ctx = t->ctx, .arena = t->scratch, .nest = &t->nest, .aspect = network->aspect};
    struct tiled_tally product = {0};
    const struct sator_decline *reason = NULL;
    sator_int anew = 0, words = 0;

    *crossing = (struct crossing){0};
    sator_arena_clear(t->scratch);
    for (int p = 0; p < t->n_parts; p++) {
        const struct tiled_tally *tally = find_tally(t, p, t->state[p], kept[p]);
        struct tiled_tally before = product;
        if (tally == NULL)
            return false;
        if (tally->n == 0)
            return true;
        if (p == 0)
            product = *tally;
        else if (tiled_tally_multiply(&q, &before, tally, &product, &reason) != SATOR_OK)
            return false;
    }
    for (int i = 0; i < product.n; i++) {
        const struct tiled_word *word = &product.word[i];
        anew += word->times *
                tiled_word_fetched(network->aspect, word, network->now, &network->families);
        words += word->times *
                tiled_word_fetched(network->aspect, word, tiled_every_bit(), &network->families);
    }
    *crossing = (struct crossing){(int64_t)anew, (int64_t)words};
    return anew < INT64_MAX / 4;
}

/* The same, remembered; both are -2 when they cannot be counted. */
static struct crossing find_crossing(struct sator_tiling *t, const int *kept)
{
    int64_t key[TILING_LOOPS];
    bool is_new;

    for (int p = 0; p < t->n_parts; p++)
        key[p] = (int64_t)t->state[p] * 2 * TILING_DIGITS + kept[p] + 1;
    struct crossing *known = sator_memo_place(t->crossings, key, (size_t)t->n_parts, &is_new);
    if (is_new && (t->network->is_unknown || !count_crossing(t, kept, known)))
        *known = (struct crossing){-2, -2};
    return *known;
}

/* ---- all parts ---- */

static int64_t product(struct sator_tiling *t, int kept)
{
    int64_t words = 1;

    if (t->network != NULL && kept == ALL) {
        int all[TILING_LOOPS];
        for (int p = 0; p < t->n_parts; p++)
            all[p] = ALL;
        words = find_crossing(t, all).anew;
        return words < 0 ? TILING_UNKNOWN : words;
    }
    for (int p = 0; p < t->n_parts && words != 0; p++) {
        int64_t of_part = ask(t, p, t->state[p], kept);
        if (of_part < 0 || __builtin_mul_overflow(words, of_part, &words))
            return TILING_UNKNOWN;
    }
    return words;
}

/* Words kept in the steps of digit of time number "own" of part "p", where "inside" digits of time
 * of each part stand inside of it. */
static int64_t kept_words(struct sator_tiling *t, int p, int own, const int *inside)
{
    int kept[TILING_LOOPS];
    int64_t words = 1;

    for (int o = 0; o < t->n_parts; o++)
        kept[o] = 2 * (inside == NULL ? t->states[t->state[o]].n_times : inside[o]);
    kept[p] = 2 * own + 1;
    if (t->network != NULL) {
        struct crossing crossing = find_crossing(t, kept);
        return crossing.words < 0 ? TILING_UNKNOWN : crossing.anew - crossing.words;
    }
    for (int o = 0; o < t->n_parts && words > 0; o++) {
        int64_t of_part = ask(t, o, t->state[o], kept[o]);
        if (of_part < 0 || __builtin_mul_overflow(words, of_part, &words))
            return TILING_UNKNOWN;
    }
    return words < 0 ? TILING_UNKNOWN : words;
}

int64_t sator_tiling_all(struct sator_tiling *t)
{
    return product(t, ALL);
}

int64_t sator_tiling_most(struct sator_tiling *t)
{
    return product(t, MOST);
}

int64_t sator_tiling_words(struct sator_tiling *t)
{
    int inside[TILING_LOOPS] = {0};
    int64_t words = sator_tiling_all(t);

    for (int i = 0; i < t->n_placed && words != TILING_UNKNOWN; i++) {
        int p = t->placed[i].part;
        if (!t->placed[i].is_time)
            continue;
        int64_t kept = kept_words(t, p, inside[p], inside);
        assert(kept <= words);
        words = kept == TILING_UNKNOWN ? TILING_UNKNOWN : words - kept;
        inside[p]++;
    }
    return words;
}

/* ---- placing ---- */

static int place(struct sator_tiling *t, int loop, int kind, int64_t size)
{
    int p = t->part_of[loop];

    assert(p >= 0 && t->n_placed < TILING_DIGITS);
    t->placed[t->n_placed++] = (struct placed){p, t->state[p], kind == PLACED};
    t->state[p] = child_of(t, t->state[p], loop, kind, size);
    return p;
}

void sator_tiling_spread(struct sator_tiling *t, int loop, int64_t size, enum sator_tiling_pes pes)
{
    place(t, loop, OF_PES + (int)pes, size);
}

void sator_tiling_divide(struct sator_tiling *t, int loop, int64_t size)
{
    place(t, loop, OF_TIME, size);
}

void sator_tiling_spread_along(struct sator_tiling *t, int loop, int64_t size, int row)
{
    assert(size > 1);
    t->joined[t->n_joined++] = (struct tiling_joined){t->part_of[loop], loop, row, size};
    place(t, loop, OF_PES + (int)TILING_JOINED, size);
}

/* The number of the network of the joined digits. */
static int find_network(struct sator_tiling *t, const struct sator_tiling_net *net)
{
    struct tiling_joined_kind kind[TILING_LOOPS];
    bool is_new;
    int64_t *key = NULL;
    int n = 0;

    sator_arena_clear(t->scratch);
    SATOR_PUSH(t->scratch, key, n, t->n_joined);
    SATOR_PUSH(t->scratch, key, n, net->n_links);
    for (int k = 0; k < t->n_joined; k++) {
        SATOR_PUSH(t->scratch, key, n, t->joined[k].loop * 4096 + t->joined[k].row);
        SATOR_PUSH(t->scratch, key, n, t->joined[k].size);
    }
    for (int i = 0; i < net->n_links; i++) {
        SATOR_PUSH(t->scratch, key, n, net->link[i].interval);
        for (int r = 0; r < net->n_rows; r++)
            SATOR_PUSH(t->scratch, key, n, net->link[i].shift[r]);
    }
    for (int b = 0; b < net->n_buses; b++)
        SATOR_PUSH(t->scratch, key, n, net->bus_rows[b]);
    int *number = sator_memo_place(t->network_of, key, (size_t)n, &is_new);
    if (!is_new)
        return *number;
    *number = t->n_networks;
    for (int p = 0; p < t->n_parts; p++) {
        kind[p].is_indexed = t->part[p].is_indexed;
        kind[p].is_named = t->part[p].is_indexed && t->part[p].is_named;
    }
    SATOR_PUSH(t->arena, t->networks, t->n_networks,
            tiling_network_new(t->arena, net, t->n_joined, t->joined, t->n_parts, kind, false));
    return *number;
}

void sator_tiling_join(struct sator_tiling *t, const struct sator_tiling_net *net)
{
    int number = find_network(t, net);

    t->network = t->networks[number];
    for (int p = 0; p < t->n_parts; p++)
        t->state[p] = child_of(t, t->state[p], TILING_LOOPS, OF_NETWORK, number);
}

int64_t sator_tiling_step(struct sator_tiling *t, int loop)
{
    int p = place(t, loop, PLACED, 0);

    return kept_words(t, p, t->states[t->state[p]].n_times - 1, NULL);
}

void sator_tiling_back(struct sator_tiling *t)
{
    assert(t->n_placed > 0);
    const struct placed *last = &t->placed[--t->n_placed];

    t->state[last->part] = last->before;
}

void sator_tiling_begin(struct sator_tiling *t, const int64_t *tile)
{
    t->n_placed = t->n_joined = 0;
    t->network = NULL;
    for (int p = 0; p < t->n_parts; p++) {
        t->state[p] = -1;
        for (int i = 0; i < t->part[p].n_loops; i++)
            t->state[p] =
                    child_of(t, t->state[p], t->part[p].loop[i], OF_TILE, tile[t->part[p].loop[i]]);
        if (t->part[p].n_loops == 0)
            t->state[p] = child_of(t, -1, TILING_LOOPS + p, OF_TILE, 1);
    }
}

/* ---- making one ---- */

static bool add_part(struct sator_tiling *t, const struct sator_tiling_index *index, int loop)
{
    struct tiled_part *part = &t->part[t->n_parts];

    *part = (struct tiled_part){.divisor = 1, .n_places = 1};
    if (index == NULL) {
        part->n_loops = 1;
        part->loop[0] = loop;
        t->part_of[loop] = (int8_t)t->n_parts++;
        return true;
    }
    if (index->n_loops > TILED_PART_LOOPS || index->n_places > TILED_PLACES)
        return false;
    part->is_indexed = true;
    part->divisor = index->divisor;
    part->n_places = index->n_places;
    part->place =
            sator_arena_copy(t->arena, index->place, sizeof *part->place * (size_t)index->n_places);
    part->n_loops = index->n_loops;
    for (int i = 0; i < index->n_loops; i++) {
        part->loop[i] = index->loop[i];
        t->coef[index->loop[i]] = index->coef[i];
        t->part_of[index->loop[i]] = (int8_t)t->n_parts;
    }
    part->is_named = index->n_loops == 1 && index->divisor == 1 && index->n_places == 1;
    t->n_parts++;
    return true;
}

struct sator_tiling *sator_tiling_new(
        struct sator_ctx *ctx, const struct sator_tiling_access *access)
{
    static const int64_t origin;
    const struct sator_tiling_index constant = {.divisor = 1, .n_places = 1, .place = &origin};
    struct sator_tiling *t = sator_alloc(sizeof *t);
    int64_t tile[TILING_LOOPS];
    bool is_class = access->n_loops <= TILING_LOOPS && access->n_indices <= TILING_LOOPS;

    *t = (struct sator_tiling){.ctx = ctx,
            .arena = sator_arena_new(),
            .scratch = sator_arena_new(),
            .n_loops = access->n_loops,
            .state_room = 64,
            .numbers = sator_memo_new(sizeof(int)),
            .network_of = sator_memo_new(sizeof(int)),
            .crossings = sator_memo_new(sizeof(struct crossing))};
    t->states = sator_alloc(sizeof *t->states * (size_t)t->state_room);
    memset(t->part_of, -1, sizeof t->part_of);
    for (int e = 0; e < access->n_indices && is_class; e++)
        is_class = add_part(t, &access->index[e], 0);
    for (int l = 0; l < access->n_loops && is_class; l++) {
        t->extent[l] = access->extent[l];
        tile[l] = 1;
        if (t->part_of[l] < 0)
            is_class = t->n_parts < TILING_LOOPS && add_part(t, NULL, l);
    }
    if (t->n_parts == 0) /* one instance, which touches a word: the product needs a factor */
        is_class &= add_part(t, &constant, 0);
    if (!is_class) {
        sator_tiling_free(t);
        return NULL;
    }
    sator_tiling_begin(t, tile);
    return t;
}

void sator_tiling_free(struct sator_tiling *t)
{
    if (t == NULL)
        return;
    sator_arena_free(t->arena);
    sator_arena_free(t->scratch);
    sator_memo_free(t->numbers);
    sator_memo_free(t->network_of);
    sator_memo_free(t->crossings);
    free(t->states);
    free(t);
}
