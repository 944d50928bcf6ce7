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
#define SATOR_VERSION "0.2.0" /* of these headers; sator_version() is that of the library */

/* What the shared library offers; everything else in it is hidden. */
#if defined(__GNUC__)
#define SATOR_API __attribute__((visibility("default")))
#else
#define SATOR_API
#endif

#define SATOR_TAKE
#define SATOR_KEEP
#define SATOR_GIVE

/* A count. Exact: an operation that does not fit ends in SATOR_OVERFLOW.
 *
 * Compilers without 128-bit integers, and programs that define SATOR_PLAIN_INT before they include
 * this, see the two halves of the same bits; sator_int_get, sator_int_real and sator_int_text take
 * either by its address. */
#if defined(__SIZEOF_INT128__) && !defined(SATOR_PLAIN_INT)
__extension__ typedef __int128 sator_int;
#elif defined(__cplusplus)
typedef struct sator_int {
    alignas(16) uint64_t low;
    int64_t high;
} sator_int;
#else
typedef struct sator_int {
    _Alignas(16) uint64_t low;
    int64_t high;
} sator_int;
#endif

/* How a call ended. Out-parameters are untouched unless it was SATOR_OK. */
enum sator_status {
    SATOR_OK = 0,
    SATOR_INPUT, /* the input is wrong; the context's messages say where and why */
    SATOR_USAGE, /* the call itself is wrong (an unknown option, a missing file name) */
    SATOR_LIMIT, /* the work limit was reached before the answer */
    SATOR_INFEASIBLE, /* no mapping satisfies the constraints */
    SATOR_OVERFLOW, /* an exact count does not fit into 128 bits; a message says so */
    SATOR_INTERRUPTED, /* sator_ctx_cancel was called */
    SATOR_DECLINED, /* the chosen engine does not handle this input; a message says why */
    SATOR_NOMEM /* memory ran out; functions that return an object or a text return NULL */
};

struct sator_ctx;

/* The version of the library that is running: "0.2.0", and 10000 * major + 100 * minor + patch. */
SATOR_API const char *sator_version(void);
SATOR_API int sator_version_number(void);

/* Options, and other structs that the caller fills, begin with their size and mean what is usual
 * where they are zero:
 *
 *     struct sator_map_options options = {.size = sizeof options, .threads = 4};
 *
 * The size tells a later library which fields the caller knows; 0 stands for the fields of version
 * 0.1. A library that is older than the caller's headers refuses (SATOR_USAGE) fields that it does
 * not have, unless they are zero. NULL in place of options stands for zeros.
 *
 * Results begin with the size that they have in the library, and grow at their end alone. Elements
 * of their lists may grow as well: a program that shall run with a later library asks for them by
 * functions (sator_result_tensor and the like) instead of by an index.
 *
 * A call with a NULL that it cannot use, a number that its enumeration does not have, a layer that
 * is not there, a bandwidth that is none and the like is SATOR_USAGE, with a message. */

/* Return a new context (GIVE: sator_ctx_free), NULL when there is no memory. */
SATOR_API struct sator_ctx *sator_ctx_new(void);
SATOR_API void sator_ctx_free(SATOR_TAKE struct sator_ctx *ctx);

/* Ask the call in progress to stop with SATOR_INTERRUPTED. Safe in a signal handler. */
SATOR_API void sator_ctx_cancel(struct sator_ctx *ctx);

/* Limit one counting question to "ticks" units of work (memory touched, nodes visited);
 * 0 restores the default. Ticks do not depend on the machine: a run repeats exactly. */
SATOR_API void sator_ctx_set_work_limit(struct sator_ctx *ctx, uint64_t ticks);

/* What the caller's users call the fields of options: {"objective", "--objective"}. */
struct sator_word {
    const char *field, *word;
};
/* Messages call fields of options by these words (KEEP: as long as "ctx" is used), others by their
 * own names. */
SATOR_API enum sator_status sator_ctx_set_words(
        struct sator_ctx *ctx, SATOR_KEEP const struct sator_word *words, int n_words);

/* A file that the caller is going to write, and the field that says so: {"output", "best.yaml"}. */
struct sator_output {
    const char *field, *path;
};
/* The files that the caller is going to write: a call that would read one of them, under whatever
 * name, fails with a message instead, and sets "*is_read" (both KEEP: as long as "ctx" is used). */
SATOR_API enum sator_status sator_ctx_set_outputs(struct sator_ctx *ctx,
        SATOR_KEEP const struct sator_output *outputs, int n_outputs, SATOR_KEEP bool *is_read);

/* The number of errors reported so far. */
SATOR_API int sator_ctx_error_count(const struct sator_ctx *ctx);

/* All messages reported so far, as "file:line:column: error: ..." with the line and a caret
 * (GIVE: free); and forget them. NULL when there are none. "color" adds terminal colours. */
SATOR_API char *sator_ctx_take_messages(struct sator_ctx *ctx, bool color);

/* One message, for programs that show it in their own way. */
struct sator_message_view {
    size_t size;
    bool is_error; /* false: a warning */
    const char *path; /* a file's, or what an option is called; NULL: nowhere in particular */
    int line, column; /* from 1, in bytes; 0 when "path" has no text */
    int length; /* bytes to underline, at least 1 */
    const char *text;
    const char *help; /* lines, or NULL */
};

/* How many messages there are, and message "index" of them: SATOR_USAGE when there is none. The
 * texts live until the context is freed. */
SATOR_API int sator_ctx_message_count(const struct sator_ctx *ctx);
SATOR_API enum sator_status sator_ctx_message(
        const struct sator_ctx *ctx, int index, struct sator_message_view *view);

/* The count at "value": false, with "*result" unchanged, when it does not fit into 64 bits; the
 * nearest double; and its digits, as sator_int_format has them. */
SATOR_API bool sator_int_get(const sator_int *value, int64_t *result);
SATOR_API double sator_int_real(const sator_int *value);
SATOR_API char *sator_int_text(const sator_int *value, char separator, char *text);

/* Write "value" in decimal into "text" (at least 48 bytes) and return it;
 * "separator" goes between groups of three digits, 0 for none. */
#if defined(__SIZEOF_INT128__) && !defined(SATOR_PLAIN_INT)
SATOR_API char *sator_int_format(sator_int value, char separator, char *text);
#endif

/* The name among "names" nearest to "name" by edit distance; when none is near enough to suggest,
 * the only one that begins with it, or NULL. */
SATOR_API const char *sator_nearest(const char *name, const char *const *names, int n_names);

#ifdef __cplusplus
}
#endif
#endif
