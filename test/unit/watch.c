/* The watch over questions to the counting engines: a question that would never end does, when time
 * is over or the search is cancelled, and the next one in the same context is asked afresh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/context.h"
#include "mapper/cost/cost.h"

static const double long_enough = 60; /* seconds, on any machine */

/* A question of endless work. */
static enum sator_status ask(struct mapper_watch *watch, struct sator_ctx *ctx)
{
    double start = sator_mapper_now();
    enum sator_status st = SATOR_OK;

    if (!sator_mapper_watch_begin(watch, ctx))
        return SATOR_INTERRUPTED;
    while (st == SATOR_OK && sator_mapper_now() - start < long_enough)
        st = sator_work(ctx, 0);
    sator_mapper_watch_end(watch, ctx);
    return st;
}

/* Whether a question of 30 ms, six looks of the watch, may end by itself. */
static bool may_work(struct mapper_watch *watch, struct sator_ctx *ctx)
{
    double start = sator_mapper_now();
    enum sator_status st = SATOR_OK;

    if (!sator_mapper_watch_begin(watch, ctx))
        return false;
    while (st == SATOR_OK && sator_mapper_now() - start < 0.03)
        st = sator_work(ctx, 0);
    sator_mapper_watch_end(watch, ctx);
    return st == SATOR_OK;
}

static void test_deadline(void **state)
{
    (void)state;
    struct sator_ctx *search = sator_ctx_new(), *ctx = sator_ctx_new();
    struct mapper_watch *watch = sator_mapper_watch_new(search, sator_mapper_now() + 0.01);

    assert_int_equal(ask(watch, ctx), SATOR_INTERRUPTED);
    assert_int_equal(sator_work(ctx, 0), SATOR_OK);
    assert_int_equal(ask(watch, ctx), SATOR_INTERRUPTED);
    sator_mapper_watch_until(watch, INFINITY);
    assert_true(may_work(watch, ctx));
    assert_int_equal(sator_work(search, 0), SATOR_OK);
    assert_false(sator_mapper_watch_has_unknown(watch));
    sator_mapper_watch_note_unknown(watch);
    assert_true(sator_mapper_watch_has_unknown(watch));
    assert_true(sator_mapper_watch_take_unknown(watch));
    assert_false(sator_mapper_watch_take_unknown(watch));
    sator_mapper_watch_free(watch);
    sator_ctx_free(ctx);
    sator_ctx_free(search);
}

static void test_cancelled_search(void **state)
{
    (void)state;
    struct sator_ctx *search = sator_ctx_new(), *ctx = sator_ctx_new();
    struct mapper_watch *watch = sator_mapper_watch_new(search, INFINITY);

    assert_true(may_work(watch, ctx));
    sator_ctx_cancel(search);
    assert_int_equal(ask(watch, ctx), SATOR_INTERRUPTED);
    sator_mapper_watch_until(watch, INFINITY);
    assert_true(may_work(watch, ctx));
    sator_mapper_watch_until(watch, sator_mapper_now());
    assert_int_equal(ask(watch, ctx), SATOR_INTERRUPTED);
    sator_mapper_watch_free(watch);
    sator_ctx_free(ctx);
    sator_ctx_free(search);
}

/* Where nothing is counted there is no watch. */
static void test_none(void **state)
{
    (void)state;
    struct sator_ctx *ctx = sator_ctx_new();

    assert_true(may_work(NULL, ctx));
    sator_mapper_watch_until(NULL, 0);
    sator_mapper_watch_free(NULL);
    sator_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_deadline),
            cmocka_unit_test(test_cancelled_search),
            cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
