/* What the phases are made of: a mapping as a nest of digits, and what moves when they
 * step. */
#ifndef SATOR_MAPPER_PHASES_NEST_H
#define SATOR_MAPPER_PHASES_NEST_H

#include "mapper/phases/phases_machine.h"

enum {
    MOST_LEVELS = MAPPER_MEMORIES + 1,
    MOST_RUNS = 64, /* remembered */
    MOST_PLACES = 8, /* digits of skewed rows */
    MOST_ENTRIES = 24,
    MOST_CROSSED = 2, /* rows of one transfer */
    MOST_KINDS = 16,
    OUTSIDE = -1 /* the digit that steps into the first stamp, and out of the last */
};

/* PEs of a skewed array: positions of these digits, each of which runs so much later than the one
 * before, from the first, which runs "first" later than the row begins. */
struct places {
    int n;
    int64_t count[MOST_PLACES], later[MOST_PLACES];
    int64_t first;
};

/* Words of a transfer that enter the array at such places, by 1 + digit: of the places that run at
 * the same time, together. */
struct entry {
    int movement;
    bool if_fresh; /* less, where sums are touched for the first time */
    struct places places;
    int64_t words[MOST_DIGITS + 1];
};

/* The transfer at hand: where its words pass from PE to PE, the digits of the rows that are skewed,
 * innermost first. */
struct crossing {
    int first; /* of its entries */
    int64_t parts; /* of sums that nothing merges */
    int n_rows;
    struct crossed_row {
        int row, n;
        int digit[MOST_PLACES]; /* of the walk's network */
        int64_t count[MOST_PLACES], later[MOST_PLACES];
    } rows[MOST_CROSSED];
};

/* What one transfer moves when a digit steps, by 1 + digit: words of one instance of the holder and
 * of the child. The same words of sums leave. */
struct movement {
    int transfer, level, tile_time;
    enum sator_transfer_kind kind;
    int64_t parts; /* of a sum: one of them starts from zero, the others are read */
    int64_t out[MOST_DIGITS + 1], in[MOST_DIGITS + 1];
};

/* What the inside of a stamp takes: its time, and what each port is busy for, in its units. */
struct run {
    int level, into, from; /* stamps that are alike: digits by what they move */
    bool fresh, next_fresh;
    unsigned ports; /* that are busy: others have no number */
    sator_int cycles, busy[MAPPER_PORTS];
};

struct nest {
    const struct mapper_phases *phases;
    /* The row along which PEs have parts of sums that wires hand on, or nothing merges, or n_rows:
     * of the instances inside it all but one start no sum from zero. */
    int carried_row;
    int n_digits, n_levels;
    struct {
        int loop;
        int64_t factor, step;
        bool sums; /* its loop does not index the output */
    } digit[MOST_DIGITS];
    int length[MOST_LEVELS];
    int level_of[MAPPER_MEMORIES + 1]; /* of a memory's stamps; of those of the compute units */
    int n_movements;
    struct movement movement[MAPPER_TRANSFERS];
    int8_t alike[MOST_LEVELS][MOST_DIGITS + 1]; /* by level and 1 + digit: the first that moves as
                                                   much further in */
    int n_runs;
    struct run run[MOST_RUNS];
    /* A skewed row, which is the last level: its stamps are the values of the running number that
     * the digits from "first_joined" on make, and "span" more. */
    bool is_skewed;
    bool at_least; /* its runs by a lower bound, which needs no stamps */
    int first_joined;
    int64_t span, pass_cycles; /* of a run: what words take through PEs that idle */
    int64_t inside_cycles; /* of one of its stamps */
    struct crossing crossing;
    int n_entries;
    struct entry entry[MOST_ENTRIES];
    struct places leaves[MAPPER_TRANSFERS]; /* by movement: where sums leave, */
    int64_t leaving[MAPPER_TRANSFERS]; /* of so many */
};

/* A stamp: the digits that step into it and out of it, and whether sums begin there and in the one
 * after it. */
struct stamp {
    int into, from;
    bool fresh, next_fresh;
};

enum phase {
    EXPOSED_LOADS,
    SERIAL_LOADS,
    WITH_RUN,
    SERIAL_STORES,
    EXPOSED_STORES,
    PHASES
};

/* By phase the ports that words pass, a set, and what they take there, in its units. */
struct delays {
    unsigned ports[PHASES];
    sator_int of[PHASES][MAPPER_PORTS];
};

/* Add what "words" take on their way in a phase. */
void sator_mapper_phase_words(const struct mapper_phases *phases, struct delays *delays,
        enum phase phase, const struct mapper_way *way, int64_t words);
/* Add what the PE's own memories serve in a stamp, in which sums start from zero if it is "fresh".
 */
void sator_mapper_phase_own(const struct mapper_phases *phases, bool fresh, struct delays *delays);
/* Add "times" a stamp with these delays, whose inside takes "inside". */
void sator_mapper_phase_stamp(const struct mapper_phases *phases, const struct delays *delays,
        const struct run *inside, int64_t times, struct run *sum);
/* Whether of the sums that "t" brings from outside one part each starts from zero where nobody has
 * touched them. */
bool sator_mapper_phase_starts(const struct nest *nest, const struct mapper_transfer *t);

/* Whether sums run over some of the digits from "first" to "end" - 1. */
static inline bool mapper_any_sums(const struct nest *nest, int first, int end)
{
    bool any = false;

    for (int g = first; g < end; g++)
        any |= nest->digit[g].sums;
    return any;
}

static inline int64_t mapper_count_places(const struct places *places)
{
    int64_t all = 1;

    for (int k = 0; k < places->n; k++)
        all *= places->count[k];
    return all;
}

/* ---- phases_nest.c ---- */
/* Set "nest"; false where the mapping is of a form whose phases only the model counts. */
bool sator_mapper_phase_nest(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, bool at_least, struct nest *nest);

/* Set its digits, its levels where the row of memory "skewed" (-1: none) is, and "cut" by memory;
 * false: too many. */
bool sator_mapper_phase_digits(struct nest *nest, const struct mapper_phases *phases,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int skewed,
        int *cut);

/* How many parts of a sum, of which none is merged with others, each word makes of the "words" that
 * pass between one instance of the parent of "t" and the memories inside of it. */
int64_t sator_mapper_phase_split(const struct mapper_phases *phases,
        const struct mapper_shape *shape, const struct mapper_transfer *t,
        const struct mapper_walk *walk, int64_t words);

/* ---- phases_short.c ---- */
/* Set "*cycles" to what a mapping with short tiles takes at least; false: it is too complex. */
bool sator_mapper_short_least(const struct mapper_phases *phases, struct mapper_words *words,
        const struct mapper_mapping *mapping, double *cycles);

/* ---- phases_enter.c ---- */
/* Set what the row of memory "skewed" (-1: none is) is like, by the cuts of the memories; false
 * where it is of a form whose phases only the model counts. */
bool sator_mapper_phase_skew(
        struct nest *nest, const struct mapper_mapping *mapping, int skewed, const int *cut);
/* Set the entries of the nest's last movement, which crosses the skewed arrays, but for their
 * words, and where its sums leave; false as above. */
bool sator_mapper_phase_places(
        struct nest *nest, const struct mapper_shape *shape, const struct mapper_walk *walk);
/* Set their words where digit "g" steps, OUTSIDE: where a run begins, of which the movement knows
 * all that enter; "pace" is as before the digit is placed. False where they are not known. */
bool sator_mapper_phase_enter(struct nest *nest, struct mapper_words *words,
        struct mapper_walk *walk, const struct mapper_pace *pace, int g);

/* ---- phases_run.c ---- */
/* Add what the skewed row's stamps in stamp "y" of the level outside take. */
void sator_mapper_phase_run(const struct nest *nest, const struct stamp *y, struct run *sum);

#endif
