/* Networks, architectures and dataflows: read from files, the library or texts. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

/* ---- the type ---- */

static struct input *self_of(PyObject *object)
{
    return (struct input *)(void *)object;
}

static void dealloc(PyObject *object)
{
    struct input *self = self_of(object);
    PyTypeObject *type = Py_TYPE(object);

    sator_network_free(self->network);
    sator_arch_free(self->arch);
    sator_dataflow_free(self->dataflow);
    sator_ctx_free(self->ctx);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *get_name(PyObject *object, void *closure)
{
    const struct input *self = self_of(object);
    (void)closure;
    const char *name = self->network != NULL ? sator_network_name(self->network)
            : self->arch != NULL             ? sator_arch_name(self->arch)
                                             : sator_dataflow_name(self->dataflow);

    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}

/* [(name, repeat), ...] */
static PyObject *get_layers(PyObject *object, void *closure)
{
    const struct input *self = self_of(object);
    PyObject *list = PyList_New(0);

    (void)closure;
    for (int i = 0;
            list != NULL && self->network != NULL && i < sator_network_layer_count(self->network);
            i++) {
        PyObject *layer = Py_BuildValue("(si)", sator_network_layer_name(self->network, i),
                sator_map_layer_repeat(self->network, i));
        if (layer == NULL || PyList_Append(list, layer) < 0)
            Py_CLEAR(list);
        Py_XDECREF(layer);
    }
    return list;
}

static PyObject *text(PyObject *object, PyObject *none)
{
    struct input *self = self_of(object);
    char *made = NULL;

    (void)none;
    enum sator_status st = self->network != NULL
            ? sator_network_text(self->ctx, self->network, &made)
            : self->arch != NULL ? sator_arch_text(self->ctx, self->arch, &made)
                                 : sator_dataflow_text(self->ctx, self->dataflow, &made);
    if (st != SATOR_OK)
        return PyErr_Format(PyExc_SystemError, "the input cannot be written");
    PyObject *string = PyUnicode_DecodeUTF8(made, (Py_ssize_t)strlen(made), "replace");
    free(made);
    return string;
}

static PyMethodDef methods[] = {
        {"text", text, METH_NOARGS, "text() -> str\n\nThe input in Sator's own notation, YAML."},
        {0}};
static PyGetSetDef members[] = {{"name", get_name, NULL, "Its name.", NULL},
        {"layers", get_layers, NULL, "Names and repeats of a network's layers.", NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
        {Py_tp_getset, members}, {Py_tp_doc, (void *)(uintptr_t) "An input that was read."}, {0}};
PyType_Spec input_spec = {.name = "sator._sator.Input",
        .basicsize = sizeof(struct input),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots};

static bool is_input(PyObject *object)
{
    return object != NULL && PyType_GetSlot(Py_TYPE(object), Py_tp_dealloc) == (void *)dealloc;
}

bool has_network(PyObject *object)
{
    if (is_input(object) && self_of(object)->network != NULL)
        return true;
    PyErr_SetString(PyExc_TypeError, "a workload or network is expected");
    return false;
}

bool need_inputs(PyObject *network, PyObject *arch, PyObject *dataflow)
{
    if (!has_network(network))
        return false;
    if (arch != NULL && (!is_input(arch) || self_of(arch)->arch == NULL)) {
        PyErr_SetString(PyExc_TypeError, "an architecture is expected");
        return false;
    }
    if (dataflow != NULL && (!is_input(dataflow) || self_of(dataflow)->dataflow == NULL)) {
        PyErr_SetString(PyExc_TypeError, "a dataflow is expected");
        return false;
    }
    return true;
}

bool texts_of(PyObject *list, const char ***texts, int *n_texts)
{
    Py_ssize_t n = PyList_Size(list);

    *texts = NULL;
    *n_texts = 0;
    if (n < 0)
        return false;
    *texts = PyMem_Calloc((size_t)n + 1, sizeof **texts);
    if (*texts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_ssize_t length;
        (*texts)[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), &length);
        if ((*texts)[i] != NULL && strlen((*texts)[i]) != (size_t)length)
            PyErr_SetString(PyExc_ValueError, "a text has a NUL character in it");
        if (PyErr_Occurred()) {
            PyMem_Free(*texts);
            *texts = NULL;
            return false;
        }
    }
    *n_texts = (int)n;
    return true;
}

/* ---- reading ---- */

/* What is to be read: a spec, a text in memory, two stamps, or a space-time transformation. */
struct question {
    struct input *made;
    const char *kind; /* "network", "arch" or "dataflow" */
    int n_specs;
    const char **specs; /* or: */
    const char *name, *text; /* or: */
    const char *space, *time; /* or: */
    const char *matrix; /* with: */
    const struct input *network, *arch;
    int layer;
    struct sator_input_options options;
};

static enum sator_status read_input(struct job *job)
{
    struct question *q = job->data;
    struct input *made = q->made;

    if (q->matrix != NULL)
        return sator_dataflow_from_stt(made->ctx, q->network->network, q->layer, q->arch->arch,
                q->matrix, &made->dataflow);
    if (q->space != NULL)
        return sator_dataflow_from_text(made->ctx, q->name, q->space, q->time, &made->dataflow);
    if (strcmp(q->kind, "network") == 0)
        return q->text != NULL
                ? sator_network_parse(made->ctx, q->name, q->text, &q->options, &made->network)
                : sator_network_load_all(
                          made->ctx, q->n_specs, q->specs, &q->options, &made->network);
    if (strcmp(q->kind, "arch") == 0)
        return q->text != NULL
                ? sator_arch_parse(made->ctx, q->name, q->text, &q->options, &made->arch)
                : sator_arch_load(made->ctx, q->specs[0], &q->options, &made->arch);
    return q->text != NULL
            ? sator_dataflow_parse(made->ctx, q->name, q->text, &q->options, &made->dataflow)
            : sator_dataflow_load(made->ctx, q->specs[0], &q->options, &made->dataflow);
}

static PyObject *read_question(PyObject *module, struct question *q)
{
    PyTypeObject *type = state_of(module)->input_type;
    struct input *made = PyObject_New(struct input, type);

    if (made == NULL)
        return NULL;
    made->network = NULL;
    made->arch = NULL;
    made->dataflow = NULL;
    made->ctx = sator_ctx_new();
    q->made = made;
    q->options.size = sizeof q->options;
    struct job job = {.ctx = made->ctx, .run = read_input, .data = q};
    if (run_jobs(module, &job, 1, Py_None, NULL))
        return (PyObject *)(void *)made;
    Py_DECREF((PyObject *)(void *)made);
    return NULL;
}

static PyObject *load(PyObject *module, PyObject *args)
{
    struct question q = {0};
    PyObject *specs, *sets, *defines, *includes, *made = NULL;
    const char **set_texts = NULL, **define_texts = NULL, **include_texts = NULL;

    if (!PyArg_ParseTuple(args, "sO!O!O!O!zi", &q.kind, &PyList_Type, &specs, &PyList_Type, &sets,
                &PyList_Type, &defines, &PyList_Type, &includes, &q.options.function,
                &q.options.nest))
        return NULL;
    if (texts_of(specs, &q.specs, &q.n_specs) && texts_of(sets, &set_texts, &q.options.n_sets) &&
            texts_of(defines, &define_texts, &q.options.n_defines) &&
            texts_of(includes, &include_texts, &q.options.n_include_dirs)) {
        q.options.sets = set_texts;
        q.options.defines = define_texts;
        q.options.include_dirs = include_texts;
        if (q.n_specs == 0)
            PyErr_SetString(PyExc_ValueError, "nothing to read");
        else
            made = read_question(module, &q);
    }
    PyMem_Free(q.specs);
    PyMem_Free(set_texts);
    PyMem_Free(define_texts);
    PyMem_Free(include_texts);
    return made;
}

static PyObject *parse(PyObject *module, PyObject *args)
{
    struct question q = {0};
    PyObject *sets, *made = NULL;
    const char **texts = NULL;

    if (!PyArg_ParseTuple(args, "sssO!", &q.kind, &q.name, &q.text, &PyList_Type, &sets))
        return NULL;
    if (texts_of(sets, &texts, &q.options.n_sets)) {
        q.options.sets = texts;
        made = read_question(module, &q);
    }
    PyMem_Free(texts);
    return made;
}

static PyObject *stamps(PyObject *module, PyObject *args)
{
    struct question q = {.kind = "dataflow"};

    if (!PyArg_ParseTuple(args, "sss", &q.name, &q.space, &q.time))
        return NULL;
    return read_question(module, &q);
}

static PyObject *stt(PyObject *module, PyObject *args)
{
    struct question q = {.kind = "dataflow"};
    PyObject *network, *arch;

    if (!PyArg_ParseTuple(args, "OiOs", &network, &q.layer, &arch, &q.matrix) ||
            !need_inputs(network, arch, NULL))
        return NULL;
    q.network = self_of(network);
    q.arch = self_of(arch);
    return read_question(module, &q);
}

/* ---- writing ---- */

/* What is given of the three, the others being None, in another tool's notation. */
static PyObject *convert(PyObject *module, PyObject *args)
{
    PyObject *given[3], *answer = NULL;
    struct input none = {0};
    const struct input *parts[3];
    const char *format;
    char *text = NULL;
    int layer;

    if (!PyArg_ParseTuple(args, "OiOOs", &given[0], &layer, &given[1], &given[2], &format))
        return NULL;
    for (int i = 0; i < 3; i++) {
        if (given[i] != Py_None && !is_input(given[i])) {
            PyErr_SetString(PyExc_TypeError, "an input that was read is expected");
            return NULL;
        }
        parts[i] = given[i] == Py_None ? &none : self_of(given[i]);
    }
    struct sator_ctx *ctx = sator_ctx_new();
    enum sator_status st = sator_convert(
            ctx, parts[0]->network, layer, parts[1]->arch, parts[2]->dataflow, format, &text);
    if (conclude(module, ctx, st))
        answer = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (st == SATOR_OK)
        free(text);
    sator_ctx_free(ctx);
    return answer;
}

static PyObject *library(PyObject *module, PyObject *args)
{
    PyObject *list;
    const char *kind;

    (void)module;
    if (!PyArg_ParseTuple(args, "s", &kind))
        return NULL;
    list = PyList_New(0);
    for (int i = 0; list != NULL && i < sator_library_count(kind); i++) {
        PyObject *entry =
                Py_BuildValue("(sz)", sator_library_name(kind, i), sator_library_summary(kind, i));
        if (entry == NULL || PyList_Append(list, entry) < 0)
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyUnicode_FromString(sator_version());
}

PyMethodDef input_methods[] = {
        {"load", load, METH_VARARGS,
                "load(kind, specs, sets, defines, include_dirs, function, nest) -> Input"},
        {"parse", parse, METH_VARARGS, "parse(kind, name, text, sets) -> Input"},
        {"stamps", stamps, METH_VARARGS, "stamps(name, space, time) -> Input"},
        {"stt", stt, METH_VARARGS, "stt(network, layer, arch, matrix) -> Input"},
        {"convert", convert, METH_VARARGS,
                "convert(network, layer, arch, dataflow, format) -> str"},
        {"library", library, METH_VARARGS, "library(kind) -> list of (name, summary)"},
        {"version", version, METH_NOARGS, "version() -> str"}, {0}};
