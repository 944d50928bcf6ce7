/* What calls result in: analyses, mappings, executions. */
#include "extension.h"

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
    sator_map_front_free(self->front);
    sator_simulation_free(self->simulation);
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
    free(self->certificate);
    free(self->name);
    Py_XDECREF(self->of_network);
    Py_XDECREF(self->of_arch);
    Py_XDECREF(self->of_dataflow);
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
    if (self->simulation != NULL)
        return sator_report_simulation(ctx, self->simulation, options, text);
    if (self->front != NULL)
        return sator_report_network_front(ctx, self->front, options, text);
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
    if (st == SATOR_NOMEM)
        return PyErr_NoMemory();
    if (st != SATOR_OK)
        return PyErr_Format(PyExc_ValueError, "the result has no form as '%s'", format);
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    free(text);
    return string;
}

static PyObject *certificate(PyObject *object, PyObject *unused)
{
    const struct outcome *self = self_of(object);

    (void)unused;
    return Py_BuildValue("(zKK)", self->certificate, (unsigned long long)self->proved.verified,
            (unsigned long long)self->proved.total);
}

static PyMethodDef methods[] = {{"report", report, METH_VARARGS,
                                        "report(format) -> str\n\nThe result as 'text', 'json' or "
                                        "'csv', as the command line prints it."},
        {"certificate", certificate, METH_NOARGS,
                "certificate() -> (text, verified, total)\n\nThe certificate of mappings, None "
                "when none was asked for, and how many of its parts are proved."},
        {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
        {Py_tp_doc, (void *)(uintptr_t) "What a call resulted in."}, {0}};
PyType_Spec outcome_spec = {.name = "sator._sator.Outcome",
        .basicsize = sizeof(struct outcome),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots};

struct outcome *new_outcome(
        PyObject *module, PyObject *network, int layer, PyObject *arch, PyObject *dataflow)
{
    struct outcome *made = PyObject_New(struct outcome, state_of(module)->outcome_type);

    if (made == NULL)
        return NULL;
    made->result = NULL;
    made->network = NULL;
    made->front = NULL;
    made->simulation = NULL;
    made->maps = NULL;
    made->n_maps = 0;
    made->same_as = NULL;
    made->is_front = made->is_complete = false;
    made->certificate = NULL;
    made->proved = (struct sator_certificate_count){0};
    made->name = NULL;
    made->layer = layer;
    made->of_network = Py_NewRef(network);
    made->of_arch = Py_NewRef(arch);
    made->of_dataflow = Py_XNewRef(dataflow);
    return made;
}

/* ---- several side by side ---- */

/* The outcomes of a list, as they have to be: all analyses, all networks' analyses, or all
 * mappings. */
static bool same_kind(const struct outcome *a, const struct outcome *b)
{
    return (a->result != NULL) == (b->result != NULL) &&
            (a->network != NULL) == (b->network != NULL) && (a->maps != NULL) == (b->maps != NULL);
}

static enum sator_status write_comparison(struct sator_ctx *ctx, struct outcome *const *outcomes,
        int n, const struct sator_report_options *options, char **text)
{
    const void **results = calloc((size_t)n + 1, sizeof *results);
    struct sator_map_machine *machines = calloc((size_t)n + 1, sizeof *machines);
    struct sator_map_network *networks = calloc((size_t)n + 1, sizeof *networks);
    enum sator_status st = SATOR_NOMEM;

    for (int i = 0; results != NULL && machines != NULL && networks != NULL && i < n; i++) {
        const struct outcome *o = outcomes[i];
        results[i] = o->result != NULL ? (const void *)o->result : (const void *)o->network;
        networks[i] = (struct sator_map_network){.size = sizeof networks[i],
                .name = o->name != NULL ? o->name
                        : o->n_maps > 0 ? o->maps[0]->workload
                                        : NULL};
        machines[i] = (struct sator_map_machine){.size = sizeof machines[i],
                .arch = sator_arch_name(((struct input *)(void *)o->of_arch)->arch),
                .is_network = o->name != NULL,
                .network = &networks[i],
                .results = (const struct sator_map_result *const *)o->maps,
                .n_results = o->n_maps};
    }
    if (results == NULL || machines == NULL || networks == NULL)
        st = SATOR_NOMEM;
    else if (outcomes[0]->result != NULL)
        st = sator_report_results(
                ctx, (const struct sator_result *const *)results, n, options, text);
    else if (outcomes[0]->network != NULL)
        st = sator_report_networks(
                ctx, (const struct sator_network_result *const *)results, n, options, text);
    else
        st = sator_report_machines(ctx, machines, n, options, text);
    free(results);
    free(machines);
    free(networks);
    return st;
}

static PyObject *compare(PyObject *module, PyObject *args)
{
    struct sator_report_options options = {.size = sizeof options, .comparison = true};
    PyObject *list, *answer = NULL;
    struct outcome **outcomes;
    char *text = NULL;
    int n, format;

    if (!PyArg_ParseTuple(args, "O!iz", &PyList_Type, &list, &format, &options.sort) ||
            !outcomes_of(list, &outcomes, &n))
        return NULL;
    options.format = (enum sator_format)format;
    for (int i = 0; i < n; i++) {
        if (outcomes[i]->is_front || outcomes[i]->simulation != NULL ||
                !same_kind(outcomes[0], outcomes[i])) {
            PyMem_Free(outcomes);
            return PyErr_Format(PyExc_ValueError,
                    "results that are compared are all analyses, all analyses of networks, or all "
                    "mappings");
        }
    }
    struct sator_ctx *ctx = sator_ctx_new();
    enum sator_status st = write_comparison(ctx, outcomes, n, &options, &text);
    if (conclude(module, ctx, st))
        answer = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    free(text);
    sator_ctx_free(ctx);
    PyMem_Free(outcomes);
    return answer;
}

bool outcomes_of(PyObject *list, struct outcome ***outcomes, int *n_outcomes)
{
    Py_ssize_t n = PyList_Size(list);

    *outcomes = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof **outcomes);
    if (*outcomes == NULL)
        return false;
    *n_outcomes = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (PyType_GetSlot(Py_TYPE(item), Py_tp_dealloc) != (void *)dealloc) {
            PyErr_SetString(PyExc_TypeError, "a result that a call returned is expected");
            PyMem_Free(*outcomes);
            return false;
        }
        (*outcomes)[i] = (struct outcome *)(void *)item;
    }
    if (n == 0) {
        PyErr_SetString(PyExc_ValueError, "one result at least is expected");
        PyMem_Free(*outcomes);
    }
    return n > 0;
}

PyMethodDef outcome_methods[] = {
        {"compare", compare, METH_VARARGS, "compare(outcomes, format, sort) -> str: side by side"},
        {0}};
