/* A plan's parts, for sator_analyze too: an analysis is a plan that is evaluated once. */
#ifndef SATOR_API_PLAN_H
#define SATOR_API_PLAN_H

#include "model/model.h"

struct sator_plan {
    struct sator_arena *arena; /* NULL: somebody else's */
    const struct sator_model *model;
    const struct sator_dataflow *dataflow;
    struct sator_model_question question; /* at the extents that were read */
};

/* sator_plan_evaluate at a point that was taken from "family" (model/families.h): a failure only
 * says that the point is to be evaluated without it. */
enum sator_status sator_plan_evaluate_in(struct sator_ctx *ctx, const struct sator_plan *plan,
        struct sator_workspace *workspace, const int64_t *extents, struct sator_family *family,
        const struct sator_result **result);

/* Whether the plan's dataflow is bound anew at other extents. */
bool sator_plan_binds(const struct sator_plan *plan);

/* The caller's options, checked: engines and models that there are, bandwidths that are finite and
 * above 0. */
enum sator_status sator_analyze_take_options(struct sator_ctx *ctx,
        const struct sator_analyze_options *given, struct sator_analyze_options *own);

/* Make "plan", all in "arena". "options" is not copied. */
enum sator_status sator_plan_make(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_analyze_options *options,
        struct sator_plan *plan);

/* sator_analyze with options that were taken: a plan that is evaluated once, in the result's own
 * arena. "in_order": the dataflow is known to keep the workload's order. */
enum sator_status sator_plan_analyze(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, bool in_order, struct sator_result **result);

#endif
