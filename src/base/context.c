#include "base/context.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LARGEST_FILE = 64 << 20
};

/* About ten seconds of counting on a slow machine. */
static const uint64_t default_work_limit = 2000000000;

const char *sator_version(void)
{
    return SATOR_VERSION;
}

int sator_version_number(void)
{
    return 10000 * SATOR_VERSION_MAJOR + 100 * SATOR_VERSION_MINOR + SATOR_VERSION_PATCH;
}

struct sator_ctx *sator_ctx_new(void)
{
    SATOR_CALL(NULL, return NULL)
    struct sator_arena *arena = sator_arena_new();
    struct sator_ctx *ctx = sator_alloc(sizeof *ctx);

    *ctx = (struct sator_ctx){.arena = arena, .latest = -1, .work_limit = default_work_limit};
    return ctx;
}

struct sator_ctx *sator_ctx_own(void)
{
    struct sator_ctx *ctx = sator_ctx_new();

    if (ctx == NULL)
        sator_out_of_memory();
    return ctx;
}

void sator_ctx_free(struct sator_ctx *ctx)
{
    if (ctx == NULL)
        return;
    if (ctx->free_relation_state != NULL)
        ctx->free_relation_state(ctx->relation_state);
    sator_arena_free(ctx->arena);
    free(ctx);
}

void sator_ctx_cancel(struct sator_ctx *ctx)
{
    void (*cancel)(void *state);

    if (ctx == NULL)
        return;
    /* The flag first: a computation that starts meanwhile sees one or the other. */
    atomic_store(&ctx->cancelled, true);
    cancel = atomic_load(&ctx->cancel_relation_state);
    if (cancel != NULL)
        cancel(ctx->relation_state);
}

enum sator_status sator_ctx_set_words(
        struct sator_ctx *ctx, const struct sator_word *words, int n_words)
{
    if (ctx == NULL || n_words < 0 || (words == NULL && n_words > 0))
        return SATOR_USAGE;
    ctx->words = words;
    ctx->n_words = n_words;
    return SATOR_OK;
}

enum sator_status sator_ctx_set_outputs(
        struct sator_ctx *ctx, const struct sator_output *outputs, int n_outputs, bool *is_read)
{
    if (ctx == NULL || n_outputs < 0 || (n_outputs > 0 && (outputs == NULL || is_read == NULL)))
        return SATOR_USAGE;
    ctx->outputs = outputs;
    ctx->n_outputs = n_outputs;
    ctx->output_is_read = is_read;
    return SATOR_OK;
}

void sator_ctx_set_work_limit(struct sator_ctx *ctx, uint64_t ticks)
{
    if (ctx != NULL)
        ctx->work_limit = ticks == 0 ? default_work_limit : ticks;
}

int sator_ctx_error_count(const struct sator_ctx *ctx)
{
    return ctx == NULL ? 0 : ctx->n_errors;
}

void sator_work_begin(struct sator_ctx *ctx)
{
    ctx->work_done = 0;
}

enum sator_status sator_work(struct sator_ctx *ctx, uint64_t ticks)
{
    ctx->work_done += ticks;
    ctx->all_work += ticks;
    if (atomic_load_explicit(&ctx->cancelled, memory_order_relaxed))
        return SATOR_INTERRUPTED;
    return ctx->work_done > ctx->work_limit ? SATOR_LIMIT : SATOR_OK;
}

/* ---- sources ---- */

const struct sator_source *sator_source_from_text(
        struct sator_ctx *ctx, const char *path, const char *text)
{
    struct sator_source *source = SATOR_NEW(ctx->arena, struct sator_source);

    source->path = sator_arena_strdup(ctx->arena, path);
    source->length = strlen(text);
    source->text = sator_arena_strndup(ctx->arena, text, source->length);
    return source;
}

const char *sator_word(const struct sator_ctx *ctx, const char *field)
{
    for (int i = 0; i < ctx->n_words; i++) {
        if (strcmp(ctx->words[i].field, field) == 0)
            return ctx->words[i].word;
    }
    return field;
}

const struct sator_source *sator_source_from_field(
        struct sator_ctx *ctx, const char *field, const char *text)
{
    struct sator_source *source = (struct sator_source *)(uintptr_t)sator_source_from_text(
            ctx, sator_word(ctx, field), text);

    source->is_field = true;
    return source;
}

static enum sator_status unreadable(struct sator_ctx *ctx, const char *path, int error)
{
    if (error == ENOMEM)
        sator_out_of_memory();
    const char *why = error == EFBIG ? "it is larger than 64 MiB" : strerror(error);
    struct sator_source *source = SATOR_NEW(ctx->arena, struct sator_source);

    source->path = sator_arena_strdup(ctx->arena, path);
    return sator_error(ctx, (struct sator_loc){.source = source}, "cannot read the file: %s", why);
}

static enum sator_status destroyed(struct sator_ctx *ctx, const char *path, const char *field)
{
    struct sator_source *source = SATOR_NEW(ctx->arena, struct sator_source);

    *ctx->output_is_read = true;
    source->path = sator_arena_strdup(ctx->arena, path);
    sator_error(ctx, (struct sator_loc){.source = source},
            "this file is read, and it is where the result is to be written (%s)",
            sator_word(ctx, field));
    return SATOR_INPUT;
}

/* The field that names the file as one that the caller will write, or NULL; a device or a pipe may
 * be both. */
static const char *output_field(const struct sator_ctx *ctx, FILE *file)
{
    struct stat own, other;

    if (ctx->n_outputs == 0 || fstat(fileno(file), &own) != 0 || !S_ISREG(own.st_mode))
        return NULL;
    for (int i = 0; i < ctx->n_outputs; i++) {
        if (stat(ctx->outputs[i].path, &other) == 0 && own.st_dev == other.st_dev &&
                own.st_ino == other.st_ino)
            return ctx->outputs[i].field;
    }
    return NULL;
}

enum sator_status sator_source_read(
        struct sator_ctx *ctx, const char *path, const struct sator_source **source)
{
    struct sator_text text = {0};
    char buffer[1 << 14];
    size_t got;

    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        return unreadable(ctx, path, errno);
    const char *field = output_field(ctx, file);
    if (field != NULL) {
        if (file != stdin)
            fclose(file);
        return destroyed(ctx, path, field);
    }
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0 && text.length <= LARGEST_FILE)
        sator_text_add_bytes(&text, buffer, got);
    bool failed = ferror(file) != 0;
    int error = errno;
    if (file != stdin)
        fclose(file);
    if (failed || text.length > LARGEST_FILE) {
        sator_text_clear(&text);
        return unreadable(ctx, path, failed ? error : EFBIG);
    }
    struct sator_source *made = SATOR_NEW(ctx->arena, struct sator_source);
    made->path = sator_arena_strdup(ctx->arena, strcmp(path, "-") == 0 ? "<stdin>" : path);
    made->length = text.length;
    made->text = sator_arena_strndup(ctx->arena, text.data == NULL ? "" : text.data, text.length);
    sator_text_clear(&text);
    *source = made;
    return SATOR_OK;
}

/* ---- messages ---- */

__attribute__((format(printf, 2, 0))) static char *format_v(
        struct sator_ctx *ctx, const char *format, va_list arguments)
{
    struct sator_text text = {0};

    sator_text_add_v(&text, format, arguments);
    char *copy = sator_arena_strndup(ctx->arena, text.data == NULL ? "" : text.data, text.length);
    sator_text_clear(&text);
    return copy;
}

/* A text from the command line is a source for each input that reads it. */
static bool same_source(const struct sator_source *a, const struct sator_source *b)
{
    return a == b ||
            (a != NULL && b != NULL && a->length == b->length && strcmp(a->path, b->path) == 0 &&
                    memcmp(a->text, b->text, a->length) == 0);
}

static void record(struct sator_ctx *ctx, struct sator_loc loc, bool is_error, const char *text)
{
    ctx->n_errors += is_error;
    for (int i = 0; i < ctx->n_messages; i++) {
        const struct sator_message *old = &ctx->messages[i];
        if (same_source(old->loc.source, loc.source) && old->loc.offset == loc.offset &&
                strcmp(old->text, text) == 0) {
            ctx->latest = i;
            return;
        }
    }
    ctx->latest = ctx->n_messages < SATOR_MOST_MESSAGES ? ctx->n_messages : -1;
    if (ctx->latest < 0)
        return;
    SATOR_PUSH(ctx->arena, ctx->messages, ctx->n_messages,
            (struct sator_message){.loc = loc, .is_error = is_error, .text = text});
}

enum sator_status sator_error(struct sator_ctx *ctx, struct sator_loc loc, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    record(ctx, loc, true, format_v(ctx, format, arguments));
    va_end(arguments);
    return SATOR_INPUT;
}

void sator_warn(struct sator_ctx *ctx, struct sator_loc loc, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    record(ctx, loc, false, format_v(ctx, format, arguments));
    va_end(arguments);
}

void sator_help(struct sator_ctx *ctx, const char *format, ...)
{
    va_list arguments;

    if (ctx->latest < 0)
        return;
    struct sator_message *message = &ctx->messages[ctx->latest];
    va_start(arguments, format);
    const char *line = format_v(ctx, format, arguments);
    va_end(arguments);
    if (message->help != NULL && strstr(message->help, line) != NULL)
        return;
    message->help = message->help == NULL
            ? line
            : sator_arena_printf(ctx->arena, "%s\n%s", message->help, line);
}

void sator_help_names(
        struct sator_ctx *ctx, const char *name, const char *const *names, int n_names)
{
    enum {
        MOST_LISTED = 12
    };
    const char *nearest = sator_nearest(name, names, n_names);
    struct sator_text list = {0};

    if (nearest != NULL) {
        sator_help(ctx, "did you mean '%s'?", nearest);
        return;
    }
    for (int i = 0; i < n_names && i < MOST_LISTED; i++)
        sator_text_add(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
    if (n_names > MOST_LISTED)
        sator_text_add(&list, ", ... (%d in all)", n_names);
    if (n_names > 0)
        sator_help(ctx, "known names: %s", list.data);
    sator_text_clear(&list);
}

/* "source" as one that lives as long as "ctx". */
static const struct sator_source *keep_source(
        struct sator_ctx *ctx, const struct sator_ctx *other, const struct sator_source *source)
{
    if (source == NULL || !sator_arena_holds(other->arena, source))
        return source;
    struct sator_source *kept = sator_arena_copy(ctx->arena, source, sizeof *source);

    kept->path = sator_arena_strdup(ctx->arena, source->path);
    if (source->text != NULL)
        kept->text = sator_arena_strndup(ctx->arena, source->text, source->length);
    return kept;
}

void sator_ctx_repeat(struct sator_ctx *ctx, const struct sator_ctx *other)
{
    int n_errors = ctx->n_errors + other->n_errors;

    for (int i = 0; i < other->n_messages; i++) {
        const struct sator_message *message = &other->messages[i];
        struct sator_loc loc = message->loc;
        loc.source = keep_source(ctx, other, loc.source);
        record(ctx, loc, message->is_error, sator_arena_strdup(ctx->arena, message->text));
        if (message->help != NULL)
            sator_help(ctx, "%s", message->help);
    }
    ctx->n_errors = n_errors; /* those that were not kept, too */
}

void sator_ctx_hush(struct sator_ctx *ctx, struct sator_hush *before)
{
    *before = (struct sator_hush){ctx->arena, ctx->messages, ctx->n_messages, ctx->n_errors};
    ctx->arena = sator_arena_new();
    ctx->messages = NULL;
    ctx->n_messages = ctx->n_errors = 0;
}

void sator_ctx_unhush(struct sator_ctx *ctx, const struct sator_hush *before)
{
    sator_arena_free(ctx->arena);
    ctx->arena = before->arena;
    ctx->messages = before->messages;
    ctx->n_messages = before->n_messages;
    ctx->n_errors = before->n_errors;
}

/* ---- calls that can be left ---- */

/* The context as it was when the call began, but for messages that were made since in its own
 * arena, which stay. */
static void restore(struct sator_guard *guard)
{
    const struct sator_call *call = (const struct sator_call *)guard;
    struct sator_ctx *ctx = call->ctx;

    if (ctx->arena != call->before.arena) { /* hushed, and that arena dies with the call */
        ctx->arena = call->before.arena;
        ctx->messages = call->before.messages;
        ctx->n_messages = call->before.n_messages;
        ctx->n_errors = call->before.n_errors;
    }
    ctx->latest = -1;
    /* Objects of it are lost, so that it cannot be freed. */
    atomic_store(&ctx->cancel_relation_state, NULL);
    ctx->relation_state = NULL;
    ctx->free_relation_state = NULL;
}

void sator_call_enter(struct sator_call *call, struct sator_ctx *ctx)
{
    call->ctx = ctx;
    if (ctx != NULL)
        call->before =
                (struct sator_hush){ctx->arena, ctx->messages, ctx->n_messages, ctx->n_errors};
    sator_guard_enter(&call->guard, ctx == NULL ? NULL : restore);
}

void sator_call_leave(struct sator_call *call)
{
    sator_guard_leave(&call->guard);
}

bool sator_guarded(struct sator_ctx *ctx, void (*work)(void *data), void *data)
{
    SATOR_CALL(ctx, return false)
    call_.guard.keeps = true;
    work(data);
    return true;
}

void sator_about(struct sator_ctx *ctx, const char *name)
{
    if (ctx->latest >= 0)
        ctx->messages[ctx->latest].about = sator_arena_strdup(ctx->arena, name);
}

const char *sator_ctx_first_about(const struct sator_ctx *ctx)
{
    return ctx->n_messages == 0 ? NULL : ctx->messages[0].about;
}

const char *sator_ctx_error_text(const struct sator_ctx *ctx, int index)
{
    for (int i = 0; i < ctx->n_messages; i++) {
        if (ctx->messages[i].is_error && index-- == 0)
            return ctx->messages[i].text;
    }
    return NULL;
}
