/* The files of a run under MPI: every rank stores into DATABASE.rank0, .rank1 and so on, so that no
 * two processes write one file. They are joined into DATABASE and deleted when all ranks are done,
 * or, where the run was stopped, when the next one begins.
 */
#include "explore/query.h"
#include "explore/run.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *explore_rank_path(struct sator_arena *arena, const char *database, int rank)
{
    return sator_arena_printf(arena, "%s.rank%d", database, rank);
}

/* Whether "name" is "base", ".rank" and digits. */
static bool is_rank_file(const char *name, const char *base)
{
    static const char infix[] = ".rank";
    size_t length = strlen(base);

    if (strncmp(name, base, length) != 0 || strncmp(name + length, infix, sizeof infix - 1) != 0)
        return false;
    name += length + sizeof infix - 1;
    return *name != '\0' && name[strspn(name, "0123456789")] == '\0';
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int explore_rank_files(struct sator_arena *arena, const char *database, const char ***paths)
{
    const char *slash = strrchr(database, '/'), *base = slash == NULL ? database : slash + 1;
    int stem = (int)(base - database), n = 0;
    DIR *directory =
            opendir(slash == NULL ? "." : sator_arena_printf(arena, "%.*s", stem, database));
    const struct dirent *entry;

    *paths = NULL;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (is_rank_file(entry->d_name, base))
            SATOR_PUSH(arena, *paths, n,
                    sator_arena_printf(arena, "%.*s%s", stem, database, entry->d_name));
    }
    if (directory != NULL)
        closedir(directory);
    if (n > 0)
        qsort((void *)*paths, (size_t)n, sizeof **paths, compare_paths);
    return n;
}

/* Join one of them, and delete it; its lock is held meanwhile, so that no living rank loses what it
 * still writes. One whose rank died before it began has nothing. */
static enum sator_status join_file(
        struct sator_ctx *ctx, struct sator_store *output, const char *path)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_store *held = NULL;
    const char *digest = NULL;
    enum sator_status st;

    SATOR_TRY(sator_store_open(ctx, path, SATOR_STORE_WRITE, &held));
    SATOR_TRY(sator_store_get(ctx, held, arena, "input_sha256", &digest));
    if (digest != NULL)
        SATOR_TRY(explore_join(ctx, output, path));
    unlink(path);
done:
    sator_store_close(held);
    sator_arena_free(arena);
    return st;
}

enum sator_status explore_join_ranks(struct sator_ctx *ctx, const char *database)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_store *output = NULL;
    const char **paths;
    int n = explore_rank_files(arena, database, &paths);
    enum sator_status st = SATOR_OK;

    if (n > 0)
        SATOR_TRY(sator_store_open(ctx, database, SATOR_STORE_WRITE, &output));
    for (int i = 0; i < n; i++)
        SATOR_TRY(join_file(ctx, output, paths[i]));
done:
    sator_store_close(output);
    sator_arena_free(arena);
    return st;
}
