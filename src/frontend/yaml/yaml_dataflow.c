/* Dataflows: two maps, in Sator's notation or isl's, or a tiled nest of loops; and cuts. */
#include "frontend/yaml/yaml.h"

#include <ctype.h>
#include <string.h>

enum {
    MOST_ENTRIES = 64,
    MOST_NEST_LOOPS = 256,
    MOST_SKEW = 1000,
    LONGEST_STAMP = 4096
};

/* ---- maps ---- */

/* Add every name of the text that could be a loop, once. */
static int collect_names(
        struct sator_arena *arena, const char *text, size_t length, const char ***names)
{
    int n_names = 0;

    for (size_t i = 0; i < length;) {
        size_t end = i;
        if (!isalpha((unsigned char)text[i]) && text[i] != '_') {
            i++;
            continue;
        }
        while (end < length && (isalnum((unsigned char)text[end]) || text[end] == '_'))
            end++;
        const char *name = sator_arena_strndup(arena, text + i, end - i);
        int same = 0;
        while (same < n_names && strcmp((*names)[same], name) != 0)
            same++;
        if (same == n_names)
            SATOR_PUSH(arena, *names, n_names, name);
        i = end;
    }
    return n_names;
}

/* A tuple over whatever loops and arrays it names: only its form can be judged yet. */
static enum sator_status check_tuple(struct sator_ctx *ctx, struct sator_loc loc)
{
    const struct sator_extents unknown = {.n_arrays = -1};
    struct sator_arena *scratch = sator_arena_new();
    const char **names = NULL;
    const char *name;
    int n_exprs;
    const struct sator_expr *const *exprs;

    int n_names = collect_names(scratch, loc.source->text + loc.offset, loc.length, &names);
    enum sator_status st =
            sator_tuple_read(ctx, scratch, loc, n_names, names, &unknown, &name, &n_exprs, &exprs);
    sator_arena_free(scratch);
    return st;
}

enum sator_status sator_yaml_read_stamp(struct sator_ctx *ctx, struct sator_arena *arena,
        struct sator_loc loc, const char *key, const struct sator_relation **relation)
{
    const char *text = loc.source->text + loc.offset;
    const struct sator_relation *read;
    bool is_relation = false;
    enum sator_status st;

    if (loc.length > LONGEST_STAMP)
        return sator_error(ctx, (struct sator_loc){loc.source, loc.offset, 1},
                "'%s' is longer than %d characters", key, LONGEST_STAMP);
    for (size_t i = 0; i < loc.length; i++)
        is_relation |= text[i] == '{' || text[i] == '>';
    if (!is_relation)
        return check_tuple(ctx, loc);
    SATOR_TRY(sator_relation_read(ctx, arena, loc, &read));
    if (read->is_set)
        return sator_error(ctx, loc, "%s: a relation such as { S[i,j] -> PE[i] } is expected", key);
    *relation = read;
done:
    return st;
}

static void read_map(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *key, struct sator_loc *loc, const struct sator_relation **relation)
{
    const char *text;

    if (!sator_yaml_string(reader, node, key, &text))
        return;
    *loc = node->text_loc;
    sator_yaml_read_stamp(reader->ctx, reader->arena, *loc, key, relation);
}

/* ---- cuts ---- */

static void read_cut_side(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *key, int *value)
{
    const struct sator_yaml_node *node = sator_yaml_get(reader, map, key);
    int64_t read;

    if (node == NULL)
        return;
    *value = SATOR_CUT_ALL;
    if (node->kind == SATOR_YAML_SCALAR && strcmp(node->text, "all") == 0)
        return;
    if (sator_yaml_int(reader, node, key, 0, MOST_NEST_LOOPS, &read))
        *value = (int)read;
}

static void read_cuts(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_dataflow *dataflow)
{
    static const char *const keys[] = {"time", "space", "bypass"};
    struct sator_cut *cuts = NULL;

    if (node == NULL || !sator_yaml_is(reader, node, SATOR_YAML_MAP, "cuts"))
        return;
    for (int i = 0; i < node->n_pairs && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_pair *pair = &node->pairs[i];
        struct sator_cut cut = {
                .time = SATOR_CUT_UNSAID, .space = SATOR_CUT_ALL, .loc = pair->key->loc};
        if (!sator_yaml_identifier(reader, pair->key, "a level's name", &cut.level))
            continue;
        if (!sator_yaml_is(reader, pair->value, SATOR_YAML_MAP, "a cut")) {
            sator_help(
                    reader->ctx, "as in {%s: {time: 2}}: the leading time dimensions", cut.level);
            continue;
        }
        sator_yaml_check_keys(reader, pair->value, "a cut", keys, SATOR_YAML_COUNT(keys));
        if (pair->value->n_pairs == 0)
            sator_error(reader->ctx, cut.loc, "a cut needs 'time', 'space' or 'bypass'");
        read_cut_side(reader, pair->value, "time", &cut.time);
        read_cut_side(reader, pair->value, "space", &cut.space);
        const struct sator_yaml_node *bypass = sator_yaml_get(reader, pair->value, "bypass");
        if (bypass != NULL)
            sator_yaml_names(reader, bypass, "bypass", &cut.n_bypass, &cut.bypass);
        SATOR_PUSH(reader->arena, cuts, dataflow->n_cuts, cut);
    }
    dataflow->cuts = cuts;
}

/* ---- loops ---- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* A number of at most 2^40 at "*text", which moves past it. */
static bool scan_number(const char **text, int64_t *value)
{
    const char *c = *text;

    *value = 0;
    if (!isdigit((unsigned char)*c))
        return false;
    for (; isdigit((unsigned char)*c); c++) {
        *value = *value * 10 + (*c - '0');
        if (*value > INT64_C(1) << 40)
            return false;
    }
    *text = c;
    return true;
}

/* "k 4", or for a parallel loop "k 4 -> 0". */
static bool scan_loop(
        struct sator_arena *arena, const char *text, bool parallel, struct sator_nest_loop *loop)
{
    const char *c = skip_blanks(text);
    const char *name = c;
    int64_t dim = -1;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    if (c == name || isdigit((unsigned char)*name))
        return false;
    loop->loop = sator_arena_strndup(arena, name, (size_t)(c - name));
    c = skip_blanks(c);
    if (!scan_number(&c, &loop->extent) || loop->extent < 1)
        return false;
    c = skip_blanks(c);
    if (parallel) {
        if (strncmp(c, "->", 2) != 0)
            return false;
        c = skip_blanks(c + 2);
        if (!scan_number(&c, &dim) || dim > 15)
            return false;
        c = skip_blanks(c);
    }
    loop->dim = (int)dim;
    return *c == '\0';
}

static void read_loops(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        bool parallel, struct sator_loop_entry *entry)
{
    const char *key = parallel ? "parallel" : "for";

    if (list == NULL)
        return;
    int n_items = list->kind == SATOR_YAML_LIST ? list->n_items : 1;
    for (int i = 0; i < n_items && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_node *item = list->kind == SATOR_YAML_LIST ? list->items[i] : list;
        struct sator_nest_loop loop = {.loc = item->loc};
        if (!sator_yaml_is(reader, item, SATOR_YAML_SCALAR, key))
            continue;
        if (!scan_loop(reader->arena, item->text, parallel, &loop)) {
            sator_error(reader->ctx, item->loc, "%s: '%s' is no loop", key,
                    sator_yaml_clip(reader->scratch, item->text));
            sator_help(reader->ctx,
                    parallel ? "write the loop, its extent and the array's dimension: 'k 8 -> 0'"
                             : "write the loop and its extent: 'k 4'");
            continue;
        }
        SATOR_PUSH(reader->arena, entry->loops, entry->n_loops, loop);
    }
}

/* "[1, -1]", a coefficient a dimension, or a single one. */
static void read_skew(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        struct sator_loop_entry *entry)
{
    int64_t *skew = NULL, value;

    if (list == NULL)
        return;
    int n_items = list->kind == SATOR_YAML_LIST ? list->n_items : 1;
    entry->skew_loc = list->kind == SATOR_YAML_LIST
            ? (struct sator_loc){list->loc.source, list->loc.offset, 1}
            : list->loc;
    if (n_items == 0)
        sator_error(reader->ctx, entry->skew_loc,
                "skew: a coefficient for each dimension belongs here");
    for (int i = 0; i < n_items && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_node *item = list->kind == SATOR_YAML_LIST ? list->items[i] : list;
        if (sator_yaml_int(reader, item, "skew", -MOST_SKEW, MOST_SKEW, &value))
            SATOR_PUSH(reader->arena, skew, entry->n_skew, value);
    }
    entry->skew = skew;
}

static void read_joined(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_loop_entry *entry)
{
    int64_t value;

    if (node == NULL || !sator_yaml_int(reader, node, "joined", 0, MOST_NEST_LOOPS, &value))
        return;
    entry->says_joined = true;
    entry->joined = (int)value;
    entry->joined_loc = node->loc;
}

static void read_entry(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_loop_nest *nest)
{
    static const char *const keys[] = {"at", "for", "parallel", "bypass", "skew", "joined"};
    struct sator_loop_entry entry = {.loc = node->loc};

    if (!sator_yaml_is(reader, node, SATOR_YAML_MAP, "an entry of loops"))
        return;
    entry.loc.length = 1;
    sator_yaml_check_keys(reader, node, "an entry of loops", keys, SATOR_YAML_COUNT(keys));
    const struct sator_yaml_node *at = sator_yaml_need(reader, node, "an entry of loops", "at");
    if (at != NULL && sator_yaml_identifier(reader, at, "at", &entry.level))
        entry.loc = at->loc;
    const struct sator_yaml_node *bypass = sator_yaml_get(reader, node, "bypass");
    if (bypass != NULL)
        sator_yaml_names(reader, bypass, "bypass", &entry.n_bypass, &entry.bypass);
    read_loops(reader, sator_yaml_get(reader, node, "for"), false, &entry);
    read_loops(reader, sator_yaml_get(reader, node, "parallel"), true, &entry);
    read_skew(reader, sator_yaml_get(reader, node, "skew"), &entry);
    if (entry.n_skew > 0 && entry.n_loops == 0 && !sator_yaml_failed(reader))
        sator_warn(reader->ctx, entry.skew_loc,
                "this skew shifts nothing: no loop runs in parallel at '%s'", entry.level);
    read_joined(reader, sator_yaml_get(reader, node, "joined"), &entry);
    for (int i = 0; entry.level != NULL && i < nest->n_entries; i++) {
        if (strcmp(nest->entries[i].level, entry.level) == 0) {
            sator_error(reader->ctx, entry.loc, "two entries are at '%s'", entry.level);
            sator_help(reader->ctx, "put the loops of a level into one entry");
        }
    }
    if (entry.level != NULL)
        SATOR_PUSH(reader->arena, nest->entries, nest->n_entries, entry);
}

static void read_nest(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        struct sator_dataflow *dataflow)
{
    struct sator_loop_nest *nest = SATOR_NEW(reader->arena, struct sator_loop_nest);
    int n_loops = 0;

    if (!sator_yaml_is(reader, list, SATOR_YAML_LIST, "loops"))
        return;
    if (list->n_items == 0 || list->n_items > MOST_ENTRIES) {
        sator_error(reader->ctx, (struct sator_loc){list->loc.source, list->loc.offset, 1},
                "loops: %d entries; there must be between 1 and %d", list->n_items, MOST_ENTRIES);
        return;
    }
    for (int i = 0; i < list->n_items; i++)
        read_entry(reader, list->items[i], nest);
    for (int i = 0; i < nest->n_entries; i++)
        n_loops += nest->entries[i].n_loops;
    if (n_loops > MOST_NEST_LOOPS)
        sator_error(reader->ctx, nest->entries[0].loc, "loops: more than %d loops in all",
                MOST_NEST_LOOPS);
    dataflow->loops = nest;
}

/* ---- the document ---- */

static void refuse_beside(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        const char *key, const char *const *others, int n_others, const char *why)
{
    for (int i = 0; i < n_others; i++) {
        const struct sator_yaml_node *other = sator_yaml_find(root, others[i]);
        if (other != NULL)
            sator_error(reader->ctx, (struct sator_loc){other->loc.source, other->loc.offset, 1},
                    "'%s' cannot be given together with '%s', %s", others[i], key, why);
    }
}

static void read_dataflow(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        struct sator_dataflow *dataflow)
{
    const struct sator_yaml_node *node;

    read_cuts(reader, sator_yaml_get(reader, root, "cuts"), dataflow);
    if ((node = sator_yaml_get(reader, root, "loops")) != NULL) {
        static const char *const others[] = {"space", "time", "cuts"};
        refuse_beside(
                reader, root, "loops", others, SATOR_YAML_COUNT(others), "from which it follows");
        read_nest(reader, node, dataflow);
        return;
    }
    if (sator_yaml_find(root, "space") == NULL && sator_yaml_find(root, "time") == NULL) {
        struct sator_loc loc = root->n_pairs == 0 ? root->loc : root->pairs[0].key->loc;
        sator_error(reader->ctx, loc, "a dataflow needs 'space' and 'time', or 'loops'");
        return;
    }
    if ((node = sator_yaml_need(reader, root, "a dataflow", "space")) != NULL)
        read_map(reader, node, "space", &dataflow->space_loc, &dataflow->space);
    if ((node = sator_yaml_need(reader, root, "a dataflow", "time")) != NULL)
        read_map(reader, node, "time", &dataflow->time_loc, &dataflow->time);
    dataflow->space_source = dataflow->space_loc.source;
}

/* A network's dataflows by the names of its layers. */
static void read_layers(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_dataflow *dataflow)
{
    static const char *const keys[] = {"space", "time", "cuts", "loops"};
    struct sator_layer_dataflow *layers = NULL;

    if (!sator_yaml_is(reader, map, SATOR_YAML_MAP, "for_layers"))
        return;
    if (map->n_pairs == 0)
        sator_error(reader->ctx, map->loc, "for_layers names no layer");
    for (int i = 0; i < map->n_pairs && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_pair *pair = &map->pairs[i];
        struct sator_dataflow *own = SATOR_NEW(reader->arena, struct sator_dataflow);
        struct sator_layer_dataflow layer = {.dataflow = own};
        *own = (struct sator_dataflow){.name = dataflow->name, .loc = pair->key->loc};
        if (!sator_yaml_string(reader, pair->key, "a layer's name", &layer.layer) ||
                !sator_yaml_is(reader, pair->value, SATOR_YAML_MAP, "a layer's dataflow"))
            continue;
        sator_yaml_check_keys(
                reader, pair->value, "a layer's dataflow", keys, SATOR_YAML_COUNT(keys));
        read_dataflow(reader, pair->value, own);
        SATOR_PUSH(reader->arena, layers, dataflow->n_layers, layer);
    }
    dataflow->layers = layers;
}

static void read_document(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        struct sator_dataflow *dataflow)
{
    static const char *const others[] = {"space", "time", "cuts", "loops"};
    int n_keys;
    const char *const *keys = sator_yaml_keys(SATOR_DOCUMENT_DATAFLOW, &n_keys);
    const struct sator_yaml_node *node;

    sator_yaml_check_keys(reader, root, "a dataflow", keys, n_keys);
    if ((node = sator_yaml_get(reader, root, "name")) != NULL)
        sator_yaml_string(reader, node, "name", &dataflow->name);
    if ((node = sator_yaml_get(reader, root, "for_layers")) == NULL) {
        read_dataflow(reader, root, dataflow);
        return;
    }
    refuse_beside(reader, root, "for_layers", others, SATOR_YAML_COUNT(others),
            "where each layer has its own");
    read_layers(reader, node, dataflow);
}

enum sator_status sator_yaml_dataflow(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_settings *settings, struct sator_dataflow **dataflow)
{
    struct sator_yaml_reader reader;

    sator_yaml_reader_init(&reader, ctx, settings);
    struct sator_dataflow *read = SATOR_NEW(reader.arena, struct sator_dataflow);
    *read = (struct sator_dataflow){.arena = reader.arena,
            .name = sator_yaml_base_name(reader.arena, source->path),
            .loc = {source, 0, 0}};
    struct sator_yaml_node *root = sator_yaml_open(&reader, source, SATOR_DOCUMENT_DATAFLOW);
    if (root != NULL)
        read_document(&reader, root, read);
    enum sator_status st = sator_yaml_reader_end(&reader);
    if (st == SATOR_OK)
        *dataflow = read;
    return st;
}
