/* Unions of boxes: lists of integer boxes over a common set of axes.
 *
 * A list of n boxes over k axes is an array of n * k intervals, box after box. Lists live in a
 * pool, a stack of intervals inside the workspace: a function that makes a list pushes it; the
 * caller pops by restoring "used".
 */
#ifndef SATOR_COUNT_CLOSED_BOXES_H
#define SATOR_COUNT_CLOSED_BOXES_H

#include "count/closed/digits.h"

struct closed_pool {
    struct closed_interval *data;
    int used, capacity;
};

struct closed_boxes {
    int n, n_axes;
    struct closed_interval *box; /* n * n_axes */
};

/* Room for "count" intervals, or NULL when the pool is full. */
struct closed_interval *closed_pool_take(struct closed_pool *pool, int count);

/* The digit vectors of a loop as disjoint boxes over its digits, those that are fixed at their
 * value. */
const struct sator_decline *closed_boxes_of_loop(struct closed_pool *pool,
        const struct closed_digits *digits, int loop, struct closed_boxes *boxes);

/* Keep the axes with used[axis], make the boxes disjoint again and few. */
const struct sator_decline *closed_boxes_project(
        struct closed_pool *pool, const bool *used, struct closed_boxes *boxes);

/* Make the boxes disjoint, and join neighbours. */
const struct sator_decline *closed_boxes_disjoin(
        struct closed_pool *pool, struct closed_boxes *boxes);

/* The boxes of "a" intersected with those of "b" moved by "shift" (NULL: not moved). */
const struct sator_decline *closed_boxes_intersect(struct closed_pool *pool,
        const struct closed_boxes *a, const struct closed_boxes *b, const int64_t *shift,
        struct closed_boxes *result);

/* The points of "a" that are in no box of "b". */
const struct sator_decline *closed_boxes_subtract(struct closed_pool *pool,
        const struct closed_boxes *a, const struct closed_boxes *b, struct closed_boxes *result);

/* Whether a point is in both lists. */
bool closed_boxes_meet(const struct closed_boxes *a, const struct closed_boxes *b);

/* Box "i" of a list: its n_axes intervals. */
static inline struct closed_interval *closed_box(const struct closed_boxes *boxes, int i)
{
    return boxes->box + (size_t)i * (size_t)boxes->n_axes;
}

static inline int64_t closed_width(struct closed_interval interval)
{
    return interval.hi - interval.lo + 1;
}

static inline struct closed_interval closed_meet(struct closed_interval a, struct closed_interval b)
{
    return (struct closed_interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static inline bool closed_is_empty(struct closed_interval interval)
{
    return interval.hi < interval.lo;
}

#endif
