/* Quasi-affine expressions in one normal form: sums of factors times distinct atoms, in a fixed
 * order.
 *
 * floor and % are simplified by the identities that hold for all integers:
 * floor((m*e + r)/m) = e + floor(r/m), floor(floor(e/a)/b) = floor(e/(a*b)), (m*e + r)%m = r%m,
 * (e%a)%b = e%b when b divides a.
 */
#include "relation/relation.h"

#include "base/checked.h"

#include <stdlib.h>

static int compare_exprs(const struct sator_expr *a, const struct sator_expr *b);

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_atoms(const struct sator_term *a, const struct sator_term *b)
{
    if (a->atom != b->atom)
        return compare_numbers(a->atom, b->atom);
    if (a->atom == SATOR_ATOM_VAR)
        return compare_numbers(a->var, b->var);
    if (a->divisor != b->divisor)
        return compare_numbers(a->divisor, b->divisor);
    return compare_exprs(a->argument, b->argument);
}

static int compare_exprs(const struct sator_expr *a, const struct sator_expr *b)
{
    if (a->n_terms != b->n_terms)
        return compare_numbers(a->n_terms, b->n_terms);
    for (int i = 0; i < a->n_terms; i++) {
        int order = compare_atoms(&a->terms[i], &b->terms[i]);
        if (order == 0)
            order = compare_numbers(a->terms[i].factor, b->terms[i].factor);
        if (order != 0)
            return order;
    }
    return compare_numbers(a->constant, b->constant);
}

bool sator_expr_equal(const struct sator_expr *a, const struct sator_expr *b)
{
    return compare_exprs(a, b) == 0;
}

bool sator_expr_is_constant(const struct sator_expr *a)
{
    return a->n_terms == 0;
}

bool sator_expr_has_var(const struct sator_expr *a, int var)
{
    for (int i = 0; i < a->n_terms; i++) {
        const struct sator_term *term = &a->terms[i];
        if (term->atom == SATOR_ATOM_VAR ? term->var == var
                                         : sator_expr_has_var(term->argument, var))
            return true;
    }
    return false;
}

const struct sator_expr *sator_expr_constant(struct sator_arena *arena, int64_t value)
{
    struct sator_expr *expr = SATOR_NEW(arena, struct sator_expr);

    expr->constant = value;
    return expr;
}

static const struct sator_expr *from_term(struct sator_arena *arena, struct sator_term term)
{
    struct sator_expr *expr = SATOR_NEW(arena, struct sator_expr);

    expr->n_terms = 1;
    expr->terms = sator_arena_copy(arena, &term, sizeof term);
    return expr;
}

const struct sator_expr *sator_expr_var(struct sator_arena *arena, int var)
{
    return from_term(arena, (struct sator_term){.factor = 1, .atom = SATOR_ATOM_VAR, .var = var});
}

const struct sator_expr *sator_expr_add(struct sator_arena *arena, const struct sator_expr *a,
        int64_t factor, const struct sator_expr *b)
{
    struct sator_expr *sum = SATOR_NEW(arena, struct sator_expr);
    struct sator_term *terms =
            SATOR_NEW_ARRAY(arena, struct sator_term, a->n_terms + b->n_terms + 1);
    int i = 0, j = 0;
    int64_t scaled;

    if (__builtin_mul_overflow(factor, b->constant, &scaled) ||
            __builtin_add_overflow(a->constant, scaled, &sum->constant))
        return NULL;
    while (i < a->n_terms || j < b->n_terms) {
        int order = i == a->n_terms ? 1
                : j == b->n_terms   ? -1
                                    : compare_atoms(&a->terms[i], &b->terms[j]);
        struct sator_term term = order <= 0 ? a->terms[i] : b->terms[j];
        int64_t left = order <= 0 ? a->terms[i].factor : 0;
        int64_t right = order >= 0 ? b->terms[j].factor : 0;
        if (__builtin_mul_overflow(factor, right, &scaled) ||
                __builtin_add_overflow(left, scaled, &term.factor))
            return NULL;
        i += order <= 0;
        j += order >= 0;
        if (term.factor != 0)
            terms[sum->n_terms++] = term;
    }
    sum->terms = terms;
    return sum;
}

/* Split "a" into m * *multiple + rest, moving every term and constant part that "m" divides. */
static const struct sator_expr *split_multiples(struct sator_arena *arena,
        const struct sator_expr *a, int64_t m, const struct sator_expr **multiple)
{
    struct sator_expr *quotient = SATOR_NEW(arena, struct sator_expr);
    struct sator_expr *rest = SATOR_NEW(arena, struct sator_expr);
    struct sator_term *moved = SATOR_NEW_ARRAY(arena, struct sator_term, a->n_terms + 1);
    struct sator_term *kept = SATOR_NEW_ARRAY(arena, struct sator_term, a->n_terms + 1);

    quotient->constant = sator_floor_div(a->constant, m);
    rest->constant = sator_floor_mod(a->constant, m);
    for (int i = 0; i < a->n_terms; i++) {
        struct sator_term term = a->terms[i];
        if (term.factor % m == 0) {
            term.factor /= m;
            moved[quotient->n_terms++] = term;
        } else {
            kept[rest->n_terms++] = term;
        }
    }
    quotient->terms = moved;
    rest->terms = kept;
    *multiple = quotient;
    return rest;
}

/* floor(e / divisor) = floor((e / g) / (divisor / g)) for the common divisor g of the factors. */
static const struct sator_expr *reduce(
        struct sator_arena *arena, const struct sator_expr *a, int64_t *divisor)
{
    int64_t common = *divisor;

    for (int i = 0; i < a->n_terms; i++)
        common = sator_gcd(common, a->terms[i].factor);
    if (common <= 1)
        return a;
    struct sator_expr *reduced = SATOR_NEW(arena, struct sator_expr);
    struct sator_term *terms =
            sator_arena_copy(arena, a->terms, sizeof *a->terms * (size_t)a->n_terms);
    for (int i = 0; i < a->n_terms; i++)
        terms[i].factor /= common;
    *reduced = (struct sator_expr){sator_floor_div(a->constant, common), a->n_terms, terms};
    *divisor /= common;
    return reduced;
}

const struct sator_expr *sator_expr_floor(
        struct sator_arena *arena, const struct sator_expr *a, int64_t divisor)
{
    const struct sator_expr *multiple;
    int64_t product;

    if (divisor <= 0)
        return NULL;
    const struct sator_expr *rest = split_multiples(arena, a, divisor, &multiple);
    if (rest->n_terms == 0)
        return multiple;
    rest = reduce(arena, rest, &divisor);
    const struct sator_term *only = &rest->terms[0];
    if (rest->n_terms == 1 && rest->constant == 0 && only->factor == 1 &&
            only->atom == SATOR_ATOM_FLOOR &&
            !__builtin_mul_overflow(only->divisor, divisor, &product)) {
        rest = only->argument;
        divisor = product;
    }
    const struct sator_expr *atom = from_term(arena,
            (struct sator_term){
                    .factor = 1, .atom = SATOR_ATOM_FLOOR, .argument = rest, .divisor = divisor});
    return sator_expr_add(arena, multiple, 1, atom);
}

const struct sator_expr *sator_expr_mod(
        struct sator_arena *arena, const struct sator_expr *a, int64_t divisor)
{
    const struct sator_expr *multiple;

    if (divisor <= 0)
        return NULL;
    const struct sator_expr *rest = split_multiples(arena, a, divisor, &multiple);
    if (rest->n_terms == 0)
        return rest;
    const struct sator_term *only = &rest->terms[0];
    if (rest->n_terms == 1 && rest->constant == 0 && only->factor == 1 &&
            only->atom == SATOR_ATOM_MOD) {
        if (divisor % only->divisor == 0)
            return rest;
        if (only->divisor % divisor == 0)
            rest = only->argument;
    }
    return from_term(arena,
            (struct sator_term){
                    .factor = 1, .atom = SATOR_ATOM_MOD, .argument = rest, .divisor = divisor});
}

bool sator_expr_value(const struct sator_expr *a, const int64_t *point, int64_t *value)
{
    int64_t sum = a->constant;

    for (int i = 0; i < a->n_terms; i++) {
        const struct sator_term *term = &a->terms[i];
        int64_t atom, product;
        if (term->atom == SATOR_ATOM_VAR)
            atom = point[term->var];
        else if (!sator_expr_value(term->argument, point, &atom))
            return false;
        else if (term->atom == SATOR_ATOM_FLOOR)
            atom = sator_floor_div(atom, term->divisor);
        else
            atom = sator_floor_mod(atom, term->divisor);
        if (__builtin_mul_overflow(term->factor, atom, &product) ||
                __builtin_add_overflow(sum, product, &sum))
            return false;
    }
    *value = sum;
    return true;
}

const struct sator_expr *sator_expr_substitute(struct sator_arena *arena,
        const struct sator_expr *a, const struct sator_expr *const *replacements)
{
    const struct sator_expr *sum = sator_expr_constant(arena, a->constant);

    for (int i = 0; i < a->n_terms && sum != NULL; i++) {
        const struct sator_term *term = &a->terms[i];
        const struct sator_expr *atom = term->atom == SATOR_ATOM_VAR
                ? replacements[term->var]
                : sator_expr_substitute(arena, term->argument, replacements);
        if (atom != NULL && term->atom == SATOR_ATOM_FLOOR)
            atom = sator_expr_floor(arena, atom, term->divisor);
        else if (atom != NULL && term->atom == SATOR_ATOM_MOD)
            atom = sator_expr_mod(arena, atom, term->divisor);
        sum = atom == NULL ? NULL : sator_expr_add(arena, sum, term->factor, atom);
    }
    return sum;
}

/* Bounds of an atom over the box; false on overflow. */
static bool atom_range(const struct sator_term *term, const int64_t *lower, const int64_t *upper,
        int64_t *least, int64_t *greatest)
{
    if (term->atom == SATOR_ATOM_VAR) {
        *least = lower[term->var];
        *greatest = upper[term->var];
        return true;
    }
    if (!sator_expr_range(term->argument, lower, upper, least, greatest))
        return false;
    int64_t first = sator_floor_div(*least, term->divisor);
    int64_t last = sator_floor_div(*greatest, term->divisor);
    if (term->atom == SATOR_ATOM_FLOOR) {
        *least = first;
        *greatest = last;
    } else if (first == last) {
        *least = sator_floor_mod(*least, term->divisor);
        *greatest = sator_floor_mod(*greatest, term->divisor);
    } else {
        *least = 0;
        *greatest = term->divisor - 1;
    }
    return true;
}

bool sator_expr_range(const struct sator_expr *a, const int64_t *lower, const int64_t *upper,
        int64_t *least, int64_t *greatest)
{
    int64_t low = a->constant, high = a->constant;

    for (int i = 0; i < a->n_terms; i++) {
        const struct sator_term *term = &a->terms[i];
        int64_t from, to;
        if (!atom_range(term, lower, upper, &from, &to))
            return false;
        if (__builtin_mul_overflow(term->factor, from, &from) ||
                __builtin_mul_overflow(term->factor, to, &to))
            return false;
        if (__builtin_add_overflow(low, from < to ? from : to, &low) ||
                __builtin_add_overflow(high, from < to ? to : from, &high))
            return false;
    }
    *least = low;
    *greatest = high;
    return true;
}
