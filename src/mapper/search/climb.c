/* Better mappings near a mapping: random changes (climb_moves.c), each kept if it does not cost
 * much more.
 *
 * How much more falls to nothing towards the end (threshold accepting: Dueck and Scheuer, J.
 * Comput. Phys. 90, 1990). Where nothing has been better for a while the climb goes on from the
 * best mapping, or from a better one that an exchange makes of it. Nothing is proved by it: it
 * gives the optimal strategy something to measure others against long before its bounds lead it
 * there.
 */
#include "mapper/search/climb.h"
#include "mapper/problem/skew.h"
#include "model/network.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    ANEW_TRIES = 3000,
    COUNTED_TRIES = 2500, /* a tenth of a second where a question takes 30 us */
    SHORT_WIDER_TRIES = 500,
    FIRST_DRAWS = 64,
    TRIES_A_LOOK = 32, /* at the clock, where little time is left */
    STALE = 500 /* changes in a row that are no better, after which it goes back to the best */
};

/* How much more than the mapping before a change may cost at first; less where little time is left.
 */
static const double most_rise = 0.3, most_short_rise = 0.15;

/* Of the least energy so far what a mapping is taken to spend at least. */
static const double least_share = 0.7;

/* The cycles that "next" computes for. */
static double cycles_of(const struct climb *c)
{
    return (double)sator_mapper_time_stamps(
                   c->problem, c->search->words, &c->next->counted.mapping) *
            c->problem->cycles_per_instance;
}

/* The energy beyond which "next", whose cycles are known, costs more than "most". */
static double most_pj(const struct climb *c, double most)
{
    switch (c->problem->objective) {
    case SATOR_MAP_ENERGY:
        return most;
    case SATOR_MAP_LATENCY:
        return INFINITY;
    default:
        return most / c->cycles;
    }
}

/* Cost "next", which differs from "from" (NULL: from all) in "rows". False, with an infinite cost
 * and not all counted, as soon as that is known to be more than "most". */
static bool cost_next(struct climb *c, const struct climb_place *from, unsigned rows, double most)
{
    struct mapper_counted *next = &c->next->counted;

    c->search->counters.evaluated++;
    c->next->cost = (struct mapper_cost){INFINITY, INFINITY, INFINITY};
    if (!sator_mapper_count_near(c->problem, c->search->words, from == NULL ? NULL : &from->counted,
                rows, most_pj(c, most), most, next))
        return false;
    c->next->cost = sator_mapper_cost(c->problem, &next->traffic);
    if (c->search->timer != NULL && c->next->cost.value <= most)
        sator_mapper_time(c->search, &next->mapping, &c->next->cost);
    return true;
}

/* Whether "a" is no worse than "b". */
static bool is_no_worse(struct mapper_cost a, struct mapper_cost b)
{
    return a.value < b.value || (a.value == b.value && a.cycles <= b.cycles);
}

static void swap(struct climb_place **a, struct climb_place **b)
{
    struct climb_place *c = *a;

    *a = *b;
    *b = c;
}

/* Go on from "mapping". */
static void go_to(struct climb *c, const struct mapper_mapping *mapping)
{
    c->next->counted.mapping = *mapping;
    sator_mapper_shape_init(c->problem, mapping, &c->next->counted.shape);
    c->cycles = cycles_of(c);
    cost_next(c, NULL, ~0U, INFINITY);
    swap(&c->here, &c->next);
}

static bool begin(struct climb *c)
{
    c->here = &c->place[0];
    c->next = &c->place[1];
    c->other = &c->place[2];
    c->best = c->search->best; /* it may be one of another choice of what bypasses what */
    if (!(c->search->found && sator_mapper_is_legal(c->problem, c->search->words, &c->best)) &&
            !sator_mapper_find_any(c->problem, &c->best))
        return false;
    go_to(c, &c->best);
    c->best_cost = c->here->cost;
    c->least_pj = c->best_cost.pj;
    sator_mapper_climb_know(c);
    return !isnan(c->best_cost.value) && !isinf(c->best_cost.value);
}

/* Whether "next" computes for so long that it is worse than "most" with much less energy than any
 * mapping so far: then its words need not be counted. */
static bool is_too_slow(struct climb *c, double most)
{
    c->cycles = cycles_of(c);
    return sator_mapper_value(c->problem->objective, least_share * c->least_pj, c->cycles) > most;
}

/* Let "next", all of which is counted if "whole", be the better one of itself and the same in
 * another order. */
static void try_order(struct climb *c, bool whole, double most)
{
    swap(&c->next, &c->other);
    unsigned rows = 1U << c->problem->memory[sator_mapper_climb_order(c, c->other)].row;
    c->cycles = cycles_of(c); /* skewed arrays' depend on the order */
    cost_next(c, whole ? c->other : c->here, whole ? rows : rows | c->rows,
            fmin(most, c->other->cost.value));
    if (!(c->next->cost.value < c->other->cost.value))
        swap(&c->next, &c->other);
}

/* Go on from "next", which is worth it. */
static void take_next(struct climb *c)
{
    swap(&c->here, &c->next);
    if (!is_no_worse(c->here->cost, c->best_cost))
        return;
    c->stale = c->here->cost.value < c->best_cost.value ? 0 : c->stale;
    c->best = c->here->counted.mapping;
    c->best_cost = c->here->cost;
}

static bool take_better(struct climb *c)
{
    double most = c->here->cost.value;

    if (is_too_slow(c, most) || !cost_next(c, c->here, c->rows, most) ||
            !(c->next->cost.value < most))
        return false;
    take_next(c);
    return true;
}

/* Go on from the best, or from what exchanges lead to from there. */
static void go_back(struct climb *c)
{
    bool is_new = c->best_cost.value < c->exchanged;

    c->stale = 0;
    go_to(c, &c->best);
    while (is_new && sator_mapper_climb_exchange(c, take_better))
        continue;
    c->exchanged = c->best_cost.value;
}

static void try_change(struct climb *c)
{
    bool refilled;

    if (c->stale++ >= STALE)
        go_back(c);
    if (!sator_mapper_climb_change(c, &refilled))
        return;
    double share = (double)(sator_mapper_random(&c->state) >> 11) * 0x1p-53; /* of 1 */
    double most = c->here->cost.value * (1 + c->rise * share); /* to go on from it */
    if (is_too_slow(c, most))
        return;
    bool whole = cost_next(c, c->here, c->rows, most);
    if (refilled)
        try_order(c, whole, most);
    c->least_pj = fmin(c->least_pj, c->next->cost.pj);
    if (!is_no_worse(c->next->cost, c->here->cost) && c->next->cost.value >= most)
        return;
    take_next(c);
}

/* Whether to cost some mapping takes long: what the engines count, or the model is asked for. Where
 * all words have formulas, but bounds take them to be counted, the roofline has sator_mapper_start.
 */
static bool takes_long(const struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    bool asks = p->in_hull ||
            (search->timer != NULL &&
                    (p->phases == NULL || p->has_late || sator_mapper_counts_skew(p)));

    for (int t = 0; t < p->n_transfers && p->has_counted; t++) {
        const struct mapper_transfer *links = p->transfer[t].links_alone;
        asks |= search->timer == NULL || p->transfer[t].is_quotient ||
                (p->transfer[t].is_counted && (links == NULL || links->may_go_round));
    }
    return asks;
}

static bool may_climb(const struct mapper_search *search)
{
    return search->problem->n_loops > 0 && !takes_long(search);
}

/* Climb from the best mapping so far. Where a budget ends soon what is left of the climb is what is
 * left of the time: one that is stopped halfway has taken all that costs more, and no way back.
 * "turn": of one after the other, which are to differ. */
static void climb(struct mapper_search *search, int tries, int turn)
{
    struct climb c = {.search = search,
            .problem = search->problem,
            .state = search->counters.tilings + (uint64_t)turn,
            .exchanged = INFINITY};
    bool is_short = sator_mapper_is_short(search);
    double time = is_short ? search->deadline - sator_mapper_now() : INFINITY, time_left = 1;
    double most = is_short ? most_short_rise : most_rise;

    if (search->problem->n_loops == 0 || !begin(&c)) /* of one instance there is one mapping */
        return;
    for (int i = 0; i < tries && !sator_mapper_should_stop(search); i++) {
        if (is_short && i % TRIES_A_LOOK == 0)
            time_left = fmax(0, (search->deadline - sator_mapper_now()) / time);
        double left = fmin(1 - (double)i / tries, time_left);
        c.rise = most * left * left;
        try_change(&c);
    }
    sator_mapper_offer(search, &c.best, c.best_cost);
}

/* Leave the factors of all memories to the outermost one: random tiles seldom fit. */
static void empty_memories(const struct mapper_problem *p, struct mapper_mapping *mapping)
{
    for (int m = 1; m < p->n_memories; m++) {
        int64_t *factor = mapping->factor[p->memory[m].row];
        for (int i = 0; i < p->n_loops; i++) {
            mapping->factor[p->memory[0].row][i] *= factor[i];
            factor[i] = 1;
        }
    }
}

/* The counters and the stop of a search that was part of this one. */
static void take_part(struct mapper_search *search, const struct mapper_search *part)
{
    search->counters.evaluated = part->counters.evaluated;
    search->counters.looks = part->counters.looks;
    search->stopped = part->stopped;
}

/* Climb from "mapping", which need not be better than the best. */
static void climb_from(
        struct mapper_search *search, const struct mapper_mapping *mapping, int tries, int turn)
{
    struct mapper_search alone = *search;

    alone.found = true;
    alone.best = *mapping;
    alone.best_cost = (struct mapper_cost){INFINITY, INFINITY, INFINITY};
    if (takes_long(search)) /* too long to ask the model for times, too */
        alone.timer = NULL;
    climb(&alone, tries, turn);
    take_part(search, &alone);
    if (!isinf(alone.best_cost.value))
        sator_mapper_offer(search, &alone.best, alone.best_cost);
}

void sator_mapper_climb_anew(struct mapper_search *search, uint64_t tries)
{
    struct mapper_mapping mapping;
    uint64_t state = search->counters.tilings;

    if (!may_climb(search) || search->problem->imperfect)
        return;
    for (uint64_t done = 0; done < tries && !sator_mapper_should_stop(search); done += ANEW_TRIES) {
        sator_mapper_draw(search->problem, &state, &mapping);
        empty_memories(search->problem, &mapping);
        if (sator_mapper_is_legal(search->problem, search->words, &mapping))
            climb_from(search, &mapping, ANEW_TRIES, 0);
    }
}

void sator_mapper_climb_wider(struct mapper_search *search, int tries, int turn)
{
    struct mapper_search alone = *search;

    alone.problem = search->wider;
    if (!may_climb(&alone))
        return;
    climb(&alone, tries, turn);
    take_part(search, &alone);
    if (alone.counters.improvements == search->counters.improvements)
        return;
    search->found = true;
    search->best = alone.best;
    search->best_cost = alone.best_cost;
    search->counters.improvements = alone.counters.improvements;
}

/* Some mappings at once: a search may be stopped before it has a better start. One will do where
 * the engines count what late links bring: the climb from it asks them for what it reaches alone.
 */
static void draw_some(struct mapper_search *search)
{
    struct mapper_mapping mapping;
    uint64_t state = 1;

    for (int i = 0; i < FIRST_DRAWS && !(search->found && search->problem->has_late); i++) {
        sator_mapper_draw(search->problem, &state, &mapping);
        if (sator_mapper_is_legal(search->problem, search->words, &mapping))
            sator_mapper_try(search, &mapping);
    }
}

void sator_mapper_climb(struct mapper_search *search, int tries)
{
    if (!may_climb(search) || search->problem->imperfect)
        return;
    if (!search->found)
        draw_some(search);
    if (!search->has_begun && search->problem->skew == NULL)
        sator_mapper_sunstone_in_haste(search);
    search->has_begun = true;
    climb(search, tries, 0);
    if (search->wider == NULL)
        return;
    if (!sator_mapper_is_short(search)) {
        sator_mapper_climb_wider(search, tries, 0);
        return;
    }
    /* to count a mapping takes three times as long in the larger one, and what a whole climb misses
     * there bounds lead to in less time */
    sator_mapper_climb_anew(search, ANEW_TRIES);
    sator_mapper_climb_wider(search, SHORT_WIDER_TRIES, 0);
}

/* ---- problems without formulas ---- */

/* The rows along which wires lead to the next PE, or, where there are buses, those of the whole
 * network. */
static unsigned shared_rows(const struct mapper_transfer *t)
{
    unsigned rows = 0;

    if (t->network->n_buses > 0)
        return t->collapsed;
    for (int i = 0; i < t->n_passes; i++) {
        const struct mapper_pass *pass = &t->passes[i];
        int n_moved = 0, row = 0;
        for (int r = 0; r < MAPPER_ROWS; r++) {
            n_moved += pass->shift[r] != 0;
            row = pass->shift[r] != 0 ? r : row;
        }
        if (pass->interval < 1 && n_moved == 1 && llabs(pass->shift[row]) == 1)
            rows |= 1U << row;
    }
    return rows;
}

/* Make "simple" the problem in which PEs along such rows share what they hold, as on a bus, and
 * nothing else passes: near enough to begin with. False where that leaves something to the engines,
 * or is the problem itself. */
static bool simplify(const struct mapper_problem *p, struct mapper_problem *simple)
{
    bool differs = false;

    *simple = *p;
    for (int i = 0; i < p->n_transfers; i++) {
        struct mapper_transfer *t = &simple->transfer[i];
        if (p->access[t->access].is_counted || t->is_quotient)
            return false;
        if (!t->is_complex)
            continue;
        differs = true;
        t->collapsed = shared_rows(&p->transfer[i]);
        t->is_complex = t->is_counted = t->reaches_back = false;
        t->n_passes = 0;
        t->linked_rows = t->wired = 0;
    }
    simple->has_counted = false;
    simple->asked_ports = 0;
    return differs;
}

void sator_mapper_climb_counted(struct mapper_search *search, int turn)
{
    const struct mapper_mapping from = search->best;

    climb_from(search, &from, COUNTED_TRIES, turn);
}

void sator_mapper_start(struct mapper_search *search, int tries)
{
    const struct mapper_problem *p = search->problem;

    if (search->timer != NULL || p->imperfect || p->has_late || p->has_fixed)
        return;
    struct mapper_problem *simple = sator_alloc(sizeof *simple);
    if (simplify(p, simple)) {
        struct mapper_search alone = *search;
        alone.problem = simple;
        alone.found = alone.has_begun = false;
        alone.words = sator_mapper_words_new(simple);
        sator_mapper_climb(&alone, tries);
        sator_mapper_words_free(alone.words);
        take_part(search, &alone);
        if (alone.found && sator_mapper_is_legal(p, search->words, &alone.best))
            sator_mapper_try(search, &alone.best);
    }
    free(simple);
}
