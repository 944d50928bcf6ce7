/* Architectures from YAML. What is refused is in test/broken. */
#include "unit/inputs.h"

#include <math.h>

#include "sator/input.h"

static const char full[] =
        "name: full\n"
        "clock_mhz: 200\n"
        "technology_nm: 45\n"
        "levels:\n"
        "  - {memory: DRAM, energy_pj: {read: 200, write: 210, source: table}, leakage_pj: 0.5,\n"
        "     bandwidth_bits: {read: 64, write: 32}}\n"
        "  - {memory: L2, capacity_bytes: 131072, double_buffered: true, bandwidth_bits: 128,\n"
        "     tensors: [A, B], overlaps: false, energy_pj: 6, source: here}\n"
        "  - array: PE\n"
        "    shape: [8, 4]\n"
        "    links:\n"
        "      - {name: east, map: \"PE[i,j] -> PE[i,j+1]\", interval: 2, energy_pj: 0.5,\n"
        "         tensors: [A]}\n"
        "      - {map: \"{ PE[i,j] -> PE[i+1,j] : j > 0 }\"}\n"
        "    multicast: [{name: row, map: \"PE[i,j] -> BUS[i]\"}]\n"
        "    reduction: [{name: column, map: \"PE[i,j] -> TREE[j]\", tensors: Y}]\n"
        "  - {memory: registers, capacity_words: {A: 1, Y: 2}, bypass: [B]}\n"
        "  - {compute: mac, energy_pj: {value: 1, source: there}, cycles: 1.5, per_stamp: 1}\n";

static void test_memories(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of(full);
    const struct sator_memory *dram = &arch->levels[0].memory;
    const struct sator_memory *l2 = &arch->levels[1].memory;
    const struct sator_memory *registers = &arch->levels[3].memory;

    assert_string_equal(arch->name, "full");
    assert_true(arch->clock_mhz == 200 && arch->technology_nm == 45);
    assert_int_equal(arch->n_levels, 5);
    assert_string_equal(arch->levels[1].name, "L2");
    assert_int_equal(arch->levels[1].kind, SATOR_LEVEL_MEMORY);
    assert_true(dram->read.pj == 200 && dram->write.pj == 210);
    assert_string_equal(dram->write.source, "table");
    assert_true(dram->leakage_pj.value == 0.5);
    assert_null(dram->leakage_pj.source);
    assert_true(dram->read_bits == 64 && dram->write_bits == 32);
    assert_int_equal(dram->n_capacities, 0);
    assert_true(dram->overlaps && !dram->double_buffered);
    assert_true(l2->read_bits == 128 && l2->write_bits == 128);
    assert_true(l2->read.pj == 6 && l2->write.pj == 6);
    assert_string_equal(l2->read.source, "here");
    assert_int_equal(l2->n_capacities, 1);
    assert_null(l2->capacities[0].tensor);
    assert_true(l2->capacities[0].bytes == 131072 && isnan(l2->capacities[0].words));
    assert_true(l2->double_buffered && !l2->overlaps);
    assert_int_equal(l2->n_tensors, 2);
    assert_true(isnan(l2->leakage_pj.value));
    assert_int_equal(registers->n_capacities, 2);
    assert_string_equal(registers->capacities[1].tensor, "Y");
    assert_true(registers->capacities[1].words == 2);
    assert_int_equal(registers->n_bypass, 1);
    assert_true(isnan(registers->read.pj) && isnan(registers->read_bits));
    sator_arch_free(arch);
}

static void test_array(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of(full);
    const struct sator_array *pe = &arch->levels[2].array;
    const struct sator_compute *mac = &arch->levels[4].compute;
    int64_t shape[2];

    assert_int_equal(sator_arch_space_dims(arch), 2);
    sator_arch_shape(arch, shape);
    assert_int_equal(shape[0], 8);
    assert_int_equal(shape[1], 4);
    assert_int_equal(pe->n_links, 2);
    assert_string_equal(pe->links[0].name, "east");
    assert_int_equal(pe->links[0].interval, 2);
    assert_string_equal(pe->links[0].tensors[0], "A");
    assert_true(pe->links[0].energy.pj == 0.5);
    expect_relation(pe->links[0].map, "{ PE[i, j] -> PE[i, j + 1] }");
    assert_string_equal(pe->links[1].name, "link2");
    assert_int_equal(pe->links[1].interval, 1);
    assert_int_equal(pe->n_buses, 2);
    assert_false(pe->buses[0].is_reduction);
    assert_true(pe->buses[1].is_reduction);
    assert_string_equal(pe->buses[1].tensors[0], "Y");
    expect_relation(pe->buses[1].map, "{ PE[i, j] -> TREE[j] }");
    assert_true(mac->energy_pj.value == 1 && mac->cycles == 1.5);
    assert_string_equal(mac->energy_pj.source, "there");
    assert_int_equal(mac->per_stamp, 1);
    sator_arch_free(arch);
}

/* Settings address entries of lists by their names, and widen "energy_pj: 6" to one side alone. */
static void test_settings(void **state)
{
    (void)state;
    static const char *const sets[] = {"levels.PE.shape=[16,16]", "levels.L2.energy_pj.read=7",
            "levels.PE.links.east.interval=1", "clock_mhz=400", "levels.DRAM.capacity_words=9",
            "levels.mac.cycles=3", "levels.L2.double_buffered=false"};
    struct sator_settings settings = settings_of(sets, 7);
    struct sator_arch *arch = arch_with(full, &settings);

    say_messages();
    assert_non_null(arch);
    assert_int_equal(arch->levels[2].array.shape[1], 16);
    assert_true(arch->levels[1].memory.read.pj == 7);
    assert_true(arch->levels[1].memory.write.pj == 6);
    assert_int_equal(arch->levels[2].array.links[0].interval, 1);
    assert_true(arch->clock_mhz == 400);
    assert_true(arch->levels[0].memory.capacities[0].words == 9);
    assert_true(arch->levels[4].compute.cycles == 3);
    assert_false(arch->levels[1].memory.double_buffered);
    sator_arch_free(arch);
}

static void test_bad_settings(void **state)
{
    (void)state;
    static const char *const unknown = "levels.PE2.shape=4";
    struct sator_settings settings = settings_of(&unknown, 1);

    assert_null(arch_with(full, &settings));
    expect_messages("sets:1:8: error: no entry here is called 'PE2'\n"
                    "    levels.PE2.shape=4\n"
                    "           ^^^\n"
                    "help: did you mean 'PE'?\n");
    static const char *const negative = "levels.PE.shape=[4,-1]";
    settings = settings_of(&negative, 1);
    assert_null(arch_with(full, &settings));
    expect_messages("sets:1:20: error: shape is -1: it must be between 1 and 4294967296\n"
                    "    levels.PE.shape=[4,-1]\n"
                    "                       ^^\n");
}

/* A link that no two PEs of the array have is a mistake, but an array may be set smaller than its
 * links. */
static void test_useless_link(void **state)
{
    (void)state;
    struct sator_arch *arch =
            arch_of("levels:\n"
                    "  - {array: PE, shape: [4, 1], links: [{name: far, map: \"PE[i,j] -> "
                    "PE[i,j-1]\"}]}\n"
                    "  - {compute: mac}\n");

    expect_messages("text.yaml:2:57: warning: link 'far' joins no two PEs: it shifts dimension 1 "
                    "by -1, and the array has 1 there\n"
                    "      - {array: PE, shape: [4, 1], links: [{name: far, map: \"PE[i,j] -> "
                    "PE[i,j-1]\"}]}\n"
                    "                                                            "
                    "^^^^^^^^^^^^^^^^^^^^^^\n");
    sator_arch_free(arch);
}

/* The delay of the scratchpad alone, here L2, can stand beside that of the computation. */
static void test_void_overlaps(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of("levels:\n"
                                      "  - {memory: DRAM, overlaps: false}\n"
                                      "  - {memory: L2, overlaps: false}\n"
                                      "  - {array: PE, shape: 4}\n"
                                      "  - {memory: L1, overlaps: true}\n"
                                      "  - {memory: L0, overlaps: false}\n"
                                      "  - {compute: mac}\n");

    expect_messages("text.yaml:2:30: warning: 'overlaps: false' has no effect at 'DRAM'\n"
                    "      - {memory: DRAM, overlaps: false}\n"
                    "                                 ^^^^^\n"
                    "help: it is for the scratchpad, the innermost memory outside all arrays: here "
                    "'L2'\n"
                    "text.yaml:6:28: warning: 'overlaps: false' has no effect at 'L0'\n"
                    "      - {memory: L0, overlaps: false}\n"
                    "                               ^^^^^\n"
                    "help: it is for the scratchpad, the innermost memory outside all arrays: here "
                    "'L2'\n");
    sator_arch_free(arch);
    arch = arch_of("levels:\n"
                   "  - {array: PE, shape: 4}\n"
                   "  - {memory: L1, overlaps: false}\n"
                   "  - {compute: mac}\n");
    expect_messages("text.yaml:3:28: warning: 'overlaps: false' has no effect at 'L1'\n"
                    "      - {memory: L1, overlaps: false}\n"
                    "                               ^^^^^\n"
                    "help: it is for the scratchpad, the innermost memory outside all arrays\n");
    sator_arch_free(arch);
}

/* What is said of a tensor, else of all, else by "overlaps", else what the contents suggest. */
static void test_transfers(void **state)
{
    (void)state;
    struct sator_arch *arch = arch_of("levels:\n"
                                      "  - {memory: DRAM, setup_cycles: 9, granule_bits: 64,\n"
                                      "     bandwidth_bits: 8}\n"
                                      "  - {memory: L2, overlaps: false}\n"
                                      "  - {array: PE, shape: 4, pass_through: true, links: [\n"
                                      "     {map: \"PE[i] -> PE[i+1]\", bandwidth_bits: 2.5}]}\n"
                                      "  - {memory: L1, transfers: {A: serial, B: overlapped}}\n"
                                      "  - {memory: L0, transfers: serial, holds: idle}\n"
                                      "  - {compute: mac}\n");
    const struct sator_level *levels = arch->levels;

    expect_messages("");
    assert_true(sator_arch_scratchpad(arch) == &levels[1]);
    assert_int_equal(sator_memory_transfers(arch, &levels[1], "A", true), SATOR_TRANSFER_SERIAL);
    assert_int_equal(sator_memory_transfers(arch, &levels[3], "A", true), SATOR_TRANSFER_SERIAL);
    assert_int_equal(
            sator_memory_transfers(arch, &levels[3], "B", true), SATOR_TRANSFER_OVERLAPPED);
    assert_int_equal(sator_memory_transfers(arch, &levels[3], "Y", true), SATOR_TRANSFER_STREAMED);
    assert_int_equal(
            sator_memory_transfers(arch, &levels[3], "Y", false), SATOR_TRANSFER_OVERLAPPED);
    assert_int_equal(sator_memory_transfers(arch, &levels[4], "Y", true), SATOR_TRANSFER_SERIAL);
    assert_int_equal(levels[0].memory.burst.setup_cycles, 9);
    assert_int_equal(levels[0].memory.burst.granule_bits, 64);
    assert_true(levels[2].array.pass_through && levels[2].array.links[0].bandwidth_bits == 2.5);
    assert_true(levels[4].memory.holds_idle && !levels[3].memory.holds_idle);
    sator_arch_free(arch);
}

static void test_void_timing(void **state)
{
    (void)state;
    struct sator_arch *arch =
            arch_of("levels:\n"
                    "  - {memory: DRAM, transfers: serial, holds: idle, setup_cycles: 3}\n"
                    "  - {array: PE, shape: 4, pass_through: true}\n"
                    "  - {compute: mac}\n");

    expect_messages("text.yaml:2:66: warning: 'setup_cycles' has no effect: without a bandwidth, "
                    "transfers take no time\n"
                    "      - {memory: DRAM, transfers: serial, holds: idle, setup_cycles: 3}\n"
                    "                                                                     ^\n"
                    "text.yaml:2:46: warning: 'holds' has no effect at 'DRAM': no array is outside "
                    "of it, so that it never idles\n"
                    "      - {memory: DRAM, transfers: serial, holds: idle, setup_cycles: 3}\n"
                    "                                                 ^^^^\n"
                    "text.yaml:3:41: warning: 'pass_through' has no effect: 'PE' has no links\n"
                    "      - {array: PE, shape: 4, pass_through: true}\n"
                    "                                            ^^^^\n");
    sator_arch_free(arch);
}

/* ---- energy tables ---- */

static const char table_text[] = "entries:\n"
                                 "  - {component: dram, action: read, pj: 300, source: a book}\n"
                                 "  - {component: dram, action: write, pj: 310}\n"
                                 "  - {component: dram, action: read, pj: 150, word_bits: 8}\n"
                                 "  - {component: register, action: read, pj: 1}\n"
                                 "  - {component: buffer, action: write, pj: 2}\n"
                                 "  - {component: link, action: hop, pj: 0.25}\n"
                                 "  - {component: mac, action: compute, pj: 4}\n";

static enum sator_status find_table(struct sator_ctx *context, const char *folder, const char *name,
        struct sator_loc loc, const struct sator_source **source)
{
    (void)loc;
    assert_string_equal(folder, "energy");
    assert_string_equal(name, "a_table");
    *source = sator_source_from_text(context, "a_table.yaml", table_text);
    return SATOR_OK;
}

static const char asks[] = "energy_table: a_table\n"
                           "levels:\n"
                           "  - {memory: DRAM, energy_pj: {write: 5}}\n"
                           "  - {memory: L2, component: buffer}\n"
                           "  - {memory: other}\n"
                           "  - {array: PE, shape: 4, topology: systolic-1d,\n"
                           "     links: [{name: own, map: \"PE[i] -> PE[i-1]\", energy_pj: 9}]}\n"
                           "  - {memory: registers}\n"
                           "  - {compute: mac}\n";

/* What the file states stays; what the table does not have stays unknown. */
static void test_energy_table(void **state)
{
    (void)state;
    struct sator_settings settings = {.find = find_table};
    struct sator_arch *arch = arch_with(asks, &settings);

    say_messages();
    assert_non_null(arch);
    assert_true(arch->levels[0].memory.read.pj == 300);
    assert_string_equal(arch->levels[0].memory.read.source, "a book");
    assert_true(arch->levels[0].memory.write.pj == 5);
    assert_true(isnan(arch->levels[1].memory.read.pj));
    assert_true(arch->levels[1].memory.write.pj == 2);
    assert_string_equal(arch->levels[1].memory.write.source, "a_table");
    assert_true(isnan(arch->levels[2].memory.read.pj));
    assert_string_equal(arch->levels[3].array.links[0].name, "own");
    assert_true(arch->levels[3].array.links[0].energy.pj == 9);
    assert_true(arch->levels[3].array.links[1].energy.pj == 0.25);
    assert_true(arch->levels[4].memory.read.pj == 1);
    assert_true(isnan(arch->levels[4].memory.write.pj));
    assert_int_equal(arch->levels[5].compute.n_by_width, 1); /* of the operands' width only */
    assert_int_equal(arch->levels[5].compute.by_width[0].bits, 16);
    assert_true(arch->levels[5].compute.by_width[0].energy_pj.value == 4);
    sator_arch_free(arch);
}

static void test_energy_table_word(void **state)
{
    (void)state;
    static const char *const set = "energy_table={name: a_table, word_bits: 8}";
    struct sator_settings settings = {.n_sets = 1, .sets = &set, .find = find_table};
    struct sator_arch *arch = arch_with("energy_table: a_table\n"
                                        "levels:\n"
                                        "  - {memory: DRAM}\n"
                                        "  - {array: PE, shape: 4}\n"
                                        "  - {compute: mac}\n",
            &settings);

    say_messages();
    assert_non_null(arch);
    assert_true(arch->levels[0].memory.read.pj == 150);
    assert_int_equal(arch->levels[0].memory.read.bits, 8);
    assert_true(arch->levels[0].memory.write.pj == 310); /* the only entry, for 16 bits */
    assert_int_equal(arch->levels[0].memory.write.bits, 16);
    sator_arch_free(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_memories, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_array, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_settings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_bad_settings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_useless_link, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_void_overlaps, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_transfers, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_void_timing, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_energy_table, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_energy_table_word, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
