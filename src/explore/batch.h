/* A stretch of a space's points, evaluated: what goes into the database as one unit. */
#ifndef SATOR_EXPLORE_BATCH_H
#define SATOR_EXPLORE_BATCH_H

#include "explore/problem.h"
#include "store/store.h"

struct batch_row {
    const char *space, *time;
    const char *bound_by;
    const char *cuts; /* JSON (store/schema.sql) */
    const char *loops; /* of a mapping; else NULL */
    struct explore_record record;
};

struct batch_rule {
    const char *name;
    uint64_t points;
};

struct batch {
    struct batch *next; /* for queues */
    struct sator_arena *arena; /* owns all of this */
    uint64_t number;
    const struct explore_part *part;
    uint64_t first, points; /* what was evaluated: a part of the batch when interrupted */
    int n_rows;
    struct batch_row *rows;
    int n_rules;
    struct batch_rule *rules;
    enum sator_status
            status; /* SATOR_OK, SATOR_INTERRUPTED, or why point first + points stopped it */
};

/* The part that batch "number" is of, and its points. */
const struct explore_part *batch_part(const struct sator_exploration *exploration, uint64_t number,
        uint64_t *first, uint64_t *points);

/* Evaluate the batch's points from "done" of them on (GIVE: batch_free). */
struct batch *batch_evaluate(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        uint64_t number, uint64_t done);
void batch_free(struct batch *batch);
void batch_count_rule(struct sator_arena *arena, int *n_rules, struct batch_rule **rules,
        const char *name, uint64_t points);

/* Add it to the store, in the transaction in progress. */
enum sator_status batch_store(struct sator_ctx *ctx, const struct sator_exploration *exploration,
        struct sator_store *store, const struct batch *batch);

/* Open the database of "exploration" for writing: a new one gets its description, an existing one
 * has to have the same. */
enum sator_status batch_open_store(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const char *path, bool resume,
        struct sator_store **store);
/* Open the database at "path", which has to have the same description, for reading. */
enum sator_status batch_open_other(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, const char *path, struct sator_store **store);
/* Add to done[number] the points of each batch that are in the store, and its totals to the others
 * (which may be NULL). */
enum sator_status batch_read_done(struct sator_ctx *ctx,
        const struct sator_exploration *exploration, struct sator_store *store, uint64_t *done,
        uint64_t *results, struct sator_arena *arena, int *n_rules, struct batch_rule **rules);

#endif
