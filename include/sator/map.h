/* The best mapping of a workload onto an architecture, with a certificate (doc/mapper.md). */
#ifndef SATOR_MAP_H
#define SATOR_MAP_H

#include "sator/analyze.h"

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
    double best; /* the objective's value; NAN: no mapping yet */
    double bound; /* nothing is better than this */
    uint64_t evaluated;
};

struct sator_map_options {
    enum sator_map_objective objective;
    enum sator_map_strategy strategy;
    double budget_seconds; /* stop after this long; 0: no limit */
    uint64_t seed; /* random */
    uint64_t samples; /* random: 0 for 100,000 */
    double limit; /* exhaustive: the largest space; 0 for 1e8 */
    bool top_down; /* sunstone: levels from the outermost inward */
    int intra_order; /* sunstone: 0 ordering-tiling-unrolling, 1 tiling-unrolling-ordering,
                        2 unrolling-tiling-ordering (its Table VI) */
    void (*progress)(void *data, const struct sator_map_progress *progress);
    void *progress_data;
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
};

#ifdef __cplusplus
}
#endif
#endif
