#include "base/memory.h"

#include <stdlib.h>

/* Where this thread's calls are left to. It is the one thing that the library keeps beside the
 * objects of its callers: an allocation has no context to ask. */
static _Thread_local struct sator_guard *innermost;

/* ---- what is held ---- */

static void hold_in(struct sator_guard *guard, struct sator_held *held)
{
    held->next = guard->held;
    held->link = &guard->held;
    if (held->next != NULL)
        held->next->link = &held->next;
    guard->held = held;
}

void sator_hold(struct sator_held *held, void (*release)(struct sator_held *held))
{
    *held = (struct sator_held){.release = release};
    if (innermost != NULL)
        hold_in(innermost, held);
}

void sator_let_go(struct sator_held *held)
{
    if (held->link == NULL)
        return;
    *held->link = held->next;
    if (held->next != NULL)
        held->next->link = held->link;
    held->link = NULL;
}

/* What a call made is that of the call around it, or its caller's. */
static void pass_on(struct sator_guard *guard)
{
    while (guard->held != NULL) {
        struct sator_held *held = guard->held;
        sator_let_go(held);
        if (guard->outer != NULL)
            hold_in(guard->outer, held);
    }
}

static void release_all(struct sator_guard *guard)
{
    while (guard->held != NULL)
        guard->held->release(guard->held);
}

/* ---- guards ---- */

bool sator_is_guarded(void)
{
    return innermost != NULL;
}

void sator_guard_enter(struct sator_guard *guard, void (*restore)(struct sator_guard *guard))
{
    guard->outer = innermost;
    guard->held = NULL;
    guard->keeps = false;
    guard->restore = restore;
    innermost = guard;
}

void sator_guard_leave(struct sator_guard *guard)
{
    if (innermost != guard)
        return; /* it was left by a jump */
    innermost = guard->outer;
    pass_on(guard);
}

_Noreturn void sator_out_of_memory(void)
{
    struct sator_guard *guard = innermost;

    if (guard == NULL)
        abort(); /* a public function without a guard: a mistake of ours */
    innermost = guard->outer;
    if (guard->restore != NULL)
        guard->restore(guard);
    if (guard->keeps)
        pass_on(guard);
    else
        release_all(guard);
    _longjmp(guard->jump, 1);
}

/* ---- allocating ---- */

void *sator_alloc(size_t size)
{
    void *memory = malloc(size == 0 ? 1 : size);

    if (memory == NULL)
        sator_out_of_memory();
    return memory;
}

void *sator_realloc(void *memory, size_t size)
{
    void *moved = realloc(memory, size == 0 ? 1 : size);

    if (moved == NULL)
        sator_out_of_memory();
    return moved;
}

void *sator_grow(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room == 0 ? 64 : 2 * *room;
    return sator_realloc(array, size * (size_t)*room);
}

void *sator_calloc(size_t n, size_t size)
{
    void *memory = calloc(n == 0 ? 1 : n, size == 0 ? 1 : size);

    if (memory == NULL)
        sator_out_of_memory();
    return memory;
}
