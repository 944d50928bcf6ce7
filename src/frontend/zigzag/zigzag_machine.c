/* Hardware: an array of operational units, and memories from the units outwards, each of which
 * serves the units along some dimensions together and has a copy for every place along the others.
 *
 * A memory that serves all dimensions is outside the array, one that serves none is a unit's own.
 * One that serves the last dimensions stands between the arrays of the first and of the last. Any
 * other would need arrays in another order, or none: each unit then has a copy, which the buses
 * fill together, and an access costs it the part of one among those that the memory serves, so that
 * a full array pays what ZigZag's pays.
 */
#include "frontend/zigzag/zigzag.h"

#include <math.h>
#include <string.h>

enum {
    MOST_MEMORIES = 32,
    MOST_PORTS = 16, /* of a memory */
    MOST_OPERANDS = 8, /* likewise */
    READS = 1,
    WRITES = 2
};

struct memory {
    const char *name;
    const struct sator_yaml_node *map;
    unsigned served; /* a bit each dimension */
    bool is_copied; /* each unit has one */
    int64_t shared; /* copies that stand for one */
    int n_tensors;
    struct tensor_bits { /* of the ports that a tensor passes */
        const char *tensor;
        double read, write;
    } tensors[MOST_OPERANDS];
};

struct machine {
    struct zigzag *z;
    int n_dims;
    const char *dims[ZIGZAG_MOST_DIMS];
    int64_t sizes[ZIGZAG_MOST_DIMS];
    int n_memories; /* innermost first, as the file has them */
    struct memory memories[MOST_MEMORIES];
    bool is_joined; /* a tensor passes two ports of one memory in one direction */
    const char *copied; /* a memory of which the units have copies */
    const char *widened; /* an outermost memory that is taken for all units */
};

/* ---- the array ---- */

static void read_array(struct machine *m)
{
    static const char *const keys[] = {"unit_energy", "dimensions", "sizes"};
    struct zigzag *z = m->z;
    const struct sator_yaml_node *array =
            zigzag_need(z, z->root, "hardware", "operational_array", SATOR_YAML_MAP);

    if (array == NULL)
        return;
    zigzag_check(z, array, keys, SATOR_YAML_COUNT(keys));
    const struct sator_yaml_node *dims =
            zigzag_need(z, array, "an array", "dimensions", SATOR_YAML_LIST);
    const struct sator_yaml_node *sizes =
            zigzag_need(z, array, "an array", "sizes", SATOR_YAML_LIST);
    if (dims == NULL || sizes == NULL)
        return;
    if (dims->n_items != sizes->n_items || dims->n_items == 0 || dims->n_items > ZIGZAG_MOST_DIMS) {
        sator_error(z->reader.ctx, sizes->loc,
                "%d sizes for %d dimensions, of which there are 1 to %d", sizes->n_items,
                dims->n_items, ZIGZAG_MOST_DIMS);
        return;
    }
    for (int i = 0; i < dims->n_items; i++) {
        m->dims[i] = "";
        m->sizes[i] = 1;
        if (sator_yaml_is(&z->reader, dims->items[i], SATOR_YAML_SCALAR, "a dimension"))
            m->dims[i] = dims->items[i]->text;
        sator_yaml_int(&z->reader, sizes->items[i], m->dims[i], 1, INT32_MAX, &m->sizes[i]);
    }
    m->n_dims = dims->n_items;
}

static unsigned read_served(struct machine *m, const struct sator_yaml_node *map)
{
    struct zigzag *z = m->z;
    const struct sator_yaml_node *list =
            zigzag_need(z, map, "a memory", "served_dimensions", SATOR_YAML_LIST);
    unsigned served = 0;

    for (int i = 0; list != NULL && i < list->n_items; i++) {
        int dim = m->n_dims;
        if (!sator_yaml_is(&z->reader, list->items[i], SATOR_YAML_SCALAR, "a dimension"))
            continue;
        for (int d = 0; d < m->n_dims; d++)
            dim = strcmp(m->dims[d], list->items[i]->text) == 0 ? d : dim;
        if (dim < m->n_dims) {
            served |= 1U << dim;
            continue;
        }
        sator_error(z->reader.ctx, list->items[i]->loc, "the array has no dimension '%s'",
                sator_yaml_clip(z->reader.scratch, list->items[i]->text));
        sator_help_names(z->reader.ctx, list->items[i]->text, m->dims, m->n_dims);
    }
    return served;
}

/* ---- memories ---- */

static bool is_true(const struct sator_yaml_node *map, const char *key)
{
    const struct sator_yaml_node *node = sator_yaml_find(map, key);

    return node != NULL && node->kind == SATOR_YAML_SCALAR &&
            (strcmp(node->text, "True") == 0 || strcmp(node->text, "true") == 0);
}

static void read_memory(struct machine *m, const struct sator_yaml_pair *pair)
{
    static const char *const keys[] = {"size", "r_cost", "w_cost", "operands", "ports",
            "served_dimensions", "force_double_buffering"};
    struct zigzag *z = m->z;
    struct memory *memory = &m->memories[m->n_memories];

    if (!sator_yaml_is(&z->reader, pair->value, SATOR_YAML_MAP, "a memory"))
        return;
    if (m->n_memories == MOST_MEMORIES) {
        sator_error(z->reader.ctx, pair->key->loc, "more than %d memories", MOST_MEMORIES);
        return;
    }
    zigzag_check(z, pair->value, keys, SATOR_YAML_COUNT(keys));
    *memory = (struct memory){.name = pair->key->text, .map = pair->value, .shared = 1};
    memory->served = read_served(m, pair->value);
    m->n_memories++;
}

/* ---- ports ---- */

struct port {
    const char *name;
    double bits;
    bool is_one; /* reads and writes take turns */
    int n_tensors;
    const char *tensors[MOST_OPERANDS];
    int uses[MOST_OPERANDS]; /* READS, WRITES, both */
};

/* "I1, tl": to the low side is read, from either side is written; to the high side a sum leaves,
 * which costs the memory outside. */
static void add_allocation(struct machine *m, const struct sator_yaml_node *node, struct port *port)
{
    struct zigzag *z = m->z;
    const char *comma = node->kind == SATOR_YAML_SCALAR ? strchr(node->text, ',') : NULL;
    const char *way = comma == NULL ? "" : comma + 1 + strspn(comma + 1, " ");
    int use = strcmp(way, "tl") == 0                           ? READS
            : strcmp(way, "fh") == 0 || strcmp(way, "fl") == 0 ? WRITES
            : strcmp(way, "th") == 0                           ? 0
                                                               : -1;

    if (use < 0) {
        sator_error(z->reader.ctx, node->loc,
                "an allocation is an operand and a way, 'I1, tl': fh, fl, tl or th");
        return;
    }
    const char *operand =
            sator_arena_strndup(z->reader.scratch, node->text, (size_t)(comma - node->text));
    const char *tensor = zigzag_tensor(operand);
    for (int i = 0; i < port->n_tensors; i++) {
        if (strcmp(port->tensors[i], tensor) == 0) {
            port->uses[i] |= use;
            return;
        }
    }
    if (use > 0 && port->n_tensors == MOST_OPERANDS) {
        sator_error(z->reader.ctx, node->loc, "more than %d operands", MOST_OPERANDS);
    } else if (use > 0) {
        port->tensors[port->n_tensors] = tensor;
        port->uses[port->n_tensors++] = use;
    }
}

static bool read_port(struct machine *m, const struct sator_yaml_node *map, struct port *port)
{
    static const char *const keys[] = {"name", "type", "bandwidth_max", "allocation"};
    struct zigzag *z = m->z;
    const struct sator_yaml_node *list, *name, *type, *bits;

    if (!sator_yaml_is(&z->reader, map, SATOR_YAML_MAP, "a port"))
        return false;
    zigzag_check(z, map, keys, SATOR_YAML_COUNT(keys));
    name = zigzag_need(z, map, "a port", "name", SATOR_YAML_SCALAR);
    type = zigzag_need(z, map, "a port", "type", SATOR_YAML_SCALAR);
    bits = zigzag_need(z, map, "a port", "bandwidth_max", SATOR_YAML_SCALAR);
    list = zigzag_need(z, map, "a port", "allocation", SATOR_YAML_LIST);
    if (name == NULL || type == NULL || bits == NULL || list == NULL)
        return false;
    *port = (struct port){.name = name->text, .is_one = strcmp(type->text, "read_write") == 0};
    if (!port->is_one && strcmp(type->text, "read") != 0 && strcmp(type->text, "write") != 0)
        sator_error(z->reader.ctx, type->loc, "a port's type is read, write or read_write");
    sator_yaml_number(&z->reader, bits, "bandwidth_max", true, &port->bits);
    for (int i = 0; i < list->n_items; i++)
        add_allocation(m, list->items[i], port);
    return true;
}

/* Take from a port what an earlier one does already; whether it does anything of it. */
static bool take_uses(struct port *port, const struct port *earlier)
{
    bool any = false;

    for (int t = 0; t < port->n_tensors; t++) {
        for (int s = 0; s < earlier->n_tensors; s++) {
            int both = earlier->uses[s] & port->uses[t];
            if (strcmp(earlier->tensors[s], port->tensors[t]) != 0 || both == 0)
                continue;
            any = true;
            port->uses[t] &= ~both;
        }
    }
    return any;
}

/* A tensor has one port a direction here. */
static void join_ports(struct machine *m, struct port *ports, int n_ports)
{
    for (int p = 1; p < n_ports; p++) {
        for (int q = 0; q < p; q++)
            m->is_joined |= take_uses(&ports[p], &ports[q]);
    }
}

/* The tensors of a port that it serves in "uses" ways, as a port of Sator's. */
static void write_port(const struct port *port, int uses, struct sator_text *text)
{
    bool others = false; /* the same port in another direction */
    int n = 0;

    for (int t = 0; t < port->n_tensors; t++)
        others |= port->uses[t] != uses && port->uses[t] != 0;

    for (int t = 0; t < port->n_tensors; t++) {
        if (port->uses[t] != uses)
            continue;
        if (n++ == 0)
            sator_text_add(text, "%s{name: %s%s, direction: %s, bandwidth_bits: %.17g, tensors: [",
                    text->data[text->length - 1] == '[' ? "" : ", ", port->name,
                    !others || uses == (READS | WRITES) ? ""
                            : uses == READS             ? "_r"
                                                        : "_w",
                    uses == READS            ? "read"
                            : uses == WRITES ? "write"
                            : port->is_one   ? "shared"
                                             : "both",
                    port->bits);
        sator_text_add(text, "%s%s", n == 1 ? "" : ", ", port->tensors[t]);
    }
    if (n > 0)
        sator_text_put(text, "]}");
}

/* Remember how wide the port is for its tensors. */
static void add_bits(struct machine *m, struct memory *memory, const struct port *port)
{
    for (int t = 0; t < port->n_tensors; t++) {
        int i = 0;
        while (i < memory->n_tensors && strcmp(memory->tensors[i].tensor, port->tensors[t]) != 0)
            i++;
        if (i == MOST_OPERANDS) {
            sator_error(m->z->reader.ctx, memory->map->loc, "more than %d operands", MOST_OPERANDS);
            return;
        }
        if (i == memory->n_tensors)
            memory->tensors[memory->n_tensors++] = (struct tensor_bits){.tensor = port->tensors[t]};
        if (port->uses[t] & READS)
            memory->tensors[i].read = port->bits;
        if (port->uses[t] & WRITES)
            memory->tensors[i].write = port->bits;
    }
}

static void write_ports(struct machine *m, struct memory *memory, struct sator_text *text)
{
    const struct sator_yaml_node *list =
            zigzag_need(m->z, memory->map, "a memory", "ports", SATOR_YAML_LIST);
    struct port ports[MOST_PORTS];
    int n_ports = 0;

    for (int i = 0; list != NULL && i < list->n_items; i++) {
        if (n_ports == MOST_PORTS) {
            sator_error(m->z->reader.ctx, list->items[i]->loc, "more than %d ports", MOST_PORTS);
            break;
        }
        n_ports += read_port(m, list->items[i], &ports[n_ports]);
    }
    join_ports(m, ports, n_ports);
    for (int p = 0; p < n_ports; p++)
        add_bits(m, memory, &ports[p]);
    sator_text_put(text, ", ports: [");
    for (int p = 0; p < n_ports; p++) {
        write_port(&ports[p], READS | WRITES, text);
        write_port(&ports[p], READS, text);
        write_port(&ports[p], WRITES, text);
    }
    sator_text_put(text, "]");
}

/* ---- writing ---- */

/* An access is one of the whole width of the port. */
static void write_cost(struct machine *m, const struct memory *memory, const char *key,
        const char *direction, double bits, struct sator_text *text)
{
    const struct sator_yaml_node *node = sator_yaml_find(memory->map, key);
    double cost;

    if (node == NULL || !sator_yaml_number(&m->z->reader, node, key, false, &cost) || bits <= 0)
        return;
    sator_text_add(text, "%s%s: {value: %.17g, row_bits: %.0f}",
            text->data[text->length - 1] == '{' ? "" : ", ", direction,
            cost / (double)memory->shared, bits);
}

static void write_memory(struct machine *m, struct memory *memory, struct sator_text *text)
{
    struct zigzag *z = m->z;
    const struct sator_yaml_node *size =
            zigzag_need(z, memory->map, "a memory", "size", SATOR_YAML_SCALAR);
    const struct sator_yaml_node *operands =
            zigzag_need(z, memory->map, "a memory", "operands", SATOR_YAML_LIST);
    double bits = 0;

    sator_text_put(text, "  - {memory: ");
    sator_text_add_yaml(text, memory->name);
    if (size != NULL && sator_yaml_number(&z->reader, size, "size", true, &bits))
        sator_text_add(text, ", capacity_bytes: %.0f", floor(bits / 8));
    if (is_true(memory->map, "force_double_buffering"))
        sator_text_put(text, ", double_buffered: true");
    for (int i = 0; operands != NULL && i < operands->n_items; i++) {
        if (sator_yaml_is(&z->reader, operands->items[i], SATOR_YAML_SCALAR, "an operand"))
            sator_text_add(text, "%s%s", i == 0 ? ", tensors: [" : ", ",
                    zigzag_tensor(operands->items[i]->text));
    }
    sator_text_put(text, operands != NULL && operands->n_items > 0 ? "]" : "");
    write_ports(m, memory, text);
    sator_text_put(text, ", energy_pj: {tensors: {");
    for (int t = 0; t < memory->n_tensors; t++) {
        const struct tensor_bits *bits_of = &memory->tensors[t];
        sator_text_add(text, "%s%s: {", t == 0 ? "" : ", ", bits_of->tensor);
        write_cost(m, memory, "r_cost", "read", bits_of->read, text);
        write_cost(m, memory, "w_cost", "write", bits_of->write, text);
        sator_text_put(text, "}");
    }
    sator_text_put(text, "}}}\n");
}

/* The array of dimensions "first" to "end"; words reach all that want them, and sums meet. */
static void write_array(struct machine *m, int first, int end, struct sator_text *text)
{
    struct sator_text name = {0}, shape = {0}, indices = {0};

    for (int d = first; d < end; d++) {
        sator_text_add(&name, "%s%s", d == first ? "" : "_", m->dims[d]);
        sator_text_add(&shape, "%s%lld", d == first ? "" : ", ", (long long)m->sizes[d]);
        sator_text_add(&indices, "%si%d", d == first ? "" : ",", d);
    }
    sator_text_add(text,
            "  - {array: \"%s\", shape: [%s], multicast: [{name: all, map: \"%s[%s] -> BUS[0]\", "
            "energy_pj: 0}], "
            "reduction: [{name: sum, map: \"%s[%s] -> TREE[0]\", energy_pj: 0}]}\n",
            name.data, shape.data, name.data, indices.data, name.data, indices.data);
    sator_text_clear(&name);
    sator_text_clear(&shape);
    sator_text_clear(&indices);
}

/* The units that a memory serves, where each has a copy. */
static int64_t units_served(const struct machine *m, unsigned served)
{
    int64_t units = 1;

    for (int d = 0; d < m->n_dims; d++)
        units *= served >> d & 1 ? m->sizes[d] : 1;
    return units;
}

/* The first of the last dimensions that "served" is, from "from" on; n_dims when it is no such. */
static int suffix_of(const struct machine *m, unsigned served, int from)
{
    unsigned all = (1U << m->n_dims) - 1;

    while (from < m->n_dims && served != (all & ~((1U << from) - 1)))
        from++;
    return from;
}

static bool share_operand(const struct memory *a, const struct memory *b)
{
    const struct sator_yaml_node *of_a = sator_yaml_find(a->map, "operands");
    const struct sator_yaml_node *of_b = sator_yaml_find(b->map, "operands");

    for (int i = 0; of_a != NULL && of_b != NULL && i < of_a->n_items; i++) {
        for (int k = 0; k < of_b->n_items; k++) {
            if (of_a->items[i]->kind == SATOR_YAML_SCALAR &&
                    of_b->items[k]->kind == SATOR_YAML_SCALAR &&
                    strcmp(of_a->items[i]->text, of_b->items[k]->text) == 0)
                return true;
        }
    }
    return false;
}

/* Decide of which memories each unit has a copy: of those that stand nowhere between arrays, and of
 * those inside one of them for the same operand. */
static void find_copies(struct machine *m)
{
    int placed = 0;

    for (int i = m->n_memories - 1; i >= 0; i--) {
        struct memory *memory = &m->memories[i];
        unsigned all = (1U << m->n_dims) - 1;
        if (i == m->n_memories - 1 && memory->served != all) {
            memory->served = all;
            m->widened = memory->name;
        }
        int first = suffix_of(m, memory->served, placed);
        memory->is_copied = first == m->n_dims;
        for (int k = i + 1; k < m->n_memories; k++)
            memory->is_copied |= m->memories[k].is_copied && share_operand(memory, &m->memories[k]);
        if (!memory->is_copied) {
            placed = first;
        } else if (memory->served != 0) {
            memory->shared = units_served(m, memory->served);
            m->copied = m->copied == NULL ? memory->name : m->copied;
        }
    }
}

static void write_levels(struct machine *m, struct sator_text *text)
{
    int placed = 0; /* dimensions whose array is written */

    sator_text_put(text, "levels:\n");
    for (int i = m->n_memories - 1; i >= 0; i--) {
        struct memory *memory = &m->memories[i];
        if (memory->is_copied)
            continue;
        int first = suffix_of(m, memory->served, placed);
        if (first > placed)
            write_array(m, placed, first, text);
        placed = first;
        write_memory(m, memory, text);
    }
    write_array(m, placed, m->n_dims, text);
    for (int i = m->n_memories - 1; i >= 0; i--) {
        if (m->memories[i].is_copied)
            write_memory(m, &m->memories[i], text);
    }
}

static void write_compute(struct machine *m, struct sator_text *text)
{
    const struct sator_yaml_node *array = sator_yaml_find(m->z->root, "operational_array");
    const struct sator_yaml_node *energy = sator_yaml_find(array, "unit_energy");
    double pj;

    sator_text_put(text, "  - {compute: mac");
    if (energy != NULL && sator_yaml_number(&m->z->reader, energy, "unit_energy", false, &pj))
        sator_text_add(text, ", energy_pj: %.17g", pj);
    sator_text_put(text, "}\n");
}

void zigzag_write_machine(struct zigzag *z, struct sator_text *text)
{
    static const char *const keys[] = {"name", "memories", "operational_array"};
    struct machine m = {.z = z};

    if (!sator_yaml_is(&z->reader, z->root, SATOR_YAML_MAP, "hardware"))
        return;
    zigzag_check(z, z->root, keys, SATOR_YAML_COUNT(keys));
    const struct sator_yaml_node *memories =
            zigzag_need(z, z->root, "hardware", "memories", SATOR_YAML_MAP);
    read_array(&m);
    for (int i = 0; memories != NULL && m.n_dims > 0 && i < memories->n_pairs; i++)
        read_memory(&m, &memories->pairs[i]);
    if (m.n_dims == 0 || sator_yaml_failed(&z->reader))
        return;
    find_copies(&m);
    write_levels(&m, text);
    write_compute(&m, text);
    if (m.is_joined)
        sator_warn(z->reader.ctx, (struct sator_loc){z->source, 0, 0},
                "a tensor that passes two ports of a memory in one direction passes the first of "
                "them here");
    if (m.widened != NULL)
        sator_warn(z->reader.ctx, (struct sator_loc){z->source, 0, 0},
                "'%s', the outermost memory, serves not all dimensions there and all of them here",
                sator_yaml_clip(z->reader.scratch, m.widened));
    if (m.copied != NULL)
        sator_warn(z->reader.ctx, (struct sator_loc){z->source, 0, 0},
                "'%s' serves dimensions that are not the array's last: each unit has a copy of it "
                "here, at its part of an access's energy",
                sator_yaml_clip(z->reader.scratch, m.copied));
}
