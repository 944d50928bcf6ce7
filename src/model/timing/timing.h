/* The scheduled latency of an analysis (doc/model.md, section 7): its parts. */
#ifndef SATOR_MODEL_TIMING_H
#define SATOR_MODEL_TIMING_H

#include "model/analysis.h"

/* ---- what the recursion is over ---- */

/* A lane of a memory, or the wires of a link, the buses or the trees of an array, that have a
 * bandwidth: the ratio bits / cycles of what it takes. A transfer of w words of b bits takes setup
 * + ceil(w b / granule) granule cycles / bits cycles; times are counted in units of 1 / bits of a
 * cycle, which makes them whole numbers. */
struct timing_port {
    const char *name;
    int memory, lane; /* -1: wires */
    const void *declared; /* of wires: the sator_link or sator_bus, */
    const struct sator_widths *widths; /* how wide it is for whom */
    const struct sator_level *array;
    sator_int setup, granule;
    sator_int bits, cycles;
};

/* What the words of a transfer pass in one way: a port, in which they have so many bits. */
struct timing_use {
    int port; /* -1: none that has a bandwidth */
    int bits;
    sator_int words; /* of the whole run, as section 4 counts them */
    int first_dims; /* of wires: space dimensions before those of their array, */
    int dims; /* and these; what lies deeper inside shares the wires */
};

/* What one access moves between a memory, or the PEs' registers where no memory is inside an array,
 * and the holder outside of it. */
struct timing_transfer {
    int access;
    int memory; /* that is filled; -1: the PEs, for whom the holder is their own memory or not */
    int holder; /* the memory outside; -1: the outside world */
    int n_time, n_space; /* the (longest) prefix that selects the contents */
    int tile_time; /* that of the holder's; 0 where it holds one tile: of the outside world */
    int holder_space;
    bool is_own; /* the PEs' own memory serves their operands: nothing lies between */
    bool holds_idle; /* what an instance has stays while it idles */
    enum sator_transfer_kind kind;
    struct sator_transport transport; /* between the two; not where is_own */
    /* by classes: instances that differ in so many space dimensions each start sums from zero, for
     * trees outside of them add these up */
    int fresh_space;
    /* the same: where loops of the sum run outside of these trees, at a prefix of so many rows of
     * time (0: none does), one of those that differ in the dimensions from this one on takes up
     * what they have made before, and only the others start from zero */
    int late_time, late_space;
    /* the same: neither tells; what the transfer outside takes up from zero does, stamp by stamp */
    bool by_chain;
    struct timing_use sends, takes, arrives; /* reads, updates of the holder, the memory's writes */
    struct timing_use *wires; /* of the transport's links, then its buses */
    bool limits_wires; /* some of these have a bandwidth */
    bool asks; /* something does */
    int first_moved; /* in timing_sum */
};

enum timing_phase { /* of a stamp, in their order */
    TIMING_EXPOSED_LOADS,
    TIMING_SERIAL_LOADS,
    TIMING_WITH_RUN, /* streamed, and overlapped ones of the neighbours */
    TIMING_SERIAL_STORES,
    TIMING_EXPOSED_STORES,
    TIMING_PHASES
};

/* d of one port in each phase of a stamp, and in all of them together. */
struct timing_delays {
    sator_int phase[TIMING_PHASES];
    sator_int all;
};

struct timing {
    struct analysis *analysis;
    struct sator_arena *arena; /* of what is made on the way */
    int n_ports;
    struct timing_port *ports;
    int n_transfers; /* those of one access follow each other, outermost first */
    struct timing_transfer *transfers;
    int n_moved; /* ways that words take, of all transfers */
    const int *reach; /* [n_time]: the longest prefix of time with the stamps of this one */
    int n_levels; /* distinct ones of these, ascending; the last is all dimensions */
    int *lengths;
    struct timing_delays *delays; /* room for the ports' */
    bool *served; /* of wires: whose words pass, [port * accesses + access] */
    sator_int cycles, per_cycles; /* an instance takes cycles / per_cycles */
    bool has_windows; /* by classes: some memory holds windows of a skewed row */
    const char *cut_short; /* NULL, or what ended the counting by classes */
    const char *why; /* NULL, or why the time is not known */
};

/* ---- timing_ports.c ---- */

/* The decimal number that the file has for "value", as a ratio; false when that leaves 60 bits. */
bool timing_read_ratio(double value, sator_int *over, sator_int *under);
/* List the ports that have a bandwidth; false: one is no such ratio. */
bool timing_list_ports(struct timing *timing);
/* The port of memory "memory" for the words of an access in one direction, and how many these are
 * there. */
struct timing_use timing_use_of_memory(
        const struct timing *timing, int memory, int access, bool writes, sator_int words);
/* The port of a link, a family of buses or of trees. */
struct timing_use timing_use_of_wires(
        const struct timing *timing, int access, const void *declared, sator_int words);
/* The least number of words, multiples of which fill whole granules and take whole cycles, whatever
 * tensor's they are and at which port, and of instances that do at a PE; at most 2^20, else
 * INT64_MAX / 2^20. */
int64_t timing_whole_words(const struct timing *timing);

/* ---- timing_transfers.c: what moves between which memories ---- */

/* Warn of memories that are said to overlap, and have no room for two tiles. */
void timing_warn_of_room(struct timing *timing);
/* Whether some transfer takes place while neighbours of its stamp run. */
bool timing_overlaps(const struct timing *timing);
/* List them, outermost first for each access. */
enum sator_status timing_list_transfers(struct timing *timing);

/* ---- timing_phases.c: sums ---- */

/* What a run takes, and why. Sums over its stamps: all numbers in one array, which adds up. */
struct timing_sum {
    sator_int *cycles; /* R */
    sator_int *compute; /* of these, computing */
    sator_int *busy; /* v of each port, in units of 1 / bits */
    sator_int *exposed,
            *stalled; /* cycles that wait for each port: nothing runs; what runs waits */
    sator_int *moved; /* of each transfer: words sent, arrived, stored, those of each wire and bus;
                         as far as they were followed */
};

/* Words that a port's instance passes in a stamp: one row of what a transfer moves. */
struct timing_words {
    int64_t stamp, instance;
    int64_t words;
    int64_t copies; /* instances that move the same and have no row: the first has it */
    int64_t last; /* of these */
    int64_t idle; /* as many of all these move nothing, but not all */
};
struct timing_moves {
    int n, room;
    struct timing_words *rows;
};

/* Let there be room for "n" rows in all, of which nothing is touched before it is used. */
void timing_moves_reserve(struct timing_moves *moves, struct sator_arena *arena, int64_t n);
void timing_moves_push(
        struct timing_moves *moves, struct sator_arena *arena, struct timing_words row);

/* Add words; rows come sorted or are sorted afterwards. */
void timing_moves_add(struct timing_moves *moves, struct sator_arena *arena, int64_t stamp,
        int64_t instance, int64_t words);

/* Values of a tuple as one number: mixed radix over the ranges of its coordinates. */
struct timing_numbering {
    int n;
    int64_t *least, *extent;
    int64_t *below; /* of the coordinates after the first k: the product of their extents */
    int64_t range;
};

/* ---- timing_list.c: the loop instances of a nest, with their stamps and elements ---- */

struct timing_list {
    int64_t n;
    int64_t *time; /* a number for the time-stamp: order and prefixes are kept */
    int64_t *pe; /* row-major */
    int n_time;
    int64_t *time_below; /* of the prefix of length a: time / time_below[a] numbers it */
    int64_t *space_below; /* the same for space */
    int64_t pes;
    struct timing_elements {
        int n_each; /* elements of an instance: its pieces */
        int64_t *element; /* n_each for every instance; -1: none */
        const struct timing_numbering *numbering;
    } * elements; /* of each access */
    int n_folds;
    struct timing_fold *folds;
    int64_t times; /* the product of theirs */
};
/* Cover the values of the pieces' expressions over the loops' bounds; false: not in 64 bits. */
bool timing_number_tuple(struct timing *timing, const struct sator_relation *map,
        struct timing_numbering *numbering);

/* All instances of the analysis, or "why" not. */
enum sator_status timing_list_all(struct timing *timing, struct timing_list *list);

/* ---- timing_folds.c: steps of a loop that are alike, of which the list has one ---- */

/* Steps of the digit floor(value / stride) % modulus of a loop, which makes a row of time or space:
 * from "first" on so many ("times") are alike, and those after the first of them are left out. */
struct timing_fold {
    int loop;
    int64_t size; /* of the loop */
    int64_t stride, modulus;
    bool is_whole; /* the last step is no shorter */
    int64_t first, times;
    bool is_space;
    int row;
    int64_t row_factor;
    struct timing_place { /* by access: where an element's number has the loop's value */
        int64_t below, extent;
        int64_t factor; /* of the loop there; 0: the loop does not index it */
    } * elements;
};

/* Set the folds of a list whose numbers are known. */
void timing_find_folds(const struct timing *timing, struct timing_list *list);
/* The first value of the loop from "value" on (counted from 0) that is in the list. */
int64_t timing_next_value(const struct timing_list *list, int loop, int64_t value);
/* How many stamps of a prefix length the one with "code" stands for. */
int64_t timing_stamp_times(const struct timing_list *list, int length, int64_t code);
/* How many instances of so many dimensions of space each stands for. */
int64_t timing_instance_times(const struct timing_list *list, int n_space);
/* How many elements "element" stands for in the stamps and instances of these prefixes. */
int64_t timing_element_times(
        const struct timing_list *list, int n_time, int n_space, int access, int64_t element);

/* ---- timing_moves.c: what the transfers of one access move, stamp by stamp ---- */

/* The stamps of one prefix length, ascending. */
struct timing_stamps {
    int64_t n;
    int64_t *code; /* time / time_below */
    int64_t *outer; /* of each the index of its stamp one level out */
    int64_t *times; /* of each, how many it stands for */
    const struct timing_list *list;
};

/* What one transfer moves. */
struct timing_movement {
    struct timing_moves sent; /* read from the holder, by the holder's instance */
    struct timing_moves arrived; /* written to the memory, by its instance */
    struct timing_moves stored; /* updates of the holder, by the holder's instance */
    struct timing_moves *wires; /* by wire, bus or tree; NULL unless the transfer limits_wires */
};

/* The ways that the words of a transfer take, numbered: sent, arrived, stored, then each link and
 * bus. */
struct timing_way {
    const struct timing_use *use;
    const struct timing_moves *moves;
    bool is_store; /* they move when sums leave */
};
int timing_n_ways(const struct timing_transfer *transfer);
struct timing_way timing_way(const struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_movement *movement, int way);
/* The dimensions of space that tell the instances of its rows apart, but for wires. */
int timing_space_of_way(
        const struct timing *timing, const struct timing_transfer *transfer, int way);

/* The words of one transfer in a few stamps that follow each other: "key" has the pairs held in
 * them, (stamp x instances + instance) x elements + element, each times 2, plus 1 where nobody
 * touched the element in any stamp before. What is said of the first "history" stamps is void. */
struct timing_window {
    int64_t n_stamps, n_instances, n_elements, holder_instances;
    int64_t fresh_instances; /* groups of instances, in each of which one starts a sum */
    int64_t n;
    uint64_t *key;
};
/* The sums, instance x elements + element, ascending, that instances take up from zero in the
 * window's last stamp. False: the network cannot be followed. */
struct timing_sums {
    int n;
    int64_t *key;
};
bool timing_follow_starts(struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_window *window, struct timing_sums *sums);
/* False: the network cannot be followed. */
bool timing_follow_window(struct timing *timing, const struct timing_transfer *transfer,
        const struct timing_window *window, struct timing_movement *movement);

/* Follow access "access" through the machine: "movements" has one a transfer of it. "stamps" has
 * one a level. */
enum sator_status timing_follow(struct timing *timing, const struct timing_list *list,
        const struct timing_stamps *stamps, int access, struct timing_movement *movements);

/* ---- timing_phases.c: the recursion ---- */

/* The time of all stamps of a list: "most" is the most instances that one PE runs in each. */
enum sator_status timing_recur(struct timing *timing, const struct timing_stamps *stamps,
        const int64_t *most, const struct timing_movement *movements, struct timing_sum *sum);

/* What a stamp computes for, where no PE runs more than "instances". */
sator_int timing_compute(const struct timing *timing, int64_t instances);
/* Of "analysis", with what its time dimensions reach; nothing else is known yet. */
struct timing timing_of(struct analysis *analysis, struct sator_arena *arena);
int timing_level_of(const struct timing *timing, int length);
/* Make room for what is found out about ports: "delays", "served". */
void timing_make_room(struct timing *timing);
struct timing_sum timing_sum_new(const struct timing *timing);
/* sum += times x more */
void timing_sum_add(const struct timing *timing, struct timing_sum *sum, sator_int times,
        const struct timing_sum *more);

/* What a port's instance does in one phase of a stamp, for one transfer. */
struct timing_entry {
    int64_t instance;
    int port;
    enum timing_phase phase;
    sator_int cost; /* in units of the port's 1 / bits */
};
/* Of one stamp. */
struct timing_entries {
    int n, room;
    struct timing_entry *list;
};

/* What words take where they pass, in "phase" of the stamp. */
void timing_entries_add(const struct timing *timing, struct timing_entries *entries,
        const struct timing_use *use, enum timing_phase phase, const struct timing_words *row);
/* What "words" take where they pass, in units of the port's 1 / bits. */
sator_int timing_cost(const struct timing *timing, const struct timing_use *use, int64_t words);
/* Add "times" a stamp with these delays of the ports, and what is "inside" it (R, v). */
void timing_add_delays(const struct timing *timing, const struct timing_delays *delays,
        sator_int run, const sator_int *busy, sator_int times, struct timing_sum *sum);
/* Add "n" stamps whose ports' delays go in even steps from those of the first to those of the last,
 * "times" each, of which each has "run" inside. False, and nothing is added, where it is not the
 * same port that decides a phase in all of them. */
bool timing_add_ramp(const struct timing *timing, const struct timing_delays *first,
        const struct timing_delays *last, int64_t n, sator_int run, sator_int times,
        struct timing_sum *sum);
/* Add one stamp to "sum", "times": its entries, in an order of its own, and what is "inside" it (R,
 * v). */
void timing_add_stamp(const struct timing *timing, struct timing_entries *entries, sator_int run,
        const sator_int *busy, int64_t times, struct timing_sum *sum);

/* ---- timing_classes.c: stamps that are alike, counted together ---- */

/* The sum by classes; "*done" tells whether the nest has a form that falls into them. */
enum sator_status timing_by_classes(struct timing *timing, struct timing_sum *sum, bool *done);

/* ---- timing.c ---- */

/* The same, where it also adds up to what is counted of the whole run. */
enum sator_status timing_count_by_classes(
        struct timing *timing, struct timing_sum *sum, bool *done);

/* ---- timing_family.c: points of a plan that share it ---- */

/* The sum, as the analysis's family knows it: "*done". The transfers need not be listed. */
enum sator_status timing_by_family(struct timing *timing, struct timing_sum *sum, bool *done);

#endif
