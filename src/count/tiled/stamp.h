/* Words that enter PEs in one stamp of a nest of whole tiles. */
#ifndef SATOR_COUNT_TILED_STAMP_H
#define SATOR_COUNT_TILED_STAMP_H

#include "base/context.h"
#include "count/tiled/net.h"

/* What a PE touches of an index: sums of coef x (0 ... tile - 1), one after each place. */
struct sator_stamp_index {
    int n_parts;
    const int64_t *coef, *tile;
    int n_places;
    const int64_t *place;
    bool is_named; /* one loop: what differs in a digit of it has no number in common */
};

struct sator_stamp {
    int n_indices;
    const struct sator_stamp_index *index;
    int n_digits; /* of PEs; rows ascend, of one row the outermost comes first */
    const struct sator_stamp_digit {
        int index, row; /* index: that it moves, or -1 */
        int64_t size, step; /* step: in the index */
    } * digit;
    const struct sator_tiling_net *net;
};

/* What was counted of stamps of one tensor, remembered (GIVE: sator_stamps_free). */
struct sator_stamps;
struct sator_stamps *sator_stamps_new(void);
void sator_stamps_free(SATOR_TAKE struct sator_stamps *stamps);

/* The words that enter PEs when index e has moved by moved[k - 1][e] since the k-th stamp before,
 * for each bit k > 0 that the net has of "held". Those of a named index are not counted, but a word
 * at each of its digits where it matters where PEs are. */
int64_t sator_stamp_entering(
        struct sator_stamps *stamps, const struct sator_stamp *stamp, const int64_t *const *moved);

#endif
