/* Exact counting of what a dataflow does: the one interface of the engines.
 *
 * A stamping is a domain with the leading dimensions of its space and time maps: all of them for
 * the dataflow itself, fewer for a memory level (doc/model.md, section 4). Questions about one
 * stamping share work, so it is an object. The engines give the same integers on every input that
 * several accept; all return SATOR_DECLINED, with a reason, for what is outside their class.
 * Results are untouched unless SATOR_OK.
 */
#ifndef SATOR_COUNT_COUNT_H
#define SATOR_COUNT_COUNT_H

#include "count/question.h"

/* Find out once, in "arena", what every question that goes over "links" would find out about them
 * on the array of extents "shape" ("n_space" of them). */
void sator_count_prepare(struct sator_arena *arena, int n_space, const int64_t *shape, int n_links,
        struct sator_network_link *links);

struct sator_counter;

/* A counter for "stamping", whose parts must outlive it (GIVE: sator_counter_free). */
enum sator_status sator_counter_new(struct sator_ctx *ctx, enum sator_engine_choice choice,
        SATOR_KEEP const struct sator_stamping *stamping,
        SATOR_GIVE struct sator_counter **counter);
void sator_counter_free(SATOR_TAKE struct sator_counter *counter);
/* End the questions about the counter's stamping, which may go now, as may the context; the counter
 * keeps the memory that does not belong to them. */
void sator_counter_stop(struct sator_counter *counter);
/* Make a counter that was stopped one for "stamping", as a new one would be. */
void sator_counter_restart(struct sator_counter *counter, struct sator_ctx *ctx,
        enum sator_engine_choice choice, SATOR_KEEP const struct sator_stamping *stamping);

/* An instance of the domain whose space-stamp is outside the array: "*found", and its iterators in
 * "instance". */
enum sator_status sator_count_outside(
        struct sator_counter *counter, bool *found, int64_t *instance);
enum sator_status sator_count_stamps(
        struct sator_counter *counter, struct sator_stamp_counts *counts);
/* The most instances that share one stamp, and (if "instance" is not NULL) one of them. */
enum sator_status sator_count_max_per_stamp(
        struct sator_counter *counter, sator_int *most, int64_t *instance);
/* Volumes of the access relation { S[n] -> F[f] }; doc/model.md, section 2. */
enum sator_status sator_count_volumes(struct sator_counter *counter,
        const struct sator_relation *access, const struct sator_transport *transport,
        struct sator_volumes *volumes);
/* Whether every PE in use is known to be active in every stamp. */
bool sator_count_nobody_idles(struct sator_counter *counter);
/* The elements that the whole domain touches, whatever the stamps are; 0, and no message, unless
 * the closed form may be asked and can tell. */
sator_int sator_count_footprint(struct sator_counter *counter, const struct sator_relation *access);
/* The most elements that one stamp touches: a level's tile size. */
enum sator_status sator_count_tile(
        struct sator_counter *counter, const struct sator_relation *access, sator_int *words);

/* The last of enum sator_engine_choice. */
enum {
    SATOR_ENGINE_LAST = SATOR_ENGINE_TILED
};

/* Which engine answered so far ("closed", "skewed", "tiled", "listed", "general", "mixed"), and why
 * the closed form declined (or NULL). */
const char *sator_counter_engine(const struct sator_counter *counter);
const char *sator_counter_declined(const struct sator_counter *counter);

#endif
