/* Walking the digits of a part, outermost first, over all stamps of a pattern of time and all PEs.
 *
 * PEs of one bus and one stamp are walked together, as "cells": a digit that a bus spreads over
 * makes several cells of each, any other digit stands alike in all of them. A cell knows how far it
 * is on the path of the tops, itself and each of its sources, whose digits lie a constant away:
 * those of space by the link's, those of time by the pattern. From one stamp of time to the one
 * before it, the digits outside of the pattern's row stay, that row's goes down by one, and those
 * inside go from 0 to their last values.
 */
#include "count/tiled/walk.h"
#include "base/arena.h"
#include "base/checked.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_CELLS = SATOR_ROOM(1 << 14, 8),
    MOST_CUTS = 16 + 6 * TILED_SOURCES
};

static const struct sator_decline too_many_pes = {"too many PEs share a bus"};

/* Whether the tops' path is still open to a time-stamp, whatever PEs and instances: by stamp of the
 * pattern. */
struct paths {
    bool tight[TILED_BACK + 1];
};

/* Room for one cell more, a copy of cell "from", at "at". */
static struct tiled_cell *copy_cell(struct tiled_walker *w, size_t from, size_t at)
{
    if (at == w->room) {
        w->room *= 2;
        w->cells = sator_realloc(w->cells, w->cell_size * w->room);
    }
    return memcpy(tiled_cell_at(w, at), tiled_cell_at(w, from), w->cell_size);
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

static void relate(const struct tiled_walker *w, const struct tiled_digit *digit,
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
static bool source_value(const struct tiled_walker *w, int d, const struct relation *r, int s,
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
static bool advance(const struct tiled_walker *w, int i, int k, const struct relation *r,
        int64_t value, struct tiled_cell *cell)
{
    const struct tiled_nest *nest = w->q->nest;
    int loop = w->part->loop[i], d = nest->loop[loop].first + k;
    int64_t step = nest->step[d], fixed = nest->digit[d].fixed;

    cell->shape[i] = tiled_shape_next(nest, loop, k, cell->shape[i], value);
    if (cell->shape[i] == TILED_GONE || (fixed >= 0 && value != fixed))
        return false;
    if (w->q->is_spread[d] || w->part->divisor > 1)
        cell->base += step * value;
    if (w->q->is_spread[d] && w->q->width[d] > 0 && (!w->part->is_named || w->q->is_placed[d]))
        cell->pe |= (tiled_bits)value << w->q->field[d];
    for (tiled_bits rest = cell->sources; rest != 0; rest &= rest - 1) {
        int s = tiled_first_bit(rest);
        int64_t other = value;
        bool has = source_value(w, d, r, s, value, &other);
        if (has)
            cell->source[s].shape[i] =
                    tiled_shape_next(nest, loop, k, cell->source[s].shape[i], other);
        if (!has || cell->source[s].shape[i] == TILED_GONE || (fixed >= 0 && other != fixed) ||
                (w->part->is_named && other != value))
            cell->sources &= ~(tiled_bit(s));
        else
            cell->source[s].distance += step * (other - value);
    }
    return true;
}

/* Where, over the values of a digit, cells or their sources change their ways: "cut" ascends from
 * low to high. */
static int find_cuts(const struct tiled_walker *w, int i, int k, const struct relation *r,
        size_t first, size_t n, int64_t *cut)
{
    const struct tiled_nest *nest = w->q->nest;
    int d = nest->loop[w->part->loop[i]].first + k, n_cuts = 0;
    const struct tiled_digit *digit = &nest->digit[d];
    tiled_bits any = 0, tight = 0;
    bool own = false;

    for (size_t c = first; c < first + n; c++) {
        const struct tiled_cell *cell = tiled_cell_at(w, c);
        own |= cell->shape[i] == TILED_TIGHT;
        any |= cell->sources;
        for (tiled_bits rest = cell->sources & ~tight; rest != 0; rest &= rest - 1) {
            int s = tiled_first_bit(rest);
            if (cell->source[s].shape[i] == TILED_TIGHT)
                tight |= tiled_bit(s);
        }
    }
    cut[n_cuts++] = r->low;
    cut[n_cuts++] = r->high;
    for (int t = 0; t < 2 && own; t++)
        cut[n_cuts++] = digit->top + t;
    for (int t = 0; t < 2 && digit->fixed >= 0; t++)
        cut[n_cuts++] = digit->fixed + t;
    for (int j = tight == 0; j < w->n_stamps && digit->kind == TILED_TIME; j++) {
        for (int t = 0; t < 2 && !r->at[j].is_fixed; t++)
            cut[n_cuts++] = digit->top - r->at[j].add + t;
    }
    for (tiled_bits rest = digit->kind == TILED_SPACE ? any : 0; rest != 0; rest &= rest - 1) {
        int s = tiled_first_bit(rest);
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

static void walk(struct tiled_walker *w, int i, int k, size_t first, size_t n,
        const struct paths *paths, sator_int times);

/* Begin loop "i" of the part: all on the path of the tops. */
static void walk_loop(struct tiled_walker *w, int i, size_t first, size_t n, sator_int times)
{
    if (i == w->part->n_loops) {
        tiled_emit(w, first, n, times);
        return;
    }
    uint8_t begin = tiled_shape_begin(w->q->nest, w->part->loop[i]);
    struct paths paths;
    for (int j = 0; j <= TILED_BACK; j++)
        paths.tight[j] = begin == TILED_TIGHT;
    for (size_t c = first; c < first + n; c++) {
        struct tiled_cell *cell = tiled_cell_at(w, c);
        cell->shape[i] = begin;
        for (tiled_bits rest = cell->sources; rest != 0; rest &= rest - 1)
            cell->source[tiled_first_bit(rest)].shape[i] = begin;
    }
    walk(w, i, 0, first, n, &paths, times);
}

/* Walk on with digit "k" at "value" in all cells, "times" such values. */
static void walk_value(struct tiled_walker *w, int i, int k, const struct relation *r,
        int64_t value, size_t first, size_t n, const struct paths *paths, sator_int times)
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

/* Values from "low" up to "high" - 1, which no cell tells apart but for a quotient's remainder, or
 * where they are. */
static void walk_values(struct tiled_walker *w, int i, int k, const struct relation *r, int64_t low,
        int64_t high, size_t first, size_t n, const struct paths *paths, sator_int times)
{
    const struct tiled_nest *nest = w->q->nest;
    int d = nest->loop[w->part->loop[i]].first + k;
    int64_t divisor = w->part->divisor;
    int64_t period = w->q->is_placed[d] ? high - low
            : divisor == 1              ? 1
                                        : divisor / sator_gcd(nest->step[d], divisor);

    for (int64_t v = low; v < high && v < low + period && w->st == SATOR_OK; v++)
        walk_value(w, i, k, r, v, first, n, paths, times * ((high - v + period - 1) / period));
}

/* A digit that a bus spreads over: a cell for each value of each cell. */
static void walk_spread(struct tiled_walker *w, int i, int k, const struct relation *r,
        int64_t *cut, int n_cuts, size_t first, size_t n, const struct paths *paths,
        sator_int times)
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
            if (end - first - n > MOST_CELLS && !nest->is_whole) {
                w->reason = &too_many_pes;
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

static void walk(struct tiled_walker *w, int i, int k, size_t first, size_t n,
        const struct paths *paths, sator_int times)
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
            struct tiled_cell *cell = tiled_cell_at(w, c);
            cell->shape[i] = tiled_shape_pass(nest, loop, k, cell->shape[i]);
            for (tiled_bits rest = cell->sources; rest != 0; rest &= rest - 1) {
                uint8_t *shape = &cell->source[tiled_first_bit(rest)].shape[i];
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
    w->st = tiled_spend(w->q, n);
    if (w->q->is_spread[d] && !w->part->is_named) {
        walk_spread(w, i, k, &r, cut, n_cuts, first, n, paths, times);
        return;
    }
    for (int at = 0; at + 1 < n_cuts; at++)
        walk_values(w, i, k, &r, cut[at], cut[at + 1], first, n, paths, times);
}

static enum sator_status run(struct tiled_walker *w, const struct sator_decline **reason)
{
    const struct tiled_question *q = w->q;

    w->n_stamps = q->n_back + 1 - (q->n_back > 0 && q->pattern[q->n_back - 1] == TILED_NEVER);
    w->cell_size = sizeof(struct tiled_cell) +
            sizeof(((struct tiled_cell *)0)->source[0]) * (size_t)q->n_sources;
    w->cell_size += -w->cell_size % _Alignof(struct tiled_cell);
    w->room = 64;
    w->cells = sator_alloc(w->cell_size * w->room);
    w->sets = tiled_sets_new(q->nest, w->part);
    memset(w->cells, 0, w->cell_size);
    for (int s = 0; s < q->n_sources; s++) {
        struct tiled_cell *cell = tiled_cell_at(w, 0);
        if (q->behind == NULL && q->source[s].back >= w->n_stamps)
            continue;
        cell->sources |= tiled_bit(s);
        cell->source[s].distance = q->behind == NULL ? 0 : -q->behind[s];
    }
    walk_loop(w, 0, 0, 1, 1);
    free(w->cells);
    tiled_sets_free(w->sets);
    *reason = w->st == SATOR_DECLINED && w->reason == NULL
            ? DECLINE("the nest takes too many steps")
            : w->reason;
    return w->st;
}

enum sator_status tiled_walk(const struct tiled_question *question, const struct tiled_part *part,
        struct tiled_tally *tally, const struct sator_decline **reason)
{
    struct tiled_walker w = {.q = question, .part = part, .tally = tally};

    return run(&w, reason);
}

enum sator_status tiled_walk_most(const struct tiled_question *question,
        const struct tiled_part *part, int64_t *most, const struct sator_decline **reason)
{
    struct tiled_walker w = {.q = question, .part = part, .most = most};

    return run(&w, reason);
}
