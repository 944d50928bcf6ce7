/* PEs that links do not join (doc/search.md, "Parts of an array").
 *
 * An element of a tensor names the digits of the loops that stand alone in its indices, so the PEs
 * that ever touch it have the same ones of these. Links lead from one of them to another, or bring
 * none of it. Those that links join are a part, and each part brings its elements itself.
 */
#include "mapper/cost/cost.h"

#include <assert.h>

enum {
    MOST_PLACES = 1024 /* PEs that may touch an element; of more nothing is said */
};

/* The digits on rows that links lead along, outermost first. */
struct digits {
    int n;
    struct {
        int row;
        int64_t count;
        int64_t weight; /* in the number of a place; 0: of a loop that stands alone */
    } digit[MAPPER_DIGITS];
    int64_t windows, places; /* products: of loops that index it beside others; of these and those
                                that do not index it */
};

static void list_digits(const struct mapper_access *access, const struct mapper_transfer *t,
        const struct mapper_shape *shape, struct digits *d)
{
    d->n = 0;
    d->windows = d->places = 1;
    for (int pass = 0; pass < 2; pass++) { /* windows first: numbers of places have them inside */
        int at = 0;
        for (int k = 0; k < shape->n_digits; k++) {
            const struct mapper_digit *digit = &shape->digit[k];
            bool indexes = access->relevant >> digit->loop & 1;
            if (digit->row >= t->child_row || !(t->collapsed >> digit->row & 1))
                continue;
            d->digit[at].row = digit->row;
            d->digit[at].count = digit->count;
            if (pass == 0)
                d->digit[at].weight = 0;
            if (indexes == (pass == 0) && !(access->plain >> digit->loop & 1)) {
                d->digit[at].weight = d->places;
                d->places *= digit->count;
                d->windows *= indexes ? digit->count : 1;
            }
            d->n = ++at;
        }
    }
}

/* The place of the same element that is "shift" away from "place", or -1. Rows without digits may
 * get some yet. */
static int neighbour(const struct digits *d, int place, const int64_t *shift)
{
    int64_t result = 0;
    int k = d->n - 1;

    while (k >= 0) {
        int row = d->digit[k].row;
        int64_t inside = 1, at = shift[row];
        int first = k;
        for (; first >= 0 && d->digit[first].row == row; first--) {
            int64_t weight = d->digit[first].weight;
            at += weight == 0 ? 0 : place / weight % d->digit[first].count * inside;
            inside *= d->digit[first].count;
        }
        if (at < 0 || at >= inside)
            return -1;
        for (; k > first; k--) {
            int64_t digit = at % d->digit[k].count;
            if (d->digit[k].weight == 0 && digit != 0)
                return -1;
            result += digit * d->digit[k].weight;
            at /= d->digit[k].count;
        }
    }
    return (int)result;
}

static int root_of(int *leader, int place)
{
    while (leader[place] != place)
        place = leader[place] = leader[leader[place]];
    return place;
}

/* The parts that have all values of the windows. */
static int64_t count_parts(const struct mapper_transfer *t, const struct digits *d)
{
    int leader[MOST_PLACES], seen[MOST_PLACES], last[MOST_PLACES], n = (int)d->places;
    int64_t parts = 0;

    for (int i = 0; i < n; i++) {
        leader[i] = i;
        seen[i] = 0;
        last[i] = -1;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < t->n_passes; k++) {
            int other = neighbour(d, i, t->passes[k].shift);
            if (other >= 0)
                leader[root_of(leader, i)] = root_of(leader, other);
        }
    }
    int windows = (int)d->windows;
    for (int window = 0; window < windows; window++) {
        for (int i = window; i < n; i += windows) {
            int root = root_of(leader, i);
            if (last[root] != window)
                parts += ++seen[root] == windows;
            last[root] = window;
        }
    }
    return parts > 1 ? parts : 1;
}

int64_t sator_mapper_parts(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, int transfer)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    int64_t key[2 + MAPPER_DIGITS];
    struct digits d;
    bool is_new;
    int at = 0;

    if (!t->is_complex || t->links_alone == NULL || problem->imperfect || problem->in_hull ||
            access->may_be_empty)
        return 1;
    if (shape->in_any_order)
        return shape->parts != NULL ? shape->parts[transfer] : 1;
    list_digits(access, t, shape, &d);
    if (d.places == d.windows || d.places > MOST_PLACES)
        return 1;
    key[at++] = -1 - 2 * MAPPER_TRANSFERS - transfer; /* below those of all walks */
    key[at++] = d.windows;
    for (int k = 0; k < d.n; k++) {
        int64_t kind = d.digit[k].weight == 0 ? 0 : d.digit[k].weight < d.windows ? 1 : 2;
        key[at++] = (d.digit[k].count * 3 + kind) * MAPPER_ROWS + d.digit[k].row;
    }
    int64_t *parts = sator_mapper_words_place(words, key, at, &is_new);
    if (is_new)
        *parts = count_parts(t, &d);
    return *parts;
}
