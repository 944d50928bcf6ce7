/* Points of a grid, told apart by which of some boxes they lie in.
 *
 * The faces of the smaller boxes cut every axis into few intervals; the cells are their products.
 * They are never listed: axis after axis, the boxes that a point may still lie in are kept with the
 * number of points that share them.
 */
#ifndef SATOR_COUNT_CLOSED_CELLS_H
#define SATOR_COUNT_CLOSED_CELLS_H

#include "base/room.h"
#include "count/closed/boxes.h"

enum {
    CLOSED_AXES = 24, /* most axes */
    CLOSED_HOLES = SATOR_ROOM(256, 64), /* most smaller boxes */
    CLOSED_HOLE_WORDS = CLOSED_HOLES / 64,
    CLOSED_RULES = 96, /* most rules */
    CLOSED_CELL_STATES =
            SATOR_ROOM(2048, 16) /* most sets of boxes that points share, at one axis */
};

/* Points with every coordinate in its range. Axes come in groups: one axis alone, or the digits of
 * a number, lowest first, and then the number itself, which bounds ragged tiles. */
struct closed_grid {
    int n_axes, n_groups;
    struct closed_interval range[CLOSED_AXES];
    int64_t place[CLOSED_AXES]; /* of a digit in its number */
    int first[CLOSED_AXES + 1]; /* axis of each group, and the end */
};

/* A set of boxes. */
struct closed_holes {
    uint64_t word[CLOSED_HOLE_WORDS];
};

/* The points of box "inside" in none of "outside". */
struct closed_rule {
    int inside;
    int credit;
    struct closed_holes outside;
};

struct closed_cell {
    struct closed_holes holes;
    sator_int points;
};

struct closed_cells {
    const struct closed_grid *grid;
    long budget; /* steps that counting may still take */
    int n_holes, n_rules;
    bool exists; /* "points" and credits are 1 for any number of points */
    struct closed_interval hole[CLOSED_HOLES][CLOSED_AXES];
    struct closed_holes excluded; /* points in one of these do not count */
    struct closed_rule rule[CLOSED_RULES];
    /* scratch */
    struct closed_holes
            undecided[CLOSED_AXES + 1]; /* boxes with a face in this group or a later one */
    struct closed_cell state[2][CLOSED_CELL_STATES];
    int16_t bucket[CLOSED_CELL_STATES * 2];
};

/* All of "grid", which must outlive "cells", without boxes and rules. */
void closed_cells_init(struct closed_cells *cells, const struct closed_grid *grid);

/* Add the points x with x - move in every range, too ("move" NULL: all); "*hole" is its number,
 * -1 when there are none. */
const struct sator_decline *closed_cells_add_move(
        struct closed_cells *cells, const int64_t *move, int *hole);

/* Add "box", cut to the ranges; "*hole" is its number, -1 when it is empty. */
const struct sator_decline *closed_cells_add(
        struct closed_cells *cells, const struct closed_interval *box, int *hole);

/* Set "*points" to the number of points not excluded, and add to credit[c] those whose first rule
 * that holds has credit c. */
const struct sator_decline *closed_cells_count(
        struct closed_cells *cells, sator_int *credit, sator_int *points);

static inline void closed_holes_set(struct closed_holes *holes, int i)
{
    holes->word[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline bool closed_holes_has(const struct closed_holes *holes, int i)
{
    return holes->word[i / 64] >> (i % 64) & 1;
}

#endif
