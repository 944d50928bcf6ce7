/* Parts of products, pair by pair: what one set of digits holds in a stamp and the one before, told
 * apart by instance or holder, and counted. */
#include "model/timing/timing_parts.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOCAL = 1 << 20
};

/* A pair of one part: its instance's share of the number, the holder's, the bus's; the element's.
 */
struct local {
    int64_t holder, bus, element, instance;
    bool before, after; /* held in the stamp before, after */
    bool is_other; /* of an instance that does not take up old sums where others do */
};

/* The pairs of one stamp, by holder, bus, element, instance. */
struct pairs {
    int n;
    struct local *list;
};

/* ---- listing a part ---- */

struct lister {
    struct parts *p;
    struct sator_arena *arena; /* of the pairs */
    const struct part *part;
    struct pairs *pairs;
    int64_t sum[NEST_DIGITS]; /* of each loop */
    int room;
    bool overflows;
};

static void add_local(struct lister *l, struct local local)
{
    const struct nest *nest = l->p->nest;

    for (int i = 0; i < nest->n_loops; i++) {
        if ((l->part->loops >> i & 1) != 0)
            local.element += l->p->access->factor[i] * l->sum[i];
    }
    if (l->pairs->n >= MOST_LOCAL) {
        l->overflows = true;
        return;
    }
    SATOR_PUSH(l->arena, l->pairs->list, l->pairs->n, local);
}

static void list_digit(struct lister *l, int k, struct local local)
{
    const struct parts *p = l->p;

    if (l->overflows)
        return;
    if (k == l->part->n_digits) {
        add_local(l, local);
        return;
    }
    int index = l->part->digits[k];
    const struct nest_digit *digit = &p->nest->digits[index];
    int64_t *sum = &l->sum[digit->loop], before = *sum;
    struct local step = {0};
    for (int d = 0; d < p->transfer->n_space; d++) {
        int64_t factor = p->nest->space_factor[d * NEST_DIGITS + index];
        step.instance += factor * p->shape_below[d];
        step.holder += factor * p->holder_below[d];
        step.bus += p->keeps[d] ? factor * p->shape_below[d] : 0;
    }
    bool is_late = p->is_output && nest_is_late(p->nest, p->transfer, index);
    for (int64_t v = 0; v < digit->extent && *sum < p->nest->size[digit->loop]; v++) {
        list_digit(l, k + 1, local);
        local.is_other |= is_late;
        *sum += digit->stride;
        local.instance += step.instance;
        local.holder += step.holder;
        local.bus += step.bus;
    }
    *sum = before;
}

static int compare_locals(const void *a, const void *b)
{
    const struct local *x = a, *y = b;

    if (x->holder != y->holder)
        return x->holder < y->holder ? -1 : 1;
    if (x->bus != y->bus)
        return x->bus < y->bus ? -1 : 1;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

/* The pairs of "part" in "stamp"; none without one. */
static bool list_part(struct parts *p, struct sator_arena *arena, const struct part *part,
        const struct nest_stamp *stamp, struct pairs *pairs)
{
    struct lister l = {.p = p, .arena = arena, .part = part, .pairs = pairs};
    int n = 0;

    *pairs = (struct pairs){0};
    if (stamp == NULL)
        return true;
    for (int i = 0; i < p->nest->n_loops; i++)
        l.sum[i] = nest_fixed_part(p->nest, p->n_fixed, stamp, i);
    list_digit(&l, 0, (struct local){0});
    if (pairs->n > 0)
        qsort(pairs->list, (size_t)pairs->n, sizeof *pairs->list, compare_locals);
    for (int i = 0; i < pairs->n; i++) {
        if (n == 0 || compare_locals(&pairs->list[n - 1], &pairs->list[i]) != 0)
            pairs->list[n++] = pairs->list[i];
    }
    pairs->n = n;
    return !l.overflows;
}

/* Mark the pairs that "other", of a neighbouring stamp, has too. */
static void mark(struct pairs *pairs, const struct pairs *other, bool after)
{
    for (int i = 0, k = 0; i < pairs->n; i++) {
        while (k < other->n && compare_locals(&other->list[k], &pairs->list[i]) < 0)
            k++;
        *(after ? &pairs->list[i].after : &pairs->list[i].before) =
                k < other->n && compare_locals(&other->list[k], &pairs->list[i]) == 0;
    }
}

/* ---- tallies ---- */

/* How a part's pairs are told apart and counted. */
enum tally {
    BY_INSTANCE, /* pairs; those held before */
    BY_HOLDER_SENT, /* what shares a bus and an element; of these, those held before by all */
    BY_HOLDER_STORED /* the same; of these, those that anybody holds after */
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    return (x->place > y->place) - (x->place < y->place);
}

static bool are_alike(const struct shares *shares)
{
    for (int i = 1; i < shares->n; i++) {
        if (shares->list[i].all != shares->list[0].all ||
                shares->list[i].out != shares->list[0].out)
            return false;
    }
    return shares->n > 0;
}

static bool share_bus(const struct local *a, const struct local *b)
{
    return a->holder == b->holder && a->bus == b->bus && a->element == b->element;
}

static void join_shares(struct shares *shares)
{
    int n = 0;

    if (shares->n > 0)
        qsort(shares->list, (size_t)shares->n, sizeof *shares->list, compare_shares);
    for (int i = 0; i < shares->n; i++) {
        if (n > 0 && shares->list[n - 1].place == shares->list[i].place) {
            shares->list[n - 1].all += shares->list[i].all;
            shares->list[n - 1].out += shares->list[i].out;
        } else {
            shares->list[n++] = shares->list[i];
        }
    }
    shares->n = n;
    shares->are_alike = are_alike(shares);
}

static struct shares tally_pairs(
        struct sator_arena *arena, const struct pairs *pairs, enum tally tally)
{
    struct shares shares = {0};

    for (int i = 0, next; i < pairs->n; i = next) {
        const struct local *first = &pairs->list[i];
        struct share share = {tally == BY_INSTANCE ? first->instance : first->holder, 1, 0};
        bool all_before = first->before, any_after = first->after;
        for (next = i + 1;
                tally != BY_INSTANCE && next < pairs->n && share_bus(first, &pairs->list[next]);
                next++) {
            all_before &= pairs->list[next].before;
            any_after |= pairs->list[next].after;
        }
        share.out = tally == BY_HOLDER_STORED ? any_after : all_before;
        SATOR_PUSH(arena, shares.list, shares.n, share);
    }
    join_shares(&shares);
    return shares;
}

/* Of those that share a tree and an element, one gets the word: the first that had it not before.
 * Where the pair's other parts were not all there before, that is the first of all; else the first
 * that is new here. So each gets all x [it is the first] - out x ([it is the first] - [it is the
 * first new one]), "all" and "out" those of the other parts. */
static struct shares tally_got(struct sator_arena *arena, const struct pairs *pairs)
{
    struct shares shares = {0};

    for (int i = 0, next; i < pairs->n; i = next) {
        const struct local *first = &pairs->list[i];
        int new = -1;
        for (next = i; next < pairs->n && share_bus(first, &pairs->list[next]); next++)
            new = new < 0 && !pairs->list[next].before ? next : new;
        SATOR_PUSH(arena, shares.list, shares.n, ((struct share){first->instance, 1, 1}));
        if (new >= 0)
            SATOR_PUSH(arena, shares.list, shares.n,
                    ((struct share){pairs->list[new].instance, 0, -1}));
    }
    join_shares(&shares);
    return shares;
}

static bool are_shared(const struct pairs *pairs)
{
    for (int i = 1; i < pairs->n; i++) {
        if (share_bus(&pairs->list[i - 1], &pairs->list[i]))
            return true;
    }
    return false;
}

/* Of the instances that take up old sums. */
static void tally_taken(struct sator_arena *arena, struct sator_arena *lists,
        const struct pairs *pairs, struct step *step)
{
    struct pairs taken = {0};

    for (int i = 0; i < pairs->n; i++) {
        if (!pairs->list[i].is_other)
            SATOR_PUSH(lists, taken.list, taken.n, pairs->list[i]);
    }
    step->taken = tally_pairs(arena, &taken, BY_HOLDER_SENT);
    step->taken_got = tally_got(arena, &taken);
}

static int compare_elements(const void *a, const void *b)
{
    const struct local *x = a, *y = b;

    if (x->holder != y->holder)
        return x->holder < y->holder ? -1 : 1;
    return (x->element > y->element) - (x->element < y->element);
}

/* What shares a bus and an element, and left out of these, one of each element. */
static struct shares tally_started(struct sator_arena *arena, struct pairs *pairs)
{
    struct shares shares = {0};

    for (int i = 0; i < pairs->n; i++) {
        if (i == 0 || !share_bus(&pairs->list[i - 1], &pairs->list[i]))
            SATOR_PUSH(arena, shares.list, shares.n, ((struct share){pairs->list[i].holder, 1, 0}));
    }
    if (pairs->n > 0)
        qsort(pairs->list, (size_t)pairs->n, sizeof *pairs->list, compare_elements);
    for (int i = 0; i < pairs->n; i++) {
        if (i == 0 || compare_elements(&pairs->list[i - 1], &pairs->list[i]) != 0)
            SATOR_PUSH(arena, shares.list, shares.n, ((struct share){pairs->list[i].holder, 0, 1}));
    }
    join_shares(&shares);
    return shares;
}

/* The instance's coordinate in dimension "d", as a share of its number. */
static int64_t coordinate(const struct parts *p, int64_t instance, int d)
{
    return instance / p->shape_below[d] % p->nest->timing->analysis->shape[d] * p->shape_below[d];
}

static bool has_instance(const struct local *list, int n, int64_t instance)
{
    int low = 0, high = n - 1;

    while (low < high) {
        int middle = (low + high) / 2;
        if (list[middle].instance < instance)
            low = middle + 1;
        else
            high = middle;
    }
    return list[low].instance == instance;
}

/* Whether "n" instances, in ascending order, are all of a box: what each differs in from the first
 * is there by itself, and all combinations are. */
static bool is_product(const struct parts *p, const struct local *list, int n)
{
    int64_t all = 1;

    for (int d = 0; d < p->transfer->n_space; d++) {
        int64_t along = 0;
        for (int i = 0; i < n; i++) {
            int64_t shifted = list[0].instance - coordinate(p, list[0].instance, d) +
                    coordinate(p, list[i].instance, d);
            if (!has_instance(list, n, shifted))
                return false;
            along += shifted == list[i].instance;
        }
        all *= along;
    }
    return all == n;
}

/* Whether several families of buses do what one would that brings together what any of them does:
 * what then shares a bus is a box of instances, and is held before, or after, by all or none. */
static bool is_even(const struct parts *p, const struct pairs *pairs)
{
    if (p->transfer->transport.n_buses < 2)
        return true;
    for (int i = 0, next; i < pairs->n; i = next) {
        const struct local *first = &pairs->list[i];
        bool alike = true;
        for (next = i + 1; next < pairs->n && share_bus(first, &pairs->list[next]); next++)
            alike &= first->before == pairs->list[next].before &&
                    first->after == pairs->list[next].after;
        if (!alike || !is_product(p, first, next - i))
            return false;
    }
    return true;
}

/* ---- steps ---- */

bool parts_list_step(struct parts *p, const struct part *part, const struct nest_stamp *before,
        const struct nest_stamp *stamp, struct step *step)
{
    struct sator_arena *arena = p->nest->timing->arena, *lists = sator_arena_new();
    struct pairs first, second;
    bool fits =
            list_part(p, lists, part, before, &first) && list_part(p, lists, part, stamp, &second);

    if (fits) {
        mark(&second, &first, false);
        mark(&first, &second, true);
        step->sent = tally_pairs(arena, &second, BY_HOLDER_SENT);
        step->arrived = tally_pairs(arena, &second, BY_INSTANCE);
        step->stored = tally_pairs(arena, &first, BY_HOLDER_STORED);
        step->is_even = is_even(p, &first) && is_even(p, &second);
        step->is_shared = are_shared(&second);
        if (p->is_output)
            step->got = tally_got(arena, &second);
        if (p->transfer->late_time > 0)
            tally_taken(arena, lists, &second, step);
        if (p->is_output && !p->is_one_sum)
            step->started = tally_started(arena, &second);
    }
    sator_arena_free(lists);
    return fits;
}
