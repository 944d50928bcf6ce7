/* What moves between memories: over which links, buses and trees, when, and through which ports. */
#include "certificate/cert_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- moves ---- */

static void join_bus_price(struct cert_move *move, double pj)
{
    move->bus_pj = move->has_network ? fmin(move->bus_pj, pj) : pj;
    move->has_network = true;
}

/* Note a link for where words are counted. */
static enum sator_status add_hop(
        struct cert_maker *k, const struct cert_hop *hop, struct cert_move *move)
{
    if (move->n_hops == CERT_LINKS && hop->is_late)
        return cert_refuse(k, "more than 12 links of a tensor");
    for (int r = 0; r < k->p->n_rows; r++)
        move->connected |= hop->shift[r] != 0 ? 1U << r : 0;
    move->has_more |= move->n_hops == CERT_LINKS;
    if (move->n_hops < CERT_LINKS)
        move->hop[move->n_hops++] = *hop;
    return SATOR_OK;
}

/* Add a link. Those from the stamp before bring nothing of a tensor without windows: whoever held a
 * tile in the stamp before has the same digits of the loops that stand alone now, and the receiver
 * held it then, too. What a skew makes late, or has come from PEs ahead, has no formula. */
static enum sator_status add_link(struct cert_maker *k, int level, const struct sator_link *link,
        double pj, struct cert_move *move)
{
    const struct cert_problem *p = k->p;
    const struct cert_tensor *t = &p->tensor[move->tensor];
    struct cert_link made = {.shift = {0}};
    struct cert_hop hop = {.interval = link->interval, .pj = pj};
    int64_t late = link->interval;
    unsigned rows = 0, far = 0;
    bool leads = true;
    enum sator_status st = SATOR_OK;

    for (int r = 0; r < p->n_rows; r++) {
        const struct cert_row *row = &p->row[r];
        if (!row->is_space || row->level != level)
            continue;
        if (!cert_link_shift(link, row->memory, &made.shift[r]))
            return cert_refuse(k, "links with a map that is no distance");
        leads &= llabs(made.shift[r]) < row->pes;
        late -= row->step * made.shift[r];
        rows |= made.shift[r] != 0 ? 1U << r : 0;
        far |= llabs(made.shift[r]) > 1 ? 1U << r : 0;
    }
    made.is_wire = late == 0;
    hop.is_late = late < 0 || late > 1;
    memcpy(hop.shift, made.shift, sizeof hop.shift);
    k->p->has_late |= leads && hop.is_late && k->space->is_skewed;
    if ((rows == 0 && !hop.is_late) || !leads)
        return SATOR_OK;
    if (!hop.is_late || !k->space->is_skewed || k->p->counts)
        SATOR_TRY(add_hop(k, &hop, move));
    if (hop.is_late || (!made.is_wire && t->relevant == t->plain))
        return SATOR_OK;
    if (move->n_links < CERT_LINKS)
        move->link[move->n_links] = made;
    move->n_links++;
    if (!made.is_wire) {
        move->passed |= rows;
        return SATOR_OK;
    }
    move->wired = ((move->wired | (rows & ~move->shared)) & ~far) | (move->wired & ~rows);
    move->shared |= rows;
done:
    return st;
}

/* Set by dimension of its array how many PEs next to each other share the bus, 0: all. False where
 * its map is another one. */
static bool find_groups(const struct sator_bus *bus, int64_t *group)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);

    memset(group, 0, sizeof *group * CERT_ROWS);
    for (int i = 0; piece != NULL && i < bus->map->n_out; i++) {
        const struct sator_expr *out = piece->out[i];
        const struct sator_term *term = out->terms;
        int64_t pes = 1;
        if (out->n_terms == 0)
            continue;
        if (out->n_terms == 1 && term->atom == SATOR_ATOM_FLOOR && term->argument->constant == 0 &&
                term->argument->n_terms == 1 && term->argument->terms->factor == 1) {
            pes = term->divisor;
            term = term->argument->terms;
        }
        if (out->n_terms != 1 || term->atom != SATOR_ATOM_VAR || group[term->var] != 0)
            return false;
        group[term->var] = pes;
    }
    return piece != NULL;
}

static enum sator_status add_bus(struct cert_maker *k, int level, const struct sator_bus *bus,
        double pj, struct cert_move *move)
{
    struct cert_bus made = {.pj = pj};
    int64_t group[CERT_ROWS];
    const unsigned before = move->shared | move->passed | move->connected;

    if (!find_groups(bus, group))
        return cert_refuse(k, "buses that are not along dimensions, or equal parts of them");
    for (int r = 0; r < k->p->n_rows; r++) {
        const struct cert_row *row = &k->p->row[r];
        if (!row->is_space || row->level != level || group[row->memory] == 1)
            continue;
        made.joined |= 1U << r;
        move->wired &= ~(1U << r);
        if ((before >> r & 1) && (move->group[r] > 0 || group[row->memory] > 0))
            return cert_refuse(k, "buses of parts of a dimension beside other buses or links");
        move->group[r] = group[row->memory] < row->pes ? group[row->memory] : 0;
    }
    if (move->n_buses == CERT_BUSES)
        return cert_refuse(k, "more than 4 buses of a tensor");
    move->shared |= made.joined;
    move->bused |= made.joined;
    move->connected |= made.joined;
    move->bus[move->n_buses++] = made;
    return SATOR_OK;
}

static bool serves(int n, const char *const *tensors, const char *name)
{
    return n == 0 || cert_listed(name, n, tensors);
}

static enum sator_status add_wires(struct cert_maker *k, int level, struct cert_move *move)
{
    const struct sator_array *array = &k->arch->levels[level].array;
    const struct sator_access *access = &k->workload->accesses[move->tensor];
    bool is_output = k->p->tensor[move->tensor].is_output;
    double pj;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        if (!serves(link->n_tensors, link->tensors, access->tensor))
            continue;
        if (k->p->is_scheduled && !isnan(link->bandwidth_bits))
            return cert_refuse(k, "links with a bandwidth by the scheduled time");
        SATOR_TRY(cert_figure(
                k, sator_link_action(NULL, link, access->tensor, access->word_bits).word_pj, &pj));
        SATOR_TRY(add_link(k, level, link, pj, move));
        join_bus_price(move, pj);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (bus->is_reduction != is_output || !serves(bus->n_tensors, bus->tensors, access->tensor))
            continue;
        if (k->p->is_scheduled && !isnan(bus->bandwidth_bits))
            return cert_refuse(k, "buses and trees with a bandwidth by the scheduled time");
        SATOR_TRY(cert_figure(
                k, sator_bus_action(NULL, bus, access->tensor, access->word_bits).word_pj, &pj));
        SATOR_TRY(add_bus(k, level, bus, pj, move));
        join_bus_price(move, pj);
        move->merges |= is_output;
    }
done:
    return st;
}

static int lane_of(const struct cert_maker *k, const struct sator_lane *const *lanes, const int *n,
        const int *first, int m, int tensor, bool writes)
{
    const struct cert_problem *p = k->p;
    int at = first[m];

    for (int i = 0; i < n[m]; i++) {
        if (isnan(lanes[m][i].bits))
            continue;
        if (sator_lane_serves(p->memory[m].spec, &lanes[m][i], p->tensor[tensor].name, writes))
            return at;
        at++;
    }
    return -1;
}

static enum sator_status add_lanes(struct cert_maker *k)
{
    struct cert_problem *p = k->p;
    const struct sator_lane *lanes[CERT_MEMORIES];
    int n[CERT_MEMORIES], first[CERT_MEMORIES];

    for (int m = 0; m < p->n_memories; m++) {
        const struct sator_level *level = &k->arch->levels[p->row[p->memory[m].row].level];
        lanes[m] = sator_memory_lanes(p->arena, level, &n[m]);
        first[m] = p->n_lanes;
        for (int i = 0; i < n[m]; i++) {
            if (isnan(lanes[m][i].bits))
                continue;
            if (p->n_lanes == CERT_LANES)
                return cert_refuse(k, "more than 32 ports with a bandwidth");
            p->lane[p->n_lanes++] = (struct cert_lane){m, lanes[m][i].bits,
                    (double)lanes[m][i].burst.setup_cycles, (double)lanes[m][i].burst.granule_bits};
        }
    }
    for (int i = 0; i < p->n_moves; i++) {
        struct cert_move *v = &p->move[i];
        bool is_output = p->tensor[v->tensor].is_output;
        v->read_lane = lane_of(k, lanes, n, first, v->parent, v->tensor, false);
        v->update_lane = is_output ? lane_of(k, lanes, n, first, v->parent, v->tensor, true) : -1;
        v->fill_lane = v->child == p->n_memories
                ? -1
                : lane_of(k, lanes, n, first, v->child, v->tensor, true);
    }
    for (int a = 0; a < p->n_tensors; a++) {
        for (int writes = 0; writes < 2; writes++)
            p->own_lane[a][writes] =
                    p->own[a] < 0 ? -1 : lane_of(k, lanes, n, first, p->own[a], a, writes == 1);
    }
    return SATOR_OK;
}

static unsigned space_rows(const struct cert_problem *p, int from, int to)
{
    unsigned rows = 0;

    for (int r = from; r < to; r++)
        rows |= p->row[r].is_space ? 1U << r : 0;
    return rows;
}

/* ---- when words move ---- */

/* Whether nothing runs while words pass the memory's ports, unless what is inside of it says so. */
static bool waits(const struct cert_maker *k, int m)
{
    const struct sator_level *level = &k->arch->levels[k->p->row[k->p->memory[m].row].level];

    return level == sator_arch_scratchpad(k->arch) && !level->memory.overlaps;
}

static void set_kinds(const struct cert_maker *k, struct cert_move *move)
{
    const struct cert_problem *p = k->p;
    const char *tensor = p->tensor[move->tensor].name;
    const bool is_inner = move->child < p->n_memories; /* else compute units */
    const struct sator_transfers *said = is_inner ? &p->memory[move->child].spec->transfers : NULL;
    bool is_said = is_inner && said->others != SATOR_TRANSFER_UNSAID;

    for (int i = 0; is_inner && i < said->n_tensors; i++)
        is_said |= strcmp(said->tensors[i].tensor, tensor) == 0;
    for (int of_stamps = 0; of_stamps < 2; of_stamps++) {
        if (!is_said && waits(k, move->parent))
            move->kind[of_stamps] = SATOR_TRANSFER_SERIAL;
        else if (!is_inner)
            move->kind[of_stamps] = SATOR_TRANSFER_STREAMED;
        else
            move->kind[of_stamps] = sator_memory_transfers(k->arch,
                    &k->arch->levels[p->row[p->memory[move->child].row].level], tensor,
                    of_stamps == 1);
    }
}

static enum sator_status add_move(struct cert_maker *k, int tensor, int parent, int child)
{
    struct cert_problem *p = k->p;
    struct cert_move made = {
            .tensor = tensor, .parent = parent, .child = child, .inward = -1, .read_lane = -1};
    struct cert_move *move = &made;
    unsigned linked = 0;
    bool is_grouped = false;
    int last = -1;
    enum sator_status st = SATOR_OK;

    if (p->n_moves == CERT_MOVES)
        return cert_refuse(k, "too many memories and tensors");
    move->child_row = child == p->n_memories ? p->n_rows : p->memory[child].row;
    move->outer = space_rows(p, 0, p->memory[parent].row);
    move->between = space_rows(p, p->memory[parent].row, move->child_row);
    for (int r = p->memory[parent].row; r < move->child_row; r++) {
        if (!p->row[r].is_space || p->row[r].level == last)
            continue;
        last = p->row[r].level;
        SATOR_TRY(add_wires(k, last, move));
    }
    set_kinds(k, move);
    move->passed &= ~move->shared;
    for (int l = 0; l < move->n_links && l < CERT_LINKS; l++) {
        for (int r = 0; r < p->n_rows; r++)
            linked |= move->link[l].shift[r] != 0 ? 1U << r : 0;
    }
    for (int r = 0; r < p->n_rows; r++)
        is_grouped |= move->group[r] > 0;
    move->is_directed = move->n_links > 0 && !is_grouped && move->n_links <= CERT_LINKS &&
            (move->bused == 0 ||
                    ((move->bused & linked) == 0 &&
                            p->tensor[tensor].relevant == p->tensor[tensor].plain));
    bool is_mixed = move->merges && move->n_links > 0;
    p->has_odd |= is_mixed && k->space->is_skewed;
    p->is_left_out |= is_mixed && k->space->is_skewed && !k->p->counts;
    move->is_odd =
            is_mixed || (move->merges && p->tensor[tensor].relevant != p->tensor[tensor].plain);
    SATOR_PUSH(p->arena, p->move, p->n_moves, made);
done:
    return st;
}

enum sator_status cert_add_moves(struct cert_maker *k)
{
    struct cert_problem *p = k->p;
    enum sator_status st = SATOR_OK;

    for (int a = 0; a < p->n_tensors; a++) {
        int parent = 0;
        for (int m = 1; m < p->n_memories; m++) {
            if (!(p->memory[m].holds >> a & 1))
                continue;
            SATOR_TRY(add_move(k, a, parent, m));
            if (parent != 0)
                p->move[p->n_moves - 2].inward = p->n_moves - 1;
            parent = m;
        }
        p->own[a] = parent;
        p->own_waits[a] = waits(k, parent);
        if (space_rows(p, p->memory[parent].row, p->n_rows) == 0)
            continue;
        SATOR_TRY(add_move(k, a, parent, p->n_memories));
        if (parent != 0)
            p->move[p->n_moves - 2].inward = p->n_moves - 1;
        p->own[a] = -1;
    }
    st = add_lanes(k);
done:
    return st;
}

/* Whether some link of "move" joins PEs of "rows" that run at different times. */
static bool joins_times(const struct cert_problem *p, const struct cert_move *move, unsigned rows)
{
    bool any = move->n_links > CERT_LINKS;

    for (int l = 0; l < move->n_links && l < CERT_LINKS; l++) {
        int64_t later = 0;
        for (int r = 0; r < p->n_rows; r++)
            later += rows >> r & 1 ? p->row[r].step * move->link[l].shift[r] : 0;
        any |= later != 0;
    }
    return any;
}

/* Loops at a memory inside a skewed array that some tensor passes by stand between its words and
 * the row that is skewed, and so do the runs of another skewed array further in: there are none,
 * unless words are counted. */
void cert_ban_passed(struct cert_problem *p)
{
    for (int i = 0; i < p->n_moves; i++) {
        unsigned here = 0, outside = 0; /* skewed rows since the last memory, and before it */
        for (int r = 0; r < p->move[i].child_row; r++) {
            bool is_skewed = (p->move[i].between >> r & 1) && p->row[r].step != 0;
            outside |= p->row[r].is_space ? 0 : here;
            here = p->row[r].is_space ? here | (is_skewed ? 1U << r : 0) : 0;
            if (outside != 0 &&
                    (!p->row[r].is_space || (is_skewed && joins_times(p, &p->move[i], outside)))) {
                p->row[r].banned |= p->counts ? 0 : ~0U;
                p->has_passed = true;
            }
        }
    }
}

/* ---- rows that nothing tells apart ---- */

static bool is_alike(const struct cert_problem *p, bool apart, int r, int s)
{
    bool alike = p->row[r].is_space && p->row[s].is_space && p->row[r].level == p->row[s].level &&
            p->row[r].step == 0 && p->row[s].step == 0;

    for (int i = 0; i < p->n_moves; i++) {
        const struct cert_move *v = &p->move[i];
        alike &= (v->shared >> r & 1) == (v->shared >> s & 1);
        alike &= (v->passed >> r & 1) == (v->passed >> s & 1);
        alike &= (v->wired >> r & 1) == (v->wired >> s & 1);
        alike &= v->group[r] == 0 && v->group[s] == 0;
        alike &= !v->is_directed ||
                !((v->wired | v->passed) >> r & 1 || (v->wired | v->passed) >> s & 1);
        const struct cert_tensor *t = &p->tensor[v->tensor];
        const bool tells = v->may_count || (apart && t->relevant != t->plain); /* what is where */
        for (int k = 0; k < v->n_hops && tells; k++)
            alike &= v->hop[k].shift[r] == 0 && v->hop[k].shift[s] == 0;
        for (int k = 0; k < v->n_buses && tells; k++)
            alike &= (v->bus[k].joined >> r & 1) == (v->bus[k].joined >> s & 1);
    }
    for (int i = 0; i < p->n_limits; i++)
        alike &= (p->limit[i].rows >> r & 1) == (p->limit[i].rows >> s & 1);
    return alike;
}

static unsigned without_row(unsigned rows, int r)
{
    return (rows & ((1U << r) - 1)) | (rows >> 1 & ~((1U << r) - 1));
}

static void drop_shift(int64_t *shift, int r)
{
    memmove(&shift[r], &shift[r + 1], sizeof *shift * (size_t)(CERT_ROWS - r - 1));
}

/* Take row "r" away; what its factors say is in the one before. */
static void drop_row(struct cert_problem *p, int r)
{
    for (int i = 0; i < p->n_moves; i++) {
        struct cert_move *v = &p->move[i];
        for (int k = 0; k < v->n_hops; k++)
            v->is_blurred |= v->hop[k].shift[r] != 0 || v->hop[k].shift[r - 1] != 0;
        for (int k = 0; k < v->n_buses; k++)
            v->is_blurred |= (v->bus[k].joined >> r & 1) != (v->bus[k].joined >> (r - 1) & 1);
        p->is_blurred |=
                v->is_blurred && p->tensor[v->tensor].relevant != p->tensor[v->tensor].plain;
        v->outer = without_row(v->outer, r);
        v->between = without_row(v->between, r);
        v->shared = without_row(v->shared, r);
        v->wired = without_row(v->wired, r);
        v->bused = without_row(v->bused, r);
        v->passed = without_row(v->passed, r);
        v->connected = without_row(v->connected, r);
        drop_shift(v->group, r);
        for (int k = 0; k < v->n_buses; k++)
            v->bus[k].joined = without_row(v->bus[k].joined, r);
        for (int k = 0; k < v->n_links && k < CERT_LINKS; k++)
            drop_shift(v->link[k].shift, r);
        for (int k = 0; k < v->n_hops; k++)
            drop_shift(v->hop[k].shift, r);
        v->child_row -= v->child_row > r;
    }
    for (int i = 0; i < p->n_limits; i++)
        p->limit[i].rows = without_row(p->limit[i].rows, r);
    for (int m = 0; m < p->n_memories; m++)
        p->memory[m].row -= p->memory[m].row > r;
    memmove(&p->row[r], &p->row[r + 1], sizeof *p->row * (size_t)(p->n_rows - r - 1));
    p->n_rows--;
}

/* Neighbouring dimensions that share the same words of the same moves are one row: only what a
 * loop has over all of them together matters. */
void cert_join_rows(struct cert_problem *p, bool apart)
{
    for (int r = 0; r + 1 < p->n_rows; r++) {
        struct cert_row *row = &p->row[r];
        while (r + 1 < p->n_rows && row->n_shapes < CERT_SHAPES && is_alike(p, apart, r, r + 1)) {
            row->shape[row->n_shapes++] = p->row[r + 1].shape[0];
            row->pes *= p->row[r + 1].pes;
            drop_row(p, r + 1);
        }
    }
}
