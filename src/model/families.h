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

enum {
    FAMILY_LOOPS = 6, /* most loops along which the points of a family differ */
    FAMILY_COUNTERS = 65 /* a corner each, and the middle */
};

/* Numbers that are found out about a point as a whole, and follow the law of counts among points
 * that lie multiples of "step" periods apart along each of the family's loops. */
struct family_study {
    int n_name; /* what tells it from others; QUESTION_NAME + 1: nothing does */
    int64_t name[QUESTION_NAME];
    int64_t step[FAMILY_LOOPS];
    bool looks_around; /* a stamp's numbers depend on what those next to it look back at, too */
    int n_numbers;
    /* Find them for "workload", which has the extents of a corner; "family" was taken for it, or is
     * NULL where it lies outside of the family's box. */
    enum sator_status (*find)(void *of, const struct sator_workload *workload,
            struct sator_family *family, struct sator_workspace *workspace, sator_int *numbers,
            bool *known);
    void *of;
};

/* The numbers of "study" at the point that was taken, from those of corners, once enough points
 * have asked; "*known" is false where these do not tell. SATOR_INTERRUPTED. */
enum sator_status sator_family_study(struct sator_family *family, const struct family_study *study,
        sator_int *numbers, bool *known);

/* ---- families.c and family.c ---- */

/* Points of a family, "step" periods apart along each of its loops: the first of them, in periods
 * from the family's least, and how many steps further the last is. */
struct family_box {
    int64_t first[FAMILY_LOOPS], step[FAMILY_LOOPS], width[FAMILY_LOOPS];
};

struct sator_family {
    struct sator_families *all;
    int64_t n_points;
    int64_t *least, *greatest; /* extents of its points, one a loop */
    int n_loops, n_corners; /* 0 corners: it is not worth it */
    struct family_loop {
        int loop;
        int64_t period;
        int first_row; /* of time, that the loop moves; all of them: none */
        int64_t n_least; /* periods of the least extent, the last one perhaps cut short */
        int64_t blur; /* periods in which an instance may be, given rows that the loop moves */
        int64_t at; /* of the point that was taken, in periods from the least */
    } * loops;
    struct family_box box; /* of all points */
    const struct sator_relation **domains; /* of its corners, and of a point inside */
    struct sator_arena *arena; /* made on demand, as are the answers */
    struct sator_memo *answers;
};

struct sator_families {
    struct sator_ctx *ctx;
    const struct sator_model *model;
    const struct sator_model_question *question;
    struct sator_arena *arena;
    struct sator_workspace *workspace; /* of studies; NULL: none yet */
    struct family_counter {
        struct sator_counter *counter; /* NULL: not made yet */
        const struct sator_family *family; /* whose question it was last asked */
        int corner, n_time, n_space;
    } counters[FAMILY_COUNTERS];
    int n_loops;
    int64_t back; /* stamps that a count looks back */
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
