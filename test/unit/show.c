/* --show: what is printed reads back, as the relations that the TENET paper gives for its Figure 3
 * and for a dataflow with gaps between its time-stamps; tables of stamps refuse what is too large.
 */
#include "sator/report.h"

#include "base/text.h"
#include "relation/bridge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
};

static struct fixture open_case(const char *workload, const char *arch, const char *shape,
        const char *space, const char *time)
{
    struct fixture f = {.ctx = sator_ctx_new()};
    const char *const sets[] = {shape};
    struct sator_input_options options = {.sets = sets, .n_sets = shape != NULL};

    assert_int_equal(sator_network_load(f.ctx, workload, NULL, &f.network), SATOR_OK);
    assert_int_equal(sator_arch_load(f.ctx, arch, &options, &f.arch), SATOR_OK);
    assert_int_equal(sator_dataflow_from_text(f.ctx, "test", space, time, &f.dataflow), SATOR_OK);
    return f;
}

static void close_case(struct fixture *f)
{
    sator_network_free(f->network);
    sator_arch_free(f->arch);
    sator_dataflow_free(f->dataflow);
    sator_ctx_free(f->ctx);
}

/* The text between "NAME := " and ";" (GIVE: free). */
static char *definition(const char *text, const char *name)
{
    char start[64];

    snprintf(start, sizeof start, "\n%s := ", name);
    const char *at = strstr(text, start);
    if (at == NULL)
        fail_msg("no %s in\n%s", name, text);
    at += strlen(start);
    return strndup(at, (size_t)(strchr(at, ';') - at));
}

static void assert_same_map(isl_ctx *isl, const char *text, const char *name, const char *expected)
{
    char *written = definition(text, name);
    isl_map *left = isl_map_read_from_str(isl, written);
    isl_map *right = isl_map_read_from_str(isl, expected);

    assert_non_null(left);
    assert_non_null(right);
    if (isl_map_is_equal(left, right) != isl_bool_true)
        fail_msg("%s is %s, not %s", name, written, expected);
    isl_map_free(left);
    isl_map_free(right);
    free(written);
}

struct expected {
    const char *name, *map;
};

static void check_relations(struct fixture *f, const struct expected *expected, int n)
{
    isl_ctx *isl = isl_ctx_alloc();
    char *text = NULL;

    assert_int_equal(
            sator_report_relations(f->ctx, f->network, 0, f->arch, f->dataflow, &text), SATOR_OK);
    char *domain = definition(text, "Domain");
    isl_set *points = isl_set_read_from_str(isl, domain);
    assert_non_null(points);
    isl_set_free(points);
    free(domain);
    for (int i = 0; i < n; i++)
        assert_same_map(isl, text, expected[i].name, expected[i].map);
    free(text);
    isl_ctx_free(isl);
}

static void test_relations_of_figure_3(void **state)
{
    static const struct expected expected[] = {{"Read_A", "{ S[i,j,k] -> A[i,k] }"},
            {"Write_Y", "{ S[i,j,k] -> Y[i,j] }"},
            {"Dataflow", "{ S[i,j,k] -> [PE[i,j] -> T[i+j+k]] : 0 <= i,j < 2 and 0 <= k < 4 }"},
            {"Assign_Read_A",
                    "{ [PE[p,q] -> T[t]] -> A[p, t-p-q] : 0 <= p,q < 2 and 0 <= t-p-q < 4 }"},
            {"Assign_Write_Y", "{ [PE[p,q] -> T[t]] -> Y[p,q] : 0 <= p,q < 2 and 0 <= t-p-q < 4 }"},
            {"Link_east", "{ PE[i,j] -> PE[i,j+1] }"},
            {"Spacetime_east",
                    "{ [PE[p,0] -> T[t]] -> [PE[p,1] -> T[t+1]] : 0 <= p < 2 and 0 <= t-p < 4 }"},
            {"Spacetime_own_registers",
                    "{ [PE[p,q] -> T[t]] -> [PE[p,q] -> T[t+1]] : 0 <= p,q < 2 and 0 <= t-p-q < 3 "
                    "}"}};
    struct fixture f = open_case(
            "gemm:i=2,j=2,k=4", "systolic-2d-8x8", "levels.PE.shape=[2,2]", "i, j", "i+j+k");

    (void)state;
    check_relations(&f, expected, sizeof expected / sizeof *expected);
    close_case(&f);
}

/* Stamps 0, 3, 6, ...: the stamp before is the occupied one before. */
static void test_relations_with_gaps(void **state)
{
    static const struct expected expected[] = {
            {"Spacetime_own_registers",
                    "{ [PE[p] -> T[t]] -> [PE[p] -> T[t+3]] : 0 <= p < 4 and 0 <= t < 15 and t mod "
                    "3 = 0 }"},
            {"Assign_Read_A",
                    "{ [PE[p] -> T[t]] -> A[0, k] : 0 <= p < 4 and 0 <= k < 6 and t = 3k }"}};
    struct fixture f = open_case("gemm:i=1,j=4,k=6", "systolic-1d", NULL, "j", "3*k");

    (void)state;
    check_relations(&f, expected, sizeof expected / sizeof *expected);
    close_case(&f);
}

static void test_stamps_refused(void **state)
{
    struct fixture f = open_case(
            "gemm:i=2,j=2,k=4", "systolic-2d-8x8", "levels.PE.shape=[2,2]", "i, j", "i+j+k");
    char *text = NULL;

    (void)state;
    assert_int_equal(sator_report_stamps(f.ctx, f.network, 0, f.arch, f.dataflow, NULL, 23, &text),
            SATOR_LIMIT);
    assert_null(text);
    char *messages = sator_ctx_take_messages(f.ctx, false);
    assert_non_null(strstr(messages, "6 time-stamps x 4 PEs with 48 elements"));
    free(messages);
    assert_int_equal(sator_report_stamps(f.ctx, f.network, 0, f.arch, f.dataflow, NULL, 24, &text),
            SATOR_OK);
    free(text);
    close_case(&f);
}

/* The table of stamps (GIVE: free) of a workload on 2 x 2 PEs under "space" and "time". */
static char *stamps_of(const char *workload, const char *space, const char *time)
{
    struct fixture f = open_case(workload, "systolic-2d-8x8", "levels.PE.shape=[2,2]", space, time);
    char *text = NULL;

    if (sator_report_stamps(f.ctx, f.network, 0, f.arch, f.dataflow, NULL, 1000, &text) != SATOR_OK)
        fail_msg("%s", sator_ctx_take_messages(f.ctx, false));
    close_case(&f);
    return text;
}

/* Maps and a domain that are given by conditions on further variables are the same as those that
 * are given by expressions: e is floor(i/2), p is i%2, and only even k are in the domain. */
static void test_stamps_of_hidden_variables(void **state)
{
    static const char *const domains[] = {
            "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 2 and 0 <= k < 6 and k % 2 = 0 }",
            "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 2 and 0 <= k < 6 and exists d : k = 2d }"};
    char *texts[2];

    (void)state;
    for (int w = 0; w < 2; w++) {
        char path[] = "/tmp/sator-show-XXXXXX.yaml";
        FILE *file = fdopen(mkstemps(path, 5), "w");
        assert_non_null(file);
        fprintf(file,
                "name: w\ndomain: \"%s\"\nreads: [\"{ S[i,j,k] -> A[i,k] }\", \"%s\"]\n"
                "writes: \"{ S[i,j,k] -> Y[i,j] }\"\n",
                domains[w],
                w == 0 ? "{ S[i,j,k] -> B[floor(k/4), j] }"
                       : "{ S[i,j,k] -> B[q, j] : 4q <= k < 4q + 4 }");
        fclose(file);
        texts[w] = w == 0
                ? stamps_of(path, "i%2, j", "floor(i/2), i%2 + j + k")
                : stamps_of(path, "{ S[i,j,k] -> PE[p,j] : exists e : i = 2e + p and 0 <= p < 2 }",
                          "{ S[i,j,k] -> T[e, i - 2e + j + k] : 2e <= i < 2e + 2 }");
        remove(path);
    }
    assert_string_equal(texts[1], texts[0]);
    assert_non_null(strstr(texts[0], "B[0,0]"));
    free(texts[0]);
    free(texts[1]);
}

/* Names that end alike are told apart, and an element that is read and written is there once. */
static void test_stamps_of_alike_names(void **state)
{
    static const char yaml[] = "name: w\ndomain: \"{ S[i] : 0 <= i < 2 }\"\n"
                               "reads:\n  - \"{ S[i] -> BA[i] }\"\n  - \"{ S[i] -> A[i] }\"\n"
                               "  - \"{ S[i] -> Y[i] }\"\nwrites:\n  - \"{ S[i] -> Y[i] }\"\n";
    char path[] = "/tmp/sator-show-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    FILE *file = fdopen(fd, "w");
    char *text = NULL;

    (void)state;
    assert_non_null(file);
    fputs(yaml, file);
    fclose(file);
    struct fixture f = open_case(path, "systolic-1d", NULL, "i", "0");
    remove(path);
    assert_int_equal(sator_report_stamps(f.ctx, f.network, 0, f.arch, f.dataflow, NULL, 100, &text),
            SATOR_OK);
    assert_string_equal(text,
            "  time-stamp  PE[0]            PE[1]\n"
            "  T[0]        BA[0] A[0] Y[0]  BA[1] A[1] Y[1]\n"
            "  = kept in the register, <NAME from there, unmarked from scratchpad\n");
    free(text);
    close_case(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_relations_of_figure_3),
            cmocka_unit_test(test_relations_with_gaps),
            cmocka_unit_test(test_stamps_refused),
            cmocka_unit_test(test_stamps_of_alike_names),
            cmocka_unit_test(test_stamps_of_hidden_variables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
