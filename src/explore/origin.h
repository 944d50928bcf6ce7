/* What counted the results of a database. Results of different models do not mix. */
#ifndef SATOR_EXPLORE_ORIGIN_H
#define SATOR_EXPLORE_ORIGIN_H

#include "sator/analyze.h"
#include "store/store.h"

struct explore_origin {
    const char *model, *timing; /* as struct sator_result has them */
    const char *version; /* a change of doc/model.md that changes a number raises it */
};

/* That of this program's explorations with "timing". */
struct explore_origin explore_origin_of(enum sator_timing_choice timing);

/* What "store" says, in "arena"; SATOR_INPUT with a message when it says nothing. */
enum sator_status explore_origin_read(struct sator_ctx *ctx, struct sator_store *store,
        struct sator_arena *arena, struct explore_origin *origin);
enum sator_status explore_origin_write(
        struct sator_ctx *ctx, struct sator_store *store, const struct explore_origin *origin);
/* SATOR_INPUT with a message when what "store" holds was counted otherwise than "expected", which
 * is what "whose" ("this run's") results are of. */
enum sator_status explore_origin_check(struct sator_ctx *ctx, struct sator_store *store,
        const struct explore_origin *expected, const char *whose);

#endif
