/* Values of a variable that leave the same points of a system, but for a move. */
#ifndef SATOR_COUNT_GENERAL_MOVES_H
#define SATOR_COUNT_GENERAL_MOVES_H

#include "count/general/system.h"

/* For all values from range.lower to range.upper, those "period" apart leave as many points of the
 * system, for each of the values that the other variables may be given: the points with one are
 * those with the other, moved by the same integers. */
struct sator_moves {
    struct sator_range range; /* lower > upper: none are known to be alike */
    int64_t period; /* >= 1 */
};

/* The moves along "var", whose values are in "range", with a period of at most "longest". Numbers
 * that do not fit, and systems of many variables or rows, have none. */
struct sator_moves sator_moves_find(
        const struct sator_system *system, int var, struct sator_range range, sator_int longest);

#endif
