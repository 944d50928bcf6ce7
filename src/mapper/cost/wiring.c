/* What joins the PEs between two memories, as far as formulas go.
 *
 * Buses along dimensions of the array, and wires to the next PE of one dimension, make a word cross
 * once for all PEs along these dimensions. What links at constant distances bring, and what several
 * families of buses leave, when a sliding index is unrolled over them, is for passing.c to say; so
 * is what buses of some PEs of a dimension leave, which are a table.
 * Everything else is complex: it is counted mapping by
 * mapping (counted.c), and bounded by a network over which all PEs share everything.
 */
#include "base/context.h"
#include "count/count.h"
#include "mapper/cost/cost.h"
#include "mapper/problem/skew.h"
#include "model/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PASSING_PES = 1 << 12, /* of an array whose PEs are listed one by one (count/tiled/) */
    MOST_LINKS = 64 /* of a network that has a formula */
};

static bool same_pj(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

unsigned sator_mapper_array_rows(const struct mapper_problem *p, int level)
{
    unsigned rows = 0;

    for (int r = 0; r < p->n_rows; r++)
        rows |= p->row[r].is_space && p->row[r].level == level ? 1U << r : 0;
    return rows;
}

bool sator_mapper_bus_rows(
        const struct mapper_problem *p, int level, const struct sator_bus *bus, unsigned *rows)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);
    unsigned kept = 0;

    if (piece == NULL)
        return false;
    for (int i = 0; i < bus->map->n_out; i++) {
        const struct sator_expr *out = piece->out[i];
        if (out->n_terms == 0)
            continue;
        if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR)
            return false;
        kept |= 1U << out->terms[0].var;
    }
    *rows = sator_mapper_array_rows(p, level);
    for (int r = 0; r < p->n_rows; r++) {
        if ((*rows >> r & 1) && (kept >> p->row[r].dim & 1))
            *rows &= ~(1U << r);
    }
    return true;
}

bool sator_mapper_link_shift(
        const struct mapper_problem *p, int level, const struct sator_link *link, int64_t *shift)
{
    const struct sator_piece *piece = sator_relation_function(link->map);

    memset(shift, 0, sizeof *shift * MAPPER_ROWS);
    if (piece == NULL || link->map->n_in != link->map->n_out)
        return false;
    for (int r = 0; r < p->n_rows; r++) {
        if (!p->row[r].is_space || p->row[r].level != level)
            continue;
        int d = p->row[r].dim;
        const struct sator_expr *out = piece->out[d];
        if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR || out->terms[0].var != d ||
                out->terms[0].factor != 1)
            return false;
        shift[r] = out->constant;
    }
    return true;
}

static unsigned moved_rows(const struct mapper_problem *p, const int64_t *shift)
{
    unsigned rows = 0;

    for (int r = 0; r < p->n_rows; r++)
        rows |= shift[r] != 0 ? 1U << r : 0;
    return rows;
}

static bool is_free(const struct mapper_problem *p, int access)
{
    return !p->access[access].is_sliding && !p->access[access].is_counted;
}

/* Have the loops along "row" stand in the order that lets the transfer's tensor pass along it,
 * where another tensor does not need them in its own. A tensor without a window may stand in any:
 * of the PEs with equal words those that are neighbours share them. */
static bool take_order(struct mapper_problem *p, int row, struct mapper_transfer *transfer)
{
    int taken = p->row[row].linked;

    if (taken < 0 || p->access[taken].relevant == p->access[transfer->access].relevant) {
        p->row[row].linked = transfer->access;
        return true;
    }
    bool may_follow = is_free(p, transfer->access);
    if (p->skew == NULL || (!may_follow && !is_free(p, taken)))
        return false; /* short tiles, which no skewed problem has, are not counted so */
    for (int t = 0; t < p->n_transfers; t++)
        p->transfer[t].apart |= p->transfer[t].collapsed & 1U << row;
    transfer->apart |= 1U << row;
    p->mixes_wires = true;
    p->row[row].linked = may_follow ? taken : transfer->access;
    return true;
}

/* Of two wires that lead between the same PEs both ways only the one from the smaller PE is used.
 */
static bool is_idle(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct mapper_pass *pass)
{
    int first = 0;

    while (first < p->n_rows && pass->shift[first] == 0)
        first++;
    if (pass->interval != 0 || first == p->n_rows || pass->shift[first] > 0)
        return false;
    for (int i = 0; i < t->n_passes; i++) {
        const struct mapper_pass *other = &t->passes[i];
        bool against = other->interval == 0;
        for (int r = 0; r < p->n_rows; r++)
            against &= other->shift[r] == -pass->shift[r];
        if (against)
            return true;
    }
    return false;
}

/* Links from the stamp before bring nothing in a tiling, wherever they lead: a tile of loops that
 * stand alone in an index names the digits of these loops, so a provider that held this PE's tile
 * in the stamp before had them all, and this PE, which has them now, had them then. When a sliding
 * index is unrolled along what links move, passing.c tells what each brings. Nothing is known two
 * stamps before, when this PE's tile may come back. */
static void add_link(struct mapper_problem *p, int level, const struct sator_link *link,
        struct mapper_transfer *transfer)
{
    struct mapper_pass pass = {.interval = link->interval, .link = link};
    pass.is_constant = sator_mapper_link_shift(p, level, link, pass.shift);
    unsigned rows =
            pass.is_constant ? moved_rows(p, pass.shift) : sator_mapper_array_rows(p, level);

    if (rows == 0 && link->interval == 1)
        return; /* to itself: it held that; from further back it gets words again */
    pass.interval -= (int)sator_mapper_skew_along(p->skew, pass.shift);
    bool is_late = pass.interval < 0 || pass.interval > 1;
    if (p->skew != NULL && is_late && !sator_mapper_counts_skew(p)) {
        transfer->has_late = p->has_late = true;
        return;
    }
    transfer->linked_rows |= rows;
    transfer->reaches_back |= is_late;
    transfer->latest = pass.interval > transfer->latest ? pass.interval : transfer->latest;
    transfer->ahead = -pass.interval > transfer->ahead ? -pass.interval : transfer->ahead;
    transfer->is_complex |=
            !pass.is_constant && (pass.interval != 1 || p->access[transfer->access].is_sliding);
    SATOR_PUSH(p->arena, transfer->passes, transfer->n_passes, pass);
}

/* Wires within a stamp pass a word along PEs that need the same one, which are made neighbours: it
 * crosses once, as on a bus. */
static void use_wire(
        struct mapper_problem *p, const struct mapper_pass *pass, struct mapper_transfer *transfer)
{
    unsigned rows = moved_rows(p, pass->shift);
    int row = __builtin_popcount(rows) == 1 ? __builtin_ctz(rows) : -1;
    bool is_step = row >= 0 && llabs(pass->shift[row]) == 1;
    double pj = sator_mapper_link_pj(p, pass->link, transfer->access);

    if (is_step && transfer->link != NULL && (transfer->collapsed & rows) != 0)
        return; /* one before it leads along the row, too, and brings all */
    if (!is_step || transfer->n_buses > 0 || /* of an array further out, through a bypass */
            (transfer->link != NULL && !same_pj(transfer->bus_pj, pj)) ||
            !take_order(p, row, transfer)) {
        transfer->is_complex = true;
        return;
    }
    if (transfer->link == NULL)
        transfer->link = pass->link;
    transfer->bus_pj = pj;
    transfer->collapsed |= rows;
    transfer->wired |= rows;
}

/* The PEs of the array whose rows are "rows". */
static int64_t count_pes(const struct mapper_problem *p, unsigned rows)
{
    int64_t pes = 1;

    for (int r = 0; r < p->n_rows; r++) {
        if (rows >> r & 1)
            pes = pes > MOST_PASSING_PES ? pes : pes * p->row[r].shape;
    }
    return pes;
}

/* The number of the bus of each PE, whatever the map; NULL where it is no function, or the PEs are
 * too many. */
static const int32_t *list_buses(
        const struct mapper_problem *p, unsigned rows, const struct sator_bus *bus)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);
    int64_t pes = count_pes(p, rows), point[MAPPER_ROWS] = {0};
    int n_out = bus->map->n_out, last = 31 - __builtin_clz(rows);

    if (piece == NULL || pes > MOST_PASSING_PES || bus->map->n_in > MAPPER_ROWS)
        return NULL;
    int32_t *bus_of = SATOR_NEW_ARRAY(p->arena, int32_t, pes), count = 0;
    int64_t *name = SATOR_NEW_ARRAY(p->arena, int64_t, (pes + 1) * (n_out + 1));
    for (int64_t pe = 0; pe < pes; pe++) {
        int64_t rest = pe, *own = &name[count * (int64_t)n_out];
        for (int r = last; r >= 0; r--) {
            if (!(rows >> r & 1))
                continue;
            point[p->row[r].dim] = rest % p->row[r].shape;
            rest /= p->row[r].shape;
        }
        for (int i = 0; i < n_out; i++) {
            if (!sator_expr_value(piece->out[i], point, &own[i]))
                return NULL;
        }
        int32_t b = 0;
        while (b < count &&
                memcmp(&name[b * (int64_t)n_out], own, sizeof *own * (size_t)n_out) != 0)
            b++;
        count += b == count;
        bus_of[pe] = b;
    }
    return bus_of;
}

/* The PEs next to each other that each bus joins, along one row; or 0. */
static int64_t group_of(const struct mapper_problem *p, unsigned rows, const int32_t *bus_of)
{
    int64_t pes = count_pes(p, rows), group = 0;

    while (group < pes && bus_of[group] == 0)
        group++;
    for (int64_t pe = 0; pe < pes; pe++) {
        if (__builtin_popcount(rows) > 1 || bus_of[pe] != pe / group)
            return 0;
    }
    return group;
}

static void add_bus(struct mapper_problem *p, int level, const struct sator_bus *bus,
        struct mapper_transfer *transfer)
{
    double pj = sator_mapper_bus_pj(p, bus, transfer->access);
    const int32_t *bus_of = NULL;
    unsigned rows;
    bool is_along = sator_mapper_bus_rows(p, level, bus, &rows);

    if (!is_along)
        rows = sator_mapper_array_rows(p, level);
    /* PEs on it want a word at different times then */
    transfer->reaches_back |= (rows & sator_mapper_skewed_rows(p->skew)) != 0;
    if (!is_along && p->skew == NULL) {
        bus_of = list_buses(p, rows, bus);
        transfer->grouped_rows |= rows;
        if (bus_of != NULL && transfer->n_buses == 0)
            transfer->group = group_of(p, rows, bus_of);
    }
    if ((!is_along && bus_of == NULL) || transfer->link != NULL ||
            (transfer->n_buses > 0 && !same_pj(pj, transfer->bus_pj)) ||
            transfer->n_buses == MAPPER_ROWS) {
        transfer->is_complex = true;
        return;
    }
    transfer->group = transfer->n_buses > 0 ? 0 : transfer->group;
    transfer->bus_pj = pj;
    transfer->bus_rows[transfer->n_buses] = rows;
    transfer->bus_of[transfer->n_buses] = bus_of;
    transfer->buses[transfer->n_buses++] = bus;
    transfer->collapsed |= rows;
}

/* The links and buses of the array at "level"; whether there are any for the transfer. */
static bool add_array(struct mapper_problem *p, int level, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[transfer->access];
    const struct sator_array *array = &p->arch->levels[level].array;
    int known = transfer->n_passes; /* of arrays further out */
    bool any = false;

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        if (!sator_serves(link->n_tensors, link->tensors, access->name))
            continue;
        any = true;
        add_link(p, level, link, transfer);
    }
    for (int i = known; i < transfer->n_passes; i++)
        transfer->passes[i].is_idle = is_idle(p, transfer, &transfer->passes[i]);
    for (int i = known; i < transfer->n_passes; i++) {
        const struct mapper_pass *pass = &transfer->passes[i];
        if (pass->interval == 0 && !pass->is_idle)
            use_wire(p, pass, transfer);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (bus->is_reduction != (access->role == SATOR_WRITE) ||
                !sator_serves(bus->n_tensors, bus->tensors, access->name))
            continue;
        any = true;
        add_bus(p, level, bus, transfer);
    }
    return any;
}

/* Whether some of the access has no formula. */
static bool has_core(const struct mapper_access *access)
{
    for (int e = 0; e < access->n_indices; e++) {
        if (access->index[e].is_core)
            return true;
    }
    return false;
}

/* The network as the counting engines take it. */
static enum sator_status find_network(
        struct sator_ctx *ctx, struct mapper_problem *p, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[transfer->access];
    struct sator_model_network *network = SATOR_NEW(p->arena, struct sator_model_network);
    int from = __builtin_popcount(transfer->outer);
    int to = from + __builtin_popcount(transfer->between);
    enum sator_status st;

    SATOR_TRY(sator_model_network(
            ctx, p->arena, p->arch, from, to, access->name, access->role, network));
    sator_count_prepare(p->arena, to, p->array_shape, network->n_links, network->links);
    transfer->network = network;
done:
    return st;
}

/* The most sources that "pass" may make: for each row a pattern of carries over the digits of loops
 * that do not stand alone in an index, of which a row has room for few. */
static int64_t most_sources(const struct mapper_problem *p, const struct mapper_access *access,
        const struct mapper_pass *pass)
{
    int n_loops = p->n_loops - __builtin_popcount(access->plain);
    int64_t most = 1;

    for (int r = 0; r < p->n_rows; r++) {
        if (pass->shift[r] == 0)
            continue;
        int room = 63 - __builtin_clzll((uint64_t)p->row[r].shape);
        int n = n_loops < room ? n_loops : room;
        most *= llabs(pass->shift[r]) == 1 ? n + 1 : INT64_C(1) << n;
        if (most > MAPPER_SOURCES)
            break;
    }
    return most;
}

bool sator_mapper_lists_links(const struct mapper_problem *p, struct mapper_transfer *t)
{
    int64_t sources = 1;
    bool lists = true;

    for (int i = 0; i < t->n_passes; i++) {
        sources += most_sources(p, &p->access[t->access], &t->passes[i]);
        if (t->n_buses == 0 && t->link == NULL)
            t->bus_pj = sator_mapper_link_pj(p, t->passes[0].link, t->access);
        lists &= t->passes[i].is_constant &&
                same_pj(sator_mapper_link_pj(p, t->passes[i].link, t->access), t->bus_pj);
    }
    return lists && sources <= MAPPER_SOURCES;
}

/* Whether sliding indices may be unrolled over the links and families of buses, and all others over
 * buses of some PEs, with a formula: all at one cost a word, not too many, and words that trees
 * merge are not mixed with others. */
static void find_passes(struct mapper_problem *p, struct mapper_transfer *t)
{
    const struct mapper_access *access = &p->access[t->access];
    bool slides = access->is_sliding && (t->n_passes > 0 || t->n_buses >= 2);

    if (t->is_complex || (!slides && t->grouped_rows == 0))
        return;
    int64_t pes = count_pes(p, t->collapsed | t->linked_rows);
    t->may_pass = sator_mapper_lists_links(p, t) && (t->n_buses == 0 || pes <= MOST_PASSING_PES) &&
            (access->role == SATOR_READ || t->n_passes == 0 || t->n_buses == 0);
    t->is_complex = !t->may_pass;
}

/* Whether no wire of "passes" leads back along row "r", or none leads ahead. */
static bool leads_one_way(const struct mapper_transfer *t, uint64_t passes, int r)
{
    bool ahead = false, back = false;

    for (; passes != 0; passes &= passes - 1) {
        int64_t shift = t->passes[__builtin_ctzll(passes)].shift[r];
        ahead |= shift > 0;
        back |= shift < 0;
    }
    return ahead != back;
}

/* A circle has no wire along a row over which wires lead one way. */
bool sator_mapper_may_circle(
        const struct mapper_problem *p, const struct mapper_transfer *t, uint64_t passes)
{
    int r = 0;

    while (r < p->n_rows) {
        uint64_t left = 0;
        if (!leads_one_way(t, passes, r)) {
            r++;
            continue;
        }
        for (int i = 0; i < t->n_passes; i++)
            left |= (passes >> i & 1) && t->passes[i].shift[r] == 0 ? UINT64_C(1) << i : 0;
        passes = left;
        r = 0;
    }
    return passes != 0;
}

/* The wires that are used. */
static uint64_t wires_of(const struct mapper_transfer *t)
{
    uint64_t wires = 0;

    for (int i = 0; i < t->n_passes; i++)
        wires |= t->passes[i].interval == 0 && !t->passes[i].is_idle ? UINT64_C(1) << i : 0;
    return wires;
}

/* Links at constant distances may be all there is in a network that is complex for bounds: several
 * wires that cross, or links from further back than the stamp before. What they bring in a mapping
 * has a formula, too (late.c). "transfer" is as before it was said to be complex. */
static void keep_links(
        struct mapper_problem *p, struct mapper_transfer *t, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[t->access];
    bool has_formula = t->n_passes > 0 && t->n_passes < MOST_LINKS && t->network->n_buses == 0 &&
            t->latest <= MAPPER_LATEST && t->ahead <= MAPPER_LATEST && !access->is_counted &&
            sator_mapper_passed_rows(p, t) == 0;
    uint64_t wires = 0;
    bool shifts_wires = false;

    for (int i = 0; i < t->n_passes; i++) {
        const struct mapper_pass *pass = &t->passes[i];
        has_formula &=
                pass->is_constant && (access->role == SATOR_READ || pass->link->interval < 2);
        wires |= pass->link->interval == 0 ? UINT64_C(1) << i : 0;
        shifts_wires |= pass->link->interval == 0 && pass->interval != 0;
    }
    has_formula &= !shifts_wires || !sator_mapper_may_circle(p, t, wires);
    if (!has_formula || !sator_mapper_lists_links(p, transfer))
        return;
    transfer->is_complex = false;
    transfer->may_pass = true;
    transfer->may_go_round = sator_mapper_may_circle(p, t, wires_of(t));
    t->links_alone = transfer;
}

enum sator_status sator_mapper_wire(
        struct sator_ctx *ctx, struct mapper_problem *p, struct mapper_transfer *transfer)
{
    const struct mapper_access *access = &p->access[transfer->access];
    unsigned reached = 0;
    int last_level = -1;

    transfer->latest = 1;
    for (int r = 0; r < transfer->child_row; r++) {
        int level = p->row[r].level;
        if (!(transfer->between >> r & 1) || level == last_level)
            continue;
        last_level = level;
        if (add_array(p, level, transfer))
            reached |= sator_mapper_array_rows(p, level);
    }
    if (transfer->linked_rows != 0 || transfer->n_buses >= 2)
        transfer->is_complex |= has_core(access);
    if (transfer->grouped_rows != 0)
        transfer->is_complex |= transfer->n_passes > 0 || access->is_counted;
    transfer->reaches_back |=
            sator_mapper_counts_skew(p) && sator_mapper_passed_rows(p, transfer) != 0;
    find_passes(p, transfer);
    struct mapper_transfer *before = SATOR_NEW(p->arena, struct mapper_transfer);
    *before = *transfer;
    if (transfer->reaches_back) {
        transfer->is_complex = true;
        transfer->may_pass = false;
    }
    transfer->apart |= transfer->grouped_rows;
    transfer->is_quotient = !transfer->is_complex && access->is_quotient;
    transfer->is_counted = transfer->is_complex || (access->is_counted && !transfer->is_quotient);
    if (transfer->is_complex) {
        transfer->collapsed = transfer->apart = reached;
        transfer->wired = transfer->grouped_rows = 0;
        transfer->n_buses = 0;
        transfer->link = NULL;
    }
    bool is_asked =
            transfer->is_counted || transfer->has_late || (p->skew != NULL && p->skew->across);
    if (!is_asked)
        return SATOR_OK;
    enum sator_status st = find_network(ctx, p, transfer);
    if (st == SATOR_OK && transfer->is_complex)
        keep_links(p, transfer, before);
    return st;
}
