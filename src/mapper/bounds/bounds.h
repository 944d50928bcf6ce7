/* Lower bounds of what the transfers into one memory cost when its tile is known and the loops
 * outside it are not yet split over the levels above, nor ordered (doc/search.md, "The optimal
 * strategy").
 */
#ifndef SATOR_MAPPER_BOUNDS_H
#define SATOR_MAPPER_BOUNDS_H

#include "mapper/cost/cost.h"

enum {
    MAPPER_STEPS = 4
};

/* A bound of a share of a mapping's cost. Different loop orders spend the least energy and take the
 * least time: so there are steps, slowest first, and a mapping that is faster than "cycles" spends
 * at least "pj" (which may be infinite) more than the share's. */
struct mapper_share {
    double pj;
    double bits[MAPPER_PORTS];
    int n_steps;
    struct mapper_step {
        double cycles, pj;
    } step[MAPPER_STEPS + 1];
};

/* Add a step below the others; of too many, the one that says least is forgotten. */
void sator_mapper_share_step(struct mapper_share *share, double cycles, double extra);

void sator_mapper_share_add(const struct mapper_problem *problem, struct mapper_share *sum,
        const struct mapper_share *part);
/* The cycles that the bits of "share" and "compute" cycles take. */
double sator_mapper_cycles(const struct mapper_problem *problem, const struct mapper_crew *crew,
        double compute, const struct mapper_share *share);

/* The best that a mapping may be whose transfers together cost at least "share" and whose compute
 * units take "compute" cycles. */
struct mapper_cost sator_mapper_bound(const struct mapper_problem *problem,
        const struct mapper_crew *crew, double compute, const struct mapper_share *share);

/* The set of the transfers into memory "child" (n_memories: the compute units). */
uint32_t sator_mapper_transfers_into(const struct mapper_problem *problem, int child);

/* "joined": transfers into the innermost memory that are bounded together with those into the
 * compute units, in one order of loops. No loop that indexes such a tensor may have a factor at the
 * memory, or inside of it; none of them lends (struct mapper_crew). */
struct mapper_bounds;
struct mapper_bounds *sator_mapper_bounds_new(
        const struct mapper_problem *problem, struct mapper_words *words, uint32_t joined);
void sator_mapper_bounds_free(struct mapper_bounds *bounds);
/* What the bounds are of: the problem, or the hull of its domain (domain.h); and its words. */
const struct mapper_problem *sator_mapper_bounds_problem(const struct mapper_bounds *bounds);
struct mapper_words *sator_mapper_bounds_words(const struct mapper_bounds *bounds);

/* What is known of what is bounded; at first that all tiles are, and what they cost has no limit.
 */
struct mapper_given {
    const struct mapper_crew *crew; /* borrowed: what the unrolling does */
    /* The tiles of memories from here inward are known: transfers into these cost what they do,
     * others lend and are lent (struct mapper_crew). */
    int known;
    int chosen; /* the shape has the factors of memories from here inward only, of loops that slide
                   at least */
    /* Tiles along these loops are only known to be at most those of the shape. That costs must not
     * fall with the words that cross is for the caller to know. */
    unsigned open;
    /* The factors of these loops at the nearest row outside may be any, though those at the others
     * are: all of them are "far", and "near" has 1. They stand alone in the indices of all tensors
     * that they index, if in any; factors divide. */
    unsigned either;
    /* Tiles may be smaller than those of the shape, along each loop by this factor (borrowed; NULL:
     * they are not): the most words that may cross are those of the smallest. */
    const int64_t *shrink;
    /* The loops outside a tile may step by several of it at once: parallel factors above the
     * memories that fill it are not chosen yet, and count as temporal ones. */
    bool strides;
    /* All transfers but those asked for cost at least so much (borrowed; NULL: nothing is known),
     * what every mapping moves included: memories take their time for both. */
    const struct mapper_share *beside;
    double limit; /* of a share that spends more pJ it need not be known how much more */
    double compute; /* cycles that all mappings take: steps below them are of no use */
};
struct mapper_given *sator_mapper_bounds_given(struct mapper_bounds *bounds);
/* The tiles and factors of memories from "m" inward are known. */
void sator_mapper_bounds_known(struct mapper_bounds *bounds, int m);

/* The transfers that are bounded with "child" (n_memories: the compute units): those into it, but
 * for those that are joined. */
uint32_t sator_mapper_bounds_group(const struct mapper_bounds *bounds, int child);
/* A lower bound of the transfers of the group of "child". The factors
 * of rows inside it, and of all space rows, are those of "shape". "near" are the factors of the
 * nearest time row outside, by loop, "far" the products of those beyond it; all 1 and the whole
 * outside product when the near row is not known either. */
void sator_mapper_bounds_share(struct mapper_bounds *bounds, int child,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far,
        struct mapper_share *share);
/* The same of some transfers of the group; false when that cannot be said. */
bool sator_mapper_bounds_some(struct mapper_bounds *bounds, int child, uint32_t transfers,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far,
        struct mapper_share *share);
/* A lower bound of the transfers of the group of memory "m", and of "inner" ones that no loop moves
 * between their tiles and m's own row, in one order of m's row and of those outside; false when
 * that cannot be said. The factors of rows inside "m" are those of "shape"; "near" are those of its
 * own row, "far" the products of those outside. Factors divide. Along the loops "either" tiles of
 * "m" may be smaller, and "far" larger then: these stand alone in the indices of all tensors that
 * they index, if in any, no array lies outside "m", and costs do not fall with the words that
 * cross. */
bool sator_mapper_bounds_pair(struct mapper_bounds *bounds, int m, uint32_t inner, unsigned either,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far,
        struct mapper_share *share);
/* A lower bound of some transfers when nothing is known: each word crosses at least once. */
void sator_mapper_bounds_least(const struct mapper_problem *problem, const struct mapper_crew *crew,
        uint32_t transfers, struct mapper_share *share);

/* The energy of it. */
double sator_mapper_least_pj(
        const struct mapper_problem *problem, const struct mapper_crew *crew, uint32_t transfers);

/* What a transfer costs at least, between bounds of its two numbers. "ratio" is arriving / unique
 * where that is fixed, else 0. */
struct mapper_range {
    double unique_lb, unique_ub, arriving_lb, arriving_ub, ratio;
};
/* No fewer words than these cross. */
static inline void mapper_range_raise(struct mapper_range *range, double unique, double arriving)
{
    range->unique_lb = mapper_greater(range->unique_lb, unique);
    range->arriving_lb = mapper_greater(range->arriving_lb, arriving);
}
/* Bound the two numbers of a counted transfer, given the range that its relaxation has: the access
 * without what has no formula, over a network on which all PEs of each of so many parts share
 * everything (sator_mapper_parts). */
void sator_mapper_range_counted(const struct mapper_problem *problem, int transfer, int64_t parts,
        struct mapper_range *range);
/* The energy at least, at these prices. */
double sator_mapper_range_pj(
        double unique_pj, double arriving_pj, const struct mapper_range *range);
/* Add what a transfer costs at least; "lent_pj" is what each of its unique words lends. */
void sator_mapper_share_transfer(const struct mapper_problem *problem, int transfer,
        const struct mapper_range *range, double lent_pj, struct mapper_share *share);

#endif
