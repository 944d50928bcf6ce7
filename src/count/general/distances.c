#include "count/general/distances.h"

#include "base/arena.h"
#include "base/room.h"

#include <isl/point.h>
#include <stdlib.h>

/* Beyond this many distances, the provider is projected out instead, which is exact too but slow
 * where the union of what the providers hold has no simple shape. */
enum {
    MOST_DISTANCES = SATOR_ROOM(256, 4)
};

struct split {
    struct sator_stamps *stamps;
    struct sator_pieces *functions;
    isl_map *others;
    enum sator_status st;
};

/* Add "function" (TAKE). */
static isl_stat add_function(struct split *split, isl_map *function)
{
    struct sator_pieces *all = split->functions, made;

    split->st = sator_stamps_pieces(split->stamps, isl_set_flatten(isl_map_wrap(function)), &made);
    if (split->st != SATOR_OK)
        return isl_stat_error;
    all->systems =
            sator_realloc(all->systems, sizeof *all->systems * (size_t)(all->n + made.n + 1));
    for (int i = 0; i < made.n; i++)
        all->systems[all->n++] = made.systems[i];
    free(made.systems);
    return isl_stat_ok;
}

static isl_stat split_basic(isl_basic_map *part, void *user)
{
    struct split *split = user;
    isl_map *map = isl_map_from_basic_map(part);
    isl_bool single = isl_map_is_injective(map);

    if (single == isl_bool_true)
        return add_function(split, map);
    split->others = isl_map_union(split->others, map);
    return single < 0 ? isl_stat_error : isl_stat_ok;
}

/* The part of the rest whose consumers are at "distance" from their provider. */
static isl_stat split_distance(isl_point *distance, void *user)
{
    struct split *split = user;
    isl_map *shift = isl_set_translation(isl_set_from_point(distance));

    return add_function(split, isl_map_intersect(isl_map_copy(split->others), shift));
}

static enum sator_status status_of(struct split *split, isl_stat stat)
{
    if (stat < 0 && split->st == SATOR_OK)
        split->st = sator_bridge_status(split->stamps->ctx);
    return split->st;
}

enum sator_status sator_distances_find(struct sator_stamps *stamps, isl_map *link,
        struct sator_pieces *functions, isl_map **others)
{
    struct split split = {stamps, functions, NULL, SATOR_OK};
    isl_set *distances = NULL;
    enum sator_status st;
    sator_int n_distances;

    *functions = (struct sator_pieces){0};
    link = isl_map_compute_divs(isl_map_detect_equalities(link));
    split.others = isl_map_empty(isl_map_get_space(link));
    SATOR_TRY(status_of(&split, isl_map_foreach_basic_map(link, split_basic, &split)));
    if (isl_map_plain_is_empty(split.others) == isl_bool_true)
        goto done;
    distances = isl_map_deltas(isl_map_copy(split.others));
    SATOR_TRY(sator_stamps_count(stamps, isl_set_copy(distances), &n_distances));
    if (n_distances > MOST_DISTANCES)
        goto done;
    SATOR_TRY(status_of(&split, isl_set_foreach_point(distances, split_distance, &split)));
    isl_space *space = isl_map_get_space(split.others);
    isl_map_free(split.others);
    split.others = isl_map_empty(space);
done:
    isl_set_free(distances);
    isl_map_free(link);
    if (st == SATOR_OK) {
        *others = split.others;
    } else {
        isl_map_free(split.others);
        sator_pieces_clear(functions);
    }
    return st;
}
