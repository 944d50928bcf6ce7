/* Bounds where factors are chains of ceilings, so that tiles may be short at any level. */
#include "mapper/bounds/bounds_parts.h"

/* Of the positions of "loop" over which its tiles are spread outside row "row", the share that has
 * a tile at some time, at least. */
static double used_share(
        const struct mapper_problem *p, const struct mapper_shape *shape, int row, int loop)
{
    double used = 1, all = 1;

    for (int k = shape->n_digits - 1; k >= 0; k--) { /* innermost first */
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= row || digit->loop != loop)
            continue;
        int level = p->row[digit->row].level;
        int64_t pes = digit->count;
        while (k > 0 && p->row[shape->digit[k - 1].row].level == level) {
            k--;
            pes *= shape->digit[k].loop == loop ? shape->digit[k].count : 1;
        }
        double least = (double)sator_mapper_least_spread(p, digit->row, pes);
        used = least == 1 || all == 1 ? least * used : (least - 1) * all + 1;
        all *= (double)pes;
    }
    return used / all;
}

/* The steps of one side. Of a loop that does not index the tensor a tile is fetched again for each
 * step of its group, of one that does there are as many tiles as there are. */
static void find_steps_of(const struct mapper_bounds *b, const struct mapper_walk *walk,
        const struct mapper_shape *shape, const struct outside *outside, bool grouped,
        struct ragged_steps *steps)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_transfer *t = walk->transfer;

    steps->all = 1;
    for (int i = 0; i < p->n_loops; i++) {
        bool relevant = walk->access->relevant >> i & 1;
        unsigned copied = walk->is_relaxed && !relevant ? ~t->collapsed : 0;
        unsigned together = walk->shared & ~copied & mapper_rows_before(t->child_row);
        int64_t shared = grouped ? mapper_positions_on(shape, together, i) : 1;
        int64_t near = outside->near[i], tiles = outside->tiles[i];
        double pes = (double)(outside->pes[i] / shared);
        double once = used_share(p, shape, t->child_row, i);
        double all = relevant ? (double)tiles / (double)shared / pes
                              : (double)sator_mapper_blocks(tiles, shared) / pes;
        double beyond = relevant ? all / (double)near
                                 : (double)sator_mapper_blocks(tiles, shared * near) / pes;
        once = mapper_lesser(once, all);
        beyond = mapper_greater(beyond, once);
        if ((b->given.open >> i & 1) && !relevant && outside->inverse[p->n_loops + i] == 1)
            all = beyond =
                    once; /* with smaller tiles there may be steps, along which all is kept */
        steps->all *= all;
        steps->inverse[i] = beyond / all;
        steps->inverse[p->n_loops + i] = once / beyond;
    }
}

/* Whether a memory row lies between the child and a digit of "loop". */
static bool is_split(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct mapper_shape *shape, int loop)
{
    int near = t->child_row - 1;

    while (near >= 0 && p->row[near].is_space)
        near--;
    return near > 0 && mapper_positions_on(shape, mapper_rows_before(near), loop) > 1;
}

/* Where tiles may be short. Words of loops that stand alone in an index are as many as iterations,
 * whatever the tiles; others at least that share of what whole tiles would bring. */
void bounds_open_chains(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    struct mapper_walk *walk = &local->walk;
    const struct mapper_problem *p = b->problem;
    const int64_t *tile = shape->inside[walk->transfer->child_row];
    unsigned outer = mapper_rows_before(walk->transfer->child_row);

    find_steps_of(b, walk, shape, outside, true, &local->group_steps);
    find_steps_of(b, walk, shape, outside, false, &local->tile_steps);
    for (int i = 0; i < p->n_loops; i++) {
        int64_t shared = mapper_positions_on(shape, walk->shared & outer, i);
        if (walk->access->relevant >> i & 1)
            walk->scale *= (double)p->extent[i] / ((double)outside->tiles[i] * (double)tile[i]);
        else if (shared > 1)
            local->ratio_fixed &=
                    outside->tiles[i] % shared == 0 && !is_split(p, walk->transfer, shape, i);
    }
    walk->group_cover = walk->tile_cover = 0;
    unsigned near = walk->access->relevant & mapper_loops_of(p, outside->near);
    local->lone = 0;
    for (int i = 0; i < p->n_loops; i++) {
        double lone = b->given.open >> i & 1 ? 1. / 3
                                             : outside->lone[i]; /* three smaller steps at least */
        if ((near != 0 ? near : walk->access->relevant) >> i & 1)
            local->lone = mapper_greater(local->lone, lone);
    }
}

/* The product of what is left of a side's steps when all is kept along the loops "bits". */
static double steps_left(const struct ragged_steps *steps, unsigned bits)
{
    double left = steps->all;

    for (; bits != 0; bits &= bits - 1)
        left *= steps->inverse[__builtin_ctz(bits)];
    return left;
}

/* The least that crosses where tiles may be short and all is kept along the loops "bits": each word
 * once for each step of others that do not index the tensor; of a tensor that slides, once a run.
 */
static void kept_along(struct mapper_bounds *b, struct local *local, unsigned bits,
        const struct mapper_shape *shape, const struct outside *outside, double *group,
        double *tile)
{
    const struct mapper_walk *walk = &local->walk;
    int n = b->problem->n_loops;
    unsigned slides = walk->access->relevant & ~walk->access->plain;
    struct run run = {0};

    *group = walk->scale * local->group_words;
    *tile = walk->scale * local->tile_words;
    for (int i = 0; i < n; i++) {
        bool has_near = outside->inverse[i] < 1, has_far = outside->inverse[n + i] < 1;
        bool near = !has_near || bits >> i & 1, far = !has_far || bits >> (n + i) & 1;
        bool opens = b->given.open >> i & 1 && !has_far;
        if (!(slides >> i & 1))
            continue;
        run.whole |= near && far && (has_near || has_far || opens) ? 1U << i : 0;
        run.near |= near && !far && has_near ? 1U << i : 0;
    }
    if (slides != 0) {
        if (local->run_loops != (run.whole | run.near << n))
            bounds_find_run(b, local, &run, shape, outside);
        *group = local->run_group;
        *tile = local->run_tile;
        bits |= run.whole | run.whole << n;
    }
    *group *= steps_left(&local->group_steps, bits);
    *tile *= steps_left(&local->tile_steps, bits);
}

void bounds_least_of_chains(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    int n = b->problem->n_loops;
    unsigned loops = ((1U << n) - 1) & ~walk->access->plain, bits = keep->reuse;
    double group, tile, lone_group, lone_tile;

    if (walk->access->is_sliding)
        bits |= keep->halo & (loops | loops << n);
    kept_along(b, local, bits, shape, outside, &group, &tile);
    if (local->lone > 0) {
        kept_along(b, local, loops | loops << n, shape, outside, &lone_group, &lone_tile);
        group += local->lone * (mapper_lesser(lone_group, group) - group);
        tile += local->lone * (mapper_lesser(lone_tile, tile) - tile);
    }
    range->unique_lb = (double)walk->groups * group;
    range->arriving_lb = (double)walk->tiles * tile;
}
