/* The point counter of the general engine, its sums by runs and its moves, against enumeration. */
#include "count/general/points.h"
#include "count/general/moves.h"
#include "count/general/series.h"
#include "oracle/run.h"
#include "unit/stampings.h"

static uint64_t seed = 1;

static int64_t draw(int64_t lower, int64_t upper)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return lower + (int64_t)(seed % (uint64_t)(upper - lower + 1));
}

enum {
    MOST_VARS = 5,
    REACH = 4
};

/* A random system whose points are within REACH of zero: the box is said by rows like any other. */
static struct sator_system *random_system(int n_vars)
{
    struct sator_system *system = sator_system_new(n_vars, 16);
    int n_rows = (int)draw(0, 5);

    for (int v = 0; v < n_vars; v++) {
        int64_t *low = sator_system_add(system, KIND_INEQUALITY);

        low[ROW_CONSTANT] = draw(0, REACH);
        low[ROW_COEFFICIENTS + v] = 1;
        low = sator_system_add(system, KIND_INEQUALITY);
        low[ROW_CONSTANT] = draw(0, REACH);
        low[ROW_COEFFICIENTS + v] = -1;
    }
    for (int r = 0; r < n_rows; r++) {
        int64_t *row = sator_system_add(system, draw(0, 3) ? KIND_INEQUALITY : KIND_EQUALITY);

        row[ROW_CONSTANT] = draw(-2, 7);
        for (int v = 0; v < n_vars; v++)
            row[ROW_COEFFICIENTS + v] = draw(0, 1) ? draw(-3, 3) : 0;
    }
    return system;
}

static bool holds(const struct sator_system *system, const int64_t *point)
{
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r);
        int64_t value = row[ROW_CONSTANT];

        for (int v = 0; v < system->n_vars; v++)
            value += row[ROW_COEFFICIENTS + v] * point[v];
        if (row[ROW_KIND] == KIND_EQUALITY ? value != 0 : value < 0)
            return false;
    }
    return true;
}

/* Step through [-REACH, REACH]^n from variable "first" on; false after the last point. */
static bool step(int64_t *point, int first, int n_vars)
{
    for (int v = n_vars - 1; v >= first; v--) {
        if (++point[v] <= REACH)
            return true;
        point[v] = -REACH;
    }
    return false;
}

static int64_t enumerate(const struct sator_system *system, int64_t *point, int n_fixed)
{
    int64_t count = 0;

    for (int v = n_fixed; v < system->n_vars; v++)
        point[v] = -REACH;
    do {
        count += holds(system, point);
    } while (step(point, n_fixed, system->n_vars));
    return count;
}

static void test_points_against_enumeration(void **state)
{
    const int n_cases = (int)run_count(4000);
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);
    int n_positive = 0;

    seed = 20210601;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < n_cases; i++) {
        struct sator_system *system = random_system((int)draw(1, MOST_VARS - (i % 4 != 0)));
        int64_t point[MOST_VARS];
        int64_t expected = enumerate(system, point, 0);
        sator_int count = -1;

        assert_int_equal(sator_points_count(points, sator_system_copy(system), &count), SATOR_OK);
        if (count != expected)
            fail_msg("system %d: counted %lld, has %lld", i, (long long)count, (long long)expected);
        n_positive += expected > 0;
        sator_system_free(system);
    }
    assert_true(n_positive > n_cases / 4);
    sator_points_free(points);
}

static void test_most_against_enumeration(void **state)
{
    const int n_cases = (int)run_count(800);
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);

    seed = 20230419;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < n_cases; i++) {
        int n_systems = (int)draw(1, 3), n_outer = (int)draw(0, 2);
        struct sator_system *systems[3];
        int64_t point[MOST_VARS], outer[MOST_VARS] = {0}, best = 0, at_outer = 0;
        sator_int most = -1;

        for (int s = 0; s < n_systems; s++)
            systems[s] = random_system(n_outer + (int)draw(1, 2));
        for (int v = 0; v < n_outer; v++)
            point[v] = -REACH;
        do {
            int64_t sum = 0;

            for (int s = 0; s < n_systems; s++)
                sum += enumerate(systems[s], point, n_outer);
            best = sum > best ? sum : best;
        } while (step(point, 0, n_outer));
        sator_int bound = i % 2 == 0 ? -1 : best + i % 3; /* not known, met, or not met */
        assert_int_equal(
                sator_points_most(points, n_systems, systems, n_outer, bound, &most, outer),
                SATOR_OK);
        for (int s = 0; s < n_systems; s++)
            at_outer += enumerate(systems[s], outer, n_outer);
        if (most != best || (best > 0 && at_outer != best))
            fail_msg("family %d: found %lld (%lld there), has %lld", i, (long long)most,
                    (long long)at_outer, (long long)best);
        for (int s = 0; s < n_systems; s++)
            sator_system_free(systems[s]);
    }
    sator_points_free(points);
}

/* No line has a point: 0 <= x <= 3 and 2 <= y <= 1. That is none, not infinitely many. */
static void test_polygon_of_nothing(void **state)
{
    (void)state;
    static const int64_t rows[][3] = {{1, 0, 0}, {-1, 0, 3}, {0, 1, -2}, {0, -1, 1}};
    struct sator_system *system = sator_system_new(2, 4);
    sator_int count = -1;
    bool infinite = true;

    for (int r = 0; r < 4; r++) {
        int64_t *row = sator_system_add(system, KIND_INEQUALITY);
        row[ROW_COEFFICIENTS] = rows[r][0];
        row[ROW_COEFFICIENTS + 1] = rows[r][1];
        row[ROW_CONSTANT] = rows[r][2];
    }
    assert_int_equal(sator_points_planar(system, &infinite, &count), SATOR_OK);
    assert_false(infinite);
    assert_int_equal(count, 0);
    sator_system_free(system);
}

/* Where x holds whatever y and z are: x - y + z >= 0 for 0 <= z <= 5 and y <= 4 is met from x = 4
 * on, and nowhere when nothing bounds y above, whatever is known of z. */
static void test_interior(void **state)
{
    (void)state;
    for (int bounded = 0; bounded < 2; bounded++) {
        static const int64_t rows[][4] = {
                {1, -1, 1, 0}, {0, 0, 1, 0}, {0, 0, -1, 5}, {0, 1, 0, 0}, {0, -1, 0, 4}};
        struct sator_system *system = sator_system_new(3, 5);

        for (int r = 0; r < 4 + bounded; r++) {
            int64_t *row = sator_system_add(system, KIND_INEQUALITY);
            memcpy(&row[ROW_COEFFICIENTS], rows[r], 3 * sizeof *row);
            row[ROW_CONSTANT] = rows[r][3];
        }
        struct sator_range range = sator_points_interior(system, 0, (struct sator_range){-10, 10});
        if (bounded) {
            assert_int_equal(range.lower, 4);
            assert_int_equal(range.upper, 10);
        } else {
            assert_true(range.lower > range.upper);
        }
        sator_system_free(system);
    }
}

/* Polygons with long sides: the closed form against adding up line by line. */
static void test_polygons(void **state)
{
    const int n_cases = (int)run_count(500);
    (void)state;
    seed = 19630715;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < n_cases; i++) {
        struct sator_system *system = sator_system_new(2, 8);
        sator_int count = -1;
        int64_t expected = 0;
        bool infinite;

        for (int r = 0; r < 6; r++) {
            int64_t *row = sator_system_add(system, KIND_INEQUALITY);

            row[ROW_CONSTANT] = draw(0, 300);
            row[ROW_COEFFICIENTS] = r == 0 ? 1 : r == 1 ? -1 : r < 4 ? 0 : draw(-9, 9);
            row[ROW_COEFFICIENTS + 1] = r == 2 ? 1 : r == 3 ? -1 : r < 2 ? 0 : draw(-9, 9);
        }
        for (int64_t x = -300; x <= 300; x++)
            for (int64_t y = -300; y <= 300; y++)
                expected += holds(system, (int64_t[]){x, y});
        assert_int_equal(sator_points_planar(system, &infinite, &count), SATOR_OK);
        assert_false(infinite);
        if (count != expected)
            fail_msg(
                    "polygon %d: counted %lld, has %lld", i, (long long)count, (long long)expected);
        sator_system_free(system);
    }
}

/* A random system of three variables, the last in 0 .. last, rows between any of them. */
static struct sator_system *random_long(int64_t last)
{
    struct sator_system *system = sator_system_new(3, 16);

    for (int v = 0; v < 3; v++) {
        int64_t *low = sator_system_add(system, KIND_INEQUALITY);

        low[ROW_CONSTANT] = v == 2 ? 0 : draw(0, 20);
        low[ROW_COEFFICIENTS + v] = 1;
        low = sator_system_add(system, KIND_INEQUALITY);
        low[ROW_CONSTANT] = v == 2 ? last : draw(0, 20);
        low[ROW_COEFFICIENTS + v] = -1;
    }
    for (int r = (int)draw(1, 5); r > 0; r--) {
        int64_t *row = sator_system_add(system, KIND_INEQUALITY);

        row[ROW_CONSTANT] = draw(-9, 30);
        for (int v = 0; v < 3; v++)
            row[ROW_COEFFICIENTS + v] = draw(0, 2) ? draw(-4, 4) : 0;
    }
    return system;
}

/* Sums by runs of a quasi-polynomial: every value of the variable that is summed over, looked at.
 * Their cost does not grow with the range. */
static void test_series(void **state)
{
    const int n_cases = (int)run_count(400);
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);
    int n_shorter = 0;

    seed = 19980904;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < n_cases; i++) {
        int64_t expected = 0, last = draw(30, 120);
        struct sator_system *system = random_long(last);
        struct sator_series series;
        struct sator_range ranges[3];
        int component[3], n_parts;
        sator_int count = -1;
        bool empty;

        for (int64_t x = -20; x <= 20; x++)
            for (int64_t y = -20; y <= 20; y++)
                for (int64_t z = 0; z <= last; z++)
                    expected += holds(system, (int64_t[]){x, y, z});
        assert_int_equal(sator_system_simplify(system, 3, &empty), SATOR_OK);
        n_parts = 2; /* x and y, unless a row has both */
        component[0] = 0;
        component[1] = component[2] = 1;
        for (int r = 0; r < system->n_rows; r++) {
            int64_t *row = sator_system_row(system, r) + ROW_COEFFICIENTS;

            if (row[0] != 0 && row[1] != 0) {
                n_parts = 1;
                component[1] = 0;
            }
        }
        if (!empty)
            sator_system_ranges(system, ranges, &empty);
        if (!empty && sator_series_find(system, 2, ranges[2], component, n_parts, &series)) {
            assert_int_equal(sator_series_sum(points, sator_points_count, system, &series, &count),
                    SATOR_OK);
            if (count != expected)
                fail_msg("system %d: counted %lld, has %lld", i, (long long)count,
                        (long long)expected);
            n_shorter += sator_series_cost(&series) < last / 2;
        }
        sator_system_free(system);
    }
    assert_true(n_shorter > n_cases / 4);
    sator_points_free(points);
}

static void add_form(struct sator_system *system, const int64_t *a, int64_t least, int64_t most)
{
    for (int sign = 1; sign >= -1; sign -= 2) {
        int64_t *row = sator_system_add(system, KIND_INEQUALITY);

        row[ROW_CONSTANT] = sign > 0 ? -least : most;
        for (int v = 0; v < 3; v++)
            row[ROW_COEFFICIENTS + v] = sign * a[v];
    }
}

/* 0 <= x <= 80, 0 <= y < m, a narrow form of x, y and z, and a wide one. */
static struct sator_system *random_periodic(void)
{
    struct sator_system *system = sator_system_new(3, 8);
    int64_t m = draw(1, 7), least = draw(-30, 30);

    add_form(system, (int64_t[]){1, 0, 0}, 0, 80);
    add_form(system, (int64_t[]){0, 1, 0}, 0, m - 1);
    add_form(system, (int64_t[]){draw(-4, 4), draw(-1, 1), draw(0, 1) ? m : -m}, 0, draw(0, 5));
    add_form(system, (int64_t[]){draw(-3, 3), draw(-1, 1), draw(-2, 2)}, least,
            least + draw(0, 200));
    return system;
}

/* The points with x, into "point", in order; their number. */
static int list_points(const struct sator_system *system, int64_t x, int64_t (*point)[2])
{
    int n = 0;

    for (int64_t y = 0; y < 7; y++)
        for (int64_t z = -350; z <= 350; z++)
            if (holds(system, (int64_t[]){x, y, z})) {
                point[n][0] = y;
                point[n++][1] = z;
            }
    return n;
}

/* Values that are said to leave the same points, but for a move: they do, each of them. */
static void test_moves(void **state)
{
    const int n_cases = (int)run_count(300);
    enum {
        MOST = 7 * 701
    };
    static int64_t here[MOST][2], there[MOST][2];
    int n_long = 0;

    (void)state;
    seed = 20110611;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < n_cases; i++) {
        struct sator_system *system = random_periodic();
        struct sator_moves moves =
                sator_moves_find(system, 0, (struct sator_range){0, 80}, draw(1, 20));

        for (int64_t x = moves.range.lower; x + moves.period <= moves.range.upper; x++) {
            int n = list_points(system, x, here);

            assert_int_equal(list_points(system, x + moves.period, there), n);
            for (int p = 1; p < n; p++)
                for (int d = 0; d < 2; d++)
                    assert_int_equal(there[p][d] - there[0][d], here[p][d] - here[0][d]);
        }
        n_long += moves.period > 1 && moves.range.upper - moves.range.lower > 5 * moves.period;
        sator_system_free(system);
    }
    assert_true(n_long > n_cases / 10);
}

/* i < k and j < k in tiles of 8, a million of each: the sum of k^2, whatever the extent. */
static void test_series_is_short(void **state)
{
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);
    const int64_t n = 1000000;
    struct sator_system *system = sator_system_new(5, 16); /* i%8, i/8, j%8, j/8, k */
    sator_int count = -1;

    for (int d = 0; d < 2; d++) {
        int64_t *row = sator_system_add(system, KIND_INEQUALITY); /* 8 (i/8) + i%8 < k */

        row[ROW_CONSTANT] = -1;
        row[ROW_COEFFICIENTS + 2 * d] = -1;
        row[ROW_COEFFICIENTS + 2 * d + 1] = -8;
        row[ROW_COEFFICIENTS + 4] = 1;
        sator_system_add(system, KIND_INEQUALITY)[ROW_COEFFICIENTS + 2 * d] = 1;
        sator_system_add(system, KIND_INEQUALITY)[ROW_COEFFICIENTS + 2 * d + 1] = 1;
        row = sator_system_add(system, KIND_INEQUALITY);
        row[ROW_CONSTANT] = 7;
        row[ROW_COEFFICIENTS + 2 * d] = -1;
    }
    int64_t *row = sator_system_add(system, KIND_INEQUALITY);
    row[ROW_CONSTANT] = n - 1;
    row[ROW_COEFFICIENTS + 4] = -1;
    fixture->ctx->work_limit = fixture->ctx->work_done + 10000000;
    assert_int_equal(sator_points_count(points, system, &count), SATOR_OK);
    assert_true(count == (sator_int)(n - 1) * n * (2 * n - 1) / 6);
    sator_points_free(points);
}

/* 8 x + 7 <= y <= 8 z - 7 and z <= x + 1: no points, though each bound by itself leaves room for
 * some. That is seen without a look at a million z. */
static void test_series_of_nothing(void **state)
{
    static const int64_t rows[][4] = {{-20, 0, 0, 1}, {1000000, 0, 0, -1}, {1, 1, 0, -1},
            {-18, 1, 0, 0}, {-7, -8, 1, 0}, {-7, 0, -1, 8}, {7999900, 0, -1, 0}};
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);
    struct sator_system *system = sator_system_new(3, 8);
    sator_int count = -1;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        memcpy(sator_system_add(system, KIND_INEQUALITY) + ROW_CONSTANT, rows[r], sizeof *rows);
    fixture->ctx->work_limit = fixture->ctx->work_done + 100000;
    assert_int_equal(sator_points_count(points, system, &count), SATOR_OK);
    assert_true(count == 0);
    sator_points_free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(
                    test_points_against_enumeration, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_most_against_enumeration, open_fixture, close_fixture),
            cmocka_unit_test(test_polygon_of_nothing),
            cmocka_unit_test(test_interior),
            cmocka_unit_test_setup_teardown(test_polygons, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_series, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_moves, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_series_is_short, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_series_of_nothing, open_fixture, close_fixture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
