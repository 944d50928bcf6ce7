/* What the bounds of a part share. */
#ifndef SATOR_CERTIFICATE_CERT_BOUND_H
#define SATOR_CERTIFICATE_CERT_BOUND_H

#include "certificate/certificate.h"

struct sator_memo;

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
/* The iterations of the loop that its factors make up: more than there are, where the last tile of
 * the innermost memory is shorter than the others; those that there are, where that is not decided.
 */
int64_t cert_extent(const struct cert_problem *p, const struct cert_part *part, int loop);
/* What the last tiles of the innermost memory, where they are shorter than the others, leave of a
 * move's words: exactly, of a tensor without windows, else at least. */
double cert_share(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);
/* Whether some tile of the innermost memory makes a number of tiles that "factor" divides. */
bool cert_divides(const struct cert_problem *p, int loop, int64_t factor);
/* The PEs of rows outside "row" that are used: at most, where some factors are not decided. */
double cert_used(const struct cert_problem *p, const struct cert_part *part, int row);
/* ---- cert_links.c ---- */
/* For how many PEs that differ in the lowest values of "loop"'s digit on row "row" alone a word of
 * the move is taken to cross once, 1: each fetches its own; "is_counted": one without a formula. */
int64_t cert_shared(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool is_counted, int row, int loop);
/* The product of the factors of a loop on those rows between the move's ends along which its words
 * are shared, or ("shared" false) are not. */
int64_t cert_along(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool is_counted, int loop, bool shared);
/* ---- cert_buses.c: buses that each have a part of a row ---- */
/* How many of the values of a loop's digit one bus has, order and all: false where they are not
 * decided, or buses end in the middle of digits. By loop; others have 1. */
bool cert_is_aligned(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, int64_t *values);
/* How many times more words cross than over "cert_shared" PEs, since these are on several buses:
 * at least; exactly, where orders are known and the tensor has no window. */
double cert_buses(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);
/* Whether "cert_shared" and "cert_buses" say exactly what crosses. */
bool cert_knows_buses(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);
/* How many PEs with equal words of a tensor without windows one bus or tree has: on average, or,
 * where that is not known ("*is_known"), at most. */
double cert_equal(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, bool *is_known);
/* Of the PEs along row "row" that may be decided yet, at most "more" for loops that do not stand
 * alone, how many buses are one at most. */
double cert_may_join(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, int row, double more);
/* Whether the order of loops along the row brings the same words of each move as an earlier one of
 * this row did: then nothing new is known of it. "seen" is empty before the first. */
bool cert_is_known_order(const struct cert_problem *p, const struct cert_part *part, int row,
        struct sator_memo *seen);
/* ---- cert_links.c ---- */
/* Put the loops of row "row" in the order of the workload, the outermost first; how many there are.
 */
int cert_list_along(const struct cert_problem *p, struct cert_part *part, int row);
/* Whether it matters in which order loops stand on the row. */
bool cert_order_matters(const struct cert_problem *p, int row);
/* The order that the part has along row "row" is known from now on. False where coordinates are of
 * too many kinds: then it is not. */
bool cert_order_row(const struct cert_problem *p, struct cert_part *part, int row);
/* PEs that have the same sources, each with a tile that lies "at" (by dimension of the tensor) from
 * the PE's own. */
struct cert_places {
    int n;
    struct cert_place {
        double pes;
        int n;
        struct cert_source {
            const struct cert_link *link;
            int64_t at[CERT_DIMS];
        } source[CERT_LINKS];
    } * place;
};
/* The places of a directed move, all rows of whose links are ordered, in "arena". */
void cert_places_init(struct sator_arena *arena, const struct cert_problem *p,
        const struct cert_part *part, const struct cert_move *move, struct cert_places *places);
/* A tile, by dimension of its tensor. */
struct cert_tile {
    int n_dims;
    int n_runs[CERT_DIMS];
    const struct cert_run *run[CERT_DIMS];
    bool has_gaps; /* the rest is set by cert_tile_init */
    int64_t step[CERT_DIMS], length[CERT_DIMS]; /* without gaps */
    double words;
};
void cert_tile_init(struct cert_tile *tile);
/* The words that cross to all places, at least, and exactly where runs have no gaps: in a stamp
 * before which the tile lay lower by "moved", or (NULL) before which nobody held anything. */
double cert_fresh(
        const struct cert_places *places, const struct cert_tile *tile, const int64_t *moved);

/* ---- cert_skew.c ---- */
/* The stamps of all PEs together, at least: exactly, where all factors are decided. */
double cert_stamps(const struct cert_problem *p, const struct cert_part *part);
/* The cycles that these take at least, with what the PEs' own memories serve. */
double cert_computing(const struct cert_problem *p, const struct cert_part *part);
/* These, and by the scheduled time what is exposed beside them. */
double cert_cycles(const struct cert_problem *p, const struct cert_part *part);
/* The first row whose loops keep anything in what stands at row "child_row": those outside end runs
 * of a skewed array, after which PEs hold nothing. */
int cert_cold_row(const struct cert_problem *p, const struct cert_part *part, int child_row);

/* ---- cert_phases.c ---- */
/* The cycles of an instance beside what its PE's own memories serve: sums that begin are not read.
 */
double cert_served(const struct cert_problem *p, bool sums_begin);
/* The cycles in which words move that nothing runs beside, by the scheduled time: at least. */
double cert_exposed(const struct cert_problem *p, const struct cert_part *part);

/* ---- cert_counted.c ---- */
/* How many stamps apart, by its own time, a PE may have had at most what it gets from others over
 * the links and buses of a move whose words have no formula; INT64_MAX: any number. */
int64_t cert_reach(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);
/* Rows along which PEs get words from others that have them at the same own time or later: along
 * other rows of those that differ in a loop which does not index the tensor each fetches its own.
 */
unsigned cert_level_rows(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);
/* cert_cold_row for what others bring of such a move's words. */
int cert_counted_cold_row(
        const struct cert_problem *p, const struct cert_part *part, const struct cert_move *move);
/* Loops at a memory above 1, the outermost first. */
struct cert_order {
    int n, loop[CERT_LOOPS];
};
/* What a move brings. */
struct cert_words {
    double unique, arriving, merged; /* by trees */
    double wire_pj; /* of all that links and buses spare */
};
/* Count it stamp by stamp, element by element, all factors and orders along arrays being decided,
 * "order" by memory. False where that is too long, or depends on what is not known here. */
bool cert_count_words(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_move *move, const struct cert_order *order, struct cert_words *words);

/* ---- cert_weights.c ---- */
/* What the words of parts with the same parallel factors cost. */
struct cert_prices {
    double cycles; /* that compute takes at least */
    struct cert_weights energy; /* but leakage */
    int n_times;
    struct cert_weights time[CERT_TIMES]; /* cycles: of each lane, and what is serial there beside
                                             compute */
};
/* The sums are exact ("exactly", all factors decided), or no more than they are for words that are
 * no more than they are. */
void cert_prices_init(const struct cert_problem *p, const struct cert_part *part, bool exactly,
        struct cert_prices *prices);
/* The energy but leakage of what all moves bring. */
double cert_energy(const struct cert_problem *p, const struct cert_words *words);
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
/* The view's part, all that the view knows of it being up to date; the prices then. */
const struct cert_part *cert_view_now(struct cert_view *v);
const struct cert_prices *cert_view_prices(const struct cert_view *v);
/* What the words cost at least that do not go to what stands behind one of rows "first" to
 * "last" - 1, of a view that is up to date. */
double cert_view_rest(struct cert_view *v, int first, int last, const struct cert_weights *weights);
/* The same as cert_view_bound where the tiles of several memories in a row are decided: of all
 * orders there, each for all moves at once. 0 where they are not, or where all are. */
double cert_bound_decided(const struct cert_problem *p, struct cert_view *view, double goal);
/* cert_bound_orders at the prices "exact" of the part's parallel factors. */
double cert_bound_leaf(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_prices *exact, double goal);

#endif
