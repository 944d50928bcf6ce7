/* What a mapping is, which are legal and what they cost (doc/mapper.md).
 *
 * A problem is a workload and an architecture, compiled into rows: one row a memory level (its
 * temporal loops) and one row a dimension of each array (its parallel loops), outermost first. A
 * mapping gives every loop a factor in every row and every memory row an order. The number of loop
 * instances that one step of a row skips is the product of the factors in the rows inside it.
 *
 * A transfer is one access (a tensor in one role) between two levels that hold it, or between the
 * innermost level that holds it and the compute units. Two numbers decide everything about it:
 * "unique", the words that leave or reach the outer level, and "arriving", those that cross on the
 * inner side (total - temporal of doc/model.md, section 4).
 */
#ifndef SATOR_MAPPER_MAPPER_H
#define SATOR_MAPPER_MAPPER_H

#include "arch/arch.h"
#include "base/text.h"
#include "relation/workload.h"
#include "sator/map.h"

enum {
    MAPPER_LOOPS = 16, /* loops of extent 2 and more: sets of two of each fit 32 bits */
    MAPPER_ACCESSES = 8,
    MAPPER_INDICES = 8, /* of one access */
    MAPPER_PARTS = MAPPER_LOOPS, /* loops of one index */
    MAPPER_CUT_PARTS = 4, /* of one whose last tiles may be short */
    MAPPER_ROWS = 16,
    MAPPER_SPREADS = 16, /* parallel digits that move one index */
    MAPPER_DIGITS = 60, /* parallel factors above 1 of one mapping: fewer than 2^57 instances */
    MAPPER_SOURCES = 256, /* ways from PE to PE, each loop's digit moved by a constant */
    MAPPER_MEMORIES = 8,
    MAPPER_TRANSFERS = 32,
    MAPPER_PORTS = 24, /* with a bandwidth, one direction each or both in turns */
    MAPPER_FLOWS = 3, /* of a transfer, through ports of its two memories */
    MAPPER_SPREAD_LIMITS = 32, /* on parallel factors */
    MAPPER_MOST_DIVISOR = 64, /* of a quotient */
    MAPPER_MOST_CHOICES = 10 /* pairs of a tensor and a memory that it may bypass */
};

/* Dimensions of an access that cannot be told apart: a loop moves several of them, or an instance
 * touches several places, each a constant distance from the others. They are one index whose values
 * are vectors, numbered so that sums of numbers are numbers of sums; coefficients and places are
 * such numbers. */
struct mapper_joint {
    int n_places;
    const int64_t *place; /* the first is 0 */
    int64_t places_reach; /* from the least to the greatest */
};

/* One dimension of an access, or several joint ones: a sum of coefficient x loop. */
struct mapper_index {
    int n_parts;
    /* Of an access that has no formula: what is left of it beside the loops that stand alone in an
     * index. At least one value, and all of them kept, is all that is known of it; or where
     * "divisor" is not 0 at least the values of the sum over it. */
    bool is_core;
    int64_t divisor;
    int closed; /* n_parts of an index with closed forms: one or two loops, one dimension; else 0 */
    const struct mapper_joint *joint; /* or NULL */
    int loop[MAPPER_PARTS];
    int64_t coef[MAPPER_PARTS];
    int64_t reduced[2]; /* |coefficients| of the first two loops over their greatest common divisor
                         */
};

/* One dimension of an access: a sum of coefficient x loop over a divisor, rounded down, where no
 * coefficient exceeds the divisor (1 for a loop that stands alone). */
struct mapper_quotient {
    int n_parts;
    int loop[MAPPER_PARTS];
    int64_t coef[MAPPER_PARTS];
    int64_t divisor;
    int64_t constant; /* the first sum */
};

struct mapper_access {
    const char *name;
    enum sator_role role;
    int word_bits; /* the workload's */
    int n_indices;
    struct mapper_index index[MAPPER_INDICES];
    unsigned relevant; /* loops that index it */
    unsigned plain; /* loops that stand alone in their index */
    int8_t index_of[MAPPER_LOOPS]; /* of a loop that indexes it */
    int64_t coef_of[MAPPER_LOOPS]; /* of the loop in that index; 0 for the others */
    bool is_sliding; /* some index has several loops */
    int stored_as; /* the first access of the same tensor */
    int64_t footprint;
    int64_t volume; /* what all instances touch, instance by instance */
    int64_t instance_words; /* the most that one instance touches */
    /* no sum of loops: tiles are counted by the engines (counted.c) */
    bool is_counted;
    bool may_be_empty; /* accessed under conditions */
    int n_quotients; /* its dimensions when each is one and no two read the same loop: these have
                        formulas (tilings.c); else 0 */
    const struct mapper_quotient *quotient;
    const struct sator_relation *relation;
};

/* Of a factor, or a product of some: "most" 0 for any. */
struct mapper_limits {
    int64_t least, most;
};

/* Of the product of a loop's factors on some rows of one array. */
struct mapper_spread_limits {
    unsigned rows;
    int loop;
    struct mapper_limits limits;
};

struct mapper_row {
    bool is_space;
    int level; /* of the architecture */
    int memory; /* time: index among the memories */
    int dim; /* space: dimension of the array */
    int64_t shape; /* space: the array's extent */
    unsigned banned; /* space: loops that a constraint keeps out */
    bool has_skew; /* space: a constraint says how the array is skewed along it ... */
    int64_t skew; /* ... by so much */
    int64_t fixed[MAPPER_LOOPS]; /* time: factors that a constraint sets; 0: free */
    struct mapper_limits limits[MAPPER_LOOPS]; /* time: of free factors */
    unsigned outside[MAPPER_LOOPS]; /* time: by loop, those that a constraint puts outside it */
    int linked; /* space: the access whose words pass from PE to PE along it, or -1: loops that
                   index it stand outside the others, so that PEs with equal words are neighbours */
};

struct mapper_capacity {
    bool in_bits;
    int64_t available; /* bits or words */
    unsigned accesses; /* that share it */
};

struct mapper_memory {
    int level, row;
    unsigned holds; /* accesses */
    unsigned may_bypass; /* accesses whose tensor may bypass it: a choice of the mapping */
    unsigned bypassed; /* of these, those that do in this problem */
    int n_capacities;
    struct mapper_capacity capacity[MAPPER_ACCESSES + 1];
    int word_bits[MAPPER_ACCESSES]; /* of a word that it holds */
    double pj[2][MAPPER_ACCESSES]; /* reading and writing a word; NAN when not given */
    double leakage_pj; /* of all instances, a cycle; 0 when not given */
    int64_t instances;
    /* Outputs whose sums links and trees may bring to every instance in part, so that none surely
     * takes up all of its own (doc/model.md, section 3): the model is asked for its ports. */
    unsigned shared_sums;
};

/* A link from each PE to the one at a constant distance. */
struct mapper_pass {
    int interval; /* 0: a wire, within the stamp; 1: from the stamp before */
    int64_t shift[MAPPER_ROWS]; /* from the provider to the consumer, by row */
    bool is_idle; /* a wire that another one, against it, takes the place of */
    const struct sator_link *link;
};

struct mapper_transfer {
    int access;
    int parent; /* memory */
    int child; /* memory; n_memories: the compute units */
    int child_row; /* the first row inside: n_rows for the compute units */
    unsigned outer; /* space rows above the parent */
    unsigned between; /* space rows between parent and child */
    unsigned collapsed; /* of these, rows over which a word crosses once */
    int n_buses;
    const struct sator_bus *buses[MAPPER_ROWS];
    unsigned bus_rows[MAPPER_ROWS]; /* over which each spreads a word */
    const struct sator_link *link; /* in place of buses: wires from PE to PE */
    unsigned linked_rows; /* along which links of any kind lead */
    int n_passes;
    struct mapper_pass *passes; /* all links, in order of declaration */
    bool may_pass; /* a sliding index may be unrolled along links or several families of buses: see
                      passing.c */
    /* Wires and buses that have no formula: "collapsed" are all rows that they lead over, "link"
     * and "buses" are empty. */
    bool is_complex;
    bool reaches_back; /* to the stamp before the one before, or further */
    bool has_late; /* a skew makes some link later than that, or has its PE run ahead: not counted
                    * on
                    */
    unsigned wired; /* rows along which wires pass on what neighbours share */
    unsigned apart; /* rows that cannot be exchanged, whatever the unrolling */
    bool is_counted; /* by the engines: a complex network, or an access without a formula */
    bool is_quotient; /* by tilings.c */
    const struct sator_model_network *network; /* of these */
    double bus_pj; /* a word that the buses or wires spare; the least, where they differ */
    /* Of an output: what its trees merge starts from zero in the child, and needs no partial sum
     * from there inward. */
    bool merges;
    bool is_outside; /* from beyond the outermost memory that holds it, which nobody counts: only
                        what it merges matters */
    int inward, outward; /* the transfer of the same access one step further in and out, or -1 */
    double merged_pj; /* energy that a merged word spares, part of the next two */
    double unique_pj, arriving_pj; /* energy a word, all its actions together */
    int n_flows;
    struct mapper_flow {
        int port;
        bool arriving; /* the arriving words; else the unique ones */
        double bits; /* a word */
    } flow[MAPPER_FLOWS];
};

/* A port of a memory, for reads, writes or both in turns, whose bandwidth is given. */
struct mapper_port {
    const struct sator_lane *lane; /* bits a cycle and instance */
    int memory;
};

/* What an unrolling alone says of costs. The time of a port is that of the instance that moves most
 * through it. All instances that are used move the same, but for partial sums: of PEs that a tree
 * joins the smallest takes them, as if it were alone. So bits of all that are used count, with
 * arriving words in the place of those that come from outside. */
struct mapper_crew {
    double per_bit[MAPPER_PORTS]; /* cycles a bit: 1 / (bandwidth x instances used) */
    double fixed_bits[MAPPER_PORTS]; /* beside those of transfers */
    double ratio[MAPPER_TRANSFERS]; /* arriving words for a unique one, at most */
    /* What a word arrives for must be taken further in, too: arriving words are no more than the
     * unique ones of the inner transfer. So where arriving words spare energy further in, a bound
     * that does not know them yet may have each of them spare nothing more when it takes this from
     * each unique word there (from each access of the compute units where there is no inner
     * transfer): it falls by what they might spare, and not below. */
    double lent_pj[MAPPER_TRANSFERS];
};

struct sator_model_network;
struct mapper_watch;
struct mapper_skew;

struct mapper_problem {
    struct sator_arena *arena;
    uint64_t work_limit; /* of the counting engines */
    struct mapper_watch *watch; /* over their questions; NULL: none */
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    int n_loops;
    int loop_of[MAPPER_LOOPS]; /* index in the workload */
    const char *loop_names[MAPPER_LOOPS];
    int64_t extent[MAPPER_LOOPS];
    int64_t instances; /* loop instances */
    /* The domain is no box: loops run through the least one that holds it. Everything is counted by
     * the engines; that there are so many instances, and elements, is all that bounds know. */
    bool in_hull;
    int n_accesses;
    struct mapper_access access[MAPPER_ACCESSES];
    int n_rows;
    struct mapper_row row[MAPPER_ROWS];
    int n_memories;
    struct mapper_memory memory[MAPPER_MEMORIES];
    int n_transfers; /* innermost first */
    struct mapper_transfer transfer[MAPPER_TRANSFERS];
    int n_ports;
    struct mapper_port port[MAPPER_PORTS];
    double fixed_pj; /* what every mapping spends */
    double fixed_bits[MAPPER_PORTS]; /* what every mapping moves, all instances together ... */
    int n_spared; /* ... less what instances start from zero */
    struct mapper_spared {
        int port, memory, access;
        double bits; /* a word */
    } * spared;
    bool lends; /* some transfer merges words that spare energy further in */
    bool has_inner_ports; /* of memories of several instances */
    /* Memories of several instances with ports whose busiest instance only the model finds: always,
     * and where last tiles are short. */
    unsigned asked_ports, asked_ragged_ports;
    unsigned late_ports; /* with what late links bring */
    double mac_pj, cycles_per_instance;
    double leakage_pj; /* a cycle, everything together */
    int n_space_dims;
    bool has_energy; /* all figures that a mapping's energy needs are given */
    int n_missing; /* figures of energy that are not given: of levels and links */
    const char **missing; /* their names */
    bool has_counted; /* some transfer is counted, or a quotient */
    const struct mapper_skew *skew; /* of the arrays; NULL: none */
    bool has_late; /* some transfer */
    bool mixes_wires; /* tensors that other loops index pass over wires along one row */
    bool has_fixed; /* a constraint sets factors, or limits them */
    bool has_limits; /* a constraint limits factors of memories */
    int n_spread_limits;
    struct mapper_spread_limits spread_limits[MAPPER_SPREAD_LIMITS];
    bool imperfect; /* factors need not divide what they cover ... */
    bool chains; /* ... at any level; else those outside the innermost memory divide the number of
                    its tiles, which leave a remainder only at the end */
    int innermost; /* its row; inside of it stand only arrays */
    bool is_direct; /* some words go to the compute units from outside an array */
    unsigned direct_sliding; /* loops of sliding indices of such tensors */
    unsigned merged_sliding; /* loops of sliding indices of sums that trees merge: what short tiles
                                of them merge has no formula */
    unsigned direct_wired; /* space rows along which links or wires pass such words on */
    unsigned linked_rows; /* the same of any words that have a formula */
    bool has_orders; /* a constraint orders loops */
    unsigned any_order; /* space rows on which loops may stand in any order; of the others the order
                           does not matter, or none is better than that of sator_mapper_row_order */
    unsigned ordered; /* loops that an order of instances keeps from running in parallel */
    const char *order; /* how the space keeps that order, for people; NULL: there is none */
    double cycle_limit; /* mappings at least as slow do not count; 0: none */
    double least_utilization; /* share of the PEs that a constraint asks for */
    enum sator_map_objective objective;
};

/* Factors by row and loop; the order of the loops of each memory row, outermost first; that of the
 * loops of each row of an array, from the outermost digit of its coordinate to the innermost. */
struct mapper_mapping {
    int64_t factor[MAPPER_ROWS][MAPPER_LOOPS];
    int8_t order[MAPPER_MEMORIES][MAPPER_LOOPS];
    int8_t along[MAPPER_ROWS][MAPPER_LOOPS];
};

struct mapper_cost {
    double pj, cycles, value; /* value: the objective */
};

/* ---- problem.c ---- */
/* Compile "workload" on "arch"; SATOR_INPUT with a message for what the mapper does not map.
 * "bypassed" says by memory which of the accesses that may bypass it do; NULL: none. Each such
 * choice is a problem of its own. */
enum sator_status sator_mapper_problem_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        enum sator_map_objective objective, const unsigned *bypassed,
        struct mapper_problem *problem);
/* The same under a skew of the arrays (borrowed; NULL: none), a problem of its own, too. */
enum sator_status sator_mapper_problem_init_skewed(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        enum sator_map_objective objective, const unsigned *bypassed,
        const struct mapper_skew *skew, struct mapper_problem *problem);

/* ---- missing_energy.c ---- */
/* The error that energies are missing, with settings and options that mend it. */
void sator_mapper_say_missing_energy(struct sator_ctx *ctx, const struct mapper_problem *problem);

/* ---- access.c ---- */
/* Add "access" to the problem's accesses. "loop_at" gives the problem's loop for each loop of the
 * workload, -1 for loops of extent 1. SATOR_INPUT with a message for what is beyond the limits. */
enum sator_status sator_mapper_access_init(struct sator_ctx *ctx, struct mapper_problem *problem,
        const int *loop_at, const struct sator_access *access);

/* ---- wiring.c ---- */
/* Set what joins the PEs between the transfer's two memories; SATOR_INPUT with a message for a
 * wires that cannot be followed. */
enum sator_status sator_mapper_wire(
        struct sator_ctx *ctx, struct mapper_problem *problem, struct mapper_transfer *transfer);

/* ---- bypass.c ---- */
/* The choices of which tensors bypass which memories, numbered from 0 (none does). */
struct mapper_choices {
    int n_bits; /* choices: 2 to the power of it */
    struct {
        int memory;
        unsigned accesses; /* of one tensor */
    } bit[MAPPER_MOST_CHOICES];
};
/* Those that "problem" leaves open; a message when there are too many. */
enum sator_status sator_mapper_choices_init(struct sator_ctx *ctx,
        const struct mapper_problem *problem, struct mapper_choices *choices);
/* Set by memory the accesses that bypass it in choice "number". */
void sator_mapper_choice(
        const struct mapper_choices *choices, unsigned number, unsigned bypassed[MAPPER_MEMORIES]);
/* Set the choice that a "loops:" dataflow makes; a located message when the architecture does not
 * leave it open. */
enum sator_status sator_mapper_choice_of_nest(struct sator_ctx *ctx,
        const struct mapper_problem *problem, const struct sator_dataflow *dataflow,
        unsigned bypassed[MAPPER_MEMORIES]);

/* Let the innermost tiles be of any size, the last of them smaller; SATOR_INPUT with a message
 * where that cannot be counted. */
enum sator_status sator_mapper_allow_imperfect(
        struct sator_ctx *ctx, struct mapper_problem *problem);

/* ---- ordered.c ---- */
/* Leave only mappings that keep the order of an operation in place (doc/model.md, section 1);
 * before any constraint is added. SATOR_LIMIT with a message when it was not found within the work
 * limit.
 */
enum sator_status sator_mapper_keep_order(struct sator_ctx *ctx, struct mapper_problem *problem);

/* ---- constraint.c ---- */
/* Put all loops of "outer" outside all of "inner" at a memory row, and what follows from that. */
void sator_mapper_put_outside(struct mapper_row *row, int n_loops, unsigned outer, unsigned inner);
/* Add a constraint, given as text; a located message when it is none, or names what does not exist.
 */
enum sator_status sator_mapper_constrain(
        struct sator_ctx *ctx, struct mapper_problem *problem, const char *text);
/* Whether constraints leave "loop" the factor at memory row "row". */
bool sator_mapper_may_have(const struct mapper_problem *problem, int row, int loop, int64_t factor);
/* Whether they leave the mapping's factors on the space rows "rows", the others being free. */
bool sator_mapper_may_spread(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned rows);
/* The same of all rows, but of one loop. */
bool sator_mapper_may_spread_loop(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop);
/* Whether the mapping's factors respect the constraints. */
bool sator_mapper_is_allowed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Whether its orders do. */
bool sator_mapper_is_ordered(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Of the loops "left" at memory row "row", those that may stand inside all others of them: some, if
 * there are any. */
unsigned sator_mapper_innermost_of(const struct mapper_problem *problem, int row, unsigned left);
/* Reorder the loops of each memory as the constraints say, with as few changes as that needs: none
 * where the order respects them. */
void sator_mapper_arrange(const struct mapper_problem *problem, struct mapper_mapping *mapping);

/* ---- conflict.c ---- */
/* Whether some mapping is legal, as far as that can be told quickly; else SATOR_INFEASIBLE after a
 * message that names the tightest obstacle. "plain" is the problem without its constraints, which
 * are "texts". */
enum sator_status sator_mapper_check_feasible(struct sator_ctx *ctx,
        const struct mapper_problem *problem, const struct mapper_problem *plain,
        const char *const *texts, int n_texts);
/* The same without a message; true when it cannot be told quickly. */
bool sator_mapper_is_feasible(const struct mapper_problem *problem);
/* Some legal mapping, at once; false when there is none or none is found quickly. */
bool sator_mapper_find_any(const struct mapper_problem *problem, struct mapper_mapping *mapping);

/* ---- why_not.c ---- */
/* Add a line for each capacity of memory "m" that tiles of "size" words an access exceed: "L1 needs
 * 9 words, has 8 (words: ...)". "purpose" says what needs them: " for one instance" or "". */
struct sator_text;
void sator_mapper_say_capacities(const struct mapper_problem *problem, int m, const int64_t *size,
        const char *purpose, struct sator_text *text);
/* A "loops:" dataflow, whose names have been checked, as a mapping; a line in "outside" for each
 * loop that has no place in one. */
void sator_mapper_from_nest(const struct mapper_problem *problem,
        const struct sator_dataflow *dataflow, struct mapper_mapping *mapping,
        struct sator_text *outside);
/* Whether of each loop on several dimensions of an array the outermost digit is on the first. */
bool sator_mapper_is_in_order(const struct sator_dataflow *dataflow);
/* What is said of a mapping, a line each: inequalities that it breaks, and what keeps it from the
 * space that is searched. */
struct mapper_faults {
    struct sator_text broken, outside;
};
/* Add the lines about "dataflow", whose names have been checked. True when there are none: it is
 * "mapping" then, up to the order of parallel loops. */
struct mapper_words;
bool sator_mapper_why_not(const struct mapper_problem *problem, struct mapper_words *words,
        const struct sator_dataflow *dataflow, struct mapper_mapping *mapping,
        struct mapper_faults *faults);

/* ---- words.c: sizes of sums of arithmetic progressions, remembered ---- */
struct mapper_words;
struct mapper_words *sator_mapper_words_new(const struct mapper_problem *problem);
void sator_mapper_words_free(struct mapper_words *words);
const struct mapper_problem *sator_mapper_words_problem(const struct mapper_words *words);
/* Steps of an index: tile extents by part, the parallel steps that share words, and a shift. */
struct mapper_steps {
    int64_t tile[MAPPER_PARTS];
    int n_spread;
    int64_t spread_step[MAPPER_SPREADS], spread_count[MAPPER_SPREADS];
    int spread_part[MAPPER_SPREADS]; /* whose loop it is */
    bool any; /* a position keeps what any position held, not only what it held itself; of no
                 account, and not set, where there is one position */
};
static inline bool sator_mapper_steps_share(const struct mapper_steps *steps)
{
    return steps->n_spread > 0 && steps->any;
}
/* The number of values of the index over the tiles of all spread positions. */
int64_t sator_mapper_words_union(
        struct mapper_words *words, int access, int index, const struct mapper_steps *steps);
/* Of these, the values that every position which touches them also touched when each tile stood
 * "shift" lower. */
int64_t sator_mapper_words_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, int64_t shift);
/* Moves of an index by i shift[0] + j shift[1]: i from -most[0] to most[0] but not 0, j from
 * -most[1] to most[1], with "both" not 0. */
struct mapper_moves {
    int64_t shift[2], most[2];
    bool both;
};
/* The most that one of the moves keeps. */
int64_t sator_mapper_words_most_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const struct mapper_moves *moves);
/* The values of a sum of two loops over nx and ny steps: pairs (x, y) and (x + b, y - a) agree,
 * with a and b the coefficients over their greatest common divisor, so each value's pairs form a
 * chain, and the pairs without a predecessor are as many as the values. */
static inline int64_t sator_mapper_pair(const struct mapper_index *index, int64_t nx, int64_t ny)
{
    int64_t a = index->reduced[0], b = index->reduced[1];

    return nx * ny - (nx > b ? nx - b : 0) * (ny > a ? ny - a : 0);
}

/* Whether the tile takes all values between its least and greatest (up to a common divisor): it
 * then keeps the less the further it moves. */
bool sator_mapper_words_gapless(
        struct mapper_words *words, int access, int index, const struct mapper_steps *steps);

/* The place of a number to be remembered under "key" (not beginning as one of words.c's); "*is_new"
 * says that it is not there yet. Valid until the next call. */
enum {
    MAPPER_KEY = 7 + MAPPER_PARTS + 2 * MAPPER_SPREADS
};
int64_t *sator_mapper_words_place(
        struct mapper_words *words, const int64_t *key, int length, bool *is_new);

/* ---- words_cut.c: the same with short last tiles ---- */
/* The values over the tiles of all spread positions without the last "cut" iterations of each part:
 * at its last position (always, when it is not spread) the tile is so much shorter, and where that
 * is more than a tile, positions before it lose theirs, too. Some tile is left. */
int64_t sator_mapper_words_union_cut(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *cut);
/* Of these, cut by "now", the values that every position which touches them also touched when each
 * tile stood "shift" lower and was cut by "before". */
int64_t sator_mapper_words_kept_cut(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *now, const int64_t *before, int64_t shift);

struct sator_value_set;
/* Set "set" (GIVE: sator_value_set_free) to the values of a tile that begins at 0, in runs that
 * suit tiles "like" it; extents by part. Sets of one index and one "like" may be compared. */
void sator_mapper_tile_set(const struct mapper_index *index, const int64_t *like,
        const int64_t *tile, struct sator_value_set *set);

/* The least number of values that an index with a divisor takes over the tiles of all spread
 * positions, wherever they are. */
int64_t sator_mapper_least_quotients(
        const struct mapper_index *index, const struct mapper_steps *steps);

/* ---- tilings.c ---- */
struct mapper_shape;
struct mapper_traffic;
struct mapper_alone;
struct sator_tiling;
struct mapper_tilings;
struct mapper_tilings *sator_mapper_tilings_new(const struct mapper_problem *problem);
void sator_mapper_tilings_free(struct mapper_tilings *tilings);
/* Of the memory that "words" keeps. */
struct mapper_tilings *sator_mapper_words_tilings(struct mapper_words *words);
/* The words of the largest tile of these extents by loop, wherever it is. */
int64_t sator_mapper_tiling_most(struct mapper_tilings *tilings, int access, const int64_t *tile);
/* The tiling of a transfer's digits, none in order yet; "grouped": PEs along the rows "shared"
 * share words. "alone": only the words of one PE (see ragged.c), or NULL. It is that of the same
 * transfer, grouped or not, until the next call; if it "stays", until the next call for one that
 * does, whatever is counted meanwhile. */
struct sator_tiling *sator_mapper_tiling_open(struct mapper_tilings *tilings,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        unsigned shared, bool grouped, const struct mapper_alone *alone, bool stays);
/* The words that cross, or TILING_UNKNOWN. */
int64_t sator_mapper_tiling_words(struct mapper_tilings *tilings,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        unsigned shared, bool grouped, const struct mapper_alone *alone);
/* Set the words of a transfer. */
void sator_mapper_count_tiling(struct mapper_tilings *tilings, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer, unsigned shared,
        struct mapper_traffic *traffic);

/* ---- cost.c ---- */
/* The words of "tile" (extents by loop) of an access. */
int64_t sator_mapper_tile_words(struct mapper_words *words, int access, const int64_t *tile);
/* Whether tiles of "size" words an access fit memory "m"; else "*violated" (may be NULL) is the
 * capacity. */
bool sator_mapper_fits(
        const struct mapper_problem *problem, int m, const int64_t *size, int *violated);

/* Suffix products of the factors, at most the extents: inside[r][i] is the extent of loop i that
 * rows r.. cover; and the parallel factors above 1, those of a row in their order there. */
struct mapper_shape {
    int64_t inside[MAPPER_ROWS + 1][MAPPER_LOOPS];
    bool in_any_order; /* on rows of arrays: only what holds in all of them may be said */
    int n_digits;
    struct mapper_digit {
        int row, loop;
        int64_t count;
    } digit[MAPPER_ROWS * MAPPER_LOOPS];
};
void sator_mapper_shape_init(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct mapper_shape *shape);

/* A parallel factor of a network's rows, those of the PE's first coordinate first. */
struct mapper_net_digit {
    int row, loop;
    int index; /* that the loop moves, or -1 */
    int64_t count, step; /* step: of the index */
};

/* One transfer with its factors known: what one stamp moves. */
struct mapper_walk {
    const struct mapper_problem *problem;
    const struct mapper_transfer *transfer;
    const struct mapper_access *access;
    int number; /* of the transfer */
    unsigned shared; /* rows whose PEs may share words: the group's */
    /* A sliding index is unrolled so that words pass from PE to PE in ways that no group has
     * (passing.c): the group is all PEs of these rows, whose words "group_words" says, and no index
     * by itself. A relaxed walk instead lets the whole group hold what any of its PEs holds, or,
     * where there are buses alone, takes them to be one family: what crosses then is no more. */
    bool passes, is_relaxed;
    /* Positions of loops that do not index the access in rows that only links from the stamp before
     * lead along: when a word enters the group, which held it nowhere, it enters at all of them. */
    int64_t copies; /* part of "groups" where the walk is relaxed */
    double entering; /* where the next is set: into a copy, in a stamp that keeps nothing */
    bool knows_net; /* a relaxed one: sator_mapper_entering may be asked all the same */
    int n_ways; /* of the links, then buses, that are used: all */
    int n_net_digits;
    struct mapper_net_digit net_digit[MAPPER_DIGITS]; /* where passing.c may be asked */
    struct mapper_steps steps[MAPPER_INDICES]; /* of sliding indices */
    int64_t group_values[MAPPER_INDICES], tile_values[MAPPER_INDICES]; /* of each index */
    int64_t group_words; /* that cross in one stamp to the PEs that share */
    int64_t tile_words;
    int64_t groups, tiles; /* of each, at once */
    int64_t stamps; /* in all; see sator_mapper_stamps */
    int cold_row; /* loops of rows before it keep nothing (skew.h) */
    /* words that a group and a tile touch in the whole run, at least: set by
     * sator_mapper_walk_cover */
    int64_t group_cover, tile_cover;
    bool spread; /* parallel positions move an index */
    /* imperfect problems, set by sator_mapper_walk_cut: how much shorter the last tile of each loop
     * is; all words are fewer by a factor for loops that stand alone in an index; of the others,
     * the share of the stamps in which a group and a tile have the last one, and the mean values of
     * an index. */
    const int64_t *cut; /* NULL: none */
    unsigned open; /* loops whose tiles may be smaller than those of the shape */
    double scale, tile_scale; /* of the words of groups, and of tiles */
    double group_rate[MAPPER_LOOPS], tile_rate[MAPPER_LOOPS];
    double group_mean[MAPPER_INDICES], tile_mean[MAPPER_INDICES];
};

/* The same transfer along the temporal loops outside its child, innermost loop first. */
struct mapper_pace {
    int64_t inside; /* product of the loops placed */
    int64_t still; /* of those placed before anything moved */
    int64_t kept_unique,
            kept_arriving; /* words that need not cross, of one group and of one tile */
    int64_t shift[MAPPER_INDICES]; /* how far the placed loops fall back when the next one steps */
    bool moved, dead; /* some shift is not 0; nothing is kept from here on */
};
void sator_mapper_walk_init(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, int transfer, struct mapper_walk *walk);
/* The same for a lower bound of what crosses: relaxed where words pass from PE to PE. */
void sator_mapper_walk_relax(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, int transfer, struct mapper_walk *walk);
/* Set the covers of a sliding access (of others they are no use). Time rows outside the child may
 * be missing from "shape". */
void sator_mapper_walk_cover(
        struct mapper_walk *walk, struct mapper_words *words, const struct mapper_shape *shape);
/* Whether the transfer's child, with nothing that holds the tensor outside of it and "stamps"
 * prefix stamps, has all of it from the start. */
static inline bool sator_mapper_is_loaded(
        const struct mapper_problem *problem, const struct mapper_transfer *t, int64_t stamps)
{
    return t->is_outside && stamps == 1 && (t->outer | t->between) == 0 &&
            problem->access[t->access].role == SATOR_READ;
}
/* Set the walk's stamps from the time rows outside the child. */
void sator_mapper_walk_stamps(struct mapper_walk *walk, const struct mapper_mapping *mapping);
void sator_mapper_pace_init(struct mapper_pace *pace);
void sator_mapper_pace_place(const struct mapper_walk *walk, struct mapper_words *words,
        struct mapper_pace *pace, int loop, int64_t factor, int64_t step);
/* The words of a group and of a tile that are kept when "loop" steps by "step" and, along index e,
 * the loops inside it fall back by -shift[e]. */
void sator_mapper_kept_words(const struct mapper_walk *walk, struct mapper_words *words,
        const int64_t *shift, int loop, int64_t step, int64_t *group, int64_t *tile);
static inline int64_t sator_mapper_unique(
        const struct mapper_walk *walk, const struct mapper_pace *pace)
{
    return walk->groups * (walk->group_words * walk->stamps - pace->kept_unique);
}
static inline int64_t sator_mapper_arriving(
        const struct mapper_walk *walk, const struct mapper_pace *pace)
{
    return walk->tiles * (walk->tile_words * walk->stamps - pace->kept_arriving);
}

/* ---- passing.c: words that pass from PE to PE ---- */
struct sator_memo;
/* What entered, int64_t, by the keys of passing.c. */
struct sator_memo *sator_mapper_words_entering(struct mapper_words *words);
/* Whether the transfer needs passing.c: a sliding index has digits in rows with links, or in rows
 * of buses no one family of which has them all. */
bool sator_mapper_is_passed(const struct mapper_problem *problem,
        const struct mapper_transfer *transfer, const struct mapper_shape *shape);
/* The transfers that need it in a mapping whose parallel factors are known. */
unsigned sator_mapper_passed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Whether it takes some of those into the compute units. */
bool sator_mapper_passes_directly(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Set the digits of a walk that passes, whose shared rows are known. */
void sator_mapper_walk_digits(struct mapper_walk *walk, const struct mapper_shape *shape);
/* The words that enter the group of a walk that passes in a stamp when each index e has moved by
 * shift[e] since the one before; NULL: nothing was held before. */
int64_t sator_mapper_entering(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift);
/* The same, without the values of plain indices, where tiles are shorter at the last position of a
 * part (always, where it has one): by index and part, now and in the stamp before. */
struct mapper_cuts {
    int64_t now[MAPPER_INDICES][MAPPER_CUT_PARTS], before[MAPPER_INDICES][MAPPER_CUT_PARTS];
};
int64_t sator_mapper_entering_cut(struct mapper_words *words, const struct mapper_walk *walk,
        const int64_t *shift, const struct mapper_cuts *cuts);
/* The words that enter all groups of a transfer that passes, over the whole run of a mapping, when
 * only the first "n_ways" of the links, then buses, are used. */
int64_t sator_mapper_count_ways(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int transfer, int n_ways);

/* The time-stamps of a mapping. */
int64_t sator_mapper_time_stamps(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
struct mapper_traffic {
    int64_t unique[MAPPER_TRANSFERS], arriving[MAPPER_TRANSFERS];
    int64_t time_stamps;
    int64_t active_pes; /* in a hull */
    /* transfers that are counted: what they spend beyond their prices, and the words that trees
     * merge */
    double extra_pj[MAPPER_TRANSFERS];
    int64_t merged[MAPPER_TRANSFERS];
    struct mapper_crew crew;
    bool is_uneven; /* instances that are used do not move the same */
    double busiest_cycles[MAPPER_PORTS]; /* then: of the one that moves most */
    bool is_unknown; /* the counting engines gave up on one: the cost is infinite */
};
/* The exact traffic of a mapping whose factors multiply to the extents (or, in an imperfect
 * problem, as doc/mapper.md says). */
void sator_mapper_count(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic);
struct mapper_cost sator_mapper_cost(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic);
double sator_mapper_value(enum sator_map_objective objective, double pj, double cycles);
/* Whether the mapping respects arrays, capacities and constraints; words may be NULL. */
bool sator_mapper_is_legal(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping);
/* ---- ports.c ---- */
/* Set the problem's ports and what each transfer moves through them; SATOR_INPUT with a message
 * when there are too many. */
enum sator_status sator_mapper_find_ports(struct sator_ctx *ctx, struct mapper_problem *problem);
/* What the parallel factors of "shape" say; a bound while the others are not known, or some of the
 * parallel ones are not, those of "open" rows. */
void sator_mapper_crew_init(const struct mapper_problem *problem, const struct mapper_shape *shape,
        unsigned open, struct mapper_crew *crew);
/* The same of a whole mapping of whole tiles, exactly; nothing is lent. */
void sator_mapper_crew_of(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_crew *crew);
/* The same when none are known. */
void sator_mapper_crew_unknown(const struct mapper_problem *problem, struct mapper_crew *crew);
/* The port that words of "access" pass through at memory "m", or -1: no limit. */
int sator_mapper_port_of(const struct mapper_problem *problem, int m, int access, bool writes);
/* The memory that serves the compute units access by access, no array between: -1 for an access
 * that has none. */
int sator_mapper_own_memory(const struct mapper_problem *problem, int access);

/* ---- busiest.c ---- */
/* The words of a perfect mapping's access "access" that one PE of the rows before "row" touches in
 * the whole run. */
int64_t sator_mapper_instance_words(const struct mapper_problem *problem,
        struct mapper_words *words, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int row, int access);
/* Set what the traffic of a mapping, whose words are counted, says of its instances. */
void sator_mapper_find_busiest(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_traffic *traffic);
/* The bits of each port, as "crew" counts them; its cycles. */
void sator_mapper_port_bits(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, double *bits);
void sator_mapper_port_cycles(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, double *cycles);

/* ---- imperfect.c ---- */
/* Which chains of factors a loop may have where they need not divide. */
enum mapper_form {
    MAPPER_ANY, /* ceilings at every level */
    MAPPER_FILLED, /* words pass along its PEs: only the innermost tiles leave a remainder, and all
                      its PEs have a tile at all times */
    MAPPER_WHOLE /* the same into the compute units: all factors divide */
};
/* The parallel positions of one loop: in the arrays inside the innermost memory, and in those
 * outside of it. */
struct mapper_unrolled {
    int64_t lanes, pes;
    enum mapper_form form;
};
void sator_mapper_unrolled(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, struct mapper_unrolled *unrolled);
/* The blocks of at most "lanes" iterations that a loop of extent "n" has. */
static inline int64_t sator_mapper_blocks(int64_t n, int64_t lanes)
{
    return (n + lanes - 1) / lanes;
}
/* Whether "factor" is the least that makes as many tiles of "n" as it does. */
static inline bool sator_mapper_is_ceiling(int64_t n, int64_t factor)
{
    return sator_mapper_blocks(n, sator_mapper_blocks(n, factor)) == factor;
}
/* The least number of tiles that "pes" PEs of the array of row "row" are for: where the array has
 * several dimensions, not every number is a product of two that fit. */
int64_t sator_mapper_least_spread(const struct mapper_problem *problem, int row, int64_t pes);
/* Whether "pes" PEs of the array dimensions from row "row" outward are a chain of ceilings over
 * "tiles" tiles: as many of each dimension as are needed for so many steps. */
bool sator_mapper_spreads(
        const struct mapper_problem *problem, int row, int64_t tiles, int64_t pes);
/* Whether "lanes" of the loop may be unrolled inside the innermost memory. */
bool sator_mapper_may_lane(const struct mapper_problem *problem, int loop, int64_t lanes);
/* What a loop with "tile" blocks at the innermost memory leaves to the memories further out, all of
 * its PEs taken off; 0: the space of the imperfect problem has no such mapping. */
int64_t sator_mapper_left(const struct mapper_problem *problem, int loop,
        const struct mapper_unrolled *unrolled, int64_t tile);
/* Whether the factors of "loop" are those of a mapping of the space; those of all loops. */
bool sator_mapper_is_chain(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop);
/* Whether the factors of array dimension "row" are ceilings of the tiles that those inside leave.
 */
bool sator_mapper_is_row_chain(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int row);
bool sator_mapper_is_in_space(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Whether no innermost memory is ever without a tile: every combination of the digits outside it
 * occurs, and only the last tile of a loop is short. */
bool sator_mapper_is_filled(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* The tiles of "n" blocks that are least for their number, ascending (in the arena). */
int sator_mapper_tiles(struct sator_arena *arena, int64_t n, const int64_t **tiles);
/* The innermost tiles that a loop with "lanes" may have: these, or the one that a constraint sets.
 */
int sator_mapper_tiles_of(const struct mapper_problem *problem, struct sator_arena *arena, int loop,
        int64_t lanes, const int64_t **tiles);

/* ---- ragged.c ---- */
/* Whether the factors of some loop of "loops" multiply to more than its extent. */
bool sator_mapper_is_ragged(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned loops);
/* Set what the cuts take off: "cut" by loop (borrowed), "outside" the temporal factors outside by
 * loop; before the covers. */
void sator_mapper_walk_cut(struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_shape *shape, const int64_t *cut, const int64_t *outside);
/* Whether tiles of the transfer are short, or some PE has none at some time. */
bool sator_mapper_is_cut(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer);
/* One transfer of a mapping whose last tiles may be short, its temporal loops placed one by one,
 * innermost first. */
struct mapper_ragged {
    const struct mapper_walk *walk; /* borrowed */
    struct mapper_words *words;
    struct sator_tiling *tiling; /* NULL: words pass from PE to PE, and are counted by the rest */
    int64_t cut[MAPPER_LOOPS]; /* how much shorter the last tile is */
    int64_t apart[MAPPER_LOOPS]; /* parallel positions that share no words */
    int64_t outer[MAPPER_LOOPS], inner[MAPPER_LOOPS]; /* temporal factors not yet placed, placed */
    int64_t fall[MAPPER_LOOPS]; /* how far those placed fall back when the next one steps */
};
/* One PE of all rows before "row": of the loops that are spread over these, those in "last" have
 * their last tile there, the others have whole ones. */
struct mapper_alone {
    int row;
    unsigned last;
};
/* Nothing placed. "grouped": the words that all groups of PEs take, which share them; else those
 * that arrive in all PEs. "walk" is initialised from the same shape. One of a transfer, grouped or
 * not, at a time; other mappings may be counted before it is done. */
void sator_mapper_ragged_init(struct mapper_ragged *ragged, const struct mapper_walk *walk,
        struct mapper_words *words, const struct mapper_shape *shape,
        const struct mapper_mapping *mapping, bool grouped);
/* The words of all time-stamps, if none were kept from the one before. */
int64_t sator_mapper_ragged_all(const struct mapper_ragged *ragged);
/* Place "loop" with "factor" > 1 and the instances that a step of it skips: of these
 * words, those kept in its steps. */
int64_t sator_mapper_ragged_place(
        struct mapper_ragged *ragged, int loop, int64_t factor, int64_t step);
/* Take back the loop placed last. */
void sator_mapper_ragged_unplace(
        struct mapper_ragged *ragged, int loop, int64_t factor, int64_t step);
/* The words that cross, as above. */
int64_t sator_mapper_ragged_words(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, bool grouped,
        const struct mapper_alone *alone);
/* Set the exact words of one transfer. */
void sator_mapper_count_ragged(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_traffic *traffic);

/* ---- watch.c ---- */
/* A watch over questions to the counting engines (GIVE): they end when "search" is cancelled, or
 * at "deadline" of sator_mapper_now. */
struct mapper_watch *sator_mapper_watch_new(const struct sator_ctx *search, double deadline);
void sator_mapper_watch_free(struct mapper_watch *watch);
/* From now on only at "deadline" (INFINITY: never). */
void sator_mapper_watch_until(struct mapper_watch *watch, double deadline);
/* A question begins, and ends, in "ctx", which nothing else cancels; false: it is too late for it.
 */
bool sator_mapper_watch_begin(struct mapper_watch *watch, struct sator_ctx *ctx);
void sator_mapper_watch_end(struct mapper_watch *watch, struct sator_ctx *ctx);
/* A tile could not be counted: what is said not to fit, for want of a number, may. Nothing that
 * rests on it is proved. */
void sator_mapper_watch_note_unknown(struct mapper_watch *watch);
bool sator_mapper_watch_has_unknown(const struct mapper_watch *watch);
/* The same, and forget it. */
bool sator_mapper_watch_take_unknown(struct mapper_watch *watch);
/* Seconds of the monotonic clock. */
double sator_mapper_now(void);

/* ---- counted.c ---- */
struct sator_volumes;
struct mapper_counting;
struct mapper_counting *sator_mapper_counting_new(const struct mapper_problem *problem);
void sator_mapper_counting_free(struct mapper_counting *counting);
/* Of the memory that "words" keeps. */
struct mapper_counting *sator_mapper_words_counting(struct mapper_words *words);
/* Set the instances of a problem in a hull; messages when they cannot be counted. */
enum sator_status sator_mapper_count_instances(
        struct sator_ctx *ctx, struct mapper_problem *problem);
/* Set the time-stamps of a mapping in a hull, and the PEs that have work. */
void sator_mapper_count_stamps(struct mapper_counting *counting,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic);
/* Set footprint and volume of an access without a formula; messages when it cannot be counted. */
enum sator_status sator_mapper_count_access(
        struct sator_ctx *ctx, const struct mapper_problem *problem, struct mapper_access *access);
/* The words of the largest of its tiles of extents "tile"; INT64_MAX when that cannot be counted.
 */
int64_t sator_mapper_counted_tile(
        struct mapper_counting *counting, int access, const int64_t *tile);
/* The volumes of a counted transfer, with those of each link and bus until the next call; false
 * when the engines give up. */
bool sator_mapper_counted_volumes(struct mapper_counting *counting,
        const struct mapper_mapping *mapping, int transfer, struct sator_volumes *volumes);
/* Set the words of a counted transfer. */
void sator_mapper_count_transfer(struct mapper_counting *counting,
        const struct mapper_mapping *mapping, int transfer, struct mapper_traffic *traffic);
/* Set the cycles of the ports of "memories" from the model. */
void sator_mapper_count_ports(struct mapper_counting *counting,
        const struct mapper_mapping *mapping, unsigned memories, struct mapper_traffic *traffic);
/* What a word costs that bus "bus" of the transfer's network spares: less what it spares itself. */
/* What a word of "access" costs on a link, on a bus; NAN when not given. */
double sator_mapper_link_pj(
        const struct mapper_problem *p, const struct sator_link *link, int access);
double sator_mapper_bus_pj(const struct mapper_problem *p, const struct sator_bus *bus, int access);
double sator_mapper_tree_pj(
        const struct mapper_problem *p, const struct mapper_transfer *transfer, int bus);

/* ---- result.c ---- */
/* The mapping and all its figures as plain data in the result's arena; "scheduled" is its scheduled
 * time, or NAN for the roofline. */
void sator_mapper_describe(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, double scheduled, struct sator_map_result *result);

/* control.c: add what the mapping's instructions take, where the machine says it, to "result",
 * which is described. The search leaves it out. */
enum sator_status sator_mapper_control(struct sator_ctx *ctx, const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct sator_map_result *result);

/* Loops of extent 1 everywhere, in the order of the workload at memories, and on rows of arrays in
 * that of sator_mapper_row_order. */
void sator_mapper_mapping_init(
        const struct mapper_problem *problem, struct mapper_mapping *mapping);

/* ---- row_orders.c ---- */
/* The order of the loops of a space row unless another one is chosen, the outermost digit first:
 * those of a tensor that wires pass on stand before the others. */
void sator_mapper_row_order(const struct mapper_problem *problem, int row, int8_t *order);
/* Let the loops that share an array dimension stand in any order there, where that may matter. */
void sator_mapper_allow_orders(struct mapper_problem *problem);
/* Call "visit" with the mapping's loops on arrays in the orders that may be best: one of each kind
 * that cost the same whatever the rest, without those that never cost less than another one.
 * "is_usual": as the mapping has them, or of its kind. It ends when "visit" returns false; then the
 * mapping has its own order again. */
typedef bool sator_mapper_order_visit(void *data, bool is_usual);
void sator_mapper_each_order(const struct mapper_problem *problem, struct mapper_mapping *mapping,
        sator_mapper_order_visit *visit, void *data);
/* Whether loops of the mapping may stand in several orders on some row. */
bool sator_mapper_has_orders(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);

/* ---- left_out.c ---- */
/* What a search gave up on before it had looked at all of it. */
struct mapper_left_open {
    bool chains; /* of ceilings */
    bool orders; /* of the loops that share an array dimension */
    bool hull; /* of a domain that is no box */
};
/* What sator_analyze takes and the spaces of the problems, one a choice of what bypasses what, do
 * not have, a phrase each in the arena (KEEP). "imperfect" is the caller's word for the option of
 * that name. */
const char *const *sator_mapper_left_out(const struct mapper_problem *problems, int n_problems,
        bool skews, const char *imperfect, const struct mapper_left_open *open,
        struct sator_arena *arena, int *n_left_out);

/* ---- draw.c ---- */
uint64_t sator_mapper_random(uint64_t *state);
/* A random mapping with factors that multiply to the extents and fit the arrays; tiles may not fit.
 */
void sator_mapper_draw(
        const struct mapper_problem *problem, uint64_t *state, struct mapper_mapping *mapping);

/* ---- mapping.c ---- */
/* The mapping as space and time maps with a cut for each memory. */
const struct sator_bound_dataflow *sator_mapper_dataflow(const struct mapper_problem *problem,
        struct sator_arena *arena, const struct mapper_mapping *mapping, const char *name);

#endif
