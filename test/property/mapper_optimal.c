/* The optimal strategy against the exhaustive one: random small problems, every objective. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "oracle/run.h"
#include "property/mapper_case.h"

#include "mapper/phases/phases.h"
#include "mapper/search/search.h"

static uint64_t alone; /* see struct mapper_search */
static bool is_timed; /* searches are of the scheduled time */

static void run(struct problem_case *c, void (*strategy)(struct mapper_search *search),
        struct mapper_search *search, const struct sator_map_options *options, double seconds)
{
    struct mapper_timer timer = {0};

    *search = (struct mapper_search){.ctx = c->ctx,
            .problem = &c->problem,
            .words = sator_mapper_words_new(&c->problem),
            .options = options,
            .alone = alone,
            .timer = is_timed ? &timer : NULL,
            /* spaces that take longer are skipped; what has to be proved has no limit: the machine
             * may have else to do */
            .deadline = sator_mapper_now() + seconds,
            .next_report = INFINITY};
    strategy(search);
    search->timer = NULL;
    sator_mapper_words_free(search->words);
}

/* ---- constraints ---- */

enum {
    MOST_TEXTS = 3
};

static char texts[MOST_TEXTS][256];
static int n_texts;

/* A few constraints on the case's problem; those that its extents or each other rule out are left
 * out. */
static void constrain(struct problem_case *c, struct machines_rng *rng)
{
    n_texts = 0;
    for (uint64_t n = machines_draw(rng, MOST_TEXTS + 1); n > 0 && c->problem.n_loops > 0; n--) {
        struct mapper_problem before = c->problem;
        write_constraint(&c->problem, rng, texts[n_texts], sizeof texts[0]);
        if (sator_mapper_constrain(c->ctx, &c->problem, texts[n_texts]) == SATOR_OK)
            n_texts++;
        else
            c->problem = before;
    }
    free(sator_ctx_take_messages(c->ctx, false));
}

/* Whether the answer to "is some mapping legal?" is that of the enumeration. */
static bool same_feasibility(struct problem_case *c, const struct mapper_problem *plain, bool found)
{
    const char *list[MOST_TEXTS];

    for (int i = 0; i < n_texts; i++)
        list[i] = texts[i];
    int errors = sator_ctx_error_count(c->ctx);
    enum sator_status st = sator_mapper_check_feasible(c->ctx, &c->problem, plain, list, n_texts);
    bool is_open = c->problem.has_counted || c->problem.has_limits || c->problem.skew != NULL;
    if (c->problem.imperfect && is_open && st == SATOR_OK)
        return true; /* it cannot be told */
    return (st == SATOR_OK) == found &&
            (st == SATOR_OK) == (sator_ctx_error_count(c->ctx) == errors);
}

/* ---- comparison ---- */

static int n_stopped; /* searches cut short, whose bound must hold all the same */
static int n_given_up; /* skews that took too long, counted or short, which the output names */
static struct mapper_mapping best_found; /* the last one */
static int n_plain; /* spaces that were also enumerated one mapping after the other */
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
            int loop = c->problem.row[r].is_space ? search->best.along[r][i]
                                                  : search->best.order[c->problem.row[r].memory][i];
            if (search->best.factor[r][loop] > 1)
                print_message(
                        " %s %d", c->problem.loop_names[loop], (int)search->best.factor[r][loop]);
        }
        print_message("\n");
    }
}

/* Whether what was found is legal, in the order that the constraints ask for, and costs what was
 * said. */
static bool obeys(struct problem_case *c, const struct mapper_search *search)
{
    struct mapper_words *words = sator_mapper_words_new(&c->problem);
    struct mapper_traffic traffic;
    bool fine = true;

    if (search->found) {
        sator_mapper_count(&c->problem, words, &search->best, &traffic);
        double cost = sator_mapper_cost(&c->problem, &traffic).value;
        fine = sator_mapper_is_legal(&c->problem, words, &search->best) &&
                is_in_order(&c->problem, &search->best) &&
                fabs(cost - search->best_cost.value) <= 1e-9 * fabs(cost);
    }
    sator_mapper_words_free(words);
    return fine;
}

/* ---- one mapping after the other ---- */

enum {
    MOST_TILINGS = 200000,
    MOST_MAPPINGS = 20000
};

/* A plain enumeration, every mapping costed by itself, in all orders: what the exhaustive strategy
 * must agree with, which leaves out orders that are said not to matter. */
struct plain_search {
    struct problem_case *c;
    struct mapper_words *words;
    struct mapper_mapping mapping;
    uint64_t tilings, mappings;
    uint64_t claimed; /* mappings but for orders that are said not to matter */
    int n_moved; /* loops of the mapping that differ in such an order only */
    double least;
    bool is_unknown; /* a scheduled time that has no closed form */
};

static void cost_plainly(struct plain_search *s)
{
    struct mapper_traffic traffic;

    sator_mapper_count(&s->c->problem, s->words, &s->mapping, &traffic);
    s->mappings++;
    s->claimed += s->n_moved == 0;
    struct mapper_cost cost = sator_mapper_cost(&s->c->problem, &traffic);
    const struct mapper_phases *phases = s->c->problem.phases;
    double cycles = cost.cycles;
    s->is_unknown |=
            phases != NULL && !sator_mapper_scheduled(phases, s->words, &s->mapping, &cycles);
    s->least = fmin(s->least, sator_mapper_value(s->c->problem.objective, cost.pj, cycles));
}

/* All permutations of the loops with factors from place "at" of memory "m" on. */
static void order_plainly(struct plain_search *s, int m, int at)
{
    const struct mapper_problem *p = &s->c->problem;

    if (s->mappings > MOST_MAPPINGS)
        return;
    if (m == p->n_memories) {
        if (is_in_order(p, &s->mapping))
            cost_plainly(s);
        return;
    }
    int8_t *order = s->mapping.order[m];
    int n = p->n_loops;
    while (n > 0 && s->mapping.factor[p->memory[m].row][order[n - 1]] == 1)
        n--;
    if (at >= n) {
        order_plainly(s, m + 1, 0);
        return;
    }
    for (int k = at; k < n; k++) {
        int8_t kept[MAPPER_LOOPS];
        bool moves = k > at && !sator_mapper_order_matters(p, m);
        memcpy(kept, order, sizeof kept);
        order[at] = kept[k];
        order[k] = kept[at];
        s->n_moved += moves;
        order_plainly(s, m, at + 1);
        s->n_moved -= moves;
        memcpy(order, kept, sizeof kept);
    }
}

/* The same of those on array dimension "row", and on those after it. */
static void share_plainly(struct plain_search *s, int row, int at)
{
    const struct mapper_problem *p = &s->c->problem;
    int8_t *along = s->mapping.along[row];

    if (row == p->n_rows) {
        order_plainly(s, 0, 0);
        return;
    }
    if (!p->row[row].is_space || at == p->n_loops) {
        share_plainly(s, row + 1, 0);
        return;
    }
    bool is_last = true; /* of those with factors */
    for (int k = at; k < p->n_loops; k++) {
        int8_t kept[MAPPER_LOOPS];
        if (s->mapping.factor[row][along[k]] == 1)
            continue;
        bool moves = !is_last && !(p->any_order >> row & 1);
        is_last = false;
        memcpy(kept, along, sizeof kept);
        memmove(&along[at + 1], &kept[at], (size_t)(k - at) * sizeof *kept);
        along[at] = kept[k];
        s->n_moved += moves;
        share_plainly(s, row, at + 1);
        s->n_moved -= moves;
        memcpy(along, kept, sizeof kept);
    }
    if (is_last)
        share_plainly(s, row + 1, 0);
}

static void tile_plainly(struct plain_search *s, int loop, int row, int64_t rest)
{
    const struct mapper_problem *p = &s->c->problem;

    if (s->tilings > MOST_TILINGS || s->mappings > MOST_MAPPINGS)
        return;
    if (loop == p->n_loops) {
        s->tilings++;
        if (!sator_mapper_is_legal(p, s->words, &s->mapping))
            return;
        for (int m = 0; m < p->n_memories; m++) {
            int first = 0, last = p->n_loops;
            for (int i = 0; i < p->n_loops; i++)
                s->mapping.order[m][s->mapping.factor[p->memory[m].row][i] > 1 ? first++ : --last] =
                        (int8_t)i;
        }
        sator_mapper_arrange(p, &s->mapping); /* orders that do not matter, as constraints say */
        share_plainly(s, 0, 0);
        return;
    }
    if (row < 0) {
        int next = loop + 1;
        if (rest == 1)
            tile_plainly(s, next, p->n_rows - 1, next < p->n_loops ? p->extent[next] : 1);
        return;
    }
    int64_t fixed = p->row[row].fixed[loop], most = fixed > rest ? fixed : rest;
    for (int64_t d = 1; d <= most; d++) {
        int64_t left = (rest + d - 1) / d;
        /* of the factors that leave as many tiles the least is in the space, and one that a
         * constraint sets */
        if (p->imperfect ? (rest + left - 1) / left != d && fixed != d : rest % d != 0)
            continue;
        s->mapping.factor[row][loop] = d;
        tile_plainly(s, loop, row - 1, left);
    }
}

/* Whether the exhaustive strategy costed, or counted as equal, as many mappings as there are, and
 * found the least cost among them; true for a space that is too large for this. */
static bool agrees_with_plain(struct problem_case *c, const struct mapper_search *exhaustive)
{
    struct plain_search s = {.c = c, .least = INFINITY};
    double best = value(exhaustive);

    s.words = sator_mapper_words_new(&c->problem);
    sator_mapper_mapping_init(&c->problem, &s.mapping);
    tile_plainly(&s, 0, c->problem.n_rows - 1, c->problem.n_loops > 0 ? c->problem.extent[0] : 1);
    sator_mapper_words_free(s.words);
    if (s.tilings > MOST_TILINGS || s.mappings > MOST_MAPPINGS)
        return true;
    n_plain++;
    uint64_t claimed = exhaustive->counters.evaluated + exhaustive->counters.equal;
    if (claimed == s.claimed && (best == s.least || fabs(best - s.least) <= 1e-12 * fabs(s.least)))
        return true;
    print_message("of %llu mappings %llu are claimed; the least is %.17g, %.17g was found\n",
            (unsigned long long)s.claimed, (unsigned long long)claimed, s.least, best);
    return false;
}

/* The optimum of the same problem with factors that divide their extents. */
static double perfect_value(struct problem_case *c, const struct sator_map_options *options)
{
    struct mapper_search perfect;
    bool imperfect = c->problem.imperfect;

    c->problem.imperfect = c->problem.chains = false;
    run(c, sator_mapper_optimal, &perfect, options, 1);
    c->problem.imperfect = c->problem.chains = imperfect;
    return perfect.proved ? value(&perfect) : INFINITY;
}

/* Whether the exhaustive strategy finds and counts the same on one thread and on three. */
static bool same_exhaustive(struct problem_case *c)
{
    struct mapper_search one, three;
    struct sator_map_options options = {.threads = 1};

    run(c, sator_mapper_exhaustive, &one, &options, INFINITY);
    options.threads = 3;
    run(c, sator_mapper_exhaustive, &three, &options, INFINITY);
    one.counters.looks = three.counters.looks = 0;
    one.counters.improvements = three.counters.improvements = 0; /* those of the merge */
    return one.found == three.found &&
            memcmp(&one.counters, &three.counters, sizeof one.counters) == 0 &&
            (!one.found || memcmp(&one.best, &three.best, sizeof one.best) == 0);
}

/* Whether the optimal strategy finds the same mapping, and counts the same, on one thread and on
 * three, when the others help from the first unrolling on. */
static bool same_on_threads(struct problem_case *c, const struct mapper_search *optimal)
{
    struct mapper_search one, three;
    struct sator_map_options options = {.threads = 1};

    alone = 1;
    run(c, sator_mapper_optimal, &one, &options, INFINITY);
    options.threads = 3;
    run(c, sator_mapper_optimal, &three, &options, INFINITY);
    alone = 0;
    one.counters.looks = three.counters.looks = 0; /* at the clock: of the caller's thread */
    return same_exhaustive(c) && one.proved && three.proved && one.found == optimal->found &&
            three.found == one.found && obeys(c, &three) &&
            (!one.found ||
                    (fabs(value(&one) - value(optimal)) <= 1e-9 * value(optimal) &&
                            memcmp(&one.best, &three.best, sizeof one.best) == 0)) &&
            memcmp(&one.counters, &three.counters, sizeof one.counters) == 0;
}

/* 1: they differ; 0: they agree; -1: too large to enumerate. */
static int compare(struct problem_case *c, const struct mapper_problem *plain, int *feasible)
{
    struct sator_map_options options = {0};
    struct mapper_search optimal, exhaustive, sunstone, random, stopped;
    double heuristic = INFINITY;

    options.seed = 1;
    options.samples = 50;
    run(c, sator_mapper_exhaustive, &exhaustive, &options, 1);
    if (!exhaustive.proved)
        return -1;
    run(c, sator_mapper_optimal, &optimal, &options, INFINITY);
    for (int variant = 0; variant < 6; variant++) { /* directions, orders within a level */
        options.top_down = variant >= 3;
        options.intra_order = variant % 3;
        run(c, sator_mapper_sunstone, &sunstone, &options, 1);
        heuristic = fmin(heuristic, value(&sunstone));
    }
    run(c, sator_mapper_random_search, &random, &options, 1);
    run(c, sator_mapper_optimal, &stopped, &options, -1); /* at its first look at the clock */
    *feasible += exhaustive.found;
    costed += exhaustive.counters.evaluated;
    double a = value(&optimal), b = value(&exhaustive);
    if ((optimal.counted_open || optimal.short_open) && a >= b * (1 - 1e-9)) {
        n_given_up++;
        return 0;
    }
    bool same = optimal.proved && optimal.found == exhaustive.found &&
            (!optimal.found || fabs(a - b) <= 1e-9 * b) && heuristic >= a * (1 - 1e-9) &&
            value(&random) >= a * (1 - 1e-9) &&
            fmin(stopped.bound, value(&stopped)) <= a * (1 + 1e-9) && obeys(c, &optimal) &&
            obeys(c, &sunstone) && obeys(c, &random) && obeys(c, &exhaustive) &&
            same_feasibility(c, plain, exhaustive.found) &&
            a <= perfect_value(c, &options) * (1 + 1e-9) && agrees_with_plain(c, &exhaustive) &&
            same_on_threads(c, &optimal);
    n_stopped += !stopped.proved;
    if (optimal.found)
        best_found = optimal.best;
    else
        memset(&best_found, 0, sizeof best_found);
    if (same)
        return 0;
    print_message("%s%s", c->workload_text, c->arch_text);
    print_message("bound when stopped %g, feasible %d, perfect %g, obeys %d %d %d %d\n",
            stopped.bound, same_feasibility(c, plain, exhaustive.found), perfect_value(c, &options),
            obeys(c, &optimal), obeys(c, &sunstone), obeys(c, &random), obeys(c, &exhaustive));
    print_message("objective %d\n", (int)c->problem.objective);
    for (int i = 0; i < n_texts; i++)
        print_message("--constraint '%s'\n", texts[i]);
    print_message("optimal (proved %d):\n", optimal.proved);
    show(c, &optimal);
    print_message(
            "exhaustive, %llu mappings:\n", (unsigned long long)exhaustive.counters.evaluated);
    show(c, &exhaustive);
    return 1;
}

/* The same of the scheduled time, against a plain enumeration: a stamp's place matters where its
 * words do not. */
static int compare_scheduled(struct problem_case *c, int *feasible)
{
    struct sator_map_options options = {.threads = 1};
    struct plain_search s = {.c = c, .least = INFINITY};
    struct mapper_search optimal;

    sator_mapper_know_phases(&c->problem);
    if (c->problem.phases == NULL)
        return -1;
    s.words = sator_mapper_words_new(&c->problem);
    sator_mapper_mapping_init(&c->problem, &s.mapping);
    tile_plainly(&s, 0, c->problem.n_rows - 1, c->problem.n_loops > 0 ? c->problem.extent[0] : 1);
    sator_mapper_words_free(s.words);
    if (s.is_unknown || s.tilings > MOST_TILINGS || s.mappings > MOST_MAPPINGS)
        return -1;
    n_plain++;
    is_timed = true;
    run(c, sator_mapper_optimal, &optimal, &options, INFINITY);
    is_timed = false;
    *feasible += optimal.found;
    costed += s.mappings;
    best_found = optimal.best;
    if (optimal.proved &&
            (value(&optimal) == s.least || fabs(value(&optimal) - s.least) <= 1e-9 * s.least))
        return 0;
    print_message("%s%s", c->workload_text, c->arch_text);
    for (int l = 0; l < c->arch->n_levels; l++) {
        const struct sator_memory *memory = &c->arch->levels[l].memory;
        if (c->arch->levels[l].kind == SATOR_LEVEL_MEMORY)
            print_message("# %s: transfers %s, overlaps %d, %g and %g bits a cycle\n",
                    c->arch->levels[l].name, sator_transfer_name(memory->transfers.others),
                    memory->overlaps, memory->read_bits, memory->write_bits);
    }
    for (int i = 0; i < n_texts; i++)
        print_message("--constraint '%s'\n", texts[i]);
    print_message("objective %d, least of %llu %.17g; optimal, proved %d:\n",
            (int)c->problem.objective, (unsigned long long)s.mappings, s.least, optimal.proved);
    show(c, &optimal);
    return 1;
}

enum kind {
    PERFECT,
    SCHEDULED,
    IMPERFECT,
    SKEWED,
    SHORT, /* skewed, with factors that do not divide */
    LATE, /* skewed, with what links bring late in costs and bounds */
    COUNTED /* transfers that have no formula, most of which the engines take long for */
};

/* Whether links bring words from further back than the stamp before, or ahead, and formulas count
 * all of them: where the engines are asked, a search is soon given up. */
static bool reaches_late(const struct mapper_problem *p)
{
    bool any = false, asks = false;

    for (int t = 0; t < p->n_transfers; t++) {
        any |= p->transfer[t].reaches_back;
        asks |= p->transfer[t].is_counted && p->transfer[t].links_alone == NULL;
    }
    return any && !asks;
}

static void run_problems(enum kind kind)
{
    bool imperfect = kind == IMPERFECT || kind == SHORT;
    int n_cases = (int)run_count(300) / (kind >= SKEWED ? 4 : 1), wrong = 0, compared = 0,
        feasible = 0, ordered = 0, ragged = 0, direct = 0;
    struct machines_rng rng = {seed()};

    n_plain = 0;
    while (compared < n_cases && wrong < 3) {
        struct problem_case c;
        bool any_tile = imperfect || (kind == COUNTED && machines_draw(&rng, 2) == 0);
        struct machines_options options = {.most_extent = kind == COUNTED ? 4 + any_tile
                        : kind == LATE                                    ? 6
                                       : 4 + (int)machines_draw(&rng, 9),
                .capacities = machines_draw(&rng, 5) != 0,
                .bandwidths = machines_draw(&rng, 2) != 0,
                .prime_extents = machines_draw(&rng,
                                         imperfect          ? 2
                                                 : any_tile ? 1
                                                            : 4) == 0,
                .most_memories = kind == COUNTED || kind == LATE ? 3 : 4,
                .counted = kind == COUNTED};
        if (!open_case(&c, &rng, &options)) { /* wires and buses for one tensor */
            close_case(&c);
            continue;
        }
        if (kind == COUNTED && !c.problem.has_counted) {
            close_case(&c);
            continue;
        }
        if (kind == SKEWED && (!skew_case(&c, &rng, false) || c.problem.has_late)) {
            close_case(&c);
            continue;
        }
        if (kind == SHORT && (!short_case(&c, &rng) || c.problem.has_late)) {
            close_case(&c);
            continue;
        }
        if (kind == LATE && (!skew_case(&c, &rng, true) || !reaches_late(&c.problem))) {
            close_case(&c);
            continue;
        }
        if (any_tile && sator_mapper_allow_imperfect(c.ctx, &c.problem) != SATOR_OK) {
            close_case(&c);
            continue;
        }
        c.problem.objective = (enum sator_map_objective)machines_draw(&rng, 3);
        if (kind == SCHEDULED && !draw_timing(&c, &rng)) {
            close_case(&c);
            continue;
        }
        sator_mapper_allow_orders(&c.problem);
        struct mapper_problem plain = c.problem;
        n_texts = 0;
        if (machines_draw(&rng, 2) == 0)
            constrain(&c, &rng);
        ordered += c.problem.has_orders;
        double limit = kind == COUNTED ? 1e4 : kind == LATE ? 1e5 : imperfect ? 1e8 : 1e9;
        int one = -1;
        if (sator_mapper_space_size(&c.problem) <= limit)
            one = kind == SCHEDULED ? compare_scheduled(&c, &feasible)
                                    : compare(&c, &plain, &feasible);
        bool is_ragged = one >= 0 && best_found.factor[0][0] > 0 &&
                sator_mapper_is_ragged(&c.problem, &best_found, ~0U);
        ragged += is_ragged;
        direct += is_ragged && c.problem.is_direct;
        wrong += one > 0;
        compared += one >= 0;
        close_case(&c);
    }
    print_message(
            "%d problems compared, %d feasible, %d ordered, %d best by factors that do not divide "
            "(%d "
            "with words straight to the compute units), %llu mappings; %d enumerated plainly\n",
            compared, feasible, ordered, ragged, direct, (unsigned long long)costed, n_plain);
    assert_int_equal(wrong, 0);
    assert_true(n_given_up <= 2 + compared / 20);
    assert_true(feasible > n_cases / 3);
    if (n_cases < 100) /* which do not say how often each kind is met */
        return;
    assert_true(n_stopped > 0 || kind == SCHEDULED);
    assert_true(kind == COUNTED || kind == LATE || ordered > n_cases / 30);
    assert_true(n_plain > n_cases / 4);
    assert_true(kind == COUNTED ||
            (imperfect ? ragged > n_cases / 20 && (kind == SHORT || direct > n_cases / 50)
                       : ragged == 0));
}

static void test_optimal_is_exhaustive(void **state)
{
    (void)state;
    run_problems(PERFECT);
}

static void test_scheduled_optimal_is_the_least(void **state)
{
    (void)state;
    run_problems(SCHEDULED);
}

static void test_imperfect_optimal_is_exhaustive(void **state)
{
    (void)state;
    run_problems(IMPERFECT);
}

static void test_skewed_optimal_is_exhaustive(void **state)
{
    (void)state;
    run_problems(SKEWED);
}

static void test_short_skewed_optimal_is_exhaustive(void **state)
{
    (void)state;
    run_problems(SHORT);
}

static void test_late_optimal_is_exhaustive(void **state)
{
    (void)state;
    run_problems(LATE);
}

static void test_counted_optimal_is_exhaustive(void **state)
{
    (void)state;
    run_problems(COUNTED);
}

/* Whether both strategies find the same optimum of a small problem. */
static bool agree(struct problem_case *c, int *feasible)
{
    struct sator_map_options options = {.threads = 1};
    struct mapper_search optimal, exhaustive;

    run(c, sator_mapper_exhaustive, &exhaustive, &options, INFINITY);
    run(c, sator_mapper_optimal, &optimal, &options, INFINITY);
    double a = value(&optimal), b = value(&exhaustive);
    *feasible += exhaustive.found;
    if (optimal.proved && exhaustive.proved && optimal.found == exhaustive.found &&
            (!optimal.found ||
                    (optimal.chains_open ? a > b * (1 - 1e-9) : fabs(a - b) <= 1e-9 * b)))
        return true; /* of the same, or of less, which the output then says */
    print_message("%s%sobjective %d, factors %s; optimal (proved %d), exhaustive:\n",
            c->workload_text, c->arch_text, (int)c->problem.objective,
            c->problem.imperfect ? "need not divide" : "divide", optimal.proved);
    show(c, &optimal);
    show(c, &exhaustive);
    return false;
}

/* Many problems of a few loops, with factors that divide and with any: most false optima that were
 * ever found are of such. */
static void test_small_optimal_is_exhaustive(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct machines_options options = {.small = true};
    int n_cases = (int)run_count(1000), compared = 0, feasible = 0, quotients = 0, wrong = 0;

    while (compared < 2 * n_cases && wrong < 3) {
        struct problem_case c;
        bool is_open = open_case(&c, &rng, &options);
        c.problem.objective = (enum sator_map_objective)machines_draw(&rng, 3);
        for (int k = 0; k < 2 && is_open; k++) {
            if (k == 1 && sator_mapper_allow_imperfect(c.ctx, &c.problem) != SATOR_OK)
                break;
            wrong += !agree(&c, &feasible);
            compared++;
            for (int a = 0; a < c.problem.n_accesses; a++)
                quotients += c.problem.access[a].is_quotient;
        }
        close_case(&c);
    }
    print_message("%d problems compared, %d feasible, %d with quotients\n", compared, feasible,
            quotients);
    assert_int_equal(wrong, 0);
    assert_true(feasible > n_cases);
    assert_true(n_cases < 100 || quotients > n_cases / 5);
}

/* Where two families of buses stand outside a memory inside the outermost one, its tiles are listed
 * once for all ways to spread loops over both dimensions of the array; those of a memory outside of
 * them are listed for what the innermost tiles cost at least. */
static void test_two_families_are_exhaustive(void **state)
{
    (void)state;
    static const char *const ops[] = {"Y[k,x] += A[x+r] * B[k,r]", "Y[k,x] += A[2*x+r] * B[k,r]",
            "Y[k,x+r] += A[k,x] * B[k,r]"};
    static const char *const lanes[] = {"",
            "  - array: lane\n    shape: [2]\n    reduction:\n"
            "      - {name: sums, map: \"lane[l] -> TREE[0]\", "
            "tensors: [Y], energy_pj: 0}\n"};
    static const char *const memories[] = {"",
            "  - {memory: L2, capacity_words: 40, bandwidth_bits: 32, energy_pj: {read: 6, write: "
            "6}}\n"};
    static const char *const trees[] = {"",
            "    reduction:\n      - {name: along, map: \"PE[i,j] -> TREE[i]\", energy_pj: 0.5}\n"
            "      - {name: across, map: \"PE[i,j] -> TREE[j]\", energy_pj: 0.5}\n"};
    struct machines_rng rng = {seed()};
    int n_cases = (int)run_count(400), feasible = 0, passing = 0, wrong = 0;

    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        snprintf(c.workload_text, sizeof c.workload_text,
                "name: conv\nsizes: {k: %d, x: 8, r: %d}\nop: \"%s\"\n",
                2 + 2 * (int)machines_draw(&rng, 2), 3 + (int)machines_draw(&rng, 2), ops[n % 3]);
        snprintf(c.arch_text, sizeof c.arch_text,
                "name: families\nlevels:\n"
                "  - {memory: DRAM, bandwidth_bits: %d, energy_pj: {read: %d, write: 60}}\n%s"
                "  - array: PE\n    shape: [4, 4]\n    multicast:\n"
                "      - {name: row, map: \"PE[i,j] -> BUS[i]\", energy_pj: 1}\n"
                "      - {name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 1}\n%s"
                "  - {memory: L1, capacity_words: %d, energy_pj: {read: 4, write: 4}}\n%s"
                "  - {memory: registers, capacity_words: %d, energy_pj: {read: 1, write: 1}}\n"
                "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
                16 << machines_draw(&rng, 3), 10 + (int)machines_draw(&rng, 90),
                memories[machines_draw(&rng, 4) == 0], trees[machines_draw(&rng, 2)],
                5 + (int)machines_draw(&rng, 30), lanes[machines_draw(&rng, 2)],
                3 + (int)machines_draw(&rng, 4));
        assert_true(open_texts(&c, &rng));
        c.problem.objective = (enum sator_map_objective)machines_draw(&rng, 3);
        sator_mapper_allow_orders(&c.problem);
        alone = 1; /* tables are made for single tiles, too */
        wrong += !agree(&c, &feasible);
        alone = 0;
        for (int t = 0; t < c.problem.n_transfers; t++)
            passing += c.problem.transfer[t].may_pass;
        close_case(&c);
    }
    print_message("%d feasible; %d transfers over two families\n", feasible, passing);
    assert_int_equal(wrong, 0);
    assert_true(feasible > n_cases / 2 && passing > n_cases / 3);
}

/* Under a skew the time that a tile of an inner memory takes depends on its factors, and so does
 * what it may spend beside the cheapest tile listed for the memory outside. */
static void test_skewed_tables_are_exhaustive(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    int n_cases = (int)run_count(150), feasible = 0, wrong = 0;

    for (int n = 0; n < n_cases && wrong < 3; n++) {
        struct problem_case c;
        snprintf(c.workload_text, sizeof c.workload_text,
                "name: conv\nsizes: {k: %d, c: 2, x: 2, r: 4}\n"
                "op: \"Y[k,x] += A[c,x+2*r] * B[k,c,r]\"\n",
                2 + 2 * (int)machines_draw(&rng, 2));
        snprintf(c.arch_text, sizeof c.arch_text,
                "name: skewed\nlevels:\n"
                "  - {memory: DRAM, energy_pj: {read: 64, write: 64}, bypass: [A]}\n"
                "  - {memory: L2, capacity_words: %d, energy_pj: {read: 2, write: 8}}\n"
                "  - array: PE\n    shape: [%d, 4]\n    multicast:\n"
                "      - {name: column, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}\n"
                "    reduction:\n"
                "      - {name: sums, map: \"PE[i,j] -> TREE[0]\", energy_pj: %d}\n"
                "  - {memory: L1, capacity_words: %d, energy_pj: {read: %d, write: 2}}\n"
                "  - array: lane\n    shape: [4, 4]\n    links:\n"
                "      - {name: on, map: \"lane[i,j] -> lane[i-1,j+1]\", interval: 1, "
                "energy_pj: 4, tensors: [A]}\n"
                "  - {compute: mac, energy_pj: 0.25, cycles: 1}\n",
                43 + (int)machines_draw(&rng, 2) * 43, 2 + 2 * (int)machines_draw(&rng, 3),
                1 + (int)machines_draw(&rng, 20), 8 + (int)machines_draw(&rng, 30),
                1 << machines_draw(&rng, 7));
        assert_true(open_texts(&c, &rng));
        if (skew_case(&c, &rng, false) && !c.problem.has_late) {
            alone = 1; /* tables are made for single tiles, too */
            wrong += !agree(&c, &feasible);
            alone = 0;
        }
        close_case(&c);
    }
    print_message("%d feasible\n", feasible);
    assert_int_equal(wrong, 0);
    assert_true(feasible > n_cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_optimal_is_exhaustive),
            cmocka_unit_test(test_scheduled_optimal_is_the_least),
            cmocka_unit_test(test_imperfect_optimal_is_exhaustive),
            cmocka_unit_test(test_skewed_optimal_is_exhaustive),
            cmocka_unit_test(test_short_skewed_optimal_is_exhaustive),
            cmocka_unit_test(test_late_optimal_is_exhaustive),
            cmocka_unit_test(test_counted_optimal_is_exhaustive),
            cmocka_unit_test(test_small_optimal_is_exhaustive),
            cmocka_unit_test(test_two_families_are_exhaustive),
            cmocka_unit_test(test_skewed_tables_are_exhaustive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
