/* Execution of a mapping, stamp by stamp with values, beside the analysis of it (doc/simulate.md).
 */
#ifndef SATOR_SIMULATE_H
#define SATOR_SIMULATE_H

#include "sator/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Something that the execution and the analysis, or the loop nest, do not agree on. */
struct sator_simulation_difference {
    const char *text; /* the whole of it, as a sentence */
    const char *instance; /* of a memory, "L1[2]"; NULL where it is none in particular */
    const char *pe; /* "PE[1,2]", or NULL */
    const char *port; /* or NULL */
    int64_t cycle; /* -1: none in particular */
};

/* Cycles that the machine waited for a port. */
struct sator_simulation_stall {
    const char *port;
    int64_t cycles;
};

struct sator_simulation {
    size_t size; /* of the struct in the library */
    const char *workload, *arch, *dataflow;
    const char *space, *time; /* the dataflow's maps as text */
    bool is_whole; /* false: interrupted, all figures are of what was run */
    bool values_are_equal; /* outputs are those of the loop nest in order */
    bool counts_are_equal; /* words are those of the analysis */
    int64_t instances, time_stamps;
    int64_t words; /* that moved, all memories and wires together */
    int64_t cycles; /* -1: not timed */
    double model_cycles, roofline_cycles; /* of the analysis; NAN where it has none */
    int n_stalls;
    const struct sator_simulation_stall *stalls;
    int n_differences; /* all that were found */
    int n_kept; /* the first of them */
    const struct sator_simulation_difference *differences;
    int64_t bytes; /* of memory, for what the machine holds */
    const struct sator_result *result; /* the analysis */
    struct sator_arena *arena; /* owns all of the above but "result" */
};

struct sator_simulate_options {
    size_t size; /* sizeof the struct: sator/context.h */
    enum sator_engine_choice engine; /* of the analysis */
    int64_t first_cycle, last_cycle; /* of what is written of the run; last_cycle 0: to its end */
    void (*write_trace)(const char *text, size_t length, void *user); /* or NULL */
    void (*write_events)(const char *text, size_t length, void *user); /* or NULL */
    void (*progress)(int64_t instances, int64_t of, void *user); /* that have run; or NULL */
    void *user;
};

/* Execute layer "layer" of "network" on "arch" under "dataflow", and compare with the analysis
 * (GIVE: sator_simulation_free). What disagrees is in the result, not an error. Errors are those of
 * sator_analyze; SATOR_DECLINED with a message for inputs that cannot be executed. After
 * sator_ctx_cancel the result is of what was run until then. */
SATOR_API enum sator_status sator_simulate(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_network *network, int layer,
        SATOR_KEEP const struct sator_arch *arch, SATOR_KEEP const struct sator_dataflow *dataflow,
        const struct sator_simulate_options *options,
        SATOR_GIVE struct sator_simulation **simulation);
SATOR_API void sator_simulation_free(SATOR_TAKE struct sator_simulation *simulation);

/* Elements of the lists, as of those of a sator_result. */
SATOR_API const struct sator_simulation_stall *sator_simulation_get_stall(
        const struct sator_simulation *simulation, int index);
SATOR_API const struct sator_simulation_difference *sator_simulation_get_difference(
        const struct sator_simulation *simulation, int index);

/* An execution as text or JSON (GIVE: free; doc/simulate.md names the keys). */
SATOR_API enum sator_status sator_report_simulation(struct sator_ctx *ctx,
        const struct sator_simulation *simulation, const struct sator_report_options *options,
        SATOR_GIVE char **text);

#ifdef __cplusplus
}
#endif
#endif
