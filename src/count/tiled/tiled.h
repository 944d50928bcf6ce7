/* Exact counts of tiled nests (doc/counting.md, "Tiled nests").
 *
 * A word is an element in a time-stamp. Its holders are the PEs that touch it then, each with the
 * sources (the PE itself one stamp before, the providers of its links) that had it, too. Stamps and
 * elements are products over the parts of a nest, and so are holders: a PE of all parts holds an
 * element if it does in each part, and a source had it if it had in each. So parts are counted by
 * themselves, by the holders of their words, and multiplied.
 */
#ifndef SATOR_COUNT_TILED_TILED_H
#define SATOR_COUNT_TILED_TILED_H

#include "base/room.h"
#include "count/tiled/nest.h"

enum {
    TILED_SOURCES = 128, /* bits of a set */
    TILED_MOST_SOURCES = SATOR_ROOM(TILED_SOURCES, 8),
    TILED_BACK = 4, /* the longest interval of a link */
    TILED_BUSES = 16,
    TILED_NEVER = -1
};

/* A set of sources, or the number of a PE: 128 bits. */
__extension__ typedef unsigned __int128 tiled_bits;

static inline tiled_bits tiled_bit(int i)
{
    return (tiled_bits)1 << i;
}

static inline tiled_bits tiled_every_bit(void)
{
    return ~(tiled_bits)0;
}

/* The lowest bit of "bits", which has some. */
static inline int tiled_first_bit(tiled_bits bits)
{
    uint64_t low = (uint64_t)bits;

    return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(bits >> 64));
}

/* PE p - o had at prev^back(t) what PE p wants at t: digit by digit, for one pattern of carries in
 * the mixed-radix numbers that are the coordinates. */
struct tiled_source {
    int credit; /* 0: the own register; 1 + link */
    int back; /* stamps; 0: a wire */
    const int64_t *shift; /* by digit: the provider's is that much less */
    const int64_t *least, *greatest; /* by digit: of the consumers; or NULL */
};

/* What of the holders a question needs to know; products are taken of these. */
enum tiled_aspect {
    TILED_EACH, /* every holder by itself: its sources */
    TILED_LEAST, /* of all holders on a bus together: least sets of sources */
    TILED_ALL /* which PEs they are, too */
};

struct tiled_holder {
    tiled_bits pe; /* a number in the order of PEs, of the digits that some bus spreads over */
    tiled_bits sources;
};

struct tiled_word {
    sator_int times; /* as many words have such holders */
    uint64_t hash;
    int n;
    const struct tiled_holder *holder; /* ascending */
};

struct tiled_tally {
    int n;
    struct tiled_word *word;
};

/* Families of buses, one after the other, each of which spreads a word over PEs. */
struct tiled_families {
    int n;
    int n_bits; /* of a PE's number */
    tiled_bits spread[TILED_BUSES]; /* in which PEs of one bus differ */
    const struct tiled_buses *buses[TILED_BUSES]; /* which of these PEs are on one; NULL: all */
};

/* The bus of each PE, listed: a PE's place is the sum of its fields' steps. */
struct tiled_buses {
    const int32_t *bus_of;
    int n_fields;
    struct tiled_field {
        int first, width; /* bits of a PE's number */
        int64_t step;
    } * field;
};

struct tiled_question {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct tiled_nest *nest;
    int n_sources;
    const struct tiled_source *source;
    int n_held; /* digits of time that are those of sator_transport.held_time; 0: nothing is asked
                 */
    enum tiled_aspect aspect;
    bool is_spread[TILED_DIGITS]; /* of space, that the buses asked for drop */
    int field[TILED_DIGITS], width[TILED_DIGITS]; /* bits of these in a PE's number */
    bool is_placed[TILED_DIGITS]; /* of these: it matters where PEs are, not only how they lie */
    /* A pattern of time: in which row (by the order of digits of time) each stamp differs from the
     * one before it, from now on back; TILED_NEVER, as the last: there is none before it. */
    int n_back;
    int pattern[TILED_BACK];
    /* In place of patterns, of a stamp by itself: how far the numbers that each source had lie
     * behind those of now, wherever it is; NULL: patterns say so. */
    const int64_t *behind;
    uint64_t *left; /* ticks, beside the context's limit; NULL: only that */
};

/* Spend "ticks"; SATOR_DECLINED when the question has none left: others may have a shorter way. */
static inline enum sator_status tiled_spend(const struct tiled_question *question, uint64_t ticks)
{
    if (question->nest->is_whole)
        return SATOR_OK;
    if (question->left != NULL && *question->left < ticks)
        return SATOR_DECLINED;
    if (question->left != NULL)
        *question->left -= ticks;
    return sator_work(question->ctx, ticks);
}

/* ---- holders.c ---- */
/* Add "times" words with such holders, given in any order ("holder" is changed). */
void tiled_tally_add(const struct tiled_question *question, struct tiled_tally *tally,
        sator_int times, int n, struct tiled_holder *holder);
/* Multiply the words of some parts, of none to begin with, with those of one more, which has some.
 * SATOR_DECLINED with "*reason" when there are too many kinds. */
enum sator_status tiled_tally_multiply(const struct tiled_question *question,
        struct tiled_tally *product, const struct tiled_tally *tally,
        const struct sator_decline **reason);
/* The holders of a word (TILED_ALL) that none of "sources" serves and that take it all the same: of
 * the PEs on one bus the first does, family after family, each of which adds its words to "left"
 * (or NULL). */
int tiled_word_entering(const struct tiled_word *word, tiled_bits sources,
        const struct tiled_families *families, sator_int *left);
/* The words that are fetched: TILED_ALL as above, else each once if "sources" do not serve all of
 * its holders. */
sator_int tiled_tally_fetched(enum tiled_aspect aspect, const struct tiled_tally *tally,
        tiled_bits sources, const struct tiled_families *families);

/* ---- walk.c ---- */
/* Tally the words of "part" in the stamps of the pattern. */
enum sator_status tiled_walk(const struct tiled_question *question, const struct tiled_part *part,
        struct tiled_tally *tally, const struct sator_decline **reason);
/* The most numbers that one PE touches in a stamp. */
enum sator_status tiled_walk_most(const struct tiled_question *question,
        const struct tiled_part *part, int64_t *most, const struct sator_decline **reason);

/* ---- tiles.c ---- */
/* What is left of a loop's digits inside where those outside stand somewhere: "shape", a number. */
enum {
    TILED_TIGHT, /* all stand at their tops: what is inside comes no later than its own tops */
    TILED_FREE, /* all of it */
    TILED_GONE, /* nothing */
    TILED_FREED /* and more: see tiled_shape_next */
};
/* The shape after digit "k" of the loop, outside, stands at "value"; before the first digit. */
uint8_t tiled_shape_next(
        const struct tiled_nest *nest, int loop, int k, uint8_t shape, int64_t value);
uint8_t tiled_shape_begin(const struct tiled_nest *nest, int loop);
/* The same after a digit inside. */
uint8_t tiled_shape_pass(const struct tiled_nest *nest, int loop, int k, uint8_t shape);
/* Iterations of the loop's tile of that shape. */
int64_t tiled_shape_size(const struct tiled_nest *nest, int loop, uint8_t shape);

struct sator_value_set;
struct tiled_sets;
/* The sets of numbers that tiles of a part touch, remembered until they are freed. */
struct tiled_sets *tiled_sets_new(const struct tiled_nest *nest, const struct tiled_part *part);
void tiled_sets_free(struct tiled_sets *sets);
/* The numbers of a tile of "shape" (one for each loop of the part) whose sums begin at "base":
 * those of the set, each "*lead" further. NULL: they have too many gaps. */
const struct sator_value_set *tiled_sets_find(
        struct tiled_sets *sets, const uint8_t *shape, int64_t base, int64_t *lead);

/* ---- providers.c ---- */
/* Set the question's sources: the register and what the links lead from. SATOR_DECLINED with
 * "*reason". */
enum sator_status tiled_find_sources(struct tiled_question *question,
        const struct sator_transport *transport, const struct sator_decline **reason);

/* ---- patterns.c ---- */
/* Buses that spread a word over the digits of space that they do not name, in order of declaration.
 */
struct tiled_bus {
    bool spreads[TILED_DIGITS];
};
struct tiled_volumes {
    sator_int total;
    sator_int *credit; /* of the register, and of each link */
    sator_int *by_bus;
};
/* Count the words of all stamps: "question" has its nest and sources. */
enum sator_status tiled_count_reuse(struct tiled_question *question, int n_buses,
        const struct tiled_bus *bus, struct tiled_volumes *volumes,
        const struct sator_decline **reason);
/* The words of "part" when all digits are of "kind": what all instances touch one by one, or
 * together. */
enum sator_status tiled_count_kind(const struct tiled_question *question,
        const struct tiled_part *part, enum tiled_kind kind, sator_int *words,
        const struct sator_decline **reason);

#endif
