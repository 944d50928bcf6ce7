/* From the public interface to the mapper's strategies. */
#include "sator/map.h"
#include "sator/analyze.h"

#include "api/map.h"

#include "base/arguments.h"
#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "mapper/phases.h"
#include "mapper/search.h"
#include "mapper/skew.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- options ---- */

/* A constraint that is the name of a Timeloop file stands for those in it. */
static enum sator_status expand_constraints(
        struct sator_ctx *ctx, struct sator_map_options *options)
{
    const char **all = NULL;
    int n_all = 0;
    struct stat status;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < options->n_constraints; i++) {
        const char *text = options->constraints[i], *const *texts = NULL;
        const struct sator_source *source;
        int n_texts = 0;
        if (stat(text, &status) != 0 || !S_ISREG(status.st_mode)) {
            SATOR_PUSH(ctx->arena, all, n_all, text);
            continue;
        }
        SATOR_TRY(sator_source_read(ctx, text, &source));
        SATOR_TRY(sator_timeloop_constraints(ctx, source, ctx->arena, &n_texts, &texts));
        for (int k = 0; k < n_texts; k++)
            SATOR_PUSH(ctx->arena, all, n_all, texts[k]);
    }
    options->constraints = all;
    options->n_constraints = n_all;
done:
    return st;
}

enum sator_status sator_map_take_options(struct sator_ctx *ctx,
        const struct sator_map_options *given, struct sator_map_options *options)
{
    struct sator_map_options own;

    SATOR_OPTIONS(ctx, given, own);
    *options = own;
    SATOR_NUMBER(ctx, options->objective, SATOR_MAP_EDP, SATOR_MAP_LATENCY);
    SATOR_NUMBER(ctx, options->strategy, SATOR_MAP_OPTIMAL, SATOR_MAP_EXHAUSTIVE);
    SATOR_TEXTS(ctx, options->constraints, options->n_constraints);
    SATOR_REAL(ctx, options->budget_seconds);
    SATOR_REAL(ctx, options->limit);
    SATOR_NUMBER(ctx, options->intra_order, 0, 2);
    SATOR_NUMBER(ctx, options->threads, 0, INT_MAX);
    SATOR_NUMBER(ctx, options->timing, SATOR_TIMING_ROOFLINE, SATOR_TIMING_SCHEDULED);
    return expand_constraints(ctx, options);
}

/* ---- running ---- */

static enum sator_status check_options(struct sator_ctx *ctx, const struct mapper_problem *p,
        const struct sator_map_options *options, double space_size)
{
    double limit = options->limit > 0 ? options->limit : 1e8;

    if (options->strategy != SATOR_MAP_EXHAUSTIVE || space_size <= limit)
        return SATOR_OK;
    sator_error(ctx, p->workload->loc,
            "the space has %.3g mappings, more than the %.3g that the exhaustive strategy may try",
            space_size, limit);
    sator_help(ctx, "use the strategy 'optimal', which proves its answer without trying all");
    return SATOR_LIMIT;
}

static void run(struct mapper_search *search)
{
    switch (search->options->strategy) {
    case SATOR_MAP_EXHAUSTIVE:
        sator_mapper_exhaustive(search);
        break;
    case SATOR_MAP_RANDOM:
        sator_mapper_random_search(search);
        break;
    case SATOR_MAP_SUNSTONE:
        sator_mapper_sunstone(search);
        break;
    default:
        sator_mapper_optimal(search);
    }
}

/* Values this close are equal: energies are sums of decimal figures in binary. */
static const double same_value = 1e-9;

static void certify(const struct mapper_search *search, struct sator_map_result *result)
{
    result->value =
            sator_mapper_value(search->problem->objective, result->energy_pj, result->total_cycles);
    /* what is open, and what could not be counted, is no better: the best is the optimum */
    result->proved = search->proved || search->bound >= result->value * (1 - same_value);
    result->bound = result->proved ? result->value : search->bound > 0 ? search->bound : NAN;
    result->gap = result->value / result->bound - 1;
    result->stopped = search->stopped;
    result->counters = search->counters;
}

/* ---- the choices of what bypasses what ---- */

enum {
    DRAWS = 1000,
    COUNTED_DRAWS = 16 /* of mappings that take the counting engines longer */
};

/* Work of the counting engines that a budget leaves time for before the search, about. */
static const double ticks_a_second = 3e8;

/* Seconds that a search which found nothing in time may still count the few that it takes then. */
static const double seconds_for_any = 0.1;

/* One question: a problem for every choice and every skew, all with the same constraints. */
struct question {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_map_options *options;
    double start, deadline; /* as sator_mapper_now; the latter INFINITY where there is no budget */
    double cycle_limit; /* look only for faster mappings; 0: for any */
    struct mapper_watch *watch; /* where some transfer is counted */
    struct mapper_choices choices;
    struct mapper_skews skews;
    int n_problems, n_unskewed; /* the first ones, one a choice */
    struct mapper_problem *problems;
    int *choice; /* of each problem */
};

/* Compile one choice (NULL: nothing bypasses that need not) under a skew (NULL: none), without
 * constraints in "*plain". */
static enum sator_status compile(const struct question *q, const unsigned *bypassed,
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
    sator_mapper_allow_orders(problem);
    if (options->imperfect)
        SATOR_TRY(sator_mapper_allow_imperfect(q->ctx, problem));
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
static double space_size(const struct question *q)
{
    double known[1 << MAPPER_MEMORIES] = {0}, size = 0;

    for (int i = 0; i < q->n_problems; i++) {
        unsigned where = 0;
        for (int m = 0; m < q->problems[i].n_memories; m++)
            where |= sator_mapper_order_matters(&q->problems[i], m) ? 1U << m : 0;
        if (known[where] == 0)
            known[where] = sator_mapper_space_size(&q->problems[i]);
        size += known[where];
    }
    return size;
}

/* Watch over what the counting engines are asked about any of the problems. */
static void watch(struct question *q, struct mapper_problem *plain)
{
    bool has_counted = false;

    for (int i = 0; i < q->n_problems; i++)
        has_counted |= q->problems[i].has_counted;
    if (has_counted)
        q->watch = sator_mapper_watch_new(q->ctx, q->deadline);
    for (int i = 0; i < q->n_problems; i++)
        q->problems[i].watch = q->watch;
    plain->watch = q->watch;
}

/* The published heuristic does not know of skews. */
static enum sator_status find_skews(struct question *q, const struct mapper_problem *first)
{
    bool knows_none = q->options->strategy == SATOR_MAP_SUNSTONE;

    return sator_mapper_find_skews(
            q->ctx, first, knows_none ? "this strategy does not search skews" : NULL, &q->skews);
}

/* The same choices under each skew, but those that leave no mapping, or none with a formula. */
static enum sator_status add_skewed(struct question *q, const struct mapper_problem *plain)
{
    struct mapper_problem unused = *plain;
    unsigned bypassed[MAPPER_MEMORIES];
    enum sator_status st = SATOR_OK;

    for (int s = 1; s < q->skews.n; s++) {
        for (int i = 0; i < q->n_unskewed; i++) {
            struct mapper_problem *problem = &q->problems[q->n_problems];
            sator_mapper_choice(&q->choices, (unsigned)i, bypassed);
            SATOR_TRY(compile(q, bypassed, &q->skews.skew[s], problem, &unused));
            q->choice[q->n_problems] = i;
            sator_mapper_skew_left_out(problem, &q->skews);
            q->n_problems += sator_mapper_close_skew(problem);
        }
    }
done:
    return st;
}

/* Gates that could be told of no mapping are refused before the search: ask as of a mapping that
 * moves no word, whose memories hold what none may bypass. */
static enum sator_status check_gates(const struct question *q, const struct mapper_problem *p)
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

/* The problems of all choices. What bypasses needs no room: when something fits at all, it does
 * with everything bypassing that may. */
static enum sator_status compile_all(struct question *q, struct sator_map_result *made)
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
    q->problems = SATOR_NEW_ARRAY(q->arena, struct mapper_problem, q->n_unskewed * q->skews.n);
    q->choice = SATOR_NEW_ARRAY(q->arena, int, q->n_unskewed * q->skews.n);
    for (int i = 0; i < q->n_unskewed; i++)
        q->choice[i] = i;
    q->problems[0] = *first;
    for (int i = 1; i < q->n_unskewed; i++) { /* the last leaves "plain" with all bypasses */
        sator_mapper_choice(&q->choices, (unsigned)i, bypassed);
        SATOR_TRY(compile(q, bypassed, NULL, &q->problems[i], plain));
    }
    SATOR_TRY(add_skewed(q, plain));
    watch(q, plain);
    SATOR_TRY(sator_mapper_check_feasible(q->ctx, &q->problems[q->n_unskewed - 1], plain,
            q->options->constraints, q->options->n_constraints));
    made->space_size = NAN;
    if (first->imperfect && q->options->strategy != SATOR_MAP_EXHAUSTIVE)
        goto done; /* only a limit of it can be counted */
    made->space_size = space_size(q);
    st = check_options(q->ctx, first, q->options, made->space_size);
    if (first->imperfect)
        made->space_size = NAN;
done:
    return st;
}

/* A bound of one choice says nothing of the others. */
static void report_without_bound(void *data, const struct sator_map_progress *progress)
{
    const struct sator_map_options *options = data;
    struct sator_map_progress report = *progress;

    report.bound = 0;
    options->progress(options->progress_data, &report);
}

/* A search that was stopped before it had any mapping: some are found at once. */
static void take_any(const struct question *q, struct mapper_search *search, int *best)
{
    double deadline = sator_mapper_now() + seconds_for_any;

    sator_mapper_watch_until(q->watch, deadline);
    for (int i = 0; i < q->n_problems && !(search->found && sator_mapper_now() > deadline); i++) {
        uint64_t improvements = search->counters.improvements, state = 1;
        struct mapper_mapping mapping;
        search->problem = &q->problems[i];
        search->words = sator_mapper_words_new(search->problem);
        if (sator_mapper_find_any(search->problem, &mapping))
            sator_mapper_try(search, &mapping);
        for (int k = 0; k < (search->problem->has_counted ? COUNTED_DRAWS : DRAWS) &&
                sator_mapper_now() <= deadline;
                k++) {
            sator_mapper_draw(search->problem, &state, &mapping);
            if (sator_mapper_is_legal(search->problem, search->words, &mapping))
                sator_mapper_try(search, &mapping);
        }
        sator_mapper_words_free(search->words);
        if (search->counters.improvements != improvements)
            *best = i;
    }
}

/* Search problem "i" with the best mapping so far to beat; "*best" is the problem of the best. */
static void search_one(struct question *q, struct mapper_search *search, int i, int *best)
{
    uint64_t improvements = search->counters.improvements;

    search->problem = &q->problems[i];
    search->words = sator_mapper_words_new(search->problem);
    search->proved = false;
    search->bound = 0;
    run(search); /* after a stop: only finds its bound */
    sator_mapper_words_free(search->words);
    if (search->counters.improvements != improvements)
        *best = i;
}

/* The numbers of the problems, those first over whose arrays words pass along most dimensions: what
 * they find leaves little of the others. */
static const int *visiting_order(const struct question *q)
{
    int *order = SATOR_NEW_ARRAY(q->arena, int, q->n_problems);
    int *rank = SATOR_NEW_ARRAY(q->arena, int, q->n_problems);

    for (int i = 0; i < q->n_problems; i++) {
        const struct mapper_problem *p = &q->problems[i];
        int at = i;
        rank[i] = 0;
        for (int t = 0; t < p->n_transfers && q->n_problems > q->n_unskewed; t++)
            rank[i] += __builtin_popcount(p->transfer[t].collapsed);
        for (; at > 0 && rank[order[at - 1]] < rank[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* Search all problems; "*best" is the number of the one that the best mapping maps. The bound is
 * the least of those left open. */
static void search_all(struct question *q, struct mapper_search *search, int *best)
{
    double bound = INFINITY;
    bool proved = true;
    const int *order = visiting_order(q);
    bool *possible = SATOR_NEW_ARRAY(q->arena, bool, q->n_problems);

    for (int i = 0; i < q->n_problems; i++)
        possible[i] = sator_mapper_has_skew(&q->problems[i]) &&
                (q->n_problems == 1 || sator_mapper_is_feasible(&q->problems[i]));
    search->only_dives = true; /* a good mapping first, for all choices to be measured against */
    for (int k = 0;
            k < q->n_problems && q->n_problems > 1 && q->options->strategy == SATOR_MAP_OPTIMAL;
            k++) {
        if (possible[order[k]])
            search_one(q, search, order[k], best);
    }
    search->only_dives = false;
    for (int k = 0; k < q->n_problems; k++) {
        int i = order[k];
        if (!possible[i])
            continue;
        search_one(q, search, i, best);
        if (!search->proved && !(search->bound > bound))
            bound = search->bound;
        proved &= search->proved;
    }
    if (sator_mapper_watch_take_unknown(q->watch)) {
        proved = false;
        bound = 0; /* of no account: a mapping that is called illegal may be better */
    }
    if (!search->found && search->stopped != SATOR_OK)
        take_any(q, search, best);
    sator_mapper_watch_until(q->watch, INFINITY); /* the best is counted once more */
    search->proved = proved;
    search->bound = proved ? 0 : bound;
    search->problem = &q->problems[*best];
    search->words = sator_mapper_words_new(search->problem);
}

/* Why there is no mapping; without a message where only faster ones were looked for. */
static enum sator_status say_none(const struct question *q, const struct mapper_search *search)
{
    bool sees_all = q->options->strategy == SATOR_MAP_OPTIMAL ||
            q->options->strategy == SATOR_MAP_EXHAUSTIVE;
    const char *workload = q->workload->name, *arch = q->arch->name;
    enum sator_status st = search->stopped != SATOR_OK ? search->stopped
            : !search->proved && sees_all              ? SATOR_LIMIT
                                                       : SATOR_INFEASIBLE;

    if (q->cycle_limit > 0)
        return st;
    if (search->stopped != SATOR_OK) {
        sator_error(q->ctx, q->workload->loc,
                "the search for a mapping of '%s' on '%s' was stopped before it found one",
                workload, arch);
        return st;
    }
    sator_error(q->ctx, q->workload->loc, "no mapping of '%s' on '%s' %s", workload, arch,
            !search->proved                         ? "was found"
                    : q->options->n_constraints > 0 ? "satisfies the constraints"
                                                    : "is legal");
    if (!search->proved)
        sator_help(q->ctx, "%s",
                sees_all ? sator_arena_printf(q->arena,
                                   "some could not be counted within the work limit (%s)",
                                   sator_word(q->ctx, "work_limit"))
                         : "this strategy looks at some mappings only; 'optimal' finds one where "
                           "there is any");
    return st;
}

/* What the best mapping would be worth if no array were skewed; NAN where none is. */
static double unskewed_value(const struct question *q, const struct mapper_search *search, int best)
{
    const struct mapper_problem *problem = &q->problems[q->choice[best]];
    struct mapper_traffic traffic;

    if (best < q->n_unskewed)
        return NAN;
    struct mapper_words *words = sator_mapper_words_new(problem);
    sator_mapper_count(problem, words, &search->best, &traffic);
    sator_mapper_words_free(words);
    return sator_mapper_cost(problem, &traffic).value;
}

/* Let the problems' bounds be of the scheduled time; whether all are. */
static bool know_phases(struct question *q)
{
    bool all = true;

    for (int i = 0; i < q->n_problems; i++) {
        /* the exhaustive strategy leaves out orders whose traffic is the same */
        if (!q->problems[i].imperfect && q->options->strategy != SATOR_MAP_EXHAUSTIVE)
            sator_mapper_know_phases(&q->problems[i]);
        all &= q->problems[i].phases != NULL;
    }
    return all;
}

/* The best by the scheduled time. Where its bounds are not known of all problems, these are
 * searched once more, with the best by the roofline to beat: what was proved of the roofline bounds
 * it, too. */
static void search_times(
        struct question *q, struct mapper_search *search, struct mapper_timer *timer, int *best)
{
    struct mapper_mapping first = search->best;
    struct mapper_cost cost = search->best_cost;
    double bound = search->proved ? cost.value : search->bound;
    enum sator_status stopped = search->stopped;

    know_phases(q);
    search->timer = timer;
    search->found = false;
    sator_mapper_offer(search, &first, cost);
    sator_mapper_words_free(search->words);
    search_all(q, search, best);
    if (!search->found) { /* its time is not counted */
        search->timer = NULL;
        search->found = true;
        search->best = first;
        search->best_cost = cost;
    }
    if (sator_mapper_is_worn_out(timer)) {
        search->stopped = stopped;
        search->proved = false;
    }
    search->bound = fmax(bound, search->bound);
}

/* What gating of zeros is expected to save of the best mapping. */
static enum sator_status expect(const struct question *q, struct sator_map_result *result)
{
    const struct sator_level_result **memories =
            SATOR_NEW_ARRAY(q->arena, const struct sator_level_result *, result->n_levels + 1);
    struct sator_expected_question question = {
            .memories = memories, .instances = result->instances, .energy_pj = result->energy_pj};
    struct sator_expected expected;

    for (int i = 0; i < result->n_levels; i++) {
        if (!result->levels[i].is_array)
            memories[question.n_memories++] = result->levels[i].contents;
    }
    enum sator_status st =
            sator_model_expected(q->ctx, result->arena, q->workload, q->arch, &question, &expected);
    result->expected_energy_pj = expected.energy_pj;
    result->n_savings = expected.n_savings;
    result->savings = expected.savings;
    return st;
}

static enum sator_status search_mapping(struct question *q, struct sator_map_result *result)
{
    struct sator_map_options options = *q->options;
    struct mapper_timer timer = {0};
    bool is_timed = options.timing == SATOR_TIMING_SCHEDULED;
    struct mapper_search search = {.ctx = q->ctx,
            .options = &options,
            .cycle_limit = q->cycle_limit,
            .deadline = q->deadline,
            .next_report = q->start + 0.2};
    enum sator_status st = SATOR_OK;
    int best = 0;

    if (q->n_problems > 1 && options.progress != NULL) {
        options.progress = report_without_bound;
        options.progress_data = (void *)(uintptr_t)q->options;
    }
    if (is_timed)
        options.threads = 1;
    if (options.samples == 0)
        options.samples = 100000;
    options.samples = (options.samples + (uint64_t)q->n_problems - 1) / (uint64_t)q->n_problems;
    search.timer = NULL;
    search_all(q, &search, &best);
    if (is_timed && search.found)
        search_times(q, &search, &timer, &best);
    result->seconds = sator_mapper_now() - q->start;
    if (search.found) {
        sator_mapper_describe(search.problem, search.words, &search.best,
                search.timer != NULL ? search.best_cost.cycles : NAN, result);
        if (is_timed && search.timer == NULL)
            result->unscheduled = "the model does not count the phases of the best mapping";
        certify(&search, result);
        result->n_skews = q->skews.n;
        result->unskewed = search.timer != NULL ? NAN : unskewed_value(q, &search, best);
        st = sator_mapper_control(q->ctx, search.problem, &search.best, result);
        if (st == SATOR_OK)
            st = expect(q, result);
        result->left_out = sator_mapper_left_out(q->problems, q->n_unskewed, &q->skews,
                sator_word(q->ctx, "imperfect"),
                &(struct mapper_left_open){
                        search.chains_open, search.orders_open, search.hull_open},
                q->arena, &result->n_left_out);
    } else {
        st = say_none(q, &search);
    }
    sator_mapper_words_free(search.words);
    return st;
}

static bool is_used(const struct sator_map_result *result, const struct sator_link *link)
{
    for (int i = 0; i < result->n_energy_terms; i++) {
        const struct sator_energy_term *term = &result->energy_terms[i];
        if (term->actions > 0 && strcmp(term->component, link->name) == 0)
            return true;
    }
    return false;
}

/* Links from a stamp before that carry nothing. */
static const char *idle_links(const struct sator_map_result *result, const struct sator_arch *arch)
{
    const char *names = NULL;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_array *array = &arch->levels[i].array;
        for (int k = 0; arch->levels[i].kind == SATOR_LEVEL_ARRAY && k < array->n_links; k++) {
            const struct sator_link *link = &array->links[k];
            if (link->interval > 0 && !is_used(result, link))
                names = sator_arena_printf(result->arena, "%s%s%s", names == NULL ? "" : names,
                        names == NULL ? "" : ", ", link->name);
        }
    }
    return names;
}

static enum sator_status map_below(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        double cycle_limit, struct sator_map_result **result)
{
    if (layer < 0 || layer >= network->n_layers) {
        sator_error(ctx, (struct sator_loc){0}, "network '%s' has %d layers: there is no layer %d",
                network->name, network->n_layers, layer);
        return SATOR_USAGE;
    }
    const struct sator_workload *workload = &network->layers[layer];
    struct sator_arena *arena = sator_arena_new();
    struct sator_map_result *made = SATOR_NEW(arena, struct sator_map_result);
    struct question question = {.ctx = ctx,
            .arena = arena,
            .workload = workload,
            .arch = arch,
            .options = options,
            .start = sator_mapper_now(),
            .deadline = INFINITY,
            .cycle_limit = cycle_limit};
    enum sator_status st;

    *made = (struct sator_map_result){.size = sizeof *made,
            .arena = arena,
            .workload = sator_arena_strdup(arena, workload->name),
            .arch = sator_arena_strdup(arena, arch->name),
            .repeat = workload->repeat,
            .objective = options->objective,
            .strategy = options->strategy};
    if (options->budget_seconds > 0)
        question.deadline = question.start + options->budget_seconds;
    SATOR_TRY(compile_all(&question, made));
    SATOR_TRY(search_mapping(&question, made));
    made->idle_links = idle_links(made, arch);
    made->order = question.problems[0].order;
    *result = made;
done:
    sator_mapper_watch_free(question.watch);
    if (st != SATOR_OK)
        sator_arena_free(arena);
    return st;
}

enum sator_status sator_map(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result **result)
{
    struct sator_map_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_map_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    return map_below(ctx, network, layer, arch, &own, 0, result);
}

enum sator_status sator_map_pareto(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result ***results, int *n_results)
{
    struct sator_map_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && results != NULL && n_results != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_map_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    if (own.timing == SATOR_TIMING_SCHEDULED) {
        sator_error(ctx, (struct sator_loc){0}, "a front is of the roofline, which has proofs");
        return SATOR_USAGE;
    }
    struct sator_map_options each = own;
    double start = sator_mapper_now(), cycle_limit = 0;
    struct sator_map_result **front = NULL, *next = NULL;
    int count = 0;

    each.objective = SATOR_MAP_ENERGY; /* the least energy among ever faster mappings */
    each.strategy = SATOR_MAP_OPTIMAL;
    while (st == SATOR_OK) {
        if (own.budget_seconds > 0)
            each.budget_seconds = fmax(own.budget_seconds - (sator_mapper_now() - start), 1e-6);
        st = map_below(ctx, network, layer, arch, &each, cycle_limit, &next);
        if (st != SATOR_OK)
            break;
        if (!next->proved) { /* a faster one may take less energy: it is no point of the front */
            st = next->stopped;
            sator_map_result_free(next);
            break;
        }
        front = sator_realloc(front, sizeof *front * (size_t)(count + 1));
        front[count++] = next;
        cycle_limit = next->total_cycles;
    }
    if (st == SATOR_INFEASIBLE && count > 0)
        st = SATOR_OK; /* none is faster still */
    *results = front;
    *n_results = count;
    return st;
}

void sator_map_result_free(struct sator_map_result *result)
{
    if (result != NULL)
        sator_arena_free(result->arena);
}

/* ---- layers ---- */

int sator_map_layer_repeat(const struct sator_network *network, int layer)
{
    if (network == NULL || layer < 0 || layer >= network->n_layers)
        return -1;
    return network->layers[layer].repeat;
}

int sator_map_same_layer(const struct sator_network *network, int layer)
{
    if (network == NULL || layer < 0 || layer >= network->n_layers)
        return -1;
    SATOR_CALL(NULL, return layer) /* as if it were the first of its kind */
    char *key = sator_workload_key(&network->layers[layer]);
    int same = layer;

    for (int i = 0; i < layer && same == layer; i++) {
        char *other = sator_workload_key(&network->layers[i]);
        if (strcmp(other, key) == 0)
            same = i;
        free(other);
    }
    free(key);
    return same;
}
