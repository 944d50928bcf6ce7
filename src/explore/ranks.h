/* Several processes that share one exploration: what a cluster's message passing provides (mpi/ has
 * the only one). */
#ifndef SATOR_EXPLORE_RANKS_H
#define SATOR_EXPLORE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

struct explore_ranks {
    int rank, size;
    /* The next number of a counter that all ranks share, from 0. One thread at a time. */
    uint64_t (*next)(struct explore_ranks *ranks);
    /* Tell the others this rank's best cost, and get the best of all. One thread at a time. */
    double (*best)(struct explore_ranks *ranks, double best);
    /* Wait until every rank is here; true when all of them came with "fine". */
    bool (*meet)(struct explore_ranks *ranks, bool fine);
    /* Leave; frees "ranks". */
    void (*leave)(struct explore_ranks *ranks);
};

/* The ranks of this process when a launcher (mpirun) started it with others, NULL when it is alone.
 * false with a static message when it was started so but cannot take part. */
bool explore_ranks_join(struct explore_ranks **ranks, const char **why);

/* The plugin's only symbol. */
typedef struct explore_ranks *explore_ranks_open_function(void);
#define EXPLORE_RANKS_SYMBOL "sator_mpi_open"

#endif
