#include "oracle/hardware_make.h"

#include <string.h>

static int64_t between(struct random *random, int64_t least, int64_t most)
{
    return least + random_below(random, most - least + 1);
}

static unsigned all_tensors(const struct hardware *hardware)
{
    return (1u << hardware->program.n_tensors) - 1;
}

static unsigned some_tensors(struct random *random, const struct hardware *hardware, int percent)
{
    unsigned all = all_tensors(hardware);
    return random_chance(random, percent) ? (unsigned)random_below(random, all) + 1 : all;
}

/* ---- networks ---- */

static void make_link(struct random *random, const struct hardware *hardware,
        const struct hardware_options *options, const struct hardware_level *array,
        struct hardware_link *link)
{
    bool moves = false;

    link->interval = options->long_links && random_chance(random, 30)
            ? (int)between(random, 2, 3)
            : (int)random_chance(random, 65);
    link->tensors = some_tensors(random, hardware, 40);
    link->n_steps = 1;
    for (int d = 0; d < array->n_dims; d++) {
        link->steps[0][d] = random_chance(random, 60) ? between(random, -1, 1) : 0;
        if (random_chance(random, 8))
            link->steps[0][d] = between(random, -2, 2);
        moves = moves || link->steps[0][d] != 0;
    }
    if (!moves) /* a PE that is its own neighbour: readers refuse such wires */
        link->steps[0][0] = 1;
    if (random_chance(random, 20)) {
        link->n_steps = 2;
        for (int d = 0; d < array->n_dims; d++)
            link->steps[1][d] = random_chance(random, 70) ? -link->steps[0][d] : link->steps[0][d];
    }
}

static void make_bus(struct random *random, const struct hardware *hardware,
        const struct hardware_level *array, struct hardware_bus *bus)
{
    bus->is_reduction = random_chance(random, 50);
    bus->tensors = some_tensors(random, hardware, 30);
    for (int d = 0; d < array->n_dims; d++) {
        if (random_chance(random, 55))
            continue;
        bus->out[bus->n_out].dim = d;
        bus->out[bus->n_out].divisor = 1;
        if (random_chance(random, 30))
            bus->out[bus->n_out].divisor = between(random, 2, 3);
        bus->out[bus->n_out].is_remainder =
                bus->out[bus->n_out].divisor > 1 && random_chance(random, 30);
        bus->n_out++;
    }
}

static void make_network(struct random *random, const struct hardware *hardware,
        const struct hardware_options *options, struct hardware_level *array)
{
    static const int link_counts[] = {0, 0, 0, 0, 1, 1, 2, 3};
    static const int bus_counts[] = {0, 0, 1, 1, 1, 2, 2, 3};

    array->n_links = link_counts[random_below(random, 8)];
    for (int l = 0; l < array->n_links; l++)
        make_link(random, hardware, options, array, &array->links[l]);
    array->n_buses = bus_counts[random_below(random, 8)];
    /* multicast is written before reduction: keep that order */
    for (int b = 0; b < array->n_buses; b++)
        make_bus(random, hardware, array, &array->buses[b]);
}

/* ---- memories ---- */

static int64_t any_bandwidth(struct random *random)
{
    return random_chance(random, 60) ? (int64_t)4 << random_below(random, 6) : 0;
}

static void make_capacity(struct random *random, const struct hardware *hardware, bool is_small,
        struct hardware_level *memory)
{
    int64_t most = is_small ? 10 : 60;

    memory->capacity = (enum hardware_capacity)between(random, HARDWARE_WORDS, HARDWARE_EACH);
    memory->is_double_buffered = random_chance(random, 25);
    memory->room = between(random, 3, 3 * most);
    if (memory->capacity == HARDWARE_BYTES)
        memory->room *= 2;
    for (int t = 0; t < hardware->program.n_tensors; t++)
        memory->room_of[t] = random_chance(random, 85) ? between(random, 1, most) : 0;
    memory->room_of[0] += memory->room_of[0] == 0; /* some number must be there */
}

/* Which tensors still lack a port in some of the directions of "direction". */
static unsigned unserved(const struct hardware *hardware, const struct hardware_level *memory,
        enum hardware_direction direction)
{
    unsigned left = all_tensors(hardware) & ~memory->never;

    for (int p = 0; p < memory->n_ports; p++) {
        enum hardware_direction other = memory->ports[p].direction;
        bool apart = (direction == HARDWARE_READ && other == HARDWARE_WRITE) ||
                (direction == HARDWARE_WRITE && other == HARDWARE_READ);
        if (!apart && memory->ports[p].tensors == 0)
            left |= 1u << 31;
        left &= apart ? left : ~memory->ports[p].tensors;
    }
    return left;
}

static void make_ports(
        struct random *random, const struct hardware *hardware, struct hardware_level *memory)
{
    int n = (int)between(random, 1, HARDWARE_PORTS);

    for (int k = 0; k < n; k++) {
        struct hardware_port port = {.direction = (enum hardware_direction)random_below(random, 4)};
        unsigned left = unserved(hardware, memory, port.direction);
        bool has_general = (left >> 31) != 0;
        left &= all_tensors(hardware);
        if (random_chance(random, 25) && !has_general && left != 0)
            port.tensors = 0;
        else {
            port.tensors = left & (unsigned)between(random, 1, all_tensors(hardware));
            if (port.tensors == 0)
                continue;
        }
        port.bandwidth[0] = port.bandwidth[1] = any_bandwidth(random);
        if (port.bandwidth[0] > 0 && port.direction == HARDWARE_BOTH && random_chance(random, 50))
            port.bandwidth[1] = (int64_t)4 << random_below(random, 6);
        memory->ports[memory->n_ports++] = port;
    }
}

static void make_memory(struct random *random, const struct hardware *hardware,
        const struct hardware_options *options, bool is_outermost, bool is_small,
        struct hardware_level *memory)
{
    *memory = (struct hardware_level){.overlaps = true, .cut = -1};
    memory->bandwidth[0] = any_bandwidth(random);
    memory->bandwidth[1] = random_chance(random, 50) ? memory->bandwidth[0] : any_bandwidth(random);
    if (random_chance(random, is_outermost ? 10 : 60))
        make_capacity(random, hardware, is_small, memory);
    memory->holds_idle = options->idle && !is_outermost && random_chance(random, 40);
    if (!options->bypass)
        return;
    if (random_chance(random, is_outermost ? 5 : 20))
        memory->never = (unsigned)random_below(random, all_tensors(hardware) + 1);
    if (!is_outermost && random_chance(random, 25)) {
        memory->may_bypass =
                (unsigned)random_below(random, all_tensors(hardware) + 1) & ~memory->never;
        memory->bypassed =
                memory->may_bypass & (unsigned)random_below(random, all_tensors(hardware) + 1);
    }
}

/* ---- widths and energies ---- */

static struct hardware_energy make_energy(struct random *random)
{
    struct hardware_energy energy = {{between(random, 1, 9), between(random, 1, 9)}, 16, false};

    if (random_chance(random, 40))
        energy.bits = 1 << between(random, 0, 5);
    energy.is_row = random_chance(random, 30);
    if (energy.is_row)
        energy.bits = (int)between(random, 5, 200);
    return energy;
}

static void make_widths(
        struct random *random, const struct hardware *hardware, struct hardware_level *made)
{
    static const int widths[] = {4, 8, 12, 16, 24, 32};

    made->energy = make_energy(random);
    made->own_tensor = -1;
    if (random_chance(random, 25)) {
        made->own_tensor = (int)random_below(random, hardware->program.n_tensors);
        made->own_energy = make_energy(random);
    }
    if (random_chance(random, 70))
        return;
    if (random_chance(random, 40))
        made->width = widths[random_below(random, 6)];
    for (int t = 0; t < hardware->program.n_tensors && made->width == 0; t++)
        if (random_chance(random, 50))
            made->width_of[t] = widths[random_below(random, 6)];
}

/* ---- levels ---- */

/* The dimensions of the space-stamp over one to three arrays. */
static int split_dims(struct random *random, int n_space, int *dims)
{
    int n = 0;

    while (n_space > 0) {
        dims[n] = n == 2 ? n_space : (int)between(random, 1, n_space);
        n_space -= dims[n++];
    }
    return n;
}

static void make_levels(
        struct random *random, const struct hardware_options *options, struct hardware *hardware)
{
    int dims[3], n_arrays = split_dims(random, hardware->program.n_space, dims);
    int n_memories = (int)between(random, 1, 4), memories_left = n_memories, dim = 0;

    hardware->n_levels = 0;
    for (int array = 0; array <= n_arrays; array++) {
        int here = array == n_arrays ? memories_left : (int)random_below(random, memories_left + 1);
        if (array == 0 && here == 0 && random_chance(random, 90))
            here = 1;
        for (int m = 0; m < here; m++) {
            bool is_outermost = memories_left-- == n_memories;
            make_memory(random, hardware, options, is_outermost, dim > 0,
                    &hardware->levels[hardware->n_levels++]);
        }
        if (array == n_arrays)
            break;
        struct hardware_level *level = &hardware->levels[hardware->n_levels++];
        *level = (struct hardware_level){.is_array = true, .n_dims = dims[array]};
        for (int d = 0; d < dims[array]; d++)
            level->shape[d] = hardware->program.shape[dim++];
        make_network(random, hardware, options, level);
    }
}

/* Some memory, if there is one, holds each tensor. */
static void hold_all(struct hardware *hardware)
{
    unsigned held = 0;
    int outermost = -1;

    for (int level = hardware->n_levels - 1; level >= 0; level--)
        if (!hardware->levels[level].is_array) {
            held |= hardware_holds(hardware, level);
            outermost = level;
        }
    if (outermost < 0)
        return;
    hardware->levels[outermost].never &= held;
    hardware->levels[outermost].bypassed &= held;
}

static void make_all_ports(struct random *random, struct hardware *hardware)
{
    for (int level = 0; level < hardware->n_levels; level++)
        if (!hardware->levels[level].is_array && random_chance(random, 25))
            make_ports(random, hardware, &hardware->levels[level]);
}

/* One memory outside the arrays may wait for its transfers. */
static void make_waits(struct random *random, struct hardware *hardware)
{
    int scratchpad = -1;

    for (int l = 0; l < hardware->n_levels && !hardware->levels[l].is_array; l++)
        scratchpad = l;
    if (scratchpad < 0 || !random_chance(random, 10))
        return;
    for (int p = 0; p < hardware->levels[scratchpad].n_ports; p++)
        if (hardware->levels[scratchpad].ports[p].direction == HARDWARE_SHARED)
            return;
    hardware->levels[scratchpad].overlaps = false;
}

static void make_cuts(struct random *random, struct hardware *hardware)
{
    bool declares = random_chance(random, 55);
    int least = 0;

    for (int level = 0; level < hardware->n_levels; level++) {
        struct hardware_level *memory = &hardware->levels[level];
        bool is_first = least == 0;
        if (memory->is_array || !declares || random_chance(random, 30))
            continue;
        memory->cut = (int)between(random, least, hardware->program.n_time);
        if (is_first && random_chance(random, 40))
            memory->cut = 0;
        least = memory->cut;
    }
}

/* ---- nests ---- */

static unsigned outputs(const struct hardware *hardware)
{
    unsigned written = 0;

    for (int a = 0; a < hardware->program.n_accesses; a++)
        if (hardware->program.accesses[a].is_write)
            written |= 1u << hardware->program.accesses[a].tensor;
    return written;
}

/* Whether the elements that are written differ along the loop, as plain ones do. */
static bool tells_outputs(const struct oracle_program *program, int loop)
{
    bool tells = false;

    for (int a = 0; a < program->n_accesses; a++)
        for (int k = 0; k < program->accesses[a].n_index; k++) {
            const struct oracle_expr *index =
                    &program->exprs[program->accesses[a].pieces[0].index[k]];
            tells |= program->accesses[a].is_write && index->op == ORACLE_VAR && index->a == loop;
        }
    return tells;
}

/* The links of sums lead along a dimension over which parts of sums are spread, if there is one;
 * the PEs run at once where they are wires, and mostly one after the other where they are not. */
static void aim_sums(struct random *random, struct hardware *hardware)
{
    for (int e = 0; e < hardware->n_nest; e++) {
        const struct hardware_loop *loop = &hardware->nest[e];
        struct hardware_level *array = &hardware->levels[loop->level];
        if (loop->dim < 0 || tells_outputs(&hardware->program, loop->loop))
            continue;
        for (int l = 0; l < array->n_links; l++) {
            struct hardware_link *link = &array->links[l];
            int64_t step = 0;
            if (link->tensors != outputs(hardware) || !random_chance(random, 80))
                continue;
            for (int d = 0; d < array->n_dims; d++) {
                step += link->steps[0][d];
                link->steps[0][d] = 0;
            }
            link->steps[0][loop->dim] = step;
            array->skew[loop->dim] = link->interval * step;
        }
    }
}

/* A factor of "left" iterations; with "even" it divides them: 1, perhaps. */
static int64_t make_factor(
        struct random *random, int64_t least, int64_t most, int64_t left, bool even)
{
    int64_t factor = between(random, least, most);

    while (even && left % factor != 0)
        factor--;
    return factor;
}

/* Factors of one loop at increasing levels; their product covers the extent, and with "even" it is
 * the extent. */
static void make_factors(struct random *random, struct hardware *hardware, int loop, bool even,
        int64_t *room, int64_t *digits)
{
    int64_t left = hardware->program.upper[loop] - hardware->program.lower[loop];

    for (int level = hardware->n_levels - 1; level >= 0 && left > 1; level--) {
        const struct hardware_level *here = &hardware->levels[level];
        struct hardware_loop step = {.level = level, .loop = loop, .dim = -1};
        if (hardware->n_nest == HARDWARE_LOOPS - 1)
            break;
        if (here->is_array && random_chance(random, 75)) {
            step.dim = (int)random_below(random, here->n_dims);
            int64_t most = room[level * ORACLE_SPACE + step.dim];
            step.factor = make_factor(random, 1, most < left ? most : left, left, even);
            if (step.factor > 1) {
                room[level * ORACLE_SPACE + step.dim] /= step.factor;
                hardware->nest[hardware->n_nest++] = step;
                left = (left + step.factor - 1) / step.factor;
            }
        }
        step.dim = -1;
        if (left == 1 || *digits >= ORACLE_TIME - hardware->program.n_loops ||
                !random_chance(random, here->is_array ? 10 : 50))
            continue;
        step.factor = make_factor(random, 2, left, left, even);
        if (step.factor == 1)
            continue;
        ++*digits;
        hardware->nest[hardware->n_nest++] = step;
        left = (left + step.factor - 1) / step.factor;
    }
    if (left > 1) { /* the rest at the outermost level, or the array there */
        hardware->nest[hardware->n_nest++] =
                (struct hardware_loop){.loop = loop, .dim = -1, .factor = left};
        ++*digits;
    }
}

/* Sort: outer levels first, at one level those in time first; else as they are drawn. */
static void sort_nest(struct hardware *hardware)
{
    for (int i = 1; i < hardware->n_nest; i++)
        for (int k = i; k > 0; k--) {
            struct hardware_loop *a = &hardware->nest[k - 1], *b = &hardware->nest[k];
            struct hardware_loop moved = *a;
            int ranks[2] = {2 * a->level + (a->dim >= 0), 2 * b->level + (b->dim >= 0)};
            bool same_loop = a->loop == b->loop;
            /* digits of one loop were made from the inside out */
            if (ranks[0] < ranks[1] || (ranks[0] == ranks[1] && !same_loop))
                break;
            *a = *b;
            *b = moved;
        }
}

/* Steps along some of the dimensions that loops are spread over run later or earlier. */
static void make_skews(struct random *random, struct hardware *hardware)
{
    static const int64_t skews[] = {0, 0, 1, 1, 1, -1, -1, -1, 2, -2};

    for (int e = 0; e < hardware->n_nest; e++) {
        const struct hardware_loop *loop = &hardware->nest[e];
        if (loop->dim >= 0)
            hardware->levels[loop->level].skew[loop->dim] = skews[random_below(random, 10)];
    }
}

/* Fewer loops than usual are part of a skewed row, or those of memories further out too, so that
 * what is in between holds windows of it. */
static void make_joins(struct random *random, struct hardware *hardware)
{
    bool is_row = false; /* loops here may be part of the one inside */

    for (int l = hardware->n_levels - 1; l >= 0; l--) {
        struct hardware_level *here = &hardware->levels[l];
        bool is_inside = false;
        int loops = 0;
        if (here->is_array)
            continue;
        for (int a = l + 1; a < hardware->n_levels && hardware->levels[a].is_array; a++)
            for (int d = 0; d < hardware->levels[a].n_dims; d++)
                is_inside |= hardware->levels[a].skew[d] != 0;
        for (int e = 0; e < hardware->n_nest; e++)
            loops += hardware->nest[e].level == l && hardware->nest[e].dim < 0;
        if ((!is_inside && !is_row) || !random_chance(random, is_inside ? 15 : 80)) {
            is_row = is_inside;
            continue;
        }
        here->joined = (int)between(random, 0, loops);
        is_row = here->joined == loops;
        here->joined = here->joined == 0 ? -1 : here->joined;
    }
}

static void make_nest(struct random *random, const struct hardware_options *options,
        bool is_systolic, struct hardware *hardware)
{
    const bool even = is_systolic && random_chance(random, 50);
    int64_t room[HARDWARE_LEVELS * ORACLE_SPACE] = {0}, digits = 0;
    int first = (int)random_below(random, hardware->program.n_loops);

    hardware->program.domain.n =
            0; /* digits count from the first value: of a box, the lower bound */
    for (int level = 0; level < hardware->n_levels; level++)
        for (int d = 0; hardware->levels[level].is_array && d < hardware->levels[level].n_dims; d++)
            room[level * ORACLE_SPACE + d] = hardware->levels[level].shape[d];
    for (int l = 0; l < hardware->program.n_loops; l++)
        make_factors(
                random, hardware, (first + l) % hardware->program.n_loops, even, room, &digits);
    if (digits == 0 || digits > ORACLE_TIME) {
        hardware->n_nest = 0;
        return;
    }
    sort_nest(hardware);
    if (options->skews && random_chance(random, is_systolic ? 80 : 50))
        make_skews(random, hardware);
    if (is_systolic)
        aim_sums(random, hardware);
    if (options->windows)
        make_joins(random, hardware);
    if (!hardware_unfold(hardware))
        hardware->n_nest = 0;
}

/* ---- sums in parts ---- */

static void make_bandwidths(struct random *random, struct hardware_level *memory)
{
    for (int way = 0; way < 2; way++)
        if (memory->bandwidth[way] == 0)
            memory->bandwidth[way] = (int64_t)4 << random_below(random, 4);
}

/* No wires join sums: PEs that run loops of one each hold a part of it, of which the first starts
 * from zero and the others are read back. */
static void part_sums(const struct hardware *hardware, struct hardware_level *array)
{
    int n_links = 0, n_buses = 0;

    for (int l = 0; l < array->n_links; l++) {
        array->links[l].tensors &= ~outputs(hardware);
        if (array->links[l].tensors != 0)
            array->links[n_links++] = array->links[l];
    }
    for (int b = 0; b < array->n_buses; b++)
        if (!array->buses[b].is_reduction)
            array->buses[n_buses++] = array->buses[b];
    array->n_links = n_links;
    array->n_buses = n_buses;
}

/* Loops of a few values, and elements told by loops: an output's by some of them, each once. */
static void make_plain(struct random *random, int64_t max_instances, struct hardware *hardware)
{
    struct oracle_program *program = &hardware->program;
    int64_t left = max_instances;
    int first = (int)random_below(random, program->n_loops);

    for (int l = 0; l < program->n_loops; l++) {
        int64_t extent = between(random, 1, left < 9 ? left : 9);
        program->upper[l] = program->lower[l] + extent;
        left /= extent;
    }
    for (int a = 0; a < program->n_accesses; a++) {
        struct oracle_access *access = &program->accesses[a];
        access->n_pieces = 1;
        access->pieces[0].conds.n = 0;
        int most = program->n_loops - access->is_write; /* a loop that outputs sum over */
        access->n_index = (int)between(random, 1, most < ORACLE_INDEX ? most : ORACLE_INDEX);
        for (int k = 0; k < access->n_index; k++)
            access->pieces[0].index[k] = oracle_var(program,
                    access->is_write ? (first + k) % program->n_loops
                                     : (int)random_below(random, program->n_loops));
    }
}

/* Sums in parts, and memories whose words take time at one port a direction: what some PEs read
 * back shares it with what all of them get. */
static void make_parts(struct random *random, const struct hardware_options *options, bool has_nest,
        struct hardware *hardware)
{
    int64_t pes = options->max_pes;

    make_plain(random, options->max_instances, hardware);
    hardware->program.domain.n = 0;
    for (int l = 0; l < hardware->n_levels; l++) {
        struct hardware_level *level = &hardware->levels[l];
        for (int d = 0; level->is_array && d < level->n_dims && has_nest; d++) {
            level->shape[d] = between(random, 1, pes < 6 ? pes : 6);
            pes /= level->shape[d];
        }
        if (level->is_array) {
            part_sums(hardware, level);
            continue;
        }
        level->n_ports = random_chance(random, 70) ? 0 : level->n_ports;
        make_bandwidths(random, level);
    }
}

/* ---- systolic arrays ---- */

/* A link along one dimension, either way. */
static void make_hop(
        struct random *random, unsigned tensors, int interval, struct hardware_level *array)
{
    struct hardware_link *link = &array->links[array->n_links++];

    *link = (struct hardware_link){.interval = interval, .tensors = tensors, .n_steps = 1};
    link->steps[0][random_below(random, array->n_dims)] = random_chance(random, 50) ? 1 : -1;
}

/* Sums go on from PE to PE, in the same stamp or the next one; inputs do, or are sent to all PEs of
 * a bus. */
static void make_hops(
        struct random *random, const struct hardware *hardware, struct hardware_level *array)
{
    const unsigned written = outputs(hardware), read = all_tensors(hardware) & ~written;

    if (random_chance(random, 75))
        make_hop(random, written, (int)random_chance(random, 40), array);
    while (array->n_links < HARDWARE_LINKS && random_chance(random, 45))
        make_hop(random, read, (int)random_chance(random, 80), array);
    for (int b = random_chance(random, 40); b > 0; b--) {
        make_bus(random, hardware, array, &array->buses[array->n_buses]);
        array->buses[array->n_buses].is_reduction = false;
        array->buses[array->n_buses++].tensors = read;
    }
}

/* One array with links behind two or three memories; its PEs may have memories of their own. */
static void make_systolic(
        struct random *random, const struct hardware_options *options, struct hardware *hardware)
{
    const int n_outside = (int)between(random, 2, 3), n_dims = hardware->program.n_space;
    int64_t pes = options->max_pes;
    int n = 0;

    make_plain(random, 3 * options->max_instances, hardware);
    hardware->program.domain.n = 0;
    for (; n < n_outside; n++)
        make_memory(random, hardware, options, n == 0, false, &hardware->levels[n]);
    struct hardware_level *array = &hardware->levels[n++];
    *array = (struct hardware_level){.is_array = true, .n_dims = n_dims};
    for (int d = 0; d < n_dims; d++) {
        array->shape[d] = between(random, 1, pes < 6 ? pes : 6);
        pes /= array->shape[d];
    }
    make_hops(random, hardware, array);
    if (random_chance(random, 60))
        make_memory(random, hardware, options, false, true, &hardware->levels[n++]);
    hardware->n_levels = n;
    for (int l = 0; l < n; l++)
        if (!hardware->levels[l].is_array)
            make_bandwidths(random, &hardware->levels[l]);
}

/* ---- triangles ---- */

/* A loop of more values than the others have: most of its steps are alike. */
static void lengthen(
        struct random *random, const struct hardware_options *options, struct hardware *hardware)
{
    struct oracle_program *program = &hardware->program;
    int l = (int)random_below(random, program->n_loops);

    make_plain(random, options->max_instances / 4, hardware);
    program->upper[l] = program->lower[l] + between(random, 6, 16);
}

/* One loop runs no further than another does, counted from where they begin. */
static void make_triangle(struct random *random, struct hardware *hardware)
{
    struct oracle_program *program = &hardware->program;
    int a = (int)random_below(random, program->n_loops);
    int b = (int)random_below(random, program->n_loops);
    int64_t longer =
            (program->upper[b] - program->lower[b]) - (program->upper[a] - program->lower[a]);

    if (a == b || longer < 0) /* the hull is to stay as it is: factors are of it */
        return;
    int sum = oracle_add(
            program, oracle_var(program, b), oracle_mul(program, -1, oracle_var(program, a)));
    sum = oracle_add(program, sum, oracle_const(program, program->lower[a] - program->lower[b]));
    program->domain.of[program->domain.n++] = (struct oracle_cond){ORACLE_AT_LEAST_0, sum};
}

/* ---- everything ---- */

static bool reads_what_it_writes(const struct oracle_program *program)
{
    for (int a = 0; a < program->n_accesses; a++)
        for (int b = 0; b < a; b++)
            if (program->accesses[a].tensor == program->accesses[b].tensor)
                return true;
    return false;
}

void hardware_make(uint64_t seed, const struct hardware_options *options, struct hardware *hardware)
{
    static const int widths[] = {8, 16, 16, 32};
    const struct generate_options generation = {.max_instances = options->max_instances,
            .max_pes = options->max_pes,
            .always_registers = true,
            .conditional = true,
            .falls = options->skews};
    struct random random = {seed ^ 0x9a3f5b17u};
    struct oracle_program *program = &hardware->program;

    memset(hardware, 0, sizeof *hardware);
    do {
        generate((uint64_t)random_below(&random, INT64_MAX), &generation, program);
    } while (reads_what_it_writes(program));
    program->n_links = program->n_buses = 0;
    if (program->n_time == 0)
        program->time[program->n_time++] = oracle_const(program, 0);
    for (int t = 0; t < program->n_tensors; t++)
        hardware->word_bits[t] = widths[random_below(&random, 4)];
    hardware->cycles = random_chance(&random, 80) ? 1 : between(&random, 2, 3);
    make_levels(&random, options, hardware);
    hold_all(hardware);
    make_all_ports(&random, hardware);
    make_waits(&random, hardware);
    const bool has_sums = program->n_loops > 1;
    bool is_systolic = options->systolic && has_sums && random_chance(&random, 30);
    bool has_parts = !is_systolic && options->parts && has_sums && random_chance(&random, 40);
    bool is_triangle = options->triangles && !is_systolic && !has_parts && has_sums &&
            random_chance(&random, 40);
    bool has_nest = is_systolic || is_triangle || options->nests_only ||
            (has_parts && !options->skews) || random_chance(&random, has_parts ? 70 : 45);
    if (has_parts)
        make_parts(&random, options, has_nest, hardware);
    if (is_systolic)
        make_systolic(&random, options, hardware);
    if (is_triangle)
        lengthen(&random, options, hardware);
    for (int level = 0; level < hardware->n_levels; level++)
        make_widths(&random, hardware, &hardware->levels[level]);
    if (has_nest)
        make_nest(&random, options, is_systolic, hardware);
    if (is_triangle && hardware->n_nest > 0)
        make_triangle(&random, hardware);
    if (hardware->n_nest == 0)
        make_cuts(&random, hardware);
    /* The form with cuts has a memory that it names take all time dimensions, if it does not say
     * how many: not a derived cut. */
    for (int l = 0; l < hardware->n_levels; l++)
        if (hardware->levels[l].cut < 0)
            hardware->levels[l].bypassed = 0;
}
