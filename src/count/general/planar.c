/* The integer points of a polygon, by sums of floors: no enumeration.
 *
 * With y fixed, x lies between the greatest of its lower bounds and the least of its upper bounds.
 * Over a run of y where the same two rows decide, the number of x is a difference of two floors of
 * linear functions, and its sum over the run is found by the Euclidean algorithm.
 */
#include "base/checked.h"
#include "count/general/points.h"

/* A bound of x: sign * x <= (slope * y + offset) / divisor, divisor > 0. */
struct bound {
    sator_int slope, offset;
    int64_t divisor;
};

static sator_int floor_div(sator_int value, sator_int divisor)
{
    sator_int quotient = value / divisor;

    return value % divisor < 0 ? quotient - 1 : quotient;
}

/* Add sum of floor((slope * i + offset) / divisor) for 0 <= i < n to "*sum". Each step is one of
 * Euclid's algorithm on (slope, divisor). False when a number does not fit. */
static bool add_floors(
        sator_int n, sator_int divisor, sator_int slope, sator_int offset, sator_int *sum)
{
    while (n > 0) {
        sator_int quotient, pairs, term, top;

        /* n (n - 1) / 2 without overflow for n < 2^64 */
        pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
        quotient = floor_div(slope, divisor);
        slope -= quotient * divisor;
        if (!sator_mul(pairs, quotient, &term) || !sator_add(*sum, term, sum))
            return false;
        quotient = floor_div(offset, divisor);
        offset -= quotient * divisor;
        if (!sator_mul(n, quotient, &term) || !sator_add(*sum, term, sum))
            return false;
        /* 0 <= slope, offset < divisor: count the lattice points under the line by columns of the
         * transposed one. */
        if (!sator_mul(slope, n, &top) || !sator_add(top, offset, &top))
            return false;
        n = top / divisor;
        offset = top % divisor;
        top = slope;
        slope = divisor;
        divisor = top;
    }
    return true;
}

/* Compare the values of two bounds at y: negative when a is less. The products fit: |y| < 2^63,
 * slopes and divisors below 2^63 give at most 2^127 only at the extreme, which checked arithmetic
 * reports. */
static bool compare_at(const struct bound *a, const struct bound *b, sator_int y, int *order)
{
    sator_int left, right;

    if (!sator_mul(a->slope, y, &left) || !sator_add(left, a->offset, &left) ||
            !sator_mul(left, b->divisor, &left) || !sator_mul(b->slope, y, &right) ||
            !sator_add(right, b->offset, &right) || !sator_mul(right, a->divisor, &right))
        return false;
    *order = (left > right) - (left < right);
    return true;
}

/* The slope of a less that of b, times both divisors; and the offsets likewise. */
static bool difference(
        const struct bound *a, const struct bound *b, sator_int *slope, sator_int *offset)
{
    sator_int x, y;

    return sator_mul(a->slope, b->divisor, &x) && sator_mul(b->slope, a->divisor, &y) &&
            sator_sub(x, y, slope) && sator_mul(a->offset, b->divisor, &x) &&
            sator_mul(b->offset, a->divisor, &y) && sator_sub(x, y, offset);
}

/* The least of "bounds" at y, and the last y' <= "last" up to which it stays the least. */
static bool least_bound(const struct bound *bounds, int n_bounds, sator_int y, sator_int *last,
        const struct bound **least)
{
    const struct bound *best = &bounds[0];

    for (int i = 1; i < n_bounds; i++) {
        int order;

        if (!compare_at(&bounds[i], best, y, &order))
            return false;
        if (order < 0)
            best = &bounds[i];
    }
    for (int i = 0; i < n_bounds; i++) {
        sator_int slope, offset, until;

        if (!difference(&bounds[i], best, &slope, &offset))
            return false;
        if (slope >= 0)
            continue;
        /* bounds[i] - best = slope * y + offset stays >= 0 */
        until = floor_div(offset, -slope);
        if (until < *last)
            *last = until;
    }
    *least = best;
    return true;
}

/* Sum of floor((slope * y + offset) / divisor) for first <= y <= last. */
static bool sum_bound(const struct bound *bound, sator_int first, sator_int last, sator_int *sum)
{
    sator_int shift;

    return sator_mul(bound->slope, first, &shift) && sator_add(shift, bound->offset, &shift) &&
            add_floors(last - first + 1, bound->divisor, bound->slope, shift, sum);
}

struct polygon {
    int n_lower, n_upper;
    struct bound *lower, *upper; /* of -x and of x */
    sator_int first, last; /* y */
    bool first_known, last_known;
};

/* slope * y + offset >= 0 */
static void limit_y(struct polygon *polygon, sator_int slope, sator_int offset)
{
    if (slope > 0) {
        sator_int first = -floor_div(offset, slope);

        if (!polygon->first_known || first > polygon->first)
            polygon->first = first;
        polygon->first_known = true;
    } else if (slope < 0) {
        sator_int last = floor_div(offset, -slope);

        if (!polygon->last_known || last < polygon->last)
            polygon->last = last;
        polygon->last_known = true;
    } else if (offset < 0) {
        polygon->first = 1;
        polygon->last = 0;
        polygon->first_known = polygon->last_known = true;
    }
}

/* Restrict y to where every lower bound of x is at most every upper bound, over the rationals. */
static bool limit_by_pairs(struct polygon *polygon)
{
    for (int i = 0; i < polygon->n_lower; i++)
        for (int j = 0; j < polygon->n_upper; j++) {
            struct bound low = polygon->lower[i];
            sator_int slope, offset;

            /* x >= -low, x <= upper */
            low.slope = -low.slope;
            low.offset = -low.offset;
            if (!difference(&polygon->upper[j], &low, &slope, &offset))
                return false;
            limit_y(polygon, slope, offset);
        }
    return true;
}

static bool sum_runs(const struct polygon *polygon, sator_int *count)
{
    sator_int y = polygon->first;

    *count = 0;
    while (y <= polygon->last) {
        const struct bound *lower, *upper;
        sator_int last = polygon->last, width;

        if (!least_bound(polygon->lower, polygon->n_lower, y, &last, &lower) ||
                !least_bound(polygon->upper, polygon->n_upper, y, &last, &upper) ||
                !sum_bound(lower, y, last, count) || !sum_bound(upper, y, last, count) ||
                !sator_sub(last, y, &width) || !sator_add(*count, width + 1, count))
            return false;
        y = last + 1;
    }
    return true;
}

enum {
    MOST_BOUNDS = 64
};

enum sator_status sator_points_planar(
        const struct sator_system *system, bool *infinite, sator_int *count)
{
    struct bound lower[MOST_BOUNDS], upper[MOST_BOUNDS];
    struct polygon polygon = {.lower = lower, .upper = upper};

    *infinite = false;
    for (int r = 0; r < system->n_rows; r++) {
        const int64_t *row = sator_system_row(system, r);
        int64_t a = row[ROW_COEFFICIENTS];
        struct bound bound = {row[ROW_COEFFICIENTS + 1], row[ROW_CONSTANT], a < 0 ? -a : a};

        if (a == 0)
            limit_y(&polygon, bound.slope, bound.offset);
        else if (polygon.n_lower == MOST_BOUNDS || polygon.n_upper == MOST_BOUNDS)
            return SATOR_DECLINED;
        else if (a > 0)
            lower[polygon.n_lower++] = bound;
        else
            upper[polygon.n_upper++] = bound;
    }
    if (!limit_by_pairs(&polygon))
        return SATOR_DECLINED;
    if (polygon.first_known && polygon.last_known && polygon.first > polygon.last) {
        *count = 0;
        return SATOR_OK;
    }
    *infinite = polygon.n_lower == 0 || polygon.n_upper == 0 || !polygon.first_known ||
            !polygon.last_known;
    if (*infinite)
        return SATOR_OK;
    return sum_runs(&polygon, count) ? SATOR_OK : SATOR_DECLINED;
}
