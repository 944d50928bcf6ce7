/* What is written reads back to the same thing: for corner cases and for all of the built-in
 * library. */
#include "unit/inputs.h"

#include <math.h>

#include "sator/input.h"

static char *write_network(const struct sator_network *network)
{
    struct sator_text text = {0};

    sator_yaml_write_network(&text, network);
    return sator_text_take(&text);
}

static char *write_arch(const struct sator_arch *arch)
{
    struct sator_text text = {0};

    sator_yaml_write_arch(&text, arch);
    return sator_text_take(&text);
}

static char *write_dataflow(const struct sator_dataflow *dataflow)
{
    struct sator_text text = {0};

    sator_yaml_write_dataflow(&text, dataflow);
    return sator_text_take(&text);
}

/* ---- the same thing, field by field ---- */

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static void expect_same_text(const char *a, const char *b)
{
    assert_string_equal(a == NULL ? "(none)" : a, b == NULL ? "(none)" : b);
}

static void expect_same_relation(const struct sator_relation *a, const struct sator_relation *b)
{
    struct sator_text text = {0};

    sator_relation_write(&text, a);
    expect_relation(b, text.data);
    sator_text_clear(&text);
}

static void expect_same_workload(const struct sator_workload *a, const struct sator_workload *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->n_loops, b->n_loops);
    assert_int_equal(a->repeat, b->repeat);
    assert_int_equal(a->is_box, b->is_box);
    for (int i = 0; i < a->n_loops; i++) {
        assert_string_equal(a->loop_names[i], b->loop_names[i]);
        if (!a->is_box)
            continue;
        assert_int_equal(a->lower[i], b->lower[i]);
        assert_int_equal(a->upper[i], b->upper[i]);
    }
    if (!a->is_box)
        expect_same_relation(a->domain, b->domain);
    assert_int_equal(a->n_accesses, b->n_accesses);
    for (int i = 0; i < a->n_accesses; i++) {
        assert_string_equal(a->accesses[i].tensor, b->accesses[i].tensor);
        assert_int_equal(a->accesses[i].role, b->accesses[i].role);
        assert_int_equal(a->accesses[i].word_bits, b->accesses[i].word_bits);
        assert_int_equal(a->accesses[i].says_density, b->accesses[i].says_density);
        assert_true(a->accesses[i].density == b->accesses[i].density);
        expect_same_relation(a->accesses[i].relation, b->accesses[i].relation);
    }
}

static void expect_same_figure(const struct sator_figure *a, const struct sator_figure *b)
{
    assert_true(same_number(a->value, b->value));
    if (!isnan(a->value))
        expect_same_text(a->source, b->source);
}

static void expect_same_names(int n_a, const char *const *a, int n_b, const char *const *b)
{
    assert_int_equal(n_a, n_b);
    for (int i = 0; i < n_a; i++)
        assert_string_equal(a[i], b[i]);
}

static void expect_same_gates(
        int n_a, const struct sator_gate *a, int n_b, const struct sator_gate *b)
{
    assert_int_equal(n_a, n_b);
    for (int i = 0; i < n_a; i++) {
        expect_same_text(a[i].tensor, b[i].tensor);
        expect_same_names(a[i].n_zeros, a[i].zeros, b[i].n_zeros, b[i].zeros);
    }
}

static const struct sator_capacity *capacity_of(
        const struct sator_memory *memory, const char *tensor)
{
    for (int i = 0; i < memory->n_capacities; i++) {
        const char *own = memory->capacities[i].tensor;
        if (own == tensor || (own != NULL && tensor != NULL && strcmp(own, tensor) == 0))
            return &memory->capacities[i];
    }
    return NULL;
}

static void expect_same_burst(const struct sator_burst *a, const struct sator_burst *b)
{
    assert_int_equal(a->setup_cycles, b->setup_cycles);
    assert_int_equal(a->granule_bits, b->granule_bits);
}

static void expect_same_timing(const struct sator_memory *a, const struct sator_memory *b)
{
    assert_int_equal(a->holds_idle, b->holds_idle);
    expect_same_gates(a->n_gates, a->gates, b->n_gates, b->gates);
    assert_int_equal(a->transfers.others, b->transfers.others);
    assert_int_equal(a->transfers.n_tensors, b->transfers.n_tensors);
    for (int i = 0; i < a->transfers.n_tensors; i++) {
        assert_string_equal(a->transfers.tensors[i].tensor, b->transfers.tensors[i].tensor);
        assert_int_equal(a->transfers.tensors[i].kind, b->transfers.tensors[i].kind);
    }
    expect_same_burst(&a->burst, &b->burst);
    assert_int_equal(a->n_ports, b->n_ports);
    for (int i = 0; i < a->n_ports; i++)
        expect_same_burst(&a->ports[i].burst, &b->ports[i].burst);
}

static void expect_same_energy(const struct sator_energy *a, const struct sator_energy *b)
{
    expect_same_figure(
            &(struct sator_figure){a->pj, a->source}, &(struct sator_figure){b->pj, b->source});
    if (isnan(a->pj))
        return;
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->is_row, b->is_row);
}

static void expect_same_widths(const struct sator_widths *a, const struct sator_widths *b)
{
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->n_tensors, b->n_tensors);
    for (int i = 0; i < a->n_tensors; i++) {
        assert_string_equal(a->tensors[i].tensor, b->tensors[i].tensor);
        assert_int_equal(a->tensors[i].bits, b->tensors[i].bits);
    }
}

static void expect_same_memory(const struct sator_memory *a, const struct sator_memory *b)
{
    assert_int_equal(a->n_capacities, b->n_capacities);
    for (int i = 0; i < a->n_capacities; i++) {
        const struct sator_capacity *other = capacity_of(b, a->capacities[i].tensor);
        assert_non_null(other);
        assert_true(same_number(a->capacities[i].words, other->words));
        assert_true(same_number(a->capacities[i].bytes, other->bytes));
    }
    assert_int_equal(a->double_buffered, b->double_buffered);
    assert_int_equal(a->overlaps, b->overlaps);
    expect_same_timing(a, b);
    expect_same_energy(&a->read, &b->read);
    expect_same_energy(&a->write, &b->write);
    assert_int_equal(a->n_own_energies, b->n_own_energies);
    for (int i = 0; i < a->n_own_energies; i++) {
        assert_string_equal(a->own_energies[i].tensor, b->own_energies[i].tensor);
        expect_same_energy(&a->own_energies[i].read, &b->own_energies[i].read);
        expect_same_energy(&a->own_energies[i].write, &b->own_energies[i].write);
    }
    expect_same_widths(&a->widths, &b->widths);
    expect_same_figure(&a->leakage_pj, &b->leakage_pj);
    expect_same_figure(&a->area_um2, &b->area_um2);
    expect_same_figure(&a->area_um2_per_byte, &b->area_um2_per_byte);
    assert_true(same_number(a->read_bits, b->read_bits));
    assert_true(same_number(a->write_bits, b->write_bits));
    expect_same_names(a->n_tensors, a->tensors, b->n_tensors, b->tensors);
    expect_same_names(a->n_bypass, a->bypass, b->n_bypass, b->bypass);
    expect_same_names(a->n_may_bypass, a->may_bypass, b->n_may_bypass, b->may_bypass);
}

static void expect_same_array(const struct sator_array *a, const struct sator_array *b)
{
    assert_int_equal(a->n_dims, b->n_dims);
    assert_int_equal(a->pass_through, b->pass_through);
    for (int d = 0; d < a->n_dims; d++)
        assert_int_equal(a->shape[d], b->shape[d]);
    assert_int_equal(a->n_links, b->n_links);
    for (int i = 0; i < a->n_links; i++) {
        assert_string_equal(a->links[i].name, b->links[i].name);
        assert_int_equal(a->links[i].interval, b->links[i].interval);
        expect_same_relation(a->links[i].map, b->links[i].map);
        expect_same_names(a->links[i].n_tensors, a->links[i].tensors, b->links[i].n_tensors,
                b->links[i].tensors);
        assert_true(same_number(a->links[i].bandwidth_bits, b->links[i].bandwidth_bits));
        expect_same_energy(&a->links[i].energy, &b->links[i].energy);
        expect_same_widths(&a->links[i].widths, &b->links[i].widths);
    }
    assert_int_equal(a->n_buses, b->n_buses);
    for (int i = 0; i < a->n_buses; i++) {
        assert_string_equal(a->buses[i].name, b->buses[i].name);
        assert_int_equal(a->buses[i].is_reduction, b->buses[i].is_reduction);
        expect_same_relation(a->buses[i].map, b->buses[i].map);
        expect_same_names(a->buses[i].n_tensors, a->buses[i].tensors, b->buses[i].n_tensors,
                b->buses[i].tensors);
        assert_true(same_number(a->buses[i].bandwidth_bits, b->buses[i].bandwidth_bits));
        expect_same_energy(&a->buses[i].energy, &b->buses[i].energy);
        expect_same_widths(&a->buses[i].widths, &b->buses[i].widths);
    }
}

static void expect_same_arch(const struct sator_arch *a, const struct sator_arch *b)
{
    assert_string_equal(a->name, b->name);
    expect_same_text(a->summary, b->summary);
    expect_same_text(a->source, b->source);
    assert_true(same_number(a->clock_mhz, b->clock_mhz));
    assert_true(same_number(a->technology_nm, b->technology_nm));
    assert_int_equal(a->n_levels, b->n_levels);
    for (int i = 0; i < a->n_levels; i++) {
        const struct sator_level *x = &a->levels[i], *y = &b->levels[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->kind, y->kind);
        if (x->kind == SATOR_LEVEL_MEMORY) {
            expect_same_memory(&x->memory, &y->memory);
        } else if (x->kind == SATOR_LEVEL_ARRAY) {
            expect_same_array(&x->array, &y->array);
        } else {
            expect_same_figure(&x->compute.energy_pj, &y->compute.energy_pj);
            assert_int_equal(x->compute.n_by_width, y->compute.n_by_width);
            for (int k = 0; k < x->compute.n_by_width; k++) {
                assert_int_equal(x->compute.by_width[k].bits, y->compute.by_width[k].bits);
                expect_same_figure(
                        &x->compute.by_width[k].energy_pj, &y->compute.by_width[k].energy_pj);
            }
            expect_same_figure(&x->compute.leakage_pj, &y->compute.leakage_pj);
            expect_same_figure(&x->compute.area_um2, &y->compute.area_um2);
            assert_true(same_number(x->compute.cycles, y->compute.cycles));
            assert_int_equal(x->compute.per_stamp, y->compute.per_stamp);
            expect_same_gates(
                    x->compute.n_gates, x->compute.gates, y->compute.n_gates, y->compute.gates);
        }
    }
}

static void expect_same_stamp(const struct sator_relation *a, struct sator_loc a_loc,
        const struct sator_relation *b, struct sator_loc b_loc)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) {
        expect_same_relation(a, b);
        return;
    }
    assert_int_equal(a_loc.length, b_loc.length);
    assert_memory_equal(
            a_loc.source->text + a_loc.offset, b_loc.source->text + b_loc.offset, a_loc.length);
}

static void expect_same_nest(const struct sator_loop_nest *a, const struct sator_loop_nest *b)
{
    assert_non_null(b);
    assert_int_equal(a->n_entries, b->n_entries);
    for (int i = 0; i < a->n_entries; i++) {
        assert_string_equal(a->entries[i].level, b->entries[i].level);
        expect_same_names(a->entries[i].n_bypass, a->entries[i].bypass, b->entries[i].n_bypass,
                b->entries[i].bypass);
        assert_int_equal(a->entries[i].n_loops, b->entries[i].n_loops);
        for (int k = 0; k < a->entries[i].n_loops; k++) {
            const struct sator_nest_loop *x = &a->entries[i].loops[k];
            const struct sator_nest_loop *y = &b->entries[i].loops[k];
            assert_string_equal(x->loop, y->loop);
            assert_int_equal(x->extent, y->extent);
            assert_int_equal(x->dim, y->dim);
        }
    }
}

static void expect_same_dataflow(const struct sator_dataflow *a, const struct sator_dataflow *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->n_cuts, b->n_cuts);
    for (int i = 0; i < a->n_cuts; i++) {
        assert_string_equal(a->cuts[i].level, b->cuts[i].level);
        assert_int_equal(a->cuts[i].time, b->cuts[i].time);
        assert_int_equal(a->cuts[i].space, b->cuts[i].space);
        expect_same_names(
                a->cuts[i].n_bypass, a->cuts[i].bypass, b->cuts[i].n_bypass, b->cuts[i].bypass);
    }
    if (a->loops != NULL) {
        expect_same_nest(a->loops, b->loops);
        return;
    }
    assert_null(b->loops);
    expect_same_stamp(a->space, a->space_loc, b->space, b->space_loc);
    expect_same_stamp(a->time, a->time_loc, b->time, b->time_loc);
}

/* ---- there and back ---- */

static void network_and_back(const struct sator_network *network)
{
    char *text = write_network(network);
    struct sator_network *back = network_of(text);

    assert_string_equal(network->name, back->name);
    assert_int_equal(network->n_layers, back->n_layers);
    for (int i = 0; i < network->n_layers; i++)
        expect_same_workload(&network->layers[i], &back->layers[i]);
    free(text);
    sator_network_free(back);
}

static void arch_and_back(const struct sator_arch *arch)
{
    char *text = write_arch(arch);
    struct sator_arch *back = arch_of(text);

    expect_same_arch(arch, back);
    free(text);
    sator_arch_free(back);
}

static void dataflow_and_back(const struct sator_dataflow *dataflow)
{
    char *text = write_dataflow(dataflow);
    struct sator_dataflow *back = dataflow_of(text);

    expect_same_dataflow(dataflow, back);
    free(text);
    sator_dataflow_free(back);
}

static void test_library(void **state)
{
    (void)state;
    static const char *const kinds[] = {"workloads", "networks", "archs", "dataflows"};
    int n_read = 0;

    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < sator_library_count(kinds[kind]); i++, n_read++) {
            const char *name = sator_library_name(kinds[kind], i);
            struct sator_network *network = NULL;
            struct sator_arch *arch = NULL;
            struct sator_dataflow *dataflow = NULL;
            enum sator_status st = kind < 2 ? sator_network_load(ctx, name, NULL, &network)
                    : kind == 2             ? sator_arch_load(ctx, name, NULL, &arch)
                                            : sator_dataflow_load(ctx, name, NULL, &dataflow);
            if (st != SATOR_OK)
                say_messages();
            assert_int_equal(st, SATOR_OK);
            if (network != NULL)
                network_and_back(network);
            if (arch != NULL)
                arch_and_back(arch);
            if (dataflow != NULL)
                dataflow_and_back(dataflow);
            sator_network_free(network);
            sator_arch_free(arch);
            sator_dataflow_free(dataflow);
        }
    }
    assert_true(n_read > 100);
}

static void test_workloads(void **state)
{
    (void)state;
    static const char *const texts[] = {
            "sizes: {i: 4}\nop: \"Y[i] += A[i]\"\n",
            "name: \"quote \\\" and \\\\ and \\n\"\nsizes: {i: 4}\nop: \"Y[i] += A[i]\"\n",
            "name: \"yes: [no]\"\nsizes: {y: 4, n: 2}\nop: \"Y[y] += A[y - 3*n + 1] * A[n]\"\n",
            "name: null_is_text\nsizes: {i: 4, j: 9}\nop: \"Y[i] += A[j]\"\nwhere: i + j < 7\n",
            "sizes: {i: 4, j: 9}\nop: \"Y[i] += A[j]\"\nwhere: j >= 2\n",
            "sizes: {i: 4}\nop: \"A[i] += A[i-1]\"\nword_bits: {A: 7}\nrepeat: 3\n",
            "sizes: {i: 4, j: 2}\nop: \"Y[i] += A[i] * B[j]\"\ndensity: {B: 0.1, A: 0}\n",
            "domain: \"{ R[i] : 0 <= i < 4 }\"\nreads: \"{ R[i] -> A[i] }\"\n"
            "writes: [\"{ R[i] -> Y[i] }\", \"{ R[i] -> Z[floor(i/2)] }\"]\n",
            "domain: \"{ S[i,j] : 0 <= i < 4 and 0 <= j < 4; S[i,j] : 8 <= i < 9 and j = i }\"\n"
            "reads: \"{ S[i,j] -> A[i] : j > 1; S[i,j] -> A[j] }\"\nwrites: \"{ S[i,j] -> Y[j] "
            "}\"\n",
            "name: net\nlayers:\n  - {name: a b, sizes: {i: 2}, op: \"Y[i] += A[i]\"}\n"
            "  - {name: \"#\", sizes: {i: 2}, op: \"Y[i] += A[i]\", repeat: 9, word_bits: 4}\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sator_network *network = network_of(texts[i]);
        network_and_back(network);
        sator_network_free(network);
    }
}

static void test_archs(void **state)
{
    (void)state;
    static const char *const texts[] = {
            "levels:\n  - {array: PE, shape: 4}\n  - {compute: mac}\n",
            "name: \"8: x\"\nclock_mhz: 0.1\ntechnology_nm: 33.333333333333336\nlevels:\n"
            "  - {memory: DRAM, bandwidth_bits: {write: 7}, energy_pj: {write: {value: 0.1, "
            "source: \"a \\\"b\\\"\"}, read: {value: 3, source: other}}}\n"
            "  - {memory: L1, energy_pj: {write: 1e-9}, capacity_words: 4, leakage_pj: 1e20,\n"
            "     capacity_bytes: {A: 4503599627370496}, overlaps: false, bypass: [B, C]}\n"
            "  - {array: PE, shape: [2, 3], topology: [mesh, multicast, tree]}\n"
            "  - {memory: L0, double_buffered: true, tensors: [A], may_bypass: [A, B]}\n"
            "  - {array: lane, shape: [4], links: [{map: \"lane[i] -> lane[i+1] : i > 0; lane[i] "
            "-> lane[0]\", interval: 0, tensors: [A, B], energy_pj: {value: 2, source: s}}]}\n"
            "  - {compute: mac, cycles: 0.3, per_stamp: 4, leakage_pj: 2, energy_pj: 1}\n",
            "levels:\n  - {memory: DRAM, bandwidth_bits: 64, setup_cycles: 20, granule_bits: 512}\n"
            "  - {memory: L2, bandwidth_bits: 64, transfers: {A: serial, Y: streamed},\n"
            "     ports: [{name: p, tensors: [A], bandwidth_bits: 22.5, setup_cycles: 3, "
            "granule_bits: 8}]}\n"
            "  - {array: PE, shape: [2, 3], pass_through: true,\n"
            "     links: [{map: \"PE[i,j] -> PE[i,j+1]\", bandwidth_bits: 16}],\n"
            "     multicast: [{map: \"PE[i,j] -> BUS[i]\", bandwidth_bits: 0.5}],\n"
            "     reduction: [{map: \"PE[i,j] -> TREE[j]\", bandwidth_bits: 32}]}\n"
            "  - {memory: L0, transfers: overlapped, holds: idle}\n  - {compute: mac}\n",
            "levels:\n  - {memory: L2, gating: {A: [A], B: B}}\n  - {array: PE, shape: 4}\n"
            "  - {memory: L0, gating: {A: [B, C], Y: [A]}}\n  - {compute: mac, gating: [A, B]}\n",
            "name: n\nsummary: \"what: it is\"\nsource: a book\nlevels:\n"
            "  - {memory: L2, capacity_bytes: 7, area_um2_per_byte: {value: 0.1, source: x}}\n"
            "  - {memory: L1, area_um2: 0.3}\n"
            "  - {array: PE, shape: 4}\n  - {compute: mac, area_um2: {value: 1, source: y}}\n",
            "levels:\n"
            "  - {memory: DRAM, word_bits: 8, energy_pj: {value: 9, row_bits: 64, source: a}}\n"
            "  - {memory: L2, word_bits: {A: 8, Y: 32}, energy_pj: {write: 7, source: b, "
            "word_bits: "
            "4,\n     tensors: {A: 2, B: {read: 3, row_bits: 48}, Y: {value: 1, source: c}}}}\n"
            "  - {memory: L1, energy_pj: {tensors: {Y: {write: 3}}}}\n"
            "  - {array: PE, shape: [2, 3], topology: multicast, word_bits: {Y: 24}}\n"
            "  - {array: lane, shape: [4], topology: systolic-1d, word_bits: 9}\n"
            "  - {compute: mac, energy_pj: {16: 0.8, 8: {value: 0.2, source: d}}}\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sator_arch *arch = arch_of(texts[i]);
        arch_and_back(arch);
        sator_arch_free(arch);
    }
}

static void test_dataflows(void **state)
{
    (void)state;
    static const char *const texts[] = {
            "space: i\ntime: 0\n",
            "name: \"(A-P | B-T)\"\nspace: \"PE[ i%8,\\n j ]\"\ntime: >\n  T[i/8,\n  j%2]\n",
            "space: \"{ S[i] -> PE[i] : i > 2; S[i] -> PE[0] : i <= 2 }\"\n"
            "time: \"{ S[i] -> T[t] : t = 2i }\"\ncuts: {L1: {time: 1}, L2: {time: all, space: "
            "0, bypass: [A, B]}}\n",
            "loops:\n  - {at: DRAM}\n  - {at: PE, for: k 2, parallel: [k 4 -> 0, c 3 -> 1]}\n"
            "  - {at: L1, bypass: [A, Y], for: [k 2, c 5]}\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sator_dataflow *dataflow = dataflow_of(texts[i]);
        dataflow_and_back(dataflow);
        sator_dataflow_free(dataflow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_library, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_workloads, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_archs, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_dataflows, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
