/* The loop orders of a tiling, innermost loop first, cut by what is placed already. */
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <string.h>

/* The bound of a partial order: what is placed is exact, what is not may be kept as far as loops
 * that stand alone in an index allow. */
static struct mapper_cost order_bound(struct optimizer *o, const struct mapper_pace *pace)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share share = optimal_fixed(p);

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_walk *walk = &o->walk[t];
        double groups = (double)walk->groups, tiles = (double)walk->tiles;
        double open =
                pace[t].dead ? 0 : (double)(walk->stamps / pace[t].inside - o->plain_stamps[t]);
        double unique = (double)(walk->group_words * walk->stamps - pace[t].kept_unique);
        double arriving = (double)(walk->tile_words * walk->stamps - pace[t].kept_arriving);
        double stamps = (double)(walk->stamps / pace[t].still); /* that may bring fewer words */
        struct mapper_range range = {
                .unique_ub = groups * unique,
                .unique_lb = groups * walk->scale *
                        (unique - open * (double)walk->group_words - stamps * walk->group_loss),
                .arriving_ub = tiles * arriving,
                .arriving_lb = tiles * walk->scale *
                        (arriving - open * (double)walk->tile_words - stamps * walk->tile_loss),
        };
        if (walk->access->is_sliding) {
            range.unique_lb = fmax(range.unique_lb, groups * (double)walk->group_cover);
            range.arriving_lb = fmax(range.arriving_lb, tiles * (double)walk->tile_cover);
        } else
            range.ratio = tiles * (double)walk->tile_words / (groups * (double)walk->group_words);
        sator_mapper_share_transfer(p, t, &range, &share);
    }
    return optimal_cost(o, &share);
}

static void finish_order(struct optimizer *o, const struct mapper_pace *pace)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_traffic traffic = {.time_stamps = 1};

    if (sator_mapper_is_ragged(p, &o->mapping, ~0U)) {
        sator_mapper_count(p, o->search->words, &o->mapping, &traffic);
        o->search->counters.evaluated++;
        sator_mapper_offer(o->search, &o->mapping, sator_mapper_cost(p, &traffic));
        return;
    }
    for (int t = 0; t < p->n_transfers; t++) {
        traffic.unique[t] = sator_mapper_unique(&o->walk[t], &pace[t]);
        traffic.arriving[t] = sator_mapper_arriving(&o->walk[t], &pace[t]);
    }
    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops; i++)
            traffic.time_stamps *= o->mapping.factor[p->memory[m].row][i];
    }
    o->search->counters.evaluated++;
    sator_mapper_offer(o->search, &o->mapping, sator_mapper_cost(p, &traffic));
}

/* Put the loops not in "placed" outside, in any order: it does not matter. */
static void append_rest(struct optimizer *o, int m, unsigned placed, int n_placed)
{
    int n_loops = o->problem->n_loops;

    for (int i = 0; i < n_loops; i++) {
        if (!(placed >> i & 1))
            o->mapping.order[m][n_loops - 1 - n_placed++] = (int8_t)i;
    }
}

/* Which transfers still care for the loops of memory row "m". */
static unsigned alive_at(const struct optimizer *o, int m, const struct mapper_pace *pace)
{
    unsigned alive = 0;

    for (int t = 0; t < o->problem->n_transfers; t++) {
        if (o->problem->transfer[t].child_row > o->problem->memory[m].row && !pace[t].dead)
            alive |= 1U << t;
    }
    return alive;
}

/* Whether "loop" indexes nothing alive and nothing alive has moved: placing it next costs nothing.
 */
static bool is_harmless(
        const struct optimizer *o, unsigned alive, const struct mapper_pace *pace, int loop)
{
    for (int t = 0; t < o->problem->n_transfers; t++) {
        if ((alive >> t & 1) && (pace[t].moved || (o->walk[t].access->relevant >> loop & 1)))
            return false;
    }
    return true;
}

static void order_from(struct optimizer *o, int m, unsigned placed, int n_placed, int depth);

static void place_loop(
        struct optimizer *o, int m, unsigned placed, int n_placed, int depth, int loop)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    struct mapper_pace *pace = o->pace[depth + 1];

    memcpy(pace, o->pace[depth], sizeof *pace * (size_t)p->n_transfers);
    for (int t = 0; t < p->n_transfers; t++) {
        if (p->transfer[t].child_row > row)
            sator_mapper_pace_place(&o->walk[t], o->search->words, &pace[t], loop,
                    o->mapping.factor[row][loop], o->shape.inside[row + 1][loop]);
    }
    o->mapping.order[m][p->n_loops - 1 - n_placed] = (int8_t)loop;
    order_from(o, m, placed | 1U << loop, n_placed + 1, depth + 1);
}

static void order_from(struct optimizer *o, int m, unsigned placed, int n_placed, int depth)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_pace *pace = o->pace[depth];
    unsigned left = 0;

    if (sator_mapper_should_stop(o->search))
        return;
    o->search->counters.orders++;
    unsigned alive = alive_at(o, m, pace);
    for (int i = 0; i < p->n_loops; i++)
        left |= o->mapping.factor[p->memory[m].row][i] > 1 && !(placed >> i & 1) ? 1U << i : 0;
    if (left == 0 || alive == 0) {
        append_rest(o, m, placed, n_placed);
        if (m == 0) {
            finish_order(o, pace);
            return;
        }
        order_from(o, m - 1, 0, 0, depth);
        return;
    }
    struct mapper_cost bound = order_bound(o, pace);
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_order++;
        return;
    }
    left = sator_mapper_innermost_of(p, p->memory[m].row, left);
    for (int i = 0; i < p->n_loops; i++) {
        if ((left >> i & 1) && is_harmless(o, alive, pace, i)) {
            place_loop(o, m, placed, n_placed, depth, i);
            return;
        }
    }
    for (int i = 0; i < p->n_loops; i++) {
        if (left >> i & 1)
            place_loop(o, m, placed, n_placed, depth, i);
    }
}

/* Say how much shorter the last tiles of a transfer are. */
static void cut_walk(struct optimizer *o, int t)
{
    const struct mapper_problem *p = o->problem;
    int child_row = o->walk[t].transfer->child_row;
    int64_t outside[MAPPER_LOOPS];

    for (int i = 0; i < p->n_loops; i++) {
        outside[i] = 1;
        o->cut[t][i] = o->shape.inside[child_row][i];
        for (int r = 0; r < child_row; r++) {
            o->cut[t][i] *= o->mapping.factor[r][i];
            outside[i] *= p->row[r].is_space ? 1 : o->mapping.factor[r][i];
        }
        o->cut[t][i] -= p->extent[i];
    }
    sator_mapper_walk_cut(&o->walk[t], o->search->words, &o->shape, o->cut[t], outside);
}

void optimal_try_orders(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->mapping, &o->shape);
    for (int t = 0; t < p->n_transfers; t++) {
        sator_mapper_walk_init(p, o->search->words, &o->shape, t, &o->walk[t]);
        sator_mapper_walk_stamps(&o->walk[t], &o->mapping);
        sator_mapper_pace_init(&o->pace[0][t]);
        if (o->imperfect)
            cut_walk(o, t);
        if (o->walk[t].access->is_sliding)
            sator_mapper_walk_cover(&o->walk[t], o->search->words, &o->shape);
        o->plain_stamps[t] = 1;
        for (int r = 0; r < o->walk[t].transfer->child_row; r++) {
            for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++) {
                if (o->walk[t].access->plain >> i & 1)
                    o->plain_stamps[t] *= o->mapping.factor[r][i];
            }
        }
    }
    order_from(o, p->n_memories - 1, 0, 0, 0);
}
