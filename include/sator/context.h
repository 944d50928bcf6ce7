/* The context in which the library is used: messages, limits, cancellation.
 *
 * Every call of the library takes a context. A context belongs to one thread at
 * a time; two contexts share nothing and may be used by two threads at once.
 * The library never prints, never exits and installs no signal handler.
 *
 * Ownership: a pointer marked KEEP is borrowed, TAKE is consumed, GIVE becomes the
 * caller's, to be released by the function that the comment names. Strings that are
 * returned without a mark live as long as the object that they were asked of.
 */
#ifndef SATOR_CONTEXT_H
#define SATOR_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SATOR_VERSION_MAJOR 0
#define SATOR_VERSION_MINOR 1
#define SATOR_VERSION_PATCH 0
#define SATOR_VERSION "0.1.0" /* of these headers; sator_version() is that of the library */

/* What the shared library offers; everything else in it is hidden. */
#if defined(__GNUC__)
#define SATOR_API __attribute__((visibility("default")))
#else
#define SATOR_API
#endif

#define SATOR_TAKE
#define SATOR_KEEP
#define SATOR_GIVE

/* A count. Exact: an operation that does not fit ends in SATOR_OVERFLOW. */
__extension__ typedef __int128 sator_int;

/* How a call ended. Out-parameters are untouched unless it was SATOR_OK. */
enum sator_status {
    SATOR_OK = 0,
    SATOR_INPUT, /* the input is wrong; the context's messages say where and why */
    SATOR_USAGE, /* the call itself is wrong (an unknown option, a missing file name) */
    SATOR_LIMIT, /* the work limit was reached before the answer */
    SATOR_INFEASIBLE, /* no mapping satisfies the constraints */
    SATOR_OVERFLOW, /* an exact count does not fit into 128 bits; a message says so */
    SATOR_INTERRUPTED, /* sator_ctx_cancel was called */
    SATOR_DECLINED /* the chosen engine does not handle this input; a message says why */
};

struct sator_ctx;

/* Return a new context (GIVE: sator_ctx_free). */
SATOR_API struct sator_ctx *sator_ctx_new(void);
SATOR_API void sator_ctx_free(SATOR_TAKE struct sator_ctx *ctx);

/* Ask the call in progress to stop with SATOR_INTERRUPTED. Safe in a signal handler. */
SATOR_API void sator_ctx_cancel(struct sator_ctx *ctx);

/* Limit one counting question to "ticks" units of work (memory touched, nodes visited);
 * 0 restores the default. Ticks do not depend on the machine: a run repeats exactly. */
SATOR_API void sator_ctx_set_work_limit(struct sator_ctx *ctx, uint64_t ticks);

/* The number of errors reported so far. */
SATOR_API int sator_ctx_error_count(const struct sator_ctx *ctx);

/* All messages reported so far, as "file:line:column: error: ..." with the line and a caret
 * (GIVE: free); and forget them. NULL when there are none. "color" adds terminal colours. */
SATOR_API char *sator_ctx_take_messages(struct sator_ctx *ctx, bool color);

/* Write "value" in decimal into "text" (at least 48 bytes) and return it;
 * "separator" goes between groups of three digits, 0 for none. */
SATOR_API char *sator_int_format(sator_int value, char separator, char *text);

/* The name among "names" nearest to "name" by edit distance, or NULL when none is near enough to
 * suggest. */
SATOR_API const char *sator_nearest(const char *name, const char *const *names, int n_names);

#ifdef __cplusplus
}
#endif
#endif
