/* Lattice points of a box in a slab lo <= c.x <= hi.
 *
 * After reflection every variable is 0 <= y < width with a positive coefficient. Equal coefficients
 * (the skewed stamps i%8 + j%8 + k) have the closed form of stars and bars with inclusion-exclusion
 * over the widths; unequal ones are reduced by fixing the variable with the fewest values, within a
 * fixed budget.
 */
#include "count/closed/slabs.h"
#include "base/room.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

enum {
    MAX_VARS = CLOSED_DIGITS,
    FIXING_BUDGET = SATOR_ROOM(1024, 2), /* values fixed in one count */
    TABLE = SATOR_ROOM(4096, 32) /* greatest span of a form whose distribution is tabulated */
};

static const struct sator_decline too_long = {
        "a stamp is a sum whose values have no simple distribution"};
static const struct sator_decline too_large = {"an intermediate count does not fit"};

/* Variables 0 <= y < width[i], coefficients positive; the form's greatest value is "span". */
struct slab {
    int n;
    int64_t coef[MAX_VARS];
    int64_t width[MAX_VARS];
    int64_t base; /* value of the form at y = 0 */
    int64_t span;
    sator_int points;
};

static void reflect(int n, const int64_t *coef, const struct closed_interval *x, struct slab *slab)
{
    slab->n = 0;
    slab->base = 0;
    slab->span = 0;
    slab->points = 1;
    for (int i = 0; i < n; i++) {
        int64_t width = closed_width(x[i]);
        int64_t size = coef[i] < 0 ? -coef[i] : coef[i];
        assert(width > 0 && coef[i] != 0);
        slab->base += coef[i] * (coef[i] < 0 ? x[i].hi : x[i].lo);
        if (width == 1)
            continue;
        slab->points *= width;
        slab->span += size * (width - 1);
        slab->coef[slab->n] = size;
        slab->width[slab->n++] = width;
    }
}

static bool equal_coefficients(const struct slab *slab)
{
    for (int i = 1; i < slab->n; i++) {
        if (slab->coef[i] != slab->coef[0])
            return false;
    }
    return true;
}

/* The number of non-negative y with sum at most "limit": binomial(limit + n, n). False on overflow.
 */
static bool simplex(int64_t limit, int n, sator_int *count)
{
    sator_int product = 1;
    for (int i = 1; i <= n; i++) {
        if (!sator_mul(product, (sator_int)limit + i, &product))
            return false;
        product /= i; /* exact: binomial(limit + i, i) */
    }
    *count = product;
    return true;
}

/* Points with sum of y at most "limit", unit coefficients: inclusion-exclusion over the variables
 * from "from" on that reach their width. */
static bool at_most(const struct slab *slab, int from, int64_t limit, sator_int *count)
{
    sator_int sum;
    if (limit < 0) {
        *count = 0;
        return true;
    }
    if (!simplex(limit, slab->n, &sum))
        return false;
    for (int i = from; i < slab->n; i++) {
        sator_int part;
        if (!at_most(slab, i + 1, limit - slab->width[i], &part) || !sator_sub(sum, part, &sum))
            return false;
    }
    *count = sum;
    return true;
}

/* As at_most, from whichever end is nearer. */
static bool below(const struct slab *slab, int64_t span, int64_t limit, sator_int *count)
{
    if (limit >= span) {
        *count = slab->points;
        return true;
    }
    if (limit <= span / 2)
        return at_most(slab, 0, limit, count);
    if (!at_most(slab, 0, span - limit - 1, count))
        return false;
    *count = slab->points - *count;
    return true;
}

static const struct sator_decline *count_in(
        const struct slab *slab, int64_t lo, int64_t hi, int *budget, sator_int *count);

/* Fix the variable with the fewest values and count the rest. */
static const struct sator_decline *fix_one(
        const struct slab *slab, int64_t lo, int64_t hi, int *budget, sator_int *count)
{
    struct slab rest = *slab;
    int at = 0;
    for (int i = 1; i < slab->n; i++) {
        if (slab->width[i] < slab->width[at])
            at = i;
    }
    int64_t coef = slab->coef[at];
    int64_t width = slab->width[at];
    rest.n--;
    rest.coef[at] = slab->coef[rest.n];
    rest.width[at] = slab->width[rest.n];
    rest.points /= width;
    rest.span -= coef * (width - 1);
    if (width > *budget)
        return &too_long;
    *budget -= (int)width;
    *count = 0;
    for (int64_t y = 0; y < width; y++) {
        sator_int part;
        const struct sator_decline *why =
                count_in(&rest, lo - coef * y, hi - coef * y, budget, &part);
        if (why != NULL)
            return why;
        *count += part;
    }
    return NULL;
}

static const struct sator_decline *count_in(
        const struct slab *slab, int64_t lo, int64_t hi, int *budget, sator_int *count)
{
    *count = 0;
    if (lo < 0)
        lo = 0;
    if (hi > slab->span)
        hi = slab->span;
    if (lo > hi)
        return NULL;
    if (lo == 0 && hi == slab->span) {
        *count = slab->points;
        return NULL;
    }
    if (!equal_coefficients(slab))
        return fix_one(slab, lo, hi, budget, count);
    int64_t unit = slab->coef[0];
    int64_t first = (lo + unit - 1) / unit;
    int64_t last = hi / unit;
    if (slab->n == 1) {
        *count = last < first ? 0 : last - first + 1;
        return NULL;
    }
    sator_int least = 0;
    if (!below(slab, slab->span / unit, last, count) ||
            !below(slab, slab->span / unit, first - 1, &least))
        return &too_large;
    *count -= least;
    return NULL;
}

const struct sator_decline *closed_slab_count(int n, const int64_t *coef,
        const struct closed_interval *x, struct closed_interval slab, sator_int *count)
{
    struct slab form;
    int budget = FIXING_BUDGET;
    reflect(n, coef, x, &form);
    return count_in(&form, slab.lo - form.base, slab.hi - form.base, &budget, count);
}

/* Whether every value of the form has one point: each coefficient exceeds what the smaller ones
 * reach. */
static bool is_mixed_radix(const struct slab *slab)
{
    bool taken[MAX_VARS] = {false};
    int64_t reach = 0;
    for (int i = 0; i < slab->n; i++) {
        int least = -1;
        for (int j = 0; j < slab->n; j++) {
            if (!taken[j] && (least < 0 || slab->coef[j] < slab->coef[least]))
                least = j;
        }
        taken[least] = true;
        if (slab->coef[least] <= reach)
            return false;
        reach += slab->coef[least] * (slab->width[least] - 1);
    }
    return true;
}

/* The greatest entry of the form's distribution, tabulated one variable at a time. */
static const struct sator_decline *tabulate(
        const struct slab *slab, sator_int *most, int64_t *value)
{
    sator_int table[TABLE + 1] = {1};
    if (slab->span > TABLE)
        return &too_long;
    for (int i = 0; i < slab->n; i++) {
        int64_t step = slab->coef[i];
        int64_t window = step * slab->width[i];
        /* Running sums along each residue class turn the box of "width" terms into one difference.
         */
        for (int64_t v = step; v <= slab->span; v++)
            table[v] += table[v - step];
        for (int64_t v = slab->span; v >= window; v--)
            table[v] -= table[v - window];
    }
    *most = 0;
    for (int64_t v = 0; v <= slab->span; v++) {
        if (table[v] > *most) {
            *most = table[v];
            *value = v;
        }
    }
    return NULL;
}

const struct sator_decline *closed_slab_most(int n, const int64_t *coef,
        const struct closed_interval *x, sator_int *most, int64_t *value)
{
    struct slab form;
    reflect(n, coef, x, &form);
    const struct sator_decline *why = NULL;
    int64_t at = 0;
    if (is_mixed_radix(&form)) {
        *most = 1;
    } else if (equal_coefficients(&form)) {
        /* A sum of uniform variables is symmetric and unimodal: the middle is its mode. */
        int budget = 0;
        at = form.span / form.coef[0] / 2 * form.coef[0];
        why = count_in(&form, at, at, &budget, most);
    } else {
        why = tabulate(&form, most, &at);
    }
    *value = form.base + at;
    return why;
}

static bool find_point(int n, const int64_t *coef, const struct closed_interval *x, int64_t value,
        int *budget, int64_t *point)
{
    int64_t lo = 0;
    int64_t hi = 0;
    if (n == 0)
        return value == 0;
    for (int i = 1; i < n; i++) {
        lo += coef[i] * (coef[i] < 0 ? x[i].hi : x[i].lo);
        hi += coef[i] * (coef[i] < 0 ? x[i].lo : x[i].hi);
    }
    /* Values of x[0] that leave a remainder in [lo, hi]. */
    int64_t size = coef[0] < 0 ? -coef[0] : coef[0];
    int64_t from = -sator_floor_div(-(value - hi), size);
    int64_t to = sator_floor_div(value - lo, size);
    if (coef[0] < 0) {
        int64_t swap = from;
        from = -to;
        to = -swap;
    }
    struct closed_interval range = closed_meet(x[0], (struct closed_interval){from, to});
    for (int64_t y = range.lo; y <= range.hi; y++) {
        if (--*budget < 0)
            return false;
        point[0] = y;
        if (find_point(n - 1, coef + 1, x + 1, value - coef[0] * y, budget, point + 1))
            return true;
    }
    return false;
}

bool closed_slab_point(
        int n, const int64_t *coef, const struct closed_interval *x, int64_t value, int64_t *point)
{
    int budget = FIXING_BUDGET;
    return find_point(n, coef, x, value, &budget, point);
}
