/* Architectures as YAML texts in Sator's notation, which read back to the same thing. */
#include "base/text.h"
#include "frontend/frontend.h"
#include "frontend/yaml/yaml_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "KEY: 0.5", or with its source "KEY: {value: 0.5, source: ...}"; nothing when it is not known. */
static void write_figure(struct sator_text *text, const char *separator, const char *key,
        const struct sator_figure *figure)
{
    if (isnan(figure->value))
        return;
    sator_text_add(text, "%s%s: %s", separator, key, figure->source == NULL ? "" : "{value: ");
    yaml_write_number(text, figure->value);
    if (figure->source == NULL)
        return;
    sator_text_add(text, ", source: ");
    sator_text_add_yaml(text, figure->source);
    sator_text_add(text, "}");
}

/* The same of an energy, which is for a word of 16 bits unless it says. */
static void write_energy(struct sator_text *text, const char *separator, const char *key,
        const struct sator_energy *energy)
{
    bool is_usual = energy->bits == SATOR_USUAL_BITS && !energy->is_row;

    if (isnan(energy->pj))
        return;
    if (is_usual) {
        struct sator_figure figure = {energy->pj, energy->source};
        write_figure(text, separator, key, &figure);
        return;
    }
    sator_text_add(text, "%s%s: {value: ", separator, key);
    yaml_write_number(text, energy->pj);
    sator_text_add(text, ", %s: %d", energy->is_row ? "row_bits" : "word_bits", energy->bits);
    if (energy->source != NULL) {
        sator_text_add(text, ", source: ");
        sator_text_add_yaml(text, energy->source);
    }
    sator_text_add(text, "}");
}

static void write_directions(
        struct sator_text *text, const struct sator_energy *read, const struct sator_energy *write)
{
    write_energy(text, "", "read", read);
    write_energy(text, isnan(read->pj) ? "" : ", ", "write", write);
}

static void write_memory_energy(struct sator_text *text, const struct sator_memory *memory)
{
    bool any = !isnan(memory->read.pj) || !isnan(memory->write.pj);

    if (!any && memory->n_own_energies == 0)
        return;
    sator_text_add(text, ", energy_pj: {");
    write_directions(text, &memory->read, &memory->write);
    for (int i = 0; i < memory->n_own_energies; i++) {
        const struct sator_tensor_energy *own = &memory->own_energies[i];
        sator_text_add(text, i > 0 ? ", " : any ? ", tensors: {" : "tensors: {");
        sator_text_add_yaml_name(text, own->tensor);
        sator_text_add(text, ": {");
        write_directions(text, &own->read, &own->write);
        sator_text_add(text, "}");
    }
    sator_text_add(text, memory->n_own_energies > 0 ? "}}" : "}");
}

/* "word_bits" between "before" and "after". */
static void write_widths(struct sator_text *text, const struct sator_widths *widths,
        const char *after, const char *before)
{
    if (widths->bits > 0)
        sator_text_add(text, "%sword_bits: %d%s", before, widths->bits, after);
    for (int i = 0; i < widths->n_tensors; i++) {
        if (i == 0)
            sator_text_add(text, "%sword_bits: {", before);
        else
            sator_text_add(text, ", ");
        sator_text_add_yaml_name(text, widths->tensors[i].tensor);
        sator_text_add(text, ": %d", widths->tensors[i].bits);
    }
    if (widths->n_tensors > 0)
        sator_text_add(text, "}%s", after);
}

static void write_capacities(struct sator_text *text, const struct sator_memory *memory, bool bytes)
{
    const char *key = bytes ? "capacity_bytes" : "capacity_words";
    int n_own = 0;

    for (int i = 0; i < memory->n_capacities; i++) {
        const struct sator_capacity *c = &memory->capacities[i];
        double amount = bytes ? c->bytes : c->words;
        if (isnan(amount))
            continue;
        if (c->tensor == NULL) {
            sator_text_add(text, ", %s: %.0f", key, amount);
            continue;
        }
        if (n_own++ == 0)
            sator_text_add(text, ", %s: {", key);
        else
            sator_text_add(text, ", ");
        sator_text_add_yaml_name(text, c->tensor);
        sator_text_add(text, ": %.0f", amount);
    }
    if (n_own > 0)
        sator_text_add(text, "}");
}

/* "bandwidth_bits: {read: 64}", as far as it is given. */
static void write_bandwidth(struct sator_text *text, double read_bits, double write_bits)
{
    if (isnan(read_bits) && isnan(write_bits))
        return;
    sator_text_add(text, ", bandwidth_bits: {");
    if (!isnan(read_bits)) {
        sator_text_add(text, "read: ");
        yaml_write_number(text, read_bits);
    }
    if (!isnan(write_bits)) {
        sator_text_add(text, isnan(read_bits) ? "write: " : ", write: ");
        yaml_write_number(text, write_bits);
    }
    sator_text_add(text, "}");
}

static void write_burst(struct sator_text *text, const struct sator_burst *burst)
{
    if (burst->setup_cycles > 0)
        sator_text_add(text, ", setup_cycles: %lld", (long long)burst->setup_cycles);
    if (burst->granule_bits > 1)
        sator_text_add(text, ", granule_bits: %lld", (long long)burst->granule_bits);
}

static void write_ports(struct sator_text *text, const struct sator_memory *memory)
{
    for (int i = 0; i < memory->n_ports; i++) {
        const struct sator_port *port = &memory->ports[i];
        sator_text_add(text, i == 0 ? ", ports: [{name: " : ", {name: ");
        sator_text_add_yaml_name(text, port->name);
        yaml_write_names(text, "tensors", port->n_tensors, port->tensors);
        sator_text_add(text, ", direction: %s",
                port->is_shared         ? "shared"
                        : !port->writes ? "read"
                        : !port->reads  ? "write"
                                        : "both");
        if (port->is_shared && !isnan(port->read_bits)) {
            sator_text_add(text, ", bandwidth_bits: ");
            yaml_write_number(text, port->read_bits);
        } else if (!port->is_shared) {
            write_bandwidth(text, port->reads ? port->read_bits : NAN,
                    port->writes ? port->write_bits : NAN);
        }
        write_burst(text, &port->burst);
        sator_text_add(text, "}");
    }
    if (memory->n_ports > 0)
        sator_text_add(text, "]");
}

static void write_transfers(struct sator_text *text, const struct sator_transfers *transfers)
{
    if (transfers->others != SATOR_TRANSFER_UNSAID)
        sator_text_add(text, ", transfers: %s", sator_transfer_name(transfers->others));
    for (int i = 0; i < transfers->n_tensors; i++) {
        sator_text_add(text, i == 0 ? ", transfers: {" : ", ");
        sator_text_add_yaml_name(text, transfers->tensors[i].tensor);
        sator_text_add(text, ": %s", sator_transfer_name(transfers->tensors[i].kind));
    }
    if (transfers->n_tensors > 0)
        sator_text_add(text, "}");
}

/* "gating: {B: [A]}" of a memory, "gating: [A]" of a compute level. */
static void write_gates(struct sator_text *text, int n_gates, const struct sator_gate *gates)
{
    if (n_gates > 0 && gates[0].tensor == NULL) {
        yaml_write_names(text, "gating", gates[0].n_zeros, gates[0].zeros);
        return;
    }
    for (int i = 0; i < n_gates; i++) {
        sator_text_add(text, i == 0 ? ", gating: {" : ", ");
        sator_text_add_yaml_name(text, gates[i].tensor);
        for (int k = 0; k < gates[i].n_zeros; k++) {
            sator_text_add(text, k == 0 ? ": [" : ", ");
            sator_text_add_yaml_name(text, gates[i].zeros[k]);
        }
        sator_text_add(text, "]");
    }
    sator_text_add(text, n_gates > 0 ? "}" : "");
}

static void write_memory(struct sator_text *text, const struct sator_memory *memory)
{
    write_capacities(text, memory, true);
    write_capacities(text, memory, false);
    if (memory->double_buffered)
        sator_text_add(text, ", double_buffered: true");
    write_bandwidth(text, memory->read_bits, memory->write_bits);
    write_burst(text, &memory->burst);
    write_ports(text, memory);
    write_memory_energy(text, memory);
    write_widths(text, &memory->widths, "", ", ");
    write_figure(text, ", ", "leakage_pj", &memory->leakage_pj);
    if (isnan(memory->area_um2_per_byte.value))
        write_figure(text, ", ", "area_um2", &memory->area_um2);
    write_figure(text, ", ", "area_um2_per_byte", &memory->area_um2_per_byte);
    yaml_write_names(text, "tensors", memory->n_tensors, memory->tensors);
    yaml_write_names(text, "bypass", memory->n_bypass, memory->bypass);
    yaml_write_names(text, "may_bypass", memory->n_may_bypass, memory->may_bypass);
    if (!memory->overlaps)
        sator_text_add(text, ", overlaps: false");
    write_transfers(text, &memory->transfers);
    write_gates(text, memory->n_gates, memory->gates);
    if (memory->holds_idle)
        sator_text_add(text, ", holds: idle");
    sator_text_add(text, "}\n");
}

static void write_wire_bandwidth(struct sator_text *text, double bandwidth_bits)
{
    if (isnan(bandwidth_bits))
        return;
    sator_text_add(text, ", bandwidth_bits: ");
    yaml_write_number(text, bandwidth_bits);
}

static void write_wire(struct sator_text *text, const char *name, const struct sator_relation *map)
{
    sator_text_add(text, "      - {name: ");
    sator_text_add_yaml_name(text, name);
    sator_text_add(text, ", map: ");
    yaml_write_relation(text, map);
}

static void write_buses(struct sator_text *text, const struct sator_array *array, bool reduction)
{
    bool any = false;

    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        if (bus->is_reduction != reduction)
            continue;
        if (!any)
            sator_text_add(text, reduction ? "    reduction:\n" : "    multicast:\n");
        any = true;
        write_wire(text, bus->name, bus->map);
        yaml_write_names(text, "tensors", bus->n_tensors, bus->tensors);
        write_wire_bandwidth(text, bus->bandwidth_bits);
        write_energy(text, ", ", "energy_pj", &bus->energy);
        sator_text_add(text, "}\n");
    }
}

static void write_array(struct sator_text *text, const struct sator_array *array)
{
    sator_text_add(text, "\n    shape: [");
    for (int d = 0; d < array->n_dims; d++)
        sator_text_add(text, "%s%lld", d == 0 ? "" : ", ", (long long)array->shape[d]);
    sator_text_add(text, "]\n%s", array->pass_through ? "    pass_through: true\n" : "");
    if (array->n_links + array->n_buses > 0)
        write_widths(text, array->n_links > 0 ? &array->links[0].widths : &array->buses[0].widths,
                "\n", "    ");
    if (array->n_links > 0)
        sator_text_add(text, "    links:\n");
    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        write_wire(text, link->name, link->map);
        sator_text_add(text, ", interval: %d", link->interval);
        yaml_write_names(text, "tensors", link->n_tensors, link->tensors);
        write_wire_bandwidth(text, link->bandwidth_bits);
        write_energy(text, ", ", "energy_pj", &link->energy);
        sator_text_add(text, "}\n");
    }
    write_buses(text, array, false);
    write_buses(text, array, true);
}

static const char *width_key(int bits, char key[16])
{
    snprintf(key, 16, "%d", bits);
    return key;
}

static void write_compute(struct sator_text *text, const struct sator_compute *compute)
{
    char key[16];

    write_figure(text, ", ", "energy_pj", &compute->energy_pj);
    for (int i = 0; i < compute->n_by_width; i++)
        write_figure(text, i == 0 ? ", energy_pj: {" : ", ",
                width_key(compute->by_width[i].bits, key), &compute->by_width[i].energy_pj);
    sator_text_add(text, compute->n_by_width > 0 ? "}" : "");
    sator_text_add(text, ", cycles: ");
    yaml_write_number(text, compute->cycles);
    if (compute->per_stamp > 0)
        sator_text_add(text, ", per_stamp: %lld", (long long)compute->per_stamp);
    write_figure(text, ", ", "leakage_pj", &compute->leakage_pj);
    write_figure(text, ", ", "area_um2", &compute->area_um2);
    write_gates(text, compute->n_gates, compute->gates);
    if (compute->n_skips > 0)
        yaml_write_names(text, "skipping", compute->skips->n_zeros, compute->skips->zeros);
    sator_text_add(text, "}\n");
}

static void write_control(struct sator_text *text, const struct sator_arch *arch)
{
    const struct sator_control *control = &arch->control;

    if (control->instruction_bits == 0)
        return;
    sator_text_add(text, "\ncontrol: {instruction_bits: %d", control->instruction_bits);
    if (control->from >= 0) {
        sator_text_add(text, ", from: ");
        sator_text_add_yaml_name(text, arch->levels[control->from].name);
    }
    write_figure(text, ", ", "energy_pj", &control->instruction_pj);
    if (control->reorders)
        sator_text_add(text, ", reorder: true");
    sator_text_add(text, "}");
}

void sator_yaml_write_arch(struct sator_text *text, const struct sator_arch *arch)
{
    static const char *const kinds[] = {"memory", "array", "compute"};

    sator_text_add(text, "name: ");
    sator_text_add_yaml_name(text, arch->name);
    yaml_write_text(text, "summary", arch->summary);
    yaml_write_text(text, "source", arch->source);
    if (!isnan(arch->clock_mhz)) {
        sator_text_add(text, "\nclock_mhz: ");
        yaml_write_number(text, arch->clock_mhz);
    }
    if (!isnan(arch->technology_nm)) {
        sator_text_add(text, "\ntechnology_nm: ");
        yaml_write_number(text, arch->technology_nm);
    }
    write_control(text, arch);
    sator_text_add(text, "\nlevels:\n");
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        sator_text_add(text, "  - %s%s: ", level->kind == SATOR_LEVEL_ARRAY ? "" : "{",
                kinds[level->kind]);
        sator_text_add_yaml_name(text, level->name);
        if (level->kind == SATOR_LEVEL_MEMORY)
            write_memory(text, &level->memory);
        else if (level->kind == SATOR_LEVEL_ARRAY)
            write_array(text, &level->array);
        else
            write_compute(text, &level->compute);
    }
}
