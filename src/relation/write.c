/* Expressions, conditions and relations as text in isl's notation. */
#include "base/text.h"
#include "relation/workload.h"

static void write_argument(
        struct sator_text *text, const struct sator_expr *expr, const char *const *names)
{
    bool single = expr->n_terms == 1 && expr->constant == 0 && expr->terms[0].factor == 1;

    if (!single)
        sator_text_put(text, "(");
    sator_expr_write(text, expr, names);
    if (!single)
        sator_text_put(text, ")");
}

static void write_atom(
        struct sator_text *text, const struct sator_term *term, const char *const *names)
{
    if (term->atom == SATOR_ATOM_VAR) {
        sator_text_put(text, names[term->var]);
        return;
    }
    if (term->atom == SATOR_ATOM_FLOOR)
        sator_text_put(text, "floor(");
    else if (term->factor != 1 && term->factor != -1)
        sator_text_put(text, "(");
    write_argument(text, term->argument, names);
    sator_text_put(text, term->atom == SATOR_ATOM_FLOOR ? "/" : "%");
    sator_text_add_int(text, term->divisor);
    if (term->atom == SATOR_ATOM_FLOOR || (term->factor != 1 && term->factor != -1))
        sator_text_put(text, ")");
}

void sator_expr_write(
        struct sator_text *text, const struct sator_expr *expr, const char *const *names)
{
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (i > 0)
            sator_text_put(text, term->factor < 0 ? " - " : " + ");
        else if (term->factor < 0)
            sator_text_put(text, "-");
        /* 0 - factor in unsigned arithmetic: right for the least 64-bit number too. */
        unsigned long long size = term->factor < 0 ? 0 - (unsigned long long)term->factor
                                                   : (unsigned long long)term->factor;
        bool minus_mod = term->factor == -1 && term->atom == SATOR_ATOM_MOD;
        if (size != 1)
            sator_text_add(text, "%llu*", size);
        if (minus_mod)
            sator_text_put(text, "(");
        write_atom(text, term, names);
        if (minus_mod)
            sator_text_put(text, ")");
    }
    if (expr->n_terms == 0)
        sator_text_add(text, "%lld", (long long)expr->constant);
    else if (expr->constant < 0)
        sator_text_add(text, " - %llu", 0 - (unsigned long long)expr->constant);
    else if (expr->constant > 0)
        sator_text_add(text, " + %lld", (long long)expr->constant);
}

void sator_tuple_write(struct sator_text *text, const char *name, int n_exprs,
        const struct sator_expr *const *exprs, const char *const *names)
{
    sator_text_put(text, name == NULL ? "" : name);
    sator_text_put(text, "[");
    for (int i = 0; i < n_exprs; i++) {
        if (i > 0)
            sator_text_put(text, ", ");
        sator_expr_write(text, exprs[i], names);
    }
    sator_text_put(text, "]");
}

static void write_cond(
        struct sator_text *text, const struct sator_cond *cond, const char *const *names);

static void write_kids(struct sator_text *text, const struct sator_cond *cond, const char *joint,
        const char *const *names)
{
    sator_text_put(text, "(");
    for (int i = 0; i < cond->n_kids; i++) {
        if (i > 0)
            sator_text_add(text, " %s ", joint);
        write_cond(text, cond->kids[i], names);
    }
    sator_text_put(text, ")");
}

static void write_cond(
        struct sator_text *text, const struct sator_cond *cond, const char *const *names)
{
    switch (cond->op) {
    case SATOR_COND_TRUE:
        sator_text_put(text, "0 = 0");
        return;
    case SATOR_COND_EQUAL:
    case SATOR_COND_NOT_EQUAL:
    case SATOR_COND_AT_LEAST:
        sator_expr_write(text, cond->expr, names);
        sator_text_add(text,
                cond->op == SATOR_COND_EQUAL              ? " = 0"
                        : cond->op == SATOR_COND_AT_LEAST ? " >= 0"
                                                          : " != 0");
        return;
    case SATOR_COND_AND:
        if (cond->n_kids == 0)
            sator_text_put(text, "0 = 0");
        else
            write_kids(text, cond, "and", names);
        return;
    case SATOR_COND_OR:
        if (cond->n_kids == 0)
            sator_text_put(text, "1 = 0");
        else
            write_kids(text, cond, "or", names);
        return;
    case SATOR_COND_NOT:
        sator_text_put(text, "not (");
        write_cond(text, cond->kids[0], names);
        sator_text_put(text, ")");
        return;
    case SATOR_COND_EXISTS:
        sator_text_put(text, "exists (");
        for (int i = 0; i < cond->n_vars; i++)
            sator_text_add(text, "%s%s", i == 0 ? "" : ", ", names[cond->first_var + i]);
        sator_text_put(text, ": ");
        write_cond(text, cond->kids[0], names);
        sator_text_put(text, ")");
        return;
    }
}

/* The top-level "and" needs no parentheses. */
static void write_condition(
        struct sator_text *text, const struct sator_cond *cond, const char *const *names)
{
    if (cond->op != SATOR_COND_AND || cond->n_kids == 0) {
        write_cond(text, cond, names);
        return;
    }
    for (int i = 0; i < cond->n_kids; i++) {
        if (i > 0)
            sator_text_put(text, " and ");
        write_cond(text, cond->kids[i], names);
    }
}

void sator_relation_write(struct sator_text *text, const struct sator_relation *relation)
{
    sator_text_put(text, "{ ");
    for (int i = 0; i < relation->n_pieces; i++) {
        const struct sator_piece *piece = &relation->pieces[i];
        if (i > 0)
            sator_text_put(text, "; ");
        sator_text_add(text, "%s[", relation->in_name == NULL ? "" : relation->in_name);
        for (int v = 0; v < relation->n_in; v++)
            sator_text_add(text, "%s%s", v == 0 ? "" : ", ", piece->names[v]);
        sator_text_put(text, "]");
        if (!relation->is_set) {
            sator_text_put(text, " -> ");
            sator_tuple_write(text, relation->out_name, relation->n_out, piece->out, piece->names);
        }
        if (piece->cond->op != SATOR_COND_TRUE) {
            sator_text_put(text, " : ");
            write_condition(text, piece->cond, piece->names);
        }
    }
    sator_text_put(text, " }");
}

char *sator_workload_key(const struct sator_workload *workload)
{
    struct sator_text text = {0};

    for (int l = 0; l < workload->n_loops; l++)
        sator_text_add(&text, "%s,", workload->loop_names[l]);
    sator_relation_write(&text, workload->domain);
    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        sator_text_add(&text, "\n%d %d ", (int)access->role, access->word_bits);
        if (access->says_density)
            sator_text_add(&text, "%.17g ", access->density);
        sator_relation_write(&text, access->relation);
    }
    return sator_text_take(&text);
}
