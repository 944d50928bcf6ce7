/* Counting the points of a box between two values of a linear form. */
#ifndef SATOR_COUNT_CLOSED_SLABS_H
#define SATOR_COUNT_CLOSED_SLABS_H

#include "count/closed/boxes.h"

/* No condition: contains every value of a form (CLOSED_BOUND). */
#define CLOSED_ANY ((struct closed_interval){-CLOSED_BOUND * 4, CLOSED_BOUND * 4})

/* Set "*count" to the number of integer points x of the box "x" with sum of coef[i] * x[i] in
 * "slab". */
const struct sator_decline *closed_slab_count(int n, const int64_t *coef,
        const struct closed_interval *x, struct closed_interval slab, sator_int *count);

/* Set "*most" to the greatest number of points of the box that share one value of the form, and
 * "*value" to such a value. */
const struct sator_decline *closed_slab_most(int n, const int64_t *coef,
        const struct closed_interval *x, sator_int *most, int64_t *value);

/* Find a point of the box where the form is "value", which some point has; false when the search is
 * too long. */
bool closed_slab_point(
        int n, const int64_t *coef, const struct closed_interval *x, int64_t value, int64_t *point);

#endif
