/* Orders one by one, where some words have no formula and are counted (cert_walk.c), or time has
 * phases (cert_phases.c). Each order is looked at only as long as it may be below the value that is
 * claimed.
 */
#include "base/memo.h"
#include "base/memory.h"
#include "certificate/cert_leaf.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_ORDERS = 20000, /* of a part */
    MOST_LOOPS = 10, /* at a memory */
    MOST_LOOKS = 1 << 27, /* at words of a part: some seconds */
    ORDER_WORK = 4096 /* about, in looks */
};

/* The orders of one memory's loops. What a step of a loop keeps depends on which loops stand inside
 * of it, not on their order: all of it is known before any order is. */
struct row_orders {
    int n, loop[CERT_LOOPS];
    unsigned within[CERT_LOOPS]; /* what constraints put inside, by place in the list */
    struct cert_digit *digit; /* by the set of loops inside, and loop */
    double *most; /* by set and sum: what the other loops save at most */
};

struct orders {
    struct cert_leaf *leaf;
    const struct cert_prices *prices;
    double goal, least;
    int n_looked_at;
    uint64_t most; /* of the problem's "counting" */
    int n_sums; /* energy, and times */
    double *all; /* what words cost of which nothing is kept */
    struct row_orders row[CERT_MEMORIES];
    struct cert_order order[CERT_MEMORIES];
    struct sator_memo *counted; /* struct known, by move and the orders outside of it */
    struct cert_phases *phases; /* NULL: there are none */
    int n_digits;
    const struct cert_digit *digit[CERT_MEMORIES * CERT_LOOPS]; /* the innermost first */
    double *saved[CERT_MEMORIES * CERT_LOOPS + 1]; /* by the first of these, and sum */
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

    words->unique = leaf->stamps[m] * leaf->all[m];
    words->arriving = leaf->stamps[m] * held->copies * held->words;
    for (int k = 0; k < o->n_digits; k++) {
        words->arriving -= o->digit[k]->kept[m][0];
        words->unique -= o->digit[k]->kept[m][1];
    }
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

    for (int l = 0; l < o->prices->n_times; l++)
        cycles = fmax(cycles, sum_of(p, &o->prices->time[l], words));
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

    if (leaf->is_counted[m] || (!is_plain && (leaf->p->fills || !is_at_most(o, m))))
        return false;
    if (v->n_links == 0)
        return (is_plain || v->n_buses < 2) && cert_knows_buses(leaf->p, leaf->part, v);
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

/* ---- what steps keep ---- */

static const struct cert_weights *weights_of(const struct orders *o, int sum)
{
    return sum == 0 ? &o->prices->energy : &o->prices->time[sum - 1];
}

/* "n" times all sums, 0, in the leaf's arena. */
static double *sums(const struct orders *o, size_t n)
{
    return sator_arena_alloc(o->leaf->arena, sizeof(double) * n * (size_t)o->n_sums);
}

/* What the steps of a loop keep and bring, where "placed" stands inside of it on its row. */
static void find_digit(struct orders *o, int row, int loop, const struct cert_inside *placed,
        const struct cert_inside *further, struct cert_digit *digit)
{
    struct cert_leaf *leaf = o->leaf;
    const struct cert_problem *p = leaf->p;
    const size_t n = (size_t)p->n_moves;

    *digit = (struct cert_digit){.row = row,
            .loop = loop,
            .kept = sator_arena_alloc(leaf->arena, sizeof *digit->kept * n),
            .brought = sator_arena_alloc(leaf->arena, sizeof *digit->brought * n),
            .saved = sums(o, 1)};
    for (int m = 0; m < p->n_moves; m++) {
        if (p->move[m].child_row <= row)
            continue;
        double *kept = digit->kept[m], *brought = digit->brought[m];
        double steps = cert_find_kept(leaf, row, loop, placed, &further[m], m, kept);
        brought[0] = leaf->held[m][0].copies * leaf->held[m][0].words - kept[0] / steps;
        brought[1] = leaf->all[m] - kept[1] / steps;
        for (int k = 0; k < o->n_sums; k++)
            digit->saved[k] +=
                    weights_of(o, k)->arriving[m] * kept[0] + weights_of(o, k)->unique[m] * kept[1];
    }
}

/* Whether the k-th loop of the row may stand next outside of "set". */
static bool may_follow(const struct row_orders *row, unsigned set, int k)
{
    return !(set >> k & 1) && (row->within[k] & ~set) == 0;
}

/* All that the orders of memory "m" are made of. False where there are too many. */
static bool find_row(struct orders *o, int m, const struct cert_inside *further)
{
    const struct cert_problem *p = o->leaf->p;
    const int at = p->memory[m].row;
    struct row_orders *row = &o->row[m];

    for (int i = 0; i < p->n_loops; i++) {
        if (o->leaf->part->factor[at][i] > 1)
            row->loop[row->n++] = i;
    }
    for (int k = 0; k < row->n * row->n; k++)
        row->within[k / row->n] |=
                (p->row[at].within[row->loop[k / row->n]] >> row->loop[k % row->n] & 1)
                << k % row->n;
    if (row->n > MOST_LOOPS)
        return false;
    const unsigned sets = 1U << row->n;
    row->digit = sator_arena_alloc(o->leaf->arena, sizeof *row->digit * sets * (size_t)row->n + 1);
    row->most = sums(o, sets);
    for (unsigned set = sets - 1; set-- > 0;) {
        struct cert_inside placed = {.stamps = 1};
        double *most = &row->most[set * (unsigned)o->n_sums];
        for (int k = 0; k < row->n; k++) {
            if (set >> k & 1)
                cert_place(o->leaf, at, row->loop[k], &placed);
        }
        for (int w = 0; w < o->n_sums; w++)
            most[w] = -INFINITY; /* no order is begun so */
        for (int k = 0; k < row->n; k++) {
            struct cert_digit *digit = &row->digit[set * (unsigned)row->n + (unsigned)k];
            if (!may_follow(row, set, k))
                continue;
            find_digit(o, at, row->loop[k], &placed, further, digit);
            for (int w = 0; w < o->n_sums; w++)
                most[w] = fmax(most[w],
                        digit->saved[w] +
                                row->most[(set | 1U << k) * (unsigned)o->n_sums + (unsigned)w]);
        }
    }
    return true;
}

static bool find_rows(struct orders *o)
{
    const struct cert_problem *p = o->leaf->p;
    struct cert_inside further[CERT_MOVES];

    for (int m = 0; m < p->n_moves; m++)
        further[m] = (struct cert_inside){.stamps = 1};
    for (int m = p->n_memories - 1; m >= 0; m--) {
        if (!find_row(o, m, further))
            return false;
        for (int k = 0; k < p->n_moves; k++) {
            for (int i = 0; i < p->n_loops && p->move[k].child_row > p->memory[m].row; i++)
                cert_place(o->leaf, p->memory[m].row, i, &further[k]);
        }
    }
    return true;
}

/* ---- orders ---- */

/* The value at least, whatever stands outside of the digits that are placed: loops of memory "m"
 * that are not in "set", and those of memories outside. */
static double bound(const struct orders *o, int m, unsigned set)
{
    const struct cert_problem *p = o->leaf->p;
    double cycles = o->prices->cycles, pj = 0;

    for (int w = 0; w < o->n_sums; w++) {
        double left = o->all[w] - o->saved[o->n_digits][w];
        for (int outer = 0; outer <= m; outer++)
            left -= o->row[outer].most[(outer == m ? set : 0) * (unsigned)o->n_sums + (unsigned)w];
        if (w == 0)
            pj = fmax(left, 0);
        else
            cycles = fmax(cycles, left);
    }
    return cert_value_of(p, pj, cycles);
}

/* All orders of memory "m"'s loops outside of "set", and of those of memories outside. */
static void order_from(struct orders *o, int m, unsigned set)
{
    struct row_orders *row = m < 0 ? NULL : &o->row[m];
    const unsigned all = m < 0 ? 0 : (1U << row->n) - 1;

    if (m < 0) {
        look_at(o);
        return;
    }
    if (set == all) {
        o->order[m].n = row->n;
        order_from(o, m - 1, 0);
        return;
    }
    double least = bound(o, m, set);
    if (least >= o->goal) {
        o->least = fmin(o->least, least);
        return;
    }
    const int place = row->n - 1 - __builtin_popcount(set);
    for (int k = 0; k < row->n && !is_too_long(o); k++) {
        const struct cert_digit *digit = &row->digit[set * (unsigned)row->n + (unsigned)k];
        if (!may_follow(row, set, k))
            continue;
        if (o->saved[o->n_digits + 1] == NULL)
            o->saved[o->n_digits + 1] = sums(o, 1);
        for (int w = 0; w < o->n_sums; w++)
            o->saved[o->n_digits + 1][w] = o->saved[o->n_digits][w] + digit->saved[w];
        o->order[m].loop[place] = row->loop[k];
        o->digit[o->n_digits++] = digit;
        order_from(o, m, set | 1U << k);
        o->n_digits--;
    }
}

double cert_least_counted(struct cert_leaf *leaf, const struct cert_prices *prices, double goal)
{
    const struct cert_problem *p = leaf->p;
    struct orders *o = sator_alloc(sizeof *o);
    double least = 0;

    *o = (struct orders){.leaf = leaf,
            .prices = prices,
            .goal = goal,
            .least = INFINITY,
            .n_sums = 1 + prices->n_times,
            .most = *p->counting + MOST_LOOKS};
    o->all = sums(o, 1);
    o->saved[0] = sums(o, 1);
    for (int w = 0; w < o->n_sums && (w > 0 || p->objective != SATOR_MAP_LATENCY); w++)
        o->all[w] = cert_all_words(leaf, weights_of(o, w));
    if (find_rows(o)) {
        o->counted = sator_memo_new(sizeof(struct known));
        o->phases = p->is_scheduled ? cert_phases_new(leaf) : NULL;
        order_from(o, p->n_memories - 1, 0);
        least = is_too_long(o) ? 0 : o->least;
    }
    sator_memo_free(o->counted);
    cert_phases_free(o->phases);
    free(o);
    return least;
}
