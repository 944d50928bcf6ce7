/* What a transfer without links moves, by products (timing_parts.c has the idea): the sets of
 * digits that no index joins, and what each says of a stamp and the one before. */
#ifndef SATOR_MODEL_TIMING_PARTS_H
#define SATOR_MODEL_TIMING_PARTS_H

#include "model/timing/timing_nest.h"

/* The pairs, and those that are left out, of each place (an instance or a holder) of a part. */
struct share {
    int64_t place, all, out;
};
struct shares {
    int n;
    struct share *list;
    bool are_alike; /* but for the place */
};

/* What a part says of a stamp and the one before: these depend on which digits are there in each,
 * and on how far the digits that they fix are apart. */
struct step {
    int64_t *key;
    struct shares sent, arrived; /* in the stamp */
    struct shares got; /* the same, where one of those on a tree gets the word */
    struct shares taken, taken_got; /* the same, to those alone that take up old sums */
    struct shares stored; /* of the one before */
    struct shares started; /* in the stamp, where nobody had its elements: left out are sums that
                              start from zero */
    bool is_even; /* several families of buses are like one */
    bool is_shared; /* several instances hold an element on one bus or tree */
};

struct part {
    int n_digits;
    int digits[NEST_DIGITS];
    uint64_t loops;
    int n_steps;
    struct step *steps;
};

struct parts {
    const struct nest *nest;
    const struct timing_transfer *transfer;
    const struct nest_access *access;
    const struct sator_piece *piece;
    bool fits, is_output;
    bool is_one_sum; /* each element is one sum in a stamp: instances that hold it share a tree */
    int n_fixed;
    int64_t constant, holder_constant; /* the first place */
    bool keeps[NEST_DIGITS]; /* space dimensions that tell buses apart */
    int64_t shape_below[NEST_DIGITS], holder_below[NEST_DIGITS]; /* what one step there adds */
    int n;
    struct part part[NEST_DIGITS];
};

/* Whether the prefixes fix the digit. */
static inline bool parts_fix(const struct parts *p, int digit)
{
    int order = p->nest->digits[digit].order;

    return order >= 0 && order < p->n_fixed;
}

/* Whether the digit tells PEs apart. */
static inline bool parts_has_weight(const struct parts *p, int digit)
{
    return nest_is_along(p->nest, digit, 0, p->transfer->n_space);
}

/* ---- timing_steps.c ---- */

/* What "part" says of "stamp" (NULL: none) and the one before; NULL: it has too many pairs. */
const struct step *parts_find_step(struct parts *p, struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp);

/* ---- timing_tallies.c ---- */

/* The same, pair by pair; false: there are too many. */
bool parts_list_step(struct parts *p, const struct part *part, const struct nest_stamp *before,
        const struct nest_stamp *stamp, struct step *step);

#endif
