/* What architectures say about time: transfers, fixed costs, bandwidths of wires (doc/formats.md,
 * architecture; doc/model.md, section 7). */
#include "frontend/yaml/yaml_arch.h"
#include "frontend/yaml/yaml_effects.h"

#include <math.h>
#include <string.h>

enum {
    MOST_SETUP_CYCLES = 1000000000,
    MOST_GRANULE_BITS = 1 << 30
};

/* ---- transfers ---- */

static bool read_kind(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        enum sator_transfer_kind *kind)
{
    static const char *const names[] = {"serial", "overlapped", "streamed"};
    const char *word;

    if (!sator_yaml_string(reader, node, "transfers", &word))
        return false;
    for (int i = 0; i < SATOR_YAML_COUNT(names); i++) {
        if (strcmp(word, names[i]) == 0) {
            *kind = (enum sator_transfer_kind)(SATOR_TRANSFER_SERIAL + i);
            return true;
        }
    }
    sator_error(reader->ctx, node->loc, "transfers are serial, overlapped or streamed, not '%s'",
            sator_yaml_clip(reader->scratch, word));
    sator_help_names(reader->ctx, word, names, SATOR_YAML_COUNT(names));
    return false;
}

static void read_transfers(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_memory *memory)
{
    struct sator_transfers *transfers = &memory->transfers;
    struct sator_tensor_transfers *tensors = NULL;

    transfers->loc = node->loc;
    if (!memory->overlaps) {
        sator_error(reader->ctx, node->loc, "'overlaps: false' says already when words move");
        sator_help(reader->ctx, "leave out one of 'transfers' and 'overlaps'");
    }
    if (node->kind != SATOR_YAML_MAP) {
        read_kind(reader, node, &transfers->others);
        return;
    }
    for (int i = 0; i < node->n_pairs && !sator_yaml_full(reader); i++) {
        struct sator_tensor_transfers one = {.loc = node->pairs[i].key->loc};
        if (!sator_yaml_identifier(reader, node->pairs[i].key, "a tensor", &one.tensor) ||
                !read_kind(reader, node->pairs[i].value, &one.kind))
            continue;
        if (!sator_memory_holds(memory, one.tensor))
            sator_error(reader->ctx, one.loc, "transfers of '%s', which the memory never holds",
                    one.tensor);
        SATOR_PUSH(reader->arena, tensors, transfers->n_tensors, one);
    }
    transfers->tensors = tensors;
}

/* ---- ports and wires ---- */

void sator_yaml_burst(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        bool has_bandwidth, struct sator_burst *burst)
{
    static const char *const keys[] = {"setup_cycles", "granule_bits"};
    static const int64_t most[] = {MOST_SETUP_CYCLES, MOST_GRANULE_BITS}, unsaid[] = {0, 1};
    int64_t values[] = {unsaid[0], unsaid[1]};

    for (int k = 0; k < SATOR_YAML_COUNT(keys); k++) {
        const struct sator_yaml_node *node = sator_yaml_get(reader, map, keys[k]);
        if (node == NULL || !sator_yaml_int(reader, node, keys[k], k, most[k], &values[k]))
            continue;
        if (!has_bandwidth && values[k] != unsaid[k])
            sator_warn(reader->ctx, node->loc,
                    "'%s' has no effect: without a bandwidth, transfers take no time", keys[k]);
    }
    *burst = (struct sator_burst){values[0], values[1]};
}

void sator_yaml_wire_bandwidth(
        struct sator_yaml_reader *reader, const struct sator_yaml_node *map, double *bandwidth_bits)
{
    const struct sator_yaml_node *node = sator_yaml_get(reader, map, "bandwidth_bits");

    *bandwidth_bits = NAN;
    if (node != NULL)
        sator_yaml_number(reader, node, "bandwidth_bits", true, bandwidth_bits);
}

/* ---- memories ---- */

static void read_holds(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_memory *memory)
{
    static const char *const names[] = {"idle"};
    const char *word;

    if (!sator_yaml_string(reader, node, "holds", &word))
        return;
    memory->holds_idle = strcmp(word, names[0]) == 0;
    if (memory->holds_idle)
        return;
    sator_error(reader->ctx, node->loc, "holds: 'idle' is expected, not '%s'",
            sator_yaml_clip(reader->scratch, word));
    sator_help_names(reader->ctx, word, names, SATOR_YAML_COUNT(names));
}

void sator_yaml_memory_timing(struct sator_yaml_reader *reader, const struct sator_yaml_node *map,
        struct sator_memory *memory)
{
    const struct sator_yaml_node *node;

    if ((node = sator_yaml_get(reader, map, "transfers")) != NULL)
        read_transfers(reader, node, memory);
    if ((node = sator_yaml_get(reader, map, "holds")) != NULL)
        read_holds(reader, node, memory);
    sator_yaml_burst(
            reader, map, !isnan(memory->read_bits) || !isnan(memory->write_bits), &memory->burst);
}
