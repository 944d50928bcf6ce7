/* What is mapped onto what: a workload and an architecture as one problem (doc/mapper.md).
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
#ifndef SATOR_MAPPER_PROBLEM_H
#define SATOR_MAPPER_PROBLEM_H

#include "arch/arch.h"
#include "base/text.h"
#include "relation/workload.h"
#include "sator/map.h"

enum {
    MAPPER_LOOPS = 16, /* loops of extent 2 and more: sets of two of each fit 32 bits */
    MAPPER_ACCESSES = 8,
    MAPPER_INDICES = 8, /* of one access */
    MAPPER_PARTS = MAPPER_LOOPS, /* loops of one index */
    MAPPER_ROWS = 16,
    MAPPER_SPREADS = 16, /* parallel digits that move one index */
    MAPPER_DIGITS = 60, /* parallel factors above 1 of one mapping: fewer than 2^57 instances */
    MAPPER_LATEST = 8, /* intervals of links with a formula, ahead under a skew, too */
    MAPPER_PAST = 2 * MAPPER_LATEST, /* stamps before, then after */
    MAPPER_SOURCES = 128, /* ways from PE to PE, each loop's digit moved by a constant */
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
     * "divisor" is not 0 it is the sum of coefficient x loop and "constant" over it, rounded down,
     * where no coefficient exceeds it. */
    bool is_core;
    int64_t divisor, constant;
    int closed; /* n_parts of an index with closed forms: one or two loops, one dimension; else 0 */
    const struct mapper_joint *joint; /* or NULL */
    int loop[MAPPER_PARTS];
    int64_t coef[MAPPER_PARTS];
    int64_t reduced[2]; /* |coefficients| of the first two loops over their greatest common divisor
                         */
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
    bool is_quotient; /* all its dimensions are quotients, or loops that stand alone, and no two
                         read the same loop: these have formulas (tilings.c) */
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
    int64_t skew; /* ... by so much ... */
    struct sator_loc skew_loc; /* ... and where */
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
    bool holds_idle; /* below an array: contents stay while an instance idles */
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
    bool is_constant; /* the same shift from every PE; else "shift" says nothing */
    bool is_idle; /* a wire that another one, against it, takes the place of */
    const struct sator_link *link;
};

/* Words of a transfer that pass through a port. */
struct mapper_flow {
    int port, transfer;
    bool arriving; /* the arriving words; else the unique ones */
    double bits; /* a word */
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
    /* By family, where it joins some PEs of its rows (every four of them, a diagonal): the bus of
     * each PE of the array, the last dimension fastest; else NULL. */
    const int32_t *bus_of[MAPPER_ROWS];
    unsigned grouped_rows; /* of these families */
    int64_t group; /* PEs next to each other that the only family joins along a single row; or 0 */
    const struct sator_link *link; /* in place of buses: wires from PE to PE */
    unsigned linked_rows; /* along which links of any kind lead */
    int n_passes;
    struct mapper_pass *passes; /* all links, in order of declaration */
    bool may_pass; /* a sliding index may be unrolled along links or several families of buses, or
                      any loop along grouped rows: see passing.c */
    /* Wires and buses that have no formula: "collapsed" are all rows that they lead over, "link"
     * and "buses" are empty. */
    bool is_complex;
    bool reaches_back; /* to the stamp before the one before, or further: */
    int latest; /* interval of its links; 1 where all that they bring is from the stamp before */
    int ahead; /* stamps that a skew has the PE of some link ahead */
    struct mapper_transfer *links_alone; /* of a complex network of links: the same without bounds'
                                            view of it, as late.c counts it; NULL: engines do */
    bool may_go_round; /* in some mapping, over several of its wires */
    bool has_late; /* a skew makes some link later than that, or has its PE run ahead: not counted
                    * on
                    */
    unsigned wired; /* rows along which wires pass on what neighbours share */
    unsigned apart; /* rows that cannot be exchanged, whatever the unrolling */
    bool is_counted; /* by the engines: a complex network, or an access without a formula */
    bool is_quotient; /* by tilings.c */
    const struct sator_model_network *network; /* of these */
    double bus_pj; /* of the buses or wires that formulas count, a word that they spare */
    double spared_pj; /* what a word that anything spares is taken to cost, as "unique_pj" and
                         "arriving_pj" have it: in a complex network the least; the engines say what
                         links and buses take beyond it */
    double least_pj; /* where links are late or the network complex: by the cheapest way */
    /* Of an output: what its trees merge starts from zero in the child, and needs no partial sum
     * from there inward. */
    bool merges;
    bool is_outside; /* from beyond the outermost memory that holds it, which nobody counts: only
                        what it merges matters */
    int inward, outward; /* the transfer of the same access one step further in and out, or -1 */
    double merged_pj; /* energy that a merged word spares, part of the next two */
    double unique_pj, arriving_pj; /* energy a word, all its actions together */
    int n_flows;
    const struct mapper_flow *flow; /* of the problem's */
};

/* A port of a memory, for reads, writes or both in turns, whose bandwidth is given. */
struct mapper_port {
    const struct sator_lane *lane; /* bits a cycle and instance */
    int memory;
    int n_flows;
    struct mapper_flow *flow; /* all that pass it */
};

/* What an unrolling alone says of costs. The time of a port is that of the instance that moves most
 * through it. All instances that are used move the same, but for partial sums: of PEs that a tree
 * joins the smallest takes them, as if it were alone. So bits of all that are used count, with
 * arriving words in the place of those that come from outside. */
struct mapper_crew {
    double instances[MAPPER_PORTS]; /* of its memory that are used */
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
struct mapper_domain;
struct mapper_skew;
struct mapper_phases;

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
     * the engines; bounds know how many instances and elements there are, and of the domain what
     * domain.h says (or NULL). */
    bool in_hull;
    const struct mapper_domain *domain;
    /* Of a hull that is searched in the place of such a domain, to begin with: its stamps take as
     * many times longer as the domain's do beside its instances (about). */
    const struct mapper_domain *lengthened;
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
    int n_flows; /* of all transfers, one after the other */
    struct mapper_flow *flow;
    double fixed_pj; /* what every mapping spends */
    double fixed_bits[MAPPER_PORTS]; /* what every mapping moves, all instances together ... */
    int n_spared; /* ... less what instances start from zero */
    struct mapper_spared {
        int port, memory, access;
        double bits; /* a word */
    } * spared;
    bool lends; /* some transfer merges words that spare energy further in */
    bool has_inner_ports; /* of memories of several instances ... */
    bool has_passed_sums; /* ... some of which may get sums from others */
    /* Memories of several instances with ports whose busiest instance only the model finds: always,
     * and where last tiles are short. */
    unsigned asked_ports, asked_ragged_ports;
    unsigned late_ports; /* with what late links bring */
    double mac_pj, cycles_per_instance;
    /* A stamp takes at least so many cycles where the first PE begins a sum, and where it goes on
     * with one, which it reads back from a memory of its own: by the roofline as many. */
    double begun_cycles, read_cycles;
    double leakage_pj; /* a cycle, everything together */
    int n_space_dims;
    int64_t array_shape[MAPPER_ROWS]; /* of all arrays together, as their PEs are */
    int64_t pes;
    bool has_energy; /* all figures that a mapping's energy needs are given */
    int n_missing; /* figures of energy that are not given: of levels and links */
    const char **missing; /* their names */
    bool has_counted; /* some transfer is counted, or a quotient, or the domain is no box */
    const struct mapper_skew *skew; /* of the arrays; NULL: none */
    /* Time is the scheduled time, in closed form (phases.h); NULL: it is the roofline, or only the
     * model counts it. The ports through which words pass while nothing else happens, always and
     * sometimes, are in sets. */
    const struct mapper_phases *phases;
    unsigned serial_ports, mixed_ports;
    unsigned beside_ports; /* words that pass further in while nothing else happens may do so beside
                              words of these */
    bool has_late; /* some transfer */
    bool mixes_wires; /* tensors that other loops index pass over wires along one row */
    bool has_fixed; /* a constraint sets factors, or limits them */
    bool has_limits; /* a constraint limits factors of memories */
    int n_spread_limits;
    struct mapper_spread_limits spread_limits[MAPPER_SPREAD_LIMITS];
    bool imperfect; /* factors need not divide what they cover ... */
    bool chains; /* ... at any level; else those outside the innermost memory divide the number of
                    its tiles, which leave a remainder only at the end */
    bool only_chains; /* then: the latter are not searched by themselves, for want of bounds */
    bool keeps_filled; /* then: but where words pass from PE to PE they are as without "chains" */
    int innermost; /* its row; inside of it stand only arrays */
    bool is_direct; /* some words go to the compute units from outside an array */
    unsigned direct_sliding; /* loops of sliding indices of such tensors */
    unsigned direct_wired; /* space rows along which links or wires pass such words on */
    unsigned linked_rows; /* the same of any words that have a formula */
    /* Of these, those where all chains are filled: a tensor's links cost differently, or are beside
     * a tree, and bring something only where PEs are idle, which has no formula. */
    unsigned mixed_direct, mixed_rows;
    bool has_orders; /* a constraint orders loops */
    bool times_wires; /* the time that is searched by has bandwidths of links in it */
    unsigned any_order; /* space rows on which loops may stand in any order; of the others the order
                           does not matter, or none is better than that of sator_mapper_row_order */
    unsigned ordered; /* loops that an order of instances keeps from running in parallel */
    const char *order; /* how the space keeps that order, for people; NULL: there is none */
    double cycle_limit; /* mappings at least as slow do not count; 0: none */
    double least_pes; /* that a constraint asks for */
    enum sator_map_objective objective;
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
/* Whether every instance touches the same places up to a translation that is linear in the loops:
 * in a box the words have a formula. */
bool sator_mapper_is_translated(const struct sator_relation *relation);

/* ---- wiring.c ---- */
/* Set what joins the PEs between the transfer's two memories; SATOR_INPUT with a message for
 * wires that cannot be followed. */
enum sator_status sator_mapper_wire(
        struct sator_ctx *ctx, struct mapper_problem *problem, struct mapper_transfer *transfer);
/* Whether a transfer's links and buses are ways of one cost a word, which its "bus_pj" has then,
 * and not too many. */
bool sator_mapper_lists_links(
        const struct mapper_problem *problem, struct mapper_transfer *transfer);
/* Whether of these links of a transfer, a set, some may lead from a PE back to it. */
bool sator_mapper_may_circle(const struct mapper_problem *problem,
        const struct mapper_transfer *transfer, uint64_t passes);

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

/* ---- domain.c ---- */
/* Set the problem's domain, unless it has too many points, or conditions that cannot be tried point
 * by point: then it is NULL. "loop_at" is that of sator_mapper_access_init. */
void sator_mapper_know_domain(
        struct sator_ctx *ctx, struct mapper_problem *problem, const int *loop_at);

/* ---- near.c ---- */
/* A problem with formulas near one without, in its arena: over the box around the domain, reads of
 * one tensor apart from each other. Where they fit, its mappings are the problem's, and constraints
 * are its own. NULL: there is none. */
struct mapper_problem *sator_mapper_near(
        struct sator_ctx *ctx, const struct mapper_problem *problem);

/* ---- ordered.c ---- */
/* Leave only mappings that keep the order of an operation in place (doc/model.md, section 1);
 * before any constraint is added. SATOR_LIMIT with a message when it was not found within the work
 * limit.
 */
enum sator_status sator_mapper_keep_order(struct sator_ctx *ctx, struct mapper_problem *problem);

/* ---- ports.c ---- */
/* Set the problem's ports and what each transfer moves through them; SATOR_INPUT with a message
 * when there are too many. */
enum sator_status sator_mapper_find_ports(struct sator_ctx *ctx, struct mapper_problem *problem);
/* The memory that serves the compute units access by access, no array between: -1 for an access
 * that has none. */
int sator_mapper_own_memory(const struct mapper_problem *problem, int access);

/* ---- cost.c ---- */
/* Set the footprints of accesses that have a formula. */
void sator_mapper_count_footprints(struct mapper_problem *problem);

/* ---- counted.c ---- */
/* Set the instances of a problem in a hull; messages when they cannot be counted. */
enum sator_status sator_mapper_count_instances(
        struct sator_ctx *ctx, struct mapper_problem *problem);
/* Set footprint and volume of an access without a formula; messages when it cannot be counted. */
enum sator_status sator_mapper_count_access(
        struct sator_ctx *ctx, const struct mapper_problem *problem, struct mapper_access *access);
/* What a word of "access" costs on a link, on a bus; NAN when not given. */
double sator_mapper_link_pj(
        const struct mapper_problem *p, const struct sator_link *link, int access);
double sator_mapper_bus_pj(const struct mapper_problem *p, const struct sator_bus *bus, int access);
/* What a word costs that bus "bus" of the transfer's network spares: less what it spares itself. */
double sator_mapper_tree_pj(
        const struct mapper_problem *p, const struct mapper_transfer *transfer, int bus);

#endif
