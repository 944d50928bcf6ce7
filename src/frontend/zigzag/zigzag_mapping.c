/* A mapping: which loops run across which dimension of the array, and in what order the rest runs
 * in time, innermost first there. What each memory holds is not said: it follows from capacities.
 */
#include "frontend/zigzag/zigzag.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_FACTORS = 64
};

/* A loop's factor; of a whole loop "*" (0) what is left. */
struct factor {
    const char *loop;
    int64_t value;
    struct sator_loc loc;
};

struct mapping {
    struct zigzag *z;
    int n_spatial, n_temporal;
    struct factor spatial[MOST_FACTORS], temporal[MOST_FACTORS]; /* as the file has them */
    int dims[MOST_FACTORS]; /* of the spatial ones: which of the array's */
    int n_dims;
};

/* "K, 32", [K, 32] or [K, "*"]. */
static bool read_factor(struct mapping *m, const struct sator_yaml_node *node, bool may_be_rest,
        struct factor *factor)
{
    struct zigzag *z = m->z;
    const char *name = NULL, *value = NULL;

    if (node->kind == SATOR_YAML_LIST && node->n_items == 2 &&
            node->items[0]->kind == SATOR_YAML_SCALAR &&
            node->items[1]->kind == SATOR_YAML_SCALAR) {
        name = node->items[0]->text;
        value = node->items[1]->text;
    } else if (node->kind == SATOR_YAML_SCALAR && strchr(node->text, ',') != NULL) {
        size_t length = strcspn(node->text, ", ");
        name = sator_arena_strndup(z->reader.scratch, node->text, length);
        value = strchr(node->text, ',') + 1;
    }
    *factor = (struct factor){.loc = node->loc};
    if (name != NULL && *name != '\0') {
        char *end;
        value += strspn(value, " ");
        factor->loop = zigzag_loop(z, name);
        if (may_be_rest && (strcmp(value, "*") == 0 || strcmp(value, "all") == 0))
            return true;
        factor->value = strtoll(value, &end, 10);
        if (end != value && *end == '\0' && factor->value >= 1 && factor->value <= INT64_C(1) << 40)
            return true;
    }
    sator_error(z->reader.ctx, node->loc, "a loop and a factor are expected: 'K, 32'");
    return false;
}

static bool has_room(struct mapping *m, const struct sator_yaml_node *node, int n)
{
    if (n == MOST_FACTORS)
        sator_error(m->z->reader.ctx, node->loc, "more than %d factors", MOST_FACTORS);
    return n < MOST_FACTORS;
}

static void read_spatial(struct mapping *m, const struct sator_yaml_node *map)
{
    if (map == NULL || !sator_yaml_is(&m->z->reader, map, SATOR_YAML_MAP, "spatial_mapping"))
        return;
    m->n_dims = map->n_pairs;
    for (int d = 0; d < map->n_pairs; d++) {
        const struct sator_yaml_node *list = map->pairs[d].value;
        if (!sator_yaml_is(&m->z->reader, list, SATOR_YAML_LIST, map->pairs[d].key->text))
            continue;
        for (int i = 0; i < list->n_items; i++) {
            if (!has_room(m, list->items[i], m->n_spatial))
                return;
            m->dims[m->n_spatial] = d;
            m->n_spatial += read_factor(m, list->items[i], false, &m->spatial[m->n_spatial]);
        }
    }
}

/* What stands inside temporal factor "t" (-1: inside all of time, across the array) of its loop.
 * False when that is too large. */
static bool inner_product(const struct mapping *m, const char *loop, int t, int64_t *product)
{
    *product = 1;
    for (int i = 0; i < m->n_spatial; i++) {
        if (strcmp(m->spatial[i].loop, loop) == 0 &&
                __builtin_mul_overflow(*product, m->spatial[i].value, product))
            return false;
    }
    for (int i = 0; i < t; i++) {
        if (strcmp(m->temporal[i].loop, loop) == 0 && m->temporal[i].value > 0 &&
                __builtin_mul_overflow(*product, m->temporal[i].value, product))
            return false;
    }
    return *product <= INT64_C(1) << 40;
}

/* The digit of temporal factor "t": the loop's outermost has no upper limit. */
static void write_digit(struct mapping *m, int t, struct sator_text *text)
{
    const struct factor *factor = &m->temporal[t];
    bool outermost = true;
    int64_t inside;

    for (int i = t + 1; i < m->n_temporal; i++) {
        if (strcmp(m->temporal[i].loop, factor->loop) != 0)
            continue;
        outermost = false;
        if (factor->value == 0)
            sator_error(m->z->reader.ctx, m->temporal[i].loc,
                    "nothing is left of '%s' outside its '*'", factor->loop);
    }
    if (!inner_product(m, factor->loop, t, &inside)) {
        sator_error(m->z->reader.ctx, factor->loc, "the factors of '%s' pass 2^40", factor->loop);
        return;
    }
    sator_text_add(text, "%s%s", text->length == 0 ? "" : ", ", factor->loop);
    if (inside > 1)
        sator_text_add(text, "/%lld", (long long)inside);
    if (!outermost && factor->value > 0)
        sator_text_add(text, "%%%lld", (long long)factor->value);
}

/* A dimension's coordinate: its loops' digits, the first the most significant. */
static void write_coordinate(struct mapping *m, int dim, struct sator_text *text)
{
    int64_t scale = 1;
    int n = 0;

    for (int i = m->n_spatial - 1; i >= 0; i--) {
        const struct factor *factor = &m->spatial[i];
        if (m->dims[i] != dim || factor->value == 1)
            continue;
        int64_t inside = 1;
        for (int k = i + 1; k < m->n_spatial; k++) {
            if (strcmp(m->spatial[k].loop, factor->loop) == 0 &&
                    __builtin_mul_overflow(inside, m->spatial[k].value, &inside))
                inside = INT64_MAX;
        }
        if (inside > INT64_C(1) << 40 || scale > INT64_C(1) << 40) {
            sator_error(m->z->reader.ctx, factor->loc, "the factors across the array pass 2^40");
            return;
        }
        sator_text_put(text, n++ == 0 ? "" : " + ");
        if (scale > 1)
            sator_text_add(text, "%lld*(", (long long)scale);
        sator_text_put(text, factor->loop);
        if (inside > 1)
            sator_text_add(text, "/%lld", (long long)inside);
        sator_text_add(text, "%%%lld%s", (long long)factor->value, scale > 1 ? ")" : "");
        if (__builtin_mul_overflow(scale, factor->value, &scale))
            scale = INT64_MAX;
    }
    sator_text_put(text, n == 0 ? "0" : "");
}

static void write_stamps(struct mapping *m, struct sator_text *text)
{
    struct sator_text time = {0};

    sator_text_put(text, "space: \"PE[");
    for (int d = 0; d < m->n_dims; d++) {
        sator_text_put(text, d == 0 ? "" : ", ");
        write_coordinate(m, d, text);
    }
    for (int t = m->n_temporal - 1; t >= 0; t--)
        write_digit(m, t, &time);
    sator_text_add(text, "]\"\ntime: \"T[%s]\"\n", time.length == 0 ? "0" : time.data);
    sator_text_clear(&time);
}

/* The links are those that the readers of workloads and hardware take for granted. */
static void check_links(struct mapping *m, const struct sator_yaml_node *links)
{
    if (links == NULL ||
            !sator_yaml_is(&m->z->reader, links, SATOR_YAML_MAP, "memory_operand_links"))
        return;
    for (int i = 0; i < links->n_pairs; i++) {
        const struct sator_yaml_node *to = links->pairs[i].value;
        const char *operand = links->pairs[i].key->text;
        if (!sator_yaml_is(&m->z->reader, to, SATOR_YAML_SCALAR, "a memory's operand") ||
                strcmp(zigzag_tensor(operand), zigzag_tensor(to->text)) == 0)
            continue;
        sator_error(m->z->reader.ctx, to->loc,
                "'%s' is linked to '%s': O to O, I to I1 and W to I2 are read",
                sator_yaml_clip(m->z->reader.scratch, operand),
                sator_yaml_clip(m->z->reader.scratch, to->text));
    }
}

/* The entry that all layers have that have none of their own. */
static const struct sator_yaml_node *find_default(struct zigzag *z)
{
    const struct sator_yaml_node *found = NULL;

    for (int i = 0; i < z->root->n_items; i++) {
        const struct sator_yaml_node *entry = z->root->items[i], *name;
        if (!sator_yaml_is(&z->reader, entry, SATOR_YAML_MAP, "a mapping") ||
                (name = zigzag_need(z, entry, "a mapping", "name", SATOR_YAML_SCALAR)) == NULL)
            continue;
        if (strcmp(name->text, "default") == 0)
            found = entry;
        else
            zigzag_unused(
                    z, sator_arena_printf(z->reader.scratch, "the mapping of '%s'", name->text));
    }
    if (found == NULL && !sator_yaml_failed(&z->reader))
        sator_error(z->reader.ctx, (struct sator_loc){z->source, 0, 0},
                "no mapping is called 'default'");
    return found;
}

/* Only the loops across the array are said: that is a constraint of a search. */
static void refuse_unordered(struct mapping *m, const struct sator_yaml_node *entry)
{
    const struct sator_yaml_node *map = sator_yaml_find(entry, "spatial_mapping");
    struct sator_text array = {0}, loops = {0};
    struct sator_ctx *ctx = m->z->reader.ctx;

    sator_error(ctx, (struct sator_loc){entry->loc.source, entry->loc.offset, 1},
            "the mapping has no 'temporal_ordering': the order of its loops is to be found");
    int latest = ctx->n_errors;
    for (int d = 0; map != NULL && map->kind == SATOR_YAML_MAP && d < map->n_pairs; d++)
        sator_text_add(&array, "%s%s", d == 0 ? "" : "_", map->pairs[d].key->text);
    if (array.length > 0)
        read_spatial(m, map);
    for (int i = 0; i < m->n_spatial; i++) {
        if (m->spatial[i].value > 1)
            sator_text_add(&loops, " %s", m->spatial[i].loop);
    }
    if (loops.length > 0 && ctx->n_errors == latest)
        sator_help(ctx, "'sator map' finds it: --constraint '%s: only%s' keeps what it says",
                array.data, loops.data);
    else if (ctx->n_errors == latest)
        sator_help(ctx, "'sator map' finds the best mapping of a layer");
    sator_text_clear(&array);
    sator_text_clear(&loops);
}

void zigzag_write_mapping(struct zigzag *z, struct sator_text *text)
{
    static const char *const keys[] = {
            "name", "spatial_mapping", "temporal_ordering", "memory_operand_links"};
    struct mapping *m = SATOR_NEW(z->reader.scratch, struct mapping);
    const struct sator_yaml_node *entry, *order;

    m->z = z;
    if (!sator_yaml_is(&z->reader, z->root, SATOR_YAML_LIST, "a file of mappings") ||
            (entry = find_default(z)) == NULL)
        return;
    zigzag_check(z, entry, keys, SATOR_YAML_COUNT(keys));
    check_links(m, sator_yaml_find(entry, "memory_operand_links"));
    order = sator_yaml_find(entry, "temporal_ordering");
    if (order == NULL) {
        refuse_unordered(m, entry);
        return;
    }
    read_spatial(m, zigzag_need(z, entry, "a mapping", "spatial_mapping", SATOR_YAML_MAP));
    if (!sator_yaml_is(&z->reader, order, SATOR_YAML_LIST, "temporal_ordering"))
        return;
    for (int i = 0; i < order->n_items && has_room(m, order->items[i], m->n_temporal); i++)
        m->n_temporal += read_factor(m, order->items[i], true, &m->temporal[m->n_temporal]);
    if (!sator_yaml_failed(&z->reader))
        write_stamps(m, text);
}
