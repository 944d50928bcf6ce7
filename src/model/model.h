/* From counts to metrics: utilization, latency, bandwidth, energy, memory levels (doc/model.md). */
#ifndef SATOR_MODEL_MODEL_H
#define SATOR_MODEL_MODEL_H

#include "arch/arch.h"
#include "relation/workload.h"
#include "sator/analyze.h"

/* The transport that serves "tensor" in "role" between the space prefixes "from" and "to" of the architecture's arrays:
 * links lifted to all "to" leading space dimensions, equal interval-0 pairs cut to the smaller provider.
 * "names" (n_links then n_buses) and "energies" run parallel to it. A cycle of interval-0 links is an error that
 * shows it. */
struct sator_transport;
struct sator_tensor_network {
    const struct sator_transport *transport;
    const char *const *names;
    const struct sator_figure *const *energies;
};
enum sator_status sator_model_network(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, int from, int to, const char *tensor, enum sator_role role,
        const struct sator_tensor_network **network);

/* Analyse one workload under one bound dataflow. */
enum sator_status sator_model_analyze(struct sator_ctx *ctx, const struct sator_workload *workload,
        const struct sator_arch *arch, const struct sator_bound_dataflow *dataflow,
        const struct sator_analyze_options *options, SATOR_GIVE struct sator_result **result);

#endif
