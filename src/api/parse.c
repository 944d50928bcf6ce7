/* Inputs from texts in memory, and back. */
#include "sator/build.h"
#include "sator/input.h"

#include "api/spec.h"
#include "base/arguments.h"
#include "base/text.h"

enum sator_status sator_network_parse(struct sator_ctx *ctx, const char *name, const char *text,
        const struct sator_input_options *options, struct sator_network **network)
{
    struct sator_input_options own;
    struct sator_network *read = NULL;
    struct sator_spec spec;
    SATOR_NEEDS(ctx, name != NULL && text != NULL && network != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;

    sator_spec_of_text(ctx, name, text, &own, &spec);
    enum sator_status known = sator_spec_check_sets(ctx, &own);
    SATOR_TRY(sator_yaml_network(ctx, spec.source, &spec.settings, &read));
    SATOR_TRY(known);
    *network = read;
    read = NULL;
done:
    sator_network_free(read);
    sator_spec_clear(&spec);
    return st;
}

enum sator_status sator_arch_parse(struct sator_ctx *ctx, const char *name, const char *text,
        const struct sator_input_options *options, struct sator_arch **arch)
{
    struct sator_input_options own;
    struct sator_spec spec;
    SATOR_NEEDS(ctx, name != NULL && text != NULL && arch != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;

    sator_spec_of_text(ctx, name, text, &own, &spec);
    st = sator_yaml_arch(ctx, spec.source, &spec.settings, arch);
    sator_spec_clear(&spec);
    return st;
}

enum sator_status sator_dataflow_parse(struct sator_ctx *ctx, const char *name, const char *text,
        const struct sator_input_options *options, struct sator_dataflow **dataflow)
{
    struct sator_input_options own;
    struct sator_spec spec;
    SATOR_NEEDS(ctx, name != NULL && text != NULL && dataflow != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;

    sator_spec_of_text(ctx, name, text, &own, &spec);
    st = sator_yaml_dataflow(ctx, spec.source, &spec.settings, dataflow);
    sator_spec_clear(&spec);
    return st;
}

enum sator_status sator_network_text(
        struct sator_ctx *ctx, const struct sator_network *network, char **text)
{
    struct sator_text made = {0};
    SATOR_NEEDS(ctx, network != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)

    sator_yaml_write_network(&made, network);
    *text = sator_text_take(&made);
    return SATOR_OK;
}

enum sator_status sator_arch_text(struct sator_ctx *ctx, const struct sator_arch *arch, char **text)
{
    struct sator_text made = {0};
    SATOR_NEEDS(ctx, arch != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)

    sator_yaml_write_arch(&made, arch);
    *text = sator_text_take(&made);
    return SATOR_OK;
}

enum sator_status sator_dataflow_text(
        struct sator_ctx *ctx, const struct sator_dataflow *dataflow, char **text)
{
    struct sator_text made = {0};
    SATOR_NEEDS(ctx, dataflow != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)

    sator_yaml_write_dataflow(&made, dataflow);
    *text = sator_text_take(&made);
    return SATOR_OK;
}
