/* Values that are vectors: how many a tile takes, and how many of them it keeps.
 *
 * An index of several dimensions (struct mapper_joint) takes, over a tile, the sums of its places
 * and of one progression a loop. They are marked in a byte map of the smallest box that holds them.
 * Steps and shifts come as the numbers of their vectors.
 */
#include "mapper/mapper.h"

#include <stdlib.h>
#include <string.h>

struct vector {
    int64_t at[MAPPER_INDICES];
};

/* A box of vectors, the last dimension running fastest. */
struct box {
    int n_dims;
    int64_t least[MAPPER_INDICES], most[MAPPER_INDICES], stride[MAPPER_INDICES];
    int64_t size;
};

/* The values of a tile: those marked in the box, and each of them once in "point". */
struct tile_map {
    struct box box;
    unsigned char *marks;
    int64_t n_points;
    int64_t *point; /* places in the box */
};

static struct vector vector_of(const struct mapper_joint *joint, int64_t number)
{
    struct vector vector = {{0}};

    for (int d = joint->n_dims - 1; d >= 0; d--) {
        int64_t radix = joint->radix[d], rest = number % radix;
        if (rest >= radix / 2)
            rest -= radix;
        else if (rest < -(radix / 2))
            rest += radix;
        vector.at[d] = rest;
        number = (number - rest) / radix;
    }
    return vector;
}

static void widen(struct box *box, int d, int64_t reach)
{
    box->least[d] += reach < 0 ? reach : 0;
    box->most[d] += reach > 0 ? reach : 0;
}

static void close_box(struct box *box)
{
    box->size = 1;
    for (int d = box->n_dims - 1; d >= 0; d--) {
        box->stride[d] = box->size;
        box->size *= box->most[d] - box->least[d] + 1;
    }
}

static int64_t distance(const struct box *box, const int64_t *vector)
{
    int64_t places = 0;

    for (int d = 0; d < box->n_dims; d++)
        places += vector[d] * box->stride[d];
    return places;
}

static struct vector vector_at(const struct box *box, int64_t place)
{
    struct vector vector = {{0}};

    for (int d = 0; d < box->n_dims; d++) {
        vector.at[d] = box->least[d] + place / box->stride[d];
        place %= box->stride[d];
    }
    return vector;
}

/* Whether the box holds "vector" + "shift", and then where. */
static bool find_place(const struct box *box, const struct vector *vector,
        const struct vector *shift, int64_t *place)
{
    *place = 0;
    for (int d = 0; d < box->n_dims; d++) {
        int64_t at = vector->at[d] + shift->at[d];
        if (at < box->least[d] || at > box->most[d])
            return false;
        *place += (at - box->least[d]) * box->stride[d];
    }
    return true;
}

static void mark(struct tile_map *map, int64_t place)
{
    if (map->marks[place])
        return;
    map->marks[place] = 1;
    map->point[map->n_points++] = place;
}

static void open_tile(const struct mapper_index *index, const int64_t *tile, struct tile_map *map)
{
    const struct mapper_joint *joint = index->joint;
    struct box *box = &map->box;

    *map = (struct tile_map){.box.n_dims = joint->n_dims};
    for (int d = 0; d < joint->n_dims; d++) {
        box->least[d] = box->most[d] = joint->place[0][d];
        for (int k = 1; k < joint->n_places; k++) {
            int64_t at = joint->place[k][d];
            box->least[d] = at < box->least[d] ? at : box->least[d];
            box->most[d] = at > box->most[d] ? at : box->most[d];
        }
        for (int i = 0; i < index->n_parts; i++)
            widen(box, d, joint->coef[i][d] * (tile[i] - 1));
    }
    close_box(box);
    map->marks = sator_alloc((size_t)box->size);
    memset(map->marks, 0, (size_t)box->size);
    map->point = sator_alloc(sizeof *map->point * (size_t)box->size);
    int64_t origin = distance(box, box->least);
    for (int k = 0; k < joint->n_places; k++)
        mark(map, distance(box, joint->place[k]) - origin);
    for (int i = 0; i < index->n_parts; i++) {
        int64_t n_before = map->n_points, step = distance(box, joint->coef[i]);
        for (int64_t p = 0; p < n_before; p++) {
            for (int64_t k = 1; k < tile[i]; k++)
                mark(map, map->point[p] + k * step);
        }
    }
}

static void close_tile(struct tile_map *map)
{
    free(map->marks);
    free(map->point);
}

/* For each point, whether the tile held it when it stood "shift" lower. */
static unsigned char *find_kept(const struct tile_map *map, const struct vector *shift)
{
    unsigned char *kept = sator_alloc((size_t)map->n_points);

    for (int64_t p = 0; p < map->n_points; p++) {
        struct vector vector = vector_at(&map->box, map->point[p]);
        int64_t before;
        kept[p] = find_place(&map->box, &vector, shift, &before) && map->marks[before];
    }
    return kept;
}

/* The values touched by the tile at all parallel positions: the box that holds them, and in "state"
 * (GIVE: free) 0 for those that are none, 1 for those that every position that touches them kept,
 * else 2. */
static unsigned char *mark_positions(const struct mapper_joint *joint,
        const struct mapper_steps *steps, const struct tile_map *map, const unsigned char *kept,
        struct box *box)
{
    struct vector step[MAPPER_SPREADS];
    int64_t positions = 1;

    *box = map->box;
    for (int s = 0; s < steps->n_spread; s++) {
        step[s] = vector_of(joint, steps->spread_step[s]);
        positions *= steps->spread_count[s];
        for (int d = 0; d < joint->n_dims; d++)
            widen(box, d, step[s].at[d] * (steps->spread_count[s] - 1));
    }
    close_box(box);
    unsigned char *state = sator_alloc((size_t)box->size);
    int64_t *point = sator_alloc(sizeof *point * (size_t)map->n_points);
    memset(state, 0, (size_t)box->size);
    int64_t origin = distance(box, box->least);
    for (int64_t p = 0; p < map->n_points; p++) {
        struct vector vector = vector_at(&map->box, map->point[p]);
        point[p] = distance(box, vector.at) - origin;
    }
    for (int64_t position = 0; position < positions; position++) {
        int64_t rest = position, start = 0;
        for (int s = 0; s < steps->n_spread; s++) {
            start += rest % steps->spread_count[s] * distance(box, step[s].at);
            rest /= steps->spread_count[s];
        }
        for (int64_t p = 0; p < map->n_points; p++) {
            unsigned char *s = &state[start + point[p]];
            *s = !kept[p] ? 2 : *s == 0 ? 1 : *s;
        }
    }
    free(point);
    return state;
}

/* The values that all positions touch; with "only_kept" those kept after the shift. */
static int64_t count(const struct mapper_index *index, const struct mapper_steps *steps,
        const struct vector *shift, bool only_kept)
{
    struct tile_map map;
    struct box box;
    int64_t touched = 0, kept = 0;

    open_tile(index, steps->tile, &map);
    unsigned char *stays = find_kept(&map, shift);
    unsigned char *state = mark_positions(index->joint, steps, &map, stays, &box);
    for (int64_t place = 0; place < box.size; place++) {
        touched += state[place] != 0;
        if (state[place] == 0 || !only_kept)
            continue;
        struct vector vector = vector_at(&box, place);
        int64_t before;
        kept += sator_mapper_steps_share(steps)
                ? find_place(&box, &vector, shift, &before) && state[before] != 0
                : state[place] == 1;
    }
    free(state);
    free(stays);
    close_tile(&map);
    return only_kept ? kept : touched;
}

/* Whether a shift leads out of the values that any position touches. */
static bool is_beyond(const struct mapper_index *index, const struct mapper_steps *steps,
        const struct vector *shift)
{
    const struct mapper_joint *joint = index->joint;

    for (int d = 0; d < joint->n_dims; d++) {
        int64_t least = joint->place[0][d], most = least;
        for (int k = 1; k < joint->n_places; k++) {
            least = joint->place[k][d] < least ? joint->place[k][d] : least;
            most = joint->place[k][d] > most ? joint->place[k][d] : most;
        }
        int64_t span = most - least;
        for (int i = 0; i < index->n_parts; i++)
            span += llabs(joint->coef[i][d]) * (steps->tile[i] - 1);
        for (int s = 0; s < steps->n_spread && steps->any; s++)
            span += llabs(vector_of(joint, steps->spread_step[s]).at[d]) *
                    (steps->spread_count[s] - 1);
        if (llabs(shift->at[d]) > span)
            return true;
    }
    return false;
}

int64_t sator_mapper_joint_count(const struct mapper_index *index, const struct mapper_steps *steps,
        int64_t shift, bool only_kept)
{
    struct vector step = vector_of(index->joint, shift);

    return only_kept && is_beyond(index, steps, &step) ? 0 : count(index, steps, &step, only_kept);
}
