/* The brute-force reference: every number of doc/model.md, sections 2 to 4, by visiting every
 * instance.
 *
 * Shares no code with src/: its own expressions, its own program, its own sets. A program is one
 * flat struct without pointers, so that a copy is an assignment and shrinking a failing case is
 * copy, change, try. Expressions live in the program's pool and are named by their index.
 */
#ifndef SATOR_TEST_ORACLE_H
#define SATOR_TEST_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORACLE_LOOPS = 8,
    ORACLE_SPACE = 4,
    ORACLE_TIME = 6,
    ORACLE_INDEX = 6,
    ORACLE_PIECES = 6,
    ORACLE_CONDS = 6,
    ORACLE_ACCESSES = 6,
    ORACLE_TENSORS = 4,
    ORACLE_LINKS = 6,
    ORACLE_LINK_PIECES = 8,
    ORACLE_BUSES = 4,
    ORACLE_EXPRS = 4096
};

enum oracle_op {
    ORACLE_CONST, /* value */
    ORACLE_VAR, /* variable number a */
    ORACLE_ADD, /* a + b */
    ORACLE_MUL, /* value * a */
    ORACLE_DIV, /* the greatest integer that is at most a / value, value > 0 */
    ORACLE_MOD /* a - value * (a / value) */
};

struct oracle_expr {
    enum oracle_op op;
    int64_t value;
    int a, b; /* indices into the pool, except ORACLE_VAR's a */
};

enum oracle_relop {
    ORACLE_AT_LEAST_0,
    ORACLE_EQUAL_0,
    ORACLE_NOT_0
};

struct oracle_cond {
    enum oracle_relop op;
    int expr;
};

struct oracle_conds {
    int n;
    struct oracle_cond of[ORACLE_CONDS]; /* all must hold */
};

/* Elements that one instance touches: one for each piece whose conditions hold. Variables are the
 * loops. */
struct oracle_access {
    int tensor;
    bool is_write;
    int n_index;
    int n_pieces;
    struct {
        int index[ORACLE_INDEX];
        struct oracle_conds conds;
    } pieces[ORACLE_PIECES];
};

/* PE[q] -> PE[p], provider to consumer. With n = number of space dimensions, variables 0 .. n-1 are
 * q and n .. 2n-1 are p. A functional piece gives p by expressions over q; otherwise p is any PE
 * that satisfies the conditions. */
struct oracle_link {
    int interval;
    unsigned tensors; /* bit set of the tensors served */
    int n_pieces;
    struct {
        bool functional;
        int out[ORACLE_SPACE];
        struct oracle_conds conds;
    } pieces[ORACLE_LINK_PIECES];
};

/* PE[p] -> BUS[b]: a function of p, on the PEs that satisfy the conditions. */
struct oracle_bus {
    bool is_reduction;
    unsigned tensors;
    int n_out;
    int out[ORACLE_SPACE];
    struct oracle_conds conds;
};

struct oracle_program {
    int n_loops;
    int64_t lower[ORACLE_LOOPS], upper[ORACLE_LOOPS]; /* lower <= loop < upper */
    struct oracle_conds domain;
    int n_space, n_time;
    int space[ORACLE_SPACE], time[ORACLE_TIME];
    int64_t space_offset[ORACLE_SPACE]; /* added to space: moves the lowest PE to 0 */
    int64_t shape[ORACLE_SPACE];
    bool fits; /* the shape was chosen so that no instance leaves the array */
    bool registers;
    /* The leading dimensions of space and time that select what an instance of the memory outside
     * holds: over links of interval 2 or more it must hold an output's element all the way
     * (doc/model.md, section 4). held_time 0: it always does. */
    int held_space, held_time;
    int n_tensors;
    int n_accesses;
    struct oracle_access accesses[ORACLE_ACCESSES];
    int n_links;
    struct oracle_link links[ORACLE_LINKS];
    int n_buses;
    struct oracle_bus buses[ORACLE_BUSES];
    int n_exprs;
    struct oracle_expr exprs[ORACLE_EXPRS];
};

/* Which declared pairs of PEs count. */
enum oracle_wires {
    ORACLE_WIRES_AS_GIVEN, /* all */
    ORACLE_WIRES_NO_SELF, /* all but those of a PE with itself */
    ORACLE_WIRES_ORDERED /* doc/model.md, section 2: over interval 0, no PE with itself, of two that
                            are joined both ways the smaller provides, and longer cycles are cut */
};

struct oracle_volumes {
    int64_t access, total, temporal, spatial, unique, footprint;
    int64_t by_link[ORACLE_LINKS]; /* 0 for links that do not serve the tensor */
    int64_t by_bus[ORACLE_BUSES];
    int64_t tile; /* most elements that one stamp touches */
};

struct oracle_result {
    bool outside; /* an instance leaves the array: nothing else but "instances" is set */
    int64_t instances, stamps, time_stamps, active_pes, max_active_pes, max_per_stamp;
    int64_t most_instances; /* of one PE in a time-stamp, added up over the time-stamps */
    struct oracle_volumes accesses[ORACLE_ACCESSES];
};

/* Add an expression to the pool. */
int oracle_const(struct oracle_program *program, int64_t value);
int oracle_var(struct oracle_program *program, int var);
int oracle_add(struct oracle_program *program, int a, int b);
int oracle_mul(struct oracle_program *program, int64_t factor, int a);
int oracle_div(struct oracle_program *program, int a, int64_t divisor);
int oracle_mod(struct oracle_program *program, int a, int64_t divisor);

int64_t oracle_value(const struct oracle_program *program, int expr, const int64_t *point);
bool oracle_holds(const struct oracle_program *program, const struct oracle_conds *conds,
        const int64_t *point);

/* The number of instances, or "limit" + 1 when there are more. */
int64_t oracle_instances(const struct oracle_program *program, int64_t limit);

/* Whether a tensor is read and written: then the order of instances may matter, and another nest
 * promises another one (property_legal judges which orders are refused). */
bool oracle_is_in_place(const struct oracle_program *program);

/* Set space_offset and the shape to the smallest array that holds all instances (extents at least
 * 1). */
void oracle_fit(struct oracle_program *program);

/* Count with the first "n_space" space and "n_time" time dimensions; links and buses must not refer
 * to the others (they are functions of n_space coordinates). */
void oracle_run(const struct oracle_program *program, int n_space, int n_time,
        enum oracle_wires wires, struct oracle_result *result);

#endif
