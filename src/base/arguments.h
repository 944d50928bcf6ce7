/* What callers of the public functions may get wrong. A public function begins with these; nothing
 * behind it checks again.
 *
 * Structs that the caller fills begin with "size" (sator/context.h). FIRST sizes are those of
 * version 0.1, for callers that leave it 0: while 0.1 is not released they are the current ones. A
 * field that is added later goes to the end of its struct, and the struct's first size becomes the
 * field's offset.
 */
#ifndef SATOR_BASE_ARGUMENTS_H
#define SATOR_BASE_ARGUMENTS_H

#include "base/context.h"
#include "base/text.h"

/* Report a call that is wrong; SATOR_USAGE. "ctx" may be NULL. */
__attribute__((format(printf, 2, 3))) enum sator_status sator_misuse(
        struct sator_ctx *ctx, const char *format, ...);

/* Return SATOR_USAGE from a function that is called without what it needs:
 * SATOR_NEEDS(ctx, network != NULL && result != NULL). */
#define SATOR_NEEDS(ctx, given)                                                                    \
    do {                                                                                           \
        if ((ctx) == NULL || !(given))                                                             \
            return sator_misuse(ctx, "%s is called without what it needs: %s", __func__, #given);  \
    } while (0)

/* The same for a number: SATOR_NUMBER(ctx, options->skew, -1, 2). */
enum sator_status sator_number_between(
        struct sator_ctx *ctx, const char *name, int64_t number, int64_t least, int64_t most);
#define SATOR_NUMBER(ctx, number, least, most)                                                     \
    do {                                                                                           \
        if (sator_number_between(ctx, #number, number, least, most) != SATOR_OK)                   \
            return SATOR_USAGE;                                                                    \
    } while (0)

/* The same for a number that may have a fraction: 0 or more, and no NAN. */
#define SATOR_REAL(ctx, number)                                                                    \
    do {                                                                                           \
        if (!((number) >= 0))                                                                      \
            return sator_misuse(ctx, "%s is %g: it is at least 0", #number, (double)(number));     \
    } while (0)

/* The same for a list of texts, none of them NULL. */
#define SATOR_TEXTS(ctx, texts, n_texts)                                                           \
    do {                                                                                           \
        if (!sator_has_texts(texts, n_texts))                                                      \
            return sator_misuse(ctx, "%s: they are not the %d texts that %s says", #texts,         \
                    (int)(n_texts), #n_texts);                                                     \
    } while (0)

/* Copy the caller's "given" (NULL: zeros) into "own", of "size" bytes of which version 0.1 had
 * "first". SATOR_USAGE for sizes that never were, and fields that this library does not have. */
enum sator_status sator_take_options(
        struct sator_ctx *ctx, const void *given, void *own, size_t size, size_t first);
#define SATOR_OPTIONS(ctx, given, own)                                                             \
    do {                                                                                           \
        enum sator_status taken_ =                                                                 \
                sator_take_options(ctx, given, &(own), sizeof(own), sizeof(own));                  \
        if (taken_ != SATOR_OK)                                                                    \
            return taken_;                                                                         \
    } while (0)

/* Copy "own" to the struct that the caller offers, as much of it as the caller knows. */
enum sator_status sator_give_struct(
        struct sator_ctx *ctx, const void *own, void *offered, size_t size, size_t first);

#endif
