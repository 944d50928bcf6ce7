/* All stamps of a skewed row at once, at the ports that each PE has for itself: what arrives at its
 * memory, and what this serves.
 *
 * There the words of the busiest PE count, not those of all. So the cells of all transfers that
 * pass such ports are joined: in each of the boxes that are left, the PEs do the same at all of
 * these ports, and the busiest one is of the box that does most, of those that have a place at the
 * value.
 */
#include "model/timing/timing_boxes.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BOXES = 1 << 14
};

struct busiest {
    const struct nest *nest;
    const struct squeezed *squeezed;
    struct nest_row *row;
    int n; /* transfers */
    struct boxes **boxes; /* of each: they have the same digits */
    int n_digits;
    struct box_digit *digits; /* with joint cells */
    struct timing_delays *delays; /* of each port: of a PE of the box at hand */
    int64_t *places; /* room for a number at each value */
};

bool boxes_pass_own_ports(const struct timing_transfer *transfer)
{
    return transfer->is_own || (transfer->arrives.port >= 0 && transfer->n_space > 0);
}

/* ---- cells ---- */

/* Join the cells of digit number "i". */
static void join_cells(const struct busiest *f, int i)
{
    struct box_digit *joint = &f->digits[i];
    int n = 0, kept = 0;

    *joint = f->boxes[0]->digits[i];
    joint->cells = NULL;
    for (int k = 0; k < f->n; k++) {
        const struct box_digit *digit = &f->boxes[k]->digits[i];
        for (int c = 0; c < digit->n_cells; c++)
            SATOR_PUSH(f->nest->timing->arena, joint->cells, n, digit->cells[c]);
    }
    qsort(joint->cells, (size_t)n, sizeof *joint->cells, sator_compare_int64);
    for (int c = 0; c < n; c++) {
        if (kept == 0 || joint->cells[kept - 1] != joint->cells[c])
            joint->cells[kept++] = joint->cells[c];
    }
    joint->n_cells = kept;
    SATOR_PUSH(f->nest->timing->arena, joint->cells, kept, joint->extent);
}

/* ---- boxes ---- */

static void add_words(const struct busiest *f, const struct timing_transfer *transfer,
        const struct timing_use *use, bool is_store, int64_t words)
{
    enum timing_phase phase = transfer->kind != SATOR_TRANSFER_SERIAL ? TIMING_WITH_RUN
            : is_store                                                ? TIMING_SERIAL_STORES
                                                                      : TIMING_SERIAL_LOADS;

    if (use->port < 0 || words == 0)
        return;
    sator_int cost = timing_cost(f->nest->timing, use, words);
    f->delays[use->port].phase[phase] += cost;
    f->delays[use->port].all += cost;
}

/* What a PE of the box at hand has its ports do. */
static void find_delays(const struct busiest *f)
{
    memset(f->delays, 0, sizeof *f->delays * (size_t)f->nest->timing->n_ports);
    for (int k = 0; k < f->n; k++) {
        struct boxes *b = f->boxes[k];
        const struct timing_transfer *transfer = b->transfer;
        for (int i = 0; i < f->n_digits; i++) {
            b->digits[i].first = f->digits[i].first;
            b->digits[i].count = f->digits[i].count;
        }
        struct box_words words = boxes_follow(b);
        add_words(f, transfer, &transfer->arrives, false, words.arrived);
        if (transfer->is_own) {
            add_words(f, transfer, &transfer->sends, false, words.sent);
            add_words(f, transfer, &transfer->takes, true, words.stored);
        }
    }
}

/* How many places of the box at hand there are at each of the "*n" values from "*first" on: the
 * coefficients of its product (timing_runs.c). */
static const int64_t *count_places(const struct busiest *f, int64_t *first, int64_t *n)
{
    int64_t *places = f->places;

    *first = -f->squeezed->first;
    *n = 1;
    for (int i = 0; i < f->n_digits; i++) {
        const struct box_span span = boxes_squeeze(f->squeezed, &f->digits[i]);
        *first += span.factor * (span.factor < 0 ? span.first + span.count - 1 : span.first);
        *n += llabs(span.factor) * (span.count - 1);
    }
    if (*first < 0 || *first + *n > f->row->n)
        return NULL;
    memset(places, 0, sizeof *places * (size_t)*n);
    places[0] = 1;
    for (int i = 0; i < f->n_digits; i++) {
        const struct box_span span = boxes_squeeze(f->squeezed, &f->digits[i]);
        const int64_t factor = llabs(span.factor), length = factor * span.count;
        for (int64_t v = *n - 1; factor > 0 && v >= length; v--)
            places[v] -= places[v - length];
        for (int64_t v = factor; factor > 0 && v < *n; v++)
            places[v] += places[v - factor];
    }
    return places;
}

static void keep_most(const struct timing_delays *delays, struct timing_delays *most)
{
    for (int p = 0; p < TIMING_PHASES; p++)
        most->phase[p] = delays->phase[p] > most->phase[p] ? delays->phase[p] : most->phase[p];
    most->all = delays->all > most->all ? delays->all : most->all;
}

/* Add the box at hand; false: it has places outside of the row. */
static bool add_box(const struct busiest *f)
{
    const int n_ports = f->nest->timing->n_ports;
    bool moves = false;
    int64_t first, n;

    find_delays(f);
    for (int q = 0; q < n_ports; q++)
        moves |= f->delays[q].all > 0;
    if (!moves)
        return true;
    const int64_t *places = count_places(f, &first, &n);
    for (int q = 0; q < n_ports && places != NULL; q++) {
        for (int64_t v = 0; v < n && f->delays[q].all > 0; v++) {
            if (places[v] > 0)
                keep_most(&f->delays[q], &f->row->busiest[q][first + v]);
        }
    }
    return places != NULL;
}

static bool walk_boxes(const struct busiest *f, int i)
{
    bool fits = true;

    if (i == f->n_digits)
        return add_box(f);
    struct box_digit *digit = &f->digits[i];
    for (int c = 0; c < digit->n_cells && fits; c++) {
        digit->first = digit->cells[c];
        digit->count = digit->cells[c + 1] - digit->first;
        fits = walk_boxes(f, i + 1);
    }
    return fits;
}

/* ---- rows ---- */

/* The transfers that pass ports of PEs, and room for what these do. No other passes these: in a row
 * that is open (timing_runs.c) their holders are outside of all arrays. */
static void list_transfers(struct busiest *f)
{
    const struct timing *timing = f->nest->timing;

    f->boxes = SATOR_NEW_ARRAY(timing->arena, struct boxes *, timing->n_transfers + 1);
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        const int ports[] = {transfer->arrives.port, transfer->is_own ? transfer->sends.port : -1,
                transfer->is_own ? transfer->takes.port : -1};
        if (!nest_is_of_stamps(f->nest, transfer) || !boxes_pass_own_ports(transfer))
            continue;
        f->boxes[f->n++] = f->nest->boxes[i];
        for (int p = 0; p < 3; p++) {
            if (ports[p] >= 0 && f->row->busiest[ports[p]] == NULL)
                f->row->busiest[ports[p]] =
                        SATOR_NEW_ARRAY(timing->arena, struct timing_delays, f->row->n + 1);
        }
    }
}

bool boxes_find_busiest(
        const struct nest *nest, const struct squeezed *squeezed, struct nest_row *row)
{
    const struct timing *timing = nest->timing;
    struct busiest f = {.nest = nest, .squeezed = squeezed, .row = row};
    int64_t n_boxes = 1;

    row->busiest = SATOR_NEW_ARRAY(timing->arena, struct timing_delays *, timing->n_ports + 1);
    list_transfers(&f);
    if (f.n == 0)
        return true;
    f.n_digits = f.boxes[0]->n_digits;
    f.digits = SATOR_NEW_ARRAY(timing->arena, struct box_digit, f.n_digits + 1);
    f.delays = SATOR_NEW_ARRAY(timing->arena, struct timing_delays, timing->n_ports + 1);
    f.places = SATOR_NEW_ARRAY(timing->arena, int64_t, row->n + 1);
    for (int i = 0; i < f.n_digits; i++) {
        join_cells(&f, i);
        n_boxes *= f.digits[i].n_cells;
        if (n_boxes > MOST_BOXES)
            return false;
    }
    return walk_boxes(&f, 0);
}
