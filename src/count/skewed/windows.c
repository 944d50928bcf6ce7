/* Windows: a memory whose prefix is floor(R / M), R = L + s.p a skewed row (doc/counting.md,
 * "Windows").
 *
 * R is a sum of weight x digit over the digits of the loops, with all values between the least and
 * the greatest, so that all windows are there. Where no two iterations of the loops that index a
 * tensor touch the same element, an element is touched at c + u: c the sum over the digits of these
 * loops, u any sum over the others' digits, which are runs of numbers with gaps between. It enters
 * the memory in the first window, and again after each gap that passes over a window: a gap of D
 * behind y does if floor((y + D) / M) > floor(y / M) + 1, which depends on y mod M alone. So the
 * fills are a count of sums modulo M.
 */
#include "count/skewed/windows.h"
#include "base/arena.h"
#include "base/checked.h"
#include "base/context.h"
#include "base/room.h"
#include "count/skewed/skewed.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WINDOW = SATOR_ROOM(1 << 21, 16) /* stamps of a window, to list its places */
};

const struct sator_expr *windows_row(
        struct sator_arena *arena, const struct sator_expr *row, int64_t *m)
{
    const struct sator_term *quotient = NULL;
    struct sator_expr whole = *row;

    for (int i = 0; i < row->n_terms; i++) {
        const struct sator_term *term = &row->terms[i];
        if (term->atom != SATOR_ATOM_FLOOR || term->argument->n_terms < 2)
            continue; /* a digit */
        if (quotient != NULL || term->factor != 1)
            return NULL;
        quotient = term;
    }
    if (quotient == NULL)
        return NULL;
    struct sator_term *terms = SATOR_NEW_ARRAY(arena, struct sator_term, row->n_terms);
    whole.n_terms = 0;
    for (int i = 0; i < row->n_terms; i++) {
        if (&row->terms[i] != quotient)
            terms[whole.n_terms++] = row->terms[i];
    }
    whole.terms = terms;
    *m = quotient->divisor;
    return sator_expr_add(arena, quotient->argument, *m, &whole);
}

static void insert(struct weighted_list *list, struct weighted one)
{
    int at = list->n++;

    for (; at > 0 && list->digit[at - 1].weight > one.weight; at--)
        list->digit[at] = list->digit[at - 1];
    list->digit[at] = one;
}

/* The greatest sum; "*dense": all numbers up to it are sums. */
static sator_int reach_of(const struct weighted_list *list, bool *dense)
{
    sator_int reach = 0;

    *dense = true;
    for (int i = 0; i < list->n; i++) {
        *dense &= list->digit[i].weight <= reach + 1;
        reach += (sator_int)list->digit[i].weight * (list->digit[i].size - 1);
    }
    return reach;
}

/* The digits of the row under the quotient, with those that "access" names told apart. */
static const struct sator_decline *read_windows(struct sator_arena *arena,
        const struct sator_stamping *given, const struct sator_relation *access, struct windows *w)
{
    int64_t m;
    const struct sator_expr *sum =
            windows_row(arena, sator_relation_function(given->time)->out[0], &m);
    struct sator_stamping *stamping = SATOR_NEW(arena, struct sator_stamping);
    struct tiled_nest *nest = SATOR_NEW(arena, struct tiled_nest);
    struct tiled_access *added = NULL;
    unsigned named = 0;
    int row = 0;
    bool dense;

    *w = (struct windows){.m = m, .nest = nest};
    *stamping = *given;
    stamping->n_time = 0;
    const struct sator_decline *why = tiled_nest_begin(nest, arena, stamping);
    if (why == NULL)
        why = tiled_nest_add(nest, sum, &row);
    if (why == NULL)
        why = tiled_access_add(nest, access, &added);
    if (why == NULL)
        why = tiled_nest_finish(nest);
    if (why == NULL)
        why = tiled_nest_weigh(nest, row, w->weight);
    if (why == NULL)
        why = tiled_access_finish(nest, added);
    if (why != NULL)
        return why;
    for (int i = 0; i < nest->n_parts; i++) {
        const struct tiled_part *part = &nest->part[i];
        if (part->is_indexed && (part->divisor != 1 || part->n_places != 1))
            return DECLINE("an index under windows is no sum of loops");
        w->is_listed |= part->is_indexed && !part->is_named;
        for (int l = 0; l < part->n_loops && part->is_indexed; l++)
            named |= 1U << part->loop[l];
    }
    w->row = w->from = nest->row[row]->constant;
    w->instances = nest->instances;
    for (int d = 0; d < nest->n_digits; d++) {
        struct weighted one = {w->weight[d], nest->digit[d].size};
        if (nest->loop[nest->digit[d].loop].whole_from > 0 || nest->digit[d].fixed >= 0)
            return DECLINE("tiles under windows are cut short");
        if (one.size == 1)
            continue;
        if (one.weight < 0) { /* counted from its other end */
            int64_t move;
            if (one.weight == INT64_MIN ||
                    __builtin_mul_overflow(one.weight, one.size - 1, &move) ||
                    __builtin_add_overflow(w->from, move, &w->from))
                return DECLINE("a row under windows reaches beyond 64 bits");
            one.weight = -one.weight;
        }
        insert(&w->all, one);
        insert(named >> nest->digit[d].loop & 1 ? &w->named : &w->others, one);
    }
    sator_int reach = reach_of(&w->all, &dense);
    if (reach >= (sator_int)1 << 62)
        return DECLINE("a row under windows reaches beyond 64 bits");
    w->reach = (int64_t)reach;
    return dense ? NULL : DECLINE("a row under windows leaves values out");
}

static int64_t modulo(sator_int value, int64_t m)
{
    int64_t rest = (int64_t)(value % m);

    return rest < 0 ? rest + m : rest;
}

/* "at" + "step" modulo m, both below it. */
static int64_t move(int64_t at, int64_t step, int64_t m)
{
    at += step;
    return at >= m ? at - m : at;
}

/* How many sums there are of each number modulo "m". */
struct sums {
    int64_t m;
    sator_int *at, *scratch;
};

static void begin_sums(struct sums *sums, int64_t m)
{
    sums->m = m;
    sums->at = sator_alloc(sizeof *sums->at * (size_t)m);
    sums->scratch = sator_alloc(sizeof *sums->scratch * (size_t)m);
    memset(sums->at, 0, sizeof *sums->at * (size_t)m);
    sums->at[0] = 1;
}

static void end_sums(struct sums *sums)
{
    free(sums->at);
    free(sums->scratch);
}

/* Add weight x v, v < size, to all sums: along each cycle of steps of the weight, what comes to a
 * number are the last "size" of those before it, all of them as often as they go around. */
static void add_digit(struct sums *sums, struct weighted digit)
{
    int64_t m = sums->m, step = modulo(digit.weight, m), cycle = 1;

    for (int64_t at = step; at != 0; at = move(at, step, m))
        cycle++;
    int64_t around = digit.size / cycle, rest = digit.size % cycle;
    for (int64_t first = 0; first < m / cycle; first++) { /* one of each cycle */
        sator_int all = 0, window = 0;
        int64_t at = first, behind = first;
        for (int64_t i = 0; i < cycle; i++) {
            all += sums->at[at];
            window += i < rest ? sums->at[at] : 0;
            at = move(at, step, m);
        }
        /* "window" ends at the (rest - 1)-th number of the cycle */
        at = modulo(first + (sator_int)step * (rest - 1), m);
        for (int64_t i = 0; i < cycle; i++) {
            sums->scratch[at] = all * around + window;
            at = move(at, step, m);
            window += rest > 0 ? sums->at[at] - sums->at[behind] : 0;
            behind = move(behind, step, m);
        }
    }
    sator_int *swap = sums->at;
    sums->at = sums->scratch;
    sums->scratch = swap;
}

/* The sums which, moved by "shift", are at least "least" modulo m. */
static sator_int sums_from(const struct sums *sums, sator_int shift, int64_t least)
{
    sator_int count = 0;

    int64_t at = modulo(least - shift, sums->m);
    for (int64_t r = least; r < sums->m; r++, at = move(at, 1, sums->m))
        count += sums->at[at];
    return count;
}

/* ---- volumes ---- */

/* Where an element is not touched for a while: the digit that steps, and how far apart the last
 * touch before and the first one after are. */
struct gap {
    struct weighted digit;
    sator_int before, wide; /* the reach of the digits inside of it */
};

/* The gaps of the sums of the other digits, by weight; "*span": from the first to the last. */
static const struct sator_decline *find_gaps(
        const struct weighted_list *others, struct gap *gaps, int *n_gaps, sator_int *span)
{
    *n_gaps = 0;
    *span = 0;
    for (int i = 0; i < others->n; i++) {
        struct weighted digit = others->digit[i];
        bool joins = digit.weight <= *span + (*n_gaps == 0);
        if (joins && *n_gaps > 0 && digit.weight > 0)
            return DECLINE("the touches of an element interleave");
        if (!joins)
            gaps[(*n_gaps)++] = (struct gap){digit, *span, digit.weight - *span};
        *span += (sator_int)digit.weight * (digit.size - 1);
    }
    return NULL;
}

/* Add what the gaps take off the windows touched, and add to the fills. "sums" are those of the
 * elements. */
static void count_gaps(struct sums *sums, const struct windows *w, const struct gap *gaps, int n,
        sator_int elements, sator_int *total, sator_int *fills)
{
    sator_int outside = elements;

    for (int g = n - 1; g >= 0; g--) { /* the outermost first */
        const struct gap *gap = &gaps[g];
        sator_int often = outside * (gap->digit.size - 1), passed = gap->wide / w->m;
        int64_t rest = modulo(gap->wide, w->m);
        if (passed > 0) {
            struct sums here = {.m = w->m};
            begin_sums(&here, w->m);
            memcpy(here.at, sums->at, sizeof *here.at * (size_t)w->m);
            add_digit(&here, (struct weighted){gap->digit.weight, gap->digit.size - 1});
            sator_int more = rest > 0 ? sums_from(&here, w->from + gap->before, w->m - rest) : 0;
            *total -= often * (passed - 1) + more;
            *fills += passed > 1 ? often : more;
            end_sums(&here);
        }
        add_digit(sums, gap->digit);
        outside *= gap->digit.size;
    }
}

static void set_volumes(const struct windows *w, const struct sator_transport *transport,
        sator_int elements, sator_int total, sator_int fills, struct sator_volumes *volumes)
{
    volumes->access = w->instances;
    volumes->total = total;
    volumes->unique = transport->registers ? fills : total;
    volumes->temporal = total - volumes->unique;
    volumes->spatial = 0;
    volumes->footprint = elements;
}

static const struct sator_decline *list_volumes(const struct windows *w,
        const struct sator_transport *transport, struct sator_volumes *volumes)
{
    struct windows_counts counts;
    const struct sator_decline *why = windows_list(w, &counts);

    if (why == NULL)
        set_volumes(w, transport, counts.elements, counts.total, counts.fills, volumes);
    return why;
}

const struct sator_decline *windows_volumes(struct sator_arena *arena,
        const struct sator_stamping *given, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes)
{
    struct windows w;
    struct gap gaps[TILED_DIGITS];
    sator_int span, elements = 1, total, fills;
    struct sums sums;
    int n_gaps;
    const struct sator_decline *why = read_windows(arena, given, access, &w);

    if (why == NULL && (transport->n_links > 0 || transport->n_buses > 0))
        why = DECLINE("windows with links");
    if (why == NULL && w.is_listed)
        return list_volumes(&w, transport, volumes);
    if (why == NULL)
        why = find_gaps(&w.others, gaps, &n_gaps, &span);
    if (why == NULL && w.m > MOST_WINDOW)
        why = DECLINE("windows are too long to list their places");
    if (why != NULL)
        return why;
    begin_sums(&sums, w.m);
    for (int i = 0; i < w.named.n; i++) {
        add_digit(&sums, w.named.digit[i]);
        elements *= w.named.digit[i].size;
    }
    int64_t rest = modulo(span, w.m);
    total = elements * (span / w.m + 1) + (rest > 0 ? sums_from(&sums, w.from, w.m - rest) : 0);
    fills = elements;
    count_gaps(&sums, &w, gaps, n_gaps, elements, &total, &fills);
    end_sums(&sums);
    set_volumes(&w, transport, elements, total, fills, volumes);
    return NULL;
}

/* ---- the largest window ---- */

/* Whether the digits whose weights are whole windows number them; the others to "inner_named" and
 * "inner_others". "*steps": there are any of the former; "*moves": of those that name an element.
 */
static bool split(const struct windows *w, struct weighted_list *inner_named,
        struct weighted_list *inner_others, bool *steps, bool *moves)
{
    const struct weighted_list *lists[2] = {&w->named, &w->others};
    struct weighted_list outer = {0};
    sator_int number = 1;

    *inner_named = *inner_others = (struct weighted_list){0};
    *steps = *moves = false;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < lists[side]->n; i++) {
            struct weighted one = lists[side]->digit[i];
            if (one.weight == 0 || one.weight % w->m != 0) {
                insert(side == 0 ? inner_named : inner_others, one);
                continue;
            }
            insert(&outer, one);
            *steps = true;
            *moves |= side == 0;
        }
    }
    for (int i = 0; i < outer.n; i++) {
        if (outer.digit[i].weight / w->m != number)
            return false;
        number *= outer.digit[i].size;
    }
    return modulo(w->from, w->m) == 0;
}

/* A value of the digits outside has its first stamps in one window, and what its PEs are late in
 * the next: there are the last stamps of the value before, whose elements are others if the step
 * between them moves the tensor. */
const struct sator_decline *windows_tile(struct sator_arena *arena,
        const struct sator_stamping *given, const struct sator_relation *access, sator_int *words)
{
    struct windows w;
    struct weighted_list named, others;
    struct sums sums;
    sator_int early = 0, late = 0, all = 0;
    bool steps, moves, dense;
    const struct sator_decline *why = read_windows(arena, given, access, &w);

    if (why != NULL)
        return why;
    if (w.is_listed) {
        struct windows_counts counts;
        why = windows_list(&w, &counts);
        *words = why == NULL ? counts.largest : 0;
        return why;
    }
    if (!split(&w, &named, &others, &steps, &moves) || w.m > MOST_WINDOW / 2)
        return DECLINE("the digits of a window do not number its stamps");
    sator_int reach = reach_of(&named, &dense), last = reach_of(&others, &dense);
    if (reach + last >= 2 * (sator_int)w.m)
        return DECLINE("a skew is longer than a window");
    begin_sums(&sums, 2 * w.m);
    for (int i = 0; i < named.n; i++)
        add_digit(&sums, named.digit[i]);
    for (int64_t c = 0; c < 2 * w.m; c++) {
        all += sums.at[c];
        early += c < w.m ? sums.at[c] : 0;
        late += c + last >= w.m ? sums.at[c] : 0;
    }
    end_sums(&sums);
    *words = moves ? early + late : steps ? all : early > late ? early : late;
    return NULL;
}
