/* Boxes: the ranges of digits' values in which places are alike, under a prefix. */
#include "model/timing/timing_boxes.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CELLS = 1 << 10 /* near an end of a digit */
};

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
    int64_t rest = nest->size[own->loop] - 1 - run->base[own->loop];

    for (int k = 0;; k++) { /* the digits from the coarsest on */
        const struct nest_digit *next = &nest->digits[nest->loops[own->loop].digits[k]];
        if (boxes_fix(b, next))
            continue;
        int64_t value = rest / next->stride;
        if (value >= next->extent)
            return; /* it and the finer ones are whole */
        if (next == own) {
            add_change(b, digit, value);
            add_change(b, digit, value + 1);
            return;
        }
        rest -= value * next->stride;
    }
}

int64_t boxes_count_values(const struct boxes *b, const struct nest_digit *digit)
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

    digit->extent = boxes_count_values(b, &b->nest->digits[digit->digit]);
    digit->n_cells = 0;
    digit->cells = NULL;
    SATOR_PUSH(arena, digit->cells, digit->n_cells, 0);
    add_change(b, digit, 0);
    add_change(b, digit, digit->extent);
    if (b->nest->digits[digit->digit].skew < 0 && digit->extent > 1) /* sums begin there */
        SATOR_PUSH(arena, digit->cells, digit->n_cells, digit->extent - 1);
    for (int r = 0; r < b->n_runs; r++) {
        if (b->runs[r].is_near)
            add_end(b, digit, &b->runs[r]);
    }
    if (digit->n_cells > 2)
        qsort(digit->cells, (size_t)digit->n_cells, sizeof *digit->cells, sator_compare_int64);
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

/* How far from the end, or the start, of the row places of a run may be that a move joins with
 * another run: so much less than their greatest, or more than their least, may digits add to it. */
static int64_t find_slack(const struct boxes *b, const struct box_run *run, bool last)
{
    int64_t end = last ? run->row.last : -run->row.first, slack = b->back - 1 - end;

    for (int i = 0; b->full && i < b->n_digits; i++) {
        const struct box_digit *digit = &b->digits[i];
        int64_t reach = digit->factor * (b->nest->digits[digit->digit].extent - 1);
        slack += (reach > 0) == last ? llabs(reach) : 0;
    }
    return slack;
}

/* The least and the greatest value of a loop, of places so near an end of the row. */
static struct box_range loop_range(
        const struct boxes *b, const struct box_run *run, int loop, bool last, int64_t slack)
{
    int64_t low = 0, high = b->reach[loop], room = b->nest->size[loop] - 1 - run->base[loop];

    for (int i = 0; b->full && i < b->n_digits; i++) {
        const struct nest_digit *digit = &b->nest->digits[b->digits[i].digit];
        int64_t factor = b->digits[i].factor;
        if (digit->loop != loop || factor == 0)
            continue;
        int64_t left_out = digit->extent - 1 - slack / llabs(factor); /* values at the other end */
        if (left_out > 0)
            *((factor > 0) == last ? &low : &high) +=
                    ((factor > 0) == last ? left_out : -left_out) * digit->stride;
    }
    high = high < room ? high : room;
    return (struct box_range){run->base[loop] + low, run->base[loop] + high};
}

/* The least and the greatest value of an index, of the same places. */
static struct box_range index_range(const struct boxes *b, const struct box_run *run,
        const struct box_term *term, bool last, int64_t slack)
{
    struct box_range range = {0, 0};

    for (int t = 0; t < term->n; t++) {
        int64_t factor = term->factor[t];
        struct box_range loop = loop_range(b, run, term->loop[t], last, slack);
        range.first += factor * (factor < 0 ? loop.last : loop.first);
        range.last += factor * (factor < 0 ? loop.first : loop.last);
    }
    return range;
}

/* Whether places under prefix "r" may hold what those under the one at hand do, so few stamps away
 * that a move joins them. */
static bool is_near(const struct boxes *b, int r)
{
    const struct box_run *own = &b->runs[b->at], *other = &b->runs[r];

    if (r == b->at)
        return true;
    if (b->n_moves == 0 || (r > b->at && !b->is_output) ||
            llabs(r - b->at) > (b->full ? 1 : b->back))
        return false;
    if (b->map->n_pieces > 1)
        return true;
    const bool is_later = r > b->at;
    const int64_t slack = find_slack(b, own, is_later), others = find_slack(b, other, !is_later);
    for (int o = 0; o < b->map->n_out; o++) {
        struct box_range mine = index_range(b, own, &b->terms[o], is_later, slack);
        struct box_range theirs = index_range(b, other, &b->terms[o], !is_later, others);
        if (mine.first > theirs.last || theirs.first > mine.last)
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

static void write_key(struct boxes *b)
{
    const struct nest *nest = b->nest;
    int n = 0;

    b->key[n++] = b->untouched;
    for (int r = 0; r < b->n_runs; r++) {
        const struct box_run *run = &b->runs[r];
        if (!run->is_near)
            continue;
        b->key[n++] = r - b->at;
        for (int l = 0; l < nest->n_loops; l++) {
            if (b->reach[l] > 0)
                b->key[n++] = room_of(b, run, l);
            if (b->access->uses[l])
                b->key[n++] = run->base[l] - b->runs[b->at].base[l];
        }
    }
    b->n_key = n;
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
    write_key(b);
    return !b->failed;
}

bool boxes_cut(struct boxes *b)
{
    size_t size = sizeof *b->key * (size_t)b->n_key;

    if (b->n_cut == b->n_key && memcmp(b->cut, b->key, size) == 0)
        return true;
    for (int i = 0; i < b->n_digits; i++)
        make_cells(b, &b->digits[i]);
    memcpy(b->cut, b->key, size);
    b->n_cut = b->n_key;
    return !b->failed;
}
