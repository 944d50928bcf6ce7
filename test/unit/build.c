/* Inputs built by calls are those of the notation, and what is wrong with them is said. */
#include "sator/build.h"
#include "sator/input.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = sator_ctx_new();
    return 0;
}

static int tear_down(void **state)
{
    sator_ctx_free(*state);
    return 0;
}

static void expect_messages(struct sator_ctx *ctx, const char *part)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    if (messages == NULL || strstr(messages, part) == NULL)
        fail_msg("no '%s' in: %s", part, messages == NULL ? "(nothing)" : messages);
    free(messages);
}

/* A strided convolution in one dimension: Y[k, x] += A[2x + r] * B[k, r]. */
static struct sator_builder *conv1d(struct sator_ctx *ctx)
{
    static const int64_t a[] = {0, 2, 1, 0}, b[] = {1, 0, 0, 0, /**/ 0, 0, 1, 0},
                         y[] = {1, 0, 0, 0, /**/ 0, 1, 0, 0};
    struct sator_builder *builder = sator_workload_begin(ctx, "conv");

    sator_workload_loop(builder, "k", 8);
    sator_workload_loop(builder, "x", 10);
    sator_workload_loop(builder, "r", 3);
    sator_workload_access(builder, SATOR_READ, "A", 1, a);
    sator_workload_access(builder, SATOR_READ, "B", 2, b);
    sator_workload_access(builder, SATOR_WRITE, "Y", 2, y);
    sator_workload_word_bits(builder, "Y", 32);
    sator_workload_density(builder, "A", 0.25);
    sator_workload_density(builder, "B", 0.5);
    return builder;
}

static const char conv_text[] = "name: conv\nsizes: {k: 8, x: 10, r: 3}\n"
                                "op: \"Y[k,x] += A[2*x+r] * B[k,r]\"\nword_bits: {Y: 32}\n"
                                "density: {A: 0.25, B: 0.5}\n";

static void equal_texts(
        struct sator_ctx *ctx, const struct sator_network *a, const struct sator_network *b)
{
    char *x, *y;

    assert_int_equal(sator_network_text(ctx, a, &x), SATOR_OK);
    assert_int_equal(sator_network_text(ctx, b, &y), SATOR_OK);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void workloads(void **state)
{
    static const int64_t inside[] = {0, -1, 0, 4}; /* x <= 4 */
    struct sator_ctx *ctx = *state;
    struct sator_network *built, *read;
    struct sator_input_options five = {.sets = (const char *const[]){"sizes.x=5"}, .n_sets = 1};

    assert_int_equal(sator_workload_end(conv1d(ctx), &built), SATOR_OK);
    assert_int_equal(sator_network_parse(ctx, "conv.yaml", conv_text, NULL, &read), SATOR_OK);
    equal_texts(ctx, built, read);
    sator_network_free(built);
    sator_network_free(read);
    /* a condition that leaves a box */
    struct sator_builder *b = conv1d(ctx);
    sator_workload_condition(b, inside);
    assert_int_equal(sator_workload_end(b, &built), SATOR_OK);
    assert_int_equal(sator_network_parse(ctx, "conv.yaml", conv_text, &five, &read), SATOR_OK);
    equal_texts(ctx, built, read);
    sator_network_free(built);
    sator_network_free(read);
}

static void networks(void **state)
{
    struct sator_ctx *ctx = *state;
    struct sator_network *conv, *built, *read;

    assert_int_equal(sator_workload_end(conv1d(ctx), &conv), SATOR_OK);
    struct sator_builder *b = sator_network_begin(ctx, "two");
    sator_network_layer(b, "first", conv, 0, 1);
    sator_network_layer(b, "second", conv, 0, 3);
    assert_int_equal(sator_network_end(b, &built), SATOR_OK);
    sator_network_free(conv);
    assert_int_equal(
            sator_network_parse(ctx, "two.yaml",
                    "{name: two, layers: [{name: first, sizes: {k: 8, x: 10, r: 3}, op: "
                    "'Y[k,x] += A[2*x+r] * B[k,r]', word_bits: {Y: 32}, density: {A: 0.25, B: "
                    "0.5}}, {name: second, repeat: 3, sizes: {k: 8, x: 10, r: 3}, op: "
                    "'Y[k,x] += A[2*x+r] * B[k,r]', word_bits: {Y: 32}, density: {A: 0.25, B: "
                    "0.5}}]}",
                    NULL, &read),
            SATOR_OK);
    equal_texts(ctx, built, read);
    sator_network_free(built);
    sator_network_free(read);
}

static void architectures(void **state)
{
    static const int64_t shape[] = {4, 8}, east[] = {0, 1};
    struct sator_memory_fields l1 = {.size = sizeof l1,
            .capacity_bytes = 4096,
            .read_bits = 64,
            .write_bits = 32,
            .read_pj = 2,
            .write_pj = 3.5,
            .double_buffered = true};
    static const char *const zeros[] = {"A", "B"};
    struct sator_ctx *ctx = *state;
    struct sator_arch *built, *read;
    char *x, *y;

    struct sator_builder *b = sator_arch_begin(ctx, "mine");
    sator_arch_memory(b, "DRAM", NULL);
    sator_arch_memory(b, "L1", &l1);
    sator_arch_gate(b, "A", 1, zeros);
    sator_arch_gate(b, "B", 1, zeros + 1);
    sator_arch_array(b, "PE", 2, shape);
    sator_arch_link(b, "right", east, 1, 0.25);
    sator_arch_memory(b, "registers", NULL);
    sator_arch_hold_idle(b);
    sator_arch_compute(b, "mac", 1.5, 2);
    sator_arch_gate(b, NULL, 1, zeros);
    sator_arch_skip(b, 2, zeros);
    sator_build_set(b, "levels.L1.area_um2", "1000");
    assert_int_equal(sator_arch_end(b, &built), SATOR_OK);
    assert_int_equal(
            sator_arch_parse(ctx, "mine.yaml",
                    "name: mine\nlevels:\n  - memory: DRAM\n  - {memory: L1, capacity_bytes: 4096, "
                    "bandwidth_bits: {read: 64, write: 32}, energy_pj: {read: 2, write: 3.5}, "
                    "double_buffered: true, area_um2: 1000, gating: {A: [A], B: [B]}}\n  - "
                    "{array: PE, shape: [4, 8], links: "
                    "[{name: right, map: 'PE[p0,p1] -> PE[p0,p1+1]', energy_pj: 0.25}]}\n"
                    "  - {memory: registers, holds: idle}\n"
                    "  - {compute: mac, energy_pj: 1.5, cycles: 2, gating: [A], skipping: [A, "
                    "B]}\n",
                    NULL, &read),
            SATOR_OK);
    assert_int_equal(sator_arch_text(ctx, built, &x), SATOR_OK);
    assert_int_equal(sator_arch_text(ctx, read, &y), SATOR_OK);
    assert_string_equal(x, y);
    free(x);
    free(y);
    sator_arch_free(built);
    sator_arch_free(read);
}

static void dataflows(void **state)
{
    struct sator_ctx *ctx = *state;
    struct sator_dataflow *built;
    char *text;

    struct sator_builder *b = sator_dataflow_begin(ctx, "nest");
    sator_dataflow_level(b, "DRAM");
    sator_dataflow_tile(b, "k", 2);
    sator_dataflow_bypass(b, "A");
    sator_dataflow_level(b, "PE");
    sator_dataflow_parallel(b, "x", 4, 1);
    assert_int_equal(sator_dataflow_end(b, &built), SATOR_OK);
    assert_int_equal(sator_dataflow_text(ctx, built, &text), SATOR_OK);
    assert_non_null(strstr(text, "k 2"));
    assert_non_null(strstr(text, "x 4 -> 1"));
    assert_non_null(strstr(text, "bypass"));
    free(text);
    sator_dataflow_free(built);
}

/* A stamp has 64 dimensions; one more is refused, with the number of the last that there is. */
static void most_dimensions(void **state)
{
    struct sator_ctx *ctx = *state;
    struct sator_dataflow *built;

    for (int dim = 63; dim <= 64; dim++) {
        struct sator_builder *b = sator_dataflow_begin(ctx, "long");
        sator_dataflow_digit(b, SATOR_SPACE_STAMP, 0, 1, "i", 1, 0);
        sator_dataflow_digit(b, SATOR_TIME_STAMP, dim, 1, "k", 1, 0);
        assert_int_equal(sator_dataflow_end(b, &built), dim < 64 ? SATOR_OK : SATOR_USAGE);
        if (dim < 64)
            sator_dataflow_free(built);
    }
    expect_messages(ctx, "dimension 64, by 1 modulo 0: stamps are 0 and 1, dimensions 0 to 63");
}

/* Everything that can go wrong on the way is said at the end; nothing leaks. */
static void wrong_calls(void **state)
{
    static const int64_t row[] = {1, 0}, shape[] = {0}, one[] = {1};
    struct sator_ctx *ctx = *state;
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;

    struct sator_builder *b = sator_workload_begin(ctx, NULL);
    assert_int_equal(sator_workload_end(b, &network), SATOR_USAGE);
    expect_messages(ctx, "the name of the workload is NULL");
    b = sator_workload_begin(ctx, "dense");
    sator_workload_density(b, "A", 1.5);
    assert_int_equal(sator_workload_end(b, &network), SATOR_USAGE);
    expect_messages(ctx, "the density of 'A' is 1.5");
    b = sator_arch_begin(ctx, "gated");
    sator_arch_array(b, "PE", 1, one);
    sator_arch_gate(b, "A", 1, (const char *const[]){"A"});
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "comes after the memory that it is of");
    b = sator_arch_begin(ctx, "skips");
    sator_arch_memory(b, "DRAM", NULL);
    sator_arch_skip(b, 1, (const char *const[]){"A"});
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "what is skipped comes after the compute level that it is of");
    b = sator_arch_begin(ctx, "holds");
    sator_arch_hold_idle(b);
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "what idles and holds comes after the memory that it is of");
    b = sator_workload_begin(ctx, "late");
    sator_workload_loop(b, "i", 4);
    sator_workload_access(b, SATOR_WRITE, "Y", 1, row);
    sator_workload_loop(b, "j", 4);
    assert_int_equal(sator_workload_end(b, &network), SATOR_USAGE);
    expect_messages(ctx, "loop 'j' comes after an access");
    b = sator_workload_begin(ctx, "empty");
    sator_workload_loop(b, "i", 0);
    sator_workload_access(b, SATOR_READ, "A", 1, row);
    sator_workload_access(b, SATOR_WRITE, "Y", 1, row);
    assert_int_equal(sator_workload_end(b, &network), SATOR_INPUT);
    expect_messages(ctx, "<workload empty>:2:");
    b = sator_workload_begin(ctx, "odd \"name\"\n");
    sator_workload_loop(b, "a b", 4);
    sator_workload_access(b, SATOR_READ, "A", 1, row);
    sator_workload_access(b, SATOR_WRITE, "Y]", 1, row);
    assert_int_equal(sator_workload_end(b, &network), SATOR_INPUT);
    expect_messages(ctx, "error");
    b = sator_arch_begin(ctx, "kinds");
    sator_workload_loop(b, "i", 4);
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "sator_workload_loop is called for a builder of an architecture");
    b = sator_arch_begin(ctx, "figures");
    sator_arch_memory(b, "L1", &(struct sator_memory_fields){.read_bits = NAN});
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "read is nan");
    b = sator_arch_begin(ctx, "negative");
    sator_arch_memory(b, "L1", &(struct sator_memory_fields){.leakage_pj = -1});
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "leakage_pj is -1");
    b = sator_arch_begin(ctx, "wire");
    sator_arch_link(b, "east", one, 1, 0);
    assert_int_equal(sator_arch_end(b, &arch), SATOR_USAGE);
    expect_messages(ctx, "'east' comes before an array");
    b = sator_arch_begin(ctx, "shape");
    sator_arch_array(b, "PE", 1, shape);
    sator_arch_compute(b, "mac", 0, 0);
    assert_int_equal(sator_arch_end(b, &arch), SATOR_INPUT);
    expect_messages(ctx, "shape");
    b = sator_dataflow_begin(ctx, "digit");
    sator_dataflow_digit(b, SATOR_TIME_STAMP, 0, 1, "i", 0, 4);
    assert_int_equal(sator_dataflow_end(b, &dataflow), SATOR_USAGE);
    expect_messages(ctx, "a divisor is above 0");
    b = sator_dataflow_begin(ctx, "early");
    sator_dataflow_tile(b, "i", 4);
    assert_int_equal(sator_dataflow_end(b, &dataflow), SATOR_USAGE);
    expect_messages(ctx, "comes before a level");
    b = sator_network_begin(ctx, "none");
    assert_int_equal(sator_network_end(b, &network), SATOR_USAGE);
    expect_messages(ctx, "has no layers");
    assert_int_equal(sator_network_end(NULL, &network), SATOR_USAGE);
    sator_builder_free(sator_dataflow_begin(ctx, "given up"));
    assert_null(sator_arch_begin(NULL, "no context"));
    assert_null(network);
    assert_null(arch);
    assert_null(dataflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(workloads, set_up, tear_down),
            cmocka_unit_test_setup_teardown(networks, set_up, tear_down),
            cmocka_unit_test_setup_teardown(architectures, set_up, tear_down),
            cmocka_unit_test_setup_teardown(dataflows, set_up, tear_down),
            cmocka_unit_test_setup_teardown(most_dimensions, set_up, tear_down),
            cmocka_unit_test_setup_teardown(wrong_calls, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
