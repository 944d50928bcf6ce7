/* What a machine says about when its words move, and how long that takes, by chance. */
#ifndef SATOR_TEST_PHASES_H
#define SATOR_TEST_PHASES_H

#include "sator/analyze.h"

#include <stdint.h>

/* Change it in "arch", in place: transfers, bandwidths, bursts, cycles of an instance. */
void phases_draw(uint64_t seed, struct sator_arch *arch);
/* As comments of a file. */
void phases_print(const struct sator_arch *arch);

#endif
