/* What an architecture says and that can have no effect, whatever the workload: said in warnings,
 * once all levels are known. */
#include "frontend/yaml/yaml_effects.h"

#include <math.h>
#include <string.h>

/* Names in a list, or keys of a map, of tensors that the memory never holds. */
static void warn_of_names(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *key, const struct sator_level *level)
{
    bool is_map = node != NULL && node->kind == SATOR_YAML_MAP;
    int n = node == NULL || node->kind == SATOR_YAML_SCALAR ? 0
            : is_map                                        ? node->n_pairs
                                                            : node->n_items;

    for (int i = 0; i < n; i++) {
        const struct sator_yaml_node *name = is_map ? node->pairs[i].key : node->items[i];
        if (!sator_memory_holds(&level->memory, name->text))
            sator_warn(reader->ctx, name->loc, "%s of '%s' has no effect: '%s' never holds it", key,
                    name->text, level->name);
    }
}

/* A bandwidth of a direction in which a declared port takes what no other port names. */
static void warn_of_bandwidth(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const struct sator_memory *memory)
{
    const struct sator_port *read = NULL, *write = NULL;

    for (int i = 0; i < memory->n_ports; i++) {
        const struct sator_port *port = &memory->ports[i];
        read = port->n_tensors == 0 && port->reads ? port : read;
        write = port->n_tensors == 0 && port->writes ? port : write;
    }
    bool reads_unused = isnan(memory->read_bits) || read != NULL;
    bool writes_unused = isnan(memory->write_bits) || write != NULL;
    if (memory->n_ports > 0 && sator_yaml_find(map, "bandwidth_bits") != NULL && reads_unused &&
            writes_unused)
        sator_warn(reader->ctx, sator_yaml_find(map, "bandwidth_bits")->loc,
                "'bandwidth_bits' has no effect: all words pass the declared ports, of which '%s' "
                "takes those that no other port names",
                (read != NULL ? read : write)->name);
}

/* "overlaps: false" where no delay is added up: the model asks the scratchpad alone. */
static void warn_of_overlaps(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const struct sator_arch *arch, const struct sator_level *level)
{
    const struct sator_level *scratchpad = NULL;

    for (int i = 0; i < arch->n_levels && arch->levels[i].kind == SATOR_LEVEL_MEMORY; i++)
        scratchpad = &arch->levels[i];
    if (level->memory.overlaps || level == scratchpad)
        return;
    sator_warn(reader->ctx, sator_yaml_find(map, "overlaps")->loc,
            "'overlaps: false' has no effect at '%s'", level->name);
    sator_help(reader->ctx,
            "it is for the scratchpad, the innermost memory outside all arrays%s%s%s",
            scratchpad == NULL ? "" : ": here '", scratchpad == NULL ? "" : scratchpad->name,
            scratchpad == NULL ? "" : "'");
}

static void warn_of_memory(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const struct sator_arch *arch, const struct sator_level *level, bool in_array)
{
    const struct sator_memory *memory = &level->memory;
    const struct sator_yaml_node *energy = sator_yaml_find(map, "energy_pj");

    warn_of_overlaps(reader, map, arch, level);
    if (memory->holds_idle && !in_array)
        sator_warn(reader->ctx, sator_yaml_find(map, "holds")->loc,
                "'holds' has no effect at '%s': no array is outside of it, so that it never "
                "idles",
                level->name);
    if (memory->double_buffered && memory->n_capacities == 0)
        sator_warn(reader->ctx, sator_yaml_find(map, "double_buffered")->loc,
                "'double_buffered' has no effect at '%s': it halves a capacity, and none is given",
                level->name);
    warn_of_bandwidth(reader, map, memory);
    warn_of_names(reader, sator_yaml_find(map, "word_bits"), "word_bits", level);
    warn_of_names(reader, sator_yaml_find(map, "may_bypass"), "may_bypass", level);
    if (energy != NULL && energy->kind == SATOR_YAML_MAP)
        warn_of_names(reader, sator_yaml_find(energy, "tensors"), "energy_pj", level);
}

/* Whether a wire for "a" serves all that one for "b" does; no tensors are all of them. */
static bool serves(int n_a, const char *const *a, int n_b, const char *const *b)
{
    bool all = n_a == 0 || n_b > 0;

    for (int i = 0; i < n_b && n_a > 0; i++) {
        bool found = false;
        for (int k = 0; k < n_a; k++)
            found |= strcmp(a[k], b[i]) == 0;
        all &= found;
    }
    return all;
}

/* Whether two maps are the same as they are written, but for names. */
static bool is_same_map(const struct sator_relation *a, const struct sator_relation *b)
{
    const struct sator_piece *f = sator_relation_function(a), *g = sator_relation_function(b);
    bool same = f != NULL && g != NULL && a->n_out == b->n_out;

    for (int d = 0; same && d < a->n_out; d++)
        same = sator_expr_equal(f->out[d], g->out[d]);
    return same;
}

/* A link, bus or tree as far as it matters which words take it. */
struct wire {
    const char *kind, *name;
    int interval; /* of a link */
    const struct sator_relation *map;
    int n_tensors;
    const char *const *tensors;
    struct sator_loc loc;
};

/* A word comes over one wire: of two that lead the same way, over the first one. */
static void warn_of_copies(struct sator_yaml_reader *reader, int n_wires, const struct wire *wires)
{
    for (int i = 0; i < n_wires; i++) {
        const struct wire *wire = &wires[i], *first = wires;
        while (first != wire &&
                !(first->kind == wire->kind && first->interval == wire->interval &&
                        is_same_map(first->map, wire->map) &&
                        serves(first->n_tensors, first->tensors, wire->n_tensors, wire->tensors)))
            first++;
        if (first != wire)
            sator_warn(reader->ctx, wire->loc,
                    "%s '%s' has no effect: '%s' joins the same PEs and serves all that it does",
                    wire->kind, wire->name, first->name);
    }
}

static void warn_of_array(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const struct sator_level *level)
{
    static const char *const kinds[] = {"link", "multicast", "reduction tree"};
    const struct sator_array *array = &level->array;
    struct wire *wires = NULL;
    int n_wires = 0;

    if (array->pass_through && array->n_links == 0)
        sator_warn(reader->ctx, sator_yaml_find(map, "pass_through")->loc,
                "'pass_through' has no effect: '%s' has no links", level->name);
    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        struct wire wire = {kinds[0], link->name, link->interval, link->map, link->n_tensors,
                link->tensors, link->loc};
        SATOR_PUSH(reader->arena, wires, n_wires, wire);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        struct wire wire = {kinds[bus->is_reduction ? 2 : 1], bus->name, 0, bus->map,
                bus->n_tensors, bus->tensors, bus->loc};
        SATOR_PUSH(reader->arena, wires, n_wires, wire);
    }
    warn_of_copies(reader, n_wires, wires);
}

void sator_yaml_warn_of_effects(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *list, const struct sator_arch *arch)
{
    bool in_array = false;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        const struct sator_yaml_node *map = list->items[i];
        if (level->kind == SATOR_LEVEL_ARRAY)
            warn_of_array(reader, map, level);
        in_array |= level->kind == SATOR_LEVEL_ARRAY;
        if (level->kind == SATOR_LEVEL_MEMORY)
            warn_of_memory(reader, map, arch, level, in_array);
    }
}
