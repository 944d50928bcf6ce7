/* Values of names that stand for sizes. */
#include "frontend/c/c_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer chains of calls that hand a size on do not occur. */
enum {
    MOST_CALLS = 8
};

static bool symbol_value(
        struct c_reader *reader, const struct c_symbol *symbol, int depth, int64_t *value);

/* The value of an expression of constants. */
static bool constant(struct c_reader *reader, const struct c_node *node, int depth, int64_t *value)
{
    int64_t left = 0;
    int64_t right = 0;

    if (node->kind == C_INT) {
        *value = node->value;
        return true;
    }
    if (node->kind == C_NAME)
        return symbol_value(reader, node->symbol, depth, value);
    if (node->kind == C_UNARY && strcmp(node->op, "-") == 0)
        return constant(reader, node->kids[0], depth, &left) &&
                !__builtin_sub_overflow(0, left, value);
    if (node->kind != C_BINARY || !constant(reader, node->kids[0], depth, &left) ||
            !constant(reader, node->kids[1], depth, &right))
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
        if (reader->used_sets)
            reader->used_sets[i] = true;
        return true;
    }
    return false;
}

struct calls {
    struct c_reader *reader;
    const struct c_symbol *parameter;
    int depth;
    int n_calls;
    bool agree;
    int64_t value;
};

static void see_calls(struct calls *calls, const struct c_node *node)
{
    int64_t value = 0;

    if (!node)
        return;
    if (node->kind == C_CALL && node->name &&
            strcmp(node->name, calls->parameter->owner->name) == 0) {
        int place = calls->parameter->parameter;
        bool known = place < node->n_kids &&
                constant(calls->reader, node->kids[place], calls->depth + 1, &value);
        calls->agree = calls->agree && known && (calls->n_calls == 0 || value == calls->value);
        calls->value = value;
        calls->n_calls++;
    }
    for (int i = 0; i < node->n_kids; i++)
        see_calls(calls, node->kids[i]);
}

/* What all calls in the file give a parameter, as main gives a kernel its sizes. */
static bool called_value(
        struct c_reader *reader, const struct c_symbol *symbol, int depth, int64_t *value)
{
    struct calls calls = {reader, symbol, depth, 0, true, 0};

    if (symbol->parameter < 0 || depth >= MOST_CALLS)
        return false;
    for (int i = 0; i < reader->file->n_functions; i++)
        see_calls(&calls, reader->file->functions[i]->body);
    *value = calls.value;
    return calls.n_calls > 0 && calls.agree;
}

static bool symbol_value(
        struct c_reader *reader, const struct c_symbol *symbol, int depth, int64_t *value)
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
    return called_value(reader, symbol, depth, value);
}

bool c_symbol_value(struct c_reader *reader, const struct c_symbol *symbol, int64_t *value)
{
    return symbol_value(reader, symbol, 0, value);
}
