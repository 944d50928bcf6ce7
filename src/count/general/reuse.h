/* Temporal and spatial reuse of one data assignment. Private to the general engine. */
#ifndef SATOR_COUNT_GENERAL_REUSE_H
#define SATOR_COUNT_GENERAL_REUSE_H

#include "count/general/served.h"
#include "count/general/stamps.h"

/* Of the pairs [q, t', f] of "assignment", those that a link of "interval" may bring (GIVE): what
 * sator_transport.held_time asks for holds from t' to the stamp "interval" after it. */
enum sator_status sator_reuse_kept(struct sator_stamps *stamps, SATOR_KEEP isl_set *assignment,
        const struct sator_transport *transport, int interval, SATOR_GIVE isl_set **kept);

/* Pairs ((p,t),f) that registers serve, and that each link serves and nothing before it does; into
 * "*temporal" and by_link[n_links]. "assignment" is { [p, t, f] }. */
enum sator_status sator_reuse_count(struct sator_stamps *stamps, SATOR_KEEP isl_set *assignment,
        const struct sator_pieces *pieces, const struct sator_transport *transport,
        sator_int *temporal, sator_int *by_link);

/* Pairs that each bus saves, of those which registers and links do not serve; into by_bus[n_buses].
 */
enum sator_status sator_bus_count(struct sator_stamps *stamps, SATOR_KEEP isl_set *assignment,
        const struct sator_transport *transport, sator_int *by_bus);

#endif
