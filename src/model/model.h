/* From counts to metrics: utilization, latency, bandwidth, energy, memory levels (doc/model.md). */
#ifndef SATOR_MODEL_MODEL_H
#define SATOR_MODEL_MODEL_H

#include "arch/arch.h"
#include "relation/workload.h"
#include "sator/analyze.h"

/* Analyse one workload under one bound dataflow (GIVE: sator_result_free). The result owns copies
 * of all names. SATOR_INPUT with messages when the dataflow does not fit the architecture: a
 * space-stamp of another length or outside the array, cuts of unknown levels, tiles larger than
 * their memory, a cycle of wires. */
enum sator_status sator_model_analyze(struct sator_ctx *ctx, const struct sator_workload *workload,
        const struct sator_arch *arch, const struct sator_bound_dataflow *dataflow,
        const struct sator_analyze_options *options, SATOR_GIVE struct sator_result **result);

#endif
