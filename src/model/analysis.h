/* The state of one analysis, passed along its steps (model/model.c lists them in order). */
#ifndef SATOR_MODEL_ANALYSIS_H
#define SATOR_MODEL_ANALYSIS_H

#include "model/model.h"
#include "model/network.h"

/* What crosses the network between a level and the holder outside it, for one tensor in one role.
 */
struct transfer {
    int n_time, n_space; /* the prefix that selects the level's contents */
    int from; /* the space prefix of the holder outside */
    int access; /* index into the workload's accesses */
    const struct sator_model_network *network;
    struct sator_volumes volumes; /* by_link and by_bus are filled */
};

/* A network, shared by the tensors that it serves alike. */
struct shared_network {
    int from, to;
    enum sator_role role;
    const char *tensor; /* NULL: no link or bus is for certain tensors alone */
    const struct sator_model_network *network;
};

/* A counter for one prefix of the stamps; levels with equal cuts share it. */
struct prefix_counter {
    int n_time, n_space;
    struct sator_stamping stamping;
    struct sator_counter *counter;
};

struct analysis {
    struct sator_ctx *ctx;
    struct sator_arena *arena; /* the result's */
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_bound_dataflow *dataflow;
    const struct sator_analyze_options *options;
    struct sator_result *result;
    int n_space, n_time;
    int64_t *shape;
    int n_counters;
    struct prefix_counter *counters;
    int n_networks;
    struct shared_network *networks;
    bool tensors_differ; /* some link or bus serves certain tensors alone */
    int n_transfers;
    const struct transfer **transfers;
    const struct transfer **full; /* of the full stamps over all arrays, one an access */
    struct sator_tensor_result *tensors; /* the result's */
    struct sator_level_result *levels;
    const struct sator_level *scratchpad; /* innermost memory above the outermost array, or NULL */
    bool has_cuts;
    double scratchpad_read_bits, scratchpad_write_bits; /* of section 4 */
    /* with declared cuts, the levels other than the scratchpad; else 0 */
    double slowest_read_cycles, slowest_write_cycles;
};

/* transfers.c: the questions to the counting engines, each asked once. */
/* The counter of the leading "n_time" and "n_space" dimensions. */
enum sator_status analysis_counter(
        struct analysis *analysis, int n_time, int n_space, struct sator_counter **counter);
/* The volumes of access "access" at a prefix, over the network from the space prefix "from". */
enum sator_status analysis_transfer(struct analysis *analysis, int n_time, int n_space, int from,
        int access, const struct transfer **transfer);

/* levels.c: section 4 of doc/model.md; also collects the energy terms of memories and networks. */
enum sator_status analysis_levels(struct analysis *analysis);
/* metrics.c: section 3: utilization, delays, bandwidth, latency. */
void analysis_metrics(struct analysis *analysis);
/* energy.c */
void analysis_add_energy(struct analysis *analysis, const char *component, sator_int actions,
        const struct sator_figure *figure);
void analysis_finish_energy(struct analysis *analysis);

#endif
