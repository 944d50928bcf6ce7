#include "frontend/yaml/tree.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum {
    MOST_DEPTH = 32,
    MOST_NODES = 1 << 20,
    MOST_ERRORS = 100,
    LONGEST_CLIP = 48
};

/* An open collection: what the next node is added to. */
struct frame {
    struct sator_yaml_node *node;
    struct sator_yaml_node *key; /* map: the key whose value comes next */
    uint64_t *slots; /* map: an open-addressing table of pair index + 1, for duplicates */
    size_t n_slots;
};

struct builder {
    struct sator_ctx *ctx;
    struct sator_arena *arena;
    const struct sator_source *source;
    size_t offset, length; /* the part of the source that is the document */
    yaml_parser_t parser;
    /* libyaml counts characters; this pair keeps the byte that the latest asked-for character
     * starts at */
    size_t chars, bytes;
    bool is_foreign;
    int n_anchors; /* of a foreign document: nodes by name, of a name the latest */
    struct anchor {
        const char *name;
        struct sator_yaml_node *node;
        bool is_open; /* its collection has not ended: an alias in it would be a cycle */
    } * anchors;
    struct frame stack[MOST_DEPTH];
    int depth;
    int n_nodes;
    int errors_before;
    bool failed;
    struct sator_yaml_node *root;
};

const char *sator_yaml_clip(struct sator_arena *arena, const char *text)
{
    size_t length = strlen(text);
    bool cut = length > LONGEST_CLIP;

    if (cut) {
        length = LONGEST_CLIP;
        while (((unsigned char)text[length] & 0xC0) == 0x80)
            length--; /* not into the middle of a UTF-8 character */
    }
    char *clip = sator_arena_printf(arena, "%.*s%s", (int)length, text, cut ? "..." : "");
    for (char *c = clip; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    }
    return clip;
}

struct sator_yaml_node *sator_yaml_find(const struct sator_yaml_node *map, const char *key)
{
    for (int i = 0; i < map->n_pairs; i++) {
        if (strcmp(map->pairs[i].key->text, key) == 0)
            return map->pairs[i].value;
    }
    return NULL;
}

/* ---- places ---- */

static bool continues(const struct builder *b, size_t byte)
{
    return ((unsigned char)b->source->text[b->offset + byte] & 0xC0) == 0x80;
}

/* The byte offset into the source of the "index"-th character of the document. Marks come nearly in
 * order, so the walk from the last one is short. */
static size_t byte_at(struct builder *b, size_t index)
{
    while (b->chars < index && b->bytes < b->length) {
        b->bytes++;
        while (b->bytes < b->length && continues(b, b->bytes))
            b->bytes++;
        b->chars++;
    }
    while (b->chars > index && b->bytes > 0) {
        b->bytes--;
        while (b->bytes > 0 && continues(b, b->bytes))
            b->bytes--;
        b->chars--;
    }
    return b->offset + b->bytes;
}

static struct sator_loc loc_of(struct builder *b, const yaml_mark_t *start, const yaml_mark_t *end)
{
    size_t from = byte_at(b, start->index);
    size_t to = byte_at(b, end->index);

    return (struct sator_loc){b->source, from, to > from ? to - from : 0};
}

static struct sator_loc event_loc(struct builder *b, const yaml_event_t *event)
{
    return loc_of(b, &event->start_mark, &event->end_mark);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether two texts are the same up to the amount of white space between words. */
static bool same_words(const char *a, size_t length_a, const char *b, size_t length_b)
{
    size_t i = 0, j = 0;

    while (i < length_a && j < length_b) {
        if (is_space(a[i]) != is_space(b[j]))
            return false;
        if (!is_space(a[i])) {
            if (a[i++] != b[j++])
                return false;
            continue;
        }
        while (i < length_a && is_space(a[i]))
            i++;
        while (j < length_b && is_space(b[j]))
            j++;
    }
    return i == length_a && j == length_b;
}

static int line_of(const struct sator_source *source, size_t offset)
{
    int line = 1;

    for (size_t i = 0; i < offset && i < source->length; i++)
        line += source->text[i] == '\n';
    return line;
}

/* Where the decoded text of a scalar can be read with true columns: the raw bytes, when they differ
 * from the decoded ones in white space alone (which no reader of ours minds); else a source of its
 * own that names its line. */
static struct sator_loc text_place(
        struct builder *b, const yaml_event_t *event, const struct sator_loc *loc, const char *text)
{
    const char *raw = b->source->text;
    size_t from = loc->offset, to = loc->offset + loc->length;
    yaml_scalar_style_t style = event->data.scalar.style;
    size_t length = event->data.scalar.length;

    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE) {
        from++;
        to -= to > from;
    } else if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        while (from < to && raw[from] != '\n')
            from++;
    }
    while (from < to && is_space(raw[from]))
        from++;
    while (to > from && is_space(raw[to - 1]))
        to--;
    while (length > 0 && is_space(*text)) {
        text++;
        length--;
    }
    while (length > 0 && is_space(text[length - 1]))
        length--;
    if (same_words(raw + from, to - from, text, length))
        return (struct sator_loc){b->source, from, to - from};
    if (length > 1 << 16 || b->n_nodes > 1 << 12)
        return *loc; /* no expression of ours is that long; never copy a large file into sources */
    const char *path = sator_arena_printf(
            b->arena, "%s, text at line %d", b->source->path, line_of(b->source, loc->offset));
    const struct sator_source *source = sator_source_from_text(b->ctx, path, text);
    return (struct sator_loc){source, 0, source->length};
}

/* ---- building ---- */

__attribute__((format(printf, 3, 4))) static void fail(
        struct builder *b, struct sator_loc loc, const char *format, ...)
{
    va_list arguments;
    struct sator_text text = {0};

    va_start(arguments, format);
    sator_text_add_v(&text, format, arguments);
    va_end(arguments);
    sator_error(b->ctx, loc, "%s", text.data);
    sator_text_clear(&text);
    b->failed = true;
}

static struct sator_yaml_node *new_node(
        struct builder *b, enum sator_yaml_kind kind, const yaml_event_t *event)
{
    struct sator_yaml_node *node = SATOR_NEW(b->arena, struct sator_yaml_node);

    node->kind = kind;
    node->loc = event_loc(b, event);
    node->text_loc = node->loc;
    b->n_nodes++;
    return node;
}

static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037u; /* FNV-1a */

    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value ^ value >> 29;
}

static void insert_slot(struct frame *frame, int pair)
{
    size_t at = hash(frame->node->pairs[pair].key->text) & (frame->n_slots - 1);

    while (frame->slots[at] != 0)
        at = (at + 1) & (frame->n_slots - 1);
    frame->slots[at] = (uint64_t)pair + 1;
}

/* The pair of the open map that has "key", or NULL. The table is rebuilt whenever it is half full.
 */
static struct sator_yaml_pair *find_pair(struct builder *b, struct frame *frame, const char *key)
{
    struct sator_yaml_node *map = frame->node;

    if ((size_t)map->n_pairs * 2 >= frame->n_slots) {
        frame->n_slots = frame->n_slots == 0 ? 16 : frame->n_slots * 2;
        frame->slots = SATOR_NEW_ARRAY(b->arena, uint64_t, frame->n_slots);
        for (int i = 0; i < map->n_pairs; i++)
            insert_slot(frame, i);
    }
    size_t at = hash(key) & (frame->n_slots - 1);
    for (; frame->slots[at] != 0; at = (at + 1) & (frame->n_slots - 1)) {
        struct sator_yaml_pair *pair = &map->pairs[frame->slots[at] - 1];
        if (strcmp(pair->key->text, key) == 0)
            return pair;
    }
    return NULL;
}

static void push_pair(struct builder *b, struct frame *frame, struct sator_yaml_pair pair)
{
    struct sator_yaml_node *map = frame->node;

    SATOR_PUSH(b->arena, map->pairs, map->n_pairs, pair);
    insert_slot(frame, map->n_pairs - 1);
}

/* The pairs of "<<: MAP", or of a list of maps, as far as the map has no such key. */
static void merge(struct builder *b, struct frame *frame, const struct sator_yaml_node *value)
{
    if (value->kind == SATOR_YAML_LIST) {
        for (int i = 0; i < value->n_items; i++) {
            if (value->items[i]->kind == SATOR_YAML_MAP)
                merge(b, frame, value->items[i]);
        }
        return;
    }
    if (value->kind != SATOR_YAML_MAP) {
        fail(b, value->loc, "'<<' merges a map or a list of maps");
        return;
    }
    for (int i = 0; i < value->n_pairs; i++) {
        struct sator_yaml_pair pair = value->pairs[i];
        pair.is_merged = true;
        if (find_pair(b, frame, pair.key->text) == NULL)
            push_pair(b, frame, pair);
    }
}

static void add_pair(struct builder *b, struct frame *frame, struct sator_yaml_node *value)
{
    struct sator_yaml_pair *old = find_pair(b, frame, frame->key->text);

    if (b->is_foreign && strcmp(frame->key->text, "<<") == 0) {
        merge(b, frame, value);
    } else if (old != NULL && b->is_foreign) {
        if (!old->is_merged)
            sator_warn(b->ctx, old->key->loc, "'%s' is given again in line %d, which counts",
                    sator_yaml_clip(b->arena, frame->key->text),
                    line_of(b->source, frame->key->loc.offset));
        *old = (struct sator_yaml_pair){.key = frame->key, .value = value};
    } else if (old != NULL) {
        fail(b, frame->key->loc, "'%s' is given twice",
                sator_yaml_clip(b->arena, frame->key->text));
        sator_help(b->ctx, "the first is in line %d", line_of(b->source, old->key->loc.offset));
    } else {
        push_pair(b, frame, (struct sator_yaml_pair){.key = frame->key, .value = value});
    }
    frame->key = NULL;
}

/* Put "node" where it belongs: the root, a list's next item, a map's next key or value. */
static void attach(struct builder *b, struct sator_yaml_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return;
    }
    struct frame *frame = &b->stack[b->depth - 1];
    if (frame->node->kind == SATOR_YAML_LIST)
        SATOR_PUSH(b->arena, frame->node->items, frame->node->n_items, node);
    else if (frame->key != NULL)
        add_pair(b, frame, node);
    else
        frame->key = node;
}

/* Take a node's anchor and tag; only documents of other tools may have them. */
static void take_properties(struct builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
        const yaml_char_t *tag, struct sator_yaml_node *node)
{
    if (b->is_foreign) {
        struct anchor named = {
                .name = sator_arena_strdup(b->arena, anchor == NULL ? "" : (const char *)anchor),
                .node = node,
                .is_open = node->kind != SATOR_YAML_SCALAR};
        if (anchor != NULL)
            SATOR_PUSH(b->arena, b->anchors, b->n_anchors, named);
        if (tag != NULL)
            node->tag = sator_arena_strdup(b->arena, (const char *)tag);
        return;
    }
    if (anchor != NULL) {
        fail(b, event_loc(b, event), "anchors are not supported");
        sator_help(b->ctx, "write the value out wherever it is needed");
    }
    if (tag != NULL)
        fail(b, event_loc(b, event), "tags such as '%s' are not supported",
                sator_yaml_clip(b->arena, (const char *)tag));
}

static void add_scalar(struct builder *b, const yaml_event_t *event)
{
    struct sator_yaml_node *node = new_node(b, SATOR_YAML_SCALAR, event);
    const char *value = (const char *)event->data.scalar.value;

    take_properties(b, event, event->data.scalar.anchor, event->data.scalar.tag, node);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = sator_arena_strndup(b->arena, value, event->data.scalar.length);
    if (strlen(node->text) != event->data.scalar.length)
        fail(b, node->loc, "the text holds a NUL character");
    node->text_loc = text_place(b, event, &node->loc, node->text);
    attach(b, node);
}

/* Returns false when the document cannot be read on. */
static bool open_collection(struct builder *b, const yaml_event_t *event, enum sator_yaml_kind kind)
{
    struct sator_yaml_node *node = new_node(b, kind, event);
    const struct frame *frame = b->depth == 0 ? NULL : &b->stack[b->depth - 1];

    if (kind == SATOR_YAML_MAP)
        take_properties(
                b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag, node);
    else
        take_properties(
                b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag, node);
    if (frame != NULL && frame->node->kind == SATOR_YAML_MAP && frame->key == NULL) {
        fail(b, node->loc, "a %s cannot be a key", kind == SATOR_YAML_MAP ? "map" : "list");
        sator_help(b->ctx, "put text that has braces or brackets into quotes");
        return false;
    }
    if (b->depth == MOST_DEPTH) {
        fail(b, node->loc, "nested more than %d levels deep", MOST_DEPTH);
        return false;
    }
    attach(b, node);
    b->stack[b->depth++] = (struct frame){.node = node};
    return true;
}

static void close_collection(struct builder *b, const yaml_event_t *event)
{
    struct sator_yaml_node *node = b->stack[--b->depth].node;
    size_t end = byte_at(b, event->end_mark.index);

    for (int i = 0; i < b->n_anchors; i++)
        b->anchors[i].is_open = b->anchors[i].is_open && b->anchors[i].node != node;

    if (end > node->loc.offset)
        node->loc.length = end - node->loc.offset;
    while (node->loc.length > 0 &&
            is_space(b->source->text[node->loc.offset + node->loc.length - 1]))
        node->loc.length--; /* a block ends where the next thing starts */
}

/* Count a node and what it holds, as far as that is not more than can be, nor deeper. */
static void count_nodes(struct builder *b, const struct sator_yaml_node *node, int depth)
{
    b->n_nodes += depth == MOST_DEPTH ? MOST_NODES : 1;
    for (int i = 0; i < node->n_items && b->n_nodes <= MOST_NODES; i++)
        count_nodes(b, node->items[i], depth + 1);
    for (int i = 0; i < node->n_pairs && b->n_nodes <= MOST_NODES; i++)
        count_nodes(b, node->pairs[i].value, depth + 1);
}

static bool add_alias(struct builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const struct frame *frame = b->depth == 0 ? NULL : &b->stack[b->depth - 1];

    for (int i = b->n_anchors - 1; i >= 0; i--) {
        const struct anchor *anchor = &b->anchors[i];
        if (strcmp(anchor->name, name) != 0)
            continue;
        bool is_key = frame != NULL && frame->node->kind == SATOR_YAML_MAP && frame->key == NULL;
        if (anchor->is_open || (is_key && anchor->node->kind != SATOR_YAML_SCALAR)) {
            fail(b, event_loc(b, event), "'*%s' cannot stand here",
                    sator_yaml_clip(b->arena, name));
            return false;
        }
        count_nodes(b, anchor->node, b->depth);
        attach(b, anchor->node);
        return true;
    }
    fail(b, event_loc(b, event), "there is no anchor '&%s' before this",
            sator_yaml_clip(b->arena, name));
    return false;
}

/* Returns false at the end of the text, or when it cannot be read on. */
static bool take(struct builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        add_scalar(b, event);
        break;
    case YAML_ALIAS_EVENT:
        if (b->is_foreign) {
            if (!add_alias(b, event))
                return false;
            break;
        }
        fail(b, event_loc(b, event), "aliases are not supported");
        sator_help(b->ctx, "write the value out; quote text that begins with '*'");
        return false;
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(b, event, SATOR_YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return open_collection(b, event, SATOR_YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_collection(b, event);
        break;
    case YAML_DOCUMENT_START_EVENT:
        if (b->root != NULL) {
            fail(b, event_loc(b, event), "a second document begins here; a file holds one");
            return false;
        }
        break;
    default:
        return event->type != YAML_STREAM_END_EVENT;
    }
    if (b->n_nodes > MOST_NODES) {
        fail(b, event_loc(b, event), "the file has more than %d values", MOST_NODES);
        return false;
    }
    return b->ctx->n_errors - b->errors_before < MOST_ERRORS;
}

static void report_syntax(struct builder *b)
{
    const yaml_parser_t *parser = &b->parser;
    size_t at = byte_at(b, parser->problem_mark.index);
    struct sator_loc loc = {b->source, at, 1};
    const char *problem = parser->problem == NULL ? "unreadable" : parser->problem;

    if (at < b->offset + b->length && b->source->text[at] == '\t') {
        fail(b, loc, "a tab cannot stand here");
        sator_help(b->ctx, "indent with spaces");
        return;
    }
    fail(b, loc, "not valid YAML: %s", problem);
    if (parser->context == NULL)
        return;
    sator_help(
            b->ctx, "%s, which begins in line %zu", parser->context, parser->context_mark.line + 1);
    if (strstr(parser->context, "flow") != NULL)
        sator_help(b->ctx, "text with braces or brackets in it must stand in quotes");
}

/* The length of the valid UTF-8 character at "text", or 0. */
static size_t character(const unsigned char *text, size_t length)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80 ? 1
            : text[0] >> 5 == 6  ? 2
            : text[0] >> 4 == 14 ? 3
            : text[0] >> 3 == 30 ? 4
                                 : 0;

    if (size <= 1 || size > length)
        return size > length ? 0 : size;
    unsigned code = text[0] & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        code = code << 6 | (text[i] & 0x3F);
    }
    return code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : size;
}

/* Refuse bytes that are no text before libyaml sees them: it would name no place for them. */
static bool is_text(struct builder *b)
{
    const unsigned char *text = (const unsigned char *)b->source->text + b->offset;

    for (size_t i = 0; i < b->length;) {
        size_t size = character(text + i, b->length - i);
        struct sator_loc loc = {b->source, b->offset + i, 1};
        if (size == 0) {
            fail(b, loc, "byte 0x%02X is not UTF-8 text", text[i]);
            return false;
        }
        if (size == 1 && (text[i] < ' ' || text[i] == 127) && !is_space((char)text[i])) {
            fail(b, loc, "control character 0x%02X in the text", text[i]);
            return false;
        }
        i += size;
    }
    return true;
}

/* Returns whether the text was read to its end. */
static bool build(struct builder *b)
{
    yaml_event_t event;
    bool more = true, ended = false;

    while (more) {
        if (!yaml_parser_parse(&b->parser, &event)) {
            if (b->parser.error == YAML_MEMORY_ERROR)
                sator_out_of_memory();
            report_syntax(b);
            return false;
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        more = take(b, &event);
        yaml_event_delete(&event);
    }
    return ended;
}

static enum sator_status parse(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, size_t offset, size_t length, bool is_foreign,
        struct sator_yaml_node **root)
{
    struct builder *b = SATOR_NEW(arena, struct builder);

    *b = (struct builder){.ctx = ctx,
            .arena = arena,
            .source = source,
            .offset = offset,
            .length = length,
            .is_foreign = is_foreign,
            .errors_before = ctx->n_errors};
    *root = NULL;
    if (length >= 3 && memcmp(source->text + offset, "\xEF\xBB\xBF", 3) == 0) {
        b->offset += 3; /* a byte order mark, which is no part of the text */
        b->length -= 3;
    }
    if (!is_text(b))
        return SATOR_INPUT;
    if (!yaml_parser_initialize(&b->parser))
        sator_out_of_memory();
    yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
            &b->parser, (const unsigned char *)source->text + b->offset, b->length);
    bool ended = build(b);
    yaml_parser_delete(&b->parser);
    if (!b->failed && b->root == NULL)
        fail(b, (struct sator_loc){source, offset, 0}, "nothing is given here: the text is empty");
    *root = ended ? b->root : NULL;
    return b->failed ? SATOR_INPUT : SATOR_OK;
}

enum sator_status sator_yaml_parse(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, size_t offset, size_t length,
        struct sator_yaml_node **root)
{
    return parse(ctx, arena, source, offset, length, false, root);
}

enum sator_status sator_yaml_parse_foreign(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_source *source, struct sator_yaml_node **root)
{
    return parse(ctx, arena, source, 0, source->length, true, root);
}
