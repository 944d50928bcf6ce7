/* Sums along one variable, without a look at all of its values.
 *
 * With the variable fixed at k, the others are polytopes whose bounds move linearly with k. While
 * the vertices that they have stay the same ones, the number of integer points is a
 * quasi-polynomial of k: of a degree of at most the number of the others, with a period by which
 * all vertices move by integers (Clauss and Loechner, Parametric Analysis of Polyhedral Iteration
 * Spaces, 1998). This holds with both ends of such a run included, so that a few of its values tell
 * the sum of all.
 *
 * A vertex is where as many rows as there are variables are tight, for the k between which it
 * violates no other row. Some vertex ends where a run ends, unless nothing comes before: of two
 * ends, the upper ones are enough.
 */
#include "count/general/series.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_VARS = 4, /* of a part besides the one summed over */
    MOST_ROWS = 24,
    MOST_BASES = 2000,
    MOST_PERIOD = 1 << 20
};

/* numerator / denominator; no such end when the denominator is 0. */
struct end {
    int64_t numerator, denominator;
};

/* The rows of one independent part: its variables, then the factor of k, then the constant. */
struct bounds {
    int n_vars, n_rows;
    int64_t row[MOST_ROWS][MOST_VARS + 2];
};

/* A vertex: (slope * k + offset) / divisor. */
struct vertex {
    int64_t slope[MOST_VARS], offset[MOST_VARS], divisor;
    struct end first, last; /* the k that have it */
};

/* Where the part has points at all. */
struct span {
    struct end first, last;
    bool known, open_below, open_above;
};

static int64_t floor_of(struct end end)
{
    return sator_floor_div(end.numerator, end.denominator);
}

static int64_t ceiling_of(struct end end)
{
    return -sator_floor_div(-end.numerator, end.denominator);
}

static bool is_less(struct end a, struct end b)
{
    return (sator_int)a.numerator * b.denominator < (sator_int)b.numerator * a.denominator;
}

/* a * b - c * d; false when a number does not fit, or could not be negated. */
static bool cross(int64_t a, int64_t b, int64_t c, int64_t d, int64_t *result)
{
    int64_t left, right;

    return !__builtin_mul_overflow(a, b, &left) && !__builtin_mul_overflow(c, d, &right) &&
            !__builtin_sub_overflow(left, right, result) && *result != INT64_MIN;
}

/* ---- vertices ---- */

/* Solve the rows "basis" for the variables (Gauss and Jordan without fractions, Bareiss 1968).
 * False when they have no single solution, or one whose numbers do not fit ("*fits"). */
static bool solve(const struct bounds *bounds, const int *basis, struct vertex *vertex, bool *fits)
{
    int64_t cells[MOST_VARS][MOST_VARS + 2], before = 1;
    int n = bounds->n_vars;

    for (int r = 0; r < n; r++)
        memcpy(cells[r], bounds->row[basis[r]], sizeof **cells * (size_t)(n + 2));
    for (int p = 0; p < n; p++) {
        int pivot = p;

        while (pivot < n && cells[pivot][p] == 0)
            pivot++;
        if (pivot == n)
            return false;
        for (int c = 0; c < n + 2; c++) {
            int64_t cell = cells[p][c];

            cells[p][c] = cells[pivot][c];
            cells[pivot][c] = cell;
        }
        for (int r = 0; r < n; r++) {
            int64_t factor = cells[r][p];

            for (int c = 0; c < n + 2 && r != p; c++) {
                if (!cross(cells[r][c], cells[p][p], factor, cells[p][c], &cells[r][c]))
                    return *fits = false;
                cells[r][c] /= before;
            }
        }
        before = cells[p][p];
    }
    vertex->divisor = before < 0 ? -before : before;
    for (int v = 0; v < n; v++) {
        vertex->slope[v] = before < 0 ? cells[v][n] : -cells[v][n];
        vertex->offset[v] = before < 0 ? cells[v][n + 1] : -cells[v][n + 1];
    }
    return true;
}

/* Keep of the vertex the k at which "row" holds: slope * k + offset >= 0. False when none. */
static bool clip(const struct bounds *bounds, const int64_t *row, struct vertex *vertex, bool *fits)
{
    int n = bounds->n_vars;
    int64_t slope = 0, offset = 0;
    struct end *first = &vertex->first, *last = &vertex->last;

    *fits = cross(row[n], vertex->divisor, 0, 0, &slope) &&
            cross(row[n + 1], vertex->divisor, 0, 0, &offset);
    for (int v = 0; v < n && *fits; v++)
        *fits = cross(slope, 1, -row[v], vertex->slope[v], &slope) &&
                cross(offset, 1, -row[v], vertex->offset[v], &offset);
    if (!*fits || slope == 0)
        return *fits && offset >= 0;
    struct end end = slope > 0 ? (struct end){-offset, slope} : (struct end){offset, -slope};
    if (slope > 0 && (first->denominator == 0 || is_less(*first, end)))
        *first = end;
    if (slope < 0 && (last->denominator == 0 || is_less(end, *last)))
        *last = end;
    return first->denominator == 0 || last->denominator == 0 || !is_less(*last, *first);
}

/* The least step of k by which the vertex moves by integers. */
static int64_t step_of(const struct vertex *vertex, int n_vars)
{
    int64_t factor = vertex->divisor;

    for (int v = 0; v < n_vars; v++)
        factor = sator_gcd(factor, vertex->slope[v]);
    return vertex->divisor / factor;
}

/* ---- runs ---- */

/* "*period" becomes a multiple of "step", too. */
static bool lengthen(int64_t *period, int64_t step)
{
    if (step > MOST_PERIOD)
        return false;
    *period *= step / sator_gcd(*period, step);
    return *period <= MOST_PERIOD;
}

/* A run ends with the value "last". */
static bool add_cut(struct sator_series *series, int64_t last)
{
    int at = series->n_runs;

    if (last < series->range.lower || last >= series->range.upper)
        return true;
    while (at > 0 && series->last[at - 1] > last)
        at--;
    if (at > 0 && series->last[at - 1] == last)
        return true;
    if (series->n_runs == SATOR_SERIES_RUNS - 1)
        return false;
    memmove(&series->last[at + 1], &series->last[at],
            sizeof *series->last * (size_t)(series->n_runs - at));
    series->last[at] = last;
    series->n_runs++;
    return true;
}

static void widen(struct span *span, const struct vertex *vertex)
{
    span->open_below = span->open_below || vertex->first.denominator == 0;
    span->open_above = span->open_above || vertex->last.denominator == 0;
    if (!span->open_below && (!span->known || is_less(vertex->first, span->first)))
        span->first = vertex->first;
    if (!span->open_above && (!span->known || is_less(span->last, vertex->last)))
        span->last = vertex->last;
    span->known = true;
}

/* The next choice of "n" of "n_rows" rows, in order; false after the last. */
static bool next_basis(int *basis, int n, int n_rows)
{
    int i = n - 1;

    while (i >= 0 && basis[i] == n_rows - n + i)
        i--;
    if (i < 0)
        return false;
    basis[i]++;
    for (int j = i + 1; j < n; j++)
        basis[j] = basis[j - 1] + 1;
    return true;
}

/* Whether the rows of "basis" meet in a vertex for some k; "*meet": whether they meet at all. */
static bool find_vertex(const struct bounds *bounds, const int *basis, struct vertex *vertex,
        bool *meet, bool *fits)
{
    bool found;

    vertex->first = vertex->last = (struct end){0, 0};
    found = solve(bounds, basis, vertex, fits);
    *meet = *meet || found;
    for (int r = 0, b = 0; r < bounds->n_rows && found; r++) {
        if (b < bounds->n_vars && basis[b] == r)
            b++;
        else
            found = clip(bounds, bounds->row[r], vertex, fits);
    }
    return found;
}

/* The runs of one part; false when they are not found. */
static bool add_part(const struct bounds *bounds, struct sator_series *series)
{
    int basis[MOST_VARS], n_bases = 0;
    struct span span = {.known = false};
    bool fits = bounds->n_rows >= bounds->n_vars, meet = false;

    for (int v = 0; v < bounds->n_vars; v++)
        basis[v] = v;
    while (fits) {
        struct vertex vertex;

        if (find_vertex(bounds, basis, &vertex, &meet, &fits)) {
            widen(&span, &vertex);
            fits = lengthen(&series->period, step_of(&vertex, bounds->n_vars)) &&
                    (vertex.last.denominator == 0 || add_cut(series, floor_of(vertex.last)));
        }
        if (++n_bases > MOST_BASES)
            return false;
        if (!next_basis(basis, bounds->n_vars, bounds->n_rows))
            break;
    }
    if (!fits || !meet)
        return false;
    if (!span.known) { /* no vertices, and no lines as rows meet in a point: no points either */
        series->range = (struct sator_range){0, -1};
        return true;
    }
    if (!span.open_below && ceiling_of(span.first) > series->range.lower)
        series->range.lower = ceiling_of(span.first);
    if (!span.open_above && floor_of(span.last) < series->range.upper)
        series->range.upper = floor_of(span.last);
    return true;
}

/* The part number "which" of the variables besides "var"; false when it is too large. */
static bool take_part(const struct sator_system *system, int var, const int *component, int which,
        struct bounds *bounds)
{
    *bounds = (struct bounds){0};
    for (int v = 0; v < system->n_vars; v++)
        bounds->n_vars += v != var && component[v] == which;
    if (bounds->n_vars > MOST_VARS)
        return false;
    for (int r = 0; r < system->n_rows && bounds->n_vars > 0; r++) {
        const int64_t *row = sator_system_row(system, r);
        int64_t cells[MOST_VARS + 2];
        int n = 0;
        bool inside = false;

        for (int v = 0; v < system->n_vars; v++)
            if (v != var && component[v] == which) {
                inside = inside || row[ROW_COEFFICIENTS + v] != 0;
                cells[n++] = row[ROW_COEFFICIENTS + v];
            }
        if (!inside)
            continue;
        if (bounds->n_rows == MOST_ROWS || row[ROW_KIND] == KIND_EQUALITY)
            return false;
        cells[n] = row[ROW_COEFFICIENTS + var];
        cells[n + 1] = row[ROW_CONSTANT];
        memcpy(bounds->row[bounds->n_rows++], cells, sizeof *cells * (size_t)(n + 2));
    }
    return true;
}

bool sator_series_find(const struct sator_system *system, int var, struct sator_range range,
        const int *component, int n_parts, struct sator_series *series)
{
    bool found = true;
    int kept = 0;

    *series = (struct sator_series){
            .var = var, .range = range, .degree = system->n_vars - 1, .period = 1};
    for (int part = 0; part < n_parts && found; part++) {
        struct bounds bounds;

        found = take_part(system, var, component, part, &bounds) &&
                (bounds.n_vars == 0 || add_part(&bounds, series));
    }
    if (!found)
        return false;
    for (int i = 0; i < series->n_runs; i++) /* the range may have become less */
        if (series->last[i] >= series->range.lower && series->last[i] < series->range.upper)
            series->last[kept++] = series->last[i];
    series->last[kept] = series->range.upper;
    series->n_runs = series->range.lower <= series->range.upper ? kept + 1 : 0;
    return true;
}

sator_int sator_series_cost(const struct sator_series *series)
{
    sator_int enough = (sator_int)series->period * (series->degree + 1);
    sator_int cost = 0, first = series->range.lower;

    for (int i = 0; i < series->n_runs; i++) {
        sator_int n_values = series->last[i] - first + 1;

        cost += n_values < enough ? n_values : enough;
        first = (sator_int)series->last[i] + 1;
    }
    return cost;
}

/* ---- sums ---- */

/* The number of points with "var" at "value". */
static enum sator_status count_at(struct sator_points *points, sator_system_counter *counter,
        const struct sator_system *system, int var, sator_int value, sator_int *count)
{
    struct sator_system *rest;
    enum sator_status st;

    SATOR_TRY(sator_system_fix(system, var, (int64_t)value, &rest));
    st = counter(points, rest, count);
done:
    return st;
}

/* The sum of the n values of a polynomial of which the first ones are given, n_given <= n: Newton's
 * differences, the j-th times n choose j + 1. "values" are used up. */
static bool extrapolate(sator_int *values, int n_given, sator_int n, sator_int *sum)
{
    sator_int choose = n; /* n choose j + 1 */

    for (int j = 0; j < n_given; j++) {
        sator_int term;

        if (!sator_mul(values[0], choose, &term) || !sator_add(*sum, term, sum) ||
                !sator_mul(choose, n - j - 1, &choose))
            return false;
        choose /= j + 2;
        for (int i = 0; i + 1 < n_given - j; i++)
            if (!sator_sub(values[i + 1], values[i], &values[i]))
                return false;
    }
    return true;
}

/* Add what the values first, first + period, .. <= last have. */
static enum sator_status add_class(struct sator_points *points, sator_system_counter *counter,
        const struct sator_system *system, const struct sator_series *series, sator_int first,
        sator_int last, sator_int *sum)
{
    sator_int n = (last - first) / series->period + 1;
    int n_given = n < series->degree + 1 ? (int)n : series->degree + 1;
    sator_int *values = sator_alloc(sizeof *values * (size_t)n_given);
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < n_given; i++)
        SATOR_TRY(count_at(points, counter, system, series->var,
                first + i * (sator_int)series->period, &values[i]));
    if (!extrapolate(values, n_given, n, sum))
        st = SATOR_OVERFLOW;
done:
    free(values);
    return st;
}

enum sator_status sator_series_sum(struct sator_points *points, sator_system_counter *counter,
        const struct sator_system *system, const struct sator_series *series, sator_int *count)
{
    sator_int first = series->range.lower, sum = 0;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < series->n_runs; i++) {
        for (int64_t r = 0; r < series->period && first + r <= series->last[i]; r++)
            SATOR_TRY(add_class(points, counter, system, series, first + r, series->last[i], &sum));
        first = (sator_int)series->last[i] + 1;
    }
    *count = sum;
done:
    return st;
}
