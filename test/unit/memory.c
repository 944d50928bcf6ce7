/* Calls that are left when memory runs out: what becomes of what they made. */
#include "base/memory.h"
#include "base/arena.h"
#include "base/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the above */
#include <cmocka.h>

#include <stdlib.h>

struct object {
    struct sator_held held;
    int *released;
};

static void release(struct sator_held *held)
{
    struct object *object = (struct object *)held;

    sator_let_go(held);
    ++*object->released;
    free(object);
}

static struct object *make(int *released)
{
    struct object *object = sator_alloc(sizeof *object);

    object->released = released;
    sator_hold(&object->held, release);
    return object;
}

static enum sator_status fail_after(struct sator_ctx *ctx, int n, int *released)
{
    SATOR_CALL(ctx, return SATOR_NOMEM)
    for (int i = 0; i < n; i++)
        make(released);
    sator_arena_alloc(sator_arena_new(), 100);
    sator_out_of_memory();
}

static enum sator_status succeed(int *released, struct object **object)
{
    SATOR_CALL(NULL, return SATOR_NOMEM)
    *object = make(released);
    return SATOR_OK;
}

static void what_a_call_made_is_released(void **state)
{
    int released = 0;

    (void)state;
    assert_int_equal(fail_after(NULL, 3, &released), SATOR_NOMEM);
    assert_int_equal(released, 3);
    assert_false(sator_is_guarded());
}

static void what_it_gave_is_its_callers(void **state)
{
    int released = 0;
    struct object *object;

    (void)state;
    assert_int_equal(succeed(&released, &object), SATOR_OK);
    assert_int_equal(fail_after(NULL, 1, &released), SATOR_NOMEM);
    assert_int_equal(released, 1);
    release(&object->held);
}

/* The inner call succeeds, the outer one does not: both objects go. */
static enum sator_status outer(int *released)
{
    struct object *object;

    SATOR_CALL(NULL, return SATOR_NOMEM)
    make(released);
    if (succeed(released, &object) == SATOR_OK)
        sator_out_of_memory();
    return SATOR_OK;
}

static void an_inner_calls_objects_are_the_outer_ones(void **state)
{
    int released = 0;

    (void)state;
    assert_int_equal(outer(&released), SATOR_NOMEM);
    assert_int_equal(released, 2);
}

/* The inner call fails, the outer one goes on. */
static void only_the_inner_call_is_left(void **state)
{
    int released = 0, inner_released = 0;

    (void)state;
    SATOR_CALL(NULL, fail())
    struct object *object = make(&released);
    assert_int_equal(fail_after(NULL, 2, &inner_released), SATOR_NOMEM);
    assert_int_equal(inner_released, 2);
    assert_int_equal(released, 0);
    assert_true(sator_is_guarded());
    release(&object->held);
}

static void run_out(void *data)
{
    make(data);
    sator_out_of_memory();
}

static void a_thread_keeps_what_it_made(void **state)
{
    int released = 0;

    (void)state;
    SATOR_CALL(NULL, assert_int_equal(released, 1); return )
    assert_false(sator_guarded(NULL, run_out, &released));
    assert_int_equal(released, 0);
    sator_out_of_memory(); /* the call around it releases that */
}

static enum sator_status fail_hushed(struct sator_ctx *ctx)
{
    struct sator_hush before;

    SATOR_CALL(ctx, return SATOR_NOMEM)
    sator_ctx_hush(ctx, &before);
    sator_error(ctx, (struct sator_loc){0}, "nobody hears this");
    sator_out_of_memory();
}

static void a_context_is_as_before(void **state)
{
    struct sator_ctx *ctx = sator_ctx_new();

    (void)state;
    sator_error(ctx, (struct sator_loc){0}, "an error");
    assert_int_equal(fail_hushed(ctx), SATOR_NOMEM);
    assert_int_equal(sator_ctx_message_count(ctx), 1);
    assert_int_equal(sator_ctx_error_count(ctx), 1);
    sator_error(ctx, (struct sator_loc){0}, "another error");
    assert_int_equal(sator_ctx_message_count(ctx), 2);
    sator_ctx_free(ctx);
}

static enum sator_status ask_for(size_t size)
{
    SATOR_CALL(NULL, return SATOR_NOMEM)
    sator_arena_alloc(sator_arena_new(), size);
    return SATOR_OK;
}

/* A size that no machine has, and one that does not fit into a size. */
static void too_much_is_no_memory(void **state)
{
    (void)state;
    assert_int_equal(ask_for(SIZE_MAX / 5), SATOR_NOMEM);
    assert_int_equal(ask_for(SIZE_MAX), SATOR_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(what_a_call_made_is_released),
            cmocka_unit_test(what_it_gave_is_its_callers),
            cmocka_unit_test(an_inner_calls_objects_are_the_outer_ones),
            cmocka_unit_test(only_the_inner_call_is_left),
            cmocka_unit_test(a_thread_keeps_what_it_made),
            cmocka_unit_test(a_context_is_as_before),
            cmocka_unit_test(too_much_is_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
