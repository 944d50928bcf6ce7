/* --set: values that replace or add nodes of a tree, before it is lowered.
 *
 * A path's components are keys; an entry of a list is addressed by its name. New nodes are located
 * in the setting's text, so that whatever the lowering finds wrong with them is shown there.
 */
#include "frontend/yaml/yaml.h"

#include <stdlib.h>
#include <string.h>

struct setting {
    struct sator_yaml_reader *reader;
    const struct sator_source *source;
    size_t at; /* the component being looked at */
    size_t equal; /* where the equals sign is */
    size_t end; /* where the value ends */
    struct sator_yaml_node *value;
};

static size_t component_length(const struct setting *s)
{
    return strcspn(s->source->text + s->at, ".=");
}

static struct sator_loc component_loc(const struct setting *s)
{
    return (struct sator_loc){s->source, s->at, component_length(s)};
}

static const char *component(const struct setting *s)
{
    char *text =
            sator_arena_strndup(s->reader->scratch, s->source->text + s->at, component_length(s));
    return sator_yaml_clip(s->reader->scratch, text);
}

/* The length of "name" when the path goes on with it, else 0. Names may hold dots. */
static size_t matches(const struct setting *s, const char *name)
{
    size_t length = strlen(name);
    size_t end = s->at + length;

    if (length == 0 || end > s->equal || (end != s->equal && s->source->text[end] != '.'))
        return 0;
    return strncmp(s->source->text + s->at, name, length) == 0 ? length : 0;
}

/* The name that an entry of a list goes by, or NULL. */
static const char *entry_name(const struct sator_yaml_node *entry)
{
    static const char *const keys[] = {"name", "memory", "array", "compute", "at"};

    for (int i = 0; entry->kind == SATOR_YAML_MAP && i < SATOR_YAML_COUNT(keys); i++) {
        const struct sator_yaml_node *name = sator_yaml_find(entry, keys[i]);
        if (name != NULL && name->kind == SATOR_YAML_SCALAR)
            return name->text;
    }
    return NULL;
}

static struct sator_yaml_node *new_scalar(struct setting *s, size_t length)
{
    struct sator_yaml_node *node = SATOR_NEW(s->reader->scratch, struct sator_yaml_node);

    node->kind = SATOR_YAML_SCALAR;
    node->loc = node->text_loc = (struct sator_loc){s->source, s->at, length};
    node->text = sator_arena_strndup(s->reader->scratch, s->source->text + s->at, length);
    return node;
}

/* A size is that of a loop which is there; a new one would be another operation. */
static bool may_add(struct setting *s, const struct sator_yaml_node *map, bool are_sizes)
{
    const char **names = SATOR_NEW_ARRAY(s->reader->scratch, const char *, map->n_pairs + 1);
    const char *name = component(s);

    if (!are_sizes || map->n_pairs == 0)
        return true;
    for (int i = 0; i < map->n_pairs; i++)
        names[i] = map->pairs[i].key->text;
    sator_error(s->reader->ctx, component_loc(s), "there is no loop '%s'", name);
    sator_help_names(s->reader->ctx, name, names, map->n_pairs);
    return false;
}

static struct sator_yaml_node **step_into_map(
        struct setting *s, struct sator_yaml_node *map, bool are_sizes)
{
    struct sator_yaml_pair *found = NULL;
    size_t longest = 0;

    for (int i = 0; i < map->n_pairs; i++) {
        size_t length = matches(s, map->pairs[i].key->text);
        if (length > longest) {
            longest = length;
            found = &map->pairs[i];
        }
    }
    if (found == NULL) {
        if (!may_add(s, map, are_sizes))
            return NULL;
        longest = component_length(s);
        /* a copy: growing may only be done to an array that grew from nothing */
        struct sator_yaml_pair *pairs =
                SATOR_NEW_ARRAY(s->reader->scratch, struct sator_yaml_pair, map->n_pairs + 1);
        if (map->n_pairs > 0)
            memcpy(pairs, map->pairs, sizeof *pairs * (size_t)map->n_pairs);
        map->pairs = pairs;
        found = &map->pairs[map->n_pairs++];
        found->value = SATOR_NEW(s->reader->scratch, struct sator_yaml_node);
        *found->value = (struct sator_yaml_node){.kind = SATOR_YAML_MAP, .loc = component_loc(s)};
    }
    found->key = new_scalar(s, longest);
    s->at += longest;
    return &found->value;
}

static struct sator_yaml_node **step_into_list(struct setting *s, struct sator_yaml_node *list)
{
    struct sator_yaml_node **found = NULL;
    const char **names = NULL;
    int n_names = 0;
    size_t longest = 0;

    for (int i = 0; i < list->n_items; i++) {
        const char *name = entry_name(list->items[i]);
        if (name == NULL)
            name = sator_arena_printf(s->reader->scratch, "%d", i);
        size_t length = matches(s, name);
        if (length > longest) {
            longest = length;
            found = &list->items[i];
        }
        SATOR_PUSH(s->reader->scratch, names, n_names, name);
    }
    if (found == NULL) {
        const char *name = component(s);
        sator_error(s->reader->ctx, component_loc(s), "no entry here is called '%s'", name);
        sator_help_names(s->reader->ctx, name, names, n_names);
        return NULL;
    }
    s->at += longest;
    return found;
}

/* "energy_pj: 5" stands for reads and writes alike; let one of the two be set on its own. */
static bool widen(struct setting *s, struct sator_yaml_node *node, size_t parent, size_t end)
{
    static const char *const wide[] = {"energy_pj", "bandwidth_bits"};
    struct sator_arena *arena = s->reader->scratch;

    for (int i = 0; i < SATOR_YAML_COUNT(wide); i++) {
        if (strlen(wide[i]) != end - parent ||
                strncmp(s->source->text + parent, wide[i], end - parent) != 0)
            continue;
        struct sator_yaml_node *value = SATOR_NEW(arena, struct sator_yaml_node);
        struct sator_yaml_pair *pairs = SATOR_NEW_ARRAY(arena, struct sator_yaml_pair, 2);
        *value = *node;
        for (int k = 0; k < 2; k++) {
            struct sator_yaml_node *key = SATOR_NEW(arena, struct sator_yaml_node);
            *key = (struct sator_yaml_node){
                    .loc = node->loc, .text_loc = node->loc, .text = k == 0 ? "read" : "write"};
            pairs[k] = (struct sator_yaml_pair){.key = key, .value = value};
        }
        *node = (struct sator_yaml_node){
                .kind = SATOR_YAML_MAP, .loc = node->loc, .n_pairs = 2, .pairs = pairs};
        return true;
    }
    return false;
}

static void walk(struct setting *s, struct sator_yaml_node *root, bool are_sizes)
{
    struct sator_yaml_node **slot = &root;

    while (s->at < s->equal) {
        struct sator_yaml_node *node = *slot;
        size_t parent = s->at;
        if (component_length(s) == 0) {
            sator_error(s->reader->ctx, component_loc(s), "a name is missing in the path");
            return;
        }
        slot = node->kind == SATOR_YAML_MAP ? step_into_map(s, node, are_sizes)
                                            : step_into_list(s, node);
        if (slot == NULL)
            return;
        are_sizes = s->at - parent == 5 && strncmp(s->source->text + parent, "sizes", 5) == 0;
        if (s->at == s->equal)
            break;
        if ((*slot)->kind == SATOR_YAML_SCALAR && !widen(s, *slot, parent, s->at)) {
            sator_error(s->reader->ctx, (struct sator_loc){s->source, parent, s->at - parent},
                    "this is a single value: nothing inside it can be set");
            return;
        }
        s->at++; /* the dot */
        if (s->at == s->equal) {
            sator_error(s->reader->ctx, component_loc(s), "a name is missing in the path");
            return;
        }
    }
    *slot = s->value;
}

/* A size that is part of a spec, as in "gemm:i=512,j=512": shown there, and starting at the sizes.
 */
static struct sator_yaml_node *enter_spec(
        struct setting *s, struct sator_yaml_node *root, const char *spec, const char *set)
{
    struct sator_yaml_node *sizes = sator_yaml_find(root, "sizes");
    const char *size = strstr(spec, set + strlen("sizes."));

    s->source = sator_source_from_field(s->reader->ctx, "argument", spec);
    s->at = size == NULL ? 0 : (size_t)(size - spec);
    s->end = s->at + strcspn(spec + s->at, ",");
    if (sizes != NULL && sizes->kind == SATOR_YAML_MAP)
        return sizes;
    sator_error(s->reader->ctx, (struct sator_loc){s->source, s->at, s->end - s->at},
            "the workload has no sizes to set");
    return NULL;
}

void sator_yaml_apply_one(struct sator_yaml_reader *reader, struct sator_yaml_node *root, int set)
{
    const struct sator_settings *settings = reader->settings;
    const char *spec = settings->specs == NULL ? NULL : settings->specs[set];
    struct setting s = {.reader = reader};

    if (settings->used != NULL)
        settings->used[set] = true;
    if (spec != NULL) {
        root = enter_spec(&s, root, spec, settings->sets[set]);
        if (root == NULL)
            return;
    } else {
        bool is_varied = set >= settings->n_sets - settings->n_varied;
        s.source = sator_source_from_field(
                reader->ctx, is_varied ? "varies" : "sets", settings->sets[set]);
        s.end = s.source->length;
    }
    s.equal = s.at + strcspn(s.source->text + s.at, "=,");
    if (s.equal >= s.end || s.source->text[s.equal] != '=') {
        sator_error(
                reader->ctx, (struct sator_loc){s.source, s.end, 0}, "'=' and a value are missing");
        return;
    }
    size_t start = s.equal + 1;
    if (sator_yaml_parse(reader->ctx, reader->scratch, s.source, start, s.end - start, &s.value) ==
            SATOR_OK)
        walk(&s, root, spec != NULL);
}

void sator_yaml_apply(
        struct sator_yaml_reader *reader, struct sator_yaml_node *root, enum sator_document kind)
{
    for (int i = 0; reader->settings != NULL && i < reader->settings->n_sets; i++) {
        const char *set = reader->settings->sets[i];
        bool of_layers = kind == SATOR_DOCUMENT_NETWORK && strncmp(set, "sizes", 5) == 0;
        if (sator_yaml_takes(kind, set) && !of_layers)
            sator_yaml_apply_one(reader, root, i);
    }
}
