/* What every property test does: seeds and case counts from arguments or the environment, cases one
 * by one, the first failure shrunk and printed. */
#ifndef SATOR_TEST_RUN_H
#define SATOR_TEST_RUN_H

#include "oracle/generate.h"

#include <stdio.h>

struct run_options {
    uint64_t seed;
    int64_t n_cases;
    int64_t first_case;
    int64_t general_every; /* property_analyze: the general engine answers one case in so many; 0:
                              not given */
};

/* How many cases a test of "n_cases" runs: SATOR_CASES (or SATOR_TEST_COUNT) where it is given,
 * else one in SATOR_TEST_SHARE of "n_cases" (the share that a slow build runs of what a fast one
 * runs), else all. */
int64_t run_count(int64_t n_cases);

/* Defaults: SATOR_SEED (or SATOR_TEST_SEED) or the clock, run_count, case 0. Then "--seed N",
 * "--cases N", "--case N" (run this one only), "--general-every N". Prints the seed. False when
 * "argv" holds something else. */
bool run_options(int argc, char **argv, int64_t n_cases, struct run_options *options);

/* The number that generate() gets for a case. */
uint64_t run_case_seed(const struct run_options *options, int64_t number);

#endif
