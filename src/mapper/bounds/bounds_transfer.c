/* One transfer while it is bounded: what is known whatever the order. */
#include "mapper/bounds/bounds_parts.h"
#include "mapper/bounds/bounds_short.h"

#include <string.h>

enum {
    MOST_TRIED = 64 /* numbers of tiles */
};

/* The parallel factors of a loop of a direct transfer. */
struct lanes {
    int64_t lanes, pes; /* inside and outside the innermost memory */
    int64_t apart; /* of the lanes, those that share no words */
    int64_t shared; /* of the PEs, those that do */
};

/* The least number of tiles of which the last may be a single block, when "number" blocks run on
 * "pes" PEs ("strides": or on more); as many as there are blocks where there is none. */
static int64_t least_single(int64_t number, int64_t tile, int64_t pes, bool strides)
{
    int64_t step = strides ? 1 : pes, first = pes > 1 ? pes : 2;

    if (tile > 1)
        return (number - 1) % tile == 0 ? (number + tile - 1) / tile : number;
    if (pes == 1 && !strides)
        return number; /* not in the space */
    for (int64_t tiles = first; tiles < first + MOST_TRIED * step; tiles += step) {
        int64_t size = (number + tiles - 1) / tiles;
        if (size <= 1)
            return number;
        if ((number - 1) % size == 0 && (number + size - 1) / size == tiles)
            return tiles;
    }
    return first + MOST_TRIED * step;
}

static struct lanes lanes_of(
        const struct mapper_walk *walk, const struct mapper_shape *shape, int loop)
{
    unsigned outer = mapper_rows_before(walk->problem->innermost),
             collapsed = walk->transfer->collapsed;

    return (struct lanes){.lanes = mapper_positions_on(shape, ~outer, loop),
            .pes = mapper_positions_on(shape, outer, loop),
            .apart = mapper_positions_on(shape, ~outer & ~collapsed, loop),
            .shared = mapper_positions_on(shape, outer & collapsed, loop)};
}

/* What the lanes that are idle in the last block of a loop take off the words: of a tensor that it
 * indexes, and of one that it does not. That is fetched for each block, or at the least for each
 * tile, where it is the last tile whose first block is short, if it has no other. */
static void cut_lanes(const struct mapper_shape *shape, const struct outside *outside, bool strides,
        struct local *local)
{
    struct mapper_walk *walk = &local->walk;
    const struct mapper_problem *p = walk->problem;

    for (int i = 0; i < p->n_loops; i++) {
        struct lanes of = lanes_of(walk, shape, i);
        int64_t number = outside->blocks.number[i];
        int64_t last = p->extent[i] - (number - 1) * of.lanes;
        double share = (double)last / (double)of.lanes, blocks = (double)number;
        if (last == of.lanes)
            continue;
        if (walk->access->relevant >> i & 1) {
            walk->scale *= (blocks - 1 + share) / blocks;
            walk->tile_scale *= (blocks - 1 + share) / blocks;
            continue;
        }
        int64_t tiles = least_single(number, outside->near[i], of.pes, strides);
        struct idle *idle = &local->idle[local->n_idle++];
        idle->bits = 1U << i | 1U << (p->n_loops + i);
        for (int side = 0; side < 2; side++) {
            double active = side == 1                ? share
                    : of.shared > 1 || of.apart == 1 ? 1
                    : of.apart == of.lanes           ? share
                                                     : 1 / (double)of.apart;
            idle->fetched[side] = (blocks - 1 + active) / blocks;
            idle->kept[side] = tiles == number ? 1 : ((double)tiles - 1 + active) / (double)tiles;
        }
    }
}

/* Whether a memory row whose factors are not known yet, and with them the distance between the
 * shared tiles, lies between the child and a row over which words are shared. */
static bool has_gap(const struct mapper_bounds *b, const struct mapper_walk *walk)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_transfer *t = walk->transfer;
    int first = b->given.chosen < p->n_memories && !p->imperfect ? p->memory[b->given.chosen].row
                                                                 : p->n_rows;
    bool memory = false;

    for (int r = t->child_row - 1; r > p->memory[t->parent].row; r--) {
        memory |= !p->row[r].is_space && r < first;
        if (memory && (walk->shared >> r & 1))
            return true;
    }
    return false;
}

/* The factor by which a group has more words than a tile, at the least, though it is not known how
 * far apart its tiles are. Where a tile has one value of an index, every position brings another
 * one or, like all others, none. A loop with f positions has f of them; and sums of a and of b
 * values are at least a + b - 1 (of a sum of two sets of numbers, or of vectors). */
static double least_apart(const struct mapper_walk *walk, const struct mapper_shape *shape)
{
    const struct mapper_access *access = walk->access;
    unsigned shared = walk->shared & mapper_rows_before(walk->transfer->child_row);
    double times = 1;

    if (walk->problem->imperfect || walk->is_relaxed || walk->transfer->is_counted ||
            walk->transfer->is_quotient || walk->transfer->grouped_rows != 0)
        return 1;
    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        int64_t values = 1;
        if (index->closed == 1 || index->is_core || walk->tile_values[e] != 1)
            continue;
        for (int i = 0; i < index->n_parts; i++)
            values += mapper_positions_on(shape, shared, index->loop[i]) - 1;
        times *= (double)values;
    }
    return times;
}

/* A group has the words of one tile at the least along an index of several loops; along one of a
 * single loop its positions have different ones, however far they are apart. */
static void take_apart(struct mapper_walk *walk)
{
    walk->group_words = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        if (walk->access->index[e].closed != 1 || walk->problem->imperfect) {
            walk->steps[e].n_spread = 0;
            walk->group_values[e] = walk->tile_values[e];
        }
        walk->group_words *= walk->group_values[e];
    }
}

static void cut_local(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    struct mapper_walk *walk = &local->walk;

    bounds_cut_walk(walk, b->words, shape, outside->cut, outside->both);
    local->group_words = local->tile_words = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        local->group_words *= walk->group_mean[e];
        local->tile_words *= walk->tile_mean[e];
    }
    if (walk->knows_net) /* no tile is short along what indexes the access */
        local->group_words = walk->entering;
}

/* Whether the last tile of some loop that indexes the access is short. */
static bool has_cut(const struct mapper_problem *p, const struct mapper_access *access,
        const struct outside *outside)
{
    for (int i = 0; i < p->n_loops && p->imperfect; i++) {
        if ((access->relevant >> i & 1) && outside->cut[i] != 0)
            return true;
    }
    return false;
}

/* Whether what is recalled of a transfer's sliding indices, those of "loops", holds here. */
static bool is_recalled(const struct mapper_bounds *b, const struct recalled *r,
        const struct mapper_transfer *t, unsigned loops, bool has_gap,
        const struct mapper_shape *shape, const struct outside *outside)
{
    if (!r->is_set || r->strides != b->given.strides || r->has_gap != has_gap ||
            r->nearest != outside->nearest || r->in_any_order != shape->in_any_order ||
            r->n_digits != shape->n_digits ||
            memcmp(r->digit, shape->digit, sizeof *r->digit * (size_t)r->n_digits) != 0)
        return false;
    for (; loops != 0; loops &= loops - 1) {
        int i = __builtin_ctz(loops);
        if (r->near[i] != outside->near[i] || r->far[i] != outside->far[i])
            return false;
        for (int row = 0; row <= t->child_row; row++) {
            if (r->inside[i][row] != shape->inside[row][i])
                return false;
        }
    }
    return true;
}

/* What is recalled of the transfer here: nothing, if anything else than loops that stand alone in
 * an index, or in none, is not what it was. Where last tiles are short, nothing ever is. */
static struct recalled *recall(struct mapper_bounds *b, int transfer, bool has_gap,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_transfer *t = &b->problem->transfer[transfer];
    const struct mapper_access *access = &b->problem->access[t->access];
    struct recalled *r = &b->recalled[transfer];
    unsigned loops = access->relevant & ~access->plain;

    if (is_recalled(b, r, t, loops, has_gap, shape, outside))
        return r;
    r->is_set = !b->problem->imperfect;
    r->has_gap = has_gap;
    r->strides = b->given.strides;
    r->in_any_order = shape->in_any_order;
    r->nearest = outside->nearest;
    r->n_digits = shape->n_digits;
    memcpy(r->digit, shape->digit, sizeof *r->digit * (size_t)r->n_digits);
    for (; loops != 0; loops &= loops - 1) {
        int i = __builtin_ctz(loops);
        r->near[i] = outside->near[i];
        r->far[i] = outside->far[i];
        for (int row = 0; row <= t->child_row; row++)
            r->inside[i][row] = shape->inside[row][i];
    }
    r->entering = -1;
    r->has_slides = false;
    return r;
}

/* What enters in a stamp that keeps nothing, over a net that is known. */
static void find_entering(
        struct mapper_bounds *b, const struct mapper_shape *shape, struct local *local)
{
    struct recalled *recalled = local->recalled;

    local->walk.knows_net = true;
    sator_mapper_walk_digits(&local->walk, shape);
    if (recalled->entering < 0)
        recalled->entering = sator_mapper_entering_each(b->words, &local->walk, NULL);
    int64_t words = recalled->entering * sator_mapper_entering_times(&local->walk);
    local->walk.entering = (double)words / (double)local->walk.copies;
    local->group_words = local->walk.entering;
}

static void open_slides(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    struct recalled *recalled = local->recalled;

    if (recalled->has_slides)
        sator_mapper_slides_again(
                &recalled->slides, &local->walk, shape, outside->near, outside->far);
    else
        sator_mapper_slides_init(&recalled->slides, b->words, &local->walk, shape, outside->nearest,
                outside->near, outside->far, outside->is_direct ? &outside->blocks : NULL);
    recalled->has_slides = true;
    recalled->slides.inverse = outside->inverse;
    recalled->slides.either = b->given.either;
    recalled->slides.strides = b->given.strides;
}

void bounds_open_local(struct mapper_bounds *b, int transfer, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    const struct mapper_problem *p = b->problem;
    struct mapper_walk *walk = &local->walk;

    sator_mapper_walk_open(p, b->words, shape, transfer, MAPPER_RELAXED, walk);
    bool sliding = walk->access->is_sliding, gap = sliding && has_gap(b, walk);
    local->recalled = recall(b, transfer, gap, shape, outside);
    local->is_apart = gap && walk->spread;
    if (local->is_apart) {
        take_apart(walk);
        walk->scale *= least_apart(walk, shape);
    }
    local->group_words = (double)walk->group_words;
    local->tile_words = (double)walk->tile_words;
    /* quotients slide */
    local->ratio_fixed = !sliding && !walk->transfer->is_counted && !outside->is_direct;
    bool any_holds =
            walk->transfer->is_complex || (walk->is_relaxed && walk->transfer->n_passes > 0);
    bool strides = b->given.strides &&
            (p->imperfect || p->skew != NULL || walk->is_relaxed || walk->transfer->is_counted ||
                    walk->transfer->is_quotient);
    local->covers_only = sliding && (strides || (walk->spread && any_holds && gap));
    local->is_open = (walk->access->relevant & ~walk->access->plain & b->given.open) != 0;
    local->run_loops = ~0U;
    local->n_idle = 0;
    walk->open = b->given.open;
    if (p->chains) {
        local->ratio_fixed &= !walk->is_relaxed && !walk->pools;
        /* a short tile of quotients may have less than its share; so may what the engines count */
        local->covers_only |= (walk->is_relaxed && any_holds) || walk->transfer->is_quotient ||
                (sliding && walk->transfer->is_counted);
        bounds_open_chains(b, shape, outside, local);
        return;
    }
    if (walk->is_relaxed && outside->is_direct)
        local->covers_only = true;
    else if (walk->is_relaxed && has_cut(p, walk->access, outside))
        local->covers_only |= any_holds;
    else if (walk->is_relaxed && !local->covers_only && !gap && !shape->in_any_order)
        find_entering(b, shape, local);
    local->ratio_fixed &= !walk->is_relaxed || walk->knows_net;
    bool is_asked = p->imperfect && sliding && walk->transfer->is_counted;
    local->covers_only |= is_asked;
    if (local->is_open)
        walk->cut = p->imperfect ? outside->cut : NULL;
    else if (is_asked) /* for its cover */
        walk->cut = outside->is_direct ? NULL : outside->cut;
    else if (outside->is_direct)
        cut_lanes(shape, outside, b->given.strides, local);
    else if (p->imperfect)
        cut_local(b, shape, outside, local);
    if (!sliding)
        return;
    sator_mapper_walk_cover(walk, b->words, shape);
    if (!local->is_open && !local->covers_only)
        open_slides(b, shape, outside, local);
}
