/* The number of mappings, counted: factors that fit the arrays together and respect constraints,
 * times the orders that constraints leave.
 *
 * Loops are added one by one. A state is how much of each array dimension the loops so far use; its
 * weight is the number of ways to get there. What a loop does not unroll it splits over the
 * memories whose factors are free: for each prime with exponent e in C(e + rows - 1, e) ways.
 */
#include "base/memo.h"
#include "mapper/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STATES = 1 << 15
};

struct state {
    int64_t used[MAPPER_ROWS]; /* by array dimension, the outermost first */
    double ways;
};

struct counter {
    const struct mapper_problem *problem;
    int n_arrays, array[MAPPER_ROWS]; /* their rows */
    struct mapper_mapping mapping; /* the loop's own factors on arrays ... */
    int64_t factor[MAPPER_ROWS]; /* ... by dimension */
    struct sator_memo *shares; /* the same of all ways to unroll it: struct state */
    struct sator_memo *now, *next; /* struct state */
};

static void add_state(
        const struct counter *c, struct sator_memo *states, const int64_t *used, double ways)
{
    bool is_new;
    struct state *state = sator_memo_place(states, used, (size_t)c->n_arrays, &is_new);

    memcpy(state->used, used, sizeof *used * (size_t)c->n_arrays);
    state->ways += ways;
}

/* C(n, k) */
static double choose(int n, int k)
{
    double ways = 1;

    for (int i = 1; i <= k; i++)
        ways = ways * (n - k + i) / i;
    return round(ways);
}

/* The same with limits, from row "row" on. */
static double split_limited(const struct mapper_problem *p, int loop, int row, int64_t rest)
{
    double ways = 0;

    while (row < p->n_rows && p->row[row].is_space)
        row++;
    if (row == p->n_rows)
        return rest == 1;
    for (int64_t d = 1; d <= rest / d; d++) {
        if (rest % d != 0)
            continue;
        if (sator_mapper_may_have(p, row, loop, d))
            ways += split_limited(p, loop, row + 1, rest / d);
        if (rest / d != d && sator_mapper_may_have(p, row, loop, rest / d))
            ways += split_limited(p, loop, row + 1, d);
    }
    return ways;
}

/* The ways to write "rest" as factors of "loop" at the memories. */
static double split(const struct mapper_problem *p, int loop, int64_t rest)
{
    int rows = 0;
    double ways = 1;

    if (p->has_limits)
        return split_limited(p, loop, 0, rest);
    for (int r = 0; r < p->n_rows; r++) {
        int64_t fixed = p->row[r].fixed[loop];
        if (p->row[r].is_space)
            continue;
        if (fixed == 0)
            rows++;
        else if (rest % fixed != 0)
            return 0;
        else
            rest /= fixed;
    }
    for (int64_t prime = 2; rest > 1; prime++) {
        int exponent = 0;
        if (prime > rest / prime)
            prime = rest;
        for (; rest % prime == 0; rest /= prime)
            exponent++;
        if (exponent > 0 && rows == 0)
            return 0;
        ways *= exponent == 0 ? 1 : choose(exponent + rows - 1, exponent);
    }
    return ways;
}

/* All ways to unroll "loop" along the array dimensions from the "k"-th on. */
static void unroll(struct counter *c, int loop, int k, int64_t rest)
{
    const struct mapper_problem *p = c->problem;

    if (k == c->n_arrays) {
        double ways = sator_mapper_may_spread_loop(p, &c->mapping, loop) ? split(p, loop, rest) : 0;
        if (ways > 0)
            add_state(c, c->shares, c->factor, ways);
        return;
    }
    const struct mapper_row *row = &p->row[c->array[k]];
    int64_t most = row->banned >> loop & 1 ? 1 : row->shape;
    for (int64_t d = 1; d <= rest && d <= most; d++) {
        if (rest % d != 0)
            continue;
        c->factor[k] = c->mapping.factor[c->array[k]][loop] = d;
        unroll(c, loop, k + 1, rest / d);
    }
    c->mapping.factor[c->array[k]][loop] = 1;
}

/* Unroll one more loop so. */
static void add_share(struct counter *c, const struct state *before, const struct state *share)
{
    int64_t used[MAPPER_ROWS];

    for (int k = 0; k < c->n_arrays; k++) {
        used[k] = before->used[k] * share->used[k];
        if (used[k] > c->problem->row[c->array[k]].shape)
            return;
    }
    add_state(c, c->next, used, before->ways * share->ways);
}

static void add_loop(struct counter *c, int loop)
{
    c->shares = sator_memo_new(sizeof(struct state));
    c->next = sator_memo_new(sizeof(struct state));
    unroll(c, loop, 0, c->problem->extent[loop]);
    const struct state *now = sator_memo_items(c->now), *share = sator_memo_items(c->shares);
    size_t n_shares = sator_memo_size(c->shares);
    for (size_t k = 0; k < sator_memo_size(c->now) && sator_memo_size(c->next) <= MOST_STATES; k++)
        for (size_t n = 0; n < n_shares; n++)
            add_share(c, &now[k], &share[n]);
    sator_memo_free(c->shares);
    sator_memo_free(c->now);
    c->now = c->next;
}

static double count_factors(const struct mapper_problem *p)
{
    struct counter c = {.problem = p};
    int64_t ones[MAPPER_ROWS];
    double ways = 0;

    for (int r = 0; r < p->n_rows; r++) {
        if (!p->row[r].is_space)
            continue;
        ones[c.n_arrays] = 1;
        c.array[c.n_arrays++] = r;
    }
    sator_mapper_mapping_init(p, &c.mapping);
    c.now = sator_memo_new(sizeof(struct state));
    add_state(&c, c.now, ones, 1);
    for (int i = 0; i < p->n_loops && sator_memo_size(c.now) <= MOST_STATES; i++)
        add_loop(&c, i);
    const struct state *state = sator_memo_items(c.now);
    for (size_t k = 0; k < sator_memo_size(c.now); k++) {
        double pes = 1;
        for (int r = 0; r < c.n_arrays; r++)
            pes *= (double)state[k].used[r];
        ways += pes >= p->least_pes ? state[k].ways : 0;
    }
    bool overflows = sator_memo_size(c.now) > MOST_STATES;
    sator_memo_free(c.now);
    return overflows ? -1 : ways;
}

/* The orders of all loops that constraints leave at memory row "row". */
static double count_orders(const struct mapper_problem *p, int row)
{
    double *ways = sator_alloc(sizeof *ways << p->n_loops); /* by the loops that stand outside */

    ways[0] = 1;
    for (unsigned placed = 1; placed < 1U << p->n_loops; placed++) {
        ways[placed] = 0;
        for (int i = 0; i < p->n_loops; i++) {
            unsigned before = placed & ~(1U << i);
            if ((placed >> i & 1) && (p->row[row].outside[i] & ~before) == 0)
                ways[placed] += ways[before];
        }
    }
    double all = ways[(1U << p->n_loops) - 1];
    free(ways);
    return all;
}

double sator_mapper_count_space(const struct mapper_problem *problem)
{
    double size = count_factors(problem);

    for (int m = 0; m < problem->n_memories && size > 0; m++) {
        if (sator_mapper_order_matters(problem, m))
            size *= count_orders(problem, problem->memory[m].row);
    }
    return size;
}
