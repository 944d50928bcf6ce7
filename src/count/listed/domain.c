/* The domain as a box, and conditions in it.
 *
 * Bounds of a loop that depend on others (j <= i) are narrowed from those of the others until
 * nothing changes: what the box has too much of the conditions leave out, instance by instance.
 */
#include "count/listed/parts.h"

#include "base/checked.h"

#include <string.h>

enum {
    ROUNDS = 2 * LISTED_LOOPS /* of narrowing; a box that may be narrowed further is one, too */
};

static const sator_int far = (sator_int)1 << 61; /* where no bound is known */

struct bounds {
    sator_int least[LISTED_LOOPS], greatest[LISTED_LOOPS];
};

/* Whether the sum has loops and nothing else. */
static bool is_linear(const struct sator_expr *expr)
{
    bool is = true;

    for (int i = 0; i < expr->n_terms; i++)
        is &= expr->terms[i].atom == SATOR_ATOM_VAR;
    return is;
}

/* Narrow the bounds by "sign * expr >= 0", of which each loop's term makes up for what the others
 * leave at most. */
static void narrow(const struct sator_expr *expr, int sign, struct bounds *b)
{
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *own = &expr->terms[i];
        const sator_int factor = (sator_int)sign * own->factor;
        sator_int rest = (sator_int)sign * expr->constant;
        bool is_known = true;
        for (int k = 0; k < expr->n_terms; k++) {
            const sator_int other = (sator_int)sign * expr->terms[k].factor;
            const int loop = expr->terms[k].var;
            sator_int most = other > 0 ? b->greatest[loop] : b->least[loop];
            if (k == i)
                continue;
            is_known = is_known && most > -far && most < far && sator_mul(other, most, &most) &&
                    sator_add(rest, most, &rest);
        }
        if (!is_known || factor == 0)
            continue;
        if (factor > 0) { /* loop >= ceil(-rest / factor) */
            const sator_int least = rest >= 0 ? -(rest / factor) : (-rest + factor - 1) / factor;
            b->least[own->var] = least > b->least[own->var] ? least : b->least[own->var];
        } else {
            const sator_int greatest =
                    rest >= 0 ? rest / -factor : -((-rest - factor - 1) / -factor);
            b->greatest[own->var] =
                    greatest < b->greatest[own->var] ? greatest : b->greatest[own->var];
        }
    }
}

/* Narrow the bounds by what a conjunction says of sums of loops. */
static void narrow_all(const struct sator_cond *cond, struct bounds *b)
{
    for (int i = 0; i < cond->n_kids && cond->op == SATOR_COND_AND; i++)
        narrow_all(cond->kids[i], b);
    if ((cond->op != SATOR_COND_AT_LEAST && cond->op != SATOR_COND_EQUAL) || !is_linear(cond->expr))
        return;
    narrow(cond->expr, 1, b);
    if (cond->op == SATOR_COND_EQUAL)
        narrow(cond->expr, -1, b);
}

/* A term of a sum, and its values. */
struct digit {
    const struct sator_term *term;
    sator_int unit;
    int64_t least, greatest;
};

/* The terms of a sum, the greatest unit first; false: it is no mixed-radix number of them. */
static bool read_digits(
        const struct listed_parts *parts, const struct sator_expr *expr, struct digit *digit)
{
    sator_int reach = 0; /* of smaller units */
    bool is_number = expr->n_terms <= LISTED_TERMS;

    for (int i = 0; i < expr->n_terms && is_number; i++) {
        const struct sator_expr one = {.n_terms = 1, .terms = &expr->terms[i]};
        const sator_int factor = expr->terms[i].factor;
        struct digit new = {.term = &expr->terms[i], .unit = factor < 0 ? -factor : factor};
        int at = i;
        is_number = sator_expr_range(&one, parts->lower, parts->last, &new.least, &new.greatest);
        for (; at > 0 && digit[at - 1].unit < new.unit; at--)
            digit[at] = digit[at - 1];
        digit[at] = new;
    }
    for (int i = expr->n_terms - 1; i >= 0 && is_number; i--) {
        is_number = digit[i].unit > reach;
        reach += (sator_int)digit[i].greatest - digit[i].least;
    }
    return is_number;
}

static const struct sator_decline *add_limit(
        const struct sator_cond *cond, struct listed_parts *parts)
{
    const uint32_t loops = listed_loops_of_cond(cond);

    if (loops == 0 || sator_cond_has_exists(cond) || parts->n_limits == LISTED_LIMITS)
        return DECLINE("the domain has conditions that are not handled");
    parts->limit[parts->n_limits].loop = __builtin_ctz(loops);
    parts->limit[parts->n_limits++].cond = cond;
    return NULL;
}

bool listed_take_apart(const struct listed_parts *parts, const struct sator_cond *equality,
        const struct sator_cond *own[LISTED_TERMS])
{
    const int n = equality->expr->n_terms;
    struct digit digit[LISTED_TERMS];
    sator_int target = -(sator_int)equality->expr->constant, least = 0; /* what the others have */

    if (!read_digits(parts, equality->expr, digit))
        return false;
    for (int i = 0; i < n; i++)
        least += digit[i].least;
    for (int i = 0; i < n; i++) {
        struct sator_expr *one = SATOR_NEW(parts->arena, struct sator_expr);
        least -= digit[i].least;
        const sator_int above = target - least - digit[i].least;
        const sator_int value = digit[i].least + above - (above % digit[i].unit);
        if (above < 0 || value > digit[i].greatest)
            return false;
        target -= value;
        *one = (struct sator_expr){
                .n_terms = 1, .terms = digit[i].term, .constant = -(int64_t)value};
        own[i] = sator_cond_compare(parts->arena, SATOR_COND_EQUAL, one);
    }
    return target == 0;
}

/* An equality: where it says what each digit is, it joins fewer loops. */
static const struct sator_decline *add_equality(
        const struct sator_cond *cond, struct listed_parts *parts)
{
    const struct sator_cond *own[LISTED_TERMS];
    const struct sator_decline *why = NULL;

    if (!listed_take_apart(parts, cond, own))
        return add_limit(cond, parts);
    for (int i = 0; i < cond->expr->n_terms && why == NULL; i++)
        why = add_limit(own[i], parts);
    return why;
}

/* Add what of a conjunction the box does not say. */
static const struct sator_decline *add_limits(
        const struct sator_cond *cond, struct listed_parts *parts)
{
    const struct sator_decline *why = NULL;

    for (int i = 0; i < cond->n_kids && cond->op == SATOR_COND_AND && why == NULL; i++)
        why = add_limits(cond->kids[i], parts);
    const uint32_t loops = cond->op == SATOR_COND_AND ? 0 : listed_loops_of_cond(cond);
    const bool is_bound = (cond->op == SATOR_COND_AT_LEAST || cond->op == SATOR_COND_EQUAL) &&
            is_linear(cond->expr) && cond->expr->n_terms <= 1;
    if (cond->op == SATOR_COND_AND || cond->op == SATOR_COND_TRUE || (is_bound && loops != 0))
        return why;
    return cond->op == SATOR_COND_EQUAL && loops != 0 ? add_equality(cond, parts)
                                                      : add_limit(cond, parts);
}

const struct sator_decline *listed_read_domain(
        const struct sator_relation *domain, struct listed_parts *parts)
{
    struct bounds b, before;

    parts->n_limits = 0;
    if (domain->n_pieces != 1 || domain->pieces[0].n_free != 0)
        return DECLINE("the domain is a union, or is given by conditions that are not handled");
    for (int l = 0; l < parts->n_loops; l++) {
        b.least[l] = -far;
        b.greatest[l] = far;
    }
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(&before, &b, sizeof b);
        narrow_all(domain->pieces[0].cond, &b);
        bool is_same = true;
        for (int l = 0; l < parts->n_loops; l++)
            is_same &= before.least[l] == b.least[l] && before.greatest[l] == b.greatest[l];
        if (is_same)
            break;
    }
    for (int l = 0; l < parts->n_loops; l++) {
        if (b.least[l] <= -far || b.greatest[l] >= far)
            return DECLINE("the domain has no bounds, or none that are found");
        if (b.greatest[l] < b.least[l])
            return DECLINE("the domain is empty");
        parts->lower[l] = (int64_t)b.least[l];
        parts->last[l] = (int64_t)b.greatest[l];
    }
    return add_limits(domain->pieces[0].cond, parts);
}
