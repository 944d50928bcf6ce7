/* Arrays that words enter and leave at the edges (pass_through): a run of a skewed row lasts until
 * words have passed the PEs that idle, too (doc/simulate.md). */
#ifndef SATOR_SIMULATE_PASS_H
#define SATOR_SIMULATE_PASS_H

#include "simulate/machine.h"

/* A row of the time-stamp that is skewed along dimensions of such arrays. */
struct pass_row {
    int row;
    int64_t *skews; /* of each dimension of the space-stamp: stamps a step, not negative */
    int64_t *first, *last; /* coordinates that PEs use in the run at hand */
};

struct pass {
    const struct machine *machine;
    int n_rows;
    struct pass_row *rows;
};

/* SATOR_DECLINED with a message where an array passes words through and the stamps are no sums of
 * digits. */
enum sator_status pass_make(struct pass *pass, struct machine *machine);
/* The PEs that run something in a stamp. */
void pass_use(struct pass *pass, int64_t n_active, const int64_t *active);
/* The run of "row" is over: the cycles that it takes more. */
int64_t pass_end(struct pass *pass, struct pass_row *row);

#endif
