/* The transfers of an analysis (doc/model.md, section 7): between which memories, when, over which
 * wires and through which ports. */
#include "model/timing/timing.h"

static enum sator_transfer_kind kind_of(
        const struct timing *timing, int memory, int holder, const char *tensor)
{
    const struct analysis *analysis = timing->analysis;
    const struct memory *outer = holder < 0 ? NULL : &analysis->memories[holder];
    const struct memory *inner = memory < 0 ? NULL : &analysis->memories[memory];

    return sator_transfers_between(analysis->arch, outer == NULL ? NULL : outer->level,
            inner == NULL ? NULL : inner->level, tensor,
            inner != NULL && timing->reach[inner->time_cut] == analysis->n_time);
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
        transfer->wires[n++] = timing_use_of_wires(
                timing, transfer->access, network->link_sources[k], volumes->by_link[k]);
        links[transport->n_links++] = whole.links[k];
    }
    for (int b = 0; b < whole.n_buses; b++) {
        struct timing_use use = timing_use_of_wires(timing, transfer->access,
                network->bus_sources[b], count_crossing(volumes, &whole, b, is_output));
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

    transfer->sends = timing_use_of_memory(timing, transfer->holder, i, false, outer->reads);
    transfer->takes = timing_use_of_memory(timing, transfer->holder, i, true, outer->updates);
    transfer->arrives = timing_use_of_memory(timing, transfer->memory, i, true, inner->writes);
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
    const int tile_time = outer == NULL ? 0 : outer->time_cut;
    const struct sator_access *what = &analysis->workload->accesses[access];
    struct timing_transfer made = {.access = access,
            .memory = memory,
            .holder = holder,
            .n_time = timing->reach[inner == NULL ? analysis->n_time : inner->time_cut],
            .n_space = inner == NULL ? analysis->n_space : inner->space_cut,
            .tile_time = tile_time <= timing->reach[0] ? 0 : timing->reach[tile_time],
            .holder_space = outer == NULL ? 0 : outer->space_cut,
            .is_own = is_own,
            .holds_idle = memory >= 0 && analysis_memory_end(inner).holds_idle,
            .kind = kind_of(timing, memory, holder, what->tensor)};
    enum sator_status st = is_own ? SATOR_OK : find_network(timing, &made);

    find_ports(timing, &made);
    SATOR_PUSH(timing->arena, timing->transfers, timing->n_transfers, made);
    return st;
}

/* A memory that is said to overlap needs room for the next tile while it uses one. */
static void warn_of(struct timing *timing, int m)
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

void timing_warn_of_room(struct timing *timing)
{
    for (int m = 0; m < timing->analysis->n_memories; m++)
        warn_of(timing, m);
}

bool timing_overlaps(const struct timing *timing)
{
    struct analysis *analysis = timing->analysis;

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const char *tensor = analysis->workload->accesses[i].tensor;
        int holder = -1;
        for (int m = 0; m < analysis->n_memories; m++) {
            const struct memory *memory = &analysis->memories[m];
            if (!memory->held[i])
                continue;
            if ((holder >= 0 || !analysis_is_whole(analysis, memory)) &&
                    kind_of(timing, m, holder, tensor) == SATOR_TRANSFER_OVERLAPPED)
                return true;
            holder = m;
        }
    }
    return false;
}

enum sator_status timing_list_transfers(struct timing *timing)
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
