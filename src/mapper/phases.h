/* The scheduled time of a mapping in closed form (doc/model.md, section 7; doc/search.md). */
#ifndef SATOR_MAPPER_PHASES_H
#define SATOR_MAPPER_PHASES_H

#include "mapper/cost.h"

/* What a machine says of when words move and how long they take, for one problem. */
struct mapper_phases;

/* In the problem's arena (KEEP); NULL where the problem is of a form whose phases only the model
 * counts: arrays that are skewed, wires with a bandwidth, words that the engines count. */
const struct mapper_phases *sator_mapper_phases_new(const struct mapper_problem *problem);

/* Set "*cycles" to the scheduled time of a legal mapping, exactly that of sator_analyze; false
 * where the mapping is of a form whose phases only the model counts: words that pass from PE to PE,
 * short last tiles, sums whose parts nothing merges. */
bool sator_mapper_scheduled(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles);

#endif
