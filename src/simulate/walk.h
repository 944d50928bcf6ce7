/* The stamps of a dataflow in order, each with what runs in it, without storing the nest.
 *
 * Where the stamps are sums of digits of the loops (i/8, i%8, k + i%8, what a "loops:" form turns
 * into), they are inverted: of every row of the time-stamp one digit follows from the others, and
 * the others are tried for each stamp. Otherwise instances are sorted, so many at a time.
 *
 * A walk may be of a prefix of the stamps, and of some accesses alone: loops that make no
 * difference to them are left out.
 */
#ifndef SATOR_SIMULATE_WALK_H
#define SATOR_SIMULATE_WALK_H

#include "simulate/touch.h"

struct walk;

/* SATOR_DECLINED with a message where relations are given by conditions that have to be solved;
 * SATOR_LIMIT where numbers are too large. GIVE: walk_free. */
enum sator_status walk_new(
        struct sator_ctx *ctx, const struct walk_question *question, struct walk **walk);
void walk_free(struct walk *walk);

/* Go to the next stamp at which anything runs. "*changed" is the first dimension of its prefix that
 * differs from the last (0 at first); -1 when there is none left. */
enum sator_status walk_next(struct walk *walk, int *changed);
/* The parts of the stamp one after the other; false at the end. */
bool walk_more(struct walk *walk, struct walk_part *part);
/* Begin again with its first part. */
void walk_again(struct walk *walk);
/* The stamp, n_time numbers. */
const int64_t *walk_stamp(const struct walk *walk);

#endif
