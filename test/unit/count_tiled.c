/* The engine for tiled nests and tilings: answers that are done by hand. */
#include "base/arena.h"
#include "base/context.h"
#include "count/count.h"
#include "count/tiled/nest.h"
#include "count/tiled/tiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    MOST_WAYS = 2
};

struct volume_case {
    const char *name, *domain, *space, *time;
    int64_t shape[2];
    const char *access;
    struct {
        const char *map;
        int interval;
    } links[MOST_WAYS];
    const char *bus;
    int64_t access_volume, total, temporal, spatial, unique, footprint; /* access_volume 0: declined
                                                                         */
    int held_time;
};

#define SHORT                                                                                      \
    "{ S[i,k] : 0 <= i < 2 and 0 <= k < 5 }", "{ S[i,k] -> PE[k%2] }", "{ S[i,k] -> T[i, k/2] }"

#define PAST                                                                                       \
    "{ S[i,k] : 0 <= i < 2 and 0 <= k < 2 }", "{ S[i,k] -> PE[0] }", "{ S[i,k] -> T[i, k] }", {1}, \
            "{ S[i,k] -> A[k] }"

static const struct volume_case volume_cases[] = {
        /* TENET (ISCA 2021), Figure 1 */
        {"Figure 1, A", "{ S[i,j] : 0 <= i < 4 and 0 <= j < 3 }", "{ S[i,j] -> PE[i] }",
                "{ S[i,j] -> T[j] }", {4}, "{ S[i,j] -> A[i+j] }", {{"{ PE[i] -> PE[i-1] }", 1}},
                NULL, 12, 12, 0, 6, 6, 6, 0},
        /* PE 0 runs k = 0, 2, 4, PE 1 k = 1, 3 and is idle then: of A[i] both keep what they have
           while i stands, 2 + 1 of 5 pairs. */
        {"a short tile", SHORT, {2}, "{ S[i,k] -> A[i] }", {{0}}, NULL, 10, 10, 6, 0, 4, 2, 0},
        {"a short tile on a bus", SHORT, {2}, "{ S[i,k] -> A[i] }", {{0}}, "{ PE[p] -> BUS[] }", 10,
                10, 6, 2, 2, 2, 0},
        /* What is idle before i steps has lost its word: PE 1 fetches twice, PE 0 once. */
        {"idle PEs lose their words", SHORT, {2}, "{ S[i,k] -> A[0] }", {{0}}, NULL, 10, 10, 7, 0,
                3, 1, 0},
        {"and the bus brings one of them", SHORT, {2}, "{ S[i,k] -> A[0] }", {{0}},
                "{ PE[p] -> BUS[] }", 10, 10, 7, 1, 2, 1, 0},
        /* Two stamps back over a link to the same PE: what i = 1 wants at k/2 = 0 its PE had at
           k/2 = 1 of i = 0, and at k/2 = 1 PE 0 alone had it at k/2 = 2. */
        {"two stamps back", SHORT, {2}, "{ S[i,k] -> A[0] }", {{"{ PE[p] -> PE[p] }", 2}}, NULL, 10,
                10, 7, 1, 2, 1, 0},
        /* A[k] at the stamps (0,0), (0,1), (1,0), (1,1): the link brings A[0] and A[1] once each.
         */
        {"past a stamp", PAST, {{"{ PE[p] -> PE[p] }", 2}}, NULL, 4, 4, 0, 2, 2, 2, 0},
        /* What is held outside is {A[0], A[1]} at i = 0 as at i = 1 .. */
        {"past one change outside", PAST, {{"{ PE[p] -> PE[p] }", 2}}, NULL, 4, 4, 0, 2, 2, 2, 1},
        /* .. but a stamp's own element when k belongs to it, and the other one in between. */
        {"past a stamp outside", PAST, {{"{ PE[p] -> PE[p] }", 2}}, NULL, 0, 0, 0, 0, 0, 0, 2},
        /* i = 0 .. 4 touch {0,1} {0,1} {1,2} on PE 0, {1,2} {2,3} on PE 1: kept 2 + 1, and 1. */
        {"quotients", "{ S[i,r] : 0 <= i < 5 and 0 <= r < 3 }", "{ S[i,r] -> PE[i/3] }",
                "{ S[i,r] -> T[i%3] }", {2}, "{ S[i,r] -> A[floor((i+r)/2)] }", {{0}}, NULL, 15, 10,
                4, 0, 6, 4, 0},
        {"skewed", "{ S[i,k] : 0 <= i < 4 and 0 <= k < 4 }", "{ S[i,k] -> PE[i] }",
                "{ S[i,k] -> T[i + k] }", {4}, "{ S[i,k] -> A[k] }", {{0}}, NULL, 0, 0, 0, 0, 0, 0,
                0}};

static const struct sator_relation *read(
        struct sator_ctx *ctx, struct sator_arena *arena, const char *text)
{
    const struct sator_relation *relation = NULL;
    struct sator_loc loc = {
            .source = sator_source_from_text(ctx, "test", text), .length = strlen(text)};
    if (sator_relation_read(ctx, arena, loc, &relation) != SATOR_OK)
        fail_msg("%s", sator_ctx_take_messages(ctx, false));
    return relation;
}

static void check_volumes(const struct volume_case *c)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_arena *arena = sator_arena_new();
    const struct sator_relation *space = read(ctx, arena, c->space);
    const struct sator_relation *time = read(ctx, arena, c->time);
    const struct sator_relation *bus = c->bus == NULL ? NULL : read(ctx, arena, c->bus);
    struct sator_stamping stamping = {.domain = read(ctx, arena, c->domain),
            .space = space,
            .time = time,
            .n_space = space->n_out,
            .n_time = time->n_out,
            .shape = c->shape};
    struct sator_network_link links[MOST_WAYS] = {0};
    struct sator_transport transport = {.registers = true,
            .links = links,
            .buses = &bus,
            .n_buses = bus != NULL,
            .held_time = c->held_time};
    struct sator_volumes v = {0};
    struct sator_counter *counter;

    for (; transport.n_links < MOST_WAYS && c->links[transport.n_links].map != NULL;
            transport.n_links++)
        links[transport.n_links] = (struct sator_network_link){
                .map = read(ctx, arena, c->links[transport.n_links].map),
                .interval = c->links[transport.n_links].interval};
    assert_int_equal(sator_counter_new(ctx, SATOR_ENGINE_TILED, &stamping, &counter), SATOR_OK);
    enum sator_status st =
            sator_count_volumes(counter, read(ctx, arena, c->access), &transport, &v);
    print_message("%s\n", c->name);
    assert_int_equal(st, c->access_volume == 0 ? SATOR_DECLINED : SATOR_OK);
    assert_int_equal((int64_t)v.access, c->access_volume);
    assert_int_equal((int64_t)v.total, c->total);
    assert_int_equal((int64_t)v.temporal, c->temporal);
    assert_int_equal((int64_t)v.spatial, c->spatial);
    assert_int_equal((int64_t)v.unique, c->unique);
    assert_int_equal((int64_t)v.footprint, c->footprint);
    sator_counter_free(counter);
    sator_arena_free(arena);
    sator_ctx_free(ctx);
}

static void test_volumes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof volume_cases / sizeof *volume_cases; i++)
        check_volumes(&volume_cases[i]);
}

/* A[i] and loops i < 5, in tiles of 2, and k < 4. */
static void test_tiling(void **state)
{
    static const int64_t extent[] = {5, 4}, tile[] = {2, 1}, one = 1, origin;
    static const int i;
    const struct sator_tiling_index index = {1, &i, &one, 1, 1, &origin};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_tiling *tiling = sator_tiling_new(ctx, 2, extent, 1, &index);

    (void)state;
    sator_tiling_begin(tiling, tile);
    sator_tiling_divide(tiling, 0, 3);
    sator_tiling_divide(tiling, 1, 4);
    assert_int_equal(sator_tiling_most(tiling), 2);
    assert_int_equal(sator_tiling_all(tiling), 20); /* 5 values four times */
    assert_int_equal(sator_tiling_step(tiling, 1), 15); /* kept three times of four */
    assert_int_equal(sator_tiling_step(tiling, 0), 0); /* tiles share nothing */
    sator_tiling_back(tiling);
    sator_tiling_back(tiling);
    assert_int_equal(sator_tiling_step(tiling, 0), 0);
    assert_int_equal(sator_tiling_step(tiling, 1), 0); /* the last tile is not the first */
    /* Two PEs share tiles: k on PEs, two at a time. */
    sator_tiling_begin(tiling, tile);
    sator_tiling_spread(tiling, 1, 2, TILING_SHARED);
    sator_tiling_divide(tiling, 1, 2);
    assert_int_equal(sator_tiling_all(tiling), 10);
    assert_int_equal(sator_tiling_step(tiling, 1), 5);
    sator_tiling_free(tiling);
    sator_ctx_free(ctx);
}

/* A[a + b + c + d + e + f + g + 10 p] and loops of 2, at 40 places p. */
static void test_many_loops_and_places(void **state)
{
    int64_t extent[7], tile[7], coef[7], place[40];
    int loop[7];
    struct sator_ctx *ctx = sator_ctx_new();

    (void)state;
    for (int i = 0; i < 7; i++) {
        extent[i] = 2;
        tile[i] = coef[i] = 1;
        loop[i] = i;
    }
    for (int p = 0; p < 40; p++)
        place[p] = 10 * p;
    const struct sator_tiling_index index = {7, loop, coef, 1, 40, place};
    struct sator_tiling *tiling = sator_tiling_new(ctx, 7, extent, 1, &index);
    sator_tiling_begin(tiling, extent);
    assert_int_equal(sator_tiling_all(tiling), 320); /* 0 to 7 at each place */
    sator_tiling_begin(tiling, tile);
    sator_tiling_divide(tiling, 6, 2);
    assert_int_equal(sator_tiling_all(tiling), 5120); /* 40 in each of 128 stamps */
    assert_int_equal(sator_tiling_step(tiling, 6), 0);
    sator_tiling_free(tiling);
    sator_ctx_free(ctx);
}

/* A window of three places at each of three PEs in a row, one further from PE to PE. */
struct stamp_case {
    unsigned held; /* bits: stamps before that count; 0: this one */
    int64_t moved; /* since the stamp before */
    int n_links, n_buses;
    bool in_pairs; /* buses join PEs 0 and 1, and PE 2 alone */
    int64_t entering;
};

static const struct stamp_case stamp_cases[] = {
        {1, 0, 0, 0, false, 9}, /* each PE fetches its own */
        {3, 1, 0, 0, false, 3}, /* but for those that it held */
        {3, 3, 0, 0, false, 9},
        {1, 0, 1, 0, false, 5}, /* the wire brings all but the first PE's, and one for each other */
        {3, 1, 1, 0, false, 3}, /* what is new to a PE is new to the one before it */
        {5, 2, 0, 0, false, 9}, /* no link leads two stamps back */
        {1, 0, 0, 1, false, 5}, /* a value for all at once */
        {3, 1, 0, 1, false, 3}, {1, 0, 0, 1, true, 7}, /* 0 to 3 for PEs 0 and 1, three for PE 2 */
        {1, 0, 0, 2, true, 5}, /* a second family joins all of them */
};

static int64_t entering(const struct stamp_case *c)
{
    static const int64_t coef[] = {1, 1}, extent[] = {3, 3}, tile[] = {1, 3}, origin, shape[] = {3},
                         step[] = {1};
    static const int loops[] = {0, 1};
    static const int32_t pairs[] = {0, 0, 1};
    static const unsigned rows[] = {1, 1};
    const int32_t *const bus_of[] = {c->in_pairs ? pairs : NULL, NULL};
    const int64_t *const moved[] = {&c->moved, &c->moved};
    const struct sator_tiling_link wire = {0, step};
    const struct sator_tiling_net net = {.is_stamp = true,
            .n_rows = 1,
            .held = c->held,
            .n_links = c->n_links,
            .link = &wire,
            .n_buses = c->n_buses,
            .bus_rows = rows,
            .bus_of = bus_of,
            .shape = shape};
    const struct sator_tiling_index index = {2, loops, coef, 1, 1, &origin};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_tiling *tiling = sator_tiling_new(ctx, 2, extent, 1, &index);

    sator_tiling_begin(tiling, tile);
    sator_tiling_spread_along(tiling, 0, 3, 0);
    sator_tiling_join(tiling, &net);
    int64_t words = sator_tiling_entering(tiling, moved);
    assert_int_equal(sator_tiling_entering(tiling, moved), words); /* asked again */
    sator_tiling_free(tiling);
    sator_ctx_free(ctx);
    return words;
}

static void test_stamps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof stamp_cases / sizeof *stamp_cases; i++)
        assert_int_equal(entering(&stamp_cases[i]), stamp_cases[i].entering);
}

/* A sum names the digits of the loops that are asked for, whatever the others' steps are; a digit
 * of one value needs no name. */
static void test_named_digits(void **state)
{
    (void)state;
    struct tiled_nest nest = {.n_digits = 3,
            .digit = {{.loop = 0, .size = 4}, {.loop = 0, .size = 1}, {.loop = 1, .size = 5}}};

    assert_true(tiled_nest_is_named(&nest, 1, (int64_t[]){1, 1, 1}));
    assert_true(tiled_nest_is_named(&nest, 2, (int64_t[]){1, 1, 1}));
    assert_false(tiled_nest_is_named(&nest, 3, (int64_t[]){1, 0, 1}));
    assert_false(tiled_nest_is_named(&nest, 3, (int64_t[]){1, 0, -3})); /* 3 = 0 + 3 */
    assert_true(tiled_nest_is_named(&nest, 3, (int64_t[]){1, 0, -4}));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_volumes),
            cmocka_unit_test(test_tiling), cmocka_unit_test(test_many_loops_and_places),
            cmocka_unit_test(test_stamps), cmocka_unit_test(test_named_digits)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
