/* sator merge: databases of one exploration into one. */
#include "cli/cli.h"
#include "sator/explore.h"

#include <stdlib.h>

int cli_merge(const struct cli_options *options)
{
    const struct cli_list *files = &options->arguments;
    char *text = NULL;

    if (files->count < 2)
        return cli_usage(options, "merge takes the OUTPUT and at least one DATABASE");
    struct sator_ctx *ctx = cli_ctx_new(options);
    cli_watch(ctx);
    enum sator_status st =
            sator_explore_merge(ctx, files->items[0], files->count - 1, files->items + 1, &text);
    cli_print_messages(ctx);
    int exit_code = cli_status(st, files->items[0]);
    if (st == SATOR_OK && !options->quiet)
        exit_code = cli_write(options, text);
    free(text);
    cli_unwatch(ctx);
    sator_ctx_free(ctx);
    return exit_code;
}
