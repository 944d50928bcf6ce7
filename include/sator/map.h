/* The best mapping of a workload onto an architecture, with a certificate (doc/mapper.md). */
#ifndef SATOR_MAP_H
#define SATOR_MAP_H

#include "sator/analyze.h"
#include "sator/report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sator_map_objective {
    SATOR_MAP_EDP,
    SATOR_MAP_ENERGY,
    SATOR_MAP_LATENCY
};

enum sator_map_strategy {
    SATOR_MAP_OPTIMAL, /* proves that nothing is better, or says how large the gap may be */
    SATOR_MAP_SUNSTONE, /* the published heuristic (ISPASS 2023) */
    SATOR_MAP_RANDOM, /* "samples" random mappings */
    SATOR_MAP_EXHAUSTIVE /* every mapping; refuses spaces above "limit" */
};

/* How far a search is. */
struct sator_map_progress {
    size_t size; /* of the struct in the library */
    double best; /* the objective's value; NAN: no mapping yet */
    double bound; /* nothing is better than this */
    uint64_t evaluated;
};

struct sator_map_options {
    size_t size; /* sizeof the struct: sator/context.h */
    enum sator_map_objective objective;
    enum sator_map_strategy strategy;
    const char *const *constraints; /* texts, see doc/mapper.md: "L1: k 8, c 4", "L1: order k c";
                                       or a Timeloop file, whose constraints are meant */
    int n_constraints;
    bool imperfect; /* factors need not divide what they cover, at any level; not sunstone */
    double budget_seconds; /* stop after this long; 0: no limit */
    uint64_t seed; /* random */
    uint64_t samples; /* random: 0 for 100,000; shared by the choices of what bypasses what */
    double limit; /* exhaustive: the largest space; 0 for 1e8 */
    bool top_down; /* sunstone: from the outermost memory inward instead of outward */
    int intra_order; /* sunstone: 0 ordering-tiling-unrolling, 1 tiling-unrolling-ordering,
                        2 unrolling-tiling-ordering (its Table VI) */
    int threads; /* that search: below 2 the caller's only, at most 16; the result is the same for
                    any number. Others block all signals. */
    void (*progress)(void *data, const struct sator_map_progress *progress); /* caller's thread */
    void *progress_data;
    enum sator_timing_choice timing; /* what latencies are; fronts are of the roofline */
};

/* What a search did: the certificate's counts. */
struct sator_map_counters {
    uint64_t evaluated; /* mappings costed to the end */
    uint64_t unrollings; /* choices of parallel factors looked at */
    uint64_t tilings; /* tiles of one memory looked at */
    uint64_t orders; /* partial loop orders looked at */
    uint64_t pruned_capacity; /* tiles that do not fit */
    uint64_t pruned_dominated; /* tiles that a larger one beats wherever they are used */
    uint64_t pruned_unrolling, pruned_tiling,
            pruned_order; /* whose bound is no better than the best */
    uint64_t improvements;
    uint64_t looks;
    uint64_t equal; /* exhaustive: mappings not costed, since they differ from one that was only in
                       the order of loops along which nothing is kept: they cost the same */
};

/* A loop of a mapping. */
struct sator_map_loop {
    const char *name;
    int64_t factor;
    int dim; /* dimension of the array that it runs along; -1: one iteration after the other */
};

/* How full a memory's capacity is at its fullest. */
struct sator_map_fill {
    const char *unit; /* "words" or "bytes" */
    double used, available;
    const char *tensors; /* that share it: "A, B" */
};

/* A memory or an array, with the loops that stand there. */
struct sator_map_level {
    const char *name;
    bool is_array;
    int n_loops; /* of factors above 1, outermost first */
    const struct sator_map_loop *loops;
    int n_dims; /* array: dimensions, their extents, how many of each are used */
    const int64_t *shape, *used;
    const int64_t
            *skew; /* array: how much later its PEs run with each step along each; NULL: not */
    const struct sator_level_result
            *contents; /* memory: tiles and traffic (doc/model.md, section 4) */
    int n_fills;
    const struct sator_map_fill *fills;
    int n_bypassed; /* memory: tensors that it may hold, and that bypass it */
    const char *const *bypassed;
    int n_joined; /* memory: loops that are in the row of a skewed array further in, across what the
                     memories in between hold; 0: none */
};

/* The mapping found for one workload, its cost and the certificate. */
struct sator_map_result {
    size_t size; /* of the struct in the library */
    const char *workload, *arch;
    int repeat; /* how often a network runs the layer */
    enum sator_map_objective objective;
    enum sator_map_strategy strategy;
    sator_int instances, time_stamps, pes, active_pes;
    double energy_pj, total_cycles, edp, compute_cycles;
    const char *bound_by; /* "compute", or the level and direction: "L2 reads" */
    double clock_mhz, area_um2; /* of the machine; NAN when not given */
    double utilization; /* on average over the time-stamps, as in doc/model.md */
    int n_levels; /* outermost first, compute left out */
    const struct sator_map_level *levels;
    int n_energy_terms;
    const struct sator_energy_term *energy_terms;
    struct sator_control_cost control; /* part of the energy; the search leaves it out */
    const char *space, *time; /* the dataflow in Sator's notation */
    const char *cuts; /* "{L2: {time: 1, space: 0}, ...}" */
    const char *yaml; /* a dataflow file of the "loops:" form */
    const char *idle_links; /* "east, south": links from a stamp before that carry nothing, as
                               time-stamps are not skewed; NULL when there are none */
    int n_skews; /* that were searched, the one that is none among them */
    const char
            *skew; /* "PE 1 1": arrays whose PEs run at shifted times, coefficients; NULL: none */
    double unskewed; /* then: the objective of the same loops without a skew; else NAN */
    const char *order; /* "t whole at DRAM, outside i j; not parallel: i": how the space keeps the
                          order of an operation in place; NULL for others */
    /* the certificate */
    bool proved; /* value equals bound: of all mappings but those that "left_out" names */
    int n_left_out;
    const char *const *left_out; /* what the space that was searched does not have, a phrase each */
    double value, bound, gap; /* gap = value / bound - 1; NAN without a bound */
    enum sator_status
            stopped; /* why the search ended early: SATOR_LIMIT, SATOR_INTERRUPTED, or SATOR_OK */
    double space_size; /* mappings in the space, roughly: the digits of a double; NAN when not
                          counted: with --imperfect */
    struct sator_map_counters counters;
    double seconds;
    struct sator_arena *arena; /* owns all of the above */
    const char *timing; /* what total_cycles is: "scheduled" or "roofline" */
    double roofline_cycles;
    const char *unscheduled; /* why it is not the scheduled time that was asked for; or NULL */
    /* energy_pj without what gating of zeros is expected to save; NAN unless the workload states a
     * density. The search is for the energy of what is counted. */
    double expected_energy_pj;
    int n_savings;
    const struct sator_saving *savings;
    double expected_cycles; /* as of sator_result */
};

/* Find the best mapping of layer "layer" of "network" on "arch" (GIVE: sator_map_result_free).
 * SATOR_INFEASIBLE, with a message that names the tightest obstacle, when there is none;
 * SATOR_INPUT for workloads and machines that the mapper does not handle; SATOR_LIMIT or
 * SATOR_INTERRUPTED when the search was stopped before it found any. */
SATOR_API enum sator_status sator_map(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, const struct sator_map_options *options,
        SATOR_GIVE struct sator_map_result **result);
SATOR_API void sator_map_result_free(SATOR_TAKE struct sator_map_result *result);

/* Elements of the lists, as of those of a sator_result. */
SATOR_API const struct sator_map_level *sator_map_result_level(
        const struct sator_map_result *result, int index);
SATOR_API const struct sator_energy_term *sator_map_result_energy_term(
        const struct sator_map_result *result, int index);
SATOR_API const struct sator_map_loop *sator_map_level_loop(
        const struct sator_map_level *level, int index);
SATOR_API const struct sator_map_fill *sator_map_level_fill(
        const struct sator_map_level *level, int index);

/* The mappings that no other beats in both energy and latency, the least energy first (GIVE: each
 * by sator_map_result_free, the array by free). Each is proved. Where the next one is not, since a
 * budget ends the search or it is given up, the status is SATOR_LIMIT or SATOR_INTERRUPTED, and
 * what was found so far is returned; where it is not even the first, a message has the least energy
 * that was found. */
SATOR_API enum sator_status sator_map_pareto(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, const struct sator_map_options *options,
        SATOR_GIVE struct sator_map_result ***results, int *n_results);

/* The front of a network: totals over its layers, repeats included. */
struct sator_map_front {
    size_t size; /* of the struct in the library */
    const char *network, *arch;
    int n_layers; /* that are different */
    struct sator_map_layer_front {
        const char *name;
        int layer, repeat; /* the first of the equal ones; how often they run in all */
        int n_results;
        struct sator_map_result **results; /* of sator_map_pareto */
    } * layers;
    int n_points; /* the least energy first */
    const struct sator_map_point {
        double energy_pj, total_cycles;
        const int *choices; /* which of its results each layer takes */
    } * points;
    bool thinned; /* there are more points than are kept: those between are left out evenly */
    enum sator_status stopped; /* SATOR_LIMIT or SATOR_INTERRUPTED: fronts of layers lack their
                                  faster mappings */
    struct sator_arena *arena; /* owns all but the results */
};

/* The choices of a mapping for every layer that no other choice beats in both energy and latency
 * (GIVE: sator_map_front_free). Status as of sator_map_pareto, for the first layer without a point.
 */
SATOR_API enum sator_status sator_map_network_front(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, SATOR_KEEP const struct sator_arch *arch,
        const struct sator_map_options *options, SATOR_GIVE struct sator_map_front **front);
SATOR_API void sator_map_front_free(SATOR_TAKE struct sator_map_front *front);
SATOR_API const struct sator_map_layer_front *sator_map_front_layer(
        const struct sator_map_front *front, int index);
SATOR_API const struct sator_map_point *sator_map_front_point(
        const struct sator_map_front *front, int index);

/* Why "dataflow" is not the answer (GIVE: free). SATOR_INFEASIBLE, with a line for each inequality
 * that it breaks, for a mapping that sator_analyze refuses. Otherwise how its objective compares
 * with "best" (NULL: no comparison), what keeps it from the space that is searched, a line each,
 * and its figures. */
SATOR_API enum sator_status sator_map_why_not(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_map_options *options, SATOR_KEEP const struct sator_map_result *best,
        SATOR_GIVE char **text);

/* How often the network runs layer "layer"; -1 when there is none. */
SATOR_API int sator_map_layer_repeat(SATOR_KEEP const struct sator_network *network, int layer);

/* The first layer of the network that is equal to "layer" in all that a mapping depends on; -1 when
 * there is no such layer. */
SATOR_API int sator_map_same_layer(SATOR_KEEP const struct sator_network *network, int layer);

/* A network whose layers were mapped. */
struct sator_map_network {
    size_t size; /* sizeof the struct: sator/context.h */
    const char *name;
    int n_unmapped; /* layers without a result: totals are not known then */
    const char *const *unmapped; /* their names */
};

/* A machine that a workload or a network was mapped onto. */
struct sator_map_machine {
    size_t size; /* sizeof the struct: sator/context.h */
    const char *arch;
    bool is_network;
    const struct sator_map_network *network; /* its name, that of the workload otherwise */
    const struct sator_map_result *const *results; /* of the different layers */
    int n_results;
};
/* Machines side by side: the totals of a network, or one workload's figures (GIVE: free). */
SATOR_API enum sator_status sator_report_machines(struct sator_ctx *ctx,
        const struct sator_map_machine *machines, int n_machines,
        const struct sator_report_options *options, SATOR_GIVE char **text);

/* One mapping in full, or a network's layer by layer with totals (GIVE: free). "network" is NULL
 * for a single workload. */
SATOR_API enum sator_status sator_report_maps(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results,
        const struct sator_report_options *options, SATOR_GIVE char **text);

/* A network's front (GIVE: free): a table of some of its points as text, all of them as CSV or
 * JSON.
 */
SATOR_API enum sator_status sator_report_network_front(struct sator_ctx *ctx,
        const struct sator_map_front *front, const struct sator_report_options *options,
        SATOR_GIVE char **text);

/* The mappings of sator_map_pareto, one at least, in a table (GIVE: free); "complete" as it says.
 */
SATOR_API enum sator_status sator_report_front(struct sator_ctx *ctx,
        const struct sator_map_result *const *results, int n_results, bool complete,
        const struct sator_report_options *options, SATOR_GIVE char **text);

#ifdef __cplusplus
}
#endif
#endif
