/* Multicast buses and reduction trees: pairs that share (bus, stamp, element) are one fetch.
 *
 * What a bus leaves to fetch is the image of (bus; t; f), minus the points all of whose pairs some
 * source serves. The pairs of a point form its fibre: PEs on one bus, at one stamp, with one
 * element. Later buses group the representatives, the smallest PE of each fibre (doc/counting.md,
 * "Buses").
 */
#ifndef SATOR_COUNT_CLOSED_BUSES_H
#define SATOR_COUNT_CLOSED_BUSES_H

#include "count/closed/closed.h"

struct closed_bus {
    bool shares; /* some fibre has several pairs */
    int n_rows; /* of the bus itself, the first of the image's */
    uint32_t dropped,
            merged; /* digits that a fibre runs over: in no row, or in a sum with others */
    const struct closed_image *from; /* whose points are grouped */
    struct closed_copies copies; /* of the image, when loops had to be unrolled */
    uint32_t copy_loops; /* unrolled loops, and those in which copies overlap */
    struct closed_image image; /* of (bus; t; f) */
    struct closed_image reduced; /* of (representative PE; t; f): the next bus's "from" */
};

struct closed_buses {
    int n;
    struct closed_bus bus[CLOSED_BUSES];
    struct closed_sources sources[2]; /* mapped to the image of one bus, and of the one before */
    sator_int credit[CLOSED_BUSES];
};

/* The image of ("first"; t; f), "n" forms first. */
const char *closed_buses_image(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, int n, const struct closed_form *first,
        struct closed_image *image);

/* Prepare the buses of "request" over "image" of (p; t; f), whose lists are in the state's pool. */
const char *closed_buses_make(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, const struct closed_image *image,
        struct closed_buses *buses);

/* Credit the buses in one case ("when" NULL: all stamps) in which "sources" serve all but "left"
 * pairs. */
const char *closed_buses_credit(struct closed_state *state, const struct closed_system *system,
        const struct closed_case *when, const struct closed_sources *sources, sator_int left,
        struct closed_buses *buses);

#endif
