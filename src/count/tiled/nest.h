/* Tiled nests: loops as digits of mixed radix, each the time's, a PE's, or inside what a stamp
 * holds.
 *
 * Iteration n of a loop of N iterations is the number of its digits v, outermost first: n = sum of
 * place x v. The iterations are the digit vectors that come, in lexicographic order, no later than
 * the "top" ones, those of N - 1: so one path of them, the top's, is where tiles are cut short.
 *
 *      N = 20 in tiles of 8 in tiles of 2     n = 8 a + 2 b + c      top (2, 1, 1)
 *
 *      a    0 1 2                  a < 2: any b < 4, c < 2; a = 2: b = 0 and any c, or b = 1 and
 *                                  c <= 1
 *
 * A row (of time, of space, of a bus or of a tensor) is a sum of digits.
 */
#ifndef SATOR_COUNT_TILED_NEST_H
#define SATOR_COUNT_TILED_NEST_H

#include "count/count.h"
#include "count/decline.h"

enum {
    TILED_LOOPS = 24,
    TILED_DIGITS = 72, /* of all loops together */
    TILED_TERMS = 32, /* of a row */
    TILED_ROWS = 96,
    TILED_SPACES = 6, /* dimensions of a space-stamp (CLOSED_SPACES, for links) */
    TILED_PLACES = 32, /* accesses of one tensor */
    TILED_PART_LOOPS = 16 /* loops that one index adds up */
};

enum {
    TILED_NOWHERE = -1 /* a row of space that no space-stamp has */
};

enum tiled_kind {
    TILED_INSIDE, /* of what one stamp of one PE runs */
    TILED_TIME,
    TILED_SPACE
};

struct tiled_digit {
    int loop;
    int64_t place, size; /* n / place % size */
    int64_t top; /* of the last iteration */
    enum tiled_kind kind;
    int order; /* time: among all digits of time, outermost first */
    int row; /* space, time: the dimension ... */
    int64_t weight; /* ... and the digit's factor there */
    int64_t fixed; /* the only value of the instances that have the access; -1: any */
};

struct tiled_loop {
    int64_t lower, extent;
    int first, n_digits; /* outermost first */
    /* From this digit on (counted from "first") tops are the greatest values: nothing is cut short
     * any more. */
    int whole_from;
};

/* factor x (n / from % (to / from)), and such a row's sum with a constant. */
struct tiled_term {
    int64_t factor;
    int loop;
    int64_t from, to; /* to: INT64_MAX if there is none */
};
struct tiled_row {
    int n_terms;
    struct tiled_term term[TILED_TERMS];
    int64_t constant;
};

/* Loops that the indices of a tensor join, with these indices as one number:
 * floor((sum of step x digit + place) / divisor), a number for each place; a loop that indexes
 * nothing is a part, too. */
struct tiled_part {
    int n_loops, loop[TILED_PART_LOOPS];
    bool is_indexed;
    bool is_named; /* a number names all digits: no two iterations touch the same */
    int64_t divisor;
    int n_places;
    const int64_t *place;
};

static inline bool tiled_part_has(const struct tiled_part *part, int loop)
{
    for (int i = 0; i < part->n_loops; i++) {
        if (part->loop[i] == loop)
            return true;
    }
    return false;
}

struct tiled_nest {
    struct sator_arena *arena; /* of one question */
    const struct sator_stamping *stamping;
    int n_loops;
    struct tiled_loop loop[TILED_LOOPS];
    int n_digits;
    struct tiled_digit digit[TILED_DIGITS];
    int n_time; /* digits */
    int64_t origin[TILED_SPACES]; /* constants of the space rows */
    int n_rows;
    struct tiled_row *row[TILED_ROWS]; /* first those of time, then of space */
    int n_parts;
    struct tiled_part part[TILED_LOOPS];
    int64_t step[TILED_DIGITS]; /* of a digit in its part's number */
    bool is_whole; /* no tile is ever cut short, and all is counted, however large */
    sator_int instances;
};

/* What follows returns NULL, or the reason why the nest is not of this class. */

/* Begin with the stamping's rows; everything is made in "arena". */
const struct sator_decline *tiled_nest_begin(
        struct tiled_nest *nest, struct sator_arena *arena, const struct sator_stamping *stamping);
/* Add a row over the loops; "*row" is its number. */
const struct sator_decline *tiled_nest_add(
        struct tiled_nest *nest, const struct sator_expr *expr, int *row);
/* All rows are there: make the digits. */
const struct sator_decline *tiled_nest_finish(struct tiled_nest *nest);
/* Set the tops of a loop's digits, which have their places and sizes. */
void tiled_loop_finish(struct tiled_nest *nest, struct tiled_loop *loop);
/* Whether "term" is a digit of a loop, of which a row can be a sum. */
bool tiled_nest_reads(const struct tiled_nest *nest, const struct sator_term *term);
/* Set named[d] for each digit d of a row that is a mixed-radix number of digits: it names them. */
const struct sator_decline *tiled_nest_names(const struct tiled_nest *nest, int row, bool *named);
/* The digits of the coordinates, row by row, heaviest first. */
struct tiled_coordinates {
    int n, first[TILED_SPACES + 1]; /* of each row, and the last one's end */
    int digit[TILED_DIGITS];
};
void tiled_nest_coordinates(const struct tiled_nest *nest, struct tiled_coordinates *all);
/* Fix the digits of a row, as "names", where it is 0. */
const struct sator_decline *tiled_nest_fix(struct tiled_nest *nest, int row);
/* Add its weight to "step" for each digit of a row. */
const struct sator_decline *tiled_nest_weigh(const struct tiled_nest *nest, int row, int64_t *step);
/* Whether the sum of step x digit over the digits of "loops" (bits) names all of them. */
bool tiled_nest_is_named(const struct tiled_nest *nest, unsigned loops, const int64_t *step);

/* ---- indices.c ---- */
struct tiled_access;
/* Add the rows of a tensor's indices, before the nest is finished. */
const struct sator_decline *tiled_access_add(
        struct tiled_nest *nest, const struct sator_relation *access, struct tiled_access **added);
/* Make the parts, after it. */
const struct sator_decline *tiled_access_finish(
        struct tiled_nest *nest, const struct tiled_access *added);

/* ---- nest.c, of a finished nest ---- */

/* The distinct vectors of a loop's digits of kinds "kinds" (bits). */
int64_t tiled_loop_count(const struct tiled_nest *nest, int loop, unsigned kinds);
/* The greatest sum of weight x digit, and an instance (all loops) that has it; |sum| < 2^62. */
int64_t tiled_nest_most(const struct tiled_nest *nest, const int64_t *weight, int64_t *instance);
/* The greatest value of a space row, and an instance that has it. */
int64_t tiled_nest_reach(const struct tiled_nest *nest, int dim, int64_t *instance);

#endif
