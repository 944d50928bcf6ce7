/* sator._sator: what the package sator (python/sator) needs of the C library, on the public
 * functions of include/sator and the stable ABI of Python 3.11.
 *
 * Python objects hold what the library made together with the context that read it, since messages
 * point into its sources. Every call that may take long runs in threads of its own (job.c), without
 * the interpreter's lock, so that signals and progress are seen.
 */
#ifndef SATOR_PYTHON_EXTENSION_H
#define SATOR_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <sator/build.h>
#include <sator/certificate.h>
#include <sator/convert.h>
#include <sator/explore.h>
#include <sator/input.h>
#include <sator/map.h>
#include <sator/page.h>
#include <sator/plan.h>
#include <sator/report.h>
#include <sator/simulate.h>

/* What the module keeps. */
struct state {
    PyObject *make_error; /* of sator._errors: from status and messages to an exception */
    PyObject *warn; /* of sator._errors: warnings of a call that went well */
    PyTypeObject *input_type, *outcome_type, *plan_type, *page_type;
};
struct state *state_of(PyObject *module);

/* ---- inputs.c ---- */

/* A network, an architecture or a dataflow: one of the three is there. */
struct input {
    PyObject_HEAD struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
};
extern PyType_Spec input_spec;
extern PyMethodDef input_methods[]; /* of the module, as the others below */

/* The objects as what they have to be; TypeError when one is not. */
bool has_network(PyObject *object);
bool need_inputs(PyObject *network, PyObject *arch, PyObject *dataflow);

/* A list of texts as an array (free by PyMem_Free) that borrows from the list; false with an
 * exception. */
bool texts_of(PyObject *list, const char ***texts, int *n_texts);

/* ---- job.c ---- */

/* One call of the library: "run" is called in a thread of its own, with the context. */
struct job {
    struct sator_ctx *ctx;
    enum sator_status (*run)(struct job *job);
    void *data;
    enum sator_status status;
};
/* What a job tells from time to time, from its thread: a report replaces the one before. */
struct tally {
    double numbers[4];
    uint64_t counts[3];
    bool is_new;
};
/* Run all jobs, each in a thread, while signals are looked at and "progress" (None: nobody) is
 * called with "told" made of the latest tally. False with an exception: a signal's, progress's, or
 * that of the first job that went wrong. */
bool run_jobs(PyObject *module, struct job *jobs, int n_jobs, PyObject *progress,
        PyObject *(*told)(const struct tally *tally));
/* From within a job. */
void tell(const struct tally *tally);

/* Set the exception for a call that ended with "status", or give the context's warnings; true when
 * it was SATOR_OK and no warning is an error. */
bool conclude(PyObject *module, struct sator_ctx *ctx, enum sator_status status);

/* ---- outcome.c: results ---- */

struct outcome {
    PyObject_HEAD struct sator_result *result; /* one of an analysis, ... */
    struct sator_network_result *network;
    struct sator_map_front *front; /* ... or of a network's front */
    struct sator_simulation *simulation; /* ... or of an execution */
    struct sator_map_result **maps; /* ... or mappings */
    int n_maps;
    int *same_as; /* the earlier mapping that one is a copy of, or its own number; NULL: no copies
                   */
    bool is_front, is_complete;
    char *certificate; /* of the mappings, where one was asked for; else NULL */
    struct sator_certificate_count proved; /* by it */
    char *name; /* of the network whose layers were mapped; NULL: of one */
    int layer; /* that it is of; -1: all of the network */
    PyObject *of_network, *of_arch, *of_dataflow; /* Inputs; no dataflow: mappings */
};
extern PyType_Spec outcome_spec;
extern PyMethodDef outcome_methods[];

/* An outcome of nothing yet, of these Inputs ("dataflow" may be NULL); NULL with an exception. */
struct outcome *new_outcome(
        PyObject *module, PyObject *network, int layer, PyObject *arch, PyObject *dataflow);
/* A list of outcomes, one at least, as an array (free by PyMem_Free); false with an exception. */
bool outcomes_of(PyObject *list, struct outcome ***outcomes, int *n_outcomes);

/* ---- calls.c ---- */

extern PyMethodDef call_methods[];

/* ---- page.c: reports to look at ---- */

extern PyType_Spec page_spec;
extern PyMethodDef page_methods[];

/* ---- plan.c ---- */

extern PyType_Spec plan_spec;
extern PyMethodDef plan_methods[];

/* ---- explore.c ---- */

extern PyMethodDef explore_methods[];

#endif
