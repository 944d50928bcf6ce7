#include "oracle/tuples.h"

#include <stdlib.h>
#include <string.h>

void *tuples_must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static uint64_t hash_of(const int64_t *tuple, int width)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < width; i++) {
        h ^= (uint64_t)tuple[i];
        h *= 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

void tuples_init(struct tuples *set, int width)
{
    *set = (struct tuples){.width = width, .room = 64, .n_slots = 256};
    set->data = tuples_must(calloc((size_t)set->room * (size_t)(width + 1), sizeof *set->data));
    set->slots = tuples_must(calloc((size_t)set->n_slots, sizeof *set->slots));
}

void tuples_clear(struct tuples *set)
{
    free(set->data);
    free(set->slots);
}

const int64_t *tuples_at(const struct tuples *set, int64_t number)
{
    return set->data + number * set->width;
}

static int64_t *slot_of(const struct tuples *set, const int64_t *tuple)
{
    uint64_t mask = (uint64_t)set->n_slots - 1;
    uint64_t at = hash_of(tuple, set->width) & mask;

    while (set->slots[at] != 0 &&
            memcmp(tuples_at(set, set->slots[at] - 1), tuple, (size_t)set->width * sizeof *tuple) !=
                    0)
        at = (at + 1) & mask;
    return &set->slots[at];
}

int64_t tuples_find(const struct tuples *set, const int64_t *tuple)
{
    return *slot_of(set, tuple) - 1;
}

static void tuples_grow(struct tuples *set)
{
    set->room *= 2;
    set->n_slots *= 2;
    set->data = tuples_must(
            realloc(set->data, (size_t)set->room * (size_t)(set->width + 1) * sizeof *set->data));
    free(set->slots);
    set->slots = tuples_must(calloc((size_t)set->n_slots, sizeof *set->slots));
    for (int64_t i = 0; i < set->n; i++)
        *slot_of(set, tuples_at(set, i)) = i + 1;
}

int64_t tuples_add(struct tuples *set, const int64_t *tuple)
{
    int64_t found = tuples_find(set, tuple);
    if (found >= 0)
        return found;
    if (set->n == set->room)
        tuples_grow(set);
    for (int i = 0; i < set->width; i++)
        set->data[set->n * set->width + i] = tuple[i];
    *slot_of(set, tuple) = set->n + 1;
    return set->n++;
}
