/* Which dataflows are legal (doc/model.md, section 2): what is said of those that are not. */
#include "unit/inputs.h"

#include "model/model.h"

static const char row[] = "name: row\nlevels:\n  - {memory: M}\n"
                          "  - {array: PE, shape: [8]}\n  - {compute: mac}\n";

/* Analyse texts and compare what is said; "" for a legal dataflow. */
static void expect_said(const char *workload, const char *dataflow, const char *expected)
{
    struct sator_network *network = network_of(workload);
    struct sator_arch *arch = arch_of(row);
    struct sator_dataflow *flow = dataflow_of(dataflow);
    struct sator_result *result = NULL;
    enum sator_status st = sator_analyze(ctx, network, 0, arch, flow, NULL, &result);

    expect_messages(expected);
    assert_int_equal(st, expected[0] == '\0' ? SATOR_OK : SATOR_INPUT);
    sator_result_free(result);
    sator_dataflow_free(flow);
    sator_arch_free(arch);
    sator_network_free(network);
}

#define ONCE "help: a dataflow places every instance exactly once"
#define LEFT_OUT                                                                                   \
    ONCE "; what is not to run is left out by the workload's own conditions ('where' or the "      \
         "domain)\n"

static void test_placement(void **state)
{
    (void)state;
    static const char sum[] = "name: sum\nsizes: {i: 8, j: 3}\nop: \"Y[i] += A[i,j]\"\n";
    static const struct {
        const char *dataflow, *said;
    } table[] = {
            {"space: \"{ S[i,j] -> PE[i] : i < 6 }\"\ntime: \"j\"\n",
                    "text.yaml:1:9: error: the space map gives S[i=6, j=0] no stamp\n"
                    "    space: \"{ S[i,j] -> PE[i] : i < 6 }\"\n"
                    "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" LEFT_OUT},
            {"space: \"i\"\ntime: \"{ S[i,j] -> T[j] : j != 1 or i > 2 }\"\n",
                    "text.yaml:2:8: error: the time map gives S[i=0, j=1] no stamp\n"
                    "    time: \"{ S[i,j] -> T[j] : j != 1 or i > 2 }\"\n"
                    "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" LEFT_OUT},
            {"space: \"{ S[i,j] -> PE[i]; S[i,j] -> PE[0] : i + j >= 8 }\"\ntime: \"j\"\n",
                    "text.yaml:1:9: error: the space map gives S[i=6, j=2] two stamps, PE[0] and "
                    "PE[6]\n"
                    "    space: \"{ S[i,j] -> PE[i]; S[i,j] -> PE[0] : i + j >= 8 }\"\n"
                    "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" ONCE "\n"},
            {"space: \"i\"\ntime: \"{ S[i,j] -> T[t] : j <= t <= 2 }\"\n",
                    "text.yaml:2:8: error: the time map gives S[i=0, j=0] two stamps, T[0] and "
                    "T[1]\n"
                    "    time: \"{ S[i,j] -> T[t] : j <= t <= 2 }\"\n"
                    "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" ONCE "\n"},
            /* every instance once, in whatever form: conditions that hold everywhere, pieces that
               share the domain or agree, a variable that the others determine */
            {"space: \"{ S[i,j] -> PE[i] : 0 <= i < 8 }\"\ntime: \"j\"\n", ""},
            {"space: \"{ S[i,j] -> PE[i] : i < 4; S[i,j] -> PE[11-i] : i > 3 }\"\ntime: \"j\"\n",
                    ""},
            {"space: \"{ S[i,j] -> PE[i] : i < 5; S[i,j] -> PE[2*i - i] : i > 3 }\"\ntime: \"j\"\n",
                    ""},
            {"space: \"{ S[i,j] -> PE[x] : exists e : i = 4e + x and 0 <= x < 4 }\"\ntime: \"i, "
             "j\"\n",
                    ""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_said(sum, table[i].dataflow, table[i].said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_placement, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
