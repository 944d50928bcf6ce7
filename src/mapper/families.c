/* Several families of buses, or links and then buses, over which a sliding index is unrolled.
 *
 * Each family in turn leaves, of the PEs on one of its buses that still need a word, the
 * lexicographically first. Which PEs need a value of an index depends on where the value lies in
 * its window only: values whose PEs lie alike, wherever they do, are one kind, unless buses join
 * only some PEs of a row: then it matters where they lie. A word is a value of
 * each index, so for each combination of kinds the PEs are listed once.
 */
#include "mapper/passing.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMPARED = 32 /* PEs, one by one */
};

/* A PE, as a number whose order is the PEs': a field of bits a digit, the outermost first. */
struct cell {
    uint64_t pe;
    struct passing_set sources; /* that are not ruled out */
};

/* Values, or positions of a digit, that have the same cells but for where these lie. */
struct kind {
    int64_t times;
    uint64_t hash;
    int n_cells;
    size_t first; /* of its cells in the pool */
};

struct kinds {
    int n, room;
    struct kind *kind;
    size_t n_pool, pool_room;
    struct cell *pool;
};

struct families {
    const struct passing *passing;
    int field[MAPPER_DIGITS], width[MAPPER_DIGITS]; /* of a digit's bits; width 0: none */
    int n_bits; /* of all fields */
    uint64_t spread[MAPPER_ROWS]; /* by family, the bits of the digits that its buses lead over */
    /* By family that joins some PEs of its rows: how far a step of a digit leads in the list of the
     * array's PEs. */
    int64_t stride[MAPPER_ROWS][MAPPER_DIGITS];
    int n_factors;
    struct kinds factor[MAPPER_INDICES + MAPPER_DIGITS];
    int64_t repeats; /* of digits that nothing spreads or passes on */
};

static bool is_plain(const struct mapper_walk *walk, int digit)
{
    int e = walk->net_digit[digit].index;

    return e >= 0 && walk->access->index[e].closed == 1;
}

/* How far a step of each digit leads in the list of the PEs of the array of rows "rows". */
static void find_strides(const struct mapper_walk *walk, unsigned rows, int64_t *stride)
{
    const struct mapper_problem *p = walk->problem;
    int64_t of_row = 1;
    int d = walk->n_net_digits - 1;

    for (int r = p->n_rows - 1; r >= 0; r--) {
        int64_t step = of_row;
        for (; d >= 0 && walk->net_digit[d].row >= r; d--) { /* rows ascend */
            bool is_there = walk->net_digit[d].row == r && (rows >> r & 1);
            stride[d] = is_there ? step : 0;
            step *= is_there ? walk->net_digit[d].count : 1;
        }
        of_row *= rows >> r & 1 ? p->row[r].shape : 1;
    }
}

/* Give fields to the digits in which PEs that need a word may differ. A digit that moves no index
 * nor any source makes copies of everything, which a family over its row merges. */
static void set_fields(struct families *f)
{
    const struct mapper_walk *walk = f->passing->walk;
    const struct mapper_transfer *t = walk->transfer;
    int at = 0;

    f->repeats = 1;
    for (int k = 0; k < f->passing->n_families; k++)
        f->spread[k] = 0;
    for (int d = walk->n_net_digits - 1; d >= 0; d--) {
        const struct mapper_net_digit *digit = &walk->net_digit[d];
        bool is_spread = false, is_grouped = sator_mapper_is_grouped(walk, d);
        f->width[d] = 0;
        if (is_plain(walk, d) && !is_grouped)
            continue; /* a word is at one of its positions */
        for (int k = 0; k < f->passing->n_families; k++)
            is_spread |= t->bus_rows[k] >> digit->row & 1;
        if (digit->index < 0 && !is_grouped && !sator_mapper_passing_moves(f->passing, d)) {
            f->repeats *= is_spread ? 1 : digit->count;
            continue;
        }
        f->field[d] = at;
        f->width[d] = 64 - __builtin_clzll((uint64_t)digit->count - 1);
        at += f->width[d];
        for (int k = 0; k < f->passing->n_families; k++) {
            if (t->bus_rows[k] >> digit->row & 1)
                f->spread[k] |= ((UINT64_C(1) << f->width[d]) - 1) << f->field[d];
        }
    }
    f->n_bits = at;
    for (int k = 0; k < f->passing->n_families; k++) {
        if (t->bus_of[k] != NULL)
            find_strides(walk, t->bus_rows[k], f->stride[k]);
    }
}

/* What tells the buses of a family apart, of the one that a PE is on. */
static uint64_t bus_of(const struct families *f, int family, uint64_t pe)
{
    const struct mapper_walk *walk = f->passing->walk;
    const int32_t *bus_of_pe = walk->transfer->bus_of[family];
    uint64_t others = pe & ~f->spread[family];
    int64_t at = 0;

    if (bus_of_pe == NULL)
        return others;
    for (int d = 0; d < walk->n_net_digits; d++) {
        uint64_t mask = (UINT64_C(1) << f->width[d]) - 1;
        at += f->width[d] == 0 ? 0 : f->stride[family][d] * (int64_t)(pe >> f->field[d] & mask);
    }
    return others | (uint64_t)bus_of_pe[at] << f->n_bits;
}

/* ---- kinds ---- */

static struct cell *add_cell(struct kinds *kinds)
{
    if (kinds->n_pool == kinds->pool_room) {
        kinds->pool_room = 2 * kinds->pool_room + 64;
        kinds->pool = sator_realloc(kinds->pool, sizeof *kinds->pool * kinds->pool_room);
    }
    return &kinds->pool[kinds->n_pool++];
}

/* The cells from "first" on are one kind's, for "times" values: a new kind, or one that is known.
 */
static void add_kind(struct kinds *kinds, size_t first, int64_t times)
{
    struct kind made = {.times = times, .n_cells = (int)(kinds->n_pool - first), .first = first};
    const struct cell *cells = kinds->pool + first;

    if (made.n_cells == 0)
        return;
    for (int i = 0; i < made.n_cells; i++) {
        made.hash = (made.hash ^ cells[i].pe) * UINT64_C(0x9e3779b97f4a7c15);
        for (int w = 0; w < PASSING_WORDS; w++)
            made.hash = (made.hash ^ cells[i].sources.bits[w]) * UINT64_C(0xff51afd7ed558ccd);
        made.hash ^= made.hash >> 32;
    }
    for (int k = 0; k < kinds->n; k++) {
        struct kind *known = &kinds->kind[k];
        if (known->hash != made.hash || known->n_cells != made.n_cells ||
                memcmp(kinds->pool + known->first, cells, sizeof *cells * (size_t)made.n_cells) !=
                        0)
            continue;
        known->times += times;
        kinds->n_pool = first;
        return;
    }
    if (kinds->n == kinds->room) {
        kinds->room = 2 * kinds->room + 16;
        kinds->kind = sator_realloc(kinds->kind, sizeof *kinds->kind * (size_t)kinds->room);
    }
    kinds->kind[kinds->n++] = made;
}

/* Move the cells from "first" on so that the least of each digit is 0, where it does not matter
 * where they lie. */
static void move_to_origin(const struct families *f, int e, struct kinds *kinds, size_t first)
{
    const struct mapper_walk *walk = f->passing->walk;
    uint64_t least = 0;

    for (int d = 0; d < walk->n_net_digits; d++) {
        if (walk->net_digit[d].index != e || sator_mapper_is_grouped(walk, d))
            continue;
        uint64_t mask = (UINT64_C(1) << f->width[d]) - 1, low = mask;
        for (size_t i = first; i < kinds->n_pool; i++) {
            uint64_t digit = kinds->pool[i].pe >> f->field[d] & mask;
            low = digit < low ? digit : low;
        }
        least |= low << f->field[d];
    }
    for (size_t i = first; i < kinds->n_pool; i++)
        kinds->pool[i].pe -= least;
}

/* Add the kind of "times" values from "value" on, which lie alike. */
static void add_values(const struct families *f, int e, const struct passing_position *list, int n,
        int64_t value, int64_t times, struct kinds *kinds)
{
    const struct passing *passing = f->passing;
    size_t first = kinds->n_pool;

    for (int i = 0; i < n; i++) {
        int64_t v = value - list[i].start;
        if (!sator_mapper_holds(&passing->tile[e], v))
            continue;
        struct cell *cell = add_cell(kinds);
        *cell = (struct cell){.sources = list[i].sources};
        for (int d = 0; d < passing->walk->n_net_digits; d++) {
            if (passing->walk->net_digit[d].index == e)
                cell->pe |= (uint64_t)list[i].digit[d] << f->field[d];
        }
        for (int s = 0; s < passing->n_sources; s++) {
            bool any = list[i].sources.bits[s / 64] >> s % 64 & 1;
            if (any &&
                    !sator_mapper_holds(
                            &passing->tile[e], v + sator_mapper_passing_reach(passing, s, e)))
                cell->sources.bits[s / 64] &= ~(UINT64_C(1) << s % 64);
        }
    }
    move_to_origin(f, e, kinds, first);
    add_kind(kinds, first, times);
}

/* A value where a run begins, or is over. */
struct run_end {
    int64_t class, place;
};

struct run_ends {
    int64_t n, room;
    struct run_end *end;
};

static int by_place(const void *a, const void *b)
{
    const struct run_end *x = a, *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Add those of "set" moved by "distance". */
static void add_ends(struct run_ends *ends, const struct sator_value_set *set, int64_t distance)
{
    if (ends->n + 2 * set->n_runs > ends->room) {
        ends->room = 2 * (ends->n + 2 * set->n_runs);
        ends->end = sator_realloc(ends->end, sizeof *ends->end * (size_t)ends->room);
    }
    for (int64_t k = 0; k < set->n_runs; k++) {
        const struct sator_value_run *run = &set->run[k];
        int64_t value = run->class + distance, class = sator_floor_mod(value, set->modulus);
        int64_t lead = (value - class) / set->modulus;
        ends->end[ends->n++] = (struct run_end){class, run->first + lead};
        ends->end[ends->n++] = (struct run_end){class, run->last + 1 + lead};
    }
}

/* Between two ends of runs of any position or source, values lie alike. */
static void add_index(const struct families *f, int e, struct kinds *kinds)
{
    const struct passing *passing = f->passing;
    int64_t modulus = passing->tile[e].modulus;
    struct run_ends ends = {.n = 0};
    int n;
    struct passing_position *list = sator_mapper_passing_positions(passing, e, &n);

    for (int i = 0; i < n; i++) {
        add_ends(&ends, &passing->tile[e], list[i].start);
        for (int s = 0; s < passing->n_sources; s++) {
            if (list[i].sources.bits[s / 64] >> s % 64 & 1)
                add_ends(&ends, &passing->tile[e],
                        list[i].start - sator_mapper_passing_reach(passing, s, e));
        }
    }
    qsort(ends.end, (size_t)ends.n, sizeof *ends.end, by_place);
    for (int64_t i = 0; i + 1 < ends.n; i++) {
        const struct run_end *end = &ends.end[i];
        if (end[0].class == end[1].class && end[0].place < end[1].place)
            add_values(f, e, list, n, end->class + modulus * end->place, end[1].place - end->place,
                    kinds);
    }
    free(ends.end);
    free(list);
}

static void add_digit(const struct families *f, int d, struct kinds *kinds)
{
    const struct passing *passing = f->passing;
    int64_t n = passing->walk->net_digit[d].count;

    for (int64_t k = 0; k < n; k++) {
        struct cell *cell = add_cell(kinds);
        *cell = (struct cell){.pe = (uint64_t)k << f->field[d]};
        for (int s = 0; s < passing->n_sources; s++) {
            int64_t from = k - passing->source[s].offset[d];
            if (from >= 0 && from < n)
                cell->sources.bits[s / 64] |= UINT64_C(1) << s % 64;
        }
    }
    add_kind(kinds, 0, 1);
}

/* A digit of a plain index: a word is at one of its positions. */
static void add_plain(const struct families *f, int d, struct kinds *kinds)
{
    for (int64_t k = 0; k < f->passing->walk->net_digit[d].count; k++) {
        size_t first = kinds->n_pool;
        struct cell *cell = add_cell(kinds);
        cell->pe = (uint64_t)k << f->field[d];
        memset(&cell->sources, 0xff, sizeof cell->sources);
        add_kind(kinds, first, 1);
    }
}

/* ---- combinations ---- */

static int by_pe(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Keep, of the PEs on each bus of a family, the first: in place. */
static int keep_first(const struct families *f, int family, uint64_t *pe, int n)
{
    uint64_t(*pair)[2] = sator_alloc(sizeof *pair * (size_t)(n + 1));
    int kept = 0;

    for (int i = 0; i < n; i++) {
        pair[i][0] = bus_of(f, family, pe[i]);
        pair[i][1] = pe[i];
    }
    if (n > MOST_COMPARED)
        qsort(pair, (size_t)n, sizeof *pair, by_pe);
    for (int i = 0; i < n; i++) {
        int k = n > MOST_COMPARED && kept > 0 ? kept - 1 : 0;
        while (k < kept && pair[k][0] != pair[i][0])
            k++;
        if (k == kept)
            memcpy(pair[kept++], pair[i], sizeof *pair);
        else if (pair[i][1] < pair[k][1])
            pair[k][1] = pair[i][1];
    }
    for (int k = 0; k < kept; k++)
        pe[k] = pair[k][1];
    free(pair);
    return kept;
}

/* The words that cross for each value of the kinds chosen, whose PEs are "cells". */
static int64_t count_crossing(const struct families *f, const struct cell *cells, int n)
{
    uint64_t *pe = sator_alloc(sizeof *pe * (size_t)(n + 1));
    int left = 0;

    for (int i = 0; i < n; i++) {
        uint64_t sources = 0;
        for (int w = 0; w < PASSING_WORDS; w++)
            sources |= cells[i].sources.bits[w];
        if (sources == 0)
            pe[left++] = cells[i].pe;
    }
    for (int k = 0; k < f->passing->n_families; k++)
        left = keep_first(f, k, pe, left);
    free(pe);
    return left;
}

/* Choose a kind of each factor from "at" on; "cells" are the PEs of those chosen. */
static int64_t combine(const struct families *f, int at, const struct cell *cells, int n)
{
    int64_t sum = 0;

    if (at == f->n_factors)
        return count_crossing(f, cells, n);
    const struct kinds *kinds = &f->factor[at];
    for (int k = 0; k < kinds->n; k++) {
        const struct kind *kind = &kinds->kind[k];
        struct cell *both = sator_alloc(sizeof *both * (size_t)n * (size_t)kind->n_cells);
        int count = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < kind->n_cells; j++) {
                const struct cell *other = &kinds->pool[kind->first + (size_t)j];
                both[count].pe = cells[i].pe | other->pe;
                for (int w = 0; w < PASSING_WORDS; w++)
                    both[count].sources.bits[w] = cells[i].sources.bits[w] & other->sources.bits[w];
                count++;
            }
        }
        sum += kind->times * combine(f, at + 1, both, count);
        free(both);
    }
    return sum;
}

int64_t sator_mapper_families_count(const struct passing *passing)
{
    const struct mapper_walk *walk = passing->walk;
    struct families f = {.passing = passing};
    struct cell all = {.pe = 0};

    set_fields(&f);
    for (int e = 0; e < walk->access->n_indices; e++) {
        if (walk->access->index[e].closed != 1)
            add_index(&f, e, &f.factor[f.n_factors++]);
    }
    for (int d = 0; d < walk->n_net_digits; d++) {
        if (f.width[d] > 0 && walk->net_digit[d].index < 0)
            add_digit(&f, d, &f.factor[f.n_factors++]);
        else if (f.width[d] > 0 && is_plain(walk, d))
            add_plain(&f, d, &f.factor[f.n_factors++]);
    }
    for (int s = 0; s < passing->n_sources; s++)
        all.sources.bits[s / 64] |= UINT64_C(1) << s % 64;
    int64_t words = f.repeats * combine(&f, 0, &all, 1);
    for (int i = 0; i < f.n_factors; i++) {
        free(f.factor[i].kind);
        free(f.factor[i].pool);
    }
    return words;
}
