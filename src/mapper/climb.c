/* Better mappings near a mapping: small random changes, each kept if it does not cost much more.
 *
 * A prime factor of a loop moves from one row to another; two do, in opposite directions; a memory
 * that one leaves or enters takes an order that suits some tensors; an array gives all its loops to
 * a memory and takes others. How much more a change may cost falls to nothing towards the end
 * (threshold accepting: Dueck and Scheuer, J. Comput. Phys. 90, 1990). Where nothing has been
 * better for a while the climb goes on from the best mapping. Nothing is proved by it: it gives the
 * optimal strategy something to measure others against long before its bounds lead it there.
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
    STALE = 1000, /* changes in a row that are no better, after which it goes back to the best */
    WHOLE = 4, /* of so many moves one is of all that a loop has in a row */
    TAKES = 12, /* factors that an array is offered */
    PERCENT = 100,
    REFILLS = 60, /* of a hundred changes of an array those that give it other loops ... */
    ORDERS = 50 /* ... and of changes that move factors those that also order a memory */
};

/* How much more than the mapping before a change may cost at first. */
static const double most_rise = 0.3;

struct climb {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    uint64_t state; /* of the random numbers */
    struct mapper_mapping here, next, best;
    struct mapper_cost cost, best_cost; /* of "here", of "best" */
    double rise; /* how much more the next may cost, at most */
    int stale; /* changes since the last better one, or return to it */
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

/* Move a prime factor of a loop, or all that it has there, from row "from" to row "to"; false where
 * there is none. */
static bool move_factor(struct climb *c, int from, int to)
{
    int loop = draw_loop(c, from);

    if (loop < 0)
        return false;
    int64_t moved = draw(c, WHOLE) == 0 ? c->next.factor[from][loop] : draw_prime(c, from, loop);
    c->next.factor[from][loop] /= moved;
    c->next.factor[to][loop] *= moved;
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

/* Give memory "m" the order that keeps tensors of a random sequence: innermost the loops that do
 * not index the first, among these those that do not index the second; if "slides", then those
 * along which they slide. */
static void draw_order(struct climb *c, int m)
{
    const struct mapper_problem *p = c->problem;
    int8_t *order = c->next.order[m];
    int accesses[MAPPER_ACCESSES], rank[MAPPER_LOOPS] = {0};
    bool slides = draw(c, 2) == 0;

    for (int a = 0; a < p->n_accesses; a++) {
        int other = draw(c, a + 1);
        accesses[a] = accesses[other];
        accesses[other] = a;
    }
    for (int a = 0; a < p->n_accesses; a++) {
        const struct mapper_access *access = &p->access[accesses[a]];
        for (int i = 0; i < p->n_loops; i++) {
            bool part = slides && !(access->plain >> i & 1);
            rank[i] = 3 * rank[i] + (!(access->relevant >> i & 1) ? 2 : part);
        }
    }
    for (int k = 1; k < p->n_loops; k++) {
        int8_t loop = order[k];
        int at = k;
        for (; at > 0 && rank[order[at - 1]] > rank[loop]; at--)
            order[at] = order[at - 1];
        order[at] = loop;
    }
    assert(mapper_is_permutation(order, p->n_loops));
}

/* Let array dimension "row" give its loops to row "to" and take others, from there or anywhere. */
static bool refill(struct climb *c, int row, int to)
{
    const struct mapper_problem *p = c->problem;
    int64_t used = 1;
    bool anywhere = draw(c, 3) == 0;

    if (row == to)
        return false;
    for (int i = 0; i < p->n_loops; i++) {
        c->next.factor[to][i] *= c->next.factor[row][i];
        c->next.factor[row][i] = 1;
    }
    for (int k = 0; k < TAKES; k++) {
        int from = anywhere ? draw(c, p->n_rows) : to;
        int loop = from == row ? -1 : draw_loop(c, from);
        if (loop < 0 || (p->row[row].banned >> loop & 1))
            continue;
        int64_t prime = draw_prime(c, from, loop);
        if (prime > p->row[row].shape / used)
            continue;
        used *= prime;
        c->next.factor[from][loop] /= prime;
        c->next.factor[row][loop] *= prime;
    }
    return true;
}

static bool change(struct climb *c)
{
    int from = draw(c, c->problem->n_rows), to = draw(c, c->problem->n_rows), kind = draw(c, 8);

    if (c->problem->row[from].is_space && draw(c, PERCENT) < REFILLS)
        return refill(c, from, to);
    if (kind < 3)
        return move_loop(c);
    if (from == to || !move_factor(c, from, to))
        return false;
    if (kind >= 6 && !move_factor(c, to, from))
        return false;
    if (draw(c, PERCENT) < ORDERS)
        draw_order(c, draw(c, c->problem->n_memories));
    return true;
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

/* Make "next" of where the climb is; false where a change changes nothing. */
static bool step(struct climb *c)
{
    c->next = c->here;
    return change(c) && (draw(c, 4) != 0 || change(c));
}

/* Whether the climb goes on from a mapping of this cost. */
static bool may_go_on(struct climb *c, struct mapper_cost cost)
{
    double share = (double)(sator_mapper_random(&c->state) >> 11) * 0x1p-53; /* of 1 */

    return is_no_worse(cost, c->cost) || cost.value < c->cost.value * (1 + c->rise * share * share);
}

static void try_change(struct climb *c)
{
    if (c->stale++ >= STALE) {
        c->stale = 0;
        c->here = c->best;
        c->cost = c->best_cost;
    }
    if (!step(c))
        return;
    sator_mapper_arrange(c->problem, &c->next);
    assert(mapper_is_complete(c->problem, &c->next));
    if (!sator_mapper_is_legal(c->problem, c->search->words, &c->next))
        return;
    struct mapper_cost cost = cost_of(c, &c->next);
    if (!may_go_on(c, cost))
        return;
    c->here = c->next;
    c->cost = cost;
    if (!is_no_worse(cost, c->best_cost))
        return;
    c->stale = cost.value < c->best_cost.value ? 0 : c->stale;
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
    if (!search->has_begun && p->skew == NULL)
        sator_mapper_sunstone_in_haste(search);
    search->has_begun = true;
    if (!begin(&c))
        return;
    for (int i = 0; i < tries && !sator_mapper_should_stop(search); i++) {
        double left = 1 - (double)i / tries;
        c.rise = most_rise * left * left;
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

void sator_mapper_climb_anew(struct mapper_search *search, uint64_t tries)
{
    struct mapper_search alone = *search;
    uint64_t state = search->counters.tilings;

    if (!may_climb(search))
        return;
    for (uint64_t done = 0; done < tries && !sator_mapper_should_stop(&alone); done += ANEW_TRIES) {
        alone.found = alone.has_begun = true; /* what is drawn, for any other to be better */
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
        alone.found = alone.has_begun = false;
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
