/* A walk along the digits of a part: cells, and what they hold in the end. */
#ifndef SATOR_COUNT_TILED_WALK_H
#define SATOR_COUNT_TILED_WALK_H

#include "count/tiled/tiled.h"

/* A PE, of those walked together. */
struct tiled_cell {
    int64_t base; /* of the sum: only what differs between cells, or matters to a quotient */
    tiled_bits pe;
    tiled_bits sources; /* those that are not ruled out */
    uint8_t shape[TILED_PART_LOOPS];
    struct {
        int64_t distance; /* of the sum, from the cell's own */
        uint8_t shape[TILED_PART_LOOPS];
    } source[];
};

struct tiled_walker {
    const struct tiled_question *q;
    const struct tiled_part *part;
    struct tiled_tally *tally;
    struct tiled_sets *sets;
    int64_t *most; /* in place of a tally: the size of the largest tile */
    int n_stamps; /* of the pattern that there are, with the one now */
    size_t cell_size;
    char *cells;
    size_t room; /* for cells */
    const struct sator_decline *reason;
    enum sator_status st;
};

static inline struct tiled_cell *tiled_cell_at(const struct tiled_walker *w, size_t i)
{
    return (struct tiled_cell *)(w->cells + w->cell_size * i);
}

/* Walked: "n" cells from "first" on, in each of "times" time-stamps. Tally what they hold. */
void tiled_emit(struct tiled_walker *walker, size_t first, size_t n, sator_int times);

#endif
