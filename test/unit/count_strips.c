/* Strips laid over lattice points: the closed form against all points and all places, tried one by
 * one. Lattices of determinant 1, 2 and 3, two to four strips, in two and three dimensions. */
#include "count/closed/strips.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    REACH = 6, /* coordinates of points: -REACH .. REACH */
    SIDE = 2 * REACH + 1,
    FORMS = 4
};

struct known {
    int n_dims, n;
    int64_t form[FORMS][3];
    int most_width;
    int64_t places[FORMS]; /* of each strip: 0 .. places - 1, or around 0 where negative */
};

/* Places of the first strips are the same but for a translation modulo the determinant of their
 * forms; those of the others are all at which they meet a point. */
static const struct known cases[] = {
        {2, 2, {{1, 0}, {0, 1}}, 4, {1, 1}},
        {2, 2, {{1, 1}, {1, -1}}, 5, {2, 2}},
        {2, 2, {{1, 2}, {1, -1}}, 5, {3, 3}},
        {2, 3, {{1, 0}, {0, 1}, {1, 1}}, 4, {1, 1, -7}},
        {2, 3, {{1, 1}, {1, -1}, {1, 0}}, 4, {2, 2, -7}},
        {3, 3, {{1, 0, 0}, {0, 1, 1}, {0, 1, -1}}, 4, {2, 2, 2}},
        {3, 3, {{1, 1, 0}, {0, 1, 1}, {1, 0, 1}}, 4, {2, 2, 2}},
        {3, 4, {{1, 0, 0}, {0, 1, 1}, {0, 1, -1}, {1, 1, 0}}, 3, {2, 2, 2, -7}},
};

static int64_t value(const int64_t *form, const int64_t *point)
{
    return form[0] * point[0] + form[1] * point[1] + form[2] * point[2];
}

/* The points that strips from "first" on hold. */
static int count(const struct known *known, const int64_t *width, const int64_t *first)
{
    int sum = 0;

    for (int p = 0; p < (known->n_dims == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE); p++) {
        int64_t point[3] = {p % SIDE - REACH, p / SIDE % SIDE - REACH,
                known->n_dims == 2 ? 0 : p / SIDE / SIDE - REACH};
        bool is_held = true;
        for (int i = 0; i < known->n && is_held; i++) {
            int64_t at = value(known->form[i], point) - first[i];
            is_held = at >= 0 && at < width[i];
        }
        sum += is_held;
    }
    return sum;
}

/* The most points of all places of the strips from "i" on. */
static int try_places(const struct known *known, const int64_t *width, int i, int64_t *first)
{
    int64_t most = 0;

    if (i == known->n || i == FORMS)
        return count(known, width, first);
    int64_t places = known->places[i];
    for (first[i] = places < 0 ? places : 0; first[i] < llabs(places); first[i]++) {
        int found = try_places(known, width, i + 1, first);
        most = found > most ? found : most;
    }
    return (int)most;
}

static void check(const struct known *known, const int64_t *width)
{
    struct closed_strips strips = {.n_dims = known->n_dims, .n = known->n};
    int64_t first[FORMS] = {0};
    sator_int most = -1;

    for (int i = 0; i < known->n; i++) {
        memcpy(strips.form[i], known->form[i], sizeof known->form[i]);
        strips.width[i] = width[i];
    }
    assert_null(closed_strips_most(&strips, &most));
    assert_int_equal((int)most, try_places(known, width, 0, first));
    /* as many are held where the answer says, laid around the point 0 */
    for (int i = 0; i < known->n; i++) {
        assert_in_range(strips.at[i], 0, width[i] - 1);
        first[i] = -strips.at[i];
    }
    assert_int_equal((int)most, count(known, width, first));
}

static void test_all_places(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct known *known = &cases[c];
        int64_t width[FORMS] = {1, 1, 1, 1};
        for (int i = 0; i < known->n;) {
            check(known, width);
            for (i = 0; i < known->n && ++width[i] > known->most_width; i++)
                width[i] = 1;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_places)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
