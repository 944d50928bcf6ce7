/* Many analyses of one workload on one architecture: one dataflow at many loop extents, and many
 * dataflows, without doing again what they have in common.
 *
 *     sator_plan_new(ctx, network, 0, arch, dataflow, NULL, &plan);
 *     workspace = sator_workspace_new();
 *     for (...) {
 *         sator_plan_evaluate(ctx, plan, workspace, extents, &result);
 *         ... result->total_cycles ...
 *     }
 *
 * A plan holds what was read, bound and prepared. Nothing changes it once it is made: threads may
 * evaluate one plan at once, each with a context and a workspace of its own. A workspace holds the
 * memory of evaluations: once it has grown to what they need, the closed form allocates nothing.
 * Results equal those of sator_analyze in every digit.
 */
#ifndef SATOR_PLAN_H
#define SATOR_PLAN_H

#include "sator/analyze.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sator_plan;
struct sator_workspace;

/* Plan the analysis of layer "layer" of "network" on "arch" under "dataflow" (GIVE:
 * sator_plan_free); the three must outlive it. "options" (or NULL) is copied. SATOR_INPUT with
 * messages for a dataflow that cannot be bound to the workload, or wires that cannot be followed.
 */
SATOR_API enum sator_status sator_plan_new(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, SATOR_GIVE struct sator_plan **plan);

/* Plan the same for another dataflow, be it another tile size (GIVE: sator_plan_free). "plan" and
 * "dataflow" must outlive the new plan. */
SATOR_API enum sator_status sator_plan_remap(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_plan *plan, SATOR_KEEP const struct sator_dataflow *dataflow,
        SATOR_GIVE struct sator_plan **remapped);
SATOR_API void sator_plan_free(SATOR_TAKE struct sator_plan *plan);

/* The loops whose extents an evaluation may change, outermost first: how many, their names, and
 * their extents in the workload as it was read. -1 and NULL for a loop that is not there. */
SATOR_API int sator_plan_loop_count(const struct sator_plan *plan);
SATOR_API const char *sator_plan_loop_name(const struct sator_plan *plan, int loop);
SATOR_API int64_t sator_plan_loop_extent(const struct sator_plan *plan, int loop);

/* Memory for evaluations, of one thread at a time (GIVE: sator_workspace_free). It may serve one
 * plan after another. */
SATOR_API struct sator_workspace *sator_workspace_new(void);
SATOR_API void sator_workspace_free(SATOR_TAKE struct sator_workspace *workspace);

/* Analyse the workload with "extents" iterations of its loops (one number a loop, in the order of
 * the loops, each from the loop's own lower bound on; NULL: as it was read). "*result" lives as
 * long as "plan" and until the next evaluation in "workspace", which owns it; sator_result_free
 * does nothing to it. SATOR_INPUT as sator_analyze does; also for extents that are not between 1
 * and 2^41, or given for a domain that is no box. */
SATOR_API enum sator_status sator_plan_evaluate(struct sator_ctx *ctx,
        const struct sator_plan *plan, struct sator_workspace *workspace, const int64_t *extents,
        const struct sator_result **result);

/* One figure of every point: its key in the JSON of a result ("latency_cycles.total",
 * "tensors.A.unique_volume") or short name ("latency", "energy", "edp"), and where it goes, a
 * number a point: one of the two is NULL. A figure that is not known is NAN. */
struct sator_column {
    size_t size; /* sizeof the struct: sator/context.h */
    const char *figure;
    double *numbers;
    int64_t *counts; /* only for figures that are counts; SATOR_OVERFLOW when one does not fit */
};

/* Whether "figure" is a count, a number or (-1) neither of a plan's results. */
enum sator_figure_kind {
    SATOR_FIGURE_NONE = -1,
    SATOR_FIGURE_NUMBER,
    SATOR_FIGURE_COUNT
};
SATOR_API enum sator_figure_kind sator_plan_figure_kind(
        const struct sator_plan *plan, const char *figure);

/* sator_plan_evaluate at "n_points" points, "extents" being a row of loop extents each, into
 * columns of "n_points" places. Where a point cannot be analysed and "is_valid" (n_points flags) is
 * not NULL, its flag is cleared, its numbers are NAN and its counts -1, and the call goes on; else
 * it ends with the status and the messages of that point. "*n_done" (or NULL) is how many points
 * were visited. SATOR_USAGE, with the nearest key, for a figure that there is none of. */
SATOR_API enum sator_status sator_plan_evaluate_points(struct sator_ctx *ctx,
        const struct sator_plan *plan, struct sator_workspace *workspace, int64_t n_points,
        const int64_t *extents, int n_columns, const struct sator_column *columns, bool *is_valid,
        int64_t *n_done);

#ifdef __cplusplus
}
#endif
#endif
