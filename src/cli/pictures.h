/* Pages and pictures, for the commands that have results to show. */
#ifndef SATOR_CLI_PICTURES_H
#define SATOR_CLI_PICTURES_H

#include "cli/cli.h"
#include "sator/page.h"

/* Whether a page or a picture is wanted: sator report, --html, --svg, --show array and the like. */
bool cli_wants_page(const struct cli_options *options);
/* CLI_USAGE after a message for options that do not go together. */
int cli_check_page(const struct cli_options *options);
/* An empty page with the command line that makes it (GIVE: sator_page_free). */
struct sator_page *cli_page_new(struct sator_ctx *ctx, const struct cli_options *options,
        const struct sator_report_window *window);
/* Write it as it is wanted. */
int cli_page_write(
        struct sator_ctx *ctx, const struct cli_options *options, struct sator_page *page);

#endif
