#include "simulate/table.h"

#include "base/memory.h"
#include "simulate/simulate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARSE = 32 /* slots a word, above which a table is hashed */
};

static struct word *new_words(int64_t n_instances, int n_planes, int bits)
{
    uint64_t n = (uint64_t)n_instances * (uint64_t)n_planes;

    assert(n_instances >= 0 && n_planes >= 1 && bits >= 0);
    if (bits > 29 || n > SIMULATE_MOST_WORDS || n << bits > SIMULATE_MOST_WORDS)
        return NULL;
    struct word *words = sator_alloc((size_t)(n << bits) * sizeof *words);
    for (uint64_t i = 0; i < n << bits; i++)
        words[i].stamp = -1;
    return words;
}

bool table_init(struct table *table, int64_t n_instances, int n_planes)
{
    *table = (struct table){.n_instances = n_instances, .n_planes = 1, .counted = -1};
    while (table->n_planes < n_planes)
        table->n_planes *= 2;
    table->words = new_words(n_instances, table->n_planes, 0);
    table->counts = sator_calloc((size_t)n_instances, sizeof *table->counts);
    return table->words != NULL;
}

void table_clear(struct table *table)
{
    free(table->words);
    free(table->counts);
    *table = (struct table){0};
}

void table_new_stamp(struct table *table, int64_t stamp)
{
    memset(table->counts, 0, (size_t)table->n_instances * sizeof *table->counts);
    table->counted = stamp;
}

static bool set_mask(struct table *table, uint64_t mask)
{
    int at = 0, n = 0;

    for (int bit = 0; bit < 64;) {
        int length = 0;
        if ((mask >> bit & 1) == 0) {
            bit++;
            continue;
        }
        while (bit + length < 64 && (mask >> (bit + length) & 1) != 0)
            length++;
        if (n == TABLE_RUNS)
            return false;
        table->runs[n++] = (struct table_run){bit, at, (UINT64_C(1) << length) - 1};
        at += length;
        bit += length;
    }
    assert(at == __builtin_popcountll(mask));
    table->n_runs = n;
    table->mask = mask;
    table->bits = at;
    return true;
}

static uint64_t hash(uint64_t element)
{
    element *= UINT64_C(0x9e3779b97f4a7c15);
    return element ^ element >> 29;
}

/* The slot of the element, or the first that is free, of a table whose instances always have one.
 */
static struct word *probe(
        const struct table *table, int64_t instance, uint64_t element, int64_t stamp)
{
    uint64_t last = (UINT64_C(1) << table->bits) - 1, slot = hash(element) & last;
    struct word *words = table_plane(table, stamp) + ((uint64_t)instance << table->bits);

    assert(0 <= instance && instance < table->n_instances);
    while (words[slot].stamp == stamp && words[slot].element != element)
        slot = (slot + 1) & last;
    return &words[slot];
}

struct word *table_find_hashed(
        const struct table *table, int64_t instance, uint64_t element, int64_t stamp)
{
    struct word *word = probe(table, instance, element, stamp);

    return word->stamp == stamp ? word : NULL;
}

/* Give every word of "old" its place in "table", which has new bits. False: two of one stamp meet.
 */
static bool move_words(const struct table *old, struct table *table)
{
    uint64_t n = (uint64_t)old->n_instances << old->bits;

    assert(old->n_instances == table->n_instances && old->n_planes == table->n_planes);
    for (int p = 0; p < old->n_planes; p++)
        for (uint64_t i = 0; i < n; i++) {
            const struct word *from = old->words + (uint64_t)p * n + i;
            if (from->stamp < 0)
                continue;
            int64_t instance = (int64_t)(i >> old->bits);
            struct word *to = table->is_hashed
                    ? probe(table, instance, from->element, from->stamp)
                    : table_plane(table, from->stamp) + table_slot(table, instance, from->element);
            if (to->stamp == from->stamp)
                return false;
            if (to->stamp < from->stamp) /* an older stamp's word is of no use any more */
                *to = *from;
        }
    return true;
}

static bool rebuild(struct table *table, struct table *made)
{
    made->words = new_words(made->n_instances, made->n_planes, made->bits);
    if (made->words == NULL)
        return false;
    if (!move_words(table, made)) {
        free(made->words);
        return false;
    }
    free(table->words);
    *table = *made;
    return true;
}

/* Twice the slots, found by hashing. Words of old stamps are left behind: a plane has one stamp. */
static bool grow_hashed(struct table *table, int64_t stamp)
{
    struct table made = *table;
    int64_t n = table->is_hashed ? table->n_instances << table->bits : 0;

    for (int p = 0; p < table->n_planes && table->is_hashed; p++)
        for (int64_t i = 0; i < n; i++) {
            struct word *word = &table->words[p * n + i];
            if (word->stamp <= stamp - table->n_planes)
                word->stamp = -1;
        }
    made.is_hashed = true;
    made.bits = 1;
    while ((INT64_C(1) << made.bits) < 4 * (table->most + 1))
        made.bits++;
    return rebuild(table, &made);
}

/* Where an instance had one slot, its words were not counted. */
static void count_slots(struct table *table, int64_t stamp)
{
    const struct word *words = table_plane(table, stamp);

    table_new_stamp(table, stamp);
    for (int64_t i = 0; i < table->n_instances; i++)
        table->counts[i] = words[i].stamp == stamp;
}

static bool grow(struct table *table, uint64_t differ, int64_t stamp)
{
    uint64_t lowest = differ & (~differ + 1);

    assert(differ != 0);
    if (table->bits == 0)
        count_slots(table, stamp);
    struct table made = *table;
    if ((INT64_C(2) << table->bits) > SPARSE * (table->most + 1) ||
            !set_mask(&made, table->mask | lowest)) {
        for (int64_t i = 0; i < (table->n_instances * table->n_planes) << table->bits; i++)
            if (table->words[i].stamp <= stamp - table->n_planes)
                table->words[i].stamp = -1;
        return grow_hashed(table, stamp);
    }
    return rebuild(table, &made);
}

struct word *table_put_slowly(
        struct table *table, int64_t instance, uint64_t element, int64_t stamp, bool *is_new)
{
    while (!table->is_hashed) {
        struct word *word = table_plane(table, stamp) + table_slot(table, instance, element);
        if (word->stamp != stamp || word->element == element)
            return table_put(table, instance, element, stamp, is_new);
        if (!grow(table, word->element ^ element, stamp))
            return NULL;
    }
    assert(table->is_hashed);
    struct word *word = probe(table, instance, element, stamp);
    *is_new = word->stamp != stamp;
    if (!*is_new)
        return word;
    table_count(table, instance, stamp);
    if (2 * table->counts[instance] > INT64_C(1) << table->bits) {
        if (!grow_hashed(table, stamp))
            return NULL;
        word = probe(table, instance, element, stamp);
    }
    *word = (struct word){.element = element, .stamp = stamp};
    return word;
}
