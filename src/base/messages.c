/* Messages as text: the place, the line of the source with carets under it, and help. */
#include "base/arguments.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_LINE = 160
};

/* Line and column (from 1) of an offset, and the bounds of its line. */
static void locate(const struct sator_source *source, size_t offset, int *line, int *column,
        size_t *start, size_t *end)
{
    if (offset > source->length)
        offset = source->length;
    *line = 1;
    *start = 0;
    for (size_t i = 0; i < offset; i++) {
        if (source->text[i] == '\n') {
            (*line)++;
            *start = i + 1;
        }
    }
    *end = offset;
    while (*end < source->length && source->text[*end] != '\n' && source->text[*end] != '\r')
        (*end)++;
    *column = (int)(offset - *start) + 1;
}

/* Add bytes of the user's file so that they are one line of printable text, byte for byte where
 * they are. */
static void add_printable(struct sator_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        sator_text_add_bytes(out, byte < ' ' || byte == 127 ? " " : &text[i], 1);
    }
}

/* The line with carets under it; a long line is cut to a window around them. */
static void add_excerpt(
        struct sator_text *out, const struct sator_loc *loc, size_t start, size_t end)
{
    const char *text = loc->source->text;
    size_t from = start, to = end;
    size_t at = loc->offset > end ? end : loc->offset;
    size_t width = loc->length == 0 ? 1 : loc->length;

    if (end - start > LONGEST_LINE) {
        from = at - start > LONGEST_LINE / 2 ? at - LONGEST_LINE / 2 : start;
        while (from < at && ((unsigned char)text[from] & 0xC0) == 0x80)
            from++; /* not into the middle of a UTF-8 character */
        to = end - from > LONGEST_LINE ? from + LONGEST_LINE : end;
    }
    if (at + width > to)
        width = to > at ? to - at : 1;
    sator_text_add(out, "    ");
    add_printable(out, text + from, to - from);
    sator_text_add(out, "\n    ");
    for (size_t i = from; i < at; i++) {
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            sator_text_add(out, " ");
    }
    for (size_t i = 0; i < width; i++) {
        if (i == 0 || at + i >= to || ((unsigned char)text[at + i] & 0xC0) != 0x80)
            sator_text_add(out, "^");
    }
    sator_text_add(out, "\n");
}

static void add_message(struct sator_text *out, const struct sator_message *message, bool color)
{
    const struct sator_loc *loc = &message->loc;
    const char *kind = message->is_error ? "error" : "warning";
    const char *start_color = !color ? "" : message->is_error ? "\033[1;31m" : "\033[1;33m";
    const char *end_color = color ? "\033[0m" : "";
    size_t start = 0, end = 0;

    if (loc->source != NULL && loc->source->text != NULL) {
        int line, column;
        locate(loc->source, loc->offset, &line, &column, &start, &end);
        sator_text_add(out, "%s:%d:%d: ", loc->source->path, line, column);
    } else {
        sator_text_add(out, "%s: ", loc->source != NULL ? loc->source->path : "sator");
    }
    sator_text_add(out, "%s%s:%s %s\n", start_color, kind, end_color, message->text);
    if (loc->source != NULL && loc->source->text != NULL)
        add_excerpt(out, loc, start, end);
    for (const char *help = message->help; help != NULL;) {
        const char *next = strchr(help, '\n');
        int length = next == NULL ? (int)strlen(help) : (int)(next - help);
        sator_text_add(out, "help: %.*s\n", length, help);
        help = next == NULL ? NULL : next + 1;
    }
}

int sator_ctx_message_count(const struct sator_ctx *ctx)
{
    return ctx == NULL ? 0 : ctx->n_messages;
}

enum sator_status sator_ctx_message(
        const struct sator_ctx *ctx, int index, struct sator_message_view *view)
{
    size_t start, end;

    if (ctx == NULL || view == NULL || index < 0 || index >= ctx->n_messages)
        return SATOR_USAGE;
    const struct sator_message *message = &ctx->messages[index];
    const struct sator_source *source = message->loc.source;
    struct sator_message_view own = {.is_error = message->is_error,
            .path = source == NULL ? NULL : source->path,
            .length = message->loc.length == 0 ? 1 : (int)message->loc.length,
            .text = message->text,
            .help = message->help};
    if (source != NULL && source->text != NULL)
        locate(source, message->loc.offset, &own.line, &own.column, &start, &end);
    return sator_give_struct(NULL, &own, view, sizeof own, sizeof own);
}

char *sator_ctx_take_messages(struct sator_ctx *ctx, bool color)
{
    if (ctx == NULL || ctx->n_messages == 0)
        return NULL;
    SATOR_CALL(ctx, return NULL)
    struct sator_text out = {0};

    for (int i = 0; i < ctx->n_messages; i++)
        add_message(&out, &ctx->messages[i], color);
    if (ctx->n_messages == SATOR_MOST_MESSAGES && ctx->n_errors > SATOR_MOST_MESSAGES)
        sator_text_add(&out, "%d errors in all; the first %d are shown\n", ctx->n_errors,
                SATOR_MOST_MESSAGES);
    ctx->messages = NULL;
    ctx->n_messages = 0;
    ctx->latest = -1;
    return sator_text_take(&out);
}
