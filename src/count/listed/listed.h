/* The listing engine's state, and the steps that its questions share. */
#ifndef SATOR_COUNT_LISTED_LISTED_H
#define SATOR_COUNT_LISTED_LISTED_H

#include "count/closed/closed.h"
#include "count/listed/reuse.h"

enum {
    LISTED_KNOWN = 16 /* parts with stamps that are kept, at most */
};

struct listed_state {
    struct sator_ctx *ctx;
    const struct sator_stamping *stamping;
    struct sator_arena *arena; /* of one question */
    struct listed_plan plan;
    struct listed_list list[LISTED_LOOPS];
    /* Stamps of parts with these loops, kept from question to question of the stamping. */
    struct sator_arena *kept;
    int n_known;
    int64_t known_instances;
    struct {
        uint32_t loops;
        struct listed_list list;
    } known[LISTED_KNOWN];
    struct closed_pool pool;
    struct closed_interval pool_data[CLOSED_POOL];
};

/* SATOR_DECLINED with "*reason" if there is one (or NULL: SATOR_OK). */
enum sator_status listed_decline(
        const struct sator_decline *why, const struct sator_decline **reason);

/* Begin a plan with the rows of the stamps; nothing of the last question is left. */
const struct sator_decline *listed_begin(struct listed_state *state);
/* Add an access: indices that all pieces share as rows, others together. */
const struct sator_decline *listed_add_access(
        struct listed_plan *plan, const struct sator_relation *access);
/* All rows are there: list every part. */
enum sator_status listed_make(struct listed_state *state, const struct sator_decline **reason);

/* Whether dimension "dim" of the space-stamp may leave the array, by its range alone. */
bool listed_may_leave(const struct listed_state *state, int dim);

/* doc/model.md, sections 1 and 2 (count/engine.h). */
enum sator_status listed_outside(
        void *opaque, bool *found, int64_t *instance, const struct sator_decline **reason);
enum sator_status listed_volumes(void *opaque, const struct sator_relation *access,
        const struct sator_transport *transport, struct sator_volumes *volumes,
        const struct sator_decline **reason);

#endif
