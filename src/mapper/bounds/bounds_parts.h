/* What the parts of the bounds share: bounds_child.c bounds a share of the cost, bounds_transfer.c
 * opens one transfer, bounds_outside.c the loops outside its tile; what crosses at the least with a
 * known tile is in bounds_child.c, for runs through a sliding index in bounds_runs.c, where tiles
 * may be short at any level in bounds_chains.c, for stamps that take whole cycles in
 * bounds_stamps.c.
 */
#ifndef SATOR_MAPPER_BOUNDS_PARTS_H
#define SATOR_MAPPER_BOUNDS_PARTS_H

#include "mapper/bounds/bounds.h"
#include "mapper/bounds/bounds_slides.h"
#include "mapper/problem/domain.h"
#include "mapper/problem/order_classes.h"

/* The transfers into one child, by what is kept of them; the classes of orders that are of
 * interest, and what they keep. */
struct ranges {
    int n_classes;
    uint8_t class[ORDER_CLASSES];
    bool is_kept[MAPPER_ACCESSES][ORDER_CLASSES];
    double pj[MAPPER_ACCESSES][ORDER_CLASSES];
    double any_pj[MAPPER_ACCESSES][ORDER_CLASSES]; /* whatever late links bring */
    struct mapper_range range[MAPPER_ACCESSES][ORDER_CLASSES];
    struct mapper_range least[MAPPER_ACCESSES]; /* of all orders */
    double arriving[MAPPER_ACCESSES]; /* words that arrive where nothing is kept */
    double parts[MAPPER_TRANSFERS]; /* of PEs (sator_mapper_parts), by transfer */
    /* Of what compute units are streamed: the words that pass the holder's port in each stamp in
     * which any do; else 0. The stamps, or 0; those in which sums begin. */
    double each[MAPPER_ACCESSES], stamps, begun;
};

enum {
    BRIDGE_DIGITS = 2,
    MOST_BRIDGES = 128
};

/* The innermost digits of an order, as far as late links lead over them. */
struct bridge {
    int n, loop[BRIDGE_DIGITS];
    int64_t steps[BRIDGE_DIGITS];
};

/* Those that orders may begin with and that links bring most in, but for the one without digits. */
struct bridges {
    uint32_t late; /* transfers whose bounds count on them */
    unsigned moving; /* loops outside (near and far bits) */
    int count;
    struct bridge item[MOST_BRIDGES];
};

/* A port that a child's transfers pass through, and the bits of a word of each. */
struct side {
    int port;
    double unique[MAPPER_ACCESSES], arriving[MAPPER_ACCESSES];
};

/* What is known of a transfer's sliding indices, and what it was found for: tiles that differ in
 * other loops alone have the same. */
struct recalled {
    bool is_set, in_any_order, has_gap, strides;
    int n_digits, nearest;
    struct mapper_digit digit[MAPPER_ROWS * MAPPER_LOOPS];
    /* loops of sliding indices: what the tiles of rows are, and the factors outside */
    int64_t inside[MAPPER_LOOPS][MAPPER_ROWS + 1], near[MAPPER_LOOPS], far[MAPPER_LOOPS];
    int64_t entering; /* in a stamp that keeps nothing: sator_mapper_entering_each; -1: not known */
    bool has_slides;
    struct mapper_slides slides;
};

enum {
    GROUPS = MAPPER_MEMORIES + 65
};

/* Transfers that are bounded in one order. */
struct group {
    uint32_t transfers;
    int inside; /* the transfers into this memory see no near loops: these are inside its tile */
    struct order_table orders;
    int n_sides;
    struct side side[MAPPER_PORTS];
};

struct mapper_bounds {
    const struct mapper_problem *asked;
    const struct mapper_problem *problem; /* the same; of a domain that is no box, its hull */
    struct mapper_words *words;
    uint32_t joined; /* transfers */
    struct mapper_given given;
    int n_groups;
    struct group group[GROUPS]; /* one for each child; others follow as they are asked for */
    struct ranges ranges; /* of the child that is being bounded */
    struct bridges bridges;
    struct recalled recalled[MAPPER_TRANSFERS];
};

/* Where tiles may be short: the steps of a group of PEs, or of each by itself, along all loops, on
 * average over the groups, at the least; and what is left of them (near and far bits) where all is
 * kept along a loop. */
struct ragged_steps {
    double all, inverse[2 * MAPPER_LOOPS];
};

/* One transfer while it is bounded. */
struct local {
    struct mapper_walk walk;
    double group_words, tile_words; /* of a stamp; with short last tiles, on average */
    bool is_apart; /* a group's words are those of one tile: it is not known how tiles overlap */
    bool covers_only; /* nothing else is known, nor are the slides below */
    bool is_open; /* some loops of its sliding indices are */
    unsigned run_loops; /* those that the figures below are for: see find_run */
    double run_group, run_tile;
    bool ratio_fixed; /* no sliding index: arriving / unique is the same whatever is kept */
    /* compute units: loops with idle lanes that do not index the tensor, and what these take off
     * the words of groups and of tiles, when they are not fetched again along the loop and when
     * they are */
    int n_idle;
    struct idle {
        unsigned bits; /* near and far */
        double kept[2], fetched[2];
    } idle[MAPPER_LOOPS];
    struct recalled *recalled; /* whose slides are the transfer's */
    struct ragged_steps group_steps, tile_steps; /* chains */
    double lone; /* the share of the words that loops further out may keep, though some inside of
                    them move the tile: these may have but one step */
};

/* The loops outside a tile. */
struct outside {
    int nearest; /* the time row of the near ones */
    const int64_t *near, *far; /* factors by loop */
    double inverse[2 * MAPPER_LOOPS]; /* of the factors, by bit */
    double stamps, most_stamps;
    bool is_direct; /* an imperfect problem's compute units, but for chains */
    struct mapper_blocks blocks;
    /* other children of imperfect problems: both together, and how much shorter the last tile is */
    int64_t both[MAPPER_LOOPS], cut[MAPPER_LOOPS];
    /* chains: tiles of the child, over all PEs; these; the share of the iterations that a last
     * step of the inner factors may have for itself, as the only one of their steps */
    int64_t tiles[MAPPER_LOOPS], pes[MAPPER_LOOPS];
    double lone[MAPPER_LOOPS];
};

/* What a transfer runs through between two steps of loops that stand alone in an index: of some
 * loops all, of others the steps of the nearest row. */
struct run {
    unsigned whole, near;
};

/* Set "outside" to the loops outside the tile of memory "child" (n_memories: the compute units),
 * with the factors "near" and "far", which are borrowed. */
void bounds_open_outside(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct outside *outside);

/* Open a group (struct group). */
void bounds_open_group(struct mapper_bounds *b, struct group *group, uint32_t transfers);
/* A group of these transfers, of which those into "inside" see no near loops, "outer" of them as
 * the order table has it; NULL where there is no room for it. */
struct group *bounds_find_group(
        struct mapper_bounds *b, uint32_t transfers, int inside, unsigned outer);
/* Bound the transfers of a group in some classes of orders: "outside[1]" are the loops outside the
 * tiles of those into "group->inside", "outside[0]" of the others. */
void bounds_of_group(struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_share *share);

/* ---- bounds_stamps.c: stamps take whole cycles ---- */
/* Know the stamps of the compute units, which a group is bounded for, or that no more is known. */
void bounds_open_stamps(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const struct outside *outside);
/* Where stamps are known: the cycles of a port at least if each of its transfers brings "range[k]",
 * every stamp a whole number. */
double bounds_whole_cycles(const struct mapper_bounds *b, const struct group *group,
        const struct side *side, const struct mapper_range *const *range);

/* Find the bridges of the loops outside, "near" or "far", for such of "transfers" as have late
 * links that bring no more; none where both are known, and late links are taken to bring anything.
 */
void bounds_find_bridges(struct mapper_bounds *b, uint32_t transfers, unsigned near, unsigned far,
        const struct outside *outside);
/* The range of the "k"-th transfer in orders that begin with "bridge", and keep the "number"-th of
 * what classes keep of it when these digits are outermost. */
struct mapper_range bounds_across(const struct mapper_bounds *b, int transfer, int k,
        const struct order_classes *classes, int number, const struct bridge *bridge);
/* The words that a transfer brings at least, each once. */
double bounds_footprint(const struct mapper_bounds *b, int transfer);
/* The least of "range", which a transfer has in orders that keep "keep", and of those that begin
 * with bridges. */
struct mapper_range bounds_lowest(const struct mapper_bounds *b, int transfer,
        const struct order_keep *keep, const struct mapper_range *range);

/* Set "local" to what is known of a transfer whatever the order. */
void bounds_open_local(struct mapper_bounds *b, int transfer, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local);

/* The words that cross at the least in a run, kept in "local". */
void bounds_find_run(struct mapper_bounds *b, struct local *local, const struct run *run,
        const struct mapper_shape *shape, const struct outside *outside);

/* Set the lower bounds of "range", for orders that keep what "keep" says: where loops of a sliding
 * index are open; and where factors are chains of ceilings. */
void bounds_least_of_runs(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_range *range);
void bounds_least_of_chains(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_range *range);

/* The part of bounds_open_local for chains. */
void bounds_open_chains(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local);

#endif
