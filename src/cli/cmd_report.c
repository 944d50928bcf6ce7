/* sator report: a page of given dataflows, or of the best mappings where none is named. */
#include "cli/pictures.h"

int cli_report(const struct cli_options *options)
{
    bool given = options->dataflow.count > 0 || options->space != NULL || options->arch.count == 0;
    int exit_code = CLI_DONE;

    if (given)
        exit_code = cli_refuse(options, "objective constraint imperfect budget",
                "goes with the best mapping, which is shown where no --dataflow is named");
    else
        exit_code = cli_refuse(options, "engine", "goes with --dataflow");
    if (exit_code != CLI_DONE)
        return exit_code;
    return given ? cli_analyze(options) : cli_map(options);
}
