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

/* ---- an optimizer ---- */

struct optimizer *optimal_new(struct mapper_search *search, const struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    struct optimizer *o = sator_calloc(1, sizeof *o);

    o->search = search;
    o->problem = p;
    o->plan = plan;
    o->arena = sator_arena_new();
    o->bounds = sator_mapper_bounds_new(p, search->words, plan->joined);
    o->given = sator_mapper_bounds_given(o->bounds);
    o->bounded = sator_mapper_bounds_problem(o->bounds);
    o->bounded_words = sator_mapper_bounds_words(o->bounds);
    o->tiling = optimal_tiling_new(p);
    o->table.factors = sator_arena_take(o->arena, sizeof *o->table.factors * MAPPER_LOOPS);
    o->table.climbs_at = optimal_looks(o) + (p->has_counted ? WORTH_COUNTED : WORTH_A_CLIMB);
    o->table.anew_at = optimal_looks(o) + WORTH_ANEW;
    optimal_begin(o);
    o->at.is_unordered = plan->orders;
    o->at.crew = plan->unknown;
    o->given->crew = &o->at.crew;
    for (int i = 0; i < p->n_loops && plan->imperfect; i++) {
        o->table.lane_spreads[i] = SATOR_NEW_ARRAY(o->arena, const char *, plan->most_lanes[i] + 1);
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

void optimal_search_usual(struct mapper_search *search)
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

void optimal_search_problem(struct mapper_search *search, const struct mapper_problem *p)
{
    const struct mapper_problem *all = search->problem;

    search->problem = p;
    search->proved = false;
    optimal_search_usual(search); /* after a stop: only finds its bound */
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
    optimal_search_problem(search, p);
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

/* Climb among the chains of ceilings of "p" for as long as that leads to better ones. */
static void climb_chains(struct mapper_search *search, const struct mapper_problem *p, int tries)
{
    struct mapper_cost best;
    int n = 0;

    search->wider = p;
    do {
        best = search->best_cost;
        sator_mapper_climb_wider(search, tries, n++);
    } while (search->best_cost.value < best.value);
    search->wider = NULL;
    if (search->proved)
        sator_mapper_finish(search);
}

/* Search the chains of ceilings of "p", with what is best without them to beat; false where they
 * are too many: the proof is over the others then, and a climb may find better ones. So few that
 * all could be looked at are searched to the end. */
static bool search_chains(struct mapper_search *search, const struct mapper_problem *p, int tries)
{
    bool is_small = p->instances <= SMALL_DOMAIN && /* what follows takes a while */
            sator_mapper_space_size(p) <= SMALL_SPACE;
    uint64_t most = is_small ? UINT64_C(1) << 40 : MOST_CHAIN_LOOKS;
    bool ends = search_within(search, p, most);

    if (!ends && search->found)
        climb_chains(search, p, tries);
    return ends;
}

/* Whether words pass from PE to PE in some mapping, so that bounds know less of PEs that are idle.
 */
static bool passes_on(const struct mapper_problem *p)
{
    bool passes = p->linked_rows != 0;

    for (int t = 0; t < p->n_transfers; t++)
        passes |= p->transfer[t].may_pass && p->transfer[t].grouped_rows == 0;
    return passes;
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

void optimal_search_orders(struct mapper_search *search, const struct mapper_problem *p)
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

/* Chains last: where words pass from PE to PE those that leave none of these idle, then all. */
static void search_all_chains(struct mapper_search *search, const struct mapper_problem *filled)
{
    const struct mapper_problem *p = search->problem;
    bool is_kept = passes_on(p) && !p->only_chains, ends_kept = false;

    if (is_kept) {
        struct mapper_problem *kept = sator_alloc(sizeof *kept);
        *kept = *p;
        kept->keeps_filled = true;
        ends_kept = search_chains(search, kept, CHAIN_TRIES);
        free(kept);
    }
    bool ends = search_chains(search, p, is_kept ? IDLE_TRIES : CHAIN_TRIES);
    search->chains_open |= !ends && !ends_kept;
    search->idle_open |= !ends && ends_kept;
    optimal_search_orders(search, filled);
    optimal_search_orders(search, p);
}

/* Skewed arrays whose words are counted: what is proved is over the others where this is given up,
 * or some mapping that could be better could not be counted. */
static void search_counted(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    bool known = !search->has_unknown, open = search->orders_open;

    search->orders_open = false; /* of this problem */
    search->most_work = MOST_COUNTED_WORK / 4; /* visit_listed gives more */
    bool ends = search_within(search, p, most_counted_looks(p));
    if (ends)
        optimal_search_orders(search, p);
    search->most_work = 0;
    search->counted_open |= !ends || search->orders_open || (known && !search->proved);
    search->orders_open = open;
}

/* Skewed arrays with remainders, in the same way. */
static void search_short(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    bool known = !search->has_unknown, open = search->orders_open;

    search->orders_open = false; /* of this problem */
    bool ends = search_chains(search, p, CHAIN_TRIES);
    if (ends)
        optimal_search_orders(search, p);
    search->short_open |= !ends || search->orders_open || (known && !search->proved);
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
        optimal_search_hull_chains(search, &perfect);
        return;
    }
    struct mapper_problem *near = p->has_counted && p->skew == NULL && !p->imperfect
            ? sator_mapper_near(search->ctx, p)
            : NULL;
    if (p->in_hull || near != NULL) {
        optimal_search_near(search, near);
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
    if (sator_mapper_ends_short(p)) {
        search_short(search);
        return;
    }
    if (!p->imperfect) {
        bool begins = search->stopped == SATOR_OK;
        optimal_search_usual(search);
        if (begins) /* else the bound is one of all orders */
            optimal_search_orders(search, p);
        return;
    }
    /* the best of those that are searched faster are ones to measure the others against; of the
     * perfect ones phases are known exactly */
    if (search->timer != NULL)
        sator_mapper_know_phases(&perfect);
    search->wider = p->only_chains ? NULL : p;
    if (sator_mapper_is_feasible(&perfect))
        optimal_search_problem(search, &perfect);
    search->wider = NULL;
    if (!p->only_chains)
        optimal_search_problem(search, &filled);
    search_all_chains(search, p->only_chains ? &perfect : &filled);
}
