/* Machines as the YAML files that a user would write. */
#include "oracle/hardware_make.h"
#include "oracle/notation.h"

#include <inttypes.h>

static const char *const loop_names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
static const char *const dim_names[] = {"a", "b", "c", "d"};

static void put_tensors(
        FILE *out, const struct hardware *hardware, const char *key, unsigned tensors)
{
    const char *separator = "";

    fprintf(out, "%s: [", key);
    for (int t = 0; t < hardware->program.n_tensors; t++)
        if ((tensors >> t & 1) != 0) {
            fprintf(out, "%s%s", separator, notation_tensor(t));
            separator = ", ";
        }
    fputs("]", out);
}

void hardware_put_workload(FILE *out, const struct hardware *hardware)
{
    const struct oracle_program *program = &hardware->program;

    notation_workload(out, program, notation_is_einsum(program));
    fputs("word_bits: {", out);
    for (int a = 0; a < program->n_accesses; a++) {
        int tensor = program->accesses[a].tensor;
        fprintf(out, "%s%s: %d", a > 0 ? ", " : "", notation_tensor(tensor),
                hardware->word_bits[tensor]);
    }
    fputs("}\n", out);
}

/* ---- memories ---- */

static void put_bandwidth(FILE *out, const int64_t *bandwidth)
{
    if (bandwidth[0] > 0 && bandwidth[0] == bandwidth[1])
        fprintf(out, "bandwidth_bits: %" PRId64, bandwidth[0]);
    else if (bandwidth[0] > 0 && bandwidth[1] > 0)
        fprintf(out, "bandwidth_bits: {read: %" PRId64 ", write: %" PRId64 "}", bandwidth[0],
                bandwidth[1]);
    else
        fprintf(out, "bandwidth_bits: {%s: %" PRId64 "}", bandwidth[0] > 0 ? "read" : "write",
                bandwidth[0] + bandwidth[1]);
}

static void put_ports(
        FILE *out, const struct hardware *hardware, const struct hardware_level *memory)
{
    static const char *const directions[] = {"read", "write", "both", "shared"};

    for (int p = 0; p < memory->n_ports; p++) {
        const struct hardware_port *port = &memory->ports[p];
        fprintf(out, "%s      - {name: port%d", p == 0 ? "    ports:\n" : "", p);
        if (port->tensors != 0)
            put_tensors(out, hardware, ", tensors", port->tensors);
        if (port->direction != HARDWARE_BOTH)
            fprintf(out, ", direction: %s", directions[port->direction]);
        if (port->bandwidth[0] + port->bandwidth[1] > 0) {
            fputs(", ", out);
            put_bandwidth(out, port->bandwidth);
        }
        fputs("}\n", out);
    }
}

static void put_capacity(
        FILE *out, const struct hardware *hardware, const struct hardware_level *memory)
{
    const char *separator = "";

    if (memory->capacity == HARDWARE_UNLIMITED)
        return;
    if (memory->capacity == HARDWARE_EACH) {
        fputs("    capacity_words: {", out);
        for (int t = 0; t < hardware->program.n_tensors; t++)
            if (memory->room_of[t] > 0) {
                fprintf(out, "%s%s: %" PRId64, separator, notation_tensor(t), memory->room_of[t]);
                separator = ", ";
            }
        fputs("}\n", out);
    } else {
        fprintf(out, "    capacity_%s: %" PRId64 "\n",
                memory->capacity == HARDWARE_WORDS ? "words" : "bytes", memory->room);
    }
    if (memory->is_double_buffered)
        fputs("    double_buffered: true\n", out);
}

static void put_holds(FILE *out, const struct hardware *hardware, int level)
{
    bool in_array = false;

    for (int l = 0; l < level; l++)
        in_array = in_array || hardware->levels[l].is_array;
    if (in_array && hardware->levels[level].holds_idle)
        fputs("    holds: idle\n", out);
}

static void put_energy(FILE *out, const struct hardware_energy *energy)
{
    fprintf(out, "read: %" PRId64 ", write: %" PRId64 ", %s: %d", energy->pj[0], energy->pj[1],
            energy->is_row ? "row_bits" : "word_bits", energy->bits);
}

static void put_widths(
        FILE *out, const struct hardware *hardware, const struct hardware_level *level)
{
    const char *separator = "    word_bits: {";

    if (level->width > 0)
        fprintf(out, "    word_bits: %d\n", level->width);
    for (int t = 0; t < hardware->program.n_tensors; t++)
        if (level->width_of[t] > 0) {
            fprintf(out, "%s%s: %d", separator, notation_tensor(t), level->width_of[t]);
            separator = ", ";
        }
    fputs(*separator == ',' ? "}\n" : "", out);
}

static void put_memory(FILE *out, const struct hardware *hardware, int level)
{
    const struct hardware_level *memory = &hardware->levels[level];
    char name[HARDWARE_NAME];

    hardware_level_name(hardware, level, name);
    fprintf(out, "  - memory: %s\n    energy_pj: {", name);
    put_energy(out, &memory->energy);
    if (memory->own_tensor >= 0) {
        fprintf(out, ", tensors: {%s: {", notation_tensor(memory->own_tensor));
        put_energy(out, &memory->own_energy);
        fputs("}}", out);
    }
    fputs("}\n", out);
    put_widths(out, hardware, memory);
    put_holds(out, hardware, level);
    put_capacity(out, hardware, memory);
    if (memory->bandwidth[0] + memory->bandwidth[1] > 0) {
        fputs("    ", out);
        put_bandwidth(out, memory->bandwidth);
        fputs("\n", out);
    }
    put_ports(out, hardware, memory);
    if (memory->never != 0) {
        put_tensors(out, hardware, "    bypass", memory->never);
        fputs("\n", out);
    }
    if (memory->may_bypass != 0) {
        put_tensors(out, hardware, "    may_bypass", memory->may_bypass);
        fputs("\n", out);
    }
    if (!memory->overlaps)
        fputs("    overlaps: false\n", out);
}

/* ---- arrays ---- */

static void put_coordinates(FILE *out, const char *array, int n_dims, const int64_t *offsets)
{
    fprintf(out, "%s[", array);
    for (int d = 0; d < n_dims; d++) {
        fprintf(out, "%s%s", d > 0 ? ", " : "", dim_names[d]);
        if (offsets && offsets[d] != 0)
            fprintf(out, " %c %" PRId64, offsets[d] < 0 ? '-' : '+',
                    offsets[d] < 0 ? -offsets[d] : offsets[d]);
    }
    fputs("]", out);
}

static void put_served(FILE *out, const struct hardware *hardware, unsigned tensors)
{
    if (tensors != (1u << hardware->program.n_tensors) - 1)
        put_tensors(out, hardware, ", tensors", tensors);
    fputs(", energy_pj: 1}\n", out);
}

static void put_links(FILE *out, const struct hardware *hardware, int level)
{
    const struct hardware_level *array = &hardware->levels[level];
    char name[HARDWARE_NAME], own[HARDWARE_NAME];

    hardware_level_name(hardware, level, own);
    for (int l = 0; l < array->n_links; l++) {
        hardware_link_name(hardware, level, l, name);
        fprintf(out, "%s      - {name: %s, map: \"{ ", l == 0 ? "    links:\n" : "", name);
        for (int s = 0; s < array->links[l].n_steps; s++) {
            fputs(s > 0 ? "; " : "", out);
            put_coordinates(out, own, array->n_dims, NULL);
            fputs(" -> ", out);
            put_coordinates(out, own, array->n_dims, array->links[l].steps[s]);
        }
        fprintf(out, " }\", interval: %d", array->links[l].interval);
        put_served(out, hardware, array->links[l].tensors);
    }
}

static void put_buses(FILE *out, const struct hardware *hardware, int level, bool is_reduction)
{
    const struct hardware_level *array = &hardware->levels[level];
    char name[HARDWARE_NAME], own[HARDWARE_NAME];
    bool is_first = true;

    hardware_level_name(hardware, level, own);
    for (int b = 0; b < array->n_buses; b++) {
        const struct hardware_bus *bus = &array->buses[b];
        if (bus->is_reduction != is_reduction)
            continue;
        if (is_first)
            fprintf(out, "    %s:\n", is_reduction ? "reduction" : "multicast");
        is_first = false;
        hardware_bus_name(hardware, level, b, name);
        fprintf(out, "      - {name: %s, map: \"{ ", name);
        put_coordinates(out, own, array->n_dims, NULL);
        fprintf(out, " -> %s[%s", is_reduction ? "TREE" : "BUS", bus->n_out == 0 ? "0" : "");
        for (int o = 0; o < bus->n_out; o++) {
            const char *dim = dim_names[bus->out[o].dim];
            fputs(o > 0 ? ", " : "", out);
            if (bus->out[o].divisor == 1)
                fputs(dim, out);
            else if (bus->out[o].is_remainder)
                fprintf(out, "%s %% %" PRId64, dim, bus->out[o].divisor);
            else
                fprintf(out, "floor(%s/%" PRId64 ")", dim, bus->out[o].divisor);
        }
        fputs("] }\"", out);
        put_served(out, hardware, bus->tensors);
    }
}

static void put_array(FILE *out, const struct hardware *hardware, int level)
{
    const struct hardware_level *array = &hardware->levels[level];
    char name[HARDWARE_NAME];

    hardware_level_name(hardware, level, name);
    fprintf(out, "  - array: %s\n    shape: [", name);
    for (int d = 0; d < array->n_dims; d++)
        fprintf(out, "%s%" PRId64, d > 0 ? ", " : "", array->shape[d]);
    fputs("]\n", out);
    put_widths(out, hardware, array);
    put_links(out, hardware, level);
    put_buses(out, hardware, level, false);
    put_buses(out, hardware, level, true);
}

void hardware_put_arch(FILE *out, const struct hardware *hardware)
{
    fputs("name: random\nlevels:\n", out);
    for (int level = 0; level < hardware->n_levels; level++)
        if (hardware->levels[level].is_array)
            put_array(out, hardware, level);
        else
            put_memory(out, hardware, level);
    fprintf(out, "  - {compute: mac, energy_pj: 1, cycles: %" PRId64 "}\n", hardware->cycles);
}

/* ---- dataflows ---- */

static void put_loops(FILE *out, const struct hardware *hardware, int level, bool parallel)
{
    const char *separator = parallel ? "    parallel: [" : "    for: [";
    bool any = false;

    for (int e = 0; e < hardware->n_nest; e++) {
        const struct hardware_loop *loop = &hardware->nest[e];
        if (loop->level != level || (loop->dim >= 0) != parallel)
            continue;
        fprintf(out, "%s%s %" PRId64, separator, loop_names[loop->loop], loop->factor);
        if (parallel)
            fprintf(out, " -> %d", loop->dim);
        separator = ", ";
        any = true;
    }
    fputs(any ? "]\n" : "", out);
}

static void put_skew(FILE *out, const struct hardware_level *level)
{
    bool any = false;

    for (int d = 0; d < level->n_dims; d++)
        any |= level->skew[d] != 0;
    for (int d = 0; d < level->n_dims && any; d++)
        fprintf(out, "%s%" PRId64, d == 0 ? "    skew: [" : ", ", level->skew[d]);
    fputs(any ? "]\n" : "", out);
}

static void put_nest(FILE *out, const struct hardware *hardware)
{
    fputs("name: random\nloops:\n", out);
    for (int level = 0; level < hardware->n_levels; level++) {
        unsigned bypassed = hardware->levels[level].bypassed;
        bool is_used = bypassed != 0 || hardware->levels[level].joined != 0;
        char name[HARDWARE_NAME];
        for (int e = 0; e < hardware->n_nest; e++)
            is_used |= hardware->nest[e].level == level;
        if (!is_used)
            continue;
        hardware_level_name(hardware, level, name);
        fprintf(out, "  - at: %s\n", name);
        if (bypassed != 0) {
            put_tensors(out, hardware, "    bypass", bypassed);
            fputs("\n", out);
        }
        put_loops(out, hardware, level, false);
        put_loops(out, hardware, level, true);
        if (hardware->levels[level].joined != 0)
            fprintf(out, "    joined: %d\n",
                    hardware->levels[level].joined < 0 ? 0 : hardware->levels[level].joined);
        put_skew(out, &hardware->levels[level]);
    }
}

static void put_cuts(FILE *out, const struct hardware *hardware, const int *cuts)
{
    const char *separator = "cuts: {";

    for (int level = 0; level < hardware->n_levels; level++) {
        const struct hardware_level *memory = &hardware->levels[level];
        int cut = memory->is_array ? -1 : cuts ? cuts[level] : memory->cut;
        char name[HARDWARE_NAME];
        if (memory->is_array || (cut < 0 && memory->bypassed == 0))
            continue;
        hardware_level_name(hardware, level, name);
        fprintf(out, "%s%s: {", separator, name);
        if (cut >= 0)
            fprintf(out, "time: %d%s", cut, memory->bypassed != 0 ? ", " : "");
        if (memory->bypassed != 0)
            put_tensors(out, hardware, "bypass", memory->bypassed);
        fputs("}", out);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("}\n", out);
}

void hardware_put_dataflow(FILE *out, const struct hardware *hardware, const int *cuts)
{
    const struct notation_levels none = {.scratchpad_cut = -1, .local_cut = -1};

    if (hardware->n_nest > 0 && !cuts) {
        put_nest(out, hardware);
        return;
    }
    notation_dataflow(out, &hardware->program, &none, NOTATION_SATOR);
    put_cuts(out, hardware, cuts);
}

void hardware_put(FILE *out, const struct hardware *hardware)
{
    fputs("# workload.yaml\n", out);
    hardware_put_workload(out, hardware);
    fputs("# arch.yaml\n", out);
    hardware_put_arch(out, hardware);
    fputs("# dataflow.yaml\n", out);
    hardware_put_dataflow(out, hardware, NULL);
}
