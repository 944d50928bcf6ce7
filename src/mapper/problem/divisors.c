/* The divisors of an extent. */
#include "mapper/problem/mapping.h"

#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>

static int64_t power(int64_t base, int64_t exponent, int64_t modulus)
{
    sator_int result = 1, square = base;

    assert(0 <= base && base < modulus);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            result = result * square % modulus;
        square = square * square % modulus;
    }
    return (int64_t)result;
}

/* Whether odd "n" above 17 and below 2^48 is prime: the test of Miller and Rabin with the first
 * seven primes, which is exact up to 3.4e14 (Jaeschke, Math. Comp. 61, 1993). */
static bool is_prime(int64_t n)
{
    static const int64_t bases[] = {2, 3, 5, 7, 11, 13, 17};
    int64_t odd = n - 1;
    int twos = 0;

    assert(n > 17 && n % 2 == 1 && n < INT64_C(1) << 48);
    for (; odd % 2 == 0; odd /= 2)
        twos++;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        int64_t x = power(bases[i], odd, n);
        bool passes = x == 1 || x == n - 1;
        for (int k = 1; k < twos && !passes; k++) {
            x = (int64_t)((sator_int)x * x % n);
            passes = x == n - 1;
        }
        if (!passes)
            return false;
    }
    return true;
}

/* The least prime factor of "n" > 1 that is not below "from", of which none is smaller. */
static int64_t next_factor(int64_t n, int64_t from)
{
    enum {
        MANY = 1000 /* divisions that take longer than to tell primes, which are most of what is
                       left then */
    };

    assert(n > 1 && from >= 2);
    for (int64_t d = from; d <= n / d; d += d == 2 ? 1 : 2) {
        if (n % d == 0)
            return d;
        if (d - from > 2 * MANY && d - from <= 2 * MANY + 2 && is_prime(n))
            return n;
    }
    return n;
}

int sator_mapper_divisors(struct sator_arena *arena, int64_t n, const int64_t **divisors)
{
    int64_t *list = NULL, rest = n, factor = 2;
    int count = 0;

    SATOR_PUSH(arena, list, count, 1);
    while (rest > 1) {
        int before = count;
        factor = next_factor(rest, factor);
        for (int64_t power_of = 1; rest % factor == 0;) {
            power_of *= factor;
            for (int i = 0; i < before; i++)
                SATOR_PUSH(arena, list, count, list[i] * power_of);
            rest /= factor;
        }
    }
    qsort(list, (size_t)count, sizeof *list, sator_compare_int64);
    assert(list[0] == 1 && list[count - 1] == n);
    *divisors = list;
    return count;
}

int sator_mapper_divisor_number(const int64_t *divisors, int n_divisors, int64_t divisor)
{
    int first = 0;

    for (int n = n_divisors; n > 1;) { /* it is among "n" from the first on */
        int half = n / 2;
        first += divisors[first + half] <= divisor ? half : 0;
        n -= half;
    }
    assert(divisors[first] == divisor);
    return first;
}
