/* The optimal strategy against the exhaustive one: random small problems, every objective. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "property/mapper_case.h"

#include "mapper/search.h"

static void run(struct problem_case *c, void (*strategy)(struct mapper_search *search),
        struct mapper_search *search, const struct sator_map_options *options, double seconds)
{
    *search = (struct mapper_search){.ctx = c->ctx,
            .problem = &c->problem,
            .words = sator_mapper_words_new(&c->problem),
            .options = options,
            .deadline = sator_mapper_now() + seconds, /* spaces that take longer are skipped */
            .next_report = INFINITY};
    strategy(search);
    sator_mapper_words_free(search->words);
}

static int n_stopped; /* searches cut short, whose bound must hold all the same */
static uint64_t costed; /* mappings that the exhaustive searches evaluated */

static double value(const struct mapper_search *search)
{
    return search->found ? search->best_cost.value : INFINITY;
}

static void show(const struct problem_case *c, const struct mapper_search *search)
{
    print_message("value %.17g (pj %.17g, cycles %.17g)\n", value(search), search->best_cost.pj,
            search->best_cost.cycles);
    for (int r = 0; r < c->problem.n_rows && search->found; r++) {
        print_message("  row %d:", r);
        for (int i = 0; i < c->problem.n_loops; i++) {
            int loop = c->problem.row[r].is_space ? i
                                                  : search->best.order[c->problem.row[r].memory][i];
            if (search->best.factor[r][loop] > 1)
                print_message(
                        " %s %d", c->problem.loop_names[loop], (int)search->best.factor[r][loop]);
        }
        print_message("\n");
    }
}

/* 1: they differ; 0: they agree; -1: too large to enumerate. */
static int compare(struct problem_case *c, int *feasible)
{
    struct sator_map_options options = {0};
    struct mapper_search optimal, exhaustive, sunstone, random, stopped;
    double heuristic = INFINITY;

    options.seed = 1;
    options.samples = 50;
    run(c, sator_mapper_optimal, &optimal, &options, 1);
    for (int variant = 0; variant < 6; variant++) { /* directions, orders within a level */
        options.top_down = variant >= 3;
        options.intra_order = variant % 3;
        run(c, sator_mapper_sunstone, &sunstone, &options, 1);
        heuristic = fmin(heuristic, value(&sunstone));
    }
    run(c, sator_mapper_random_search, &random, &options, 1);
    run(c, sator_mapper_exhaustive, &exhaustive, &options, 1);
    run(c, sator_mapper_optimal, &stopped, &options, -1); /* at its first look at the clock */
    if (!exhaustive.proved)
        return -1;
    *feasible += exhaustive.found;
    costed += exhaustive.counters.evaluated;
    double a = value(&optimal), b = value(&exhaustive);
    bool same = optimal.proved && optimal.found == exhaustive.found &&
            (!optimal.found || fabs(a - b) <= 1e-9 * b) && heuristic >= a * (1 - 1e-9) &&
            value(&random) >= a * (1 - 1e-9) &&
            fmin(stopped.bound, value(&stopped)) <= a * (1 + 1e-9);
    n_stopped += !stopped.proved;
    if (same)
        return 0;
    print_message("%s%s", c->workload_text, c->arch_text);
    print_message("objective %d\n", (int)c->problem.objective);
    print_message("optimal (proved %d):\n", optimal.proved);
    show(c, &optimal);
    print_message(
            "exhaustive, %llu mappings:\n", (unsigned long long)exhaustive.counters.evaluated);
    show(c, &exhaustive);
    return 1;
}

/* A few random constraints. */
static void constrain(struct mapper_problem *p, struct machines_rng *rng)
{
    for (uint64_t n = machines_draw(rng, 3); n > 0 && p->n_loops > 0; n--) {
        struct mapper_row *row = &p->row[machines_draw(rng, (uint64_t)p->n_rows)];
        int loop = (int)machines_draw(rng, (uint64_t)p->n_loops);
        int64_t factor = 1 + (int64_t)machines_draw(rng, (uint64_t)p->extent[loop]);
        if (machines_draw(rng, 4) == 0) {
            p->least_utilization = 0.25 * (double)(1 + machines_draw(rng, 3));
        } else if (row->is_space) { /* an array's dimensions share what is kept out */
            for (int r = 0; r < p->n_rows; r++) {
                if (p->row[r].is_space && p->row[r].level == row->level)
                    p->row[r].banned = 1U << loop;
            }
        } else if (p->extent[loop] % factor == 0) {
            row->fixed[loop] = factor;
            p->has_fixed = true;
        }
    }
}

static void test_optimal_is_exhaustive(void **state)
{
    (void)state;
    const char *given = getenv("SATOR_TEST_SEED"), *count = getenv("SATOR_TEST_COUNT");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    int n_cases = count != NULL ? atoi(count) : 600, wrong = 0, compared = 0, feasible = 0;
    struct machines_rng rng = {seed};

    print_message("seed %llu\n", (unsigned long long)seed);
    while (compared < n_cases && wrong < 3) {
        struct problem_case c;
        struct machines_options options = {.most_extent = 4 + (int)machines_draw(&rng, 9),
                .capacities = machines_draw(&rng, 5) != 0,
                .bandwidths = machines_draw(&rng, 2) != 0,
                .prime_extents = machines_draw(&rng, 4) == 0,
                .most_memories = 4};
        if (!open_case(&c, &rng, &options)) { /* wires and buses for one tensor */
            close_case(&c);
            continue;
        }
        c.problem.objective = (enum sator_map_objective)machines_draw(&rng, 3);
        if (machines_draw(&rng, 3) == 0)
            constrain(&c.problem, &rng);
        int one = sator_mapper_space_size(&c.problem) <= 1e9 ? compare(&c, &feasible) : -1;
        wrong += one > 0;
        compared += one >= 0;
        close_case(&c);
    }
    print_message("%d problems compared, %d feasible, %llu mappings\n", compared, feasible,
            (unsigned long long)costed);
    assert_int_equal(wrong, 0);
    assert_true(feasible > n_cases / 3);
    assert_true(n_stopped > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_optimal_is_exhaustive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
