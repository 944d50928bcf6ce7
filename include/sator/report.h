/* Results as text for people, and as JSON and CSV for programs. The keys are those of
 * doc/output.md. All texts are GIVE: free. */
#ifndef SATOR_REPORT_H
#define SATOR_REPORT_H

#include "sator/analyze.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sator_format {
    SATOR_FORMAT_TEXT,
    SATOR_FORMAT_JSON,
    SATOR_FORMAT_CSV,
    SATOR_FORMAT_MARKDOWN, /* the main figures as a table: GitHub's Markdown */
    SATOR_FORMAT_LATEX /* the same as a tabular with booktabs' rules */
};

struct sator_report_options {
    size_t size; /* sizeof the struct: sator/context.h */
    enum sator_format format;
    int schema; /* JSON: 1: counts that may pass 2^53 are strings; else (2): all are integers */
    bool color; /* text: mark the best with terminal colours */
    const char *sort; /* comparison: a key such as "latency_cycles.total"; NULL: as given */
    bool comparison; /* several were asked for: a list, even when one is left of them */
    int width; /* text: columns that a line may have, where its words allow; 0: any number */
};

/* One result, or several side by side. SATOR_USAGE, with the nearest key, when "sort" is unknown;
 * "n_results" 0 only checks that, and leaves "text" alone. */
SATOR_API enum sator_status sator_report_results(struct sator_ctx *ctx,
        const struct sator_result *const *results, int n_results,
        const struct sator_report_options *options, SATOR_GIVE char **text);

/* A network under one dataflow or several. */
SATOR_API enum sator_status sator_report_networks(struct sator_ctx *ctx,
        const struct sator_network_result *const *results, int n_results,
        const struct sator_report_options *options, SATOR_GIVE char **text);

/* What the built-in library holds: of "kind" (see sator_library_count), or of every kind when it is
 * NULL. */
SATOR_API enum sator_status sator_report_library(struct sator_ctx *ctx, const char *kind,
        const struct sator_report_options *options, SATOR_GIVE char **text);

/* The relations of an analysis in isl notation: domain, accesses, dataflow, data assignment,
 * interconnect, spacetime maps ("--show relations"). */
SATOR_API enum sator_status sator_report_relations(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, SATOR_GIVE char **text);

/* A window of stamps: from the first occupied time-stamp that is not before "from" (its first
 * "n_from" coordinates; 0: from the first of all) on, "n_stamps" of them (0: as many as the case or
 * the picture allows), but at least one and with no more than "most_words" words (0: by default).
 */
struct sator_report_window {
    size_t size; /* sizeof the struct: sator/context.h */
    int n_from;
    const int64_t *from;
    int n_stamps;
    int64_t most_words;
    int width; /* of sator_report_stamps: columns that a line may have; 0: any number */
};

/* Which PE holds which element at which time-stamp, and where it comes from (TENET, Figure 3:
 * "--show stamps"), in a window (NULL: the whole) of at most "max_cells" stamps; SATOR_LIMIT with a
 * message otherwise. */
SATOR_API enum sator_status sator_report_stamps(struct sator_ctx *ctx,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_report_window *window,
        int max_cells, SATOR_GIVE char **text);

#ifdef __cplusplus
}
#endif
#endif
