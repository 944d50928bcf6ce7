/* Calls that are wrong: a status and a message, never a wild read. */
#include "sator/build.h"
#include "sator/certificate.h"
#include "sator/explore.h"
#include "sator/input.h"
#include "sator/map.h"
#include "sator/page.h"
#include "sator/plan.h"
#include "sator/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct inputs {
    struct sator_ctx *ctx;
    struct sator_network *network; /* of one layer */
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
};

static int set_up(void **state)
{
    struct inputs *in = calloc(1, sizeof *in);

    in->ctx = sator_ctx_new();
    assert_int_equal(sator_network_load(in->ctx, "gemm:i=8,j=8,k=8", NULL, &in->network), SATOR_OK);
    assert_int_equal(sator_arch_load(in->ctx, "systolic-2d-8x8", NULL, &in->arch), SATOR_OK);
    assert_int_equal(
            sator_dataflow_load(in->ctx, "gemm/ij-p_j-ijk-t", NULL, &in->dataflow), SATOR_OK);
    *state = in;
    return 0;
}

static int tear_down(void **state)
{
    struct inputs *in = *state;

    sator_dataflow_free(in->dataflow);
    sator_arch_free(in->arch);
    sator_network_free(in->network);
    sator_ctx_free(in->ctx);
    free(in);
    return 0;
}

/* "status" is SATOR_USAGE, and what the context has to say has "part" in it. */
static void expect_misuse(struct sator_ctx *ctx, enum sator_status status, const char *part)
{
    char *messages = sator_ctx_take_messages(ctx, false);

    assert_int_equal(status, SATOR_USAGE);
    if (messages == NULL || strstr(messages, part) == NULL)
        fail_msg("no '%s' in: %s", part, messages == NULL ? "(nothing)" : messages);
    free(messages);
}

static void layers_that_are_not_there(void **state)
{
    static const int layers[] = {9, 1, -1, -2147483647};
    struct inputs *in = *state;
    struct sator_result *result;
    struct sator_map_result *mapping, **front;
    struct sator_plan *plan;
    struct sator_exploration *exploration;
    struct sator_explore_options explore = {0};
    char *text;
    int n;

    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        int layer = layers[i];
        expect_misuse(in->ctx,
                sator_analyze(in->ctx, in->network, layer, in->arch, in->dataflow, NULL, &result),
                "there is no layer");
        expect_misuse(in->ctx,
                sator_plan_new(in->ctx, in->network, layer, in->arch, in->dataflow, NULL, &plan),
                "there is no layer");
        expect_misuse(in->ctx, sator_map(in->ctx, in->network, layer, in->arch, NULL, &mapping),
                "there is no layer");
        expect_misuse(in->ctx,
                sator_map_pareto(in->ctx, in->network, layer, in->arch, NULL, &front, &n),
                "there is no layer");
        expect_misuse(in->ctx,
                sator_map_why_not(
                        in->ctx, in->network, layer, in->arch, in->dataflow, NULL, NULL, &text),
                "layer is");
        expect_misuse(in->ctx,
                sator_report_relations(in->ctx, in->network, layer, in->arch, in->dataflow, &text),
                "layer is");
        expect_misuse(in->ctx,
                sator_report_stamps(
                        in->ctx, in->network, layer, in->arch, in->dataflow, NULL, 100, &text),
                "layer is");
        assert_int_equal(sator_map_layer_repeat(in->network, layer), -1);
        assert_int_equal(sator_map_same_layer(in->network, layer), -1);
        assert_null(sator_network_layer_name(in->network, layer));
        if (layer != -1) /* all of them */
            expect_misuse(in->ctx,
                    sator_exploration_new(in->ctx, in->network, layer, "systolic-2d-8x8", NULL,
                            &explore, &exploration),
                    "layer is");
    }
}

static void explorations(void **state)
{
    static const struct {
        struct sator_explore_options options;
        const char *part;
    } cases[] = {{{.skew = 50, .prune = (enum sator_explore_prune)9}, "options->prune is 9"},
            {{.skew = 50}, "options->skew is 50: it is between -1 and 2"},
            {{.skew = -2}, "options->skew is -2"}, {{.pack = 4}, "options->pack is 4"},
            {{.fold = -1}, "options->fold is -1"},
            {{.space = (enum sator_explore_space)3}, "options->space is 3"},
            {{.engine = (enum sator_engine_choice)77}, "options->engine is 77"},
            {{.shard = 5, .n_shards = 2}, "options->shard is 5: it is between 1 and 2"},
            {{.shard = 0, .n_shards = 2}, "options->shard is 0: it is between 1 and 2"},
            {{.shard = 1}, "options->shard is 1: it is between 0 and 0"},
            {{.n_shards = -1}, "options->n_shards is -1"},
            {{.threads = -4}, "options->threads is -4"},
            {{.timing = (enum sator_timing_choice)3}, "options->timing is 3"},
            {{.budget_seconds = NAN}, "options->budget_seconds is nan"},
            {{.n_varies = 1}, "options->varies"}, {{.n_varies = -1}, "options->varies"},
            {{.size = 3}, "'size' is 3"}};
    struct inputs *in = *state;
    struct sator_exploration *exploration = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_misuse(in->ctx,
                sator_exploration_new(in->ctx, in->network, 0, "systolic-2d-8x8", NULL,
                        &cases[i].options, &exploration),
                cases[i].part);
    /* zeros are what is usual: the space of doc/explore.md, skewed once */
    struct sator_explore_options zeros = {0}, said = {.pack = 1, .skew = 1};
    const struct sator_explore_options *same[] = {&zeros, &said, NULL};
    const struct sator_explore_summary *summary;
    uint64_t visited = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sator_exploration_new(in->ctx, in->network, 0, "systolic-2d-8x8", NULL,
                                 same[i], &exploration),
                SATOR_OK);
        assert_int_equal(sator_explore_run(in->ctx, exploration, NULL, NULL, &summary), SATOR_OK);
        visited = i == 0 ? summary->points : visited;
        assert_int_equal(summary->points, visited);
        assert_int_equal(summary->size, sizeof *summary);
        sator_exploration_free(exploration);
    }
    assert_true(visited > 0);
}

static void analyses(void **state)
{
    static const double bandwidths[][2] = {
            {64, NAN}, {64, -1}, {0, 64}, {INFINITY, 64}, {64, -INFINITY}};
    static const struct {
        struct sator_analyze_options options;
        const char *part;
    } cases[] = {{{.engine = (enum sator_engine_choice)5}, "options.engine is 5"},
            {{.engine = (enum sator_engine_choice)1000}, "options.engine is 1000"},
            {{.model = (enum sator_model_choice)2}, "options.model is 2"},
            {{.n_sweep = 2}, "sweep_bandwidths != NULL"},
            {{.n_sweep = -2}, "options.n_sweep is -2"},
            {{.sweep_bandwidths = bandwidths[0], .n_sweep = 2}, "sweep_bandwidths[1] is nan"},
            {{.sweep_bandwidths = bandwidths[1], .n_sweep = 2}, "sweep_bandwidths[1] is -1"},
            {{.sweep_bandwidths = bandwidths[2], .n_sweep = 2}, "sweep_bandwidths[0] is 0"},
            {{.sweep_bandwidths = bandwidths[3], .n_sweep = 2}, "sweep_bandwidths[0] is inf"},
            {{.sweep_bandwidths = bandwidths[4], .n_sweep = 2}, "sweep_bandwidths[1] is -inf"},
            {{.size = 1}, "'size' is 1"}};
    struct inputs *in = *state;
    struct sator_result *result = NULL;
    struct sator_network_result *results = NULL;
    struct sator_plan *plan = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_misuse(in->ctx,
                sator_analyze(in->ctx, in->network, 0, in->arch, in->dataflow, &cases[i].options,
                        &result),
                cases[i].part);
        expect_misuse(in->ctx,
                sator_analyze_network(
                        in->ctx, in->network, in->arch, in->dataflow, &cases[i].options, &results),
                cases[i].part);
        expect_misuse(in->ctx,
                sator_plan_new(
                        in->ctx, in->network, 0, in->arch, in->dataflow, &cases[i].options, &plan),
                cases[i].part);
    }
    assert_null(result);
}

static void mappings(void **state)
{
    static const char *const texts[] = {"PE: only k", NULL};
    static const struct {
        struct sator_map_options options;
        const char *part;
    } cases[] = {{{.objective = (enum sator_map_objective)3}, "options->objective is 3"},
            {{.strategy = (enum sator_map_strategy) - 1}, "options->strategy is"},
            {{.constraints = texts, .n_constraints = 2}, "options->constraints"},
            {{.n_constraints = 1}, "options->constraints"},
            {{.budget_seconds = -1}, "options->budget_seconds is -1"},
            {{.limit = NAN}, "options->limit is nan"},
            {{.intra_order = 3}, "options->intra_order is 3"},
            {{.threads = -1}, "options->threads is -1"}};
    struct inputs *in = *state;
    struct sator_map_result *mapping = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_misuse(in->ctx,
                sator_map(in->ctx, in->network, 0, in->arch, &cases[i].options, &mapping),
                cases[i].part);
    assert_null(mapping);
}

static void readers_and_reports(void **state)
{
    static const char *const texts[] = {"sizes.i=4", NULL};
    static const struct {
        struct sator_input_options options;
        const char *part;
    } cases[] = {{{.sets = texts, .n_sets = 2}, "options->sets"}, {{.n_sets = 1}, "options->sets"},
            {{.n_defines = 1}, "options->defines"},
            {{.n_include_dirs = -1}, "options->include_dirs"},
            {{.nest = -1}, "options->nest is -1"}, {{.n_varied = 1}, "options->n_varied is 1"},
            {{.tenet_interval = 2}, "options->tenet_interval is 2"}};
    struct inputs *in = *state;
    struct sator_network *network = NULL;
    const struct sator_result *none[] = {NULL};
    struct sator_report_options report = {.format = (enum sator_format)1000};
    char *text = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_misuse(in->ctx, sator_network_load(in->ctx, "gemm", &cases[i].options, &network),
                cases[i].part);
    expect_misuse(in->ctx, sator_report_results(in->ctx, none, 1, NULL, &text), "has_results");
    expect_misuse(in->ctx, sator_report_results(in->ctx, none, -1, NULL, &text), "n_results is -1");
    expect_misuse(in->ctx, sator_report_library(in->ctx, NULL, &report, &text),
            "options->format is 1000");
    assert_null(text);
    assert_int_equal(sator_library_count("nothing"), 0);
    assert_int_equal(sator_library_count(NULL), 0);
    assert_null(sator_library_name("archs", -1));
    assert_null(sator_library_name(NULL, 0));
}

/* NULL in every place that it can have. */
static void nothing(void **state)
{
    struct inputs *in = *state;
    struct sator_ctx *ctx = in->ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    struct sator_result *result;
    struct sator_plan *plan;
    const struct sator_result *point;
    struct sator_map_result *mapping;
    struct sator_exploration *exploration;
    struct sator_message_view view = {0};
    const char *kind;
    char *text;

#define MISUSE(call) assert_int_equal(call, SATOR_USAGE)
    MISUSE(sator_network_load(NULL, "gemm", NULL, &network));
    MISUSE(sator_network_load(ctx, NULL, NULL, &network));
    MISUSE(sator_network_load(ctx, "gemm", NULL, NULL));
    MISUSE(sator_network_load_all(ctx, 1, NULL, NULL, &network));
    MISUSE(sator_arch_load(ctx, NULL, NULL, &arch));
    MISUSE(sator_dataflow_load(ctx, NULL, NULL, &dataflow));
    MISUSE(sator_dataflow_from_text(ctx, "mine", NULL, "i", &dataflow));
    MISUSE(sator_check_file(ctx, NULL, NULL, &kind));
    MISUSE(sator_check_tensors(ctx, NULL, in->arch));
    MISUSE(sator_show(ctx, NULL, NULL, &text));
    MISUSE(sator_experiments_read(ctx, NULL, NULL, NULL));
    MISUSE(sator_analyze(NULL, in->network, 0, in->arch, in->dataflow, NULL, &result));
    MISUSE(sator_analyze(ctx, NULL, 0, in->arch, in->dataflow, NULL, &result));
    MISUSE(sator_analyze(ctx, in->network, 0, NULL, in->dataflow, NULL, &result));
    MISUSE(sator_analyze(ctx, in->network, 0, in->arch, NULL, NULL, &result));
    MISUSE(sator_analyze(ctx, in->network, 0, in->arch, in->dataflow, NULL, NULL));
    MISUSE(sator_plan_new(ctx, in->network, 0, in->arch, NULL, NULL, &plan));
    MISUSE(sator_plan_remap(ctx, NULL, in->dataflow, &plan));
    MISUSE(sator_plan_evaluate(ctx, NULL, NULL, NULL, &point));
    MISUSE(sator_plan_evaluate_points(ctx, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL));
    MISUSE(sator_map(ctx, NULL, 0, in->arch, NULL, &mapping));
    MISUSE(sator_map_network_front(ctx, in->network, NULL, NULL, NULL));
    MISUSE(sator_certificate_write(ctx, in->network, 0, in->arch, NULL, NULL, NULL, &text));
    MISUSE(sator_certificate_check(ctx, "a file", NULL, NULL, NULL));
    MISUSE(sator_advise(ctx, in->network, 0, in->arch, in->dataflow, NULL, NULL));
    MISUSE(sator_report_machines(ctx, NULL, 1, NULL, &text));
    MISUSE(sator_report_network_front(ctx, NULL, NULL, &text));
    MISUSE(sator_exploration_new(ctx, in->network, 0, NULL, NULL, NULL, &exploration));
    MISUSE(sator_explore_list(ctx, NULL, 0, NULL));
    MISUSE(sator_explore_run(ctx, NULL, NULL, NULL, NULL));
    MISUSE(sator_explore_query(ctx, NULL, NULL, NULL));
    MISUSE(sator_explore_merge(ctx, NULL, 0, NULL, &text));
    MISUSE(sator_network_parse(ctx, "name", NULL, NULL, &network));
    MISUSE(sator_ctx_message(ctx, -1, &view));
    MISUSE(sator_ctx_message(ctx, 1000, &view));
    MISUSE(sator_ctx_set_words(ctx, NULL, 1));
    MISUSE(sator_ctx_set_outputs(ctx, &(struct sator_output){"output", "file"}, 1, NULL));
    sator_ctx_cancel(NULL);
    sator_ctx_set_work_limit(NULL, 1);
    assert_int_equal(sator_ctx_error_count(NULL), 0);
    assert_int_equal(sator_ctx_message_count(NULL), 0);
    assert_null(sator_ctx_take_messages(NULL, false));
    assert_null(sator_network_name(NULL));
    assert_null(sator_arch_name(NULL));
    assert_null(sator_dataflow_name(NULL));
    assert_int_equal(sator_network_layer_count(NULL), -1);
    assert_int_equal(sator_plan_loop_count(NULL), -1);
    assert_int_equal(sator_plan_loop_extent(NULL, 0), -1);
    assert_null(sator_plan_loop_name(NULL, 0));
    assert_null(sator_result_tensor(NULL, 0));
    assert_null(sator_nearest(NULL, NULL, 3));
    const char *const keys[] = {"capacity_bytes", "capacity_words", "bandwidth_bits"};
    assert_string_equal(sator_nearest("bandwidth", keys, 3), "bandwidth_bits"); /* begins with it */
    assert_null(sator_nearest("capacity", keys, 3)); /* two do */
    assert_null(sator_nearest("ba", keys, 3));
    sator_result_free(NULL);
    sator_plan_free(NULL);
    sator_workspace_free(NULL);
}

/* A caller whose headers know more fields than the library. */
static void later_headers(void **state)
{
    struct {
        struct sator_analyze_options known;
        double later;
    } options = {.known.size = sizeof options};
    struct inputs *in = *state;
    struct sator_result *result;

    assert_int_equal(
            sator_analyze(in->ctx, in->network, 0, in->arch, in->dataflow, &options.known, &result),
            SATOR_OK);
    assert_int_equal(result->size, sizeof *result);
    sator_result_free(result);
    options.later = 1;
    expect_misuse(in->ctx,
            sator_analyze(in->ctx, in->network, 0, in->arch, in->dataflow, &options.known, &result),
            "a field that library " SATOR_VERSION " does not have");
}

/* A list of structs that are larger than the library's: the second is where the first ends. */
static void later_machines(void **state)
{
    const struct sator_map_network names = {.size = sizeof names, .name = "gemm"};
    struct inputs *in = *state;
    struct sator_map_result *result;
    char *text;
    struct {
        struct sator_map_machine known;
        double later;
    } machines[2] = {{.known.arch = "first"}, {.known.arch = "second"}};

    assert_int_equal(sator_map(in->ctx, in->network, 0, in->arch, NULL, &result), SATOR_OK);
    const struct sator_map_result *const results[] = {result};
    for (int i = 0; i < 2; i++) {
        machines[i].known.size = sizeof machines[i];
        machines[i].known.network = &names;
        machines[i].known.results = results;
        machines[i].known.n_results = 1;
    }
    assert_int_equal(sator_report_machines(in->ctx, &machines[0].known, 2, NULL, &text), SATOR_OK);
    assert_non_null(strstr(text, "first"));
    assert_non_null(strstr(text, "second"));
    free(text);
    machines[1].later = 1;
    expect_misuse(in->ctx, sator_report_machines(in->ctx, &machines[0].known, 2, NULL, &text),
            "a field that library " SATOR_VERSION " does not have");
    sator_map_result_free(result);
}

static void windows(void **state)
{
    static const struct {
        struct sator_report_window window;
        const char *part;
    } cases[] = {
            {{.n_from = 1}, "n_from"}, {{.n_stamps = -1}, "n_stamps"}, {{.size = 3}, "'size'"}};
    struct inputs *in = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sator_page_options options = {
                .size = sizeof options, .window = &cases[i].window};
        struct sator_page *page;
        char *text;
        expect_misuse(in->ctx, sator_page_new(in->ctx, &options, &page), cases[i].part);
        expect_misuse(in->ctx,
                sator_report_stamps(in->ctx, in->network, 0, in->arch, in->dataflow,
                        &cases[i].window, 10, &text),
                cases[i].part);
    }
}

static void messages_in_parts(void **state)
{
    static const struct sator_word words[] = {{"space", "--space"}};
    struct inputs *in = *state;
    struct sator_dataflow *dataflow;
    struct {
        struct sator_message_view known;
        int later;
    } view = {.known.size = sizeof view, .later = 7};

    assert_int_equal(sator_dataflow_from_text(in->ctx, "mine", "i%0", "j", &dataflow), SATOR_INPUT);
    assert_int_equal(sator_ctx_message_count(in->ctx), 1);
    assert_int_equal(sator_ctx_message(in->ctx, 0, &view.known), SATOR_OK);
    assert_true(view.known.is_error);
    assert_string_equal(view.known.path, "space");
    assert_int_equal(view.known.line, 1);
    assert_int_equal(view.known.column, 1);
    assert_non_null(strstr(view.known.text, "the divisor 0 is not positive"));
    assert_int_equal(view.later, 0); /* what the library does not know is zero */
    free(sator_ctx_take_messages(in->ctx, false));
    assert_int_equal(sator_ctx_set_words(in->ctx, words, 1), SATOR_OK);
    assert_int_equal(sator_dataflow_from_text(in->ctx, "mine", "i%0", "j", &dataflow), SATOR_INPUT);
    assert_int_equal(sator_ctx_message(in->ctx, 0, &view.known), SATOR_OK);
    assert_string_equal(view.known.path, "--space");
    free(sator_ctx_take_messages(in->ctx, false));
}

static void versions(void **state)
{
    sator_int large = (sator_int)1 << 70, small = -7;
    int64_t value = 3;
    char text[48];

    (void)state;
    assert_string_equal(sator_version(), SATOR_VERSION);
    assert_int_equal(sator_version_number(), 100);
    assert_false(sator_int_get(&large, &value));
    assert_int_equal(value, 3);
    assert_true(sator_int_get(&small, &value));
    assert_int_equal(value, -7);
    assert_true(sator_int_real(&large) == 0x1p70);
    assert_string_equal(sator_int_text(&large, ',', text), "1,180,591,620,717,411,303,424");
}

/* Figures of points: as sator_plan_evaluate has them; points that cannot be. */
static void points(void **state)
{
    const int64_t extents[] = {8, 8, 8, /**/ 16, 9, 5, /**/ 0, 1, 1, /**/ 1, 1, 1};
    struct inputs *in = *state;
    struct sator_workspace *workspace = sator_workspace_new();
    struct sator_plan *plan;
    const struct sator_result *result;
    double cycles[4];
    int64_t words[4], done;
    bool valid[4];
    const struct sator_column columns[] = {
            {.size = sizeof *columns, .figure = "latency_cycles.total", .numbers = cycles},
            {.size = sizeof *columns, .figure = "tensors.A.unique_volume", .counts = words}};
    struct sator_column wrong = {.figure = "latencie", .numbers = cycles};

    assert_int_equal(
            sator_plan_new(in->ctx, in->network, 0, in->arch, in->dataflow, NULL, &plan), SATOR_OK);
    assert_int_equal(sator_plan_evaluate_points(
                             in->ctx, plan, workspace, 4, extents, 2, columns, valid, &done),
            SATOR_OK);
    assert_int_equal(done, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(valid[i], i != 2);
        if (i == 2)
            continue;
        assert_int_equal(
                sator_plan_evaluate(in->ctx, plan, workspace, &extents[3 * i], &result), SATOR_OK);
        assert_true(cycles[i] == result->total_cycles);
        assert_int_equal(words[i], (int64_t)result->tensors[0].unique_volume);
    }
    assert_true(isnan(cycles[2]));
    assert_int_equal(words[2], -1);
    assert_int_equal(sator_ctx_message_count(in->ctx), 0);
    assert_int_equal(sator_plan_evaluate_points(
                             in->ctx, plan, workspace, 4, extents, 2, columns, NULL, &done),
            SATOR_INPUT);
    assert_int_equal(done, 2);
    free(sator_ctx_take_messages(in->ctx, false));
    expect_misuse(in->ctx,
            sator_plan_evaluate_points(
                    in->ctx, plan, workspace, 1, extents, 1, &wrong, NULL, &done),
            "a result has no figure 'latencie'");
    wrong = (struct sator_column){.figure = "energy", .counts = words};
    expect_misuse(in->ctx,
            sator_plan_evaluate_points(
                    in->ctx, plan, workspace, 1, extents, 1, &wrong, NULL, &done),
            "'energy' is no count");
    wrong = (struct sator_column){.figure = "tensors.Q.footprint", .counts = words};
    expect_misuse(in->ctx,
            sator_plan_evaluate_points(
                    in->ctx, plan, workspace, 1, extents, 1, &wrong, NULL, &done),
            "has no tensor 'Q'");
    assert_int_equal(sator_plan_figure_kind(plan, "stamps"), SATOR_FIGURE_COUNT);
    assert_int_equal(sator_plan_figure_kind(plan, "edp"), SATOR_FIGURE_NUMBER);
    assert_int_equal(sator_plan_figure_kind(plan, "bound_by"), SATOR_FIGURE_NONE);
    sator_plan_free(plan);
    sator_workspace_free(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(layers_that_are_not_there, set_up, tear_down),
            cmocka_unit_test_setup_teardown(explorations, set_up, tear_down),
            cmocka_unit_test_setup_teardown(analyses, set_up, tear_down),
            cmocka_unit_test_setup_teardown(mappings, set_up, tear_down),
            cmocka_unit_test_setup_teardown(readers_and_reports, set_up, tear_down),
            cmocka_unit_test_setup_teardown(nothing, set_up, tear_down),
            cmocka_unit_test_setup_teardown(later_headers, set_up, tear_down),
            cmocka_unit_test_setup_teardown(later_machines, set_up, tear_down),
            cmocka_unit_test_setup_teardown(windows, set_up, tear_down),
            cmocka_unit_test_setup_teardown(messages_in_parts, set_up, tear_down),
            cmocka_unit_test(versions),
            cmocka_unit_test_setup_teardown(points, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
