/* Counting the integer points of systems, and the most points that one value of the leading
 * variables has. */
#ifndef SATOR_COUNT_GENERAL_POINTS_H
#define SATOR_COUNT_GENERAL_POINTS_H

#include "base/context.h"
#include "count/general/system.h"

/* A counter with the sub-counts that it remembers (GIVE: sator_points_free). */
struct sator_points;
struct sator_points *sator_points_new(struct sator_ctx *ctx);
void sator_points_free(SATOR_TAKE struct sator_points *points);

/* The number of integer points of "system". SATOR_INPUT with a message when it is infinite,
 * SATOR_LIMIT, SATOR_INTERRUPTED; SATOR_OVERFLOW when a count does not fit, SATOR_DECLINED when a
 * number of a system does not. */
enum sator_status sator_points_count(
        struct sator_points *points, SATOR_TAKE struct sator_system *system, sator_int *count);

/* The most points, over all values of the leading "n_outer" variables, that "n_systems" disjoint
 * systems have together with these values, and (when "*most" > 0) such values in "outer". No values
 * have more than "most_ub" (-1: not known): the search ends where that is met. */
enum sator_status sator_points_most(struct sator_points *points, int n_systems,
        struct sator_system *const *systems, int n_outer, sator_int most_ub, sator_int *most,
        int64_t *outer);

/* What points.c gives most.c. */

/* A sub-count is found by the cells of its systems. */
struct sator_memo_value {
    sator_int count;
    int n_outer;
    const int64_t *outer;
};
const struct sator_memo_value *sator_points_recall(
        const struct sator_points *points, const int64_t *cells, size_t n_cells);
void sator_points_remember(struct sator_points *points, const int64_t *cells, size_t n_cells,
        const struct sator_memo_value *value);
enum sator_status sator_points_work(struct sator_points *points, uint64_t ticks);
/* A finite range of "var", by propagation or projection; SATOR_INPUT with a message when there is
 * none. */
enum sator_status sator_points_range(struct sator_points *points, const struct sator_system *system,
        int var, struct sator_range *range);

/* The part of a variable's range over which no row that has the variable restricts the others: all
 * of its values there leave the same system. Lower > upper when there is none. */
struct sator_range sator_points_interior(
        const struct sator_system *system, int var, struct sator_range range);

/* planar.c: the points of a system of two variables. SATOR_DECLINED when its numbers are too large
 * or its sides too many for the closed form. */
enum sator_status sator_points_planar(
        const struct sator_system *system, bool *infinite, sator_int *count);

#endif
