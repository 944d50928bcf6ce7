/* Checked arithmetic on counts: false when the result does not fit, "*result" then meaningless. */
#ifndef SATOR_BASE_CHECKED_H
#define SATOR_BASE_CHECKED_H

#include "sator/context.h"

static inline bool sator_add(sator_int a, sator_int b, sator_int *result)
{
    return !__builtin_add_overflow(a, b, result);
}

static inline bool sator_sub(sator_int a, sator_int b, sator_int *result)
{
    return !__builtin_sub_overflow(a, b, result);
}

static inline bool sator_mul(sator_int a, sator_int b, sator_int *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

/* Floor division and its remainder, "divisor" > 0 (doc/model.md: 0 <= remainder < divisor). */
static inline int64_t sator_floor_div(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;
    return value % divisor < 0 ? quotient - 1 : quotient;
}

static inline int64_t sator_floor_mod(int64_t value, int64_t divisor)
{
    int64_t remainder = value % divisor;
    return remainder < 0 ? remainder + divisor : remainder;
}

/* The order of two int64_t, for qsort. */
static inline int sator_compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The greatest common divisor, not negative; of 0 and b: |b|. */
static inline int64_t sator_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

#endif
