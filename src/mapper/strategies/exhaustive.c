/* Every mapping: the oracle of the other strategies.
 *
 * Parallel factors first, then the factors of the memories from the innermost outward, then their
 * loop orders, innermost loop first. So what is known stays known: a tile that does not fit ends
 * the factors that are larger still, a transfer is prepared once for all that is chosen further
 * out, and orders that begin alike share what their common loops keep.
 *
 * Every legal mapping is either costed by itself or, when it differs from one that was only in the
 * order of loops that nothing is kept along any more, counted as its equal.
 */
#include "mapper/search.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = MAPPER_MEMORIES * MAPPER_LOOPS + 2,
    EVALUATIONS_A_LOOK = 64,
    KEPT = 16 /* moves remembered, a power of two */
};

/* What is kept of a transfer's sliding index when its tile moves; a place for each of the last few
 * moves, that of 0 is free. */
struct kept {
    int64_t moved, group, tile;
};

/* Words of a group and of a tile that a moved transfer keeps, and how far its sliding indices fall
 * back when the next loop steps. */
struct slide {
    int64_t groups, tiles;
    int64_t shift[MAPPER_INDICES];
};

struct enumeration {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    /* what may be a factor of each loop: divisors of its extent, or in an imperfect problem all
     * numbers; there also the tiles of the innermost row */
    int n_factors[MAPPER_LOOPS], n_tiles[MAPPER_LOOPS];
    const int64_t *factors[MAPPER_LOOPS], *tiles[MAPPER_LOOPS];
    unsigned inside[MAPPER_MEMORIES + 1]; /* by memory, the transfers that its loops are around */
    unsigned ready[MAPPER_MEMORIES + 1]; /* those whose tiles and positions are known as soon as the
                                            memory's factors are; last: with the parallel ones */
    unsigned sliding; /* transfers */
    int n_slides[MAPPER_ACCESSES], slides[MAPPER_ACCESSES][MAPPER_INDICES]; /* indices */
    unsigned plain_of[MAPPER_LOOPS], slides_of[MAPPER_LOOPS]; /* transfers whose index is that loop
                                                                 alone, or a sum with it */
    /* the current branch */
    struct mapper_mapping mapping;
    struct mapper_shape shape;
    int64_t parallel[MAPPER_LOOPS]; /* positions of each loop in all arrays */
    int64_t used[MAPPER_ROWS]; /* positions of each array dimension */
    int64_t rest[MAPPER_LOOPS]; /* what is left for memories further out */
    bool ragged; /* some last tile is short, or some transfer has no formula */
    unsigned movable[MAPPER_MEMORIES]; /* loops whose order may matter */
    int n_movable[MAPPER_MEMORIES];
    int64_t all_groups[MAPPER_TRANSFERS], all_tiles[MAPPER_TRANSFERS]; /* words of one stamp */
    int64_t plain_groups[MAPPER_TRANSFERS], plain_tiles[MAPPER_TRANSFERS]; /* values of all indices
                                                                   of one loop together */
    struct kept kept[MAPPER_TRANSFERS][MAPPER_INDICES][KEPT];
    int member, n_members; /* of the threads, each of which takes every n-th innermost tile */
    uint64_t number; /* of the innermost tile, over all unrollings */
    uint64_t best_number; /* of the best mapping's */
    _Atomic uint64_t *evaluated; /* by all threads */
    int unlooked; /* mappings evaluated since the last look at the clock */
    struct mapper_walk walk[MAPPER_TRANSFERS];
    struct slide slide[MOST_DEPTH][MAPPER_TRANSFERS];
    struct mapper_traffic traffic;
};

/* ---- orders ---- */

/* The orders of memory "m" seen so far, from the innermost loop outward. A transfer is still until
 * a loop that indexes it is placed, then moved; when nothing more can be kept it is settled. */
struct orders {
    int m, depth; /* depth: sliding loops placed at all memories */
    int n_left;
    unsigned left; /* loops to be placed at "m" */
    unsigned still, moved; /* transfers */
    int64_t outside; /* product of the factors of all loops to be placed */
    uint64_t equal; /* mappings that cost the same */
};

static uint64_t saturating_product(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t count_orders(const struct mapper_problem *p, int row, unsigned left, int n_left)
{
    uint64_t ways = 1;

    if (left == 0)
        return 1;
    if (!p->has_orders) {
        for (int n = 2; n <= n_left; n++)
            ways *= (uint64_t)n; /* of at most MAPPER_LOOPS loops */
        return ways;
    }
    ways = 0;
    unsigned innermost = sator_mapper_innermost_of(p, row, left);
    for (int i = 0; i < p->n_loops; i++)
        ways += innermost >> i & 1 ? count_orders(p, row, left & ~(1U << i), n_left - 1) : 0;
    return ways;
}

/* Still transfers bring all their words again at each step of the loops outside "inside" them, and
 * nothing at those inside. */
static void settle_still(struct enumeration *e, unsigned transfers, int64_t outside)
{
    for (; transfers != 0; transfers &= transfers - 1) {
        int t = __builtin_ctz(transfers);
        e->traffic.unique[t] = e->all_groups[t] * outside;
        e->traffic.arriving[t] = e->all_tiles[t] * outside;
    }
}

static void settle_moved(struct enumeration *e, unsigned transfers, int depth)
{
    for (; transfers != 0; transfers &= transfers - 1) {
        int t = __builtin_ctz(transfers);
        const struct mapper_walk *walk = &e->walk[t];
        const struct slide *slide = &e->slide[depth][t];
        e->traffic.unique[t] = walk->groups * (walk->group_words * walk->stamps - slide->groups);
        e->traffic.arriving[t] = walk->tiles * (walk->tile_words * walk->stamps - slide->tiles);
    }
}

static void finish(struct enumeration *e, const struct orders *o)
{
    struct mapper_search *search = e->search;

    settle_still(e, o->still, o->outside);
    settle_moved(e, o->moved, o->depth);
    search->counters.evaluated++;
    if (__builtin_add_overflow(search->counters.equal, o->equal - 1, &search->counters.equal))
        search->counters.equal = UINT64_MAX;
    sator_mapper_offer(search, &e->mapping, sator_mapper_cost(e->problem, &e->traffic));
    if (++e->unlooked == EVALUATIONS_A_LOOK) {
        e->unlooked = 0;
        atomic_fetch_add_explicit(
                e->evaluated, EVALUATIONS_A_LOOK, memory_order_relaxed); /* for progress */
        search->evaluated_before = atomic_load_explicit(e->evaluated, memory_order_relaxed) -
                search->counters.evaluated;
        (void)sator_mapper_should_stop(search);
    }
}

static void orders_from(struct enumeration *e, const struct orders *o);

/* Go on with the orders of memory "m"; "o" is where those of the memory inside it ended. */
static void orders_of(struct enumeration *e, int m, const struct orders *o)
{
    struct orders next = *o;

    if (m < 0) {
        finish(e, o);
        return;
    }
    next.m = m;
    next.left = e->movable[m];
    next.n_left = e->n_movable[m];
    unsigned entering = e->inside[m] & ~e->inside[m + 1];
    next.still |= entering;
    for (unsigned sliding = entering & e->sliding; sliding != 0; sliding &= sliding - 1)
        e->walk[__builtin_ctz(sliding)].stamps = o->outside;
    orders_from(e, &next);
}

static const struct kept *kept_of(struct enumeration *e, int t, int index, int64_t moved)
{
    struct mapper_walk *walk = &e->walk[t];
    struct kept *kept = &e->kept[t][index][(uint64_t)moved % KEPT];

    if (kept->moved == moved)
        return kept;
    int access = walk->transfer->access;
    const struct mapper_steps *steps = &walk->steps[index];
    kept->moved = moved;
    kept->group = sator_mapper_words_kept(e->search->words, access, index, steps, moved);
    kept->tile = kept->group;
    if (steps->n_spread > 0) {
        struct mapper_steps alone = {.n_spread = 0};
        memcpy(alone.tile, steps->tile, sizeof alone.tile);
        kept->tile = sator_mapper_words_kept(e->search->words, access, index, &alone, moved);
    }
    return kept;
}

/* What a moved transfer keeps at the steps of "loop", which is not one that indexes it alone: it is
 * moved, or moves now, along sliding indices only. */
static void slide(struct enumeration *e, int t, const struct orders *before, int loop,
        const struct orders *after, int64_t factor)
{
    const struct mapper_walk *walk = &e->walk[t];
    const struct mapper_access *access = walk->access;
    const struct slide *old = &e->slide[before->depth][t];
    struct slide *new = &e->slide[after->depth][t];
    int64_t times = after->outside * (factor - 1);
    int64_t move = access->coef_of[loop] * /* 0: the loop does not index it */
            e->shape.inside[e->problem->memory[before->m].row + 1][loop];
    int64_t group = e->plain_groups[t], tile = e->plain_tiles[t];
    bool first = !(before->moved >> t & 1);
    int a = walk->transfer->access, n = e->n_slides[a];

    for (int k = 0; k < n; k++) {
        int index = e->slides[a][k];
        int64_t step = move != 0 && access->index_of[loop] == index ? move : 0;
        int64_t shift = first ? 0 : old->shift[k];
        new->shift[k] = shift - step *(factor - 1);
        if (shift + step == 0) {
            group *= walk->group_values[index];
            tile *= walk->tile_values[index];
            continue;
        }
        const struct kept *kept = kept_of(e, t, index, shift + step);
        group *= kept->group;
        tile *= kept->tile;
    }
    if (first) { /* all is kept along the loops inside, none of which indexes it */
        int64_t still = walk->stamps - before->outside;
        new->groups = still * walk->group_words + times *group;
        new->tiles = still * walk->tile_words + times *tile;
    } else {
        new->groups = old->groups + times *group;
        new->tiles = old->tiles + times *tile;
    }
}

/* Place "loop" next. */
static void place(struct enumeration *e, const struct orders *o, int loop)
{
    int64_t factor = e->mapping.factor[e->problem->memory[o->m].row][loop];
    unsigned ending = e->plain_of[loop];
    struct orders next = *o;

    e->mapping.order[o->m][o->n_left - 1] = (int8_t)loop;
    next.left &= ~(1U << loop);
    next.n_left--;
    next.outside /= factor;
    settle_still(e, o->still & ending, o->outside);
    settle_moved(e, o->moved & ending, o->depth);
    next.still &= ~(ending | e->slides_of[loop]);
    next.moved = (o->moved | (o->still & e->slides_of[loop])) & ~ending;
    next.depth += next.moved != 0;
    for (unsigned moved = next.moved; moved != 0; moved &= moved - 1)
        slide(e, __builtin_ctz(moved), o, loop, &next, factor);
    orders_from(e, &next);
}

/* Whether any loop placed next ends what all transfers keep: then the order of what is left does
 * not matter. */
static bool all_end(const struct enumeration *e, const struct orders *o)
{
    unsigned open = o->still | o->moved, ended = open;

    for (unsigned left = o->left; left != 0 && ended == open; left &= left - 1)
        ended &= e->plain_of[__builtin_ctz(left)];
    return ended == open;
}

static void orders_from(struct enumeration *e, const struct orders *o)
{
    const struct mapper_problem *p = e->problem;
    int row = p->memory[o->m].row;

    if (e->search->stopped != SATOR_OK)
        return;
    e->search->counters.orders++;
    if (o->left == 0) {
        orders_of(e, o->m - 1, o);
        return;
    }
    if (all_end(e, o)) {
        struct orders next = *o;
        int at = 0;
        next.equal = saturating_product(o->equal, count_orders(p, row, o->left, o->n_left));
        for (unsigned left = o->left; left != 0; left &= left - 1) {
            int loop = __builtin_ctz(left);
            e->mapping.order[o->m][at++] = (int8_t)loop;
            next.outside /= e->mapping.factor[row][loop];
        }
        settle_still(e, o->still, o->outside);
        settle_moved(e, o->moved, o->depth);
        next.still = next.moved = 0;
        orders_of(e, o->m - 1, &next);
        return;
    }
    for (unsigned left = sator_mapper_innermost_of(p, row, o->left); left != 0; left &= left - 1)
        place(e, o, __builtin_ctz(left));
}

/* Orders of a tiling with short tiles, one mapping after the other. */
static void ragged_orders_from(struct enumeration *e, int m, unsigned left, int n_left)
{
    const struct mapper_problem *p = e->problem;

    if (sator_mapper_should_stop(e->search))
        return;
    if (left == 0 && m == 0) {
        sator_mapper_try(e->search, &e->mapping);
        return;
    }
    if (left == 0) {
        ragged_orders_from(e, m - 1, e->movable[m - 1], e->n_movable[m - 1]);
        return;
    }
    unsigned next = sator_mapper_innermost_of(p, p->memory[m].row, left);
    for (; next != 0; next &= next - 1) {
        int loop = __builtin_ctz(next);
        e->mapping.order[m][n_left - 1] = (int8_t)loop;
        ragged_orders_from(e, m, left & ~(1U << loop), n_left - 1);
    }
}

/* All orders of the loops of each memory that have factors to order. */
static void try_orders(struct enumeration *e)
{
    const struct mapper_problem *p = e->problem;
    struct orders start = {.m = p->n_memories, .outside = 1, .equal = 1};

    for (int m = 0; m < p->n_memories; m++) {
        const int64_t *factor = e->mapping.factor[p->memory[m].row];
        int movable = 0, fixed = p->n_loops;
        e->movable[m] = 0;
        for (int i = 0; i < p->n_loops; i++) { /* loops with a factor stand first */
            bool moves = factor[i] > 1;
            e->mapping.order[m][moves ? movable++ : --fixed] = (int8_t)i;
            e->movable[m] |= moves ? 1U << i : 0;
        }
        e->n_movable[m] = movable;
        if (e->inside[m] == 0) /* their order does not matter */
            e->movable[m] = 0, e->n_movable[m] = 0;
        for (int i = 0; i < movable && e->inside[m] != 0; i++)
            start.outside *= factor[e->mapping.order[m][i]];
    }
    if (e->ragged)
        ragged_orders_from(e, p->n_memories - 1, e->movable[p->n_memories - 1],
                e->n_movable[p->n_memories - 1]);
    else
        orders_of(e, p->n_memories - 1, &start);
}

/* ---- tiles ---- */

static void refresh_shape(struct enumeration *e, int row, int loop)
{
    int64_t extent = e->problem->extent[loop];

    for (int r = row; r > 0; r--) { /* the outermost covers all */
        int64_t inside = e->shape.inside[r + 1][loop] * e->mapping.factor[r][loop];
        e->shape.inside[r][loop] = inside < extent ? inside : extent;
    }
}

static void prepare(struct enumeration *e, unsigned transfers)
{
    for (; transfers != 0; transfers &= transfers - 1) {
        int t = __builtin_ctz(transfers);
        sator_mapper_walk_init(e->problem, e->search->words, &e->shape, t, &e->walk[t]);
        const struct mapper_walk *walk = &e->walk[t];
        e->plain_groups[t] = e->plain_tiles[t] = 1;
        for (int i = 0; i < walk->access->n_indices; i++) {
            bool plain = walk->access->index[i].closed == 1;
            e->plain_groups[t] *= plain ? walk->group_values[i] : 1;
            e->plain_tiles[t] *= plain ? walk->tile_values[i] : 1;
            for (int k = 0; k < KEPT && !plain; k++)
                e->kept[t][i][k].moved = 0;
        }
        e->all_groups[t] = e->walk[t].groups * e->walk[t].group_words;
        e->all_tiles[t] = e->walk[t].tiles * e->walk[t].tile_words;
    }
}

static void tiles_of(struct enumeration *e, int m);

/* The factors of memory "m" are chosen. */
static void go_outward(struct enumeration *e, int m)
{
    e->search->counters.tilings++;
    if (!e->ragged)
        prepare(e, e->ready[m]);
    if (m > 0)
        tiles_of(e, m - 1);
    else
        try_orders(e);
}

/* The factors of the innermost memory are chosen: what follows is one thread's. */
static void go_on(struct enumeration *e, int m)
{
    const struct mapper_problem *p = e->problem;
    uint64_t improvements = e->search->counters.improvements;

    e->number++;
    if (e->number % (uint64_t)e->n_members != (uint64_t)e->member)
        return;
    e->ragged = p->has_counted; /* each mapping by itself */
    for (int i = 0; i < p->n_loops && p->imperfect; i++)
        e->ragged |= e->mapping.factor[p->memory[m].row][i] * e->parallel[i] * e->rest[i] !=
                p->extent[i];
    go_outward(e, m);
    if (e->search->counters.improvements != improvements)
        e->best_number = e->number;
}

/* What is left outside memory "m" of a loop that has "factor" there; 0: it cannot have. */
static int64_t left_outside(const struct enumeration *e, int m, int loop, int64_t factor)
{
    const struct mapper_problem *p = e->problem;
    int64_t fixed = p->row[p->memory[m].row].fixed[loop], whole = e->rest[loop];

    if (fixed != 0 && factor != fixed)
        return 0;
    if (p->imperfect && m == p->n_memories - 1) {
        int64_t number = (p->extent[loop] + factor - 1) / factor; /* of tiles */
        whole = number % e->parallel[loop] == 0 ? number / e->parallel[loop] : 0;
        return m > 0 || whole == 1 ? whole : 0;
    }
    return whole % factor == 0 ? whole / factor : 0;
}

static void count_too_large(struct enumeration *e, int m)
{
    bool by_all = m == e->problem->n_memories - 1; /* members */

    e->search->counters.pruned_capacity += !by_all || e->member == 0;
}

/* Factors of memory "m" for loop "loop" and on; "size": the words of its tile so far. */
static void tiles_from(struct enumeration *e, int m, int loop, const int64_t *size)
{
    const struct mapper_problem *p = e->problem;
    bool any = p->imperfect && m == p->n_memories - 1;
    int row = p->memory[m].row;

    if (sator_mapper_should_stop(e->search))
        return;
    if (loop == p->n_loops) {
        if (m == p->n_memories - 1)
            go_on(e, m);
        else
            go_outward(e, m);
        return;
    }
    int64_t rest = e->rest[loop], grown[MAPPER_ACCESSES];
    const int64_t *list = any ? e->tiles[loop] : e->factors[loop];
    int count = any ? e->n_tiles[loop] : e->n_factors[loop];
    for (int k = 0; k < count && (any || list[k] <= rest); k++) {
        int64_t left = left_outside(e, m, loop, list[k]);
        if (left == 0)
            continue;
        e->mapping.factor[row][loop] = list[k];
        refresh_shape(e, row, loop);
        memcpy(grown, size, sizeof grown);
        for (int a = 0; a < p->n_accesses && list[k] > 1; a++) {
            if ((p->memory[m].holds >> a & 1) && (p->access[a].relevant >> loop & 1))
                grown[a] = sator_mapper_tile_words(e->search->words, a, e->shape.inside[row]);
        }
        if (list[k] > 1 && !sator_mapper_fits(p, m, grown, NULL)) {
            count_too_large(e, m);
            if (p->has_counted)
                continue;
            break; /* factors ascend, and larger tiles need no less */
        }
        e->rest[loop] = left;
        tiles_from(e, m, loop + 1, grown);
        e->rest[loop] = rest;
    }
    e->mapping.factor[row][loop] = 1;
    refresh_shape(e, row, loop);
}

/* The outermost memory takes all that is left; its tile is the whole problem. */
static void tile_outermost(struct enumeration *e)
{
    const struct mapper_problem *p = e->problem;
    const struct mapper_row *row = &p->row[p->memory[0].row];
    int64_t *factor = e->mapping.factor[p->memory[0].row];

    for (int i = 0; i < p->n_loops; i++) {
        if (row->fixed[i] != 0 && row->fixed[i] != e->rest[i])
            return;
        factor[i] = e->rest[i];
    }
    if (p->n_memories == 1)
        go_on(e, 0);
    else
        go_outward(e, 0);
}

static void tiles_of(struct enumeration *e, int m)
{
    const struct mapper_problem *p = e->problem;
    int64_t size[MAPPER_ACCESSES] = {0};

    if (m == 0 && !(p->imperfect && p->n_memories == 1)) {
        tile_outermost(e);
        return;
    }
    for (int a = 0; a < p->n_accesses; a++) {
        if (p->memory[m].holds >> a & 1)
            size[a] =
                    sator_mapper_tile_words(e->search->words, a, e->shape.inside[p->memory[m].row]);
    }
    if (sator_mapper_fits(p, m, size, NULL))
        tiles_from(e, m, 0, size);
    else
        count_too_large(e, m);
}

/* ---- parallel factors ---- */

static void try_unrolling(struct enumeration *e)
{
    const struct mapper_problem *p = e->problem;
    double positions = 1, all = 1;

    for (int r = 0; r < p->n_rows; r++) {
        positions *= p->row[r].is_space ? (double)e->used[r] : 1;
        all *= p->row[r].is_space ? (double)p->row[r].shape : 1;
    }
    if (positions < p->least_utilization * all || !sator_mapper_is_modelled(p, &e->mapping))
        return;
    e->search->counters.unrollings += e->member == 0; /* which all members go through */
    e->traffic.time_stamps = 1;
    for (int i = 0; i < p->n_loops; i++) {
        e->rest[i] = p->extent[i] / e->parallel[i];
        e->traffic.time_stamps *= e->rest[i]; /* of whole tiles; those with short ones differ */
    }
    sator_mapper_shape_init(p, &e->mapping, &e->shape);
    prepare(e, e->ready[p->n_memories]);
    tiles_of(e, p->n_memories - 1);
}

static void unroll_from(struct enumeration *e, int row, int loop)
{
    const struct mapper_problem *p = e->problem;

    if (sator_mapper_should_stop(e->search))
        return;
    if (row == p->n_rows) {
        try_unrolling(e);
        return;
    }
    if (loop == p->n_loops || !p->row[row].is_space) {
        unroll_from(e, row + 1, 0);
        return;
    }
    int64_t used = e->used[row], before = e->parallel[loop];
    for (int k = 0; k < e->n_factors[loop]; k++) {
        int64_t d = e->factors[loop][k], rest = p->extent[loop] / before;
        if (d > rest || d > p->row[row].shape / used || (d > 1 && (p->row[row].banned >> loop & 1)))
            break;
        if (!p->imperfect && rest % d != 0)
            continue;
        e->mapping.factor[row][loop] = d;
        e->used[row] = used * d;
        e->parallel[loop] = before * d;
        unroll_from(e, row, loop + 1);
    }
    e->mapping.factor[row][loop] = 1;
    e->used[row] = used;
    e->parallel[loop] = before;
}

/* ---- the whole ---- */

/* Whatever may divide what is left of a loop: in an imperfect problem the numbers of its tiles. */
static int list_factors(struct sator_arena *arena, const struct mapper_problem *p, int loop,
        const int64_t **factors)
{
    int64_t *list = NULL;
    int count = 0;

    if (!p->imperfect)
        return sator_mapper_divisors(arena, p->extent[loop], factors);
    for (int64_t d = 1; d <= p->extent[loop]; d++)
        SATOR_PUSH(arena, list, count, d);
    *factors = list;
    return count;
}

/* A transfer's tile is known with its child's factors; where parallel positions that share words
 * stand further out, how far apart they are is known with those of the memories in between. */
static int ready_at(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    int m = t->child;

    if (t->collapsed == 0)
        return m;
    while (m > 0 && p->memory[m - 1].row > __builtin_ctz(t->collapsed))
        m--;
    return m;
}

static bool outermost_holds_all(const struct mapper_problem *p)
{
    int64_t size[MAPPER_ACCESSES] = {0};

    for (int a = 0; a < p->n_accesses; a++)
        size[a] = p->memory[0].holds >> a & 1 ? p->access[a].footprint : 0;
    return sator_mapper_fits(p, 0, size, NULL);
}

static void open_enumeration(struct enumeration *e, struct sator_arena *arena)
{
    const struct mapper_problem *p = e->problem;

    for (int i = 0; i < p->n_loops; i++) {
        e->n_factors[i] = list_factors(arena, p, i, &e->factors[i]);
        e->n_tiles[i] = p->imperfect ? sator_mapper_tiles_of(p, arena, i, &e->tiles[i]) : 0;
        e->parallel[i] = 1;
    }
    for (int r = 0; r < p->n_rows; r++) {
        e->used[r] = 1;
        for (int i = 0; i < p->n_loops; i++)
            e->mapping.factor[r][i] = 1;
    }
    for (int a = 0; a < p->n_accesses; a++) {
        for (int i = 0; i < p->access[a].n_indices; i++) {
            if (p->access[a].index[i].closed != 1)
                e->slides[a][e->n_slides[a]++] = i;
        }
    }
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_access *access = &p->access[p->transfer[t].access];
        e->ready[ready_at(p, &p->transfer[t])] |= 1U << t;
        e->sliding |= access->is_sliding ? 1U << t : 0;
        for (int i = 0; i < p->n_loops; i++) {
            e->plain_of[i] |= access->plain >> i & 1 ? 1U << t : 0;
            e->slides_of[i] |= (access->relevant & ~access->plain) >> i & 1 ? 1U << t : 0;
        }
        for (int m = 0; m < p->n_memories; m++)
            e->inside[m] |= p->transfer[t].child_row > p->memory[m].row ? 1U << t : 0;
    }
}

struct member {
    struct mapper_search search;
    struct enumeration enumeration;
};

static void enumerate(void *data)
{
    struct member *member = data;

    if (outermost_holds_all(member->search.problem))
        unroll_from(&member->enumeration, 0, 0);
}

static void open_member(struct member *members, int i, int n, const struct mapper_search *search,
        struct sator_arena *arena, _Atomic uint64_t *evaluated)
{
    struct enumeration *e = &members[i].enumeration;

    members[i].search = *search;
    members[i].search.counters = (struct sator_map_counters){0};
    if (i > 0) {
        members[i].search.words = sator_mapper_words_new(search->problem);
        members[i].search.next_report = INFINITY; /* the caller's thread reports */
    }
    memset(e, 0, sizeof *e); /* too large for an initialiser on the stack */
    e->search = &members[i].search;
    e->problem = search->problem;
    e->member = i;
    e->n_members = n;
    e->evaluated = evaluated;
    open_enumeration(e, arena);
}

/* Take over what the members found, in the order in which one of them alone would have. */
static void merge(struct mapper_search *search, const struct member *members, int n)
{
    uint64_t done = 0; /* the number of the tile whose mapping was taken last */

    for (;;) {
        const struct member *next = NULL;
        for (int i = 0; i < n; i++) {
            uint64_t number = members[i].enumeration.best_number; /* 0: nothing found */
            if (number > done && (next == NULL || number < next->enumeration.best_number))
                next = &members[i];
        }
        if (next == NULL)
            return;
        done = next->enumeration.best_number;
        sator_mapper_offer(search, &next->search.best, next->search.best_cost);
    }
}

void sator_mapper_exhaustive(struct mapper_search *search)
{
    struct sator_arena *arena = sator_arena_new();
    int n = search->options->threads < 1                ? 1
            : search->options->threads > MAPPER_THREADS ? MAPPER_THREADS
                                                        : search->options->threads;
    struct member *members = sator_alloc(sizeof *members * (size_t)n);
    _Atomic uint64_t evaluated = search->counters.evaluated;

    for (int i = 0; i < n; i++)
        open_member(members, i, n, search, arena, &evaluated);
    sator_mapper_run_threads(enumerate, members, sizeof *members, n);
    merge(search, members, n);
    search->next_report = members[0].search.next_report;
    for (int i = 0; i < n; i++) {
        sator_mapper_add_counters(&search->counters, &members[i].search.counters);
        if (members[i].search.has_unknown)
            sator_mapper_note_unknown(search, members[i].search.unknown_bound);
        if (members[i].search.stopped != SATOR_OK)
            search->stopped = members[i].search.stopped;
        if (i > 0)
            sator_mapper_words_free(members[i].search.words);
    }
    if (search->stopped == SATOR_OK)
        sator_mapper_finish(search);
    free(members);
    sator_arena_free(arena);
}
