/* The smallest PEs of crossing buses. */
#include "count/listed/crossing.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    NOTHING = -1, /* a place before all rows */
    NEVER = 127, /* a place after all rows */
    NO_PART = -128, /* less than any place */
    MOST_CLASSES = SATOR_ROOM(4096, 4)
};

/* ---- classes ---- */

static bool same(const struct listed_prospects *a, const struct listed_prospects *b)
{
    return a->met == b->met && a->settled == b->settled && a->place == b->place &&
            a->other_place == b->other_place && a->change == b->change &&
            a->other_change == b->other_change;
}

static const struct sator_decline *add_class(struct sator_arena *arena,
        const struct listed_prospects *prospects, sator_int count, struct listed_crossing *crossing)
{
    for (int i = 0; i < crossing->n; i++) {
        if (same(&crossing->list[i].prospects, prospects)) {
            crossing->list[i].count += count;
            return NULL;
        }
    }
    if (crossing->n == MOST_CLASSES)
        return DECLINE("the smallest PEs of crossing buses are found in too many ways");
    struct listed_crossing_class class = {.prospects = *prospects, .count = count};
    SATOR_PUSH(arena, crossing->list, crossing->n, class);
    return NULL;
}

static int8_t greater(int8_t a, int8_t b)
{
    int8_t more = b;
    if (a > b)
        more = a;
    return more;
}

static struct listed_prospects join(
        const struct listed_prospects *a, const struct listed_prospects *b)
{
    const struct listed_prospects *top = a->place >= b->place ? a : b;
    const struct listed_prospects *rest = top == a ? b : a;
    return (struct listed_prospects){.met = a->met && b->met,
            .settled = a->settled || b->settled,
            .place = top->place,
            .change = top->change,
            .other_place = greater(top->other_place, rest->place),
            .other_change = greater(top->other_change, greater(rest->change, rest->other_change))};
}

const struct sator_decline *listed_crossing_multiply(struct sator_arena *arena,
        const struct listed_crossing *a, const struct listed_crossing *b,
        struct listed_crossing *product)
{
    const struct sator_decline *why = NULL;
    *product = (struct listed_crossing){.n = 0};
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n && why == NULL; j++) {
            struct listed_prospects both = join(&a->list[i].prospects, &b->list[j].prospects);
            why = add_class(arena, &both, a->list[i].count * b->list[j].count, product);
        }
    }
    return why;
}

/* Something stays on the bus if the smallest PE of a group does that is settled in some part; or if
 * in one part the smallest PE without source does, its place after those of the other parts. */
sator_int listed_crossing_count(const struct listed_crossing *crossing)
{
    sator_int sum = 0;
    for (int i = 0; i < crossing->n; i++) {
        const struct listed_prospects *p = &crossing->list[i].prospects;
        bool stays =
                (p->met && p->settled) || p->change > p->other_place || p->other_change > p->place;
        sum += stays ? crossing->list[i].count : 0;
    }
    return sum;
}

/* ---- one part ---- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By element, first bus, PE. */
static int by_first_bus(const void *a, const void *b)
{
    const struct listed_candidate *x = a;
    const struct listed_candidate *y = b;
    int order = compare(x->element, y->element);
    if (order == 0)
        order = compare(x->first, y->first);
    return order != 0 ? order : compare(x->pe, y->pe);
}

/* That a group's smallest PE (of those without source, if "changes") is on a second bus. */
struct stay {
    uint64_t element;
    uint32_t bus;
    bool changes, settled;
    int8_t place;
};

static int by_second_bus(const void *a, const void *b)
{
    const struct stay *x = a;
    const struct stay *y = b;
    int order = compare(x->element, y->element);
    return order != 0 ? order : compare(x->bus, y->bus);
}

/* The row of space in which two PEs differ first. */
static int8_t place_of(
        const struct listed_list *list, const int8_t *place, uint32_t pe, uint32_t other)
{
    int i = 0;
    while (list->pe_code[pe] / list->pe.stride[i] == list->pe_code[other] / list->pe.stride[i])
        i++;
    return place[i];
}

/* The stays of all groups, at most two each. */
static int64_t find_stays(const struct listed_list *list, const int8_t *place, int64_t n,
        const struct listed_candidate *candidate, struct stay *stay)
{
    int64_t n_stays = 0;
    for (int64_t i = 0; i < n;) {
        const struct listed_candidate *least = &candidate[i];
        const struct listed_candidate *fresh = NULL; /* the smallest without source */
        for (; i < n && candidate[i].element == least->element &&
                candidate[i].first == least->first;
                i++) {
            if (fresh == NULL && !candidate[i].has_source)
                fresh = &candidate[i];
        }
        struct stay one = {.element = least->element,
                .bus = least->second,
                .settled = fresh == least,
                .place = NOTHING};
        if (fresh != NULL && fresh != least)
            one.place = place_of(list, place, least->pe, fresh->pe);
        stay[n_stays++] = one;
        if (one.place == NOTHING)
            continue;
        one.bus = fresh->second;
        one.changes = true;
        stay[n_stays++] = one;
    }
    return n_stays;
}

const struct sator_decline *listed_crossing_add(struct sator_arena *arena,
        const struct listed_list *list, const int8_t *place, int64_t n,
        struct listed_candidate *candidate, struct listed_crossing *crossing)
{
    struct stay *stay = sator_alloc(sizeof *stay * (size_t)(2 * n + 1));
    const struct sator_decline *why = NULL;
    qsort(candidate, (size_t)n, sizeof *candidate, by_first_bus);
    int64_t n_stays = find_stays(list, place, n, candidate, stay);
    qsort(stay, (size_t)n_stays, sizeof *stay, by_second_bus);
    for (int64_t i = 0; i < n_stays && why == NULL;) {
        struct listed_prospects prospects = {
                .place = NEVER, .other_place = NO_PART, .change = NO_PART, .other_change = NO_PART};
        const struct stay *first = &stay[i];
        for (; i < n_stays && by_second_bus(first, &stay[i]) == 0; i++) {
            if (stay[i].changes) {
                prospects.change = greater(prospects.change, stay[i].place);
                continue;
            }
            prospects.met = true;
            prospects.settled |= stay[i].settled;
            if (!stay[i].settled && stay[i].place < prospects.place)
                prospects.place = stay[i].place;
        }
        why = add_class(arena, &prospects, 1, crossing);
    }
    free(stay);
    return why;
}
