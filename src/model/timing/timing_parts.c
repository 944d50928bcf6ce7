/* What a transfer without links moves, by products: where no index or loop joins two sets of
 * digits, the pairs of a stamp are the product of the sets' own pairs, and so are those
 * that were held before or will be held after. Each set is listed for itself, which is short
 * (doc/counting.md, "Lists", has the idea).
 */
#include "model/timing/timing_parts.h"
#include "model/timing/timing_nest.h"

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
            matters |= nest->digits[i].loop == l && parts_has_weight(p, i);
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
            if (nest->digits[i].loop == l && !parts_fix(p, i) &&
                    (p->access->uses[l] || parts_has_weight(p, i)))
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
        timing_moves_push(moves, p->nest->timing->arena, row);
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
        if (nest_spreads(p->nest, p->transfer, i) &&
                nest_is_along(p->nest, i, p->transfer->fresh_space, p->transfer->holder_space))
            return true;
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

static enum nest_starts start_of(const struct parts *p, const struct nest_stamp *stamp)
{
    if (!p->is_output || stamp == NULL)
        return NEST_GOES_ON;
    return nest_who_starts(p->nest, p->transfer, p->n_fixed, stamp);
}

/* What "stamp" takes up, coming from the stamp before, and what leaves that one. */
static bool add_step(struct parts *p, const struct nest_stamp *before,
        const struct nest_stamp *stamp, int64_t x, bool one_by_one,
        struct timing_movement *movement)
{
    const struct shares *sent[NEST_DIGITS], *arrived[NEST_DIGITS], *stored[NEST_DIGITS];
    const struct shares *started[NEST_DIGITS], *taken[NEST_DIGITS], *got[NEST_DIGITS];
    int n_shared = 0;
    const enum nest_starts start = start_of(p, stamp);

    for (int k = 0; k < p->n; k++) {
        const struct step *step = parts_find_step(p, &p->part[k], before, stamp);
        if (step == NULL || !step->is_even)
            return false;
        started[k] = &step->started;
        taken[k] = &step->taken;
        got[k] = start == NEST_OTHERS_START ? &step->taken_got : &step->got;
        n_shared += step->is_shared;
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
        if (p->transfer->arrives.port >= 0)
            add_products(p, got, one_by_one, p->constant, x, &movement->arrived);
        return p->is_one_sum && (p->transfer->arrives.port < 0 || n_shared <= 1);
    }
    if (start == NEST_ALL_START) { /* of instances without a common tree the first starts a sum */
        add_products(p, started, one_by_one, p->holder_constant, x, &movement->sent);
        return p->transfer->arrives.port < 0 && !spreads_over_holders(p);
    }
    const bool is_got = p->is_output && p->transfer->transport.n_buses > 0;
    add_products(p, sent, one_by_one, p->holder_constant, x, &movement->sent);
    if (p->transfer->arrives.port >= 0)
        add_products(p, is_got ? got : arrived, one_by_one, p->constant, x, &movement->arrived);
    return !is_got || p->transfer->arrives.port < 0 || n_shared <= 1;
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
