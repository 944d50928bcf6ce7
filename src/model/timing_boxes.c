/* Boxes: the digits of places, what a place and its neighbours hold, and where these change. */
#include "model/timing_boxes.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CELLS = 1 << 10 /* near an end of a digit */
};

/* ---- what a transfer is made of ---- */

static bool is_fixed(const struct boxes *b, const struct nest_digit *digit)
{
    return digit->order >= 0 && digit->order < b->n_fixed;
}

static bool has_place(const struct boxes *b, int index)
{
    for (int d = 0; d < b->n_dims; d++) {
        if (b->nest->space_factor[d * NEST_DIGITS + index] != 0)
            return true;
    }
    return b->full && b->nest->digits[index].run != 0;
}

/* The digits of every dimension, coarsest first. */
static void list_dims(struct boxes *b)
{
    const struct nest *nest = b->nest;

    b->dims = SATOR_NEW_ARRAY(nest->timing->arena, struct box_dim, b->n_dims + 1);
    for (int d = 0; d < b->n_dims; d++) {
        const int64_t *factors = &nest->space_factor[d * NEST_DIGITS];
        struct box_dim *dim = &b->dims[d];
        dim->list = SATOR_NEW_ARRAY(nest->timing->arena, int, nest->n_digits + 1);
        for (int i = 0; i < nest->n_digits; i++) {
            if (factors[i] == 0 || nest->digits[i].extent == 1)
                continue;
            int k = dim->n++;
            for (; k > 0 && factors[dim->list[k - 1]] < factors[i]; k--)
                dim->list[k] = dim->list[k - 1];
            dim->list[k] = i;
        }
    }
}

static void add_digit(struct boxes *b, int index, bool is_holder)
{
    const struct nest_digit *digit = &b->nest->digits[index];

    b->digits[b->n_digits++] = (struct box_digit){.digit = index,
            .is_run = digit->run != 0,
            .is_holder = is_holder,
            .factor = b->full ? nest_row_factor(digit) : 0};
}

/* The digits of places: those of the holder first, those of the running number last. */
static void list_digits(struct boxes *b)
{
    const struct nest *nest = b->nest;

    b->digits = SATOR_NEW_ARRAY(nest->timing->arena, struct box_digit, nest->n_digits + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < nest->n_digits; i++) {
            bool is_holder = false;
            if (nest->digits[i].extent == 1 || nest->digits[i].run != 0 || !has_place(b, i))
                continue;
            for (int d = 0; d < b->transfer->holder_space; d++)
                is_holder |= nest->space_factor[d * NEST_DIGITS + i] != 0;
            if (is_holder == (pass == 0))
                add_digit(b, i, is_holder);
        }
    }
    for (int r = 0; b->full && r < nest->n_runs; r++)
        add_digit(b, nest->runs[r], false);
}

/* The loops' digits inside a place; false: they make other values than 0, step, .. */
static bool find_within(struct boxes *b)
{
    const struct nest *nest = b->nest;

    b->within = SATOR_NEW_ARRAY(nest->timing->arena, struct box_within, nest->n_loops + 1);
    for (int l = 0; l < nest->n_loops; l++) {
        struct box_within *within = &b->within[l];
        const struct nest_digit *finer = NULL;
        int n = 0, n_joined = 0;
        *within = (struct box_within){1, 1};
        for (int i = 0; i < nest->n_digits; i++) {
            const struct nest_digit *digit = &nest->digits[i];
            if (digit->loop != l || is_fixed(b, digit) || digit->extent == 1 || has_place(b, i))
                continue;
            n++;
            finer = finer == NULL || digit->stride < finer->stride ? digit : finer;
        }
        while (finer != NULL) { /* each a multiple of what the finer ones make */
            const struct nest_digit *next = NULL;
            within->step = n_joined++ == 0 ? finer->stride : within->step;
            within->extent *= finer->extent;
            for (int i = 0; i < nest->n_digits; i++) {
                const struct nest_digit *digit = &nest->digits[i];
                if (digit->loop == l && !is_fixed(b, digit) && digit->extent > 1 &&
                        !has_place(b, i) && digit->stride == within->step * within->extent)
                    next = digit;
            }
            finer = next;
        }
        if (n_joined < n)
            return false;
    }
    return true;
}

/* The indices' terms, those whose values lie close first; false: two indices of a piece vary with
 * one loop inside a place, so that elements make no product. */
static bool list_terms(struct boxes *b)
{
    struct sator_arena *arena = b->nest->timing->arena;
    int n_out = b->map->n_out;

    b->terms = SATOR_NEW_ARRAY(arena, struct box_term, b->map->n_pieces * n_out + 1);
    for (int p = 0; p < b->map->n_pieces; p++) {
        uint64_t seen = 0;
        for (int o = 0; o < n_out; o++) {
            const struct sator_expr *index = b->map->pieces[p].out[o];
            struct box_term *term = &b->terms[p * n_out + o];
            term->constant = index->constant;
            term->loop = SATOR_NEW_ARRAY(arena, int, index->n_terms + 1);
            term->factor = SATOR_NEW_ARRAY(arena, int64_t, index->n_terms + 1);
            for (int t = 0; t < index->n_terms; t++) {
                int loop = index->terms[t].var, k = term->n++;
                int64_t factor = index->terms[t].factor;
                term->constant += factor * b->nest->timing->analysis->workload->lower[loop];
                if (b->within[loop].extent > 1 && (seen >> loop & 1) != 0)
                    return false;
                seen |= UINT64_C(1) << loop;
                for (; k > 0 &&
                        llabs(term->factor[k - 1]) * b->within[term->loop[k - 1]].step >
                                llabs(factor) * b->within[loop].step;
                        k--) {
                    term->factor[k] = term->factor[k - 1];
                    term->loop[k] = term->loop[k - 1];
                }
                term->factor[k] = factor;
                term->loop[k] = loop;
            }
        }
    }
    return true;
}

/* The offset of every link; false: one is no shift of all PEs. */
static bool read_links(const struct boxes *b, int64_t *offsets)
{
    const struct sator_transport *transport = &b->transfer->transport;

    for (int k = 0; k < transport->n_links; k++) {
        const struct sator_piece *piece = sator_relation_function(transport->links[k].map);
        for (int d = 0; d < b->n_dims; d++) {
            if (piece == NULL || piece->out[d]->n_terms != 1 ||
                    piece->out[d]->terms[0].atom != SATOR_ATOM_VAR ||
                    piece->out[d]->terms[0].var != d || piece->out[d]->terms[0].factor != 1)
                return false;
            offsets[k * b->n_dims + d] = piece->out[d]->constant;
        }
    }
    return true;
}

/* ---- neighbours ---- */

/* Note that a neighbour's value of the digit is "by" greater. */
static void note_shift(struct box_digit *digit, int64_t by)
{
    if (by > digit->high)
        digit->high = by;
    if (-by > digit->low)
        digit->low = -by;
}

/* Note that one at a value "by" or less from an end may be in another run. */
static void note_crossing(struct box_digit *digit, int64_t by)
{
    digit->cross_high = by > digit->cross_high ? by : digit->cross_high;
    digit->cross_low = -by > digit->cross_low ? -by : digit->cross_low;
}

static int64_t divide_up(int64_t value, int64_t by)
{
    return value < 0 ? -((-value + by - 1) / by) : (value + by - 1) / by;
}

/* How the digits of the move's place differ from those of the place at hand. */
static void note_move(struct boxes *b, const struct box_move *move)
{
    const struct nest *nest = b->nest;
    int64_t local = move->stamps, carried = 0;

    for (int d = 0; d < b->n_dims && move->offset != NULL; d++) {
        for (int i = 0; i < b->dims[d].n && move->offset[d] != 0; i++) {
            const struct nest_digit *digit = &nest->digits[b->dims[d].list[i]];
            if (b->dims[d].n > 1) /* from digit to digit */
                carried += llabs(digit->skew) * digit->extent;
            else
                local -= digit->skew * move->offset[d] /
                        nest->space_factor[d * NEST_DIGITS + b->dims[d].list[i]];
        }
    }
    for (int i = 0; i < b->n_digits; i++) {
        struct box_digit *digit = &b->digits[i];
        for (int d = 0; d < b->n_dims && !digit->is_run && move->offset != NULL; d++) {
            if (nest->space_factor[d * NEST_DIGITS + digit->digit] == 0)
                continue;
            note_shift(digit, move->offset[d]);
            if (b->dims[d].n > 1)
                note_shift(digit, -move->offset[d]);
        }
        if (digit->is_run) {
            int64_t least = divide_up(local - carried, digit->factor);
            int64_t most = divide_up(local + carried, digit->factor);
            note_shift(digit, least);
            note_shift(digit, most);
            if (nest->n_runs > 1) { /* from digit to digit */
                note_shift(digit, -least);
                note_shift(digit, -most);
            }
        }
        if (digit->factor != 0)
            note_crossing(digit,
                    divide_up(digit->factor > 0 ? move->stamps : -move->stamps,
                            llabs(digit->factor)));
    }
}

static void set_move(
        struct boxes *b, int number, const int64_t *to, const int64_t *from, int64_t stamps)
{
    struct box_move *move = &b->moves[number];
    int64_t *offset = NULL;

    if (to != NULL || from != NULL)
        offset = SATOR_NEW_ARRAY(b->nest->timing->arena, int64_t, b->n_dims + 1);
    for (int d = 0; d < b->n_dims && offset != NULL; d++)
        offset[d] = (to == NULL ? 0 : to[d]) - (from == NULL ? 0 : from[d]);
    *move = (struct box_move){offset, stamps};
    b->n_moves = number + 1 > b->n_moves ? number + 1 : b->n_moves;
    b->back = llabs(stamps) > b->back ? llabs(stamps) : b->back;
    note_move(b, move);
}

/* The neighbours that decide. */
static bool list_moves(struct boxes *b)
{
    const struct sator_transport *transport = &b->transfer->transport;
    int n = transport->n_links;
    int64_t offsets[BOX_LINKS * NEST_DIGITS];

    if (n > BOX_LINKS || b->n_dims > NEST_DIGITS || !read_links(b, offsets))
        return false;
    set_move(b, BOX_BEFORE, NULL, NULL, -1);
    for (int k = 0; k < n; k++)
        set_move(b, box_provider(k), NULL, &offsets[k * b->n_dims], -transport->links[k].interval);
    if (!b->is_output)
        return true;
    set_move(b, box_after(n), NULL, NULL, 1);
    for (int k = 0; k < n; k++) {
        const int64_t *to = &offsets[k * b->n_dims];
        int interval = transport->links[k].interval;
        set_move(b, box_consumer(n, k), to, NULL, interval);
        set_move(b, box_consumer_before(n, k), to, NULL, interval - 1);
        for (int e = 0; e < k; e++)
            set_move(b, box_consumer_provider(n, k, e), to, &offsets[e * b->n_dims],
                    interval - transport->links[e].interval);
    }
    return true;
}

static void find_reach(struct boxes *b)
{
    const struct nest *nest = b->nest;

    b->reach = SATOR_NEW_ARRAY(nest->timing->arena, int64_t, nest->n_loops + 1);
    for (int i = 0; i < nest->n_digits; i++) {
        if (!is_fixed(b, &nest->digits[i]))
            b->reach[nest->digits[i].loop] += nest->digits[i].stride * (nest->digits[i].extent - 1);
    }
}

static bool make_boxes(struct boxes *b)
{
    const struct timing_transfer *transfer = b->transfer;
    int n_pieces = b->map->n_pieces, n_out = b->map->n_out;
    struct sator_arena *arena = b->nest->timing->arena;

    if (transfer->is_own || transfer->limits_wires || transfer->transport.n_buses > 0 ||
            !transfer->transport.registers || n_out == 0 || (b->is_output && n_pieces > 1) ||
            (b->full && b->n_dims < b->nest->timing->analysis->n_space))
        return false;
    find_reach(b);
    list_dims(b);
    list_digits(b);
    if (!find_within(b) || !list_terms(b) || !list_moves(b))
        return false;
    b->is_single = n_pieces == 1;
    for (int l = 0; l < b->nest->n_loops; l++)
        b->is_single &= b->within[l].extent == 1 || !b->access->uses[l];
    b->own.lines = SATOR_NEW_ARRAY(arena, struct box_line, (b->n_moves + 1) * n_pieces * n_out);
    for (int m = 0; m < b->n_moves; m++)
        b->others[m].lines = b->own.lines + (m + 1) * n_pieces * n_out;
    for (int i = 0; i < b->n_digits && b->is_output; i++) /* what is first starts sums */
        note_shift(&b->digits[i],
                -nest_spreads(b->nest, transfer, b->digits[i].digit) -
                        (b->digits[i].is_run &&
                                !b->access->uses[b->nest->digits[b->digits[i].digit].loop]));
    return true;
}

struct boxes *boxes_of(const struct nest *nest, const struct timing_transfer *transfer)
{
    struct boxes **known = &nest->boxes[transfer - nest->timing->transfers];
    const struct sator_access *what = &nest->timing->analysis->workload->accesses[transfer->access];

    if (*known == NULL) {
        *known = SATOR_NEW(nest->timing->arena, struct boxes);
        **known = (struct boxes){.nest = nest,
                .transfer = transfer,
                .access = &nest->accesses[transfer->access],
                .map = what->relation,
                .is_output = what->role == SATOR_WRITE,
                .full = nest_is_full(nest, transfer->n_time),
                .n_fixed = nest_fixed(nest, transfer->n_time),
                .n_dims = transfer->n_space};
        (*known)->failed = !make_boxes(*known);
    }
    return (*known)->failed ? NULL : *known;
}

/* ---- what a place holds ---- */

/* Go from dimension "d" of a place, whose digits have "values", "by" steps along it; false: nobody
 * is there. */
static bool shift_dim(
        const struct boxes *b, int d, const int64_t *values, int64_t by, struct box_place *place)
{
    const struct nest *nest = b->nest;
    const struct box_dim *dim = &b->dims[d];
    int64_t rest = by;

    for (int i = 0; i < dim->n; i++)
        rest += values[dim->list[i]] * nest->space_factor[d * NEST_DIGITS + dim->list[i]];
    for (int i = 0; i < dim->n; i++) {
        const struct nest_digit *digit = &nest->digits[dim->list[i]];
        int64_t factor = nest->space_factor[d * NEST_DIGITS + dim->list[i]];
        int64_t v = factor == 1 ? rest : rest / factor, more = v - values[dim->list[i]];
        if (rest < 0 || v >= digit->extent)
            return false;
        rest -= v * factor;
        place->sum[digit->loop] += more * digit->stride;
        place->local -= more * digit->skew;
    }
    return rest == 0;
}

/* Set the digits of the running number from "before" to the place's; false: it has no such. */
static bool shift_local(const struct boxes *b, int64_t before, struct box_place *place)
{
    const struct nest *nest = b->nest;
    int64_t rest = place->local;

    if (rest == before)
        return true;
    for (int r = 0; r < nest->n_runs && rest >= 0; r++) {
        const struct nest_digit *digit = &nest->digits[nest->runs[r]];
        int64_t v = digit->run == 1 ? rest : rest / digit->run;
        int64_t old = digit->run == 1 ? before : before / digit->run;
        if (v >= digit->extent)
            return false;
        rest -= v * digit->run;
        before -= old * digit->run;
        place->sum[digit->loop] += (v - old) * digit->stride;
    }
    return rest == 0;
}

/* Add a loop's values to the line; false: the sums are no progression. */
static bool add_values(
        struct box_line *line, int64_t base, int64_t count, int64_t step, int64_t factor)
{
    int64_t reach = factor * step * (count - 1), by = llabs(factor * step);

    line->low += factor * base + (reach < 0 ? reach : 0);
    line->high += factor * base + (reach > 0 ? reach : 0);
    if (reach == 0)
        return true;
    if (line->low == line->high - llabs(reach))
        line->step = by; /* it was one value */
    return by % line->step == 0 &&
            by / line->step <= (line->high - line->low - llabs(reach)) / line->step + 1;
}

/* The only element that a place holds; false: it has none. */
static void find_element(
        const struct boxes *b, const struct box_place *place, struct box_holding *holding)
{
    const struct nest *nest = b->nest;

    holding->element = 0;
    for (int l = 0; l < nest->n_loops; l++)
        holding->element += b->access->factor[l] * place->sum[l];
}

static void find_lines(struct boxes *b, const struct box_place *place, struct box_holding *holding)
{
    const struct nest *nest = b->nest;

    for (int i = 0; i < b->map->n_pieces * b->map->n_out; i++) {
        const struct box_term *term = &b->terms[i];
        struct box_line *line = &holding->lines[i];
        *line = (struct box_line){term->constant, term->constant, 1};
        for (int t = 0; t < term->n; t++) {
            int loop = term->loop[t];
            const struct box_within *within = &b->within[loop];
            int64_t count = within->extent == 1
                    ? 1
                    : (nest->size[loop] - 1 - place->sum[loop]) / within->step + 1;
            count = count < within->extent ? count : within->extent;
            if (!add_values(line, place->sum[loop], count, within->step, term->factor[t]))
                b->failed = true;
        }
    }
}

/* Find what the place holds. */
static void find_holding(
        struct boxes *b, const struct box_place *place, struct box_holding *holding)
{
    const struct nest *nest = b->nest;

    for (int l = 0; l < nest->n_loops; l++) {
        if (place->sum[l] >= nest->size[l])
            return;
    }
    holding->any = true;
    if (b->is_single)
        find_element(b, place, holding);
    else
        find_lines(b, place, holding);
}

/* Go "k" stamps on; false: there are none that matter. */
static bool step(const struct boxes *b, int64_t k, int *run, int64_t *row)
{
    int start = *run;

    for (*row += k; *row < b->runs[*run].row.first; (*run)--) {
        int64_t beyond = b->runs[*run].row.first - *row;
        if (*run == 0)
            return false;
        *row = b->runs[*run - 1].row.last - beyond + 1;
    }
    for (; *row > b->runs[*run].row.last; (*run)++) {
        int64_t beyond = *row - b->runs[*run].row.last;
        if (*run == b->n_runs - 1)
            return false;
        *row = b->runs[*run + 1].row.first + beyond - 1;
    }
    return *run == start || b->runs[*run].is_near;
}

/* The place of a neighbour; false: there is none. */
static bool find_neighbour(const struct boxes *b, const struct box_move *move,
        const int64_t *values, const struct box_place *own, struct box_place *other)
{
    int64_t row = own->row;
    int run = own->run;

    if (!step(b, move->stamps, &run, &row))
        return false;
    *other = (struct box_place){.run = run, .row = row, .local = own->local + row - own->row};
    memcpy(other->sum, own->sum, sizeof *own->sum * (size_t)b->nest->n_loops);
    for (int l = 0; l < b->nest->n_loops && run != own->run; l++)
        other->sum[l] += b->runs[run].base[l] - b->runs[own->run].base[l];
    for (int d = 0; d < b->n_dims && move->offset != NULL; d++) {
        if (move->offset[d] != 0 && !shift_dim(b, d, values, move->offset[d], other))
            return false;
    }
    return !b->full || shift_local(b, own->local, other);
}

/* Whether wires that lead to lesser PEs join those that differ in the digit: then it is the last
 * of them that takes a sum up. */
static bool starts_last(const struct boxes *b, int digit)
{
    const struct sator_transport *transport = &b->transfer->transport;

    for (int k = 0; k < transport->n_links; k++) {
        const int64_t *offset = b->moves[box_consumer(transport->n_links, k)].offset;
        for (int d = 0; d < b->n_dims && transport->links[k].interval == 0; d++) {
            if (offset[d] < 0 && b->nest->space_factor[d * NEST_DIGITS + digit] != 0)
                return true;
        }
    }
    return false;
}

/* Whether the box's places are the first to take up what they hold. */
static bool is_first(const struct boxes *b)
{
    for (int i = 0; i < b->n_digits; i++) {
        const struct box_digit *digit = &b->digits[i];
        if (digit->first > 0 &&
                (digit->is_run ? !b->access->uses[b->nest->digits[digit->digit].loop]
                               : nest_spreads(b->nest, b->transfer, digit->digit) &&
                                        !starts_last(b, digit->digit)))
            return false;
    }
    return true;
}

/* The place of the box at hand: its first. */
static void find_place(const struct boxes *b, int64_t *values, struct box_place *place)
{
    const struct nest *nest = b->nest;

    place->run = b->at;
    place->row = place->local = 0;
    memcpy(place->sum, b->runs[b->at].base, sizeof *place->sum * (size_t)nest->n_loops);
    for (int i = 0; i < b->n_digits; i++) {
        const struct box_digit *own = &b->digits[i];
        const struct nest_digit *digit = &nest->digits[own->digit];
        values[own->digit] = own->first;
        place->sum[digit->loop] += own->first * digit->stride;
        place->row += own->first * own->factor;
        place->local += own->is_run ? own->first * own->factor : 0;
    }
}

struct box_words boxes_follow(struct boxes *b)
{
    int64_t values[NEST_DIGITS]; /* of places' digits */
    struct box_place own, other;

    b->own.any = false;
    find_place(b, values, &own);
    find_holding(b, &own, &b->own);
    if (!b->own.any)
        return (struct box_words){0};
    for (int m = 0; m < b->n_moves; m++) {
        b->others[m].any = false;
        if (find_neighbour(b, &b->moves[m], values, &own, &other))
            find_holding(b, &other, &b->others[m]);
    }
    return boxes_sift(b, b->untouched && is_first(b));
}

/* ---- cells ---- */

/* A change at "value" of the digit, as neighbours see it, too. */
static void add_change(struct boxes *b, struct box_digit *digit, int64_t value)
{
    int64_t low = b->crosses && digit->cross_low > digit->low ? digit->cross_low : digit->low;
    int64_t high = b->crosses && digit->cross_high > digit->high ? digit->cross_high : digit->high;
    int64_t first = value - high, last = value + low;

    first = first < 1 ? 1 : first;
    last = last >= digit->extent ? digit->extent - 1 : last;
    b->failed |= last - first > MOST_CELLS;
    for (int64_t v = first; v <= last && !b->failed; v++)
        SATOR_PUSH(b->nest->timing->arena, digit->cells, digit->n_cells, v);
}

/* Where the loop of a digit ends under the prefix "run", its digits have those of the last value: a
 * place is there if its own are before these. */
static void add_end(struct boxes *b, struct box_digit *digit, const struct box_run *run)
{
    const struct nest *nest = b->nest;
    const struct nest_digit *own = &nest->digits[digit->digit];
    int64_t rest = nest->size[own->loop] - 1 - run->base[own->loop], above = INT64_MAX;

    for (;;) { /* the digits from the coarsest on */
        const struct nest_digit *next = NULL;
        for (int i = 0; i < nest->n_digits; i++) {
            const struct nest_digit *other = &nest->digits[i];
            if (other->loop == own->loop && !is_fixed(b, other) && other->stride < above &&
                    (next == NULL || other->stride > next->stride))
                next = other;
        }
        int64_t value = rest / next->stride;
        if (value >= next->extent)
            return; /* it and the finer ones are whole */
        if (next == own) {
            add_change(b, digit, value);
            add_change(b, digit, value + 1);
            return;
        }
        rest -= value * next->stride;
        above = next->stride;
    }
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int64_t count_values(const struct boxes *b, const struct nest_digit *digit)
{
    const struct nest *nest = b->nest;
    int64_t rest = nest->size[digit->loop] - b->runs[b->at].base[digit->loop];
    int64_t count = (rest + digit->stride - 1) / digit->stride;

    return count < digit->extent ? count : digit->extent;
}

/* The ranges of the digit's values that are alike. */
static void make_cells(struct boxes *b, struct box_digit *digit)
{
    struct sator_arena *arena = b->nest->timing->arena;
    int n = 0;

    digit->extent = count_values(b, &b->nest->digits[digit->digit]);
    digit->n_cells = 0;
    digit->cells = NULL;
    SATOR_PUSH(arena, digit->cells, digit->n_cells, 0);
    add_change(b, digit, 0);
    add_change(b, digit, digit->extent);
    for (int r = 0; r < b->n_runs; r++) {
        if (b->runs[r].is_near)
            add_end(b, digit, &b->runs[r]);
    }
    if (digit->n_cells > 2)
        qsort(digit->cells, (size_t)digit->n_cells, sizeof *digit->cells, compare_values);
    for (int i = 0; i < digit->n_cells; i++) {
        if (n == 0 || digit->cells[n - 1] != digit->cells[i])
            digit->cells[n++] = digit->cells[i];
    }
    digit->n_cells = n;
    SATOR_PUSH(arena, digit->cells, n, digit->extent);
}

/* The most that digits add to a loop in a run. */
static int64_t room_of(const struct boxes *b, const struct box_run *run, int loop)
{
    int64_t rest = b->nest->size[loop] - 1 - run->base[loop];

    return rest < b->reach[loop] ? rest : b->reach[loop];
}

/* The least and the greatest value of an index in a run. */
static struct box_line index_range(
        const struct boxes *b, const struct box_run *run, const struct box_term *term)
{
    struct box_line range = {0, 0, 1};

    for (int t = 0; t < term->n; t++) {
        int64_t factor = term->factor[t], room = room_of(b, run, term->loop[t]);
        range.low += factor * (run->base[term->loop[t]] + (factor < 0 ? room : 0));
        range.high += factor * (run->base[term->loop[t]] + (factor < 0 ? 0 : room));
    }
    return range;
}

static bool is_near(const struct boxes *b, int r)
{
    if (r == b->at || b->map->n_pieces > 1)
        return r <= b->at || b->is_output;
    if (r > b->at && !b->is_output)
        return false;
    for (int o = 0; o < b->map->n_out; o++) {
        struct box_line own = index_range(b, &b->runs[b->at], &b->terms[o]);
        struct box_line other = index_range(b, &b->runs[r], &b->terms[o]);
        if (own.low > other.high || other.low > own.high)
            return false;
    }
    return true;
}

/* The prefixes' part in the loops' values, and which of them matter. */
static void open_runs(
        struct boxes *b, const struct nest_stamp *prefixes, const struct box_range *rows)
{
    const struct nest *nest = b->nest;

    for (int r = 0; r < b->n_runs; r++) {
        struct box_run *run = &b->runs[r];
        if (run->base == NULL)
            run->base = SATOR_NEW_ARRAY(nest->timing->arena, int64_t, nest->n_loops + 1);
        memset(run->base, 0, sizeof *run->base * (size_t)nest->n_loops);
        for (int k = 0; k < b->n_fixed; k++) {
            const struct nest_digit *digit = &nest->digits[nest->order[k]];
            run->base[digit->loop] += digit->stride * prefixes[r].v[k];
        }
        run->row = b->full ? rows[r] : (struct box_range){0};
    }
    b->crosses = false;
    for (int r = 0; r < b->n_runs; r++) {
        b->runs[r].is_near = is_near(b, r);
        b->crosses |= r != b->at && b->runs[r].is_near;
    }
}

bool boxes_open(struct boxes *b, const struct nest_stamp *prefixes, const struct box_range *rows,
        int n, int at)
{
    const struct nest *nest = b->nest;

    if (n > BOX_WINDOW)
        return false;
    b->n_runs = n;
    b->at = at;
    open_runs(b, prefixes, rows);
    for (int r = 0; r < n && b->full; r++) {
        if (rows[r].last - rows[r].first < b->back)
            return false; /* it may be stepped over */
    }
    b->untouched = b->is_output;
    for (int k = 0; k < b->n_fixed; k++)
        b->untouched &=
                prefixes[at].v[k] == 0 || b->access->uses[nest->digits[nest->order[k]].loop];
    for (int i = 0; i < b->n_digits; i++)
        make_cells(b, &b->digits[i]);
    return !b->failed;
}

int boxes_key(struct boxes *b, int64_t *key)
{
    const struct nest *nest = b->nest;
    int n = 0;

    key[n++] = b->n_runs;
    key[n++] = b->at;
    key[n++] = b->untouched;
    for (int r = 0; r < b->n_runs; r++) {
        const struct box_run *run = &b->runs[r];
        key[n++] = run->is_near;
        for (int l = 0; l < nest->n_loops && run->is_near; l++) {
            if (b->reach[l] > 0)
                key[n++] = room_of(b, run, l);
            if (b->access->uses[l])
                key[n++] = run->base[l] - b->runs[b->at].base[l];
        }
    }
    return n;
}
