/* Layers: an equation O[b][k]+=W[k][c]*I[b][c] over loops, and what indices that are no loops are
 * of them (dimension_relations: ix=2*ox+1*fx). */
#include "frontend/zigzag/zigzag.h"

#include <ctype.h>
#include <string.h>

/* "left=right" of dimension_relations. */
struct relation {
    const char *name, *value;
};

struct layer {
    struct zigzag *z;
    const struct sator_yaml_node *map;
    const char *name;
    int n_relations;
    struct relation *relations;
    const struct sator_yaml_node *precisions; /* or NULL */
};

/* "text" without blanks. */
static char *packed(struct zigzag *z, const char *text)
{
    char *copy = sator_arena_strdup(z->reader.scratch, text), *out = copy;

    for (const char *c = text; *c != '\0'; c++) {
        if (!isspace((unsigned char)*c))
            *out++ = *c;
    }
    *out = '\0';
    return copy;
}

static void read_relations(struct layer *l)
{
    const struct sator_yaml_node *list = sator_yaml_find(l->map, "dimension_relations");

    if (list == NULL || !sator_yaml_is(&l->z->reader, list, SATOR_YAML_LIST, "dimension_relations"))
        return;
    for (int i = 0; i < list->n_items; i++) {
        const struct sator_yaml_node *item = list->items[i];
        if (!sator_yaml_is(&l->z->reader, item, SATOR_YAML_SCALAR, "a dimension relation"))
            continue;
        char *text = packed(l->z, zigzag_loop(l->z, item->text)), *equals = strchr(text, '=');
        if (equals == NULL || equals == text || equals[1] == '\0') {
            sator_error(l->z->reader.ctx, item->loc, "a relation is written ix=2*ox+1*fx");
            continue;
        }
        *equals = '\0';
        SATOR_PUSH(l->z->reader.scratch, l->relations, l->n_relations,
                (struct relation){text, equals + 1});
    }
}

static bool is_loop(const struct layer *l, const char *index)
{
    const struct sator_yaml_node *dims = sator_yaml_find(l->map, "loop_dims");

    for (int i = 0; dims != NULL && i < dims->n_items; i++) {
        if (dims->items[i]->kind == SATOR_YAML_SCALAR &&
                strcmp(zigzag_loop(l->z, dims->items[i]->text), index) == 0)
            return true;
    }
    return false;
}

static void write_index(struct layer *l, const char *index, struct sator_text *text)
{
    for (int i = 0; i < l->n_relations; i++) {
        if (strcmp(l->relations[i].name, index) == 0) {
            sator_text_put(text, l->relations[i].value);
            return;
        }
    }
    if (!is_loop(l, index))
        sator_error(l->z->reader.ctx, sator_yaml_find(l->map, "equation")->loc,
                "'%s' is neither a loop nor given by a dimension relation",
                sator_yaml_clip(l->z->reader.scratch, index));
    sator_text_put(text, index);
}

static int precision_of(struct layer *l, const char *operand)
{
    const struct sator_yaml_node *node =
            l->precisions == NULL ? NULL : sator_yaml_find(l->precisions, operand);
    int64_t bits = -1;

    if (node != NULL)
        sator_yaml_int(&l->z->reader, node, operand, 0, 1024, &bits);
    return (int)bits;
}

/* "W[k][c]" at "*at" as B[k,c]. False when it is not that. */
static bool write_operand(
        struct layer *l, const char **at, struct sator_text *text, const char **operand)
{
    const char *c = *at;

    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    if (c == *at || *c != '[')
        return false;
    *operand = sator_arena_strndup(l->z->reader.scratch, *at, (size_t)(c - *at));
    sator_text_add(text, "%s[", zigzag_tensor(*operand));
    for (int i = 0; *c == '['; i++) {
        size_t length = strcspn(c + 1, "]");
        if (c[1 + length] != ']' || length == 0)
            return false;
        sator_text_put(text, i == 0 ? "" : ",");
        const char *index = sator_arena_strndup(l->z->reader.scratch, c + 1, length);
        write_index(l, zigzag_loop(l->z, index), text);
        c += length + 2;
    }
    sator_text_put(text, "]");
    *at = c;
    return true;
}

/* The equation; of an operand that has no bits (the constant of a pooling) nothing is left. */
static void write_equation(
        struct layer *l, const struct sator_yaml_node *node, struct sator_text *text)
{
    const char *at = packed(l->z, node->text), *operand;
    struct sator_text op = {0}, widths = {0};
    int n_read = 0;
    bool understood = write_operand(l, &at, &op, &operand);

    if (understood && precision_of(l, operand) > 0)
        sator_text_add(&widths, "%s: %d", zigzag_tensor(operand), precision_of(l, operand));
    at += understood && *at == '+';
    understood = understood && *at++ == '=';
    sator_text_put(&op, " += ");
    for (char joint = '*'; understood;) {
        struct sator_text one = {0};
        understood = write_operand(l, &at, &one, &operand);
        int bits = understood ? precision_of(l, operand) : -1;
        if (understood && bits != 0)
            sator_text_add(&op, "%s%s",
                    n_read++ == 0          ? ""
                            : joint == '+' ? " + "
                                           : " * ",
                    one.data);
        if (understood && bits > 0)
            sator_text_add(&widths, "%s%s: %d", widths.length == 0 ? "" : ", ",
                    zigzag_tensor(operand), bits);
        sator_text_clear(&one);
        joint = *at;
        if (joint == '\0')
            break;
        at++;
        understood = understood && (joint == '*' || joint == '+');
    }
    if (!understood)
        sator_error(l->z->reader.ctx, node->loc, "an equation is written O[b][k]+=W[k][c]*I[b][c]");
    else if (n_read == 0)
        sator_error(l->z->reader.ctx, node->loc, "no operand has any bits: nothing is read");
    sator_text_add(text, "    op: \"%s\"\n", op.data);
    if (widths.length > 0)
        sator_text_add(text, "    word_bits: {%s}\n", widths.data);
    sator_text_clear(&op);
    sator_text_clear(&widths);
}

static void write_sizes(struct layer *l, struct sator_text *text)
{
    struct zigzag *z = l->z;
    const struct sator_yaml_node *dims =
            zigzag_need(z, l->map, "a layer", "loop_dims", SATOR_YAML_LIST);
    const struct sator_yaml_node *sizes =
            zigzag_need(z, l->map, "a layer", "loop_sizes", SATOR_YAML_LIST);

    if (dims == NULL || sizes == NULL)
        return;
    if (dims->n_items != sizes->n_items) {
        sator_error(
                z->reader.ctx, sizes->loc, "%d sizes for %d loops", sizes->n_items, dims->n_items);
        return;
    }
    sator_text_put(text, "    sizes: {");
    for (int i = 0; i < dims->n_items; i++) {
        int64_t size = 1;
        if (!sator_yaml_is(&z->reader, dims->items[i], SATOR_YAML_SCALAR, "a loop"))
            continue;
        sator_yaml_int(
                &z->reader, sizes->items[i], dims->items[i]->text, 1, INT64_C(1) << 40, &size);
        sator_text_add(text, "%s%s: %lld", i == 0 ? "" : ", ", zigzag_loop(z, dims->items[i]->text),
                (long long)size);
    }
    sator_text_put(text, "}\n");
}

/* Where the operands come from: the layer of that number wrote them, or nothing did. */
static void write_sources(struct layer *l, const char *id, struct sator_text *text)
{
    const struct sator_yaml_node *map = sator_yaml_find(l->map, "operand_source");

    if (map == NULL || id == NULL ||
            !sator_yaml_is(&l->z->reader, map, SATOR_YAML_MAP, "operand_source"))
        return;
    sator_text_put(text, "    runs:\n      - {node: ");
    sator_text_add_yaml(text, l->name);
    for (int i = 0; i < map->n_pairs; i++) {
        const struct sator_yaml_pair *pair = &map->pairs[i];
        if (!sator_yaml_is(&l->z->reader, pair->value, SATOR_YAML_SCALAR, "a source") ||
                precision_of(l, pair->key->text) == 0)
            continue;
        const char *from = strcmp(pair->value->text, id) == 0
                ? sator_arena_printf(l->z->reader.scratch, "%s.%s", id, pair->key->text)
                : sator_arena_printf(l->z->reader.scratch, "%s.O", pair->value->text);
        sator_text_add(text, ", %s: ", zigzag_tensor(pair->key->text));
        sator_text_add_yaml(text, from);
    }
    sator_text_add(text, ", Y: \"%s.O\"}\n", id);
}

static void write_layer(
        struct zigzag *z, const struct sator_yaml_node *map, int number, struct sator_text *text)
{
    static const char *const keys[] = {"id", "name", "operator_type", "equation",
            "dimension_relations", "loop_dims", "loop_sizes", "operand_precision",
            "operand_source"};
    struct layer l = {.z = z, .map = map};
    const struct sator_yaml_node *name, *id, *type, *equation;

    if (!sator_yaml_is(&z->reader, map, SATOR_YAML_MAP, "a layer"))
        return;
    zigzag_check(z, map, keys, SATOR_YAML_COUNT(keys));
    name = sator_yaml_find(map, "name");
    type = sator_yaml_find(map, "operator_type");
    id = sator_yaml_find(map, "id");
    if (id != NULL && !sator_yaml_is(&z->reader, id, SATOR_YAML_SCALAR, "a layer's id"))
        id = NULL;
    const char *numbered = id != NULL ? sator_yaml_clip(z->reader.scratch, id->text)
                                      : sator_arena_printf(z->reader.scratch, "%d", number);
    l.name = name != NULL && name->kind == SATOR_YAML_SCALAR
            ? name->text
            : sator_arena_printf(z->reader.scratch, "%s_%s",
                      type != NULL && type->kind == SATOR_YAML_SCALAR ? type->text : "layer",
                      numbered);
    l.precisions = sator_yaml_find(map, "operand_precision");
    if (l.precisions != NULL &&
            !sator_yaml_is(&z->reader, l.precisions, SATOR_YAML_MAP, "operand_precision"))
        l.precisions = NULL;
    if (l.precisions != NULL && sator_yaml_find(l.precisions, "O_final") != NULL &&
            precision_of(&l, "O_final") != precision_of(&l, "O"))
        zigzag_unused(z, "O_final");
    read_relations(&l);
    sator_text_put(text, "  - name: ");
    sator_text_add_yaml(text, l.name);
    sator_text_put(text, "\n");
    write_sizes(&l, text);
    if ((equation = zigzag_need(z, map, "a layer", "equation", SATOR_YAML_SCALAR)) != NULL)
        write_equation(&l, equation, text);
    write_sources(&l, id == NULL ? NULL : numbered, text);
}

void zigzag_write_workload(struct zigzag *z, struct sator_text *text)
{
    if (!sator_yaml_is(&z->reader, z->root, SATOR_YAML_LIST, "a workload"))
        return;
    sator_text_put(text, "layers:\n");
    for (int i = 0; i < z->root->n_items; i++)
        write_layer(z, z->root->items[i], i, text);
}
