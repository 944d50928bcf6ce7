/* Memory that lives and dies together: one arena an object (a workload, a result), freed as a
 * whole. Allocation does not fail: memory.h. */
#ifndef SATOR_BASE_ARENA_H
#define SATOR_BASE_ARENA_H

#include "base/memory.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

struct sator_arena {
    struct sator_held held; /* first: a pointer to it is one to the arena */
    char *next, *end; /* of the room in the newest chunk */
    struct sator_chunk *chunks; /* the newest first; only it has room */
    size_t chunk_size; /* of the next one */
    bool is_shared; /* has one chunk and gets no other */
};

struct sator_arena *sator_arena_new(void);
void sator_arena_free(struct sator_arena *arena);
/* Free all objects; the memory that most of them had is kept for the next ones. */
void sator_arena_clear(struct sator_arena *arena);

/* Whether "object" is one of the arena's. */
bool sator_arena_holds(const struct sator_arena *arena, const void *object);

/* Let "arena" own what "other" (TAKE) owns. */
void sator_arena_adopt(struct sator_arena *arena, struct sator_arena *other);

/* An arena of "size" bytes and no more, at the same place in every process that this one forks. The
 * child gives what it has allocated when it is done with it; then the parent receives it, and the
 * arena is one like all others. Pages that nothing was put into take no memory. */
struct sator_arena *sator_arena_new_shared(size_t size);
void sator_arena_give(struct sator_arena *arena);
void sator_arena_receive(struct sator_arena *arena);

enum {
    SATOR_ALIGNMENT = 16
};

/* The same as sator_arena_take when the newest chunk has no room for more. */
char *sator_arena_alloc_chunk(struct sator_arena *arena, size_t size);

/* Return "size" bytes that hold anything, aligned for any object. Inline: an analysis takes some
 * 200 objects, most of them smaller than what a call costs. */
static inline void *sator_arena_take(struct sator_arena *arena, size_t size)
{
    char *memory = arena->next;

    if (size >= (size_t)(arena->end - memory))
        return sator_arena_alloc_chunk(arena, size);
    arena->next += (size + SATOR_ALIGNMENT - 1) & ~(size_t)(SATOR_ALIGNMENT - 1);
    return memory;
}

/* The same, zeroed. */
static inline void *sator_arena_alloc(struct sator_arena *arena, size_t size)
{
    return memset(sator_arena_take(arena, size), 0, size);
}

void *sator_arena_copy(struct sator_arena *arena, const void *data, size_t size);
char *sator_arena_strdup(struct sator_arena *arena, const char *text);
char *sator_arena_strndup(struct sator_arena *arena, const char *text, size_t length);
__attribute__((format(printf, 2, 3))) char *sator_arena_printf(
        struct sator_arena *arena, const char *format, ...);

/* Return room for one element more than "count" in "array" (which grew through this function
 * alone): the same array, or a larger copy when "count" is zero or a power of two. What is not an
 * element yet holds anything: nobody touches the pages of a large one before they are used. */
void *sator_arena_grow(struct sator_arena *arena, void *array, int count, size_t element_size);

#define SATOR_NEW(arena, type) ((type *)sator_arena_alloc((arena), sizeof(type)))
#define SATOR_NEW_ARRAY(arena, type, count)                                                        \
    ((type *)sator_arena_alloc((arena), sizeof(type) * (size_t)(count)))
/* Append "value" to "array" of "count" elements, both lvalues. */
#define SATOR_PUSH(arena, array, count, ...)                                                       \
    ((array) = sator_arena_grow((arena), (array), (count), sizeof *(array)),                       \
            (array)[(count)++] = (__VA_ARGS__))

#endif
