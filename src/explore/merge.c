/* Joining databases of one exploration: shards, ranks, copies. The output is the union; in which
 * order the inputs come does not matter. */
#include "explore/query.h"

#include "base/arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const copied_keys[] = {"program", "network", "input", "input_sha256",
        "objective", "points", "batches", "tensors", "figures"};
enum {
    N_COPIED = sizeof copied_keys / sizeof *copied_keys
};

/* A new output takes its description from the first input. */
static enum sator_status copy_description(
        struct sator_ctx *ctx, struct sator_store *output, struct query_source *first)
{
    char shards[16];
    enum sator_status st;

    SATOR_TRY(sator_store_begin(ctx, output));
    for (int i = 0; i < N_COPIED; i++) {
        const char *value;
        SATOR_TRY(sator_store_get(ctx, first->store, first->arena, copied_keys[i], &value));
        if (value != NULL)
            SATOR_TRY(sator_store_put(ctx, output, copied_keys[i], value));
    }
    for (int i = 0; i < first->n_tensors * EXPLORE_N_TENSOR_FIELDS; i++) {
        const struct query_tensor *tensor = &first->tensors[i / EXPLORE_N_TENSOR_FIELDS];
        SATOR_TRY(sator_store_add_column(ctx, output,
                explore_tensor_column(
                        first->arena, tensor->name, tensor->role, i % EXPLORE_N_TENSOR_FIELDS)));
    }
    for (int i = 0; i < first->names.n_figures; i++)
        SATOR_TRY(sator_store_add_column(ctx, output, first->names.figures[i]));
    SATOR_TRY(explore_origin_write(ctx, output, &first->origin));
    snprintf(shards, sizeof shards, "%d", first->n_shards);
    SATOR_TRY(sator_store_put(ctx, output, "shard", "1"));
    SATOR_TRY(sator_store_put(ctx, output, "shards", "1"));
    SATOR_TRY(sator_store_put(ctx, output, "merged_shards", shards));
    SATOR_TRY(sator_store_commit(ctx, output));
done:
    return st;
}

static enum sator_status refuse(
        struct sator_ctx *ctx, struct sator_store *input, const char *output)
{
    sator_store_error(ctx, input, "this database belongs to another exploration than '%s'", output);
    sator_help(ctx, "%s says what a database is", sator_word(ctx, "summary"));
    return SATOR_INPUT;
}

enum sator_status explore_join(struct sator_ctx *ctx, struct sator_store *output, const char *path)
{
    struct sator_arena *arena = sator_arena_new();
    struct query_source input;
    struct explore_origin origin;
    const char *digest;
    enum sator_status st;

    SATOR_TRY(query_open(ctx, path, &input));
    SATOR_TRY(sator_store_check(ctx, input.store));
    SATOR_TRY(sator_store_get(ctx, output, arena, "input_sha256", &digest));
    if (digest == NULL) {
        SATOR_TRY(copy_description(ctx, output, &input));
    } else {
        SATOR_TRY(explore_origin_read(ctx, output, arena, &origin));
        SATOR_TRY(explore_origin_check(ctx, input.store, &origin,
                sator_arena_printf(arena, "those of '%s'", sator_store_path(output))));
        if (strcmp(digest, input.digest) != 0)
            SATOR_TRY(refuse(ctx, input.store, sator_store_path(output)));
    }
    st = sator_store_import(ctx, output, path);
done:
    query_close(&input);
    sator_arena_free(arena);
    return st;
}

static bool same_file(const char *a, const char *b)
{
    char *x = realpath(a, NULL), *y = realpath(b, NULL);
    bool same = x != NULL && y != NULL && strcmp(x, y) == 0;

    free(x);
    free(y);
    return same;
}

/* A pattern of the shell such as all.db.rank* takes in what SQLite keeps beside a database whose
 * writer was killed: that is read with the database itself. */
static bool is_journal(const char *path)
{
    static const char suffix[] = "-journal";
    size_t length = strlen(path), tail = sizeof suffix - 1;

    if (length <= tail || strcmp(path + length - tail, suffix) != 0)
        return false;
    char *database = sator_alloc(length + 1);
    memcpy(database, path, length + 1);
    database[length - tail] = '\0';
    bool exists = access(database, F_OK) == 0;
    free(database);
    return exists;
}

/* What the output holds now. */
static enum sator_status describe(
        struct sator_ctx *ctx, const char *output, int n_inputs, char **result)
{
    struct query_source source;
    struct sator_text text = {0};
    enum sator_status st;

    sator_text_add(
            &text, "joined %d database%s into %s\n", n_inputs, n_inputs == 1 ? "" : "s", output);
    SATOR_TRY(query_open(ctx, output, &source));
    SATOR_TRY(query_write_summary(&source, &text));
    *result = sator_text_take(&text);
done:
    query_close(&source);
    sator_text_clear(&text);
    return st;
}

enum sator_status sator_explore_merge(struct sator_ctx *ctx, const char *output, int n_inputs,
        const char *const *inputs, char **text)
{
    SATOR_NEEDS(ctx, output != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_TEXTS(ctx, inputs, n_inputs);
    SATOR_NUMBER(ctx, n_inputs, 1, INT_MAX);
    struct sator_store *store = NULL;
    enum sator_status st = SATOR_OK;
    int n_joined = 0;

    for (int i = 0; i < n_inputs; i++) {
        if (same_file(output, inputs[i]))
            return sator_error(
                    ctx, (struct sator_loc){0}, "'%s' is both an input and the output", inputs[i]);
    }
    bool is_new = access(output, F_OK) != 0;
    SATOR_TRY(sator_store_open(ctx, output, SATOR_STORE_WRITE, &store));
    for (int i = 0; i < n_inputs && st == SATOR_OK; i++) {
        if (is_journal(inputs[i]))
            continue;
        st = explore_join(ctx, store, inputs[i]);
        n_joined++;
    }
    sator_store_close(store);
    store = NULL;
    if (st != SATOR_OK && is_new)
        unlink(output); /* half a union looks like a whole one */
    SATOR_TRY(st);
    st = describe(ctx, output, n_joined, text);
done:
    sator_store_close(store);
    return st;
}
