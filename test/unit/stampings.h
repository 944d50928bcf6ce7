/* What the tests of the general engine share: a context with an arena, texts to relations and
 * stampings. */
#ifndef SATOR_TEST_UNIT_STAMPINGS_H
#define SATOR_TEST_UNIT_STAMPINGS_H

#include "base/arena.h"
#include "base/context.h"
#include "count/count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
};

static inline const struct sator_relation *read_text(struct fixture *fixture, const char *text)
{
    const struct sator_source *source = sator_source_from_text(fixture->ctx, "test", text);
    const struct sator_relation *relation = NULL;
    struct sator_loc loc = {source, 0, source->length};

    if (sator_relation_read(fixture->ctx, fixture->arena, loc, &relation) != SATOR_OK)
        fail_msg("%s", sator_ctx_take_messages(fixture->ctx, false));
    return relation;
}

static inline int open_fixture(void **state)
{
    struct fixture *fixture = sator_alloc(sizeof *fixture);

    *fixture = (struct fixture){sator_ctx_new(), sator_arena_new()};
    *state = fixture;
    return 0;
}

static inline int close_fixture(void **state)
{
    struct fixture *fixture = *state;

    sator_arena_free(fixture->arena);
    sator_ctx_free(fixture->ctx);
    free(fixture);
    return 0;
}

static inline struct sator_stamping *read_stamping(struct fixture *fixture, const char *domain,
        const char *space, const char *time, const int64_t *shape)
{
    struct sator_stamping *stamping = SATOR_NEW(fixture->arena, struct sator_stamping);

    stamping->domain = read_text(fixture, domain);
    stamping->space = read_text(fixture, space);
    stamping->time = read_text(fixture, time);
    stamping->n_space = stamping->space->n_out;
    stamping->n_time = stamping->time->n_out;
    stamping->shape = shape;
    return stamping;
}

#endif
