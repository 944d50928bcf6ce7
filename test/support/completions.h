/* The bounds that the optimal strategy cuts by, compared with random completions of what is known:
 * a bound must not exceed what any mapping that agrees with it costs. */
#ifndef SATOR_TEST_COMPLETIONS_H
#define SATOR_TEST_COMPLETIONS_H

#include "support/checked.h"

/* Draw mappings of a problem, and what is known of each; count what is wrong, and say whether
 * nothing is. */
bool completions_check(struct checked *c, const struct mapper_problem *problem,
        struct machines_rng *rng, int n_mappings);

#endif
