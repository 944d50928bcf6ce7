#include "arch/arch.h"

int sator_arch_space_dims(const struct sator_arch *arch)
{
    int n_dims = 0;

    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_ARRAY)
            n_dims += arch->levels[i].array.n_dims;
    }
    return n_dims;
}

void sator_arch_shape(const struct sator_arch *arch, int64_t *shape)
{
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++)
            *shape++ = level->array.shape[d];
    }
}
