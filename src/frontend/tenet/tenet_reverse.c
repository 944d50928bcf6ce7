#include "frontend/tenet/tenet_reverse.h"

/* The only variable of "expr" = variable + constant, or -1. */
static int shifted_var(const struct sator_expr *expr)
{
    if (expr->n_terms != 1 || expr->terms[0].atom != SATOR_ATOM_VAR || expr->terms[0].factor != 1)
        return -1;
    return expr->terms[0].var;
}

/* Whether the outputs are a permutation of the inputs with constants added: from[k] is then the
 * input in output k. */
static bool is_permutation(
        const struct sator_relation *relation, const struct sator_piece *piece, int *from)
{
    if (piece->n_free != 0)
        return false;
    for (int k = 0; k < relation->n_out; k++) {
        from[k] = shifted_var(piece->out[k]);
        if (from[k] < 0 || from[k] >= relation->n_in)
            return false;
        for (int other = 0; other < k; other++)
            if (from[other] == from[k])
                return false;
    }
    return true;
}

static struct sator_relation *new_relation(struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_piece *piece)
{
    struct sator_relation *reversed = SATOR_NEW(arena, struct sator_relation);

    *reversed = (struct sator_relation){.in_name = relation->out_name,
            .out_name = relation->in_name,
            .n_in = relation->n_out,
            .n_out = relation->n_in,
            .n_pieces = 1,
            .pieces = piece,
            .loc = piece->loc};
    return reversed;
}

/* q_k = p_from[k] + c_k, so p_from[k] = q_k - c_k: input k of the result keeps the name of
 * p_from[k]. */
static const struct sator_relation *reverse_permutation(struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_piece *piece, const int *from)
{
    int n = relation->n_in;
    struct sator_piece *reversed = SATOR_NEW(arena, struct sator_piece);
    const char **names = SATOR_NEW_ARRAY(arena, const char *, n + 1);
    const struct sator_expr **out = SATOR_NEW_ARRAY(arena, const struct sator_expr *, n + 1);

    for (int k = 0; k < n; k++) {
        names[k] = piece->names[from[k]];
        out[from[k]] = sator_expr_add(arena, sator_expr_var(arena, k), -1,
                sator_expr_constant(arena, piece->out[k]->constant));
        if (!out[from[k]])
            return NULL;
    }
    *reversed = (struct sator_piece){.names = names,
            .out = out,
            .cond = sator_cond_substitute(arena, piece->cond, out, 0),
            .loc = piece->loc};
    return reversed->cond ? new_relation(arena, relation, reversed) : NULL;
}

/* Any other piece: { Out[q] -> In[p] : cond(p, free) and q = out(p, free) } with q as the new
 * inputs and p, free as further variables; "proper" adds q != p. */
static const struct sator_relation *reverse_condition(struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_piece *piece, bool proper)
{
    int n_in = relation->n_in;
    int n_out = relation->n_out;
    int n_old = n_in + piece->n_free;
    const char **names = SATOR_NEW_ARRAY(arena, const char *, n_out + n_old + 1);
    const struct sator_expr **moved = SATOR_NEW_ARRAY(arena, const struct sator_expr *, n_old + 1);
    const struct sator_cond **all = SATOR_NEW_ARRAY(arena, const struct sator_cond *, n_out + 2);
    const struct sator_cond **unequal =
            SATOR_NEW_ARRAY(arena, const struct sator_cond *, n_out + 1);
    struct sator_piece *reversed = SATOR_NEW(arena, struct sator_piece);
    int n_all = 0;

    for (int v = 0; v < n_old; v++) {
        moved[v] = sator_expr_var(arena, n_out + v);
        names[n_out + v] = piece->names[v];
    }
    if (piece->cond->op != SATOR_COND_TRUE) {
        all[n_all++] = sator_cond_substitute(arena, piece->cond, moved, n_out);
        if (!all[0])
            return NULL;
    }
    for (int k = 0; k < n_out; k++) {
        const struct sator_expr *out = sator_expr_substitute(arena, piece->out[k], moved);
        const struct sator_expr *q = sator_expr_var(arena, k);
        const struct sator_expr *gap = out ? sator_expr_add(arena, q, -1, out) : NULL;
        const struct sator_expr *step = sator_expr_add(arena, q, -1, moved[k]);

        if (!gap || !step)
            return NULL;
        names[k] = sator_arena_printf(arena, "%s'", piece->names[k]);
        all[n_all++] = sator_cond_compare(arena, SATOR_COND_EQUAL, gap);
        unequal[k] = sator_cond_compare(arena, SATOR_COND_NOT_EQUAL, step);
    }
    if (proper)
        all[n_all++] = sator_cond_or(arena, n_out, unequal);
    *reversed = (struct sator_piece){.n_free = n_old,
            .names = names,
            .out = moved,
            .cond = sator_cond_and(arena, n_all, all),
            .loc = piece->loc};
    return new_relation(arena, relation, reversed);
}

const struct sator_relation *sator_tenet_reverse(struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_piece *piece, bool proper,
        bool *is_shift, bool *is_identity, int64_t *offsets)
{
    int *from = SATOR_NEW_ARRAY(arena, int, relation->n_in + 1);
    bool shifts = is_permutation(relation, piece, from);
    bool moves = false;
    const struct sator_relation *reversed;

    if (!shifts) {
        reversed = reverse_condition(arena, relation, piece, proper);
    } else {
        for (int k = 0; k < relation->n_in; k++) {
            shifts = shifts && from[k] == k;
            /* In[p] is the consumer of the file: it lies at -c_k from the provider Out[q]. */
            if (__builtin_sub_overflow(0, piece->out[k]->constant, &offsets[k]))
                return NULL;
            moves = moves || offsets[k] != 0;
        }
        /* A transposition may hold equal tuples on its diagonal. */
        reversed = shifts || !proper ? reverse_permutation(arena, relation, piece, from)
                                     : reverse_condition(arena, relation, piece, true);
    }
    *is_shift = shifts;
    *is_identity = shifts && !moves;
    return reversed;
}
