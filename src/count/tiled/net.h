/* How words pass on between the PEs of a tiling: links and families of buses. */
#ifndef SATOR_COUNT_TILED_NET_H
#define SATOR_COUNT_TILED_NET_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TILING_LOOPS = 16,
    TILING_DIGITS = 96 /* said of all parts together, a digit of time twice */
};

/* A link to each PE from the one whose coordinates are less by "shift", by row: which has a word in
 * the same stamp, or had it in the stamp "before". */
struct sator_tiling_link {
    bool before;
    const int64_t *shift;
};

/* How words pass on between PEs: links first, then buses, one family after the other, each of which
 * spreads a word over rows (bits). */
struct sator_tiling_net {
    int n_rows; /* numbered by the caller; joined digits are of these */
    int n_links;
    const struct sator_tiling_link *link;
    int n_buses;
    const unsigned *bus_rows;
    bool is_whole; /* no tile is ever cut short */
};

#endif
