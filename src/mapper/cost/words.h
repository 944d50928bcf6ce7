/* The words that an index takes in a tile, and that it takes anew in the next one. */
#ifndef SATOR_MAPPER_WORDS_H
#define SATOR_MAPPER_WORDS_H

#include "mapper/problem/mapping.h"

/* Of numbers, in place of the calls that fmin and fmax are. */
static inline double mapper_lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double mapper_greater(double a, double b)
{
    return a > b ? a : b;
}

/* ---- words.c: sizes of sums of arithmetic progressions, remembered ---- */
struct mapper_words;
struct mapper_words *sator_mapper_words_new(const struct mapper_problem *problem);
void sator_mapper_words_free(struct mapper_words *words);
const struct mapper_problem *sator_mapper_words_problem(const struct mapper_words *words);
/* Those who keep something beside the numbers as long as "words" lives. */
enum mapper_keeper {
    MAPPER_KEEPS_COUNTING, /* counted.c */
    MAPPER_KEEPS_TILINGS, /* tilings.c */
    MAPPER_KEEPERS
};
/* What "keeper" keeps: "make" made it when it was first asked for, "free" will free it. */
void *sator_mapper_words_state(struct mapper_words *words, enum mapper_keeper keeper,
        void *(*make)(const struct mapper_problem *problem), void (*free)(void *state));
/* Steps of an index: tile extents by part, the parallel steps that share words, and a shift. */
struct mapper_steps {
    int64_t tile[MAPPER_PARTS];
    int n_spread;
    int64_t spread_step[MAPPER_SPREADS], spread_count[MAPPER_SPREADS];
    int spread_part[MAPPER_SPREADS]; /* whose loop it is */
    bool any; /* a position keeps what any position held, not only what it held itself; of no
                 account, and not set, where there is one position */
};
/* The number of values of the index over the tiles of all spread positions. */
int64_t sator_mapper_words_union(
        struct mapper_words *words, int access, int index, const struct mapper_steps *steps);
/* Of these, the values that every position which touches them also touched when each tile stood
 * "shift" lower. */
int64_t sator_mapper_words_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, int64_t shift);
/* Moves of an index by i shift[0] + j shift[1]: i from -most[0] to most[0] but not 0, j from
 * -most[1] to most[1], with "both" not 0. */
struct mapper_moves {
    int64_t shift[2], most[2];
    bool both;
};
/* The most that one of the moves keeps. */
int64_t sator_mapper_words_most_kept(struct mapper_words *words, int access, int index,
        const struct mapper_steps *steps, const struct mapper_moves *moves);
/* The values of a sum of two loops over nx and ny steps: pairs (x, y) and (x + b, y - a) agree,
 * with a and b the coefficients over their greatest common divisor, so each value's pairs form a
 * chain, and the pairs without a predecessor are as many as the values. */
static inline int64_t sator_mapper_pair(const struct mapper_index *index, int64_t nx, int64_t ny)
{
    int64_t a = index->reduced[0], b = index->reduced[1];

    return nx * ny - (nx > b ? nx - b : 0) * (ny > a ? ny - a : 0);
}

/* Whether the tile takes all values between its least and greatest (up to a common divisor): it
 * then keeps the less the further it moves. */
bool sator_mapper_words_gapless(
        struct mapper_words *words, int access, int index, const struct mapper_steps *steps);

/* The place of a number to be remembered under "key" (not beginning as one of words.c's:
 * those of passing.c, parts.c and cost.c are below 0); "*is_new" says that it is not there yet.
 * Valid until the next call. */
enum {
    MAPPER_KEY = 7 + MAPPER_PARTS + 2 * MAPPER_SPREADS
};
int64_t *sator_mapper_words_place(
        struct mapper_words *words, const int64_t *key, int length, bool *is_new);

/* ---- tilings.c ---- */
struct sator_tiling;
/* The words of the largest tile of these extents by loop, wherever it is. */
int64_t sator_mapper_tiling_most(struct mapper_words *words, int access, const int64_t *tile);
/* One PE of all rows before "row": of the loops that are spread over these, those in "last" have
 * their last tile there, the others have whole ones. */
struct mapper_alone {
    int row;
    unsigned last;
};
/* Which PEs of a transfer share words: those along "rows", each word once, or by the first "n_ways"
 * of the links and then families of buses that lead along these (0: by no such way). */
struct mapper_sharing {
    unsigned rows;
    int n_ways;
    const struct mapper_alone *alone; /* only the words of one PE count; NULL: of all */
};
/* The tiling of a transfer's digits, none in order yet. It is that of the same transfer, shared or
 * not, until the next call; if it "stays", until the next call for one that does, whatever is
 * counted meanwhile. */
struct sator_tiling *sator_mapper_tiling_open(struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int transfer,
        const struct mapper_sharing *sharing, bool stays);
/* The words that cross, or TILING_UNKNOWN. */
int64_t sator_mapper_tiling_words(struct mapper_words *words, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer, const struct mapper_sharing *sharing);
/* The words of "access" that "alone" touches in the whole run. */
int64_t sator_mapper_tiling_touched(struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int access,
        const struct mapper_alone *alone);
/* Set the words of a transfer; to 0, and false, where they cannot be counted. */
bool sator_mapper_count_tiling(struct mapper_words *words, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer, const struct mapper_sharing *sharing,
        int64_t *unique, int64_t *arriving);

#endif
