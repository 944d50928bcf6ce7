#include "frontend/c/c_nests.h"

#include <ctype.h>
#include <string.h>

struct scop {
    size_t begin;
    size_t end;
};

struct finder {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct c_function *function;
    int n_scops;
    struct scop *scops;
    int n_loops; /* around the node at hand */
    const struct c_node **loops;
    int room;
    const struct c_node *obstacle;
    int n_in_function;
    struct c_nests *nests;
};

/* ---- pragmas ---- */

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
    while (at < end && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

static bool take_word(const char *text, size_t *at, size_t end, const char *word)
{
    size_t length = strlen(word);
    size_t begin = skip_blanks(text, *at, end);

    if (end - begin < length || memcmp(text + begin, word, length) != 0 ||
            (begin + length < end &&
                    (isalnum((unsigned char)text[begin + length]) || text[begin + length] == '_')))
        return false;
    *at = begin + length;
    return true;
}

/* The regions between the pragmas, which libclang does not show. */
static enum sator_status find_scops(struct finder *f, const struct sator_source *source)
{
    enum sator_status st = SATOR_OK;
    struct sator_loc open = {NULL, 0, 0};
    size_t end;

    for (size_t line = 0; line < source->length; line = end + 1) {
        const char *newline = memchr(source->text + line, '\n', source->length - line);
        size_t at = line;
        end = newline ? (size_t)(newline - source->text) : source->length;
        at = skip_blanks(source->text, at, end);
        if (at == end || source->text[at++] != '#' || !take_word(source->text, &at, end, "pragma"))
            continue;
        struct sator_loc place = {source, skip_blanks(source->text, line, end), 0};
        place.length = at - place.offset;
        if (take_word(source->text, &at, end, "scop")) {
            if (open.source)
                st = sator_error(f->ctx, place, "a #pragma scop inside another");
            open = place;
        } else if (take_word(source->text, &at, end, "endscop")) {
            if (open.source)
                SATOR_PUSH(
                        f->arena, f->scops, f->n_scops, (struct scop){open.offset, place.offset});
            else
                st = sator_error(f->ctx, place, "a #pragma endscop without #pragma scop before it");
            open.source = NULL;
        }
    }
    if (open.source)
        st = sator_error(f->ctx, open, "a #pragma scop without #pragma endscop after it");
    return st;
}

/* ---- nests ---- */

/* A jump that leaves "node" early or skips some of it; those of inner loops included. */
static const struct c_node *find_jump(const struct c_node *node)
{
    if (!node)
        return NULL;
    if (node->kind == C_JUMP)
        return node;
    for (int i = 0; i < node->n_kids; i++) {
        const struct c_node *jump = find_jump(node->kids[i]);
        if (jump)
            return jump;
    }
    return NULL;
}

static void add_nest(struct finder *f, const struct c_node *statement)
{
    struct c_nest nest = {.function = f->function,
            .number = ++f->n_in_function,
            .n_loops = f->n_loops,
            .loops = sator_arena_copy(f->arena, f->loops, sizeof *f->loops * (size_t)f->n_loops),
            .statement = statement,
            .obstacle = f->obstacle};

    for (int i = 0; i < f->n_scops; i++) {
        if (statement->loc.offset < f->scops[i].begin || statement->loc.offset > f->scops[i].end)
            continue;
        nest.in_scop = true;
        while (nest.n_loops > 0 && nest.loops[0]->loc.offset < f->scops[i].begin) {
            nest.loops++;
            nest.n_loops--;
        }
    }
    if (nest.n_loops == 0) {
        f->n_in_function--;
        return;
    }
    SATOR_PUSH(f->arena, f->nests->nests, f->nests->n_nests, nest);
}

static void walk(struct finder *f, const struct c_node *node);

static void walk_loop(struct finder *f, const struct c_node *loop)
{
    const struct c_node *outside = f->obstacle;

    if (f->n_loops == f->room) {
        f->room = 2 * f->room + 8;
        const struct c_node **loops = SATOR_NEW_ARRAY(f->arena, const struct c_node *, f->room);
        for (int i = 0; i < f->n_loops; i++)
            loops[i] = f->loops[i];
        f->loops = loops;
    }
    f->loops[f->n_loops++] = loop;
    if (!f->obstacle)
        f->obstacle = find_jump(loop->kids[3]);
    walk(f, loop->kids[3]);
    f->obstacle = outside;
    f->n_loops--;
}

static void walk(struct finder *f, const struct c_node *node)
{
    const struct c_node *outside = f->obstacle;

    if (!node)
        return;
    switch (node->kind) {
    case C_FOR:
        walk_loop(f, node);
        return;
    case C_IF:
    case C_SWITCH:
    case C_WHILE:
    case C_DO:
        if (!f->obstacle)
            f->obstacle = node;
        /* The condition comes first, in a do loop last. */
        for (int i = node->kind != C_DO; i < node->n_kids - (node->kind == C_DO); i++)
            walk(f, node->kids[i]);
        f->obstacle = outside;
        return;
    case C_BLOCK:
        for (int i = 0; i < node->n_kids; i++)
            walk(f, node->kids[i]);
        return;
    case C_DECLARE:
    case C_JUMP:
    case C_EMPTY:
        return;
    default:
        if (f->n_loops > 0)
            add_nest(f, node);
        return;
    }
}

/* A nest is perfect when no other lies in its outermost loop. */
static void mark_perfect(struct c_nests *nests, int first)
{
    for (int i = first; i < nests->n_nests; i++) {
        nests->nests[i].is_perfect = true;
        if (i > first && nests->nests[i].loops[0] == nests->nests[i - 1].loops[0])
            nests->nests[i].is_perfect = nests->nests[i - 1].is_perfect = false;
    }
}

enum sator_status c_find_nests(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct c_file *file, struct c_nests *nests)
{
    struct finder f = {.ctx = ctx, .arena = arena, .nests = nests};
    enum sator_status st = find_scops(&f, file->source);

    *nests = (struct c_nests){0, NULL, f.n_scops};
    for (int i = 0; i < file->n_functions; i++) {
        int first = nests->n_nests;
        f.function = file->functions[i];
        f.n_in_function = 0;
        walk(&f, f.function->body);
        mark_perfect(nests, first);
    }
    return st;
}

/* ---- places ---- */

int c_line(const struct c_file *file, struct sator_loc loc)
{
    int first = 0;
    int last = file->n_lines - 1;

    while (first < last) {
        int middle = first + (last - first + 1) / 2;
        if (file->lines[middle] <= loc.offset)
            first = middle;
        else
            last = middle - 1;
    }
    return first + 1;
}

char *c_excerpt(struct sator_arena *arena, struct sator_loc loc, size_t most)
{
    char *text = sator_arena_alloc(arena, most + 4);
    size_t length = 0;
    bool blank = false;

    for (size_t i = 0; i < loc.length; i++) {
        unsigned char byte = (unsigned char)loc.source->text[loc.offset + i];
        if (isspace(byte) || byte < ' ' || byte == 127) {
            blank = length > 0;
            continue;
        }
        if (length + 2 > most) {
            /* Not in the middle of a character of several bytes. */
            while (length > 0 && ((unsigned char)text[length - 1] & 0xC0) == 0x80)
                length--;
            memcpy(text + length, "...", 4);
            return text;
        }
        if (blank)
            text[length++] = ' ';
        text[length++] = (char)byte;
        blank = false;
    }
    text[length] = '\0';
    return text;
}
