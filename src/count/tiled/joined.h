/* What joined digits of PEs add to a tiling: sources of words in other PEs, and buses. */
#ifndef SATOR_COUNT_TILED_JOINED_H
#define SATOR_COUNT_TILED_JOINED_H

#include "count/tiled/net.h"
#include "count/tiled/tiled.h"

/* A digit of PEs that links and buses join; of a row the innermost comes first. */
struct tiling_joined {
    int part, loop, row;
    int64_t size;
};

/* What is known of it. */
struct tiling_joined_field {
    bool is_spread; /* by a bus */
    bool is_placed; /* by buses that join some PEs of a row */
    int first, width; /* of the PEs' numbers (struct tiled_question) */
};

struct tiling_network {
    int number; /* among those of the tiling */
    bool is_unknown; /* too many sources or PEs */
    enum tiled_aspect aspect;
    int n_sources;
    struct tiled_source source[TILED_SOURCES]; /* without shifts */
    tiled_bits now; /* those that have their words in the same stamp */
    struct tiled_families families;
    struct tiling_joined_field field[TILING_DIGITS]; /* by digit */
    const int64_t *shift; /* by digit, of source after source */
};

/* The network of "net" over the digits, made in "arena". */
struct tiling_network *tiling_network_new(struct sator_arena *arena,
        const struct sator_tiling_net *net, int n_digits, const struct tiling_joined *digit,
        const struct tiled_part *part);
/* Let a question have what "network", which was made for these digits, says of those of part "p",
 * which are at "place" of its nest. What it borrows is in "arena". */
void tiling_network_ask(const struct tiling_network *network, struct sator_arena *arena,
        int n_digits, const struct tiling_joined *digit, int p, const int *place,
        struct tiled_question *question);

#endif
