/* What a transfer without links moves, by products: where no index or loop joins two sets of
 * digits, the pairs of a stamp are the product of the sets' own pairs, and so are those
 * that were held before or will be held after. Each set is listed for itself, which is short
 * (doc/counting.md, "Lists", has the idea).
 */
#include "model/timing_nest.h"

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

/* The pairs, and those that are left out, of each place (an instance or a holder) of a part. */
struct share {
    int64_t place, all, out;
};
struct shares {
    int n;
    struct share *list;
    bool are_alike; /* but for the place */
};

/* What a part says of a stamp and the one before: these depend on which digits are there in each,
 * and on how far the digits that they fix are apart. */
struct step {
    int64_t *key;
    struct shares sent, arrived; /* in the stamp */
    struct shares taken; /* the same as sent, to those alone that take up old sums */
    struct shares stored; /* of the one before */
    struct shares started; /* in the stamp, where nobody had its elements: left out are sums that
                              start from zero */
    bool is_even; /* several families of buses are like one */
};

struct part {
    int n_digits;
    int digits[NEST_DIGITS];
    uint64_t loops;
    int n_steps;
    struct step *steps;
};

struct parts {
    const struct nest *nest;
    const struct timing_transfer *transfer;
    const struct nest_access *access;
    const struct sator_piece *piece;
    struct sator_arena *arena; /* of the pairs that are being listed */
    bool fits, is_output;
    bool is_one_sum; /* each element is one sum in a stamp: instances that hold it share a tree */
    int n_fixed;
    int64_t constant, holder_constant; /* the first place */
    bool keeps[NEST_DIGITS]; /* space dimensions that tell buses apart */
    int64_t shape_below[NEST_DIGITS], holder_below[NEST_DIGITS]; /* what one step there adds */
    int n;
    struct part part[NEST_DIGITS];
};

/* ---- taking apart ---- */

static int find_set(int *set, int i)
{
    while (set[i] != i)
        i = set[i];
    return i;
}

static void join(int *set, int a, int b)
{
    set[find_set(set, a)] = find_set(set, b);
}

static bool is_fixed(const struct parts *p, int digit)
{
    int order = p->nest->digits[digit].order;

    return order >= 0 && order < p->n_fixed;
}

static bool has_weight(const struct parts *p, int digit)
{
    for (int d = 0; d < p->transfer->n_space; d++) {
        if (p->nest->space_factor[d * NEST_DIGITS + digit] != 0)
            return true;
    }
    return false;
}

/* Sets of loops that belong together: those of an index. What digits of one space dimension stand
 * for adds up and is a number apart for all their values, as that of different dimensions is. */
static void make_sets(const struct parts *p, int *set)
{
    const struct nest *nest = p->nest;
    int n_out = p->nest->timing->analysis->workload->accesses[p->transfer->access].relation->n_out;

    for (int i = 0; i < nest->n_loops; i++)
        set[i] = i;
    for (int d = 0; d < n_out; d++) {
        const struct sator_expr *index = p->piece->out[d];
        for (int t = 1; t < index->n_terms; t++)
            join(set, index->terms[t].var, index->terms[0].var);
    }
}

static void make_parts(struct parts *p)
{
    const struct nest *nest = p->nest;
    int set[NEST_DIGITS], number[NEST_DIGITS];

    make_sets(p, set);
    for (int i = 0; i < NEST_DIGITS; i++)
        number[i] = -1;
    for (int l = 0; l < nest->n_loops; l++) {
        bool matters = p->access->uses[l];
        for (int i = 0; i < nest->n_digits; i++)
            matters |= nest->digits[i].loop == l && has_weight(p, i);
        if (!matters)
            continue;
        int root = find_set(set, l);
        if (number[root] < 0) {
            number[root] = p->n++;
            p->part[number[root]] = (struct part){0};
        }
        struct part *part = &p->part[number[root]];
        part->loops |= UINT64_C(1) << l;
        for (int i = 0; i < nest->n_digits; i++) {
            if (nest->digits[i].loop == l && !is_fixed(p, i) &&
                    (p->access->uses[l] || has_weight(p, i)))
                part->digits[part->n_digits++] = i;
        }
    }
}

bool nest_read_bus(const struct timing_transfer *transfer, bool *keeps)
{
    const struct sator_transport *transport = &transfer->transport;

    for (int d = 0; d < transfer->n_space; d++)
        keeps[d] = transport->n_buses == 0;
    for (int b = 0; b < transport->n_buses; b++) {
        const struct sator_relation *map = transport->buses[b];
        bool own[NEST_DIGITS] = {false};
        for (int o = 0; o < map->n_out; o++) {
            const struct sator_expr *out = map->pieces[0].out[o];
            if (out->n_terms == 0)
                continue;
            if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR ||
                    out->terms[0].factor != 1)
                return false;
            own[out->terms[0].var] = true;
        }
        for (int d = 0; d < transfer->n_space; d++)
            keeps[d] = own[d] && (b == 0 || keeps[d]);
    }
    return true;
}

/* ---- listing a part ---- */

struct lister {
    struct parts *p;
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
    SATOR_PUSH(l->p->arena, l->pairs->list, l->pairs->n, local);
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
static bool list_part(struct parts *p, const struct part *part, const struct nest_stamp *stamp,
        struct pairs *pairs)
{
    struct lister l = {.p = p, .part = part, .pairs = pairs};
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

/* Of the instances that take up old sums. */
static struct shares tally_taken(
        struct sator_arena *arena, struct sator_arena *lists, const struct pairs *pairs)
{
    struct pairs taken = {0};

    for (int i = 0; i < pairs->n; i++) {
        if (!pairs->list[i].is_other)
            SATOR_PUSH(lists, taken.list, taken.n, pairs->list[i]);
    }
    return tally_pairs(arena, &taken, BY_HOLDER_SENT);
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

/* ---- progressions ---- */

/* Elements low, low + step, .. high. */
struct progression {
    int64_t low, high, step;
};

static int64_t progression_size(const struct progression *p)
{
    return p->high < p->low ? 0 : (p->high - p->low) / p->step + 1;
}

/* Whether the digits of "loop" that are not fixed make all values from 0 on: how many. */
static bool make_range(const struct parts *p, const struct nest_stamp *stamp, int loop)
{
    const struct nest *nest = p->nest;
    int64_t stride = 1;

    for (int i = 0; i < nest->n_digits;) { /* from the finest on */
        const struct nest_digit *digit = &nest->digits[i];
        if (digit->loop != loop || is_fixed(p, i) || digit->stride != stride ||
                digit->extent == 1) {
            i++;
            continue;
        }
        stride *= digit->extent;
        i = 0;
    }
    return nest_room(nest, p->n_fixed, stamp, loop) < stride;
}

/* Add the values of a loop, "factor" times each; false: the sums are no progression. */
static bool add_values(struct progression *all, int64_t base, int64_t room, int64_t factor)
{
    int64_t size = progression_size(all), step = llabs(factor);

    all->low += factor * (factor < 0 ? base + room : base);
    all->high += factor * (factor < 0 ? base : base + room);
    if (room == 0 || factor == 0)
        return true;
    if (size == 1)
        all->step = step;
    return step % all->step == 0 && step / all->step <= size;
}

/* The part's elements in "stamp" as a progression, where none of its digits tells PEs apart: loops
 * with small factors come first, as those of a window do. */
static bool find_progression(const struct parts *p, const struct part *part,
        const struct nest_stamp *stamp, struct progression *all)
{
    const struct nest *nest = p->nest;
    uint64_t left = part->loops;

    *all = (struct progression){0, 0, 1};
    while (left != 0) {
        int least = -1;
        for (int l = 0; l < nest->n_loops; l++) {
            if ((left >> l & 1) != 0 &&
                    (least < 0 || llabs(p->access->factor[l]) < llabs(p->access->factor[least])))
                least = l;
        }
        left &= ~(UINT64_C(1) << least);
        if (!make_range(p, stamp, least) ||
                !add_values(all, nest_fixed_part(nest, p->n_fixed, stamp, least),
                        nest_room(nest, p->n_fixed, stamp, least), p->access->factor[least]))
            return false;
    }
    return true;
}

static struct shares share_of(struct sator_arena *arena, int64_t all, int64_t out)
{
    struct shares shares = {.are_alike = true};

    SATOR_PUSH(arena, shares.list, shares.n, ((struct share){0, all, out}));
    return shares;
}

/* What a part without space digits says of two stamps, without a list. */
static bool find_simple_step(struct parts *p, const struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp, struct step *step)
{
    struct sator_arena *arena = p->nest->timing->arena;
    struct progression first, second, both;
    int64_t common = 0;

    for (int i = 0; i < part->n_digits; i++) {
        if (has_weight(p, part->digits[i]))
            return false;
    }
    if ((before != NULL && !find_progression(p, part, before, &first)) ||
            (stamp != NULL && !find_progression(p, part, stamp, &second)))
        return false;
    if (before != NULL && stamp != NULL) {
        bool is_wide = progression_size(&first) > 1 && progression_size(&second) > 1;
        if (is_wide && first.step != second.step)
            return false;
        both = progression_size(&first) > 1 ? first : second;
        both.low = first.low > second.low ? first.low : second.low;
        both.high = first.high < second.high ? first.high : second.high;
        common = (first.low - second.low) % both.step == 0 ? progression_size(&both) : 0;
    }
    if (before != NULL)
        step->stored = share_of(arena, progression_size(&first), common);
    if (stamp != NULL) {
        step->sent = step->arrived = step->taken =
                share_of(arena, progression_size(&second), common);
        step->started = share_of(arena, progression_size(&second), progression_size(&second));
    }
    step->is_even = true;
    return true;
}

/* ---- steps ---- */

static void write_key(const struct parts *p, const struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp, int64_t *key)
{
    const struct nest *nest = p->nest;
    int n = 0;

    for (int l = 0; l < nest->n_loops; l++) {
        if ((part->loops >> l & 1) == 0)
            continue;
        key[n++] = before == NULL ? -1 : nest_room(nest, p->n_fixed, before, l);
        key[n++] = stamp == NULL ? -1 : nest_room(nest, p->n_fixed, stamp, l);
        key[n++] = before == NULL || stamp == NULL ? 0
                                                   : nest_fixed_part(nest, p->n_fixed, stamp, l) -
                        nest_fixed_part(nest, p->n_fixed, before, l);
    }
}

/* What "part" says of "stamp" (NULL: none) and the one before; NULL: it has too many pairs. */
static const struct step *find_step(struct parts *p, struct part *part,
        const struct nest_stamp *before, const struct nest_stamp *stamp)
{
    struct sator_arena *arena = p->nest->timing->arena;
    size_t bytes = 3 * sizeof(int64_t) * (size_t)__builtin_popcountll(part->loops);
    int64_t key[3 * NEST_DIGITS];
    struct pairs first, second;
    struct step made;

    write_key(p, part, before, stamp, key);
    for (int i = 0; i < part->n_steps; i++) {
        if (memcmp(part->steps[i].key, key, bytes) == 0)
            return &part->steps[i];
    }
    made = (struct step){.key = sator_arena_copy(arena, key, bytes)};
    if (find_simple_step(p, part, before, stamp, &made)) {
        SATOR_PUSH(arena, part->steps, part->n_steps, made);
        return &part->steps[part->n_steps - 1];
    }
    p->arena = sator_arena_new();
    bool fits = list_part(p, part, before, &first) && list_part(p, part, stamp, &second);
    if (fits) {
        mark(&second, &first, false);
        mark(&first, &second, true);
        made.sent = tally_pairs(arena, &second, BY_HOLDER_SENT);
        made.arrived = tally_pairs(arena, &second, BY_INSTANCE);
        made.stored = tally_pairs(arena, &first, BY_HOLDER_STORED);
        made.is_even = is_even(p, &first) && is_even(p, &second);
        if (p->transfer->late_time > 0)
            made.taken = tally_taken(arena, p->arena, &second);
        if (p->is_output && !p->is_one_sum)
            made.started = tally_started(arena, &second);
        SATOR_PUSH(arena, part->steps, part->n_steps, made);
    }
    sator_arena_free(p->arena);
    return fits ? &part->steps[part->n_steps - 1] : NULL;
}

/* ---- products ---- */

static void multiply(const struct parts *p, const struct shares *const *shares, int k,
        struct share so_far, int64_t stamp, struct timing_moves *moves)
{
    if (k == p->n) {
        timing_moves_add(
                moves, p->nest->timing->arena, stamp, so_far.place, so_far.all - so_far.out);
        return;
    }
    for (int i = 0; i < shares[k]->n; i++) {
        const struct share *own = &shares[k]->list[i];
        multiply(p, shares, k + 1,
                (struct share){
                        so_far.place + own->place, so_far.all * own->all, so_far.out * own->out},
                stamp, moves);
    }
}

/* One row for all places, which are alike. */
static void add_alike(const struct parts *p, const struct shares *const *shares, int64_t place,
        int64_t stamp, struct timing_moves *moves)
{
    struct timing_words row = {.stamp = stamp, .instance = place, .copies = 1, .last = place};
    int64_t all = 1, out = 1;

    for (int k = 0; k < p->n; k++) {
        row.instance += shares[k]->list[0].place;
        row.last += shares[k]->list[shares[k]->n - 1].place;
        row.copies *= shares[k]->n;
        all *= shares[k]->list[0].all;
        out *= shares[k]->list[0].out;
    }
    row.words = all - out;
    row.copies--;
    if (row.words > 0)
        SATOR_PUSH(p->nest->timing->arena, moves->rows, moves->n, row);
}

static void add_products(const struct parts *p, const struct shares *const *shares, bool one_by_one,
        int64_t place, int64_t stamp, struct timing_moves *moves)
{
    bool alike = !one_by_one;

    for (int k = 0; k < p->n; k++)
        alike &= shares[k]->are_alike;
    if (alike)
        add_alike(p, shares, place, stamp, moves);
    else
        multiply(p, shares, 0, (struct share){place, 1, 1}, stamp, moves);
}

/* ---- transfers ---- */

static bool is_one_sum(const struct parts *p)
{
    const struct nest *nest = p->nest;

    for (int i = 0; i < nest->n_digits; i++) {
        for (int d = p->transfer->fresh_space; d < p->transfer->n_space; d++) {
            if (nest_spreads(nest, p->transfer, i) && p->keeps[d] &&
                    nest->space_factor[d * NEST_DIGITS + i] != 0)
                return false;
        }
    }
    return true;
}

/* Whether instances below several of the holder's may start the same sum. */
static bool spreads_over_holders(const struct parts *p)
{
    for (int i = 0; i < p->nest->n_digits; i++) {
        for (int d = p->transfer->fresh_space; d < p->transfer->holder_space; d++) {
            if (nest_spreads(p->nest, p->transfer, i) &&
                    p->nest->space_factor[d * NEST_DIGITS + i] != 0)
                return true;
        }
    }
    return false;
}

static void number_dims(struct parts *p)
{
    const int64_t *shape = p->nest->timing->analysis->shape;
    int64_t radix = 1, holder_radix = 1;

    for (int d = p->transfer->n_space - 1; d >= 0; d--) {
        p->shape_below[d] = radix;
        radix *= shape[d];
        p->holder_below[d] = d < p->transfer->holder_space ? holder_radix : 0;
        holder_radix *= d < p->transfer->holder_space ? shape[d] : 1;
        p->constant += p->nest->space_constant[d] * p->shape_below[d];
        p->holder_constant += p->nest->space_constant[d] * p->holder_below[d];
    }
}

/* Take the pairs of "transfer" apart, once. */
static struct parts *find_parts(const struct nest *nest, const struct timing_transfer *transfer)
{
    struct parts **known = &nest->parts[transfer - nest->timing->transfers];
    const struct sator_access *what = &nest->timing->analysis->workload->accesses[transfer->access];

    if (*known != NULL)
        return *known;
    struct parts *p = *known = SATOR_NEW(nest->timing->arena, struct parts);
    *p = (struct parts){.nest = nest,
            .transfer = transfer,
            .access = &nest->accesses[transfer->access],
            .piece = &what->relation->pieces[0],
            .is_output = what->role == SATOR_WRITE,
            .n_fixed = nest_fixed(nest, transfer->n_time)};
    p->fits = !transfer->is_own && !transfer->limits_wires && transfer->transport.n_links == 0 &&
            !nest_is_full(nest, transfer->n_time) && what->relation->n_pieces == 1 &&
            nest_read_bus(transfer, p->keeps);
    if (p->fits) {
        p->is_one_sum = is_one_sum(p);
        number_dims(p);
        make_parts(p);
    }
    return p;
}

/* What "stamp" takes up, coming from the stamp before, and what leaves that one. */
static bool add_step(struct parts *p, const struct nest_stamp *before,
        const struct nest_stamp *stamp, int64_t x, bool one_by_one,
        struct timing_movement *movement)
{
    const struct shares *sent[NEST_DIGITS], *arrived[NEST_DIGITS], *stored[NEST_DIGITS];
    const struct shares *started[NEST_DIGITS], *taken[NEST_DIGITS];
    enum nest_starts start = p->is_output && stamp != NULL
            ? nest_who_starts(p->nest, p->transfer, p->n_fixed, stamp)
            : NEST_GOES_ON;

    for (int k = 0; k < p->n; k++) {
        const struct step *step = find_step(p, &p->part[k], before, stamp);
        if (step == NULL || !step->is_even)
            return false;
        started[k] = &step->started;
        taken[k] = &step->taken;
        sent[k] = &step->sent;
        arrived[k] = &step->arrived;
        stored[k] = &step->stored;
    }
    if (before != NULL && p->is_output)
        add_products(p, stored, one_by_one, p->holder_constant, x - 1, &movement->stored);
    if (stamp == NULL || (start == NEST_ALL_START && p->is_one_sum))
        return true;
    if (start == NEST_UNKNOWN)
        return false;
    if (start == NEST_OTHERS_START) { /* which send nothing */
        add_products(p, taken, one_by_one, p->holder_constant, x, &movement->sent);
        return p->is_one_sum && p->transfer->arrives.port < 0;
    }
    if (start == NEST_ALL_START) { /* of instances without a common tree the first starts a sum */
        add_products(p, started, one_by_one, p->holder_constant, x, &movement->sent);
        return p->transfer->arrives.port < 0 && !spreads_over_holders(p);
    }
    if (p->is_output && p->transfer->transport.n_buses > 0 && p->transfer->arrives.port >= 0)
        return false; /* one of those on a tree gets the word */
    add_products(p, sent, one_by_one, p->holder_constant, x, &movement->sent);
    if (p->transfer->arrives.port >= 0)
        add_products(p, arrived, one_by_one, p->constant, x, &movement->arrived);
    return true;
}

bool nest_follow_parts(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, bool one_by_one, struct timing_movement *movement)
{
    struct parts *p = find_parts(nest, transfer);
    bool fits = p->fits;

    *movement = (struct timing_movement){0};
    for (int x = 0; x < n && fits; x++)
        fits = add_step(p, x == 0 ? NULL : &stamps[x - 1], &stamps[x], x, one_by_one, movement);
    if (fits && p->is_output) /* nothing is held after the last stamp */
        fits = add_step(p, &stamps[n - 1], NULL, n, one_by_one, movement);
    return fits;
}
