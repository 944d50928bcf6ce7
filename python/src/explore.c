/* Explorations into a database, and what a database holds. */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

struct exploration {
    const struct input *network;
    int layer;
    const char *arch;
    struct sator_explore_options options;
    struct sator_input_options input;
    const struct sator_explore_summary *summary;
    struct sator_exploration *made;
};

static void tell_exploration(void *data, const struct sator_explore_progress *progress)
{
    struct tally tally = {.numbers = {progress->best, progress->points_per_second},
            .counts = {(uint64_t)progress->points_done, (uint64_t)progress->points_total,
                    progress->results}};

    (void)data;
    tell(&tally);
}

static PyObject *told_exploration(const struct tally *tally)
{
    return Py_BuildValue("(ddKKK)", tally->numbers[0], tally->numbers[1],
            (unsigned long long)tally->counts[0], (unsigned long long)tally->counts[1],
            (unsigned long long)tally->counts[2]);
}

static enum sator_status run_exploration(struct job *job)
{
    struct exploration *e = job->data;

    enum sator_status st = sator_exploration_new(
            job->ctx, e->network->network, e->layer, e->arch, &e->input, &e->options, &e->made);
    if (st == SATOR_OK)
        st = sator_explore_run(job->ctx, e->made, tell_exploration, NULL, &e->summary);
    return st;
}

/* {"points": ..., "results": ..., "left_out": {rule: points}, "complete": ..., "note": ...} */
static PyObject *summary_of(const struct sator_explore_summary *summary)
{
    PyObject *rules = PyDict_New();

    for (int i = 0; rules != NULL && i < summary->n_rules; i++) {
        PyObject *points = PyLong_FromUnsignedLongLong(summary->rules[i].points);
        if (points == NULL || PyDict_SetItemString(rules, summary->rules[i].name, points) < 0)
            Py_CLEAR(rules);
        Py_XDECREF(points);
    }
    if (rules == NULL)
        return NULL;
    return Py_BuildValue("{sKsKsNsOszsd}", "points", (unsigned long long)summary->points, "results",
            (unsigned long long)summary->results, "left_out", rules, "complete",
            summary->complete ? Py_True : Py_False, "note", summary->note, "seconds",
            summary->seconds);
}

static PyObject *explore(PyObject *module, PyObject *args)
{
    struct exploration e = {.options.size = sizeof e.options, .input.size = sizeof e.input};
    PyObject *network, *sets, *varies, *progress, *answer = NULL;
    const char **set_texts = NULL, **vary_texts = NULL;
    unsigned long long first, count, work_limit;
    int space, prune, whole, idle, no_symmetry, ordered, imperfect, resume, timing;

    if (!PyArg_ParseTuple(args, "OisO!O!iiiiippppKKzzzdpispKiO", &network, &e.layer, &e.arch,
                &PyList_Type, &sets, &PyList_Type, &varies, &space, &prune, &e.options.pack,
                &e.options.skew, &e.options.fold, &whole, &idle, &no_symmetry, &ordered, &first,
                &count, &e.options.where, &e.options.keep, &e.options.objective,
                &e.options.budget_seconds, &imperfect, &e.options.threads, &e.options.database,
                &resume, &work_limit, &timing, &progress) ||
            !has_network(network))
        return NULL;
    e.network = (struct input *)(void *)network;
    e.options.space = (enum sator_explore_space)space;
    e.options.prune = (enum sator_explore_prune)prune;
    e.options.whole_skews = whole;
    e.options.idle = idle;
    e.options.no_symmetry = no_symmetry;
    e.options.ordered = ordered;
    e.options.first_point = first;
    e.options.n_points = count;
    e.options.imperfect = imperfect;
    e.options.resume = resume;
    e.options.timing = (enum sator_timing_choice)timing;
    e.options.work_limit = work_limit;
    struct job job = {.ctx = sator_ctx_new(), .run = run_exploration, .data = &e};
    if (texts_of(sets, &set_texts, &e.input.n_sets) &&
            texts_of(varies, &vary_texts, &e.options.n_varies)) {
        e.input.sets = set_texts;
        e.options.varies = vary_texts;
        if (run_jobs(module, &job, 1, progress, told_exploration))
            answer = summary_of(e.summary);
    }
    sator_exploration_free(e.made);
    sator_ctx_free(job.ctx);
    PyMem_Free(set_texts);
    PyMem_Free(vary_texts);
    return answer;
}

/* ---- databases ---- */

struct query {
    const char *database;
    struct sator_query_options options;
    char *text;
    size_t length;
};

static bool collect(void *data, const char *text, size_t length)
{
    struct query *query = data;
    char *grown = realloc(query->text, query->length + length + 1);

    if (grown == NULL)
        return false;
    query->text = grown;
    memcpy(query->text + query->length, text, length);
    query->length += length;
    query->text[query->length] = '\0';
    return true;
}

static enum sator_status run_query(struct job *job)
{
    struct query *query = job->data;
    const struct sator_sink sink = {collect, query};

    return sator_explore_query(job->ctx, query->database, &query->options, &sink);
}

static PyObject *query(PyObject *module, PyObject *args)
{
    struct query query = {.options.size = sizeof query.options};
    PyObject *answer = NULL;
    unsigned long long top;
    int whole_network, per_hardware, summary, format;

    if (!PyArg_ParseTuple(args, "szzzKzpppi", &query.database, &query.options.where,
                &query.options.sort, &query.options.pareto, &top, &query.options.layer,
                &whole_network, &per_hardware, &summary, &format))
        return NULL;
    query.options.top = top;
    query.options.whole_network = whole_network;
    query.options.per_hardware = per_hardware;
    query.options.summary = summary;
    query.options.format = (enum sator_format)format;
    struct job job = {.ctx = sator_ctx_new(), .run = run_query, .data = &query};
    if (run_jobs(module, &job, 1, Py_None, NULL))
        answer = PyUnicode_DecodeUTF8(
                query.text == NULL ? "" : query.text, (Py_ssize_t)query.length, "replace");
    sator_ctx_free(job.ctx);
    free(query.text);
    return answer;
}

PyMethodDef explore_methods[] = {{"explore", explore, METH_VARARGS,
                                         "explore(network, layer, arch, ...) -> dict: what was "
                                         "visited, into the database"},
        {"query", query, METH_VARARGS,
                "query(database, where, sort, pareto, top, layer, whole_network, per_hardware, "
                "summary, format) -> str"},
        {0}};
