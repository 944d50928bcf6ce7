/* An architecture as levels: memories, and between them the arrays that their instances fan out to.
 */
#include "frontend/timeloop/timeloop.h"

#include <string.h>

enum {
    MOST_LEVELS = 64
};

struct collector {
    struct timeloop *t;
    int n_levels;
    struct timeloop_level *levels;
};

static bool number(struct timeloop *t, const struct sator_yaml_node *attributes,
        const char *const *keys, double *value)
{
    for (int i = 0; keys[i] != NULL; i++) {
        const struct sator_yaml_node *node = timeloop_get(attributes, keys[i]);
        if (node != NULL && node->kind == SATOR_YAML_SCALAR && strcmp(node->text, "null") != 0 &&
                strcmp(node->text, "Y") != 0)
            return sator_yaml_number(&t->reader, node, keys[i], true, value);
    }
    return false;
}

static const char *const width_keys[] = {"width", "memory_width", "data_storage_width", NULL};
static const char *const word_keys[] = {"word_bits", "word_width", "datawidth", NULL};
static const char *const depth_keys[] = {
        "entries", "depth", "memory_depth", "data_storage_depth", NULL};

static bool is_word(const struct sator_yaml_node *map, const char *key, const char *word)
{
    const struct sator_yaml_node *node = timeloop_get(map, key);

    return node != NULL && node->kind == SATOR_YAML_SCALAR && strcmp(node->text, word) == 0;
}

static void add_level(struct collector *c, const struct sator_yaml_node *node, int64_t outside)
{
    struct timeloop *t = c->t;
    const struct sator_yaml_node *name = timeloop_get(node, "name"), *count;
    static const char *const keys[] = {
            "name", "class", "attributes", "required_actions", "enabled", "subclass"};
    struct timeloop_level level = {.loc = node->loc, .mesh_x = 0};
    double mesh = 0;

    if (c->n_levels == MOST_LEVELS ||
            !sator_yaml_is(&t->reader, node, SATOR_YAML_MAP, "a component"))
        return;
    level.attributes = timeloop_get(node, "attributes");
    if (level.attributes == NULL)
        level.attributes = node; /* the oldest form */
    else
        timeloop_check(t, node, keys, SATOR_YAML_COUNT(keys));
    level.name = "MACs";
    level.instances = 1;
    if (name != NULL && sator_yaml_is(&t->reader, name, SATOR_YAML_SCALAR, "a component's name"))
        level.name = timeloop_name(t, name, &level.instances);
    if ((count = timeloop_get(level.attributes, "instances")) != NULL)
        sator_yaml_int(&t->reader, count, "instances", 1, INT32_MAX, &level.instances);
    if (__builtin_mul_overflow(level.instances, outside, &level.instances) ||
            level.instances > INT32_MAX)
        sator_error(t->reader.ctx, node->loc, "more than 2^31 instances");
    if (number(t, level.attributes, (const char *[]){"meshX", NULL}, &mesh) && mesh < 1e9)
        level.mesh_x = (int64_t)mesh;
    level.is_dummy = is_word(node, "class", "dummy_storage");
    level.is_dram = is_word(node, "class", "DRAM") ||
            is_word(level.attributes, "technology", "DRAM") || strcmp(level.name, "DRAM") == 0;
    SATOR_PUSH(t->reader.scratch, c->levels, c->n_levels, level);
}

/* A tree: what is local to it, then what is below. */
static void add_tree(
        struct collector *c, const struct sator_yaml_node *tree, int64_t outside, int depth)
{
    struct timeloop *t = c->t;
    const struct sator_yaml_node *local = timeloop_get(tree, "local");
    const struct sator_yaml_node *below = timeloop_get(tree, "subtree");
    const struct sator_yaml_node *name = timeloop_get(tree, "name");
    int64_t instances = 1;

    if (name != NULL && depth > 0 &&
            sator_yaml_is(&t->reader, name, SATOR_YAML_SCALAR, "a subtree's name"))
        timeloop_name(t, name, &instances);
    if (__builtin_mul_overflow(instances, outside, &instances) || instances > INT32_MAX) {
        sator_error(t->reader.ctx, tree->loc, "more than 2^31 instances");
        return;
    }
    for (int i = 0; local != NULL && i < local->n_items; i++)
        add_level(c, local->items[i], instances);
    if (below == NULL || !sator_yaml_is(&t->reader, below, SATOR_YAML_LIST, "a subtree"))
        return;
    if (below->n_items > 1)
        sator_error(t->reader.ctx, below->items[1]->loc,
                "a second subtree: the levels of one machine are read, one inside the other");
    if (below->n_items > 0 && depth < MOST_LEVELS)
        add_tree(c, below->items[0], instances, depth + 1);
}

/* The oldest form: storage from the innermost level outwards, and the arithmetic. */
static void add_storage(struct collector *c, const struct sator_yaml_node *arch)
{
    const struct sator_yaml_node *storage = timeloop_get(arch, "storage");
    const struct sator_yaml_node *arithmetic = timeloop_get(arch, "arithmetic");

    if (storage == NULL || arithmetic == NULL ||
            !sator_yaml_is(&c->t->reader, storage, SATOR_YAML_LIST, "storage")) {
        sator_error(c->t->reader.ctx, arch->loc,
                "an architecture needs 'subtree', or 'storage' and 'arithmetic'");
        return;
    }
    for (int i = storage->n_items - 1; i >= 0; i--)
        add_level(c, storage->items[i], 1);
    add_level(c, arithmetic, 1);
}

struct timeloop_level *timeloop_levels(struct timeloop *t, int *n_levels)
{
    struct collector c = {.t = t};
    const struct sator_yaml_node *arch = timeloop_get(t->root, "architecture");

    *n_levels = 0;
    if (arch == NULL)
        arch = timeloop_get(t->root, "arch");
    if (arch == NULL)
        return NULL;
    if (timeloop_get(arch, "nodes") != NULL) {
        sator_error(t->reader.ctx, arch->loc,
                "an architecture of 'nodes' is read as Timeloop's front end dumps it "
                "(parsed-processed-input.yaml)");
        return NULL;
    }
    if (timeloop_get(arch, "subtree") != NULL)
        add_tree(&c, arch, 1, 0);
    else
        add_storage(&c, arch);
    if (c.n_levels < 2 && !sator_yaml_failed(&t->reader))
        sator_error(t->reader.ctx, arch->loc, "an architecture needs a memory and the arithmetic");
    *n_levels = c.n_levels;
    return sator_yaml_failed(&t->reader) ? NULL : c.levels;
}

/* ---- writing ---- */

/* Words that fit: depth * width / datawidth, or sizeKB; 0 when it is not said. */
static double words_of(struct timeloop *t, const struct timeloop_level *level, double word)
{
    double depth = 0, width = word, kilobytes = 0;

    if (number(t, level->attributes, (const char *[]){"sizeKB", NULL}, &kilobytes))
        return kilobytes * 8192 / word;
    if (!number(t, level->attributes, depth_keys, &depth))
        return 0;
    /* entries are words, a depth is one of rows */
    if (timeloop_get(level->attributes, "entries") == NULL)
        number(t, level->attributes, width_keys, &width);
    return depth * width / word;
}

static void write_bandwidths(struct timeloop *t, const struct timeloop_level *level, double word,
        struct sator_text *text)
{
    double both = 0, read = 0, write = 0;

    if (number(t, level->attributes, (const char *[]){"bandwidth", NULL}, &both))
        read = write = both;
    number(t, level->attributes, (const char *[]){"read_bandwidth", NULL}, &read);
    number(t, level->attributes, (const char *[]){"write_bandwidth", NULL}, &write);
    if (read > 0 || write > 0)
        sator_text_add(text, ", bandwidth_bits: {");
    if (read > 0)
        sator_text_add(text, "read: %.17g", read * word);
    if (write > 0)
        sator_text_add(text, "%swrite: %.17g", read > 0 ? ", " : "", write * word);
    if (read > 0 || write > 0)
        sator_text_add(text, "}");
    both = 0;
    if (number(t, level->attributes, (const char *[]){"shared_bandwidth", NULL}, &both))
        sator_text_add(text, ", ports: [{name: shared, direction: shared, bandwidth_bits: %.17g}]",
                both * word);
}

/* What the constraints let bypass the level: "bypass" of its target. */
static void write_bypass(
        struct timeloop *t, const struct timeloop_level *level, struct sator_text *text)
{
    const struct sator_yaml_node *constraints = timeloop_get(t->root, "architecture_constraints");
    const struct sator_yaml_node *targets = timeloop_get(constraints, "targets");

    for (int i = 0; targets != NULL && i < targets->n_items; i++) {
        const struct sator_yaml_node *target = timeloop_get(targets->items[i], "target");
        const struct sator_yaml_node *list = timeloop_get(targets->items[i], "bypass");
        if (target == NULL || target->kind != SATOR_YAML_SCALAR ||
                strcmp(target->text, level->name) != 0 || list == NULL || list->n_items == 0)
            continue;
        for (int k = 0; k < list->n_items; k++)
            sator_text_add(text, "%s%s", k == 0 ? ", bypass: [" : ", ", list->items[k]->text);
        sator_text_put(text, "]");
        return;
    }
    if (level->is_dram)
        return;
    const char *const *names;
    int n = timeloop_tensors(t, &names);
    for (int k = 0; k < n; k++)
        sator_text_add(text, "%s%s", k == 0 ? ", may_bypass: [" : ", ", names[k]);
    sator_text_put(text, "]");
}

static void write_memory(struct timeloop *t, const struct timeloop_level *level, bool outermost,
        struct sator_text *text)
{
    static const char *const known[] = {"width", "memory_width", "data_storage_width", "word_bits",
            "word_width", "datawidth", "entries", "depth", "memory_depth", "data_storage_depth",
            "sizeKB", "bandwidth", "read_bandwidth", "write_bandwidth", "shared_bandwidth", "meshX",
            "meshY", "instances", "name", "multiple_buffering", "technology"};
    double word = 16, words, buffers = 1;

    number(t, level->attributes, word_keys, &word);
    words = words_of(t, level, word);
    /* the last of them says only whether the memory is a DRAM */
    timeloop_check(t, level->attributes, known, SATOR_YAML_COUNT(known) - !level->is_dram);
    sator_text_put(text, "  - {memory: ");
    sator_yaml_quote(text, level->name);
    number(t, level->attributes, (const char *[]){"multiple_buffering", NULL}, &buffers);
    if (words > 0 && !level->is_dram)
        sator_text_add(text, ", capacity_words: %.0f", words / buffers);
    write_bandwidths(t, level, word, text);
    if (!outermost)
        write_bypass(t, level, text);
    sator_text_put(text, "}\n");
}

/* A network sends a word to all that want it, and adds what several give. */
static void add_array(
        struct timeloop *t, const char *outer, int64_t x, int64_t y, struct sator_text *text)
{
    const char *name = sator_arena_printf(t->reader.scratch, "%s_fanout", outer);

    sator_text_add(text,
            "  - {array: %s, shape: [%lld, %lld], multicast: [{name: all, map: \"%s[i,j] -> "
            "BUS[0]\"}], reduction: [{name: sum, map: \"%s[i,j] -> TREE[0]\"}]}\n",
            name, (long long)x, (long long)y, name, name);
}

/* The array between a level and the next: X, then Y. */
static void write_array(struct timeloop *t, const struct timeloop_level *outer,
        const struct timeloop_level *inner, struct sator_text *text)
{
    int64_t fanout = inner->instances / outer->instances, x;

    if (inner->instances % outer->instances != 0) {
        sator_error(t->reader.ctx, inner->loc, "%lld instances of '%s' cannot share %lld of '%s'",
                (long long)outer->instances, outer->name, (long long)inner->instances, inner->name);
        return;
    }
    if (fanout == 1)
        return;
    int64_t outer_x = outer->mesh_x > 0 ? outer->mesh_x : 1;
    x = inner->mesh_x > 0 && inner->mesh_x % outer_x == 0 ? inner->mesh_x / outer_x : fanout;
    if (x < 1 || fanout % x != 0) {
        sator_error(t->reader.ctx, inner->loc,
                "a mesh of %lld along X does not fit %lld instances of '%s'", (long long)x,
                (long long)fanout, inner->name);
        return;
    }
    add_array(t, outer->name, x, fanout / x, text);
}

/* Constraints on loops are for a search: they are not the machine's. */
static void check_constraints(struct timeloop *t)
{
    const struct sator_yaml_node *targets =
            timeloop_get(timeloop_get(t->root, "architecture_constraints"), "targets");

    for (int i = 0; targets != NULL && i < targets->n_items; i++) {
        if (is_word(targets->items[i], "type", "temporal"))
            timeloop_unused(t, "temporal constraints");
        else if (is_word(targets->items[i], "type", "spatial"))
            timeloop_unused(t, "spatial constraints");
        else if (timeloop_get(targets->items[i], "bypass") == NULL)
            timeloop_unused(t, "constraints that let nothing bypass");
    }
}

void timeloop_write_arch(struct timeloop *t, struct sator_text *text)
{
    static const char *const sections[] = {"architecture", "arch", "problem", "mapping",
            "dumped_by_timeloop_front_end", "architecture_constraints"};
    int n_levels;
    struct timeloop_level *levels = timeloop_levels(t, &n_levels);

    if (levels == NULL)
        return;
    timeloop_check(t, t->root, sections, SATOR_YAML_COUNT(sections));
    check_constraints(t);
    sator_text_put(text, "name: ");
    sator_yaml_quote(text, sator_yaml_base_name(t->reader.scratch, t->source->path));
    sator_text_put(text, "\nlevels:\n");
    for (int i = 0; i < n_levels; i++) {
        /* without a fan-out, the arithmetic is an array of one */
        if (i == n_levels - 1 && levels[i].instances == levels[0].instances)
            add_array(t, levels[i - 1].name, 1, 1, text);
        if (i == n_levels - 1) {
            sator_text_put(text, "  - {compute: ");
            sator_yaml_quote(text, levels[i].name);
            sator_text_put(text, "}\n");
        } else if (!levels[i].is_dummy) {
            write_memory(t, &levels[i], i == 0, text);
        }
        if (i + 1 < n_levels)
            write_array(t, &levels[i], &levels[i + 1], text);
    }
}
