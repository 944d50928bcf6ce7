/* What the instances of the nest hold, pair by pair, and where each pair comes from: the parts of
 * timing_moves.c. */
#ifndef SATOR_MODEL_TIMING_FOLLOW_H
#define SATOR_MODEL_TIMING_FOLLOW_H

#include "model/timing/timing.h"

struct follower {
    struct timing *timing;
    struct sator_arena *arena;
    const struct timing_list *list;
    const struct timing_stamps *stamps;
    int access;
};

/* ---- timing_stays.c: pairs of an instance and an element ---- */

/* The pairs that the instances of one prefix hold, in the order of stamps, instances, elements: a
 * key is (stamp x instances + instance) x elements + element. */
struct stays {
    int level; /* of the stamps; -1: one stamp, the whole run */
    int64_t n_instances, n_elements;
    int64_t n, n_stamps;
    uint64_t *key;
    int64_t *first; /* of each stamp, and the end */
    bool *fresh; /* the pair starts from zero, and nobody inside has taken it up since */
};

/* The pairs at a prefix, each as often as an instance of the nest makes it; false: their keys do
 * not fit into 63 bits. */
bool stays_list(const struct follower *f, int level, int n_space, struct stays *stays);
/* The same, each once, with room for "fresh". */
bool stays_make(const struct follower *f, int level, int n_space, struct stays *stays);
/* Set "first". */
void stays_index(const struct follower *f, struct stays *stays);
/* The pair, or -1. */
int64_t stays_find(const struct stays *stays, int64_t stamp, int64_t instance, int64_t element);
/* The stamp of "outside" that stamp "x" of "stays" is part of. */
int64_t stays_outer(const struct follower *f, const struct stays *stays,
        const struct stays *outside, int64_t x);
/* Add what idle instances keep of the stamp before, of sums while "outside" (or NULL) has them too:
 * an instance that runs something has its own pairs alone. False: these are too many. */
bool stays_keep_idle(
        const struct follower *f, int n_space, const struct stays *outside, struct stays *stays);
/* Sort "n" keys. */
void stays_sort(const struct follower *f, int64_t n, uint64_t *key);

static inline int64_t stays_stamp(const struct stays *stays, int64_t e)
{
    return (int64_t)(stays->key[e] / (uint64_t)stays->n_elements) / stays->n_instances;
}

static inline int64_t stays_instance(const struct stays *stays, int64_t e)
{
    return (int64_t)(stays->key[e] / (uint64_t)stays->n_elements) % stays->n_instances;
}

static inline int64_t stays_element(const struct stays *stays, int64_t e)
{
    return (int64_t)(stays->key[e] % (uint64_t)stays->n_elements);
}

/* ---- timing_origins.c: where pairs come from ---- */

/* How a pair comes to be held. */
enum way {
    WAY_HELD, /* in the stamp before */
    WAY_LINK, /* by a provider, earlier or in the same stamp */
    WAY_MERGED, /* another pair's word, over a bus or tree */
    WAY_SENT /* a word of the holder outside */
};

/* The words that a pair stands for in a transfer to or from instances of "n_space" dimensions. */
static inline int64_t stays_words(const struct follower *f, const struct timing_transfer *transfer,
        int n_space, const struct stays *stays, int64_t e)
{
    return f->list == NULL ? 1
                           : timing_element_times(f->list, transfer->n_time, n_space, f->access,
                                     stays_element(stays, e));
}

/* From each instance to others: of a link its providers, of a bus the bus itself. */
struct wiring {
    int64_t *first; /* of each instance, and the end */
    int64_t *to;
    int64_t per_bus; /* of a bus's number: what lies deeper inside than the array shares it */
};

/* Where the words of a transfer go over limited wires: of links in the stamp that they bring them
 * to, of buses in the stamp that takes them up, of trees in that in which sums leave. */
struct crossing {
    const struct follower *f;
    const struct timing_transfer *transfer;
    const int64_t *shape;
    struct timing_moves *wires; /* NULL: no wire is limited */
};

struct origins {
    enum way *way;
    int *link; /* that brings it */
    int64_t *from; /* the pair that it is, or is a copy of */
    struct wiring *links, *buses;
};

/* A pair that is left for the buses. */
struct left {
    int64_t bus, element, pair;
};

/* Of all pairs; "outside" is what the holder has of sums, or NULL. False: a wire cannot be
 * followed.
 */
bool origins_make(const struct follower *f, const struct crossing *crossing,
        const struct stays *outside, const struct stays *stays, struct origins *origins);
/* So many words pass bus number "bus" of family "b". */
void crossing_add_bus(const struct crossing *crossing, const struct origins *origins, int b,
        int64_t stamp, int64_t bus, int64_t words);
/* By bus, element, pair; for qsort. */
int left_compare(const void *a, const void *b);

#endif
