/* Reports of results that are made by hand: the GEMM of doc/model.md, section 5, and odd ones. */
#include "report/report.h"
#include "base/grid.h"
#include "sator/build.h"
#include "sator/map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

static const sator_int huge = ((sator_int)0x7fffffffffffffff << 64) + (sator_int)0x1234;
#define HUGE_TEXT "170141183460469231713240559642174558772"

static const struct sator_link_volume links_a[] = {{"east", 1700}, {"south", 0}, {"east", 100}};
static const struct sator_tensor_result gemm_tensors[] = {
        {.name = "A",
                .role = SATOR_READ,
                .word_bits = 16,
                .access_volume = 2160,
                .total_volume = 2160,
                .spatial_reuse = 1800,
                .reuse_volume = 1800,
                .unique_volume = 360,
                .footprint = 180,
                .reuse_factor = 6,
                .interconnect_bits_per_cycle = NAN,
                .scratchpad_bits_per_cycle = 48.8125,
                .n_links = 3,
                .links = links_a},
        {.name = "Y",
                .role = SATOR_WRITE,
                .word_bits = 16,
                .access_volume = 2160,
                .total_volume = 2160,
                .temporal_reuse = 1920,
                .reuse_volume = 1920,
                .unique_volume = 240,
                .footprint = 240,
                .reuse_factor = 9},
};
static const struct sator_energy_term gemm_terms[] = {
        {"mac", 2160, 0.75, 1620, "a table"},
        {"scratchpad.read", 360, 6, 2160, "a book"},
        {"east", 1800, NAN, NAN, NULL},
        {"scratchpad.read", 10, 6, 60, "a book"},
};
static const struct sator_level_tensor level_tensors[] = {
        {"A", SATOR_READ, 62153, 1234567, 1234568, 7, 0}};
static const struct sator_level_result gemm_levels[] = {{.name = "L2",
        .time_cut = 2,
        .instances = 4,
        .capacity_words = NAN,
        .n_tensors = 1,
        .tensors = level_tensors,
        .read_cycles = NAN,
        .write_cycles = 12.5}};
static const struct sator_bandwidth_point gemm_sweep[] = {
        {64, 90, 60, 118, "compute"}, {32, 180, 120, 180, "scratchpad reads"}};

static struct sator_result gemm(void)
{
    return (struct sator_result){.workload = "gemm",
            .arch = "systolic-2d-8x8",
            .dataflow = "(IJ-P | J,IJK-T)",
            .space = "PE[i%8, j%8]",
            .time = "T[i/8, j/8, i%8 + j%8 + k]",
            .model = "sator",
            .timing = "roofline",
            .engine = "closed",
            .instances = 2160,
            .stamps = 2160,
            .time_stamps = 118,
            .pes = 64,
            .active_pes = 64,
            .max_active_pes = 52,
            .utilization_average = 2160.0 / 118 / 64,
            .utilization_max = 0.8125,
            .macs_per_cycle = 12,
            .compute_cycles = 118,
            .read_cycles = 180.5,
            .write_cycles = NAN,
            .total_cycles = 180.5,
            .bound_by = "scratchpad reads",
            .interconnect_bits_per_cycle = 300,
            .scratchpad_bits_per_cycle = 81.25,
            .n_tensors = 2,
            .tensors = gemm_tensors,
            .n_levels = 1,
            .levels = gemm_levels,
            .n_energy_terms = 4,
            .energy_terms = gemm_terms,
            .energy_pj = NAN,
            .edp = NAN,
            .clock_mhz = 200,
            .n_sweep = 2,
            .sweep = gemm_sweep};
}

/* The report of "n" results (GIVE: free). */
static char *report_with(
        const struct sator_result *results, int n, const struct sator_report_options *options)
{
    struct sator_ctx *ctx = sator_ctx_new();
    const struct sator_result *list[8];
    char *text = NULL;

    for (int i = 0; i < n; i++)
        list[i] = &results[i];
    assert_int_equal(sator_report_results(ctx, list, n, options, &text), SATOR_OK);
    assert_null(sator_ctx_take_messages(ctx, false));
    sator_ctx_free(ctx);
    assert_non_null(text);
    return text;
}

static char *report(const struct sator_result *results, int n, enum sator_format format,
        const char *sort, bool comparison)
{
    struct sator_report_options options = {
            .format = format, .sort = sort, .comparison = comparison};

    return report_with(results, n, &options);
}

/* As JSON of "schema", 0 for the one by default (GIVE: free). */
static char *report_schema(const struct sator_result *results, int n, bool comparison, int schema)
{
    struct sator_report_options options = {
            .format = SATOR_FORMAT_JSON, .comparison = comparison, .schema = schema};

    return report_with(results, n, &options);
}

static const cJSON *at(const cJSON *item, const char *path)
{
    char copy[128], *rest = NULL;

    snprintf(copy, sizeof copy, "%s", path);
    for (char *word = strtok_r(copy, "/", &rest); word != NULL; word = strtok_r(NULL, "/", &rest)) {
        item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(word))
                                   : cJSON_GetObjectItemCaseSensitive(item, word);
        if (item == NULL)
            fail_msg("no %s in %s", word, path);
    }
    return item;
}

static const char *string_at(const cJSON *item, const char *path)
{
    const char *text = cJSON_GetStringValue(at(item, path));

    if (text == NULL)
        fail_msg("%s is no string", path);
    return text;
}

/* doc/output.md: a count that may pass 2^53 is a string by schema 1, else an integer. cJSON reads
 * that as a double: whether all its digits are written, the text tells. */
static void check_count(const cJSON *json, int schema, const char *path, const char *digits)
{
    const cJSON *item = at(json, path);

    if (schema == 1) {
        assert_string_equal(string_at(json, path), digits);
        return;
    }
    if (!cJSON_IsNumber(item))
        fail_msg("%s is no number", path);
    assert_true(item->valuedouble == strtod(digits, NULL));
}

/* The schemas that can be asked for: the one by default, and both by number. */
static const int schemas[] = {0, 1, 2};

static void check_schema(const cJSON *json, int schema)
{
    if (schema == 1)
        assert_null(cJSON_GetObjectItemCaseSensitive(json, "schema"));
    else
        assert_true(at(json, "schema")->valuedouble == 2);
}

static void check_json(int schema)
{
    static const struct {
        const char *path, *text;
    } strings[] = {{"workload", "gemm"}, {"arch", "systolic-2d-8x8"},
            {"dataflow/name", "(IJ-P | J,IJK-T)"}, {"dataflow/space", "PE[i%8, j%8]"},
            {"dataflow/time", "T[i/8, j/8, i%8 + j%8 + k]"}, {"engine", "closed"},
            {"tensors/0/name", "A"}, {"tensors/0/role", "read"}, {"tensors/1/role", "write"},
            {"bound_by", "scratchpad reads"}, {"levels/0/name", "L2"},
            {"energy_pj/terms/1/component", "scratchpad.read"},
            {"energy_pj/terms/1/source", "a book"}, {"sweep/1/bound_by", "scratchpad reads"}},
      counts[] = {{"instances", "2160"}, {"stamps", "2160"}, {"time_stamps", "118"},
              {"tensors/0/access_volume", "2160"}, {"tensors/0/total_volume", "2160"},
              {"tensors/0/temporal_reuse", "0"}, {"tensors/0/spatial_reuse", "1800"},
              {"tensors/0/unique_volume", "360"}, {"tensors/0/footprint", "180"},
              {"tensors/0/links/east", "1800"}, {"unique_volume", "600"},
              {"levels/0/tensors/0/tile_words", "62153"}, {"levels/0/tensors/0/fills", "1234567"},
              {"levels/0/tensors/0/writes", "1234568"}, {"levels/0/tensors/0/reads", "7"},
              {"levels/0/tensors/0/updates", "0"}, {"energy_pj/terms/1/actions", "360"}};
    static const struct {
        const char *path;
        double number;
    } numbers[] = {{"active_pes", 64}, {"utilization/average", 2160.0 / 118 / 64},
            {"utilization/max", 0.8125}, {"tensors/0/reuse_factor", 6},
            {"latency_cycles/compute", 118}, {"latency_cycles/read", 180.5},
            {"latency_cycles/total", 180.5}, {"bandwidth_bits_per_cycle/interconnect", 300},
            {"bandwidth_bits_per_cycle/scratchpad", 81.25},
            {"bandwidth_bits_per_cycle/by_tensor/A/scratchpad", 48.8125},
            {"energy_pj/by_component/mac", 1620}, {"energy_pj/by_component/scratchpad.read", 2220},
            {"levels/0/write_cycles", 12.5}, {"sweep/1/bits_per_cycle", 32},
            {"sweep/1/latency_cycles/total", 180}};
    static const char *const nulls[] = {"latency_cycles/write", "energy_pj/total", "edp",
            "energy_pj/by_component/east", "energy_pj/terms/2/source",
            "energy_pj/terms/2/pj_per_action", "levels/0/capacity_words",
            "bandwidth_bits_per_cycle/by_tensor/A/interconnect"};
    struct sator_result result = gemm();
    char *text = report_schema(&result, 1, false, schema);
    cJSON *json = cJSON_Parse(text);

    assert_non_null(json);
    check_schema(json, schema);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_count(json, schema, counts[i].path, counts[i].text);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        assert_string_equal(string_at(json, strings[i].path), strings[i].text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(cJSON_IsNumber(at(json, numbers[i].path)));
        assert_true(at(json, numbers[i].path)->valuedouble == numbers[i].number);
    }
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        assert_true(cJSON_IsNull(at(json, nulls[i])));
    cJSON_Delete(json);
    free(text);
}

static void test_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        check_json(schemas[i]);
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text);
}

static void check_odd_values(int schema)
{
    struct sator_result result = gemm();
    struct sator_tensor_result tensor = gemm_tensors[0];

    tensor.access_volume = huge;
    tensor.name = "bad \xff\xc3\x28 \"quoted\"\n";
    result.tensors = &tensor;
    result.n_tensors = 1;
    result.active_pes = huge;
    char *text = report_schema(&result, 1, false, schema);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    check_count(json, schema, "tensors/0/access_volume", HUGE_TEXT);
    check_count(json, schema, "active_pes", HUGE_TEXT); /* a string only where it is so large */
    const char *mark = schema == 1 ? "\"" : "";
    char member[80];
    snprintf(member, sizeof member, "\"access_volume\":\t%s" HUGE_TEXT "%s,", mark, mark);
    assert_contains(text, member);
    snprintf(member, sizeof member, "\"active_pes\":\t%s" HUGE_TEXT "%s,", mark, mark);
    assert_contains(text, member);
    assert_string_equal(
            string_at(json, "tensors/0/name"), "bad \xEF\xBF\xBD\xEF\xBF\xBD( \"quoted\"\n");
    cJSON_Delete(json);
    free(text);
}

static void test_json_of_odd_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        check_odd_values(schemas[i]);
}

static void check_several(int schema)
{
    struct sator_result results[] = {gemm(), gemm()};
    char *two = report_schema(results, 2, true, schema);
    char *one_left = report_schema(results, 1, true, schema);
    cJSON *json_two = cJSON_Parse(two), *json_one = cJSON_Parse(one_left);

    check_schema(json_two, schema);
    check_schema(json_one, schema);
    assert_int_equal(cJSON_GetArraySize(at(json_two, "results")), 2);
    assert_int_equal(cJSON_GetArraySize(at(json_one, "results")), 1);
    check_count(json_two, schema, "results/1/tensors/1/unique_volume", "240");
    cJSON_Delete(json_two);
    cJSON_Delete(json_one);
    free(two);
    free(one_left);
}

static void test_json_of_several(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        check_several(schemas[i]);
}

/* The fields of the CSV record at "*text", which moves to the next one; quotes are undone. Returns
 * how many. */
static int csv_record(char **text, char *fields[], int most)
{
    char *read = *text, *write = *text;
    int n = 0;
    bool quoted = false, end = false;

    fields[n++] = write;
    for (; !end; read++) {
        assert_int_not_equal(*read, '\0');
        if (*read == '"' && quoted && read[1] == '"')
            *write++ = *read++;
        else if (*read == '"')
            quoted = !quoted;
        else if (*read == ',' && !quoted) {
            *write++ = '\0';
            assert_true(n < most);
            fields[n++] = write;
        } else if (*read == '\n' && !quoted)
            end = true;
        else
            *write++ = *read;
    }
    *text = read;
    *write = '\0';
    return n;
}

static const char *field(char *const *names, char *const *fields, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0)
            return fields[i];
    }
    fail_msg("no column %s", name);
    return NULL;
}

static void test_csv(void **state)
{
    enum {
        MOST = 64
    };
    struct sator_result result = gemm();
    char *names[MOST], *fields[MOST];

    (void)state;
    result.n_sweep = 0;
    result.workload = "gemm, \"large\"\nsecond line";
    result.utilization_average = 0.1 + 0.2;
    char *text = report(&result, 1, SATOR_FORMAT_CSV, NULL, false), *rest = text;
    int n = csv_record(&rest, names, MOST);
    for (int row = 0; row < 2; row++) {
        assert_int_equal(csv_record(&rest, fields, MOST), n);
        assert_string_equal(field(names, fields, n, "workload"), result.workload);
        assert_string_equal(field(names, fields, n, "latency_cycles.total"), "180.5");
        assert_string_equal(field(names, fields, n, "latency_cycles.write"), "");
        assert_string_equal(field(names, fields, n, "tensor"), row == 0 ? "A" : "Y");
        assert_string_equal(
                field(names, fields, n, "tensor.unique_volume"), row == 0 ? "360" : "240");
        double average = strtod(field(names, fields, n, "utilization.average"), NULL);
        assert_true(average == result.utilization_average);
    }
    assert_string_equal(rest, "");
    free(text);
}

static void test_csv_of_a_sweep(void **state)
{
    enum {
        MOST = 64
    };
    struct sator_result result = gemm();
    char *names[MOST], *fields[MOST];
    char *text = report(&result, 1, SATOR_FORMAT_CSV, NULL, false), *rest = text;
    int n = csv_record(&rest, names, MOST);

    (void)state;
    assert_int_equal(csv_record(&rest, fields, MOST), n);
    assert_string_equal(field(names, fields, n, "bandwidth_bits_per_cycle"), "64");
    assert_string_equal(field(names, fields, n, "bound_by"), "compute");
    assert_int_equal(csv_record(&rest, fields, MOST), n);
    assert_string_equal(field(names, fields, n, "bandwidth_bits_per_cycle"), "32");
    assert_string_equal(field(names, fields, n, "latency_cycles.total"), "180");
    assert_string_equal(rest, "");
    free(text);
}

static void test_text(void **state)
{
    struct sator_result result = gemm();

    (void)state;
    result.workload = "ge\033[31mmm\x07 \xff \xC3\xA9";
    result.declined = "a reason";
    char *text = report(&result, 1, SATOR_FORMAT_TEXT, NULL, false);
    for (const char *byte = text; *byte != '\0'; byte++)
        assert_true((unsigned char)*byte >= ' ' || *byte == '\n');
    assert_contains(text, "ge?[31mmm? ? \xC3\xA9: 2,160 loop instances");
    assert_contains(text, "closed (not the closed form: a reason)");
    assert_contains(text, "180.50 cycles, bound by scratchpad reads");
    assert_contains(text, "28.6 % on average, at most 81.3 %; 64 of 64 PEs");
    assert_contains(text, "A: east 1,700, south 0, east 100");
    assert_contains(text, "1,234,567");
    assert_contains(text, "[1] a table\n  [2] a book\n");
    assert_contains(text, "0.90 us at 200 MHz");
    assert_null(strstr(text, "[3]"));
    assert_null(strstr(text, "nan"));
    free(text);
}

/* Every line of a table is as long as the cells of its last column reach, so numbers end in one
 * place. */
static void test_table_is_aligned(void **state)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_grid grid = {.arena = arena};
    struct sator_text out = {0};

    (void)state;
    sator_grid_column(&grid, "name", "", true);
    sator_grid_column(&grid, "count", "words", false);
    sator_grid_column(&grid, "x", "", false);
    static const char *const cells[] = {"a", "1", "1", "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
            "1,000,000", "2", "b", "-", "3"};
    for (int i = 0; i < 9; i++)
        sator_grid_cell(&grid, cells[i], i == 1);
    sator_grid_text(&out, &grid, 0, false);
    assert_string_equal(out.data,
            "  name        count  x\n"
            "              words\n"
            "  a              1*  1\n"
            "  \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9  1,000,000   2\n"
            "  b              -   3\n");
    sator_text_clear(&out);
    sator_arena_free(arena);
}

static void test_numbers(void **state)
{
    static const struct {
        double number;
        int decimals;
        const char *text;
    } cases[] = {{NAN, 2, "-"}, {0, 2, "0"}, {118, 2, "118"}, {1234567, 2, "1,234,567"},
            {1234567.125, 2, "1,234,567.13"}, {-1234.5, 1, "-1,234.5"}, {0.999, 2, "1.00"},
            {-0.5, 2, "-0.50"}, {276480.00000000006, 2, "276,480"}, {1e300, 2, "1e+300"},
            {0.05, 4, "0.0500"}, {9.995, 1, "10.0"}, {INFINITY, 2, "inf"}};
    struct sator_arena *arena = sator_arena_new();
    double unit;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
                report_number(arena, cases[i].number, cases[i].decimals), cases[i].text);
    assert_string_equal(
            report_count(arena, huge), "170,141,183,460,469,231,713,240,559,642,174,558,772");
    assert_string_equal(report_energy_unit(500, &unit), "pJ");
    assert_string_equal(report_energy_unit(12345678, &unit), "uJ");
    assert_true(unit == 1e6);
    sator_arena_free(arena);
}

static struct sator_result variant(const char *name, double cycles, double energy, double util)
{
    struct sator_result result = gemm();

    result.dataflow = name;
    result.total_cycles = cycles;
    result.energy_pj = energy;
    result.edp = energy * cycles;
    result.utilization_average = util;
    return result;
}

/* "a" comes before "b" in the text. */
static void assert_order(const char *text, const char *a, const char *b)
{
    assert_contains(text, a);
    assert_contains(text, b);
    if (strstr(text, a) > strstr(text, b))
        fail_msg("%s after %s in:\n%s", a, b, text);
}

static void test_sort_and_marks(void **state)
{
    const struct sator_result results[] = {variant("flow-a", 300, NAN, 0.5),
            variant("flow-b", 100, 20000, 0.25), variant("flow-c", 300, 10000, 0.75)};
    static const struct {
        const char *key, *first, *second, *third;
    } cases[] = {{NULL, "flow-a", "flow-b", "flow-c"}, {"latency", "flow-b", "flow-a", "flow-c"},
            {"latency_cycles.total", "flow-b", "flow-a", "flow-c"},
            {"energy", "flow-c", "flow-b", "flow-a"},
            {"energy_pj.total", "flow-c", "flow-b", "flow-a"},
            {"utilization", "flow-c", "flow-a", "flow-b"},
            {"tensors.A.unique_volume", "flow-a", "flow-b", "flow-c"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = report(results, 3, SATOR_FORMAT_TEXT, cases[i].key, true);
        assert_order(text, cases[i].first, cases[i].second);
        assert_order(text, cases[i].second, cases[i].third);
        free(text);
    }
    char *text = report(results, 3, SATOR_FORMAT_TEXT, NULL, true);
    assert_contains(text, "100*");
    assert_contains(text, "10.00*"); /* nJ */
    assert_contains(text, "75.0*");
    assert_null(strstr(text, " 6*")); /* all equal: none is the best */
    assert_null(strstr(text, "300*"));
    free(text);
}

static void test_unknown_sort_key(void **state)
{
    static const struct {
        const char *key, *help;
    } cases[] = {{"latancy", "did you mean 'latency'?"},
            {"energy_pj.totl", "did you mean 'energy_pj.total'?"},
            {"bound_by", "no figure 'bound_by'"}, {"tensors.A.nothing", "no figure"},
            {"", "no figure ''"}, {"tensors.", "no figure"}};
    struct sator_ctx *ctx = sator_ctx_new();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sator_report_options options = {.sort = cases[i].key};
        assert_int_equal(sator_report_results(ctx, NULL, 0, &options, NULL), SATOR_USAGE);
        char *messages = sator_ctx_take_messages(ctx, false);
        assert_contains(messages, cases[i].help);
        free(messages);
    }
    assert_int_equal(sator_report_networks(ctx, NULL, 0,
                             &(struct sator_report_options){.sort = "utilization.max"}, NULL),
            SATOR_USAGE);
    sator_ctx_free(ctx);
}

static void check_network_json(
        struct sator_ctx *ctx, const struct sator_network_result *network, int schema)
{
    struct sator_report_options options = {.format = SATOR_FORMAT_JSON, .schema = schema};
    char *text = NULL;

    assert_int_equal(sator_report_networks(ctx, &network, 1, &options, &text), SATOR_OK);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    check_schema(json, schema);
    assert_string_equal(string_at(json, "network"), "net");
    assert_int_equal(cJSON_GetArraySize(at(json, "layers")), 3);
    assert_string_equal(string_at(json, "layers/0/layer"), "conv1");
    assert_true(at(json, "layers/0/repeat")->valuedouble == 2);
    assert_string_equal(string_at(json, "layers/2/same_as"), "conv1");
    check_count(json, schema, "totals/unique_volume", HUGE_TEXT);
    assert_true(at(json, "totals/energy_expected_pj/total")->valuedouble == 4);
    assert_true(at(json, "totals/edp")->valuedouble == 300);
    assert_true(at(json, "totals/sweep/0/latency_cycles/total")->valuedouble == 2 * 11 + 32 + 11);
    cJSON_Delete(json);
    free(text);
}

static void test_network(void **state)
{
    static const struct sator_bandwidth_point fast[] = {{64, 1, 1, 11, "scratchpad reads"}};
    static const struct sator_bandwidth_point slow[] = {{64, 1, 1, 32, "scratchpad reads"}};
    static const struct sator_result results[] = {{.model = "sator",
                                                          .timing = "roofline",
                                                          .workload = "c1",
                                                          .total_cycles = 10,
                                                          .n_sweep = 1,
                                                          .sweep = fast},
            {.model = "sator",
                    .timing = "roofline",
                    .workload = "c2",
                    .total_cycles = 30,
                    .n_sweep = 1,
                    .sweep = slow}};
    struct sator_layer_result layers_a[] = {{"conv1", 2, &results[0], 0},
            {"conv2", 1, &results[1], 1}, {"conv3", 1, &results[0], 0}};
    struct sator_layer_result layers_b[] = {{"conv1", 2, &results[1], 0},
            {"conv2", 1, &results[0], 1}, {"conv3", 1, &results[1], 0}};
    struct sator_network_result network = {.network = "net",
            .arch = "arch",
            .dataflow = "flow-a",
            .n_layers = 3,
            .layers = layers_a,
            .instances = 1234567,
            .total_cycles = 60,
            .energy_pj = 5,
            .expected_energy_pj = 4,
            .utilization_average = 0.5,
            .unique_volume = huge};
    struct sator_network_result other = network;
    const struct sator_network_result *both[] = {&network, &other};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_report_options options;
    char *text = NULL;

    (void)state;
    /* Results of the library have all their strings; these are short of them on purpose elsewhere.
     */
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        check_network_json(ctx, both[0], schemas[i]);
    other.dataflow = "flow-b";
    other.layers = layers_b;
    other.total_cycles = 90;
    options = (struct sator_report_options){.format = SATOR_FORMAT_TEXT};
    assert_int_equal(sator_report_networks(ctx, both, 2, &options, &text), SATOR_OK);
    assert_contains(text, "60*");
    assert_contains(text, "conv1  flow-a");
    assert_contains(text, "conv2  flow-b");
    assert_contains(text, "  flow-a     65*\n  flow-b    107\n");
    free(text);
    options = (struct sator_report_options){.sort = "latency"};
    assert_int_equal(sator_report_networks(ctx, both, 1, &options, &text), SATOR_OK);
    assert_contains(text, "1,234,567 loop instances, 60 cycles, 50 % utilization");
    free(text);
    sator_ctx_free(ctx);
}

/* The first and the last sequence of each row of table 3-7 of the Unicode standard, and what is
 * just outside of these: each of its bytes is broken. */
static void test_sequences(void **state)
{
    (void)state;
    static const char *const well_formed[] = {"\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
            "\xE0\xBF\xBF", "\xE1\x80\x80", "\xEC\xBF\xBF", "\xED\x80\x80", "\xED\x9F\xBF",
            "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF0\xBF\xBF\xBF",
            "\xF1\x80\x80\x80", "\xF3\xBF\xBF\xBF", "\xF4\x80\x80\x80", "\xF4\x8F\xBF\xBF"};
    static const char *const broken[] = {"\x80", "\xBF", "\xC1\xBF", "\xC2\xC0", "\xDF\xFF",
            "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xE1\x80\xC0", "\xF0\x8F\xBF\xBF",
            "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF1\x80\x80\xC0", "\xFF"};
    struct sator_arena *arena = sator_arena_new();

    for (size_t i = 0; i < sizeof well_formed / sizeof *well_formed; i++)
        assert_string_equal(report_utf8(arena, well_formed[i]), well_formed[i]);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char expected[16] = "";
        for (size_t k = 0; k < strlen(broken[i]); k++)
            strcat(expected, "\xEF\xBF\xBD");
        assert_string_equal(report_utf8(arena, broken[i]), expected);
    }
    sator_arena_free(arena);
}

/* Without options a mapping, and a front of mappings, are what they are with those that are all 0.
 */
static void test_maps_without_options(void **state)
{
    (void)state;
    static const struct sator_report_options zero = {.size = sizeof zero};
    static const struct sator_map_options latency = {
            .size = sizeof latency, .objective = SATOR_MAP_LATENCY};
    struct sator_ctx *ctx = sator_ctx_new();
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_map_result *result;
    char *text[2];

    assert_int_equal(sator_network_load(ctx, "gemm:i=4,j=4,k=4", NULL, &network) == SATOR_OK &&
                    sator_arch_load(ctx, "conventional", NULL, &arch) == SATOR_OK &&
                    sator_map(ctx, network, 0, arch, &latency, &result) == SATOR_OK,
            true);
    const struct sator_map_result *results[] = {result};
    for (int k = 0; k < 2; k++)
        assert_int_equal(sator_report_maps(ctx, NULL, results, 1, k == 0 ? NULL : &zero, &text[k]),
                SATOR_OK);
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
    for (int k = 0; k < 2; k++)
        assert_int_equal(sator_report_front(ctx, results, 1, true, k == 0 ? NULL : &zero, &text[k]),
                SATOR_OK);
    assert_string_equal(text[0], text[1]);
    assert_contains(text[0], "gemm");
    free(text[0]);
    free(text[1]);
    sator_map_result_free(result);
    sator_arch_free(arch);
    sator_network_free(network);
    sator_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_json),
            cmocka_unit_test(test_json_of_odd_values),
            cmocka_unit_test(test_json_of_several),
            cmocka_unit_test(test_csv),
            cmocka_unit_test(test_csv_of_a_sweep),
            cmocka_unit_test(test_text),
            cmocka_unit_test(test_table_is_aligned),
            cmocka_unit_test(test_numbers),
            cmocka_unit_test(test_sort_and_marks),
            cmocka_unit_test(test_unknown_sort_key),
            cmocka_unit_test(test_network),
            cmocka_unit_test(test_sequences),
            cmocka_unit_test(test_maps_without_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
