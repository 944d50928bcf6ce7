/* Values of names that stand for sizes. */
#include "frontend/c/c_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer chains of functions that hand a size on do not occur; this keeps the stack small. */
enum {
    MOST_HANDED_ON = 100
};

static bool symbol_value(struct c_reader *reader, struct c_symbol *symbol, int64_t *value);

static bool constant(struct c_reader *reader, const struct c_node *node, int64_t *value);

/* The value of an expression of constants, its own conversions left out. */
static bool unconverted(struct c_reader *reader, const struct c_node *node, int64_t *value)
{
    int64_t left = 0;
    int64_t right = 0;

    if (node->kind == C_INT) {
        *value = node->value;
        return true;
    }
    if (node->kind == C_NAME)
        return symbol_value(reader, node->symbol, value);
    if (node->kind == C_UNARY && strcmp(node->op, "-") == 0)
        return constant(reader, node->kids[0], &left) && !__builtin_sub_overflow(0, left, value);
    if (node->kind != C_BINARY || !constant(reader, node->kids[0], &left) ||
            !constant(reader, node->kids[1], &right))
        return false;
    if (strcmp(node->op, "+") == 0)
        return !__builtin_add_overflow(left, right, value);
    if (strcmp(node->op, "-") == 0)
        return !__builtin_sub_overflow(left, right, value);
    if (strcmp(node->op, "*") == 0)
        return !__builtin_mul_overflow(left, right, value);
    if (strcmp(node->op, "/") == 0 && right > 0) {
        *value = left / right;
        return true;
    }
    return false;
}

/* The value of an expression of constants, when none of its types changes it. */
static bool constant(struct c_reader *reader, const struct c_node *node, int64_t *value)
{
    const struct c_limits *limits = &node->limits;

    return unconverted(reader, node, value) && *value >= limits->least && *value <= limits->most &&
            !(limits->to_unsigned && *value < 0);
}

/* --set sizes.NAME=VALUE */
static bool given_value(struct c_reader *reader, const char *name, int64_t *value)
{
    static const char prefix[] = "sizes.";
    size_t length = strlen(name);

    for (int i = 0; reader->options && i < reader->options->n_sets; i++) {
        const char *set = reader->options->sets[i];
        char *end = NULL;

        if (strncmp(set, prefix, strlen(prefix)) != 0)
            continue;
        set += strlen(prefix);
        if (strncmp(set, name, length) != 0 || set[length] != '=')
            continue;
        errno = 0;
        *value = strtoll(set + length + 1, &end, 10);
        if (errno != 0 || end == set + length + 1 || *end != '\0')
            continue; /* reported where all settings are checked */
        return true;
    }
    return false;
}

static bool find_called_value(
        struct c_reader *reader, const struct c_symbol *parameter, int64_t *value)
{
    const struct c_function *function = parameter->owner;
    int64_t given = 0;

    for (int i = 0; i < function->n_calls; i++) {
        const struct c_node *call = function->calls[i];
        int64_t other = 0;
        if (parameter->parameter >= call->n_kids ||
                !constant(reader, call->kids[parameter->parameter], &other) ||
                (i > 0 && other != given))
            return false;
        given = other;
    }
    *value = given;
    return function->n_calls > 0;
}

/* What all calls in the file give a parameter, as main gives a kernel its sizes; found out once. */
static bool called_value(struct c_reader *reader, struct c_symbol *symbol, int64_t *value)
{
    if (symbol->parameter < 0 || reader->n_handed_on == MOST_HANDED_ON)
        return false;
    if (symbol->called == C_CALLED_UNSEEN) {
        symbol->called = C_CALLED_ASKED;
        reader->n_handed_on++;
        bool known = find_called_value(reader, symbol, &symbol->called_value);
        reader->n_handed_on--;
        symbol->called = known ? C_CALLED_KNOWN : C_CALLED_UNKNOWN;
    }
    *value = symbol->called_value;
    return symbol->called == C_CALLED_KNOWN;
}

static bool symbol_value(struct c_reader *reader, struct c_symbol *symbol, int64_t *value)
{
    if (!symbol->is_integer)
        return false;
    if (given_value(reader, symbol->name, value))
        return true;
    if (symbol->n_writes > 0)
        return false;
    if (symbol->has_value) {
        *value = symbol->value;
        return true;
    }
    return called_value(reader, symbol, value);
}

bool c_symbol_value(struct c_reader *reader, struct c_symbol *symbol, int64_t *value)
{
    return symbol_value(reader, symbol, value);
}
