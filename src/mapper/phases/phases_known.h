/* What is known of a mapping some of whose tiles are chosen. */
#ifndef SATOR_MAPPER_PHASES_KNOWN_H
#define SATOR_MAPPER_PHASES_KNOWN_H

#include "mapper/phases/phases.h"

struct phases_known {
    const struct mapper_phases *phases;
    const struct mapper_mapping *mapping;
    const struct mapper_shape *shape;
    int m; /* memories from here inward have their tiles */
    double run[MAPPER_MEMORIES + 1]; /* what a stamp of a memory computes for where it is whole, at
                                        most */
    double used[MAPPER_MEMORIES + 1]; /* instances, of the compute units in the end; by loop */
    double along[MAPPER_MEMORIES + 1][MAPPER_LOOPS];
    /* The stamps of the first instance of a memory along a loop at the least, when a short one
     * counts by the share of a tile that it has; in all. */
    double stamps[MAPPER_MEMORIES + 1][MAPPER_LOOPS], all_stamps[MAPPER_MEMORIES + 1];
    /* What a transfer moves into its child in one stamp: words of all instances, and of one tile;
     * "is_plain": never more. */
    struct phases_moved {
        double unique, arriving, tile_words;
        bool passes, is_plain;
        int64_t group_values[MAPPER_INDICES], tile_values[MAPPER_INDICES]; /* of each index */
    } moved[MAPPER_TRANSFERS];
    /* Cycles in which tiles of a memory, or of those inside with the same stamps, come and leave
     * while nothing runs: none before "m". */
    double exposed[MAPPER_MEMORIES];
};

/* ---- phases_waits.c ---- */
/* Set the bits that could pass each port while it waits for computing, or for tiles that are
 * exposed; whether there are any. */
bool sator_mapper_phase_waits(
        const struct phases_known *known, const struct mapper_crew *crew, double *bits);

#endif
