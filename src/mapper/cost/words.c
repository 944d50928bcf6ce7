/* How many values an index takes over a tile, and how many of them the tile before it took too.
 *
 * An index is a sum of loops with coefficients, so a tile's values are a sum of arithmetic
 * progressions. One loop, or two whose values leave no gap, have closed forms; the rest (strides
 * beyond the window, three loops, halos between parallel tiles, values that are vectors) are sets
 * of runs, counted once and remembered.
 */
#include "mapper/cost/words.h"
#include "base/checked.h"
#include "base/memo.h"
#include "count/tiled/value_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct mapper_words {
    const struct mapper_problem *problem;
    struct sator_memo *numbers; /* int64_t, by words.c's keys and passing.c's */
    struct {
        void *state; /* made when it is asked for; NULL: not yet */
        void (*free)(void *state);
    } kept[MAPPER_KEEPERS];
};

struct mapper_words *sator_mapper_words_new(const struct mapper_problem *problem)
{
    struct mapper_words *words = sator_alloc(sizeof *words);

    *words = (struct mapper_words){.problem = problem};
    words->numbers = sator_memo_new(sizeof(int64_t));
    return words;
}

void sator_mapper_words_free(struct mapper_words *words)
{
    if (words == NULL)
        return;
    sator_memo_free(words->numbers);
    for (int k = 0; k < MAPPER_KEEPERS; k++) {
        if (words->kept[k].state != NULL)
            words->kept[k].free(words->kept[k].state);
    }
    free(words);
}

void *sator_mapper_words_state(struct mapper_words *words, enum mapper_keeper keeper,
        void *(*make)(const struct mapper_problem *problem), void (*free)(void *state))
{
    if (words->kept[keeper].state == NULL) {
        words->kept[keeper].state = make(words->problem);
        words->kept[keeper].free = free;
    }
    return words->kept[keeper].state;
}

const struct mapper_problem *sator_mapper_words_problem(const struct mapper_words *words)
{
    return words->problem;
}

int64_t *sator_mapper_words_place(
        struct mapper_words *words, const int64_t *key, int length, bool *is_new)
{
    return sator_memo_place(words->numbers, key, (size_t)length, is_new);
}

/* ---- sets ---- */

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* What is asked of the sets. */
enum question {
    UNION, /* values of all positions */
    KEPT, /* after a shift */
    MOST_KEPT /* after one of several shifts */
};

static void add_positions(struct sator_value_set *set, const struct mapper_steps *steps)
{
    for (int i = steps->n_spread - 1; i >= 0; i--) /* short steps, which join runs, are last */
        sator_value_set_add(set, steps->spread_step[i], steps->spread_count[i]);
}

/* Set "set" (to be freed) to the values of "tile" from 0 on. */
static void open_set(
        const struct mapper_index *index, const int64_t *tile, struct sator_value_set *set)
{
    const int64_t zero = 0;
    int longest = 0;

    for (int i = 1; i < index->n_parts; i++) {
        if (tile[i] > tile[longest])
            longest = i;
    }
    int64_t modulus = index->n_parts == 0 ? 1 : magnitude(index->coef[longest]);
    if (index->joint == NULL)
        sator_value_set_init(set, modulus, 1, &zero);
    else
        sator_value_set_init(set, modulus, index->joint->n_places, index->joint->place);
    for (int i = 0; i < index->n_parts; i++) { /* the longest first: it makes the runs */
        int part = (longest + i) % index->n_parts;
        sator_value_set_add(set, index->coef[part], tile[part]);
    }
}

/* The values of one tile, and of all positions where "steps" spread it (both TAKE: free). */
static void open_tile(const struct mapper_index *index, const struct mapper_steps *steps,
        struct sator_value_set *tile, struct sator_value_set *all)
{
    open_set(index, steps->tile, tile);
    *all = (struct sator_value_set){.modulus = tile->modulus};
    sator_value_set_unite(all, tile, 0);
    add_positions(all, steps);
}

static bool share(const struct mapper_steps *steps)
{
    return steps->n_spread > 0 && steps->any;
}

/* Of the values of all positions, those that every position which touches them also touched when
 * it stood "shift" lower; with "any", those that some position touched then. */
static int64_t count_kept(const struct sator_value_set *tile, const struct sator_value_set *all,
        const struct mapper_steps *steps, int64_t shift)
{
    struct sator_value_set fresh; /* for some position */
    bool any = share(steps);
    const struct sator_value_set *touched = any ? all : tile;
    int64_t kept = 0;

    sator_value_set_leave(touched, touched, shift, &fresh);
    if (sator_value_set_size(&fresh) < sator_value_set_size(touched)) { /* else nothing is */
        if (!any)
            add_positions(&fresh, steps);
        kept = sator_value_set_size(all) - sator_value_set_size(&fresh);
    }
    sator_value_set_free(&fresh);
    assert(0 <= kept && kept <= sator_value_set_size(all));
    return kept;
}

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

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The distances, each once, that "moves" allows and after which something may be
 * kept (GIVE: free). One of two opposite ones will do where they are mirror images. */
static int64_t *distances(const struct mapper_index *index, const struct mapper_steps *steps,
        const struct mapper_moves *moves, int64_t *count)
{
    int64_t last = reach(index, steps), n = 0, distinct = 0;
    int64_t *list =
            sator_alloc(sizeof *list * (size_t)(2 * moves->most[0] * (2 * moves->most[1] + 1) + 1));

    int64_t step = magnitude(moves->shift[1]);
    for (int64_t i = 1; i <= moves->most[0]; i++) {
        int64_t base = i * moves->shift[0], least = -moves->most[1], most = moves->most[1];
        if (step != 0) { /* only j that lead to -last ... last */
            int64_t low = -sator_floor_div(last + base, step);
            int64_t high = sator_floor_div(last - base, step);
            least = low > least ? low : least;
            most = high < most ? high : most;
        }
        for (int64_t j = least; j <= most; j++) {
            int64_t shift = base + j * step;
            if ((moves->both && j == 0) || magnitude(shift) > last)
                continue;
            list[n++] = shift;
            if (index->joint != NULL) /* whose places need have no mirror image */
                list[n++] = -shift;
        }
    }
    assert(n <= 2 * moves->most[0] * (2 * moves->most[1] + 1));
    qsort(list, (size_t)n, sizeof *list, by_value);
    for (int64_t k = 0; k < n; k++) {
        if (k == 0 || list[k] != list[k - 1])
            list[distinct++] = list[k];
    }
    *count = distinct;
    return list;
}

static int64_t most_kept(const struct mapper_index *index, const struct mapper_steps *steps,
        const struct mapper_moves *moves, const struct sator_value_set *tile,
        const struct sator_value_set *all)
{
    int64_t n_distances, most = 0;
    int64_t *distance = distances(index, steps, moves, &n_distances);

    for (int64_t k = 0; k < n_distances; k++) {
        int64_t kept = count_kept(tile, all, steps, distance[k]);
        most = kept > most ? kept : most;
    }
    free(distance);
    return most;
}

static int64_t count_values(const struct mapper_index *index, const struct mapper_steps *steps,
        const struct mapper_moves *moves, enum question question)
{
    struct sator_value_set tile, all;

    open_tile(index, steps, &tile, &all);
    int64_t count = question == UNION ? sator_value_set_size(&all)
            : question == KEPT        ? count_kept(&tile, &all, steps, moves->shift[0])
                                      : most_kept(index, steps, moves, &tile, &all);
    sator_value_set_free(&tile);
    sator_value_set_free(&all);
    assert(count >= (question == UNION));
    return count;
}

static int64_t remembered(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const struct mapper_moves *moves, enum question question)
{
    const struct mapper_index *what = &words->problem->access[access].index[index];
    int64_t key[MAPPER_KEY];
    int at = 0;

    key[at++] = access * MAPPER_INDICES + index;
    key[at++] = ((int)question * 2 + share(steps)) * (MAPPER_SPREADS + 1) +
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
    assert(at <= MAPPER_KEY);
    bool is_new;
    int64_t *value = sator_mapper_words_place(words, key, at, &is_new);
    if (is_new)
        *value = count_values(what, steps, moves, question);
    return *value;
}

/* ---- closed forms ---- */

/* Whether a tile of two loops has no gaps: every multiple of the greatest common divisor. */
static bool is_gapless(const struct mapper_index *index, const int64_t *tile, int64_t values)
{
    return index->closed == 2 &&
            values == index->reduced[0] * (tile[0] - 1) + index->reduced[1] * (tile[1] - 1) + 1;
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

    assert(left <= MAPPER_SPREADS);
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

/* The least number of values that an index with a divisor takes over the tiles of all spread
 * positions, wherever they are. */
static int64_t least_quotients(const struct mapper_index *index, const struct mapper_steps *steps)
{
    int64_t d = index->divisor, width = 0;
    bool used[MAPPER_SPREADS] = {false};

    assert(index->is_core && d > 0);
    for (int i = 0; i < index->n_parts; i++)
        width += llabs(index->coef[i]) * (steps->tile[i] - 1);
    for (int k = 0; k < steps->n_spread; k++) { /* the nearest places first */
        int next = -1;
        for (int i = 0; i < steps->n_spread; i++) {
            if (!used[i] &&
                    (next < 0 || llabs(steps->spread_step[i]) < llabs(steps->spread_step[next])))
                next = i;
        }
        assert(next >= 0);
        used[next] = true;
        if (llabs(steps->spread_step[next]) > width + d)
            break; /* values may lie between them that none takes */
        width += llabs(steps->spread_step[next]) * (steps->spread_count[next] - 1);
    }
    return width / d + 1;
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
        return what->divisor == 0 ? 1 : least_quotients(what, steps);
    if (what->closed == 2) {
        if (steps->n_spread == 0)
            return sator_mapper_pair(what, steps->tile[0], steps->tile[1]);
        if (merge_spread(what, steps, tile))
            return sator_mapper_pair(what, tile[0], tile[1]);
    }
    return remembered(words, access, index, steps, NULL, UNION);
}

int64_t sator_mapper_words_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, int64_t shift)
{
    const struct mapper_index *what = &words->problem->access[access].index[index];

    if (shift == 0)
        return sator_mapper_words_union(words, access, index, steps);
    if (what->closed == 1)
        return 0; /* shifts are multiples of the tile */
    if (what->is_core)
        return sator_mapper_words_union(words, access, index, steps);
    if (what->joint == NULL && magnitude(shift) > reach(what, steps))
        return 0;
    if (what->closed == 2 && steps->n_spread == 0 && llabs(what->coef[0]) == what->reduced[0]) {
        int64_t values = sator_mapper_pair(what, steps->tile[0], steps->tile[1]);
        if (is_gapless(what, steps->tile, values))
            return values - magnitude(shift);
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

    assert(moves->most[0] >= 0 && moves->most[1] >= 0);
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
        return sator_mapper_words_union(words, access, index, steps);
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

    return what->closed == 2 && !share(steps) &&
            is_gapless(what, steps->tile, sator_mapper_pair(what, steps->tile[0], steps->tile[1]));
}
