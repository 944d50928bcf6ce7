/* The loop orders of a tiling, innermost loop first: orders that begin alike share what their
 * common loops keep. */
#include "mapper/strategies/exhaustive.h"

#include <stdatomic.h>
#include <string.h>

/* The orders of memory "m" seen so far, from the innermost loop outward. A transfer is still until
 * a loop that indexes it is placed, then moved; when nothing more can be kept it is settled. Where
 * each mapping is counted by itself, none of them is looked at before. */
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

/* Settle what the transfers "ending" bring: still ones all their words again at each step of the
 * loops outside of those placed, and nothing at these. */
static void settle(struct enumeration *e, const struct orders *o, unsigned ending)
{
    for (unsigned still = o->still & ending; still != 0; still &= still - 1) {
        int t = __builtin_ctz(still);
        e->traffic.unique[t] = e->all_groups[t] * o->outside;
        e->traffic.arriving[t] = e->all_tiles[t] * o->outside;
    }
    for (unsigned moved = o->moved & ending; moved != 0; moved &= moved - 1) {
        int t = __builtin_ctz(moved);
        const struct glide *g = &e->glide[t];
        const struct slide *slide = &e->slide[o->depth][t];
        e->traffic.unique[t] = g->groups * (g->group_words * g->stamps - slide->groups);
        e->traffic.arriving[t] = g->tiles * (g->tile_words * g->stamps - slide->tiles);
    }
}

static void finish(struct enumeration *e, const struct orders *o)
{
    struct mapper_search *search = e->search;

    if (e->ragged) {
        sator_mapper_try(search, &e->mapping);
    } else {
        settle(e, o, ~0U);
        search->counters.evaluated++;
        if (__builtin_add_overflow(search->counters.equal, o->equal - 1, &search->counters.equal))
            search->counters.equal = UINT64_MAX;
        sator_mapper_offer(search, &e->mapping, sator_mapper_cost(e->problem, &e->traffic));
    }
    if (++e->unlooked == (e->ragged ? 1 : EVALUATIONS_A_LOOK)) {
        atomic_fetch_add_explicit(
                e->evaluated, (uint64_t)e->unlooked, memory_order_relaxed); /* for progress */
        e->unlooked = 0;
        search->evaluated_before = atomic_load_explicit(e->evaluated, memory_order_relaxed) -
                search->counters.evaluated;
        (void)sator_mapper_should_stop(search);
    }
}

static void orders_from(struct enumeration *e, const struct orders *o);

/* Go on with the orders of memory "m"; "o" is where those of the memory inside it ended. */
static void orders_of(struct enumeration *e, int m, const struct orders *o)
{
    if (m < 0) {
        finish(e, o);
        return;
    }
    unsigned entering = e->ragged ? 0 : e->inside[m] & ~e->inside[m + 1];
    const struct orders next = {.m = m,
            .depth = o->depth,
            .n_left = e->n_movable[m],
            .left = e->movable[m],
            .still = o->still | entering,
            .moved = o->moved,
            .outside = o->outside,
            .equal = o->equal};
    for (unsigned sliding = entering & e->sliding; sliding != 0; sliding &= sliding - 1)
        e->glide[__builtin_ctz(sliding)].stamps = o->outside;
    orders_from(e, &next);
}

/* Set what a transfer keeps along its "k"-th sliding index when its tile moves by "moved". */
static void find_kept(struct enumeration *e, int t, int k, int64_t moved, struct kept *kept)
{
    const struct mapper_walk *walk = &e->walk[t];
    int access = walk->transfer->access, index = e->glide[t].index[k];
    const struct mapper_steps *steps = &walk->steps[index];

    kept->moved = moved;
    kept->group = sator_mapper_words_kept(e->search->words, access, index, steps, moved);
    kept->tile = kept->group;
    if (steps->n_spread > 0) {
        struct mapper_steps alone = {.n_spread = 0};
        memcpy(alone.tile, steps->tile, sizeof alone.tile);
        kept->tile = sator_mapper_words_kept(e->search->words, access, index, &alone, moved);
    }
}

/* What a moved transfer keeps at the steps of "loop", which is not one that indexes it alone: it is
 * moved, or moves now, along sliding indices only. */
static void slide(struct enumeration *e, int t, const struct orders *before, int loop,
        const struct orders *after, int64_t factor)
{
    static const struct slide nowhere = {.groups = 0};
    struct glide *g = &e->glide[t];
    struct slide *new = &e->slide[after->depth][t];
    bool first = !(before->moved >> t & 1);
    const struct slide *old = first ? &nowhere : &e->slide[before->depth][t];
    /* at first all is kept along the loops inside, none of which indexes it */
    int64_t still = first ? g->stamps - before->outside : 0;
    int64_t times = after->outside * (factor - 1);
    int64_t group = g->group * times, tile = g->tile * times;
    int moves = g->moves[loop];
    int64_t step = g->coef[loop] * /* 0: the loop does not index it */
            e->shape.inside[e->problem->memory[before->m].row + 1][loop];
    int64_t back = step * (factor - 1);

    for (int k = 0; k < g->n; k++) {
        int64_t shift = old->shift[k];
        new->shift[k] = shift - (k == moves ? back : 0);
        shift += k == moves ? step : 0;
        struct kept *kept = &g->kept[k][(uint64_t)shift % KEPT];
        if (kept->moved != shift)
            find_kept(e, t, k, shift, kept);
        group *= kept->group;
        tile *= kept->tile;
    }
    new->groups = old->groups + still * g->group_words + group;
    new->tiles = old->tiles + still * g->tile_words + tile;
}

/* Place "loop" next. */
static void place(struct enumeration *e, const struct orders *o, int loop)
{
    int64_t factor = e->mapping.factor[e->problem->memory[o->m].row][loop];
    unsigned ending = e->plain_of[loop], sliding = e->slides_of[loop];
    unsigned now_moved = (o->moved | (o->still & sliding)) & ~ending;
    const struct orders next = {.m = o->m,
            .depth = o->depth + (now_moved != 0),
            .n_left = o->n_left - 1,
            .left = o->left & ~(1U << loop),
            .still = o->still & ~(ending | sliding),
            .moved = now_moved,
            .outside = o->n_left == 1 ? e->outside[o->m] : o->outside / factor,
            .equal = o->equal};

    e->mapping.order[o->m][next.n_left] = (int8_t)loop;
    settle(e, o, ending);
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
    bool timed = e->search->timer != NULL; /* when words move may differ */
    if (!timed && !e->ragged && all_end(e, o)) {
        const struct orders next = {.depth = o->depth,
                .outside = e->outside[o->m],
                .equal = saturating_product(o->equal, count_orders(p, row, o->left, o->n_left))};
        int at = 0;
        for (unsigned left = o->left; left != 0; left &= left - 1)
            e->mapping.order[o->m][at++] = (int8_t)__builtin_ctz(left);
        settle(e, o, ~0U);
        orders_of(e, o->m - 1, &next);
        return;
    }
    for (unsigned left = sator_mapper_innermost_of(p, row, o->left); left != 0; left &= left - 1)
        place(e, o, __builtin_ctz(left));
}

static void find_crew(struct enumeration *e)
{
    const struct mapper_problem *p = e->problem;

    e->knows_crew =
            sator_mapper_crew_of(p, e->search->words, &e->mapping, &e->shape, &e->traffic.crew);
    e->ragged = !e->knows_crew; /* each mapping by itself: it is noted as unknown */
    for (int i = 0; i < p->n_spared; i++)
        e->knows_crew &= !p->access[p->spared[i].access].is_sliding;
}

/* All orders of the loops of each memory that have factors to order. */
void exhaustive_try_orders(struct enumeration *e)
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
        e->outside[m] = start.outside;
        if (e->inside[m] == 0) /* their order does not matter */
            e->movable[m] = 0, e->n_movable[m] = 0;
        for (int i = 0; i < movable && e->inside[m] != 0; i++)
            start.outside *= factor[e->mapping.order[m][i]];
    }
    if (!e->ragged && !e->knows_crew)
        find_crew(e);
    orders_of(e, p->n_memories - 1, &start);
}
