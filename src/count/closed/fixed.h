/* Digits that a part of an access fixes: the part is what the instances do whose forms have given
 * values, such as those that run on one PE.
 *
 * A fixed digit is a constant of the forms, and its loop has the boxes at that value alone. */
#ifndef SATOR_COUNT_CLOSED_FIXED_H
#define SATOR_COUNT_CLOSED_FIXED_H

#include "count/closed/closed.h"

/* The expressions that are 0 where "access" has anything to say, of all its pieces: into
 * "request"; false when its conditions are others. */
bool closed_fixed_find(const struct sator_relation *access, struct closed_request *request);

/* Let the forms request->zero_form be 0 in "system", whose digits and forms are those of the whole,
 * and in the request; "*part" is the number of digit vectors that are left. */
const struct sator_decline *closed_fixed_apply(struct closed_state *state,
        struct closed_system *system, struct closed_request *request, sator_int *part);

#endif
