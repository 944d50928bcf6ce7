#include "count/general/system.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct sator_system *sator_system_new(int n_vars, int capacity)
{
    struct sator_system *system = sator_alloc(sizeof *system);

    *system = (struct sator_system){.n_vars = n_vars, .capacity = capacity > 0 ? capacity : 1};
    system->cells = sator_alloc(
            sizeof *system->cells * (size_t)system->capacity * (size_t)sator_system_stride(system));
    return system;
}

struct sator_system *sator_system_copy(const struct sator_system *system)
{
    struct sator_system *copy = sator_system_new(system->n_vars, system->n_rows);

    copy->n_rows = system->n_rows;
    memcpy(copy->cells, system->cells,
            sizeof *copy->cells * (size_t)system->n_rows * (size_t)sator_system_stride(system));
    return copy;
}

void sator_system_free(struct sator_system *system)
{
    if (!system)
        return;
    free(system->cells);
    free(system);
}

int64_t *sator_system_add(struct sator_system *system, int kind)
{
    size_t stride = (size_t)sator_system_stride(system);
    int64_t *row;

    if (system->n_rows == system->capacity) {
        system->capacity *= 2;
        system->cells =
                sator_realloc(system->cells, sizeof *row * (size_t)system->capacity * stride);
    }
    row = sator_system_row(system, system->n_rows++);
    memset(row, 0, sizeof *row * stride);
    row[ROW_KIND] = kind;
    return row;
}

struct sator_system *sator_system_cut(
        const struct sator_system *system, const int64_t *row, int kind, int sign)
{
    struct sator_system *part = sator_system_copy(system);
    int64_t *added = sator_system_add(part, kind);

    for (int c = ROW_CONSTANT; c < sator_system_stride(system); c++)
        added[c] = sign < 0 ? -row[c] : row[c];
    added[ROW_CONSTANT] -= sign <= 0;
    return part;
}

void sator_system_add_rows(
        struct sator_system *system, const struct sator_system *other, const int *vars)
{
    for (int r = 0; r < other->n_rows; r++) {
        const int64_t *from = sator_system_row(other, r);
        int64_t *to = sator_system_add(system, (int)from[ROW_KIND]);

        to[ROW_CONSTANT] = from[ROW_CONSTANT];
        for (int v = 0; v < other->n_vars; v++)
            to[ROW_COEFFICIENTS + vars[v]] += from[ROW_COEFFICIENTS + v];
    }
}

struct sator_system *sator_system_conjoin(
        const struct sator_system *a, const struct sator_system *b, int n_leading)
{
    int n_vars = a->n_vars + b->n_vars - n_leading;
    struct sator_system *both = sator_system_new(n_vars, a->n_rows + b->n_rows);
    int *vars = sator_alloc(sizeof *vars * (size_t)(n_vars + 1));

    for (int v = 0; v < a->n_vars; v++)
        vars[v] = v;
    sator_system_add_rows(both, a, vars);
    for (int v = 0; v < b->n_vars; v++)
        vars[v] = v < n_leading ? v : v + a->n_vars - n_leading;
    sator_system_add_rows(both, b, vars);
    free(vars);
    return both;
}

static void remove_row(struct sator_system *system, int row)
{
    int last = --system->n_rows;

    if (row != last)
        memcpy(sator_system_row(system, row), sator_system_row(system, last),
                sizeof *system->cells * (size_t)sator_system_stride(system));
}

static void remove_var(struct sator_system *system, int var)
{
    int stride = sator_system_stride(system);
    int64_t *to = system->cells;

    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *from = system->cells + (size_t)r * (size_t)stride;

        for (int c = 0; c < stride; c++)
            if (c != ROW_COEFFICIENTS + var)
                *to++ = from[c];
    }
    system->n_vars--;
    /* The same memory holds more of the shorter rows; the old number is safe. */
}

/* ---- rows ---- */

static int64_t common_factor(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? -(uint64_t)b : (uint64_t)b;

    while (y != 0) {
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return (int64_t)x; /* 2^63 only from INT64_MIN, which rows never hold */
}

enum row_state {
    ROW_OPEN,
    ROW_TRUE,
    ROW_FALSE
};

/* Divide a row by the common factor of its coefficients; see whether it holds always or never.
 * Equalities get a positive leading coefficient. */
static enum row_state reduce_row(int64_t *row, int n_vars)
{
    int64_t *coefficients = row + ROW_COEFFICIENTS;
    bool equality = row[ROW_KIND] == KIND_EQUALITY;
    int64_t factor = 0;
    int first = -1;

    for (int v = 0; v < n_vars && factor != 1; v++)
        factor = common_factor(coefficients[v], factor);
    if (factor == 0)
        return (equality ? row[ROW_CONSTANT] == 0 : row[ROW_CONSTANT] >= 0) ? ROW_TRUE : ROW_FALSE;
    if (factor > 1) {
        if (equality && row[ROW_CONSTANT] % factor != 0)
            return ROW_FALSE;
        row[ROW_CONSTANT] = sator_floor_div(row[ROW_CONSTANT], factor);
        for (int v = 0; v < n_vars; v++)
            coefficients[v] /= factor;
    }
    for (int v = 0; v < n_vars && first < 0; v++)
        if (coefficients[v] != 0)
            first = v;
    if (equality && coefficients[first] < 0) {
        row[ROW_CONSTANT] = -row[ROW_CONSTANT];
        for (int v = 0; v < n_vars; v++)
            coefficients[v] = -coefficients[v];
    }
    return ROW_OPEN;
}

/* row += factor * other, kinds left alone; false when a number does not fit. INT64_MIN counts as
 * not fitting, so that numbers can be negated. */
static bool add_multiple(int64_t *row, int64_t factor, const int64_t *other, int stride)
{
    for (int c = ROW_CONSTANT; c < stride; c++) {
        int64_t product;

        if (__builtin_mul_overflow(factor, other[c], &product) ||
                __builtin_add_overflow(row[c], product, &row[c]) || row[c] == INT64_MIN)
            return false;
    }
    return true;
}

static enum row_state reduce_rows(struct sator_system *system)
{
    for (int r = 0; r < system->n_rows;) {
        switch (reduce_row(sator_system_row(system, r), system->n_vars)) {
        case ROW_FALSE:
            return ROW_FALSE;
        case ROW_TRUE:
            remove_row(system, r);
            break;
        case ROW_OPEN:
            r++;
            break;
        }
    }
    return ROW_OPEN;
}

/* ---- equalities ---- */

/* Replace variable "var" (of coefficient +1 or -1 in equality "row") everywhere, and remove both.
 */
static enum sator_status substitute(struct sator_system *system, int row, int var)
{
    int stride = sator_system_stride(system);
    const int64_t *equality = sator_system_row(system, row);
    int64_t sign = equality[ROW_COEFFICIENTS + var];

    assert(sign == 1 || sign == -1);
    for (int r = 0; r < system->n_rows; r++) {
        int64_t *other = sator_system_row(system, r);
        int64_t factor = other[ROW_COEFFICIENTS + var];

        if (r != row && factor != 0 && !add_multiple(other, -factor * sign, equality, stride))
            return SATOR_DECLINED;
    }
    remove_row(system, row);
    remove_var(system, var);
    return SATOR_OK;
}

/* The free variable of least absolute coefficient in a row, or -1. */
static int least_var(const int64_t *row, int n_keep, int n_vars)
{
    const int64_t *coefficients = row + ROW_COEFFICIENTS;
    int least = -1;

    for (int v = n_keep; v < n_vars; v++)
        if (coefficients[v] != 0 &&
                (least < 0 || llabs(coefficients[v]) < llabs(coefficients[least])))
            least = v;
    return least;
}

/* Subtract "quotient" times the coefficient of "least" from that of "var" in every row: "least" is
 * replaced by itself plus quotient * var, a bijection of the integers. */
static enum sator_status skew(struct sator_system *system, int var, int64_t quotient, int least)
{
    for (int r = 0; r < system->n_rows; r++) {
        int64_t *cells = sator_system_row(system, r) + ROW_COEFFICIENTS;
        int64_t product;

        if (__builtin_mul_overflow(quotient, cells[least], &product) ||
                __builtin_sub_overflow(cells[var], product, &cells[var]) || cells[var] == INT64_MIN)
            return SATOR_DECLINED;
    }
    return SATOR_OK;
}

/* Euclid's algorithm on the free variables of equality "row", until one is left or one has a unit
 * coefficient. */
static enum sator_status reduce_coefficients(
        struct sator_system *system, int row, int n_keep, bool *unit)
{
    enum sator_status st = SATOR_OK;
    bool alone = false;

    *unit = false;
    while (!alone && !*unit) {
        const int64_t *cells = sator_system_row(system, row) + ROW_COEFFICIENTS;
        int least = least_var(sator_system_row(system, row), n_keep, system->n_vars);

        alone = true;
        if (least < 0)
            break;
        for (int v = n_keep; v < system->n_vars; v++) {
            if (v == least || cells[v] == 0)
                continue;
            SATOR_TRY(skew(system, v, cells[v] / cells[least], least));
            alone = alone && cells[v] == 0;
        }
        least = least_var(sator_system_row(system, row), n_keep, system->n_vars);
        *unit = cells[least] == 1 || cells[least] == -1;
    }
done:
    return st;
}

/* The equality and variable that are cheapest to remove: a unit coefficient, fewest variables in
 * the row. */
static bool find_unit(const struct sator_system *system, int n_keep, int *row, int *var)
{
    int fewest = INT32_MAX;

    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *cells = sator_system_row(system, r);
        int n_used = 0, unit = -1;

        if (cells[ROW_KIND] != KIND_EQUALITY)
            continue;
        for (int v = system->n_vars - 1; v >= 0; v--) {
            int64_t a = cells[ROW_COEFFICIENTS + v];

            n_used += a != 0;
            if (v >= n_keep && unit < 0 && (a == 1 || a == -1))
                unit = v;
        }
        if (unit >= 0 && n_used < fewest) {
            fewest = n_used;
            *row = r;
            *var = unit;
        }
    }
    return fewest < INT32_MAX;
}

/* Remove every equality that involves a variable beyond the kept ones, except those that tie a
 * multiple of one such variable to kept ones. */
static enum sator_status solve_equalities(struct sator_system *system, int n_keep, bool *empty)
{
    enum sator_status st = SATOR_OK;
    bool progress = true;

    while (progress) {
        int row, var;

        progress = false;
        if (reduce_rows(system) == ROW_FALSE) {
            *empty = true;
            break;
        }
        if (find_unit(system, n_keep, &row, &var)) {
            SATOR_TRY(substitute(system, row, var));
            progress = true;
        }
        for (int r = 0; r < system->n_rows && !progress; r++)
            if (sator_system_row(system, r)[ROW_KIND] == KIND_EQUALITY)
                SATOR_TRY(reduce_coefficients(system, r, n_keep, &progress));
    }
done:
    return st;
}

/* ---- order and duplicates ---- */

/* Rows with the same linear part up to sign are neighbours, equalities first, then by sign and
 * constant. */
static int compare_rows(const int64_t *a, const int64_t *b, int n_vars)
{
    const int64_t *x = a + ROW_COEFFICIENTS, *y = b + ROW_COEFFICIENTS;
    int v = 0;

    while (v < n_vars && x[v] == 0 && y[v] == 0)
        v++;
    if (v < n_vars && (x[v] == 0 || y[v] == 0))
        return x[v] == 0 ? -1 : 1;
    bool minus_a = v < n_vars && x[v] < 0, minus_b = v < n_vars && y[v] < 0;
    for (; v < n_vars; v++) {
        int64_t of_a = minus_a ? -x[v] : x[v], of_b = minus_b ? -y[v] : y[v];

        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
    }
    if (a[ROW_KIND] != b[ROW_KIND])
        return a[ROW_KIND] > b[ROW_KIND] ? -1 : 1;
    if (minus_a != minus_b)
        return minus_a ? 1 : -1;
    return (a[ROW_CONSTANT] > b[ROW_CONSTANT]) - (a[ROW_CONSTANT] < b[ROW_CONSTANT]);
}

static void swap_rows(int64_t *a, int64_t *b, int stride)
{
    for (int c = 0; c < stride; c++) {
        int64_t cell = a[c];

        a[c] = b[c];
        b[c] = cell;
    }
}

/* Shell's sort: most systems have a dozen rows, eliminations leave thousands. */
static void sort_rows(struct sator_system *system)
{
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    int stride = sator_system_stride(system);

    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        for (int r = gaps[g]; r < system->n_rows; r++) {
            for (int s = r; s >= gaps[g]; s -= gaps[g]) {
                int64_t *low = sator_system_row(system, s - gaps[g]);
                int64_t *high = sator_system_row(system, s);

                if (compare_rows(low, high, system->n_vars) <= 0)
                    break;
                swap_rows(low, high, stride);
            }
        }
    }
}

/* 1: same linear part; -1: opposite; 0: neither. */
static int parallel(const int64_t *a, const int64_t *b, int n_vars)
{
    bool same = true, opposite = true;

    for (int v = 0; v < n_vars && (same || opposite); v++) {
        same = same && a[ROW_COEFFICIENTS + v] == b[ROW_COEFFICIENTS + v];
        opposite = opposite && a[ROW_COEFFICIENTS + v] == -b[ROW_COEFFICIENTS + v];
    }
    return same ? 1 : opposite ? -1 : 0;
}

/* What the sorted row "b" adds to the row "a" before it. */
enum pair {
    PAIR_BOTH,
    PAIR_FIRST,
    PAIR_EQUALITY,
    PAIR_NONE
};

static enum pair compare_pair(const int64_t *a, const int64_t *b, int n_vars)
{
    int direction = parallel(a, b, n_vars);
    sator_int slack; /* of b where a is tight */

    if (direction == 0)
        return PAIR_BOTH;
    slack = direction > 0 ? (sator_int)b[ROW_CONSTANT] - a[ROW_CONSTANT]
                          : (sator_int)b[ROW_CONSTANT] + a[ROW_CONSTANT];
    if (a[ROW_KIND] == KIND_EQUALITY) {
        if (b[ROW_KIND] == KIND_EQUALITY)
            return slack == 0 ? PAIR_FIRST : PAIR_NONE;
        return slack >= 0 ? PAIR_FIRST : PAIR_NONE;
    }
    if (direction > 0)
        return PAIR_FIRST; /* sorted: the smaller constant, the tighter row, is first */
    return slack < 0 ? PAIR_NONE : slack == 0 ? PAIR_EQUALITY : PAIR_BOTH;
}

/* Sort, and join rows with the same linear part. "*changed": new equalities were found. */
static void join_rows(struct sator_system *system, bool *empty, bool *changed)
{
    int stride = sator_system_stride(system);
    int kept = 0;

    sort_rows(system);
    for (int r = 0; r < system->n_rows; r++) {
        int64_t *row = sator_system_row(system, r);
        int64_t *last = kept > 0 ? sator_system_row(system, kept - 1) : NULL;
        enum pair pair = last ? compare_pair(last, row, system->n_vars) : PAIR_BOTH;

        if (pair == PAIR_NONE) {
            *empty = true;
            return;
        }
        if (pair == PAIR_EQUALITY) {
            last[ROW_KIND] = KIND_EQUALITY;
            *changed = true;
        }
        if (pair == PAIR_BOTH) {
            memmove(sator_system_row(system, kept), row, sizeof *row * (size_t)stride);
            kept++;
        }
    }
    system->n_rows = kept;
}

/* ---- divisions that are the same ---- */

/* A variable with 0 <= form + a var <= width < |a|: one value at most for each of the form. */
struct division {
    const int64_t *low; /* the row of the lower bound */
    int var;
    sator_int width;
};

/* Whether row "r" of a system that is sorted bounds "var" as a division. */
static bool get_division(
        const struct sator_system *system, int r, int var, struct division *division)
{
    const int64_t *low = sator_system_row(system, r);

    *division = (struct division){.low = low, .var = var};
    if (low[ROW_COEFFICIENTS + var] == 0 || low[ROW_KIND] != KIND_INEQUALITY)
        return false;
    for (int o = r > 0 ? r - 1 : r + 1; o <= r + 1 && o < system->n_rows; o += 2) {
        const int64_t *high = sator_system_row(system, o);

        if (high[ROW_KIND] != KIND_INEQUALITY || parallel(low, high, system->n_vars) >= 0)
            continue;
        division->width = (sator_int)low[ROW_CONSTANT] + high[ROW_CONSTANT];
        return division->width < llabs(low[ROW_COEFFICIENTS + var]);
    }
    return false;
}

/* Whether the variables u and v of two divisions are equal: of one form, but for a constant, and
 * a (u - v) is between -|a| and |a|. */
static bool is_same_division(const struct division *u, const struct division *v, int n_vars)
{
    sator_int a = llabs(v->low[ROW_COEFFICIENTS + v->var]);
    sator_int shift = (sator_int)v->low[ROW_CONSTANT] - u->low[ROW_CONSTANT];

    for (int w = 0; w < n_vars; w++) {
        int64_t expected = w == v->var ? 0
                : w == u->var          ? v->low[ROW_COEFFICIENTS + v->var]
                                       : v->low[ROW_COEFFICIENTS + w];

        if (u->low[ROW_COEFFICIENTS + w] != expected)
            return false;
    }
    return v->low[ROW_COEFFICIENTS + u->var] == 0 && shift + u->width < a && v->width - shift < a;
}

/* A variable before that of "v" that is the same division; -1: none. */
static int find_same(const struct sator_system *system, const struct division *v)
{
    for (int r = 0; r < system->n_rows; r++)
        for (int u = 0; u < v->var; u++) {
            struct division other;

            if (sator_system_row(system, r)[ROW_COEFFICIENTS + u] ==
                            v->low[ROW_COEFFICIENTS + v->var] &&
                    get_division(system, r, u, &other) &&
                    is_same_division(&other, v, system->n_vars))
                return u;
        }
    return -1;
}

/* Look for a variable beyond the kept ones that is the same division as another, and say so by an
 * equality: a conjunction has the divisions of both its sides. */
static bool equate_divisions(struct sator_system *system, int n_keep)
{
    for (int v = system->n_vars - 1; v >= n_keep; v--)
        for (int r = 0; r < system->n_rows; r++) {
            struct division division;
            int u = get_division(system, r, v, &division) ? find_same(system, &division) : -1;

            if (u < 0)
                continue;
            int64_t *cells = sator_system_add(system, KIND_EQUALITY) + ROW_COEFFICIENTS;
            cells[u] = 1;
            cells[v] = -1;
            return true;
        }
    return false;
}

enum sator_status sator_system_simplify(struct sator_system *system, int n_keep, bool *empty)
{
    enum sator_status st;
    bool changed = true;

    *empty = false;
    while (changed) {
        changed = false;
        SATOR_TRY(solve_equalities(system, n_keep, empty));
        if (*empty)
            return SATOR_OK;
        join_rows(system, empty, &changed);
        if (*empty)
            return SATOR_OK;
        changed = equate_divisions(system, n_keep) || changed;
    }
    st = SATOR_OK;
done:
    return st;
}

enum sator_status sator_system_fix(
        const struct sator_system *system, int var, int64_t value, struct sator_system **fixed)
{
    int stride = sator_system_stride(system);
    struct sator_system *copy = sator_system_new(system->n_vars - 1, system->n_rows);
    int64_t *to = copy->cells;

    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *from = sator_system_row(system, r);
        int64_t *constant = to + ROW_CONSTANT;
        int64_t shift;

        for (int c = 0; c < stride; c++)
            if (c != ROW_COEFFICIENTS + var)
                *to++ = from[c];
        if (__builtin_mul_overflow(from[ROW_COEFFICIENTS + var], value, &shift) ||
                __builtin_add_overflow(*constant, shift, constant) || *constant == INT64_MIN) {
            sator_system_free(copy);
            return SATOR_DECLINED;
        }
    }
    copy->n_rows = system->n_rows;
    *fixed = copy;
    return SATOR_OK;
}
