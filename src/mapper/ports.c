/* What passes through the ports of memories, and how long it takes (doc/model.md, section 3).
 *
 * A port takes as long as that of the instance that moves most, and an instance moves what it would
 * if nothing else of the machine ran: the words of the transfers below it, those that arrive in it,
 * and partial sums as if no tree joined it to others. In a tiling of whole tiles all instances that
 * are used move the same, so the sum over them, times the cycles of a bit of all of them, is the
 * time. Where tiles are short or accesses have no formula they differ (busiest.c).
 */
#include "base/context.h"
#include "mapper/mapper.h"

#include <math.h>
#include <string.h>

/* ---- ports and flows ---- */

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

static void add_flow(const struct mapper_problem *p, struct mapper_transfer *t, int m, bool writes,
        bool arriving)
{
    int port = sator_mapper_port_of(p, m, t->access, writes);

    if (port >= 0)
        t->flow[t->n_flows++] =
                (struct mapper_flow){port, arriving, (double)p->access[t->access].word_bits};
}

static void find_flows(const struct mapper_problem *p, struct mapper_transfer *t)
{
    t->n_flows = 0;
    if (!t->is_outside) {
        add_flow(p, t, t->parent, false, false);
        if (p->access[t->access].role == SATOR_WRITE)
            add_flow(p, t, t->parent, true, false);
    }
    if (t->child < p->n_memories)
        add_flow(p, t, t->child, true, true);
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

enum sator_status sator_mapper_find_ports(struct sator_ctx *ctx, struct mapper_problem *problem)
{
    problem->n_ports = 0;
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
    for (int i = 0; i < problem->n_transfers; i++)
        find_flows(problem, &problem->transfer[i]);
    for (int i = 0; i < problem->n_ports; i++) {
        int m = problem->port[i].memory;
        if (problem->memory[m].instances == 1)
            continue;
        problem->has_inner_ports = true;
        for (int a = 0; a < problem->n_accesses; a++) {
            if (problem->access[a].is_counted && (problem->memory[m].holds >> a & 1))
                problem->asked_ports |= 1U << m;
        }
        problem->asked_ragged_ports |= problem->asked_ports;
        for (int t = 0; t < problem->n_transfers; t++) {
            if (problem->transfer[t].is_counted && problem->transfer[t].parent == m)
                problem->asked_ragged_ports |= 1U << m;
        }
    }
    return SATOR_OK;
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

/* ---- what an unrolling says ---- */

/* The words of an output that an instance of memory "m" touches in the whole run, times the
 * instances that are used: at most, where not all rows are known ("open", "words" NULL). */
static double fresh_words(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, int m, int a, unsigned open)
{
    const struct mapper_access *access = &p->access[a];
    double used = 1, copies = 1, footprint = (double)access->footprint;
    bool is_spread = false;

    for (int r = 0; r < p->memory[m].row; r++) {
        if (!p->row[r].is_space)
            continue;
        if (open >> r & 1) {
            used *= (double)p->row[r].shape;
            copies *= (double)p->row[r].shape;
            continue;
        }
        for (int i = 0; i < p->n_loops; i++) {
            double factor = (double)mapping->factor[r][i];
            bool slides = ((access->relevant & ~access->plain) >> i & 1) != 0;
            used *= factor;
            copies *= access->relevant >> i & 1 ? 1 : factor;
            is_spread |= factor > 1 && slides;
        }
    }
    if (!access->is_counted && !is_spread)
        return footprint * copies;
    if (access->is_counted || words == NULL)
        return footprint * used;
    return (double)sator_mapper_instance_words(p, words, mapping, p->memory[m].row, a) * used;
}

static void add_fixed(const struct mapper_problem *p, struct mapper_crew *crew, int m, int access,
        bool writes, double words)
{
    int port = sator_mapper_port_of(p, m, access, writes);

    if (port >= 0)
        crew->fixed_bits[port] += words * (double)p->access[access].word_bits;
}

/* The PE's own memories serve every instance; outputs start from zero once. */
static void find_fixed(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_mapping *mapping, unsigned open, struct mapper_crew *crew)
{
    for (int a = 0; a < p->n_accesses; a++) {
        int m = sator_mapper_own_memory(p, a);
        bool is_output = p->access[a].role == SATOR_WRITE;
        double volume = (double)p->access[a].volume;
        if (m < 0)
            continue;
        add_fixed(p, crew, m, a, false,
                volume - (is_output ? fresh_words(p, words, mapping, m, a, open) : 0));
        if (is_output)
            add_fixed(p, crew, m, a, true, volume);
    }
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (p->access[t->access].role != SATOR_WRITE)
            continue;
        if (!t->is_outside)
            add_fixed(p, crew, t->parent, t->access, false,
                    -fresh_words(p, words, mapping, t->parent, t->access, open));
        if (t->child < p->n_memories)
            add_fixed(p, crew, t->child, t->access, true,
                    -fresh_words(p, words, mapping, t->child, t->access, open));
    }
}

/* The most words that arrive for one that is unique. */
static double ratio_of(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        const struct mapper_transfer *t, unsigned open)
{
    const struct mapper_access *access = &p->access[t->access];
    bool exact = !access->is_sliding && !access->is_counted && !t->is_quotient;
    unsigned shared = t->collapsed | (t->may_pass ? t->linked_rows : 0);
    double ratio = 1;

    if (t->is_complex) /* what PEs held long before may do for all */
        return INFINITY;
    for (int r = 0; r < p->n_rows; r++) {
        if (!(shared >> r & 1) || (open >> r & 1)) {
            ratio *= shared >> r & 1 ? (double)p->row[r].shape : 1;
            continue;
        }
        for (int i = 0; i < p->n_loops; i++)
            ratio *= exact && (access->relevant >> i & 1) ? 1 : (double)mapping->factor[r][i];
    }
    return ratio;
}

/* Outermost transfers first: a word that arrives brings at least what its transfer then costs, or
 * it is lent the rest. */
static void lend(const struct mapper_problem *p, struct mapper_crew *crew)
{
    for (int i = p->n_transfers - 1; i >= 0; i--) {
        const struct mapper_transfer *t = &p->transfer[i];
        double unique = t->unique_pj - (t->outward < 0 ? 0 : crew->lent_pj[t->outward]);
        double alone = unique + t->arriving_pj;
        double most = unique / crew->ratio[i] + t->arriving_pj;
        crew->lent_pj[i] = fmax(0, -fmin(alone, most));
    }
}

void sator_mapper_crew_init(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, unsigned open, struct mapper_crew *crew)
{
    double used[MAPPER_MEMORIES], instances = 1;

    for (int r = 0, m = 0; r < problem->n_rows; r++) {
        if (!problem->row[r].is_space) {
            used[m++] = instances;
            continue;
        }
        if (open >> r & 1)
            instances *= (double)problem->row[r].shape;
        for (int i = 0; i < problem->n_loops && !(open >> r & 1); i++)
            instances *= (double)mapping->factor[r][i];
    }
    for (int i = 0; i < problem->n_ports; i++) {
        const struct mapper_port *port = &problem->port[i];
        crew->per_bit[i] = 1 / (port->lane->bits * used[port->memory]);
        crew->fixed_bits[i] = 0;
    }
    if (problem->n_ports > 0)
        find_fixed(problem, words, mapping, open, crew);
    if (!problem->lends || words != NULL) /* nothing is left to be lent for */
        return;
    for (int i = 0; i < problem->n_transfers; i++)
        crew->ratio[i] = ratio_of(problem, mapping, &problem->transfer[i], open);
    lend(problem, crew);
}

void sator_mapper_crew_unknown(const struct mapper_problem *problem, struct mapper_crew *crew)
{
    unsigned open = 0;

    for (int r = 0; r < problem->n_rows; r++)
        open |= problem->row[r].is_space ? 1U << r : 0;
    memset(crew, 0, sizeof *crew);
    sator_mapper_crew_init(problem, NULL, NULL, open, crew);
}

/* ---- a mapping ---- */

void sator_mapper_port_bits(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, double *bits)
{
    memcpy(bits, traffic->crew.fixed_bits, sizeof *bits * (size_t)problem->n_ports);
    for (int i = 0; i < problem->n_transfers; i++) {
        const struct mapper_transfer *t = &problem->transfer[i];
        for (int k = 0; k < t->n_flows; k++)
            bits[t->flow[k].port] += t->flow[k].bits *
                    (double)(t->flow[k].arriving ? traffic->arriving[i] : traffic->unique[i]);
    }
}

void sator_mapper_port_cycles(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, double *cycles)
{
    if (traffic->is_uneven) {
        memcpy(cycles, traffic->busiest_cycles, sizeof *cycles * (size_t)problem->n_ports);
        return;
    }
    sator_mapper_port_bits(problem, traffic, cycles);
    for (int i = 0; i < problem->n_ports; i++)
        cycles[i] *= traffic->crew.per_bit[i];
}
