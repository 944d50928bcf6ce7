/* Architectures: levels of memory, arrays with their networks, compute (doc/formats.md). */
#include "frontend/yaml/yaml_arch.h"
#include "frontend/yaml/yaml_activity.h"
#include "frontend/yaml/yaml_effects.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum {
    MOST_LEVELS = 32,
    MOST_DIMS = 8,
    MOST_CYCLES = 1000000000
};

/* An array of more PEs than this is a mistake in the file. */
static const int64_t most_pes = INT64_C(1) << 32;

static const char *const memory_keys[] = {"memory", "capacity_bytes", "capacity_words",
        "double_buffered", "bandwidth_bits", "ports", "energy_pj", "leakage_pj", "tensors",
        "bypass", "may_bypass", "overlaps", "transfers", "setup_cycles", "granule_bits", "holds",
        "area_um2", "area_um2_per_byte", "word_bits", "gating", "component", "banks", "cell_ports",
        "source"};
static const char *const array_keys[] = {"array", "shape", "topology", "links", "multicast",
        "reduction", "pass_through", "word_bits", "source"};
static const char *const compute_keys[] = {"compute", "energy_pj", "cycles", "per_stamp",
        "leakage_pj", "area_um2", "gating", "skipping", "component", "source"};

/* ---- memories ---- */

static void add_capacity(struct sator_yaml_reader *reader, const struct sator_yaml_node *value,
        const struct sator_yaml_node *tensor, bool in_bytes, struct sator_capacity **capacities,
        int *n_capacities)
{
    struct sator_capacity capacity = {.words = NAN, .bytes = NAN};
    int64_t amount;

    if (tensor != NULL && !sator_yaml_identifier(reader, tensor, "a tensor", &capacity.tensor))
        return;
    if (!sator_yaml_int(reader, value, in_bytes ? "capacity_bytes" : "capacity_words", 1,
                INT64_C(1) << 52, &amount))
        return;
    *(in_bytes ? &capacity.bytes : &capacity.words) = (double)amount;
    for (int i = 0; i < *n_capacities; i++) {
        const char *other = (*capacities)[i].tensor;
        bool same = other == NULL || tensor == NULL ? other == capacity.tensor
                                                    : strcmp(other, capacity.tensor) == 0;
        if (!same)
            continue;
        sator_error(reader->ctx, tensor == NULL ? value->loc : tensor->loc,
                "the capacity %s%s is given in bytes and in words", tensor == NULL ? "" : "of ",
                tensor == NULL ? "of the memory" : capacity.tensor);
        return;
    }
    SATOR_PUSH(reader->arena, *capacities, *n_capacities, capacity);
}

static void read_capacities(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_memory *memory)
{
    static const char *const keys[] = {"capacity_bytes", "capacity_words"};
    struct sator_capacity *capacities = NULL;

    for (int k = 0; k < SATOR_YAML_COUNT(keys); k++) {
        const struct sator_yaml_node *node = sator_yaml_get(reader, map, keys[k]);
        if (node == NULL)
            continue;
        if (node->kind != SATOR_YAML_MAP) {
            add_capacity(reader, node, NULL, k == 0, &capacities, &memory->n_capacities);
            continue;
        }
        for (int i = 0; i < node->n_pairs && !sator_yaml_full(reader); i++)
            add_capacity(reader, node->pairs[i].value, node->pairs[i].key, k == 0, &capacities,
                    &memory->n_capacities);
    }
    memory->capacities = capacities;
}

static void read_tensor_lists(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_memory *memory)
{
    const struct sator_yaml_node *tensors = sator_yaml_get(reader, map, "tensors");
    const struct sator_yaml_node *bypass = sator_yaml_get(reader, map, "bypass");
    const struct sator_yaml_node *may = sator_yaml_get(reader, map, "may_bypass");

    if (tensors != NULL)
        sator_yaml_names(reader, tensors, "tensors", &memory->n_tensors, &memory->tensors);
    if (bypass != NULL)
        sator_yaml_names(reader, bypass, "bypass", &memory->n_bypass, &memory->bypass);
    if (may != NULL)
        sator_yaml_names(reader, may, "may_bypass", &memory->n_may_bypass, &memory->may_bypass);
    if (tensors != NULL && tensors->kind == SATOR_YAML_LIST && tensors->n_items == 0) {
        sator_error(reader->ctx, tensors->loc, "tensors: the list is empty");
        sator_help(reader->ctx, "without 'tensors' a memory may hold all of them");
    }
    for (int i = 0; i < memory->n_bypass; i++) {
        for (int k = 0; k < memory->n_tensors; k++) {
            if (strcmp(memory->bypass[i], memory->tensors[k]) == 0)
                sator_error(reader->ctx, bypass->loc, "'%s' is in tensors and in bypass",
                        memory->bypass[i]);
        }
        for (int k = 0; k < memory->n_may_bypass; k++) {
            if (strcmp(memory->bypass[i], memory->may_bypass[k]) == 0)
                sator_error(reader->ctx, may->loc,
                        "'%s' is in bypass, and always bypasses: not in may_bypass too",
                        memory->bypass[i]);
        }
    }
}

double sator_yaml_capacity_bytes(const struct sator_memory *memory, int64_t word_bits)
{
    double bytes = memory->n_capacities == 0 ? NAN : 0;

    for (int i = 0; i < memory->n_capacities; i++) {
        const struct sator_capacity *c = &memory->capacities[i];
        bytes += !isnan(c->bytes) ? c->bytes
                : word_bits > 0   ? c->words * (double)word_bits / 8
                                  : NAN;
    }
    return bytes;
}

/* The area of one instance, or of a byte of it. */
static void read_area(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *source, struct sator_memory *memory)
{
    const struct sator_yaml_node *whole = sator_yaml_get(reader, map, "area_um2");
    const struct sator_yaml_node *byte = sator_yaml_get(reader, map, "area_um2_per_byte");

    sator_yaml_figure(reader, whole, "area_um2", source, &memory->area_um2);
    if (byte == NULL)
        return;
    if (whole != NULL) {
        sator_error(reader->ctx, byte->loc, "the area is given by 'area_um2' already");
        return;
    }
    sator_yaml_figure(reader, byte, "area_um2_per_byte", source, &memory->area_um2_per_byte);
    memory->area_um2 = memory->area_um2_per_byte;
    double bytes = sator_yaml_capacity_bytes(memory, 0);
    if (isnan(bytes))
        sator_error(reader->ctx, byte->loc, "an area per byte needs the memory's capacity_bytes");
    memory->area_um2.value *= bytes;
}

static void read_memory(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        bool outermost, struct sator_memory *memory)
{
    const struct sator_figure unknown = {.value = NAN};
    const struct sator_yaml_node *node;

    *memory = (struct sator_memory){.leakage_pj = unknown,
            .area_um2 = unknown,
            .area_um2_per_byte = unknown,
            .read_bits = NAN,
            .write_bits = NAN,
            .overlaps = true};
    sator_yaml_check_keys(reader, map, "a memory", memory_keys, SATOR_YAML_COUNT(memory_keys));
    const char *source = sator_yaml_source(reader, map, NULL);
    read_capacities(reader, map, memory);
    sator_yaml_bandwidth(reader, sator_yaml_get(reader, map, "bandwidth_bits"), &memory->read_bits,
            &memory->write_bits);
    sator_yaml_memory_energy(reader, sator_yaml_get(reader, map, "energy_pj"), source, memory);
    sator_yaml_widths(reader, sator_yaml_get(reader, map, "word_bits"), &memory->widths);
    sator_yaml_figure(reader, sator_yaml_get(reader, map, "leakage_pj"), "leakage_pj", source,
            &memory->leakage_pj);
    read_area(reader, map, source, memory);
    read_tensor_lists(reader, map, memory);
    sator_yaml_ports(reader, sator_yaml_get(reader, map, "ports"), memory);
    if (outermost && memory->n_may_bypass > 0)
        sator_error(reader->ctx, sator_yaml_find(map, "may_bypass")->loc,
                "nothing can bypass the outermost memory, where all tensors come from");
    if ((node = sator_yaml_get(reader, map, "double_buffered")) != NULL)
        sator_yaml_bool(reader, node, "double_buffered", &memory->double_buffered);
    if ((node = sator_yaml_get(reader, map, "overlaps")) != NULL)
        sator_yaml_bool(reader, node, "overlaps", &memory->overlaps);
    sator_yaml_memory_timing(reader, map, memory);
    sator_yaml_memory_gates(reader, sator_yaml_get(reader, map, "gating"), memory);
}

/* ---- compute ---- */

static void read_compute(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_compute *compute)
{
    const struct sator_figure unknown = {.value = NAN};
    const struct sator_yaml_node *node;

    *compute = (struct sator_compute){
            .energy_pj = unknown, .leakage_pj = unknown, .area_um2 = unknown, .cycles = 1};
    sator_yaml_check_keys(
            reader, map, "a compute level", compute_keys, SATOR_YAML_COUNT(compute_keys));
    const char *source = sator_yaml_source(reader, map, NULL);
    sator_yaml_compute_energy(reader, sator_yaml_get(reader, map, "energy_pj"), source, compute);
    sator_yaml_figure(reader, sator_yaml_get(reader, map, "leakage_pj"), "leakage_pj", source,
            &compute->leakage_pj);
    sator_yaml_figure(reader, sator_yaml_get(reader, map, "area_um2"), "area_um2", source,
            &compute->area_um2);
    if ((node = sator_yaml_get(reader, map, "cycles")) != NULL)
        sator_yaml_number(reader, node, "cycles", true, &compute->cycles);
    if ((node = sator_yaml_get(reader, map, "per_stamp")) != NULL)
        sator_yaml_int(reader, node, "per_stamp", 1, INT64_C(1) << 40, &compute->per_stamp);
    sator_yaml_compute_gate(reader, sator_yaml_get(reader, map, "gating"),
            sator_yaml_get(reader, map, "skipping"), compute);
}

/* ---- arrays ---- */

static bool read_shape(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_array *array)
{
    const struct sator_yaml_node *node = sator_yaml_need(reader, map, "an array", "shape");
    int64_t pes = 1;
    bool valid = true;

    if (node == NULL ||
            (node->kind != SATOR_YAML_SCALAR &&
                    !sator_yaml_is(reader, node, SATOR_YAML_LIST, "shape")))
        return false;
    int n_dims = node->kind == SATOR_YAML_SCALAR ? 1 : node->n_items;
    if (n_dims == 0 || n_dims > MOST_DIMS) {
        sator_error(reader->ctx, node->loc, "%d dimensions: an array has between 1 and %d", n_dims,
                MOST_DIMS);
        return false;
    }
    int64_t *shape = SATOR_NEW_ARRAY(reader->arena, int64_t, n_dims);
    for (int d = 0; d < n_dims; d++) {
        shape[d] = 1;
        valid &= sator_yaml_int(reader, node->kind == SATOR_YAML_SCALAR ? node : node->items[d],
                "shape", 1, most_pes, &shape[d]);
        if (__builtin_mul_overflow(pes, shape[d], &pes) || pes > most_pes) {
            sator_error(reader->ctx, node->loc, "the array has more than 2^32 PEs");
            return false;
        }
    }
    array->n_dims = n_dims;
    array->shape = shape;
    return valid;
}

/* What links and buses have in common: { array[n_dims] -> name[...] }. */
static const struct sator_relation *read_map(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *entry, const char *where, const char *array_name,
        const struct sator_array *array)
{
    const struct sator_yaml_node *node = sator_yaml_need(reader, entry, where, "map");
    const struct sator_relation *map;

    if (node == NULL || !sator_yaml_is(reader, node, SATOR_YAML_SCALAR, "map"))
        return NULL;
    if (sator_relation_read(reader->ctx, reader->arena, node->text_loc, &map) != SATOR_OK)
        return NULL;
    if (map->is_set) {
        sator_error(reader->ctx, node->loc, "a map such as \"%s[i] -> %s[i+1]\" is expected",
                array_name, array_name);
        return NULL;
    }
    if (map->in_name == NULL || strcmp(map->in_name, array_name) != 0) {
        sator_error(reader->ctx, node->loc, "the map starts from '%s'; this array is '%s'",
                map->in_name == NULL ? "" : map->in_name, array_name);
        return NULL;
    }
    if (map->n_in != array->n_dims) {
        sator_error(reader->ctx, node->loc, "'%s' has %d %s here; the array has %d", array_name,
                map->n_in, map->n_in == 1 ? "dimension" : "dimensions", array->n_dims);
        return NULL;
    }
    return map;
}

/* By how much the link shifts dimension "d", when it shifts it by a constant. */
static bool shift_of(const struct sator_piece *piece, int d, int64_t *shift)
{
    const struct sator_expr *out = piece->out[d];

    *shift = out->constant;
    return out->n_terms == 1 && out->terms[0].atom == SATOR_ATOM_VAR && out->terms[0].var == d &&
            out->terms[0].factor == 1;
}

/* The first dimension that the link shifts past the array's end, or -1. */
static int dim_shifted_out(const struct sator_link *link, const struct sator_array *array)
{
    const struct sator_piece *piece = sator_relation_function(link->map);
    int64_t shift;

    for (int d = 0; piece != NULL && d < array->n_dims; d++) {
        if (shift_of(piece, d, &shift) && (shift >= array->shape[d] || shift <= -array->shape[d]))
            return d;
    }
    return -1;
}

/* Whether the map leads from every PE to itself, whatever the array. */
static bool is_identity(const struct sator_link *link)
{
    const struct sator_piece *piece = sator_relation_function(link->map);
    int64_t shift;

    for (int d = 0; piece != NULL && d < link->map->n_out; d++) {
        if (!shift_of(piece, d, &shift) || shift != 0)
            return false;
    }
    return piece != NULL;
}

/* A link that can join no two PEs of the array has no effect. Nor has one from a PE to itself: what
 * the PE held a stamp before it holds still (two stamps before is another matter), and in the same
 * stamp it is a cycle, an error where that is what the map says of any array. */
static void check_link(struct sator_yaml_reader *reader, const struct sator_loc loc,
        const struct sator_link *link, const struct sator_array *array)
{
    int out = dim_shifted_out(link, array);
    int64_t shift;

    if (out >= 0) {
        shift_of(&link->map->pieces[0], out, &shift);
        sator_warn(reader->ctx, loc,
                "link '%s' joins no two PEs: it shifts dimension %d by %lld, and the array has "
                "%lld there",
                link->name, out, (long long)shift, (long long)array->shape[out]);
    } else if (sator_map_joins(reader->ctx, link->map, array->shape, link->interval <= 1)) {
        return;
    } else if (!sator_map_joins(reader->ctx, link->map, array->shape, false)) {
        sator_warn(reader->ctx, loc, "link '%s' joins no two PEs of the array", link->name);
    } else if (link->interval == 0 && is_identity(link)) {
        sator_error(reader->ctx, loc, "link '%s' leads only from a PE to itself, in the same stamp",
                link->name);
    } else {
        sator_warn(reader->ctx, loc,
                "link '%s' leads only from a PE to itself and has no effect: a PE keeps what it "
                "held a stamp before",
                link->name);
    }
}

/* Buses of one PE each carry nothing together. */
static void check_bus(struct sator_yaml_reader *reader, const struct sator_loc loc,
        const struct sator_bus *bus, const struct sator_array *array)
{
    if (!sator_map_shares(reader->ctx, bus->map, array->shape))
        sator_warn(reader->ctx, loc, "%s '%s' has no effect: no two PEs share %s",
                bus->is_reduction ? "reduction tree" : "multicast", bus->name,
                bus->is_reduction ? "a tree" : "a bus");
}

static void read_common(struct sator_yaml_reader *reader, const struct sator_yaml_node *entry,
        const char *source, const char **name, int *n_tensors, const char *const **tensors,
        struct sator_energy *energy)
{
    const struct sator_yaml_node *node;

    *energy = sator_no_energy;
    if ((node = sator_yaml_get(reader, entry, "name")) != NULL)
        sator_yaml_string(reader, node, "name", name);
    if ((node = sator_yaml_get(reader, entry, "tensors")) != NULL &&
            sator_yaml_names(reader, node, "tensors", n_tensors, tensors) && *n_tensors == 0) {
        sator_error(reader->ctx, node->loc, "tensors: the list is empty");
        sator_help(reader->ctx, "without 'tensors' it is for all of them");
    }
    sator_yaml_wire_energy(reader, sator_yaml_get(reader, entry, "energy_pj"),
            sator_yaml_source(reader, entry, source), energy);
}

static void read_link(struct sator_yaml_reader *reader, const struct sator_yaml_node *entry,
        const char *array_name, const char *source, struct sator_array *array,
        struct sator_link **links)
{
    static const char *const keys[] = {
            "name", "map", "interval", "tensors", "energy_pj", "bandwidth_bits", "source"};
    struct sator_link link = {.loc = entry->loc};
    const struct sator_yaml_node *node;
    int64_t interval = 1;

    if (!sator_yaml_is(reader, entry, SATOR_YAML_MAP, "a link"))
        return;
    link.loc.length = 1;
    sator_yaml_check_keys(reader, entry, "a link", keys, SATOR_YAML_COUNT(keys));
    link.name = sator_arena_printf(reader->arena, "link%d", array->n_links + 1);
    sator_yaml_wire_bandwidth(reader, entry, &link.bandwidth_bits);
    read_common(reader, entry, source, &link.name, &link.n_tensors, &link.tensors, &link.energy);
    if ((node = sator_yaml_get(reader, entry, "interval")) != NULL)
        sator_yaml_int(reader, node, "interval", 0, 1024, &interval);
    link.interval = (int)interval;
    link.map = read_map(reader, entry, "a link", array_name, array);
    if (link.map == NULL)
        return;
    struct sator_loc loc = sator_yaml_find(entry, "map")->loc;
    if (link.map->out_name == NULL || strcmp(link.map->out_name, array_name) != 0 ||
            link.map->n_out != array->n_dims) {
        sator_error(reader->ctx, loc, "a link leads to a PE of the same array: '%s' with %d %s",
                array_name, array->n_dims, array->n_dims == 1 ? "dimension" : "dimensions");
        return;
    }
    check_link(reader, loc, &link, array);
    SATOR_PUSH(reader->arena, *links, array->n_links, link);
}

static void read_bus(struct sator_yaml_reader *reader, const struct sator_yaml_node *entry,
        const char *array_name, const char *source, bool is_reduction, struct sator_array *array,
        struct sator_bus **buses)
{
    static const char *const keys[] = {
            "name", "map", "tensors", "energy_pj", "bandwidth_bits", "source"};
    const char *where = is_reduction ? "a reduction tree" : "a multicast bus";
    struct sator_bus bus = {.loc = entry->loc, .is_reduction = is_reduction};

    if (!sator_yaml_is(reader, entry, SATOR_YAML_MAP, where))
        return;
    bus.loc.length = 1;
    sator_yaml_check_keys(reader, entry, where, keys, SATOR_YAML_COUNT(keys));
    bus.name = sator_arena_printf(
            reader->arena, "%s%d", is_reduction ? "tree" : "bus", array->n_buses + 1);
    sator_yaml_wire_bandwidth(reader, entry, &bus.bandwidth_bits);
    read_common(reader, entry, source, &bus.name, &bus.n_tensors, &bus.tensors, &bus.energy);
    if (bus.n_tensors > 0)
        bus.tensors_loc = sator_yaml_find(entry, "tensors")->loc;
    bus.map = read_map(reader, entry, where, array_name, array);
    if (bus.map == NULL)
        return;
    struct sator_loc loc = sator_yaml_find(entry, "map")->loc;
    if (bus.map->n_pieces != 1 || bus.map->pieces[0].n_free != 0) {
        sator_error(reader->ctx, loc,
                "%s: a PE may be on one bus only, so the map is one "
                "expression such as \"%s[i,j] -> BUS[i]\"",
                where, array_name);
        sator_help(reader->ctx, "declare further buses as entries of their own");
        return;
    }
    if (strcmp(bus.map->out_name, array_name) == 0) {
        sator_error(reader->ctx, loc, "%s leads to a bus, not to a PE; PE to PE is a link", where);
        return;
    }
    check_bus(reader, loc, &bus, array);
    SATOR_PUSH(reader->arena, *buses, array->n_buses, bus);
}

static void read_network_lists(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *array_name, struct sator_array *array)
{
    static const char *const keys[] = {"links", "multicast", "reduction"};
    const struct sator_yaml_node *topology = sator_yaml_get(reader, map, "topology");
    bool replaced = topology != NULL && topology->loc.source != map->loc.source;
    const char *source = sator_yaml_source(reader, map, NULL);
    struct sator_link *links = NULL;
    struct sator_bus *buses = NULL;

    for (int k = 0; k < SATOR_YAML_COUNT(keys); k++) {
        const struct sator_yaml_node *list = sator_yaml_get(reader, map, keys[k]);
        if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, keys[k]))
            continue;
        if (replaced && list->loc.source == map->loc.source)
            continue; /* a topology that is set stands in for the file's wires */
        for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++) {
            if (k == 0)
                read_link(reader, list->items[i], array_name, source, array, &links);
            else
                read_bus(reader, list->items[i], array_name, source, k == 2, array, &buses);
        }
    }
    array->links = links;
    array->buses = buses;
}

static void read_topologies(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const char *array_name, struct sator_array *array)
{
    const char *name;

    int n_items = node->kind == SATOR_YAML_LIST ? node->n_items : 1;
    for (int i = 0; i < n_items && i < 16; i++) {
        const struct sator_yaml_node *item = node->kind == SATOR_YAML_LIST ? node->items[i] : node;
        if (sator_yaml_string(reader, item, "topology", &name))
            sator_topology(reader->ctx, reader->arena, item->loc,
                    sator_yaml_clip(reader->arena, name), array_name, array);
    }
}

/* Names of links and buses are the keys of results. */
static void check_network_names(struct sator_yaml_reader *reader, const struct sator_array *array)
{
    enum {
        MOST_NAMED = 1024
    };
    int n = array->n_links + array->n_buses;

    if (n > MOST_NAMED) {
        sator_error(reader->ctx, array->n_links > 0 ? array->links[0].loc : array->buses[0].loc,
                "the array has more than %d links and buses", MOST_NAMED);
        return;
    }
    for (int i = 0; i < n; i++) {
        bool link = i < array->n_links;
        const char *name = link ? array->links[i].name : array->buses[i - array->n_links].name;
        for (int k = 0; k < i; k++) {
            const char *other = k < array->n_links ? array->links[k].name
                                                   : array->buses[k - array->n_links].name;
            if (strcmp(name, other) != 0)
                continue;
            sator_error(reader->ctx,
                    link ? array->links[i].loc : array->buses[i - array->n_links].loc,
                    "two links or buses of the array are called '%s'",
                    sator_yaml_clip(reader->scratch, name));
            break;
        }
    }
}

/* The array's "word_bits" are those of all its wires. */
static void set_widths(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_array *array)
{
    struct sator_widths widths;

    sator_yaml_widths(reader, sator_yaml_get(reader, map, "word_bits"), &widths);
    for (int i = 0; i < array->n_links; i++)
        ((struct sator_link *)(uintptr_t)array->links)[i].widths = widths;
    for (int i = 0; i < array->n_buses; i++)
        ((struct sator_bus *)(uintptr_t)array->buses)[i].widths = widths;
}

static void read_array(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        const char *name, struct sator_array *array)
{
    const struct sator_yaml_node *topology, *pass;

    sator_yaml_check_keys(reader, map, "an array", array_keys, SATOR_YAML_COUNT(array_keys));
    if (!read_shape(reader, map, array))
        return; /* the maps could not be judged */
    read_network_lists(reader, map, name, array);
    if ((topology = sator_yaml_get(reader, map, "topology")) != NULL)
        read_topologies(reader, topology, name, array);
    check_network_names(reader, array);
    if ((pass = sator_yaml_get(reader, map, "pass_through")) != NULL)
        sator_yaml_bool(reader, pass, "pass_through", &array->pass_through);
    set_widths(reader, map, array);
}

/* ---- levels ---- */

static void read_level(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_level **levels, int *n_levels)
{
    static const char *const kinds[] = {"memory", "array", "compute"};
    struct sator_level level = {.loc = map->loc};
    const struct sator_yaml_node *name = NULL;
    int kind = 0, found = 0;

    if (!sator_yaml_is(reader, map, SATOR_YAML_MAP, "a level"))
        return;
    for (int k = 0; k < SATOR_YAML_COUNT(kinds); k++) {
        if (sator_yaml_find(map, kinds[k]) != NULL) {
            name = sator_yaml_find(map, kinds[k]);
            kind = k;
            found++;
        }
    }
    if (found != 1) {
        struct sator_loc loc = map->n_pairs > 0 ? map->pairs[0].key->loc : map->loc;
        sator_error(reader->ctx, loc, "a level is %sa memory, an array or a compute level",
                found == 0 ? "" : "only one of ");
        sator_help(reader->ctx, "begin it with 'memory: NAME', 'array: NAME' or 'compute: NAME'");
        return;
    }
    level.kind = (enum sator_level_kind)kind;
    if (!sator_yaml_identifier(reader, name, "a level's name", &level.name))
        return;
    level.loc = name->loc;
    if (level.kind == SATOR_LEVEL_MEMORY)
        read_memory(reader, map, *n_levels == 0, &level.memory);
    else if (level.kind == SATOR_LEVEL_ARRAY)
        read_array(reader, map, level.name, &level.array);
    else
        read_compute(reader, map, &level.compute);
    for (int i = 0; i < *n_levels; i++) {
        if (strcmp((*levels)[i].name, level.name) == 0)
            sator_error(reader->ctx, level.loc, "two levels are called '%s'", level.name);
    }
    SATOR_PUSH(reader->arena, *levels, *n_levels, level);
}

/* One compute level, inside everything else; at least one array. */
static void check_levels(
        struct sator_yaml_reader *reader, struct sator_loc loc, const struct sator_arch *arch)
{
    int n_compute = 0, n_dims = 0;
    int64_t pes = 1;
    bool fits = true;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        if (level->kind == SATOR_LEVEL_COMPUTE && n_compute++ > 0)
            sator_error(reader->ctx, level->loc, "a second compute level");
        else if (level->kind != SATOR_LEVEL_COMPUTE && n_compute > 0)
            sator_error(reader->ctx, level->loc,
                    "'%s' stands inside the compute level, which is "
                    "the innermost",
                    level->name);
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++, n_dims++)
            fits &= !__builtin_mul_overflow(pes, level->array.shape[d], &pes) && pes <= most_pes;
    }
    loc.length = 1;
    if (n_compute == 0)
        sator_error(reader->ctx, loc, "no compute level: add one such as {compute: mac}");
    if (!fits || n_dims > 2 * MOST_DIMS)
        sator_error(reader->ctx, loc, "the arrays together have too many PEs or dimensions");
}

static void read_levels(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        struct sator_arch *arch)
{
    const struct sator_yaml_node *list = sator_yaml_need(reader, root, "an architecture", "levels");
    struct sator_level *levels = NULL;
    int before = reader->ctx->n_errors;

    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "levels"))
        return;
    if (list->n_items > MOST_LEVELS) {
        sator_error(reader->ctx, (struct sator_loc){list->loc.source, list->loc.offset, 1},
                "%d levels: there may be %d", list->n_items, MOST_LEVELS);
        return;
    }
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++)
        read_level(reader, list->items[i], &levels, &arch->n_levels);
    arch->levels = levels;
    sator_yaml_mentions(reader, list, arch);
    if (reader->ctx->n_errors == before) {
        check_levels(reader, list->loc, arch);
        sator_yaml_check_gates(reader, arch);
    }
    if (reader->ctx->n_errors == before)
        sator_yaml_warn_of_effects(reader, list, arch);
    sator_yaml_control(reader, sator_yaml_get(reader, root, "control"), arch);
    if (reader->ctx->n_errors == before)
        sator_yaml_apply_energies(reader, root, list, arch, levels);
}

static void read_arch(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        struct sator_arch *arch)
{
    const struct sator_yaml_node *node;
    int n_keys;
    const char *const *keys = sator_yaml_keys(SATOR_DOCUMENT_ARCH, &n_keys);

    sator_yaml_check_keys(reader, root, "an architecture", keys, n_keys);
    if ((node = sator_yaml_get(reader, root, "name")) != NULL)
        sator_yaml_string(reader, node, "name", &arch->name);
    if ((node = sator_yaml_get(reader, root, "summary")) != NULL)
        sator_yaml_string(reader, node, "summary", &arch->summary);
    arch->source = sator_yaml_source(reader, root, NULL);
    if ((node = sator_yaml_get(reader, root, "clock_mhz")) != NULL)
        sator_yaml_number(reader, node, "clock_mhz", true, &arch->clock_mhz);
    if ((node = sator_yaml_get(reader, root, "technology_nm")) != NULL)
        sator_yaml_number(reader, node, "technology_nm", true, &arch->technology_nm);
    read_levels(reader, root, arch);
}

enum sator_status sator_yaml_arch(struct sator_ctx *ctx, const struct sator_source *source,
        const struct sator_settings *settings, struct sator_arch **arch)
{
    struct sator_yaml_reader reader;

    sator_yaml_reader_init(&reader, ctx, settings);
    struct sator_arch *read = SATOR_NEW(reader.arena, struct sator_arch);
    *read = (struct sator_arch){.arena = reader.arena,
            .name = sator_yaml_base_name(reader.arena, source->path),
            .loc = {source, 0, 0},
            .clock_mhz = NAN,
            .technology_nm = NAN};
    struct sator_yaml_node *root = sator_yaml_open(&reader, source, SATOR_DOCUMENT_ARCH);
    if (root != NULL)
        read_arch(&reader, root, read);
    enum sator_status st = sator_yaml_reader_end(&reader);
    if (st == SATOR_OK)
        *arch = read;
    return st;
}
