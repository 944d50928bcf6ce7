/* What words of some width cost: values by hand from doc/model.md, section 4, "Widths". */
#include "unit/inputs.h"

#include "arch/arch.h"

#include <math.h>
#include <stdio.h>

static const char machine[] =
        "levels:\n"
        "  - {memory: DRAM, word_bits: 8, energy_pj: {value: 1300, row_bits: 64, source: book}}\n"
        "  - memory: L2\n"
        "    word_bits: {Y: 32}\n"
        "    energy_pj: {read: 6, write: 7, source: book, tensors: {Y: {read: 3, word_bits: 24}}}\n"
        "  - array: PE\n"
        "    shape: [4, 4]\n"
        "    word_bits: {Y: 24}\n"
        "    links: [{name: east, map: \"PE[i,j] -> PE[i,j+1]\", energy_pj: {value: 0.5, "
        "word_bits: 1}}]\n"
        "    multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 2}]\n"
        "  - {compute: mac, energy_pj: {8: 0.2, 32: 3.2, source: book}}\n";

static void test_levels(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of(machine);
    const struct sator_memory *dram = &arch->levels[0].memory, *l2 = &arch->levels[1].memory;

    assert_int_equal(sator_memory_word_bits(dram, "A", 16), 8);
    assert_int_equal(sator_memory_word_bits(l2, "A", 12), 12);
    assert_int_equal(sator_memory_word_bits(l2, "Y", 16), 32);
    struct sator_action row = sator_memory_action(arch->arena, dram, "A", 16, false);
    assert_int_equal(row.words, 8); /* 64 bits of 8 */
    assert_true(row.pj == 1300 && row.word_pj == 162.5);
    assert_string_equal(row.source, "book");
    assert_true(sator_actions(&row, 16) == 2 && sator_actions(&row, 17) == 3);
    assert_true(sator_actions(&row, 0) == 0);
    struct sator_action word = sator_memory_action(arch->arena, l2, "A", 12, true);
    assert_int_equal(word.words, 1);
    assert_true(word.pj == 5.25 && word.word_pj == 5.25); /* 7 x 12/16 */
    assert_string_equal(word.source, "book; scaled from 16 to 12 bits");
    assert_true(sator_memory_action(arch->arena, l2, "Y", 16, false).pj == 4); /* 3 x 32/24 */
    assert_true(sator_memory_action(arch->arena, l2, "Y", 16, true).pj == 14); /* 7 x 32/16 */
    sator_arch_free(arch);
}

/* A row that is not a multiple of a word, and one narrower than a word. */
static void test_rows(void **state)
{
    (void)state;
    struct sator_arena *arena = sator_arena_new();
    struct sator_energy energy = {.pj = 20, .bits = 64, .is_row = true};
    struct sator_action action = sator_action_of(arena, &energy, 24);

    assert_int_equal(action.words, 2); /* 16 bits of each row are idle */
    assert_true(action.word_pj == 10 && sator_actions(&action, 5) == 3);
    action = sator_action_of(arena, &energy, 130);
    assert_int_equal(action.per_word, 3);
    assert_true(action.word_pj == 60 && sator_actions(&action, 5) == 15);
    sator_arena_free(arena);
}

static void test_wires(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of(machine);
    const struct sator_array *pe = &arch->levels[2].array;

    assert_true(sator_link_action(arch->arena, &pe->links[0], "A", 16).pj == 8); /* 0.5 a bit */
    assert_true(sator_link_action(arch->arena, &pe->links[0], "Y", 16).pj == 12);
    assert_true(sator_bus_action(arch->arena, &pe->buses[0], "A", 8).pj == 1);
    sator_arch_free(arch);
}

static void test_compute(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of(machine);
    const struct sator_compute *mac = &arch->levels[3].compute;

    assert_true(sator_compute_figure(arch->arena, mac, 8).value == 0.2);
    assert_string_equal(sator_compute_figure(arch->arena, mac, 32).source, "book");
    /* halfway in widths' powers: 8 x 2 = 16, 0.2 x sqrt(16) = 0.8 */
    struct sator_figure between = sator_compute_figure(arch->arena, mac, 16);
    assert_true(fabs(between.value - 0.8) < 1e-12);
    assert_string_equal(
            between.source, "book; derived for 16 bits between 8 (0.2 pJ) and 32 (3.2)");
    assert_true(isnan(sator_compute_figure(arch->arena, mac, 4).value));
    assert_string_equal(sator_compute_figure(arch->arena, mac, 64).source,
            "not given for operands of 64 bits, only for 8 to 32");
    sator_arch_free(arch);
}

static void test_operands(void **state)
{
    (void)state;
    static const struct {
        const char *op, *bits;
        int expected;
    } cases[] = {
            {"Y[i] += A[i] * B[i]", "{A: 4, B: 8, Y: 32}", 8},
            {"Y[i] += A[i]", "{A: 12, Y: 32}", 12},
            {"Y[i] = Y[i-1]", "{Y: 24}", 24},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "sizes: {i: 4}\nop: \"%s\"\nword_bits: %s\n", cases[i].op,
                cases[i].bits);
        struct sator_network *network = network_of(text);
        assert_int_equal(sator_operand_bits(&network->layers[0]), cases[i].expected);
        sator_network_free(network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_levels, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_rows, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_wires, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_compute, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_operands, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
