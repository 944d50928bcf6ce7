/* What latencies are, where several stand together: scheduled times, or rooflines, which are lower
 * bounds (doc/model.md, section 7). */
#ifndef SATOR_REPORT_TIMING_H
#define SATOR_REPORT_TIMING_H

#include "report/report.h"

/* A latency of a table or a sum. */
struct report_timed {
    const char *name, *timing, *unscheduled; /* the last two as struct sator_result has them */
};

/* "scheduled" or "roofline" where all "n" are that, else "mixed". */
const char *report_timing(const struct report_timed *rows, int n);

/* A line for each reason why scheduled times that were asked for are not known, below their table.
 */
void report_write_unscheduled(
        struct sator_text *text, struct sator_arena *arena, const struct report_timed *rows, int n);

/* Those of the layers of a network. */
const struct report_timed *report_network_timed(
        struct sator_arena *arena, const struct sator_network_result *network);

#endif
