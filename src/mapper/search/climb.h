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
    struct climb_place {
        struct mapper_counted counted;
        struct mapper_cost cost;
    } place[3], *here, *next, *other; /* other: before another change to "next" */
    int64_t (*factor)[MAPPER_LOOPS]; /* of "next" */
    int8_t (*order)[MAPPER_LOOPS];
    unsigned rows; /* in which "next" differs from "here" */
    double cycles; /* that "next" computes for */
    struct mapper_mapping best;
    struct mapper_cost best_cost;
    double least_pj; /* of a mapping so far */
    double rise; /* how much more the next may cost, at most */
    double exchanged; /* the best value from which all exchanges were tried */
    int stale; /* changes since the last better one, or return to it */
    int n_primes[MAPPER_LOOPS]; /* of the extents ... */
    int64_t prime[MAPPER_LOOPS][CLIMB_PRIMES]; /* ... of which what is left beyond 1000 is one */
};

/* ---- climb_moves.c ---- */
/* Set the primes. */
void sator_mapper_climb_know(struct climb *c);
/* Set "next", but its cost, to a change of "here"; false where it is none, or is not legal.
 * "*refilled": a row took other loops, to which the orders may not suit. */
bool sator_mapper_climb_change(struct climb *c, bool *refilled);
/* Set "next", but its cost, to one legal exchange after the other of what two loops have in two
 * rows of "here", until "take" returns true: then this does, too. */
bool sator_mapper_climb_exchange(struct climb *c, bool (*take)(struct climb *c));
/* Set "next", but its cost, to "from" with an order of some memory, which is returned, that suits
 * some tensors. */
int sator_mapper_climb_order(struct climb *c, const struct climb_place *from);

#endif
