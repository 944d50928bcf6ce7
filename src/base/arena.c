/* Chunks in a list, each twice the last; an allocation that is large gets a chunk of its own. */
#include "base/arena.h"
#include "base/room.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FIRST_CHUNK = SATOR_ROOM(4096, 64),
    LARGEST_CHUNK = SATOR_ROOM(1 << 20, 256)
};

struct sator_chunk {
    struct sator_chunk *next;
    size_t used, size; /* used: of all but an arena's newest, whose room says it */
    bool is_mapped; /* by mmap, not malloc */
    _Alignas(SATOR_ALIGNMENT) char data[];
};

static void release(struct sator_held *held)
{
    sator_arena_free((struct sator_arena *)held);
}

static void free_chunk(struct sator_chunk *chunk)
{
    if (chunk->is_mapped)
        munmap(chunk, sizeof *chunk + chunk->size);
    else
        free(chunk);
}

struct sator_arena *sator_arena_new(void)
{
    struct sator_arena *arena = sator_alloc(sizeof *arena);

    *arena = (struct sator_arena){.chunk_size = FIRST_CHUNK};
    sator_hold(&arena->held, release);
    return arena;
}

void sator_arena_free(struct sator_arena *arena)
{
    if (arena == NULL)
        return;
    sator_let_go(&arena->held);
    for (struct sator_chunk *chunk = arena->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        free_chunk(chunk);
    }
    free(arena);
}

bool sator_arena_holds(const struct sator_arena *arena, const void *object)
{
    const uintptr_t at = (uintptr_t)object;

    for (const struct sator_chunk *chunk = arena->chunks; chunk != NULL; chunk = chunk->next) {
        if (at >= (uintptr_t)chunk->data && at < (uintptr_t)chunk->data + chunk->size)
            return true;
    }
    return false;
}

/* Note how much of the newest chunk is used, which from now on it need not be. */
static void settle(struct sator_arena *arena)
{
    if (arena->chunks != NULL)
        arena->chunks->used = (size_t)(arena->next - arena->chunks->data);
}

/* Let the newest chunk be the one to allocate from. */
static void allocate_from(struct sator_arena *arena, struct sator_chunk *chunk)
{
    arena->chunks = chunk;
    arena->next = chunk->data + chunk->used;
    arena->end = chunk->data + chunk->size;
}

void sator_arena_adopt(struct sator_arena *arena, struct sator_arena *other)
{
    settle(other);
    if (arena->chunks == NULL && other->chunks != NULL) {
        allocate_from(arena, other->chunks);
    } else {
        struct sator_chunk **last = &arena->chunks; /* past the newest: allocation goes on there */
        while (*last != NULL)
            last = &(*last)->next;
        *last = other->chunks;
    }
    sator_let_go(&other->held);
    free(other);
}

void sator_arena_clear(struct sator_arena *arena)
{
    struct sator_chunk *kept = arena->chunks;

    if (kept == NULL)
        return;
    settle(arena);
    /* The largest: the newest, or the one before it when that was made for one large object. */
    for (struct sator_chunk *chunk = kept->next, *next; chunk != NULL; chunk = next) {
        struct sator_chunk *smaller = chunk->size > kept->size ? kept : chunk;
        next = chunk->next;
        kept = chunk->size > kept->size ? chunk : kept;
        free_chunk(smaller);
    }
    kept->next = NULL;
    kept->used = 0;
    allocate_from(arena, kept);
}

char *sator_arena_alloc_chunk(struct sator_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4 || arena->is_shared)
        sator_out_of_memory();
    size = (size + SATOR_ALIGNMENT - 1) & ~(size_t)(SATOR_ALIGNMENT - 1);
    size_t room = size > arena->chunk_size ? size : arena->chunk_size;
    struct sator_chunk *chunk = sator_alloc(sizeof *chunk + room);
    settle(arena);
    *chunk = (struct sator_chunk){.next = arena->chunks, .used = size, .size = room};
    allocate_from(arena, chunk);
    if (arena->chunk_size < LARGEST_CHUNK)
        arena->chunk_size *= 2;
    return chunk->data;
}

struct sator_arena *sator_arena_new_shared(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size + page - 1) / page * page;
    struct sator_arena *arena = sator_arena_new();
    struct sator_chunk *chunk = mmap(
            NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (chunk == MAP_FAILED)
        sator_out_of_memory();
    *chunk = (struct sator_chunk){.size = bytes - sizeof *chunk, .is_mapped = true};
    allocate_from(arena, chunk);
    arena->is_shared = true;
    return arena;
}

void sator_arena_give(struct sator_arena *arena)
{
    settle(arena);
}

void sator_arena_receive(struct sator_arena *arena)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct sator_chunk *chunk = arena->chunks;
    size_t kept = (sizeof *chunk + chunk->used + page - 1) / page * page;
    size_t bytes = sizeof *chunk + chunk->size;

    if (kept < bytes)
        munmap((char *)chunk + kept, bytes - kept);
    chunk->size = kept - sizeof *chunk;
    allocate_from(arena, chunk);
    arena->is_shared = false;
}

void *sator_arena_copy(struct sator_arena *arena, const void *data, size_t size)
{
    void *copy = sator_arena_take(arena, size);

    return size == 0 ? copy : memcpy(copy, data, size);
}

char *sator_arena_strndup(struct sator_arena *arena, const char *text, size_t length)
{
    char *copy = sator_arena_take(arena, length + 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *sator_arena_strdup(struct sator_arena *arena, const char *text)
{
    return sator_arena_strndup(arena, text, strlen(text));
}

char *sator_arena_printf(struct sator_arena *arena, const char *format, ...)
{
    va_list arguments;

    char buffer[128];
    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (length < 0)
        length = 0;
    char *text = sator_arena_alloc(arena, (size_t)length + 1);
    if ((size_t)length < sizeof buffer)
        return memcpy(text, buffer, (size_t)length);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void *sator_arena_grow(struct sator_arena *arena, void *array, int count, size_t element_size)
{
    size_t used = (size_t)count;

    if (count != 0 && (used & (used - 1)) != 0)
        return array;
    if (used == 0)
        return sator_arena_take(arena, element_size);
    return memcpy(sator_arena_take(arena, 2 * used * element_size), array, used * element_size);
}
