/* Several workloads and networks as one network. */
#include "sator/input.h"

#include "base/arguments.h"
#include "base/context.h"
#include "relation/workload.h"

#include <string.h>

static bool has_layer(const struct sator_network *network, const char *name)
{
    for (int i = 0; i < network->n_layers; i++) {
        if (strcmp(network->layers[i].name, name) == 0)
            return true;
    }
    return false;
}

/* A name that no layer before has. */
static const char *fresh_name(
        const struct sator_network *joined, const char *network, const char *layer)
{
    const char *name = layer;

    for (int copy = 1; has_layer(joined, name); copy++)
        name = copy == 1 ? sator_arena_printf(joined->arena, "%s/%s", network, layer)
                         : sator_arena_printf(joined->arena, "%s/%s#%d", network, layer, copy);
    return name;
}

/* Append the layers of "part" (TAKE) to "joined". */
static void append_layers(struct sator_network *joined, struct sator_network *part)
{
    struct sator_workload *layers = (struct sator_workload *)(uintptr_t)joined->layers;
    const char *part_name = part->name;
    int n = part->n_layers;
    const struct sator_workload *added = part->layers;

    sator_arena_adopt(joined->arena, part->arena);
    for (int i = 0; i < n; i++) {
        struct sator_workload layer = added[i];
        layer.name = fresh_name(joined, part_name, layer.name);
        SATOR_PUSH(joined->arena, layers, joined->n_layers, layer);
        joined->layers = layers;
    }
    joined->name = joined->name == NULL
            ? part_name
            : sator_arena_printf(joined->arena, "%s + %s", joined->name, part_name);
}

enum sator_status sator_network_load_all(struct sator_ctx *ctx, int n_specs,
        const char *const *specs, const struct sator_input_options *options,
        struct sator_network **network)
{
    SATOR_NEEDS(ctx, network != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_TEXTS(ctx, specs, n_specs);
    enum sator_status st = SATOR_OK;

    if (n_specs == 1)
        return sator_network_load(ctx, specs[0], options, network);
    struct sator_arena *arena = sator_arena_new();
    struct sator_network *joined = SATOR_NEW(arena, struct sator_network);
    joined->arena = arena;
    for (int i = 0; i < n_specs; i++) { /* say what is wrong with all of them */
        struct sator_network *part = NULL;
        enum sator_status one = sator_network_load(ctx, specs[i], options, &part);
        if (one == SATOR_OK)
            append_layers(joined, part);
        st = st == SATOR_OK ? one : st;
    }
    if (st == SATOR_OK && n_specs > 0)
        *network = joined;
    else
        sator_network_free(joined);
    return n_specs > 0 ? st : SATOR_USAGE;
}
