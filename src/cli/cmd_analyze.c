/* sator analyze: read the inputs, analyse every dataflow, report. */
#include "cli/pictures.h"

#include "sator/convert.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_MAX_CELLS = 4096
};

/* One dataflow of the comparison, and what came of it. */
struct flow {
    const struct analysis *analysis;
    const struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    const char *make; /* the words of a command line that name the dataflow; NULL: many */
    struct sator_result *result;
    struct sator_network_result *network_result;
    char *text; /* --show */
    bool from_pattern; /* one of several that matched: that it does not fit is no error */
};

/* An architecture that was read, or could not be. */
struct machine {
    const char *spec;
    struct sator_arch *arch;
};

struct analysis {
    const struct cli_options *options;
    struct sator_ctx *ctx; /* owns what was read */
    struct sator_input_options input;
    struct sator_network *network;
    struct machine *machines;
    int n_machines;
    int layer; /* -1: the whole network */
    struct sator_analyze_options analyze;
    struct sator_report_window window; /* --from, --stamps */
    double *bandwidths;
    struct cli_list specs; /* of the dataflows, patterns replaced by what matches */
    bool *from_pattern; /* for each spec */
    bool is_comparison;
    struct flow *flows;
    int n_flows;
    int exit_code; /* the worst so far */
};

/* Commands that search for dataflows read none, nor does one that has its maps on the command line.
 */
static bool reads_no_dataflow(const struct cli_options *options)
{
    const char *command = options->command == NULL ? "" : options->command->name;

    return strcmp(command, "explore") == 0 ||
            (strcmp(command, "map") == 0 && options->why_not == NULL) || options->space != NULL;
}

struct sator_input_options cli_input_options(const struct cli_options *options)
{
    return (struct sator_input_options){
            .defines = options->defines.items,
            .n_defines = options->defines.count,
            .all_operators = options->all_operators,
            .include_dirs = options->include.items,
            .n_include_dirs = options->include.count,
            .function = options->function,
            .nest = (int)(options->nest > INT32_MAX ? INT32_MAX : options->nest),
            .sets = options->sets.items,
            .n_sets = options->sets.count,
            .no_dataflow = reads_no_dataflow(options),
            .tenet_interval = options->tenet_interval != NULL && *options->tenet_interval == '1',
    };
}

enum sator_format cli_format(const struct cli_options *options)
{
    static const char *const names[] = {"text", "json", "csv", "md", "tex"};

    for (int i = 0; options->format != NULL && i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(options->format, names[i]) == 0)
            return (enum sator_format)i;
    }
    return options->json ? SATOR_FORMAT_JSON : options->csv ? SATOR_FORMAT_CSV : SATOR_FORMAT_TEXT;
}

int cli_schema(const struct cli_options *options)
{
    return options->schema != NULL && *options->schema == '1' ? 1 : 2;
}

/* ---- what was asked for ---- */

static bool is_experiment(struct analysis *analysis, const char *spec)
{
    const char *kind = NULL;

    if (access(spec, R_OK) != 0)
        return false;
    /* One whose parts are wrong is an experiment too; what is wrong is said again by those who need
     * the parts. */
    (void)sator_check_file(analysis->ctx, spec, &analysis->input, &kind);
    free(sator_ctx_take_messages(analysis->ctx, false));
    return kind != NULL && strcmp(kind, "experiment") == 0;
}

static bool is_pattern(const char *spec)
{
    return strpbrk(spec, "*?[") != NULL && access(spec, F_OK) != 0;
}

/* Whether the dataflow is given by its name, too, or is matched by a pattern before: one row. */
static bool is_named(const struct analysis *analysis, const char *name)
{
    const struct cli_list *given = &analysis->options->dataflow;
    bool named = false;

    for (int i = 0; i < given->count; i++)
        named |= strcmp(given->items[i], name) == 0;
    for (int i = 0; i < analysis->specs.count; i++)
        named |= strcmp(analysis->specs.items[i], name) == 0;
    return named;
}

static void add_matches(struct analysis *analysis, const char *pattern)
{
    int n_names = sator_library_count("dataflows");
    bool found = false;

    for (int i = 0; i < n_names; i++) {
        const char *name = sator_library_name("dataflows", i);
        bool matches = fnmatch(pattern, name, 0) == 0;
        found |= matches;
        if (!matches || is_named(analysis, name))
            continue;
        analysis->from_pattern[analysis->specs.count] = true;
        analysis->specs.items[analysis->specs.count++] = name;
    }
    if (!found) {
        fprintf(stderr,
                "sator: no dataflow of the library matches '%s' (sator list dataflows names "
                "them)\n",
                pattern);
        analysis->exit_code = CLI_INPUT;
    }
}

static void expand_patterns(struct analysis *analysis)
{
    const struct cli_list *given = &analysis->options->dataflow;
    size_t most = (size_t)given->count * ((size_t)sator_library_count("dataflows") + 1);

    analysis->specs.items = cli_alloc(sizeof(char *) * (most + 2));
    analysis->from_pattern = cli_alloc(sizeof(bool) * (most + 2));
    for (int i = 0; i < given->count; i++) {
        if (is_pattern(given->items[i]))
            add_matches(analysis, given->items[i]);
        else
            analysis->specs.items[analysis->specs.count++] = given->items[i];
    }
    bool has_text = analysis->options->space != NULL || analysis->options->stt != NULL;
    analysis->is_comparison =
            given->count + has_text > 1 || (given->count == 1 && is_pattern(given->items[0]));
}

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

/* ---- reading ---- */

/* Messages wait until all is read: what several inputs say in the same words is said once. */
static void load(struct analysis *analysis, enum sator_status status, const char *spec)
{
    analysis->exit_code = cli_worse(analysis->exit_code, cli_status(status, spec));
}

/* The architecture, read at its first use; NULL when it cannot be. Room is for one a dataflow. */
static const struct sator_arch *find_machine(struct analysis *analysis, const char *spec)
{
    for (int i = 0; i < analysis->n_machines; i++) {
        if (strcmp(analysis->machines[i].spec, spec) == 0)
            return analysis->machines[i].arch;
    }
    struct machine *machine = &analysis->machines[analysis->n_machines++];
    machine->spec = spec;
    load(analysis, sator_arch_load(analysis->ctx, spec, &analysis->input, &machine->arch), spec);
    return machine->arch;
}

/* Read the dataflow "spec" (NULL: that of --space and --time) for "machine" and add it. */
static void load_flow(struct analysis *analysis, const char *spec, bool from_pattern,
        const struct sator_arch *machine)
{
    const struct cli_options *options = analysis->options;
    struct flow *flow = &analysis->flows[analysis->n_flows];
    enum sator_status status = spec != NULL
            ? sator_dataflow_load(analysis->ctx, spec, &analysis->input, &flow->dataflow)
            : sator_dataflow_from_text(analysis->ctx, "command line", options->space, options->time,
                      &flow->dataflow);

    load(analysis, status, spec != NULL ? spec : "--space");
    flow->from_pattern = from_pattern;
    flow->make = spec;
    flow->analysis = analysis;
    flow->arch = machine;
    if (machine != NULL)
        analysis->n_flows += status == SATOR_OK;
    else
        sator_dataflow_free(flow->dataflow); /* read to say what is wrong with it */
}

/* The dataflow of --stt, a matrix of the loops of the layer that is analysed, or of the first. */
static void load_matrix(struct analysis *analysis, const struct sator_arch *machine)
{
    struct flow *flow = &analysis->flows[analysis->n_flows];
    int layer = 0;

    if (machine == NULL || analysis->network == NULL ||
            cli_choose_layer(analysis->network, analysis->options->layer, &layer) != CLI_DONE)
        return; /* said already, or said where the layer is chosen */
    *flow = (struct flow){.analysis = analysis, .arch = machine};
    enum sator_status status = sator_dataflow_from_stt(analysis->ctx, analysis->network,
            layer < 0 ? 0 : layer, machine, analysis->options->stt, &flow->dataflow);
    load(analysis, status, "--stt");
    analysis->n_flows += status == SATOR_OK;
}

/* Read every input, the readable ones past the first wrong one too; each dataflow meets each
 * machine. */
static void load_inputs(
        struct analysis *analysis, const char *workload, const struct cli_list *archs)
{
    struct sator_ctx *ctx = analysis->ctx;
    size_t n_specs = (size_t)analysis->specs.count + 2;

    load(analysis, sator_network_load(ctx, workload, &analysis->input, &analysis->network),
            workload);
    analysis->machines = cli_alloc(sizeof(struct machine) * (size_t)archs->count);
    analysis->flows = cli_alloc(sizeof(struct flow) * n_specs * (size_t)archs->count);
    analysis->is_comparison = analysis->is_comparison || archs->count > 1;
    for (int a = 0; a < archs->count; a++) {
        const struct sator_arch *machine = find_machine(analysis, archs->items[a]);
        if (analysis->network != NULL && machine != NULL)
            load(analysis, sator_check_tensors(ctx, analysis->network, machine), archs->items[a]);
        for (int i = 0; i < analysis->specs.count; i++)
            load_flow(analysis, analysis->specs.items[i], analysis->from_pattern[i], machine);
        if (analysis->options->space != NULL)
            load_flow(analysis, NULL, false, machine);
        if (analysis->options->stt != NULL)
            load_matrix(analysis, machine);
    }
    cli_print_messages(ctx);
}

/* Add one experiment, unless its mapping ("*wrong") or PE array has been found wrong. */
static void load_experiment(
        struct analysis *analysis, const struct sator_experiment *experiment, const char **wrong)
{
    const struct sator_arch *arch = find_machine(analysis, experiment->pe_array);
    struct flow *flow = &analysis->flows[analysis->n_flows];
    enum sator_status status;

    if (arch == NULL || (*wrong != NULL && strcmp(*wrong, experiment->mapping) == 0))
        return;
    *flow = (struct flow){.analysis = analysis, .arch = arch};
    status = sator_dataflow_load(
            analysis->ctx, experiment->mapping, &analysis->input, &flow->dataflow);
    load(analysis, status, experiment->mapping);
    if (status == SATOR_OK)
        analysis->n_flows++;
    else
        *wrong = experiment->mapping;
}

/* Read all experiments of a file of the TENET program, each a row of the comparison. */
static void load_experiments(struct analysis *analysis, const char *path)
{
    struct sator_ctx *ctx = analysis->ctx;
    const struct sator_experiment *experiments = NULL;
    const char *wrong = NULL;
    int n = 0;

    load(analysis, sator_experiments_read(ctx, path, &n, &experiments), path);
    cli_print_messages(ctx);
    if (n == 0)
        return;
    load(analysis,
            sator_network_load(ctx, experiments[0].statement, &analysis->input, &analysis->network),
            path);
    cli_print_messages(ctx);
    analysis->is_comparison = n > 1;
    analysis->machines = cli_alloc(sizeof(struct machine) * (size_t)n);
    analysis->flows = cli_alloc(sizeof(struct flow) * (size_t)n);
    for (int i = 0; i < n; i++) {
        load_experiment(analysis, &experiments[i], &wrong);
        cli_print_messages(ctx);
    }
}

/* Whether the standard input would be read twice. */
static bool reads_stdin_twice(
        const struct analysis *analysis, const char *workload, const struct cli_list *archs)
{
    int n = strcmp(workload, "-") == 0;

    for (int i = 0; i < archs->count; i++)
        n += strcmp(archs->items[i], "-") == 0;
    for (int i = 0; i < analysis->specs.count; i++)
        n += strcmp(analysis->specs.items[i], "-") == 0;
    return n > 1;
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

static void clear(struct analysis *analysis)
{
    for (int i = 0; i < analysis->n_flows; i++) {
        sator_result_free(analysis->flows[i].result);
        sator_network_result_free(analysis->flows[i].network_result);
        sator_dataflow_free(analysis->flows[i].dataflow);
        free(analysis->flows[i].text);
    }
    free(analysis->flows);
    free(analysis->specs.items);
    free(analysis->from_pattern);
    free(analysis->bandwidths);
    cli_window_clear(&analysis->window);
    for (int i = 0; i < analysis->n_machines; i++)
        sator_arch_free(analysis->machines[i].arch);
    free(analysis->machines);
    sator_network_free(analysis->network);
    cli_unwatch(analysis->ctx);
    sator_ctx_free(analysis->ctx);
}

/* Read what the command line names, or say what it does not name. An experiment file alone stands
 * for everything, and beside an architecture or dataflows for the rest. */
static int load_named(struct analysis *analysis)
{
    const struct cli_options *options = analysis->options;
    const char *workload = options->arguments.items[0];
    struct cli_list archs = options->arch;
    bool no_dataflow =
            options->dataflow.count == 0 && options->space == NULL && options->stt == NULL;

    if ((archs.count == 0 || no_dataflow) && is_experiment(analysis, workload)) {
        if (archs.count == 0 && no_dataflow) {
            load_experiments(analysis, workload);
            return CLI_DONE;
        }
        if (archs.count == 0)
            archs = (struct cli_list){.count = 1, .items = &workload};
        if (no_dataflow)
            analysis->specs.items[analysis->specs.count++] = workload;
        no_dataflow = false;
    }
    if (archs.count == 0)
        return cli_usage(options, "no accelerator was named: --arch ARCH (sator list archs)");
    if (no_dataflow)
        return cli_usage(options,
                "no dataflow was named: --dataflow DATAFLOW (sator list dataflows), or --space and "
                "--time");
    if (reads_stdin_twice(analysis, workload, &archs))
        return cli_usage(options, "'-', the standard input, can be only one of the inputs");
    load_inputs(analysis, workload, &archs);
    return CLI_DONE;
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
    expand_patterns(analysis);
    usage = load_named(analysis);
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
    clear(&analysis);
    return exit_code;
}
