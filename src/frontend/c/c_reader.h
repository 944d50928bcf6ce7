/* From one nest to a workload: its loops' bounds, its statement's accesses. */
#ifndef SATOR_FRONTEND_C_READER_H
#define SATOR_FRONTEND_C_READER_H

#include "frontend/c/c_nests.h"
#include "relation/workload.h"

/* Something that keeps a nest from being read. */
struct c_fault {
    struct sator_loc loc;
    const char *message;
    const char *help; /* how to rewrite it; lines, or NULL */
};

struct c_reader {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct c_file *file;
    const struct c_nest *nest;
    const struct sator_input_options *options;
    int n_handed_on; /* calls whose argument is being found out */
    int n_loops; /* read so far: the variables of expressions */
    const struct c_symbol **iterators;
    const char **names;
    int64_t *least, *greatest; /* bounds of each iterator's values, both included */
    bool bounded; /* no loop so far had a fault, so the bounds hold */
    int n_bounded; /* the loops whose bounds are known: all, or all but the one being read */
    int n_unchecked; /* expressions over its iterator, whose types are checked then */
    struct c_unchecked {
        const struct c_node *node;
        const struct sator_expr *expr;
        bool is_compared;
    } * unchecked;
    int n_conditions;
    const struct sator_cond **conditions;
    int n_accesses;
    struct c_access *accesses;
    int n_faults;
    struct c_fault *faults;
};

/* One element that the statement reads or writes. */
struct c_access {
    const struct c_symbol *tensor;
    enum sator_role role;
    int n_index;
    const struct sator_expr **index;
    struct sator_loc *index_loc;
    const int64_t *extents; /* n_index; -1: not declared */
    struct sator_loc loc;
};

/* Record a fault; the reader goes on to find the next. "help" may be NULL. */
__attribute__((format(printf, 4, 5))) void c_fault(
        struct c_reader *reader, struct sator_loc loc, const char *help, const char *format, ...);

/* Whether a fault with this message was recorded, wherever: what is said of a name is said once. */
bool c_has_fault(const struct c_reader *reader, const char *message);

/* Read the nest into a workload named "name"; NULL when it has faults. */
const struct sator_workload *c_read_nest(struct c_reader *reader, const char *name);

/* Steps of it. */
void c_read_loops(struct c_reader *reader);
void c_read_statement(struct c_reader *reader);

/* "node" as an affine expression over the loops read so far; NULL after a fault. "what" names it:
 * "bound". */
const struct sator_expr *c_affine(
        struct c_reader *reader, const struct c_node *node, const char *what);

/* Check the expressions that waited for the bounds of the loop being read, over its values and the
 * one that ends it ("step" further). */
void c_check_waiting(struct c_reader *reader, int64_t step);

/* The value of an integer that is the same throughout: given with --set sizes.NAME, declared with a
 * constant and never changed, or a parameter that every call in the file gives the same constant.
 */
bool c_symbol_value(struct c_reader *reader, struct c_symbol *symbol, int64_t *value);

#endif
