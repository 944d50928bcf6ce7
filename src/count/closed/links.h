/* Links between PEs as translations: offsets, and the consumers that each serves. */
#ifndef SATOR_COUNT_CLOSED_LINKS_H
#define SATOR_COUNT_CLOSED_LINKS_H

#include "count/closed/boxes.h"

/* PE[p - offset] provides to PE[p], for every p in the array with p - offset in it (n_boxes = 0),
 * or for the p of some disjoint boxes. */
struct closed_hop {
    int64_t offset[CLOSED_SPACES];
    int n_boxes;
    const struct closed_interval *box; /* n_boxes * n_space */
};

struct closed_hops {
    int n;
    struct closed_hop *hop;
};

/* What sator_count_prepare makes of a link (count/count.h). */
struct sator_prepared_link {
    struct closed_hops hops;
};

/* The translations that make up "map" { PE[q] -> PE[p] } on the array of extents "shape". Lists are
 * made in "arena"; "pool" is scratch. */
const struct sator_decline *closed_hops_of_map(struct sator_arena *arena, struct closed_pool *pool,
        const struct sator_relation *map, int n_space, const int64_t *shape,
        struct closed_hops *hops);

#endif
