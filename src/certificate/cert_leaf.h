/* Parts whose factors are all decided: what the words of an order are made of. */
#ifndef SATOR_CERTIFICATE_CERT_LEAF_H
#define SATOR_CERTIFICATE_CERT_LEAF_H

#include "certificate/cert_bound.h"

enum {
    CERT_FRESH = 64 /* a power of two */
};

/* What crosses to a move's places where its tile has moved by so much; few moves differ. */
struct cert_known_fresh {
    bool is_known;
    int64_t shift[CERT_DIMS];
    double words;
};

/* A group of PEs that share words, or one tile. */
struct cert_held {
    int n_tile[CERT_DIMS], n_runs[CERT_DIMS]; /* a tile's; and those of the places of tiles */
    struct cert_run *runs[CERT_DIMS], run[CERT_RUNS]; /* by dimension; a loop is in one of them */
    double values[CERT_DIMS], words, copies;
    /* where factors fill tiles (cert_short.c): */
    bool is_whole[CERT_DIMS]; /* last tiles are shorter than others, and it is known what all have
                               */
    int64_t span[CERT_LOOPS]; /* iterations of a loop in a tile or group that is not the last */
};

struct cert_leaf {
    const struct cert_problem *p;
    const struct cert_part *part;
    int first, last; /* rows from "first" on and outside "last" are decided: moves to what stands
                        behind them are counted */
    double outside; /* stamps of rows that are not, outside */
    int64_t stride[CERT_ROWS][CERT_LOOPS]; /* iterations that a step skips */
    double stamps[CERT_MOVES]; /* outside the move's child */
    int cold[CERT_MOVES]; /* loops of rows outside of it keep nothing there */
    struct cert_held (*held)[2]; /* by move: a tile; a group */
    bool is_placed[CERT_MOVES]; /* what its links bring is counted from place to place */
    struct cert_tile tile[CERT_MOVES];
    struct cert_places places[CERT_MOVES];
    struct cert_known_fresh (*fresh)[CERT_FRESH]; /* by move */
    double all[CERT_MOVES]; /* unique words of a stamp before which nobody held anything */
    bool any_counted, is_counted[CERT_MOVES]; /* the words have no formula; what others bring: */
    int brought_cold[CERT_MOVES];
    int64_t reach[CERT_MOVES];
    struct sator_arena *arena; /* the leaf's, too */
};

/* What stands in time between a move's child and a row: stamps, and iterations that each loop falls
 * back by. */
struct cert_inside {
    double stamps;
    int64_t back[CERT_LOOPS];
    unsigned loops;
};

/* ---- cert_leaf.c ---- */
/* The words, arriving and unique, that the steps of "loop" in "row" keep of a move; loops of the
 * row that stand inside of it are "placed", rows further in "further". At most, where they have no
 * formula. How many steps these are. */
double cert_find_kept(struct cert_leaf *leaf, int row, int loop, const struct cert_inside *placed,
        const struct cert_inside *further, int move, double kept[2]);
/* The sum over the words of which nothing is kept; in the steps of rows that are not decided all
 * are. */
double cert_all_words(const struct cert_leaf *leaf, const struct cert_weights *w);
/* Add a loop of a row. */
void cert_place(const struct cert_leaf *leaf, int row, int loop, struct cert_inside *inside);

/* ---- cert_short.c ---- */
/* Make the values of dimension "e" the mean over all tiles, where last ones are shorter: exactly
 * ("is_whole"), where it is known what each has, else at least. */
void cert_shorten(const struct cert_leaf *leaf, int move, int e, struct cert_held *held);
/* The values of such a dimension that are kept, on average, when "loop" steps at "row" and those
 * "placed" there and all further in fall back, "shift" being what the tile then moves by: before,
 * these are in their last tiles, after in the first; the last of all is shorter. */
double cert_kept_of_short(const struct cert_leaf *leaf, int move, int grouped, int e, int64_t shift,
        int row, int loop, unsigned placed);

/* ---- cert_phases.c ---- */
/* A loop at a memory, of more than one iteration. By move, arriving and unique words, all instances
 * together: what one of its steps brings, and what all of them keep. */
struct cert_digit {
    int row, loop;
    double (*brought)[2], (*kept)[2];
    double *saved; /* by sums over words, at whose weights they are kept */
};
/* What all orders of a leaf have in common (GIVE: cert_phases_free; NULL is none). */
struct cert_phases *cert_phases_new(struct cert_leaf *leaf);
void cert_phases_free(struct cert_phases *phases);
/* The cycles that an order takes at least, with its digits from the innermost outward. */
double cert_phases_cycles(struct cert_phases *phases, const struct cert_digit *const *digit);

/* ---- cert_orders.c ---- */
/* The least value of all orders, one by one, with words counted that have no formula; of those that
 * are below "goal". 0 where there are too many orders. */
double cert_least_counted(struct cert_leaf *leaf, const struct cert_prices *prices, double goal);

#endif
