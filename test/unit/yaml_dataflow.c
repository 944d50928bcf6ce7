/* Dataflows from YAML and from texts. What is refused is in test/broken. */
#include "unit/inputs.h"

#include "sator/input.h"

static void test_sator_notation(void **state)
{
    (void)state;
    static const char text[] = "name: \"(IJ-P | J,IJK-T)\"\n"
                               "space: \"PE[i%8, j%8]\"\n"
                               "time: T[i/8, fl(j/8), floor(k/2) + i%8]\n"
                               "cuts: {L2: {time: 1}, L1: {time: all, space: 2}}\n";
    struct sator_dataflow *dataflow = dataflow_of(text);

    assert_string_equal(dataflow->name, "(IJ-P | J,IJK-T)");
    assert_null(dataflow->space);
    assert_null(dataflow->loops);
    assert_memory_equal(dataflow->space_loc.source->text + dataflow->space_loc.offset,
            "PE[i%8, j%8]", dataflow->space_loc.length);
    assert_int_equal(dataflow->space_loc.length, strlen("PE[i%8, j%8]"));
    assert_memory_equal(dataflow->time_loc.source->text + dataflow->time_loc.offset,
            "T[i/8, fl(j/8), floor(k/2) + i%8]", dataflow->time_loc.length);
    assert_int_equal(dataflow->n_cuts, 2);
    assert_string_equal(dataflow->cuts[0].level, "L2");
    assert_int_equal(dataflow->cuts[0].time, 1);
    assert_int_equal(dataflow->cuts[0].space, -1);
    assert_int_equal(dataflow->cuts[1].time, -1);
    assert_int_equal(dataflow->cuts[1].space, 2);
    sator_dataflow_free(dataflow);
}

static void test_isl_notation(void **state)
{
    (void)state;
    struct sator_dataflow *dataflow = dataflow_of("space: \"{ S[a,b] -> PE[a, b%2] }\"\n"
                                                  "time: \"{ S[a,b] -> T[b] }\"\n");

    expect_relation(dataflow->space, "{ S[a, b] -> PE[a, b%2] }");
    expect_relation(dataflow->time, "{ S[a, b] -> T[b] }");
    sator_dataflow_free(dataflow);
}

static void test_loops(void **state)
{
    (void)state;
    struct sator_dataflow *dataflow =
            dataflow_of("loops:\n"
                        "  - {at: DRAM, for: [k 4, oy 7]}\n"
                        "  - {at: PE, parallel: [k  8->0, \" c 16 -> 1 \"]}\n"
                        "  - {at: L1}\n"
                        "  - {at: lane, for: ox 2, parallel: [ox 4 -> 0]}\n");
    const struct sator_loop_nest *nest = dataflow->loops;

    assert_int_equal(nest->n_entries, 4);
    assert_string_equal(nest->entries[0].level, "DRAM");
    assert_int_equal(nest->entries[0].n_loops, 2);
    assert_string_equal(nest->entries[0].loops[1].loop, "oy");
    assert_int_equal(nest->entries[0].loops[1].extent, 7);
    assert_int_equal(nest->entries[0].loops[1].dim, -1);
    assert_int_equal(nest->entries[1].loops[0].extent, 8);
    assert_int_equal(nest->entries[1].loops[0].dim, 0);
    assert_string_equal(nest->entries[1].loops[1].loop, "c");
    assert_int_equal(nest->entries[1].loops[1].dim, 1);
    assert_int_equal(nest->entries[2].n_loops, 0);
    assert_int_equal(nest->entries[3].n_loops, 2);
    assert_int_equal(nest->entries[3].loops[0].dim, -1); /* "for" stands outside "parallel" */
    assert_int_equal(nest->entries[3].loops[1].dim, 0);
    sator_dataflow_free(dataflow);
}

static void test_settings(void **state)
{
    (void)state;
    static const char *const sets[] = {"time=T[k]", "cuts.L1.time=1", "name=ignored"};
    struct sator_settings settings = settings_of(sets, 3);
    struct sator_dataflow *dataflow = dataflow_with("name: x\nspace: i\ntime: j\n", &settings);

    say_messages();
    assert_non_null(dataflow);
    assert_memory_equal(dataflow->time_loc.source->text + dataflow->time_loc.offset, "T[k]", 4);
    assert_int_equal(dataflow->n_cuts, 1);
    assert_string_equal(dataflow->name, "x"); /* a "name" alone means the workload's */
    sator_dataflow_free(dataflow);
}

static void test_from_text(void **state)
{
    (void)state;
    struct sator_dataflow *dataflow = NULL;

    assert_int_equal(
            sator_dataflow_from_text(ctx, "mine", "i%8, j%8", "i/8, j/8, k", &dataflow), SATOR_OK);
    assert_string_equal(sator_dataflow_name(dataflow), "mine");
    assert_int_equal(dataflow->space_loc.length, strlen("i%8, j%8"));
    sator_dataflow_free(dataflow);
    dataflow = NULL;
    assert_int_equal(sator_dataflow_from_text(ctx, "mine", "i%0", "PE[i", &dataflow), SATOR_INPUT);
    assert_null(dataflow);
    expect_messages("space:1:1: error: the divisor 0 is not positive\n"
                    "    i%0\n"
                    "    ^^^\n"
                    "time:1:5: error: expected ']' to close the tuple, found the end\n"
                    "    PE[i\n"
                    "        ^\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_sator_notation, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_isl_notation, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_loops, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_settings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_from_text, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
