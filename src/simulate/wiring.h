/* The wires between two holders, PE by PE (doc/model.md, section 2). */
#ifndef SATOR_SIMULATE_WIRING_H
#define SATOR_SIMULATE_WIRING_H

#include "sator/context.h"

struct holder;
struct machine;
struct machine_link;

/* The links and buses that serve the holder's tensor between the holder outside and it. */
enum sator_status wiring_make(struct machine *machine, struct holder *holder);
/* Cut the rings of the holder's wires that values go round. */
enum sator_status wiring_cut_rings(struct machine *machine, struct holder *holder);

/* Leave out the wires of "link" that "marks" (one a provider) names. */
void wiring_drop(struct machine_link *link, const bool *marks);

#endif
