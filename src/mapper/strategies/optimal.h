/* The state of the optimal strategy, and what its parts offer each other.
 *
 * struct optimal_plan is what is known before the search, struct optimal_branch what is chosen,
 * struct optimal_table what is remembered: a function that takes only one or two of them can do no
 * harm to the rest. struct optimizer is all three.
 */
#ifndef SATOR_MAPPER_STRATEGIES_OPTIMAL_H
#define SATOR_MAPPER_STRATEGIES_OPTIMAL_H

#include "mapper/bounds/bounds.h"
#include "mapper/phases/phases.h"
#include "mapper/search/search.h"

enum {
    DIVES = 16,
    FEW_DIVES = 4, /* in each of many choices of what bypasses what */
    MOST_SYMMETRIES = 8,
    WORTH_SHARING = 1 << 11, /* looks before innermost tiles are listed for all visits at once */
    MOST_INSIDE = 64,
    CHUNK = 8192, /* unrollings compared before the first is visited */
    MOST_DIVISORS = 8192, /* of an extent below 2^40 there are at most 6720, and at most 8192
                             tiles that are the least for their number below 2^24 */
    N_DIVISOR_LISTS = 1024,
    WORTH_A_CLIMB = 400, /* looks: some 3 ms ... */
    START_TRIES = 2000, /* in the problem near one that is counted */
    WORTH_COUNTED = 800, /* ... and where it is in a problem near it: sator_mapper_start */
    WORTH_A_START = 100000, /* combinations of the extents' divisors: 3 ms to list the unrollings */
    WORTH_A_SHORT_START = 1000, /* the same: 1 ms to search them all on an array of PEs */
    CLIMB_TRIES = 3000, /* 2 ms; at most, and ... */
    LEAST_CLIMB = 250, /* ... at least, else one for so many looks: */
    LOOKS_A_CHANGE = 6,
    WORTH_ANEW = 1 << 17, /* looks after which climbs begin anew elsewhere, and ... */
    LOOKS_A_TRY = 16, /* ... so many for each change tried then */
    LEAST_ROUND = 256, /* unrollings visited between such climbs, then twice as many and so on */
    CHAIN_TRIES = 5000, /* of each climb among chains of ceilings that are given up */
    IDLE_TRIES = 10000, /* the same of those that leave PEs idle which words pass through */
    MOST_CHAIN_LOOKS = 1 << 15, /* at chains of ceilings: sator_mapper_looks ... */
    SMALL_SPACE = 1 << 22, /* ... unless there are no more mappings than these: some tenths of a
                              second */
    SMALL_DOMAIN = 1 << 14, /* instances */
    CROSSING_ORDERS = 16, /* with more classes of orders, or ... */
    CROSSING_TRANSFERS = 4, /* ... transfers nothing is said of what crosses */
    MOST_HULL_LOOKS = 1 << 18, /* in domains that are no box, ... */
    MOST_HULL_WORK = 1 << 30, /* ... where each mapping is counted */
    MOST_VAIN = 2, /* climbs in a row there */
    SMALL_HULL = 1 << 16, /* mappings there, if no more, of which all are counted: seconds */
    MOST_COUNTED_LOOKS = 1 << 20, /* at skews under which words are counted ... */
    MOST_ASKED_LOOKS = 1 << 13, /* ... by the engines; and ticks */
    MOST_COUNTED_WORK = 1 << 26, /* of which the first unrollings get a quarter */
    MOST_JOINED_LOOKS = 1 << 15, /* at skewed loops joined across a memory's tiles */
    MOST_ORDER_LOOKS = 1 << 22, /* at other orders on arrays, or half as many as before if more; */
    MOST_DEAR_ORDER_LOOKS = 1 << 15 /* where a look takes a while: words counted, short tiles */
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
    unsigned loops; /* with factors above 1 */
    int64_t factor[MAPPER_LOOPS];
};

struct tile_choice {
    struct mapper_cost bound;
    uint32_t number;
    int visit;
    int item; /* of the table that it is from */
    struct mapper_share settled, own; /* transfers further in; into this memory */
    int64_t factor[MAPPER_LOOPS];
};

struct tile_list {
    int count, room;
    struct tile_choice *item;
};

/* A tile of a memory that is not the innermost one, and what the transfers into it cost at least.
 */
struct outer_tile {
    struct mapper_share own;
    double beyond_pj, all_pj; /* struct optimal_branch; with its own energy */
    uint32_t number;
    int64_t extent[MAPPER_LOOPS];
};

struct outer_tiles {
    bool known, overflows;
    struct order_costs *orders; /* what the items cost with loops on arrays in single ways */
    bool is_middle; /* of visits that are alike: it need not be listed to its end */
    bool in_any_order; /* whatever the order of loops on arrays, and on which of their rows */
    bool complete; /* "least" is */
    struct mapper_share least; /* of each figure, of all tiles that may win */
    int count, room;
    struct outer_tile *item; /* by energy, with that of the memories outside */
    /* by loop and divisor of its extent: the tiles that are multiples of it, as bits, "n_words" for
     * each divisor */
    size_t n_words;
    uint64_t *multiples[MAPPER_LOOPS], *words;
};

/* A permutation of the loops that changes nothing; its own inverse. */
struct symmetry {
    int8_t image[MAPPER_LOOPS];
};

/* Numbers of PEs by class. */
struct sizes {
    double pes;
    int size[MAPPER_ROWS];
};

/* An unrolling of all arrays, by its choice in each class, and its bound. */
struct visit {
    struct mapper_cost bound;
    double compute_cycles;
    uint32_t number;
    bool has_dived; /* its best tiles were followed; all infinite: it is settled */
    int place, first; /* in this order; of those that are alike */
    int choice[MAPPER_ROWS];
};

/* Visits that are searched together: they have the same outside the middle memories. */
struct alike {
    int first, count;
};

/* What crosses into the innermost memory at least, by class of orders and transfer: words that
 * enter the array, and that arrive in its PEs. See optimal_crossing.c. */
struct crossing_words {
    double unique, arriving;
};
typedef struct crossing_words crossing_row[CROSSING_TRANSFERS]; /* of one class of orders */
typedef crossing_row crossing_table[CROSSING_ORDERS];

struct crossing {
    bool known;
    int child, first, n; /* the memory, its transfers */
    int n_orders;
    double unique_pj[CROSSING_TRANSFERS], arriving_pj[CROSSING_TRANSFERS];
    crossing_table words; /* if no PEs share any */
    /* by class, "n_orders" rows each: times so much with a choice; the least of them, by size */
    crossing_row *factor[MAPPER_ROWS], *least[MAPPER_ROWS];
    double footprint[CROSSING_TRANSFERS]; /* words that each brings at least */
    int n_flows; /* of all of them, through ports */
    struct crossing_flow {
        int transfer, port;
        bool arriving;
        double bits;
    } flow[CROSSING_TRANSFERS * MAPPER_FLOWS];
};

/* The same for unrollings of some sizes, as far as they are chosen. */
struct crossing_branch {
    double most_pj; /* with more nothing can win */
    struct mapper_share beside; /* all other transfers, at least */
    unsigned alive[MAPPER_ROWS + 1]; /* by class: orders that may win with the choices from it on */
    crossing_table known_of[MAPPER_ROWS + 1]; /* by class: with the choices from it on */
    crossing_table open[MAPPER_ROWS + 1]; /* the least that the classes before it make of that */
    crossing_table outside[MAPPER_ROWS]; /* the words but for the class's own factor */
};

/* Rows that are classes by themselves since words may pass between their PEs, or since PEs share
 * some words along some of them only, but one class for unrollings in which none pass, and for
 * loops whose words are as many either way: of such only one for each product of their factors is
 * visited. */
struct kin {
    struct row_class rows; /* all of them */
    unsigned classes;
    unsigned told; /* loops for which it matters which row they are on */
};

/* ---- the plan: what is known of a problem before it is searched, the same for all threads ---- */

struct optimal_plan {
    const struct mapper_problem *problem;
    bool orders; /* loops stand on rows in all orders but the usual one */
    bool slides[MAPPER_LOOPS]; /* part of a sliding index */
    struct mapper_crew unknown; /* no unrolling is chosen */

    /* unrollings */
    int n_classes;
    struct row_class class[MAPPER_ROWS];
    int n_outside; /* classes outside the innermost memory */
    int n_outer; /* the first ones, outside all that is bounded with the compute units */
    int n_kins;
    struct kin kin[MAPPER_ROWS];
    int n_symmetries;
    struct symmetry symmetry[MOST_SYMMETRIES];
    int n_divisors[MAPPER_LOOPS]; /* what may divide what is left of a loop */
    const int64_t *divisors[MAPPER_LOOPS];
    double most_stamps; /* from which on nothing can win */
    int n_sizes;
    struct sizes *sizes; /* numbers of PEs that unrollings may use, most first */
    double least_cycles; /* of any unrolling */
    struct crossing crossing;

    /* imperfect problems: the tiles of the innermost memory that are the least for their number;
     * the numbers of PEs that some number of tiles allows; what may be the factor of an array
     * inside that memory */
    bool imperfect;
    int n_tiles[MAPPER_LOOPS];
    const int64_t *every_tile[MAPPER_LOOPS];
    int n_most_inner[MAPPER_LOOPS]; /* room for those that go with an unrolling, whichever */
    const char *spreads[MAPPER_LOOPS];
    int64_t most_spread[MAPPER_LOOPS];
    int n_lanes[MAPPER_LOOPS];
    const int64_t *lanes[MAPPER_LOOPS];
    int64_t most_lanes[MAPPER_LOOPS];

    /* tiles */
    int64_t most[MAPPER_MEMORIES][MAPPER_LOOPS]; /* the largest tile along a loop that fits, if
                                                    along no other */
    bool feeds; /* the innermost memory fills compute units in steps of its own */
    bool may_grow; /* where costs do, the innermost memory's tiles may be taken to be maximal */
    bool fills_second; /* so may be those of the memory just inside the outermost one */
    uint32_t joined; /* transfers into it of tensors of which it holds one iteration's words: they
                        are bounded with those into the compute units (bounds.h) */
    bool outside_fits; /* the memories outside it hold the whole problem */
    int middle; /* the innermost memory but one, with arrays outside; 0: it has none */
    int n_alike; /* the first classes, outside it */
    bool joins_outside; /* of which its tiles see the factors of all together */
};

/* ---- a branch: what is chosen, from the unrolling and the innermost tiles outward ---- */

struct optimal_branch {
    /* which part of the space */
    bool passing; /* those unrollings are listed that let words pass from PE to PE; else others */
    double later; /* a bound of those listed after these */
    int width; /* tiles followed at each memory */
    bool follows_all; /* there were no more of them */
    bool is_unordered; /* of plan->orders none is chosen yet */
    const int64_t
            *parts; /* ... but for these, by transfer (sator_mapper_parts); NULL: for nothing */
    bool tabulating; /* what is listed goes into the table of outer tiles */
    uint64_t alive; /* of table.inside: those that divide the tile, as far as it is chosen */
    /* Of the table of the memory outside: the first that it divides; by loop, those that it divides
     * (outer_tiles.multiples); and what the memories outside spend at least beyond table.least. */
    int outside;
    const uint64_t *holding[MAPPER_LOOPS];
    double beyond_pj;
    bool is_apart; /* what is listed holds for all arrays outside the middle memories */

    struct mapper_mapping mapping;
    struct mapper_shape shape;
    int64_t rest[MAPPER_LOOPS]; /* temporal factors still to be given, by loop */
    double compute_cycles;
    /* of the unrolling: what is moved whatever the mapping; the transfers into the compute units */
    struct mapper_share fixed, streamed;
    struct mapper_exposed exposed; /* what ports wait for is added where "waits" says so */

    /* the unrolling */
    struct mapper_crew crew;
    int64_t parallel[MAPPER_LOOPS]; /* PEs that each loop is spread over */
    /* factors by class or kin, which an image under a symmetry has, too; images cost the same */
    int n_unrolled;
    const int64_t *unrolled[2 * MAPPER_ROWS];
    int64_t kin_factor[2 * MAPPER_ROWS][MAPPER_LOOPS];
    unsigned with_image; /* symmetries under which it has one */
    struct crossing_branch crossing;
    struct mapper_cost crosses; /* its bound by that */
    uint32_t grows; /* transfers whose words only add to the cost */
    bool costs_grow; /* all of them */
    int grown; /* the memory whose tiles may be taken to be maximal; -1: none */
    unsigned tangled; /* loops along which they may not: those of tensors whose words several
                         families of buses pass on */
    unsigned crowded[MAPPER_MEMORIES]; /* see optimal_find_crowded */
    int listing[MAPPER_LOOPS +
            1]; /* loops in the order in which tiles are listed: sliding ones first */
    /* imperfect problems: factors by loop; the innermost tiles whose number it divides; PEs in rows
     * outside a memory's */
    struct mapper_unrolled unrolled_of[MAPPER_LOOPS];
    int n_inner[MAPPER_LOOPS];
    int64_t *inner[MAPPER_LOOPS];
    int64_t pes_outside[MAPPER_MEMORIES][MAPPER_LOOPS];

    /* tiles */
    int64_t size[MAPPER_ACCESSES]; /* words of the tile of the memory being tiled */
    int64_t most[MAPPER_LOOPS]; /* its factors of loops not chosen yet fit up to these at most */
    struct pair {
        bool is_known;
        uint32_t inner; /* transfers into what lies inside that stand still until the row of "m" */
        bool reaches_in; /* some are not into the memory just inside */
        struct mapper_share beside; /* what others further in cost, and all mappings */
    } pair[MAPPER_MEMORIES];
    int n_growable; /* of the tile chosen at "grown" */
    struct growth {
        int loop;
        int64_t prime;
        bool anywhere; /* outside of it; else of the loop's factor that is next outside */
    } growable[MAPPER_LOOPS * 8];
    bool grows_anyhow; /* some prime does so wherever it stands */
};

/* ---- the table: what is remembered from branch to branch ---- */

struct optimal_table {
    struct divisor_list {
        int64_t n; /* 0: free */
        int count;
        const int64_t *divisors;
        struct divisor_list *next;
    } divisor_lists[N_DIVISOR_LISTS], ceiling_lists[N_DIVISOR_LISTS];
    const char **lane_spreads[MAPPER_LOOPS]; /* plan->spreads by lanes, when first asked for */

    /* what transfers cost at least: of children below the index, nothing known; for these */
    struct mapper_share least[MAPPER_MEMORIES + 2];
    double least_lent_pj[MAPPER_TRANSFERS], least_ratio[MAPPER_TRANSFERS];

    uint64_t climbs_at; /* unrollings, tiles, orders after which mappings near the best are tried */
    int n_climbs; /* every other one begins elsewhere */
    uint64_t anew_at; /* the same of climbs that begin elsewhere */
    bool has_started; /* sator_mapper_start */
    bool has_shared; /* optimal_list_inner */
    struct visits {
        int count, room;
        struct visit *item;
        int n_alike, alike_room;
        struct alike *alike;
    } visits; /* unrollings to be visited */
    int n_listings; /* of tiles that the next would hold */
    bool tabulated;
    struct outer_tiles outer[MAPPER_MEMORIES];
    struct outer_tiles middle[MAPPER_MEMORIES]; /* room for those of visits that are alike */
    struct tile_list innermost; /* of these visits */
    struct sator_arena *alike; /* what is made for these visits */
    double alike_cycles; /* that all of them take */
    /* the same by energy, with the arrays inside the middle memories; of more, all others as one
     * that divides any tile. "n" is 0 while no middle memory is listed */
    struct inside {
        int n;
        double pj[MOST_INSIDE];
        int64_t tile[MOST_INSIDE][MAPPER_LOOPS];
    } inside;
    struct inner_lists *inner; /* of all visits, by the arrays inside; or NULL */
    int64_t (*factors)[MOST_DIVISORS]; /* of tiles, by depth: too much for a stack */
    struct tile_list tile_list[MAPPER_MEMORIES];
    /* orders of loops on arrays with at.parts, of the unrolling at hand, but the usual one */
    struct row_orders {
        bool is_listed, are_too_many;
        int count, room;
        struct row_order *item;
        int n_bounded, n_hopeless; /* tiles bounded in one of them; those that cannot win there */
    } row_orders;
};

struct optimal_tiling; /* a tiling whose orders are looked at (optimal_orders.c) */

struct optimizer {
    struct mapper_search *search;
    const struct mapper_problem *problem; /* the plan's */
    const struct optimal_plan *plan;
    struct mapper_bounds *bounds;
    struct mapper_given *given; /* theirs; its crew is at.crew, unless for a while */
    const struct mapper_problem *bounded; /* the problem; of a domain that is no box, its hull */
    struct mapper_words *bounded_words;
    struct sator_arena *arena; /* the branch's and the table's */
    struct optimal_branch at;
    struct optimal_table table;
    struct optimal_tiling *tiling;
    const struct mapper_group *group; /* whose joint problem it is; or NULL */
    struct optimal_part *part; /* of it (optimal_parts.c); NULL: none is made yet */
};

/* The bounds of the transfers further in than the memory being tiled: those whose nearest row is
 * known, and those into the memory (or compute units) just inside, whose nearest row is being
 * chosen. */
struct inner {
    const struct mapper_share *settled, *last;
};
/* Those of the innermost memory. */
static inline struct inner optimal_inner(const struct optimizer *o)
{
    return (struct inner){&o->at.fixed, &o->at.streamed};
}

/* ---- optimal_visit.c ---- */
/* Set "least": least[c] sums what the transfers into children 0 .. c - 1 cost, whatever the mapping
 * that wins; no unrolling is chosen. */
void optimal_find_least(struct optimizer *o);
/* Energy and cycles from a share that covers all transfers. */
struct mapper_cost optimal_cost(const struct optimizer *o, const struct mapper_share *share);
/* What every mapping spends and moves. */
struct mapper_share optimal_fixed(const struct optimizer *o);
/* The least cycles of the compute units of skewed arrays, the factors of the arrays and of the
 * memories from "first" inward being known. */
double optimal_skewed_compute(const struct optimizer *o, int first);
/* The order in which tiles are listed, for the unrolling chosen. */
void optimal_order_listing(const struct optimal_plan *plan, struct optimal_branch *branch);
/* What is left of "loop" outside memory "m" when it has "factor" there: whole tiles. */
int64_t optimal_left(const struct optimizer *o, int m, int loop, int64_t factor);
/* The cycles that the compute units take with the innermost tiles chosen. */
double optimal_compute(const struct optimizer *o);
/* Set one factor at memory "m", or all, and with them the shape's suffix products. */
void optimal_set_factor(struct optimizer *o, int m, int loop, int64_t factor);
void optimal_set_factors(struct optimizer *o, int m, const int64_t *factor);
/* What is left of each loop outside memory "m", its factors being known. */
void optimal_find_far(const struct optimizer *o, int m, int64_t *far);
/* The sizes of memory "m"'s tile after a change along "loop" (-1: of everything). */
void optimal_refresh_sizes(struct optimizer *o, int m, int loop, int64_t *size);

/* Whether the tile of memory "m" fits. */
bool optimal_tile_fits(struct optimizer *o, int m);

/* Nothing is chosen. */
void optimal_begin(struct optimizer *o);
/* Let an unrolling of a class of rows take its share of the loops, or give it back. */
void optimal_spread(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct unrolling *u);
void optimal_gather(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct unrolling *u);
/* The crew is another one: its words may spare and lend other energies. */
void optimal_know_least(struct optimizer *o);
/* Bound the unrolling that the mapping has: "fixed", "streamed", and with them the whole. The
 * factors of "open" rows are not chosen yet. */
struct mapper_cost optimal_bound_unrolling(struct optimizer *o, unsigned open);
/* Choose an unrolling, and bound it again. False: it cannot win. */
bool optimal_open_visit(struct optimizer *o, const struct visit *visit);
/* The rows of the first "n" classes. */
unsigned optimal_rows_of(const struct optimal_plan *plan, int n);
/* Choose the unrollings of the classes from "first" to "end" - 1. Then nothing is chosen, as
 * before.
 */
void optimal_take_arrays(struct optimizer *o, const struct visit *visit, int first, int end);
void optimal_leave_arrays(struct optimizer *o, const struct visit *visit, int first, int end);
/* Search below an unrolling, in orders on arrays with "at.parts": the innermost tiles of "from", or
 * (NULL) all. */
void optimal_visit_orders(
        struct optimizer *o, const struct visit *visit, const struct tile_list *from);

/* Unrollings, tiles and orders looked at. */
uint64_t optimal_looks(const struct optimizer *o);
/* Every now and then, in a search that lasts: look for better mappings near the best. */
void optimal_climb(struct optimizer *o);

/* ---- optimal_kinds.c ---- */
/* Search below an unrolling, its orders on arrays kind by kind. */
void optimal_visit(struct optimizer *o, const struct visit *visit);
/* Let loops stand on arrays in each order with "at.parts" but the usual one, until "visit" returns
 * false; then as before. The unrolling is that of the visit that was opened last. */
typedef bool optimal_order_visit(void *data);
void optimal_each_row_order(struct optimizer *o, optimal_order_visit *visit, void *data);
/* Another unrolling, or other parts. */
void optimal_forget_row_orders(struct row_orders *orders);

/* ---- optimal_parts.c ---- */
/* Whether the unrolling chosen has mappings in some part of the joint problem that have to be
 * looked at. */
bool optimal_has_parts(const struct optimizer *o);
/* Follow an unrolling whose innermost tiles are listed in each of these. */
void optimal_follow_parts(struct optimizer *o, const struct visit *visit);
/* Try small changes of the best mapping in one of them, the next one each time. */
void optimal_climb_in_part(struct optimizer *o, int tries);
void optimal_free_parts(struct optimizer *o);

/* ---- optimal.c ---- */
/* An optimizer at its beginning; "search" and "plan" are borrowed, and what it knows of the plan's
 * unrollings may be filled in later. The items of table.outer are the caller's. */
struct optimizer *optimal_new(struct mapper_search *search, const struct optimal_plan *plan);
void optimal_free(struct optimizer *o);

/* Search the mappings of the search's problem whose loops that share an array dimension are in
 * their usual order; after a stop: only find its bound. */
void optimal_search_usual(struct mapper_search *search);
/* The same of "p" in its place, with the best so far to beat. */
void optimal_search_problem(struct mapper_search *search, const struct mapper_problem *p);
/* Other orders of these, with what is best in the usual one to beat, and the best mapping's own
 * other orders first. */
void optimal_search_orders(struct mapper_search *search, const struct mapper_problem *p);

/* ---- optimal_near.c: problems whose words are counted ---- */
/* The best mapping of the problem near this one (or NULL), which has formulas, is one of this; then
 * its own are searched as far as that takes no longer than a user waits. */
void optimal_search_near(struct mapper_search *search, struct mapper_problem *near);
/* Of a domain that is no box: the best of those with factors that divide ("perfect"), then of those
 * with remainders what is the best of the box around it, or near the best. The bound is of all,
 * with no factor known; of few all are looked at. */
void optimal_search_hull_chains(struct mapper_search *search, const struct mapper_problem *perfect);

/* ---- optimal_listing.c ---- */
/* Search the plan's whole space, below all unrollings. */
void optimal_search(struct optimizer *o);

/* ---- optimal_team.c ---- */
/* Whether the search has lasted long enough for several threads to be worth it. */
bool optimal_is_worth_a_team(const struct optimizer *o);
/* Visit the unrollings listed from "first" to "count" - 1, on as many threads as the options say;
 * "rest" bounds those not listed yet. */
void optimal_visit_as_team(struct optimizer *o, int first, int count, double rest);

/* ---- optimal_unrollings.c ---- */
/* The classes of rows and the unrollings of each. */
void optimal_find_unrollings(
        struct optimizer *o, struct optimal_plan *plan, struct sator_arena *arena);
/* Give the factors of "u" to the rows of its class so that each fits; false when they cannot. */
bool optimal_place_unrolling(
        struct optimizer *o, const struct row_class *class, const struct unrolling *u);
/* Set what the current unrolling, "choice" by class, is to its images; and what grows. */
void optimal_know_unrolling(
        const struct optimal_plan *plan, struct optimal_branch *branch, const int *choice);
/* Whether the current unrolling is visited with its factors on other rows. */
bool optimal_is_moved(struct optimizer *o);
/* Move the factors of the current mapping among rows that nothing tells apart so that those of each
 * row are ceilings; false where none are. */
bool optimal_place_chains(struct optimizer *o);

/* ---- optimal_crossing.c ---- */
/* After the unrollings of each class are known. */
void optimal_find_crossing(struct optimal_plan *plan, struct sator_arena *arena);
/* Unrollings of these sizes are listed next; no crew is chosen. */
void optimal_open_crossing(struct optimizer *o, const int *size);
/* Whether no unrolling can win in which class "c" has this choice, the classes behind it those that
 * were last asked about, and that takes the current compute cycles. "*bound": of the best class of
 * orders. */
bool optimal_crosses_too_much(struct optimizer *o, int c, int choice, struct mapper_cost *bound);

/* ---- optimal_imperfect.c ---- */
/* List the innermost tiles; optimal_find_unrollings comes after. */
void optimal_find_tiles(
        struct mapper_words *words, struct optimal_plan *plan, struct sator_arena *arena);
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
void optimal_take_tiles(const struct optimal_plan *plan, struct optimal_branch *branch);
/* The least cycles of the current unrolling, whatever the tiles. */
double optimal_least_compute(const struct optimizer *o);

/* ---- optimal_growth.c: maximal tiles ---- */
/* Whether maximal tiles may be enough; and whether they are for the current crew. */
void optimal_find_grown(struct optimal_plan *plan);
void optimal_know_grown(const struct optimal_plan *plan, struct optimal_branch *branch);
/* Whether the costs of the transfers into memory "m" are bounded by those of a tile that is larger
 * than others; "*grow": they never fall with larger ones, else they shrink (struct mapper_given).
 */
bool optimal_is_bounded(const struct optimizer *o, int m, bool *grow);
/* Whether the last tile of "loop", as chosen, is as large as the others. */
bool optimal_is_whole(const struct optimizer *o, int loop);
/* Whether a factor of "loop", which slides, may move from anywhere into the tile of memory "m",
 * whose factors are "factor": only one memory lies outside, or none of the loops that it slides
 * with has anything left there, which could undo a step of its factors in between. */
bool optimal_slides_apart(const struct optimizer *o, int m, int loop, const int64_t *factor);
/* Set the primes by which the tile of the grown memory could still grow, or only whether there are
 * any that do so wherever they stand. */
void optimal_find_growable(struct optimizer *o, bool only_whether);
/* Whether the tile just chosen at memory "m" leaves room for a move into the grown memory. */
bool optimal_is_dominated(struct optimizer *o, int m);
/* Whether the sliding indices of access "a" have no gaps in the tile of memory "m". */
bool optimal_is_gapless(struct optimizer *o, int m, int a);
/* The same along "loop" of all of these. */
bool optimal_has_no_gaps(struct optimizer *o, int m, int loop, unsigned accesses);
/* Whether a sliding index of a tensor that "loop" slides along is spread over PEs. */
bool optimal_is_spread(
        const struct optimal_plan *plan, const struct optimal_branch *branch, int loop);

/* Take the least prime out of "rest" > 1, wholly; "divisors" are those of a multiple of it,
 * ascending from one that is no larger than the prime. */
static inline int64_t optimal_take_prime(int64_t *rest, const int64_t **divisors)
{
    while (**divisors == 1 || *rest % **divisors != 0)
        ++*divisors;
    while (*rest % **divisors == 0)
        *rest /= **divisors;
    return **divisors;
}

/* ---- optimal_second.c ---- */
/* Whether the problem is one for the next. */
void optimal_find_second(struct optimal_plan *plan);
/* Whether the tile just chosen at memory "m", the one just inside the outermost, may take some
 * factor from there and cost no more. */
bool optimal_may_fill_second(struct optimizer *o, int m);

/* ---- optimal_symmetry.c ---- */
void optimal_find_symmetries(struct optimal_plan *plan);
/* Whether the factors of the current unrolling, then "last" (may be NULL), are less than those of
 * an image under a symmetry: the image is searched in their place. */
bool optimal_is_image(const struct optimizer *o, const int64_t *last);

/* ---- optimal_outer.c ---- */
/* Set o->at.holding to the tiles in the table of memory "m" that hold whole ones of the tile
 * inside, as far as it is chosen, along "loop" (-1: along each); it is known. */
void optimal_find_holding(struct optimizer *o, int m, int loop);
/* The first of them from the "first" on that is so along all loops; none: as many as there are. */
int optimal_next_outer(const struct optimizer *o, int m, int first);
/* Whether so many searches for the tiles of one memory are enough for the next. */
bool optimal_is_worth_tables(const struct optimizer *o, int n_listings);
/* List the tiles of the memories above all arrays, unless done; those that may win with the
 * innermost tiles that are listed for the visits at hand, if they are (optimal_list_inner). */
void optimal_tabulate(struct optimizer *o);
void optimal_forget_tables(struct optimizer *o);
void optimal_free_outer(struct outer_tiles *tiles);
/* Whether a table is given up: no more tiles are listed. */
bool optimal_is_full(const struct outer_tiles *tiles);
/* List the tiles of memory "m" that may win into table.outer, by energy; false: there are none. */
bool optimal_fill_table(struct optimizer *o, int m, const struct inner *inner);
void optimal_add_outer(struct optimizer *o, int m, const struct mapper_share *own);

/* ---- optimal_middle.c ---- */
void optimal_find_middle(struct optimal_plan *plan);
/* Set which of the visits, which are in the order that they are listed in, are alike, and bring
 * these together. */
void optimal_find_alike(struct optimizer *o);
/* List the innermost tiles of the visits from "first" on, those that have the same arrays inside
 * the middle memories at once, if that is worth it; and forget these lists. */
void optimal_list_inner(struct optimizer *o, int first);
void optimal_forget_inner(struct optimizer *o);
/* What the innermost tiles of all these visits cost at least, the transfers into the compute units
 * and what all mappings move included; false: they are not all listed. */
bool optimal_least_listed(const struct optimizer *o, struct mapper_share *least);
/* What the transfers into the "k"-th tile of memory "m" in its table, which is chosen, cost in the
 * order that loops now have on arrays, the table being of all orders. */
void optimal_own_in_order(struct optimizer *o, int m, int k, struct mapper_share *own);
/* Of the innermost tiles "alive" those that divide tiles of "extent" along "loop". */
uint64_t optimal_inside(const struct optimizer *o, uint64_t alive, int loop, int64_t extent);
/* List the innermost tiles of a visit, those with the best bound first, in table.tile_list. */
void optimal_list_innermost(struct optimizer *o, const struct visit *visit);
/* Search below unrollings that are alike. */
void optimal_visit_alike(struct optimizer *o, const struct visit *visits, int count);

/* ---- optimal_room.c: which tiles fit ---- */
/* Find the largest tiles along single loops, and with them which transfers are joined. */
void optimal_find_most(struct mapper_words *words, struct optimal_plan *plan);
/* Find which memories tiles of those further in may be too large for, for the unrolling chosen. */
void optimal_find_crowded(const struct optimal_plan *plan, struct optimal_branch *branch);
/* The factors of "loop" at memory "m" that fit, given those of the loops before it, without those
 * that take too long for a mapping which spends "least_pj" at the least; their number. The second:
 * how many of such "count" factors do not take too long, now that more is known of the least. */
int optimal_list_factors(struct optimizer *o, int m, int loop, double least_pj, int64_t *factors);
int optimal_drop_slow(
        struct optimizer *o, int m, int loop, double least_pj, const int64_t *factors, int count);

/* ---- optimal_larger.c ---- */
/* Whether no tile of memory "m" with the factors chosen so far can win, whatever the loops from the
 * "at"-th of the listing order on get. "*least_pj" is what all of them spend at least; it is raised
 * to what is then known, and at.most lowered. "*n_listed": that loop's factors, which
 * table.factors[at] then has (optimal_list_factors); -1: it does not. */
bool optimal_none_can_win(struct optimizer *o, int m, int at, const struct inner *inner,
        double *least_pj, int *n_listed);

/* ---- optimal_pair.c ---- */
/* Find what is bounded with the tiles of memory "m", those inside it being chosen. */
void optimal_open_pair(struct optimizer *o, int m, const struct inner *inner);
/* Bound all further in than memory "m"'s tile, whose factors are known and whose own transfers cost
 * "own", once more: what stands still until its row in one order of its loops. False: that is what
 * is known already. */
bool optimal_settle_anew(
        struct optimizer *o, int m, const struct mapper_share *own, struct mapper_share *settled);
/* Whether what crosses into memory "m" and into what lies inside it makes its tile hopeless, or all
 * that are smaller along the loops "open", which slide along nothing. "*least_pj" is what they
 * spend at least; it is raised to what is then known. */
bool optimal_pair_cannot_win(struct optimizer *o, int m, unsigned open, double *least_pj);

/* ---- optimal_tiles.c ---- */
/* Whether nothing can win whose transfers further in than memory "m"'s tile, and into it, are
 * bounded by three shares: "*bound" of it all (NULL: nobody asks). */
bool optimal_is_hopeless(struct optimizer *o, int m, const struct mapper_share *a,
        const struct mapper_share *b, const struct mapper_share *c, struct mapper_cost *bound);
/* The energy that all transfers but those into memory "m" spend at least. */
double optimal_energy_beside(const struct optimizer *o, int m, const struct inner *inner);
/* Let bounds of the transfers into memory "m" end where the tile cannot win: all others spend
 * "beside" at least. */
void optimal_limit_bounds(struct optimizer *o, double beside);
/* What the transfers into memory "m" cost at least, its factors being known. */
void optimal_bound_own(struct optimizer *o, int m, struct mapper_share *own);
/* Bound the transfers into what lies inside memory "m" again, its factors being known and its own
 * transfers costing "own": "refined". The loops "either" may stand there or further out. What all
 * spend. */
double optimal_bound_inner(struct optimizer *o, int m, unsigned either, const struct inner *inner,
        const struct mapper_share *own, struct mapper_share *refined);
/* List the tiles of memory "m" that may win. */
void optimal_list_tiles(struct optimizer *o, int m, const struct inner *inner);
/* The same, those with the best bound first, in table.tile_list. */
void optimal_list_choices(struct optimizer *o, int m, const struct inner *inner);
void optimal_sort_choices(struct tile_list *list);
void optimal_add_choice(struct tile_list *list, const struct tile_choice *choice);
/* The same of the innermost tiles "from", which are listed for more. */
void optimal_list_again(struct optimizer *o, const struct tile_list *from);
/* Follow each of them outward. */
void optimal_follow_choices(struct optimizer *o, int m, const struct inner *inner);
/* Choose the factors of memory row "m", then of those outside it. */
void optimal_choose_tiles(struct optimizer *o, int m, const struct inner *inner);

/* ---- optimal_orders.c ---- */
/* None is chosen yet; freed by the second. */
struct optimal_tiling *optimal_tiling_new(const struct mapper_problem *problem);
void optimal_tiling_free(struct optimal_tiling *tiling);
/* Try the loop orders of the tiling chosen. */
void optimal_try_orders(struct optimizer *o);

#endif
