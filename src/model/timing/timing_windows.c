/* Windows of a skewed row (doc/model.md, section 4): what a memory holds that is cut at a row
 * floor((R + lead) / unit) before the skewed row R, and what the windows of a row take.
 *
 * What is held in a window is listed element by element, as are that of the window before and the
 * one after: the words that move are the differences. Windows are alike where the coarse digits of
 * the running number around them, those that a window does not run through, go on alike; one of
 * each is followed. The stamps inside are a stretch of the row (timing_rows.c).
 */
#include "model/timing/timing_describe.h"

#include "base/checked.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PAIRS = 1 << 24, /* that are held in the windows that are followed */
    MOST_AROUND = 24, /* lengths of a window on either side that may matter */
    MOST_WINDOWS = 1 << 20
};

/* ---- which rows number windows ---- */

bool nest_read_window(const struct nest *nest, const struct sator_expr *row,
        const struct sator_expr *skewed, int64_t lead, struct nest_window *window)
{
    struct sator_arena *arena = nest->timing->arena;

    for (int i = 0; i < 2 * skewed->n_terms; i++) {
        *window = (struct nest_window){
                .unit = skewed->terms[i / 2].factor, .lead = i % 2 == 0 ? 0 : lead};
        if (window->unit <= 1)
            continue;
        const struct sator_expr *led =
                sator_expr_add(arena, sator_expr_constant(arena, window->lead), 1, skewed);
        const struct sator_expr *made =
                led == NULL ? NULL : sator_expr_floor(arena, led, window->unit);
        if (made != NULL && sator_expr_equal(made, row))
            return true;
    }
    return false;
}

int nest_window_of(const struct nest *nest, int length)
{
    for (int i = 0; i < nest->n_windows; i++) {
        if (nest->windows[i].length == length)
            return i;
    }
    return -1;
}

/* How far from one another the PEs' running numbers lie at a value of the row. */
static int64_t count_span(const struct nest *nest)
{
    int64_t span = 0;

    for (int i = 0; i < nest->n_digits; i++)
        span += llabs(nest->digits[i].skew) * (nest->digits[i].extent - 1);
    return span;
}

/* The windows before and after one whose running numbers may matter to it. */
static int64_t count_around(const struct nest *nest, int window)
{
    return 4 + (2 * count_span(nest) + nest->reach) / nest->windows[window].unit;
}

static bool is_coarse(const struct nest_digit *digit, int64_t unit)
{
    return digit->run >= unit;
}

/* Whether windows of this length run through some digits of the running number, and no others. */
static bool is_of_digits(const struct nest *nest, int64_t unit)
{
    for (int r = 0; r < nest->n_runs; r++) {
        if (nest->digits[nest->runs[r]].run == unit)
            return true;
    }
    return false;
}

bool nest_windows_fit(const struct nest *nest)
{
    const struct timing *timing = nest->timing;

    for (int i = 0; i < nest->n_windows; i++) {
        int64_t unit = nest->windows[i].unit;
        if (!is_of_digits(nest, unit) || count_around(nest, i) > MOST_AROUND ||
                (i > 0 && nest->windows[i - 1].unit % unit != 0))
            return false;
    }
    for (int i = 0; i < timing->n_transfers && nest->n_windows > 0; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        if (transfer->asks &&
                (transfer->by_chain || transfer->late_time > 0 ||
                        (transfer->n_space > 0 && nest_window_of(nest, transfer->n_time) >= 0)))
            return false;
    }
    return nest->n_windows == 0 || nest->uneven < 0;
}

/* ---- what a window holds ---- */

struct holder {
    const struct nest *nest;
    const struct nest_access *access;
    bool is_output;
    int n; /* digits that are walked through, coarsest of the running number first */
    const struct nest_digit *digits[NEST_DIGITS];
    /* what those from each on, and the digits that tell no elements apart, may add to the row */
    int64_t low[NEST_DIGITS + 1], high[NEST_DIGITS + 1];
    int64_t first, last; /* values of the window at hand */
    const struct nest_window *window;
    bool may_start; /* nobody has touched its sums before the row */
    int64_t *sum; /* of each loop */
    int64_t stamp;
    struct timing_window *pairs;
    int64_t room;
};

/* A digit that tells no elements apart, of a loop whose values are all there. If its steps are no
 * longer than a window, none of which they pass by, all that matters is how far they go. */
static bool is_free(const struct holder *h, const struct nest_digit *digit)
{
    return !h->access->uses[digit->loop] && h->nest->loops[digit->loop].is_whole &&
            llabs(nest_row_factor(digit)) <= h->window->unit;
}

static void extend(int64_t reach, int64_t *low, int64_t *high)
{
    *(reach < 0 ? low : high) += reach;
}

static void sort_digits(struct holder *h)
{
    for (int i = 1; i < h->n; i++) {
        for (int k = i; k > 0 && h->digits[k]->run > h->digits[k - 1]->run; k--) {
            const struct nest_digit *coarse = h->digits[k];
            h->digits[k] = h->digits[k - 1];
            h->digits[k - 1] = coarse;
        }
    }
}

/* False: which stamp is the first of a sum is not known. */
static bool choose_digits(struct holder *h)
{
    const struct nest *nest = h->nest;
    int64_t low = 0, high = 0;

    for (int i = 0; i < nest->n_digits; i++) {
        const struct nest_digit *digit = &nest->digits[i];
        const int64_t factor = nest_row_factor(digit), reach = factor * (digit->extent - 1);
        const bool uses = h->access->uses[digit->loop];
        if (digit->order >= 0 || digit->extent == 1 || (!uses && factor == 0))
            continue;
        if (is_free(h, digit))
            extend(reach, &low, &high);
        else
            h->digits[h->n++] = digit;
        if (!uses && factor < 0 && h->is_output && !nest->loops[digit->loop].is_whole)
            return false;
    }
    sort_digits(h);
    h->low[h->n] = low;
    h->high[h->n] = high;
    for (int k = h->n - 1; k >= 0; k--) {
        h->low[k] = h->low[k + 1];
        h->high[k] = h->high[k + 1];
        extend(nest_row_factor(h->digits[k]) * (h->digits[k]->extent - 1), &h->low[k], &h->high[k]);
    }
    return true;
}

/* "start": the least value of the row at which the elements are touched. */
static void add_pairs(struct holder *h, int64_t start)
{
    struct timing_window *pairs = h->pairs;
    const bool is_first = h->may_start && start >= h->first;

    for (int p = 0; p < h->access->n_pieces; p++) {
        int64_t element = h->access->constant[p];
        for (int l = 0; l < h->nest->n_loops; l++)
            element += h->access->factor[p * h->nest->n_loops + l] * h->sum[l];
        if (pairs->n == h->room) {
            h->room = 2 * h->room + 64;
            pairs->key = sator_realloc(pairs->key, sizeof *pairs->key * (size_t)h->room);
        }
        pairs->key[pairs->n++] = 2 * (uint64_t)(h->stamp * pairs->n_elements + element) + is_first;
    }
}

/* The values of digit "k" with which those after it may reach the window; "value" is of those
 * before. */
static void find_values(const struct holder *h, int k, int64_t value, int64_t *first, int64_t *last)
{
    const int64_t factor = nest_row_factor(h->digits[k]), extent = h->digits[k]->extent;
    const int64_t least = h->first - value - h->high[k + 1];
    const int64_t most = h->last - value - h->low[k + 1];

    *first = 0;
    *last = extent - 1;
    if (factor == 0)
        return;
    int64_t a = factor > 0 ? -sator_floor_div(-least, factor) : -sator_floor_div(most, -factor);
    int64_t b = factor > 0 ? sator_floor_div(most, factor) : sator_floor_div(-least, -factor);
    *first = a > 0 ? a : 0;
    *last = b < extent - 1 ? b : extent - 1;
}

static void walk(struct holder *h, int k, int64_t value, int64_t start)
{
    int64_t first, last;

    if (h->pairs->n > MOST_PAIRS)
        return;
    if (k == h->n) {
        if (value + h->low[k] <= h->last && value + h->high[k] >= h->first)
            add_pairs(h, start + h->low[k]);
        return;
    }
    const struct nest_digit *digit = h->digits[k];
    const int64_t factor = nest_row_factor(digit);
    const bool uses = h->access->uses[digit->loop];
    int64_t *sum = &h->sum[digit->loop], before = *sum;
    int64_t least = uses || factor > 0 ? 0 : factor * (digit->extent - 1);
    find_values(h, k, value, &first, &last);
    for (int64_t d = first; d <= last && before + d * digit->stride < h->nest->size[digit->loop];
            d++) {
        *sum = before + d * digit->stride;
        walk(h, k + 1, value + d * factor, start + (uses ? d * factor : least));
    }
    *sum = before;
}

/* ---- the windows of a row ---- */

struct windows {
    struct classes *c;
    const struct nest_stamp *prefixes; /* of the row and its neighbours */
    int n, centre;
    int64_t first[CLASS_WINDOW], last[CLASS_WINDOW]; /* values of their rows */
    struct nest_stretch *stretch;
    int64_t row; /* tells apart what is said of one row and another */
};

/* One of them, of a length. */
struct window_at {
    int prefix;
    int64_t number;
};

static int64_t number_of(const struct nest_window *window, int64_t value)
{
    return sator_floor_div(value + window->lead, window->unit);
}

/* The next window (step 1), or the one before (-1); false: there is none. */
static bool step_window(
        const struct windows *w, const struct nest_window *window, int step, struct window_at *at)
{
    const int p = at->prefix;

    at->number += step;
    if (at->number >= number_of(window, w->first[p]) && at->number <= number_of(window, w->last[p]))
        return true;
    at->prefix += step;
    if (at->prefix < 0 || at->prefix >= w->n)
        return false;
    at->number = number_of(window, step > 0 ? w->first[at->prefix] : w->last[at->prefix]);
    return true;
}

/* What the transfer's memory holds in these windows, of the same length. */
static bool list_pairs(const struct windows *w, const struct timing_transfer *transfer,
        const struct nest_window *window, const struct window_at *at, int n,
        struct timing_window *pairs)
{
    const struct nest *nest = &w->c->nest;
    struct holder h = {.nest = nest,
            .access = &nest->accesses[transfer->access],
            .is_output = nest_is_output(nest, (int)(transfer - nest->timing->transfers)),
            .window = window,
            .sum = SATOR_NEW_ARRAY(nest->timing->arena, int64_t, nest->n_loops + 1),
            .pairs = pairs};
    int64_t room;

    *pairs = (struct timing_window){.n_stamps = n,
            .n_instances = 1,
            .n_elements = h.access->range,
            .holder_instances = 1,
            .fresh_instances = 1};
    if (__builtin_mul_overflow(2 * n, pairs->n_elements, &room) || !choose_digits(&h))
        return false;
    for (h.stamp = 0; h.stamp < n; h.stamp++) {
        const struct nest_stamp *prefix = &w->prefixes[at[h.stamp].prefix];
        h.first = at[h.stamp].number * window->unit - window->lead;
        h.last = h.first + window->unit - 1;
        h.may_start = !nest_goes_on(nest, h.access, 0, nest->n_order, prefix);
        for (int l = 0; l < nest->n_loops; l++)
            h.sum[l] = nest_fixed_part(nest, nest->n_order, prefix, l);
        walk(&h, 0, 0, 0);
    }
    return pairs->n <= MOST_PAIRS;
}

/* Whether two windows of one length lie in one tile of the holder. */
static bool share_tile(const struct windows *w, const struct timing_transfer *transfer,
        const struct nest_window *window, const struct window_at *a, const struct window_at *b)
{
    const struct nest *nest = &w->c->nest;
    const int outer = nest_window_of(nest, transfer->tile_time);

    if (outer < 0)
        return nest_same_prefix(
                nest, transfer->tile_time, &w->prefixes[a->prefix], &w->prefixes[b->prefix]);
    return a->prefix == b->prefix &&
            number_of(&nest->windows[outer], a->number * window->unit - window->lead) ==
            number_of(&nest->windows[outer], b->number * window->unit - window->lead);
}

/* The phase of the window at the centre that words of the one numbered "i" fall into. */
static enum timing_phase phase_of(const struct windows *w, const struct timing_transfer *transfer,
        const struct nest_window *window, const struct window_at *at, int n, int centre, int i,
        bool is_store)
{
    const int other = i + (is_store ? 1 : -1);

    if (transfer->kind != SATOR_TRANSFER_OVERLAPPED && i != centre)
        return TIMING_PHASES;
    if (transfer->kind == SATOR_TRANSFER_STREAMED)
        return TIMING_WITH_RUN;
    if (transfer->kind == SATOR_TRANSFER_SERIAL)
        return is_store ? TIMING_SERIAL_STORES : TIMING_SERIAL_LOADS;
    if (i != centre && other != centre)
        return TIMING_PHASES;
    bool with_other =
            other >= 0 && other < n && share_tile(w, transfer, window, &at[i], &at[other]);
    if (i == centre)
        return with_other ? TIMING_PHASES : is_store ? TIMING_EXPOSED_STORES : TIMING_EXPOSED_LOADS;
    return with_other ? TIMING_WITH_RUN : TIMING_PHASES;
}

/* What the transfer moves around the window at the centre. */
static void follow(struct windows *w, const struct timing_transfer *transfer,
        const struct nest_window *window, const struct window_at *at, int n, int centre,
        struct timing_entries *entries, sator_int *moved)
{
    struct classes *c = w->c;
    struct timing_movement movement;
    struct timing_window pairs;

    bool listed = list_pairs(w, transfer, window, at, n, &pairs);
    timing_follow_pairs(c, transfer, listed, &pairs, &movement);
    for (int k = 0; !c->failed && k < timing_n_ways(transfer); k++) {
        struct timing_way way = timing_way(c->timing, transfer, &movement, k);
        for (int i = 0; way.use->port >= 0 && i < way.moves->n; i++) {
            const struct timing_words *words = &way.moves->rows[i];
            enum timing_phase phase =
                    phase_of(w, transfer, window, at, n, centre, (int)words->stamp, way.is_store);
            if (phase == TIMING_PHASES)
                continue;
            moved[k] += words->words;
            timing_entries_add(c->timing, entries, way.use, phase, words);
        }
    }
}

static void add_windows(
        struct windows *w, int level, int64_t first, int64_t last, struct timing_sum *sum);

/* What one window takes. */
static struct timing_sum measure(struct windows *w, int level, int64_t number)
{
    struct timing *timing = w->c->timing;
    const struct nest_window *window = &w->c->nest.windows[level];
    struct timing_sum inside = timing_sum_new(timing), sum = timing_sum_new(timing);
    struct timing_entries entries = {0};
    struct window_at at[3] = {{w->centre, number}, {w->centre, number}, {w->centre, number}};
    const int64_t first = number * window->unit - window->lead;
    int begin, end;

    add_windows(w, level + 1, first, first + window->unit - 1, &inside);
    timing_sum_add(timing, &sum, 1, &inside);
    *sum.cycles = 0;
    memset(sum.busy, 0, sizeof *sum.busy * (size_t)timing->n_ports);
    begin = !step_window(w, window, -1, &at[0]);
    end = step_window(w, window, 1, &at[2]) ? 3 : 2;
    for (int i = 0; i < timing->n_transfers && !w->c->failed; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        if (transfer->asks && transfer->n_time == window->length)
            follow(w, transfer, window, at + begin, end - begin, 1 - begin, &entries,
                    &sum.moved[transfer->first_moved]);
    }
    timing_add_stamp(timing, &entries, *inside.cycles, inside.busy, 1, &sum);
    return sum;
}

/* Where the running number is "at" windows: for each digit that they do not run through, how far it
 * is from where it is at "of"; what it is, where some of its loop's values are not there; and of
 * which outputs the sums begin. */
static int64_t *describe_place(
        const struct classes *c, int64_t unit, int64_t at, int64_t of, int64_t *out)
{
    const struct nest *nest = &c->nest;
    uint64_t moved = 0;

    for (int r = 0; r < nest->n_runs; r++) {
        const struct nest_digit *digit = &nest->digits[nest->runs[r]];
        if (!is_coarse(digit, unit))
            continue;
        const int64_t step = digit->run / unit, value = at / step % digit->extent;
        *out++ = value - of / step % digit->extent;
        if (!nest->loops[digit->loop].is_whole)
            *out++ = value;
        moved |= (uint64_t)(value != 0) << digit->loop;
    }
    for (int i = 0; i < c->n_starts; i++)
        *out++ = (moved & c->starts[i]) == 0;
    return out;
}

/* What the window's time can depend on. */
static void describe(const struct windows *w, int level, int64_t number)
{
    struct classes *c = w->c;
    const int64_t unit = c->nest.windows[level].unit;
    const struct nest_digit *coarsest = &c->nest.digits[c->nest.runs[0]];
    const int64_t n = coarsest->run / unit * coarsest->extent,
                  around = count_around(&c->nest, level);
    const int64_t of = number < 0 ? 0 : number < n ? number : n - 1;
    int64_t *out = c->description;

    *out++ = -1 - level;
    *out++ = w->row;
    for (int64_t at = number - around; at <= number + around; at++) {
        const bool is_there = at >= 0 && at < n;
        *out++ = is_there;
        if (is_there)
            out = describe_place(c, unit, at, of, out);
    }
    c->length = (int)(out - c->description);
}

/* Add the windows of a length, of those that the values [first, last] of the row are in; inside of
 * the shortest, the stamps. */
static void add_windows(
        struct windows *w, int level, int64_t first, int64_t last, struct timing_sum *sum)
{
    struct classes *c = w->c;
    const int64_t least = w->first[w->centre], greatest = w->last[w->centre];

    first = first > least ? first : least;
    last = last < greatest ? last : greatest;
    if (level == c->nest.n_windows) {
        nest_add_stretch(w->stretch, first - least, last - least + 1, sum);
        return;
    }
    const struct nest_window *window = &c->nest.windows[level];
    const int64_t end = number_of(window, last);
    c->failed |= end - number_of(window, first) > MOST_WINDOWS;
    for (int64_t i = number_of(window, first); i <= end && !c->failed; i++) {
        bool known;
        describe(w, level, i);
        int k = timing_find_class(c, &known);
        if (!known) {
            struct timing_sum own = measure(w, level, i);
            c->list[k].sum = own; /* the list may have moved */
        }
        timing_sum_add(c->timing, sum, 1, &c->list[k].sum);
    }
}

bool timing_measure_windows(struct classes *c, const struct class_window *around,
        const struct nest_pace *pace, struct timing_sum *sum)
{
    struct windows w = {.c = c,
            .prefixes = around->stamps,
            .n = around->n,
            .centre = around->centre,
            .row = c->n}; /* each is a class of its own */
    int64_t cycles;

    for (int i = 0; i < w.n; i++) {
        if (!nest_row_range(&c->nest, &w.prefixes[i], &w.first[i], &w.last[i]))
            return false;
    }
    if (!nest_pass(&c->nest, &w.prefixes[w.centre], &cycles) || cycles > 0)
        return false;
    w.stretch = nest_open_stretch(&c->nest, w.prefixes, w.n, w.centre, pace);
    if (w.stretch == NULL)
        return false;
    add_windows(&w, 0, w.first[w.centre], w.last[w.centre], sum);
    return !c->failed;
}

int timing_windows_room(const struct nest *nest, int n_starts)
{
    return nest->n_windows == 0 ? 0 : 2 + (2 * MOST_AROUND + 1) * (1 + 2 * nest->n_runs + n_starts);
}
