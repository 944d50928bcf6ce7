/* Domains that are no box, by hand: which loops are tied, their lines, and what is brought anew. */
#include "mapper/problem/domain.h"

#include "mapper/cost/cost.h"
#include "unit/inputs.h"

#include <stdio.h>

/* Two PEs between DRAM and their own memories. */
struct example {
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_arena *arena;
    struct mapper_problem problem;
    struct mapper_mapping mapping; /* all loops at DRAM */
};

enum {
    PE = 1, /* rows */
    L1
};

static const struct mapper_domain *read_example(
        struct example *e, const char *sizes, const char *op, const char *where)
{
    char text[512];

    snprintf(text, sizeof text, "name: w\nsizes: {%s}\nop: \"%s\"\nwhere: \"%s\"\n", sizes, op,
            where);
    e->network = network_of(text);
    e->arch = arch_of("name: a\nlevels:\n  - {memory: DRAM, energy_pj: 9}\n"
                      "  - {array: PE, shape: [2]}\n  - {memory: L1, energy_pj: 1}\n"
                      "  - {compute: mac, energy_pj: 1}\n");
    e->arena = sator_arena_new();
    assert_int_equal(sator_mapper_problem_init(ctx, e->arena, &e->network->layers[0], e->arch,
                             SATOR_MAP_ENERGY, NULL, &e->problem),
            SATOR_OK);
    sator_mapper_mapping_init(&e->problem, &e->mapping);
    for (int i = 0; i < e->problem.n_loops; i++)
        e->mapping.factor[0][i] = e->problem.extent[i];
    return e->problem.domain;
}

static void free_example(struct example *e)
{
    sator_network_free(e->network);
    sator_arch_free(e->arch);
    sator_arena_free(e->arena);
}

/* Lines by their length, and where all of them stand. */
static void expect_lines(const struct mapper_domain *domain, int loop, bool begins, bool ends,
        const int64_t *count, int extent)
{
    const struct mapper_fibers *fibers = &domain->fibers[loop];

    assert_int_equal(fibers->begins, begins);
    assert_int_equal(fibers->ends, ends);
    for (int length = 0; length <= extent; length++)
        assert_int_equal(fibers->count[length], count[length]);
}

static void expect_brought(const struct mapper_domain *domain, int loop, int size, int steps,
        bool apart, double points, double hull)
{
    float brought = (float)(hull * sator_mapper_domain_brought(domain, loop, size, steps, apart));

    assert_float_equal(brought, (float)points, 1e-5);
}

/* Of i and j, 4 x 4, the triangle j <= i, 10 of 16 points; k is free. For j = 0, 1, 2, 3 i runs
 * from j to 3: lines of 4, 3, 2 and 1 points that end with the hull. For each i, j runs from 0.
 *
 * A step of a line is lone in a block where the block has no other points of the line. Lines end
 * with the blocks, so that can only be in the first block that a line has a part of:
 *
 *     size  block  | line of 4  3     2     1    | lone
 *       1     4    |                        1    | 1
 *       1     2    |            1           1    | 2
 *       2     4    |                  2     1    | 3
 *
 * (a line of 3 in blocks of 2 begins with one point of the first, and fills the second). Where each
 * of two PEs has one point of a step of 2, the line of 3 has one point in the first step: one PE
 * has only the last step, and up to 2 points are lone for that, 5 together. */
static void test_triangle(void **state)
{
    struct example e;
    const struct mapper_domain *d =
            read_example(&e, "i: 4, j: 4, k: 3", "Y[i,j] += A[i,k] * B[k,j]", "j <= i");

    (void)state;
    assert_non_null(d);
    assert_int_equal(d->tied, 3);
    assert_float_equal(d->points, 10, 1e-6);
    expect_lines(d, 0, false, true, (const int64_t[]){0, 1, 1, 1, 1}, 4);
    expect_lines(d, 1, true, false, (const int64_t[]){0, 1, 1, 1, 1}, 4);
    for (int apart = 0; apart < 2; apart++) {
        expect_brought(d, 2, 1, 3, apart, 10, 16);
        expect_brought(d, 0, 1, 4, apart, 9, 16);
        expect_brought(d, 0, 1, 2, apart, 8, 16);
        expect_brought(d, 0, 2, 2, apart, apart ? 5 : 7, 16);
        expect_brought(d, 1, 2, 2, apart, apart ? 5 : 7, 16);
        expect_brought(d, 0, 1, 0, apart, 5, 16); /* of any: the least of these */
    }
    /* Stamps with i on two PEs: of its lines at least 2, 2, 1 and 1, times 3 for k. Where the PEs
     * take turns (i = 2 t + PE) it is so; where each has a half (i = 2 PE + t) the line from 1 on
     * takes both of its t, and so does that from 2 on: 2, 2, 2 and 1. */
    struct mapper_words *words = sator_mapper_words_new(&e.problem);
    e.mapping.factor[PE][0] = e.mapping.factor[0][0] = 2;
    assert_float_equal(sator_mapper_domain_stamps(&e.problem, d, &e.mapping), 18, 1e-6);
    assert_int_equal(sator_mapper_time_stamps(&e.problem, words, &e.mapping), 18);
    e.mapping.factor[0][0] = 1;
    e.mapping.factor[L1][0] = 2;
    assert_float_equal(sator_mapper_domain_stamps(&e.problem, d, &e.mapping), 18, 1e-6);
    assert_int_equal(sator_mapper_time_stamps(&e.problem, words, &e.mapping), 21);
    sator_mapper_words_free(words);
    /* The tile of Y at i in {2, 3} and j < 3 is whole; with j = 3 it lacks (2, 3). */
    for (int a = 0; a < e.problem.n_accesses; a++) {
        if (strcmp(e.problem.access[a].name, "Y") != 0)
            continue;
        assert_int_equal(
                sator_mapper_domain_tile(&e.problem, a, (const int64_t[MAPPER_LOOPS]){2, 3, 1}), 6);
        assert_int_equal(
                sator_mapper_domain_tile(&e.problem, a, (const int64_t[MAPPER_LOOPS]){2, 4, 1}), 0);
    }
    free_example(&e);
}

/* The same triangle with i = 2 t + PE, j outside: what arrives of A[i]. PE 0 has i = 0 and 2 for
 * j = 0, and 2 alone for j = 1, in the second of two stamps: it has idled in the first, which PE 1
 * has, and lost its word. For j = 2 and 3 there is the second stamp alone, and what is there stays:
 * 3 words. PE 1 has 1 and 3 for j = 0 and 1, then 3 alone, which stays: 4 words. In the hull 16
 * arrive, of which the bound takes no more than these 7. */
static void test_parts_of_steps(void **state)
{
    struct example e;
    struct mapper_traffic traffic;
    const struct mapper_domain *d =
            read_example(&e, "i: 4, j: 4", "Y[i,j] += A[i] * B[j]", "j <= i");
    const struct mapper_problem *p = &e.problem;
    struct mapper_words *words = sator_mapper_words_new(p);
    int found = 0;

    (void)state;
    assert_non_null(d);
    e.mapping.factor[PE][0] = e.mapping.factor[0][0] = 2;
    e.mapping.order[0][0] = 1; /* j, i */
    e.mapping.order[0][1] = 0;
    sator_mapper_count(p, words, &e.mapping, &traffic);
    assert_false(traffic.is_unknown);
    for (int t = 0; t < p->n_transfers; t++) {
        if (strcmp(p->access[p->transfer[t].access].name, "A") != 0 || p->transfer[t].child != 1)
            continue;
        assert_int_equal(traffic.arriving[t], 7);
        for (int apart = 0; apart < 2; apart++)
            assert_true(16 * sator_mapper_domain_brought(d, 0, 2, 2, apart) <= 7);
        found++;
    }
    assert_int_equal(found, 1);
    sator_mapper_words_free(words);
    free_example(&e);
}

/* Lines of a band, j and j + 1 of i, end where the hull does for two of four j: nothing is known of
 * them. Of k, which is free, each step has its points. */
static void test_band(void **state)
{
    struct example e;
    const struct mapper_domain *d = read_example(
            &e, "i: 4, j: 4, k: 3", "Y[i,j] += A[i,k] * B[k,j]", "j <= i and j >= i - 1");

    (void)state;
    assert_non_null(d);
    assert_int_equal(d->tied, 3);
    assert_float_equal(d->points, 7, 1e-6);
    expect_lines(d, 0, false, false, (const int64_t[]){0, 1, 3, 0, 0}, 4);
    expect_lines(d, 1, false, false, (const int64_t[]){0, 1, 3, 0, 0}, 4);
    expect_brought(d, 0, 1, 4, false, 0, 16);
    expect_brought(d, 2, 1, 3, false, 7, 16);
    free_example(&e);
}

/* Lines with a gap are no intervals, though those of j > 0 begin with the hull and those of j < 3
 * end with it. */
static void test_gaps(void **state)
{
    struct example e;
    const struct mapper_domain *d =
            read_example(&e, "i: 4, j: 4", "Y[i,j] += A[i] * B[j]", "j != i");

    (void)state;
    assert_non_null(d);
    expect_lines(d, 0, false, false, (const int64_t[]){0, 0, 0, 4, 0}, 4);
    expect_brought(d, 0, 1, 4, false, 0, 16);
    free_example(&e);
}

/* Two conditions tie all three loops. i runs from the greater of j and k on, which is 0 once, 1
 * three times and 2 five times: lines of 3, 2 and 1 points, 14 of 27. j runs from 0 to i if k is in
 * reach: for i = 0 one line of 1 and two of none, for i = 1 two of 2 and one of none, for i = 2
 * three of 3. In one block of 3 steps the lines of one point are lone: 5 along i, 1 along j. */
static void test_three_loops(void **state)
{
    struct example e;
    const struct mapper_domain *d =
            read_example(&e, "i: 3, j: 3, k: 3", "Y[i,j] += A[i,k] * B[k,j]", "j <= i and k <= i");

    (void)state;
    assert_non_null(d);
    assert_int_equal(d->tied, 7);
    assert_float_equal(d->points, 14, 1e-6);
    expect_lines(d, 0, false, true, (const int64_t[]){0, 5, 3, 1}, 3);
    expect_lines(d, 1, true, false, (const int64_t[]){3, 1, 2, 3}, 3);
    expect_brought(d, 0, 1, 3, false, 9, 27);
    expect_brought(d, 2, 1, 3, false, 13, 27);
    free_example(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_triangle, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_parts_of_steps, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_band, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_gaps, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_three_loops, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
