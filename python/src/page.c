/* Reports to look at: pages of results, and their pictures (sator/page.h). */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

/* A mapping of a page, as a dataflow with its analysis. */
struct analysed {
    struct sator_dataflow *dataflow;
    struct sator_result *result;
};

struct page {
    PyObject_HEAD struct sator_ctx *ctx; /* that read the dataflows below */
    struct sator_page *page;
    PyObject *outcomes; /* that it is of */
    struct analysed *analysed;
    int n_analysed;
};

static struct page *self_of(PyObject *object)
{
    return (struct page *)(void *)object;
}

static void dealloc(PyObject *object)
{
    struct page *self = self_of(object);
    PyTypeObject *type = Py_TYPE(object);

    sator_page_free(self->page);
    for (int i = 0; i < self->n_analysed; i++) {
        sator_result_free(self->analysed[i].result);
        sator_dataflow_free(self->analysed[i].dataflow);
    }
    free(self->analysed);
    sator_ctx_free(self->ctx);
    Py_XDECREF(self->outcomes);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* ---- what it shows ---- */

static PyObject *string_of(char *text)
{
    PyObject *string = text == NULL
            ? PyErr_NoMemory()
            : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");

    free(text);
    return string;
}

static PyObject *get_html(PyObject *object, PyObject *none)
{
    (void)none;
    return string_of(sator_page_html(self_of(object)->page));
}

static PyObject *get_json(PyObject *object, PyObject *none)
{
    (void)none;
    return string_of(sator_page_json(self_of(object)->page));
}

/* A picture's text, or the exception that says why there is none. */
static PyObject *picture_of(
        PyObject *object, struct sator_ctx *ctx, enum sator_status st, char *text)
{
    PyObject *string = NULL;

    if (conclude(PyType_GetModule(Py_TYPE(object)), ctx, st))
        string = string_of(text);
    else
        free(text);
    sator_ctx_free(ctx);
    return string;
}

static PyObject *get_svg(PyObject *object, PyObject *args)
{
    const char *picture;
    char *text = NULL;

    if (!PyArg_ParseTuple(args, "s", &picture))
        return NULL;
    struct sator_ctx *ctx = sator_ctx_new();
    enum sator_status st = sator_page_svg(ctx, self_of(object)->page, picture, &text);
    return picture_of(object, ctx, st, text);
}

static PyObject *get_show(PyObject *object, PyObject *args)
{
    struct sator_show_options options = {.size = sizeof options};
    const char *picture;
    char *text = NULL;
    int ascii;

    if (!PyArg_ParseTuple(args, "sip", &picture, &options.width, &ascii))
        return NULL;
    options.ascii = ascii;
    struct sator_ctx *ctx = sator_ctx_new();
    enum sator_status st = sator_page_show(ctx, self_of(object)->page, picture, &options, &text);
    return picture_of(object, ctx, st, text);
}

static PyMethodDef methods[] = {{"html", get_html, METH_NOARGS, "html() -> str"},
        {"json", get_json, METH_NOARGS, "json() -> str: the data document"},
        {"svg", get_svg, METH_VARARGS, "svg(picture) -> str"},
        {"show", get_show, METH_VARARGS, "show(picture, width, ascii) -> str"}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, dealloc}, {Py_tp_methods, methods},
        {Py_tp_doc, (void *)(uintptr_t) "Results to look at."}, {0}};
PyType_Spec page_spec = {.name = "sator._sator.Page",
        .basicsize = sizeof(struct page),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots};

/* ---- making ---- */

struct making {
    struct page *made;
    struct outcome **outcomes;
    int n_outcomes;
    const char *database; /* NULL: none */
    struct sator_page_options options;
};

static const struct sator_network *network_of(const struct outcome *outcome)
{
    return ((const struct input *)(const void *)outcome->of_network)->network;
}

static const struct sator_arch *arch_of(const struct outcome *outcome)
{
    return ((const struct input *)(const void *)outcome->of_arch)->arch;
}

/* One analysis, or those of a network's layers. */
static enum sator_status add_analyses(
        struct sator_ctx *ctx, struct sator_page *page, const struct outcome *outcome)
{
    const struct sator_network_result *network = outcome->network;
    const struct sator_dataflow *dataflow =
            ((const struct input *)(const void *)outcome->of_dataflow)->dataflow;
    const struct sator_result *single =
            outcome->simulation != NULL ? outcome->simulation->result : outcome->result;
    enum sator_status st = SATOR_OK;

    sator_page_add_design(page, sator_dataflow_name(dataflow), NULL, arch_of(outcome));
    if (network == NULL)
        return sator_page_add_layer(
                ctx, page, network_of(outcome), outcome->layer, 1, dataflow, single);
    for (int i = 0; i < network->n_layers && st == SATOR_OK; i++)
        st = sator_page_add_layer(ctx, page, network_of(outcome), i, network->layers[i].repeat,
                dataflow, network->layers[i].result);
    return st;
}

/* Mapping "index" of the outcome as a dataflow, analysed. */
static enum sator_status analyse_mapping(
        struct making *making, const struct outcome *outcome, int index, struct analysed **analysed)
{
    struct page *made = making->made;
    struct sator_ctx *ctx = made->ctx;
    int layer = outcome->layer < 0 ? index : outcome->layer;

    *analysed = &made->analysed[made->n_analysed++];
    enum sator_status st = sator_dataflow_parse(
            ctx, "the best mapping", outcome->maps[index]->yaml, NULL, &(*analysed)->dataflow);
    if (st == SATOR_OK)
        st = sator_analyze(ctx, network_of(outcome), layer, arch_of(outcome), (*analysed)->dataflow,
                NULL, &(*analysed)->result);
    if (st == SATOR_OK)
        st = sator_advise(ctx, network_of(outcome), layer, arch_of(outcome), (*analysed)->dataflow,
                NULL, (*analysed)->result);
    return st;
}

/* The mappings of a network's layers as one design; those of a front as one each. */
static enum sator_status add_mappings(struct making *making, const struct outcome *outcome)
{
    struct page *made = making->made;
    struct analysed **of = calloc((size_t)outcome->n_maps + 1, sizeof *of);
    enum sator_status st = of == NULL ? SATOR_NOMEM : SATOR_OK;

    for (int i = 0; i < outcome->n_maps && st == SATOR_OK; i++) {
        int same = outcome->same_as == NULL || outcome->layer >= 0 ? i : outcome->same_as[i];
        of[i] = of[same];
        if (same == i)
            st = analyse_mapping(making, outcome, i, &of[i]);
        if (st != SATOR_OK)
            break;
        if (i == 0 || outcome->is_front)
            sator_page_add_design(made->page,
                    outcome->maps[i]->proved ? "best mapping, proved" : "best mapping found", NULL,
                    arch_of(outcome));
        st = sator_page_add_layer(made->ctx, made->page, network_of(outcome),
                outcome->layer < 0 ? i : outcome->layer,
                outcome->layer < 0 ? outcome->maps[i]->repeat : 1, of[i]->dataflow, of[i]->result);
    }
    free(of);
    return st;
}

static enum sator_status make_page(struct job *job)
{
    struct making *making = job->data;
    struct page *made = making->made;
    enum sator_status st = sator_page_new(job->ctx, &making->options, &made->page);
    size_t n_maps = 0;

    for (int i = 0; i < making->n_outcomes; i++)
        n_maps += (size_t)making->outcomes[i]->n_maps;
    made->analysed = calloc(n_maps + 1, sizeof *made->analysed);
    if (made->analysed == NULL)
        return SATOR_NOMEM;
    for (int i = 0; i < making->n_outcomes && st == SATOR_OK; i++) {
        const struct outcome *outcome = making->outcomes[i];
        st = outcome->maps != NULL ? add_mappings(making, outcome)
                                   : add_analyses(job->ctx, made->page, outcome);
    }
    if (st == SATOR_OK && making->database != NULL) {
        const struct sator_query_options query = {
                .size = sizeof query, .format = SATOR_FORMAT_CSV, .quiet = true};
        const struct sator_sink sink = sator_page_points(made->page, NULL);
        st = sator_explore_query(job->ctx, making->database, &query, &sink);
    }
    return st;
}

static struct page *new_page(PyObject *module, PyObject *outcomes)
{
    struct page *made = PyObject_New(struct page, state_of(module)->page_type);

    if (made == NULL)
        return NULL;
    made->ctx = sator_ctx_new();
    made->page = NULL;
    made->outcomes = Py_NewRef(outcomes);
    made->analysed = NULL;
    made->n_analysed = 0;
    return made;
}

/* The numbers of a list (free by PyMem_Free). */
static bool stamp_of(PyObject *list, int64_t **stamp, int *n)
{
    Py_ssize_t length = PyList_Size(list);

    *stamp = PyMem_Calloc((size_t)length + 1, sizeof **stamp);
    *n = (int)length;
    for (Py_ssize_t i = 0; *stamp != NULL && i < length; i++)
        (*stamp)[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
    if (*stamp == NULL || !PyErr_Occurred())
        return *stamp != NULL;
    PyMem_Free(*stamp);
    return false;
}

static PyObject *page(PyObject *module, PyObject *args)
{
    struct making making = {.options.size = sizeof making.options};
    struct sator_report_window window = {.size = sizeof window};
    PyObject *outcomes, *from, *answer = NULL;
    int64_t *stamp = NULL;

    if (!PyArg_ParseTuple(args, "O!zO!iz", &PyList_Type, &outcomes, &making.options.command,
                &PyList_Type, &from, &window.n_stamps, &making.database))
        return NULL;
    if (PyList_Size(outcomes) > 0 && !outcomes_of(outcomes, &making.outcomes, &making.n_outcomes))
        return NULL;
    for (int i = 0; i < making.n_outcomes; i++) {
        if (making.outcomes[i]->front == NULL)
            continue;
        PyMem_Free(making.outcomes);
        return PyErr_Format(
                PyExc_ValueError, "the front of a network has no page: choose one of its mappings");
    }
    if (stamp_of(from, &stamp, &window.n_from)) {
        window.from = stamp;
        making.options.window = &window;
        making.made = new_page(module, outcomes);
    }
    if (making.made != NULL) {
        struct job job = {.ctx = making.made->ctx, .run = make_page, .data = &making};
        answer = (PyObject *)(void *)making.made;
        if (!run_jobs(module, &job, 1, Py_None, NULL))
            Py_CLEAR(answer);
    }
    PyMem_Free(stamp);
    PyMem_Free(making.outcomes);
    return answer;
}

PyMethodDef page_methods[] = {
        {"page", page, METH_VARARGS, "page(outcomes, command, from, n_stamps, database) -> Page"},
        {0}};
