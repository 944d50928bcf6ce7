/* Random programs, biased to corners: extents of 1, ragged tiles, offsets, skews, dropped loops,
 * several reads of one tensor, coupled time dimensions, links of every kind. The same number always
 * gives the same program. */
#ifndef SATOR_TEST_GENERATE_H
#define SATOR_TEST_GENERATE_H

#include "oracle/oracle.h"

struct random {
    uint64_t state;
};

/* A number below "n". */
int64_t random_below(struct random *random, int64_t n);
/* True in "percent" of a hundred cases. */
bool random_chance(struct random *random, int percent);

struct generate_options {
    int64_t max_instances;
    int64_t max_pes;
    bool self_wires; /* interval-0 links may join some PEs to themselves */
    bool cycles; /* more interval-0 links that lead round and round */
    bool always_registers;
    bool may_leave; /* a few programs get an array that is too small */
    bool conditional; /* pieces of accesses may carry conditions */
    bool falls; /* skews may be negative */
    bool may_be_empty; /* a few domains have no instance */
};

void generate(
        uint64_t seed, const struct generate_options *options, struct oracle_program *program);

#endif
