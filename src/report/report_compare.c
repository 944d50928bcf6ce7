/* Several dataflows side by side, and networks layer by layer, as text. The best of a column has a
 * '*'; figures that are all the same have none. */
#include "report/control.h"
#include "report/physical.h"
#include "report/timing.h"

#include <math.h>
#include <string.h>

/* One column's values, marked and formatted together. */
struct series {
    int n;
    struct value *values;
    bool *best;
    double unit_pj;
    const char *unit;
};

static struct series series_new(struct sator_arena *arena, int n)
{
    return (struct series){.n = n,
            .values = SATOR_NEW_ARRAY(arena, struct value, n),
            .best = SATOR_NEW_ARRAY(arena, bool, n),
            .unit_pj = 1,
            .unit = ""};
}

static void mark_best(struct series *series, enum metric_better better)
{
    const struct value *best = &series->values[0];
    bool differ = false;

    if (better == BETTER_NEITHER)
        return;
    for (int i = 1; i < series->n; i++) {
        const struct value *value = &series->values[i];
        differ = differ || report_value_before(value, best, better) ||
                report_value_before(best, value, better);
        if (report_value_before(value, best, better))
            best = value;
    }
    for (int i = 0; i < series->n; i++)
        series->best[i] = differ && series->values[i].kind != VALUE_NONE &&
                !report_value_before(best, &series->values[i], better);
}

static void choose_energy_unit(struct series *series)
{
    double least = INFINITY;

    for (int i = 0; i < series->n; i++) {
        const struct value *value = &series->values[i];
        if (value->kind == VALUE_NUMBER && value->number > 0 && value->number < least)
            least = value->number;
    }
    series->unit = report_energy_unit(isinf(least) ? 0 : least, &series->unit_pj);
}

/* A table whose rows are made column by column: cells[row * n_columns + column]. */
struct by_column {
    struct sator_arena *arena;
    struct sator_grid table;
    int n_rows;
    struct sator_grid_cell **columns; /* n_rows cells each */
    int n_columns;
};

static void grid_column(struct by_column *grid, const char *header, const char *unit, bool left,
        struct sator_grid_cell *cells)
{
    sator_grid_column(&grid->table, header, unit, left);
    SATOR_PUSH(grid->arena, grid->columns, grid->n_columns, cells);
}

static struct sator_grid_cell *grid_cells(struct by_column *grid)
{
    return SATOR_NEW_ARRAY(grid->arena, struct sator_grid_cell, grid->n_rows);
}

/* Digits after the point that a column needs: none where all are whole, or so large that they would
 * be noise. */
static int series_decimals(const struct series *series)
{
    bool whole = true, large = false;

    for (int i = 0; i < series->n; i++) {
        whole = whole && report_is_whole(series->values[i].number);
        large = large || fabs(series->values[i].number) >= 1e5;
    }
    return whole || large ? 0 : 2;
}

static void grid_series(struct by_column *grid, const char *header, const char *unit,
        enum metric_format format, const struct series *series)
{
    struct sator_grid_cell *cells = grid_cells(grid);
    int decimals = series_decimals(series);

    for (int i = 0; i < series->n; i++)
        cells[i] = (struct sator_grid_cell){.text = report_value(grid->arena, &series->values[i],
                                                    format, series->unit_pj, decimals),
                .marked = series->best[i]};
    grid_column(grid, header, unit, format == FORMAT_WORD, cells);
}

static void grid_write(struct sator_text *text, struct by_column *grid, struct look look)
{
    for (int row = 0; row < grid->n_rows; row++) {
        for (int c = 0; c < grid->n_columns; c++)
            sator_grid_cell(&grid->table, grid->columns[c][row].text, grid->columns[c][row].marked);
    }
    sator_grid_text(text, &grid->table, look.width, look.color);
}

static struct by_column grid_new(struct sator_arena *arena, int n_rows)
{
    return (struct by_column){.arena = arena, .table = {.arena = arena}, .n_rows = n_rows};
}

/* ---- results ---- */

static void result_column(struct by_column *grid, const struct metric *metric,
        const struct sator_result *const *results, bool mark)
{
    struct series series = series_new(grid->arena, grid->n_rows);

    for (int i = 0; i < series.n; i++)
        series.values[i] = metric->of_result(results[i]);
    if (mark)
        mark_best(&series, metric->better);
    if (metric->format == FORMAT_ENERGY)
        choose_energy_unit(&series);
    grid_series(grid, metric->header, metric->format == FORMAT_ENERGY ? series.unit : metric->unit,
            metric->format, &series);
}

static int find_tensor(
        struct sator_arena *arena, const struct sator_result *result, const char *label)
{
    for (int i = 0; i < result->n_tensors; i++) {
        if (strcmp(report_tensor_label(arena, result, i), label) == 0)
            return i;
    }
    return -1;
}

/* The reuse factors, a column a tensor of the first result (the results are of one workload). */
static void reuse_columns(struct by_column *grid, const struct sator_result *const *results)
{
    for (int t = 0; t < results[0]->n_tensors; t++) {
        const char *label = report_tensor_label(grid->arena, results[0], t);
        struct series series = series_new(grid->arena, grid->n_rows);
        for (int i = 0; i < series.n; i++) {
            int tensor = find_tensor(grid->arena, results[i], label);
            double factor = tensor < 0 ? NAN : results[i]->tensors[tensor].reuse_factor;
            series.values[i] = (struct value){
                    .kind = isnan(factor) ? VALUE_NONE : VALUE_NUMBER, .number = factor};
        }
        mark_best(&series, BETTER_HIGH);
        grid_series(grid, "reuse", report_clean(grid->arena, label), FORMAT_RATE, &series);
    }
}

/* A column for the figure that --sort names, unless the table has it anyway. */
static void sort_column(struct by_column *grid, const struct comparison *comparison)
{
    const struct sort_key *key = &comparison->key;
    struct series series = series_new(grid->arena, grid->n_rows);
    const char *name = key->metric != NULL ? key->metric->key
            : key->field != NULL           ? key->field->key
                                           : NULL;

    if (name == NULL || (key->metric != NULL && key->metric->header != NULL) ||
            (key->field != NULL && strcmp(name, "reuse_factor") == 0))
        return;
    for (int i = 0; i < series.n; i++)
        series.values[i] = report_key_value(key, comparison->results[i]);
    mark_best(&series, report_key_better(key));
    grid_series(grid, name, key->tensor == NULL ? "" : report_clean(grid->arena, key->tensor),
            key->metric != NULL ? key->metric->format : FORMAT_RATE, &series);
}

static bool all_equal(const struct sator_result *const *results, int n, bool archs)
{
    for (int i = 1; i < n; i++) {
        if (strcmp(archs ? results[i]->arch : results[i]->workload,
                    archs ? results[0]->arch : results[0]->workload) != 0)
            return false;
    }
    return true;
}

static void text_column(struct by_column *grid, const char *header, const char *const *texts)
{
    struct sator_grid_cell *cells = grid_cells(grid);

    for (int i = 0; i < grid->n_rows; i++)
        cells[i].text = report_clean(grid->arena, texts[i]);
    grid_column(grid, header, "", true, cells);
}

static void name_columns(struct by_column *grid, const struct sator_result *const *results)
{
    int n = grid->n_rows;
    const char **names = SATOR_NEW_ARRAY(grid->arena, const char *, n);
    const char **archs = SATOR_NEW_ARRAY(grid->arena, const char *, n);
    const char **workloads = SATOR_NEW_ARRAY(grid->arena, const char *, n);

    for (int i = 0; i < n; i++) {
        names[i] = results[i]->dataflow;
        archs[i] = results[i]->arch;
        workloads[i] = results[i]->workload;
    }
    text_column(grid, "dataflow", names);
    if (!all_equal(results, n, true))
        text_column(grid, "arch", archs);
    if (!all_equal(results, n, false))
        text_column(grid, "workload", workloads);
}

static void write_sweeps(struct sator_text *text, const struct comparison *comparison)
{
    struct sator_arena *arena = comparison->arena;
    const struct sator_result *const *results = comparison->results;
    struct by_column grid = grid_new(arena, comparison->n_results);

    if (results[0]->n_sweep == 0)
        return;
    sator_text_add(text, "\nRoofline (cycles) by scratchpad bandwidth (bits per cycle)\n");
    name_columns(&grid, results);
    for (int p = 0; p < results[0]->n_sweep; p++) {
        struct series series = series_new(arena, grid.n_rows);
        for (int i = 0; i < series.n; i++) {
            double cycles = p < results[i]->n_sweep ? results[i]->sweep[p].total_cycles : NAN;
            series.values[i] = (struct value){
                    .kind = isnan(cycles) ? VALUE_NONE : VALUE_NUMBER, .number = cycles};
        }
        mark_best(&series, BETTER_LOW);
        grid_series(&grid, report_number(arena, results[0]->sweep[p].bits_per_cycle, 2), "",
                FORMAT_CYCLES, &series);
    }
    grid_write(text, &grid, report_look(comparison->options));
}

/* Whose model it is when it is not Sator's own; all results are of one. */
static void write_model(struct sator_text *text, const struct sator_result *result)
{
    if (strcmp(result->model, "sator") != 0)
        sator_text_add(text, "  model: %s\n", result->model);
}

/* Whose latencies are lower bounds. */
static void write_unscheduled(struct sator_text *text, const struct comparison *comparison)
{
    int n = comparison->n_results;
    struct report_timed *rows = SATOR_NEW_ARRAY(comparison->arena, struct report_timed, n);

    for (int i = 0; i < n; i++) {
        const struct sator_result *result = comparison->results[i];
        rows[i] = (struct report_timed){result->dataflow, result->timing, result->unscheduled};
    }
    report_write_unscheduled(text, comparison->arena, rows, n);
}

void report_text_results(struct sator_text *text, const struct comparison *comparison)
{
    struct sator_arena *arena = comparison->arena;
    const struct sator_result *const *results = comparison->results;
    struct by_column grid = grid_new(arena, comparison->n_results);

    sator_text_add(text, "%s", report_clean(arena, results[0]->workload));
    if (all_equal(results, comparison->n_results, true))
        sator_text_add(text, " on %s: %s, %s\n\n", report_clean(arena, results[0]->arch),
                report_counted(arena, results[0]->instances, "loop instance"),
                report_counted(arena, results[0]->pes, "PE"));
    else
        sator_text_add(
                text, ": %s\n\n", report_counted(arena, results[0]->instances, "loop instance"));
    name_columns(&grid, results);
    for (int m = 0; m < report_metric_count; m++) {
        if (report_metrics[m].header != NULL)
            result_column(&grid, &report_metrics[m], results, true);
    }
    reuse_columns(&grid, results);
    sort_column(&grid, comparison);
    grid_write(text, &grid, report_look(comparison->options));
    sator_text_add(text,
            "\n  * best of its column; bound by: what decides the latency;\n"
            "  scratchpad, interconnect: bandwidth needed to keep up with the PEs\n");
    write_unscheduled(text, comparison);
    write_model(text, results[0]);
    write_sweeps(text, comparison);
}

/* ---- networks ---- */

static void layer_columns(struct by_column *grid, const struct sator_network_result *network)
{
    static const char *const shown[] = {"latency_cycles.total", "bound_by", "utilization.average",
            "unique_volume", "energy_pj.total"};
    int n = network->n_layers;
    const struct sator_result **results =
            SATOR_NEW_ARRAY(grid->arena, const struct sator_result *, n);
    const char **names = SATOR_NEW_ARRAY(grid->arena, const char *, n);
    struct sator_grid_cell *repeats = grid_cells(grid), *instances = grid_cells(grid);

    for (int i = 0; i < n; i++) {
        results[i] = network->layers[i].result;
        names[i] = network->layers[i].name;
        repeats[i].text = report_count(grid->arena, network->layers[i].repeat);
        instances[i].text = report_count(grid->arena, results[i]->instances);
    }
    text_column(grid, "layer", names);
    grid_column(grid, "repeat", "", false, repeats);
    grid_column(grid, "instances", "", false, instances);
    for (int i = 0; i < (int)(sizeof shown / sizeof *shown); i++)
        result_column(grid, report_metric_key(shown[i]).metric, results, false);
}

static void write_totals(
        struct sator_text *text, struct sator_arena *arena, const struct sator_network_result *n)
{
    double unit_pj, edp = n->energy_pj * n->total_cycles;
    const char *unit = report_energy_unit(isnan(n->energy_pj) ? 0 : n->energy_pj, &unit_pj);

    sator_text_add(text, "\n  in all, repeats included: %s, %s, %s %% utilization,\n",
            report_counted(arena, n->instances, "loop instance"),
            report_quantity(arena, n->total_cycles, 2, "cycle"),
            report_number(arena, 100 * n->utilization_average, 1));
    sator_text_add(text, "  %s unique, energy %s%s%s, EDP %s\n",
            report_counted(arena, n->unique_volume, "word"),
            report_number(arena, n->energy_pj / unit_pj, 2), isnan(n->energy_pj) ? "" : " ",
            isnan(n->energy_pj) ? "" : unit,
            isnan(edp) ? "-" : sator_arena_printf(arena, "%.3e pJ x cycles", edp));
    if (!isnan(n->expected_energy_pj))
        sator_text_add(text, "  expected: %s %s where zeros are gated\n",
                report_number(arena, n->expected_energy_pj / unit_pj, 2), unit);
    if (!isnan(n->expected_cycles))
        sator_text_add(text, "  expected: at least %s where zeros are skipped\n",
                report_quantity(arena, n->expected_cycles, 2, "cycle"));
    const struct report_control control = report_control_of_network(n);
    if (control.instruction_bits > 0)
        sator_text_add(text, "  control: %s\n", report_control_text(arena, &control, n->energy_pj));
    const struct physical physical = report_network_physical(n);
    const char *units = report_physical_text(arena, &physical);
    if (*units != '\0')
        sator_text_add(text, "  %s\n", units);
}

static void write_network(struct sator_text *text, const struct comparison *comparison,
        const struct sator_network_result *network)
{
    struct sator_arena *arena = comparison->arena;
    struct by_column grid = grid_new(arena, network->n_layers);

    sator_text_add(text, "%s on %s, dataflow %s\n\n", report_clean(arena, network->network),
            report_clean(arena, network->arch), report_clean(arena, network->dataflow));
    layer_columns(&grid, network);
    grid_write(text, &grid, report_look(comparison->options));
    write_totals(text, arena, network);
    report_write_unscheduled(text, arena, report_network_timed(arena, network), network->n_layers);
    write_model(text, network->layers[0].result);
}

static void total_column(
        struct by_column *grid, const struct metric *metric, const struct comparison *comparison)
{
    struct series series = series_new(grid->arena, grid->n_rows);

    for (int i = 0; i < series.n; i++)
        series.values[i] = metric->of_network(comparison->networks[i]);
    mark_best(&series, metric->better);
    if (metric->format == FORMAT_ENERGY)
        choose_energy_unit(&series);
    grid_series(grid, metric->header == NULL ? metric->key : metric->header,
            metric->format == FORMAT_ENERGY ? series.unit : metric->unit, metric->format, &series);
}

/* Whether all are on one machine. */
static bool same_machine(const struct comparison *comparison)
{
    for (int i = 1; i < comparison->n_networks; i++) {
        if (strcmp(comparison->networks[i]->arch, comparison->networks[0]->arch) != 0)
            return false;
    }
    return true;
}

static void name_networks(struct by_column *grid, const struct comparison *comparison)
{
    const char **names = SATOR_NEW_ARRAY(grid->arena, const char *, grid->n_rows);
    const char **archs = SATOR_NEW_ARRAY(grid->arena, const char *, grid->n_rows);

    for (int i = 0; i < grid->n_rows; i++) {
        names[i] = comparison->networks[i]->dataflow;
        archs[i] = comparison->networks[i]->arch;
    }
    text_column(grid, "dataflow", names);
    if (!same_machine(comparison))
        text_column(grid, "arch", archs);
}

/* The figures that every table has, and the one that --sort names. */
static void write_network_totals(struct sator_text *text, const struct comparison *comparison)
{
    struct by_column grid = grid_new(comparison->arena, comparison->n_networks);
    name_networks(&grid, comparison);
    for (int m = 0; m < report_metric_count; m++) {
        const struct metric *metric = &report_metrics[m];
        bool shown = metric->header != NULL || metric == comparison->key.metric;
        if (shown && report_network_has(metric))
            total_column(&grid, metric, comparison);
    }
    grid_write(text, &grid, report_look(comparison->options));
}

/* Whether all are of one network, so that their layers can be compared. */
static bool same_layers(const struct comparison *comparison)
{
    for (int i = 1; i < comparison->n_networks; i++) {
        if (comparison->networks[i]->n_layers != comparison->networks[0]->n_layers)
            return false;
    }
    return true;
}

/* The dataflow that does best on a layer, by the figure of --sort, else by latency; ties go to the
 * first. */
static int best_of_layer(const struct comparison *comparison, const struct sort_key *key, int layer)
{
    int best = 0;

    for (int i = 1; i < comparison->n_networks; i++) {
        struct value a = report_key_value(key, comparison->networks[i]->layers[layer].result);
        struct value b = report_key_value(key, comparison->networks[best]->layers[layer].result);
        if (report_value_before(&a, &b, report_key_better(key)))
            best = i;
    }
    return best;
}

static void write_best_per_layer(struct sator_text *text, const struct comparison *comparison)
{
    const struct sator_network_result *first = comparison->networks[0];
    struct sort_key key = comparison->key.metric != NULL
            ? comparison->key
            : report_metric_key("latency_cycles.total");
    struct by_column grid = grid_new(comparison->arena, first->n_layers);
    const char **layers = SATOR_NEW_ARRAY(grid.arena, const char *, grid.n_rows);
    const char **dataflows = SATOR_NEW_ARRAY(grid.arena, const char *, grid.n_rows);
    struct series series = series_new(grid.arena, grid.n_rows);

    for (int l = 0; l < grid.n_rows; l++) {
        const struct sator_network_result *best =
                comparison->networks[best_of_layer(comparison, &key, l)];
        layers[l] = first->layers[l].name;
        dataflows[l] = same_machine(comparison)
                ? best->dataflow
                : sator_arena_printf(grid.arena, "%s on %s", best->dataflow, best->arch);
        series.values[l] = report_key_value(&key, best->layers[l].result);
    }
    if (key.metric->format == FORMAT_ENERGY)
        choose_energy_unit(&series);
    sator_text_add(text, "\nBest dataflow of each layer by %s\n\n", key.metric->key);
    text_column(&grid, "layer", layers);
    text_column(&grid, "best dataflow", dataflows);
    grid_series(&grid, key.metric->header == NULL ? key.metric->key : key.metric->header,
            key.metric->format == FORMAT_ENERGY ? series.unit : key.metric->unit,
            key.metric->format, &series);
    grid_write(text, &grid, report_look(comparison->options));
}

static void write_network_sweeps(struct sator_text *text, const struct comparison *comparison)
{
    struct sator_arena *arena = comparison->arena;
    struct by_column grid = grid_new(arena, comparison->n_networks);
    int n_points = report_network_points(comparison->networks[0]);

    for (int i = 0; i < grid.n_rows; i++) {
        int n = report_network_points(comparison->networks[i]);
        n_points = n < n_points ? n : n_points;
    }
    if (n_points == 0)
        return;
    sator_text_add(text, "\nRoofline (cycles) in all by scratchpad bandwidth (bits per cycle)\n");
    name_networks(&grid, comparison);
    for (int p = 0; p < n_points; p++) {
        double bandwidth = comparison->networks[0]->layers[0].result->sweep[p].bits_per_cycle;
        struct series series = series_new(arena, grid.n_rows);
        for (int i = 0; i < series.n; i++)
            series.values[i] = (struct value){.kind = VALUE_NUMBER,
                    .number = report_network_cycles(comparison->networks[i], p)};
        mark_best(&series, BETTER_LOW);
        grid_series(&grid, report_number(arena, bandwidth, 2), "", FORMAT_CYCLES, &series);
    }
    grid_write(text, &grid, report_look(comparison->options));
}

void report_text_networks(struct sator_text *text, const struct comparison *comparison)
{
    const struct sator_network_result *first = comparison->networks[0];

    if (comparison->n_networks == 1) {
        write_network(text, comparison, first);
        write_network_sweeps(text, comparison);
        return;
    }
    sator_text_add(text, "%s%s%s: %s\n\n", report_clean(comparison->arena, first->network),
            same_machine(comparison) ? " on " : "",
            same_machine(comparison) ? report_clean(comparison->arena, first->arch) : "",
            report_counted(comparison->arena, first->instances, "loop instance"));
    write_network_totals(text, comparison);
    if (same_layers(comparison))
        write_best_per_layer(text, comparison);
    write_model(text, first->layers[0].result);
    write_network_sweeps(text, comparison);
}
