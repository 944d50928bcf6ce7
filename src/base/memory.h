/* Memory, and what happens when there is none.
 *
 * An allocation does not return NULL. When the system has no memory left, sator_out_of_memory
 * leaves the public call in progress at once, from however deep, and that call returns SATOR_NOMEM:
 * no path of the program is one that is only taken, and so only tested, when memory runs out. Every
 * public function that can allocate begins with a guard (SATOR_CALL of context.h), and a thread of
 * ours has one of its own (sator_guarded).
 *
 * What the call was building goes with it: objects that say how they are released (sator_hold), as
 * arenas do, are. What is allocated beside them stays taken, and so do isl's objects, whose context
 * is given up: the next question makes a new one. Functions that change what outlives a call change
 * it last, after they have allocated.
 */
#ifndef SATOR_BASE_MEMORY_H
#define SATOR_BASE_MEMORY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Part of an object that is released when the call that made it is left. */
struct sator_held {
    struct sator_held *next, **link; /* "link" NULL: nobody holds it */
    void (*release)(struct sator_held *held);
};
/* From here to sator_let_go, which its release and its own free function call, the object goes when
 * the call in progress is left. It is the thread's that made it until that call has ended. */
void sator_hold(struct sator_held *held, void (*release)(struct sator_held *held));
void sator_let_go(struct sator_held *held);

/* Uninitialized memory; the same with another size; zeroed memory for "n" elements of "size". */
__attribute__((returns_nonnull)) void *sator_alloc(size_t size);
__attribute__((returns_nonnull)) void *sator_realloc(void *memory, size_t size);
__attribute__((returns_nonnull)) void *sator_calloc(size_t n, size_t size);
/* "array" with room for an element more than its "count", of "size" bytes each: itself, or a larger
 * copy where it has room for no more than "*room". */
__attribute__((returns_nonnull)) void *sator_grow(void *array, int count, int *room, size_t size);

/* Leave the call in progress; also for other libraries' ways of saying that memory ran out. */
_Noreturn void sator_out_of_memory(void);
/* Whether there is a call to leave; else there is nobody to tell, and the process ends. */
bool sator_is_guarded(void);

/* Where a call is left to. */
struct sator_guard {
    jmp_buf jump;
    struct sator_guard *outer;
    struct sator_held *held; /* made since it was entered, the newest first */
    bool keeps; /* these objects, when memory runs out */
    void (*restore)(struct sator_guard *guard); /* what the call changed; NULL: nothing */
};
/* To be followed by _setjmp(guard->jump), which returns again when memory ran out. */
void sator_guard_enter(struct sator_guard *guard, void (*restore)(struct sator_guard *guard));
void sator_guard_leave(struct sator_guard *guard);

#endif
