/* The general engine: known answers as text, and its point counter against enumeration. */
#include "base/arena.h"
#include "base/context.h"
#include "count/count.h"
#include "count/general/distances.h"
#include "count/general/left.h"
#include "count/general/meetings.h"
#include "count/general/moves.h"
#include "count/general/points.h"
#include "count/general/series.h"
#include "count/general/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- known answers ---- */

enum {
    MOST_WAYS = 4
};

struct volume_case {
    const char *name, *domain, *space, *time;
    int64_t shape[2];
    const char *access;
    bool registers;
    struct {
        const char *map;
        int interval;
    } links[MOST_WAYS];
    const char *buses[MOST_WAYS];
    int64_t access_volume, total, temporal, spatial, unique, footprint;
};

#define GEMM "{ S[i,j,k] : 0 <= i < 20 and 0 <= j < 12 and 0 <= k < 9 }"
#define SMALL "{ S[i,j,k] : 0 <= i < 2 and 0 <= j < 2 and 0 <= k < 4 }"
#define FIRST "{ S[i,j,k] : 0 <= i < 2 and 0 <= j < 2 and 0 <= k < 4 and i + j + k < 4 }"
#define CUBE "{ S[i,j,k] : 0 <= i, j, k < 4 }"
#define CUBE_HALF "{ S[i,j,k] : 0 <= i, j, k < 4 and i + j < 4 }"
#define SYSTOLIC                                                                                   \
    {                                                                                              \
        {"{ PE[i,j] -> PE[i,j+1] }", 1},                                                           \
        {                                                                                          \
            "{ PE[i,j] -> PE[i+1,j] }", 1                                                          \
        }                                                                                          \
    }
#define SKEWED                                                                                     \
    "{ S[i,j,k] -> PE[i%8,j%8] }", "{ S[i,j,k] -> T[i/8, j/8, i%8 + j%8 + k] }",                   \
    {                                                                                              \
        8, 8                                                                                       \
    }
#define FLAT                                                                                       \
    "{ S[i,j,k] -> PE[i,j] }", "{ S[i,j,k] -> T[i + j + k] }",                                     \
    {                                                                                              \
        2, 2                                                                                       \
    }
#define STILL                                                                                      \
    "{ S[i,j,k] -> PE[i,j] }", "{ S[i,j,k] -> T[k] }",                                             \
    {                                                                                              \
        4, 4                                                                                       \
    }

/* TENET's examples (ISCA 2021, Figures 1 and 3), a ragged GEMM, and cases small enough to be done
 * by hand. */
static const struct volume_case volume_cases[] = {
        {"Figure 1, A", "{ S[i,j] : 0 <= i < 4 and 0 <= j < 3 }", "{ S[i,j] -> PE[i] }",
                "{ S[i,j] -> T[j] }", {4}, "{ S[i,j] -> A[i+j] }", true,
                {{"{ PE[i] -> PE[i-1] }", 1}}, {0}, 12, 12, 0, 6, 6, 6},
        {"Figure 3, stamps 0 to 3, A", FIRST, FLAT, "{ S[i,j,k] -> A[i,k] }", true, SYSTOLIC, {0},
                12, 12, 0, 5, 7, 7},
        {"Figure 3, A", SMALL, FLAT, "{ S[i,j,k] -> A[i,k] }", true, SYSTOLIC, {0}, 16, 16, 0, 8, 8,
                8},
        {"Figure 3, B", SMALL, FLAT, "{ S[i,j,k] -> B[k,j] }", true, SYSTOLIC, {0}, 16, 16, 0, 8, 8,
                8},
        {"Figure 3, Y", SMALL, FLAT, "{ S[i,j,k] -> Y[i,j] }", true, SYSTOLIC, {0}, 16, 16, 12, 0,
                4, 4},
        {"GEMM 20x12x9, A", GEMM, SKEWED, "{ S[i,j,k] -> A[i,k] }", true, SYSTOLIC, {0}, 2160, 2160,
                0, 1800, 360, 180},
        {"GEMM 20x12x9, B", GEMM, SKEWED, "{ S[i,j,k] -> B[k,j] }", true, SYSTOLIC, {0}, 2160, 2160,
                0, 1836, 324, 108},
        {"GEMM 20x12x9, Y", GEMM, SKEWED, "{ S[i,j,k] -> Y[i,j] }", true, SYSTOLIC, {0}, 2160, 2160,
                1920, 0, 240, 240},
        /* Each of 4 x 4 (i,k) once a bus instead of 4 times. */
        {"a bus a row", CUBE, STILL, "{ S[i,j,k] -> A[i,k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[i] }"}, 64, 64, 0, 48, 16, 16},
        /* Rows make (i,k) pairs of column 0; then k alone: 4 of the 16 are fetched. */
        {"two families of buses", CUBE, STILL, "{ S[i,j,k] -> A[k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[i] }", "{ PE[i,j] -> BUS[j] }"}, 64, 64, 0, 60, 4, 4},
        /* Rows 0 and 1 only: 2 x 4 x 4 pairs become 2 x 4; rows 2 and 3 fetch all of 32. */
        {"PEs off the bus", CUBE, STILL, "{ S[i,j,k] -> A[i,k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[i] : i < 2 }"}, 64, 64, 0, 24, 40, 16},
        /* A tree takes what neither registers nor wires serve. */
        {"a wire, then a bus", CUBE, STILL, "{ S[i,j,k] -> A[i,k] }", true,
                {{"{ PE[i,0] -> PE[i,1] }", 0}}, {"{ PE[i,j] -> BUS[i] }"}, 64, 64, 0, 48, 16, 16},
        /* In rows 0 and 1 (i/2 = 0) and 2 and 3, buses of 8 PEs: k of two rows' A[i,k] differ. */
        {"buses of two rows", CUBE, STILL, "{ S[i,j,k] -> A[i/2, k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[i/2] }"}, 64, 64, 0, 56, 8, 8},
        /* Columns 0 and 2, then 1 and 3, of each row: two of (i,k), of which the other family, over
           columns 0 and 1 alone, makes one. */
        {"every other PE, then the first two", CUBE, STILL, "{ S[i,j,k] -> A[i,k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[i, j%2] }", "{ PE[i,j] -> BUS[i] : j < 2 }"}, 64, 64, 0, 48, 16,
                16},
        /* The wire serves odd columns; 0 and 2 are left, on one bus. */
        {"wires into odd PEs, then a bus", CUBE, STILL, "{ S[i,j,k] -> A[i,k] }", true,
                {{"{ PE[i,j] -> PE[i,j+1] : j % 2 = 0 }", 0}}, {"{ PE[i,j] -> BUS[i] }"}, 64, 64, 0,
                48, 16, 16},
        /* A[j] stays where it is after k = 0; then each of 4 columns is one bus. */
        {"registers, then a bus", CUBE, STILL, "{ S[i,j,k] -> A[j] }", true, {{0}},
                {"{ PE[i,j] -> BUS[j] }"}, 64, 64, 48, 12, 4, 4},
        /* i + j < 4: rows of 4, 3, 2 and 1 PEs. */
        {"a bus a row of a triangle", CUBE_HALF, STILL, "{ S[i,j,k] -> A[i,k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[i] }"}, 40, 40, 0, 24, 16, 16},
        /* All of the triangle's 10 PEs ask for one element; its row i = 1 is not on the bus. */
        {"a bus around a row", CUBE_HALF, STILL, "{ S[i,j,k] -> A[k] }", true, {{0}},
                {"{ PE[i,j] -> BUS[0] : i != 1 }"}, 40, 40, 0, 24, 16, 4},
        {"wires to all PEs to the right", CUBE, STILL, "{ S[i,j,k] -> A[i,k] }", true,
                {{"{ PE[i,j] -> PE[i,q] : j < q }", 0}}, {0}, 64, 64, 0, 48, 16, 16},
        /* k mod 2 is at hand two stamps before: of 4 stamps the last two. */
        {"two stamps back", CUBE, STILL, "{ S[i,j,k] -> A[i, j, k % 2] }", true,
                {{"{ PE[i,j] -> PE[i,j] }", 2}}, {0}, 64, 64, 0, 32, 32, 32},
        {"further back than there are stamps", CUBE, STILL, "{ S[i,j,k] -> A[i,j] }", false,
                {{"{ PE[i,j] -> PE[i,j] }", 9}}, {0}, 64, 64, 0, 0, 64, 16},
        {"several accesses of one tensor", "{ S[i] : 0 <= i < 6 }", "{ S[i] -> PE[0] }",
                "{ S[i] -> T[i] }", {1}, "{ S[i] -> A[i-1]; S[i] -> A[i]; S[i] -> A[i+1] }", true,
                {{0}}, {0}, 18, 18, 10, 0, 8, 8},
        {"several instances a stamp", "{ S[i,r] : 0 <= i < 5 and 0 <= r < 3 }",
                "{ S[i,r] -> PE[i] }", "{ S[i,r] -> T[0] }", {5}, "{ S[i,r] -> Y[i] }", true, {{0}},
                {0}, 15, 5, 0, 0, 5, 5},
        /* Even numbers up to 14, and 1: isl 0.25 joins these to 0 <= x <= 15 when asked to
           simplify. */
        {"a sparse and a dense access", "{ S[i,k] : 0 <= i < 3 and 0 <= k < 8 and (i+k)/2 >= 0 }",
                "{ S[i,k] -> PE[0] }", "{ S[i,k] -> T[i, k] }", {1},
                "{ S[i,k] -> A[2*k]; S[i,k] -> A[k/4] }", false, {{0}}, {0}, 45, 45, 0, 0, 45, 9},
        {"no time", "{ S[i] : 0 <= i < 5 }", "{ S[i] -> PE[i] }", "{ S[i] -> T[] }", {5},
                "{ S[i] -> Y[0] }", true, {{"{ PE[i] -> PE[i+1] }", 0}}, {0}, 5, 5, 0, 4, 1, 1},
};

struct fixture {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
};

static const struct sator_relation *read_text(struct fixture *fixture, const char *text)
{
    const struct sator_source *source = sator_source_from_text(fixture->ctx, "test", text);
    const struct sator_relation *relation = NULL;
    struct sator_loc loc = {source, 0, source->length};

    if (sator_relation_read(fixture->ctx, fixture->arena, loc, &relation) != SATOR_OK)
        fail_msg("%s", sator_ctx_take_messages(fixture->ctx, false));
    return relation;
}

static int open_fixture(void **state)
{
    struct fixture *fixture = sator_alloc(sizeof *fixture);

    *fixture = (struct fixture){sator_ctx_new(), sator_arena_new()};
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;

    sator_arena_free(fixture->arena);
    sator_ctx_free(fixture->ctx);
    free(fixture);
    return 0;
}

static struct sator_stamping *read_stamping(struct fixture *fixture, const char *domain,
        const char *space, const char *time, const int64_t *shape)
{
    struct sator_stamping *stamping = SATOR_NEW(fixture->arena, struct sator_stamping);

    stamping->domain = read_text(fixture, domain);
    stamping->space = read_text(fixture, space);
    stamping->time = read_text(fixture, time);
    stamping->n_space = stamping->space->n_out;
    stamping->n_time = stamping->time->n_out;
    stamping->shape = shape;
    return stamping;
}

static struct sator_counter *open_counter(struct fixture *fixture, const char *domain,
        const char *space, const char *time, const int64_t *shape)
{
    struct sator_counter *counter;

    assert_int_equal(sator_counter_new(fixture->ctx, SATOR_ENGINE_GENERAL,
                             read_stamping(fixture, domain, space, time, shape), &counter),
            SATOR_OK);
    return counter;
}

static const struct sator_transport *read_transport(
        struct fixture *fixture, const struct volume_case *row)
{
    struct sator_transport *transport = SATOR_NEW(fixture->arena, struct sator_transport);
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(fixture->arena, struct sator_network_link, MOST_WAYS);
    const struct sator_relation **buses =
            SATOR_NEW_ARRAY(fixture->arena, const struct sator_relation *, MOST_WAYS);

    *transport =
            (struct sator_transport){.registers = row->registers, .links = links, .buses = buses};
    for (int i = 0; i < MOST_WAYS && row->links[i].map; i++)
        links[transport->n_links++] = (struct sator_network_link){
                .map = read_text(fixture, row->links[i].map), .interval = row->links[i].interval};
    for (int i = 0; i < MOST_WAYS && row->buses[i]; i++)
        buses[transport->n_buses++] = read_text(fixture, row->buses[i]);
    return transport;
}

static void check_volumes(const struct volume_case *row, const struct sator_volumes *volumes)
{
    assert_int_equal(volumes->access, row->access_volume);
    assert_int_equal(volumes->total, row->total);
    assert_int_equal(volumes->temporal, row->temporal);
    assert_int_equal(volumes->spatial, row->spatial);
    assert_int_equal(volumes->unique, row->unique);
    assert_int_equal(volumes->footprint, row->footprint);
}

static void test_volumes(void **state)
{
    for (size_t i = 0; i < sizeof volume_cases / sizeof *volume_cases; i++) {
        const struct volume_case *row = &volume_cases[i];
        struct sator_counter *counter =
                open_counter(*state, row->domain, row->space, row->time, row->shape);
        struct sator_volumes volumes = {0};

        print_message("    %s\n", row->name);
        assert_int_equal(sator_count_volumes(counter, read_text(*state, row->access),
                                 read_transport(*state, row), &volumes),
                SATOR_OK);
        check_volumes(row, &volumes);
        sator_counter_free(counter);
    }
}

/* The same by listing. */
static void test_listed_volumes(void **state)
{
    for (size_t i = 0; i < sizeof volume_cases / sizeof *volume_cases; i++) {
        const struct volume_case *row = &volume_cases[i];
        struct fixture *fixture = *state;
        sator_int by_link[MOST_WAYS], by_bus[MOST_WAYS];
        struct sator_volumes volumes = {.by_link = by_link, .by_bus = by_bus};
        struct sator_stamps *stamps;
        struct sator_table *table;

        print_message("    %s\n", row->name);
        assert_int_equal(
                sator_stamps_open(fixture->ctx,
                        read_stamping(fixture, row->domain, row->space, row->time, row->shape),
                        &stamps),
                SATOR_OK);
        assert_int_equal(sator_table_open(stamps, &table), SATOR_OK);
        assert_int_equal(sator_table_volumes(table, read_text(fixture, row->access),
                                 read_transport(fixture, row), &volumes),
                SATOR_OK);
        check_volumes(row, &volumes);
        sator_table_close(table);
        sator_stamps_close(stamps);
    }
}

/* Stamps that share digits of their loops: beyond the work that a domain of 120 points is worth to
 * algebra, and listed. */
static void test_entangled(void **state)
{
    static const int64_t shape[] = {1};
    struct sator_counter *counter = open_counter(*state,
            "{ S[i,j,k] : 0 <= i < 5 and 0 <= j < 6 and 0 <= k < 4 }", "{ S[i,j,k] -> PE[0] }",
            "{ S[i,j,k] -> T[(i+j)%4 + (2*i-k)/3, i%2 + (j+k)/4, (i+2*j)/3 + (3*k-j)%5] }", shape);
    struct sator_stamp_counts counts;
    bool met[32][32][32] = {0};
    int64_t n_stamps = 0;

    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 4; k++) {
                /* All of these are non-negative with the offsets 6 and 10, multiples of the
                 * divisors. */
                bool *stamp = &met[(i + j) % 4 + (2 * i - k + 6) / 3][i % 2 + (j + k) / 4]
                                  [(i + 2 * j) / 3 + (3 * k - j + 10) % 5];

                n_stamps += !*stamp;
                *stamp = true;
            }
    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_OK);
    assert_int_equal(counts.instances, 120);
    assert_int_equal(counts.stamps, n_stamps);
    assert_int_equal(counts.time_stamps, n_stamps);
    assert_int_equal(counts.max_active_pes, 1);
    sator_counter_free(counter);
}

/* Two links that both reach a PE: the first is credited. */
static void test_credit_in_order(void **state)
{
    static const int64_t shape[] = {4, 4};
    struct fixture *fixture = *state;
    struct sator_counter *counter =
            open_counter(fixture, CUBE, "{ S[i,j,k] -> PE[i,j] }", "{ S[i,j,k] -> T[k] }", shape);
    struct sator_network_link links[] = {{.map = read_text(fixture, "{ PE[i,j] -> PE[i,j+1] }")},
            {.map = read_text(fixture, "{ PE[i,j] -> PE[i+1,j] }")}};
    struct sator_transport transport = {.n_links = 2, .links = links};
    sator_int by_link[2];
    struct sator_volumes volumes = {.by_link = by_link};

    assert_int_equal(sator_count_volumes(counter, read_text(fixture, "{ S[i,j,k] -> A[k] }"),
                             &transport, &volumes),
            SATOR_OK);
    sator_counter_free(counter);
    assert_int_equal(by_link[0], 4 * 12); /* columns 1 to 3 */
    assert_int_equal(by_link[1], 4 * 3); /* rows 1 to 3 of column 0 */
    assert_int_equal(volumes.unique, 4);
}

/* i and j meet in a row of time, so that lists are of the pairs (i, j): short ones are made, and
 * instead of long ones algebra answers. (i%6, i/4) tells all i apart; 8 consecutive j have 3 (j%3,
 * j/8). */
static void test_long_lists(void **state)
{
    static const int64_t shape[] = {6, 3};
    static const int extents[] = {96, 1000};
    struct fixture *fixture = *state;

    for (int e = 0; e < 2; e++) {
        char domain[80];
        struct sator_counter *counter;
        struct sator_stamp_counts counts;

        snprintf(domain, sizeof domain, "{ S[i,j,k] : 0 <= i, j, k < %d }", extents[e]);
        assert_int_equal(sator_counter_new(fixture->ctx, SATOR_ENGINE_AUTO,
                                 read_stamping(fixture, domain, "{ S[i,j,k] -> PE[i%6, j%3] }",
                                         "{ S[i,j,k] -> T[i/4, j/8, k, i%6 + j%3] }", shape),
                                 &counter),
                SATOR_OK);
        assert_int_equal(sator_count_stamps(counter, &counts), SATOR_OK);
        assert_int_equal(counts.stamps, extents[e] * (extents[e] / 8 * 3) * extents[e]);
        assert_string_equal(sator_counter_engine(counter), e == 0 ? "listed" : "general");
        sator_counter_free(counter);
    }
}

/* Each j has a stamp of its own: (j % 8) / 2 and j % 3 tell -3 .. 4 apart. isl 0.25 finds a ninth
 * stamp, T[3, 0, -1, 0], when it gives the existential variables of the image definitions before it
 * has looked for equalities. */
static void test_distinct_remainders(void **state)
{
    struct fixture *fixture = *state;
    const int64_t shape[] = {8};
    struct sator_counter *counter = open_counter(fixture, "{ S[i,j] : 0 <= i < 2 and -3 <= j < 5 }",
            "{ S[i,j] -> PE[j + 3] }", "{ S[i,j] -> T[(j % 8) / 2, j % 3, j / 4, (j % 4) / 2] }",
            shape);
    struct sator_stamp_counts counts;

    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_OK);
    assert_int_equal(counts.stamps, 8);
    assert_int_equal(counts.time_stamps, 8);
    sator_counter_free(counter);
}

static void test_stamps(void **state)
{
    static const int64_t shape[] = {8, 8};
    struct sator_counter *counter = open_counter(*state, GEMM, "{ S[i,j,k] -> PE[i%8,j%8] }",
            "{ S[i,j,k] -> T[i/8, j/8, i%8 + j%8 + k] }", shape);
    struct sator_stamp_counts counts;
    int64_t instance[3];
    sator_int most;
    bool found;

    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_OK);
    assert_int_equal(counts.instances, 2160);
    assert_int_equal(counts.stamps, 2160);
    assert_int_equal(counts.time_stamps, 118);
    assert_int_equal(counts.active_pes, 64);
    assert_int_equal(counts.max_active_pes, 52); /* 0.8125 of 64 */
    assert_int_equal(sator_count_max_per_stamp(counter, &most, instance), SATOR_OK);
    assert_int_equal(most, 1);
    assert_int_equal(sator_count_outside(counter, &found, instance), SATOR_OK);
    assert_false(found);
    assert_string_equal(sator_counter_engine(counter), "general");
    sator_counter_free(counter);
}

static void test_shared_stamp_and_tile(void **state)
{
    static const int64_t shape[] = {4};
    struct fixture *fixture = *state;
    struct sator_counter *counter =
            open_counter(fixture, "{ S[i,r] : 0 <= i < 10 and 0 <= r <= i }",
                    "{ S[i,r] -> PE[i%4] }", "{ S[i,r] -> T[i/4] }", shape);
    int64_t instance[2] = {-1, -1};
    sator_int most;

    assert_int_equal(sator_count_max_per_stamp(counter, &most, instance), SATOR_OK);
    assert_int_equal(most, 10);
    assert_int_equal(instance[0], 9);
    assert_in_range(instance[1], 0, 9);
    assert_int_equal(
            sator_count_tile(counter, read_text(fixture, "{ S[i,r] -> A[r/2] }"), &most), SATOR_OK);
    assert_int_equal(most, 5);
    sator_counter_free(counter);
}

static void test_outside(void **state)
{
    static const int64_t shape[] = {8, 4};
    struct sator_counter *counter = open_counter(*state, "{ S[i,j] : 0 <= i < 8 and 3 <= j < 9 }",
            "{ S[i,j] -> PE[i, j - i] }", "{ S[i,j] -> T[j] }", shape);
    int64_t instance[2];
    bool found = false;

    assert_int_equal(sator_count_outside(counter, &found, instance), SATOR_OK);
    assert_true(found);
    assert_true(instance[0] >= 0 && instance[0] < 8 && instance[1] >= 3 && instance[1] < 9);
    assert_true(instance[1] - instance[0] < 0 || instance[1] - instance[0] >= 4);
    sator_counter_free(counter);
}

static void test_infinite_is_an_error(void **state)
{
    static const int64_t shape[] = {4};
    struct fixture *fixture = *state;
    struct sator_counter *counter = open_counter(
            fixture, "{ S[i] : 0 <= i }", "{ S[i] -> PE[i%4] }", "{ S[i] -> T[i/4] }", shape);
    struct sator_stamp_counts counts = {.instances = -1};

    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_INPUT);
    assert_int_equal(counts.instances, -1);
    assert_int_equal(sator_ctx_error_count(fixture->ctx), 1);
    sator_counter_free(counter);
}

static void test_limit_and_cancel(void **state)
{
    static const int64_t shape[] = {8, 8};
    struct fixture *fixture = *state;
    struct sator_counter *counter = open_counter(fixture, GEMM, "{ S[i,j,k] -> PE[i%8,j%8] }",
            "{ S[i,j,k] -> T[i/8, j/8, i%8 + j%8 + k] }", shape);
    struct sator_stamp_counts counts;

    sator_ctx_set_work_limit(fixture->ctx, 10);
    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_LIMIT);
    sator_ctx_set_work_limit(fixture->ctx, 0);
    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_OK);
    sator_ctx_cancel(fixture->ctx);
    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_INTERRUPTED);
    sator_counter_free(counter);
}

/* Wherever the work ends, that is said, and never that a count is too large: too many instances to
 * list, and one isl operation more (2000 ticks) each time. */
static void test_every_limit(void **state)
{
    enum {
        TICKS_A_STEP = 2000,
        MOST_STEPS = 100000
    };
    static const int64_t shape[] = {1};
    struct fixture *fixture = *state;
    const struct sator_relation *access = read_text(fixture, "{ S[i,j] -> B[i/2] }");
    const struct sator_transport transport = {.registers = true};
    enum sator_status st = SATOR_LIMIT;

    for (uint64_t step = 1; st == SATOR_LIMIT && step < MOST_STEPS; step += 1 + step / 512) {
        struct sator_counter *counter =
                open_counter(fixture, "{ S[i,j] : 0 <= i < 23 and 0 <= j < 100000 }",
                        "{ S[i,j] -> PE[0] }", "{ S[i,j] -> T[j/4, i%5, i/5] }", shape);
        struct sator_volumes volumes = {0};

        sator_ctx_set_work_limit(fixture->ctx, TICKS_A_STEP * step);
        st = sator_count_volumes(counter, access, &transport, &volumes);
        if (st == SATOR_OK) {
            /* 12 elements and 23 stamps for each of 25000 values of j/4, none at hand: in the order
             * of i%5, i changes by 5 or more. */
            assert_int_equal(volumes.access, 2300000);
            assert_int_equal(volumes.total, 23 * 25000);
            assert_int_equal(volumes.temporal, 0);
            assert_int_equal(volumes.footprint, 12);
        }
        sator_counter_free(counter);
        free(sator_ctx_take_messages(fixture->ctx, false));
    }
    assert_int_equal(st, SATOR_OK);
}

static void test_too_large_says_so(void **state)
{
    static const int64_t shape[] = {1};
    struct fixture *fixture = *state;
    struct sator_counter *counter =
            open_counter(fixture, "{ S[i,j,k,l] : 0 <= i,j,k,l < 1099511627776 }",
                    "{ S[i,j,k,l] -> PE[0] }", "{ S[i,j,k,l] -> T[0] }", shape);
    struct sator_stamp_counts counts = {.instances = -1};

    assert_int_equal(sator_count_stamps(counter, &counts), SATOR_OVERFLOW);
    assert_int_equal(counts.instances, -1);
    assert_int_equal(sator_ctx_error_count(fixture->ctx), 1);
    sator_counter_free(counter);
}

/* ---- the point counter against enumeration ---- */

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
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);
    int n_positive = 0;

    seed = 20210601;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 4000; i++) {
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
    assert_true(n_positive > 1000);
    sator_points_free(points);
}

static void test_most_against_enumeration(void **state)
{
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);

    seed = 20230419;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 800; i++) {
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
    (void)state;
    seed = 19630715;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 500; i++) {
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
    struct fixture *fixture = *state;
    struct sator_points *points = sator_points_new(fixture->ctx);
    int n_shorter = 0;

    seed = 19980904;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 400; i++) {
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
    assert_true(n_shorter > 100);
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
    enum {
        MOST = 7 * 701
    };
    static int64_t here[MOST][2], there[MOST][2];
    int n_long = 0;

    (void)state;
    seed = 20110611;
    print_message("    seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 300; i++) {
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
    assert_true(n_long > 30);
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

/* ---- what buses leave ---- */

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
            cmocka_unit_test_setup_teardown(test_volumes, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_listed_volumes, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_entangled, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_credit_in_order, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_stamps, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_long_lists, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_distinct_remainders, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_shared_stamp_and_tile, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_outside, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_infinite_is_an_error, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_limit_and_cancel, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_every_limit, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_too_large_says_so, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_points_against_enumeration, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_most_against_enumeration, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_polygons, open_fixture, close_fixture),
            cmocka_unit_test(test_polygon_of_nothing),
            cmocka_unit_test(test_interior),
            cmocka_unit_test_setup_teardown(test_series, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_moves, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_series_is_short, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_series_of_nothing, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_left, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_distances, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_meetings, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_box_of_leaning_bounds, open_fixture, close_fixture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
