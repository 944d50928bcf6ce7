/* All stamps of a skewed row at once: what is sent and stored in each, where a PE holds one element
 * of the tensor in a stamp and words reach it over links.
 *
 * Whether the word of PE p at local time L (the row's value less the skew of p) is sent depends on
 * which of a few neighbours are there: PEs that a link leads from or to, the stamps before and
 * after. These are missing only near the ends of the digits of p and L. So the points (p, L) fall
 * into few boxes that are alike, of each of which one point is followed. The points of a box make
 * a product of arithmetic progressions: their stamps are the coefficients of a product of
 * (1 - z^(skew count)) / (1 - z^skew), and what all boxes have is added up over the one common
 * denominator. Local times far from both ends are alike, and one stands for all.
 */
#include "model/timing_nest.h"

#include <stdlib.h>
#include <string.h>

/* The run of one prefix, and those before and after it. */
struct run {
    const struct nest_stamp *prefix; /* NULL: there is none */
    int64_t first, last;
    int64_t *rest; /* of each loop: its size, less what the prefix fixes */
    int64_t element; /* of what it fixes */
};

struct digit_range {
    int digit;
    int64_t skew, extent;
    int64_t neighbours[2]; /* its extents in the runs before and after */
    int64_t low, high; /* values near the ends for which neighbours may be missing */
    int64_t first, count; /* of the box at hand */
    int n_cells;
    int64_t *cells; /* first values of ranges that are alike, and the extent */
};

/* A neighbour that matters: so many stamps later, at a PE so far away. */
struct move {
    const int64_t *offset;
    int64_t stamps;
};

struct follower {
    const struct nest *nest;
    const struct timing_transfer *transfer;
    const struct nest_access *access;
    bool is_output;
    struct run runs[3];
    int n_dims;
    struct dim_digits {
        int n;
        int *list; /* coarsest first */
    } * dims;
    int n_digits; /* of space, then the run's own */
    struct digit_range *digits;
    int64_t span; /* of the row, without the run's own digit */
    int64_t *offsets; /* of each link, n_dims */
    int n_moves;
    struct move *moves;
    int64_t low, high; /* of the run's own digit, for all transfers */
    int64_t left_out; /* of its values, in the middle */
    int64_t *sent, *stored;
    int64_t n;
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
    int64_t sum[NEST_DIGITS], element = run->element, local = row;

    if (run->prefix == NULL)
        return -1;
    memset(sum, 0, sizeof *sum * (size_t)nest->n_loops);
    for (int d = 0; d < f->n_dims; d++) {
        int64_t rest = place[d] - nest->space_constant[d];
        for (int i = 0; i < f->dims[d].n; i++) {
            int index = f->dims[d].list[i];
            const struct nest_digit *digit = &nest->digits[index];
            int64_t factor = nest->space_factor[d * NEST_DIGITS + index];
            int64_t v = factor == 1 ? rest : rest / factor;
            if (rest < 0 || v >= digit->extent)
                return -1;
            rest -= v * factor;
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
        if (sum[l] >= run->rest[l])
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

    for (int d = 0; d < f->n_dims; d++) {
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
        if (holds(f, point, &f->offsets[k * f->n_dims], -1, -transport->links[k].interval))
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
        const int64_t *offset = &f->offsets[k * f->n_dims];
        struct point consumer = *point;
        if (!holds(f, point, offset, 1, transport->links[k].interval))
            continue;
        for (int d = 0; d < f->n_dims; d++)
            consumer.place[d] += offset[d];
        step(f, transport->links[k].interval, &consumer.run, &consumer.row);
        if (link_of(f, &consumer) == k)
            return false;
    }
    return true;
}

/* ---- boxes ---- */

static bool is_own(const struct follower *f, const struct digit_range *digit)
{
    return digit->digit == f->nest->run;
}

/* A value of the run's own digit, without those that are left out of its middle. */
static int64_t squeeze(const struct follower *f, const struct digit_range *digit, int64_t value)
{
    return !is_own(f, digit) || value <= f->low ? value : value - f->left_out;
}

/* Add the box's points to the numerator "counts". */
static void count_box(const struct follower *f, int64_t *counts)
{
    int64_t at[1 << 4], sign[1 << 4], base = -f->runs[1].first, times = 1;
    int n = 1;

    at[0] = 0;
    sign[0] = 1;
    for (int i = 0; i < f->n_digits; i++) {
        const struct digit_range *digit = &f->digits[i];
        int64_t first = squeeze(f, digit, digit->first);
        int64_t end = squeeze(f, digit, digit->first + digit->count);
        if (digit->skew == 0) {
            times *= digit->count;
            continue;
        }
        base += digit->skew * (digit->skew < 0 ? end - 1 : first);
        int64_t length = llabs(digit->skew) * (end - first);
        for (int k = 0; k < n; k++) {
            at[n + k] = at[k] + length;
            sign[n + k] = -sign[k];
        }
        n *= 2;
    }
    for (int k = 0; k < n; k++) {
        if (base + at[k] < f->n)
            counts[base + at[k]] += sign[k] * times;
    }
}

/* Divide by the common denominator. */
static void divide(const struct follower *f, int64_t *counts)
{
    for (int i = 0; i < f->n_digits; i++) {
        int64_t skew = llabs(f->digits[i].skew);
        for (int64_t v = skew; skew > 0 && v < f->n; v++)
            counts[v] += counts[v - skew];
    }
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
        if (f->digits[i].first > 0 && !f->access->uses[nest->digits[f->digits[i].digit].loop])
            return false;
    }
    return true;
}

static void follow_box(struct follower *f)
{
    const struct nest *nest = f->nest;
    struct point point;

    point.run = 1;
    point.row = 0;
    for (int d = 0; d < f->n_dims; d++) {
        point.place[d] = nest->space_constant[d];
        for (int i = 0; i < f->n_digits; i++)
            point.place[d] +=
                    f->digits[i].first * nest->space_factor[d * NEST_DIGITS + f->digits[i].digit];
    }
    for (int i = 0; i < f->n_digits; i++)
        point.row += f->digits[i].skew * f->digits[i].first;
    point.element = element_at(f, 1, point.row, point.place);
    if (f->transfer->sends.port >= 0 && link_of(f, &point) == -1 && !(f->is_output && is_fresh(f)))
        count_box(f, f->sent);
    if (f->transfer->takes.port >= 0 && f->is_output && ends(f, &point))
        count_box(f, f->stored);
}

static void walk_boxes(struct follower *f, int k)
{
    if (k == f->n_digits) {
        follow_box(f);
        return;
    }
    struct digit_range *digit = &f->digits[k];
    for (int i = 0; i < digit->n_cells; i++) {
        digit->first = digit->cells[i];
        digit->count = digit->cells[i + 1] - digit->cells[i];
        walk_boxes(f, k + 1);
    }
}

/* ---- neighbours ---- */

/* The offset of every link; false: one is no shift of all PEs. */
static bool read_links(struct follower *f)
{
    const struct sator_transport *transport = &f->transfer->transport;

    f->offsets =
            SATOR_NEW_ARRAY(f->nest->timing->arena, int64_t, transport->n_links * f->n_dims + 1);
    for (int k = 0; k < transport->n_links; k++) {
        const struct sator_piece *piece = sator_relation_function(transport->links[k].map);
        for (int d = 0; d < f->n_dims; d++) {
            if (piece == NULL || piece->out[d]->n_terms != 1 ||
                    piece->out[d]->terms[0].atom != SATOR_ATOM_VAR ||
                    piece->out[d]->terms[0].var != d || piece->out[d]->terms[0].factor != 1)
                return false;
            f->offsets[k * f->n_dims + d] = piece->out[d]->constant;
        }
    }
    return true;
}

/* Note that what is "stamps" later at the PEs of links "to" less "from" (-1: none) away matters. */
static void add_move(struct follower *f, int to, int from, int64_t stamps)
{
    struct sator_arena *arena = f->nest->timing->arena;
    int64_t *offset = SATOR_NEW_ARRAY(arena, int64_t, f->n_dims + 1);

    for (int d = 0; d < f->n_dims; d++)
        offset[d] = (to < 0 ? 0 : f->offsets[to * f->n_dims + d]) -
                (from < 0 ? 0 : f->offsets[from * f->n_dims + d]);
    SATOR_PUSH(arena, f->moves, f->n_moves, ((struct move){offset, stamps}));
}

/* The neighbours that link_of and ends look at. */
static void list_moves(struct follower *f)
{
    const struct sator_transport *transport = &f->transfer->transport;

    f->n_moves = 0;
    f->moves = NULL;
    add_move(f, -1, -1, -1);
    for (int k = 0; k < transport->n_links; k++)
        add_move(f, -1, k, -transport->links[k].interval);
    if (!f->is_output)
        return;
    add_move(f, -1, -1, 1);
    for (int k = 0; k < transport->n_links; k++) {
        int interval = transport->links[k].interval;
        add_move(f, k, -1, interval);
        add_move(f, k, -1, interval - 1);
        for (int other = 0; other < transport->n_links; other++)
            add_move(f, k, other, interval - transport->links[other].interval);
    }
}

static void widen(int64_t *margin, int64_t by)
{
    *margin = by > *margin ? by : *margin;
}

/* A neighbour "by" values further is missing near an end. */
static void note_shift(struct digit_range *digit, int64_t by)
{
    widen(by < 0 ? &digit->low : &digit->high, llabs(by));
}

/* What of a digit's values lies so near its ends that "move" may lead out of it, or into another
 * run. */
static void note_move(struct follower *f, const struct move *move)
{
    int64_t local = move->stamps, carried = 0;

    for (int d = 0; d < f->n_dims; d++) {
        for (int i = 0; i < f->dims[d].n && move->offset[d] != 0; i++) {
            const struct nest_digit *digit = &f->nest->digits[f->dims[d].list[i]];
            if (f->dims[d].n > 1) /* from digit to digit */
                carried += llabs(digit->skew) * digit->extent;
            else
                local -= digit->skew * move->offset[d] /
                        f->nest->space_factor[d * NEST_DIGITS + f->dims[d].list[i]];
        }
    }
    for (int i = 0; i < f->n_digits; i++) {
        struct digit_range *digit = &f->digits[i];
        for (int d = 0; d < f->n_dims && !is_own(f, digit); d++) {
            if (f->nest->space_factor[d * NEST_DIGITS + digit->digit] == 0)
                continue;
            note_shift(digit, move->offset[d]);
            if (f->dims[d].n > 1)
                note_shift(digit, -move->offset[d]);
        }
        if (is_own(f, digit)) {
            note_shift(digit, local - carried);
            note_shift(digit, local + carried);
        }
        if (digit->skew != 0)
            note_shift(digit, digit->skew > 0 ? move->stamps : -move->stamps);
    }
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void add_cell(struct follower *f, struct digit_range *digit, int64_t value)
{
    if (value > 0 && value < digit->extent)
        SATOR_PUSH(f->nest->timing->arena, digit->cells, digit->n_cells, value);
}

/* The ranges of a digit's values that are alike. */
static void make_cells(struct follower *f, struct digit_range *digit)
{
    struct sator_arena *arena = f->nest->timing->arena;
    int n = 0;

    digit->n_cells = 0;
    digit->cells = NULL;
    SATOR_PUSH(arena, digit->cells, digit->n_cells, 0);
    for (int64_t v = 1; v <= digit->low && v < digit->extent; v++)
        add_cell(f, digit, v);
    for (int64_t v = 1; v <= digit->high && v < digit->extent; v++)
        add_cell(f, digit, digit->extent - v);
    for (int r = 0; r < 2 && digit->skew == 0; r++) {
        for (int64_t v = -digit->high; v <= digit->low; v++)
            add_cell(f, digit, digit->neighbours[r] + v);
    }
    qsort(digit->cells, (size_t)digit->n_cells, sizeof *digit->cells, compare_values);
    for (int i = 0; i < digit->n_cells; i++) {
        if (n == 0 || digit->cells[n - 1] != digit->cells[i])
            digit->cells[n++] = digit->cells[i];
    }
    digit->n_cells = n;
    SATOR_PUSH(arena, digit->cells, n, digit->extent);
}

/* Ready to follow "transfer": false where it has another form. */
static bool choose_transfer(struct follower *f, const struct timing_transfer *transfer)
{
    const struct nest *nest = f->nest;
    const struct sator_access *what = &nest->timing->analysis->workload->accesses[transfer->access];
    int64_t back = 0;

    f->transfer = transfer;
    f->access = &nest->accesses[transfer->access];
    f->is_output = what->role == SATOR_WRITE;
    if (transfer->is_own || transfer->transport.n_buses > 0 || transfer->holder_space > 0 ||
            transfer->limits_wires || transfer->arrives.port >= 0 ||
            transfer->n_space < nest->timing->analysis->n_space || what->relation->n_pieces != 1 ||
            transfer->kind == SATOR_TRANSFER_OVERLAPPED || !read_links(f))
        return false;
    list_moves(f);
    for (int i = 0; i < f->n_digits; i++) { /* what is first starts sums */
        struct digit_range *digit = &f->digits[i];
        digit->low = f->is_output && !f->access->uses[nest->digits[digit->digit].loop];
        digit->high = 0;
    }
    for (int i = 0; i < f->n_moves; i++) {
        note_move(f, &f->moves[i]);
        widen(&back, llabs(f->moves[i].stamps));
    }
    for (int r = 0; r < 3; r++) {
        const struct run *run = &f->runs[r];
        if (run->prefix != NULL && run->last - run->first < back)
            return false; /* a run may be stepped over */
    }
    return true;
}

/* ---- what can be followed so ---- */

/* How many values a digit within the stamps has in a run; -1: that differs with others of its loop.
 */
static int64_t count_values(const struct follower *f, const struct run *run, int index)
{
    const struct nest *nest = f->nest;
    const struct nest_digit *digit = &nest->digits[index];
    int64_t room = 0, rest = run->prefix == NULL ? nest->size[digit->loop] : run->rest[digit->loop];

    for (int o = 0; o < nest->n_digits; o++) {
        if (nest->digits[o].loop == digit->loop && nest->digits[o].order < 0)
            room += nest->digits[o].stride * (nest->digits[o].extent - 1);
    }
    if (rest > room)
        return digit->extent;
    if (room != digit->stride * (digit->extent - 1))
        return -1;
    int64_t count = (rest + digit->stride - 1) / digit->stride;
    return count < digit->extent ? count : digit->extent;
}

static bool add_digit(struct follower *f, int index)
{
    bool is_run = index == f->nest->run;
    struct digit_range range = {.digit = index, .skew = is_run ? 1 : f->nest->digits[index].skew};
    int64_t counts[3];

    for (int r = 0; r < 3; r++) {
        counts[r] = count_values(f, &f->runs[r], index);
        if (counts[r] < 0)
            return false;
    }
    range.extent = counts[1];
    range.neighbours[0] = counts[0];
    range.neighbours[1] = counts[2];
    f->digits[f->n_digits++] = range;
    f->span += is_run ? 0 : llabs(range.skew) * (range.extent - 1);
    return true;
}

/* The digits of a point; false: one of them has fewer values for some others, a PE holds several
 * elements, or too many are skewed. */
static bool read_digits(struct follower *f)
{
    const struct nest *nest = f->nest;
    int n_skewed = nest->run >= 0;

    f->digits = SATOR_NEW_ARRAY(nest->timing->arena, struct digit_range, nest->n_digits + 1);
    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        if (i == nest->run || digit->order >= 0 || digit->extent == 1)
            continue;
        n_skewed += digit->skew != 0;
        if (!digit->is_space || n_skewed > 4 || !add_digit(f, i))
            return false;
    }
    return nest->run < 0 || add_digit(f, nest->run);
}

/* The digits of every dimension, coarsest first. */
static void read_dims(struct follower *f)
{
    const struct nest *nest = f->nest;

    f->n_dims = nest->timing->analysis->n_space;
    f->dims = SATOR_NEW_ARRAY(nest->timing->arena, struct dim_digits, f->n_dims + 1);
    for (int d = 0; d < f->n_dims; d++) {
        const int64_t *factors = &nest->space_factor[d * NEST_DIGITS];
        struct dim_digits *dim = &f->dims[d];
        dim->list = SATOR_NEW_ARRAY(nest->timing->arena, int, nest->n_digits + 1);
        for (int i = 0; i < nest->n_digits; i++) {
            if (factors[i] <= 0 || nest->digits[i].extent == 1)
                continue;
            int k = dim->n++;
            for (; k > 0 && factors[dim->list[k - 1]] < factors[i]; k--)
                dim->list[k] = dim->list[k - 1];
            dim->list[k] = i;
        }
    }
}

static bool read_runs(struct follower *f, const struct nest_stamp *prefixes, int n, int centre)
{
    const struct nest *nest = f->nest;

    for (int r = 0; r < 3; r++) {
        struct run *run = &f->runs[r];
        int at = centre + r - 1;
        run->prefix = at < 0 || at >= n ? NULL : &prefixes[at];
        if (run->prefix == NULL)
            continue;
        struct nest_values values = nest_skewed_values(nest, run->prefix);
        run->first = values.first;
        run->last = values.last;
        if (values.there != NULL)
            return false;
        run->rest = SATOR_NEW_ARRAY(nest->timing->arena, int64_t, nest->n_loops + 1);
        for (int l = 0; l < nest->n_loops; l++)
            run->rest[l] = nest->size[l] - nest_fixed_part(nest, nest->n_order, run->prefix, l);
    }
    return true;
}

/* The element that what a run fixes stands for. */
static void fix_elements(struct follower *f)
{
    const struct nest *nest = f->nest;

    for (int r = 0; r < 3; r++) {
        struct run *run = &f->runs[r];
        run->element = f->access->constant[0];
        for (int l = 0; l < nest->n_loops && run->prefix != NULL; l++)
            run->element += f->access->factor[l] * (nest->size[l] - run->rest[l]);
    }
}

/* The least and greatest value of an index in a run. */
static void find_index(const struct follower *f, int r, const struct sator_expr *index,
        int64_t *least, int64_t *most)
{
    const struct nest *nest = f->nest;

    *least = *most = index->constant;
    for (int t = 0; t < index->n_terms; t++) {
        int loop = index->terms[t].var;
        int64_t factor = index->terms[t].factor, room = 0;
        int64_t fixed = nest->size[loop] - f->runs[r].rest[loop];
        for (int i = 0; i < f->n_digits; i++) {
            const struct nest_digit *digit = &nest->digits[f->digits[i].digit];
            room += digit->loop == loop ? digit->stride * (digit->extent - 1) : 0;
        }
        *least += factor * (factor < 0 ? fixed + room : fixed);
        *most += factor * (factor < 0 ? fixed : fixed + room);
    }
}

/* Whether the runs before (0) or after (2) and at hand may have an element in common that matters.
 */
static bool meets(const struct follower *f, int r)
{
    const struct sator_relation *map =
            f->nest->timing->analysis->workload->accesses[f->transfer->access].relation;

    if (f->runs[r].prefix == NULL || (r == 2 && !f->is_output))
        return false;
    for (int d = 0; d < map->n_out; d++) {
        int64_t least, most, other_least, other_most;
        find_index(f, 1, map->pieces[0].out[d], &least, &most);
        find_index(f, r, map->pieces[0].out[d], &other_least, &other_most);
        if (other_most < least || most < other_least)
            return false;
    }
    return true;
}

/* What is known of a transfer's words in rows that agree in all that they depend on: the digits'
 * values, what neighbouring runs hold, and whether sums are touched for the first time. */
struct nest_followed {
    const struct nest_followed *next;
    int n_key;
    int64_t *key, *words;
};

static int write_key(const struct follower *f, int64_t *key)
{
    const struct nest *nest = f->nest;
    bool untouched = f->is_output;
    int n = 0;

    for (int k = 0; k < nest->n_order; k++)
        untouched &=
                f->runs[1].prefix->v[k] == 0 || f->access->uses[nest->digits[nest->order[k]].loop];
    key[n++] = untouched;
    for (int i = 0; i < f->n_digits; i++)
        key[n++] = f->digits[i].extent;
    for (int r = 0; r < 3; r += 2) {
        bool near = meets(f, r);
        key[n++] = near;
        key[n++] = near ? f->runs[r].element - f->runs[1].element : 0;
        for (int i = 0; i < f->n_digits; i++)
            key[n++] = near ? f->digits[i].neighbours[r / 2] : 0;
    }
    return n;
}

/* The words of the transfer in hand, followed unless they are known. */
static const int64_t *follow_transfer(struct follower *f)
{
    struct sator_arena *arena = f->nest->timing->arena;
    struct nest_followed **known = &f->nest->followed[f->transfer - f->nest->timing->transfers];
    int64_t key[3 * (NEST_DIGITS + 3)];

    fix_elements(f);
    int n_key = write_key(f, key);
    for (const struct nest_followed *k = *known; k != NULL; k = k->next) {
        if (k->n_key == n_key && memcmp(k->key, key, sizeof *key * (size_t)n_key) == 0)
            return k->words;
    }
    struct nest_followed *made = SATOR_NEW(arena, struct nest_followed);
    *made = (struct nest_followed){.next = *known,
            .n_key = n_key,
            .key = sator_arena_copy(arena, key, sizeof *key * (size_t)n_key),
            .words = SATOR_NEW_ARRAY(arena, int64_t, 2 * f->n)};
    *known = made;
    f->sent = made->words;
    f->stored = f->sent + f->n;
    for (int k = 0; k < f->n_digits; k++)
        make_cells(f, &f->digits[k]);
    walk_boxes(f, 0);
    divide(f, f->sent);
    divide(f, f->stored);
    return made->words;
}

/* How many values in the middle of the row are alike for all transfers. */
static void find_middle(struct follower *f, struct nest_row *row)
{
    int64_t extent = f->nest->run < 0 ? 0 : f->digits[f->n_digits - 1].extent;
    int64_t kept = f->low + f->high + f->span + 1;

    f->left_out = extent > kept ? extent - kept : 0;
    f->n = f->runs[1].last - f->runs[1].first + 1 - f->left_out;
    *row = (struct nest_row){.n = f->n, .middle = f->low + f->span, .times = f->left_out + 1};
}

bool nest_follow_run(const struct nest *nest, const struct nest_stamp *prefixes, int n, int centre,
        struct nest_row *row)
{
    const struct timing *timing = nest->timing;
    struct follower f = {.nest = nest};

    read_dims(&f);
    if (!read_runs(&f, prefixes, n, centre) || !read_digits(&f))
        return false;
    for (int i = 0; i < timing->n_transfers; i++) {
        if (!nest_is_of_stamps(nest, &timing->transfers[i]))
            continue;
        if (!choose_transfer(&f, &timing->transfers[i]))
            return false;
        widen(&f.low, nest->run < 0 ? 0 : f.digits[f.n_digits - 1].low);
        widen(&f.high, nest->run < 0 ? 0 : f.digits[f.n_digits - 1].high);
    }
    find_middle(&f, row);
    row->words = SATOR_NEW_ARRAY(timing->arena, const int64_t *, timing->n_transfers + 1);
    for (int i = 0; i < timing->n_transfers; i++) {
        if (!nest_is_of_stamps(nest, &timing->transfers[i]))
            continue;
        (void)choose_transfer(&f, &timing->transfers[i]);
        row->words[i] = follow_transfer(&f);
    }
    return true;
}
