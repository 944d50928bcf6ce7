/* What analyses share, and the state of one analysis, passed along its steps (model/model.c lists
 * them in order). */
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
    bool any_role; /* there are no buses: links serve reads and writes alike */
    enum sator_role role;
    const char *tensor; /* NULL: no link or bus is for certain tensors alone */
    struct sator_model_network network;
};

/* A level of the architecture as results refer to it; figures have their own copy of the source. */
struct model_level {
    const char *name;
    const char *read_name, *write_name, *leakage_name; /* energy terms */
    struct sator_figure read_pj, write_pj, compute_pj, leakage_pj;
};

struct sator_model {
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const char *workload_name, *arch_name;
    int n_space;
    const int64_t *shape;
    const struct sator_level *scratchpad; /* innermost memory above the outermost array, or NULL */
    const struct model_level *levels; /* parallel to the architecture's */
    const char *const *tensors; /* names, one an access */
    int n_networks;
    struct shared_network *networks;
};

bool model_lists(const char *name, int n_names, const char *const *names);
/* Whether a memory holds a tensor of this name, unless the dataflow has it bypassed. */
bool model_holds(const struct sator_memory *memory, const char *tensor);
/* The network of access "access" between two space prefixes that moving its tensor needs. */
const struct sator_model_network *model_network(
        const struct sator_model *model, int from, int to, int access);

/* A counter for one prefix of the stamps; levels with equal cuts share it. */
struct prefix_counter {
    int n_time, n_space;
    struct sator_counter *counter;
};

struct analysis {
    struct sator_ctx *ctx;
    struct sator_arena *arena; /* the result's */
    const struct sator_model *model;
    struct sator_workspace *workspace;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_bound_dataflow *dataflow;
    const struct sator_analyze_options *options;
    sator_int *footprints; /* of each access, as far as known; else 0 */
    struct sator_result *result;
    int n_space, n_time;
    const int64_t *shape;
    int n_counters;
    struct prefix_counter *counters;
    int n_transfers;
    const struct transfer **transfers;
    const struct transfer **full; /* of the full stamps over all arrays, one an access */
    struct sator_tensor_result *tensors; /* the result's */
    struct sator_level_result *levels;
    const struct sator_level *scratchpad;
    bool has_cuts;
    double scratchpad_read_bits, scratchpad_write_bits; /* of section 4 */
    /* with declared cuts, the levels other than the scratchpad; else 0 */
    double slowest_read_cycles, slowest_write_cycles;
};

/* transfers.c: the questions to the counting engines, each asked once. */
/* The counter of the leading "n_time" and "n_space" dimensions. */
struct sator_counter *analysis_counter(struct analysis *analysis, int n_time, int n_space);
/* The volumes of access "access" at a prefix, over the network from the space prefix "from". */
enum sator_status analysis_transfer(struct analysis *analysis, int n_time, int n_space, int from,
        int access, const struct transfer **transfer);

/* levels.c: section 4 of doc/model.md; also collects the energy terms of memories and networks. */
enum sator_status analysis_levels(struct analysis *analysis);
/* metrics.c: section 3: utilization, delays, bandwidth, latency. */
void analysis_metrics(struct analysis *analysis);
/* energy.c; the strings become the result's. */
void analysis_add_energy(struct analysis *analysis, const char *component, sator_int actions,
        const struct sator_figure *figure);
/* The terms that need the latency, and the sum. */
enum sator_status analysis_finish_energy(struct analysis *analysis);

#endif
