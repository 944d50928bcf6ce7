/* From libclang's nodes to ours. A node of the printed unit tells its operator, the same node of
 * the written unit its place; both units are walked side by side. All of it is done in a process of
 * its own (base/apart.h), so that libclang may end it. */
#include "frontend/c/c_tree.h"

#if SATOR_HAVE_CLANG

#include "base/apart.h"
#include "base/text.h"
#include "frontend/c/c_units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Deeper than anybody writes, shallow enough for the stack. */
enum {
    MOST_DEPTH = 2000,
    HASH_SIZE = 1024,
    ROOM = 64 << 20, /* for the tree, and for each byte of the text */
    ROOM_A_BYTE = 1 << 10
};

struct entry {
    struct entry *next;
    CXCursor declaration;
    struct c_symbol *symbol;
};

struct converter {
    struct c_units units;
    struct c_file *file;
    struct entry *table[HASH_SIZE]; /* symbols by declaration */
    const struct c_function *function;
    int depth;
};

/* A node in both units. */
struct pair {
    CXCursor printed;
    CXCursor written;
};

static struct c_node *convert(struct converter *c, struct pair pair);

/* ---- symbols ---- */

/* Step from an array or pointer to what it is made of, or points to; false for any other type.
 * "extent" is -1 where none is declared. */
static bool step_inside(struct converter *c, CXType *type, int64_t *extent)
{
    const struct sator_libclang *clang = &c->units.clang;
    CXType inner;

    *extent = -1;
    if (type->kind == CXType_Pointer) {
        inner = clang->getPointeeType(*type);
    } else if (type->kind == CXType_ConstantArray || type->kind == CXType_IncompleteArray ||
            type->kind == CXType_VariableArray) {
        inner = clang->getArrayElementType(*type);
        if (type->kind == CXType_ConstantArray)
            *extent = clang->getArraySize(*type);
    } else {
        return false;
    }
    *type = clang->getCanonicalType(inner);
    return true;
}

/* The type of the elements of an array or pointer, or the type itself. */
static CXType element_type(struct converter *c, CXType type, bool *is_array)
{
    CXType element = c->units.clang.getCanonicalType(type);
    int64_t extent;

    *is_array = false;
    while (step_inside(c, &element, &extent))
        *is_array = true;
    return element;
}

static void describe_type(struct converter *c, CXType type, struct c_symbol *symbol)
{
    CXType element = c->units.clang.getCanonicalType(type);
    int64_t extent;

    while (step_inside(c, &element, &extent))
        SATOR_PUSH(c->units.arena, symbol->extents, symbol->n_extents, extent);
    symbol->is_array = symbol->n_extents > 0;
    long long size = c->units.clang.Type_getSizeOf(element);

    if (size > 0 && size < 1 << 20)
        symbol->element_bits = (int)size * 8;
    symbol->is_integer =
            !symbol->is_array && element.kind >= CXType_Bool && element.kind <= CXType_Int128;
    symbol->is_unsigned = symbol->is_integer && element.kind <= CXType_UInt128;
}

static enum CXChildVisitResult see_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    bool *is_pure = data;

    (void)parent;
    if (cursor.kind == CXCursor_ConstAttr || cursor.kind == CXCursor_PureAttr)
        *is_pure = true;
    return CXChildVisit_Continue;
}

/* The value that a variable is declared with. */
static void evaluate(struct converter *c, CXCursor declaration, struct c_symbol *symbol)
{
    const struct sator_libclang *clang = &c->units.clang;
    CXEvalResult result = clang->Cursor_Evaluate(declaration);

    if (!result)
        return;
    if (clang->EvalResult_getKind(result) == CXEval_Int) {
        symbol->value = clang->EvalResult_getAsLongLong(result);
        symbol->has_value = !clang->EvalResult_isUnsignedInt(result) || symbol->value >= 0;
    }
    clang->EvalResult_dispose(result);
}

/* The symbol of a declaration; "written" is a declaration of the same thing in the user's file, or
 * null. */
static struct c_symbol *find_symbol(struct converter *c, CXCursor declaration)
{
    const struct sator_libclang *clang = &c->units.clang;
    struct sator_arena *arena = c->units.arena;
    CXCursor canonical = clang->getCanonicalCursor(declaration);
    struct entry **slot = &c->table[clang->hashCursor(canonical) % HASH_SIZE];
    struct c_symbol *symbol;
    struct entry *entry;

    for (entry = *slot; entry; entry = entry->next)
        if (clang->equalCursors(entry->declaration, canonical))
            return entry->symbol;
    symbol = SATOR_NEW(arena, struct c_symbol);
    symbol->name = c_string(&c->units, clang->getCursorSpelling(declaration));
    symbol->parameter = -1;
    symbol->is_function = clang->getCursorKind(declaration) == CXCursor_FunctionDecl;
    if (symbol->is_function) {
        clang->visitChildren(declaration, see_attribute, &symbol->is_pure);
    } else {
        describe_type(c, clang->getCursorType(declaration), symbol);
        if (symbol->is_integer && clang->getCursorKind(declaration) == CXCursor_VarDecl)
            evaluate(c, declaration, symbol);
    }
    entry = SATOR_NEW(arena, struct entry);
    *entry = (struct entry){*slot, canonical, symbol};
    *slot = entry;
    SATOR_PUSH(arena, c->file->symbols, c->file->n_symbols, symbol);
    return symbol;
}

/* ---- types of numbers ---- */

/* An integer type's size and range as far as 64 bits can tell; "bits" is 0 for any other type. */
struct number_type {
    int bits;
    bool is_unsigned;
    int64_t least, most;
};

static struct number_type type_of(struct converter *c, CXCursor cursor)
{
    const struct sator_libclang *clang = &c->units.clang;
    CXType type = clang->getCanonicalType(clang->getCursorType(cursor));
    struct number_type number = {.least = INT64_MIN, .most = INT64_MAX};

    if (type.kind < CXType_Bool || type.kind > CXType_Int128)
        return number;
    number.bits = type.kind == CXType_Bool ? 1 : (int)clang->Type_getSizeOf(type) * 8;
    number.is_unsigned = type.kind <= CXType_UInt128;
    if (number.bits > 0 && number.bits < 64) {
        number.most = ((int64_t)1 << (number.bits - !number.is_unsigned)) - 1;
        number.least = number.is_unsigned ? 0 : -number.most - 1;
    }
    return number;
}

static void limit(struct c_node *node, int64_t least, int64_t most)
{
    struct c_limits *limits = &node->limits;

    limits->least = least > limits->least ? least : limits->least;
    limits->most = most < limits->most ? most : limits->most;
}

/* Note what the conversion of "inside" at "outside" does to "node", the expression inside. */
static void note_conversion(
        struct converter *c, CXCursor outside, CXCursor inside, struct c_node *node)
{
    struct number_type to = type_of(c, outside), from = type_of(c, inside);

    if (to.bits == 0 || from.bits == 0)
        return;
    if (to.bits < from.bits || (to.bits == from.bits && from.is_unsigned && !to.is_unsigned))
        limit(node, to.least, to.most);
    else if (to.is_unsigned && !from.is_unsigned)
        node->limits.to_unsigned = true;
}

/* Unsigned numbers wrap around above their greatest. Below zero they do too, which matters only
 * where they are compared, divided or shifted: sums bring them back, and no array has an element
 * there. Signed numbers must not get so far. */
static void note_arithmetic(struct converter *c, CXCursor cursor, struct c_node *node)
{
    struct number_type type = type_of(c, cursor);

    if (type.bits == 0 || !type.is_unsigned)
        return;
    limit(node, INT64_MIN, type.most);
    node->limits.to_unsigned = true;
}

/* ---- nodes ---- */

static struct c_node *new_node(struct converter *c, enum c_kind kind, struct pair pair)
{
    struct c_node *node = SATOR_NEW(c->units.arena, struct c_node);

    node->kind = kind;
    node->loc = c_place(&c->units, pair.written);
    node->limits = (struct c_limits){INT64_MIN, INT64_MAX, false};
    return node;
}

static struct c_node *other(struct converter *c, struct pair pair, const char *what)
{
    struct c_node *node = new_node(c, C_OTHER, pair);

    node->name = what;
    return node;
}

/* The children side by side. Where the two units differ, the parent's place stands for all. */
static struct pair *pair_children(struct converter *c, struct pair pair, int *n_pairs)
{
    int n_printed = 0;
    int n_written = 0;
    CXCursor *printed = c_children(&c->units, pair.printed, &n_printed);
    CXCursor *written = c_children(&c->units, pair.written, &n_written);
    struct pair *pairs = SATOR_NEW_ARRAY(c->units.arena, struct pair, n_printed + 1);

    for (int i = 0; i < n_printed; i++) {
        bool same = n_printed == n_written && printed[i].kind == written[i].kind;
        pairs[i] = (struct pair){printed[i], same ? written[i] : pair.written};
    }
    *n_pairs = n_printed;
    return pairs;
}

static struct c_node *with_kids(
        struct converter *c, struct c_node *node, int n_pairs, const struct pair *pairs)
{
    node->kids = SATOR_NEW_ARRAY(c->units.arena, struct c_node *, n_pairs + 1);
    node->n_kids = n_pairs;
    for (int i = 0; i < n_pairs; i++)
        node->kids[i] = convert(c, pairs[i]);
    return node;
}

/* The text between two places of the printed unit without blanks around it. */
static char *text_between(struct converter *c, unsigned begin, unsigned end)
{
    const char *text = c->units.text.data;

    if (end > c->units.text.length)
        end = (unsigned)c->units.text.length;
    while (begin < end && isspace((unsigned char)text[begin]))
        begin++;
    while (end > begin && isspace((unsigned char)text[end - 1]))
        end--;
    return sator_arena_strndup(c->units.arena, text + begin, end > begin ? end - begin : 0);
}

static char *node_text(struct converter *c, CXCursor cursor)
{
    unsigned begin = 0;
    unsigned end = 0;

    c_extent(&c->units, cursor, &begin, &end);
    return text_between(c, begin, end);
}

static bool is_operator(const char *text)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<",
            ">", "<=", ">=", "==", "!=", "&&", "||", ",", "=",
            "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "!", "~", "++", "--",
            "__extension__", "__real", "__imag"};

    return sator_lists(text, sizeof operators / sizeof *operators, operators);
}

static struct c_node *convert_binary(struct converter *c, struct pair pair, bool is_assignment)
{
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);
    unsigned left_begin = 0;
    unsigned left_end = 0;
    unsigned right_begin = 0;
    unsigned right_end = 0;
    struct c_node *node;
    char *op;

    if (n_kids != 2)
        return other(c, pair, "an operation");
    c_extent(&c->units, kids[0].printed, &left_begin, &left_end);
    c_extent(&c->units, kids[1].printed, &right_begin, &right_end);
    op = text_between(c, left_end, right_begin);
    if (!is_operator(op))
        return other(c, pair, "an operation inside a macro");
    if (strcmp(op, "=") == 0)
        is_assignment = true;
    node = new_node(c, is_assignment ? C_ASSIGN : C_BINARY, pair);
    node->op = op;
    note_arithmetic(c, pair.printed, node);
    return with_kids(c, node, 2, kids);
}

static struct c_node *convert_unary(struct converter *c, struct pair pair)
{
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);
    unsigned begin = 0;
    unsigned end = 0;
    unsigned kid_begin = 0;
    unsigned kid_end = 0;
    struct c_node *node;
    char *op;

    if (n_kids != 1)
        return other(c, pair, "an operation");
    c_extent(&c->units, pair.printed, &begin, &end);
    c_extent(&c->units, kids[0].printed, &kid_begin, &kid_end);
    op = kid_begin > begin ? text_between(c, begin, kid_begin) : text_between(c, kid_end, end);
    if (!is_operator(op))
        return other(c, pair, "an operation inside a macro");
    node = new_node(c, C_UNARY, pair);
    node->op = op;
    note_arithmetic(c, pair.printed, node);
    return with_kids(c, node, 1, kids);
}

static struct c_node *convert_int(struct converter *c, struct pair pair)
{
    char *text = node_text(c, pair.printed);
    char *end = NULL;
    struct c_node *node;
    unsigned long long value = strtoull(text, &end, 0);

    if (end == text || strspn(end, "uUlL") != strlen(end) || value > INT64_MAX)
        return other(c, pair, "a number");
    node = new_node(c, C_INT, pair);
    node->value = (int64_t)value;
    return node;
}

static struct c_node *convert_name(struct converter *c, struct pair pair)
{
    const struct sator_libclang *clang = &c->units.clang;
    CXCursor declaration = clang->getCursorReferenced(pair.printed);
    struct c_node *node;

    switch (clang->getCursorKind(declaration)) {
    case CXCursor_EnumConstantDecl:
        node = new_node(c, C_INT, pair);
        node->value = clang->getEnumConstantDeclValue(declaration);
        return node;
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl:
    case CXCursor_FunctionDecl:
        node = new_node(c, C_NAME, pair);
        node->symbol = find_symbol(c, declaration);
        node->name = node->symbol->name;
        return node;
    default:
        return other(c, pair, "a name");
    }
}

static struct c_node *convert_call(struct converter *c, struct pair pair)
{
    const struct sator_libclang *clang = &c->units.clang;
    CXCursor declaration = clang->getCursorReferenced(pair.printed);
    struct c_node *node = new_node(c, C_CALL, pair);
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);

    node->name = c_string(&c->units, clang->getCursorSpelling(pair.printed));
    if (clang->getCursorKind(declaration) == CXCursor_FunctionDecl)
        node->symbol = find_symbol(c, declaration);
    /* The first child is the function. */
    return n_kids > 0 ? with_kids(c, node, n_kids - 1, kids + 1) : node;
}

/* Whether a pointer becomes one to elements of another size; memory that is given as void * has
 * none yet. */
static bool changes_elements(struct converter *c, CXCursor outside, CXCursor inside)
{
    const struct sator_libclang *clang = &c->units.clang;
    bool is_array, was_array;
    CXType to = element_type(c, clang->getCursorType(outside), &is_array);
    CXType from = element_type(c, clang->getCursorType(inside), &was_array);

    return is_array && was_array && to.kind != CXType_Void && from.kind != CXType_Void &&
            clang->Type_getSizeOf(to) != clang->Type_getSizeOf(from);
}

/* A cast or a wrapper without meaning of its own: what is inside. */
static struct c_node *convert_last_kid(struct converter *c, struct pair pair, bool only)
{
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);

    if (n_kids == 0 || (only && n_kids != 1))
        return other(c, pair, "an expression");
    if (changes_elements(c, pair.printed, kids[n_kids - 1].printed)) {
        struct c_node *cast = other(c, pair, "a pointer to elements of another size");
        return with_kids(c, cast, 1, &kids[n_kids - 1]);
    }
    struct c_node *node = convert(c, kids[n_kids - 1]);
    note_conversion(c, pair.printed, kids[n_kids - 1].printed, node);
    return node;
}

/* ---- statements ---- */

/* The two semicolons in "for (start; condition; step)". */
static void find_semicolons(struct converter *c, CXCursor loop, unsigned semicolons[2])
{
    const char *text = c->units.text.data;
    unsigned at = 0;
    unsigned end = 0;
    int depth = 0;
    int n_found = 0;

    c_extent(&c->units, loop, &at, &end);
    if (end > c->units.text.length)
        end = (unsigned)c->units.text.length;
    semicolons[0] = semicolons[1] = end;
    for (; at < end && n_found < 2; at++) {
        char byte = text[at];
        if (byte == '"' || byte == '\'') {
            for (at++; at < end && text[at] != byte; at++)
                at += text[at] == '\\';
        } else if (strchr("([{", byte) && byte) {
            depth++;
        } else if (strchr(")]}", byte) && byte) {
            depth--;
        } else if (byte == ';' && depth == 1) {
            semicolons[n_found++] = at;
        }
    }
}

static struct c_node *convert_for(struct converter *c, struct pair pair)
{
    struct c_node *node = new_node(c, C_FOR, pair);
    unsigned semicolons[2];
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);

    find_semicolons(c, pair.printed, semicolons);
    node->kids = SATOR_NEW_ARRAY(c->units.arena, struct c_node *, 4);
    node->n_kids = 4;
    for (int i = 0; i < n_kids; i++) {
        unsigned begin = 0;
        unsigned end = 0;
        int part = 3;

        c_extent(&c->units, kids[i].printed, &begin, &end);
        if (i + 1 < n_kids)
            part = begin < semicolons[0] ? 0 : begin < semicolons[1] ? 1 : 2;
        node->kids[part] = convert(c, kids[i]);
    }
    return node;
}

static struct c_node *convert_variable(struct converter *c, struct pair pair)
{
    const struct sator_libclang *clang = &c->units.clang;
    struct c_node *node = new_node(c, C_VARIABLE, pair);
    CXCursor printed = clang->Cursor_getVarDeclInitializer(pair.printed);
    CXCursor written = clang->Cursor_getVarDeclInitializer(pair.written);

    node->symbol = find_symbol(c, pair.printed);
    node->symbol->loc = node->loc;
    node->name = node->symbol->name;
    if (!clang->Cursor_isNull(printed)) {
        struct pair start = {printed, clang->Cursor_isNull(written) ? pair.written : written};
        with_kids(c, node, 1, &start);
    }
    return node;
}

static struct c_node *convert_parent(
        struct converter *c, struct pair pair, enum c_kind kind, const char *name)
{
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);
    struct c_node *node = new_node(c, kind, pair);

    node->name = name;
    return with_kids(c, node, n_kids, kids);
}

static struct c_node *convert_statement(struct converter *c, struct pair pair)
{
    switch (c->units.clang.getCursorKind(pair.printed)) {
    case CXCursor_CompoundStmt:
    case CXCursor_LabelStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return convert_parent(c, pair, C_BLOCK, NULL);
    case CXCursor_ForStmt:
        return convert_for(c, pair);
    case CXCursor_IfStmt:
        return convert_parent(c, pair, C_IF, "if");
    case CXCursor_SwitchStmt:
        return convert_parent(c, pair, C_SWITCH, "switch");
    case CXCursor_WhileStmt:
        return convert_parent(c, pair, C_WHILE, "while");
    case CXCursor_DoStmt:
        return convert_parent(c, pair, C_DO, "do");
    case CXCursor_BreakStmt:
        return convert_parent(c, pair, C_JUMP, "break");
    case CXCursor_ContinueStmt:
        return convert_parent(c, pair, C_JUMP, "continue");
    case CXCursor_ReturnStmt:
        return convert_parent(c, pair, C_JUMP, "return");
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        return convert_parent(c, pair, C_JUMP, "goto");
    case CXCursor_DeclStmt:
        return convert_parent(c, pair, C_DECLARE, NULL);
    case CXCursor_VarDecl:
        return convert_variable(c, pair);
    case CXCursor_NullStmt:
        return new_node(c, C_EMPTY, pair);
    default:
        return NULL;
    }
}

static struct c_node *convert_expression(struct converter *c, struct pair pair)
{
    struct c_node *node;

    switch (c->units.clang.getCursorKind(pair.printed)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return convert_last_kid(c, pair, true);
    case CXCursor_CStyleCastExpr:
        return convert_last_kid(c, pair, false);
    case CXCursor_IntegerLiteral:
        return convert_int(c, pair);
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_ImaginaryLiteral:
        return new_node(c, C_NUMBER, pair);
    case CXCursor_DeclRefExpr:
        return convert_name(c, pair);
    case CXCursor_ArraySubscriptExpr:
        return convert_parent(c, pair, C_SUBSCRIPT, NULL);
    case CXCursor_MemberRefExpr:
        node = convert_parent(c, pair, C_MEMBER, NULL);
        node->name = c_string(&c->units, c->units.clang.getCursorSpelling(pair.printed));
        return node;
    case CXCursor_BinaryOperator:
        return convert_binary(c, pair, false);
    case CXCursor_CompoundAssignOperator:
        return convert_binary(c, pair, true);
    case CXCursor_UnaryOperator:
        return convert_unary(c, pair);
    case CXCursor_ConditionalOperator:
        return convert_parent(c, pair, C_CHOICE, NULL);
    case CXCursor_CallExpr:
        return convert_call(c, pair);
    case CXCursor_UnaryExpr:
        return other(c, pair, "sizeof or alignof");
    case CXCursor_StmtExpr:
        return other(c, pair, "a statement in an expression");
    case CXCursor_GCCAsmStmt:
        return other(c, pair, "assembly");
    default:
        return other(c, pair, "something that is no plain C expression");
    }
}

static struct c_node *convert(struct converter *c, struct pair pair)
{
    struct c_node *node;

    if (c->depth == MOST_DEPTH)
        return other(c, pair, "an expression nested too deeply");
    c->depth++;
    node = convert_statement(c, pair);
    if (!node)
        node = convert_expression(c, pair);
    c->depth--;
    return node;
}

/* ---- functions ---- */

static void convert_function(struct converter *c, struct pair pair)
{
    const struct sator_libclang *clang = &c->units.clang;
    struct c_function *function = SATOR_NEW(c->units.arena, struct c_function);
    int n_kids = 0;
    struct pair *kids = pair_children(c, pair, &n_kids);
    int n_parameters = clang->Cursor_getNumArguments(pair.printed);

    function->name = c_string(&c->units, clang->getCursorSpelling(pair.printed));
    find_symbol(c, pair.printed)->owner = function;
    function->loc = c_place(&c->units, pair.written);
    function->loc.length = 1;
    for (int i = 0; i < n_parameters; i++) {
        CXCursor parameter = clang->Cursor_getArgument(pair.printed, (unsigned)i);
        struct c_symbol *symbol = find_symbol(c, parameter);
        symbol->owner = function;
        symbol->parameter = i;
        symbol->loc = c_place(&c->units, clang->Cursor_getArgument(pair.written, (unsigned)i));
    }
    function->body = SATOR_NEW(c->units.arena, struct c_node);
    function->body->loc = function->loc;
    for (int i = 0; i < n_kids; i++)
        if (clang->getCursorKind(kids[i].printed) == CXCursor_CompoundStmt)
            function->body = convert(c, kids[i]);
    SATOR_PUSH(c->units.arena, c->file->functions, c->file->n_functions, function);
}

static bool is_name(const struct c_node *node)
{
    return node->kind == C_NAME && node->symbol;
}

/* Note who changes which variables and who calls which functions. */
static void note_uses(struct converter *c, const struct c_node *node)
{
    if (!node)
        return;
    if (node->kind == C_ASSIGN && is_name(node->kids[0]))
        node->kids[0]->symbol->n_writes++;
    if (node->kind == C_UNARY && is_name(node->kids[0]) &&
            (strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0 ||
                    strcmp(node->op, "&") == 0))
        node->kids[0]->symbol->n_writes++;
    if (node->kind == C_CALL && node->symbol && node->symbol->owner) {
        struct c_function *called = node->symbol->owner;
        SATOR_PUSH(c->units.arena, called->calls, called->n_calls, node);
    }
    for (int i = 0; i < node->n_kids; i++)
        note_uses(c, node->kids[i]);
}

static void note_lines(struct sator_arena *arena, struct c_file *file)
{
    const char *text = file->source->text;

    SATOR_PUSH(arena, file->lines, file->n_lines, 0);
    for (size_t at = 0; at < file->source->length; at++)
        if (text[at] == '\n')
            SATOR_PUSH(arena, file->lines, file->n_lines, at + 1);
}

/* What a child process is asked for. */
struct question {
    const struct sator_source *source;
    const struct sator_input_options *options;
};

static enum sator_status parse(
        struct sator_ctx *ctx, struct sator_arena *arena, void *data, void **file)
{
    const struct question *question = data;
    struct converter *c = SATOR_NEW(arena, struct converter);
    enum sator_status st = c_units_open(&c->units, ctx, arena, question->source, question->options);

    if (st != SATOR_OK)
        return st;
    c->file = SATOR_NEW(arena, struct c_file);
    c->file->source = question->source;
    note_lines(arena, c->file);
    for (int i = 0; i < c->units.n_functions; i++)
        convert_function(c, (struct pair){c->units.printed_functions[i], c->units.functions[i]});
    for (int i = 0; i < c->file->n_functions; i++)
        note_uses(c, c->file->functions[i]->body);
    *file = c->file;
    return SATOR_OK;
}

enum sator_status c_parse(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, const struct sator_input_options *options,
        struct c_file **file)
{
    struct question question = {source, options};
    void *made = NULL;
    enum sator_status st = c_check_depth(ctx, source);

    if (st == SATOR_OK)
        st = sator_apart(ctx, arena, ROOM + ROOM_A_BYTE * source->length, parse, &question,
                (struct sator_loc){source, 0, 0}, "libclang", &made);
    *file = made;
    return st;
}

#endif
