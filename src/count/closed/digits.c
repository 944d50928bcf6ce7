/* Splitting loops into digits as the divisors ask for it. */
#include "count/closed/digits.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

static const struct sator_decline too_many_digits = {"the loops have too many digits"};

/* Lay out the digits of all loops from their radices; carries are gone. */
static const struct sator_decline *layout(struct closed_digits *digits)
{
    digits->n_digits = 0;
    digits->n_carries = 0;
    for (int l = 0; l < digits->n_loops; l++) {
        struct closed_loop *loop = &digits->loop[l];
        int64_t top = loop->radix[loop->n_radices - 1];
        int64_t origin = sator_floor_div(loop->lower + loop->phase, top) * top;
        loop->begin = loop->lower + loop->phase - origin;
        loop->end = loop->upper + loop->phase - origin;
        loop->first_digit = digits->n_digits;
        memset(&loop->value, 0, sizeof loop->value);
        loop->value.constant = origin - loop->phase;
        for (int k = 0; k < loop->n_radices; k++) {
            int64_t place = loop->radix[k];
            int64_t size = (loop->end + place - 1) / place;
            if (k > 0 && loop->end <= place)
                break; /* always zero */
            if (digits->n_digits == CLOSED_DIGITS)
                return &too_many_digits;
            if (k + 1 < loop->n_radices && loop->radix[k + 1] / place < size)
                size = loop->radix[k + 1] / place;
            loop->value.coef[digits->n_digits] = place;
            digits->digit[digits->n_digits++] =
                    (struct closed_digit){.loop = l, .place = place, .size = size};
        }
        loop->n_digits = digits->n_digits - loop->first_digit;
        const struct closed_digit *last = &digits->digit[digits->n_digits - 1];
        loop->is_full = loop->begin == 0 && loop->end == last->place * last->size;
        loop->has_fixed = false;
    }
    return NULL;
}

const struct sator_decline *closed_digits_init(
        struct closed_digits *digits, int n_loops, const int64_t *lower, const int64_t *upper)
{
    if (n_loops > CLOSED_LOOPS)
        return DECLINE("the domain has too many loops");
    digits->n_loops = n_loops;
    digits->may_carry = false;
    digits->may_split = true;
    for (int l = 0; l < n_loops; l++) {
        struct closed_loop *loop = &digits->loop[l];
        if (lower[l] < -CLOSED_BOUND || upper[l] > CLOSED_BOUND)
            return DECLINE("a loop bound is too large");
        assert(lower[l] < upper[l]);
        loop->lower = lower[l];
        loop->upper = upper[l];
        loop->phase = 0;
        loop->has_phase = false;
        loop->n_radices = 1;
        loop->radix[0] = 1;
    }
    return layout(digits);
}

void closed_digits_copy(struct closed_digits *digits, const struct closed_digits *from)
{
    digits->n_loops = from->n_loops;
    digits->n_digits = from->n_digits;
    digits->n_carries = from->n_carries;
    digits->may_carry = from->may_carry;
    digits->may_split = true;
    memcpy(digits->carry, from->carry, sizeof *from->carry * (size_t)from->n_carries);
    memcpy(digits->loop, from->loop, sizeof *from->loop * (size_t)from->n_loops);
    memcpy(digits->digit, from->digit, sizeof *from->digit * (size_t)from->n_digits);
}

/* Where "place" goes among the loop's; -1 when it and one of them do not divide each other. */
static int find_radix(const struct closed_loop *loop, int64_t place)
{
    int at = 0;
    while (at < loop->n_radices && loop->radix[at] < place)
        at++;
    bool fits = at > 0 && place % loop->radix[at - 1] == 0 &&
            (at == loop->n_radices || loop->radix[at] % place == 0);
    return fits ? at : -1;
}

/* Split "digit" at "factor": a new place digit.place * factor. */
static const struct sator_decline *split(struct closed_digits *digits, int digit, int64_t factor)
{
    const struct closed_digit *d = &digits->digit[digit];
    struct closed_loop *loop = &digits->loop[d->loop];
    int64_t place = d->place * factor;
    int at = find_radix(loop, place);
    if (at < 0)
        return DECLINE("two divisors of one loop do not divide each other");
    if (loop->n_radices == CLOSED_RADICES)
        return DECLINE("a loop is split into too many digits");
    memmove(&loop->radix[at + 1], &loop->radix[at],
            sizeof loop->radix[0] * (size_t)(loop->n_radices - at));
    loop->radix[at] = place;
    loop->n_radices++;
    return layout(digits);
}

/* The remainder "rest" of a division by "divisor" crosses a block because its constant is no
 * multiple: when its digits are those of one loop, count that loop from another phase. */
static const struct sator_decline *align(
        struct closed_digits *digits, const struct closed_form *rest, int64_t divisor)
{
    const struct sator_decline *why =
            DECLINE("a sum of loops under / or % does not split into digits");
    int only = -1;
    int64_t unit = 0;
    for (int d = 0; d < digits->n_digits; d++) {
        if (rest->coef[d] == 0)
            continue;
        if (only >= 0 && digits->digit[d].loop != only)
            return why;
        if (only < 0)
            unit = digits->digit[d].place == 0 ? 0 : rest->coef[d] / digits->digit[d].place;
        only = digits->digit[d].loop;
        if (unit <= 0 || rest->coef[d] != unit * digits->digit[d].place)
            return why;
    }
    if (only < 0 || divisor % unit != 0 || rest->constant % unit != 0)
        return why;
    struct closed_loop *loop = &digits->loop[only];
    if (loop->has_phase)
        return DECLINE("a loop is divided with two different offsets");
    loop->phase = sator_floor_mod(loop->phase + rest->constant / unit, divisor / unit);
    loop->has_phase = true;
    return layout(digits);
}

struct closed_interval closed_form_range(
        const struct closed_digits *digits, const struct closed_form *form)
{
    struct closed_interval range = {form->constant, form->constant};
    for (int d = 0; d < digits->n_digits; d++) {
        int64_t reach = form->coef[d] * (digits->digit[d].size - 1);
        range.lo += reach < 0 ? reach : 0;
        range.hi += reach > 0 ? reach : 0;
    }
    return range;
}

const struct sator_decline *closed_form_check(
        const struct closed_digits *digits, const struct closed_form *form)
{
    sator_int reach = form->constant < 0 ? -(sator_int)form->constant : form->constant;
    for (int d = 0; d < digits->n_digits; d++) {
        if (form->coef[d] == 0)
            continue;
        sator_int part = (sator_int)form->coef[d] * digits->digit[d].size;
        reach += part < 0 ? -part : part;
    }
    return reach < CLOSED_BOUND ? NULL : DECLINE("a stamp or an index reaches beyond 2^50");
}

enum {
    MOST_CARRY = 64, /* values of a carry */
    SHORT = 8 /* a digit of so few values goes into a carry whole: each digit more is an unknown
                 more */
};

int closed_digits_carry(struct closed_digits *digits, const struct closed_form *rest,
        int64_t divisor, int64_t block, int64_t most)
{
    struct closed_carry carry = {.digit = digits->n_digits, .divisor = divisor, .rest = *rest};
    struct closed_digit digit = {.loop = CLOSED_LOOPS};
    carry.rest.constant -= block * divisor;
    for (int c = 0; c < digits->n_carries; c++) {
        if (digits->carry[c].divisor == divisor &&
                memcmp(&digits->carry[c].rest, &carry.rest, sizeof carry.rest) == 0)
            return digits->carry[c].digit;
    }
    if (digits->n_carries == CLOSED_CARRIES || digits->n_digits == CLOSED_DIGITS)
        return -1;
    for (int d = 0; d < digits->n_digits; d++) {
        int loop = digits->digit[d].loop;
        if (rest->coef[d] == 0)
            continue;
        carry.loops |= (uint32_t)1 << loop;
        digit.loop = loop < digit.loop ? loop : digit.loop;
        for (int c = 0; c < digits->n_carries; c++)
            carry.loops |= digits->carry[c].digit == d ? digits->carry[c].loops : 0;
    }
    digit.size = sator_floor_div(closed_form_range(digits, &carry.rest).hi, divisor) + 1;
    if (digit.size > most)
        return -1;
    digits->carry[digits->n_carries++] = carry;
    digits->digit[digits->n_digits] = digit;
    return digits->n_digits++;
}

/* Whether "digit" may be split at "factor", or that is to be reported. */
static bool is_splittable(const struct closed_digits *digits, int digit, int64_t factor)
{
    const struct closed_digit *d = &digits->digit[digit];
    if (!digits->may_carry)
        return d->size > factor;
    return d->size > (factor < SHORT ? SHORT : factor) &&
            find_radix(&digits->loop[d->loop], d->place * factor) >= 0;
}

/* Make "form" floor(form / divisor), or form % divisor when "modulo". */
static const struct sator_decline *divide(struct closed_digits *digits, struct closed_form *form,
        int64_t divisor, bool modulo, bool *changed)
{
    struct closed_form rest = {.constant = sator_floor_mod(form->constant, divisor)};
    struct closed_form quotient = {.constant = sator_floor_div(form->constant, divisor)};
    int finer = -1;
    int64_t factor = 0;
    for (int d = 0; d < digits->n_digits; d++) {
        if (form->coef[d] == 0)
            continue;
        int64_t part = form->coef[d] % divisor;
        rest.coef[d] = part;
        quotient.coef[d] = (form->coef[d] - part) / divisor;
        if (part != 0 && finer < 0 && digits->digit[d].place > 0) {
            factor = divisor / sator_gcd(part, divisor);
            if (is_splittable(digits, d, factor))
                finer = d;
        }
    }
    struct closed_interval range = closed_form_range(digits, &rest);
    int64_t block = sator_floor_div(range.lo, divisor);
    quotient.constant += block;
    if (block != sator_floor_div(range.hi, divisor)) {
        *changed = !digits->may_split;
        if (*changed)
            return NULL;
        const struct sator_decline *why =
                finer >= 0 ? split(digits, finer, factor) : align(digits, &rest, divisor);
        *changed = why == NULL;
        if (why == NULL || why == &too_many_digits || !digits->may_carry)
            return why;
        int carry = closed_digits_carry(digits, &rest, divisor, block, MOST_CARRY);
        if (carry < 0)
            return why;
        quotient.coef[carry] += 1; /* the form may have that carry already */
        rest.coef[carry] -= divisor;
    }
    rest.constant -= block * divisor;
    *form = modulo ? rest : quotient;
    return NULL;
}

const struct sator_decline *closed_digits_form(struct closed_digits *digits,
        const struct sator_expr *expr, const struct closed_form *vars, struct closed_form *form,
        bool *changed)
{
    memset(form, 0, sizeof *form);
    if (expr->constant < -CLOSED_BOUND || expr->constant > CLOSED_BOUND)
        return DECLINE("a constant is too large");
    form->constant = expr->constant;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        struct closed_form inner;
        const struct closed_form *atom = &inner;
        const struct sator_decline *why = NULL;
        if (term->atom == SATOR_ATOM_VAR)
            atom = &vars[term->var];
        else
            why = closed_digits_form(digits, term->argument, vars, &inner, changed);
        if (why == NULL && !*changed && term->atom != SATOR_ATOM_VAR)
            why = divide(digits, &inner, term->divisor, term->atom == SATOR_ATOM_MOD, changed);
        if (why != NULL || *changed)
            return why;
        bool fits = true;
        int64_t product;
        fits &= !__builtin_mul_overflow(term->factor, atom->constant, &product);
        fits = fits && !__builtin_add_overflow(form->constant, product, &form->constant);
        for (int d = 0; fits && d < digits->n_digits; d++) {
            fits = !__builtin_mul_overflow(term->factor, atom->coef[d], &product) &&
                    !__builtin_add_overflow(form->coef[d], product, &form->coef[d]);
        }
        if (!fits)
            return DECLINE("a coefficient is too large");
    }
    return closed_form_check(digits, form);
}
