/* Sets and relations, tuples, and einsums, in the notation of relation.h. */
#include "relation/relation.h"
#include "relation/scanner.h"

#include <string.h>

static void declare(struct scanner *scanner, int n_vars, const char *const *names)
{
    for (int i = 0; i < n_vars; i++)
        scope_add(scanner, names[i]);
}

static enum sator_status expect_end(struct scanner *scanner, const char *what)
{
    if (scanner->token.kind == TOKEN_END)
        return SATOR_OK;
    return sator_error(scanner->ctx, scanner_loc(scanner), "unexpected %s after %s",
            scanner_shown(scanner), what);
}

/* The name before a tuple's bracket; NULL for none. */
static const char *read_tuple_name(struct scanner *scanner)
{
    if (scanner->token.kind != TOKEN_NAME)
        return NULL;
    const char *name = scanner_copy(scanner);
    scanner_next(scanner);
    return name;
}

/* ---- tuples ---- */

enum sator_status sator_tuple_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, int n_vars, const char *const *var_names,
        const struct sator_extents *extents, const char **name, int *n_exprs,
        const struct sator_expr *const **exprs)
{
    enum sator_status st = SATOR_OK;
    struct scanner scanner;
    const struct sator_expr **list = NULL;
    int n_list = 0;

    scanner_init(&scanner, ctx, arena, loc);
    scanner.extents = extents;
    declare(&scanner, n_vars, var_names);
    struct scanner ahead = scanner;
    scanner_next(&ahead);
    bool named = scanner.token.kind == TOKEN_NAME && scanner_at(&ahead, "[");
    bool brackets = named || scanner_at(&scanner, "[");
    const char *tuple_name = named ? read_tuple_name(&scanner) : NULL;
    if (brackets)
        scanner_next(&scanner);
    while (!scanner_at(&scanner, "]") && scanner.token.kind != TOKEN_END) {
        const struct sator_expr *expr;
        SATOR_TRY(read_expr(&scanner, &expr));
        SATOR_PUSH(arena, list, n_list, expr);
        if (!scanner_at(&scanner, ","))
            break;
        scanner_next(&scanner);
        if (scanner_at(&scanner, "]") || scanner.token.kind == TOKEN_END)
            return sator_error(ctx, scanner_loc(&scanner), "expected an expression after ','");
    }
    if (brackets)
        SATOR_TRY(scanner_expect(&scanner, "]", "to close the tuple"));
    SATOR_TRY(expect_end(&scanner, "the tuple"));
    *name = tuple_name;
    *n_exprs = n_list;
    *exprs = list;
done:
    return st;
}

enum sator_status sator_cond_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, int n_vars, const char *const *var_names,
        const struct sator_cond **cond)
{
    enum sator_status st;
    struct scanner scanner;
    const struct sator_cond *read;

    scanner_init(&scanner, ctx, arena, loc);
    declare(&scanner, n_vars, var_names);
    SATOR_TRY(read_cond(&scanner, &read));
    SATOR_TRY(expect_end(&scanner, "the condition"));
    if (scanner.n_vars > n_vars)
        return sator_error(ctx, loc, "'exists' is not supported in this condition");
    *cond = read;
done:
    return st;
}

/* ---- sets and relations ---- */

struct piece_reader {
    struct scanner *scanner;
    int n_in;
    int n_conditions; /* from input tuples such as S[i, i] or S[i, 0] */
    const struct sator_cond **conditions;
};

/* Whether the next tokens are a lone name that is not yet in scope, as an element of a tuple. */
static bool at_new_variable(const struct scanner *scanner)
{
    struct scanner ahead = *scanner;

    if (scanner->token.kind != TOKEN_NAME || scanner_is_keyword(&scanner->token) ||
            scope_find(scanner, scanner->token.text, scanner->token.length) >= 0)
        return false;
    scanner_next(&ahead);
    return scanner_at(&ahead, ",") || scanner_at(&ahead, "]");
}

/* An element of the input tuple: a variable, or an expression that stands for one. */
static enum sator_status read_in_element(struct piece_reader *reader)
{
    enum sator_status st;
    struct scanner *scanner = reader->scanner;
    const struct sator_expr *value;

    if (at_new_variable(scanner)) {
        scope_add(scanner, scanner_copy(scanner));
        scanner_next(scanner);
        reader->n_in++;
        return SATOR_OK;
    }
    struct sator_loc loc = scanner_loc(scanner);
    SATOR_TRY(read_expr(scanner, &value));
    const char *name = sator_arena_printf(scanner->arena, "in%d", reader->n_in);
    while (scope_find(scanner, name, strlen(name)) >= 0)
        name = sator_arena_printf(scanner->arena, "%s_", name);
    const struct sator_expr *var = sator_expr_var(scanner->arena, scope_add(scanner, name));
    reader->n_in++;
    value = sator_expr_add(scanner->arena, value, -1, var);
    if (value == NULL)
        return sator_error(scanner->ctx, loc, "a number does not fit into 64 bits");
    SATOR_PUSH(scanner->arena, reader->conditions, reader->n_conditions,
            sator_cond_compare(scanner->arena, SATOR_COND_EQUAL, value));
done:
    return st;
}

static enum sator_status read_out_element(struct scanner *scanner, const struct sator_expr **expr)
{
    if (!at_new_variable(scanner))
        return read_expr(scanner, expr);
    *expr = sator_expr_var(scanner->arena, scope_add(scanner, scanner_copy(scanner)));
    scanner_next(scanner);
    return SATOR_OK;
}

static enum sator_status read_in_tuple(struct piece_reader *reader, const char **name)
{
    enum sator_status st;
    struct scanner *scanner = reader->scanner;

    *name = read_tuple_name(scanner);
    SATOR_TRY(scanner_expect(scanner, "[", "to begin a tuple such as S[i,j]"));
    while (!scanner_at(scanner, "]")) {
        SATOR_TRY(read_in_element(reader));
        if (!scanner_accept(scanner, ","))
            break;
    }
    SATOR_TRY(scanner_expect(scanner, "]", "to close the tuple"));
done:
    return st;
}

static enum sator_status read_out_tuple(
        struct scanner *scanner, const char **name, int *n_out, const struct sator_expr ***out)
{
    enum sator_status st;

    *name = read_tuple_name(scanner);
    SATOR_TRY(scanner_expect(scanner, "[", "to begin a tuple such as A[i+j]"));
    while (!scanner_at(scanner, "]")) {
        const struct sator_expr *expr;
        SATOR_TRY(read_out_element(scanner, &expr));
        SATOR_PUSH(scanner->arena, *out, *n_out, expr);
        if (!scanner_accept(scanner, ","))
            break;
    }
    SATOR_TRY(scanner_expect(scanner, "]", "to close the tuple"));
    if (*name == NULL)
        *name = "";
done:
    return st;
}

static bool same_name(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

/* The pieces of a union have equal tuples. */
static enum sator_status check_same_tuples(struct scanner *scanner,
        const struct sator_relation *relation, const struct sator_relation *piece)
{
    if (relation->is_set != piece->is_set || relation->n_in != piece->n_in ||
            relation->n_out != piece->n_out || !same_name(relation->in_name, piece->in_name) ||
            !same_name(relation->out_name, piece->out_name)) {
        enum sator_status st = sator_error(
                scanner->ctx, piece->loc, "this piece has other tuples than the first one");
        sator_help(scanner->ctx,
                "all pieces separated by ';' need the same names and numbers of dimensions");
        return st;
    }
    return SATOR_OK;
}

static enum sator_status read_piece(struct scanner *scanner, struct sator_relation *relation)
{
    enum sator_status st;
    struct piece_reader reader = {.scanner = scanner};
    struct sator_relation shape = {.is_set = true, .loc = scanner_loc(scanner)};
    const struct sator_expr **out = NULL;
    const struct sator_cond *cond;

    scanner->n_vars = 0;
    scanner->var_names = NULL;
    scanner->hidden = NULL;
    SATOR_TRY(read_in_tuple(&reader, &shape.in_name));
    shape.n_in = reader.n_in;
    if (scanner_accept(scanner, "->")) {
        shape.is_set = false;
        SATOR_TRY(read_out_tuple(scanner, &shape.out_name, &shape.n_out, &out));
    }
    if (scanner_accept(scanner, ":")) {
        SATOR_TRY(read_cond(scanner, &cond));
        SATOR_PUSH(scanner->arena, reader.conditions, reader.n_conditions, cond);
    }
    if (relation->n_pieces > 0)
        SATOR_TRY(check_same_tuples(scanner, relation, &shape));
    struct sator_piece piece = {.n_free = scanner->n_vars - reader.n_in,
            .names = scanner->var_names,
            .out = out,
            .cond = sator_cond_and(scanner->arena, reader.n_conditions, reader.conditions),
            .loc = shape.loc};
    struct sator_piece *pieces = (struct sator_piece *)(uintptr_t)relation->pieces;
    int n_pieces = relation->n_pieces;
    SATOR_PUSH(scanner->arena, pieces, n_pieces, piece);
    shape.loc = relation->loc;
    *relation = shape;
    relation->pieces = pieces;
    relation->n_pieces = n_pieces;
    st = SATOR_OK;
done:
    return st;
}

enum sator_status sator_relation_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, const struct sator_relation **relation)
{
    enum sator_status st;
    struct scanner scanner;
    struct sator_relation *made = SATOR_NEW(arena, struct sator_relation);

    scanner_init(&scanner, ctx, arena, loc);
    made->loc = loc;
    if (scanner_at(&scanner, "[")) {
        struct scanner ahead = scanner;
        while (!scanner_at(&ahead, "]") && ahead.token.kind != TOKEN_END)
            scanner_next(&ahead);
        scanner_next(&ahead);
        if (scanner_at(&ahead, "->")) {
            scanner_next(&ahead);
            if (scanner_at(&ahead, "{")) {
                st = sator_error(ctx, scanner_loc(&scanner), "parameters are not supported");
                sator_help(ctx, "replace each parameter by its number");
                return st;
            }
        }
    }
    bool braces = scanner_accept(&scanner, "{");
    if (scanner_at(&scanner, "}") || scanner.token.kind == TOKEN_END)
        return sator_error(ctx, scanner_loc(&scanner), "expected a tuple such as S[i,j], found %s",
                scanner_shown(&scanner));
    do {
        if (made->n_pieces > 0 && (scanner_at(&scanner, "}") || scanner.token.kind == TOKEN_END))
            break; /* a ';' at the end */
        SATOR_TRY(read_piece(&scanner, made));
    } while (scanner_accept(&scanner, ";"));
    if (braces)
        SATOR_TRY(scanner_expect(&scanner, "}", "to close '{'"));
    SATOR_TRY(expect_end(&scanner, made->is_set ? "the set" : "the relation"));
    *relation = made;
done:
    return st;
}

/* ---- einsums ---- */

/* A[e, e] or A[e][e], the scanner at the name. */
static enum sator_status read_access(struct scanner *scanner, struct sator_einsum_access *access)
{
    enum sator_status st;
    const struct sator_expr **index = NULL;
    int n_index = 0;

    access->loc = scanner_loc(scanner);
    access->tensor = scanner_copy(scanner);
    scanner_next(scanner);
    do {
        SATOR_TRY(scanner_expect(scanner, "[", "after the tensor's name"));
        while (!scanner_at(scanner, "]")) {
            const struct sator_expr *expr;
            SATOR_TRY(read_expr(scanner, &expr));
            SATOR_PUSH(scanner->arena, index, n_index, expr);
            if (!scanner_accept(scanner, ","))
                break;
        }
        SATOR_TRY(scanner_expect(scanner, "]", "to close the index"));
    } while (scanner_at(scanner, "["));
    access->n_index = n_index;
    access->index = index;
    access->loc.length =
            (size_t)(scanner->previous_end - scanner->source->text) - access->loc.offset;
done:
    return st;
}

/* What the right side of an einsum goes on with. */
struct right_side {
    bool wants_operand; /* else an operator or the end */
    int depth; /* open parentheses */
};

/* A tensor's access, a scalar, a number, a sign, or what opens a parenthesis. */
static enum sator_status read_operand(struct scanner *scanner, struct right_side *side,
        int *n_accesses, struct sator_einsum_access **accesses)
{
    enum sator_status st = SATOR_OK;
    struct scanner ahead;

    if (scanner->token.kind == TOKEN_NUMBER)
        scanner_widen_number(scanner);
    ahead = *scanner;
    scanner_next(&ahead);
    if (scanner->token.kind == TOKEN_NAME && scanner_at(&ahead, "[")) {
        struct sator_einsum_access access = {0};
        SATOR_TRY(read_access(scanner, &access));
        SATOR_PUSH(scanner->arena, *accesses, *n_accesses, access);
        side->wants_operand = false;
        return SATOR_OK;
    }
    if (scanner_at(scanner, "("))
        side->depth++;
    else if (scanner->token.kind == TOKEN_NAME || scanner->token.kind == TOKEN_NUMBER)
        side->wants_operand = scanner->token.kind == TOKEN_NAME && scanner_at(&ahead, "(");
    else if (!scanner_at(scanner, "+") && !scanner_at(scanner, "-"))
        return sator_error(scanner->ctx, scanner_loc(scanner),
                "expected a tensor such as A[i], or a number, found %s", scanner_shown(scanner));
    scanner_next(scanner);
done:
    return st;
}

static enum sator_status read_operator(struct scanner *scanner, struct right_side *side)
{
    bool closes = side->depth > 0 && scanner_at(scanner, ")");

    if (!closes && !scanner_at(scanner, "+") && !scanner_at(scanner, "-") &&
            !scanner_at(scanner, "*") && !scanner_at(scanner, "/") &&
            !(side->depth > 0 && scanner_at(scanner, ",")))
        return sator_error(scanner->ctx, scanner_loc(scanner), "expected %s, found %s",
                side->depth > 0 ? "an operator or ')'" : "an operator", scanner_shown(scanner));
    side->depth -= closes;
    side->wants_operand = !closes;
    scanner_next(scanner);
    return SATOR_OK;
}

/* The right side: accesses among numbers, scalars, parentheses and arithmetic. */
static enum sator_status read_right_side(
        struct scanner *scanner, int *n_accesses, struct sator_einsum_access **accesses)
{
    enum sator_status st = SATOR_OK;
    struct right_side side = {.wants_operand = true};

    while (scanner->token.kind != TOKEN_END || side.wants_operand || side.depth > 0) {
        if (side.wants_operand)
            SATOR_TRY(read_operand(scanner, &side, n_accesses, accesses));
        else
            SATOR_TRY(read_operator(scanner, &side));
    }
done:
    return st;
}

enum sator_status sator_einsum_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, int n_loops, const char *const *loop_names, int *n_accesses,
        struct sator_einsum_access **accesses)
{
    enum sator_status st;
    struct scanner scanner;
    struct sator_einsum_access *list = NULL, written = {.is_write = true};
    int n_list = 0;

    scanner_init(&scanner, ctx, arena, loc);
    declare(&scanner, n_loops, loop_names);
    if (scanner.token.kind != TOKEN_NAME) {
        st = sator_error(ctx, scanner_loc(&scanner), "expected the written tensor, found %s",
                scanner_shown(&scanner));
        sator_help(ctx, "an einsum looks like \"Y[i,j] += A[i,k] * B[k,j]\"");
        return st;
    }
    SATOR_TRY(read_access(&scanner, &written));
    SATOR_PUSH(arena, list, n_list, written);
    if (!scanner_accept(&scanner, "+="))
        SATOR_TRY(scanner_expect(&scanner, "=", "or '+=' after the written tensor"));
    SATOR_TRY(read_right_side(&scanner, &n_list, &list));
    *n_accesses = n_list;
    *accesses = list;
done:
    return st;
}
