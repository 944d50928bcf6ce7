/* sator show: what was read, as YAML. */
#include "sator/input.h"

#include "api/read.h"
#include "base/arguments.h"
#include "base/text.h"

static enum sator_status show_network(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_text *out)
{
    struct sator_network *network;
    enum sator_status st;

    SATOR_TRY(sator_read_network(ctx, spec, options, &network));
    sator_yaml_write_network(out, network);
    sator_network_free(network);
done:
    return st;
}

static enum sator_status show_arch(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_text *out)
{
    struct sator_arch *arch;
    enum sator_status st;

    SATOR_TRY(sator_read_arch(ctx, spec, options, &arch));
    sator_yaml_write_arch(out, arch);
    sator_arch_free(arch);
done:
    return st;
}

static enum sator_status show_dataflow(
        struct sator_ctx *ctx, const struct sator_spec *spec, struct sator_text *out)
{
    struct sator_dataflow *dataflow;
    enum sator_status st;

    SATOR_TRY(sator_read_dataflow(ctx, spec, &dataflow));
    sator_yaml_write_dataflow(out, dataflow);
    sator_dataflow_free(dataflow);
done:
    return st;
}

static enum sator_status show_yaml(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_text *out)
{
    enum sator_document document;
    enum sator_status st;

    SATOR_TRY(sator_yaml_kind(ctx, spec->source, &document));
    switch (document) {
    case SATOR_DOCUMENT_WORKLOAD:
    case SATOR_DOCUMENT_NETWORK:
        return show_network(ctx, spec, options, out);
    case SATOR_DOCUMENT_ARCH:
        return show_arch(ctx, spec, options, out);
    case SATOR_DOCUMENT_DATAFLOW:
        return show_dataflow(ctx, spec, out);
    case SATOR_DOCUMENT_UNKNOWN:
        return sator_yaml_unknown(ctx, spec->source);
    }
done:
    return st;
}

/* A sweep as the experiments that it stands for, one a line: each line is an experiment file. */
static enum sator_status show_sweep(
        struct sator_ctx *ctx, const struct sator_spec *spec, struct sator_text *out)
{
    struct sator_arena *scratch = sator_arena_new();
    const struct sator_experiment *cases;
    int n_cases;
    enum sator_status st;

    SATOR_TRY(sator_tenet_sweep(ctx, spec->source, scratch, &n_cases, &cases));
    for (int i = 0; i < n_cases; i++)
        sator_text_add(out, "%s %s %s\n", cases[i].mapping, cases[i].pe_array, cases[i].statement);
done:
    sator_arena_free(scratch);
    return st;
}

/* The documents that a file of another tool holds, one after the other. */
static enum sator_status show_parts(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_text *out)
{
    enum sator_status st = SATOR_OK;

    if (sator_read_has(spec, SATOR_DOCUMENT_WORKLOAD))
        SATOR_TRY(show_network(ctx, spec, options, out));
    if (sator_read_has(spec, SATOR_DOCUMENT_ARCH)) {
        sator_text_put(out, out->length > 0 ? "---\n" : "");
        SATOR_TRY(show_arch(ctx, spec, options, out));
    }
    if (sator_read_has(spec, SATOR_DOCUMENT_DATAFLOW)) {
        sator_text_put(out, out->length > 0 ? "---\n" : "");
        SATOR_TRY(show_dataflow(ctx, spec, out));
    }
done:
    return st;
}

static enum sator_status show_source(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_text *out)
{
    static const enum sator_document parts[] = {
            SATOR_DOCUMENT_WORKLOAD, SATOR_DOCUMENT_ARCH, SATOR_DOCUMENT_DATAFLOW};
    enum sator_status st = SATOR_OK;

    switch (spec->format) {
    case SATOR_INPUT_YAML:
        return show_yaml(ctx, spec, options, out);
    case SATOR_INPUT_C:
        return sator_c_list(ctx, spec->source, options, out);
    case SATOR_INPUT_STATEMENT:
        return show_network(ctx, spec, options, out);
    case SATOR_INPUT_ONNX:
    case SATOR_INPUT_TIMELOOP:
    case SATOR_INPUT_SCALESIM:
    case SATOR_INPUT_MAESTRO:
    case SATOR_INPUT_ZIGZAG:
        return show_parts(ctx, spec, options, out);
    case SATOR_INPUT_PE_ARRAY:
        return show_arch(ctx, spec, options, out);
    case SATOR_INPUT_MAPPING:
        return show_dataflow(ctx, spec, out);
    case SATOR_INPUT_EXPERIMENT:
        if (sator_tenet_is_sweep(spec->source))
            return show_sweep(ctx, spec, out);
        for (int i = 0; i < 3; i++) {
            struct sator_spec part = *spec;
            SATOR_TRY(sator_read_experiment_part(
                    ctx, spec->source, parts[i], &part.source, &part.format));
            sator_text_add(out, "%s# %s\n", i == 0 ? "" : "\n", part.source->path);
            SATOR_TRY(show_source(ctx, &part, options, out));
        }
    }
done:
    return st;
}

enum sator_status sator_show(struct sator_ctx *ctx, const char *spec,
        const struct sator_input_options *options, char **text)
{
    struct sator_input_options own;
    SATOR_NEEDS(ctx, spec != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    options = &own;
    struct sator_spec opened = {0};
    struct sator_text out = {0};

    enum sator_status known = sator_spec_check_sets(ctx, options);
    SATOR_TRY(sator_spec_open(ctx, spec, options, SATOR_DOCUMENT_UNKNOWN, &opened));
    if (opened.entry != NULL && opened.settings.n_sets == 0)
        sator_text_add_bytes(&out, opened.entry->text, opened.entry->length);
    else
        SATOR_TRY(show_source(ctx, &opened, options, &out));
    SATOR_TRY(known);
    *text = sator_text_take(&out);
done:
    sator_text_clear(&out);
    sator_spec_clear(&opened);
    return st;
}
