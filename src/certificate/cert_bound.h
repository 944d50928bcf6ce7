/* What the bounds of a part share. */
#ifndef SATOR_CERTIFICATE_CERT_BOUND_H
#define SATOR_CERTIFICATE_CERT_BOUND_H

#include "certificate/certificate.h"

/* A sum over the words of all moves: energy, or the time of a lane. */
struct cert_weights {
    double constant, unique[CERT_MOVES], arriving[CERT_MOVES];
};

/* The product of the factors of a loop at "rows". */
int64_t cert_spread(
        const struct cert_problem *p, const struct cert_part *part, unsigned rows, int loop);
/* Extents of what lies in rows "row" and inside, as far as it is decided. */
void cert_inside(
        const struct cert_problem *p, const struct cert_part *part, int row, int64_t *extent);
/* The PEs of rows outside "row" that are used: at most, where some factors are not decided. */
double cert_used(const struct cert_problem *p, const struct cert_part *part, int row);
/* Energy but leakage: exact ("exactly", all factors decided), or no more than it is for words that
 * are no more than they are. */
void cert_energy_weights(const struct cert_problem *p, const struct cert_part *part, bool exactly,
        struct cert_weights *w);
/* Cycles of a lane, as above. */
void cert_lane_weights(const struct cert_problem *p, const struct cert_part *part, int lane,
        struct cert_weights *w);
/* The objective of energy but leakage, and cycles. */
double cert_value_of(const struct cert_problem *p, double pj, double cycles);
/* The value of a bound: "least" gives the least of a weighted sum, of which "data" knows the rest.
 */
typedef double cert_least(void *data, const struct cert_weights *w);
double cert_least_value(const struct cert_problem *p, const struct cert_part *part, bool exactly,
        cert_least *least, void *data, double goal);

#endif
