/* Buses under skewed stamps. */
#ifndef SATOR_COUNT_CLOSED_FETCHES_H
#define SATOR_COUNT_CLOSED_FETCHES_H

#include "count/closed/skews.h"

/* Credit the buses, in their order, for the "left" pairs that no rule of skews->cells serves. */
const struct sator_decline *closed_fetches_credit(struct closed_skews *skews,
        const struct closed_request *request, const struct sator_transport *transport,
        sator_int left, sator_int *by_bus);

#endif
