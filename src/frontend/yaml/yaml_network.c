/* Networks: layers that are workloads of their own or name one, and the one-layer network of a
 * workload file. */
#include "frontend/yaml/yaml_runs.h"
#include "frontend/yaml/yaml_workload.h"

#include <stdlib.h>
#include <string.h>

struct network_reader {
    struct sator_yaml_reader *reader;
    struct sator_network *network;
    int n_layers;
    struct sator_workload *layers;
    bool *size_used; /* a flag a setting: some layer has that loop */
    /* workloads named by layers, each parsed once */
    int n_named;
    struct named {
        const char *name;
        struct sator_yaml_node *root; /* NULL: there is something wrong with it */
    } * named;
};

/* A copy of "map" whose pairs may be changed. */
static struct sator_yaml_node *copy_map(
        struct sator_arena *arena, const struct sator_yaml_node *map, int room)
{
    struct sator_yaml_node *copy = SATOR_NEW(arena, struct sator_yaml_node);

    *copy = *map;
    copy->pairs = SATOR_NEW_ARRAY(arena, struct sator_yaml_pair, map->n_pairs + room);
    if (map->n_pairs > 0)
        memcpy(copy->pairs, map->pairs, sizeof *copy->pairs * (size_t)map->n_pairs);
    return copy;
}

/* "base" with the pairs of "over" put over its own; maps inside are merged one level deep. */
static struct sator_yaml_node *merge(struct sator_arena *arena, const struct sator_yaml_node *base,
        const struct sator_yaml_node *over, int depth)
{
    struct sator_yaml_node *merged = copy_map(arena, base, over->n_pairs);

    for (int i = 0; i < over->n_pairs; i++) {
        struct sator_yaml_pair pair = over->pairs[i];
        int at = 0;
        while (at < merged->n_pairs && strcmp(merged->pairs[at].key->text, pair.key->text) != 0)
            at++;
        if (at == merged->n_pairs)
            merged->n_pairs++;
        else if (depth > 0 && pair.value->kind == SATOR_YAML_MAP &&
                merged->pairs[at].value->kind == SATOR_YAML_MAP)
            pair.value = merge(arena, merged->pairs[at].value, pair.value, depth - 1);
        merged->pairs[at] = pair;
    }
    return merged;
}

static struct sator_yaml_node *read_named(
        struct network_reader *n, const struct sator_yaml_node *name)
{
    struct sator_yaml_reader *reader = n->reader;
    const struct sator_source *source;
    struct sator_yaml_node *root = NULL;

    for (int i = 0; i < n->n_named; i++) {
        if (strcmp(n->named[i].name, name->text) == 0)
            return n->named[i].root;
    }
    if (reader->settings == NULL || reader->settings->find == NULL)
        sator_error(reader->ctx, name->loc, "another workload cannot be named here");
    else if (reader->settings->find(reader->ctx, "workloads", name->text, name->loc, &source) ==
            SATOR_OK)
        root = sator_yaml_open(reader, source, SATOR_DOCUMENT_UNKNOWN);
    if (root != NULL && sator_yaml_guess(root) != SATOR_DOCUMENT_WORKLOAD) {
        sator_error(reader->ctx, name->loc, "'%s' is not a workload",
                sator_yaml_clip(reader->scratch, name->text));
        root = NULL;
    }
    SATOR_PUSH(reader->scratch, n->named, n->n_named, (struct named){name->text, root});
    return root;
}

/* The sizes of a layer that names a workload are of that workload's loops. */
static void check_loops(struct network_reader *n, const struct sator_yaml_node *base,
        const struct sator_yaml_node *item)
{
    const struct sator_yaml_node *sizes = sator_yaml_find(item, "sizes");
    const struct sator_yaml_node *loops = sator_yaml_find(base, "sizes");

    if (sizes == NULL || loops == NULL || sizes->kind != SATOR_YAML_MAP ||
            loops->kind != SATOR_YAML_MAP)
        return;
    const char **names = SATOR_NEW_ARRAY(n->reader->scratch, const char *, loops->n_pairs + 1);
    for (int i = 0; i < loops->n_pairs; i++)
        names[i] = loops->pairs[i].key->text;
    for (int i = 0; i < sizes->n_pairs && !sator_yaml_full(n->reader); i++) {
        const struct sator_yaml_node *key = sizes->pairs[i].key;
        if (sator_yaml_find(loops, key->text) != NULL)
            continue;
        sator_error(n->reader->ctx, key->loc, "the workload has no loop '%s'",
                sator_yaml_clip(n->reader->scratch, key->text));
        sator_help_names(n->reader->ctx, key->text, names, loops->n_pairs);
    }
}

/* The layer as the map of a workload: its own, or the one that it names with its own keys over it.
 */
static struct sator_yaml_node *resolve(struct network_reader *n, struct sator_yaml_node *item)
{
    struct sator_yaml_node *base, *name = item;

    if (item->kind == SATOR_YAML_MAP) {
        name = sator_yaml_find(item, "workload");
        if (name == NULL)
            return item;
    }
    if (!sator_yaml_is(n->reader, name, SATOR_YAML_SCALAR, "a layer"))
        return NULL;
    base = read_named(n, name);
    if (base == NULL || item->kind == SATOR_YAML_SCALAR)
        return base;
    check_loops(n, base, item);
    return merge(n->reader->scratch, base, item, 1);
}

/* Apply the settings "sizes.k=..." whose loop this layer has. */
static struct sator_yaml_node *apply_sizes(struct network_reader *n, struct sator_yaml_node *map)
{
    const struct sator_settings *settings = n->reader->settings;
    struct sator_arena *arena = n->reader->scratch;

    for (int s = 0; settings != NULL && s < settings->n_sets; s++) {
        const struct sator_yaml_node *sizes = sator_yaml_find(map, "sizes");
        if (strncmp(settings->sets[s], "sizes.", 6) != 0 || sizes == NULL ||
                sizes->kind != SATOR_YAML_MAP)
            continue;
        const char *loop = sator_arena_strndup(
                arena, settings->sets[s] + 6, strcspn(settings->sets[s] + 6, "="));
        if (sator_yaml_find(sizes, loop) == NULL)
            continue;
        map = copy_map(arena, map, 1);
        for (int i = 0; i < map->n_pairs; i++) {
            if (map->pairs[i].value == sizes)
                map->pairs[i].value = copy_map(arena, sizes, 1);
        }
        sator_yaml_apply_one(n->reader, map, s);
        n->size_used[s] = true;
    }
    return map;
}

/* Every size that was set must be some layer's. */
static void check_sizes_used(struct network_reader *n)
{
    const struct sator_settings *settings = n->reader->settings;

    for (int s = 0; settings != NULL && s < settings->n_sets; s++) {
        if (strncmp(settings->sets[s], "sizes", 5) != 0 || n->size_used[s] ||
                !sator_yaml_takes(SATOR_DOCUMENT_NETWORK, settings->sets[s]))
            continue;
        const char *spec = settings->specs == NULL ? NULL : settings->specs[s];
        const struct sator_source *source = sator_source_from_field(n->reader->ctx,
                spec == NULL ? "sets" : "argument", spec == NULL ? settings->sets[s] : spec);
        if (settings->used != NULL)
            settings->used[s] = true;
        sator_error(n->reader->ctx, (struct sator_loc){source, 0, strcspn(settings->sets[s], "=")},
                "no layer of '%s' has this size", n->network->name);
        sator_help(n->reader->ctx,
                "'sizes.k=64' sets loop k of every layer that has it, "
                "'layers.LAYER.sizes.k=64' that of one");
    }
}

static void read_layer(struct network_reader *n, struct sator_yaml_node *item, int index)
{
    static const char *const reference_keys[] = {"name", "summary", "source", "workload", "sizes",
            "op", "where", "word_bits", "density", "domain", "reads", "writes", "repeat", "runs"};
    struct sator_yaml_reader *reader = n->reader;
    struct sator_workload layer;

    if (item->kind == SATOR_YAML_LIST) {
        sator_yaml_is(reader, item, SATOR_YAML_MAP, "a layer");
        return;
    }
    if (item->kind == SATOR_YAML_MAP)
        sator_yaml_check_keys(
                reader, item, "a layer", reference_keys, SATOR_YAML_COUNT(reference_keys));
    struct sator_yaml_node *map = resolve(n, item);
    if (map == NULL)
        return;
    map = apply_sizes(n, map);
    const char *name = sator_arena_printf(reader->arena, "layer%d", index + 1);
    if (!sator_yaml_lower_workload(reader, map, name, &layer))
        return;
    layer.loc = item->loc;
    layer.loc.length = item->kind == SATOR_YAML_MAP ? 1 : item->loc.length;
    SATOR_PUSH(reader->arena, n->layers, n->n_layers, layer);
}

static int compare_names(const void *a, const void *b)
{
    const struct sator_workload *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);

    return order != 0 ? order : (*x > *y) - (*x < *y);
}

static void check_layer_names(struct network_reader *n)
{
    const struct sator_workload **sorted =
            SATOR_NEW_ARRAY(n->reader->scratch, const struct sator_workload *, n->n_layers + 1);

    for (int i = 0; i < n->n_layers; i++)
        sorted[i] = &n->layers[i];
    qsort(sorted, (size_t)n->n_layers, sizeof(const struct sator_workload *), compare_names);
    for (int i = 1; i < n->n_layers && !sator_yaml_full(n->reader); i++) {
        if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
            sator_error(n->reader->ctx, sorted[i]->loc, "two layers are called '%s'",
                    sator_yaml_clip(n->reader->scratch, sorted[i]->name));
    }
}

static void read_layers(struct network_reader *n, const struct sator_yaml_node *root)
{
    struct sator_yaml_reader *reader = n->reader;
    const struct sator_yaml_node *layers = sator_yaml_need(reader, root, "a network", "layers");

    if (layers == NULL || !sator_yaml_is(reader, layers, SATOR_YAML_LIST, "layers"))
        return;
    if (layers->n_items == 0)
        sator_error(reader->ctx, layers->loc, "a network needs at least one layer");
    for (int i = 0; i < layers->n_items && !sator_yaml_full(reader); i++)
        read_layer(n, layers->items[i], i);
    check_layer_names(n);
    if (!sator_yaml_failed(reader))
        check_sizes_used(n);
}

static void read_network(struct network_reader *n, struct sator_yaml_node *root)
{
    struct sator_yaml_reader *reader = n->reader;
    bool layered = sator_yaml_guess(root) == SATOR_DOCUMENT_NETWORK;
    enum sator_document kind = layered ? SATOR_DOCUMENT_NETWORK : SATOR_DOCUMENT_WORKLOAD;
    const struct sator_yaml_node *name;
    struct sator_workload layer;
    int n_keys;
    const char *const *keys = sator_yaml_keys(kind, &n_keys);

    sator_yaml_apply(reader, root, kind);
    sator_yaml_check_keys(reader, root, sator_yaml_kind_name(kind), keys, n_keys);
    if ((name = sator_yaml_get(reader, root, "name")) != NULL)
        sator_yaml_string(reader, name, "name", &n->network->name);
    if (layered) {
        read_layers(n, root);
        sator_yaml_lower_others(reader, root, n->network);
    } else if (sator_yaml_lower_workload(reader, root, n->network->name, &layer))
        SATOR_PUSH(reader->arena, n->layers, n->n_layers, layer);
}

enum sator_status sator_yaml_network(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_settings *settings, struct sator_network **network)
{
    struct sator_yaml_reader reader;

    sator_yaml_reader_init(&reader, ctx, settings);
    struct sator_network *read = SATOR_NEW(reader.arena, struct sator_network);
    *read = (struct sator_network){.arena = reader.arena,
            .name = sator_yaml_base_name(reader.arena, source->path),
            .loc = {source, 0, 0}};
    struct network_reader n = {.reader = &reader, .network = read};
    n.size_used =
            SATOR_NEW_ARRAY(reader.scratch, bool, settings == NULL ? 1 : settings->n_sets + 1);
    /* the kind shows in the keys, so the settings wait until the root is known */
    struct sator_yaml_node *root = sator_yaml_open(&reader, source, SATOR_DOCUMENT_UNKNOWN);
    if (root != NULL)
        read_network(&n, root);
    read->n_layers = n.n_layers;
    read->layers = n.layers;
    enum sator_status st = sator_yaml_reader_end(&reader);
    if (st == SATOR_OK)
        *network = read;
    return st;
}
