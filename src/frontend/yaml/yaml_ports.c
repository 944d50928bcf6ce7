/* Bandwidths and ports of memories (doc/formats.md, architecture). */
#include "frontend/yaml/yaml_arch.h"
#include "frontend/yaml/yaml_effects.h"

#include <math.h>
#include <string.h>

void sator_yaml_bandwidth(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        double *read_bits, double *write_bits)
{
    static const char *const keys[] = {"read", "write"};
    const struct sator_yaml_node *side;

    if (node == NULL)
        return;
    if (node->kind != SATOR_YAML_MAP) {
        if (sator_yaml_number(reader, node, "bandwidth_bits", true, read_bits))
            *write_bits = *read_bits;
        return;
    }
    sator_yaml_check_keys(reader, node, "bandwidth_bits", keys, SATOR_YAML_COUNT(keys));
    if ((side = sator_yaml_get(reader, node, "read")) != NULL)
        sator_yaml_number(reader, side, "bandwidth_bits.read", true, read_bits);
    if ((side = sator_yaml_get(reader, node, "write")) != NULL)
        sator_yaml_number(reader, side, "bandwidth_bits.write", true, write_bits);
}

static void read_direction(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_port *port)
{
    static const char *const names[] = {"read", "write", "both", "shared"};
    const char *word = "both";
    int which = 0;

    if (node != NULL && !sator_yaml_string(reader, node, "direction", &word))
        return;
    while (which < SATOR_YAML_COUNT(names) && strcmp(word, names[which]) != 0)
        which++;
    if (which == SATOR_YAML_COUNT(names)) {
        sator_error(reader->ctx, node->loc, "a port has no direction '%s'",
                sator_yaml_clip(reader->scratch, word));
        sator_help_names(reader->ctx, word, names, SATOR_YAML_COUNT(names));
        return;
    }
    port->reads = which != 1;
    port->writes = which != 0;
    port->is_shared = which == 3;
}

/* A bandwidth for a direction that the port does not have says something that cannot be meant. */
static void check_directions(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const struct sator_port *port)
{
    if (node == NULL || node->kind != SATOR_YAML_MAP)
        return;
    for (int i = 0; i < node->n_pairs; i++) {
        const struct sator_yaml_node *key = node->pairs[i].key;
        bool is_read = strcmp(key->text, "read") == 0;
        if (port->is_shared)
            sator_error(reader->ctx, key->loc,
                    "reads and writes share port '%s': one number is its bandwidth", port->name);
        else if (!(is_read ? port->reads : port->writes))
            sator_error(reader->ctx, key->loc, "port '%s' is for %s only", port->name,
                    is_read ? "writes" : "reads");
        if (port->is_shared)
            return;
    }
}

static bool shares_tensor(const struct sator_port *a, const struct sator_port *b, const char **name)
{
    *name = NULL;
    for (int i = 0; i < a->n_tensors; i++) {
        for (int k = 0; k < b->n_tensors; k++) {
            *name = strcmp(a->tensors[i], b->tensors[k]) == 0 ? a->tensors[i] : *name;
        }
    }
    return *name != NULL || (a->n_tensors == 0 && b->n_tensors == 0);
}

static void check_unique(struct sator_yaml_reader *reader, const struct sator_memory *memory,
        const struct sator_port *port)
{
    const char *tensor;

    for (int i = 0; i < memory->n_ports; i++) {
        const struct sator_port *other = &memory->ports[i];
        if (strcmp(other->name, port->name) == 0)
            sator_error(
                    reader->ctx, port->loc, "two ports of the memory are called '%s'", port->name);
        if ((!(other->reads && port->reads) && !(other->writes && port->writes)) ||
                !shares_tensor(other, port, &tensor))
            continue;
        sator_error(reader->ctx, port->loc, "ports '%s' and '%s' both serve %s%s%s", other->name,
                port->name, tensor == NULL ? "the tensors that no port names" : "'",
                tensor == NULL ? "" : tensor, tensor == NULL ? "" : "'");
        sator_help(reader->ctx, "words of a tensor take one way in each direction");
    }
}

static void check_held(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        const struct sator_memory *memory, const struct sator_port *port)
{
    for (int i = 0; i < port->n_tensors; i++) {
        if (!sator_memory_holds(memory, port->tensors[i]))
            sator_error(reader->ctx, list->loc,
                    "port '%s' serves '%s', which the memory never holds", port->name,
                    port->tensors[i]);
    }
}

static void read_port(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_memory *memory, struct sator_port **ports)
{
    static const char *const keys[] = {
            "name", "tensors", "direction", "bandwidth_bits", "setup_cycles", "granule_bits"};
    struct sator_port port = {
            .reads = true, .writes = true, .read_bits = NAN, .write_bits = NAN, .loc = map->loc};
    const struct sator_yaml_node *name, *tensors, *bandwidth;

    if (!sator_yaml_is(reader, map, SATOR_YAML_MAP, "a port"))
        return;
    port.loc.length = 1;
    sator_yaml_check_keys(reader, map, "a port", keys, SATOR_YAML_COUNT(keys));
    name = sator_yaml_need(reader, map, "a port", "name");
    if (name == NULL || !sator_yaml_identifier(reader, name, "name", &port.name))
        return;
    port.loc = name->loc;
    read_direction(reader, sator_yaml_get(reader, map, "direction"), &port);
    bandwidth = sator_yaml_get(reader, map, "bandwidth_bits");
    sator_yaml_bandwidth(reader, bandwidth, &port.read_bits, &port.write_bits);
    check_directions(reader, bandwidth, &port);
    sator_yaml_burst(reader, map, bandwidth != NULL, &port.burst);
    if ((tensors = sator_yaml_get(reader, map, "tensors")) != NULL &&
            sator_yaml_names(reader, tensors, "tensors", &port.n_tensors, &port.tensors)) {
        if (port.n_tensors == 0)
            sator_error(reader->ctx, tensors->loc, "tensors: the list is empty");
        check_held(reader, tensors, memory, &port);
    }
    check_unique(reader, memory, &port);
    SATOR_PUSH(reader->arena, *ports, memory->n_ports, port);
    memory->ports = *ports;
}

void sator_yaml_ports(struct sator_yaml_reader *reader, const struct sator_yaml_node *list,
        struct sator_memory *memory)
{
    struct sator_port *ports = NULL;

    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "ports"))
        return;
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++)
        read_port(reader, list->items[i], memory, &ports);
}
