/* From counts to metrics: utilization, latency, bandwidth, energy, memory levels (doc/model.md). */
#ifndef SATOR_MODEL_MODEL_H
#define SATOR_MODEL_MODEL_H

#include "arch/arch.h"
#include "relation/workload.h"
#include "sator/plan.h"

/* What all analyses of one workload on one architecture have in common: the networks between its
 * memories, with what the counting engines find out about their links; names. Nothing changes it
 * once it is made, so threads may share it. */
struct sator_model;
struct sator_family;

/* The model "choice" of "workload" on "arch" in "arena"; both must outlive its evaluations. What
 * results refer to is copied into "arena". SATOR_INPUT with messages for wires that cannot be
 * followed. */
enum sator_status sator_model_new(struct sator_ctx *ctx, struct sator_arena *arena,
        SATOR_KEEP const struct sator_workload *workload, SATOR_KEEP const struct sator_arch *arch,
        enum sator_model_choice choice, const struct sator_model **model);

const struct sator_arch *sator_model_arch(const struct sator_model *model);

/* One analysis. */
struct sator_model_question {
    const struct sator_workload *workload; /* the model's, or one that differs in its domain */
    const struct sator_bound_dataflow *dataflow;
    const char *name, *space, *time; /* of the dataflow, as the result will refer to them */
    const sator_int *footprints; /* of the workload; NULL: not known */
    const struct sator_analyze_options *options;
    bool *overflows; /* NULL, or set where a tile fits no memory: SATOR_INPUT without a message */
    bool in_order; /* the dataflow is known to keep the workload's order (model/order.h) */
    struct sator_family *family; /* NULL, or taken for this question (model/families.h): counts are
                                    its polynomials' where it has them, and a failure is only to
                                    say that the question is to be asked without it */
};

/* The elements that each access of "workload" touches, 0 where the closed form cannot tell, in
 * "arena": the same under all dataflows. */
const sator_int *sator_model_footprints(struct sator_ctx *ctx, struct sator_workspace *workspace,
        const struct sator_workload *workload, enum sator_engine_choice engine,
        struct sator_arena *arena);

/* Set the question's texts to copies in "arena". */
void sator_model_describe(struct sator_arena *arena, struct sator_model_question *question);

/* Analyse one workload under one bound dataflow. The result is in "arena" (its own arena is NULL)
 * and refers to names of "model" and "question". SATOR_INPUT with messages when the dataflow does
 * not fit the architecture: a space-stamp of another length or outside the array, cuts of unknown
 * levels, tiles larger than their memory. */
enum sator_status sator_model_evaluate(struct sator_ctx *ctx, const struct sator_model *model,
        struct sator_workspace *workspace, const struct sator_model_question *question,
        struct sator_arena *arena, struct sator_result **result);

/* All of this for a single analysis (GIVE: sator_result_free). The result owns what it refers to.
 */
enum sator_status sator_model_analyze(struct sator_ctx *ctx, const struct sator_workload *workload,
        const struct sator_arch *arch, const struct sator_bound_dataflow *dataflow,
        const struct sator_analyze_options *options, SATOR_GIVE struct sator_result **result);

/* ---- expected.c: what gating of zeros is expected to save (doc/model.md, section 4) ---- */

/* What was counted: words at each memory of the architecture, outermost first, loop instances, and
 * the energy of all of it in pJ. */
struct sator_expected_question {
    int n_memories;
    const struct sator_level_result *const *memories;
    sator_int instances;
    double energy_pj;
    double compute_cycles, port_cycles; /* of the slowest port; NAN where none is known */
};
struct sator_expected {
    double energy_pj; /* NAN where the workload states no density */
    double cycles; /* at least so many are expected; NAN where nothing is skipped */
    int n_savings;
    const struct sator_saving *savings;
};
/* The answer, in "arena". SATOR_INPUT with a message for gates whose words cannot be told. */
enum sator_status sator_model_expected(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        const struct sator_expected_question *question, struct sator_expected *expected);

/* ---- workspaces ---- */

struct sator_counter;
struct sator_stamping;

/* The public object of sator/plan.h. */
struct sator_workspace {
    struct sator_arena *arena; /* of the latest evaluation through a plan */
    int n_counters;
    struct sator_counter **counters; /* used again by every evaluation */
};

/* Counter number "index" of an evaluation (from 0, without gaps), for "stamping". */
/* A workspace for the library's own use (GIVE: sator_workspace_free), never NULL. */
struct sator_workspace *sator_workspace_own(void);
/* After memory ran out while "workspace" was used: its counters are in an unknown state and are
 * left behind. Returns SATOR_NOMEM. */
enum sator_status sator_workspace_abandon(struct sator_workspace *workspace);
struct sator_counter *sator_workspace_counter(struct sator_workspace *workspace, int index,
        struct sator_ctx *ctx, enum sator_engine_choice engine,
        const struct sator_stamping *stamping);

#endif
