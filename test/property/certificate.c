/* The certificate's bounds against mappings: of a random mapping some factors are forgotten, and
 * the bound of the part that is left, which knows nothing of the mapper's cost, is never above what
 * the mapping costs. Certificates of random problems are verified by the checker, and every optimum
 * that the search proves is one that they find no part below.
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
#include "sator/certificate.h"

enum {
    MOST_TEXTS = 2
};

static int n_counted; /* mappings whose words without a formula were compared */
static int n_raised; /* values that were claimed to be higher */
static int n_filled; /* certificates of factors that need not divide */
static int n_grouped; /* mappings over buses that have parts of rows */

/* A few constraints on the case's problem; those that its extents or each other rule out are left
 * out. */
struct constraints {
    char text[MOST_TEXTS][256];
    const char *list[MOST_TEXTS];
    int n;
};

static void constrain(struct problem_case *c, struct machines_rng *rng, struct constraints *k)
{
    k->n = 0;
    for (uint64_t n = machines_draw(rng, MOST_TEXTS + 1); n > 0 && c->problem.n_loops > 0; n--) {
        struct mapper_problem before = c->problem;
        write_constraint(&c->problem, rng, k->text[k->n], sizeof k->text[0]);
        k->list[k->n] = k->text[k->n];
        if (sator_mapper_constrain(c->ctx, &c->problem, k->text[k->n]) == SATOR_OK)
            k->n++;
        else
            c->problem = before;
    }
    free(sator_ctx_take_messages(c->ctx, false));
}

/* Words counted here and by the engines. Whether some were of those that have no formula. */
static bool compare_counted(const struct cert_problem *cert, const struct mapper_problem *p,
        const struct mapper_mapping *mapping, const struct cert_part *part,
        const struct mapper_traffic *traffic)
{
    struct cert_order order[CERT_MEMORIES];
    bool any = false;

    for (int m = 0; m < p->n_memories; m++) {
        order[m].n = 0;
        for (int i = 0; i < p->n_loops; i++) {
            int loop = mapping->order[m][i];
            if (mapping->factor[p->memory[m].row][loop] > 1)
                order[m].loop[order[m].n++] = loop;
        }
    }
    for (int m = 0; m < cert->n_moves; m++) {
        const struct cert_move *move = &cert->move[m];
        struct cert_words words;
        if (!cert_count_words(cert, part, move, order, &words))
            continue;
        for (int t = 0; t < p->n_transfers; t++) {
            const struct mapper_transfer *same = &p->transfer[t];
            if (strcmp(p->access[same->access].name, cert->tensor[move->tensor].name) != 0 ||
                    same->parent != move->parent || same->child != move->child)
                continue;
            assert_true(words.unique == (double)traffic->unique[t]);
            assert_true(words.arriving == (double)traffic->arriving[t]);
            any |= cert_is_counted(cert, part, move);
        }
    }
    return any;
}

static void compare(const struct problem_case *c, const struct cert_problem *cert,
        const struct mapper_mapping *mapping, struct machines_rng *rng, struct mapper_words *words)
{
    const struct mapper_problem *p = &c->problem;
    const int n = cert->n_loops * cert->n_rows;
    struct mapper_traffic traffic;
    struct cert_part part;
    bool is_grouped = false;

    for (int m = 0; m < cert->n_moves; m++) {
        for (int r = 0; r < cert->n_rows; r++)
            is_grouped |= cert->move[m].group[r] > 0;
    }
    n_grouped += is_grouped;
    sator_mapper_count(p, words, mapping, &traffic);
    double value = sator_mapper_cost(p, &traffic).value;
    for (int k = 0; k < 12 && !traffic.is_unknown; k++) {
        int known = k < 3 ? n : (int)machines_draw(rng, (uint64_t)n + 1);
        bool outward = machines_draw(rng, 2) > 0 || cert->fills,
             is_ordered = machines_draw(rng, 3) > 0;
        forget(cert, p, mapping, known, outward, is_ordered, &part);
        assert_true(cert_may_be(cert, &part));
        if (known == n && !cert->fills)
            n_counted += compare_counted(cert, p, mapping, &part, &traffic);
        double bound = cert_bound(cert, &part, INFINITY);
        if (known == n)
            bound = fmax(bound, cert_bound_orders(cert, &part, INFINITY));
        if (!(bound <= value * (1 + 1e-9))) {
            print_message("%s%sknown %d of %d: bound %.17g, value %.17g\n", c->workload_text,
                    c->arch_text, known, n, bound, value);
            for (int r = 0; r < p->n_rows; r++) {
                for (int i = 0; i < p->n_loops; i++)
                    print_message("%lld ", (long long)mapping->factor[r][i]);
                print_message("\n");
            }
        }
        assert_true(bound <= value * (1 + 1e-9));
    }
}

/* The same skew with words counted that have no formula.
 */
static bool count_case(struct problem_case *c)
{
    struct mapper_skew *skew = SATOR_NEW(c->arena, struct mapper_skew);
    unsigned bypassed[MAPPER_MEMORIES];

    *skew = *c->problem.skew;
    skew->counted = true;
    for (int m = 0; m < c->problem.n_memories; m++)
        bypassed[m] = c->problem.memory[m].bypassed;
    return sator_mapper_problem_init_skewed(c->ctx, c->arena, &c->network->layers[0], c->arch,
                   c->problem.objective, bypassed, skew, &c->problem) == SATOR_OK &&
            sator_mapper_close_skew(&c->problem);
}

static void test_bounds(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    int n_cases = (int)run_count(200), compared = 0, covered = 0, skewed = 0;

    for (int tried = 0; covered < n_cases && tried < 20000; tried++) {
        struct problem_case c;
        struct machines_options options = {
                .most_extent = 4 + (int)machines_draw(&rng, 12), .most_memories = 4};
        struct constraints constraints;
        const char *why;
        if (open_case(&c, &rng, &options)) {
            bool wants_skew = covered - skewed >= n_cases / 2,
                 counts = wants_skew && skewed >= n_cases / 4,
                 is_skewed =
                         wants_skew && skew_case(&c, &rng, counts) && (!counts || count_case(&c));
            if (wants_skew && !is_skewed) {
                close_case(&c);
                continue;
            }
            constrain(&c, &rng, &constraints);
            struct cert_problem *cert = SATOR_NEW(c.arena, struct cert_problem);
            const struct cert_question question = {&c.network->layers[0], c.arch, SATOR_MAP_EDP,
                    false, constraints.n, constraints.list, true, counts, false};
            struct cert_space space = space_of(&c.problem);
            space.apart = machines_draw(&rng, 2) > 0;
            bool is_covered =
                    cert_problem_init(c.ctx, c.arena, &question, &space, cert, &why) == SATOR_OK;
            struct mapper_words *words = sator_mapper_words_new(&c.problem);
            covered += is_covered && cert->n_loops > 0;
            skewed += is_covered && cert->n_loops > 0 && is_skewed;
            for (int k = 0; k < 40 && is_covered && cert->n_loops > 0; k++) {
                uint64_t state_of = machines_draw(&rng, UINT64_C(1) << 40) + 1;
                struct mapper_mapping mapping;
                sator_mapper_draw(&c.problem, &state_of, &mapping);
                if (!sator_mapper_is_legal(&c.problem, words, &mapping) ||
                        !sator_mapper_is_allowed(&c.problem, &mapping) ||
                        !is_in_order(&c.problem, &mapping))
                    continue;
                compare(&c, cert, &mapping, &rng, words);
                compared++;
            }
            sator_mapper_words_free(words);
        }
        close_case(&c);
    }
    print_message("%d mappings of %d problems, %d of them skewed; %d with words that are counted, "
                  "%d over buses of parts of rows\n",
            compared, covered, skewed, n_counted, n_grouped);
    assert_true(compared > 5 * n_cases && skewed >= n_cases / 2);
    assert_true(n_cases < 100 || n_counted >= n_cases); /* a few may have none */
    assert_true(n_cases < 400 || n_grouped > 0);
}

/* Whether all factors outside the innermost memory divide the number of its tiles, which are the
 * least for it. */
static bool is_filled(const struct cert_problem *cert, const struct mapper_problem *p,
        const struct mapper_mapping *mapping)
{
    const int inner = p->memory[p->n_memories - 1].row;
    bool filled = true;

    for (int i = 0; i < cert->n_loops; i++) {
        const int64_t tile = mapping->factor[inner][i], extent = cert->extent[i];
        int64_t tiles = (extent + tile - 1) / tile, outside = 1;
        for (int r = 0; r < inner; r++)
            outside *= mapping->factor[r][i];
        filled &= outside == tiles && tile == (extent + tiles - 1) / tiles;
    }
    return filled;
}

/* The same bounds where the last tile of the innermost memory may be shorter than the others. */
static void test_filled(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 2};
    int n_cases = (int)run_count(100), compared = 0, covered = 0;

    for (int tried = 0; covered < n_cases && tried < 20000; tried++) {
        const struct machines_options options = {.most_extent = 5 + (int)machines_draw(&rng, 16),
                .bandwidths = machines_draw(&rng, 2) > 0,
                .prime_extents = machines_draw(&rng, 2) > 0,
                .most_memories = 4};
        struct problem_case c;
        const char *why;
        if (open_case(&c, &rng, &options) &&
                sator_mapper_allow_imperfect(c.ctx, &c.problem) == SATOR_OK) {
            struct cert_problem *cert = SATOR_NEW(c.arena, struct cert_problem);
            const struct cert_question question = {.workload = &c.network->layers[0],
                    .arch = c.arch,
                    .objective = SATOR_MAP_EDP,
                    .fills = true};
            const struct cert_space space = space_of(&c.problem);
            bool is_covered =
                    cert_problem_init(c.ctx, c.arena, &question, &space, cert, &why) == SATOR_OK &&
                    cert->n_loops > 0 && cert->fills;
            struct mapper_words *words = sator_mapper_words_new(&c.problem);
            int found = 0;
            for (int k = 0; k < 400 && is_covered && found < 20; k++) {
                uint64_t state_of = machines_draw(&rng, UINT64_C(1) << 40) + 1;
                struct mapper_mapping mapping;
                sator_mapper_draw(&c.problem, &state_of, &mapping);
                if (!sator_mapper_is_legal(&c.problem, words, &mapping) ||
                        !is_filled(cert, &c.problem, &mapping))
                    continue;
                compare(&c, cert, &mapping, &rng, words);
                found++;
            }
            compared += found;
            covered += found > 0;
            sator_mapper_words_free(words);
        }
        close_case(&c);
    }
    print_message(
            "%d mappings of %d problems whose last tiles may be shorter\n", compared, covered);
    assert_true(compared > 5 * n_cases);
}

/* A value above what a mapping has is not proved, if it is of one of the spaces that "certificate"
 * covers: of some skews nothing is proved, nor of remainders at several levels. */
static void claim_more(const struct problem_case *c, const struct sator_map_options *options,
        const struct sator_map_result *result, const char *certificate)
{
    struct sator_map_result more = *result;
    struct sator_certificate_count count;
    char *text = NULL;

    more.value *= 1 + 1e-6;
    if (strstr(certificate, "skew: [") != NULL || options->imperfect)
        return;
    n_raised++;
    if (sator_certificate_write(c->ctx, c->network, 0, c->arch, options, &more, &count, &text) ==
            SATOR_OK) {
        if (count.verified == count.total)
            print_message("%s%s%s", c->workload_text, c->arch_text, text);
        assert_true(count.verified < count.total);
    }
    free(text);
}

/* What the search proves certificates prove, too, but for some windows over links and wires, which
 * these machines have more of than others. */
static void test_certificates(void **state)
{
    (void)state;
    struct machines_rng rng = {seed() + 1};
    struct sator_map_options options = {
            .size = sizeof options, .threads = 1, .timing = SATOR_TIMING_ROOFLINE};
    uint64_t verified = 0, total = 0;
    double shares = 0; /* of each certificate: few have most of the parts */
    int n_cases = (int)run_count(60), written = 0;

    for (int tried = 0; written < n_cases && tried < 2000; tried++) {
        struct problem_case c;
        struct machines_options what = {
                .most_extent = 4 + (int)machines_draw(&rng, 8), .most_memories = 3};
        struct sator_map_result *result = NULL;
        struct sator_certificate_count count, checked;
        struct constraints constraints;
        char *text = NULL;
        options.objective = (enum sator_map_objective)machines_draw(&rng, 3);
        options.imperfect = machines_draw(&rng, 3) == 0;
        bool is_open = open_case(&c, &rng, &what);
        constraints.n = 0;
        if (is_open && !options.imperfect)
            constrain(&c, &rng, &constraints);
        options.constraints = constraints.list;
        options.n_constraints = is_open ? constraints.n : 0;
        if (is_open && sator_map(c.ctx, c.network, 0, c.arch, &options, &result) == SATOR_OK &&
                sator_certificate_write(
                        c.ctx, c.network, 0, c.arch, &options, result, &count, &text) == SATOR_OK) {
            assert_int_equal(sator_certificate_check(c.ctx, "a certificate", text, &checked, NULL),
                    SATOR_OK);
            if (checked.verified != count.verified || checked.total != count.total)
                print_message("%s%s%s", c.workload_text, c.arch_text, text);
            assert_int_equal(checked.verified, count.verified);
            assert_int_equal(checked.total, count.total);
            claim_more(&c, &options, result, text);
            if (count.verified < count.total)
                print_message("%s%s%llu of %llu\n", c.workload_text, c.arch_text,
                        (unsigned long long)count.verified, (unsigned long long)count.total);
            verified += count.verified;
            total += count.total;
            shares += (double)count.verified / (double)count.total;
            n_filled += options.imperfect;
            written++;
        }
        free(text);
        sator_map_result_free(result);
        close_case(&c);
    }
    print_message("%llu of %llu parts of %d certificates, %d of factors that need not divide\n",
            (unsigned long long)verified, (unsigned long long)total, written, n_filled);
    assert_int_equal(written, n_cases);
    assert_true(n_cases < 60 || (n_raised > n_cases / 3 && n_filled > 5)); /* others are skewed */
    assert_true(n_cases < 60 || shares >= 0.99 * written); /* a few may have less */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_bounds),
            cmocka_unit_test(test_filled),
            cmocka_unit_test(test_certificates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
