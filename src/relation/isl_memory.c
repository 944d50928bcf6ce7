/* Memory of isl's numbers. isl itself says when an allocation failed; GMP, which has its numbers,
 * ends the process. Its own functions for memory are replaced by ones that leave the call in
 * progress instead, and do without one what GMP's do: those are a process's, and other users of GMP
 * in it notice nothing. A program that has set functions of its own keeps them.
 *
 * GMP is found by name: an isl that was built without it needs none of this.
 */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "relation/bridge.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef void *allocate_function(size_t size);
typedef void *reallocate_function(void *memory, size_t old_size, size_t size);
typedef void free_function(void *memory, size_t size);

static void *checked(void *memory)
{
    if (memory == NULL && sator_is_guarded())
        sator_out_of_memory();
    if (memory == NULL)
        abort(); /* as GMP does: another user's number */
    return memory;
}

static void *allocate(size_t size)
{
    return checked(malloc(size));
}

static void *reallocate(void *memory, size_t old_size, size_t size)
{
    (void)old_size;
    return checked(realloc(memory, size));
}

/* Let "*function", a pointer to a function, be "name" (POSIX, dlsym: an object's address). */
static bool find(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void replace(void)
{
    void (*get)(allocate_function **, reallocate_function **, free_function **);
    void (*set)(allocate_function *, reallocate_function *, free_function *);
    allocate_function *own_allocate, *current_allocate;
    reallocate_function *own_reallocate, *current_reallocate;
    free_function *current_free;

    if (!find("__gmp_get_memory_functions", &get) || !find("__gmp_set_memory_functions", &set) ||
            !find("__gmp_default_allocate", &own_allocate) ||
            !find("__gmp_default_reallocate", &own_reallocate))
        return;
    get(&current_allocate, &current_reallocate, &current_free);
    if (current_allocate == own_allocate && current_reallocate == own_reallocate)
        set(allocate, reallocate, current_free);
}

void sator_bridge_replace_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, replace);
}
