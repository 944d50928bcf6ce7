/* The Sunstone search, level by level.
 *
 * A step settles one boundary: the unrolling of the arrays between a memory and the next one
 * outside, the tile of the inner memory, and the order of the loops at the outer one. Bottom-up the
 * steps go from the compute units outward; what is not settled yet stands at the outer memory of
 * the step. Top-down they go from the outermost memory inward; what is not settled yet is the tile
 * of the inner memory, which the next step divides. A step's candidates whose settled part alone is
 * no better than the best complete mapping are cut (alpha-beta): the transfers into its child and
 * beyond it are then exact, whichever way the steps go. Full use of the arrays is required ("high
 * throughput"), as published; so is the growth of tiles only along loops that index what the order
 * reuses. These are the heuristics that make the search fast and let it miss optima.
 */
#include "mapper/bounds.h"
#include "mapper/strategies/sunstone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scheduler {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    struct mapper_mapping mapping;
    int64_t rest[MAPPER_LOOPS]; /* not settled yet; in a step, what its boundary still has to place
                                 */
    struct mapper_share least[MAPPER_MEMORIES + 2]; /* by child: what the steps after it cost */
    struct mapper_crew unknown; /* no unrolling is settled */
    unsigned all_loops;
    bool top_down;
    int last_child; /* of the innermost boundary: the compute units where words cross to them */
};

/* A step under way: the boundary into "child" (n_memories: the compute units). */
struct step {
    struct scheduler *scheduler;
    int child;
    unsigned space_rows;
    unsigned accesses; /* that cross the boundary */
    const struct sunstone_order *order;
    bool order_known, tile_known;
};

static void take_step(struct scheduler *s, int child);

/* ---- candidates of a step, complete ---- */

static int outer_memory(const struct step *step)
{
    return step->child - 1;
}

/* All that is left goes to the outer memory of the step, in its order. */
static void place_rest(struct step *step)
{
    struct scheduler *s = step->scheduler;
    const struct mapper_problem *p = s->problem;
    int m = outer_memory(step), at = p->n_loops;
    unsigned placed = 0;

    for (int k = 0; k < step->order->n_loops; k++) {
        s->mapping.order[m][--at] = step->order->loop[k];
        placed |= 1U << step->order->loop[k];
    }
    for (int i = p->n_loops - 1; i >= 0; i--) {
        if (!(placed >> i & 1))
            s->mapping.order[m][--at] = (int8_t)i;
    }
    memcpy(s->mapping.factor[p->memory[m].row], s->rest, sizeof s->rest);
    sator_mapper_arrange(p, &s->mapping);
}

static void clear_rest(struct step *step)
{
    struct scheduler *s = step->scheduler;
    int row = s->problem->memory[outer_memory(step)].row;

    for (int i = 0; i < s->problem->n_loops; i++)
        s->mapping.factor[row][i] = 1;
}

/* Whether what is settled, with the rest free of charge, is no better than the best mapping. */
static bool is_cut(struct step *step)
{
    struct scheduler *s = step->scheduler;
    const struct mapper_problem *p = s->problem;
    struct mapper_traffic traffic;
    struct mapper_share share = {.pj = p->fixed_pj};

    sator_mapper_count(p, s->search->words, &s->mapping, &traffic);
    for (int t = 0; t < p->n_transfers; t++) {
        double unique = (double)traffic.unique[t], arriving = (double)traffic.arriving[t];
        struct mapper_range range = {unique, unique, arriving, arriving, 0};
        int outer = p->transfer[t].outward;
        bool lends = p->lends && outer >= 0 && !s->top_down &&
                p->transfer[outer].child < step->child; /* to a word that is not settled yet */
        if (s->top_down ? p->transfer[t].child <= step->child : p->transfer[t].child >= step->child)
            sator_mapper_share_transfer(
                    p, t, &range, lends ? s->unknown.lent_pj[outer] : 0, &share);
    }
    sator_mapper_share_add(p, &share, &s->least[step->child]);
    double cycles = (double)traffic.time_stamps * p->cycles_per_instance;
    for (int r = 0; r < p->n_rows; r++) { /* arrays not settled yet */
        bool open = s->top_down ? r > p->memory[step->child].row
                                : r < p->memory[outer_memory(step)].row;
        cycles /= open && p->row[r].is_space ? (double)p->row[r].shape : 1;
    }
    return sator_mapper_is_hopeless(s->search, share.pj, cycles);
}

/* The step after "step": the next boundary outward, or inward. Inward, what this one placed stays,
 * and the tile of its child is what is left to place. */
static void go_on(struct step *step)
{
    struct scheduler *s = step->scheduler;
    const struct mapper_problem *p = s->problem;
    int64_t rest[MAPPER_LOOPS], *tile = s->mapping.factor[p->memory[step->child].row];

    if (!s->top_down) {
        take_step(s, step->child - 1);
        return;
    }
    memcpy(rest, s->rest, sizeof rest);
    memcpy(s->rest, tile, sizeof rest);
    for (int i = 0; i < p->n_loops; i++)
        tile[i] = 1;
    take_step(s, step->child + 1);
    memcpy(tile, s->rest, sizeof rest);
    memcpy(s->rest, rest, sizeof rest);
}

static void finish_candidate(struct step *step)
{
    struct scheduler *s = step->scheduler;

    s->search->counters.orders++;
    place_rest(step);
    if (s->top_down ? step->child == s->last_child : outer_memory(step) == 0) {
        if (sator_mapper_is_legal(s->problem, s->search->words, &s->mapping))
            sator_mapper_try(s->search, &s->mapping);
        else
            s->search->counters.pruned_capacity++;
        clear_rest(step);
        return;
    }
    s->search->counters.evaluated++;
    if (is_cut(step)) {
        s->search->counters.pruned_order++;
        clear_rest(step);
        return;
    }
    if (!s->top_down) /* placed for the bound only */
        clear_rest(step);
    go_on(step);
    clear_rest(step);
}

/* ---- constraints ---- */

/* The factors that constraints set for "loop" at memories from row "first" up to before "end". */
static int64_t set_factors(const struct scheduler *s, int loop, int first, int end)
{
    int64_t product = 1;

    for (int r = first; r < end; r++) {
        int64_t fixed = s->problem->row[r].fixed[loop];
        product *= s->problem->row[r].is_space || fixed == 0 ? 1 : fixed;
    }
    return product;
}

/* What set factors keep the tile of the step's child from being less than; inward it is divided
 * further. */
static int64_t least_tile(const struct step *step, int loop)
{
    const struct mapper_problem *p = step->scheduler->problem;

    if (step->child == p->n_memories)
        return 1;
    int row = p->memory[step->child].row;
    return set_factors(step->scheduler, loop, row, step->scheduler->top_down ? p->n_rows : row + 1);
}

/* What the step may place of "loop": the rest, but for the factors set at the memories that get
 * theirs from it too. 0: they do not divide it. */
static int64_t free_rest(const struct step *step, int loop, bool for_tile)
{
    const struct scheduler *s = step->scheduler;
    int outer = s->problem->memory[outer_memory(step)].row;
    int64_t kept = set_factors(s, loop, s->top_down ? outer : 0, outer + 1);

    if (!for_tile && !step->tile_known)
        kept *= least_tile(step, loop);
    return s->rest[loop] % kept == 0 ? s->rest[loop] / kept : 0;
}

/* ---- unrolling ---- */

/* The loops that may be unrolled: those that index what the order reuses already (the unrolling
 * principle). */
static unsigned unrollable(const struct step *step)
{
    const struct mapper_problem *p = step->scheduler->problem;
    unsigned loops = 0;

    if (!step->order_known)
        return step->scheduler->all_loops;
    for (int a = 0; a < p->n_accesses; a++) {
        if (step->order->full[a] != 0)
            loops |= p->access[a].relevant;
    }
    return loops == 0 ? step->scheduler->all_loops : loops;
}

/* The loops along which the tile grows: those that index what the order reuses (the tiling
 * principle). */
static unsigned growable(const struct step *step)
{
    const struct mapper_problem *p = step->scheduler->problem;
    unsigned loops = 0;

    if (!step->order_known)
        return step->scheduler->all_loops;
    for (int a = 0; a < p->n_accesses; a++) {
        if (step->order->full[a] != 0)
            loops |= p->access[a].relevant;
    }
    return loops == 0 ? step->scheduler->all_loops : loops;
}

struct unroll {
    struct step *step;
    unsigned loops;
    int64_t best; /* PEs used by the candidates kept */
    bool counting; /* first pass: only find "best" */
    void (*then)(struct step *step);
};

static void unroll_rows(struct unroll *u, int row, int loop, int64_t used, int64_t pes)
{
    struct scheduler *s = u->step->scheduler;
    const struct mapper_problem *p = s->problem;

    if (sator_mapper_should_stop(s->search))
        return;
    while (row < p->n_rows && !(u->step->space_rows >> row & 1))
        row++;
    if (row == p->n_rows) {
        s->search->counters.unrollings += !u->counting;
        if (u->counting)
            u->best = pes > u->best ? pes : u->best;
        else if (pes == u->best)
            u->then(u->step);
        return;
    }
    if (loop == p->n_loops) {
        unroll_rows(u, row + 1, 0, 1, pes);
        return;
    }
    int64_t whole = s->rest[loop], most = p->row[row].shape / used;
    int64_t room = free_rest(u->step, loop, false);
    for (int64_t factor = 1; factor <= room && factor <= most; factor++) {
        if (room % factor != 0 ||
                (factor > 1 && (!(u->loops >> loop & 1) || (p->row[row].banned >> loop & 1))))
            continue;
        s->mapping.factor[row][loop] = factor;
        s->rest[loop] = whole / factor;
        unroll_rows(u, row, loop + 1, used * factor, pes * factor);
    }
    s->mapping.factor[row][loop] = 1;
    s->rest[loop] = whole;
}

static void unroll(struct step *step, void (*then)(struct step *step))
{
    struct unroll u = {.step = step, .loops = unrollable(step), .counting = true, .then = then};

    if (step->space_rows == 0) {
        then(step);
        return;
    }
    unroll_rows(&u, 0, 0, 1, 1);
    u.counting = false;
    unroll_rows(&u, 0, 0, 1, 1);
}

/* ---- tiling ---- */

struct tiling {
    struct step *step;
    void (*then)(struct step *step);
};

static void take_tile(void *data, const int64_t *factor)
{
    const struct tiling *tiling = data;
    struct scheduler *s = tiling->step->scheduler;
    int row = s->problem->memory[tiling->step->child].row;
    int64_t rest[MAPPER_LOOPS];

    memcpy(rest, s->rest, sizeof rest);
    memcpy(s->mapping.factor[row], factor, sizeof rest);
    for (int i = 0; i < s->problem->n_loops; i++)
        s->rest[i] = rest[i] / factor[i];
    tiling->step->tile_known = true;
    tiling->then(tiling->step);
    tiling->step->tile_known = false;
    memcpy(s->rest, rest, sizeof rest);
    for (int i = 0; i < s->problem->n_loops; i++)
        s->mapping.factor[row][i] = 1;
}

static void tile(struct step *step, void (*then)(struct step *step))
{
    struct scheduler *s = step->scheduler;
    struct tiling tiling = {step, then};
    struct mapper_shape shape;

    if (step->child == s->problem->n_memories) {
        then(step); /* the compute units hold one instance's words */
        return;
    }
    sator_mapper_shape_init(s->problem, &s->mapping, &shape);
    int64_t least[MAPPER_LOOPS], room[MAPPER_LOOPS];
    int row = s->problem->memory[step->child].row;
    unsigned grow = growable(step);
    for (int i = 0; i < s->problem->n_loops; i++) {
        least[i] = least_tile(step, i);
        room[i] = free_rest(step, i, true);
        if (room[i] % least[i] != 0 || room[i] == 0)
            return; /* no tile has the factors that constraints set */
        if (!s->top_down && s->problem->row[row].fixed[i] != 0)
            grow &= ~(1U << i);
    }
    sator_sunstone_tiles(
            s->search, step->child, shape.inside[row], least, room, grow, take_tile, &tiling);
}

/* ---- the orders within a step (the paper's Table VI) ---- */

static void for_orders(struct step *step, void (*then)(struct step *step))
{
    struct scheduler *s = step->scheduler;
    struct sunstone_order *orders = sator_alloc(sizeof *orders * SUNSTONE_ORDERS);
    unsigned loops = 0;

    for (int i = 0; i < s->problem->n_loops; i++)
        loops |= s->rest[i] > 1 ? 1U << i : 0;
    int count =
            sator_sunstone_orders(s->problem, outer_memory(step), loops, step->accesses, orders);
    for (int k = 0; k < count; k++) {
        step->order = &orders[k];
        step->order_known = true;
        then(step);
        step->order_known = false;
    }
    free(orders);
}

static void unroll_and_finish(struct step *step)
{
    unroll(step, finish_candidate);
}

static void tile_unroll_and_finish(struct step *step)
{
    tile(step, unroll_and_finish);
}

static void order_and_finish(struct step *step)
{
    for_orders(step, finish_candidate);
}

static void unroll_order_and_finish(struct step *step)
{
    unroll(step, order_and_finish);
}

static void tile_order_and_finish(struct step *step)
{
    tile(step, order_and_finish);
}

static void take_step(struct scheduler *s, int child)
{
    const struct mapper_problem *p = s->problem;
    struct step step = {.scheduler = s, .child = child};
    int inner = child == p->n_memories ? p->n_rows : p->memory[child].row;

    for (int r = p->memory[child - 1].row + 1; r < inner; r++)
        step.space_rows |= 1U << r;
    for (int t = 0; t < p->n_transfers; t++) {
        if (p->transfer[t].child == child)
            step.accesses |= 1U << p->transfer[t].access;
    }
    switch (s->search->options->intra_order) {
    case 1:
        tile(&step, unroll_order_and_finish);
        break;
    case 2:
        unroll(&step, tile_order_and_finish);
        break;
    default:
        for_orders(&step, tile_unroll_and_finish);
    }
}

/* The least that the boundaries not reached yet can cost: each word crosses once. */
static void find_least(struct scheduler *s)
{
    const struct mapper_problem *p = s->problem;

    for (int child = 0; child <= p->n_memories; child++) {
        for (int other = 0; other <= p->n_memories; other++) {
            struct mapper_share one;
            if (s->top_down ? other <= child : other >= child)
                continue;
            sator_mapper_bounds_least(p, &s->unknown, other, &one);
            sator_mapper_share_add(p, &s->least[child], &one);
        }
    }
}

void sator_mapper_sunstone(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct scheduler *s = sator_alloc(sizeof *s);

    memset(s, 0, sizeof *s);
    s->search = search;
    s->problem = p;
    s->all_loops = (1U << p->n_loops) - 1;
    s->top_down = search->options->top_down;
    /* the innermost memory's own words cross no boundary, unless an array or a bypass brings some
     */
    s->last_child = p->n_memories == 1 || p->transfer[0].child == p->n_memories ? p->n_memories
                                                                                : p->n_memories - 1;
    memcpy(s->rest, p->extent, sizeof s->rest);
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < MAPPER_LOOPS; i++)
            s->mapping.factor[r][i] = 1;
    }
    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops; i++)
            s->mapping.order[m][i] = (int8_t)i;
    }
    sator_mapper_crew_unknown(p, &s->unknown);
    find_least(s);
    take_step(s, s->top_down && s->last_child > 0 ? 1 : s->last_child);
    free(s);
}
