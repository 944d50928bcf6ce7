/* Windows under a division: floor((ox + rx) / 2), rx < 3.
 *
 * When loop r occurs nowhere but once in the argument of a division by m, with coefficient 1, only
 * the set of values over r matters. With extent W and m | W - 1 the argument's window of W numbers
 * always meets (W - 1)/m + 1 blocks:
 *
 *     { floor((R + r) / m) : r0 <= r < r0 + W } = floor((R + r0) / m) + { 0 .. (W - 1) / m }
 *
 * so the loop may run over the blocks instead, outside of the division.
 */
#include "count/closed/closed.h"

#include <string.h>

/* How often "expr" mentions variable "var". */
static int mentions(const struct sator_expr *expr, int var)
{
    int count = 0;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom == SATOR_ATOM_VAR)
            count += term->var == var;
        else
            count += mentions(term->argument, var);
    }
    return count;
}

static int all_mentions(const struct sator_relation *relation, int n_out, int var)
{
    int count = 0;
    for (int i = 0; i < n_out; i++)
        count += mentions(relation->pieces[0].out[i], var);
    return count;
}

/* The division in "expr" whose argument has the term 1 * var, or NULL. */
static const struct sator_term *find_division(const struct sator_expr *expr, int var)
{
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        for (int j = 0; term->atom == SATOR_ATOM_FLOOR && j < term->argument->n_terms; j++) {
            const struct sator_term *inner = &term->argument->terms[j];
            if (inner->atom == SATOR_ATOM_VAR && inner->var == var && inner->factor == 1)
                return term;
        }
    }
    return NULL;
}

/* "expr" with the loop "var", from "lower" on, taken out of the division "term"; NULL on overflow.
 */
static const struct sator_expr *take_out(struct sator_arena *arena, const struct sator_expr *expr,
        int n_vars, int var, int64_t lower, const struct sator_term *term)
{
    const struct sator_expr *replacement[CLOSED_LOOPS];
    for (int v = 0; v < n_vars; v++)
        replacement[v] = v == var ? sator_expr_constant(arena, lower) : sator_expr_var(arena, v);
    const struct sator_expr *rest = sator_expr_substitute(arena, expr, replacement);
    return rest == NULL ? NULL
                        : sator_expr_add(arena, rest, term->factor, sator_expr_var(arena, var));
}

static bool is_in_condition(const struct closed_request *request, int var)
{
    for (int i = 0; i < request->n_zeros; i++) {
        if (mentions(request->zero[i], var) > 0)
            return true;
    }
    return false;
}

bool closed_windows_rewrite(
        struct closed_state *state, struct closed_request *request, int64_t *lower, int64_t *upper)
{
    const struct sator_stamping *stamping = state->stamping;
    const struct sator_relation *relation = request->access;
    bool found = false;
    if (relation->n_pieces != 1)
        return false;
    if (state->arena == NULL)
        state->arena = sator_arena_new();
    for (int var = 0; var < relation->n_in; var++) {
        int64_t extent = upper[var] - lower[var];
        if (all_mentions(stamping->space, stamping->n_space, var) > 0 ||
                all_mentions(stamping->time, stamping->n_time, var) > 0 ||
                all_mentions(relation, relation->n_out, var) != 1 || is_in_condition(request, var))
            continue;
        for (int i = 0; i < relation->n_out; i++) {
            const struct sator_expr *out = relation->pieces[0].out[i];
            const struct sator_term *term = find_division(out, var);
            if (term == NULL || (extent - 1) % term->divisor != 0)
                continue;
            const struct sator_expr *rest =
                    take_out(state->arena, out, relation->n_in, var, lower[var], term);
            if (rest == NULL)
                continue;
            const struct sator_expr **outs =
                    SATOR_NEW_ARRAY(state->arena, const struct sator_expr *, relation->n_out);
            struct sator_piece *piece = SATOR_NEW(state->arena, struct sator_piece);
            struct sator_relation *copy = SATOR_NEW(state->arena, struct sator_relation);
            memcpy(outs, relation->pieces[0].out, sizeof *outs * (size_t)relation->n_out);
            outs[i] = rest;
            *piece = relation->pieces[0];
            piece->out = outs;
            *copy = *relation;
            copy->pieces = piece;
            relation = copy;
            lower[var] = 0;
            upper[var] = (extent - 1) / term->divisor + 1;
            found = true;
            break;
        }
    }
    request->access = relation;
    return found;
}
