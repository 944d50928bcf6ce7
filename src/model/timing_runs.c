/* All stamps of a skewed row at once: what is sent and stored in each, where a PE holds one element
 * of the tensor in a stamp and words reach it over links.
 *
 * Whether the word of PE p at local time L (the row's value less the skew of p) is sent depends on
 * p only near the ends of its digits, and on L near its own: so the points (p, L) fall into few
 * boxes that are alike. One point of each is followed; the stamps of the others are counted by
 * adding up ranges of digits.
 */
#include "model/timing_nest.h"

#include <stdlib.h>
#include <string.h>

/* The run of one prefix, and those before and after it. */
struct run {
    const struct nest_stamp *prefix; /* NULL: there is none */
    int64_t first, last;
};

struct digit_range {
    int digit;
    int64_t skew, extent;
};

struct follower {
    const struct nest *nest;
    const struct timing_transfer *transfer;
    const struct nest_access *access;
    bool is_output;
    struct run runs[3];
    int n_digits; /* of space, then the run's own */
    struct digit_range digits[NEST_DIGITS];
    int64_t *offsets; /* of each link, n_space */
    int64_t margin;
    struct {
        int64_t first, count;
    } box[NEST_DIGITS];
    sator_int *sent, *stored; /* of each value of the row */
    sator_int *room, *spare; /* as long */
};

/* A pair: the PE's digits, and where and what it holds. */
struct point {
    int run; /* index into runs */
    int64_t row; /* the value of the skewed row */
    int64_t place[NEST_DIGITS]; /* coordinates */
    int64_t element;
};

/* ---- points ---- */

/* The element that the PE at "place" holds at a value of the row; -1: none. */
static int64_t element_at(const struct follower *f, int r, int64_t row, const int64_t *place)
{
    const struct nest *nest = f->nest;
    const struct run *run = &f->runs[r];
    int64_t sum[NEST_DIGITS] = {0}, element = f->access->constant[0], local = row;

    if (run->prefix == NULL)
        return -1;
    for (int d = 0; d < f->transfer->n_space; d++) { /* digits of the coordinate, coarsest first */
        int64_t rest = place[d] - nest->space_constant[d], above = INT64_MAX;
        for (;;) {
            int next = -1;
            for (int i = 0; i < nest->n_digits; i++) {
                int64_t factor = nest->space_factor[d * NEST_DIGITS + i];
                if (factor > 0 && factor < above &&
                        (next < 0 || factor > nest->space_factor[d * NEST_DIGITS + next]))
                    next = i;
            }
            if (next < 0)
                break;
            const struct nest_digit *digit = &nest->digits[next];
            above = nest->space_factor[d * NEST_DIGITS + next];
            int64_t v = rest / above;
            if (rest < 0 || v >= digit->extent)
                return -1;
            rest -= v * above;
            sum[digit->loop] += v * digit->stride;
            local -= v * digit->skew;
        }
        if (rest != 0)
            return -1;
    }
    const struct nest_digit *own = nest->run < 0 ? NULL : &nest->digits[nest->run];
    if (local < 0 || local >= (own == NULL ? 1 : own->extent))
        return -1;
    if (own != NULL)
        sum[own->loop] += local * own->stride;
    for (int l = 0; l < nest->n_loops; l++) {
        sum[l] += nest_fixed_part(nest, nest->n_order, run->prefix, l);
        if (sum[l] >= nest->size[l])
            return -1;
        element += f->access->factor[l] * sum[l];
    }
    return element;
}

/* Move "k" stamps on, at most into a neighbouring run; false: there are none. */
static bool step(const struct follower *f, int64_t k, int *run, int64_t *row)
{
    *row += k;
    if (*row < f->runs[*run].first) {
        int64_t beyond = f->runs[*run].first - *row;
        if (*run == 0 || f->runs[*run - 1].prefix == NULL)
            return false;
        *row = f->runs[--*run].last - beyond + 1;
    } else if (*row > f->runs[*run].last) {
        int64_t beyond = *row - f->runs[*run].last;
        if (*run == 2 || f->runs[*run + 1].prefix == NULL)
            return false;
        *row = f->runs[++*run].first + beyond - 1;
    }
    return true;
}

/* Whether the PE "offset" (NULL: none) from the point's holds its element "k" stamps later. */
static bool holds(const struct follower *f, const struct point *point, const int64_t *offset,
        int sign, int64_t k)
{
    const int64_t *shape = f->nest->timing->analysis->shape;
    int64_t place[NEST_DIGITS], row = point->row;
    int run = point->run;

    for (int d = 0; d < f->transfer->n_space; d++) {
        place[d] = point->place[d] + (offset == NULL ? 0 : sign * offset[d]);
        if (place[d] < 0 || place[d] >= shape[d])
            return false;
    }
    return step(f, k, &run, &row) && element_at(f, run, row, place) == point->element;
}

/* The link that the point's word comes over, in the order in which they are credited; -1: none, -2:
 * it is held already. */
static int link_of(const struct follower *f, const struct point *point)
{
    const struct sator_transport *transport = &f->transfer->transport;

    if (holds(f, point, NULL, 0, -1))
        return -2;
    for (int k = 0; k < transport->n_links; k++) {
        if (holds(f, point, &f->offsets[k * f->transfer->n_space], -1,
                    -transport->links[k].interval))
            return k;
    }
    return -1;
}

/* Whether nobody has the point's sum from it afterwards. */
static bool ends(const struct follower *f, const struct point *point)
{
    const struct sator_transport *transport = &f->transfer->transport;

    if (holds(f, point, NULL, 0, 1))
        return false;
    for (int k = 0; k < transport->n_links; k++) {
        const int64_t *offset = &f->offsets[k * f->transfer->n_space];
        struct point consumer = *point;
        if (!holds(f, point, offset, 1, transport->links[k].interval))
            continue;
        for (int d = 0; d < f->transfer->n_space; d++)
            consumer.place[d] += offset[d];
        step(f, transport->links[k].interval, &consumer.run, &consumer.row);
        if (link_of(f, &consumer) == k)
            return false;
    }
    return true;
}

/* ---- boxes ---- */

/* Add one to "counts" for every point of the box. */
static void count_box(const struct follower *f, sator_int *counts)
{
    int64_t n = f->runs[1].last - f->runs[1].first + 1, base = -f->runs[1].first;
    sator_int *now = f->room, *next = f->spare;

    for (int i = 0; i < f->n_digits; i++) {
        int64_t skew = f->digits[i].skew, end = f->box[i].first + f->box[i].count - 1;
        base += skew * (skew < 0 ? end : f->box[i].first);
    }
    memset(now, 0, sizeof *now * (size_t)n);
    now[base] = 1;
    for (int i = 0; i < f->n_digits; i++) {
        int64_t skew = f->digits[i].skew < 0 ? -f->digits[i].skew : f->digits[i].skew;
        int64_t count = f->box[i].count;
        if (count == 1)
            continue;
        for (int64_t v = 0; v < n; v++) {
            next[v] = skew == 0 ? now[v] * count : now[v];
            if (skew > 0 && v >= skew)
                next[v] += next[v - skew];
            if (skew > 0 && v >= skew * count)
                next[v] -= now[v - skew * count];
        }
        sator_int *swap = now;
        now = next;
        next = swap;
    }
    for (int64_t v = 0; v < n; v++)
        counts[v] += now[v];
}

/* Whether the sum starts from zero: nobody touched it before, and of those who take it up together
 * this is the first. */
static bool is_fresh(const struct follower *f)
{
    const struct nest *nest = f->nest;

    for (int k = 0; k < nest->n_order; k++) {
        if (f->runs[1].prefix->v[k] > 0 && !f->access->uses[nest->digits[nest->order[k]].loop])
            return false;
    }
    for (int i = 0; i < f->n_digits; i++) {
        if (f->box[i].first > 0 && !f->access->uses[nest->digits[f->digits[i].digit].loop])
            return false;
    }
    return true;
}

static void follow_box(struct follower *f)
{
    const struct nest *nest = f->nest;
    struct point point = {.run = 1};

    for (int d = 0; d < f->transfer->n_space; d++) {
        point.place[d] = nest->space_constant[d];
        for (int i = 0; i < f->n_digits; i++)
            point.place[d] +=
                    f->box[i].first * nest->space_factor[d * NEST_DIGITS + f->digits[i].digit];
    }
    for (int i = 0; i < f->n_digits; i++)
        point.row += f->digits[i].skew * f->box[i].first;
    point.element = element_at(f, 1, point.row, point.place);
    if (f->transfer->sends.port >= 0 && link_of(f, &point) == -1 && !(f->is_output && is_fresh(f)))
        count_box(f, f->sent);
    if (f->transfer->takes.port >= 0 && f->is_output && ends(f, &point))
        count_box(f, f->stored);
}

/* All boxes: values near the ends of a digit for themselves, the middle as one. */
static void walk_boxes(struct follower *f, int k)
{
    if (k == f->n_digits) {
        follow_box(f);
        return;
    }
    int64_t extent = f->digits[k].extent, margin = f->margin;
    for (int64_t v = 0; v < extent;) {
        bool is_middle = v == margin && extent > 2 * margin + 1;
        f->box[k].first = v;
        f->box[k].count = is_middle ? extent - 2 * margin : 1;
        walk_boxes(f, k + 1);
        v += f->box[k].count;
    }
}

/* ---- what can be followed so ---- */

/* The offset of every link; false: one is no shift of all PEs. */
static bool read_links(struct follower *f)
{
    const struct sator_transport *transport = &f->transfer->transport;
    int n_space = f->transfer->n_space;

    f->margin = 3;
    f->offsets = SATOR_NEW_ARRAY(f->nest->timing->arena, int64_t, transport->n_links * n_space + 1);
    for (int k = 0; k < transport->n_links; k++) {
        const struct sator_piece *piece = sator_relation_function(transport->links[k].map);
        int64_t reach = transport->links[k].interval;
        for (int d = 0; d < n_space; d++) {
            if (piece == NULL || piece->out[d]->n_terms != 1 ||
                    piece->out[d]->terms[0].atom != SATOR_ATOM_VAR ||
                    piece->out[d]->terms[0].var != d || piece->out[d]->terms[0].factor != 1)
                return false;
            int64_t offset = f->offsets[k * n_space + d] = piece->out[d]->constant;
            offset = offset < 0 ? -offset : offset;
            for (int i = 0; i < f->nest->n_digits; i++) {
                int64_t skew = f->nest->digits[i].skew;
                if (f->nest->space_factor[d * NEST_DIGITS + i] != 0)
                    reach += offset * (skew < 0 ? -skew : skew);
            }
            reach += offset;
        }
        f->margin = 2 * reach + 2 > f->margin ? 2 * reach + 2 : f->margin;
    }
    return true;
}

/* The digits of a point; false: one of them has fewer values for some others, or a PE holds several
 * elements. */
static bool read_digits(struct follower *f)
{
    const struct nest *nest = f->nest;

    for (int i = 0; i <= nest->n_digits; i++) {
        bool is_run = i == nest->n_digits;
        if (is_run ? nest->run < 0 : i == nest->run || nest->digits[i].order >= 0)
            continue;
        const struct nest_digit *digit = &nest->digits[is_run ? nest->run : i];
        int64_t extent = digit->extent;
        if (!is_run && !digit->is_space) {
            if (digit->extent > 1)
                return false;
            continue;
        }
        for (int r = 0; r < 3; r++) {
            int64_t rest = f->runs[r].prefix == NULL ? nest->size[digit->loop]
                                                     : nest->size[digit->loop] -
                            nest_fixed_part(nest, nest->n_order, f->runs[r].prefix, digit->loop);
            int64_t room = 0;
            for (int o = 0; o < nest->n_digits; o++) {
                if (nest->digits[o].loop == digit->loop && nest->digits[o].order < 0)
                    room += nest->digits[o].stride * (nest->digits[o].extent - 1);
            }
            int64_t own = digit->stride * (digit->extent - 1);
            if (rest > room)
                continue;
            if (room != own)
                return false; /* ragged, and together with another digit */
            int64_t count = (rest + digit->stride - 1) / digit->stride;
            if (r == 1)
                extent = count < extent ? count : extent;
        }
        f->digits[f->n_digits++] = (struct digit_range){.digit = is_run ? nest->run : i,
                .skew = is_run ? 1 : digit->skew,
                .extent = extent};
    }
    return true;
}

static bool read_runs(struct follower *f, const struct nest_stamp *prefixes, int n, int centre)
{
    for (int r = 0; r < 3; r++) {
        int at = centre + r - 1;
        if (at < 0 || at >= n)
            continue;
        struct nest_values values = nest_skewed_values(f->nest, &prefixes[at]);
        f->runs[r] = (struct run){&prefixes[at], values.first, values.last};
        if (values.there != NULL || values.n <= 2 * f->margin)
            return false;
    }
    return true;
}

bool nest_follow_run(const struct nest *nest, const struct timing_transfer *transfer,
        const struct nest_stamp *prefixes, int n, int centre, sator_int *sent, sator_int *stored)
{
    const struct sator_access *what = &nest->timing->analysis->workload->accesses[transfer->access];
    struct follower f = {.nest = nest,
            .transfer = transfer,
            .access = &nest->accesses[transfer->access],
            .is_output = what->role == SATOR_WRITE,
            .sent = sent,
            .stored = stored};

    if (transfer->is_own || transfer->transport.n_buses > 0 || transfer->holder_space > 0 ||
            transfer->limits_wires || transfer->arrives.port >= 0 ||
            transfer->n_space < nest->timing->analysis->n_space || what->relation->n_pieces != 1 ||
            transfer->kind == SATOR_TRANSFER_OVERLAPPED)
        return false;
    if (!read_links(&f) || !read_runs(&f, prefixes, n, centre) || !read_digits(&f))
        return false;
    int64_t values = f.runs[1].last - f.runs[1].first + 1;
    f.room = sator_alloc(sizeof *f.room * (size_t)values);
    f.spare = sator_alloc(sizeof *f.spare * (size_t)values);
    walk_boxes(&f, 0);
    free(f.room);
    free(f.spare);
    return true;
}
