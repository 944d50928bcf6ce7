/* The points of a system, summed over the values of one variable by runs of values along which
 * their number is a quasi-polynomial of the value: a few values of each run tell the sum, however
 * long it is. */
#ifndef SATOR_COUNT_GENERAL_SERIES_H
#define SATOR_COUNT_GENERAL_SERIES_H

#include "count/general/system.h"

struct sator_points;

enum {
    SATOR_SERIES_RUNS = 64
};

/* Runs one after the other from range.lower on; outside of the range there are no points. */
struct sator_series {
    int var;
    struct sator_range range;
    int degree;
    int64_t period; /* values this far apart are of one polynomial */
    int n_runs;
    int64_t last[SATOR_SERIES_RUNS]; /* of each run */
};

/* The runs of "var" of a simplified system without equalities, which rows of "var" alone
 * and perhaps others bound to "range".
 * component[v]: which of "n_parts" independent parts variable v is in once "var" is fixed; that of
 * "var" does not matter. False when they are not found: parts of too many variables or rows, long
 * periods, numbers that do not fit. */
bool sator_series_find(const struct sator_system *system, int var, struct sator_range range,
        const int *component, int n_parts, struct sator_series *series);

/* The systems that the sum has counted. */
sator_int sator_series_cost(const struct sator_series *series);

/* How the points of one system (TAKE) are counted: sator_points_count. */
typedef enum sator_status sator_system_counter(
        struct sator_points *points, struct sator_system *system, sator_int *count);

/* The number of points; errors as of "counter". */
enum sator_status sator_series_sum(struct sator_points *points, sator_system_counter *counter,
        const struct sator_system *system, const struct sator_series *series, sator_int *count);

#endif
