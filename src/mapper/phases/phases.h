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
/* Whether sums run over loop "i", and its extent is that of a box. */
bool sator_mapper_sums_over(const struct mapper_problem *problem, int i);

/* What compute units are streamed through a port: in how many stamps each tensor's words come, or
 * its sums leave, and what they take there, in cycles; most stamps first. */
struct mapper_streams {
    int port, n;
    double all, begun; /* stamps of the run; those in which sums begin, which are not read then */
    double stamps[MAPPER_ACCESSES], cycles[MAPPER_ACCESSES];
    double sparing; /* cycles in all of sums that are not read */
    double alone; /* cycles beside computing: the most of any tensor with windows */
};
/* Add transfer "t", of which "each" words (see below) pass in so many stamps. */
void sator_mapper_stream_add(struct mapper_streams *streams, const struct mapper_problem *problem,
        const struct mapper_crew *crew, int t, double stamps, double each);
/* The least cycles of the run, each stamp taking a whole number, if tensors move in at least as
 * many as "streams" has. */
double sator_mapper_whole_cycles(
        const struct mapper_problem *problem, const struct mapper_streams *streams);
/* Whether this is known of a problem; and the words that pass the holder's port in each stamp in
 * which a transfer moves any, 0: it is not into the compute units, or moves in other ways. */
bool sator_mapper_has_whole_stamps(const struct mapper_problem *problem);
double sator_mapper_streamed_words(const struct mapper_walk *walk);
/* ---- phases_exposed.c ---- */
/* What phases add at least. */
struct mapper_exposed {
    double cycles; /* beside those of computing, serial transfers apart */
    double alone; /* the part of these in which no stamp runs, whatever it is streamed */
    /* Whether ports wait for computing or for others: the run takes as long as a port's own words
     * and so many bits more. */
    bool waits;
    double waiting[MAPPER_PORTS];
};
/* The factors of the arrays and of the memories from "m" inward are known, those of memories before
 * "m" being 1 in "shape"; "mapping" has the factors alone, "crew" is of its arrays (NULL: what
 * ports wait for is not asked for). */
void sator_mapper_exposed(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m,
        const struct mapper_crew *crew, struct mapper_exposed *exposed);

#endif
