/* What moves between memories (doc/model.md, section 4). */
#include "base/checked.h"
#include "model/analysis.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- flows ---- */

static void add_network_energy(struct analysis *analysis, const struct transfer *transfer)
{
    const struct sator_model_network *network = transfer->network;
    const struct sator_model_wire *wires = network->wires[transfer->access];

    for (int i = 0; i < network->n_links + network->n_buses; i++)
        sator_terms_add_words(&analysis->terms, network->names[i],
                i < network->n_links ? transfer->volumes.by_link[i]
                                     : transfer->volumes.by_bus[i - network->n_links],
                &wires[i].action);
}

/* The words of one access on their way inwards: where they are, and how often they start there from
 * zero. */
struct way {
    struct analysis *analysis;
    int access;
    const struct access_part *part;
    struct flow *flows;
    int holder; /* the memory; -1: outside of all */
    sator_int fresh; /* times that the holder took an element up from zero */
    bool started; /* the outermost holder's contents were followed: "fresh" is known */
};

/* One step inwards, to a prefix: charge the holder, and tell the receiver. */
static enum sator_status step(struct way *way, const struct transfer_end *to, struct flow *receiver)
{
    struct analysis *analysis = way->analysis;
    struct flow *holder = way->holder < 0 ? NULL : &way->flows[way->holder];
    bool is_output = analysis->workload->accesses[way->access].role == SATOR_WRITE;
    const struct transfer *transfer;
    enum sator_status st;

    SATOR_TRY(analysis_transfer(analysis, to, way->holder, way->access, way->part, &transfer));
    const struct sator_volumes *volumes = &transfer->volumes;
    if (!way->started)
        way->fresh = volumes->footprint;
    way->started = true;
    sator_int fills = is_output ? volumes->unique - way->fresh : volumes->unique;
    if (holder != NULL) {
        holder->reads += fills;
        holder->updates += is_output ? volumes->unique : 0;
    }
    for (int i = 0; i < transfer->network->n_buses; i++)
        way->fresh += volumes->by_bus[i]; /* merged on the way out: others started from zero */
    *receiver = (struct flow){.fills = fills,
            .writes = is_output ? fills : volumes->total - volumes->temporal,
            .entries = volumes->total - volumes->temporal,
            .fresh = way->fresh};
    if (way->part == NULL)
        add_network_energy(analysis, transfer);
done:
    return st;
}

/* From the innermost holder to the compute units. */
static enum sator_status serve_compute(struct way *way)
{
    struct analysis *analysis = way->analysis;
    const struct memory *memory = &analysis->memories[way->holder];
    struct flow *flow = &way->flows[way->holder], stamp;
    bool is_output = analysis->workload->accesses[way->access].role == SATOR_WRITE;
    const struct transfer *all;
    enum sator_status st;

    const struct transfer_end end = analysis_full_end(analysis, way->access);
    if (memory->space_cut < analysis->n_space)
        return step(way, &end, &stamp);
    /* the PE's own memory: every instance reads its operands and updates its result there */
    SATOR_TRY(analysis_transfer(analysis, &end, -1, way->access, way->part, &all));
    sator_int fresh = way->started ? way->fresh : all->volumes.footprint;
    assert(0 <= fresh && fresh <= all->volumes.access);
    flow->reads += all->volumes.access - (is_output ? fresh : 0);
    flow->updates += is_output ? all->volumes.access : 0;
done:
    return st;
}

enum sator_status analysis_flows(
        struct analysis *analysis, int access, const struct access_part *part, struct flow *flows)
{
    struct way way = {
            .analysis = analysis, .access = access, .part = part, .flows = flows, .holder = -1};
    enum sator_status st = SATOR_OK;

    memset(flows, 0, sizeof *flows * (size_t)(analysis->n_memories + 1));
    for (int i = 0; i < analysis->n_memories; i++) {
        const struct memory *memory = &analysis->memories[i];
        if (!memory->held[access])
            continue;
        /* what is held for the whole run is there from the start */
        const struct transfer_end end = analysis_memory_end(memory);
        if (way.holder >= 0 || !analysis_is_whole(analysis, memory))
            SATOR_TRY(step(&way, &end, &flows[i]));
        way.holder = i;
    }
    if (way.holder >= 0)
        SATOR_TRY(serve_compute(&way));
    else if (analysis->n_memories == 0) /* nothing but what moves over the links is counted */
        SATOR_TRY(step(&way,
                &(struct transfer_end){.n_time = analysis->n_time, .n_space = analysis->n_space},
                &flows[0]));
    else
        st = sator_error(analysis->ctx, analysis->arch->loc,
                "no memory level of '%s' holds tensor '%s'", analysis->arch->name,
                analysis->workload->accesses[access].tensor);
done:
    return st;
}

/* ---- results ---- */

/* A sum over tensors, of which each fits. */
enum sator_status analysis_too_many(struct analysis *analysis, const struct memory *memory)
{
    static const struct sator_loc nowhere;

    sator_error(analysis->ctx, nowhere,
            "the words of all tensors together at level '%s' do not fit into 128 bits",
            memory->level->name);
    return SATOR_OVERFLOW;
}

static enum sator_status finish_level(struct analysis *analysis, struct memory *memory)
{
    struct sator_level_result *result = memory->result;
    struct sator_level_tensor *tensors = SATOR_NEW_ARRAY(
            analysis->arena, struct sator_level_tensor, analysis->workload->n_accesses + 1);
    sator_int reads = 0, writes = 0;

    result->name = memory->named->name;
    result->time_cut = memory->time_cut;
    result->space_cut = memory->space_cut;
    sator_model_capacity(&memory->level->memory, result);
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        const struct sator_level_tensor *tensor = &memory->tensors[i];
        if (!memory->held[i])
            continue;
        tensors[result->n_tensors++] = *tensor;
        if (!sator_add(reads, tensor->reads, &reads) ||
                !sator_add(writes, tensor->writes, &writes) ||
                !sator_add(writes, tensor->updates, &writes))
            return analysis_too_many(analysis, memory);
    }
    result->tensors = tensors;
    for (int kind = 0; kind < 2; kind++)
        sator_terms_add_memory(&analysis->terms, memory->named, analysis->workload->n_accesses,
                memory->held, memory->tensors, kind == 1);
    return SATOR_OK;
}

enum sator_status analysis_count_flows(struct analysis *analysis)
{
    struct flow *flows = SATOR_NEW_ARRAY(analysis->arena, struct flow, analysis->n_memories + 1);
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        SATOR_TRY(analysis_flows(analysis, i, NULL, flows));
        for (int m = 0; m < analysis->n_memories; m++) {
            struct sator_level_tensor *tensor = &analysis->memories[m].tensors[i];
            tensor->fills = flows[m].fills;
            tensor->writes = flows[m].writes;
            tensor->reads = flows[m].reads;
            tensor->updates = flows[m].updates;
            analysis->memories[m].entries[i] = flows[m].entries;
        }
    }
done:
    return st;
}

enum sator_status analysis_levels(struct analysis *analysis)
{
    enum sator_status st;

    SATOR_TRY(analysis_count_flows(analysis));
    for (int m = 0; m < analysis->n_memories; m++)
        SATOR_TRY(finish_level(analysis, &analysis->memories[m]));
done:
    return st;
}
