/* What the general engine takes apart: what buses leave of a set, distances of wires, what meets at
 * a bus, and what may be listed. Values by hand. */
#include "count/general/distances.h"
#include "count/general/left.h"
#include "count/general/meetings.h"
#include "count/general/points.h"
#include "count/general/table.h"
#include "unit/stampings.h"

/* A system over "n" variables with "rows" of kind, constant and coefficients. */
static struct sator_system *make_system(int n, int n_rows, const int64_t (*rows)[4])
{
    struct sator_system *system = sator_system_new(n, n_rows);

    for (int r = 0; r < n_rows; r++)
        memcpy(sator_system_add(system, (int)rows[r][0]) + ROW_CONSTANT, &rows[r][1],
                sizeof(int64_t) * (size_t)(n + 1));
    return system;
}

static sator_int count_all(struct sator_points *points, const struct sator_pieces *pieces)
{
    sator_int sum = 0;

    for (int i = 0; i < pieces->n; i++) {
        sator_int count;

        assert_int_equal(sator_points_count(points, sator_system_copy(pieces->systems[i]), &count),
                SATOR_OK);
        assert_true(count > 0);
        sum += count;
    }
    return sum;
}

/* Replace "pieces" by what "taken" (TAKE), inside of the only piece, leaves of "whole". */
static void take(struct sator_points *points, struct sator_system *whole, int n_taken,
        struct sator_system **taken, int n_leading, sator_int expected)
{
    struct sator_served served[2] = {{0}};
    struct sator_pieces pieces = {.n = 1, .systems = &whole}, left;

    for (int i = 0; i < n_taken; i++)
        assert_int_equal(sator_served_push(points, &served[i], taken[i], 0, n_leading), SATOR_OK);
    assert_int_equal(sator_left_find(points, &pieces, n_taken, served, n_leading, &left), SATOR_OK);
    assert_true(count_all(points, &left) == expected);
    sator_pieces_clear(&left);
    for (int i = 0; i < n_taken; i++)
        sator_served_clear(&served[i]);
}

/* Of 0 .. 9 less the even ones 5 are left, less the odd ones, too, none: each has a division of its
 * own. Of 4 x 4 points less those of x <= y 6 are left, less those of y = 0, too, 3. */
static void test_left(void **state)
{
    enum {
        MORE = KIND_INEQUALITY,
        EQUAL = KIND_EQUALITY
    };
    static const int64_t line[][4] = {{MORE, 0, 1}, {MORE, 9, -1}};
    static const int64_t even[][4] = {{MORE, 0, 1, 0}, {MORE, 9, -1, 0}, {EQUAL, 0, 1, -2}};
    static const int64_t odd[][4] = {{MORE, 0, 1, 0}, {MORE, 9, -1, 0}, {EQUAL, -1, 1, -2}};
    static const int64_t square[][4] = {
            {MORE, 0, 1, 0}, {MORE, 3, -1, 0}, {MORE, 0, 0, 1}, {MORE, 3, 0, -1}};
    static const int64_t above[][4] = {{MORE, 0, 1, 0}, {MORE, 3, 0, -1}, {MORE, 0, -1, 1}};
    static const int64_t lowest[][4] = {{MORE, 0, 1, 0}, {MORE, 3, -1, 0}, {EQUAL, 0, 0, 1}};
    struct sator_points *points = sator_points_new(((struct fixture *)*state)->ctx);
    struct sator_system *whole = make_system(1, 2, line);

    take(points, whole, 0, NULL, 1, 10);
    take(points, whole, 1, (struct sator_system *[]){make_system(2, 3, even)}, 1, 5);
    take(points, whole, 2,
            (struct sator_system *[]){make_system(2, 3, even), make_system(2, 3, odd)}, 1, 0);
    sator_system_free(whole);
    whole = make_system(2, 4, square);
    take(points, whole, 1, (struct sator_system *[]){make_system(2, 3, above)}, 2, 6);
    take(points, whole, 2,
            (struct sator_system *[]){make_system(2, 3, above), make_system(2, 3, lowest)}, 2, 3);
    sator_system_free(whole);
    sator_points_free(points);
}

/* Wires from each of 4 PEs to all greater ones are functions, one a distance: 3 + 2 + 1 pairs. So
 * are wires with a division, q -> q/2 and 2 q: a PE has one that provides. Those of a thousand PEs
 * are too many. */
static void test_distances(void **state)
{
    static const struct {
        const char *link;
        int64_t functions;
        bool all;
    } cases[] = {{"{ [q] -> [p] : 0 <= q < p < 4 }", 6, true},
            {"{ [q] -> [p] : 0 <= q < 8 and p = 2q and p < 8 }", 4, true},
            {"{ [q] -> [p] : 0 <= q < p < 1000 }", 0, false}};
    static const int64_t shape[] = {1000};
    struct fixture *fixture = *state;
    struct sator_stamps *stamps;

    assert_int_equal(sator_stamps_open(fixture->ctx,
                             read_stamping(fixture, "{ S[i] : 0 <= i < 4 }", "{ S[i] -> PE[i] }",
                                     "{ S[i] -> T[0] }", shape),
                             &stamps),
            SATOR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sator_pieces functions;
        isl_map *others;

        assert_int_equal(
                sator_distances_find(stamps,
                        isl_map_read_from_str(sator_bridge_ctx(fixture->ctx), cases[i].link),
                        &functions, &others),
                SATOR_OK);
        assert_true(count_all(stamps->points, &functions) == cases[i].functions);
        assert_int_equal(isl_map_plain_is_empty(others) == isl_bool_true, cases[i].all);
        isl_map_free(others);
        sator_pieces_clear(&functions);
    }
    sator_stamps_close(stamps);
}

/* All of 4 PEs hold one element in two stamps. They meet in one stamp, 16 pairs each, and one stamp
 * before, 16 pairs; 3 of 4 have a neighbour. */
static void test_meetings(void **state)
{
    static const int64_t shape[] = {4};
    static const int64_t next[][4] = {{KIND_EQUALITY, 1, 1, -1}};
    struct fixture *fixture = *state;
    struct sator_system *link = make_system(2, 1, next);
    struct sator_stamps *stamps;
    struct sator_pieces pieces;
    isl_map *map;

    assert_int_equal(sator_stamps_open(fixture->ctx,
                             read_stamping(fixture, "{ S[i,t] : 0 <= i < 4 and 0 <= t < 2 }",
                                     "{ S[i,t] -> PE[i] }", "{ S[i,t] -> T[t] }", shape),
                             &stamps),
            SATOR_OK);
    assert_int_equal(
            sator_stamps_access(stamps, read_text(fixture, "{ S[i,t] -> A[0] }"), &map), SATOR_OK);
    assert_int_equal(
            sator_stamps_pieces(stamps, sator_stamps_assignment(stamps, map), &pieces), SATOR_OK);
    for (int interval = 0; interval < 2; interval++) {
        struct sator_meetings meetings;
        struct sator_served served;
        sator_int pairs = 0;

        assert_int_equal(
                sator_meetings_find(stamps, 3, &pieces, interval, &pieces, &meetings), SATOR_OK);
        for (int i = 0; i < meetings.n; i++) {
            sator_int count;

            assert_int_equal(sator_points_count(stamps->points,
                                     sator_system_copy(meetings.list[i].system), &count),
                    SATOR_OK);
            assert_true(meetings.list[i].apart->lower >= -3 && meetings.list[i].apart->upper <= 3);
            pairs += count;
        }
        assert_true(pairs == (interval == 0 ? 32 : 16));
        assert_int_equal(sator_meetings_served(stamps, &meetings, link, &served), SATOR_OK);
        assert_true(served.count == (interval == 0 ? 6 : 3));
        sator_served_clear(&served);
        sator_meetings_clear(&meetings);
    }
    sator_system_free(link);
    sator_pieces_clear(&pieces);
    isl_map_free(map);
    sator_stamps_close(stamps);
}

/* 5 <= k <= i + 4 and 3 i <= k + 1, without other bounds of i and k: (1,5), (2,5) and (2,6). Each
 * is bounded by the other alone, and what may be listed is known all the same. */
static void test_box_of_leaning_bounds(void **state)
{
    static const int64_t shape[] = {2};
    struct fixture *fixture = *state;
    struct sator_stamps *stamps;
    sator_int size;

    assert_int_equal(
            sator_stamps_open(fixture->ctx,
                    read_stamping(fixture, "{ S[i,k] : 5 <= k and k <= i + 4 and 3*i <= k + 1 }",
                            "{ S[i,k] -> PE[k - 5] }", "{ S[i,k] -> T[i] }", shape),
                    &stamps),
            SATOR_OK);
    assert_int_equal(sator_table_size_ub(stamps, &size), SATOR_OK);
    assert_true(size >= 3 && size <= 6);
    sator_stamps_close(stamps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_left, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_distances, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_meetings, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_box_of_leaning_bounds, open_fixture, close_fixture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
