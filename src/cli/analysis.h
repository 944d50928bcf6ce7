/* What sator analyze has read, and what came of it. */
#ifndef SATOR_CLI_ANALYSIS_H
#define SATOR_CLI_ANALYSIS_H

#include "cli/cli.h"

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

/* The names of --dataflow into "specs", a pattern's matches in place of it. */
void cli_analysis_expand(struct analysis *analysis);

/* Read what the command line names, or say what it does not name. An experiment file alone stands
 * for everything, and beside an architecture or dataflows for the rest. What is wrong in the inputs
 * is in "exit_code"; a wrong call is returned. */
int cli_analysis_load(struct analysis *analysis);

void cli_analysis_clear(struct analysis *analysis);

#endif
