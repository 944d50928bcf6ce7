/* Bounds of what a part of the transfers costs, and their sums (bounds.h). */
#include "mapper/bounds/bounds.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- steps ---- */

void sator_mapper_share_step(struct mapper_share *share, double cycles, double extra)
{
    int least = 0, n = share->n_steps;

    assert(n == 0 || cycles <= share->step[n - 1].cycles);
    if (extra <= (n == 0 ? 0 : share->step[n - 1].pj))
        return;
    share->step[share->n_steps++] = (struct mapper_step){cycles, extra};
    if (share->n_steps <= MAPPER_STEPS)
        return;
    for (int i = 1; i < share->n_steps; i++) { /* forget the one that adds least */
        double rise = share->step[i].pj - share->step[i - 1].pj;
        if (rise < share->step[least].pj - (least == 0 ? 0 : share->step[least - 1].pj))
            least = i;
    }
    assert(share->n_steps == MAPPER_STEPS + 1);
    share->n_steps--;
    memmove(&share->step[least], &share->step[least + 1],
            sizeof share->step[0] * (size_t)(share->n_steps - least));
}

/* The steps of a sum: whoever is faster than so many cycles spends what both say. */
static void add_steps(struct mapper_share *sum, const struct mapper_share *part)
{
    struct mapper_share both = {.n_steps = 0};
    int a = 0, b = 0;

    while (a < sum->n_steps || b < part->n_steps) {
        double at_a = a < sum->n_steps ? sum->step[a].cycles : -1;
        double at_b = b < part->n_steps ? part->step[b].cycles : -1;
        double cycles = mapper_greater(at_a, at_b);
        a += at_a == cycles;
        b += at_b == cycles;
        sator_mapper_share_step(&both, cycles,
                (a > 0 ? sum->step[a - 1].pj : 0) + (b > 0 ? part->step[b - 1].pj : 0));
    }
    assert(both.n_steps <= MAPPER_STEPS);
    sum->n_steps = both.n_steps;
    memcpy(sum->step, both.step, sizeof both.step);
}

void sator_mapper_share_add(const struct mapper_problem *problem, struct mapper_share *sum,
        const struct mapper_share *part)
{
    sum->pj += part->pj;
    for (int i = 0; i < problem->n_ports; i++)
        sum->bits[i] += part->bits[i];
    if (part->n_steps > 0)
        add_steps(sum, part);
}

double sator_mapper_cycles(const struct mapper_problem *problem, const struct mapper_crew *crew,
        double compute, const struct mapper_share *share)
{
    double slowest = compute, serial = 0, alone = 0; /* of ports beside which nothing is added */
    unsigned phased = problem->serial_ports | problem->mixed_ports | problem->beside_ports;

    for (int i = 0; i < problem->n_ports; i++) {
        double cycles = share->bits[i] * crew->per_bit[i];
        if (!(phased >> i & 1))
            slowest = mapper_greater(slowest, cycles);
        else if (problem->serial_ports >> i & 1)
            serial = mapper_greater(serial, cycles);
        else
            alone = mapper_greater(alone, cycles);
    }
    return mapper_greater(slowest + serial, alone);
}

double sator_mapper_range_pj(double unique_pj, double arriving_pj, const struct mapper_range *r)
{
    double a = unique_pj, b = arriving_pj;

    assert(r->unique_lb >= 0 && r->arriving_lb >= 0);
    if (r->ratio > 0) {
        double both = a + b * r->ratio;
        return both * (both >= 0 ? r->unique_lb : r->unique_ub);
    }
    double apart = a * (a >= 0 ? r->unique_lb : r->unique_ub) +
            b * (b >= 0 ? r->arriving_lb : r->arriving_ub);
    /* arriving >= unique: what the buses spare is not negative */
    double together = b >= 0 ? (a + b) * (a + b >= 0 ? r->unique_lb : r->unique_ub) : apart;
    return apart > together ? apart : together;
}

void sator_mapper_range_counted(const struct mapper_problem *problem, int transfer, int64_t parts,
        struct mapper_range *range)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    /* What nothing outside holds may be there from the start. */
    double footprint = t->is_outside ? 0 : (double)access->footprint;

    if (access->may_be_empty)
        range->arriving_lb = footprint;
    if (access->may_be_empty || t->reaches_back)
        range->unique_lb = footprint;
    mapper_range_raise(range, (double)parts * footprint, footprint);
    if (access->is_counted) /* each instance may bring all that it touches */
        range->arriving_ub = (double)access->volume;
    range->unique_ub = range->arriving_ub;
    range->ratio = 0;
}

void sator_mapper_share_transfer(const struct mapper_problem *problem, int transfer,
        const struct mapper_range *range, double lent_pj, struct mapper_share *share)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];

    share->pj += sator_mapper_range_pj(t->unique_pj - lent_pj, t->arriving_pj, range);
    for (int k = 0; k < t->n_flows; k++)
        share->bits[t->flow[k].port] +=
                t->flow[k].bits * (t->flow[k].arriving ? range->arriving_lb : range->unique_lb);
}

struct mapper_cost sator_mapper_bound(const struct mapper_problem *problem,
        const struct mapper_crew *crew, double compute, const struct mapper_share *share)
{
    double least = sator_mapper_cycles(problem, crew, compute, share);
    struct mapper_cost best = {INFINITY, INFINITY, INFINITY};
    bool within = false; /* the best is faster than the limit */

    for (int i = 0; i <= share->n_steps;
            i++) { /* slower than step i, but not than the one before */
        double pj = share->pj + (i > 0 ? share->step[i - 1].pj : 0), cycles = least;
        if (i < share->n_steps && share->step[i].cycles > least)
            cycles = share->step[i].cycles;
        if (i > 0 && (share->step[i - 1].cycles <= least || isinf(share->step[i - 1].pj)))
            break; /* nothing is that fast */
        pj += problem->leakage_pj * cycles;
        double value = sator_mapper_value(problem->objective, pj, cycles);
        bool counts = problem->cycle_limit == 0 || /* up to rounding, as the search does */
                cycles < problem->cycle_limit * (1 - 1e-12);
        if (i > 0 && !counts)
            continue;
        if (i == 0 || !within || value <= best.value * (1 + 1e-12)) /* the faster of equal ones */
            best = (struct mapper_cost){pj, cycles, value};
        within |= counts;
    }
    assert(best.cycles >= least);
    return best;
}

/* When each of its words crosses once at the least: a word is lent what it may spare further in,
 * and lends to those further out. */
static double least_pj_of(
        const struct mapper_problem *problem, const struct mapper_crew *crew, int transfer)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    double footprint = (double)access->footprint, volume = (double)access->volume;
    assert(0 <= footprint && footprint <= volume);
    if (sator_mapper_is_loaded(problem, t, 1))
        return 0;
    double lent = problem->lends ? crew->lent_pj[transfer] : 0;
    double unique =
            t->unique_pj - (problem->lends && t->outward >= 0 ? crew->lent_pj[t->outward] : 0);
    double arriving = t->arriving_pj + lent;
    /* what nothing spreads arrives as often as it is sent */
    bool spreads = t->collapsed != 0 || t->may_pass || t->is_complex ||
            (problem->imperfect && t->linked_rows != 0);
    double most = spreads ? INFINITY : 1;
    double pj = unique + arriving;

    if (most > 1 && arriving < 0)
        pj = fmin(pj, problem->lends ? unique + arriving * crew->ratio[transfer] : -INFINITY);
    pj *= pj >= 0 ? footprint : volume;
    return t->inward < 0 ? pj - lent * volume : pj;
}

uint32_t sator_mapper_transfers_into(const struct mapper_problem *problem, int child)
{
    uint32_t into = 0;

    for (int i = 0; i < problem->n_transfers; i++)
        into |= problem->transfer[i].child == child ? UINT32_C(1) << i : 0;
    return into;
}

double sator_mapper_least_pj(
        const struct mapper_problem *problem, const struct mapper_crew *crew, uint32_t transfers)
{
    double pj = 0;

    for (; transfers != 0; transfers &= transfers - 1)
        pj += least_pj_of(problem, crew, __builtin_ctz(transfers));
    return pj;
}

void sator_mapper_bounds_least(const struct mapper_problem *problem, const struct mapper_crew *crew,
        uint32_t transfers, struct mapper_share *share)
{
    *share = (struct mapper_share){0};
    for (uint32_t left = transfers; left != 0; left &= left - 1) {
        int i = __builtin_ctz(left);
        const struct mapper_transfer *t = &problem->transfer[i];
        double footprint = (double)problem->access[t->access].footprint;
        struct mapper_range range = {footprint, footprint, footprint, footprint, 1};
        if (!sator_mapper_is_loaded(problem, t, 1))
            sator_mapper_share_transfer(problem, i, &range, 0, share);
    }
    share->pj = sator_mapper_least_pj(problem, crew, transfers);
}
