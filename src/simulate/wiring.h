/* The wires between two holders, PE by PE (doc/model.md, section 2). */
#ifndef SATOR_SIMULATE_WIRING_H
#define SATOR_SIMULATE_WIRING_H

#include "simulate/machine.h"

/* The links and buses that serve the holder's tensor between the holder outside and it. */
enum sator_status wiring_make(struct machine *machine, struct holder *holder);

#endif
