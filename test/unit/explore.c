/* Exploration's parts: expressions, fronts, variants of hardware, sizes of spaces, dependences. */
#include "explore/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = sator_ctx_new();
    return 0;
}

static int tear_down(void **state)
{
    sator_ctx_free(*state);
    return 0;
}

static void must_say(struct sator_ctx *ctx, const char *part)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    assert_non_null(messages);
    if (strstr(messages, part) == NULL)
        fail_msg("no '%s' in: %s", part, messages);
    free(messages);
}

/* ---- expressions ---- */

static struct explore_tensor tensors[] = {
        {.name = "A", .role = SATOR_READ, .volumes = {60, 50, 20, 10, 20, 5}},
        {.name = "Y", .role = SATOR_READ, .volumes = {1, 2, 3, 4, 5, 6}},
        {.name = "Y", .role = SATOR_WRITE, .volumes = {10, 20, 30, 40, 50, 60}}};
static const char *const tensor_names[] = {"A", "Y"};
static struct explore_names names = {.n_tensors = 2, .tensors = tensor_names};
static struct explore_names no_names;

static struct explore_record example(void)
{
    struct explore_record record = {.n_tensors = 3, .tensors = tensors};

    for (int i = 0; i < EXPLORE_N_FIELDS; i++)
        record.fields[i] = (struct explore_value){.kind = explore_fields[i].kind, .number = NAN};
    record.fields[explore_field_index("pes")].count = 64;
    record.fields[explore_field_index("instances")].count = ((sator_int)1 << 60) + 1;
    record.fields[explore_field_index("stamps")].count = (sator_int)1 << 60;
    record.fields[explore_field_index("latency")].number = 1000;
    record.fields[explore_field_index("energy_pj.total")].number = 2.5;
    return record;
}

static void expressions_have_their_values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1 + 2 * 3", 7}, {"(1 + 2) * 3", 9}, {"10 - 2 - 3", 5}, {"12 / 4 / 3", 1},
            {"-2 * -3", 6}, {"7 / 2", 3.5}, {"1e3", 1000}, {".5", 0.5}, {"pes", 64},
            {"latency", 1000}, {"latency_cycles.total", 1000}, {"energy * latency", 2500},
            {"min(3, 2)", 2}, {"max(pes, latency)", 1000}, {"pes <= 64", 1}, {"pes < 64", 0},
            {"pes >= 64 and pes != 63", 1}, {"pes == 1 or latency > 999", 1}, {"not pes = 64", 0},
            {"not not 5", 1}, {"instances > stamps", 1}, /* equal as floating point */
            {"instances - stamps", 1}, {"instances == stamps", 0}, {"power < 1", 0},
            {"power > 1", 0}, {"not power > 1", 1}, /* missing: no comparison holds */
            {"tensors.A.unique_volume", 20}, {"tensors.Y.unique_volume", 55},
            {"tensors.Y.write.unique_volume", 50}, {"tensors.Y.read.footprint", 6},
            {"1 and 0 or 1", 1}, {"1 or 0 and 0", 1}, {"2 < 3 and 3 < 4", 1}};
    struct explore_record record = example();
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct explore_expression *expression;
        assert_int_equal(explore_expression_read(
                                 ctx, ctx->arena, "where", cases[i].text, &names, &expression),
                SATOR_OK);
        struct explore_value value = explore_expression_value(expression, &record);
        if (explore_value_number(&value) != cases[i].value)
            fail_msg("%s is %g", cases[i].text, explore_value_number(&value));
    }
}

static void wrong_expressions_are_located(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"", "where:1:1: error: the expression ends too early"},
            {"pes <", "where:1:6: error: the expression ends too early"},
            {"(pes", "where:1:1: error: this '(' is not closed"},
            {"pes 3", "where:1:5: error: an operator is expected here"},
            {"latancy < 3", "did you mean 'latency'?"},
            {"tensors.B.unique_volume", "there is no figure 'tensors.B.unique_volume'"},
            {"tensors.A.uniqe_volume", "did you mean 'tensors.A.unique_volume'?"},
            {"3x", "where:1:1: error: this is no number"},
            {"min(3)", "min and max take two arguments"}, {"pes ! 3", "an operator is expected"},
            {"1e999", "this is no number"},
            {"pes andy", "where:1:5: error: an operator is expected here"},
            {"pes orbit 3", "where:1:5: error: an operator is expected here"},
            {"nothing", "there is no figure 'nothing'"}};
    struct sator_ctx *ctx = *state;
    const struct explore_expression *expression = NULL;
    char deep[1000];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(explore_expression_read(
                                 ctx, ctx->arena, "where", cases[i].text, &names, &expression),
                SATOR_INPUT);
        must_say(ctx, cases[i].message);
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(
            explore_expression_read(ctx, ctx->arena, "where", deep, &no_names, &expression),
            SATOR_INPUT);
    must_say(ctx, "nested too deeply");
    assert_null(expression);
}

static void objectives_have_directions(void **state)
{
    struct sator_ctx *ctx = *state;
    struct explore_record record = example();
    struct explore_objective *objectives;
    int n;

    record.fields[explore_field_index("utilization")].number = 0.5;
    assert_int_equal(
            explore_objectives_read(ctx, ctx->arena, "objective",
                    "latency, utilization, max(pes, 3), power", &no_names, &n, &objectives),
            SATOR_OK);
    assert_int_equal(n, 4);
    assert_true(explore_objective_cost(&objectives[0], &record) == 1000);
    assert_true(explore_objective_cost(&objectives[1], &record) == -0.5); /* more is better */
    assert_true(explore_objective_cost(&objectives[2], &record) == 64);
    assert_true(isinf(explore_objective_cost(&objectives[3], &record)));
    assert_string_equal(objectives[2].text, "max(pes, 3)");
    assert_int_equal(explore_objectives_read(
                             ctx, ctx->arena, "objective", "latency,", &no_names, &n, &objectives),
            SATOR_INPUT);
    must_say(ctx, "ends too early");
}

/* Safe rules promise latency and energy: only what follows from these may be asked for with them.
 */
static void monotone_expressions_are_recognised(void **state)
{
    static const struct {
        const char *text;
        bool monotone, bound;
    } cases[] = {{"latency", true, false}, {"edp", true, false},
            {"2 * energy + latency", true, false}, {"max(latency, energy)", true, false},
            {"-latency", false, false}, {"latency - energy", false, false},
            {"bandwidth", false, false}, {"latency / energy", false, false},
            {"pes <= 256", false, true}, {"pes <= 256 and energy < 1e9", false, true},
            {"latency > 5", false, false}, {"5 >= latency or pes == 4", false, true},
            {"not latency < 5", false, false}, {"utilization > 0.5", false, false},
            {"latency < energy", false, false}};
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct explore_expression *expression;
        assert_int_equal(explore_expression_read(
                                 ctx, ctx->arena, "x", cases[i].text, &no_names, &expression),
                SATOR_OK);
        if (explore_expression_is_monotone(expression) != cases[i].monotone ||
                explore_expression_is_bound(expression) != cases[i].bound)
            fail_msg("%s", cases[i].text);
    }
}

/* Against the definition: a member is a point that no other one beats. */
static void fronts_are_fronts(void **state)
{
    enum {
        N = 300
    };
    double points[N][3];
    struct explore_front front = {.n_costs = 3};
    unsigned seed = 1;

    (void)state;
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++)
            points[i][c] = (double)((seed = seed * 1103515245u + 12345u) >> 16 & 63);
        explore_front_add(&front, points[i], (uint64_t)i);
    }
    int n_expected = 0;
    for (int i = 0; i < N; i++) {
        bool beaten = false, member = false;
        for (int j = 0; j < N; j++) {
            bool nowhere_worse = true, better = false;
            for (int c = 0; c < 3; c++) {
                nowhere_worse = nowhere_worse && points[j][c] <= points[i][c];
                better = better || points[j][c] < points[i][c];
            }
            beaten = beaten || (nowhere_worse && better);
        }
        for (int m = 0; m < front.n_members; m++)
            member = member || front.labels[m] == (uint64_t)i;
        assert_int_equal(member, !beaten);
        n_expected += !beaten;
    }
    assert_true(n_expected > 3 && n_expected < N);
    assert_int_equal(front.n_members, n_expected);
    explore_front_clear(&front);
}

/* ---- hardware ---- */

static void variants_are_all_combinations(void **state)
{
    static const char *const varies[] = {"shape=[[4,4], [8,8]]",
            "scratchpad.bandwidth_bits=64:160:48", "levels.PE.topology=[mesh]"};
    static const char *const expected[] = {"levels.array.shape=[4,4]", "levels.array.shape=[8,8]"};
    struct sator_ctx *ctx = *state;
    const char *const *settings;
    int n;

    assert_int_equal(explore_vary(ctx, ctx->arena, "array", 3, varies, &n, &settings), SATOR_OK);
    assert_int_equal(n, 2 * 3 * 1);
    for (int i = 0; i < n; i++) {
        char bandwidth[64];
        snprintf(bandwidth, sizeof bandwidth, "levels.scratchpad.bandwidth_bits=%d",
                64 + 48 * (i % 3));
        assert_string_equal(settings[3 * i], expected[i / 3]);
        assert_string_equal(settings[3 * i + 1], bandwidth);
        assert_string_equal(settings[3 * i + 2], "levels.PE.topology=mesh");
    }
}

static void wrong_variants_are_located(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"shape", "varies:1:1: error: PATH=VALUES is expected"},
            {"shape=[4", "varies:1:7: error: this '[' is not closed"},
            {"shape=[4,,5]", "varies:1:10: error: a value is missing here"},
            {"shape=[]", "a value is missing"}, {"x=3", "a list [a,b,...] or a range"},
            {"x=1:2:0", "the step of this range is 0"},
            {"x=1:2:-1", "the steps of this range lead away from its end"},
            {"x=1:1e9", "too many values"}, {"x=[1]2", "nothing is expected after the list"},
            {"x=1:2:3:4", "a list [a,b,...] or a range"}, {"=3", "PATH=VALUES"}};
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *settings;
        int n;
        assert_int_equal(
                explore_vary(ctx, ctx->arena, "PE", 1, &cases[i].text, &n, &settings), SATOR_INPUT);
        must_say(ctx, cases[i].message);
    }
}

/* ---- spaces ---- */

static struct sator_exploration *must_explore(struct sator_ctx *ctx, const char *workload,
        const char *shape, const struct sator_explore_options *options,
        struct sator_network **network)
{
    struct sator_input_options input = {.sets = &shape, .n_sets = 1};
    struct sator_exploration *exploration = NULL;

    assert_int_equal(sator_network_load(ctx, workload, NULL, network), SATOR_OK);
    assert_int_equal(sator_exploration_new(
                             ctx, *network, -1, "systolic-2d-8x8", &input, options, &exploration),
            SATOR_OK);
    return exploration;
}

/* Sizes counted by hand: assignments x orders x skews. */
static void spaces_have_their_sizes(void **state)
{
    static const struct {
        const char *workload, *shape;
        struct sator_explore_options options;
        uint64_t size;
    } cases[] = {/* 6 ordered pairs of loops, 3 time dimensions, 3 x 3 skews of the last one */
            {"gemm:i=4,j=4,k=4", "levels.PE.shape=[2,2]", {.skew = 0}, 6 * 6 * 9},
            {"gemm:i=4,j=4,k=4", "levels.PE.shape=[2,2]", {.skew = SATOR_NO_SKEW}, 6 * 6},
            {"gemm:i=4,j=4,k=4", "levels.PE.shape=[2,2]", {.skew = 2}, 6 * 6 * 81},
            /* of whole loops, too: 5 x 5 */
            {"gemm:i=4,j=4,k=4", "levels.PE.shape=[2,2]", {.skew = 1, .whole_skews = true},
                    6 * 6 * 25},
            /* nothing is left of the loops across the array: one time dimension */
            {"gemm:i=2,j=2,k=2", "levels.PE.shape=[2,2]", {.skew = 1}, 6 * 1 * 9},
            /* one dimension may stay empty (2 x 3 assignments of one loop, 3 time dimensions, 3
               skews), or both (3 time dimensions) */
            {"gemm:i=4,j=4,k=4", "levels.PE.shape=[2,2]", {.skew = 1, .idle = true},
                    6 * 6 * 9 + 6 * 6 * 3 + 6},
            /* the third loop may run inside a stamp: then two time dimensions are left */
            {"gemm:i=4,j=4,k=4", "levels.PE.shape=[2,2]", {.skew = SATOR_NO_SKEW, .fold = 1},
                    6 * 6 + 6 * 2},
            /* loops of extent 1 are no loops; the empty dimension cannot be filled */
            {"gemm:i=4,j=1,k=1", "levels.PE.shape=[2,2]", {.skew = SATOR_NO_SKEW}, 2 * 1 + 1},
            /* two loops across four PEs: a whole loop of 2, then half of another: [a b], all orders
               of the third loop and what is left of b. Single loops: whole (2 of 4 PEs) and two
               time dimensions. */
            {"gemm:i=2,j=2,k=2", "levels.PE.shape=[4,1]", {.skew = SATOR_NO_SKEW, .pack = 2},
                    3 * 2 + 6 * 1},
            /* 3 x 3 matrices */
            {"gemm:i=2,j=2,k=2", "levels.PE.shape=[4,4]", {.space = SATOR_SPACE_MATRIX}, 512},
            {"conv2d:k=2,c=2,ox=2,oy=2,rx=2,ry=2", "levels.PE.shape=[4,4]",
                    {.space = SATOR_SPACE_MATRIX}, (uint64_t)1 << 36}};
    struct sator_ctx *ctx = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sator_network *network;
        struct sator_exploration *exploration =
                must_explore(ctx, cases[i].workload, cases[i].shape, &cases[i].options, &network);
        if (sator_space_size(exploration->parts[0].space) != cases[i].size)
            fail_msg("case %zu: %llu points", i,
                    (unsigned long long)sator_space_size(exploration->parts[0].space));
        sator_exploration_free(exploration);
        sator_network_free(network);
    }
}

/* Matrices by validity, against a count over all 512: GEMM 2x2x2 on a 2x2 array whose PEs do one
 * MAC a stamp. */
static void matrices_are_valid_or_not(void **state)
{
    struct sator_ctx *ctx = *state;
    struct sator_network *network = NULL;
    struct sator_exploration *exploration = NULL;
    const char *sets[] = {"levels.PE.shape=[2,2]", "levels.mac.per_stamp=1"};
    struct sator_input_options input = {.sets = sets, .n_sets = 2};
    struct sator_explore_options options = {.space = SATOR_SPACE_MATRIX};

    assert_int_equal(sator_network_load(ctx, "gemm:i=2,j=2,k=2", NULL, &network), SATOR_OK);
    assert_int_equal(sator_exploration_new(
                             ctx, network, -1, "systolic-2d-8x8", &input, &options, &exploration),
            SATOR_OK);
    for (uint64_t m = 0; m < 512; m++) {
        bool inside = __builtin_popcountll(m >> 6) <= 1 && __builtin_popcountll(m >> 3 & 7) <= 1;
        bool shared = false;
        for (int a = 0; a < 8; a++) { /* two instances with the same three sums? */
            for (int b = 0; b < a; b++) {
                bool same = true;
                for (int row = 0; row < 3; row++) {
                    uint64_t bits = m >> (3 * row) & 7;
                    same = same &&
                            __builtin_popcountll(bits & (unsigned)a) ==
                                    __builtin_popcountll(bits & (unsigned)b);
                }
                shared = shared || same;
            }
        }
        const char *rule;
        struct sator_result *result = NULL;
        assert_int_equal(
                explore_evaluate(ctx, exploration, &exploration->parts[0], m, 0, &rule, &result),
                SATOR_OK);
        if (!inside)
            assert_string_equal(rule, "outside_array");
        else if (shared)
            assert_string_equal(rule, "work_per_stamp");
        else
            assert_null(rule);
        sator_result_free(result);
    }
    sator_exploration_free(exploration);
    sator_network_free(network);
}

/* ---- dependences ---- */

static struct sator_network *load_text(struct sator_ctx *ctx, const char *text)
{
    char path[] = "/tmp/sator-unit-XXXXXX.yaml";
    struct sator_network *network = NULL;
    int file = mkstemps(path, 5);
    FILE *out = fdopen(file, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    enum sator_status st = sator_network_load(ctx, path, NULL, &network);
    remove(path);
    if (st != SATOR_OK)
        must_say(ctx, "(the test's own workload)");
    return network;
}

/* The order of two stamps of the point's time map. */
static int compare_times(const struct sator_relation *when, const int64_t *a, const int64_t *b)
{
    for (int d = 0; d < when->n_out; d++) {
        int64_t x, y;
        assert_true(sator_expr_value(when->pieces[0].out[d], a, &x));
        assert_true(sator_expr_value(when->pieces[0].out[d], b, &y));
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* In-place sweeps: A[i,j] of earlier and later neighbours; against every pair of instances. */
static void dependences_are_kept_or_not(void **state)
{
    static const int64_t reads[][2] = {{-1, 0}, {0, -1}, {1, 0}, {-1, 1}, {-2, 3}};
    enum {
        N = 6
    };
    struct sator_ctx *ctx = *state;
    int n_kept = 0, n_broken = 0;

    for (size_t r = 0; r < sizeof reads / sizeof *reads; r++) {
        char text[512];
        snprintf(text, sizeof text,
                "name: sweep\ndomain: \"{ S[i,j] : 0 <= i < 6 and 0 <= j < 6 }\"\n"
                "reads:\n  - \"{ S[i,j] -> A[i+%d,j+%d] }\"\nwrites:\n  - \"{ S[i,j] -> A[i,j] "
                "}\"\n",
                (int)reads[r][0], (int)reads[r][1]);
        struct sator_network *network = load_text(ctx, text);
        const char *set = "levels.PE.shape=[2,2]";
        struct sator_input_options input = {.sets = &set, .n_sets = 1};
        struct sator_explore_options options = {
                .skew = 2, .whole_skews = true, .no_symmetry = true};
        struct sator_exploration *exploration = NULL;
        assert_non_null(network);
        assert_int_equal(sator_exploration_new(ctx, network, -1, "systolic-2d-8x8", &input,
                                 &options, &exploration),
                SATOR_OK);
        const struct explore_part *part = &exploration->parts[0];
        const struct sator_order *in_place = part->space->orders[0];
        assert_int_equal(in_place->n_conflicts, 1);
        assert_non_null(in_place->conflicts[0].distance);
        for (uint64_t p = 0; p < sator_space_size(part->space); p++) {
            struct sator_arena *arena = sator_arena_new();
            const struct sator_relation *where, *when;
            struct space_point point;
            bool kept = true;
            sator_space_point(part->space, p, &point);
            sator_space_maps(part->space, &point, 0, arena, &where, &when);
            for (int64_t i = 0; i < N; i++) {
                for (int64_t j = 0; j < N; j++) { /* (i,j) reads what (ri,rj) writes */
                    int64_t ri = i + reads[r][0], rj = j + reads[r][1];
                    if (ri < 0 || ri >= N || rj < 0 || rj >= N)
                        continue;
                    bool flow = ri < i || (ri == i && rj < j);
                    int order = compare_times(when, (int64_t[]){ri, rj}, (int64_t[]){i, j});
                    kept = kept && (flow ? order < 0 : order >= 0);
                }
            }
            const struct sator_disorder *disorder;
            assert_int_equal(sator_order_check(ctx, arena, in_place, when, &disorder), SATOR_OK);
            assert_int_equal(disorder == NULL, kept);
            n_kept += kept;
            n_broken += !kept;
            sator_arena_free(arena);
        }
        sator_exploration_free(exploration);
        sator_network_free(network);
    }
    assert_true(n_kept > 100 && n_broken > 100);
}

/* Whether every pair of instances of mirror, which reads A[5-i] and writes A[i], is in order. */
static bool mirror_is_kept(const struct sator_relation *when)
{
    for (int64_t m = 0; m < 6; m++) {
        int64_t n = 5 - m;
        int order = compare_times(when, &m, &n);
        if (m < n && order >= 0) /* n reads what m wrote, and overwrites what it read */
            return false;
    }
    return true;
}

/* Distances that differ from pair to pair: what the points must keep is the same rule. */
static void distances_may_vary(void **state)
{
    struct sator_ctx *ctx = *state;
    struct sator_network *network = load_text(ctx,
            "name: mirror\ndomain: \"{ S[i] : 0 <= i < 6 }\"\nreads:\n  - \"{ S[i] -> A[5-i] }\"\n"
            "writes:\n  - \"{ S[i] -> A[i] }\"\n");
    const char *set = "levels.PE.shape=[2,2]";
    struct sator_input_options input = {.sets = &set, .n_sets = 1};
    struct sator_explore_options options = {.skew = 0};
    struct sator_exploration *exploration = NULL;
    int n_kept = 0, n_broken = 0;

    assert_int_equal(sator_exploration_new(
                             ctx, network, -1, "systolic-2d-8x8", &input, &options, &exploration),
            SATOR_OK);
    const struct explore_part *part = &exploration->parts[0];
    for (uint64_t p = 0; p < sator_space_size(part->space); p++) {
        struct sator_arena *arena = sator_arena_new();
        const struct sator_relation *where, *when;
        const struct sator_result *result = NULL;
        const char *rule = NULL;
        struct space_point point;
        struct explore_evaluator *evaluator = explore_evaluator_new(exploration, part);
        sator_space_point(part->space, p, &point);
        sator_space_maps(part->space, &point, 0, arena, &where, &when);
        bool kept = mirror_is_kept(when);
        assert_int_equal(explore_evaluate_next(ctx, evaluator, p, 0, &rule, &result), SATOR_OK);
        assert_int_equal(rule == NULL, kept);
        if (!kept)
            assert_string_equal(rule, "dependence");
        n_kept += kept;
        n_broken += !kept;
        explore_evaluator_free(evaluator);
        sator_arena_free(arena);
    }
    assert_true(n_kept > 0 && n_broken > 0);
    sator_exploration_free(exploration);
    sator_network_free(network);
}

/* ---- rules ---- */

static struct sator_exploration *explore_with(struct sator_ctx *ctx,
        const struct sator_network *network, const char *const *sets, int n_sets,
        const struct sator_explore_options *options)
{
    struct sator_input_options input = {.sets = sets, .n_sets = n_sets};
    struct sator_exploration *exploration = NULL;

    if (sator_exploration_new(ctx, network, -1, "systolic-2d-8x8", &input, options, &exploration) !=
            SATOR_OK)
        must_say(ctx, sets[n_sets - 1]);
    return exploration;
}

/* Wires alike along three dimensions: any order of them is as good. */
static void cubes_have_six_orders(void **state)
{
    const char *sets[] = {"levels.PE.shape=[2,2,2]",
            "levels.PE.links=[{name: x, map: \"PE[i,j,k] -> PE[i+1,j,k]\", interval: 1}, "
            "{name: y, map: \"PE[i,j,k] -> PE[i,j+1,k]\", interval: 1}, "
            "{name: z, map: \"PE[i,j,k] -> PE[i,j,k+1]\", interval: 1}]"};
    struct sator_explore_options options = {.skew = 1};
    struct sator_ctx *ctx = *state;
    struct sator_network *network = NULL;
    int seen = 0;

    assert_int_equal(sator_network_load(ctx, "gemm:i=2,j=2,k=2", NULL, &network), SATOR_OK);
    struct sator_exploration *made = explore_with(ctx, network, sets, 2, &options);
    const struct space *space = made->parts[0].space;
    assert_int_equal(space->n_dim_orders, 6);
    for (int i = 0; i < 6; i++) { /* each once: as digits of a number */
        const int *to = space->dim_orders[i];
        assert_int_equal(1 << to[0] | 1 << to[1] | 1 << to[2], 7);
        assert_int_equal(seen >> (3 * to[0] + to[1]) & 1, 0);
        seen |= 1 << (3 * to[0] + to[1]);
    }
    sator_exploration_free(made);
    sator_network_free(network);
}

/* The points that rule "name" leaves out. */
static int left_out_by(const struct sator_exploration *exploration, const char *name)
{
    const struct space *space = exploration->parts[0].space;
    int n = 0;

    for (uint64_t i = 0; i < sator_space_size(space); i++) {
        struct space_point point;
        sator_space_point(space, i, &point);
        const char *rule = sator_space_rule(space, i, &point);
        n += rule != NULL && strcmp(rule, name) == 0;
    }
    return n;
}

/* A skew that no word moves along costs nothing more only where hops, over whatever wires and
 * buses, are no dearer than reading and writing, no link waits longer than a stamp, no memory
 * inside the array has a bandwidth, and the sums that 3 of a tree's 4 PEs keep are read for no more
 * than the 5 + 5 pJ that one costs which leaves and comes back. */
static void idle_skews_need_cheap_hops(void **state)
{
    static const char tree[] =
            "levels.PE.reduction=[{name: t, map: \"PE[i,j] -> TREE[i]\", energy_pj: 0.1}]";
    static const struct {
        const char *set, *more;
        bool is_safe;
    } cases[] = {{"levels.scratchpad.energy_pj=5", NULL, true},
            {"levels.scratchpad.energy_pj={read: 5, write: 0.1}", NULL, false},
            {"levels.scratchpad.energy_pj={read: 0.1, write: 5}", NULL, false},
            {"levels.scratchpad.energy_pj=0.2", NULL, true},
            {"levels.PE.multicast=[{name: b, map: \"PE[i,j] -> BUS[0]\", energy_pj: 6}]", NULL,
                    false},
            {"levels.PE.multicast=[{name: b, map: \"PE[i,j] -> BUS[0]\", energy_pj: 5}]", NULL,
                    true},
            {"levels.PE.links=[{name: e, map: \"PE[i,j] -> PE[i,j+1]\", energy_pj: 6}]", NULL,
                    false},
            {"levels.PE.links=[{name: e, map: \"PE[i,j] -> PE[i,j+1]\", energy_pj: 5}]", NULL,
                    true},
            {"levels.PE.links=[{name: e, map: \"PE[i,j] -> PE[i,j+1]\", interval: 2}]", NULL,
                    false},
            {"levels.registers.bandwidth_bits={read: 8, write: 8}", NULL, false},
            {"levels.registers.ports=[{name: one, bandwidth_bits: 8}]", NULL, false},
            {tree, "levels.registers.energy_pj={read: 3, write: 9}", true},
            {tree, "levels.registers.energy_pj={read: 4, write: 1}", false}};
    struct sator_ctx *ctx = *state;
    struct sator_explore_options options = {
            .skew = 1, .prune = SATOR_PRUNE_SAFE, .timing = SATOR_TIMING_ROOFLINE};
    struct sator_network *network = NULL;

    assert_int_equal(sator_network_load(ctx, "gemm:i=4,j=4,k=4", NULL, &network), SATOR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *sets[] = {"levels.PE.shape=[2,2]", cases[i].set, cases[i].more};
        int n_sets = cases[i].more == NULL ? 2 : 3;
        struct sator_exploration *made = explore_with(ctx, network, sets, n_sets, &options);
        if ((left_out_by(made, "idle_skew") > 0) != cases[i].is_safe)
            fail_msg("%s %s", cases[i].set, cases[i].more == NULL ? "" : cases[i].more);
        sator_exploration_free(made);
    }
    sator_network_free(network);
}

/* A square GEMM is the same with A and B, i and j exchanged; not on a machine where either tensor
 * fares otherwise, which then has more points to visit. */
static void machines_tell_tensors_apart(void **state)
{
    static const char *const cases[] = {"levels.scratchpad.capacity_words={A: 4096}",
            "levels.registers.capacity_words={B: 4096}", "levels.registers.bypass=[A]",
            "levels.scratchpad.tensors=[A, B, Y]",
            "levels.scratchpad.ports=[{name: a, tensors: [A], bandwidth_bits: 9}]",
            "levels.PE.links=[{name: east, map: \"PE[i,j] -> PE[i,j+1]\", tensors: [A]}, {name: "
            "south, map: \"PE[i,j] -> PE[i+1,j]\"}]",
            "levels.PE.multicast=[{name: b, map: \"PE[i,j] -> BUS[0]\", tensors: [B]}]"};
    static const char *const alike[] = {"levels.scratchpad.capacity_words=4096",
            "levels.registers.capacity_words=4096",
            "levels.scratchpad.ports=[{name: a, bandwidth_bits: 9}]",
            "levels.PE.multicast=[{name: b, map: \"PE[i,j] -> BUS[0]\"}]"};
    struct sator_ctx *ctx = *state;
    struct sator_explore_options options = {.skew = 0, .prune = SATOR_PRUNE_NONE};
    struct sator_network *network = NULL;
    const char *sets[] = {"levels.PE.shape=[2,2]", NULL};

    assert_int_equal(sator_network_load(ctx, "gemm:i=4,j=4,k=4", NULL, &network), SATOR_OK);
    struct sator_exploration *made = explore_with(ctx, network, sets, 1, &options);
    int same = left_out_by(made, "symmetric");
    sator_exploration_free(made);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sets[1] = cases[i];
        made = explore_with(ctx, network, sets, 2, &options);
        if (left_out_by(made, "symmetric") >= same)
            fail_msg("%s", cases[i]);
        sator_exploration_free(made);
    }
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        sets[1] = alike[i];
        made = explore_with(ctx, network, sets, 2, &options);
        if (left_out_by(made, "symmetric") != same)
            fail_msg("%s", alike[i]);
        sator_exploration_free(made);
    }
    sator_network_free(network);
}

/* ---- descriptions ---- */

/* Whatever results depend on is in the description: each of these machines has another digest. */
static void descriptions_tell_machines_apart(void **state)
{
    static const char *const settings[] = {"levels.L1.energy_pj=2.5",
            "levels.L1.double_buffered=true", "levels.L2.overlaps=false",
            "levels.L1.capacity_words={A: 8192, B: 32768, Y: 1025}",
            "levels.L1.capacity_words={A: 8192, B: 32768}", "levels.L2.capacity_bytes=524286",
            "levels.L2.bandwidth_bits={read: 257, write: 768}",
            "levels.L2.bandwidth_bits={read: 256, write: 769}", "levels.L2.tensors=[A, B, Y]",
            "levels.DRAM.bypass=[A]", "levels.L2.may_bypass=[A]", "levels.L2.leakage_pj=1",
            "levels.L2.area_um2=1", "levels.L1.energy_pj={read: 2.5, write: 2}",
            "levels.L1.energy_pj={read: 2, write: 2.5}", "levels.L1.ports=[{name: p}]",
            "levels.L2.ports=[{name: p}]", "levels.L1.ports=[{name: q}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 16}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: {read: 8, write: 16}}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8, direction: shared}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8, direction: read}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8, direction: write}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8, tensors: [A]}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8, tensors: [Y]}]",
            "levels.L1.ports=[{name: p, bandwidth_bits: 8}, {name: q, tensors: [Y]}]",
            "levels.PE.shape=[4,5]", "levels.PE.reduction=[]", "levels.mac.cycles=2",
            "levels.mac.per_stamp=2", "levels.mac.energy_pj=2", "clock_mhz=100"};
    enum {
        N = sizeof settings / sizeof *settings
    };
    struct sator_ctx *ctx = *state;
    struct sator_explore_options options = {.skew = 0};
    struct sator_network *network = NULL;
    char digests[N][65];

    assert_int_equal(sator_network_load(ctx, "gemm:i=4,j=4,k=4", NULL, &network), SATOR_OK);
    for (int i = 0; i < N; i++) {
        struct sator_input_options input = {.sets = &settings[i], .n_sets = 1};
        struct sator_exploration *exploration = NULL;
        if (sator_exploration_new(ctx, network, -1, "simba-like", &input, &options, &exploration) !=
                SATOR_OK)
            must_say(ctx, "(no error)");
        memcpy(digests[i], exploration->digest, sizeof digests[i]);
        sator_exploration_free(exploration);
        for (int k = 0; k < i; k++) {
            if (strcmp(digests[i], digests[k]) == 0)
                fail_msg("%s is as %s", settings[i], settings[k]);
        }
    }
    sator_network_free(network);
}

/* ---- shards ---- */

/* Every n batches in a row go to n shards, and the mappings of one layer, every n_layers-th batch,
 * to all shards: at most twice as many to one as in the mean. */
static void shards_share_rounds_and_layers(void **state)
{
    enum {
        MOST = 12,
        VARIANTS = 600
    };

    (void)state;
    for (int n = 1; n <= MOST; n++) {
        for (uint64_t round = 0; round < VARIANTS; round++) {
            unsigned seen = 0;
            for (int i = 0; i < n; i++)
                seen |= 1u << explore_shard_of(round * (uint64_t)n + (uint64_t)i, n);
            assert_int_equal(seen, (1u << n) - 1);
        }
        for (int n_layers = 1; n_layers <= 2 * MOST; n_layers++) {
            int number[MOST] = {0};
            for (int v = 0; v < VARIANTS; v++)
                number[explore_shard_of((uint64_t)v * (uint64_t)n_layers, n)]++;
            for (int i = 0; i < n; i++)
                assert_in_range(number[i], 1, 2 * VARIANTS / n);
        }
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(expressions_have_their_values),
            CASE(wrong_expressions_are_located), CASE(objectives_have_directions),
            CASE(monotone_expressions_are_recognised), CASE(fronts_are_fronts),
            CASE(shards_share_rounds_and_layers), CASE(variants_are_all_combinations),
            CASE(wrong_variants_are_located), CASE(spaces_have_their_sizes),
            CASE(matrices_are_valid_or_not), CASE(dependences_are_kept_or_not),
            CASE(distances_may_vary), CASE(cubes_have_six_orders), CASE(idle_skews_need_cheap_hops),
            CASE(machines_tell_tensors_apart), CASE(descriptions_tell_machines_apart)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
