/* Proofs that a mapping is the best of all, checked without the search (doc/certificate.md).
 *
 * A claim is a workload, a machine, an objective and a value that no mapping is below. The space of
 * mappings is a tree of decisions: parallel factors first, then tiles from the outermost memory
 * inward or the innermost outward, then orders. A cover cuts the tree: each part has a bound, which
 * a relaxation gives that has nothing in common with the bounds of the search (src/mapper). Words
 * are the u and a of doc/certificate.md: "unique" ones leave or reach the outer memory, "arriving"
 * ones cross on the inner side.
 */
#ifndef SATOR_CERTIFICATE_CERTIFICATE_H
#define SATOR_CERTIFICATE_CERTIFICATE_H

#include "arch/arch.h"
#include "base/text.h"
#include "relation/workload.h"
#include "sator/map.h"

enum {
    CERT_LOOPS = 16, /* of more than one iteration */
    CERT_TENSORS = 8,
    CERT_DIMS = 8, /* of a tensor */
    CERT_ROWS = 24,
    CERT_MEMORIES = 10,
    CERT_MOVES = 48,
    CERT_LANES = 32,
    CERT_TIMES = 2 * CERT_LANES,
    CERT_RUNS = 96, /* of a dimension: digits above 1 of fewer than 2^57 instances, tiles */
    CERT_LIMITS = 64,
    CERT_SHAPES = 8, /* dimensions of an array that make one row */
    CERT_LINKS = 12, /* that serve a move */
    CERT_BUSES = 4, /* that serve a move */
    CERT_KINDS = 64, /* of coordinates of a row */
    CERT_CHOICES = 10 /* pairs of a memory and a tensor that may bypass it */
};

/* A dimension of a tensor: a sum of coefficient x loop. */
struct cert_index {
    int n;
    int loop[CERT_LOOPS];
    int64_t coef[CERT_LOOPS];
};

/* A tensor in one role. */
struct cert_tensor {
    const char *name;
    bool is_output;
    int n_dims;
    struct cert_index dim[CERT_DIMS];
    unsigned relevant; /* loops that index it */
    unsigned plain; /* of these, those that stand alone in their dimension */
    double footprint, volume; /* elements; accesses, instance by instance */
};

/* A memory's loops in time, or dimensions of an array that no transfer tells apart. */
struct cert_row {
    bool is_space;
    int memory;
    int level; /* of the architecture */
    int n_shapes;
    int64_t shape[CERT_SHAPES], pes;
    int64_t step; /* how much later PEs run with each step along it */
    unsigned banned; /* loops that a constraint keeps out */
    unsigned within[CERT_LOOPS]; /* by loop, those that a constraint puts inside of it */
};

/* What a constraint asks of a loop: the product of its factors at "rows". */
struct cert_limit {
    unsigned rows;
    int loop;
    int64_t least, most;
};

struct cert_memory {
    const struct sator_memory *spec;
    int row;
    unsigned holds; /* tensors */
    int n_capacities;
    struct cert_capacity {
        bool in_bits;
        double available;
        unsigned tensors;
    } capacity[CERT_TENSORS + 1];
    double bits[CERT_TENSORS]; /* of a word */
    double read_pj[CERT_TENSORS], write_pj[CERT_TENSORS]; /* a word */
};

/* Words of a port of all instances: its bits over bandwidth x instances used are its time. */
struct cert_lane {
    int memory;
    double bandwidth; /* bits a cycle and instance */
    double setup,
            granule; /* by the scheduled time: cycles of a transfer, whose bits are rounded up */
};

/* A tensor between a memory that holds it and the next one inside that does, or the compute units.
 */
struct cert_move {
    int tensor, parent, child; /* child: n_memories for the compute units */
    int child_row;
    unsigned outer, between; /* space rows above the parent; between the two */
    unsigned shared; /* of these, those over which a word crosses once: buses' and wires' ... */
    unsigned wired; /* ... where it is wires alone, to the next PE, and the order of loops tells */
    unsigned bused; /* of "shared": by buses or trees */
    int64_t group[CERT_ROWS]; /* PEs next to each other that share a bus along the row; 0: all */
    unsigned passed; /* those along which only links from the stamp before lead */
    int n_links;
    struct cert_link {
        bool is_wire; /* else from the stamp before */
        int64_t shift[CERT_ROWS];
    } link[CERT_LINKS];
    bool is_directed; /* what its links bring may be counted: their list is whole, and no bus is
                         beside them, but along other rows of a tensor without windows */
    /* where some of its words may have no formula (cert_counted.c) */
    bool may_count;
    bool is_odd; /* none has one: sums over both links and trees, or of windows over trees */
    unsigned connected; /* rows along which anything leads */
    bool has_more; /* links that are not listed: */
    bool is_blurred; /* links or buses along dimensions that are one row: not where they lead */
    int n_hops; /* all links in order, those too that a skew makes late */
    struct cert_hop {
        bool is_late; /* neither a wire nor from the stamp before */
        int64_t interval, shift[CERT_ROWS];
        double pj; /* a word */
    } hop[CERT_LINKS];
    int n_buses;
    struct cert_bus {
        unsigned joined; /* rows along which PEs share it */
        double pj;
    } bus[CERT_BUSES];
    bool has_network; /* some wire or bus, of which "bus_pj" is the cheapest */
    bool merges; /* sums are added on the way out */
    double bus_pj; /* of a word that the network spares */
    int read_lane, update_lane, fill_lane; /* parent's reads and writes, child's writes; or -1 */
    enum sator_transfer_kind kind[2]; /* [true]: where the child holds one stamp's words */
    int inward; /* the tensor's next move further in, or -1 */
};

struct cert_problem {
    struct sator_arena *arena;
    enum sator_map_objective objective;
    bool is_scheduled; /* time has phases */
    int n_loops;
    const char *loop_name[CERT_LOOPS];
    int64_t extent[CERT_LOOPS];
    double instances;
    int n_tensors;
    struct cert_tensor tensor[CERT_TENSORS];
    int n_rows; /* outermost first */
    struct cert_row row[CERT_ROWS];
    int n_memories;
    struct cert_memory memory[CERT_MEMORIES];
    int n_moves; /* of each tensor outermost first */
    struct cert_move *move; /* CERT_MOVES at most */
    int own[CERT_TENSORS]; /* the memory that serves the compute units with no array between; -1 */
    int own_lane[CERT_TENSORS][2]; /* that serves reads and writes there; or -1 */
    bool own_waits[CERT_TENSORS]; /* these are serial */
    int n_lanes;
    struct cert_lane lane[CERT_LANES];
    double mac_pj, cycles, leakage_pj; /* of an instance; leakage of everything, a cycle */
    double begun_cycles, read_cycles; /* that a stamp takes at least where all sums begin, and where
                                         all are read back */
    int n_limits;
    struct cert_limit limit[CERT_LIMITS];
    double least_used; /* PEs that a constraint asks for */
    bool across; /* what is skewed runs on across the tiles of memories outside */
    bool counts; /* words of skewed arrays that have no formula are counted */
    bool holds_idle; /* some memory does while its PE idles */
    bool has_late; /* links that a skew makes late, or has come from PEs ahead */
    bool has_passed; /* loops inside a skewed array that some tensor passes by */
    bool has_odd; /* sums that pass both links and trees under a skew */
    bool is_blurred; /* windows pass over links or buses of dimensions that are one row */
    bool is_left_out; /* the same, where words without a formula are not counted: there is nothing
                         to cover */
    /* Factors of a loop: divisors of its extent; or of the numbers of tiles of the innermost memory
     * whose sizes are in "tile", where the last one may be shorter. */
    const int64_t *divisors[CERT_LOOPS];
    int n_divisors[CERT_LOOPS];
    bool fills; /* tiles of the innermost memory need not divide the extent */
    bool allows_short; /* the question is about such mappings, though where words go straight to
                          compute units only those are covered whose factors divide */
    const int64_t *tile[CERT_LOOPS];
    int n_tiles[CERT_LOOPS];
    uint64_t *counting; /* work on words that are counted: looks at 64 elements */
};

/* ---- cert_problem.c ---- */
/* The pairs of a memory and a tensor that may bypass it: the spaces to cover are numbered from 0 to
 * 2 to the power of them, less 1; a bit for each pair, set where it bypasses. */
int cert_count_choices(const struct sator_workload *workload, const struct sator_arch *arch);
/* What a certificate is about. */
struct cert_question {
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    enum sator_map_objective objective;
    bool is_scheduled; /* by the scheduled time, not the roofline */
    int n_constraints;
    const char *const *constraints;
    bool joins_across; /* with skewed loops joined across the tiles of memories */
    bool counts; /* with words of skewed arrays that have no formula */
    bool fills; /* without a skew, with innermost tiles that need not divide */
};
/* One of the spaces that together are the whole. */
struct cert_space {
    unsigned choice; /* of what bypasses what */
    bool is_skewed;
    int64_t step[CERT_ROWS]; /* by memory and array dimension of the machine, outermost first */
    bool across; /* the skewed loops are joined with those of all memories outside */
    bool apart; /* no two dimensions are one row where windows pass over links or buses: what they
                   bring is counted, of more parts */
};
/* A space, in "arena". SATOR_INPUT, with "*why" (in the arena) saying what is not covered by
 * certificates. */
enum sator_status cert_problem_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct cert_space *space,
        struct cert_problem *problem, const char **why);

struct cert_part;
/* ---- cert_counted.c ---- */
/* Whether what the move brings in mappings of the part may have no formula. */
bool cert_is_counted(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);

/* ---- cert_skew.c ---- */
struct cert_spaces {
    int n;
    struct cert_space *space;
    bool has_bused; /* there are skews along dimensions whose PEs share words on a bus */
};
/* All spaces, in "arena": each skew, the one that is none first, with each choice of what bypasses
 * what. SATOR_INPUT with "*why" as above. */
enum sator_status cert_list_spaces(struct sator_arena *arena, const struct cert_question *question,
        struct cert_spaces *spaces, const char **why);
/* What a certificate calls a space: "choice 0 skew PE 1 1 across". */
const char *cert_space_text(
        struct sator_arena *arena, const struct sator_arch *arch, const struct cert_space *space);
/* How far a link leads along dimension "dim" of its array; false where that is no constant. */
bool cert_link_shift(const struct sator_link *link, int dim, int64_t *shift);

/* ---- cert_limits.c: constraints ---- */
/* Add what a constraint says; false where that is not understood. Rows are not joined yet. */
bool cert_limits_add(struct cert_problem *p, const struct sator_workload *workload,
        const struct sator_arch *arch, const char *text);
/* The coefficients of a constraint on the skew of array "*level"; 0: it is none. */
int cert_limits_skew(const struct sator_arch *arch, const char *text, int *level, int64_t *step);
/* Whether a mapping of the part may keep to the limits of factors. */
bool cert_may_be(const struct cert_problem *p, const struct cert_part *part);
/* Whether a nest is one of the space, of whatever choice: its factors make up the extents and keep
 * to all constraints, and its PEs are skewed as those of the space. */
bool cert_is_of_space(const struct cert_problem *p, const struct sator_arch *arch,
        const struct cert_space *space, const struct sator_loop_nest *nest);

/* ---- cert_sets.c: sizes of sums of arithmetic progressions ---- */
struct cert_run {
    int64_t step, count; /* 0, step, .. (count - 1) step; step may be negative */
};
/* At least (exactly, where the sums have no gaps or are few) the number of sums of one of each. */
double cert_sums(int n, const struct cert_run *runs);
/* Whether the sums are 0, step, .. (length - 1) step. */
bool cert_gapless(int n, const struct cert_run *runs, int64_t *step, int64_t *length);
/* At most the number of these that are sums, too, when moved by "shift"; by at least as much. */
double cert_common(int n, const struct cert_run *runs, int64_t shift);
double cert_most_common(int n, const struct cert_run *runs, int64_t shift);
/* The number of values that the sums of "runs" and those of "others" moved by "shift" both have, no
 * step being negative; at most, where they are many. */
double cert_both(int n, const struct cert_run *runs, int n_other, const struct cert_run *others,
        int64_t shift);
/* Sets at the places that the runs after the first "n_set" make: the number of values that no set
 * has anew, each having stood "shift" lower. At most, where they are many. */
double cert_common_of_all(int n_set, int n, const struct cert_run *runs, int64_t shift);

/* ---- cert_bound.c ---- */
/* A part of the space: factors that are decided, by row and loop. Undecided ones are 1. */
struct cert_part {
    int64_t factor[CERT_ROWS][CERT_LOOPS];
    unsigned known[CERT_ROWS]; /* loops whose factor is decided */
    unsigned loose; /* memories' rows whose tile is decided, but not that of the next one inside:
                       their factors may stand further in, too */
    bool is_unrolled; /* all of the space rows' are */
    unsigned ordered; /* space rows whose loops stand in a known order: */
    int n_along[CERT_ROWS], along[CERT_ROWS][CERT_LOOPS]; /* those above 1, innermost first */
    int n_kinds[CERT_ROWS];
    struct cert_kind { /* coordinates from which all links lead alike */
        int64_t at; /* one of them */
        double count;
    } kind[CERT_ROWS][CERT_KINDS];
};
double cert_value(enum sator_map_objective objective, double pj, double cycles);
/* Whether the tiles of memory "m" and of those outside of it fit, as far as they are decided, with
 * "times" the iterations of a loop. */
bool cert_fits(
        const struct cert_problem *p, const struct cert_part *part, int m, int loop, int64_t times);
/* No mapping of "part" has a value below this. "goal": the search for a better bound may end there.
 */
double cert_bound(const struct cert_problem *p, const struct cert_part *part, double goal);

/* ---- cert_leaf.c ---- */
/* The same where all factors are decided: of all orders. */
double cert_bound_orders(const struct cert_problem *p, const struct cert_part *part, double goal);

/* ---- cert_cover.c ---- */
struct cert_cover; /* the lines of a certificate that name parts */
struct cert_tally {
    uint64_t verified, total; /* lines */
    uint64_t parts; /* that were bounded on the way */
    const char *first_fault; /* about the first line that is not verified, in the arena; or NULL */
};
/* What writing a cover may take. */
struct cert_limits {
    double seconds; /* 0: any time */
    uint64_t parts; /* bounds; 0: 200 million */
    bool only_whole; /* it ends at the first part that is not proved */
};
/* Write a cover of the space on which no value is below "value" into "text", a line a part, and how
 * many of them are proved. SATOR_INTERRUPTED after a cancel; SATOR_LIMIT, with a message, where it
 * takes more than "limits". */
enum sator_status cert_cover_write(struct sator_ctx *ctx, const struct cert_problem *p,
        double value, const struct cert_limits *limits, struct sator_text *text,
        struct cert_tally *tally);
/* Verify the lines "lines" (ended by NUL or the end of the section), which "*end" is set after. */
enum sator_status cert_cover_check(struct sator_ctx *ctx, const struct cert_problem *p,
        double value, const char *lines, const char **end, struct cert_tally *tally);

#endif
