/* Skewed stamps: rows that share digits in any way.
 *
 * Where the time rows cannot be given digits of their own (T[i+j, j]), the trie of times.h does not
 * exist. Here a point is compared with the points that it can be moved to: it is the first of its
 * stamp, or at the end of its row of stamps, if no generator of a lattice (lattice.h) leads
 * further. Each such condition leaves a smaller box, and cells.h counts the points in none of them
 * (doc/counting.md, "Skewed stamps").
 */
#ifndef SATOR_COUNT_CLOSED_SKEWS_H
#define SATOR_COUNT_CLOSED_SKEWS_H

#include "base/room.h"
#include "count/closed/cells.h"
#include "count/closed/closed.h"
#include "count/closed/lattice.h"

enum {
    CLOSED_STEPS = SATOR_ROOM(1024, 64), /* generators of all levels */
    CLOSED_EXCEPTIONS = SATOR_ROOM(256, 8) /* boxes that a rule leaves out, none inside another */
};

/* A move between stamps: "rise" is how far it changes the row of its level. */
struct closed_step_move {
    int64_t rise; /* > 0, or 0: then a later row grows first */
    int64_t at[CLOSED_AXES];
};

/* Boxes of points that a rule leaves out. */
struct closed_exceptions {
    int n;
    struct closed_interval box[CLOSED_EXCEPTIONS][CLOSED_AXES];
};

/* The digits that vary as axes, and moves along them. */
struct closed_skews {
    struct closed_grid grid; /* of ragged loops the iterator, too, counted from its first value */
    int digit[CLOSED_AXES]; /* -1: a loop's iterator */
    int n_space, n_time, n_index;
    int64_t space[CLOSED_SPACES][CLOSED_DIMS];
    int64_t time[CLOSED_TIMES][CLOSED_DIMS];
    int64_t index[CLOSED_INDICES][CLOSED_DIMS];
    /* Level l: stamps that agree in the rows before row_of_level[l]; rows that depend on earlier
     * ones have no level. Its generators are step[first_step[l]] .. step[first_step[l + 1] - 1]. */
    int n_levels;
    int row_of_level[CLOSED_TIMES];
    int first_step[CLOSED_TIMES + 1];
    struct closed_step_move step[CLOSED_STEPS];
    struct closed_lattice lattice, measured; /* scratch */
    struct closed_graver graver;
    struct closed_exceptions exceptions;
    struct closed_cells cells, probe;
};

/* The axes of "digits" as the state's skews; the rest is not made yet. */
const struct sator_decline *closed_skews_open(struct closed_state *state,
        const struct closed_digits *digits, struct closed_skews **skews);

/* All moves along the axes, with "n_more" coordinates of their own. */
void closed_skews_moves(
        const struct closed_skews *skews, int n_more, struct closed_lattice *lattice);

/* Let an axis that is a loop's iterator go: the loop's digits then have all combinations. */
void closed_skews_drop(struct closed_skews *skews, int axis);

/* The coefficients of "form" on the axes. */
void closed_skews_row(
        const struct closed_skews *skews, const struct closed_form *form, int64_t *row);

/* Whether two points of the box can differ by "move". */
bool closed_skews_fits(const struct closed_skews *skews, const int64_t *move);

/* row . move */
int64_t closed_skews_product(
        const struct closed_skews *skews, const int64_t *row, const int64_t *move);

/* The sign of the first of "n" coordinates that is not 0. */
int closed_skews_sign(int n, const int64_t *move);

/* Whether a move (that fits) leads to a later stamp (1), an earlier one (-1) or neither. */
int closed_skews_order(const struct closed_skews *skews, const int64_t *move);

void closed_skews_negate(int n, int64_t *move);

/* Set the numbers of a move (or a point) from its digits. */
void closed_skews_set_numbers(const struct closed_grid *grid, int64_t *move);

/* Make the levels of the time rows. */
const struct sator_decline *closed_skews_levels(struct closed_skews *skews);

/* Exclude all but one point of each set that moves of "lattice" connect from skews->cells. */
const struct sator_decline *closed_skews_exclude_equals(
        struct closed_skews *skews, const struct closed_lattice *lattice);

/* The number of points that no move of skews->lattice takes to each other. */
const struct sator_decline *closed_skews_classes(struct closed_skews *skews, sator_int *count);

/* As closed_count_distinct, for one access, whatever the rows. */
const struct sator_decline *closed_skews_distinct(struct closed_state *state,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        sator_int *count);

/* Total and credits of the pairs ((p, t), f): credit[0] is temporal reuse, then the links; by_bus
 * the buses. hops[i] are the translations of link i. */
const struct sator_decline *closed_skews_volumes(struct closed_state *state,
        const struct closed_system *system, const struct closed_request *request,
        const struct sator_transport *transport, const struct closed_hops *const *hops,
        sator_int *total, sator_int *credit, sator_int *by_bus);

#endif
