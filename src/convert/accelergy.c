/* Energies and areas as Accelergy's reference tables: a word of the machine moved, as timeloop.c
 * has it beside them, and an operation. */
#include "convert/convert.h"

#include <math.h>

static int64_t instances(const struct sator_arch *arch, int level)
{
    int64_t many = 1;

    for (int i = 0; i < level; i++) {
        for (int d = 0;
                arch->levels[i].kind == SATOR_LEVEL_ARRAY && d < arch->levels[i].array.n_dims; d++)
            many *= arch->levels[i].array.shape[d];
    }
    return many;
}

/* "energy" of a word of "bits" bits: the component's own, as the table is read back. */
static void write_action(
        struct convert *c, const char *name, const struct sator_energy *energy, int bits)
{
    double pj = energy->pj * bits / energy->bits;

    if (isnan(energy->pj))
        return;
    sator_text_add(c->text, "    - {name: %s, arguments: {}, energy: %.15g}\n", name, pj);
}

static void write_table(struct convert *c, int i)
{
    const struct sator_level *level = &c->arch->levels[i];
    const struct sator_memory *memory = &level->memory;

    if (level->kind == SATOR_LEVEL_ARRAY)
        return;
    if (level->kind == SATOR_LEVEL_MEMORY ? isnan(memory->read.pj) && isnan(memory->write.pj)
                                          : isnan(level->compute.energy_pj.value)) {
        convert_unsaid(c,
                sator_arena_printf(
                        c->arena, "%s, whose energies are not given as one", level->name));
        return;
    }
    const char *name = sator_arena_printf(c->arena, "%s.%s[1..%lld]", c->arch->name, level->name,
            (long long)instances(c->arch, i));
    sator_text_put(c->text, "  - name: ");
    if (sator_text_is_plain_yaml(c->arch->name))
        sator_text_put(c->text, name);
    else
        sator_text_add_yaml(c->text, name);
    sator_text_put(c->text, "\n");
    if (level->kind == SATOR_LEVEL_MEMORY)
        sator_text_add(c->text, "    # words of %d bits\n", convert_word_bits(c, memory));
    sator_text_put(c->text, "    actions:\n");
    if (level->kind == SATOR_LEVEL_COMPUTE) {
        sator_text_add(c->text, "    - {name: compute, arguments: {}, energy: %.15g}\n",
                level->compute.energy_pj.value);
        return;
    }
    int bits = convert_word_bits(c, memory);
    write_action(c, "read", &memory->read, bits);
    write_action(c, "write", &memory->write, bits);
    write_action(c, "update", &memory->write, bits);
    if (!isnan(memory->leakage_pj.value))
        sator_text_add(c->text, "    - {name: leak, arguments: {}, energy: %.15g}\n",
                memory->leakage_pj.value);
}

void convert_to_accelergy(struct convert *c)
{
    if (c->arch == NULL) {
        sator_error(c->ctx, (struct sator_loc){0},
                "accelergy's tables are of an architecture: give one");
        return;
    }
    sator_text_put(c->text, "ERT:\n  version: '0.4'\n  tables:\n");
    for (int i = 0; i < c->arch->n_levels; i++)
        write_table(c, i);
    convert_unsaid_machine(c);
    if (c->network != NULL || c->dataflow != NULL)
        convert_unsaid(c, "all but the architecture");
}
