/* What an engine provides to count/count.c, which chooses between them question by question.
 *
 * Every function may return SATOR_DECLINED after setting "*reason" (decline.h) to why the input is
 * outside the engine's class; the chooser then asks the next engine.
 */
#ifndef SATOR_COUNT_ENGINE_H
#define SATOR_COUNT_ENGINE_H

#include "count/decline.h"
#include "count/question.h"

struct sator_engine {
    const char *name;
    /* A state for one stamping; NULL: the engine keeps memory, which is created ... */
    enum sator_status (*open)(struct sator_ctx *ctx, const struct sator_stamping *stamping,
            void **state, const struct sator_decline **reason);
    void *(*create)(void);
    /* ... and opened for one stamping after the other. It stays, whatever the answer. */
    enum sator_status (*reopen)(struct sator_ctx *ctx, const struct sator_stamping *stamping,
            void *state, const struct sator_decline **reason);
    void (*close)(void *state);
    /* Have long ways to an answer given up soon, as another engine may have a shorter one, or not;
     * returns whether one was given up since the last call. NULL: there are none. */
    bool (*hurry)(void *state, bool hurried);
    enum sator_status (*outside)(
            void *state, bool *found, int64_t *instance, const struct sator_decline **reason);
    enum sator_status (*stamps)(
            void *state, struct sator_stamp_counts *counts, const struct sator_decline **reason);
    enum sator_status (*max_per_stamp)(
            void *state, sator_int *most, int64_t *instance, const struct sator_decline **reason);
    enum sator_status (*volumes)(void *state, const struct sator_relation *access,
            const struct sator_transport *transport, struct sator_volumes *volumes,
            const struct sator_decline **reason);
    /* NULL: the engine counts it with the volumes alone. */
    enum sator_status (*footprint)(void *state, const struct sator_relation *access,
            sator_int *words, const struct sator_decline **reason);
    enum sator_status (*tile)(void *state, const struct sator_relation *access, sator_int *words,
            const struct sator_decline **reason);
};

extern const struct sator_engine sator_engine_closed;
extern const struct sator_engine sator_engine_skewed;
extern const struct sator_engine sator_engine_tiled;
extern const struct sator_engine sator_engine_listed;
extern const struct sator_engine sator_engine_general;

#endif
