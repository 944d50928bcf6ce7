/* Bounds and subscripts as quasi-affine expressions over the loops. */
#include "frontend/c/c_reader.h"

#include <string.h>

static const char AFFINE_HELP[] =
        "supported: sums of iterators times constants, and / and % by positive constants";
static const char MIN_MAX_HELP[] =
        "split the loop where the two sides meet, or give the domain in a YAML workload: "
        "domain: \"{ S[i] : i < 8 and i < 4 }\"";

static const struct sator_expr *too_large(struct c_reader *reader, const struct c_node *node)
{
    c_fault(reader, node->loc, NULL, "a number here does not fit into 64 bits");
    return NULL;
}

static bool is_one_of(const char *op, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(op, *list) == 0)
            return true;
    return false;
}

/* An integer whose value is not known. */
static void fault_symbol(struct c_reader *reader, const struct c_node *node)
{
    const struct c_symbol *symbol = node->symbol;
    const char *help = sator_arena_printf(reader->arena,
            "give it one: %s sizes.%s=64, or write a constant or a macro (%s) in its place",
            sator_word(reader->ctx, "sets"), symbol->name, sator_word(reader->ctx, "defines"));
    const char *message = sator_arena_printf(reader->arena,
            symbol->n_writes > 0 && symbol->parameter < 0
                    ? "'%s' is no iterator of this nest and no constant: the file changes it"
                    : "'%s' has no constant value",
            symbol->name);

    if (!c_has_fault(reader, message))
        c_fault(reader, node->loc, help, "%s", message);
}

static const struct sator_expr *affine_name(
        struct c_reader *reader, const struct c_node *node, const char *what)
{
    struct c_symbol *symbol = node->symbol;
    int64_t value = 0;

    for (int i = 0; i < reader->n_loops; i++)
        if (reader->iterators[i] == symbol)
            return sator_expr_var(reader->arena, i);
    if (c_symbol_value(reader, symbol, &value))
        return sator_expr_constant(reader->arena, value);
    if (symbol->is_integer) {
        fault_symbol(reader, node);
    } else if (symbol->is_array) {
        c_fault(reader, node->loc,
                "write subscripts of the array itself: A[i][j] instead of *(A + i) and the like",
                "pointer arithmetic with '%s'", symbol->name);
    } else {
        c_fault(reader, node->loc, AFFINE_HELP, "'%s' is no integer: the %s is not affine",
                symbol->name, what);
    }
    return NULL;
}

/* left * right, one of them constant. */
static const struct sator_expr *affine_product(struct c_reader *reader, const struct c_node *node,
        const char *what, const struct sator_expr *left, const struct sator_expr *right)
{
    const struct sator_expr *product;

    if (!sator_expr_is_constant(left) && !sator_expr_is_constant(right)) {
        c_fault(reader, node->loc,
                "supported: an iterator times a constant; a two-dimensional array A[i][j] needs no "
                "products",
                "a product of iterators: the %s is not affine", what);
        return NULL;
    }
    if (sator_expr_is_constant(left)) {
        const struct sator_expr *swap = left;
        left = right;
        right = swap;
    }
    product = sator_expr_add(
            reader->arena, sator_expr_constant(reader->arena, 0), right->constant, left);
    return product ? product : too_large(reader, node);
}

static bool may_be_negative(const struct c_reader *reader, const struct sator_expr *expr)
{
    int64_t least = 0, greatest = 0;

    return reader->bounded &&
            (!sator_expr_range(expr, reader->least, reader->greatest, &least, &greatest) ||
                    least < 0);
}

/* left / right and left % right. C rounds towards zero and the model towards minus infinity: equal
 * where the left side is never negative. */
static const struct sator_expr *affine_division(struct c_reader *reader, const struct c_node *node,
        const char *what, const struct sator_expr *left, const struct sator_expr *right)
{
    const struct sator_expr *result;

    if (!sator_expr_is_constant(right) || right->constant <= 0) {
        c_fault(reader, node->kids[1]->loc, AFFINE_HELP,
                "'%s' by something that is no positive constant: the %s is not affine", node->op,
                what);
        return NULL;
    }
    if (may_be_negative(reader, left)) {
        c_fault(reader, node->kids[0]->loc,
                "C rounds towards zero, which is affine only where the left side is never negative",
                "the left side of '%s' may be negative", node->op);
        return NULL;
    }
    result = node->op[0] == '/' ? sator_expr_floor(reader->arena, left, right->constant)
                                : sator_expr_mod(reader->arena, left, right->constant);
    return result ? result : too_large(reader, node);
}

static const struct sator_expr *affine_shift(struct c_reader *reader, const struct c_node *node,
        const char *what, const struct sator_expr *left, const struct sator_expr *right)
{
    const struct sator_expr *result;

    if (!sator_expr_is_constant(right) || right->constant < 0 || right->constant > 62) {
        c_fault(reader, node->kids[1]->loc, AFFINE_HELP,
                "a shift by something that is no constant: the %s is not affine", what);
        return NULL;
    }
    if (node->op[0] == '>' && node->kids[0]->limits.to_unsigned && may_be_negative(reader, left)) {
        c_fault(reader, node->kids[0]->loc, "shift numbers of signed types",
                "the left side of '>>' is unsigned and may be negative: a large number then");
        return NULL;
    }
    if (node->op[0] == '<')
        result = sator_expr_add(reader->arena, sator_expr_constant(reader->arena, 0),
                (int64_t)1 << right->constant, left);
    else
        result = sator_expr_floor(reader->arena, left, (int64_t)1 << right->constant);
    return result ? result : too_large(reader, node);
}

static const struct sator_expr *affine_binary(
        struct c_reader *reader, const struct c_node *node, const char *what)
{
    static const char *const known[] = {"+", "-", "*", "/", "%", "<<", ">>", NULL};
    const struct sator_expr *left;
    const struct sator_expr *right;
    const struct sator_expr *sum;

    if (!is_one_of(node->op, known)) {
        c_fault(reader, node->loc, AFFINE_HELP, "'%s' is not affine in a %s", node->op, what);
        return NULL;
    }
    left = c_affine(reader, node->kids[0], what);
    right = c_affine(reader, node->kids[1], what);
    if (!left || !right)
        return NULL;
    if (strcmp(node->op, "*") == 0)
        return affine_product(reader, node, what, left, right);
    if (strcmp(node->op, "/") == 0 || strcmp(node->op, "%") == 0)
        return affine_division(reader, node, what, left, right);
    if (strcmp(node->op, "<<") == 0 || strcmp(node->op, ">>") == 0)
        return affine_shift(reader, node, what, left, right);
    sum = sator_expr_add(reader->arena, left, node->op[0] == '+' ? 1 : -1, right);
    return sum ? sum : too_large(reader, node);
}

static const struct sator_expr *affine_unary(
        struct c_reader *reader, const struct c_node *node, const char *what)
{
    const struct sator_expr *kid;
    const struct sator_expr *negative;

    if (strcmp(node->op, "+") == 0 || strcmp(node->op, "__extension__") == 0)
        return c_affine(reader, node->kids[0], what);
    if (strcmp(node->op, "-") != 0) {
        c_fault(reader, node->loc, AFFINE_HELP, "'%s' is not affine in a %s", node->op, what);
        return NULL;
    }
    kid = c_affine(reader, node->kids[0], what);
    if (!kid)
        return NULL;
    negative = sator_expr_add(reader->arena, sator_expr_constant(reader->arena, 0), -1, kid);
    return negative ? negative : too_large(reader, node);
}

static bool is_min_max(const char *name)
{
    return name &&
            (strstr(name, "min") || strstr(name, "max") || strstr(name, "MIN") ||
                    strstr(name, "MAX"));
}

/* ---- types ---- */

/* Whether the types of "node" leave its values as they are. */
static void check_limits(struct c_reader *reader, const struct c_unchecked *unchecked)
{
    const struct c_limits *limits = &unchecked->node->limits;
    int64_t least = 0, greatest = 0;
    bool known =
            sator_expr_range(unchecked->expr, reader->least, reader->greatest, &least, &greatest);

    if (known && unchecked->is_compared && limits->to_unsigned && least < 0)
        c_fault(reader, unchecked->node->loc, "compare numbers of signed types",
                "this becomes unsigned, and is negative at times: a large number then");
    else if (!known || least < limits->least || greatest > limits->most)
        c_fault(reader, unchecked->node->loc, "use int or long for iterators, sizes and subscripts",
                "the type of this is too narrow for its values, which wrap around");
}

void c_check_waiting(struct c_reader *reader, int64_t step)
{
    int var = reader->n_bounded++;
    int64_t least = reader->least[var], greatest = reader->greatest[var];

    reader->least[var] += step < 0 ? step : 0;
    reader->greatest[var] += step > 0 ? step : 0;
    for (int i = 0; i < reader->n_unchecked; i++)
        check_limits(reader, &reader->unchecked[i]);
    reader->n_unchecked = 0;
    reader->least[var] = least;
    reader->greatest[var] = greatest;
}

/* Check the types of an expression, as soon as the bounds of its iterators are known. */
static void check_types(struct c_reader *reader, const struct c_node *node,
        const struct sator_expr *expr, const char *what)
{
    const struct c_limits *limits = &node->limits;
    struct c_unchecked unchecked = {node, expr, strcmp(what, "bound") == 0};

    if (!reader->bounded ||
            (limits->least == INT64_MIN && limits->most == INT64_MAX && !limits->to_unsigned))
        return;
    if (reader->n_bounded < reader->n_loops && sator_expr_has_var(expr, reader->n_bounded))
        SATOR_PUSH(reader->arena, reader->unchecked, reader->n_unchecked, unchecked);
    else
        check_limits(reader, &unchecked);
}

/* ---- expressions of any kind ---- */

static const struct sator_expr *affine(
        struct c_reader *reader, const struct c_node *node, const char *what)
{
    switch (node->kind) {
    case C_INT:
        return sator_expr_constant(reader->arena, node->value);
    case C_NAME:
        return affine_name(reader, node, what);
    case C_BINARY:
        return affine_binary(reader, node, what);
    case C_UNARY:
        return affine_unary(reader, node, what);
    case C_CHOICE:
        c_fault(reader, node->loc, MIN_MAX_HELP, "a minimum, maximum or choice in a %s", what);
        return NULL;
    case C_CALL:
        if (is_min_max(node->name))
            c_fault(reader, node->loc, MIN_MAX_HELP, "a minimum or maximum in a %s", what);
        else
            c_fault(reader, node->loc, AFFINE_HELP, "a call of '%s' in a %s", node->name, what);
        return NULL;
    case C_SUBSCRIPT:
        c_fault(reader, node->loc,
                "supported: affine expressions of the iterators; which elements an indirect access "
                "touches is not known before it runs",
                "the %s reads an array", what);
        return NULL;
    case C_ASSIGN:
        c_fault(reader, node->loc, AFFINE_HELP, "an assignment in a %s", what);
        return NULL;
    case C_NUMBER:
        c_fault(reader, node->loc, AFFINE_HELP, "a number that is no integer in a %s", what);
        return NULL;
    default:
        c_fault(reader, node->loc, AFFINE_HELP, "%s in a %s",
                node->name ? node->name : "something that is not affine", what);
        return NULL;
    }
}

const struct sator_expr *c_affine(
        struct c_reader *reader, const struct c_node *node, const char *what)
{
    const struct sator_expr *expr = affine(reader, node, what);

    if (expr)
        check_types(reader, node, expr, what);
    return expr;
}
