/* A dataflow as a nest of digits (doc/model.md, section 7): each loop's value is a sum of digits in
 * mixed radix, of which some are the time-stamp, in order, some the space-stamp, and the rest runs
 * within a stamp. A row of time may be skewed: a running number, which joins digits in mixed radix,
 * plus multiples of space digits. Rows inside it count as the finest digits of it, so that its
 * stamps are numbered by both; where a memory is cut between them, as digits inside a stamp. */
#ifndef SATOR_MODEL_TIMING_NEST_H
#define SATOR_MODEL_TIMING_NEST_H

#include "model/timing/timing.h"

enum {
    NEST_DIGITS = 48,
    NEST_WINDOWS = 8,
    NEST_INTERVAL = 8 /* of links, at most */
};

struct nest_digit {
    int loop;
    int64_t stride, modulus; /* floor(loop / stride) % modulus; modulus 0: none */
    int64_t extent;
    bool is_space;
    int64_t skew; /* of a space digit, its factor in the skewed row */
    int64_t run; /* of a digit of that row that is none of space, its factor there */
    int order; /* its position in the time-stamp; -1: it is no time digit */
    bool is_inner; /* it runs inside each value of the skewed row */
};

struct nest {
    struct timing *timing;
    int n_loops;
    int64_t *size; /* of each loop, which counts from 0 here */
    struct nest_loop { /* its digits, coarsest first */
        int n;
        int digits[NEST_DIGITS];
        bool is_whole; /* all of their values are there, whatever the others are */
    } * loops;
    int n_digits;
    struct nest_digit digits[NEST_DIGITS];
    int n_order;
    int order[NEST_DIGITS]; /* the digits of time, outermost first */
    int row[NEST_DIGITS]; /* of time, that each is in */
    int *fixed; /* digits of time in the first rows, by how many rows */
    int64_t most; /* instances of a PE in every stamp; 0: not in each as many */
    int uneven; /* the loop that some PEs run more of in a stamp of the skewed row; -1: none */
    bool is_skewed; /* a row has space digits: */
    int skewed_row; /* this one */
    int full_length; /* of the prefixes that its values number, with rows inside it or not */
    bool is_row_whole; /* its values are the same under all prefixes */
    int n_runs; /* digits of that row that are none of space: they make its running number, */
    int runs[NEST_DIGITS]; /* coarsest first */
    int64_t *space_factor; /* of each dimension and digit: [dim * NEST_DIGITS + digit] */
    int64_t *space_constant;
    struct nest_access {
        int n_pieces;
        int64_t *factor; /* of each piece and loop */
        int64_t *constant; /* of each piece */
        int64_t range; /* element numbers are below it */
        bool *uses; /* loops */
    } * accesses;
    struct parts **parts; /* of each transfer, once they are known (timing_parts.c) */
    struct boxes **boxes; /* the same (timing_boxes.c) */
    struct known_starts *
            *starts; /* of each, in the stamp that was asked for last (timing_starts.c) */
    int reach; /* stamps on either side that a summand may depend on */
    const struct known_sum *sums; /* of rows that are known (timing_rows.c) */
    /* rows before the skewed one, floor((its value + lead) / unit), at which memories are cut:
     * outermost first, so that each window is made of whole ones of the next */
    int n_windows;
    struct nest_window {
        int length; /* of the prefixes that end there */
        int64_t unit, lead;
    } windows[NEST_WINDOWS];
};

/* The values of the time digits that a prefix fixes, and of the skewed row; no window of it. */
struct nest_stamp {
    int64_t v[NEST_DIGITS];
    int64_t skewed; /* of full stamps of a skewed nest */
};

/* What one more of the digit adds to the skewed row. */
static inline int64_t nest_row_factor(const struct nest_digit *digit)
{
    return digit->run != 0 ? digit->run : digit->skew;
}

/* The digit that "term" is, without its factor, or the loop itself ("*is_plain"); false: it has
 * another form. */
bool nest_read_term(const struct sator_workload *w, const struct sator_term *term,
        struct nest_digit *digit, bool *is_plain);

/* Whether the digit tells PEs apart along one of the dimensions "first" to "end" - 1. */
static inline bool nest_is_along(const struct nest *nest, int digit, int first, int end)
{
    bool is = false;

    for (int d = first; d < end && !is; d++)
        is = nest->space_factor[d * NEST_DIGITS + digit] != 0;
    return is;
}

/* Read the analysis's dataflow as a nest; false: it is none. */
bool nest_read(struct timing *timing, struct nest *nest);

/* ---- timing_stamps.c ---- */

/* Time digits that prefixes of "length" rows fix; whether they fix the skewed row too. */
static inline int nest_fixed(const struct nest *nest, int length)
{
    return nest->fixed[length];
}
static inline bool nest_is_full(const struct nest *nest, int length)
{
    return nest->is_skewed && length == nest->full_length;
}
/* Whether two stamps agree in their prefixes of "length" rows. */
bool nest_same_prefix(const struct nest *nest, int length, const struct nest_stamp *a,
        const struct nest_stamp *b);

/* The values that the skewed row takes under the other rows of "stamp", ascending. */
struct nest_values {
    int64_t n, first;
    const bool *there; /* first + i is a value; NULL: all up to the last are */
    int64_t last;
};
struct nest_values nest_skewed_values(const struct nest *nest, const struct nest_stamp *stamp);
/* The first and the last of them; false: it is not known that all between are there. */
bool nest_row_range(
        const struct nest *nest, const struct nest_stamp *stamp, int64_t *first, int64_t *last);

/* Go to the stamp after (step 1) or before (step -1) "stamp", of those that the first "n_fixed"
 * digits tell apart, and with "full" the skewed row: which digit of time goes on, those after it
 * starting anew; "n_fixed" where the row does, -1 where there is no such stamp. */
int nest_step(const struct nest *nest, int n_fixed, bool full, int step, struct nest_stamp *stamp);

/* What the loop's fixed digits add up to. */
int64_t nest_fixed_part(
        const struct nest *nest, int n_fixed, const struct nest_stamp *stamp, int loop);
/* How many values time digit number "k" takes under those before it. */
int64_t nest_count(const struct nest *nest, const struct nest_stamp *stamp, int k);
/* The greatest value that the other digits of the loop add up to: which of them are there is the
 * same wherever this is. */
int64_t nest_room(const struct nest *nest, int n_fixed, const struct nest_stamp *stamp, int loop);

/* The cycles that words take, at one a stamp, through the PEs that the run of "prefix" leaves idle:
 * of each dimension its skew times the PEs beyond those in use. False: the row has another form. */
bool nest_pass(const struct nest *nest, const struct nest_stamp *prefix, int64_t *cycles);

/* ---- timing_forms.c ---- */

/* Whether the stamps fall into classes, each with "*reach" neighbours on either side; finds the
 * uneven loop. */
bool nest_is_counted(struct nest *nest, int *reach);
/* Whether an element of the access tells the values of all loops that it uses. */
bool nest_tells_loops(const struct nest *nest, int access);
/* Whether instances that may start the same sum differ in the digit: it is of space, no loop of the
 * access, and no tree outside adds up what they have. */
bool nest_spreads(const struct nest *nest, const struct timing_transfer *transfer, int digit);
/* The value of the space digit whose instances are the first to touch what all of its values have:
 * the earliest in time; but of those that hold it in one stamp further outside, the least. */
int64_t nest_start(
        const struct nest *nest, const struct timing_transfer *transfer, int digit, int64_t extent);
/* Whether instances differ in the digit whose sums a tree outside adds up, in several times: where
 * all such digits are 0, is the one that takes up what the times before have made. */
bool nest_is_late(const struct nest *nest, const struct timing_transfer *transfer, int digit);
/* Whether loops that are none of the access's elements go on, of the time digits [first, end). */
bool nest_goes_on(const struct nest *nest, const struct nest_access *access, int first, int end,
        const struct nest_stamp *stamp);
/* Which sums of "transfer" start from zero in the stamp of "n_fixed" digits. */
enum nest_starts {
    NEST_GOES_ON, /* none */
    NEST_OTHERS_START, /* all but those of the instances that take up what was there before */
    NEST_ALL_START,
    NEST_UNKNOWN /* which, the digits of the stamp do not tell */
};
enum nest_starts nest_who_starts(const struct nest *nest, const struct timing_transfer *transfer,
        int n_fixed, const struct nest_stamp *stamp);
/* The dimensions in which instances that hold the same lie on different buses (timing_parts.c);
 * false where a bus has another form. */
bool nest_read_bus(const struct timing_transfer *transfer, bool *keeps);

/* ---- what moves ---- */

/* timing_own.c: the most instances that one PE runs in a stamp. */
int64_t nest_count_most(const struct nest *nest, const struct nest_stamp *stamp);
/* What the PEs' own memory serves: every instance reads its operands, but for sums that start from
 * zero. PEs that do the same share a row unless "one_by_one". False: pair by pair, then. */
bool nest_follow_own(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, bool one_by_one, struct timing_movement *movement);

/* What one PE's own memory serves in a stamp that sets the loops to "sum", but for what is inside
 * it: operands sent, sums stored; where sums start, these are not read. */
void nest_count_own(const struct nest *nest, const struct timing_transfer *transfer,
        const int64_t *sum, bool starts, int64_t *sent, int64_t *stored);

/* The pairs that "transfer" is about in "n" stamps, as a window; false: too many, or which of them
 * start sums is not known. */
bool nest_pairs(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, struct timing_window *window);

/* timing_starts.c: the sums that instances of "transfer", an output's, take up from zero in
 * "stamp", of its prefixes; NULL: they cannot be followed. */
const struct timing_sums *nest_find_starts(const struct nest *nest,
        const struct timing_transfer *transfer, const struct nest_stamp *stamp);

/* timing_parts.c: the same, and what they move, for a transfer without links whose pairs are
 * products; false: it is none. */
bool nest_follow_parts(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, bool one_by_one, struct timing_movement *movement);

/* timing_places.c: what "transfer" moves in the stamp "at" of "n", by boxes of places; false: it
 * has another form. */
bool nest_follow_places(const struct nest *nest, const struct timing_transfer *transfer, int n,
        const struct nest_stamp *stamps, int at, bool one_by_one, struct timing_movement *movement);

/* timing_runs.c: what moves at each value of the skewed row under one prefix, from the first on,
 * where values that are alike are there once. Numbers of all PEs: where each has a port for itself,
 * "busiest" has what they take. */
struct nest_row {
    int64_t n;
    const int64_t *times; /* that each is there */
    const struct squeezed *squeezed; /* which values are left out (timing_boxes.h) */
    const int64_t **words; /* of each transfer: those sent, those stored, those arrived; the same
                              array where they are the same; NULL: it is not of single stamps */
    struct timing_delays **busiest; /* of each port: of the busiest PE; NULL: it is no PE's */
};
bool nest_is_output(const struct nest *nest, int transfer);
/* Whether the transfer's contents are of single stamps, and its words pass a port. */
bool nest_is_of_stamps(const struct nest *nest, const struct timing_transfer *transfer);
/* What the row under a prefix depends on. */
struct nest_run {
    int64_t first, length; /* values, all of them */
    int n_boxes; /* transfers that are followed */
    int n_key;
    int64_t *key;
};
/* Go to the row under "prefixes[centre]" of the "n" prefixes that follow each other. False: a
 * transfer has another form. */
bool nest_open_run(const struct nest *nest, const struct nest_stamp *prefixes, int n, int centre,
        struct nest_run *run);
/* What moves in the row that was opened last; with "neighbours", values that stand for several have
 * the same words as those next to them. False: a transfer has another form. */
bool nest_follow_run(
        const struct nest *nest, const struct nest_run *run, bool neighbours, struct nest_row *row);

/* What the stamps of a row have inside: "slow" where a PE that runs most is active, "fast" in the
 * first and the last ones, in which only others are. */
struct nest_pace {
    sator_int slow, fast;
    int64_t n_before, n_after;
};
/* timing_own.c: the instances that the busiest PE runs in each stamp of the row under "prefix";
 * false: it has another form. */
bool nest_find_pace(
        const struct nest *nest, const struct nest_stamp *prefix, struct nest_pace *pace);
/* timing_rows.c: what the row's stamps take; false: it has another form. */
bool nest_measure_run(struct nest *nest, const struct nest_stamp *prefixes, int n, int centre,
        const struct nest_pace *pace, struct timing_sum *sum);
/* The same for values of a row that follow each other, [from, end) counted from its first one: each
 * takes what it does by itself. NULL: it has another form. */
struct nest_stretch *nest_open_stretch(struct nest *nest, const struct nest_stamp *prefixes, int n,
        int centre, const struct nest_pace *pace);
void nest_add_stretch(
        struct nest_stretch *stretch, int64_t from, int64_t end, struct timing_sum *sum);

/* ---- timing_windows.c ---- */

/* Whether "row" is floor((R + lead) / unit) of the skewed row R, which has these digits and
 * factors. */
bool nest_read_window(const struct nest *nest, const struct sator_expr *row,
        const struct sator_expr *skewed, int64_t lead, struct nest_window *window);
/* The window that prefixes of "length" rows end with; -1: none. */
int nest_window_of(const struct nest *nest, int length);
/* Whether what windows hold has a form that is counted. */
bool nest_windows_fit(const struct nest *nest);

#endif
