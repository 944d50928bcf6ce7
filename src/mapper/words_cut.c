/* How many values an index takes over tiles of which the last is shorter, and how many of them were
 * there before.
 *
 * A loop's last tile is at the last of the parallel positions that its digits make, so the
 * positions have tiles of several sizes; of compute units some may have nothing at all. One loop,
 * and two whose tiles continue each other or leave no gap, have closed forms; the rest is marked in
 * a byte map once and remembered.
 */
#include "mapper/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CASES = 1 << MAPPER_CUT_PARTS,
    KEPT_CUT = 1 << 20 /* in a key, in place of words.c's questions */
};

struct cut_index {
    const struct mapper_index *index;
    const struct mapper_steps *steps;
    int64_t lowest; /* value of a tile that starts at 0 */
    int64_t length; /* values between its lowest and greatest */
};

/* ---- marking ---- */

/* Mark the values of a tile of "size" iterations a part. */
static unsigned char *mark_cut(const struct cut_index *r, const int64_t *tile)
{
    unsigned char *map = sator_alloc((size_t)r->length);
    int64_t *since = sator_alloc(sizeof *since * (size_t)r->length);

    assert(r->lowest <= 0 && -r->lowest < r->length);
    memset(map, 0, (size_t)r->length);
    map[-r->lowest] = 1;
    for (int i = 0; i < r->index->n_parts; i++) {
        int64_t step = r->index->coef[i], size = tile[i];
        /* from each value marked, size - 1 steps on */
        for (int64_t k = 0; k < r->length; k++) {
            int64_t v = step > 0 ? k : r->length - 1 - k, from = v - step;
            bool reached = from >= 0 && from < r->length && since[from] >= 0;
            since[v] = map[v] ? 0 : reached && since[from] + 1 < size ? since[from] + 1 : -1;
        }
        for (int64_t v = 0; v < r->length; v++)
            map[v] = since[v] >= 0;
    }
    free(since);
    return map;
}

/* A parallel position: where its tile starts, and by part how far above the first position's. */
struct place {
    int64_t start, above[MAPPER_CUT_PARTS];
};

static struct place place_of(const struct cut_index *r, int64_t position)
{
    struct place place = {.start = 0};

    for (int s = 0; s < r->steps->n_spread; s++) {
        int64_t k = position % r->steps->spread_count[s];
        int part = r->steps->spread_part[s];
        assert(r->steps->spread_step[s] % r->index->coef[part] == 0);
        position /= r->steps->spread_count[s];
        place.start += k * r->steps->spread_step[s];
        place.above[part] += k * (r->steps->spread_step[s] / r->index->coef[part]);
    }
    return place;
}

/* The values of the tile at "place", of those of all positions "cut" last iterations missing;
 * NULL when nothing is left of it. Tiles that miss nothing along the same parts are remembered in
 * "maps": the others, along each part, are those of the last position. */
static const unsigned char *map_of(const struct cut_index *r, const struct place *place,
        const struct place *last, const int64_t *cut, unsigned char **maps)
{
    int64_t size[MAPPER_CUT_PARTS];
    unsigned parts = 0;

    for (int i = 0; i < r->index->n_parts; i++) {
        int64_t tile = r->steps->tile[i];
        size[i] = last->above[i] + tile - cut[i] - place->above[i];
        if (size[i] <= 0)
            return NULL;
        size[i] = size[i] < tile ? size[i] : tile;
        parts |= size[i] < tile ? 1U << i : 0;
    }
    assert(parts < CASES);
    if (maps[parts] == NULL)
        maps[parts] = mark_cut(r, size);
    return maps[parts];
}

/* The values that all positions touch now, "now" short at their last ones; with "only_kept", of
 * these the ones that each position that touches them also touched when it stood "shift" lower and
 * was "before" short. */
static int64_t count_cut(const struct cut_index *r, const int64_t *now, const int64_t *before,
        int64_t shift, bool only_kept)
{
    unsigned char *maps_now[CASES] = {NULL}, *maps_before[CASES] = {NULL};
    int64_t positions = 1, least = 0, most = 0, touched = 0, kept = 0;

    for (int s = 0; s < r->steps->n_spread; s++) {
        int64_t reach = (r->steps->spread_count[s] - 1) * r->steps->spread_step[s];
        positions *= r->steps->spread_count[s];
        least += reach < 0 ? reach : 0;
        most += reach > 0 ? reach : 0;
    }
    size_t size = (size_t)(most - least + r->length);
    unsigned char *state = sator_alloc(size); /* 0 untouched, 1 kept by all, 2 not */
    memset(state, 0, size);
    struct place last = place_of(r, positions - 1);
    for (int64_t p = 0; p < positions; p++) {
        struct place place = place_of(r, p);
        const unsigned char *map_now = map_of(r, &place, &last, now, maps_now);
        const unsigned char *map_before = map_of(r, &place, &last, before, maps_before);
        for (int64_t v = 0; v < r->length && map_now != NULL; v++) {
            if (!map_now[v])
                continue;
            int64_t old = v + shift;
            bool stays = map_before != NULL && old >= 0 && old < r->length && map_before[old];
            unsigned char *s = &state[place.start - least + v];
            *s = !stays ? 2 : *s == 0 ? 1 : *s;
        }
    }
    for (size_t v = 0; v < size; v++) {
        touched += state[v] != 0;
        kept += state[v] == 1;
    }
    for (int k = 0; k < CASES; k++) {
        free(maps_now[k]);
        free(maps_before[k]);
    }
    free(state);
    return only_kept ? kept : touched;
}

static int64_t remembered(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *now, const int64_t *before, int64_t shift,
        bool only_kept)
{
    struct cut_index r = {
            &sator_mapper_words_problem(words)->access[access].index[index], steps, .length = 1};
    int64_t key[MAPPER_KEY], parts = 0;
    int at = 0;
    bool is_new;

    key[at++] = access * MAPPER_INDICES + index;
    key[at++] = KEPT_CUT + steps->n_spread * 2 + only_kept;
    key[at++] = shift;
    for (int i = 0; i < r.index->n_parts; i++) {
        int64_t reach = r.index->coef[i] * (steps->tile[i] - 1);
        r.lowest += reach < 0 ? reach : 0;
        r.length += reach < 0 ? -reach : reach;
        key[at++] = steps->tile[i];
        key[at++] = now[i];
        key[at++] = before[i];
    }
    for (int s = 0; s < steps->n_spread; s++) {
        parts = parts * MAPPER_PARTS + steps->spread_part[s];
        key[at++] = steps->spread_step[s];
        key[at++] = steps->spread_count[s];
    }
    key[at++] = parts;
    int64_t *value = sator_mapper_words_place(words, key, at, &is_new);
    if (is_new)
        *value = count_cut(&r, now, before, shift, only_kept);
    return *value;
}

/* ---- closed forms ---- */

static bool any_cut(const struct mapper_index *index, const int64_t *cut)
{
    bool any = false;

    for (int i = 0; i < index->n_parts; i++)
        any |= cut[i] != 0;
    return any;
}

/* The extents of the parts with the positions that continue their tiles; false when some do not. */
static bool continue_tiles(
        const struct mapper_index *index, const struct mapper_steps *steps, int64_t *tile)
{
    memcpy(tile, steps->tile, sizeof *tile * (size_t)index->n_parts);
    for (int s = steps->n_spread - 1; s >= 0; s--) { /* innermost digits come last */
        int part = steps->spread_part[s];
        if (steps->spread_step[s] != index->coef[part] * tile[part])
            return false;
        tile[part] *= steps->spread_count[s];
    }
    return true;
}

int64_t sator_mapper_words_union_cut(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *cut)
{
    const struct mapper_index *what =
            &sator_mapper_words_problem(words)->access[access].index[index];
    int64_t tile[MAPPER_PARTS];

    if (what->n_parts == 1) {
        int64_t values = steps->tile[0];
        for (int s = 0; s < steps->n_spread; s++)
            values *= steps->spread_count[s];
        return values - cut[0];
    }
    if (!any_cut(what, cut))
        return sator_mapper_words_union(words, access, index, steps);
    if (what->n_parts == 2 && continue_tiles(what, steps, tile))
        return sator_mapper_pair(what, tile[0] - cut[0], tile[1] - cut[1]);
    return remembered(words, access, index, steps, cut, cut, 0, false);
}

/* The tile without parallel positions as an interval; false when it has gaps. */
static bool interval_of(const struct mapper_index *index, const struct mapper_steps *steps,
        const int64_t *cut, int64_t *low, int64_t *high)
{
    int64_t size[2];

    if (index->n_parts != 2 || steps->n_spread > 0 || llabs(index->coef[0]) != index->reduced[0])
        return false;
    *low = *high = 0;
    for (int i = 0; i < 2; i++) {
        size[i] = steps->tile[i] - cut[i];
        int64_t reach = index->coef[i] * (size[i] - 1);
        *low += reach < 0 ? reach : 0;
        *high += reach > 0 ? reach : 0;
    }
    return sator_mapper_pair(index, size[0], size[1]) == *high - *low + 1;
}

int64_t sator_mapper_words_kept_cut(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *now, const int64_t *before, int64_t shift)
{
    const struct mapper_index *what =
            &sator_mapper_words_problem(words)->access[access].index[index];
    int64_t low, high, old_low, old_high;

    if (what->n_parts == 1)
        return 0; /* tiles of one loop share nothing */
    if (!any_cut(what, now) && !any_cut(what, before))
        return sator_mapper_words_kept(words, access, index, steps, shift);
    if (interval_of(what, steps, now, &low, &high) &&
            interval_of(what, steps, before, &old_low, &old_high)) {
        low = low > old_low - shift ? low : old_low - shift;
        high = high < old_high - shift ? high : old_high - shift;
        return high >= low ? high - low + 1 : 0;
    }
    return remembered(words, access, index, steps, now, before, shift, true);
}
