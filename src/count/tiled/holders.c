/* The holders of words: as little of them as a question needs, so that few kinds are left. */
#include "base/arena.h"
#include "base/room.h"
#include "count/tiled/tiled.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = SATOR_ROOM(1 << 14, 4), /* kinds of a tally */
    MOST_HOLDERS = SATOR_ROOM(1 << 16, 16) /* of a kind */
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
        uint64_t sources = holder[i].sources;
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
    uint64_t least = 0;

    for (int d = 0; d < q->nest->n_digits; d++) {
        if (q->width[d] == 0)
            continue;
        uint64_t mask = (UINT64_C(1) << q->width[d]) - 1, low = mask;
        for (int i = 0; i < n; i++) {
            uint64_t digit = holder[i].pe >> q->field[d] & mask;
            low = digit < low ? digit : low;
        }
        least |= low << q->field[d];
    }
    for (int i = 0; i < n; i++)
        holder[i].pe -= least;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Keep, of the PEs that agree in all but the bits "spread", the first; they get another order. */
static int keep_first(uint64_t (*pe)[2], int n, uint64_t spread)
{
    int kept = 0;

    for (int i = 0; i < n; i++)
        pe[i][0] = pe[i][1] & ~spread;
    qsort(pe, (size_t)n, sizeof *pe, by_number);
    for (int i = 0; i < n; i++) {
        if (kept > 0 && pe[kept - 1][0] == pe[i][0])
            pe[kept - 1][1] = pe[i][1] < pe[kept - 1][1] ? pe[i][1] : pe[kept - 1][1];
        else
            memcpy(pe[kept++], pe[i], sizeof *pe);
    }
    return kept;
}

int tiled_word_entering(const struct tiled_word *word, uint64_t sources, int n_buses,
        const uint64_t *spread, sator_int *left)
{
    uint64_t(*pe)[2] = sator_alloc(sizeof *pe * (size_t)word->n);
    int n = 0;

    for (int i = 0; i < word->n; i++) {
        if ((word->holder[i].sources & sources) == 0)
            pe[n++][1] = word->holder[i].pe;
    }
    for (int b = 0; b < n_buses; b++) {
        n = keep_first(pe, n, spread[b]);
        if (left != NULL)
            left[b] += word->times * n;
    }
    free(pe);
    return n;
}

static uint64_t hash_of(int n, const struct tiled_holder *holder)
{
    uint64_t hash = (uint64_t)n;

    for (int i = 0; i < n; i++) {
        hash = (hash ^ holder[i].pe) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ holder[i].sources) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

void tiled_tally_add(const struct tiled_question *q, struct tiled_tally *tally, sator_int times,
        int n, struct tiled_holder *holder)
{
    if (q->aspect == TILED_LEAST)
        n = keep_least(n, holder);
    if (q->aspect == TILED_ALL)
        move_to_origin(q, n, holder);
    if (n > 1)
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

enum sator_status tiled_tally_multiply(const struct tiled_question *q, const struct tiled_tally *a,
        const struct tiled_tally *b, struct tiled_tally *product,
        const struct sator_decline **reason)
{
    enum sator_status st = SATOR_OK;

    *reason = DECLINE("words have too many kinds of holders");
    *product = (struct tiled_tally){0};
    for (int i = 0; i < a->n; i++) {
        for (int k = 0; k < b->n && st == SATOR_OK; k++) {
            const struct tiled_word *x = &a->word[i], *y = &b->word[k];
            if (product->n > MOST_WORDS || x->n > MOST_HOLDERS / y->n)
                return SATOR_DECLINED;
            int n = 0;
            struct tiled_holder *holder = sator_alloc(sizeof *holder * (size_t)x->n * (size_t)y->n);
            for (int e = 0; e < x->n; e++) {
                for (int f = 0; f < y->n; f++)
                    holder[n++] = (struct tiled_holder){x->holder[e].pe | y->holder[f].pe,
                            x->holder[e].sources & y->holder[f].sources};
            }
            tiled_tally_add(q, product, x->times * y->times, n, holder);
            free(holder);
            st = tiled_spend(q, (uint64_t)n);
        }
    }
    return st;
}
