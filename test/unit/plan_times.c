/* The scheduled time of points that their family knows (model/families.h), and what it is made of,
 * against sums by hand. */
#include "unit/inputs.h"

#include "api/plan.h"
#include "model/families.h"
#include "sator/analyze.h"

#include <inttypes.h>

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
    int64_t step[LOOPS]; /* from point to point */
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
    const struct sator_result *got;
    int n_known = 0;
    uint64_t work = 0, alone = 0, n_alone = 0;

    for (int p = 0; p < POINTS; p++) {
        extents[p][0] = machine->step[0] * (10 + p % EACH);
        extents[p][1] = machine->step[1] * (10 + p / EACH % EACH);
        extents[p][2] = machine->step[2] * (10 + p / EACH / EACH);
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
        n_known++;
    }
    sator_families_free(families);
    say_messages();
    assert_int_equal(n_known, POINTS);
    for (int p = 0; p < POINTS; p += 101) {
        assert_int_equal(sator_plan_evaluate(ctx, plan, workspace, extents[p], &got), SATOR_OK);
        alone += ctx->work_done;
        n_alone++;
        expect_point(machine, got, extents[p]);
    }
    assert_true(work * 10 * n_alone <= alone * POINTS);
    sator_workspace_free(workspace);
    sator_plan_free(plan);
    sator_dataflow_free(asked.dataflow);
    sator_arch_free(asked.arch);
    sator_network_free(asked.network);
}

/* A and Y, eight words a cycle by one port: so many tiles, of which each comes before it runs and
 * leaves after it. */
static struct expected expect_both(const int64_t *extents, int64_t tiles)
{
    const int64_t run = extents[0] * extents[1] * extents[2];
    const int64_t moving = 2 * tiles * ((run / tiles + 7) / 8);

    return (struct expected){run / 4 + moving, run / 4, 2 * run * 16, moving, 0};
}

static struct expected expect_rows(const int64_t *extents)
{
    return expect_both(extents, extents[0] / 4 * extents[1]);
}

static struct expected expect_whole(const int64_t *extents)
{
    return expect_both(extents, 1);
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

/* All of B comes at first, and A's four rows of each tile before it runs: words of 16 bits at 24 a
 * cycle, which are whole cycles where 3 divides k. */
static struct expected expect_tiles(const int64_t *extents)
{
    const int64_t tiles = extents[0] / 4, run = extents[1] * extents[2];
    const int64_t first = run * 16, each = 4 * extents[2] * 16;
    const int64_t load = (first + 23) / 24 + tiles * ((each + 23) / 24);

    return (struct expected){load + tiles * run, tiles * run, first + tiles * each, load, 0};
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
        .step = {4, 1, 1},
        .expect = expect_own};
static const struct machine wires = {.op = GEMM,
        .n_tensors = 1,
        .levels = "  - {memory: DRAM, bandwidth_bits: {read: 1024}}\n"
                  "  - {array: PE, shape: [4], links: [{name: on, map: \"PE[i] -> PE[i+1]\", "
                  "tensors: [B], bandwidth_bits: 8}]}\n"
                  "  - {compute: mac}\n",
        .time = "i/4, j, k + i%4",
        .cuts = "",
        .port = "PE.on",
        .step = {4, 1, 1},
        .expect = expect_wires};
#define TILES                                                                                      \
    .op = GEMM, .n_tensors = 3,                                                                    \
    .levels = "  - {memory: DRAM, bandwidth_bits: {read: 24}}\n"                                   \
              "  - {memory: rest, tensors: [B, Y]}\n"                                              \
              "  - {memory: SRAM, tensors: [A], transfers: serial}\n"                              \
              "  - {array: PE, shape: [4]}\n"                                                      \
              "  - {compute: mac}\n",                                                              \
    .time = "i/4, j, k", .cuts = "cuts: {rest: {time: 0}, SRAM: {time: 1}}\n",                     \
    .port = "DRAM reads", .expect = expect_tiles
static const struct machine tiles = {TILES, .step = {4, 1, 3}};
static const struct machine ragged_tiles = {TILES, .step = {4, 1, 1}};

/* Of tiles of k an odd extent has half a cycle more at either end: of all even ones the times lie
 * on a line, on which those of odd ones do not. */
#define BOTH                                                                                       \
    .op = "Y[i,j,k] += A[i,j,k]", .n_tensors = 2,                                                  \
    .levels =                                                                                      \
            "  - {memory: DRAM, ports: [{name: both, direction: shared, bandwidth_bits: 128}]}\n"  \
            "  - {memory: SRAM, transfers: serial}\n"                                              \
            "  - {array: PE, shape: [4]}\n"                                                        \
            "  - {compute: mac}\n",                                                                \
    .port = "DRAM.both", .step = {4, 1, 1}
static const struct machine rows = {
        BOTH, .time = "i/4, j, k", .cuts = "cuts: {SRAM: {time: 2}}\n", .expect = expect_rows};
static const struct machine whole = {
        BOTH, .time = "i/4, j, k", .cuts = "cuts: {SRAM: {time: 0}}\n", .expect = expect_whole};
static const struct machine timeless = {BOTH, /* all of k runs in one stamp */
        .time = "i/4, j", .cuts = "cuts: {SRAM: {time: 2}}\n", .expect = expect_rows};

static void test_own(void **state)
{
    (void)state;
    expect_points(&own);
}

static void test_wires(void **state)
{
    (void)state;
    expect_points(&wires);
}

static void test_tiles(void **state)
{
    (void)state;
    expect_points(&tiles);
    expect_points(&ragged_tiles);
}

static void test_halves(void **state)
{
    (void)state;
    expect_points(&rows);
    expect_points(&whole);
    expect_points(&timeless);
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
