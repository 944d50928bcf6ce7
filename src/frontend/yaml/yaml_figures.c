/* Figures of architectures and the widths that they are for (doc/formats.md, "Widths"). */
#include "frontend/yaml/yaml_arch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BITS = 4096, /* of a word */
    MOST_ROW_BITS = 1 << 20
};

const char *sator_yaml_source(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *map, const char *outer)
{
    const struct sator_yaml_node *node = sator_yaml_get(reader, map, "source");
    const char *source = outer;

    if (node != NULL)
        sator_yaml_string(reader, node, "source", &source);
    return source;
}

void sator_yaml_figure(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const char *source, struct sator_figure *figure)
{
    static const char *const keys[] = {"value", "source"};

    if (node == NULL)
        return;
    if (node->kind == SATOR_YAML_MAP) {
        sator_yaml_check_keys(reader, node, what, keys, SATOR_YAML_COUNT(keys));
        source = sator_yaml_source(reader, node, source);
        node = sator_yaml_need(reader, node, what, "value");
        if (node == NULL)
            return;
    }
    if (sator_yaml_number(reader, node, what, false, &figure->value))
        figure->source = source;
}

/* ---- energies ---- */

/* What stands around a figure: of its level, or of the map that it is in. */
struct around {
    const char *source;
    int bits;
    bool is_row;
};

/* "word_bits" or "row_bits" beside a figure. */
static void read_bits(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *map, struct around *around)
{
    const struct sator_yaml_node *word = sator_yaml_get(reader, map, "word_bits");
    const struct sator_yaml_node *row = sator_yaml_get(reader, map, "row_bits");
    int64_t bits;

    if (word != NULL && row != NULL) {
        sator_error(reader->ctx, row->loc, "a figure is for a word or for a row, not for both");
        sator_help(reader->ctx,
                "with row_bits it is one action's, which moves as many words as a row has");
        return;
    }
    if (word != NULL && sator_yaml_int(reader, word, "word_bits", 1, MOST_BITS, &bits)) {
        around->bits = (int)bits;
        around->is_row = false;
    }
    if (row != NULL && sator_yaml_int(reader, row, "row_bits", 1, MOST_ROW_BITS, &bits)) {
        around->bits = (int)bits;
        around->is_row = true;
    }
}

/* What "map" says around its figures, within "outer". */
static struct around read_around(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *map, const struct around *outer)
{
    struct around around = *outer;

    around.source = sator_yaml_source(reader, map, outer->source);
    read_bits(reader, map, &around);
    return around;
}

/* A number, or a map of "value" and what is around it. */
static void read_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *what, const struct around *outer, struct sator_energy *energy)
{
    static const char *const keys[] = {"value", "source", "word_bits", "row_bits"};
    struct around around = *outer;

    if (node == NULL)
        return;
    if (node->kind == SATOR_YAML_MAP) {
        sator_yaml_check_keys(reader, node, what, keys, SATOR_YAML_COUNT(keys));
        around = read_around(reader, node, outer);
        node = sator_yaml_need(reader, node, what, "value");
        if (node == NULL)
            return;
    }
    if (sator_yaml_number(reader, node, what, false, &energy->pj)) {
        energy->source = around.source;
        energy->bits = around.bits;
        energy->is_row = around.is_row;
    }
}

void sator_yaml_wire_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *source, struct sator_energy *energy)
{
    struct around around = {source, SATOR_USUAL_BITS, false};

    read_energy(reader, node, "energy_pj", &around, energy);
}

static void read_directions(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const struct around *outer, bool of_tensor, struct sator_memory *memory,
        struct sator_energy *read, struct sator_energy *write);

/* "tensors: {Y: 6}": energies of single tensors, each in the forms of energy_pj. */
static void read_own_energies(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const struct around *around, struct sator_memory *memory)
{
    struct sator_tensor_energy *own = NULL;

    if (map == NULL || !sator_yaml_is(reader, map, SATOR_YAML_MAP, "energy_pj.tensors"))
        return;
    for (int i = 0; i < map->n_pairs && !sator_yaml_full(reader); i++) {
        struct sator_tensor_energy one = {.read = sator_no_energy, .write = sator_no_energy};
        if (!sator_yaml_identifier(reader, map->pairs[i].key, "a tensor", &one.tensor))
            continue;
        read_directions(reader, map->pairs[i].value, around, true, memory, &one.read, &one.write);
        SATOR_PUSH(reader->arena, own, memory->n_own_energies, one);
    }
    memory->own_energies = own;
}

/* A number for both directions, or a map with either; "tensors" in it only at the outside. */
static void read_directions(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const struct around *outer, bool of_tensor, struct sator_memory *memory,
        struct sator_energy *read, struct sator_energy *write)
{
    static const char *const keys[] = {
            "read", "write", "source", "word_bits", "row_bits", "tensors"};
    bool is_value = node->kind != SATOR_YAML_MAP || sator_yaml_find(node, "value") != NULL;

    if (is_value) {
        read_energy(reader, node, "energy_pj", outer, read);
        *write = *read;
        return;
    }
    sator_yaml_check_keys(reader, node, of_tensor ? "a tensor's energy" : "energy_pj", keys,
            SATOR_YAML_COUNT(keys) - of_tensor);
    struct around around = read_around(reader, node, outer);
    read_energy(reader, sator_yaml_get(reader, node, "read"), "energy_pj.read", &around, read);
    read_energy(reader, sator_yaml_get(reader, node, "write"), "energy_pj.write", &around, write);
    if (!of_tensor)
        read_own_energies(reader, sator_yaml_get(reader, node, "tensors"), &around, memory);
}

void sator_yaml_memory_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *source, struct sator_memory *memory)
{
    struct around around = {source, SATOR_USUAL_BITS, false};

    memory->read = memory->write = sator_no_energy;
    if (node != NULL)
        read_directions(reader, node, &around, false, memory, &memory->read, &memory->write);
}

/* ---- compute ---- */

static bool is_width(const struct sator_yaml_node *key)
{
    return key->text[0] >= '0' && key->text[0] <= '9';
}

/* Keep the widths in ascending order. */
static void add_width(struct sator_yaml_reader *reader, const struct sator_yaml_node *key,
        struct sator_width_energy one, struct sator_width_energy **all, int *n)
{
    int at = *n;

    for (int i = 0; i < *n; i++) {
        if ((*all)[i].bits == one.bits) {
            sator_error(reader->ctx, key->loc, "the energy for %d bits is given twice", one.bits);
            return;
        }
    }
    SATOR_PUSH(reader->arena, *all, *n, one);
    for (; at > 0 && (*all)[at - 1].bits > one.bits; at--) {
        (*all)[at] = (*all)[at - 1];
        (*all)[at - 1] = one;
    }
}

/* "{8: 0.23, 16: 0.85}": by the operands' width. */
static void read_by_width(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *source, struct sator_compute *compute)
{
    struct sator_width_energy *all = NULL;

    source = sator_yaml_source(reader, map, source);
    for (int i = 0; i < map->n_pairs && !sator_yaml_full(reader); i++) {
        const struct sator_yaml_node *key = map->pairs[i].key;
        struct sator_width_energy one = {.energy_pj = {.value = NAN}};
        int64_t bits;
        if (strcmp(key->text, "source") == 0)
            continue;
        if (!sator_yaml_int(reader, key, "the width of operands", 1, MOST_BITS, &bits))
            continue;
        one.bits = (int)bits;
        sator_yaml_figure(reader, map->pairs[i].value, "energy_pj", source, &one.energy_pj);
        if (one.energy_pj.value == 0)
            sator_error(reader->ctx, map->pairs[i].value->loc,
                    "an energy of 0 by width: what lies between widths could not be derived");
        add_width(reader, key, one, &all, &compute->n_by_width);
    }
    compute->by_width = all;
}

void sator_yaml_compute_energy(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *source, struct sator_compute *compute)
{
    bool by_width = false;

    for (int i = 0; node != NULL && node->kind == SATOR_YAML_MAP && i < node->n_pairs; i++)
        by_width = by_width || is_width(node->pairs[i].key);
    if (by_width)
        read_by_width(reader, node, source, compute);
    else
        sator_yaml_figure(reader, node, "energy_pj", source, &compute->energy_pj);
}

/* ---- words ---- */

void sator_yaml_widths(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_widths *widths)
{
    struct sator_tensor_width *tensors = NULL;
    int64_t bits;

    *widths = (struct sator_widths){0};
    if (node == NULL)
        return;
    if (node->kind != SATOR_YAML_MAP) {
        if (sator_yaml_int(reader, node, "word_bits", 1, MOST_BITS, &bits))
            widths->bits = (int)bits;
        return;
    }
    for (int i = 0; i < node->n_pairs && !sator_yaml_full(reader); i++) {
        struct sator_tensor_width one;
        if (!sator_yaml_identifier(reader, node->pairs[i].key, "a tensor", &one.tensor) ||
                !sator_yaml_int(reader, node->pairs[i].value, "word_bits", 1, MOST_BITS, &bits))
            continue;
        one.bits = (int)bits;
        SATOR_PUSH(reader->arena, tensors, widths->n_tensors, one);
    }
    widths->tensors = tensors;
}
