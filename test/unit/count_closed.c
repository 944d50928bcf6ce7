/* The closed form on domains that no other engine could list: answers derived by hand. */
#include "base/arena.h"
#include "base/context.h"
#include "count/closed/digits.h"
#include "count/closed/image.h"
#include "count/closed/times.h"
#include "count/count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct known {
    const char *name, *domain, *space, *time, *access;
    int64_t shape[2];
    bool registers;
    const char *link, *bus; /* or NULL */
    int64_t access_volume, total, temporal, spatial, footprint;
};

/* N = 4096, N^2 = 2^24, N^3 = 2^36. */
#define N INT64_C(4096)
#define CUBE "{ S[i,j,k] : 0 <= i, j, k < 4096 }"
#define TILES "{ S[i,j,k] -> PE[i%8, j%8] }", "{ S[i,j,k] -> T[floor(i/8), floor(j/8), k] }"
#define SQUARE "{ S[i,j,k] -> A[i,k]; S[i,j,k] -> A[k,j] }"

static const struct known cases[] = {
        /* A[i,k] is A[k,j] where i = k = j, N times. A PE has its element of the stamp before as
         * A[k-1,j] = A[i,k] where i = k - 1 and j = k, or as A[i,k-1] = A[k,j] where k = i and j =
         * k - 1, N - 1 times each; and twice where k = 0 and the stamp before is that of k = N - 1
         * and j - 8: A[0,N-1] in i = 0, and A[N-1,0] in j = 8. */
        {"two maps: registers", CUBE, TILES, SQUARE, {8, 8}, true, NULL, NULL, 2 * N *N *N - N,
                2 * N *N *N - N, 2 * (N - 1) + 2, 0, N *N},
        /* A row of PEs shares A[i,k], N^3/8 fetches, and has N^3 of A[k,j]; N are both. */
        {"two maps: a bus", CUBE, TILES, SQUARE, {8, 8}, false, NULL, "{ PE[i,j] -> BUS[i] }",
                2 * N *N *N - N, 2 * N *N *N - N, 0, 7 * (N * N * N / 8), N *N},
        /* All but column 0 have A[i,k] from the west, and A[k,j] only where it is A[i,k]. */
        {"two maps: a wire", CUBE, TILES, SQUARE, {8, 8}, false, "{ PE[i,j] -> PE[i,j+1] }", NULL,
                2 * N *N *N - N, 2 * N *N *N - N, 0, 7 * (N * N * N / 8), N *N},
        /* The PEs of blocks 3q, 3q+1, 3q+2 are 0123, 4501, 2345: of each two neighbours two PEs
         * are in both. Their value, i%6, is their number. */
        {"i%6 beside i/4", "{ S[i,k] : 0 <= i < 4080 and 0 <= k < 100 }", "{ S[i,k] -> PE[i%6] }",
                "{ S[i,k] -> T[floor(i/4), k] }", "{ S[i,k] -> F[i%6] }", {6, 1}, true, NULL, NULL,
                4080 * 100, 4080 * 100, 4080 * 99 + 2 * (4080 / 4 - 1), 0, 6},
        /* Sixteen loops: of two stamps after each other the last digit differs, the one before it
         * once in three times. 3^16 = 43,046,721. */
        {"sixteen loops",
                "{ S[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p] : 0 <= a, b, c, d, e, f, g, h < 3 and "
                "0 <= i, j, k, l, m, n, o, p < 3 }",
                "{ S[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p] -> PE[a] }",
                "{ S[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p] -> T[b,c,d,e,f,g,h,i,j,k,l,m,n,o,p] }",
                "{ S[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p] -> F[o] }", {3, 1}, true, NULL, NULL,
                43046721, 43046721, 43046721 / 3 * 2, 0, 3},
};

struct fixture {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
};

static const struct sator_relation *read_text(struct fixture *fixture, const char *text)
{
    const struct sator_relation *relation = NULL;
    struct sator_loc loc = {
            .source = sator_source_from_text(fixture->ctx, "test", text), .length = strlen(text)};

    assert_int_equal(sator_relation_read(fixture->ctx, fixture->arena, loc, &relation), SATOR_OK);
    return relation;
}

static void check_case(struct fixture *fixture, const struct known *row)
{
    const struct sator_relation *bus = row->bus ? read_text(fixture, row->bus) : NULL;
    struct sator_network_link link = {.interval = 0};
    struct sator_transport transport = {.registers = row->registers,
            .n_links = row->link != NULL,
            .links = &link,
            .n_buses = row->bus != NULL,
            .buses = &bus};
    struct sator_stamping stamping = {.domain = read_text(fixture, row->domain),
            .space = read_text(fixture, row->space),
            .time = read_text(fixture, row->time),
            .shape = row->shape};
    struct sator_counter *counter;
    struct sator_volumes volumes = {0};

    if (row->link)
        link.map = read_text(fixture, row->link);
    stamping.n_space = stamping.space->n_out;
    stamping.n_time = stamping.time->n_out;
    assert_int_equal(
            sator_counter_new(fixture->ctx, SATOR_ENGINE_CLOSED, &stamping, &counter), SATOR_OK);
    assert_int_equal(
            sator_count_volumes(counter, read_text(fixture, row->access), &transport, &volumes),
            SATOR_OK);
    assert_true(volumes.access == row->access_volume);
    assert_true(volumes.total == row->total);
    assert_true(volumes.temporal == row->temporal);
    assert_true(volumes.spatial == row->spatial);
    assert_true(volumes.unique == row->total - row->temporal - row->spatial);
    assert_true(volumes.footprint == row->footprint);
    sator_counter_free(counter);
}

static void test_large_domains(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("    %s\n", cases[i].name);
        check_case(*state, &cases[i]);
    }
}

/* A tile of 64 x 64 outputs takes 64 rows and 64 columns of A, which meet in a square. */
static void test_tile(void **state)
{
    static const int64_t shape[] = {1};
    struct sator_stamping stamping = {.domain = read_text(*state, CUBE),
            .space = read_text(*state, "{ S[i,j,k] -> PE[0] }"),
            .time = read_text(*state, "{ S[i,j,k] -> T[floor(i/64), floor(j/64)] }"),
            .n_space = 1,
            .n_time = 2,
            .shape = shape};
    struct fixture *fixture = *state;
    struct sator_counter *counter;
    sator_int words = 0;

    assert_int_equal(
            sator_counter_new(fixture->ctx, SATOR_ENGINE_CLOSED, &stamping, &counter), SATOR_OK);
    assert_int_equal(sator_count_tile(counter, read_text(fixture, SQUARE), &words), SATOR_OK);
    assert_true(words == 2 * 64 * N - 64 * 64);
    sator_counter_free(counter);
}

/* Two tiles by two, the last of each dimension cut short, of 10 + 8 + 9 + 7 stamps. The stamps go
 * back by (0, 0, 1) within all four, by (0, 1, -9) and (0, 1, -8) from the second tile of a row, by
 * (1, -1, -7) from the first tile of the second row, and the very first has no stamp before it. */
static void test_cases(void **state)
{
    const struct closed_interval box[4][3] = {{{0, 0}, {0, 0}, {0, 9}}, {{0, 0}, {1, 1}, {0, 7}},
            {{1, 1}, {0, 0}, {0, 8}}, {{1, 1}, {1, 1}, {0, 6}}};
    const int64_t steps[4][3] = {{0, 0, 1}, {0, 1, -9}, {0, 1, -8}, {1, -1, -7}};
    struct closed_times *times = calloc(1, sizeof *times);
    int found[4] = {0};

    (void)state;
    assert_non_null(times);
    times->n_rows = 3;
    times->n_boxes = times->room = 4;
    times->box = calloc(4, sizeof *times->box);
    assert_non_null(times->box);
    for (int i = 0; i < 4; i++)
        memcpy(times->box[i], box[i], sizeof box[i]);
    assert_null(closed_times_cases(times, 1));
    assert_int_equal(times->cases.n, 5);
    for (int c = 0; c < times->cases.n; c++) {
        const struct closed_case *one = &times->cases.list[c];
        for (int i = 0; i < 4; i++)
            found[i] += one->n_back == 1 && memcmp(one->shift[0], steps[i], sizeof steps[i]) == 0;
        if (one->n_back == 1 && one->shift[0][2] == 1)
            assert_true(one->stamps == 9 + 7 + 8 + 6 && one->slab[2].lo == 1);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(found[i], 1);
    closed_times_clear(times);
    free(times);
}

/* Points of 0 .. 9 x 0 .. 9 with x + y in 3 .. 5 and x - y in -1 .. 1, two rows over the same two
 * loops: (1,2), (2,1), (2,2), (2,3), (3,2), and of three loops those with z = 0 or 1. */
static void test_rows_that_share_loops(void **state)
{
    static const int64_t lower[3] = {0}, upper[3] = {10, 10, 10};
    static const int64_t coef[5][3] = {{1}, {0, 1}, {1, 1}, {1, -1}, {0, 0, 1}};
    struct closed_digits digits;
    struct closed_interval data[64];
    struct closed_pool pool = {.data = data, .capacity = 64};
    struct closed_form forms[5] = {{0}};
    const struct closed_form *rows[5];
    struct closed_image image;
    struct closed_region region;
    sator_int count = -1;

    (void)state;
    assert_null(closed_digits_init(&digits, 3, lower, upper));
    for (int r = 0; r < 5; r++) {
        memcpy(forms[r].coef, coef[r], sizeof coef[r]);
        rows[r] = &forms[r];
    }
    assert_null(closed_image_make(&pool, &digits, 5, rows, &image));
    closed_region_all(&image, &region);
    region.slab[2] = (struct closed_interval){3, 5};
    region.slab[3] = (struct closed_interval){-1, 1};
    region.slab[4] = (struct closed_interval){0, 1};
    /* counted, or declined: never as a product of the two rows' */
    if (closed_region_count(&image, &region, &count) == NULL)
        assert_int_equal((int)count, 5 * 2);
    region.slab[3] = CLOSED_ANY; /* 4 + 5 + 6 of one row alone */
    assert_null(closed_region_count(&image, &region, &count));
    assert_int_equal((int)count, (4 + 5 + 6) * 2);
}

/* A bound that leaves the range of exact forms is refused, on either side and in any loop. */
static void test_bounds_of_loops(void **state)
{
    static const struct {
        int64_t lower, upper;
        bool fits;
    } bounds[] = {{-CLOSED_BOUND, CLOSED_BOUND, true}, {0, CLOSED_BOUND + 1, false},
            {-CLOSED_BOUND - 1, 0, false}, {-CLOSED_BOUND - 1, CLOSED_BOUND + 1, false}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct closed_digits digits;
        const struct sator_decline *why = closed_digits_init(
                &digits, 2, (int64_t[]){0, bounds[i].lower}, (int64_t[]){3, bounds[i].upper});
        assert_true((why == NULL) == bounds[i].fits);
    }
}

static int set_up(void **state)
{
    struct fixture *fixture = sator_alloc(sizeof *fixture);

    fixture->ctx = sator_ctx_new();
    fixture->arena = sator_arena_new();
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    sator_arena_free(fixture->arena);
    sator_ctx_free(fixture->ctx);
    free(fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_large_domains, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_tile, set_up, tear_down),
            cmocka_unit_test(test_cases),
            cmocka_unit_test(test_rows_that_share_loops),
            cmocka_unit_test(test_bounds_of_loops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
