/* Layers, hardware and mappings as ZigZag takes them, a file each. */
#include "convert/convert.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The operand that ZigZag calls a tensor of Sator's library; of a memory, I1 and I2. */
static const char *operand(const char *tensor, bool of_memory)
{
    return strcmp(tensor, "Y") == 0    ? "O"
            : strcmp(tensor, "A") == 0 ? (of_memory ? "I1" : "I")
            : strcmp(tensor, "B") == 0 ? (of_memory ? "I2" : "W")
                                       : tensor;
}

static const char *upper(struct convert *c, const char *name)
{
    char *copy = sator_arena_strdup(c->arena, name);

    for (char *at = copy; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return copy;
}

/* ---- layers ---- */

/* An access as W[k][c]; an index of several loops gets a name, which "relations" says. */
static void write_access(struct convert *c, const struct sator_workload *layer,
        const struct convert_access *access, struct sator_text *relations)
{
    sator_text_put(c->text, operand(access->access->tensor, false));
    for (int d = 0; d < access->n_dims; d++) {
        const int64_t *row = access->rows[d];
        int only = -1, n = 0;
        for (int l = 0; l < layer->n_loops; l++) {
            n += row[l] != 0;
            only = row[l] == 1 ? l : only;
        }
        if (n == 1 && only >= 0 && row[layer->n_loops] == 0) {
            sator_text_add(c->text, "[%s]", layer->loop_names[only]);
            continue;
        }
        if (row[layer->n_loops] != 0)
            sator_error(c->ctx, sator_access_loc(layer, access->access),
                    "zigzag cannot say the indices of '%s': a constant is added",
                    access->access->tensor);
        sator_text_add(c->text, "[%s_%d]", access->access->tensor, d);
        sator_text_add(relations, "%s%s_%d=", relations->length == 0 ? "" : ", ",
                access->access->tensor, d);
        for (int l = 0, written = 0; l < layer->n_loops; l++) {
            if (row[l] != 0)
                sator_text_add(relations, "%s%lld*%s", written++ == 0 || row[l] < 0 ? "" : "+",
                        (long long)row[l], layer->loop_names[l]);
        }
    }
}

static void write_layer(struct convert *c, const struct sator_workload *layer, int id)
{
    const struct convert_access *accesses;
    struct sator_text relations = {0};
    int n_read = 0;

    if (!convert_accesses(c, layer, &accesses))
        return;
    if (layer->repeat > 1)
        convert_unsaid(c, "repeat");
    sator_text_add(c->text, "- id: %d\n  name: ", id);
    sator_text_add_yaml_name(c->text, layer->name);
    sator_text_put(c->text, "\n  operator_type: Layer\n  equation: ");
    for (int a = 0; a < layer->n_accesses; a++) {
        if (accesses[a].access->role == SATOR_WRITE)
            write_access(c, layer, &accesses[a], &relations);
    }
    sator_text_put(c->text, "+=");
    for (int a = 0; a < layer->n_accesses; a++) {
        if (accesses[a].access->role == SATOR_WRITE)
            continue;
        sator_text_put(c->text, n_read++ == 0 ? "" : "*");
        write_access(c, layer, &accesses[a], &relations);
    }
    sator_text_add(c->text, "\n  dimension_relations: [%s]\n  loop_dims: [",
            relations.length == 0 ? "" : relations.data);
    for (int l = 0; l < layer->n_loops; l++)
        sator_text_add(c->text, "%s%s", l == 0 ? "" : ", ", upper(c, layer->loop_names[l]));
    sator_text_put(c->text, "]\n  loop_sizes: [");
    for (int l = 0; l < layer->n_loops; l++)
        sator_text_add(c->text, "%s%lld", l == 0 ? "" : ", ", (long long)layer->upper[l]);
    sator_text_put(c->text, "]\n  operand_precision: {");
    for (int a = 0; a < layer->n_accesses; a++)
        sator_text_add(c->text, "%s%s: %d", a == 0 ? "" : ", ",
                operand(layer->accesses[a].tensor, false), layer->accesses[a].word_bits);
    sator_text_put(c->text, "}\n");
    sator_text_clear(&relations);
}

/* ---- hardware ---- */

static void write_port(struct convert *c, const char *name, const char *type, double bits,
        const char *const *operands, int n, const char *way)
{
    sator_text_add(c->text,
            "      - {name: %s, type: %s, bandwidth_min: %.0f, bandwidth_max: %.0f, allocation: [",
            name, type, bits, bits);
    for (int i = 0; i < n; i++) {
        bool is_output = strcmp(operands[i], "O") == 0;
        sator_text_add(c->text, "%s\"%s, %s\"", i == 0 ? "" : ", ", operands[i], way);
        if (is_output)
            sator_text_add(c->text, ", \"O, %s\"", strcmp(way, "tl") == 0 ? "th" : "fl");
    }
    sator_text_put(c->text, "]}\n");
}

static void write_memory(struct convert *c, const struct sator_level *level, int first, int n_dims)
{
    static const char *const all[] = {"I1", "I2", "O"};
    const struct sator_memory *memory = &level->memory;
    const char *operands[16];
    double bits = NAN, read = memory->read_bits, write = memory->write_bits;
    int n = 0;

    for (int i = 0; i < memory->n_capacities; i++) {
        double one = isnan(memory->capacities[i].bytes)
                ? memory->capacities[i].words * SATOR_USUAL_BITS
                : memory->capacities[i].bytes * 8;
        bits = isnan(bits) ? one : bits + one;
    }
    for (int i = 0; i < memory->n_tensors && n < 16; i++)
        operands[n++] = operand(memory->tensors[i], true);
    for (int i = 0; i < 3 && memory->n_tensors == 0; i++) {
        bool bypasses = false;
        for (int b = 0; b < memory->n_bypass; b++)
            bypasses |= strcmp(operand(memory->bypass[b], true), all[i]) == 0;
        if (!bypasses)
            operands[n++] = all[i];
    }
    if (isnan(read) || isnan(write) || memory->n_ports > 0)
        convert_unsaid(c, "ports and unlimited bandwidths (a word of 16 bits each way)");
    read = isnan(read) ? SATOR_USUAL_BITS : read;
    write = isnan(write) ? SATOR_USUAL_BITS : write;
    if (isnan(memory->read.pj) || isnan(memory->write.pj))
        convert_unsaid(c, "energies that are not given, or are of tensors (they are 0)");
    sator_text_add(c->text, "  %s:\n    size: %.0f\n    r_cost: %.15g\n    w_cost: %.15g\n",
            level->name, isnan(bits) ? 1e10 : bits,
            isnan(memory->read.pj) ? 0 : memory->read.pj * read / memory->read.bits,
            isnan(memory->write.pj) ? 0 : memory->write.pj * write / memory->write.bits);
    sator_text_put(c->text, "    area: 0\n    latency: 1\n    operands: [");
    for (int i = 0; i < n; i++)
        sator_text_add(c->text, "%s%s", i == 0 ? "" : ", ", operands[i]);
    sator_text_put(c->text, "]\n    ports:\n");
    write_port(c, "r_port", "read", read, operands, n, "tl");
    write_port(c, "w_port", "write", write, operands, n, "fh");
    sator_text_put(c->text, "    served_dimensions: [");
    for (int d = first; d < n_dims; d++)
        sator_text_add(c->text, "%sD%d", d == first ? "" : ", ", d + 1);
    sator_text_put(c->text, "]\n");
    if (memory->double_buffered)
        sator_text_put(c->text, "    force_double_buffering: True\n");
}

static void write_machine(struct convert *c)
{
    int n_dims = sator_arch_space_dims(c->arch), first = n_dims;
    int64_t shape[64] = {0};
    double energy = 0;

    sator_arch_shape(c->arch, shape);
    sator_text_put(c->text, "name: ");
    sator_text_add_yaml_name(c->text, c->arch->name);
    sator_text_put(c->text, "\nmemories:\n");
    for (int i = c->arch->n_levels - 1; i >= 0; i--) { /* innermost first */
        const struct sator_level *level = &c->arch->levels[i];
        if (level->kind == SATOR_LEVEL_ARRAY) {
            first -= level->array.n_dims;
            if (level->array.n_links > 0)
                convert_unsaid(c, "links");
        } else if (level->kind == SATOR_LEVEL_MEMORY) {
            write_memory(c, level, first, n_dims);
        } else if (!isnan(level->compute.energy_pj.value)) {
            energy = level->compute.energy_pj.value;
        }
    }
    convert_unsaid_machine(c);
    sator_text_add(c->text, "operational_array:\n  unit_energy: %.15g\n  unit_area: 1\n", energy);
    sator_text_put(c->text, "  dimensions: [");
    for (int d = 0; d < n_dims; d++)
        sator_text_add(c->text, "%sD%d", d == 0 ? "" : ", ", d + 1);
    sator_text_put(c->text, "]\n  sizes: [");
    for (int d = 0; d < n_dims; d++)
        sator_text_add(c->text, "%s%lld", d == 0 ? "" : ", ", (long long)shape[d]);
    sator_text_put(c->text, "]\n");
}

/* ---- mapping ---- */

static bool digits_of(struct convert *c, const struct sator_workload *layer,
        const struct sator_expr *expr, struct sator_loc loc, struct convert_digit *digits, int *n)
{
    int64_t scale = 1;

    *n = convert_digits(layer, expr, digits);
    bool full = *n >= 0; /* coordinates without gaps */
    for (int i = *n - 1; i >= 0 && full; i--) {
        full = digits[i].scale == scale;
        scale *= digits[i].count;
    }
    if (full)
        return true;
    sator_error(c->ctx, loc, "zigzag cannot say '%s': loops run across the array or in time, %s",
            convert_shown(c, layer, expr), "without skew");
    return false;
}

/* Of each loop what the factors before this one hold, from the array outwards: strides follow from
 * it, so one that does not is refused. */
static bool take(struct convert *c, const struct sator_workload *layer,
        const struct convert_digit *digit, struct sator_loc loc, int64_t *held)
{
    if (digit->stride == held[digit->loop]) {
        held[digit->loop] *= digit->count;
        return true;
    }
    sator_error(c->ctx, loc,
            "zigzag cannot say this order of the tiles of '%s': what runs across the array is the "
            "innermost, and further out is larger",
            layer->loop_names[digit->loop]);
    return false;
}

static void write_mapping(struct convert *c, const struct sator_workload *layer)
{
    const struct sator_bound_dataflow *bound = convert_bind(c, layer);
    struct convert_digit digits[CONVERT_MOST_DIGITS];
    int64_t *held = SATOR_NEW_ARRAY(c->arena, int64_t, layer->n_loops + 1);
    int n, written = 0;

    if (bound == NULL)
        return;
    for (int l = 0; l < layer->n_loops; l++)
        held[l] = 1;
    const struct sator_piece *space = sator_relation_function(bound->space);
    const struct sator_piece *time = sator_relation_function(bound->time);
    sator_text_put(c->text, "- name: default\n  spatial_mapping:\n");
    for (int d = 0; d < bound->space->n_out; d++) {
        if (!digits_of(c, layer, space->out[d], bound->space_loc, digits, &n))
            return;
        sator_text_add(c->text, "    D%d: [", d + 1);
        for (int i = 0; i < n; i++)
            sator_text_add(c->text, "%s\"%s, %lld\"", i == 0 ? "" : ", ",
                    upper(c, layer->loop_names[digits[i].loop]), (long long)digits[i].count);
        for (int i = n - 1; i >= 0; i--) {
            if (!take(c, layer, &digits[i], bound->space_loc, held))
                return;
        }
        sator_text_put(c->text, "]\n");
    }
    sator_text_put(c->text, "  temporal_ordering: [");
    for (int d = bound->time->n_out - 1; d >= 0; d--) {
        if (!digits_of(c, layer, time->out[d], bound->time_loc, digits, &n))
            return;
        for (int i = n - 1; i >= 0; i--) {
            if (digits[i].count == 1)
                continue;
            if (!take(c, layer, &digits[i], bound->time_loc, held))
                return;
            sator_text_add(c->text, "%s[%s, %lld]", written++ == 0 ? "" : ", ",
                    upper(c, layer->loop_names[digits[i].loop]), (long long)digits[i].count);
        }
    }
    sator_text_put(c->text, "]\n  memory_operand_links: {O: O, W: I2, I: I1}\n");
    if (bound->n_cuts > 0)
        convert_unsaid(c, "cuts: memories hold what fits");
}

void convert_to_zigzag(struct convert *c)
{
    if (c->dataflow != NULL && c->network == NULL) {
        sator_error(c->ctx, c->dataflow->loc,
                "a mapping of zigzag is of loops with extents: give the workload, too");
        return;
    }
    if (c->dataflow != NULL) {
        write_mapping(c, &c->network->layers[c->first]);
        return;
    }
    for (int i = c->first; c->network != NULL && i < c->end; i++)
        write_layer(c, &c->network->layers[i], i - c->first);
    if (c->network == NULL)
        write_machine(c);
    else if (c->arch != NULL)
        convert_unsaid(c, "the architecture, which is a file of its own (without a workload)");
}
