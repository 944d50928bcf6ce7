/* Lower bounds of the words of a tensor with sliding indices when its tile is known and the loops
 * outside are neither ordered nor split over the levels above (doc/search.md, "The optimal
 * strategy").
 *
 * Loops are bits: loop i of the nearest time row outside is bit i, of those beyond bit n_loops + i.
 */
#ifndef SATOR_MAPPER_BOUNDS_SLIDES_H
#define SATOR_MAPPER_BOUNDS_SLIDES_H

#include "mapper/cost/cost.h"

enum {
    MAPPER_SLIDE_FORMS = 64 /* remembered */
};

/* What the orders bring in which the same loop is the first to move the tile, and the same ones of
 * sliding indices are in a run: sums of how often, each times one of these, for a single value of
 * the indices of one loop. Of groups and of tiles. */
struct mapper_slide_form {
    int first; /* bit */
    unsigned run; /* bits */
    unsigned seconds; /* bits */
    int n_seconds;
    double one[2], any[2], seldom;
    double stamps[2][MAPPER_LOOPS], runs[2][MAPPER_LOOPS];
};

enum mapper_leaps {
    MAPPER_ALONE,
    MAPPER_PERHAPS_BOTH,
    MAPPER_BOTH,
    MAPPER_LEAPS
};

/* The groups of PEs that share words, or all tiles by themselves. */
struct mapper_slide_side {
    bool grouped;
    const double *rate; /* of short last tiles, by loop */
    double words; /* of a stamp, on average */
    double plain; /* of these for each value of the indices that slide: what forms are for one of */
    double mean[MAPPER_INDICES], whole[MAPPER_INDICES]; /* values; where no tile is short */
    double other[MAPPER_INDICES]; /* words for each value of an index */
    unsigned step_known[2]; /* by bit, far and near ones */
    double step[2 * MAPPER_LOOPS];
    /* By loop: when it moves by several steps, the others of its index staying, one of them perhaps
     * moving, and moving. */
    struct mapper_leap {
        bool is_known;
        double fresh, kept; /* values; those that whole tiles keep at most */
    } leap[MAPPER_LEAPS][MAPPER_LOOPS];
};

/* The temporal loops outside compute units whose last tiles may be short, on average over PEs. */
struct mapper_blocks {
    double near[MAPPER_LOOPS], far[MAPPER_LOOPS]; /* steps of the nearest row; those beyond */
    int64_t tiles[MAPPER_LOOPS]; /* steps beyond, where those of the nearest row are known; or 0 */
    int64_t number[MAPPER_LOOPS]; /* of all blocks */
};

struct mapper_slides {
    struct mapper_words *memory;
    const struct mapper_walk *walk;
    const struct mapper_shape *shape;
    unsigned either; /* far loops that may stand among near ones, too */
    bool strides; /* far loops may take several steps at once, always as many */
    const int64_t *near, *far; /* temporal factors outside, by loop */
    const double *inverse; /* the inverse of these, by bit */
    const struct mapper_blocks *blocks; /* in place of these, or NULL */
    int nearest; /* the time row of "near" */
    unsigned seldom_known[2]; /* bits; near and far ones */
    double seldom[2 * MAPPER_LOOPS];
    struct mapper_slide_side group, tile;
    /* Where words pass from PE to PE: what enters a group in a stamp that keeps nothing, and by
     * bit, for each value of the plain indices, in one in which that loop alone moves, by a single
     * step.
     */
    double entering;
    unsigned entering_known[2];
    double entering_by[2 * MAPPER_LOOPS];
    uint64_t known_forms; /* of those below */
    struct mapper_slide_form form[MAPPER_SLIDE_FORMS];
};

/* Nothing is known yet. "near" are the factors of the time row "nearest": between it and the tile
 * no loop moves the tile. "walk" is cut where tiles may be short; all pointers are borrowed. */
void sator_mapper_slides_init(struct mapper_slides *slides, struct mapper_words *words,
        const struct mapper_walk *walk, const struct mapper_shape *shape, int nearest,
        const int64_t *near, const int64_t *far, const struct mapper_blocks *blocks);
/* The same transfer again where only loops that are part of no sliding index have other tiles, or
 * other factors outside, and no tile is short: what is known of values stays. */
void sator_mapper_slides_again(struct mapper_slides *slides, const struct mapper_walk *walk,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far);

/* An order of the loops outside. */
struct mapper_slide_order {
    int first; /* bit of the loop that moves the tile first, part of a sliding index */
    unsigned run; /* bits up to the first loop that stands alone in an index */
    double stamps; /* in which the tile has moved, and the first */
    double all; /* product of all factors */
};
/* The least words of all stamps, of one group and of one tile; loops that stand alone in an index
 * have whole tiles. */
void sator_mapper_slides_least(struct mapper_slides *slides, const struct mapper_slide_order *order,
        double *group, double *tile);

#endif
