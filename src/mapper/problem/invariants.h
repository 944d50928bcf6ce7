/* What always holds of mappings, for assert(). */
#ifndef SATOR_MAPPER_INVARIANTS_H
#define SATOR_MAPPER_INVARIANTS_H

#include "mapper/problem/mapping.h"

/* Whether "order" has each of the first "n" loops once. */
static inline bool mapper_is_permutation(const int8_t *order, int n)
{
    unsigned seen = 0;

    for (int i = 0; i < n; i++) {
        if (order[i] < 0 || order[i] >= n)
            return false;
        seen |= 1U << order[i];
    }
    return seen == (1U << n) - 1;
}

/* Whether the loops at each memory and on each array dimension are in some order. */
static inline bool mapper_is_ordered(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int r = 0; r < problem->n_rows; r++) {
        const struct mapper_row *row = &problem->row[r];
        if (!mapper_is_permutation(row->is_space ? mapping->along[r] : mapping->order[row->memory],
                    problem->n_loops))
            return false;
    }
    return true;
}

/* The product of all factors of "loop"; INT64_MAX beyond 64 bits. */
static inline int64_t mapper_covered(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop)
{
    int64_t product = 1;

    for (int r = 0; r < problem->n_rows; r++) {
        if (__builtin_mul_overflow(product, mapping->factor[r][loop], &product))
            return INT64_MAX;
    }
    return product;
}

/* Whether the factors of every loop make its extent: exactly, or where tiles may be short at least.
 */
static inline bool mapper_is_complete(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int i = 0; i < problem->n_loops; i++) {
        int64_t covered = mapper_covered(problem, mapping, i);
        if (covered < problem->extent[i] || (!problem->imperfect && covered != problem->extent[i]))
            return false;
    }
    return true;
}

/* Whether no array dimension has more parallel positions than PEs. */
static inline bool mapper_fits_arrays(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int r = 0; r < problem->n_rows; r++) {
        int64_t used = 1;
        if (!problem->row[r].is_space)
            continue;
        for (int i = 0; i < problem->n_loops; i++) {
            if (__builtin_mul_overflow(used, mapping->factor[r][i], &used))
                return false;
        }
        if (used > problem->row[r].shape)
            return false;
    }
    return true;
}

#endif
