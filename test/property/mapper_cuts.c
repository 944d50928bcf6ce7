/* What the optimal strategy cuts off. On real layers: no neighbour of an optimum, and no random
 * mapping, is better. On small spaces: every mapping is illegal, or worse than the optimum as its
 * bound says, or open. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/run.h"
#include "property/mapper_case.h"
#include "support/checked.h"

/* ---- neighbours of an optimum ---- */

/* Whether a mapping is legal and better than "value". */
static bool is_better(struct checked *c, const struct mapper_mapping *mapping, double value)
{
    struct mapper_traffic traffic;

    if (!sator_mapper_is_legal(c->problem, c->words, mapping))
        return false;
    c->comparisons++;
    sator_mapper_count(c->problem, c->words, mapping, &traffic);
    double cost = sator_mapper_cost(c->problem, &traffic).value;
    if (cost >= value * (1 - 1e-9))
        return false;
    print_message("better than the optimum %.17g: %.17g\n", value, cost);
    checked_show(c, mapping);
    return true;
}

/* A prime factor of one loop moves between two rows; and all orders anew, a few times. */
static void check_moves(struct checked *c, const struct mapper_mapping *best, double value)
{
    const struct mapper_problem *p = c->problem;

    for (int i = 0; i < p->n_loops; i++) {
        for (int from = 0; from < p->n_rows; from++) {
            int64_t prime = checked_prime(best->factor[from][i]);
            for (int to = 0; to < p->n_rows && prime > 1; to++) {
                struct mapper_mapping moved = *best;
                moved.factor[from][i] /= prime;
                moved.factor[to][i] *= prime;
                for (int k = 0; k < 8; k++) {
                    c->wrong += is_better(c, &moved, value);
                    checked_complete(c, 0, &moved); /* orders only */
                }
            }
        }
    }
}

static void test_neighbours(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct sator_map_options options = {0};
    struct checked c = {.wrong = 0};

    for (size_t i = 0; i < CHECKED_LAYERS; i++) {
        struct checked_layer real;
        checked_open_layer(&real, i);
        checked_open(&c, &real.problem, &rng);
        struct mapper_search search = {.ctx = real.ctx,
                .problem = &real.problem,
                .words = c.words,
                .options = &options,
                .deadline = INFINITY,
                .next_report = INFINITY};
        sator_mapper_optimal(&search);
        assert_true(search.proved && search.found);
        check_moves(&c, &search.best, search.best_cost.value);
        uint64_t random = machines_draw(&rng, UINT64_MAX);
        for (int k = 0; k < 500; k++) {
            struct mapper_mapping mapping;
            sator_mapper_draw(&real.problem, &random, &mapping);
            c.wrong += is_better(&c, &mapping, search.best_cost.value);
        }
        checked_close(&c);
        checked_close_layer(&real);
    }
    print_message("%d mappings compared\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
    assert_true(c.comparisons > 5000);
}

/* ---- every mapping of small spaces ---- */

/* The account of a space: every mapping is illegal, or lies below a partial one whose bound is
 * worse than the optimum (cut), or was open. */
struct account {
    struct checked *checked;
    double optimum, illegal, cut, open;
    struct mapper_mapping mapping;
};

/* A bound of the value of all mappings with these rows of memory "m" and inside, and these parallel
 * factors. */
static double partial_bound(struct checked *c, int m, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    checked_know(c, mapping);
    struct mapper_share all = checked_fixed(c), one;
    double compute = (double)p->instances * p->cycles_per_instance;

    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops && p->row[r].is_space; i++)
            compute /= (double)mapping->factor[r][i];
    }
    for (int child = 1; child <= p->n_memories; child++) {
        if (child < m)
            sator_mapper_bounds_least(
                    p, &c->crew, sator_mapper_bounds_group(c->bounds, child), &one);
        else
            checked_bound(c, child, child == m ? m : child - 1, m, mapping, &one);
        sator_mapper_share_add(p, &all, &one);
    }
    return sator_mapper_bound(p, &c->crew, compute, &all).value;
}

/* All orders of the memories from "m" inward that matter. */
static void account_orders(struct account *a, int m, int placed, const double *bound)
{
    struct checked *c = a->checked;
    const struct mapper_problem *p = c->problem;
    int8_t *order = a->mapping.order[m];
    struct mapper_traffic traffic;
    bool is_cut = false;

    if (m < p->n_memories && (placed == p->n_loops || !sator_mapper_order_matters(p, m))) {
        account_orders(a, m + 1, 0, bound);
        return;
    }
    for (int k = placed; k < p->n_loops && m < p->n_memories; k++) {
        int8_t swap = order[placed];
        order[placed] = order[k];
        order[k] = swap;
        account_orders(a, m, placed + 1, bound);
        order[k] = order[placed];
        order[placed] = swap;
    }
    if (m < p->n_memories)
        return;
    sator_mapper_count(p, c->words, &a->mapping, &traffic);
    double value = sator_mapper_cost(p, &traffic).value;
    c->comparisons++;
    for (int k = 1; k <= p->n_memories; k++) {
        is_cut |= bound[k] > a->optimum * (1 + 1e-9);
        if (!checked_exceeds(bound[k], value))
            continue;
        print_message("memory %d and inside: bound %.17g, value %.17g\n", k, bound[k], value);
        checked_show(c, &a->mapping);
        c->wrong++;
    }
    c->wrong += value < a->optimum * (1 - 1e-9); /* the certificate is wrong */
    *(is_cut ? &a->cut : &a->open) += 1;
}

static void account_factors(struct account *a, int row, int loop, int64_t *left, int64_t used)
{
    struct checked *c = a->checked;
    const struct mapper_problem *p = c->problem;

    if (c->wrong > 2)
        return;
    if (row == p->n_rows) {
        double bound[MAPPER_MEMORIES + 1], orders = 1;
        for (int i = 0; i < p->n_loops; i++) {
            if (left[i] > 1)
                return;
        }
        for (int m = 0; m < p->n_memories; m++) {
            for (int i = 0; i < p->n_loops; i++) {
                a->mapping.order[m][i] = (int8_t)i;
                orders *= sator_mapper_order_matters(p, m) ? i + 1 : 1;
            }
        }
        if (!sator_mapper_is_legal(p, c->words, &a->mapping)) {
            a->illegal += orders;
            return;
        }
        for (int m = 1; m <= p->n_memories; m++)
            bound[m] = partial_bound(c, m, &a->mapping);
        account_orders(a, 0, 0, bound);
        return;
    }
    if (loop == p->n_loops) {
        account_factors(a, row + 1, 0, left, 1);
        return;
    }
    int64_t whole = left[loop];
    for (int64_t d = 1; d <= whole; d++) {
        if (whole % d != 0 || (p->row[row].is_space && used * d > p->row[row].shape))
            continue;
        left[loop] = whole / d;
        a->mapping.factor[row][loop] = d;
        account_factors(a, row, loop + 1, left, used * d);
    }
    left[loop] = whole;
}

/* Cut, open and illegal ones together are the space, no mapping is better than the optimum, and
 * none is better than the bound of a partial mapping that it completes. */
static void test_small_spaces(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct sator_map_options options = {0};
    struct checked c = {.wrong = 0};
    int compared = 0;
    double cut = 0, open = 0;

    while (compared < 60 && c.wrong == 0) {
        struct problem_case one;
        struct machines_options machine = {.most_extent = 4 + (int)machines_draw(&rng, 7),
                .capacities = machines_draw(&rng, 2) != 0,
                .bandwidths = machines_draw(&rng, 2) != 0,
                .most_memories = 3,
                .counted = machines_draw(&rng, 4) == 0};
        bool opened = open_case(&one, &rng, &machine);
        double size = opened ? sator_mapper_count_space(&one.problem) : INFINITY;
        if (size > 500 && size < 20000) {
            one.problem.objective = (enum sator_map_objective)machines_draw(&rng, 3);
            checked_open(&c, &one.problem, &rng);
            struct mapper_search search = {.ctx = one.ctx,
                    .problem = &one.problem,
                    .words = c.words,
                    .options = &options,
                    .deadline = INFINITY,
                    .next_report = INFINITY};
            sator_mapper_optimal(&search);
            struct account a = {
                    .checked = &c, .optimum = search.found ? search.best_cost.value : INFINITY};
            sator_mapper_mapping_init(&one.problem, &a.mapping);
            int64_t left[MAPPER_LOOPS];
            memcpy(left, one.problem.extent, sizeof left);
            account_factors(&a, 0, 0, left, 1);
            assert_true(search.proved);
            assert_true(c.wrong > 0 || a.illegal + a.cut + a.open == size);
            cut += a.cut;
            open += a.open;
            checked_close(&c);
            compared++;
            if (c.wrong > 0)
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message("%d spaces, %.0f mappings cut, %.0f open\n", compared, cut, open);
    assert_int_equal(c.wrong, 0);
    assert_true(cut > open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_neighbours),
            cmocka_unit_test(test_small_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
