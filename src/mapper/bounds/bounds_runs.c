/* What crosses at the least in a run: between two steps of loops that stand alone in an index. */
#include "mapper/bounds/bounds_parts.h"

/* How the parallel digits of a loop are shared in a transfer. */
struct spread {
    bool any, all_shared; /* any digits; all of them by one group */
    bool contiguous; /* positions of a group are neighbours */
};

static struct spread spread_of(
        const struct mapper_walk *walk, const struct mapper_shape *shape, int loop)
{
    const struct mapper_transfer *t = walk->transfer;
    struct spread spread = {.any = false, .all_shared = true, .contiguous = true};
    bool outer_shared = false;

    for (int k = 0; k < shape->n_digits; k++) { /* outermost first */
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= t->child_row || digit->loop != loop)
            continue;
        bool shared = walk->shared >> digit->row & 1;
        spread.any = true;
        spread.all_shared &= shared;
        spread.contiguous &= shared || !outer_shared;
        outer_shared |= shared;
    }
    return spread;
}

/* The steps of index "e" for a group, and for a tile alone, in a run. */
static void steps_of_run(const struct mapper_bounds *b, const struct local *local, int e,
        const struct run *run, const struct mapper_shape *shape, const struct outside *outside,
        struct mapper_steps *group, struct mapper_steps *alone)
{
    const struct mapper_walk *walk = &local->walk;
    const struct mapper_index *index = &walk->access->index[e];
    bool spreads = walk->steps[e].n_spread > 0;

    *group = *alone = (struct mapper_steps){.n_spread = 0};
    for (int i = 0; i < index->n_parts; i++) {
        int loop = index->loop[i];
        int64_t extent = b->problem->extent[loop];
        struct spread spread = spread_of(walk, shape, loop);
        if (run->whole >> loop & 1) {
            group->tile[i] = spread.all_shared ? extent : 1;
            alone->tile[i] = spread.any ? 1 : extent;
            continue;
        }
        group->tile[i] = alone->tile[i] = walk->steps[e].tile[i];
        if ((run->near >> loop & 1) && !spread.any) {
            int64_t steps = group->tile[i] * outside->near[loop];
            group->tile[i] = alone->tile[i] = steps < extent ? steps : extent;
        }
        for (int k = 0; k < shape->n_digits && spreads && spread.contiguous; k++) {
            const struct mapper_digit *digit = &shape->digit[k];
            if (digit->row >= walk->transfer->child_row || digit->loop != loop ||
                    !(walk->shared >> digit->row & 1))
                continue;
            group->spread_step[group->n_spread] =
                    index->coef[i] * shape->inside[digit->row + 1][loop];
            group->spread_count[group->n_spread++] = digit->count;
        }
    }
}

/* The words that cross at the least in a run: each word that is touched, since nothing was kept
 * before. Of the loops that are open the largest tiles are in the shape. As many runs bring no
 * fewer words with smaller ones: a tile's values grow with it, but each step adds no more than the
 * one before, so values over size only fall; the number of runs is one over the sizes. The same
 * holds where the last tile is short. */
void bounds_find_run(struct mapper_bounds *b, struct local *local, const struct run *run,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_walk *walk = &local->walk;
    double share = 1;

    local->run_group = local->run_tile = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        struct mapper_steps group, alone;
        if (walk->access->index[e].closed == 1) {
            local->run_group *= (double)walk->group_values[e];
            local->run_tile *= (double)walk->tile_values[e];
            continue;
        }
        steps_of_run(b, local, e, run, shape, outside, &group, &alone);
        local->run_group *=
                (double)sator_mapper_words_union(b->words, walk->transfer->access, e, &group);
        local->run_tile *=
                (double)sator_mapper_words_union(b->words, walk->transfer->access, e, &alone);
    }
    for (int i = 0; i < p->n_loops && p->imperfect; i++) { /* the last tile is short */
        double tile = (double)shape->inside[walk->transfer->child_row][i];
        double covered = p->chains ? (double)outside->tiles[i] * tile
                                   : (double)(p->extent[i] + outside->cut[i]);
        if ((walk->access->relevant >> i & 1) && !(run->whole >> i & 1))
            share *= (double)p->extent[i] / covered;
    }
    local->run_group *= share;
    local->run_tile *= share;
    local->run_loops = run->whole | run->near << p->n_loops;
}

/* The least that crosses when loops of a sliding index are open: each run by itself. */
void bounds_least_of_runs(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    int n_loops = b->problem->n_loops;
    unsigned loops = (1U << n_loops) - 1;
    struct run run = {.whole = keep->halo >> n_loops & loops}; /* nothing is near */
    double runs = outside->stamps;

    for (unsigned left = run.whole; left != 0; left &= left - 1)
        runs *= outside->inverse[n_loops + __builtin_ctz(left)];
    for (int i = 0; i < n_loops; i++) /* with a smaller tile it may be in a run */
        run.whole |= outside->far[i] == 1 ? b->given.open & 1U << i : 0;
    run.whole &= walk->access->relevant & ~walk->access->plain;
    if (local->run_loops != run.whole)
        bounds_find_run(b, local, &run, shape, outside);
    range->unique_lb = (double)walk->groups * runs * local->run_group;
    range->arriving_lb = (double)walk->tiles * runs * local->run_tile;
}
