#include "api/spec.h"

#include "base/arguments.h"
#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const folders[] = {"workloads", "networks", "archs", "dataflows", "energy"};

enum {
    N_FOLDERS = sizeof folders / sizeof *folders,
    MOST_LISTED = 12 /* more names than this are no help */
};

static bool folder_holds(int folder, enum sator_document kind)
{
    switch (kind) {
    case SATOR_DOCUMENT_WORKLOAD:
    case SATOR_DOCUMENT_NETWORK:
        return folder <= 1;
    case SATOR_DOCUMENT_ARCH:
        return folder == 2;
    case SATOR_DOCUMENT_DATAFLOW:
        return folder == 3;
    default:
        return true;
    }
}

/* ---- files ---- */

static bool is_file(const char *path)
{
    struct stat status;

    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISDIR(status.st_mode));
}

static const struct {
    const char *ending; /* NULL: what is in a file tells (open_file) */
    enum sator_format_of_input format;
    const char *name;
} formats[] = {
        {".yaml", SATOR_INPUT_YAML, "a YAML file"},
        {".yml", SATOR_INPUT_YAML, "a YAML file"},
        {".c", SATOR_INPUT_C, "a C file"},
        {".s", SATOR_INPUT_STATEMENT, "a statement file"},
        {".p", SATOR_INPUT_PE_ARRAY, "a PE array file"},
        {".m", SATOR_INPUT_MAPPING, "a mapping file"},
        {".onnx", SATOR_INPUT_ONNX, "an ONNX model"},
        {NULL, SATOR_INPUT_EXPERIMENT, "an experiment file"},
        {NULL, SATOR_INPUT_TIMELOOP, "a Timeloop file"},
        {NULL, SATOR_INPUT_SCALESIM, "a SCALE-Sim file"},
        {NULL, SATOR_INPUT_MAESTRO, "a MAESTRO file"},
        {NULL, SATOR_INPUT_ZIGZAG, "a ZigZag file"},
};

enum {
    N_FORMATS = sizeof formats / sizeof *formats
};

const char *sator_spec_format_name(enum sator_format_of_input format)
{
    for (int i = 0; i < N_FORMATS; i++) {
        if (formats[i].format == format)
            return formats[i].name;
    }
    return "a file";
}

/* The row of "formats" for the path's ending, or -1. */
static int ending_of(const char *path)
{
    size_t length = strlen(path);

    for (int i = 0; i < N_FORMATS; i++) {
        if (formats[i].ending == NULL)
            continue;
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(path + length - ending, formats[i].ending) == 0)
            return i;
    }
    return -1;
}

/* Experiment files have no ending of their own. Their lines are the names of files: the first line
 * of one has no colon, the first of a YAML document that is not a comment has. */
static bool looks_like_experiment(const struct sator_source *source)
{
    const char *text = source->text, *end = text + source->length;

    while (text < end && isspace((unsigned char)*text))
        text++;
    if (text == end || *text == '#' || *text == '-' || *text == '{')
        return false;
    while (text < end && *text != '\n' && *text != ':')
        text++;
    return text == end || *text == '\n';
}

/* An ONNX model begins with its field 1, a number, which is a byte that no text begins with. What a
 * pipe has given cannot be given back. */
static bool looks_like_onnx(const char *path)
{
    struct stat status;
    if (strcmp(path, "-") != 0 && (stat(path, &status) != 0 || !S_ISREG(status.st_mode)))
        return false;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    int first = file == NULL ? EOF : getc(file);

    if (file == stdin && first != EOF)
        ungetc(first, file);
    else if (file != NULL && file != stdin)
        fclose(file);
    return first == 0x08;
}

static enum sator_status open_file(struct sator_ctx *ctx, const char *path, struct sator_spec *spec)
{
    enum sator_status st;
    int ending = ending_of(path);

    if ((ending >= 0 && formats[ending].format == SATOR_INPUT_ONNX) || looks_like_onnx(path)) {
        /* binary, and may be of any size: its reader opens it */
        spec->source = sator_source_from_text(ctx, path, "");
        spec->format = SATOR_INPUT_ONNX;
        return SATOR_OK;
    }
    SATOR_TRY(sator_source_read(ctx, path, &spec->source));
    if (ending >= 0)
        spec->format = formats[ending].format;
    else
        spec->format =
                looks_like_experiment(spec->source) ? SATOR_INPUT_EXPERIMENT : SATOR_INPUT_YAML;
    /* before its ending, which other tools use as well, what is in a file tells */
    if (sator_scalesim_is(spec->source))
        spec->format = SATOR_INPUT_SCALESIM;
    else if (sator_maestro_is(spec->source))
        spec->format = SATOR_INPUT_MAESTRO;
    else if ((spec->format == SATOR_INPUT_YAML || spec->format == SATOR_INPUT_EXPERIMENT) &&
            sator_timeloop_is(spec->source))
        spec->format = SATOR_INPUT_TIMELOOP;
    else if (spec->format == SATOR_INPUT_YAML && sator_zigzag_is(spec->source))
        spec->format = SATOR_INPUT_ZIGZAG;
done:
    return st;
}

/* ---- the library ---- */

static void open_entry(struct sator_ctx *ctx, const struct sator_library_file *entry,
        const struct sator_source **source)
{
    char *path = sator_arena_printf(ctx->arena, "library/%s.yaml", entry->name);

    *source = sator_source_from_text(ctx, path, entry->text);
}

/* A paper's name that several groups have: say which they are. */
static enum sator_status ambiguous(
        struct sator_ctx *ctx, struct sator_loc loc, const char *folder, const char *name)
{
    struct sator_text text = {0};

    for (int i = 0; i < sator_library_file_count; i++) {
        if (sator_library_has_title(&sator_library_files[i], folder, name))
            sator_text_add(&text, "%s'%s'", text.length == 0 ? "" : " or ",
                    sator_library_entry_name(&sator_library_files[i], folder));
    }
    enum sator_status st =
            sator_error(ctx, loc, "several entries of the library are called '%s'", name);
    sator_help(ctx, "name one of them: %s", text.data);
    sator_text_clear(&text);
    return st;
}

/* Look "name" up in the folders for "kind". "*entry" is NULL when nothing has this name. */
static enum sator_status find_entry(struct sator_ctx *ctx, struct sator_loc loc, const char *name,
        enum sator_document kind, const struct sator_library_file **entry)
{
    int n_alike;

    *entry = NULL;
    for (int i = 0; i < N_FOLDERS && *entry == NULL; i++) {
        if (!folder_holds(i, kind))
            continue;
        *entry = sator_library_find(folders[i], name, &n_alike);
        if (n_alike > 1)
            return ambiguous(ctx, loc, folders[i], name);
    }
    return SATOR_OK;
}

static void help_entries(struct sator_ctx *ctx, const char *name, enum sator_document kind)
{
    const char **names = sator_alloc(sizeof *names * (size_t)(sator_library_file_count + 1));
    int n_names = 0;

    for (int i = 0; i < sator_library_file_count; i++) {
        for (int k = 0; k < N_FOLDERS; k++) {
            const char *entry = sator_library_entry_name(&sator_library_files[i], folders[k]);
            if (entry != NULL && folder_holds(k, kind))
                names[n_names++] = entry;
        }
    }
    const char *nearest = sator_nearest(name, names, n_names);
    if (nearest != NULL)
        sator_help(ctx, "did you mean '%s'?", nearest);
    else
        sator_help(ctx, "'sator list' prints the library's names");
    free(names);
}

/* ---- sizes in the spec ---- */

/* Where the sizes of "NAME:i=512,j=512" begin (at the colon), or NULL. */
static const char *sizes_of(const char *text)
{
    const char *colon = strrchr(text, ':');

    if (colon == NULL || colon == text)
        return NULL;
    const char *c = colon + 1;
    if (!isalpha((unsigned char)*c) && *c != '_')
        return NULL;
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    return *c == '=' ? colon : NULL;
}

static void add_setting(struct sator_spec *spec, const char *set, const char *from)
{
    const char **sets = (const char **)(uintptr_t)spec->settings.sets;
    const char **specs = (const char **)(uintptr_t)spec->settings.specs;
    int n_sets = spec->settings.n_sets, n_specs = n_sets;

    SATOR_PUSH(spec->arena, sets, n_sets, set);
    SATOR_PUSH(spec->arena, specs, n_specs, from);
    spec->settings.sets = sets;
    spec->settings.specs = specs;
    spec->settings.n_sets = n_sets;
}

/* Whether "NAME=" of "size" stands in the text from "sizes" to "size", too. */
static bool is_repeated(const char *sizes, const char *size)
{
    size_t length = strcspn(size, "=,") + 1;

    for (const char *at = sizes; at < size; at += strcspn(at, ",") + 1) {
        if (strncmp(at, size, length) == 0)
            return true;
    }
    return false;
}

static enum sator_status add_sizes(struct sator_ctx *ctx, struct sator_spec *spec, const char *text,
        const char *sizes, enum sator_document kind)
{
    const struct sator_source *source = sator_source_from_field(ctx, "argument", text);
    const char *all = sizes;

    if (kind == SATOR_DOCUMENT_ARCH || kind == SATOR_DOCUMENT_DATAFLOW) {
        sator_error(ctx, (struct sator_loc){source, (size_t)(sizes - text), strlen(sizes)},
                "sizes are those of a workload's loops: %s has none",
                kind == SATOR_DOCUMENT_ARCH ? "an architecture" : "a dataflow");
        sator_help(ctx, "--set changes its fields");
        return SATOR_INPUT;
    }
    for (;;) {
        size_t length = strcspn(sizes, ","), name = strcspn(sizes, "=,");
        struct sator_loc loc = {source, (size_t)(sizes - text), length};
        if (name == 0)
            return sator_error(ctx, loc, "a size is NAME=EXTENT: 'gemm:i=512,j=512'");
        if (is_repeated(all, sizes))
            return sator_error(ctx, loc, "the size of '%.*s' is given twice", (int)name, sizes);
        add_setting(spec, sator_arena_printf(spec->arena, "sizes.%.*s", (int)length, sizes), text);
        sizes += length;
        if (*sizes == '\0')
            return SATOR_OK;
        sizes++;
    }
}

bool sator_spec_same_path(const char *set, const char *other)
{
    size_t length = strcspn(set, "=");

    return length == strcspn(other, "=") && strncmp(set, other, length) == 0;
}

/* A --set of what the spec's own sizes set: one of the two would have no effect. */
static enum sator_status check_sizes(struct sator_ctx *ctx, const struct sator_spec *spec,
        const char *text, const struct sator_input_options *options)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < options->n_sets; i++) {
        for (int k = 0; k < spec->settings.n_sets; k++) {
            const char *set = options->sets[i];
            if (!sator_spec_same_path(set, spec->settings.sets[k]))
                continue;
            struct sator_loc loc = {sator_source_from_field(ctx, "sets", set), 0, strlen(set)};
            st = sator_error(ctx, loc, "this size is given by '%s', too", text);
        }
    }
    return st;
}

/* ---- finding ---- */

/* Names in files: beside the file that names them, from here, or in the library. */
static enum sator_status find_source(struct sator_ctx *ctx, const char *folder, const char *name,
        struct sator_loc loc, const struct sator_source **source)
{
    const char *from = loc.source == NULL ? "" : loc.source->path;
    const char *slash = strrchr(from, '/');
    int n_alike;

    char *beside = sator_arena_printf(ctx->arena, "%.*s/%s",
            slash == NULL ? 1 : (int)(slash - from), slash ? from : ".", name);
    if (name[0] != '/' && is_file(beside))
        return sator_source_read(ctx, beside, source);
    if (is_file(name))
        return sator_source_read(ctx, name, source);
    const struct sator_library_file *entry = sator_library_find(folder, name, &n_alike);
    if (entry != NULL) {
        open_entry(ctx, entry, source);
        return SATOR_OK;
    }
    enum sator_status st = sator_error(ctx, loc,
            "there is no file and no entry of the library's "
            "%s called '%.80s'",
            folder, name);
    const char **names = sator_alloc(sizeof *names * (size_t)(sator_library_file_count + 1));
    int n_names = 0;
    for (int i = 0; i < sator_library_file_count; i++) {
        const char *known = sator_library_entry_name(&sator_library_files[i], folder);
        if (known != NULL)
            names[n_names++] = known;
    }
    if (n_names > MOST_LISTED && sator_nearest(name, names, n_names) == NULL)
        sator_help(ctx, "'sator list' prints the library's names");
    else
        sator_help_names(ctx, name, names, n_names);
    free(names);
    return st;
}

/* The file or entry that "name" (a spec without sizes) is; "*found" false when neither. */
static enum sator_status try_open(struct sator_ctx *ctx, struct sator_loc loc, const char *name,
        enum sator_document kind, struct sator_spec *spec, bool *found)
{
    enum sator_status st;

    *found = true;
    if (is_file(name))
        return open_file(ctx, name, spec);
    SATOR_TRY(find_entry(ctx, loc, name, kind, &spec->entry));
    *found = spec->entry != NULL;
    if (*found)
        open_entry(ctx, spec->entry, &spec->source);
done:
    return st;
}

static enum sator_status not_found(
        struct sator_ctx *ctx, const char *name, enum sator_document kind)
{
    static const char *const what[] = {"an entry of the library", "a workload or network",
            "a network", "an architecture", "a dataflow"};
    struct stat status;
    const struct sator_source *source;

    if (ending_of(name) >= 0 || stat(name, &status) == 0)
        return sator_source_read(ctx, name, &source); /* says why it cannot be read */
    enum sator_status st = sator_error(ctx, (struct sator_loc){0},
            "'%.80s' is neither a file nor the name of %s", name, what[kind]);
    help_entries(ctx, name, kind);
    return st;
}

enum sator_status sator_spec_open(struct sator_ctx *ctx, const char *text,
        const struct sator_input_options *options, enum sator_document kind,
        struct sator_spec *spec)
{
    enum sator_status st;
    struct sator_loc nowhere = {0};
    bool found;

    *spec = (struct sator_spec){.arena = sator_arena_new()};
    const char *name = text, *colon = sizes_of(text);
    SATOR_TRY(try_open(ctx, nowhere, name, kind, spec, &found));
    if (!found && colon != NULL) {
        name = sator_arena_strndup(spec->arena, text, (size_t)(colon - text));
        SATOR_TRY(add_sizes(ctx, spec, text, colon + 1, kind));
        SATOR_TRY(try_open(ctx, nowhere, name, kind, spec, &found));
    }
    if (!found) {
        st = not_found(ctx, name, kind);
        goto done;
    }
    SATOR_TRY(check_sizes(ctx, spec, text, options));
    for (int i = 0; i < options->n_sets; i++)
        add_setting(spec, options->sets[i], NULL);
    spec->settings.n_varied = options->n_varied;
    spec->settings.find = find_source;
done:
    return st;
}

void sator_spec_of_text(struct sator_ctx *ctx, const char *name, const char *text,
        const struct sator_input_options *options, struct sator_spec *spec)
{
    *spec = (struct sator_spec){.arena = sator_arena_new(),
            .source = sator_source_from_text(ctx, name, text),
            .format = SATOR_INPUT_YAML};
    for (int i = 0; i < options->n_sets; i++)
        add_setting(spec, options->sets[i], NULL);
    spec->settings.n_varied = options->n_varied;
    spec->settings.find = find_source;
}

void sator_spec_clear(struct sator_spec *spec)
{
    sator_arena_free(spec->arena);
    spec->arena = NULL;
}

/* ---- settings that nobody takes ---- */

/* Whether an input of a kind that is read has the first key of "path". */
static bool is_taken(const struct sator_input_options *options, const char *path)
{
    enum sator_document last = options->no_dataflow ? SATOR_DOCUMENT_ARCH : SATOR_DOCUMENT_DATAFLOW;
    bool taken = false;

    for (int kind = SATOR_DOCUMENT_WORKLOAD; kind <= (int)last; kind++)
        taken |= sator_yaml_takes((enum sator_document)kind, path);
    return taken;
}

/* Whether an earlier setting has the path of number "i": that one would have no effect. */
static bool is_set_before(const struct sator_input_options *options, int i)
{
    for (int k = 0; k < i; k++) {
        if (sator_spec_same_path(options->sets[k], options->sets[i]))
            return true;
    }
    return false;
}

enum sator_status sator_spec_take_options(struct sator_ctx *ctx,
        const struct sator_input_options *given, struct sator_input_options *options)
{
    struct sator_input_options own;

    SATOR_OPTIONS(ctx, given, own);
    *options = own;
    SATOR_TEXTS(ctx, options->defines, options->n_defines);
    SATOR_TEXTS(ctx, options->include_dirs, options->n_include_dirs);
    SATOR_TEXTS(ctx, options->sets, options->n_sets);
    SATOR_NUMBER(ctx, options->nest, 0, INT_MAX);
    SATOR_NUMBER(ctx, options->n_varied, 0, options->n_sets);
    SATOR_NUMBER(ctx, options->tenet_interval, 0, 1);
    return SATOR_OK;
}

enum sator_status sator_spec_check_sets(
        struct sator_ctx *ctx, const struct sator_input_options *options)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < options->n_sets; i++) {
        const char *set = options->sets[i];
        if (is_set_before(options, i))
            st = sator_error(ctx,
                    (struct sator_loc){
                            sator_source_from_field(ctx, "sets", set), 0, strcspn(set, "=")},
                    "another %s gives '%.*s', too", sator_word(ctx, "sets"), (int)strcspn(set, "="),
                    set);
        if (is_taken(options, set))
            continue;
        const struct sator_source *source = sator_source_from_field(ctx, "sets", set);
        struct sator_loc loc = {source, 0, strcspn(set, ".=")};
        char *key = sator_arena_strndup(ctx->arena, set, loc.length);
        bool unread = sator_yaml_takes(SATOR_DOCUMENT_DATAFLOW, set);
        st = sator_error(ctx, loc,
                unread ? "'%.80s' is a key of dataflows, and no dataflow is read here"
                       : "no kind of input has a key '%.80s'",
                key);
        const char *names[64], *taken[64];
        int n_names = sator_yaml_all_keys(names, 64), n_taken = 0;
        for (int k = 0; k < n_names; k++) {
            if (is_taken(options, names[k]))
                taken[n_taken++] = names[k];
        }
        if (!unread) /* the name is right, its place is not */
            sator_help_names(ctx, key, taken, n_taken);
    }
    return st;
}
