/* Ends what the counting engines are at when a search is over: one question may take them longer
 * than the whole budget, and they look at no clock. A thread of its own does, every few
 * milliseconds, and cancels the contexts that questions run in, as Ctrl-C does. */
#include "base/context.h"
#include "mapper/cost/cost.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    LOOK_NS = 5000000,
    SECOND_NS = 1000000000,
    MOST_BUSY = 64 /* questions at a time: a thread has one */
};

struct mapper_watch {
    struct sator_held held; /* first: a pointer to it is one to the watch */
    const struct sator_ctx *search; /* its cancelling ends all questions; NULL: no longer */
    double deadline; /* as sator_mapper_now */
    pthread_mutex_t lock; /* of all that follows, and of the above once the thread runs */
    pthread_cond_t ended_now;
    pthread_t thread;
    bool has_thread, ended;
    atomic_bool has_unknown;
    struct sator_ctx *busy[MOST_BUSY];
};

static bool is_over(const struct mapper_watch *watch)
{
    return (watch->search != NULL && atomic_load(&watch->search->cancelled)) ||
            sator_mapper_now() > watch->deadline;
}

static void *run(void *data)
{
    struct mapper_watch *watch = data;
    struct timespec next;

    pthread_mutex_lock(&watch->lock);
    while (!watch->ended) {
        if (is_over(watch)) {
            for (int i = 0; i < MOST_BUSY; i++) {
                if (watch->busy[i] != NULL)
                    sator_ctx_cancel(watch->busy[i]);
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_nsec += LOOK_NS;
        next.tv_sec += next.tv_nsec / SECOND_NS;
        next.tv_nsec %= SECOND_NS;
        pthread_cond_timedwait(&watch->ended_now, &watch->lock, &next);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

static void release(struct sator_held *held)
{
    sator_mapper_watch_free((struct mapper_watch *)held);
}

struct mapper_watch *sator_mapper_watch_new(const struct sator_ctx *search, double deadline)
{
    struct mapper_watch *watch = sator_alloc(sizeof *watch);
    pthread_condattr_t monotonic;
    sigset_t all, old;

    *watch = (struct mapper_watch){.search = search, .deadline = deadline};
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->ended_now, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    /* without a thread questions end by their work limit */
    watch->has_thread = pthread_create(&watch->thread, NULL, run, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sator_hold(&watch->held, release); /* the thread must not outlive the search */
    return watch;
}

void sator_mapper_watch_free(struct mapper_watch *watch)
{
    if (watch == NULL)
        return;
    sator_let_go(&watch->held);
    pthread_mutex_lock(&watch->lock);
    watch->ended = true;
    pthread_cond_signal(&watch->ended_now);
    pthread_mutex_unlock(&watch->lock);
    if (watch->has_thread)
        pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->ended_now);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}

void sator_mapper_watch_until(struct mapper_watch *watch, double deadline)
{
    if (watch == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->search = NULL;
    watch->deadline = deadline;
    pthread_mutex_unlock(&watch->lock);
}

bool sator_mapper_watch_begin(struct mapper_watch *watch, struct sator_ctx *ctx)
{
    int free_slot = 0;

    if (watch == NULL)
        return true;
    pthread_mutex_lock(&watch->lock);
    bool may_ask = !is_over(watch);
    while (free_slot < MOST_BUSY && watch->busy[free_slot] != NULL)
        free_slot++;
    if (may_ask && free_slot < MOST_BUSY)
        watch->busy[free_slot] = ctx;
    pthread_mutex_unlock(&watch->lock);
    return may_ask;
}

void sator_mapper_watch_end(struct mapper_watch *watch, struct sator_ctx *ctx)
{
    if (watch == NULL)
        return;
    pthread_mutex_lock(&watch->lock);
    for (int i = 0; i < MOST_BUSY; i++) {
        if (watch->busy[i] == ctx)
            watch->busy[i] = NULL;
    }
    atomic_store(&ctx->cancelled, false);
    pthread_mutex_unlock(&watch->lock);
}

void sator_mapper_watch_note_unknown(struct mapper_watch *watch)
{
    if (watch != NULL)
        atomic_store(&watch->has_unknown, true);
}

bool sator_mapper_watch_has_unknown(const struct mapper_watch *watch)
{
    return watch != NULL && atomic_load(&watch->has_unknown);
}

bool sator_mapper_watch_take_unknown(struct mapper_watch *watch)
{
    return watch != NULL && atomic_exchange(&watch->has_unknown, false);
}
