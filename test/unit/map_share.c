/* Sums of bounds, and the steps by which a bound of energy rises for faster mappings: against what
 * src/mapper/bounds/bounds.h says that they are. Every number is small and exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mapper/bounds/bounds.h"
#include "mapper/phases/phases.h"

static struct mapper_problem problem; /* all zero, but for what a test sets */
static struct mapper_crew crew;

static int setup(void **state)
{
    (void)state;
    memset(&problem, 0, sizeof problem);
    memset(&crew, 0, sizeof crew);
    return 0;
}

/* What a mapping that takes "cycles" spends at least. */
static double spends(const struct mapper_share *share, double cycles)
{
    double pj = share->pj;

    for (int i = 0; i < share->n_steps; i++) {
        if (cycles < share->step[i].cycles)
            pj = share->pj + share->step[i].pj;
    }
    return pj;
}

/* A share with the steps (cycles, pj) that are given, slowest first. */
static struct mapper_share staircase(double pj, int n, const double (*steps)[2])
{
    struct mapper_share share = {.pj = pj};

    for (int i = 0; i <= MAPPER_STEPS; i++) /* what is not of it must not be looked at */
        share.step[i] = (struct mapper_step){1e9, 1e9};
    for (int i = 0; i < n; i++)
        sator_mapper_share_step(&share, steps[i][0], steps[i][1]);
    return share;
}

static void check_steps(const struct mapper_share *share, int n, const double (*steps)[2])
{
    assert_int_equal(share->n_steps, n);
    for (int i = 0; i < n; i++) {
        assert_true(share->step[i].cycles == steps[i][0]);
        assert_true(share->step[i].pj == steps[i][1]);
    }
}

/* ---- steps ---- */

static void test_steps_that_say_nothing(void **state)
{
    (void)state;
    struct mapper_share share =
            staircase(5, 4, (const double[][2]){{9, 0}, {8, 3}, {7, 3}, {6, 2}});

    check_steps(&share, 1, (const double[][2]){{8, 3}});
    assert_true(spends(&share, 8) == 5 && spends(&share, 7) == 8);
}

/* Of five steps the one that rises least above the one before is forgotten: the first of all rises
 * by what it says. */
static void test_least_step_is_forgotten(void **state)
{
    (void)state;
    static const double rises[] = {8, 4, 16, 32, 64};

    for (int least = 0; least < MAPPER_STEPS + 1; least++) {
        double steps[MAPPER_STEPS + 1][2], left[MAPPER_STEPS][2], pj = 0;
        for (int i = 0, n = 0; i <= MAPPER_STEPS; i++) {
            pj += i == least ? 1 : rises[i];
            steps[i][0] = 50 - i;
            steps[i][1] = pj;
            if (i != least)
                memcpy(left[n++], steps[i], sizeof left[0]);
        }
        struct mapper_share share = staircase(0, MAPPER_STEPS + 1, (const double(*)[2])steps);
        check_steps(&share, MAPPER_STEPS, (const double(*)[2])left);
    }
}

/* Whoever is faster than a step of either part spends what both say of it. */
static void test_sum_of_steps(void **state)
{
    (void)state;
    struct mapper_share a = staircase(100, 2, (const double[][2]){{40, 1}, {20, 8}});
    struct mapper_share b = staircase(200, 2, (const double[][2]){{30, 2}, {20, 16}}), sum = a;

    sator_mapper_share_add(&problem, &sum, &b);
    check_steps(&sum, 3, (const double[][2]){{40, 1}, {30, 3}, {20, 24}});
    for (double cycles = 0; cycles < 50; cycles++)
        assert_true(spends(&sum, cycles) == spends(&a, cycles) + spends(&b, cycles));

    struct mapper_share none = staircase(7, 0, NULL), same = a;
    sator_mapper_share_add(&problem, &same, &none);
    check_steps(&same, 2, (const double[][2]){{40, 1}, {20, 8}});
    sator_mapper_share_add(&problem, &none, &a);
    check_steps(&none, 2, (const double[][2]){{40, 1}, {20, 8}});
    assert_true(none.pj == 107 && same.pj == 107);

    /* down to the fastest: a step at no cycles is one that no mapping is faster than; either
     * part may end first */
    struct mapper_share c = staircase(0, 1, (const double[][2]){{3, 5}});
    struct mapper_share d = staircase(0, 2, (const double[][2]){{4, 1}, {0, 6}});
    struct mapper_share swapped = d;
    sator_mapper_share_add(&problem, &swapped, &c);
    sator_mapper_share_add(&problem, &c, &d);
    check_steps(&c, 3, (const double[][2]){{4, 1}, {3, 6}, {0, 11}});
    check_steps(&swapped, 3, (const double[][2]){{4, 1}, {3, 6}, {0, 11}});
}

/* ---- the best that a mapping may be ---- */

/* The least value of all whole numbers of cycles from "least" on that some mapping may take. */
static double best_value(const struct mapper_share *share, double least)
{
    double best = INFINITY;

    for (double cycles = least; cycles < 100; cycles++) {
        double pj = spends(share, cycles) + problem.leakage_pj * cycles;
        if (isfinite(pj) && (problem.cycle_limit == 0 || cycles < problem.cycle_limit))
            best = fmin(best, sator_mapper_value(problem.objective, pj, cycles));
    }
    return best;
}

static void check_best(const double (*steps)[2], double least)
{
    struct mapper_share share = staircase(100, 4, steps);
    struct mapper_cost best = sator_mapper_bound(&problem, &crew, least, &share);

    assert_true(best.value == best_value(&share, least));
    assert_true(best.cycles >= least);
    assert_true(best.pj == spends(&share, best.cycles) + problem.leakage_pj * best.cycles);
}

static void test_best_of_steps(void **state)
{
    (void)state;
    static const double steps[][4][2] = {{{40, 10}, {30, 20}, {20, 400}, {10, 500}},
            {{40, 1}, {30, 2}, {20, 3}, {10, 4}},
            {{40, 1000}, {30, 2000}, {20, 3000}, {10, INFINITY}},
            {{50, 30}, {20, 60}, {15, 61}, {12, INFINITY}}};
    static const double limits[] = {0, 45, 40, 35, 25, 20};

    for (int k = 0; k < 4 * 6 * 3; k++) {
        problem.objective = (enum sator_map_objective)(k % 3);
        problem.cycle_limit = limits[k / 3 % 6];
        for (double least = 5; least < 50; least += 3) {
            problem.leakage_pj = least < 9 ? 2 : 0;
            if (problem.cycle_limit == 0 || least < problem.cycle_limit)
                check_best(steps[k / 18], least);
        }
    }
}

/* Where no mapping is below the limit, the bound is that of all. */
static void test_none_below_the_limit(void **state)
{
    (void)state;
    struct mapper_share share = staircase(100, 1, (const double[][2]){{40, 10}});

    problem.objective = SATOR_MAP_ENERGY;
    problem.cycle_limit = 8;
    struct mapper_cost best = sator_mapper_bound(&problem, &crew, 8, &share);
    assert_true(best.value == 100 && best.cycles == 40);
}

/* Of two that are as good the faster one. */
static void test_faster_of_equal_ones(void **state)
{
    (void)state;
    struct mapper_share share = staircase(100, 2, (const double[][2]){{40, 100}, {20, 900}});

    problem.objective = SATOR_MAP_EDP;
    struct mapper_cost best = sator_mapper_bound(&problem, &crew, 5, &share);
    assert_true(best.value == 40 * 100 && best.cycles == 20 && best.pj == 200);
}

/* ---- cycles ---- */

static void test_cycles_of_ports(void **state)
{
    (void)state;
    struct mapper_share share = {.bits = {6, 30, 8, 100}};

    problem.n_ports = 4;
    crew = (struct mapper_crew){.per_bit = {1, 0.5, 2, 0.25}}; /* 6, 15, 16, 25 cycles */
    assert_true(sator_mapper_cycles(&problem, &crew, 3, &share) == 25);
    assert_true(sator_mapper_cycles(&problem, &crew, 30, &share) == 30);
    problem.serial_ports = 1U << 1 | 1U << 2; /* one after the other parts: the slower of the two */
    assert_true(sator_mapper_cycles(&problem, &crew, 3, &share) == 25 + 16);
    problem.mixed_ports = 1U << 3; /* not beside the others for sure */
    assert_true(sator_mapper_cycles(&problem, &crew, 3, &share) == 25);
    assert_true(sator_mapper_cycles(&problem, &crew, 13, &share) == 13 + 16);
}

/* Words of an outer memory's next tile move while serial ones pass further in: the longer of the
 * two, not their sum. Computing is never beside what is serial. */
static void test_cycles_of_ports_beside(void **state)
{
    (void)state;
    struct mapper_share share = {.bits = {6, 30, 8, 100}};

    problem.n_ports = 4;
    crew = (struct mapper_crew){.per_bit = {1, 0.5, 2, 0.25}}; /* 6, 15, 16, 25 cycles */
    problem.serial_ports = 1U << 2;
    problem.beside_ports = 1U << 3;
    assert_true(sator_mapper_cycles(&problem, &crew, 3, &share) == 15 + 16);
    problem.beside_ports = 1U << 3 | 1U << 1;
    assert_true(sator_mapper_cycles(&problem, &crew, 3, &share) == 25);
    assert_true(sator_mapper_cycles(&problem, &crew, 13, &share) == 13 + 16);
    problem.beside_ports = 0;
    assert_true(sator_mapper_cycles(&problem, &crew, 3, &share) == 25 + 16);
}

/* What is serial counts for the memories outside of the one that it fills, and what operands wait
 * for for all of them. */
static void test_what_waits_inside(void **state)
{
    (void)state;
    struct mapper_phases phases = {.problem = &problem};

    problem.n_transfers = 3; /* into memory 1, which is serial, into 2 and 3, overlapped */
    for (int t = 0; t < 3; t++) {
        problem.transfer[t] = (struct mapper_transfer){.child = t + 1};
        phases.manner[t].kind = phases.manner[t].kind_of_stamps =
                t == 0 ? SATOR_TRANSFER_SERIAL : SATOR_TRANSFER_OVERLAPPED;
    }
    assert_true(sator_mapper_waits_inside(&phases, 0));
    assert_false(sator_mapper_waits_inside(&phases, 1));
    phases.manner[2].kind_of_stamps = SATOR_TRANSFER_SERIAL; /* where 3 holds single stamps */
    assert_true(sator_mapper_waits_inside(&phases, 2));
    assert_false(sator_mapper_waits_inside(&phases, 3));
    phases.own[0].waits = true;
    assert_false(sator_mapper_waits_inside(&phases, 3));
    phases.n_own = 1;
    assert_true(sator_mapper_waits_inside(&phases, 3));
}

/* ---- transfers that have no formula ---- */

static struct mapper_range counted(struct mapper_access access, struct mapper_transfer transfer)
{
    struct mapper_range range = {7, 60, 8, 70, 3}; /* of the relaxation */

    access.footprint = 10;
    access.volume = 40;
    problem.access[0] = access;
    problem.transfer[0] = transfer;
    sator_mapper_range_counted(&problem, 0, 1, &range);
    assert_true(range.ratio == 0);
    return range;
}

/* Every element crosses at least once, if it was not there from the start; and each instance brings
 * all that it touches at the most. */
static void test_counted_ranges(void **state)
{
    (void)state;
    struct mapper_range range = counted((struct mapper_access){0}, (struct mapper_transfer){0});
    assert_true(range.unique_lb == 10 && range.arriving_lb == 10);
    assert_true(range.unique_ub == 70 && range.arriving_ub == 70);

    range = counted((struct mapper_access){.is_counted = true},
            (struct mapper_transfer){.is_outside = true});
    assert_true(range.unique_lb == 7 && range.arriving_lb == 8);
    assert_true(range.unique_ub == 40 && range.arriving_ub == 40);

    /* words of some tiles only, or that come back from further out, are fewer than the relaxation's
     */
    range = counted((struct mapper_access){.may_be_empty = true},
            (struct mapper_transfer){.is_outside = true});
    assert_true(range.unique_lb == 0 && range.arriving_lb == 0);
    range = counted((struct mapper_access){0},
            (struct mapper_transfer){.is_outside = true, .reaches_back = true});
    assert_true(range.unique_lb == 0 && range.arriving_lb == 8);
}

/* ---- what a transfer costs at least ---- */

/* The least of transfer 0, which brings 10 words of 40 in volume, "unique" and "arriving" pJ each.
 */
static double least(struct mapper_transfer transfer, double unique, double arriving)
{
    problem.n_transfers = 1;
    problem.memory[0].holds = 1;
    problem.access[0] = (struct mapper_access){.footprint = 10, .volume = 40};
    transfer.child = 1;
    transfer.unique_pj = unique;
    transfer.arriving_pj = arriving;
    if (!problem.lends)
        transfer.outward = transfer.inward = -1;
    problem.transfer[0] = transfer;
    return sator_mapper_least_pj(&problem, &crew, 1U << 0);
}

/* Words that cost something cross once at least, those that spare something as often as there are
 * instances at the most; where buses, links or what has no formula spread them, any number arrive
 * for each that is sent. */
static void test_least_of_a_transfer(void **state)
{
    (void)state;
    assert_true(least((struct mapper_transfer){0}, 5, -2) == 3 * 10);
    assert_true(least((struct mapper_transfer){0}, 1, -2) == -1 * 40);
    for (unsigned rows = 1; rows <= 2; rows++)
        assert_true(least((struct mapper_transfer){.collapsed = rows}, 5, -2) == -INFINITY);
    assert_true(least((struct mapper_transfer){.may_pass = true}, 5, -2) == -INFINITY);
    assert_true(least((struct mapper_transfer){.is_complex = true}, 5, -2) == -INFINITY);
    assert_true(least((struct mapper_transfer){.collapsed = 1}, 5, 2) == 7 * 10);
}

/* What further words in are lent is lost at the most where nothing is further in: 3 pJ for each of
 * 40 words; else the transfer there has it. */
static void test_least_of_what_is_lent(void **state)
{
    (void)state;
    problem.lends = true;
    crew.lent_pj[0] = 3;
    crew.ratio[0] = 4;
    assert_true(least((struct mapper_transfer){.inward = -1, .outward = -1}, 5, 2) ==
            (5 + 5) * 10 - 3 * 40);
    assert_true(least((struct mapper_transfer){.inward = 0, .outward = -1}, 5, 2) == (5 + 5) * 10);
    /* one word sent, four arriving */
    crew.lent_pj[0] = 0;
    assert_true(least((struct mapper_transfer){.inward = 0, .outward = -1, .collapsed = 1}, 5,
                        -1) == (5 - 4) * 10);
}

/* Each of 10 words lends 3 pJ to the transfer outward of it, the first one: (5 - 3 + 2) pJ. */
static void test_least_of_what_lends(void **state)
{
    (void)state;
    problem.lends = true;
    problem.n_transfers = 2;
    problem.memory[0].holds = problem.memory[1].holds = 1;
    problem.access[0] = (struct mapper_access){.footprint = 10, .volume = 40};
    problem.transfer[1] = (struct mapper_transfer){
            .parent = 1, .child = 2, .unique_pj = 5, .arriving_pj = 2, .outward = 0, .inward = 0};
    crew.lent_pj[0] = 3;
    assert_true(sator_mapper_least_pj(&problem, &crew, UINT32_C(1) << 1) == (5 - 3 + 2) * 10);
    problem.transfer[1].outward = -1;
    assert_true(sator_mapper_least_pj(&problem, &crew, UINT32_C(1) << 1) == (5 + 2) * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(test_steps_that_say_nothing, setup),
            cmocka_unit_test_setup(test_least_step_is_forgotten, setup),
            cmocka_unit_test_setup(test_sum_of_steps, setup),
            cmocka_unit_test_setup(test_best_of_steps, setup),
            cmocka_unit_test_setup(test_none_below_the_limit, setup),
            cmocka_unit_test_setup(test_faster_of_equal_ones, setup),
            cmocka_unit_test_setup(test_cycles_of_ports, setup),
            cmocka_unit_test_setup(test_cycles_of_ports_beside, setup),
            cmocka_unit_test_setup(test_what_waits_inside, setup),
            cmocka_unit_test_setup(test_counted_ranges, setup),
            cmocka_unit_test_setup(test_least_of_a_transfer, setup),
            cmocka_unit_test_setup(test_least_of_what_is_lent, setup),
            cmocka_unit_test_setup(test_least_of_what_lends, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
