/* "control" of architectures (doc/formats.md, architecture). */
#include "frontend/yaml/yaml_arch.h"

#include <math.h>
#include <string.h>

enum {
    MOST_INSTRUCTION_BITS = 1 << 20
};

static int outermost(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_MEMORY)
            return i;
    }
    return -1;
}

/* The memory level that "node" names; -1 with a message. */
static int read_from(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        const struct sator_arch *arch)
{
    const char **names = SATOR_NEW_ARRAY(reader->scratch, const char *, arch->n_levels + 1);
    const char *name;
    int n_names = 0;

    if (!sator_yaml_string(reader, node, "from", &name))
        return -1;
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind != SATOR_LEVEL_MEMORY)
            continue;
        if (strcmp(arch->levels[i].name, name) == 0)
            return i;
        names[n_names++] = arch->levels[i].name;
    }
    sator_error(reader->ctx, node->loc, "instructions are read from a memory; '%s' is none",
            sator_yaml_clip(reader->scratch, name));
    sator_help_names(reader->ctx, name, names, n_names);
    return -1;
}

void sator_yaml_control(struct sator_yaml_reader *reader, const struct sator_yaml_node *node,
        struct sator_arch *arch)
{
    static const char *const keys[] = {
            "instruction_bits", "from", "energy_pj", "reorder", "source"};
    struct sator_control *control = &arch->control;
    int64_t bits;

    *control = (struct sator_control){.from = -1, .instruction_pj = {.value = NAN}};
    if (node == NULL || !sator_yaml_is(reader, node, SATOR_YAML_MAP, "control"))
        return;
    sator_yaml_check_keys(reader, node, "control", keys, SATOR_YAML_COUNT(keys));
    const char *source = sator_yaml_source(reader, node, NULL);
    const struct sator_yaml_node *width =
            sator_yaml_need(reader, node, "control", "instruction_bits");
    const struct sator_yaml_node *from = sator_yaml_get(reader, node, "from");
    const struct sator_yaml_node *energy = sator_yaml_get(reader, node, "energy_pj");
    const struct sator_yaml_node *reorder = sator_yaml_get(reader, node, "reorder");
    if (width != NULL &&
            sator_yaml_int(reader, width, "instruction_bits", 1, MOST_INSTRUCTION_BITS, &bits))
        control->instruction_bits = (int)bits;
    sator_yaml_figure(reader, energy, "energy_pj", source, &control->instruction_pj);
    if (reorder != NULL)
        sator_yaml_bool(reader, reorder, "reorder", &control->reorders);
    if (from != NULL && energy != NULL)
        sator_error(reader->ctx, from->loc, "'energy_pj' says already what an instruction costs");
    else if (from != NULL)
        control->from = read_from(reader, from, arch);
    else if (energy == NULL)
        control->from = outermost(arch);
    if (outermost(arch) < 0)
        sator_error(reader->ctx, node->loc,
                "control is about transfers from and to the outermost memory, and there is none");
}
