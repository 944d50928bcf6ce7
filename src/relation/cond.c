/* Conditions built, moved to other variables, and evaluated. Constant parts fold away. */
#include "relation/relation.h"

#include <string.h>

static const struct sator_cond always = {.op = SATOR_COND_TRUE};
static const struct sator_cond never = {.op = SATOR_COND_OR}; /* no disjunct holds */

bool sator_cond_is_false(const struct sator_cond *cond)
{
    return cond->op == SATOR_COND_OR && cond->n_kids == 0;
}

const struct sator_cond *sator_cond_compare(
        struct sator_arena *arena, enum sator_cond_op op, const struct sator_expr *difference)
{
    struct sator_cond *cond = SATOR_NEW(arena, struct sator_cond);
    int64_t value = difference->constant;

    if (!sator_expr_is_constant(difference)) {
        *cond = (struct sator_cond){.op = op, .expr = difference};
        return cond;
    }
    bool holds = op == SATOR_COND_EQUAL ? value == 0
            : op == SATOR_COND_AT_LEAST ? value >= 0
                                        : value != 0;
    return holds ? &always : &never;
}

static const struct sator_cond *combine(struct sator_arena *arena, enum sator_cond_op op,
        int n_kids, const struct sator_cond *const *kids)
{
    struct sator_cond *all = SATOR_NEW(arena, struct sator_cond);
    const struct sator_cond **flat = NULL;
    int n_flat = 0;

    for (int i = 0; i < n_kids; i++) {
        bool is_true = kids[i]->op == SATOR_COND_TRUE, is_false = sator_cond_is_false(kids[i]);
        if (op == SATOR_COND_AND ? is_true : is_false)
            continue;
        if (op == SATOR_COND_AND ? is_false : is_true)
            return op == SATOR_COND_AND ? &never : &always;
        if (kids[i]->op != op) {
            SATOR_PUSH(arena, flat, n_flat, kids[i]);
            continue;
        }
        for (int j = 0; j < kids[i]->n_kids; j++)
            SATOR_PUSH(arena, flat, n_flat, kids[i]->kids[j]);
    }
    if (n_flat == 0)
        return op == SATOR_COND_AND ? &always : &never;
    if (n_flat == 1)
        return flat[0];
    *all = (struct sator_cond){.op = op, .n_kids = n_flat, .kids = flat};
    return all;
}

const struct sator_cond *sator_cond_and(
        struct sator_arena *arena, int n_kids, const struct sator_cond *const *kids)
{
    return combine(arena, SATOR_COND_AND, n_kids, kids);
}

const struct sator_cond *sator_cond_or(
        struct sator_arena *arena, int n_kids, const struct sator_cond *const *kids)
{
    return combine(arena, SATOR_COND_OR, n_kids, kids);
}

const struct sator_cond *sator_cond_not(struct sator_arena *arena, const struct sator_cond *kid)
{
    struct sator_cond *negation = SATOR_NEW(arena, struct sator_cond);

    if (kid->op == SATOR_COND_TRUE)
        return &never;
    if (sator_cond_is_false(kid))
        return &always;
    *negation = (struct sator_cond){.op = SATOR_COND_NOT,
            .n_kids = 1,
            .kids = sator_arena_copy(arena, &kid, sizeof(const struct sator_cond *))};
    return negation;
}

const struct sator_cond *sator_cond_substitute(struct sator_arena *arena,
        const struct sator_cond *cond, const struct sator_expr *const *replacements,
        int first_var_shift)
{
    if (cond->op == SATOR_COND_TRUE || sator_cond_is_false(cond))
        return cond;
    if (cond->expr != NULL) {
        const struct sator_expr *expr = sator_expr_substitute(arena, cond->expr, replacements);
        return expr == NULL ? NULL : sator_cond_compare(arena, cond->op, expr);
    }
    const struct sator_cond **kids =
            SATOR_NEW_ARRAY(arena, const struct sator_cond *, cond->n_kids);
    for (int i = 0; i < cond->n_kids; i++) {
        kids[i] = sator_cond_substitute(arena, cond->kids[i], replacements, first_var_shift);
        if (kids[i] == NULL)
            return NULL;
    }
    if (cond->op == SATOR_COND_NOT)
        return sator_cond_not(arena, kids[0]);
    if (cond->op != SATOR_COND_EXISTS)
        return combine(arena, cond->op, cond->n_kids, kids);
    struct sator_cond *exists = sator_arena_copy(arena, cond, sizeof *cond);
    exists->kids = kids;
    exists->first_var += first_var_shift;
    return exists;
}

bool sator_cond_has_exists(const struct sator_cond *cond)
{
    if (cond->op == SATOR_COND_EXISTS)
        return true;
    for (int i = 0; i < cond->n_kids; i++) {
        if (sator_cond_has_exists(cond->kids[i]))
            return true;
    }
    return false;
}

bool sator_cond_holds(const struct sator_cond *cond, const int64_t *point, bool *holds)
{
    int64_t value;

    switch (cond->op) {
    case SATOR_COND_TRUE:
        *holds = true;
        return true;
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
    case SATOR_COND_AT_LEAST:
        if (!sator_expr_value(cond->expr, point, &value))
            return false;
        *holds = cond->op == SATOR_COND_EQUAL     ? value == 0
                : cond->op == SATOR_COND_AT_LEAST ? value >= 0
                                                  : value != 0;
        return true;
    case SATOR_COND_NOT:
        if (!sator_cond_holds(cond->kids[0], point, holds))
            return false;
        *holds = !*holds;
        return true;
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        *holds = cond->op == SATOR_COND_AND;
        for (int i = 0; i < cond->n_kids && *holds == (cond->op == SATOR_COND_AND); i++) {
            if (!sator_cond_holds(cond->kids[i], point, holds))
                return false;
        }
        return true;
    case SATOR_COND_EXISTS:
        return false;
    }
    return false;
}

bool sator_cond_holds_within(
        const struct sator_cond *cond, const int64_t *lower, const int64_t *upper)
{
    int64_t least, greatest;
    bool all = cond->op == SATOR_COND_AND, any = false;

    switch (cond->op) {
    case SATOR_COND_TRUE:
        return true;
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
    case SATOR_COND_AT_LEAST:
        if (!sator_expr_range(cond->expr, lower, upper, &least, &greatest))
            return false;
        return cond->op == SATOR_COND_EQUAL       ? least == 0 && greatest == 0
                : cond->op == SATOR_COND_AT_LEAST ? least >= 0
                                                  : least > 0 || greatest < 0;
    case SATOR_COND_AND:
    case SATOR_COND_OR:
        for (int i = 0; i < cond->n_kids; i++) {
            bool holds = sator_cond_holds_within(cond->kids[i], lower, upper);
            all &= holds;
            any |= holds;
        }
        return all || (cond->op == SATOR_COND_OR && any);
    case SATOR_COND_NOT:
    case SATOR_COND_EXISTS:
        return false;
    }
    return false;
}
