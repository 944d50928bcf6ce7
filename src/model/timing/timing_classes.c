/* The scheduled time by classes of stamps (doc/model.md, section 7).
 *
 * A stamp is described by what its summand can depend on: how its neighbours differ from it, how
 * many values the digits within have there, and whether sums are touched for the first time. Equal
 * descriptions, equal summands: one stamp of each is followed, with its neighbours, and its words
 * are counted as often as it is there. Digits are walked through by runs of values that describe
 * the same, so that nothing depends on their number.
 */
#include "model/timing/timing_describe.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PAIRS = 1 << 24, /* that are followed one by one, of all classes */
    TICKS_PER_PAIR = 20
};

/* ---- one stamp ---- */

/* The phase of the centre that words of stamp "at" fall into; TIMING_PHASES: none. */
static enum timing_phase phase_of(const struct classes *c, const struct timing_transfer *transfer,
        const struct nest_stamp *window, int n, int centre, int at, bool is_store)
{
    int step = is_store ? 1 : -1, other = at + step;

    if (transfer->kind == SATOR_TRANSFER_STREAMED)
        return at == centre ? TIMING_WITH_RUN : TIMING_PHASES;
    if (transfer->kind == SATOR_TRANSFER_SERIAL)
        return at != centre ? TIMING_PHASES : is_store ? TIMING_SERIAL_STORES : TIMING_SERIAL_LOADS;
    if (at != centre && other != centre)
        return TIMING_PHASES;
    bool with_other = other >= 0 && other < n &&
            nest_same_prefix(&c->nest, transfer->tile_time, &window[at], &window[other]);
    if (at == centre)
        return with_other ? TIMING_PHASES : is_store ? TIMING_EXPOSED_STORES : TIMING_EXPOSED_LOADS;
    return with_other ? TIMING_WITH_RUN : TIMING_PHASES;
}

/* How the rows of ports are found: one for instances that are alike, or each for itself. */
struct rows {
    bool one_by_one;
    struct timing_words *first; /* of each port; without words: none yet */
    bool mix; /* others are of other instances: what one of them moves in all is not known */
    struct timing_entries entries;
};

/* Rows for the same instances add up at the first of them. Where some are of others, an instance
 * may be of both, as where one PE starts a sum and the others read theirs back. The instances of a
 * row are those of ranges of digits, or of a loop's first values: its ends and their number tell
 * which. */
static void note_row(struct rows *rows, int port, const struct timing_words *row)
{
    struct timing_words *first = &rows->first[port];

    if (first->words == 0) {
        *first = *row;
    } else {
        rows->mix |= first->idle > 0 && row->idle > 0; /* there may be none that moves both */
        first->idle += row->idle;
    }
    rows->mix |= (first->copies > 0 || row->copies > 0) &&
            (first->instance != row->instance || first->copies != row->copies ||
                    first->last != row->last);
}

static void add_moves(struct classes *c, const struct timing_transfer *transfer,
        struct timing_way way, const struct nest_stamp *window, int n, int centre,
        struct rows *rows, sator_int *moved)
{
    for (int i = 0; way.use->port >= 0 && i < way.moves->n; i++) {
        const struct timing_words *row = &way.moves->rows[i];
        enum timing_phase phase =
                phase_of(c, transfer, window, n, centre, (int)row->stamp, way.is_store);
        if (phase == TIMING_PHASES)
            continue;
        *moved += (sator_int)row->words * /* each word once, where it counts */
                (row->copies + 1 - row->idle);
        note_row(rows, way.use->port, row);
        timing_entries_add(c->timing, &rows->entries, way.use, phase, row);
    }
}

/* The stamps of the window that what "transfer" moves around the centre depends on: "*n" from the
 * one that is returned on. */
static int narrow(
        const struct classes *c, const struct timing_transfer *transfer, int centre, int *n)
{
    bool is_output = c->timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE;
    int history = transfer->is_own ? 0 : c->reach;
    int future = transfer->is_own                         ? 0
            : is_output                                   ? c->reach
            : transfer->kind == SATOR_TRANSFER_OVERLAPPED ? 1
                                                          : 0;
    int first = centre > history ? centre - history : 0;
    int last = centre + future < *n ? centre + future : *n - 1;

    *n = last - first + 1;
    return first;
}

/* What comes over links: of the stamps whose words may pass with the centre. */
static bool follow_places(struct classes *c, const struct timing_transfer *transfer,
        const struct nest_stamp *window, int n, int centre, bool one_by_one,
        struct timing_movement *movement)
{
    int around = transfer->kind == SATOR_TRANSFER_OVERLAPPED;
    bool fits = true;

    *movement = (struct timing_movement){0};
    for (int at = centre - around; at <= centre + around && fits; at++) {
        if (at >= 0 && at < n)
            fits = nest_follow_places(&c->nest, transfer, n, window, at, one_by_one, movement);
    }
    return fits;
}

void timing_follow_pairs(struct classes *c, const struct timing_transfer *transfer, bool listed,
        struct timing_window *pairs, struct timing_movement *movement)
{
    c->pairs += pairs->n;
    c->failed |= !listed || c->pairs > MOST_PAIRS;
    if (!c->failed) {
        c->st = sator_work(c->timing->analysis->ctx, (uint64_t)pairs->n * TICKS_PER_PAIR);
        c->failed =
                c->st != SATOR_OK || !timing_follow_window(c->timing, transfer, pairs, movement);
    }
    free(pairs->key);
}

/* What "transfer" moves around the centre of the window. */
static void follow(struct classes *c, int i, const struct nest_stamp *window, int n, int centre,
        struct rows *rows, sator_int *moved)
{
    const struct timing_transfer *transfer = &c->timing->transfers[i];
    struct timing_movement movement;
    struct timing_window pairs;

    if (!transfer->asks)
        return;
    int first = narrow(c, transfer, centre, &n);
    window += first;
    centre -= first;
    if (!nest_follow_own(&c->nest, transfer, n, window, rows->one_by_one, &movement) &&
            !follow_places(c, transfer, window, n, centre, rows->one_by_one, &movement) &&
            !nest_follow_parts(&c->nest, transfer, n, window, rows->one_by_one, &movement)) {
        bool listed = nest_pairs(&c->nest, transfer, n, window, &pairs);
        timing_follow_pairs(c, transfer, listed, &pairs, &movement);
    }
    if (c->failed)
        return;
    for (int w = 0; w < timing_n_ways(transfer); w++)
        add_moves(c, transfer, timing_way(c->timing, transfer, &movement, w), window, n, centre,
                rows, &moved[w]);
}

static void add_inside(
        struct classes *c, int level, const struct nest_stamp *outer, struct timing_sum *sum);

/* What the transfers of "level" have the ports do in one stamp. */
static struct timing_entries find_entries(
        struct classes *c, int level, const struct nest_stamp *stamp, sator_int *moved)
{
    struct timing *timing = c->timing;
    int length = timing->lengths[level], n_moved = timing->n_moved;
    struct class_window window;
    sator_int *before = sator_arena_copy(
            timing->arena, moved, sizeof *moved * (size_t)(n_moved == 0 ? 1 : n_moved));
    struct rows rows = {
            .first = SATOR_NEW_ARRAY(timing->arena, struct timing_words, timing->n_ports + 1)};

    timing_window_around(c, nest_fixed(&c->nest, length), nest_is_full(&c->nest, length), c->reach,
            stamp, &window);
    for (int pass = 0; pass == 0 || (pass == 1 && rows.mix); pass++) {
        rows.one_by_one = pass == 1;
        rows.entries = (struct timing_entries){0};
        memcpy(moved, before, sizeof *moved * (size_t)n_moved);
        for (int i = 0; i < timing->n_transfers && !c->failed; i++) {
            if (timing->transfers[i].n_time == length)
                follow(c, i, window.stamps, window.n, window.centre, &rows,
                        &moved[timing->transfers[i].first_moved]);
        }
    }
    return rows.entries;
}

/* The most instances that one PE runs in a stamp. */
static int64_t count_most(struct classes *c, const struct nest_stamp *stamp)
{
    struct nest_pace pace;
    int64_t first, last;

    if (c->nest.uneven < 0)
        return nest_count_most(&c->nest, stamp);
    c->failed |= !nest_find_pace(&c->nest, stamp, &pace) ||
            !nest_row_range(&c->nest, stamp, &first, &last);
    if (c->failed)
        return 0;
    bool is_slow = stamp->skewed >= first + pace.n_before && stamp->skewed <= last - pace.n_after;
    return (int64_t)(is_slow ? pace.slow : pace.fast);
}

/* What one stamp takes; its description was written and is "own" now. */
static struct timing_sum measure(struct classes *c, int level, const struct nest_stamp *stamp)
{
    struct timing *timing = c->timing;
    struct timing_sum inside = timing_sum_new(timing), sum = timing_sum_new(timing);
    struct timing_entries entries;

    if (level == timing->n_levels - 1) {
        *inside.cycles = *inside.compute = timing_compute(timing, count_most(c, stamp));
    } else {
        add_inside(c, level + 1, stamp, &inside);
    }
    timing_sum_add(timing, &sum, 1, &inside);
    *sum.cycles = 0;
    memset(sum.busy, 0, sizeof *sum.busy * (size_t)timing->n_ports);
    entries = find_entries(c, level, stamp, sum.moved);
    timing_add_stamp(timing, &entries, *inside.cycles, inside.busy, 1, &sum);
    return sum;
}

/* Add "times" the summand of "stamp". */
static void add_stamp(struct classes *c, int level, const struct nest_stamp *stamp, sator_int times,
        struct timing_sum *sum)
{
    int length = c->timing->lengths[level];
    bool known;

    if (c->failed)
        return;
    timing_describe(
            c, 2 * level, nest_fixed(&c->nest, length), nest_is_full(&c->nest, length), stamp);
    int i = timing_find_class(c, &known);
    if (!known) {
        struct timing_sum own = measure(c, level, stamp);
        c->list[i].sum = own; /* the list may have moved */
    }
    timing_sum_add(c->timing, sum, times, &c->list[i].sum);
}

/* ---- all stamps of a skewed row ---- */

/* The time-stamps of each value of the skewed row. */
static int64_t count_inner(const struct nest *nest)
{
    int64_t n = 1;

    for (int i = 0; i < nest->n_digits; i++)
        n *= nest->digits[i].is_inner ? nest->digits[i].extent : 1;
    return n;
}

/* What the stamps of the row under "prefix" take, followed all at once; false: they cannot be. */
static bool measure_run(struct classes *c, const struct nest_stamp *prefix, struct timing_sum *sum)
{
    struct class_window window;
    const int64_t inner = count_inner(&c->nest);
    struct nest_pace pace;

    if (!nest_find_pace(&c->nest, prefix, &pace))
        return false;
    pace.slow = timing_compute(c->timing, (int64_t)pace.slow) * inner;
    pace.fast = timing_compute(c->timing, (int64_t)pace.fast) * inner;
    timing_window_around(c, c->nest.n_order, false, 1, prefix, &window);
    if (c->nest.n_windows > 0)
        return timing_measure_windows(c, &window, &pace, sum);
    return nest_measure_run(&c->nest, window.stamps, window.n, window.centre, &pace, sum);
}

/* The same for all rows that describe the same; false: one by one, then. */
static bool add_run(
        struct classes *c, const struct nest_stamp *prefix, sator_int times, struct timing_sum *sum)
{
    bool known;

    if (c->not_by_rows)
        return false;
    timing_describe(c, 2 * c->timing->n_levels, c->nest.n_order, false, prefix);
    int i = timing_find_class(c, &known);
    if (!known) {
        struct timing_sum own = timing_sum_new(c->timing);
        c->not_by_rows = !measure_run(c, prefix, &own);
        if (c->not_by_rows)
            return false;
        c->list[i].sum = own;
    }
    timing_sum_add(c->timing, sum, times, &c->list[i].sum);
    return true;
}

/* What a run of the row takes beyond its stamps, where words pass through idle PEs. */
static void pass_through(
        struct classes *c, const struct nest_stamp *prefix, sator_int times, struct timing_sum *sum)
{
    int64_t cycles;

    c->failed |= !nest_pass(&c->nest, prefix, &cycles);
    if (c->failed)
        return;
    *sum->cycles += times * cycles;
    *sum->compute += times * cycles;
}

/* ---- all stamps of a level within one of the level outside ---- */

struct walk {
    struct classes *c;
    int level, n_fixed;
    bool full;
    struct timing_sum *sum;
};

static void walk_digit(struct walk *walk, int k, struct nest_stamp *stamp, sator_int times);
static void walk_values(struct walk *walk, int k, struct nest_stamp *stamp, sator_int times);

/* All stamps under the first "k" digits: prefixes that describe the same have the same inside. */
static void add_prefix(struct walk *walk, int k, struct nest_stamp *stamp, sator_int times)
{
    struct classes *c = walk->c;
    bool known;

    if (c->failed)
        return;
    timing_describe(c, 2 * walk->level + 1, k, false, stamp);
    int i = timing_find_class(c, &known);
    if (!known) {
        struct timing_sum *all = walk->sum, own = timing_sum_new(c->timing);
        walk->sum = &own;
        walk_values(walk, k, stamp, 1);
        walk->sum = all;
        c->list[i].sum = own;
    }
    if (!c->failed)
        timing_sum_add(c->timing, walk->sum, times, &c->list[i].sum);
}

/* The values [first, first + n) of digit number "k", which describe the same: those near either end
 * for themselves, one for the others. Those near the end are neighbours of others, and next to the
 * digit's first value sums may start. */
static void walk_run(struct walk *walk, int k, int64_t first, int64_t n, struct nest_stamp *stamp,
        sator_int times)
{
    const struct classes *c = walk->c;
    uint64_t loop = UINT64_C(1) << c->nest.digits[c->nest.order[k]].loop;
    int64_t low = c->reach, high = c->reach;

    for (int i = 0; i < c->n_starts && low == c->reach; i++)
        low += first == 0 && (c->starts[i] & loop) != 0;
    for (int64_t i = 0; i < n && !c->failed;) {
        int64_t alike = i == low && n > low + high ? n - low - high : 1;
        stamp->v[k] = first + i;
        walk_digit(walk, k + 1, stamp, times * alike);
        i += alike;
    }
}

static void walk_skewed(struct walk *walk, struct nest_stamp *stamp, sator_int times)
{
    int64_t low, high;

    if (walk->c->nest.n_runs > 1 || walk->c->nest.n_windows > 0 ||
            walk->c->nest.full_length < walk->c->timing->analysis->n_time) {
        walk->c->failed = true;
        return;
    }
    struct nest_values values = nest_skewed_values(&walk->c->nest, stamp);
    timing_middle(walk->c, stamp, &low, &high);
    for (int64_t v = values.first; v <= values.last && !walk->c->failed; v++) {
        bool is_middle = v == low && v < high;
        if (values.there != NULL && !values.there[v - values.first])
            continue;
        stamp->skewed = v;
        add_stamp(walk->c, walk->level, stamp, is_middle ? times * (high - low) : times, walk->sum);
        v += is_middle ? high - low - 1 : 0;
    }
}

static void walk_digit(struct walk *walk, int k, struct nest_stamp *stamp, sator_int times)
{
    if (k == walk->n_fixed && walk->full) {
        pass_through(walk->c, stamp, times, walk->sum);
        if (!add_run(walk->c, stamp, times, walk->sum))
            walk_skewed(walk, stamp, times);
        return;
    }
    if (k == walk->n_fixed)
        add_stamp(walk->c, walk->level, stamp, times, walk->sum);
    else
        add_prefix(walk, k, stamp, times);
}

/* All values of digit number "k" under those before it. */
static void walk_values(struct walk *walk, int k, struct nest_stamp *stamp, sator_int times)
{
    const struct nest *nest = &walk->c->nest;
    int loop = nest->digits[nest->order[k]].loop;
    int64_t count = nest_count(nest, stamp, k);
    for (int64_t first = 0, next; first < count && !walk->c->failed; first = next) {
        int64_t low = first, high = count - 1; /* the last value with the same room */
        stamp->v[k] = first;
        int64_t room = nest_room(nest, k + 1, stamp, loop);
        low = nest->loops[loop].is_whole ? high : low;
        while (low < high) {
            int64_t middle = (low + high + 1) / 2;
            stamp->v[k] = middle;
            if (nest_room(nest, k + 1, stamp, loop) == room)
                low = middle;
            else
                high = middle - 1;
        }
        next = low + 1;
        walk_run(walk, k, first, next - first, stamp, times);
    }
}

static void add_inside(
        struct classes *c, int level, const struct nest_stamp *outer, struct timing_sum *sum)
{
    int length = c->timing->lengths[level];
    int outer_length = level == 0 ? 0 : c->timing->lengths[level - 1];
    struct walk walk = {
            c, level, nest_fixed(&c->nest, length), nest_is_full(&c->nest, length), sum};
    struct nest_stamp stamp = *outer;

    walk.full |= nest_window_of(&c->nest, length) >= 0; /* which its row is made of */

    walk_digit(&walk, level == 0 ? 0 : nest_fixed(&c->nest, outer_length), &stamp, 1);
}

/* ---- all ---- */

enum sator_status timing_by_classes(struct timing *timing, struct timing_sum *sum, bool *done)
{
    struct classes c = {.timing = timing};
    const struct nest_stamp whole = {0};

    *done = nest_read(timing, &c.nest) && nest_is_counted(&c.nest, &c.reach);
    if (!*done)
        return SATOR_OK;
    timing->has_windows = c.nest.n_windows > 0;
    timing_prepare_classes(&c);
    *sum = timing_sum_new(timing);
    add_inside(&c, 0, &whole, sum);
    *done = !c.failed;
    if (c.st == SATOR_LIMIT)
        timing->cut_short = "the work limit ends before all classes of stamps are counted, and the "
                            "stamps are too many to be followed one by one";
    else if (c.pairs > MOST_PAIRS)
        timing->cut_short = "what moves in the classes of stamps is too much to be counted, and "
                            "the stamps are too many to be followed one by one";
    return c.st == SATOR_LIMIT ? SATOR_OK : c.st;
}
