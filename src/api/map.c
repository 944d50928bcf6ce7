/* From the public interface to the mapper's strategies. */
#include "sator/map.h"
#include "sator/analyze.h"

#include "api/map.h"
#include "api/timing.h"

#include "base/arguments.h"
#include "base/context.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "mapper/search/question.h"
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
        const struct sator_map_options *given, bool has_schedule, struct sator_map_options *options)
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
    SATOR_NUMBER(ctx, options->timing, SATOR_TIMING_AUTO, SATOR_TIMING_SCHEDULED);
    options->timing = sator_timing_of(options->timing, has_schedule);
    return expand_constraints(ctx, options);
}

/* ---- answers ---- */

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

/* What gating of zeros is expected to save of the best mapping. */
static enum sator_status expect(const struct mapper_question *q, struct sator_map_result *result)
{
    const struct sator_level_result **memories =
            SATOR_NEW_ARRAY(q->arena, const struct sator_level_result *, result->n_levels + 1);
    struct sator_expected_question question = {.memories = memories,
            .instances = result->instances,
            .energy_pj = result->energy_pj,
            .compute_cycles = result->compute_cycles,
            .port_cycles = NAN};
    struct sator_expected expected;

    for (int i = 0; i < result->n_levels; i++) {
        const struct sator_level_result *contents = result->levels[i].contents;
        if (result->levels[i].is_array)
            continue;
        memories[question.n_memories++] = contents; /* fmax takes the other operand of NAN */
        question.port_cycles =
                fmax(question.port_cycles, fmax(contents->read_cycles, contents->write_cycles));
    }
    enum sator_status st =
            sator_model_expected(q->ctx, result->arena, q->workload, q->arch, &question, &expected);
    result->expected_energy_pj = expected.energy_pj;
    result->expected_cycles = expected.cycles;
    result->n_savings = expected.n_savings;
    result->savings = expected.savings;
    return st;
}

/* What is busy for longest in the phases of the best mapping; where the model does not count them,
 * the roofline's bound is kept. */
static void find_bound(const struct mapper_question *q, const struct mapper_search *search,
        struct sator_map_result *result)
{
    const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    struct sator_arena *arena = sator_arena_new();
    struct sator_result *analysis = NULL;
    struct sator_hush before;

    sator_ctx_hush(q->ctx, &before);
    enum sator_status st = sator_model_analyze(q->ctx, q->workload, q->arch,
            sator_mapper_dataflow(search->problem, arena, &search->best, "mapping"), &options,
            &analysis);
    sator_ctx_unhush(q->ctx, &before);
    if (st == SATOR_OK && !isnan(analysis->scheduled_cycles))
        result->bound_by = sator_arena_strdup(result->arena, analysis->bound_by);
    sator_result_free(analysis);
    sator_arena_free(arena);
}

static enum sator_status search_mapping(struct mapper_question *q, struct sator_map_result *result)
{
    struct mapper_answer answer;
    enum sator_status st = sator_mapper_answer(q, &answer);
    const struct mapper_search *search = &answer.search;

    result->seconds = sator_mapper_now() - q->start;
    if (st != SATOR_OK)
        goto done;
    sator_mapper_describe(search->problem, search->words, &search->best,
            answer.is_timed ? search->best_cost.cycles : NAN, result);
    if (q->options->timing == SATOR_TIMING_SCHEDULED && !answer.is_timed)
        result->unscheduled = "the model does not count the phases of the best mapping";
    if (answer.is_timed)
        find_bound(q, search, result);
    certify(search, result);
    result->n_skews = q->skews.n;
    result->unskewed = answer.unskewed;
    SATOR_TRY(sator_mapper_control(q->ctx, search->problem, &search->best, result));
    SATOR_TRY(expect(q, result));
    result->left_out = sator_mapper_left_out(q->problems, q->n_unskewed, &q->skews,
            sator_word(q->ctx, "imperfect"),
            &(struct mapper_left_open){.chains = search->chains_open,
                    .idle = search->idle_open,
                    .orders = search->orders_open,
                    .hull = search->hull_open && !search->proved,
                    .ends_short = search->short_open ||
                            (q->options->imperfect && q->n_short == q->n_counted &&
                                    q->n_apart > q->n_unskewed),
                    .windows = search->windows_open || q->n_problems - q->n_short < q->n_skewed,
                    .counted = search->counted_open},
            q->arena, &result->n_left_out);
done:
    sator_mapper_words_free(search->words);
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
    struct mapper_question question = {.ctx = ctx,
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
    SATOR_TRY(sator_mapper_ask(&question));
    SATOR_TRY(search_mapping(&question, made));
    made->space_size = sator_mapper_size(&question);
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
    enum sator_status st = sator_map_take_options(ctx, options, true, &own);
    if (st != SATOR_OK)
        return st;
    return map_below(ctx, network, layer, arch, &own, 0, result);
}

/* Why there is no front. */
static void say_unproved(struct sator_ctx *ctx, const struct sator_map_result *found)
{
    sator_error(ctx, (struct sator_loc){0},
            "no mapping of the front of '%s' on '%s' is proved: the least energy found is %.6g pJ, "
            "the least possible is %s",
            found->workload, found->arch, found->energy_pj,
            isnan(found->bound)
                    ? "not known"
                    : sator_arena_printf(found->arena, "%.6g pJ or more", found->bound));
    sator_help(ctx, "a search for the least energy alone gives that mapping; %s",
            found->stopped == SATOR_OK ? "this one was given up after a fixed amount of work"
                                       : "a longer budget may prove it");
}

enum sator_status sator_map_pareto(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result ***results, int *n_results)
{
    struct sator_map_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && results != NULL && n_results != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_map_take_options(ctx, options, false, &own);
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
            st = next->stopped != SATOR_OK ? next->stopped : SATOR_LIMIT;
            if (count == 0 && st == SATOR_LIMIT)
                say_unproved(ctx, next);
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
