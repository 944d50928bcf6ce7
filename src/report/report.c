/* The public functions: choose the writer, order a comparison. */
#include "report/report.h"

#include "base/arguments.h"

#include <limits.h>
#include <stdlib.h>

/* The results in the order to be shown: order[i] is the number of the i-th. */
static int *sorted(const struct comparison *comparison, int n, const struct value *values)
{
    int *order = SATOR_NEW_ARRAY(comparison->arena, int, n);

    for (int i = 0; i < n; i++)
        order[i] = i;
    report_sort_order(order, n, values, report_key_better(&comparison->key));
    return order;
}

static void sort_results(struct comparison *comparison)
{
    int n = comparison->n_results;
    struct value *values = SATOR_NEW_ARRAY(comparison->arena, struct value, n);
    const struct sator_result **in_order =
            SATOR_NEW_ARRAY(comparison->arena, const struct sator_result *, n);

    for (int i = 0; i < n; i++)
        values[i] = report_key_value(&comparison->key, comparison->results[i]);
    const int *order = sorted(comparison, n, values);
    for (int i = 0; i < n; i++)
        in_order[i] = comparison->results[order[i]];
    comparison->results = in_order;
}

static void sort_networks(struct comparison *comparison)
{
    int n = comparison->n_networks;
    struct value *values = SATOR_NEW_ARRAY(comparison->arena, struct value, n);
    const struct sator_network_result **in_order =
            SATOR_NEW_ARRAY(comparison->arena, const struct sator_network_result *, n);

    for (int i = 0; i < n; i++)
        values[i] = comparison->key.metric->of_network(comparison->networks[i]);
    const int *order = sorted(comparison, n, values);
    for (int i = 0; i < n; i++)
        in_order[i] = comparison->networks[order[i]];
    comparison->networks = in_order;
}

static void write_results(struct sator_text *out, const struct comparison *comparison)
{
    const struct sator_report_options *options = comparison->options;

    if (report_is_csv(options->format))
        report_csv_results(out, comparison);
    else if (comparison->n_results == 1)
        report_text_result(out, comparison->arena, comparison->results[0], report_look(options));
    else
        report_text_results(out, comparison);
}

static void write_networks(struct sator_text *out, const struct comparison *comparison)
{
    if (report_is_csv(comparison->options->format))
        report_csv_networks(out, comparison);
    else
        report_text_networks(out, comparison);
}

bool report_has_results(const void *const *results, int n)
{
    for (int i = 0; i < n; i++) {
        if (results == NULL || results[i] == NULL)
            return false;
    }
    return true;
}

/* Order and write "comparison", of networks or of results. */
static enum sator_status report(struct sator_ctx *ctx, struct comparison *comparison,
        bool of_networks, const struct sator_report_options *options, char **text)
{
    struct sator_report_options own;
    struct sator_text out = {0};
    enum sator_status st;

    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    comparison->arena = sator_arena_new();
    comparison->ctx = ctx;
    comparison->options = options;
    SATOR_TRY(
            report_sort_key(ctx, comparison->arena, options->sort, of_networks, &comparison->key));
    if (comparison->n_results + comparison->n_networks == 0)
        goto done;
    if (options->sort != NULL)
        of_networks ? sort_networks(comparison) : sort_results(comparison);
    if (options->format == SATOR_FORMAT_JSON) {
        *text = of_networks ? report_json_networks(comparison) : report_json_results(comparison);
    } else {
        of_networks ? write_networks(&out, comparison) : write_results(&out, comparison);
        *text = report_finish(&out, options);
    }
done:
    sator_arena_free(comparison->arena);
    return st;
}

enum sator_status sator_report_results(struct sator_ctx *ctx,
        const struct sator_result *const *results, int n_results,
        const struct sator_report_options *options, char **text)
{
    SATOR_NEEDS(ctx, text != NULL || n_results == 0);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, n_results, 0, INT_MAX);
    SATOR_NEEDS(ctx, report_has_results((const void *const *)results, n_results));
    struct comparison comparison = {.n_results = n_results, .results = results};

    return report(ctx, &comparison, false, options, text);
}

enum sator_status sator_report_networks(struct sator_ctx *ctx,
        const struct sator_network_result *const *results, int n_results,
        const struct sator_report_options *options, char **text)
{
    SATOR_NEEDS(ctx, text != NULL || n_results == 0);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, n_results, 0, INT_MAX);
    SATOR_NEEDS(ctx, report_has_results((const void *const *)results, n_results));
    struct comparison comparison = {.n_networks = n_results, .networks = results};

    return report(ctx, &comparison, true, options, text);
}

/* ---- the library ---- */

static void list_kind(struct sator_text *out, struct sator_arena *arena, const char *kind, bool csv)
{
    struct sator_grid table = {.arena = arena};

    sator_grid_column(&table, kind, "", true);
    sator_grid_column(&table, "", "", true);
    for (int i = 0; i < sator_library_count(kind); i++) {
        const char *name = sator_library_name(kind, i), *summary = sator_library_summary(kind, i);
        if (csv) {
            report_csv_field(out, true, kind);
            report_csv_field(out, false, name);
            report_csv_field(out, false, summary == NULL ? "" : summary);
            sator_text_add(out, "\n");
            continue;
        }
        sator_grid_cell(&table, report_clean(arena, name), false);
        sator_grid_cell(&table, summary == NULL ? "" : report_clean(arena, summary), false);
    }
    if (!csv)
        sator_grid_text(out, &table, 0, false); /* summaries are broken below */
}

enum sator_status sator_report_library(struct sator_ctx *ctx, const char *kind,
        const struct sator_report_options *options, char **text)
{
    struct sator_report_options own;
    SATOR_NEEDS(ctx, text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    static const char *const all[] = {"workloads", "networks", "archs", "dataflows", "energy"};
    const char *const *kinds = kind == NULL ? all : &kind;
    int n_kinds = kind == NULL ? (int)(sizeof all / sizeof *all) : 1;
    struct sator_arena *arena = sator_arena_new();
    struct sator_text out = {0};

    (void)ctx;
    if (options->format == SATOR_FORMAT_JSON) {
        *text = report_json_library(arena, kinds, n_kinds, options->schema);
    } else {
        bool csv = report_is_csv(options->format);
        if (csv)
            sator_text_add(&out, "kind,name,summary\n");
        for (int i = 0; i < n_kinds; i++) {
            sator_text_add(&out, "%s", csv || i == 0 ? "" : "\n");
            list_kind(&out, arena, kinds[i], csv);
        }
        *text = report_finish(&out, options);
    }
    sator_arena_free(arena);
    return SATOR_OK;
}
