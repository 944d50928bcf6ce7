/* Branch and bound over unrollings, tiles and orders (doc/search.md, "The optimal strategy").
 *
 * Unrollings are visited by the PEs they use, most first; when even the cheapest conceivable energy
 * at that parallelism cannot win, the rest cannot either. Below an unrolling the tiles are chosen
 * from the innermost memory outward, those with the best bound first, and below a full tiling the
 * loop orders, innermost loop first. Every cut is made by a bound that holds for all that it cuts
 * off.
 */
#include "mapper/strategies/optimal.h"
#include "mapper/phases/phases.h"
#include "mapper/problem/skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    o->bounds = sator_mapper_bounds_new(p, search->words, plan->joined);
    o->bounded = sator_mapper_bounds_problem(o->bounds);
    o->bounded_words = sator_mapper_bounds_words(o->bounds);
    o->tiling = optimal_tiling_new(p);
    o->table.factors = sator_arena_take(o->arena, sizeof *o->table.factors * MAPPER_LOOPS);
    o->table.climbs_at = optimal_looks(o) + (p->has_counted ? WORTH_COUNTED : WORTH_A_CLIMB);
    o->table.anew_at = optimal_looks(o) + WORTH_ANEW;
    optimal_begin(o);
    o->at.is_unordered = plan->orders;
    o->at.crew = plan->unknown;
    sator_mapper_bounds_given(o->bounds)->crew = &o->at.crew;
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
    for (int m = 0; m < o->problem->n_memories; m++) {
        free(o->table.tile_list[m].item);
        optimal_free_outer(&o->table.middle[m]);
    }
    optimal_free_parts(o);
    free(o->table.innermost.item);
    free(o->table.visits.item);
    free(o->table.visits.alike);
    free(o->table.row_orders.item);
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

/* Whether to begin with a climb: it takes less time than to list the unrollings, or the budget may
 * end before the search leads to one. Not in a small part of a larger space: to search all of it
 * takes less, and leaves more of the budget to the rest. */
static bool climbs_first(const struct mapper_search *search, const struct optimal_plan *plan)
{
    double n = 1;

    for (int i = 0; i < plan->problem->n_loops; i++)
        n *= plan->imperfect ? 1 : plan->n_divisors[i];
    return n > WORTH_A_START ||
            (sator_mapper_is_short(search) && (search->wider == NULL || n > WORTH_A_SHORT_START));
}

static void optimize(struct mapper_search *search)
{
    struct sator_arena *arena = sator_arena_new();
    struct optimal_plan *plan = SATOR_NEW(arena, struct optimal_plan);

    begin_plan(search, plan, arena);
    struct optimizer *o = optimal_new(search, plan);
    o->group = search->group;
    if (!search->found && climbs_first(search, plan)) {
        o->table.climbs_at = 0;
        optimal_climb(o);
    }
    optimal_find_unrollings(o, plan, arena);
    if (search->stopped == SATOR_OK) { /* else a bound of all is asked for, and no more */
        optimal_find_crossing(plan, arena);
        optimal_find_middle(plan);
    }
    optimal_search(o);
    for (int m = 0; m < search->problem->n_memories; m++)
        optimal_free_outer(&o->table.outer[m]);
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

/* Climb among chains of ceilings for as long as that leads to better ones. */
static void climb_chains(struct mapper_search *search)
{
    struct mapper_cost best;
    int n = 0;

    search->wider = search->problem;
    do {
        best = search->best_cost;
        sator_mapper_climb_wider(search, CHAIN_TRIES, n++);
    } while (search->best_cost.value < best.value);
    search->wider = NULL;
    if (search->proved)
        sator_mapper_finish(search);
}

/* Chains of ceilings last, with what is best without them to beat. Where they are too many their
 * search is given up: the proof is over the others then, and a climb may find better ones. So few
 * that all could be looked at are searched to the end. */
static void search_chains(struct mapper_search *search)
{
    bool is_small = search->problem->instances <= SMALL_DOMAIN && /* what follows takes a while */
            sator_mapper_space_size(search->problem) <= SMALL_SPACE;
    uint64_t most = is_small ? UINT64_C(1) << 40 : MOST_CHAIN_LOOKS;

    if (search_within(search, search->problem, most))
        return;
    search->chains_open = true;
    if (search->found)
        climb_chains(search);
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

/* What the search of a skew under which words are counted may look at: more, where formulas count
 * all of them. Skews that are searched together have no more: their tiles are listed once. */
static uint64_t most_counted_looks(const struct mapper_problem *p)
{
    bool asks = false;

    for (int t = 0; t < p->n_transfers; t++)
        asks |= p->transfer[t].is_counted && p->transfer[t].links_alone == NULL;
    return asks ? MOST_ASKED_LOOKS : MOST_COUNTED_LOOKS;
}

/* Try the other orders in which loops of the best mapping may share array dimensions. */
static void try_orders_of_best(struct mapper_search *search, const struct mapper_problem *p)
{
    struct reordering best = {search, search->best};

    if (search->stopped == SATOR_OK && search->found &&
            sator_mapper_is_legal(p, search->words, &search->best))
        sator_mapper_each_order(p, &best.mapping, try_order, &best);
}

/* Other orders of the loops that share an array dimension, with what is best in the usual one to
 * beat, and the best mapping's own other orders first. */
static void search_row_orders(struct mapper_search *search, const struct mapper_problem *p)
{
    uint64_t before = sator_mapper_looks(search) / 2;
    bool counts = sator_mapper_counts_skew(p);
    uint64_t least = counts || p->imperfect ? MOST_DEAR_ORDER_LOOKS : MOST_ORDER_LOOKS;
    least = counts && most_counted_looks(p) > least ? most_counted_looks(p) : least;
    uint64_t most = p->in_hull ? MOST_HULL_LOOKS : before > least ? before : least;
    double usual = search->bound; /* of the usual order, which the rest says nothing of */

    if (p->any_order == 0 || search->only_dives)
        return; /* after a stop what follows only finds its bound */
    if (search->group == NULL) /* else "p" has no mappings */
        try_orders_of_best(search, p);
    search->searches_orders = true;
    search->orders_open |= !search_within(search, p, most);
    search->searches_orders = false;
    if (search->stopped != SATOR_OK)
        search->bound = fmin(search->bound, usual);
}

/* Whether the engines count the mapping, which is tried then. */
static bool try_counted(struct mapper_search *search, const struct mapper_mapping *mapping)
{
    const bool has_unknown = search->has_unknown;
    const double unknown_bound = search->unknown_bound;

    if (!sator_mapper_is_legal(search->problem, search->words, mapping))
        return false;
    search->has_unknown = false;
    sator_mapper_try(search, mapping);
    const bool is_counted = !search->has_unknown;
    search->has_unknown = has_unknown; /* what is not counted is met again, or left out */
    search->unknown_bound = unknown_bound;
    return is_counted;
}

/* Let the outermost memory have the smallest factor of an array dimension; false: there is none. */
static bool thin_out(const struct mapper_problem *p, struct mapper_mapping *mapping)
{
    int row = -1, loop = -1;

    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops && p->row[r].is_space; i++) {
            const int64_t factor = mapping->factor[r][i];
            if (factor == 1 || (row >= 0 && factor >= mapping->factor[row][loop]))
                continue;
            row = r;
            loop = i;
        }
    }
    if (row < 0)
        return false;
    mapping->factor[p->memory[0].row][loop] *= mapping->factor[row][loop];
    mapping->factor[row][loop] = 1;
    return true;
}

/* Try what was the best over there, from the last on, up to the first that the engines count. Where
 * that is not the last one, this is tried on fewer and fewer PEs, too: the fewer digits the more is
 * counted. */
static void try_trail(struct mapper_search *search, const struct mapper_trail *trail)
{
    const uint64_t n = trail->n < MAPPER_TRAIL ? trail->n : MAPPER_TRAIL;
    struct mapper_mapping thinner;
    uint64_t k = 0;
    bool is_counted = false;

    for (; k < n && !is_counted && !sator_mapper_should_stop(search); k++)
        is_counted = try_counted(search, &trail->mapping[(trail->n - 1 - k) % MAPPER_TRAIL]);
    if (n == 0 || (is_counted && k == 1))
        return;
    thinner = trail->mapping[(trail->n - 1) % MAPPER_TRAIL];
    is_counted = false;
    while (!is_counted && !sator_mapper_should_stop(search) && thin_out(search->problem, &thinner))
        is_counted = try_counted(search, &thinner);
}

/* Search the problem near this one, and try its best mapping: by the scheduled time, whatever is
 * known, for phases have formulas there, but for short tiles. */
static void try_best_of_near(struct mapper_search *search, struct mapper_problem *near)
{
    struct mapper_search alone = *search;
    struct sator_map_options options = *search->options;
    struct mapper_timer timer = {0};
    struct mapper_trail *trail = sator_alloc(sizeof *trail);
    uint64_t improvements = search->counters.improvements; /* those over there are none here */

    trail->n = 0;
    options.threads = 1; /* for it to be the same, however many there are */
    alone.options = &options;
    alone.trail = trail;
    alone.found = false;
    alone.timer = NULL;
    if (search->timer != NULL && !near->imperfect) {
        sator_mapper_know_phases(near);
        alone.timer = &timer;
    }
    alone.problem = near;
    alone.words = sator_mapper_words_new(near);
    if (near->imperfect) /* each of the steps that this takes */
        alone.most_looks = sator_mapper_looks(search) + MOST_HULL_LOOKS;
    sator_mapper_optimal(&alone);
    sator_mapper_words_free(alone.words);
    search->counters = alone.counters;
    search->counters.improvements = improvements;
    search->stopped = timer.is_worn_out ? search->stopped : alone.stopped;
    try_trail(search, trail);
    free(trail);
}

/* Climb as if all instances of a memory moved what they do in the mean, and try what is reached:
 * which is the busiest takes as long as a hundred such figures. */
static void climb_evened(struct mapper_search *search, int turn)
{
    struct mapper_search alone = *search;
    struct mapper_problem even = *search->problem;

    even.has_inner_ports = false;
    alone.problem = &even;
    alone.timer = NULL;
    sator_mapper_climb_counted(&alone, turn);
    const bool is_better = alone.counters.improvements != search->counters.improvements;
    search->counters.evaluated = alone.counters.evaluated;
    search->counters.looks = alone.counters.looks;
    search->stopped = alone.stopped;
    if (is_better)
        try_counted(search, &alone.best);
}

/* Climb from the best mapping as long as that leads to better ones, for so much work. */
static void climb_within(struct mapper_search *search, uint64_t most_work,
        void (*climb)(struct mapper_search *search, int turn))
{
    int vain = 0; /* climbs in a row */

    search->most_work = sator_mapper_counting_work(search->words) + most_work;
    for (int turn = 0; vain < MOST_VAIN && !sator_mapper_should_stop(search); turn++) {
        uint64_t improvements = search->counters.improvements;
        climb(search, turn);
        vain = search->counters.improvements == improvements ? vain + 1 : 0;
    }
    search->most_work = 0;
    search->gave_up = false;
}

/* Climb from the best mapping, though each change is counted. */
static void climb_near(struct mapper_search *search)
{
    if (search->stopped != SATOR_OK || !search->found)
        return;
    if (search->problem->has_inner_ports)
        climb_within(search, MOST_HULL_WORK, climb_evened);
    climb_within(search, MOST_HULL_WORK, sator_mapper_climb_counted);
}

/* The best mapping of the problem near this one, which has formulas, is one of this; then its own
 * are searched as far as that takes no longer than a user waits: each is counted. */
static void search_near(struct mapper_search *search, struct mapper_problem *near)
{
    const struct mapper_problem *p = search->problem;

    if (near != NULL && (!search->found || search->timer != NULL)) {
        try_best_of_near(search, near);
        near->lengthened = p->domain; /* which the engines may not be able to count */
        if (search->timer == NULL && p->domain != NULL && search->stopped == SATOR_OK)
            try_best_of_near(search, near);
    }
    const uint64_t most_work = p->in_hull ? MOST_HULL_WORK : 0; /* a box is searched to its end */
    search->most_looks = p->in_hull ? sator_mapper_looks(search) + MOST_HULL_LOOKS : 0;
    search->most_work = most_work;
    bool begins = search->stopped == SATOR_OK;
    optimize(search);
    search->most_looks = search->most_work = 0;
    bool is_open = search->gave_up;
    search->hull_open |= is_open;
    search->orders_open |= is_open && p->any_order != 0;
    search->gave_up = false;
    search->most_work = begins ? 2 * most_work : 0;
    if (begins && !is_open)
        search_row_orders(search, p);
    search->most_work = 0;
    if (begins && is_open && !search->only_dives)
        climb_near(search);
}

/* Of a domain that is no box: the best of those with factors that divide, then of those with
 * remainders what is the best of the box around it, or near the best. The bound is of all, with no
 * factor known. */
static void search_hull_chains(struct mapper_search *search, const struct mapper_problem *perfect)
{
    const struct mapper_problem *p = search->problem;
    const enum sator_status before = search->stopped;

    if (before == SATOR_OK && sator_mapper_is_feasible(perfect)) {
        search->problem = perfect;
        search_near(search, sator_mapper_near(search->ctx, perfect));
        search->problem = p;
    }
    if (search->only_dives)
        return;
    struct mapper_problem *near = sator_mapper_near(search->ctx, p);
    if (near != NULL && search->stopped == SATOR_OK)
        try_best_of_near(search, near);
    climb_near(search);
    search->hull_open = true;
    const enum sator_status stopped = search->stopped;
    search->stopped = SATOR_LIMIT;
    search_problem(search, p);
    search->stopped = stopped;
}

/* Skewed arrays whose words are counted: what is proved is over the others where this is given up,
 * or some mapping that could be better could not be counted. */
static void search_counted(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    bool known = !search->has_unknown, open = search->orders_open;

    search->most_work = MOST_COUNTED_WORK / 4; /* visit_listed gives more */
    bool ends = search_within(search, p, most_counted_looks(p));
    if (ends)
        search_row_orders(search, p);
    search->most_work = 0;
    search->counted_open |= !ends || search->orders_open || (known && !search->proved);
    search->orders_open = open;
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
    if (p->in_hull && p->imperfect) {
        search_hull_chains(search, &perfect);
        return;
    }
    struct mapper_problem *near = p->has_counted && p->skew == NULL && !p->imperfect
            ? sator_mapper_near(search->ctx, p)
            : NULL;
    if (p->in_hull || near != NULL) {
        search_near(search, near);
        return;
    }
    if (sator_mapper_counts_skew(p)) {
        search_counted(search);
        return;
    }
    if (p->skew != NULL && p->skew->across) {
        uint64_t end = sator_mapper_looks(search) + MOST_JOINED_LOOKS;
        end = end > search->windows_end ? end : search->windows_end;
        search->n_refused = 0;
        search->windows_open |= !search_within(search, p, end - sator_mapper_looks(search));
        return;
    }
    if (!p->imperfect) {
        bool begins = search->stopped == SATOR_OK;
        optimize(search);
        if (begins) /* else the bound is one of all orders */
            search_row_orders(search, p);
        return;
    }
    /* the best of those that are searched faster are ones to measure the others against; of the
     * perfect ones phases are known exactly */
    if (search->timer != NULL)
        sator_mapper_know_phases(&perfect);
    search->wider = p->only_chains ? NULL : p;
    if (sator_mapper_is_feasible(&perfect))
        search_problem(search, &perfect);
    search->wider = NULL;
    if (!p->only_chains)
        search_problem(search, &filled);
    search_chains(search);
    search_row_orders(search, p->only_chains ? &perfect : &filled);
    search_row_orders(search, p);
}
