/* The scheduled latency: levels, transfers and ports of an analysis, then its stamps (doc/model.md,
 * section 7). */
#include "model/timing.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of the architecture ---- */

/* The decimal number that the file has for "value", as a ratio; false when that leaves 60 bits. */
static bool read_ratio(double value, sator_int *over, sator_int *under)
{
    char digits[40];
    int64_t whole = 0, scale = 1;
    int exponent = 0, precision = 1;

    if (value >= 0 && value < (double)(INT64_C(1) << 53) && value == (double)(int64_t)value) {
        *over = (int64_t)value;
        *under = 1;
        return true;
    }
    do
        snprintf(digits, sizeof digits, "%.*e", precision - 1, value);
    while (strtod(digits, NULL) != value && precision++ < 17);
    for (const char *c = digits; *c != 'e'; c++) {
        if (*c == '.')
            continue;
        whole = whole * 10 + (*c - '0');
        exponent -= strchr(digits, '.') != NULL && c > strchr(digits, '.');
    }
    exponent += atoi(strchr(digits, 'e') + 1);
    for (int i = 0; i < abs(exponent); i++) {
        if (__builtin_mul_overflow(scale, 10, &scale) || scale > (INT64_C(1) << 60))
            return false;
    }
    if (exponent > 0 && (__builtin_mul_overflow(whole, scale, &whole)))
        return false;
    int64_t down = exponent < 0 ? scale : 1, common = sator_gcd(whole, down);
    *over = whole / common;
    *under = down / common;
    return true;
}

/* ---- ports ---- */

static bool list_memory_ports(struct timing *timing)
{
    const struct analysis *analysis = timing->analysis;
    bool fits = true;

    for (int m = 0; m < analysis->n_memories; m++) {
        const struct model_level *named = analysis->memories[m].named;
        for (int k = 0; k < named->n_lanes; k++) {
            const struct sator_lane *lane = &named->lanes[k];
            struct timing_port port = {.name = lane->name,
                    .memory = m,
                    .lane = k,
                    .setup = lane->burst.setup_cycles,
                    .granule = lane->burst.granule_bits > 1 ? lane->burst.granule_bits : 1};
            if (isnan(lane->bits))
                continue;
            fits = fits && read_ratio(lane->bits, &port.bits, &port.cycles);
            SATOR_PUSH(timing->arena, timing->ports, timing->n_ports, port);
        }
    }
    return fits;
}

static bool add_wires(struct timing *timing, const struct sator_level *array, const char *name,
        const void *declared, double bandwidth)
{
    struct timing_port port = {
            .memory = -1, .lane = -1, .declared = declared, .array = array, .granule = 1};

    if (isnan(bandwidth))
        return true;
    port.name = sator_arena_printf(timing->analysis->arena, "%s.%s", array->name, name);
    bool fits = read_ratio(bandwidth, &port.bits, &port.cycles);
    SATOR_PUSH(timing->arena, timing->ports, timing->n_ports, port);
    return fits;
}

/* The links, buses and trees that have a bandwidth: of one wire, bus or tree. */
static bool list_wire_ports(struct timing *timing)
{
    const struct sator_arch *arch = timing->analysis->arch;
    bool fits = true;

    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_array *array = &arch->levels[l].array;
        if (arch->levels[l].kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int i = 0; i < array->n_links; i++)
            fits &= add_wires(timing, &arch->levels[l], array->links[i].name, &array->links[i],
                    array->links[i].bandwidth_bits);
        for (int i = 0; i < array->n_buses; i++)
            fits &= add_wires(timing, &arch->levels[l], array->buses[i].name, &array->buses[i],
                    array->buses[i].bandwidth_bits);
    }
    return fits;
}

/* The port of memory "memory" for the words of an access in one direction, and how many these are
 * there. */
static struct timing_use use_of_memory(
        const struct timing *timing, int memory, int access, bool writes, sator_int words)
{
    const char *tensor = timing->analysis->workload->accesses[access].tensor;

    for (int q = 0; memory >= 0 && q < timing->n_ports; q++) {
        const struct timing_port *port = &timing->ports[q];
        const struct memory *own = &timing->analysis->memories[memory];
        if (port->memory == memory &&
                sator_lane_serves(
                        &own->level->memory, &own->named->lanes[port->lane], tensor, writes))
            return (struct timing_use){
                    .port = q, .bits = own->named->word_bits[access], .words = words};
    }
    return (struct timing_use){.port = -1};
}

/* The port of a link, a family of buses or of trees. */
static struct timing_use use_of_wires(const struct timing *timing, int access, const void *declared,
        const struct sator_widths *widths, sator_int words)
{
    const struct sator_access *what = &timing->analysis->workload->accesses[access];
    const struct sator_arch *arch = timing->analysis->arch;
    struct timing_use use = {.port = -1, .words = words};

    for (int q = 0; q < timing->n_ports; q++) {
        if (timing->ports[q].declared == declared)
            use.port = q;
    }
    if (use.port < 0)
        return use;
    use.bits = sator_width_of(widths, what->tensor, what->word_bits);
    for (int l = 0; &arch->levels[l] != timing->ports[use.port].array; l++)
        use.first_dims +=
                arch->levels[l].kind == SATOR_LEVEL_ARRAY ? arch->levels[l].array.n_dims : 0;
    use.dims = timing->ports[use.port].array->array.n_dims;
    return use;
}

/* ---- transfers ---- */

static bool waits(const struct timing *timing, int memory)
{
    const struct analysis *analysis = timing->analysis;

    return memory >= 0 && analysis->memories[memory].level == analysis->scratchpad &&
            !analysis->scratchpad->memory.overlaps;
}

/* Whether the memory itself says when words of "tensor" move. */
static bool says(const struct sator_transfers *transfers, const char *tensor)
{
    for (int i = 0; i < transfers->n_tensors; i++) {
        if (strcmp(transfers->tensors[i].tensor, tensor) == 0)
            return true;
    }
    return transfers->others != SATOR_TRANSFER_UNSAID;
}

static enum sator_transfer_kind kind_of(
        const struct timing *timing, int memory, int holder, const char *tensor)
{
    const struct analysis *analysis = timing->analysis;

    if (memory < 0)
        return waits(timing, holder) ? SATOR_TRANSFER_SERIAL : SATOR_TRANSFER_STREAMED;
    const struct memory *inner = &analysis->memories[memory];
    if (waits(timing, holder) && !says(&inner->level->memory.transfers, tensor))
        return SATOR_TRANSFER_SERIAL;
    return sator_memory_transfers(
            analysis->arch, inner->level, tensor, inner->time_cut == analysis->n_time);
}

/* The words that cross the family "b" of buses or trees: those that are left of what shares the
 * buses before it, and sums once each, when they leave. */
static sator_int count_crossing(const struct sator_volumes *volumes,
        const struct sator_transport *transport, int b, bool is_output)
{
    sator_int words = volumes->unique;

    for (int later = b + 1; later < transport->n_buses && !is_output; later++)
        words += volumes->by_bus[later];
    return words;
}

/* Leave out the wires that bring nothing in the whole run, but for buses that words cross alone and
 * that have a bandwidth; find the ports of the others. */
static void use_network(struct timing *timing, struct timing_transfer *transfer,
        const struct sator_model_network *network, const struct sator_volumes *volumes)
{
    struct sator_transport *transport = &transfer->transport, whole = *transport;
    bool is_output = timing->analysis->workload->accesses[transfer->access].role == SATOR_WRITE;
    struct sator_network_link *links =
            SATOR_NEW_ARRAY(timing->arena, struct sator_network_link, whole.n_links + 1);
    const struct sator_relation **buses =
            SATOR_NEW_ARRAY(timing->arena, const struct sator_relation *, whole.n_buses + 1);
    int n = 0;

    transfer->wires =
            SATOR_NEW_ARRAY(timing->arena, struct timing_use, whole.n_links + whole.n_buses + 1);
    transport->n_links = transport->n_buses = 0;
    transport->links = links;
    transport->buses = buses;
    for (int k = 0; k < whole.n_links; k++) {
        if (volumes->by_link[k] == 0)
            continue;
        transfer->wires[n++] = use_of_wires(timing, transfer->access, network->link_sources[k],
                &network->link_sources[k]->widths, volumes->by_link[k]);
        links[transport->n_links++] = whole.links[k];
    }
    for (int b = 0; b < whole.n_buses; b++) {
        struct timing_use use = use_of_wires(timing, transfer->access, network->bus_sources[b],
                &network->bus_sources[b]->widths, count_crossing(volumes, &whole, b, is_output));
        if (volumes->by_bus[b] == 0 && use.port < 0)
            continue;
        transfer->wires[n++] = use;
        buses[transport->n_buses++] = whole.buses[b];
    }
    for (int i = 0; i < n; i++)
        transfer->limits_wires |= transfer->wires[i].port >= 0;
}

/* The links and buses that the words go over. */
static enum sator_status find_network(struct timing *timing, struct timing_transfer *transfer)
{
    struct analysis *analysis = timing->analysis;
    const struct sator_model_network *network = model_network(
            analysis->model, transfer->holder_space, transfer->n_space, transfer->access);
    const struct transfer *counted;
    enum sator_status st;

    SATOR_TRY(sator_model_cut(analysis->ctx, timing->arena,
            analysis_counter(analysis, transfer->n_time, transfer->n_space),
            analysis->workload->accesses[transfer->access].relation, network,
            &transfer->transport));
    const struct transfer_end end = transfer->memory >= 0
            ? analysis_memory_end(&analysis->memories[transfer->memory])
            : (struct transfer_end){.n_time = transfer->n_time, .n_space = transfer->n_space};
    SATOR_TRY(
            analysis_transfer(analysis, &end, transfer->holder, transfer->access, NULL, &counted));
    use_network(timing, transfer, network, &counted->volumes);
done:
    return st;
}

static void find_ports(struct timing *timing, struct timing_transfer *transfer)
{
    static const struct sator_level_tensor nothing;
    const struct memory *memories = timing->analysis->memories;
    int i = transfer->access;
    const struct sator_level_tensor *outer =
            transfer->holder < 0 ? &nothing : &memories[transfer->holder].tensors[i];
    const struct sator_level_tensor *inner =
            transfer->memory < 0 ? &nothing : &memories[transfer->memory].tensors[i];

    transfer->sends = use_of_memory(timing, transfer->holder, i, false, outer->reads);
    transfer->takes = use_of_memory(timing, transfer->holder, i, true, outer->updates);
    transfer->arrives = use_of_memory(timing, transfer->memory, i, true, inner->writes);
    transfer->asks = transfer->sends.port >= 0 || transfer->takes.port >= 0 ||
            transfer->arrives.port >= 0 || transfer->limits_wires;
    transfer->first_moved = timing->n_moved;
    timing->n_moved += timing_n_ways(transfer);
}

static enum sator_status add_transfer(
        struct timing *timing, int access, int memory, int holder, bool is_own)
{
    struct analysis *analysis = timing->analysis;
    const struct memory *outer = holder < 0 ? NULL : &analysis->memories[holder];
    const struct memory *inner = memory < 0 ? NULL : &analysis->memories[memory];
    const struct sator_access *what = &analysis->workload->accesses[access];
    struct timing_transfer made = {.access = access,
            .memory = memory,
            .holder = holder,
            .n_time = inner == NULL ? analysis->n_time : inner->time_cut,
            .n_space = inner == NULL ? analysis->n_space : inner->space_cut,
            .tile_time = outer == NULL ? 0 : outer->time_cut,
            .holder_space = outer == NULL ? 0 : outer->space_cut,
            .is_own = is_own,
            .kind = kind_of(timing, memory, holder, what->tensor)};
    enum sator_status st = is_own ? SATOR_OK : find_network(timing, &made);

    find_ports(timing, &made);
    SATOR_PUSH(timing->arena, timing->transfers, timing->n_transfers, made);
    return st;
}

/* A memory that is said to overlap needs room for the next tile while it uses one. */
static void warn_of_room(struct timing *timing, int m)
{
    struct analysis *analysis = timing->analysis;
    struct memory *memory = &analysis->memories[m];
    const struct sator_transfers *said = &memory->level->memory.transfers;
    bool overlaps = said->others == SATOR_TRANSFER_OVERLAPPED;

    for (int i = 0; i < said->n_tensors; i++)
        overlaps |= said->tensors[i].kind == SATOR_TRANSFER_OVERLAPPED;
    if (!overlaps || analysis_holds_two(analysis, memory))
        return;
    sator_warn(analysis->ctx, said->loc, "transfers of '%s' overlap, but two tiles do not fit",
            memory->level->name);
    sator_help(analysis->ctx, "with 'double_buffered: true', tiles are chosen to be half as large");
}

static enum sator_status list_transfers(struct timing *timing)
{
    struct analysis *analysis = timing->analysis;
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        int holder = -1;
        for (int m = 0; m < analysis->n_memories; m++) {
            const struct memory *memory = &analysis->memories[m];
            if (!memory->held[i])
                continue;
            /* what is held for the whole run is there from the start */
            if (holder >= 0 || !analysis_is_whole(analysis, memory))
                SATOR_TRY(add_transfer(timing, i, m, holder, false));
            holder = m;
        }
        if (holder >= 0)
            SATOR_TRY(add_transfer(timing, i, -1, holder,
                    analysis->memories[holder].space_cut == analysis->n_space));
    }
done:
    return st;
}

static int compare_lengths(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void list_levels(struct timing *timing)
{
    const struct analysis *analysis = timing->analysis;
    int *lengths = SATOR_NEW_ARRAY(timing->arena, int, analysis->n_memories + 1), n = 0;

    for (int m = 0; m < analysis->n_memories; m++)
        lengths[m] = analysis->memories[m].time_cut;
    lengths[analysis->n_memories] = analysis->n_time;
    qsort(lengths, (size_t)analysis->n_memories + 1, sizeof *lengths, compare_lengths);
    for (int i = 0; i <= analysis->n_memories; i++) {
        if (n == 0 || lengths[n - 1] != lengths[i])
            lengths[n++] = lengths[i];
    }
    timing->lengths = lengths;
    timing->n_levels = n;
}

/* ---- stamps one by one ---- */

static int compare_codes(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The stamps of every level that are in use. */
static struct timing_stamps *list_stamps(struct timing *timing, const struct timing_list *list)
{
    struct timing_stamps *stamps =
            SATOR_NEW_ARRAY(timing->arena, struct timing_stamps, timing->n_levels);
    int64_t *code = sator_arena_copy(timing->arena, list->time, sizeof *code * (size_t)list->n);
    int64_t n = list->n;

    qsort(code, (size_t)n, sizeof *code, compare_codes);
    for (int l = timing->n_levels - 1; l >= 0; l--) {
        int64_t below = list->time_below[timing->lengths[l]], kept = 0;
        int64_t inner_below =
                l == timing->n_levels - 1 ? 1 : list->time_below[timing->lengths[l + 1]];
        int64_t *own = SATOR_NEW_ARRAY(timing->arena, int64_t, n + 1);
        int64_t *outer = SATOR_NEW_ARRAY(timing->arena, int64_t, n + 1);
        for (int64_t i = 0; i < n; i++) {
            int64_t prefix = code[i] * inner_below / below;
            if (kept == 0 || own[kept - 1] != prefix)
                own[kept++] = prefix;
            outer[i] = kept - 1;
        }
        if (l < timing->n_levels - 1)
            stamps[l + 1].outer = outer;
        stamps[l] = (struct timing_stamps){.n = kept, .code = own};
        code = own;
        n = kept;
    }
    return stamps;
}

/* A PE's instances in a time-stamp are neighbours when sorted. */
struct placed {
    int64_t time, pe;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->pe > y->pe) - (x->pe < y->pe);
}

/* The most instances of one PE in each time-stamp. */
static int64_t *count_most(
        struct timing *timing, const struct timing_list *list, const struct timing_stamps *last)
{
    struct placed *placed = SATOR_NEW_ARRAY(timing->arena, struct placed, list->n + 1);
    int64_t *most = SATOR_NEW_ARRAY(timing->arena, int64_t, last->n + 1);
    int64_t t = 0;

    for (int64_t i = 0; i < list->n; i++)
        placed[i] = (struct placed){list->time[i], list->pe[i]};
    qsort(placed, (size_t)list->n, sizeof *placed, compare_placed);
    for (int64_t i = 0, next; i < list->n; i = next) {
        for (next = i + 1; next < list->n && compare_placed(&placed[i], &placed[next]) == 0;)
            next++;
        while (last->code[t] < placed[i].time)
            t++;
        most[t] = next - i > most[t] ? next - i : most[t];
    }
    return most;
}

static enum sator_status run_one_by_one(struct timing *timing, struct timing_sum *sum)
{
    const struct analysis *analysis = timing->analysis;
    struct timing_movement *movements =
            SATOR_NEW_ARRAY(timing->arena, struct timing_movement, timing->n_transfers + 1);
    struct timing_list list;
    enum sator_status st;

    SATOR_TRY(timing_list_all(timing, &list));
    if (timing->why != NULL)
        return SATOR_OK;
    const struct timing_stamps *stamps = list_stamps(timing, &list);
    for (int i = 0; i < analysis->workload->n_accesses && timing->why == NULL; i++)
        SATOR_TRY(timing_follow(timing, &list, stamps, i, movements));
    if (timing->why != NULL)
        return SATOR_OK;
    const int64_t *most = count_most(timing, &list, &stamps[timing->n_levels - 1]);
    SATOR_TRY(timing_recur(timing, stamps, most, movements, sum));
done:
    return st;
}

/* ---- results ---- */

/* Whether the words that were followed are those that are counted of the whole run. */
static bool adds_up(const struct timing *timing, const struct timing_sum *sum)
{
    static struct timing_movement nothing;

    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        for (int w = 0; w < timing_n_ways(transfer); w++) {
            const struct timing_use *use = timing_way(timing, transfer, &nothing, w).use;
            if (use->port >= 0 && sum->moved[transfer->first_moved + w] != use->words)
                return false;
        }
    }
    return true;
}

static double compute_cycles(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_COMPUTE)
            return arch->levels[i].compute.cycles;
    }
    return 1;
}

/* The tensors whose words pass port "q", which is of wires. */
static const char *const *list_tensors(const struct timing *timing, int q, int *n)
{
    struct analysis *analysis = timing->analysis;
    const char **names =
            SATOR_NEW_ARRAY(analysis->arena, const char *, analysis->workload->n_accesses + 1);

    *n = 0;
    for (int i = 0; i < timing->n_transfers; i++) {
        const struct timing_transfer *transfer = &timing->transfers[i];
        const char *tensor = analysis->model->tensors[transfer->access];
        bool passes = false;
        for (int w = 3; w < timing_n_ways(transfer); w++)
            passes |= transfer->wires[w - 3].port == q;
        if (passes && !model_lists(tensor, *n, names))
            names[(*n)++] = tensor;
    }
    return names;
}

/* Links, buses and trees with a bandwidth are ports, too, where words pass. */
static void add_wire_results(struct timing *timing)
{
    struct analysis *analysis = timing->analysis;
    struct sator_result *result = analysis->result;
    int n = result->n_ports;
    struct sator_port_result *ports =
            SATOR_NEW_ARRAY(analysis->arena, struct sator_port_result, n + timing->n_ports + 1);

    if (n > 0)
        memcpy(ports, analysis->ports, sizeof *ports * (size_t)n);
    for (int q = 0; q < timing->n_ports; q++) {
        const struct timing_port *port = &timing->ports[q];
        if (port->memory >= 0)
            continue;
        ports[n] = (struct sator_port_result){.name = port->name,
                .level = -1,
                .array = sator_arena_strdup(analysis->arena, port->array->name),
                .reads = true,
                .writes = true,
                .bits = -1,
                .bandwidth_bits = (double)port->bits / (double)port->cycles,
                .cycles = NAN};
        ports[n].tensors = list_tensors(timing, q, &ports[n].n_tensors);
        n += ports[n].n_tensors > 0;
    }
    result->n_ports = n;
    result->ports = analysis->ports = ports;
}

/* Whether the parts of the latency, none of them negative, make all of it. */
static inline bool is_made_of_parts(const struct timing *timing, const struct timing_sum *sum)
{
    sator_int parts = *sum->compute;
    bool sound = *sum->compute >= 0;

    for (int q = 0; q < timing->n_ports; q++) {
        sound &= sum->exposed[q] >= 0 && sum->stalled[q] >= 0 && sum->busy[q] >= 0;
        parts += sum->exposed[q] + sum->stalled[q];
    }
    return sound && parts == *sum->cycles;
}

/* What it is made of; what is busy for longest decides it. */
static void report(struct timing *timing, const struct timing_sum *sum)
{
    struct analysis *analysis = timing->analysis;
    struct sator_result *result = analysis->result;
    double most = (double)*sum->compute;

    assert(is_made_of_parts(timing, sum));
    assert(!(most < result->compute_cycles * (1 - 1e-9))); /* NAN: not known */
    assert(!((double)*sum->cycles < result->total_cycles * (1 - 1e-9)));
    add_wire_results(timing);
    result->timing = "scheduled";
    result->scheduled_cycles = result->total_cycles = (double)*sum->cycles;
    result->scheduled_compute_cycles = most;
    result->bound_by = "compute";
    result->macs_per_cycle = (double)result->instances / result->total_cycles;
    for (int i = 0; i < result->n_ports; i++) {
        struct sator_port_result *port = &analysis->ports[i];
        for (int q = 0; q < timing->n_ports; q++) {
            if (strcmp(timing->ports[q].name, port->name) != 0)
                continue;
            port->busy_cycles = (double)sum->busy[q] / (double)timing->ports[q].bits;
            port->exposed_cycles = (double)sum->exposed[q];
            port->stalled_cycles = (double)sum->stalled[q];
            if (port->busy_cycles > most) {
                most = port->busy_cycles;
                result->bound_by = port->name;
            }
        }
    }
}

static bool passes_through(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_ARRAY && arch->levels[i].array.pass_through)
            return true;
    }
    return false;
}

/* By classes, or where they do not apply one by one. */
static enum sator_status measure(struct timing *timing, struct timing_sum *sum)
{
    bool done = false;
    enum sator_status st;

    SATOR_TRY(timing_by_classes(timing, sum, &done));
    if (done && adds_up(timing, sum))
        return SATOR_OK;
    if (passes_through(timing->analysis->arch)) {
        timing->why = "'pass_through' is counted for nests with one skewed row only";
        return SATOR_OK;
    }
    SATOR_TRY(run_one_by_one(timing, sum));
    if (timing->why == NULL && !adds_up(timing, sum))
        timing->why = "what moves in the stamps does not add up to what moves in all";
done:
    if (st == SATOR_LIMIT) {
        timing->why = "the work limit does not let the stamps be followed";
        st = SATOR_OK;
    }
    return st;
}

/* Whether idle instances hold what a transfer moves: when they let go of it is not followed. */
static bool holds_idle(const struct timing *timing)
{
    struct analysis *analysis = timing->analysis;

    for (int m = 0; m < analysis->n_memories; m++) {
        const struct transfer_end end = analysis_memory_end(&analysis->memories[m]);
        if (end.holds_idle &&
                !sator_count_nobody_idles(analysis_counter(analysis, end.n_time, end.n_space)))
            return true;
    }
    return false;
}

enum sator_status analysis_timing(struct analysis *analysis)
{
    struct timing timing = {.analysis = analysis, .arena = sator_arena_new()};
    struct timing_sum sum;
    enum sator_status st = SATOR_OK;

    if (!list_memory_ports(&timing) || !list_wire_ports(&timing) ||
            !read_ratio(compute_cycles(analysis->arch), &timing.cycles, &timing.per_cycles))
        timing.why = "a bandwidth, or the cycles of an instance, are no ratio of 64-bit numbers";
    else if (holds_idle(&timing))
        timing.why = "what idle PEs hold ('holds: idle') is not followed stamp by stamp";
    if (timing.why == NULL) {
        list_levels(&timing);
        SATOR_TRY(list_transfers(&timing));
        for (int m = 0; m < analysis->n_memories; m++)
            warn_of_room(&timing, m);
        timing.delays = SATOR_NEW_ARRAY(timing.arena, struct timing_delays, timing.n_ports + 1);
        SATOR_TRY(measure(&timing, &sum));
    }
    if (timing.why == NULL)
        report(&timing, &sum);
    else
        analysis->result->unscheduled = timing.why;
done:
    sator_arena_free(timing.arena);
    return st;
}
