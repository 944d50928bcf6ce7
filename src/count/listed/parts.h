/* Loops in parts that nothing joins, and every row as a sum over parts.
 *
 * A row is one dimension of a stamp, of a tensor or of a bus. Loops that meet in one atom of a row
 * (a floor, a remainder) or in one condition are in one part. The terms of a row are as good as the
 * row, one row each, when it is a mixed-radix number of them: 3 * (oy/4 % 2) + ox % 3. Where it is
 * none (2 * ox + rx with rx < 3) terms are taken together as one summand, and their loops are
 * joined. In the end the loops' values are a product over the parts, and so are stamps, PEs and
 * elements.
 */
#ifndef SATOR_COUNT_LISTED_PARTS_H
#define SATOR_COUNT_LISTED_PARTS_H

#include "count/decline.h"
#include "relation/relation.h"

enum {
    LISTED_LOOPS = 32, /* most loops of a domain */
    LISTED_ROWS = 96, /* most rows, and most summands */
    LISTED_TERMS = 32, /* most terms of a row */
    LISTED_LIMITS = 32 /* most conditions of a domain */
};

/* Terms of a row that have to stay together. */
struct listed_summand {
    int part; /* of its loops */
    const struct sator_expr *expr;
    int64_t unit; /* > 0; divides all differences of its values */
    int64_t least, greatest; /* of its values, or beyond them */
};

struct listed_row {
    const struct sator_expr *expr;
    int first, n; /* its summands, the greatest unit first: as a number's digits, they order it */
    int64_t constant; /* its value is this and the summands' */
    int part; /* of all its summands; -1: they are of several, or there are none */
};

struct listed_parts {
    struct sator_arena *arena;
    int n_loops;
    int64_t lower[LISTED_LOOPS], last[LISTED_LOOPS]; /* inclusive: a box around the domain */
    int n_limits; /* of the domain, in that box: conditions on several loops, which are joined */
    struct {
        int loop; /* one of them */
        const struct sator_cond *cond;
    } limit[LISTED_LIMITS];
    int part_of[LISTED_LOOPS]; /* of a loop: a number below n_parts, in the end */
    int n_parts; /* a loop that nothing mentions is a part, too */
    int64_t n_instances[LISTED_LOOPS]; /* of a part, once they are found (lists.h) */
    const int64_t *instance[LISTED_LOOPS]; /* their numbers in its box; NULL: all of it */
    int n_rows, n_summands;
    struct listed_row row[LISTED_ROWS];
    struct listed_summand summand[LISTED_ROWS];
};

/* Functions that may meet what is not handled return NULL, or the reason why not. */

/* Each of the loops of "domain", not empty, a part of its own, but for those that its conditions
 * join. What is made later lives in "arena", as the expressions and conditions given must. */
const struct sator_decline *listed_parts_begin(
        struct sator_arena *arena, const struct sator_relation *domain, struct listed_parts *parts);

/* domain.c: set the box around the domain and its limits in it. */
const struct sator_decline *listed_read_domain(
        const struct sator_relation *domain, struct listed_parts *parts);

/* Set "own" to what an equality says of each term of its sum, where that is a mixed-radix number of
 * them: they hold together if and only if it does, and join fewer loops. False: it is none, or no
 * instance fulfils it. */
bool listed_take_apart(const struct listed_parts *parts, const struct sator_cond *equality,
        const struct sator_cond *own[LISTED_TERMS]);

/* Add a row. */
const struct sator_decline *listed_parts_add(
        struct listed_parts *parts, const struct sator_expr *expr);

/* The loops that an expression or a condition mentions. */
uint32_t listed_loops_of(const struct sator_expr *expr);
uint32_t listed_loops_of_cond(const struct sator_cond *cond);

/* Join loops into one part. */
void listed_parts_join(struct listed_parts *parts, uint32_t loops);

/* All rows are there: make the summands, join their loops, number the parts. */
const struct sator_decline *listed_parts_finish(struct listed_parts *parts);

#endif
