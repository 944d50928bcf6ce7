/* Writers of the mapper's results. */
#ifndef SATOR_REPORT_MAP_H
#define SATOR_REPORT_MAP_H

#include "report/control.h"
#include "report/timing.h"
#include "sator/map.h"

const char *report_map_objective(enum sator_map_objective objective);
const char *report_map_unit(enum sator_map_objective objective);
const char *report_map_strategy(enum sator_map_strategy strategy);

/* Sums over a network's layers with their repeats. */
struct report_map_totals {
    bool known; /* every layer has a mapping: otherwise NAN in all that follows but the last four */
    sator_int instances; /* valid where "known" */
    double pj, cycles, edp, utilization;
    double expected_pj; /* the energy where zeros are gated; NAN where no layer states a density */
    double expected_cycles; /* the same of the latency; NAN where no layer skips zeros */
    struct report_control control; /* of the layers that have a mapping */
    bool proved; /* every layer */
    int n_unproved; /* of the layers that have a mapping */
    double evaluated, seconds; /* of the search, which equal layers share */
};
/* What their latencies are. */
const struct report_timed *report_maps_timed(
        struct sator_arena *arena, const struct sator_map_result *const *results, int n_results);
struct report_map_totals report_map_totals(const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results);

void report_map_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_network *network, const struct sator_map_result *const *results,
        int n_results, struct look look);
void report_map_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_network *network, const struct sator_map_result *const *results,
        int n_results, int schema);

/* Machines side by side. */
void report_machines_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_machine *machines, int n_machines, struct look look);
void report_machines_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_machine *machines, int n_machines, int schema);

/* A network's front; the number of a point says which of its mappings each layer takes. */
void report_network_front_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_front *front, struct look look);
void report_network_front_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_front *front, int schema);

/* The front of a workload's mappings. */
void report_front_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_result *const *results, int n_results, bool complete,
        struct look look);
void report_front_json(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_result *const *results, int n_results, bool complete, int schema);

#endif
