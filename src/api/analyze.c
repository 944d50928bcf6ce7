/* From the public interface to the model: binding, and networks layer by layer. */
#include "sator/analyze.h"

#include "api/plan.h"
#include "base/arguments.h"
#include "base/checked.h"
#include "base/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum sator_status sator_plan_analyze(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, bool in_order, struct sator_result **result)
{
    struct sator_workspace *workspace = sator_workspace_own();
    struct sator_arena *arena = sator_arena_new();
    struct sator_plan plan;
    struct sator_result *made;
    enum sator_status st;

    SATOR_TRY(sator_plan_make(ctx, arena, network, layer, arch, dataflow, options, &plan));
    plan.question.in_order = in_order;
    SATOR_TRY(sator_model_evaluate(ctx, plan.model, workspace, &plan.question, arena, &made));
    made->arena = arena;
    *result = made;
done:
    sator_workspace_free(workspace);
    if (st != SATOR_OK)
        sator_arena_free(arena);
    return st;
}

enum sator_status sator_analyze(struct sator_ctx *ctx, const struct sator_network *network,
        int layer, const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_result **result)
{
    struct sator_analyze_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status taken = sator_analyze_take_options(ctx, options, &own);
    if (taken != SATOR_OK)
        return taken;
    return sator_plan_analyze(ctx, network, layer, arch, dataflow, &own, false, result);
}

void sator_result_free(struct sator_result *result)
{
    if (result != NULL)
        sator_arena_free(result->arena);
}

/* ---- networks ---- */

struct layer_key {
    char *text; /* sator_workload_key */
    int layer;
};

static int compare_keys(const void *a, const void *b)
{
    const struct layer_key *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order != 0 ? order : x->layer - y->layer;
}

/* Set each layer's same_as to the first layer that is equal to it; to itself when each has a
 * dataflow of its own. */
static void find_equal_layers(const struct sator_network *network,
        const struct sator_dataflow *dataflow, struct sator_network_result *result)
{
    for (int i = 0; i < network->n_layers; i++)
        result->layers[i].same_as = i;
    if (dataflow->n_layers > 0)
        return;

    struct layer_key *keys = sator_alloc(sizeof *keys * (size_t)(network->n_layers + 1));

    for (int i = 0; i < network->n_layers; i++)
        keys[i] = (struct layer_key){sator_workload_key(&network->layers[i]), i};
    qsort(keys, (size_t)network->n_layers, sizeof *keys, compare_keys);
    for (int i = 0, first = 0; i < network->n_layers; i++) {
        if (strcmp(keys[i].text, keys[first].text) != 0)
            first = i;
        result->layers[keys[i].layer].same_as = keys[first].layer;
    }
    for (int i = 0; i < network->n_layers; i++)
        free(keys[i].text);
    free(keys);
}

static bool add_times(sator_int *total, sator_int value, int repeat)
{
    sator_int product;

    return sator_mul(value, repeat, &product) && sator_add(*total, product, total);
}

/* The network's totals; a layer counts as often as it is repeated. */
static enum sator_status add_up(struct sator_ctx *ctx, struct sator_network_result *result)
{
    static const struct sator_loc nowhere;
    sator_int stamps = 0, slots = 0, layer_slots;
    bool fits = true, expects = false, skips = false;

    result->expected_energy_pj = result->expected_cycles = 0;
    for (int i = 0; i < result->n_layers; i++) {
        const struct sator_result *r = result->layers[i].result;
        int repeat = result->layers[i].repeat;
        fits &= add_times(&result->instances, r->instances, repeat);
        fits &= add_times(&stamps, r->stamps, repeat);
        fits &= sator_mul(r->time_stamps, r->pes, &layer_slots) &&
                add_times(&slots, layer_slots, repeat);
        for (int t = 0; t < r->n_tensors; t++)
            fits &= add_times(&result->unique_volume, r->tensors[t].unique_volume, repeat);
        result->total_cycles += r->total_cycles * repeat;
        result->energy_pj += r->energy_pj * repeat;
        expects |= !isnan(r->expected_energy_pj);
        skips |= !isnan(r->expected_cycles);
        result->expected_cycles +=
                repeat * (isnan(r->expected_cycles) ? r->total_cycles : r->expected_cycles);
        result->expected_energy_pj +=
                repeat * (isnan(r->expected_energy_pj) ? r->energy_pj : r->expected_energy_pj);
    }
    if (!expects)
        result->expected_energy_pj = NAN;
    if (!skips)
        result->expected_cycles = NAN;
    result->utilization_average = slots == 0 ? NAN : (double)stamps / (double)slots;
    if (!fits)
        sator_error(ctx, nowhere, "a total of the network does not fit into 128 bits");
    return fits ? SATOR_OK : SATOR_OVERFLOW;
}

static void note_layer(struct sator_ctx *ctx, int errors_before, const char *name)
{
    if (sator_ctx_error_count(ctx) > errors_before)
        sator_help(ctx, "this is about layer '%s'", name);
}

static enum sator_status analyze_layers(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_network_result *result)
{
    for (int i = 0; i < network->n_layers; i++) {
        struct sator_layer_result *layer = &result->layers[i];
        struct sator_result *own;
        if (layer->same_as != i) {
            layer->result = result->layers[layer->same_as].result;
            continue;
        }
        int errors = sator_ctx_error_count(ctx);
        enum sator_status st = sator_analyze(ctx, network, i, arch, dataflow, options, &own);
        if (st != SATOR_OK) {
            note_layer(ctx, errors, network->layers[i].name);
            return st;
        }
        layer->result = own;
    }
    return add_up(ctx, result);
}

enum sator_status sator_analyze_network(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_analyze_options *options, struct sator_network_result **result)
{
    struct sator_analyze_options own;
    SATOR_NEEDS(ctx, network != NULL && arch != NULL && dataflow != NULL && result != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status taken = sator_analyze_take_options(ctx, options, &own);
    if (taken != SATOR_OK)
        return taken;
    struct sator_arena *arena = sator_arena_new();
    struct sator_network_result *made = SATOR_NEW(arena, struct sator_network_result);

    *made = (struct sator_network_result){.size = sizeof *made,
            .network = sator_arena_strdup(arena, network->name),
            .arch = sator_arena_strdup(arena, arch->name),
            .dataflow = sator_arena_strdup(arena, dataflow->name),
            .clock_mhz = arch->clock_mhz,
            .area_um2 = sator_arch_area(arch),
            .n_layers = network->n_layers,
            .layers = SATOR_NEW_ARRAY(arena, struct sator_layer_result, network->n_layers + 1),
            .arena = arena};
    for (int i = 0; i < network->n_layers; i++) {
        made->layers[i].name = sator_arena_strdup(arena, network->layers[i].name);
        made->layers[i].repeat = network->layers[i].repeat;
    }
    find_equal_layers(network, dataflow, made);
    enum sator_status st = analyze_layers(ctx, network, arch, dataflow, &own, made);
    if (st == SATOR_OK)
        *result = made;
    else
        sator_network_result_free(made);
    return st;
}

void sator_network_result_free(struct sator_network_result *result)
{
    if (result == NULL)
        return;
    for (int i = 0; i < result->n_layers; i++) {
        if (result->layers[i].same_as == i && result->layers[i].result != NULL)
            sator_arena_free(result->layers[i].result->arena);
    }
    sator_arena_free(result->arena);
}
