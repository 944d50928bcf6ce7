/* Moves along a variable: i%6 beside i/4 looks the same every 12 values of i, 3 of i/4.
 *
 * Let d be an integer vector with d_var = P > 0, and K the rows a.x + c >= 0 with a.d = 0. Then x
 * is a point of K if and only if x + d is one, so the points of K with var = v + P are those with
 * var = v, moved by d. The other rows, the ends, have a.(x + n d) + c = (a.x + c) + n a.d: if their
 * least values over K with var = v are known, so are those with var = v + n P, and from some n on,
 * up to some n, they are not negative: there the ends leave out nothing, and the points are those
 * of K. So all v in between look alike, P apart.
 *
 * Any d does, and K decides how far it goes. Rows are made part of K as long as var can move: forms
 * that are bounded most narrowly first, as those leave a mark at every value, while wide ones, the
 * loops' own bounds, matter at their ends only.
 */
#include "count/general/moves.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_VARS = 16,
    MOST_ROWS = 48
};

/* Equations a.d = 0, solved: each has a variable of its own, which no other has. */
struct equations {
    int n_vars, n;
    int own[MOST_VARS];
    int64_t cell[MOST_VARS][MOST_VARS];
};

/* a * b - c * d; false when it does not fit. */
static bool cross(int64_t a, int64_t b, int64_t c, int64_t d, int64_t *result)
{
    int64_t left, right;

    return !__builtin_mul_overflow(a, b, &left) && !__builtin_mul_overflow(c, d, &right) &&
            !__builtin_sub_overflow(left, right, result) && *result != INT64_MIN;
}

/* Take multiples of "by" from "row" so that its coefficient of "var" becomes 0. */
static bool eliminate(int64_t *row, const int64_t *by, int var, int n_vars)
{
    int64_t factor = row[var], divisor = 0;

    if (factor == 0)
        return true;
    for (int v = 0; v < n_vars; v++) {
        if (!cross(row[v], by[var], factor, by[v], &row[v]))
            return false;
        divisor = sator_gcd(divisor, row[v]);
    }
    for (int v = 0; v < n_vars && divisor > 1; v++)
        row[v] /= divisor;
    return true;
}

/* Add a.d = 0, unless "var" could not move then; false when numbers do not fit. */
static bool add_equation(struct equations *equations, const int64_t *a, int var)
{
    int n_vars = equations->n_vars, own = 0;
    int64_t row[MOST_VARS];

    memcpy(row, a, sizeof *row * (size_t)n_vars);
    for (int e = 0; e < equations->n; e++)
        if (!eliminate(row, equations->cell[e], equations->own[e], n_vars))
            return false;
    while (own < n_vars && (own == var || row[own] == 0))
        own++;
    if (own == n_vars) /* it follows from the others, or says that d_var = 0 */
        return true;
    for (int e = 0; e < equations->n; e++)
        if (!eliminate(equations->cell[e], row, own, n_vars))
            return false;
    memcpy(equations->cell[equations->n], row, sizeof *row * (size_t)n_vars);
    equations->own[equations->n++] = own;
    return true;
}

/* The smallest solution in which only "var" moves among those that no equation determines. */
static bool solve(const struct equations *equations, int var, sator_int longest, int64_t *d)
{
    memset(d, 0, sizeof *d * (size_t)equations->n_vars);
    d[var] = 1;
    for (int e = 0; e < equations->n; e++) {
        const int64_t *row = equations->cell[e];
        int64_t step = row[equations->own[e]] / sator_gcd(row[equations->own[e]], row[var]);

        step = step < 0 ? -step : step;
        if (__builtin_mul_overflow(d[var], step / sator_gcd(step, d[var]), &d[var]) ||
                d[var] > longest)
            return false;
    }
    for (int e = 0; e < equations->n; e++) {
        const int64_t *row = equations->cell[e];
        sator_int moved = -(sator_int)row[var] * d[var] / row[equations->own[e]];

        if (moved <= INT64_MIN || moved > INT64_MAX)
            return false;
        d[equations->own[e]] = (int64_t)moved;
    }
    return true;
}

/* How many values the form of row "r" may have, less 1; -1 for an equality; the greatest number
 * there is where no row bounds it from the other side. */
static sator_int width_of(const struct sator_system *system, int r)
{
    const int64_t *row = sator_system_row(system, r);
    sator_int least = (sator_int)1 << 100;

    if (row[ROW_KIND] == KIND_EQUALITY)
        return -1;
    for (int o = 0; o < system->n_rows; o++) {
        const int64_t *other = sator_system_row(system, o);
        sator_int width = (sator_int)row[ROW_CONSTANT] + other[ROW_CONSTANT];
        bool opposite = true;

        for (int v = 0; v < system->n_vars && opposite; v++)
            opposite = row[ROW_COEFFICIENTS + v] == -other[ROW_COEFFICIENTS + v];
        least = opposite && width < least ? width : least;
    }
    return least;
}

/* The rows, narrow forms first. */
static void sort_rows(const struct sator_system *system, int *sorted)
{
    sator_int width[MOST_ROWS];

    for (int r = 0; r < system->n_rows; r++) {
        sator_int own = width_of(system, r);
        int at = r;

        for (; at > 0 && width[at - 1] > own; at--) {
            width[at] = width[at - 1];
            sorted[at] = sorted[at - 1];
        }
        width[at] = own;
        sorted[at] = r;
    }
}

static bool find_move(const struct sator_system *system, int var, sator_int longest, int64_t *d)
{
    struct equations equations = {.n_vars = system->n_vars};
    int sorted[MOST_ROWS];

    sort_rows(system, sorted);
    for (int i = 0; i < system->n_rows; i++)
        if (!add_equation(&equations, sator_system_row(system, sorted[i]) + ROW_COEFFICIENTS, var))
            return false;
    return solve(&equations, var, longest, d);
}

/* What the ends are to the rows kept. */
struct ends {
    struct sator_system *kept; /* K, and var = v (GIVE) */
    int n;
    const int64_t *row[MOST_ROWS];
    int64_t slope[MOST_ROWS]; /* a.d */
};

/* Split the rows; false when a number does not fit, or an equality would have to end. */
static bool split_rows(const struct sator_system *system, const int64_t *d, struct ends *ends)
{
    *ends = (struct ends){.kept = sator_system_new(system->n_vars, system->n_rows + 1)};
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r);
        int64_t slope = 0;

        for (int v = 0; v < system->n_vars; v++)
            if (!cross(slope, 1, -row[ROW_COEFFICIENTS + v], d[v], &slope))
                return false;
        if (slope == 0) {
            memcpy(sator_system_add(ends->kept, (int)row[ROW_KIND]), row,
                    sizeof *row * (size_t)sator_system_stride(system));
            continue;
        }
        if (row[ROW_KIND] == KIND_EQUALITY)
            return false;
        ends->slope[ends->n] = slope;
        ends->row[ends->n++] = row;
    }
    return true;
}

/* The least value of "row" within "ranges"; false when it has none, or it does not fit. */
static bool least_of(
        const int64_t *row, int n_vars, const struct sator_range *ranges, sator_int *least)
{
    *least = row[ROW_CONSTANT];
    for (int v = 0; v < n_vars; v++) {
        sator_int a = row[ROW_COEFFICIENTS + v];
        int64_t bound = a > 0 ? ranges[v].lower : ranges[v].upper;

        if (a != 0 &&
                (bound == INT64_MIN || bound == INT64_MAX || !sator_add(*least, a * bound, least)))
            return false;
    }
    return true;
}

/* Keep of "range" the values v + n P at which the ends leave out nothing. */
static bool clip_class(
        const struct ends *ends, int64_t v, sator_int period, struct sator_range *range)
{
    struct sator_range ranges[MOST_VARS];
    sator_int lower = range->lower, upper = range->upper;
    bool empty;

    sator_system_row(ends->kept, ends->kept->n_rows - 1)[ROW_CONSTANT] = -v;
    sator_system_ranges(ends->kept, ranges, &empty);
    for (int e = 0; e < ends->n && !empty; e++) { /* no points: nothing to be left out */
        sator_int slope = ends->slope[e], least, n;

        if (!least_of(ends->row[e], ends->kept->n_vars, ranges, &least))
            return false;
        n = least < 0 ? -least : least; /* of which P: what is missing, or what there is */
        if (slope > 0) {
            n = least < 0 ? (n + slope - 1) / slope : -(n / slope);
            lower = v + n * period > lower ? v + n * period : lower;
        } else {
            n = least < 0 ? -((n - slope - 1) / -slope) : n / -slope;
            upper = v + n * period < upper ? v + n * period : upper;
        }
    }
    if (lower > upper)
        return false;
    *range = (struct sator_range){(int64_t)lower, (int64_t)upper};
    return true;
}

struct sator_moves sator_moves_find(
        const struct sator_system *system, int var, struct sator_range range, sator_int longest)
{
    static const struct sator_moves none = {.range = {0, -1}, .period = 1};
    struct sator_moves moves = {.range = range};
    int64_t d[MOST_VARS], middle = range.lower + (range.upper - range.lower) / 2;
    struct ends ends;
    bool found;

    if (system->n_vars > MOST_VARS || system->n_rows > MOST_ROWS || range.lower <= INT64_MIN / 4 ||
            range.upper >= INT64_MAX / 4 || !find_move(system, var, longest, d))
        return none;
    found = split_rows(system, d, &ends);
    if (found)
        sator_system_add(ends.kept, KIND_EQUALITY)[ROW_COEFFICIENTS + var] = 1;
    for (int64_t r = 0; r < d[var] && found; r++)
        found = clip_class(&ends, middle + r, d[var], &moves.range);
    sator_system_free(ends.kept);
    moves.period = d[var];
    return found ? moves : none;
}
