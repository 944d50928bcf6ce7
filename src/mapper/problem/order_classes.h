/* The classes of loop orders that differ in what they keep.
 *
 * Of the loops outside a tile, the innermost ones decide what is kept: a tensor is kept along loops
 * that do not index it until the first one that does. When the loops are split over levels, each
 * runs with at most its whole outside factor before that point, so giving every loop its whole
 * factor at its first place keeps at least as much. A bound for a known tile is therefore the least
 * over orders of whole loops, and of these only the ones that differ in what they keep matter: a
 * handful. Where the factors of the nearest memory row are known, its loops come first ("near"),
 * the rest after them ("far").
 */
#ifndef SATOR_MAPPER_ORDER_CLASSES_H
#define SATOR_MAPPER_ORDER_CLASSES_H

#include "base/memo.h"
#include "mapper/problem/problem.h"

enum {
    ORDER_CLASSES = 256, /* at most, of one set of loops */
    ORDER_ANY_SLIDE = -2 /* in place of a loop: anything may be kept */
};

/* What an order keeps of one transfer's words. Loops as bits: loop i near is bit i, far is bit
 * n_loops + i. */
struct order_keep {
    unsigned reuse; /* the loops along which all is kept */
    unsigned halo; /* the loops before the first that stands alone in an index: until then something
                      may be kept */
    int8_t slide; /* the loop (bit number) that ends the reuse when it is part of a sliding index,
                     else -1 */
};

struct order_classes {
    int count;
    uint8_t (*keeps)[MAPPER_ACCESSES]; /* what each keeps of each transfer: a number of "keep" */
    int n_keeps[MAPPER_ACCESSES];
    struct order_keep *keep[MAPPER_ACCESSES];
};

/* The classes for some transfers, by loops outside; found when first asked for. */
struct order_table {
    const struct mapper_problem *problem;
    int count, transfer[MAPPER_ACCESSES];
    unsigned outer; /* of these, by number, those whose tiles the near loops are inside of */
    struct sator_memo *classes; /* by loops with factors above 1 */
};

/* Prepare the table of the set "transfers", at most MAPPER_ACCESSES of them. */
void sator_mapper_order_table_init(
        struct order_table *table, const struct mapper_problem *problem, uint32_t transfers);
void sator_mapper_order_table_free(struct order_table *table);
/* The classes for the loops "near" and "far", those with factors above 1; valid until the next
 * call. Of the far ones "either" may also have factors at the nearest row, which are not known: all
 * of such a loop stands where it stands first, before some near loops or among the far ones. Their
 * bits are those of far loops.
 * Where the table has "outer" transfers, factors are split: a loop of "either" may stand at the
 * nearest row with its near factor, or not at all, and then among the far ones with both its
 * factors (both its bits); the outer transfers see its far one alone. It stands alone in its
 * indices. */
const struct order_classes *sator_mapper_order_classes(
        struct order_table *table, unsigned near, unsigned far, unsigned either);

#endif
