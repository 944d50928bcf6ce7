/* A given mapping beside the best one. The analysis is the judge: what it accepts is legal, whether
 * or not the mapper searches it. */
#include "sator/analyze.h"
#include "sator/map.h"

#include "api/map.h"
#include "base/arguments.h"
#include "base/context.h"
#include "base/text.h"
#include "mapper/cost/cost.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

struct given {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_network *network;
    int layer;
    const struct sator_arch *arch;
    const struct sator_dataflow *dataflow;
    const struct sator_map_result *best;
    struct mapper_faults faults;
    struct sator_analyze_options analyze; /* times are those of "best" */
    double energy_pj, cycles; /* as the analysis counts them */
    double searched_pj; /* of that, what mappings are compared by: without control */
    bool is_timed; /* the cycles have phases */
};

static double searched_pj(const struct sator_result *result)
{
    double pj = result->energy_pj;

    for (int i = 0; i < result->n_energy_terms; i++) {
        const struct sator_energy_term *term = &result->energy_terms[i];
        if (strncmp(term->component, "control.", strlen("control.")) == 0)
            pj -= term->pj;
    }
    return pj;
}

/* "; energy 3 pJ, 1.5 times the best mapping's (2)". */
static void compare(
        const struct mapper_problem *p, const struct given *given, struct sator_text *text)
{
    static const char *const names[] = {"EDP", "energy", "latency"};
    static const char *const units[] = {"pJ x cycles", "pJ", "cycles"};
    const struct sator_map_result *best = given->best;
    double value = sator_mapper_value(p->objective, given->searched_pj, given->cycles);

    if (isnan(value)) {
        sator_text_add(text, "; its %s is not known\n", names[p->objective]);
        return;
    }
    if (!given->is_timed && given->analyze.timing == SATOR_TIMING_SCHEDULED) {
        sator_text_add(text, "; its phases are not counted: %s at least %.10g %s\n",
                names[p->objective], value, units[p->objective]);
        return;
    }
    sator_text_add(text, "; %s %.10g %s%s", names[p->objective], value, units[p->objective],
            given->searched_pj < given->energy_pj && p->objective != SATOR_MAP_LATENCY
                    ? " without control"
                    : "");
    if (best == NULL)
        sator_text_add(text, "\n");
    else if (fabs(value - best->value) <= 1e-9 * best->value)
        sator_text_add(text, ", as good as the best mapping%s\n", best->proved ? "" : " found");
    else
        sator_text_add(text, ", %.4g times the best mapping%s (%.10g)\n", value / best->value,
                best->proved ? "'s" : " found's", best->value);
}

static void add_lines(struct sator_text *text, const struct sator_text *lines)
{
    for (const char *line = lines->data; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n") + 1;
        sator_text_add(text, "  %.*s", (int)length, line);
        line += length;
    }
}

/* Whether the analysis accepts the mapping; its figures, or what it says where nothing is known to
 * be broken. */
static enum sator_status judge(struct given *given, bool *is_legal)
{
    struct sator_ctx *ctx = given->ctx;
    struct sator_result *result = NULL;
    struct sator_hush before;

    sator_ctx_hush(ctx, &before);
    enum sator_status st = sator_analyze(ctx, given->network, given->layer, given->arch,
            given->dataflow, &given->analyze, &result);
    *is_legal = st == SATOR_OK;
    if (st == SATOR_OK) {
        given->energy_pj = result->energy_pj;
        given->searched_pj = searched_pj(result);
        given->cycles = result->total_cycles;
        given->is_timed = !isnan(result->scheduled_cycles);
    }
    bool unsaid = st == SATOR_INPUT && given->faults.broken.length == 0;
    const char *error;
    for (int i = 0; unsaid && (error = sator_ctx_error_text(ctx, i)) != NULL; i++)
        sator_text_add(&given->faults.broken, "%s\n", error);
    sator_ctx_unhush(ctx, &before);
    sator_result_free(result);
    return st == SATOR_INPUT ? SATOR_OK : st;
}

/* The digits of a loop in an order over dimensions that no mapping of the space has, where that
 * changes the figures: the model says what they are for both. */
static enum sator_status check_order(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, struct given *given)
{
    struct sator_result *result = NULL;
    enum sator_status st;

    if (sator_mapper_is_in_order(given->dataflow))
        return SATOR_OK;
    SATOR_TRY(sator_model_analyze(given->ctx, p->workload, p->arch,
            sator_mapper_dataflow(p, given->arena, mapping, given->dataflow->name), &given->analyze,
            &result));
    double value = sator_mapper_value(p->objective, given->searched_pj, given->cycles);
    double searched = sator_mapper_value(p->objective, searched_pj(result), result->total_cycles);
    if (fabs(value - searched) > 1e-9 * searched)
        sator_text_add(&given->faults.outside,
                "digits of its parallel loops stand on dimensions in another order\n");
done:
    sator_result_free(result);
    return st;
}

/* What is better than the best of all that are searched is not one of them, or the proof is wrong.
 */
static void check_value(const struct mapper_problem *p, struct given *given)
{
    const struct sator_map_result *best = given->best;
    double value = sator_mapper_value(p->objective, given->searched_pj, given->cycles);
    bool is_alike = given->is_timed || given->analyze.timing != SATOR_TIMING_SCHEDULED;

    if (best != NULL && best->proved && is_alike && value < best->value * (1 - 1e-9) &&
            given->faults.outside.length == 0)
        sator_text_add(&given->faults.outside,
                "it is one of those that the best one's proof leaves out ('left out'), or the "
                "proof is wrong: please report it\n");
}

/* SATOR_INFEASIBLE for a mapping that is not legal. */
static enum sator_status explain(
        const struct mapper_problem *p, struct given *given, struct sator_text *text)
{
    struct mapper_words *words = sator_mapper_words_new(p);
    struct mapper_mapping mapping;
    bool is_legal;
    enum sator_status st;

    bool in_space = sator_mapper_why_not(p, words, given->dataflow, &mapping, &given->faults);
    SATOR_TRY(judge(given, &is_legal));
    if (is_legal && in_space)
        SATOR_TRY(check_order(p, &mapping, given));
    if (is_legal)
        check_value(p, given);
    bool searched = given->faults.broken.length + given->faults.outside.length == 0;
    sator_text_add(text, "%s: %s", given->dataflow->name,
            !is_legal          ? "not a legal mapping\n"
                    : searched ? "legal"
                               : "legal, but not in the space searched");
    if (is_legal)
        compare(p, given, text);
    else
        st = SATOR_INFEASIBLE;
    add_lines(text, &given->faults.broken);
    add_lines(text, &given->faults.outside);
    const char *timing = given->is_timed ? "" : " by the roofline";
    if (is_legal && !isnan(given->energy_pj))
        sator_text_add(
                text, "  %.10g pJ, %.10g cycles%s\n", given->energy_pj, given->cycles, timing);
    else if (is_legal)
        sator_text_add(text, "  %.10g cycles%s\n", given->cycles, timing);
done:
    sator_mapper_words_free(words);
    return st;
}

/* Names of levels in cuts that the machine does not have. */
static enum sator_status check_cut_names(
        const struct given *given, const struct sator_dataflow *dataflow)
{
    const struct sator_arch *arch = given->arch;
    enum sator_status st = SATOR_OK;
    const char **names = NULL;
    int n_names = 0;

    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            SATOR_PUSH(given->arena, names, n_names, arch->levels[i].name);
    }
    for (int i = 0; i < dataflow->n_cuts; i++) {
        const struct sator_cut *cut = &dataflow->cuts[i];
        if (sator_lists(cut->level, n_names, names))
            continue;
        st = sator_error(
                given->ctx, cut->loc, "'%s' is no memory level of '%s'", cut->level, arch->name);
        sator_help_names(given->ctx, cut->level, names, n_names);
    }
    return st;
}

enum sator_status sator_map_why_not(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_map_options *options, const struct sator_map_result *best, char **text)
{
    struct sator_map_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, layer, 0, network->n_layers - 1);
    enum sator_status st = sator_map_take_options(ctx, options, true, &own);
    if (st != SATOR_OK)
        return st;
    options = &own;
    struct sator_arena *arena = sator_arena_new();
    struct mapper_problem *problem = SATOR_NEW(arena, struct mapper_problem);
    struct given given = {.ctx = ctx,
            .arena = arena,
            .network = network,
            .layer = layer,
            .arch = arch,
            .dataflow = dataflow,
            .best = best,
            .analyze.timing = best == NULL                   ? own.timing
                    : strcmp(best->timing, "scheduled") == 0 ? SATOR_TIMING_SCHEDULED
                                                             : SATOR_TIMING_ROOFLINE};
    struct sator_text made = {0};
    enum sator_map_objective objective = options->objective;
    const struct sator_workload *workload = &network->layers[layer];
    unsigned bypassed[MAPPER_MEMORIES];
    SATOR_TRY(sator_dataflow_of(ctx, dataflow, workload, &dataflow));
    given.dataflow = dataflow;
    SATOR_TRY(check_cut_names(&given, dataflow));
    if (dataflow->loops != NULL)
        SATOR_TRY(sator_arch_check_names(ctx, arena, arch, dataflow, workload));
    SATOR_TRY(sator_mapper_problem_init(ctx, arena, workload, arch, objective, NULL, problem));
    SATOR_TRY(sator_mapper_choice_of_nest(ctx, problem, dataflow, bypassed));
    SATOR_TRY(sator_mapper_problem_init(ctx, arena, workload, arch, objective, bypassed, problem));
    SATOR_TRY(sator_mapper_keep_order(ctx, problem));
    if (options->imperfect)
        SATOR_TRY(sator_mapper_allow_imperfect(ctx, problem));
    for (int i = 0; i < options->n_constraints; i++)
        SATOR_TRY(sator_mapper_constrain(ctx, problem, options->constraints[i]));
    st = explain(problem, &given, &made);
    if (st == SATOR_OK || st == SATOR_INFEASIBLE)
        *text = sator_text_take(&made);
done:
    sator_text_clear(&given.faults.broken);
    sator_text_clear(&given.faults.outside);
    sator_text_clear(&made);
    sator_arena_free(arena);
    return st;
}
