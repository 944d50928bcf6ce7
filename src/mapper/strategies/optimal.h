/* The state of the optimal strategy, and what its parts offer each other. */
#ifndef SATOR_MAPPER_STRATEGIES_OPTIMAL_H
#define SATOR_MAPPER_STRATEGIES_OPTIMAL_H

#include "mapper/bounds.h"
#include "mapper/search.h"

enum {
    MOST_DEPTH = MAPPER_MEMORIES * MAPPER_LOOPS + 2,
    DIVES = 16,
    MOST_SEEN = 1 << 12, /* orders of one tiling */
    MOST_SYMMETRIES = 8,
    OPTIMAL_WORTH_A_TABLE = 64, /* searches for the tiles of one memory */
    CHUNK = 8192, /* unrollings compared before the first is visited */
    MOST_DIVISORS = 8192, /* of an extent below 2^40 there are at most 6720, and at most 8192
                             tiles that are the least for their number below 2^24 */
    N_DIVISOR_LISTS = 1024,
    SHALLOW = 5, /* rows, of which few mappings are made ... */
    WORTH_SHALLOW = 800, /* ... and proved before so many tiles and orders, or twice as many
                            unrollings: 4 ms */
    WORTH_A_CLIMB = 250,
    CLIMB_TRIES = 6000, /* 3 ms */
    MOST_CHAIN_LOOKS = 1 << 15, /* at chains of ceilings: sator_mapper_looks */
    CROSSING_ORDERS = 16, /* with more classes of orders, or ... */
    CROSSING_TRANSFERS = 4, /* ... transfers nothing is said of what crosses */
    MOST_HULL_LOOKS = 1 << 10, /* in domains that are no box, where each mapping is counted */
    MOST_ORDER_LOOKS = 1 << 15 /* at other orders on arrays, or half as many as before if more */
};

/* Rows of an array that no transfer tells apart: only the product of their factors matters. */
struct row_class {
    int n_rows;
    int row[MAPPER_ROWS];
    int64_t most; /* PEs */
    int n_choices;
    struct unrolling *choice; /* by PEs, most first */
    int n_sizes; /* distinct numbers of PEs */
    int *first; /* of each size, n_sizes + 1 */
};

struct unrolling {
    int64_t pes;
    int64_t factor[MAPPER_LOOPS];
};

struct tile_choice {
    double value, pj, cycles; /* of the bound */
    uint32_t number;
    struct mapper_share settled, own; /* transfers further in; into this memory */
    int64_t factor[MAPPER_LOOPS];
};

struct tile_list {
    int count, room;
    struct tile_choice *item;
};

/* A tile of a memory above all arrays, and what the transfers into it cost at least. */
struct outer_tile {
    struct mapper_share own;
    uint32_t number;
    int64_t extent[MAPPER_LOOPS];
};

struct outer_tiles {
    bool known, overflows;
    bool complete; /* "least" is */
    struct mapper_share least; /* of each figure, of all tiles that may win */
    int count, room;
    struct outer_tile *item; /* by energy */
};

/* A permutation of the loops that changes nothing; its own inverse. */
struct symmetry {
    int8_t image[MAPPER_LOOPS];
};

/* An unrolling of all arrays, by its choice in each class, and its bound. */
struct visit {
    double value, pj, cycles, compute_cycles;
    uint32_t number;
    int choice[MAPPER_ROWS];
};

/* The orders of one tiling that have been looked at, by the loops placed. */
struct orders_seen {
    uint64_t tiling; /* its number */
    struct seen_set {
        uint64_t tiling;
        int last; /* order of these loops, or -1 */
    } * set; /* by memory and the loops placed there */
    int n_orders;
    struct seen_order {
        int before; /* one of the same loops, or -1 */
        double saved[1 + MAPPER_PORTS];
    } * order;
};

/* What crosses into the innermost memory at least, by class of orders and transfer: words that
 * enter the array, and that arrive in its PEs. See optimal_crossing.c. */
struct crossing_words {
    double unique, arriving;
};
typedef struct crossing_words crossing_table[CROSSING_ORDERS][CROSSING_TRANSFERS];

struct crossing {
    bool known;
    int child, first, n; /* the memory, its transfers */
    int n_orders;
    double unique_pj[CROSSING_TRANSFERS], arriving_pj[CROSSING_TRANSFERS];
    crossing_table words; /* if no PEs share any */
    crossing_table *factor[MAPPER_ROWS]; /* by class and choice: times so much */
    crossing_table *least[MAPPER_ROWS]; /* by class and size: the least of them */
    double footprint[CROSSING_TRANSFERS]; /* words that each brings at least */
    /* of the sizes that are being listed */
    double most_pj; /* with more nothing can win */
    struct mapper_share beside; /* all other transfers, at least */
    crossing_table known_of[MAPPER_ROWS + 1]; /* by class: with the choices from it on */
    crossing_table open[MAPPER_ROWS + 1]; /* the least that the classes before it make of that */
    crossing_table outside[MAPPER_ROWS]; /* the words but for the class's own factor */
};

struct optimizer {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    struct sator_arena *arena;
    struct mapper_bounds *bounds;
    int n_classes;
    struct row_class class[MAPPER_ROWS];
    int n_outside; /* classes outside the innermost memory */
    bool orders; /* loops stand on rows in all orders but the usual one ... */
    bool is_unordered; /* ... which is not chosen yet */
    uint64_t climbs_at; /* unrollings, tiles, orders after which mappings near the best are tried */
    bool passing; /* those unrollings are listed that let words pass from PE to PE; else others */
    double later; /* a bound of those listed after these */
    int n_outer; /* the first ones, outside all memories that fill the compute units */
    /* Rows that are classes by themselves since words may pass between their PEs, or since PEs
     * share some words along some of them only, but one class for unrollings in which none pass,
     * and for loops whose words are as many either way: of such only one for each product of their
     * factors is visited. */
    int n_kins;
    struct kin {
        struct row_class rows; /* all of them */
        unsigned classes;
        unsigned told; /* loops for which it matters which row they are on */
    } kin[MAPPER_ROWS];
    unsigned staying; /* loops whose factors stay on their rows while others are placed */
    int64_t (*stay)[MAPPER_LOOPS]; /* these, by row of the class */
    bool placing_still; /* place factors so that no words pass */
    bool placing_chains; /* and as chains of ceilings of the tiles inside, which are chosen */
    int n_symmetries;
    struct symmetry symmetry[MOST_SYMMETRIES];
    /* imperfect problems: the tiles of the innermost memory that are the least for their number,
     * and of these the ones whose number the current unrolling divides */
    bool imperfect;
    int n_tiles[MAPPER_LOOPS], n_inner[MAPPER_LOOPS];
    const int64_t *every_tile[MAPPER_LOOPS];
    int n_most_inner[MAPPER_LOOPS]; /* room for them, whatever the unrolling */
    int64_t *inner[MAPPER_LOOPS];
    const char *spreads[MAPPER_LOOPS]; /* numbers of PEs that some number of tiles allows */
    int64_t most_spread[MAPPER_LOOPS];
    const char **lane_spreads[MAPPER_LOOPS]; /* the same by lanes, when first asked for */
    int64_t most_lanes[MAPPER_LOOPS];
    int n_lanes[MAPPER_LOOPS]; /* what may be the factor of an array inside the innermost memory */
    const int64_t *lanes[MAPPER_LOOPS];
    struct mapper_unrolled unrolled_of[MAPPER_LOOPS]; /* the current unrolling */
    struct divisor_list {
        int64_t n; /* 0: free */
        int count;
        const int64_t *divisors;
        struct divisor_list *next;
    } divisor_lists[N_DIVISOR_LISTS], ceiling_lists[N_DIVISOR_LISTS];
    /* imperfect problems: PEs of the current unrolling in rows outside a memory's */
    int64_t pes_outside[MAPPER_MEMORIES][MAPPER_LOOPS];
    int64_t parallel[MAPPER_LOOPS]; /* PEs that the current unrolling spreads each loop over */
    int n_divisors[MAPPER_LOOPS]; /* what may divide what is left of a loop */
    const int64_t *divisors[MAPPER_LOOPS];
    struct mapper_share least[MAPPER_MEMORIES + 2]; /* of children below the index, nothing known */
    double least_lent_pj[MAPPER_TRANSFERS], least_ratio[MAPPER_TRANSFERS]; /* that it is for */
    int64_t most[MAPPER_MEMORIES][MAPPER_LOOPS]; /* the largest tile along a loop that fits, if
                                                    along no other */
    int64_t size[MAPPER_ACCESSES]; /* words of the tile of the memory being tiled */
    int listing[MAPPER_LOOPS +
            1]; /* loops in the order in which tiles are listed: sliding ones first */
    bool slides[MAPPER_LOOPS]; /* part of a sliding index */
    struct mapper_crew unknown; /* no unrolling is chosen */
    struct crossing crossing;
    struct mapper_cost crosses; /* the bound of the unrolling that is being listed */
    uint32_t grows; /* transfers whose words only add to the cost in the current unrolling */
    bool costs_grow; /* all of them */
    bool may_grow; /* where they do, the innermost memory's tiles may be taken to be maximal */
    unsigned crowded[MAPPER_MEMORIES]; /* see optimal_find_crowded */
    bool feeds; /* the innermost memory fills compute units in steps of its own */
    int grown; /* the memory whose tiles are, in the current unrolling; -1: none */
    unsigned tangled; /* loops along which they may not in the current unrolling: those of tensors
                         whose words several families of buses pass on */
    bool outside_fits; /* the memories outside it hold the whole problem */
    bool beyond_fits; /* all of them but the nearest do */
    int n_growable; /* of the tile chosen there */
    struct growth {
        int loop;
        int64_t prime;
    } growable[MAPPER_LOOPS * 8];
    struct visits {
        int count, room;
        struct visit *item;
    } visits;
    /* the current branch */
    struct mapper_crew crew; /* of the current unrolling */
    /* factors by class or kin, which an image under a symmetry has, too; images cost the same */
    int n_unrolled;
    const int64_t *unrolled[2 * MAPPER_ROWS];
    int64_t kin_factor[2 * MAPPER_ROWS][MAPPER_LOOPS];
    unsigned with_image; /* symmetries under which it has one */
    struct mapper_mapping mapping;
    struct mapper_shape shape;
    int64_t rest[MAPPER_LOOPS]; /* temporal factors still to be given, by loop */
    double compute_cycles;
    double most_stamps; /* from which on nothing can win */
    double least_cycles; /* of any unrolling */
    bool tabulated, tabulating;
    int n_listings; /* of tiles that a table would hold */
    struct outer_tiles outer[MAPPER_MEMORIES];
    int width; /* tiles followed at each memory */
    int64_t (*factors)[MOST_DIVISORS]; /* of tiles, by depth: too much for a stack */
    struct tile_list tile_list[MAPPER_MEMORIES];
    /* orders */
    struct mapper_walk walk[MAPPER_TRANSFERS];
    bool is_ragged[MAPPER_TRANSFERS]; /* last tiles are short: counted by these two */
    bool is_filled; /* no innermost memory is ever without a tile, nor has one of a single step */
    bool is_short[MAPPER_LOOPS]; /* else: loops whose factors leave a remainder */
    bool is_uneven; /* what orders save is not the same at all instances of a memory */
    struct mapper_ragged groups[MAPPER_TRANSFERS], tiles[MAPPER_TRANSFERS];
    int64_t group_all[MAPPER_TRANSFERS], tile_all[MAPPER_TRANSFERS]; /* words, if none were kept */
    struct mapper_pace pace[MOST_DEPTH][MAPPER_TRANSFERS];
    struct orders_seen seen;
    int64_t plain_stamps[MAPPER_TRANSFERS]; /* products of loops that stand alone in an index */
};

/* The bounds of the transfers further in than the memory being tiled: those whose nearest row is
 * known, and those into the memory (or compute units) just inside, whose nearest row is being
 * chosen. */
struct inner {
    const struct mapper_share *settled, *last;
};

/* ---- optimal.c: bounds of a branch ---- */
extern const int64_t optimal_ones[MAPPER_LOOPS];
/* Set "least": least[c] sums what the transfers into children 0 .. c - 1 cost, whatever the mapping
 * that wins; for the current crew. */
void optimal_find_least(struct optimizer *o);
/* Energy and cycles from a share that covers all transfers. */
struct mapper_cost optimal_cost(const struct optimizer *o, const struct mapper_share *share);
struct mapper_share optimal_fixed(const struct optimizer *o);
/* The least cycles of the compute units of skewed arrays, the factors of the arrays and of the
 * memories from "first" inward being known. */
double optimal_skewed_compute(const struct optimizer *o, int first);
/* The order in which tiles are listed, for the unrolling chosen. */
void optimal_order_listing(struct optimizer *o);
/* What is left of "loop" outside memory "m" when it has "factor" there: whole tiles. */
int64_t optimal_left(const struct optimizer *o, int m, int loop, int64_t factor);
/* The cycles that the compute units take with the innermost tiles chosen. */
double optimal_compute(const struct optimizer *o);
/* Keep the shape's suffix products right from row "row" outward for one loop. */
void optimal_refresh_shape(struct optimizer *o, int row, int loop);
/* The sizes of memory "m"'s tile after a change along "loop" (-1: of everything). */
void optimal_refresh_sizes(struct optimizer *o, int m, int loop, int64_t *size);

/* Whether the tile of memory "m" fits. */
bool optimal_tile_fits(struct optimizer *o, int m);

/* Every now and then, in a search that lasts: look for better mappings near the best. */
void optimal_climb(struct optimizer *o);

/* Search below an unrolling. */
void optimal_visit(struct optimizer *o, const struct visit *visit);

/* ---- optimal_team.c ---- */
/* Whether the search has lasted long enough for several threads to be worth it. */
bool optimal_is_worth_a_team(const struct optimizer *o);
/* Visit the unrollings from the "first" listed on, on as many threads as the options say; "rest"
 * bounds those not listed yet. */
void optimal_visit_as_team(struct optimizer *o, int first, double rest);

/* ---- optimal_unrollings.c ---- */
/* The classes of rows and the unrollings of each. */
void optimal_find_unrollings(struct optimizer *o);
/* Give the factors of "u" to the rows of its class so that each fits; false when they cannot. */
bool optimal_place_unrolling(
        struct optimizer *o, const struct row_class *class, const struct unrolling *u);
/* Set what the current unrolling, "choice" by class, is to its images; and what grows. */
void optimal_know_unrolling(struct optimizer *o, const int *choice);
/* Whether the current unrolling is visited with its factors on other rows. */
bool optimal_is_moved(struct optimizer *o);
/* Move the factors of the current mapping among rows that nothing tells apart so that those of each
 * row are ceilings; false where none are. */
bool optimal_place_chains(struct optimizer *o);

/* ---- optimal_crossing.c ---- */
/* After the unrollings of each class are known. */
void optimal_find_crossing(struct optimizer *o);
/* Unrollings of these sizes are listed next; no crew is chosen. */
void optimal_open_crossing(struct optimizer *o, const int *size);
/* Whether no unrolling can win in which class "c" has this choice, the classes behind it those that
 * were last asked about, and that takes the current compute cycles. "*bound": of the best class of
 * orders. */
bool optimal_crosses_too_much(struct optimizer *o, int c, int choice, struct mapper_cost *bound);

/* ---- optimal_imperfect.c ---- */
/* List the innermost tiles; optimal_find_unrollings comes after. */
void optimal_find_tiles(struct optimizer *o);
/* The divisors of "n", ascending; remembered. */
int optimal_divisors(struct optimizer *o, int64_t n, const int64_t **divisors);
/* What "loop" may have as its factor at memory "m" outside of what is chosen, as far as ceilings
 * and divisors go; remembered. */
int optimal_factors(struct optimizer *o, int m, int loop, const int64_t **factors);
bool optimal_fills_array(const struct optimizer *o, int m, int loop, int64_t factor);
/* Whether the arrays of row "row" may take "factor" of "loop" beside the parallel factors that are
 * chosen: those of arrays inside the innermost memory come first. */
bool optimal_can_unroll(struct optimizer *o, int row, int loop, int64_t factor);
/* How many times longer the current unrolling takes, at least, since some compute units are idle in
 * the last blocks of loops. */
double optimal_idle_share(const struct optimizer *o);
/* Take the current unrolling, which the mapping has; false when no tiles go with it. */
bool optimal_take_unrolling(struct optimizer *o);
/* Take of the innermost tiles those whose number the current unrolling divides. */
void optimal_take_tiles(struct optimizer *o);
/* The least cycles of the current unrolling, whatever the tiles. */
double optimal_least_compute(const struct optimizer *o);

/* ---- optimal_growth.c: maximal tiles ---- */
/* Whether maximal tiles may be enough; and whether they are for the current crew. */
void optimal_find_grown(struct optimizer *o);
void optimal_know_grown(struct optimizer *o);
/* Whether the costs of the transfers into memory "m" are bounded by those of a tile that is larger
 * than others; "*grow": they never fall with larger ones, else sator_mapper_bounds_shrink. */
bool optimal_is_bounded(const struct optimizer *o, int m, bool *grow);
/* Whether the last tile of "loop", as chosen, is as large as the others. */
bool optimal_is_whole(const struct optimizer *o, int loop);
/* Whether the grown tile may take factors of "loop" up to "factor" of it from outside: where
 * factors need not divide, it slides along nothing, and these tiles leave no remainder on any PE.
 * Factors outside may do: the nearest of them, g, becomes ceil(g / prime), and there are no more
 * tiles anywhere. */
bool optimal_may_multiply(const struct optimizer *o, int loop, int64_t factor);
/* Where the grown memory feeds the compute units: whether, with its factors as chosen, none of
 * these keeps anything from one of its tiles to the next, nor slides while there. */
bool optimal_is_settled(const struct optimizer *o);
/* Set the primes by which the tile of the grown memory could still grow, or only whether there are
 * any. */
void optimal_find_growable(struct optimizer *o, bool only_whether);
/* Whether the tile just chosen at memory "m" leaves room for a move into the grown memory. */
bool optimal_is_dominated(struct optimizer *o, int m);

/* Whether the sliding indices of access "a" have no gaps in the tile of memory "m". */
bool optimal_is_gapless(struct optimizer *o, int m, int a);
/* Whether a sliding index of a tensor that "loop" slides along is spread over PEs. */
bool optimal_is_spread(const struct optimizer *o, int loop);

/* ---- optimal_symmetry.c ---- */
void optimal_find_symmetries(struct optimizer *o);
/* Whether the factors of the current unrolling, then "last" (may be NULL), are less than those of
 * an image under a symmetry: the image is searched in their place. */
bool optimal_is_image(const struct optimizer *o, const int64_t *last);

/* ---- optimal_outer.c ---- */
/* List the tiles of the memories above all arrays, unless done. */
void optimal_tabulate(struct optimizer *o);
void optimal_add_outer(struct optimizer *o, int m, const struct mapper_share *own);

/* ---- optimal_tiles.c ---- */
/* Find the largest tiles along single loops. */
void optimal_find_most(struct optimizer *o);
/* Find which memories tiles of those further in may be too large for, for the unrolling chosen. */
void optimal_find_crowded(struct optimizer *o);
/* List the tiles of memory "m" that may win. */
void optimal_list_tiles(struct optimizer *o, int m, const struct inner *inner);
/* Choose the factors of memory row "m", then of those outside it. */
void optimal_choose_tiles(struct optimizer *o, int m, const struct inner *inner);

/* ---- optimal_orders.c ---- */
/* The table of the orders looked at; freed by the second. */
void optimal_seen_init(struct optimizer *o);
void optimal_seen_free(struct optimizer *o);
/* Try the loop orders of the tiling chosen. */
void optimal_try_orders(struct optimizer *o);

#endif
