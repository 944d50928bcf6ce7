/* The statement of a nest: which elements it writes and reads.
 *
 * An element that is only added to (Y[i] += e, Y[i] -= e, Y[i] = Y[i] + e, Y[i]++) is an
 * accumulation: a write of Y and no read, as in an einsum; what re-enters the array is counted as
 * partial sums. With any other operator the old value is a read like the others (C[i] *= beta, A[i]
 * = (A[i-1] + A[i]) / 2).
 */
#include "frontend/c/c_reader.h"

#include <string.h>

static const char STATEMENT_HELP[] =
        "supported: one statement such as Y[i][j] += A[i][k] * B[k][j]; with = or += and any "
        "arithmetic of array elements, scalars and functions of math.h";

static void read_value(
        struct c_reader *reader, const struct c_node *node, const struct c_node *skip);

/* ---- elements ---- */

/* The array under subscripts; the number of subscripts. */
static const struct c_node *array_of(const struct c_node *node, int *n_index)
{
    *n_index = 0;
    while (node->kind == C_SUBSCRIPT) {
        node = node->kids[0];
        (*n_index)++;
    }
    return node;
}

/* What keeps "base" from being an array's name. */
static void fault_base(
        struct c_reader *reader, const struct c_node *base, const struct c_node *access)
{
    if (base->kind == C_MEMBER)
        c_fault(reader, access->loc, "use one array for each member",
                "'%s' is the member of a structure, not an array", base->name);
    else if (base->kind == C_CALL)
        c_fault(reader, access->loc, "assign to an array's element, A[i] = ...",
                "what the call of '%s' returns is no array of this file",
                base->name ? base->name : "a function");
    else if (base->kind == C_OTHER)
        c_fault(reader, access->loc,
                "declare the array with the type of the elements that are used", "subscripts of %s",
                base->name);
    else
        c_fault(reader, access->loc,
                "write subscripts of the array itself: A[i][j] instead of *(A + i) and the like",
                "pointer arithmetic is not supported");
}

/* The declared extents of the "n" dimensions of "array" that subscripts choose from, dimension
 * "first" the outermost of them. */
static const int64_t *extents_of(
        struct c_reader *reader, const struct c_symbol *array, int first, int n)
{
    int64_t *extents = SATOR_NEW_ARRAY(reader->arena, int64_t, n + 1);

    for (int i = 0; i < n; i++)
        extents[i] = first + i < array->n_extents ? array->extents[first + i] : -1;
    return extents;
}

/* Record the access of an element; false after a fault. */
static bool add_element(struct c_reader *reader, const struct c_node *node, enum sator_role role)
{
    struct c_access access = {.role = role, .loc = node->loc};
    const struct c_node *base = array_of(node, &access.n_index);
    bool good = true, points = false;

    /* (*A)[i][j] with a pointer to a whole array is A[i][j]. */
    if (base->kind == C_UNARY && strcmp(base->op, "*") == 0 && base->kids[0]->kind == C_NAME) {
        base = base->kids[0];
        points = true;
    }
    if (base->kind != C_NAME || !base->symbol->is_array) {
        fault_base(reader, base, node);
        return false;
    }
    access.tensor = base->symbol;
    access.extents = extents_of(reader, access.tensor, points, access.n_index);
    access.index = SATOR_NEW_ARRAY(reader->arena, const struct sator_expr *, access.n_index);
    access.index_loc = SATOR_NEW_ARRAY(reader->arena, struct sator_loc, access.n_index);
    for (int i = access.n_index - 1; i >= 0; i--) {
        access.index[i] = c_affine(reader, node->kids[1], "subscript");
        access.index_loc[i] = node->kids[1]->loc;
        good = good && access.index[i];
        node = node->kids[0];
    }
    if (good)
        SATOR_PUSH(reader->arena, reader->accesses, reader->n_accesses, access);
    return good;
}

/* ---- values ---- */

/* Functions whose result depends on their arguments alone: those of math.h and the like, for any
 * type. */
static bool is_pure_name(const char *name)
{
    static const char *const names[] = {"sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2",
            "log10", "log1p", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
            "cosh", "tanh", "asinh", "acosh", "atanh", "fabs", "abs", "labs", "llabs", "fmin",
            "fmax", "fma", "fmod", "remainder", "floor", "ceil", "round", "trunc", "rint",
            "nearbyint", "lround", "lrint", "erf", "erfc", "tgamma", "lgamma", "hypot", "copysign",
            "fdim", "ldexp", "min", "max", "isnan", "isinf", "isfinite", "signbit", "inf",
            "huge_val", "nan", "rsqrt"};
    size_t length;

    if (strncmp(name, "__builtin_", 10) == 0)
        name += 10;
    else if (strncmp(name, "__tg_", 5) == 0) /* tgmath.h */
        name += 5;
    length = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t known = strlen(names[i]);
        bool suffix = length == known ||
                (length == known + 1 && (name[known] == 'f' || name[known] == 'l'));
        if (suffix && strncmp(name, names[i], known) == 0)
            return true;
    }
    return false;
}

static void read_call(struct c_reader *reader, const struct c_node *node, const struct c_node *skip)
{
    bool known = node->symbol && (node->symbol->is_pure || is_pure_name(node->symbol->name));

    if (!known) {
        c_fault(reader, node->loc,
                "supported: functions of math.h, and those declared with "
                "__attribute__((const)); or write its expression here",
                "what '%s' reads and writes is not known",
                node->name && *node->name ? node->name : "a function");
        return;
    }
    for (int i = 0; i < node->n_kids; i++)
        read_value(reader, node->kids[i], skip);
}

/* Whether two expressions are the same text of names, numbers and operators. */
static bool same(const struct c_node *a, const struct c_node *b)
{
    if (a->kind != b->kind || a->n_kids != b->n_kids || a->symbol != b->symbol ||
            a->value != b->value || (a->op && strcmp(a->op, b->op) != 0))
        return false;
    for (int i = 0; i < a->n_kids; i++)
        if (!same(a->kids[i], b->kids[i]))
            return false;
    return a->kind != C_OTHER && a->kind != C_NUMBER;
}

static bool contains(const struct c_node *tree, const struct c_node *element)
{
    if (same(tree, element))
        return true;
    for (int i = 0; i < tree->n_kids; i++)
        if (contains(tree->kids[i], element))
            return true;
    return false;
}

/* Whether all elements that "node" reads are read in "always" too. */
static bool reads_no_more(const struct c_node *node, const struct c_node *always)
{
    if (node->kind == C_SUBSCRIPT)
        return contains(always, node);
    for (int i = 0; i < node->n_kids; i++)
        if (!reads_no_more(node->kids[i], always))
            return false;
    return true;
}

/* x > 0 ? x : 0 reads the same in each instance; A[i] > 0 ? B[i] : 0 does not. */
static void read_choice(
        struct c_reader *reader, const struct c_node *node, const struct c_node *skip)
{
    for (int i = 1; i < node->n_kids; i++)
        if (!reads_no_more(node->kids[i], node->kids[0])) {
            c_fault(reader, node->kids[i]->loc,
                    "supported: a choice among elements that its condition reads, as in "
                    "A[i] > 0 ? A[i] : 0; or fmax and fmin",
                    "which elements are read depends on a condition");
            return;
        }
    read_value(reader, node->kids[0], skip);
}

/* A scalar that the loops compute carries elements from elsewhere, which this statement would hide.
 */
static bool computes(const struct c_node *node, const struct c_symbol *symbol)
{
    if (!node)
        return false;
    if ((node->kind == C_ASSIGN ||
                (node->kind == C_UNARY &&
                        (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0))) &&
            node->kids[0]->kind == C_NAME && node->kids[0]->symbol == symbol)
        return true;
    if (node->kind == C_VARIABLE && node->symbol == symbol && node->n_kids > 0)
        return true;
    for (int i = 0; i < node->n_kids; i++)
        if (computes(node->kids[i], symbol))
            return true;
    return false;
}

static void read_scalar(struct c_reader *reader, const struct c_node *node)
{
    const char *message;

    if (node->symbol->is_array) {
        c_fault(reader, node->loc, "supported: its elements, A[i]",
                "the array '%s' as a whole is no value", node->symbol->name);
        return;
    }
    for (int i = 0; i < reader->n_loops; i++)
        if (reader->iterators[i] == node->symbol)
            return;
    message = sator_arena_printf(
            reader->arena, "the scalar '%s' is computed inside the loops", node->symbol->name);
    if (computes(reader->nest->loops[0]->kids[3], node->symbol) && !c_has_fault(reader, message))
        c_fault(reader, node->loc,
                "write the expression in its place, or keep the value in an array's element", "%s",
                message);
}

static void read_unary(
        struct c_reader *reader, const struct c_node *node, const struct c_node *skip)
{
    if (strcmp(node->op, "*") == 0 || strcmp(node->op, "&") == 0)
        c_fault(reader, node->loc,
                "write subscripts of the array itself: A[i][j] instead of *(A + i) and the like",
                "pointer arithmetic is not supported");
    else if (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0)
        c_fault(reader, node->loc, STATEMENT_HELP, "'%s' inside an expression", node->op);
    else
        read_value(reader, node->kids[0], skip);
}

static void read_binary(
        struct c_reader *reader, const struct c_node *node, const struct c_node *skip)
{
    if (strcmp(node->op, ",") == 0) {
        c_fault(reader, node->loc, STATEMENT_HELP, "several expressions joined by commas");
        return;
    }
    if ((strcmp(node->op, "&&") == 0 || strcmp(node->op, "||") == 0) &&
            !reads_no_more(node->kids[1], node->kids[0])) {
        c_fault(reader, node->kids[1]->loc, "use & and |, which always read both sides",
                "which elements are read depends on a condition");
        return;
    }
    read_value(reader, node->kids[0], skip);
    read_value(reader, node->kids[1], skip);
}

/* Record what an expression reads; the node "skip" is the accumulated element. */
static void read_value(
        struct c_reader *reader, const struct c_node *node, const struct c_node *skip)
{
    if (node == skip)
        return;
    switch (node->kind) {
    case C_INT:
    case C_NUMBER:
        return;
    case C_NAME:
        read_scalar(reader, node);
        return;
    case C_SUBSCRIPT:
        add_element(reader, node, SATOR_READ);
        return;
    case C_BINARY:
        read_binary(reader, node, skip);
        return;
    case C_UNARY:
        read_unary(reader, node, skip);
        return;
    case C_CHOICE:
        read_choice(reader, node, skip);
        return;
    case C_CALL:
        read_call(reader, node, skip);
        return;
    case C_MEMBER:
        fault_base(reader, node, node);
        return;
    case C_ASSIGN:
        c_fault(reader, node->loc, STATEMENT_HELP, "an assignment inside an expression");
        return;
    default:
        c_fault(reader, node->loc, STATEMENT_HELP, "%s in the statement",
                node->name ? node->name : "something that is not supported");
        return;
    }
}

/* ---- the statement ---- */

/* The term of the sum "node" that is the element "target" and is added; NULL when there is none. */
static const struct c_node *added_term(const struct c_node *node, const struct c_node *target)
{
    const struct c_node *term;

    if (same(node, target))
        return node;
    if (node->kind != C_BINARY || (strcmp(node->op, "+") != 0 && strcmp(node->op, "-") != 0))
        return NULL;
    term = added_term(node->kids[0], target);
    if (!term && node->op[0] == '+')
        term = added_term(node->kids[1], target);
    return term;
}

static int count_same(const struct c_node *node, const struct c_node *target)
{
    int count = same(node, target);

    for (int i = 0; i < node->n_kids; i++)
        count += count_same(node->kids[i], target);
    return count;
}

static void read_assignment(struct c_reader *reader, const struct c_node *node)
{
    const struct c_node *target = node->kids[0];
    const struct c_node *term = NULL;

    if (target->kind == C_NAME && !target->symbol->is_array)
        c_fault(reader, target->loc,
                "write to an element instead, for example Y[0] or Y[i]: a scalar has no place in "
                "the "
                "array of PEs",
                "the statement writes the scalar '%s'", target->symbol->name);
    else if (target->kind != C_SUBSCRIPT)
        fault_base(reader, target, target);
    else {
        add_element(reader, target, SATOR_WRITE);
        if (strcmp(node->op, "=") == 0) {
            term = added_term(node->kids[1], target);
            /* Y = Y + Y * e needs the old value beside the sum. */
            if (term && count_same(node->kids[1], target) != 1)
                term = NULL;
        } else if (strcmp(node->op, "+=") != 0 && strcmp(node->op, "-=") != 0) {
            add_element(reader, target, SATOR_READ);
        }
    }
    if (node->kids[1]->kind == C_ASSIGN)
        c_fault(reader, node->kids[1]->loc, STATEMENT_HELP, "several assignments in one statement");
    else
        read_value(reader, node->kids[1], term);
}

void c_read_statement(struct c_reader *reader)
{
    const struct c_node *node = reader->nest->statement;

    if (node->kind == C_ASSIGN) {
        read_assignment(reader, node);
    } else if (node->kind == C_UNARY &&
            (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0)) {
        if (node->kids[0]->kind == C_SUBSCRIPT)
            add_element(reader, node->kids[0], SATOR_WRITE);
        else
            c_fault(reader, node->loc, STATEMENT_HELP, "the statement writes no array's element");
    } else if (node->kind == C_BINARY && strcmp(node->op, ",") == 0) {
        c_fault(reader, node->loc,
                sator_arena_printf(reader->arena,
                        "write each as a statement of its own and choose one with %s",
                        sator_word(reader->ctx, "nest")),
                "several statements joined by commas");
    } else if (node->kind == C_CALL) {
        read_call(reader, node, NULL);
        if (reader->n_faults == 0)
            c_fault(reader, node->loc, STATEMENT_HELP, "the statement writes no array's element");
    } else {
        c_fault(reader, node->loc, STATEMENT_HELP, "the statement writes no array's element");
    }
}
