/* The divisors of an extent, against trying all numbers up to its root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "mapper/search/search.h"

static void check(int64_t n)
{
    struct sator_arena *arena = sator_arena_new();
    const int64_t *divisors;
    int count = sator_mapper_divisors(arena, n, &divisors), found = 0;

    for (int i = 0; i < count; i++) {
        assert_int_equal(n % divisors[i], 0);
        assert_true(i == 0 || divisors[i - 1] < divisors[i]);
    }
    for (int64_t d = 1; d <= n / d; d++)
        found += n % d != 0 ? 0 : d == n / d ? 1 : 2;
    assert_int_equal(count, found);
    sator_arena_free(arena);
}

static void test_small(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 20000; n++)
        check(n);
}

/* Primes, squares and products of primes on either side of where the search stops dividing, and
 * numbers that pass for primes in weaker tests. */
static void test_large(void **state)
{
    (void)state;
    static const int64_t primes[] = {2, 3, 17, 1999, 2003, 4001, 65537, 1048573};
    static const int64_t others[] = {INT64_C(1) << 40, (INT64_C(1) << 40) - 87,
            (INT64_C(1) << 40) - 1, (INT64_C(1) << 24) - 3, INT64_C(963761198400), 3215031751,
            25326001, 341550071, 1373653, 7919 * 7907, INT64_C(480189) * 17770};

    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        for (size_t k = 0; k < sizeof primes / sizeof *primes; k++)
            check(primes[i] * primes[k]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check(others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
