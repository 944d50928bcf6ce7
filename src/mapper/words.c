/* How many values an index takes over a tile, and how many of them the tile before it took too.
 *
 * An index is a sum of loops with coefficients, so a tile's values are a sum of arithmetic
 * progressions. One loop, or two whose values leave no gap, have closed forms; the rest (strides
 * beyond the window, three loops, halos between parallel tiles) are marked in a byte map once and
 * remembered; joint.c marks values that are vectors.
 */
#include "mapper/mapper.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 1024
};

struct entry {
    int64_t value;
    uint64_t hash; /* 0: free */
    int length;
    int64_t key[MAPPER_KEY];
};

struct mapper_words {
    const struct mapper_problem *problem;
    struct entry *entries;
    size_t n_slots, n_used;
    struct mapper_counting *counting; /* made when it is needed */
};

struct mapper_words *sator_mapper_words_new(const struct mapper_problem *problem)
{
    struct mapper_words *words = sator_alloc(sizeof *words);

    *words = (struct mapper_words){.problem = problem, .n_slots = FIRST_SLOTS};
    words->entries = calloc(words->n_slots, sizeof *words->entries);
    if (words->entries == NULL)
        abort();
    return words;
}

void sator_mapper_words_free(struct mapper_words *words)
{
    if (words == NULL)
        return;
    free(words->entries);
    sator_mapper_counting_free(words->counting);
    free(words);
}

struct mapper_counting *sator_mapper_words_counting(struct mapper_words *words)
{
    if (words->counting == NULL)
        words->counting = sator_mapper_counting_new(words->problem);
    return words->counting;
}

const struct mapper_problem *sator_mapper_words_problem(const struct mapper_words *words)
{
    return words->problem;
}

/* ---- memory ---- */

static uint64_t hash_key(const int64_t *key, int n)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);

    for (int i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)key[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash | 1;
}

static struct entry *find(
        struct entry *entries, size_t n_slots, uint64_t hash, const int64_t *key, int length)
{
    size_t slot = hash & (n_slots - 1);

    while (entries[slot].hash != 0 &&
            (entries[slot].hash != hash || entries[slot].length != length ||
                    memcmp(entries[slot].key, key, sizeof *key * (size_t)length) != 0))
        slot = (slot + 1) & (n_slots - 1);
    return &entries[slot];
}

static void grow(struct mapper_words *words)
{
    size_t n_slots = words->n_slots * 2;
    struct entry *entries = calloc(n_slots, sizeof *entries);

    if (entries == NULL)
        abort();
    for (size_t i = 0; i < words->n_slots; i++) {
        const struct entry *old = &words->entries[i];
        if (old->hash != 0)
            *find(entries, n_slots, old->hash, old->key, old->length) = *old;
    }
    free(words->entries);
    words->entries = entries;
    words->n_slots = n_slots;
}

int64_t *sator_mapper_words_place(
        struct mapper_words *words, const int64_t *key, int length, bool *known)
{
    uint64_t hash = hash_key(key, length);
    struct entry *entry = find(words->entries, words->n_slots, hash, key, length);

    *known = entry->hash != 0;
    if (*known)
        return &entry->value;
    if ((words->n_used + 1) * 2 > words->n_slots) {
        grow(words);
        entry = find(words->entries, words->n_slots, hash, key, length);
    }
    words->n_used++;
    entry->hash = hash;
    entry->length = length;
    memcpy(entry->key, key, sizeof *key * (size_t)length);
    return &entry->value;
}

/* ---- marking ---- */

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* Mark the values of a tile, lowest at 0 (a negative coefficient mirrors its progression, which
 * only moves the set); returns the number of places. */
static int64_t mark_tile(
        const struct mapper_index *index, const int64_t *tile, unsigned char **marks)
{
    int64_t last = 0;

    for (int i = 0; i < index->n_parts; i++)
        last += magnitude(index->coef[i]) * (tile[i] - 1);
    unsigned char *map = sator_alloc((size_t)last + 1);
    memset(map, 0, (size_t)last + 1);
    map[0] = 1;
    int64_t reach = 0;
    for (int i = 0; i < index->n_parts; i++) {
        int64_t step = magnitude(index->coef[i]);
        reach += step * (tile[i] - 1);
        /* a run of tile[i] - 1 steps from each value marked so far: upward, in steps of one */
        int64_t *since = sator_alloc(sizeof *since * (size_t)(reach + 1));
        for (int64_t v = 0; v <= reach; v++) {
            since[v] = map[v] ? 0 : v >= step && since[v - step] >= 0 ? since[v - step] + 1 : -1;
            if (since[v] >= tile[i])
                since[v] = -1;
        }
        for (int64_t v = 0; v <= reach; v++)
            map[v] = since[v] >= 0;
        free(since);
    }
    *marks = map;
    return last + 1;
}

/* The positions of the parallel tiles (GIVE: free). */
static int64_t *positions(const struct mapper_steps *steps, int64_t *count)
{
    *count = 1;
    for (int i = 0; i < steps->n_spread; i++)
        *count *= steps->spread_count[i];
    int64_t *list = sator_alloc(sizeof *list * (size_t)*count);
    int64_t made = 1;
    list[0] = 0;
    for (int i = 0; i < steps->n_spread; i++) {
        for (int64_t k = 1; k < steps->spread_count[i]; k++) {
            for (int64_t j = 0; j < made; j++)
                list[k * made + j] = list[j] + k * magnitude(steps->spread_step[i]);
        }
        made *= steps->spread_count[i];
    }
    return list;
}

/* States of a value over the positions that touch it: untouched, always kept, some time new. */
static void mark_positions(const unsigned char *tile, int64_t n_tile, const int64_t *position,
        int64_t n_positions, int64_t shift, unsigned char *state)
{
    for (int64_t p = 0; p < n_positions; p++) {
        for (int64_t v = 0; v < n_tile; v++) {
            if (!tile[v])
                continue;
            int64_t before = v + shift;
            bool kept = before >= 0 && before < n_tile && tile[before];
            unsigned char *s = &state[position[p] + v];
            *s = !kept ? 2 : *s == 0 ? 1 : *s;
        }
    }
}

/* Of the values touched at all, those that any position touched when it stood "shift" lower. */
static int64_t count_any_kept(const unsigned char *state, int64_t n_state, int64_t shift)
{
    int64_t kept = 0;

    for (int64_t v = 0; v < n_state; v++) {
        int64_t before = v + shift;
        kept += state[v] != 0 && before >= 0 && before < n_state && state[before] != 0;
    }
    return kept;
}

static int64_t count_marked(const struct mapper_index *index, const struct mapper_steps *steps,
        int64_t shift, bool only_kept)
{
    unsigned char *tile;
    int64_t n_positions, kept = 0, touched = 0;
    int64_t n_tile = mark_tile(index, steps->tile, &tile);
    int64_t *position = positions(steps, &n_positions);
    int64_t n_state = n_tile;

    for (int64_t p = 0; p < n_positions; p++) {
        if (position[p] + n_tile > n_state)
            n_state = position[p] + n_tile;
    }
    unsigned char *state = sator_alloc((size_t)n_state);
    memset(state, 0, (size_t)n_state);
    mark_positions(tile, n_tile, position, n_positions, shift, state);
    for (int64_t v = 0; v < n_state; v++) {
        touched += state[v] != 0;
        kept += state[v] == 1;
    }
    if (only_kept && sator_mapper_steps_share(steps))
        kept = count_any_kept(state, n_state, shift);
    free(state);
    free(position);
    free(tile);
    return only_kept ? kept : touched;
}

/* What is asked of the byte map. */
enum question {
    UNION, /* values of all positions */
    KEPT, /* after a shift */
    MOST_KEPT /* after one of several shifts */
};

/* How far the values of the tile reach, with "any" those of all positions. */
static int64_t reach(const struct mapper_index *index, const struct mapper_steps *steps)
{
    int64_t last = index->joint == NULL ? 0 : index->joint->places_reach;

    for (int i = 0; i < index->n_parts; i++)
        last += magnitude(index->coef[i]) * (steps->tile[i] - 1);
    for (int i = 0; i < steps->n_spread && steps->any; i++)
        last += magnitude(steps->spread_step[i]) * (steps->spread_count[i] - 1);
    return last;
}

static int64_t count_values(const struct mapper_index *index, const struct mapper_steps *steps,
        int64_t shift, bool only_kept)
{
    return index->joint == NULL ? count_marked(index, steps, shift, only_kept)
                                : sator_mapper_joint_count(index, steps, shift, only_kept);
}

/* The most that a move keeps of those that "moves" allows. */
static int64_t most_kept(const struct mapper_index *index, const struct mapper_steps *steps,
        const struct mapper_moves *moves)
{
    int64_t last = reach(index, steps), most = 0;
    unsigned char *tried = sator_alloc((size_t)(2 * last + 1));
    memset(tried, 0, (size_t)(2 * last + 1));
    for (int64_t i = 1; i <= moves->most[0]; i++) { /* and the other way: mirror images */
        for (int64_t j = -moves->most[1]; j <= moves->most[1]; j++) {
            int64_t shift = i * moves->shift[0] + j * moves->shift[1];
            if ((moves->both && j == 0) || magnitude(shift) > last || tried[last + shift])
                continue;
            tried[last + shift] = 1;
            int64_t kept = count_values(index, steps, shift, true);
            if (index->joint != NULL) { /* whose places need have no mirror image */
                int64_t back = count_values(index, steps, -shift, true);
                kept = back > kept ? back : kept;
            }
            most = kept > most ? kept : most;
        }
    }
    free(tried);
    return most;
}

static int64_t remembered(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const struct mapper_moves *moves, enum question question)
{
    const struct mapper_index *what = &words->problem->access[access].index[index];
    int64_t key[MAPPER_KEY];
    int at = 0;

    key[at++] = access * MAPPER_INDICES + index;
    key[at++] = ((int)question * 2 + sator_mapper_steps_share(steps)) * (MAPPER_SPREADS + 1) +
            steps->n_spread; /* and so the length */
    key[at++] = question == MOST_KEPT && moves->both;
    for (int i = 0; i < 2 && question != UNION; i++) {
        key[at++] = moves->shift[i];
        key[at++] = moves->most[i];
    }
    for (int i = 0; i < what->n_parts; i++)
        key[at++] = steps->tile[i];
    for (int i = 0; i < steps->n_spread; i++) {
        key[at++] = steps->spread_step[i];
        key[at++] = steps->spread_count[i];
    }
    bool known;
    int64_t *value = sator_mapper_words_place(words, key, at, &known);
    if (!known && question == MOST_KEPT)
        *value = most_kept(what, steps, moves);
    else if (!known)
        *value =
                count_values(what, steps, question == KEPT ? moves->shift[0] : 0, question == KEPT);
    return *value;
}

/* ---- closed forms ---- */

/* Whether a tile of two loops has no gaps: every multiple of the greatest common divisor. */
static bool is_gapless(const struct mapper_index *index, const int64_t *tile, int64_t values)
{
    return index->closed == 2 &&
            values == index->reduced[0] * (tile[0] - 1) + index->reduced[1] * (tile[1] - 1) + 1;
}

/* The parallel steps as one progression of "count" steps; false when they are none. */
static bool one_progression(const struct mapper_steps *steps, int64_t *step, int64_t *count)
{
    int64_t step_of[MAPPER_SPREADS] = {1}, count_of[MAPPER_SPREADS] = {1};
    int n = steps->n_spread;

    for (int i = 0; i < n; i++) { /* ascending steps */
        int64_t s = magnitude(steps->spread_step[i]);
        int at = i;
        for (; at > 0 && step_of[at - 1] > s; at--) {
            step_of[at] = step_of[at - 1];
            count_of[at] = count_of[at - 1];
        }
        step_of[at] = s;
        count_of[at] = steps->spread_count[i];
    }
    *step = step_of[0];
    *count = 1;
    for (int i = 0; i < n; i++) {
        if (step_of[i] != *step * *count)
            return false;
        *count *= count_of[i];
    }
    return true;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tile's extents with spread steps that continue a part merged into it; false when some do not.
 */
static bool merge_spread(
        const struct mapper_index *index, const struct mapper_steps *steps, int64_t *tile)
{
    bool used[MAPPER_SPREADS] = {false};
    int left = steps->n_spread;

    for (int i = 0; i < index->n_parts; i++)
        tile[i] = steps->tile[i];
    for (bool progress = true; left > 0 && progress;) {
        progress = false;
        for (int s = 0; s < steps->n_spread; s++) {
            for (int i = 0; i < index->n_parts && !used[s]; i++) {
                if (magnitude(steps->spread_step[s]) != magnitude(index->coef[i]) * tile[i])
                    continue;
                tile[i] *= steps->spread_count[s];
                used[s] = progress = true;
                left--;
            }
        }
    }
    return left == 0;
}

int64_t sator_mapper_words_union(
        struct mapper_words *words, int access, int index, const struct mapper_steps *steps)
{
    const struct mapper_index *what = &words->problem->access[access].index[index];
    int64_t tile[MAPPER_PARTS];

    if (what->closed == 1) { /* one loop's digits: no two positions share a value */
        int64_t values = steps->tile[0];
        for (int i = 0; i < steps->n_spread; i++)
            values *= steps->spread_count[i];
        return values;
    }
    if (what->is_core)
        return 1;
    if (what->closed == 2) {
        if (steps->n_spread == 0)
            return sator_mapper_pair(what, steps->tile[0], steps->tile[1]);
        if (merge_spread(what, steps, tile))
            return sator_mapper_pair(what, tile[0], tile[1]);
    }
    return remembered(words, access, index, steps, NULL, UNION);
}

/* Gapless tiles of "length" at the positions of one progression, each "shift" > 0 further than
 * before: new at each position are its last "shift" values. */
static int64_t kept_gapless(int64_t length, int64_t step, int64_t count, int64_t shift)
{
    int64_t values = length + (count - 1) * least(step, length);

    return values - (shift + (count - 1) * least(step, shift));
}

int64_t sator_mapper_words_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, int64_t shift)
{
    const struct mapper_index *what = &words->problem->access[access].index[index];
    int64_t step, count;

    if (shift == 0)
        return sator_mapper_words_union(words, access, index, steps);
    if (what->closed == 1)
        return 0; /* shifts are multiples of the tile */
    if (what->is_core)
        return 1;
    if (what->joint == NULL && magnitude(shift) > reach(what, steps))
        return 0;
    if (what->closed == 2 && llabs(what->coef[0]) == what->reduced[0] &&
            !sator_mapper_steps_share(steps)) {
        int64_t values = sator_mapper_pair(what, steps->tile[0], steps->tile[1]);
        if (is_gapless(what, steps->tile, values) && one_progression(steps, &step, &count))
            return kept_gapless(values, step, count, magnitude(shift));
    }
    return remembered(words, access, index, steps, &(struct mapper_moves){.shift = {shift}}, KEPT);
}

/* The least of the moves, either way: of each multiple of one shift with the nearest of the other.
 */
static int64_t least_move(const struct mapper_moves *moves)
{
    int by = moves->most[1] <= moves->most[0] ? 1 : 0; /* the one with fewer multiples */
    int64_t step = magnitude(moves->shift[1 - by]), most = moves->most[1 - by];
    int64_t best = INT64_MAX;

    for (int64_t k = by == 0 || moves->both ? 1 : 0; k <= moves->most[by]; k++) {
        int64_t base = k * magnitude(moves->shift[by]); /* against the other shift */
        int64_t near = step == 0 ? 0 : least(base / step, most);
        if (near == 0 && (by == 1 || moves->both)) /* the other one moves, too */
            near = 1;
        if (near > most)
            continue;
        best = least(best, magnitude(base - near * step));
        if (near < most)
            best = least(best, magnitude(base - (near + 1) * step));
    }
    return best;
}

int64_t sator_mapper_words_most_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const struct mapper_moves *moves)
{
    if (words->problem->access[access].index[index].is_core)
        return 1;
    if (!sator_mapper_words_gapless(words, access, index, steps))
        return remembered(words, access, index, steps, moves, MOST_KEPT);
    int64_t move = moves->most[1] == 0 && !moves->both ? moves->shift[0] : least_move(moves);
    return move == INT64_MAX ? 0 /* there is none */
                             : sator_mapper_words_kept(words, access, index, steps, move);
}

bool sator_mapper_words_gapless(
        struct mapper_words *words, int access, int index, const struct mapper_steps *steps)
{
    const struct mapper_index *what = &words->problem->access[access].index[index];

    return what->closed == 2 && !sator_mapper_steps_share(steps) &&
            is_gapless(what, steps->tile, sator_mapper_pair(what, steps->tile[0], steps->tile[1]));
}
