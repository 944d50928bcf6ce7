/* Opening a Timeloop file; names and keys as it has them. */
#include "frontend/timeloop/timeloop.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether a line begins with one of Timeloop's keys and then "mark", blanks between them aside. */
static bool has_key(const struct sator_source *source, char mark)
{
    static const char *const keys[] = {"problem", "architecture", "arch", "mapping"};

    for (const char *line = source->text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            size_t length = strlen(keys[i]);
            if (strncmp(line, keys[i], length) == 0 &&
                    line[length + strspn(line + length, " ")] == mark)
                return true;
        }
        if (*line == '\0')
            break;
    }
    return false;
}

/* The notation of libconfig, which old versions take as well. */
static bool is_libconfig(const struct sator_source *source)
{
    return has_key(source, '=');
}

bool sator_timeloop_is(const struct sator_source *source)
{
    return has_key(source, ':') || is_libconfig(source);
}

struct sator_yaml_node *timeloop_get(const struct sator_yaml_node *map, const char *key)
{
    for (int i = 0; map != NULL && map->kind == SATOR_YAML_MAP && i < map->n_pairs; i++) {
        const char *name = map->pairs[i].key->text;
        size_t at = 0;
        while (name[at] != '\0' && (name[at] == key[at] || (name[at] == '-' && key[at] == '_')))
            at++;
        if (name[at] == '\0' && key[at] == '\0')
            return map->pairs[i].value;
    }
    return NULL;
}

void timeloop_unused(struct timeloop *t, const char *key)
{
    if (!sator_lists(key, t->n_unused, t->unused))
        SATOR_PUSH(t->reader.scratch, t->unused, t->n_unused, key);
}

void timeloop_check(struct timeloop *t, const struct sator_yaml_node *map, const char *const *known,
        int n_known)
{
    for (int i = 0; map != NULL && map->kind == SATOR_YAML_MAP && i < map->n_pairs; i++) {
        char *key = sator_arena_strdup(t->reader.scratch, map->pairs[i].key->text);
        for (char *c = key; *c != '\0'; c++)
            *c = (char)(*c == '-' ? '_' : *c);
        if (!sator_lists(key, n_known, known))
            timeloop_unused(t, key);
    }
}

const char *timeloop_name(
        struct timeloop *t, const struct sator_yaml_node *node, int64_t *instances)
{
    const char *bracket = strchr(node->text, '['), *dots = strstr(node->text, "..");
    int64_t first, last;
    char *end;

    *instances = 1;
    for (const char *c = node->text; *c != '\0' && c != bracket; c++) {
        if (isalnum((unsigned char)*c) || *c == '_')
            continue;
        sator_error(t->reader.ctx, node->loc, "'%s': a name of letters, digits and '_' is expected",
                sator_yaml_clip(t->reader.scratch, node->text));
        return "unnamed";
    }
    if (bracket == NULL)
        return node->text;
    first = strtoll(bracket + 1, &end, 10);
    last = dots == NULL ? 0 : strtoll(dots + 2, NULL, 10);
    if (dots == NULL || end != dots || first < 0 || last < first || last > INT32_MAX)
        sator_error(t->reader.ctx, node->loc, "'%s': a range is NAME[0..15]",
                sator_yaml_clip(t->reader.scratch, node->text));
    else
        *instances = last - first + 1;
    return sator_arena_strndup(t->reader.scratch, node->text, (size_t)(bracket - node->text));
}

/* Templates are text to be expanded before it is YAML. */
static enum sator_status check_template(struct sator_ctx *ctx, const struct sator_source *source)
{
    static const char *const marks[] = {"{{", "{%"};

    for (int i = 0; i < 2; i++) {
        const char *at = strstr(source->text, marks[i]);
        if (at == NULL)
            continue;
        sator_error(ctx, (struct sator_loc){source, (size_t)(at - source->text), 2},
                "this is a Jinja template");
        sator_help(ctx, "Timeloop's front end expands it: parsed-processed-input.yaml is read");
        return SATOR_INPUT;
    }
    return SATOR_OK;
}

/* Read the file's text into "t", a tree in its scratch memory. */
static void open_tree(struct timeloop *t)
{
    struct sator_ctx *ctx = t->reader.ctx;

    if (is_libconfig(t->source))
        timeloop_parse_libconfig(t);
    else if (check_template(ctx, t->source) == SATOR_OK)
        sator_yaml_parse_foreign(ctx, t->reader.scratch, t->source, &t->root);
}

/* Say what of the file is not honoured, in one warning. */
static void warn_of_unused(struct timeloop *t)
{
    struct sator_text text = {0};

    for (int i = 0; i < t->n_unused; i++)
        sator_text_add(&text, "%s%s", i == 0 ? "" : ", ",
                sator_yaml_clip(t->reader.scratch, t->unused[i]));
    if (t->n_unused > 0)
        sator_warn(t->reader.ctx, (struct sator_loc){t->source, 0, 0},
                "of this Timeloop file these are not honoured: %s", text.data);
    if (t->has_constraints)
        sator_help(t->reader.ctx, "a search takes its constraints on loops: --constraint %s",
                t->source->path);
    sator_text_clear(&text);
}

enum sator_status sator_timeloop_read(struct sator_ctx *ctx, const struct sator_source *source,
        enum sator_document kind, struct sator_text *text)
{
    static const char *const names[] = {[SATOR_DOCUMENT_WORKLOAD] = "problem",
            [SATOR_DOCUMENT_ARCH] = "architecture",
            [SATOR_DOCUMENT_DATAFLOW] = "mapping"};
    struct timeloop t = {.source = source};
    struct sator_yaml_node *part;

    sator_yaml_reader_init(&t.reader, ctx, NULL);
    open_tree(&t);
    part = t.root == NULL ? NULL : timeloop_get(t.root, names[kind]);
    if (part == NULL && t.root != NULL && kind == SATOR_DOCUMENT_ARCH)
        part = timeloop_get(t.root, "arch");
    if (part == NULL && !sator_yaml_failed(&t.reader))
        sator_error(
                ctx, (struct sator_loc){source, 0, 0}, "this Timeloop file has no %s", names[kind]);
    if (part != NULL && kind == SATOR_DOCUMENT_ARCH)
        timeloop_write_arch(&t, text);
    else if (part != NULL && kind == SATOR_DOCUMENT_DATAFLOW)
        timeloop_write_mapping(&t, text);
    else if (part != NULL)
        timeloop_write_problem(&t, text);
    if (!sator_yaml_failed(&t.reader))
        warn_of_unused(&t);
    enum sator_status st = sator_yaml_reader_end(&t.reader);
    if (st == SATOR_OK)
        sator_arena_free(t.reader.arena);
    return st;
}

bool sator_timeloop_has(const struct sator_source *source, enum sator_document kind)
{
    const char mark = is_libconfig(source) ? '=' : ':';
    const char *const keys[] = {kind == SATOR_DOCUMENT_ARCH ? "architecture" : "problem",
            kind == SATOR_DOCUMENT_ARCH               ? "arch"
                    : kind == SATOR_DOCUMENT_DATAFLOW ? "mapping"
                                                      : "problem"};

    for (int i = kind == SATOR_DOCUMENT_DATAFLOW; i < 2; i++) {
        size_t length = strlen(keys[i]);
        for (const char *at = source->text; (at = strstr(at, keys[i])) != NULL; at += length) {
            const char *after = at + length + strspn(at + length, " ");
            bool is_empty = *after == ':' && strncmp(after, ": []", 4) == 0;
            if ((at == source->text || at[-1] == '\n') && *after == mark && !is_empty)
                return true;
        }
    }
    return false;
}

enum sator_status sator_timeloop_constraints(struct sator_ctx *ctx,
        const struct sator_source *source, struct sator_arena *arena, int *n_texts,
        const char *const **texts)
{
    struct timeloop t = {.source = source};

    *n_texts = 0;
    sator_yaml_reader_init(&t.reader, ctx, NULL);
    open_tree(&t);
    if (t.root != NULL && !sator_yaml_failed(&t.reader))
        timeloop_constraints(&t, arena, n_texts, texts);
    if (!sator_yaml_failed(&t.reader))
        warn_of_unused(&t);
    enum sator_status st = sator_yaml_reader_end(&t.reader);
    if (st == SATOR_OK)
        sator_arena_free(t.reader.arena);
    return st;
}
