/* What a tiling remembers: its parts' states, each a nest that can be asked (tiling_state.c). */
#ifndef SATOR_COUNT_TILED_TILING_STATE_H
#define SATOR_COUNT_TILED_TILING_STATE_H

#include "count/tiled/joined.h"

enum tiling_digit_kind {
    OF_TILE, /* of the root: what is inside */
    OF_TIME,
    PLACED, /* the next digit of time of the loop */
    OF_PES /* and more: enum sator_tiling_pes */
};

/* A way the digits of a part stand: the parent's, and one more is said of them. */
struct tiling_state {
    int parent; /* -1: none */
    int8_t loop, kind;
    int64_t size;
    int n_times; /* digits of time that are placed */
    int64_t all, most; /* words of all stamps, of the largest tile; -1 while unknown */
    /* Words kept from stamp to stamp, or -1. At 2 k: in the steps of a digit of another part that
     * stands outside of the innermost k digits of time; at 2 k + 1: in those of the k-th itself. */
    int64_t *kept;
};

struct sator_tiling {
    struct sator_ctx *ctx;
    struct sator_arena *arena; /* of the tiling */
    struct sator_arena *scratch; /* of one question */
    int n_loops, n_parts;
    int64_t extent[TILING_LOOPS];
    struct tiled_part part[TILING_PARTS];
    int64_t coef[TILING_LOOPS];
    int8_t part_of[TILING_LOOPS];
    int state[TILING_PARTS]; /* by part: its present one */
    int n_placed;
    struct placed {
        int part, before; /* the state before */
    } placed[TILING_DIGITS];
    int n_states, state_room;
    struct tiling_state *states;
    struct sator_memo *numbers; /* int: of a state, by its parent and digit */
    struct tiled_nest nest; /* of the state that is counted, with */
    bool is_shared[TILED_DIGITS]; /* by digit */
    bool has_steps[TILING_DIGITS + TILING_LOOPS]; /* by entry of its chain that is placed */
    int joined_digit[TILING_DIGITS]; /* of the part's joined ones, as they were said */
    int n_joined;
    struct tiling_joined joined[TILING_DIGITS];
    struct tiling_network *network; /* of these; NULL: none */
    bool is_whole; /* loops are as long as what is said of them */
    int n_networks;
    struct tiling_network **networks;
    struct sator_memo *network_of; /* int: by joined digits and net */
    struct sator_memo *crossings; /* struct crossing: by states and patterns */
    struct sator_memo *tallies; /* struct tiled_tally: by state, network and what is asked */
};

/* What is asked of a state in place of a pattern (struct tiling_state, "kept"). */
enum {
    TILING_ALL = -1, /* the words of all stamps */
    TILING_MOST = -2 /* those of the largest tile */
};

/* Make the nest of a state of part "p" and let "q" ask it about pattern "kept", TILING_ALL or
 * TILING_MOST. False: there are no such stamps. */
bool tiling_state_open(
        struct sator_tiling *t, int p, int state, int kept, struct tiled_question *q);
/* What the state says of it, remembered; -2 when that cannot be counted. */
int64_t tiling_state_ask(struct sator_tiling *t, int p, int state, int kept);

#endif
