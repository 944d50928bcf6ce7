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
#include "count/tiled/tiling_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Words that cross where PEs are joined. */
struct crossing {
    int64_t anew; /* as if none had been there in the stamp before */
    int64_t words;
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
    if (t->n_states == t->state_room) {
        t->state_room *= 2;
        t->states = sator_realloc(t->states, sizeof *t->states * (size_t)t->state_room);
    }
    t->states[t->n_states] = (struct tiling_state){.parent = parent,
            .loop = (int8_t)loop,
            .kind = (int8_t)kind,
            .size = size,
            .n_times = n_times,
            .all = -1,
            .most = -1,
            .kept = kept};
    return t->n_states++;
}

/* ---- joined PEs ---- */

/* Copy a tally's words to where they stay. */
static void keep_words(struct sator_tiling *t, struct tiled_tally *tally)
{
    struct tiled_word *words =
            sator_arena_copy(t->arena, tally->word, sizeof *words * (size_t)tally->n);

    for (int i = 0; i < tally->n; i++)
        words[i].holder = sator_arena_copy(
                t->arena, words[i].holder, sizeof *words[i].holder * (size_t)words[i].n);
    tally->word = words;
}

/* The words of part "p" by their holders in pattern "kept", or TILING_ALL; of one stamp where
 * "behind" says how far the numbers of each source lie behind, and no pattern of time is asked.
 * Valid until the next call; below 0 of them when they cannot be counted. */
static const struct tiled_tally *find_tally(
        struct sator_tiling *t, int p, int kept, const int64_t *behind)
{
    int64_t key[3 + TILED_SOURCES] = {t->state[p], t->network->number, kept};
    size_t length = 3;
    const struct sator_decline *reason = NULL;
    struct tiled_question q;
    bool is_new;

    for (int s = 0; s < t->network->n_sources && behind != NULL; s++)
        key[length++] = behind[s];
    struct tiled_tally *tally = sator_memo_place(t->tallies, key, length, &is_new);
    if (!is_new || !tiling_state_open(t, p, t->state[p], kept, &q))
        return tally;
    tiling_network_ask(t->network, t->scratch, t->n_joined, t->joined, p, t->joined_digit, &q);
    q.behind = behind;
    if (tiled_walk(&q, &t->part[p], tally, &reason) == SATOR_OK)
        keep_words(t, tally);
    else
        tally->n = -1;
    return tally;
}

/* Multiply the words of a part, by their holders, with those of the parts before it. False when
 * there are too many kinds. */
static bool multiply(
        struct sator_tiling *t, const struct tiled_tally *tally, struct tiled_tally *product)
{
    struct tiled_question q = {
            .ctx = t->ctx, .arena = t->scratch, .nest = &t->nest, .aspect = t->network->aspect};
    const struct sator_decline *reason = NULL;

    return tiled_tally_multiply(&q, product, tally, &reason) == SATOR_OK;
}

/* Multiply the parts' words in the patterns "kept" by part. */
static bool count_crossing(struct sator_tiling *t, const int *kept, struct crossing *crossing)
{
    const struct tiling_network *network = t->network;
    struct tiled_tally product = {0};

    *crossing = (struct crossing){0};
    sator_arena_clear(t->scratch);
    for (int p = 0; p < t->n_parts; p++) {
        const struct tiled_tally *tally = find_tally(t, p, kept[p], NULL);
        if (tally->n < 0)
            return false;
        if (tally->n == 0)
            return true;
        if (!multiply(t, tally, &product))
            return false;
    }
    sator_int anew =
            tiled_tally_fetched(network->aspect, &product, network->now, &network->families);
    sator_int words =
            tiled_tally_fetched(network->aspect, &product, tiled_every_bit(), &network->families);
    *crossing = (struct crossing){(int64_t)anew, (int64_t)words};
    return anew < INT64_MAX / 4;
}

int64_t sator_tiling_entering(struct sator_tiling *t, const int64_t *const *moved)
{
    const struct tiling_network *network = t->network;
    struct tiled_tally product = {0};

    assert(t->is_whole && !network->is_unknown);
    sator_arena_clear(t->scratch);
    for (int p = 0; p < t->n_parts; p++) {
        int64_t behind[TILED_SOURCES] = {0};
        for (int s = 0; s < network->n_sources && t->part[p].is_indexed; s++)
            behind[s] = network->source[s].back == 0 ? 0 : moved[network->source[s].back - 1][p];
        const struct tiled_tally *tally = find_tally(t, p, TILING_ALL, behind);
        bool is_counted = tally->n >= 0 && multiply(t, tally, &product);
        assert(is_counted); /* nothing is declined where all is whole */
        (void)is_counted;
    }
    return (int64_t)tiled_tally_fetched(
            network->aspect, &product, tiled_every_bit(), &network->families);
}

/* The same, remembered; both are -2 when they cannot be counted. */
static struct crossing find_crossing(struct sator_tiling *t, const int *kept)
{
    int64_t key[1 + TILING_PARTS] = {t->network->number};
    bool is_new;

    for (int p = 0; p < t->n_parts; p++)
        key[1 + p] = (int64_t)t->state[p] * 2 * TILING_DIGITS + kept[p] + 1;
    struct crossing *known = sator_memo_place(t->crossings, key, 1 + (size_t)t->n_parts, &is_new);
    if (is_new && (t->network->is_unknown || !count_crossing(t, kept, known)))
        *known = (struct crossing){-2, -2};
    return *known;
}

/* ---- all parts ---- */

/* The words of all parts, each asked about its "kept". */
static int64_t ask(struct sator_tiling *t, const int *kept)
{
    int64_t words = 1;

    if (t->network != NULL && kept[0] != TILING_MOST) {
        struct crossing crossing = find_crossing(t, kept);
        if (crossing.words < 0)
            return TILING_UNKNOWN;
        return kept[0] == TILING_ALL ? crossing.anew : crossing.anew - crossing.words;
    }
    for (int p = 0; p < t->n_parts && words != 0; p++) {
        int64_t of_part = tiling_state_ask(t, p, t->state[p], kept[p]);
        if (of_part < 0 || __builtin_mul_overflow(words, of_part, &words))
            return TILING_UNKNOWN;
    }
    return words;
}

/* Ask all parts about the same. */
static int64_t ask_all(struct sator_tiling *t, int what)
{
    int kept[TILING_PARTS];

    for (int p = 0; p < t->n_parts; p++)
        kept[p] = what;
    return ask(t, kept);
}

int64_t sator_tiling_all(struct sator_tiling *t)
{
    return ask_all(t, TILING_ALL);
}

int64_t sator_tiling_most(struct sator_tiling *t)
{
    return ask_all(t, TILING_MOST);
}

/* ---- placing ---- */

static int place(struct sator_tiling *t, int loop, int kind, int64_t size)
{
    int p = t->part_of[loop];

    assert(p >= 0 && t->n_placed < TILING_DIGITS);
    t->placed[t->n_placed++] = (struct placed){p, t->state[p]};
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

/* The network of the joined digits, made when it is first asked for. */
static struct tiling_network *find_network(
        struct sator_tiling *t, const struct sator_tiling_net *net)
{
    bool is_new;
    int64_t *key = NULL;
    int n = 0;

    sator_arena_clear(t->scratch);
    SATOR_PUSH(t->scratch, key, n, t->n_joined);
    SATOR_PUSH(t->scratch, key, n, net->is_stamp ? -1 - net->number : net->n_links);
    for (int k = 0; k < t->n_joined; k++) {
        SATOR_PUSH(t->scratch, key, n, t->joined[k].loop * 4096 + t->joined[k].row);
        SATOR_PUSH(t->scratch, key, n, t->joined[k].size);
    }
    for (int i = 0; i < net->n_links && !net->is_stamp; i++) {
        SATOR_PUSH(t->scratch, key, n, net->link[i].interval);
        for (int r = 0; r < net->n_rows; r++)
            SATOR_PUSH(t->scratch, key, n, net->link[i].shift[r]);
    }
    for (int b = 0; b < net->n_buses && !net->is_stamp; b++)
        SATOR_PUSH(t->scratch, key, n, net->bus_rows[b]);
    SATOR_PUSH(t->scratch, key, n, net->held);
    int *number = sator_memo_place(t->network_of, key, (size_t)n, &is_new);
    if (!is_new)
        return t->networks[*number];
    *number = t->n_networks;
    struct tiling_network *network =
            tiling_network_new(t->arena, net, t->n_joined, t->joined, t->part);
    network->number = *number;
    SATOR_PUSH(t->arena, t->networks, t->n_networks, network);
    return network;
}

void sator_tiling_join(struct sator_tiling *t, const struct sator_tiling_net *net)
{
    t->network = find_network(t, net);
    t->is_whole = net->is_stamp;
}

int64_t sator_tiling_step(struct sator_tiling *t, int loop)
{
    int kept[TILING_PARTS], p = place(t, loop, PLACED, 0);

    for (int o = 0; o < t->n_parts; o++)
        kept[o] = 2 * t->states[t->state[o]].n_times - (o == p);
    return ask(t, kept);
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
    t->is_whole = false;
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

static void add_part(struct sator_tiling *t, const struct sator_tiling_index *index, int loop)
{
    struct tiled_part *part = &t->part[t->n_parts];

    *part = (struct tiled_part){.divisor = 1, .n_places = 1};
    if (index == NULL) {
        part->n_loops = 1;
        part->loop[0] = loop;
        t->part_of[loop] = (int8_t)t->n_parts++;
        return;
    }
    assert(index->n_loops <= TILED_PART_LOOPS);
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
}

struct sator_tiling *sator_tiling_new(struct sator_ctx *ctx, int n_loops, const int64_t *extent,
        int n_indices, const struct sator_tiling_index *index)
{
    static const int64_t origin;
    const struct sator_tiling_index constant = {.divisor = 1, .n_places = 1, .place = &origin};
    struct sator_tiling *t = sator_alloc(sizeof *t);
    int64_t tile[TILING_LOOPS];

    assert(n_loops <= TILING_LOOPS && n_indices <= TILING_PARTS - TILING_LOOPS);
    *t = (struct sator_tiling){.ctx = ctx,
            .arena = sator_arena_new(),
            .scratch = sator_arena_new(),
            .n_loops = n_loops,
            .state_room = 64,
            .numbers = sator_memo_new(sizeof(int)),
            .network_of = sator_memo_new(sizeof(int)),
            .crossings = sator_memo_new(sizeof(struct crossing)),
            .tallies = sator_memo_new(sizeof(struct tiled_tally))};
    t->states = sator_alloc(sizeof *t->states * (size_t)t->state_room);
    memset(t->part_of, -1, sizeof t->part_of);
    for (int e = 0; e < n_indices; e++)
        add_part(t, &index[e], 0);
    for (int l = 0; l < n_loops; l++) {
        t->extent[l] = extent[l];
        tile[l] = 1;
        if (t->part_of[l] < 0)
            add_part(t, NULL, l);
    }
    if (t->n_parts == 0) /* one instance, which touches a word: the product needs a factor */
        add_part(t, &constant, 0);
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
    sator_memo_free(t->tallies);
    free(t->states);
    free(t);
}
