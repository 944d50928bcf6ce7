/* The instances of a dataflow by their time: which stamps are occupied near a given one, and what
 * runs in a window of them. Nothing is counted here: instances are visited one by one, and boxes of
 * the iteration domain whose stamps cannot lie in the window are left out as a whole. */
#ifndef SATOR_MODEL_VISIT_H
#define SATOR_MODEL_VISIT_H

#include "relation/workload.h"

struct visit {
    struct sator_ctx *ctx;
    const struct sator_workload *workload;
    const struct sator_relation *space, *time;
    int n_time;
    int64_t *lower, *upper; /* of the loops, both inclusive: the box that is looked at */
    int64_t *first, *last; /* of the time-stamps in that box */
};

/* Prepare visits of "workload" under "dataflow", which must place every instance once. What is made
 * is in "arena". SATOR_DECLINED with a message for maps and domains that are given by hidden
 * variables instead of expressions. */
enum sator_status visit_open(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_bound_dataflow *dataflow,
        struct visit *visit);

/* The relation's tuple at "point" in "out"; false where no piece holds there. "piece" (from 0, or
 * NULL) is where to look, and then where to look next: one tuple a piece. */
bool visit_image(
        const struct sator_relation *relation, const int64_t *point, int64_t *out, int *piece);

/* The least occupied time-stamp, by its first "n" coordinates, that is not before "from" (backward:
 * the greatest that is not after it) into "stamp"; "*found" says whether there is one. */
enum sator_status visit_nearest(const struct visit *visit, int n, const int64_t *from,
        bool backward, int64_t *stamp, bool *found);

/* Call "each" for every instance with from <= t <= to, in no particular order, until it returns
 * something else than SATOR_OK. */
enum sator_status visit_between(const struct visit *visit, const int64_t *from, const int64_t *to,
        enum sator_status (*each)(void *user, const int64_t *instance, const int64_t *time),
        void *user);

/* A tuple that an instance must have: the first "n" outputs of "relation" are "value", by any of
 * its pieces. */
struct visit_demand {
    const struct sator_relation *relation;
    int n;
    const int64_t *value;
};
/* Whether an instance with from <= t <= to meets all demands. */
enum sator_status visit_any(const struct visit *visit, const int64_t *from, const int64_t *to,
        int n_demands, const struct visit_demand *demands, bool *any);

/* -1, 0, 1: the lexicographic order of two tuples of length "n". */
int visit_compare(const int64_t *a, const int64_t *b, int n);

#endif
