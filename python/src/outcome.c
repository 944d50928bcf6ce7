/* Analyses and mappings, and what they result in. */
#include "extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

static struct outcome *self_of(PyObject *object)
{
    return (struct outcome *)(void *)object;
}

static void dealloc(PyObject *object)
{
    struct outcome *self = self_of(object);
    PyTypeObject *type = Py_TYPE(object);

    sator_result_free(self->result);
    sator_network_result_free(self->network);
    for (int i = 0; i < self->n_maps; i++) {
        if (self->same_as == NULL || self->same_as[i] == i) {
            sator_map_result_free(self->maps[i]);
            continue;
        }
        free((char *)(uintptr_t)self->maps[i]->workload);
        free(self->maps[i]);
    }
    free(self->maps);
    free(self->same_as);
    free(self->name);
    PyObject_Free(object);
    Py_DECREF(type);
}

static enum sator_status write_report(struct sator_ctx *ctx, const struct outcome *self,
        const struct sator_report_options *options, char **text)
{
    const struct sator_result *result = self->result;
    const struct sator_network_result *network = self->network;
    const struct sator_map_result *const *maps = (const struct sator_map_result *const *)self->maps;
    const struct sator_map_network named = {.size = sizeof named, .name = self->name};

    if (result != NULL)
        return sator_report_results(ctx, &result, 1, options, text);
    if (network != NULL)
        return sator_report_networks(ctx, &network, 1, options, text);
    if (self->is_front)
        return sator_report_front(ctx, maps, self->n_maps, self->is_complete, options, text);
    return sator_report_maps(
            ctx, self->name == NULL ? NULL : &named, maps, self->n_maps, options, text);
}

static PyObject *report(PyObject *object, PyObject *args)
{
    static const char *const formats[] = {"text", "json", "csv"};
    struct sator_report_options options = {.size = sizeof options};
    const char *format;
    char *text = NULL;
    int which = 0;

    if (!PyArg_ParseTuple(args, "s", &format))
        return NULL;
    while (which < 3 && strcmp(formats[which], format) != 0)
        which++;
    if (which == 3)
        return PyErr_Format(PyExc_ValueError, "'%s' is not 'text', 'json' or 'csv'", format);
    options.format = (enum sator_format)which;
    struct sator_ctx *ctx = sator_ctx_new();
    enum sator_status st = write_report(ctx, self_of(object), &options, &text);
    sator_ctx_free(ctx);
    if (st != SATOR_OK)
        return PyErr_Format(PyExc_SystemError, "the result cannot be written");
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    free(text);
    return string;
}

static PyMethodDef methods[] = {{"report", report, METH_VARARGS,
                                        "report(format) -> str\n\nThe result as 'text', 'json' or "
                                        "'csv', as the command line prints it."},
        {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
        {Py_tp_doc, (void *)(uintptr_t) "What a call resulted in."}, {0}};
PyType_Spec outcome_spec = {.name = "sator._sator.Outcome",
        .basicsize = sizeof(struct outcome),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots};

static struct outcome *new_outcome(PyObject *module)
{
    struct outcome *made = PyObject_New(struct outcome, state_of(module)->outcome_type);

    if (made == NULL)
        return NULL;
    made->result = NULL;
    made->network = NULL;
    made->maps = NULL;
    made->n_maps = 0;
    made->same_as = NULL;
    made->is_front = made->is_complete = false;
    made->name = NULL;
    return made;
}

/* ---- analyze ---- */

struct analysis {
    const struct input *network, *arch, *dataflow;
    int layer; /* -1: all */
    struct sator_analyze_options options;
    struct outcome *made;
};

static enum sator_status run_analysis(struct job *job)
{
    struct analysis *a = job->data;
    enum sator_status st = sator_check_tensors(job->ctx, a->network->network, a->arch->arch);

    if (st != SATOR_OK)
        return st;
    if (a->layer < 0)
        return sator_analyze_network(job->ctx, a->network->network, a->arch->arch,
                a->dataflow->dataflow, &a->options, &a->made->network);
    return sator_analyze(job->ctx, a->network->network, a->layer, a->arch->arch,
            a->dataflow->dataflow, &a->options, &a->made->result);
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
    int engine, model;

    if (!PyArg_ParseTuple(args, "OiOOiiO!K", &network, &a.layer, &arch, &dataflow, &engine, &model,
                &PyList_Type, &bandwidths, &work_limit) ||
            !need_inputs(network, arch, dataflow) ||
            !numbers_of(bandwidths, &numbers, &a.options.n_sweep))
        return NULL;
    a.network = (struct input *)(void *)network;
    a.arch = (struct input *)(void *)arch;
    a.dataflow = (struct input *)(void *)dataflow;
    a.options.engine = (enum sator_engine_choice)engine;
    a.options.model = (enum sator_model_choice)model;
    a.options.sweep_bandwidths = numbers;
    a.made = new_outcome(module);
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
    bool is_front;
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

    if (copy == NULL)
        abort();
    *copy = *result;
    copy->workload = strdup(sator_network_layer_name(network, layer));
    copy->repeat = sator_map_layer_repeat(network, layer);
    return copy;
}

static enum sator_status map_layers(struct job *job)
{
    struct search *s = job->data;
    const struct sator_network *network = s->network->network;
    int n = s->layer < 0 ? sator_network_layer_count(network) : 1;
    enum sator_status st = sator_check_tensors(job->ctx, network, s->arch->arch);

    if (st == SATOR_OK && s->is_front) {
        st = sator_map_pareto(job->ctx, network, s->layer, s->arch->arch, &s->options,
                &s->made->maps, &s->made->n_maps);
        s->made->is_complete = st == SATOR_OK;
        return s->made->n_maps > 0 && st == SATOR_LIMIT ? SATOR_OK : st;
    }
    s->made->maps = calloc((size_t)n + 1, sizeof *s->made->maps);
    s->made->same_as = calloc((size_t)n + 1, sizeof *s->made->same_as);
    if (s->made->maps == NULL || s->made->same_as == NULL)
        return SATOR_LIMIT;
    for (; s->done < n && st == SATOR_OK; s->done++) {
        int same = s->layer < 0 ? sator_map_same_layer(network, s->done) : 0;
        s->made->same_as[s->done] = same;
        if (same < s->done)
            s->made->maps[s->done] = copy_of(s->made->maps[same], network, s->done);
        else
            st = sator_map(job->ctx, network, s->layer < 0 ? s->done : s->layer, s->arch->arch,
                    &s->options, &s->made->maps[s->done]);
        s->made->n_maps += s->made->maps[s->done] != NULL;
    }
    return st;
}

static PyObject *map(PyObject *module, PyObject *args)
{
    struct search s = {.options.size = sizeof s.options};
    PyObject *network, *arch, *constraints, *progress;
    const char **texts;
    unsigned long long seed, samples, work_limit;
    int objective, strategy, imperfect, top_down, is_front;

    if (!PyArg_ParseTuple(args, "OiOiiO!ppdKKdpiiKO", &network, &s.layer, &arch, &objective,
                &strategy, &PyList_Type, &constraints, &imperfect, &is_front,
                &s.options.budget_seconds, &seed, &samples, &s.options.limit, &top_down,
                &s.options.intra_order, &s.options.threads, &work_limit, &progress) ||
            !need_inputs(network, arch, NULL) ||
            !texts_of(constraints, &texts, &s.options.n_constraints))
        return NULL;
    s.network = (struct input *)(void *)network;
    s.arch = (struct input *)(void *)arch;
    s.is_front = is_front;
    s.options.objective = (enum sator_map_objective)objective;
    s.options.strategy = (enum sator_map_strategy)strategy;
    s.options.constraints = texts;
    s.options.imperfect = imperfect;
    s.options.top_down = top_down;
    s.options.seed = seed;
    s.options.samples = samples;
    s.options.progress = tell_search;
    s.options.progress_data = &s;
    s.made = new_outcome(module);
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

PyMethodDef outcome_methods[] = {
        {"analyze", analyze, METH_VARARGS,
                "analyze(network, layer, arch, dataflow, engine, model, bandwidths, work_limit) -> "
                "Outcome"},
        {"map", map, METH_VARARGS,
                "map(network, layer, arch, objective, strategy, constraints, imperfect, front, "
                "budget, seed, samples, limit, top_down, intra_order, threads, work_limit, "
                "progress) -> Outcome"},
        {0}};
