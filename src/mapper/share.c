/* Bounds of what a part of the transfers costs, and their sums (bounds.h). */
#include "mapper/bounds.h"

#include <math.h>
#include <string.h>

/* ---- steps ---- */

void sator_mapper_share_step(struct mapper_share *share, double cycles, double extra)
{
    int least = 0, n = share->n_steps;

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
        double cycles = fmax(at_a, at_b);
        a += at_a == cycles;
        b += at_b == cycles;
        sator_mapper_share_step(&both, cycles,
                (a > 0 ? sum->step[a - 1].pj : 0) + (b > 0 ? part->step[b - 1].pj : 0));
    }
    sum->n_steps = both.n_steps;
    memcpy(sum->step, both.step, sizeof both.step);
}

void sator_mapper_share_add(const struct mapper_problem *problem, struct mapper_share *sum,
        const struct mapper_share *part)
{
    sum->pj += part->pj;
    for (int m = 0; m < problem->n_memories; m++) {
        sum->read_bits[m] += part->read_bits[m];
        sum->write_bits[m] += part->write_bits[m];
    }
    if (part->n_steps > 0)
        add_steps(sum, part);
}

double sator_mapper_cycles(
        const struct mapper_problem *problem, double compute, const struct mapper_share *share)
{
    double slowest = compute, scratchpad = 0;

    for (int m = 0; m < problem->n_memories; m++) {
        const struct mapper_memory *memory = &problem->memory[m];
        double read = share->read_bits[m] / memory->read_bits;
        double write = share->write_bits[m] / memory->write_bits;
        if (read > slowest) /* false for a bandwidth that is not given: no limit */
            slowest = read;
        if (write > slowest)
            slowest = write;
        if (m == problem->scratchpad)
            scratchpad = compute + (read > 0 ? read : 0) + (write > 0 ? write : 0);
    }
    return problem->overlaps ? slowest : fmax(slowest, scratchpad);
}

double sator_mapper_range_pj(const struct mapper_transfer *t, const struct mapper_range *r)
{
    double a = t->unique_pj, b = t->arriving_pj;

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

void sator_mapper_range_counted(
        const struct mapper_problem *problem, int transfer, struct mapper_range *range)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    double footprint = (double)access->footprint;

    if (access->may_be_empty)
        range->arriving_lb = footprint;
    if (access->may_be_empty || t->reaches_back)
        range->unique_lb = footprint;
    range->unique_lb = fmax(range->unique_lb, footprint);
    range->arriving_lb = fmax(range->arriving_lb, footprint);
    if (access->is_counted) /* each instance may bring all that it touches */
        range->arriving_ub = (double)access->volume;
    range->unique_ub = range->arriving_ub;
    range->ratio = 0;
}

void sator_mapper_share_transfer(const struct mapper_problem *problem, int transfer,
        const struct mapper_range *range, struct mapper_share *share)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    bool is_output = access->role == SATOR_WRITE;
    double bits = access->word_bits;

    share->pj += sator_mapper_range_pj(t, range);
    share->read_bits[t->parent] += range->unique_lb * bits;
    if (is_output)
        share->write_bits[t->parent] += range->unique_lb * bits;
    if (t->child < problem->n_memories)
        share->write_bits[t->child] += (is_output ? range->unique_lb : range->arriving_lb) * bits;
    if (t->into_own)
        share->read_bits[t->child] -= sator_mapper_range_merged(range) * bits;
}

struct mapper_cost sator_mapper_bound(
        const struct mapper_problem *problem, double compute, const struct mapper_share *share)
{
    double least = sator_mapper_cycles(problem, compute, share);
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
    return best;
}

void sator_mapper_bounds_least(
        const struct mapper_problem *problem, int child, struct mapper_share *share)
{
    *share = (struct mapper_share){0};
    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        double footprint = (double)problem->access[t->access].footprint;
        double most =
                (double)problem->access[t->access].volume; /* every instance fetches its words */
        /* what nothing spreads arrives as often as it is sent */
        bool spreads = t->collapsed != 0 || t->may_pass;
        struct mapper_range range = {footprint, most, footprint, most, spreads ? 0 : 1};
        if (t->child == child)
            sator_mapper_share_transfer(problem, i, &range, share);
    }
}
