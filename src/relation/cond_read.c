/* Conditions: chains of comparisons of (lists of) expressions, and, or, not, exists, parentheses.
 */
#include "relation/scanner.h"

#include <string.h>

struct expr_list {
    int count;
    const struct sator_expr **exprs;
};

static enum sator_status read_list(struct scanner *scanner, struct expr_list *list)
{
    enum sator_status st;

    do {
        const struct sator_expr *expr;
        SATOR_TRY(read_expr(scanner, &expr));
        SATOR_PUSH(scanner->arena, list->exprs, list->count, expr);
    } while (scanner_accept(scanner, ","));
done:
    return st;
}

static const char *comparison(const struct scanner *scanner)
{
    static const char *const operators[] = {"<=", ">=", "==", "!=", "=", "<", ">"};

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (scanner_at(scanner, operators[i]))
            return operators[i];
    }
    return NULL;
}

/* left op right as "difference op' 0"; NULL on overflow. */
static const struct sator_cond *compare(struct sator_arena *arena, const char *op,
        const struct sator_expr *left, const struct sator_expr *right)
{
    bool greater = op[0] == '>', less = op[0] == '<';
    bool strict = (greater || less) && op[1] == '\0';
    const struct sator_expr *difference =
            less ? sator_expr_add(arena, right, -1, left) : sator_expr_add(arena, left, -1, right);

    if (difference != NULL && strict)
        difference = sator_expr_add(arena, difference, -1, sator_expr_constant(arena, 1));
    if (difference == NULL)
        return NULL;
    return sator_cond_compare(arena,
            greater || less        ? SATOR_COND_AT_LEAST
                    : op[0] == '!' ? SATOR_COND_NOT_EQUAL
                                   : SATOR_COND_EQUAL,
            difference);
}

static enum sator_status read_comparison(struct scanner *scanner, const struct sator_cond **cond)
{
    enum sator_status st;
    struct sator_loc loc = scanner_loc(scanner);
    struct expr_list left = {0};
    const struct sator_cond **kids = NULL;
    int n_kids = 0;
    const char *op;

    SATOR_TRY(read_list(scanner, &left));
    if (comparison(scanner) == NULL)
        return sator_error(scanner->ctx, scanner_loc(scanner),
                "expected a comparison (<, <=, =, !=, >=, >), found %s", scanner_shown(scanner));
    while ((op = comparison(scanner)) != NULL) {
        struct expr_list right = {0};
        scanner_next(scanner);
        SATOR_TRY(read_list(scanner, &right));
        for (int i = 0; i < left.count; i++) {
            for (int j = 0; j < right.count; j++) {
                const struct sator_cond *one =
                        compare(scanner->arena, op, left.exprs[i], right.exprs[j]);
                if (one == NULL)
                    return sator_error(scanner->ctx, loc,
                            "a number in this comparison does not fit into 64 bits");
                SATOR_PUSH(scanner->arena, kids, n_kids, one);
            }
        }
        left = right;
    }
    *cond = sator_cond_and(scanner->arena, n_kids, kids);
done:
    return st;
}

/* Whether the parenthesis at the scanner encloses a condition, not an expression. */
static bool encloses_condition(const struct scanner *scanner)
{
    struct scanner ahead = *scanner;
    int depth = 0;

    do {
        if (scanner_at(&ahead, "("))
            depth++;
        else if (scanner_at(&ahead, ")"))
            depth--;
        else if (comparison(&ahead) != NULL || scanner_at(&ahead, "exists") ||
                scanner_at(&ahead, "not"))
            return true;
        scanner_next(&ahead);
    } while (depth > 0 && ahead.token.kind != TOKEN_END);
    return false;
}

/* exists (a, b = floor(i/2): ...) or exists a, b: ... */
static enum sator_status read_exists(struct scanner *scanner, const struct sator_cond **cond)
{
    enum sator_status st;
    struct sator_cond *exists = SATOR_NEW(scanner->arena, struct sator_cond);
    const struct sator_cond **kids = NULL, *inner;
    int n_kids = 0;

    scanner_next(scanner);
    bool parenthesis = scanner_accept(scanner, "(");
    *exists = (struct sator_cond){.op = SATOR_COND_EXISTS, .first_var = scanner->n_vars};
    do {
        if (scanner->token.kind != TOKEN_NAME || scanner_is_keyword(&scanner->token))
            return sator_error(scanner->ctx, scanner_loc(scanner),
                    "expected a variable's name after 'exists', found %s", scanner_shown(scanner));
        const char *name = scanner_copy(scanner);
        scanner_next(scanner);
        const struct sator_expr *value = NULL;
        if (scanner_accept(scanner, "="))
            SATOR_TRY(read_expr(scanner, &value));
        const struct sator_expr *var = sator_expr_var(scanner->arena, scope_add(scanner, name));
        if (value != NULL) /* no overflow: "var" is new, so no two numbers are added */
            SATOR_PUSH(scanner->arena, kids, n_kids,
                    sator_cond_compare(scanner->arena, SATOR_COND_EQUAL,
                            sator_expr_add(scanner->arena, value, -1, var)));
    } while (scanner_accept(scanner, ","));
    exists->n_vars = scanner->n_vars - exists->first_var;
    SATOR_TRY(scanner_expect(scanner, ":", "after the variables of 'exists'"));
    SATOR_TRY(read_cond(scanner, &inner));
    if (parenthesis)
        SATOR_TRY(scanner_expect(scanner, ")", "to close 'exists ('"));
    SATOR_PUSH(scanner->arena, kids, n_kids, inner);
    for (int i = exists->first_var; i < exists->first_var + exists->n_vars; i++)
        scanner->hidden[i] = true;
    inner = sator_cond_and(scanner->arena, n_kids, kids);
    exists->n_kids = 1;
    exists->kids = sator_arena_copy(scanner->arena, &inner, sizeof(const struct sator_cond *));
    *cond = exists;
done:
    return st;
}

static enum sator_status read_not(struct scanner *scanner, const struct sator_cond **cond);

static enum sator_status read_primary(struct scanner *scanner, const struct sator_cond **cond)
{
    enum sator_status st;

    if (scanner->depth >= DEEPEST)
        return sator_error(scanner->ctx, scanner_loc(scanner), "nested more than %d deep", DEEPEST);
    scanner->depth++;
    if (scanner_at(scanner, "exists")) {
        SATOR_TRY(read_exists(scanner, cond));
    } else if (scanner_at(scanner, "not")) {
        SATOR_TRY(read_not(scanner, cond));
    } else if (scanner_at(scanner, "true") || scanner_at(scanner, "false")) {
        const struct sator_expr *zero =
                sator_expr_constant(scanner->arena, scanner_at(scanner, "true") ? 0 : -1);
        scanner_next(scanner);
        *cond = sator_cond_compare(scanner->arena, SATOR_COND_AT_LEAST, zero);
        st = SATOR_OK;
    } else if (scanner_at(scanner, "(") && encloses_condition(scanner)) {
        scanner_next(scanner);
        SATOR_TRY(read_cond(scanner, cond));
        SATOR_TRY(scanner_expect(scanner, ")", "to close '('"));
    } else {
        SATOR_TRY(read_comparison(scanner, cond));
    }
done:
    scanner->depth--;
    return st;
}

static enum sator_status read_not(struct scanner *scanner, const struct sator_cond **cond)
{
    enum sator_status st;
    const struct sator_cond *kid = NULL;

    scanner_next(scanner);
    SATOR_TRY(read_primary(scanner, &kid));
    *cond = sator_cond_not(scanner->arena, kid);
done:
    return st;
}

static enum sator_status read_conjunction(struct scanner *scanner, const struct sator_cond **cond)
{
    enum sator_status st;
    const struct sator_cond **kids = NULL, *kid;
    int n_kids = 0;

    do {
        SATOR_TRY(read_primary(scanner, &kid));
        SATOR_PUSH(scanner->arena, kids, n_kids, kid);
    } while (scanner_accept(scanner, "and"));
    *cond = sator_cond_and(scanner->arena, n_kids, kids);
done:
    return st;
}

enum sator_status read_cond(struct scanner *scanner, const struct sator_cond **cond)
{
    enum sator_status st;
    const struct sator_cond **kids = NULL, *kid;
    int n_kids = 0;

    do {
        SATOR_TRY(read_conjunction(scanner, &kid));
        SATOR_PUSH(scanner->arena, kids, n_kids, kid);
    } while (scanner_accept(scanner, "or"));
    *cond = sator_cond_or(scanner->arena, n_kids, kids);
done:
    return st;
}
