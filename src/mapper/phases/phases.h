/* The scheduled time of a mapping in closed form, and bounds of it (doc/model.md, section 7;
 * doc/search.md, "The scheduled time").
 */
#ifndef SATOR_MAPPER_PHASES_H
#define SATOR_MAPPER_PHASES_H

#include "mapper/phases/phases_machine.h"

/* Set the problem's phases, in its arena, and the ports that bounds of the scheduled time tell
 * apart; none where it is of a form whose phases only the model counts: words that the engines
 * count, trees of some PEs of a row. Bounds are of the scheduled time then. Times in closed form
 * are without what late links bring and what passes limited wires takes (struct mapper_phases). */
void sator_mapper_know_phases(struct mapper_problem *problem);

/* Set "*cycles" to the scheduled time of a legal mapping, exactly that of sator_analyze; false
 * where the mapping is of a form whose phases only the model counts: short last tiles, chains of
 * sums at memories whose reads and writes share a port, ports inside of a skewed array. */
bool sator_mapper_scheduled(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles);

/* The same, at least: a skewed row takes what its computing, or its busiest port, takes. */
bool sator_mapper_scheduled_least(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles);

/* Whether words may pass further in than memory "c" while nothing else happens. They lengthen the
 * stamps of "c" beyond what these compute for, and words of "c" may move beside them: a bound has
 * the one or the other, not both. */
bool sator_mapper_waits_inside(const struct mapper_phases *phases, int c);

/* phases_bound.c: at least so many cycles beside those that the compute units take, serial
 * transfers apart. The factors of the arrays and of the memories from "m" inward are known; "left"
 * are the temporal factors further out, by loop, those of memories before "m" being 1 in "shape".
 * "mapping" has the factors alone. */
double sator_mapper_exposed(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m,
        const int64_t *left);

#endif
