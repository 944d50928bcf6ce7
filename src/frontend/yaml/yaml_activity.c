#include "frontend/yaml/yaml_activity.h"

#include "frontend/yaml/yaml_effects.h"

#include <string.h>

/* ---- densities ---- */

static const struct sator_access *find(
        int n_accesses, const struct sator_access *accesses, const char *tensor)
{
    for (int i = n_accesses - 1; i >= 0; i--) { /* writes are last: what is written shows first */
        if (strcmp(accesses[i].tensor, tensor) == 0)
            return &accesses[i];
    }
    return NULL;
}

/* Report a name that is none of the operation's tensors. */
static void unknown_tensor(struct sator_yaml_reader *reader, const struct sator_yaml_node *key,
        int n_accesses, const struct sator_access *accesses)
{
    const char **names = SATOR_NEW_ARRAY(reader->scratch, const char *, n_accesses + 1);

    for (int i = 0; i < n_accesses; i++)
        names[i] = accesses[i].tensor;
    sator_error(reader->ctx, key->loc, "density: the operation has no tensor '%s'",
            sator_yaml_clip(reader->scratch, key->text));
    sator_help_names(reader->ctx, key->text, names, n_accesses);
}

static void read_density(struct sator_yaml_reader *reader, const struct sator_yaml_pair *pair,
        int n_accesses, struct sator_access *accesses)
{
    const struct sator_access *access = find(n_accesses, accesses, pair->key->text);
    double density;

    if (access == NULL) {
        unknown_tensor(reader, pair->key, n_accesses, accesses);
        return;
    }
    if (access->role == SATOR_WRITE) {
        sator_error(reader->ctx, pair->key->loc,
                "density: '%s' is written, and what moves of it are partial sums", access->tensor);
        sator_help(reader->ctx, "tensors that are only read may have a density");
        return;
    }
    if (!sator_yaml_number(reader, pair->value, "density", false, &density))
        return;
    if (density > 1) {
        sator_error(reader->ctx, pair->value->loc,
                "density: the share of elements that are not 0, from 0 to 1, not %g", density);
        return;
    }
    for (int i = 0; i < n_accesses; i++) {
        if (strcmp(accesses[i].tensor, access->tensor) != 0)
            continue;
        accesses[i].says_density = true;
        accesses[i].density = density;
    }
}

void sator_yaml_densities(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        int n_accesses, struct sator_access *accesses)
{
    if (node == NULL || !sator_yaml_is(reader, node, SATOR_YAML_MAP, "density"))
        return;
    for (int i = 0; i < node->n_pairs && n_accesses > 0 && !sator_yaml_full(reader); i++)
        read_density(reader, &node->pairs[i], n_accesses, accesses);
}

/* ---- gates ---- */

void sator_yaml_memory_gates(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_memory *memory)
{
    struct sator_gate *gates = NULL;

    if (node == NULL || !sator_yaml_is(reader, node, SATOR_YAML_MAP, "gating"))
        return;
    for (int i = 0; i < node->n_pairs && !sator_yaml_full(reader); i++) {
        struct sator_gate gate = {.loc = node->pairs[i].key->loc};
        if (!sator_yaml_identifier(reader, node->pairs[i].key, "a tensor", &gate.tensor) ||
                !sator_yaml_names(
                        reader, node->pairs[i].value, "gating", &gate.n_zeros, &gate.zeros) ||
                gate.n_zeros == 0)
            continue;
        if (!sator_memory_holds(memory, gate.tensor))
            sator_error(reader->ctx, gate.loc, "gating of '%s', which the memory never holds",
                    gate.tensor);
        SATOR_PUSH(reader->arena, gates, memory->n_gates, gate);
    }
    memory->gates = gates;
}

static const struct sator_gate *read_names(struct sator_yaml_reader *reader,
        const struct sator_yaml_node *node, const char *key, int *n)
{
    struct sator_gate gate = {0}, *gates = NULL;

    if (node == NULL || !sator_yaml_names(reader, node, key, &gate.n_zeros, &gate.zeros) ||
            gate.n_zeros == 0)
        return NULL;
    gate.loc = node->loc;
    SATOR_PUSH(reader->arena, gates, *n, gate);
    return gates;
}

void sator_yaml_compute_gate(struct sator_yaml_reader *reader, const struct sator_yaml_node *gating,
        const struct sator_yaml_node *skipping, struct sator_compute *compute)
{
    compute->gates = read_names(reader, gating, "gating", &compute->n_gates);
    compute->skips = read_names(reader, skipping, "skipping", &compute->n_skips);
}

static bool is_by_others(const struct sator_gate *gate)
{
    for (int i = 0; i < gate->n_zeros; i++) {
        if (strcmp(gate->zeros[i], gate->tensor) != 0)
            return true;
    }
    return false;
}

void sator_yaml_check_gates(struct sator_yaml_reader *reader, const struct sator_arch *arch)
{
    bool array_inside = false;

    for (int i = arch->n_levels - 1; i >= 0; i--) {
        const struct sator_level *level = &arch->levels[i];
        array_inside |= level->kind == SATOR_LEVEL_ARRAY;
        for (int g = 0;
                array_inside && level->kind == SATOR_LEVEL_MEMORY && g < level->memory.n_gates;
                g++) {
            const struct sator_gate *gate = &level->memory.gates[g];
            if (!is_by_others(gate))
                continue;
            sator_error(reader->ctx, gate->loc,
                    "gating of '%s' at '%s', whose words serve several PEs, by other tensors' "
                    "zeros",
                    gate->tensor, level->name);
            sator_help(reader->ctx,
                    "a memory of the PE can leave out accesses for other tensors' zeros; this one "
                    "only for its own: {%s: [%s]}",
                    gate->tensor, gate->tensor);
        }
    }
}
