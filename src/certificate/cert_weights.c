/* Energy and time as sums over words (doc/certificate.md, "Sums"). */
#include "certificate/cert_bound.h"

#include <math.h>

int64_t cert_spread(
        const struct cert_problem *p, const struct cert_part *part, unsigned rows, int loop)
{
    int64_t product = 1;

    for (int r = 0; r < p->n_rows; r++)
        product *= rows >> r & 1 ? part->factor[r][loop] : 1;
    return product;
}

void cert_inside(
        const struct cert_problem *p, const struct cert_part *part, int row, int64_t *extent)
{
    for (int i = 0; i < p->n_loops; i++) {
        extent[i] = 1;
        for (int r = row; r < p->n_rows; r++)
            extent[i] *= part->factor[r][i];
    }
}

int64_t cert_extent(const struct cert_problem *p, const struct cert_part *part, int loop)
{
    const int row = p->memory[p->n_memories - 1].row;
    const int64_t tile = part->factor[row][loop];

    if (!p->fills || !(part->known[row] >> loop & 1))
        return p->extent[loop];
    return (p->extent[loop] + tile - 1) / tile * tile;
}

double cert_share(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move)
{
    double share = 1;

    for (int i = 0; i < p->n_loops && p->fills; i++)
        share *= p->tensor[move->tensor].relevant >> i & 1
                ? (double)p->extent[i] / (double)cert_extent(p, part, i)
                : 1;
    return share;
}

bool cert_divides(const struct cert_problem *p, int loop, int64_t factor)
{
    bool divides = !p->fills && p->extent[loop] % factor == 0;

    for (int k = 0; k < p->n_tiles[loop] && !divides; k++) {
        const int64_t tile = p->tile[loop][k];
        divides = (p->extent[loop] + tile - 1) / tile % factor == 0;
    }
    return divides;
}

double cert_used(const struct cert_problem *p, const struct cert_part *part, int row)
{
    double used = 1;

    for (int r = 0; r < row; r++) {
        double here = 1;
        if (!p->row[r].is_space)
            continue;
        for (int i = 0; i < p->n_loops; i++)
            here *= (double)(part->known[r] >> i & 1 ? part->factor[r][i] : p->extent[i]);
        used *= fmin(here, (double)p->row[r].pes);
    }
    return used;
}

/* ---- energy ---- */

static unsigned outside_rows(const struct cert_problem *p, int row)
{
    unsigned rows = 0;

    for (int r = 0; r < row; r++)
        rows |= p->row[r].is_space ? 1U << r : 0;
    return rows;
}

/* PEs of "rows" that have equal words of a tensor without a window. */
static double copies(const struct cert_problem *p, const struct cert_part *part, unsigned rows,
        const struct cert_tensor *t)
{
    double product = 1;

    for (int i = 0; i < p->n_loops; i++) {
        if (!(t->relevant >> i & 1))
            product *= (double)cert_spread(p, part, rows, i);
    }
    return product;
}

/* What a partial sum costs that comes back over move "v": a read outside, a write inside. */
static double back_pj(const struct cert_problem *p, const struct cert_move *v)
{
    return p->memory[v->parent].read_pj[v->tensor] +
            (v->child < p->n_memories ? p->memory[v->child].write_pj[v->tensor] : 0);
}

static void weigh_input(
        const struct cert_problem *p, const struct cert_move *v, struct cert_weights *w, int i)
{
    double fill = v->child < p->n_memories ? p->memory[v->child].write_pj[v->tensor] : 0;

    w->unique[i] = p->memory[v->parent].read_pj[v->tensor] - v->bus_pj;
    w->arriving[i] = v->bus_pj + fill;
    if (w->unique[i] < 0) { /* no more are unique than arrive */
        w->arriving[i] += w->unique[i];
        w->unique[i] = 0;
    }
}

/* The moves of an output, outermost first. Words that come back over move l are r_l = u_l - fresh,
 * with fresh = footprint + the sum over the moves j outside of it of a_j - u_j, and not below 0. So
 * they are at least share_l r_l for any share from 0 to 1; shares are lowered from outside inward
 * until no weight is below 0. */
static void weigh_output(const struct cert_problem *p, const struct cert_part *part, int tensor,
        bool exactly, struct cert_weights *w)
{
    const struct cert_tensor *t = &p->tensor[tensor];
    int list[CERT_MEMORIES + 1], n = 0;
    double back[CERT_MEMORIES + 2], inner = 0; /* what r_l costs, with its share */

    for (int i = 0; i < p->n_moves; i++) {
        if (p->move[i].tensor == tensor) {
            back[n] = back_pj(p, &p->move[i]);
            list[n++] = i;
        }
    }
    int own = p->own[tensor];
    back[n] = own < 0 ? 0 : p->memory[own].read_pj[tensor];
    for (int l = 0; l <= n; l++)
        inner += back[l];
    for (int l = 0; l < n; l++) {
        const struct cert_move *v = &p->move[list[l]];
        double update = p->memory[v->parent].write_pj[tensor];
        /* of as many PEs on a tree all but one start from zero; of windows it is not known */
        bool is_window = t->plain != t->relevant, is_known = true;
        double many = !v->merges                  ? 1
                : part->is_unrolled && !is_window ? cert_equal(p, part, v, &is_known)
                                                  : INFINITY;
        /* what links bring depends on orders, too */
        bool is_exact = exactly && v->n_links == 0 && !v->may_count && is_known;
        /* as many arrive for each that leaves, or more; under a skew some at other times */
        double each = isinf(many) || v->may_count || !is_known ? 1 : many;
        inner = 0;
        for (int k = l + 1; k <= n; k++)
            inner += back[k];
        if (!is_exact && many > 1) {
            double most =
                    isinf(many) ? 0 : (update + back[l] + (each - 1) * v->bus_pj) / (many - 1);
            double share = inner > most ? most / inner : 1;
            for (int k = l + 1; k <= n; k++)
                back[k] *= share;
            inner *= share;
        }
        double merged = inner == 0 ? 0 : inner * (many - 1);
        w->unique[list[l]] = update + back[l] - v->bus_pj - merged;
        w->arriving[list[l]] = v->bus_pj;
        if (w->unique[list[l]] < 0 && !is_exact) {
            w->unique[list[l]] = fmax(w->unique[list[l]] + each * v->bus_pj, 0);
            w->arriving[list[l]] = 0;
        }
        w->constant -= back[l] * t->footprint;
    }
    if (own >= 0)
        w->constant +=
                back[n] * (t->volume - t->footprint) + t->volume * p->memory[own].write_pj[tensor];
}

static void set_energy(const struct cert_problem *p, const struct cert_part *part, bool exactly,
        struct cert_weights *w)
{
    *w = (struct cert_weights){.constant = p->mac_pj * p->instances};
    for (int i = 0; i < p->n_moves; i++) {
        if (!p->tensor[p->move[i].tensor].is_output)
            weigh_input(p, &p->move[i], w, i);
    }
    for (int a = 0; a < p->n_tensors; a++) {
        if (p->tensor[a].is_output)
            weigh_output(p, part, a, exactly, w);
        else if (p->own[a] >= 0)
            w->constant += p->tensor[a].volume * p->memory[p->own[a]].read_pj[a];
    }
}

double cert_energy(const struct cert_problem *p, const struct cert_words *words)
{
    double pj = p->mac_pj * p->instances;

    for (int a = 0; a < p->n_tensors; a++) {
        const struct cert_tensor *t = &p->tensor[a];
        const struct cert_memory *own = p->own[a] < 0 ? NULL : &p->memory[p->own[a]];
        double started = t->footprint; /* sums, from zero */
        for (int i = 0; i < p->n_moves; i++) {
            const struct cert_move *v = &p->move[i];
            const struct cert_memory *outside = &p->memory[v->parent];
            double fill = v->child < p->n_memories ? p->memory[v->child].write_pj[a] : 0;
            if (v->tensor != a)
                continue;
            pj += words[i].wire_pj;
            if (t->is_output)
                pj += words[i].unique * outside->write_pj[a] +
                        fmax(0, words[i].unique - started) * back_pj(p, v);
            else
                pj += words[i].unique * outside->read_pj[a] + words[i].arriving * fill;
            started += words[i].merged;
        }
        if (own != NULL && t->is_output)
            pj += t->volume * own->write_pj[a] + (t->volume - started) * own->read_pj[a];
        else if (own != NULL)
            pj += t->volume * own->read_pj[a];
    }
    return pj;
}

/* ---- time ---- */

/* The words that instances of memory "m" start from zero, each looked at by itself: at most. */
static double started(const struct cert_problem *p, const struct cert_part *part, int m, int tensor)
{
    const struct cert_tensor *t = &p->tensor[tensor];
    int row = p->memory[m].row;

    return t->footprint *
            (t->plain == t->relevant ? copies(p, part, outside_rows(p, row), t)
                                     : cert_used(p, part, row));
}

static void add_words(struct cert_weights *w, double *weight, double bits, double spared)
{
    *weight += bits;
    w->constant -= spared * bits;
}

/* The time of a lane; or of the words that pass it while nothing runs. Whether there are any. */
static bool set_lane(const struct cert_problem *p, const struct cert_part *part, int lane,
        bool only_serial, struct cert_weights *w)
{
    int m = p->lane[lane].memory;
    double each = 1 / (p->lane[lane].bandwidth * cert_used(p, part, p->memory[m].row));
    const struct cert_memory *memory = &p->memory[m];
    bool any = false;

    *w = (struct cert_weights){0};
    for (int i = 0; i < p->n_moves; i++) {
        const struct cert_move *v = &p->move[i];
        double bits = memory->bits[v->tensor] * each;
        bool is_output = p->tensor[v->tensor].is_output;
        bool counts = !is_output || part->is_unrolled; /* else it is not known what starts */
        double spared = is_output && counts ? started(p, part, m, v->tensor) : 0;
        if (only_serial &&
                (v->kind[false] != SATOR_TRANSFER_SERIAL || v->kind[true] != v->kind[false]))
            continue;
        any |= v->read_lane == lane || v->update_lane == lane || v->fill_lane == lane;
        if (v->read_lane == lane && counts)
            add_words(w, &w->unique[i], bits, spared);
        if (v->update_lane == lane)
            add_words(w, &w->unique[i], bits, 0);
        if (v->fill_lane == lane && counts)
            add_words(w, &w->arriving[i], bits, spared);
    }
    for (int a = 0; a < p->n_tensors; a++) {
        const struct cert_tensor *t = &p->tensor[a];
        double bits = memory->bits[a] * each;
        if (only_serial && !p->own_waits[a])
            continue;
        any |= p->own[a] == m;
        if (p->own[a] == m && p->own_lane[a][0] == lane)
            w->constant += bits *
                    (t->volume -
                            (!t->is_output                      ? 0
                                            : part->is_unrolled ? started(p, part, m, a)
                                                                : t->volume));
        if (p->own[a] == m && t->is_output && p->own_lane[a][1] == lane)
            w->constant += bits * t->volume;
    }
    return any;
}

/* ---- both ---- */

void cert_prices_init(const struct cert_problem *p, const struct cert_part *part, bool exactly,
        struct cert_prices *prices)
{
    prices->cycles = cert_cycles(p, part);
    if (p->objective != SATOR_MAP_LATENCY)
        set_energy(p, part, exactly, &prices->energy);
    prices->n_times = 0;
    for (int l = 0; l < p->n_lanes; l++)
        set_lane(p, part, l, false, &prices->time[prices->n_times++]);
    for (int l = 0; l < p->n_lanes && p->is_scheduled; l++) {
        struct cert_weights *w = &prices->time[prices->n_times];
        if (!set_lane(p, part, l, true, w))
            continue;
        w->constant += cert_computing(p, part);
        prices->n_times++;
    }
}

double cert_value(enum sator_map_objective objective, double pj, double cycles)
{
    return objective == SATOR_MAP_ENERGY     ? pj
            : objective == SATOR_MAP_LATENCY ? cycles
                                             : pj * cycles;
}

double cert_value_of(const struct cert_problem *p, double pj, double cycles)
{
    double leakage = p->leakage_pj == 0 ? 0 : p->leakage_pj * ceil(cycles * (1 - 1e-12));

    return cert_value(p->objective, pj + leakage, cycles);
}

static void add_weights(struct cert_weights *sum, const struct cert_weights *w, double times, int n)
{
    sum->constant += w->constant * times;
    for (int i = 0; i < n; i++) {
        sum->unique[i] += w->unique[i] * times;
        sum->arriving[i] += w->arriving[i] * times;
    }
}

/* Energy E >= "pj" and time T >= "cycles", and E / pj + T_l / cycles >= g for a lane l: of all such
 * E, T the product is least at a corner. */
static double corner(const struct cert_problem *p, double pj, double cycles, double g)
{
    return fmin(cert_value_of(p, pj, fmax(1, g - 1) * cycles),
            cert_value_of(p, fmax(1, g - 1) * pj, cycles));
}

double cert_least_value(const struct cert_problem *p, const struct cert_prices *prices,
        cert_least *least, void *data, double goal)
{
    double cycles = prices->cycles, pj = 0, time[CERT_TIMES];

    if (p->objective != SATOR_MAP_LATENCY)
        pj = least(data, &prices->energy);
    double best = cert_value_of(p, pj, cycles);
    bool needs_time = p->objective != SATOR_MAP_ENERGY || p->leakage_pj != 0;
    for (int l = 0; l < prices->n_times && best < goal && needs_time; l++) {
        time[l] = least(data, &prices->time[l]);
        cycles = fmax(cycles, time[l]);
        best = cert_value_of(p, pj, cycles);
    }
    if (best >= goal || p->objective != SATOR_MAP_EDP)
        return best;
    for (int l = 0; l < prices->n_times; l++) {
        struct cert_weights both = {0};
        if (time[l] < cycles / 4)
            continue;
        add_weights(&both, &prices->energy, 1 / pj, p->n_moves);
        add_weights(&both, &prices->time[l], 1 / cycles, p->n_moves);
        best = fmax(best, corner(p, pj, cycles, least(data, &both)));
    }
    return best;
}
