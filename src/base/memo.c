#include "base/memo.h"
#include "base/room.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = SATOR_ROOM(64, 2) /* a power of two; at most half of them are taken */
};

struct slot {
    uint64_t hash; /* 0: free */
    size_t key, length; /* the key's first word among all keys' */
    size_t item;
};

struct sator_memo {
    size_t item_size;
    size_t n_slots, n_items, n_keys, key_room;
    struct slot *slots;
    int64_t *keys;
    char *items; /* room for half as many as there are slots */
};

struct sator_memo *sator_memo_new(size_t item_size)
{
    struct sator_memo *memo = sator_alloc(sizeof *memo);

    *memo = (struct sator_memo){.item_size = item_size, .n_slots = FIRST_SLOTS};
    memo->slots = sator_calloc(memo->n_slots, sizeof *memo->slots);
    memo->items = sator_alloc(memo->n_slots / 2 * item_size);
    return memo;
}

void sator_memo_free(struct sator_memo *memo)
{
    if (memo == NULL)
        return;
    free(memo->slots);
    free(memo->keys);
    free(memo->items);
    free(memo);
}

void sator_memo_clear(struct sator_memo *memo)
{
    memset(memo->slots, 0, sizeof *memo->slots * memo->n_slots);
    memo->n_items = memo->n_keys = 0;
}

static uint64_t hash_of(const int64_t *key, size_t length)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) ^ length;

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint64_t)key[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash | 1;
}

/* The slot of a key, or the free one that it would take. */
static struct slot *slot_of(
        const struct sator_memo *memo, uint64_t hash, const int64_t *key, size_t length)
{
    size_t mask = memo->n_slots - 1, at = (size_t)(hash >> 8) & mask;

    for (;; at = (at + 1) & mask) {
        struct slot *slot = &memo->slots[at];
        if (slot->hash == 0 ||
                (slot->hash == hash && slot->length == length &&
                        memcmp(memo->keys + slot->key, key, sizeof *key * length) == 0))
            return slot;
    }
}

static void grow(struct sator_memo *memo)
{
    size_t n_slots = 2 * memo->n_slots, mask = n_slots - 1;
    struct slot *slots = sator_calloc(n_slots, sizeof *slots);

    memo->items = sator_realloc(memo->items, n_slots / 2 * memo->item_size);
    for (size_t i = 0; i < memo->n_slots; i++) {
        size_t at = (size_t)(memo->slots[i].hash >> 8) & mask;
        if (memo->slots[i].hash == 0)
            continue;
        while (slots[at].hash != 0)
            at = (at + 1) & mask;
        slots[at] = memo->slots[i];
    }
    free(memo->slots);
    memo->slots = slots;
    memo->n_slots = n_slots;
}

void *sator_memo_find(const struct sator_memo *memo, const int64_t *key, size_t length)
{
    const struct slot *slot = slot_of(memo, hash_of(key, length), key, length);

    return slot->hash == 0 ? NULL : memo->items + slot->item * memo->item_size;
}

void *sator_memo_place(struct sator_memo *memo, const int64_t *key, size_t length, bool *is_new)
{
    uint64_t hash = hash_of(key, length);
    struct slot *slot = slot_of(memo, hash, key, length);

    *is_new = slot->hash == 0;
    if (!*is_new)
        return memo->items + slot->item * memo->item_size;
    if ((memo->n_items + 1) * 2 > memo->n_slots) {
        grow(memo);
        slot = slot_of(memo, hash, key, length);
    }
    if (memo->n_keys + length > memo->key_room) {
        memo->key_room = 2 * (memo->key_room + length);
        memo->keys = sator_realloc(memo->keys, sizeof *key * memo->key_room);
    }
    if (length > 0)
        memcpy(memo->keys + memo->n_keys, key, sizeof *key * length);
    *slot = (struct slot){hash, memo->n_keys, length, memo->n_items++};
    memo->n_keys += length;
    return memset(memo->items + slot->item * memo->item_size, 0, memo->item_size);
}

size_t sator_memo_size(const struct sator_memo *memo)
{
    return memo->n_items;
}

void *sator_memo_items(const struct sator_memo *memo)
{
    return memo->items;
}

size_t sator_memo_key_words(const struct sator_memo *memo)
{
    return memo->n_keys;
}
