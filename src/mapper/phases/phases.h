/* The scheduled time of a mapping in closed form, and bounds of it (doc/model.md, section 7;
 * doc/search.md, "The scheduled time").
 */
#ifndef SATOR_MAPPER_PHASES_H
#define SATOR_MAPPER_PHASES_H

#include "mapper/phases/phases_machine.h"

/* Set "*cycles" to the scheduled time of a legal mapping, exactly that of sator_analyze; false
 * where the mapping is of a form whose phases only the model counts: short last tiles, chains of
 * sums at memories whose reads and writes share a port, ports inside of a skewed array. */
bool sator_mapper_scheduled(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles);

/* The same, at least: a skewed row takes what its computing, or its busiest port, takes; of short
 * tiles, which have no exact form, those words count that surely move. */
bool sator_mapper_scheduled_least(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles);

/* ---- phases_bound.c ---- */
/* The cycles that stamps take at least with what the PEs' own memories serve, serial transfers
 * apart, "own_stamps" of them being the first PE's; by the roofline those of the compute units. The
 * factors of all arrays are known. */
double sator_mapper_computing(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, double stamps, double own_stamps);
/* The same where it is known that no more than so many PEs are used. */
double sator_mapper_least_computing(const struct mapper_problem *problem, double pes);
/* At least so many cycles beside these, serial transfers apart. The factors of the arrays and of
 * the memories from "m" inward are known, those of memories before "m" being 1 in "shape";
 * "mapping" has the factors alone. */
double sator_mapper_exposed(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m);

#endif
