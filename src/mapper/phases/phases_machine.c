/* What a machine says of when words move and how long they take. */
#include "mapper/phases/phases_machine.h"

#include "mapper/problem/skew.h"

#include <math.h>

/* The bandwidth as a ratio of whole numbers; false where it has more than six digits behind the
 * point. */
static bool find_unit(const struct sator_lane *lane, struct mapper_unit *unit)
{
    unit->scale = 1;
    while (unit->scale < 1000000 &&
            lane->bits * (double)unit->scale != floor(lane->bits * (double)unit->scale))
        unit->scale *= 10;
    double bits = lane->bits * (double)unit->scale;
    unit->bits = bits < 0x1p50 ? (int64_t)bits : 0;
    unit->setup = lane->burst.setup_cycles;
    unit->granule = lane->burst.granule_bits > 1 ? lane->burst.granule_bits : 1;
    return unit->bits > 0 && (double)unit->bits == bits;
}

/* When words of an access move between memory "m" and what is inside it, "child" or the compute
 * units. */
static enum sator_transfer_kind find_kind(
        const struct mapper_problem *p, int m, int child, int access, bool of_stamps)
{
    return sator_transfers_between(p->arch, &p->arch->levels[p->memory[m].level],
            child == p->n_memories ? NULL : &p->arch->levels[p->memory[child].level],
            p->access[access].name, of_stamps);
}

static bool limits_wires(const struct sator_arch *arch)
{
    for (int l = 0; l < arch->n_levels; l++) {
        if (arch->levels[l].kind == SATOR_LEVEL_ARRAY &&
                sator_array_limits_wires(&arch->levels[l].array))
            return true;
    }
    return false;
}

/* Whether words of an access pass ports of memory "m" whose bandwidth is given. */
static bool has_ports(const struct mapper_problem *p, int m, int access)
{
    return sator_mapper_port_of(p, m, access, false) >= 0 ||
            sator_mapper_port_of(p, m, access, true) >= 0;
}

/* Whether what transfer "t" brings depends on the digit that has stepped alone, or is known at
 * least (links from further back than the stamp before): all links have a formula, and sums that
 * several ways hand on pass no ports of the PEs. */
static bool is_followed(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    bool is_output = p->access[t->access].role == SATOR_WRITE;

    if (t->is_outside || t->is_quotient || (t->grouped_rows != 0 && is_output))
        return false; /* trees of some parts of a sum, too */
    if (!t->is_counted || sator_mapper_counts_skew(p)) /* then bounds alone are asked for */
        return true;
    if (t->links_alone == NULL || p->skew != NULL) /* late.c has no times within a row */
        return false;
    if (!is_output)
        return true;
    int own = sator_mapper_own_memory(p, t->access);
    return (own < 0 || !has_ports(p, own, t->access)) &&
            (t->child == p->n_memories || !has_ports(p, t->child, t->access));
}

/* The accesses and transfers are of the form that classes follow. */
static bool is_simple(const struct mapper_problem *p, int *output)
{
    *output = -1;
    for (int a = 0; a < p->n_accesses; a++) {
        if (p->access[a].role != SATOR_WRITE)
            continue;
        if (*output >= 0 || p->access[a].plain != p->access[a].relevant)
            return false;
        *output = a;
    }
    for (int i = 0; i < p->n_transfers; i++) {
        if (!is_followed(p, &p->transfer[i]))
            return false;
    }
    for (int m = 0; m < p->n_memories && *output >= 0; m++) {
        if ((p->memory[m].shared_sums >> *output & 1) && has_ports(p, m, *output))
            return false;
    }
    return !p->in_hull && (p->skew == NULL || !p->skew->across);
}

static const struct mapper_way no_way = {.port = -1};

/* The way of an access's words out of memory "m" or into it; none passes the compute units. */
static struct mapper_way find_way(const struct mapper_problem *p, int m, int access, bool writes)
{
    if (m == p->n_memories)
        return no_way;
    return (struct mapper_way){
            sator_mapper_port_of(p, m, access, writes), p->memory[m].word_bits[access]};
}

static bool find_own(struct mapper_phases *phases)
{
    const struct mapper_problem *p = phases->problem;

    for (int a = 0; a < p->n_accesses; a++) {
        int m = sator_mapper_own_memory(p, a);
        if (m < 0)
            continue;
        if (p->access[a].volume % p->instances != 0)
            return false;
        struct mapper_own *own = &phases->own[phases->n_own++];
        *own = (struct mapper_own){.access = a,
                .read = find_way(p, m, a, false),
                .write = p->access[a].role == SATOR_WRITE ? find_way(p, m, a, true) : no_way,
                .waits = find_kind(p, m, p->n_memories, a, true) == SATOR_TRANSFER_SERIAL};
        own->read.bits *= p->access[a].volume / p->instances;
        own->write.bits = own->read.bits;
    }
    return true;
}

static void find_manners(struct mapper_phases *phases)
{
    const struct mapper_problem *p = phases->problem;

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        struct mapper_manner *manner = &phases->manner[i];
        manner->kind = find_kind(p, t->parent, t->child, t->access, false);
        manner->kind_of_stamps = find_kind(p, t->parent, t->child, t->access, true);
        phases->steps[i] = sator_mapper_phase_steps(p, t);
        manner->send = find_way(p, t->parent, t->access, false);
        manner->take =
                t->access == phases->output ? find_way(p, t->parent, t->access, true) : no_way;
        manner->arrive = find_way(p, t->child, t->access, true);
    }
}

bool sator_mapper_waits_inside(const struct mapper_phases *phases, int c)
{
    bool waits = false;

    for (int t = 0; t < phases->problem->n_transfers; t++)
        waits |= phases->problem->transfer[t].child > c &&
                (phases->manner[t].kind == SATOR_TRANSFER_SERIAL ||
                        phases->manner[t].kind_of_stamps == SATOR_TRANSFER_SERIAL);
    for (int i = 0; i < phases->n_own; i++)
        waits |= phases->own[i].waits;
    return waits;
}

static unsigned port_of(struct mapper_way way)
{
    return way.port >= 0 ? 1U << way.port : 0;
}

/* Of the ports those through which serial words alone pass, and those through which none do. */
static void find_serial_ports(const struct mapper_phases *phases, struct mapper_problem *p)
{
    unsigned serial = 0, others = 0, beside = 0;

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_manner *manner = &phases->manner[i];
        unsigned ports = port_of(manner->send) | port_of(manner->take) | port_of(manner->arrive);
        bool never = manner->kind != SATOR_TRANSFER_SERIAL &&
                manner->kind_of_stamps != SATOR_TRANSFER_SERIAL;
        bool always = manner->kind == SATOR_TRANSFER_SERIAL &&
                manner->kind_of_stamps == SATOR_TRANSFER_SERIAL;
        serial |= never ? 0 : ports;
        ports = always ? 0 : ports;
        others |= ports;
        beside |= sator_mapper_waits_inside(phases, p->transfer[i].child) ? ports : 0;
    }
    for (int i = 0; i < phases->n_own; i++) {
        const struct mapper_own *own = &phases->own[i];
        unsigned ports = port_of(own->read) | port_of(own->write);
        serial |= own->waits ? ports : 0;
        others |= own->waits ? 0 : ports;
    }
    p->serial_ports = serial & ~others;
    p->mixed_ports = serial & others;
    p->beside_ports = beside & ~serial;
}

/* Whether sator_mapper_scheduled never leaves a mapping to the model: no row is skewed, digits are
 * few, and no port of reads and writes is inside of an array, where sums may be handed on. */
static bool counts_all(const struct mapper_problem *p, int mixed_row)
{
    int array = 0;

    while (array < p->n_rows && !p->row[array].is_space)
        array++;
    return mixed_row <= array && p->skew == NULL && !p->imperfect &&
            p->n_memories * p->n_loops <= MOST_DIGITS;
}

void sator_mapper_know_phases(struct mapper_problem *problem)
{
    struct mapper_phases *phases = SATOR_NEW(problem->arena, struct mapper_phases);
    bool counts = !sator_mapper_ends_short(problem) && is_simple(problem, &phases->output);

    phases->problem = problem;
    phases->stamp_cycles = (int64_t)ceil(problem->cycles_per_instance);
    phases->mixed_row = -1;
    for (int q = 0; q < problem->n_ports && counts; q++) {
        const struct sator_lane *lane = problem->port[q].lane;
        int row = problem->memory[problem->port[q].memory].row;
        counts = find_unit(lane, &phases->unit[q]);
        if (lane->reads && lane->writes && row > phases->mixed_row)
            phases->mixed_row = row;
    }
    if (!counts || !find_own(phases))
        return;
    find_manners(phases);
    find_serial_ports(phases, problem);
    problem->begun_cycles = sator_mapper_phase_computes(phases, true);
    problem->read_cycles = sator_mapper_phase_computes(phases, false);
    phases->at_least = limits_wires(problem->arch);
    for (int i = 0; i < problem->n_transfers; i++)
        phases->at_least |= problem->transfer[i].reaches_back;
    phases->counts_all = !phases->at_least && counts_all(problem, phases->mixed_row);
    problem->phases = phases;
}
