/* Sets of integers as runs: what an index touches, however far it reaches.
 *
 * A tile of an index is a sum of arithmetic progressions. Modulo the step of the longest of them
 * the others fall into few classes, and within a class their values are runs of neighbours, so a
 * set takes memory by its gaps and not by its size. Multiples of large steps, as of vectors
 * numbered in mixed radix (indices.c), are no different.
 */
#ifndef SATOR_COUNT_TILED_VALUE_SET_H
#define SATOR_COUNT_TILED_VALUE_SET_H

#include <stdbool.h>
#include <stdint.h>

struct sator_value_run {
    int64_t class, first, last; /* the values class + modulus x k, k from first to last */
};
/* Runs ascend by class and place and neither meet nor touch. Sets that are compared have one
 * modulus. */
struct sator_value_set {
    int64_t modulus;
    int64_t n_runs;
    struct sator_value_run *run; /* owned */
};

/* Set it to the values of "list", some perhaps equal; sator_value_set_free frees it. One without
 * runs is empty. */
void sator_value_set_init(
        struct sator_value_set *set, int64_t modulus, int64_t n_values, const int64_t *list);
void sator_value_set_free(struct sator_value_set *set);
/* Replace the set by the sums of one of its values and k x "step", k from 0 to "count" - 1. No
 * value may leave 62 bits. */
void sator_value_set_add(struct sator_value_set *set, int64_t step, int64_t count);
/* The same, unless more than "most" runs come of it: then false, and the set is some part of it. */
bool sator_value_set_try_add(
        struct sator_value_set *set, int64_t step, int64_t count, int64_t most);
/* Add the values of "other", each moved by "distance". */
void sator_value_set_unite(
        struct sator_value_set *set, const struct sator_value_set *other, int64_t distance);
/* Replace each value v of a set of modulus 1 by floor(v / "divisor"). */
void sator_value_set_divide(struct sator_value_set *set, int64_t divisor);
int64_t sator_value_set_size(const struct sator_value_set *set);
/* Set "left" (to be freed as well) to the values v of "set" for which v + "shift" is not in
 * "other".
 */
void sator_value_set_leave(const struct sator_value_set *set, const struct sator_value_set *other,
        int64_t shift, struct sator_value_set *left);

#endif
