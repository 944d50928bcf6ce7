/* Bounds for a known tile: the least over the classes of loop orders outside it
 * (order_classes.h).
 *
 * A sliding index may share its halo from its first loop on, at every step at most as much as
 * between neighbours, until a loop steps that stands alone in an index.
 */
#include "mapper/bounds.h"
#include "mapper/order_classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LEAVES = 256,
    ANY_SLIDE = -2 /* in place of a loop: anything may be kept */
};
struct mapper_bounds {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    unsigned open; /* loops whose tiles are not known */
    struct order_table orders[MAPPER_MEMORIES + 1]; /* by child */
};

/* ---- shares ---- */

void sator_mapper_share_add(const struct mapper_problem *problem, struct mapper_share *sum,
        const struct mapper_share *part)
{
    sum->pj += part->pj;
    for (int m = 0; m < problem->n_memories; m++) {
        sum->read_bits[m] += part->read_bits[m];
        sum->write_bits[m] += part->write_bits[m];
    }
}

double sator_mapper_cycles(
        const struct mapper_problem *problem, double compute, const struct mapper_share *share)
{
    double slowest = compute, scratchpad = 0;

    for (int m = 0; m < problem->n_memories; m++) {
        const struct mapper_memory *memory = &problem->memory[m];
        double read = share->read_bits[m] / memory->read_bits;
        double write = share->write_bits[m] / memory->write_bits;
        if (read > slowest) /* false for a bandwidth that is not given: no limit */
            slowest = read;
        if (write > slowest)
            slowest = write;
        if (m == problem->scratchpad)
            scratchpad = compute + (read > 0 ? read : 0) + (write > 0 ? write : 0);
    }
    return problem->overlaps ? slowest : fmax(slowest, scratchpad);
}

/* The least of unique x a + arriving x b. */
static double least_pj(const struct mapper_transfer *t, const struct mapper_range *r)
{
    double a = t->unique_pj, b = t->arriving_pj;

    if (r->ratio > 0) {
        double both = a + b * r->ratio;
        return both * (both >= 0 ? r->unique_lb : r->unique_ub);
    }
    double apart = a * (a >= 0 ? r->unique_lb : r->unique_ub) +
            b * (b >= 0 ? r->arriving_lb : r->arriving_ub);
    /* arriving >= unique: what the buses spare is not negative */
    double together = b >= 0 ? (a + b) * (a + b >= 0 ? r->unique_lb : r->unique_ub) : apart;
    return apart > together ? apart : together;
}

void sator_mapper_share_transfer(const struct mapper_problem *problem, int transfer,
        const struct mapper_range *range, struct mapper_share *share)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    bool is_output = access->role == SATOR_WRITE;
    double bits = access->word_bits;

    share->pj += least_pj(t, range);
    share->read_bits[t->parent] += range->unique_lb * bits;
    if (is_output)
        share->write_bits[t->parent] += range->unique_lb * bits;
    if (t->child < problem->n_memories)
        share->write_bits[t->child] += (is_output ? range->unique_lb : range->arriving_lb) * bits;
    if (t->into_own) {
        double merged = range->ratio > 0 ? (range->ratio - 1) * range->unique_ub
                                         : range->arriving_ub - range->unique_lb;
        share->read_bits[t->child] -= merged * bits;
    }
}
struct mapper_bounds *sator_mapper_bounds_new(
        const struct mapper_problem *problem, struct mapper_words *words)
{
    struct mapper_bounds *b = sator_alloc(sizeof *b);

    *b = (struct mapper_bounds){.problem = problem, .words = words};
    for (int child = 0; child <= problem->n_memories; child++)
        sator_mapper_order_table_init(&b->orders[child], problem, child);
    return b;
}

void sator_mapper_bounds_free(struct mapper_bounds *b)
{
    if (b == NULL)
        return;
    for (int child = 0; child <= b->problem->n_memories; child++)
        sator_mapper_order_table_free(&b->orders[child]);
    free(b);
}

/* ---- a known tile ---- */

/* One transfer while it is bounded. */
struct local {
    struct mapper_walk walk;
    double group_words, tile_words; /* of a stamp; with short last tiles, on average */
    bool is_open; /* some loops of its sliding indices are */
    unsigned run_loops; /* those that the figures below are for: see find_run */
    double run_group, run_tile;
    bool ratio_fixed; /* no sliding index: arriving / unique is the same whatever is kept */
    struct known_slide { /* by the loop that moves the tile; whether it is alone in its index */
        bool known;
        double rare; /* of its stamps, those in which another loop steps, at most */
        double step_group, step_tile; /* words of its steps, at least, a stamp on average */
        double any_group, any_tile; /* words when it moves by any number of steps, at least */
    } slide[2 * MAPPER_LOOPS][2];
};

/* Whether a memory row lies between the child and a row over which words are shared: its factors,
 * and with them the distance between the shared tiles, are not known yet. */
static bool has_gap(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    bool memory = false;

    for (int r = t->child_row - 1; r > p->memory[t->parent].row; r--) {
        memory |= !p->row[r].is_space;
        if (memory && (t->collapsed >> r & 1))
            return true;
    }
    return false;
}

/* The loops outside a tile. */
struct outside {
    const int64_t *near, *far; /* factors by loop */
    double inverse[2 * MAPPER_LOOPS]; /* of the factors, by bit */
    double stamps;
    /* imperfect problems: both together, and how much shorter the last tile is */
    int64_t both[MAPPER_LOOPS], cut[MAPPER_LOOPS];
};

/* How much shorter each loop's last tile is. */
static void find_cuts(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    int row = child == p->n_memories ? p->n_rows : p->memory[child].row;

    for (int i = 0; i < p->n_loops; i++) {
        outside->both[i] = outside->near[i] * outside->far[i];
        outside->cut[i] = shape->inside[row][i] * outside->both[i];
    }
    for (int k = 0; k < shape->n_digits; k++) {
        if (shape->digit[k].row < row)
            outside->cut[shape->digit[k].loop] *= shape->digit[k].count;
    }
    for (int i = 0; i < p->n_loops; i++)
        outside->cut[i] -= p->extent[i];
}

static void cut_local(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    struct mapper_walk *walk = &local->walk;

    sator_mapper_walk_cut(walk, b->words, shape, outside->cut, outside->both);
    local->group_words = local->tile_words = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        local->group_words *= walk->group_mean[e];
        local->tile_words *= walk->tile_mean[e];
    }
}

static void open_local(struct mapper_bounds *b, int transfer, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    const struct mapper_problem *p = b->problem;

    sator_mapper_walk_init(p, b->words, shape, transfer, &local->walk);
    bool sliding = local->walk.access->is_sliding;
    if (sliding && local->walk.spread && has_gap(p, local->walk.transfer)) {
        local->walk.group_words = local->walk.tile_words;
        for (int e = 0; e < local->walk.access->n_indices; e++) {
            local->walk.steps[e].n_spread = 0;
            local->walk.group_values[e] = local->walk.tile_values[e];
        }
    }
    local->group_words = (double)local->walk.group_words;
    local->tile_words = (double)local->walk.tile_words;
    local->ratio_fixed = !sliding;
    local->is_open = (local->walk.access->relevant & ~local->walk.access->plain & b->open) != 0;
    local->run_loops = ~0U;
    local->walk.open = b->open;
    if (local->is_open)
        local->walk.cut = p->imperfect ? outside->cut : NULL;
    else if (p->imperfect)
        cut_local(b, shape, outside, local);
    if (sliding)
        sator_mapper_walk_cover(&local->walk, b->words, shape);
    for (int bit = 0; bit < 2 * p->n_loops; bit++)
        local->slide[bit][false].known = local->slide[bit][true].known = false;
}

static double smallest_factor(int64_t n)
{
    for (int64_t d = 2; d <= n / d; d++) {
        if (n % d == 0)
            return (double)d;
    }
    return (double)n;
}

/* New words, of a group and of a tile. */
struct halo {
    double group, tile;
};

/* A sliding index while one of its loops moves it. */
struct slide {
    int access, index, loop;
    const struct mapper_steps *steps;
    const double *rate; /* of short last tiles, by loop */
    double values; /* of whole tiles */
};

static bool is_cut(const struct mapper_walk *walk, const struct mapper_index *index)
{
    bool cut = false;

    for (int i = 0; i < index->n_parts && walk->cut != NULL; i++)
        cut |= walk->cut[index->loop[i]] > 0;
    return cut;
}

/* The values of the index that are new in the steps in which its loop moves it by "shift", the tile
 * of its other loops staying; of all stamps these are the share "often". In one of them, for each
 * time that all loops are run through, the loop comes to its last tile. */
static double stepping(struct mapper_bounds *b, const struct mapper_walk *walk,
        const struct slide *s, int64_t shift, double often)
{
    const struct mapper_index *index = &walk->access->index[s->index];
    double sum = 0;

    if (!is_cut(walk, index))
        return often *
                (s->values -
                        (double)sator_mapper_words_kept(
                                b->words, s->access, s->index, s->steps, shift));
    for (unsigned last = 0; last < 1U << index->n_parts; last++) {
        int64_t now[MAPPER_PARTS] = {0}, before[MAPPER_PARTS] = {0};
        double share = 1;
        for (int i = 0; i < index->n_parts; i++) {
            int loop = index->loop[i];
            bool is_last = last >> i & 1, steps = loop == s->loop;
            now[i] = is_last ? walk->cut[loop] : 0;
            before[i] = steps ? 0 : now[i];
            double rate = walk->cut[loop] > 0 ? s->rate[loop] : 0;
            share *= is_last ? rate : (steps ? often : 1) - rate;
        }
        if (share <= 0)
            continue;
        sum += share *
                (double)(sator_mapper_words_union_cut(
                                 b->words, s->access, s->index, s->steps, now) -
                        sator_mapper_words_kept_cut(
                                b->words, s->access, s->index, s->steps, now, before, shift));
    }
    return sum;
}

/* The values that are new at least when the loop, alone in moving the index, moves it by any
 * multiple of "shift". Where another loop's last tile is short, a value stays new at every position
 * that still has it. */
static double leaping(struct mapper_bounds *b, const struct mapper_walk *walk,
        const struct slide *s, int64_t shift)
{
    const struct mapper_index *index = &walk->access->index[s->index];
    double sum = s->values -
            (double)sator_mapper_words_most_kept(b->words, s->access, s->index, s->steps, shift);
    struct mapper_steps alone = *s->steps;

    alone.n_spread = 0;
    for (int i = 0; i < index->n_parts && is_cut(walk, index); i++) {
        int64_t cut[MAPPER_PARTS] = {0}, positions = 1;
        if (index->loop[i] == s->loop) /* not at its last tile after a leap */
            continue;
        cut[i] = walk->cut[index->loop[i]];
        for (int k = 0; k < s->steps->n_spread; k++)
            positions *= s->steps->spread_part[k] == i ? 1 : s->steps->spread_count[k];
        int64_t lost = walk->tile_values[s->index] -
                sator_mapper_words_union_cut(b->words, s->access, s->index, &alone, cut);
        sum -= s->rate[index->loop[i]] * (double)(positions * lost);
    }
    return sum > 0 ? sum : 0;
}

/* The least words that the loop of "bit", part of a sliding index, brings when it moves the tile.
 * Its innermost factor f moves the tile by one step in f - 1 of f stamps. In the others the index
 * has moved by some multiple of the step if no other loop of it steps in the same run; else nothing
 * is sure. */
static void find_halo(struct mapper_bounds *b, struct local *local, int bit, bool is_alone,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_walk *walk = &local->walk;
    const struct mapper_access *access = walk->access;
    int loop = bit % p->n_loops, row = walk->transfer->child_row - 1, e = access->index_of[loop];
    struct mapper_steps alone = walk->steps[e];
    bool is_near = bit < p->n_loops;
    double group_values = (double)walk->group_values[e], tile_values = (double)walk->tile_values[e];
    struct slide group = {
            walk->transfer->access, e, loop, &walk->steps[e], walk->group_rate, group_values};
    struct slide tile = {walk->transfer->access, e, loop, &alone, walk->tile_rate, tile_values};

    alone.n_spread = 0;
    while (p->row[row].is_space) /* the innermost time row outside */
        row--;
    double rare = 1 / (is_near ? (double)outside->near[loop] : smallest_factor(outside->far[loop]));
    int64_t step = shape->inside[row + 1][loop], coef = access->coef_of[loop];
    struct halo one = {stepping(b, walk, &group, coef * step, 1 - rare),
            stepping(b, walk, &tile, coef * step, 1 - rare)};
    struct halo any = {0, 0};
    if (is_alone)
        any = (struct halo){
                leaping(b, walk, &group, coef * step), leaping(b, walk, &tile, coef * step)};
    while (!is_near && --row >= 0) { /* it may step further out, over parallel digits */
        if (p->row[row].is_space || shape->inside[row + 1][loop] == step)
            continue;
        step = shape->inside[row + 1][loop];
        one.group = fmin(one.group, stepping(b, walk, &group, coef * step, 1 - rare));
        one.tile = fmin(one.tile, stepping(b, walk, &tile, coef * step, 1 - rare));
    }
    /* words for a value of the index: the mean of the other indices */
    bool cut = walk->cut != NULL;
    double group_other = local->group_words / (cut ? walk->group_mean[e] : group_values);
    double tile_other = local->tile_words / (cut ? walk->tile_mean[e] : tile_values);
    local->slide[bit][is_alone] = (struct known_slide){.known = true,
            .rare = rare,
            .step_group = group_other * one.group,
            .step_tile = tile_other * one.tile,
            .any_group = group_other * any.group,
            .any_tile = tile_other * any.tile};
}

/* How the parallel digits of a loop are shared in a transfer. */
struct spread {
    bool any, all_shared; /* any digits; all of them by one group */
    bool contiguous; /* positions of a group are neighbours */
};

static struct spread spread_of(
        const struct mapper_transfer *t, const struct mapper_shape *shape, int loop)
{
    struct spread spread = {.any = false, .all_shared = true, .contiguous = true};
    bool outer_shared = false;

    for (int k = 0; k < shape->n_digits; k++) { /* outermost first */
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= t->child_row || digit->loop != loop)
            continue;
        bool shared = t->collapsed >> digit->row & 1;
        spread.any = true;
        spread.all_shared &= shared;
        spread.contiguous &= shared || !outer_shared;
        outer_shared |= shared;
    }
    return spread;
}

/* The steps of index "e" for a group, and for a tile alone, that runs through the loops "run". */
static void steps_of_run(const struct mapper_bounds *b, const struct local *local, int e,
        unsigned run, const struct mapper_shape *shape, struct mapper_steps *group,
        struct mapper_steps *alone)
{
    const struct mapper_walk *walk = &local->walk;
    const struct mapper_index *index = &walk->access->index[e];
    bool spreads = walk->steps[e].n_spread > 0;

    *group = *alone = (struct mapper_steps){.n_spread = 0};
    for (int i = 0; i < index->n_parts; i++) {
        int loop = index->loop[i];
        struct spread spread = spread_of(walk->transfer, shape, loop);
        if (run >> loop & 1) {
            group->tile[i] = spread.all_shared ? b->problem->extent[loop] : 1;
            alone->tile[i] = spread.any ? 1 : b->problem->extent[loop];
            continue;
        }
        group->tile[i] = alone->tile[i] = walk->steps[e].tile[i];
        for (int k = 0; k < shape->n_digits && spreads && spread.contiguous; k++) {
            const struct mapper_digit *digit = &shape->digit[k];
            if (digit->row >= walk->transfer->child_row || digit->loop != loop ||
                    !(walk->transfer->collapsed >> digit->row & 1))
                continue;
            group->spread_step[group->n_spread] =
                    index->coef[i] * shape->inside[digit->row + 1][loop];
            group->spread_count[group->n_spread++] = digit->count;
        }
    }
}

/* The words that cross at the least while a transfer runs through the loops "run", between two
 * steps of loops that stand alone in an index: each word that is touched, since nothing was kept
 * before. Of the loops that are open the largest tiles are in the shape. As many runs bring no
 * fewer words with smaller ones: a tile's values grow with it, but each step adds no more than the
 * one before, so values over size only fall; the number of runs is one over the sizes. */
static void find_run(struct mapper_bounds *b, struct local *local, unsigned run,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_walk *walk = &local->walk;

    local->run_group = local->run_tile = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        struct mapper_steps group, alone;
        if (walk->access->index[e].n_parts == 1) {
            local->run_group *= (double)walk->group_values[e];
            local->run_tile *= (double)walk->tile_values[e];
            continue;
        }
        steps_of_run(b, local, e, run, shape, &group, &alone);
        local->run_group *=
                (double)sator_mapper_words_union(b->words, walk->transfer->access, e, &group);
        local->run_tile *=
                (double)sator_mapper_words_union(b->words, walk->transfer->access, e, &alone);
    }
    for (int i = 0; i < p->n_loops && p->imperfect; i++) { /* the last tile is short */
        if (!(walk->access->relevant >> i & 1) || (run >> i & 1))
            continue;
        double share = (double)p->extent[i] / (double)(p->extent[i] + outside->cut[i]);
        local->run_group *= share;
        local->run_tile *= share;
    }
    local->run_loops = run;
}

/* The least that crosses when loops of a sliding index are open: each run by itself. */
static void bound_runs(struct mapper_bounds *b, struct local *local, const struct order_keep *keep,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    int n_loops = b->problem->n_loops;
    unsigned run = keep->halo >> n_loops & ((1U << n_loops) - 1); /* nothing is near */
    double runs = outside->stamps;

    for (unsigned loops = run; loops != 0; loops &= loops - 1)
        runs *= outside->inverse[n_loops + __builtin_ctz(loops)];
    for (int i = 0; i < n_loops; i++) /* with a smaller tile it may be in a run */
        run |= outside->far[i] == 1 ? b->open & 1U << i : 0;
    run &= walk->access->relevant & ~walk->access->plain;
    if (local->run_loops != run)
        find_run(b, local, run, shape, outside);
    range->unique_lb = (double)walk->groups * runs * local->run_group;
    range->arriving_lb = (double)walk->tiles * runs * local->run_tile;
}

/* Whether no other loop of its index steps in the same run as "loop". */
static bool is_alone(const struct mapper_problem *p, const struct mapper_access *access,
        const struct order_keep *keep, int loop)
{
    const struct mapper_index *index = &access->index[access->index_of[loop]];
    bool alone = true;

    for (int i = 0; i < index->n_parts; i++) {
        unsigned bits = 1U << index->loop[i] | 1U << (p->n_loops + index->loop[i]);
        alone &= index->loop[i] == loop || (keep->halo & bits) == 0;
    }
    return alone;
}

static const struct known_slide *slide_of(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, int bit, const struct mapper_shape *shape,
        const struct outside *outside)
{
    bool alone = is_alone(b->problem, local->walk.access, keep, bit % b->problem->n_loops);

    if (!local->slide[bit][alone].known)
        find_halo(b, local, bit, alone, shape, outside);
    return &local->slide[bit][alone];
}

static double factor_of(const struct outside *outside, int n_loops, int bit)
{
    return (double)(bit < n_loops ? outside->near[bit] : outside->far[bit - n_loops]);
}

/* What the steps of other sliding loops bring in a run besides "first", what moving the first one
 * any number of steps does: in all runs together. A loop steps in each run at least as if it stood
 * outside all others; where it is alone in another index than the first, this index moves by one
 * step, whatever the others do. */
static struct halo bound_others(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, const struct known_slide *first, double runs,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_access *access = local->walk.access;
    int n_loops = b->problem->n_loops, index = access->index_of[keep->slide % n_loops];
    double far = 1;
    struct halo sum = {0, 0};

    for (unsigned bits = keep->halo >> n_loops; bits != 0; bits &= bits - 1)
        far *= (double)outside->far[__builtin_ctz(bits)];
    for (unsigned bits = keep->halo; bits != 0; bits &= bits - 1) {
        int bit = __builtin_ctz(bits), loop = bit % n_loops;
        bool also_near = bit >= n_loops && (keep->halo >> loop & 1);
        if (!((access->relevant & ~access->plain) >> loop & 1) || access->index_of[loop] == index ||
                also_near || !is_alone(b->problem, access, keep, loop))
            continue;
        const struct known_slide *other = slide_of(b, local, keep, bit, shape, outside);
        double stamps = runs * (bit < n_loops ? far : 1) * factor_of(outside, n_loops, bit);
        double often = 1 - other->rare;
        sum.group += stamps * fmax(other->step_group - often * first->any_group, 0);
        sum.tile += stamps * fmax(other->step_tile - often * first->any_tile, 0);
    }
    return sum;
}

/* The least that crosses with a known tile: all of it in the first stamp of each run, then what is
 * new in a step. */
static void bound_steps(struct mapper_bounds *b, struct local *local, const struct order_keep *keep,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double stamps = outside->stamps, runs = outside->stamps;
    double group = local->group_words, tile = local->tile_words; /* in all of a group, of a tile */

    for (unsigned reuse = keep->reuse; reuse != 0; reuse &= reuse - 1)
        stamps *= outside->inverse[__builtin_ctz(reuse)];
    if (keep->slide >= 0) {
        const struct known_slide *first = slide_of(b, local, keep, keep->slide, shape, outside);
        for (unsigned halo = keep->halo; halo != 0; halo &= halo - 1)
            runs *= outside->inverse[__builtin_ctz(halo)];
        struct halo others = bound_others(b, local, keep, first, runs, shape, outside);
        group = runs * (group - first->any_group) + others.group +
                stamps * (first->step_group + first->rare * first->any_group);
        tile = runs * (tile - first->any_tile) + others.tile +
                stamps * (first->step_tile + first->rare * first->any_tile);
    } else if (keep->slide != ORDER_ANY_SLIDE) { /* else the first stamp brings all */
        group *= stamps;
        tile *= stamps;
    }
    range->unique_lb = (double)walk->groups * walk->scale * group;
    range->arriving_lb = (double)walk->tiles * walk->scale * tile;
}

static void range_of(struct mapper_bounds *b, struct local *local, const struct order_keep *keep,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double groups = (double)walk->groups, tiles = (double)walk->tiles;

    if (local->is_open)
        bound_runs(b, local, keep, shape, outside, range);
    else
        bound_steps(b, local, keep, shape, outside, range);
    range->ratio = 0;
    if (local->ratio_fixed) {
        range->ratio = tiles * local->tile_words / (groups * local->group_words);
    } else {
        range->unique_lb = fmax(range->unique_lb, groups * (double)walk->group_cover);
        range->arriving_lb = fmax(range->arriving_lb, tiles * (double)walk->tile_cover);
    }
    range->unique_ub = groups * outside->stamps * (double)walk->group_words;
    range->arriving_ub = tiles * outside->stamps * (double)walk->tile_words;
}

void sator_mapper_bounds_open(struct mapper_bounds *bounds, unsigned loops)
{
    bounds->open = loops;
}

void sator_mapper_bounds_share(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct mapper_share *share)
{
    const struct mapper_problem *p = b->problem;
    struct order_table *orders = &b->orders[child];
    struct local local;
    struct mapper_range least;
    double pj[MAPPER_ACCESSES][ORDER_CLASSES];
    struct outside outside = {.near = near, .far = far, .stamps = 1};
    double best_pj = INFINITY;
    unsigned near_loops = 0, far_loops = 0;

    *share = (struct mapper_share){0};
    if (orders->count == 0)
        return;
    for (int i = 0; i < p->n_loops; i++) {
        outside.stamps *= (double)near[i] * (double)far[i];
        outside.inverse[i] = near[i] == 1 ? 1 : 1 / (double)near[i];
        outside.inverse[p->n_loops + i] = far[i] == 1 ? 1 : 1 / (double)far[i];
        near_loops |= near[i] > 1 ? 1U << i : 0;
        far_loops |= far[i] > 1 ? 1U << i : 0;
    }
    if (p->imperfect)
        find_cuts(b, child, shape, &outside);
    const struct order_classes *classes = sator_mapper_order_classes(orders, near_loops, far_loops);
    for (int k = 0; k < orders->count; k++) {
        open_local(b, orders->first + k, shape, &outside, &local);
        for (int i = 0; i < classes->n_keeps[k]; i++) {
            struct mapper_range range;
            range_of(b, &local, &classes->keep[k][i], shape, &outside, &range);
            pj[k][i] = least_pj(&p->transfer[orders->first + k], &range);
            if (i == 0)
                least = range;
            least.unique_lb = fmin(least.unique_lb, range.unique_lb);
            least.arriving_lb = fmin(least.arriving_lb, range.arriving_lb);
        }
        sator_mapper_share_transfer(p, orders->first + k, &least, share);
    }
    for (int c = 0; c < classes->count; c++) {
        double sum = 0;
        for (int k = 0; k < orders->count; k++)
            sum += pj[k][classes->keeps[c][k]];
        best_pj = sum < best_pj ? sum : best_pj;
    }
    share->pj = share->pj > best_pj ? share->pj : best_pj;
}

void sator_mapper_bounds_least(
        const struct mapper_problem *problem, int child, struct mapper_share *share)
{
    *share = (struct mapper_share){0};
    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        double footprint = (double)problem->access[t->access].footprint;
        double most = (double)problem->instances; /* every instance fetches its word */
        /* what nothing spreads arrives as often as it is sent */
        struct mapper_range range = {footprint, most, footprint, most, t->collapsed == 0 ? 1 : 0};
        if (t->child == child)
            sator_mapper_share_transfer(problem, i, &range, share);
    }
}
