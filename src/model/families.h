/* Points of a plan that know each other's counts.
 *
 * Points belong to one family when their extents agree, or, of loops that are long, agree but for
 * whole periods of what the dataflow and the accesses do along them. Every count of a family is a
 * polynomial that is linear in each extent, or the greatest of such polynomials: so it is known at
 * all points from the corners of the box that they span, and one point inside (doc/counting.md,
 * "Many extents").
 */
#ifndef SATOR_MODEL_FAMILIES_H
#define SATOR_MODEL_FAMILIES_H

#include "model/model.h"
#include "model/questions.h"

struct sator_families;
struct sator_family;

/* The families of "n_points" points of "question", each a row of extents, of one a loop (GIVE:
 * sator_families_free); all that is given must outlive them. NULL where there are none. */
struct sator_families *sator_families_new(struct sator_ctx *ctx, const struct sator_model *model,
        const struct sator_model_question *question, int64_t n_points, const int64_t *extents);
void sator_families_free(struct sator_families *families);

/* The family of point number "point", to be asked of that point next; NULL: it has none that is
 * large enough to be worth it. Every point is taken once. */
struct sator_family *sator_families_take(
        struct sator_families *families, int64_t point, const int64_t *extents);

/* The answer to "question" at the point that was taken; "*known" is false where the corners do not
 * tell. SATOR_INTERRUPTED. */
enum sator_status sator_family_answer(struct sator_family *family, const struct question *question,
        sator_int *numbers, bool *known);

/* ---- families.c and family.c ---- */

enum {
    FAMILY_LOOPS = 6, /* most loops along which the points of a family differ */
    FAMILY_COUNTERS = 65 /* a corner each, and the middle */
};

struct sator_family {
    struct sator_families *all;
    int64_t n_points;
    int64_t *least, *greatest; /* extents of its points, one a loop */
    int n_loops, n_corners; /* 0 corners: it is not worth it */
    struct family_loop {
        int loop;
        int64_t period, width; /* the box is "width" periods long */
        int64_t at; /* of the point that was taken, in periods from the least */
    } * loops;
    const struct sator_relation **domains; /* of the corners, and of a point inside */
    struct sator_arena *arena; /* made on demand, as are the answers */
    struct sator_memo *answers;
};

struct sator_families {
    struct sator_ctx *ctx;
    const struct sator_model *model;
    const struct sator_model_question *question;
    struct sator_arena *arena;
    struct family_counter {
        struct sator_counter *counter; /* NULL: not made yet */
        const struct sator_family *family; /* whose question it was last asked */
        int corner, n_time, n_space;
    } counters[FAMILY_COUNTERS];
    int n_loops;
    int64_t n_points;
    int *family_of; /* one a point; -1: none */
    int n_families;
    struct sator_family *list;
    struct sator_memo *names; /* while points are sorted: the number of a family, by what its points
                                 have in common */
    size_t n_kept; /* numbers of all answers */
};

/* Set up the corners of a family whose points are known. */
void family_open(struct sator_family *family);
void family_close(struct sator_family *family);

#endif
