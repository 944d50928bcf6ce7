#include "arch/arch.h"

#include "base/text.h"

#include <math.h>

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

bool sator_serves(int n_tensors, const char *const *tensors, const char *tensor)
{
    return n_tensors == 0 || sator_lists(tensor, n_tensors, tensors);
}

bool sator_memory_holds(const struct sator_memory *memory, const char *tensor)
{
    return sator_serves(memory->n_tensors, memory->tensors, tensor) &&
            !sator_lists(tensor, memory->n_bypass, memory->bypass);
}

const struct sator_level *sator_arch_compute_level(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_COMPUTE)
            return &arch->levels[i];
    }
    return NULL;
}

double sator_arch_compute_cycles(const struct sator_arch *arch)
{
    const struct sator_level *compute = sator_arch_compute_level(arch);

    return compute == NULL ? 1 : compute->compute.cycles;
}

bool sator_arch_passes_through(const struct sator_arch *arch)
{
    for (int i = 0; i < arch->n_levels; i++) {
        if (arch->levels[i].kind == SATOR_LEVEL_ARRAY && arch->levels[i].array.pass_through)
            return true;
    }
    return false;
}

bool sator_array_limits_wires(const struct sator_array *array)
{
    bool any = false;

    for (int i = 0; i < array->n_links; i++)
        any |= !isnan(array->links[i].bandwidth_bits);
    for (int i = 0; i < array->n_buses; i++)
        any |= !isnan(array->buses[i].bandwidth_bits);
    return any;
}

double sator_arch_level_area(const struct sator_arch *arch, int level)
{
    const struct sator_level *wanted = &arch->levels[level];
    double instances = 1;

    for (int i = 0; i < level; i++) {
        const struct sator_array *array = &arch->levels[i].array;
        for (int d = 0; arch->levels[i].kind == SATOR_LEVEL_ARRAY && d < array->n_dims; d++)
            instances *= (double)array->shape[d];
    }
    return wanted->kind == SATOR_LEVEL_ARRAY     ? 0
            : wanted->kind == SATOR_LEVEL_MEMORY ? instances * wanted->memory.area_um2.value
                                                 : instances * wanted->compute.area_um2.value;
}

double sator_arch_area(const struct sator_arch *arch)
{
    double area = 0;

    for (int i = 0; i < arch->n_levels; i++)
        area += sator_arch_level_area(arch, i);
    return area;
}

static const struct sator_bind_level *bind_levels(
        struct sator_arena *arena, const struct sator_arch *arch)
{
    struct sator_bind_level *levels =
            SATOR_NEW_ARRAY(arena, struct sator_bind_level, arch->n_levels + 1);

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        levels[i] = (struct sator_bind_level){.name = level->name,
                .is_memory = level->kind == SATOR_LEVEL_MEMORY,
                .n_dims = level->kind == SATOR_LEVEL_ARRAY ? level->array.n_dims : 0,
                .shape = level->array.shape};
    }
    return levels;
}

enum sator_status sator_arch_bind(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_workload *workload, const struct sator_bound_dataflow **bound)
{
    return sator_dataflow_bind(
            ctx, arena, dataflow, workload, arch->n_levels, bind_levels(arena, arch), bound);
}

enum sator_status sator_arch_check_names(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_arch *arch, const struct sator_dataflow *dataflow,
        const struct sator_workload *workload)
{
    return sator_dataflow_check_names(
            ctx, arena, dataflow, workload, arch->n_levels, bind_levels(arena, arch));
}
