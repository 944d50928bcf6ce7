/* A mapping carried out: every word and every sum of a run, stamp by stamp, with values.
 *
 * Nothing here counts by formula. What is shared with the analysis are the declared inputs: the
 * workload, the architecture, the bound dataflow and the cuts of the memories.
 */
#ifndef SATOR_SIMULATE_SIMULATE_H
#define SATOR_SIMULATE_SIMULATE_H

#include "arch/arch.h"
#include "relation/workload.h"
#include "sator/simulate.h"

enum {
    SIMULATE_MOST_WORDS = 1 << 29 /* of one tensor, in all instances of a memory together */
};

struct simulate_question {
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_bound_dataflow *dataflow;
    const int *time_cuts; /* of each level of the architecture; only those of memories count */
    const struct sator_simulate_options *options;
    int64_t instances; /* that there are, for the progress; 0: not known */
};

/* What moved, all instances together. */
struct simulate_words {
    int level, access; /* a memory of the architecture, an access of the workload */
    int64_t tile, fills, writes, reads, updates;
};

/* Words of an access over the wires between two of its holders. */
struct simulate_wire {
    int access;
    const struct sator_link *link; /* or NULL */
    const struct sator_bus *bus; /* or NULL */
    int64_t words;
};

struct simulate_outcome {
    bool is_whole; /* not interrupted */
    bool values_are_equal;
    int64_t instances, stamps;
    int n_words;
    const struct simulate_words *words;
    int n_wires;
    const struct simulate_wire *wires;
    bool has_cycles;
    int64_t cycles, compute_cycles;
    int n_stalls;
    const struct sator_simulation_stall *stalls;
    int n_differences; /* that were found; the first of them are kept */
    int n_kept;
    const struct sator_simulation_difference *differences;
    uint64_t bytes; /* of memory, for what the machine holds */
};

/* Run "question"; what the outcome refers to is in "arena", or the question's. SATOR_DECLINED with
 * a message for relations that cannot be evaluated point by point, SATOR_LIMIT for what does not
 * fit. An interruption is no failure: the outcome is of what was run. */
enum sator_status simulate_run(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct simulate_question *question, struct simulate_outcome *outcome);

#endif
