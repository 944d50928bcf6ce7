/* Boxes: the digits of a transfer's places, what is inside a place, and the neighbours that matter.
 */
#include "model/timing/timing_boxes.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a transfer is made of ---- */

static bool has_place(const struct boxes *b, int index)
{
    return nest_is_along(b->nest, index, 0, b->n_dims) ||
            (b->full && b->nest->digits[index].run != 0);
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
    const int holder_space = b->transfer->is_own ? 0 : b->transfer->holder_space;

    b->digits = SATOR_NEW_ARRAY(nest->timing->arena, struct box_digit, nest->n_digits + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < nest->n_digits; i++) {
            bool is_holder = nest_is_along(nest, i, 0, holder_space);
            if (nest->digits[i].extent == 1 || nest->digits[i].run != 0 || !has_place(b, i))
                continue;
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
        const struct nest_loop *loop = &nest->loops[l];
        struct box_within *within = &b->within[l];
        *within = (struct box_within){1, 1};
        for (int k = loop->n - 1; k >= 0; k--) { /* from the finest on */
            const struct nest_digit *digit = &nest->digits[loop->digits[k]];
            if (boxes_fix(b, digit) || digit->extent == 1 || has_place(b, loop->digits[k]))
                continue;
            within->step = within->extent == 1 ? digit->stride : within->step;
            if (digit->stride != within->step * within->extent)
                return false;
            within->extent *= digit->extent;
        }
    }
    return true;
}

/* Put a term where those before it lie closer. */
static void add_term(const struct boxes *b, struct box_term *term, int loop, int64_t factor)
{
    int k = term->n++;

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
                int loop = index->terms[t].var;
                int64_t factor = index->terms[t].factor;
                term->constant += factor * b->nest->timing->analysis->workload->lower[loop];
                if (b->within[loop].extent > 1 && (seen >> loop & 1) != 0)
                    return false;
                seen |= UINT64_C(1) << loop;
                add_term(b, term, loop, factor);
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
    b->moves = SATOR_NEW_ARRAY(
            b->nest->timing->arena, struct box_move, box_consumer_provider(n, n, 0));
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
        if (!boxes_fix(b, &nest->digits[i]))
            b->reach[nest->digits[i].loop] += nest->digits[i].stride * (nest->digits[i].extent - 1);
    }
}

/* Whether no two places of a stamp hold the same element: then buses have nothing to share, trees
 * nothing to add up. Places that do differ in digits of loops that the element does not tell, which
 * make the same value of the row: none, if each has a greater factor there than lesser ones add up
 * to. */
static bool is_alone(const struct boxes *b)
{
    if (!b->full || !nest_tells_loops(b->nest, b->transfer->access))
        return false;
    for (int i = 0; i < b->n_digits; i++) {
        const struct nest_digit *own = &b->nest->digits[b->digits[i].digit];
        int64_t below = 0;
        for (int k = 0; k < b->n_digits; k++) {
            const struct nest_digit *other = &b->nest->digits[b->digits[k].digit];
            if (k != i && !b->access->uses[other->loop] &&
                    llabs(b->digits[k].factor) <= llabs(b->digits[i].factor))
                below += llabs(b->digits[k].factor) * (other->extent - 1);
        }
        if (!b->access->uses[own->loop] && own->extent > 1 && llabs(b->digits[i].factor) <= below)
            return false;
    }
    return true;
}

/* Room for the numbers that what moves depends on. */
static void make_keys(struct boxes *b)
{
    int64_t n_near = b->full || b->back < 1 ? 3 : 2 * b->back + 1;
    int64_t n_key = 1 + (n_near < BOX_WINDOW ? n_near : BOX_WINDOW) * (1 + 2 * b->nest->n_loops);

    b->key = SATOR_NEW_ARRAY(b->nest->timing->arena, int64_t, 2 * n_key);
    b->cut = b->key + n_key;
}

/* The first places that have a sum start it. */
static void note_starts(struct boxes *b)
{
    for (int i = 0; i < b->n_digits && b->is_output; i++)
        note_shift(&b->digits[i],
                -nest_spreads(b->nest, b->transfer, b->digits[i].digit) -
                        (b->digits[i].is_run &&
                                !b->access->uses[b->nest->digits[b->digits[i].digit].loop]));
}

/* Of what a PE's own memory serves, no neighbour matters; false: the first PE that has a sum is not
 * the one at which digits are least. */
static bool make_own(struct boxes *b)
{
    if (b->access->n_pieces != 1 || !b->full)
        return false;
    for (int i = 0; i < b->n_digits; i++) {
        for (int d = 0; d < b->n_dims && b->is_output; d++) {
            if (b->nest->space_factor[d * NEST_DIGITS + b->digits[i].digit] < 0 &&
                    nest_spreads(b->nest, b->transfer, b->digits[i].digit))
                return false;
        }
    }
    b->is_single = true;
    make_keys(b);
    note_starts(b);
    return true;
}

/* Whether the digits that tell no elements apart make the row take all values between the least and
 * the greatest, wherever the others are: so an element is held from its first stamp to its last. */
static bool is_held_through(const struct boxes *b)
{
    int64_t reach = 0;

    for (int64_t least = 0;;) { /* from the smallest factor on */
        int64_t next = INT64_MAX, added = 0;
        for (int i = 0; i < b->n_digits; i++) {
            const struct nest_digit *digit = &b->nest->digits[b->digits[i].digit];
            const int64_t factor = llabs(b->digits[i].factor);
            if (b->access->uses[digit->loop] || factor <= least || factor > next)
                continue;
            added = factor < next ? 0 : added;
            added += b->nest->loops[digit->loop].is_whole ? factor * (digit->extent - 1) : 0;
            next = factor;
        }
        if (next == INT64_MAX)
            return true;
        if (next > reach + 1)
            return false;
        reach += added;
        least = next;
    }
}

/* Whether all other digits of its loop are fixed, so that these tell how many values it takes. */
static bool is_only(const struct boxes *b, const struct nest_digit *digit)
{
    int n = 0;

    for (int i = 0; i < b->nest->n_digits; i++) {
        const struct nest_digit *other = &b->nest->digits[i];
        n += other->loop == digit->loop && other->extent > 1 && !boxes_fix(b, other);
    }
    return n == 1;
}

/* A memory outside of all arrays, which holds what its PEs want in a stamp. Where the row tells
 * apart what is held in the last stamp under a prefix and in the first under the next one: some
 * digit of the elements takes part in it. */
static bool make_outside(struct boxes *b)
{
    const struct nest *nest = b->nest;
    bool tells = false;

    if (b->transfer->transport.n_links > 0 || b->transfer->limits_wires || b->transfer->is_own ||
            !nest_tells_loops(nest, b->transfer->access))
        return false;
    b->is_outside = true;
    find_reach(b);
    b->digits = SATOR_NEW_ARRAY(nest->timing->arena, struct box_digit, nest->n_digits + 1);
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        const bool uses = b->access->uses[digit->loop];
        if (boxes_fix(b, digit) || digit->extent == 1 || (!uses && nest_row_factor(digit) == 0))
            continue;
        if (!nest->loops[digit->loop].is_whole && !is_only(b, digit))
            return false;
        tells |= uses && nest_row_factor(digit) != 0 && nest->loops[digit->loop].is_whole;
        if (digit->run == 0)
            add_digit(b, i, true);
    }
    for (int r = 0; r < nest->n_runs; r++)
        add_digit(b, nest->runs[r], false);
    make_keys(b);
    return tells && is_held_through(b);
}

static bool make_boxes(struct boxes *b)
{
    const struct timing_transfer *transfer = b->transfer;
    int n_pieces = b->map->n_pieces, n_out = b->map->n_out;
    struct sator_arena *arena = b->nest->timing->arena;

    if (transfer->late_time > 0 || transfer->by_chain || n_out == 0 ||
            (b->is_output && n_pieces > 1))
        return false;
    if (b->full && b->n_dims == 0)
        return make_outside(b);
    if (b->full && b->n_dims < b->nest->timing->analysis->n_space)
        return false;
    find_reach(b);
    list_dims(b);
    list_digits(b);
    if (transfer->is_own)
        return make_own(b);
    if (transfer->limits_wires || !transfer->transport.registers ||
            (transfer->transport.n_buses > 0 && !is_alone(b)) || !find_within(b) ||
            !list_terms(b) || !list_moves(b))
        return false;
    b->is_single = n_pieces == 1;
    for (int l = 0; l < b->nest->n_loops; l++)
        b->is_single &= b->within[l].extent == 1 || !b->access->uses[l];
    make_keys(b);
    b->others = SATOR_NEW_ARRAY(arena, struct box_holding, b->n_moves + 1);
    b->own.lines = SATOR_NEW_ARRAY(arena, struct box_line, (b->n_moves + 1) * n_pieces * n_out);
    for (int m = 0; m < b->n_moves; m++)
        b->others[m].lines = b->own.lines + (m + 1) * n_pieces * n_out;
    note_starts(b);
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

bool boxes_group(struct boxes *b)
{
    const struct nest *nest = b->nest;

    if (b->is_grouped && (b->passed & ~b->grouped) == 0)
        return false;
    for (int l = 0; l < nest->n_loops; l++) {
        int n_free = 0;
        for (int i = 0; i < nest->loops[l].n; i++) {
            const struct nest_digit *digit = &nest->digits[nest->loops[l].digits[i]];
            n_free += !boxes_fix(b, digit) && digit->extent > 1;
        }
        if (n_free > 1 && !nest->loops[l].is_whole)
            return false;
    }
    b->grouped |= b->passed;
    for (int i = 0; i < b->n_digits; i++) { /* the last place has a cell of its own */
        struct box_digit *digit = &b->digits[i];
        if ((b->grouped >> i & 1) != 0 && !b->access->uses[nest->digits[digit->digit].loop])
            note_shift(digit, digit->factor > 0 ? 1 : -1);
    }
    b->is_grouped = true;
    b->n_cut = 0;
    return true;
}

int64_t boxes_count_sums(const struct boxes *b)
{
    const struct nest *nest = b->nest;
    int64_t n = 1;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        if (b->access->uses[digit->loop] && !boxes_fix(b, digit) && digit->extent > 1)
            n *= boxes_count_values(b, digit);
    }
    for (int i = 0; i < b->n_digits; i++) { /* they begin anew at each value */
        if ((b->grouped >> i & 1) == 0 && !b->access->uses[nest->digits[b->digits[i].digit].loop])
            n *= b->digits[i].extent;
    }
    return n;
}
