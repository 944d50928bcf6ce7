/* Which transfers pass sliding words from PE to PE: problems of a few fields, done by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mapper/cost/cost.h"

/* One memory, and a row of PEs inside that links lead along; two tensors that may pass. Loop 0
 * slides in tensor 0, loop 1 in tensor 1. */
static struct mapper_problem problem;
static struct mapper_mapping mapping;

static int setup(void **state)
{
    (void)state;
    memset(&problem, 0, sizeof problem);
    memset(&mapping, 0, sizeof mapping);
    problem.n_loops = problem.n_rows = problem.n_accesses = problem.n_transfers = 2;
    problem.n_memories = 1;
    problem.row[1].is_space = true;
    for (int t = 0; t < 2; t++) {
        problem.access[t].relevant = 1U << t;
        problem.transfer[t] = (struct mapper_transfer){
                .access = t, .child = 1, .child_row = 2, .linked_rows = 2, .may_pass = true};
        mapping.factor[0][t] = mapping.factor[1][t] = 1;
        mapping.along[1][t] = (int8_t)t;
    }
    return 0;
}

static void test_only_what_is_unrolled(void **state)
{
    (void)state;
    assert_int_equal(sator_mapper_passed(&problem, &mapping), 0);
    mapping.factor[0][0] = 3; /* in time */
    assert_int_equal(sator_mapper_passed(&problem, &mapping), 0);
    mapping.factor[1][0] = 3;
    assert_int_equal(sator_mapper_passed(&problem, &mapping), 1);
    mapping.factor[1][1] = 2;
    assert_int_equal(sator_mapper_passed(&problem, &mapping), 3);
}

static void test_only_over_links(void **state)
{
    (void)state;
    mapping.factor[1][1] = 2;
    assert_int_equal(sator_mapper_passed(&problem, &mapping), 2);
    problem.transfer[1] = (struct mapper_transfer){.access = 1, .child = 1, .child_row = 2};
    assert_int_equal(sator_mapper_passed(&problem, &mapping), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup(test_only_what_is_unrolled, setup),
            cmocka_unit_test_setup(test_only_over_links, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
