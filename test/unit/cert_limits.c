/* Constraints as certificates read them (src/certificate/cert_limits.c): what is taken, row by row,
 * and that a text with anything else in it is refused, from its first word to its last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "unit/cert_fixture.h"

/* Loops i, j, k are 0, 1, 2; n has one iteration, and no number. */
static const char workload[] = "name: gemm\nsizes: {i: 8, j: 8, k: 8, n: 1}\n"
                               "op: \"Y[i,j] += A[i,k,n] * B[k,j]\"\n";

/* Rows 0 to 4: DRAM, L2, the two dimensions of PE, L1. */
static const char machine[] = "name: mesh\nlevels:\n"
                              "  - {memory: DRAM}\n"
                              "  - {memory: L2}\n"
                              "  - array: PE\n"
                              "    shape: [8, 4]\n"
                              "    links:\n"
                              "      - {name: east, map: \"PE[i,j] -> PE[i,j+1]\", interval: 0}\n"
                              "  - {memory: L1}\n"
                              "  - {compute: mac, cycles: 1}\n";

static int set_up(void **state)
{
    static struct cert_fixture f;

    *state = &f;
    cert_fixture_open(&f, workload, machine);
    assert_int_equal(f.problem->n_rows, 5);
    return 0;
}

static int tear_down(void **state)
{
    cert_fixture_close(*state);
    return 0;
}

static bool reads(const struct cert_fixture *f, const char *text)
{
    return cert_limits_add(f->problem, &f->network->layers[0], f->arch, text);
}

static void test_factors(void **state)
{
    static const struct {
        const char *text;
        int n;
        struct cert_limit limit[2];
    } cases[] = {
            {"L1: k 4", 1, {{1U << 4, 2, 4, 4}}},
            {"L1 : k 4 ", 1, {{1U << 4, 2, 4, 4}}},
            {"L2: k <= 4, i >= 2", 2, {{1U << 1, 2, 1, 4}, {1U << 1, 0, 2, INT64_MAX}}},
            {"PE: j 2", 1, {{1U << 2 | 1U << 3, 1, 2, 2}}},
            {"PE: j 2 -> 0, i <= 4 -> 1", 2, {{1U << 2, 1, 2, 2}, {1U << 3, 0, 1, 4}}},
            {"DRAM: n 1", 0, {{0}}},
    };
    const struct cert_fixture *f = *state;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        f->problem->n_limits = 0;
        assert_true(reads(f, cases[c].text));
        assert_int_equal(f->problem->n_limits, cases[c].n);
        for (int k = 0; k < cases[c].n; k++) {
            const struct cert_limit *limit = &f->problem->limit[k], *expected = &cases[c].limit[k];
            assert_int_equal(limit->rows, expected->rows);
            assert_int_equal(limit->loop, expected->loop);
            assert_true(limit->least == expected->least && limit->most == expected->most);
        }
    }
}

static void test_refused(void **state)
{
    static const char *const texts[] = {"L1: ", "L1: 4", "L1: m 4", "L1: 4 k", "L1: k",
            "L1: k <=", "L1: k < 4", "L1: k = 4", "L1: k x", "L1: k 4,", "L1: k 4, 2",
            "L1: k 4 i 2", "L1: k 4 -> 0 -> 0", "L1: k 4 -> 1", "PE: k 4 ->", "PE: k 4 -> x",
            "PE: k 4 -> 2", "L3: k 4", "L1 k 4", "L1", "mac: k 4", "PE: only m", "PE: only i, j",
            "PE: skew", "PE: skew x", "PE: skew 1 -", "PE: skew 1, 1", "L1: order m",
            "L1: order i, j", "utilization", "utilization 0", "utilization 1.5", "utilization half",
            "utilization 0.5, 1"};
    const struct cert_fixture *f = *state;

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        if (reads(f, texts[t]))
            print_error("'%s' is taken\n", texts[t]);
        assert_false(reads(f, texts[t]));
    }
}

/* As many limits as there is room for, and no more; a loop of one iteration takes none. */
static void test_room(void **state)
{
    const struct cert_fixture *f = *state;

    f->problem->n_limits = CERT_LIMITS - 1;
    assert_true(reads(f, "L1: k 4"));
    assert_int_equal(f->problem->n_limits, CERT_LIMITS);
    assert_true(reads(f, "L1: n 1"));
    assert_false(reads(f, "L1: k 4"));
    assert_int_equal(f->problem->n_limits, CERT_LIMITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_factors, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_room, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
