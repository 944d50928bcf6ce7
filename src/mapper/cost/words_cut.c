/* How many values an index takes over tiles of which the last is shorter, and how many of them were
 * there before.
 *
 * A loop's last tile is at the last of the parallel positions that its digits make, so the
 * positions have tiles of several sizes; of compute units some may have nothing at all. One loop,
 * and two whose tiles continue each other or leave no gap, have closed forms; the rest are sets of
 * runs, counted position by position and remembered.
 */
#include "count/tiled/value_set.h"
#include "mapper/cost/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT_CUT = 1 << 20 /* in a key, in place of words.c's questions */
};

/* A parallel position: where its tile starts, and by part how far above the first position's. */
struct place {
    int64_t start, above[MAPPER_CUT_PARTS];
};

static struct place place_of(
        const struct mapper_index *index, const struct mapper_steps *steps, int64_t position)
{
    struct place place = {.start = 0};

    for (int s = 0; s < steps->n_spread; s++) {
        int64_t k = position % steps->spread_count[s];
        int part = steps->spread_part[s];
        assert(steps->spread_step[s] % index->coef[part] == 0);
        position /= steps->spread_count[s];
        place.start += k * steps->spread_step[s];
        place.above[part] += k * (steps->spread_step[s] / index->coef[part]);
    }
    return place;
}

/* The values of the tile at "place", as if that were 0, of those of all positions "cut" last
 * iterations missing (to be freed): none where nothing is left of it. */
static struct sator_value_set open_cut(const struct mapper_index *index,
        const struct mapper_steps *steps, const struct place *place, const struct place *last,
        const int64_t *cut)
{
    int64_t size[MAPPER_CUT_PARTS];
    bool is_left = true;
    struct sator_value_set set;

    for (int i = 0; i < index->n_parts; i++) {
        int64_t tile = steps->tile[i], left = last->above[i] + tile - cut[i] - place->above[i];
        size[i] = left < tile ? left : tile;
        is_left &= left > 0;
    }
    sator_mapper_words_open(index, steps->tile, is_left ? size : steps->tile, &set);
    set.n_runs = is_left ? set.n_runs : 0;
    return set;
}

/* The values that all positions touch now, "now" short at their last ones; with "only_kept", of
 * these the ones that each position that touches them also touched when it stood "shift" lower and
 * was "before" short. */
static int64_t count_cut(const struct mapper_index *index, const struct mapper_steps *steps,
        const int64_t *now, const int64_t *before, int64_t shift, bool only_kept)
{
    struct sator_value_set touched = {0}, fresh = {0}, here, then, left;
    int64_t positions = 1;

    for (int s = 0; s < steps->n_spread; s++)
        positions *= steps->spread_count[s];
    struct place last = place_of(index, steps, positions - 1);
    for (int64_t p = 0; p < positions; p++) {
        struct place place = place_of(index, steps, p);
        here = open_cut(index, steps, &place, &last, now);
        touched.modulus = fresh.modulus = here.modulus;
        sator_value_set_unite(&touched, &here, place.start);
        if (only_kept) {
            then = open_cut(index, steps, &place, &last, before);
            sator_value_set_leave(&here, &then, shift, &left);
            sator_value_set_unite(&fresh, &left, place.start);
            sator_value_set_free(&then);
            sator_value_set_free(&left);
        }
        sator_value_set_free(&here);
    }
    int64_t count = sator_value_set_size(&touched) - sator_value_set_size(&fresh);
    sator_value_set_free(&touched);
    sator_value_set_free(&fresh);
    return count;
}

static int64_t remembered(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *now, const int64_t *before, int64_t shift,
        bool only_kept)
{
    const struct mapper_index *what =
            &sator_mapper_words_problem(words)->access[access].index[index];
    int64_t key[MAPPER_KEY], parts = 0;
    int at = 0;
    bool is_new;

    key[at++] = access * MAPPER_INDICES + index;
    key[at++] = KEPT_CUT + steps->n_spread * 2 + only_kept;
    key[at++] = shift;
    for (int i = 0; i < what->n_parts; i++) {
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
        *value = count_cut(what, steps, now, before, shift, only_kept);
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

int64_t sator_mapper_words_union_cut(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *cut)
{
    const struct mapper_index *what =
            &sator_mapper_words_problem(words)->access[access].index[index];

    if (what->n_parts == 1) {
        int64_t values = steps->tile[0];
        for (int s = 0; s < steps->n_spread; s++)
            values *= steps->spread_count[s];
        return values - cut[0];
    }
    if (!any_cut(what, cut))
        return sator_mapper_words_union(words, access, index, steps);
    if (what->n_parts == 2 && steps->n_spread == 0)
        return sator_mapper_pair(what, steps->tile[0] - cut[0], steps->tile[1] - cut[1]);
    return remembered(words, access, index, steps, cut, cut, 0, false);
}

int64_t sator_mapper_words_kept_cut(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const int64_t *now, const int64_t *before, int64_t shift)
{
    const struct mapper_index *what =
            &sator_mapper_words_problem(words)->access[access].index[index];

    if (what->n_parts == 1)
        return 0; /* tiles of one loop share nothing */
    if (!any_cut(what, now) && !any_cut(what, before))
        return sator_mapper_words_kept(words, access, index, steps, shift);
    return remembered(words, access, index, steps, now, before, shift, true);
}
