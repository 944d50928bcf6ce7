/* Sizes of sums of progressions, against lists of all sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "certificate/cert_bound.h"

enum {
    MOST = 4096,
    MIDDLE = MOST / 2
};

/* Mark the sums of runs "from" to "to" less 1, moved by "at". */
static void mark(const struct cert_run *runs, int from, int to, int64_t at, bool *marks)
{
    if (from == to) {
        marks[MIDDLE + at] = true;
        return;
    }
    for (int64_t k = 0; k < runs[from].count; k++)
        mark(runs, from + 1, to, at + k * runs[from].step, marks);
}

static int count(const bool *marks)
{
    int n = 0;

    for (int i = 0; i < MOST; i++)
        n += marks[i];
    return n;
}

/* The values that each of the sets which has it had before, too, when all stood "shift" lower. */
static int kept_by_all(const struct cert_run *runs, int n_set, int n, int64_t shift)
{
    bool set[MOST] = {false}, places[MOST] = {false}, lost[MOST] = {false}, all[MOST] = {false};
    int kept = 0;

    mark(runs, 0, n_set, 0, set);
    mark(runs, n_set, n, 0, places);
    for (int64_t p = -MIDDLE / 2; p < MIDDLE / 2; p++) {
        for (int64_t v = -MIDDLE / 2; v < MIDDLE / 2 && places[MIDDLE + p]; v++) {
            if (!set[MIDDLE + v])
                continue;
            all[MIDDLE + p + v] = true;
            lost[MIDDLE + p + v] |= !set[MIDDLE + v + shift];
        }
    }
    for (int i = 0; i < MOST; i++)
        kept += all[i] && !lost[i];
    return kept;
}

/* What enters the tile that the runs make: nobody has it at the places "at", the first of which is
 * its own in the stamp before, the others over wires. At least, where it has gaps and there are
 * several. */
static void check_fresh(int n, const struct cert_run *runs, int n_at, const int64_t *at)
{
    static const struct cert_link wire = {.is_wire = true};
    struct cert_place place = {.pes = 2, .n = n_at - 1};
    const struct cert_places places = {1, &place};
    struct cert_tile tile = {.n_dims = 1, .n_runs = {n}, .run = {runs}};
    bool all[MOST] = {false}, had[MOST] = {false};
    int words = 0;

    mark(runs, 0, n, 0, all);
    for (int k = 0; k < n_at; k++) {
        mark(runs, 0, n, at[k], had);
        if (k > 0)
            place.source[k - 1] = (struct cert_source){&wire, {at[k]}};
    }
    for (int i = 0; i < MOST; i++)
        words += all[i] && !had[i];
    cert_tile_init(&tile);
    const double fresh = cert_fresh(&places, &tile, &(int64_t){-at[0]});
    assert_true(fresh >= 0 && fresh <= 2 * words);
    assert_true(fresh == 2 * words || (tile.has_gaps && n_at > 1));
}

static void test_known(void **state)
{
    (void)state;
    const struct cert_run window[] = {{1, 4}, {1, 3}}; /* x + r: 0 .. 5 */
    const struct cert_run strided[] = {{2, 4}, {1, 3}}; /* 2 x + r: 0 .. 8 */
    const struct cert_run gaps[] = {{5, 3}, {1, 2}}; /* 0 1 5 6 10 11 */

    assert_int_equal(cert_sums(2, window), 6);
    assert_int_equal(cert_sums(2, strided), 9);
    assert_int_equal(cert_sums(2, gaps), 6);
    assert_int_equal(cert_common(2, window, 4), 2);
    assert_int_equal(cert_common(2, window, 6), 0);
    assert_int_equal(cert_common(2, gaps, 5), 4);
    assert_int_equal(cert_common(2, gaps, 3), 0);
    assert_int_equal(cert_most_common(2, window, -5), 1);
    assert_int_equal(cert_most_common(2, gaps, 3), 6); /* nothing is known: 5 keeps 4 */
}

/* Of runs whose steps are not negative, what others that are shorter have, too, once moved. */
static void check_both(int n, const struct cert_run *runs, int64_t shift)
{
    struct cert_run own[4], others[4];
    bool all[MOST] = {false}, moved[MOST] = {false};
    int both = 0;

    for (int k = 0; k < n; k++) {
        own[k] = (struct cert_run){llabs(runs[k].step), runs[k].count};
        others[k] =
                (struct cert_run){own[k].step, k % 2 == 0 ? (own[k].count + 1) / 2 : own[k].count};
    }
    mark(own, 0, n, 0, all);
    mark(others, 0, n, shift, moved);
    for (int i = 0; i < MOST; i++)
        both += all[i] && moved[i];
    assert_int_equal(cert_both(n, own, n, others, shift), both);
}

static void test_random(void **state)
{
    (void)state;
    unsigned random = 1;

    for (int k = 0; k < 4000; k++) {
        struct cert_run runs[4];
        bool all[MOST] = {false}, moved[MOST] = {false};
        int n = 0, common = 0;
        for (; n < 4; n++) {
            random = random * 1103515245 + 12345;
            int64_t step = (int64_t)(random >> 16) % 15 - 7;
            runs[n] = (struct cert_run){step == 0 ? 1 : step, 1 + (int64_t)(random >> 24) % 5};
        }
        random = random * 1103515245 + 12345;
        int64_t shift = (int64_t)(random >> 16) % 41 - 20;
        int n_set = 1 + (int)(random >> 28) % 4;
        mark(runs, 0, n, 0, all);
        mark(runs, 0, n, shift, moved);
        for (int i = 0; i < MOST; i++)
            common += all[i] && moved[i];
        assert_int_equal(cert_sums(n, runs), count(all));
        assert_int_equal(cert_common(n, runs, shift), common);
        assert_true(cert_most_common(n, runs, shift) >= common);
        assert_int_equal(
                cert_common_of_all(n_set, n, runs, shift), kept_by_all(runs, n_set, n, shift));
        check_both(n, runs, shift);
        for (int n_at = 1; n_at <= 3; n_at++)
            check_fresh(n, runs, n_at, (const int64_t[]){shift, shift - 3, 7 - shift});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_known),
            cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
