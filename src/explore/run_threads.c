/* The job queue: threads take batches in order of their numbers and leave them evaluated; the
 * calling thread stores what they leave, several batches to a transaction. What is stored does not
 * depend on who did what when: every batch is a function of its number.
 */
#include "explore/run.h"

#include "base/text.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256,
    MOST_WAITING = 4, /* evaluated batches that wait to be stored, a thread */
    POLL_MS = 50,
    COMMIT_MS = 200 /* what a crash may lose */
};

struct worker {
    struct runner *runner;
    struct sator_ctx *ctx;
    pthread_t thread;
};

/* ---- evaluating ---- */

/* The next batch that is this process's to do; the lock is held. */
static bool take_batch(struct runner *runner, uint64_t *number)
{
    const struct sator_explore_options *options = &runner->exploration->options;

    for (;;) {
        uint64_t next = runner->ranks == NULL ? runner->next++ : runner->ranks->next(runner->ranks);
        uint64_t first, points;
        if (next >= runner->exploration->n_batches)
            return false;
        runner->latest = next;
        if (options->n_shards > 1 &&
                explore_shard_of(next, options->n_shards) != options->shard - 1)
            continue;
        batch_part(runner->exploration, next, &first, &points);
        if (runner->done[next] >= points)
            continue;
        *number = next;
        return true;
    }
}

struct evaluation {
    struct worker *worker;
    uint64_t number;
    struct batch *batch; /* the outcome; NULL: memory ran out */
};

static void evaluate(void *data)
{
    struct evaluation *e = data;
    struct runner *runner = e->worker->runner;

    e->batch =
            batch_evaluate(e->worker->ctx, runner->exploration, e->number, runner->done[e->number]);
}

/* The lock is held. */
static void append(struct runner *runner, struct batch *batch)
{
    if (runner->first == NULL)
        runner->first = batch;
    else
        runner->last->next = batch;
    runner->last = batch;
    runner->n_waiting++;
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct runner *runner = worker->runner;
    uint64_t number;

    pthread_mutex_lock(&runner->lock);
    for (;;) {
        while (runner->n_waiting >= runner->most_waiting && !runner->stopping)
            pthread_cond_wait(&runner->changed, &runner->lock);
        if (runner->stopping || !take_batch(runner, &number))
            break;
        pthread_mutex_unlock(&runner->lock);
        struct evaluation e = {.worker = worker, .number = number};
        sator_guarded(worker->ctx, evaluate, &e);
        pthread_mutex_lock(&runner->lock);
        if (e.batch != NULL)
            append(runner, e.batch);
        runner->no_memory = runner->no_memory || e.batch == NULL;
        runner->stopping = runner->stopping || e.batch == NULL || e.batch->status != SATOR_OK;
        pthread_cond_broadcast(&runner->changed);
    }
    runner->n_running--;
    pthread_cond_broadcast(&runner->changed);
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

/* ---- storing ---- */

double explore_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void note_best(struct keeper *keeper, const struct batch *batch)
{
    const struct explore_objective *objective = &keeper->runner->exploration->objectives[0];

    for (int i = 0; i < batch->n_rows; i++) {
        double cost = explore_objective_cost(objective, &batch->rows[i].record);
        if (!(cost < keeper->best))
            continue;
        struct sator_text name = {0};
        keeper->best = cost;
        sator_text_add(&name, "%s | %s", batch->rows[i].space, batch->rows[i].time);
        free(keeper->best_name);
        keeper->best_name = sator_text_take(&name);
    }
}

static enum sator_status commit(struct keeper *keeper)
{
    if (!keeper->in_transaction)
        return SATOR_OK;
    keeper->in_transaction = false;
    return sator_store_commit(keeper->runner->ctx, keeper->runner->store);
}

static enum sator_status keep_batch(struct keeper *keeper, const struct batch *batch)
{
    struct runner *runner = keeper->runner;
    enum sator_status st;

    if (!keeper->in_transaction) {
        SATOR_TRY(sator_store_begin(runner->ctx, runner->store));
        keeper->in_transaction = true;
        keeper->begun = explore_now();
    }
    SATOR_TRY(batch_store(runner->ctx, runner->exploration, runner->store, batch));
    keeper->results += (uint64_t)batch->n_rows;
    keeper->new_points += batch->points;
    for (int i = 0; i < batch->n_rules; i++)
        batch_count_rule(keeper->arena, &keeper->n_rules, &keeper->rules, batch->rules[i].name,
                batch->rules[i].points);
    note_best(keeper, batch);
    if ((explore_now() - keeper->begun) * 1000 > COMMIT_MS)
        SATOR_TRY(commit(keeper));
done:
    return st;
}

static void keep(void *data)
{
    struct keeper *keeper = data;

    keeper->status = keep_batch(keeper, keeper->batch);
}

/* No more batches; those in work end at their next point. */
static void stop(struct keeper *keeper)
{
    struct runner *runner = keeper->runner;

    pthread_mutex_lock(&runner->lock);
    runner->stopping = true;
    pthread_cond_broadcast(&runner->changed);
    pthread_mutex_unlock(&runner->lock);
    for (int i = 0; i < keeper->n_workers; i++)
        sator_ctx_cancel(keeper->workers[i].ctx);
}

/* Store the batches of a queue, unless storing failed before. */
static void keep_all(struct keeper *keeper, struct batch *queue)
{
    while (queue != NULL) {
        struct batch *batch = queue;
        queue = batch->next;
        if (batch->status != SATOR_OK && batch->status != SATOR_INTERRUPTED &&
                keeper->failed_part == NULL) {
            keeper->failed_part = batch->part;
            keeper->failed_point = batch->first + batch->points;
        }
        if (keeper->status == SATOR_OK) {
            keeper->batch = batch;
            if (!sator_guarded(keeper->runner->ctx, keep, keeper))
                keeper->status = SATOR_NOMEM;
            if (keeper->status != SATOR_OK)
                stop(keeper);
        }
        batch_free(batch);
    }
}

static void report(struct keeper *keeper)
{
    struct runner *runner = keeper->runner;
    const struct explore_objective *objective = &runner->exploration->objectives[0];
    double seconds = explore_now() - keeper->started;
    double done = keeper->points_before + (double)keeper->new_points;
    double rate = (double)keeper->new_points / seconds;

    if (keeper->progress == NULL)
        return;
    if (runner->ranks != NULL) { /* batches are handed out in order, to all alike */
        pthread_mutex_lock(&runner->lock);
        done = keeper->points_total * (double)runner->latest /
                (double)runner->exploration->n_batches;
        pthread_mutex_unlock(&runner->lock);
        rate *= runner->ranks->size;
    }
    struct sator_explore_progress progress = {.points_done = done,
            .points_total = keeper->points_total,
            .results = keeper->results,
            .seconds = seconds,
            .points_per_second = rate,
            .best = isinf(keeper->best)   ? NAN
                    : objective->maximize ? -keeper->best
                                          : keeper->best,
            .best_name = keeper->best_name};

    keeper->progress(keeper->progress_data, &progress);
}

static void wait_a_little(struct runner *runner)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(&runner->changed, &runner->lock, &until);
}

static void store_until_done(struct keeper *keeper)
{
    struct runner *runner = keeper->runner;
    bool running = true, cancelled = false;

    while (running) {
        pthread_mutex_lock(&runner->lock);
        if (runner->first == NULL && runner->n_running > 0)
            wait_a_little(runner);
        struct batch *queue = runner->first;
        runner->first = runner->last = NULL;
        runner->n_waiting = 0;
        running = runner->n_running > 0 || queue != NULL;
        pthread_cond_broadcast(&runner->changed);
        pthread_mutex_unlock(&runner->lock);
        keep_all(keeper, queue);
        if (!cancelled && atomic_load(&runner->ctx->cancelled)) {
            cancelled = true;
            stop(keeper);
        }
        if (runner->ranks != NULL && !cancelled)
            keeper->best = runner->ranks->best(runner->ranks, keeper->best);
        report(keeper);
    }
    if (runner->no_memory && keeper->status == SATOR_OK) { /* what was evaluated is kept */
        keeper->status = commit(keeper);
        keeper->status = keeper->status == SATOR_OK ? SATOR_NOMEM : keeper->status;
    } else if (keeper->status == SATOR_OK)
        keeper->status = commit(keeper);
    else
        sator_store_rollback(runner->store);
    if (keeper->status == SATOR_OK && cancelled)
        keeper->status = SATOR_INTERRUPTED;
}

/* Start up to "n" threads, deaf to the signals that the caller handles. */
static int start_threads(struct worker *workers, int n)
{
    sigset_t all, old;
    int started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    while (started < n &&
            pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

static int thread_count(const struct sator_exploration *exploration)
{
    long threads = exploration->options.threads;

    if (threads <= 0)
        threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if ((uint64_t)threads > exploration->n_batches)
        threads = (long)exploration->n_batches;
    return threads < 1 ? 1 : (int)threads;
}

static void init_lock(struct runner *runner)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&runner->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&runner->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void explore_run_threads(struct keeper *keeper)
{
    struct runner *runner = keeper->runner;
    int n = thread_count(runner->exploration);
    struct worker *workers = sator_alloc(sizeof *workers * (size_t)n);

    for (int i = 0; i < n; i++) {
        workers[i] = (struct worker){.runner = runner, .ctx = sator_ctx_own()};
        sator_ctx_set_words(workers[i].ctx, runner->ctx->words, runner->ctx->n_words);
        sator_ctx_set_work_limit(workers[i].ctx, runner->exploration->options.work_limit);
    }
    init_lock(runner);
    keeper->workers = workers;
    keeper->n_workers = n;
    runner->n_running = n;
    runner->most_waiting = MOST_WAITING * n;
    int started = start_threads(workers, n);
    pthread_mutex_lock(&runner->lock);
    runner->n_running -= n - started;
    pthread_mutex_unlock(&runner->lock);
    if (started == 0)
        keeper->status =
                sator_error(runner->ctx, (struct sator_loc){0}, "the system gives no thread");
    store_until_done(keeper);
    for (int i = 0; i < n; i++) {
        if (i < started)
            pthread_join(workers[i].thread, NULL);
        sator_ctx_free(workers[i].ctx);
    }
    pthread_cond_destroy(&runner->changed);
    pthread_mutex_destroy(&runner->lock);
    free(workers);
}
