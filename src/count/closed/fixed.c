/* Parts of an access: equalities taken into the digits.
 *
 * An equality of a mixed-radix number, such as k%8 = 5 or ry + 3*(c%4) = 7, fixes each of its
 * digits. Of other sums it fixes a digit more, the sum itself: a carry (digits.h) whose divisor is
 * 1, and the boxes of its loops are those in which it has its value. */
#include "count/closed/fixed.h"

#include <stdlib.h>

/* ---- the equalities of an access ---- */

static bool add_equality(const struct sator_cond *cond, struct closed_request *request)
{
    if (cond->op != SATOR_COND_EQUAL || request->n_zeros == CLOSED_SPACES)
        return false;
    request->zero[request->n_zeros++] = cond->expr;
    return true;
}

static bool find_equalities(const struct sator_cond *cond, struct closed_request *request)
{
    bool found = true;
    request->n_zeros = 0;
    if (cond->op == SATOR_COND_TRUE)
        return true;
    if (cond->op != SATOR_COND_AND)
        return add_equality(cond, request);
    for (int i = 0; i < cond->n_kids; i++)
        found = found && add_equality(cond->kids[i], request);
    return found;
}

static bool same_condition(const struct sator_cond *a, const struct sator_cond *b)
{
    bool same = a == b || (a->op == b->op && a->n_kids == b->n_kids);
    if (a == b || !same)
        return same;
    if (a->op == SATOR_COND_EQUAL)
        return sator_expr_equal(a->expr, b->expr);
    for (int i = 0; i < a->n_kids; i++)
        same = same && same_condition(a->kids[i], b->kids[i]);
    return same;
}

bool closed_fixed_find(const struct sator_relation *access, struct closed_request *request)
{
    bool found = find_equalities(access->pieces[0].cond, request);
    for (int p = 1; p < access->n_pieces; p++)
        found = found && same_condition(access->pieces[0].cond, access->pieces[p].cond);
    return found;
}

/* ---- fixing digits ---- */

static void substitute(const struct closed_digits *digits, struct closed_form *form)
{
    for (int d = 0; d < digits->n_digits; d++) {
        if (!digits->digit[d].is_fixed)
            continue;
        form->constant += form->coef[d] * digits->digit[d].value;
        form->coef[d] = 0;
    }
}

static void fix(struct closed_digits *digits, int digit, int64_t value)
{
    struct closed_digit *d = &digits->digit[digit];
    d->is_fixed = true;
    d->value = value;
    if (d->place > 0)
        digits->loop[d->loop].has_fixed = true;
}

/* The digits of "form" that have several values, greatest coefficient first. */
static int sort_digits(
        const struct closed_digits *digits, const struct closed_form *form, int *sorted)
{
    int n = 0;
    for (int d = 0; d < digits->n_digits; d++) {
        int at = n;
        if (form->coef[d] == 0)
            continue;
        n++;
        for (; at > 0 && llabs(form->coef[sorted[at - 1]]) < llabs(form->coef[d]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = d;
    }
    return n;
}

/* Whether "form" is a mixed-radix number: no two digit vectors give it the same value. */
static bool is_number(const struct closed_digits *digits, const struct closed_form *form, int n,
        const int *sorted)
{
    int64_t reach = 0;
    for (int i = n - 1; i >= 0; i--) {
        int64_t step = llabs(form->coef[sorted[i]]);
        if (step <= reach)
            return false;
        reach += step * (digits->digit[sorted[i]].size - 1);
    }
    return true;
}

/* Let the number "form" be 0. */
static const struct sator_decline *fix_number(
        struct closed_digits *digits, const struct closed_form *form, int n, const int *sorted)
{
    int64_t left = -closed_form_range(digits, form).lo; /* above the least value */
    for (int i = 0; i < n; i++) {
        int64_t coef = form->coef[sorted[i]];
        int64_t last = digits->digit[sorted[i]].size - 1;
        int64_t steps = left / llabs(coef);
        if (left < 0 || steps > last)
            return &closed_image_empty;
        fix(digits, sorted[i], coef < 0 ? last - steps : steps);
        left -= steps * llabs(coef);
    }
    return left == 0 ? NULL : &closed_image_empty;
}

static const struct sator_decline *fix_form(struct closed_digits *digits, struct closed_form *form)
{
    int sorted[CLOSED_DIGITS];
    substitute(digits, form);
    int n = sort_digits(digits, form, sorted);
    if (is_number(digits, form, n, sorted))
        return fix_number(digits, form, n, sorted);
    int64_t least = closed_form_range(digits, form).lo;
    int digit = closed_digits_carry(digits, form, 1, least, CLOSED_BOUND);
    if (digit < 0)
        return DECLINE("a part of an access is given by too many sums");
    const struct closed_digit *sum = &digits->digit[digit];
    if (least > 0 || -least >= sum->size || (sum->is_fixed && sum->value != -least))
        return &closed_image_empty;
    fix(digits, digit, -least);
    return NULL;
}

/* ---- the whole ---- */

static void substitute_all(struct closed_system *system, struct closed_request *request)
{
    struct closed_digits *digits = &system->digits;
    for (int c = 0; c < digits->n_carries; c++)
        substitute(digits, &digits->carry[c].rest);
    for (int l = 0; l < digits->n_loops; l++)
        substitute(digits, &digits->loop[l].value);
    for (int i = 0; i < system->n_space; i++)
        substitute(digits, &system->space[i]);
    for (int i = 0; i < system->n_time; i++)
        substitute(digits, &system->time[i]);
    for (int i = 0; i < system->times.n_rows; i++)
        substitute(digits, &system->times.row[i]);
    for (int i = 0; i < request->access->n_pieces * request->access->n_out; i++)
        substitute(digits, &request->index[i]);
    for (int b = 0; b < request->n_buses; b++) {
        for (int i = 0; i < request->buses[b]->n_out; i++)
            substitute(digits, &request->bus[b][i]);
    }
}

/* All digit vectors that are left. */
static const struct sator_decline *count_part(
        struct closed_state *state, const struct closed_digits *digits, sator_int *part)
{
    struct closed_region all;
    state->pool.used = 0;
    const struct sator_decline *why =
            closed_image_make_all(&state->pool, digits, 0, NULL, &state->image);
    if (why != NULL)
        return why;
    closed_region_all(&state->image, &all);
    return closed_region_count(&state->image, &all, part);
}

const struct sator_decline *closed_fixed_apply(struct closed_state *state,
        struct closed_system *system, struct closed_request *request, sator_int *part)
{
    const struct sator_decline *why = NULL;
    for (int i = 0; i < request->n_zeros && why == NULL; i++)
        why = fix_form(&system->digits, &request->zero_form[i]);
    if (why != NULL)
        return why;
    substitute_all(system, request);
    return count_part(state, &system->digits, part);
}
