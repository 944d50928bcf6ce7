/* What the context holds, and located messages.
 *
 * A message is made once, where the fault is known. sator_error and friends record it; a caller
 * that gets SATOR_INPUT back adds nothing, at most a note. A reader goes on after an error to find
 * the next one.
 */
#ifndef SATOR_BASE_CONTEXT_H
#define SATOR_BASE_CONTEXT_H

#include "base/arena.h"
#include "sator/context.h"

#include <stdatomic.h>

/* A text that messages point into: a file, or a field of some options. */
struct sator_source {
    const char *path; /* as the user wrote it; for a field its word: "space" */
    bool is_field;
    const char *text;
    size_t length;
};

/* A place in a source. "source" NULL: nowhere in particular. */
struct sator_loc {
    const struct sator_source *source;
    size_t offset; /* byte offset into the text */
    size_t length; /* bytes to underline; at least one caret is shown */
};

enum {
    SATOR_MOST_MESSAGES = 200 /* that are kept */
};
struct sator_message {
    struct sator_loc loc;
    bool is_error;
    const char *text;
    const char *about; /* what it is about, for callers that tell kinds of faults apart; or NULL */
    const char *help; /* lines, or NULL */
};

struct sator_ctx {
    struct sator_arena *arena; /* sources and messages */
    struct sator_message *messages;
    int n_messages;
    int latest; /* the message that help is about; -1: none, or one that was not kept */
    int n_errors;
    uint64_t work_limit;
    uint64_t work_done; /* since sator_work_begin */
    uint64_t all_work; /* of all questions, with what led nowhere */
    atomic_bool cancelled;
    const struct sator_word *words;
    int n_words;
    const struct sator_output *outputs; /* that the caller will write and nobody may read */
    int n_outputs;
    bool *output_is_read;
    void *relation_state; /* owned by relation/: the isl context, made on first use */
    void (*free_relation_state)(void *state);
    void (*_Atomic cancel_relation_state)(
            void *state); /* set last; callable from a signal handler */
};

/* What a context had to say at some time. */
struct sator_hush {
    struct sator_arena *arena;
    struct sator_message *messages;
    int n_messages, n_errors;
};

/* A call that can be left, for want of memory; its fields are those of context.c. */
struct sator_call {
    struct sator_guard guard; /* first: a pointer to it is one to the call */
    struct sator_ctx *ctx;
    struct sator_hush before; /* messages, when it was entered */
};
void sator_call_enter(struct sator_call *call, struct sator_ctx *ctx);
void sator_call_leave(struct sator_call *call);

/* Guard the rest of the function: when memory runs out there, the statement is carried out, which
 * has to return: SATOR_CALL(ctx, return SATOR_NOMEM). "ctx" may be NULL. */
#define SATOR_CALL(ctx, ...)                                                                       \
    __attribute__((cleanup(sator_call_leave))) struct sator_call call_;                            \
    sator_call_enter(&call_, ctx);                                                                 \
    if (_setjmp(call_.guard.jump) != 0) {                                                          \
        __VA_ARGS__;                                                                               \
    }

/* Run "work" under a guard of its own, as a thread has to: false when memory ran out in it. What it
 * made stays, for others know of it. */
bool sator_guarded(struct sator_ctx *ctx, void (*work)(void *data), void *data);

/* A context for the library's own use (GIVE: sator_ctx_free), never NULL. */
struct sator_ctx *sator_ctx_own(void);

/* Read a file into a source that lives as long as "ctx"; SATOR_INPUT with a message when it cannot
 * be read (missing, a directory, unreadable, or larger than 64 MiB). */
enum sator_status sator_source_read(
        struct sator_ctx *ctx, const char *path, const struct sator_source **source);
/* A source from a text; both strings are copied. */
const struct sator_source *sator_source_from_text(
        struct sator_ctx *ctx, const char *path, const char *text);

/* What the caller's users call a field of the options, "objective" or "sets" (sator_ctx_set_words);
 * the field's own name when nothing was said. Every message names fields by this. */
const char *sator_word(const struct sator_ctx *ctx, const char *field);
/* A source from a text that was given as the field "field"; the text is copied. */
const struct sator_source *sator_source_from_field(
        struct sator_ctx *ctx, const char *field, const char *text);

/* Record an error at "loc". Returns SATOR_INPUT, so that a reader may return it. */
__attribute__((format(printf, 3, 4))) enum sator_status sator_error(
        struct sator_ctx *ctx, struct sator_loc loc, const char *format, ...);
/* Record a warning; the call goes on. */
__attribute__((format(printf, 3, 4))) void sator_warn(
        struct sator_ctx *ctx, struct sator_loc loc, const char *format, ...);
/* Add a line "help: ..." to the latest message. */
__attribute__((format(printf, 2, 3))) void sator_help(
        struct sator_ctx *ctx, const char *format, ...);
/* The help line "did you mean 'x'?", or failing that the valid names, to the latest message. */
void sator_help_names(
        struct sator_ctx *ctx, const char *name, const char *const *names, int n_names);

/* From here to sator_ctx_unhush, messages and sources are for the caller alone: they are forgotten
 * then, with their memory. For calls whose failure is an answer. */
void sator_ctx_hush(struct sator_ctx *ctx, struct sator_hush *before);
void sator_ctx_unhush(struct sator_ctx *ctx, const struct sator_hush *before);
/* Say what the latest message is about: a name that lives as long as the context. */
void sator_about(struct sator_ctx *ctx, const char *name);
/* What the first of the messages is about; NULL when that was not said, or there is none. */
const char *sator_ctx_first_about(const struct sator_ctx *ctx);

/* What error number "index" (from 0) says, without its place; NULL past the last one. */
const char *sator_ctx_error_text(const struct sator_ctx *ctx, int index);

/* Say in "ctx" what "other" has to say, whose arena may die then. */
void sator_ctx_repeat(struct sator_ctx *ctx, const struct sator_ctx *other);

/* Start a counting question: forget the work of the last one. */
void sator_work_begin(struct sator_ctx *ctx);
/* Spend "ticks": SATOR_LIMIT past the limit, SATOR_INTERRUPTED after a cancel (no message is
 * recorded). */
enum sator_status sator_work(struct sator_ctx *ctx, uint64_t ticks);

/* Run "call" and leave for the label "done" with "st" set when it fails. */
#define SATOR_TRY(call)                                                                            \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st != SATOR_OK)                                                                        \
            goto done;                                                                             \
    } while (0)

#endif
