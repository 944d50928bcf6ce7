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

enum {
    MOST_BITS = 96 /* of a PE's number; the rest is for its bus */
};

struct finder {
    struct tiling_network *network;
    const struct sator_tiling_net *net;
    int n;
    const struct tiling_joined *digit;
    const struct tiled_part *part;
    bool is_whole;
    int64_t *shift; /* of each source found, by digit */
};

/* Whether the part's digits move no source of other values. */
static bool is_named(const struct finder *f, int part)
{
    return f->part[part].is_indexed && f->part[part].is_named;
}

/* Add a source unless it is known, or holds no more than the PE itself did: everything that it
 * holds it holds at all positions of a digit that moves no index, where no tile is short. */
static void add_source(struct finder *f, int back, const int64_t *shift)
{
    struct tiling_network *w = f->network;
    size_t size = sizeof *shift * (size_t)f->n;
    bool is_own = f->is_whole && back == 1 && w->n_sources > 0;

    for (int k = 0; k < f->n && is_own; k++)
        is_own = shift[k] == 0 || !f->part[f->digit[k].part].is_indexed;
    for (int s = 0; s < w->n_sources && !is_own; s++)
        is_own = w->source[s].back == back && memcmp(f->shift + s * f->n, shift, size) == 0;
    if (is_own)
        return;
    if (w->n_sources == (f->is_whole ? TILED_SOURCES : TILED_MOST_SOURCES)) {
        w->is_unknown = true;
        return;
    }
    memcpy(f->shift + w->n_sources * f->n, shift, size);
    w->now |= back > 0 ? 0 : tiled_bit(w->n_sources);
    w->source[w->n_sources++] = (struct tiled_source){.back = back};
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
        add_source(f, link->interval, shift);
        return;
    }
    const struct tiling_joined *here = &f->digit[k];
    left = begins ? link->shift[here->row] : left;
    int64_t rest = sator_floor_mod(left, here->size), carry = sator_floor_div(left, here->size);
    for (int borrow = 0; borrow < (rest == 0 ? 1 : 2); borrow++) {
        shift[k] = rest - borrow * here->size;
        if (shift[k] == 0 || !is_named(f, here->part)) /* else it has other values */
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

/* The rows along which buses join some PEs only: there it matters where PEs are. */
static unsigned grouped_rows(const struct sator_tiling_net *net)
{
    unsigned rows = 0;

    for (int b = 0; b < net->n_buses && net->bus_of != NULL; b++)
        rows |= net->bus_of[b] != NULL ? net->bus_rows[b] : 0;
    return rows;
}

/* What is known of each digit. */
struct fields {
    bool is_spread[TILING_DIGITS], is_placed[TILING_DIGITS];
    int first[TILING_DIGITS], width[TILING_DIGITS];
};

/* Number the PEs in their order: a field of bits for each digit that a bus spreads over, the
 * innermost digit of the last row lowest. */
static void number_pes(struct finder *f, struct fields *fields)
{
    struct tiling_network *w = f->network;
    unsigned grouped = grouped_rows(f->net), spread = 0;
    int at = 0;

    for (int b = 0; b < f->net->n_buses; b++)
        spread |= f->net->bus_rows[b];
    for (int k = 0; k < f->n; k++) {
        const struct tiling_joined *digit = &f->digit[k];
        fields->is_spread[k] = spread >> digit->row & 1;
        fields->is_placed[k] = grouped >> digit->row & 1;
        fields->first[k] = fields->width[k] = 0;
        if (w->aspect != TILED_ALL || !fields->is_spread[k])
            continue;
        if (is_named(f, digit->part) && !fields->is_placed[k])
            continue; /* a word is at one position of it */
        if (f->is_whole && !f->part[digit->part].is_indexed && !fields->is_placed[k] &&
                !is_moved(f, k))
            continue; /* copies of all PEs, which a bus merges */
        fields->first[k] = at;
        fields->width[k] = 64 - __builtin_clzll((uint64_t)digit->size - 1);
        at += fields->width[k];
        w->is_unknown |= at > MOST_BITS;
        for (int b = 0; b < f->net->n_buses && at <= MOST_BITS; b++) {
            if (f->net->bus_rows[b] >> digit->row & 1)
                w->families.spread[b] |= (tiled_bit(fields->width[k]) - 1) << fields->first[k];
        }
    }
    w->families.n_bits = at;
}

/* The buses of family "b", which join some of the PEs in its rows. */
static const struct tiled_buses *list_buses(
        const struct finder *f, struct sator_arena *arena, int b, const struct fields *fields)
{
    const struct sator_tiling_net *net = f->net;
    struct tiled_buses *buses = SATOR_NEW(arena, struct tiled_buses);
    int64_t of_row = 1;
    int k = 0;

    buses->bus_of = net->bus_of[b];
    buses->field = SATOR_NEW_ARRAY(arena, struct tiled_field, f->n + 1);
    for (int r = net->n_rows - 1; r >= 0; r--) {
        bool is_there = net->bus_rows[b] >> r & 1;
        int64_t step = of_row;
        for (; k < f->n && f->digit[k].row == r; k++) {
            if (is_there)
                buses->field[buses->n_fields++] =
                        (struct tiled_field){fields->first[k], fields->width[k], step};
            step *= f->digit[k].size;
        }
        of_row *= is_there ? net->shape[r] : 1;
    }
    return buses;
}

/* Divide what is known of all digits among the parts. */
static void divide(
        const struct finder *f, struct sator_arena *arena, int p, const struct fields *fields)
{
    const struct tiling_network *w = f->network;
    struct tiling_joined_part *part = &f->network->part[p];
    int n = 0;

    for (int k = 0; k < f->n; k++)
        n += f->digit[k].part == p;
    *part = (struct tiling_joined_part){.n_digits = n,
            .is_spread = SATOR_NEW_ARRAY(arena, bool, n + 1),
            .is_placed = SATOR_NEW_ARRAY(arena, bool, n + 1),
            .field = SATOR_NEW_ARRAY(arena, int, n + 1),
            .width = SATOR_NEW_ARRAY(arena, int, n + 1),
            .shift = SATOR_NEW_ARRAY(arena, int64_t, w->n_sources * n + 1)};
    for (int k = 0, at = 0; k < f->n; k++) {
        if (f->digit[k].part != p)
            continue;
        part->is_spread[at] = fields->is_spread[k];
        part->is_placed[at] = fields->is_placed[k];
        part->field[at] = fields->first[k];
        part->width[at] = fields->width[k];
        for (int s = 0; s < w->n_sources; s++)
            part->shift[s * n + at] = f->shift[s * f->n + k];
        at++;
    }
}

struct tiling_network *tiling_network_new(struct sator_arena *arena,
        const struct sator_tiling_net *net, int n_digits, const struct tiling_joined *digit,
        int n_parts, const struct tiled_part *part, bool is_whole)
{
    struct tiling_network *w = SATOR_NEW(arena, struct tiling_network);
    int64_t none[TILING_DIGITS] = {0}, shift[TILED_SOURCES * TILING_DIGITS];
    struct finder f = {w, net, n_digits, digit, part, is_whole, shift};
    struct fields fields;

    w->aspect = net->n_buses == 0                         ? TILED_EACH
            : net->n_buses == 1 && grouped_rows(net) == 0 ? TILED_LEAST
                                                          : TILED_ALL;
    w->families.n = net->n_buses;
    w->is_unknown = net->n_buses > TILED_BUSES;
    if (w->is_unknown)
        return w;
    if (net->held & 2)
        add_source(&f, 1, none); /* the own register */
    for (int i = 0; i < net->n_links; i++) {
        if ((net->held >> net->link[i].interval & 1) && !leads_out(&f, &net->link[i]))
            expand(&f, &net->link[i], 0, 0, none);
    }
    number_pes(&f, &fields);
    for (int b = 0; b < net->n_buses && net->bus_of != NULL; b++)
        w->families.buses[b] = net->bus_of[b] == NULL ? NULL : list_buses(&f, arena, b, &fields);
    w->part = SATOR_NEW_ARRAY(arena, struct tiling_joined_part, n_parts + 1);
    for (int p = 0; p < n_parts; p++)
        divide(&f, arena, p, &fields);
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
        q->is_placed[digit[k]] = part->is_placed[k];
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
