/* Integer lattices of moves, and their conformal generators.
 *
 * A move is an integer vector of digit differences. The moves that leave some rows as they are form
 * a lattice. Its Graver basis is the finite set of moves that are no sum of two others of the same
 * signs: every move of the lattice is a sum of basis elements each of which goes part of the way in
 * each coordinate. From a point of a box towards another one, every element of such a sum stays
 * inside the box.
 */
#ifndef SATOR_COUNT_CLOSED_LATTICE_H
#define SATOR_COUNT_CLOSED_LATTICE_H

#include "count/decline.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CLOSED_DIMS = 26, /* most coordinates of a move: digits, and what is measured of it */
    CLOSED_GENERATORS = 320 /* most elements of a Graver basis, of x and -x one */
};

/* All integer combinations of the vectors. */
struct closed_lattice {
    int n_dims, n;
    int64_t vector[CLOSED_DIMS][CLOSED_DIMS];
};

struct closed_generator {
    uint32_t above, below; /* coordinates > 0 and < 0 */
    int64_t at[CLOSED_DIMS];
};

struct closed_graver {
    long budget; /* comparisons of two vectors that making bases may still take */
    int n_dims, n;
    struct closed_generator element[CLOSED_GENERATORS];
};

/* Keep the vectors v with row . v = 0. If that are fewer, the one that completes them to a basis of
 * what was there before stays in vector[n]. */
const struct sator_decline *closed_lattice_kernel(
        const int64_t *row, struct closed_lattice *lattice);

/* Append the coordinate row . v to every vector. */
const struct sator_decline *closed_lattice_measure(
        const int64_t *row, struct closed_lattice *lattice);

/* The Graver basis of "lattice", of every pair x, -x one element; within graver->budget. */
const struct sator_decline *closed_graver_make(
        const struct closed_lattice *lattice, struct closed_graver *graver);

/* Whether "a" (negated when "negate") goes part of the way of "b" in each coordinate. */
bool closed_is_part(
        const struct closed_generator *a, bool negate, const struct closed_generator *b, int n);

/* Fill in the signs of "at". */
void closed_generator_signs(struct closed_generator *generator, int n);

#endif
