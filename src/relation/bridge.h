/* Relations as isl objects: the only place where the two meet.
 *
 * The isl context belongs to the Sator context, is made on first use and dies with it. It never
 * prints; an isl call that fails returns NULL and the reason is asked with sator_bridge_status. isl
 * tuples carry no names: a set's or a map's dimensions are known by their position.
 */
#ifndef SATOR_RELATION_BRIDGE_H
#define SATOR_RELATION_BRIDGE_H

#include "relation/relation.h"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

/* The isl context of "ctx" (KEEP). */
isl_ctx *sator_bridge_ctx(struct sator_ctx *ctx);

/* Before the first isl context is made (isl_memory.c). */
void sator_bridge_replace_memory(void);
/* Leave the call (base/memory.h) when an allocation of isl's has failed since sator_bridge_begin.
 * isl may go on after one, with an object that is there and lacks a part: whoever has its answer
 * from isl asks this before it is given. sator_bridge_begin and sator_bridge_status do so by
 * themselves. */
void sator_bridge_check(struct sator_ctx *ctx);

/* Start an isl computation: forget old errors, give isl the operations that the work limit allows.
 * SATOR_INTERRUPTED when the context is cancelled. */
enum sator_status sator_bridge_begin(struct sator_ctx *ctx);

/* Why an isl call returned NULL: SATOR_LIMIT, SATOR_INTERRUPTED, or SATOR_INPUT with a message made
 * from isl's. */
enum sator_status sator_bridge_status(struct sator_ctx *ctx);

/* { [n] } and { [n] -> [f] } (GIVE; NULL: see sator_bridge_status). */
isl_set *sator_bridge_set(struct sator_ctx *ctx, const struct sator_relation *set);
isl_map *sator_bridge_map(struct sator_ctx *ctx, const struct sator_relation *relation);

/* "set" as fewer pieces where that is easy: isl_set_coalesce on the pieces without existential
 * variables. On others isl's (0.25) is wrong at times: it makes { [i] : 0 <= i <= 14 and i % 2 = 0;
 * [i] : 0 <= i <= 1 } into 0 <= i <= 15. */
isl_set *sator_bridge_coalesce(isl_set *set);
/* "set" with its existential variables as functions of the dimensions. Its equalities are made
 * explicit first: without them isl's (0.25) isl_set_compute_divs adds a point to the range of {
 * S[j] -> T[(j%8)/2, j%3, j/4, (j%4)/2] : -3 <= j < 5 }. */
isl_set *sator_bridge_compute_divs(isl_set *set);

#endif
