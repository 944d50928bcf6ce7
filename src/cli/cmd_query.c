/* sator query: results out of a database. */
#include "cli/pictures.h"
#include "sator/explore.h"

#include <stdlib.h>
#include <string.h>

struct query {
    const struct cli_options *options;
    struct sator_ctx *ctx;
};

static int run(const struct sator_sink *sink, void *data)
{
    const struct query *query = data;
    const struct cli_options *options = query->options;
    struct sator_query_options wanted = {.where = options->where,
            .sort = options->sort,
            .pareto = options->pareto,
            .top = (uint64_t)options->top,
            .layer = options->layer,
            .whole_network = options->network,
            .per_hardware = options->per_hardware,
            .summary = options->summary,
            .quiet = options->quiet,
            .format = cli_format(options),
            .schema = cli_schema(options),
            .width = cli_width(options)};

    enum sator_status st =
            sator_explore_query(query->ctx, options->arguments.items[0], &wanted, sink);
    return cli_status(st, options->arguments.items[0]);
}

/* The same results as a page or a picture. */
static int write_page(struct query *query)
{
    const struct cli_options *options = query->options;
    struct cli_options as_csv = *options;
    const struct sator_report_window window = {0};
    struct sator_page *page = cli_page_new(query->ctx, options, &window);
    const struct sator_sink sink = sator_page_points(page, NULL);

    as_csv.csv = true;
    query->options = &as_csv;
    int exit_code = run(&sink, query);
    query->options = options;
    cli_print_messages(query->ctx);
    if (exit_code == CLI_DONE)
        exit_code = cli_page_write(query->ctx, options, page);
    sator_page_free(page);
    return exit_code;
}

int cli_query(const struct cli_options *options)
{
    struct query query = {.options = options};

    if (options->arguments.count != 1)
        return cli_usage(options, "query takes one DATABASE");
    if ((options->network || options->per_hardware) && options->layer != NULL)
        return cli_usage(
                options, "--network and --per-hardware add layers up, --layer picks one: not both");
    if (options->network && options->per_hardware)
        return cli_usage(options,
                "--network is one dataflow for all layers, --per-hardware one "
                "for each: not both");
    if (options->summary && cli_format(options) != SATOR_FORMAT_TEXT)
        return cli_usage(options, "--summary prints text, not JSON or CSV");
    if (options->summary) {
        int exit_code = cli_refuse(options,
                "where sort pareto top layer network per-hardware html svg show",
                "selects results, --summary is about the whole database");
        if (exit_code != CLI_DONE)
            return exit_code;
    }
    int page = cli_check_page(options);
    if (page != CLI_DONE)
        return page;
    query.ctx = cli_ctx_new(options);
    cli_watch(query.ctx);
    int exit_code = cli_wants_page(options) ? write_page(&query) : cli_stream(options, run, &query);
    cli_print_messages(query.ctx);
    cli_unwatch(query.ctx);
    sator_ctx_free(query.ctx);
    return exit_code;
}
