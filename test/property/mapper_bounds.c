/* The certificate: the bounds that the optimal strategy cuts by, checked by random completions:
 * whatever is known of a mapping, the bound must not exceed what any mapping that agrees with it
 * costs, counted exactly. What they cut off: mapper_cuts.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "oracle/run.h"
#include "property/mapper_case.h"
#include "support/completions.h"

static void test_random_machines(void **state)
{
    (void)state;
    int n_cases = (int)run_count(400), imperfect = 0, filled = 0;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        struct machines_options options = {.most_extent = 4 + (int)machines_draw(&rng, 20),
                .bandwidths = machines_draw(&rng, 2) != 0,
                .prime_extents = machines_draw(&rng, 4) == 0,
                .most_memories = 4,
                .counted = machines_draw(&rng, 8) == 0,
                .small = machines_draw(&rng, 3) == 0};
        if (open_case(&one, &rng, &options)) {
            if (machines_draw(&rng, 2) == 0) /* not on all machines */
                imperfect += sator_mapper_allow_imperfect(one.ctx, &one.problem) == SATOR_OK;
            const struct mapper_row *innermost = &one.problem.row[one.problem.innermost];
            if (machines_draw(&rng, 2) == 0 && innermost->memory > 0 && !one.problem.only_chains) {
                /* the space that is searched first: only the last tiles are short; a lone memory's
                 * is whole, and no other row could take what is left */
                filled += one.problem.chains;
                one.problem.chains = false;
            }
            if (machines_draw(&rng, 2) == 0)
                sator_mapper_allow_orders(&one.problem);
            if (!completions_check(&c, &one.problem, &rng, 4))
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message("%d comparisons, %d with steps, %d of joined transfers, %d of open tiles whose "
                  "words spare energy; %d machines with short tiles, of %d last ones only\n",
            c.comparisons, c.raised, c.together, c.shrunk, imperfect, filled);
    assert_int_equal(c.wrong, 0);
    print_message("%d bounds of two memories, %d with what is further in, %d of any tile\n",
            c.pairs, c.standing, c.either);
    assert_true(n_cases < 100 || (c.standing > n_cases / 10 && c.either > n_cases / 20));
    print_message("%d mappings beside bounds of all arrays outside\n", c.apart);
    assert_true(n_cases < 100 || c.apart > n_cases / 4);
    print_message("%d mappings within limits, %d beyond\n", c.within, c.beyond);
    assert_true(n_cases < 100 || (c.within > n_cases && c.beyond > n_cases));
    assert_true(imperfect > n_cases / 20);
    assert_true(n_cases < 100 || filled > n_cases / 40);
    assert_true(c.comparisons > n_cases * 20);
    assert_true(
            n_cases < 100 || c.raised > n_cases / 10); /* a few do not say how often it is met */
    assert_true(n_cases < 100 || c.together > n_cases / 4);
}

/* ---- real layers ---- */

static void test_real_layers(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int imperfect = 0;

    for (size_t i = 0; i < 2 * (size_t)CHECKED_LAYERS; i++) {
        struct checked_layer real;
        checked_open_layer(&real, i / 2);
        bool is_short = i % 2 != 0 && /* last tiles, where they are allowed */
                sator_mapper_allow_imperfect(real.ctx, &real.problem) == SATOR_OK;
        if (i % 2 == 0 || is_short)
            completions_check(&c, &real.problem, &rng, 60);
        imperfect += is_short;
        checked_close_layer(&real);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
    assert_true(imperfect >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_random_machines),
            cmocka_unit_test(test_real_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
