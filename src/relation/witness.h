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

/* ---- orders: "write" and "read" are accesses to one tensor ---- */

/* Which of two instances that touch one element comes first in the nest. */
enum sator_order_kind {
    SATOR_ORDER_FLOW, /* the one that writes */
    SATOR_ORDER_ANTI /* the one that reads */
};

/* All that a search is about. */
struct sator_order_question {
    const struct sator_relation *domain, *write, *read;
    enum sator_order_kind kind;
};

/* Two instances, the first of the nest first, their time-stamps, and the element. */
struct sator_order_pair {
    int64_t *instance[2]; /* of domain->n_in */
    int64_t *time[2]; /* of time->n_out */
    int64_t *element; /* of write->n_out */
};

/* Whether every element that an instance reads through "read" is one that it writes. */
enum sator_status sator_witness_within(struct sator_ctx *ctx, const struct sator_relation *domain,
        const struct sator_relation *read, const struct sator_relation *write, bool *within);

/* Two instances of the domain, of the question's kind, that "time" does not keep in order: the
 * later one of the nest has the smaller stamp or, where it reads what the earlier one writes, the
 * same. */
enum sator_status sator_witness_disorder(struct sator_ctx *ctx,
        const struct sator_order_question *question, const struct sator_relation *time, bool *found,
        struct sator_order_pair *pair);

/* How two instances of the question's kind that differ in loop "level" first may differ in the
 * loops inside it: by sets of loops in which the later one may be beyond ("positive") or before
 * ("negative") the earlier one. "*found": whether there are such instances. */
enum sator_status sator_witness_directions(struct sator_ctx *ctx,
        const struct sator_order_question *question, int level, bool *found, unsigned *positive,
        unsigned *negative);

#endif
