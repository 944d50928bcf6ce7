/* Tilings whose last tile is smaller (doc/mapper.md, "Factors that do not divide an extent").
 *
 * The factors outside the innermost row multiply to the number of tiles, so every combination of
 * them occurs, and only the last tile of a loop is cut short: the one where the loop's digits
 * outside, over time and over PEs, all stand at their greatest. A loop that stands alone in its
 * index then brings as many words as the index has values, whatever the tiling. An index that adds
 * loops is counted by cases: whether each of its loops stands at its last digits, now and in the
 * stamp before.
 */
#include "mapper/mapper.h"

#include <stdlib.h>
#include <string.h>

int sator_mapper_tiles(struct sator_arena *arena, int64_t n, const int64_t **tiles)
{
    int64_t *list = NULL;
    int count = 0;

    for (int64_t tile = 1; tile <= n;) { /* the least tile of each number of tiles */
        SATOR_PUSH(arena, list, count, tile);
        int64_t number = (n + tile - 1) / tile;
        if (number == 1)
            break;
        tile = (n + number - 2) / (number - 1);
    }
    *tiles = list;
    return count;
}

/* ---- the values of one index ---- */

/* An index of a transfer: the tiles of its loops, how much shorter the last is, and the parallel
 * digits that share words. */
struct ragged_index {
    struct mapper_words *words;
    const struct mapper_index *index;
    int access, number; /* of the index */
    struct mapper_steps steps; /* tiles; the digits that share words */
    int part_of[MAPPER_SPREADS]; /* of each of these digits */
    int64_t lowest; /* value of a tile that starts at 0 */
    int64_t length; /* values between its lowest and greatest */
};

/* Mark the values of the tile whose parts in "cut_parts" are shorter by "cut". */
static unsigned char *mark_cut(const struct ragged_index *r, unsigned cut_parts, const int64_t *cut)
{
    unsigned char *map = sator_alloc((size_t)r->length);
    int64_t *since = sator_alloc(sizeof *since * (size_t)r->length);

    memset(map, 0, (size_t)r->length);
    map[-r->lowest] = 1;
    for (int i = 0; i < r->index->n_parts; i++) {
        int64_t step = r->index->coef[i], size = r->steps.tile[i];
        size -= cut_parts >> i & 1 ? cut[i] : 0;
        /* from each value marked, size - 1 steps on */
        for (int64_t k = 0; k < r->length; k++) {
            int64_t v = step > 0 ? k : r->length - 1 - k, from = v - step;
            bool reached = from >= 0 && from < r->length && since[from] >= 0;
            since[v] = map[v] ? 0 : reached && since[from] + 1 < size ? since[from] + 1 : -1;
        }
        for (int64_t v = 0; v < r->length; v++)
            map[v] = since[v] >= 0;
    }
    free(since);
    return map;
}

/* Where the tile at a parallel position starts, and the parts at whose last position it stands. */
static int64_t position_of(const struct ragged_index *r, int64_t position, unsigned *last)
{
    int64_t start = 0;

    *last = (1U << r->index->n_parts) - 1;
    for (int s = 0; s < r->steps.n_spread; s++) {
        int64_t k = position % r->steps.spread_count[s];
        position /= r->steps.spread_count[s];
        start += k * r->steps.spread_step[s];
        if (k != r->steps.spread_count[s] - 1)
            *last &= ~(1U << r->part_of[s]);
    }
    return start;
}

enum {
    CASES = 1 << MAPPER_PARTS
};

/* The values that all positions touch now, "cut_now" short at their last ones; of these, with
 * "only_kept", those that each position that touches them also touched when it stood "shift" lower
 * and was "cut_before" short. */
static int64_t count_cut(const struct ragged_index *r, const int64_t *cut_now,
        const int64_t *cut_before, int64_t shift, bool only_kept)
{
    unsigned char *now[CASES] = {NULL}, *before[CASES] = {NULL};
    int64_t positions = 1, least = 0, most = 0, touched = 0, kept = 0;

    for (int s = 0; s < r->steps.n_spread; s++) {
        int64_t reach = (r->steps.spread_count[s] - 1) * r->steps.spread_step[s];
        positions *= r->steps.spread_count[s];
        least += reach < 0 ? reach : 0;
        most += reach > 0 ? reach : 0;
    }
    size_t size = (size_t)(most - least + r->length);
    unsigned char *state = sator_alloc(size); /* 0 untouched, 1 kept by all, 2 not */
    memset(state, 0, size);
    for (int64_t p = 0; p < positions; p++) {
        unsigned last;
        int64_t start = position_of(r, p, &last) - least;
        if (now[last] == NULL) {
            now[last] = mark_cut(r, last, cut_now);
            before[last] = mark_cut(r, last, cut_before);
        }
        for (int64_t v = 0; v < r->length; v++) {
            if (!now[last][v])
                continue;
            int64_t old = v + shift;
            bool stays = old >= 0 && old < r->length && before[last][old];
            unsigned char *s = &state[start + v];
            *s = !stays ? 2 : *s == 0 ? 1 : *s;
        }
    }
    for (size_t v = 0; v < size; v++) {
        touched += state[v] != 0;
        kept += state[v] == 1;
    }
    for (int k = 0; k < CASES; k++) {
        free(now[k]);
        free(before[k]);
    }
    free(state);
    return only_kept ? kept : touched;
}

static bool any_cut(const struct ragged_index *r, const int64_t *cut)
{
    bool any = false;

    for (int i = 0; i < r->index->n_parts; i++)
        any |= cut[i] != 0;
    return any;
}

static int64_t values_of(const struct ragged_index *r, const int64_t *cut)
{
    if (r->index->n_parts == 1) {
        int64_t values = r->steps.tile[0];
        for (int s = 0; s < r->steps.n_spread; s++)
            values *= r->steps.spread_count[s];
        return values - cut[0];
    }
    if (!any_cut(r, cut))
        return sator_mapper_words_union(r->words, r->access, r->number, &r->steps);
    return count_cut(r, cut, cut, 0, false);
}

static int64_t kept_of(const struct ragged_index *r, const int64_t *cut_now,
        const int64_t *cut_before, int64_t shift, bool moved)
{
    if (!moved)
        return values_of(r, cut_now);
    if (r->index->n_parts == 1)
        return 0; /* tiles of one loop share nothing */
    if (!any_cut(r, cut_now) && !any_cut(r, cut_before))
        return sator_mapper_words_kept(r->words, r->access, r->number, &r->steps, shift);
    return count_cut(r, cut_now, cut_before, shift, true);
}

/* ---- one transfer ---- */

struct time_digit {
    int loop;
    int64_t factor, weight;
};

/* The loops around one transfer. */
struct ragged {
    const struct mapper_problem *problem;
    const struct mapper_transfer *transfer;
    const struct mapper_access *access;
    struct ragged_index index[MAPPER_INDICES];
    int n_digits; /* temporal, innermost first */
    struct time_digit digit[MAPPER_ROWS * MAPPER_LOOPS];
    int64_t cut[MAPPER_LOOPS]; /* how much shorter the last tile is */
    int64_t apart[MAPPER_LOOPS]; /* parallel positions that share no words */
    int64_t outer[MAPPER_LOOPS], inner[MAPPER_LOOPS]; /* temporal factors around a step */
    int64_t fall[MAPPER_LOOPS]; /* how far a loop's inner digits fall back at the step */
};

static void open_index(struct ragged *g, struct mapper_words *words,
        const struct mapper_shape *shape, int e, unsigned shared)
{
    struct ragged_index *r = &g->index[e];
    const struct mapper_index *index = &g->access->index[e];

    *r = (struct ragged_index){.words = words,
            .index = index,
            .access = g->transfer->access,
            .number = e,
            .length = 1};
    for (int i = 0; i < index->n_parts; i++) {
        r->steps.tile[i] = shape->inside[g->transfer->child_row][index->loop[i]];
        int64_t reach = index->coef[i] * (r->steps.tile[i] - 1);
        r->lowest += reach < 0 ? reach : 0;
        r->length += reach < 0 ? -reach : reach;
    }
    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= g->transfer->child_row || !(shared >> digit->row & 1))
            continue;
        for (int i = 0; i < index->n_parts; i++) {
            if (index->loop[i] != digit->loop)
                continue;
            r->part_of[r->steps.n_spread] = i;
            r->steps.spread_step[r->steps.n_spread] =
                    index->coef[i] * shape->inside[digit->row + 1][digit->loop];
            r->steps.spread_count[r->steps.n_spread++] = digit->count;
        }
    }
}

static void open_ragged(struct ragged *g, const struct mapper_problem *p,
        struct mapper_words *words, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer, unsigned shared)
{
    g->problem = p;
    g->transfer = &p->transfer[transfer];
    g->access = &p->access[g->transfer->access];
    g->n_digits = 0;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t tiles = shape->inside[g->transfer->child_row][i];
        g->apart[i] = 1;
        for (int r = 0; r < g->transfer->child_row; r++) {
            tiles *= mapping->factor[r][i];
            if (p->row[r].is_space && !(shared >> r & 1))
                g->apart[i] *= mapping->factor[r][i];
        }
        g->cut[i] = tiles - p->extent[i];
    }
    for (int r = g->transfer->child_row - 1; r >= 0; r--) {
        for (int k = p->n_loops - 1; k >= 0 && !p->row[r].is_space; k--) {
            int loop = mapping->order[p->row[r].memory][k];
            if (mapping->factor[r][loop] > 1)
                g->digit[g->n_digits++] = (struct time_digit){
                        loop, mapping->factor[r][loop], shape->inside[r + 1][loop]};
        }
    }
    for (int e = 0; e < g->access->n_indices; e++)
        open_index(g, words, shape, e, shared);
}

/* The words of index "e" that stay, over all steps of "digit" (NULL: the words of all stamps). Each
 * case says which of the index's loops stand at their last digits outside; the loop that steps does
 * so in its last step only. */
static sator_int sum_index(const struct ragged *g, int e, const struct time_digit *digit)
{
    const struct ragged_index *r = &g->index[e];
    const struct mapper_index *index = r->index;
    sator_int sum = 0;
    int64_t shift = 0;
    bool moved = false;

    for (int i = 0; i < index->n_parts && digit != NULL; i++) {
        int loop = index->loop[i];
        moved |= g->inner[loop] > 1 || loop == digit->loop;
        shift += index->coef[i] * ((loop == digit->loop ? digit->weight : 0) - g->fall[loop]);
    }
    for (unsigned last = 0; last < 1U << index->n_parts; last++) {
        int64_t now[MAPPER_PARTS] = {0}, before[MAPPER_PARTS] = {0};
        sator_int times = 1;
        for (int i = 0; i < index->n_parts; i++) {
            int loop = index->loop[i];
            int64_t cases = g->outer[loop] * g->apart[loop];
            bool steps = digit != NULL && loop == digit->loop;
            cases *= steps ? digit->factor - 1 : 1;
            times *= last >> i & 1 ? 1 : cases - 1;
            if (!(last >> i & 1))
                continue;
            now[i] = g->inner[loop] == 1 ? g->cut[loop] : 0;
            before[i] = steps ? 0 : g->cut[loop];
        }
        if (times == 0)
            continue;
        sum += times * (digit == NULL ? values_of(r, now) : kept_of(r, now, before, shift, moved));
    }
    return sum;
}

/* The product over all indices, and over the loops that index nothing. */
static sator_int sum_all(const struct ragged *g, const struct time_digit *digit)
{
    sator_int product = 1;

    for (int i = 0; i < g->problem->n_loops; i++) {
        if (g->access->relevant >> i & 1)
            continue;
        product *= g->outer[i] * g->apart[i];
        if (digit != NULL && digit->loop == i)
            product *= digit->factor - 1;
    }
    for (int e = 0; e < g->access->n_indices && product != 0; e++)
        product *= sum_index(g, e, digit);
    return product;
}

static int64_t crossing(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        unsigned shared)
{
    struct ragged *g = sator_alloc(sizeof *g);

    open_ragged(g, p, words, mapping, shape, transfer, shared);
    for (int i = 0; i < p->n_loops; i++) {
        g->outer[i] = g->inner[i] = 1;
        g->fall[i] = 0;
    }
    for (int k = 0; k < g->n_digits; k++)
        g->outer[g->digit[k].loop] *= g->digit[k].factor;
    sator_int sum = sum_all(g, NULL);
    for (int k = 0; k < g->n_digits; k++) {
        const struct time_digit *digit = &g->digit[k];
        g->outer[digit->loop] /= digit->factor;
        sum -= sum_all(g, digit);
        g->inner[digit->loop] *= digit->factor;
        g->fall[digit->loop] += digit->weight * (digit->factor - 1);
    }
    free(g);
    return (int64_t)sum;
}

bool sator_mapper_is_ragged(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned loops)
{
    for (int i = 0; i < problem->n_loops && problem->imperfect; i++) {
        int64_t product = 1;
        for (int r = 0; r < problem->n_rows; r++)
            product *= mapping->factor[r][i];
        if ((loops >> i & 1) && product != problem->extent[i])
            return true;
    }
    return false;
}

void sator_mapper_count_ragged(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        struct mapper_traffic *traffic)
{
    unsigned shared = problem->transfer[transfer].collapsed;

    traffic->unique[transfer] = crossing(problem, words, mapping, shape, transfer, shared);
    traffic->arriving[transfer] = crossing(problem, words, mapping, shape, transfer, 0);
}
