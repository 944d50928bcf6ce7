/* The state of one analysis, passed along its steps (model/model.c lists them in order). */
#ifndef SATOR_MODEL_ANALYSIS_H
#define SATOR_MODEL_ANALYSIS_H

#include "model/model.h"
#include "model/network.h"

/* What one memory (or the compute units) holds of one tensor, and what that costs to bring there.
 */
struct transfer {
    struct sator_model_network network; /* between the holder above and here */
    struct sator_volumes volumes;
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
    const struct sator_volumes *volumes; /* of the full stamps, one an access */
    const struct sator_model_network *networks; /* of all arrays, one an access */
    struct sator_tensor_result *tensors; /* the result's */
    struct sator_level_result *levels;
    const struct sator_level *scratchpad; /* innermost memory above the outermost array, or NULL */
    bool has_cuts;
    double scratchpad_read_bits, scratchpad_write_bits; /* of section 4 */
    /* with declared cuts, the levels other than the scratchpad; else 0 */
    double slowest_read_cycles, slowest_write_cycles;
};

/* The counter of the leading "n_time" and "n_space" dimensions. */
enum sator_status analysis_counter(
        struct analysis *analysis, int n_time, int n_space, struct sator_counter **counter);
/* The volumes of access "access" at a prefix over "network"; by_link and by_bus are filled. */
enum sator_status analysis_volumes(struct analysis *analysis, int n_time, int n_space, int access,
        const struct sator_model_network *network, struct sator_volumes *volumes);

/* levels.c: section 4 of doc/model.md; also collects the energy terms of memories and networks. */
enum sator_status analysis_levels(struct analysis *analysis);
/* metrics.c: section 3: utilization, delays, bandwidth, latency. */
void analysis_metrics(struct analysis *analysis);
/* energy.c */
void analysis_add_energy(struct analysis *analysis, const char *component, sator_int actions,
        const struct sator_figure *figure);
void analysis_finish_energy(struct analysis *analysis);

#endif
