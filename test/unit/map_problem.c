/* What a map problem knows of its machine and of its own size: values by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "frontend/frontend.h"
#include "mapper/search/search.h"

static const char workload_text[] = "name: conv1d\n"
                                    "sizes: {k: 4, c: 4, p: 14, r: 3}\n"
                                    "op: \"Out[k,p] += In[c,p+r] * W[k,c,r]\"\n";
static const char shallow_text[] = "name: shallow\n"
                                   "levels:\n"
                                   "  - {memory: L2, energy_pj: {read: 10, write: 10}}\n"
                                   "  - {array: PE, shape: [1]}\n"
                                   "  - {memory: L1, energy_pj: {read: 1, write: 1}}\n"
                                   "  - {compute: mac, energy_pj: 1}\n";
/* W goes past L2. */
static const char deep_text[] = "name: deep\n"
                                "levels:\n"
                                "  - {memory: DRAM, energy_pj: {read: 90, write: 90}}\n"
                                "  - {memory: L2, energy_pj: {read: 10, write: 10}, bypass: [W]}\n"
                                "  - {array: PE, shape: [2]}\n"
                                "  - {memory: L1, energy_pj: {read: 1, write: 1}}\n"
                                "  - {memory: registers, energy_pj: {read: 0.1, write: 0.1}}\n"
                                "  - {compute: mac, energy_pj: 1}\n";

struct example {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    struct sator_network *network;
    struct sator_arch *arch;
    struct mapper_problem problem;
};

static void read_example(struct example *e, const char *workload, const char *arch)
{
    struct sator_settings settings = {0};

    e->ctx = sator_ctx_new();
    e->arena = sator_arena_new();
    assert_int_equal(sator_yaml_network(e->ctx, sator_source_from_text(e->ctx, "w.yaml", workload),
                             &settings, &e->network),
            SATOR_OK);
    assert_int_equal(sator_yaml_arch(e->ctx, sator_source_from_text(e->ctx, "a.yaml", arch),
                             &settings, &e->arch),
            SATOR_OK);
    assert_int_equal(sator_mapper_problem_init(e->ctx, e->arena, &e->network->layers[0], e->arch,
                             SATOR_MAP_EDP, NULL, &e->problem),
            SATOR_OK);
}

static void free_example(struct example *e)
{
    sator_network_free(e->network);
    sator_arch_free(e->arch);
    sator_arena_free(e->arena);
    sator_ctx_free(e->ctx);
}

/* The transfer outward of one is that of the same tensor into the memory that it comes from. */
static void test_transfers_are_joined(void **state)
{
    struct example e;
    int n_joined = 0;

    (void)state;
    read_example(&e, workload_text, deep_text);
    for (int i = 0; i < e.problem.n_transfers; i++) {
        const struct mapper_transfer *t = &e.problem.transfer[i];
        int outward = -1, inward = -1;
        for (int j = 0; j < e.problem.n_transfers; j++) {
            const struct mapper_transfer *other = &e.problem.transfer[j];
            if (other->access == t->access && other->child == t->parent)
                outward = j;
            if (other->access == t->access && other->parent == t->child)
                inward = j;
        }
        assert_int_equal(t->outward, outward);
        assert_int_equal(t->inward, inward);
        n_joined += outward >= 0;
    }
    /* In and Out go into L2, L1 and the registers, W into two of them; what the units take from
     * the registers is the same in every mapping */
    assert_int_equal(e.problem.n_transfers, 3 + 3 + 2);
    assert_int_equal(n_joined, 2 + 2 + 1);
    free_example(&e);
}

/* With factors that need not divide a loop's tile leaves as many tiles as there are ceilings: of 4
 * iterations 4, 2, 1; of 14 they are 14, 7, 5, 4, 3, 2, 1; of 3 all three. What is left runs at the
 * outermost memory, which has no choice but the 4! orders of its loops. */
static void test_size_of_chains(void **state)
{
    struct example e;

    (void)state;
    read_example(&e, workload_text, shallow_text);
    assert_int_equal(sator_mapper_allow_imperfect(e.ctx, &e.problem), SATOR_OK);
    assert_true(sator_mapper_space_size(&e.problem) == (3 * 3 * 7 * 3) * 24);
    free_example(&e);
}

/* Sums in which some loops are digits of others' steps, r being below 2 and q below 3: of the
 * output its indices, and the loops that stand alone in one. */
static const struct {
    const char *text;
    int n_indices;
    const char *plain;
} sums[] = {
        {"name: s\nsizes: {p: 5, r: 2}\nop: \"Out[2*p+r] += In[p] * W[r]\"\n", 2, "pr"},
        {"name: s\nsizes: {p: 5, q: 3}\nop: \"Out[2*p+q] += In[p] * W[q]\"\n", 1, ""},
        {"name: s\nsizes: {p: 5, q: 3, r: 2}\nop: \"Out[r+6*p+2*q] += In[p,q] * W[r]\"\n", 3,
                "pqr"},
        /* 3 = 2 + 1 */
        {"name: s\nsizes: {p: 5, q: 3, r: 2}\nop: \"Out[2*p+3*q+r] += In[p,q] * W[r]\"\n", 1, ""},
        /* 4 = 2 * 2, but r alone makes them odd */
        {"name: s\nsizes: {p: 5, q: 3, r: 2}\nop: \"Out[4*p+2*q+r] += In[p,q] * W[r]\"\n", 2, "r"},
        {"name: s\nsizes: {p: 5, q: 3}\nop: \"Out[10+p-5*q] += In[p] * W[q]\"\n", 2, "pq"},
        {"name: s\nsizes: {p: 5, q: 3}\nop: \"Out[8+p-4*q] += In[p] * W[q]\"\n", 1, ""},
};

static void test_sums_of_digits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        struct example e;
        const struct mapper_access *out = NULL;
        read_example(&e, sums[k].text, shallow_text);
        for (int a = 0; a < e.problem.n_accesses; a++)
            out = e.problem.access[a].role == SATOR_WRITE ? &e.problem.access[a] : out;
        assert_non_null(out);
        assert_int_equal(out->n_indices, sums[k].n_indices);
        for (int i = 0; i < e.problem.n_loops; i++) {
            bool is_plain = out->plain >> i & 1;
            assert_int_equal(is_plain, strchr(sums[k].plain, *e.problem.loop_names[i]) != NULL);
        }
        assert_int_equal(out->is_sliding, strlen(sums[k].plain) < (size_t)e.problem.n_loops);
        free_example(&e);
    }
}

/* A link two PEs on in both dimensions brings a word of a sum of n loops from as many PEs as there
 * are pairs of patterns of carries, 2^n times 2^n, where a row has room for n loops, as one of 32
 * PEs has for 5: 4^3 have a formula, 4^5 (more than 128) have not, though along one dimension 2^5
 * have. */
static void test_sources_of_links(void **state)
{
    static const struct {
        const char *workload, *to;
        bool may_pass;
    } cases[] = {
            {"name: s\nsizes: {a: 4, b: 4, c: 4}\nop: \"Y[a,b,c] += A[a+b+c]\"\n", "PE[i+2,j+2]",
                    true},
            {"name: s\nsizes: {a: 4, b: 4, c: 4, d: 4, e: 4}\n"
             "op: \"Y[a,b,c,d,e] += A[a+b+c+d+e]\"\n",
                    "PE[i+2,j+2]", false},
            {"name: s\nsizes: {a: 4, b: 4, c: 4, d: 4, e: 4}\n"
             "op: \"Y[a,b,c,d,e] += A[a+b+c+d+e]\"\n",
                    "PE[i,j+2]", true},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct example e;
        char arch[512];
        snprintf(arch, sizeof arch,
                "name: linked\nlevels:\n  - {memory: L2, energy_pj: 10}\n  - array: PE\n"
                "    shape: [32, 32]\n    links: [{name: far, map: \"PE[i,j] -> %s\", interval: 1, "
                "energy_pj: 1,"
                " tensors: [A]}]\n  - {compute: mac, energy_pj: 1}\n",
                cases[k].to);
        read_example(&e, cases[k].workload, arch);
        const struct mapper_transfer *of_a = NULL;
        for (int t = 0; t < e.problem.n_transfers; t++) {
            if (strcmp(e.problem.access[e.problem.transfer[t].access].name, "A") == 0)
                of_a = &e.problem.transfer[t];
        }
        assert_non_null(of_a);
        assert_int_equal(of_a->may_pass, cases[k].may_pass);
        assert_int_equal(of_a->is_complex, !cases[k].may_pass);
        free_example(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_transfers_are_joined),
            cmocka_unit_test(test_size_of_chains),
            cmocka_unit_test(test_sums_of_digits),
            cmocka_unit_test(test_sources_of_links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
