/* Systems of linear equalities and inequalities over integer variables.
 *
 * A row over the variables x is  constant + sum of coefficient * x  = 0  or  >= 0. Numbers are
 * 64-bit; an operation whose result does not fit ends in SATOR_DECLINED: that says nothing about
 * the count, which another way may find. A set's dimensions come first, then what depends on them.
 */
#ifndef SATOR_COUNT_GENERAL_SYSTEM_H
#define SATOR_COUNT_GENERAL_SYSTEM_H

#include "sator/context.h"

enum {
    ROW_KIND,
    ROW_CONSTANT,
    ROW_COEFFICIENTS
};
enum {
    KIND_INEQUALITY,
    KIND_EQUALITY
};

struct sator_system {
    int n_vars, n_rows, capacity;
    int64_t *cells; /* rows of ROW_COEFFICIENTS + n_vars cells */
};

/* A range of integers; absent bounds are INT64_MIN and INT64_MAX. */
struct sator_range {
    int64_t lower, upper;
};

static inline int sator_system_stride(const struct sator_system *system)
{
    return system->n_vars + ROW_COEFFICIENTS;
}

static inline int64_t *sator_system_row(const struct sator_system *system, int row)
{
    return system->cells + (size_t)row * (size_t)sator_system_stride(system);
}

/* A system without rows (GIVE: sator_system_free). */
struct sator_system *sator_system_new(int n_vars, int capacity);
struct sator_system *sator_system_copy(const struct sator_system *system);
void sator_system_free(SATOR_TAKE struct sator_system *system);

/* Append a row of zeros of "kind" and return it; valid until the next row is added. */
int64_t *sator_system_add(struct sator_system *system, int kind);

/* The system and a row of the kind (GIVE: sator_system_free): "row" itself (its constant and
 * coefficients) for sign 1, -1 - row for -1, row - 1 for 0. */
struct sator_system *sator_system_cut(
        const struct sator_system *system, const int64_t *row, int kind, int sign);

/* Append the rows of "other", its variable v becoming variable vars[v]. */
void sator_system_add_rows(
        struct sator_system *system, const struct sator_system *other, const int *vars);

/* The rows of both, which share their leading variables (GIVE: sator_system_free). */
struct sator_system *sator_system_conjoin(
        const struct sator_system *a, const struct sator_system *b, int n_leading);

/* Solve equalities, divide rows by common factors, drop what is implied, sort. The number of
 * integer points per value of the leading "n_keep" variables is unchanged; those variables stay,
 * others may be replaced or removed.
 * "*empty": no integer point was seen to be left (false proves nothing). */
enum sator_status sator_system_simplify(struct sator_system *system, int n_keep, bool *empty);

/* The system with variable "var" equal to "value" and removed (GIVE: sator_system_free). */
enum sator_status sator_system_fix(const struct sator_system *system, int var, int64_t value,
        SATOR_GIVE struct sator_system **fixed);

/* Ranges that hold all rational points, by propagating bounds; "*empty" as above. */
void sator_system_ranges(
        const struct sator_system *system, struct sator_range *ranges, bool *empty);

/* The bounds that are rows of their own. */
void sator_system_stated(const struct sator_system *system, struct sator_range *stated);

/* Simplify, tighten and prune, and remove variables beyond the kept ones that have one value left;
 * "*system" may become another. "*empty" as of sator_system_simplify. */
enum sator_status sator_system_tidy(struct sator_system **system, int n_keep, bool *empty);

/* The range of "var" over the rational points, by eliminating every other variable; SATOR_DECLINED
 * when that grows beyond reason, SATOR_LIMIT, SATOR_INTERRUPTED. */
enum sator_status sator_system_project(struct sator_ctx *ctx, const struct sator_system *system,
        int var, struct sator_range *range);

/* component[v]: the number, from 0, of the independent part that variable v is in. */
int sator_system_components(const struct sator_system *system, int *component);

/* The rows and variables of one part, variables in order (GIVE: sator_system_free). */
struct sator_system *sator_system_part(
        const struct sator_system *system, const int *component, int which);

#endif
