/* Plans: thousands of points from an array, without the interpreter's lock. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_THREADS = 256
};

struct plan {
    PyObject_HEAD struct sator_ctx *ctx; /* that made it */
    struct sator_plan *plan;
    PyObject *network, *arch, *dataflow; /* that it is of */
};

static struct plan *self_of(PyObject *object)
{
    return (struct plan *)(void *)object;
}

static void dealloc(PyObject *object)
{
    struct plan *self = self_of(object);
    PyTypeObject *type = Py_TYPE(object);

    sator_plan_free(self->plan);
    sator_ctx_free(self->ctx);
    Py_XDECREF(self->network);
    Py_XDECREF(self->arch);
    Py_XDECREF(self->dataflow);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* [(name, extent), ...] */
static PyObject *get_loops(PyObject *object, void *closure)
{
    const struct sator_plan *plan = self_of(object)->plan;
    PyObject *list = PyList_New(0);

    (void)closure;
    for (int i = 0; list != NULL && i < sator_plan_loop_count(plan); i++) {
        PyObject *loop = Py_BuildValue(
                "(sL)", sator_plan_loop_name(plan, i), (long long)sator_plan_loop_extent(plan, i));
        if (loop == NULL || PyList_Append(list, loop) < 0)
            Py_CLEAR(list);
        Py_XDECREF(loop);
    }
    return list;
}

/* 1: a count, 0: a number, -1: none of a result's. */
static PyObject *figure_kind(PyObject *object, PyObject *args)
{
    const char *figure;

    if (!PyArg_ParseTuple(args, "s", &figure))
        return NULL;
    return PyLong_FromLong(sator_plan_figure_kind(self_of(object)->plan, figure));
}

/* ---- points ---- */

/* The points of one thread. */
struct part {
    const struct sator_plan *plan;
    int64_t n_points, n_done;
    const int64_t *extents;
    int n_columns;
    struct sator_column *columns;
    bool *is_valid;
};

static enum sator_status evaluate_part(struct job *job)
{
    struct part *part = job->data;
    struct sator_workspace *workspace = sator_workspace_new();
    enum sator_status st = workspace == NULL
            ? SATOR_NOMEM
            : sator_plan_evaluate_points(job->ctx, part->plan, workspace, part->n_points,
                      part->extents, part->n_columns, part->columns, part->is_valid, &part->n_done);

    sator_workspace_free(workspace);
    return st;
}

/* The buffers of one call: extents, a column each, flags. */
struct buffers {
    Py_buffer extents, valid, *columns;
    int n_columns, n_open;
    struct sator_column *made;
    bool has_extents, has_valid;
};

static void close_buffers(struct buffers *b)
{
    if (b->has_extents)
        PyBuffer_Release(&b->extents);
    if (b->has_valid)
        PyBuffer_Release(&b->valid);
    for (int i = 0; i < b->n_open; i++)
        PyBuffer_Release(&b->columns[i]);
    PyMem_Free(b->columns);
    PyMem_Free(b->made);
}

/* A buffer of "n" items of "item" bytes; ValueError otherwise. */
static bool open_buffer(PyObject *object, Py_buffer *buffer, bool *is_open, Py_ssize_t item,
        Py_ssize_t n, bool writable)
{
    if (PyObject_GetBuffer(object, buffer, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return false;
    *is_open = true;
    if (n < 0 || buffer->len == n * item)
        return true;
    PyErr_Format(PyExc_ValueError, "a buffer has %zd bytes, and %zd are expected", buffer->len,
            n * item);
    return false;
}

/* "columns" is a list of (figure, is_count, buffer). */
static bool open_columns(struct buffers *b, PyObject *columns, Py_ssize_t n_points)
{
    b->n_columns = (int)PyList_Size(columns);
    b->columns = PyMem_Calloc((size_t)b->n_columns + 1, sizeof *b->columns);
    b->made = PyMem_Calloc((size_t)b->n_columns + 1, sizeof *b->made);
    if (b->columns == NULL || b->made == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (int i = 0; i < b->n_columns; i++) {
        PyObject *buffer;
        bool is_open = false;
        int is_count;
        struct sator_column *column = &b->made[i];
        column->size = sizeof *column;
        if (!PyArg_ParseTuple(
                    PyList_GetItem(columns, i), "spO", &column->figure, &is_count, &buffer))
            return false;
        bool fits = open_buffer(buffer, &b->columns[i], &is_open, 8, n_points, true);
        b->n_open += is_open;
        if (!fits)
            return false;
        if (is_count)
            column->counts = b->columns[i].buf;
        else
            column->numbers = b->columns[i].buf;
    }
    return true;
}

/* Part "number" of "n_parts" of all points. */
static struct part part_of(const struct plan *self, const struct buffers *b, int64_t n_points,
        int number, int n_parts, struct sator_column *columns)
{
    const int64_t first = n_points * number / n_parts, end = n_points * (number + 1) / n_parts;

    for (int c = 0; c < b->n_columns; c++) {
        columns[c] = b->made[c];
        if (columns[c].numbers != NULL)
            columns[c].numbers += first;
        else
            columns[c].counts += first;
    }
    return (struct part){.plan = self->plan,
            .n_points = end - first,
            .extents = (const int64_t *)b->extents.buf + first * sator_plan_loop_count(self->plan),
            .n_columns = b->n_columns,
            .columns = columns,
            .is_valid = b->has_valid ? (bool *)b->valid.buf + first : NULL};
}

static bool evaluate_all(PyObject *module, const struct plan *self, const struct buffers *b,
        int64_t n_points, int n_threads)
{
    struct job jobs[MOST_THREADS];
    struct part parts[MOST_THREADS];
    size_t each = (size_t)b->n_columns + 1;
    struct sator_column *columns = PyMem_Calloc((size_t)n_threads * each, sizeof *columns);

    if (columns == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (int t = 0; t < n_threads; t++) {
        parts[t] = part_of(self, b, n_points, t, n_threads, &columns[(size_t)t * each]);
        jobs[t] = (struct job){.ctx = sator_ctx_new(), .run = evaluate_part, .data = &parts[t]};
    }
    bool went_well = run_jobs(module, jobs, n_threads, Py_None, NULL);
    for (int t = 0; t < n_threads; t++)
        sator_ctx_free(jobs[t].ctx);
    PyMem_Free(columns);
    return went_well;
}

static PyObject *evaluate(PyObject *object, PyObject *args)
{
    struct plan *self = self_of(object);
    struct buffers b = {0};
    PyObject *extents, *columns, *valid, *answer = NULL;
    PyObject *module = PyType_GetModule(Py_TYPE(object));
    Py_ssize_t n_points;
    int n_threads;

    if (module == NULL ||
            !PyArg_ParseTuple(args, "OnO!Oi", &extents, &n_points, &PyList_Type, &columns, &valid,
                    &n_threads))
        return NULL;
    n_threads = n_threads < 1 ? 1 : n_threads > MOST_THREADS ? MOST_THREADS : n_threads;
    n_threads = n_points < n_threads ? (n_points < 1 ? 1 : (int)n_points) : n_threads;
    if (n_points < 0)
        PyErr_SetString(PyExc_ValueError, "the number of points is negative");
    else if (open_buffer(extents, &b.extents, &b.has_extents, 8,
                     n_points * sator_plan_loop_count(self->plan), false) &&
            open_columns(&b, columns, n_points) &&
            (valid == Py_None || open_buffer(valid, &b.valid, &b.has_valid, 1, n_points, true)) &&
            evaluate_all(module, self, &b, n_points, n_threads))
        answer = Py_NewRef(Py_None);
    close_buffers(&b);
    return answer;
}

static PyMethodDef methods[] = {{"figure_kind", figure_kind, METH_VARARGS,
                                        "figure_kind(figure) -> int\n\n1: a count, 0: a number, "
                                        "-1: there is none."},
        {"evaluate", evaluate, METH_VARARGS,
                "evaluate(extents, n_points, columns, valid, threads)\n\nFill the buffers of "
                "columns, a list of (figure, is_count, buffer)."},
        {0}};
static PyGetSetDef members[] = {{"loops", get_loops, NULL, "Names and extents.", NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
        {Py_tp_getset, members},
        {Py_tp_doc, (void *)(uintptr_t) "What is bound once and evaluated often."}, {0}};
PyType_Spec plan_spec = {.name = "sator._sator.Plan",
        .basicsize = sizeof(struct plan),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots};

/* ---- making ---- */

struct making {
    struct plan *made;
    int layer;
    struct sator_analyze_options options;
};

static enum sator_status make(struct job *job)
{
    struct making *m = job->data;
    const struct input *network = (struct input *)(void *)m->made->network;
    const struct input *arch = (struct input *)(void *)m->made->arch;
    const struct input *dataflow = (struct input *)(void *)m->made->dataflow;

    return sator_plan_new(job->ctx, network->network, m->layer, arch->arch, dataflow->dataflow,
            &m->options, &m->made->plan);
}

static PyObject *plan(PyObject *module, PyObject *args)
{
    struct making m = {.options.size = sizeof m.options};
    PyObject *network, *arch, *dataflow;
    int engine, model, timing;

    if (!PyArg_ParseTuple(
                args, "OiOOiii", &network, &m.layer, &arch, &dataflow, &engine, &model, &timing) ||
            !need_inputs(network, arch, dataflow))
        return NULL;
    m.options.engine = (enum sator_engine_choice)engine;
    m.options.model = (enum sator_model_choice)model;
    m.options.timing = (enum sator_timing_choice)timing;
    m.made = PyObject_New(struct plan, state_of(module)->plan_type);
    if (m.made == NULL)
        return NULL;
    m.made->plan = NULL;
    m.made->ctx = sator_ctx_new();
    m.made->network = Py_NewRef(network);
    m.made->arch = Py_NewRef(arch);
    m.made->dataflow = Py_NewRef(dataflow);
    struct job job = {.ctx = m.made->ctx, .run = make, .data = &m};
    if (run_jobs(module, &job, 1, Py_None, NULL))
        return (PyObject *)(void *)m.made;
    Py_DECREF((PyObject *)(void *)m.made);
    return NULL;
}

PyMethodDef plan_methods[] = {
        {"plan", plan, METH_VARARGS,
                "plan(network, layer, arch, dataflow, engine, model, timing) -> Plan"},
        {0}};
