/* Bounds of the variables of a system, its redundant rows, and its independent parts. */
#include "base/arena.h"
#include "base/checked.h"
#include "base/context.h"
#include "count/general/system.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t clamp(sator_int value)
{
    return value >= INT64_MAX ? INT64_MAX : value <= INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* floor(value / divisor), divisor > 0. */
static sator_int floor_div(sator_int value, int64_t divisor)
{
    sator_int quotient = value / divisor;

    return value % divisor < 0 ? quotient - 1 : quotient;
}

/* The greatest value of -row; false when it has none. */
static bool greatest_negated(
        const int64_t *row, int n_vars, const struct sator_range *ranges, sator_int *value)
{
    sator_int sum = -(sator_int)row[ROW_CONSTANT];

    for (int v = 0; v < n_vars; v++) {
        sator_int a = -(sator_int)row[ROW_COEFFICIENTS + v];
        int64_t bound = a > 0 ? ranges[v].upper : ranges[v].lower;

        if (a == 0)
            continue;
        if (bound == INT64_MAX || bound == INT64_MIN || !sator_add(sum, a * bound, &sum))
            return false;
    }
    *value = sum;
    return true;
}

/* Tighten the range of one variable by a * x >= -rest. */
static bool tighten(sator_int a, sator_int rest, struct sator_range *range)
{
    if (a > 0) {
        int64_t lower = clamp(-floor_div(rest, (int64_t)a));

        if (lower <= range->lower)
            return false;
        range->lower = lower;
    } else {
        int64_t upper = clamp(floor_div(rest, (int64_t)-a));

        if (upper >= range->upper)
            return false;
        range->upper = upper;
    }
    return true;
}

/* Tighten by sign * row >= 0; true when a range became tighter. */
static bool propagate_row(
        const int64_t *row, int sign, int n_vars, struct sator_range *ranges, bool *empty)
{
    sator_int sum = sign * (sator_int)row[ROW_CONSTANT];
    int n_open = 0, open = -1; /* variables without a bound on the side that counts */
    bool tighter = false;

    for (int v = 0; v < n_vars; v++) {
        sator_int a = sign * (sator_int)row[ROW_COEFFICIENTS + v];
        int64_t bound = a > 0 ? ranges[v].upper : ranges[v].lower;

        if (a == 0)
            continue;
        if (bound == INT64_MAX || bound == INT64_MIN) {
            n_open++;
            open = v;
        } else if (!sator_add(sum, a * bound, &sum)) {
            return false;
        }
    }
    for (int v = 0; v < n_vars && n_open <= 1; v++) {
        sator_int a = sign * (sator_int)row[ROW_COEFFICIENTS + v];
        int64_t bound = a > 0 ? ranges[v].upper : ranges[v].lower;

        sator_int rest = sum;

        if (a == 0 || (n_open == 1 && v != open))
            continue;
        /* "sum" holds a * bound unless v is open; a bound that moved meanwhile is not used twice.
         */
        if (n_open == 0 && !sator_sub(sum, a * bound, &rest))
            continue;
        tighter |= tighten(a, rest, &ranges[v]);
        if (ranges[v].lower > ranges[v].upper)
            *empty = true;
    }
    return tighter;
}

void sator_system_ranges(const struct sator_system *system, struct sator_range *ranges, bool *empty)
{
    /* Enough for bounds to travel through all variables; then they are tight or converge slowly. */
    int rounds = system->n_vars + 2;
    bool tighter = true;

    *empty = false;
    for (int v = 0; v < system->n_vars; v++)
        ranges[v] = (struct sator_range){INT64_MIN, INT64_MAX};
    while (tighter && !*empty && rounds-- > 0) {
        tighter = false;
        for (int r = 0; r < system->n_rows && !*empty; r++) {
            const int64_t *row = sator_system_row(system, r);

            tighter |= propagate_row(row, 1, system->n_vars, ranges, empty);
            if (row[ROW_KIND] == KIND_EQUALITY)
                tighter |= propagate_row(row, -1, system->n_vars, ranges, empty);
        }
    }
}

/* The only variable of "row", or -1. */
static int single_var(const int64_t *row, int n_vars)
{
    int only = -1;

    for (int v = 0; v < n_vars; v++)
        if (row[ROW_COEFFICIENTS + v] != 0) {
            if (only >= 0)
                return -1;
            only = v;
        }
    return only;
}

void sator_system_stated(const struct sator_system *system, struct sator_range *stated)
{
    for (int v = 0; v < system->n_vars; v++)
        stated[v] = (struct sator_range){INT64_MIN, INT64_MAX};
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r);
        int v = single_var(row, system->n_vars);

        if (v < 0 || row[ROW_KIND] == KIND_EQUALITY)
            continue;
        /* Reduced rows of one variable have coefficient 1 or -1. */
        if (row[ROW_COEFFICIENTS + v] == 1 && -row[ROW_CONSTANT] > stated[v].lower)
            stated[v].lower = -row[ROW_CONSTANT];
        if (row[ROW_COEFFICIENTS + v] == -1 && row[ROW_CONSTANT] < stated[v].upper)
            stated[v].upper = row[ROW_CONSTANT];
    }
}

/* Tighten existing bounds of single variables to "ranges", and drop rows that such bounds imply. */
static void prune(struct sator_system *system, const struct sator_range *ranges)
{
    int n_vars = system->n_vars;
    int stride = sator_system_stride(system);
    struct sator_range *stated = sator_alloc(sizeof *stated * (size_t)(n_vars + 1));
    int kept = 0;

    /* Only rows that stay may make another row redundant: the bounds that are rows themselves. */
    for (int r = 0; r < system->n_rows; r++) {
        int64_t *row = sator_system_row(system, r);
        int v = row[ROW_KIND] == KIND_INEQUALITY ? single_var(row, n_vars) : -1;

        if (v >= 0 && row[ROW_COEFFICIENTS + v] == 1)
            row[ROW_CONSTANT] = -ranges[v].lower;
        else if (v >= 0 && row[ROW_COEFFICIENTS + v] == -1)
            row[ROW_CONSTANT] = ranges[v].upper;
    }
    sator_system_stated(system, stated);
    for (int r = 0; r < system->n_rows; r++) {
        int64_t *row = sator_system_row(system, r);
        sator_int most;
        bool implied = row[ROW_KIND] == KIND_INEQUALITY && single_var(row, n_vars) < 0 &&
                greatest_negated(row, n_vars, stated, &most) && most <= 0;

        if (!implied)
            memmove(sator_system_row(system, kept++), row, sizeof *row * (size_t)stride);
    }
    system->n_rows = kept;
    free(stated);
}

/* Remove the first variable beyond the kept ones of which one value is left; "*removed": there was
 * one. */
static enum sator_status remove_fixed(
        struct sator_system **system, int n_keep, const struct sator_range *ranges, bool *removed)
{
    int v = n_keep;
    struct sator_system *fixed;
    enum sator_status st;

    while (v < (*system)->n_vars && ranges[v].lower != ranges[v].upper)
        v++;
    *removed = v < (*system)->n_vars;
    if (!*removed)
        return SATOR_OK;
    st = sator_system_fix(*system, v, ranges[v].lower, &fixed);
    if (st == SATOR_OK) {
        sator_system_free(*system);
        *system = fixed;
    }
    return st;
}

enum sator_status sator_system_tidy(struct sator_system **system, int n_keep, bool *empty)
{
    struct sator_range *ranges = NULL;
    enum sator_status st;
    bool again = true;

    while (again) {
        SATOR_TRY(sator_system_simplify(*system, n_keep, empty));
        if (*empty || (*system)->n_vars == 0)
            break;
        ranges = sator_realloc(ranges, sizeof *ranges * (size_t)(*system)->n_vars);
        sator_system_ranges(*system, ranges, empty);
        if (*empty)
            break;
        SATOR_TRY(remove_fixed(system, n_keep, ranges, &again));
        if (!again)
            prune(*system, ranges);
    }
done:
    free(ranges);
    return st;
}

/* ---- elimination ---- */

enum {
    MOST_ROWS = 4000
};

/* Both rows' positive combination without "var" into "to"; false when a number does not fit. */
static bool combine(const int64_t *lower, const int64_t *upper, int var, int n_vars, int64_t *to)
{
    int64_t a = lower[ROW_COEFFICIENTS + var];
    int64_t b = -upper[ROW_COEFFICIENTS + var];

    for (int c = ROW_CONSTANT; c < n_vars + ROW_COEFFICIENTS; c++) {
        sator_int sum = (sator_int)b * lower[c] + (sator_int)a * upper[c];

        if (sum <= INT64_MIN || sum > INT64_MAX)
            return false;
        to[c] = (int64_t)sum;
    }
    return true;
}

/* Eliminate "var" over the rationals: every pair of a lower and an upper bound. */
static enum sator_status eliminate(
        struct sator_ctx *ctx, struct sator_system **system, int var, bool *empty)
{
    struct sator_system *old = *system;
    struct sator_system *next = sator_system_new(old->n_vars, old->n_rows);
    enum sator_status st = SATOR_OK;

    for (int r = 0; r < old->n_rows; r++) {
        const int64_t *row = sator_system_row(old, r);

        if (row[ROW_COEFFICIENTS + var] == 0)
            memcpy(sator_system_add(next, KIND_INEQUALITY), row,
                    sizeof *row * (size_t)sator_system_stride(old));
        for (int s = 0; s < old->n_rows && row[ROW_COEFFICIENTS + var] > 0; s++) {
            const int64_t *upper = sator_system_row(old, s);

            if (upper[ROW_COEFFICIENTS + var] < 0 &&
                    !combine(row, upper, var, old->n_vars, sator_system_add(next, KIND_INEQUALITY)))
                SATOR_TRY(SATOR_DECLINED);
            if (next->n_rows > MOST_ROWS)
                SATOR_TRY(SATOR_DECLINED);
        }
        SATOR_TRY(sator_work(ctx, (uint64_t)old->n_rows));
    }
    SATOR_TRY(sator_work(
            ctx, (uint64_t)(next->n_rows + 1) * (uint64_t)sator_system_stride(next) * 4));
    /* Keeping all variables: equalities that appear are left as they are. */
    st = sator_system_simplify(next, next->n_vars, empty);
done:
    sator_system_free(old);
    *system = next;
    return st;
}

/* Every equality as two inequalities. */
static struct sator_system *without_equalities(const struct sator_system *system)
{
    struct sator_system *copy = sator_system_copy(system);

    for (int r = 0; r < system->n_rows; r++) {
        int64_t *row = sator_system_row(copy, r);

        if (row[ROW_KIND] == KIND_EQUALITY) {
            int64_t *other = sator_system_add(copy, KIND_INEQUALITY);

            row = sator_system_row(copy, r);
            row[ROW_KIND] = KIND_INEQUALITY;
            for (int c = ROW_CONSTANT; c < sator_system_stride(copy); c++)
                other[c] = -row[c];
        }
    }
    return copy;
}

enum sator_status sator_system_project(struct sator_ctx *ctx, const struct sator_system *system,
        int var, struct sator_range *range)
{
    struct sator_system *rest = without_equalities(system);
    struct sator_range *ranges = sator_alloc(sizeof *ranges * (size_t)system->n_vars);
    enum sator_status st = SATOR_OK;
    bool empty = false;

    for (int v = 0; v < system->n_vars && !empty; v++) {
        struct sator_system *plain;

        if (v == var)
            continue;
        SATOR_TRY(eliminate(ctx, &rest, v, &empty));
        plain = without_equalities(rest);
        sator_system_free(rest);
        rest = plain;
    }
    if (!empty)
        sator_system_ranges(rest, ranges, &empty);
    *range = empty ? (struct sator_range){0, -1} : ranges[var];
done:
    free(ranges);
    sator_system_free(rest);
    return st;
}

/* ---- independent parts ---- */

static int root(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

int sator_system_components(const struct sator_system *system, int *component)
{
    int *parent = sator_alloc(sizeof *parent * (size_t)(system->n_vars + 1));
    int count = 0;

    for (int v = 0; v < system->n_vars; v++)
        parent[v] = v;
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r) + ROW_COEFFICIENTS;
        int first = -1;

        for (int v = 0; v < system->n_vars; v++) {
            if (row[v] == 0)
                continue;
            if (first < 0)
                first = root(parent, v);
            else
                parent[root(parent, v)] = first;
        }
    }
    /* A root may come after members of its part: number the roots first. */
    for (int v = 0; v < system->n_vars; v++)
        if (parent[v] == v)
            component[v] = count++;
    for (int v = 0; v < system->n_vars; v++)
        if (parent[v] != v)
            component[v] = component[root(parent, v)];
    free(parent);
    return count;
}

struct sator_system *sator_system_part(
        const struct sator_system *system, const int *component, int which)
{
    struct sator_system *part;
    int n_vars = 0;

    for (int v = 0; v < system->n_vars; v++)
        n_vars += component[v] == which;
    part = sator_system_new(n_vars, system->n_rows);
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *from = sator_system_row(system, r);
        int64_t *to;
        int first = 0, next = ROW_COEFFICIENTS;

        while (first < system->n_vars && from[ROW_COEFFICIENTS + first] == 0)
            first++;
        if (first == system->n_vars || component[first] != which)
            continue;
        to = sator_system_add(part, (int)from[ROW_KIND]);
        to[ROW_CONSTANT] = from[ROW_CONSTANT];
        for (int v = 0; v < system->n_vars; v++)
            if (component[v] == which)
                to[next++] = from[ROW_COEFFICIENTS + v];
    }
    return part;
}
