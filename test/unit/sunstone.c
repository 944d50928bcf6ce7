/* The known answers of the Sunstone paper's running example (its Table III, Figures 4 and 5): a
 * one-dimensional convolution with K=4, C=4, P=14, R=3 on a machine whose L1 of 8 words is shared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "frontend/frontend.h"
#include "mapper/strategies/sunstone.h"

static const char workload_text[] = "name: conv1d\n"
                                    "sizes: {k: 4, c: 4, p: 14, r: 3}\n"
                                    "op: \"Out[k,p] += In[c,p+r] * W[k,c,r]\"\n";
static const char arch_text[] =
        "name: example\n"
        "levels:\n"
        "  - {memory: L2, energy_pj: {read: 10, write: 10}}\n"
        "  - {array: PE, shape: [1]}\n"
        "  - {memory: L1, capacity_words: 8, energy_pj: {read: 1, write: 1}}\n"
        "  - {compute: mac, energy_pj: 1}\n";

/* A third memory; only what enters the PEs costs energy, so that no first step is cut. */
static const char deep_text[] =
        "name: deep\n"
        "levels:\n"
        "  - {memory: DRAM, energy_pj: {read: 0, write: 0}}\n"
        "  - {memory: L2, capacity_words: 8, energy_pj: {read: 10, write: 0}}\n"
        "  - {array: PE, shape: [1]}\n"
        "  - {memory: L1, capacity_words: 3, energy_pj: {read: 1, write: 1}}\n"
        "  - {compute: mac, energy_pj: 1}\n";

enum {
    K,
    C,
    P,
    R
};

struct example {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_network *network;
    struct sator_arch *arch;
    struct mapper_problem problem;
    struct mapper_search search;
    struct sator_map_options options;
    int in, w, out; /* accesses */
};

static int setup(void **state)
{
    struct example *e = calloc(1, sizeof *e);
    struct sator_settings settings = {0};

    *state = e;
    e->ctx = sator_ctx_new();
    e->arena = sator_arena_new();
    if (sator_yaml_network(e->ctx, sator_source_from_text(e->ctx, "w.yaml", workload_text),
                &settings, &e->network) != SATOR_OK ||
            sator_yaml_arch(e->ctx, sator_source_from_text(e->ctx, "a.yaml", arch_text), &settings,
                    &e->arch) != SATOR_OK ||
            sator_mapper_problem_init(e->ctx, e->arena, &e->network->layers[0], e->arch,
                    SATOR_MAP_EDP, NULL, &e->problem) != SATOR_OK)
        return -1;
    e->search = (struct mapper_search){.ctx = e->ctx,
            .problem = &e->problem,
            .words = sator_mapper_words_new(&e->problem),
            .options = &e->options,
            .deadline = 1e18,
            .next_report = 1e18};
    for (int a = 0; a < e->problem.n_accesses; a++) {
        const char *name = e->problem.access[a].name;
        *(strcmp(name, "In") == 0 ? &e->in : strcmp(name, "W") == 0 ? &e->w : &e->out) = a;
    }
    return 0;
}

static int teardown(void **state)
{
    struct example *e = *state;

    sator_mapper_words_free(e->search.words);
    sator_network_free(e->network);
    sator_arch_free(e->arch);
    sator_arena_free(e->arena);
    sator_ctx_free(e->ctx);
    free(e);
    return 0;
}

static unsigned loops(const char *names)
{
    static const char known[] = "kcpr";
    unsigned set = 0;

    for (; *names != '\0'; names++)
        set |= 1U << (strchr(known, *names) - known);
    return set;
}

static void check_reuse(
        struct example *e, int access, const char *indexed, const char *reused, const char *partly)
{
    struct sunstone_reuse reuse = sator_sunstone_reuse(&e->problem, access);

    assert_int_equal(reuse.indexed_by, loops(indexed));
    assert_int_equal(reuse.reused_by, loops(reused));
    assert_int_equal(reuse.partly_reused_by, loops(partly));
}

static void test_reuse(void **state)
{
    struct example *e = *state;

    check_reuse(e, e->out, "kp", "cr", "");
    check_reuse(e, e->in, "cpr", "k", "rp");
    check_reuse(e, e->w, "kcr", "p", "");
}

/* Whether an order starts, innermost first, with "names" and reuses what is said. */
static bool has_order(const struct example *e, const struct sunstone_order *orders, int n,
        const char *names, const char *in_full, const char *in_part, const char *w_full,
        const char *out_full)
{
    for (int i = 0; i < n; i++) {
        const struct sunstone_order *o = &orders[i];
        bool same = o->n_loops == (int)strlen(names);
        for (int k = 0; k < o->n_loops && same; k++)
            same = loops((char[]){names[k], '\0'}) == 1U << o->loop[k];
        if (same && o->full[e->in] == loops(in_full) && o->partial[e->in] == loops(in_part) &&
                o->full[e->w] == loops(w_full) && o->partial[e->w] == 0 &&
                o->full[e->out] == loops(out_full) && o->partial[e->out] == 0)
            return true;
    }
    return false;
}

static void test_orders(void **state)
{
    struct example *e = *state;
    struct sunstone_order *orders;
    int n = sator_sunstone_orders(&e->problem, 0, loops("kcpr"), 7, &orders);

    assert_int_equal(n, 4);
    assert_true(has_order(e, orders, n, "kp", "k", "p", "", ""));
    assert_true(has_order(e, orders, n, "kr", "k", "r", "", ""));
    assert_true(has_order(e, orders, n, "p", "", "p", "p", ""));
    assert_true(has_order(e, orders, n, "rc", "", "r", "", "rc"));
    free(orders);
}

/* Six tensors, each indexed by a loop of its own, are reused differently in every order of the six
 * loops: 6! of them survive. */
static void test_many_orders(void **state)
{
    enum {
        N = 6
    };
    struct mapper_problem *problem = calloc(1, sizeof *problem);
    struct sunstone_order *orders;

    (void)state;
    problem->n_loops = problem->n_accesses = N;
    for (int i = 0; i < N; i++)
        problem->access[i].relevant = problem->access[i].plain = 1U << i;
    int n = sator_sunstone_orders(problem, 0, (1U << N) - 1, (1U << N) - 1, &orders);
    assert_int_equal(n, 720);
    free(orders);
    free(problem);
}

/* Loops that are indexed alike stand together: of Y[a,b,c,d,e,f] += A[g,h,i,j,k,l,m] * B[a,g] four
 * of 13! orders survive. Those that index Y alone (b to f) come first, and then a, along which A is
 * still reused, or those that index A alone, along which B is; or the other way round. */
static void test_orders_of_many_loops(void **state)
{
    struct mapper_problem *problem = calloc(1, sizeof *problem);
    const unsigned y = 0x3f, a = 0x1fc0, b = 0x41, y_alone = y & ~b, a_alone = a & ~b;
    struct sunstone_order *orders;
    int found = 0;

    (void)state;
    problem->n_loops = 13;
    problem->n_accesses = 3;
    problem->access[0].relevant = problem->access[0].plain = y;
    problem->access[1].relevant = problem->access[1].plain = a;
    problem->access[2].relevant = problem->access[2].plain = b;
    int n = sator_sunstone_orders(problem, 0, (1U << 13) - 1, 7, &orders);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) {
        const unsigned *full = orders[i].full;
        found |= full[0] == 0 && full[1] == y && full[2] == y_alone ? 1 : 0;
        found |= full[0] == a && full[1] == 0 && full[2] == a_alone ? 2 : 0;
        found |= full[0] == 0 && full[1] == y_alone && full[2] == (y_alone | a_alone) ? 4 : 0;
        found |= full[0] == a_alone && full[1] == 0 && full[2] == (y_alone | a_alone) ? 8 : 0;
    }
    assert_int_equal(found, 15);
    free(orders);
    free(problem);
}

/* Eight tensors and 16 loops, each of which indexes two of them: there is an end to it. */
static void test_orders_of_many_tensors(void **state)
{
    struct mapper_problem *problem = calloc(1, sizeof *problem);
    struct sunstone_order *orders;

    (void)state;
    problem->n_loops = 16;
    problem->n_accesses = 8;
    for (int i = 0; i < 16; i++) {
        problem->access[i % 8].relevant |= 1U << i;
        problem->access[(i + 1 + i / 8) % 8].relevant |= 1U << i;
    }
    for (int k = 0; k < 8; k++)
        problem->access[k].plain = problem->access[k].relevant;
    int n = sator_sunstone_orders(problem, 0, 0xffff, 0xff, &orders);
    assert_in_range(n, 1, 1 << 12);
    free(orders);
    free(problem);
}

struct tiles {
    int count;
    int64_t tile[64][MAPPER_LOOPS];
};

static void keep_tile(void *data, const int64_t *tile)
{
    struct tiles *tiles = data;

    assert_true(tiles->count < 64);
    memcpy(tiles->tile[tiles->count++], tile, sizeof tiles->tile[0]);
}

static bool has_tile(const struct tiles *tiles, int64_t k, int64_t c, int64_t p, int64_t r)
{
    for (int i = 0; i < tiles->count; i++) {
        const int64_t *tile = tiles->tile[i];
        if (tile[K] == k && tile[C] == c && tile[P] == p && tile[R] == r)
            return true;
    }
    return false;
}

/* The maximal tiles along the loops named: all, or "n_some" at most. */
static void grow(struct example *e, const char *names, int n_some, struct tiles *tiles)
{
    int64_t ones[MAPPER_LOOPS];

    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    tiles->count = 0;
    sator_sunstone_tiles(&e->search, e->problem.n_memories - 1, ones, ones, e->problem.extent,
            loops(names), n_some, keep_tile, tiles);
}

/* Figure 5: (1,1) 3 words, (2,1) 5, (1,2) 5, (2,2) 8; (4,1) 9, (1,7) 15, (4,2) 14 and (2,7) 23 are
 * too large. */
static void test_footprints(void **state)
{
    struct example *e = *state;
    static const struct {
        int64_t k, p, words;
    } nodes[] = {{1, 1, 3}, {2, 1, 5}, {1, 2, 5}, {2, 2, 8}, {4, 1, 9}, {1, 7, 15}, {4, 2, 14},
            {2, 7, 23}};

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        int64_t tile[MAPPER_LOOPS] = {nodes[i].k, 1, nodes[i].p, 1}, words = 0;
        for (int a = 0; a < 3; a++)
            words += sator_mapper_tile_words(e->search.words, a, tile);
        assert_int_equal(words, nodes[i].words);
    }
}

static void test_tiling_tree(void **state)
{
    struct example *e = *state;
    struct tiles tiles;

    grow(e, "kp", 0, &tiles);
    assert_int_equal(tiles.count, 1);
    assert_true(has_tile(&tiles, 2, 1, 2, 1));
}

static void test_all_maximal_tiles(void **state)
{
    struct example *e = *state;
    struct tiles tiles;

    grow(e, "kcpr", 0, &tiles);
    assert_int_equal(tiles.count, 4);
    assert_true(has_tile(&tiles, 1, 1, 1, 3));
    assert_true(has_tile(&tiles, 2, 2, 1, 1));
    assert_true(has_tile(&tiles, 2, 1, 2, 1));
    assert_true(has_tile(&tiles, 1, 2, 2, 1));
}

/* Those found at random are some of all, each once; of a hundred, all four. */
static void test_some_maximal_tiles(void **state)
{
    struct example *e = *state;
    struct tiles all, some;

    grow(e, "kcpr", 0, &all);
    for (int n = 1; n <= 100; n += 33) {
        grow(e, "kcpr", n, &some);
        assert_in_range(some.count, 1, n < all.count ? n : all.count);
        for (int i = 0; i < some.count; i++) {
            const int64_t *tile = some.tile[i];
            assert_true(has_tile(&all, tile[K], tile[C], tile[P], tile[R]));
        }
    }
    assert_int_equal(some.count, all.count);
}

/* ---- the whole search ---- */

static void run(struct example *e, void (*strategy)(struct mapper_search *search), bool top_down,
        int intra_order)
{
    struct mapper_words *words = e->search.words;

    e->options = (struct sator_map_options){.top_down = top_down, .intra_order = intra_order};
    e->search = (struct mapper_search){.ctx = e->ctx,
            .problem = &e->problem,
            .words = words,
            .options = &e->options,
            .deadline = 1e18,
            .next_report = 1e18};
    strategy(&e->search);
    assert_true(e->search.found);
    assert_true(sator_mapper_is_legal(&e->problem, words, &e->search.best));
}

/* Two memories have one boundary: outward and inward are the same. */
static void test_one_boundary(void **state)
{
    struct example *e = *state;

    for (int intra = 0; intra < 3; intra++) {
        run(e, sator_mapper_sunstone, false, intra);
        struct sator_map_counters up = e->search.counters;
        double cost = e->search.best_cost.value;
        run(e, sator_mapper_sunstone, true, intra);
        assert_int_equal(e->search.counters.evaluated, up.evaluated);
        assert_int_equal(e->search.counters.tilings, up.tilings);
        assert_int_equal(e->search.counters.orders, up.orders);
        assert_true(e->search.best_cost.value == cost);
    }
}

/* Inward on three memories, the order chosen first. DRAM's order reuses one tensor, and L2's tile
 * grows along what indexes it: In (twice, by two orders) {R=3} and {C=2, P=2}; W {R=3} and {K=2,
 * C=2}; Out {K=2, P=2}: seven candidates. L1 holds one instance's words, so L2's loops are those of
 * its tile: {R} has one order, each of the other tiles two: 1+2 + 1+2 + 1+2 + 2 = 11 candidates. */
static void test_top_down(void **state)
{
    struct example *e = *state;
    struct sator_settings settings = {0};
    struct sator_arch *arch = NULL;
    struct mapper_problem before = e->problem;
    struct mapper_words *words = e->search.words;

    assert_int_equal(sator_yaml_arch(e->ctx, sator_source_from_text(e->ctx, "d.yaml", deep_text),
                             &settings, &arch),
            SATOR_OK);
    assert_int_equal(sator_mapper_problem_init(e->ctx, e->arena, &e->network->layers[0], arch,
                             SATOR_MAP_ENERGY, NULL, &e->problem),
            SATOR_OK);
    e->search.words = sator_mapper_words_new(&e->problem);
    run(e, sator_mapper_sunstone, true, 0);
    assert_int_equal(e->search.counters.orders, 7 + 11);
    assert_int_equal(e->search.counters.evaluated, 7 + 11);
    double heuristic = e->search.best_cost.value;
    run(e, sator_mapper_exhaustive, true, 0);
    assert_true(heuristic >= e->search.best_cost.value * (1 - 1e-12));
    sator_mapper_words_free(e->search.words);
    sator_arch_free(arch);
    e->problem = before;
    e->search.words = words;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_reuse),
            cmocka_unit_test(test_orders),
            cmocka_unit_test(test_many_orders),
            cmocka_unit_test(test_orders_of_many_loops),
            cmocka_unit_test(test_orders_of_many_tensors),
            cmocka_unit_test(test_footprints),
            cmocka_unit_test(test_tiling_tree),
            cmocka_unit_test(test_all_maximal_tiles),
            cmocka_unit_test(test_some_maximal_tiles),
            cmocka_unit_test(test_one_boundary),
            cmocka_unit_test(test_top_down),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
