/* Relations without hidden variables. */
#ifndef SATOR_RELATION_EXPLICIT_H
#define SATOR_RELATION_EXPLICIT_H

#include "relation/relation.h"

/* Whether all outputs are expressions of the inputs, and all conditions are about them. */
bool sator_relation_is_explicit(const struct sator_relation *relation);

/* "relation" with what hidden variables say written as floors of the inputs, in "arena"; itself
 * where nothing is hidden. A piece may become several, which are disjoint. SATOR_DECLINED, without
 * a message, for a piece that gives an input several outputs; SATOR_LIMIT when isl takes too long.
 */
enum sator_status sator_relation_explicit(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_relation *relation, const struct sator_relation **result);

#endif
