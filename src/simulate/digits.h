/* Loops as digits: u = i + base is the sum of digit * weight, and what stamps and accesses say of
 * i/8, i%8 and the like are sums over the digits. Private to walks. */
#ifndef SATOR_SIMULATE_DIGITS_H
#define SATOR_SIMULATE_DIGITS_H

#include "relation/workload.h"

struct digit {
    int loop;
    int64_t weight, extent; /* 0 <= digit < extent */
};

struct digits {
    int n_loops;
    struct digit_loop {
        bool has_base;
        int64_t base; /* u = i + base */
        int64_t least, end; /* least <= u < end */
        int n_weights; /* ascending, the first 1 */
        int64_t *weights;
        int first; /* digit, of the smallest weight */
    } * loops;
    int n_digits;
    struct digit *digits;
};

/* constant + sum of factors[digit] * digit */
struct linear {
    int64_t constant;
    int64_t *factors;
};

/* Note the weights that "expr" needs; false where it is no sum of digits. */
bool digits_note(struct sator_arena *arena, struct digits *digits, const struct sator_expr *expr);
/* Make the digits, once every expression was noted. False where weights do not divide each other or
 * numbers are too large. */
bool digits_make(
        struct sator_arena *arena, struct digits *digits, const struct sator_workload *workload);
/* An expression that was noted over the digits. */
bool digits_linear(struct sator_arena *arena, const struct digits *digits,
        const struct sator_expr *expr, struct linear *linear);

#endif
