/* Everything that the results of an exploration depend on, as text: databases with equal texts
 * belong together. */
#include "base/text.h"
#include "explore/problem.h"
#include "store/store.h"

#include <math.h>

static void add_number(struct sator_text *text, const char *name, double value)
{
    if (!isnan(value))
        sator_text_add(text, " %s=%.17g", name, value);
}

static void add_names(struct sator_text *text, const char *what, int n, const char *const *names)
{
    for (int i = 0; i < n; i++)
        sator_text_add(text, "%s%s", i == 0 ? what : ",", names[i]);
}

static void add_workload(struct sator_text *text, const struct sator_workload *workload)
{
    sator_text_add(text, "layer %s x%d loops", workload->name, workload->repeat);
    for (int l = 0; l < workload->n_loops; l++)
        sator_text_add(text, " %s", workload->loop_names[l]);
    sator_text_add(text, "\n  domain ");
    sator_relation_write(text, workload->domain);
    for (int i = 0; i < workload->n_accesses; i++) {
        const struct sator_access *access = &workload->accesses[i];
        sator_text_add(text, "\n  %s %d bits ", access->role == SATOR_READ ? "read" : "write",
                access->word_bits);
        if (access->says_density)
            sator_text_add(text, "density=%.17g ", access->density);
        sator_relation_write(text, access->relation);
    }
    sator_text_add(text, "\n");
}

static void add_burst(struct sator_text *text, const struct sator_burst *burst)
{
    if (burst->setup_cycles > 0)
        sator_text_add(text, " setup_cycles=%lld", (long long)burst->setup_cycles);
    if (burst->granule_bits > 1)
        sator_text_add(text, " granule_bits=%lld", (long long)burst->granule_bits);
}

static void add_transfers(struct sator_text *text, const struct sator_transfers *transfers)
{
    if (transfers->others != SATOR_TRANSFER_UNSAID)
        sator_text_add(text, " transfers=%s", sator_transfer_name(transfers->others));
    for (int i = 0; i < transfers->n_tensors; i++)
        sator_text_add(text, " transfers(%s)=%s", transfers->tensors[i].tensor,
                sator_transfer_name(transfers->tensors[i].kind));
}

/* For words of 16 bits unless it says. */
static void add_energy(struct sator_text *text, const char *name, const struct sator_energy *energy)
{
    add_number(text, name, energy->pj);
    if (!isnan(energy->pj) && (energy->is_row || energy->bits != SATOR_USUAL_BITS))
        sator_text_add(text, " a %s of %d", energy->is_row ? "row" : "word", energy->bits);
}

static void add_widths(struct sator_text *text, const struct sator_widths *widths)
{
    if (widths->bits > 0)
        sator_text_add(text, " word_bits=%d", widths->bits);
    for (int i = 0; i < widths->n_tensors; i++)
        sator_text_add(
                text, " word_bits(%s)=%d", widths->tensors[i].tensor, widths->tensors[i].bits);
}

/* Accesses, or instances, that are left out where an element is 0. */
static void add_gates(
        struct sator_text *text, const char *what, int n_gates, const struct sator_gate *gates)
{
    for (int i = 0; i < n_gates; i++) {
        sator_text_add(text, " %s(%s)", what, gates[i].tensor == NULL ? "" : gates[i].tensor);
        add_names(text, "=", gates[i].n_zeros, gates[i].zeros);
    }
}

static void add_control(struct sator_text *text, const struct sator_control *control)
{
    if (control->instruction_bits == 0)
        return;
    sator_text_add(text, " control bits=%d from=%d%s", control->instruction_bits, control->from,
            control->reorders ? " reorder" : "");
    add_number(text, "pj", control->instruction_pj.value);
}

static void add_memory(struct sator_text *text, const struct sator_memory *memory)
{
    for (int i = 0; i < memory->n_capacities; i++) {
        const struct sator_capacity *capacity = &memory->capacities[i];
        sator_text_add(text, " capacity(%s)", capacity->tensor == NULL ? "" : capacity->tensor);
        add_number(text, "words", capacity->words);
        add_number(text, "bytes", capacity->bytes);
    }
    sator_text_add(text, "%s%s", memory->double_buffered ? " double_buffered" : "",
            memory->overlaps ? " overlaps" : "");
    add_energy(text, "read_pj", &memory->read);
    add_energy(text, "write_pj", &memory->write);
    for (int i = 0; i < memory->n_own_energies; i++) {
        sator_text_add(text, " of(%s)", memory->own_energies[i].tensor);
        add_energy(text, "read_pj", &memory->own_energies[i].read);
        add_energy(text, "write_pj", &memory->own_energies[i].write);
    }
    add_widths(text, &memory->widths);
    add_number(text, "read_bits", memory->read_bits);
    add_number(text, "write_bits", memory->write_bits);
    add_burst(text, &memory->burst);
    add_transfers(text, &memory->transfers);
    sator_text_add(text, "%s", memory->holds_idle ? " holds=idle" : "");
    add_number(text, "leakage_pj", memory->leakage_pj.value);
    add_number(text, "area_um2", memory->area_um2.value);
    add_names(text, " tensors=", memory->n_tensors, memory->tensors);
    add_names(text, " bypass=", memory->n_bypass, memory->bypass);
    add_names(text, " may_bypass=", memory->n_may_bypass, memory->may_bypass);
    add_gates(text, "gating", memory->n_gates, memory->gates);
    for (int i = 0; i < memory->n_ports; i++) {
        const struct sator_port *port = &memory->ports[i];
        sator_text_add(text, "\n    port %s%s%s%s", port->name, port->reads ? " reads" : "",
                port->writes ? " writes" : "", port->is_shared ? " shared" : "");
        add_number(text, "read_bits", port->read_bits);
        add_number(text, "write_bits", port->write_bits);
        add_burst(text, &port->burst);
        add_names(text, " tensors=", port->n_tensors, port->tensors);
    }
}

static void add_array(struct sator_text *text, const struct sator_array *array)
{
    for (int d = 0; d < array->n_dims; d++)
        sator_text_add(text, "%s%lld", d == 0 ? " shape=" : "x", (long long)array->shape[d]);
    sator_text_add(text, "%s", array->pass_through ? " pass_through" : "");
    for (int i = 0; i < array->n_links; i++) {
        const struct sator_link *link = &array->links[i];
        sator_text_add(text, "\n    link %s interval=%d ", link->name, link->interval);
        sator_relation_write(text, link->map);
        add_number(text, "bits", link->bandwidth_bits);
        add_energy(text, "pj", &link->energy);
        add_widths(text, &link->widths);
        add_names(text, " tensors=", link->n_tensors, link->tensors);
    }
    for (int i = 0; i < array->n_buses; i++) {
        const struct sator_bus *bus = &array->buses[i];
        sator_text_add(text, "\n    %s %s ", bus->is_reduction ? "tree" : "bus", bus->name);
        sator_relation_write(text, bus->map);
        add_number(text, "bits", bus->bandwidth_bits);
        add_energy(text, "pj", &bus->energy);
        add_widths(text, &bus->widths);
        add_names(text, " tensors=", bus->n_tensors, bus->tensors);
    }
}

static void add_arch(struct sator_text *text, const struct explore_hardware *hardware)
{
    const struct sator_arch *arch = hardware->arch;

    sator_text_add(text, "hardware %s", arch->name);
    add_number(text, "clock_mhz", arch->clock_mhz);
    add_control(text, &arch->control);
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        sator_text_add(text, "\n  %s", level->name);
        if (level->kind == SATOR_LEVEL_MEMORY) {
            add_memory(text, &level->memory);
        } else if (level->kind == SATOR_LEVEL_ARRAY) {
            add_array(text, &level->array);
        } else {
            add_number(text, "pj", level->compute.energy_pj.value);
            for (int k = 0; k < level->compute.n_by_width; k++) {
                sator_text_add(text, " %d bits", level->compute.by_width[k].bits);
                add_number(text, "pj", level->compute.by_width[k].energy_pj.value);
            }
            add_number(text, "cycles", level->compute.cycles);
            add_number(text, "leakage_pj", level->compute.leakage_pj.value);
            add_number(text, "area_um2", level->compute.area_um2.value);
            sator_text_add(text, " per_stamp=%lld", (long long)level->compute.per_stamp);
            add_gates(text, "gating", level->compute.n_gates, level->compute.gates);
            add_gates(text, "skipping", level->compute.n_skips, level->compute.skips);
        }
    }
    sator_text_add(text, "\n");
}

/* What a mapping depends on; a budget's outcome depends on the machine that runs it, too. */
static void add_map_options(struct sator_text *text, const struct sator_exploration *exploration)
{
    const struct sator_explore_options *options = &exploration->options;

    sator_text_add(text,
            "mappings objective=%d%s%s budget=%g first=%llu points=%llu batch=%llu "
            "work_limit=%llu\n",
            (int)exploration->map_options.objective,
            exploration->map_options.imperfect ? " imperfect" : "",
            options->timing == SATOR_TIMING_SCHEDULED ? " scheduled" : "",
            exploration->map_options.budget_seconds, (unsigned long long)options->first_point,
            (unsigned long long)options->n_points, (unsigned long long)options->batch,
            (unsigned long long)options->work_limit);
}

static void add_options(struct sator_text *text, const struct sator_exploration *exploration)
{
    const struct sator_explore_options *options = &exploration->options;
    const struct space_options *space = &exploration->space_options;

    sator_text_add(text,
            "space kind=%d prune=%d pack=%d skew=%d whole=%d idle=%d fold=%d symmetry=%d "
            "tensors_matter=%d ordered=%d first=%llu points=%llu batch=%llu",
            (int)space->kind, (int)space->prune, space->pack, space->skew_dims, space->whole,
            space->idle, space->fold, space->symmetry, space->tensors_matter, options->ordered,
            (unsigned long long)options->first_point, (unsigned long long)options->n_points,
            (unsigned long long)options->batch);
    /* One engine alone may decline; all others give the same. */
    bool all = options->engine == SATOR_ENGINE_AUTO || options->engine == SATOR_ENGINE_GENERAL;
    int engine = all ? 0 : (int)options->engine;
    sator_text_add(text, " work_limit=%llu engine=%d%s\n", (unsigned long long)options->work_limit,
            engine, options->timing == SATOR_TIMING_SCHEDULED ? " scheduled" : "");
}

void explore_describe(struct sator_exploration *exploration)
{
    struct sator_text text = {0};

    for (int i = 0; i < exploration->n_layers; i++)
        add_workload(&text, &exploration->network->layers[exploration->layers[i]]);
    for (int i = 0; i < exploration->n_hardware; i++)
        add_arch(&text, &exploration->hardware[i]);
    if (exploration->options.space == SATOR_SPACE_MAPPINGS)
        add_map_options(&text, exploration);
    else
        add_options(&text, exploration);
    if (exploration->options.where != NULL)
        sator_text_add(&text, "where %s\n", exploration->options.where);
    for (int i = 0; i < exploration->names.n_figures; i++)
        sator_text_add(&text, "figure %s\n", exploration->names.figures[i]);
    exploration->identity = sator_arena_strdup(exploration->arena, text.data);
    sator_sha256(exploration->identity, text.length, exploration->digest);
    sator_text_clear(&text);
}
