/* An expression as it was read: a tree in the arena that it was read into. */
#ifndef SATOR_EXPLORE_EXPRESSION_H
#define SATOR_EXPLORE_EXPRESSION_H

#include "explore/record.h"

enum explore_op {
    OP_NUMBER,
    OP_FIELD,
    OP_TENSOR,
    OP_FIGURE,
    OP_NEGATE,
    OP_NOT,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MAX
};

struct explore_expression {
    enum explore_op op;
    struct explore_value value; /* OP_NUMBER */
    int field; /* OP_FIELD, OP_TENSOR, OP_FIGURE */
    const char *tensor; /* OP_TENSOR */
    int role; /* OP_TENSOR: enum sator_role, or -1 for both together */
    const struct explore_expression *kids[2];
};

#endif
