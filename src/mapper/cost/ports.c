/* What passes through the ports of memories, and how long it takes (doc/model.md, section 3).
 *
 * A port takes as long as that of the instance that moves most, and an instance moves what it would
 * if nothing else of the machine ran: the words of the transfers below it, those that arrive in it,
 * and partial sums as if no tree joined it to others. In a tiling of whole tiles all instances that
 * are used move the same, so the sum over them, times the cycles of a bit of all of them, is the
 * time. Where tiles are short or accesses have no formula they differ (busiest.c).
 */
#include "base/context.h"
#include "count/tiled/tiling.h"
#include "mapper/cost/cost.h"
#include "model/network.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- ports ---- */

int sator_mapper_port_of(const struct mapper_problem *p, int m, int access, bool writes)
{
    const struct sator_memory *spec = &p->arch->levels[p->memory[m].level].memory;

    for (int i = 0; i < p->n_ports; i++) {
        if (p->port[i].memory == m &&
                sator_lane_serves(spec, p->port[i].lane, p->access[access].name, writes))
            return i;
    }
    return -1;
}

/* ---- sums that others have ---- */

/* Whether the instance at the ends "ends" of the rows (the last where the bit is set, else the
 * first) takes up by itself all sums that "t" brings: no link leads there from another, and it
 * stands for the trees that it is on, as the first does. Links from the stamp before bring nothing
 * of a tensor that does not slide, nor does a wire that another one takes the place of. */
static bool takes_up(const struct mapper_problem *p, const struct mapper_transfer *t, unsigned ends)
{
    const struct mapper_access *access = &p->access[t->access];

    if (p->skew != NULL && t->reaches_back)
        return false;
    if ((t->n_buses > 0 || (t->network != NULL && t->network->n_buses > 0)) &&
            (ends & t->between) != 0)
        return false;
    for (int k = 0; k < t->n_passes; k++) {
        const struct mapper_pass *pass = &t->passes[k];
        bool leads = !pass->is_idle &&
                (pass->interval != 1 || access->is_sliding || access->is_counted || p->imperfect);
        for (int r = 0; r < p->n_rows; r++)
            leads &= ends >> r & 1 ? pass->shift[r] >= 0 : pass->shift[r] <= 0;
        if (leads)
            return false;
    }
    return true;
}

/* Whether some instance of memory "m", or "each", surely takes up all its sums of "access" by
 * itself. */
static bool has_taker(const struct mapper_problem *p, int m, int access, bool each)
{
    unsigned rows = 0, ends = 0;
    bool all = false;

    for (int r = 0; r < p->memory[m].row; r++)
        rows |= p->row[r].is_space ? 1U << r : 0;
    do {
        all = true;
        for (int i = 0; i < p->n_transfers; i++) {
            const struct mapper_transfer *t = &p->transfer[i];
            if (t->access == access && t->child <= m)
                all &= takes_up(p, t, ends);
        }
        if (all != each)
            return all;
        ends = (ends - rows) & rows; /* the next set of these rows */
        /* where last tiles are short it has to be the first, which has most words */
    } while (ends != 0 && (each || !p->imperfect));
    return all;
}

/* The memories of several instances that hold what "t" brings, at its child or further inside. */
static unsigned memories_inside(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    unsigned memories = 0;

    for (int m = t->child; m < p->n_memories; m++) {
        if (p->memory[m].instances > 1 && (p->memory[m].holds >> t->access & 1))
            memories |= 1U << m;
    }
    return memories;
}

/* Where not all instances have as many of the other words, the one that takes up all of its sums
 * may have fewer than they have on average. */
static void find_shared_sums(struct mapper_problem *p)
{
    unsigned uneven = 0;

    for (int a = 0; a < p->n_accesses; a++)
        uneven |= p->access[a].is_counted ? 1U << a : 0;
    for (int m = 0; m < p->n_memories; m++) {
        struct mapper_memory *memory = &p->memory[m];
        memory->shared_sums = 0;
        for (int a = 0; a < p->n_accesses && memory->instances > 1; a++) {
            bool is_sum = (memory->holds >> a & 1) && p->access[a].role == SATOR_WRITE;
            if (is_sum && !has_taker(p, m, a, (memory->holds & uneven) != 0))
                memory->shared_sums |= 1U << a;
        }
    }
}

/* ---- flows ---- */

/* What of a sum surely passes the ports of memory "m" is what comes up from inside. */
static bool is_sure(const struct mapper_problem *p, int m, int access)
{
    return (p->memory[m].shared_sums >> access & 1) == 0;
}

static void add_flow(struct mapper_problem *p, int transfer, int m, bool writes, bool arriving)
{
    int access = p->transfer[transfer].access, port = sator_mapper_port_of(p, m, access, writes);

    if (port >= 0)
        p->flow[p->n_flows++] = (struct mapper_flow){
                port, transfer, arriving, (double)p->memory[m].word_bits[access]};
}

static void find_flows(struct mapper_problem *p, int transfer)
{
    struct mapper_transfer *t = &p->transfer[transfer];
    int first = p->n_flows;

    if (!t->is_outside) {
        if (is_sure(p, t->parent, t->access))
            add_flow(p, transfer, t->parent, false, false);
        if (p->access[t->access].role == SATOR_WRITE)
            add_flow(p, transfer, t->parent, true, false);
    }
    if (t->child < p->n_memories && is_sure(p, t->child, t->access))
        add_flow(p, transfer, t->child, true, true);
    t->flow = &p->flow[first];
    t->n_flows = p->n_flows - first;
    assert(t->n_flows <= MAPPER_FLOWS);
}

/* The flows of each port, in the order of their transfers. */
static void sort_flows(struct mapper_problem *p)
{
    struct mapper_flow *flow = SATOR_NEW_ARRAY(p->arena, struct mapper_flow, p->n_flows + 1);

    for (int i = 0; i < p->n_ports; i++) {
        p->port[i].flow = flow;
        for (int k = 0; k < p->n_flows; k++) {
            if (p->flow[k].port == i)
                *flow++ = p->flow[k];
        }
        p->port[i].n_flows = (int)(flow - p->port[i].flow);
    }
}

/* Whether some tensor that memory "m" holds passes through "lane". */
static bool is_used(const struct mapper_problem *p, int m, const struct sator_lane *lane)
{
    const struct sator_memory *spec = &p->arch->levels[p->memory[m].level].memory;

    for (int a = 0; a < p->n_accesses; a++) {
        const char *name = p->access[a].name;
        if ((p->memory[m].holds >> a & 1) &&
                (sator_lane_serves(spec, lane, name, false) ||
                        sator_lane_serves(spec, lane, name, true)))
            return true;
    }
    return false;
}

int sator_mapper_own_memory(const struct mapper_problem *problem, int access)
{
    int m = problem->n_memories - 1;

    while (!(problem->memory[m].holds >> access & 1))
        m--;
    for (int r = problem->memory[m].row; r < problem->n_rows; r++) {
        if (problem->row[r].is_space)
            return -1;
    }
    return m;
}

/* Where an output is read or written, a word that an instance starts from zero is spared once. */
static void add_spared(struct mapper_problem *p, int m, int access, bool writes)
{
    int port = sator_mapper_port_of(p, m, access, writes);

    if (port >= 0 && is_sure(p, m, access))
        SATOR_PUSH(p->arena, p->spared, p->n_spared,
                ((struct mapper_spared){port, m, access, (double)p->memory[m].word_bits[access]}));
}

/* The PE's own memories serve every instance. */
static void find_fixed(struct mapper_problem *p)
{
    for (int a = 0; a < p->n_accesses; a++) {
        int m = sator_mapper_own_memory(p, a);
        bool is_output = p->access[a].role == SATOR_WRITE;
        double bits = m < 0 ? 0 : (double)p->access[a].volume * p->memory[m].word_bits[a];
        int first = m >= 0 && !is_sure(p, m, a); /* reads are not */
        for (int writes = first; m >= 0 && writes <= is_output; writes++) {
            int port = sator_mapper_port_of(p, m, a, writes);
            if (port >= 0)
                p->fixed_bits[port] += bits;
        }
        if (m >= 0 && is_output)
            add_spared(p, m, a, false);
    }
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (p->access[t->access].role != SATOR_WRITE)
            continue;
        if (!t->is_outside)
            add_spared(p, t->parent, t->access, false);
        if (t->child < p->n_memories)
            add_spared(p, t->child, t->access, true);
    }
}

/* Whether instances of memory "m" that idle under a skew may keep sums of "access" which a memory
 * lets go of that they are inside of, over an array: an instance that is looked at by itself keeps
 * them (doc/model.md, "Idle PEs"), all together do not. */
static bool keeps_for_itself(const struct mapper_problem *p, int m, int access)
{
    bool is_inside = false, lets_go = false;

    if (p->skew == NULL || !p->memory[m].holds_idle || p->access[access].role != SATOR_WRITE)
        return false;
    for (int k = m - 1; k >= 0; k--) {
        is_inside |= p->row[p->memory[k + 1].row - 1].is_space;
        lets_go |= is_inside && (p->memory[k].holds >> access & 1) && p->memory[k].instances > 1 &&
                !p->memory[k].holds_idle;
    }
    return lets_go;
}

/* The ports whose times only the model finds, where their memory has several instances. */
static void find_asked(struct mapper_problem *p)
{
    unsigned ragged = 0; /* memories that have sums of which short tiles tell nothing */

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (p->access[t->access].role == SATOR_WRITE &&
                (t->is_complex || t->grouped_rows != 0 || (t->may_pass && t->n_passes > 0)))
            ragged |= memories_inside(p, t);
        if (p->access[t->access].role == SATOR_WRITE && t->has_late)
            p->late_ports |= memories_inside(p, t);
    }
    for (int i = 0; i < p->n_ports; i++) {
        int m = p->port[i].memory;
        if (p->memory[m].instances == 1)
            continue;
        p->has_inner_ports = true;
        p->asked_ports |= p->memory[m].shared_sums != 0 ? 1U << m : 0;
        for (int a = 0; a < p->n_accesses; a++) {
            if (!(p->memory[m].holds >> a & 1))
                continue;
            if (p->access[a].is_counted || keeps_for_itself(p, m, a))
                p->asked_ports |= 1U << m;
            p->has_passed_sums |= p->access[a].role == SATOR_WRITE && !has_taker(p, m, a, true);
        }
        p->asked_ragged_ports |= p->asked_ports | (ragged & 1U << m);
        for (int t = 0; t < p->n_transfers; t++) {
            /* buses of some PEs are counted, too, where tiles may be short */
            bool is_counted = p->transfer[t].is_counted || p->transfer[t].grouped_rows != 0;
            if (is_counted && p->transfer[t].parent == m)
                p->asked_ragged_ports |= 1U << m;
        }
    }
}

enum sator_status sator_mapper_find_ports(struct sator_ctx *ctx, struct mapper_problem *problem)
{
    problem->n_ports = problem->n_spared = 0;
    problem->asked_ports = problem->asked_ragged_ports = problem->late_ports = 0;
    problem->has_inner_ports = problem->has_passed_sums = false;
    memset(problem->fixed_bits, 0, sizeof problem->fixed_bits);
    for (int m = 0; m < problem->n_memories; m++) {
        const struct sator_level *level = &problem->arch->levels[problem->memory[m].level];
        int n_lanes;
        const struct sator_lane *lanes = sator_memory_lanes(problem->arena, level, &n_lanes);
        for (int i = 0; i < n_lanes; i++) {
            if (isnan(lanes[i].bits) || !is_used(problem, m, &lanes[i]))
                continue; /* no limit */
            if (problem->n_ports == MAPPER_PORTS)
                return sator_error(ctx, problem->arch->loc,
                        "'%s' has more than %d ports with a bandwidth, too many to map",
                        problem->arch->name, MAPPER_PORTS);
            problem->port[problem->n_ports++] =
                    (struct mapper_port){.lane = &lanes[i], .memory = m};
        }
    }
    find_shared_sums(problem);
    problem->n_flows = 0;
    problem->flow = SATOR_NEW_ARRAY(
            problem->arena, struct mapper_flow, MAPPER_FLOWS * problem->n_transfers + 1);
    for (int i = 0; i < problem->n_transfers; i++)
        find_flows(problem, i);
    sort_flows(problem);
    find_asked(problem);
    find_fixed(problem);
    return SATOR_OK;
}

/* ---- what an unrolling says ---- */

/* The parallel positions of an output's instances of a memory: all, those that the digits of loops
 * that do not index it make, and whether those of sliding indices are spread. */
struct positions {
    double all, copies;
    bool slides;
};

static struct positions positions_of(const struct mapper_problem *p,
        const struct mapper_shape *shape, unsigned open, int row, int access)
{
    const struct mapper_access *what = &p->access[access];
    struct positions found = {1, 1, false};

    for (int k = 0; k < shape->n_digits && shape->digit[k].row < row; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        found.all *= (double)digit->count;
        found.copies *= what->relevant >> digit->loop & 1 ? 1 : (double)digit->count;
        found.slides |= (what->relevant & ~what->plain) >> digit->loop & 1;
    }
    for (int r = 0; r < row && open != 0; r++) {
        found.all *= open >> r & 1 ? (double)p->row[r].shape : 1;
        found.copies *= open >> r & 1 ? (double)p->row[r].shape : 1;
    }
    return found;
}

static void find_ports(const struct mapper_problem *p, const struct mapper_shape *shape,
        unsigned open, struct mapper_crew *crew)
{
    double used[MAPPER_MEMORIES], instances = 1;
    int at = 0;

    for (int m = 0; m < p->n_memories; m++) {
        for (; at < shape->n_digits && shape->digit[at].row < p->memory[m].row; at++)
            instances *= (double)shape->digit[at].count;
        used[m] = instances;
        for (int r = 0; r < p->memory[m].row && open != 0; r++)
            used[m] *= open >> r & 1 ? (double)p->row[r].shape : 1;
    }
    for (int i = 0; i < p->n_ports; i++) {
        crew->instances[i] = used[p->port[i].memory];
        crew->per_bit[i] = 1 / (p->port[i].lane->bits * used[p->port[i].memory]);
        crew->fixed_bits[i] = p->fixed_bits[i];
    }
}

/* The most words that arrive for one that is unique. */
static double ratio_of(const struct mapper_problem *p, const struct mapper_shape *shape,
        unsigned open, const struct mapper_transfer *t)
{
    const struct mapper_access *access = &p->access[t->access];
    bool exact = !access->is_sliding && !access->is_counted && !t->is_quotient;
    double ratio = 1;

    if (t->is_complex) /* what PEs held long before may do for all */
        return INFINITY;
    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        if ((t->collapsed >> digit->row & 1) && !(exact && (access->relevant >> digit->loop & 1)))
            ratio *= (double)digit->count;
    }
    for (int r = 0; r < p->n_rows && (open & t->collapsed) != 0; r++)
        ratio *= (open & t->collapsed) >> r & 1 ? (double)p->row[r].shape : 1;
    return ratio;
}

/* Outermost transfers first: a word that arrives brings at least what its transfer then costs, or
 * it is lent the rest. */
static void lend(const struct mapper_problem *p, const struct mapper_shape *shape, unsigned open,
        struct mapper_crew *crew)
{
    for (int i = p->n_transfers - 1; i >= 0; i--) {
        const struct mapper_transfer *t = &p->transfer[i];
        double unique = t->unique_pj - (t->outward < 0 ? 0 : crew->lent_pj[t->outward]);
        double least = unique + t->arriving_pj;
        crew->ratio[i] = t->merges ? ratio_of(p, shape, open, t) : 1;
        if (t->merges)
            least = fmin(least, unique / crew->ratio[i] + t->arriving_pj);
        crew->lent_pj[i] = p->access[t->access].role == SATOR_READ ? 0 : fmax(0, -least);
    }
}

void sator_mapper_crew_init(const struct mapper_problem *problem, const struct mapper_shape *shape,
        unsigned open, struct mapper_crew *crew)
{
    find_ports(problem, shape, open, crew);
    for (int i = 0; i < problem->n_spared; i++) {
        const struct mapper_spared *spared = &problem->spared[i];
        const struct mapper_access *access = &problem->access[spared->access];
        struct positions at = positions_of(
                problem, shape, open, problem->memory[spared->memory].row, spared->access);
        double times = access->is_counted || at.slides ? at.all : at.copies; /* at most */
        crew->fixed_bits[spared->port] -= (double)access->footprint * times * spared->bits;
    }
    if (problem->lends)
        lend(problem, shape, open, crew);
}

void sator_mapper_crew_unknown(const struct mapper_problem *problem, struct mapper_crew *crew)
{
    struct mapper_shape shape = {.n_digits = 0};
    unsigned open = 0;

    for (int r = 0; r < problem->n_rows; r++)
        open |= problem->row[r].is_space ? 1U << r : 0;
    memset(crew, 0, sizeof *crew);
    sator_mapper_crew_init(problem, &shape, open, crew);
}

bool sator_mapper_crew_of(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_crew *crew)
{
    bool is_known = true;

    find_ports(problem, shape, 0, crew);
    for (int i = 0; i < problem->n_spared; i++) {
        const struct mapper_spared *spared = &problem->spared[i];
        const struct mapper_access *access = &problem->access[spared->access];
        struct mapper_alone one = {.row = problem->memory[spared->memory].row};
        struct positions at = positions_of(problem, shape, 0, one.row, spared->access);
        double count = (double)access->footprint * at.copies;
        if (at.slides && !access->is_counted) {
            int64_t touched =
                    sator_mapper_tiling_touched(words, mapping, shape, spared->access, &one);
            is_known &= touched != TILING_UNKNOWN;
            count = at.all * (double)touched;
        }
        crew->fixed_bits[spared->port] -= count * spared->bits;
    }
    return is_known;
}

/* ---- a mapping ---- */

/* The bits that pass port "i". */
static inline double bits_of(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, int i)
{
    const struct mapper_port *port = &problem->port[i];
    double bits = traffic->crew.fixed_bits[i];

    for (int k = 0; k < port->n_flows; k++) {
        const struct mapper_flow *flow = &port->flow[k];
        const int64_t *words = flow->arriving ? traffic->arriving : traffic->unique;
        bits += flow->bits * (double)words[flow->transfer];
    }
    return bits;
}

/* As the model divides, which has leakage by whole cycles: a product with what a bit takes may be a
 * little more than what is whole. */
static inline double cycles_of(const struct mapper_problem *problem,
        const struct mapper_traffic *traffic, int port, double bits)
{
    return bits / traffic->crew.instances[port] / problem->port[port].lane->bits;
}

void sator_mapper_port_cycles(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, double *cycles)
{
    if (traffic->is_uneven) {
        memcpy(cycles, traffic->busiest_cycles, sizeof *cycles * (size_t)problem->n_ports);
        return;
    }
    for (int i = 0; i < problem->n_ports; i++)
        cycles[i] = cycles_of(problem, traffic, i, bits_of(problem, traffic, i));
}

double sator_mapper_longest_port(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic)
{
    double most = 0, most_bits = 0;
    int longest = -1;

    if (traffic->is_uneven) {
        for (int i = 0; i < problem->n_ports; i++)
            most = fmax(most, traffic->busiest_cycles[i]);
        return most;
    }
    for (int i = 0; i < problem->n_ports; i++) { /* divisions take longer */
        double bits = bits_of(problem, traffic, i), cycles = bits * traffic->crew.per_bit[i];
        if (cycles > most) {
            most = cycles;
            most_bits = bits;
            longest = i;
        }
    }
    return longest < 0 ? 0 : cycles_of(problem, traffic, longest, most_bits);
}
