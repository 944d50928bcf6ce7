/* How words pass on between the PEs of a tiling: links and families of buses. */
#ifndef SATOR_COUNT_TILED_NET_H
#define SATOR_COUNT_TILED_NET_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TILING_LOOPS = 16,
    TILING_PARTS =
            TILING_LOOPS + 8, /* of indices, some of which read no loop, and of the other loops */
    TILING_DIGITS = 96 /* said of all parts together, a digit of time twice */
};

/* How the PEs among which a digit divides a loop share words. */
enum sator_tiling_pes {
    TILING_APART, /* each has its words for itself */
    TILING_SHARED, /* a word that several take crosses once */
    TILING_JOINED, /* links and buses join them: tiling.h */
    TILING_FIRST, /* only the words of the first one count */
    TILING_LAST /* only those of the last */
};

/* A link to each PE from the one whose coordinates are less by "shift", by row: which has a word in
 * the same stamp, or had it "interval" stamps before. */
struct sator_tiling_link {
    int interval;
    const int64_t *shift;
};

/* How words pass on between PEs: links first, then buses, one family after the other, each of which
 * spreads a word over rows (bits), or over those PEs of these rows that it joins. */
struct sator_tiling_net {
    bool is_stamp; /* what enters in a stamp is asked for: no tile is cut short */
    int number; /* then: the same for nets that are equal but for what is held */
    int n_rows; /* numbered by the caller; joined digits are of these */
    unsigned held; /* bits: so many stamps before, PEs had words; bit 0: in the same stamp */
    int n_links;
    const struct sator_tiling_link *link;
    int n_buses;
    const unsigned *bus_rows;
    /* By family, or NULL: the bus of each PE of its rows, the last row fastest; NULL: all are on
     * one. */
    const int32_t *const *bus_of;
    const int64_t *shape; /* of the rows, for these */
};

#endif
