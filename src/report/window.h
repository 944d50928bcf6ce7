/* A window of stamps of one layer, as reports show it. */
#ifndef SATOR_REPORT_WINDOW_H
#define SATOR_REPORT_WINDOW_H

#include "model/provenance/provenance.h"
#include "report/report.h"

struct report_window {
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_bound_dataflow *bound;
    const char *space_name, *time_name; /* of the tuples: "PE", "T" */
    const char *unmarked; /* the memory whose words are not marked in tables */
    const struct sator_provenance *is;
};

/* Trace "window" of layer "layer", of which "result" is the analysis, in "arena". SATOR_USAGE with
 * a message for a first stamp that is too long; else as sator_model_provenance. */
enum sator_status report_window_trace(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        const struct sator_dataflow *dataflow, const struct sator_result *result,
        const struct sator_report_window *window, struct report_window *trace);

/* The coordinates of PE number "number", of element number "number". */
void report_pe(const struct sator_provenance *window, int64_t number, int64_t *pe);
void report_element(const struct sator_access_words *words, int64_t number, int64_t *element);

#endif
