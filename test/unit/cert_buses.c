/* Buses of four PEs next to each other along a row, against figures by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memo.h"
#include "unit/cert_fixture.h"

static const char workload[] = "name: gemm\nsizes: {i: 12, j: 4, k: 12}\n"
                               "op: \"Y[i,j] += A[i,k] * B[k,j]\"\n";
static const char machine[] = "name: fours\nlevels:\n"
                              "  - {memory: DRAM}\n"
                              "  - array: PE\n"
                              "    shape: [12]\n"
                              "    multicast: [{name: four, map: \"PE[i] -> BUS[i/4]\"}]\n"
                              "  - {memory: registers}\n"
                              "  - {compute: mac, cycles: 1}\n";

enum {
    I,
    J,
    K,
    PE = 1 /* row */
};

static struct cert_part part;

static int set_up(void **state)
{
    static struct cert_fixture f;

    *state = &f;
    cert_fixture_open(&f, workload, machine);
    return 0;
}

static int tear_down(void **state)
{
    cert_fixture_close(*state);
    return 0;
}

/* Let the row have these factors, in an order that is known if "n" loops are listed, the innermost
 * first. */
static void spread(
        const struct cert_fixture *f, int64_t i, int64_t j, int64_t k, int n, const int *along)
{
    part = (struct cert_part){.is_unrolled = true, .ordered = n > 0 ? 1U << PE : 0};
    for (int r = 0; r < f->problem->n_rows; r++) {
        for (int loop = 0; loop < f->problem->n_loops; loop++)
            part.factor[r][loop] = 1;
    }
    part.factor[PE][I] = i;
    part.factor[PE][J] = j;
    part.factor[PE][K] = k;
    part.known[PE] = 7;
    part.n_along[PE] = n;
    for (int at = 0; at < n; at++)
        part.along[PE][at] = along[at];
}

static const struct cert_move *move_of(const struct cert_fixture *f, const char *tensor)
{
    const struct cert_move *found = NULL;

    for (int m = 0; m < f->problem->n_moves; m++) {
        const struct cert_move *move = &f->problem->move[m];
        found = strcmp(f->problem->tensor[move->tensor].name, tensor) == 0 ? move : found;
    }
    assert_non_null(found);
    return found;
}

/* How many words of a tile each cross in a stamp. */
static double crossing(const struct cert_fixture *f, const char *tensor)
{
    const struct cert_move *move = move_of(f, tensor);
    double words = cert_buses(f->problem, &part, move);

    for (int loop = 0; loop < f->problem->n_loops; loop++) {
        words *= (double)cert_along(f->problem, &part, move, false, loop, false);
        if (f->problem->tensor[move->tensor].relevant >> loop & 1)
            words *= (double)cert_along(f->problem, &part, move, false, loop, true);
    }
    return words;
}

/* i 0 1 2 3 | 4 5 0 1 | 2 3 4 5, k 0 for the first six: A has 12 tiles, of B[k] buses have 1, 2, 1.
 */
static void test_buses_end_inside_of_digits(void **state)
{
    struct cert_fixture *f = *state;

    spread(f, 6, 1, 2, 2, (const int[]){I, K});
    assert_int_equal(crossing(f, "A"), 12);
    assert_int_equal(crossing(f, "B"), 4);
}

/* k 0 1 0 1 | 0 1 0 1 | 0 1 0 1, i 0 0 1 1 | 2 2 3 3 | 4 4 5 5: each bus has both of B[k]. */
static void test_buses_cut_a_digit(void **state)
{
    struct cert_fixture *f = *state;

    spread(f, 6, 1, 2, 2, (const int[]){K, I});
    assert_int_equal(crossing(f, "A"), 12);
    assert_int_equal(crossing(f, "B"), 6);
    assert_int_equal(cert_shared(f->problem, &part, move_of(f, "B"), false, PE, I), 2);
}

/* Ten PEs: the last bus has two. */
static void test_the_last_bus_is_not_full(void **state)
{
    struct cert_fixture *f = *state;

    spread(f, 1, 10, 1, 1, (const int[]){J});
    assert_int_equal(crossing(f, "A"), 3); /* every bus wants the same */
    assert_int_equal(crossing(f, "B"), 10);
}

/* Whatever the order, six PEs that want one word are on two buses at least. */
static void test_without_an_order(void **state)
{
    struct cert_fixture *f = *state;

    spread(f, 6, 1, 2, 0, NULL);
    assert_int_equal(crossing(f, "B"), 4);
    assert_int_equal(crossing(f, "A"), 12);
}

/* [k, j, i] and [j, k, i] put as much on each bus; with i inside it is another thing. */
static void test_orders_that_are_alike(void **state)
{
    struct cert_fixture *f = *state;
    struct sator_memo *seen = sator_memo_new(1);

    spread(f, 3, 2, 2, 3, (const int[]){K, J, I});
    assert_false(cert_is_known_order(f->problem, &part, PE, seen));
    spread(f, 3, 2, 2, 3, (const int[]){J, K, I});
    assert_true(cert_is_known_order(f->problem, &part, PE, seen));
    spread(f, 3, 2, 2, 3, (const int[]){J, I, K});
    assert_false(cert_is_known_order(f->problem, &part, PE, seen));
    sator_memo_free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_buses_end_inside_of_digits, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_buses_cut_a_digit, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_the_last_bus_is_not_full, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_without_an_order, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_orders_that_are_alike, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
