/* Which dataflows are legal (doc/model.md, section 1): what is said of those that are not. */
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

#define WRITE_FIRST                                                                                \
    "help: in the nest the write comes first: it needs an earlier time-stamp, as a stamp reads "   \
    "before it writes\n"
#define READ_FIRST                                                                                 \
    "help: in the nest the read comes first: it needs an earlier time-stamp, or the same\n"

static const char scan[] = "name: scan\nsizes: {i: 8}\nop: \"A[i+1] += A[i]\"\n";
static const char shift[] = "name: shift\nsizes: {i: 8}\nop: \"A[i] += A[i+1]\"\n";
/* as Gauss and Seidel do: A[i] for every t */
static const char sweeps[] = "name: sweeps\nsizes: {t: 3, i: 8}\n"
                             "op: \"A[i] += A[i-1] + A[i] + A[i+1]\"\n";
static const char triangle[] = "name: triangle\nsizes: {i: 8, j: 8}\nwhere: \"j < i\"\n"
                               "op: \"x[i] += L[i,j] * x[j]\"\n";
static const char shortest[] = "name: shortest\nsizes: {k: 4, i: 4, j: 4}\n"
                               "op: \"D[i,j] += D[i,k] * D[k,j]\"\n";
static const char shortest_where[] = "name: shortest\nsizes: {k: 4, i: 4, j: 4}\n"
                                     "op: \"D[i,j] += D[i,k] * D[k,j]\"\n"
                                     "where: \"i != k and j != k\"\n";
static const char histogram[] = "name: histogram\nsizes: {i: 8, j: 8}\nop: \"Y[i%3] += A[i,j]\"\n";
static const char doubling[] = "name: doubling\ndomain: \"{ S[i,j] : 0 <= i,j < 8 }\"\n"
                               "reads: [\"{ S[i,j] -> Y[i - i%2] }\", \"{ S[i,j] -> A[i,j] }\"]\n"
                               "writes: \"{ S[i,j] -> Y[2*floor(i/2)] }\"\n";
static const char mirror[] = "name: mirror\nsizes: {i: 8}\nop: \"A[i] += A[7-i]\"\n";

static const char two[] = "name: two\ndomain: \"{ S[i] : 0 <= i < 8 }\"\n"
                          "reads: [\"{ S[i] -> A[i+1] }\", \"{ S[i] -> B[i-1,5] }\"]\n"
                          "writes: [\"{ S[i] -> A[i] }\", \"{ S[i] -> B[i,5] }\"]\n";

/* The order of instances in place; every message is worked out by hand. */
static void test_order(void **state)
{
    (void)state;
    static const struct {
        const char *workload, *dataflow, *said;
    } table[] = {
            /* a sum that grows from instance to instance */
            {scan, "space: \"0\"\ntime: \"i\"\n", ""},
            {scan, "space: \"i\"\ntime: \"i/2\"\n",
                    "text.yaml:2:8: error: S[i=1] at PE[1] T[0] reads A[1] before S[i=0] at PE[0] "
                    "T[0] has written it\n"
                    "    time: \"i/2\"\n           ^^^\n" WRITE_FIRST},
            {scan, "space: \"0\"\ntime: \"T[i%4, i/4]\"\n",
                    "text.yaml:2:8: error: S[i=4] at PE[0] T[0, 1] reads A[4] before S[i=3] at "
                    "PE[0] T[3, 0] has written it\n"
                    "    time: \"T[i%4, i/4]\"\n           ^^^^^^^^^^^\n" WRITE_FIRST},
            {scan, "space: \"i%4\"\ntime: \"T[i/4, i%4]\"\n", ""},
            /* what is overwritten must have been read, in an earlier stamp or the same */
            {shift, "space: \"i\"\ntime: \"0\"\n", ""},
            {shift, "space: \"0\"\ntime: \"7-i\"\n",
                    "text.yaml:2:8: error: S[i=1] at PE[0] T[6] overwrites A[1] before S[i=0] at "
                    "PE[0] T[7] has read it\n"
                    "    time: \"7-i\"\n           ^^^\n" READ_FIRST},
            /* two tensors of different rank, of which one breaks the order */
            {two, "space: \"i\"\ntime: \"i/2\"\n",
                    "text.yaml:2:8: error: S[i=1] at PE[1] T[0] reads B[0, 5] before S[i=0] at "
                    "PE[0] T[0] has written it\n"
                    "    time: \"i/2\"\n           ^^^\n" WRITE_FIRST},
            /* distances that vary */
            {sweeps, "space: \"0\"\ntime: \"t, i\"\n", ""},
            {sweeps, "space: \"i\"\ntime: \"2*t + i\"\n", ""},
            {sweeps, "space: \"i\"\ntime: \"t + i\"\n",
                    "text.yaml:2:8: error: S[t=1, i=0] at PE[0] T[1] reads A[1] before S[t=0, i=1] "
                    "at PE[1] T[1] has written it\n"
                    "    time: \"t + i\"\n           ^^^^^\n" WRITE_FIRST},
            {sweeps, "space: \"i\"\ntime: \"t\"\n",
                    "text.yaml:2:8: error: S[t=0, i=1] at PE[1] T[0] reads A[0] before S[t=0, i=0] "
                    "at PE[0] T[0] has written it\n"
                    "    time: \"t\"\n           ^\n" WRITE_FIRST},
            {triangle, "space: \"j\"\ntime: \"i\"\n", ""},
            {triangle, "space: \"i\"\ntime: \"j\"\n", ""},
            {triangle, "space: \"j\"\ntime: \"7-i\"\n",
                    "text.yaml:2:8: error: S[i=2, j=1] at PE[1] T[5] reads x[1] before S[i=1, j=0] "
                    "at PE[0] T[6] has written it\n"
                    "    time: \"7-i\"\n           ^^^\n" WRITE_FIRST},
            {mirror, "space: \"0\"\ntime: \"i\"\n", ""},
            {mirror, "space: \"i\"\ntime: \"i/4\"\n", ""},
            {mirror, "space: \"i\"\ntime: \"i/6\"\n",
                    "text.yaml:2:8: error: S[i=5] at PE[5] T[0] reads A[2] before S[i=2] at PE[2] "
                    "T[0] has written it\n"
                    "    time: \"i/6\"\n           ^^^\n" WRITE_FIRST},
            /* row and column k are updated by steps k, too, unless these are left out */
            {shortest, "space: \"0\"\ntime: \"k, i, j\"\n", ""},
            {shortest, "space: \"j\"\ntime: \"k, i\"\n",
                    "text.yaml:2:8: error: S[k=0, i=0, j=1] at PE[1] T[0, 0] reads D[0, 0] before "
                    "S[k=0, i=0, j=0] at PE[0] T[0, 0] has written it\n"
                    "    time: \"k, i\"\n           ^^^^\n" WRITE_FIRST},
            {shortest_where, "space: \"j\"\ntime: \"k, i\"\n", ""},
            /* updates of one element are sums, in any order, however often it appears */
            {histogram, "space: \"j\"\ntime: \"7-i\"\n", ""},
            {histogram, "space: \"0\"\ntime: \"0\"\n", ""},
            {doubling, "space: \"j\"\ntime: \"7-i\"\n", ""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        expect_said(table[i].workload, table[i].dataflow, table[i].said);
}

/* What could not be decided is not accepted. */
static void test_limit(void **state)
{
    (void)state;
    struct sator_network *network = network_of(sweeps);
    struct sator_arch *arch = arch_of(row);
    struct sator_dataflow *flow = dataflow_of("space: \"i\"\ntime: \"2*t + i\"\n");
    struct sator_result *result = NULL;

    sator_ctx_set_work_limit(ctx, 60000);
    assert_int_equal(sator_analyze(ctx, network, 0, arch, flow, NULL, &result), SATOR_LIMIT);
    expect_messages("text.yaml:2:8: error: whether this order of instances is legal was not "
                    "decided within the work limit: 'sweeps' reads elements that other instances "
                    "write\n    time: \"2*t + i\"\n           ^^^^^^^\n");
    sator_dataflow_free(flow);
    sator_arch_free(arch);
    sator_network_free(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_placement, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_limit, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
