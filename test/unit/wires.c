/* Wires (links of interval 0): one direction between two PEs, and cycles cut (doc/model.md, section
 * 2). */
#include "base/text.h"
#include "model/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct array_case {
    const char *links[4];
    const char *wires; /* the surviving wires "provider>consumer" */
    const char *access; /* what PE[i,j] needs in the only stamp; NULL: all need the same */
};

static const struct sator_relation *read(struct sator_ctx *ctx, const char *text)
{
    const struct sator_relation *map = NULL;
    const struct sator_source *source = sator_source_from_text(ctx, "t", text);

    assert_int_equal(sator_relation_read(ctx, ctx->arena,
                             (struct sator_loc){.source = source, .length = source->length}, &map),
            SATOR_OK);
    return map;
}

/* Every pair of PEs that a wire still joins, in order. */
static char *list_wires(const struct sator_transport *network, const int64_t *shape)
{
    struct sator_text text = {0};
    int64_t n = shape[0] * shape[1];

    for (int64_t q = 0; q < n; q++) {
        for (int64_t p = 0; p < n; p++) {
            bool joined = false;
            for (int l = 0; l < network->n_links; l++) {
                const struct sator_relation *map = network->links[l].map;
                for (int i = 0; i < map->n_pieces; i++) {
                    const struct sator_piece *piece = &map->pieces[i];
                    /* free variables of these tests are consumer coordinates, in order */
                    int64_t point[4] = {q / shape[1], q % shape[1]};
                    int64_t want[2] = {p / shape[1], p % shape[1]}, out[2];
                    int next = 0;
                    for (int d = 0; d < 2; d++) {
                        if (piece->out[d]->n_terms == 1 && piece->out[d]->terms[0].var >= 2)
                            point[2 + next++] = want[d];
                    }
                    bool holds;
                    assert_true(sator_cond_holds(piece->cond, point, &holds));
                    for (int d = 0; d < 2; d++)
                        assert_true(sator_expr_value(piece->out[d], point, &out[d]));
                    joined |= holds && out[0] == want[0] && out[1] == want[1];
                }
            }
            if (joined)
                sator_text_add(&text, "%s%d>%d", text.length == 0 ? "" : " ", (int)q, (int)p);
        }
    }
    return sator_text_take(&text);
}

/* Cut the cycles for one stamp in which every PE of "shape" runs the instance of its coordinates.
 */
static void cut(struct sator_ctx *ctx, const struct array_case *c, const int64_t *shape,
        const struct sator_model_network *network, struct sator_transport *transport)
{
    char domain[80];
    struct sator_counter *counter;

    snprintf(domain, sizeof domain, "{ S[i,j] : 0 <= i < %d and 0 <= j < %d }", (int)shape[0],
            (int)shape[1]);
    const struct sator_stamping stamping = {.domain = read(ctx, domain),
            .space = read(ctx, "{ S[i,j] -> PE[i,j] }"),
            .time = read(ctx, "{ S[i,j] -> T[0] }"),
            .n_space = 2,
            .n_time = 1,
            .shape = shape};
    assert_int_equal(sator_counter_new(ctx, SATOR_ENGINE_AUTO, &stamping, &counter), SATOR_OK);
    assert_int_equal(sator_model_cut(ctx, ctx->arena, counter,
                             read(ctx, c->access == NULL ? "{ S[i,j] -> A[0] }" : c->access),
                             network, transport),
            SATOR_OK);
    sator_counter_free(counter);
}

static void check(const struct array_case *c, const int64_t *shape)
{
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_link links[4] = {0};
    struct sator_level level = {.kind = SATOR_LEVEL_ARRAY, .name = "PE"};
    struct sator_arch arch = {.name = "a", .n_levels = 1, .levels = &level};
    struct sator_model_network network;
    struct sator_transport transport;

    for (int i = 0; i < 4 && c->links[i] != NULL; i++) {
        links[i] = (struct sator_link){.name = "wire", .map = read(ctx, c->links[i])};
        level.array.n_links++;
    }
    level.array.n_dims = 2;
    level.array.shape = shape;
    level.array.links = links;
    assert_int_equal(
            sator_model_network(ctx, ctx->arena, &arch, 0, 2, "A", SATOR_READ, &network), SATOR_OK);
    cut(ctx, c, shape, &network, &transport);
    char *wires = list_wires(&transport, shape);
    assert_string_equal(wires, c->wires);
    free(wires);
    sator_ctx_free(ctx);
}

static void test_row_of_four(void **state)
{
    static const int64_t shape[] = {1, 4};
    static const struct array_case cases[] = {
            {{"PE[i,j] -> PE[i,j+1]"}, "0>1 1>2 2>3", NULL},
            {{"PE[i,j] -> PE[i,j-1]"}, "1>0 2>1 3>2", NULL},
            {{"PE[i,j] -> PE[i,j-1]", "PE[i,j] -> PE[i,j+1]"}, "0>1 1>2 2>3", NULL},
            {{"PE[i,j] -> PE[i,j]"}, "", NULL},
            {{"PE[i,j] -> PE[i,j2] : -2 <= j2 - j <= 2"}, "0>1 0>2 1>2 1>3 2>3", NULL},
            {{"PE[i,j] -> PE[i,j2] : floor(j/2) = floor(j2/2)"}, "0>1 2>3", NULL},
            /* joined both ways only where both are declared: 3 > 0 goes one way, against the others
             */
            {{"PE[i,j] -> PE[i,j+1] : j < 2", "PE[i,j] -> PE[i,j-3]"}, "0>1 1>2 3>0", NULL},
            /* a ring: its first PE fetches */
            {{"PE[i,j] -> PE[i,j+1]", "PE[i,j] -> PE[i,j-3]"}, "0>1 1>2 2>3", NULL},
            {{"PE[i,j] -> PE[i,(j+1)%4]"}, "0>1 1>2 2>3", NULL},
            {{"PE[i,j] -> PE[i,(j+3)%4]"}, "0>3", NULL},
            {{"PE[i,j] -> PE[i,j+1] : j = 0", "PE[i,j] -> PE[i,j-1] : j = 1"}, "0>1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], shape);
}

static void test_square(void **state)
{
    static const int64_t shape[] = {2, 2};
    static const struct array_case cases[] = {
            {{"PE[i,j] -> PE[i2,j2] : -1 <= i2 - i <= 1 and -1 <= j2 - j <= 1"},
                    "0>1 0>2 0>3 1>2 1>3 2>3", NULL},
            {{"PE[i,j] -> PE[i+1,j-1]", "PE[i,j] -> PE[i-1,j+1]"}, "1>2", NULL},
            /* 0 > 1 > 3 > 2 > 0; in the second, 0 has something else, so nothing goes round */
            {{"PE[i,j] -> PE[i,j+1] : i = 0", "PE[i,j] -> PE[i+1,j] : j = 1",
                     "PE[i,j] -> PE[i,j-1] : i = 1", "PE[i,j] -> PE[i-1,j] : j = 0"},
                    "0>1 1>3", NULL},
            {{"PE[i,j] -> PE[i,j+1] : i = 0", "PE[i,j] -> PE[i+1,j] : j = 1",
                     "PE[i,j] -> PE[i,j-1] : i = 1", "PE[i,j] -> PE[i-1,j] : j = 0"},
                    "0>1 1>3 2>0 3>2",
                    "{ S[i,j] -> A[0] : i + j > 0; S[i,j] -> A[1] : i + j = 0 }"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], shape);
}

/* Only wires on a cycle are cut: 2 > 4 > 3 > 2. */
static void test_row_of_six(void **state)
{
    static const int64_t shape[] = {1, 6};
    static const struct array_case cases[] = {
            {{"PE[i,j] -> PE[i,j-1]", "PE[i,j] -> PE[i,j+2] : j = 2"}, "1>0 2>1 2>4 5>4", NULL},
            {{"PE[i,j] -> PE[i,j2] : j2 = j - 1 or (j = 2 and j2 = 4)"}, "1>0 2>1 2>4 5>4", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], shape);
}

/* Right, down to the left, up: every step lies on a cycle of three. */
static void test_triangles(void **state)
{
    static const int64_t shape[] = {3, 3};
    static const char everything[] =
            "0>1 1>2 1>3 2>4 3>0 3>4 4>1 4>5 4>6 5>2 5>7 6>3 6>7 7>4 7>8 8>5";
    static const char no_way_up[] = "0>1 1>2 1>3 2>4 3>4 4>5 4>6 5>7 6>7 7>8";
    static const char links[] = "PE[i,j] -> PE[i,j+1]; PE[i,j] -> PE[i+1,j-1]; "
                                "PE[i,j] -> PE[i-1,j]";
    static const struct array_case cases[] = {
            {{"PE[i,j] -> PE[i,j+1]", "PE[i,j] -> PE[i+1,j-1]", "PE[i,j] -> PE[i-1,j]"}, no_way_up,
                    NULL},
            {{links}, no_way_up, NULL},
            {{links}, everything, "{ S[i,j] -> A[j] }"}, /* goes up alone */
            {{links}, everything, "{ S[i,j] -> A[i + j] }"}, /* down to the left alone */
            {{links}, everything, "{ S[i,j] -> A[i,j] }"}, /* nowhere */
            /* up, where a row above 2 has it too; and to the right: but not down to the left */
            {{links}, everything,
                    "{ S[i,j] -> A[0] : j = 0; S[i,j] -> A[0] : i = 2; "
                    "S[i,j] -> A[1 + i] : j > 0 and i < 2 }"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i], shape);
}

/* i - (-(2^63 - 1) * i) has a factor of 2^63. */
static void test_too_large(void **state)
{
    static const int64_t shape[] = {3};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_link link = {
            .name = "far", .map = read(ctx, "PE[i] -> PE[-9223372036854775807*i]")};
    struct sator_level level = {.kind = SATOR_LEVEL_ARRAY,
            .name = "PE",
            .array = {.n_dims = 1, .shape = shape, .n_links = 1, .links = &link}};
    struct sator_arch arch = {.name = "a", .n_levels = 1, .levels = &level};
    struct sator_model_network network;

    (void)state;
    assert_int_equal(sator_model_network(ctx, ctx->arena, &arch, 0, 1, "A", SATOR_READ, &network),
            SATOR_INPUT);
    sator_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_row_of_four),
            cmocka_unit_test(test_square),
            cmocka_unit_test(test_row_of_six),
            cmocka_unit_test(test_triangles),
            cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
