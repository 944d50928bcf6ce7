/* When the words of a memory move, as far as the architecture says (doc/model.md, section 7). */
#include "arch/arch.h"

#include <string.h>

const struct sator_level *sator_arch_scratchpad(const struct sator_arch *arch)
{
    const struct sator_level *scratchpad = NULL;

    for (int i = 0; i < arch->n_levels && arch->levels[i].kind == SATOR_LEVEL_MEMORY; i++)
        scratchpad = &arch->levels[i];
    return scratchpad;
}

enum sator_transfer_kind sator_memory_transfers(const struct sator_arch *arch,
        const struct sator_level *level, const char *tensor, bool all_time)
{
    const struct sator_transfers *said = &level->memory.transfers;

    for (int i = 0; i < said->n_tensors; i++) {
        if (strcmp(said->tensors[i].tensor, tensor) == 0)
            return said->tensors[i].kind;
    }
    if (said->others != SATOR_TRANSFER_UNSAID)
        return said->others;
    if (!level->memory.overlaps && level == sator_arch_scratchpad(arch))
        return SATOR_TRANSFER_SERIAL;
    return all_time ? SATOR_TRANSFER_STREAMED : SATOR_TRANSFER_OVERLAPPED;
}

const char *sator_transfer_name(enum sator_transfer_kind kind)
{
    static const char *const names[] = {"", "serial", "overlapped", "streamed"};

    return names[kind];
}

const struct sator_level *sator_arch_holds_idle(const struct sator_arch *arch)
{
    bool in_array = false;

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        in_array |= level->kind == SATOR_LEVEL_ARRAY;
        if (in_array && level->kind == SATOR_LEVEL_MEMORY && level->memory.holds_idle)
            return level;
    }
    return NULL;
}
