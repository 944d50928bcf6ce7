/* From a spec to what it names: files by their ending, entries of the built-in library by their
 * name. */
#include "sator/input.h"

#include "api/library.h"
#include "api/spec.h"
#include "base/arguments.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading by format ---- */

static enum sator_status read_experiment_part(struct sator_ctx *ctx,
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

/* What is read from the spec's source; an experiment file stands for its part of this kind. */
static enum sator_status open_spec(struct sator_ctx *ctx, const char *text,
        const struct sator_input_options *options, enum sator_document kind,
        struct sator_spec *spec)
{
    enum sator_status st;

    SATOR_TRY(sator_spec_open(ctx, text, options, kind, spec));
    if (spec->format == SATOR_INPUT_EXPERIMENT)
        SATOR_TRY(read_experiment_part(ctx, spec->source, kind, &spec->source, &spec->format));
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

/* Whether a file that may hold several documents has one of "kind". */
static bool has_part(const struct sator_spec *spec, enum sator_document kind)
{
    const struct foreign *reader = foreign_of(spec);

    return reader != NULL ? reader->has(spec->source, kind) : kind == SATOR_DOCUMENT_WORKLOAD;
}

static enum sator_status read_network(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_network **network)
{
    struct sator_spec left = *spec; /* its settings: those still to be applied */
    struct sator_network *read;
    enum sator_status st;

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

static enum sator_status read_arch(struct sator_ctx *ctx, const struct sator_spec *spec,
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

static enum sator_status read_dataflow(
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

/* Settings of a network's layers need a network. */
static enum sator_status check_layers(struct sator_ctx *ctx, const struct sator_spec *spec,
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
    SATOR_TRY(open_spec(ctx, spec, options, SATOR_DOCUMENT_WORKLOAD, &opened));
    SATOR_TRY(read_network(ctx, &opened, options, &read));
    SATOR_TRY(known);
    SATOR_TRY(check_layers(ctx, &opened, options));
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

    SATOR_TRY(open_spec(ctx, spec, options, SATOR_DOCUMENT_ARCH, &opened));
    SATOR_TRY(read_arch(ctx, &opened, options, arch));
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

    SATOR_TRY(open_spec(ctx, spec, options, SATOR_DOCUMENT_DATAFLOW, &opened));
    SATOR_TRY(read_dataflow(ctx, &opened, dataflow));
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

/* ---- check ---- */

static enum sator_status check_yaml(
        struct sator_ctx *ctx, const struct sator_spec *spec, const char **kind)
{
    enum sator_document document;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    bool is_table;
    enum sator_status st;

    SATOR_TRY(sator_yaml_kind(ctx, spec->source, &document));
    switch (document) {
    case SATOR_DOCUMENT_WORKLOAD:
    case SATOR_DOCUMENT_NETWORK:
        *kind = document == SATOR_DOCUMENT_WORKLOAD ? "workload" : "network";
        SATOR_TRY(sator_yaml_network(ctx, spec->source, &spec->settings, &network));
        sator_network_free(network);
        break;
    case SATOR_DOCUMENT_ARCH:
        *kind = "architecture";
        SATOR_TRY(sator_yaml_arch(ctx, spec->source, &spec->settings, &arch));
        sator_arch_free(arch);
        break;
    case SATOR_DOCUMENT_DATAFLOW:
        *kind = "dataflow";
        SATOR_TRY(sator_yaml_dataflow(ctx, spec->source, &spec->settings, &dataflow));
        sator_dataflow_free(dataflow);
        break;
    case SATOR_DOCUMENT_UNKNOWN:
        *kind = "energy table";
        SATOR_TRY(sator_yaml_check_table(ctx, spec->source, &is_table));
        if (!is_table)
            st = sator_yaml_unknown(ctx, spec->source);
        break;
    }
done:
    return st;
}

static enum sator_status check_source(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, const char **kind);

/* A file that an experiment names, in the format of its place: whatever its ending, it is no
 * experiment again. */
static enum sator_status check_named(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, const char *path,
        enum sator_format_of_input format)
{
    struct sator_spec part = *spec;
    const char *kind;
    enum sator_status st;

    part.format = format;
    SATOR_TRY(sator_source_read(ctx, path, &part.source));
    SATOR_TRY(check_source(ctx, &part, options, &kind));
done:
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files of a sweep, each once. */
static enum sator_status check_sweep(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options)
{
    static const enum sator_format_of_input formats[] = {
            SATOR_INPUT_MAPPING, SATOR_INPUT_PE_ARRAY, SATOR_INPUT_STATEMENT};
    struct sator_arena *scratch = sator_arena_new();
    const struct sator_experiment *cases;
    int n_cases;
    enum sator_status st, worst = SATOR_OK;

    SATOR_TRY(sator_tenet_sweep(ctx, spec->source, scratch, &n_cases, &cases));
    const char **paths = SATOR_NEW_ARRAY(scratch, const char *, n_cases + 1);
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < n_cases; i++)
            paths[i] = f == 0 ? cases[i].mapping : f == 1 ? cases[i].pe_array : cases[i].statement;
        qsort(paths, (size_t)n_cases, sizeof *paths, compare_paths);
        for (int i = 0; i < n_cases; i++) {
            if (i > 0 && strcmp(paths[i], paths[i - 1]) == 0)
                continue;
            enum sator_status one = check_named(ctx, spec, options, paths[i], formats[f]);
            worst = worst == SATOR_OK ? one : worst;
        }
    }
    st = worst;
done:
    sator_arena_free(scratch);
    return st;
}

/* Every one of the three files, the later ones past the first wrong one too. */
static enum sator_status check_experiment(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options)
{
    static const enum sator_document parts[] = {
            SATOR_DOCUMENT_DATAFLOW, SATOR_DOCUMENT_ARCH, SATOR_DOCUMENT_WORKLOAD};
    enum sator_status worst = SATOR_OK;
    const char *kind;

    if (sator_tenet_is_sweep(spec->source))
        return check_sweep(ctx, spec, options);
    for (int i = 0; i < 3; i++) {
        struct sator_spec part = *spec;
        enum sator_status st =
                read_experiment_part(ctx, spec->source, parts[i], &part.source, &part.format);
        if (st == SATOR_OK)
            st = check_source(ctx, &part, options, &kind);
        else
            return st;
        worst = worst == SATOR_OK ? st : worst;
    }
    return worst;
}

/* Every document that a file of another tool holds. */
static enum sator_status check_parts(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, const char **kind)
{
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    enum sator_status st = SATOR_OK;

    *kind = spec->format == SATOR_INPUT_ONNX ? "network" : sator_spec_format_name(spec->format);
    if (has_part(spec, SATOR_DOCUMENT_WORKLOAD)) {
        SATOR_TRY(read_network(ctx, spec, options, &network));
        sator_network_free(network);
    }
    if (has_part(spec, SATOR_DOCUMENT_ARCH)) {
        SATOR_TRY(read_arch(ctx, spec, options, &arch));
        sator_arch_free(arch);
    }
    if (has_part(spec, SATOR_DOCUMENT_DATAFLOW)) {
        SATOR_TRY(read_dataflow(ctx, spec, &dataflow));
        sator_dataflow_free(dataflow);
    }
done:
    return st;
}

static enum sator_status check_source(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, const char **kind)
{
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    enum sator_status st = SATOR_OK;

    switch (spec->format) {
    case SATOR_INPUT_YAML:
        return check_yaml(ctx, spec, kind);
    case SATOR_INPUT_ONNX:
    case SATOR_INPUT_TIMELOOP:
    case SATOR_INPUT_SCALESIM:
    case SATOR_INPUT_MAESTRO:
    case SATOR_INPUT_ZIGZAG:
        return check_parts(ctx, spec, options, kind);
    case SATOR_INPUT_C:
    case SATOR_INPUT_STATEMENT:
        *kind = "workload";
        SATOR_TRY(read_network(ctx, spec, options, &network));
        sator_network_free(network);
        break;
    case SATOR_INPUT_PE_ARRAY:
        *kind = "architecture";
        SATOR_TRY(read_arch(ctx, spec, options, &arch));
        sator_arch_free(arch);
        break;
    case SATOR_INPUT_MAPPING:
        *kind = "dataflow";
        SATOR_TRY(read_dataflow(ctx, spec, &dataflow));
        sator_dataflow_free(dataflow);
        break;
    case SATOR_INPUT_EXPERIMENT:
        *kind = "experiment";
        return check_experiment(ctx, spec, options);
    }
done:
    return st;
}

enum sator_status sator_check_file(struct sator_ctx *ctx, const char *path,
        const struct sator_input_options *options, const char **kind)
{
    struct sator_input_options own;
    SATOR_NEEDS(ctx, path != NULL && kind != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    enum sator_status st = sator_spec_take_options(ctx, options, &own);
    if (st != SATOR_OK)
        return st;
    options = &own;
    struct sator_spec spec = {0};
    const char *found = NULL;

    enum sator_status known = sator_spec_check_sets(ctx, options);
    SATOR_TRY(sator_spec_open(ctx, path, options, SATOR_DOCUMENT_UNKNOWN, &spec));
    SATOR_TRY(check_source(ctx, &spec, options, &found));
    SATOR_TRY(known);
done:
    if (found != NULL)
        *kind = found;
    sator_spec_clear(&spec);
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
    return has_part(spec, kind);
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

/* ---- show ---- */

static enum sator_status show_network(struct sator_ctx *ctx, const struct sator_spec *spec,
        const struct sator_input_options *options, struct sator_text *out)
{
    struct sator_network *network;
    enum sator_status st;

    SATOR_TRY(read_network(ctx, spec, options, &network));
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

    SATOR_TRY(read_arch(ctx, spec, options, &arch));
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

    SATOR_TRY(read_dataflow(ctx, spec, &dataflow));
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

    if (has_part(spec, SATOR_DOCUMENT_WORKLOAD))
        SATOR_TRY(show_network(ctx, spec, options, out));
    if (has_part(spec, SATOR_DOCUMENT_ARCH)) {
        sator_text_put(out, out->length > 0 ? "---\n" : "");
        SATOR_TRY(show_arch(ctx, spec, options, out));
    }
    if (has_part(spec, SATOR_DOCUMENT_DATAFLOW)) {
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
            SATOR_TRY(
                    read_experiment_part(ctx, spec->source, parts[i], &part.source, &part.format));
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
