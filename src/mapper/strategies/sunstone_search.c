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
#include "mapper/bounds/bounds.h"
#include "mapper/strategies/sunstone.h"

#include <stdlib.h>
#include <string.h>

struct scheduler {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    struct mapper_mapping mapping;
    struct sator_arena *arena;
    int n_divisors[MAPPER_LOOPS];
    const int64_t *divisors[MAPPER_LOOPS]; /* of the extents, ascending */
    int64_t rest[MAPPER_LOOPS]; /* not settled yet; in a step, what its boundary still has to place
                                 */
    struct mapper_share least[MAPPER_MEMORIES + 2]; /* by child: what the steps after it cost */
    struct mapper_crew unknown; /* no unrolling is settled */
    unsigned all_loops;
    bool top_down;
    bool is_hasty; /* one candidate of each step is followed, of some */
    int intra_order;
    int last_child; /* of the innermost boundary: the compute units where words cross to them */
};

enum {
    KEPT = 4096, /* candidates of a step before the best of them are followed */
    FOLLOWED = 512, /* of these, at most ... */
    MANY = 300000, /* ... after so many in all */
    FEW = 2, /* this many: where bounds say little alpha-beta would leave millions */
    HASTY_TILES = 10, /* of a tree that a hasty search looks at; of more tiles of a step it takes
                         ever fewer ... */
    HASTY = 50, /* ... and of more candidates */
    HASTY_UNROLLINGS = 100, /* looks at those of one tile */
    SETTLED = MAPPER_ROWS /* rows of a step, at most */
};

/* A candidate of a step whose other memories are not settled yet. */
struct candidate {
    struct mapper_cost cost;
    int number;
    struct sunstone_order order;
    int64_t factors[SETTLED * MAPPER_LOOPS]; /* of the rows that the step settles */
};

/* A step under way: the boundary into "child" (n_memories: the compute units). */
struct step {
    struct scheduler *scheduler;
    int child;
    unsigned space_rows;
    unsigned accesses; /* that cross the boundary */
    const struct sunstone_order *order;
    const struct sunstone_order *others; /* further orders that name the same loops: same tiles and
                                            unrollings */
    int n_others;
    bool order_known, tile_known;
    const struct mapper_mapping *mapping; /* as the step found them */
    const int64_t *rest;
    int n_decided; /* decisions, in their order, so far */
    unsigned n_tiles, n_seen;
    int n_kept, room;
    struct candidate *kept;
};

static void take_step(struct scheduler *s, int child);
static void decide(struct step *step);

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
    const struct mapper_problem *p = step->scheduler->problem;

    memcpy(step->scheduler->mapping.factor[p->memory[outer_memory(step)].row], mapper_ones,
            sizeof *mapper_ones * (size_t)p->n_loops);
}

/* What is settled costs, with the rest free of charge. */
static struct mapper_cost settled_cost(struct step *step)
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
    return (struct mapper_cost){
            share.pj, cycles, sator_mapper_value(p->objective, share.pj, cycles)};
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
    memcpy(tile, mapper_ones, sizeof *tile * (size_t)p->n_loops);
    take_step(s, step->child + 1);
    memcpy(tile, s->rest, sizeof rest);
    memcpy(s->rest, rest, sizeof rest);
}

/* ---- candidates in the order of what they cost ---- */

static int by_cost(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->cost.value != y->cost.value)
        return x->cost.value < y->cost.value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* The factors of the rows that the step settles, from those of a candidate or into them. */
static void copy_rows(struct step *step, struct candidate *candidate, bool take)
{
    struct scheduler *s = step->scheduler;
    const struct mapper_problem *p = s->problem;
    int64_t *at = candidate->factors;

    for (int r = 0; r < p->n_rows; r++) {
        bool settled = step->space_rows >> r & 1;
        settled |= step->child < p->n_memories && r == p->memory[step->child].row;
        if (!settled)
            continue;
        memcpy(take ? at : s->mapping.factor[r], take ? s->mapping.factor[r] : at,
                sizeof *at * (size_t)p->n_loops);
        for (int i = 0; i < p->n_loops && !take; i++)
            s->rest[i] /= at[i];
        at += p->n_loops;
    }
}

static void take_candidate(struct step *step, struct candidate *candidate)
{
    struct scheduler *s = step->scheduler;

    if (sator_mapper_is_hopeless(s->search, candidate->cost.pj, candidate->cost.cycles)) {
        s->search->counters.pruned_order++;
        return;
    }
    s->mapping = *step->mapping;
    memcpy(s->rest, step->rest, sizeof s->rest);
    copy_rows(step, candidate, false);
    step->order = &candidate->order;
    place_rest(step);
    if (!s->top_down) /* outward for its order only */
        clear_rest(step);
    go_on(step);
}

/* Go on from the candidates kept, the best first: of the others the more are cut. */
static void take_kept(struct step *step)
{
    struct scheduler *s = step->scheduler;
    const struct sunstone_order *order = step->order;
    struct mapper_mapping mapping = s->mapping;
    int64_t rest[MAPPER_LOOPS];
    int count = step->n_kept, most = s->search->counters.evaluated < MANY ? FOLLOWED : FEW;

    most = s->is_hasty ? 1 : most;
    memcpy(rest, s->rest, sizeof rest);
    if (count > 0)
        qsort(step->kept, (size_t)count, sizeof *step->kept, by_cost);
    step->n_kept = 0;
    for (int k = 0; k < count && k < most && !sator_mapper_should_stop(s->search); k++)
        take_candidate(step, &step->kept[k]);
    s->mapping = mapping;
    memcpy(s->rest, rest, sizeof rest);
    step->order = order;
}

static void keep_candidate(struct step *step, struct mapper_cost cost)
{
    step->kept = sator_grow(step->kept, step->n_kept, &step->room, sizeof *step->kept);
    struct candidate *candidate = &step->kept[step->n_kept];
    candidate->cost = cost;
    candidate->number = step->n_kept++;
    candidate->order = *step->order;
    copy_rows(step, candidate, true);
    if (step->n_kept == KEPT)
        take_kept(step);
}

/* Whether a hasty search passes over the next of those seen: of twice as many as before each time
 * half of them, evenly. */
static bool is_passed_over(const struct scheduler *s, unsigned *seen, unsigned many)
{
    uint32_t scrambled = *seen * UINT32_C(2654435761) >> 16, others = 0;

    for (unsigned k = (*seen)++ / many; k > 1; k /= 2)
        others = 2 * others + 1;
    return s->is_hasty && (scrambled & others) != 0;
}

static void finish_one(struct step *step)
{
    struct scheduler *s = step->scheduler;

    if (is_passed_over(s, &step->n_seen, HASTY))
        return;

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
    struct mapper_cost cost = settled_cost(step);
    clear_rest(step);
    if (sator_mapper_is_hopeless(s->search, cost.pj, cost.cycles))
        s->search->counters.pruned_order++;
    else
        keep_candidate(step, cost);
}

static void finish_candidate(struct step *step)
{
    const struct sunstone_order *first = step->order;

    finish_one(step);
    for (int k = 0; k < step->n_others; k++) {
        step->order = &step->others[k];
        finish_one(step);
    }
    step->order = first;
}

/* ---- constraints ---- */

/* The factors that constraints set, or ask for at least, for "loop" at memories from row "first" up
 * to before "end". */
static int64_t set_factors(const struct scheduler *s, int loop, int first, int end)
{
    int64_t product = 1;

    for (int r = first; r < end; r++) {
        int64_t fixed = s->problem->row[r].fixed[loop];
        int64_t least = fixed == 0 ? s->problem->row[r].limits[loop].least : fixed;
        product *= s->problem->row[r].is_space || least == 0 ? 1 : least;
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

/* The loops that the tile grows along and that are unrolled first: those that index what the order
 * reuses already (the tiling principle, the unrolling principle). */
static unsigned named_loops(const struct step *step)
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

/* Rows of the step that no transfer tells apart: only the product of their factors matters. */
struct sunstone_rows {
    int n_rows, row[MAPPER_ROWS];
    int64_t most; /* PEs */
};

/* The unrollings of a step. */
struct unroll {
    struct step *step;
    int n_groups;
    struct sunstone_rows group[MAPPER_ROWS];
    int64_t beyond[MAPPER_ROWS + 1]; /* PEs of the groups from here on */
    unsigned loops; /* that may be unrolled ... */
    unsigned named; /* ... of which those that the principle names have as large a share as they can
                     */
    int64_t room[MAPPER_LOOPS]; /* what may be placed of each */
    int64_t best, best_named; /* PEs used by the candidates kept, and by loops that are named */
    bool counting; /* first pass: only find these */
    int looks; /* left of a hasty search */
};

static void find_groups(struct unroll *u)
{
    const struct mapper_problem *p = u->step->scheduler->problem;

    for (int r = 0; r < p->n_rows; r++) {
        struct sunstone_rows *last = u->n_groups == 0 ? NULL : &u->group[u->n_groups - 1];
        if (!(u->step->space_rows >> r & 1))
            continue;
        if (last == NULL || last->row[last->n_rows - 1] != r - 1 ||
                !sator_mapper_same_rows(p, last->row[0], r, false, NULL))
            u->group[u->n_groups++] = (struct sunstone_rows){.most = 1};
        last = &u->group[u->n_groups - 1];
        last->row[last->n_rows++] = r;
        last->most *= p->row[r].shape;
    }
    u->beyond[u->n_groups] = 1;
    for (int g = u->n_groups - 1; g >= 0; g--)
        u->beyond[g] = u->beyond[g + 1] * u->group[g].most;
}

/* Give the factors "left" to the rows of a group from the "k"-th on so that each fits; false when
 * they cannot. */
static bool split_rows(struct scheduler *s, const struct sunstone_rows *group, int k, int loop,
        int64_t room, int64_t *left)
{
    const struct mapper_problem *p = s->problem;
    int64_t *factor = s->mapping.factor[group->row[k]], needed = 1;

    if (k == group->n_rows - 1) {
        for (int i = 0; i < p->n_loops; i++)
            needed *= factor[i] = left[i];
        return needed <= p->row[group->row[k]].shape;
    }
    if (loop == p->n_loops)
        return split_rows(s, group, k + 1, 0, p->row[group->row[k + 1]].shape, left);
    int64_t whole = left[loop];
    for (int d = s->n_divisors[loop] - 1; d >= 0; d--) {
        int64_t here = s->divisors[loop][d];
        if (here > room || whole % here != 0)
            continue;
        factor[loop] = here;
        left[loop] = whole / here;
        if (split_rows(s, group, k, loop + 1, room / here, left))
            return true;
    }
    left[loop] = whole;
    return false;
}

/* The most PEs that loops from "loop" on may use, with "space" of the group left. */
static int64_t most_of(const struct unroll *u, int group, int loop, int64_t space)
{
    int64_t most = 1;

    for (int i = loop; i < u->step->scheduler->problem->n_loops && most < space; i++)
        most *= u->loops >> i & 1 ? u->room[i] : 1;
    return (most < space ? most : space) * u->beyond[group + 1];
}

static void end_unrolling(struct unroll *u, int64_t pes, int64_t named)
{
    const struct scheduler *s = u->step->scheduler;

    if (!sator_mapper_may_spread(s->problem, &s->mapping, u->step->space_rows))
        return;
    if (u->counting) {
        bool better = pes > u->best || (pes == u->best && named > u->best_named);
        u->best = better ? pes : u->best;
        u->best_named = better ? named : u->best_named;
    } else if (pes == u->best && named == u->best_named) {
        u->step->scheduler->search->counters.unrollings++;
        decide(u->step);
    }
}

static void unroll_group(
        struct unroll *u, int group, int loop, int64_t *factor, int64_t pes, int64_t named);

/* The factors of a group are chosen. */
static void take_group(struct unroll *u, int group, int64_t *factor, int64_t pes, int64_t named)
{
    struct scheduler *s = u->step->scheduler;
    const struct mapper_problem *p = s->problem;
    const struct sunstone_rows *rows = &u->group[group];
    int64_t left[MAPPER_LOOPS], next[MAPPER_LOOPS];

    memcpy(left, factor, sizeof left);
    memcpy(next, mapper_ones, sizeof next);
    if (split_rows(s, rows, 0, 0, p->row[rows->row[0]].shape, left)) {
        for (int i = 0; i < p->n_loops; i++)
            s->rest[i] /= factor[i];
        unroll_group(u, group + 1, 0, next, pes, named);
        for (int i = 0; i < p->n_loops; i++)
            s->rest[i] *= factor[i];
    }
    for (int k = 0; k < rows->n_rows; k++)
        memcpy(s->mapping.factor[rows->row[k]], mapper_ones, sizeof mapper_ones);
}

static void unroll_group(
        struct unroll *u, int group, int loop, int64_t *factor, int64_t pes, int64_t named)
{
    const struct scheduler *s = u->step->scheduler;
    const struct mapper_problem *p = s->problem;

    if (sator_mapper_should_stop(s->search) || (s->is_hasty && u->looks-- <= 0))
        return;
    if (group == u->n_groups) {
        end_unrolling(u, pes, named);
        return;
    }
    int64_t used = 1;
    for (int i = 0; i < loop; i++)
        used *= factor[i];
    int64_t space = u->group[group].most / used;
    int64_t most = pes * most_of(u, group, loop, space);
    if (most < u->best || (u->counting && u->loops == u->named && most == u->best))
        return;
    if (loop == p->n_loops) {
        take_group(u, group, factor, pes, named);
        return;
    }
    bool may = (u->loops >> loop & 1) && !(p->row[u->group[group].row[0]].banned >> loop & 1);
    bool is_named = u->named >> loop & 1;
    int64_t whole = u->room[loop];
    for (int d = may ? s->n_divisors[loop] - 1 : 0; d >= 0; d--) { /* the most PEs first */
        int64_t here = s->divisors[loop][d];
        if (here > space || whole % here != 0)
            continue;
        factor[loop] = here;
        u->room[loop] = whole / here;
        unroll_group(u, group, loop + 1, factor, pes * here, named * (is_named ? here : 1));
    }
    factor[loop] = 1;
    u->room[loop] = whole;
}

/* Go on with the unrollings of "loops" that use most PEs, if these are more than "others". */
static void unroll_loops(struct unroll *u, unsigned loops, int64_t others)
{
    int64_t factor[MAPPER_LOOPS];

    memcpy(factor, mapper_ones, sizeof factor);
    u->loops = loops;
    u->best = u->best_named = 0;
    u->counting = true;
    u->looks = HASTY_UNROLLINGS;
    unroll_group(u, 0, 0, factor, 1, 1);
    u->counting = false;
    u->looks = HASTY_UNROLLINGS;
    if (u->best > others)
        unroll_group(u, 0, 0, factor, 1, 1);
}

/* Unroll the loops that the principle names; where these leave PEs idle that others could use, also
 * fill the array with those ("high throughput"), as few as it takes. */
static void unroll(struct step *step)
{
    const struct scheduler *s = step->scheduler;
    const struct mapper_problem *p = s->problem;
    struct unroll u = {.step = step, .named = named_loops(step)};

    for (int k = 0; k < p->n_spread_limits; k++) /* which reuse does not ask for */
        u.named |= p->spread_limits[k].limits.least > 1 ? 1U << p->spread_limits[k].loop : 0;
    if (step->space_rows == 0) {
        decide(step);
        return;
    }
    for (int i = 0; i < s->problem->n_loops; i++) {
        u.room[i] = free_rest(step, i, false);
        if (u.room[i] == 0)
            return; /* constraints leave nothing */
    }
    find_groups(&u);
    unroll_loops(&u, u.named, 0);
    if (u.best < u.beyond[0] && u.named != s->all_loops)
        unroll_loops(&u, s->all_loops, u.best);
}

/* ---- tiling ---- */

static void take_tile(void *data, const int64_t *factor)
{
    struct step *step = data;
    struct scheduler *s = step->scheduler;
    int row = s->problem->memory[step->child].row;
    int64_t rest[MAPPER_LOOPS];

    if (is_passed_over(s, &step->n_tiles, HASTY_TILES))
        return;
    memcpy(rest, s->rest, sizeof rest);
    memcpy(s->mapping.factor[row], factor, sizeof rest);
    for (int i = 0; i < s->problem->n_loops; i++)
        s->rest[i] = rest[i] / factor[i];
    step->tile_known = true;
    decide(step);
    step->tile_known = false;
    memcpy(s->rest, rest, sizeof rest);
    memcpy(s->mapping.factor[row], mapper_ones, sizeof *mapper_ones * (size_t)s->problem->n_loops);
}

static void tile(struct step *step)
{
    struct scheduler *s = step->scheduler;
    struct mapper_shape shape;

    if (step->child == s->problem->n_memories) {
        decide(step); /* the compute units hold one instance's words */
        return;
    }
    sator_mapper_shape_init(s->problem, &s->mapping, &shape);
    int64_t least[MAPPER_LOOPS], room[MAPPER_LOOPS];
    int row = s->problem->memory[step->child].row;
    unsigned grow = named_loops(step);
    for (int i = 0; i < s->problem->n_loops; i++) {
        least[i] = least_tile(step, i);
        room[i] = free_rest(step, i, true);
        if (room[i] % least[i] != 0 || room[i] == 0)
            return; /* no tile has the factors that constraints set */
        if (!s->top_down && s->problem->row[row].fixed[i] != 0)
            grow &= ~(1U << i);
    }
    sator_sunstone_tiles(s->search, step->child, shape.inside[row], least, room, grow,
            s->is_hasty ? HASTY_TILES : 0, take_tile, step);
}

/* ---- the orders within a step (the paper's Table VI) ---- */

/* Move the orders that name the same loops as the first behind it; their number. */
static int gather_alike(struct step *step, struct sunstone_order *orders, int count)
{
    int alike = 1;

    step->order = &orders[0];
    unsigned named = named_loops(step);
    for (int k = 1; k < count; k++) {
        step->order = &orders[k];
        if (named_loops(step) != named)
            continue;
        struct sunstone_order swap = orders[alike];
        orders[alike++] = orders[k];
        orders[k] = swap;
    }
    return alike;
}

static void for_orders(struct step *step)
{
    struct scheduler *s = step->scheduler;
    struct sunstone_order *orders;
    unsigned loops = mapper_loops_of(s->problem, s->rest);

    int count =
            sator_sunstone_orders(s->problem, outer_memory(step), loops, step->accesses, &orders);
    step->order_known = true;
    for (int k = 0, alike; k < count; k += alike) {
        alike = gather_alike(step, orders + k, count - k);
        step->order = &orders[k];
        step->others = &orders[k + 1];
        step->n_others = alike - 1;
        decide(step);
    }
    step->order_known = false;
    free(orders);
}

/* The next decision of the step, in all ways, and those after it. */
static void decide(struct step *step)
{
    static void (*const decisions[][4])(struct step * step) = {
            {for_orders, tile, unroll, finish_candidate},
            {tile, unroll, for_orders, finish_candidate},
            {unroll, tile, for_orders, finish_candidate}};

    decisions[step->scheduler->intra_order][step->n_decided++](step);
    step->n_decided--;
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
    struct mapper_mapping mapping = s->mapping;
    int64_t rest[MAPPER_LOOPS];
    memcpy(rest, s->rest, sizeof rest);
    step.mapping = &mapping;
    step.rest = rest;
    decide(&step);
    take_kept(&step);
    free(step.kept);
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
            sator_mapper_bounds_least(p, &s->unknown, sator_mapper_transfers_into(p, other), &one);
            sator_mapper_share_add(p, &s->least[child], &one);
        }
    }
}

static void schedule(struct mapper_search *search, bool is_hasty)
{
    const struct mapper_problem *p = search->problem;
    struct scheduler *s = sator_calloc(1, sizeof *s);

    s->search = search;
    s->problem = p;
    s->all_loops = (1U << p->n_loops) - 1;
    s->is_hasty = is_hasty;
    s->top_down = !is_hasty && search->options->top_down;
    s->intra_order = is_hasty ? 0 : search->options->intra_order;
    /* the innermost memory's own words cross no boundary, unless an array or a bypass brings some
     */
    s->last_child = p->n_memories == 1 || p->transfer[0].child == p->n_memories ? p->n_memories
                                                                                : p->n_memories - 1;
    memcpy(s->rest, p->extent, sizeof s->rest);
    sator_mapper_mapping_init(p, &s->mapping);
    s->arena = sator_arena_new();
    for (int i = 0; i < p->n_loops; i++)
        s->n_divisors[i] = sator_mapper_divisors(s->arena, p->extent[i], &s->divisors[i]);
    sator_mapper_crew_unknown(p, &s->unknown);
    find_least(s);
    take_step(s, s->top_down && s->last_child > 0 ? 1 : s->last_child);
    sator_arena_free(s->arena);
    free(s);
}

void sator_mapper_sunstone(struct mapper_search *search)
{
    schedule(search, false);
}

void sator_mapper_sunstone_in_haste(struct mapper_search *search)
{
    struct sator_map_counters counters = search->counters;

    schedule(search, true);
    counters.evaluated = search->counters.evaluated;
    counters.improvements = search->counters.improvements;
    counters.looks = search->counters.looks;
    search->counters = counters; /* the rest is what is cut, with proofs */
}
