/* Writers of the mapper's results. */
#ifndef SATOR_REPORT_MAP_H
#define SATOR_REPORT_MAP_H

#include "report/report.h"
#include "sator/map.h"

const char *report_map_objective(enum sator_map_objective objective);
const char *report_map_strategy(enum sator_map_strategy strategy);

void report_map_text(struct sator_text *text, struct sator_arena *arena, const char *name,
        const struct sator_map_result *const *results, int n_results, bool color);
void report_map_json(struct sator_text *text, struct sator_arena *arena, const char *name,
        const struct sator_map_result *const *results, int n_results);

#endif
