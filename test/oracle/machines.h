/* Random small workloads and machines for the mapper's tests, as texts in the project's own
 * formats, so that a failing case can be printed and pasted.
 */
#ifndef TEST_MACHINES_H
#define TEST_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

struct machines_rng {
    uint64_t state;
};

/* A number from 0 to n - 1. */
uint64_t machines_draw(struct machines_rng *rng, uint64_t n);

struct machines_options {
    int most_extent; /* of a loop */
    bool capacities; /* machines have small memories */
    bool bandwidths;
    bool prime_extents; /* extents that few factors divide */
    int most_memories;
    bool idle; /* memories that keep what they have while they idle */
    bool counted; /* accesses and networks that have no formula, too */
    bool small; /* in place of all that: a window or quotients on a few PEs, over buses that may
                   cost more than memories, past registers that hold a few words */
};

/* YAML texts (at most "size" bytes). */
void machines_workload(
        struct machines_rng *rng, const struct machines_options *options, char *text, int size);
void machines_arch(
        struct machines_rng *rng, const struct machines_options *options, char *text, int size);

#endif
