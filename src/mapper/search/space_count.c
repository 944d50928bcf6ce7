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
    int64_t used[MAPPER_ROWS]; /* by space row, else 1 */
    double ways;
};

struct counter {
    const struct mapper_problem *problem;
    struct mapper_mapping mapping; /* the loop's own factors on arrays */
    struct sator_memo *now, *next; /* struct state */
};

static void add_state(struct sator_memo *states, const int64_t *used, double ways)
{
    bool is_new;
    struct state *state = sator_memo_place(states, used, MAPPER_ROWS, &is_new);

    memcpy(state->used, used, sizeof state->used);
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

/* All ways to unroll "loop" along the rows from "row" on, from one state. */
static void unroll(struct counter *c, int loop, int row, int64_t rest, int64_t *used, double ways)
{
    const struct mapper_problem *p = c->problem;

    while (row < p->n_rows && !p->row[row].is_space)
        row++;
    if (row == p->n_rows) {
        if (!sator_mapper_may_spread_loop(p, &c->mapping, loop))
            return;
        double more = split(p, loop, rest);
        if (more > 0)
            add_state(c->next, used, ways * more);
        return;
    }
    int64_t before = used[row];
    bool banned = p->row[row].banned >> loop & 1;
    for (int64_t d = 1; d <= rest && before * d <= p->row[row].shape && !(banned && d > 1); d++) {
        if (rest % d != 0)
            continue;
        used[row] = before * d;
        c->mapping.factor[row][loop] = d;
        unroll(c, loop, row + 1, rest / d, used, ways);
    }
    used[row] = before;
    c->mapping.factor[row][loop] = 1;
}

static double count_factors(const struct mapper_problem *p)
{
    struct counter c = {.problem = p};
    int64_t ones[MAPPER_ROWS];
    double ways = 0, all = 1;

    for (int r = 0; r < MAPPER_ROWS; r++) {
        ones[r] = 1;
        all *= r < p->n_rows && p->row[r].is_space ? (double)p->row[r].shape : 1;
    }
    sator_mapper_mapping_init(p, &c.mapping);
    c.now = sator_memo_new(sizeof(struct state));
    add_state(c.now, ones, 1);
    for (int i = 0; i < p->n_loops && sator_memo_size(c.now) <= MOST_STATES; i++) {
        const struct state *state = sator_memo_items(c.now);
        c.next = sator_memo_new(sizeof(struct state));
        for (size_t k = 0; k < sator_memo_size(c.now) && sator_memo_size(c.next) <= MOST_STATES;
                k++) {
            int64_t used[MAPPER_ROWS];
            memcpy(used, state[k].used, sizeof used);
            unroll(&c, i, 0, p->extent[i], used, state[k].ways);
        }
        sator_memo_free(c.now);
        c.now = c.next;
    }
    const struct state *state = sator_memo_items(c.now);
    for (size_t k = 0; k < sator_memo_size(c.now); k++) {
        double pes = 1;
        for (int r = 0; r < p->n_rows; r++)
            pes *= (double)state[k].used[r];
        ways += pes >= p->least_utilization * all ? state[k].ways : 0;
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
