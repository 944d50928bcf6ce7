/* Workloads and networks from YAML: both forms, word widths, settings, and what is refused. */
#include "unit/inputs.h"

#include "sator/input.h"

static const char gemm[] = "sizes: {i: 4, j: 5, k: 6}\n"
                           "op: \"Y[i,j] += A[i,k] * B[k,j]\"\n";

static void test_einsum(void **state)
{
    (void)state;
    struct sator_network *network = network_of(gemm);
    const struct sator_workload *w = &network->layers[0];

    assert_int_equal(network->n_layers, 1);
    assert_string_equal(network->name, "text");
    assert_string_equal(w->name, "text");
    assert_int_equal(w->n_loops, 3);
    assert_string_equal(w->loop_names[0], "i");
    assert_string_equal(w->loop_names[2], "k");
    assert_true(w->is_box);
    assert_int_equal(w->lower[1], 0);
    assert_int_equal(w->upper[1], 5);
    assert_int_equal(w->repeat, 1);
    assert_int_equal(w->n_accesses, 3);
    assert_string_equal(w->accesses[0].tensor, "A");
    assert_string_equal(w->accesses[1].tensor, "B");
    assert_string_equal(w->accesses[2].tensor, "Y");
    assert_int_equal(w->accesses[0].role, SATOR_READ);
    assert_int_equal(w->accesses[2].role, SATOR_WRITE);
    assert_int_equal(w->accesses[2].word_bits, 16);
    expect_relation(w->accesses[1].relation, "{ S[i, j, k] -> B[k, j] }");
    sator_network_free(network);
}

/* The order of the loops is that of "sizes"; indices may be any affine expression, below zero too.
 */
static void test_indices(void **state)
{
    (void)state;
    struct sator_network *network = network_of("sizes: {ox: 7, r: 3}\n"
                                               "op: Y[ox] += A[2*ox + r - 1] * B[-r]\n");
    const struct sator_workload *w = &network->layers[0];

    expect_relation(w->accesses[0].relation, "{ S[ox, r] -> A[2*ox + r - 1] }");
    expect_relation(w->accesses[1].relation, "{ S[ox, r] -> B[-r] }");
    sator_network_free(network);
}

/* Several accesses to a tensor are one access with several pieces; one role does not hide the
 * other. */
static void test_repeated_tensor(void **state)
{
    (void)state;
    struct sator_network *network = network_of("sizes: {i: 4}\n"
                                               "op: \"A[i] += A[i-1] * B[i] * A[i+1]\"\n");
    const struct sator_workload *w = &network->layers[0];

    assert_int_equal(w->n_accesses, 3);
    assert_string_equal(w->accesses[0].tensor, "A");
    assert_int_equal(w->accesses[0].relation->n_pieces, 2);
    expect_relation(w->accesses[0].relation, "{ S[i] -> A[i - 1]; S[i] -> A[i + 1] }");
    assert_string_equal(w->accesses[1].tensor, "B");
    assert_string_equal(w->accesses[2].tensor, "A");
    assert_int_equal(w->accesses[2].role, SATOR_WRITE);
    sator_network_free(network);
}

static void test_where(void **state)
{
    (void)state;
    struct sator_network *network = network_of("sizes: {i: 8, j: 8}\n"
                                               "op: \"Y[i] += A[j]\"\n"
                                               "where: j <= i\n");
    const struct sator_workload *w = &network->layers[0];

    assert_false(w->is_box);
    assert_int_equal(w->upper[0], 8);
    assert_int_equal(w->upper[1], 8);
    sator_network_free(network);
    /* a restriction that leaves a box is a box */
    network = network_of("sizes: {i: 8, j: 8}\nop: \"Y[i] += A[j]\"\nwhere: 2 <= j < 5\n");
    w = &network->layers[0];
    assert_true(w->is_box);
    assert_int_equal(w->lower[1], 2);
    assert_int_equal(w->upper[1], 5);
    assert_int_equal(w->upper[0], 8);
    sator_network_free(network);
}

static void test_word_bits(void **state)
{
    (void)state;
    struct sator_network *network = network_of("sizes: {i: 4}\nop: \"Y[i] += A[i]\"\n"
                                               "word_bits: 8\n");

    assert_int_equal(network->layers[0].accesses[0].word_bits, 8);
    assert_int_equal(network->layers[0].accesses[1].word_bits, 8);
    sator_network_free(network);
    network = network_of("sizes: {i: 4}\nop: \"Y[i] += A[i]\"\nword_bits: {Y: 32}\n");
    assert_int_equal(network->layers[0].accesses[0].word_bits, 16);
    assert_int_equal(network->layers[0].accesses[1].word_bits, 32);
    sator_network_free(network);
}

static void test_isl_form(void **state)
{
    (void)state;
    struct sator_network *network =
            network_of("name: jacobi\n"
                       "domain: \"{ S[i,j] : 1 <= i < 21 and 1 <= j < 18 }\"\n"
                       "reads:\n"
                       "  - \"{ S[i,j] -> A[i,j] }\"\n"
                       "  - \"{ S[p,q] -> A[p-1,q] }\"\n" /* positions count, not names */
                       "writes: \"{ S[i,j] -> Y[i,j] }\"\n");
    const struct sator_workload *w = &network->layers[0];

    assert_string_equal(w->name, "jacobi");
    assert_true(w->is_box);
    assert_int_equal(w->lower[0], 1);
    assert_int_equal(w->upper[1], 18);
    assert_int_equal(w->n_accesses, 2);
    assert_int_equal(w->accesses[0].relation->n_pieces, 2);
    sator_network_free(network);
}

/* A domain that is no box still has bounds: those of its hull. */
static void test_hull(void **state)
{
    (void)state;
    struct sator_network *network =
            network_of("domain: \"{ S[i,j] : 3 <= i < 9 and i <= 2j and 2j <= 3i }\"\n"
                       "reads: \"{ S[i,j] -> A[i] }\"\n"
                       "writes: \"{ S[i,j] -> Y[j] }\"\n");
    const struct sator_workload *w = &network->layers[0];

    assert_false(w->is_box);
    assert_int_equal(w->lower[0], 3);
    assert_int_equal(w->upper[0], 9);
    assert_int_equal(w->lower[1], 2); /* i = 3: 2j >= 3 */
    assert_int_equal(w->upper[1], 13); /* i = 8: 2j <= 24 */
    sator_network_free(network);
}

static void test_layers(void **state)
{
    (void)state;
    struct sator_network *network =
            network_of("name: net\n"
                       "layers:\n"
                       "  - {name: first, sizes: {i: 4}, op: \"Y[i] += A[i]\", repeat: 3}\n"
                       "  - {sizes: {j: 2}, op: \"Y[j] += A[j]\"}\n");

    assert_int_equal(network->n_layers, 2);
    assert_string_equal(network->layers[0].name, "first");
    assert_int_equal(network->layers[0].repeat, 3);
    assert_string_equal(network->layers[1].name, "layer2");
    assert_string_equal(network->layers[1].loop_names[0], "j");
    sator_network_free(network);
}

/* ---- settings ---- */

static void test_settings(void **state)
{
    (void)state;
    static const char *const sets[] = {
            "sizes.k=64", "word_bits={A: 8}", "where=i < j", "levels.PE.shape=[4]", "name=other"};
    bool used[5] = {false};
    struct sator_settings settings = settings_of(sets, 5);

    settings.used = used;
    struct sator_network *network = network_with(gemm, &settings);
    say_messages();
    assert_non_null(network);
    const struct sator_workload *w = &network->layers[0];
    assert_int_equal(w->upper[2], 64);
    assert_int_equal(w->accesses[0].word_bits, 8);
    assert_false(w->is_box);
    assert_string_equal(w->name, "other");
    assert_true(used[0] && used[1] && used[2] && used[4]);
    assert_false(used[3]); /* an architecture's */
    sator_network_free(network);
}

static void test_layer_settings(void **state)
{
    (void)state;
    static const char *const sets[] = {"sizes.n=16", "layers.b.sizes.k=3", "layers.b.repeat=7"};
    struct sator_settings settings = settings_of(sets, 3);
    struct sator_network *network =
            network_with("layers:\n"
                         "  - {name: a, sizes: {n: 1, k: 9}, op: \"Y[n,k] += A[n,k]\"}\n"
                         "  - {name: b, sizes: {n: 1, k: 9}, op: \"Y[n,k] += A[n,k]\"}\n"
                         "  - {name: c, sizes: {k: 9}, op: \"Y[k] += A[k]\"}\n",
                    &settings);

    say_messages();
    assert_non_null(network);
    assert_int_equal(network->layers[0].upper[0], 16);
    assert_int_equal(network->layers[0].upper[1], 9);
    assert_int_equal(network->layers[1].upper[0], 16);
    assert_int_equal(network->layers[1].upper[1], 3);
    assert_int_equal(network->layers[1].repeat, 7);
    assert_int_equal(network->layers[2].upper[0], 9);
    sator_network_free(network);
}

struct bad_setting {
    const char *set;
    const char *messages;
};

/* What is wrong with a setting is shown in the setting. */
static void test_bad_settings(void **state)
{
    (void)state;
    static const struct bad_setting table[] = {
            {"sizes.k=0",
                    "sets:1:9: error: the size of 'k' is 0: it must be between 1 and "
                    "1099511627776\n    sizes.k=0\n            ^\n"},
            {"sizes.z=4",
                    "sets:1:7: error: there is no loop 'z'\n    sizes.z=4\n          ^\n"
                    "help: known names: i, j, k\n"},
            {"sizes.k",
                    "sets:1:8: error: '=' and a value are missing\n    sizes.k\n           "
                    "^\n"},
            {"sizes.k=",
                    "sets:1:9: error: nothing is given here: the text is empty\n"
                    "    sizes.k=\n            ^\n"},
            {"sizes.k.x=4",
                    "sets:1:7: error: this is a single value: nothing inside it can be "
                    "set\n    sizes.k.x=4\n          ^\n"},
            {"sizes.=4",
                    "sets:1:7: error: a name is missing in the path\n    sizes.=4\n"
                    "          ^\n"},
            {"sizes.k=[4",
                    "sets:1:11: error: not valid YAML: did not find expected ',' or ']'\n"
                    "    sizes.k=[4\n              ^\n"
                    "help: while parsing a flow sequence, which begins in line 1\n"
                    "help: text with braces or brackets in it must stand in quotes\n"},
            {"op=Y[i] += A[q]",
                    "sets:1:14: error: unknown name 'q' in an expression\n"
                    "    op=Y[i] += A[q]\n                 ^\n"
                    "help: known names: i, j, k\n"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sator_settings settings = settings_of(&table[i].set, 1);
        assert_null(network_with(gemm, &settings));
        expect_messages(table[i].messages);
    }
}

/* Every mistake is reported, each once. */
static void test_everything_is_reported(void **state)
{
    (void)state;
    assert_null(network_with("sizes: {i: 0, k: x}\n"
                             "op: \"Y[i] += A[z]\"\n"
                             "wrd_bits: 8\n"
                             "repeat: -1\n",
            NULL));
    expect_messages("text.yaml:3:1: error: a workload has no key 'wrd_bits'\n"
                    "    wrd_bits: 8\n"
                    "    ^^^^^^^^\n"
                    "help: did you mean 'word_bits'?\n"
                    "text.yaml:4:9: error: repeat is -1: it must be between 1 and 1000000000\n"
                    "    repeat: -1\n"
                    "            ^^\n"
                    "text.yaml:1:12: error: the size of 'i' is 0: it must be between 1 and "
                    "1099511627776\n"
                    "    sizes: {i: 0, k: x}\n"
                    "               ^\n"
                    "text.yaml:1:18: error: the size of 'k': a whole number is expected, not 'x'\n"
                    "    sizes: {i: 0, k: x}\n"
                    "                     ^\n"
                    "text.yaml:2:16: error: unknown name 'z' in an expression\n"
                    "    op: \"Y[i] += A[z]\"\n"
                    "                   ^\n"
                    "help: known names: i, k\n");
}

/* ---- places ---- */

/* Columns count in a quoted, a plain, a folded and a literal scalar, and after text that is not
 * ASCII. */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place;
    } table[] = {
            {"sizes: {i: 4}\nop: Y[i] += A[q]\n", "text.yaml:2:15: "},
            {"sizes: {i: 4}\nop: 'Y[i] += A[q]'\n", "text.yaml:2:16: "},
            {"sizes: {i: 4}\nop: \"Y[i] += A[q]\"\n", "text.yaml:2:16: "},
            {"sizes: {i: 4}\nop: |\n  Y[i] += A[q]\n", "text.yaml:3:13: "},
            {"sizes: {i: 4}\nop: >-\n  Y[i] +=\n\n  A[q]\n", "text.yaml:5:5: "},
            {"sizes: {i: 4}\nop: \"Y[i] +=\n  A[q]\"\n", "text.yaml:3:5: "},
            {"sizes: {i: 4}\nop: \"Y[i] +=\\x20A[q]\"\n", "text.yaml, text at line 2:1:11: "},
            {"# \xc3\xa9\xe2\x82\xac\nsizes: {i: 4}\nop: Y[i] += A[q]\n", "text.yaml:3:15: "},
            {"\xef\xbb\xbfsizes: {i: 4}\r\nop: Y[i] += A[q]\r\n", "text.yaml:2:15: "},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_null(network_with(table[i].text, NULL));
        char *messages = sator_ctx_take_messages(ctx, false);
        assert_non_null(messages);
        if (strncmp(messages, table[i].place, strlen(table[i].place)) != 0)
            fail_msg("%s: expected at %s, got\n%s", table[i].text, table[i].place, messages);
        free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_einsum, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_indices, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_repeated_tensor, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_where, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_word_bits, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_isl_form, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_hull, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_layers, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_settings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_layer_settings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_bad_settings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_everything_is_reported, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
