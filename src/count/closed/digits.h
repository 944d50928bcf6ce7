/* Iterators as mixed-radix digits, and quasi-affine expressions as integer combinations of them.
 *
 * Loop n of the domain is n = constant + sum of place * digit. The places of one loop form a
 * divisibility chain 1 | r1 | r2 ..., so that n % m and floor(n / m) are plain sums of digits for
 * every m in use. The values of a loop are x = n + phase - origin in [begin, end), 0 <= begin < the
 * largest place (doc/counting.md, "Digits").
 */
#ifndef SATOR_COUNT_CLOSED_DIGITS_H
#define SATOR_COUNT_CLOSED_DIGITS_H

#include "count/decline.h"
#include "relation/relation.h"

enum {
    CLOSED_LOOPS = 24, /* most loops of a domain */
    CLOSED_DIGITS = 32, /* most digits of all loops together */
    CLOSED_RADICES = 8, /* most digits of one loop */
    CLOSED_CARRIES = 8, /* most carries */
    CLOSED_TIMES = 26, /* most time rows after normalisation */
    CLOSED_SPACES = 6, /* most dimensions of a space-stamp */
    CLOSED_INDICES = 8, /* most dimensions of a tensor */
    CLOSED_ROWS = CLOSED_SPACES + CLOSED_TIMES + CLOSED_INDICES
};

/* All sums of coefficients times digits stay below this, so that int64 arithmetic on them cannot
 * overflow. */
#define CLOSED_BOUND ((int64_t)1 << 50)

struct closed_interval {
    int64_t lo, hi; /* inclusive; empty when hi < lo */
};

/* constant + sum of coef[d] * digit d */
struct closed_form {
    int64_t constant;
    int64_t coef[CLOSED_DIGITS];
};

struct closed_digit {
    int loop; /* of a carry: one of its loops */
    int64_t place; /* 0: a carry */
    int64_t size; /* values are 0 .. size - 1, not all of them with every value of the others */
    bool is_fixed; /* to "value": nothing else is asked for (fixed.h) */
    int64_t value;
};

struct closed_loop {
    int64_t lower, upper; /* of the iterator, upper exclusive */
    int64_t phase;
    bool has_phase;
    int n_radices;
    int64_t radix[CLOSED_RADICES]; /* places, radix[0] = 1 */
    int first_digit, n_digits;
    int64_t begin, end;
    bool is_full; /* every digit takes all its values, whatever the others are */
    bool has_fixed; /* digits */
    struct closed_form value; /* the iterator as a form */
};

/* A digit that others determine: floor(rest / divisor), where the rest crosses blocks of the
 * divisor. It comes after the digits of all loops. */
struct closed_carry {
    int digit;
    uint32_t loops; /* whose digits determine it */
    int64_t divisor;
    struct closed_form rest; /* least value in 0 .. divisor - 1 */
};

struct closed_digits {
    int n_loops, n_digits, n_carries;
    bool may_carry; /* forms may use carries where digits alone do not do */
    bool may_split; /* loops further; else what asks for that is only told so */
    struct closed_carry carry[CLOSED_CARRIES];
    struct closed_loop loop[CLOSED_LOOPS];
    struct closed_digit digit[CLOSED_DIGITS];
};

/* What may meet an input outside the class returns NULL, or the reason why it declines. */

/* One digit a loop, bounds lower <= n < upper. */
const struct sator_decline *closed_digits_init(
        struct closed_digits *digits, int n_loops, const int64_t *lower, const int64_t *upper);

/* The part of "from" that is in use. */
void closed_digits_copy(struct closed_digits *digits, const struct closed_digits *from);

/* Set "form" to "expr" whose variable v is vars[v]. A divisor that needs a finer split of a loop
 * splits it, if it may, and sets "*changed": all forms made before are then void and must be made
 * again. A carry is appended to the digits; forms made before do not have it. */
const struct sator_decline *closed_digits_form(struct closed_digits *digits,
        const struct sator_expr *expr, const struct closed_form *vars, struct closed_form *form,
        bool *changed);

/* The least and greatest value of "form" when every digit ranges over its size on its own. */
struct closed_interval closed_form_range(
        const struct closed_digits *digits, const struct closed_form *form);

/* Append the digit floor(rest / divisor) - "block", which counts from 0, or find it; -1 when there
 * is no room, or it has more than "most" values. */
int closed_digits_carry(struct closed_digits *digits, const struct closed_form *rest,
        int64_t divisor, int64_t block, int64_t most);

/* What "digit" may be. */
static inline struct closed_interval closed_digit_range(const struct closed_digit *digit)
{
    int64_t last = digit->size - 1;
    return digit->is_fixed ? (struct closed_interval){digit->value, digit->value}
                           : (struct closed_interval){0, last};
}

/* Decline a form that reaches CLOSED_BOUND. */
const struct sator_decline *closed_form_check(
        const struct closed_digits *digits, const struct closed_form *form);

#endif
