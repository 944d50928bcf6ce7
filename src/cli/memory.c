/* What happens when memory runs out: the process ends, with a message and an exit code of its own.
 *
 * The library returns SATOR_NOMEM, but below it are libraries that go on with half an object (isl)
 * or abort (GMP, LLVM) when an allocation fails. So the program stands between all of them and the
 * allocator: malloc, calloc, realloc and the aligned ones of every shared object are the functions
 * below, and none of them ever returns NULL. Nothing is lost by ending here: a result is written
 * when it is whole, a batch of an exploration is committed or it is not, as after kill -9.
 *
 * Sanitizers bring allocators of their own; their builds do without this.
 */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include "cli/cli.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#ifndef SATOR_SANITIZE

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* nobody listens */
}

/* Nothing here allocates. */
_Noreturn static void out_of_memory(size_t size)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    char digits[3 * sizeof size + 1], *at = digits + sizeof digits - 1;

    while (atomic_flag_test_and_set(&ending))
        pause(); /* another thread is about to end the process */
    for (*at = '\0'; at > digits && (size > 0 || *at == '\0'); size /= 10)
        *--at = (char)('0' + size % 10);
    say("sator: out of memory: an allocation of ");
    say(at);
    say(" bytes failed\n");
    _exit(CLI_MEMORY);
}

/* The allocator's own function "name", the first one after this program's. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        out_of_memory(0);
    return found;
}

/* Define "name" as a call of the next function of that name that does not return NULL. dlsym may
 * allocate before it is answered: it can do without. */
#define NEVER_NULL(name, parameters, arguments, size)                                              \
    void *name parameters;                                                                         \
    void *name parameters                                                                          \
    {                                                                                              \
        static void *(*_Atomic real)parameters;                                                    \
        static _Thread_local bool finding;                                                         \
                                                                                                   \
        if (atomic_load_explicit(&real, memory_order_acquire) == NULL) {                           \
            if (finding)                                                                           \
                return NULL;                                                                       \
            finding = true;                                                                        \
            void *found = next(#name);                                                             \
            void *(*function)parameters;                                                           \
            memcpy(&function, &found, sizeof function);                                            \
            atomic_store_explicit(&real, function, memory_order_release);                          \
            finding = false;                                                                       \
        }                                                                                          \
        void *memory = atomic_load_explicit(&real, memory_order_relaxed) arguments;                \
        if (memory == NULL && (size) != 0)                                                         \
            out_of_memory(size);                                                                   \
        return memory;                                                                             \
    }

/* The size of "n" elements, SIZE_MAX when there is none. */
static size_t product(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

NEVER_NULL(malloc, (size_t size), (size), size)
NEVER_NULL(calloc, (size_t n, size_t size), (n, size), product(n, size))
NEVER_NULL(realloc, (void *old, size_t size), (old, size), size)
NEVER_NULL(aligned_alloc, (size_t alignment, size_t size), (alignment, size), size)
NEVER_NULL(memalign, (size_t alignment, size_t size), (alignment, size), size)

#endif
