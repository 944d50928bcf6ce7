/* Temporal and spatial reuse of one data assignment. Private to the general engine. */
#ifndef SATOR_COUNT_GENERAL_REUSE_H
#define SATOR_COUNT_GENERAL_REUSE_H

#include "count/general/served.h"
#include "count/general/stamps.h"

/* The pairs ((p,t),f) that one source serves, each inside a piece of the assignment. */
struct sator_way {
    int link; /* its number, or SATOR_WAY_REGISTER */
    struct sator_served served;
};

enum {
    SATOR_WAY_REGISTER = -1
};

/* The registers', then the links' in their order. All zero: none. */
struct sator_ways {
    int n;
    struct sator_way *list;
};

/* What registers and links serve of "pieces", those of "assignment", { [p, t, f] } (GIVE:
 * sator_ways_clear). */
enum sator_status sator_ways_find(struct sator_stamps *stamps, SATOR_KEEP isl_set *assignment,
        const struct sator_pieces *pieces, const struct sator_transport *transport,
        struct sator_ways *ways);
void sator_ways_clear(struct sator_ways *ways);

/* Add what each way serves and none before it does to "*temporal" or to by_link. */
enum sator_status sator_ways_credit(struct sator_stamps *stamps, const struct sator_ways *ways,
        int n_leading, sator_int *temporal, sator_int *by_link);

/* Of the pairs [q, t', f] of "assignment", those that a link of "interval" may bring (GIVE): what
 * sator_transport.held_time asks for holds from t' to the stamp "interval" after it. */
enum sator_status sator_reuse_kept(struct sator_stamps *stamps, SATOR_KEEP isl_set *assignment,
        const struct sator_transport *transport, int interval, SATOR_GIVE isl_set **kept);

/* Pairs that each bus saves, of those of "pieces" which "ways" do not serve; into by_bus[n_buses].
 */
enum sator_status sator_bus_count(struct sator_stamps *stamps, SATOR_KEEP isl_set *assignment,
        const struct sator_pieces *pieces, const struct sator_ways *ways,
        const struct sator_transport *transport, sator_int *by_bus);

#endif
