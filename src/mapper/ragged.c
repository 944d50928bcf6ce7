/* Mappings whose last tiles are smaller (doc/mapper.md, "Factors that do not divide an extent").
 *
 * Transfers are tilings (tilings.c), but for words that pass from PE to PE. There the factors
 * outside the innermost row multiply to the number of tiles, so every combination of them occurs,
 * and only the last tile of a loop is cut short: the one where the loop's digits outside, over time
 * and over PEs, all stand at their greatest. So cases are counted: whether each of an index's loops
 * stands at its last digits, now and in the stamp before.
 */
#include "count/tiled/tiling.h"
#include "mapper/cost.h"

#include <assert.h>

/* ---- on average ---- */

/* The mean values of index "e": over the cases which of its loops stand at their last tiles. */
static double mean_values(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, const double *rate)
{
    const struct mapper_index *index = &walk->access->index[e];
    double mean = 0;

    for (unsigned last = 0; last < 1U << index->n_parts; last++) {
        int64_t cut[MAPPER_PARTS] = {0};
        double share = 1;
        for (int i = 0; i < index->n_parts; i++) {
            bool is_cut = walk->cut[index->loop[i]] > 0;
            bool is_last = last >> i & 1;
            cut[i] = is_last ? walk->cut[index->loop[i]] : 0;
            share *= !is_cut ? !is_last : is_last ? rate[index->loop[i]] : 1 - rate[index->loop[i]];
        }
        assert(share <= 1);
        if (share > 0)
            mean += share *
                    (double)sator_mapper_words_union_cut(
                            words, walk->transfer->access, e, steps, cut);
    }
    return mean;
}

void sator_mapper_walk_cut(struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_shape *shape, const int64_t *cut, const int64_t *outside)
{
    const struct mapper_problem *p = walk->problem;
    unsigned sliding = 0;

    walk->cut = cut;
    for (int i = 0; i < p->n_loops; i++) {
        assert(cut[i] >= 0 && outside[i] >= 1);
        walk->group_rate[i] = walk->tile_rate[i] = 1 / (double)outside[i];
        if (cut[i] == 0 || !(walk->access->relevant >> i & 1))
            continue;
        if (walk->access->plain >> i & 1) /* each value is in one tile */
            walk->scale *= (double)p->extent[i] / (double)(p->extent[i] + cut[i]);
        else
            sliding |= 1U << walk->access->index_of[i];
    }
    walk->tile_scale = walk->scale;
    for (int k = 0; k < shape->n_digits && sliding != 0; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= walk->transfer->child_row)
            break; /* rows ascend */
        walk->tile_rate[digit->loop] /= (double)digit->count;
        if (!(walk->shared >> digit->row & 1))
            walk->group_rate[digit->loop] /= (double)digit->count;
    }
    for (int e = 0; e < walk->access->n_indices; e++) {
        struct mapper_steps alone = walk->steps[e];
        alone.n_spread = 0;
        walk->group_mean[e] = (double)walk->group_values[e];
        walk->tile_mean[e] = (double)walk->tile_values[e];
        if (!(sliding >> e & 1))
            continue;
        walk->group_mean[e] = mean_values(walk, words, e, &walk->steps[e], walk->group_rate);
        walk->tile_mean[e] = mean_values(walk, words, e, &alone, walk->tile_rate);
    }
}

/* ---- one transfer ---- */

static void open_transfer(struct mapper_ragged *ragged, const struct mapper_walk *walk,
        struct mapper_words *words, const struct mapper_shape *shape,
        const struct mapper_mapping *mapping, bool grouped, const struct mapper_alone *alone,
        bool stays)
{
    const struct mapper_problem *p = walk->problem;
    int child_row = walk->transfer->child_row;

    ragged->walk = walk;
    ragged->words = words;
    ragged->tiling = NULL;
    if (!grouped || !walk->passes)
        ragged->tiling = sator_mapper_tiling_open(sator_mapper_words_tilings(words), mapping, shape,
                (int)(walk->transfer - p->transfer), walk->shared, grouped, alone, stays);
    for (int i = 0; i < p->n_loops; i++) {
        int64_t tiles = shape->inside[child_row][i];
        bool whole = false;
        ragged->apart[i] = ragged->outer[i] = ragged->inner[i] = 1;
        ragged->fall[i] = 0;
        for (int r = 0; r < child_row; r++) {
            int64_t factor = mapping->factor[r][i];
            tiles *= factor;
            if (!p->row[r].is_space)
                ragged->outer[i] *= factor;
            else if (alone != NULL && r < alone->row)
                whole |= factor > 1 && !(alone->last >> i & 1);
            else if (!grouped || !(walk->shared >> r & 1))
                ragged->apart[i] *= factor;
        }
        ragged->cut[i] = whole ? 0 : tiles - p->extent[i];
        assert(ragged->cut[i] >= 0);
    }
}

void sator_mapper_ragged_init(struct mapper_ragged *ragged, const struct mapper_walk *walk,
        struct mapper_words *words, const struct mapper_shape *shape,
        const struct mapper_mapping *mapping, bool grouped)
{
    open_transfer(ragged, walk, words, shape, mapping, grouped, NULL, true);
}

/* Words that pass from PE to PE, cases of all sliding indices together: what stays of the values of
 * these over all steps of "loop", or all of them, as in sum_index. */
struct passing_sum {
    const struct mapper_ragged *ragged;
    int loop;
    int64_t factor, step;
    int64_t shift[MAPPER_INDICES];
    struct mapper_cuts cuts;
};

static sator_int sum_cases(struct passing_sum *s, int e, sator_int times)
{
    const struct mapper_ragged *r = s->ragged;
    const struct mapper_access *access = r->walk->access;
    sator_int sum = 0;

    while (e < access->n_indices && access->index[e].closed == 1)
        e++;
    if (e == access->n_indices) {
        int64_t all = sator_mapper_entering_cut(r->words, r->walk, NULL, &s->cuts);
        return times *
                (s->loop < 0 ? all
                             : all -
                                        sator_mapper_entering_cut(
                                                r->words, r->walk, s->shift, &s->cuts));
    }
    const struct mapper_index *index = &access->index[e];
    for (unsigned last = 0; last < 1U << index->n_parts; last++) {
        sator_int here = times;
        for (int i = 0; i < index->n_parts; i++) {
            int part = index->loop[i];
            bool is_last = last >> i & 1;
            int64_t cases = r->outer[part] * r->apart[part];
            cases *= part == s->loop ? s->factor - 1 : 1;
            here *= is_last ? 1 : cases - 1;
            s->cuts.now[e][i] = is_last && r->inner[part] == 1 ? r->cut[part] : 0;
            s->cuts.before[e][i] = is_last && part != s->loop && s->loop >= 0 ? r->cut[part] : 0;
        }
        if (here != 0)
            sum += sum_cases(s, e + 1, here);
    }
    return sum;
}

static sator_int sum_passing(const struct mapper_ragged *r, int loop, int64_t factor, int64_t step)
{
    const struct mapper_access *access = r->walk->access;
    struct passing_sum s = {.ragged = r, .loop = loop, .factor = factor, .step = step};

    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        for (int i = 0; i < index->n_parts && loop >= 0; i++) {
            int part = index->loop[i];
            s.shift[e] += index->coef[i] * ((part == loop ? step : 0) - r->fall[part]);
        }
    }
    return sum_cases(&s, 0, 1);
}

/* Words that pass: the product over loops that index nothing, those that stand alone in an index,
 * whose tiles share nothing, and all others together. */
static int64_t sum_all(const struct mapper_ragged *r, int loop, int64_t factor, int64_t step)
{
    const struct mapper_access *access = r->walk->access;
    sator_int product = 1;

    for (int i = 0; i < r->walk->problem->n_loops; i++) {
        if (access->plain >> i & 1) {
            bool moved = loop >= 0 && (r->inner[i] > 1 || i == loop);
            int64_t values = r->walk->group_values[access->index_of[i]];
            product *= moved ? 0 : r->outer[i] * r->apart[i] * values - r->cut[i];
        } else if (!(access->relevant >> i & 1)) {
            product *= r->outer[i] * r->apart[i];
            product *= i == loop ? factor - 1 : 1;
        }
    }
    return product == 0 ? 0 : (int64_t)(product * sum_passing(r, loop, factor, step));
}

/* Unless it is known, nothing crosses: the mapping is not costed in the end. */
static int64_t known(int64_t words)
{
    return words == TILING_UNKNOWN ? 0 : words;
}

int64_t sator_mapper_ragged_all(const struct mapper_ragged *ragged)
{
    return ragged->tiling != NULL ? known(sator_tiling_all(ragged->tiling))
                                  : sum_all(ragged, -1, 1, 0);
}

int64_t sator_mapper_ragged_place(
        struct mapper_ragged *ragged, int loop, int64_t factor, int64_t step)
{
    if (ragged->tiling != NULL)
        return known(sator_tiling_step(ragged->tiling, loop));
    assert(ragged->outer[loop] % factor == 0);
    ragged->outer[loop] /= factor;
    int64_t kept = sum_all(ragged, loop, factor, step);
    ragged->inner[loop] *= factor;
    ragged->fall[loop] += step * (factor - 1);
    return kept;
}

void sator_mapper_ragged_unplace(
        struct mapper_ragged *ragged, int loop, int64_t factor, int64_t step)
{
    if (ragged->tiling != NULL) {
        sator_tiling_back(ragged->tiling);
        return;
    }
    ragged->outer[loop] *= factor;
    assert(ragged->inner[loop] % factor == 0);
    ragged->inner[loop] /= factor;
    ragged->fall[loop] -= step * (factor - 1);
}

int64_t sator_mapper_ragged_words(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, bool grouped,
        const struct mapper_alone *alone)
{
    const struct mapper_problem *p = walk->problem;
    struct mapper_ragged ragged;

    open_transfer(&ragged, walk, words, shape, mapping, grouped, alone, false);
    int64_t sum = sator_mapper_ragged_all(&ragged);
    for (int r = walk->transfer->child_row - 1; r >= 0; r--) {
        for (int k = p->n_loops - 1; k >= 0 && !p->row[r].is_space; k--) {
            int loop = mapping->order[p->row[r].memory][k];
            if (mapping->factor[r][loop] > 1)
                sum -= sator_mapper_ragged_place(
                        &ragged, loop, mapping->factor[r][loop], shape->inside[r + 1][loop]);
        }
    }
    return sum;
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

bool sator_mapper_is_cut(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    unsigned relevant = problem->access[t->access].relevant;

    for (int i = 0; i < problem->n_loops && problem->imperfect; i++) {
        int64_t tile = shape->inside[t->child_row][i], outside = 1;
        for (int r = 0; r < t->child_row; r++)
            outside *= mapping->factor[r][i];
        if (outside != sator_mapper_blocks(problem->extent[i], tile) ||
                ((relevant >> i & 1) && outside * tile != problem->extent[i]))
            return true;
    }
    return false;
}

void sator_mapper_count_ragged(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_traffic *traffic)
{
    int transfer = (int)(walk->transfer - walk->problem->transfer);

    if (!walk->passes) {
        sator_mapper_count_tiling(
                sator_mapper_words_tilings(words), mapping, shape, transfer, walk->shared, traffic);
        return;
    }
    traffic->unique[transfer] = sator_mapper_ragged_words(walk, words, mapping, shape, true, NULL);
    traffic->arriving[transfer] = walk->shared == 0
            ? traffic->unique[transfer]
            : sator_mapper_ragged_words(walk, words, mapping, shape, false, NULL);
}
