/* The commands that only look: check, list, show. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

int cli_check(const struct cli_options *options)
{
    struct sator_input_options input = cli_input_options(options);
    int exit_code = CLI_DONE;
    char *text = NULL;
    size_t size = 0;

    if (options->arguments.count == 0)
        return cli_usage(options, "no FILE was named");
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out != NULL && i < options->arguments.count; i++) {
        const char *file = options->arguments.items[i], *kind = NULL;
        struct sator_ctx *ctx = sator_ctx_new();
        cli_watch(ctx);
        enum sator_status status = sator_check_file(ctx, file, &input, &kind);
        cli_print_messages(ctx);
        exit_code = cli_worse(exit_code, cli_status(status, file));
        if (status == SATOR_OK && !options->quiet)
            fprintf(out, "%s: %s, nothing wrong\n", file, kind);
        cli_unwatch(ctx);
        sator_ctx_free(ctx);
    }
    if (out != NULL)
        fclose(out);
    if (text != NULL)
        exit_code = cli_worse(exit_code, cli_write(options, text));
    free(text);
    return exit_code;
}

int cli_list(const struct cli_options *options)
{
    static const char *const kinds[] = {"workloads", "networks", "archs", "dataflows"};
    enum {
        N_KINDS = sizeof kinds / sizeof *kinds
    };
    const char *kind = options->arguments.count > 0 ? options->arguments.items[0] : NULL;
    struct sator_report_options report = {.format = cli_format(options)};
    bool known = kind == NULL;
    char *text = NULL;

    if (options->arguments.count > 1)
        return cli_usage(options, "one kind at a time, not '%s' too", options->arguments.items[1]);
    for (int i = 0; i < N_KINDS && kind != NULL; i++)
        known = known || strcmp(kind, kinds[i]) == 0;
    if (kind != NULL && strcmp(kind, "architectures") == 0) {
        kind = "archs";
        known = true;
    }
    if (!known) {
        const char *nearest = sator_nearest(kind, kinds, N_KINDS);
        return cli_usage(options,
                "the library has workloads, networks, archs and dataflows, no '%s'%s%s%s", kind,
                nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                nearest == NULL ? "" : "'?");
    }
    struct sator_ctx *ctx = sator_ctx_new();
    enum sator_status status = sator_report_library(ctx, kind, &report, &text);
    cli_print_messages(ctx);
    int exit_code = status == SATOR_OK ? cli_write(options, text) : cli_status(status, "list");
    free(text);
    sator_ctx_free(ctx);
    return exit_code;
}

int cli_show(const struct cli_options *options)
{
    struct sator_input_options input = cli_input_options(options);
    char *text = NULL;

    if (options->arguments.count != 1)
        return cli_usage(options, "show takes one NAME: a library entry or a file");
    struct sator_ctx *ctx = sator_ctx_new();
    cli_watch(ctx);
    enum sator_status status = sator_show(ctx, options->arguments.items[0], &input, &text);
    cli_print_messages(ctx);
    int exit_code = status == SATOR_OK ? cli_write(options, text)
                                       : cli_status(status, options->arguments.items[0]);
    free(text);
    cli_unwatch(ctx);
    sator_ctx_free(ctx);
    return exit_code;
}
