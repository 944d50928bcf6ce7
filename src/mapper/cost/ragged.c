/* Mappings whose last tiles are smaller (doc/mapper.md, "Factors that do not divide an extent").
 *
 * Their transfers are counted as tilings (tilings.c). Bounds go by whether each of an index's loops
 * stands at its last digits, where its tile is short.
 */
#include "mapper/cost/cost.h"
#include "mapper/problem/invariants.h"

#include <assert.h>

/* ---- on average ---- */

/* Over the cases which of its loops stand at their last tiles. */
double sator_mapper_mean_new(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, const double *rate, const struct mapper_single_step *step)
{
    const struct mapper_index *index = &walk->access->index[e];
    int access = walk->transfer->access;
    double mean = 0;

    for (unsigned last = 0; last < 1U << index->n_parts; last++) {
        int64_t now[MAPPER_PARTS] = {0}, before[MAPPER_PARTS] = {0};
        double share = 1;
        for (int i = 0; i < index->n_parts; i++) {
            int loop = index->loop[i];
            bool is_last = last >> i & 1, steps_here = step != NULL && step->loop == loop;
            double often = walk->cut[loop] > 0 ? rate[loop] : 0;
            now[i] = is_last ? walk->cut[loop] : 0;
            before[i] = steps_here ? 0 : now[i];
            share *= is_last ? often : (steps_here ? step->often : 1) - often;
        }
        assert(share <= 1);
        if (share <= 0)
            continue;
        int64_t values = sator_mapper_words_union_cut(words, access, e, steps, now);
        if (step != NULL)
            values -=
                    sator_mapper_words_kept_cut(words, access, e, steps, now, before, step->shift);
        mean += share * (double)values;
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
        walk->group_mean[e] =
                sator_mapper_mean_new(walk, words, e, &walk->steps[e], walk->group_rate, NULL);
        walk->tile_mean[e] = sator_mapper_mean_new(walk, words, e, &alone, walk->tile_rate, NULL);
    }
}

/* ---- what is cut ---- */

bool sator_mapper_is_ragged(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned loops)
{
    for (int i = 0; i < problem->n_loops && problem->imperfect; i++) {
        if ((loops >> i & 1) && mapper_covered(problem, mapping, i) != problem->extent[i])
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
