/* Calls of which each has one outcome: analyze, map, simulate. */
#include "extension.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- analyze ---- */

struct analysis {
    const struct input *network, *arch, *dataflow;
    int layer; /* -1: all */
    struct sator_analyze_options options;
    bool advise;
    struct outcome *made;
};

static enum sator_status run_analysis(struct job *job)
{
    struct analysis *a = job->data;
    enum sator_status st = sator_check_tensors(job->ctx, a->network->network, a->arch->arch);

    if (st != SATOR_OK)
        return st;
    if (a->layer < 0) {
        st = sator_analyze_network(job->ctx, a->network->network, a->arch->arch,
                a->dataflow->dataflow, &a->options, &a->made->network);
        if (st == SATOR_OK && a->advise)
            st = sator_advise_network(job->ctx, a->network->network, a->arch->arch,
                    a->dataflow->dataflow, &a->options, a->made->network);
        return st;
    }
    st = sator_analyze(job->ctx, a->network->network, a->layer, a->arch->arch,
            a->dataflow->dataflow, &a->options, &a->made->result);
    if (st == SATOR_OK && a->advise)
        st = sator_advise(job->ctx, a->network->network, a->layer, a->arch->arch,
                a->dataflow->dataflow, &a->options, a->made->result);
    return st;
}

/* A list of numbers as an array (free by PyMem_Free). */
static bool numbers_of(PyObject *list, double **numbers, int *n_numbers)
{
    Py_ssize_t n = PyList_Size(list);

    *numbers = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof **numbers);
    if (*numbers == NULL)
        return false;
    *n_numbers = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        (*numbers)[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
        if (PyErr_Occurred()) {
            PyMem_Free(*numbers);
            *numbers = NULL;
            return false;
        }
    }
    return true;
}

static PyObject *analyze(PyObject *module, PyObject *args)
{
    struct analysis a = {.options.size = sizeof a.options};
    PyObject *network, *arch, *dataflow, *bandwidths;
    unsigned long long work_limit;
    double *numbers;
    int engine, model, timing, advise;

    if (!PyArg_ParseTuple(args, "OiOOiiipO!K", &network, &a.layer, &arch, &dataflow, &engine,
                &model, &timing, &advise, &PyList_Type, &bandwidths, &work_limit) ||
            !need_inputs(network, arch, dataflow) ||
            !numbers_of(bandwidths, &numbers, &a.options.n_sweep))
        return NULL;
    a.network = (struct input *)(void *)network;
    a.arch = (struct input *)(void *)arch;
    a.dataflow = (struct input *)(void *)dataflow;
    a.options.engine = (enum sator_engine_choice)engine;
    a.options.model = (enum sator_model_choice)model;
    a.options.timing = (enum sator_timing_choice)timing;
    a.options.sweep_bandwidths = numbers;
    a.advise = advise;
    a.made = new_outcome(module, network, a.layer, arch, dataflow);
    struct job job = {.ctx = sator_ctx_new(), .run = run_analysis, .data = &a};
    sator_ctx_set_work_limit(job.ctx, work_limit);
    PyObject *made = (PyObject *)(void *)a.made;
    if (made != NULL && !run_jobs(module, &job, 1, Py_None, NULL))
        Py_CLEAR(made);
    sator_ctx_free(job.ctx);
    PyMem_Free(numbers);
    return made;
}

/* ---- map ---- */

struct search {
    const struct input *network, *arch;
    int layer; /* -1: all */
    bool is_front, certify;
    struct sator_map_options options;
    struct outcome *made;
    int done; /* layers */
};

static void tell_search(void *data, const struct sator_map_progress *progress)
{
    const struct search *search = data;
    struct tally tally = {.numbers = {progress->best, progress->bound},
            .counts = {progress->evaluated, (uint64_t)search->done}};

    tell(&tally);
}

static PyObject *told_search(const struct tally *tally)
{
    return Py_BuildValue("(ddKK)", tally->numbers[0], tally->numbers[1],
            (unsigned long long)tally->counts[0], (unsigned long long)tally->counts[1]);
}

/* The mapping of an equal layer under the name of layer "layer"; it shares all else. */
static struct sator_map_result *copy_of(
        const struct sator_map_result *result, const struct sator_network *network, int layer)
{
    struct sator_map_result *copy = malloc(sizeof *copy);

    char *name = strdup(sator_network_layer_name(network, layer));

    if (copy == NULL || name == NULL) {
        free(copy);
        free(name);
        return NULL;
    }
    *copy = *result;
    copy->workload = name;
    copy->repeat = sator_map_layer_repeat(network, layer);
    return copy;
}

/* Append the certificate of mapping "i", of layer "layer", to the outcome's. */
static enum sator_status certify(struct job *job, struct search *s, int i, int layer)
{
    struct outcome *made = s->made;
    struct sator_certificate_count count = {0};
    char *text = NULL;
    enum sator_status st = sator_certificate_write(job->ctx, s->network->network, layer,
            s->arch->arch, &s->options, made->maps[i], &count, &text);

    if (st != SATOR_OK)
        return st;
    size_t before = made->certificate == NULL ? 0 : strlen(made->certificate);
    char *all = realloc(made->certificate, before + strlen(text) + 1);
    if (all != NULL) {
        made->certificate = all;
        memcpy(all + before, text, strlen(text) + 1);
    }
    made->proved.verified += count.verified;
    made->proved.total += count.total;
    free(text);
    return all == NULL ? SATOR_NOMEM : SATOR_OK;
}

static enum sator_status map_layers(struct job *job)
{
    struct search *s = job->data;
    const struct sator_network *network = s->network->network;
    int n = s->layer < 0 ? sator_network_layer_count(network) : 1;
    enum sator_status st = sator_check_tensors(job->ctx, network, s->arch->arch);

    if (st == SATOR_OK && s->certify)
        s->options.timing =
                sator_certificate_timing(job->ctx, network, s->layer, s->arch->arch, &s->options);
    for (int i = 0; i < n && s->certify && st == SATOR_OK; i++) /* before the work of any */
        st = sator_certificate_covers(
                job->ctx, network, s->layer < 0 ? i : s->layer, s->arch->arch, &s->options);
    if (st == SATOR_OK && s->is_front && s->layer < 0)
        return sator_map_network_front(
                job->ctx, network, s->arch->arch, &s->options, &s->made->front);
    if (st == SATOR_OK && s->is_front) {
        st = sator_map_pareto(job->ctx, network, s->layer, s->arch->arch, &s->options,
                &s->made->maps, &s->made->n_maps);
        s->made->is_complete = st == SATOR_OK;
        return s->made->n_maps > 0 && st == SATOR_LIMIT ? SATOR_OK : st;
    }
    s->made->maps = calloc((size_t)n + 1, sizeof *s->made->maps);
    s->made->same_as = calloc((size_t)n + 1, sizeof *s->made->same_as);
    if (s->made->maps == NULL || s->made->same_as == NULL)
        return SATOR_NOMEM;
    for (; s->done < n && st == SATOR_OK; s->done++) {
        int same = s->layer < 0 ? sator_map_same_layer(network, s->done) : 0;
        s->made->same_as[s->done] = same;
        int layer = s->layer < 0 ? s->done : s->layer;
        if (same < s->done)
            s->made->maps[s->done] = copy_of(s->made->maps[same], network, s->done);
        else
            st = sator_map(
                    job->ctx, network, layer, s->arch->arch, &s->options, &s->made->maps[s->done]);
        s->made->n_maps += s->made->maps[s->done] != NULL;
        if (st == SATOR_OK && s->made->maps[s->done] == NULL)
            st = SATOR_NOMEM;
        if (st == SATOR_OK && s->certify && same == s->done)
            st = certify(job, s, s->done, layer);
    }
    return st;
}

static PyObject *map(PyObject *module, PyObject *args)
{
    struct search s = {.options.size = sizeof s.options};
    PyObject *network, *arch, *constraints, *progress;
    const char **texts;
    unsigned long long seed, samples, work_limit;
    int objective, strategy, imperfect, top_down, is_front, timing, certify;

    if (!PyArg_ParseTuple(args, "OiOiiO!ppdKKdpiiKipO", &network, &s.layer, &arch, &objective,
                &strategy, &PyList_Type, &constraints, &imperfect, &is_front,
                &s.options.budget_seconds, &seed, &samples, &s.options.limit, &top_down,
                &s.options.intra_order, &s.options.threads, &work_limit, &timing, &certify,
                &progress) ||
            !need_inputs(network, arch, NULL) ||
            !texts_of(constraints, &texts, &s.options.n_constraints))
        return NULL;
    s.network = (struct input *)(void *)network;
    s.arch = (struct input *)(void *)arch;
    s.is_front = is_front;
    s.certify = certify;
    s.options.objective = (enum sator_map_objective)objective;
    s.options.strategy = (enum sator_map_strategy)strategy;
    s.options.constraints = texts;
    s.options.imperfect = imperfect;
    s.options.top_down = top_down;
    s.options.seed = seed;
    s.options.samples = samples;
    s.options.timing = (enum sator_timing_choice)timing;
    s.options.progress = tell_search;
    s.options.progress_data = &s;
    s.made = new_outcome(module, network, s.layer, arch, NULL);
    struct job job = {.ctx = sator_ctx_new(), .run = map_layers, .data = &s};
    sator_ctx_set_work_limit(job.ctx, work_limit);
    PyObject *made = (PyObject *)(void *)s.made;
    if (made != NULL) {
        s.made->is_front = s.is_front;
        if (s.layer < 0)
            s.made->name = strdup(sator_network_name(s.network->network));
        if (!run_jobs(module, &job, 1, progress, told_search))
            Py_CLEAR(made);
    }
    sator_ctx_free(job.ctx);
    PyMem_Free(texts);
    return made;
}

/* ---- certificates ---- */

struct verification {
    const char *name, *text;
    struct sator_certificate_count count;
    char *report;
};

static enum sator_status verify(struct job *job)
{
    struct verification *v = job->data;

    return sator_certificate_check(job->ctx, v->name, v->text, &v->count, &v->report);
}

static PyObject *check_certificate(PyObject *module, PyObject *args)
{
    struct verification v = {0};
    PyObject *made = NULL;

    if (!PyArg_ParseTuple(args, "ss", &v.name, &v.text))
        return NULL;
    struct job job = {.ctx = sator_ctx_new(), .run = verify, .data = &v};
    if (run_jobs(module, &job, 1, Py_None, NULL))
        made = Py_BuildValue("(KKKKz)", (unsigned long long)v.count.mappings,
                (unsigned long long)v.count.verified, (unsigned long long)v.count.total,
                (unsigned long long)v.count.pieces, v.report);
    free(v.report);
    sator_ctx_free(job.ctx);
    return made;
}

/* ---- simulate ---- */

struct execution {
    const struct input *network, *arch, *dataflow;
    int layer;
    struct sator_simulate_options options;
    FILE *trace, *events; /* NULL: not written */
    struct outcome *made;
};

static void write_to(FILE *file, const char *text, size_t length)
{
    fwrite(text, 1, length, file); /* close_file looks at its errors */
}

static void write_trace(const char *text, size_t length, void *user)
{
    write_to(((struct execution *)user)->trace, text, length);
}

static void write_events(const char *text, size_t length, void *user)
{
    write_to(((struct execution *)user)->events, text, length);
}

static void tell_execution(int64_t instances, int64_t of, void *user)
{
    struct tally tally = {.counts = {(uint64_t)instances, (uint64_t)of}};

    (void)user;
    tell(&tally);
}

static PyObject *told_execution(const struct tally *tally)
{
    return Py_BuildValue(
            "(KK)", (unsigned long long)tally->counts[0], (unsigned long long)tally->counts[1]);
}

static enum sator_status run_execution(struct job *job)
{
    struct execution *e = job->data;

    return sator_simulate(job->ctx, e->network->network, e->layer, e->arch->arch,
            e->dataflow->dataflow, &e->options, &e->made->simulation);
}

/* NULL for no path; false with an exception when it cannot be written. */
static bool open_file(const char *path, FILE **file)
{
    *file = path == NULL ? NULL : fopen(path, "wb");
    if (path != NULL && *file == NULL)
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    return path == NULL || *file != NULL;
}

static bool close_file(FILE *file, const char *path)
{
    bool is_bad = file != NULL && ferror(file) != 0;

    if (file == NULL || (fclose(file) == 0 && !is_bad))
        return true;
    if (!PyErr_Occurred()) {
        errno = errno == 0 ? EIO : errno;
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    }
    return false;
}

static PyObject *simulate(PyObject *module, PyObject *args)
{
    struct execution e = {.options.size = sizeof e.options};
    PyObject *network, *arch, *dataflow, *progress;
    const char *trace, *events;
    long long first, last;
    int engine;

    if (!PyArg_ParseTuple(args, "OiOOizzLLO", &network, &e.layer, &arch, &dataflow, &engine, &trace,
                &events, &first, &last, &progress) ||
            !need_inputs(network, arch, dataflow) || !open_file(trace, &e.trace))
        return NULL;
    if (!open_file(events, &e.events)) {
        close_file(e.trace, trace);
        return NULL;
    }
    e.network = (struct input *)(void *)network;
    e.arch = (struct input *)(void *)arch;
    e.dataflow = (struct input *)(void *)dataflow;
    e.options.engine = (enum sator_engine_choice)engine;
    e.options.first_cycle = first;
    e.options.last_cycle = last;
    e.options.write_trace = trace == NULL ? NULL : write_trace;
    e.options.write_events = events == NULL ? NULL : write_events;
    e.options.progress = progress == Py_None ? NULL : tell_execution;
    e.options.user = &e;
    e.made = new_outcome(module, network, e.layer, arch, dataflow);
    struct job job = {.ctx = sator_ctx_new(), .run = run_execution, .data = &e};
    PyObject *made = (PyObject *)(void *)e.made;
    if (made != NULL && !run_jobs(module, &job, 1, progress, told_execution))
        Py_CLEAR(made);
    bool written = close_file(e.trace, trace);
    written = close_file(e.events, events) && written;
    if (!written)
        Py_CLEAR(made);
    sator_ctx_free(job.ctx);
    return made;
}

PyMethodDef call_methods[] = {
        {"analyze", analyze, METH_VARARGS,
                "analyze(network, layer, arch, dataflow, engine, model, timing, advise, "
                "bandwidths, work_limit) -> Outcome"},
        {"map", map, METH_VARARGS,
                "map(network, layer, arch, objective, strategy, constraints, imperfect, front, "
                "budget, seed, samples, limit, top_down, intra_order, threads, work_limit, "
                "timing, certify, progress) -> Outcome"},
        {"check_certificate", check_certificate, METH_VARARGS,
                "check_certificate(name, text) -> (mappings, verified, total, pieces, report)"},
        {"simulate", simulate, METH_VARARGS,
                "simulate(network, layer, arch, dataflow, engine, trace, events, first_cycle, "
                "last_cycle, progress) -> Outcome"},
        {0}};
