/* Accesses of one tensor through different maps: A[i,k] and A[k,j].
 *
 * What is accessed is a union of images that no constant moves onto each other. Each image (of one
 * map, one box of digits, one constant) is a sheet; its axes say which of its points is meant. That
 * a point, moved, lies in another sheet is a system of linear equalities and inequalities over the
 * axes of both, the other's determined by its own. Such systems intersect by putting their rows
 * together; general/served.h counts their unions (doc/counting.md, "Different maps").
 */
#ifndef SATOR_COUNT_CLOSED_SHEETS_H
#define SATOR_COUNT_CLOSED_SHEETS_H

#include "base/room.h"
#include "count/closed/closed.h"
#include "count/general/served.h"

enum {
    CLOSED_MAPS = 8, /* most different maps of one tensor */
    CLOSED_SHEETS = SATOR_ROOM(64, 8),
    CLOSED_NUMBERS = 8 /* most bounded numbers of a sheet */
};

/* Axes of one factor as a mixed-radix number, lowest first, that has all values of "range". */
struct closed_number {
    int first_axis, n_axes;
    struct closed_interval range;
};

/* Points of "image": the axes in their ranges and the numbers in theirs; moved by "constant". */
struct closed_sheet {
    int map;
    const struct closed_image *image;
    int64_t constant[CLOSED_ROWS]; /* of the rows, the image's own included */
    struct closed_interval axis[CLOSED_DIGITS];
    int n_numbers;
    struct closed_number number[CLOSED_NUMBERS];
    struct closed_interval reach[CLOSED_ROWS]; /* of each row's values */
};

struct closed_sheets {
    struct closed_state *state;
    struct sator_points *points;
    int n_rows, n;
    int first_bus, n_buses; /* rows of buses: they follow the PE */
    int bus_rows[CLOSED_BUSES + 1]; /* where each bus's begin, and the end */
    struct closed_image image[CLOSED_MAPS];
    struct closed_sheet sheet[CLOSED_SHEETS];
};

/* Ends the work of a question with the status state->stopped. */
extern const struct sator_decline closed_sheets_stopped;

/* All points of the rows "before" followed by the indices of the request's accesses. Begin with
 * this; end with closed_sheets_end, whatever the answer. Rows of buses are among those before if
 * the caller says so afterwards. */
const struct sator_decline *closed_sheets_begin(struct closed_state *state,
        const struct closed_digits *digits, int n_before, const struct closed_form *const *before,
        const struct closed_request *request, struct closed_sheets **sheets);
void closed_sheets_end(struct closed_sheets *sheets);
void closed_sheets_free(struct closed_sheets *sheets);

/* The number of points of all sheets together. */
const struct sator_decline *closed_sheets_count(struct closed_sheets *sheets, sator_int *count);

/* Those of them whose first "n_keys" rows have the values "key". */
const struct sator_decline *closed_sheets_most_at(
        struct closed_sheets *sheets, int n_keys, const int64_t *key, sator_int *count);

/* As closed_count_distinct, for different maps. */
const struct sator_decline *closed_sheets_distinct(struct closed_state *state,
        const struct closed_digits *digits, int n_before, const struct closed_form *const *before,
        const struct closed_request *request, sator_int *count);

/* Total and credits of the pairs ((p, t), f): credit[0] is temporal reuse, then the links; by_bus
 * the buses. hops[i] are the translations of link i; the time cases reach back far enough. */
const struct sator_decline *closed_sheets_volumes(struct closed_state *state,
        const struct closed_system *system, const struct closed_request *request,
        const struct sator_transport *transport, const struct closed_hops *const *hops, int back,
        sator_int *total, sator_int *credit, sator_int *by_bus);

enum {
    CLOSED_PIECES = SATOR_ROOM(512, 16) /* most pieces that a sheet is cut into */
};

/* Disjoint parts of one sheet, over its axes. */
struct closed_pieces {
    int n;
    sator_int count; /* of all */
    struct sator_system *list[CLOSED_PIECES];
    sator_int points[CLOSED_PIECES];
};

void closed_pieces_clear(struct closed_pieces *pieces);
/* Add "system" unless it is empty. */
const struct sator_decline *closed_pieces_add(struct closed_sheets *sheets,
        struct closed_pieces *pieces, SATOR_TAKE struct sator_system *system);
/* Take away the points that satisfy "system", whose leading "n" variables are the axes and
 * determine the others. */
const struct sator_decline *closed_pieces_subtract(struct closed_sheets *sheets,
        struct closed_pieces *pieces, const struct sator_system *system, int n);

enum {
    CLOSED_DISTANCES = SATOR_ROOM(2048, 16)
};

/* How far apart two PEs of one bus are, the smaller one from the greater. */
struct closed_distances {
    int n;
    int64_t by[CLOSED_DISTANCES][CLOSED_ROWS]; /* of the space rows; the others are 0 */
};

const struct sator_decline *closed_distances_find(const struct closed_sheets *sheets,
        const struct sator_relation *bus, int n_space, struct closed_distances *distances);

/* Add to "by_bus" what the buses, of "distances", save of "left" (one a sheet), which then is what
 * they leave. */
const struct sator_decline *closed_pieces_share(struct closed_sheets *sheets, int n_space,
        const struct closed_distances *distances, struct closed_pieces *left, sator_int *by_bus);

/* The most elements that one value of the keys has. */
const struct sator_decline *closed_sheets_most(struct closed_state *state,
        const struct closed_system *system, int n_keys, const struct closed_form *const *keys,
        const struct closed_request *request, sator_int *most);

/* The system over the axes of sheet "a" that all its points satisfy. */
struct sator_system *closed_sheet_system(const struct closed_sheets *sheets, int a);

/* Add lo <= row <= hi for the points of sheet "a". */
void closed_sheet_bound(const struct closed_sheets *sheets, int a, int row,
        struct closed_interval range, struct sator_system *system);

/* Another sheet, or a part of it, as seen from a point: less "move" (NULL: 0) it is there. */
struct closed_view {
    int sheet;
    const int64_t *move;
    const struct sator_system *part; /* over the axes of "sheet"; NULL: all of it */
    int bus; /* that the two points share; -1: whatever their buses are */
    int n_free; /* the first rows, in which they may differ in any way */
};

/* Those points of "base", of sheet "a", that "view" shows; NULL when their rows alone show that
 * there are none. The axes of the view's sheet follow those of "a". */
struct sator_system *closed_sheet_meet(const struct closed_sheets *sheets, int a,
        const struct closed_view *view, const struct sator_system *base);

/* "system", over the axes of sheet "a" and what they determine, with the first "n_keys" rows as
 * variables before. */
struct sator_system *closed_sheet_keyed(
        const struct closed_sheets *sheets, int a, int n_keys, const struct sator_system *system);

/* NULL, or the reason for a status of counting. */
const struct sator_decline *closed_sheets_status(
        struct closed_sheets *sheets, enum sator_status st);

#endif
