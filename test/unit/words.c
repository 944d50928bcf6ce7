/* What an index takes in a tile and keeps in the next (mapper/cost), against listing the
 * values; and what a search that has looked at every mapping has proved. */
#include "mapper/bounds/bounds_short.h"
#include "mapper/cost/cost.h"
#include "mapper/search/search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROUNDS = 4000,
    ZERO = 2000 /* where the value 0 is listed */
};

struct words_case {
    struct mapper_problem *problem;
    struct mapper_access *access;
    struct mapper_index *index;
    struct mapper_steps steps;
};

static uint64_t state_of_draw = 1;

static int64_t between(int64_t low, int64_t high)
{
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int64_t)((state_of_draw >> 33) % (uint64_t)(high - low + 1));
}

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* A sum of two or three loops; each may be spread over up to two digits of PEs, whose tiles lie one
 * beside the other or with those of later stamps in between. */
static void draw(struct words_case *c, int most_digits)
{
    struct mapper_index *index = c->index;
    struct mapper_steps *steps = &c->steps;

    *index = (struct mapper_index){.n_parts = (int)between(2, 3)};
    *steps = (struct mapper_steps){.n_spread = 0};
    for (int i = 0; i < index->n_parts; i++) {
        int64_t inside = steps->tile[i] = between(1, 4);
        int digits = (int)between(0, most_digits);
        index->loop[i] = i;
        index->coef[i] = between(1, 4) * (between(0, 3) == 0 ? -1 : 1);
        for (int d = 0; d < digits; d++) {
            int s = steps->n_spread++;
            inside *= between(1, 2);
            steps->spread_part[s] = i;
            steps->spread_step[s] = index->coef[i] * inside;
            steps->spread_count[s] = between(2, 3);
            inside *= steps->spread_count[s];
        }
    }
    for (int s = 0; s < steps->n_spread / 2; s++) { /* innermost digits come last */
        int t = steps->n_spread - 1 - s;
        struct mapper_steps old = *steps;
        steps->spread_part[s] = old.spread_part[t];
        steps->spread_part[t] = old.spread_part[s];
        steps->spread_step[s] = old.spread_step[t];
        steps->spread_step[t] = old.spread_step[s];
        steps->spread_count[s] = old.spread_count[t];
        steps->spread_count[t] = old.spread_count[s];
    }
    if (index->n_parts == 2) {
        int64_t a = llabs(index->coef[0]), b = llabs(index->coef[1]);
        index->closed = 2;
        index->reduced[0] = a / gcd(a, b);
        index->reduced[1] = b / gcd(a, b);
    }
}

static int64_t n_positions(const struct mapper_steps *steps)
{
    int64_t n = 1;

    for (int s = 0; s < steps->n_spread; s++)
        n *= steps->spread_count[s];
    return n;
}

/* The first iteration of each loop at a position. */
static void start_of(const struct words_case *c, int64_t position, int64_t *start)
{
    for (int i = 0; i < c->index->n_parts; i++)
        start[i] = 0;
    for (int s = 0; s < c->steps.n_spread; s++) {
        int part = c->steps.spread_part[s];
        int64_t step = c->steps.spread_step[s] / c->index->coef[part];
        start[part] += step * (position % c->steps.spread_count[s]);
        position /= c->steps.spread_count[s];
    }
}

/* One past the last iteration of each loop at all positions, and how many may be cut off. */
static void end_of(const struct words_case *c, int64_t *end)
{
    start_of(c, n_positions(&c->steps) - 1, end);
    for (int i = 0; i < c->index->n_parts; i++)
        end[i] += c->steps.tile[i];
}

/* Mark the values at a position, all moved by "shift". */
static void list(const struct words_case *c, int64_t position, const int64_t *cut, int64_t shift,
        bool *values)
{
    int64_t start[MAPPER_PARTS], end[MAPPER_PARTS], at[3];

    start_of(c, position, start);
    end_of(c, end);
    start[2] = c->index->n_parts == 3 ? start[2] : 0;
    for (int i = 0; i < 3; i++) {
        int64_t own = i < c->index->n_parts ? start[i] + c->steps.tile[i] : 1;
        int64_t all = i < c->index->n_parts ? end[i] - cut[i] : 1;
        end[i] = own < all ? own : all;
    }
    for (at[0] = start[0]; at[0] < end[0]; at[0]++)
        for (at[1] = start[1]; at[1] < end[1]; at[1]++)
            for (at[2] = start[2]; at[2] < end[2]; at[2]++) {
                int64_t value = shift;
                for (int i = 0; i < c->index->n_parts; i++)
                    value += c->index->coef[i] * at[i];
                values[ZERO + value] = true;
            }
}

/* The values at all positions, cut by "now"; with "before" those that every position which has them
 * also had when it stood "shift" lower and was cut so. */
static int64_t listed(
        const struct words_case *c, const int64_t *now, const int64_t *before, int64_t shift)
{
    bool all[2 * ZERO] = {false}, lost[2 * ZERO] = {false};
    int64_t n = 0;

    for (int64_t p = 0; p < n_positions(&c->steps); p++) {
        bool here[2 * ZERO] = {false}, old[2 * ZERO] = {false};
        list(c, p, now, 0, here);
        if (before != NULL)
            list(c, p, before, -shift, old);
        for (int v = 0; v < 2 * ZERO; v++) {
            all[v] |= here[v];
            lost[v] |= here[v] && before != NULL && !old[v];
        }
    }
    for (int v = 0; v < 2 * ZERO; v++)
        n += all[v] && !lost[v];
    return n;
}

static int make_case(void **state)
{
    struct words_case *c = calloc(1, sizeof *c);

    c->problem = calloc(1, sizeof *c->problem);
    c->problem->access[0].n_indices = 1;
    c->access = &c->problem->access[0];
    c->index = &c->access->index[0];
    *state = c;
    return 0;
}

static int free_case(void **state)
{
    struct words_case *c = *state;

    free(c->problem);
    free(c);
    return 0;
}

/* The mean of what is new over all cases which loops stand at their last tiles, by listing. */
static double listed_mean(const struct words_case *c, const int64_t *cut, const double *rate,
        const struct mapper_single_step *step)
{
    double mean = 0;

    for (int last = 0; last < 1 << c->index->n_parts; last++) {
        int64_t now[MAPPER_PARTS] = {0}, before[MAPPER_PARTS] = {0};
        double share = 1;
        for (int i = 0; i < c->index->n_parts; i++) {
            double often = cut[i] > 0 ? rate[i] : 0, all = 1;
            now[i] = last >> i & 1 ? cut[i] : 0;
            before[i] = now[i];
            if (step != NULL && step->loop == i) { /* from a whole tile */
                before[i] = 0;
                all = step->often;
            }
            share *= last >> i & 1 ? often : all - often;
        }
        int64_t values = listed(c, now, NULL, 0);
        mean += share * (double)(values - (step == NULL ? 0 : listed(c, now, before, step->shift)));
    }
    return mean;
}

static void tiles_that_are_cut_have_no_fewer_values_on_average(void **state)
{
    struct words_case *c = *state;
    struct mapper_transfer transfer = {.access = 0};
    struct mapper_walk walk = {.transfer = &transfer, .access = c->access};
    double all = 0, all_listed = 0;
    int n_cut = 0, n_exact = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct mapper_words *words = sator_mapper_words_new(c->problem);
        int64_t cut[MAPPER_LOOPS] = {0};
        double rate[MAPPER_LOOPS];
        draw(c, (int)between(0, 2) == 0 ? 1 : 0);
        for (int i = 0; i < c->index->n_parts; i++) {
            cut[i] = between(0, 1) * between(0, c->steps.tile[i] - 1);
            rate[i] = 1 / (double)between(2, 5);
        }
        int loop = (int)between(0, c->index->n_parts - 1);
        struct mapper_single_step step = {.loop = loop,
                .shift = c->index->coef[loop] * c->steps.tile[loop] * between(1, 2),
                .often = rate[loop] + 0.5};
        const struct mapper_single_step *steps_by = between(0, 1) == 0 ? &step : NULL;
        walk.cut = cut;
        double mean = bounds_mean_new(&walk, words, 0, &c->steps, rate, steps_by);
        double exact = listed_mean(c, cut, rate, steps_by);
        assert_true(mean <= exact * (1 + 1e-12));
        if (steps_by == NULL && c->steps.n_spread == 0) {
            assert_true(mean >= exact * (1 - 1e-12));
            n_exact++;
        }
        n_cut += exact < listed_mean(c, (int64_t[MAPPER_PARTS]){0}, rate, steps_by);
        all += mean;
        all_listed += exact;
        sator_mapper_words_free(words);
    }
    assert_true(n_cut > ROUNDS / 4 && n_exact > ROUNDS / 8);
    assert_true(all > 0.95 * all_listed); /* and not many fewer */
}

static void tiles_keep_the_most_after_some_move(void **state)
{
    struct words_case *c = *state;
    const int64_t whole[MAPPER_PARTS] = {0};
    int n_kept = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct mapper_words *words = sator_mapper_words_new(c->problem);
        draw(c, (int)between(0, 3) == 0 ? 1 : 0);
        struct mapper_moves moves = {.shift = {c->index->coef[0] * c->steps.tile[0],
                                             c->index->coef[1] * c->steps.tile[1]},
                .most = {between(1, 3), between(0, 3)},
                .both = between(0, 1) == 0};
        int64_t most = 0;
        for (int64_t i = -moves.most[0]; i <= moves.most[0]; i++)
            for (int64_t j = -moves.most[1]; j <= moves.most[1]; j++) {
                if (i == 0 || (moves.both && j == 0))
                    continue;
                int64_t kept = listed(c, whole, whole, i * moves.shift[0] + j * moves.shift[1]);
                most = kept > most ? kept : most;
            }
        assert_int_equal(sator_mapper_words_most_kept(words, 0, 0, &c->steps, &moves), most);
        n_kept += most > 0;
        sator_mapper_words_free(words);
    }
    assert_true(n_kept > ROUNDS / 4);
}

/* What is proved is the best value, unless a mapping whose words are not known may be better: one
 * of at least 7 is not better than 5. */
static void a_finished_search_has_its_bound(void **state)
{
    static const struct {
        bool found, has_unknown;
        double best, unknown, bound;
        bool proved;
    } cases[] = {{true, false, 5, 0, 5, true}, {true, true, 5, 3, 3, false},
            {true, true, 5, 7, 5, true}, {false, true, 0, 7, 7, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mapper_search *search = calloc(1, sizeof *search);
        search->found = cases[i].found;
        search->best_cost.value = cases[i].best;
        search->has_unknown = cases[i].has_unknown;
        search->unknown_bound = cases[i].unknown;
        sator_mapper_finish(search);
        assert_true(search->bound == cases[i].bound);
        assert_int_equal(search->proved, cases[i].proved);
        free(search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(
                    tiles_that_are_cut_have_no_fewer_values_on_average, make_case, free_case),
            cmocka_unit_test_setup_teardown(
                    tiles_keep_the_most_after_some_move, make_case, free_case),
            cmocka_unit_test(a_finished_search_has_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
