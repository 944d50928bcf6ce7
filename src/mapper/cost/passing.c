/* Words that pass from PE to PE while a sliding index is unrolled (doc/search.md, "Counting"): how
 * many enter in a stamp, which is one of a tiled nest (tilings.c).
 */
#include "mapper/cost/cost.h"

#include <string.h>

/* ---- digits ---- */

void sator_mapper_walk_digits(struct mapper_walk *walk, const struct mapper_shape *shape)
{
    const struct mapper_access *access = walk->access;

    walk->n_net_digits = 0;
    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        bool moves = access->relevant >> digit->loop & 1;
        if (digit->row >= walk->transfer->child_row || !(walk->shared >> digit->row & 1))
            continue;
        walk->net_digit[walk->n_net_digits++] = (struct mapper_net_digit){.row = digit->row,
                .loop = digit->loop,
                .index = moves ? access->index_of[digit->loop] : -1,
                .count = digit->count,
                .step = access->coef_of[digit->loop] * shape->inside[digit->row + 1][digit->loop]};
    }
}

/* Whether families that the walk's ways include join some PEs of a digit's row. */
static bool is_grouped(const struct mapper_walk *walk, int digit)
{
    const struct mapper_transfer *t = walk->transfer;

    for (int k = 0; k < walk->n_ways - t->n_passes; k++) {
        if (t->bus_of[k] != NULL && (t->bus_rows[k] >> walk->net_digit[digit].row & 1))
            return true;
    }
    return false;
}

/* ---- a stamp ---- */

static bool is_plain(const struct mapper_walk *walk, int digit)
{
    int e = walk->net_digit[digit].index;

    return e >= 0 && walk->access->index[e].closed == 1;
}

/* What enters, without the values of plain indices. */
static int64_t entering_sliding(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past)
{
    int64_t key[4 + MAPPER_INDICES * (MAPPER_PAST + MAPPER_PARTS) + 3 * MAPPER_DIGITS];
    int at = 0;

    key[at++] = -1 - walk->number;
    key[at++] = ((int64_t)walk->first_way << 8 | walk->n_ways) << MAPPER_PAST | past->held;
    key[at++] = walk->n_net_digits;
    for (int e = 0; e < walk->access->n_indices; e++) {
        const struct mapper_index *index = &walk->access->index[e];
        if (index->closed == 1)
            continue;
        for (unsigned held = past->held; held != 0; held &= held - 1)
            key[at++] = past->shift[__builtin_ctz(held)][e];
        for (int i = 0; i < index->n_parts; i++)
            key[at++] = walk->steps[e].tile[i];
    }
    for (int k = 0; k < walk->n_net_digits; k++) {
        const struct mapper_net_digit *digit = &walk->net_digit[k];
        bool slides = digit->index >= 0 && !is_plain(walk, k);
        /* which of the others it is, and how far its steps lead, says nothing of the values */
        int kind = slides ? digit->loop : is_plain(walk, k) ? MAPPER_LOOPS : MAPPER_LOOPS + 1;
        key[at++] = digit->row * (MAPPER_LOOPS + 2) + kind;
        key[at++] = digit->count;
        key[at++] = slides ? digit->step : 0;
    }
    bool is_new;
    int64_t *value = sator_mapper_words_place(words, key, at, &is_new);
    if (!is_new)
        return *value;
    int64_t plain = 1; /* positions that are not told apart */
    for (int k = 0; k < walk->n_net_digits; k++)
        plain *= is_plain(walk, k) && !is_grouped(walk, k) ? walk->net_digit[k].count : 1;
    *value = sator_mapper_tiling_entering(words, walk, past) / plain;
    return *value;
}

int64_t sator_mapper_entering_each(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift)
{
    struct mapper_past past = {.held = shift != NULL};

    if (shift != NULL)
        memcpy(past.shift[0], shift, sizeof *shift * (size_t)walk->access->n_indices);
    return entering_sliding(words, walk, &past);
}

int64_t sator_mapper_entering_times(const struct mapper_walk *walk)
{
    int64_t plain = 1;

    for (int e = 0; e < walk->access->n_indices; e++)
        plain *= walk->access->index[e].closed == 1 ? walk->group_values[e] : 1;
    for (int k = 0; k < walk->n_net_digits; k++) {
        if (is_grouped(walk, k) && is_plain(walk, k))
            plain /= walk->net_digit[k].count; /* which are told apart */
    }
    return plain;
}

int64_t sator_mapper_entering(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift)
{
    return sator_mapper_entering_times(walk) * sator_mapper_entering_each(words, walk, shift);
}

int64_t sator_mapper_entering_after(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past)
{
    return sator_mapper_entering_times(walk) * entering_sliding(words, walk, past);
}

bool sator_mapper_goes_round(struct mapper_words *words, const struct mapper_walk *walk)
{
    const struct mapper_transfer *t = walk->transfer;
    struct mapper_walk part = *walk;
    uint64_t joining = 0;

    if (!t->may_go_round)
        return false;
    part.first_way = part.n_ways = 0;
    int64_t apart = sator_mapper_entering(words, &part, NULL);
    for (int i = 0; i < t->n_passes; i++) {
        part.first_way = i;
        part.n_ways = i + 1;
        if (t->passes[i].interval == 0 && sator_mapper_entering(words, &part, NULL) < apart)
            joining |= UINT64_C(1) << i;
    }
    return sator_mapper_may_circle(walk->problem, t, joining);
}
