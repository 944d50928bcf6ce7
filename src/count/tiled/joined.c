/* Links and buses over the digits of a tiling.
 *
 * A coordinate is a mixed-radix number of the digits that are joined in its row, so the PE that a
 * link leads from has digits a constant away, one constant for each pattern of carries; each is a
 * source of its own (providers.c has the same for nests that are read from maps).
 */
#include "count/tiled/joined.h"

#include "base/arena.h"
#include "base/checked.h"

#include <string.h>

struct finder {
    struct tiling_network *network;
    const struct sator_tiling_net *net;
    int n;
    const struct tiling_joined *digit;
    const bool *is_named;
    int64_t *shift; /* of each source found, by digit */
};

static void add_source(struct finder *f, bool before, const int64_t *shift)
{
    struct tiling_network *w = f->network;
    size_t size = sizeof *shift * (size_t)f->n;

    for (int s = 0; s < w->n_sources; s++) {
        if (w->source[s].back == before && memcmp(f->shift + s * f->n, shift, size) == 0)
            return;
    }
    if (w->n_sources == TILED_SOURCES) {
        w->is_unknown = true;
        return;
    }
    memcpy(f->shift + w->n_sources * f->n, shift, size);
    w->now |= before ? 0 : UINT64_C(1) << w->n_sources;
    w->source[w->n_sources++] = (struct tiled_source){.back = before};
}

/* The sources of "link": digits from "k" on, the distance "left" still to go in the row of those
 * before. */
static void expand(
        struct finder *f, const struct sator_tiling_link *link, int k, int64_t left, int64_t *shift)
{
    bool begins = k == f->n || k == 0 || f->digit[k].row != f->digit[k - 1].row;

    if (begins && left != 0)
        return; /* out of the row */
    if (k == f->n) {
        add_source(f, link->before, shift);
        return;
    }
    const struct tiling_joined *here = &f->digit[k];
    left = begins ? link->shift[here->row] : left;
    int64_t rest = sator_floor_mod(left, here->size), carry = sator_floor_div(left, here->size);
    for (int borrow = 0; borrow < (rest == 0 ? 1 : 2); borrow++) {
        shift[k] = rest - borrow * here->size;
        if (shift[k] == 0 || !f->is_named[here->part]) /* else it has other values */
            expand(f, link, k + 1, carry + borrow, shift);
    }
    shift[k] = 0;
}

static bool leads_out(const struct finder *f, const struct sator_tiling_link *link)
{
    for (int r = 0; r < f->net->n_rows; r++) {
        bool has_digit = false;
        for (int k = 0; k < f->n; k++)
            has_digit |= f->digit[k].row == r;
        if (link->shift[r] != 0 && !has_digit)
            return true;
    }
    return false;
}

static bool is_moved(const struct finder *f, int k)
{
    for (int s = 0; s < f->network->n_sources; s++) {
        if (f->shift[s * f->n + k] != 0)
            return true;
    }
    return false;
}

/* Number the PEs in their order: a field of bits for each digit that a bus spreads over, the
 * innermost digit of the last row lowest. */
static void number_pes(
        struct finder *f, const bool *is_indexed, bool *is_spread, int *field, int *width)
{
    struct tiling_network *w = f->network;
    int at = 0;

    for (int k = 0; k < f->n; k++) {
        const struct tiling_joined *digit = &f->digit[k];
        is_spread[k] = false;
        field[k] = width[k] = 0;
        for (int b = 0; b < f->net->n_buses; b++)
            is_spread[k] |= f->net->bus_rows[b] >> digit->row & 1;
        if (w->aspect != TILED_ALL || f->is_named[digit->part] || !is_spread[k])
            continue; /* a word is at one position of a digit that names it */
        if (f->net->is_whole && !is_indexed[digit->part] && !is_moved(f, k))
            continue; /* copies of all PEs, which a bus merges */
        field[k] = at;
        width[k] = 64 - __builtin_clzll((uint64_t)digit->size - 1);
        at += width[k];
        w->is_unknown |= at > 63;
        for (int b = 0; b < f->net->n_buses && at <= 63; b++) {
            if (f->net->bus_rows[b] >> digit->row & 1)
                w->spread[b] |= ((UINT64_C(1) << width[k]) - 1) << field[k];
        }
    }
}

/* Divide what is known of all digits among the parts. */
static void divide(const struct finder *f, struct sator_arena *arena, int p, const bool *is_spread,
        const int *field, const int *width)
{
    const struct tiling_network *w = f->network;
    struct tiling_joined_part *part = &f->network->part[p];
    int n = 0;

    for (int k = 0; k < f->n; k++)
        n += f->digit[k].part == p;
    *part = (struct tiling_joined_part){.n_digits = n,
            .is_spread = SATOR_NEW_ARRAY(arena, bool, n + 1),
            .field = SATOR_NEW_ARRAY(arena, int, n + 1),
            .width = SATOR_NEW_ARRAY(arena, int, n + 1),
            .shift = SATOR_NEW_ARRAY(arena, int64_t, w->n_sources * n + 1)};
    for (int k = 0, at = 0; k < f->n; k++) {
        if (f->digit[k].part != p)
            continue;
        part->is_spread[at] = is_spread[k];
        part->field[at] = field[k];
        part->width[at] = width[k];
        for (int s = 0; s < w->n_sources; s++)
            part->shift[s * n + at] = f->shift[s * f->n + k];
        at++;
    }
}

struct tiling_network *tiling_network_new(struct sator_arena *arena,
        const struct sator_tiling_net *net, int n_digits, const struct tiling_joined *digit,
        int n_parts, const bool *is_named, const bool *is_indexed)
{
    struct tiling_network *w = SATOR_NEW(arena, struct tiling_network);
    int64_t none[TILING_DIGITS] = {0}, shift[TILED_SOURCES * TILING_DIGITS];
    bool is_spread[TILING_DIGITS];
    int field[TILING_DIGITS], width[TILING_DIGITS];
    struct finder f = {w, net, n_digits, digit, is_named, shift};

    *w = (struct tiling_network){.n_buses = net->n_buses,
            .aspect = net->n_buses == 0 ? TILED_EACH
                    : net->n_buses == 1 ? TILED_LEAST
                                        : TILED_ALL};
    add_source(&f, true, none); /* the own register */
    for (int i = 0; i < net->n_links; i++) {
        if (!leads_out(&f, &net->link[i]))
            expand(&f, &net->link[i], 0, 0, none);
    }
    number_pes(&f, is_indexed, is_spread, field, width);
    for (int p = 0; p < n_parts; p++)
        divide(&f, arena, p, is_spread, field, width);
    return w;
}

void tiling_network_ask(struct tiling_network *network, struct sator_arena *arena, int p,
        const int *digit, struct tiled_question *question)
{
    const struct tiling_network *w = network;
    struct tiled_question *q = question;
    const struct tiling_joined_part *part = &w->part[p];
    struct tiled_source *source =
            sator_arena_copy(arena, w->source, sizeof *source * (size_t)w->n_sources);

    for (int k = 0; k < part->n_digits; k++) {
        q->is_spread[digit[k]] |= part->is_spread[k];
        q->field[digit[k]] = part->field[k];
        q->width[digit[k]] = part->width[k];
    }
    for (int s = 0; s < w->n_sources; s++) {
        int64_t *shift = SATOR_NEW_ARRAY(arena, int64_t, q->nest->n_digits + 1);
        for (int k = 0; k < part->n_digits; k++)
            shift[digit[k]] = part->shift[s * part->n_digits + k];
        source[s].shift = shift;
    }
    q->source = source;
    q->n_sources = w->n_sources;
    q->aspect = w->aspect;
}
