/* Sets of tuples of integers for the brute-force references: numbered, hashed, growing. */
#ifndef SATOR_TEST_TUPLES_H
#define SATOR_TEST_TUPLES_H

#include <stdint.h>

/* Tuples of "width" integers, numbered in the order of their first appearance. */
struct tuples {
    int width;
    int64_t n, room;
    int64_t *data; /* n * width */
    int64_t n_slots; /* a power of two, at least 2 n */
    int64_t *slots; /* number + 1, 0 for free */
};

/* "memory", unless there is none: then the program ends. */
void *tuples_must(void *memory);

void tuples_init(struct tuples *set, int width);
void tuples_clear(struct tuples *set);

const int64_t *tuples_at(const struct tuples *set, int64_t number);

/* The number of "tuple", or -1. */
int64_t tuples_find(const struct tuples *set, const int64_t *tuple);

/* The number of "tuple", which is added if it was not there. */
int64_t tuples_add(struct tuples *set, const int64_t *tuple);

#endif
