/* Plans: what is read, bound and prepared once, and evaluated often. */
#include "api/plan.h"

#include "api/timing.h"
#include "base/arguments.h"
#include "count/count.h"

#include <limits.h>
#include <math.h>

static const struct sator_loc nowhere;

enum {
    LONGEST_EXTENT = 41 /* bits, as in relation/workload.h */
};

/* ---- making ---- */

enum sator_status sator_analyze_take_options(struct sator_ctx *ctx,
        const struct sator_analyze_options *given, struct sator_analyze_options *own)
{
    struct sator_analyze_options options;

    SATOR_OPTIONS(ctx, given, options);
    SATOR_NUMBER(ctx, options.engine, SATOR_ENGINE_AUTO, SATOR_ENGINE_LAST);
    SATOR_NUMBER(ctx, options.model, SATOR_MODEL_SATOR, SATOR_MODEL_TENET);
    SATOR_NUMBER(ctx, options.timing, SATOR_TIMING_AUTO, SATOR_TIMING_SCHEDULED);
    options.timing = sator_timing_of(options.timing, options.model == SATOR_MODEL_SATOR);
    SATOR_NUMBER(ctx, options.n_sweep, 0, INT_MAX);
    SATOR_NEEDS(ctx, options.sweep_bandwidths != NULL || options.n_sweep == 0);
    for (int i = 0; i < options.n_sweep; i++) {
        double bits = options.sweep_bandwidths[i];
        if (!(bits > 0) || isinf(bits))
            return sator_misuse(ctx,
                    "options.sweep_bandwidths[%d] is %g: a bandwidth is a finite number of bits "
                    "per cycle above 0",
                    i, bits);
    }
    *own = options;
    return SATOR_OK;
}

/* Bind the plan's dataflow to the question's workload. */
static enum sator_status bind(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_plan *plan, struct sator_model_question *question)
{
    const struct sator_arch *arch = sator_model_arch(plan->model);
    enum sator_status st = sator_arch_bind(
            ctx, arena, arch, plan->dataflow, question->workload, &question->dataflow);

    if (st == SATOR_OK)
        sator_model_describe(arena, question);
    return st;
}

enum sator_status sator_plan_make(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_analyze_options *options,
        struct sator_plan *plan)
{
    enum sator_status st;

    if (layer < 0 || layer >= network->n_layers) {
        sator_error(ctx, nowhere, "network '%s' has %d layers: there is no layer %d", network->name,
                network->n_layers, layer);
        return SATOR_USAGE;
    }
    *plan = (struct sator_plan){.dataflow = dataflow,
            .question = {.workload = &network->layers[layer], .options = options}};
    SATOR_TRY(sator_arch_bind(
            ctx, arena, arch, dataflow, &network->layers[layer], &plan->question.dataflow));
    SATOR_TRY(sator_model_new(ctx, arena, &network->layers[layer], arch,
            plan->question.options->model, &plan->model));
    sator_model_describe(arena, &plan->question);
done:
    return st;
}

/* "options" with their list, in "arena". */
static const struct sator_analyze_options *copy_options(
        struct sator_arena *arena, const struct sator_analyze_options *options)
{
    struct sator_analyze_options *copy = SATOR_NEW(arena, struct sator_analyze_options);

    *copy = *options;
    copy->sweep_bandwidths = sator_arena_copy(arena, options->sweep_bandwidths,
            sizeof *options->sweep_bandwidths * (size_t)options->n_sweep);
    return copy;
}

enum sator_status sator_plan_new(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_plan **plan)
{
    struct sator_analyze_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && plan != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_analyze_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    struct sator_arena *arena = sator_arena_new();
    struct sator_plan *made = SATOR_NEW(arena, struct sator_plan);

    SATOR_TRY(sator_plan_make(
            ctx, arena, network, layer, arch, dataflow, copy_options(arena, &own), made));
    struct sator_workspace *workspace = sator_workspace_own();
    made->question.footprints = sator_model_footprints(
            ctx, workspace, made->question.workload, made->question.options->engine, arena);
    sator_workspace_free(workspace);
    made->arena = arena;
    *plan = made;
    return SATOR_OK;
done:
    sator_arena_free(arena);
    return st;
}

enum sator_status sator_plan_remap(struct sator_ctx *ctx, const struct sator_plan *plan,
        const struct sator_dataflow *dataflow, struct sator_plan **remapped)
{
    SATOR_NEEDS(ctx, plan != NULL && dataflow != NULL && remapped != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_arena *arena = sator_arena_new();
    struct sator_plan *made = SATOR_NEW(arena, struct sator_plan);
    enum sator_status st;

    *made = *plan;
    made->arena = arena;
    made->dataflow = dataflow;
    SATOR_TRY(bind(ctx, arena, made, &made->question));
    *remapped = made;
    return SATOR_OK;
done:
    sator_arena_free(arena);
    return st;
}

void sator_plan_free(struct sator_plan *plan)
{
    if (plan != NULL)
        sator_arena_free(plan->arena);
}

/* ---- loops ---- */

int sator_plan_loop_count(const struct sator_plan *plan)
{
    return plan == NULL ? -1 : plan->question.workload->n_loops;
}

const char *sator_plan_loop_name(const struct sator_plan *plan, int loop)
{
    if (plan == NULL)
        return NULL;
    const struct sator_workload *workload = plan->question.workload;

    return loop < 0 || loop >= workload->n_loops ? NULL : workload->loop_names[loop];
}

int64_t sator_plan_loop_extent(const struct sator_plan *plan, int loop)
{
    if (plan == NULL)
        return -1;
    const struct sator_workload *workload = plan->question.workload;

    if (loop < 0 || loop >= workload->n_loops || workload->upper == NULL)
        return -1;
    return workload->upper[loop] - workload->lower[loop];
}

/* ---- evaluating ---- */

/* The workload with other extents, in "arena". */
static enum sator_status resize(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const int64_t *extents,
        const struct sator_workload **resized)
{
    const int64_t most = INT64_C(1) << LONGEST_EXTENT;
    struct sator_workload *made = sator_arena_copy(arena, workload, sizeof *workload);
    int64_t *upper = SATOR_NEW_ARRAY(arena, int64_t, workload->n_loops + 1);

    if (!workload->is_box)
        return sator_error(ctx, workload->loc,
                "the domain of '%s' is no box: its extents cannot be changed one by one",
                workload->name);
    for (int l = 0; l < workload->n_loops; l++) {
        if (extents[l] < 1 || extents[l] > most || workload->lower[l] + extents[l] > most)
            return sator_error(ctx, workload->loc,
                    "loop '%s' cannot run %lld times: an extent is at least 1, and bounds are "
                    "below 2^41",
                    workload->loop_names[l], (long long)extents[l]);
        upper[l] = workload->lower[l] + extents[l];
    }
    made->upper = upper;
    made->domain = sator_set_box(arena, workload->domain->in_name, workload->n_loops,
            workload->loop_names, workload->lower, upper);
    *resized = made;
    return SATOR_OK;
}

bool sator_plan_binds(const struct sator_plan *plan)
{
    /* digits of a nest follow the extents */
    return plan->dataflow->loops != NULL || plan->dataflow->n_layers > 0;
}

enum sator_status sator_plan_evaluate_in(struct sator_ctx *ctx, const struct sator_plan *plan,
        struct sator_workspace *workspace, const int64_t *extents, struct sator_family *family,
        const struct sator_result **result)
{
    struct sator_model_question question = plan->question;
    struct sator_arena *arena = workspace->arena;
    struct sator_result *made;
    enum sator_status st;

    sator_arena_clear(arena);
    question.family = family;
    if (extents != NULL) {
        question.footprints = NULL;
        SATOR_TRY(resize(ctx, arena, plan->question.workload, extents, &question.workload));
        if (sator_plan_binds(plan))
            SATOR_TRY(bind(ctx, arena, plan, &question));
    }
    SATOR_TRY(sator_model_evaluate(ctx, plan->model, workspace, &question, arena, &made));
    *result = made;
done:
    return st;
}

enum sator_status sator_plan_evaluate(struct sator_ctx *ctx, const struct sator_plan *plan,
        struct sator_workspace *workspace, const int64_t *extents,
        const struct sator_result **result)
{
    SATOR_NEEDS(ctx, plan != NULL && workspace != NULL && result != NULL);
    SATOR_CALL(ctx, return sator_workspace_abandon(workspace))
    return sator_plan_evaluate_in(ctx, plan, workspace, extents, NULL, result);
}
