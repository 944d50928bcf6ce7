/* sator analyze: read the inputs (analysis_inputs.c), analyse every dataflow, report. */
#include "cli/analysis.h"
#include "cli/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_MAX_CELLS = 4096
};

/* ---- what was asked for ---- */

static int check_usage(struct analysis *analysis)
{
    const struct cli_options *options = analysis->options;
    const char *why = NULL;

    if (options->arguments.count == 0)
        return cli_usage(options, "no WORKLOAD was named");
    if (options->arguments.count > 1)
        return cli_usage(options,
                "one WORKLOAD at a time, not '%s' too; dataflows follow --dataflow",
                options->arguments.items[1]);
    if ((options->space == NULL) != (options->time == NULL))
        return cli_usage(options, "--space and --time go together");
    if (cli_check_page(options) != CLI_DONE)
        return CLI_USAGE;
    if (options->show != NULL && cli_format(options) != SATOR_FORMAT_TEXT)
        return cli_usage(options, "--show prints text, not JSON or CSV");
    if (cli_read_window(options, &analysis->window) != CLI_DONE)
        return CLI_USAGE;
    if (options->max_cells > INT32_MAX)
        return cli_usage(options, "--max-cells is at most %d", INT32_MAX);
    if (options->bandwidth != NULL &&
            !cli_read_bandwidths(
                    options->bandwidth, &analysis->bandwidths, &analysis->analyze.n_sweep, &why))
        return cli_usage(options, "--bandwidth '%s': %s", options->bandwidth, why);
    analysis->analyze.sweep_bandwidths = analysis->bandwidths;
    if (sator_report_results(analysis->ctx, NULL, 0,
                &(struct sator_report_options){.sort = options->sort}, NULL) != SATOR_OK) {
        cli_print_messages(analysis->ctx);
        return CLI_USAGE; /* now, not after hours of work */
    }
    if (options->model != NULL && strcmp(options->model, "tenet") == 0) {
        if (options->show != NULL || cli_wants_page(options))
            return cli_usage(options, "--model tenet is about numbers, there are no pictures");
        if (options->timing != NULL && strcmp(options->timing, "scheduled") == 0)
            return cli_usage(options, "--model tenet has no schedule: --timing is of the other");
        analysis->analyze.model = SATOR_MODEL_TENET;
    }
    analysis->analyze.timing = cli_timing(options);
    analysis->analyze.engine = cli_engine(options);
    return CLI_DONE;
}

/* ---- the work ---- */

static enum sator_status analyze_one(struct sator_ctx *ctx, struct cli_job *job)
{
    struct flow *flow = job->data;
    const struct analysis *analysis = flow->analysis;
    enum sator_status status;

    if (analysis->layer >= 0) {
        status = sator_analyze(ctx, analysis->network, analysis->layer, flow->arch, flow->dataflow,
                &analysis->analyze, &flow->result);
        if (status == SATOR_OK && (analysis->n_flows == 1 || cli_wants_page(analysis->options)))
            status = sator_advise(ctx, analysis->network, analysis->layer, flow->arch,
                    flow->dataflow, &analysis->analyze, flow->result);
        job->figure = status == SATOR_OK ? flow->result->total_cycles : NAN;
    } else {
        status = sator_analyze_network(ctx, analysis->network, flow->arch, flow->dataflow,
                &analysis->analyze, &flow->network_result);
        if (status == SATOR_OK && cli_wants_page(analysis->options))
            status = sator_advise_network(ctx, analysis->network, flow->arch, flow->dataflow,
                    &analysis->analyze, flow->network_result);
        job->figure = status == SATOR_OK ? flow->network_result->total_cycles : NAN;
    }
    return status;
}

static enum sator_status show_layer(
        struct sator_ctx *ctx, const struct flow *flow, int layer, char **text)
{
    const struct analysis *analysis = flow->analysis;
    const struct cli_options *options = analysis->options;

    if (strcmp(options->show, "relations") == 0)
        return sator_report_relations(
                ctx, analysis->network, layer, flow->arch, flow->dataflow, text);
    struct sator_report_window window = analysis->window;
    window.width = cli_width(options);
    return sator_report_stamps(ctx, analysis->network, layer, flow->arch, flow->dataflow, &window,
            options->max_cells == 0 ? DEFAULT_MAX_CELLS : (int)options->max_cells, text);
}

static enum sator_status show_one(struct sator_ctx *ctx, struct cli_job *job)
{
    struct flow *flow = job->data;
    const struct analysis *analysis = flow->analysis;
    int first = analysis->layer < 0 ? 0 : analysis->layer;
    int last = analysis->layer < 0 ? sator_network_layer_count(analysis->network) - 1 : first;
    enum sator_status status = SATOR_OK;
    size_t size = 0;

    FILE *out = open_memstream(&flow->text, &size);
    for (int layer = first; layer <= last && status == SATOR_OK && out != NULL; layer++) {
        char *text = NULL;
        if (first != last || analysis->n_flows > 1)
            fprintf(out, "%s# %s, %s%s%s\n", layer == first ? "" : "\n",
                    sator_network_layer_name(analysis->network, layer),
                    sator_dataflow_name(flow->dataflow), analysis->n_machines > 1 ? ", " : "",
                    analysis->n_machines > 1 ? sator_arch_name(flow->arch) : "");
        status = show_layer(ctx, flow, layer, &text);
        fputs(text == NULL ? "" : text, out);
        free(text);
    }
    if (out != NULL)
        fclose(out);
    if (status != SATOR_OK) {
        free(flow->text);
        flow->text = NULL;
    }
    return status;
}

static int thread_count(const struct cli_options *options)
{
    int64_t threads = options->threads;

    if (threads == 0)
        threads = sysconf(_SC_NPROCESSORS_ONLN);
    return threads < 1 ? 1 : threads > CLI_MAX_THREADS ? CLI_MAX_THREADS : (int)threads;
}

/* Whether a dataflow that a pattern brought in turned out not to fit the workload or the array. */
static bool left_out(const struct cli_job *job)
{
    const struct flow *flow = job->data;

    return flow->from_pattern && job->status == SATOR_INPUT;
}

/* Say what went wrong with a job; of one that is left out only when nothing else is left
 * ("any_done"). */
static void finish_job(struct analysis *analysis, struct cli_job *job, bool any_done)
{
    int exit_code = CLI_DONE;

    if (!left_out(job) || !any_done) {
        fputs(job->messages == NULL ? "" : job->messages, stderr);
        exit_code = job->status == SATOR_LIMIT && job->messages != NULL
                ? CLI_LIMIT
                : cli_status(job->status, job->name);
    }
    free(job->messages);
    analysis->exit_code = cli_worse(analysis->exit_code, exit_code);
}

/* Name the dataflows that are left out: each, named alone, says why. */
static void say_left_out(const struct analysis *analysis, const struct cli_job *jobs, int n)
{
    const char *before = ": ";

    fprintf(stderr, "sator: %d of the dataflows that match %s not fit and %s left out", n,
            n == 1 ? "does" : "do", n == 1 ? "is" : "are");
    for (int i = 0; i < analysis->n_flows; i++) {
        if (!left_out(&jobs[i]))
            continue;
        fprintf(stderr, "%s%s", before, analysis->flows[i].make);
        if (analysis->n_machines > 1)
            fprintf(stderr, " on %s", sator_arch_name(analysis->flows[i].arch));
        before = ", ";
    }
    fputs("\n", stderr);
}

static void run_flows(struct analysis *analysis)
{
    const struct cli_options *options = analysis->options;
    struct cli_job *jobs = cli_alloc(sizeof *jobs * (size_t)analysis->n_flows);
    struct cli_run run = {.threads = thread_count(options),
            .work_limit = (uint64_t)options->work_limit,
            .quiet = options->quiet,
            .figure_unit = "cycles"};
    int n_done = 0, n_left_out = 0;

    for (int i = 0; i < analysis->n_flows; i++)
        jobs[i] = (struct cli_job){
                .run = options->show != NULL && !cli_wants_page(options) ? show_one : analyze_one,
                .data = &analysis->flows[i],
                .name = sator_dataflow_name(analysis->flows[i].dataflow),
                .figure = NAN};
    cli_run_jobs(jobs, analysis->n_flows, &run);
    for (int i = 0; i < analysis->n_flows; i++) {
        n_done += jobs[i].status == SATOR_OK;
        n_left_out += left_out(&jobs[i]);
    }
    for (int i = 0; i < analysis->n_flows; i++)
        finish_job(analysis, &jobs[i], n_done > 0);
    if (n_left_out > 0 && n_done > 0 && !options->quiet)
        say_left_out(analysis, jobs, n_left_out);
    if (analysis->exit_code == CLI_INTERRUPTED)
        fprintf(stderr, "sator: interrupted, %d of %d dataflow%s done\n", n_done, analysis->n_flows,
                analysis->n_flows == 1 ? "" : "s");
    free(jobs);
}

/* ---- the report ---- */

static int write_shown(const struct analysis *analysis)
{
    char *text = NULL;
    size_t size = 0;
    bool first = true;

    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < analysis->n_flows && out != NULL; i++) {
        if (analysis->flows[i].text == NULL)
            continue;
        fprintf(out, "%s%s", first ? "" : "\n", analysis->flows[i].text);
        first = false;
    }
    if (out == NULL || fclose(out) != 0)
        return CLI_INPUT;
    int exit_code = first ? CLI_DONE : cli_write(analysis->options, text);
    free(text);
    return exit_code;
}

static int write_report(const struct analysis *analysis)
{
    const struct cli_options *options = analysis->options;
    size_t most = (size_t)analysis->n_flows;
    const struct sator_result **results = cli_alloc(sizeof *results * most);
    const struct sator_network_result **networks = cli_alloc(sizeof *networks * most);
    struct sator_report_options report = {.format = cli_format(options),
            .schema = cli_schema(options),
            .color = options->output == NULL && cli_color(stdout),
            .width = cli_width(options),
            .sort = options->sort,
            .comparison = analysis->is_comparison};
    int n_results = 0, n_networks = 0, exit_code = CLI_DONE;
    enum sator_status status = SATOR_OK;
    char *text = NULL;

    for (int i = 0; i < analysis->n_flows; i++) {
        const struct flow *flow = &analysis->flows[i];
        if (flow->result != NULL)
            results[n_results++] = flow->result;
        if (flow->network_result != NULL)
            networks[n_networks++] = flow->network_result;
    }
    if (n_results > 0)
        status = sator_report_results(analysis->ctx, results, n_results, &report, &text);
    else if (n_networks > 0)
        status = sator_report_networks(analysis->ctx, networks, n_networks, &report, &text);
    cli_print_messages(analysis->ctx);
    if (status != SATOR_OK)
        exit_code = cli_status(status, "report");
    else if (text != NULL)
        exit_code = cli_write(options, text);
    free(text);
    free(networks);
    free(results);
    return exit_code;
}

/* ---- pages ---- */

/* Fill a page with all that came of one flow. */
static enum sator_status add_flow(
        const struct analysis *analysis, const struct flow *flow, struct sator_page *page)
{
    const struct sator_network_result *network = flow->network_result;
    enum sator_status st = SATOR_OK;

    if (flow->result == NULL && network == NULL)
        return SATOR_OK;
    sator_page_add_design(page, sator_dataflow_name(flow->dataflow), flow->make, flow->arch);
    if (network == NULL)
        return sator_page_add_layer(analysis->ctx, page, analysis->network, analysis->layer, 1,
                flow->dataflow, flow->result);
    for (int i = 0; i < network->n_layers && st == SATOR_OK; i++)
        st = sator_page_add_layer(analysis->ctx, page, analysis->network, i,
                network->layers[i].repeat, flow->dataflow, network->layers[i].result);
    return st;
}

static int write_page(const struct analysis *analysis)
{
    struct sator_page *page = cli_page_new(analysis->ctx, analysis->options, &analysis->window);
    enum sator_status st = SATOR_OK;
    int n_done = 0;

    for (int i = 0; i < analysis->n_flows && st == SATOR_OK; i++) {
        st = add_flow(analysis, &analysis->flows[i], page);
        n_done += analysis->flows[i].result != NULL || analysis->flows[i].network_result != NULL;
    }
    cli_print_messages(analysis->ctx);
    int exit_code = st != SATOR_OK ? cli_status(st, "page")
            : n_done == 0          ? CLI_DONE
                                   : cli_page_write(analysis->ctx, analysis->options, page);
    sator_page_free(page);
    return exit_code;
}

static int analyze(struct analysis *analysis)
{
    const struct cli_options *options = analysis->options;
    int usage = check_usage(analysis);

    if (usage == CLI_DONE)
        usage = cli_check_archs(options);
    if (usage == CLI_DONE)
        usage = cli_check_dataflows(options);
    if (usage != CLI_DONE)
        return usage;
    cli_analysis_expand(analysis);
    usage = cli_analysis_load(analysis);
    if (usage != CLI_DONE)
        return usage;
    if (analysis->network == NULL || analysis->n_flows == 0 || analysis->flows[0].arch == NULL)
        return analysis->exit_code;
    int layer = cli_choose_layer(analysis->network, analysis->options->layer, &analysis->layer);
    if (layer != CLI_DONE)
        return layer;
    run_flows(analysis);
    int written = cli_wants_page(options) ? write_page(analysis)
            : options->show != NULL       ? write_shown(analysis)
                                          : write_report(analysis);
    return cli_worse(analysis->exit_code, written);
}

int cli_analyze(const struct cli_options *options)
{
    struct analysis analysis = {.options = options,
            .ctx = cli_ctx_new(options),
            .input = cli_input_options(options),
            .analyze = {.engine = SATOR_ENGINE_AUTO}};

    cli_watch(analysis.ctx);
    int exit_code = analyze(&analysis);
    cli_analysis_clear(&analysis);
    return exit_code;
}
