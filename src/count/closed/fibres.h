/* The greatest number of distinct values that share a key, whatever the rows: one full box of
 * digits.
 */
#ifndef SATOR_COUNT_CLOSED_FIBRES_H
#define SATOR_COUNT_CLOSED_FIBRES_H

#include "count/closed/closed.h"

/* As closed_most, for one access, whatever the rows. */
const struct sator_decline *closed_fibres_most(struct closed_state *state,
        const struct closed_system *system, const struct closed_classes *classes, sator_int *most,
        int64_t *instance);

#endif
