#include "count/general/images.h"

#include "base/arena.h"
#include "relation/explicit.h"

#include <stdlib.h>
#include <string.h>

/* ---- tuples ---- */

int64_t *sator_tuples_add(struct sator_tuples *tuples)
{
    if (tuples->n == tuples->capacity) {
        tuples->capacity = tuples->capacity ? 2 * tuples->capacity : 16;
        tuples->cells = sator_realloc(tuples->cells,
                sizeof *tuples->cells * (tuples->capacity * (size_t)tuples->width + 1));
    }
    return sator_tuples_get(tuples, tuples->n++);
}

void sator_tuples_clear(struct sator_tuples *tuples)
{
    free(tuples->cells);
    *tuples = (struct sator_tuples){.width = tuples->width};
}

/* A tuple to be sorted: qsort gives its comparison no context, so each carries its width. */
struct sorted {
    const int64_t *tuple;
    size_t index;
    int width;
};

static int compare_tuples(const int64_t *a, const int64_t *b, int width)
{
    for (int c = 0; c < width; c++)
        if (a[c] != b[c])
            return a[c] < b[c] ? -1 : 1;
    return 0;
}

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    return compare_tuples(x->tuple, y->tuple, x->width);
}

void sator_tuples_number(struct sator_tuples *tuples, int32_t *ids)
{
    struct sorted *order = sator_alloc(sizeof *order * (tuples->n + 1));
    struct sator_tuples distinct = {.width = tuples->width};

    for (size_t i = 0; i < tuples->n; i++)
        order[i] = (struct sorted){sator_tuples_get(tuples, i), i, tuples->width};
    qsort(order, tuples->n, sizeof *order, compare_sorted);
    for (size_t i = 0; i < tuples->n; i++) {
        if (i == 0 || compare_sorted(&order[i], &order[i - 1]) != 0)
            memcpy(sator_tuples_add(&distinct), order[i].tuple,
                    sizeof *order[i].tuple * (size_t)tuples->width);
        if (ids)
            ids[order[i].index] = (int32_t)(distinct.n - 1);
    }
    free(order);
    sator_tuples_clear(tuples);
    *tuples = distinct;
}

int64_t sator_tuples_find(const struct sator_tuples *tuples, const int64_t *tuple)
{
    size_t low = 0, high = tuples->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_tuples(sator_tuples_get(tuples, middle), tuple, tuples->width);

        if (order == 0)
            return (int64_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* ---- images ---- */

struct sator_images {
    struct sator_stamps *stamps;
    const struct sator_relation *relation;
    int n_used;
    bool direct; /* every piece is a condition and expressions of the input */
    struct sator_pieces pieces; /* otherwise: systems over the input, the used output, and
                                   existential variables */
};

enum sator_status sator_images_open(struct sator_stamps *stamps,
        const struct sator_relation *relation, int n_used, isl_set *range,
        struct sator_images **images)
{
    struct sator_images *made = sator_alloc(sizeof *made);
    enum sator_status st = SATOR_OK;

    *made = (struct sator_images){.stamps = stamps,
            .relation = relation,
            .n_used = n_used,
            .direct = sator_relation_is_explicit(relation)};
    if (!made->direct && relation->is_set) {
        SATOR_TRY(sator_stamps_pieces(
                stamps, sator_bridge_set(stamps->ctx, relation), &made->pieces));
    } else if (!made->direct) {
        isl_map *map = sator_bridge_map(stamps->ctx, relation);

        if (range)
            map = isl_map_intersect_range(map, isl_set_copy(range));
        map = isl_map_project_out(
                map, isl_dim_out, (unsigned)n_used, (unsigned)(relation->n_out - n_used));
        SATOR_TRY(sator_stamps_pieces(stamps, isl_set_flatten(isl_map_wrap(map)), &made->pieces));
    }
done:
    if (st == SATOR_OK)
        *images = made;
    else
        sator_images_close(made);
    return st;
}

void sator_images_close(struct sator_images *images)
{
    if (!images)
        return;
    sator_pieces_clear(&images->pieces);
    free(images);
}

static enum sator_status add_direct(
        struct sator_images *images, const int64_t *point, struct sator_tuples *tuples)
{
    for (int i = 0; i < images->relation->n_pieces; i++) {
        const struct sator_piece *piece = &images->relation->pieces[i];
        int64_t *tuple;
        bool holds;

        if (!sator_cond_holds(piece->cond, point, &holds))
            return SATOR_DECLINED;
        if (!holds)
            continue;
        tuple = sator_tuples_add(tuples);
        for (int d = 0; d < images->n_used; d++)
            if (!sator_expr_value(piece->out[d], point, &tuple[d]))
                return SATOR_DECLINED;
    }
    return SATOR_OK;
}

/* Enumerate the leading variables of "system" (TAKE) from number "depth" on, with their values so
 * far in "tuple". */
static enum sator_status add_points(struct sator_images *images, struct sator_system *system,
        int depth, int64_t *tuple, struct sator_tuples *tuples)
{
    struct sator_points *points = images->stamps->points;
    struct sator_range *ranges = NULL;
    enum sator_status st;
    sator_int count;
    bool empty;

    SATOR_TRY(sator_points_work(points, 64));
    if (depth == images->n_used) {
        st = sator_points_count(points, system, &count);
        if (st == SATOR_OK && count > 0)
            memcpy(sator_tuples_add(tuples), tuple, sizeof *tuple * (size_t)depth);
        return st;
    }
    SATOR_TRY(sator_system_simplify(system, images->n_used - depth, &empty));
    if (empty)
        goto done;
    ranges = sator_alloc(sizeof *ranges * (size_t)system->n_vars);
    sator_system_ranges(system, ranges, &empty);
    if (!empty && (ranges[0].lower == INT64_MIN || ranges[0].upper == INT64_MAX))
        SATOR_TRY(sator_points_range(points, system, 0, &ranges[0]));
    for (sator_int value = ranges[0].lower; !empty && value <= ranges[0].upper; value++) {
        struct sator_system *rest;

        tuple[depth] = (int64_t)value;
        SATOR_TRY(sator_system_fix(system, 0, (int64_t)value, &rest));
        SATOR_TRY(add_points(images, rest, depth + 1, tuple, tuples));
    }
done:
    free(ranges);
    sator_system_free(system);
    return st;
}

static enum sator_status add_solved(struct sator_images *images, const struct sator_system *piece,
        const int64_t *point, struct sator_tuples *tuples)
{
    struct sator_system *rest = sator_system_copy(piece);
    int64_t *tuple = sator_alloc(sizeof *tuple * (size_t)(images->n_used + 1));
    enum sator_status st = SATOR_OK;

    for (int v = 0; v < images->relation->n_in && st == SATOR_OK; v++) {
        struct sator_system *fixed;

        st = sator_system_fix(rest, 0, point[v], &fixed);
        if (st == SATOR_OK) {
            sator_system_free(rest);
            rest = fixed;
        }
    }
    if (st == SATOR_OK)
        st = add_points(images, rest, 0, tuple, tuples);
    else
        sator_system_free(rest);
    free(tuple);
    return st;
}

enum sator_status sator_images_add(
        struct sator_images *images, const int64_t *point, struct sator_tuples *tuples)
{
    enum sator_status st = SATOR_OK;

    if (images->direct)
        return add_direct(images, point, tuples);
    for (int i = 0; i < images->pieces.n; i++)
        SATOR_TRY(add_solved(images, images->pieces.systems[i], point, tuples));
done:
    return st;
}
