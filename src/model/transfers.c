/* The questions that an analysis asks the counting engines, each once: a level whose contents are
 * one stamp's asks the same as the full stamps do. */
#include "model/analysis.h"

#include <string.h>

enum sator_status analysis_counter(
        struct analysis *analysis, int n_time, int n_space, struct sator_counter **counter)
{
    for (int i = 0; i < analysis->n_counters; i++) {
        const struct prefix_counter *known = &analysis->counters[i];
        if (known->n_time == n_time && known->n_space == n_space) {
            *counter = known->counter;
            return SATOR_OK;
        }
    }
    struct sator_stamping *stamping = SATOR_NEW(analysis->arena, struct sator_stamping);
    *stamping = (struct sator_stamping){.domain = analysis->workload->domain,
            .space = analysis->dataflow->space,
            .time = analysis->dataflow->time,
            .n_space = n_space,
            .n_time = n_time,
            .shape = analysis->shape};
    struct prefix_counter made = {.n_time = n_time, .n_space = n_space};
    enum sator_status st =
            sator_counter_new(analysis->ctx, analysis->options->engine, stamping, &made.counter);
    if (st != SATOR_OK)
        return st;
    SATOR_PUSH(analysis->arena, analysis->counters, analysis->n_counters, made);
    *counter = made.counter;
    return SATOR_OK;
}

static enum sator_status find_network(struct analysis *analysis, int from, int to, int access,
        const struct sator_model_network **network)
{
    const struct sator_access *what = &analysis->workload->accesses[access];

    for (int i = 0; i < analysis->n_networks; i++) {
        const struct shared_network *known = &analysis->networks[i];
        if (known->from == from && known->to == to && known->role == what->role &&
                (known->tensor == NULL || strcmp(known->tensor, what->tensor) == 0)) {
            *network = known->network;
            return SATOR_OK;
        }
    }
    struct sator_model_network *made = SATOR_NEW(analysis->arena, struct sator_model_network);
    enum sator_status st = sator_model_network(analysis->ctx, analysis->arena, analysis->arch, from,
            to, what->tensor, what->role, made);
    if (st != SATOR_OK)
        return st;
    struct shared_network shared = {.from = from,
            .to = to,
            .role = what->role,
            .tensor = analysis->tensors_differ ? what->tensor : NULL,
            .network = made};
    SATOR_PUSH(analysis->arena, analysis->networks, analysis->n_networks, shared);
    *network = made;
    return SATOR_OK;
}

enum sator_status analysis_transfer(struct analysis *analysis, int n_time, int n_space, int from,
        int access, const struct transfer **transfer)
{
    struct sator_counter *counter;
    enum sator_status st;

    for (int i = 0; i < analysis->n_transfers; i++) {
        const struct transfer *known = analysis->transfers[i];
        if (known->n_time == n_time && known->n_space == n_space && known->from == from &&
                known->access == access) {
            *transfer = known;
            return SATOR_OK;
        }
    }
    struct transfer *made = SATOR_NEW(analysis->arena, struct transfer);
    *made = (struct transfer){.n_time = n_time, .n_space = n_space, .from = from, .access = access};
    SATOR_TRY(find_network(analysis, from, n_space, access, &made->network));
    SATOR_TRY(analysis_counter(analysis, n_time, n_space, &counter));
    made->volumes.by_link = SATOR_NEW_ARRAY(analysis->arena, sator_int, made->network->n_links);
    made->volumes.by_bus = SATOR_NEW_ARRAY(analysis->arena, sator_int, made->network->n_buses);
    SATOR_TRY(sator_count_volumes(counter, analysis->workload->accesses[access].relation,
            &made->network->transport, &made->volumes));
    SATOR_PUSH(analysis->arena, analysis->transfers, analysis->n_transfers, made);
    *transfer = made;
done:
    return st;
}
