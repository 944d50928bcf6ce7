/* Branch and bound over unrollings, tiles and orders (doc/search.md, "The optimal strategy").
 *
 * Unrollings are visited by the PEs they use, most first; when even the cheapest conceivable energy
 * at that parallelism cannot win, the rest cannot either. Below an unrolling the tiles are chosen
 * from the innermost memory outward, those with the best bound first, and below a full tiling the
 * loop orders, innermost loop first. Every cut is made by a bound that holds for all that it cuts
 * off.
 */
#include "mapper/strategies/optimal.h"
#include "mapper/skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t optimal_ones[MAPPER_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* ---- bounds of a branch ---- */

/* Energy and cycles from a share that covers all transfers. */
struct mapper_cost optimal_cost(const struct mapper_problem *problem,
        const struct optimal_branch *branch, const struct mapper_share *share)
{
    return sator_mapper_bound(problem, &branch->crew, branch->compute_cycles, share);
}

struct mapper_share optimal_fixed(
        const struct mapper_problem *problem, const struct optimal_branch *branch)
{
    struct mapper_share share = {.pj = problem->fixed_pj};

    memcpy(share.bits, branch->crew.fixed_bits, sizeof *share.bits * (size_t)problem->n_ports);
    return share;
}

/* What "least" is found for. */
static void note_crew(struct optimizer *o)
{
    memcpy(o->table.least_lent_pj, o->at.crew.lent_pj, sizeof o->table.least_lent_pj);
    memcpy(o->table.least_ratio, o->at.crew.ratio, sizeof o->table.least_ratio);
}

void optimal_find_least(struct optimizer *o)
{
    note_crew(o);
    o->table.least[0] = (struct mapper_share){0};
    for (int child = 0; child <= o->problem->n_memories; child++) {
        struct mapper_share one;
        sator_mapper_bounds_least(o->problem, &o->at.crew, child, &one);
        if (child < o->problem->n_memories && o->table.outer[child].complete)
            one = o->table.outer[child].least;
        o->table.least[child + 1] = o->table.least[child];
        sator_mapper_share_add(o->problem, &o->table.least[child + 1], &one);
    }
}

double optimal_skewed_compute(
        const struct mapper_problem *problem, const struct optimal_branch *branch, int first)
{
    return (double)sator_mapper_skewed_stamps(problem, &branch->mapping, first) *
            problem->cycles_per_instance;
}

/* ---- shapes ---- */

bool optimal_tile_fits(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    int64_t size[MAPPER_ACCESSES] = {0};

    for (int a = 0; a < p->n_accesses; a++) {
        if (p->memory[m].holds >> a & 1)
            size[a] = sator_mapper_tile_words(
                    o->search->words, a, o->at.shape.inside[p->memory[m].row]);
    }
    return sator_mapper_fits(p, m, size, NULL);
}

/* The sizes of memory "m"'s tile after a change along "loop" (-1: of everything). */
void optimal_refresh_sizes(struct optimizer *o, int m, int loop, int64_t *size)
{
    const struct mapper_problem *p = o->problem;

    for (int a = 0; a < p->n_accesses; a++) {
        if (!(p->memory[m].holds >> a & 1))
            size[a] = 0;
        else if (loop < 0 || (p->access[a].relevant >> loop & 1))
            size[a] = sator_mapper_tile_words(
                    o->search->words, a, o->at.shape.inside[p->memory[m].row]);
    }
}

/* Keep the shape's suffix products right from row "row" outward for one loop. */
void optimal_refresh_shape(
        const struct mapper_problem *problem, struct optimal_branch *branch, int row, int loop)
{
    int64_t extent = problem->extent[loop];

    for (int r = row; r >= 0; r--) {
        int64_t inside = branch->shape.inside[r + 1][loop] * branch->mapping.factor[r][loop];
        branch->shape.inside[r][loop] = inside < extent ? inside : extent;
    }
}

/* ---- the whole ---- */

static uint64_t looks_of(const struct optimizer *o)
{
    const struct sator_map_counters *c = &o->search->counters;

    return c->unrollings / 2 > c->tilings + c->orders ? c->unrollings / 2 : c->tilings + c->orders;
}

void optimal_climb(struct optimizer *o)
{
    uint64_t looks = looks_of(o);

    if (looks < o->table.climbs_at ||
            o->plan->orders) /* what is near the best was tried with the usual one */
        return;
    o->table.climbs_at = looks + 4 * (looks - o->table.climbs_at + WORTH_A_CLIMB);
    sator_mapper_climb(o->search, CLIMB_TRIES);
}

/* Equal bounds are visited in no particular order, always the same one: neighbours in the list are
 * alike, and the first few are to be different. Odd factors and shifts lose nothing. */
static uint32_t scramble(uint32_t number)
{
    number *= UINT32_C(2654435761);
    number ^= number >> 15;
    return number * UINT32_C(2246822519);
}

/* The crew is another one: its words may spare and lend other energies. */
static void know_least(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_crew *crew = &o->at.crew;
    size_t n = (size_t)p->n_transfers;

    if (!p->lends ||
            (memcmp(o->table.least_lent_pj, crew->lent_pj, sizeof *crew->lent_pj * n) == 0 &&
                    memcmp(o->table.least_ratio, crew->ratio, sizeof *crew->ratio * n) == 0))
        return;
    note_crew(o);
    for (int child = 0; child <= p->n_memories; child++) {
        bool listed = child < p->n_memories && o->table.outer[child].complete;
        double pj = listed ? o->table.outer[child].least.pj : sator_mapper_least_pj(p, crew, child);
        o->table.least[child + 1].pj = o->table.least[child].pj + pj;
    }
}

/* Bound the transfers into the compute units, and with them the whole. The factors of "open" rows
 * are not chosen yet. */
static struct mapper_cost bound_unrolling(
        struct optimizer *o, unsigned open, struct mapper_share *fixed, struct mapper_share *share)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    o->at.shape.in_any_order = o->at.is_unordered;
    sator_mapper_crew_init(p, &o->at.shape, open, &o->at.crew);
    know_least(o);
    sator_mapper_bounds_crew(o->bounds, &o->at.crew);
    sator_mapper_bounds_known(o->bounds, p->n_memories);
    sator_mapper_bounds_compute(o->bounds, o->at.compute_cycles);
    *fixed = optimal_fixed(o->problem, &o->at);
    struct mapper_share all = *fixed;
    sator_mapper_share_add(p, &all, &o->table.least[p->n_memories]);
    sator_mapper_bounds_beside(o->bounds, &all);
    sator_mapper_bounds_share(
            o->bounds, p->n_memories, &o->at.shape, optimal_ones, o->at.rest, share);
    sator_mapper_bounds_beside(o->bounds, NULL);
    sator_mapper_share_add(p, &all, share);
    return optimal_cost(o->problem, &o->at, &all);
}

/* Let the unrolling take its share of the loops. */
static void spread(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct unrolling *u)
{
    for (int i = 0; i < plan->problem->n_loops; i++) {
        branch->parallel[i] *= u->factor[i];
        if (!plan->imperfect)
            branch->rest[i] /= u->factor[i];
    }
}

static void gather(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct unrolling *u)
{
    for (int i = 0; i < plan->problem->n_loops; i++) {
        branch->parallel[i] /= u->factor[i];
        if (!plan->imperfect)
            branch->rest[i] *= u->factor[i];
    }
}

static double listing_rank(
        const struct optimal_plan *plan, const struct optimal_branch *branch, int loop)
{
    double longest = 0x1p41; /* beyond any extent */

    if (!plan->slides[loop])
        return 2 * longest;
    return (optimal_is_spread(plan, branch, loop) ? 0 : longest) +
            (double)plan->problem->extent[loop];
}

/* The order in which tiles are listed: sliding loops first, those that run in parallel before the
 * others and short ones before long ones (a window's loops leave no gaps once they are known); then
 * plain loops. */
void optimal_order_listing(const struct optimal_plan *plan, struct optimal_branch *branch)
{
    const struct mapper_problem *p = plan->problem;

    for (int i = 0; i < p->n_loops; i++) {
        int at = i;
        for (; at > 0 &&
                listing_rank(plan, branch, branch->listing[at - 1]) > listing_rank(plan, branch, i);
                at--)
            branch->listing[at] = branch->listing[at - 1];
        branch->listing[at] = i;
    }
}

/* Search the tiles of the unrolling chosen, whose transfers into the compute units cost "share". */
static void search_tiles(struct optimizer *o, const struct visit *visit,
        const struct mapper_share *fixed, const struct mapper_share *share)
{
    optimal_know_unrolling(o->plan, &o->at, visit->choice);
    optimal_know_grown(o->plan, &o->at);
    optimal_order_listing(o->plan, &o->at);
    optimal_find_crowded(o->plan, &o->at);
    optimal_choose_tiles(o, o->problem->n_memories - 1, &(struct inner){fixed, share});
}

void optimal_visit(struct optimizer *o, const struct visit *visit)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share fixed, share;

    o->at.compute_cycles = visit->compute_cycles;
    for (int c = 0; c < o->plan->n_classes; c++)
        spread(o->plan, &o->at, &o->plan->class[c].choice[visit->choice[c]]);
    for (int c = 0; c < o->plan->n_classes; c++)
        optimal_place_unrolling(
                o, &o->plan->class[c], &o -> plan -> class[c].choice[visit->choice[c]]);
    if (o->plan->imperfect) {
        optimal_take_unrolling(o);
        optimal_take_tiles(o->plan, &o->at);
    }
    struct mapper_cost bound = bound_unrolling(o, 0, &fixed, &share); /* more may be known by now */
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
    } else {
        search_tiles(o, visit, &fixed, &share);
    }
    for (int c = 0; c < o->plan->n_classes; c++)
        gather(o->plan, &o->at, &o->plan->class[c].choice[visit->choice[c]]);
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops; i++)
            o->at.mapping.factor[r][i] = 1;
    }
}

static int by_visit(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Nothing is chosen. */
static void init_branch(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int i = 0; i < p->n_loops; i++) {
        o->at.rest[i] = p->extent[i];
        o->at.parallel[i] = 1;
    }
    sator_mapper_mapping_init(p, &o->at.mapping);
}

/* Visit the unrollings listed, the best bound first: a few of them by their best tiles only, for a
 * good mapping to measure the rest against ("dive"), or all. "rest" bounds the unrollings not
 * listed yet. */
static void visit_listed(struct optimizer *o, bool dive, double rest)
{
    struct visits *visits = &o->table.visits;

    rest = fmin(rest, o->at.later);
    int count = dive && visits->count > DIVES ? DIVES : visits->count;
    o->at.width = dive ? 1 : INT32_MAX;
    if (visits->count > 0)
        qsort(visits->item, (size_t)visits->count, sizeof *visits->item, by_visit);
    for (int k = 0; k < count && !sator_mapper_should_stop(o->search); k++) {
        const struct visit *visit = &visits->item[k];
        if (!dive && o->search->most_looks == 0 && optimal_is_worth_a_team(o)) {
            o->table.climbs_at = UINT64_MAX; /* what a visit finds is its own */
            optimal_visit_as_team(o, k, rest);
            break;
        }
        double open = visits->item[dive ? 0 : k].value; /* the least that is not settled */
        o->search->bound = open < rest ? open : rest;
        if (!dive && o->table.n_listings > OPTIMAL_WORTH_A_TABLE)
            optimal_tabulate(o);
        if (!sator_mapper_is_hopeless(o->search, visit->pj, visit->cycles))
            optimal_visit(o, visit);
        else
            o->search->counters.pruned_unrolling += !dive;
    }
}

static void visit_all(struct optimizer *o, double rest)
{
    visit_listed(o, true, rest);
    if (!o->search->only_dives)
        visit_listed(o, false, rest);
    o->table.visits.count = 0;
}

/* While unrollings are still being listed: a mapping to measure the others against. */
static void dive_early(struct optimizer *o)
{
    struct mapper_mapping mapping = o->at.mapping;
    int64_t rest[MAPPER_LOOPS], parallel[MAPPER_LOOPS];
    double compute = o->at.compute_cycles;

    memcpy(rest, o->at.rest, sizeof rest);
    memcpy(parallel, o->at.parallel, sizeof parallel);
    init_branch(o);
    visit_listed(o, true, o->search->bound);
    o->at.mapping = mapping;
    memcpy(o->at.rest, rest, sizeof rest);
    memcpy(o->at.parallel, parallel, sizeof parallel);
    o->at.compute_cycles = compute;
}

static void add_visit(struct optimizer *o, const int *choice)
{
    struct visits *visits = &o->table.visits;
    struct mapper_share fixed, share;

    if ((sator_mapper_passed(o->problem, &o->at.mapping) != 0) != o->at.passing ||
            (o->at.is_unordered && !sator_mapper_has_orders(o->problem, &o->at.mapping)))
        return;
    if ((o->plan->imperfect && !optimal_take_unrolling(o)) || optimal_is_moved(o) ||
            !sator_mapper_may_spread(o->problem, &o->at.mapping, ~0U))
        return;
    optimal_know_unrolling(o->plan, &o->at, choice);
    if (optimal_is_image(o->plan, &o->at, NULL))
        return;
    o->search->counters.unrollings++;
    optimal_climb(o);
    double compute = o->at.compute_cycles; /* of any unrolling of as many PEs */
    if (o->plan->imperfect)
        o->at.compute_cycles = optimal_least_compute(o->plan, &o->at);
    if (o->problem->skew != NULL)
        o->at.compute_cycles = optimal_skewed_compute(o->problem, &o->at, o->problem->n_memories);
    struct mapper_cost bound = bound_unrolling(o, 0, &fixed, &share);
    double least_cycles = o->at.compute_cycles;
    o->at.compute_cycles = compute;
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
        return;
    }
    if (visits->count == visits->room) {
        visits->room = visits->room == 0 ? 1024 : 2 * visits->room;
        visits->item = sator_realloc(visits->item, sizeof *visits->item * (size_t)visits->room);
    }
    struct visit *visit = &visits->item[visits->count];
    if (o->at.crosses.value > bound.value)
        bound = o->at.crosses;
    *visit = (struct visit){.value = bound.value,
            .pj = bound.pj,
            .cycles = bound.cycles,
            .compute_cycles = least_cycles,
            .number = scramble((uint32_t)visits->count++)};
    memcpy(visit->choice, choice, sizeof *choice * (size_t)o->plan->n_classes);
    if (visits->count == CHUNK && !o->search->found)
        dive_early(o);
}

/* Whether nothing with the unrolling of the inner arrays can win, whatever that of the outer ones:
 * one PE after the other, all of these would fill the compute units with no more words. */
static bool is_inner_hopeless(struct optimizer *o)
{
    struct mapper_share fixed, share;
    double compute = o->at.compute_cycles;
    unsigned open = 0;

    for (int c = 0; c < o->plan->n_outer; c++) {
        for (int k = 0; k < o->plan->class[c].n_rows; k++)
            open |= 1U << o->plan->class[c].row[k];
    }
    if (o->plan->imperfect)
        o->at.compute_cycles *= optimal_idle_share(o->plan, &o->at);
    sator_mapper_bounds_strides(o->bounds, true);
    struct mapper_cost bound = bound_unrolling(o, open, &fixed, &share);
    sator_mapper_bounds_strides(o->bounds, false);
    o->at.compute_cycles = compute;
    if (!sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
        return false;
    o->search->counters.pruned_unrolling++;
    return true;
}

/* List unrollings of the sizes "size" for the first "c" classes, those of the others are chosen. */
static void list_unrollings(struct optimizer *o, const int *size, int c, int *choice)
{
    const struct mapper_problem *p = o->problem;

    if (c == 0) {
        add_visit(o, choice);
        return;
    }
    if ((c == o->plan->n_outer || c == o->plan->n_outside) && o->plan->imperfect &&
            !optimal_take_unrolling(o))
        return;
    if (c == o->plan->n_outer && is_inner_hopeless(o))
        return;
    const struct row_class *class = &o->plan->class[--c];
    for (int k = class->first[size[c]]; k < class->first[size[c] + 1]; k++) {
        const struct unrolling *u = &class->choice[k];
        bool divides = true;
        for (int i = 0; i < p->n_loops && divides; i++)
            divides = o->plan->imperfect ? optimal_can_unroll(o, class->row[0], i, u->factor[i])
                                         : o->at.rest[i] % u->factor[i] == 0;
        if (!divides)
            continue;
        if (optimal_crosses_too_much(o, c, k, &o->at.crosses)) {
            o->search->counters.pruned_unrolling++;
            continue;
        }
        if (!optimal_place_unrolling(o, class, u))
            continue;
        spread(o->plan, &o->at, u);
        choice[c] = k;
        list_unrollings(o, size, c, choice);
        gather(o->plan, &o->at, u);
        if (sator_mapper_should_stop(o->search))
            break;
    }
    for (int k = 0; k < class->n_rows; k++) {
        for (int i = 0; i < p->n_loops; i++)
            o->at.mapping.factor[class->row[k]][i] = 1;
    }
}

/* No unrolling is chosen. */
static void know_nothing(struct optimizer *o)
{
    o->at.crew = o->plan->unknown;
    know_least(o);
}

/* Search the unrollings of all sizes, if words pass from PE to PE there as "passing" says.
 */
static void search_sizes(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const struct sizes *list = o->plan->sizes;
    int choice[MAPPER_ROWS];
    double pes = 1;

    for (int r = 0; r < p->n_rows; r++)
        pes *= p->row[r].is_space ? (double)p->row[r].shape : 1;
    for (int k = 0; k < o->plan->n_sizes && list[k].pes >= p->least_utilization * pes; k++) {
        o->at.compute_cycles = (double)p->instances / list[k].pes * p->cycles_per_instance;
        know_nothing(o);
        struct mapper_share all = optimal_fixed(o->problem, &o->at);
        sator_mapper_share_add(p, &all, &o->table.least[p->n_memories + 1]);
        struct mapper_cost bound = optimal_cost(o->problem, &o->at, &all);
        if (k == 0 && !o->at.passing && o->at.later < INFINITY)
            o->at.later = bound.value;
        if (o->table.visits.count == 0) /* the least of all that is not settled yet */
            o->search->bound = fmin(bound.value, o->at.later);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
            break; /* fewer PEs take longer, at no less energy */
        optimal_open_crossing(o, list[k].size);
        list_unrollings(o, list[k].size, o->plan->n_classes, choice);
        if (o->table.visits.count >= CHUNK)
            visit_all(o, bound.value);
        if (o->table.visits.count == 0 && o->search->only_dives && o->search->found)
            return; /* with a mapping of those that use most PEs */
        if (o->search->stopped != SATOR_OK)
            return;
    }
    visit_all(o, INFINITY);
}

static void search_all(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    bool may_pass = false;

    for (int t = 0; t < p->n_transfers; t++)
        may_pass |= p->transfer[t].may_pass;
    o->at.passing = false;
    o->at.later = may_pass ? 0 : INFINITY;
    search_sizes(o);
    if (may_pass && o->search->stopped == SATOR_OK) {
        o->at.passing = true;
        o->at.later = INFINITY;
        search_sizes(o);
    }
    if (o->search->stopped != SATOR_OK || o->search->only_dives || o->search->gave_up)
        return;
    sator_mapper_finish(o->search);
}

/* ---- an optimizer ---- */

struct optimizer *optimal_new(struct mapper_search *search, const struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    struct optimizer *o = sator_alloc(sizeof *o);

    memset(o, 0, sizeof *o);
    o->search = search;
    o->problem = p;
    o->plan = plan;
    o->arena = sator_arena_new();
    o->bounds = sator_mapper_bounds_new(p, search->words);
    o->tiling = optimal_tiling_new(p);
    o->table.factors = sator_arena_take(o->arena, sizeof *o->table.factors * MAPPER_LOOPS);
    o->table.climbs_at = looks_of(o) + (p->n_rows <= SHALLOW ? WORTH_SHALLOW : WORTH_A_CLIMB);
    init_branch(o);
    o->at.is_unordered = plan->orders;
    o->at.crew = plan->unknown;
    sator_mapper_bounds_crew(o->bounds, &o->at.crew);
    for (int i = 0; i < p->n_loops && plan->imperfect; i++) {
        size_t n_marks = (size_t)plan->most_lanes[i] + 1;
        const char **marks = SATOR_NEW_ARRAY(o->arena, const char *, n_marks);
        memset(marks, 0, sizeof *marks * n_marks);
        o->table.lane_spreads[i] = marks;
        o->at.inner[i] = SATOR_NEW_ARRAY(o->arena, int64_t, plan->n_most_inner[i]);
    }
    optimal_find_least(o);
    return o;
}

void optimal_free(struct optimizer *o)
{
    for (int m = 0; m < o->problem->n_memories; m++)
        free(o->table.tile_list[m].item);
    free(o->table.visits.item);
    optimal_tiling_free(o->tiling);
    sator_mapper_bounds_free(o->bounds);
    sator_arena_free(o->arena);
    free(o);
}

/* What of the plan needs no bounds; the rest is made with an optimizer at hand. */
static void begin_plan(
        struct mapper_search *search, struct optimal_plan *plan, struct sator_arena *arena)
{
    const struct mapper_problem *p = search->problem;

    memset(plan, 0, sizeof *plan);
    plan->problem = p;
    plan->imperfect = p->imperfect;
    plan->orders = search->searches_orders;
    for (int i = 0; i < p->n_loops; i++) {
        for (int a = 0; a < p->n_accesses; a++)
            plan->slides[i] |= (p->access[a].relevant & ~p->access[a].plain) >> i & 1;
        if (!plan->imperfect)
            plan->n_divisors[i] = sator_mapper_divisors(arena, p->extent[i], &plan->divisors[i]);
    }
    if (plan->imperfect)
        optimal_find_tiles(search->words, plan, arena);
    sator_mapper_crew_unknown(p, &plan->unknown);
    optimal_find_symmetries(plan);
    optimal_find_most(search->words, plan);
    optimal_find_grown(plan);
}

static void optimize(struct mapper_search *search)
{
    struct sator_arena *arena = sator_arena_new();
    struct optimal_plan *plan = SATOR_NEW(arena, struct optimal_plan);

    begin_plan(search, plan, arena);
    struct optimizer *o = optimal_new(search, plan);
    optimal_find_unrollings(o, plan, arena);
    optimal_find_crossing(plan, arena);
    search_all(o);
    for (int m = 0; m < search->problem->n_memories; m++)
        free(o->table.outer[m].item);
    optimal_free(o);
    sator_arena_free(arena);
}

/* Search the mappings of "p" with the best so far to beat. */
static void search_problem(struct mapper_search *search, const struct mapper_problem *p)
{
    const struct mapper_problem *all = search->problem;

    search->problem = p;
    search->proved = false;
    optimize(search); /* after a stop: only finds its bound */
    search->problem = all;
}

/* Give up after so much work on top of what was done; what was proved is then all that is. */
static bool search_within(
        struct mapper_search *search, const struct mapper_problem *p, uint64_t most_looks)
{
    struct sator_map_options alone = *search->options;
    const struct sator_map_options *options = search->options;
    bool proved = search->proved;
    double bound = search->bound;

    alone.threads = 1; /* for the same to be looked at, however many there are */
    search->options = &alone;
    search->most_looks = sator_mapper_looks(search) + most_looks;
    search_problem(search, p);
    search->options = options;
    search->most_looks = 0;
    if (!search->gave_up)
        return true;
    search->gave_up = false;
    search->proved = proved && search->found;
    search->bound = bound;
    if (search->proved)
        sator_mapper_finish(search);
    return false;
}

/* Chains of ceilings last, with what is best without them to beat. Where they are too many their
 * search is given up: the proof is over the others then. */
static void search_chains(struct mapper_search *search)
{
    search->chains_open |= !search_within(search, search->problem, MOST_CHAIN_LOOKS);
}

struct reordering {
    struct mapper_search *search;
    struct mapper_mapping mapping;
};

static bool try_order(void *data, bool is_usual)
{
    struct reordering *reordering = data;

    if (!is_usual)
        sator_mapper_try(reordering->search, &reordering->mapping);
    return !sator_mapper_should_stop(reordering->search);
}

/* Other orders of the loops that share an array dimension, with what is best in the usual one to
 * beat, and the best mapping's own other orders first. */
static void search_row_orders(struct mapper_search *search, const struct mapper_problem *p)
{
    uint64_t before = sator_mapper_looks(search) / 2;
    struct reordering best = {search, search->best};
    double usual = search->bound; /* of the usual order, which the rest says nothing of */

    if (p->any_order == 0 || search->only_dives)
        return; /* after a stop what follows only finds its bound */
    if (search->stopped == SATOR_OK && search->found &&
            sator_mapper_is_legal(p, search->words, &search->best))
        sator_mapper_each_order(p, &best.mapping, try_order, &best);
    search->searches_orders = true;
    search->orders_open |=
            !search_within(search, p, before > MOST_ORDER_LOOKS ? before : MOST_ORDER_LOOKS);
    search->searches_orders = false;
    if (search->stopped != SATOR_OK)
        search->bound = fmin(search->bound, usual);
}

/* The best mapping of the hull, which has formulas, is one of the domain that it holds; then the
 * domain's own are searched as far as that takes no longer than a user waits: each is counted. */
static void search_hull(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct mapper_search alone = *search;
    struct sator_workload box = *p->workload;
    struct mapper_problem *hull = SATOR_NEW(p->arena, struct mapper_problem);
    unsigned bypassed[MAPPER_MEMORIES];
    struct sator_hush before;

    for (int m = 0; m < p->n_memories; m++)
        bypassed[m] = p->memory[m].bypassed;
    box.is_box = true;
    sator_ctx_hush(search->ctx, &before);
    enum sator_status st = sator_mapper_problem_init(
            search->ctx, p->arena, &box, p->arch, p->objective, bypassed, hull);
    sator_ctx_unhush(search->ctx, &before);
    if (st == SATOR_OK && !search->found) {
        memcpy(hull->row, p->row, sizeof hull->row);
        memcpy(hull->spread_limits, p->spread_limits, sizeof hull->spread_limits);
        hull->n_spread_limits = p->n_spread_limits;
        hull->has_fixed = p->has_fixed;
        hull->has_limits = p->has_limits;
        hull->has_orders = p->has_orders;
        hull->ordered = p->ordered;
        hull->least_utilization = p->least_utilization;
        hull->watch = p->watch;
        alone.problem = hull;
        alone.words = sator_mapper_words_new(hull);
        optimize(&alone);
        sator_mapper_words_free(alone.words);
        search->counters = alone.counters;
        search->stopped = alone.stopped;
        if (alone.found && sator_mapper_is_legal(p, search->words, &alone.best))
            sator_mapper_try(search, &alone.best);
    }
    search->most_looks = sator_mapper_looks(search) + MOST_HULL_LOOKS;
    optimize(search);
    search->most_looks = 0;
    search->hull_open |= search->gave_up;
    search->gave_up = false;
}

void sator_mapper_optimal(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct mapper_problem perfect = *p, filled = *p;

    perfect.imperfect = perfect.chains = filled.chains = false;
    if (p->has_fixed && !sator_mapper_is_feasible(p)) {
        search->proved = true; /* that there is none */
        return;
    }
    if (p->in_hull) {
        search_hull(search);
        return;
    }
    if (!p->imperfect) {
        optimize(search);
        search_row_orders(search, p);
        return;
    }
    /* the best of those that are searched faster are ones to measure the others against */
    if (sator_mapper_is_feasible(&perfect))
        search_problem(search, &perfect);
    search_problem(search, &filled);
    search_chains(search);
    search_row_orders(search, &filled);
    search_row_orders(search, p);
}
