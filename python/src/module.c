/* The module: its types, its functions, and where it refuses to be imported. */
#include "extension.h"

#include <string.h>

struct state *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

/* The library keeps no state between contexts, but Python objects of one interpreter would be seen
 * by threads of another. */
static bool is_main_interpreter(void)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
        return true;
    PyErr_SetString(PyExc_ImportError,
            "sator cannot be imported in a sub-interpreter: import it in the main one, whose "
            "threads it does not block");
    return false;
}

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

    if (type != NULL && PyModule_AddType(module, (PyTypeObject *)(void *)type) < 0)
        Py_CLEAR(type);
    return (PyTypeObject *)(void *)type;
}

static int execute(PyObject *module)
{
    PyMethodDef *const lists[] = {input_methods, outcome_methods, call_methods, page_methods,
            plan_methods, explore_methods};
    struct state *state = state_of(module);
    PyObject *errors;

    if (!is_main_interpreter())
        return -1;
    errors = PyImport_ImportModule("sator._errors");
    if (errors == NULL)
        return -1;
    state->make_error = PyObject_GetAttrString(errors, "_make_error");
    state->warn = PyObject_GetAttrString(errors, "_warn");
    Py_DECREF(errors);
    state->input_type = add_type(module, &input_spec);
    state->outcome_type = add_type(module, &outcome_spec);
    state->plan_type = add_type(module, &plan_spec);
    state->page_type = add_type(module, &page_spec);
    if (state->make_error == NULL || state->warn == NULL || state->input_type == NULL ||
            state->outcome_type == NULL || state->plan_type == NULL || state->page_type == NULL)
        return -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (PyModule_AddFunctions(module, lists[i]) < 0)
            return -1;
    }
    return 0;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = state_of(module);

    Py_VISIT(state->make_error);
    Py_VISIT(state->warn);
    Py_VISIT(state->input_type);
    Py_VISIT(state->outcome_type);
    Py_VISIT(state->plan_type);
    Py_VISIT(state->page_type);
    return 0;
}

static int clear(PyObject *module)
{
    struct state *state = state_of(module);

    Py_CLEAR(state->make_error);
    Py_CLEAR(state->warn);
    Py_CLEAR(state->input_type);
    Py_CLEAR(state->outcome_type);
    Py_CLEAR(state->plan_type);
    Py_CLEAR(state->page_type);
    return 0;
}

static void free_module(void *module)
{
    clear(module);
}

/* A function as the object that a slot wants: ISO C has no such cast. */
static int (*const execute_slot)(PyObject *) = execute;

PyMODINIT_FUNC PyInit__sator(void);
PyMODINIT_FUNC PyInit__sator(void)
{
    static PyModuleDef_Slot slots[2];
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "sator._sator",
            .m_doc = "The C library behind sator.", .m_size = sizeof(struct state),
            .m_slots = slots, .m_traverse = traverse, .m_clear = clear, .m_free = free_module};

    slots[0].slot = Py_mod_exec;
    memcpy(&slots[0].value, &execute_slot, sizeof slots[0].value);
    return PyModuleDef_Init(&definition);
}
