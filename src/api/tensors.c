/* Tensors that an architecture names and a workload does not have, or not in the role that counts.
 */
#include "api/spec.h"
#include "base/arguments.h"
#include "base/text.h"

#include "arch/arch.h"
#include "relation/workload.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The names of a network's tensors, each once. */
struct names {
    int n;
    const char **names;
};

static bool has(const struct names *names, const char *name)
{
    return sator_lists(name, names->n, names->names);
}

static struct names names_of(const struct sator_network *network)
{
    struct names made = {0};

    for (int i = 0; i < network->n_layers; i++) {
        for (int k = 0; k < network->layers[i].n_accesses; k++) {
            const char *name = network->layers[i].accesses[k].tensor;
            if (has(&made, name))
                continue;
            made.names = sator_realloc(made.names, sizeof *made.names * (size_t)(made.n + 1));
            made.names[made.n++] = name;
        }
    }
    return made;
}

static bool is_typed(const struct sator_tensor_mention *mention)
{
    return mention->loc.source != NULL && mention->loc.source->is_field;
}

static void add_quoted(struct sator_text *list, const char *name)
{
    sator_text_add(list, "%s'%s'", list->length == 0 ? "" : ", ", name);
}

/* Whether the architecture names the tensor, in any case of its letters. */
static bool is_named(const struct sator_arch *arch, const char *tensor)
{
    for (int i = 0; i < arch->n_mentions; i++) {
        if (strcasecmp(arch->mentions[i].name, tensor) == 0)
            return true;
    }
    return false;
}

/* The tensor that is called so but for its letters' case, or NULL. */
static const char *other_case(const struct names *names, const char *name)
{
    for (int i = 0; i < names->n && !has(names, name); i++) {
        if (strcasecmp(name, names->names[i]) == 0)
            return names->names[i];
    }
    return NULL;
}

/* The first name of the architecture's file that no tensor here has in any case, or NULL. */
static const struct sator_tensor_mention *first_unknown(
        const struct sator_arch *arch, const struct names *names)
{
    for (int i = 0; i < arch->n_mentions; i++) {
        const struct sator_tensor_mention *mention = &arch->mentions[i];
        if (!is_typed(mention) && !has(names, mention->name) &&
                other_case(names, mention->name) == NULL)
            return mention;
    }
    return NULL;
}

/* An architecture need not name all tensors of a workload, and may name others. Where it does both,
 * and leaves out half of them or more, they are called differently here, and what it says of them
 * goes unnoticed. Whether it is so. */
static bool warn_of_names(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, const struct names *names)
{
    const struct sator_tensor_mention *unknown = first_unknown(arch, names);
    struct sator_text unnamed = {0};
    int n_unnamed = 0;

    for (int i = 0; i < names->n && unknown != NULL; i++) {
        if (is_named(arch, names->names[i]))
            continue;
        add_quoted(&unnamed, names->names[i]);
        n_unnamed++;
    }
    const bool is_strange = n_unnamed > 0 && 2 * n_unnamed >= names->n;
    if (is_strange && n_unnamed == names->n)
        sator_warn(ctx, unknown->loc,
                "'%s' names tensors, but none that '%s' has: what it says of them does not apply",
                arch->name, network->name);
    else if (is_strange)
        sator_warn(ctx, unknown->loc,
                "'%s' has no tensor '%s', and '%s' does not name %s: what it says of tensors does "
                "not apply to %s",
                network->name, unknown->name, arch->name, unnamed.data,
                n_unnamed == 1 ? "it" : "them");
    if (is_strange)
        sator_help_names(ctx, unknown->name, names->names, names->n);
    sator_text_clear(&unnamed);
    return is_strange;
}

/* Names that are those of tensors here but for their letters' case: written wrong, more often than
 * meant for another workload. */
static void warn_of_case(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, const struct names *names)
{
    for (int i = 0; i < arch->n_mentions; i++) {
        const struct sator_tensor_mention *mention = &arch->mentions[i];
        const char *meant = is_typed(mention) ? NULL : other_case(names, mention->name);
        if (meant == NULL)
            continue;
        sator_warn(ctx, mention->loc, "'%s' has no tensor '%s'", network->name, mention->name);
        sator_help(ctx, "did you mean '%s'?", meant);
    }
}

static bool is_limited(const struct sator_memory *memory, const char *tensor)
{
    for (int c = 0; c < memory->n_capacities; c++) {
        if (memory->capacities[c].tensor == NULL ||
                strcmp(memory->capacities[c].tensor, tensor) == 0)
            return true;
    }
    return false;
}

/* A memory that limits tensors one by one holds any number of words of those that are not among
 * them: seldom what is meant. */
static void warn_of_unlimited(
        struct sator_ctx *ctx, const struct sator_level *level, const struct names *names)
{
    const struct sator_memory *memory = &level->memory;
    struct sator_text unlimited = {0};

    for (int i = 0; i < names->n && memory->n_capacities > 0; i++) {
        if (sator_memory_holds(memory, names->names[i]) && !is_limited(memory, names->names[i]))
            add_quoted(&unlimited, names->names[i]);
    }
    if (unlimited.length > 0) {
        sator_warn(ctx, level->loc,
                "memory '%s' limits tensors by name, but not %s: any number of words fits",
                level->name, unlimited.data);
        sator_help(
                ctx, "a capacity that is one number is for all tensors without one of their own");
    }
    sator_text_clear(&unlimited);
}

static void warn_of_capacities(
        struct sator_ctx *ctx, const struct sator_arch *arch, const struct names *names)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            warn_of_unlimited(ctx, &arch->levels[i], names);
    }
}

static bool has_role(const struct sator_network *network, const char *tensor, enum sator_role role)
{
    for (int i = 0; i < network->n_layers; i++) {
        const struct sator_workload *layer = &network->layers[i];
        for (int k = 0; k < layer->n_accesses; k++) {
            if (layer->accesses[k].role == role && strcmp(layer->accesses[k].tensor, tensor) == 0)
                return true;
        }
    }
    return false;
}

/* A bus carries what is read and a tree what is written: one that is for tensors by name, and for
 * none in its role, carries nothing of this network. Silent about tensors that are not here: the
 * file serves other workloads, too. */
static void warn_of_idle(
        struct sator_ctx *ctx, const struct sator_network *network, const struct sator_bus *bus)
{
    enum sator_role role = bus->is_reduction ? SATOR_WRITE : SATOR_READ;
    const char *other = NULL;

    for (int t = 0; t < bus->n_tensors; t++) {
        if (has_role(network, bus->tensors[t], role))
            return;
        if (other == NULL &&
                has_role(network, bus->tensors[t], role == SATOR_READ ? SATOR_WRITE : SATOR_READ))
            other = bus->tensors[t];
    }
    if (other == NULL)
        return;
    sator_warn(ctx, bus->tensors_loc, "%s '%s' has no effect: '%s' only %s '%s'",
            bus->is_reduction ? "reduction tree" : "multicast", bus->name, network->name,
            bus->is_reduction ? "reads" : "writes", other);
    sator_help(ctx, "%s",
            bus->is_reduction ? "a tree adds up what PEs write; what they read is for 'multicast'"
                              : "a bus spreads what PEs read; what they write is for 'reduction'");
}

static void warn_of_idle_buses(
        struct sator_ctx *ctx, const struct sator_network *network, const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_array *array = &arch->levels[i].array;
        for (int k = 0; arch->levels[i].kind == SATOR_LEVEL_ARRAY && k < array->n_buses; k++)
            warn_of_idle(ctx, network, &array->buses[k]);
    }
}

static bool gates(int n_gates, const struct sator_gate *gates, const char *tensor)
{
    for (int g = 0; g < n_gates; g++) {
        if (sator_lists(tensor, gates[g].n_zeros, gates[g].zeros))
            return true;
    }
    return false;
}

static bool is_gated(const struct sator_arch *arch, const char *tensor)
{
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        if ((level->kind == SATOR_LEVEL_MEMORY &&
                    gates(level->memory.n_gates, level->memory.gates, tensor)) ||
                (level->kind == SATOR_LEVEL_COMPUTE &&
                        (gates(level->compute.n_gates, level->compute.gates, tensor) ||
                                gates(level->compute.n_skips, level->compute.skips, tensor))))
            return true;
    }
    return false;
}

/* Zeros of a tensor that no level of the machine gates save nothing. */
static void warn_of_densities(
        struct sator_ctx *ctx, const struct sator_network *network, const struct sator_arch *arch)
{
    for (int i = 0; i < network->n_layers; i++) {
        const struct sator_workload *layer = &network->layers[i];
        for (int k = 0; k < layer->n_accesses; k++) {
            const struct sator_access *access = &layer->accesses[k];
            if (!access->says_density || is_gated(arch, access->tensor))
                continue;
            sator_warn(ctx, sator_access_loc(layer, access),
                    "the density of '%s' has no effect: no level of '%s' gates its zeros",
                    access->tensor, arch->name);
            sator_help(ctx, "a memory or the compute level says so with 'gating'");
            return;
        }
    }
}

enum sator_status sator_tensors_check(struct sator_ctx *ctx, const struct sator_network *network,
        const struct sator_arch *arch, bool may_warn)
{
    struct names names = names_of(network);
    enum sator_status st = SATOR_OK;

    for (int i = 0; i < arch->n_mentions; i++) {
        const struct sator_tensor_mention *mention = &arch->mentions[i];
        if (!is_typed(mention) || has(&names, mention->name))
            continue;
        st = sator_error(
                ctx, mention->loc, "'%s' has no tensor '%.80s'", network->name, mention->name);
        sator_help_names(ctx, mention->name, names.names, names.n);
    }
    if (may_warn) {
        if (!warn_of_names(ctx, network, arch, &names))
            warn_of_capacities(ctx, arch, &names);
        warn_of_case(ctx, network, arch, &names);
        warn_of_idle_buses(ctx, network, arch);
        warn_of_densities(ctx, network, arch);
    }
    free(names.names);
    return st;
}

enum sator_status sator_check_tensors(
        struct sator_ctx *ctx, const struct sator_network *network, const struct sator_arch *arch)
{
    SATOR_NEEDS(ctx, network != NULL && arch != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    return sator_tensors_check(ctx, network, arch, true);
}
