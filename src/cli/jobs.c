/* Jobs on threads, and a line about how far they are.
 *
 * Threads take jobs by number and leave the outcome in the job, so what is printed afterwards, in
 * the jobs' order, is the same for any number of threads. The main thread only waits and reports.
 */
#include "cli/cli.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    TERMINAL_PERIOD_MS = 200,
    FILE_PERIOD_MS = 10000,
    FIRST_REPORT_MS = 1000,
    BAR_WIDTH = 20
};

struct runner {
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t finished;
    struct cli_job *jobs;
    int n_jobs, next, n_done, n_running_threads;
};

struct worker {
    struct runner *runner;
    struct sator_ctx *ctx;
    pthread_t thread;
};

static struct cli_job *take_job(struct runner *runner)
{
    pthread_mutex_lock(&runner->lock);
    struct cli_job *job = runner->next < runner->n_jobs ? &runner->jobs[runner->next++] : NULL;
    pthread_mutex_unlock(&runner->lock);
    return job;
}

static void run_job(struct sator_ctx *ctx, struct cli_job *job)
{
    job->status = cli_interrupted() ? SATOR_INTERRUPTED : job->run(ctx, job);
    job->messages = sator_ctx_take_messages(ctx, cli_color(stderr));
}

static void *work(void *data)
{
    struct worker *worker = data;
    struct runner *runner = worker->runner;

    for (struct cli_job *job; (job = take_job(runner)) != NULL;) {
        run_job(worker->ctx, job);
        pthread_mutex_lock(&runner->lock);
        job->done = true;
        runner->n_done++;
        pthread_cond_signal(&runner->finished);
        pthread_mutex_unlock(&runner->lock);
    }
    pthread_mutex_lock(&runner->lock);
    runner->n_running_threads--;
    pthread_cond_signal(&runner->finished);
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How many are done, how fast, and the least figure so far. The runner's lock is held. */
static void print_progress(
        const struct runner *runner, const struct cli_run *run, int64_t elapsed_ms)
{
    const struct cli_job *best = NULL;
    double seconds = (double)elapsed_ms / 1000;

    for (int i = 0; i < runner->n_jobs; i++) {
        const struct cli_job *job = &runner->jobs[i];
        if (job->done && job->status == SATOR_OK && !isnan(job->figure) &&
                (best == NULL || job->figure < best->figure))
            best = job;
    }
    int filled = (int)((int64_t)BAR_WIDTH * runner->n_done / runner->n_jobs);
    fprintf(stderr, "[%.*s%*s] %d of %d, %.1f s, %.2g a second", filled, "####################",
            BAR_WIDTH - filled, "", runner->n_done, runner->n_jobs, seconds,
            runner->n_done / seconds);
    if (best != NULL)
        fprintf(stderr, ", best so far %.0f %s (%.30s)", best->figure, run->figure_unit,
                best->name);
}

static struct timespec deadline_in(int64_t ms)
{
    struct timespec deadline;

    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)(ms / 1000);
    deadline.tv_nsec += (long)(ms % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

/* Wait until the threads have ended, with a line now and then. */
static void wait_for_threads(struct runner *runner, const struct cli_run *run)
{
    bool terminal = isatty(STDERR_FILENO) != 0, printed = false;
    int64_t start = now_ms(), period = terminal ? TERMINAL_PERIOD_MS : FILE_PERIOD_MS;
    int64_t next_report = start + (terminal ? FIRST_REPORT_MS : FILE_PERIOD_MS);

    pthread_mutex_lock(&runner->lock);
    while (runner->n_running_threads > 0) {
        struct timespec deadline = deadline_in(period);
        pthread_cond_timedwait(&runner->finished, &runner->lock, &deadline);
        int64_t now = now_ms();
        if (run->quiet || now < next_report || runner->n_running_threads == 0)
            continue;
        next_report = now + period;
        fputs(terminal ? "\r\033[K" : "", stderr);
        print_progress(runner, run, now - start);
        fputs(terminal ? "" : "\n", stderr);
        printed = true;
    }
    pthread_mutex_unlock(&runner->lock);
    if (terminal && printed)
        fputs("\r\033[K", stderr);
}

/* Start up to "n_wanted" threads, deaf to Ctrl-C: the handler runs on the main thread alone, which
 * therefore never frees a context that the handler is looking at. Returns how many there are. */
static int start_threads(struct worker *workers, int n_wanted)
{
    sigset_t interrupt, old;
    int n = 0;

    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &old);
    while (n < n_wanted && pthread_create(&workers[n].thread, NULL, work, &workers[n]) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return n;
}

static void init_runner(struct runner *runner)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&runner->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&runner->finished, &attributes);
    pthread_condattr_destroy(&attributes);
}

void cli_run_jobs(struct cli_job *jobs, int n_jobs, const struct cli_run *run)
{
    int n_workers = run->threads < n_jobs ? run->threads : n_jobs;
    struct runner runner = {.jobs = jobs, .n_jobs = n_jobs, .n_running_threads = n_workers};
    struct worker workers[CLI_MAX_THREADS];

    init_runner(&runner);
    for (int i = 0; i < n_workers; i++) {
        workers[i] = (struct worker){.runner = &runner, .ctx = cli_ctx_new(NULL)};
        sator_ctx_set_work_limit(workers[i].ctx, run->work_limit);
        cli_watch(workers[i].ctx);
    }
    int n_threads = start_threads(workers, n_workers);
    pthread_mutex_lock(&runner.lock);
    runner.n_running_threads -= n_workers - n_threads;
    pthread_mutex_unlock(&runner.lock);
    wait_for_threads(&runner, run);
    if (n_threads == 0 && n_workers > 0)
        work(&workers[0]); /* no threads to be had */
    for (int i = 0; i < n_workers; i++) {
        if (i < n_threads)
            pthread_join(workers[i].thread, NULL);
        cli_unwatch(workers[i].ctx);
        sator_ctx_free(workers[i].ctx);
    }
    pthread_cond_destroy(&runner.finished);
    pthread_mutex_destroy(&runner.lock);
}
