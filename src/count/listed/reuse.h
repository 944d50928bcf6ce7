/* Reuse between the listed parts of one tensor's pairs ((p, t), f).
 *
 * Pairs are tuples of the parts' pairs, and so is what a source of values has. A stamp and the one
 * before it differ in a known way at each row of time: part by part, some pairs of stamps. So each
 * part tallies, by the set of sources that have them, the pairs of its stamps; a pair of all parts
 * has the sources that all of its parts have.
 */
#ifndef SATOR_COUNT_LISTED_REUSE_H
#define SATOR_COUNT_LISTED_REUSE_H

#include "count/count.h"
#include "count/listed/lists.h"

enum {
    LISTED_SOURCES = 10, /* most places that a value may come from */
    LISTED_BUS_SOURCES = 6, /* with buses */
    LISTED_BUSES = 4
};

/* PE q provides to PE p, in the same stamp or in the one before. */
struct listed_source {
    int credit; /* 0: the own register; 1 + link */
    bool before;
    const int32_t *provider[LISTED_LOOPS]; /* of each part's PEs: a PE of that part, -1: none */
};

struct listed_reuse {
    struct sator_ctx *ctx;
    const struct listed_plan *plan;
    const struct listed_list *list; /* one a part */
    int n_sources; /* in the order in which they are credited */
    struct listed_source source[LISTED_SOURCES];
    int n_buses;
    const uint32_t *bus[LISTED_BUSES][LISTED_LOOPS]; /* of each part's PEs: the part's bus */
};

/* Add the pairs that each source is credited with to "credit", and what the buses save to "by_bus"
 * (n_buses numbers). SATOR_DECLINED with "*reason"; or the status of sator_work. */
enum sator_status listed_reuse_count(const struct listed_reuse *reuse, sator_int total,
        sator_int *credit, sator_int *by_bus, const struct sator_decline **reason);

#endif
