/* The brute-force judge of a whole machine: memories, arrays with their links, buses and trees,
 * and ports. It runs a dataflow stamp after stamp and moves every word by itself: what a memory
 * takes up comes from a neighbour over a link, over a bus, or from the nearest memory outside; sums
 * of outputs are carried as values, and at the end the outside must hold the right ones.
 *
 * Shares no code with src/ and no formula with doc/model.md: its figures are counts of moves.
 */
#ifndef SATOR_TEST_HARDWARE_H
#define SATOR_TEST_HARDWARE_H

#include "oracle/oracle.h"

enum {
    HARDWARE_LEVELS = 8,
    HARDWARE_LINKS = 3,
    HARDWARE_BUSES = 4,
    HARDWARE_STEPS = 2,
    HARDWARE_PORTS = 3,
    HARDWARE_LOOPS = 12, /* of a nest */
    HARDWARE_NAME = 24,
    HARDWARE_PORT_RESULTS = 64
};

enum hardware_capacity {
    HARDWARE_UNLIMITED,
    HARDWARE_WORDS, /* shared by all tensors */
    HARDWARE_BYTES, /* the same, in bytes */
    HARDWARE_EACH /* a number of words for each tensor */
};

enum hardware_direction {
    HARDWARE_READ,
    HARDWARE_WRITE,
    HARDWARE_BOTH,
    HARDWARE_SHARED
};

struct hardware_port {
    unsigned tensors; /* bit set; 0: none named, all that no other port of the direction names */
    enum hardware_direction direction;
    int64_t bandwidth[2]; /* of reads, of writes; 0: not given. Equal where one number is given */
};

/* PE[q] -> PE[q + step] for each step. */
struct hardware_link {
    int interval;
    unsigned tensors;
    int n_steps;
    int64_t steps[HARDWARE_STEPS][ORACLE_SPACE];
};

/* PE[p] -> BUS[...], each coordinate of the bus one of p's: whole, divided, or the remainder. */
struct hardware_bus {
    bool is_reduction;
    unsigned tensors;
    int n_out;
    struct {
        int dim;
        int64_t divisor; /* 1: whole */
        bool is_remainder;
    } out[ORACLE_SPACE];
};

/* pJ of reading and writing a word of "bits" bits, or (a row) bits of as many words as fit. */
struct hardware_energy {
    int64_t pj[2];
    int bits;
    bool is_row;
};

struct hardware_level {
    bool is_array;
    int width, width_of[ORACLE_TENSORS]; /* of words here; 0: the workload's */
    /* a memory */
    enum hardware_capacity capacity;
    int64_t room, room_of[ORACLE_TENSORS];
    bool is_double_buffered, overlaps;
    bool holds_idle; /* contents stay while an instance idles */
    unsigned never; /* tensors that it cannot hold */
    unsigned may_bypass;
    unsigned bypassed; /* by the dataflow, out of may_bypass */
    int64_t bandwidth[2]; /* of reads, of writes; 0: not given */
    struct hardware_energy energy;
    int own_tensor; /* that has an energy of its own, or -1 */
    struct hardware_energy own_energy;
    int n_ports;
    struct hardware_port ports[HARDWARE_PORTS];
    int cut; /* declared leading time dimensions; -1: derived */
    int joined; /* of a nest: so many of its innermost loops in time are part of a skewed row; 0: as
                   many as usual, and -1: none */
    /* an array */
    int n_dims;
    int64_t shape[ORACLE_SPACE];
    int64_t skew[ORACLE_SPACE]; /* of a nest: so much later does each step along a dimension run,
                                   and the loops of the memory outside are one running number */
    int n_links, n_buses;
    struct hardware_link links[HARDWARE_LINKS];
    struct hardware_bus buses[HARDWARE_BUSES];
};

/* A loop of a nest: at a level, along a dimension of an array or (dim -1) in time. */
struct hardware_loop {
    int level, loop, dim;
    int64_t factor;
};

struct hardware {
    struct oracle_program program; /* loops, accesses, stamps; no links, no buses */
    int word_bits[ORACLE_TENSORS];
    int64_t cycles; /* an instance takes */
    int n_levels;
    struct hardware_level levels[HARDWARE_LEVELS]; /* outermost first */
    int n_nest; /* above 0: the stamps are those of this nest, and the cuts too */
    struct hardware_loop nest[HARDWARE_LOOPS]; /* outermost first */
};

/* One tensor and role at one memory, all instances together. */
struct hardware_words {
    bool held;
    int64_t tile, fills, writes, reads, updates;
};

/* What a tensor and role asks of all arrays together, full stamps (doc/model.md, section 2). */
struct hardware_volumes {
    int64_t access, total, temporal, spatial, unique, footprint;
};

struct hardware_port_result {
    char name[3 * HARDWARE_NAME]; /* "L2 reads", "L2.psum writes", "L2.psum" */
    int level;
    enum hardware_direction direction;
    int64_t bits; /* through the instance that moves most when each is looked at by itself */
    int64_t moved_bits; /* through the instance that moves most in the whole */
    int64_t all_bits; /* through all instances */
    int64_t bandwidth; /* 0: not given */
    double cycles; /* NAN without a bandwidth */
};

enum hardware_fault {
    HARDWARE_FINE,
    HARDWARE_OUTSIDE, /* an instance leaves the array */
    HARDWARE_CYCLIC, /* wires of some tensor form a cycle */
    HARDWARE_FULL /* a tile does not fit; "fault_level" says where */
};

struct hardware_result {
    enum hardware_fault fault;
    int fault_level;
    int cuts[HARDWARE_LEVELS]; /* of memories: leading time dimensions */
    struct hardware_words words[HARDWARE_LEVELS][ORACLE_ACCESSES];
    /* words over links and buses between memories, all tensors together */
    int64_t link_words[HARDWARE_LEVELS][HARDWARE_LINKS], bus_words[HARDWARE_LEVELS][HARDWARE_BUSES];
    struct hardware_volumes volumes[ORACLE_ACCESSES];
    int64_t instances, stamps, time_stamps;
    int n_ports;
    struct hardware_port_result ports[HARDWARE_PORT_RESULTS];
    double compute_cycles, total_cycles;
    char bound_by[3 * HARDWARE_NAME];
    /* whether the definition is sound */
    bool sums_are_right;
    bool sums_pass; /* from PE to PE: what one has by itself is no longer what passes its ports */
    int64_t gone_up, left; /* sums that went up by the definition, and as the words really leave */
};

/* The stamps of a nest, as expressions, and its cuts. A skewed array has a memory outside. False:
 * these are more rows than there is room for. */
bool hardware_unfold(struct hardware *hardware);

void hardware_run(const struct hardware *hardware, struct hardware_result *result);

/* Names: memories M0, M1, ..., arrays P0, P1, ..., "link" of array P0 is P0_link0. */
void hardware_level_name(const struct hardware *hardware, int level, char name[HARDWARE_NAME]);
void hardware_link_name(
        const struct hardware *hardware, int level, int link, char name[HARDWARE_NAME]);
void hardware_bus_name(
        const struct hardware *hardware, int level, int bus, char name[HARDWARE_NAME]);

/* The bits of a word of "tensor" at a level. */
int hardware_width(const struct hardware *hardware, int level, int tensor);

/* The tensors that a memory holds. */
unsigned hardware_holds(const struct hardware *hardware, int level);

#endif
