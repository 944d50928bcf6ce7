/* Reading and writing relations: what is written reads back to the same text; errors are located.
 */
#include "relation/relation.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct sator_loc whole(const struct sator_source *source)
{
    return (struct sator_loc){.source = source, .length = source->length};
}

/* The relation as it is written after reading "text" (GIVE: free), or NULL. */
static char *rewritten(struct sator_ctx *ctx, const char *text)
{
    const struct sator_relation *relation;
    struct sator_text out = {0};

    if (sator_relation_read(ctx, ctx->arena, whole(sator_source_from_text(ctx, "t", text)),
                &relation) != SATOR_OK)
        return NULL;
    sator_relation_write(&out, relation);
    return sator_text_take(&out);
}

static void test_round_trip(void **state)
{
    static const struct {
        const char *text, *written;
    } cases[] = {
            {"{ S[i,j] : 0 <= i < 4 and 0<=j<3 }",
                    "{ S[i, j] : i >= 0 and -i + 3 >= 0 and j >= 0 and -j + 2 >= 0 }"},
            {"{S[i,j]: 0 <= i,j < 4}",
                    "{ S[i, j] : i >= 0 and j >= 0 and -i + 3 >= 0 and -j + 3 >= 0 }"},
            {"{S[i,j]->A[i+j]}", "{ S[i, j] -> A[i + j] }"},
            {"S[i,j] -> PE[i%8, floor(j/8)]", "{ S[i, j] -> PE[i%8, floor(j/8)] }"},
            {"{S[i]->T[fl(i/8), 2*(i%8) - i%3 + 1]}",
                    "{ S[i] -> T[floor(i/8), -(i%3) + 2*(i%8) + 1] }"},
            {"{S[i] -> T[3i + 2floor(i/4)]}", "{ S[i] -> T[3*i + 2*floor(i/4)] }"},
            {"{S[i] -> T[i mod 4, (i + 9) % 8, (8*i + 3)/8]}", "{ S[i] -> T[i%4, (i + 1)%8, i] }"},
            {"{S[i] -> T[(i/4)/2, (i%8)%4, (2*i)/4, -i/2]}",
                    "{ S[i] -> T[floor(i/8), i%4, floor(i/2), floor((-i)/2)] }"},
            {"{PE[i,j]->PE[i2,j]: -3<=i2-i<=3}",
                    "{ PE[i, j] -> PE[i2, j] : -i + i2 + 3 >= 0 and i - i2 + 3 >= 0 }"},
            {"{PE[i] -> PE[i+1]; PE[i] -> PE[i-1] : i > 0}",
                    "{ PE[i] -> PE[i + 1]; PE[i] -> PE[i - 1] : i - 1 >= 0 }"},
            {"{S[i,j]: (i = 1 or not (j != 2)) and exists (e: i = 2e)}",
                    "{ S[i, j] : (i - 1 = 0 or not (j - 2 != 0)) and exists (e: i - 2*e = 0) }"},
            {"{S[i]: exists (e = floor(i/2): i = 2*e)}",
                    "{ S[i] : exists (e: (-e + floor(i/2) = 0 and i - 2*e = 0)) }"},
            {"{S[i, i+1, 0] -> A[i]}", "{ S[i, in1, in2] -> A[i] : i - in1 + 1 = 0 and -in2 = 0 }"},
            {"{S[i] -> A [i] : true}", "{ S[i] -> A[i] }"},
            {"{S[] -> A[]}", "{ S[] -> A[] }"},
            {"{S[i] : false}", "{ S[i] : 1 = 0 }"},
            {"{S[i] -> A[-9223372036854775807*i]}", "{ S[i] -> A[-9223372036854775807*i] }"},
    };
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *once = rewritten(ctx, cases[i].text);
        if (once == NULL)
            print_error("not read: %s\n", cases[i].text);
        assert_non_null(once);
        assert_string_equal(once, cases[i].written);
        char *twice = rewritten(ctx, once);
        assert_non_null(twice);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
    }
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
            {"{S[i] -> A[k]; }", NULL},
            {"{S[i] -> A[k+1]}", "t:1:12: error: unknown name 'k' in an expression"},
            {"{S[i,j] -> A[i*j]}", "t:1:14: error: a product of two expressions is not affine"},
            {"{S[i,j] -> A[i/j]}", "t:1:14: error: a quotient by a variable is not affine"},
            {"{S[i] -> A[i%0]}", "t:1:12: error: the divisor 0 is not positive"},
            {"{S[i] -> A[i/-2]}", "t:1:12: error: the divisor -2 is not positive"},
            {"{S[i] -> A[99999999999999999999]}",
                    "t:1:12: error: a number in this expression does not fit into 64 bits"},
            {"{S[i] -> A[9223372036854775807*i + i]}",
                    "t:1:12: error: a number in this expression does not fit into 64 bits"},
            {"{S[i] -> A[i}", "t:1:13: error: expected ']' to close the tuple, found '}'"},
            {"{S[i] : i}", "t:1:10: error: expected a comparison (<, <=, =, !=, >=, >), found '}'"},
            {"{S[i] -> A[floor(i/2 + i/3)]}",
                    "t:1:12: error: several divisions inside one floor()"},
            {"{S[i]; S[i,j]}", "t:1:8: error: this piece has other tuples than the first one"},
            {"[N] -> {S[i] : 0 <= i < N}", "t:1:1: error: parameters are not supported"},
            {"", "t:1:1: error: expected a tuple such as S[i,j], found the end"},
            {"{S[i]} x", "t:1:8: error: unexpected 'x' after the set"},
            {"{S[i] -> A[i $ 2]}", "t:1:14: error: expected ']' to close the tuple, found '$'"},
            {"{S[i] -> A[min(i, 2)]}",
                    "t:1:12: error: 'min' is not affine: write it as conditions"},
            {"{S[i] -> A[ceil(i/2)]}", "t:1:12: error: ceil() is not supported"},
    };
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        free(rewritten(ctx, cases[i].text));
        char *messages = sator_ctx_take_messages(ctx, false);
        if (cases[i].message == NULL) {
            assert_null(messages);
            continue;
        }
        assert_non_null(messages);
        *strchr(messages, '\n') = '\0';
        assert_string_equal(messages, cases[i].message);
        free(messages);
    }
}

/* Loops that a C file may call so: expressions have these words for themselves. */
static void test_loops_called_by_words(void **state)
{
    static const char *const names[] = {"max", "floor", "mod", "i"};
    static const struct {
        const char *text, *message;
    } cases[] = {
            {"i, 2*max", "t:1:6: error: 'max' is a word of the notation, which names no loop"},
            {"floor", "t:1:1: error: 'floor' is a word of the notation, which names no loop"},
            {"i + mod", "t:1:5: error: 'mod' is a word of the notation, which names no loop"},
            {"max(i, 1)", "t:1:1: error: 'max' is not affine: write it as conditions"},
            {"floor(i/2), i mod 4, floor (i/4)", NULL},
    };
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sator_source *source = sator_source_from_text(ctx, "t", cases[i].text);
        const struct sator_expr *const *exprs;
        const char *name;
        int n_exprs;
        enum sator_status st = sator_tuple_read(
                ctx, ctx->arena, whole(source), 4, names, NULL, &name, &n_exprs, &exprs);
        char *messages = sator_ctx_take_messages(ctx, false);
        assert_int_equal(st, cases[i].message == NULL ? SATOR_OK : SATOR_INPUT);
        if (cases[i].message == NULL) {
            assert_null(messages);
            continue;
        }
        *strchr(messages, '\n') = '\0';
        assert_string_equal(messages, cases[i].message);
        free(messages);
    }
}

static void test_deep_nesting(void **state)
{
    struct sator_ctx *ctx = *state;
    struct sator_text text = {0};

    sator_text_add(&text, "{S[i] -> A[");
    for (int i = 0; i < 100000; i++)
        sator_text_add(&text, "(");
    assert_null(rewritten(ctx, text.data));
    sator_text_clear(&text);
    free(sator_ctx_take_messages(ctx, false));
    sator_text_add(&text, "{S[i] : ");
    for (int i = 0; i < 100000; i++)
        sator_text_add(&text, "not ");
    assert_null(rewritten(ctx, text.data));
    sator_text_clear(&text);
    free(sator_ctx_take_messages(ctx, false));
}

/* Simplified floors and remainders have the value that their text says. */
static void test_values(void **state)
{
    static const struct {
        const char *text;
        int64_t point, value;
    } cases[] = {
            {"{S[i] -> A[i/8]}", -1, -1},
            {"{S[i] -> A[i%8]}", -1, 7},
            {"{S[i] -> A[(8*i + 3)/8]}", -5, -5},
            {"{S[i] -> A[(6*i + 5)/4]}", 3, 5},
            {"{S[i] -> A[(6*i + 5)/4]}", -3, -4},
            {"{S[i] -> A[(i/3)/5]}", -16, -2},
            {"{S[i] -> A[(i%6)/2]}", -1, 2},
            {"{S[i] -> A[(i - 9)%4]}", 2, 1},
            {"{S[i] -> A[-(i%4)*3]}", 7, -9},
    };
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sator_relation *relation;
        int64_t value;
        assert_int_equal(sator_relation_read(ctx, ctx->arena,
                                 whole(sator_source_from_text(ctx, "t", cases[i].text)), &relation),
                SATOR_OK);
        assert_true(sator_expr_value(relation->pieces[0].out[0], &cases[i].point, &value));
        assert_int_equal(value, cases[i].value);
    }
}

static void test_boxes(void **state)
{
    static const struct {
        const char *text;
        bool is_box;
        int64_t lower, upper;
    } cases[] = {
            {"{S[i] : 0 <= i < 7}", true, 0, 7},
            {"{S[i] : 2*i >= -3 and 3*i <= 10}", true, -1, 4},
            {"{S[i] : i = 5}", true, 5, 6},
            {"{S[i] : 2*i = 5}", true, 3, 3},
            {"{S[i] : i >= 0}", false, 0, 0},
            {"{S[i] : 0 <= i < 7 and i%2 = 0}", false, 0, 0},
            {"{S[i] : 0 <= i < 7 or i = 9}", false, 0, 0},
            {"{S[i] : 5 <= i < 3}", true, 5, 5},
    };
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sator_relation *set;
        int64_t lower = 0, upper = 0;
        assert_int_equal(sator_relation_read(ctx, ctx->arena,
                                 whole(sator_source_from_text(ctx, "t", cases[i].text)), &set),
                SATOR_OK);
        assert_int_equal(sator_set_is_box(set, &lower, &upper), cases[i].is_box);
        if (cases[i].is_box) {
            assert_int_equal(lower, cases[i].lower);
            assert_int_equal(upper, cases[i].upper);
        }
    }
}

static void test_einsum(void **state)
{
    static const char *const loops[] = {"i", "j", "k"};
    struct sator_ctx *ctx = *state;
    struct sator_einsum_access *accesses;
    int n_accesses;
    struct sator_text text = {0};

    assert_int_equal(sator_einsum_read(ctx, ctx->arena,
                             whole(sator_source_from_text(
                                     ctx, "t", "Y[i,j] += alpha * (A[i][2*k - 1] + B[k, j]) / 5")),
                             3, loops, &n_accesses, &accesses),
            SATOR_OK);
    for (int i = 0; i < n_accesses; i++)
        sator_tuple_write(&text, accesses[i].tensor, accesses[i].n_index, accesses[i].index, loops);
    assert_string_equal(text.data, "Y[i, j]A[i, 2*k - 1]B[k, j]");
    sator_text_clear(&text);
    assert_int_equal(sator_einsum_read(ctx, ctx->arena,
                             whole(sator_source_from_text(
                                     ctx, "t", "B[i] = 0.2 * (A[i] + 1.5e-3*A[i+1]) / 2.E+1")),
                             3, loops, &n_accesses, &accesses),
            SATOR_OK);
    assert_int_equal(n_accesses, 3);
    static const char *const wrong[] = {
            "Y[i] += A[i] ? B[i]", "Y[i] += 0.2.3 * A[i]", "Y[i] += 1e+ * A[i]", "Y[i] += A[0.5]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(sator_einsum_read(ctx, ctx->arena,
                                 whole(sator_source_from_text(ctx, "t", wrong[i])), 3, loops,
                                 &n_accesses, &accesses),
                SATOR_INPUT);
    free(sator_ctx_take_messages(ctx, false));
}

static int new_ctx(void **state)
{
    *state = sator_ctx_new();
    return 0;
}

static int free_ctx(void **state)
{
    sator_ctx_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(test_round_trip, new_ctx, free_ctx),
            cmocka_unit_test_setup_teardown(test_errors, new_ctx, free_ctx),
            cmocka_unit_test_setup_teardown(test_loops_called_by_words, new_ctx, free_ctx),
            cmocka_unit_test_setup_teardown(test_deep_nesting, new_ctx, free_ctx),
            cmocka_unit_test_setup_teardown(test_values, new_ctx, free_ctx),
            cmocka_unit_test_setup_teardown(test_boxes, new_ctx, free_ctx),
            cmocka_unit_test_setup_teardown(test_einsum, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
