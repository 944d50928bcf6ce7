/* What sator analyze reads: every dataflow that is named, or matched by a pattern, on every
 * machine. */
#include "cli/analysis.h"

#include "sator/convert.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- patterns ---- */

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

void cli_analysis_expand(struct analysis *analysis)
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

/* ---- files ---- */

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

int cli_analysis_load(struct analysis *analysis)
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

void cli_analysis_clear(struct analysis *analysis)
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
