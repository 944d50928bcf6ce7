/* The order that a workload's instances must keep (doc/model.md, section 1).
 *
 * What is to be kept follows from the workload alone and is found once, as a struct sator_order;
 * whether a time map keeps it is asked of that. A workload that reads no tensor that it writes,
 * except to update what it writes, has no order to keep.
 */
#ifndef SATOR_MODEL_ORDER_H
#define SATOR_MODEL_ORDER_H

#include "relation/witness.h"

/* A read of elements that other instances write, and one of the accesses that write them. */
struct order_conflict {
    const char *tensor;
    const struct sator_relation *write, *read; /* of one piece each */
    /* The instance that reads is this far from the one that writes, always; NULL: not one
     * distance. */
    const int64_t *distance;
};

struct sator_order {
    const struct sator_workload *workload;
    int n_conflicts;
    const struct order_conflict *conflicts;
};

/* The order of "workload", in "arena"; both must outlive it. NULL when there is none to keep. */
enum sator_status sator_order_new(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_order **order);

/* Two instances that are out of order. */
struct sator_disorder {
    enum sator_order_kind kind;
    const char *tensor;
    int n_index; /* of its elements */
    struct sator_order_pair pair;
};

/* A pair of instances that "time", { S[n] -> T[t] }, does not keep in order, in "arena"; NULL when
 * it keeps all. SATOR_LIMIT when that could not be decided. */
enum sator_status sator_order_check(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_order *order, const struct sator_relation *time,
        const struct sator_disorder **disorder);

/* ---- shifts.c ---- */

enum order_answer {
    ORDER_KEPT,
    ORDER_BROKEN, /* by two instances of the hull of the domain */
    ORDER_UNKNOWN /* not by this way */
};

/* Whether instances that lie "distance" apart, which is lexicographically positive, keep their
 * order in "time", wherever in the hull of the domain they are: strictly, or with equal stamps
 * allowed. If not, the earlier of two in "earlier" (of n_loops). */
enum order_answer order_after_shift(struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_relation *time,
        const int64_t *distance, bool strictly, int64_t *earlier);

#endif
