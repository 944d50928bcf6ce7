/* A mapping as a nest of tile loops: its permutations are inner to outer, Sator's nests the other
 * way round. Entries come in the file's order; they are put into the machine's when both are known.
 */
#include "frontend/timeloop/timeloop.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One factor "R=3", "R3" or "P=6,2" (a factor and its remainder) at "*at". */
static bool read_factor(struct timeloop *t, const struct sator_yaml_node *node, const char **at,
        struct timeloop_factors *factors)
{
    const char *begin = *at;
    char *end;

    while (isalpha((unsigned char)**at) || **at == '_')
        ++*at;
    const char *dimension = sator_arena_strndup(t->reader.scratch, begin, (size_t)(*at - begin));
    *at += strspn(*at, " =");
    long long value = strtoll(*at, &end, 10);
    if (*dimension == '\0' || end == *at || value < 0 || value > INT64_C(1) << 40) {
        sator_error(t->reader.ctx, node->loc, "'%s': factors are written R=3 P=16",
                sator_yaml_clip(t->reader.scratch, begin));
        return false;
    }
    if (factors->n == TIMELOOP_MOST_FACTORS) {
        sator_error(t->reader.ctx, node->loc, "more than %d factors", TIMELOOP_MOST_FACTORS);
        return false;
    }
    *at = end;
    if (**at == ',' && isdigit((unsigned char)(*at)[1])) {
        strtoll(*at + 1, &end, 10); /* the remainder follows from the extent */
        *at = end;
    }
    factors->factors[factors->n++] =
            (struct timeloop_factor){.dimension = dimension, .value = value};
    *at += strspn(*at, " ,");
    return true;
}

bool timeloop_read_factors(
        struct timeloop *t, const struct sator_yaml_node *node, struct timeloop_factors *factors)
{
    factors->n = 0;
    if (node == NULL)
        return true;
    if (node->kind == SATOR_YAML_LIST) {
        for (int i = 0; i < node->n_items; i++) {
            const char *at = node->items[i]->kind == SATOR_YAML_SCALAR ? node->items[i]->text : "?";
            if (!read_factor(t, node->items[i], &at, factors))
                return false;
        }
        return true;
    }
    if (!sator_yaml_is(&t->reader, node, SATOR_YAML_SCALAR, "factors"))
        return false;
    for (const char *at = node->text + strspn(node->text, " "); *at != '\0';) {
        if (!read_factor(t, node, &at, factors))
            return false;
    }
    return true;
}

static struct timeloop_factor *find(
        struct timeloop_factors *factors, const char *name, size_t length)
{
    for (int i = 0; i < factors->n; i++) {
        struct timeloop_factor *f = &factors->factors[i];
        if (strlen(f->dimension) == length && strncmp(f->dimension, name, length) == 0)
            return f;
    }
    return NULL;
}

/* The dimensions of the permutation, innermost first: a letter each, or a list. */
static int read_permutation(struct timeloop *t, const struct sator_yaml_node *node,
        struct timeloop_factors *factors, struct timeloop_factor **order)
{
    int n = 0;

    for (int i = 0; node != NULL && node->kind == SATOR_YAML_LIST && i < node->n_items; i++) {
        const char *name = node->items[i]->kind == SATOR_YAML_SCALAR ? node->items[i]->text : "";
        struct timeloop_factor *f = find(factors, name, strlen(name));
        if (f != NULL && !f->placed)
            f->placed = true, order[n++] = f;
    }
    for (int i = 0; node != NULL && node->kind == SATOR_YAML_SCALAR && node->text[i] != '\0'; i++) {
        struct timeloop_factor *f = find(factors, &node->text[i], 1);
        if (f != NULL && !f->placed)
            f->placed = true, order[n++] = f;
    }
    for (int i = 0; i < factors->n; i++) {
        struct timeloop_factor *f = &factors->factors[i];
        if (f->placed)
            continue;
        if (f->value > 1 && node != NULL)
            sator_error(t->reader.ctx, node->loc,
                    "'%s' has factor %lld and no place in the permutation", f->dimension,
                    (long long)f->value);
        order[n++] = f;
    }
    return n;
}

/* How many of the permutation's dimensions run along X. */
static int64_t split_of(struct timeloop *t, const struct sator_yaml_node *directive, int n)
{
    const struct sator_yaml_node *node = timeloop_get(directive, "split");
    int64_t split = n;

    if (node != NULL)
        sator_yaml_int(&t->reader, node, "split", 0, INT32_MAX, &split);
    return split;
}

static void write_loops(struct timeloop *t, const struct sator_yaml_node *directive, bool spatial,
        struct sator_text *text)
{
    struct timeloop_factors factors;
    struct timeloop_factor *order[TIMELOOP_MOST_FACTORS];
    int n_written = 0;

    const struct sator_yaml_node *list = timeloop_get(directive, "factors");
    if (!timeloop_read_factors(t, list, &factors))
        return;
    for (int i = 0; i < factors.n; i++) {
        if (factors.factors[i].value == 0)
            sator_error(t->reader.ctx, list->loc,
                    "%s=0 stands for the whole dimension: write its number",
                    factors.factors[i].dimension);
    }
    int n = read_permutation(t, timeloop_get(directive, "permutation"), &factors, order);
    int64_t split = spatial ? split_of(t, directive, n) : 0;
    for (int i = n - 1; i >= 0; i--) {
        if (order[i]->value == 1)
            continue;
        sator_text_add(text, "%s%s %lld", n_written++ == 0 ? "" : ", ", order[i]->dimension,
                (long long)order[i]->value);
        if (spatial)
            sator_text_add(text, " -> %d", i < split ? 0 : 1);
    }
}

static bool is_type(const struct sator_yaml_node *directive, const char *const *words)
{
    const struct sator_yaml_node *type = timeloop_get(directive, "type");

    for (int i = 0; type != NULL && type->kind == SATOR_YAML_SCALAR && words[i] != NULL; i++) {
        if (strcmp(type->text, words[i]) == 0)
            return true;
    }
    return false;
}

static const char *const bypass_types[] = {"bypass", "bypassing", "datatype", "dataspace", NULL};
static const char *const temporal_types[] = {"temporal", NULL};
static const char *const spatial_types[] = {"spatial", NULL};

/* The directive of one of "types" for "target"; NULL when there is none. */
static const struct sator_yaml_node *directive_of(
        const struct sator_yaml_node *mapping, const char *target, const char *const *types)
{
    for (int i = 0; i < mapping->n_items; i++) {
        const struct sator_yaml_node *name = timeloop_get(mapping->items[i], "target");
        if (name != NULL && name->kind == SATOR_YAML_SCALAR && strcmp(name->text, target) == 0 &&
                is_type(mapping->items[i], types))
            return mapping->items[i];
    }
    return NULL;
}

static void write_bypass(const struct sator_yaml_node *directive, struct sator_text *text)
{
    const struct sator_yaml_node *list = timeloop_get(directive, "bypass");

    for (int i = 0; list != NULL && i < list->n_items; i++) {
        if (list->items[i]->kind == SATOR_YAML_SCALAR)
            sator_text_add(text, "%s%s", i == 0 ? ", bypass: [" : ", ", list->items[i]->text);
    }
    sator_text_put(text, list != NULL && list->n_items > 0 ? "]" : "");
}

/* What stands at one target: its loops, then those of its fan-out. */
static void write_target(struct timeloop *t, const struct sator_yaml_node *mapping,
        const char *target, bool is_dummy, struct sator_text *text)
{
    const struct sator_yaml_node *temporal = directive_of(mapping, target, temporal_types);
    const struct sator_yaml_node *spatial = directive_of(mapping, target, spatial_types);
    const struct sator_yaml_node *bypass = directive_of(mapping, target, bypass_types);
    struct sator_text loops = {0};

    if (temporal != NULL)
        write_loops(t, temporal, false, &loops);
    if (is_dummy && loops.length > 0)
        sator_error(t->reader.ctx, temporal->loc, "'%s' holds nothing: no loops can stand there",
                target);
    if (!is_dummy) {
        sator_text_put(text, "  - {at: ");
        sator_text_add_yaml(text, target);
        sator_text_add(text, ", for: [%s]", loops.length == 0 ? "" : loops.data);
        if (bypass != NULL)
            write_bypass(bypass, text);
        sator_text_put(text, "}\n");
    }
    sator_text_clear(&loops);
    if (spatial != NULL)
        write_loops(t, spatial, true, &loops);
    if (loops.length > 0) {
        sator_text_put(text, "  - {at: ");
        sator_text_add_yaml(text, sator_arena_printf(t->reader.scratch, "%s_fanout", target));
        sator_text_add(text, ", parallel: [%s]}\n", loops.data);
    }
    sator_text_clear(&loops);
}

static void check_directives(struct timeloop *t, const struct sator_yaml_node *mapping)
{
    static const char *const keys[] = {
            "target", "type", "factors", "permutation", "split", "keep", "bypass", "name"};

    for (int i = 0; i < mapping->n_items; i++) {
        const struct sator_yaml_node *item = mapping->items[i], *target;
        if (!sator_yaml_is(&t->reader, item, SATOR_YAML_MAP, "a directive"))
            continue;
        timeloop_check(t, item, keys, SATOR_YAML_COUNT(keys));
        target = timeloop_get(item, "target");
        if (target == NULL)
            sator_error(t->reader.ctx, item->loc, "a directive needs 'target'");
        else
            sator_yaml_is(&t->reader, target, SATOR_YAML_SCALAR, "a target");
        if (!is_type(item, bypass_types) && !is_type(item, temporal_types) &&
                !is_type(item, spatial_types))
            sator_error(t->reader.ctx, item->loc,
                    "a directive's type is temporal, spatial, datatype or bypass");
    }
}

void timeloop_write_mapping(struct timeloop *t, struct sator_text *text)
{
    const struct sator_yaml_node *mapping = timeloop_get(t->root, "mapping");
    struct timeloop_level *levels;
    int n_levels;

    if (!sator_yaml_is(&t->reader, mapping, SATOR_YAML_LIST, "a mapping"))
        return;
    if (mapping->n_items == 0)
        sator_error(t->reader.ctx, mapping->loc, "the mapping is empty: the mapper is to find one");
    check_directives(t, mapping);
    levels = timeloop_levels(t, &n_levels);
    if (sator_yaml_failed(&t->reader))
        return;
    sator_text_put(text, "name: ");
    sator_text_add_yaml(text, sator_yaml_base_name(t->reader.scratch, t->source->path));
    sator_text_put(text, "\nloops:\n");
    for (int i = 0; i < n_levels - 1; i++)
        write_target(t, mapping, levels[i].name, levels[i].is_dummy, text);
    for (int i = 0; levels == NULL && i < mapping->n_items; i++) {
        const char *target = timeloop_get(mapping->items[i], "target")->text;
        bool again = false;
        for (int k = 0; k < i && !again; k++)
            again = strcmp(timeloop_get(mapping->items[k], "target")->text, target) == 0;
        if (!again)
            write_target(t, mapping, target, false, text);
    }
}
