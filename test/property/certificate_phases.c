/* The scheduled time of the certificates against the model's, which follows the same mapping as
 * relations and cuts: of a random mapping it is the same in most cases, and never more; nor is the
 * bound of the part that is left when some of the mapping is forgotten.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/run.h"
#include "property/certificate_case.h"

#include "mapper/search/search.h"
#include "model/model.h"
#include "sator/certificate.h"

struct tally {
    int mappings, equal, bounds;
};

/* Let the loops of memories stand in the mapping's order alone. */
static void fix_orders(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        struct cert_problem *cert)
{
    for (int m = 0; m < p->n_memories; m++) {
        struct cert_row *row = &cert->row[cert->memory[m].row];
        unsigned inside = 0;
        for (int i = p->n_loops - 1; i >= 0; i--) { /* the innermost first */
            int loop = mapping->order[m][i];
            row->within[loop] = inside;
            if (mapping->factor[p->memory[m].row][loop] > 1)
                inside |= 1U << loop;
        }
    }
}

static void show(const struct problem_case *c, const struct sator_result *result, double found)
{
    print_message("%s%s%s | %s\ncertificate %.17g, model %.17g\n", c->workload_text, c->arch_text,
            result->space, result->time, found, result->scheduled_cycles);
    for (int l = 0; l < c->arch->n_levels; l++) {
        const struct sator_memory *memory = &c->arch->levels[l].memory;
        if (c->arch->levels[l].kind == SATOR_LEVEL_MEMORY)
            print_message("# %s: transfers %s, overlaps %d, %g and %g bits a cycle, setup %lld, "
                          "granule %lld\n",
                    c->arch->levels[l].name, sator_transfer_name(memory->transfers.others),
                    memory->overlaps, memory->read_bits, memory->write_bits,
                    (long long)memory->burst.setup_cycles, (long long)memory->burst.granule_bits);
    }
}

static void compare(const struct problem_case *c, const struct cert_problem *cert,
        const struct mapper_mapping *mapping, struct machines_rng *rng, struct tally *tally)
{
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    const struct mapper_problem *p = &c->problem;
    const int n = cert->n_loops * cert->n_rows;
    struct sator_arena *arena = sator_arena_new();
    struct cert_problem *own = SATOR_NEW(arena, struct cert_problem);
    struct sator_result *result = NULL;
    struct cert_part part;

    if (sator_model_analyze(c->ctx, &c->network->layers[0], c->arch,
                sator_mapper_dataflow(p, arena, mapping, "m"), &options, &result) == SATOR_OK &&
            !isnan(result->scheduled_cycles)) {
        double cycles = result->scheduled_cycles;
        *own = *cert;
        fix_orders(p, mapping, own);
        forget(cert, p, mapping, n, false, true, &part);
        double found = cert_bound_orders(own, &part, INFINITY);
        tally->mappings++;
        tally->equal += fabs(found - cycles) < 1e-9 * cycles;
        if (found > cycles * (1 + 1e-9) ||
                (found < cycles * (1 - 1e-9) && getenv("SATOR_TEST_SHOW") != NULL))
            show(c, result, found);
        assert_true(found <= cycles * (1 + 1e-9));
        for (int k = 0; k < 12; k++, tally->bounds++) {
            int known = (int)machines_draw(rng, (uint64_t)n + 1);
            bool outward = machines_draw(rng, 2) > 0;
            forget(cert, p, mapping, known, outward, machines_draw(rng, 3) > 0, &part);
            double bound = cert_bound(cert, &part, INFINITY);
            if (!(bound <= cycles * (1 + 1e-9))) {
                print_message("known %d of %d\n", known, n);
                show(c, result, bound);
            }
            assert_true(bound <= cycles * (1 + 1e-9));
        }
    }
    sator_result_free(result);
    free(sator_ctx_take_messages(c->ctx, false));
    sator_arena_free(arena);
}

static void compare_some(struct problem_case *c, struct machines_rng *rng, struct tally *tally)
{
    const struct cert_question question = {
            &c->network->layers[0], c->arch, SATOR_MAP_LATENCY, true, 0, NULL, false, false, false};
    const struct cert_space space = space_of(&c->problem);
    struct cert_problem *cert = SATOR_NEW(c->arena, struct cert_problem);
    struct mapper_words *words = sator_mapper_words_new(&c->problem);
    uint64_t draws = machines_draw(rng, UINT64_C(1) << 40) + 1;
    const char *why;

    if (cert_problem_init(c->ctx, c->arena, &question, &space, cert, &why) == SATOR_OK &&
            cert->n_loops > 0 && !cert->has_late && !cert->has_passed && !cert->has_odd) {
        for (int k = 0; k < 8; k++) { /* what no proof leaves out */
            struct mapper_mapping mapping;
            sator_mapper_draw(&c->problem, &draws, &mapping);
            if (sator_mapper_is_legal(&c->problem, words, &mapping))
                compare(c, cert, &mapping, rng, tally);
        }
    }
    sator_mapper_words_free(words);
}

static void test_phases(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    const struct machines_options options = {
            .most_extent = 12, .bandwidths = true, .most_memories = 4};
    struct tally tally[2] = {{0}, {0}}; /* of skewed arrays */
    int n_cases = (int)run_count(400);

    for (int n = 0; n < n_cases; n++) {
        struct problem_case c;
        if (open_case(&c, &rng, &options) && draw_timing(&c, &rng)) {
            bool is_skewed = machines_draw(&rng, 4) != 0 && skew_case(&c, &rng, false);
            compare_some(&c, &rng, &tally[is_skewed]);
        }
        close_case(&c);
    }
    for (int k = 0; k < 2; k++)
        print_message("%d of %d times are the model's; %d bounds are no more\n", tally[k].equal,
                tally[k].mappings, tally[k].bounds);
    assert_true(n_cases < 100 ||
            (tally[0].mappings > n_cases / 2 && tally[0].equal > 0.9 * tally[0].mappings &&
                    tally[1].mappings > 0)); /* few arrays can be skewed */
}

/* What a file says: not both when transfers happen, and that they do not overlap. */
static void agree(const struct sator_arch *arch)
{
    struct sator_level *levels = (struct sator_level *)(uintptr_t)arch->levels;

    for (int l = 0; l < arch->n_levels; l++)
        levels[l].memory.overlaps |= levels[l].memory.transfers.others != SATOR_TRANSFER_UNSAID;
}

/* Certify what is found; a value above it is not proved. Whether there is a certificate. */
static bool certify(const struct problem_case *c, enum sator_map_objective objective, double *share,
        bool *whole)
{
    const struct sator_map_options options = {.size = sizeof options,
            .threads = 1,
            .objective = objective,
            .budget_seconds = 2}; /* few take longer */
    struct sator_certificate_count count, checked;
    struct sator_map_result *result = NULL;
    char *text = NULL;

    agree(c->arch);
    bool is_made = sator_map(c->ctx, c->network, 0, c->arch, &options, &result) == SATOR_OK &&
            sator_certificate_write(
                    c->ctx, c->network, 0, c->arch, &options, result, &count, &text) == SATOR_OK;
    if (is_made) {
        if (sator_certificate_check(c->ctx, "a certificate", text, &checked, NULL) != SATOR_OK)
            fail_msg("%s%s", text, sator_ctx_take_messages(c->ctx, false));
        *whole = checked.verified == checked.total;
        *share = (double)checked.verified / (double)checked.total;
        if (!*whole && getenv("SATOR_TEST_SHOW") != NULL)
            print_message("%s%s", text, sator_ctx_take_messages(c->ctx, false));
        assert_int_equal(checked.verified, count.verified);
        bool is_skewed = strstr(text, "skew: [") != NULL; /* of which nothing may be proved */
        free(text);
        text = NULL;
        result->value *= 1 + 1e-6;
        if (!is_skewed &&
                sator_certificate_write(c->ctx, c->network, 0, c->arch, &options, result, &count,
                        &text) == SATOR_OK &&
                count.verified == count.total) {
            print_message("%s", text);
            fail_msg("a value above the optimum is proved");
        }
    }
    free(text);
    sator_map_result_free(result);
    free(sator_ctx_take_messages(c->ctx, false));
    return is_made;
}

static void test_certificates(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 1};
    int n_cases = (int)run_count(40), made = 0, n_whole = 0;
    double shares = 0; /* of each certificate: few have most of the parts */

    for (int tried = 0; made < n_cases && tried < 4000; tried++) {
        const struct machines_options options = {.most_extent = 4 + (int)machines_draw(&rng, 6),
                .bandwidths = true,
                .most_memories = 3};
        struct problem_case c;
        double share;
        bool whole;
        if (open_case(&c, &rng, &options) && draw_timing(&c, &rng) &&
                certify(&c, (enum sator_map_objective)machines_draw(&rng, 3), &share, &whole)) {
            made++;
            n_whole += whole;
            shares += share;
        }
        close_case(&c);
    }
    print_message("%d of %d certificates are verified, %.2f %% of their parts\n", n_whole, made,
            100 * shares / made);
    assert_int_equal(made, n_cases);
    assert_true(n_cases < 40 || shares >= 0.9 * made); /* skews have bounds alone */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_phases),
            cmocka_unit_test(test_certificates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
