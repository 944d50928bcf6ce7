/* Work in a process of its own: for libraries that end the process they are called in, when memory
 * runs out, when the stack is full. What they end is a child of this process. */
#ifndef SATOR_BASE_APART_H
#define SATOR_BASE_APART_H

#include "base/context.h"

/* What is to be done: it allocates what it makes in "arena", says what there is to say in "ctx",
 * and sets "*made". */
typedef enum sator_status sator_apart_work(
        struct sator_ctx *ctx, struct sator_arena *arena, void *data, void **made);

/* Fork, let the child do "work", and wait for it. What it made, at most "size" bytes, becomes that
 * of "arena"; nothing else that the child changed does. Its output is not that of this process.
 *
 * SATOR_NOMEM leaves the public call in progress, as everywhere, also when the child ended for want
 * of memory. When it ended for another reason the status is SATOR_INPUT, the error at "loc" says
 * that "who" did; SATOR_INTERRUPTED after a cancel. */
enum sator_status sator_apart(struct sator_ctx *ctx, struct sator_arena *arena, size_t size,
        sator_apart_work *work, void *data, struct sator_loc loc, const char *who, void **made);

#endif
