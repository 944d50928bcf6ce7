/* Energies and areas of what an architecture does not state itself, when it asks for them
 * (doc/formats.md, "Energy tables"): from tables, or estimated for its technology.
 *
 * A level takes the component of a table that its "component" key names; without the key, a memory
 * takes the one that has its name in lower case, with or without an 's' at the end, a compute level
 * "mac", and links and buses "link". An estimate takes, where no component has the memory's name,
 * the one that it is most like by its place.
 */
#include "frontend/yaml/yaml_table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
    MOST_TABLES = 8,
    SMALL_BYTES = 1024 /* a memory of a PE up to this size is a register file */
};

/* What is to be given figures: the architecture, node by node as it was read. */
struct giving {
    struct sator_yaml_reader *reader;
    const struct sator_yaml_node *list; /* parallel to "levels" */
    struct sator_level *levels;
    int n_levels;
    double clock_mhz;
    bool by_place; /* estimating */
};

/* ---- tables ---- */

/* The name of a table and the word that figures are wanted for, from "45nm" or a map. */
static const struct sator_yaml_node *read_request(
        struct sator_table *table, const struct sator_yaml_node *node)
{
    static const char *const keys[] = {"name", "word_bits"};
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_yaml_node *bits;

    if (node->kind == SATOR_YAML_MAP) {
        sator_yaml_check_keys(reader, node, "energy_table", keys, SATOR_YAML_COUNT(keys));
        if ((bits = sator_yaml_get(reader, node, "word_bits")) != NULL)
            table->is_width_said =
                    sator_yaml_int(reader, bits, "word_bits", 1, 4096, &table->word_bits);
        node = sator_yaml_need(reader, node, "energy_table", "name");
    }
    if (node == NULL || !sator_yaml_string(reader, node, "energy_table", &table->name))
        return NULL;
    return node;
}

/* Read the table "table->name"; false, said at "loc", when there is none. */
static bool open_table(struct sator_table *table, struct sator_loc loc)
{
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_source *source;

    if (reader->settings == NULL || reader->settings->find == NULL) {
        sator_error(reader->ctx, loc, "an energy table cannot be named here");
        return false;
    }
    if (reader->settings->find(reader->ctx, "energy", table->name, loc, &source) != SATOR_OK)
        return false;
    sator_table_read(table, source);
    return true;
}

/* ---- components ---- */

/* The component with the level's name, in lower case, perhaps without an 's' at the end; of an
 * Accelergy file as it is. */
static const char *named_component(const struct sator_table *table, const char *name)
{
    char *lower = sator_arena_strdup(table->reader->scratch, name);
    size_t length = strlen(lower);

    if (table->is_reference)
        return name;
    for (char *c = lower; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!sator_table_has(table, lower) && length > 1 && lower[length - 1] == 's')
        lower[length - 1] = '\0';
    return lower;
}

/* What the memory at "level" is most like. */
static const char *likeness(const struct giving *giving, int level)
{
    double bytes = sator_yaml_capacity_bytes(&giving->levels[level].memory, SATOR_USUAL_BITS);
    bool is_inside = false;

    for (int i = 0; i < level; i++)
        is_inside |= giving->levels[i].kind == SATOR_LEVEL_ARRAY;
    if (level == 0 && isnan(bytes))
        return "dram";
    return is_inside && !(bytes > SMALL_BYTES) ? "register" : "scratchpad";
}

/* The component of the level: named by its own key, else as its kind says. */
static const char *component_of(
        const struct giving *giving, const struct sator_table *table, int level)
{
    struct sator_yaml_reader *reader = giving->reader;
    const struct sator_yaml_node *node =
            sator_yaml_get(reader, giving->list->items[level], "component");
    const char *name = giving->levels[level].name;
    bool is_memory = giving->levels[level].kind == SATOR_LEVEL_MEMORY;
    const char *component =
            !is_memory && !table->is_reference ? "mac" : named_component(table, name);

    if (is_memory && giving->by_place && !sator_table_has(table, component))
        component = likeness(giving, level);
    if (node == NULL || !sator_yaml_string(reader, node, "component", &component))
        return component;
    if (!sator_table_has(table, component)) {
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

/* ---- giving figures ---- */

/* How a memory is built: "banks" of equal size, each of its own bit lines, joined by wires; cells
 * of several ports. */
struct build {
    double bytes; /* all of it; NAN when not known */
    int64_t banks, cell_ports;
};

static struct build read_build(const struct giving *giving, const struct sator_table *table, int i)
{
    const struct sator_yaml_node *level = giving->list->items[i];
    struct build build = {
            .bytes = sator_yaml_capacity_bytes(&giving->levels[i].memory, table->word_bits),
            .banks = 1,
            .cell_ports = 1};
    const struct sator_yaml_node *banks = sator_yaml_get(giving->reader, level, "banks");
    const struct sator_yaml_node *ports = sator_yaml_get(giving->reader, level, "cell_ports");

    if (banks != NULL)
        sator_yaml_int(giving->reader, banks, "banks", 1, 1 << 20, &build.banks);
    if (ports != NULL)
        sator_yaml_int(giving->reader, ports, "cell_ports", 1, 64, &build.cell_ports);
    return build;
}

static void give_memory_area(const struct sator_table *table, const char *component,
        const struct build *build, struct sator_figure *area)
{
    double side = (double)(build->cell_ports + 1) / 2; /* each port adds half a cell's side */
    struct sator_energy found;

    if (!isnan(area->value))
        return;
    if (sator_table_find(table, component, "area_um2", build->bytes, 1, &found))
        *area = (struct sator_figure){found.pj, found.source};
    else if (!isnan(build->bytes) &&
            sator_table_find(table, component, "area_um2_per_byte",
                    build->bytes / (double)build->banks, 0, &found))
        *area = (struct sator_figure){found.pj * build->bytes * side * side, found.source};
}

/* An access: that of a bank with the wires to it, half of the memory's side long. */
static void give_access(const struct sator_table *table, const char *component, const char *action,
        const struct build *build, const struct sator_memory *memory, struct sator_energy *energy)
{
    struct sator_energy found, wire;

    if (!isnan(energy->pj) ||
            !sator_table_find(
                    table, component, action, build->bytes / (double)build->banks, 0.5, &found))
        return;
    found.pj *= (double)(build->cell_ports + 1) / 2;
    if (build->banks > 1 && !isnan(memory->area_um2.value) &&
            sator_table_find(table, "wire", "mm", NAN, 1, &wire))
        found.pj += wire.pj * found.bits / wire.bits * sqrt(memory->area_um2.value) / 2000;
    if (table->is_reference && !table->is_width_said && memory->widths.bits > 0)
        found.bits = memory->widths.bits; /* Accelergy's figures are of the component's own words */
    *energy = found;
}

/* pJ a cycle, or nW at a clock that is known. */
static void give_leakage(const struct giving *giving, const struct sator_table *table,
        const char *component, const struct build *build, struct sator_figure *leakage)
{
    struct sator_energy found;

    if (!isnan(leakage->value))
        return;
    if (sator_table_find(table, component, "leak", build->bytes, 1, &found))
        *leakage = (struct sator_figure){found.pj, found.source};
    else if (!isnan(build->bytes) && !isnan(giving->clock_mhz) &&
            sator_table_find(table, component, "leak_nw_per_byte", build->bytes, 0, &found))
        *leakage = (struct sator_figure){
                found.pj * build->bytes / giving->clock_mhz * 1e-3, found.source};
}

static void give_memory(const struct giving *giving, const struct sator_table *table, int i)
{
    struct sator_memory *memory = &giving->levels[i].memory;
    const char *component = component_of(giving, table, i);
    struct build build = read_build(giving, table, i);

    give_memory_area(table, component, &build, &memory->area_um2);
    give_access(table, component, "read", &build, memory, &memory->read);
    give_access(table, component, "write", &build, memory, &memory->write);
    give_leakage(giving, table, component, &build, &memory->leakage_pj);
}

/* The energies of all widths of operands that the table has. */
static void give_compute_energy(
        const struct sator_table *table, const char *component, struct sator_compute *compute)
{
    struct sator_width_energy *by = NULL;

    if (!isnan(compute->energy_pj.value) || compute->n_by_width > 0)
        return;
    for (int i = 0; i < table->n_entries; i++) {
        const struct sator_table_entry *entry = &table->entries[i];
        if (strcmp(entry->component, component) != 0 || strcmp(entry->action, "compute") != 0)
            continue;
        struct sator_figure figure = {
                entry->value, sator_arena_strdup(table->reader->arena, entry->source)};
        if (table->is_reference) { /* of the units that the file is about */
            compute->energy_pj = figure;
            return;
        }
        struct sator_width_energy one = {(int)entry->word_bits, figure};
        SATOR_PUSH(table->reader->arena, by, compute->n_by_width, one);
        for (int at = compute->n_by_width - 1; at > 0 && by[at - 1].bits > one.bits; at--) {
            by[at] = by[at - 1];
            by[at - 1] = one;
        }
    }
    compute->by_width = by;
}

static void give_compute(const struct giving *giving, const struct sator_table *table, int i)
{
    struct sator_compute *compute = &giving->levels[i].compute;
    const char *component = component_of(giving, table, i);
    struct sator_energy leak;

    give_compute_energy(table, component, compute);
    if (isnan(compute->leakage_pj.value) &&
            sator_table_find(table, component, "leak", NAN, 1, &leak))
        compute->leakage_pj = (struct sator_figure){leak.pj, leak.source};
    if (isnan(compute->area_um2.value))
        sator_table_find_by_width(table, component, "area_um2", &compute->area_um2);
}

static void give_network(const struct sator_table *table, struct sator_array *array)
{
    struct sator_arena *arena = table->reader->arena;
    struct sator_link *links = SATOR_NEW_ARRAY(arena, struct sator_link, array->n_links + 1);
    struct sator_bus *buses = SATOR_NEW_ARRAY(arena, struct sator_bus, array->n_buses + 1);

    for (int i = 0; i < array->n_links; i++) {
        links[i] = array->links[i];
        if (isnan(links[i].energy.pj))
            sator_table_find(table, "link", "hop", NAN, 1, &links[i].energy);
    }
    for (int i = 0; i < array->n_buses; i++) {
        buses[i] = array->buses[i];
        if (isnan(buses[i].energy.pj))
            sator_table_find(table, "link", "hop", NAN, 1, &buses[i].energy);
    }
    array->links = links;
    array->buses = buses;
}

static void give(const struct giving *giving, const struct sator_table *table)
{
    for (int i = 0; i < giving->n_levels; i++) {
        struct sator_level *level = &giving->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY)
            give_memory(giving, table, i);
        else if (level->kind == SATOR_LEVEL_ARRAY)
            give_network(table, &level->array);
        else
            give_compute(giving, table, i);
    }
}

/* ---- estimates for a technology ---- */

/* The tables that estimates follow: what lies between their technologies is a power law through
 * both; above the first, energies grow with the length and areas with its square. */
static const struct {
    const char *name;
    double nm;
} anchors[] = {{"45nm", 45}, {"7nm", 7}};

struct technology {
    double nm;
    double share; /* of the way from the first anchor to the second, in logarithms */
    struct sator_arena *arena;
};

/* "value" for the technology, of the two anchors' values. */
static void mix(
        const struct technology *t, double second, double power, double *value, const char **source)
{
    if (isnan(*value) || t->nm == anchors[0].nm)
        return;
    if (t->nm > anchors[0].nm)
        *value *= pow(t->nm / anchors[0].nm, power);
    else if (*value > 0 && second > 0)
        *value *= pow(second / *value, t->share);
    *source = sator_arena_printf(
            t->arena, "%s; estimated for %g nm", *source == NULL ? "" : *source, t->nm);
}

static void mix_memory(
        const struct technology *t, struct sator_memory *a, const struct sator_memory *b)
{
    mix(t, b->read.pj * a->read.bits / b->read.bits, 1, &a->read.pj, &a->read.source);
    mix(t, b->write.pj * a->write.bits / b->write.bits, 1, &a->write.pj, &a->write.source);
    mix(t, b->leakage_pj.value, 0, &a->leakage_pj.value, &a->leakage_pj.source);
    mix(t, b->area_um2.value, 2, &a->area_um2.value, &a->area_um2.source);
}

static void mix_array(
        const struct technology *t, struct sator_array *a, const struct sator_array *b)
{
    for (int i = 0; i < a->n_links; i++) {
        struct sator_energy *energy = (struct sator_energy *)(uintptr_t)&a->links[i].energy;
        mix(t, b->links[i].energy.pj, 1, &energy->pj, &energy->source);
    }
    for (int i = 0; i < a->n_buses; i++) {
        struct sator_energy *energy = (struct sator_energy *)(uintptr_t)&a->buses[i].energy;
        mix(t, b->buses[i].energy.pj, 1, &energy->pj, &energy->source);
    }
}

static void mix_compute(
        const struct technology *t, struct sator_compute *a, const struct sator_compute *b)
{
    for (int i = 0; i < a->n_by_width; i++) {
        struct sator_width_energy *one = (struct sator_width_energy *)(uintptr_t)&a->by_width[i];
        double other = sator_compute_figure(t->arena, b, one->bits).value;
        mix(t, other, 1, &one->energy_pj.value, &one->energy_pj.source);
    }
    mix(t, b->area_um2.value, 2, &a->area_um2.value, &a->area_um2.source);
}

static void mix_levels(
        const struct technology *t, struct sator_level *a, const struct sator_level *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i].kind == SATOR_LEVEL_MEMORY)
            mix_memory(t, &a[i].memory, &b[i].memory);
        else if (a[i].kind == SATOR_LEVEL_ARRAY)
            mix_array(t, &a[i].array, &b[i].array);
        else
            mix_compute(t, &a[i].compute, &b[i].compute);
    }
}

/* Forget what the file states. */
static void forget(struct sator_arena *arena, struct sator_level *level)
{
    const struct sator_figure unknown = {.value = NAN};
    struct sator_array *array = &level->array;

    level->memory.read = level->memory.write = sator_no_energy;
    level->memory.n_own_energies = 0;
    level->memory.leakage_pj = unknown;
    level->memory.area_um2 = level->memory.area_um2_per_byte = unknown;
    level->compute.energy_pj = level->compute.leakage_pj = level->compute.area_um2 = unknown;
    level->compute.n_by_width = 0;
    if (level->kind != SATOR_LEVEL_ARRAY)
        return;
    struct sator_link *links = SATOR_NEW_ARRAY(arena, struct sator_link, array->n_links + 1);
    struct sator_bus *buses = SATOR_NEW_ARRAY(arena, struct sator_bus, array->n_buses + 1);
    for (int i = 0; i < array->n_links; i++) {
        links[i] = array->links[i];
        links[i].energy = sator_no_energy;
    }
    for (int i = 0; i < array->n_buses; i++) {
        buses[i] = array->buses[i];
        buses[i].energy = sator_no_energy;
    }
    array->links = links;
    array->buses = buses;
}

static void estimate(struct giving *giving, const struct sator_yaml_node *node, double nm)
{
    struct sator_yaml_reader *reader = giving->reader;
    struct technology t = {.nm = nm,
            .share = log(anchors[0].nm / nm) / log(anchors[0].nm / anchors[1].nm),
            .arena = reader->arena};
    struct sator_level *levels[2];

    if (isnan(nm) || nm < anchors[1].nm) {
        sator_error(reader->ctx, node->loc, "estimates need a technology_nm of at least %g",
                anchors[1].nm);
        sator_help(reader->ctx, "they rest on figures published for %g and %g nm", anchors[0].nm,
                anchors[1].nm);
        return;
    }
    for (int i = 0; i < giving->n_levels; i++)
        forget(reader->arena, &giving->levels[i]);
    for (int k = 0; k < 2; k++) {
        struct sator_table table = {
                .reader = reader, .word_bits = SATOR_USUAL_BITS, .name = anchors[k].name};
        struct giving one = *giving;
        levels[k] = SATOR_NEW_ARRAY(reader->arena, struct sator_level, giving->n_levels + 1);
        memcpy(levels[k], giving->levels, sizeof **levels * (size_t)giving->n_levels);
        one.levels = levels[k];
        one.by_place = true;
        if (!open_table(&table, node->loc))
            return;
        give(&one, &table);
    }
    mix_levels(&t, levels[0], levels[1], giving->n_levels);
    memcpy(giving->levels, levels[0], sizeof **levels * (size_t)giving->n_levels);
}

/* ---- the request ---- */

/* What says how a table or an estimate is to be used says nothing without: say so instead of
 * passing over it. One bank and one port are what a memory has anyway. */
static void refuse_unused(struct sator_yaml_reader *reader, const struct sator_yaml_node *list)
{
    static const char *const keys[] = {"component", "banks", "cell_ports"};

    for (int i = 0; i < list->n_items; i++) {
        for (int k = 0; k < SATOR_YAML_COUNT(keys); k++) {
            const struct sator_yaml_node *node = sator_yaml_get(reader, list->items[i], keys[k]);
            int64_t number = 0;
            if (node == NULL ||
                    (k > 0 && sator_yaml_int(reader, node, keys[k], 1, INT64_MAX, &number) &&
                            number == 1))
                continue;
            if (k == 0)
                sator_error(reader->ctx, node->loc,
                        "'component' is an entry of an energy table, and the architecture names "
                        "none");
            else
                sator_error(reader->ctx, node->loc,
                        "'%s' is for figures that come from an energy table, and the architecture "
                        "names none",
                        keys[k]);
            sator_help(reader->ctx, "add one at the top, such as energy_table: 45nm");
        }
    }
}

static void apply_tables(const struct giving *giving, const struct sator_yaml_node *request)
{
    int n = request->kind == SATOR_YAML_LIST ? request->n_items : 1;

    for (int i = 0; i < n && i < MOST_TABLES; i++) {
        const struct sator_yaml_node *one =
                request->kind == SATOR_YAML_LIST ? request->items[i] : request;
        struct sator_table table = {.reader = giving->reader, .word_bits = SATOR_USUAL_BITS};
        const struct sator_yaml_node *name = read_request(&table, one);
        if (name != NULL && open_table(&table, name->loc))
            give(giving, &table);
    }
    if (n > MOST_TABLES)
        sator_error(giving->reader->ctx, request->loc, "%d energy tables: there may be %d", n,
                MOST_TABLES);
}

void sator_yaml_apply_energies(struct sator_yaml_reader *reader, const struct sator_yaml_node *root,
        const struct sator_yaml_node *list, struct sator_arch *arch, struct sator_level *levels)
{
    const struct sator_yaml_node *request = sator_yaml_get(reader, root, "energy_table");
    const struct sator_yaml_node *energy = sator_yaml_get(reader, root, "energy");
    struct giving giving = {reader, list, levels, arch->n_levels, arch->clock_mhz, false};
    const char *word = "";

    if (energy != NULL && sator_yaml_string(reader, energy, "energy", &word) &&
            strcmp(word, "estimate") != 0) {
        sator_error(reader->ctx, energy->loc, "energy may be 'estimate', not '%s'",
                sator_yaml_clip(reader->scratch, word));
        sator_help(reader->ctx, "stated figures and 'energy_table' need no such key");
        return;
    }
    /* what is set takes the place of what the file asks for */
    if (energy != NULL && request != NULL && energy->loc.source != root->loc.source)
        request = NULL;
    else if (energy != NULL && request != NULL && request->loc.source != root->loc.source)
        energy = NULL;
    if (energy != NULL && request != NULL)
        sator_error(reader->ctx, energy->loc,
                "estimates take the place of all figures, those of an 'energy_table' too");
    else if (energy != NULL)
        estimate(&giving, energy, arch->technology_nm);
    else if (request != NULL)
        apply_tables(&giving, request);
    else
        refuse_unused(reader, list);
}
