/* The time-stamp of a "loops:" form: rows for its temporal loops, joined and skewed where it says
 * so (doc/formats.md, "Skewed arrays"). */
#ifndef SATOR_RELATION_NEST_TIME_H
#define SATOR_RELATION_NEST_TIME_H

#include "relation/workload.h"

struct sator_nest_time {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_loop_nest *nest;
    int n_levels;
    const struct sator_bind_level *levels;
    const struct sator_expr *const *space; /* coordinates of all arrays, outermost first */
    const struct sator_expr *const *const *digits; /* by entry and loop */
    /* results */
    int n_rows;
    const struct sator_expr **rows;
    int *rows_outside; /* by level: the rows of the levels outside it; borrowed, n_levels + 1 */
};

/* Set the results from what stands before them; located errors where a number leaves 64 bits. */
enum sator_status sator_nest_time_make(struct sator_nest_time *t);
/* Located errors: coefficients at what is no array, or not as many as it has dimensions; joined
 * loops that are not there, or for no skewed array. */
enum sator_status sator_nest_time_check(struct sator_ctx *ctx, const struct sator_loop_nest *nest,
        int n_levels, const struct sator_bind_level *levels);

#endif
