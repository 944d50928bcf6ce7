/* Strips by direction, and small linear algebra on them: what strips.c, middle.c and places.c
 * share.
 */
#ifndef SATOR_COUNT_CLOSED_LAYOUT_H
#define SATOR_COUNT_CLOSED_LAYOUT_H

#include "count/closed/slabs.h"

enum {
    CLOSED_STRIP_DIMS = 4,
    CLOSED_STRIP_FORMS = 20
};

extern const struct sator_decline closed_strips_too_many;

/* A primitive form of some strips; its width is that of the narrowest. */
struct closed_direction {
    int64_t form[CLOSED_STRIP_DIMS];
    int64_t width;
    int64_t first; /* place: the strip's least value */
    bool implied;
    int by[CLOSED_STRIP_DIMS]; /* form = sum of part[k] / whole * form of by[k] */
    int64_t part[CLOSED_STRIP_DIMS], whole;
};

struct closed_layout {
    int n_dims, n_equal, n;
    struct closed_direction direction[CLOSED_STRIP_FORMS];
    int direction_of[CLOSED_STRIP_FORMS]; /* -1: a form that is 0 */
    int64_t multiple[CLOSED_STRIP_FORMS]; /* the form is multiple * that of its direction */
    int64_t value[CLOSED_STRIP_FORMS]; /* of each direction, at some point that all strips hold */
};

/* The determinant of n rows. */
int64_t closed_layout_determinant(int n, int64_t (*row)[CLOSED_STRIP_DIMS]);

/* Set "part" such that form = sum of part[k] / whole * basis[k], whole the basis's determinant
 * without its sign; false when the basis is none. */
bool closed_layout_express(int n, int64_t (*basis)[CLOSED_STRIP_DIMS], const int64_t *form,
        int64_t *part, int64_t *whole);

/* The forms of chosen directions; false when one is "except" or implied. */
bool closed_layout_basis(const struct closed_layout *layout, const int *choice, int except,
        int64_t (*basis)[CLOSED_STRIP_DIMS]);

/* The first, then the next choice of "n" of "all"; false after the last. */
void closed_choice_first(int n, int *choice);
bool closed_choice_next(int n, int all, int *choice);

/* Lay the strips in the middle, if that is proved to be best: "*done", and the points. */
const struct sator_decline *closed_layout_middle(
        struct closed_layout *layout, bool *done, sator_int *most);

/* Try all places that matter, if the points are few: "*done", and the points. */
const struct sator_decline *closed_layout_search(
        struct closed_layout *layout, bool *done, sator_int *most);

#endif
