/* Bounds for a known tile.
 *
 * Of the loops outside, the innermost ones decide what is kept: a tensor is kept along loops that
 * do not index it until the first one that does. When the loops are split over levels, each runs
 * with at most its whole outside factor before that point, so giving every loop its whole factor at
 * its first place keeps at least as much. The bound is therefore the least over the orders of whole
 * loops, and of these only the ones that differ in what they keep matter: the leaves below. Where
 * the factors of the nearest memory row are known, its loops come first ("near"), the rest after
 * them ("far"). A sliding index may share its halo from its first loop on, at every step at most as
 * much as between neighbours, until a loop steps that stands alone in an index.
 */
#include "mapper/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LEAVES = 256,
    ANY_SLIDE = -2 /* in place of a loop: anything may be kept */
};

/* Loops as bits: loop i near is bit i, far is bit n_loops + i. */

/* What one class of orders keeps: for each transfer the loops that it is kept along, the loop (bit
 * number) that ends it when that is part of a sliding index (else -1), and then the loops that run
 * before the first one that stands alone in an index: until then something may be kept. */
struct leaf {
    unsigned reuse[MAPPER_ACCESSES], halo[MAPPER_ACCESSES];
    int8_t slide[MAPPER_ACCESSES];
};

struct leaves {
    uint32_t loops; /* with factors above 1, as bits; 0 with no leaf: a free slot */
    int count;
    struct leaf *leaf;
};

struct group {
    int first, count; /* transfers */
    size_t n_slots, n_used;
    struct leaves *slot; /* by loops, open addressing */
};

struct mapper_bounds {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    unsigned open; /* loops whose tiles are not known */
    struct group group[MAPPER_MEMORIES + 1];
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

/* ---- leaves ---- */

struct leaf_search {
    const struct mapper_problem *problem;
    const struct group *group;
    int count;
    struct leaf leaf[MOST_LEAVES];
};

static const struct mapper_access *access_of(const struct leaf_search *s, int k)
{
    return &s->problem->access[s->problem->transfer[s->group->first + k].access];
}

/* Whether "a" keeps at least what "b" keeps, for every transfer. */
static bool covers(const struct leaf_search *s, const struct leaf *a, const struct leaf *b)
{
    for (int k = 0; k < s->group->count; k++) {
        if ((a->reuse[k] & b->reuse[k]) != b->reuse[k] || (a->halo[k] & b->halo[k]) != b->halo[k] ||
                (b->slide[k] >= 0 && a->slide[k] != b->slide[k]))
            return false;
    }
    return true;
}

static void add_leaf(struct leaf_search *s, const struct leaf *leaf)
{
    for (int i = 0; i < s->count; i++) {
        if (covers(s, &s->leaf[i], leaf))
            return;
    }
    for (int i = 0; i < s->count; i++) {
        if (covers(s, leaf, &s->leaf[i]))
            s->leaf[i--] = s->leaf[--s->count];
    }
    if (s->count == MOST_LEAVES) { /* one that covers all: a weaker bound, still one */
        struct leaf all = {.reuse = {0}};
        for (int k = 0; k < s->group->count; k++) {
            unsigned free = ~access_of(s, k)->relevant & ((1U << s->problem->n_loops) - 1);
            all.reuse[k] = free | free << s->problem->n_loops;
            all.halo[k] = ~0U;
            all.slide[k] = ANY_SLIDE;
        }
        s->leaf[0] = all;
        s->count = 1;
        return;
    }
    s->leaf[s->count++] = *leaf;
}

/* The transfers that "loop" moves: those that stand still until now, and those that slide and then
 * keep nothing any more. */
struct moved {
    unsigned still, sliding;
};

static struct moved moved_by(const struct leaf_search *s, struct moved so_far, int loop)
{
    struct moved moved = {0, 0};

    for (int k = 0; k < s->group->count; k++) {
        const struct mapper_access *access = access_of(s, k);
        moved.still |= access->relevant >> loop & 1 ? so_far.still & 1U << k : 0;
        moved.sliding |= access->plain >> loop & 1 ? so_far.sliding & 1U << k : 0;
    }
    return moved;
}

/* Place "loop" as "bit": what it does not move is kept along it. */
static struct moved place_leaf_loop(
        const struct leaf_search *s, struct leaf *leaf, struct moved state, int loop, int bit)
{
    struct moved moved = moved_by(s, state, loop);

    for (int k = 0; k < s->group->count; k++) {
        bool slides = !(access_of(s, k)->plain >> loop & 1);
        if (moved.still >> k & 1) {
            leaf->slide[k] = slides ? (int8_t)bit : -1;
            state.still &= ~(1U << k);
            state.sliding |= slides ? 1U << k : 0;
        } else if (state.still >> k & 1) {
            leaf->reuse[k] |= 1U << bit;
        }
        state.sliding &= ~(moved.sliding & 1U << k);
        if ((state.still | state.sliding) >> k & 1)
            leaf->halo[k] |= 1U << bit;
    }
    return state;
}

/* Place the loops "now", bits from "base" on, then the loops "later" as far ones; "state" are the
 * transfers that still stand and those that slide. */
static void grow_leaves(struct leaf_search *s, unsigned now, int base, unsigned later,
        struct moved state, const struct leaf *so_far)
{
    struct leaf leaf = *so_far;
    int n = s->problem->n_loops;

    for (int i = 0; i < n; i++) { /* what moves nothing is kept along at no loss */
        struct moved moved = moved_by(s, state, i);
        if (!(now >> i & 1) || (moved.still | moved.sliding) != 0)
            continue;
        place_leaf_loop(s, &leaf, state, i, base + i);
        now &= ~(1U << i);
    }
    if (now == 0 && later != 0) {
        grow_leaves(s, later, n, 0, state, &leaf);
        return;
    }
    if (now == 0 || (state.still | state.sliding) == 0) {
        add_leaf(s, &leaf);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (!(now >> i & 1))
            continue;
        struct leaf next = leaf;
        struct moved left = place_leaf_loop(s, &next, state, i, base + i);
        grow_leaves(s, now & ~(1U << i), base, later, left, &next);
    }
}

static struct leaves *find_slot(struct leaves *slot, size_t n_slots, uint32_t loops)
{
    size_t at = (loops * UINT32_C(2654435761)) & (n_slots - 1);

    while (slot[at].leaf != NULL && slot[at].loops != loops)
        at = (at + 1) & (n_slots - 1);
    return &slot[at];
}

static void grow_slots(struct group *group)
{
    size_t n_slots = group->n_slots * 2;
    struct leaves *slot = sator_alloc(sizeof *slot * n_slots);

    memset(slot, 0, sizeof *slot * n_slots);
    for (size_t i = 0; i < group->n_slots; i++) {
        if (group->slot[i].leaf != NULL)
            *find_slot(slot, n_slots, group->slot[i].loops) = group->slot[i];
    }
    free(group->slot);
    group->slot = slot;
    group->n_slots = n_slots;
}

static const struct leaves *leaves_of(
        struct mapper_bounds *b, int child, unsigned near, unsigned far)
{
    struct group *group = &b->group[child];
    uint32_t loops = near | far << b->problem->n_loops;
    struct leaves *leaves = find_slot(group->slot, group->n_slots, loops);

    if (leaves->leaf != NULL)
        return leaves;
    if (++group->n_used * 2 > group->n_slots) {
        grow_slots(group);
        leaves = find_slot(group->slot, group->n_slots, loops);
    }
    struct leaf_search *s = sator_alloc(sizeof *s);
    struct leaf none = {.reuse = {0}};
    memset(none.slide, -1, sizeof none.slide);
    s->problem = b->problem;
    s->group = group;
    s->count = 0;
    struct moved still = {.still = (1U << group->count) - 1};
    grow_leaves(s, near, 0, far, still, &none);
    leaves->loops = loops;
    leaves->leaf = sator_alloc(sizeof *leaves->leaf * (size_t)s->count);
    memcpy(leaves->leaf, s->leaf, sizeof *leaves->leaf * (size_t)s->count);
    leaves->count = s->count;
    free(s);
    return leaves;
}

struct mapper_bounds *sator_mapper_bounds_new(
        const struct mapper_problem *problem, struct mapper_words *words)
{
    struct mapper_bounds *b = sator_alloc(sizeof *b);

    *b = (struct mapper_bounds){.problem = problem, .words = words};
    for (int child = 0; child <= problem->n_memories; child++) {
        struct group *group = &b->group[child];
        for (int i = 0; i < problem->n_transfers; i++) {
            if (problem->transfer[i].child != child)
                continue;
            if (group->count++ == 0)
                group->first = i;
        }
        group->n_slots = 64;
        group->slot = sator_alloc(sizeof *group->slot * group->n_slots);
        memset(group->slot, 0, sizeof *group->slot * group->n_slots);
    }
    return b;
}

void sator_mapper_bounds_free(struct mapper_bounds *b)
{
    if (b == NULL)
        return;
    for (int child = 0; child <= b->problem->n_memories; child++) {
        for (size_t i = 0; i < b->group[child].n_slots; i++)
            free(b->group[child].slot[i].leaf);
        free(b->group[child].slot);
    }
    free(b);
}

/* ---- a known tile ---- */

/* One transfer of a group while its leaves are costed. */
struct local {
    struct mapper_walk walk;
    double group_words, tile_words; /* of a stamp; with short last tiles, on average */
    bool covers_only; /* some of its loops are open */
    bool ratio_fixed; /* no sliding index: arriving / unique is the same whatever is kept */
    bool halo_known[2 * MAPPER_LOOPS];
    double new_group[2 * MAPPER_LOOPS], new_tile[2 * MAPPER_LOOPS]; /* words a step, at least */
    double other_group[2 * MAPPER_LOOPS], other_tile[2 * MAPPER_LOOPS]; /* of other loops */
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
    local->covers_only = (local->walk.access->relevant & ~local->walk.access->plain & b->open) != 0;
    local->walk.open = b->open;
    if (local->covers_only)
        local->walk.cut = outside->cut;
    else if (p->imperfect)
        cut_local(b, shape, outside, local);
    if (sliding)
        sator_mapper_walk_cover(&local->walk, b->words, shape);
    memset(local->halo_known, 0, sizeof local->halo_known);
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

/* The least words a stamp brings, on average, when the loop of "bit", part of a sliding index, is
 * the first to move the tile. Its innermost factor f moves the tile by one step in f - 1 of f
 * stamps. In the others the index has moved by some multiple of the step if no other loop of it is
 * outside; else nothing is sure. */
static void find_halo(struct mapper_bounds *b, struct local *local, int bit,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_walk *walk = &local->walk;
    const struct mapper_access *access = walk->access;
    int loop = bit % p->n_loops, row = walk->transfer->child_row - 1, e = access->index_of[loop];
    const struct mapper_index *index = &access->index[e];
    struct mapper_steps alone = walk->steps[e];
    bool is_alone = true, is_near = bit < p->n_loops;
    double group_values = (double)walk->group_values[e], tile_values = (double)walk->tile_values[e];
    struct slide group = {
            walk->transfer->access, e, loop, &walk->steps[e], walk->group_rate, group_values};
    struct slide tile = {walk->transfer->access, e, loop, &alone, walk->tile_rate, tile_values};

    alone.n_spread = 0;
    while (p->row[row].is_space) /* the innermost time row outside */
        row--;
    for (int i = 0; i < index->n_parts; i++) {
        int other = index->loop[i];
        is_alone &= other == loop || (outside->near[other] == 1 && outside->far[other] == 1);
    }
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
    local->other_group[bit] = group_other * any.group;
    local->other_tile[bit] = tile_other * any.tile;
    local->new_group[bit] = group_other * (one.group + rare * any.group);
    local->new_tile[bit] = tile_other * (one.tile + rare * any.tile);
    local->halo_known[bit] = true;
}

static void range_of(struct mapper_bounds *b, struct local *local, const struct leaf *leaf, int k,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double stamps = outside->stamps, group = local->group_words, tile = local->tile_words;
    double other_group = 0, other_tile = 0, runs = outside->stamps;
    int bit = local->covers_only ? -1 : leaf->slide[k];

    for (unsigned reuse = leaf->reuse[k]; reuse != 0; reuse &= reuse - 1)
        stamps *= outside->inverse[__builtin_ctz(reuse)];
    if (bit >= 0) {
        if (!local->halo_known[bit])
            find_halo(b, local, bit, shape, outside);
        group = local->new_group[bit];
        tile = local->new_tile[bit];
        other_group = local->group_words - local->other_group[bit];
        other_tile = local->tile_words - local->other_tile[bit];
        for (unsigned halo = leaf->halo[k]; halo != 0; halo &= halo - 1)
            runs *= outside->inverse[__builtin_ctz(halo)];
    } else if (bit == ANY_SLIDE) { /* the first stamp brings all */
        runs = 1;
        other_group = group;
        other_tile = tile;
        group = tile = 0;
    }
    double groups = (double)walk->groups, tiles = (double)walk->tiles;
    /* each run begins with a tile that shares nothing with the one before */
    range->unique_lb = groups * walk->scale * (stamps * group + runs * other_group);
    range->arriving_lb = tiles * walk->scale * (stamps * tile + runs * other_tile);
    if (local->covers_only)
        range->unique_lb = range->arriving_lb = 0;
    if (!local->ratio_fixed) {
        range->unique_lb = fmax(range->unique_lb, groups * (double)walk->group_cover);
        range->arriving_lb = fmax(range->arriving_lb, tiles * (double)walk->tile_cover);
    }
    range->unique_ub = groups * outside->stamps * (double)walk->group_words;
    range->arriving_ub = tiles * outside->stamps * (double)walk->tile_words;
    range->ratio =
            local->ratio_fixed ? tiles * local->tile_words / (groups * local->group_words) : 0;
}

void sator_mapper_bounds_open(struct mapper_bounds *bounds, unsigned loops)
{
    bounds->open = loops;
}

void sator_mapper_bounds_share(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct mapper_share *share)
{
    const struct mapper_problem *p = b->problem;
    const struct group *group = &b->group[child];
    struct local local[MAPPER_ACCESSES];
    struct mapper_range least[MAPPER_ACCESSES];
    struct outside outside = {.near = near, .far = far, .stamps = 1};
    double best_pj = INFINITY;
    unsigned near_loops = 0, far_loops = 0;

    *share = (struct mapper_share){0};
    if (group->count == 0)
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
    for (int k = 0; k < group->count; k++)
        open_local(b, group->first + k, shape, &outside, &local[k]);
    const struct leaves *leaves = leaves_of(b, child, near_loops, far_loops);
    for (int l = 0; l < leaves->count; l++) {
        double pj = 0;
        for (int k = 0; k < group->count; k++) {
            struct mapper_range range;
            range_of(b, &local[k], &leaves->leaf[l], k, shape, &outside, &range);
            pj += least_pj(&p->transfer[group->first + k], &range);
            if (l == 0) {
                least[k] = range;
                continue;
            }
            if (range.unique_lb < least[k].unique_lb)
                least[k].unique_lb = range.unique_lb;
            if (range.arriving_lb < least[k].arriving_lb)
                least[k].arriving_lb = range.arriving_lb;
        }
        best_pj = pj < best_pj ? pj : best_pj;
    }
    for (int k = 0; k < group->count; k++)
        sator_mapper_share_transfer(p, group->first + k, &least[k], share);
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
