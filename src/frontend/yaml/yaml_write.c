/* Inputs as YAML texts in Sator's notation. What is written reads back to the same thing, places
 * aside. */
#include "base/text.h"
#include "frontend/frontend.h"
#include "frontend/yaml/yaml_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scalars ---- */

void sator_yaml_quote(struct sator_text *text, const char *value)
{
    sator_text_add(text, "\"");
    for (; *value != '\0'; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\')
            sator_text_add(text, "\\%c", c);
        else if (c < ' ' || c == 127)
            sator_text_add(text, "\\x%02X", c);
        else
            sator_text_add_bytes(text, value, 1);
    }
    sator_text_add(text, "\"");
}

static bool is_plain(const char *value)
{
    static const char *const words[] = {"null", "true", "false"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(value, words[i]) == 0)
            return false;
    }
    return strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            strlen(value) &&
            *value != '\0' && (*value < '0' || *value > '9');
}

static void write_string(struct sator_text *text, const char *value)
{
    if (is_plain(value))
        sator_text_add(text, "%s", value);
    else
        sator_yaml_quote(text, value);
}

/* The shortest decimal that reads back to the same double. */
static void write_number(struct sator_text *text, double value)
{
    char digits[40];

    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    sator_text_add(text, "%s", digits);
}

static void write_names(struct sator_text *text, const char *key, int n, const char *const *names)
{
    if (n == 0)
        return;
    sator_text_add(text, ", %s: [", key);
    for (int i = 0; i < n; i++) {
        sator_text_add(text, i == 0 ? "" : ", ");
        write_string(text, names[i]);
    }
    sator_text_add(text, "]");
}

static void write_relation(struct sator_text *text, const struct sator_relation *relation)
{
    struct sator_text inner = {0};

    sator_relation_write(&inner, relation);
    sator_yaml_quote(text, inner.data);
    sator_text_clear(&inner);
}

/* ---- workloads ---- */

/* Whether "sizes" and "op" can say it: loops from 0, one written tensor with one access, accesses
 * that are functions. */
static bool fits_einsum(const struct sator_workload *w)
{
    int n_writes = 0;

    if (!w->is_box || strcmp(w->domain->in_name == NULL ? "" : w->domain->in_name, "S") != 0)
        return false;
    for (int i = 0; i < w->n_loops; i++) {
        if (w->lower[i] != 0 || !is_plain(w->loop_names[i]))
            return false;
    }
    for (int i = 0; i < w->n_accesses; i++) {
        const struct sator_access *access = &w->accesses[i];
        for (int p = 0; p < access->relation->n_pieces; p++) {
            const struct sator_piece *piece = &access->relation->pieces[p];
            if (piece->n_free != 0 || piece->cond->op != SATOR_COND_TRUE)
                return false;
        }
        if (access->role == SATOR_WRITE)
            n_writes += access->relation->n_pieces;
    }
    return n_writes == 1 && w->n_accesses > 1;
}

static void write_op(struct sator_text *text, const struct sator_workload *w)
{
    bool first = true;

    for (int role = SATOR_WRITE; role >= SATOR_READ; role--) {
        for (int i = 0; i < w->n_accesses; i++) {
            const struct sator_access *access = &w->accesses[i];
            for (int p = 0; access->role == (enum sator_role)role && p < access->relation->n_pieces;
                    p++) {
                if (role == SATOR_READ)
                    sator_text_add(text, first ? " += " : " * ");
                first = role == SATOR_WRITE;
                sator_tuple_write(text, access->tensor, access->relation->n_out,
                        access->relation->pieces[p].out, w->loop_names);
            }
        }
    }
}

static void write_accesses(struct sator_text *text, const struct sator_workload *w,
        enum sator_role role, const char *indent)
{
    int n = 0;

    sator_text_add(text, "\n%s%s:", indent, role == SATOR_READ ? "reads" : "writes");
    for (int i = 0; i < w->n_accesses; i++) {
        if (w->accesses[i].role != role)
            continue;
        n++;
        sator_text_add(text, "\n%s  - ", indent);
        write_relation(text, w->accesses[i].relation);
    }
    if (n == 0)
        sator_text_add(text, " []");
}

static void write_word_bits(
        struct sator_text *text, const struct sator_workload *w, const char *indent)
{
    sator_text_add(text, "\n%sword_bits: {", indent);
    for (int i = 0, n = 0; i < w->n_accesses; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= strcmp(w->accesses[k].tensor, w->accesses[i].tensor) == 0;
        if (again)
            continue;
        sator_text_add(text, n++ == 0 ? "" : ", ");
        write_string(text, w->accesses[i].tensor);
        sator_text_add(text, ": %d", w->accesses[i].word_bits);
    }
    sator_text_add(text, "}");
}

static void write_densities(
        struct sator_text *text, const struct sator_workload *w, const char *indent)
{
    int n = 0;

    for (int i = 0; i < w->n_accesses; i++) {
        if (!w->accesses[i].says_density)
            continue;
        sator_text_add(text, n == 0 ? "\n%sdensity: {" : "%s", n == 0 ? indent : ", ");
        n++;
        write_string(text, w->accesses[i].tensor);
        sator_text_add(text, ": ");
        write_number(text, w->accesses[i].density);
    }
    sator_text_add(text, n > 0 ? "}" : "");
}

/* The keys of a workload, the first of them without its line's beginning. */
static void write_workload(
        struct sator_text *text, const struct sator_workload *w, const char *indent)
{
    sator_text_add(text, "name: ");
    write_string(text, w->name);
    if (fits_einsum(w)) {
        sator_text_add(text, "\n%ssizes: {", indent);
        for (int i = 0; i < w->n_loops; i++)
            sator_text_add(text, "%s%s: %lld", i == 0 ? "" : ", ", w->loop_names[i],
                    (long long)w->upper[i]);
        sator_text_add(text, "}\n%sop: \"", indent);
        write_op(text, w);
        sator_text_add(text, "\"");
    } else {
        sator_text_add(text, "\n%sdomain: ", indent);
        write_relation(text, w->domain);
        write_accesses(text, w, SATOR_READ, indent);
        write_accesses(text, w, SATOR_WRITE, indent);
    }
    write_word_bits(text, w, indent);
    write_densities(text, w, indent);
    if (w->repeat != 1)
        sator_text_add(text, "\n%srepeat: %d", indent, w->repeat);
    sator_yaml_write_runs(text, w, indent);
    sator_text_add(text, "\n");
}

void sator_yaml_write_network(struct sator_text *text, const struct sator_network *network)
{
    if (network->n_layers == 1 && strcmp(network->name, network->layers[0].name) == 0) {
        write_workload(text, &network->layers[0], "");
        return;
    }
    sator_text_add(text, "name: ");
    write_string(text, network->name);
    sator_text_add(text, "\nlayers:\n");
    for (int i = 0; i < network->n_layers; i++) {
        sator_text_add(text, "  - ");
        write_workload(text, &network->layers[i], "    ");
    }
    sator_yaml_write_others(text, network);
}

/* ---- architectures ---- */

/* "KEY: 0.5", or with its source "KEY: {value: 0.5, source: ...}"; nothing when it is not known. */
static void write_figure(struct sator_text *text, const char *separator, const char *key,
        const struct sator_figure *figure)
{
    if (isnan(figure->value))
        return;
    sator_text_add(text, "%s%s: %s", separator, key, figure->source == NULL ? "" : "{value: ");
    write_number(text, figure->value);
    if (figure->source == NULL)
        return;
    sator_text_add(text, ", source: ");
    sator_yaml_quote(text, figure->source);
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
    write_number(text, energy->pj);
    sator_text_add(text, ", %s: %d", energy->is_row ? "row_bits" : "word_bits", energy->bits);
    if (energy->source != NULL) {
        sator_text_add(text, ", source: ");
        sator_yaml_quote(text, energy->source);
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
        write_string(text, own->tensor);
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
        write_string(text, widths->tensors[i].tensor);
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
        write_string(text, c->tensor);
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
        write_number(text, read_bits);
    }
    if (!isnan(write_bits)) {
        sator_text_add(text, isnan(read_bits) ? "write: " : ", write: ");
        write_number(text, write_bits);
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
        write_string(text, port->name);
        write_names(text, "tensors", port->n_tensors, port->tensors);
        sator_text_add(text, ", direction: %s",
                port->is_shared         ? "shared"
                        : !port->writes ? "read"
                        : !port->reads  ? "write"
                                        : "both");
        if (port->is_shared && !isnan(port->read_bits)) {
            sator_text_add(text, ", bandwidth_bits: ");
            write_number(text, port->read_bits);
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
        write_string(text, transfers->tensors[i].tensor);
        sator_text_add(text, ": %s", sator_transfer_name(transfers->tensors[i].kind));
    }
    if (transfers->n_tensors > 0)
        sator_text_add(text, "}");
}

/* "gating: {B: [A]}" of a memory, "gating: [A]" of a compute level. */
static void write_gates(struct sator_text *text, int n_gates, const struct sator_gate *gates)
{
    if (n_gates > 0 && gates[0].tensor == NULL) {
        write_names(text, "gating", gates[0].n_zeros, gates[0].zeros);
        return;
    }
    for (int i = 0; i < n_gates; i++) {
        sator_text_add(text, i == 0 ? ", gating: {" : ", ");
        write_string(text, gates[i].tensor);
        for (int k = 0; k < gates[i].n_zeros; k++) {
            sator_text_add(text, k == 0 ? ": [" : ", ");
            write_string(text, gates[i].zeros[k]);
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
    write_names(text, "tensors", memory->n_tensors, memory->tensors);
    write_names(text, "bypass", memory->n_bypass, memory->bypass);
    write_names(text, "may_bypass", memory->n_may_bypass, memory->may_bypass);
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
    write_number(text, bandwidth_bits);
}

static void write_wire(struct sator_text *text, const char *name, const struct sator_relation *map)
{
    sator_text_add(text, "      - {name: ");
    write_string(text, name);
    sator_text_add(text, ", map: ");
    write_relation(text, map);
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
        write_names(text, "tensors", bus->n_tensors, bus->tensors);
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
        write_names(text, "tensors", link->n_tensors, link->tensors);
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
    write_number(text, compute->cycles);
    if (compute->per_stamp > 0)
        sator_text_add(text, ", per_stamp: %lld", (long long)compute->per_stamp);
    write_figure(text, ", ", "leakage_pj", &compute->leakage_pj);
    write_figure(text, ", ", "area_um2", &compute->area_um2);
    write_gates(text, compute->n_gates, compute->gates);
    if (compute->n_skips > 0)
        write_names(text, "skipping", compute->skips->n_zeros, compute->skips->zeros);
    sator_text_add(text, "}\n");
}

/* A line "KEY: TEXT", where there is a text. */
static void write_text(struct sator_text *text, const char *key, const char *value)
{
    if (value == NULL)
        return;
    sator_text_add(text, "\n%s: ", key);
    sator_yaml_quote(text, value);
}

static void write_control(struct sator_text *text, const struct sator_arch *arch)
{
    const struct sator_control *control = &arch->control;

    if (control->instruction_bits == 0)
        return;
    sator_text_add(text, "\ncontrol: {instruction_bits: %d", control->instruction_bits);
    if (control->from >= 0) {
        sator_text_add(text, ", from: ");
        write_string(text, arch->levels[control->from].name);
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
    write_string(text, arch->name);
    write_text(text, "summary", arch->summary);
    write_text(text, "source", arch->source);
    if (!isnan(arch->clock_mhz)) {
        sator_text_add(text, "\nclock_mhz: ");
        write_number(text, arch->clock_mhz);
    }
    if (!isnan(arch->technology_nm)) {
        sator_text_add(text, "\ntechnology_nm: ");
        write_number(text, arch->technology_nm);
    }
    write_control(text, arch);
    sator_text_add(text, "\nlevels:\n");
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        sator_text_add(text, "  - %s%s: ", level->kind == SATOR_LEVEL_ARRAY ? "" : "{",
                kinds[level->kind]);
        write_string(text, level->name);
        if (level->kind == SATOR_LEVEL_MEMORY)
            write_memory(text, &level->memory);
        else if (level->kind == SATOR_LEVEL_ARRAY)
            write_array(text, &level->array);
        else
            write_compute(text, &level->compute);
    }
}

/* ---- dataflows ---- */

static void write_stamp(struct sator_text *text, const char *key,
        const struct sator_relation *relation, struct sator_loc loc)
{
    sator_text_add(text, "%s: ", key);
    if (relation != NULL) {
        write_relation(text, relation);
    } else {
        char *stamp = sator_alloc(loc.length + 1);
        memcpy(stamp, loc.source->text + loc.offset, loc.length);
        stamp[loc.length] = '\0';
        sator_yaml_quote(text, stamp);
        free(stamp);
    }
    sator_text_add(text, "\n");
}

static void write_loops(
        struct sator_text *text, const struct sator_loop_entry *entry, bool parallel)
{
    int n = 0;

    for (int i = 0; i < entry->n_loops; i++) {
        const struct sator_nest_loop *loop = &entry->loops[i];
        if ((loop->dim >= 0) != parallel)
            continue;
        if (n++ == 0)
            sator_text_add(text, "    %s: [", parallel ? "parallel" : "for");
        else
            sator_text_add(text, ", ");
        sator_text_add(text, "%s %lld", loop->loop, (long long)loop->extent);
        if (parallel)
            sator_text_add(text, " -> %d", loop->dim);
    }
    if (n > 0)
        sator_text_add(text, "]\n");
}

static void write_cuts(struct sator_text *text, const struct sator_dataflow *dataflow)
{
    if (dataflow->n_cuts == 0)
        return;
    sator_text_add(text, "cuts:\n");
    for (int i = 0; i < dataflow->n_cuts; i++) {
        const struct sator_cut *cut = &dataflow->cuts[i];
        const int values[] = {cut->time, cut->space};
        static const char *const keys[] = {"time", "space"};
        sator_text_add(text, "  ");
        write_string(text, cut->level);
        sator_text_add(text, ": {");
        for (int k = cut->time == SATOR_CUT_UNSAID ? 1 : 0; k < 2; k++) {
            sator_text_add(
                    text, "%s%s: ", k == 0 || cut->time == SATOR_CUT_UNSAID ? "" : ", ", keys[k]);
            if (values[k] < 0)
                sator_text_add(text, "all");
            else
                sator_text_add(text, "%d", values[k]);
        }
        write_names(text, "bypass", cut->n_bypass, cut->bypass);
        sator_text_add(text, "}\n");
    }
}

static void write_dataflow(struct sator_text *text, const struct sator_dataflow *dataflow)
{
    if (dataflow->loops == NULL) {
        write_stamp(text, "space", dataflow->space, dataflow->space_loc);
        write_stamp(text, "time", dataflow->time, dataflow->time_loc);
        write_cuts(text, dataflow);
        return;
    }
    sator_text_add(text, "loops:\n");
    for (int i = 0; i < dataflow->loops->n_entries; i++) {
        const struct sator_loop_entry *entry = &dataflow->loops->entries[i];
        sator_text_add(text, "  - at: ");
        write_string(text, entry->level);
        sator_text_add(text, "\n");
        if (entry->n_bypass > 0) {
            sator_text_add(text, "    bypass: [");
            for (int k = 0; k < entry->n_bypass; k++) {
                sator_text_add(text, k == 0 ? "" : ", ");
                write_string(text, entry->bypass[k]);
            }
            sator_text_add(text, "]\n");
        }
        write_loops(text, entry, false);
        write_loops(text, entry, true);
        for (int d = 0; d < entry->n_skew; d++)
            sator_text_add(text, "%s%lld%s", d == 0 ? "    skew: [" : ", ",
                    (long long)entry->skew[d], d == entry->n_skew - 1 ? "]\n" : "");
        if (entry->says_joined)
            sator_text_add(text, "    joined: %d\n", entry->joined);
    }
}

/* "part", four columns further in. */
static void add_indented(struct sator_text *text, const char *part)
{
    while (*part != '\0') {
        size_t length = strcspn(part, "\n");
        length += part[length] == '\n';
        sator_text_put(text, "    ");
        sator_text_add_bytes(text, part, length);
        part += length;
    }
}

void sator_yaml_write_dataflow(struct sator_text *text, const struct sator_dataflow *dataflow)
{
    sator_text_add(text, "name: ");
    write_string(text, dataflow->name);
    sator_text_add(text, "\n");
    if (dataflow->n_layers == 0) {
        write_dataflow(text, dataflow);
        return;
    }
    sator_text_put(text, "for_layers:\n");
    for (int i = 0; i < dataflow->n_layers; i++) {
        struct sator_text own = {0};
        sator_text_put(text, "  ");
        write_string(text, dataflow->layers[i].layer);
        sator_text_put(text, ":\n");
        write_dataflow(&own, dataflow->layers[i].dataflow);
        add_indented(text, own.data);
        sator_text_clear(&own);
    }
}
