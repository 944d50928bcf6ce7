/* The image of the digit boxes under a list of forms: distinct vectors of stamps and indices, as
 * boxes again.
 *
 * Digits whose columns are proportional act as one number: they are merged into axes whose values
 * have no gaps (a 1-D sumset). Axes with proportional columns that remain are written with weights
 * that make their sum a mixed-radix number, so the map from the axes' boxes to the image is a
 * bijection; when the columns have another dependence the image is declined. A class is the set of
 * axes that share a direction.
 */
#ifndef SATOR_COUNT_CLOSED_IMAGE_H
#define SATOR_COUNT_CLOSED_IMAGE_H

#include "count/closed/boxes.h"
#include "count/closed/slabs.h"

enum {
    CLOSED_PARAMETERS = 3,
    CLOSED_TRIES = 128 /* combinations of parameters */
};

struct closed_axis {
    int class;
    int64_t weight; /* > 0: the class's value is the sum of weight * axis */
    int64_t span; /* greatest difference of two values of the axis */
};

/* Loops whose digits meet in an axis, with the disjoint boxes of their axes. */
struct closed_factor {
    uint32_t loops;
    int first_axis;
    struct closed_boxes boxes;
};

/* Solve "row", in which only "class" is not yet known. Rows from n_rows on are combinations. */
struct closed_step {
    int row, class;
    uint32_t others; /* the classes in the row that are known */
    int64_t divisor; /* what the class has in the row */
};

struct closed_image {
    int n_rows, n_classes, n_axes, n_factors, n_steps, n_parameters;
    int64_t constant[CLOSED_ROWS];
    int64_t column[CLOSED_ROWS * 2][CLOSED_DIGITS]; /* [row][class]; then the combined rows */
    int64_t combine[CLOSED_ROWS]
                   [CLOSED_ROWS]; /* combined row i = sum over rows r of combine[i][r] * r */
    uint32_t uses[CLOSED_ROWS * 2]; /* [row]: the classes with a coefficient */
    struct closed_axis axis[CLOSED_DIGITS];
    int axis_of_digit[CLOSED_DIGITS]; /* -1 for a digit that no row uses */
    struct closed_factor factor[CLOSED_LOOPS];
    struct closed_step step[CLOSED_DIGITS];
    uint64_t unsolved; /* rows that no step solves: they have to agree */
    int parameter[CLOSED_PARAMETERS]; /* classes that no row determines: their few values are tried
                                       */
    int64_t span[CLOSED_DIGITS]; /* of each class: the greatest difference of two values */
    int only_axis[CLOSED_DIGITS]; /* of each class; -2: it has several */
};

/* A part of an image: some boxes of each factor, and bounds on rows that involve several axes. */
struct closed_region {
    bool is_empty; /* whatever the rest says: an image may have no factors */
    struct closed_boxes factor[CLOSED_LOOPS];
    struct closed_interval slab[CLOSED_ROWS];
};

/* Why there is no image: fixed digits leave no digit vector. */
extern const struct sator_decline closed_image_empty;

/* The image of all digit vectors under "rows", which closed_form_check accepts. The lists are made
 * in "pool". */
const struct sator_decline *closed_image_make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        struct closed_image *image);

/* As closed_image_make, without the proof that the map is a bijection: every digit is an axis of
 * its own. */
const struct sator_decline *closed_image_make_all(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        struct closed_image *image);

/* Set the steps of an image whose classes are made: of closed_image_make. */
const struct sator_decline *closed_image_order(struct closed_image *image);

/* The vectors v of axes with image(v) = "rhs" that two points of the image can differ by:
 * "*n_shifts" of them into "shift". */
const struct sator_decline *closed_image_solve(const struct closed_image *image, const int64_t *rhs,
        int most_shifts, int64_t (*shift)[CLOSED_DIGITS], int *n_shifts);

/* Whether no move but 0 has image 0: what an image with parameters has to show. */
bool closed_image_is_bijection(const struct closed_image *image);

/* All of the image. */
void closed_region_all(const struct closed_image *image, struct closed_region *region);

/* Cut "region" to the points whose row "row" is in "slab". */
const struct sator_decline *closed_region_clip(struct closed_pool *pool,
        const struct closed_image *image, int row, struct closed_interval slab,
        struct closed_region *region);

/* "region" intersected with the whole image moved by "shift". */
const struct sator_decline *closed_region_move(struct closed_pool *pool,
        const struct closed_image *image, const int64_t *shift, const struct closed_region *region,
        struct closed_region *result);

/* The number of points of a region. */
const struct sator_decline *closed_region_count(
        const struct closed_image *image, const struct closed_region *region, sator_int *count);

static inline int64_t closed_image_coef(const struct closed_image *image, int row, int axis)
{
    return image->column[row][image->axis[axis].class] * image->axis[axis].weight;
}

#endif
