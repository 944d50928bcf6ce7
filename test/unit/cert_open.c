/* Parts whose parallel factors are not decided: what PEs may still share is no reason to bound
 * more. Four PEs that hold a word each take A[x+r] in. On a bus the best is two of x by two of r,
 * three words of each of which 27 cross; where the next PE hands on what it had, each of the 19
 * crosses once. With every loop in time more would.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sator/build.h"
#include "sator/certificate.h"
#include "sator/map.h"

static const char window[] = "name: window\nsizes: {x: 16, r: 4}\nop: \"Y[x] += A[x+r]\"\n";

/* A machine that A is brought over "network" in, of which "words" cross; sums leave by a tree. The
 * certificate is of the energy found times "factor". */
static void certify(
        const char *network, double words, double factor, struct sator_certificate_count *count)
{
    struct sator_map_options options = {.size = sizeof options,
            .objective = SATOR_MAP_ENERGY,
            .threads = 1,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *workload = NULL;
    struct sator_arch *arch = NULL;
    struct sator_map_result *result = NULL;
    char machine[512], *text = NULL;

    snprintf(machine, sizeof machine,
            "name: open\nlevels:\n"
            "  - {memory: DRAM, energy_pj: {read: 100, write: 100}}\n"
            "  - array: PE\n"
            "    shape: [4]\n"
            "    %s\n"
            "    reduction: [{name: sum, map: \"PE[i] -> TREE[0]\", energy_pj: 0}]\n"
            "  - {compute: mac, energy_pj: 0, cycles: 1}\n",
            network);
    assert_int_equal(sator_network_parse(ctx, "workload", window, NULL, &workload), SATOR_OK);
    assert_int_equal(sator_arch_parse(ctx, "arch", machine, NULL, &arch), SATOR_OK);
    assert_int_equal(sator_map(ctx, workload, 0, arch, &options, &result), SATOR_OK);
    assert_true(result->value == 100 * (words + 16)); /* A; Y once */
    result->value *= factor;
    assert_int_equal(
            sator_certificate_write(ctx, workload, 0, arch, &options, result, count, &text),
            SATOR_OK);
    free(text);
    sator_map_result_free(result);
    sator_network_free(workload);
    sator_arch_free(arch);
    sator_ctx_free(ctx);
}

static void test_what_may_be_shared(void **state)
{
    (void)state;
    static const char *const networks[] = {
            "multicast: [{name: cast, map: \"PE[i] -> BUS[0]\", energy_pj: 0}]",
            "links: [{name: next, map: \"PE[i] -> PE[i-1]\", interval: 1, energy_pj: 0}]"};
    struct sator_certificate_count count;

    for (int i = 0; i < 2; i++) {
        certify(networks[i], i == 0 ? 27 : 19, 1, &count);
        assert_int_equal(count.verified, count.total);
        certify(networks[i], i == 0 ? 27 : 19, 1 + 1e-6, &count);
        assert_true(count.verified < count.total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_may_be_shared)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
