/* sator check: all that is wrong in a file, and in what it names. */
#include "sator/input.h"

#include "api/read.h"
#include "base/arguments.h"

#include <stdlib.h>
#include <string.h>

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
                sator_read_experiment_part(ctx, spec->source, parts[i], &part.source, &part.format);
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
    if (sator_read_has(spec, SATOR_DOCUMENT_WORKLOAD)) {
        SATOR_TRY(sator_read_network(ctx, spec, options, &network));
        sator_network_free(network);
    }
    if (sator_read_has(spec, SATOR_DOCUMENT_ARCH)) {
        SATOR_TRY(sator_read_arch(ctx, spec, options, &arch));
        sator_arch_free(arch);
    }
    if (sator_read_has(spec, SATOR_DOCUMENT_DATAFLOW)) {
        SATOR_TRY(sator_read_dataflow(ctx, spec, &dataflow));
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
        SATOR_TRY(sator_read_network(ctx, spec, options, &network));
        sator_network_free(network);
        break;
    case SATOR_INPUT_PE_ARRAY:
        *kind = "architecture";
        SATOR_TRY(sator_read_arch(ctx, spec, options, &arch));
        sator_arch_free(arch);
        break;
    case SATOR_INPUT_MAPPING:
        *kind = "dataflow";
        SATOR_TRY(sator_read_dataflow(ctx, spec, &dataflow));
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
