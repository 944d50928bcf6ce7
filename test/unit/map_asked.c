/* Bounds of transfers that only the counting engines count: of sliding words where tiles may be
 * short nothing but their cover is known, and nothing else may be looked at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sator/build.h"
#include "sator/input.h"
#include "sator/map.h"

static const char workload[] = "name: small\n"
                               "sizes: {x: 5, r: 3}\n"
                               "op: \"Y[x] += A[x+r] * B[r]\"\n"
                               "word_bits: {A: 8, B: 8, Y: 24}\n";
/* A link, and buses of two PEs: their words have no formula. */
static const char arch[] =
        "name: small-machine\n"
        "levels:\n"
        "  - memory: DRAM\n"
        "    energy_pj: {read: 89, write: 93}\n"
        "    bandwidth_bits: {read: 32, write: 8}\n"
        "  - memory: L2\n"
        "    energy_pj: {read: 24, write: 26}\n"
        "    bandwidth_bits: {read: 8, write: 4}\n"
        "    capacity_bytes: 23\n"
        "  - array: PE\n"
        "    shape: [3]\n"
        "    links: [{name: l, map: \"PE[i] -> PE[i+2]\", interval: 1, energy_pj: 0.5}]\n"
        "    multicast: [{name: m, map: \"PE[i] -> BUS[i/2]\", energy_pj: 0.5}]\n"
        "  - memory: L1\n"
        "    energy_pj: {read: 5, write: 11}\n"
        "    bandwidth_bits: {read: 4, write: 64}\n"
        "    capacity_words: 13\n"
        "    double_buffered: true\n"
        "    may_bypass: [A]\n"
        "  - {compute: mac, energy_pj: 1, cycles: 1}\n";

/* Leave large numbers where later calls have what they do not set. */
static void scribble(void)
{
    volatile unsigned char bytes[1 << 18];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0x7f;
}

/* The least energy, which is proved, with "strategy". */
static double least_energy(enum sator_map_strategy strategy)
{
    struct sator_map_options options = {.size = sizeof options,
            .objective = SATOR_MAP_ENERGY,
            .strategy = strategy,
            .imperfect = true};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *machine = NULL;
    struct sator_map_result *result = NULL;

    assert_int_equal(sator_network_parse(ctx, "workload", workload, NULL, &network), SATOR_OK);
    assert_int_equal(sator_arch_parse(ctx, "arch", arch, NULL, &machine), SATOR_OK);
    scribble();
    assert_int_equal(sator_map(ctx, network, 0, machine, &options, &result), SATOR_OK);
    assert_true(result->proved);
    double pj = result->energy_pj;
    sator_map_result_free(result);
    sator_network_free(network);
    sator_arch_free(machine);
    sator_ctx_free(ctx);
    return pj;
}

static void test_bounds_cut_nothing_better(void **state)
{
    (void)state;
    double all = least_energy(SATOR_MAP_EXHAUSTIVE);
    assert_true(fabs(least_energy(SATOR_MAP_OPTIMAL) - all) <= 1e-9 * all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_bounds_cut_nothing_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
