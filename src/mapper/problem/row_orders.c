/* In which order loops share a dimension of an array (doc/mapper.md, "Orders on an array").
 *
 * The coordinate of a PE is a number of mixed radix with a digit for each loop. Which PEs hold what
 * is the same in every order; who is whose neighbour is not. So the order matters where words pass
 * from PE to PE, or stay with the first PE on a bus.
 */
#include "mapper/problem/invariants.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sator_mapper_row_order(const struct mapper_problem *problem, int row, int8_t *order)
{
    int linked = problem->row[row].linked, at = 0;
    unsigned first = linked < 0 ? 0 : problem->access[linked].relevant;

    for (int side = 1; side >= 0; side--) {
        for (int i = 0; i < problem->n_loops; i++) {
            if ((first >> i & 1) == (unsigned)side)
                order[at++] = (int8_t)i;
        }
    }
    assert(mapper_is_permutation(order, problem->n_loops));
}

/* The rows along which it matters to the transfer who is beside whom, whatever the unrolling: where
 * short tiles leave PEs idle, all that links lead along. */
static unsigned passing_rows(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    unsigned rows = t->is_complex ? t->apart : t->grouped_rows;

    if (mapper_may_idle(p))
        rows |= t->linked_rows;
    if (t->may_pass)
        rows |= t->linked_rows | (t->n_buses >= 2 ? t->collapsed : 0);
    return rows;
}

/* Whether fewer words that are sent cost less, and take no longer: a link with a bandwidth of its
 * own may be slower than the memory outside, and who is handed a sum reads it, where it would begin
 * one from zero. */
static bool is_cheaper_unsent(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    const bool begins_sums = p->access[t->access].role == SATOR_WRITE && p->has_passed_sums;
    bool cheaper = t->unique_pj >= 0 && !begins_sums;

    for (int i = 0; i < t->n_flows; i++)
        cheaper &= t->flow[i].arriving || t->flow[i].bits >= 0;
    for (int i = 0; i < t->n_passes && p->times_wires; i++)
        cheaper &= isnan(t->passes[i].link->bandwidth_bits);
    return cheaper;
}

void sator_mapper_allow_orders(struct mapper_problem *problem)
{
    for (int t = 0; t < problem->n_transfers; t++) {
        const struct mapper_transfer *transfer = &problem->transfer[t];
        problem->any_order |= passing_rows(problem, transfer);
        if (problem->mixes_wires)
            problem->any_order |= transfer->wired & transfer->apart;
        /* the fewer neighbours have equal words, the better; or PEs without work may part them */
        if (!is_cheaper_unsent(problem, transfer) || problem->in_hull)
            problem->any_order |= transfer->wired;
    }
}

/* The orders of one row under way. */
struct listing {
    const struct mapper_problem *problem;
    struct sator_arena *arena;
    int row, n_loops; /* with factors there */
    const struct mapper_mapping *mapping;
    unsigned passed; /* its transfers whose words pass from PE to PE, or over several families of
                        buses */
    int8_t loop[MAPPER_LOOPS]; /* in the order that is taken unless another one is chosen */
    unsigned first[MAPPER_LOOPS]; /* by loop: neighbours that it is never worse outside of */
    unsigned grouped; /* transfers that care, if buses of PEs next to each other are the reason */
    int8_t order[MAPPER_LOOPS];
    int8_t (*orders)[MAPPER_LOOPS];
    int64_t (*effect)[MAPPER_TRANSFERS][MAPPER_LOOPS]; /* by order: what such buses make of it */
    int n_orders;
};

/* ---- which transfers care ---- */

/* Whether all that leads along the row comes from the next PE of it; which of that are wires, and
 * which links from the stamp before. */
static bool is_straight(const struct mapper_transfer *t, int row, bool *wires, bool *before)
{
    bool all = t->n_buses == 0;

    *wires = *before = false;
    for (int i = 0; i < t->n_passes && all; i++) {
        const struct mapper_pass *pass = &t->passes[i];
        if (pass->shift[row] == 0 || pass->is_idle)
            continue;
        all = llabs(pass->shift[row]) == 1 && (pass->interval == 0 || pass->interval == 1);
        for (int r = 0; r < MAPPER_ROWS; r++)
            all &= r == row || pass->shift[r] == 0;
        *wires |= pass->interval == 0;
        *before |= pass->interval == 1;
    }
    return all;
}

/* Whether no index of the transfer has two digits on the rows of its buses. */
static bool has_lone_digits(const struct listing *l, const struct mapper_transfer *t)
{
    const struct mapper_access *access = &l->problem->access[t->access];
    unsigned seen = 0;

    for (int r = 0; r < t->child_row; r++) {
        for (int i = 0; i < l->problem->n_loops && (t->collapsed >> r & 1); i++) {
            unsigned index = access->relevant >> i & 1 ? 1U << access->index_of[i] : 0;
            if (l->mapping->factor[r][i] == 1)
                continue;
            if ((seen & index) != 0)
                return false;
            seen |= index;
        }
    }
    return true;
}

/* Whether two families of buses bring as many words in every order along the row
 * (doc/mapper.md). */
static bool is_spread_by_two(const struct listing *l, const struct mapper_transfer *t)
{
    if (t->n_buses != 2 || t->n_passes > 0 || t->grouped_rows != 0 ||
            (t->bus_rows[0] & t->bus_rows[1]) != 0 || !isnan(t->buses[0]->bandwidth_bits) ||
            !isnan(t->buses[1]->bandwidth_bits))
        return false;
    return (t->bus_rows[1] >> l->row & 1) || has_lone_digits(l, t);
}

static bool cares(const struct mapper_problem *p, int transfer, const struct listing *l)
{
    const struct mapper_transfer *t = &p->transfer[transfer];
    const struct mapper_access *access = &p->access[t->access];
    unsigned here = 0, sliding = access->relevant & ~access->plain;

    for (int k = 0; k < l->n_loops; k++)
        here |= 1U << l->loop[k];
    bool may_pass = t->is_complex || t->may_pass || (mapper_may_idle(p) && t->linked_rows != 0);
    if (!((may_pass ? passing_rows(p, t) | t->wired : t->wired) >> l->row & 1))
        return false;
    bool wires, before;
    bool has_near_links =
            is_straight(t, l->row, &wires, &before) && !wires && !(t->wired >> l->row & 1);
    if (t->may_pass && (here & sliding) == 0 && has_near_links && !mapper_may_idle(p))
        return false; /* a neighbour has this PE's tile, or none of it (add_link, wiring.c) */
    bool is_regular = !p->imperfect && !p->in_hull && t->may_pass;
    if (is_regular && !(l->passed >> transfer & 1) && !(t->wired >> l->row & 1))
        return false; /* links bring nothing, and one family of buses all that buses spare */
    if (is_regular && is_spread_by_two(l, t))
        return false;
    return may_pass || p->in_hull || ((here & access->relevant) && (here & ~access->relevant));
}

/* ---- gaps ---- */

/* Whether links lead along the row that may bring something: those from the stamp before bring
 * nothing without a window or a skew (add_link, wiring.c). */
static bool is_linked_along(
        const struct mapper_problem *p, const struct mapper_transfer *t, int row, bool skews)
{
    bool is_linked = false, slides = p->access[t->access].is_sliding;

    for (int i = 0; i < t->n_passes; i++) {
        const struct mapper_pass *pass = &t->passes[i];
        is_linked |= pass->shift[row] != 0 && !pass->is_idle &&
                (pass->interval != 1 || slides || skews || p->imperfect);
    }
    return is_linked;
}

/* A gap changes who is beside whom along the row, and under a skew how much later PEs run: of links
 * to the next PE it leaves some without a provider, to buses and trees along whole dimensions it is
 * all one where all PEs run at once. */
static bool gap_matters(
        const struct mapper_problem *p, const struct mapper_transfer *t, int row, bool skews)
{
    unsigned rows = t->is_complex ? t->apart : t->grouped_rows;
    bool wires, before;

    rows |= skews && t->n_buses > 0 ? t->collapsed : 0;
    if (rows >> row & 1)
        return true;
    return is_linked_along(p, t, row, skews) &&
            (!is_straight(t, row, &wires, &before) || !is_cheaper_unsent(p, t));
}

bool sator_mapper_gaps_matter(const struct mapper_problem *p, bool skews)
{
    bool matter = false;

    for (int t = 0; t < p->n_transfers; t++) {
        for (int r = 0; r < p->transfer[t].child_row; r++)
            matter |= p->row[r].is_space && p->row[r].shape > 2 &&
                    gap_matters(p, &p->transfer[t], r, skews);
    }
    return matter && p->n_loops > 0;
}

/* ---- orders that cost no more ---- */

/* What a loop is to an access; words go from PE to PE along plain loops never, along others if
 * those of the first kind stand outside of them. */
enum digit_kind {
    PLAIN, /* alone in its index */
    NONE, /* in no index */
    WINDOW /* together with others */
};

static enum digit_kind kind_of(const struct mapper_access *access, int loop)
{
    return !(access->relevant >> loop & 1) ? NONE : access->plain >> loop & 1 ? PLAIN : WINDOW;
}

/* Whether the transfer costs the same when "a" and "b", neighbours, change places: it has neither
 * in an index, or both alone in one, which changes no more than the names of elements where every
 * tile is whole. Where the domain is no box, which PEs have work may tell any two loops apart. */
static bool is_alike(const struct mapper_problem *p, const struct mapper_transfer *t, int a, int b)
{
    const struct mapper_access *access = &p->access[t->access];

    if (kind_of(access, a) != kind_of(access, b) || kind_of(access, a) == WINDOW || p->in_hull)
        return false;
    if (kind_of(access, a) == PLAIN)
        return !p->imperfect && !access->is_counted;
    return !(p->imperfect && t->is_complex) && !(mapper_may_idle(p) && t->linked_rows != 0);
}

/* Whether the transfer never costs more when "a" stands directly outside "b" than when it stands
 * directly inside (doc/mapper.md has the proof). */
static bool may_be_outside(const struct listing *l, const struct mapper_transfer *t, int a, int b)
{
    const struct mapper_problem *p = l->problem;
    const struct mapper_access *access = &p->access[t->access];
    enum digit_kind outer = kind_of(access, a), inner = kind_of(access, b);
    bool wires = true, before = false;
    int n_windows = 0;

    if (is_alike(p, t, a, b))
        return true;
    if (p->imperfect || t->is_complex || access->is_counted)
        return false;
    if (t->n_buses > 0 && t->n_passes == 0 && t->grouped_rows == 0 && !p->in_hull)
        return outer != WINDOW || inner != WINDOW;
    if (!is_cheaper_unsent(p, t) || (t->may_pass && !is_straight(t, l->row, &wires, &before)))
        return false;
    if (outer == PLAIN || inner == PLAIN)
        return outer == PLAIN;
    for (int k = 0; k < l->n_loops; k++)
        n_windows += kind_of(access, l->loop[k]) == WINDOW;
    return n_windows == 1 && (outer == WINDOW ? !before : !wires);
}

static void find_first(struct listing *l)
{
    const struct mapper_problem *p = l->problem;

    for (int i = 0; i < p->n_loops; i++)
        l->first[i] = ~0U;
    for (int t = 0; t < p->n_transfers; t++) {
        if (!cares(p, t, l))
            continue;
        for (int i = 0; i < l->n_loops; i++) {
            for (int k = 0; k < l->n_loops; k++) {
                int a = l->loop[i], b = l->loop[k];
                if (i != k && !may_be_outside(l, &p->transfer[t], a, b))
                    l->first[a] &= ~(1U << b);
            }
        }
    }
}

/* Whether "a" and "b" may change places either way. */
static bool are_alike(const struct listing *l, int a, int b)
{
    return (l->first[a] >> b & 1) && (l->first[b] >> a & 1);
}

/* Whether the "k"-th loop would come too late at place "at": it may be moved outward past all
 * between, before one that has to stand inside of it, or that the row's own order has after it. */
static bool comes_too_late(const struct listing *l, int at, int k)
{
    for (int i = at - 1; i >= 0; i--) {
        int here = l->loop[k], other = l->loop[l->order[i]];
        if (!(l->first[here] >> other & 1))
            return false;
        if (l->order[i] > k || !are_alike(l, here, other))
            return true;
    }
    return false;
}

/* ---- buses of so many PEs next to each other ---- */

/* Set the transfers that care, if all do because of such buses alone. */
static void find_grouped(struct listing *l)
{
    const struct mapper_problem *p = l->problem;

    l->grouped = 0;
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        if (!cares(p, t, l))
            continue;
        if (transfer->group == 0 || transfer->n_passes > 0 || transfer->is_complex ||
                p->imperfect || p->in_hull || p->access[transfer->access].is_counted) {
            l->grouped = 0;
            return;
        }
        l->grouped |= 1U << t;
    }
}

static int64_t factor_at(const struct listing *l, int place)
{
    return l->mapping->factor[l->row][l->loop[l->order[place]]];
}

/* Set by loop of the row how many values of its digit one bus has, where buses end with digits or
 * cut one of them in two: the row then is one of buses and one of PEs on a bus, in any order. False
 * where buses end elsewhere. */
static bool is_aligned(const struct listing *l, int64_t group, int64_t *values)
{
    int64_t inside = 1;

    for (int k = l->n_loops - 1; k >= 0 && inside < group; k--) {
        const int64_t factor = factor_at(l, k), rest = group / inside;
        values[l->order[k]] = factor < rest ? factor : rest;
        if (factor >= rest ? factor % rest != 0 || group % inside != 0
                           : rest % factor != 0 && k > 0)
            return false;
        inside *= factor;
    }
    return true;
}

/* How many pairs of a bus and a tile there are, where each PE's tile is that of another one or has
 * nothing in common with it. A PE makes a new one unless the one before it with the same tile is on
 * the same bus. */
static int64_t count_pairs(const struct listing *l, int64_t group, unsigned relevant)
{
    int64_t used = 1, pairs = 0;

    for (int k = 0; k < l->n_loops; k++)
        used *= factor_at(l, k);
    for (int64_t at = 0; at < used; at++) {
        int64_t before = at, step = 1, rest = at;
        bool is_first = true;
        for (int k = l->n_loops - 1; k >= 0 && is_first; k--) {
            const int64_t factor = factor_at(l, k), digit = rest % factor;
            if (!(relevant >> l->loop[l->order[k]] & 1)) { /* count down: 0 borrows of the next */
                before += digit > 0 ? -step : (factor - 1) * step;
                is_first = digit == 0;
            }
            step *= factor;
            rest /= factor;
        }
        pairs += is_first || before / group != at / group;
    }
    return pairs;
}

/* Say what the transfer's words depend on of the order under way. */
static void describe(const struct listing *l, int transfer, int64_t *effect)
{
    const struct mapper_transfer *t = &l->problem->transfer[transfer];
    const struct mapper_access *access = &l->problem->access[t->access];
    bool is_whole = is_aligned(l, t->group, effect), has_window = false;

    for (int k = 0; k < l->n_loops; k++)
        has_window |= kind_of(access, l->loop[k]) == WINDOW;
    if (is_whole)
        return;
    for (int k = 0; k < l->n_loops; k++)
        effect[k] = has_window ? -1 - l->order[k] : 0;
    if (!has_window)
        effect[0] = -count_pairs(l, t->group, access->relevant);
}

/* Whether an order that is listed brings as many words of each tensor as the one under way. */
static bool is_listed(struct listing *l)
{
    bool is_known = false;

    l->effect = sator_arena_grow(l->arena, l->effect, l->n_orders, sizeof *l->effect);
    int64_t(*own)[MAPPER_LOOPS] = l->effect[l->n_orders];
    memset(own, 0, sizeof *l->effect);
    for (int t = 0; t < l->problem->n_transfers; t++) {
        if (l->grouped >> t & 1)
            describe(l, t, own[t]);
    }
    for (int k = 0; k < l->n_orders && !is_known; k++)
        is_known = memcmp(l->effect[k], own, sizeof *l->effect) == 0;
    return is_known;
}

/* ---- listing ---- */

static void add_order(struct listing *l)
{
    const struct mapper_problem *p = l->problem;
    int8_t whole[MAPPER_LOOPS] = {0}, own[MAPPER_LOOPS];
    unsigned there = 0;
    int at = 0;

    for (int k = 0; k < l->n_loops; k++) {
        whole[at++] = l->loop[l->order[k]];
        there |= 1U << whole[k];
    }
    sator_mapper_row_order(p, l->row, own);
    for (int i = 0; i < p->n_loops; i++) {
        if (!(there >> own[i] & 1))
            whole[at++] = own[i];
    }
    l->orders = sator_arena_grow(l->arena, l->orders, l->n_orders, sizeof *l->orders);
    memcpy(l->orders[l->n_orders++], whole, sizeof whole);
}

static void list_from(struct listing *l, int at, unsigned placed)
{
    if (at == l->n_loops) {
        if (l->grouped == 0 || !is_listed(l))
            add_order(l);
        return;
    }
    for (int k = 0; k < l->n_loops; k++) {
        if ((placed >> k & 1) || comes_too_late(l, at, k))
            continue;
        l->order[at] = (int8_t)k;
        list_from(l, at + 1, placed | 1U << k);
    }
}

static void open_listing(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        int row, struct listing *l)
{
    int8_t own[MAPPER_LOOPS];

    *l = (struct listing){.problem = p,
            .row = row,
            .mapping = mapping,
            .passed = sator_mapper_passed(p, mapping)};
    sator_mapper_row_order(p, row, own);
    for (int k = 0; k < p->n_loops; k++) {
        if (mapping->factor[row][own[k]] > 1)
            l->loop[l->n_loops++] = own[k];
    }
    find_first(l);
    find_grouped(l);
}

/* Whether two orders of all loops are of one kind. */
static bool is_same(const struct listing *l, const int8_t *a, const int8_t *b)
{
    int at_a[MAPPER_LOOPS], at_b[MAPPER_LOOPS];
    bool same = true;

    for (int k = 0; k < l->problem->n_loops; k++) {
        at_a[a[k]] = k;
        at_b[b[k]] = k;
    }
    for (int i = 0; i < l->n_loops; i++) {
        for (int k = 0; k < i; k++) {
            int x = l->loop[i], y = l->loop[k];
            same &= are_alike(l, x, y) || (at_a[x] < at_a[y]) == (at_b[x] < at_b[y]);
        }
    }
    return same;
}

struct rows_visit {
    struct mapper_mapping *mapping;
    sator_mapper_order_visit *visit;
    void *data;
};

static bool visit_rows(
        const struct mapper_problem *p, const struct rows_visit *v, int row, bool is_usual)
{
    struct listing l;
    int8_t own[MAPPER_LOOPS], *along = v->mapping->along[row];
    bool goes_on = true;

    while (row < p->n_rows && !(p->any_order >> row & 1))
        along = v->mapping->along[++row];
    if (row == p->n_rows)
        return v->visit(v->data, is_usual);
    open_listing(p, v->mapping, row, &l);
    memcpy(own, along, sizeof own);
    l.arena = sator_arena_new();
    list_from(&l, 0, 0);
    for (int k = 0; k < l.n_orders && goes_on; k++) {
        memcpy(along, l.orders[k], sizeof own);
        goes_on = visit_rows(p, v, row + 1, is_usual && is_same(&l, along, own));
    }
    memcpy(along, own, sizeof own);
    sator_arena_free(l.arena);
    return goes_on;
}

void sator_mapper_each_order(const struct mapper_problem *problem, struct mapper_mapping *mapping,
        sator_mapper_order_visit *visit, void *data)
{
    visit_rows(problem, &(struct rows_visit){mapping, visit, data}, 0, true);
}

bool sator_mapper_has_orders(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int r = 0; r < problem->n_rows; r++) {
        struct listing l;
        if (!(problem->any_order >> r & 1))
            continue;
        open_listing(problem, mapping, r, &l);
        for (int i = 0; i < l.n_loops; i++) {
            for (int k = 0; k < i; k++) {
                if (!are_alike(&l, l.loop[i], l.loop[k]))
                    return true;
            }
        }
    }
    return false;
}
