/* A C file as the nests are found in it: its functions, their statements and expressions, macros
 * expanded.
 *
 * Every node knows the place in the user's file that it comes from; inside a macro that is the
 * macro's use. Parentheses, casts between numbers and implicit conversions are gone; what they do
 * to an integer stands at the expression inside (struct c_limits). All lives in one arena.
 */
#ifndef SATOR_FRONTEND_C_TREE_H
#define SATOR_FRONTEND_C_TREE_H

#include "base/context.h"
#include "sator/input.h"

enum c_kind {
    /* statements */
    C_BLOCK, /* kids: statements; also a label's and a case's */
    C_FOR, /* kids: start, condition, step (each may be NULL), body */
    C_IF, /* kids: condition, branches */
    C_SWITCH, /* kids: value, body */
    C_WHILE, /* kids: condition, body */
    C_DO, /* kids: body, condition */
    C_JUMP, /* name: "break", "continue", "return", "goto" */
    C_DECLARE, /* kids: C_VARIABLE */
    C_VARIABLE, /* symbol; kids: its start value, if any */
    C_EMPTY,
    /* expressions; as a statement each stands for itself */
    C_INT, /* value */
    C_NUMBER, /* any other literal */
    C_NAME, /* symbol */
    C_SUBSCRIPT, /* kids: array, index */
    C_MEMBER, /* name; kids: structure */
    C_BINARY, /* op; kids: left, right; also "," */
    C_ASSIGN, /* op; kids: left, right */
    C_UNARY, /* op */
    C_CHOICE, /* ?: with three kids */
    C_CALL, /* symbol of the function or NULL; kids: arguments */
    C_OTHER /* name: what it is */
};

/* What is known of the value that all calls give a parameter. */
enum c_called {
    C_CALLED_UNSEEN,
    C_CALLED_ASKED, /* being found out: a call of the function in itself gives nothing */
    C_CALLED_UNKNOWN,
    C_CALLED_KNOWN
};

struct c_symbol {
    const char *name;
    struct sator_loc loc; /* of its declaration, when that is in the file */
    struct c_function *owner; /* a parameter's function; of a function its definition, or NULL */
    int parameter; /* its place among the parameters from 0, or -1 */
    bool is_function;
    bool is_pure; /* a function that the file declares const or pure */
    bool is_array; /* an array or a pointer */
    int n_extents; /* of an array or pointer: its dimensions, outermost first */
    int64_t *extents; /* -1: not declared, or a pointer's */
    bool is_integer; /* a scalar of an integer type */
    bool is_unsigned;
    bool is_const;
    int element_bits; /* of the array's elements, or of the scalar */
    bool has_value; /* it is declared with this value */
    int64_t value;
    int n_writes; /* assignments, ++ and -- and & of it in the file */
    enum c_called called;
    int64_t called_value;
};

/* The values that an integer expression may have so that its types leave them as they are: outside
 * of them a conversion to a narrower type, or an operation on unsigned numbers, wraps around. */
struct c_limits {
    int64_t least, most;
    bool to_unsigned; /* a negative number becomes a large one, which matters where it is compared
                       */
};

struct c_node {
    enum c_kind kind;
    struct sator_loc loc;
    const char *op;
    const char *name;
    struct c_symbol *symbol;
    int64_t value;
    struct c_limits limits;
    int n_kids;
    struct c_node **kids;
};

struct c_function {
    const char *name;
    struct sator_loc loc;
    struct c_node *body;
    int n_calls;
    const struct c_node **calls; /* of this function, in the whole file */
};

struct c_file {
    const struct sator_source *source;
    int n_lines;
    size_t *lines; /* where each begins */
    int n_functions;
    struct c_function **functions; /* defined in the file itself, in its order */
    int n_symbols;
    struct c_symbol **symbols;
};

/* The line of a place in the file, from 1. */
int c_line(const struct c_file *file, struct sator_loc loc);

/* Parse "source" with the options' macros and include folders. Errors of the language are reported
 * at their places. */
enum sator_status c_parse(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, const struct sator_input_options *options,
        struct c_file **file);

#endif
