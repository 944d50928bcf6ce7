/* Instances that show that a dataflow is none, or breaks the order of the nest: asked of isl, for
 * relations of any form.
 *
 * Every search is exact: "*found" false means that there is no such instance. SATOR_LIMIT when the
 * work limit ends first; then nothing is decided.
 */
#ifndef SATOR_RELATION_WITNESS_H
#define SATOR_RELATION_WITNESS_H

#include "relation/workload.h"

/* The first instance of "domain" that "map" has no stamp for, into "instance". */
enum sator_status sator_witness_unplaced(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *map, bool *found, int64_t *instance);

/* The first instance of "domain" that "map" has two stamps for, and its first two of them. */
enum sator_status sator_witness_doubled(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *map, bool *found, int64_t *instance, int64_t *first,
        int64_t *second);

#endif
