/* A stamping with one skewed row, and the one without the skew. */
#ifndef SATOR_COUNT_SKEWED_SKEWED_H
#define SATOR_COUNT_SKEWED_SKEWED_H

#include "count/tiled/nest.h"

struct skewed_nest {
    const struct sator_stamping *given;
    int row; /* of time, that is skewed; the rows before it are runs, those after it inside */
    int64_t skew[TILED_SPACES]; /* by dimension */
    int64_t used[TILED_SPACES]; /* coordinates of each are 0 .. used - 1 */
    bool is_whole; /* no tile is cut short where it matters to stamps: see reduce.c */
    bool run_together; /* all PEs in use at some value of the row */
    int64_t length; /* of the row without the skew */
    int64_t values; /* of the row in a run */
    int64_t span; /* how much later the last PE runs than the first */
    sator_int runs, inside; /* values of the rows before and after it */
    /* The stamping without the skew: the rows of the runs are its first coordinates. */
    int n_runs;
    struct sator_stamping plain;
    int n_before; /* leading rows of what was given that are as they were */
};

/* Set "nest" from "given" (borrowed), everything in "arena"; NULL, or why the skew is not taken
 * out.
 */
const struct sator_decline *skewed_reduce(
        struct sator_arena *arena, const struct sator_stamping *given, struct skewed_nest *nest);

/* Set of "nest" what does not depend on which stamps there are: the row, the skew and "plain",
 * whose runs stay rows of time. */
const struct sator_decline *skewed_straighten(
        struct sator_arena *arena, const struct sator_stamping *given, struct skewed_nest *nest);

/* ---- windows.c ---- */
/* Where "row" is floor(R / m), which may be written as a sum of digits and a quotient: R, and "*m";
 * NULL where it is not. */
const struct sator_expr *windows_row(
        struct sator_arena *arena, const struct sator_expr *row, int64_t *m);
/* Of a stamping whose only row that is: the volumes, and the elements of the largest window, made
 * in "arena"; NULL, or why not. */
const struct sator_decline *windows_volumes(struct sator_arena *arena,
        const struct sator_stamping *given, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes);
const struct sator_decline *windows_tile(struct sator_arena *arena,
        const struct sator_stamping *given, const struct sator_relation *access, sator_int *words);

#endif
