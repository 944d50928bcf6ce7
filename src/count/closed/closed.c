/* The closed-form counting engine: exact volumes without enumeration (doc/counting.md). */
#include "count/engine.h"

static enum sator_status closed_open(struct sator_ctx *ctx, const struct sator_stamping *stamping,
        void **state, const char **reason)
{
    (void)ctx;
    (void)stamping;
    (void)state;
    *reason = "the closed form is not built yet";
    return SATOR_DECLINED;
}

static void closed_close(void *state)
{
    (void)state;
}

const struct sator_engine sator_engine_closed = {
        .name = "closed",
        .open = closed_open,
        .close = closed_close,
};
