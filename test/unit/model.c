/* Small analyses whose every number is counted by hand, from the definitions of doc/model.md.
 *
 * Figures are binary fractions, so that sums of energies and delays are exact in floating point.
 */
#include "unit/inputs.h"

#include "model/model.h"
#include "sator/plan.h"

#include <math.h>
#include <stdio.h>

static const char conv_1d[] = "name: conv1d\n"
                              "sizes: {i: 4, j: 3}\n"
                              "op: \"Y[i] += A[i+j] * B[j]\"\n";
static const char pe_is_output[] = "{name: flow, space: \"PE[i]\", time: \"T[j]\"}";

/* Bounds and ports are those of the roofline here. */
static const struct sator_analyze_options roofline = {.timing = SATOR_TIMING_ROOFLINE};

/* Analyse texts; NULL, with what was said left in the context, when it fails with "*status". */
static struct sator_result *try_analyze(const char *workload, const char *arch,
        const char *dataflow, const struct sator_analyze_options *options,
        enum sator_status *status)
{
    struct sator_network *network = network_of(workload);
    struct sator_arch *machine = arch_of(arch);
    struct sator_dataflow *flow = dataflow_of(dataflow);
    struct sator_result *result = NULL;

    *status = sator_analyze(ctx, network, 0, machine, flow, options, &result);
    sator_dataflow_free(flow);
    sator_arch_free(machine);
    sator_network_free(network);
    return result;
}

static struct sator_result *analyze(const char *workload, const char *arch, const char *dataflow)
{
    enum sator_status status;
    struct sator_result *result = try_analyze(workload, arch, dataflow, &roofline, &status);

    if (status != SATOR_OK)
        say_messages();
    assert_int_equal(status, SATOR_OK);
    return result;
}

static const struct sator_tensor_result *tensor(const struct sator_result *result, const char *name)
{
    for (int i = 0; i < result->n_tensors; i++) {
        if (strcmp(result->tensors[i].name, name) == 0)
            return &result->tensors[i];
    }
    fail_msg("no tensor %s", name);
    return NULL;
}

static void expect_volumes(const struct sator_result *result, const char *name, int total,
        int temporal, int spatial, int unique, int footprint)
{
    const struct sator_tensor_result *t = tensor(result, name);

    assert_int_equal(t->total_volume, total);
    assert_int_equal(t->temporal_reuse, temporal);
    assert_int_equal(t->spatial_reuse, spatial);
    assert_int_equal(t->unique_volume, unique);
    assert_int_equal(t->footprint, footprint);
}

static void expect_link(
        const struct sator_result *result, const char *name, const char *link, int reuse)
{
    const struct sator_tensor_result *t = tensor(result, name);

    for (int i = 0; i < t->n_links; i++) {
        if (strcmp(t->links[i].name, link) == 0) {
            assert_int_equal(t->links[i].spatial_reuse, reuse);
            return;
        }
    }
    fail_msg("no link %s", link);
}

static void expect_level(const struct sator_result *result, const char *level, const char *name,
        int tile, int fills, int writes, int reads, int updates)
{
    for (int l = 0; l < result->n_levels; l++) {
        for (int i = 0; i < result->levels[l].n_tensors; i++) {
            const struct sator_level_tensor *t = &result->levels[l].tensors[i];
            if (strcmp(result->levels[l].name, level) != 0 || strcmp(t->name, name) != 0)
                continue;
            assert_int_equal(t->tile_words, tile);
            assert_int_equal(t->fills, fills);
            assert_int_equal(t->writes, writes);
            assert_int_equal(t->reads, reads);
            assert_int_equal(t->updates, updates);
            return;
        }
    }
    fail_msg("%s holds no %s", level, name);
}

/* ---- a single array: delays, energy ---- */

/* Four PEs in a row, with "%s" for more of the scratchpad. */
static const char row_of_four[] = "name: row\n"
                                  "levels:\n"
                                  "  - memory: scratchpad\n"
                                  "    bandwidth_bits: 32\n"
                                  "    energy_pj: {read: 5, write: 6}\n"
                                  "    leakage_pj: 0.5\n"
                                  "    overlaps: %s\n"
                                  "  - array: PE\n"
                                  "    shape: [4]\n"
                                  "    links: [{name: west, map: \"PE[i] -> PE[i-1]\","
                                  " energy_pj: 0.25}]\n"
                                  "  - memory: registers\n"
                                  "    energy_pj: {read: 0.125, write: 0.25}\n"
                                  "    leakage_pj: 0.0625\n"
                                  "  - {compute: mac, energy_pj: 1, leakage_pj: 0.125}\n";

/* TENET's Figure 1. At T[j] PE[i] holds A[i+j], which PE[i+1] held at T[j-1]: 3 PEs x 2 stamps;
 * Y[i] stays for 2 of 3 stamps; B[j] changes every stamp and no wire brings it.
 *
 * Delays: 12 stamps in 3 time-stamps on 4 PEs, so 3 cycles of compute; reads (6 + 12) x 16 bits /
 * 32 = 9; writes 4 x 16 / 32 = 2.
 *
 * Energy in pJ: west 6 x 0.25 = 1.5; scratchpad 18 reads x 5 = 90 and 4 updates x 6 = 24; registers
 * read A 12, B 12, Y 12 - 4 starts = 8: 32 x 0.125 = 4; written A 12, B 12, Y 12: 36 x 0.25 = 9;
 * 12 MACs: 12. Leakage in 9 cycles: 0.5 x 9 = 4.5, 4 x 0.0625 x 9 = 2.25,
 * 4 x 0.125 x 9 = 4.5. Together 1.5 + 90 + 24 + 4 + 9 + 12 + 11.25 = 151.75. */
static void test_bound_by_reading(void **state)
{
    char arch[1024];

    (void)state;
    snprintf(arch, sizeof arch, row_of_four, "true");
    struct sator_result *r = analyze(conv_1d, arch, pe_is_output);
    expect_volumes(r, "A", 12, 0, 6, 6, 6);
    expect_volumes(r, "B", 12, 0, 0, 12, 3);
    expect_volumes(r, "Y", 12, 8, 0, 4, 4);
    assert_true(r->utilization_average == 1);
    assert_true(r->compute_cycles == 3);
    assert_true(r->read_cycles == 9);
    assert_true(r->write_cycles == 2);
    assert_true(r->total_cycles == 9);
    assert_string_equal(r->bound_by, "scratchpad reads");
    assert_true(tensor(r, "A")->interconnect_bits_per_cycle == 6 * 16 / 3.0);
    assert_true(tensor(r, "B")->scratchpad_bits_per_cycle == 12 * 16 / 3.0);
    expect_level(r, "scratchpad", "A", 6, 0, 0, 6, 0);
    expect_level(r, "scratchpad", "B", 3, 0, 0, 12, 0);
    expect_level(r, "scratchpad", "Y", 4, 0, 0, 0, 4);
    expect_level(r, "registers", "A", 1, 6, 12, 12, 0);
    expect_level(r, "registers", "B", 1, 12, 12, 12, 0);
    expect_level(r, "registers", "Y", 1, 0, 0, 8, 12);
    assert_true(r->energy_pj == 151.75);
    assert_true(r->edp == 151.75 * 9);
    sator_result_free(r);
}

/* The roofline is the same without overlap, which section 7 is about. */
static void test_no_overlap(void **state)
{
    char arch[1024];

    (void)state;
    snprintf(arch, sizeof arch, row_of_four, "false");
    struct sator_result *r = analyze(conv_1d, arch, pe_is_output);
    assert_true(r->roofline_cycles == 9);
    sator_result_free(r);
}

/* ---- links and buses, an array of four ---- */

static struct sator_result *with_network(const char *network, const char *dataflow)
{
    char arch[512];

    snprintf(arch, sizeof arch,
            "name: row\nlevels:\n  - memory: scratchpad\n  - array: PE\n    shape: [4]\n    %s\n"
            "  - memory: registers\n  - compute: mac\n",
            network);
    return analyze(conv_1d, arch, dataflow);
}

/* A[i+j] at (PE[i], T[j]) was at PE[i+2] two stamps ago: j = 2, i < 2. Stamps are counted, not
 * their numbers: T[5*j] has the same three. */
static void test_interval_two(void **state)
{
    static const char *const flows[] = {
            "{space: \"PE[i]\", time: \"T[j]\"}", "{space: \"PE[i]\", time: \"T[5*j]\"}"};

    (void)state;
    for (int f = 0; f < 2; f++) {
        struct sator_result *r = with_network(
                "links: [{name: far, map: \"PE[i] -> PE[i-2]\", interval: 2}]", flows[f]);
        expect_volumes(r, "A", 12, 0, 2, 10, 6);
        expect_volumes(r, "B", 12, 0, 0, 12, 3);
        sator_result_free(r);
    }
}

/* All PEs use B[j] in one stamp. Wires both ways: the smaller PE provides, so PE[0] fetches and the
 * wire to i+1 serves the other three; the one to i-1 nothing. A and Y differ from PE to PE. */
static void test_wires_both_ways(void **state)
{
    (void)state;
    struct sator_result *r =
            with_network("links: [{name: down, map: \"PE[i] -> PE[i-1]\", interval: 0},"
                         " {name: up, map: \"PE[i] -> PE[i+1]\", interval: 0}]",
                    pe_is_output);
    expect_volumes(r, "A", 12, 0, 0, 12, 6);
    expect_volumes(r, "B", 12, 0, 9, 3, 3);
    expect_link(r, "B", "down", 0);
    expect_link(r, "B", "up", 9);
    sator_result_free(r);
}

/* A link and a bus: the link, declared for A alone, serves 6 of A; the bus of pairs {0,1}, {2,3}
 * halves B, and finds nothing shared in A. The second family joins what the first left: {0,1,2,3}
 * has two transfers of B a stamp, of which one remains. */
static void test_bus_families(void **state)
{
    (void)state;
    struct sator_result *r =
            with_network("links: [{name: west, map: \"PE[i] -> PE[i-1]\", tensors: [A]}]\n"
                         "    multicast: [{name: pair, map: \"PE[i] -> BUS[i/2]\"},"
                         " {name: all, map: \"PE[i] -> BUS[0]\"}]",
                    pe_is_output);
    expect_volumes(r, "A", 12, 0, 6, 6, 6);
    expect_link(r, "A", "pair", 0);
    expect_volumes(r, "B", 12, 0, 9, 3, 3);
    expect_link(r, "B", "pair", 6);
    expect_link(r, "B", "all", 3);
    sator_result_free(r);
}

/* Jacobi's three reads of A are one tensor: 4 instances touch A[i-1], A[i], A[i+1], 12 accesses, of
 * A[-1] to A[4]. On one PE, one after the other, two of three elements are still there: 3 x 2. */
static void test_several_reads_are_one_tensor(void **state)
{
    (void)state;
    struct sator_result *r = analyze(
            "{name: jacobi, sizes: {i: 4}, op: \"Y[i] = A[i-1] + A[i] + A[i+1]\"}",
            "{name: one, levels: [{memory: scratchpad}, {array: PE, shape: [1]}, {compute: mac}]}",
            "{space: \"PE[0]\", time: \"T[i]\"}");
    assert_int_equal(r->n_tensors, 2);
    assert_int_equal(tensor(r, "A")->access_volume, 12);
    expect_volumes(r, "A", 12, 6, 0, 6, 6);
    assert_true(tensor(r, "A")->reuse_factor == 2);
    sator_result_free(r);
}

/* Y[i] += A[i,k] * B[k] for i < 3, k < 8, four k at a time under one tree. A stamp's four products
 * leave as one: 6 time-stamps x 3 merged. Each Y[i] leaves twice, for both halves of k, so 3 come
 * back; of the 24 updates of registers 18 merge and 3 start fresh: 3 reads. B[k] stays in its PE
 * for i > 0: 8 x 2. */
static void test_tree_and_partial_sums(void **state)
{
    (void)state;
    struct sator_result *r = analyze(
            "{name: mv, sizes: {i: 3, k: 8}, op: \"Y[i] += A[i,k] * B[k]\"}",
            "{name: tree, levels: [{memory: scratchpad}, {array: PE, shape: [4], topology: tree},"
            " {memory: registers}, {compute: mac}]}",
            "{space: \"PE[k%4]\", time: \"T[k/4, i]\"}");
    expect_volumes(r, "A", 24, 0, 0, 24, 24);
    expect_volumes(r, "B", 24, 16, 0, 8, 8);
    expect_volumes(r, "Y", 24, 0, 18, 6, 3);
    assert_int_equal(tensor(r, "Y")->partial_sum_reads, 3);
    expect_level(r, "scratchpad", "Y", 3, 0, 0, 3, 6);
    expect_level(r, "registers", "Y", 1, 3, 3, 3, 24);
    sator_result_free(r);
}

/* Weights that stay: PE[i,k] keeps A[i,k] for all j (48 of 64), B[k,j] is read once for the 4 PEs
 * of a column, the 4 products of a row leave as one: 16 words of each cross.
 *
 * Words are 8, 4 and 32 bits: reading takes (16 x 8 + 16 x 4) / 64 = 3 cycles, writing 16 x 32 / 32
 * = 16, computing 4 time-stamps x 2 cycles. Energies are for 16 bits, so those of A count half, of
 * B a quarter, of Y twice: column 48 x 0.25/4 = 3, tree 48 x 2 = 96, buffer 16 x 2/2 + 16 x 2/4 +
 * 16 x 4 x 2 = 152, registers read A 64, B 64, Y 64 - 16 starts - 48 merged = 0, written A 16, B
 * 64, Y 64: (80/2 + 128/4 + 64 x 2) x 0.125 = 25, MACs 64: in sum 340. */
static void test_buses_and_word_widths(void **state)
{
    (void)state;
    struct sator_result *r =
            analyze("name: mm\nsizes: {i: 4, j: 4, k: 4}\nop: \"Y[i,j] += A[i,k] * B[k,j]\"\n"
                    "word_bits: {A: 8, B: 4, Y: 32}\n",
                    "name: weights\n"
                    "levels:\n"
                    "  - {memory: buffer, bandwidth_bits: {read: 64, write: 32},"
                    " energy_pj: {read: 2, write: 4}}\n"
                    "  - array: PE\n"
                    "    shape: [4, 4]\n"
                    "    multicast: [{name: column, map: \"PE[i,k] -> BUS[k]\", energy_pj: 0.25}]\n"
                    "    reduction: [{name: sum, map: \"PE[i,k] -> TREE[i]\", energy_pj: 1}]\n"
                    "  - {memory: registers, energy_pj: 0.125}\n"
                    "  - {compute: mac, energy_pj: 1, cycles: 2}\n",
                    "{space: \"PE[i, k]\", time: \"T[j]\"}");
    expect_volumes(r, "A", 64, 48, 0, 16, 16);
    expect_volumes(r, "B", 64, 0, 48, 16, 16);
    expect_volumes(r, "Y", 64, 0, 48, 16, 16);
    assert_true(r->compute_cycles == 8);
    assert_true(r->read_cycles == 3);
    assert_true(r->write_cycles == 16);
    assert_true(r->total_cycles == 16);
    assert_string_equal(r->bound_by, "buffer writes");
    expect_level(r, "registers", "Y", 1, 0, 0, 0, 64);
    assert_true(r->energy_pj == 340);
    sator_result_free(r);
}

/* ---- declared cuts ---- */

static const char mat_vec[] = "{name: mv, sizes: {i: 4, k: 4}, op: \"Y[i] += A[i,k] * B[k]\"}";
static const char halves_of_k[] = "{space: \"PE[i%2]\", time: \"T[k/2, i/2, k%2]\","
                                  " cuts: {buffer: {time: 1}, registers: {time: all}}}";

/* DRAM, a buffer with "more", two PEs with registers. */
static void write_hierarchy(char *arch, size_t size, const char *more)
{
    snprintf(arch, size,
            "name: hierarchy\n"
            "levels:\n"
            "  - {memory: DRAM, bandwidth_bits: 16}\n"
            "  - {memory: buffer, bandwidth_bits: 64, %s}\n"
            "  - {array: PE, shape: [2]}\n"
            "  - memory: registers\n"
            "  - compute: mac\n",
            more);
}

/* The buffer holds, for one half of k, A: 4 x 2, B: 2, Y: 4. From half to half A and B change, Y
 * stays: DRAM sends 16 + 4 words and gets 4. The registers hold one word of each: A and B change
 * every stamp; Y[i] stays for k%2 = 1, so 8 of 16 go up, 4 of them twice. */
static void test_cuts(void **state)
{
    static const double bandwidths[] = {16, 1024};
    static const struct sator_analyze_options options = {
            .timing = SATOR_TIMING_ROOFLINE, .sweep_bandwidths = bandwidths, .n_sweep = 2};
    enum sator_status status;
    char arch[512];

    (void)state;
    write_hierarchy(arch, sizeof arch, "capacity_words: 28, double_buffered: true");
    struct sator_result *r = try_analyze(mat_vec, arch, halves_of_k, &options, &status);
    assert_int_equal(status, SATOR_OK);
    expect_level(r, "DRAM", "A", 16, 0, 0, 16, 0);
    expect_level(r, "DRAM", "B", 4, 0, 0, 4, 0);
    expect_level(r, "DRAM", "Y", 4, 0, 0, 0, 4);
    expect_level(r, "buffer", "A", 8, 16, 16, 16, 0);
    expect_level(r, "buffer", "B", 2, 4, 4, 16, 0);
    expect_level(r, "buffer", "Y", 4, 0, 0, 4, 8);
    expect_level(r, "registers", "A", 1, 16, 16, 16, 0);
    expect_level(r, "registers", "B", 1, 16, 16, 16, 0);
    expect_level(r, "registers", "Y", 1, 4, 4, 12, 16);
    /* compute 8 cycles; DRAM 20 words in at one a cycle; buffer 36 out and 28 in at four a cycle */
    assert_true(r->compute_cycles == 8);
    assert_true(r->levels[0].read_cycles == 20);
    assert_true(r->levels[1].read_cycles == 9);
    assert_true(r->levels[1].write_cycles == 7);
    assert_true(r->total_cycles == 20);
    assert_string_equal(r->bound_by, "DRAM reads");
    /* a slow buffer is the bound; with a fast one DRAM still is */
    assert_true(r->sweep[0].total_cycles == 36);
    assert_string_equal(r->sweep[0].bound_by, "buffer reads");
    assert_true(r->sweep[1].total_cycles == 20);
    assert_string_equal(r->sweep[1].bound_by, "DRAM reads");
    sator_result_free(r);
}

/* Nothing of B in the buffer: DRAM serves the registers, which hold a new B[k] every stamp. */
static void test_bypass(void **state)
{
    char arch[512];

    (void)state;
    write_hierarchy(arch, sizeof arch, "bypass: [B]");
    struct sator_result *r = analyze(mat_vec, arch, halves_of_k);
    expect_level(r, "DRAM", "B", 4, 0, 0, 16, 0);
    expect_level(r, "registers", "B", 1, 16, 16, 16, 0);
    expect_level(r, "buffer", "A", 8, 16, 16, 16, 0);
    assert_int_equal(r->levels[1].n_tensors, 2);
    sator_result_free(r);
}

/* The buffer's tiles are 8, 2 and 4 words of 2 bytes. */
static void test_capacities(void **state)
{
    static const struct {
        const char *capacity, *message; /* NULL: fits */
    } table[] = {
            {"capacity_words: 14", NULL},
            {"capacity_words: 13", "buffer needs 14 words, has 13 (words: A 8, B 2, Y 4)"},
            {"capacity_words: 27, double_buffered: true",
                    "buffer needs 14 words, has 13 of each of two buffers (words: A 8, B 2, Y 4)"},
            {"capacity_bytes: 28", NULL},
            {"capacity_bytes: 27", "buffer needs 28 bytes, has 27 (words: A 8, B 2, Y 4)"},
            {"capacity_words: {A: 8, B: 2, Y: 4}", NULL},
            {"capacity_words: {A: 8, B: 1, Y: 4}", "buffer needs 2 words, has 1 (words: B 2)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        enum sator_status status;
        char arch[512];
        write_hierarchy(arch, sizeof arch, table[i].capacity);
        struct sator_result *r = try_analyze(mat_vec, arch, halves_of_k, NULL, &status);
        char *messages = sator_ctx_take_messages(ctx, false);
        if (table[i].message == NULL) {
            assert_int_equal(status, SATOR_OK);
            assert_null(messages);
        } else {
            assert_int_equal(status, SATOR_INPUT);
            assert_non_null(strstr(messages, table[i].message));
        }
        free(messages);
        sator_result_free(r);
    }
}

/* ---- derived cuts, partial sums below trees, the busiest instance, ports ---- */

/* A is 64 x 64, B and Y 64 each. With the cut (i/32, (i/4)%8) the buffer would hold 4 x 64 words of
 * A, 64 of B and 4 of Y, 324; with i%4 too it holds 64 + 64 + 1. */
static void test_derived_cuts(void **state)
{
    static const char workload[] = "sizes: {i: 64, k: 64}\nop: \"Y[i] += A[i,k] * B[k]\"\n";
    static const char arch[] = "levels:\n"
                               "  - {memory: DRAM, bandwidth_bits: 16}\n"
                               "  - {memory: buffer, capacity_words: 300}\n"
                               "  - {array: PE, shape: [1]}\n"
                               "  - {memory: registers}\n"
                               "  - {compute: mac}\n";
    static const char flow[] = "{space: \"PE[0]\", time: \"T[i/32, (i/4)%%8, i%%4, k]\"%s}";
    char text[256];
    enum sator_status status;

    (void)state;
    snprintf(text, sizeof text, flow, "");
    struct sator_result *r = try_analyze(workload, arch, text, &roofline, &status);
    assert_int_equal(status, SATOR_OK);
    assert_int_equal(r->levels[0].time_cut, 0);
    assert_int_equal(r->levels[1].time_cut, 3);
    assert_int_equal(r->levels[2].time_cut, 4);
    assert_false(r->levels[1].cut_declared);
    expect_level(r, "buffer", "A", 64, 4096, 4096, 4096, 0);
    expect_level(r, "buffer", "B", 64, 64, 64, 4096, 0);
    expect_level(r, "DRAM", "A", 4096, 0, 0, 4096, 0);
    assert_true(r->total_cycles == 4160); /* DRAM: a word a cycle */
    assert_string_equal(r->bound_by, "DRAM reads");
    snprintf(text, sizeof text, flow,
            ", cuts: {DRAM: {time: 0}, buffer: {time: 3}, registers: {time: all}}");
    struct sator_result *same = try_analyze(workload, arch, text, &roofline, &status);
    assert_int_equal(status, SATOR_OK);
    assert_true(same->total_cycles == r->total_cycles);
    assert_true(same->levels[1].cut_declared);
    expect_level(same, "buffer", "A", 64, 4096, 4096, 4096, 0);
    sator_result_free(same);
    sator_result_free(r);
    /* a cut inside it leaves the buffer no more than two dimensions */
    snprintf(text, sizeof text, flow, ", cuts: {registers: {time: 2}}");
    assert_null(try_analyze(workload, arch, text, &roofline, &status));
    assert_int_equal(status, SATOR_INPUT);
}

/* Four PEs of a tree add up Y[i]: each starts every Y[i] from zero, in L1 and so in the registers
 * too, which therefore never read a partial sum. */
static void test_sums_below_a_tree(void **state)
{
    struct sator_result *r = analyze("sizes: {i: 8, k: 4}\nop: \"Y[i] += A[i,k] * B[k]\"\n",
            "levels:\n"
            "  - {memory: L2}\n"
            "  - array: PE\n"
            "    shape: [4]\n"
            "    reduction: [{name: sum, map: \"PE[k] -> TREE[0]\"}]\n"
            "  - {memory: L1}\n"
            "  - {memory: RF}\n"
            "  - {compute: mac}\n",
            "{space: \"PE[k]\", time: \"T[i]\"}");

    (void)state;
    expect_level(r, "L2", "Y", 8, 0, 0, 0, 8);
    expect_level(r, "L1", "Y", 1, 0, 0, 0, 32);
    expect_level(r, "RF", "Y", 1, 0, 0, 0, 32);
    sator_result_free(r);
}

/* One of 64 PEs works: its registers move a word a cycle, and take 64 words of each tensor. */
static void test_busiest_instance(void **state)
{
    struct sator_result *r = analyze("sizes: {i: 64}\nop: \"Y[i] += A[i] * B[i]\"\n",
            "levels:\n"
            "  - {memory: DRAM}\n"
            "  - {array: PE, shape: [64]}\n"
            "  - {memory: registers, bandwidth_bits: 16}\n"
            "  - {compute: mac}\n",
            "{space: \"PE[0]\", time: \"T[i]\"}");

    (void)state;
    assert_true(r->compute_cycles == 64);
    assert_true(r->read_cycles == 128); /* A and B; every Y starts from zero */
    assert_true(r->write_cycles == 192); /* A and B arrive, Y is updated */
    assert_string_equal(r->bound_by, "registers writes");
    sator_result_free(r);
}

/* 13 rows on 4 PEs: the first PE has 4 of them, the others 3. */
static void test_busiest_of_ragged(void **state)
{
    struct sator_result *r = analyze("sizes: {i: 13, k: 5}\nop: \"Y[i] += A[i,k] * B[k]\"\n",
            "levels:\n"
            "  - {memory: DRAM}\n"
            "  - {array: PE, shape: [4]}\n"
            "  - {memory: registers, bandwidth_bits: {read: 32}}\n"
            "  - {compute: mac}\n",
            "{space: \"PE[i%4]\", time: \"T[i/4, k]\"}");

    (void)state;
    assert_string_equal(r->ports[2].name, "registers reads");
    assert_true(r->ports[2].bits == 56 * 16); /* 20 of A, 20 of B, 20 - 4 of Y */
    assert_true(r->read_cycles == 28);
    sator_result_free(r);
}

/* A port for Y, both ways; one that reads and writes of B share; A has the memory's own. */
static void test_ports(void **state)
{
    static const struct {
        const char *name;
        int bits;
        double cycles;
    } expected[] = {{"DRAM reads", 35 * 16, 8.75}, {"DRAM writes", 6 * 16, 1.5},
            {"L.sums reads", 0, 0}, /* sending a word up is charged where it arrives */
            {"L.sums writes", 6 * 16, 24}, {"L.b", 35 * 16, 280}, {"L reads", 30 * 16, 30},
            {"L writes", 30 * 16, 30}};
    struct sator_result *r = analyze("sizes: {i: 6, k: 5}\nop: \"Y[i] += A[i,k] * B[k]\"\n",
            "levels:\n"
            "  - {memory: DRAM, bandwidth_bits: 64}\n"
            "  - memory: L\n"
            "    bandwidth_bits: 16\n"
            "    ports:\n"
            "      - {name: sums, tensors: [Y], bandwidth_bits: {read: 8, write: 4}}\n"
            "      - {name: b, tensors: [B], direction: shared, bandwidth_bits: 2}\n"
            "  - {array: PE, shape: [1]}\n"
            "  - {memory: registers}\n"
            "  - {compute: mac}\n",
            "{space: \"PE[0]\", time: \"T[i, k]\"}");

    (void)state;
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
        assert_string_equal(r->ports[i].name, expected[i].name);
        assert_true(r->ports[i].bits == expected[i].bits);
        assert_true(r->ports[i].cycles == expected[i].cycles);
    }
    assert_string_equal(r->bound_by, "L.b");
    assert_true(r->total_cycles == 280);
    sator_result_free(r);
}

/* ---- networks, limits ---- */

/* TENET's own model: three PEs add one element, twice, and may have it from the PE before, one
 * stamp later; the registers (a memory too small for anything) take no part. */
static void test_the_papers_model(void **state)
{
    static const char adds[] = "{name: adds, sizes: {i: 2, j: 3}, op: \"Y[j] += A[]\"}";
    static const char flow[] = "{name: flow, space: \"PE[j]\", time: \"T[i]\"}";
    static const char row[] =
            "name: row\nlevels:\n"
            "  - {memory: scratchpad, bandwidth_bits: {read: 16, write: 8}, overlaps: false}\n"
            "  - array: PE\n    shape: [3]\n    links:\n"
            "      - {name: on, map: \"PE[j] -> PE[j+1]\", interval: 1}\n"
            "%s"
            "  - {memory: registers, capacity_words: 1, energy_pj: {read: 1, write: 1}}\n"
            "  - {compute: mac, energy_pj: 1}\n";
    static const double sweep[] = {64};
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_ROOFLINE,
            .model = SATOR_MODEL_TENET,
            .sweep_bandwidths = sweep,
            .n_sweep = 1};
    char arch[1000];
    enum sator_status status;

    (void)state;
    snprintf(arch, sizeof arch, row, "");
    struct sator_result *result = try_analyze(adds, arch, flow, &options, &status);
    assert_int_equal(status, SATOR_OK);
    assert_string_equal(result->model, "tenet");
    /* at i = 1 every PE has it, and PEs 1 and 2 could have it from the PE before */
    expect_volumes(result, "A", 6, 3, 2, 3, 1);
    expect_volumes(result, "Y", 6, 3, 0, 3, 3);
    assert_int_equal(tensor(result, "A")->reuse_volume, 3);
    assert_int_equal(tensor(result, "A")->links[0].spatial_reuse, 2);
    assert_true(result->compute_cycles == 2 && result->read_cycles == 3);
    assert_true(result->write_cycles == 6 && result->total_cycles == 6);
    assert_string_equal(result->bound_by, "scratchpad writes");
    assert_true(result->interconnect_bits_per_cycle == 16);
    assert_true(result->scratchpad_bits_per_cycle == 48);
    assert_true(result->sweep[0].total_cycles == 2);
    assert_string_equal(result->sweep[0].bound_by, "compute");
    assert_int_equal(result->n_levels, 0);
    assert_true(isnan(result->energy_pj) && isnan(result->edp));
    sator_result_free(result);

    /* wires all round, to themselves too: each excuses the others, and nobody fetches A */
    snprintf(arch, sizeof arch, row,
            "      - {name: wire, map: \"PE[j] -> PE[k] : -1 <= k - j <= 1\", interval: 0}\n");
    result = try_analyze(adds, arch, flow, &options, &status);
    assert_int_equal(status, SATOR_OK);
    expect_volumes(result, "A", 6, 3, 6, 0, 1);
    assert_true(isnan(tensor(result, "A")->reuse_factor));
    expect_volumes(result, "Y", 6, 3, 0, 3, 3);
    sator_result_free(result);
}

/* 3 x 12 + 1 x 6 instances. Without wires nothing but Y is reused: a 4 x 3 convolution has unique
 * volumes 12 + 12 + 4 and takes 3 cycles, a 2 x 3 one 6 + 6 + 2 and 3 cycles, half of the PEs idle:
 * (3 x 12 + 6) / (4 x 3 x 4) of the slots are used. */
static void test_network_totals(void **state)
{
    struct sator_network *network = network_of("name: net\n"
                                               "layers:\n"
                                               "  - {name: a, sizes: {i: 4, j: 3}, repeat: 3,"
                                               " op: \"Y[i] += A[i+j] * B[j]\"}\n"
                                               "  - {name: b, sizes: {i: 2, j: 3},"
                                               " op: \"Y[i] += A[i+j] * B[j]\"}\n");
    struct sator_arch *arch = arch_of("{name: four, levels: [{memory: scratchpad},"
                                      " {array: PE, shape: [4]}, {compute: mac, energy_pj: 2}]}");
    struct sator_dataflow *flow = dataflow_of(pe_is_output);
    struct sator_network_result *r = NULL;

    (void)state;
    assert_int_equal(sator_analyze_network(ctx, network, arch, flow, NULL, &r), SATOR_OK);
    assert_int_equal(r->instances, 42);
    assert_int_equal(r->unique_volume, 3 * 28 + 14);
    assert_true(r->total_cycles == 12);
    assert_true(r->utilization_average == 42 / 48.0);
    assert_true(isnan(r->energy_pj)); /* the scratchpad's figures are missing */
    sator_network_result_free(r);
    sator_dataflow_free(flow);
    sator_arch_free(arch);
    sator_network_free(network);
}

/* conv_1d without wires: of A and B 12 reads each, and 4 words of Y, pass between the array and L1,
 * which takes 6 + 3 words from L2 and hands up 4. Words have 16 bits. */
static void expect_ports(const char *l2, double read, double write, double total, const char *bound)
{
    char arch[512];

    snprintf(arch, sizeof arch,
            "{name: two, levels: [{memory: L2, bandwidth_bits: %s}, {memory: L1, bandwidth_bits: "
            "32}, {array: PE, shape: [4]}, {compute: mac}]}",
            l2);
    struct sator_result *r = analyze(conv_1d, arch, pe_is_output);
    assert_true(r->compute_cycles == 3);
    assert_true(r->read_cycles == read);
    assert_true(r->write_cycles == write);
    assert_true(r->total_cycles == total);
    assert_string_equal(r->bound_by, bound);
    sator_result_free(r);
}

/* The slowest port of each direction counts, whichever memory it is of and whatever the other
 * direction takes. */
static void test_slowest_of_several_ports(void **state)
{
    (void)state;
    expect_ports("16", 24 / 2.0, 13 / 2.0, 12, "L1 reads");
    expect_ports("4", 9 * 4, 4 * 4, 36, "L2 reads");
    expect_ports("{read: 64, write: 1}", 24 / 2.0, 4 * 16, 64, "L2 writes");
}

/* 3 x 12 + 6 instances at 2 pJ, and nothing else: a layer costs as often as it is repeated. */
static void test_network_energy(void **state)
{
    struct sator_network *network = network_of("name: net\n"
                                               "layers:\n"
                                               "  - {name: a, sizes: {i: 4, j: 3}, repeat: 3,"
                                               " op: \"Y[i] += A[i+j] * B[j]\"}\n"
                                               "  - {name: b, sizes: {i: 2, j: 3},"
                                               " op: \"Y[i] += A[i+j] * B[j]\"}\n");
    struct sator_arch *arch = arch_of("{name: bare, levels: [{array: PE, shape: [4]},"
                                      " {compute: mac, energy_pj: 2}]}");
    struct sator_dataflow *flow = dataflow_of(pe_is_output);
    struct sator_network_result *r = NULL;

    (void)state;
    assert_int_equal(sator_analyze_network(ctx, network, arch, flow, NULL, &r), SATOR_OK);
    assert_true(r->energy_pj == 2 * 42);
    sator_network_result_free(r);
    sator_dataflow_free(flow);
    sator_arch_free(arch);
    sator_network_free(network);
}

/* i runs from 3: the rounds of four PEs begin at multiples of 4, so 8 values are in rounds 0, 1 and
 * 2, and 10 in 0 to 3. */
static void test_plan_keeps_lower_bounds(void **state)
{
    struct sator_network *network = network_of("name: later\n"
                                               "domain: \"{ S[i] : 3 <= i < 11 }\"\n"
                                               "reads:\n  - \"{ S[i] -> A[i] }\"\n"
                                               "writes:\n  - \"{ S[i] -> Y[i] }\"\n");
    struct sator_arch *arch = arch_of("{name: bare, levels: [{array: PE, shape: [4]},"
                                      " {compute: mac}]}");
    struct sator_dataflow *flow = dataflow_of("{space: \"PE[i%4]\", time: \"T[i/4]\"}");
    struct sator_workspace *workspace = sator_workspace_new();
    const struct sator_result *r = NULL;
    struct sator_plan *plan = NULL;

    (void)state;
    assert_int_equal(sator_plan_new(ctx, network, 0, arch, flow, NULL, &plan), SATOR_OK);
    assert_int_equal(sator_plan_loop_extent(plan, 0), 8);
    assert_int_equal(sator_plan_evaluate(ctx, plan, workspace, (const int64_t[]){8}, &r), SATOR_OK);
    assert_int_equal(r->instances, 8);
    assert_int_equal(r->time_stamps, 3);
    assert_int_equal(
            sator_plan_evaluate(ctx, plan, workspace, (const int64_t[]){10}, &r), SATOR_OK);
    assert_int_equal(r->instances, 10);
    assert_int_equal(r->time_stamps, 4);
    sator_plan_free(plan);
    sator_workspace_free(workspace);
    sator_dataflow_free(flow);
    sator_arch_free(arch);
    sator_network_free(network);
}

/* 2^126 instances on one PE, each with an own A and B: either count of reads fits, both together,
 * 2^127, do not. */
static void test_sum_over_tensors_does_not_fit(void **state)
{
    enum sator_status status;

    (void)state;
    assert_null(try_analyze("name: huge\n"
                            "sizes: {i: 1099511627776, j: 1099511627776, k: 1099511627776, l: 64}\n"
                            "op: \"Y[i,j] += A[i,k,l] * B[k,j,l]\"\n",
            "{name: one, levels: [{memory: scratchpad}, {array: PE, shape: [1]},"
            " {memory: registers}, {compute: mac}]}",
            "{space: \"PE[0]\", time: \"T[i,j,k,l]\"}", NULL, &status));
    assert_int_equal(status, SATOR_OVERFLOW);
    expect_messages("sator: error: the words of all tensors together at level 'scratchpad' do not "
                    "fit into 128 bits\n");
}

/* The same instances at a billion cycles each leak for more cycles than can be counted. */
static void test_leaking_cycles_do_not_fit(void **state)
{
    enum sator_status status;

    (void)state;
    assert_null(try_analyze("name: huge\n"
                            "sizes: {i: 1099511627776, j: 1099511627776, k: 1099511627776, l: 64}\n"
                            "op: \"Y[i,j] += A[i,k,l]\"\n",
            "{name: one, levels: [{array: PE, shape: [1]},"
            " {compute: mac, cycles: 1000000000, leakage_pj: 1}]}",
            "{space: \"PE[0]\", time: \"T[i,j,k,l]\"}", NULL, &status));
    assert_int_equal(status, SATOR_OVERFLOW);
    expect_messages("sator: error: the cycles in which 'mac' leaks do not fit into 128 bits\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_bound_by_reading, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_no_overlap, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_interval_two, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_wires_both_ways, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_bus_families, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_several_reads_are_one_tensor, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_tree_and_partial_sums, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_buses_and_word_widths, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_cuts, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_bypass, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_derived_cuts, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_sums_below_a_tree, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_busiest_instance, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_busiest_of_ragged, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_ports, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_capacities, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_the_papers_model, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_network_totals, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_network_energy, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_slowest_of_several_ports, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_plan_keeps_lower_bounds, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_sum_over_tensors_does_not_fit, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_leaking_cycles_do_not_fit, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
