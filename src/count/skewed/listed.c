/* Windows of a tensor whose indices add loops up: element by element (doc/counting.md, "Windows").
 *
 * An index is a number that several values of its loops' digits make. So an element is touched at c
 * + u, where c is a sum of one time for each index, of those that make its number, and u any sum
 * over the digits of the other loops. Two touches no more than a window apart pass over none: these
 * are joined to spells, in all of whose windows the element is. It enters with its first spell, and
 * with each that begins two windows or more behind the end of the one before.
 */
#include "base/checked.h"
#include "base/context.h"
#include "base/room.h"
#include "count/skewed/windows.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LISTED = SATOR_ROOM(1 << 24, 64), /* values of an index's digits, touches, windows */
    MOST_SPELLS = SATOR_ROOM(1 << 12, 8) /* of one element */
};

/* A time at which a value of an index's digits runs, beside that of all others. */
struct touch {
    int64_t number, at;
};

struct spell {
    int64_t first, last;
};

struct index {
    int n;
    struct touch *touch; /* by number */
    int64_t *at; /* room for the times of an element whose numbers up to this index are chosen */
};

struct listing {
    const struct windows *w;
    int n_indices;
    struct index index[TILED_LOOPS];
    struct spell *others; /* of the sums over digits that name no element */
    int n_others;
    struct spell *spell; /* room for those of an element */
    int64_t first; /* window */
    int64_t *change; /* of the elements held, by window from "first" on */
    int64_t total, fills, elements;
};

static int by_number(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

static int by_first(const void *a, const void *b)
{
    const struct spell *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Join spells that are no more than a window apart; how many are left. */
static int join(struct spell *list, int n, int64_t m)
{
    int kept = 0;

    qsort(list, (size_t)n, sizeof *list, by_first);
    for (int i = 1; i < n; i++) {
        if (list[i].first - list[kept].last > m)
            list[++kept] = list[i];
        else if (list[i].last > list[kept].last)
            list[kept].last = list[i].last;
    }
    return kept + 1;
}

/* ---- what is listed ---- */

/* The spells of the sums over the digits in "others" (bits by digit); false where they are too
 * many. Digits of small weight come first: their sums are runs. */
static bool list_others(struct listing *l, const bool *is_other)
{
    const struct tiled_nest *nest = l->w->nest;
    bool done[TILED_DIGITS] = {false};

    l->others[0] = (struct spell){0, 0};
    l->n_others = 1;
    for (;;) {
        int next = -1;
        for (int d = 0; d < nest->n_digits; d++) {
            if (is_other[d] && !done[d] &&
                    (next < 0 || llabs(l->w->weight[d]) < llabs(l->w->weight[next])))
                next = d;
        }
        if (next < 0)
            return true;
        int64_t weight = l->w->weight[next], size = nest->digit[next].size;
        done[next] = true;
        if (l->n_others == 1 && llabs(weight) <= l->w->m) { /* one spell still */
            *(weight < 0 ? &l->others[0].first : &l->others[0].last) += weight * (size - 1);
            continue;
        }
        if (size > MOST_SPELLS / l->n_others)
            return false;
        for (int64_t v = 1; v < size; v++) {
            for (int i = 0; i < l->n_others; i++)
                l->others[v * l->n_others + i] = (struct spell){
                        l->others[i].first + v * weight, l->others[i].last + v * weight};
        }
        l->n_others = join(l->others, (int)(l->n_others * size), l->w->m);
    }
}

/* The values of the digits of a part's loops; false where they are too many. */
static bool list_index(struct listing *l, const struct tiled_part *part)
{
    const struct tiled_nest *nest = l->w->nest;
    struct index *index = &l->index[l->n_indices++];
    int64_t n = 1;

    *index = (struct index){0};
    for (int d = 0; d < nest->n_digits; d++) {
        for (int i = 0; i < part->n_loops; i++)
            n *= nest->digit[d].loop == part->loop[i] ? nest->digit[d].size : 1;
        if (n > MOST_LISTED)
            return false;
    }
    index->touch = sator_alloc(sizeof *index->touch * (size_t)n);
    index->at = sator_alloc(sizeof *index->at * MOST_SPELLS);
    index->touch[0] = (struct touch){0, 0};
    index->n = 1;
    for (int d = 0; d < nest->n_digits; d++) {
        bool is_own = false;
        for (int i = 0; i < part->n_loops; i++)
            is_own |= nest->digit[d].loop == part->loop[i];
        int before = index->n;
        for (int64_t v = 1; v < nest->digit[d].size && is_own; v++) {
            for (int i = 0; i < before; i++)
                index->touch[index->n++] =
                        (struct touch){index->touch[i].number + v * nest->step[d],
                                index->touch[i].at + v * l->w->weight[d]};
        }
    }
    qsort(index->touch, (size_t)index->n, sizeof *index->touch, by_number);
    return true;
}

/* ---- elements ---- */

static void add_element(struct listing *l, const int64_t *at, int n)
{
    int count = 0;
    int64_t m = l->w->m, before = 0;

    for (int i = 0; i < n; i++) {
        for (int k = 0; k < l->n_others; k++)
            l->spell[count++] =
                    (struct spell){at[i] + l->others[k].first, at[i] + l->others[k].last};
    }
    count = join(l->spell, count, m);
    l->elements++;
    for (int i = 0; i < count; i++) {
        int64_t first = sator_floor_div(l->spell[i].first, m);
        int64_t last = sator_floor_div(l->spell[i].last, m);
        l->fills += i == 0 || first > before + 1;
        l->total += last - first + 1;
        l->change[first - l->first]++;
        l->change[last - l->first + 1]--;
        before = last;
    }
}

/* All elements whose numbers of the indices before "k" are chosen, which run at the "n" times "at";
 * false where one has too many. */
static bool add_elements(struct listing *l, int k, const int64_t *at, int n)
{
    if (k == l->n_indices) {
        add_element(l, at, n);
        return true;
    }
    const struct index *index = &l->index[k];
    for (int i = 0, end; i < index->n; i = end) {
        int count = 0;
        for (end = i; end < index->n && index->touch[end].number == index->touch[i].number; end++) {
            if (count + n > MOST_SPELLS / l->n_others)
                return false;
            for (int j = 0; j < n; j++)
                index->at[count++] = at[j] + index->touch[end].at;
        }
        if (!add_elements(l, k + 1, index->at, count))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static const struct sator_decline *list(struct listing *l)
{
    const struct tiled_nest *nest = l->w->nest;
    bool is_other[TILED_DIGITS];
    int64_t touches = 1;

    for (int d = 0; d < nest->n_digits; d++)
        is_other[d] = true;
    for (int i = 0; i < nest->n_parts; i++) {
        const struct tiled_part *part = &nest->part[i];
        for (int d = 0; d < nest->n_digits && part->is_indexed; d++) {
            for (int k = 0; k < part->n_loops; k++)
                is_other[d] &= nest->digit[d].loop != part->loop[k];
        }
        if (part->is_indexed && !list_index(l, part))
            return DECLINE("an index under windows is too long to be listed");
    }
    if (!list_others(l, is_other))
        return DECLINE("an element under windows has too many spells");
    for (int i = 0; i < l->n_indices; i++) {
        if (l->index[i].n > MOST_LISTED / touches)
            return DECLINE("the touches under windows are too many to be listed");
        touches *= l->index[i].n;
    }
    if (l->n_others > MOST_LISTED / touches)
        return DECLINE("the touches under windows are too many to be listed");
    int64_t row = l->w->row;
    return add_elements(l, 0, &row, 1) ? NULL
                                       : DECLINE("an element under windows has too many spells");
}

const struct sator_decline *windows_list(const struct windows *w, struct windows_counts *counts)
{
    struct listing l = {.w = w, .first = sator_floor_div(w->from, w->m)};
    int64_t n = sator_floor_div(w->from + w->reach, w->m) - l.first + 1, held = 0;

    if (n >= MOST_LISTED)
        return DECLINE("the windows are too many to be listed");
    l.others = sator_alloc(sizeof *l.others * MOST_SPELLS);
    l.spell = sator_alloc(sizeof *l.spell * MOST_SPELLS);
    l.change = sator_alloc(sizeof *l.change * (size_t)(n + 1));
    memset(l.change, 0, sizeof *l.change * (size_t)(n + 1));
    const struct sator_decline *why = list(&l);
    *counts = (struct windows_counts){l.elements, l.total, l.fills, 0};
    for (int64_t i = 0; i < n && why == NULL; i++) {
        held += l.change[i];
        counts->largest = held > counts->largest ? held : counts->largest;
    }
    for (int i = 0; i < l.n_indices; i++) {
        free(l.index[i].touch);
        free(l.index[i].at);
    }
    free(l.others);
    free(l.spell);
    free(l.change);
    return why;
}
