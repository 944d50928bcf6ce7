/* Integer sets and relations as the user writes them: quasi-affine expressions, conditions, tuples.
 *
 * Plain data in an arena, immutable once made. Reading and writing use isl's notation; what is
 * written reads back as the same thing. Nothing here needs isl; relation/bridge.h turns these into
 * isl objects.
 */
#ifndef SATOR_RELATION_RELATION_H
#define SATOR_RELATION_RELATION_H

#include "base/context.h"

/* constant + sum of factor * atom; an atom is a variable, floor(argument / divisor) or argument %
 * divisor, with divisor > 0. Terms have non-zero factors and different atoms, variables first in
 * ascending order. */
struct sator_expr {
    int64_t constant;
    int n_terms;
    const struct sator_term *terms;
};

enum sator_atom {
    SATOR_ATOM_VAR,
    SATOR_ATOM_FLOOR,
    SATOR_ATOM_MOD
};

struct sator_term {
    int64_t factor;
    enum sator_atom atom;
    int var; /* SATOR_ATOM_VAR: index into the piece's variables */
    const struct sator_expr *argument; /* otherwise */
    int64_t divisor;
};

enum sator_cond_op {
    SATOR_COND_TRUE,
    SATOR_COND_EQUAL, /* expr = 0 */
    SATOR_COND_NOT_EQUAL,
    SATOR_COND_AT_LEAST, /* expr >= 0 */
    SATOR_COND_AND,
    SATOR_COND_OR,
    SATOR_COND_NOT,
    SATOR_COND_EXISTS /* variables [first_var, first_var + n_vars) are bound in kids[0] */
};

struct sator_cond {
    enum sator_cond_op op;
    const struct sator_expr *expr;
    int n_kids;
    const struct sator_cond *const *kids;
    int first_var, n_vars;
};

/* One disjunct of a relation: { In[v0..] -> Out[out..] : cond }. Variables 0 .. n_in-1 are the
 * input tuple; the next n_free are further variables of the piece's scope (an output that is given
 * by conditions instead of an expression, bound variables of "exists"), existentially quantified
 * where they are no output. */
struct sator_piece {
    int n_free;
    const char *const *names; /* n_in + n_free variable names */
    const struct sator_expr *const *out; /* n_out expressions over all variables */
    const struct sator_cond *cond; /* never NULL */
    struct sator_loc loc;
};

/* A union of pieces with equal tuples. A set has no output tuple: is_set, n_out = 0, out_name NULL.
 */
struct sator_relation {
    bool is_set;
    const char *in_name, *out_name;
    int n_in, n_out;
    int n_pieces;
    const struct sator_piece *pieces;
    struct sator_loc loc;
};

/* ---- expressions (NULL and an error message at "loc" when a number leaves 64 bits) ---- */

const struct sator_expr *sator_expr_constant(struct sator_arena *arena, int64_t value);
const struct sator_expr *sator_expr_var(struct sator_arena *arena, int var);
/* a + factor * b; NULL when a number overflows. */
const struct sator_expr *sator_expr_add(struct sator_arena *arena, const struct sator_expr *a,
        int64_t factor, const struct sator_expr *b);
/* floor(a / divisor) and a % divisor, divisor > 0; constants fold. */
const struct sator_expr *sator_expr_floor(
        struct sator_arena *arena, const struct sator_expr *a, int64_t divisor);
const struct sator_expr *sator_expr_mod(
        struct sator_arena *arena, const struct sator_expr *a, int64_t divisor);
bool sator_expr_equal(const struct sator_expr *a, const struct sator_expr *b);
bool sator_expr_is_constant(const struct sator_expr *a);
/* Whether variable "var" stands anywhere in "a". */
bool sator_expr_has_var(const struct sator_expr *a, int var);
/* The value at "point" (one number a variable); false on overflow. */
bool sator_expr_value(const struct sator_expr *a, const int64_t *point, int64_t *value);
/* "a" with every variable v replaced by replacements[v] (NULL on overflow). */
const struct sator_expr *sator_expr_substitute(struct sator_arena *arena,
        const struct sator_expr *a, const struct sator_expr *const *replacements);
/* Bounds of "a" when variable v ranges over [lower[v], upper[v]]: a superset of the values; false
 * on overflow. */
bool sator_expr_range(const struct sator_expr *a, const int64_t *lower, const int64_t *upper,
        int64_t *least, int64_t *greatest);

/* ---- conditions; constant parts fold away ---- */

bool sator_cond_is_false(const struct sator_cond *cond);
/* "difference" = 0, != 0 or >= 0. */
const struct sator_cond *sator_cond_compare(
        struct sator_arena *arena, enum sator_cond_op op, const struct sator_expr *difference);
const struct sator_cond *sator_cond_and(
        struct sator_arena *arena, int n_kids, const struct sator_cond *const *kids);
const struct sator_cond *sator_cond_or(
        struct sator_arena *arena, int n_kids, const struct sator_cond *const *kids);
const struct sator_cond *sator_cond_not(struct sator_arena *arena, const struct sator_cond *kid);
/* "cond" with every variable v replaced by replacements[v], bound variables moved up by
 * "first_var_shift" (their replacements are the moved variables); NULL on overflow. */
const struct sator_cond *sator_cond_substitute(struct sator_arena *arena,
        const struct sator_cond *cond, const struct sator_expr *const *replacements,
        int first_var_shift);
bool sator_cond_has_exists(const struct sator_cond *cond);
/* Whether variable "var" stands anywhere in "cond". */
bool sator_cond_has_var(const struct sator_cond *cond, int var);
/* Whether "cond" holds at "point"; false (nothing decided) on overflow or for a condition with
 * "exists". */
bool sator_cond_holds(const struct sator_cond *cond, const int64_t *point, bool *holds);
/* Whether "cond" holds wherever each variable v lies in [lower[v], upper[v]], as far as ranges of
 * its expressions tell. */
bool sator_cond_holds_within(
        const struct sator_cond *cond, const int64_t *lower, const int64_t *upper);

/* ---- relations ---- */

/* The set { name[names...] : lower[i] <= names[i] < upper[i] }. */
const struct sator_relation *sator_set_box(struct sator_arena *arena, const char *name, int n_dims,
        const char *const *dim_names, const int64_t *lower, const int64_t *upper);
/* The single-piece relation { in[names...] -> out[exprs...] : cond }; cond NULL for true. */
const struct sator_relation *sator_relation_make(struct sator_arena *arena, const char *in_name,
        int n_in, const char *const *names, const char *out_name, int n_out,
        const struct sator_expr *const *out, const struct sator_cond *cond);
/* The relation's only piece when it is one unconditional function of its input, else NULL. */
const struct sator_piece *sator_relation_function(const struct sator_relation *relation);
/* If "set" is a box, its bounds (upper exclusive) into arrays of n_in; false otherwise.
 * Recognises conjunctions of bounds on single variables. */
bool sator_set_is_box(const struct sator_relation *set, int64_t *lower, int64_t *upper);
/* Whether a condition of "set" may join variable "var" with others, or leave a gap in its values:
 * one that is no limit of it. Of one that is not tied the set has all values of its hull, whatever
 * the others are. */
bool sator_set_ties(const struct sator_relation *set, int var);

/* Whether "map" leads from a point of 0 <= p < shape to another point there ("apart"), or to any;
 * whether it leads from two points of 0 <= p < shape to the same one. True where the work limit
 * does not let it be found out. */
bool sator_map_joins(
        struct sator_ctx *ctx, const struct sator_relation *map, const int64_t *shape, bool apart);
bool sator_map_shares(
        struct sator_ctx *ctx, const struct sator_relation *map, const int64_t *shape);
/* The lexicographically smallest point of "set" (bounded) that fulfils "cond", a condition over the
 * set's variables alone; false when there is none, or the work limit does not let it be found. */
bool sator_set_find(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_relation *set, const struct sator_cond *cond, int64_t *point);

/* ---- reading (isl notation; all errors located in "loc.source" from loc.offset on) ---- */

/* Everything that may be read is a piece of a source: text = source->text + loc.offset, loc.length
 * bytes. */

/* A set "{ S[i,j] : 0 <= i,j < 4 }" or a relation "{ S[i,j] -> A[i+j] : ...; ... }". */
enum sator_status sator_relation_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, const struct sator_relation **relation);
/* What the extents in a tuple stand for: "PE.1" is dimension 1 of the array PE, "shape.2" dimension
 * 2 of all arrays together, the outermost array's first; where an array is called "shape", it is
 * that array's. A variable has no dot in its name. */
struct sator_extents {
    int n_arrays; /* outermost first; -1: not known yet, so that only the form can be judged */
    const struct sator_extent_array {
        const char *name;
        int n_dims;
        const int64_t *shape;
    } * arrays;
};
/* A tuple "PE[i%8, j%8]" or a bare list "i%8, j%8" over given variables; unknown names are errors
 * with the nearest name. "*name" is NULL for a bare list. Without "extents" (NULL) there are none.
 */
enum sator_status sator_tuple_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, int n_vars, const char *const *var_names,
        const struct sator_extents *extents, const char **name, int *n_exprs,
        const struct sator_expr *const **exprs);
/* A condition over given variables, as in a workload's "where". */
enum sator_status sator_cond_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, int n_vars, const char *const *var_names,
        const struct sator_cond **cond);
/* An einsum "Y[k,x] += A[c, x+r] * B[k,c,r]" over given loops: the written tensor first. "=" is
 * read like "+=". */
struct sator_einsum_access {
    const char *tensor;
    bool is_write;
    int n_index;
    const struct sator_expr *const *index;
    struct sator_loc loc;
};
enum sator_status sator_einsum_read(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, int n_loops, const char *const *loop_names, int *n_accesses,
        struct sator_einsum_access **accesses);

/* ---- writing ---- */

/* Whether expressions and conditions read "name" as one of their words (floor, max, and, ...). */
bool sator_is_notation(const char *name);

struct sator_text;
void sator_expr_write(
        struct sator_text *text, const struct sator_expr *expr, const char *const *names);
void sator_relation_write(struct sator_text *text, const struct sator_relation *relation);
/* "PE[i%8, j%8]" */
void sator_tuple_write(struct sator_text *text, const char *name, int n_exprs,
        const struct sator_expr *const *exprs, const char *const *names);

#endif
