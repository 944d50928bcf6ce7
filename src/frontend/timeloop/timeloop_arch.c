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
    int n_around; /* attributes of the containers that are open */
    const struct sator_yaml_node *around[MOST_LEVELS];
    bool is_full; /* something was left out */
};

/* The attribute that one of "keys" names ("*key"), as far as it has a value: the level's own, or
 * that of the nearest container. */
static const struct sator_yaml_node *attribute(
        const struct timeloop_level *level, const char *const *keys, const char **key)
{
    for (int around = level->n_inherited; around >= 0; around--) {
        const struct sator_yaml_node *map =
                around == level->n_inherited ? level->attributes : level->inherited[around];
        for (int i = 0; keys[i] != NULL; i++) {
            const struct sator_yaml_node *node = timeloop_get(map, keys[i]);
            if (node != NULL && node->kind == SATOR_YAML_SCALAR &&
                    strcmp(node->text, "null") != 0 && strcmp(node->text, "Y") != 0) {
                *key = keys[i];
                return node;
            }
        }
    }
    return NULL;
}

static bool number(struct timeloop *t, const struct timeloop_level *level, const char *const *keys,
        double *value)
{
    const char *key;
    const struct sator_yaml_node *node = attribute(level, keys, &key);

    return node != NULL && sator_yaml_number(&t->reader, node, key, true, value);
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

/* Whether one more fits into a table that holds "n"; the message for the first that does not. */
static bool has_room(struct collector *c, const struct sator_yaml_node *node, int n)
{
    if (n >= MOST_LEVELS && !c->is_full)
        sator_error(
                c->t->reader.ctx, node->loc, "more than %d components or containers", MOST_LEVELS);
    c->is_full |= n >= MOST_LEVELS;
    return n < MOST_LEVELS;
}

static void add_level(struct collector *c, const struct sator_yaml_node *node, int64_t outside)
{
    struct timeloop *t = c->t;
    const struct sator_yaml_node *name = timeloop_get(node, "name"), *count;
    static const char *const keys[] = {"name", "class", "attributes", "required_actions", "enabled",
            "subclass", "spatial", "constraints"};
    struct timeloop_level level = {.loc = node->loc, .mesh_x = 0};
    double mesh = 0;

    if (!sator_yaml_is(&t->reader, node, SATOR_YAML_MAP, "a component") ||
            !has_room(c, node, c->n_levels))
        return;
    level.attributes = timeloop_get(node, "attributes");
    level.constraints = timeloop_get(node, "constraints");
    level.inherited = sator_arena_copy(t->reader.scratch, c->around, sizeof c->around);
    level.n_inherited = c->n_around;
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
    if (number(t, &level, (const char *[]){"meshX", NULL}, &mesh) && mesh < 1e9)
        level.mesh_x = (int64_t)mesh;
    level.is_dummy =
            is_word(node, "class", "dummy_storage") || is_word(level.attributes, "entries", "0");
    level.is_dram = is_word(node, "class", "DRAM") || is_word(node, "class", "dram") ||
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
    if (below->n_items > 0)
        add_tree(c, below->items[0], instances, depth + 1);
}

static void add_nodes(struct collector *c, const struct sator_yaml_node *list, int64_t *instances,
        int64_t *mesh_x);

/* How often a node stands there; along X in "*x". */
static int64_t spatial_of(struct collector *c, const struct sator_yaml_node *node, int64_t *x)
{
    static const char *const keys[] = {"meshX", "meshY"};
    const struct sator_yaml_node *spatial = timeloop_get(node, "spatial");
    int64_t y = 1;

    *x = 1;
    if (spatial == NULL || !sator_yaml_is(&c->t->reader, spatial, SATOR_YAML_MAP, "spatial"))
        return 1;
    timeloop_check(c->t, spatial, keys, SATOR_YAML_COUNT(keys));
    const struct sator_yaml_node *mesh_x = timeloop_get(spatial, "meshX");
    const struct sator_yaml_node *mesh_y = timeloop_get(spatial, "meshY");
    if (mesh_x != NULL)
        sator_yaml_int(&c->t->reader, mesh_x, "meshX", 1, INT32_MAX, x);
    if (mesh_y != NULL)
        sator_yaml_int(&c->t->reader, mesh_y, "meshY", 1, INT32_MAX, &y);
    return *x * y;
}

/* A node of version 0.4: a component, a container around all nodes behind it in its list, or a
 * list of nodes. */
static void add_node(struct collector *c, const struct sator_yaml_node *node, int64_t *instances,
        int64_t *mesh_x)
{
    static const char *const keys[] = {"name", "attributes", "spatial", "constraints", "enabled"};
    struct timeloop *t = c->t;
    const struct sator_yaml_node *below = timeloop_get(node, "nodes");
    const struct sator_yaml_node *name = timeloop_get(node, "name");
    int64_t x, many;

    if (!sator_yaml_is(&t->reader, node, SATOR_YAML_MAP, "a node"))
        return;
    if (below != NULL) { /* !Hierarchical, !Parallel */
        add_nodes(c, below, instances, mesh_x);
        return;
    }
    bool is_container = node->tag != NULL ? strcmp(node->tag, "!Container") == 0
                                          : timeloop_get(node, "class") == NULL;
    many = spatial_of(c, node, &x);
    if (is_container) {
        timeloop_check(t, node, keys, SATOR_YAML_COUNT(keys));
        if (many > 1 && name != NULL && name->kind == SATOR_YAML_SCALAR) {
            int64_t one;
            struct timeloop_level level = {.name = timeloop_name(t, name, &one),
                    .loc = node->loc,
                    .attributes = node,
                    .constraints = timeloop_get(node, "constraints"),
                    .instances = *instances,
                    .mesh_x = *mesh_x,
                    .is_dummy = true};
            SATOR_PUSH(t->reader.scratch, c->levels, c->n_levels, level);
        }
        if (timeloop_get(node, "attributes") != NULL && has_room(c, node, c->n_around))
            c->around[c->n_around++] = timeloop_get(node, "attributes");
    }
    if (__builtin_mul_overflow(*instances, many, instances) || *instances > INT32_MAX) {
        sator_error(t->reader.ctx, node->loc, "more than 2^31 instances");
        *instances = 1;
    }
    *mesh_x *= x;
    if (is_container)
        return;
    add_level(c, node, *instances);
    if (c->n_levels > 0)
        c->levels[c->n_levels - 1].mesh_x = *mesh_x;
}

static void add_nodes(struct collector *c, const struct sator_yaml_node *list, int64_t *instances,
        int64_t *mesh_x)
{
    int n_around = c->n_around;

    if (!sator_yaml_is(&c->t->reader, list, SATOR_YAML_LIST, "nodes"))
        return;
    for (int i = 0; i < list->n_items && !c->is_full; i++)
        add_node(c, list->items[i], instances, mesh_x);
    c->n_around = n_around;
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
    int64_t instances = 1, mesh_x = 1;
    if (timeloop_get(arch, "nodes") != NULL)
        add_nodes(&c, timeloop_get(arch, "nodes"), &instances, &mesh_x);
    else if (timeloop_get(arch, "subtree") != NULL)
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
    const char *key;

    if (number(t, level, (const char *[]){"sizeKB", NULL}, &kilobytes))
        return kilobytes * 8192 / word;
    if (!number(t, level, depth_keys, &depth))
        return 0;
    /* entries are words, a depth is one of rows */
    if (attribute(level, (const char *[]){"entries", NULL}, &key) == NULL)
        number(t, level, width_keys, &width);
    return depth * width / word;
}

static void write_bandwidths(struct timeloop *t, const struct timeloop_level *level, double word,
        struct sator_text *text)
{
    double both = 0, read = 0, write = 0;

    if (number(t, level, (const char *[]){"bandwidth", NULL}, &both))
        read = write = both;
    number(t, level, (const char *[]){"read_bandwidth", NULL}, &read);
    number(t, level, (const char *[]){"write_bandwidth", NULL}, &write);
    if (read > 0 || write > 0)
        sator_text_add(text, ", bandwidth_bits: {");
    if (read > 0)
        sator_text_add(text, "read: %.17g", read * word);
    if (write > 0)
        sator_text_add(text, "%swrite: %.17g", read > 0 ? ", " : "", write * word);
    if (read > 0 || write > 0)
        sator_text_add(text, "}");
    both = 0;
    if (number(t, level, (const char *[]){"shared_bandwidth", NULL}, &both))
        sator_text_add(text, ", ports: [{name: shared, direction: shared, bandwidth_bits: %.17g}]",
                both * word);
}

/* Whether "key" of a constraint names the tensor. */
static bool names(const struct sator_yaml_node *constraint, const char *key, const char *tensor)
{
    const struct sator_yaml_node *list = timeloop_get(constraint, key);

    for (int i = 0; list != NULL && list->kind == SATOR_YAML_LIST && i < list->n_items; i++) {
        if (list->items[i]->kind == SATOR_YAML_SCALAR && strcmp(list->items[i]->text, tensor) == 0)
            return true;
    }
    return false;
}

/* Whether a constraint on the level says so of the tensor: the file's, or the node's own. */
static bool says(
        struct timeloop *t, const struct timeloop_level *level, const char *key, const char *tensor)
{
    const struct sator_yaml_node *targets = timeloop_targets(t);

    if (names(timeloop_get(level->constraints, "dataspace"), key, tensor))
        return true;
    for (int i = 0; targets != NULL && i < targets->n_items; i++) {
        if (is_word(targets->items[i], "target", level->name) &&
                names(targets->items[i], key, tensor))
            return true;
    }
    return false;
}

/* What bypasses the level, and what may: all that is not constrained to be kept. */
static void write_bypass(
        struct timeloop *t, const struct timeloop_level *level, struct sator_text *text)
{
    const char *const *tensors;
    int n = timeloop_tensors(t, &tensors);

    for (int may = 0; may < 2; may++) {
        int n_written = 0;
        for (int k = 0; k < n; k++) {
            bool must = says(t, level, "bypass", tensors[k]);
            if (may == 0 ? !must : must || level->is_dram || says(t, level, "keep", tensors[k]))
                continue;
            sator_text_add(text, "%s%s",
                    n_written++ > 0 ? ", "
                            : may   ? ", may_bypass: ["
                                    : ", bypass: [",
                    tensors[k]);
        }
        sator_text_put(text, n_written > 0 ? "]" : "");
    }
}

static void write_memory(struct timeloop *t, const struct timeloop_level *level, bool outermost,
        struct sator_text *text)
{
    static const char *const known[] = {"width", "memory_width", "data_storage_width", "word_bits",
            "word_width", "datawidth", "entries", "depth", "memory_depth", "data_storage_depth",
            "sizeKB", "bandwidth", "read_bandwidth", "write_bandwidth", "shared_bandwidth", "meshX",
            "meshY", "instances", "name", "multiple_buffering", "class", "spatial", "constraints",
            "technology"};
    double word = 16, words, buffers = 1;
    bool is_word_said = number(t, level, word_keys, &word);

    words = words_of(t, level, word);
    /* the last of them says only whether the memory is a DRAM */
    timeloop_check(t, level->attributes, known, SATOR_YAML_COUNT(known) - !level->is_dram);
    sator_text_put(text, "  - {memory: ");
    sator_text_add_yaml(text, level->name);
    number(t, level, (const char *[]){"multiple_buffering", NULL}, &buffers);
    if (words > 0 && !level->is_dram)
        sator_text_add(text, ", capacity_words: %.0f", words / buffers);
    write_bandwidths(t, level, word, text);
    if (!outermost)
        write_bypass(t, level, text);
    /* Timeloop counts words: each is as wide as the memory's, whatever the layer */
    if (is_word_said)
        sator_text_add(text, ", word_bits: %.0f", word);
    sator_text_put(text, "}\n");
}

/* A network sends a word to all that want it, and adds what several give. */
static void add_array(
        struct timeloop *t, const char *outer, int64_t x, int64_t y, struct sator_text *text)
{
    const char *name = sator_arena_printf(t->reader.scratch, "%s_fanout", outer);

    sator_text_add(text, "  - {array: %s, shape: [%lld, %lld]", name, (long long)x, (long long)y);
    if (x * y > 1)
        sator_text_add(text,
                ", multicast: [{name: all, map: \"%s[i,j] -> BUS[0]\"}], "
                "reduction: [{name: sum, map: \"%s[i,j] -> TREE[0]\"}]",
                name, name);
    sator_text_put(text, "}\n");
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

/* The constraints: of the file, or of the search, under the name that stands there. */
const struct sator_yaml_node *timeloop_targets(struct timeloop *t)
{
    static const char *const sections[] = {
            "architecture_constraints", "mapspace_constraints", "mapspace", "constraints"};
    const struct sator_yaml_node *found = NULL;

    for (int i = 0; i < SATOR_YAML_COUNT(sections) && found == NULL; i++) {
        const struct sator_yaml_node *section = timeloop_get(t->root, sections[i]);
        const struct sator_yaml_node *list = timeloop_get(section, "constraints");
        if (list != NULL && list->kind == SATOR_YAML_SCALAR)
            list = timeloop_get(
                    section, sator_arena_printf(t->reader.scratch, "constraints_%s", list->text));
        found = section != NULL && section->kind == SATOR_YAML_LIST ? section
                : timeloop_get(section, "targets") != NULL ? timeloop_get(section, "targets")
                                                           : list;
        if (found != NULL && (found->kind != SATOR_YAML_LIST || found->n_items == 0))
            found = NULL;
    }
    return found;
}

/* Constraints on loops are for a search: they are not the machine's. */
static void check_constraints(struct timeloop *t, int n_levels, const struct timeloop_level *levels)
{
    const struct sator_yaml_node *targets = timeloop_targets(t);
    bool loops = false;

    for (int i = 0; targets != NULL && i < targets->n_items; i++)
        loops |= is_word(targets->items[i], "type", "temporal") ||
                is_word(targets->items[i], "type", "spatial");
    for (int i = 0; i < n_levels; i++)
        loops |= timeloop_get(levels[i].constraints, "temporal") != NULL ||
                timeloop_get(levels[i].constraints, "spatial") != NULL;
    if (loops)
        timeloop_unused(t, "constraints on loops");
    t->has_constraints = loops;
}

void timeloop_write_arch(struct timeloop *t, struct sator_text *text)
{
    static const char *const sections[] = {"architecture", "arch", "problem", "mapping",
            "dumped_by_timeloop_front_end", "architecture_constraints", "mapspace_constraints",
            "mapspace", "constraints"};
    const char *mapspace[] = {"constraints", "targets", "version", ""};
    const struct sator_yaml_node *chosen =
            timeloop_get(timeloop_get(t->root, "mapspace"), "constraints");
    int n_levels;
    struct timeloop_level *levels = timeloop_levels(t, &n_levels);

    if (levels == NULL)
        return;
    timeloop_check(t, t->root, sections, SATOR_YAML_COUNT(sections));
    if (chosen != NULL && chosen->kind == SATOR_YAML_SCALAR)
        mapspace[3] = sator_arena_printf(t->reader.scratch, "constraints_%s", chosen->text);
    timeloop_check(t, timeloop_get(t->root, "mapspace"), mapspace, SATOR_YAML_COUNT(mapspace));
    check_constraints(t, n_levels, levels);
    sator_text_put(text, "name: ");
    sator_text_add_yaml(text, sator_yaml_base_name(t->reader.scratch, t->source->path));
    sator_text_put(text, "\nlevels:\n");
    for (int i = 0; i < n_levels; i++) {
        /* without a fan-out, the innermost memory and the arithmetic are an array of one: the
         * operands come from that memory */
        if (i == n_levels - 2 && levels[i + 1].instances == levels[0].instances)
            add_array(t, levels[i > 0 ? i - 1 : 0].name, 1, 1, text);
        if (i == n_levels - 1) {
            sator_text_put(text, "  - {compute: ");
            sator_text_add_yaml(text, levels[i].name);
            sator_text_put(text, "}\n");
        } else if (!levels[i].is_dummy) {
            write_memory(t, &levels[i], i == 0, text);
        }
        if (i + 1 < n_levels)
            write_array(t, &levels[i], &levels[i + 1], text);
    }
}
