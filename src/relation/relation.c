#include "relation/relation.h"

#include <string.h>

static const struct sator_cond always = {.op = SATOR_COND_TRUE};

const struct sator_relation *sator_relation_make(struct sator_arena *arena, const char *in_name,
        int n_in, const char *const *names, const char *out_name, int n_out,
        const struct sator_expr *const *out, const struct sator_cond *cond)
{
    struct sator_relation *relation = SATOR_NEW(arena, struct sator_relation);
    struct sator_piece *piece = SATOR_NEW(arena, struct sator_piece);

    *piece =
            (struct sator_piece){.names = names, .out = out, .cond = cond == NULL ? &always : cond};
    *relation = (struct sator_relation){.is_set = out_name == NULL,
            .in_name = in_name,
            .out_name = out_name,
            .n_in = n_in,
            .n_out = n_out,
            .n_pieces = 1,
            .pieces = piece};
    return relation;
}

/* sign * var + constant >= 0 */
static const struct sator_cond *bound(
        struct sator_arena *arena, int var, int64_t sign, int64_t constant)
{
    struct sator_cond *cond = SATOR_NEW(arena, struct sator_cond);
    const struct sator_expr *base = sator_expr_constant(arena, constant);

    cond->op = SATOR_COND_AT_LEAST;
    cond->expr = sator_expr_add(arena, base, sign, sator_expr_var(arena, var));
    return cond;
}

const struct sator_relation *sator_set_box(struct sator_arena *arena, const char *name, int n_dims,
        const char *const *dim_names, const int64_t *lower, const int64_t *upper)
{
    const struct sator_cond **kids =
            SATOR_NEW_ARRAY(arena, const struct sator_cond *, 2 * n_dims + 1);
    struct sator_cond *all = SATOR_NEW(arena, struct sator_cond);

    for (int i = 0; i < n_dims; i++) {
        kids[2 * i] = bound(arena, i, 1, -lower[i]);
        kids[2 * i + 1] = bound(arena, i, -1, upper[i] - 1);
    }
    *all = (struct sator_cond){.op = SATOR_COND_AND, .n_kids = 2 * n_dims, .kids = kids};
    return sator_relation_make(arena, name, n_dims, dim_names, NULL, 0, NULL, all);
}

const struct sator_piece *sator_relation_function(const struct sator_relation *relation)
{
    if (relation->n_pieces != 1)
        return NULL;
    const struct sator_piece *piece = &relation->pieces[0];
    return piece->n_free == 0 && piece->cond->op == SATOR_COND_TRUE ? piece : NULL;
}

/* Narrow the box by "factor * var + constant >= 0". */
static void narrow(const struct sator_expr *expr, int64_t sign, bool *has, int64_t *lower,
        bool *has_upper, int64_t *upper)
{
    const struct sator_term *term = &expr->terms[0];
    int64_t factor = sign * term->factor, constant = sign * expr->constant;
    int var = term->var;

    if (factor > 0) { /* var >= ceil(-constant / factor) */
        int64_t from = constant >= 0 ? -(constant / factor) : (-constant + factor - 1) / factor;
        if (!has[var] || from > lower[var])
            lower[var] = from;
        has[var] = true;
    } else { /* var <= floor(constant / -factor) */
        int64_t to = constant >= 0 ? constant / -factor : -((-constant + -factor - 1) / -factor);
        if (!has_upper[var] || to + 1 < upper[var])
            upper[var] = to + 1;
        has_upper[var] = true;
    }
}

/* Whether the number is far enough from the ends of 64 bits for the arithmetic on bounds. */
static bool moderate(int64_t value)
{
    return value > -(INT64_C(1) << 62) && value < INT64_C(1) << 62;
}

static bool collect_bounds(
        const struct sator_cond *cond, bool *has, int64_t *lower, bool *has_upper, int64_t *upper)
{
    switch (cond->op) {
    case SATOR_COND_TRUE:
        return true;
    case SATOR_COND_AND:
        for (int i = 0; i < cond->n_kids; i++) {
            if (!collect_bounds(cond->kids[i], has, lower, has_upper, upper))
                return false;
        }
        return true;
    case SATOR_COND_EQUAL:
    case SATOR_COND_AT_LEAST:
        if (cond->expr->n_terms != 1 || cond->expr->terms[0].atom != SATOR_ATOM_VAR ||
                !moderate(cond->expr->constant) || !moderate(cond->expr->terms[0].factor))
            return false;
        narrow(cond->expr, 1, has, lower, has_upper, upper);
        if (cond->op == SATOR_COND_EQUAL)
            narrow(cond->expr, -1, has, lower, has_upper, upper);
        return true;
    default:
        return false;
    }
}

bool sator_set_is_box(const struct sator_relation *set, int64_t *lower, int64_t *upper)
{
    enum {
        MOST_DIMS = 64
    };
    bool has[MOST_DIMS] = {false}, has_upper[MOST_DIMS] = {false};

    if (set->n_pieces != 1 || set->n_in > MOST_DIMS || set->pieces[0].n_free != 0)
        return false;
    if (!collect_bounds(set->pieces[0].cond, has, lower, has_upper, upper))
        return false;
    for (int i = 0; i < set->n_in; i++) {
        if (!has[i] || !has_upper[i])
            return false;
        if (upper[i] < lower[i])
            upper[i] = lower[i];
    }
    return true;
}

bool sator_cond_has_var(const struct sator_cond *cond, int var)
{
    bool any = cond->expr != NULL && sator_expr_has_var(cond->expr, var);

    for (int i = 0; i < cond->n_kids && !any; i++)
        any = sator_cond_has_var(cond->kids[i], var);
    return any;
}

static bool is_limit(const struct sator_cond *cond)
{
    return cond->op == SATOR_COND_AT_LEAST && cond->expr->n_terms == 1 &&
            cond->expr->terms[0].atom == SATOR_ATOM_VAR;
}

static bool ties(const struct sator_cond *cond, int var)
{
    bool any = false;

    if (cond->op != SATOR_COND_AND)
        return !is_limit(cond) && sator_cond_has_var(cond, var);
    for (int i = 0; i < cond->n_kids && !any; i++)
        any = ties(cond->kids[i], var);
    return any;
}

bool sator_set_ties(const struct sator_relation *set, int var)
{
    bool any = false;

    for (int k = 0; k < set->n_pieces && !any; k++) {
        const struct sator_piece *piece = &set->pieces[k];
        any = piece->n_free > 0 || sator_cond_has_exists(piece->cond) ||
                (set->n_pieces == 1 ? ties(piece->cond, var)
                                    : sator_cond_has_var(piece->cond, var));
    }
    return any;
}
