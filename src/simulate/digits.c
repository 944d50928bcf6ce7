#include "simulate/digits.h"

#include "base/checked.h"

enum {
    LARGEST = 44 /* bits of a loop's value, moved to its base */
};

/* floor(u/low) % (high/low), high 0: floor(u/low); of one loop. */
struct window {
    int loop;
    int64_t base, low, high;
};

static bool find_window(const struct sator_expr *expr, struct window *window)
{
    if (expr->n_terms != 1 || expr->terms[0].factor != 1)
        return false;
    const struct sator_term *term = &expr->terms[0];
    if (term->atom == SATOR_ATOM_VAR) {
        *window = (struct window){term->var, expr->constant, 1, 0};
        return true;
    }
    if (expr->constant != 0 || !find_window(term->argument, window) ||
            term->divisor > INT64_MAX / window->low)
        return false;
    int64_t at = window->low * term->divisor;
    if (term->atom == SATOR_ATOM_FLOOR) {
        window->low = at;
        return window->high == 0 || window->high % at == 0;
    }
    if (window->high == 0 || (window->high % at == 0))
        window->high = at;
    else
        return at % window->high == 0;
    return true;
}

static bool add_weight(struct sator_arena *arena, struct digit_loop *loop, int64_t weight)
{
    int at = 0;

    while (at < loop->n_weights && loop->weights[at] < weight)
        at++;
    if (at < loop->n_weights && loop->weights[at] == weight)
        return true;
    SATOR_PUSH(arena, loop->weights, loop->n_weights, weight);
    for (int i = loop->n_weights - 1; i > at; i--)
        loop->weights[i] = loop->weights[i - 1];
    loop->weights[at] = weight;
    return true;
}

bool digits_note(struct sator_arena *arena, struct digits *digits, const struct sator_expr *expr)
{
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        const struct sator_expr alone = {0, 1,
                &(struct sator_term){1, term->atom, term->var, term->argument, term->divisor}};
        struct window window;
        if (term->atom == SATOR_ATOM_VAR)
            continue;
        if (!find_window(&alone, &window))
            return false;
        struct digit_loop *loop = &digits->loops[window.loop];
        if (loop->has_base && loop->base != window.base)
            return false;
        loop->has_base = true;
        loop->base = window.base;
        add_weight(arena, loop, window.low);
        if (window.high > 0)
            add_weight(arena, loop, window.high);
    }
    return true;
}

/* Move the loop's base up by a multiple of its largest weight, so that no value is negative. */
static bool settle_base(struct digit_loop *loop, int64_t lower, int64_t upper)
{
    int64_t largest = loop->weights[loop->n_weights - 1];

    if (!loop->has_base)
        loop->base = -lower;
    if (__builtin_add_overflow(lower, loop->base, &loop->least) ||
            __builtin_add_overflow(upper, loop->base, &loop->end) ||
            loop->least < -(INT64_C(1) << LARGEST) || loop->end > INT64_C(1) << LARGEST ||
            largest > INT64_C(1) << LARGEST)
        return false;
    if (loop->least < 0) {
        int64_t up = -sator_floor_div(loop->least, largest) * largest;
        loop->base += up;
        loop->least += up;
        loop->end += up;
    }
    return true;
}

static bool make_loop(struct sator_arena *arena, struct digits *digits, int l,
        const struct sator_workload *workload)
{
    struct digit_loop *loop = &digits->loops[l];

    add_weight(arena, loop, 1);
    for (int i = 1; i < loop->n_weights; i++)
        if (loop->weights[i] % loop->weights[i - 1] != 0)
            return false;
    if (!settle_base(loop, workload->lower[l], workload->upper[l]))
        return false;
    loop->first = digits->n_digits;
    for (int i = 0; i < loop->n_weights; i++) {
        int64_t weight = loop->weights[i], top = (loop->end - 1) / weight + 1;
        int64_t extent = i + 1 < loop->n_weights ? loop->weights[i + 1] / weight : top;
        struct digit digit = {l, weight, extent < top ? extent : top};
        SATOR_PUSH(arena, digits->digits, digits->n_digits, digit);
    }
    return true;
}

bool digits_make(
        struct sator_arena *arena, struct digits *digits, const struct sator_workload *workload)
{
    for (int l = 0; l < digits->n_loops; l++) {
        if (!make_loop(arena, digits, l, workload))
            return false;
    }
    return true;
}

static bool add_factor(struct linear *linear, int digit, int64_t factor, int64_t weight)
{
    int64_t product;

    return !__builtin_mul_overflow(factor, weight, &product) &&
            !__builtin_add_overflow(linear->factors[digit], product, &linear->factors[digit]);
}

static bool add_term(
        const struct digits *digits, const struct sator_term *term, struct linear *linear)
{
    const struct sator_expr alone = {
            0, 1, &(struct sator_term){1, term->atom, term->var, term->argument, term->divisor}};
    struct window window;
    int64_t shift;

    if (!find_window(&alone, &window))
        return false;
    const struct digit_loop *loop = &digits->loops[window.loop];
    for (int i = 0; i < loop->n_weights; i++) {
        int64_t weight = loop->weights[i];
        if (weight >= window.low && (window.high == 0 || weight < window.high) &&
                !add_factor(linear, loop->first + i, term->factor, weight / window.low))
            return false;
    }
    /* floor((i + window.base)/low), where the digits say floor((i + loop->base)/low) */
    if (window.high == 0 &&
            (__builtin_mul_overflow(
                     term->factor, (loop->base - window.base) / window.low, &shift) ||
                    __builtin_sub_overflow(linear->constant, shift, &linear->constant)))
        return false;
    return true;
}

bool digits_linear(struct sator_arena *arena, const struct digits *digits,
        const struct sator_expr *expr, struct linear *linear)
{
    *linear =
            (struct linear){expr->constant, SATOR_NEW_ARRAY(arena, int64_t, digits->n_digits + 1)};
    for (int i = 0; i < expr->n_terms; i++) {
        if (!add_term(digits, &expr->terms[i], linear))
            return false;
    }
    return true;
}
