/* The notation of libconfig, which Timeloop's older files have, as the tree that YAML gives: groups
 * { key = value; } are maps, lists ( ) and arrays [ ] are lists. */
#include "frontend/timeloop/timeloop.h"

#include <ctype.h>
#include <string.h>

enum {
    MOST_DEPTH = 32,
    MOST_ERRORS = 20
};

struct libconfig {
    struct timeloop *t;
    const struct sator_source *source;
    size_t at;
    bool failed;
};

static void skip_blanks(struct libconfig *c)
{
    const char *text = c->source->text;

    for (;;) {
        c->at += strspn(text + c->at, " \t\r\n\f");
        if (text[c->at] == '#' || (text[c->at] == '/' && text[c->at + 1] == '/')) {
            c->at += strcspn(text + c->at, "\n");
        } else if (text[c->at] == '/' && text[c->at + 1] == '*') {
            const char *end = strstr(text + c->at + 2, "*/");
            c->at = end == NULL ? c->source->length : (size_t)(end - text) + 2;
        } else {
            return;
        }
    }
}

static bool fail(struct libconfig *c, const char *expected)
{
    struct sator_loc loc = {c->source, c->at, c->at < c->source->length ? 1 : 0};

    if (!c->failed)
        sator_error(c->t->reader.ctx, loc, "expected %s", expected);
    c->failed = true;
    return false;
}

static bool accept(struct libconfig *c, char mark)
{
    skip_blanks(c);
    if (c->source->text[c->at] != mark)
        return false;
    c->at++;
    return true;
}

static struct sator_yaml_node *new_node(struct libconfig *c, enum sator_yaml_kind kind)
{
    struct sator_yaml_node *node = SATOR_NEW(c->t->reader.scratch, struct sator_yaml_node);

    node->kind = kind;
    node->loc = (struct sator_loc){c->source, c->at, 1};
    node->text_loc = node->loc;
    return node;
}

static void end_node(struct libconfig *c, struct sator_yaml_node *node)
{
    node->loc.length = c->at > node->loc.offset ? c->at - node->loc.offset : 1;
    node->text_loc = node->loc;
}

/* A word: a name, a number, a truth value. */
static struct sator_yaml_node *read_word(struct libconfig *c)
{
    struct sator_yaml_node *node = new_node(c, SATOR_YAML_SCALAR);
    const char *text = c->source->text;
    size_t begin = c->at;

    while (isalnum((unsigned char)text[c->at]) ||
            (text[c->at] != '\0' && strchr("_-+.*", text[c->at])))
        c->at++;
    if (c->at == begin) {
        fail(c, "a value");
        return NULL;
    }
    size_t length = c->at - begin;
    if (length > 1 && text[c->at - 1] == 'L') /* 64 bits */
        length--;
    node->text = sator_arena_strndup(c->t->reader.scratch, text + begin, length);
    end_node(c, node);
    return node;
}

/* Strings that follow each other are one. */
static struct sator_yaml_node *read_string(struct libconfig *c)
{
    struct sator_yaml_node *node = new_node(c, SATOR_YAML_SCALAR);
    struct sator_text text = {0};

    while (accept(c, '"')) {
        const char *all = c->source->text;
        while (all[c->at] != '"' && all[c->at] != '\0' && all[c->at] != '\n') {
            c->at += all[c->at] == '\\' && all[c->at + 1] != '\0';
            sator_text_add_bytes(&text, all + c->at++, 1);
        }
        if (!accept(c, '"'))
            fail(c, "'\"'");
    }
    node->quoted = true;
    node->text = sator_text_keep(&text, c->t->reader.scratch);
    end_node(c, node);
    return node;
}

static struct sator_yaml_node *read_value(struct libconfig *c, int depth);

static struct sator_yaml_node *read_list(struct libconfig *c, char close, int depth)
{
    struct sator_yaml_node *node = new_node(c, SATOR_YAML_LIST);

    c->at++;
    while (!c->failed && !accept(c, close)) {
        struct sator_yaml_node *item = read_value(c, depth + 1);
        if (item != NULL)
            SATOR_PUSH(c->t->reader.scratch, node->items, node->n_items, item);
        if (!accept(c, ',') && c->source->text[c->at] != close)
            fail(c, close == ')' ? "',' or ')'" : "',' or ']'");
    }
    end_node(c, node);
    return node;
}

/* "key = value;" up to "close", or to the end of the text for '\0'. */
static void read_settings(struct libconfig *c, struct sator_yaml_node *map, char close, int depth)
{
    for (skip_blanks(c); !c->failed && c->source->text[c->at] != close; skip_blanks(c)) {
        if (!isalpha((unsigned char)c->source->text[c->at]) && c->source->text[c->at] != '*') {
            fail(c, close == '}' ? "a key or '}'" : "a key");
            return;
        }
        struct sator_yaml_pair pair = {.key = read_word(c)};
        if (!accept(c, '=') && !accept(c, ':'))
            fail(c, "'=' after a key");
        pair.value = c->failed ? NULL : read_value(c, depth + 1);
        if (pair.value == NULL)
            return;
        if (sator_yaml_find(map, pair.key->text) != NULL)
            sator_error(c->t->reader.ctx, pair.key->loc, "'%s' is given twice",
                    sator_yaml_clip(c->t->reader.scratch, pair.key->text));
        else
            SATOR_PUSH(c->t->reader.scratch, map->pairs, map->n_pairs, pair);
        if (!accept(c, ';'))
            accept(c, ',');
    }
}

static struct sator_yaml_node *read_value(struct libconfig *c, int depth)
{
    skip_blanks(c);
    char first = c->source->text[c->at];
    if (depth > MOST_DEPTH) {
        fail(c, "lists and maps nested at most 32 deep");
        return NULL;
    }
    if (first == '"')
        return read_string(c);
    if (first == '(' || first == '[')
        return read_list(c, first == '(' ? ')' : ']', depth);
    if (first != '{')
        return read_word(c);
    struct sator_yaml_node *map = new_node(c, SATOR_YAML_MAP);
    c->at++;
    read_settings(c, map, '}', depth);
    if (!accept(c, '}'))
        fail(c, "'}'");
    end_node(c, map);
    return map;
}

void timeloop_parse_libconfig(struct timeloop *t)
{
    struct libconfig c = {.t = t, .source = t->source};
    struct sator_yaml_node *root = new_node(&c, SATOR_YAML_MAP);

    read_settings(&c, root, '\0', 0);
    if (!c.failed && c.at < t->source->length)
        fail(&c, "text without a NUL character");
    t->root = c.failed ? NULL : root;
}
