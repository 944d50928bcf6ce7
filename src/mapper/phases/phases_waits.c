/* What ports wait for: while tiles are exposed that pass other ports, and while the machine
 * computes in the first stamp of a memory, when no sums leave that an earlier one had, and in the
 * last one, when nothing comes for the next (doc/search.md, "The scheduled time", "What a port
 * waits for").
 */
#include "mapper/phases/phases_known.h"

#include <math.h>
#include <string.h>

/* What passes the ports in two stamps of a memory at most: bits of all instances. They are the
 * first and the last one in each of so many tiles of the memories outside that this memory's words
 * come from through the port; where some pass it for others further out, in the whole run. */
struct passing {
    double first[MAPPER_PORTS], last[MAPPER_PORTS], tiles[MAPPER_PORTS];
};

/* Whether the words of a transfer pass while nothing else does, all of them: its tile comes once.
 */
static bool is_first_alone(const struct phases_known *k, int number)
{
    const struct mapper_manner *manner = &k->phases->manner[number];
    const int child = k->phases->problem->transfer[number].child;

    return child >= k->m && k->all_stamps[child] == 1 &&
            manner->kind == SATOR_TRANSFER_OVERLAPPED && manner->kind_of_stamps == manner->kind;
}

/* The tiles of its parent, each of which begins and ends with a stamp of memory "c": one, where its
 * child has not the stamps of "c". */
static double tiles_of(const struct phases_known *k, int number, int c)
{
    const struct mapper_transfer *t = &k->phases->problem->transfer[number];
    const bool is_same = t->child == c || (t->child >= k->m && k->run[t->child] == k->run[c]);

    if (t->child > c || is_first_alone(k, number))
        return INFINITY; /* it does not matter */
    return is_same && t->parent > 0 && t->parent >= k->m ? k->all_stamps[t->parent] : 1;
}

/* Add what a transfer has in the first and the last stamp of memory "c". What comes for the next
 * stamp of its child, or leaves from the one before, moves in neither end where that is not in "c";
 * what is streamed, or further in, moves in both. */
static void add_transfer(const struct phases_known *k, int number, int c, struct passing *passing)
{
    const struct mapper_problem *p = k->phases->problem;
    const struct mapper_transfer *t = &p->transfer[number];
    const struct mapper_manner *manner = &k->phases->manner[number];
    const struct phases_moved *moved = &k->moved[number];
    const bool is_sum = t->access == k->phases->output, is_known = t->child >= k->m;
    const bool is_single = is_known && k->run[t->child] == k->run[p->n_memories];
    const bool is_sure = !t->is_outside && (is_known || manner->kind == manner->kind_of_stamps);
    const enum sator_transfer_kind kind = is_single ? manner->kind_of_stamps : manner->kind;
    const bool is_beside = is_sure && t->child <= c && kind == SATOR_TRANSFER_OVERLAPPED;
    const double times = t->child > c ? k->run[c] / k->run[t->child] : 1;
    const bool counts = is_known && moved->is_plain;

    for (int f = 0; f < t->n_flows; f++) {
        const struct mapper_flow *flow = &t->flow[f];
        const struct sator_lane *lane = p->port[flow->port].lane;
        const double words = flow->arriving ? moved->arriving : moved->unique;
        const double bits = counts ? times * words * flow->bits : INFINITY;
        const bool leaves = is_sum && !flow->arriving && lane->writes;
        const bool comes = !is_sum || flow->arriving || lane->reads;
        passing->first[flow->port] += !is_beside || comes ? bits : 0;
        passing->last[flow->port] += !is_beside || leaves ? bits : 0;
        passing->tiles[flow->port] =
                mapper_lesser(passing->tiles[flow->port], tiles_of(k, number, c));
    }
}

/* What the PEs' own memories serve passes their ports beside. */
static void add_own(const struct phases_known *k, int c, struct passing *passing)
{
    const struct mapper_problem *p = k->phases->problem;
    const double instances = k->run[c] / k->run[p->n_memories] * k->used[p->n_memories];

    for (int i = 0; i < k->phases->n_own; i++) {
        const struct mapper_way ways[2] = {k->phases->own[i].read, k->phases->own[i].write};
        for (int side = 0; side < 2; side++) {
            if (ways[side].port < 0)
                continue;
            passing->first[ways[side].port] += (double)ways[side].bits * instances;
            passing->last[ways[side].port] += (double)ways[side].bits * instances;
        }
    }
}

/* The first memory that words of a port come for, or leave from, while others compute: what is
 * exposed further in than that may be beside it. */
static int first_beside(const struct phases_known *k, int port)
{
    const struct mapper_port *q = &k->phases->problem->port[port];
    int first = k->phases->problem->n_memories;

    for (int f = 0; f < q->n_flows; f++) {
        const int child = k->phases->problem->transfer[q->flow[f].transfer].child;
        if (child < first && !is_first_alone(k, q->flow[f].transfer))
            first = child;
    }
    return first;
}

/* What could pass a port, all instances, while what passes others is exposed: less what passes this
 * port then. */
static double exposed_bits(const struct phases_known *k, int port, double per_bit)
{
    const struct mapper_problem *p = k->phases->problem;
    const int first = first_beside(k, port);
    double bits = 0;

    for (int c = 0; c <= first && c < p->n_memories; c++)
        bits += k->exposed[c] * (1 - 1e-12) / per_bit;
    for (int f = 0; f < p->port[port].n_flows && bits > 0; f++) {
        const struct mapper_flow *flow = &p->port[port].flow[f];
        const struct mapper_transfer *t = &p->transfer[flow->transfer];
        const struct mapper_manner *manner = &k->phases->manner[flow->transfer];
        const struct phases_moved *moved = &k->moved[flow->transfer];
        if (manner->kind != SATOR_TRANSFER_OVERLAPPED &&
                manner->kind_of_stamps != SATOR_TRANSFER_OVERLAPPED)
            continue;
        if (t->child > first && k->run[t->child] != k->run[first])
            continue; /* further in */
        const bool is_counted =
                t->child >= k->m && moved->is_plain && (t->parent == 0 || t->parent >= k->m);
        const double tiles = t->parent == 0 ? 1 : k->all_stamps[t->parent]; /* each is new once */
        bits -= is_counted ? tiles * (flow->arriving ? moved->arriving : moved->unique) * flow->bits
                           : INFINITY;
    }
    return mapper_greater(0, bits);
}

bool sator_mapper_phase_waits(
        const struct phases_known *k, const struct mapper_crew *crew, double *bits)
{
    const struct mapper_problem *p = k->phases->problem;
    struct passing passing;
    bool waits = false;

    memset(bits, 0, sizeof *bits * (size_t)p->n_ports);
    if (!sator_mapper_has_whole_stamps(p) || (p->serial_ports | p->mixed_ports) != 0)
        return false;
    for (int c = k->m > 1 ? k->m : 1; c < p->n_memories; c++) {
        const double run = k->run[c] * (p->begun_cycles / k->run[p->n_memories]) * (1 - 1e-12);
        memset(&passing, 0, sizeof passing);
        for (int q = 0; q < p->n_ports; q++)
            passing.tiles[q] = INFINITY;
        for (int t = 0; t < p->n_transfers; t++)
            add_transfer(k, t, c, &passing);
        add_own(k, c, &passing);
        for (int q = 0; q < p->n_ports; q++) {
            if (crew->per_bit[q] == 0)
                continue;
            double first = mapper_greater(0, run / crew->per_bit[q] - passing.first[q]);
            double last = mapper_greater(0, run / crew->per_bit[q] - passing.last[q]);
            const double tiles = isinf(passing.tiles[q]) ? 1 : passing.tiles[q];
            const bool is_two = k->all_stamps[c] > tiles;
            bits[q] = mapper_greater(
                    bits[q], tiles * (is_two ? first + last : mapper_greater(first, last)));
        }
    }
    for (int q = 0; q < p->n_ports; q++) {
        bits[q] += crew->per_bit[q] == 0 ? 0 : exposed_bits(k, q, crew->per_bit[q]);
        waits |= bits[q] > 0;
    }
    return waits;
}
