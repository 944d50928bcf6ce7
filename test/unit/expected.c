/* What zeros are expected to save, by hand: of a workload of a few fields. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"
#include "frontend/frontend.h"
#include "model/model.h"

static const char machine_text[] = "name: skips\n"
                                   "levels:\n"
                                   "  - {memory: L2}\n"
                                   "  - {array: PE, shape: [2]}\n"
                                   "  - {compute: mac, energy_pj: 10, skipping: [A, Y]}\n";

/* What is asked of 32 cycles, half of which have an A that is not 0; ports take "port_cycles". */
static struct sator_expected ask(struct sator_access *accesses, int n_accesses, double port_cycles)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_arena *arena = sator_arena_new();
    struct sator_settings settings = {0};
    struct sator_arch *arch = NULL;
    struct sator_workload workload = {.accesses = accesses, .n_accesses = n_accesses};
    const struct sator_level_result level = {0}, *memories[] = {&level};
    struct sator_expected_question question = {.n_memories = 1,
            .memories = memories,
            .instances = 64,
            .energy_pj = 1000,
            .compute_cycles = 32,
            .port_cycles = port_cycles};
    struct sator_expected expected;

    assert_int_equal(sator_yaml_arch(ctx, sator_source_from_text(ctx, "a.yaml", machine_text),
                             &settings, &arch),
            SATOR_OK);
    assert_int_equal(
            sator_model_expected(ctx, arena, &workload, arch, &question, &expected), SATOR_OK);
    expected.savings = NULL;
    sator_arch_free(arch);
    sator_arena_free(arena);
    sator_ctx_free(ctx);
    return expected;
}

/* Of Y no density is said: all of it counts as not 0. What stands in memory past the last access is
 * none of the workload's. */
static void test_what_is_said(void **state)
{
    struct sator_access accesses[] = {
            {.tensor = "A",
                    .role = SATOR_READ,
                    .word_bits = 16,
                    .says_density = true,
                    .density = 0.5},
            {.tensor = "Y", .role = SATOR_WRITE, .word_bits = 16, .density = 0.125},
            {.tensor = "Y",
                    .role = SATOR_WRITE,
                    .word_bits = 16,
                    .says_density = true,
                    .density = 0.25},
    };

    (void)state;
    struct sator_expected half = ask(accesses, 2, NAN);
    assert_true(half.cycles == 16);
    assert_true(half.energy_pj == 1000 - 64 * 10 / 2);
    struct sator_expected eighth = ask(accesses, 3, NAN);
    assert_true(eighth.cycles == 4);
    assert_true(eighth.energy_pj == 1000 - 64 * 10 * 0.875);
}

static void test_ports_are_not_skipped(void **state)
{
    struct sator_access access = {.tensor = "A",
            .role = SATOR_READ,
            .word_bits = 16,
            .says_density = true,
            .density = 0.5};

    (void)state;
    assert_true(ask(&access, 1, 15).cycles == 16);
    assert_true(ask(&access, 1, 20).cycles == 20);
}

static void test_nothing_is_said(void **state)
{
    struct sator_access access = {
            .tensor = "A", .role = SATOR_READ, .word_bits = 16, .density = 0.5};

    (void)state;
    assert_true(isnan(ask(&access, 1, 20).cycles));
    assert_true(isnan(ask(&access, 1, 20).energy_pj));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_what_is_said),
            cmocka_unit_test(test_ports_are_not_skipped),
            cmocka_unit_test(test_nothing_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
