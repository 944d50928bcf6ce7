/* C files: which nest is meant, and what all nests of a file are.
 *
 * Nests are numbered within their function. Without --nest the nest is the only one between the
 * pragmas, or the only one of the function where it has no pragmas; a function that is named may
 * also have several of which one is perfect. */
#include "frontend/frontend.h"

#include "base/text.h"
#include "frontend/c/c_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_LISTED = 12,
    EXCERPT = 60
};

struct input {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    const struct sator_input_options *options;
    struct c_file *file;
    struct c_nests nests;
};

static struct sator_loc whole(const struct input *in)
{
    return (struct sator_loc){in->source, 0, 0};
}

static struct c_reader new_reader(const struct input *in, const struct c_nest *nest)
{
    return (struct c_reader){.ctx = in->ctx,
            .arena = in->arena,
            .file = in->file,
            .nest = nest,
            .options = in->options};
}

static bool is_readable(const struct input *in, const struct c_nest *nest)
{
    struct c_reader reader = new_reader(in, nest);
    return c_read_nest(&reader, "") != NULL;
}

/* The iterators of a nest, "i, k, j". */
static char *iterators(const struct input *in, const struct c_nest *nest)
{
    struct c_reader reader = new_reader(in, nest);
    struct sator_text text = {NULL, 0, 0};
    char *joined;
    char *copy;

    c_read_loops(&reader);
    for (int i = 0; i < reader.n_loops; i++)
        sator_text_add(&text, "%s%s", i ? ", " : "", reader.names[i]);
    joined = sator_text_take(&text);
    copy = sator_arena_strdup(in->arena, joined);
    free(joined);
    return copy;
}

/* ---- choosing a nest ---- */

static int functions_with_nests(const struct input *in, const char **names)
{
    int n_names = 0;

    for (int i = 0; i < in->nests.n_nests; i++) {
        const char *name = in->nests.nests[i].function->name;
        if (n_names == 0 || strcmp(names[n_names - 1], name) != 0)
            names[n_names++] = name;
    }
    return n_names;
}

/* Help lines with the nests of a function. */
static void help_nests(const struct input *in, const char *function)
{
    int n_listed = 0;

    for (int i = 0; i < in->nests.n_nests; i++) {
        const struct c_nest *nest = &in->nests.nests[i];
        if (strcmp(nest->function->name, function) != 0)
            continue;
        if (n_listed++ == MOST_LISTED) {
            sator_help(in->ctx, "... `sator show %s` lists them all", in->source->path);
            return;
        }
        sator_help(in->ctx, "%s %d: line %d, loops %s: %s", sator_word(in->ctx, "nest"),
                nest->number, c_line(in->file, nest->statement->loc), iterators(in, nest),
                c_excerpt(in->arena, nest->statement->loc, EXCERPT));
    }
}

/* The function that the nest is in: the one named, the one with the pragmas, the only one with
 * nests, or the only one with readable nests. */
static enum sator_status choose_function(const struct input *in, const char **function)
{
    const char **names = SATOR_NEW_ARRAY(in->arena, const char *, in->nests.n_nests + 1);
    int n_names = functions_with_nests(in, names);
    const char *scop = NULL;
    const char *readable = NULL;
    int n_scops = 0;
    int n_readable = 0;

    for (int i = 0; i < in->nests.n_nests; i++) {
        const struct c_nest *nest = &in->nests.nests[i];
        const char *name = nest->function->name;
        if (nest->in_scop && (!scop || strcmp(scop, name) != 0)) {
            scop = name;
            n_scops++;
        }
        if ((!readable || strcmp(readable, name) != 0) && is_readable(in, nest)) {
            readable = name;
            n_readable++;
        }
    }
    *function = n_scops == 1 ? scop : n_names == 1 ? names[0] : n_readable == 1 ? readable : NULL;
    if (*function && n_scops <= 1)
        return SATOR_OK;
    sator_error(in->ctx, whole(in), "%s hold loop nests",
            n_scops > 1 ? "several functions with #pragma scop" : "several functions");
    for (int i = 0; i < n_names && i < MOST_LISTED; i++)
        sator_help(in->ctx, "%s %s", sator_word(in->ctx, "function"), names[i]);
    return SATOR_INPUT;
}

static enum sator_status find_function(const struct input *in, const char *function)
{
    const char **names = SATOR_NEW_ARRAY(in->arena, const char *, in->file->n_functions + 1);

    for (int i = 0; i < in->file->n_functions; i++) {
        names[i] = in->file->functions[i]->name;
        if (strcmp(names[i], function) == 0)
            return SATOR_OK;
    }
    sator_error(in->ctx, whole(in), "there is no function '%s' in this file", function);
    sator_help_names(in->ctx, function, names, in->file->n_functions);
    return SATOR_INPUT;
}

static const struct c_nest *nest_by_number(const struct input *in, const char *function, int number)
{
    int last = 0;

    for (int i = 0; i < in->nests.n_nests; i++) {
        const struct c_nest *nest = &in->nests.nests[i];
        if (strcmp(nest->function->name, function) != 0)
            continue;
        if (nest->number == number)
            return nest;
        last = nest->number;
    }
    sator_error(in->ctx, whole(in), "there is no nest %d in function '%s', which has %d", number,
            function, last);
    help_nests(in, function);
    return NULL;
}

/* Without a number: the only nest, or with "named" the first perfect one that can be read. */
static const struct c_nest *only_nest(const struct input *in, const char *function, bool named)
{
    const struct c_nest *only = NULL;
    const struct c_nest *perfect = NULL;
    bool has_scop = false;
    int n_nests = 0;

    for (int i = 0; i < in->nests.n_nests; i++)
        has_scop = has_scop ||
                (in->nests.nests[i].in_scop &&
                        strcmp(in->nests.nests[i].function->name, function) == 0);
    for (int i = 0; i < in->nests.n_nests; i++) {
        const struct c_nest *nest = &in->nests.nests[i];
        if (strcmp(nest->function->name, function) != 0 || (has_scop && !nest->in_scop))
            continue;
        n_nests++;
        only = nest;
        if (!perfect && nest->is_perfect && is_readable(in, nest))
            perfect = nest;
    }
    if (n_nests == 1)
        return only;
    if (n_nests > 1 && named && perfect) {
        sator_warn(in->ctx, perfect->statement->loc,
                "function '%s' has %d nests; this is the first perfect one, %s reads another",
                function, n_nests, sator_word(in->ctx, "nest"));
        return perfect;
    }
    if (n_nests == 0) {
        sator_error(in->ctx, whole(in), "function '%s' has no statement inside loops", function);
        return NULL;
    }
    sator_error(in->ctx, only->loops[0]->loc,
            "function '%s' has %d statements in loops: choose one", function, n_nests);
    help_nests(in, function);
    return NULL;
}

static const struct c_nest *choose_nest(const struct input *in)
{
    const char *function = in->options ? in->options->function : NULL;
    bool named = function != NULL;

    if (named && find_function(in, function) != SATOR_OK)
        return NULL;
    if (in->nests.n_nests == 0) {
        sator_error(in->ctx, whole(in), "there is no loop nest in this file");
        sator_help(in->ctx,
                "a workload is a statement in for loops, for example: for (int i = 0; "
                "i < 8; i++) Y[i] += A[i] * B[i];");
        return NULL;
    }
    if (!named && choose_function(in, &function) != SATOR_OK)
        return NULL;
    if (in->options && in->options->nest > 0)
        return nest_by_number(in, function, in->options->nest);
    return only_nest(in, function, named);
}

/* ---- settings ---- */

/* --set sizes.NAME=VALUE for a C file: NAME is an integer of it. */
static enum sator_status check_sets(const struct input *in)
{
    enum sator_status st = SATOR_OK;
    int n_sets = in->options ? in->options->n_sets : 0;
    const char **names = SATOR_NEW_ARRAY(in->arena, const char *, in->file->n_symbols + 1);
    int n_names = 0;

    for (int i = 0; i < in->file->n_symbols; i++)
        if (in->file->symbols[i]->is_integer)
            names[n_names++] = in->file->symbols[i]->name;
    for (int i = 0; i < n_sets; i++) {
        const char *set = in->options->sets[i];
        const char *value = strchr(set, '=');
        char *end = NULL;
        char *name;

        if (strncmp(set, "sizes.", 6) != 0 || !value)
            continue;
        struct sator_loc place = {
                sator_source_from_field(in->ctx, "sets", set), 6, (size_t)(value - set) - 6};
        name = sator_arena_strndup(in->arena, set + 6, place.length);
        if (!sator_lists(name, n_names, names)) {
            st = sator_error(in->ctx, place, "the file has no integer '%s'", name);
            sator_help_names(in->ctx, name, names, n_names);
        } else if (strtoll(value + 1, &end, 10) == 0 || *end != '\0') {
            place.offset = (size_t)(value + 1 - set);
            place.length = strlen(value + 1);
            st = sator_error(in->ctx, place, "a size must be an integer other than 0");
        }
    }
    return st;
}

/* A macro that two -D define would have the value of the last one. */
static enum sator_status check_defines(const struct input *in)
{
    enum sator_status st = SATOR_OK;

    for (int i = 0; in->options && i < in->options->n_defines; i++) {
        const char *define = in->options->defines[i];
        size_t length = strcspn(define, "=");
        for (int k = 0; k < i; k++) {
            const char *other = in->options->defines[k];
            struct sator_loc place = {
                    sator_source_from_field(in->ctx, "defines", define), 0, length};
            if (strcspn(other, "=") == length && strncmp(other, define, length) == 0)
                st = sator_error(
                        in->ctx, place, "the macro '%.*s' is defined twice", (int)length, define);
        }
    }
    return st;
}

/* ---- public ---- */

static enum sator_status open_input(struct input *in)
{
    if (check_defines(in) != SATOR_OK)
        return SATOR_INPUT;
    enum sator_status st = c_parse(in->ctx, in->arena, in->source, in->options, &in->file);

    if (st != SATOR_OK)
        return st;
    st = c_find_nests(in->ctx, in->arena, in->file, &in->nests);
    return check_sets(in) == SATOR_OK ? st : SATOR_INPUT;
}

/* The layer's name: the function, or the file where that is main. */
static const char *layer_name(const struct input *in, const struct c_nest *nest)
{
    const char *slash = strrchr(in->source->path, '/');
    const char *file = slash ? slash + 1 : in->source->path;
    const char *dot = strrchr(file, '.');

    if (strcmp(nest->function->name, "main") != 0)
        return nest->function->name;
    return sator_arena_strndup(
            in->arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

enum sator_status sator_c_network(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_input_options *options, struct sator_network **network)
{
    struct sator_arena *arena = sator_arena_new();
    struct input in = {.ctx = ctx, .arena = arena, .source = source, .options = options};
    enum sator_status st = open_input(&in);
    const struct c_nest *nest = st == SATOR_OK ? choose_nest(&in) : NULL;
    const struct sator_workload *layer = NULL;

    if (nest) {
        struct c_reader reader = new_reader(&in, nest);
        layer = c_read_nest(&reader, layer_name(&in, nest));
        for (int i = 0; i < reader.n_faults; i++) {
            sator_error(ctx, reader.faults[i].loc, "%s", reader.faults[i].message);
            if (reader.faults[i].help)
                sator_help(ctx, "%s", reader.faults[i].help);
        }
    }
    if (!layer) {
        sator_arena_free(arena);
        return SATOR_INPUT;
    }
    *network = SATOR_NEW(arena, struct sator_network);
    **network = (struct sator_network){.arena = arena,
            .name = layer->name,
            .n_layers = 1,
            .layers = layer,
            .loc = nest->loops[0]->loc};
    return SATOR_OK;
}

static void list_nest(const struct input *in, const struct c_nest *nest, struct sator_text *text)
{
    struct c_reader reader = new_reader(in, nest);
    const struct sator_workload *layer = c_read_nest(&reader, "");

    sator_text_add(text, "  nest %d, line %d%s: %s\n", nest->number,
            c_line(in->file, nest->statement->loc), nest->in_scop ? ", in the scop" : "",
            c_excerpt(in->arena, nest->statement->loc, EXCERPT));
    if (!layer) {
        const struct c_fault *fault = &reader.faults[0];
        sator_text_add(text, "    not readable: line %d: %s\n", c_line(in->file, fault->loc),
                fault->message);
        return;
    }
    sator_text_add(text, "    ");
    sator_relation_write(text, layer->domain);
    sator_text_add(text, "\n");
    for (int i = 0; i < layer->n_accesses; i++) {
        sator_text_add(
                text, "    %s ", layer->accesses[i].role == SATOR_READ ? "reads " : "writes");
        sator_relation_write(text, layer->accesses[i].relation);
        sator_text_add(text, ", %d bits\n", layer->accesses[i].word_bits);
    }
}

enum sator_status sator_c_list(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_input_options *options, struct sator_text *text)
{
    struct sator_arena *arena = sator_arena_new();
    struct input in = {.ctx = ctx, .arena = arena, .source = source, .options = options};
    enum sator_status st = open_input(&in);
    const struct c_function *function = NULL;

    if (st == SATOR_OK && options && options->function)
        st = find_function(&in, options->function);
    if (st == SATOR_OK && options && options->function && options->nest > 0 &&
            nest_by_number(&in, options->function, options->nest) == NULL)
        st = SATOR_INPUT;
    for (int i = 0; st == SATOR_OK && i < in.nests.n_nests; i++) {
        const struct c_nest *nest = &in.nests.nests[i];
        if (options &&
                ((options->function && strcmp(options->function, nest->function->name) != 0) ||
                        (options->nest > 0 && options->nest != nest->number)))
            continue;
        if (nest->function != function)
            sator_text_add(text, "%sfunction %s, line %d\n", function ? "\n" : "",
                    nest->function->name, c_line(in.file, nest->function->loc));
        function = nest->function;
        list_nest(&in, nest, text);
    }
    if (st == SATOR_OK && !function)
        sator_text_add(text, "%s\n",
                options && options->nest > 0 ? "no such nest" : "no statement inside loops");
    sator_arena_free(arena);
    return st;
}
