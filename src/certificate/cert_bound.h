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
/* What the words of parts with the same parallel factors cost. */
struct cert_prices {
    double cycles; /* that compute takes at least */
    struct cert_weights energy; /* but leakage */
    struct cert_weights lane[CERT_LANES]; /* cycles */
};
/* The sums are exact ("exactly", all factors decided), or no more than they are for words that are
 * no more than they are. */
void cert_prices_init(const struct cert_problem *p, const struct cert_part *part, bool exactly,
        struct cert_prices *prices);
/* The objective of energy but leakage, and cycles. */
double cert_value_of(const struct cert_problem *p, double pj, double cycles);
/* The value of a bound: "least" gives the least of a weighted sum, of which "data" knows the rest.
 */
typedef double cert_least(void *data, const struct cert_weights *w);
double cert_least_value(const struct cert_problem *p, const struct cert_prices *prices,
        cert_least *least, void *data, double goal);

/* ---- bounds of parts one after the other ---- */
struct cert_view; /* of a part, which may change */
/* In "arena"; "part" is the caller's. */
struct cert_view *cert_view_new(
        struct sator_arena *arena, const struct cert_problem *p, const struct cert_part *part);
/* After each change of the part's parallel factors. */
void cert_view_unroll(struct cert_view *v);
/* cert_bound of the part as it is. */
double cert_view_bound(struct cert_view *v, double goal);
/* cert_bound_orders at the prices "exact" of the part's parallel factors. */
double cert_bound_leaf(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_prices *exact, double goal);

#endif
