#include "simulate/phases.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sator_loc nowhere;

/* ---- ratios ---- */

/* The decimal number that a file says, as a ratio: the shortest that reads back as "value". */
static bool ratio(double value, int64_t *num, int64_t *den)
{
    char text[40];
    int digits = 0, exponent;
    int64_t mantissa = 0;

    do {
        snprintf(text, sizeof text, "%.*e", digits, value);
    } while (strtod(text, NULL) != value && ++digits < 17);
    for (const char *at = text; *at != 'e'; at++)
        mantissa = *at == '.' ? mantissa : 10 * mantissa + (*at - '0');
    exponent = atoi(strchr(text, 'e') + 1) - digits;
    *num = mantissa;
    *den = 1;
    for (; exponent > 0; exponent--) {
        if (__builtin_mul_overflow(*num, 10, num))
            return false;
    }
    for (; exponent < 0; exponent++) {
        if (*num % 10 == 0)
            *num /= 10;
        else if (__builtin_mul_overflow(*den, 10, den))
            return false;
    }
    int64_t common = sator_gcd(*num, *den);
    *num /= common;
    *den /= common;
    return *num < INT64_C(1) << 53 && *den < INT64_C(1) << 53;
}

/* ---- ports ---- */

/* The number of a port, added when it is new; -1 where it limits nothing. */
static int find_port(struct phases *phases, const char *name, double bits,
        const struct sator_burst *burst, int64_t n_instances)
{
    struct phase_port made = {.name = name, .burst = *burst, .n_instances = n_instances};

    if (isnan(bits) || bits <= 0)
        return -1;
    for (int p = 0; p < phases->n_ports; p++) {
        if (strcmp(phases->ports[p].name, name) != 0)
            continue;
        if (n_instances > phases->ports[p].n_instances)
            phases->ports[p].n_instances = n_instances;
        return p;
    }
    if (!ratio(bits, &made.parts_per_cycle, &made.parts_per_bit)) {
        sator_error(phases->ctx, nowhere, "the bandwidth of '%s' has too many digits", name);
        return -2;
    }
    SATOR_PUSH(phases->arena, phases->ports, phases->n_ports, made);
    return phases->n_ports - 1;
}

static const char *wire_name(struct machine *machine, int level, const char *name)
{
    return sator_arena_printf(
            machine->arena, "%s.%s", machine->question->arch->levels[level].name, name);
}

/* The ports of "level", of "n_instances" copies; how many wires there are shows when they are used.
 */
static bool list_level(
        struct phases *phases, struct machine *machine, int l, bool memories, int64_t n_instances)
{
    static const struct sator_burst none = {0, 0};
    const struct sator_level *level = &machine->question->arch->levels[l];
    const struct sator_array *array = &level->array;
    int n_lanes;
    bool fits = true;

    if (memories && level->kind == SATOR_LEVEL_MEMORY) {
        const struct sator_lane *lanes = sator_memory_lanes(machine->arena, level, &n_lanes);
        for (int i = 0; i < n_lanes; i++)
            fits &= find_port(phases, lanes[i].name, lanes[i].bits, &lanes[i].burst, n_instances) !=
                    -2;
    }
    if (memories || level->kind != SATOR_LEVEL_ARRAY)
        return fits;
    for (int i = 0; i < array->n_links; i++)
        fits &= find_port(phases, wire_name(machine, l, array->links[i].name),
                        array->links[i].bandwidth_bits, &none, 0) != -2;
    for (int i = 0; i < array->n_buses; i++)
        fits &= find_port(phases, wire_name(machine, l, array->buses[i].name),
                        array->buses[i].bandwidth_bits, &none, 0) != -2;
    return fits;
}

/* The ports of all memories, outermost first, then those of wires: of several that a phase waits
 * for equally long, the first is said to be waited for. */
static bool list_ports(struct phases *phases, struct machine *machine)
{
    const struct sator_arch *arch = machine->question->arch;
    bool fits = true;

    for (int wires = 0; wires < 2; wires++) {
        int64_t n_instances = 1;
        for (int l = 0; l < arch->n_levels; l++) {
            const struct sator_level *level = &arch->levels[l];
            for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++)
                n_instances *= level->array.shape[d];
            fits &= list_level(phases, machine, l, wires == 0, n_instances);
        }
    }
    return fits;
}

static bool use_make(struct phases *phases, struct use *use, int port, int word_bits)
{
    use->port = port;
    use->word_bits = word_bits;
    if (port < 0)
        return port == -1;
    size_t n = (size_t)phases->ports[port].n_instances;
    use->words = sator_alloc(n * sizeof *use->words);
    memset(use->words, 0, n * sizeof *use->words);
    use->touched = sator_alloc(n * sizeof *use->touched);
    return true;
}

static void use_clear(struct use *use)
{
    free(use->words);
    free(use->touched);
}

/* The port of a memory for one direction of the holder's tensor. */
static bool use_memory(struct phases *phases, struct machine *machine, const struct holder *memory,
        bool writes, struct use *use)
{
    const struct sator_level *level = &machine->question->arch->levels[memory->level];
    const struct sator_access *access = machine->ways[memory->access].access;
    const char *tensor = access->tensor;
    int n_lanes;
    const struct sator_lane *lanes = sator_memory_lanes(machine->arena, level, &n_lanes);

    for (int l = 0; l < n_lanes; l++) {
        if (sator_lane_serves(&level->memory, &lanes[l], tensor, writes))
            return use_make(phases, use,
                    find_port(phases, lanes[l].name, lanes[l].bits, &lanes[l].burst,
                            memory->n_instances),
                    sator_memory_word_bits(&level->memory, tensor, access->word_bits));
    }
    return use_make(phases, use, -1, access->word_bits);
}

static bool use_wires(struct phases *phases, struct machine *machine, struct holder *holder)
{
    static const struct sator_burst none = {0, 0};
    const struct sator_access *access = machine->ways[holder->access].access;
    bool fits = true;

    for (int l = 0; l < holder->n_links; l++) {
        struct machine_link *link = &holder->links[l];
        int64_t outer = holder->n_instances / link->place.n / link->place.inner;
        fits &= use_make(phases, &link->use,
                find_port(phases, wire_name(machine, link->level, link->link->name),
                        link->link->bandwidth_bits, &none, outer * link->n_wires),
                sator_width_of(&link->link->widths, access->tensor, access->word_bits));
    }
    for (int b = 0; b < holder->n_buses; b++) {
        struct machine_bus *bus = &holder->buses[b];
        int64_t outer = holder->n_instances / bus->place.n / bus->place.inner;
        fits &= use_make(phases, &bus->use,
                find_port(phases, wire_name(machine, bus->level, bus->bus->name),
                        bus->bus->bandwidth_bits, &none, outer * bus->n_buses),
                sator_width_of(&bus->bus->widths, access->tensor, access->word_bits));
    }
    return fits;
}

static bool use_holder(struct phases *phases, struct machine *machine, struct holder *holder)
{
    const struct access_way *way = &machine->ways[holder->access];
    const struct holder *parent = holder->parent;
    bool fits = true;

    if (parent == NULL || holder->is_loaded)
        parent = NULL;
    if (holder->parent != NULL && !holder->is_loaded)
        fits = use_wires(phases, machine, holder);
    if (parent != NULL && parent->level >= 0) {
        fits &= use_memory(phases, machine, parent, false, &holder->load_parent);
        if (holder->is_write)
            fits &= use_memory(phases, machine, parent, true, &holder->store_parent);
    }
    if (parent != NULL && holder->level >= 0)
        fits &= use_memory(phases, machine, holder, true, &holder->load_own);
    if (holder == way->inner && way->is_own) {
        fits &= use_memory(phases, machine, holder, false, &holder->operand_reads);
        if (holder->is_write)
            fits &= use_memory(phases, machine, holder, true, &holder->operand_writes);
    }
    return fits;
}

/* ---- levels ---- */

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The level of those prefixes of time that have the stamps of the first "n_time" dimensions. */
static void add_level(struct phases *phases, const struct machine *machine, int n_time)
{
    struct phase_level made = {
            .n_time = sator_time_reach(phases->arena, machine->question->workload,
                    machine->question->dataflow->time, n_time)};

    for (int l = 0; l < phases->n_levels; l++) {
        if (phases->levels[l].n_time == made.n_time)
            return;
    }
    SATOR_PUSH(phases->arena, phases->levels, phases->n_levels, made);
}

static void make_levels(struct phases *phases, const struct machine *machine)
{
    const struct sator_arch *arch = machine->question->arch;

    add_level(phases, machine, machine->n_time);
    for (int l = 0; l < arch->n_levels; l++) {
        if (arch->levels[l].kind == SATOR_LEVEL_MEMORY)
            add_level(phases, machine, machine->question->time_cuts[l]);
    }
    /* n_time is the first member */
    qsort(phases->levels, (size_t)phases->n_levels, sizeof *phases->levels, compare_ints);
    for (int l = 0; l < phases->n_levels; l++) {
        struct phase_level *level = &phases->levels[l];
        level->now = SATOR_NEW_ARRAY(phases->arena, struct load, phases->n_ports + 1);
        level->next = SATOR_NEW_ARRAY(phases->arena, struct load, phases->n_ports + 1);
        level->inside = SATOR_NEW_ARRAY(phases->arena, sator_int, phases->n_ports + 1);
    }
}

enum sator_status phases_make(struct phases *phases, struct machine *machine)
{
    const struct sator_arch *arch = machine->question->arch;
    const struct sator_level *compute = &arch->levels[arch->n_levels - 1];
    bool fits = true;

    phases->ctx = machine->ctx;
    phases->arena = machine->arena;
    fits = list_ports(phases, machine);
    for (int a = 0; a < machine->n_accesses; a++)
        for (int h = 0; h < machine->ways[a].n_holders; h++)
            fits &= use_holder(phases, machine, &machine->ways[a].holders[h]);
    double cycles = compute->kind == SATOR_LEVEL_COMPUTE ? compute->compute.cycles : 1;
    if (fits && !ratio(cycles, &phases->instance_num, &phases->instance_den)) {
        sator_error(phases->ctx, compute->loc, "the cycles of an instance have too many digits");
        fits = false;
    }
    make_levels(phases, machine);
    return fits ? pass_make(&phases->pass, machine) : SATOR_LIMIT;
}

static void loads_clear(struct phases *phases, struct load *loads)
{
    for (int p = 0; p < phases->n_ports && loads != NULL; p++) {
        free(loads[p].costs);
        free(loads[p].touched);
    }
}

void phases_clear(struct phases *phases, struct machine *machine)
{
    for (int a = 0; a < machine->n_accesses; a++)
        for (int h = 0; h < machine->ways[a].n_holders; h++) {
            struct holder *holder = &machine->ways[a].holders[h];
            struct use *uses[] = {&holder->load_parent, &holder->load_own, &holder->store_parent,
                    &holder->operand_reads, &holder->operand_writes};
            for (int l = 0; l < holder->n_links; l++)
                use_clear(&holder->links[l].use);
            for (int b = 0; b < holder->n_buses; b++)
                use_clear(&holder->buses[b].use);
            for (size_t u = 0; u < sizeof uses / sizeof *uses; u++)
                use_clear(uses[u]);
        }
    for (int l = 0; l < phases->n_levels; l++) {
        loads_clear(phases, phases->levels[l].now);
        loads_clear(phases, phases->levels[l].next);
    }
}

/* ---- what moved ---- */

static struct cost *cost_of(struct phases *phases, struct load *loads, int port, int64_t instance)
{
    struct load *load = &loads[port];

    if (load->costs == NULL) {
        size_t n = (size_t)phases->ports[port].n_instances;
        load->costs = sator_alloc(n * sizeof *load->costs);
        memset(load->costs, 0, n * sizeof *load->costs);
        load->touched = sator_alloc(n * sizeof *load->touched);
    }
    struct cost *cost = &load->costs[instance];
    if (!cost->is_touched) {
        cost->is_touched = true;
        load->touched[load->n_touched++] = instance;
    }
    return cost;
}

/* The words of one transfer at one port, in "phase" of "loads". */
static void take_use(struct phases *phases, struct use *use, struct load *loads, enum phase phase)
{
    if (use->n_touched == 0)
        return;
    const struct phase_port *port = &phases->ports[use->port];
    int64_t granule = port->burst.granule_bits;
    for (int64_t i = 0; i < use->n_touched; i++) {
        int64_t instance = use->touched[i], bits = use->words[instance] * use->word_bits;
        if (granule > 1)
            bits = (bits + granule - 1) / granule * granule;
        cost_of(phases, loads, use->port, instance)->of[phase] +=
                (sator_int)bits * port->parts_per_bit +
                (sator_int)port->burst.setup_cycles * port->parts_per_cycle;
        use->words[instance] = 0;
    }
    use->n_touched = 0;
}

static struct phase_level *level_of(struct phases *phases, int n_time)
{
    struct phase_level *level = phases->levels;

    while (level->n_time < n_time)
        level++;
    return level;
}

static bool is_unsaid(const struct sator_memory *memory, const char *tensor)
{
    for (int i = 0; i < memory->transfers.n_tensors; i++) {
        if (strcmp(memory->transfers.tensors[i].tensor, tensor) == 0)
            return false;
    }
    return memory->transfers.others == SATOR_TRANSFER_UNSAID;
}

/* Whether a memory is the scratchpad, and says that its transfers do not overlap. */
static bool is_waiting_scratchpad(const struct machine *machine, int level)
{
    const struct sator_arch *arch = machine->question->arch;
    const struct sator_level *scratchpad = sator_arch_scratchpad(arch);

    return scratchpad == &arch->levels[level] && !scratchpad->memory.overlaps;
}

/* When the words of "holder" move. What passes a scratchpad that does not overlap is serial, unless
 * the memory inside says otherwise. */
static enum sator_transfer_kind kind_of(const struct machine *machine, const struct holder *holder)
{
    const struct sator_arch *arch = machine->question->arch;
    const char *tensor = machine->ways[holder->access].access->tensor;
    const struct sator_level *level = holder->level < 0 ? NULL : &arch->levels[holder->level];
    bool waits =
            holder->parent->level >= 0 && is_waiting_scratchpad(machine, holder->parent->level);

    if (level == NULL)
        return waits ? SATOR_TRANSFER_SERIAL : SATOR_TRANSFER_STREAMED;
    if (waits && is_unsaid(&level->memory, tensor))
        return SATOR_TRANSFER_SERIAL;
    return sator_memory_transfers(arch, level, tensor, holder->is_stamp);
}

void phases_take(
        struct phases *phases, struct machine *machine, struct holder *holder, bool is_same_tile)
{
    static const enum phase loads_in[] = {[SATOR_TRANSFER_SERIAL] = PHASE_SERIAL_LOADS,
            [SATOR_TRANSFER_OVERLAPPED] = PHASE_EXPOSED_LOADS,
            [SATOR_TRANSFER_STREAMED] = PHASE_DURING};
    static const enum phase stores_in[] = {[SATOR_TRANSFER_SERIAL] = PHASE_SERIAL_STORES,
            [SATOR_TRANSFER_OVERLAPPED] = PHASE_EXPOSED_STORES,
            [SATOR_TRANSFER_STREAMED] = PHASE_DURING};
    struct phase_level *level = level_of(phases, holder->n_time);
    enum sator_transfer_kind kind = kind_of(machine, holder);
    bool beside = kind == SATOR_TRANSFER_OVERLAPPED && is_same_tile;
    enum phase load = beside ? PHASE_DURING : loads_in[kind];
    enum phase store = beside ? PHASE_DURING : stores_in[kind];
    struct load *loads = beside ? level->now : level->next;
    struct load *stores = beside ? level->next : level->now;

    take_use(phases, &holder->load_parent, loads, load);
    take_use(phases, &holder->load_own, loads, load);
    take_use(phases, &holder->store_parent, stores, store);
    for (int l = 0; l < holder->n_links; l++)
        take_use(phases, &holder->links[l].use, loads, load);
    for (int b = 0; b < holder->n_buses; b++)
        take_use(phases, &holder->buses[b].use, holder->is_write ? stores : loads,
                holder->is_write ? store : load);
}

/* ---- the clock ---- */

/* Cycles, rounded up, in which a port does "parts". */
static int64_t cycles_of(const struct phase_port *port, sator_int parts)
{
    return (int64_t)((parts + port->parts_per_cycle - 1) / port->parts_per_cycle);
}

static sator_int most_in(const struct load *load, enum phase phase)
{
    sator_int most = 0;

    for (int64_t i = 0; i < load->n_touched; i++) {
        sator_int cost = load->costs[load->touched[i]].of[phase];
        most = cost > most ? cost : most;
    }
    return most;
}

static sator_int most_in_all(const struct load *load)
{
    sator_int most = 0;

    for (int64_t i = 0; i < load->n_touched; i++) {
        const struct cost *cost = &load->costs[load->touched[i]];
        sator_int sum = 0;
        for (int p = 0; p < N_PHASES; p++)
            sum += cost->of[p];
        most = sum > most ? sum : most;
    }
    return most;
}

static void note(struct phases *phases, const struct phase_level *level, int port, enum phase phase,
        int64_t begin, int64_t cycles, bool stalls)
{
    if (phases->note != NULL)
        phases->note(phases->note_user, (int)(level - phases->levels), port, phase, begin, cycles,
                stalls);
}

static void stall(struct phases *phases, const struct phase_level *level, int port,
        enum phase phase, int64_t cycles)
{
    if (cycles == 0)
        return;
    phases->ports[port].stalls += cycles;
    note(phases, level, port, phase, phases->clock, cycles, true);
    phases->clock += cycles;
}

/* Wait for the slowest port of a phase. */
static void wait_for(struct phases *phases, const struct phase_level *level, enum phase phase)
{
    int64_t longest = 0;
    int slowest = 0;

    for (int p = 0; p < phases->n_ports; p++) {
        if (level->now[p].n_touched == 0)
            continue;
        int64_t cycles = cycles_of(&phases->ports[p], most_in(&level->now[p], phase));
        note(phases, level, p, phase, phases->clock, cycles, false);
        if (cycles > longest) {
            longest = cycles;
            slowest = p;
        }
    }
    stall(phases, level, slowest, phase, longest);
}

/* The run inside a stamp is over: what goes on during it may take longer. */
static void wait_during(struct phases *phases, const struct phase_level *level)
{
    int64_t end = phases->clock;
    int slowest = 0;

    for (int p = 0; p < phases->n_ports; p++) {
        sator_int own = most_in(&level->now[p], PHASE_DURING);
        int64_t at = level->began + cycles_of(&phases->ports[p], level->inside[p] + own);
        if (own > 0)
            note(phases, level, p, PHASE_DURING, level->began, cycles_of(&phases->ports[p], own),
                    false);
        if (at > end) {
            end = at;
            slowest = p;
        }
    }
    stall(phases, level, slowest, PHASE_DURING, end - phases->clock);
}

static void forget(struct load *load)
{
    for (int64_t i = 0; i < load->n_touched; i++)
        load->costs[load->touched[i]] = (struct cost){.is_touched = false};
    load->n_touched = 0;
}

static void finish(struct phases *phases, int l)
{
    struct phase_level *level = &phases->levels[l];

    wait_during(phases, level);
    if (l == phases->n_levels - 1) /* operands are known when the stamp has run */
        wait_for(phases, level, PHASE_SERIAL_LOADS);
    wait_for(phases, level, PHASE_SERIAL_STORES);
    wait_for(phases, level, PHASE_EXPOSED_STORES);
    for (int p = 0; p < phases->n_ports; p++) {
        if (l > 0)
            phases->levels[l - 1].inside[p] += level->inside[p] + most_in_all(&level->now[p]);
        level->inside[p] = 0;
        forget(&level->now[p]);
    }
}

static void begin(struct phases *phases, struct phase_level *level)
{
    struct load *now = level->now;

    level->now = level->next;
    level->next = now;
    wait_for(phases, level, PHASE_EXPOSED_LOADS);
    if (level != &phases->levels[phases->n_levels - 1])
        wait_for(phases, level, PHASE_SERIAL_LOADS);
    level->began = phases->clock;
}

/* The runs of skewed rows that end, of those outside of the stamps of "n_time" rows or inside. */
static void end_runs(struct phases *phases, int changed, bool at_end, int n_time, int next_n_time)
{
    for (int r = 0; r < phases->pass.n_rows; r++) {
        struct pass_row *row = &phases->pass.rows[r];
        if ((!at_end && changed >= row->row) || row->row >= n_time || row->row < next_n_time)
            continue;
        int64_t cycles = pass_end(&phases->pass, row);
        phases->clock += cycles;
        phases->compute += cycles;
    }
}

void phases_change(struct phases *phases, int changed, bool is_first, bool at_end)
{
    int outermost = 0;

    while (!is_first && !at_end && phases->levels[outermost].n_time <= changed)
        outermost++;
    for (int l = phases->n_levels - 1; l >= outermost && !is_first; l--) {
        finish(phases, l);
        end_runs(phases, changed, at_end, phases->levels[l].n_time,
                l > outermost ? phases->levels[l - 1].n_time : 0);
    }
    for (int l = outermost; l < phases->n_levels && !at_end; l++)
        begin(phases, &phases->levels[l]);
}

void phases_compute(struct phases *phases, struct machine *machine, int64_t most, int64_t n_active,
        const int64_t *active)
{
    struct phase_level *level = &phases->levels[phases->n_levels - 1];
    int64_t cycles =
            (most * phases->instance_num + phases->instance_den - 1) / phases->instance_den;

    for (int a = 0; a < machine->n_accesses; a++) {
        struct holder *inner = machine->ways[a].inner;
        bool waits = inner->level >= 0 && is_waiting_scratchpad(machine, inner->level);
        take_use(phases, &inner->operand_reads, level->now,
                waits ? PHASE_SERIAL_LOADS : PHASE_DURING);
        take_use(phases, &inner->operand_writes, level->now,
                waits ? PHASE_SERIAL_STORES : PHASE_DURING);
    }
    phases->clock += cycles;
    phases->compute += cycles;
    pass_use(&phases->pass, n_active, active);
}
