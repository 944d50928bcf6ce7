/* Energy tables: figures for what an architecture does not state itself, when it asks for them.
 *
 * A table is a document { technology_nm, entries: [{component, action, pj, word_bits, source}] },
 * where {component, area_um2} and {component, area_um2_per_byte} stand for an action and its
 * figure, of the library's folder energy/ or a file. A level takes the component that its
 * "component" key names; without the key, a memory takes the one that has its name in lower case,
 * with or without an 's' at the end, a compute level "mac", and links and buses "link".
 */
#include "frontend/yaml/yaml_arch.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct entry {
    const char *component, *action; /* the areas' keys are actions, too */
    double value; /* pJ or um2 */
    int64_t word_bits;
    const char *source;
};

struct table {
    struct sator_yaml_reader *reader;
    const char *name;
    int64_t word_bits;
    int n_entries;
    struct entry *entries;
};

/* An action and its energy, or an area. */
static bool read_value(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *node, struct entry *entry)
{
    static const char *const areas[] = {"area_um2", "area_um2_per_byte"};
    const struct sator_yaml_node *value;

    for (int i = 0; i < SATOR_YAML_COUNT(areas); i++) {
        value = sator_yaml_get(reader, node, areas[i]);
        if (value == NULL)
            continue;
        entry->action = areas[i];
        if (sator_yaml_get(reader, node, "action") != NULL ||
                sator_yaml_get(reader, node, "pj") != NULL ||
                (i == 0 && sator_yaml_get(reader, node, areas[1]) != NULL)) {
            sator_error(
                    reader->ctx, value->loc, "an entry is about one thing: an area or an action");
            return false;
        }
        return sator_yaml_number(reader, value, areas[i], false, &entry->value);
    }
    value = sator_yaml_need(reader, node, "an entry", "action");
    bool valid = value != NULL && sator_yaml_string(reader, value, "action", &entry->action);
    value = sator_yaml_need(reader, node, "an entry", "pj");
    return value != NULL && sator_yaml_number(reader, value, "pj", false, &entry->value) && valid;
}

static void read_entry(struct table *table, const struct sator_yaml_node *node)
{
    static const char *const keys[] = {
            "component", "action", "pj", "area_um2", "area_um2_per_byte", "word_bits", "source"};
    struct sator_yaml_reader *reader = table->reader;
    struct entry entry = {.word_bits = 16, .source = table->name};
    const struct sator_yaml_node *value;
    bool valid = true;

    if (!sator_yaml_is(reader, node, SATOR_YAML_MAP, "an entry"))
        return;
    sator_yaml_check_keys(reader, node, "an entry", keys, SATOR_YAML_COUNT(keys));
    value = sator_yaml_need(reader, node, "an entry", "component");
    valid &= value != NULL && sator_yaml_string(reader, value, "component", &entry.component);
    valid &= read_value(reader, node, &entry);
    if ((value = sator_yaml_get(reader, node, "word_bits")) != NULL)
        valid &= sator_yaml_int(reader, value, "word_bits", 1, 4096, &entry.word_bits);
    if ((value = sator_yaml_get(reader, node, "source")) != NULL)
        valid &= sator_yaml_string(reader, value, "source", &entry.source);
    if (valid)
        SATOR_PUSH(reader->scratch, table->entries, table->n_entries, entry);
}

static void read_entries(struct table *table, const struct sator_source *source)
{
    static const char *const keys[] = {"name", "summary", "source", "technology_nm", "entries"};
    struct sator_yaml_reader *reader = table->reader;
    struct sator_yaml_node *root = sator_yaml_open(reader, source, SATOR_DOCUMENT_UNKNOWN);

    if (root == NULL)
        return;
    sator_yaml_check_keys(reader, root, "an energy table", keys, SATOR_YAML_COUNT(keys));
    const struct sator_yaml_node *list =
            sator_yaml_need(reader, root, "an energy table", "entries");
    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "entries"))
        return;
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++)
        read_entry(table, list->items[i]);
}

/* The name of the table and the word that figures are wanted for, from "energy_table: 45nm" or a
 * map. */
static const struct sator_yaml_node *read_request(
        struct table *table, const struct sator_yaml_node *node)
{
    static const char *const keys[] = {"name", "word_bits"};
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_yaml_node *bits;

    if (node->kind == SATOR_YAML_MAP) {
        sator_yaml_check_keys(reader, node, "energy_table", keys, SATOR_YAML_COUNT(keys));
        if ((bits = sator_yaml_get(reader, node, "word_bits")) != NULL)
            sator_yaml_int(reader, bits, "word_bits", 1, 4096, &table->word_bits);
        node = sator_yaml_need(reader, node, "energy_table", "name");
    }
    if (node == NULL || !sator_yaml_string(reader, node, "energy_table", &table->name))
        return NULL;
    return node;
}

/* ---- giving figures ---- */

static bool is_of(const struct entry *entry, const char *component, const char *action)
{
    return strcmp(entry->component, component) == 0 && strcmp(entry->action, action) == 0;
}

/* The entry for words as wide as the request says; without one, the first. */
static const struct entry *find_entry(
        const struct table *table, const char *component, const char *action)
{
    const struct entry *first = NULL;

    for (int i = 0; i < table->n_entries; i++) {
        const struct entry *entry = &table->entries[i];
        if (!is_of(entry, component, action))
            continue;
        if (entry->word_bits == table->word_bits)
            return entry;
        first = first == NULL ? entry : first;
    }
    return first;
}

static void give(const struct table *table, const char *component, const char *action,
        struct sator_figure *figure)
{
    const struct entry *entry = find_entry(table, component, action);

    if (entry == NULL || !isnan(figure->value))
        return;
    *figure = (struct sator_figure){
            entry->value, sator_arena_strdup(table->reader->arena, entry->source)};
}

static void give_energy(const struct table *table, const char *component, const char *action,
        struct sator_energy *energy)
{
    const struct entry *entry = find_entry(table, component, action);

    if (entry != NULL && isnan(energy->pj))
        *energy = (struct sator_energy){.pj = entry->value,
                .source = sator_arena_strdup(table->reader->arena, entry->source),
                .bits = (int)entry->word_bits};
}

/* The energies of all widths of operands that the table has. */
static void give_compute(
        const struct table *table, const char *component, struct sator_compute *compute)
{
    struct sator_width_energy *by = NULL;

    if (!isnan(compute->energy_pj.value) || compute->n_by_width > 0)
        return;
    for (int i = 0; i < table->n_entries; i++) {
        const struct entry *entry = &table->entries[i];
        if (!is_of(entry, component, "compute"))
            continue;
        struct sator_width_energy one = {(int)entry->word_bits,
                {entry->value, sator_arena_strdup(table->reader->arena, entry->source)}};
        SATOR_PUSH(table->reader->arena, by, compute->n_by_width, one);
        for (int at = compute->n_by_width - 1; at > 0 && by[at - 1].bits > one.bits; at--) {
            by[at] = by[at - 1];
            by[at - 1] = one;
        }
    }
    compute->by_width = by;
}

/* The area of one instance; a table may have it for a byte. */
static void give_area(const struct table *table, const char *component, struct sator_memory *memory)
{
    double bytes = sator_yaml_capacity_bytes(memory, table->word_bits);
    bool stated = !isnan(memory->area_um2.value);

    give(table, component, "area_um2", &memory->area_um2);
    if (stated || !isnan(memory->area_um2.value) || isnan(bytes))
        return;
    give(table, component, "area_um2_per_byte", &memory->area_um2);
    memory->area_um2.value *= bytes;
}

static bool has_component(const struct table *table, const char *component)
{
    for (int i = 0; i < table->n_entries; i++) {
        if (strcmp(table->entries[i].component, component) == 0)
            return true;
    }
    return false;
}

/* The component named by the level's own key; SATOR_OK with "fallback" when there is none. */
static const char *component_of(
        struct table *table, const struct sator_yaml_node *level, const char *fallback)
{
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_yaml_node *node = sator_yaml_get(reader, level, "component");
    const char *component = fallback;

    if (node == NULL || !sator_yaml_string(reader, node, "component", &component))
        return component;
    if (!has_component(table, component)) {
        const char **names = SATOR_NEW_ARRAY(reader->scratch, const char *, table->n_entries + 1);
        for (int i = 0; i < table->n_entries; i++)
            names[i] = table->entries[i].component;
        sator_error(reader->ctx, node->loc, "the energy table '%s' has no component '%s'",
                sator_yaml_clip(reader->scratch, table->name),
                sator_yaml_clip(reader->scratch, component));
        sator_help_names(reader->ctx, component, names, table->n_entries);
    }
    return component;
}

static const char *memory_component(const struct table *table, const char *name)
{
    char *lower = sator_arena_strdup(table->reader->scratch, name);
    size_t length = strlen(lower);

    for (char *c = lower; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!has_component(table, lower) && length > 1 && lower[length - 1] == 's')
        lower[length - 1] = '\0';
    return lower;
}

static void give_network(const struct table *table, struct sator_array *array)
{
    struct sator_arena *arena = table->reader->arena;
    struct sator_link *links = SATOR_NEW_ARRAY(arena, struct sator_link, array->n_links + 1);
    struct sator_bus *buses = SATOR_NEW_ARRAY(arena, struct sator_bus, array->n_buses + 1);

    for (int i = 0; i < array->n_links; i++) {
        links[i] = array->links[i];
        give_energy(table, "link", "hop", &links[i].energy);
    }
    for (int i = 0; i < array->n_buses; i++) {
        buses[i] = array->buses[i];
        give_energy(table, "link", "hop", &buses[i].energy);
    }
    array->links = links;
    array->buses = buses;
}

static void give_level(
        struct table *table, const struct sator_yaml_node *node, struct sator_level *level)
{
    const char *component;

    switch (level->kind) {
    case SATOR_LEVEL_MEMORY:
        component = component_of(table, node, memory_component(table, level->name));
        give_energy(table, component, "read", &level->memory.read);
        give_energy(table, component, "write", &level->memory.write);
        give(table, component, "leak", &level->memory.leakage_pj);
        give_area(table, component, &level->memory);
        break;
    case SATOR_LEVEL_ARRAY:
        give_network(table, &level->array);
        break;
    case SATOR_LEVEL_COMPUTE:
        component = component_of(table, node, "mac");
        give_compute(table, component, &level->compute);
        give(table, component, "leak", &level->compute.leakage_pj);
        give(table, component, "area_um2", &level->compute.area_um2);
        break;
    }
}

/* "component" says nothing without a table: say so instead of passing over it. */
static void refuse_components(struct sator_yaml_reader *reader, const struct sator_yaml_node *list)
{
    for (int i = 0; i < list->n_items; i++) {
        const struct sator_yaml_node *node = sator_yaml_get(reader, list->items[i], "component");
        if (node == NULL)
            continue;
        sator_error(reader->ctx, node->loc,
                "'component' is an entry of an energy table, and the "
                "architecture names none");
        sator_help(reader->ctx, "add one at the top, such as energy_table: 45nm");
    }
}

void sator_yaml_apply_energy_table(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *root, const struct sator_yaml_node *list,
        struct sator_level *levels, int n_levels)
{
    const struct sator_yaml_node *request = sator_yaml_get(reader, root, "energy_table");
    struct table table = {.reader = reader, .word_bits = 16};
    const struct sator_source *source;

    if (request == NULL) {
        refuse_components(reader, list);
        return;
    }
    const struct sator_yaml_node *name = read_request(&table, request);
    if (name == NULL)
        return;
    if (reader->settings == NULL || reader->settings->find == NULL) {
        sator_error(reader->ctx, name->loc, "an energy table cannot be named here");
        return;
    }
    if (reader->settings->find(reader->ctx, "energy", name->text, name->loc, &source) != SATOR_OK)
        return;
    read_entries(&table, source);
    for (int i = 0; i < n_levels; i++)
        give_level(&table, list->items[i], &levels[i]);
}
