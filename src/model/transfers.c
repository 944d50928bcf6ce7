/* The questions that an analysis asks the counting engines, each once: a level whose contents are
 * one stamp's asks the same as the full stamps do. */
#include "model/analysis.h"

#include <string.h>

static struct sator_counter *find_counter(
        struct analysis *analysis, int n_time, int n_space, enum sator_engine_choice engine)
{
    for (int i = 0; i < analysis->n_counters; i++) {
        const struct prefix_counter *known = &analysis->counters[i];
        if (known->n_time == n_time && known->n_space == n_space && known->engine == engine)
            return known->counter;
    }
    const struct sator_stamping stamping = {.domain = analysis->workload->domain,
            .space = analysis->dataflow->space,
            .time = analysis->dataflow->time,
            .n_space = n_space,
            .n_time = n_time,
            .shape = analysis->shape};
    struct prefix_counter made = {.n_time = n_time,
            .n_space = n_space,
            .engine = engine,
            .counter = sator_workspace_counter(
                    analysis->workspace, analysis->n_counters, analysis->ctx, engine, &stamping)};
    SATOR_PUSH(analysis->arena, analysis->counters, analysis->n_counters, made);
    return made.counter;
}

struct sator_counter *analysis_counter(struct analysis *analysis, int n_time, int n_space)
{
    return find_counter(analysis, n_time, n_space, analysis->options->engine);
}

/* For a part of an access: what the closed form declines of it is left to the others. */
static struct sator_counter *part_counter(struct analysis *analysis, int n_time, int n_space)
{
    enum sator_engine_choice engine = analysis->options->engine;

    return find_counter(
            analysis, n_time, n_space, engine == SATOR_ENGINE_CLOSED ? SATOR_ENGINE_AUTO : engine);
}

enum sator_status analysis_transfer(struct analysis *analysis, int n_time, int n_space, int holder,
        int access, const struct sator_relation *part, const struct transfer **transfer)
{
    int from = holder < 0 ? 0 : analysis->memories[holder].space_cut;
    const struct sator_model_network *network =
            model_network(analysis->model, from, n_space, access);
    int from_time = holder < 0
            ? 0
            : sator_model_held_time(network, analysis->workload->accesses[access].role,
                      analysis->memories[holder].time_cut);
    const struct sator_relation *relation =
            part == NULL ? analysis->workload->accesses[access].relation : part;
    enum sator_status st;

    for (int i = 0; i < analysis->n_transfers; i++) {
        const struct transfer *known = analysis->transfers[i];
        if (known->n_time == n_time && known->n_space == n_space && known->from == from &&
                known->from_time == from_time && known->access == access && known->part == part) {
            *transfer = known;
            return SATOR_OK;
        }
    }
    struct transfer *made = SATOR_NEW(analysis->arena, struct transfer);
    *made = (struct transfer){.n_time = n_time,
            .n_space = n_space,
            .from = from,
            .from_time = from_time,
            .access = access,
            .part = part,
            .network = network};
    made->volumes.by_link = SATOR_NEW_ARRAY(analysis->arena, sator_int, made->network->n_links);
    made->volumes.by_bus = SATOR_NEW_ARRAY(analysis->arena, sator_int, made->network->n_buses);
    struct sator_counter *counter = analysis_counter(analysis, n_time, n_space);
    struct sator_transport transport;
    /* what is cut depends on what all instances need, also for a part of them */
    SATOR_TRY(sator_model_cut(analysis->ctx, analysis->arena, counter,
            analysis->workload->accesses[access].relation, made->network, &transport));
    transport.held_space = from;
    transport.held_time = from_time;
    transport.footprint = part == NULL ? analysis->footprints[access] : 0;
    if (part != NULL)
        counter = part_counter(analysis, n_time, n_space);
    SATOR_TRY(sator_count_volumes(counter, relation, &transport, &made->volumes));
    if (part == NULL)
        analysis->footprints[access] = made->volumes.footprint;
    SATOR_PUSH(analysis->arena, analysis->transfers, analysis->n_transfers, made);
    *transfer = made;
done:
    return st;
}
