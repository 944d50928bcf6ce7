/* Which instance holds which element in which stamp of a prefix: pairs as sorted keys, and what
 * idle instances keep. */
#include "model/timing/timing_follow.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW_KEYS = 512,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    MOST_KEPT = 1 << 25 /* pairs, with those of idle instances */
};

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Many by digits of 11 bits, the last one first: a step for each key and digit in which some
 * differ.
 */
void stays_sort(const struct follower *f, int64_t n, uint64_t *key)
{
    uint64_t differing = 0;

    if (n < FEW_KEYS) {
        if (n > 0)
            qsort(key, (size_t)n, sizeof *key, compare_keys);
        return;
    }
    uint64_t *from = key, *to = SATOR_NEW_ARRAY(f->arena, uint64_t, n);
    for (int64_t i = 1; i < n; i++)
        differing |= key[i] ^ key[0];
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        int64_t first[DIGITS + 1] = {0};
        if ((differing >> shift & (DIGITS - 1)) == 0)
            continue;
        for (int64_t i = 0; i < n; i++)
            first[(from[i] >> shift & (DIGITS - 1)) + 1]++;
        for (int d = 0; d < DIGITS; d++)
            first[d + 1] += first[d];
        for (int64_t i = 0; i < n; i++)
            to[first[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != key)
        memcpy(key, from, sizeof *key * (size_t)n);
}

static int64_t stamp_of(const struct follower *f, int level, int64_t time)
{
    if (level < 0)
        return 0;
    const struct timing_stamps *stamps = &f->stamps[level];
    int64_t code = time / f->list->time_below[f->timing->lengths[level]];
    int64_t low = 0, high = stamps->n - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (stamps->code[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool stays_list(const struct follower *f, int level, int n_space, struct stays *stays)
{
    const struct timing_list *list = f->list;
    const struct timing_elements *elements = &list->elements[f->access];
    int64_t below = list->space_below[n_space], room;

    *stays = (struct stays){.level = level,
            .n_instances = list->pes / below,
            .n_elements = elements->numbering->range,
            .n_stamps = level < 0 ? 1 : f->stamps[level].n};
    if (__builtin_mul_overflow(stays->n_stamps, stays->n_instances, &room) ||
            __builtin_mul_overflow(room, stays->n_elements, &room))
        return false;
    stays->key = SATOR_NEW_ARRAY(f->arena, uint64_t, list->n * elements->n_each + 1);
    for (int64_t i = 0; i < list->n; i++) {
        int64_t place = stamp_of(f, level, list->time[i]) * stays->n_instances;
        place += level < 0 ? 0 : list->pe[i] / below;
        for (int p = 0; p < elements->n_each; p++) {
            int64_t element = elements->element[i * elements->n_each + p];
            if (element >= 0)
                stays->key[stays->n++] =
                        (uint64_t)place * (uint64_t)stays->n_elements + (uint64_t)element;
        }
    }
    stays_sort(f, stays->n, stays->key);
    return true;
}

void stays_index(const struct follower *f, struct stays *stays)
{
    uint64_t per_stamp = (uint64_t)stays->n_instances * (uint64_t)stays->n_elements;
    int64_t e = 0;

    stays->first = SATOR_NEW_ARRAY(f->arena, int64_t, stays->n_stamps + 1);
    for (int64_t x = 0; x <= stays->n_stamps; x++) {
        while (e < stays->n && stays->key[e] < (uint64_t)x * per_stamp)
            e++;
        stays->first[x] = e;
    }
}

bool stays_make(const struct follower *f, int level, int n_space, struct stays *stays)
{
    int64_t n = 0;

    if (!stays_list(f, level, n_space, stays))
        return false;
    for (int64_t e = 0; e < stays->n; e++) {
        if (n == 0 || stays->key[n - 1] != stays->key[e])
            stays->key[n++] = stays->key[e];
    }
    stays->n = n;
    stays->fresh = SATOR_NEW_ARRAY(f->arena, bool, n + 1);
    stays_index(f, stays);
    return true;
}

int64_t stays_find(const struct stays *stays, int64_t stamp, int64_t instance, int64_t element)
{
    if (stamp < 0)
        return -1;
    int64_t low = stays->first[stamp], high = stays->first[stamp + 1];
    uint64_t key = (uint64_t)(stamp * stays->n_instances + instance) * (uint64_t)stays->n_elements +
            (uint64_t)element;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (stays->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stays->first[stamp + 1] && stays->key[low] == key ? low : -1;
}

int64_t stays_outer(
        const struct follower *f, const struct stays *stays, const struct stays *outside, int64_t x)
{
    for (int level = stays->level; level > outside->level && level >= 0; level--)
        x = level == 0 ? 0 : f->stamps[level].outer[x];
    return x;
}

/* ---- idle instances ---- */

/* The places, stamp x instances + instance, at which something runs, ascending; and the end. */
static uint64_t *list_active(const struct follower *f, const struct stays *stays, int n_space)
{
    const struct timing_list *list = f->list;
    uint64_t *place = SATOR_NEW_ARRAY(f->arena, uint64_t, list->n + 1);
    int64_t n = 0;

    for (int64_t i = 0; i < list->n; i++)
        place[i] = (uint64_t)(stamp_of(f, stays->level, list->time[i]) * stays->n_instances +
                list->pe[i] / list->space_below[n_space]);
    stays_sort(f, list->n, place);
    for (int64_t i = 0; i < list->n; i++) {
        if (n == 0 || place[n - 1] != place[i])
            place[n++] = place[i];
    }
    place[n] = UINT64_MAX;
    return place;
}

bool stays_keep_idle(
        const struct follower *f, int n_space, const struct stays *outside, struct stays *stays)
{
    const uint64_t n_elements = (uint64_t)stays->n_elements;
    const uint64_t *active = list_active(f, stays, n_space);
    uint64_t *key = NULL;
    int n = 0, before = 0;

    for (int64_t x = 0, e = 0; x < stays->n_stamps; x++) {
        const int end = n;
        for (int i = before; i <= end; i++) { /* what is kept, before it the active ones' own */
            uint64_t kept = i == end ? (uint64_t)((x + 1) * stays->n_instances) * n_elements
                                     : key[i] + (uint64_t)stays->n_instances * n_elements;
            for (; e < stays->first[x + 1] && stays->key[e] < kept / n_elements * n_elements; e++)
                SATOR_PUSH(f->arena, key, n, stays->key[e]);
            while (*active < kept / n_elements)
                active++;
            if (i == end || *active == kept / n_elements)
                continue;
            int64_t instance = (int64_t)(kept / n_elements) % stays->n_instances;
            if (outside == NULL ||
                    stays_find(outside, stays_outer(f, stays, outside, x),
                            instance / (stays->n_instances / outside->n_instances),
                            (int64_t)(kept % n_elements)) >= 0)
                SATOR_PUSH(f->arena, key, n, kept);
            if (n > MOST_KEPT)
                return false;
        }
        before = end;
    }
    stays->key = key;
    stays->n = n;
    stays->fresh = SATOR_NEW_ARRAY(f->arena, bool, n + 1);
    stays_index(f, stays);
    return true;
}
