/* The scheduled time of a mapping, by classes of stamps that are alike.
 *
 * In a nest of whole tiles all that moves when a stamp begins depends on the digit that has just
 * stepped: the digits inside it have fallen back to 0, those outside stand. So a stamp is told by
 * the digits that step into it and out of it, and by whether sums are touched for the first time
 * there and in the next stamp, which is where all digits of loops that do not index the output are
 * 0. A prefix's stamps fall into a few such classes, whose sizes are products of factors; and what
 * a stamp has inside depends on its own class alone.
 */
#include "mapper/phases/phases.h"

#include "mapper/phases/phases_nest.h"
#include "mapper/problem/skew.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- what the machine says ---- */

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

static bool waits(const struct mapper_problem *p, int m)
{
    const struct sator_level *level = &p->arch->levels[p->memory[m].level];

    return level == sator_arch_scratchpad(p->arch) && !level->memory.overlaps;
}

static bool says(const struct sator_transfers *transfers, const char *tensor)
{
    for (int i = 0; i < transfers->n_tensors; i++) {
        if (strcmp(transfers->tensors[i].tensor, tensor) == 0)
            return true;
    }
    return transfers->others != SATOR_TRANSFER_UNSAID;
}

static struct mapper_manner find_manner(
        const struct mapper_problem *p, const struct mapper_transfer *t)
{
    const char *tensor = p->access[t->access].name;
    bool serial = waits(p, t->parent);

    if (t->child == p->n_memories) {
        enum sator_transfer_kind kind = serial ? SATOR_TRANSFER_SERIAL : SATOR_TRANSFER_STREAMED;
        return (struct mapper_manner){.kind = kind, .kind_of_stamps = kind};
    }
    const struct sator_level *level = &p->arch->levels[p->memory[t->child].level];
    if (serial && !says(&level->memory.transfers, tensor))
        return (struct mapper_manner){
                .kind = SATOR_TRANSFER_SERIAL, .kind_of_stamps = SATOR_TRANSFER_SERIAL};
    return (struct mapper_manner){.kind = sator_memory_transfers(p->arch, level, tensor, false),
            .kind_of_stamps = sator_memory_transfers(p->arch, level, tensor, true)};
}

static bool limits_wires(const struct sator_arch *arch)
{
    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_array *array = &arch->levels[l].array;
        if (arch->levels[l].kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int i = 0; i < array->n_links; i++) {
            if (!isnan(array->links[i].bandwidth_bits))
                return true;
        }
        for (int i = 0; i < array->n_buses; i++) {
            if (!isnan(array->buses[i].bandwidth_bits))
                return true;
        }
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
    if (t->links_alone == NULL || !is_output)
        return t->links_alone != NULL;
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

static bool find_own(struct mapper_phases *phases)
{
    const struct mapper_problem *p = phases->problem;

    for (int a = 0; a < p->n_accesses; a++) {
        int m = sator_mapper_own_memory(p, a);
        if (m < 0)
            continue;
        if (p->access[a].volume % p->instances != 0)
            return false;
        phases->own[phases->n_own++] = (struct mapper_own){.access = a,
                .read_port = sator_mapper_port_of(p, m, a, false),
                .write_port =
                        p->access[a].role == SATOR_WRITE ? sator_mapper_port_of(p, m, a, true) : -1,
                .bits = p->access[a].volume / p->instances * p->memory[m].word_bits[a],
                .waits = waits(p, m)};
    }
    return true;
}

static void find_manners(struct mapper_phases *phases)
{
    const struct mapper_problem *p = phases->problem;

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        struct mapper_manner *manner = &phases->manner[i];
        *manner = find_manner(p, t);
        phases->steps[i] = sator_mapper_phase_steps(p, t);
        manner->send = sator_mapper_port_of(p, t->parent, t->access, false);
        manner->take = t->access == phases->output
                ? sator_mapper_port_of(p, t->parent, t->access, true)
                : -1;
        manner->arrive =
                t->child == p->n_memories ? -1 : sator_mapper_port_of(p, t->child, t->access, true);
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

/* Of the ports those through which serial words alone pass, and those through which none do. */
static void find_serial_ports(const struct mapper_phases *phases, struct mapper_problem *p)
{
    unsigned serial = 0, others = 0, beside = 0;

    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_manner *manner = &phases->manner[i];
        int ports[] = {manner->send, manner->take, manner->arrive};
        bool never = manner->kind != SATOR_TRANSFER_SERIAL &&
                manner->kind_of_stamps != SATOR_TRANSFER_SERIAL;
        bool always = manner->kind == SATOR_TRANSFER_SERIAL &&
                manner->kind_of_stamps == SATOR_TRANSFER_SERIAL;
        for (int k = 0; k < 3; k++) {
            serial |= ports[k] >= 0 && !never ? 1U << ports[k] : 0;
            unsigned other = ports[k] >= 0 && !always ? 1U << ports[k] : 0;
            others |= other;
            beside |= sator_mapper_waits_inside(phases, p->transfer[i].child) ? other : 0;
        }
    }
    for (int i = 0; i < phases->n_own; i++) {
        const struct mapper_own *own = &phases->own[i];
        unsigned ports = (own->read_port >= 0 ? 1U << own->read_port : 0) |
                (own->write_port >= 0 ? 1U << own->write_port : 0);
        serial |= own->waits ? ports : 0;
        others |= own->waits ? 0 : ports;
    }
    p->serial_ports = serial & ~others;
    p->mixed_ports = serial & others;
    p->beside_ports = beside & ~serial;
}

/* Whether sator_mapper_scheduled never leaves a mapping to the model: no row is skewed, digits are
 * few, and no port of reads and writes is inside of an array, where sums may be handed on. */
static bool counts_all(const struct mapper_problem *p)
{
    int array = 0;

    while (array < p->n_rows && !p->row[array].is_space)
        array++;
    for (int q = 0; q < p->n_ports; q++) {
        if (p->port[q].lane->reads && p->port[q].lane->writes &&
                p->memory[p->port[q].memory].row > array)
            return false;
    }
    return p->skew == NULL && !p->imperfect && p->n_memories * p->n_loops <= MOST_DIGITS;
}

void sator_mapper_know_phases(struct mapper_problem *problem)
{
    struct mapper_phases *phases = SATOR_NEW(problem->arena, struct mapper_phases);
    bool counts = is_simple(problem, &phases->output);

    phases->problem = problem;
    phases->stamp_cycles = (int64_t)ceil(problem->cycles_per_instance);
    for (int q = 0; q < problem->n_ports && counts; q++)
        counts = find_unit(problem->port[q].lane, &phases->unit[q]);
    if (!counts || !find_own(phases))
        return;
    find_manners(phases);
    find_serial_ports(phases, problem);
    phases->at_least = limits_wires(problem->arch);
    for (int i = 0; i < problem->n_transfers; i++)
        phases->at_least |= problem->transfer[i].reaches_back;
    phases->counts_all = !phases->at_least && counts_all(problem);
    problem->phases = phases;
}

/* ---- the nest ---- */

static bool list_digits(struct nest *nest, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int *cut)
{
    const struct mapper_problem *p = nest->phases->problem;
    int output = nest->phases->output;

    for (int m = 0; m < p->n_memories; m++) {
        int row = p->memory[m].row;
        cut[m] = nest->n_digits;
        for (int k = 0; k < p->n_loops; k++) {
            int loop = mapping->order[m][k];
            if (mapping->factor[row][loop] == 1)
                continue;
            if (nest->n_digits == MOST_DIGITS)
                return false;
            nest->digit[nest->n_digits].loop = loop;
            nest->digit[nest->n_digits].factor = mapping->factor[row][loop];
            nest->digit[nest->n_digits].step = shape->inside[row + 1][loop];
            nest->digit[nest->n_digits++].sums =
                    output >= 0 && !(p->access[output].relevant >> loop & 1);
        }
    }
    cut[p->n_memories] = nest->n_digits;
    return true;
}

/* The different cuts. The values of a skewed row, that of memory "skewed", are a level of their own
 * whatever digits it joins; what is inside of them has no part. */
static void list_levels(struct nest *nest, const int *cut, int skewed)
{
    int n = nest->phases->problem->n_memories;

    for (int m = 0; m <= n; m++) {
        int length = cut[m];
        if (skewed >= 0 && m > skewed + 1) {
            nest->level_of[m] = nest->n_levels - 1;
            continue;
        }
        if (skewed < 0 && m == n && length == 0)
            length = 1; /* a nest has a time dimension */
        if (nest->n_levels == 0 || length != nest->length[nest->n_levels - 1] ||
                (skewed >= 0 && m == skewed + 1))
            nest->length[nest->n_levels++] = length;
        nest->level_of[m] = nest->n_levels - 1;
    }
}

/* The rows that "t" merges sums along: by trees or by wires. */
static unsigned merged_rows(const struct mapper_transfer *t, bool by_wires)
{
    return (t->link != NULL || t->links_alone != NULL) == by_wires ? t->collapsed : 0;
}

/* Whether PEs along the digit have parts of the same sums. */
static bool parts_sums(const struct mapper_phases *phases, const struct mapper_digit *digit)
{
    return phases->output >= 0 &&
            !(phases->problem->access[phases->output].relevant >> digit->loop & 1);
}

/* The outermost row along which PEs have parts of sums, and wires hand these on, or nothing merges
 * them; n_rows: none. */
static int find_carried(
        const struct mapper_phases *phases, const struct mapper_shape *shape, bool by_wires)
{
    const struct mapper_problem *p = phases->problem;
    unsigned wired = 0, merged = 0;

    for (int i = 0; i < p->n_transfers; i++) {
        if (p->transfer[i].access != phases->output)
            continue;
        wired |= merged_rows(&p->transfer[i], true);
        merged |= merged_rows(&p->transfer[i], false);
    }
    for (int k = 0; k < shape->n_digits; k++) {
        int row = shape->digit[k].row;
        bool carries = ((by_wires ? wired : ~(wired | merged)) >> row & 1) != 0;
        if (carries && parts_sums(phases, &shape->digit[k]))
            return row;
    }
    return p->n_rows;
}

/* How many parts of a sum, of which none is merged with others, each word makes of the "words" that
 * pass between one instance of the parent of "t" and the memories inside of it. */
static int64_t find_parts(const struct mapper_phases *phases, const struct mapper_shape *shape,
        const struct mapper_transfer *t, int64_t words, int64_t tile_words)
{
    int64_t parts = 1, elements = tile_words;

    for (int k = 0; k < shape->n_digits && t->access == phases->output; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        bool is_inside = t->between >> digit->row & 1;
        if (is_inside && !parts_sums(phases, digit))
            elements *= digit->count;
        else if (is_inside && !(t->collapsed >> digit->row & 1))
            parts *= digit->count;
    }
    /* where wires cross, each PE that no other one hands the sum has a part */
    return t->access == phases->output && t->links_alone != NULL ? words / elements : parts;
}

/* Whether a port of reads and writes has no instance that is the busiest in both: the first of a
 * chain of sums takes what comes from outside, the others start nothing from zero. */
static bool mixes_instances(const struct mapper_phases *phases, int carried_row)
{
    const struct mapper_problem *p = phases->problem;

    for (int q = 0; q < p->n_ports; q++) {
        if (p->port[q].lane->reads && p->port[q].lane->writes &&
                p->memory[p->port[q].memory].row > carried_row)
            return true;
    }
    return false;
}

/* The parallel positions outside row "row". */
static int64_t instances_used(const struct mapper_shape *shape, int row)
{
    int64_t n = 1;

    for (int k = 0; k < shape->n_digits && shape->digit[k].row < row; k++)
        n *= shape->digit[k].count;
    return n;
}

static bool passes_port(const struct mapper_manner *manner)
{
    return manner->send >= 0 || manner->take >= 0 || manner->arrive >= 0;
}

/* What the last movement moves when each of the digits from "first" to "n_time" - 1 steps; those
 * before keep nothing. */
static bool find_steps(struct nest *nest, struct mapper_words *words, struct mapper_walk *walk,
        int64_t groups, int n_time, int first)
{
    struct movement *movement = &nest->movement[nest->n_movements - 1];
    bool crosses = nest->is_skewed && movement->level == nest->n_levels - 1;
    struct mapper_pace pace;

    walk->stamps = 1;
    for (int g = 0; g < n_time; g++)
        walk->stamps *= nest->digit[g].factor;
    sator_mapper_pace_init(&pace);
    for (int g = n_time - 1; g >= OUTSIDE; g--) {
        struct mapper_pace before = pace;
        if (g >= first && !pace.dead) {
            int64_t factor = nest->digit[g].factor, times = walk->stamps / (pace.inside * factor);
            times *= factor - 1;
            sator_mapper_pace_place(
                    walk, words, &pace, nest->digit[g].loop, factor, nest->digit[g].step);
            movement->out[g + 1] =
                    groups * (walk->group_words - (pace.kept_unique - before.kept_unique) / times);
            movement->in[g + 1] =
                    walk->tile_words - (pace.kept_arriving - before.kept_arriving) / times;
        } else {
            movement->out[g + 1] = movement->out[0];
            movement->in[g + 1] = movement->in[0];
        }
        bool joined = g >= first || g == OUTSIDE;
        if (crosses && joined && !sator_mapper_phase_enter(nest, words, walk, &before, g))
            return false;
    }
    return true;
}

/* Of words that links bring from further back than the stamp before, as few as enter when each of
 * the "n_time" digits steps. */
static void find_least_steps(struct movement *movement, struct mapper_words *words,
        const struct mapper_walk *walk, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int64_t groups, int n_time)
{
    int64_t least[MOST_DIGITS];

    sator_mapper_least_steps(walk, words, mapping, shape, least);
    for (int g = 0; g < n_time; g++)
        movement->out[g + 1] = groups * least[n_time - 1 - g];
}

/* What transfer "t" moves when each digit outside its child steps. False: it is of another form. */
static bool find_movement(struct nest *nest, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, const int *cut,
        int t)
{
    const struct mapper_problem *p = nest->phases->problem;
    const struct mapper_transfer *transfer = &p->transfer[t];
    struct movement *movement = &nest->movement[nest->n_movements];
    int n_time = cut[transfer->child];
    bool crosses = nest->is_skewed && nest->level_of[transfer->child] == nest->n_levels - 1;
    struct mapper_walk walk;

    if (crosses && !passes_port(&nest->phases->manner[t]))
        return true;
    if (transfer->links_alone == NULL) {
        sator_mapper_walk_init(p, words, shape, t, &walk);
    } else {
        sator_mapper_walk_links(p, words, shape, t, &walk);
        if (sator_mapper_goes_round(words, &walk))
            return false;
    }
    int64_t groups = walk.groups / instances_used(shape, p->memory[transfer->parent].row);
    bool all_time = nest->is_skewed ? crosses && n_time == cut[p->n_memories]
                                    : nest->level_of[transfer->child] == nest->n_levels - 1;
    movement->transfer = t;
    movement->level = nest->level_of[transfer->child];
    movement->tile_time = cut[transfer->parent];
    movement->kind =
            all_time ? nest->phases->manner[t].kind_of_stamps : nest->phases->manner[t].kind;
    movement->out[0] = groups * walk.group_words;
    movement->parts = find_parts(nest->phases, shape, transfer, movement->out[0], walk.tile_words);
    movement->in[0] = walk.tile_words;
    nest->n_movements++;
    if (!crosses) {
        find_steps(nest, words, &walk, groups, n_time, 0);
        if (transfer->reaches_back)
            find_least_steps(movement, words, &walk, mapping, shape, groups, n_time);
        return true;
    }
    return n_time == nest->length[movement->level] &&
            sator_mapper_phase_places(nest, shape, &walk) &&
            find_steps(nest, words, &walk, groups, n_time, nest->first_joined);
}

/* Whether stamps of level "l" move as much inside the digits "g" and "like". */
static bool moves_alike(const struct nest *nest, int l, int g, int like)
{
    for (int i = 0; i < nest->n_movements; i++) {
        const struct movement *m = &nest->movement[i];
        if (m->level > l &&
                (m->out[g] != m->out[like] || m->in[g] != m->in[like] ||
                        (g - 1 < m->tile_time) != (like - 1 < m->tile_time)))
            return false;
    }
    return true;
}

/* Digits further out than the stamps of a level that move as much inside of them are alike. */
static void find_alike(struct nest *nest)
{
    for (int l = 0; l < nest->n_levels; l++) {
        int n = nest->length[l] < nest->n_digits ? nest->length[l] : nest->n_digits;
        for (int g = 0; g <= n; g++) {
            int like = 0;
            while (like < g && !moves_alike(nest, l, g, like))
                like++;
            nest->alike[l][g] = (int8_t)like;
        }
    }
}

/* ---- phases ---- */

void sator_mapper_phase_bits(const struct mapper_phases *phases, struct delays *delays,
        enum phase phase, int port, int64_t words, int64_t bits)
{
    if (port < 0 || words == 0)
        return;
    const struct mapper_unit *unit = &phases->unit[port];
    sator_int all = (sator_int)words * bits;
    if (unit->granule > 1)
        all = (all + unit->granule - 1) / unit->granule * unit->granule;
    if (!(delays->ports[phase] >> port & 1))
        delays->of[phase][port] = 0;
    delays->ports[phase] |= 1U << port;
    delays->of[phase][port] += all * unit->scale + (sator_int)unit->setup * unit->bits;
}

static int64_t width(const struct mapper_problem *p, int m, int access)
{
    return p->memory[m].word_bits[access];
}

bool sator_mapper_phase_starts(const struct nest *nest, const struct mapper_transfer *t)
{
    return t->access == nest->phases->output &&
            nest->phases->problem->memory[t->parent].row <= nest->carried_row;
}

static void add_load(const struct nest *nest, const struct movement *movement, bool fresh,
        struct delays *delays, enum phase phase, int digit)
{
    const struct mapper_phases *phases = nest->phases;
    const struct mapper_problem *p = phases->problem;
    const struct mapper_transfer *t = &p->transfer[movement->transfer];
    const struct mapper_manner *manner = &phases->manner[movement->transfer];

    bool starts = fresh && sator_mapper_phase_starts(nest, t);
    int64_t out = movement->out[digit + 1];
    if (starts)
        out -= out / movement->parts;
    sator_mapper_phase_bits(
            phases, delays, phase, manner->send, out, width(p, t->parent, t->access));
    if (starts && movement->parts == 1)
        return;
    if (manner->arrive >= 0)
        sator_mapper_phase_bits(phases, delays, phase, manner->arrive, movement->in[digit + 1],
                width(p, t->child, t->access));
}

static void add_store(const struct nest *nest, const struct movement *movement,
        struct delays *delays, enum phase phase, int digit)
{
    const struct mapper_phases *phases = nest->phases;
    const struct mapper_transfer *t = &phases->problem->transfer[movement->transfer];
    const struct mapper_manner *manner = &phases->manner[movement->transfer];

    sator_mapper_phase_bits(phases, delays, phase, manner->take, movement->out[digit + 1],
            width(phases->problem, t->parent, t->access));
}

/* What one transfer does in a stamp of its level. */
static void add_movement(const struct nest *nest, const struct movement *movement,
        const struct stamp *x, struct delays *delays)
{
    if (movement->kind != SATOR_TRANSFER_OVERLAPPED) {
        bool serial = movement->kind == SATOR_TRANSFER_SERIAL;
        add_load(nest, movement, x->fresh, delays, serial ? SERIAL_LOADS : WITH_RUN, x->into);
        add_store(nest, movement, delays, serial ? SERIAL_STORES : WITH_RUN, x->from);
        return;
    }
    bool first = x->into < movement->tile_time, last = x->from < movement->tile_time;
    if (first)
        add_load(nest, movement, x->fresh, delays, EXPOSED_LOADS, x->into);
    if (!last)
        add_load(nest, movement, x->next_fresh, delays, WITH_RUN, x->from);
    if (!first)
        add_store(nest, movement, delays, WITH_RUN, x->into);
    if (last)
        add_store(nest, movement, delays, EXPOSED_STORES, x->from);
}

/* What the PE's own memories serve in a stamp. */
static void add_own(const struct nest *nest, const struct stamp *x, struct delays *delays)
{
    const struct mapper_phases *phases = nest->phases;

    for (int i = 0; i < phases->n_own; i++) {
        const struct mapper_own *own = &phases->own[i];
        bool starts = own->access == phases->output && x->fresh &&
                nest->carried_row == phases->problem->n_rows;
        if (!starts)
            sator_mapper_phase_bits(phases, delays, own->waits ? SERIAL_LOADS : WITH_RUN,
                    own->read_port, 1, own->bits);
        sator_mapper_phase_bits(phases, delays, own->waits ? SERIAL_STORES : WITH_RUN,
                own->write_port, 1, own->bits);
    }
}

static sator_int whole_cycles(const struct mapper_unit *unit, sator_int cost)
{
    sator_int last = cost + unit->bits - 1;

    return last <= INT64_MAX ? (int64_t)last / unit->bits : last / unit->bits;
}

void sator_mapper_phase_stamp(const struct mapper_phases *phases, const struct delays *delays,
        const struct run *inside, int64_t times, struct run *sum)
{
    sator_int cycles = 0;

    for (unsigned left = inside->ports; left != 0; left &= left - 1)
        sum->busy[__builtin_ctz(left)] += times * inside->busy[__builtin_ctz(left)];
    sum->ports |= inside->ports;
    for (int k = 0; k < PHASES; k++) {
        sator_int longest = k == WITH_RUN ? inside->cycles : 0;
        unsigned both = delays->ports[k] | (k == WITH_RUN ? inside->ports : 0);
        for (unsigned left = both; left != 0; left &= left - 1) {
            int q = __builtin_ctz(left);
            sator_int own = delays->ports[k] >> q & 1 ? delays->of[k][q] : 0;
            sum->busy[q] += times * own;
            own = whole_cycles(&phases->unit[q], own + (k == WITH_RUN ? inside->busy[q] : 0));
            longest = own > longest ? own : longest;
        }
        sum->ports |= delays->ports[k];
        cycles += longest;
    }
    sum->cycles += times * cycles;
}

/* Add "times" the stamp "x" of level "level", whose inside takes "inside". */
static void add_stamp(const struct nest *nest, int level, const struct stamp *x,
        const struct run *inside, int64_t times, struct run *sum)
{
    struct delays delays;

    memset(delays.ports, 0, sizeof delays.ports);
    for (int i = 0; i < nest->n_movements; i++) {
        if (nest->movement[i].level == level)
            add_movement(nest, &nest->movement[i], x, &delays);
    }
    if (level == nest->n_levels - 1)
        add_own(nest, x, &delays);
    sator_mapper_phase_stamp(nest->phases, &delays, inside, times, sum);
}

static const struct run *run_inside(struct nest *nest, int level, const struct stamp *x);

/* The stamps of a level within one of the level outside. */
struct within {
    struct nest *nest;
    int level;
    struct run *sum;
};

static void add_class(const struct within *within, int64_t times, struct stamp x)
{
    if (times > 0)
        add_stamp(within->nest, within->level, &x, run_inside(within->nest, within->level, &x),
                times, within->sum);
}

/* Of "times" stamps that "x" tells, those in which sums go on: none begin there or next. */
static void add_rest(const struct within *within, int64_t times, struct stamp x)
{
    x.fresh = x.next_fresh = false;
    add_class(within, times, x);
}

/* The stamps in "y" of digits "first" to "last". Each is stepped into or out of by the last digit:
 * its value is 0, its greatest, or between. */
static void add_classes(const struct within *within, const struct stamp *y, int first, int last)
{
    const struct nest *nest = within->nest;
    bool sums = nest->digit[last].sums, inner_sums = false;
    int64_t all = 1, fresh = y->fresh; /* values of the digits before; those in which sums begin */

    for (int g = first + 1; g <= last; g++)
        inner_sums |= nest->digit[g].sums;
    bool any_sums = inner_sums || nest->digit[first].sums;
    add_class(within, 1,
            (struct stamp){.into = y->into,
                    .from = last,
                    .fresh = y->fresh,
                    .next_fresh = y->fresh && !sums});
    add_class(within, 1,
            (struct stamp){.into = last,
                    .from = y->from,
                    .fresh = y->fresh && !any_sums,
                    .next_fresh = y->next_fresh});
    for (int g = first; g < last; g++) {
        int64_t steps = nest->digit[g].factor - 1, begin;
        inner_sums = false;
        for (int k = g + 1; k <= last; k++)
            inner_sums |= nest->digit[k].sums;
        /* the last digit is 0, those after g are, too */
        begin = nest->digit[g].sums ? 0 : fresh * steps;
        add_class(within, begin, (struct stamp){g, last, true, !sums});
        add_rest(within, all * steps - begin, (struct stamp){.into = g, .from = last});
        /* those after g are at their greatest */
        begin = nest->digit[g].sums ? fresh : fresh * steps;
        add_class(within, begin, (struct stamp){last, g, !inner_sums, !nest->digit[g].sums});
        add_rest(within, all * steps - begin, (struct stamp){.into = last, .from = g});
        all *= nest->digit[g].factor;
        fresh *= nest->digit[g].sums ? 1 : nest->digit[g].factor;
    }
    int64_t between = nest->digit[last].factor - 2, begin = sums ? 0 : fresh * between;
    add_class(within, begin, (struct stamp){last, last, true, true});
    add_rest(within, all * between - begin, (struct stamp){.into = last, .from = last});
}

/* What the stamps of "level" in stamp "y" of the level outside take. */
static void add_level(struct nest *nest, int level, const struct stamp *y, struct run *sum)
{
    struct within within = {nest, level, sum};

    if (nest->is_skewed && level == nest->n_levels - 1) {
        sator_mapper_phase_run(nest, y, sum);
        return;
    }
    int first = level == 0 ? 0 : nest->length[level - 1], end = nest->length[level];

    end = end < nest->n_digits ? end : nest->n_digits;
    if (first == end)
        add_class(&within, 1, *y);
    else
        add_classes(&within, y, first, end - 1);
}

/* The inside of stamp "x" of a level: of stamps that are alike once. */
static const struct run *run_inside(struct nest *nest, int level, const struct stamp *x)
{
    int into = nest->alike[level][x->into + 1], from = nest->alike[level][x->from + 1];

    for (int i = 0; i < nest->n_runs; i++) {
        const struct run *r = &nest->run[i];
        if (r->level == level && r->into == into && r->from == from && r->fresh == x->fresh &&
                r->next_fresh == x->next_fresh)
            return r;
    }
    struct run run = {.level = level,
            .into = into,
            .from = from,
            .fresh = x->fresh,
            .next_fresh = x->next_fresh};
    if (level == nest->n_levels - 1)
        run.cycles = nest->phases->stamp_cycles;
    else
        add_level(nest, level + 1, x, &run);
    nest->run[nest->n_runs < MOST_RUNS ? nest->n_runs++ : MOST_RUNS - 1] = run;
    return &nest->run[nest->n_runs - 1];
}

/* Set which memory's row is skewed in the mapping, -1: none; false where several are, or what is
 * inside a skewed one has limited ports. */
static bool find_skewed(
        const struct mapper_phases *phases, const struct mapper_mapping *mapping, int *skewed)
{
    const struct mapper_problem *p = phases->problem;

    *skewed = -1;
    for (int m = 0; m < p->n_memories && p->skew != NULL; m++) {
        if (sator_mapper_span(p, mapping, m) == 0)
            continue;
        if (*skewed >= 0)
            return false;
        *skewed = m;
    }
    for (int m = *skewed + 1; m < p->n_memories && *skewed >= 0; m++) {
        if (p->memory[m].holds_idle) /* when idle PEs let go of sums is not followed */
            return false;
    }
    if (*skewed < 0)
        return true;
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_manner *manner = &phases->manner[t];
        if (p->transfer[t].child > *skewed &&
                (manner->arrive >= 0 || (p->transfer[t].parent > *skewed && passes_port(manner))))
            return false;
    }
    for (int i = 0; i < phases->n_own; i++) {
        if (phases->own[i].read_port >= 0 || phases->own[i].write_port >= 0)
            return false;
    }
    return true;
}

static bool follow(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, bool at_least, double *cycles)
{
    const struct mapper_problem *p = phases->problem;
    static const struct stamp whole = {OUTSIDE, OUTSIDE, true, false};
    struct mapper_shape shape;
    struct nest nest;
    struct run run = {0};
    int cut[MAPPER_MEMORIES + 1], skewed;

    if (sator_mapper_is_ragged(p, mapping, UINT_MAX) || !find_skewed(phases, mapping, &skewed))
        return false;
    sator_mapper_shape_init(p, mapping, &shape);
    nest.phases = phases;
    nest.at_least = at_least;
    int wired = find_carried(phases, &shape, true), parted = find_carried(phases, &shape, false);
    nest.carried_row = wired < parted ? wired : parted;
    nest.n_digits = nest.n_levels = nest.n_movements = nest.n_runs = 0;
    if (mixes_instances(phases, wired) || !list_digits(&nest, mapping, &shape, cut))
        return false;
    list_levels(&nest, cut, skewed);
    if (!sator_mapper_phase_skew(&nest, mapping, skewed, cut))
        return false;
    for (int t = 0; t < p->n_transfers; t++) {
        if (!find_movement(&nest, words, mapping, &shape, cut, t))
            return false;
    }
    find_alike(&nest);
    add_level(&nest, 0, &whole, &run);
    *cycles = (double)run.cycles;
    return true;
}

bool sator_mapper_scheduled(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles)
{
    return follow(phases, words, mapping, false, cycles);
}

bool sator_mapper_scheduled_least(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles)
{
    return follow(phases, words, mapping, true, cycles);
}
