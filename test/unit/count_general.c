/* The general engine: known answers as text, what it declines, and what stops it. */
#include "count/general/table.h"
#include "unit/stampings.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_volumes, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_listed_volumes, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_entangled, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_credit_in_order, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_long_lists, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_distinct_remainders, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_stamps, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(
                    test_shared_stamp_and_tile, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_outside, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_infinite_is_an_error, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_limit_and_cancel, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_every_limit, open_fixture, close_fixture),
            cmocka_unit_test_setup_teardown(test_too_large_says_so, open_fixture, close_fixture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
