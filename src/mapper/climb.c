/* Better mappings near a mapping: small random changes, each kept if it costs no more.
 *
 * A prime factor of a loop moves from one row to another; two do, in opposite directions; a loop
 * moves within the order of a memory. Where none of them has been better for a while, the best
 * mapping takes several at once, whatever they cost, and the climb goes on from there. Nothing is
 * proved by it: it gives the optimal strategy
 * something to measure others against long before its bounds lead it there.
 */
#include "mapper/invariants.h"
#include "mapper/search.h"
#include "model/network.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    START_TRIES = 2000,
    ANEW_TRIES = 3000,
    STALE = 150, /* changes in a row that are no better, after which there is a leap: */
    LEAST_LEAP = 3,
    LEAPS = 5 /* ... of so many changes and fewer than so many more */
};

struct climb {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    uint64_t state; /* of the random numbers */
    struct mapper_mapping here, next, best;
    struct mapper_cost cost, best_cost; /* of "here", of "best" */
    int stale; /* changes since the last better one, or leap */
};

static int draw(struct climb *c, int n)
{
    assert(n > 0);
    return (int)(sator_mapper_random(&c->state) % (uint64_t)n);
}

/* A random prime factor of what "loop" has in row "row". */
static int64_t draw_prime(struct climb *c, int row, int loop)
{
    int64_t rest = c->next.factor[row][loop], prime[64];
    int count = 0;

    assert(rest > 1);
    for (int64_t d = 2; rest > 1 && d <= 1000; d++) {
        if (rest % d == 0)
            prime[count++] = d;
        while (rest % d == 0)
            rest /= d;
    }
    if (rest > 1) /* of large factors all that is left */
        prime[count++] = rest;
    return prime[draw(c, count)];
}

/* A random loop of row "row" with a factor above 1, or -1. */
static int draw_loop(struct climb *c, int row)
{
    int n = c->problem->n_loops, first = draw(c, n);

    for (int k = 0; k < n; k++) {
        if (c->next.factor[row][(first + k) % n] > 1)
            return (first + k) % n;
    }
    return -1;
}

/* Move a prime factor of a loop from row "from" to row "to"; false where there is none. */
static bool move_factor(struct climb *c, int from, int to)
{
    int loop = draw_loop(c, from);

    if (loop < 0)
        return false;
    int64_t prime = draw_prime(c, from, loop);
    c->next.factor[from][loop] /= prime;
    c->next.factor[to][loop] *= prime;
    return true;
}

/* Move a loop of a memory to another place in its order. */
static bool move_loop(struct climb *c)
{
    int n = c->problem->n_loops, m = draw(c, c->problem->n_memories);
    int from = draw(c, n), to = draw(c, 2) == 0 ? n - 1 : draw(c, n);
    int8_t *order = c->next.order[m], loop = order[from];

    if (from == to || c->next.factor[c->problem->memory[m].row][loop] == 1)
        return false;
    memmove(order + from, order + from + 1, (size_t)(n - 1 - from));
    memmove(order + to + 1, order + to, (size_t)(n - 1 - to));
    order[to] = loop;
    assert(mapper_is_permutation(order, n));
    return true;
}

static bool change(struct climb *c)
{
    int from = draw(c, c->problem->n_rows), to = draw(c, c->problem->n_rows), kind = draw(c, 8);

    if (kind < 3)
        return move_loop(c);
    if (from == to || !move_factor(c, from, to))
        return false;
    return kind < 6 || move_factor(c, to, from);
}

static struct mapper_cost cost_of(struct climb *c, const struct mapper_mapping *mapping)
{
    struct mapper_traffic traffic;

    c->search->counters.evaluated++;
    sator_mapper_count(c->problem, c->search->words, mapping, &traffic);
    struct mapper_cost cost = sator_mapper_cost(c->problem, &traffic);
    if (c->search->timer != NULL)
        sator_mapper_time(c->search, mapping, &cost);
    return cost;
}

/* Whether "a" is no worse than "b". */
static bool is_no_worse(struct mapper_cost a, struct mapper_cost b)
{
    return a.value < b.value || (a.value == b.value && a.cycles <= b.cycles);
}

static bool begin(struct climb *c)
{
    c->here = c->search->best; /* it may be one of another choice of what bypasses what */
    if (!(c->search->found && sator_mapper_is_legal(c->problem, c->search->words, &c->here)) &&
            !sator_mapper_find_any(c->problem, &c->here))
        return false;
    c->cost = c->best_cost = cost_of(c, &c->here);
    c->best = c->here;
    return !isnan(c->cost.value) && !isinf(c->cost.value);
}

/* Make "next" of the best mapping by several changes. */
static void leap(struct climb *c)
{
    c->stale = 0;
    c->next = c->best;
    for (int left = LEAST_LEAP + draw(c, LEAPS); left > 0; left--)
        change(c);
}

/* Make "next" of where the climb is; false where a change changes nothing. */
static bool step(struct climb *c)
{
    c->next = c->here;
    return change(c) && (draw(c, 4) != 0 || change(c));
}

static void try_change(struct climb *c)
{
    bool leaps = c->stale >= STALE;

    if (leaps)
        leap(c);
    else if (!step(c))
        return;
    sator_mapper_arrange(c->problem, &c->next);
    assert(mapper_is_complete(c->problem, &c->next));
    c->stale++;
    if (!sator_mapper_is_legal(c->problem, c->search->words, &c->next))
        return;
    struct mapper_cost cost = cost_of(c, &c->next);
    if (!is_no_worse(cost, c->cost) && !(leaps && !isnan(cost.value) && !isinf(cost.value)))
        return;
    c->stale = cost.value < c->cost.value ? 0 : c->stale;
    c->here = c->next;
    c->cost = cost;
    if (!is_no_worse(cost, c->best_cost))
        return;
    c->best = c->next;
    c->best_cost = cost;
}

/* Whether to cost some mapping takes long: what the engines count, or the model is asked for. Where
 * all words have formulas, but bounds take them to be counted, the roofline has sator_mapper_start.
 */
static bool takes_long(const struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    bool asks = p->in_hull || (search->timer != NULL && (p->phases == NULL || p->has_late));

    for (int t = 0; t < p->n_transfers && p->has_counted; t++) {
        const struct mapper_transfer *links = p->transfer[t].links_alone;
        asks |= search->timer == NULL || p->transfer[t].is_quotient ||
                (p->transfer[t].is_counted && (links == NULL || links->may_go_round));
    }
    return asks;
}

static bool may_climb(const struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;

    return p->n_loops > 0 && !takes_long(search) &&
            !p->imperfect; /* short tiles have rules of their own */
}

void sator_mapper_climb(struct mapper_search *search, int tries)
{
    const struct mapper_problem *p = search->problem;
    struct climb c = {.search = search, .problem = p, .state = search->counters.tilings};

    if (!may_climb(search))
        return;
    if (!search->found && p->skew == NULL)
        sator_mapper_sunstone_in_haste(search);
    if (!begin(&c))
        return;
    for (int i = 0; i < tries && !sator_mapper_should_stop(search); i++)
        try_change(&c);
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

void sator_mapper_climb_anew(struct mapper_search *search, uint64_t tries)
{
    struct mapper_search alone = *search;
    uint64_t state = search->counters.tilings;

    if (!may_climb(search))
        return;
    for (uint64_t done = 0; done < tries && !sator_mapper_should_stop(&alone); done += ANEW_TRIES) {
        alone.found = true; /* what is drawn, for any other to be better */
        alone.best_cost = (struct mapper_cost){INFINITY, INFINITY, INFINITY};
        sator_mapper_draw(search->problem, &state, &alone.best);
        empty_memories(search->problem, &alone.best);
        if (!sator_mapper_is_legal(search->problem, search->words, &alone.best))
            continue;
        sator_mapper_climb(&alone, ANEW_TRIES);
        sator_mapper_offer(search, &alone.best, alone.best_cost);
    }
    search->counters.evaluated = alone.counters.evaluated;
    search->counters.looks = alone.counters.looks;
    search->stopped = alone.stopped;
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

void sator_mapper_start(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;

    if (search->timer != NULL || p->imperfect || p->has_late || p->has_fixed)
        return;
    struct mapper_problem *simple = sator_alloc(sizeof *simple);
    if (simplify(p, simple)) {
        struct mapper_search alone = *search;
        alone.problem = simple;
        alone.found = false;
        alone.words = sator_mapper_words_new(simple);
        sator_mapper_climb(&alone, START_TRIES);
        sator_mapper_words_free(alone.words);
        search->counters.evaluated = alone.counters.evaluated;
        search->counters.looks = alone.counters.looks;
        search->stopped = alone.stopped;
        if (alone.found && sator_mapper_is_legal(p, search->words, &alone.best))
            sator_mapper_try(search, &alone.best);
    }
    free(simple);
}
