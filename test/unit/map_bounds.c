/* Bounds of one transfer in one class of orders, by hand: nests small enough that the words are
 * seen, and what the bound says beside what the mapping moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "frontend/frontend.h"
#include "mapper/bounds/bounds_parts.h"
#include "mapper/search/search.h"

struct example {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_network *network;
    struct sator_arch *arch;
    struct mapper_problem problem;
    struct mapper_words *words;
    struct mapper_bounds *bounds;
    struct mapper_crew crew;
    struct mapper_mapping mapping;
};

static void read_example(
        struct example *e, bool imperfect, const char *sizes, const char *op, const char *levels)
{
    struct sator_settings settings = {0};
    char text[1024];

    memset(e, 0, sizeof *e);
    e->ctx = sator_ctx_new();
    e->arena = sator_arena_new();
    snprintf(text, sizeof text, "name: w\nsizes: {%s}\nop: \"%s\"\n", sizes, op);
    assert_int_equal(sator_yaml_network(e->ctx, sator_source_from_text(e->ctx, "w.yaml", text),
                             &settings, &e->network),
            SATOR_OK);
    snprintf(text, sizeof text,
            "name: a\nlevels:\n"
            "  - {memory: DRAM, energy_pj: {read: 9, write: 9}}\n%s"
            "  - {memory: L1, energy_pj: {read: 1, write: 1}}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            levels);
    assert_int_equal(sator_yaml_arch(e->ctx, sator_source_from_text(e->ctx, "a.yaml", text),
                             &settings, &e->arch),
            SATOR_OK);
    assert_int_equal(sator_mapper_problem_init(e->ctx, e->arena, &e->network->layers[0], e->arch,
                             SATOR_MAP_ENERGY, NULL, &e->problem),
            SATOR_OK);
    if (imperfect)
        assert_int_equal(sator_mapper_allow_imperfect(e->ctx, &e->problem), SATOR_OK);
    e->words = sator_mapper_words_new(&e->problem);
    e->bounds = sator_mapper_bounds_new(&e->problem, e->words, 0);
    sator_mapper_mapping_init(&e->problem, &e->mapping);
}

static void free_example(struct example *e)
{
    sator_mapper_bounds_free(e->bounds);
    sator_mapper_words_free(e->words);
    sator_network_free(e->network);
    sator_arch_free(e->arch);
    sator_arena_free(e->arena);
    sator_ctx_free(e->ctx);
}

/* The transfer of tensor "name" into L1, the innermost memory. */
static int transfer_of(const struct example *e, const char *name)
{
    const struct mapper_problem *p = &e->problem;

    for (int t = 0; t < p->n_transfers; t++) {
        if (p->transfer[t].child == p->n_memories - 1 &&
                strcmp(p->access[p->transfer[t].access].name, name) == 0)
            return t;
    }
    fail_msg("no transfer of %s", name);
    return -1;
}

/* What is known of a mapping whose unrolling and tile of L1 are chosen. */
struct known {
    struct mapper_shape shape;
    int64_t near[MAPPER_LOOPS], far[MAPPER_LOOPS];
    struct outside outside;
    struct local local;
};

static void open_known(struct example *e, int transfer, struct known *known)
{
    static const int64_t parts[MAPPER_TRANSFERS] = {0}; /* of complex networks: there are none */
    const struct mapper_problem *p = &e->problem;
    struct mapper_mapping inner = e->mapping;

    for (int i = 0; i < p->n_loops; i++) {
        known->near[i] = known->far[i] = 1;
        for (int r = 0; r < p->innermost; r++) {
            if (p->row[r].is_space)
                continue;
            known->far[i] *= inner.factor[r][i];
            inner.factor[r][i] = 1;
        }
    }
    sator_mapper_shape_init(p, &inner, &known->shape);
    known->shape.parts = parts;
    sator_mapper_crew_init(p, &known->shape, 0, &e->crew);
    sator_mapper_bounds_given(e->bounds)->crew = &e->crew;
    bounds_open_outside(
            e->bounds, p->n_memories - 1, &known->shape, known->near, known->far, &known->outside);
    bounds_open_local(e->bounds, transfer, &known->shape, &known->outside, &known->local);
}

/* Bound a transfer for orders that keep it along the loops "reuse", all of them beyond. */
static struct mapper_range bound_chains(struct example *e, int transfer, unsigned reuse)
{
    struct order_keep keep = {.reuse = reuse << e->problem.n_loops, .slide = -1};
    struct mapper_range range = {0};
    struct known known;

    open_known(e, transfer, &known);
    bounds_least_of_chains(e->bounds, &known.local, &keep, &known.shape, &known.outside, &range);
    return range;
}

static struct mapper_traffic count(struct example *e)
{
    struct mapper_traffic traffic;

    assert_true(sator_mapper_is_in_space(&e->problem, &e->mapping));
    sator_mapper_count(&e->problem, e->words, &e->mapping, &traffic);
    return traffic;
}

static bool is_near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

enum {
    X, /* the loops of the examples, in their order */
    C
};

/* A[x] in tiles of 2 of 6: of its three, two are in the first step of DRAM, and come anew for each
 * of the 4 steps of c, 16 words. The last one is alone in the second step: c outside of it keeps
 * it, 2 words. So an order in which x steps first, within DRAM's steps, brings 18, not 24. */
static void test_the_last_tile_may_be_alone(void **state)
{
    struct example e;

    (void)state;
    read_example(&e, true, "x: 6, c: 4", "Y[x] += A[x] * B[c]",
            "  - {memory: L2, energy_pj: {read: 3, write: 3}}\n");
    int a = transfer_of(&e, "A");
    e.mapping.factor[0][X] = e.mapping.factor[1][X] = e.mapping.factor[2][X] = 2;
    e.mapping.factor[1][C] = 4;
    e.mapping.order[1][0] = C;
    e.mapping.order[1][1] = X;
    assert_int_equal(count(&e).unique[a], 18);
    assert_true(is_near(bound_chains(&e, a, 0).unique_lb, 18));

    /* the same where tiles are at most so large, also where two tiles of 3 leave none alone */
    sator_mapper_bounds_given(e.bounds)->open = 1U << X;
    assert_true(is_near(bound_chains(&e, a, 0).unique_lb, 18));
    e.mapping.factor[2][X] = 3;
    assert_true(is_near(bound_chains(&e, a, 0).unique_lb, 18));
    sator_mapper_bounds_given(e.bounds)->open = 1U << C; /* x is known */
    assert_true(is_near(bound_chains(&e, a, 0).unique_lb, 24));
    free_example(&e);
}

/* Four PEs take four iterations of ten each step, so of L1's three the last is alone in the second
 * step of DRAM, with two of them: 4 times 8 words of A, and 2. */
static void test_the_last_tiles_of_pes_may_be_alone(void **state)
{
    struct example e;

    (void)state;
    read_example(&e, true, "x: 10, c: 4", "Y[x] += A[x] * B[c]",
            "  - {memory: L2, energy_pj: {read: 3, write: 3}}\n"
            "  - {array: PE, shape: [4]}\n");
    int a = transfer_of(&e, "A");
    e.mapping.factor[0][X] = e.mapping.factor[1][X] = 2;
    e.mapping.factor[2][X] = 4;
    e.mapping.factor[1][C] = 4;
    e.mapping.order[1][0] = C;
    e.mapping.order[1][1] = X;
    assert_int_equal(count(&e).unique[a], 34);
    assert_true(is_near(bound_chains(&e, a, 0).unique_lb, 34));
    free_example(&e);
}

/* 17 iterations on 3 x 4 PEs, two steps of L2 between: the first two of the outer PEs have 8 each,
 * on all four inner ones, the last one has 1. So nine PEs of twelve ever want the 2 words of B. */
static void test_some_pes_never_have_a_tile(void **state)
{
    struct example e;

    (void)state;
    read_example(&e, true, "x: 17, c: 2", "Y[x] += A[x] * B[c]",
            "  - {array: outer, shape: [3]}\n"
            "  - {memory: L2, energy_pj: {read: 3, write: 3}}\n"
            "  - {array: inner, shape: [4]}\n");
    int b = transfer_of(&e, "B");
    e.mapping.factor[1][X] = 3;
    e.mapping.factor[2][X] = 2;
    e.mapping.factor[3][X] = 4;
    e.mapping.factor[4][C] = 2;
    assert_int_equal(count(&e).arriving[b], 18);
    assert_true(is_near(bound_chains(&e, b, 1U << X).arriving_lb, 18));
    free_example(&e);
}

/* Two PEs with two of x each, next to each other on a bus, want 2 + 2 + 2 elements of A[x+r] while
 * r runs; one of them 2 + 2. */
static void test_words_of_a_run(void **state)
{
    struct example e;
    struct known known;

    (void)state;
    read_example(&e, false, "x: 8, r: 3", "Y[x] += A[x+r] * B[r]",
            "  - array: PE\n    shape: [2]\n"
            "    multicast: [{name: all, map: \"PE[i] -> BUS[0]\", tensors: [A], energy_pj: 1}]\n");
    e.mapping.factor[0][X] = e.mapping.factor[1][X] = e.mapping.factor[2][X] = 2;
    e.mapping.factor[0][1] = 3;
    open_known(&e, transfer_of(&e, "A"), &known);
    struct run run = {.whole = 1U << 1};
    bounds_find_run(e.bounds, &known.local, &run, &known.shape, &known.outside);
    assert_true(known.local.run_group == 6);
    assert_true(known.local.run_tile == 4);
    free_example(&e);
}

/* Two PEs of one column, each with x and x + 2 and both r: {2x, 2x+4} and {2x+4, 2x+8} of A[2x+4r],
 * three elements. Were they neighbours in x, they would want four: how far they are apart is not
 * known while the steps of L2, which A passes by, are not; then it is. */
static void test_distance_of_shared_tiles(void **state)
{
    struct example e;
    struct known known;

    (void)state;
    read_example(&e, false, "x: 4, r: 2", "Y[x] += A[2*x+4*r] * B[r]",
            "  - array: PE\n    shape: [2, 2]\n"
            "    multicast: [{name: column, map: \"PE[i,j] -> BUS[j]\", tensors: [A], energy_pj: "
            "1}]\n"
            "  - {memory: L2, energy_pj: {read: 3, write: 3}, bypass: [A]}\n");
    int a = transfer_of(&e, "A");
    e.mapping.factor[1][X] = e.mapping.factor[3][X] = 2;
    e.mapping.factor[4][1] = 2;
    assert_int_equal(count(&e).unique[a], 6); /* three in each of the two steps of L2 */
    open_known(&e, a, &known);
    assert_true(known.local.is_apart);
    assert_true(known.local.group_words == 2); /* what one of them wants */

    known.near[X] = 2; /* L2's */
    sator_mapper_shape_init(&e.problem, &e.mapping, &known.shape);
    bounds_open_outside(e.bounds, 2, &known.shape, known.near, known.far, &known.outside);
    sator_mapper_bounds_known(e.bounds, 1);
    bounds_open_local(e.bounds, a, &known.shape, &known.outside, &known.local);
    assert_true(!known.local.is_apart);
    assert_true(known.local.group_words == 3); /* the union of both, above */
    free_example(&e);
}

/* The energy of a transfer into L1 alone, bounded where the tile of L1 is known. */
static double bound_alone(struct example *e, int transfer)
{
    struct mapper_share share;
    struct known known;

    open_known(e, transfer, &known);
    sator_mapper_bounds_known(e->bounds, e->problem.n_memories - 1);
    assert_true(sator_mapper_bounds_some(e->bounds, e->problem.n_memories - 1,
            UINT32_C(1) << transfer, &known.shape, known.near, known.far, &share));
    return share.pj;
}

/* What it spends in the mapping. */
static double spent_alone(struct example *e, int transfer)
{
    struct mapper_traffic traffic = count(e);
    const struct mapper_transfer *t = &e->problem.transfer[transfer];

    return (double)traffic.unique[transfer] * t->unique_pj +
            (double)traffic.arriving[transfer] * t->arriving_pj;
}

/* Three PEs, each with 16 values of 2x + r, 5 apart, that step by one: of the even ones that the
 * first then wants the second held all but 2, of those of the second the first and the third held
 * all, of the third the second all but 3. So 3 * 16 come at first, and 5 with each of 4 steps. Of
 * one of them alone, or of three whose distance is not known, one would say 16 with each. */
static void test_neighbours_may_hold_the_next_tile(void **state)
{
    struct example e;

    (void)state;
    read_example(&e, false, "x: 16, r: 15", "Y[x] += A[2*x+r] * B[r]",
            "  - array: PE\n    shape: [3]\n    links:\n"
            "      - {name: up, map: \"PE[i] -> PE[i+1]\", interval: 1, tensors: [A], energy_pj: "
            "0}\n"
            "      - {name: down, map: \"PE[i] -> PE[i-1]\", interval: 1, tensors: [A], energy_pj: "
            "0}\n"
            "  - {memory: L2, energy_pj: {read: 3, write: 3}, bypass: [A]}\n");
    int a = transfer_of(&e, "A");
    e.mapping.factor[3][0] = 16;
    e.mapping.factor[1][1] = 3;
    e.mapping.factor[2][1] = 5;
    assert_int_equal(count(&e).unique[a], 3 * 16 + 4 * 5);
    assert_true(bound_alone(&e, a) <= spent_alone(&e, a));
    free_example(&e);
}

/* Bounds remember what slides, of one problem: others begin with nothing, also where they stand in
 * memory that such bounds have left. Of 4 values of x + r, or of 2x + r, one is new in each of the
 * other 2 steps of r, or all are. */
static void test_nothing_is_recalled_at_first(void **state)
{
    static const char *const ops[] = {"Y[x] += A[2*x+r] * B[r]", "Y[x] += A[x+r] * B[r]"};
    static const int words[] = {4 + 2 * 4, 4 + 2 * 1};
    struct example e[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        read_example(&e[k], false, "x: 4, r: 3", ops[k], "");
        e[k].mapping.factor[1][0] = 4;
        e[k].mapping.factor[0][1] = 3;
        sator_mapper_bounds_free(e[k].bounds);
        e[k].bounds = NULL;
    }
    for (int k = 0; k < 6; k++) {
        struct example *one = &e[k % 2];
        int a = transfer_of(one, "A");
        const struct mapper_transfer *t = &one->problem.transfer[a];
        one->bounds = sator_mapper_bounds_new(&one->problem, one->words, 0);
        assert_int_equal(count(one).unique[a], words[k % 2]);
        assert_true(is_near(bound_alone(one, a), words[k % 2] * (t->unique_pj + t->arriving_pj)));
        sator_mapper_bounds_free(one->bounds);
        one->bounds = NULL;
    }
    free_example(&e[0]);
    free_example(&e[1]);
}

/* A tree over 64 PEs spares a partial sum in each of L1's but one, for less than the sum's write:
 * each time that Y comes, less is spent. A tile of L1 that is no larger than 4 of c leaves 1 to 4
 * steps of c at DRAM; x inside of these brings Y's 8 words anew in each. What may win is the least
 * tile, which brings 4 times the words of the largest. */
static void test_smaller_tiles_bring_more(void **state)
{
    static const int64_t shrink[MAPPER_LOOPS] = {4, 1};
    struct example e;
    struct known known;
    struct mapper_share share;
    double pj = 0;

    (void)state;
    read_example(&e, false, "c: 256, x: 8", "Y[x] += A[c,x] * B[c]",
            "  - array: PE\n    shape: [64]\n"
            "    reduction: [{name: t, map: \"PE[i] -> T[0]\", tensors: [Y], energy_pj: 0.5}]\n");
    int child = e.problem.n_memories - 1, y = transfer_of(&e, "Y");
    e.mapping.factor[1][0] = 64;
    e.mapping.factor[0][0] = 4; /* c, outside of x */
    e.mapping.factor[0][1] = 8;
    struct mapper_traffic traffic = count(&e);
    for (int t = 0; t < e.problem.n_transfers; t++) {
        const struct mapper_transfer *transfer = &e.problem.transfer[t];
        if (transfer->child == child)
            pj += (double)traffic.unique[t] * transfer->unique_pj +
                    (double)traffic.arriving[t] * transfer->arriving_pj;
    }
    const struct mapper_transfer *sums = &e.problem.transfer[y];
    assert_int_equal(traffic.unique[y], 32);
    assert_int_equal(traffic.arriving[y], 64 * 32);
    assert_true(sums->unique_pj + 64 * sums->arriving_pj < 0);

    e.mapping.factor[2][0] = 4; /* the largest tile */
    e.mapping.factor[0][0] = 1;
    open_known(&e, y, &known);
    sator_mapper_bounds_given(e.bounds)->open = 1U << 0;
    sator_mapper_bounds_given(e.bounds)->shrink = shrink;
    sator_mapper_bounds_known(e.bounds, child);
    sator_mapper_bounds_share(e.bounds, child, &known.shape, known.near, known.far, &share);
    assert_true(share.pj <= pj);
    free_example(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_the_last_tile_may_be_alone),
            cmocka_unit_test(test_the_last_tiles_of_pes_may_be_alone),
            cmocka_unit_test(test_some_pes_never_have_a_tile),
            cmocka_unit_test(test_words_of_a_run),
            cmocka_unit_test(test_distance_of_shared_tiles),
            cmocka_unit_test(test_neighbours_may_hold_the_next_tile),
            cmocka_unit_test(test_nothing_is_recalled_at_first),
            cmocka_unit_test(test_smaller_tiles_bring_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
