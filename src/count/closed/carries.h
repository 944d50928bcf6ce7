/* Boxes of digits cut where carries change. */
#ifndef SATOR_COUNT_CLOSED_CARRIES_H
#define SATOR_COUNT_CLOSED_CARRIES_H

#include "count/closed/boxes.h"

/* Carries of some loops, and a list of boxes over these loops' digits and the carries. */
struct closed_carrier {
    struct closed_pool *pool; /* "boxes" is its last list */
    const struct closed_digits *digits;
    uint32_t carries; /* those in use */
    int at[CLOSED_DIGITS]; /* the axis of each digit, -1: none */
    struct closed_boxes *boxes;
};

/* Append to "boxes" the parts of "box" in which every carry from number "c" on has one value; the
 * box's own intervals of these carries are not read. */
const struct sator_decline *closed_carries_cut(
        struct closed_carrier *carrier, int c, const struct closed_interval *box);

#endif
