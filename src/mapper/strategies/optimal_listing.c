/* The unrollings in the order in which they are visited.
 *
 * Those that use most PEs come first, by chunks; of a chunk, those with the best bound.
 */
#include "mapper/phases/phases.h"
#include "mapper/problem/domain.h"
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Equal bounds are visited in no particular order, always the same one: neighbours in the list are
 * alike, and the first few are to be different. Odd factors and shifts lose nothing. */
static uint32_t scramble(uint32_t number)
{
    number *= UINT32_C(2654435761);
    number ^= number >> 15;
    return number * UINT32_C(2246822519);
}

static int by_visit(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;

    assert(!isnan(x->bound.value) && !isnan(y->bound.value));
    if (x->bound.value != y->bound.value)
        return x->bound.value < y->bound.value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static void sort_visits(struct visits *visits)
{
    if (visits->count > 0)
        qsort(visits->item, (size_t)visits->count, sizeof *visits->item, by_visit);
}

/* In a search that lasts: climb from elsewhere, as often as that is a small part of it. Not where
 * the engines are asked about what late links bring each time. */
static void climb_anew(struct optimizer *o)
{
    uint64_t looks = optimal_looks(o);

    if (looks < o->table.anew_at || !o->search->found || o->problem->has_late)
        return;
    o->table.anew_at = 2 * looks;
    sator_mapper_climb_anew(o->search, looks / LOOKS_A_TRY);
}

/* Visit the unrollings listed from those that are the "first" to be alike on with all threads.
 * Every now and then all of them wait for a climb from elsewhere. */
static void visit_in_rounds(struct optimizer *o, int first, double rest)
{
    const struct visits *visits = &o->table.visits;
    int end = first;

    o->table.climbs_at = UINT64_MAX; /* what a visit finds is its own */
    for (int length = LEAST_ROUND; first < visits->n_alike && !sator_mapper_should_stop(o->search);
            first = end, length *= 2) {
        climb_anew(o);
        for (int n = 0; end < visits->n_alike && n < length; end++)
            n += visits->alike[end].count;
        optimal_visit_as_team(o, first, end, rest);
    }
}

/* Where the engines count: what they may spend until the "k"-th of "n" unrollings is left, its part
 * of all. A search that is far behind would be given up in the end. */
static void allow_work(struct mapper_search *search, int k, int n)
{
    uint64_t part = (uint64_t)MOST_COUNTED_WORK * (uint64_t)(k + 1) / (uint64_t)n;

    if (search->most_work != 0 && part > search->most_work)
        search->most_work = part;
}

/* Visit the unrollings listed, the best bound first. "rest" bounds those not listed yet. */
static void visit_listed(struct optimizer *o, double rest)
{
    struct visits *visits = &o->table.visits;

    rest = fmin(rest, o->at.later);
    o->at.width = INT32_MAX;
    sort_visits(visits);
    optimal_find_alike(o);
    for (int k = 0; k < visits->n_alike && !sator_mapper_should_stop(o->search); k++) {
        const struct visit *first = &visits->item[visits->alike[k].first];
        allow_work(o->search, k, visits->n_alike);
        optimal_list_inner(o, visits->alike[k].first);
        if (o->search->most_looks == 0 && optimal_is_worth_a_team(o)) {
            visit_in_rounds(o, k, rest);
            break;
        }
        o->search->bound = fmin(first->bound.value, rest); /* the least that is not settled */
        if (optimal_is_worth_tables(o, o->table.n_listings))
            optimal_tabulate(o);
        optimal_visit_alike(o, first, visits->alike[k].count);
    }
}

/* Search below a visit by its best tiles only. Where that was all there is, it is settled. */
static void dive_below(struct optimizer *o, struct visit *visit)
{
    o->at.follows_all = true;
    optimal_visit(o, visit);
    visit->has_dived = true;
    if (o->at.follows_all && !sator_mapper_should_stop(o->search))
        visit->bound = (struct mapper_cost){INFINITY, INFINITY, INFINITY};
}

/* A few of them, for a good mapping to measure the rest against. */
static void dive(struct optimizer *o, double rest)
{
    struct visits *visits = &o->table.visits;
    int open = 0; /* the first that is not settled */
    int most = o->search->few_dives ? FEW_DIVES : DIVES;

    o->at.width = 1;
    sort_visits(visits);
    for (int k = 0; k < visits->count && k < most && !sator_mapper_should_stop(o->search); k++) {
        struct visit *visit = &visits->item[k];
        open = isinf(visits->item[open].bound.value) ? k : open;
        o->search->bound = fmin(visits->item[open].bound.value, fmin(rest, o->at.later));
        if (!visit->has_dived &&
                !sator_mapper_is_hopeless(o->search, visit->bound.pj, visit->bound.cycles))
            dive_below(o, visit);
    }
}

static void visit_all(struct optimizer *o, double rest)
{
    o->table.has_shared = false;
    optimal_list_inner(o, 0);
    if (o->search->found && optimal_is_worth_tables(o, o->table.n_listings))
        optimal_tabulate(o);
    if (!o->search->found || !(o->plan->orders || o->search->has_dived)) /* else that was done */
        dive(o, rest);
    if (!o->search->only_dives)
        visit_listed(o, rest);
    optimal_forget_inner(o);
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
    optimal_begin(o);
    dive(o, o->search->bound);
    o->at.mapping = mapping;
    memcpy(o->at.rest, rest, sizeof rest);
    memcpy(o->at.parallel, parallel, sizeof parallel);
    o->at.compute_cycles = compute;
}

/* The transfers whose unrollings are searched last if words pass there. Over buses that join some
 * PEs of a row they do so in nearly all. */
static unsigned late_transfers(const struct mapper_problem *p)
{
    unsigned transfers = 0;

    for (int t = 0; t < p->n_transfers; t++)
        transfers |= p->transfer[t].may_pass && p->transfer[t].grouped_rows == 0 ? 1U << t : 0;
    return transfers;
}

/* The time-stamps of a domain that is no box, with the parallel factors at hand, at the least. */
static double least_stamps(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    return p->domain != NULL
            ? sator_mapper_domain_stamps(p, p->domain, &o->at.mapping)
            : sator_mapper_domain_stamps(p, p->lengthened, &o->at.mapping) / p->lengthened->share;
}

/* The cycles that compute units take with these factors, whatever the tiles. */
static double least_cycles_of(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double stamps = 1;

    if (p->domain != NULL || p->lengthened != NULL)
        return least_stamps(o) * p->begun_cycles;
    if (p->skew != NULL)
        return optimal_skewed_compute(o, p->n_memories);
    if (p->imperfect)
        return optimal_least_compute(o);
    for (int i = 0; i < p->n_loops; i++)
        stamps *= (double)o->at.rest[i];
    return sator_mapper_computing(p, &o->at.mapping, stamps, stamps);
}

static void add_visit(struct optimizer *o, const int *choice)
{
    struct visits *visits = &o->table.visits;
    unsigned passed = sator_mapper_passed(o->problem, &o->at.mapping);
    if (((passed & late_transfers(o->problem)) != 0) != o->at.passing ||
            (o->at.is_unordered && !sator_mapper_has_orders(o->problem, &o->at.mapping)))
        return;
    if ((o->plan->imperfect && !optimal_take_unrolling(o)) || optimal_is_moved(o) ||
            !sator_mapper_may_spread(o->problem, &o->at.mapping, ~0U) ||
            (o->group != NULL && !optimal_has_parts(o)))
        return;
    optimal_know_unrolling(o->plan, &o->at, choice);
    if (optimal_is_image(o, NULL))
        return;
    o->search->counters.unrollings++;
    optimal_climb(o);
    double compute = o->at.compute_cycles; /* of any unrolling of as many PEs */
    o->at.compute_cycles = fmax(compute, least_cycles_of(o));
    struct mapper_cost bound = optimal_bound_unrolling(o, 0);
    double least_cycles = o->at.compute_cycles;
    o->at.compute_cycles = compute;
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
        return;
    }
    visits->item = sator_grow(visits->item, visits->count, &visits->room, sizeof *visits->item);
    struct visit *visit = &visits->item[visits->count];
    if (o->at.crosses.value > bound.value)
        bound = o->at.crosses;
    *visit = (struct visit){.bound = bound,
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
    double compute = o->at.compute_cycles;
    unsigned open = optimal_rows_of(o->plan, o->plan->n_outer);

    if (o->plan->imperfect)
        o->at.compute_cycles *= optimal_idle_share(o);
    o->given->strides = true;
    struct mapper_cost bound = optimal_bound_unrolling(o, open);
    o->given->strides = false;
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
            !optimal_take_unrolling(o) && !sator_mapper_ends_short(p))
        return; /* skewed rows further out may take what these leave */
    if (c == o->plan->n_outer && is_inner_hopeless(o))
        return;
    const struct row_class *class = &o->plan->class[--c];
    for (int k = class->first[size[c]];
            k < class->first[size[c] + 1] && !sator_mapper_should_stop(o->search); k++) {
        const struct unrolling *u = &class->choice[k];
        bool divides = true;
        o->search->listed++;
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
        optimal_spread(o->plan, &o->at, u);
        choice[c] = k;
        list_unrollings(o, size, c, choice);
        optimal_gather(o->plan, &o->at, u);
    }
    for (int k = 0; k < class->n_rows; k++)
        memcpy(o->at.mapping.factor[class->row[k]], mapper_ones,
                sizeof *mapper_ones * (size_t)p->n_loops);
}

/* Search the unrollings of all sizes, if words pass from PE to PE there as "passing" says.
 */
static void search_sizes(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const struct sizes *list = o->plan->sizes;
    int choice[MAPPER_ROWS];

    for (int k = 0; k < o->plan->n_sizes && list[k].pes >= p->least_pes; k++) {
        o->at.compute_cycles = sator_mapper_least_computing(p, list[k].pes);
        o->at.crew = o->plan->unknown; /* none of them is chosen */
        optimal_know_least(o);
        struct mapper_share all = optimal_fixed(o);
        sator_mapper_share_add(p, &all, &o->table.least[p->n_memories + 1]);
        struct mapper_cost bound = optimal_cost(o, &all);
        if (k == 0 && !o->at.passing && o->at.later < INFINITY)
            o->at.later = bound.value;
        if (o->table.visits.count == 0) /* the least of all that is not settled yet */
            o->search->bound = fmin(bound.value, o->at.later);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
            break; /* fewer PEs take longer, at no less energy */
        if (sator_mapper_should_stop(o->search))
            return;
        optimal_open_crossing(o, list[k].size);
        list_unrollings(o, list[k].size, o->plan->n_classes, choice);
        if (!o->search->found && o->table.visits.count >= DIVES && !o->problem->has_late &&
                !o->problem->has_counted)
            dive_early(o);
        bool only_more = o->search->only_dives && o->search->found;
        if (o->table.visits.count >= (only_more ? DIVES : CHUNK))
            visit_all(o, bound.value);
        if (o->table.visits.count == 0 && o->search->only_dives && o->search->found)
            return; /* with a mapping of those that use most PEs */
        if (o->search->stopped != SATOR_OK)
            return;
    }
    visit_all(o, INFINITY);
}

void optimal_search(struct optimizer *o)
{
    bool may_pass = late_transfers(o->problem) != 0;

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
