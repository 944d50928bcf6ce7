#include "api/read.h"

#include "base/text.h"

#include <string.h>

enum sator_status sator_read_experiment_part(struct sator_ctx *ctx,
        const struct sator_source *source, enum sator_document kind,
        const struct sator_source **part, enum sator_format_of_input *format)
{
    struct sator_arena *scratch = sator_arena_new();
    const char *mapping, *pe_array, *statement;
    enum sator_status st;

    if (sator_tenet_is_sweep(source)) {
        st = sator_error(ctx, (struct sator_loc){source, 0, 0},
                "this joins many mappings and PE arrays: one experiment is expected");
        sator_help(ctx, "'sator analyze %s' alone compares them, 'sator show' lists them",
                source->path);
        goto done;
    }
    SATOR_TRY(sator_tenet_experiment(ctx, source, scratch, &mapping, &pe_array, &statement));
    *format = kind == SATOR_DOCUMENT_DATAFLOW ? SATOR_INPUT_MAPPING
            : kind == SATOR_DOCUMENT_ARCH     ? SATOR_INPUT_PE_ARRAY
                                              : SATOR_INPUT_STATEMENT;
    SATOR_TRY(sator_source_read(ctx,
            kind == SATOR_DOCUMENT_DATAFLOW       ? mapping
                    : kind == SATOR_DOCUMENT_ARCH ? pe_array
                                                  : statement,
            part));
done:
    sator_arena_free(scratch);
    return st;
}

enum sator_status sator_read_open(struct sator_ctx *ctx, const char *text,
        const struct sator_input_options *options, enum sator_document kind,
        struct sator_spec *spec)
{
    enum sator_status st;

    SATOR_TRY(sator_spec_open(ctx, text, options, kind, spec));
    if (spec->format == SATOR_INPUT_EXPERIMENT)
        SATOR_TRY(
                sator_read_experiment_part(ctx, spec->source, kind, &spec->source, &spec->format));
done:
    return st;
}

/* Whether a setting is meant for this input. */
static bool has_settings(const struct sator_spec *spec, enum sator_document kind)
{
    for (int i = 0; i < spec->settings.n_sets; i++) {
        if (sator_yaml_takes(kind, spec->settings.sets[i]))
            return true;
    }
    return false;
}

/* Settings address the fields of YAML documents. An input in another format that is to be changed
 * is written as YAML and read again from there; "yaml" is taken over. */
static struct sator_spec as_yaml(
        struct sator_ctx *ctx, const struct sator_spec *spec, struct sator_text *yaml)
{
    struct sator_spec copy = *spec;
    char *path = sator_arena_printf(ctx->arena, "%s as YAML", spec->source->path);

    copy.source = sator_source_from_text(ctx, path, yaml->data);
    copy.format = SATOR_INPUT_YAML;
    copy.settings.is_rewritten = true;
    sator_text_clear(yaml);
    return copy;
}

static enum sator_status wrong_format(
        struct sator_ctx *ctx, const struct sator_spec *spec, const char *wanted)
{
    struct sator_loc loc = {spec->source, 0, 0};

    return sator_error(ctx, loc, "%s is expected here, and this is %s", wanted,
            sator_spec_format_name(spec->format));
}

/* A size of a C file is a loop's extent or an integer of the program ("sizes.n=64" for a parameter
 * n), which the reader has taken already: the settings without the latter. */
static struct sator_settings without_integers(
        struct sator_ctx *ctx, const struct sator_spec *spec, const struct sator_network *network)
{
    static const char prefix[] = "sizes.";
    const struct sator_workload *layer = &network->layers[0];
    struct sator_settings rest = spec->settings;
    const char **sets = SATOR_NEW_ARRAY(ctx->arena, const char *, rest.n_sets + 1);
    const char **specs = SATOR_NEW_ARRAY(ctx->arena, const char *, rest.n_sets + 1);

    rest.n_sets = 0;
    for (int i = 0; i < spec->settings.n_sets; i++) {
        const char *set = spec->settings.sets[i];
        bool keep = strncmp(set, prefix, strlen(prefix)) != 0;
        for (int l = 0; l < layer->n_loops && !keep; l++) {
            size_t length = strlen(layer->loop_names[l]);
            keep = strncmp(set + strlen(prefix), layer->loop_names[l], length) == 0 &&
                    set[strlen(prefix) + length] == '=';
        }
        if (!keep)
            continue;
        sets[rest.n_sets] = set;
        specs[rest.n_sets++] = spec->settings.specs == NULL ? NULL : spec->settings.specs[i];
    }
    rest.sets = sets;
    rest.specs = specs;
    return rest;
}

static enum sator_status read_c(struct sator_ctx *ctx, struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_network **network)
{
    struct sator_input_options with_sizes = *options;
    enum sator_status st;

    with_sizes.sets = spec->settings.sets;
    with_sizes.n_sets = spec->settings.n_sets;
    st = sator_c_network(ctx, spec->source, &with_sizes, network);
    if (st == SATOR_OK)
        spec->settings = without_integers(ctx, spec, *network);
    return st;
}

/* The formats of other tools whose readers write documents in Sator's notation, from where they are
 * read. */
static const struct foreign {
    enum sator_format_of_input format;
    bool (*has)(const struct sator_source *source, enum sator_document kind);
    enum sator_status (*read)(struct sator_ctx *ctx, const struct sator_source *source,
            enum sator_document kind, struct sator_text *text);
} foreign[] = {
        {SATOR_INPUT_TIMELOOP, sator_timeloop_has, sator_timeloop_read},
        {SATOR_INPUT_SCALESIM, sator_scalesim_has, sator_scalesim_read},
        {SATOR_INPUT_MAESTRO, sator_maestro_has, sator_maestro_read},
        {SATOR_INPUT_ZIGZAG, sator_zigzag_has, sator_zigzag_read},
};

static const struct foreign *foreign_of(const struct sator_spec *spec)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (foreign[i].format == spec->format)
            return &foreign[i];
    }
    return NULL;
}

static bool is_rewritten(const struct sator_spec *spec)
{
    return spec->format == SATOR_INPUT_ONNX || foreign_of(spec) != NULL;
}

/* Such an input, as far as it is a document of "kind", with its settings still to be applied. */
static enum sator_status rewrite(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, enum sator_document kind,
        struct sator_spec *written)
{
    const struct foreign *reader = foreign_of(spec);
    struct sator_text yaml = {0};
    enum sator_status st;

    if (reader != NULL)
        st = reader->read(ctx, spec->source, kind, &yaml);
    else if (kind == SATOR_DOCUMENT_WORKLOAD)
        st = sator_onnx_network(ctx, spec->source->path, options, &yaml);
    else
        st = wrong_format(
                ctx, spec, kind == SATOR_DOCUMENT_ARCH ? "an architecture" : "a dataflow");
    if (st == SATOR_OK)
        *written = as_yaml(ctx, spec, &yaml);
    sator_text_clear(&yaml);
    return st;
}

bool sator_read_has(const struct sator_spec *spec, enum sator_document kind)
{
    const struct foreign *reader = foreign_of(spec);

    return reader != NULL ? reader->has(spec->source, kind) : kind == SATOR_DOCUMENT_WORKLOAD;
}

/* Options that are about other formats than the input's. */
static void warn_of_options(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options)
{
    const bool is_c = spec->format == SATOR_INPUT_C, is_onnx = spec->format == SATOR_INPUT_ONNX;
    const struct {
        bool is_idle;
        const char *word, *formats;
    } given[] = {
            {options->function != NULL && !is_c, "function", "C files"},
            {options->nest != 0 && !is_c, "nest", "C files"},
            {options->n_include_dirs > 0 && !is_c, "include_dirs", "C files"},
            {options->n_defines > 0 && !is_c && !is_onnx, "defines", "C files and ONNX models"},
            {options->all_operators && !is_onnx, "all_operators", "ONNX models"},
    };

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (given[i].is_idle)
            sator_warn(ctx, (struct sator_loc){0}, "%s has no effect on '%s': it is for %s",
                    sator_word(ctx, given[i].word), spec->source->path, given[i].formats);
    }
}

enum sator_status sator_read_network(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_network **network)
{
    struct sator_spec left = *spec; /* its settings: those still to be applied */
    struct sator_network *read;
    enum sator_status st;

    warn_of_options(ctx, spec, options);
    if (is_rewritten(spec)) {
        SATOR_TRY(rewrite(ctx, spec, options, SATOR_DOCUMENT_WORKLOAD, &left));
        return sator_yaml_network(ctx, left.source, &left.settings, network);
    }
    switch (spec->format) {
    case SATOR_INPUT_YAML:
        return sator_yaml_network(ctx, spec->source, &spec->settings, network);
    case SATOR_INPUT_C:
        st = read_c(ctx, &left, options, &read);
        break;
    case SATOR_INPUT_STATEMENT:
        st = sator_tenet_statement(ctx, spec->source, &read);
        break;
    default:
        return wrong_format(ctx, spec, "a workload");
    }
    SATOR_TRY(st);
    if (has_settings(&left, SATOR_DOCUMENT_WORKLOAD)) {
        struct sator_text yaml = {0};
        sator_yaml_write_network(&yaml, read);
        sator_network_free(read);
        struct sator_spec changed = as_yaml(ctx, &left, &yaml);
        return sator_yaml_network(ctx, changed.source, &changed.settings, network);
    }
    for (int i = 0; i < read->n_layers; i++) {
        struct sator_workload *layer = (struct sator_workload *)(uintptr_t)&read->layers[i];
        st = sator_workload_find_bounds(ctx, read->arena, layer);
        if (st != SATOR_OK) {
            sator_network_free(read);
            return st;
        }
    }
    *network = read;
done:
    return st;
}

enum sator_status sator_read_arch(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_arch **arch)
{
    struct sator_spec written;
    struct sator_arch *read;
    enum sator_status st;

    if (is_rewritten(spec)) {
        SATOR_TRY(rewrite(ctx, spec, options, SATOR_DOCUMENT_ARCH, &written));
        return sator_yaml_arch(ctx, written.source, &written.settings, arch);
    }
    switch (spec->format) {
    case SATOR_INPUT_YAML:
        return sator_yaml_arch(ctx, spec->source, &spec->settings, arch);
    case SATOR_INPUT_PE_ARRAY:
        st = sator_tenet_pe_array(ctx, spec->source, options->tenet_interval, &read);
        break;
    default:
        return wrong_format(ctx, spec, "an architecture");
    }
    SATOR_TRY(st);
    if (has_settings(spec, SATOR_DOCUMENT_ARCH)) {
        struct sator_text yaml = {0};
        sator_yaml_write_arch(&yaml, read);
        sator_arch_free(read);
        struct sator_spec changed = as_yaml(ctx, spec, &yaml);
        return sator_yaml_arch(ctx, changed.source, &changed.settings, arch);
    }
    *arch = read;
done:
    return st;
}

enum sator_status sator_read_dataflow(
        struct sator_ctx *ctx, const struct sator_spec *spec, struct sator_dataflow **dataflow)
{
    struct sator_spec written;
    struct sator_dataflow *read;
    enum sator_status st;

    if (is_rewritten(spec)) {
        SATOR_TRY(rewrite(ctx, spec, NULL, SATOR_DOCUMENT_DATAFLOW, &written));
        st = sator_yaml_dataflow(ctx, written.source, &written.settings, dataflow);
        if (st == SATOR_OK)
            (*dataflow)->any_order = true; /* directives are known by their targets */
        return st;
    }
    switch (spec->format) {
    case SATOR_INPUT_YAML:
        return sator_yaml_dataflow(ctx, spec->source, &spec->settings, dataflow);
    case SATOR_INPUT_MAPPING:
        st = sator_tenet_mapping(ctx, spec->source, &read);
        break;
    default:
        return wrong_format(ctx, spec, "a dataflow");
    }
    SATOR_TRY(st);
    if (has_settings(spec, SATOR_DOCUMENT_DATAFLOW)) {
        struct sator_text yaml = {0};
        sator_yaml_write_dataflow(&yaml, read);
        sator_dataflow_free(read);
        struct sator_spec changed = as_yaml(ctx, spec, &yaml);
        return sator_yaml_dataflow(ctx, changed.source, &changed.settings, dataflow);
    }
    *dataflow = read;
done:
    return st;
}

enum sator_status sator_read_check_layers(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options)
{
    enum sator_document kind =
            spec->format == SATOR_INPUT_ONNX ? SATOR_DOCUMENT_NETWORK : SATOR_DOCUMENT_WORKLOAD;
    enum sator_status st = SATOR_OK;

    if (spec->format == SATOR_INPUT_YAML)
        SATOR_TRY(sator_yaml_kind(ctx, spec->source, &kind));
    for (int i = 0; i < options->n_sets && kind != SATOR_DOCUMENT_NETWORK; i++) {
        const char *set = options->sets[i];
        size_t length = strcspn(set, ".=");
        if (length != strlen("layers") || strncmp(set, "layers", length) != 0)
            continue;
        struct sator_loc loc = {sator_source_from_field(ctx, "sets", set), 0, length};
        st = sator_error(ctx, loc, "'%s' is a single workload, not a network with layers",
                spec->source->path);
    }
done:
    return st;
}
