/* A memory whose prefix is floor(R / M), R a skewed row: what windows.c and listed.c share. */
#ifndef SATOR_COUNT_SKEWED_WINDOWS_H
#define SATOR_COUNT_SKEWED_WINDOWS_H

#include "count/decline.h"
#include "count/tiled/nest.h"

struct weighted {
    int64_t weight, size;
};

/* Digits, by weight. */
struct weighted_list {
    int n;
    struct weighted digit[TILED_DIGITS];
};

/* What is touched when. */
struct windows {
    int64_t m, from, reach; /* stamps of a window; the least value of R; from it to the greatest */
    sator_int instances;
    struct weighted_list all, named, others; /* digits, those of negative weight counted from their
                                                other end: those that name an element, and others */
    bool is_listed; /* some index has an element at several iterations */
    const struct tiled_nest *nest;
    int64_t row, weight[TILED_DIGITS]; /* R where all digits are 0; for one of each */
};

struct windows_counts {
    int64_t elements, total, fills, largest; /* of the tensor; in all windows together; that enter;
                                                in the largest window */
};

/* Count an access whose indices add loops up; NULL, or why not. */
const struct sator_decline *windows_list(const struct windows *w, struct windows_counts *counts);

#endif
