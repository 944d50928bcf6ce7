/* Kernels by the Euclidean algorithm; Graver bases by completion (Pottier). */
#include "count/closed/lattice.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

/* Entries stay below, so that products with coefficients and sums of two do not overflow. */
#define MOST_ENTRY ((int64_t)1 << 31)

static const struct sator_decline too_large = {"the moves between skewed stamps get too long"};
static const struct sator_decline too_many = {
        "the skewed stamps can be left in too many directions"};

/* ---- kernels ---- */

static bool fits(sator_int value)
{
    return value < MOST_ENTRY && value > -MOST_ENTRY;
}

static bool value_of(
        const int64_t *row, const struct closed_lattice *lattice, int i, int64_t *value)
{
    sator_int sum = 0;
    for (int d = 0; d < lattice->n_dims; d++)
        sum += (sator_int)row[d] * lattice->vector[i][d];
    *value = (int64_t)sum;
    return fits(sum);
}

/* vector[to] -= times * vector[from] */
static bool subtract(struct closed_lattice *lattice, int to, int from, int64_t times)
{
    bool all_fit = true;
    for (int d = 0; d < lattice->n_dims; d++) {
        sator_int value = lattice->vector[to][d] - (sator_int)times * lattice->vector[from][d];
        all_fit = all_fit && fits(value);
        lattice->vector[to][d] = (int64_t)value;
    }
    return all_fit;
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

const struct sator_decline *closed_lattice_kernel(
        const int64_t *row, struct closed_lattice *lattice)
{
    int64_t value[CLOSED_DIMS];
    for (int i = 0; i < lattice->n; i++) {
        if (!value_of(row, lattice, i, &value[i]))
            return &too_large;
    }
    for (;;) {
        int least = -1;
        int others = 0;
        for (int i = 0; i < lattice->n; i++) {
            if (value[i] != 0 && (least < 0 || magnitude(value[i]) < magnitude(value[least])))
                least = i;
        }
        if (least < 0)
            return NULL;
        for (int i = 0; i < lattice->n; i++) {
            if (i == least || value[i] == 0)
                continue;
            int64_t times = value[i] / value[least];
            value[i] -= times * value[least];
            others += value[i] != 0;
            if (!subtract(lattice, i, least, times))
                return &too_large;
        }
        if (others > 0)
            continue;
        int64_t pivot[CLOSED_DIMS];
        lattice->n--;
        memcpy(pivot, lattice->vector[least], sizeof pivot);
        memcpy(lattice->vector[least], lattice->vector[lattice->n], sizeof pivot);
        memcpy(lattice->vector[lattice->n], pivot, sizeof pivot);
        return NULL;
    }
}

const struct sator_decline *closed_lattice_measure(
        const int64_t *row, struct closed_lattice *lattice)
{
    assert(lattice->n_dims < CLOSED_DIMS);
    for (int i = 0; i < lattice->n; i++) {
        if (!value_of(row, lattice, i, &lattice->vector[i][lattice->n_dims]))
            return &too_large;
    }
    lattice->n_dims++;
    return NULL;
}

/* ---- Graver bases ---- */

void closed_generator_signs(struct closed_generator *generator, int n)
{
    generator->above = 0;
    generator->below = 0;
    for (int d = 0; d < n; d++) {
        generator->above |= (uint32_t)(generator->at[d] > 0) << d;
        generator->below |= (uint32_t)(generator->at[d] < 0) << d;
    }
}

bool closed_is_part(
        const struct closed_generator *a, bool negate, const struct closed_generator *b, int n)
{
    uint32_t above = negate ? a->below : a->above;
    uint32_t below = negate ? a->above : a->below;
    if ((above & ~b->above) != 0 || (below & ~b->below) != 0)
        return false;
    for (int d = 0; d < n; d++) {
        if (magnitude(a->at[d]) > magnitude(b->at[d]))
            return false;
    }
    return true;
}

/* Take elements from "rest" that are parts of it until none is: what is left, 0 if it is a sum of
 * them. */
static void reduce(const struct closed_graver *graver, struct closed_generator *rest, long *trials)
{
    int n = graver->n_dims;
    for (int i = 0; i < graver->n && (rest->above | rest->below) != 0;) {
        const struct closed_generator *element = &graver->element[i];
        bool negate = (element->above & rest->below) != 0 || (element->below & rest->above) != 0;
        --*trials;
        if (!closed_is_part(element, negate, rest, n)) {
            i++;
            continue;
        }
        int64_t times = INT64_MAX;
        assert((element->above | element->below) != 0);
        for (int d = 0; d < n; d++) {
            if (element->at[d] != 0 && magnitude(rest->at[d] / element->at[d]) < times)
                times = magnitude(rest->at[d] / element->at[d]);
        }
        for (int d = 0; d < n; d++)
            rest->at[d] -= (negate ? -times : times) * element->at[d];
        closed_generator_signs(rest, n);
    }
}

static const struct sator_decline *add(
        struct closed_graver *graver, struct closed_generator *candidate, long *trials)
{
    reduce(graver, candidate, trials);
    if ((candidate->above | candidate->below) == 0)
        return NULL;
    for (int d = 0; d < graver->n_dims; d++) {
        if (!fits(candidate->at[d]))
            return &too_large;
    }
    if (graver->n == CLOSED_GENERATORS)
        return &too_many;
    graver->element[graver->n++] = *candidate;
    return NULL;
}

/* Add what the sum (or difference) of two elements leaves. */
static const struct sator_decline *combine(
        struct closed_graver *graver, int i, int j, bool negate, long *trials)
{
    const struct closed_generator *a = &graver->element[i];
    const struct closed_generator *b = &graver->element[j];
    uint32_t above = negate ? b->below : b->above;
    uint32_t below = negate ? b->above : b->below;
    struct closed_generator sum = {.above = 0};
    if ((a->above & below) == 0 && (a->below & above) == 0)
        return NULL; /* the sum is conformal already */
    for (int d = 0; d < graver->n_dims; d++)
        sum.at[d] = a->at[d] + (negate ? -b->at[d] : b->at[d]);
    closed_generator_signs(&sum, graver->n_dims);
    return add(graver, &sum, trials);
}

/* Drop elements of which another one is a part. */
static void keep_minimal(struct closed_graver *graver)
{
    int kept = 0;
    for (int i = 0; i < graver->n; i++) {
        const struct closed_generator *element = &graver->element[i];
        bool minimal = true;
        for (int j = 0; j < graver->n && minimal; j++) {
            if (j == i)
                continue;
            const struct closed_generator *other = &graver->element[j];
            minimal = !closed_is_part(other, false, element, graver->n_dims) &&
                    !closed_is_part(other, true, element, graver->n_dims);
        }
        /* Equal elements are not added, so dropping one never drops its only witness. */
        if (minimal)
            graver->element[kept++] = *element;
    }
    graver->n = kept;
}

const struct sator_decline *closed_graver_make(
        const struct closed_lattice *lattice, struct closed_graver *graver)
{
    const struct sator_decline *why = NULL;
    graver->n_dims = lattice->n_dims;
    graver->n = 0;
    for (int i = 0; i < lattice->n && why == NULL; i++) {
        struct closed_generator element;
        memcpy(element.at, lattice->vector[i], sizeof element.at);
        closed_generator_signs(&element, lattice->n_dims);
        why = add(graver, &element, &graver->budget);
    }
    for (int i = 1; i < graver->n && why == NULL; i++) {
        for (int j = 0; j < i && why == NULL; j++) {
            why = combine(graver, i, j, false, &graver->budget);
            if (why == NULL)
                why = combine(graver, i, j, true, &graver->budget);
            if (why == NULL && graver->budget < 0)
                why = &too_many;
        }
    }
    if (why == NULL)
        keep_minimal(graver);
    return why;
}
