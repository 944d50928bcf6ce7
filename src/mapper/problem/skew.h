/* Skewed arrays: what differs from a mapping whose PEs run at the same time (doc/mapper.md,
 * "Skew").
 */
#ifndef SATOR_MAPPER_SKEW_H
#define SATOR_MAPPER_SKEW_H

#include "mapper/problem/mapping.h"

/* How much later the PEs of each row run with each step along it; 0 for rows of memories. */
struct mapper_skew {
    int64_t step[MAPPER_ROWS];
    bool across; /* the loops of all memories outside the array are one row, so that these hold
                    windows of it (windows.c) */
    bool counted; /* what links bring late, or without a formula, is in the costs and bounds */
    bool ends_short; /* factors need not divide (skew_short.c) */
    /* One of these, it is not known which: "step" is 1 along rows that some of them skew. */
    int n_any;
    const struct mapper_skew *const *any;
};

/* Skews to be searched, 65 at most; the first is none. What is not, a phrase each for users. */
struct mapper_skews {
    int n;
    struct mapper_skew *skew;
    int n_left_out;
    const char **left_out;
    int n_counted; /* the same, but for problems whose skews are "counted" */
    const char **counted;
};

/* The skews of "problem", which has none, that turn some link along each row that is skewed into a
 * wire or one from the stamp before, or are what a constraint says; in its arena. Only none where
 * accesses have no formula, an order must be kept, or for the reason "none_for"
 * (NULL: there is none); a message where a constraint asks for more. */
enum sator_status sator_mapper_find_skews(struct sator_ctx *ctx,
        const struct mapper_problem *problem, const char *none_for, struct mapper_skews *skews);
/* Whether one of them has the steps of "skew" along the rows of "used". */
bool sator_mapper_lists_skew(
        const struct mapper_problem *problem, const struct mapper_skew *skew, unsigned used);
/* Add what the space of "problem", which has one of the skews, does not have, or where "timed" what
 * is not looked at by the scheduled time. Whether some of it is in that of the problem whose skew
 * is "counted". */
bool sator_mapper_skew_left_out(
        const struct mapper_problem *problem, bool timed, struct mapper_skews *skews);
/* Whether a constraint asks for a skew. */
bool sator_mapper_wants_skew(const struct mapper_problem *problem);
/* Leave a problem without a skew those mappings that have one that constraints ask for: what uses
 * one PE along a dimension shifts nothing there. They may be in no other space that is searched to
 * the end, as skews with words that have no formula are left out, and remainders under skews. */
void sator_mapper_close_wanted(struct mapper_problem *problem);
/* Whether all rows that the problem's mappings use have the skew that constraints ask for. */
bool sator_mapper_has_skew(const struct mapper_problem *problem);
/* "PE 1 1": the arrays whose PEs run at shifted times in a mapping, and their coefficients; NULL
 * where there are none. */
const char *sator_mapper_skew_text(const struct mapper_problem *problem, struct sator_arena *arena,
        const struct mapper_mapping *mapping);
/* Whether PEs of the array that row "row" belongs to, or of one that shares its row of time, run at
 * shifted times. */
bool sator_mapper_is_skewed_row(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int row);
/* After the constraints: leave out loops at memories inside a skewed array that some transfer
 * passes by. False when the problem, which has a skew, has no mapping then, or has no formula. */
bool sator_mapper_close_skew(struct mapper_problem *problem);

/* Whether it has one under which words are counted; one under which factors need not divide. */
bool sator_mapper_counts_skew(const struct mapper_problem *problem);
bool sator_mapper_ends_short(const struct mapper_problem *problem);

/* The rows along which "skew" (or NULL) has PEs run apart. */
unsigned sator_mapper_skewed_rows(const struct mapper_skew *skew);
/* By how many stamps less a link that leads "shift" far, by row, is late under "skew" (or NULL). */
int64_t sator_mapper_skew_along(const struct mapper_skew *skew, const int64_t *shift);
/* How much later the last PE in use of the arrays directly inside memory "m" runs than the first;
 * at least, where it is not known which skew of several these have. */
int64_t sator_mapper_span(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int m);
/* Whether some value of a row that PEs run apart is nobody's: a PE then begins after another one
 * has ended, and prev(t) skips what is between. No mapping of the space has that. */
bool sator_mapper_has_gaps(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* The time-stamps of a mapping whose parallel factors, and those of the memories from "first"
 * inward, are known: at least so many; with "first" 0, and the orders of its loops, exactly. */
int64_t sator_mapper_skewed_stamps(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int first);
int64_t sator_mapper_ordered_stamps(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* The outermost memory whose loops are joined with those of memory "m" into one row. */
int sator_mapper_joined_from(const struct mapper_problem *problem, int m);
/* The memory whose row of time the loops of memory "m" are part of, "m" or one inside it; -1 where
 * each of them is a row of its own. */
int sator_mapper_row_memory(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int m);
/* The first row whose loops keep anything in the child of "transfer": that of the memory outside
 * the innermost array before it whose PEs run apart; 0 when there is none. Where idle children keep
 * what they have, that of the memories outside for sums, and 0 for what is read. */
int sator_mapper_cold_row(const struct mapper_problem *problem, const struct mapper_shape *shape,
        const struct mapper_transfer *transfer);

/* ---- skew_short.c: factors that do not divide ---- */
/* The memory whose row takes all of loop "loop" that its PEs leave to time, where they do not
 * divide its extent; -1: the space has no such mapping. By the parallel factors. */
int sator_mapper_short_row(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop);
/* By how many stamps a run of memory "m"'s row is shorter than it would be, were its last tiles not
 * cut short: at most, with "by_order" as the loops of the memory are ordered. */
int64_t sator_mapper_ends_early(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int m, bool by_order);
/* Whether that depends on the order. */
bool sator_mapper_ends_by_order(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);
/* Whether no PE of a mapping of the space runs from the first stamp of a run to its last, where
 * there are several. */
bool sator_mapper_runs_apart(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping);

/* ---- windows.c ---- */
/* Whether the loops of the memories outside a skewed array may be joined: one memory, outside all
 * arrays, is directly outside of all that is skewed, and another one outside of it. */
bool sator_mapper_may_join_across(const struct mapper_problem *problem);
/* Whether windows are counted element by element, some tensor being one that slides. */
bool sator_mapper_lists_windows(const struct mapper_problem *problem);
/* Whether memory "m" holds windows in the mapping. */
bool sator_mapper_holds_windows(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int m);
/* The words of an access's largest window at memory "m", where it holds windows, else of its
 * largest tile; INT64_MAX where the engines cannot count them. */
int64_t sator_mapper_held_words(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int m, int access);
/* Whether a legal mapping is one of the space of a problem whose loops are joined across memories:
 * the windows fit, and bring what tiles would. Always true of other problems. */
bool sator_mapper_windows_fit(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping);

/* The rows of memories inside a skewed array that a transfer into something further in passes by:
 * loops there would stand between it and the row that is skewed, and words may come from long
 * before. */
unsigned sator_mapper_passed_rows(
        const struct mapper_problem *problem, const struct mapper_transfer *transfer);

/* ---- wiring.c ---- */
/* The rows of the array at "level". */
unsigned sator_mapper_array_rows(const struct mapper_problem *problem, int level);
/* How far "link" of the array at "level" leads along each row; false when that is not the same from
 * everywhere. */
bool sator_mapper_link_shift(const struct mapper_problem *problem, int level,
        const struct sator_link *link, int64_t *shift);
/* The rows of the array at "level" over which "bus" spreads one word: the dimensions that its map
 * drops. False when the map is more than a choice of dimensions. */
bool sator_mapper_bus_rows(const struct mapper_problem *problem, int level,
        const struct sator_bus *bus, unsigned *rows);

#endif
