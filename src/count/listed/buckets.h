/* Instances of a part by the value of an expression.
 *
 * What one instance of a memory moves is asked with the access cut to the loop instances that run
 * there: an equality for each space dimension, the same for all of them but for its constant. So
 * the second time that an expression is met the instances are sorted by its value, and each further
 * question finds those of one value at once.
 */
#ifndef SATOR_COUNT_LISTED_BUCKETS_H
#define SATOR_COUNT_LISTED_BUCKETS_H

#include "base/room.h"
#include "count/listed/parts.h"

enum {
    LISTED_BUCKETS = SATOR_ROOM(8, 1) /* most expressions of one part */
};

struct listed_buckets {
    struct sator_arena *arena; /* that the list of the part is kept in */
    int n;
    struct {
        const struct sator_expr *expr; /* without its constant */
        bool is_sorted;
        int64_t least, n_values;
        const int64_t *first; /* place of each value's first instance; n_values + 1 */
        const int32_t *place; /* of instances in the part's list, ascending for each value */
    } by[LISTED_BUCKETS];
};

/* Where in the list of "part", as the domain leaves it, the instances are at which "expr" is 0,
 * "*n" of them; NULL: they are not sorted by it. "*sorted": how many instances this has sorted. */
const int32_t *listed_buckets_find(struct listed_buckets *buckets, const struct listed_parts *parts,
        int part, const struct sator_expr *expr, int64_t *n, int64_t *sorted);

#endif
