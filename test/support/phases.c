#include "support/phases.h"

#include "arch/arch.h"
#include "oracle/run.h"

#include <math.h>
#include <stdio.h>

static enum sator_transfer_kind any_kind(struct random *random)
{
    return (enum sator_transfer_kind)random_below(random, 4);
}

static struct sator_burst any_burst(struct random *random)
{
    struct sator_burst burst = {0, 0};

    if (random_chance(random, 30))
        burst.setup_cycles = random_below(random, 9);
    if (random_chance(random, 30))
        burst.granule_bits = 1 + random_below(random, 80);
    return burst;
}

static double any_bandwidth(struct random *random, double bits)
{
    static const double some[] = {8, 12, 22.5, 0.7, 64, 3};

    return random_chance(random, 40) ? some[random_below(random, 6)] : bits;
}

static void draw_memory(struct random *random, struct sator_memory *memory)
{
    struct sator_port *ports = (struct sator_port *)(uintptr_t)memory->ports;

    memory->transfers.others = any_kind(random);
    memory->burst = any_burst(random);
    memory->read_bits = any_bandwidth(random, memory->read_bits);
    memory->write_bits = any_bandwidth(random, memory->write_bits);
    for (int p = 0; p < memory->n_ports; p++) {
        ports[p].burst = any_burst(random);
        ports[p].read_bits = any_bandwidth(random, ports[p].read_bits);
        ports[p].write_bits = ports[p].is_shared ? ports[p].read_bits
                                                 : any_bandwidth(random, ports[p].write_bits);
    }
}

void phases_draw(uint64_t seed, struct sator_arch *arch)
{
    struct sator_level *levels = (struct sator_level *)(uintptr_t)arch->levels;
    struct random random = {seed};

    for (int l = 0; l < arch->n_levels; l++) {
        struct sator_array *array = &levels[l].array;
        struct sator_link *links = (struct sator_link *)(uintptr_t)array->links;
        struct sator_bus *buses = (struct sator_bus *)(uintptr_t)array->buses;
        if (levels[l].kind == SATOR_LEVEL_MEMORY)
            draw_memory(&random, &levels[l].memory);
        for (int i = 0; levels[l].kind == SATOR_LEVEL_ARRAY && i < array->n_links; i++)
            links[i].bandwidth_bits = any_bandwidth(&random, NAN);
        for (int i = 0; levels[l].kind == SATOR_LEVEL_ARRAY && i < array->n_buses; i++)
            buses[i].bandwidth_bits = any_bandwidth(&random, NAN);
        if (levels[l].kind == SATOR_LEVEL_COMPUTE && random_chance(&random, 20))
            levels[l].compute.cycles = 0.75 * (double)(1 + random_below(&random, 4));
    }
}

static void print_burst(const char *name, double bits, const struct sator_burst *burst)
{
    printf("#   %s: bandwidth %g, setup_cycles %lld, granule_bits %lld\n", name, bits,
            (long long)burst->setup_cycles, (long long)burst->granule_bits);
}

void phases_print(const struct sator_arch *arch)
{
    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_level *level = &arch->levels[l];
        const struct sator_memory *memory = &level->memory;
        if (level->kind == SATOR_LEVEL_COMPUTE)
            printf("# %s: cycles %g\n", level->name, level->compute.cycles);
        for (int i = 0; level->kind == SATOR_LEVEL_ARRAY && i < level->array.n_links; i++)
            printf("# %s: bandwidth %g\n", level->array.links[i].name,
                    level->array.links[i].bandwidth_bits);
        for (int i = 0; level->kind == SATOR_LEVEL_ARRAY && i < level->array.n_buses; i++)
            printf("# %s: bandwidth %g\n", level->array.buses[i].name,
                    level->array.buses[i].bandwidth_bits);
        if (level->kind != SATOR_LEVEL_MEMORY)
            continue;
        printf("# %s: transfers %s\n", level->name, sator_transfer_name(memory->transfers.others));
        print_burst("reads", memory->read_bits, &memory->burst);
        print_burst("writes", memory->write_bits, &memory->burst);
        for (int p = 0; p < memory->n_ports; p++) {
            print_burst(memory->ports[p].name, memory->ports[p].read_bits, &memory->ports[p].burst);
            print_burst("  writes", memory->ports[p].write_bits, &memory->ports[p].burst);
        }
    }
}
