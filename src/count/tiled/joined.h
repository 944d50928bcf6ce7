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

/* What a part's digits have of it, in the same order. */
struct tiling_joined_part {
    int n_digits;
    bool *is_spread; /* by a bus */
    bool *is_placed; /* by buses that join some PEs of a row */
    int *field, *width; /* of the PEs' numbers (struct tiled_question) */
    int64_t *shift; /* of source s: those from s * n_digits on */
};

struct tiling_network {
    int number; /* among those of the tiling */
    bool is_unknown; /* too many sources or PEs */
    enum tiled_aspect aspect;
    int n_sources;
    struct tiled_source source[TILED_SOURCES]; /* without shifts */
    tiled_bits now; /* those that have their words in the same stamp */
    struct tiled_families families;
    struct tiling_joined_part *part;
};

/* The network of "net" over the digits, made in "arena". "is_whole": no tile is ever cut short. */
struct tiling_network *tiling_network_new(struct sator_arena *arena,
        const struct sator_tiling_net *net, int n_digits, const struct tiling_joined *digit,
        int n_parts, const struct tiled_part *part, bool is_whole);
/* Let a question have what "network" says of part "p", whose digits are at "digit" of its nest.
 * What it borrows is in "arena". */
void tiling_network_ask(struct tiling_network *network, struct sator_arena *arena, int p,
        const int *digit, struct tiled_question *question);

#endif
