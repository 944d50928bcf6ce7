/* Cutting boxes by carries: a box in which the sum stays in one block of the divisor has one value;
 * else the shortest digit in the sum takes its values one by one, a last one by blocks.
 */
#include "count/closed/carries.h"
#include "base/room.h"

#include "base/checked.h"

#include <string.h>

enum {
    CARRY_BOXES = SATOR_ROOM(256, 8) /* most boxes of the loops that carries join */
};

static const struct sator_decline carries_too_long = {
        "a sum of loops under / or % crosses too many blocks"};

static const struct sator_decline *append(
        struct closed_carrier *carrier, const struct closed_interval *box)
{
    int n_axes = carrier->boxes->n_axes;
    struct closed_interval *copy = closed_pool_take(carrier->pool, n_axes);
    if (copy == NULL || carrier->boxes->n == CARRY_BOXES)
        return &carries_too_long;
    memcpy(copy, box, sizeof *box * (size_t)n_axes);
    carrier->boxes->n++;
    return NULL;
}

/* The sum that a carry divides, over a box. */
struct carried {
    struct closed_interval sum;
    int digit; /* that has the fewest values, but several; -1: none */
    int n_free; /* digits that have several */
};

static struct carried add_up(const struct closed_carrier *carrier, const struct closed_carry *carry,
        const struct closed_interval *box)
{
    struct carried carried = {
            .sum = {carry->rest.constant, carry->rest.constant}, .digit = -1, .n_free = 0};
    for (int d = 0; d < carry->digit; d++) {
        int64_t coef = carry->rest.coef[d];
        if (coef == 0)
            continue;
        struct closed_interval x = box[carrier->at[d]];
        carried.sum.lo += coef * (coef < 0 ? x.hi : x.lo);
        carried.sum.hi += coef * (coef < 0 ? x.lo : x.hi);
        if (x.lo == x.hi)
            continue;
        carried.n_free++;
        if (carried.digit < 0 || closed_width(x) < closed_width(box[carrier->at[carried.digit]]))
            carried.digit = d;
    }
    return carried;
}

/* How many values after "x" the only free digit, which begins at "first", may take without the sum
 * leaving its block. */
static int64_t steps_in_block(
        const struct closed_carry *carry, const struct carried *carried, int64_t first, int64_t x)
{
    int64_t coef = carry->rest.coef[carried->digit];
    int64_t start = coef < 0 ? carried->sum.hi : carried->sum.lo;
    int64_t into = sator_floor_mod(start + coef * (x - first), carry->divisor);
    return coef < 0 ? into / -coef : (carry->divisor - 1 - into) / coef;
}

/* The values in "range" of the digit of fewest values with which the sum may reach "block". */
static struct closed_interval reach_block(const struct closed_carry *carry,
        const struct carried *carried, struct closed_interval range, int64_t block)
{
    int64_t coef = carry->rest.coef[carried->digit];
    int64_t own = coef * (closed_width(range) - 1);
    int64_t others = carried->sum.hi - carried->sum.lo - (own < 0 ? -own : own);
    /* the sum at range.lo is base .. base + others, and "coef" more for each step */
    int64_t base = carried->sum.lo - (own < 0 ? own : 0);
    int64_t least = block * carry->divisor - others - base;
    int64_t most = (block + 1) * carry->divisor - 1 - base;
    struct closed_interval steps = {-sator_floor_div(-least, coef < 0 ? -coef : coef),
            sator_floor_div(most, coef < 0 ? -coef : coef)};
    if (coef < 0)
        steps = (struct closed_interval){
                -sator_floor_div(most, -coef), sator_floor_div(-least, -coef)};
    return closed_meet(range, (struct closed_interval){range.lo + steps.lo, range.lo + steps.hi});
}

const struct sator_decline *closed_carries_cut(
        struct closed_carrier *carrier, int c, const struct closed_interval *box)
{
    const struct closed_digits *digits = carrier->digits;
    struct closed_interval part[CLOSED_DIGITS];
    while (c < digits->n_carries &&
            (!(carrier->carries >> c & 1) || carrier->at[digits->carry[c].digit] < 0))
        c++;
    if (c == digits->n_carries)
        return append(carrier, box);
    const struct closed_carry *carry = &digits->carry[c];
    struct carried carried = add_up(carrier, carry, box);
    const struct closed_digit *digit = &digits->digit[carry->digit];
    int64_t value = sator_floor_div(carried.sum.lo, carry->divisor);
    int64_t last = sator_floor_div(carried.sum.hi, carry->divisor);
    if (digit->is_fixed && (digit->value < value || digit->value > last))
        return NULL;
    memcpy(part, box, sizeof *box * (size_t)carrier->boxes->n_axes);
    if (value == last) {
        part[carrier->at[carry->digit]] = (struct closed_interval){value, value};
        return closed_carries_cut(carrier, c + 1, part);
    }
    struct closed_interval range = box[carrier->at[carried.digit]];
    struct closed_interval within = range;
    if (digit->is_fixed)
        within = reach_block(carry, &carried, range, digit->value);
    const struct sator_decline *why = NULL;
    for (int64_t x = within.lo; x <= within.hi && why == NULL; x++) {
        int64_t more = carried.n_free > 1 ? 0 : steps_in_block(carry, &carried, range.lo, x);
        int64_t end = more < within.hi - x ? x + more : within.hi;
        part[carrier->at[carried.digit]] = (struct closed_interval){x, end};
        why = closed_carries_cut(carrier, c, part);
        x = end;
    }
    return why;
}
