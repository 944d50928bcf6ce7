/* A run in progress, for run*.c. */
#ifndef SATOR_EXPLORE_RUN_H
#define SATOR_EXPLORE_RUN_H

#include "explore/batch.h"
#include "explore/ranks.h"

#include <pthread.h>

/* What the threads share. */
struct runner {
    struct sator_ctx *ctx; /* of the calling thread */
    struct sator_exploration *exploration;
    struct sator_store *store;
    struct explore_ranks *ranks; /* NULL: alone */
    const uint64_t *done; /* points of each batch that were stored before this run */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    uint64_t next;
    uint64_t latest; /* the greatest number that was handed out to this process */
    bool stopping, no_memory;
    int n_running, n_waiting, most_waiting;
    struct batch *first, *last; /* evaluated, not stored */
};

/* The calling thread's view of the run. */
struct worker;
struct keeper {
    struct runner *runner;
    struct worker *workers; /* run_threads.c */
    int n_workers;
    bool in_transaction;
    const struct batch *batch; /* that is being kept */
    double started, begun; /* seconds: the run, the transaction */
    enum sator_status status;
    const struct explore_part *failed_part; /* the point that an evaluation stopped at */
    uint64_t failed_point;
    struct sator_arena *arena;
    uint64_t results, new_points;
    double points_before, points_total; /* of this shard */
    int n_rules;
    struct batch_rule *rules;
    double best;
    char *best_name;
    void (*progress)(void *data, const struct sator_explore_progress *progress);
    void *progress_data;
};

/* ---- rank_files.c ---- */

/* The file of a rank, in "arena". */
const char *explore_rank_path(struct sator_arena *arena, const char *database, int rank);
/* The ranks' files that are there, whatever number of ranks left them: how many, into "*paths". */
int explore_rank_files(struct sator_arena *arena, const char *database, const char ***paths);
/* Join them into "database", which is made when there is none, and delete them. SATOR_INPUT with a
 * message where another process still writes one, or it is of another exploration: it stays. */
enum sator_status explore_join_ranks(struct sator_ctx *ctx, const char *database);

/* ---- run_threads.c ---- */

/* Seconds of a clock that only goes forward. */
double explore_now(void);
/* Run the threads to their end, storing what they find; keeper->status says how it ended. */
void explore_run_threads(struct keeper *keeper);

#endif
