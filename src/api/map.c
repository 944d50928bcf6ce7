/* From the public interface to the mapper's strategies. */
#include "sator/map.h"

#include "base/context.h"
#include "base/text.h"
#include "mapper/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void certify(const struct mapper_search *search, struct sator_map_result *result)
{
    result->proved = search->proved;
    result->value =
            sator_mapper_value(search->problem->objective, result->energy_pj, result->total_cycles);
    result->bound = search->proved ? result->value : search->bound > 0 ? search->bound : NAN;
    if (result->bound > result->value) /* what is open is no better: the best is the optimum */
        result->bound = result->value;
    result->gap = result->value / result->bound - 1;
    result->stopped = search->stopped;
    result->counters = search->counters;
}

/* "cycle_limit": look only for faster mappings; 0: for any. */
static enum sator_status search_mapping(struct sator_ctx *ctx, const struct mapper_problem *p,
        const struct sator_map_options *options, double cycle_limit,
        struct sator_map_result *result)
{
    double start = sator_mapper_now();
    struct mapper_search search = {.ctx = ctx,
            .problem = p,
            .words = sator_mapper_words_new(p),
            .options = options,
            .cycle_limit = cycle_limit,
            .deadline = options->budget_seconds > 0 ? start + options->budget_seconds : INFINITY,
            .next_report = start + 0.2};
    enum sator_status st = SATOR_OK;

    run(&search);
    result->seconds = sator_mapper_now() - start;
    if (search.found) {
        sator_mapper_describe(p, search.words, &search.best, result);
        certify(&search, result);
    } else {
        st = search.stopped != SATOR_OK ? search.stopped : SATOR_INFEASIBLE;
        if (st == SATOR_INFEASIBLE && cycle_limit == 0)
            sator_error(ctx, p->workload->loc, "no mapping of '%s' on '%s' %s", p->workload->name,
                    p->arch->name,
                    !search.proved                       ? "was found"
                            : options->n_constraints > 0 ? "satisfies the constraints"
                                                         : "is legal");
    }
    sator_mapper_words_free(search.words);
    return st;
}

static enum sator_status map_below(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        double cycle_limit, struct sator_map_result **result)
{
    struct sator_arena *arena = sator_arena_new();
    struct mapper_problem *problem = SATOR_NEW(arena, struct mapper_problem);
    struct sator_map_result *made = SATOR_NEW(arena, struct sator_map_result);
    enum sator_status st;

    if (layer < 0 || layer >= network->n_layers) {
        sator_error(ctx, (struct sator_loc){0}, "network '%s' has %d layers: there is no layer %d",
                network->name, network->n_layers, layer);
        sator_arena_free(arena);
        return SATOR_USAGE;
    }
    const struct sator_workload *workload = &network->layers[layer];
    *made = (struct sator_map_result){.arena = arena,
            .workload = sator_arena_strdup(arena, workload->name),
            .arch = sator_arena_strdup(arena, arch->name),
            .repeat = workload->repeat,
            .objective = options->objective,
            .strategy = options->strategy};
    SATOR_TRY(sator_mapper_problem_init(ctx, arena, workload, arch, options->objective, problem));
    struct mapper_problem *plain = SATOR_NEW(arena, struct mapper_problem);
    *plain = *problem;
    for (int i = 0; i < options->n_constraints; i++) {
        if (sator_mapper_constrain(ctx, problem, options->constraints[i]) != SATOR_OK)
            st = SATOR_INPUT; /* say all that is wrong */
    }
    if (st != SATOR_OK)
        goto done;
    SATOR_TRY(sator_mapper_check_feasible(
            ctx, problem, plain, options->constraints, options->n_constraints));
    made->space_size = sator_mapper_space_size(problem);
    SATOR_TRY(check_options(ctx, problem, options, made->space_size));
    SATOR_TRY(search_mapping(ctx, problem, options, cycle_limit, made));
    *result = made;
done:
    if (st != SATOR_OK)
        sator_arena_free(arena);
    return st;
}

enum sator_status sator_map(struct sator_ctx *ctx, const struct sator_network *network, int layer,
        const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result **result)
{
    static const struct sator_map_options defaults = {0};

    return map_below(ctx, network, layer, arch, options == NULL ? &defaults : options, 0, result);
}

enum sator_status sator_map_pareto(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_map_options *options,
        struct sator_map_result ***results, int *n_results)
{
    struct sator_map_options each = options == NULL ? (struct sator_map_options){0} : *options;
    double start = sator_mapper_now(), cycle_limit = 0;
    struct sator_map_result **front = NULL, *next = NULL;
    enum sator_status st = SATOR_OK;
    int count = 0;

    each.objective = SATOR_MAP_ENERGY; /* the least energy among ever faster mappings */
    each.strategy = SATOR_MAP_OPTIMAL;
    while (st == SATOR_OK) {
        if (options != NULL && options->budget_seconds > 0)
            each.budget_seconds =
                    fmax(options->budget_seconds - (sator_mapper_now() - start), 1e-6);
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

static enum sator_status explain(struct sator_ctx *ctx, const struct mapper_problem *p,
        const struct sator_dataflow *dataflow, const struct sator_map_result *best,
        struct sator_text *text)
{
    struct mapper_words *words = sator_mapper_words_new(p);
    struct mapper_mapping mapping;
    struct mapper_traffic traffic;
    enum sator_status st = sator_mapper_from_nest(ctx, p, dataflow, &mapping);

    if (st == SATOR_OK) {
        sator_text_add(text, "%s: ", dataflow->name);
        struct sator_text broken = {0};
        sator_mapper_why_not(p, words, &mapping, &broken);
        sator_text_add(text, broken.length > 0 ? "not a legal mapping\n" : "legal");
        for (const char *line = broken.data; line != NULL && *line != '\0';) {
            size_t length = strcspn(line, "\n") + 1;
            sator_text_add(text, "  %.*s", (int)length, line);
            line += length;
        }
        if (broken.length == 0) {
            sator_mapper_count(p, words, &mapping, &traffic);
            struct mapper_cost cost = sator_mapper_cost(p, &traffic);
            sator_text_add(text, ", objective %.10g", cost.value);
            if (best != NULL)
                sator_text_add(text, ", %.4g times the best (%.10g)", cost.value / best->value,
                        best->value);
            sator_text_add(text, "\n");
        }
        sator_text_clear(&broken);
    }
    sator_mapper_words_free(words);
    return st;
}

enum sator_status sator_map_why_not(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_map_options *options, const struct sator_map_result *best, char **text)
{
    struct sator_arena *arena = sator_arena_new();
    struct mapper_problem *problem = SATOR_NEW(arena, struct mapper_problem);
    struct sator_text made = {0};
    enum sator_status st;

    SATOR_TRY(sator_mapper_problem_init(ctx, arena, &network->layers[layer], arch,
            options == NULL ? SATOR_MAP_EDP : options->objective, problem));
    for (int i = 0; options != NULL && i < options->n_constraints; i++)
        SATOR_TRY(sator_mapper_constrain(ctx, problem, options->constraints[i]));
    SATOR_TRY(explain(ctx, problem, dataflow, best, &made));
    *text = sator_text_take(&made);
done:
    sator_text_clear(&made);
    sator_arena_free(arena);
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
    return network->layers[layer].repeat;
}

static char *key_of(const struct sator_workload *layer)
{
    struct sator_text text = {0};

    for (int i = 0; i < layer->n_loops; i++)
        sator_text_add(&text, "%s,", layer->loop_names[i]);
    sator_relation_write(&text, layer->domain);
    for (int i = 0; i < layer->n_accesses; i++) {
        sator_text_add(
                &text, "\n%d %d ", (int)layer->accesses[i].role, layer->accesses[i].word_bits);
        sator_relation_write(&text, layer->accesses[i].relation);
    }
    return sator_text_take(&text);
}

int sator_map_same_layer(const struct sator_network *network, int layer)
{
    char *key = key_of(&network->layers[layer]);
    int same = layer;

    for (int i = 0; i < layer && same == layer; i++) {
        char *other = key_of(&network->layers[i]);
        if (strcmp(other, key) == 0)
            same = i;
        free(other);
    }
    free(key);
    return same;
}
