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

/* Wires between PEs: "map" leads from the provider to the consumer (TENET, Definition 3). What a PE
 * holds at the interval-th occupied time-stamp before is available to the consumer; interval 0 is
 * the same stamp. */
struct sator_link {
    const char *name;
    const struct sator_relation *map; /* { PE[p] -> PE[q] } over this array's dimensions */
    int interval;
    int n_tensors; /* 0: serves every tensor */
    const char *const *tensors;
    struct sator_figure energy_pj; /* per word and hop */
    double bandwidth_bits; /* per cycle of one wire; NAN: no limit */
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
    struct sator_figure energy_pj; /* per word delivered */
    double bandwidth_bits; /* per cycle of one bus or tree; NAN: no limit */
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

struct sator_memory {
    int n_capacities;
    const struct sator_capacity *capacities;
    bool double_buffered; /* halves the capacity */
    struct sator_figure read_pj, write_pj; /* per word */
    double read_bits, write_bits; /* bandwidth per cycle and instance of what no declared port is
                                     for; NAN when not given */
    struct sator_burst burst; /* of the same */
    int n_ports; /* that are declared */
    const struct sator_port *ports;
    struct sator_figure leakage_pj; /* per cycle and instance */
    struct sator_figure area_um2; /* of one instance */
    int n_tensors; /* tensors that it may hold; 0: all */
    const char *const *tensors;
    int n_bypass; /* tensors that it does not hold */
    const char *const *bypass;
    int n_may_bypass; /* tensors that a dataflow may have bypass it */
    const char *const *may_bypass;
    bool overlaps; /* transfers overlap with compute; false: fill and drain add to the latency */
    struct sator_transfers transfers;
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
    struct sator_figure energy_pj; /* per loop instance */
    double cycles; /* per loop instance, default 1 */
    int64_t per_stamp; /* most instances that one PE runs in one stamp; 0: any number */
    struct sator_figure leakage_pj;
    struct sator_figure area_um2; /* of one PE's */
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

struct sator_arch {
    struct sator_arena *arena;
    const char *name;
    struct sator_loc loc;
    double clock_mhz; /* NAN when not given */
    double technology_nm; /* NAN when not given */
    int n_levels;
    const struct sator_level *levels;
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
