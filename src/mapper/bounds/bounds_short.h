/* What mappings whose last tiles are shorter move on average. */
#ifndef SATOR_MAPPER_BOUNDS_SHORT_H
#define SATOR_MAPPER_BOUNDS_SHORT_H

#include "mapper/cost/cost.h"

/* Set what the cuts take off: "cut" by loop (borrowed), "outside" the temporal factors outside by
 * loop; before the covers. */
void bounds_cut_walk(struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_shape *shape, const int64_t *cut, const int64_t *outside);
/* The values of index "e" that the positions of "steps" lose at the most where the loop of "part"
 * stands at its last tile; "is_only": no other loop does that is not short at all of them. */
int64_t bounds_lost_values(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, int part, bool is_only);
/* The mean values of index "e" that are new in a stamp, at the least: those of the tile, or with
 * "step" (may be NULL) those of the stamps, a share "often", in which "loop" moves it by one step
 * of "shift" and the tiles of the other loops stay. "rate" is how often loops stand at their last
 * tile, which comes once for each time that all loops are run through. */
struct mapper_single_step {
    int loop;
    int64_t shift;
    double often;
};
double bounds_mean_new(const struct mapper_walk *walk, struct mapper_words *words, int e,
        const struct mapper_steps *steps, const double *rate,
        const struct mapper_single_step *step);

#endif
