/* Long calls. The thread that calls waits, holding the interpreter's lock only to look at signals
 * and to tell progress; Ctrl-C cancels the contexts of all jobs. */
#include "extension.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WAIT_MS = 50
};

/* What the threads of one run_jobs share. */
struct run {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int n_left;
    struct tally tally;
};

struct thread {
    pthread_t id;
    bool is_started;
    struct job *job;
    struct run *run;
};

static _Thread_local struct run *current; /* that a job's thread works for */

void tell(const struct tally *tally)
{
    struct run *run = current;

    if (run == NULL)
        return;
    pthread_mutex_lock(&run->lock);
    run->tally = *tally;
    run->tally.is_new = true;
    pthread_mutex_unlock(&run->lock);
}

static void *work(void *data)
{
    struct thread *thread = data;

    current = thread->run;
    thread->job->status = thread->job->run(thread->job);
    current = NULL;
    pthread_mutex_lock(&thread->run->lock);
    thread->run->n_left--;
    pthread_cond_signal(&thread->run->changed);
    pthread_mutex_unlock(&thread->run->lock);
    return NULL;
}

/* Signals are for the interpreter's own threads. */
static void start(struct thread *threads, struct job *jobs, int n_jobs, struct run *run)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; i < n_jobs; i++) {
        threads[i] = (struct thread){.job = &jobs[i], .run = run};
        threads[i].is_started = pthread_create(&threads[i].id, NULL, work, &threads[i]) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < n_jobs; i++) {
        if (!threads[i].is_started) /* no thread is to be had: then here */
            work(&threads[i]);
    }
}

/* Wait until something changes or a while has passed; how many jobs are left. */
static int wait_a_while(struct run *run, struct tally *tally)
{
    struct timespec until;
    int n_left;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&run->lock);
    if (run->n_left > 0)
        pthread_cond_timedwait(&run->changed, &run->lock, &until);
    n_left = run->n_left;
    *tally = run->tally;
    run->tally.is_new = false;
    pthread_mutex_unlock(&run->lock);
    return n_left;
}

static bool tell_python(
        PyObject *progress, PyObject *(*told)(const struct tally *tally), const struct tally *tally)
{
    if (progress == Py_None || told == NULL || !tally->is_new)
        return true;
    PyObject *argument = told(tally);
    PyObject *answer =
            argument == NULL ? NULL : PyObject_CallFunctionObjArgs(progress, argument, NULL);
    Py_XDECREF(argument);
    Py_XDECREF(answer);
    return answer != NULL;
}

static bool wait_for_all(struct run *run, struct job *jobs, int n_jobs, PyObject *progress,
        PyObject *(*told)(const struct tally *tally))
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    struct tally tally;
    bool is_cancelled = false;
    int n_left;

    do {
        Py_BEGIN_ALLOW_THREADS n_left = wait_a_while(run, &tally);
        Py_END_ALLOW_THREADS if (is_cancelled ||
                (PyErr_CheckSignals() == 0 && tell_python(progress, told, &tally))) continue;
        PyErr_Fetch(&type, &value, &trace);
        is_cancelled = true;
        for (int i = 0; i < n_jobs; i++)
            sator_ctx_cancel(jobs[i].ctx);
    } while (n_left > 0);
    if (is_cancelled)
        PyErr_Restore(type, value, trace);
    return !is_cancelled;
}

bool run_jobs(PyObject *module, struct job *jobs, int n_jobs, PyObject *progress,
        PyObject *(*told)(const struct tally *tally))
{
    struct run run = {.n_left = n_jobs};
    struct thread *threads = PyMem_Calloc((size_t)n_jobs + 1, sizeof *threads);

    if (threads == NULL) {
        PyErr_NoMemory();
        return false;
    }
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.changed, NULL);
    start(threads, jobs, n_jobs, &run);
    bool went_well = wait_for_all(&run, jobs, n_jobs, progress, told);
    for (int i = 0; i < n_jobs; i++) {
        if (threads[i].is_started)
            pthread_join(threads[i].id, NULL);
    }
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    PyMem_Free(threads);
    for (int i = 0; i < n_jobs && went_well; i++)
        went_well = conclude(module, jobs[i].ctx, jobs[i].status);
    return went_well;
}

/* ---- messages ---- */

/* [(is_error, path, line, column, length, text, help), ...] */
static PyObject *messages_of(const struct sator_ctx *ctx)
{
    PyObject *list = PyList_New(0);

    for (int i = 0; list != NULL && i < sator_ctx_message_count(ctx); i++) {
        struct sator_message_view view = {.size = sizeof view};
        if (sator_ctx_message(ctx, i, &view) != SATOR_OK)
            continue;
        PyObject *message = Py_BuildValue("(OziiiNN)", view.is_error ? Py_True : Py_False,
                view.path, view.line, view.column, view.length,
                PyUnicode_DecodeUTF8(view.text, (Py_ssize_t)strlen(view.text), "replace"),
                view.help == NULL ? Py_NewRef(Py_None)
                                  : PyUnicode_DecodeUTF8(
                                            view.help, (Py_ssize_t)strlen(view.help), "replace"));
        if (message == NULL || PyList_Append(list, message) < 0)
            Py_CLEAR(list);
        Py_XDECREF(message);
    }
    return list;
}

bool conclude(PyObject *module, struct sator_ctx *ctx, enum sator_status status)
{
    struct state *state = state_of(module);

    if (status == SATOR_OK && sator_ctx_message_count(ctx) == 0)
        return true;
    if (status == SATOR_NOMEM || ctx == NULL) { /* there was no memory for a context */
        PyErr_NoMemory();
        return false;
    }
    PyObject *messages = messages_of(ctx);
    char *all = sator_ctx_take_messages(ctx, false);
    PyObject *text = all == NULL ? Py_NewRef(Py_None)
                                 : PyUnicode_DecodeUTF8(all, (Py_ssize_t)strlen(all), "replace");
    free(all);
    PyObject *answer = NULL;
    if (messages != NULL && text != NULL && status == SATOR_OK)
        answer = PyObject_CallFunctionObjArgs(state->warn, messages, text, NULL);
    else if (messages != NULL && text != NULL)
        answer = PyObject_CallFunction(state->make_error, "iOO", (int)status, messages, text);
    if (answer != NULL && status != SATOR_OK)
        PyErr_SetObject((PyObject *)Py_TYPE(answer), answer);
    Py_XDECREF(messages);
    Py_XDECREF(text);
    bool went_well = answer != NULL && status == SATOR_OK;
    Py_XDECREF(answer);
    return went_well;
}
