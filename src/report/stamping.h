/* A layer's dataflow and data assignment as isl objects: what --show prints. */
#ifndef SATOR_REPORT_STAMPING_H
#define SATOR_REPORT_STAMPING_H

#include "arch/arch.h"
#include "relation/bridge.h"
#include "relation/workload.h"
#include "report/report.h"

struct report_stamping {
    const struct sator_workload *workload;
    const struct sator_bound_dataflow *bound;
    const char *space_name, *time_name; /* of the tuples: "PE", "T" */
    isl_map *dataflow; /* { S[n] -> [PE[p] -> T[t]] }, on the domain */
    isl_set *stamps; /* its range */
    isl_set *times; /* { T[t] } occupied */
};

/* Bind "dataflow" to the layer on "arch". The isl objects live in "ctx" until
 * report_stamping_clear. */
enum sator_status report_stamping_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, struct report_stamping *stamping);
void report_stamping_clear(struct report_stamping *stamping);

/* { [PE[p] -> T[t]] -> F[f] } of one access (GIVE; NULL: see sator_bridge_status). */
isl_map *report_assignment(struct sator_ctx *ctx, const struct report_stamping *stamping,
        const struct sator_access *access);

/* "map" (TAKE) with names for its tuples (GIVE). */
isl_map *report_name_tuples(isl_map *map, const char *in, const char *out);

#endif
