/* The exact model: from a workload, an architecture and a dataflow to every number of
 * doc/model.md. All counts are exact integers; a quantity whose inputs the architecture does not
 * give (an energy, a bandwidth) is NAN, which reports show as "-" or null.
 */
#ifndef SATOR_ANALYZE_H
#define SATOR_ANALYZE_H

#include "sator/input.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sator_role {
    SATOR_READ,
    SATOR_WRITE
};

enum sator_engine_choice {
    SATOR_ENGINE_AUTO,
    SATOR_ENGINE_CLOSED,
    SATOR_ENGINE_GENERAL,
    SATOR_ENGINE_LISTED,
    SATOR_ENGINE_TILED
};

enum sator_model_choice {
    SATOR_MODEL_SATOR, /* doc/model.md, sections 2 to 4 */
    SATOR_MODEL_TENET /* TENET's own equations: doc/model.md, section 6; no levels, no energy */
};

enum sator_timing_choice {
    SATOR_TIMING_AUTO, /* what is usual (doc/model.md, section 7) */
    SATOR_TIMING_ROOFLINE, /* doc/model.md, section 3: everything overlaps, a lower bound */
    SATOR_TIMING_SCHEDULED /* section 7: phases */
};

/* Reuse over one link, multicast bus family or reduction tree family. */
struct sator_link_volume {
    const char *name;
    sator_int spatial_reuse; /* pairs served by it that nothing declared before it serves */
};

/* Volumes of one tensor in one role (doc/model.md, section 2), in words. */
struct sator_tensor_result {
    const char *name;
    enum sator_role role;
    int word_bits;
    sator_int access_volume;
    sator_int total_volume;
    sator_int temporal_reuse;
    sator_int spatial_reuse;
    sator_int reuse_volume;
    sator_int unique_volume;
    sator_int footprint;
    sator_int partial_sum_reads; /* writes only; 0 for reads */
    double reuse_factor;
    double interconnect_bits_per_cycle;
    double scratchpad_bits_per_cycle;
    int n_links;
    const struct sator_link_volume *links;
};

/* One tensor at one memory level (doc/model.md, section 4), in words, all instances together. */
struct sator_level_tensor {
    const char *name;
    enum sator_role role;
    sator_int tile_words; /* the most that one instance holds at any time */
    sator_int fills; /* words that the level above sends: after links and multicast */
    sator_int writes; /* words that arrive in the instances: before links and multicast */
    sator_int reads;
    sator_int updates;
};

struct sator_level_result {
    const char *name;
    int time_cut, space_cut; /* leading dimensions that select the contents */
    bool cut_declared; /* by the dataflow; false: derived (doc/model.md, section 4) */
    sator_int instances;
    double capacity_words, capacity_bytes; /* of one instance, all tensors; NAN when not given so */
    int n_tensors;
    const struct sator_level_tensor *tensors;
    double read_cycles, write_cycles; /* of its slowest port in that direction; NAN when unknown */
};

/* One direction of a port of a memory, or a shared port as a whole (doc/model.md, section 3). */
struct sator_port_result {
    const char *name; /* "L2 reads", "L2.psum writes", "L2.bus" */
    int level; /* index into the result's levels; -1: of the wires of a link, the buses or trees of
                  an array, in the scheduled latency alone */
    bool reads, writes; /* both: they take turns */
    int n_tensors;
    const char *const *tensors; /* that pass through it */
    sator_int bits; /* through that of the busiest instance; -1: not counted, for nothing asks */
    double bandwidth_bits; /* per cycle and instance; NAN when not given */
    double cycles; /* bits / bandwidth_bits; NAN when either is not known */
    /* why "cycles" is NAN though words pass, or that it is the mean instance's; else NULL */
    const char *unknown;
    /* of the scheduled latency; NAN where that is not known */
    double busy_cycles; /* the busiest instance of each stamp, added up */
    double exposed_cycles, stalled_cycles; /* that wait for it: before and after runs, within */
    const char *array; /* whose wires they are; NULL: a memory's port */
};

struct sator_energy_term {
    const char *component; /* "mac", "scratchpad.read", "east", ... */
    sator_int actions;
    double pj_per_action;
    double pj;
    const char *source; /* where the figure comes from; NULL when the file does not say */
};

/* What controlling the machine takes (doc/model.md, section 8): its energy is the terms
 * "control.fetch" and "control.reorder". */
struct sator_control_cost {
    int instruction_bits; /* 0: the machine says nothing of control, and all else is 0 */
    sator_int loads, stores; /* instructions, each for a tile from or to the outermost memory */
    sator_int reordered; /* words that are rewritten there for whoever reads them next */
};

/* What gating of zeros is expected to leave out at one place (doc/model.md, section 4,
 * "Expectations"). */
struct sator_saving {
    const char *component; /* "registers.read", "mac" */
    const char *tensor; /* whose accesses; NULL: loop instances */
    sator_int actions; /* words, or instances, that are counted: all of them */
    double carried_out; /* expected share of them, 0 to 1 */
    double pj; /* expected to be saved; NAN when the figure is not given */
};

/* The latency at one scratchpad bandwidth, as a roofline. */
struct sator_bandwidth_point {
    double bits_per_cycle;
    double read_cycles, write_cycles, total_cycles;
    const char *bound_by; /* "compute" or a port's name */
};

/* A change of the machine that makes a dataflow faster: more bandwidth of a port, or a larger
 * memory, whose derived cut then takes in more rows. */
struct sator_advice {
    const char *port; /* or NULL: a memory */
    const char *memory; /* or NULL: a port */
    double factor; /* of the bandwidth or capacity that there is */
    double needed; /* bits per cycle of one instance that make the port as fast as compute; bytes of
                      one instance, or words where the architecture gives those */
    const char *bound_by; /* what decides then; of several ports once those before have theirs */
    double total_cycles; /* then */
    bool in_words; /* "needed" of a memory */
};

struct sator_result {
    size_t size; /* of the struct in the library */
    const char *model, *timing; /* "sator" or "tenet"; what total_cycles is: "scheduled" or
                                   "roofline" */
    const char *workload, *arch, *dataflow;
    const char *space, *time; /* the dataflow's maps as text */
    const char *engine; /* "closed", "skewed", "tiled", "listed", "general", or "mixed" */
    const char *declined; /* why the closed form was not used, or NULL */
    const char *ragged; /* of a nest of tiles: loops whose factors cover more than their extents, as
                           "i 3 x 3 over 8, k 10 over 8", so that last tiles have fewer; or NULL */
    sator_int instances, stamps, time_stamps, pes, active_pes, max_active_pes;
    sator_int max_instances_per_stamp; /* most MACs of one PE in one stamp */
    double utilization_average, utilization_max;
    double macs_per_cycle;
    double compute_cycles, total_cycles;
    double roofline_cycles;
    double scheduled_cycles; /* NAN when the roofline was asked for, or it is not known */
    double scheduled_compute_cycles; /* of these, computing */
    const char *unscheduled; /* why it is not known though it was asked for; NULL otherwise */
    double read_cycles, write_cycles; /* of the slowest ports; NAN without a bandwidth */
    const char *bound_by; /* "compute" or the name of the port that decides the latency */
    double interconnect_bits_per_cycle, scratchpad_bits_per_cycle;
    int n_tensors;
    const struct sator_tensor_result *tensors;
    int n_levels;
    const struct sator_level_result *levels; /* outermost first */
    int n_ports;
    const struct sator_port_result *ports; /* by level, then as doc/formats.md orders them */
    int n_energy_terms;
    const struct sator_energy_term *energy_terms;
    double energy_pj; /* the sum of the terms; NAN when a needed figure is missing */
    double edp; /* energy_pj x total_cycles */
    struct sator_control_cost control;
    double clock_mhz, area_um2; /* of the machine; NAN when not given */
    int n_sweep;
    const struct sator_bandwidth_point *sweep;
    int n_advice; /* sator_advise; ports first, the slowest first */
    const struct sator_advice *advice;
    struct sator_arena *arena; /* owns all of this */
    double expected_energy_pj; /* energy_pj without the savings; NAN unless the workload states a
                                  density */
    int n_savings;
    const struct sator_saving *savings;
    double expected_cycles; /* at least so many where zeros are skipped (doc/model.md, section 4);
                               NAN unless a density and the machine's "skipping" say so */
};

struct sator_analyze_options {
    size_t size; /* sizeof the struct: sator/context.h */
    enum sator_engine_choice engine;
    enum sator_model_choice model;
    const double *sweep_bandwidths; /* scratchpad bandwidths in bits per cycle */
    int n_sweep;
    enum sator_timing_choice timing; /* what total_cycles, and what follows from it, shall be */
};

/* Analyse layer "layer" of "network" on "arch" under "dataflow" (GIVE: sator_result_free).
 * A dataflow that leaves the array, or a tile that does not fit, is SATOR_INPUT with a message that
 * names an instance or the inequality. Equations: TENET (ISCA 2021) Table II and (6)-(8). */
SATOR_API enum sator_status sator_analyze(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, SATOR_GIVE struct sator_result **result);
SATOR_API void sator_result_free(SATOR_TAKE struct sator_result *result);

/* What would make the analysed dataflow faster, into "result"->advice: nothing where compute
 * decides all of it. The arguments are those that "result" came from. Each port and each memory's
 * row of time takes an analysis. */
SATOR_API enum sator_status sator_advise(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_result *result);

/* Elements of the lists, NULL for one that is not there: right also with a later library, in which
 * they may be larger. */
SATOR_API const struct sator_tensor_result *sator_result_tensor(
        const struct sator_result *result, int index);
SATOR_API const struct sator_level_result *sator_result_level(
        const struct sator_result *result, int index);
SATOR_API const struct sator_port_result *sator_result_port(
        const struct sator_result *result, int index);
SATOR_API const struct sator_energy_term *sator_result_energy_term(
        const struct sator_result *result, int index);
SATOR_API const struct sator_saving *sator_result_saving(
        const struct sator_result *result, int index);
SATOR_API const struct sator_bandwidth_point *sator_result_sweep_point(
        const struct sator_result *result, int index);
SATOR_API const struct sator_advice *sator_result_advice(
        const struct sator_result *result, int index);
SATOR_API const struct sator_link_volume *sator_tensor_result_link(
        const struct sator_tensor_result *tensor, int index);
SATOR_API const struct sator_level_tensor *sator_level_result_tensor(
        const struct sator_level_result *level, int index);

/* A network under one dataflow: a result a layer and the totals. Equal layers are analysed once. */
struct sator_network_result {
    size_t size; /* of the struct in the library */
    const char *network, *arch, *dataflow;
    int n_layers;
    struct sator_layer_result {
        const char *name;
        int repeat;
        const struct sator_result *result;
        int same_as; /* index of the layer whose result this one shares, or its own index */
    } * layers;
    sator_int instances; /* totals, repeats included */
    double total_cycles, energy_pj, utilization_average;
    /* energy_pj without what gating of zeros is expected to save; NAN unless a layer states a
     * density */
    double expected_energy_pj;
    double clock_mhz, area_um2; /* of the machine; NAN when not given */
    sator_int unique_volume;
    struct sator_arena *arena;
    double expected_cycles; /* the sum; of layers that skip nothing their latency */
};
SATOR_API enum sator_status sator_analyze_network(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, SATOR_KEEP const struct sator_arch *arch,
        SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options,
        SATOR_GIVE struct sator_network_result **result);
/* sator_advise for every layer; equal ones share the answer. */
SATOR_API enum sator_status sator_advise_network(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, SATOR_KEEP const struct sator_arch *arch,
        SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_network_result *result);
SATOR_API const struct sator_layer_result *sator_network_result_layer(
        const struct sator_network_result *result, int index);
SATOR_API void sator_network_result_free(SATOR_TAKE struct sator_network_result *result);

#ifdef __cplusplus
}
#endif
#endif
