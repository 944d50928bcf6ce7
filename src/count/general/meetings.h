/* Where a pair of one set and a pair of another have an element in common, whatever PEs they are
 * at: what a link serves is the part of these meetings where it joins the PEs.
 */
#ifndef SATOR_COUNT_GENERAL_MEETINGS_H
#define SATOR_COUNT_GENERAL_MEETINGS_H

#include "count/general/served.h"
#include "count/general/stamps.h"

/* ((p,t),f) of the piece "home" and ((q,t'),f) of a piece of another set, t' = prev^k(t): a system
 * over p, t, f, then q, then what these determine. */
struct sator_meeting {
    int home;
    struct sator_system *system;
    struct sator_range *apart; /* bounds of p - q, one a dimension of space */
};

/* All zero: none. */
struct sator_meetings {
    int n, n_space, n_leading; /* dimensions of p, and of (p,t,f) */
    struct sator_meeting *list;
};

/* All meetings of "here" with what "held" has "interval" stamps before, of sets of "n_leading"
 * dimensions (GIVE: sator_meetings_clear). */
enum sator_status sator_meetings_find(struct sator_stamps *stamps, int n_leading,
        const struct sator_pieces *here, int interval, const struct sator_pieces *held,
        struct sator_meetings *meetings);
void sator_meetings_clear(struct sator_meetings *meetings);

/* The pairs of "here" whose provider is at the other end of "link", a system over (q, p) and what
 * these determine, which determines q by p (GIVE: sator_served_clear). */
enum sator_status sator_meetings_served(struct sator_stamps *stamps,
        const struct sator_meetings *meetings, const struct sator_system *link,
        struct sator_served *served);

#endif
