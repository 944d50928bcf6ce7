/* A run from opening its database to its summary, alone or as one of several ranks that join their
 * databases in the end. */
#include "explore/run.h"

#include "base/arguments.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many points this shard has, and had before this run. */
static void count_points(struct keeper *keeper)
{
    const struct runner *runner = keeper->runner;
    const struct sator_exploration *exploration = runner->exploration;
    const struct sator_explore_options *options = &exploration->options;

    for (uint64_t number = 0; number < exploration->n_batches; number++) {
        uint64_t first, points;
        if (options->n_shards > 1 &&
                explore_shard_of(number, options->n_shards) != options->shard - 1)
            continue;
        batch_part(exploration, number, &first, &points);
        keeper->points_total += (double)points;
        keeper->points_before += (double)runner->done[number];
    }
}

/* A worker's messages are its own: let the point say again, to the caller, why the model refuses
 * it. */
static enum sator_status explain(struct keeper *keeper)
{
    const struct sator_exploration *exploration = keeper->runner->exploration;
    const struct explore_family *family = &exploration->families[keeper->failed_part->family];
    struct sator_ctx *ctx = keeper->runner->ctx;

    for (int i = 0; i < family->n_layers && keeper->failed_part->space != NULL; i++) {
        struct sator_result *result = NULL;
        const char *rule;
        enum sator_status st = explore_evaluate(
                ctx, exploration, keeper->failed_part, keeper->failed_point, i, &rule, &result);
        sator_result_free(result);
        if (st != SATOR_OK)
            return st;
    }
    return sator_error(ctx, (struct sator_loc){0}, "point %llu could not be evaluated",
            (unsigned long long)keeper->failed_point);
}

/* Where no layer can be mapped onto any machine, let the first one say why. */
static enum sator_status explain_nothing(struct keeper *keeper)
{
    const struct sator_exploration *exploration = keeper->runner->exploration;
    const struct explore_part *part = &exploration->parts[0];
    struct sator_ctx *ctx = keeper->runner->ctx;
    struct sator_map_result *mapping = NULL;
    struct sator_result *result = NULL;
    const char *rule = NULL;

    if (part->space != NULL || part->points == 0 || keeper->results > 0)
        return SATOR_OK;
    enum sator_status st =
            explore_map(ctx, exploration, part, part->first, &rule, &mapping, &result);
    sator_map_result_free(mapping);
    sator_result_free(result);
    if (st != SATOR_OK || rule == NULL)
        return st;
    if (sator_ctx_error_count(ctx) > 0)
        sator_help(ctx, "this is about point %llu; no point has a mapping",
                (unsigned long long)part->first);
    return SATOR_INFEASIBLE;
}

static int compare_rules(const void *a, const void *b)
{
    const struct sator_explore_rule *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void summarize(
        struct keeper *keeper, const char *database, struct sator_explore_summary *summary)
{
    struct sator_exploration *exploration = keeper->runner->exploration;
    struct sator_explore_rule *rules =
            SATOR_NEW_ARRAY(exploration->arena, struct sator_explore_rule, keeper->n_rules + 1);

    for (int i = 0; i < keeper->n_rules; i++)
        rules[i] = (struct sator_explore_rule){
                sator_arena_strdup(exploration->arena, keeper->rules[i].name),
                keeper->rules[i].points};
    qsort(rules, (size_t)keeper->n_rules, sizeof *rules, compare_rules);
    *summary = (struct sator_explore_summary){
            .points = (uint64_t)keeper->points_before + keeper->new_points,
            .results = keeper->results,
            .n_rules = keeper->n_rules,
            .rules = rules,
            .note = exploration->prune_note,
            .complete = keeper->status == SATOR_OK,
            .database = sator_arena_strdup(exploration->arena, database),
            .seconds = explore_now() - keeper->started};
}

/* The run with its database open. */
static enum sator_status run_stored(struct keeper *keeper, uint64_t *done)
{
    struct runner *runner = keeper->runner;
    enum sator_status st;

    runner->done = done;
    SATOR_TRY(batch_read_done(runner->ctx, runner->exploration, runner->store, done,
            &keeper->results, keeper->arena, &keeper->n_rules, &keeper->rules));
    count_points(keeper);
    explore_run_threads(keeper);
    st = keeper->status;
    if (keeper->failed_part != NULL && st == SATOR_OK)
        st = keeper->status = explain(keeper);
    if (st == SATOR_OK && runner->ranks == NULL)
        st = explain_nothing(keeper);
done:
    return st;
}

/* What the joined database has: ranks number their batches together, so each does whole ones, and
 * does one again that a run before was stopped in. */
static enum sator_status read_joined(struct runner *runner, const char *database, uint64_t *done)
{
    struct sator_store *joined = NULL;
    enum sator_status st;

    if (access(database, F_OK) != 0)
        return SATOR_OK;
    SATOR_TRY(batch_open_other(runner->ctx, runner->exploration, database, &joined));
    SATOR_TRY(batch_read_done(
            runner->ctx, runner->exploration, joined, done, NULL, NULL, NULL, NULL));
    for (uint64_t number = 0; number < runner->exploration->n_batches; number++) {
        uint64_t first, points;
        batch_part(runner->exploration, number, &first, &points);
        done[number] = done[number] < points ? 0 : points;
    }
done:
    sator_store_close(joined);
    return st;
}

/* "st", or an error where it is fine and another rank's is not. */
static enum sator_status all_start(struct runner *runner, enum sator_status st)
{
    if (!runner->ranks->meet(runner->ranks, st == SATOR_OK) && st == SATOR_OK)
        return sator_error(runner->ctx, (struct sator_loc){0}, "another rank could not start");
    return st;
}

/* The run of this process into "path", a rank's own file or the database itself. */
static enum sator_status run_into(struct keeper *keeper, const char *path, const char *database,
        bool resume, struct sator_explore_summary *summary)
{
    struct runner *runner = keeper->runner;
    struct sator_exploration *exploration = runner->exploration;
    uint64_t *done = sator_calloc(exploration->n_batches + 1, sizeof *done);
    enum sator_status st = batch_open_store(runner->ctx, exploration, path, resume, &runner->store);
    if (runner->ranks != NULL) {
        if (st == SATOR_OK)
            st = read_joined(runner, database, done);
        st = all_start(runner, st);
    }
    if (st == SATOR_OK) {
        st = run_stored(keeper, done);
        summarize(keeper, database, summary);
    }
    sator_store_close(runner->store);
    runner->store = NULL;
    free(done);
    return st;
}

/* Rank 0 joins the ranks' files once all are complete. */
static enum sator_status join_ranks(struct keeper *keeper, const char *database, bool fine)
{
    struct explore_ranks *ranks = keeper->runner->ranks;
    enum sator_status st = SATOR_OK;

    fine = ranks->meet(ranks, fine);
    if (fine && ranks->rank == 0)
        st = explore_join_ranks(keeper->runner->ctx, database);
    ranks->meet(ranks, st == SATOR_OK);
    return st;
}

/* The summary of the joined database. */
static enum sator_status count_all(
        struct keeper *keeper, const char *database, struct sator_explore_summary *summary)
{
    struct runner *runner = keeper->runner;
    uint64_t *done = sator_calloc(runner->exploration->n_batches + 1, sizeof *done);
    enum sator_status st;

    keeper->n_rules = 0;
    keeper->rules = NULL;
    keeper->results = 0;
    keeper->new_points = 0;
    keeper->points_before = 0;
    SATOR_TRY(batch_open_other(runner->ctx, runner->exploration, database, &runner->store));
    st = batch_read_done(runner->ctx, runner->exploration, runner->store, done, &keeper->results,
            keeper->arena, &keeper->n_rules, &keeper->rules);
    sator_store_close(runner->store);
    SATOR_TRY(st);
    for (uint64_t b = 0; b < runner->exploration->n_batches; b++)
        keeper->new_points += done[b];
    summarize(keeper, database, summary);
done:
    free(done);
    return st;
}

/* What earlier runs under MPI left behind is joined where this one goes on with it, and is in the
 * way where it does not. */
static enum sator_status make_way(struct runner *runner, const char *database)
{
    const struct sator_explore_options *options = &runner->exploration->options;
    struct sator_arena *arena;
    const char **paths;

    if (options->resume)
        return explore_join_ranks(runner->ctx, database);
    arena = sator_arena_new();
    bool taken = (runner->ranks != NULL && access(database, F_OK) == 0) ||
            explore_rank_files(arena, database, &paths) > 0;
    sator_arena_free(arena);
    if (!taken)
        return SATOR_OK;
    sator_error(
            runner->ctx, (struct sator_loc){0}, "'%s' or its ranks' files exist already", database);
    sator_help(runner->ctx, "%s goes on with them; or name another file",
            sator_word(runner->ctx, "resume"));
    return SATOR_INPUT;
}

static enum sator_status run_in_ranks(
        struct keeper *keeper, const char *database, struct sator_explore_summary *summary)
{
    struct runner *runner = keeper->runner;
    struct sator_arena *arena = sator_arena_new();
    const char *path = explore_rank_path(arena, database, runner->ranks->rank);
    enum sator_status st = SATOR_OK;

    if (runner->ranks->rank > 0)
        keeper->progress = NULL; /* one of them speaks for all */
    else
        st = make_way(runner, database);
    st = all_start(runner, st);
    if (st == SATOR_OK)
        st = run_into(keeper, path, database, true, summary);
    enum sator_status joined = join_ranks(keeper, database, st == SATOR_OK);
    st = st == SATOR_OK ? joined : st;
    if (st == SATOR_OK && runner->ranks->rank == 0)
        st = count_all(keeper, database, summary);
    if (runner->ranks->rank > 0 || st != SATOR_OK)
        summary->database = NULL; /* there is nothing to report, or nothing in one place */
    sator_arena_free(arena);
    return st;
}

/* A name for a database that nobody asked to keep (GIVE: free), or NULL. */
static char *temporary_path(void)
{
    const char *directory = getenv("TMPDIR");
    struct sator_text text = {0};

    sator_text_add(&text, "%s/sator-XXXXXX", directory == NULL ? "/tmp" : directory);
    char *path = sator_text_take(&text);
    int file = mkstemp(path);
    if (file < 0) {
        free(path);
        return NULL;
    }
    close(file);
    return path;
}

static enum sator_status run(struct sator_ctx *ctx, struct sator_exploration *exploration,
        void (*progress)(void *data, const struct sator_explore_progress *progress), void *data,
        struct sator_explore_summary *summary)
{
    struct runner runner = {.ctx = ctx, .exploration = exploration};
    struct keeper keeper = {.runner = &runner,
            .started = explore_now(),
            .arena = sator_arena_new(),
            .best = INFINITY,
            .progress = progress,
            .progress_data = data};
    const char *database = exploration->options.database, *why = NULL;
    char *temporary = NULL;
    enum sator_status st;

    *summary = (struct sator_explore_summary){0};
    if (!explore_ranks_join(&runner.ranks, &why)) {
        st = sator_error(ctx, (struct sator_loc){0}, "%s", why);
    } else if (runner.ranks != NULL) {
        st = database == NULL
                ? sator_error(ctx, (struct sator_loc){0}, "under mpirun %s has to name a file",
                          sator_word(ctx, "database"))
                : run_in_ranks(&keeper, database, summary);
    } else if (database != NULL) {
        st = make_way(&runner, database);
        if (st == SATOR_OK)
            st = run_into(&keeper, database, database, exploration->options.resume, summary);
    } else if ((temporary = temporary_path()) != NULL) {
        st = run_into(&keeper, temporary, temporary, true, summary);
        exploration->temporary = sator_arena_strdup(exploration->arena, temporary);
    } else {
        st = sator_error(ctx, (struct sator_loc){0}, "cannot make a temporary file");
        sator_help(ctx, "name a file with %s", sator_word(ctx, "database"));
    }
    if (runner.ranks != NULL)
        runner.ranks->leave(runner.ranks);
    free(temporary);
    free(keeper.best_name);
    sator_arena_free(keeper.arena);
    return st;
}

enum sator_status sator_explore_run(struct sator_ctx *ctx, struct sator_exploration *exploration,
        void (*progress)(void *data, const struct sator_explore_progress *progress), void *data,
        const struct sator_explore_summary **summary)
{
    SATOR_NEEDS(ctx, exploration != NULL && summary != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_explore_summary *made =
            SATOR_NEW(exploration->arena, struct sator_explore_summary);
    enum sator_status st = run(ctx, exploration, progress, data, made);

    made->size = sizeof *made;
    *summary = made;
    return st;
}
