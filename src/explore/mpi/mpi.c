/* Ranks by MPI: the only user of MPI, built as a plugin that the program loads when a launcher
 * started it.
 *
 * Rank 0 exposes a counter and a best cost in a window; everybody fetches and adds with one-sided
 * operations, so nobody has to serve the others while it evaluates. Calls come from one thread at a
 * time, not always the same: MPI_THREAD_SERIALIZED.
 */
#include "explore/ranks.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* What rank 0 exposes. */
struct shared {
    uint64_t next;
    double best;
};

struct mpi_ranks {
    struct explore_ranks ranks; /* first: the interface's pointer is this one's */
    MPI_Win window;
    struct shared *shared;
    pthread_mutex_t lock; /* workers count while the storing thread tells its best */
};

static struct mpi_ranks *self(struct explore_ranks *ranks)
{
    return (struct mpi_ranks *)(void *)ranks;
}

static uint64_t next(struct explore_ranks *ranks)
{
    struct mpi_ranks *mpi = self(ranks);
    const uint64_t one = 1;
    uint64_t number = 0;

    pthread_mutex_lock(&mpi->lock);
    MPI_Fetch_and_op(
            &one, &number, MPI_UINT64_T, 0, offsetof(struct shared, next), MPI_SUM, mpi->window);
    MPI_Win_flush(0, mpi->window);
    pthread_mutex_unlock(&mpi->lock);
    return number;
}

static double best(struct explore_ranks *ranks, double cost)
{
    struct mpi_ranks *mpi = self(ranks);
    double before = cost;

    pthread_mutex_lock(&mpi->lock);
    MPI_Fetch_and_op(
            &cost, &before, MPI_DOUBLE, 0, offsetof(struct shared, best), MPI_MIN, mpi->window);
    MPI_Win_flush(0, mpi->window);
    pthread_mutex_unlock(&mpi->lock);
    return before < cost ? before : cost;
}

static bool meet(struct explore_ranks *ranks, bool fine)
{
    int mine = fine, all = 0;

    (void)ranks;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

static void leave(struct explore_ranks *ranks)
{
    struct mpi_ranks *mpi = self(ranks);

    MPI_Win_unlock_all(mpi->window);
    MPI_Win_free(&mpi->window);
    MPI_Finalize();
    pthread_mutex_destroy(&mpi->lock);
    free(mpi);
}

struct explore_ranks *sator_mpi_open(void);

struct explore_ranks *sator_mpi_open(void)
{
    struct mpi_ranks *mpi = calloc(1, sizeof *mpi);
    int provided = MPI_THREAD_SINGLE;

    if (mpi == NULL ||
            MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
            provided < MPI_THREAD_SERIALIZED) {
        free(mpi);
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi->ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi->ranks.size);
    MPI_Aint size = mpi->ranks.rank == 0 ? (MPI_Aint)sizeof *mpi->shared : 0;
    MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mpi->shared, &mpi->window);
    MPI_Win_lock_all(0, mpi->window);
    if (mpi->ranks.rank == 0) {
        *mpi->shared = (struct shared){.best = INFINITY};
        MPI_Win_sync(mpi->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_mutex_init(&mpi->lock, NULL);
    mpi->ranks.next = next;
    mpi->ranks.best = best;
    mpi->ranks.meet = meet;
    mpi->ranks.leave = leave;
    return &mpi->ranks;
}
