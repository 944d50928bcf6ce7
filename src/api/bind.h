/* A dataflow bound to a layer on an architecture, for everything that needs the relations
 * themselves. */
#ifndef SATOR_API_BIND_H
#define SATOR_API_BIND_H

#include "arch/arch.h"
#include "relation/workload.h"

/* SATOR_USAGE when the network has no such layer; otherwise as sator_dataflow_bind_levels. */
enum sator_status sator_api_bind(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_bound_dataflow **bound);

#endif
