/* Tables of energies and areas: what a file says, and what lies between its points.
 *
 * A table is a document { technology_nm, entries: [{component, action, pj, ...}] }. A memory's cost
 * depends on its size, so entries may say for which capacity they are: such entries of a component
 * and action are points of a curve over the capacity. Accelergy's ERT ({ERT: {tables: [{name,
 * actions: [{name, energy}]}]}}, pJ) and ART ({ART: {tables: [{name, area}]}}, um2) name components
 * by their path, "system.chip.PE[0..13].mac": the last name is what levels are called.
 */
#include "frontend/yaml/yaml_table.h"

#include <math.h>
#include <string.h>

/* ---- Sator's own ---- */

static const char *const quantities[] = {"area_um2", "area_um2_per_byte", "leak_nw_per_byte"};

/* An action and its energy, or another quantity. */
static bool read_value(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_table_entry *entry)
{
    const struct sator_yaml_node *value, *found = NULL;
    int n = sator_yaml_get(reader, node, "action") != NULL ||
            sator_yaml_get(reader, node, "pj") != NULL;

    for (int i = 0; i < SATOR_YAML_COUNT(quantities); i++) {
        value = sator_yaml_get(reader, node, quantities[i]);
        if (value == NULL)
            continue;
        entry->action = quantities[i];
        found = found == NULL ? value : found;
        n++;
    }
    if (found != NULL && n > 1) {
        sator_error(reader->ctx, found->loc, "an entry is about one thing: an area or an action");
        return false;
    }
    if (found != NULL)
        return sator_yaml_number(reader, found, entry->action, false, &entry->value);
    value = sator_yaml_need(reader, node, "an entry", "action");
    bool valid = value != NULL && sator_yaml_string(reader, value, "action", &entry->action);
    value = sator_yaml_need(reader, node, "an entry", "pj");
    return value != NULL && sator_yaml_number(reader, value, "pj", false, &entry->value) && valid;
}

static void read_entry(struct sator_table *table, const struct sator_yaml_node *node)
{
    static const char *const keys[] = {"component", "action", "pj", "area_um2", "area_um2_per_byte",
            "leak_nw_per_byte", "capacity_bytes", "word_bits", "source"};
    struct sator_yaml_reader *reader = table->reader;
    struct sator_table_entry entry = {
            .word_bits = SATOR_USUAL_BITS, .capacity_bytes = NAN, .source = table->name};
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
    if ((value = sator_yaml_get(reader, node, "capacity_bytes")) != NULL)
        valid &= sator_yaml_number(reader, value, "capacity_bytes", true, &entry.capacity_bytes);
    if ((value = sator_yaml_get(reader, node, "source")) != NULL)
        valid &= sator_yaml_string(reader, value, "source", &entry.source);
    if (valid)
        SATOR_PUSH(reader->scratch, table->entries, table->n_entries, entry);
}

/* ---- Accelergy's ---- */

/* The last name of "system.chip.PE[0..13].mac[1..1]". */
static const char *level_of(struct sator_arena *arena, const char *path)
{
    const char *name = path, *end;

    for (const char *c = path; *c != '\0'; c++)
        name = c[0] == '.' && c[1] != '.' && (c == path || c[-1] != '.') ? c + 1 : name;
    end = name + strcspn(name, "[");
    return sator_arena_strndup(arena, name, (size_t)(end - name));
}

static void push(struct sator_table *table, const char *component, const char *action, double value)
{
    struct sator_table_entry entry = {.component = component,
            .action = action,
            .value = value,
            .capacity_bytes = NAN,
            .word_bits = table->word_bits,
            .source = table->name};

    SATOR_PUSH(table->reader->scratch, table->entries, table->n_entries, entry);
}

/* An action may stand there several times with other arguments: the dearest counts, which is that
 * of new data at a new address. */
static void push_dearest(
        struct sator_table *table, const char *component, const char *action, double value)
{
    for (int i = 0; i < table->n_entries; i++) {
        struct sator_table_entry *known = &table->entries[i];
        if (strcmp(known->component, component) != 0 || strcmp(known->action, action) != 0)
            continue;
        known->value = fmax(known->value, value);
        return;
    }
    push(table, component, action, value);
}

static void read_action(
        struct sator_table *table, const char *component, const struct sator_yaml_node *node)
{
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_yaml_node *name, *energy;
    const char *action;
    double pj;

    static const char *const keys[] = {"name", "arguments", "energy"};

    if (!sator_yaml_is(reader, node, SATOR_YAML_MAP, "an action"))
        return;
    sator_yaml_check_keys(reader, node, "an action", keys, SATOR_YAML_COUNT(keys));
    name = sator_yaml_need(reader, node, "an action", "name");
    energy = sator_yaml_need(reader, node, "an action", "energy");
    if (name == NULL || energy == NULL || !sator_yaml_string(reader, name, "name", &action) ||
            !sator_yaml_number(reader, energy, "energy", false, &pj))
        return;
    bool is_mac = strncmp(action, "mac", 3) == 0 || strncmp(action, "multiply", 8) == 0;
    push_dearest(table, component,
            is_mac                                  ? "compute"
                    : strcmp(action, "update") == 0 ? "write"
                                                    : action,
            pj);
}

static void read_part(struct sator_table *table, const struct sator_yaml_node *node, bool is_energy)
{
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_yaml_node *name, *value;
    const char *path;
    double area;

    const char *const keys[] = {"name", is_energy ? "actions" : "area"};

    if (!sator_yaml_is(reader, node, SATOR_YAML_MAP, "a table"))
        return;
    sator_yaml_check_keys(reader, node, "a table", keys, SATOR_YAML_COUNT(keys));
    name = sator_yaml_need(reader, node, "a table", "name");
    value = sator_yaml_need(reader, node, "a table", is_energy ? "actions" : "area");
    if (name == NULL || value == NULL || !sator_yaml_string(reader, name, "name", &path))
        return;
    const char *component = level_of(reader->scratch, path);
    if (!is_energy) {
        if (sator_yaml_number(reader, value, "area", false, &area))
            push(table, component, "area_um2", area);
        return;
    }
    if (!sator_yaml_is(reader, value, SATOR_YAML_LIST, "actions"))
        return;
    for (int i = 0; i < value->n_items && !sator_yaml_full(reader); i++)
        read_action(table, component, value->items[i]);
}

static void read_reference(
        struct sator_table *table, const struct sator_yaml_node *root, bool is_energy)
{
    struct sator_yaml_reader *reader = table->reader;
    const struct sator_yaml_node *list;

    table->is_reference = true;
    static const char *const keys[] = {"version", "tables"};

    if (!sator_yaml_is(reader, root, SATOR_YAML_MAP, is_energy ? "ERT" : "ART"))
        return;
    sator_yaml_check_keys(reader, root, is_energy ? "ERT" : "ART", keys, SATOR_YAML_COUNT(keys));
    list = sator_yaml_need(reader, root, is_energy ? "ERT" : "ART", "tables");
    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "tables"))
        return;
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++)
        read_part(table, list->items[i], is_energy);
}

/* ---- both ---- */

void sator_table_read(struct sator_table *table, const struct sator_source *source)
{
    static const char *const keys[] = {"name", "summary", "source", "technology_nm", "entries"};
    struct sator_yaml_reader *reader = table->reader;
    struct sator_yaml_node *root = sator_yaml_open(reader, source, SATOR_DOCUMENT_UNKNOWN);

    if (root == NULL)
        return;
    const struct sator_yaml_node *ert = sator_yaml_find(root, "ERT");
    const struct sator_yaml_node *art = sator_yaml_find(root, "ART");
    if (ert != NULL)
        read_reference(table, ert, true);
    if (art != NULL)
        read_reference(table, art, false);
    if (ert != NULL || art != NULL)
        return;
    sator_yaml_check_keys(reader, root, "an energy table", keys, SATOR_YAML_COUNT(keys));
    const struct sator_yaml_node *list =
            sator_yaml_need(reader, root, "an energy table", "entries");
    if (list == NULL || !sator_yaml_is(reader, list, SATOR_YAML_LIST, "entries"))
        return;
    for (int i = 0; i < list->n_items && !sator_yaml_full(reader); i++)
        read_entry(table, list->items[i]);
}

/* Whether a document of no other kind is meant as a table; what is wrong in it is not said here. */
static bool is_meant_as_table(const struct sator_source *source)
{
    static const char *const keys[] = {"ERT", "ART", "entries"};
    struct sator_arena *scratch = sator_arena_new();
    struct sator_ctx *unheard = sator_ctx_own();
    struct sator_yaml_node *root;
    bool found = false;

    sator_yaml_parse(unheard, scratch, source, 0, source->length, &root);
    for (int i = 0; root != NULL && root->kind == SATOR_YAML_MAP && i < 3; i++)
        found |= sator_yaml_find(root, keys[i]) != NULL;
    sator_ctx_free(unheard);
    sator_arena_free(scratch);
    return found;
}

enum sator_status sator_yaml_check_table(
        struct sator_ctx *ctx, const struct sator_source *source, bool *is_table)
{
    struct sator_yaml_reader reader;
    struct sator_table table = {.reader = &reader, .word_bits = SATOR_USUAL_BITS};

    *is_table = is_meant_as_table(source);
    if (!*is_table)
        return SATOR_OK;
    sator_yaml_reader_init(&reader, ctx, NULL);
    sator_table_read(&table, source);
    enum sator_status st = sator_yaml_reader_end(&reader);
    if (st == SATOR_OK)
        sator_arena_free(reader.arena);
    return st;
}

/* ---- what it tells ---- */

bool sator_table_has(const struct sator_table *table, const char *component)
{
    for (int i = 0; i < table->n_entries; i++) {
        if (strcmp(table->entries[i].component, component) == 0)
            return true;
    }
    return false;
}

static bool is_of(const struct sator_table_entry *entry, const char *component, const char *action)
{
    return strcmp(entry->component, component) == 0 && strcmp(entry->action, action) == 0;
}

/* The entry whatever the size for words as wide as wanted; without one, the first. */
static const struct sator_table_entry *find_plain(
        const struct sator_table *table, const char *component, const char *action)
{
    const struct sator_table_entry *first = NULL;

    for (int i = 0; i < table->n_entries; i++) {
        const struct sator_table_entry *entry = &table->entries[i];
        if (!is_of(entry, component, action) || !isnan(entry->capacity_bytes))
            continue;
        if (entry->word_bits == table->word_bits)
            return entry;
        first = first == NULL ? entry : first;
    }
    return first;
}

/* The nearest points at most and at least as large as "bytes". */
static void find_points(const struct sator_table *table, const char *component, const char *action,
        double bytes, const struct sator_table_entry **below,
        const struct sator_table_entry **above)
{
    *below = *above = NULL;
    for (int i = 0; i < table->n_entries; i++) {
        const struct sator_table_entry *entry = &table->entries[i];
        if (!is_of(entry, component, action) || isnan(entry->capacity_bytes))
            continue;
        if (entry->capacity_bytes <= bytes &&
                (*below == NULL || entry->capacity_bytes > (*below)->capacity_bytes))
            *below = entry;
        if (entry->capacity_bytes >= bytes &&
                (*above == NULL || entry->capacity_bytes < (*above)->capacity_bytes))
            *above = entry;
    }
}

/* An energy is for a word, the other quantities for what they are. */
static double for_bits(const struct sator_table_entry *entry, int64_t bits)
{
    for (int i = 0; i < SATOR_YAML_COUNT(quantities); i++) {
        if (strcmp(entry->action, quantities[i]) == 0)
            return entry->value;
    }
    return entry->value * (double)bits / (double)entry->word_bits;
}

static void between(const struct sator_table *table, const struct sator_table_entry *below,
        const struct sator_table_entry *above, double bytes, double exponent,
        struct sator_energy *found)
{
    const struct sator_table_entry *near = below != NULL ? below : above;
    struct sator_arena *arena = table->reader->arena;
    double at = for_bits(near, found->bits);

    if (below != NULL && above != NULL && below->capacity_bytes < above->capacity_bytes) {
        double share = log(bytes / below->capacity_bytes) /
                log(above->capacity_bytes / below->capacity_bytes);
        found->pj = at * pow(for_bits(above, found->bits) / at, share);
        found->source =
                sator_arena_printf(arena, "%s; estimated for %.0f bytes between %.0f and %.0f",
                        near->source, bytes, below->capacity_bytes, above->capacity_bytes);
        return;
    }
    found->pj = at * pow(bytes / near->capacity_bytes, exponent);
    found->source = near->capacity_bytes == bytes
            ? sator_arena_strdup(arena, near->source)
            : sator_arena_printf(arena, "%s; estimated for %.0f bytes from %.0f", near->source,
                      bytes, near->capacity_bytes);
}

bool sator_table_find(const struct sator_table *table, const char *component, const char *action,
        double capacity_bytes, double exponent, struct sator_energy *found)
{
    const struct sator_table_entry *plain = find_plain(table, component, action), *below, *above;

    if (!isnan(capacity_bytes)) {
        find_points(table, component, action, capacity_bytes, &below, &above);
        if (below != NULL || above != NULL) {
            *found = (struct sator_energy){.bits = (int)table->word_bits};
            between(table, below, above, capacity_bytes, exponent, found);
            return true;
        }
    }
    if (plain == NULL)
        return false;
    *found = (struct sator_energy){.pj = plain->value,
            .source = sator_arena_strdup(table->reader->arena, plain->source),
            .bits = (int)plain->word_bits};
    return true;
}

bool sator_table_find_by_width(const struct sator_table *table, const char *component,
        const char *action, struct sator_figure *found)
{
    struct sator_compute by = {.energy_pj = {.value = NAN}};
    struct sator_width_energy *all = NULL;

    for (int i = 0; i < table->n_entries; i++) {
        const struct sator_table_entry *entry = &table->entries[i];
        if (!is_of(entry, component, action))
            continue;
        struct sator_width_energy one = {(int)entry->word_bits, {entry->value, entry->source}};
        SATOR_PUSH(table->reader->scratch, all, by.n_by_width, one);
        for (int at = by.n_by_width - 1; at > 0 && all[at - 1].bits > one.bits; at--) {
            all[at] = all[at - 1];
            all[at - 1] = one;
        }
    }
    by.by_width = all;
    *found = sator_compute_figure(table->reader->arena, &by, (int)table->word_bits);
    if (by.n_by_width == 1)
        *found = all[0].energy_pj;
    if (found->source != NULL)
        found->source = sator_arena_strdup(table->reader->arena, found->source);
    return by.n_by_width > 0 && !isnan(found->value);
}
