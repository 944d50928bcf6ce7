/* A climb: a mapping, one near it, and the best so far. */
#ifndef SATOR_MAPPER_CLIMB_H
#define SATOR_MAPPER_CLIMB_H

#include "mapper/search/search.h"

enum {
    CLIMB_PRIMES = 16 /* distinct ones of an extent: fewer, for their product is below 2^57 */
};

struct climb {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    uint64_t state; /* of the random numbers */
    struct mapper_mapping here, next, best;
    struct mapper_cost cost, best_cost; /* of "here", of "best" */
    double least_pj; /* of a mapping so far */
    double rise; /* how much more the next may cost, at most */
    int stale; /* changes since the last better one, or return to it */
    int n_primes[MAPPER_LOOPS]; /* of the extents ... */
    int64_t prime[MAPPER_LOOPS][CLIMB_PRIMES]; /* ... of which what is left beyond 1000 is one */
};

/* ---- climb_moves.c ---- */
/* Set the primes. */
void sator_mapper_climb_know(struct climb *c);
/* Change "next"; false where that changes nothing. "*refilled": a row took other loops, to which
 * the orders may not suit. */
bool sator_mapper_climb_change(struct climb *c, bool *refilled);
/* Give some memory of "next" an order that suits some tensors. */
void sator_mapper_climb_order(struct climb *c);
/* Whether "next" is legal. */
bool sator_mapper_climb_is_legal(struct climb *c);

#endif
