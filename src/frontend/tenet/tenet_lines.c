#include "frontend/tenet/tenet_lines.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* "[begin, end)" of the text without the blanks at both sides. */
static struct sator_loc trimmed(const struct sator_source *source, size_t begin, size_t end)
{
    while (begin < end && is_blank(source->text[begin]))
        begin++;
    while (end > begin && is_blank(source->text[end - 1]))
        end--;
    return (struct sator_loc){source, begin, end - begin};
}

struct sator_tenet_lines sator_tenet_split(
        struct sator_arena *arena, const struct sator_source *source)
{
    struct sator_tenet_lines lines = {source, 0, NULL};
    size_t begin = 0;

    /* A byte order mark is no part of the first line. */
    if (source->length >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0)
        begin = 3;
    while (begin < source->length) {
        const char *newline = memchr(source->text + begin, '\n', source->length - begin);
        size_t end = newline ? (size_t)(newline - source->text) : source->length;
        struct sator_loc line = trimmed(source, begin, end);

        if (line.length > 0)
            SATOR_PUSH(arena, lines.lines, lines.n_lines, line);
        begin = end + 1;
    }
    return lines;
}

struct sator_loc sator_tenet_end(const struct sator_tenet_lines *lines)
{
    struct sator_loc end = {lines->source, 0, 1};

    if (lines->n_lines > 0) {
        struct sator_loc last = lines->lines[lines->n_lines - 1];
        end.offset = last.offset + last.length;
    }
    return end;
}

int sator_tenet_words(struct sator_loc line, int most, struct sator_loc *words)
{
    const char *text = line.source->text;
    size_t end = line.offset + line.length;
    size_t at = line.offset;
    int n_words = 0;

    while (at < end) {
        size_t begin = at;
        while (at < end && !is_blank(text[at]))
            at++;
        if (n_words < most)
            words[n_words] = (struct sator_loc){line.source, begin, at - begin};
        n_words++;
        while (at < end && is_blank(text[at]))
            at++;
    }
    return n_words;
}

bool sator_tenet_number(struct sator_loc word, int64_t *value)
{
    const char *text = word.source->text + word.offset;
    bool negative = word.length > 0 && text[0] == '-';
    int64_t number = 0;

    if (word.length == (negative ? 1u : 0u))
        return false;
    for (size_t at = negative ? 1 : 0; at < word.length; at++) {
        if (text[at] < '0' || text[at] > '9')
            return false;
        if (__builtin_mul_overflow(number, 10, &number) ||
                __builtin_sub_overflow(number, text[at] - '0', &number))
            return false;
    }
    /* Gathered as a negative number, which reaches one further. */
    if (negative)
        *value = number;
    else if (__builtin_sub_overflow(0, number, value))
        return false;
    return true;
}

char *sator_tenet_string(struct sator_arena *arena, struct sator_loc loc)
{
    return sator_arena_strndup(arena, loc.source->text + loc.offset, loc.length);
}

char *sator_tenet_stem(struct sator_arena *arena, const struct sator_source *source)
{
    const char *slash = strrchr(source->path, '/');
    const char *name = slash ? slash + 1 : source->path;
    const char *dot = strrchr(name, '.');

    return sator_arena_strndup(
            arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

enum sator_status sator_tenet_relation(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc line, bool is_set, const char *what,
        const struct sator_relation **relation)
{
    const struct sator_relation *read = NULL;
    enum sator_status st = sator_relation_read(ctx, arena, line, &read);

    if (st != SATOR_OK)
        return st;
    if (read->is_set != is_set)
        return sator_error(ctx, line, "expected %s, found a %s", what,
                read->is_set ? "set (no '->' in it)" : "relation (with '->')");
    if (read->n_pieces == 0)
        return sator_error(ctx, line, "expected %s, found nothing between the braces", what);
    *relation = read;
    return SATOR_OK;
}

const struct sator_relation *sator_tenet_unite(
        struct sator_arena *arena, const struct sator_relation *a, const struct sator_relation *b)
{
    struct sator_relation *both = sator_arena_copy(arena, a, sizeof *a);
    struct sator_piece *pieces =
            SATOR_NEW_ARRAY(arena, struct sator_piece, a->n_pieces + b->n_pieces);

    for (int i = 0; i < a->n_pieces; i++)
        pieces[i] = a->pieces[i];
    for (int i = 0; i < b->n_pieces; i++)
        pieces[a->n_pieces + i] = b->pieces[i];
    both->n_pieces = a->n_pieces + b->n_pieces;
    both->pieces = pieces;
    return both;
}
