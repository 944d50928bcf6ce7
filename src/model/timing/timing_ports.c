/* The ports of an analysis that have a bandwidth (doc/model.md, section 7): lanes of memories, and
 * wires. */
#include "model/timing/timing.h"

#include "base/checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of the architecture ---- */

bool timing_read_ratio(double value, sator_int *over, sator_int *under)
{
    char digits[40];
    int64_t whole = 0, scale = 1;
    int exponent = 0, precision = 1;

    if (value >= 0 && value < (double)(INT64_C(1) << 53) && value == (double)(int64_t)value) {
        *over = (int64_t)value;
        *under = 1;
        return true;
    }
    do
        snprintf(digits, sizeof digits, "%.*e", precision - 1, value);
    while (strtod(digits, NULL) != value && precision++ < 17);
    for (const char *c = digits; *c != 'e'; c++) {
        if (*c == '.')
            continue;
        whole = whole * 10 + (*c - '0');
        exponent -= strchr(digits, '.') != NULL && c > strchr(digits, '.');
    }
    exponent += atoi(strchr(digits, 'e') + 1);
    for (int i = 0; i < abs(exponent); i++) {
        if (__builtin_mul_overflow(scale, 10, &scale) || scale > (INT64_C(1) << 60))
            return false;
    }
    if (exponent > 0 && (__builtin_mul_overflow(whole, scale, &whole)))
        return false;
    int64_t down = exponent < 0 ? scale : 1, common = sator_gcd(whole, down);
    *over = whole / common;
    *under = down / common;
    return true;
}

/* ---- ports ---- */

static bool list_memory_ports(struct timing *timing)
{
    const struct analysis *analysis = timing->analysis;
    bool fits = true;

    for (int m = 0; m < analysis->n_memories; m++) {
        const struct model_level *named = analysis->memories[m].named;
        for (int k = 0; k < named->n_lanes; k++) {
            const struct sator_lane *lane = &named->lanes[k];
            struct timing_port port = {.name = lane->name,
                    .memory = m,
                    .lane = k,
                    .setup = lane->burst.setup_cycles,
                    .granule = lane->burst.granule_bits > 1 ? lane->burst.granule_bits : 1};
            if (isnan(lane->bits))
                continue;
            fits = fits && timing_read_ratio(lane->bits, &port.bits, &port.cycles);
            SATOR_PUSH(timing->arena, timing->ports, timing->n_ports, port);
        }
    }
    return fits;
}

static bool add_wires(struct timing *timing, const struct sator_level *array, const char *name,
        const void *declared, const struct sator_widths *widths, double bandwidth)
{
    struct timing_port port = {.memory = -1,
            .lane = -1,
            .declared = declared,
            .widths = widths,
            .array = array,
            .granule = 1};

    if (isnan(bandwidth))
        return true;
    port.name = sator_arena_printf(timing->analysis->arena, "%s.%s", array->name, name);
    bool fits = timing_read_ratio(bandwidth, &port.bits, &port.cycles);
    SATOR_PUSH(timing->arena, timing->ports, timing->n_ports, port);
    return fits;
}

/* The links, buses and trees that have a bandwidth: of one wire, bus or tree. */
static bool list_wire_ports(struct timing *timing)
{
    const struct sator_arch *arch = timing->analysis->arch;
    bool fits = true;

    for (int l = 0; l < arch->n_levels; l++) {
        const struct sator_array *array = &arch->levels[l].array;
        if (arch->levels[l].kind != SATOR_LEVEL_ARRAY)
            continue;
        for (int i = 0; i < array->n_links; i++)
            fits &= add_wires(timing, &arch->levels[l], array->links[i].name, &array->links[i],
                    &array->links[i].widths, array->links[i].bandwidth_bits);
        for (int i = 0; i < array->n_buses; i++)
            fits &= add_wires(timing, &arch->levels[l], array->buses[i].name, &array->buses[i],
                    &array->buses[i].widths, array->buses[i].bandwidth_bits);
    }
    return fits;
}

struct timing_use timing_use_of_memory(
        const struct timing *timing, int memory, int access, bool writes, sator_int words)
{
    const char *tensor = timing->analysis->workload->accesses[access].tensor;

    for (int q = 0; memory >= 0 && q < timing->n_ports; q++) {
        const struct timing_port *port = &timing->ports[q];
        const struct memory *own = &timing->analysis->memories[memory];
        if (port->memory == memory &&
                sator_lane_serves(
                        &own->level->memory, &own->named->lanes[port->lane], tensor, writes))
            return (struct timing_use){
                    .port = q, .bits = own->named->word_bits[access], .words = words};
    }
    return (struct timing_use){.port = -1};
}

struct timing_use timing_use_of_wires(
        const struct timing *timing, int access, const void *declared, sator_int words)
{
    const struct sator_access *what = &timing->analysis->workload->accesses[access];
    const struct sator_arch *arch = timing->analysis->arch;
    struct timing_use use = {.port = -1, .words = words};

    for (int q = 0; q < timing->n_ports; q++) {
        if (timing->ports[q].declared == declared)
            use.port = q;
    }
    if (use.port < 0)
        return use;
    use.bits = sator_width_of(timing->ports[use.port].widths, what->tensor, what->word_bits);
    for (int l = 0; &arch->levels[l] != timing->ports[use.port].array; l++)
        use.first_dims +=
                arch->levels[l].kind == SATOR_LEVEL_ARRAY ? arch->levels[l].array.n_dims : 0;
    use.dims = timing->ports[use.port].array->array.n_dims;
    return use;
}

bool timing_list_ports(struct timing *timing)
{
    return list_memory_ports(timing) && list_wire_ports(timing);
}

/* ---- whole cycles ---- */

/* Let "*words" be a multiple of "by / gcd(by, of)", so that so many times "of" are one of "by". */
static void fill_up(sator_int by, sator_int of, int64_t *words)
{
    const int64_t most = INT64_C(1) << 20;

    if (by > INT64_MAX || of > INT64_MAX || *words > most) {
        *words = INT64_MAX >> 20;
        return;
    }
    int64_t factor = (int64_t)by / sator_gcd((int64_t)by, (int64_t)of);
    factor /= sator_gcd(factor, *words);
    *words = factor > most / *words ? INT64_MAX >> 20 : *words * factor;
}

/* The bits of an access's word at a port; 0: none passes it. */
static int bits_of(const struct timing *timing, const struct timing_port *port, int access)
{
    const struct sator_access *what = &timing->analysis->workload->accesses[access];

    if (port->memory < 0)
        return sator_width_of(port->widths, what->tensor, what->word_bits);
    const struct memory *memory = &timing->analysis->memories[port->memory];
    const struct sator_lane *lane = &memory->named->lanes[port->lane];
    bool serves = sator_lane_serves(&memory->level->memory, lane, what->tensor, false) ||
            sator_lane_serves(&memory->level->memory, lane, what->tensor, true);
    return serves ? memory->named->word_bits[access] : 0;
}

int64_t timing_whole_words(const struct timing *timing)
{
    int64_t words = 1;

    fill_up(timing->per_cycles, timing->cycles, &words);
    for (int q = 0; q < timing->n_ports; q++) {
        const struct timing_port *port = &timing->ports[q];
        for (int i = 0; i < timing->analysis->workload->n_accesses; i++) {
            int bits = bits_of(timing, port, i);
            if (bits == 0)
                continue;
            fill_up(port->granule, bits, &words);
            fill_up(port->bits, (port->granule > 1 ? port->granule : bits) * port->cycles, &words);
            fill_up(port->bits, bits * port->cycles, &words);
        }
    }
    return words;
}
