/* Experiment files: which mapping, PE array and statement belong together.
 *
 * A sweep is a file of another form, "STATEMENT GROUPS", then for each group a line with the number
 * of its mappings and a line "ARRAYS MAPPING..."; ARRAYS is a file of a number and as many names of
 * PE arrays. Each mapping goes with each array of its group. */
#include "frontend/frontend.h"
#include "frontend/tenet/tenet_lines.h"

#include <string.h>
#include <sys/stat.h>

/* How many folders above the experiment's own are searched. */
enum {
    MOST_PARENTS = 8,
    MOST_CASES = 10000 /* of a sweep: so that a small file asks for little */
};

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The folder that "path" (a file or a folder) lies in, for a path without a last component ".." ;
 * "" is the current one. */
static char *parent(struct sator_arena *arena, const char *path)
{
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (length == 0)
        return sator_arena_strdup(arena, "..");
    if (strcmp(name, "..") == 0)
        return sator_arena_printf(arena, "%s/..", path);
    if (strcmp(name, ".") == 0)
        return sator_arena_printf(arena, "%s.", path);
    if (slash == path)
        return sator_arena_strdup(arena, "/");
    return sator_arena_strndup(arena, path, slash ? (size_t)(slash - path) : 0);
}

static char *joined(struct sator_arena *arena, const char *folder, const char *name)
{
    if (folder[0] == '\0')
        return sator_arena_strdup(arena, name);
    if (strcmp(folder, "/") == 0)
        return sator_arena_printf(arena, "/%s", name);
    return sator_arena_printf(arena, "%s/%s", folder, name);
}

/* The first of FOLDER/name and FOLDER/data/name that is a file, from the experiment's folder
 * upwards, or NULL. */
static char *find(struct sator_arena *arena, const char *experiment, const char *name)
{
    char *folder = parent(arena, experiment);

    if (name[0] == '/')
        return is_file(name) ? sator_arena_strdup(arena, name) : NULL;
    for (int i = 0; i <= MOST_PARENTS; i++) {
        char *path = joined(arena, folder, name);
        if (is_file(path))
            return path;
        path = joined(arena, joined(arena, folder, "data"), name);
        if (is_file(path))
            return path;
        if (strcmp(folder, "/") == 0)
            break;
        folder = parent(arena, folder);
    }
    return NULL;
}

/* The same for a bare name: as it is, or in the folder that holds files of its kind. */
static char *find_in(
        struct sator_arena *arena, const char *experiment, const char *kind, const char *name)
{
    char *path = find(arena, experiment, name);

    return path ? path : find(arena, experiment, joined(arena, kind, name));
}

enum sator_status sator_tenet_experiment(struct sator_ctx *ctx, const struct sator_source *source,
        struct sator_arena *arena, const char **mapping, const char **pe_array,
        const char **statement)
{
    static const char *const what[] = {"mapping", "PE array", "statement"};
    struct sator_tenet_lines lines = sator_tenet_split(arena, source);
    struct sator_loc places[3];
    char *paths[3];
    enum sator_status st = SATOR_OK;

    if (lines.n_lines == 3) {
        memcpy(places, lines.lines, sizeof places);
    } else if (lines.n_lines != 1 || sator_tenet_words(lines.lines[0], 3, places) != 3) {
        sator_error(ctx, lines.n_lines > 3 ? lines.lines[3] : sator_tenet_end(&lines),
                "an experiment names three files; found %d lines", lines.n_lines);
        sator_help(ctx, "a mapping (.m), a PE array (.p) and a statement (.s), a line each");
        return SATOR_INPUT;
    }
    for (int i = 0; i < 3; i++) {
        char *name = sator_tenet_string(arena, places[i]);

        paths[i] = find(arena, source->path, name);
        if (paths[i])
            continue;
        st = sator_error(ctx, places[i], "the %s '%s' cannot be found", what[i], name);
        sator_help(ctx,
                "looked in the experiment's folder, the folders above it, and the folder "
                "'data' of each");
    }
    if (st != SATOR_OK)
        return st;
    *mapping = paths[0];
    *pe_array = paths[1];
    *statement = paths[2];
    return SATOR_OK;
}

/* ---- sweeps ---- */

struct sweep {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    int n_words; /* of the file, whatever its lines */
    struct sator_loc *words;
    int at;
    const char *statement;
    int n_cases;
    struct sator_experiment *cases;
};

static struct sator_loc *all_words(
        struct sator_arena *arena, const struct sator_tenet_lines *lines, int *n_words)
{
    struct sator_loc *words = NULL;

    *n_words = 0;
    for (int i = 0; i < lines->n_lines; i++)
        *n_words += sator_tenet_words(lines->lines[i], 0, NULL);
    words = SATOR_NEW_ARRAY(arena, struct sator_loc, *n_words + 1);
    for (int i = 0, at = 0; i < lines->n_lines; i++)
        at += sator_tenet_words(lines->lines[i], *n_words - at, words + at);
    return words;
}

/* The next word, or an error behind the last one. */
static enum sator_status next_word(struct sweep *s, const char *what, struct sator_loc *word)
{
    if (s->at < s->n_words) {
        *word = s->words[s->at++];
        return SATOR_OK;
    }
    *word = (struct sator_loc){s->source, 0, 1};
    if (s->n_words > 0)
        word->offset = s->words[s->n_words - 1].offset + s->words[s->n_words - 1].length;
    return sator_error(s->ctx, *word, "the file ends where %s should follow", what);
}

/* The next word as a count of what the file still holds. */
static enum sator_status next_count(struct sweep *s, const char *what, int *count)
{
    struct sator_loc word;
    int64_t number = 0;
    enum sator_status st = next_word(s, what, &word);

    if (st != SATOR_OK)
        return st;
    if (!sator_tenet_number(word, &number) || number < 1 || number > s->n_words)
        return sator_error(s->ctx, word, "expected %s", what);
    *count = (int)number;
    return SATOR_OK;
}

/* The next word as the path of a file of a kind. */
static enum sator_status next_file(
        struct sweep *s, const char *kind, const char *what, const char **path)
{
    struct sator_loc word;
    enum sator_status st = next_word(s, what, &word);

    if (st != SATOR_OK)
        return st;
    *path = find_in(s->arena, s->source->path, kind, sator_tenet_string(s->arena, word));
    if (*path)
        return SATOR_OK;
    return sator_error(s->ctx, word, "%s cannot be found", what);
}

/* The names in a file of PE arrays. */
static enum sator_status read_arrays(
        struct sweep *s, const char *path, int *n_arrays, const char ***arrays)
{
    const struct sator_source *source = NULL;
    enum sator_status st = sator_source_read(s->ctx, path, &source);
    struct sweep list = {.ctx = s->ctx, .arena = s->arena, .source = source};
    struct sator_tenet_lines lines;

    if (st != SATOR_OK)
        return st;
    lines = sator_tenet_split(s->arena, source);
    list.words = all_words(s->arena, &lines, &list.n_words);
    st = next_count(&list, "the number of PE arrays", n_arrays);
    if (st != SATOR_OK)
        return st;
    *arrays = SATOR_NEW_ARRAY(s->arena, const char *, *n_arrays);
    for (int i = 0; i < *n_arrays; i++)
        if (next_file(&list, "pe_array", "this PE array", &(*arrays)[i]) != SATOR_OK)
            st = SATOR_INPUT;
    return st;
}

/* Whether the sweep has an experiment of this mapping on this PE array. */
static bool is_case(const struct sweep *s, const char *mapping, const char *pe_array)
{
    for (int i = 0; i < s->n_cases; i++) {
        if (strcmp(s->cases[i].mapping, mapping) == 0 &&
                strcmp(s->cases[i].pe_array, pe_array) == 0)
            return true;
    }
    return false;
}

static enum sator_status read_group(struct sweep *s)
{
    enum sator_status st;
    const char *list = NULL;
    const char **arrays = NULL;
    int n_mappings = 0;
    int n_arrays = 0;

    SATOR_TRY(next_count(s, "the number of mappings", &n_mappings));
    SATOR_TRY(next_file(s, "interconnect_experiment", "the list of PE arrays", &list));
    SATOR_TRY(read_arrays(s, list, &n_arrays, &arrays));
    for (int m = 0; m < n_mappings; m++) {
        struct sator_experiment one = {.statement = s->statement};
        SATOR_TRY(next_file(s, "mapping", "this mapping", &one.mapping));
        if (n_arrays > MOST_CASES - s->n_cases)
            return sator_error(
                    s->ctx, s->words[s->at - 1], "a sweep may hold %d experiments", MOST_CASES);
        if (n_arrays > 0 && is_case(s, one.mapping, arrays[0]))
            sator_warn(s->ctx, s->words[s->at - 1],
                    "this mapping is given twice: its experiments are the same again");
        for (int a = 0; a < n_arrays; a++) {
            one.pe_array = arrays[a];
            SATOR_PUSH(s->arena, s->cases, s->n_cases, one);
        }
    }
done:
    return st;
}

bool sator_tenet_is_sweep(const struct sator_source *source)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_tenet_lines lines = sator_tenet_split(arena, source);
    struct sator_loc words[2];
    int64_t number = 0;
    bool is_sweep = lines.n_lines > 0 && sator_tenet_words(lines.lines[0], 2, words) == 2 &&
            sator_tenet_number(words[1], &number);

    sator_arena_free(arena);
    return is_sweep;
}

enum sator_status sator_tenet_sweep(struct sator_ctx *ctx, const struct sator_source *source,
        struct sator_arena *arena, int *n_cases, const struct sator_experiment **cases)
{
    enum sator_status st;
    struct sator_tenet_lines lines = sator_tenet_split(arena, source);
    struct sweep s = {.ctx = ctx, .arena = arena, .source = source};
    int n_groups = 0;

    s.words = all_words(arena, &lines, &s.n_words);
    SATOR_TRY(next_file(&s, "statement", "this statement", &s.statement));
    SATOR_TRY(next_count(&s, "the number of groups", &n_groups));
    for (int i = 0; i < n_groups; i++)
        SATOR_TRY(read_group(&s));
    if (s.at < s.n_words)
        return sator_error(ctx, s.words[s.at], "nothing should follow the last group");
    *n_cases = s.n_cases;
    *cases = s.cases;
done:
    return st;
}
