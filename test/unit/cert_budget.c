/* What is said of a cover that --budget leaves no time for: the clock is looked at before the first
 * parallel factor is chosen, when the whole space alone has been bounded and nothing is settled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sator/certificate.h"
#include "sator/input.h"
#include "sator/map.h"

static void test_no_time_is_left(void **state)
{
    (void)state;
    struct sator_input_options input = {.size = sizeof input};
    struct sator_map_options options = {
            .size = sizeof options, .threads = 1, .timing = SATOR_TIMING_ROOFLINE};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network = NULL;
    struct sator_arch *arch = NULL;
    struct sator_map_result *result = NULL;
    char *text = NULL;

    assert_int_equal(sator_network_load(ctx, "gemm", &input, &network), SATOR_OK);
    assert_int_equal(sator_arch_load(ctx, "conventional", &input, &arch), SATOR_OK);
    assert_int_equal(sator_map(ctx, network, 0, arch, &options, &result), SATOR_OK);
    options.budget_seconds = 1e-9;
    assert_int_equal(sator_certificate_write(ctx, network, 0, arch, &options, result, NULL, &text),
            SATOR_LIMIT);
    char *said = sator_ctx_take_messages(ctx, false);
    assert_non_null(strstr(said,
            "more than --budget leaves time for; bounds so far: 1, of the parallel factors 0 % are "
            "settled"));
    free(said);
    sator_map_result_free(result);
    sator_network_free(network);
    sator_arch_free(arch);
    sator_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_time_is_left)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
