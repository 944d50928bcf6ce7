/* What is taken out of a skewed stamping: values by hand. */
#include "count/skewed/skewed.h"
#include "unit/stampings.h"

static const int64_t shape[] = {4};

/* Four PEs, each by so much later than the one before it; each runs "extent" stamps. */
static const struct sator_decline *reduce(
        struct fixture *fixture, int skew, int extent, struct skewed_nest *nest)
{
    char domain[80], time[80];

    snprintf(domain, sizeof domain, "{ S[i,k] : 0 <= i < 4 and 0 <= k < %d }", extent);
    snprintf(time, sizeof time, "{ S[i,k] -> T[k + %d*i] }", skew);
    return skewed_reduce(fixture->arena,
            read_stamping(fixture, domain, "{ S[i,k] -> PE[i] }", time, shape), nest);
}

/* A skew by more stamps than a PE runs has stamps in which none does: 0 2 4 6 of T[2 i]. */
static void test_skews_without_gaps(void **state)
{
    struct skewed_nest nest;

    for (int skew = 1; skew <= 3; skew++) {
        for (int extent = 1; extent <= 4; extent++) {
            bool has_gaps = skew > extent;
            assert_true((reduce(*state, skew, extent, &nest) != NULL) == has_gaps);
            if (has_gaps)
                continue;
            assert_int_equal(nest.length, extent);
            assert_int_equal(nest.span, 3 * skew);
            assert_int_equal(nest.skew[0], skew);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_skews_without_gaps, open_fixture, close_fixture)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
