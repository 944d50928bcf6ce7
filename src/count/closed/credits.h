/* Counting what sources serve: each pair is credited to the first source that has it. */
#ifndef SATOR_COUNT_CLOSED_CREDITS_H
#define SATOR_COUNT_CLOSED_CREDITS_H

#include "base/room.h"
#include "count/closed/image.h"

enum {
    CLOSED_SOURCES = SATOR_ROOM(160, 16), /* most places that one value can come from in one case */
    CLOSED_VISITS = SATOR_ROOM(100000, 200) /* regions counted for one volume */
};

/* Somewhere that a value may come from: a point moved by "shift", for the consumers in a box of
 * PEs. */
struct closed_source {
    int credit;
    int64_t shift[CLOSED_DIGITS];
    const struct closed_interval
            *consumers; /* bounds of the image's first rows; NULL: all points */
};

struct closed_sources {
    struct closed_pool *pool; /* scratch */
    const struct closed_image *image; /* what the sources' moves are moves of */
    int n, n_space;
    int visits; /* regions counted so far */
    int64_t moved[CLOSED_SPACES]; /* what the points' copy adds to the rows that "consumers" bounds
                                   */
    struct closed_source list[CLOSED_SOURCES];
};

/* No sources yet, for moves of "image". */
void closed_sources_init(
        struct closed_sources *sources, struct closed_pool *pool, const struct closed_image *image);

/* Append the moves with image "rhs" as sources for all points. */
const struct sator_decline *closed_sources_add(
        struct closed_sources *sources, const int64_t *rhs, int credit);

/* Set "*count" to the points of "region" that source "i" serves and no earlier one. */
const struct sator_decline *closed_count_served(struct closed_sources *sources,
        const struct closed_region *region, int i, sator_int *count);

/* Set "*count" to the points of "region", "total" of them, that no source before "end" serves. */
const struct sator_decline *closed_count_fresh(struct closed_sources *sources,
        const struct closed_region *region, sator_int total, int end, sator_int *count);

#endif
