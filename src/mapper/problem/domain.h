/* Domains that are no box, within their hull: what bounds need to know of them (doc/search.md,
 * "Domains that are no box"). Loops that no condition joins with others are free; the others are
 * tied, and the domain is what these leave of the hull, times all values of the free ones. */
#ifndef SATOR_MAPPER_DOMAIN_H
#define SATOR_MAPPER_DOMAIN_H

#include "mapper/problem/mapping.h"

/* A fiber: the instances that differ in one loop alone. */
struct mapper_fibers {
    /* All of them end where the hull does, or all begin there (each is then an interval); both
     * where there are whole ones only. */
    bool ends, begins;
    int64_t *count; /* by length, from 0 to the loop's extent; of the tied loops alone */
    int n_divisors; /* of the extent, in ascending order */
    const int64_t *divisor;
    /* By size and block, each a divisor: the points that are the only ones of their fiber in the
     * block and lie in its last step of that size, or first; and the same of some PE's part. */
    double *lone[2];
    double *lone_any; /* the most of any block and multiple of the size */
};

struct mapper_domain {
    unsigned tied; /* loops */
    double share; /* instances, of those of the hull */
    double points; /* values of the tied loops together */
    const bool *has; /* which there are, the last tied loop fastest; NULL where they are many */
    struct mapper_fibers fibers[MAPPER_LOOPS]; /* of tied loops */
    /* The hull as a problem of its own, over the same networks: what its transfers move in a
     * mapping bounds what those of the domain do, where the access is "scaled". */
    struct mapper_problem *hull;
    unsigned scaled; /* accesses: each index is one loop, and each loop stands in one at most */
};

/* The words of "access" in the largest tile, where some tile has all that tiles of the hull have; 0
 * where that is not soon told. */
int64_t sator_mapper_domain_tile(
        const struct mapper_problem *problem, int access, const int64_t *tile);

/* The time-stamps of a mapping with the parallel factors of "mapping", at the least. */
double sator_mapper_domain_stamps(const struct mapper_problem *problem,
        const struct mapper_domain *domain, const struct mapper_mapping *mapping);
/* Those of a mapping are a product: of the free loops, and of the tied ones where the domain "has"
 * their points, which are all tried. */
double sator_mapper_free_stamps(const struct mapper_problem *problem,
        const struct mapper_domain *domain, const struct mapper_mapping *mapping);
int64_t sator_mapper_tied_stamps(const struct mapper_problem *problem,
        const struct mapper_domain *domain, const struct mapper_mapping *mapping);

/* The share of the hull's instances that have their words brought, though tiles may be empty, where
 * the innermost digit that moves their tensor is of "loop", "steps" steps of "size" each, whatever
 * the order further out. "apart": PEs that have parts of each step bring words by themselves. With
 * "steps" 0: any number of steps of any multiple of the size. 0 where nothing is known. */
double sator_mapper_domain_brought(
        const struct mapper_domain *domain, int loop, int64_t size, int64_t steps, bool apart);

#endif
