/* An accelerator: memory levels, PE arrays and compute, outermost first (doc/formats.md,
 * architecture). */
#ifndef SATOR_ARCH_ARCH_H
#define SATOR_ARCH_ARCH_H

#include "relation/workload.h"

/* A figure with the place it comes from; value NAN when not given. */
struct sator_figure {
    double value;
    const char *source; /* NULL when the file does not say */
};

/* The energy of moving "bits" bits at once: a word, or a row of several words. */
struct sator_energy {
    double pj; /* NAN when not given */
    const char *source; /* NULL when the file does not say */
    int bits;
    bool is_row;
};

/* Not given. */
extern const struct sator_energy sator_no_energy;

enum {
    SATOR_USUAL_BITS = 16 /* of the word that an energy is for, where that is not said */
};

/* How wide words are at a place of the machine, where that is not as the workload says. */
struct sator_widths {
    int bits; /* of tensors that are not named; 0: the workload's */
    int n_tensors;
    const struct sator_tensor_width {
        const char *tensor;
        int bits;
    } * tensors;
};

/* Wires between PEs: "map" leads from the provider to the consumer (TENET, Definition 3). What a PE
 * holds at the interval-th occupied time-stamp before is available to the consumer; interval 0 is
 * the same stamp. */
struct sator_link {
    const char *name;
    const struct sator_relation *map; /* { PE[p] -> PE[q] } over this array's dimensions */
    int interval;
    int n_tensors; /* 0: serves every tensor */
    const char *const *tensors;
    double bandwidth_bits; /* per cycle of one wire; NAN: no limit */
    struct sator_energy energy; /* a hop */
    struct sator_widths widths; /* the array's */
    struct sator_loc loc;
};

/* A multicast bus (reads) or a reduction tree (writes): PEs with the same image share one transfer.
 */
struct sator_bus {
    const char *name;
    const struct sator_relation *map; /* { PE[p] -> BUS[b] } or { PE[p] -> TREE[r] } */
    bool is_reduction;
    int n_tensors;
    const char *const *tensors;
    double bandwidth_bits; /* per cycle of one bus or tree; NAN: no limit */
    struct sator_energy energy; /* delivering a word */
    struct sator_widths widths; /* the array's */
    struct sator_loc loc, tensors_loc;
};

enum sator_level_kind {
    SATOR_LEVEL_MEMORY,
    SATOR_LEVEL_ARRAY,
    SATOR_LEVEL_COMPUTE
};

struct sator_capacity {
    const char *tensor; /* NULL: shared by the tensors that have none of their own */
    double words; /* NAN when given in bytes */
    double bytes; /* NAN when given in words */
};

/* When words move between a memory and the nearest one outside that holds the tensor (doc/model.md,
 * section 7). */
enum sator_transfer_kind {
    SATOR_TRANSFER_UNSAID, /* see sator_memory_transfers */
    SATOR_TRANSFER_SERIAL, /* before, or after, the run that uses them */
    SATOR_TRANSFER_OVERLAPPED, /* while the tile before, or after, is in use */
    SATOR_TRANSFER_STREAMED /* in the stamp that uses them */
};

struct sator_tensor_transfers {
    const char *tensor;
    enum sator_transfer_kind kind;
    struct sator_loc loc;
};

/* What the file says about a memory's transfers. */
struct sator_transfers {
    enum sator_transfer_kind others; /* of the tensors that are not listed */
    int n_tensors;
    const struct sator_tensor_transfers *tensors;
    struct sator_loc loc; /* of the key; loc.source is NULL where it is not there */
};

/* What a transfer through a port costs beside its bits. */
struct sator_burst {
    int64_t setup_cycles; /* of each transfer */
    int64_t granule_bits; /* what a transfer moves is rounded up to a multiple of it; 0 or 1: it
                             is not */
};

/* A declared port of a memory: what crosses between it and the rest of the machine for some
 * tensors. */
struct sator_port {
    const char *name;
    int n_tensors; /* 0: all that no other port names in its direction */
    const char *const *tensors;
    bool reads, writes; /* what it is for */
    bool is_shared; /* reads and writes take turns: read_bits is for both together */
    double read_bits, write_bits; /* per cycle and instance; NAN when not given */
    struct sator_burst burst;
    struct sator_loc loc;
};

/* What is not done where an element is 0, to save energy: accesses of "tensor" to a memory, or
 * loop instances (doc/model.md, section 4, "Expectations"). */
struct sator_gate {
    const char *tensor; /* NULL: of loop instances */
    int n_zeros; /* tensors: the element of any of them is enough */
    const char *const *zeros;
    struct sator_loc loc;
};

struct sator_memory {
    int n_capacities;
    const struct sator_capacity *capacities;
    bool double_buffered; /* halves the capacity */
    struct sator_energy read, write; /* of tensors that have no energies of their own */
    int n_own_energies;
    const struct sator_tensor_energy {
        const char *tensor;
        struct sator_energy read, write;
    } * own_energies;
    struct sator_widths widths;
    double read_bits, write_bits; /* bandwidth per cycle and instance of what no declared port is
                                     for; NAN when not given */
    struct sator_burst burst; /* of the same */
    int n_ports; /* that are declared */
    const struct sator_port *ports;
    struct sator_figure leakage_pj; /* per cycle and instance */
    struct sator_figure area_um2; /* of one instance */
    struct sator_figure area_um2_per_byte; /* where the area is given so; else NAN */
    int n_tensors; /* tensors that it may hold; 0: all */
    const char *const *tensors;
    int n_bypass; /* tensors that it does not hold */
    const char *const *bypass;
    int n_may_bypass; /* tensors that a dataflow may have bypass it */
    const char *const *may_bypass;
    bool overlaps; /* transfers overlap with compute; false: fill and drain add to the latency */
    struct sator_transfers transfers;
    int n_gates;
    const struct sator_gate *gates;
    bool holds_idle; /* contents stay while the PE idles; else they are of the stamp before only */
};

struct sator_array {
    int n_dims;
    const int64_t *shape;
    int n_links;
    const struct sator_link *links;
    int n_buses;
    const struct sator_bus *buses;
    bool pass_through; /* words enter and leave at the edges, through PEs that idle, too */
};

struct sator_compute {
    struct sator_figure energy_pj; /* per loop instance, whatever its operands; NAN where that is
                                      given by their width */
    int n_by_width; /* ascending */
    const struct sator_width_energy {
        int bits; /* of the operands */
        struct sator_figure energy_pj;
    } * by_width;
    double cycles; /* per loop instance, default 1 */
    int64_t per_stamp; /* most instances that one PE runs in one stamp; 0: any number */
    struct sator_figure leakage_pj;
    struct sator_figure area_um2; /* of one PE's */
    int n_gates; /* 0 or 1 */
    const struct sator_gate *gates;
    int n_skips; /* 0 or 1: an instance that is left out so takes no time either */
    const struct sator_gate *skips;
};

struct sator_level {
    enum sator_level_kind kind;
    const char *name;
    struct sator_loc loc;
    struct sator_memory memory;
    struct sator_array array;
    struct sator_compute compute;
};

/* Where the architecture names a tensor. */
struct sator_tensor_mention {
    const char *name;
    struct sator_loc loc;
};

/* What controls the machine: instructions for what moves between the outermost memory and those
 * inside it (doc/model.md, section 8). */
struct sator_control {
    int instruction_bits; /* 0: the file says nothing of control */
    int from; /* the level that instructions are read from; -1: instruction_pj is what one costs */
    struct sator_figure instruction_pj;
    bool reorders; /* outputs are rewritten in the outermost memory, for whoever reads them next */
};

struct sator_arch {
    struct sator_arena *arena;
    const char *name;
    const char *summary, *source; /* NULL when the file does not say */
    struct sator_loc loc;
    double clock_mhz; /* NAN when not given */
    double technology_nm; /* NAN when not given */
    int n_levels;
    const struct sator_level *levels;
    struct sator_control control;
    int n_mentions;
    const struct sator_tensor_mention *mentions;
};

/* The space dimensions of all arrays, outermost first: the length and extents of PE[p] in a
 * space-stamp. */
int sator_arch_space_dims(const struct sator_arch *arch);
void sator_arch_shape(const struct sator_arch *arch, int64_t *shape);

/* One direction of a port, or a shared one as a whole: what has a bandwidth of its own. */
struct sator_lane {
    const char *name; /* "L2 reads", of a declared port "L2.psum reads", shared "L2.psum" */
    const struct sator_port *port; /* NULL: the memory's own, for what no declared port serves */
    bool reads, writes;
    double bits; /* per cycle and instance; NAN when not given */
    struct sator_burst burst;
};

/* The innermost memory above the outermost array, whose transfers "overlaps: false" is about; NULL
 * when there is none. */
const struct sator_level *sator_arch_scratchpad(const struct sator_arch *arch);

/* When words of "tensor" move to and from memory "level" of "arch", whose contents are one stamp's
 * if "all_time": as the memory says of the tensor, or of all; else serial at a scratchpad of
 * "overlaps: false"; else streamed for contents of one stamp, overlapped for others. Never
 * SATOR_TRANSFER_UNSAID. */
enum sator_transfer_kind sator_memory_transfers(const struct sator_arch *arch,
        const struct sator_level *level, const char *tensor, bool all_time);
/* The same of what "level" (NULL: the compute units) holds and "holder" (NULL: the outside world)
 * has outside of it: serial, too, where the holder's are, unless "level" says otherwise. */
enum sator_transfer_kind sator_transfers_between(const struct sator_arch *arch,
        const struct sator_level *holder, const struct sator_level *level, const char *tensor,
        bool all_time);
/* "serial", "overlapped", "streamed". */
const char *sator_transfer_name(enum sator_transfer_kind kind);

/* The lanes of memory "level" in "arena": of the declared ports in their order, then its own reads
 * and writes. */
const struct sator_lane *sator_memory_lanes(
        struct sator_arena *arena, const struct sator_level *level, int *n_lanes);
/* The declared port for one direction of "tensor", or NULL: the memory's own. */
const struct sator_port *sator_memory_port(
        const struct sator_memory *memory, const char *tensor, bool writes);
/* Whether words of "tensor" that are read from (written to) "memory" pass through "lane". */
static inline bool sator_lane_serves(const struct sator_memory *memory,
        const struct sator_lane *lane, const char *tensor, bool writes)
{
    return (writes ? lane->writes : lane->reads) &&
            (memory->n_ports == 0 || lane->port == sator_memory_port(memory, tensor, writes));
}

/* ---- widths: doc/model.md, section 4 ---- */

/* The bits of a word of "tensor" where words are "widths" wide; "word_bits" are the workload's. */
int sator_width_of(const struct sator_widths *widths, const char *tensor, int word_bits);

/* What moving a tensor's words takes at one place. */
struct sator_action {
    double pj; /* of one action; NAN when not given */
    double word_pj; /* of a word: its share of the action, or all the actions that it takes */
    int words; /* that an action moves: at least 1 */
    int per_word; /* actions that a word takes: 1 unless it is wider than a row */
    const char *source; /* NULL when the file does not say */
};
/* Of words of "word_bits" bits where actions cost "energy", with the source's text in "arena"
 * (NULL: as it is stated): a figure for words scales with their width, a row is what it is. */
struct sator_action sator_action_of(
        struct sator_arena *arena, const struct sator_energy *energy, int word_bits);
/* The actions that move "words" words in full rows: the last one may be partly used. */
sator_int sator_actions(const struct sator_action *action, sator_int words);
/* Whether the two are one kind of action, which can be counted together. */
bool sator_same_action(const struct sator_action *a, const struct sator_action *b);

/* Whether what is for the tensors named, for all where none is, is for "tensor". */
bool sator_serves(int n_tensors, const char *const *tensors, const char *tensor);
/* Whether a memory holds a tensor of this name, unless the dataflow has it bypassed. */
bool sator_memory_holds(const struct sator_memory *memory, const char *tensor);

int sator_memory_word_bits(const struct sator_memory *memory, const char *tensor, int word_bits);
/* A read (write) of words of "tensor", which the workload has "word_bits" wide. */
struct sator_action sator_memory_action(struct sator_arena *arena,
        const struct sator_memory *memory, const char *tensor, int word_bits, bool writes);
struct sator_action sator_link_action(struct sator_arena *arena, const struct sator_link *link,
        const char *tensor, int word_bits);
struct sator_action sator_bus_action(
        struct sator_arena *arena, const struct sator_bus *bus, const char *tensor, int word_bits);

/* The width of the operands of a loop instance: of the widest tensor that it only reads (that it
 * reads, where it writes them all; that it writes, where it reads none). */
int sator_operand_bits(const struct sator_workload *workload);
/* What a loop instance of operands of "bits" bits costs. Between the widths that are given a power
 * law through the two nearest, which the source then says; beyond them NAN. */
struct sator_figure sator_compute_figure(
        struct sator_arena *arena, const struct sator_compute *compute, int bits);

/* The compute level, or NULL; the cycles that a loop instance takes there. */
const struct sator_level *sator_arch_compute_level(const struct sator_arch *arch);
double sator_arch_compute_cycles(const struct sator_arch *arch);
/* Whether words pass through idle PEs of some array. */
bool sator_arch_passes_through(const struct sator_arch *arch);

/* Whether some link, bus or tree of the array has a bandwidth. */
bool sator_array_limits_wires(const struct sator_array *array);

/* The first level below an array that says "holds: idle", or NULL. */
const struct sator_level *sator_arch_holds_idle(const struct sator_arch *arch);

/* The area of all instances of level "level" in um2: NAN where the file does not say, 0 for an
 * array (what a PE is made of are the levels inside it); and of all levels together, NAN unless
 * each memory and the compute level says. */
double sator_arch_level_area(const struct sator_arch *arch, int level);
double sator_arch_area(const struct sator_arch *arch);

/* "dataflow" bound to "workload" on this architecture: sator_dataflow_bind with its levels.
 */
enum sator_status sator_arch_bind(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_workload *workload, const struct sator_bound_dataflow **bound);
/* The same for sator_dataflow_check_names. */
enum sator_status sator_arch_check_names(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_workload *workload);

/* Add the links and buses of a topology to the array level "array_name". For PE[i,j] (in more
 * dimensions, the last two):
 *
 * - systolic-1d: link PE[i,j] -> PE[i,j+1] "east", interval 1;
 * - systolic-2d: the same, and PE[i,j] -> PE[i+1,j] "south", interval 1;
 * - mesh: links to all eight neighbours, interval 1, named by the compass ("north" is i-1); two in
 *   one dimension;
 * - multicast: PE[i,j] -> BUS[i] "row" and PE[i,j] -> BUS[j] "column": the PEs of a line share what
 *   is read in the same stamp; one bus a dimension ("line0" and so on before the last two);
 * - tree: PE[i,j] -> TREE[i] "tree": what the PEs of a row write in the same stamp leaves as one.
 *
 * SATOR_INPUT with the nearest name when there is no such topology, or the array has too few
 * dimensions for it. */
enum sator_status sator_topology(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, const char *name, const char *array_name, struct sator_array *array);

#endif
