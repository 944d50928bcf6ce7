/* Quasi-affine expressions: sums and products with constants, "/" (floors) and "%" by positive
 * constants, floor(e/c), fl(e/c), floord(e, c), "e mod c", and isl's implicit products "2i". */
#include "relation/scanner.h"

#include <string.h>

int scope_add(struct scanner *scanner, const char *name)
{
    int n_hidden = scanner->n_vars;

    SATOR_PUSH(scanner->arena, scanner->hidden, n_hidden, false);
    SATOR_PUSH(scanner->arena, scanner->var_names, scanner->n_vars, name);
    return scanner->n_vars - 1;
}

int scope_find(const struct scanner *scanner, const char *name, size_t length)
{
    for (int i = scanner->n_vars - 1; i >= 0; i--) {
        if (!scanner->hidden[i] && strlen(scanner->var_names[i]) == length &&
                memcmp(scanner->var_names[i], name, length) == 0)
            return i;
    }
    return -1;
}

static enum sator_status too_large(struct scanner *scanner, struct sator_loc loc)
{
    return sator_error(scanner->ctx, loc, "a number in this expression does not fit into 64 bits");
}

static struct sator_loc since(const struct scanner *scanner, struct sator_loc start)
{
    start.length = (size_t)(scanner->previous_end - scanner->source->text) - start.offset;
    return start;
}

static enum sator_status unknown_name(struct scanner *scanner)
{
    const char *name = scanner_copy(scanner);
    const char **visible = SATOR_NEW_ARRAY(scanner->arena, const char *, scanner->n_vars + 1);
    int n_visible = 0;

    for (int i = 0; i < scanner->n_vars; i++) {
        if (!scanner->hidden[i])
            visible[n_visible++] = scanner->var_names[i];
        if (strcmp(scanner->var_names[i], "?") == 0)
            return SATOR_INPUT; /* it stands for a name that was no name: this may be that one */
    }
    enum sator_status st = sator_error(
            scanner->ctx, scanner_loc(scanner), "unknown name '%s' in an expression", name);
    if (n_visible == 0)
        sator_help(scanner->ctx, "only numbers are possible here");
    else
        sator_help_names(scanner->ctx, name, visible, n_visible);
    return st;
}

static enum sator_status read_sum(struct scanner *scanner, const struct sator_expr **expr);

/* A divisor as "read" reads it; where extents that are not known yet make it no positive number,
 * 1. */
static enum sator_status read_divisor(struct scanner *scanner,
        enum sator_status (*read)(struct scanner *scanner, const struct sator_expr **expr),
        const struct sator_expr **divisor)
{
    int guesses = scanner->guesses;
    enum sator_status st = read(scanner, divisor);

    if (st == SATOR_OK && scanner->guesses > guesses && sator_expr_is_constant(*divisor) &&
            (*divisor)->constant <= 0)
        *divisor = sator_expr_constant(scanner->arena, 1);
    return st;
}

/* ---- extents of arrays ---- */

static bool are_unknown(const struct scanner *scanner)
{
    return scanner->extents != NULL && scanner->extents->n_arrays < 0;
}

static const char all_arrays[] = "shape";

/* The arrays that "name" of "length" bytes stands for, from "*first" on; how many. */
static int find_arrays(
        const struct sator_extents *extents, const char *name, size_t length, int *first)
{
    for (int i = 0; i < extents->n_arrays; i++) {
        *first = i;
        if (strlen(extents->arrays[i].name) == length &&
                memcmp(extents->arrays[i].name, name, length) == 0)
            return 1;
    }
    *first = 0;
    return strlen(all_arrays) == length && memcmp(all_arrays, name, length) == 0 ? extents->n_arrays
                                                                                 : 0;
}

static enum sator_status unknown_array(
        struct scanner *scanner, struct sator_loc loc, const char *name)
{
    const struct sator_extents *extents = scanner->extents;
    const char **names = SATOR_NEW_ARRAY(scanner->arena, const char *, extents->n_arrays + 1);

    for (int i = 0; i < extents->n_arrays; i++)
        names[i] = extents->arrays[i].name;
    names[extents->n_arrays] = all_arrays;
    loc.length = strlen(name);
    enum sator_status st =
            sator_error(scanner->ctx, loc, "the architecture has no array '%s'", name);
    sator_help_names(scanner->ctx, name, names, extents->n_arrays + 1);
    return st;
}

/* Dimension "dim" of the "n" arrays from "first" on; NULL when they have fewer. */
static const int64_t *find_extent(const struct sator_extents *extents, int first, int n, int dim)
{
    for (int i = first; i < first + n; i++) {
        if (dim < extents->arrays[i].n_dims)
            return &extents->arrays[i].shape[dim];
        dim -= extents->arrays[i].n_dims;
    }
    return NULL;
}

static int count_dims(const struct sator_extents *extents, int first, int n)
{
    int n_dims = 0;

    for (int i = first; i < first + n; i++)
        n_dims += extents->arrays[i].n_dims;
    return n_dims;
}

static enum sator_status no_dimension(
        struct scanner *scanner, struct sator_loc loc, const char *name, int n_dims)
{
    return sator_error(scanner->ctx, loc, "'%s' has %d dimension%s here, counted from 0", name,
            n_dims, n_dims == 1 ? "" : "s");
}

/* "PE.0", which the token is all of: a number. While the arrays are not known it is read as 1. */
static enum sator_status read_extent(
        struct scanner *scanner, size_t name_length, int dim, const struct sator_expr **expr)
{
    const struct sator_extents *extents = scanner->extents;
    struct sator_loc loc = scanner_loc(scanner);
    const char *name = sator_arena_strndup(scanner->arena, scanner->token.text, name_length);
    int64_t value = 1;
    int first = 0;

    if (extents == NULL) {
        enum sator_status st = sator_error(scanner->ctx, loc,
                "%s: no extents of arrays can stand here", scanner_shown(scanner));
        sator_help(scanner->ctx,
                "the space- and time-stamps of a dataflow may have them, but not in isl's "
                "notation");
        return st;
    }
    if (dim < 0) {
        sator_error(scanner->ctx, loc, "expected the number of a dimension after '%s.'", name);
        sator_help(scanner->ctx, "such as '%s.0', the extent of the first", name);
        return SATOR_INPUT;
    }
    if (are_unknown(scanner)) {
        scanner->guesses++;
    } else {
        int n = find_arrays(extents, name, name_length, &first);
        if (n == 0)
            return unknown_array(scanner, loc, name);
        const int64_t *extent = find_extent(extents, first, n, dim);
        if (extent == NULL)
            return no_dimension(scanner, loc, name, count_dims(extents, first, n));
        value = *extent;
    }
    scanner_next(scanner);
    *expr = sator_expr_constant(scanner->arena, value);
    return SATOR_OK;
}

/* ---- names ---- */

/* floor(e/c), fl(e/c): the division inside floors already, so the whole must be over one divisor.
 */
static enum sator_status read_floor(struct scanner *scanner, const struct sator_expr **expr)
{
    enum sator_status st;
    int outer = scanner->divisions;
    struct sator_loc start = scanner_loc(scanner);

    scanner_next(scanner);
    SATOR_TRY(scanner_expect(scanner, "(", "after 'floor'"));
    scanner->divisions = 0;
    SATOR_TRY(read_sum(scanner, expr));
    SATOR_TRY(scanner_expect(scanner, ")", "to close 'floor('"));
    if (scanner->divisions > 1) {
        st = sator_error(
                scanner->ctx, since(scanner, start), "several divisions inside one floor()");
        sator_help(scanner->ctx,
                "write it over one divisor, floor((3*i + 2*j)/6), or floor each quotient by "
                "itself");
    }
done:
    scanner->divisions = outer;
    return st;
}

/* floord(e, c) as CLooG and PolyBench write it. */
static enum sator_status read_floord(struct scanner *scanner, const struct sator_expr **expr)
{
    enum sator_status st;
    const struct sator_expr *divisor;

    scanner_next(scanner);
    SATOR_TRY(scanner_expect(scanner, "(", "after 'floord'"));
    SATOR_TRY(read_sum(scanner, expr));
    SATOR_TRY(scanner_expect(scanner, ",", "between floord's arguments"));
    struct sator_loc loc = scanner_loc(scanner);
    SATOR_TRY(read_divisor(scanner, read_sum, &divisor));
    if (!sator_expr_is_constant(divisor) || divisor->constant <= 0)
        return sator_error(
                scanner->ctx, since(scanner, loc), "the divisor must be a positive constant");
    SATOR_TRY(scanner_expect(scanner, ")", "to close 'floord('"));
    *expr = sator_expr_floor(scanner->arena, *expr, divisor->constant);
    if (*expr == NULL)
        st = too_large(scanner, loc);
done:
    return st;
}

/* Whether the keyword at hand is meant as a loop: a C file or a relation may call one by a word of
 * the notation; expressions cannot, as isl's cannot. */
static bool at_loop_called_by_word(const struct scanner *scanner)
{
    struct scanner ahead = *scanner;

    if (scope_find(scanner, scanner->token.text, scanner->token.length) < 0)
        return false;
    scanner_next(&ahead);
    return !scanner_at(&ahead, "(");
}

static enum sator_status called_by_word(struct scanner *scanner)
{
    enum sator_status st = sator_error(scanner->ctx, scanner_loc(scanner),
            "%s is a word of the notation, which names no loop", scanner_shown(scanner));

    sator_help(scanner->ctx, "give the loop another name where it is declared");
    return st;
}

static enum sator_status read_variable(struct scanner *scanner, const struct sator_expr **expr)
{
    int var = scope_find(scanner, scanner->token.text, scanner->token.length);

    if (var < 0)
        return unknown_name(scanner);
    scanner_next(scanner);
    *expr = sator_expr_var(scanner->arena, var);
    return SATOR_OK;
}

/* Whether a keyword is a function's, which expressions have or are told that they have not. */
static bool is_function(const struct scanner *scanner)
{
    static const char *const functions[] = {"floor", "fl", "floord", "ceil", "min", "max"};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (scanner_at(scanner, functions[i]))
            return true;
    }
    return false;
}

static enum sator_status read_function(struct scanner *scanner, const struct sator_expr **expr)
{
    if (scanner_at(scanner, "floor") || scanner_at(scanner, "fl"))
        return read_floor(scanner, expr);
    if (scanner_at(scanner, "floord"))
        return read_floord(scanner, expr);
    if (scanner_at(scanner, "ceil")) {
        enum sator_status st =
                sator_error(scanner->ctx, scanner_loc(scanner), "ceil() is not supported");
        sator_help(scanner->ctx, "write floor((e + c - 1)/c) for ceil(e/c)");
        return st;
    }
    return sator_error(scanner->ctx, scanner_loc(scanner),
            "%s is not affine: write it as conditions", scanner_shown(scanner));
}

/* A number, a name, an array's extent, a parenthesised sum, or one of them with a sign. */
static enum sator_status read_factor(struct scanner *scanner, const struct sator_expr **expr)
{
    enum sator_status st;
    size_t name_length = scanner->token.length;
    int dim;

    if (scanner_widen_name(scanner, &dim))
        return read_extent(scanner, name_length, dim, expr);
    struct sator_loc loc = scanner_loc(scanner);
    if (scanner->token.kind == TOKEN_NUMBER) {
        if (scanner->token.too_large)
            return too_large(scanner, loc);
        *expr = sator_expr_constant(scanner->arena, scanner->token.value);
        scanner_next(scanner);
        return SATOR_OK;
    }
    if (scanner->token.kind == TOKEN_NAME) {
        if (!scanner_is_keyword(&scanner->token))
            return read_variable(scanner, expr);
        if (at_loop_called_by_word(scanner))
            return called_by_word(scanner);
        if (is_function(scanner))
            return read_function(scanner, expr);
    }
    bool minus = scanner_at(scanner, "-");
    if (!minus && !scanner_at(scanner, "+") && !scanner_at(scanner, "("))
        return sator_error(
                scanner->ctx, loc, "expected an expression, found %s", scanner_shown(scanner));
    if (scanner->depth >= DEEPEST)
        return sator_error(scanner->ctx, loc, "nested more than %d deep", DEEPEST);
    scanner->depth++;
    if (scanner_accept(scanner, "(")) {
        SATOR_TRY(read_sum(scanner, expr));
        SATOR_TRY(scanner_expect(scanner, ")", "to close '('"));
    } else {
        scanner_next(scanner);
        SATOR_TRY(read_factor(scanner, expr));
        const struct sator_expr *zero = sator_expr_constant(scanner->arena, 0);
        if (minus)
            *expr = sator_expr_add(scanner->arena, zero, -1, *expr);
        if (*expr == NULL)
            st = too_large(scanner, loc);
    }
done:
    scanner->depth--;
    return st;
}

static enum sator_status not_affine(
        struct scanner *scanner, struct sator_loc loc, const char *what, const char *help)
{
    enum sator_status st = sator_error(scanner->ctx, loc, "%s is not affine", what);

    sator_help(scanner->ctx, "%s", help);
    return st;
}

/* *left = *left op right, where op is * / % mod. */
static enum sator_status apply(struct scanner *scanner, char op, struct sator_loc loc,
        const struct sator_expr **left, const struct sator_expr *right)
{
    struct sator_arena *arena = scanner->arena;

    if (op == '*') {
        if (!sator_expr_is_constant(*left) && !sator_expr_is_constant(right))
            return not_affine(scanner, loc, "a product of two expressions",
                    "one factor of '*' must be a constant");
        const struct sator_expr *zero = sator_expr_constant(arena, 0);
        *left = sator_expr_is_constant(right)
                ? sator_expr_add(arena, zero, right->constant, *left)
                : sator_expr_add(arena, zero, (*left)->constant, right);
        return *left == NULL ? too_large(scanner, loc) : SATOR_OK;
    }
    if (!sator_expr_is_constant(right))
        return not_affine(scanner, loc,
                op == '/' ? "a quotient by a variable" : "a remainder by a variable",
                "the divisor of '/' and '%' must be a positive constant");
    if (right->constant <= 0)
        return sator_error(
                scanner->ctx, loc, "the divisor %lld is not positive", (long long)right->constant);
    *left = op == '/' ? sator_expr_floor(arena, *left, right->constant)
                      : sator_expr_mod(arena, *left, right->constant);
    return *left == NULL ? too_large(scanner, loc) : SATOR_OK;
}

/* The operator at the scanner: '*', '/', '%', or 0; *implicit for a number directly before a name
 * or '('. */
static char product_operator(struct scanner *scanner, bool after_number, bool *implicit)
{
    const struct token *token = &scanner->token;

    *implicit = false;
    if (scanner_at(scanner, "mod"))
        return '%';
    if (token->kind == TOKEN_SYMBOL && token->length == 1 && strchr("*/%", *token->text) != NULL)
        return *token->text;
    bool names = token->kind == TOKEN_NAME &&
            (!scanner_is_keyword(token) || scanner_at(scanner, "floor"));
    if (after_number && (names || scanner_at(scanner, "("))) {
        *implicit = true;
        return '*';
    }
    return 0;
}

static enum sator_status read_product(struct scanner *scanner, const struct sator_expr **expr)
{
    enum sator_status st;
    struct sator_loc start = scanner_loc(scanner);
    bool after_number = scanner->token.kind == TOKEN_NUMBER, divided = false, implicit;
    char op;

    SATOR_TRY(read_factor(scanner, expr));
    while ((op = product_operator(scanner, after_number, &implicit)) != 0) {
        const struct sator_expr *right = NULL;
        if (!implicit)
            scanner_next(scanner);
        after_number = scanner->token.kind == TOKEN_NUMBER;
        if (op == '*')
            SATOR_TRY(read_factor(scanner, &right));
        else
            SATOR_TRY(read_divisor(scanner, read_factor, &right));
        scanner->divisions += op == '/' || (op == '*' && divided);
        divided |= op == '/';
        SATOR_TRY(apply(scanner, op, since(scanner, start), expr, right));
    }
done:
    return st;
}

static enum sator_status read_sum(struct scanner *scanner, const struct sator_expr **expr)
{
    enum sator_status st;
    struct sator_loc start = scanner_loc(scanner);

    SATOR_TRY(read_product(scanner, expr));
    while (scanner_at(scanner, "+") || scanner_at(scanner, "-")) {
        const struct sator_expr *right = NULL;
        int64_t sign = scanner_at(scanner, "+") ? 1 : -1;
        scanner_next(scanner);
        SATOR_TRY(read_product(scanner, &right));
        *expr = sator_expr_add(scanner->arena, *expr, sign, right);
        if (*expr == NULL)
            return too_large(scanner, since(scanner, start));
    }
done:
    return st;
}

enum sator_status read_expr(struct scanner *scanner, const struct sator_expr **expr)
{
    scanner->divisions = 0;
    return read_sum(scanner, expr);
}
