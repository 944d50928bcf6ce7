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
    bool is_own = f->net->is_stamp && back == 1 && w->n_sources > 0;

    for (int k = 0; k < f->n && is_own; k++)
        is_own = shift[k] == 0 || !f->part[f->digit[k].part].is_indexed;
    for (int s = 0; s < w->n_sources && !is_own; s++)
        is_own = w->source[s].back == back && memcmp(f->shift + s * f->n, shift, size) == 0;
    if (is_own)
        return;
    if (w->n_sources == (f->net->is_stamp ? TILED_SOURCES : TILED_MOST_SOURCES)) {
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

/* Number the PEs in their order: a field of bits for each digit that a bus spreads over, the
 * innermost digit of the last row lowest. */
static void number_pes(struct finder *f)
{
    struct tiling_network *w = f->network;
    unsigned grouped = grouped_rows(f->net), spread = 0;
    int at = 0;

    for (int b = 0; b < f->net->n_buses; b++)
        spread |= f->net->bus_rows[b];
    for (int k = 0; k < f->n; k++) {
        const struct tiling_joined *digit = &f->digit[k];
        struct tiling_joined_field *field = &w->field[k];
        field->is_spread = spread >> digit->row & 1;
        field->is_placed = grouped >> digit->row & 1;
        if (w->aspect != TILED_ALL || !field->is_spread)
            continue;
        if (is_named(f, digit->part) && !field->is_placed)
            continue; /* a word is at one position of it */
        if (f->net->is_stamp && !f->part[digit->part].is_indexed && !field->is_placed &&
                !is_moved(f, k))
            continue; /* copies of all PEs, which a bus merges */
        field->first = at;
        field->width = 64 - __builtin_clzll((uint64_t)digit->size - 1);
        at += field->width;
        w->is_unknown |= at > MOST_BITS;
        for (int b = 0; b < f->net->n_buses && at <= MOST_BITS; b++) {
            if (f->net->bus_rows[b] >> digit->row & 1)
                w->families.spread[b] |= (tiled_bit(field->width) - 1) << field->first;
        }
    }
    w->families.n_bits = at;
}

/* The buses of family "b", which join some of the PEs in its rows. */
static const struct tiled_buses *list_buses(
        const struct finder *f, struct sator_arena *arena, int b)
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
            const struct tiling_joined_field *field = &f->network->field[k];
            if (is_there)
                buses->field[buses->n_fields++] =
                        (struct tiled_field){field->first, field->width, step};
            step *= f->digit[k].size;
        }
        of_row *= is_there ? net->shape[r] : 1;
    }
    return buses;
}

struct tiling_network *tiling_network_new(struct sator_arena *arena,
        const struct sator_tiling_net *net, int n_digits, const struct tiling_joined *digit,
        const struct tiled_part *part)
{
    struct tiling_network *w = SATOR_NEW(arena, struct tiling_network);
    int64_t none[TILING_DIGITS] = {0}, shift[TILED_SOURCES * TILING_DIGITS];
    struct finder f = {w, net, n_digits, digit, part, shift};

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
    number_pes(&f);
    for (int b = 0; b < net->n_buses && net->bus_of != NULL; b++)
        w->families.buses[b] = net->bus_of[b] == NULL ? NULL : list_buses(&f, arena, b);
    w->shift =
            sator_arena_copy(arena, shift, sizeof *shift * (size_t)w->n_sources * (size_t)n_digits);
    return w;
}

void tiling_network_ask(const struct tiling_network *network, struct sator_arena *arena,
        int n_digits, const struct tiling_joined *digit, int p, const int *place,
        struct tiled_question *question)
{
    struct tiled_question *q = question;
    int n_sources = network->n_sources, stride = q->nest->n_digits + 1, at = 0;
    int64_t *shift = SATOR_NEW_ARRAY(arena, int64_t, n_sources * stride);
    struct tiled_source *source =
            sator_arena_copy(arena, network->source, sizeof *source * (size_t)n_sources);

    for (int s = 0; s < n_sources; s++)
        source[s].shift = shift + s * stride;
    for (int k = 0; k < n_digits; k++) {
        const struct tiling_joined_field *field = &network->field[k];
        if (digit[k].part != p)
            continue;
        int d = place[at++];
        q->is_spread[d] |= field->is_spread;
        q->is_placed[d] = field->is_placed;
        q->field[d] = field->first;
        q->width[d] = field->width;
        for (int s = 0; s < n_sources; s++)
            shift[s * stride + d] = network->shift[s * n_digits + k];
    }
    q->source = source;
    q->n_sources = n_sources;
    q->aspect = network->aspect;
}
