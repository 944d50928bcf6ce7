/* All stamps of a skewed row at once: what is sent and stored in each, where words reach the PEs
 * over links.
 *
 * The places are PEs p at values L of the row's running number, and fall into boxes (timing_boxes);
 * a place's stamp is the sum of the skew of p and of L. The stamps of a box are the coefficients of
 * a product of (1 - z^(factor count)) / (1 - z^factor), one for each digit, and what all boxes have
 * is added up over the one common denominator. Values of a digit of L that are far from both ends
 * are alike: one stands for all, so that the row has few values left, whatever its length.
 */
#include "model/timing/timing_boxes.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SKEWED = 10, /* digits */
    MOST_VALUES = 1 << 20
};

/* What is known of a transfer's words in rows that agree in all that they depend on. */
struct known_row {
    const struct known_row *next;
    int n_key;
    int64_t *key, *words;
};

/* ---- squeezing ---- */

/* The range of a digit's values in the middle that are alike is the longest. */
static void find_kept(const struct box_digit *digit, struct squeezed_digit *kept)
{
    int64_t low = 0, longest = 0;

    for (int c = 0; c < digit->n_cells; c++) {
        int64_t length = digit->cells[c + 1] - digit->cells[c];
        if (length > longest) {
            longest = length;
            low = digit->cells[c];
        }
    }
    int64_t high = digit->extent - low - longest;
    kept->extent = digit->extent;
    kept->low = low > kept->low ? low : kept->low;
    kept->high = high > kept->high ? high : kept->high;
}

static void start_squeeze(const struct nest *nest, struct squeezed *s)
{
    *s = (struct squeezed){.n = nest->n_runs};
    for (int r = 0; r < nest->n_runs; r++)
        s->digits[r] = (struct squeezed_digit){.digit = nest->runs[r]};
}

/* Note what the transfer's boxes keep. */
static void note_boxes(const struct boxes *b, struct squeezed *s)
{
    s->span = 0;
    for (int i = 0; i < b->n_digits; i++) {
        const struct box_digit *digit = &b->digits[i];
        if (!digit->is_run)
            s->span += llabs(digit->factor) * (digit->extent - 1);
        for (int r = 0; digit->is_run && r < s->n; r++) {
            if (s->digits[r].digit == digit->digit)
                find_kept(digit, &s->digits[r]);
        }
    }
}

/* Leave values out: at each of the row's, the PEs' running numbers lie "span" or less apart, so
 * that they have up to "crossed" values of the digit more than one; all of these are to be kept. */
static void squeeze_all(
        const struct nest *nest, struct squeezed *s, int64_t length, bool neighbours)
{
    const int64_t window = nest->n_windows > 0 ? nest->windows[nest->n_windows - 1].unit : 1;
    int64_t factor = 1, whole = 1;

    for (int r = s->n - 1; r >= 0; r--) {
        struct squeezed_digit *d = &s->digits[r];
        int64_t crossed = (s->span + factor - 1) / factor;
        int64_t kept = d->low + d->high + crossed + (neighbours ? 3 : 1);
        bool is_within = nest->digits[d->digit].run < window; /* windows keep their length */
        d->left_out = d->extent > kept && !is_within ? d->extent - kept : 0;
        d->middle = d->low + crossed + neighbours;
        d->factor = factor;
        whole *= d->extent;
        factor *= d->extent - d->left_out;
    }
    s->n_values = length - (whole - factor);
}

static int64_t squeeze(const struct squeezed *s, const struct box_digit *digit, int64_t value)
{
    for (int r = 0; r < s->n; r++) {
        const struct squeezed_digit *d = &s->digits[r];
        if (d->digit == digit->digit)
            return value <= d->low ? value : value - d->left_out;
    }
    return value;
}

static int64_t factor_of(const struct squeezed *s, const struct box_digit *digit)
{
    for (int r = 0; r < s->n; r++) {
        if (s->digits[r].digit == digit->digit)
            return s->digits[r].factor;
    }
    return digit->factor;
}

struct box_span boxes_squeeze(const struct squeezed *s, const struct box_digit *digit)
{
    const int64_t first = squeeze(s, digit, digit->first);

    return (struct box_span){.first = first,
            .count = squeeze(s, digit, digit->first + digit->count) - first,
            .factor = factor_of(s, digit)};
}

/* How often each value of the squeezed row is there. */
static const int64_t *count_times(const struct squeezed *s, struct sator_arena *arena)
{
    int64_t *times = SATOR_NEW_ARRAY(arena, int64_t, s->n_values + 1);

    for (int64_t v = 0; v < s->n_values; v++)
        times[v] = 1;
    for (int r = 0; r < s->n; r++) {
        const struct squeezed_digit *d = &s->digits[r];
        int64_t next = r == 0 ? s->n_values : s->digits[r - 1].factor; /* the digit's value again */
        for (int64_t at = d->middle * d->factor; d->left_out > 0 && at < s->n_values; at += next) {
            for (int64_t v = at; v < at + d->factor && v < s->n_values; v++)
                times[v] *= d->left_out + 1;
        }
    }
    return times;
}

/* ---- boxes ---- */

struct follower {
    struct boxes *boxes;
    const struct squeezed *squeezed;
    int64_t *sent, *stored, *arrived;
    bool sends, stores, arrives; /* some are */
    int64_t begun;
};

/* Add the box at hand, whose places have "words" each, to the numerator "counts". */
static void count_box(const struct follower *f, int64_t words, int64_t *counts)
{
    int64_t at[1 << MOST_SKEWED], sign[1 << MOST_SKEWED], base = -f->squeezed->first;
    int n = 1;

    at[0] = 0;
    sign[0] = words;
    for (int i = 0; i < f->boxes->n_digits; i++) {
        const struct box_digit *digit = &f->boxes->digits[i];
        const struct box_span span = boxes_squeeze(f->squeezed, digit);
        if (span.factor == 0) {
            for (int k = 0; k < n; k++)
                sign[k] *= digit->count;
            continue;
        }
        base += span.factor * (span.factor < 0 ? span.first + span.count - 1 : span.first);
        int64_t length = llabs(span.factor) * span.count;
        for (int k = 0; k < n; k++) {
            at[n + k] = at[k] + length;
            sign[n + k] = -sign[k];
        }
        n *= 2;
    }
    for (int k = 0; k < n; k++) {
        if (base + at[k] < f->squeezed->n_values)
            counts[base + at[k]] += sign[k];
    }
}

/* The places of the box at hand. */
static int64_t count_places(const struct boxes *b)
{
    int64_t n = 1;

    for (int i = 0; i < b->n_digits; i++)
        n *= b->digits[i].count;
    return n;
}

static void walk_boxes(struct follower *f, int i)
{
    struct boxes *b = f->boxes;

    if (b->failed)
        return;
    if (i == b->n_digits) {
        struct box_words words = boxes_follow(b);
        if (words.sent > 0 && b->transfer->sends.port >= 0) {
            count_box(f, words.sent, f->sent);
            f->sends = true;
        }
        if (words.stored > 0 && b->transfer->takes.port >= 0) {
            count_box(f, words.stored, f->stored);
            f->stores = true;
        }
        if (words.arrived > 0 && b->transfer->arrives.port >= 0) {
            count_box(f, words.arrived, f->arrived);
            f->arrives = true;
        }
        f->begun += words.begun * count_places(b);
        return;
    }
    struct box_digit *digit = &b->digits[i];
    for (int c = 0; c < digit->n_cells; c++) {
        digit->first = digit->cells[c];
        digit->count = digit->cells[c + 1] - digit->first;
        walk_boxes(f, i + 1);
    }
}

/* ---- memories outside of the arrays ---- */

/* How many elements there are at each value of the row, at the first stamp that wants them, or the
 * last: the coefficients of a product over the digits that tell them apart; the others are at one
 * of their ends. */
static void count_elements(const struct follower *f, bool last, int64_t *counts)
{
    const int64_t n = f->squeezed->n_values;
    int64_t base = -f->squeezed->first;

    for (int pass = 0; pass < 2; pass++) { /* where they begin, then how they go on */
        for (int i = 0; i < f->boxes->n_digits; i++) {
            struct box_digit *digit = &f->boxes->digits[i];
            digit->first = 0;
            digit->count = digit->extent;
            const struct box_span span = boxes_squeeze(f->squeezed, digit);
            const int64_t reach = span.factor * (span.count - 1), factor = llabs(span.factor);
            const bool uses = f->boxes->access->uses[f->boxes->nest->digits[digit->digit].loop];
            if (pass == 0) {
                base += (uses || !last) == (reach < 0) ? reach : 0;
                continue;
            }
            for (int64_t v = n - 1; uses && factor > 0 && v >= factor * span.count; v--)
                counts[v] -= counts[v - factor * span.count];
            for (int64_t v = 0; uses && v < n; v++)
                counts[v] = factor == 0 ? counts[v] * span.count
                        : v >= factor   ? counts[v] + counts[v - factor]
                                        : counts[v];
        }
        if (pass == 0)
            counts[base] = 1;
    }
}

/* Words arrive when the first PE wants them, unless sums begin, and sums leave after the last. */
static void follow_outside(const struct follower *f)
{
    const struct boxes *b = f->boxes;
    const size_t size = sizeof *f->sent * (size_t)f->squeezed->n_values;

    if (!b->is_output || !b->untouched)
        count_elements(f, false, f->sent);
    memcpy(f->arrived, f->sent, size);
    if (b->is_output)
        count_elements(f, true, f->stored);
}

/* ---- all ---- */

/* Divide by the common denominator. */
static void divide(const struct follower *f, int64_t *counts)
{
    for (int i = 0; i < f->boxes->n_digits; i++) {
        int64_t factor = llabs(factor_of(f->squeezed, &f->boxes->digits[i]));
        for (int64_t v = factor; factor > 0 && v < f->squeezed->n_values; v++)
            counts[v] += counts[v - factor];
    }
}

/* ---- rows ---- */

static int write_key(const struct boxes *b, const struct squeezed *s, int64_t *key)
{
    int n = b->n_key;

    memcpy(key, b->key, sizeof *key * (size_t)n);
    key[n++] = s->n_values;
    for (int r = 0; r < s->n; r++) {
        key[n++] = s->digits[r].low;
        key[n++] = s->digits[r].left_out;
    }
    return n;
}

/* The words of the transfer, followed unless they are known; NULL: they cannot be. */
static const int64_t *follow_transfer(struct boxes *b, const struct squeezed *s)
{
    struct sator_arena *arena = b->nest->timing->arena;
    int64_t *key = SATOR_NEW_ARRAY(arena, int64_t, b->n_key + 2 * s->n + 2);
    int n_key = write_key(b, s, key);
    struct follower f = {.boxes = b, .squeezed = s};

    for (const struct known_row *k = b->rows; k != NULL; k = k->next) {
        if (k->n_key == n_key && memcmp(k->key, key, sizeof *key * (size_t)n_key) == 0)
            return k->words;
    }
    f.sent = SATOR_NEW_ARRAY(arena, int64_t, 3 * s->n_values + 1);
    f.stored = f.sent + s->n_values;
    f.arrived = f.stored + s->n_values;
    b->passed = 0;
    b->is_joined = false;
    if (b->is_outside)
        follow_outside(&f);
    else
        walk_boxes(&f, 0);
    if (b->failed || (b->branches && (!b->is_grouped || (b->passed & ~b->grouped) != 0)))
        return NULL;
    b->failed |= b->is_grouped && (b->is_joined || f.begun != boxes_count_sums(b));
    if (b->failed)
        return NULL;
    if (f.sends)
        divide(&f, f.sent);
    if (f.stores)
        divide(&f, f.stored);
    if (f.arrives)
        divide(&f, f.arrived);
    struct known_row *made = SATOR_NEW(arena, struct known_row);
    *made = (struct known_row){.next = b->rows, .n_key = n_key, .key = key, .words = f.sent};
    b->rows = made;
    return made->words;
}

/* The boxes of a transfer of single stamps, at the row; NULL: it has another form. */
static struct boxes *open_row(const struct nest *nest, const struct timing_transfer *transfer,
        const struct nest_stamp *prefixes, const struct box_range *rows, int n, int centre)
{
    struct boxes *b = boxes_of(nest, transfer);
    int n_skewed = 0;

    if (b == NULL || (transfer->holder_space > 0 && !transfer->is_own) ||
            (transfer->kind == SATOR_TRANSFER_OVERLAPPED &&
                    (boxes_pass_own_ports(transfer) || transfer->arrives.port >= 0)) ||
            !boxes_open(b, prefixes, rows, n, centre))
        return NULL;
    for (int i = 0; i < b->n_digits; i++)
        n_skewed += b->digits[i].factor != 0;
    return n_skewed > MOST_SKEWED ? NULL : b;
}

/* What the row depends on is what those of its transfers do, which are open. */
static void join_keys(const struct nest *nest, struct nest_run *run)
{
    const struct timing *timing = nest->timing;
    int64_t *key = run->key = SATOR_NEW_ARRAY(timing->arena, int64_t, run->n_key + 1);

    for (int i = 0; i < timing->n_transfers; i++) {
        const struct boxes *b = nest->boxes[i];
        if (!nest_is_of_stamps(nest, &timing->transfers[i]))
            continue;
        memcpy(key, b->key, sizeof *key * (size_t)b->n_key);
        key += b->n_key;
    }
}

bool nest_open_run(const struct nest *nest, const struct nest_stamp *prefixes, int n, int centre,
        struct nest_run *run)
{
    const struct timing *timing = nest->timing;
    struct box_range rows[BOX_WINDOW];

    for (int r = 0; r < n; r++) {
        if (!nest_row_range(nest, &prefixes[r], &rows[r].first, &rows[r].last))
            return false;
    }
    *run = (struct nest_run){
            .first = rows[centre].first, .length = rows[centre].last - rows[centre].first + 1};
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        if (!nest_is_of_stamps(nest, transfer))
            continue;
        struct boxes *b = open_row(nest, transfer, prefixes, rows, n, centre);
        if (b == NULL)
            return false;
        run->n_key += b->n_key;
        run->n_boxes++;
    }
    join_keys(nest, run);
    return true;
}

/* Follow the transfers of the run that is open; false: one has another form, or branches:
 * "*branches". */
static bool follow_all(const struct nest *nest, const struct nest_run *run, bool neighbours,
        struct nest_row *row, struct boxes **branches)
{
    const struct timing *timing = nest->timing;
    struct squeezed squeezed;

    *branches = NULL;
    start_squeeze(nest, &squeezed);
    for (int i = 0; i < timing->n_transfers; i++) {
        if (!nest_is_of_stamps(nest, &timing->transfers[i]))
            continue;
        if (!boxes_cut(nest->boxes[i]))
            return false;
        note_boxes(nest->boxes[i], &squeezed);
    }
    squeeze_all(nest, &squeezed, run->length, neighbours);
    squeezed.first = run->first;
    if (squeezed.n_values > MOST_VALUES)
        return false;
    *row = (struct nest_row){.n = squeezed.n_values,
            .times = count_times(&squeezed, timing->arena),
            .squeezed = sator_arena_copy(timing->arena, &squeezed, sizeof squeezed),
            .words = SATOR_NEW_ARRAY(timing->arena, const int64_t *, timing->n_transfers + 1)};
    for (int i = 0; i < timing->n_transfers; i++) {
        if (!nest_is_of_stamps(nest, &timing->transfers[i]))
            continue;
        struct boxes *b = nest->boxes[i];
        row->words[i] = follow_transfer(b, &squeezed);
        if (row->words[i] == NULL) {
            *branches = b->failed ? NULL : b;
            return false;
        }
    }
    return boxes_find_busiest(nest, &squeezed, row);
}

bool nest_follow_run(
        const struct nest *nest, const struct nest_run *run, bool neighbours, struct nest_row *row)
{
    struct boxes *branches;

    while (!follow_all(nest, run, neighbours, row, &branches)) {
        if (branches == NULL || !boxes_group(branches))
            return false;
    }
    return true;
}
