/* The state of the exhaustive strategy. */
#ifndef SATOR_MAPPER_STRATEGIES_EXHAUSTIVE_H
#define SATOR_MAPPER_STRATEGIES_EXHAUSTIVE_H

#include "mapper/search/search.h"

enum {
    MOST_DEPTH = MAPPER_MEMORIES * MAPPER_LOOPS + 2,
    EVALUATIONS_A_LOOK = 64,
    KEPT = 16 /* moves remembered, a power of two */
};

/* What is kept of a transfer's sliding index when its tile moves, of a group and of a tile. */
struct kept {
    int64_t moved, group, tile;
};

/* A transfer with sliding indices. */
struct glide {
    int n, index[MAPPER_INDICES]; /* the sliding ones */
    int8_t moves[MAPPER_LOOPS]; /* by loop that is in one of these, which it is */
    int64_t coef[MAPPER_LOOPS]; /* of the loop there; 0 for others */
    /* with its tile known: */
    int64_t group, tile; /* values of all other indices together */
    int64_t groups, group_words, tiles, tile_words; /* of the walk */
    int64_t stamps;
    struct kept kept[MAPPER_INDICES][KEPT]; /* a place for each of the last few moves */
};

/* Words of a group and of a tile that a moved transfer keeps, and how far its sliding indices fall
 * back when the next loop steps. */
struct slide {
    int64_t groups, tiles;
    int64_t shift[MAPPER_INDICES];
};

struct enumeration {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    /* what may be a factor of each loop: divisors of its extent, or in an imperfect problem all
     * numbers; there also the tiles of the innermost row */
    int n_factors[MAPPER_LOOPS], n_tiles[MAPPER_LOOPS];
    const int64_t *factors[MAPPER_LOOPS], *tiles[MAPPER_LOOPS];
    unsigned inside[MAPPER_MEMORIES + 1]; /* by memory, the transfers that its loops are around */
    unsigned ready[MAPPER_MEMORIES + 1]; /* those whose tiles and positions are known as soon as the
                                            memory's factors are; last: with the parallel ones */
    unsigned sliding; /* transfers */
    unsigned plain_of[MAPPER_LOOPS], slides_of[MAPPER_LOOPS]; /* transfers whose index is that loop
                                                                 alone, or a sum with it */
    /* the current branch */
    struct mapper_mapping mapping;
    struct mapper_shape shape;
    int64_t parallel[MAPPER_LOOPS]; /* positions of each loop in all arrays */
    struct mapper_unrolled unrolled[MAPPER_LOOPS]; /* of imperfect problems */
    int64_t used[MAPPER_ROWS]; /* positions of each array dimension */
    int64_t rest[MAPPER_LOOPS]; /* what is left for memories further out */
    bool ragged; /* some last tile is short, or some transfer has no formula, or passes */
    bool passes; /* words of some transfer pass from PE to PE */
    bool knows_crew; /* of the unrolling: tiles say nothing of sums that do not slide */
    unsigned movable[MAPPER_MEMORIES]; /* loops whose order may matter */
    int n_movable[MAPPER_MEMORIES];
    int64_t outside[MAPPER_MEMORIES]; /* product of the factors of those of all memories outside */
    int64_t all_groups[MAPPER_TRANSFERS], all_tiles[MAPPER_TRANSFERS]; /* words of one stamp */
    struct glide glide[MAPPER_TRANSFERS];
    int member, n_members; /* of the threads, each of which takes every n-th innermost tile */
    uint64_t number; /* of the innermost tile, over all unrollings */
    uint64_t best_number; /* of the best mapping's */
    _Atomic uint64_t *evaluated; /* by all threads */
    int unlooked; /* mappings evaluated since the last look at the clock */
    struct mapper_walk walk[MAPPER_TRANSFERS];
    struct slide slide[MOST_DEPTH][MAPPER_TRANSFERS];
    struct mapper_traffic traffic;
};

/* Cost all orders of the loops of the tiling chosen, innermost loop first. */
void exhaustive_try_orders(struct enumeration *e);

#endif
