#include "mapper/search/question.h"

#include "base/context.h"
#include "model/model.h"

#include <math.h>

/* Work of the counting engines that a budget leaves time for before the search, about. */
static const double ticks_a_second = 3e8;

/* Work on one question about windows, of which there are many: what has no formula takes longer. */
static const uint64_t MOST_WINDOW_WORK = 200000;

/* The same on words that cross skewed arrays: a search is given up after some sixteen times as much
 * (strategies/optimal.h). */
static const uint64_t MOST_SKEWED_WORK = 1 << 22;

/* Seconds that a search may count at least, however little time is left. */
static const double seconds_for_any = 0.1;

/* Compile one choice (NULL: nothing bypasses that need not) under a skew (NULL: none), without
 * constraints in "*plain". */
static enum sator_status compile(const struct mapper_question *q, const unsigned *bypassed,
        const struct mapper_skew *skew, struct mapper_problem *problem,
        struct mapper_problem *plain)
{
    const struct sator_map_options *options = q->options;
    uint64_t limit = q->ctx->work_limit;
    double left = fmax(q->deadline - sator_mapper_now(), seconds_for_any) * ticks_a_second;
    enum sator_status st;

    if (left < (double)limit)
        q->ctx->work_limit = (uint64_t)left;
    st = sator_mapper_problem_init_skewed(
            q->ctx, q->arena, q->workload, q->arch, options->objective, bypassed, skew, problem);
    if (st == SATOR_LIMIT && left < (double)limit)
        sator_help(q->ctx, "%s leaves no time for more", sator_word(q->ctx, "budget_seconds"));
    q->ctx->work_limit = problem->work_limit = limit;
    SATOR_TRY(st);
    problem->cycle_limit = q->cycle_limit;
    SATOR_TRY(sator_mapper_keep_order(q->ctx, problem));
    problem->times_wires = options->timing == SATOR_TIMING_SCHEDULED;
    if (options->imperfect && (skew == NULL || skew->ends_short))
        SATOR_TRY(sator_mapper_allow_imperfect(q->ctx, problem));
    sator_mapper_allow_orders(problem);
    *plain = *problem;
    for (int i = 0; i < options->n_constraints; i++) {
        if (sator_mapper_constrain(q->ctx, problem, options->constraints[i]) != SATOR_OK)
            st = SATOR_INPUT; /* say all that is wrong */
    }
done:
    return st;
}

/* The mappings of all choices together. They have the same factors, and differ only in where the
 * order matters: few ways, each counted once. */
static double space_size(const struct mapper_question *q)
{
    double known[1 << MAPPER_MEMORIES] = {0}, size = 0;

    for (int i = 0; i < q->n_problems; i++) {
        unsigned where = 0;
        if (i >= q->n_apart && i < q->n_counted)
            continue; /* once more */
        for (int m = 0; m < q->problems[i].n_memories; m++)
            where |= sator_mapper_order_matters(&q->problems[i], m) ? 1U << m : 0;
        if (known[where] == 0)
            known[where] = sator_mapper_space_size(&q->problems[i]);
        size += known[where];
    }
    return size;
}

static enum sator_status check_options(const struct mapper_question *q)
{
    const struct sator_map_options *options = q->options;
    double limit = options->limit > 0 ? options->limit : 1e8;

    if (options->strategy != SATOR_MAP_EXHAUSTIVE)
        return SATOR_OK;
    double size = space_size(q);
    if (size <= limit)
        return SATOR_OK;
    sator_error(q->ctx, q->workload->loc,
            "the space has %.3g mappings, more than the %.3g that the exhaustive strategy may try",
            size, limit);
    sator_help(q->ctx, "use the strategy 'optimal', which proves its answer without trying all");
    return SATOR_LIMIT;
}

/* Watch over what the counting engines, or the model, are asked about any of the problems. */
static void watch(struct mapper_question *q, struct mapper_problem *plain)
{
    bool asks = q->options->timing == SATOR_TIMING_SCHEDULED;

    for (int i = 0; i < q->n_problems; i++)
        asks |= q->problems[i].has_counted || q->problems[i].has_late;
    if (asks)
        q->watch = sator_mapper_watch_new(q->ctx, q->deadline);
    for (int i = 0; i < q->n_problems; i++)
        q->problems[i].watch = q->watch;
    plain->watch = q->watch;
}

/* The published heuristic does not know of skews. */
static enum sator_status find_skews(struct mapper_question *q, const struct mapper_problem *first)
{
    bool knows_none = q->options->strategy == SATOR_MAP_SUNSTONE;

    return sator_mapper_find_skews(
            q->ctx, first, knows_none ? "this strategy does not search skews" : NULL, &q->skews);
}

/* Compile one choice under a skew; "*fits": constraints leave it mappings. The factors of a skewed
 * nest divide, also where others need not: a constraint that asks for one that does not leaves
 * none, and is no mistake. */
static enum sator_status compile_skewed(const struct mapper_question *q, const unsigned *bypassed,
        const struct mapper_skew *skew, struct mapper_problem *problem, bool *fits)
{
    struct mapper_problem plain;
    struct sator_hush before;

    if (q->options->imperfect)
        sator_ctx_hush(q->ctx, &before);
    enum sator_status st = compile(q, bypassed, skew, problem, &plain);
    if (q->options->imperfect)
        sator_ctx_unhush(q->ctx, &before);
    *fits = st == SATOR_OK;
    return st == SATOR_INPUT && q->options->imperfect ? SATOR_OK : st;
}

/* Add choice "i" under "skew", unless that leaves no mapping, or none with a formula; whether some
 * words of it are left to be counted ("*counts": or NULL, where they are, or it is one of those
 * that are joined across memories). */
static enum sator_status add_one_skewed(
        struct mapper_question *q, int i, const struct mapper_skew *skew, bool *counts)
{
    struct mapper_problem *problem = &q->problems[q->n_problems];
    const uint64_t most_work = skew->across ? MOST_WINDOW_WORK
            : skew->counted                 ? MOST_SKEWED_WORK
                                            : UINT64_MAX;
    unsigned bypassed[MAPPER_MEMORIES];
    enum sator_status st;
    bool fits;

    sator_mapper_choice(&q->choices, (unsigned)i, bypassed);
    SATOR_TRY(compile_skewed(q, bypassed, skew, problem, &fits));
    if (fits && !skew->across) {
        bool has_open = sator_mapper_skew_left_out(
                problem, q->options->timing == SATOR_TIMING_SCHEDULED, &q->skews);
        if (counts != NULL)
            *counts = has_open;
    }
    if (problem->work_limit > most_work)
        problem->work_limit = most_work;
    q->choice[q->n_problems] = i;
    q->n_problems += fits && sator_mapper_close_skew(problem);
done:
    return st;
}

/* The same choices under each skew, then those of which some words are counted once more. */
static enum sator_status add_skewed(struct mapper_question *q)
{
    bool *counts = SATOR_NEW_ARRAY(q->arena, bool, q->n_unskewed * q->skews.n), any = false;
    bool is_searched = q->options->strategy == SATOR_MAP_OPTIMAL;
    enum sator_status st = SATOR_OK;

    for (int k = q->n_unskewed; k < q->n_unskewed * q->skews.n; k++) {
        const struct mapper_skew *skew = &q->skews.skew[k / q->n_unskewed];
        int before = q->n_problems;
        counts[k] = skew->counted;
        if (!counts[k])
            SATOR_TRY(add_one_skewed(q, k % q->n_unskewed, skew, &counts[k]));
        any |= counts[k];
        q->n_skewed += counts[k] || q->n_problems > before;
    }
    q->n_apart = q->n_problems;
    q->leaves_counted = any && !is_searched;
    for (int k = 0; k < q->n_unskewed * q->skews.n && is_searched; k++) {
        if (!counts[k])
            continue;
        struct mapper_skew *skew = SATOR_NEW(q->arena, struct mapper_skew);
        *skew = q->skews.skew[k / q->n_unskewed];
        skew->counted = true;
        SATOR_TRY(add_one_skewed(q, k % q->n_unskewed, skew, NULL));
    }
    q->n_counted = q->n_problems;
done:
    return st;
}

/* The skewed problems once more with loops joined across memories, where that can be. */
static enum sator_status add_windows(struct mapper_question *q)
{
    bool is_searched = q->options->strategy == SATOR_MAP_OPTIMAL &&
            q->options->timing != SATOR_TIMING_SCHEDULED;
    enum sator_status st = SATOR_OK;

    for (int i = q->n_unskewed; i < q->n_apart && is_searched; i++) {
        struct mapper_skew *skew = SATOR_NEW(q->arena, struct mapper_skew);
        if (!sator_mapper_may_join_across(&q->problems[i]))
            continue;
        *skew = *q->problems[i].skew;
        skew->across = true;
        SATOR_TRY(add_one_skewed(q, q->choice[i], skew, NULL));
    }
done:
    return st;
}

/* The skewed problems once more with factors that need not divide, where that is asked for. */
static enum sator_status add_short(struct mapper_question *q)
{
    bool is_searched = q->options->strategy == SATOR_MAP_OPTIMAL && q->options->imperfect;
    enum sator_status st = SATOR_OK;

    for (int i = q->n_unskewed; i < q->n_apart && is_searched; i++) {
        struct mapper_skew *skew = SATOR_NEW(q->arena, struct mapper_skew);
        *skew = *q->problems[i].skew;
        skew->ends_short = true;
        SATOR_TRY(add_one_skewed(q, q->choice[i], skew, NULL));
    }
    q->n_short = q->n_problems;
done:
    return st;
}

/* Gates that could be told of no mapping are refused before the search: ask as of a mapping that
 * moves no word, whose memories hold what none may bypass. */
static enum sator_status check_gates(
        const struct mapper_question *q, const struct mapper_problem *p)
{
    struct sator_level_result *held =
            SATOR_NEW_ARRAY(q->arena, struct sator_level_result, p->n_memories);
    const struct sator_level_result **memories =
            SATOR_NEW_ARRAY(q->arena, const struct sator_level_result *, p->n_memories);
    struct sator_expected_question question = {.n_memories = p->n_memories, .memories = memories};
    struct sator_expected expected;

    for (int m = 0; m < p->n_memories; m++) {
        unsigned always = p->memory[m].holds & ~p->memory[m].may_bypass;
        struct sator_level_tensor *tensors =
                SATOR_NEW_ARRAY(q->arena, struct sator_level_tensor, p->n_accesses);
        for (int a = 0; a < p->n_accesses; a++) {
            if (always >> a & 1)
                tensors[held[m].n_tensors++].name = p->access[a].name;
        }
        held[m].tensors = tensors;
        memories[m] = &held[m];
    }
    return sator_model_expected(q->ctx, q->arena, q->workload, q->arch, &question, &expected);
}

/* What bypasses needs no room: when something fits at all, it does
 * with everything bypassing that may. */
enum sator_status sator_mapper_ask(struct mapper_question *q)
{
    struct mapper_problem *plain = SATOR_NEW(q->arena, struct mapper_problem);
    struct mapper_problem *first = SATOR_NEW(q->arena, struct mapper_problem);
    unsigned bypassed[MAPPER_MEMORIES];
    enum sator_status st;

    SATOR_TRY(compile(q, NULL, NULL, first, plain));
    SATOR_TRY(sator_mapper_choices_init(q->ctx, first, &q->choices));
    SATOR_TRY(check_gates(q, first));
    SATOR_TRY(find_skews(q, first));
    q->n_problems = q->n_unskewed = 1 << q->choices.n_bits;
    int most = q->n_unskewed * (4 * q->skews.n - 3); /* each skew counted, short, and joined, too */
    q->problems = SATOR_NEW_ARRAY(q->arena, struct mapper_problem, most);
    q->choice = SATOR_NEW_ARRAY(q->arena, int, most);
    for (int i = 0; i < q->n_unskewed; i++)
        q->choice[i] = i;
    q->problems[0] = *first;
    for (int i = 1; i < q->n_unskewed; i++) { /* the last leaves "plain" with all bypasses */
        sator_mapper_choice(&q->choices, (unsigned)i, bypassed);
        SATOR_TRY(compile(q, bypassed, NULL, &q->problems[i], plain));
    }
    SATOR_TRY(add_skewed(q));
    SATOR_TRY(add_short(q));
    SATOR_TRY(add_windows(q));
    watch(q, plain);
    SATOR_TRY(sator_mapper_check_feasible(q->ctx, &q->problems[q->n_unskewed - 1], plain,
            q->options->constraints, q->options->n_constraints));
    for (int i = 0; i < q->n_unskewed; i++)
        sator_mapper_close_wanted(&q->problems[i]);
    st = check_options(q);
done:
    return st;
}

double sator_mapper_size(const struct mapper_question *q)
{
    return q->problems[0].imperfect ? NAN : space_size(q);
}
