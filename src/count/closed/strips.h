/* The most lattice points that strips of given widths, at any places, have in common.
 *
 * The digit vectors of one key are x + sum of a_j * basis vector j, a in Z^d. Digit i stays in its
 * range for the a of a strip: its form g_i . a takes width[i] consecutive values. Over all keys the
 * strips take all places, each on its own, so the greatest fibre is the best way to lay them.
 * Points that differ in the first e coordinates alone have the same value and count once.
 */
#ifndef SATOR_COUNT_CLOSED_STRIPS_H
#define SATOR_COUNT_CLOSED_STRIPS_H

#include "count/closed/layout.h"

struct closed_strips {
    int n_dims, n_equal, n; /* d, e, and the number of forms */
    int64_t form[CLOSED_STRIP_FORMS][CLOSED_STRIP_DIMS];
    int64_t width[CLOSED_STRIP_FORMS];
    /* The answer's place, when n_equal = 0: a point that all strips hold has value at[i] of 0 ..
     * width[i] - 1 in strip i. */
    int64_t at[CLOSED_STRIP_FORMS];
};

/* Set "*most" to the number of points of the best places, and "at". */
const struct sator_decline *closed_strips_most(struct closed_strips *strips, sator_int *most);

#endif
