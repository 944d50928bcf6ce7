/* sator simulate: carry a mapping out, and compare with its analysis. */
#include "cli/cli.h"
#include "sator/simulate.h"

#include <stdlib.h>
#include <string.h>

struct simulation {
    const struct cli_options *options;
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    struct sator_simulate_options simulate;
    int layer;
};

static int check_usage(const struct cli_options *options)
{
    if (options->arguments.count == 0)
        return cli_usage(options, "no WORKLOAD was named");
    if (options->arguments.count > 1)
        return cli_usage(
                options, "one WORKLOAD at a time, not '%s' too", options->arguments.items[1]);
    if ((options->space == NULL) != (options->time == NULL))
        return cli_usage(options, "--space and --time go together");
    if (options->arch == NULL)
        return cli_usage(options, "no accelerator was named: --arch ARCH (sator list archs)");
    if ((options->dataflow.count == 0) == (options->space == NULL))
        return cli_usage(options,
                "one dataflow is executed: --dataflow DATAFLOW (sator list dataflows), or --space "
                "and --time");
    if (options->dataflow.count > 1)
        return cli_usage(options, "one dataflow at a time, not '%s' too", options->dataflow.items[1]);
    return CLI_DONE;
}

static int load(struct simulation *s)
{
    const struct cli_options *options = s->options;
    const struct sator_input_options input = cli_input_options(options);
    const char *workload = options->arguments.items[0];
    int exit_code;

    exit_code = cli_status(sator_network_load(s->ctx, workload, &input, &s->network), workload);
    exit_code = cli_worse(exit_code,
            cli_status(sator_arch_load(s->ctx, options->arch, &input, &s->arch), options->arch));
    if (s->network != NULL && s->arch != NULL)
        exit_code = cli_worse(exit_code,
                cli_status(sator_check_tensors(s->ctx, s->network, s->arch), options->arch));
    if (options->space != NULL)
        exit_code = cli_worse(exit_code,
                cli_status(sator_dataflow_from_text(s->ctx, "command line", options->space,
                                   options->time, &s->dataflow),
                        "--space"));
    else
        exit_code = cli_worse(exit_code,
                cli_status(sator_dataflow_load(
                                   s->ctx, options->dataflow.items[0], &input, &s->dataflow),
                        options->dataflow.items[0]));
    cli_print_messages(s->ctx);
    return exit_code;
}

static int run(struct simulation *s)
{
    const struct cli_options *options = s->options;
    struct sator_simulation *simulation = NULL;
    struct sator_report_options report = {.format = cli_format(options),
            .color = options->output == NULL && cli_color(stdout)};
    char *text = NULL;

    enum sator_status status = sator_simulate(
            s->ctx, s->network, s->layer, s->arch, s->dataflow, &s->simulate, &simulation);
    cli_print_messages(s->ctx);
    int exit_code = cli_status(status, options->arguments.items[0]);
    if (status != SATOR_OK)
        return exit_code;
    if (!simulation->is_whole)
        exit_code = CLI_INTERRUPTED;
    else if (simulation->n_differences > 0)
        exit_code = CLI_DIFFERENT;
    status = sator_report_simulation(s->ctx, simulation, &report, &text);
    if (status == SATOR_OK)
        exit_code = cli_worse(exit_code, cli_write(options, text));
    free(text);
    sator_simulation_free(simulation);
    return exit_code;
}

int cli_simulate(const struct cli_options *options)
{
    struct simulation s = {.options = options, .ctx = sator_ctx_new()};
    int exit_code = check_usage(options);

    sator_ctx_set_work_limit(s.ctx, (uint64_t)options->work_limit);
    cli_watch(s.ctx);
    if (exit_code == CLI_DONE)
        exit_code = load(&s);
    if (exit_code == CLI_DONE)
        exit_code = cli_choose_layer(s.network, options->layer, &s.layer);
    if (exit_code == CLI_DONE && s.layer < 0)
        exit_code = cli_usage(options, "one layer is executed at a time: name a --layer");
    if (exit_code == CLI_DONE)
        exit_code = run(&s);
    cli_unwatch(s.ctx);
    sator_dataflow_free(s.dataflow);
    sator_arch_free(s.arch);
    sator_network_free(s.network);
    sator_ctx_free(s.ctx);
    return exit_code;
}
