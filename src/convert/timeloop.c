/* A problem, an architecture of version 0.4 and a mapping, as Timeloop takes them, in one file. */
#include "convert/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- problem ---- */

/* A sum of products: [[oy, stride2], [ry]]. */
static void write_sum(struct convert *c, const struct sator_workload *layer,
        const struct convert_access *access, int dim)
{
    const int64_t *row = access->rows[dim];
    int n = 0;

    sator_text_put(c->text, "[");
    for (int l = 0; l < layer->n_loops; l++) {
        if (row[l] == 0)
            continue;
        sator_text_add(c->text, "%s[%s", n++ == 0 ? "" : ", ", layer->loop_names[l]);
        if (row[l] != 1)
            sator_text_add(c->text, ", times%lld", (long long)row[l]);
        sator_text_put(c->text, "]");
    }
    sator_text_put(c->text, "]");
}

static void write_space(
        struct convert *c, const struct sator_workload *layer, const struct convert_access *access)
{
    sator_text_add(c->text, "    - {name: %s, projection: [", access->access->tensor);
    for (int d = 0; d < access->n_dims; d++) {
        sator_text_put(c->text, d == 0 ? "" : ", ");
        write_sum(c, layer, access, d);
    }
    sator_text_add(
            c->text, "]%s}\n", access->access->role == SATOR_WRITE ? ", read_write: True" : "");
}

/* The factors other than 1 that indices have, each a coefficient; false when one is negative or a
 * constant is added. */
static bool write_coefficients(struct convert *c, const struct sator_workload *layer,
        const struct convert_access *accesses)
{
    int64_t factors[64];
    int n = 0;

    for (int a = 0; a < layer->n_accesses; a++) {
        for (int d = 0; d < accesses[a].n_dims; d++) {
            const int64_t *row = accesses[a].rows[d];
            bool plain = row[layer->n_loops] == 0;
            for (int l = 0; l < layer->n_loops; l++) {
                bool known = row[l] == 0 || row[l] == 1;
                plain &= row[l] >= 0;
                for (int i = 0; i < n && !known; i++)
                    known = factors[i] == row[l];
                if (!known && n < 64)
                    factors[n++] = row[l];
            }
            if (plain)
                continue;
            sator_error(c->ctx, sator_access_loc(layer, accesses[a].access),
                    "timeloop cannot say the indices of '%s': they subtract, or add a constant",
                    accesses[a].access->tensor);
            return false;
        }
    }
    sator_text_put(c->text, "    coefficients: [");
    for (int i = 0; i < n; i++)
        sator_text_add(c->text, "%s{name: times%lld, default: %lld}", i == 0 ? "" : ", ",
                (long long)factors[i], (long long)factors[i]);
    sator_text_put(c->text, "]\n");
    return true;
}

static void write_problem(struct convert *c, const struct sator_workload *layer)
{
    const struct convert_access *accesses;

    if (!convert_accesses(c, layer, &accesses))
        return;
    if (layer->repeat > 1)
        convert_unsaid(c, "repeat");
    sator_text_put(
            c->text, "problem:\n  version: 0.4\n  shape:\n    name: layer\n    dimensions: [");
    for (int l = 0; l < layer->n_loops; l++)
        sator_text_add(c->text, "%s%s", l == 0 ? "" : ", ", layer->loop_names[l]);
    sator_text_put(c->text, "]\n");
    if (!write_coefficients(c, layer, accesses))
        return;
    sator_text_put(c->text, "    data_spaces:\n");
    for (int a = 0; a < layer->n_accesses; a++)
        write_space(c, layer, &accesses[a]);
    sator_text_put(c->text, "  instance: {");
    for (int l = 0; l < layer->n_loops; l++)
        sator_text_add(c->text, "%s%s: %lld", l == 0 ? "" : ", ", layer->loop_names[l],
                (long long)layer->upper[l]);
    sator_text_put(c->text, "}\n");
    for (int a = 1; a < layer->n_accesses; a++) {
        if (layer->accesses[a].word_bits != layer->accesses[0].word_bits)
            convert_unsaid(c, "widths of words that differ");
    }
}

/* ---- architecture ---- */

static void write_memory(struct convert *c, const struct sator_level *level)
{
    const struct sator_memory *memory = &level->memory;
    int bits = convert_word_bits(c, memory);
    double words = NAN;

    for (int i = 0; i < memory->n_capacities; i++) {
        const struct sator_capacity *capacity = &memory->capacities[i];
        double one = isnan(capacity->words) ? floor(capacity->bytes * 8 / bits) : capacity->words;
        words = isnan(words) ? one : words + one;
    }
    if (memory->n_capacities > 1)
        convert_unsaid(c, "capacities of tensors (they are added up)");
    sator_text_add(c->text, "  - !Component\n    name: %s\n    class: %s\n    attributes: {",
            level->name, isnan(words) ? "DRAM" : "SRAM");
    if (!isnan(words))
        sator_text_add(c->text, "depth: %.0f, ", words);
    sator_text_add(c->text, "width: %d, datawidth: %d", bits, bits);
    if (!isnan(memory->read_bits))
        sator_text_add(c->text, ", read_bandwidth: %.15g", memory->read_bits / bits);
    if (!isnan(memory->write_bits))
        sator_text_add(c->text, ", write_bandwidth: %.15g", memory->write_bits / bits);
    sator_text_add(c->text, "%s}\n", memory->double_buffered ? ", multiple_buffering: 2" : "");
    if (memory->n_bypass > 0) {
        sator_text_put(c->text, "    constraints: {dataspace: {bypass: [");
        for (int i = 0; i < memory->n_bypass; i++)
            sator_text_add(c->text, "%s%s", i == 0 ? "" : ", ", memory->bypass[i]);
        sator_text_put(c->text, "]}}\n");
    }
    if (memory->n_tensors > 0)
        convert_unsaid(c, "tensors that a memory is for (say what bypasses it)");
    if (memory->n_ports > 0)
        convert_unsaid(c, "ports");
    if (!isnan(memory->read.pj) || memory->n_own_energies > 0)
        convert_unsaid(c, "energies (--to accelergy writes them)");
}

static void write_array(struct convert *c, const struct sator_level *level)
{
    const struct sator_array *array = &level->array;

    if (array->n_dims > 2) {
        sator_error(c->ctx, level->loc,
                "timeloop cannot say the %d dimensions of '%s': a mesh has X and Y", array->n_dims,
                level->name);
        return;
    }
    sator_text_add(c->text, "  - !Container {name: %s, spatial: {meshX: %lld, meshY: %lld}}\n",
            level->name, (long long)array->shape[0],
            (long long)(array->n_dims > 1 ? array->shape[1] : 1));
    if (array->n_links > 0)
        convert_unsaid(c, "links");
    convert_unsaid_buses(c, array);
}

static void write_compute(struct convert *c, const struct sator_level *level)
{
    if (level->compute.cycles != 1)
        convert_unsaid(c, "operations of several cycles");
    sator_text_add(c->text, "  - !Component {name: %s, class: intmac}\n", level->name);
}

static void write_machine(struct convert *c)
{
    sator_text_put(c->text, "architecture:\n  version: 0.4\n  nodes:\n");
    for (int i = 0; i < c->arch->n_levels; i++) {
        const struct sator_level *level = &c->arch->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY)
            write_memory(c, level);
        else if (level->kind == SATOR_LEVEL_ARRAY)
            write_array(c, level);
        else
            write_compute(c, level);
    }
    convert_unsaid_machine(c);
}

/* ---- mapping ---- */

static const struct sator_level *find_level(const struct sator_arch *arch, const char *name)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (strcmp(arch->levels[i].name, name) == 0)
            return &arch->levels[i];
    }
    return NULL;
}

/* Say why a dataflow that is no nest has no mapping. */
static void refuse_stamps(struct convert *c, const struct sator_workload *layer)
{
    const struct sator_bound_dataflow *bound = convert_bind(c, layer);
    struct convert_digit digits[CONVERT_MOST_DIGITS];

    if (bound == NULL)
        return;
    const struct sator_piece *time = sator_relation_function(bound->time);
    for (int d = 0; d < bound->time->n_out; d++) {
        if (convert_digits(layer, time->out[d], digits) >= 0)
            continue;
        sator_error(c->ctx, bound->time_loc,
                "timeloop cannot say '%s': a loop of its nest is one tile loop, without skew",
                convert_shown(c, layer, time->out[d]));
        return;
    }
    sator_error(c->ctx, bound->time_loc,
            "a mapping of timeloop says at which memory each loop stands: a dataflow with 'loops' "
            "does");
    sator_help(c->ctx, "'sator map --yaml' writes one");
}

/* The entry's loops of dimension "dim" (-1: of time), innermost first, appended to "loops". */
static int collect(
        const struct sator_loop_entry *entry, int dim, const struct sator_nest_loop **loops, int n)
{
    for (int i = entry->n_loops - 1; i >= 0 && n < 64; i--) {
        if (entry->loops[i].dim == dim)
            loops[n++] = &entry->loops[i];
    }
    return n;
}

/* Factors of all dimensions and the permutation of those that have one, innermost first. */
static void write_directive(struct convert *c, const struct sator_workload *layer,
        const struct sator_loop_entry *entry, const char *type,
        const struct sator_nest_loop *const *loops, int n, int split)
{
    sator_text_add(c->text, "- {target: %s, type: %s, factors: [", entry->level, type);
    for (int l = 0; l < layer->n_loops; l++) {
        int64_t factor = 1;
        int times = 0;
        for (int i = 0; i < n; i++) {
            if (strcmp(loops[i]->loop, layer->loop_names[l]) != 0)
                continue;
            factor = loops[i]->extent;
            if (times++ > 0)
                sator_error(c->ctx, loops[i]->loc, "timeloop cannot say '%s' twice at '%s'",
                        loops[i]->loop, entry->level);
        }
        sator_text_add(
                c->text, "%s%s=%lld", l == 0 ? "" : ", ", layer->loop_names[l], (long long)factor);
    }
    sator_text_put(c->text, "], permutation: [");
    for (int i = 0; i < n; i++)
        sator_text_add(c->text, "%s%s", i == 0 ? "" : ", ", loops[i]->loop);
    for (int l = 0; l < layer->n_loops; l++) {
        bool has = false;
        for (int i = 0; i < n && !has; i++)
            has = strcmp(loops[i]->loop, layer->loop_names[l]) == 0;
        if (!has)
            sator_text_add(c->text, "%s%s", n > 0 || l > 0 ? ", " : "", layer->loop_names[l]);
    }
    sator_text_put(c->text, "]");
    if (split >= 0)
        sator_text_add(c->text, ", split: %d", split);
    sator_text_put(c->text, "}\n");
}

static void write_bypass(
        struct convert *c, const struct sator_workload *layer, const struct sator_loop_entry *entry)
{
    const char *before = "";

    if (entry->n_bypass == 0)
        return;
    sator_text_add(c->text, "- {target: %s, type: datatype, keep: [", entry->level);
    for (int a = 0; a < layer->n_accesses; a++) {
        bool bypasses = false;
        for (int i = 0; i < entry->n_bypass; i++)
            bypasses |= strcmp(entry->bypass[i], layer->accesses[a].tensor) == 0;
        if (!bypasses) {
            sator_text_add(c->text, "%s%s", before, layer->accesses[a].tensor);
            before = ", ";
        }
    }
    sator_text_put(c->text, "], bypass: [");
    for (int i = 0; i < entry->n_bypass; i++)
        sator_text_add(c->text, "%s%s", i == 0 ? "" : ", ", entry->bypass[i]);
    sator_text_put(c->text, "]}\n");
}

/* Timeloop's factors multiply to the extent. */
static bool check_factors(
        struct convert *c, const struct sator_workload *layer, const struct sator_loop_nest *nest)
{
    for (int l = 0; l < layer->n_loops; l++) {
        int64_t product = 1;
        for (int e = 0; e < nest->n_entries; e++) {
            for (int i = 0; i < nest->entries[e].n_loops; i++) {
                const struct sator_nest_loop *loop = &nest->entries[e].loops[i];
                if (strcmp(loop->loop, layer->loop_names[l]) == 0 &&
                        __builtin_mul_overflow(product, loop->extent, &product))
                    product = INT64_MAX;
            }
        }
        if (product == layer->upper[l])
            continue;
        sator_error(c->ctx, c->dataflow->loc,
                "the factors of '%s' multiply to %lld, not %lld: ragged tiles are not written",
                layer->loop_names[l], (long long)product, (long long)layer->upper[l]);
        return false;
    }
    return true;
}

static void write_mapping(struct convert *c, const struct sator_workload *layer)
{
    const struct sator_dataflow *own;

    if (sator_dataflow_of(c->ctx, c->dataflow, layer, &own) != SATOR_OK)
        return;
    if (own->loops == NULL) {
        refuse_stamps(c, layer);
        return;
    }
    if (convert_bind(c, layer) == NULL || !check_factors(c, layer, own->loops))
        return;
    sator_text_put(c->text, "mapping:\n");
    for (int e = own->loops->n_entries - 1; e >= 0; e--) {
        const struct sator_loop_entry *entry = &own->loops->entries[e];
        const struct sator_level *level = find_level(c->arch, entry->level);
        const struct sator_nest_loop *loops[64];
        if (entry->n_skew > 0) {
            sator_error(c->ctx, entry->loc, "timeloop cannot say a skewed array");
            return;
        }
        if (level != NULL && level->kind == SATOR_LEVEL_ARRAY) {
            int x = collect(entry, 0, loops, 0);
            write_directive(c, layer, entry, "spatial", loops, collect(entry, 1, loops, x), x);
            continue;
        }
        write_bypass(c, layer, entry);
        write_directive(c, layer, entry, "temporal", loops, collect(entry, -1, loops, 0), -1);
    }
}

void convert_to_timeloop(struct convert *c)
{
    if (c->network != NULL && c->end - c->first > 1) {
        sator_error(c->ctx, c->network->layers[0].loc,
                "a file of timeloop has one problem, and '%s' has %d layers: choose one",
                c->network->name, c->network->n_layers);
        return;
    }
    if (c->dataflow != NULL && (c->network == NULL || c->arch == NULL)) {
        sator_error(c->ctx, c->dataflow->loc,
                "a mapping of timeloop is of a problem and an architecture: give both");
        return;
    }
    if (c->arch != NULL)
        write_machine(c);
    if (c->network != NULL)
        write_problem(c, &c->network->layers[c->first]);
    if (c->dataflow != NULL)
        write_mapping(c, &c->network->layers[c->first]);
}
