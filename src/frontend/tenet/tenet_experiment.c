/* Experiment files: which mapping, PE array and statement belong together. */
#include "frontend/frontend.h"
#include "frontend/tenet/tenet_lines.h"

#include <string.h>
#include <sys/stat.h>

/* How many folders above the experiment's own are searched. */
enum {
    MOST_PARENTS = 8
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
