/* What is asked of the counting engines, and what they answer.
 *
 * A stamping is a domain with the leading dimensions of its space and time maps: all of them for
 * the dataflow itself, fewer for a memory level (doc/model.md, section 4).
 */
#ifndef SATOR_COUNT_QUESTION_H
#define SATOR_COUNT_QUESTION_H

#include "relation/relation.h"
#include "sator/analyze.h"

struct sator_stamping {
    const struct sator_relation *domain; /* { S[n] } */
    const struct sator_relation *space; /* { S[n] -> PE[p] } */
    const struct sator_relation *time; /* { S[n] -> T[t] } */
    int n_space, n_time; /* leading dimensions in use */
    const int64_t *shape; /* extents of the array's first n_space dimensions */
};

struct sator_stamp_counts {
    sator_int instances; /* card(D_S) */
    sator_int stamps; /* distinct (p, t) */
    sator_int time_stamps; /* distinct t */
    sator_int active_pes; /* distinct p */
    sator_int max_active_pes; /* most p in one t */
};

/* A way to a pair ((p,t), f) other than the scratchpad. */
struct sator_network_link {
    const struct sator_relation *map; /* { PE[q] -> PE[p] }, provider to consumer, over n_space
                                         dimensions; links out of the array count for nothing */
    int interval; /* occupied time-stamps back; 0: the same */
    const struct sator_prepared_link *prepared; /* sator_count_prepare, or NULL */
};

/* A memory outside, by the leading dimensions that select what an instance of it holds. */
struct sator_outside {
    int space, time;
    bool holds_idle; /* as sator_transport */
};

/* Everything that may serve one tensor in one role, in the order in which it is credited. */
struct sator_transport {
    bool registers; /* temporal reuse counts: a PE keeps what it held at prev(t) */
    int n_links;
    const struct sator_network_link *links;
    int n_buses; /* { PE[p] -> BUS[b] }: multicast for reads, reduction for writes */
    const struct sator_relation *const *buses;
    sator_int footprint; /* of the tensor, when it is known (sator_count_footprint); else 0 */
    /* A link of interval 2 or more serves a pair ((p,t), f) only if what the leading dimensions of
     * p and t select, these many, has f in all stamps back to the provider's: where held_time > 0.
     */
    int held_space, held_time;
    /* Contents stay while a PE idles: what it "has" at a stamp is what it held at its last active
     * stamp up to there, to registers and links. */
    bool holds_idle;
    /* Of sums: the memories outside, innermost first. A PE that idles, or a link, has f only while
     * all of these have it. Those whose prefix of time is empty are not listed. */
    int n_outside;
    const struct sator_outside *outside;
};

/* Whether what somebody holds while idle matters to "transport". */
static inline bool sator_transport_idles(const struct sator_transport *transport)
{
    bool idles = transport->holds_idle;

    for (int i = 0; i < transport->n_outside; i++)
        idles = idles || transport->outside[i].holds_idle;
    return idles;
}

struct sator_volumes {
    sator_int access; /* card(A_{S,F}) */
    sator_int total; /* card(A_{D,F}) */
    sator_int temporal;
    sator_int spatial; /* the sum of by_link and by_bus */
    sator_int unique;
    sator_int footprint;
    sator_int *by_link; /* caller's arrays of n_links and n_buses, or NULL; not filled when NULL */
    sator_int *by_bus;
};

#endif
