/* What crosses into one memory, digit by digit from inside out: the counts of a mapper.
 *
 * A tiling is one access of a nest, and each loop's digits outside of a memory's tile: of PEs,
 * which share words or do not, and of time. A search says how loops are divided, from inside out,
 * as far as it knows (what it leaves open is one digit of time, outside of all others). Then it
 * puts the digits of time in order, innermost first, and takes the last one back to try another;
 * each tells at once what its steps keep, whatever the order further out is:
 *
 *     words = all - sum over the temporal digits of what is kept in their steps
 *
 * (doc/counting.md, "Tiled nests": a pattern of time for each digit). Sizes multiply to the extent
 * or more, so each may be a ceiling. What a part of the nest has to say about its digits is
 * remembered; to place a digit takes a look into a table and a product over the parts.
 */
#ifndef SATOR_COUNT_TILED_TILING_H
#define SATOR_COUNT_TILED_TILING_H

#include "base/context.h"
#include "count/tiled/net.h"

#include <stdbool.h>
#include <stdint.h>

#define TILING_UNKNOWN INT64_MIN

/* floor((sum of coef x loop + place) / divisor), a number for each place. No loop is in two. */
struct sator_tiling_index {
    int n_loops;
    const int *loop;
    const int64_t *coef;
    int64_t divisor;
    int n_places;
    const int64_t *place;
};

/* Dimensions that share a loop are one index, and so are all along which an instance touches
 * several places. Join dimension "i" with such ones before it: "dims", "loops" and whether some
 * "vary" are then at "i" of all of them, and none at those joined. */
void sator_tiling_join_dims(int i, unsigned *dims, unsigned *loops, bool *vary);

struct sator_tiling;

/* A tiling of an access with these indices (copied) in a nest of so many loops, from 0 on, which
 * begins with tiles of one iteration (GIVE: sator_tiling_free). Works in "ctx". */
struct sator_tiling *sator_tiling_new(SATOR_KEEP struct sator_ctx *ctx, int n_loops,
        const int64_t *extent, int n_indices, const struct sator_tiling_index *index);
void sator_tiling_free(SATOR_TAKE struct sator_tiling *tiling);

/* Begin anew: "tile" iterations of each loop inside. */
void sator_tiling_begin(struct sator_tiling *tiling, const int64_t *tile);
/* Divide a loop outside of all that it is divided into: among "size" PEs, or into "size" steps of
 * time. */
void sator_tiling_spread(
        struct sator_tiling *tiling, int loop, int64_t size, enum sator_tiling_pes pes);
/* The same, TILING_JOINED: the next digit, from inside out, of the PEs' coordinate "row"; the last
 * row comes first. */
void sator_tiling_spread_along(struct sator_tiling *tiling, int loop, int64_t size, int row);
void sator_tiling_divide(struct sator_tiling *tiling, int loop, int64_t size);
/* Nothing more is divided: the joined PEs have "net". Without it they are apart. Of a stamp only
 * what enters in one is asked for. */
void sator_tiling_join(struct sator_tiling *tiling, const struct sator_tiling_net *net);
/* Place the loop's next digit of time outside of those placed; the words kept in its steps, which
 * cross no more. (Fewer than none are where several families of buses meet: of the PEs that one
 * serves together, some may have kept theirs.) TILING_UNKNOWN, here and below, when they cannot be
 * counted. */
int64_t sator_tiling_step(struct sator_tiling *tiling, int loop);
/* Take back what was said last. */
void sator_tiling_back(struct sator_tiling *tiling);

/* The words that enter the joined PEs in a stamp, where no tile is cut short, when index e has
 * moved by moved[k - 1][e] since the k-th stamp before, for each bit k > 0 that the net has of
 * "held". */
int64_t sator_tiling_entering(struct sator_tiling *tiling, const int64_t *const *moved);

/* The words of all time-stamps, if none were kept. */
int64_t sator_tiling_all(struct sator_tiling *tiling);
/* The most words that one PE touches in one stamp. */
int64_t sator_tiling_most(struct sator_tiling *tiling);

#endif
