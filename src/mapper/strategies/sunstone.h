/* The steps of the Sunstone scheduler (Olyaiy et al., ISPASS 2023), each on its own. */
#ifndef SATOR_MAPPER_STRATEGIES_SUNSTONE_H
#define SATOR_MAPPER_STRATEGIES_SUNSTONE_H

#include "mapper/search/search.h"

/* Table III: the loops that index an access, along which it is reused in full, and in part
 * (sliding). */
struct sunstone_reuse {
    unsigned indexed_by, reused_by, partly_reused_by;
};
struct sunstone_reuse sator_sunstone_reuse(const struct mapper_problem *problem, int access);

/* A loop order that survives in the trie of Figure 4: its innermost loops, innermost first, and
 * what is reused. */
struct sunstone_order {
    int n_loops;
    int8_t loop[MAPPER_LOOPS];
    unsigned full[MAPPER_ACCESSES], partial[MAPPER_ACCESSES]; /* loops, by access */
};
/* The orders of "loops" at memory "m" that survive for the accesses "accesses" (a set); returns
 * their number. "*orders" is to be freed with free(). */
int sator_sunstone_orders(const struct mapper_problem *problem, int m, unsigned loops,
        unsigned accesses, struct sunstone_order **orders);

/* The tiling tree of Figure 5: from the tile "start" times "least", grow the loops "grow" by the
 * factors of "room" (what is left of each loop, a multiple of "least"); call "leaf", with the
 * factors by which it exceeds "start", for each tile of memory "m" that fits and cannot be grown.
 * Its nodes count as tilings of the search. If "n_some" is not 0, only for that many at most,
 * found at random, which the memories outside hold as well. */
typedef void sunstone_leaf(void *data, const int64_t *tile);
void sator_sunstone_tiles(struct mapper_search *search, int m, const int64_t *start,
        const int64_t *least, const int64_t *room, unsigned grow, int n_some, sunstone_leaf *leaf,
        void *data);

#endif
