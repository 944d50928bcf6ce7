/* Whether two answers of the library are one answer: every figure, to the last digit. */
#ifndef SATOR_TEST_SAME_H
#define SATOR_TEST_SAME_H

#include "sator/map.h"

struct same_options {
    bool other_names; /* names of the dataflows and texts of the stamps may differ */
    bool other_cuts; /* one may have declared what the other derived */
    bool other_engine;
    double tolerance; /* of sums of doubles in another order, relative */
};

/* The first figure in which they differ, into "text", and its values; false when there is none. */
bool same_results(const struct sator_result *a, const struct sator_result *b,
        const struct same_options *options, char *text, size_t size);

/* A mapping's own figures and those of an analysis of it. */
bool same_mapping(const struct sator_map_result *mapping, const struct sator_result *result,
        char *text, size_t size);

#endif
