/* convert, and show --as: what was read, in another tool's notation. */
#include "cli/cli.h"

#include "sator/convert.h"

#include <stdlib.h>
#include <string.h>

struct conversion {
    const struct cli_options *options;
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_dataflow *dataflow;
    int layer;
};

static int check(const struct cli_options *options)
{
    bool text = options->space != NULL || options->time != NULL;
    int given = (options->dataflow.count > 0) + text + (options->stt != NULL);

    if (options->arguments.count > 1)
        return cli_usage(options, "one NAME at a time, not '%s' too", options->arguments.items[1]);
    if (options->arguments.count == 0 && options->arch.count == 0)
        return cli_usage(options, "no NAME and no --arch was given");
    if (options->arch.count > 1 || options->dataflow.count > 1 || given > 1)
        return cli_usage(options, "one architecture and one dataflow at a time");
    if ((options->space == NULL) != (options->time == NULL))
        return cli_usage(options, "--space and --time go together");
    if (options->stt != NULL && options->arguments.count == 0)
        return cli_usage(options, "--stt is a matrix of the loops of a workload: name one");
    return CLI_DONE;
}

/* The parts that options name take the place of those of the input. */
static enum sator_status load_options(struct conversion *c, const struct sator_input_options *input)
{
    const struct cli_options *options = c->options;
    enum sator_status status = SATOR_OK;

    if (options->arch.count > 0) {
        sator_arch_free(c->arch);
        c->arch = NULL;
        status = sator_arch_load(c->ctx, options->arch.items[0], input, &c->arch);
    }
    if (status == SATOR_OK && (options->dataflow.count > 0 || options->space != NULL)) {
        sator_dataflow_free(c->dataflow);
        c->dataflow = NULL;
        status = options->space != NULL
                ? sator_dataflow_from_text(
                          c->ctx, "command line", options->space, options->time, &c->dataflow)
                : sator_dataflow_load(c->ctx, options->dataflow.items[0], input, &c->dataflow);
    }
    return status;
}

static enum sator_status load(struct conversion *c)
{
    const struct cli_options *options = c->options;
    struct sator_input_options input = cli_input_options(options);
    enum sator_status status = SATOR_OK;

    if (options->arguments.count > 0)
        status = sator_input_load(
                c->ctx, options->arguments.items[0], &input, &c->network, &c->arch, &c->dataflow);
    if (status == SATOR_OK)
        status = load_options(c, &input);
    c->layer = -1;
    if (status == SATOR_OK && c->network != NULL &&
            cli_choose_layer(c->network, options->layer, &c->layer) != CLI_DONE)
        status = SATOR_INPUT;
    if (status == SATOR_OK && options->stt != NULL && c->network != NULL && c->arch != NULL) {
        sator_dataflow_free(c->dataflow);
        c->dataflow = NULL;
        status = sator_dataflow_from_stt(c->ctx, c->network, c->layer < 0 ? 0 : c->layer, c->arch,
                options->stt, &c->dataflow);
    }
    return status;
}

int cli_convert_to(const struct cli_options *options, const char *format)
{
    struct conversion c = {.options = options};
    char *text = NULL;
    int usage = check(options);

    if (usage != CLI_DONE)
        return usage;
    c.ctx = cli_ctx_new(options);
    cli_watch(c.ctx);
    enum sator_status status = load(&c);
    if (status == SATOR_OK)
        status = sator_convert(c.ctx, c.network, c.layer, c.arch, c.dataflow, format, &text);
    cli_print_messages(c.ctx);
    int exit_code = status == SATOR_OK
            ? cli_write(options, text)
            : cli_status(status,
                      options->arguments.count > 0 ? options->arguments.items[0]
                                                   : options->arch.items[0]);
    free(text);
    sator_network_free(c.network);
    sator_arch_free(c.arch);
    sator_dataflow_free(c.dataflow);
    cli_unwatch(c.ctx);
    sator_ctx_free(c.ctx);
    return exit_code;
}

int cli_convert(const struct cli_options *options)
{
    if (options->to == NULL)
        return cli_usage(options, "no format was named: --to timeloop, maestro, ...");
    return cli_convert_to(options, options->to);
}
