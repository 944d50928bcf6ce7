/* What the compute units of a machine take, and what its phases add to that, at least, where some
 * tiles of a mapping are known and orders are not (doc/search.md, "The scheduled time").
 */
#include "mapper/phases/phases.h"
#include "mapper/problem/skew.h"

#include <math.h>
#include <string.h>

/* ---- computing ---- */

/* Of the stamps of the first PE as many begin a sum as one of "turns", the steps in time of the
 * loops that sums run over; where it does not run, others may begin sums. */
static double cycles_of(
        const struct mapper_problem *problem, double stamps, double own_stamps, double turns)
{
    return stamps * problem->begun_cycles +
            own_stamps * (1 - 1 / turns) * (problem->read_cycles - problem->begun_cycles);
}

bool sator_mapper_sums_over(const struct mapper_problem *problem, int i)
{
    return problem->domain == NULL && problem->lengthened == NULL && problem->phases->output >= 0 &&
            !(problem->access[problem->phases->output].relevant >> i & 1);
}

double sator_mapper_computing(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, double stamps, double own_stamps)
{
    double turns = 1;

    if (problem->read_cycles == problem->begun_cycles)
        return stamps * problem->begun_cycles;
    for (int i = 0; i < problem->n_loops; i++) {
        double used = (double)mapper_positions(problem, mapping, problem->n_rows, i);
        if (sator_mapper_sums_over(problem, i))
            turns *= mapper_greater(1, (double)problem->extent[i] / used);
    }
    return cycles_of(problem, stamps, own_stamps, turns);
}

double sator_mapper_least_computing(const struct mapper_problem *problem, double pes)
{
    double stamps = (double)problem->instances / pes, turns = 1 / pes;

    if (problem->read_cycles == problem->begun_cycles)
        return stamps * problem->begun_cycles;
    for (int i = 0; i < problem->n_loops; i++)
        turns *= sator_mapper_sums_over(problem, i) ? (double)problem->extent[i] : 1;
    return cycles_of(problem, stamps, stamps, mapper_greater(1, turns));
}

/* ---- what is streamed ---- */

bool sator_mapper_has_whole_stamps(const struct mapper_problem *p)
{
    return p->phases != NULL && p->skew == NULL && !p->imperfect && p->domain == NULL &&
            p->lengthened == NULL;
}

double sator_mapper_streamed_words(const struct mapper_walk *walk)
{
    const struct mapper_problem *p = walk->problem;
    const struct mapper_transfer *t = walk->transfer;
    bool is_plain = t->child == p->n_memories && !walk->passes && !walk->is_relaxed &&
            !t->is_counted && !t->is_quotient && !t->is_outside && !t->reaches_back && !t->has_late;
    /* all PEs go on from one element to the next, or none; links would bring some of them */
    bool moves_as_one = !walk->access->is_sliding ||
            (walk->tile_words == 1 && t->n_passes == 0 && t->n_buses <= 1);

    if (!is_plain || !moves_as_one ||
            p->phases->manner[walk->number].kind_of_stamps != SATOR_TRANSFER_STREAMED)
        return 0;
    return (double)walk->groups * (double)walk->group_words;
}

static void put_stream(struct mapper_streams *streams, double stamps, double cycles)
{
    int at = streams->n++;

    for (; at > 0 && streams->stamps[at - 1] < stamps; at--) {
        streams->stamps[at] = streams->stamps[at - 1];
        streams->cycles[at] = streams->cycles[at - 1];
    }
    streams->stamps[at] = stamps;
    streams->cycles[at] = cycles;
}

/* Sums come back in the first stamp of a run that keeps them, and leave in the last one: of a port
 * that serves both it is known what passes in one stamp only where that is both. */
void sator_mapper_stream_add(struct mapper_streams *streams, const struct mapper_problem *p,
        const struct mapper_crew *crew, int t, double stamps, double each)
{
    const struct mapper_transfer *transfer = &p->transfer[t];
    const struct sator_lane *lane = p->port[streams->port].lane;
    const bool is_sum = transfer->access == p->phases->output;
    const bool is_known =
            !(is_sum && lane->reads && lane->writes) || stamps >= streams->all * (1 - 1e-9);

    for (int f = 0; f < transfer->n_flows && each > 0 && is_known; f++) {
        const struct mapper_flow *flow = &transfer->flow[f];
        if (flow->port != streams->port || flow->arriving)
            continue;
        double cycles = flow->bits * each * crew->per_bit[flow->port];
        if (p->access[transfer->access].is_sliding) {
            double more = mapper_greater(0, ceil(cycles * (1 - 1e-12)) - p->begun_cycles);
            streams->alone = mapper_greater(streams->alone, stamps * more);
            continue;
        }
        put_stream(streams, stamps, cycles);
        if (is_sum && lane->reads)
            streams->sparing += mapper_lesser(streams->begun, stamps) * ceil(cycles);
    }
}

/* When a digit steps, those inside it do, too: of two tensors the one that moves in fewer stamps
 * moves in none without the other. So in as many as a third moves in all three pass the port. Those
 * with windows may stand still when digits step: each counts alone. */
double sator_mapper_whole_cycles(
        const struct mapper_problem *p, const struct mapper_streams *streams)
{
    double sum = streams->all * p->begun_cycles, before = p->begun_cycles;
    double together = 0;

    for (int i = 0; i < streams->n; i++) {
        together += streams->cycles[i];
        double whole = mapper_greater(before, ceil(together * (1 - 1e-12)));
        sum += mapper_lesser(streams->stamps[i], streams->all) * (whole - before);
        before = whole;
    }
    double alone = streams->all * p->begun_cycles + streams->alone;
    return mapper_greater(sum - streams->sparing, alone) * (1 - 1e-12);
}
