/* Orders that an operation needs: what one instance writes and another one reads. */
#ifndef SATOR_EXPLORE_DEPENDENCES_H
#define SATOR_EXPLORE_DEPENDENCES_H

#include "explore/space.h"

/* Instance n + distance needs (flow) or must not be passed by (anti) instance n. */
struct dependence {
    int64_t distance[SPACE_MOST_LOOPS]; /* lexicographically positive */
    bool anti; /* n reads what n + distance overwrites: the same stamp will do */
};

/* The dependences between the accesses of "workload" to one tensor, in "arena". Updates of one
 * element by several instances are sums, which may be done in any order, and are none. SATOR_INPUT
 * with a message when distances are not constant: such a workload is not explored. */
enum sator_status explore_dependences(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, int *n_dependences,
        const struct dependence **dependences);

/* Whether the point keeps the order of the dependence, whatever the instance. */
bool explore_dependence_kept(const struct space *space, const struct space_point *point,
        const struct dependence *dependence);

#endif
