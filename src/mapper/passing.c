/* Words that pass from PE to PE while a sliding index is unrolled (doc/search.md, "Counting").
 *
 * A PE needs value v of its tile fetched unless it held it in the stamp before, or a PE that a link
 * leads from does, or did. Each of these sources is a PE at a constant distance: along a row, whose
 * coordinate is a number of mixed radix with a digit for each loop, a constant distance is one
 * constant per digit for each pattern of carries. Whether a source has the value is then the
 * conjunction, over the indices and the digits, of what each of these alone says: that the value is
 * in a tile moved by a constant, and that the source's digit is one. So for each index the values
 * are counted by the set of sources that it does not rule out, likewise the positions of each
 * digit; the sets of all together are intersections; and a word enters where nothing is left.
 *
 * Buses then spread what is left, family by family: families.c.
 */
#include "mapper/passing.h"

#include "base/checked.h"
#include "base/memo.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIVIDED = 8 /* kinds of values that are remembered of a tile */
};

/* ---- digits ---- */

/* Whether words pass when sliding indices are unrolled over "rows", and any loops over "all". */
static bool pass_over(const struct mapper_transfer *t, unsigned rows, unsigned all)
{
    if ((rows & t->linked_rows) != 0 || (all & t->grouped_rows) != 0)
        return true;
    rows &= t->collapsed;
    for (int k = 0; k < t->n_buses; k++) {
        if ((rows & ~t->bus_rows[k]) == 0)
            return false; /* the others spread words of plain loops, and of those that index none */
    }
    return rows != 0 && t->n_buses > 0;
}

bool sator_mapper_is_passed(const struct mapper_problem *problem,
        const struct mapper_transfer *transfer, const struct mapper_shape *shape)
{
    const struct mapper_access *access = &problem->access[transfer->access];
    unsigned sliding = access->relevant & ~access->plain, rows = 0, all = 0;

    for (int k = 0; k < shape->n_digits && shape->digit[k].row < transfer->child_row; k++) {
        all |= 1U << shape->digit[k].row;
        rows |= sliding >> shape->digit[k].loop & 1 ? 1U << shape->digit[k].row : 0;
    }
    return pass_over(transfer, rows, all);
}

unsigned sator_mapper_passed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    unsigned transfers = 0;

    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        const struct mapper_access *access = &problem->access[t->access];
        unsigned sliding = access->relevant & ~access->plain, rows = 0, all = 0;
        for (int r = 0; r < t->child_row && t->may_pass; r++) {
            for (int l = 0; l < problem->n_loops && problem->row[r].is_space; l++) {
                unsigned here = mapping->factor[r][l] > 1 ? 1U << r : 0;
                all |= here;
                rows |= sliding >> l & 1 ? here : 0;
            }
        }
        transfers |= t->may_pass && pass_over(t, rows, all) ? 1U << i : 0;
    }
    return transfers;
}

bool sator_mapper_passes_directly(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    unsigned direct = 0;

    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        direct |= t->may_pass && t->child == problem->n_memories ? 1U << i : 0;
    }
    return direct != 0 && (sator_mapper_passed(problem, mapping) & direct) != 0;
}

void sator_mapper_walk_digits(struct mapper_walk *walk, const struct mapper_shape *shape)
{
    const struct mapper_access *access = walk->access;

    walk->n_net_digits = 0;
    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        bool moves = access->relevant >> digit->loop & 1;
        if (digit->row >= walk->transfer->child_row || !(walk->shared >> digit->row & 1))
            continue;
        walk->net_digit[walk->n_net_digits++] = (struct mapper_net_digit){.row = digit->row,
                .loop = digit->loop,
                .index = moves ? access->index_of[digit->loop] : -1,
                .count = digit->count,
                .step = access->coef_of[digit->loop] * shape->inside[digit->row + 1][digit->loop]};
    }
}

bool sator_mapper_is_grouped(const struct mapper_walk *walk, int digit)
{
    return walk->n_ways > walk->transfer->n_passes &&
            (walk->transfer->grouped_rows >> walk->net_digit[digit].row & 1);
}

/* ---- sources ---- */

static bool is_plain(const struct mapper_walk *walk, int digit)
{
    int e = walk->net_digit[digit].index;

    return e >= 0 && walk->access->index[e].closed == 1;
}

static bool same_offsets(
        const struct mapper_walk *walk, const struct passing_source *a, const int64_t *offset)
{
    for (int k = 0; k < walk->n_net_digits; k++) {
        if (a->offset[k] != offset[k])
            return false;
    }
    return true;
}

/* Add a source unless it is known, or holds no more than the PE itself did: everything that it
 * holds it holds at all positions of a digit that moves no index. */
static void add_source(struct passing *passing, int interval, const int64_t *offset)
{
    const struct mapper_walk *walk = passing->walk;
    bool moves = false;

    for (int k = 0; k < walk->n_net_digits; k++)
        moves |= walk->net_digit[k].index >= 0 && offset[k] != 0;
    if (interval == 1 && !moves && passing->n_sources > 0)
        return;
    for (int s = 0; s < passing->n_sources; s++) {
        if (passing->source[s].interval == interval &&
                same_offsets(walk, &passing->source[s], offset))
            return;
    }
    struct passing_source *source = &passing->source[passing->n_sources++];
    source->interval = interval;
    memcpy(source->offset, offset, sizeof *offset * (size_t)walk->n_net_digits);
}

/* The sources of "pass": digits from "digit" down to the first, the distance "left" still to go in
 * its row. */
static void expand(struct passing *passing, const struct mapper_pass *pass, int digit, int64_t left,
        int64_t *offset)
{
    const struct mapper_walk *walk = passing->walk;

    if (digit < 0) {
        if (left == 0)
            add_source(passing, pass->interval, offset);
        return;
    }
    const struct mapper_net_digit *here = &walk->net_digit[digit];
    if (digit == walk->n_net_digits - 1 || here[1].row != here->row) { /* a row's last digit */
        if (left != 0)
            return; /* out of the row */
        left = pass->shift[here->row];
    }
    int64_t rest = left % here->count, carry = left / here->count;
    if (rest < 0) {
        rest += here->count;
        carry--;
    }
    for (int k = 0; k < (rest == 0 ? 1 : 2); k++) {
        offset[digit] = rest - k * here->count;
        if (offset[digit] == 0 || !is_plain(walk, digit)) /* else it holds other values */
            expand(passing, pass, digit - 1, carry + k, offset);
    }
}

static bool is_held(const struct passing *passing, int interval)
{
    return interval == 0 || (passing->past->held >> (interval - 1) & 1);
}

static void find_sources(struct passing *passing, int n_links)
{
    const struct mapper_walk *walk = passing->walk;
    const struct mapper_transfer *t = walk->transfer;
    int64_t offset[MAPPER_DIGITS] = {0};
    unsigned rows = 0;

    passing->n_sources = 0;
    for (int k = 0; k < walk->n_net_digits; k++)
        rows |= 1U << walk->net_digit[k].row;
    if (is_held(passing, 1))
        add_source(passing, 1, offset);
    for (int i = 0; i < n_links; i++) {
        const struct mapper_pass *pass = &t->passes[i];
        bool leads_out = pass->is_idle || !is_held(passing, pass->interval);
        for (int r = 0; r < t->child_row; r++)
            leads_out |= pass->shift[r] != 0 && !(rows >> r & 1);
        if (!leads_out)
            expand(passing, pass, walk->n_net_digits - 1, 0, offset);
    }
}

int64_t sator_mapper_passing_reach(const struct passing *passing, int s, int e)
{
    const struct mapper_walk *walk = passing->walk;
    int interval = passing->source[s].interval;
    int64_t reach = interval == 0 ? 0 : passing->past->shift[interval - 1][e];

    for (int k = 0; k < walk->n_net_digits; k++) {
        if (walk->net_digit[k].index == e)
            reach += passing->source[s].offset[k] * walk->net_digit[k].step;
    }
    return reach;
}

bool sator_mapper_passing_moves(const struct passing *passing, int digit)
{
    for (int s = 0; s < passing->n_sources; s++) {
        if (passing->source[s].offset[digit] != 0)
            return true;
    }
    return false;
}

/* ---- counting by sets of sources ---- */

struct part {
    struct passing_set set;
    int64_t count;
};

struct parts {
    int n, room;
    struct part *part;
};

static bool is_empty(const struct passing_set *set)
{
    return (set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3]) == 0;
}

static void add_part(struct parts *parts, const struct passing_set *set, int64_t count)
{
    if (is_empty(set) || count == 0)
        return;
    for (int i = 0; i < parts->n; i++) {
        if (memcmp(&parts->part[i].set, set, sizeof *set) == 0) {
            parts->part[i].count += count;
            return;
        }
    }
    if (parts->n == parts->room) {
        parts->room = parts->room == 0 ? 16 : 2 * parts->room;
        parts->part = sator_realloc(parts->part, sizeof *parts->part * (size_t)parts->room);
    }
    parts->part[parts->n++] = (struct part){*set, count};
}

/* Intersect the sets of "all" with those of "more", which are of something independent. */
static void intersect(struct parts *all, struct parts *more)
{
    struct parts made = {0};

    for (int i = 0; i < all->n; i++) {
        for (int k = 0; k < more->n; k++) {
            struct passing_set set;
            for (int w = 0; w < PASSING_WORDS; w++)
                set.bits[w] = all->part[i].set.bits[w] & more->part[k].set.bits[w];
            add_part(&made, &set, all->part[i].count * more->part[k].count);
        }
    }
    free(all->part);
    *all = made;
    more->n = 0;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Of the places 0 to n - 1, those that each source s does not rule out are from low[s] to high[s] -
 * 1. */
static void add_ranges(const struct passing *passing, int64_t n, const int64_t *low,
        const int64_t *high, struct parts *parts)
{
    int64_t at[2 * MAPPER_SOURCES + 2];
    int count = 0;

    at[count++] = 0;
    at[count++] = n;
    for (int s = 0; s < passing->n_sources; s++) {
        if (low[s] > 0 && low[s] < n)
            at[count++] = low[s];
        if (high[s] > 0 && high[s] < n)
            at[count++] = high[s];
    }
    qsort(at, (size_t)count, sizeof *at, by_number);
    for (int i = 0; i + 1 < count; i++) {
        struct passing_set set = {{0}};
        if (at[i] == at[i + 1])
            continue;
        for (int s = 0; s < passing->n_sources; s++) {
            if (low[s] <= at[i] && at[i] < high[s])
                set.bits[s / 64] |= UINT64_C(1) << s % 64;
        }
        add_part(parts, &set, at[i + 1] - at[i]);
    }
}

/* The first run of "set" of class "class" or a later one. */
static int64_t find_class(const struct sator_value_set *set, int64_t class)
{
    int64_t low = 0, high = set->n_runs;

    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (set->run[middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sator_mapper_holds(const struct sator_value_set *set, int64_t value)
{
    int64_t class = sator_floor_mod(value, set->modulus), place = (value - class) / set->modulus;

    for (int64_t k = find_class(set, class); k < set->n_runs && set->run[k].class == class; k++) {
        if (set->run[k].first <= place && place <= set->run[k].last)
            return true;
    }
    return false;
}

/* A source while the values of a run are divided: the runs of its set that are of the run's class
 * once they are moved, and how far their places then lie. */
struct candidate {
    int source;
    const struct sator_value_run *run;
    int64_t n_runs, lead;
};

/* The sources with values of the run's class. */
static int find_candidates(const struct passing *passing, int e, const struct sator_value_run *run,
        struct candidate *list)
{
    const struct sator_value_set *set = &passing->tile[e];
    int count = 0;

    for (int s = 0; s < passing->n_sources; s++) {
        int64_t value = run->class + sator_mapper_passing_reach(passing, s, e);
        int64_t class = sator_floor_mod(value, set->modulus), at = find_class(set, class);
        struct candidate made = {
                .source = s, .run = set->run + at, .lead = (value - class) / set->modulus};
        while (at + made.n_runs < set->n_runs && made.run[made.n_runs].class == class)
            made.n_runs++;
        if (made.n_runs > 0)
            list[count++] = made;
    }
    return count;
}

static bool holds_place(const struct candidate *candidate, int64_t place)
{
    for (int64_t k = 0; k < candidate->n_runs; k++) {
        if (candidate->run[k].first <= place + candidate->lead &&
                place + candidate->lead <= candidate->run[k].last)
            return true;
    }
    return false;
}

/* Divide the values of the tile at one position by the sources that have them. */
static void add_tile(const struct passing *passing, int e, struct parts *parts)
{
    const struct sator_value_set *tile = &passing->tile[e];
    struct candidate list[MAPPER_SOURCES];

    for (int64_t r = 0; r < tile->n_runs; r++) {
        const struct sator_value_run *run = &tile->run[r];
        int n = find_candidates(passing, e, run, list);
        int64_t n_ends = 2, count = 0;
        for (int i = 0; i < n; i++)
            n_ends += 2 * list[i].n_runs;
        int64_t *at = sator_alloc(sizeof *at * (size_t)n_ends);
        at[count++] = run->first;
        at[count++] = run->last + 1;
        for (int i = 0; i < n; i++) {
            for (int64_t k = 0; k < list[i].n_runs; k++) {
                int64_t first = list[i].run[k].first - list[i].lead;
                int64_t end = list[i].run[k].last - list[i].lead + 1;
                if (first > run->first && first <= run->last)
                    at[count++] = first;
                if (end > run->first && end <= run->last)
                    at[count++] = end;
            }
        }
        qsort(at, (size_t)count, sizeof *at, by_number);
        for (int64_t i = 0; i + 1 < count; i++) {
            struct passing_set set = {{0}};
            for (int k = 0; k < n && at[i] < at[i + 1]; k++) {
                int s = list[k].source;
                if (holds_place(&list[k], at[i]))
                    set.bits[s / 64] |= UINT64_C(1) << s % 64;
            }
            add_part(parts, &set, at[i + 1] - at[i]);
        }
        free(at);
    }
}

/* The values of a tile, by the sources that have them: few kinds, mostly. */
struct divided {
    int64_t values;
    int n; /* MOST_DIVIDED + 1: more than there is room for */
    struct part part[MOST_DIVIDED];
};

/* Make the tile of index "e" and divide it, or recall how it was when the sources lay as they do;
 * the number of its values. */
static int64_t divide_tile(struct passing *passing, int e, struct parts *parts)
{
    const struct mapper_walk *walk = passing->walk;
    const struct mapper_index *index = &walk->access->index[e];
    const int64_t *tile = walk->steps[e].tile;
    int64_t key[2 + MAPPER_PARTS + MAPPER_SOURCES];
    int at = 0;
    bool is_new;

    key[at++] = walk->transfer->access * MAPPER_INDICES + e;
    key[at++] = passing->n_sources;
    for (int i = 0; i < index->n_parts; i++)
        key[at++] = tile[i];
    for (int s = 0; s < passing->n_sources; s++)
        key[at++] = sator_mapper_passing_reach(passing, s, e);
    struct divided *divided = sator_memo_place(passing->divided, key, (size_t)at, &is_new);
    if (!is_new && divided->n <= MOST_DIVIDED) {
        for (int i = 0; i < divided->n; i++)
            add_part(parts, &divided->part[i].set, divided->part[i].count);
        return divided->values;
    }
    sator_mapper_tile_set(index, tile, tile, &passing->tile[e]);
    add_tile(passing, e, parts);
    divided->values = sator_value_set_size(&passing->tile[e]);
    divided->n = parts->n <= MOST_DIVIDED ? parts->n : MOST_DIVIDED + 1;
    for (int i = 0; i < parts->n && parts->n <= MOST_DIVIDED; i++)
        divided->part[i] = parts->part[i];
    sator_value_set_free(&passing->tile[e]);
    return divided->values;
}

static void add_digit(const struct passing *passing, int k, struct parts *parts)
{
    int64_t n = passing->walk->net_digit[k].count, low[MAPPER_SOURCES], high[MAPPER_SOURCES];

    for (int s = 0; s < passing->n_sources; s++) {
        int64_t offset = passing->source[s].offset[k];
        low[s] = offset > 0 ? offset : 0;
        high[s] = offset < 0 ? n + offset : n;
    }
    add_ranges(passing, n, low, high, parts);
}

/* The words that no source has, where there are no buses; without the plain indices. */
static int64_t count_parts(struct passing *passing)
{
    const struct mapper_walk *walk = passing->walk;
    struct parts all = {0}, more = {0};
    struct passing_set every = {{0}};
    int64_t total = 1, served = 0;

    for (int s = 0; s < passing->n_sources; s++)
        every.bits[s / 64] |= UINT64_C(1) << s % 64;
    add_part(&all, &every, 1);
    for (int e = 0; e < walk->access->n_indices; e++) {
        if (walk->access->index[e].closed == 1)
            continue;
        total *= divide_tile(passing, e, &more);
        intersect(&all, &more);
    }
    for (int k = 0; k < walk->n_net_digits; k++) {
        if (is_plain(walk, k))
            continue;
        total *= walk->net_digit[k].count;
        add_digit(passing, k, &more);
        intersect(&all, &more);
    }
    for (int i = 0; i < all.n; i++)
        served += all.part[i].count;
    free(all.part);
    free(more.part);
    return total - served;
}

/* ---- positions ---- */

/* Replace each of the "n" positions of "list" (TAKE) by those that digit "d" makes of it. */
static struct passing_position *spread_positions(
        const struct passing *passing, int d, struct passing_position *list, int n)
{
    const struct mapper_net_digit *digit = &passing->walk->net_digit[d];
    struct passing_position *longer = sator_alloc(sizeof *list * (size_t)n * (size_t)digit->count);

    for (int i = 0; i < n; i++) {
        for (int64_t k = 0; k < digit->count; k++) {
            struct passing_position *made = &longer[(int64_t)i * digit->count + k];
            *made = list[i];
            made->start += k * digit->step;
            made->digit[d] = k;
            for (int s = 0; s < passing->n_sources; s++) {
                int64_t from = k - passing->source[s].offset[d];
                if (from < 0 || from >= digit->count)
                    made->sources.bits[s / 64] &= ~(UINT64_C(1) << s % 64);
            }
        }
    }
    free(list);
    return longer;
}

struct passing_position *sator_mapper_passing_positions(
        const struct passing *passing, int e, int *count)
{
    const struct mapper_walk *walk = passing->walk;
    struct passing_position *list = sator_alloc(sizeof *list);
    int n = 1;

    memset(list, 0, sizeof *list);
    for (int s = 0; s < passing->n_sources; s++)
        list[0].sources.bits[s / 64] |= UINT64_C(1) << s % 64;
    for (int d = 0; d < walk->n_net_digits; d++) { /* outermost first, so PEs ascend */
        const struct mapper_net_digit *digit = &walk->net_digit[d];
        if (digit->index != e)
            continue;
        list = spread_positions(passing, d, list, n);
        n *= (int)digit->count;
    }
    *count = n;
    return list;
}

/* ---- a stamp ---- */

static int64_t count_entering(
        struct passing *passing, const struct mapper_walk *walk, const struct mapper_past *past)
{
    const struct mapper_access *access = walk->access;
    const struct mapper_transfer *t = walk->transfer;

    passing->walk = walk;
    passing->past = past;
    int n_links = walk->n_ways < t->n_passes ? walk->n_ways : t->n_passes;
    passing->n_families = walk->n_ways - n_links;
    find_sources(passing, n_links);
    if (passing->n_families == 0)
        return count_parts(passing);
    for (int e = 0; e < access->n_indices; e++) {
        const int64_t *tile = walk->steps[e].tile;
        if (access->index[e].closed != 1)
            sator_mapper_tile_set(&access->index[e], tile, tile, &passing->tile[e]);
    }
    int64_t words = sator_mapper_families_count(passing);
    for (int e = 0; e < access->n_indices; e++) {
        if (access->index[e].closed != 1)
            sator_value_set_free(&passing->tile[e]);
    }
    return words;
}

static void *entering_new(const struct mapper_problem *problem)
{
    (void)problem;
    return sator_memo_new(sizeof(int64_t));
}

static void entering_free(void *state)
{
    sator_memo_free(state);
}

/* Room for what is being counted, which is too large for a stack. */
static void *passing_new(const struct mapper_problem *problem)
{
    struct passing *passing = sator_alloc(sizeof *passing);

    (void)problem;
    passing->divided = sator_memo_new(sizeof(struct divided));
    return passing;
}

static void passing_free(void *state)
{
    struct passing *passing = state;

    sator_memo_free(passing->divided);
    free(passing);
}

/* What enters, without the values of plain indices. */
static int64_t entering_sliding(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past)
{
    int64_t key[4 + MAPPER_INDICES * (MAPPER_LATEST + MAPPER_PARTS) + 3 * MAPPER_DIGITS];
    int at = 0;

    key[at++] = walk->number;
    key[at++] = (int64_t)walk->n_ways << MAPPER_LATEST | past->held;
    key[at++] = walk->n_net_digits;
    for (int e = 0; e < walk->access->n_indices; e++) {
        const struct mapper_index *index = &walk->access->index[e];
        if (index->closed == 1)
            continue;
        for (unsigned held = past->held; held != 0; held &= held - 1)
            key[at++] = past->shift[__builtin_ctz(held)][e];
        for (int i = 0; i < index->n_parts; i++)
            key[at++] = walk->steps[e].tile[i];
    }
    for (int k = 0; k < walk->n_net_digits; k++) {
        const struct mapper_net_digit *digit = &walk->net_digit[k];
        bool slides = digit->index >= 0 && !is_plain(walk, k);
        /* which of the others it is, and how far its steps lead, says nothing of the values */
        int kind = slides ? digit->loop : is_plain(walk, k) ? MAPPER_LOOPS : MAPPER_LOOPS + 1;
        key[at++] = digit->row * (MAPPER_LOOPS + 2) + kind;
        key[at++] = digit->count;
        key[at++] = slides ? digit->step : 0;
    }
    struct sator_memo *entering =
            sator_mapper_words_state(words, MAPPER_KEEPS_ENTERING, entering_new, entering_free);
    bool is_new;
    int64_t *value = sator_memo_place(entering, key, (size_t)at, &is_new);
    if (is_new)
        *value = count_entering(
                sator_mapper_words_state(words, MAPPER_KEEPS_PASSING, passing_new, passing_free),
                walk, past);
    return *value;
}

int64_t sator_mapper_entering_each(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift)
{
    struct mapper_past past = {.held = shift != NULL};

    if (shift != NULL)
        memcpy(past.shift[0], shift, sizeof *shift * (size_t)walk->access->n_indices);
    return entering_sliding(words, walk, &past);
}

int64_t sator_mapper_entering_times(const struct mapper_walk *walk)
{
    int64_t plain = 1;

    for (int e = 0; e < walk->access->n_indices; e++)
        plain *= walk->access->index[e].closed == 1 ? walk->group_values[e] : 1;
    for (int k = 0; k < walk->n_net_digits; k++) {
        if (sator_mapper_is_grouped(walk, k) && is_plain(walk, k))
            plain /= walk->net_digit[k].count; /* which are told apart */
    }
    return plain;
}

int64_t sator_mapper_entering(
        struct mapper_words *words, const struct mapper_walk *walk, const int64_t *shift)
{
    return sator_mapper_entering_times(walk) * sator_mapper_entering_each(words, walk, shift);
}

int64_t sator_mapper_entering_after(
        struct mapper_words *words, const struct mapper_walk *walk, const struct mapper_past *past)
{
    return sator_mapper_entering_times(walk) * entering_sliding(words, walk, past);
}
