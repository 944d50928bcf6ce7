/* Finding parts: loops are joined until every row is a mixed-radix number of its summands. */
#include "count/listed/parts.h"

#include <string.h>

static const char too_large[] = "a row reaches beyond 64 bits";

const char *listed_parts_begin(
        struct sator_arena *arena, const struct sator_relation *domain, struct listed_parts *parts)
{
    int64_t upper[LISTED_LOOPS];
    parts->arena = arena;
    parts->n_loops = domain->n_in;
    parts->n_rows = 0;
    parts->n_summands = 0;
    if (domain->n_in == 0 || domain->n_in > LISTED_LOOPS)
        return domain->n_in == 0 ? "the domain has no loops" : "the domain has too many loops";
    if (!sator_set_is_box(domain, parts->lower, upper))
        return "the domain is no box";
    for (int l = 0; l < parts->n_loops; l++) {
        if (upper[l] <= parts->lower[l])
            return "the domain is empty";
        parts->last[l] = upper[l] - 1;
        parts->part_of[l] = l;
    }
    return NULL;
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

const char *listed_parts_add(struct listed_parts *parts, const struct sator_expr *expr, int *row)
{
    if (expr == NULL)
        return too_large;
    if (parts->n_rows == LISTED_ROWS)
        return "the stamps and the tensor have too many dimensions";
    for (int i = 0; i < expr->n_terms; i++)
        listed_parts_join(parts, loops_of_term(&expr->terms[i]));
    if (row != NULL)
        *row = parts->n_rows;
    parts->row[parts->n_rows++] = (struct listed_row){.expr = expr};
    return NULL;
}

/* ---- summands ---- */

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* What "expr" has of part "part", with its unit and range. */
static const char *make_summand(const struct listed_parts *parts, const struct sator_expr *expr,
        int part, struct listed_summand *summand)
{
    struct sator_expr *own = SATOR_NEW(parts->arena, struct sator_expr);
    struct sator_term *terms = SATOR_NEW_ARRAY(parts->arena, struct sator_term, expr->n_terms + 1);
    int64_t unit = 0;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        uint32_t loops = loops_of_term(term);
        if (loops == 0 || parts->part_of[__builtin_ctz(loops)] != part)
            continue;
        terms[own->n_terms++] = *term;
        unit = gcd(unit, term->factor);
    }
    own->terms = terms;
    *summand = (struct listed_summand){.part = part, .expr = own, .unit = unit};
    bool fits =
            sator_expr_range(own, parts->lower, parts->last, &summand->least, &summand->greatest);
    /* Differences and sums of a few of them stay within 64 bits. */
    return fits && unit > 0 && summand->least > -((int64_t)1 << 56) &&
                    summand->greatest < (int64_t)1 << 56
            ? NULL
            : too_large;
}

/* The summands of a row, the greatest unit first; what has one value is part of its constant. */
static const char *make_summands(const struct listed_parts *parts, struct listed_row *row,
        struct listed_summand *list, int *n)
{
    uint32_t done = 0;
    *n = 0;
    row->constant = row->expr->constant;
    for (uint32_t rest = listed_loops_of(row->expr); rest != 0; rest &= rest - 1) {
        int part = parts->part_of[__builtin_ctz(rest)];
        struct listed_summand summand;
        if (done >> part & 1)
            continue;
        done |= (uint32_t)1 << part;
        const char *why = make_summand(parts, row->expr, part, &summand);
        if (why != NULL)
            return why;
        if (summand.least == summand.greatest) {
            if (__builtin_add_overflow(row->constant, summand.least, &row->constant))
                return too_large;
            continue;
        }
        int at = (*n)++;
        while (at > 0 && list[at - 1].unit < summand.unit) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = summand;
    }
    return NULL;
}

/* Join two parts of a row that is no mixed-radix number of its summands; false when it is one. */
static bool join_two(struct listed_parts *parts, int n, const struct listed_summand *list)
{
    int64_t reach = 0; /* of the summands of smaller units */
    for (int i = n - 1; i >= 0; i--) {
        if (list[i].unit > reach) {
            reach += list[i].greatest - list[i].least;
            continue;
        }
        for (int l = 0; l < parts->n_loops; l++) {
            if (parts->part_of[l] == list[i].part)
                parts->part_of[l] = list[i + 1].part;
        }
        return true;
    }
    return false;
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

const char *listed_parts_finish(struct listed_parts *parts)
{
    struct listed_summand list[LISTED_LOOPS];
    const char *why = NULL;
    int n;
    for (bool joined = true; joined;) {
        joined = false;
        for (int r = 0; r < parts->n_rows && why == NULL; r++) {
            why = make_summands(parts, &parts->row[r], list, &n);
            joined = (why == NULL && join_two(parts, n, list)) || joined;
        }
    }
    number_parts(parts);
    for (int r = 0; r < parts->n_rows && why == NULL; r++) {
        why = make_summands(parts, &parts->row[r], list, &n);
        if (why == NULL && parts->n_summands + n > LISTED_ROWS)
            why = "the stamps and the tensor have too many dimensions";
        if (why != NULL)
            return why;
        parts->row[r].first = parts->n_summands;
        parts->row[r].n = n;
        memcpy(&parts->summand[parts->n_summands], list, sizeof *list * (size_t)n);
        parts->n_summands += n;
    }
    return why;
}
