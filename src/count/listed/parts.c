/* Finding parts: rows as mixed-radix numbers of summands, the loops of which are joined. */
#include "count/listed/parts.h"

#include "base/checked.h"

#include <string.h>

static const struct sator_decline too_large = {"a row reaches beyond 64 bits"};

const struct sator_decline *listed_parts_begin(
        struct sator_arena *arena, const struct sator_relation *domain, struct listed_parts *parts)
{
    parts->arena = arena;
    parts->n_loops = domain->n_in;
    parts->n_rows = 0;
    parts->n_summands = 0;
    if (domain->n_in == 0 || domain->n_in > LISTED_LOOPS)
        return domain->n_in == 0 ? DECLINE("the domain has no loops")
                                 : DECLINE("the domain has too many loops");
    const struct sator_decline *why = listed_read_domain(domain, parts);
    for (int l = 0; l < parts->n_loops; l++)
        parts->part_of[l] = l;
    for (int c = 0; c < parts->n_limits && why == NULL; c++)
        listed_parts_join(parts, listed_loops_of_cond(parts->limit[c].cond));
    return why;
}

/* ---- who meets whom ---- */

static uint32_t loops_of_term(const struct sator_term *term)
{
    return term->atom == SATOR_ATOM_VAR ? (uint32_t)1 << term->var
                                        : listed_loops_of(term->argument);
}

uint32_t listed_loops_of(const struct sator_expr *expr)
{
    uint32_t loops = 0;
    for (int i = 0; i < expr->n_terms; i++)
        loops |= loops_of_term(&expr->terms[i]);
    return loops;
}

uint32_t listed_loops_of_cond(const struct sator_cond *cond)
{
    uint32_t loops = cond->expr != NULL ? listed_loops_of(cond->expr) : 0;
    for (int i = 0; i < cond->n_kids; i++)
        loops |= listed_loops_of_cond(cond->kids[i]);
    return loops;
}

void listed_parts_join(struct listed_parts *parts, uint32_t loops)
{
    if (loops == 0)
        return;
    int to = parts->part_of[__builtin_ctz(loops)];
    for (uint32_t rest = loops & (loops - 1); rest != 0; rest &= rest - 1) {
        int from = parts->part_of[__builtin_ctz(rest)];
        for (int l = 0; l < parts->n_loops; l++)
            parts->part_of[l] = parts->part_of[l] == from ? to : parts->part_of[l];
    }
}

const struct sator_decline *listed_parts_add(
        struct listed_parts *parts, const struct sator_expr *expr)
{
    if (expr == NULL)
        return &too_large;
    if (parts->n_rows == LISTED_ROWS)
        return DECLINE("the stamps and the tensor have too many dimensions");
    for (int i = 0; i < expr->n_terms; i++)
        listed_parts_join(parts, loops_of_term(&expr->terms[i]));
    parts->row[parts->n_rows++] = (struct listed_row){.expr = expr};
    return NULL;
}

/* ---- summands ---- */

/* A summand of one term. */
static const struct sator_decline *make_summand(const struct listed_parts *parts,
        const struct sator_term *term, struct listed_summand *summand)
{
    struct sator_expr *expr = SATOR_NEW(parts->arena, struct sator_expr);
    expr->n_terms = 1;
    expr->terms = term;
    *summand = (struct listed_summand){.expr = expr, .unit = sator_gcd(0, term->factor)};
    bool fits =
            sator_expr_range(expr, parts->lower, parts->last, &summand->least, &summand->greatest);
    /* Sums and differences of a row's summands stay within 64 bits. */
    const int64_t most = (int64_t)1 << 55;
    return fits && summand->least > -most && summand->greatest < most ? NULL : &too_large;
}

/* Take "more" into "summand". */
static const struct sator_decline *add_summand(const struct listed_parts *parts,
        struct listed_summand *summand, const struct listed_summand *more)
{
    summand->expr = sator_expr_add(parts->arena, summand->expr, 1, more->expr);
    summand->unit = sator_gcd(summand->unit, more->unit);
    summand->least += more->least;
    summand->greatest += more->greatest;
    return summand->expr == NULL ? &too_large : NULL;
}

/* Put "summand" in its place: the greatest unit first. */
static void insert(const struct listed_summand *summand, struct listed_summand *list, int *n)
{
    int at = (*n)++;
    while (at > 0 && list[at - 1].unit < summand->unit) {
        list[at] = list[at - 1];
        at--;
    }
    list[at] = *summand;
}

/* Take two summands together that a number cannot have as digits: "*found" if there were any. */
static const struct sator_decline *take_together(
        const struct listed_parts *parts, struct listed_summand *list, int *n, bool *found)
{
    int64_t reach = 0; /* of the summands of smaller units */
    *found = false;
    for (int i = *n - 1; i >= 0; i--) {
        struct listed_summand both = list[i];
        if (both.unit > reach) {
            reach += both.greatest - both.least;
            continue;
        }
        const struct sator_decline *why = add_summand(parts, &both, &list[i + 1]);
        memmove(&list[i], &list[i + 2], sizeof *list * (size_t)(*n - i - 2));
        *n -= 2;
        insert(&both, list, n);
        *found = true;
        return why;
    }
    return NULL;
}

/* The summands of a row, the greatest unit first; what has one value is part of its constant. */
static const struct sator_decline *make_summands(const struct listed_parts *parts,
        struct listed_row *row, struct listed_summand *list, int *n)
{
    const struct sator_decline *why = NULL;
    *n = 0;
    row->constant = row->expr->constant;
    for (int i = 0; i < row->expr->n_terms && why == NULL; i++) {
        struct listed_summand summand;
        if (*n == LISTED_TERMS)
            return DECLINE("a row has too many terms");
        why = make_summand(parts, &row->expr->terms[i], &summand);
        if (why == NULL && summand.least < summand.greatest)
            insert(&summand, list, n);
        else if (why == NULL &&
                __builtin_add_overflow(row->constant, summand.least, &row->constant))
            why = &too_large;
    }
    for (bool found = true; found && why == NULL;)
        why = take_together(parts, list, n, &found);
    return why;
}

/* Digits of a number next to each other, and of one part, are a digit. */
static const struct sator_decline *take_digits(
        const struct listed_parts *parts, struct listed_summand *list, int *n)
{
    const struct sator_decline *why = NULL;
    int kept = 0;
    for (int i = 0; i < *n && why == NULL; i++) {
        if (kept > 0 && list[kept - 1].part == list[i].part &&
                list[kept - 1].unit % list[i].unit == 0)
            why = add_summand(parts, &list[kept - 1], &list[i]);
        else
            list[kept++] = list[i];
    }
    *n = kept;
    return why;
}

/* Parts by their numbers from 0 on, in the order of their first loops. */
static void number_parts(struct listed_parts *parts)
{
    int number[LISTED_LOOPS];
    int leader[LISTED_LOOPS];
    parts->n_parts = 0;
    memset(number, -1, sizeof number);
    for (int l = 0; l < parts->n_loops; l++) {
        int part = parts->part_of[l];
        if (number[part] < 0) {
            leader[parts->n_parts] = part;
            number[part] = parts->n_parts++;
        }
    }
    for (int l = 0; l < parts->n_loops; l++) {
        int i = 0;
        while (leader[i] != parts->part_of[l])
            i++;
        parts->part_of[l] = i;
    }
}

/* Set the parts of a row's summands, and join those that make one. */
static const struct sator_decline *finish_row(struct listed_parts *parts, struct listed_row *row)
{
    struct listed_summand *list = &parts->summand[row->first];
    for (int i = 0; i < row->n; i++)
        list[i].part = parts->part_of[__builtin_ctz(listed_loops_of(list[i].expr))];
    const struct sator_decline *why = take_digits(parts, list, &row->n);
    row->part = row->n > 0 ? list[0].part : -1;
    for (int i = 1; i < row->n; i++)
        row->part = list[i].part == row->part ? row->part : -1;
    return why;
}

const struct sator_decline *listed_parts_finish(struct listed_parts *parts)
{
    const struct sator_decline *why = NULL;
    for (int r = 0; r < parts->n_rows && why == NULL; r++) {
        struct listed_row *row = &parts->row[r];
        struct listed_summand list[LISTED_TERMS];
        why = make_summands(parts, row, list, &row->n);
        if (why == NULL && parts->n_summands + row->n > LISTED_ROWS)
            why = DECLINE("the stamps and the tensor have too many dimensions");
        if (why != NULL)
            return why;
        row->first = parts->n_summands;
        memcpy(&parts->summand[row->first], list, sizeof *list * (size_t)row->n);
        parts->n_summands += row->n;
        for (int i = 0; i < row->n; i++)
            listed_parts_join(parts, listed_loops_of(list[i].expr));
    }
    number_parts(parts);
    parts->n_summands = 0;
    for (int r = 0; r < parts->n_rows && why == NULL; r++) {
        struct listed_row *row = &parts->row[r];
        why = finish_row(parts, row);
        memmove(&parts->summand[parts->n_summands], &parts->summand[row->first],
                sizeof *parts->summand * (size_t)row->n);
        row->first = parts->n_summands;
        parts->n_summands += row->n;
    }
    return why;
}
