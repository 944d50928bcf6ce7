/* Specs, the library, settings across inputs, check and show, networks. */
#define _GNU_SOURCE 1 /* mkdtemp */
#include "unit/inputs.h"

#include <stdio.h>
#include <unistd.h>

#include "sator/analyze.h"
#include "sator/input.h"

/* ---- files ---- */

static char directory[64];

static int set_up_directory(void **state)
{
    strcpy(directory, "/tmp/sator-input-XXXXXX");
    assert_non_null(mkdtemp(directory));
    return set_up(state);
}

static int tear_down_directory(void **state)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
    return tear_down(state);
}

/* The path of a new file; good until the next but three. */
static const char *file(const char *name, const char *text)
{
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return path;
}

static struct sator_network *load(const char *spec, const char *set)
{
    struct sator_network *network = NULL;
    struct sator_input_options options = {.sets = &set, .n_sets = set != NULL};

    if (sator_network_load(ctx, spec, &options, &network) != SATOR_OK)
        assert_null(network);
    return network;
}

/* ---- specs ---- */

static void test_library_entry(void **state)
{
    (void)state;
    struct sator_network *network = load("gemm", NULL);

    assert_non_null(network);
    assert_string_equal(sator_network_name(network), "gemm");
    assert_int_equal(sator_network_layer_count(network), 1);
    assert_string_equal(sator_network_layer_name(network, 0), "gemm");
    assert_null(sator_network_layer_name(network, 1));
    assert_null(sator_network_layer_name(network, -1));
    sator_network_free(network);
    network = load("gemm:i=7,k=9", NULL);
    assert_non_null(network);
    assert_int_equal(network->layers[0].upper[0], 7);
    assert_int_equal(network->layers[0].upper[2], 9);
    sator_network_free(network);
    /* a size of the spec is not given again by a setting */
    assert_null(load("gemm:i=7", "sizes.i=8"));
    expect_messages("sets:1:1: error: this size is given by 'gemm:i=7', too\n"
                    "    sizes.i=8\n"
                    "    ^^^^^^^^^\n");
}

static void test_file_spec(void **state)
{
    (void)state;
    const char *path = file("mine.yaml", "sizes: {i: 4}\nop: \"Y[i] += A[i]\"\n");
    char spec[200];
    struct sator_network *network = load(path, NULL);

    assert_non_null(network);
    assert_string_equal(sator_network_name(network), "mine");
    sator_network_free(network);
    snprintf(spec, sizeof spec, "%s:i=12", path);
    network = load(spec, NULL);
    assert_non_null(network);
    assert_int_equal(network->layers[0].upper[0], 12);
    sator_network_free(network);
}

/* A domain in isl notation has no sizes. */
static void test_no_sizes(void **state)
{
    (void)state;
    const char *path = file("isl.yaml",
            "domain: \"{ S[i] : 0 <= i < 4 }\"\n"
            "reads: \"{ S[i] -> A[i] }\"\nwrites: \"{ S[i] -> Y[i] }\"\n");
    char spec[200];

    snprintf(spec, sizeof spec, "%s:i=12", path);
    assert_null(load(spec, NULL));
    char *messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(strstr(messages, "error: the workload has no sizes to set\n"));
    free(messages);
}

static void test_other_formats(void **state)
{
    (void)state;
    const char *statement = file("mm.s",
            "2 1\n{S[i,j,k] : 0 <= i,j,k < 4}\n"
            "{S[i,j,k] -> A[i,k]}\n{S[i,j,k] -> B[k,j]}\n"
            "{S[i,j,k] -> Y[i,j]}\n");
    struct sator_network *network = load(statement, "sizes.k=6");

    say_messages();
    assert_non_null(network);
    assert_int_equal(network->layers[0].upper[2], 6);
    assert_int_equal(network->layers[0].upper[0], 4);
    sator_network_free(network);
    const char *array = file("pe.p", "{PE[i] : 0 <= i < 4}\n{PE[i] -> PE[i+1]}\n1 1 64 1\n");
    const char *set = "levels.PE.shape=[9]";
    struct sator_input_options options = {.sets = &set, .n_sets = 1};
    struct sator_arch *arch = NULL;
    assert_int_equal(sator_arch_load(ctx, array, &options, &arch), SATOR_OK);
    int64_t shape;
    sator_arch_shape(arch, &shape);
    assert_int_equal(shape, 9);
    sator_arch_free(arch);
}

struct bad_spec {
    const char *spec, *set, *messages;
};

static void test_bad_specs(void **state)
{
    (void)state;
    static const struct bad_spec table[] = {
            {"gem", NULL,
                    "sator: error: 'gem' is neither a file nor the name of a workload or network\n"
                    "help: did you mean 'gemm'?\n"},
            {"tpu-8x8", NULL,
                    "sator: error: 'tpu-8x8' is neither a file nor the name of a workload or "
                    "network\nhelp: 'sator list' prints the library's names\n"},
            {"nowhere/x.yaml", NULL,
                    "nowhere/x.yaml: error: cannot read the file: No such file or directory\n"},
            {"/", NULL, "/: error: cannot read the file: Is a directory\n"},
            {"gemm:m=4", NULL,
                    "argument:1:6: error: there is no loop 'm'\n    gemm:m=4\n         ^\n"
                    "help: known names: i, j, k\n"},
            {"gemm:i=0", NULL,
                    "argument:1:8: error: the size of 'i' is 0: it must be between 1 and "
                    "1099511627776\n    gemm:i=0\n           ^\n"},
            {"gemm:i=4,j", NULL,
                    "argument:1:11: error: '=' and a value are missing\n    gemm:i=4,j\n"
                    "              ^\n"},
            {"gemm", "size.k=4",
                    "sets:1:1: error: no kind of input has a key 'size'\n    size.k=4\n    ^^^^\n"
                    "help: did you mean 'sizes'?\n"},
            {"resnet18", "sizes.zz=4",
                    "sets:1:1: error: no layer of 'resnet18' has this size\n    sizes.zz=4\n"
                    "    ^^^^^^^^\n"
                    "help: 'sizes.k=64' sets loop k of every layer that has it, "
                    "'layers.LAYER.sizes.k=64' that of one\n"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sator_network *network = load(table[i].spec, table[i].set);
        if (network != NULL)
            fail_msg("%s is taken", table[i].spec);
        expect_messages(table[i].messages);
    }
}

static void test_paper_names(void **state)
{
    (void)state;
    struct sator_dataflow *dataflow = NULL;

    assert_int_equal(sator_dataflow_load(ctx, "(IJ-P|J,IJK-T)", NULL, &dataflow), SATOR_OK);
    assert_string_equal(sator_dataflow_name(dataflow), "(IJ-P | J,IJK-T)");
    sator_dataflow_free(dataflow);
    dataflow = NULL;
    assert_int_equal(sator_dataflow_load(ctx, "(IJ-P | J,IJL-T)", NULL, &dataflow), SATOR_INPUT);
    assert_null(dataflow);
    expect_messages("sator: error: several entries of the library are called '(IJ-P | J,IJL-T)'\n"
                    "help: name one of them: 'mmc/ij-p_j-ijl-t' or 'mttkrp/ij-p_j-ijl-t'\n");
}

static void test_list(void **state)
{
    (void)state;
    static const char *const kinds[] = {"workloads", "networks", "archs", "dataflows"};

    for (int kind = 0; kind < 4; kind++) {
        int count = sator_library_count(kinds[kind]);
        assert_true(count > 5);
        for (int i = 0; i < count; i++) {
            assert_true(strlen(sator_library_name(kinds[kind], i)) > 0);
            assert_true(strlen(sator_library_summary(kinds[kind], i)) > 0);
            if (i > 0)
                assert_true(strcmp(sator_library_name(kinds[kind], i - 1),
                                    sator_library_name(kinds[kind], i)) < 0);
        }
        assert_null(sator_library_name(kinds[kind], count));
        assert_null(sator_library_name(kinds[kind], -1));
    }
    assert_int_equal(sator_library_count("spoons"), 0);
}

/* ---- networks that name workloads ---- */

static void test_named_workloads(void **state)
{
    (void)state;
    file("part.yaml", "sizes: {i: 4, j: 5}\nop: \"Y[i] += A[j]\"\nword_bits: {A: 8}\n");
    const char *path = file("net.yaml",
            "layers:\n"
            "  - part.yaml\n"
            "  - {name: small, workload: part.yaml, sizes: {j: 2}, word_bits: {Y: 32}, repeat: 3}\n"
            "  - {name: product, workload: gemm, sizes: {k: 3}}\n");
    struct sator_network *network = load(path, NULL);

    say_messages();
    assert_non_null(network);
    assert_int_equal(network->n_layers, 3);
    assert_int_equal(network->layers[0].upper[1], 5);
    assert_string_equal(network->layers[1].name, "small");
    assert_int_equal(network->layers[1].upper[0], 4);
    assert_int_equal(network->layers[1].upper[1], 2);
    assert_int_equal(network->layers[1].accesses[0].word_bits, 8);
    assert_int_equal(network->layers[1].accesses[1].word_bits, 32);
    assert_int_equal(network->layers[1].repeat, 3);
    assert_int_equal(network->layers[2].upper[2], 3);
    sator_network_free(network);
}

/* ---- check and show ---- */

static void test_check(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *kind;
    } table[] = {
            {"a.yaml", "sizes: {i: 4}\nop: \"Y[i] += A[i]\"\n", "workload"},
            {"b.yaml", "layers: [gemm]\n", "network"},
            {"c.yaml", "levels: [{array: PE, shape: 4}, {compute: mac}]\n", "architecture"},
            {"d.yaml", "space: i\ntime: j\n", "dataflow"},
            {"e.m", "{S[i,j] -> PE[i]}\n{S[i,j] -> T[j]}\n", "dataflow"},
            {"f.p", "{PE[i] : 0 <= i < 4}\n{PE[i] -> PE[i+1]}\n1 1 64 1\n", "architecture"},
            {"g.s", "1 1\n{S[i,j] : 0 <= i,j < 4}\n{S[i,j] -> A[i]}\n{S[i,j] -> Y[j]}\n",
                    "workload"},
            {"experiment", "e.m\nf.p\ng.s\n", "experiment"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *kind = NULL;
        const char *path = file(table[i].name, table[i].text);
        enum sator_status st = sator_check_file(ctx, path, NULL, &kind);
        say_messages();
        assert_int_equal(st, SATOR_OK);
        assert_string_equal(kind, table[i].kind);
    }
}

/* All three files of an experiment are looked at. */
static void test_check_experiment(void **state)
{
    (void)state;
    const char *kind = NULL;

    file("e.m", "{S[i,j] -> PE[i}\n{S[i,j] -> T[j]}\n");
    file("f.p", "{PE[i] : 0 <= i < 4}\n{PE[i] -> PE[i+1]\n1 1 64 1\n");
    file("g.s", "1 1\n{S[i,j] : 0 <= i,j < 4}\n{S[i,j] -> A[i]}\n{S[i,j] - Y[j]}\n");
    const char *path = file("experiment", "e.m\nf.p\ng.s\n");
    assert_int_equal(sator_check_file(ctx, path, NULL, &kind), SATOR_INPUT);
    assert_string_equal(kind, "experiment"); /* wrong, but that is what it is */
    char *messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(strstr(messages, "/e.m:1:"));
    assert_non_null(strstr(messages, "/f.p:2:"));
    assert_non_null(strstr(messages, "/g.s:4:"));
    free(messages);
}

/* A sweep lists many experiments; one that names itself must end all the same. */
static void test_sweep(void **state)
{
    (void)state;
    const char *kind = NULL;
    char *text = NULL;
    char expected[512];

    file("e.m", "{S[i,j] -> PE[i]}\n{S[i,j] -> T[j]}\n");
    file("f.p", "{PE[i] : 0 <= i < 4}\n{PE[i] -> PE[i+1]}\n1 1 64 1\n");
    file("g.s", "1 1\n{S[i,j] : 0 <= i,j < 4}\n{S[i,j] -> A[i]}\n{S[i,j] -> Y[j]}\n");
    file("arrays", "2\nf.p f.p\n");
    const char *path = file("sweep", "g.s 1\n1 arrays e.m\n");
    enum sator_status st = sator_check_file(ctx, path, NULL, &kind);
    say_messages();
    assert_int_equal(st, SATOR_OK);
    assert_string_equal(kind, "experiment");
    assert_int_equal(sator_show(ctx, path, NULL, &text), SATOR_OK);
    snprintf(expected, sizeof expected, "%s/e.m %s/f.p %s/g.s\n%s/e.m %s/f.p %s/g.s\n", directory,
            directory, directory, directory, directory, directory);
    assert_string_equal(text, expected);
    free(text);
    assert_null(load(path, NULL));
    char *messages = sator_ctx_take_messages(ctx, false);
    assert_non_null(strstr(messages, "one experiment is expected"));
    free(messages);
    file("self_arrays", "1\nself\n");
    path = file("self", "self 1\n1 self_arrays self\n");
    assert_int_equal(sator_check_file(ctx, path, NULL, &kind), SATOR_INPUT);
    free(sator_ctx_take_messages(ctx, false));
}

static void test_show(void **state)
{
    (void)state;
    char *text = NULL;

    assert_int_equal(sator_show(ctx, "dataflows/nosuch", NULL, &text), SATOR_INPUT);
    assert_null(text);
    free(sator_ctx_take_messages(ctx, false));
    assert_int_equal(sator_show(ctx, "gemm", NULL, &text), SATOR_OK);
    assert_non_null(strstr(text, "source:")); /* the entry as it is */
    free(text);
    assert_int_equal(sator_show(ctx, "gemm:i=2,j=3", NULL, &text), SATOR_OK);
    assert_string_equal(text,
            "name: gemm\nsizes: {i: 2, j: 3, k: 256}\n"
            "op: \"Y[i, j] += A[i, k] * B[k, j]\"\n"
            "word_bits: {A: 16, B: 16, Y: 16}\n");
    free(text);
    const char *path = file("e.m", "{S[i,j] -> PE[i]}\n{S[i,j] -> T[j]}\n");
    assert_int_equal(sator_show(ctx, path, NULL, &text), SATOR_OK);
    assert_string_equal(text,
            "name: e\nspace: \"{ S[i, j] -> PE[i] }\"\n"
            "time: \"{ S[i, j] -> T[j] }\"\n");
    free(text);
}

/* ---- networks, analysed ---- */

static void test_analyze_network(void **state)
{
    (void)state;
    const char *net = file("net.yaml",
            "layers:\n"
            "  - {name: a, workload: gemm, sizes: {i: 4, j: 4, k: 5}}\n"
            "  - {name: b, workload: gemm, sizes: {i: 4, j: 4, k: 7}}\n"
            "  - {name: c, workload: gemm, sizes: {i: 4, j: 4, k: 5}, "
            "repeat: 10}\n");
    struct sator_network *network = load(net, NULL);
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_network_result *result = NULL;

    assert_non_null(network);
    assert_int_equal(sator_arch_load(ctx, "systolic-2d-8x8", NULL, &arch), SATOR_OK);
    assert_int_equal(sator_dataflow_from_text(ctx, "d", "i, j", "i + j + k", &dataflow), SATOR_OK);
    enum sator_status st = sator_analyze_network(ctx, network, arch, dataflow, NULL, &result);
    say_messages();
    assert_int_equal(st, SATOR_OK);
    assert_int_equal(result->n_layers, 3);
    assert_int_equal(result->layers[0].same_as, 0);
    assert_int_equal(result->layers[1].same_as, 1);
    assert_int_equal(result->layers[2].same_as, 0); /* equal but for name and repeat */
    assert_ptr_equal(result->layers[2].result, result->layers[0].result);
    assert_int_equal(result->layers[2].repeat, 10);
    /* 4 x 4 x 5 instances eleven times, 4 x 4 x 7 once */
    assert_true(result->instances == 11 * 80 + 112);
    /* stamps are the instances; i + j + k takes 11 and 13 values; 64 PEs */
    double expected = (11 * 80 + 112) / ((11 * 11 + 13) * 64.0);
    assert_true(result->utilization_average == expected);
    /* every operand is read once, every result leaves once */
    assert_true(result->unique_volume == 11 * (20 + 20 + 16) + (28 + 28 + 16));
    double cycles = 10 * result->layers[0].result->total_cycles;
    cycles += result->layers[0].result->total_cycles + result->layers[1].result->total_cycles;
    assert_true(result->total_cycles > cycles - 1e-6 && result->total_cycles < cycles + 1e-6);
    sator_network_result_free(result);
    sator_network_free(network);
    sator_arch_free(arch);
    sator_dataflow_free(dataflow);
}

static void test_analyze_refused(void **state)
{
    (void)state;
    struct sator_network *network = load("gemm", NULL);
    struct sator_arch *arch = NULL;
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;

    assert_int_equal(sator_arch_load(ctx, "systolic-2d-8x8", NULL, &arch), SATOR_OK);
    assert_int_equal(sator_dataflow_from_text(ctx, "d", "i%8, q%8", "k", &dataflow), SATOR_OK);
    assert_int_equal(sator_analyze(ctx, network, 0, arch, dataflow, NULL, &result), SATOR_INPUT);
    assert_null(result);
    expect_messages("space:1:6: error: unknown name 'q' in an expression\n    i%8, q%8\n"
                    "         ^\nhelp: known names: i, j, k\n");
    assert_int_equal(sator_analyze(ctx, network, 1, arch, dataflow, NULL, &result), SATOR_USAGE);
    assert_null(result);
    sator_network_free(network);
    sator_arch_free(arch);
    sator_dataflow_free(dataflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_library_entry, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_file_spec, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(test_no_sizes, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(
                    test_other_formats, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(test_bad_specs, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_paper_names, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_list, set_up, tear_down),
            cmocka_unit_test_setup_teardown(
                    test_named_workloads, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(test_check, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(
                    test_check_experiment, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(test_sweep, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(test_show, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(
                    test_analyze_network, set_up_directory, tear_down_directory),
            cmocka_unit_test_setup_teardown(test_analyze_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
