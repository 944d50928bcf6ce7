/* What a relation holds for one point of its input, by evaluation instead of algebra. Private to
 * the general engine. */
#ifndef SATOR_COUNT_GENERAL_IMAGES_H
#define SATOR_COUNT_GENERAL_IMAGES_H

#include "count/general/stamps.h"

/* Tuples of "width" numbers, one after another. */
struct sator_tuples {
    int width;
    size_t n, capacity;
    int64_t *cells;
};

static inline int64_t *sator_tuples_get(const struct sator_tuples *tuples, size_t index)
{
    return tuples->cells + index * (size_t)tuples->width;
}

/* Append a tuple and return it, to be filled; valid until the next one. */
int64_t *sator_tuples_add(struct sator_tuples *tuples);
void sator_tuples_clear(struct sator_tuples *tuples);

/* Sort "tuples" and drop repetitions; "ids" (one for each of the old ones; may be NULL) get the new
 * places. */
void sator_tuples_number(struct sator_tuples *tuples, int32_t *ids);
/* The place of "tuple" among sorted tuples, or -1. */
int64_t sator_tuples_find(const struct sator_tuples *tuples, const int64_t *tuple);

/* A relation or set ready to be asked (GIVE: sator_images_close). "n_used": its leading output
 * dimensions in use. */
struct sator_images;
enum sator_status sator_images_open(struct sator_stamps *stamps,
        const struct sator_relation *relation, int n_used, isl_set *range,
        SATOR_GIVE struct sator_images **images);
void sator_images_close(SATOR_TAKE struct sator_images *images);

/* Append the images of "point" to "tuples" (of width n_used), perhaps with repetitions. A set has
 * the empty image of each of its points. */
enum sator_status sator_images_add(
        struct sator_images *images, const int64_t *point, struct sator_tuples *tuples);

#endif
