/* Walking the digits of a part, outermost first, over all stamps of a pattern of time and all PEs.
 *
 * PEs of one bus and one stamp are walked together, as "cells": a digit that a bus spreads over
 * makes several cells of each, any other digit stands alike in all of them. A cell knows how far it
 * is on the path of the tops, itself and each of its sources, whose digits lie a constant away:
 * those of space by the link's, those of time by the pattern. From one stamp of time to the one
 * before it, the digits outside of the pattern's row stay, that row's goes down by one, and those
 * inside go from 0 to their last values.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "count/tiled/tiled.h"
#include "count/tiled/value_set.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CELLS = 1 << 14,
    MOST_CUTS = 16 + 6 * TILED_SOURCES
};

struct cell {
    int64_t base; /* of the sum: only what differs between cells, or matters to a quotient */
    uint64_t pe;
    uint64_t sources; /* bits: those that are not ruled out */
    uint8_t shape[TILED_PART_LOOPS];
    struct {
        int64_t distance; /* of the sum, from the cell's own */
        uint8_t shape[TILED_PART_LOOPS];
    } source[];
};

struct walker {
    const struct tiled_question *q;
    const struct tiled_part *part;
    struct tiled_tally *tally;
    struct tiled_sets *sets;
    int64_t *most; /* in place of a tally: the size of the largest tile */
    int n_stamps; /* of the pattern that there are, with the one now */
    size_t cell_size;
    char *cells;
    size_t room; /* for cells */
    const char *reason;
    enum sator_status st;
};

/* Whether the tops' path is still open to a time-stamp, whatever PEs and instances: by stamp of the
 * pattern. */
struct paths {
    bool tight[TILED_BACK + 1];
};

static struct cell *cell_at(const struct walker *w, size_t i)
{
    return (struct cell *)(w->cells + w->cell_size * i);
}

/* Room for one cell more, a copy of cell "from", at "at". */
static struct cell *copy_cell(struct walker *w, size_t from, size_t at)
{
    if (at == w->room) {
        w->room *= 2;
        w->cells = sator_realloc(w->cells, w->cell_size * w->room);
    }
    return memcpy(cell_at(w, at), cell_at(w, from), w->cell_size);
}

/* ---- values of a digit ---- */

/* A digit's value at a stamp of the pattern: the value now plus "add", or "add" alone. */
struct value {
    bool is_fixed;
    int64_t add;
};

struct relation {
    int64_t low, high; /* of the value now: up to high - 1 */
    struct value at[TILED_BACK + 1];
};

/* Let the value be "least" at least, exactly 0 if "zero". */
static void restrict_to(struct relation *r, const struct value *value, int64_t least, bool zero)
{
    if (value->is_fixed) {
        if (value->add < least || (zero && value->add != 0))
            r->high = r->low;
        return;
    }
    if (least - value->add > r->low)
        r->low = least - value->add;
    if (zero && 1 - value->add < r->high)
        r->high = 1 - value->add;
}

static void relate(const struct walker *w, const struct tiled_digit *digit,
        const struct paths *paths, struct relation *r)
{
    *r = (struct relation){.high = digit->size};
    for (int j = 1; j <= w->q->n_back && digit->kind == TILED_TIME; j++) {
        int row = w->q->pattern[j - 1];
        r->at[j] = r->at[j - 1];
        if (row == TILED_NEVER || digit->order > row) {
            restrict_to(r, &r->at[j - 1], 0, true);
            r->at[j] = (struct value){true, paths->tight[j] ? digit->top : digit->size - 1};
        } else if (digit->order == row) {
            restrict_to(r, &r->at[j - 1], 1, false);
            r->at[j].add--;
        }
    }
}

static int64_t value_at(const struct value *value, int64_t now)
{
    return value->is_fixed ? value->add : now + value->add;
}

/* ---- one digit of a cell ---- */

/* The value of source "s" where the cell's is "value"; false: there is none. */
static bool source_value(const struct walker *w, int d, const struct relation *r, int s,
        int64_t value, int64_t *other)
{
    const struct tiled_digit *digit = &w->q->nest->digit[d];
    const struct tiled_source *source = &w->q->source[s];

    if (digit->kind == TILED_TIME) {
        *other = value_at(&r->at[source->back], value);
        return true;
    }
    if (source->least != NULL && (value < source->least[d] || value > source->greatest[d]))
        return false;
    *other = source->shift == NULL ? value : value - source->shift[d];
    return *other >= 0 && *other < digit->size;
}

/* Let digit "k" of loop "i" of the part stand at "value" in a cell; false: it is gone. */
static bool advance(const struct walker *w, int i, int k, const struct relation *r, int64_t value,
        struct cell *cell)
{
    const struct tiled_nest *nest = w->q->nest;
    int loop = w->part->loop[i], d = nest->loop[loop].first + k;
    int64_t step = nest->step[d], fixed = nest->digit[d].fixed;

    cell->shape[i] = tiled_shape_next(nest, loop, k, cell->shape[i], value);
    if (cell->shape[i] == TILED_GONE || (fixed >= 0 && value != fixed))
        return false;
    if (w->q->is_spread[d] || w->part->divisor > 1)
        cell->base += step * value;
    if (w->q->is_spread[d] && w->q->width[d] > 0 && !w->part->is_named)
        cell->pe |= (uint64_t)value << w->q->field[d];
    for (uint64_t rest = cell->sources; rest != 0; rest &= rest - 1) {
        int s = __builtin_ctzll(rest);
        int64_t other = value;
        bool has = source_value(w, d, r, s, value, &other);
        if (has)
            cell->source[s].shape[i] =
                    tiled_shape_next(nest, loop, k, cell->source[s].shape[i], other);
        if (!has || cell->source[s].shape[i] == TILED_GONE || (fixed >= 0 && other != fixed) ||
                (w->part->is_named && other != value))
            cell->sources &= ~(UINT64_C(1) << s);
        else
            cell->source[s].distance += step * (other - value);
    }
    return true;
}

/* Where, over the values of a digit, cells or their sources change their ways: "cut" ascends from
 * low to high. */
static int find_cuts(const struct walker *w, int i, int k, const struct relation *r, size_t first,
        size_t n, int64_t *cut)
{
    const struct tiled_nest *nest = w->q->nest;
    int d = nest->loop[w->part->loop[i]].first + k, n_cuts = 0;
    const struct tiled_digit *digit = &nest->digit[d];
    uint64_t any = 0, tight = 0;
    bool own = false;

    for (size_t c = first; c < first + n; c++) {
        const struct cell *cell = cell_at(w, c);
        own |= cell->shape[i] == TILED_TIGHT;
        any |= cell->sources;
        for (uint64_t rest = cell->sources & ~tight; rest != 0; rest &= rest - 1) {
            int s = __builtin_ctzll(rest);
            if (cell->source[s].shape[i] == TILED_TIGHT)
                tight |= UINT64_C(1) << s;
        }
    }
    cut[n_cuts++] = r->low;
    cut[n_cuts++] = r->high;
    for (int t = 0; t < 2 && own; t++)
        cut[n_cuts++] = digit->top + t;
    for (int t = 0; t < 2 && digit->fixed >= 0; t++)
        cut[n_cuts++] = digit->fixed + t;
    for (int j = 1; j < w->n_stamps && digit->kind == TILED_TIME; j++) {
        for (int t = 0; t < 2 && !r->at[j].is_fixed; t++)
            cut[n_cuts++] = digit->top - r->at[j].add + t;
    }
    for (uint64_t rest = digit->kind == TILED_SPACE ? any : 0; rest != 0; rest &= rest - 1) {
        int s = __builtin_ctzll(rest);
        const struct tiled_source *source = &w->q->source[s];
        int64_t shift = source->shift == NULL ? 0 : source->shift[d];
        if (source->least != NULL) {
            cut[n_cuts++] = source->least[d];
            cut[n_cuts++] = source->greatest[d] + 1;
        }
        if (shift != 0) {
            cut[n_cuts++] = shift;
            cut[n_cuts++] = digit->size + shift;
        }
        for (int t = 0; t < 2 && (tight >> s & 1); t++)
            cut[n_cuts++] = digit->top + shift + t;
    }
    return n_cuts;
}

static int sort_cuts(int64_t *cut, int n, int64_t low, int64_t high)
{
    int kept = 0;

    for (int i = 0; i < n; i++) {
        int64_t value = cut[i];
        int at = 0;
        if (value < low || value > high)
            continue;
        while (at < kept && cut[at] < value)
            at++;
        if (at < kept && cut[at] == value)
            continue;
        memmove(&cut[at + 1], &cut[at], sizeof *cut * (size_t)(kept - at));
        cut[at] = value;
        kept++;
    }
    return kept;
}

/* ---- the walk ---- */

static void emit(struct walker *w, size_t first, size_t n, sator_int times);

static void walk(struct walker *w, int i, int k, size_t first, size_t n, const struct paths *paths,
        sator_int times);

/* Begin loop "i" of the part: all on the path of the tops. */
static void walk_loop(struct walker *w, int i, size_t first, size_t n, sator_int times)
{
    if (i == w->part->n_loops) {
        emit(w, first, n, times);
        return;
    }
    uint8_t begin = tiled_shape_begin(w->q->nest, w->part->loop[i]);
    struct paths paths;
    for (int j = 0; j <= TILED_BACK; j++)
        paths.tight[j] = begin == TILED_TIGHT;
    for (size_t c = first; c < first + n; c++) {
        struct cell *cell = cell_at(w, c);
        cell->shape[i] = begin;
        for (uint64_t rest = cell->sources; rest != 0; rest &= rest - 1)
            cell->source[__builtin_ctzll(rest)].shape[i] = begin;
    }
    walk(w, i, 0, first, n, &paths, times);
}

/* Walk on with digit "k" at "value" in all cells, "times" such values. */
static void walk_value(struct walker *w, int i, int k, const struct relation *r, int64_t value,
        size_t first, size_t n, const struct paths *paths, sator_int times)
{
    const struct tiled_digit *digit =
            &w->q->nest->digit[w->q->nest->loop[w->part->loop[i]].first + k];
    struct paths next = *paths;
    size_t end = first + n;

    for (size_t c = first; c < first + n; c++) {
        if (advance(w, i, k, r, value, copy_cell(w, c, end)))
            end++;
    }
    for (int j = 0; j < w->n_stamps; j++)
        next.tight[j] &= digit->kind == TILED_TIME ? value_at(&r->at[j], value) == digit->top
                                                   : digit->top == 0;
    if (end > first + n)
        walk(w, i, k + 1, first + n, end - first - n, &next, times);
}

/* Values from "low" up to "high" - 1, which no cell tells apart but for a quotient's remainder. */
static void walk_values(struct walker *w, int i, int k, const struct relation *r, int64_t low,
        int64_t high, size_t first, size_t n, const struct paths *paths, sator_int times)
{
    const struct tiled_nest *nest = w->q->nest;
    int64_t step = nest->step[nest->loop[w->part->loop[i]].first + k];
    int64_t divisor = w->part->divisor;
    int64_t period = divisor == 1 ? 1 : divisor / sator_gcd(step, divisor);

    for (int64_t v = low; v < high && v < low + period && w->st == SATOR_OK; v++)
        walk_value(w, i, k, r, v, first, n, paths, times * ((high - v + period - 1) / period));
}

/* A digit that a bus spreads over: a cell for each value of each cell. */
static void walk_spread(struct walker *w, int i, int k, const struct relation *r, int64_t *cut,
        int n_cuts, size_t first, size_t n, const struct paths *paths, sator_int times)
{
    const struct tiled_nest *nest = w->q->nest;
    int d = nest->loop[w->part->loop[i]].first + k;
    bool apart = nest->step[d] != 0 || w->q->width[d] > 0; /* else cells alike are one */
    struct paths next = *paths;
    size_t end = first + n;

    for (int at = 0; at + 1 < n_cuts; at++) {
        for (int64_t v = cut[at]; v < cut[at + 1] && (apart || v == cut[at]); v++) {
            for (size_t c = first; c < first + n; c++) {
                if (advance(w, i, k, r, v, copy_cell(w, c, end)))
                    end++;
            }
            if (end - first - n > MOST_CELLS) {
                w->reason = "too many PEs share a bus";
                w->st = SATOR_DECLINED;
                return;
            }
        }
    }
    for (int j = 0; j < w->n_stamps; j++)
        next.tight[j] &= nest->digit[d].top == 0;
    if (end > first + n)
        walk(w, i, k + 1, first + n, end - first - n, &next, times);
}

static void walk(struct walker *w, int i, int k, size_t first, size_t n, const struct paths *paths,
        sator_int times)
{
    const struct tiled_nest *nest = w->q->nest;
    int loop = w->part->loop[i];
    int d = nest->loop[loop].first + k;

    if (w->st != SATOR_OK)
        return;
    if (k == nest->loop[loop].n_digits) {
        walk_loop(w, i + 1, first, n, times);
        return;
    }
    if (nest->digit[d].kind == TILED_INSIDE) {
        struct paths next = *paths;
        for (int j = 0; j < w->n_stamps; j++)
            next.tight[j] &= nest->digit[d].top == 0;
        for (size_t c = first; c < first + n; c++) {
            struct cell *cell = cell_at(w, c);
            cell->shape[i] = tiled_shape_pass(nest, loop, k, cell->shape[i]);
            for (uint64_t rest = cell->sources; rest != 0; rest &= rest - 1) {
                uint8_t *shape = &cell->source[__builtin_ctzll(rest)].shape[i];
                *shape = tiled_shape_pass(nest, loop, k, *shape);
            }
        }
        walk(w, i, k + 1, first, n, &next, times);
        return;
    }
    int64_t cut[MOST_CUTS];
    struct relation r;
    relate(w, &nest->digit[d], paths, &r);
    if (r.low >= r.high)
        return;
    int n_cuts = sort_cuts(cut, find_cuts(w, i, k, &r, first, n, cut), r.low, r.high);
    w->st = sator_work(w->q->ctx, n);
    if (w->q->is_spread[d] && !w->part->is_named) {
        walk_spread(w, i, k, &r, cut, n_cuts, first, n, paths, times);
        return;
    }
    for (int at = 0; at + 1 < n_cuts; at++)
        walk_values(w, i, k, &r, cut[at], cut[at + 1], first, n, paths, times);
}

/* ---- what the cells hold ---- */

static void add_holders(struct walker *w, sator_int times, size_t n, struct tiled_holder *holder)
{
    tiled_tally_add(w->q, w->tally, times, (int)n, holder);
}

/* A part that indexes nothing, or whose numbers name the digits: all cells hold all there is. */
static void emit_alike(struct walker *w, size_t first, size_t n, sator_int times)
{
    struct tiled_holder *holder = sator_alloc(sizeof *holder * n);

    for (size_t c = 0; c < n; c++)
        holder[c] =
                (struct tiled_holder){cell_at(w, first + c)->pe, cell_at(w, first + c)->sources};
    add_holders(w, times, n, holder);
    free(holder);
}

/* Where, in the order of runs, a set begins or ends: of cell "cell", its own or a source's. */
struct event {
    int64_t class, place;
    int32_t cell;
    int16_t source; /* -1: its own */
    int16_t change;
};

struct events {
    size_t n, room;
    struct event *event;
};

static int by_place(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Add the runs of the tile of "shape" whose sums begin at "base"; false: of too many runs. */
static bool add_events(struct walker *w, struct events *events, const uint8_t *shape, int64_t base,
        size_t cell, int source)
{
    int64_t lead;
    const struct sator_value_set *set = tiled_sets_find(w->sets, shape, base, &lead);

    if (set == NULL)
        return false;
    if (events->n + 2 * (size_t)set->n_runs > events->room) {
        events->room = 2 * (events->n + 2 * (size_t)set->n_runs) + 64;
        events->event = sator_realloc(events->event, sizeof *events->event * events->room);
    }
    for (int64_t k = 0; k < set->n_runs; k++) {
        const struct sator_value_run *run = &set->run[k];
        int64_t class = sator_floor_mod(run->class + lead, set->modulus);
        int64_t by = (run->class + lead - class) / set->modulus;
        events->event[events->n++] =
                (struct event){class, run->first + by, (int32_t)cell, (int16_t)source, 1};
        events->event[events->n++] =
                (struct event){class, run->last + 1 + by, (int32_t)cell, (int16_t)source, -1};
    }
    return true;
}

/* The cells that hold the values between two events. */
struct sweep {
    size_t n_active;
    size_t *active; /* cells */
    size_t *position; /* of a cell among these, one more; 0: it is not */
    uint64_t *sources; /* of a cell: those that have the value */
    struct tiled_holder *holder;
};

static void apply(struct sweep *sweep, const struct event *event)
{
    size_t c = (size_t)event->cell;

    if (event->source >= 0) {
        sweep->sources[c] ^= UINT64_C(1) << event->source;
    } else if (event->change > 0) {
        sweep->active[sweep->n_active++] = c;
        sweep->position[c] = sweep->n_active;
    } else {
        size_t at = sweep->position[c] - 1, last = sweep->active[--sweep->n_active];
        sweep->active[at] = last;
        sweep->position[last] = at + 1;
        sweep->position[c] = 0;
    }
}

static void sweep_open(struct sweep *sweep, size_t n)
{
    *sweep = (struct sweep){.active = sator_alloc(sizeof *sweep->active * n),
            .position = sator_alloc(sizeof *sweep->position * n),
            .sources = sator_alloc(sizeof *sweep->sources * n),
            .holder = sator_alloc(sizeof *sweep->holder * n)};
    memset(sweep->position, 0, sizeof *sweep->position * n);
    memset(sweep->sources, 0, sizeof *sweep->sources * n);
}

static void sweep_close(struct sweep *sweep)
{
    free(sweep->active);
    free(sweep->position);
    free(sweep->sources);
    free(sweep->holder);
}

/* Between two events all values have the same holders. */
static void sweep_values(
        struct walker *w, struct events *events, size_t first, size_t n, sator_int times)
{
    struct sweep sweep;

    sweep_open(&sweep, n);
    qsort(events->event, events->n, sizeof *events->event, by_place);
    for (size_t e = 0; e < events->n && w->st == SATOR_OK;) {
        const struct event *here = &events->event[e];
        for (; e < events->n && by_place(here, &events->event[e]) == 0; e++)
            apply(&sweep, &events->event[e]);
        if (sweep.n_active == 0)
            continue;
        for (size_t a = 0; a < sweep.n_active; a++) {
            size_t c = sweep.active[a];
            sweep.holder[a] = (struct tiled_holder){cell_at(w, first + c)->pe, sweep.sources[c]};
        }
        sator_int values = events->event[e].place - here->place; /* what is held ends further on */
        w->st = sator_work(w->q->ctx, sweep.n_active);
        add_holders(w, times * values, sweep.n_active, sweep.holder);
    }
    sweep_close(&sweep);
}

/* A part whose indices slide: the numbers of all cells and their sources against each other. */
static void emit_sets(struct walker *w, size_t first, size_t n, sator_int times)
{
    struct events events = {0};
    bool fits = true;

    for (size_t c = 0; c < n && fits; c++) {
        const struct cell *cell = cell_at(w, first + c);
        fits = add_events(w, &events, cell->shape, cell->base, c, -1);
        for (uint64_t rest = cell->sources; rest != 0 && fits; rest &= rest - 1) {
            int s = __builtin_ctzll(rest);
            fits = add_events(
                    w, &events, cell->source[s].shape, cell->base + cell->source[s].distance, c, s);
        }
    }
    if (fits) {
        sweep_values(w, &events, first, n, times);
    } else {
        w->reason = "an index takes values with too many gaps";
        w->st = SATOR_DECLINED;
    }
    free(events.event);
}

static int64_t tile_size(struct walker *w, const struct cell *cell)
{
    int64_t lead, size = 1;

    if (!w->part->is_indexed)
        return 1;
    if (!w->part->is_named) {
        const struct sator_value_set *set =
                tiled_sets_find(w->sets, cell->shape, cell->base, &lead);
        if (set != NULL)
            return sator_value_set_size(set);
        w->reason = "an index takes values with too many gaps";
        w->st = SATOR_DECLINED;
        return 0;
    }
    for (int i = 0; i < w->part->n_loops; i++)
        size *= tiled_shape_size(w->q->nest, w->part->loop[i], cell->shape[i]);
    return size;
}

/* Walked: "n" cells in each of "times" time-stamps. */
static void emit(struct walker *w, size_t first, size_t n, sator_int times)
{
    bool is_one = n == 1 && cell_at(w, first)->sources == 0;

    for (size_t c = first; c < first + n && w->most != NULL; c++) {
        int64_t size = tile_size(w, cell_at(w, c));
        *w->most = size > *w->most ? size : *w->most;
    }
    if (w->most != NULL || w->st != SATOR_OK)
        return;
    if (w->part->is_named || is_one)
        times *= tile_size(w, cell_at(w, first));
    if (!w->part->is_indexed || w->part->is_named || is_one)
        emit_alike(w, first, n, times);
    else
        emit_sets(w, first, n, times);
}

static enum sator_status run(struct walker *w, const char **reason)
{
    const struct tiled_question *q = w->q;

    w->n_stamps = q->n_back + 1 - (q->n_back > 0 && q->pattern[q->n_back - 1] == TILED_NEVER);
    w->cell_size =
            sizeof(struct cell) + sizeof(((struct cell *)0)->source[0]) * (size_t)q->n_sources;
    w->room = 64;
    w->cells = sator_alloc(w->cell_size * w->room);
    w->sets = tiled_sets_new(q->nest, w->part);
    memset(w->cells, 0, w->cell_size);
    for (int s = 0; s < q->n_sources; s++) {
        if (q->source[s].back < w->n_stamps)
            cell_at(w, 0)->sources |= UINT64_C(1) << s;
    }
    walk_loop(w, 0, 0, 1, 1);
    free(w->cells);
    tiled_sets_free(w->sets);
    *reason = w->reason;
    return w->st;
}

enum sator_status tiled_walk(const struct tiled_question *question, const struct tiled_part *part,
        struct tiled_tally *tally, const char **reason)
{
    struct walker w = {.q = question, .part = part, .tally = tally};

    return run(&w, reason);
}

enum sator_status tiled_walk_most(const struct tiled_question *question,
        const struct tiled_part *part, int64_t *most, const char **reason)
{
    struct walker w = {.q = question, .part = part, .most = most};

    return run(&w, reason);
}
