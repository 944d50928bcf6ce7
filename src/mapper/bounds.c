/* Bounds for a known tile.
 *
 * Of the loops outside, the innermost ones decide what is kept: a tensor is kept along loops that
 * do not index it until the first one that does. When the loops are split over levels, each runs
 * with at most its whole outside factor before that point, so giving every loop its whole factor at
 * its first place keeps at least as much. The bound is therefore the least over the orders of whole
 * loops, and of these only the ones that differ in what they keep matter: the leaves below. A
 * sliding index may share its halo from then on, at every step at most as much as between
 * neighbours.
 */
#include "mapper/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LEAVES = 256,
    MOST_STEPS = 64,
    ANY_SLIDE = -2 /* in place of a loop: anything may be kept */
};

/* What one class of orders keeps: for each transfer the loops that it is kept along, and the loop
 * that ends it when that is part of a sliding index (else -1). */
struct leaf {
    unsigned reuse[MAPPER_ACCESSES];
    int8_t slide[MAPPER_ACCESSES];
};

struct leaves {
    bool made;
    int count;
    struct leaf *leaf;
};

struct group {
    int first, count; /* transfers */
    struct leaves *by_loops; /* one a set of loops with outside factors */
};

struct mapper_bounds {
    const struct mapper_problem *problem;
    struct mapper_words *words;
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
        if ((a->reuse[k] & b->reuse[k]) != b->reuse[k] ||
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
            all.reuse[k] = ~access_of(s, k)->relevant;
            all.slide[k] = ANY_SLIDE;
        }
        s->leaf[0] = all;
        s->count = 1;
        return;
    }
    s->leaf[s->count++] = *leaf;
}

static void grow_leaves(
        struct leaf_search *s, unsigned left, unsigned alive, const struct leaf *so_far)
{
    struct leaf leaf = *so_far;

    /* loops that index nothing alive are kept along at no loss */
    for (int i = 0; i < s->problem->n_loops; i++) {
        bool harmless = left >> i & 1;
        for (int k = 0; k < s->group->count && harmless; k++)
            harmless = !(alive >> k & 1) || !(access_of(s, k)->relevant >> i & 1);
        if (!harmless)
            continue;
        left &= ~(1U << i);
        for (int k = 0; k < s->group->count; k++)
            leaf.reuse[k] |= alive >> k & 1 ? 1U << i : 0;
    }
    if (left == 0 || alive == 0) {
        add_leaf(s, &leaf);
        return;
    }
    for (int i = 0; i < s->problem->n_loops; i++) {
        if (!(left >> i & 1))
            continue;
        struct leaf next = leaf;
        unsigned survivors = alive;
        for (int k = 0; k < s->group->count; k++) {
            const struct mapper_access *access = access_of(s, k);
            if (!(alive >> k & 1))
                continue;
            if (!(access->relevant >> i & 1)) {
                next.reuse[k] |= 1U << i;
                continue;
            }
            survivors &= ~(1U << k);
            next.slide[k] = (int8_t)(access->plain >> i & 1 ? -1 : i);
        }
        if (survivors != alive)
            grow_leaves(s, left & ~(1U << i), survivors, &next);
    }
}

static const struct leaves *leaves_of(struct mapper_bounds *b, int child, unsigned loops)
{
    struct group *group = &b->group[child];
    struct leaves *leaves = &group->by_loops[loops];

    if (leaves->made)
        return leaves;
    struct leaf_search *s = sator_alloc(sizeof *s);
    struct leaf none = {.reuse = {0}};
    memset(none.slide, -1, sizeof none.slide);
    s->problem = b->problem;
    s->group = group;
    s->count = 0;
    grow_leaves(s, loops, (1U << group->count) - 1, &none);
    leaves->leaf = sator_alloc(sizeof *leaves->leaf * (size_t)s->count);
    memcpy(leaves->leaf, s->leaf, sizeof *leaves->leaf * (size_t)s->count);
    leaves->count = s->count;
    leaves->made = true;
    free(s);
    return leaves;
}

struct mapper_bounds *sator_mapper_bounds_new(
        const struct mapper_problem *problem, struct mapper_words *words)
{
    struct mapper_bounds *b = sator_alloc(sizeof *b);
    size_t sets = (size_t)1 << problem->n_loops;

    *b = (struct mapper_bounds){.problem = problem, .words = words};
    for (int child = 0; child <= problem->n_memories; child++) {
        struct group *group = &b->group[child];
        for (int i = 0; i < problem->n_transfers; i++) {
            if (problem->transfer[i].child != child)
                continue;
            if (group->count++ == 0)
                group->first = i;
        }
        group->by_loops = sator_alloc(sizeof *group->by_loops * sets);
        memset(group->by_loops, 0, sizeof *group->by_loops * sets);
    }
    return b;
}

void sator_mapper_bounds_free(struct mapper_bounds *b)
{
    if (b == NULL)
        return;
    for (int child = 0; child <= b->problem->n_memories; child++) {
        for (size_t i = 0; i < (size_t)1 << b->problem->n_loops; i++)
            free(b->group[child].by_loops[i].leaf);
        free(b->group[child].by_loops);
    }
    free(b);
}

/* ---- a known tile ---- */

/* One transfer of a group while its leaves are costed. */
struct local {
    struct mapper_walk walk;
    double group_words, tile_words;
    bool ratio_fixed; /* no sliding index: arriving / unique is the same whatever is kept */
    bool halo_known[MAPPER_LOOPS];
    double new_group[MAPPER_LOOPS], new_tile[MAPPER_LOOPS]; /* words a step, at least */
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

static void open_local(struct mapper_bounds *b, int transfer, const struct mapper_shape *shape,
        struct local *local)
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

/* The most that any of "loop"'s steps keeps of its index's values, tile by tile: the loop steps by
 * a multiple of its innermost step, whichever level it stands at. */
static void most_kept(struct mapper_bounds *b, struct local *local, int loop, int64_t step,
        double *most_group, double *most_tile)
{
    static const int64_t still[MAPPER_INDICES];
    const struct mapper_index *index =
            &local->walk.access->index[local->walk.access->index_of[loop]];
    const struct mapper_steps *steps = &local->walk.steps[local->walk.access->index_of[loop]];
    int64_t last = 0, coef = 1, group, tile;

    *most_group = *most_tile = 0;
    for (int i = 0; i < index->n_parts; i++) {
        last += llabs(index->coef[i]) * (steps->tile[i] - 1);
        if (index->loop[i] == loop)
            coef = llabs(index->coef[i]);
    }
    int64_t n_steps = last / (coef * step);
    if (n_steps > 1 &&
            sator_mapper_words_gapless(b->words, local->walk.transfer->access,
                    local->walk.access->index_of[loop], steps))
        n_steps = 1;
    if (n_steps > MOST_STEPS) { /* too many to look at: nothing is sure */
        *most_group = local->group_words;
        *most_tile = local->tile_words;
        return;
    }
    for (int64_t k = 1; k <= n_steps; k++) {
        sator_mapper_kept_words(&local->walk, b->words, still, loop, k * step, &group, &tile);
        *most_group = fmax(*most_group, (double)group);
        *most_tile = fmax(*most_tile, (double)tile);
        sator_mapper_kept_words(&local->walk, b->words, still, loop, -k * step, &group, &tile);
        *most_group = fmax(*most_group, (double)group);
        *most_tile = fmax(*most_tile, (double)tile);
    }
}

/* The least words a step brings when "loop", part of a sliding index, is the first to move the
 * tile. With no other loop of that index outside, the index stays moved by a multiple of the step;
 * otherwise only the steps of the innermost loop are sure. */
static void find_halo(struct mapper_bounds *b, struct local *local, int loop,
        const struct mapper_shape *shape, const int64_t *outside)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_access *access = local->walk.access;
    const struct mapper_index *index = &access->index[access->index_of[loop]];
    int row = local->walk.transfer->child_row - 1;
    double most_group, most_tile;
    bool alone = true;

    while (p->row[row].is_space) /* the innermost time row outside */
        row--;
    for (int i = 0; i < index->n_parts; i++)
        alone &= index->loop[i] == loop || outside[index->loop[i]] == 1;
    most_kept(b, local, loop, shape->inside[row + 1][loop], &most_group, &most_tile);
    double share = alone ? 1 : 1 - 1 / smallest_factor(outside[loop]);
    local->new_group[loop] = share * (local->group_words - most_group);
    local->new_tile[loop] = share * (local->tile_words - most_tile);
    local->halo_known[loop] = true;
}

static void range_of(struct mapper_bounds *b, struct local *local, const struct leaf *leaf, int k,
        const struct mapper_shape *shape, const int64_t *outside, const double *inverse,
        double all_stamps, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double stamps = all_stamps, group = local->group_words, tile = local->tile_words;
    int loop = leaf->slide[k];

    for (unsigned reuse = leaf->reuse[k] & ((1U << b->problem->n_loops) - 1); reuse != 0;
            reuse &= reuse - 1)
        stamps *= inverse[__builtin_ctz(reuse)];
    if (loop >= 0) {
        if (!local->halo_known[loop])
            find_halo(b, local, loop, shape, outside);
        group = local->new_group[loop];
        tile = local->new_tile[loop];
    } else if (loop == ANY_SLIDE) {
        group = tile = 0;
    }
    double groups = (double)walk->groups, tiles = (double)walk->tiles;
    range->unique_lb = groups * ((stamps - 1) * group + local->group_words);
    range->arriving_lb = tiles * ((stamps - 1) * tile + local->tile_words);
    range->unique_ub = groups * all_stamps * local->group_words;
    range->arriving_ub = tiles * all_stamps * local->tile_words;
    range->ratio =
            local->ratio_fixed ? tiles * local->tile_words / (groups * local->group_words) : 0;
}

void sator_mapper_bounds_share(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *outside, struct mapper_share *share)
{
    const struct mapper_problem *p = b->problem;
    const struct group *group = &b->group[child];
    struct local local[MAPPER_ACCESSES];
    struct mapper_range least[MAPPER_ACCESSES];
    double all_stamps = 1, best_pj = INFINITY, inverse[MAPPER_LOOPS];
    unsigned loops = 0;

    *share = (struct mapper_share){0};
    if (group->count == 0)
        return;
    for (int i = 0; i < p->n_loops; i++) {
        all_stamps *= (double)outside[i];
        inverse[i] = outside[i] > 1 ? 1 / (double)outside[i] : 1;
        loops |= outside[i] > 1 ? 1U << i : 0;
    }
    for (int k = 0; k < group->count; k++)
        open_local(b, group->first + k, shape, &local[k]);
    const struct leaves *leaves = leaves_of(b, child, loops);
    for (int l = 0; l < leaves->count; l++) {
        double pj = 0;
        for (int k = 0; k < group->count; k++) {
            struct mapper_range range;
            range_of(
                    b, &local[k], &leaves->leaf[l], k, shape, outside, inverse, all_stamps, &range);
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
        struct mapper_range range = {footprint, most, footprint, most, 0};
        if (t->child == child)
            sator_mapper_share_transfer(problem, i, &range, share);
    }
}
