/* From a spec to what it names: files by their ending, entries of the built-in library by their
 * name. */
#include "sator/input.h"

#include "api/read.h"
#include "base/arguments.h"

enum sator_status sator_network_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, struct sator_network **network)
{
    struct sator_input_options own;
    SATOR_NEEDS(ctx, spec != NULL && network != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    options = &own;
    struct sator_spec opened = {0};
    struct sator_network *read = NULL;

    enum sator_status known = sator_spec_check_sets(ctx, options);
    SATOR_TRY(sator_read_open(ctx, spec, options, SATOR_DOCUMENT_WORKLOAD, &opened));
    SATOR_TRY(sator_read_network(ctx, &opened, options, &read));
    SATOR_TRY(known);
    SATOR_TRY(sator_read_check_layers(ctx, &opened, options));
    *network = read;
    read = NULL;
done:
    sator_network_free(read);
    sator_spec_clear(&opened);
    return st;
}

enum sator_status sator_arch_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, struct sator_arch **arch)
{
    struct sator_input_options own;
    SATOR_NEEDS(ctx, spec != NULL && arch != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    options = &own;
    struct sator_spec opened = {0};

    SATOR_TRY(sator_read_open(ctx, spec, options, SATOR_DOCUMENT_ARCH, &opened));
    SATOR_TRY(sator_read_arch(ctx, &opened, options, arch));
done:
    sator_spec_clear(&opened);
    return st;
}

enum sator_status sator_dataflow_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, struct sator_dataflow **dataflow)
{
    struct sator_input_options own;
    SATOR_NEEDS(ctx, spec != NULL && dataflow != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    options = &own;
    struct sator_spec opened = {0};

    SATOR_TRY(sator_read_open(ctx, spec, options, SATOR_DOCUMENT_DATAFLOW, &opened));
    SATOR_TRY(sator_read_dataflow(ctx, &opened, dataflow));
done:
    sator_spec_clear(&opened);
    return st;
}

enum sator_status sator_dataflow_from_text(struct sator_ctx *ctx, const char *name,
        const char *space, const char *time, struct sator_dataflow **dataflow)
{
    SATOR_NEEDS(ctx, name != NULL && space != NULL && time != NULL && dataflow != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_arena *arena = sator_arena_new();
    struct sator_dataflow *made = SATOR_NEW(arena, struct sator_dataflow);
    const struct sator_source *space_source = sator_source_from_field(ctx, "space", space);
    const struct sator_source *time_source = sator_source_from_field(ctx, "time", time);

    *made = (struct sator_dataflow){.arena = arena,
            .name = sator_arena_strdup(arena, name),
            .loc = {space_source, 0, 0},
            .space_source = space_source,
            .space_loc = {space_source, 0, space_source->length},
            .time_loc = {time_source, 0, time_source->length}};
    enum sator_status st =
            sator_yaml_read_stamp(ctx, arena, made->space_loc, "space", &made->space);
    enum sator_status other =
            sator_yaml_read_stamp(ctx, arena, made->time_loc, "time", &made->time);
    st = st == SATOR_OK ? other : st;
    if (st == SATOR_OK)
        *dataflow = made;
    else
        sator_arena_free(arena);
    return st;
}

enum sator_status sator_experiments_read(struct sator_ctx *ctx, const char *path,
        int *n_experiments, const struct sator_experiment **experiments)
{
    SATOR_NEEDS(ctx, path != NULL && n_experiments != NULL && experiments != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_experiment one;
    const struct sator_source *source;
    enum sator_status st;

    SATOR_TRY(sator_source_read(ctx, path, &source));
    if (sator_tenet_is_sweep(source))
        return sator_tenet_sweep(ctx, source, ctx->arena, n_experiments, experiments);
    SATOR_TRY(sator_tenet_experiment(
            ctx, source, ctx->arena, &one.mapping, &one.pe_array, &one.statement));
    *n_experiments = 1;
    *experiments = sator_arena_copy(ctx->arena, &one, sizeof one);
done:
    return st;
}

/* ---- all that an input holds ---- */

static bool holds(
        const struct sator_spec *spec, enum sator_document document, enum sator_document kind)
{
    if (spec->format == SATOR_INPUT_YAML)
        return document == kind ||
                (kind == SATOR_DOCUMENT_WORKLOAD && document == SATOR_DOCUMENT_NETWORK);
    if (spec->format == SATOR_INPUT_EXPERIMENT)
        return true;
    if (spec->format == SATOR_INPUT_PE_ARRAY || spec->format == SATOR_INPUT_MAPPING)
        return kind ==
                (spec->format == SATOR_INPUT_MAPPING ? SATOR_DOCUMENT_DATAFLOW
                                                     : SATOR_DOCUMENT_ARCH);
    return sator_read_has(spec, kind);
}

enum sator_status sator_input_load(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, struct sator_network **network,
        struct sator_arch **arch, struct sator_dataflow **dataflow)
{
    SATOR_NEEDS(ctx, spec != NULL && network != NULL && arch != NULL && dataflow != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_input_options own;
    struct sator_spec opened = {0};
    struct sator_network *read_net = NULL;
    struct sator_arch *read_machine = NULL;
    struct sator_dataflow *read_flow = NULL;
    enum sator_document document = SATOR_DOCUMENT_UNKNOWN;
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;

    SATOR_TRY(sator_spec_open(ctx, spec, &own, SATOR_DOCUMENT_UNKNOWN, &opened));
    if (opened.format == SATOR_INPUT_YAML)
        SATOR_TRY(sator_yaml_kind(ctx, opened.source, &document));
    if (opened.format == SATOR_INPUT_YAML && document == SATOR_DOCUMENT_UNKNOWN)
        SATOR_TRY(sator_yaml_unknown(ctx, opened.source));
    if (holds(&opened, document, SATOR_DOCUMENT_WORKLOAD))
        SATOR_TRY(sator_network_load(ctx, spec, &own, &read_net));
    if (holds(&opened, document, SATOR_DOCUMENT_ARCH))
        SATOR_TRY(sator_arch_load(ctx, spec, &own, &read_machine));
    if (holds(&opened, document, SATOR_DOCUMENT_DATAFLOW))
        SATOR_TRY(sator_dataflow_load(ctx, spec, &own, &read_flow));
    *network = read_net;
    *arch = read_machine;
    *dataflow = read_flow;
    read_net = NULL;
    read_machine = NULL;
    read_flow = NULL;
done:
    sator_network_free(read_net);
    sator_arch_free(read_machine);
    sator_dataflow_free(read_flow);
    sator_spec_clear(&opened);
    return st;
}

/* ---- objects ---- */

void sator_network_free(struct sator_network *network)
{
    if (network != NULL)
        sator_arena_free(network->arena);
}

const char *sator_network_name(const struct sator_network *network)
{
    return network == NULL ? NULL : network->name;
}

int sator_network_layer_count(const struct sator_network *network)
{
    return network == NULL ? -1 : network->n_layers;
}

const char *sator_network_layer_name(const struct sator_network *network, int layer)
{
    return network != NULL && layer >= 0 && layer < network->n_layers ? network->layers[layer].name
                                                                      : NULL;
}

void sator_arch_free(struct sator_arch *arch)
{
    if (arch != NULL)
        sator_arena_free(arch->arena);
}

const char *sator_arch_name(const struct sator_arch *arch)
{
    return arch == NULL ? NULL : arch->name;
}

void sator_dataflow_free(struct sator_dataflow *dataflow)
{
    if (dataflow != NULL)
        sator_arena_free(dataflow->arena);
}

const char *sator_dataflow_name(const struct sator_dataflow *dataflow)
{
    return dataflow == NULL ? NULL : dataflow->name;
}
