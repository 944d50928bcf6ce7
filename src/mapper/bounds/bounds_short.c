/* What mappings whose last tiles are shorter move on average (doc/mapper.md, "Factors that do not
 * divide an extent"): by whether each of an index's loops stands at its last digits, where its tile
 * is short.
 */
#include "mapper/bounds/bounds_short.h"

#include <assert.h>

int64_t bounds_lost_values(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, int part, bool is_only)
{
    const struct mapper_index *index = &walk->access->index[e];
    struct mapper_steps alone = *steps;
    int64_t positions = 1, cut = walk->cut[index->loop[part]];

    assert(0 <= cut && cut < steps->tile[part]);
    for (int k = 0; k < steps->n_spread; k++)
        positions *= steps->spread_part[k] == part ? 1 : steps->spread_count[k];
    alone.n_spread = 0;
    int64_t whole = sator_mapper_words_union(words, walk->transfer->access, e, &alone);
    if (!is_only && index->closed != 2) { /* it may lack more where others are short */
        sator_int most = (sator_int)whole * cut + steps->tile[part] - 1;
        return positions * (int64_t)(most / steps->tile[part]);
    }
    alone.tile[part] -= cut;
    return positions * (whole - sator_mapper_words_union(words, walk->transfer->access, e, &alone));
}

static bool is_spread(const struct mapper_steps *steps, int part)
{
    bool any = false;

    for (int k = 0; k < steps->n_spread; k++)
        any |= steps->spread_part[k] == part;
    return any;
}

/* The values that are new, at the least, when the loops "last" stand at their last tiles. Where all
 * positions have a short tile and had it before, it is a tile like any other. */
static int64_t new_values(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, unsigned last, const struct mapper_single_step *step)
{
    const struct mapper_index *index = &walk->access->index[e];
    int access = walk->transfer->access;
    struct mapper_steps now = *steps;
    unsigned lost = 0; /* parts of which only some have it */

    for (int i = 0; i < index->n_parts; i++) {
        int64_t cut = last >> i & 1 ? walk->cut[index->loop[i]] : 0;
        if (is_spread(steps, i) || (step != NULL && step->loop == index->loop[i]))
            lost |= cut > 0 ? 1U << i : 0;
        else
            now.tile[i] -= cut;
    }
    int64_t values = sator_mapper_words_union(words, access, e, &now);
    if (step != NULL)
        values -= sator_mapper_words_kept(words, access, e, &now, step->shift);
    for (unsigned left = lost; left != 0; left &= left - 1)
        values -= bounds_lost_values(
                walk, words, e, &now, __builtin_ctz(left), (lost & (lost - 1)) == 0);
    return values > 0 ? values : 0;
}

/* Over the cases which of its loops stand at their last tiles. */
double bounds_mean_new(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, const double *rate, const struct mapper_single_step *step)
{
    const struct mapper_index *index = &walk->access->index[e];
    unsigned short_parts = 0, last = 0;
    double mean = 0;

    for (int i = 0; i < index->n_parts; i++)
        short_parts |= walk->cut[index->loop[i]] > 0 ? 1U << i : 0;
    do {
        double share = 1;
        for (int i = 0; i < index->n_parts; i++) {
            int loop = index->loop[i];
            double often = short_parts >> i & 1 ? rate[loop] : 0;
            bool steps_here = step != NULL && step->loop == loop;
            share *= last >> i & 1 ? often : (steps_here ? step->often : 1) - often;
        }
        assert(share <= 1);
        if (share > 0)
            mean += share * (double)new_values(walk, words, e, steps, last, step);
        last = (last - short_parts) & short_parts; /* the next set of these */
    } while (last != 0);
    return mean;
}

void bounds_cut_walk(struct mapper_walk *walk, struct mapper_words *words,
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
                bounds_mean_new(walk, words, e, &walk->steps[e], walk->group_rate, NULL);
        walk->tile_mean[e] = bounds_mean_new(walk, words, e, &alone, walk->tile_rate, NULL);
    }
}
