/* What passing.c and families.c share: the ways by which one stamp's words reach a PE. */
#ifndef SATOR_MAPPER_PASSING_H
#define SATOR_MAPPER_PASSING_H

#include "count/tiled/value_set.h"
#include "mapper/cost.h"

enum {
    PASSING_WORDS = MAPPER_SOURCES / 64
};

struct passing_set { /* of sources */
    uint64_t bits[PASSING_WORDS];
};

/* A PE that may have what this PE needs: the one whose digits are less by "offset". */
struct passing_source {
    int interval; /* it had it so many stamps before; 0: it has it now */
    int64_t offset[MAPPER_DIGITS];
};

struct passing {
    const struct mapper_walk *walk;
    const struct mapper_past *past;
    int n_sources; /* the first is the PE itself */
    struct passing_source source[MAPPER_SOURCES];
    struct sator_value_set
            tile[MAPPER_INDICES]; /* of one position; of indices with several loops */
    struct sator_memo *divided; /* passing.c: how sources divide the values of such a tile */
    int n_families; /* of buses, in order of declaration */
};

/* How far the tile of source "s" lies behind this PE's along index "e": it has value v of this
 * tile, which begins at 0, when v + reach is one of its own. */
int64_t sator_mapper_passing_reach(const struct passing *passing, int s, int e);
/* Whether some source differs from its PE in "digit". */
bool sator_mapper_passing_moves(const struct passing *passing, int digit);

/* The parallel positions of one index. */
struct passing_position {
    int64_t start; /* of its tile */
    int64_t digit[MAPPER_DIGITS]; /* of the index */
    struct passing_set sources; /* whose digits are some */
};
/* List them (GIVE: free), in the order of the PEs. */
struct passing_position *sator_mapper_passing_positions(
        const struct passing *passing, int e, int *count);
bool sator_mapper_holds(const struct sator_value_set *set, int64_t value);
/* Whether a digit lies along buses that join some PEs of its row: then the word's own position
 * counts, too, if it moves a plain index. */
bool sator_mapper_is_grouped(const struct mapper_walk *walk, int digit);
/* ---- families.c ---- */
/* The words that cross once the families of buses have spread what no source has; without the
 * values of plain indices but for grouped digits. */
int64_t sator_mapper_families_count(const struct passing *passing);

#endif
