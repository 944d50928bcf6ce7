/* The holders of words: as little of them as a question needs, so that few kinds are left. */
#include "base/arena.h"
#include "base/room.h"
#include "count/tiled/tiled.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = SATOR_ROOM(1 << 14, 4), /* kinds of a tally */
    MOST_HOLDERS = SATOR_ROOM(1 << 16, 16), /* of a kind */
    MOST_COMPARED = 32 /* PEs, one by one */
};

static int by_pe(const void *a, const void *b)
{
    const struct tiled_holder *x = a, *y = b;

    if (x->pe != y->pe)
        return x->pe < y->pe ? -1 : 1;
    return (x->sources > y->sources) - (x->sources < y->sources);
}

/* Keep the least sets of sources: who has fewer is to be fetched first. */
static int keep_least(int n, struct tiled_holder *holder)
{
    int kept = 0;

    for (int i = 0; i < n; i++) {
        tiled_bits sources = holder[i].sources;
        bool contains = false;
        for (int k = 0; k < kept && !contains; k++)
            contains = (holder[k].sources & ~sources) == 0;
        if (contains)
            continue;
        int left = 0;
        for (int k = 0; k < kept; k++) {
            if ((sources & ~holder[k].sources) != 0)
                holder[left++] = holder[k];
        }
        kept = left;
        holder[kept++] = (struct tiled_holder){.pe = 0, .sources = sources};
    }
    return kept;
}

/* Move the PEs so that the least of each digit is 0: where they lie does not matter. */
static void move_to_origin(const struct tiled_question *q, int n, struct tiled_holder *holder)
{
    tiled_bits least = 0;

    for (int d = 0; d < q->nest->n_digits; d++) {
        if (q->width[d] == 0 || q->is_placed[d])
            continue;
        tiled_bits mask = tiled_bit(q->width[d]) - 1, low = mask;
        for (int i = 0; i < n; i++) {
            tiled_bits digit = holder[i].pe >> q->field[d] & mask;
            low = digit < low ? digit : low;
        }
        least |= low << q->field[d];
    }
    for (int i = 0; i < n; i++)
        holder[i].pe -= least;
}

static int by_number(const void *a, const void *b)
{
    tiled_bits x = *(const tiled_bits *)a, y = *(const tiled_bits *)b;

    return (x > y) - (x < y);
}

/* What tells the bus of a PE from others. */
static tiled_bits bus_of(const struct tiled_families *families, int family, tiled_bits pe)
{
    const struct tiled_buses *buses = families->buses[family];
    tiled_bits spread = families->spread[family];
    int64_t place = 0;

    if (buses == NULL)
        return pe & ~spread;
    for (int i = 0; i < buses->n_fields; i++) {
        const struct tiled_field *field = &buses->field[i];
        place += field->step * (int64_t)(pe >> field->first & (tiled_bit(field->width) - 1));
    }
    return (pe & ~spread) | (tiled_bits)buses->bus_of[place] << families->n_bits;
}

/* Keep the first of the PEs on each bus of a family; they get another order. */
static int keep_first(tiled_bits (*pe)[2], int n, const struct tiled_families *families, int family)
{
    bool is_short = n <= MOST_COMPARED;
    int kept = 0;

    for (int i = 0; i < n; i++)
        pe[i][0] = bus_of(families, family, pe[i][1]);
    if (!is_short)
        qsort(pe, (size_t)n, sizeof *pe, by_number);
    for (int i = 0; i < n; i++) {
        int k = is_short || kept == 0 ? 0 : kept - 1;
        while (k < kept && pe[k][0] != pe[i][0])
            k++;
        if (k == kept)
            memcpy(pe[kept++], pe[i], sizeof *pe);
        else if (pe[i][1] < pe[k][1])
            pe[k][1] = pe[i][1];
    }
    return kept;
}

int tiled_word_entering(const struct tiled_word *word, tiled_bits sources,
        const struct tiled_families *families, sator_int *left)
{
    tiled_bits(*pe)[2] = sator_alloc(sizeof *pe * (size_t)word->n);
    int n = 0;

    for (int i = 0; i < word->n; i++) {
        if ((word->holder[i].sources & sources) == 0)
            pe[n++][1] = word->holder[i].pe;
    }
    for (int b = 0; b < families->n; b++) {
        n = keep_first(pe, n, families, b);
        if (left != NULL)
            left[b] += word->times * n;
    }
    free(pe);
    return n;
}

/* The times that a word is fetched. */
static int word_fetched(enum tiled_aspect aspect, const struct tiled_word *word, tiled_bits sources,
        const struct tiled_families *families)
{
    if (aspect == TILED_ALL)
        return tiled_word_entering(word, sources, families, NULL);
    for (int i = 0; i < word->n; i++) {
        if ((word->holder[i].sources & sources) == 0)
            return 1;
    }
    return 0;
}

static uint64_t mix(uint64_t hash, tiled_bits bits, uint64_t factor)
{
    hash = (hash ^ (uint64_t)bits ^ (uint64_t)(bits >> 64) * 31) * factor;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(int n, const struct tiled_holder *holder)
{
    uint64_t hash = (uint64_t)n;

    for (int i = 0; i < n; i++) {
        hash = mix(hash, holder[i].pe, UINT64_C(0x9e3779b97f4a7c15));
        hash = mix(hash, holder[i].sources, UINT64_C(0xff51afd7ed558ccd));
    }
    return hash;
}

static bool is_sorted(int n, const struct tiled_holder *holder)
{
    int i = 1;

    while (i < n && by_pe(&holder[i - 1], &holder[i]) <= 0)
        i++;
    return i >= n;
}

void tiled_tally_add(const struct tiled_question *q, struct tiled_tally *tally, sator_int times,
        int n, struct tiled_holder *holder)
{
    if (q->aspect == TILED_LEAST)
        n = keep_least(n, holder);
    if (q->aspect == TILED_ALL)
        move_to_origin(q, n, holder);
    if (!is_sorted(n, holder))
        qsort(holder, (size_t)n, sizeof *holder, by_pe);
    uint64_t hash = hash_of(n, holder);
    for (int i = 0; i < tally->n; i++) {
        struct tiled_word *word = &tally->word[i];
        if (word->hash != hash || word->n != n ||
                memcmp(word->holder, holder, sizeof *holder * (size_t)n) != 0)
            continue;
        word->times += times;
        return;
    }
    struct tiled_word made = {.times = times,
            .hash = hash,
            .n = n,
            .holder = sator_arena_copy(q->arena, holder, sizeof *holder * (size_t)n)};
    SATOR_PUSH(q->arena, tally->word, tally->n, made);
}

/* The holders of two parts' words together, in "holder"; their number. */
static int meet(const struct tiled_word *x, const struct tiled_word *y, struct tiled_holder *holder)
{
    int n = 0;

    for (int e = 0; e < x->n; e++) {
        for (int f = 0; f < y->n; f++)
            holder[n++] = (struct tiled_holder){
                    x->holder[e].pe | y->holder[f].pe, x->holder[e].sources & y->holder[f].sources};
    }
    return n;
}

enum sator_status tiled_tally_multiply(const struct tiled_question *q, struct tiled_tally *product,
        const struct tiled_tally *tally, const struct sator_decline **reason)
{
    const struct tiled_tally before = *product;
    struct tiled_holder *holder = NULL;
    enum sator_status st = SATOR_OK;
    size_t room = 0;

    assert(tally->n > 0);
    *reason = DECLINE("words have too many kinds of holders");
    *product = before.n == 0 ? *tally : (struct tiled_tally){0};
    for (int i = 0; i < before.n; i++) {
        for (int k = 0; k < tally->n && st == SATOR_OK; k++) {
            const struct tiled_word *x = &before.word[i], *y = &tally->word[k];
            size_t both = (size_t)x->n * (size_t)y->n;
            if (!q->nest->is_whole && (product->n > MOST_WORDS || both > MOST_HOLDERS)) {
                st = SATOR_DECLINED;
                break;
            }
            if (both > room)
                holder = sator_realloc(holder, sizeof *holder * both);
            room = both > room ? both : room;
            int n = meet(x, y, holder);
            tiled_tally_add(q, product, x->times * y->times, n, holder);
            st = tiled_spend(q, (uint64_t)n);
        }
    }
    free(holder);
    return st;
}

sator_int tiled_tally_fetched(enum tiled_aspect aspect, const struct tiled_tally *tally,
        tiled_bits sources, const struct tiled_families *families)
{
    sator_int words = 0;

    for (int i = 0; i < tally->n; i++)
        words += tally->word[i].times * word_fetched(aspect, &tally->word[i], sources, families);
    return words;
}
