/* A link taken apart into functions: parts in which each consumer has one provider. */
#ifndef SATOR_COUNT_GENERAL_DISTANCES_H
#define SATOR_COUNT_GENERAL_DISTANCES_H

#include "count/general/stamps.h"

/* The parts of "link", { [q] -> [p] } inside the array, as systems over (q, p) and what these
 * determine, in which p determines q (GIVE: sator_pieces_clear); and what is left when its PEs are
 * too many distances apart, a map of no pieces otherwise (GIVE). */
enum sator_status sator_distances_find(struct sator_stamps *stamps, SATOR_TAKE isl_map *link,
        struct sator_pieces *functions, SATOR_GIVE isl_map **others);

#endif
