/* What a walk is asked for: stamps, and the elements that are touched in each. */
#ifndef SATOR_SIMULATE_TOUCH_H
#define SATOR_SIMULATE_TOUCH_H

#include "relation/workload.h"

enum {
    WALK_TOUCHES = 32 /* pieces of all accesses */
};

/* How elements of a tensor are numbered: a field of bits for each dimension. */
struct numbering {
    int n_dims;
    const int64_t *least;
    const int *shift, *width;
};

/* A piece of an access: one element, where its condition holds. */
struct touch {
    const struct sator_piece *piece;
    const struct numbering *numbering;
};

struct walk_question {
    const struct sator_workload *workload;
    const struct sator_relation *space, *time;
    const int64_t *shape; /* of the whole space-stamp */
    int n_time, n_space; /* leading dimensions that matter */
    int n_touches;
    const struct touch *touches;
    bool is_whole; /* every instance is asked for, not what the touches and places distinguish */
};

/* A part of what runs in a stamp. */
struct walk_part {
    int64_t n;
    const int64_t *place; /* the number of the space-stamp's prefix */
    const uint64_t *elements[WALK_TOUCHES]; /* of each touch */
    const bool *holds[WALK_TOUCHES]; /* NULL: every one is */
};

/* The element that "touch" is at a point of the loops; false where its condition does not hold. */
bool touch_element(const struct touch *touch, const int64_t *point, uint64_t *element);
/* Whether "point" is in a set whose conditions can be evaluated. */
bool touch_is_inside(const struct sator_relation *set, const int64_t *point);

#endif
