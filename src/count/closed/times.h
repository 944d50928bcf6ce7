/* The occupied time-stamps as a trie of intervals, and the predecessor of a stamp as a short list
 * of cases.
 *
 * Time rows are first normalised without changing the order of stamps or which are equal: a row
 * loses multiples of earlier rows, is divided by its common factor, and is split where its values
 * have gaps. Then each row has digits of its own and its values fill intervals.
 */
#ifndef SATOR_COUNT_CLOSED_TIMES_H
#define SATOR_COUNT_CLOSED_TIMES_H

#include "base/room.h"
#include "count/closed/image.h"

enum {
    CLOSED_BACK = 4, /* greatest interval of a link */
    CLOSED_TIME_BOXES = 256,
    CLOSED_CASES = SATOR_ROOM(4096, 64)
};

/* The stamps with every row in its slab; prev^k(t) = t - shift[k - 1] for all of them, k = 1 ..
 * n_back; for greater k there is no such stamp. */
struct closed_case {
    int n_back;
    sator_int stamps; /* how many; 0: not counted (cases.c) */
    struct closed_interval slab[CLOSED_TIMES];
    int64_t shift[CLOSED_BACK][CLOSED_TIMES];
};

struct closed_cases {
    int n, capacity;
    struct closed_case *list;
};

struct closed_times {
    int n_rows;
    struct closed_form row[CLOSED_TIMES];
    int end[CLOSED_TIMES + 1]; /* [n]: the rows that the first n given ones became */
    int n_boxes, room; /* disjoint; room for more */
    struct closed_interval (*box)[CLOSED_TIMES];
    sator_int stamps;
    int back; /* the cases know prev^1 .. prev^back; 0: not made yet */
    struct closed_cases cases;
    struct closed_cases base; /* for back > 1, prev alone */
};

/* Normalise the time rows "row" (n_rows of them) and find the occupied stamps. "image" is scratch.
 */
const struct sator_decline *closed_times_make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *row,
        struct closed_image *image, struct closed_times *times);

/* Make the cases for prev^1 .. prev^back. */
const struct sator_decline *closed_times_cases(struct closed_times *times, int back);

/* Join cases with the same shifts as far as a box of slabs still has no other stamp. */
void closed_cases_join(const struct closed_times *times, struct closed_cases *cases);

/* Whether a stamp strictly between t and prev^back(t), for the t of "when", differs from both in
 * the first "n_given" rows. */
bool closed_case_passes(
        const struct closed_times *times, const struct closed_case *when, int back, int n_given);

/* What "from" has. */
void closed_times_copy(struct closed_times *times, const struct closed_times *from);

/* No rows, boxes or cases. */
void closed_times_init(struct closed_times *times);
void closed_times_clear(struct closed_times *times);

#endif
