/* Orders one by one, where some words have no formula and are counted (cert_walk.c), or time has
 * phases (cert_phases.c). Each order is looked at only as long as it may be below the value that is
 * claimed.
 */
#include "base/memo.h"
#include "base/memory.h"
#include "certificate/cert_leaf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ORDERS = 20000, /* of a part */
    MOST_LOOKS = 1 << 27, /* at words of a part: some seconds */
    ORDER_WORK = 4096 /* about, in looks */
};

struct orders {
    struct cert_leaf *leaf;
    const struct cert_prices *prices;
    double goal, least;
    int n_looked_at;
    uint64_t most; /* of the problem's "counting" */
    struct cert_order order[CERT_MEMORIES];
    struct cert_inside further[CERT_MOVES];
    double kept[CERT_MOVES][2];
    struct sator_memo *counted; /* struct known, by move and the orders outside of it */
    struct cert_phases *phases; /* NULL: there are none */
    int n_digits;
    struct cert_digit digit[CERT_MEMORIES * CERT_LOOPS]; /* those that are placed */
};

struct known {
    bool is_counted;
    struct cert_words words;
};

/* What a move brings where it has a formula; at least, where it has none. */
static void find_words(const struct orders *o, int m, struct cert_words *words)
{
    const struct cert_leaf *leaf = o->leaf;
    const struct cert_move *v = &leaf->p->move[m];
    const struct cert_held *held = leaf->held[m];

    words->unique = leaf->stamps[m] * leaf->all[m] - o->kept[m][1];
    words->arriving = leaf->stamps[m] * held->copies * held->words - o->kept[m][0];
    words->merged = v->merges ? words->arriving - words->unique : 0;
    words->wire_pj = (words->arriving - words->unique) * v->bus_pj;
}

static double sum_of(
        const struct cert_problem *p, const struct cert_weights *w, const struct cert_words *words)
{
    double sum = w->constant;

    for (int m = 0; m < p->n_moves; m++)
        sum += w->unique[m] * words[m].unique + w->arriving[m] * words[m].arriving;
    return fmax(sum, 0);
}

/* The value of the words, in "cycles" at least; where "is_whole" all of them are counted. */
static double value_of(
        const struct orders *o, const struct cert_words *words, bool is_whole, double cycles)
{
    const struct cert_problem *p = o->leaf->p;
    double pj = 0;

    for (int l = 0; l < p->n_lanes; l++)
        cycles = fmax(cycles, sum_of(p, &o->prices->lane[l], words));
    if (p->objective != SATOR_MAP_LATENCY)
        pj = is_whole ? cert_energy(p, words) : sum_of(p, &o->prices->energy, words);
    return cert_value_of(p, pj, cycles);
}

static const struct known *count(struct orders *o, int m)
{
    const struct cert_problem *p = o->leaf->p;
    const struct cert_move *move = &p->move[m];
    int64_t key[1 + CERT_MEMORIES];
    size_t n = 0;
    bool is_new;

    key[n++] = m;
    for (int k = 0; k < p->n_memories && p->memory[k].row < move->child_row; k++) {
        uint64_t packed = 1; /* CERT_LOOPS loops and fewer are told apart by their number, too */
        for (int i = 0; i < o->order[k].n; i++)
            packed = packed * CERT_LOOPS + (uint64_t)o->order[k].loop[i];
        key[n++] = (int64_t)packed;
    }
    struct known *known = sator_memo_place(o->counted, key, n, &is_new);
    if (is_new)
        known->is_counted = cert_count_words(p, o->leaf->part, move, o->order, &known->words);
    return known;
}

/* Whether all wires of the move lead to later PEs, or all to earlier ones: of others the model cuts
 * some. */
static bool leads_one_way(const struct cert_move *v)
{
    bool ahead = false, back = false;

    for (int l = 0; l < v->n_links; l++) {
        int r = 0;
        while (r + 1 < CERT_ROWS && v->link[l].shift[r] == 0)
            r++;
        ahead |= v->link[l].is_wire && v->link[l].shift[r] > 0;
        back |= v->link[l].is_wire && v->link[l].shift[r] < 0;
    }
    return !ahead || !back;
}

/* Whether "cert_energy" of what "find_words" says is no more than what the move costs: over links
 * and several buses the words that it fetches are the least, and of a wire that costs more than the
 * read or the update that it spares more fetched words may be less energy. Partial sums that come
 * back with them need not make up for it: none does of those that start from zero. */
static bool is_at_most(const struct orders *o, int m)
{
    const struct cert_problem *p = o->leaf->p;
    const struct cert_move *v = &p->move[m];
    const struct cert_memory *outside = &p->memory[v->parent];

    return !v->has_network ||
            v->bus_pj <=
            (p->tensor[v->tensor].is_output ? outside->write_pj : outside->read_pj)[v->tensor];
}

/* Whether what "find_words" says is all that the move costs: no window is over links whose places
 * are not known, nor over several kinds of links and buses. Long windows may be known in part. */
static bool is_exact(const struct orders *o, int m)
{
    const struct cert_leaf *leaf = o->leaf;
    const struct cert_move *v = &leaf->p->move[m];
    const struct cert_tensor *t = &leaf->p->tensor[v->tensor];
    bool is_plain = t->relevant == t->plain;

    if (leaf->is_counted[m] || (!is_plain && !is_at_most(o, m)))
        return false;
    if (v->n_links == 0)
        return is_plain || v->n_buses < 2;
    return leaf->is_placed[m] && v->n_buses == 0 && !leaf->tile[m].has_gaps && leads_one_way(v);
}

/* An order of all memories. */
static void look_at(struct orders *o)
{
    const struct cert_problem *p = o->leaf->p;
    struct cert_words words[CERT_MOVES];
    double cycles = o->prices->cycles;
    bool is_whole = true;

    o->n_looked_at++;
    *p->counting += ORDER_WORK;
    for (int m = 0; m < p->n_moves; m++)
        find_words(o, m, &words[m]);
    double value = value_of(o, words, false, cycles);
    if (o->phases != NULL && value < o->goal) {
        cycles = fmax(cycles, cert_phases_cycles(o->phases, o->digit));
        value = value_of(o, words, false, cycles);
    }
    for (int k = 0; k < 2 * p->n_moves && value < o->goal;
            k++) { /* those without a formula first */
        const int m = k % p->n_moves;
        if (o->leaf->is_counted[m] != (k < p->n_moves) || is_exact(o, m))
            continue;
        const struct known *known = count(o, m);
        if (known->is_counted) {
            words[m] = known->words;
            value = fmax(value, value_of(o, words, false, cycles));
        } else {
            is_whole &= !o->leaf->is_counted[m] && is_at_most(o, m);
        }
    }
    if (value < o->goal && is_whole)
        value = fmax(value, value_of(o, words, true, cycles));
    o->least = fmin(o->least, value);
}

static bool is_too_long(const struct orders *o)
{
    return o->n_looked_at > MOST_ORDERS || *o->leaf->p->counting > o->most;
}

static void order_row(struct orders *o, int m, unsigned left, struct cert_inside *placed);

/* All orders of memory "m" and those outside of it. */
static void order_from(struct orders *o, int m)
{
    const struct cert_problem *p = o->leaf->p;
    struct cert_inside before[CERT_MOVES], placed = {.stamps = 1};
    unsigned left = 0;

    if (m < 0) {
        look_at(o);
        return;
    }
    int row = p->memory[m].row;
    for (int i = 0; i < p->n_loops; i++)
        left |= o->leaf->part->factor[row][i] > 1 ? 1U << i : 0;
    o->order[m].n = __builtin_popcount(left);
    for (int k = 0; k < p->n_moves; k++)
        before[k] = o->further[k];
    order_row(o, m, left, &placed);
    for (int k = 0; k < p->n_moves; k++)
        o->further[k] = before[k];
}

/* The row has all its loops: go on with the memory outside. */
static void end_row(struct orders *o, int m)
{
    const struct cert_problem *p = o->leaf->p;
    int row = p->memory[m].row;
    struct cert_inside before[CERT_MOVES];

    for (int k = 0; k < p->n_moves; k++) {
        before[k] = o->further[k];
        for (int i = 0; i < p->n_loops && p->move[k].child_row > row; i++)
            cert_place(o->leaf, row, i, &o->further[k]);
    }
    order_from(o, m - 1);
    for (int k = 0; k < p->n_moves; k++)
        o->further[k] = before[k];
}

/* Add what a step of the loop keeps of a move to the sums; what it brings is the digit's. */
static void add_kept(struct orders *o, int row, int loop, const struct cert_inside *placed, int m)
{
    struct cert_leaf *leaf = o->leaf;
    struct cert_digit *digit = &o->digit[o->n_digits];
    double kept[2];

    if (leaf->p->move[m].child_row <= row) {
        digit->unique[m] = digit->arriving[m] = 0;
        return;
    }
    double steps = cert_find_kept(leaf, row, loop, placed, &o->further[m], m, kept);
    digit->arriving[m] = leaf->held[m][0].copies * leaf->held[m][0].words - kept[0] / steps;
    digit->unique[m] = leaf->all[m] - kept[1] / steps;
    o->kept[m][0] += kept[0];
    o->kept[m][1] += kept[1];
}

/* The loops "left" outside of those that are placed, in all orders. */
static void order_row(struct orders *o, int m, unsigned left, struct cert_inside *placed)
{
    const struct cert_problem *p = o->leaf->p;
    const int row = p->memory[m].row;

    if (left == 0) {
        end_row(o, m);
        return;
    }
    for (int i = 0; i < p->n_loops && !is_too_long(o); i++) {
        struct cert_inside more = *placed;
        double before[CERT_MOVES][2];
        if (!(left >> i & 1) || (p->row[row].within[i] & left & ~(1U << i)) != 0)
            continue;
        memcpy(before, o->kept, sizeof before);
        for (int k = 0; k < p->n_moves; k++)
            add_kept(o, row, i, placed, k);
        o->digit[o->n_digits].row = row;
        o->digit[o->n_digits++].loop = i;
        o->order[m].loop[__builtin_popcount(left) - 1] = i;
        cert_place(o->leaf, row, i, &more);
        order_row(o, m, left & ~(1U << i), &more);
        memcpy(o->kept, before, sizeof before);
        o->n_digits--;
    }
}

double cert_least_counted(struct cert_leaf *leaf, const struct cert_prices *prices, double goal)
{
    struct orders *o = sator_alloc(sizeof *o);

    *o = (struct orders){.leaf = leaf,
            .prices = prices,
            .goal = goal,
            .least = INFINITY,
            .most = *leaf->p->counting + MOST_LOOKS,
            .counted = sator_memo_new(sizeof(struct known)),
            .phases = leaf->p->is_scheduled ? cert_phases_new(leaf) : NULL};
    for (int m = 0; m < leaf->p->n_moves; m++)
        o->further[m].stamps = 1;
    order_from(o, leaf->p->n_memories - 1);
    double least = is_too_long(o) ? 0 : o->least;
    sator_memo_free(o->counted);
    cert_phases_free(o->phases);
    free(o);
    return least;
}
