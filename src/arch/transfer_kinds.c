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

/* When words of "tensor" move, as the memory itself says. */
static enum sator_transfer_kind said_of(const struct sator_level *level, const char *tensor)
{
    const struct sator_transfers *said = &level->memory.transfers;

    for (int i = 0; i < said->n_tensors; i++) {
        if (strcmp(said->tensors[i].tensor, tensor) == 0)
            return said->tensors[i].kind;
    }
    return said->others;
}

static bool waits(const struct sator_arch *arch, const struct sator_level *level)
{
    return !level->memory.overlaps && level == sator_arch_scratchpad(arch);
}

enum sator_transfer_kind sator_memory_transfers(const struct sator_arch *arch,
        const struct sator_level *level, const char *tensor, bool all_time)
{
    enum sator_transfer_kind said = said_of(level, tensor);

    if (said != SATOR_TRANSFER_UNSAID)
        return said;
    if (waits(arch, level))
        return SATOR_TRANSFER_SERIAL;
    return all_time ? SATOR_TRANSFER_STREAMED : SATOR_TRANSFER_OVERLAPPED;
}

enum sator_transfer_kind sator_transfers_between(const struct sator_arch *arch,
        const struct sator_level *holder, const struct sator_level *level, const char *tensor,
        bool all_time)
{
    bool is_serial = holder != NULL && waits(arch, holder);

    if (level == NULL)
        return is_serial ? SATOR_TRANSFER_SERIAL : SATOR_TRANSFER_STREAMED;
    return is_serial && said_of(level, tensor) == SATOR_TRANSFER_UNSAID
            ? SATOR_TRANSFER_SERIAL
            : sator_memory_transfers(arch, level, tensor, all_time);
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
