/* A mapping of a random problem as a part of the certificates' space, some of it forgotten. */
#ifndef TEST_CERTIFICATE_CASE_H
#define TEST_CERTIFICATE_CASE_H

#include "certificate/cert_bound.h"
#include "property/mapper_case.h"

/* The number that certificates give the problem's choice of what bypasses what. */
static inline unsigned choice_of(const struct mapper_problem *p)
{
    unsigned choice = 0;
    int bit = 0;

    for (int m = 0; m < p->n_memories; m++) {
        for (int a = 0; a < p->n_accesses; a++) {
            if (p->memory[m].may_bypass >> a & 1)
                choice |= (p->memory[m].bypassed >> a & 1) << bit++;
        }
    }
    return choice;
}

/* The space of certificates that is the problem's. */
static inline struct cert_space space_of(const struct mapper_problem *p)
{
    struct cert_space space = {.choice = choice_of(p), .is_skewed = p->skew != NULL};

    for (int r = 0; r < p->n_rows && p->skew != NULL; r++)
        space.step[r] = p->skew->step[r];
    return space;
}

/* Set the factors of memories' rows, of which the first "known" are decided, from the outermost
 * memory inward: what is not stands at the memory outside. */
static inline void set_tiles(const struct cert_problem *c, int64_t (*factor)[CERT_LOOPS], int known,
        struct cert_part *part)
{
    int row[CERT_LOOPS]; /* where what is not decided of a loop stands */

    for (int k = 0; k < c->n_loops * c->n_memories; k++) {
        int own = c->memory[k / c->n_loops].row, i = k % c->n_loops;
        if (k < c->n_loops || k - c->n_loops < known) {
            part->known[own] |= 1U << i;
            row[i] = own;
        }
        part->factor[row[i]][i] *= factor[own][i];
    }
    for (int m = 0; m + 1 < c->n_memories; m++) {
        unsigned inside = part->known[c->memory[m + 1].row];
        if (part->known[c->memory[m].row] != 0 && inside != (1U << c->n_loops) - 1)
            part->loose |= 1U << c->memory[m].row;
    }
}

/* The same from the innermost memory outward: what is not decided stands nowhere yet. */
static inline void set_tiles_outward(const struct cert_problem *c, int64_t (*factor)[CERT_LOOPS],
        int known, struct cert_part *part)
{
    const int inside = c->n_loops * (c->n_memories - 1);

    for (int k = 0; k < c->n_loops * c->n_memories; k++) {
        int own = c->memory[c->n_memories - 1 - k / c->n_loops].row, i = k % c->n_loops;
        if (known >= inside || k < known) { /* the outermost memory has the rest */
            part->known[own] |= 1U << i;
            part->factor[own][i] = factor[own][i];
        }
    }
}

/* The mapping's factors; what comes after the first "known" decisions is forgotten: parallel
 * factors of all rows, then tiles from the outermost memory inward, or "outward". "is_ordered": but
 * the order of the loops along arrays is known. */
static inline void forget(const struct cert_problem *c, const struct mapper_problem *p,
        const struct mapper_mapping *mapping, int known, bool outward, bool is_ordered,
        struct cert_part *part)
{
    int row[MAPPER_ROWS], q = 0, n = 0; /* the certificate's row of each of the mapper's */
    int64_t factor[CERT_ROWS][CERT_LOOPS];

    memset(part, 0, sizeof *part);
    for (int r = 0; r < c->n_rows; r++) {
        for (int i = 0; i < CERT_LOOPS; i++)
            part->factor[r][i] = factor[r][i] = 1;
        for (int k = 0; k < (c->row[r].is_space ? c->row[r].n_shapes : 1); k++)
            row[q++] = r;
    }
    assert_int_equal(q, p->n_rows);
    for (int k = 0; k < p->n_rows; k++) {
        for (int i = 0; i < c->n_loops; i++)
            factor[row[k]][i] *= mapping->factor[k][i];
    }
    for (int r = c->n_rows - 1; r >= 0; r--) {
        for (int i = 0; i < c->n_loops && c->row[r].is_space; i++) {
            if (n++ >= known)
                continue;
            part->known[r] |= 1U << i;
            part->factor[r][i] = factor[r][i];
        }
    }
    part->is_unrolled = known >= n;
    if (part->is_unrolled)
        (outward ? set_tiles_outward : set_tiles)(c, factor, known - n, part);
    for (int k = 0; k < p->n_rows && part->is_unrolled && is_ordered; k++) {
        int r = row[k];
        if (!c->row[r].is_space || c->row[r].n_shapes > 1 || !cert_order_matters(c, r))
            continue;
        for (int i = p->n_loops - 1; i >= 0; i--) {
            if (part->factor[r][mapping->along[k][i]] > 1)
                part->along[r][part->n_along[r]++] = mapping->along[k][i];
        }
        cert_order_row(c, part, r);
    }
}

#endif
