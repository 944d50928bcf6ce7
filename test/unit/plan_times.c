/* The scheduled time of points that their family knows (model/families.h), and what it is made of,
 * against sums by hand. */
#include "unit/inputs.h"

#include "api/plan.h"
#include "model/families.h"
#include "sator/analyze.h"

#include <inttypes.h>
#include <math.h>

enum {
    LOOPS = 3,
    EACH = 9,
    POINTS = EACH * EACH * EACH
};

struct expected {
    int64_t cycles, compute;
    int64_t bits, exposed, stalled; /* of the port: those that pass in the busiest instance */
};

struct machine {
    const char *op, *levels, *time, *cuts, *port;
    int64_t first[LOOPS], step[LOOPS]; /* extents of a point, and from point to point */
    struct expected (*expect)(const int64_t *extents);
    int n_tensors; /* that pass the port */
};

/* What a plan is made of. */
struct asked {
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    struct sator_plan *plan;
};

static struct asked ask(const struct machine *machine)
{
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    char text[256], levels[1024], flow[256];
    struct asked q;

    snprintf(text, sizeof text, "sizes: {i: 1, j: 1, k: 1}\nop: \"%s\"\n", machine->op);
    q.network = network_of(text);
    snprintf(levels, sizeof levels, "levels:\n%s", machine->levels);
    snprintf(flow, sizeof flow, "space: \"i%%4\"\ntime: \"%s\"\n%s", machine->time, machine->cuts);
    q.arch = arch_of(levels);
    q.dataflow = dataflow_of(flow);
    if (sator_plan_new(ctx, q.network, 0, q.arch, q.dataflow, &options, &q.plan) != SATOR_OK)
        say_messages();
    assert_non_null(q.plan);
    return q;
}

static void expect_point(
        const struct machine *machine, const struct sator_result *got, const int64_t *extents)
{
    const struct expected e = machine->expect(extents);
    const struct sator_port_result *port = NULL;

    assert_string_equal(got->timing, "scheduled");
    for (int q = 0; q < got->n_ports; q++)
        port = strcmp(got->ports[q].name, machine->port) == 0 ? &got->ports[q] : port;
    assert_non_null(port);
    if (got->total_cycles != (double)e.cycles)
        print_error("%s: %" PRId64 " x %" PRId64 " x %" PRId64 "\n", machine->port, extents[0],
                extents[1], extents[2]);
    assert_true(got->total_cycles == (double)e.cycles);
    assert_true(got->scheduled_compute_cycles == (double)e.compute);
    assert_true(port->busy_cycles == (double)e.bits / port->bandwidth_bits);
    assert_true(port->exposed_cycles == (double)e.exposed);
    assert_true(port->stalled_cycles == (double)e.stalled);
    assert_int_equal(port->n_tensors, machine->n_tensors);
    if (port->array != NULL)
        assert_string_equal(port->tensors[0], "B");
}

/* All points know each other's times, for a tenth of the work or less; by themselves they have the
 * same. */
static void expect_points(const struct machine *machine)
{
    struct asked asked = ask(machine);
    struct sator_plan *plan = asked.plan;
    struct sator_workspace *workspace = sator_workspace_new();
    static int64_t extents[POINTS][LOOPS];
    static double energy[POINTS];
    const struct sator_result *got;
    int n_known = 0;
    uint64_t work = 0, alone = 0, n_alone = 0;

    for (int p = 0; p < POINTS; p++) {
        for (int l = 0, at = p; l < LOOPS; l++, at /= EACH)
            extents[p][l] = machine->first[l] + machine->step[l] * (at % EACH);
    }
    struct sator_families *families =
            sator_families_new(ctx, plan->model, &plan->question, POINTS, extents[0]);
    assert_non_null(families);
    for (int p = 0; p < POINTS; p++) {
        struct sator_family *family = sator_families_take(families, p, extents[p]);
        if (family == NULL ||
                sator_plan_evaluate_in(ctx, plan, workspace, extents[p], family, &got) != SATOR_OK)
            continue;
        work += ctx->work_done;
        expect_point(machine, got, extents[p]);
        energy[p] = got->energy_pj;
        n_known++;
    }
    sator_families_free(families);
    say_messages();
    assert_int_equal(n_known, POINTS);
    for (int p = 0; p < POINTS; p += 101) {
        assert_int_equal(sator_plan_evaluate(ctx, plan, workspace, extents[p], &got), SATOR_OK);
        alone += ctx->work_done;
        n_alone++;
        assert_true(got->energy_pj == energy[p] || (isnan(energy[p]) && isnan(got->energy_pj)));
        expect_point(machine, got, extents[p]);
    }
    assert_true(work * 10 * n_alone <= alone * POINTS);
    sator_workspace_free(workspace);
    sator_plan_free(plan);
    sator_dataflow_free(asked.dataflow);
    sator_arch_free(asked.arch);
    sator_network_free(asked.network);
}

/* A and Y, eight words a cycle by one port, in so many tiles: A comes before each runs ("ends": 1),
 * and Y leaves after it (2). */
static struct expected expect_tiles_of(const int64_t *extents, int64_t tiles, int ends)
{
    const int64_t run = extents[0] * extents[1] * extents[2];
    const int64_t moving = ends * tiles * ((run / tiles + 7) / 8);

    return (struct expected){run / 4 + moving, run / 4, 2 * run * 16, moving, 0};
}

static struct expected expect_rows(const int64_t *extents)
{
    return expect_tiles_of(extents, extents[0] / 4 * extents[1], 2);
}

static struct expected expect_whole(const int64_t *extents)
{
    return expect_tiles_of(extents, 1, 2);
}

static struct expected expect_fitting(const int64_t *extents)
{
    const int64_t rows = extents[1] * extents[2] <= 200 ? 1 : extents[1];

    return expect_tiles_of(extents, extents[0] / 4 * rows, 2);
}

static struct expected expect_outside(const int64_t *extents)
{
    return expect_tiles_of(extents, extents[0] / 4 * extents[1], 1);
}

/* A PE reads A and B and, but for k = 0, its sum, a word a cycle: only the first stamp of a row has
 * nobody with k > 0. */
static struct expected expect_own(const int64_t *extents)
{
    const int64_t rows = extents[0] / 4 * extents[1], row = extents[2] + 3;

    return (struct expected){
            rows * (3 * row - 1), rows * row, rows * (3 * row - 1) * 16, 0, rows * (2 * row - 1)};
}

/* B's words go on from PE to PE, two cycles each: in all stamps but the first of a row. */
static struct expected expect_wires(const int64_t *extents)
{
    const int64_t rows = extents[0] / 4 * extents[1], row = extents[2] + 3;

    return (struct expected){
            rows * (2 * row - 1), rows * row, rows * (row - 1) * 16, 0, rows * (row - 1)};
}

/* All of B comes at first, and A's four rows of each tile before it runs: words of 16 bits. */
static struct expected expect_tiles(const int64_t *extents, int64_t bits)
{
    const int64_t tiles = extents[0] / 4, run = extents[1] * extents[2];
    const int64_t first = run * 16, each = 4 * extents[2] * 16;
    const int64_t load = (first + bits - 1) / bits + tiles * ((each + bits - 1) / bits);

    return (struct expected){load + tiles * run, tiles * run, first + tiles * each, load, 0};
}

static struct expected expect_24(const int64_t *extents)
{
    return expect_tiles(extents, 24);
}

static struct expected expect_prime(const int64_t *extents)
{
    return expect_tiles(extents, 99991);
}

/* The first rows of A come before all, 4 bits a cycle, and the next ones beside a run, which waits
 * for them where j is less than 16. */
static struct expected expect_kink(const int64_t *extents)
{
    const int64_t tiles = extents[0] / 4, j = extents[1], k = extents[2];
    const int64_t stalled = j < 16 ? (tiles - 1) * (16 - j) * k : 0;

    return (struct expected){
            16 * k + tiles * j * k + stalled, tiles * j * k, tiles * 4 * k * 16, 16 * k, stalled};
}

#define GEMM "Y[i,j] += A[i,k] * B[k,j]"
static const struct machine own = {.op = GEMM,
        .n_tensors = 3,
        .levels = "  - memory: DRAM\n"
                  "  - {array: PE, shape: [4]}\n"
                  "  - {memory: registers, bandwidth_bits: {read: 16}}\n"
                  "  - {compute: mac}\n",
        .time = "i/4, j, k + i%4",
        .cuts = "cuts: {registers: {time: 0}}\n",
        .port = "registers reads",
        .first = {40, 10, 10},
        .step = {4, 1, 1},
        .expect = expect_own};
#define WIRES(DRAM, STEP)                                                                          \
    {                                                                                              \
        .op = GEMM, .n_tensors = 1,                                                                \
        .levels = "  - {memory: DRAM" DRAM "}\n"                                                   \
                  "  - {array: PE, shape: [4], links: [{name: on, map: \"PE[i] -> PE[i+1]\", "     \
                  "tensors: [B], bandwidth_bits: 8}]}\n"                                           \
                  "  - {compute: mac}\n",                                                          \
        .time = "i/4, j, k + i%4", .cuts = "", .port = "PE.on", .first = {40, 10, 10},             \
        .step = {4 * STEP, STEP, STEP}, .expect = expect_wires                                     \
    }
static const struct machine wires = WIRES("", 1);
static const struct machine wires_beside = WIRES(", bandwidth_bits: {read: 1024}", 1);
/* All points are one: what is known of it has a short name, as questions have. */
static const struct machine wires_alike = WIRES("", 0);

#define REST "  - {memory: rest, tensors: [B, Y]}\n"
#define SRAM "  - {memory: SRAM, tensors: [A], transfers: serial}\n"
#define TILES(BITS)                                                                                \
    .op = GEMM, .n_tensors = 3,                                                                    \
    .levels = "  - {memory: DRAM, bandwidth_bits: {read: " #BITS "}}\n" REST SRAM                  \
              "  - {array: PE, shape: [4]}\n"                                                      \
              "  - {compute: mac}\n",                                                              \
    .time = "i/4, j, k", .cuts = "cuts: {rest: {time: 0}, SRAM: {time: 1}}\n",                     \
    .port = "DRAM reads"
/* Whole cycles where 3 divides k. */
static const struct machine tiles = {
        TILES(24), .first = {40, 10, 30}, .step = {4, 1, 3}, .expect = expect_24};
static const struct machine ragged_tiles = {
        TILES(24), .first = {40, 10, 10}, .step = {4, 1, 1}, .expect = expect_24};
/* Whole cycles are too far apart. */
static const struct machine prime = {
        TILES(99991), .first = {40, 10, 10}, .step = {4, 1, 1}, .expect = expect_prime};
/* What the middle of a box contradicts, each point finds by itself. */
static const struct machine kink = {.op = "Y[i,j,k] += A[i,k]",
        .n_tensors = 2,
        .levels = "  - {memory: DRAM, bandwidth_bits: {read: 4}}\n"
                  "  - {memory: SRAM, tensors: [A]}\n"
                  "  - {array: PE, shape: [4]}\n"
                  "  - {compute: mac}\n",
        .time = "i/4, j, k",
        .cuts = "cuts: {SRAM: {time: 1}}\n",
        .port = "DRAM reads",
        .first = {40, 10, 10},
        .step = {4, 1, 1},
        .expect = expect_kink};

/* Of tiles of k an odd extent has half a cycle more at either end: of all even ones the times lie
 * on a line, on which those of odd ones do not. */
#define BOTH(CAPACITY)                                                                             \
    .op = "Y[i,j,k] += A[i,j,k]", .n_tensors = 2,                                                  \
    .levels =                                                                                      \
            "  - {memory: DRAM, energy_pj: {read: 3, write: 5},\n"                                 \
            "     ports: [{name: both, direction: shared, bandwidth_bits: 128}]}\n"                \
            "  - {memory: SRAM, transfers: serial, energy_pj: {read: 1, write: 2}" CAPACITY "}\n"  \
            "  - {array: PE, shape: [4]}\n"                                                        \
            "  - {compute: mac, energy_pj: 1}\n",                                                  \
    .port = "DRAM.both", .first = {40, 10, 10}, .step = {4, 1, 1}
static const struct machine rows = {
        BOTH(""), .time = "i/4, j, k", .cuts = "cuts: {SRAM: {time: 2}}\n", .expect = expect_rows};
static const struct machine whole = {
        BOTH(""), .time = "i/4, j, k", .cuts = "cuts: {SRAM: {time: 0}}\n", .expect = expect_whole};
static const struct machine timeless = {BOTH(""), /* all of k runs in one stamp */
        .time = "i/4, j", .cuts = "cuts: {SRAM: {time: 2}}\n", .expect = expect_rows};
/* Up to 200 j k a tile of both fits, else a row of it. */
static const struct machine fitting = {
        BOTH(", capacity_words: 1600"), .time = "i/4, j, k", .cuts = "", .expect = expect_fitting};
static const struct machine outside = {.op = "Y[i,j,k] += A[i,j,k]",
        .n_tensors = 2,
        .levels = "  - {memory: DRAM, transfers: serial, bandwidth_bits: {write: 128}}\n"
                  "  - {array: PE, shape: [4]}\n"
                  "  - {compute: mac}\n",
        .time = "i/4, j, k",
        .cuts = "cuts: {DRAM: {time: 2}}\n",
        .port = "DRAM writes",
        .first = {8, 1, 10}, /* two tiles at each point */
        .step = {0, 0, 1},
        .expect = expect_outside};

static void test_own(void **state)
{
    (void)state;
    expect_points(&own);
}

static void test_wires(void **state)
{
    (void)state;
    expect_points(&wires);
    expect_points(&wires_beside);
    expect_points(&wires_alike);
}

static void test_tiles(void **state)
{
    (void)state;
    expect_points(&tiles);
    expect_points(&ragged_tiles);
    expect_points(&prime);
    expect_points(&kink);
}

static void test_halves(void **state)
{
    (void)state;
    expect_points(&rows);
    expect_points(&whole);
    expect_points(&timeless);
    expect_points(&fitting);
    expect_points(&outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_own, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_wires, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_tiles, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_halves, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
