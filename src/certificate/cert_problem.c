/* From a workload and a machine to the space that a certificate covers, and the prices of its
 * words (doc/model.md, section 4). Written for this alone: the search has its own. */
#include "base/context.h"
#include "certificate/certificate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    struct sator_ctx *ctx;
    struct cert_problem *p;
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct cert_space *space;
    int n_pairs; /* of a memory and a tensor that may bypass it, so far */
    const char **why;
    int loop_at[64]; /* of the workload's; -1: one iteration */
};

/* What certificates do not cover. */
static enum sator_status refuse(struct maker *k, const char *why)
{
    if (*k->why == NULL)
        *k->why = why;
    return SATOR_INPUT;
}

/* ---- loops and tensors ---- */

static void find_divisors(struct cert_problem *p, int loop)
{
    int64_t *list = NULL;
    int n = 0;

    for (int64_t d = 1; d <= p->extent[loop] / d; d++) {
        if (p->extent[loop] % d == 0)
            SATOR_PUSH(p->arena, list, n, d);
    }
    for (int i = n - 1; i >= 0; i--) {
        if (list[i] * list[i] != p->extent[loop])
            SATOR_PUSH(p->arena, list, n, p->extent[loop] / list[i]);
    }
    p->divisors[loop] = list;
    p->n_divisors[loop] = n;
}

static enum sator_status add_loops(struct maker *k)
{
    const struct sator_workload *w = k->workload;
    struct cert_problem *p = k->p;

    if (!w->is_box || w->lower == NULL || w->n_loops > 64)
        return refuse(k, "a domain that is no box");
    p->instances = 1;
    for (int i = 0; i < w->n_loops; i++) {
        int64_t extent = w->upper[i] - w->lower[i];
        k->loop_at[i] = -1;
        if (extent <= 1)
            continue;
        if (p->n_loops == CERT_LOOPS || extent > INT64_C(1) << 40)
            return refuse(k, "more than 16 loops, or longer ones than 2^40");
        k->loop_at[i] = p->n_loops;
        p->loop_name[p->n_loops] = w->loop_names[i];
        p->extent[p->n_loops] = extent;
        p->instances *= (double)extent;
        find_divisors(p, p->n_loops++);
    }
    return p->instances < 0x1p53 ? SATOR_OK : refuse(k, "more than 2^53 loop instances");
}

static enum sator_status add_dim(
        struct maker *k, const struct sator_expr *expr, struct cert_tensor *t)
{
    struct cert_index *index = &t->dim[t->n_dims];
    unsigned loops = 0;

    *index = (struct cert_index){0};
    for (int i = 0; i < expr->n_terms; i++) {
        if (expr->terms[i].atom != SATOR_ATOM_VAR)
            return refuse(k, "an index that is no sum of loops");
        int loop = k->loop_at[expr->terms[i].var];
        if (loop < 0)
            continue;
        index->loop[index->n] = loop;
        index->coef[index->n++] = expr->terms[i].factor;
        if (llabs(expr->terms[i].factor) > 1 << 20)
            return refuse(k, "a coefficient beyond 2^20");
        loops |= 1U << loop;
    }
    if ((t->relevant & loops) != 0)
        return refuse(k, "a loop in several indices of a tensor");
    t->relevant |= loops;
    t->plain |= index->n == 1 ? loops : 0;
    t->n_dims += index->n > 0;
    return SATOR_OK;
}

static double footprint(const struct cert_problem *p, const struct cert_tensor *t)
{
    double words = 1;

    for (int e = 0; e < t->n_dims; e++) {
        struct cert_run run[CERT_LOOPS];
        for (int i = 0; i < t->dim[e].n; i++)
            run[i] = (struct cert_run){t->dim[e].coef[i], p->extent[t->dim[e].loop[i]]};
        words *= cert_sums(t->dim[e].n, run);
    }
    return words;
}

static enum sator_status add_tensor(struct maker *k, const struct sator_access *access)
{
    struct cert_problem *p = k->p;
    const struct sator_piece *piece = sator_relation_function(access->relation);
    struct cert_tensor *t = &p->tensor[p->n_tensors];
    enum sator_status st = SATOR_OK;

    if (p->n_tensors == CERT_TENSORS || access->relation->n_out >= CERT_DIMS)
        return refuse(k, "more than 8 tensors or dimensions");
    if (piece == NULL)
        return refuse(k, "a tensor touched at several places, or under conditions");
    *t = (struct cert_tensor){.name = access->tensor, .is_output = access->role == SATOR_WRITE};
    for (int a = 0; a < p->n_tensors; a++) {
        if (strcmp(p->tensor[a].name, t->name) == 0)
            return refuse(k, "an operation in place");
    }
    for (int d = 0; d < access->relation->n_out; d++)
        SATOR_TRY(add_dim(k, piece->out[d], t));
    t->footprint = footprint(p, t);
    t->volume = p->instances;
    p->n_tensors++;
done:
    return st;
}

/* ---- memories ---- */

static bool listed(const char *name, int n, const char *const *names)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool has_own_capacity(const struct sator_memory *spec, const char *tensor)
{
    for (int c = 0; c < spec->n_capacities; c++) {
        if (spec->capacities[c].tensor != NULL && strcmp(spec->capacities[c].tensor, tensor) == 0)
            return true;
    }
    return false;
}

static void add_capacities(const struct cert_problem *p, struct cert_memory *m)
{
    for (int c = 0; c < m->spec->n_capacities && c <= CERT_TENSORS; c++) {
        const struct sator_capacity *spec = &m->spec->capacities[c];
        struct cert_capacity *made = &m->capacity[m->n_capacities];
        made->in_bits = isnan(spec->words);
        made->available = floor((made->in_bits ? spec->bytes * 8 : spec->words) /
                (m->spec->double_buffered ? 2 : 1));
        made->tensors = 0;
        for (int a = 0; a < p->n_tensors; a++) {
            const char *name = p->tensor[a].name;
            bool counts = spec->tensor != NULL ? strcmp(spec->tensor, name) == 0
                                               : !has_own_capacity(m->spec, name);
            made->tensors |= counts && (m->holds >> a & 1) ? 1U << a : 0;
        }
        m->n_capacities += made->tensors != 0;
    }
}

/* An energy that is not given counts as 0 where none is asked for. */
static enum sator_status figure(struct maker *k, double pj, double *known)
{
    *known = isnan(pj) ? 0 : pj;
    return isnan(pj) && k->p->objective != SATOR_MAP_LATENCY
            ? refuse(k, "energies that are not given")
            : SATOR_OK;
}

static enum sator_status add_memory(struct maker *k, int level, double instances)
{
    struct cert_problem *p = k->p;
    struct cert_memory *m = &p->memory[p->n_memories];
    const struct sator_memory *spec = &k->arch->levels[level].memory;
    enum sator_status st = SATOR_OK;

    if (p->n_memories == CERT_MEMORIES || p->n_rows == CERT_ROWS)
        return refuse(k, "more than 10 memories");
    *m = (struct cert_memory){.spec = spec, .row = p->n_rows};
    p->holds_idle |= spec->holds_idle;
    p->leakage_pj += isnan(spec->leakage_pj.value) ? 0 : spec->leakage_pj.value * instances;
    for (int a = 0; a < p->n_tensors; a++) {
        const struct sator_access *access = &k->workload->accesses[a];
        const char *name = access->tensor;
        bool holds = (spec->n_tensors == 0 || listed(name, spec->n_tensors, spec->tensors)) &&
                !listed(name, spec->n_bypass, spec->bypass);
        if (holds && listed(name, spec->n_may_bypass, spec->may_bypass)) {
            holds = !(k->space->choice >> k->n_pairs & 1);
            k->n_pairs++;
        }
        m->holds |= holds ? 1U << a : 0;
        m->bits[a] = sator_memory_word_bits(spec, name, access->word_bits);
        double read = sator_memory_action(NULL, spec, name, access->word_bits, false).word_pj;
        double write = sator_memory_action(NULL, spec, name, access->word_bits, true).word_pj;
        if (holds) {
            SATOR_TRY(figure(k, read, &m->read_pj[a]));
            SATOR_TRY(figure(k, write, &m->write_pj[a]));
        }
    }
    add_capacities(p, m);
    p->row[p->n_rows++] =
            (struct cert_row){.memory = p->n_memories++, .level = level, .n_shapes = 1, .pes = 1};
done:
    return st;
}

/* ---- the levels ---- */

static enum sator_status add_levels(struct maker *k)
{
    struct cert_problem *p = k->p;
    double instances = 1;
    enum sator_status st = SATOR_OK;

    p->cycles = 1;
    for (int i = 0; i < k->arch->n_levels; i++) {
        const struct sator_level *level = &k->arch->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY) {
            SATOR_TRY(add_memory(k, i, instances));
        } else if (level->kind == SATOR_LEVEL_COMPUTE) {
            double pj =
                    sator_compute_figure(p->arena, &level->compute, sator_operand_bits(k->workload))
                            .value;
            SATOR_TRY(figure(k, pj, &p->mac_pj));
            p->cycles = p->is_scheduled ? ceil(level->compute.cycles) : level->compute.cycles;
            double leakage = level->compute.leakage_pj.value;
            p->leakage_pj += isnan(leakage) ? 0 : leakage * instances;
        }
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++) {
            if (p->n_rows == CERT_ROWS)
                return refuse(k, "more than 24 memories and array dimensions");
            int64_t shape = level->array.shape[d];
            p->row[p->n_rows] = (struct cert_row){.is_space = true,
                    .memory = d, /* until rows are joined: the dimension */
                    .level = i,
                    .n_shapes = 1,
                    .shape = {shape},
                    .pes = shape,
                    .step = k->space->step[p->n_rows]};
            p->n_rows++;
            instances *= (double)shape;
        }
    }
    if (p->n_memories == 0 || p->row[0].is_space)
        return refuse(k, "no memory outside the arrays");
    for (int a = 0; a < p->n_tensors; a++) {
        if (!(p->memory[0].holds >> a & 1))
            return refuse(k, "a tensor that the outermost memory does not hold");
    }
done:
    return st;
}

/* ---- moves ---- */

static void join_bus_price(struct cert_move *move, double pj)
{
    move->bus_pj = move->has_network ? fmin(move->bus_pj, pj) : pj;
    move->has_network = true;
}

/* Note a link for where words are counted. */
static enum sator_status add_hop(
        struct maker *k, const struct cert_hop *hop, struct cert_move *move)
{
    if (move->n_hops == CERT_LINKS && hop->is_late)
        return refuse(k, "more than 12 links of a tensor");
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
static enum sator_status add_link(struct maker *k, int level, const struct sator_link *link,
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
            return refuse(k, "links with a map that is no distance");
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

static enum sator_status add_bus(
        struct maker *k, int level, const struct sator_bus *bus, double pj, struct cert_move *move)
{
    const struct sator_piece *piece = sator_relation_function(bus->map);
    struct cert_bus made = {.pj = pj};
    unsigned kept = 0;

    if (piece == NULL)
        return refuse(k, "buses with another map than along dimensions");
    for (int i = 0; i < bus->map->n_out; i++) {
        const struct sator_expr *out = piece->out[i];
        if (out->n_terms == 0)
            continue;
        if (out->n_terms != 1 || out->terms[0].atom != SATOR_ATOM_VAR)
            return refuse(k, "buses with another map than along dimensions");
        kept |= 1U << out->terms[0].var;
    }
    for (int r = 0; r < k->p->n_rows; r++) {
        const struct cert_row *row = &k->p->row[r];
        if (row->is_space && row->level == level && !(kept >> row->memory & 1)) {
            made.joined |= 1U << r;
            move->wired &= ~(1U << r);
        }
    }
    if (move->n_buses == CERT_BUSES)
        return refuse(k, "more than 4 buses of a tensor");
    move->shared |= made.joined;
    move->bused |= made.joined;
    move->connected |= made.joined;
    move->bus[move->n_buses++] = made;
    return SATOR_OK;
}

static bool serves(int n, const char *const *tensors, const char *name)
{
    return n == 0 || listed(name, n, tensors);
}

static enum sator_status add_wires(struct maker *k, int level, struct cert_move *move)
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
            return refuse(k, "links with a bandwidth by the scheduled time");
        SATOR_TRY(figure(
                k, sator_link_action(NULL, link, access->tensor, access->word_bits).word_pj, &pj));
        SATOR_TRY(add_link(k, level, link, pj, move));
        join_bus_price(move, pj);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (bus->is_reduction != is_output || !serves(bus->n_tensors, bus->tensors, access->tensor))
            continue;
        if (k->p->is_scheduled && !isnan(bus->bandwidth_bits))
            return refuse(k, "buses and trees with a bandwidth by the scheduled time");
        SATOR_TRY(figure(
                k, sator_bus_action(NULL, bus, access->tensor, access->word_bits).word_pj, &pj));
        SATOR_TRY(add_bus(k, level, bus, pj, move));
        join_bus_price(move, pj);
        move->merges |= is_output;
    }
done:
    return st;
}

static int lane_of(const struct maker *k, const struct sator_lane *const *lanes, const int *n,
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

static enum sator_status add_lanes(struct maker *k)
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
                return refuse(k, "more than 32 ports with a bandwidth");
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
static bool waits(const struct maker *k, int m)
{
    const struct sator_level *level = &k->arch->levels[k->p->row[k->p->memory[m].row].level];

    return level == sator_arch_scratchpad(k->arch) && !level->memory.overlaps;
}

static void set_kinds(const struct maker *k, struct cert_move *move)
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

static enum sator_status add_move(struct maker *k, int tensor, int parent, int child)
{
    struct cert_problem *p = k->p;
    struct cert_move *move = &p->move[p->n_moves];
    unsigned linked = 0;
    int last = -1;
    enum sator_status st = SATOR_OK;

    if (p->n_moves == CERT_MOVES)
        return refuse(k, "too many memories and tensors");
    *move = (struct cert_move){
            .tensor = tensor, .parent = parent, .child = child, .inward = -1, .read_lane = -1};
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
    move->is_directed = move->n_links > 0 && move->n_links <= CERT_LINKS &&
            (move->bused == 0 ||
                    ((move->bused & linked) == 0 &&
                            p->tensor[tensor].relevant == p->tensor[tensor].plain));
    bool is_mixed = move->merges && move->n_links > 0;
    p->has_odd |= is_mixed && k->space->is_skewed;
    p->is_left_out |= is_mixed && k->space->is_skewed && !k->p->counts;
    move->is_odd =
            is_mixed || (move->merges && p->tensor[tensor].relevant != p->tensor[tensor].plain);
    p->n_moves++;
done:
    return st;
}

static enum sator_status add_moves(struct maker *k)
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
static void ban_passed(struct cert_problem *p)
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
static void join_rows(struct cert_problem *p, bool apart)
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

enum sator_status cert_problem_init(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct cert_question *question, const struct cert_space *space,
        struct cert_problem *problem, const char **why)
{
    const struct sator_workload *workload = question->workload;
    struct maker k = {.ctx = ctx,
            .p = problem,
            .workload = workload,
            .arch = question->arch,
            .space = space,
            .why = why};
    static const struct cert_part nothing; /* is decided */
    enum sator_status st;

    *problem = (struct cert_problem){.arena = arena,
            .objective = question->objective,
            .is_scheduled = question->is_scheduled,
            .across = space->across,
            .counts = question->counts && !space->across};
    problem->counting = SATOR_NEW(arena, uint64_t);
    *problem->counting = 0;
    *why = NULL;
    SATOR_TRY(add_loops(&k));
    for (int i = 0; i < workload->n_accesses; i++)
        SATOR_TRY(add_tensor(&k, &workload->accesses[i]));
    SATOR_TRY(add_levels(&k));
    SATOR_TRY(add_moves(&k));
    for (int i = 0; i < question->n_constraints; i++) {
        const char *text = question->constraints[i];
        if (!cert_limits_add(problem, workload, question->arch, text))
            return refuse(&k, sator_arena_printf(arena, "the constraint '%s'", text));
    }
    ban_passed(problem);
    for (int i = 0; i < problem->n_moves; i++) {
        problem->move[i].may_count = cert_is_counted(problem, &nothing, &problem->move[i]);
        if (problem->move[i].may_count && problem->is_scheduled)
            return refuse(&k, "words that have no formula by the scheduled time");
    }
    join_rows(problem, space->apart);
done:
    return st;
}

int cert_count_choices(const struct sator_workload *workload, const struct sator_arch *arch)
{
    int pairs = 0;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_memory *spec = &arch->levels[i].memory;
        for (int a = 0; a < workload->n_accesses && arch->levels[i].kind == SATOR_LEVEL_MEMORY;
                a++) {
            const char *name = workload->accesses[a].tensor;
            pairs += (spec->n_tensors == 0 || listed(name, spec->n_tensors, spec->tensors)) &&
                    !listed(name, spec->n_bypass, spec->bypass) &&
                    listed(name, spec->n_may_bypass, spec->may_bypass);
        }
    }
    return pairs;
}
