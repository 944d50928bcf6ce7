/* One result as text, section by section. */
#include "model/terms.h"
#include "report/control.h"
#include "report/expected.h"
#include "report/physical.h"

#include <math.h>
#include <string.h>

struct writer {
    struct sator_text *text;
    struct sator_arena *arena;
    const struct sator_result *result;
    struct look look;
};

static const char *count(const struct writer *w, sator_int value)
{
    return report_count(w->arena, value);
}

static int decimals(double value)
{
    return fabs(value) < 0.1 ? 4 : 2;
}

static const char *number(const struct writer *w, double value)
{
    return report_number(w->arena, value, decimals(value));
}

static const char *quantity(const struct writer *w, double value, const char *noun)
{
    return report_quantity(w->arena, value, decimals(value), noun);
}

static void write_header(struct writer *w)
{
    const struct sator_result *r = w->result;

    report_line(w->text, "workload", "%s: %s", report_clean(w->arena, r->workload),
            report_counted(w->arena, r->instances, "loop instance"));
    report_line(w->text, "arch", "%s: %s", report_clean(w->arena, r->arch),
            report_counted(w->arena, r->pes, "PE"));
    report_line(w->text, "dataflow", "%s", report_clean(w->arena, r->dataflow));
    report_line(w->text, "  space", "%s", report_clean(w->arena, r->space));
    report_line(w->text, "  time", "%s", report_clean(w->arena, r->time));
    if (r->ragged != NULL)
        report_line(w->text, "  ragged", "%s: last tiles have fewer",
                report_clean(w->arena, r->ragged));
    if (strcmp(r->model, "sator") != 0)
        report_line(w->text, "model", "%s", r->model);
    if (r->declined != NULL)
        report_line(w->text, "engine", "%s (not the closed form: %s)", r->engine,
                report_clean(w->arena, r->declined));
    else
        report_line(w->text, "engine", "%s", r->engine);
}

static bool reads_partial_sums(const struct sator_result *r)
{
    for (int i = 0; i < r->n_tensors; i++) {
        if (r->tensors[i].partial_sum_reads != 0)
            return true;
    }
    return false;
}

static void write_volumes(struct writer *w)
{
    const struct sator_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};
    static const char *const headers[] = {"bits", "access", "total", "temporal", "spatial",
            "unique", "footprint", "reuse factor"};
    bool partial = reads_partial_sums(r);

    report_section(w->text, "Volumes (words)", w->look);
    sator_grid_column(&table, "tensor", "", true);
    sator_grid_column(&table, "role", "", true);
    sator_grid_key(&table);
    for (int i = 0; i < (int)(sizeof headers / sizeof *headers); i++)
        sator_grid_column(&table, headers[i], "", false);
    if (partial)
        sator_grid_column(&table, "partial sums read", "", false);
    for (int i = 0; i < r->n_tensors; i++) {
        const struct sator_tensor_result *t = &r->tensors[i];
        sator_grid_cell(&table, report_clean(w->arena, t->name), false);
        sator_grid_cell(&table, report_role_name(t->role), false);
        sator_grid_cell(&table, count(w, t->word_bits), false);
        sator_grid_cell(&table, count(w, t->access_volume), false);
        sator_grid_cell(&table, count(w, t->total_volume), false);
        sator_grid_cell(&table, count(w, t->temporal_reuse), false);
        sator_grid_cell(&table, count(w, t->spatial_reuse), false);
        sator_grid_cell(&table, count(w, t->unique_volume), false);
        sator_grid_cell(&table, count(w, t->footprint), false);
        sator_grid_cell(&table, report_fixed(w->arena, t->reuse_factor, 2), false);
        if (partial)
            sator_grid_cell(&table, count(w, t->partial_sum_reads), false);
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

/* What each link, bus or tree carries; only when the array has some. */
static void write_links(struct writer *w)
{
    const struct sator_result *r = w->result;
    int n_links = 0;

    for (int i = 0; i < r->n_tensors; i++)
        n_links += r->tensors[i].n_links;
    if (n_links == 0)
        return;
    report_section(w->text, "Spatial reuse by link (words)", w->look);
    for (int i = 0; i < r->n_tensors; i++) {
        const struct sator_tensor_result *t = &r->tensors[i];
        if (t->n_links == 0)
            continue;
        sator_text_add(
                w->text, "  %s", report_clean(w->arena, report_tensor_label(w->arena, r, i)));
        for (int l = 0; l < t->n_links; l++)
            sator_text_add(w->text, "%s%s %s", l == 0 ? ": " : ", ",
                    report_clean(w->arena, t->links[l].name), count(w, t->links[l].spatial_reuse));
        sator_text_add(w->text, "\n");
    }
}

static const char *cycles(const struct writer *w, double value)
{
    return isnan(value) ? "- (no bandwidth given)" : quantity(w, value, "cycle");
}

static void write_next_bound(struct writer *w)
{
    const struct sator_result *r = w->result;
    double cycles;
    const char *next = report_next_bound(r, &cycles);

    if (next == NULL)
        return;
    if (cycles == r->total_cycles)
        report_line(w->text, "", "so does %s: as many cycles", report_clean(w->arena, next));
    else
        report_line(w->text, "", "the next bound is %s: %s, %s times less",
                report_clean(w->arena, next), quantity(w, cycles, "cycle"),
                number(w, r->total_cycles / cycles));
}

/* What the scheduled latency is made of: computing, and waiting for ports; then the roofline. */
static void write_schedule(struct writer *w)
{
    const struct sator_result *r = w->result;

    if (isnan(r->scheduled_cycles) && strcmp(r->model, "tenet") != 0)
        report_line(w->text, "", "the roofline, a lower bound%s%s",
                r->unscheduled == NULL ? "" : ": ", r->unscheduled == NULL ? "" : r->unscheduled);
    if (isnan(r->scheduled_cycles))
        return;
    report_line(w->text, "  computing", "%s", cycles(w, r->scheduled_compute_cycles));
    for (int i = 0; i < r->n_ports; i++) {
        const struct sator_port_result *port = &r->ports[i];
        if (!(port->exposed_cycles + port->stalled_cycles > 0))
            continue;
        report_line(w->text, "  waiting", "%s for %s: %s between runs, %s within",
                cycles(w, port->exposed_cycles + port->stalled_cycles),
                report_clean(w->arena, port->name), number(w, port->exposed_cycles),
                number(w, port->stalled_cycles));
    }
    report_line(w->text, "roofline", "%s", cycles(w, r->roofline_cycles));
}

static void write_metrics(struct writer *w)
{
    const struct sator_result *r = w->result;
    const struct physical physical = report_result_physical(r);
    const char *units = report_physical_text(w->arena, &physical);

    report_section(w->text, "Time", w->look);
    report_line(w->text, "latency", "%s, bound by %s", cycles(w, r->total_cycles),
            report_clean(w->arena, r->bound_by));
    if (isnan(r->scheduled_cycles))
        write_next_bound(w);
    if (*units != '\0')
        report_line(w->text, "", "%s", units);
    write_schedule(w);
    report_line(w->text, "  compute", "%s", cycles(w, r->compute_cycles));
    report_line(w->text, "  read", "%s", cycles(w, r->read_cycles));
    report_line(w->text, "  write", "%s", cycles(w, r->write_cycles));
    if (!isnan(r->expected_cycles))
        report_line(w->text, "  expected", "at least %s where zeros are skipped",
                cycles(w, r->expected_cycles));
    report_line(w->text, "stamps", "%s in %s", count(w, r->stamps),
            report_counted(w->arena, r->time_stamps, "time-stamp"));
    report_line(w->text, "utilization", "%s %% on average, at most %s %%; %s of %s %s used",
            report_number(w->arena, 100 * r->utilization_average, 1),
            report_number(w->arena, 100 * r->utilization_max, 1), count(w, r->active_pes),
            report_counted(w->arena, r->pes, "PE"), r->active_pes == 1 ? "is" : "are");
    report_line(w->text, "throughput", "%s per cycle", quantity(w, r->macs_per_cycle, "MAC"));
    if (r->max_instances_per_stamp > 1)
        report_line(w->text, "", "up to %s instances share a stamp",
                count(w, r->max_instances_per_stamp));
}

/* A line for each reason why delays of ports are not known, with their names. */
static void write_unknown_ports(struct writer *w)
{
    const struct sator_result *r = w->result;

    for (int i = 0; i < r->n_ports; i++) {
        const char *why = r->ports[i].unknown;
        bool said = false;
        for (int k = 0; k < i && why != NULL; k++)
            said |= r->ports[k].unknown != NULL && strcmp(r->ports[k].unknown, why) == 0;
        if (why == NULL || said)
            continue;
        for (int k = i; k < r->n_ports; k++) {
            if (r->ports[k].unknown != NULL && strcmp(r->ports[k].unknown, why) == 0)
                sator_text_add(w->text, "%s%s", k == i ? "  unknown: " : ", ",
                        report_clean(w->arena, r->ports[k].name));
        }
        sator_text_add(w->text, " (%s)\n", why);
    }
}

/* The ports that some words pass through; then those of which no delay is known. */
static void write_ports(struct writer *w)
{
    static const char *const headers[] = {"bits", "bits/cycle", "cycles"};
    const struct sator_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};

    sator_grid_column(&table, "port", "", true);
    for (int i = 0; i < (int)(sizeof headers / sizeof *headers); i++)
        sator_grid_column(&table, headers[i], "", false);
    for (int i = 0; i < r->n_ports; i++) {
        const struct sator_port_result *port = &r->ports[i];
        if (isnan(port->cycles) || port->bits == 0)
            continue;
        sator_grid_cell(&table, report_clean(w->arena, port->name), false);
        sator_grid_cell(&table, count(w, port->bits), false);
        sator_grid_cell(&table, number(w, port->bandwidth_bits), false);
        sator_grid_cell(&table, number(w, port->cycles), false);
    }
    if (r->n_ports == 0)
        return;
    report_section(w->text, "Ports (bits through the busiest instance)", w->look);
    if (table.n_cells > 0)
        sator_grid_text(w->text, &table, w->look.width, w->look.color);
    write_unknown_ports(w);
}

/* What would make it faster: the ports together, each memory alone. */
static void write_advice(struct writer *w)
{
    const struct sator_result *r = w->result;

    if (r->n_advice == 0)
        return;
    report_section(w->text, "What would make it faster", w->look);
    for (int i = 0; i < r->n_advice; i++) {
        const struct sator_advice *item = &r->advice[i];
        const char *then = sator_arena_printf(w->arena, "%s %s decide%s",
                report_clean(w->arena, item->bound_by),
                strcmp(item->bound_by, r->bound_by) == 0 ? "still" : "then",
                strcmp(item->bound_by, "compute") == 0 ? "s" : "");
        if (item->port != NULL)
            sator_text_add(w->text, "  %s%s times the bandwidth of %s, %s bits/cycle: %s, %s\n",
                    i == 0 ? "" : "and ", number(w, item->factor),
                    report_clean(w->arena, item->port), number(w, item->needed), then,
                    quantity(w, item->total_cycles, "cycle"));
        else
            sator_text_add(w->text, "  %s%s of %s: %s, %s\n", i == 0 ? "" : "or ",
                    report_clean(w->arena, item->memory), report_room(w->arena, item), then,
                    quantity(w, item->total_cycles, "cycle"));
    }
}

static void write_bandwidth(struct writer *w)
{
    const struct sator_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};

    report_section(w->text, "Bandwidth needed (bits per cycle of compute)", w->look);
    sator_grid_column(&table, "tensor", "", true);
    sator_grid_column(&table, "scratchpad", "", false);
    sator_grid_column(&table, "interconnect", "", false);
    for (int i = 0; i < r->n_tensors; i++) {
        const struct sator_tensor_result *t = &r->tensors[i];
        sator_grid_cell(&table, report_clean(w->arena, report_tensor_label(w->arena, r, i)), false);
        sator_grid_cell(&table, report_fixed(w->arena, t->scratchpad_bits_per_cycle, 2), false);
        sator_grid_cell(&table, report_fixed(w->arena, t->interconnect_bits_per_cycle, 2), false);
    }
    sator_grid_cell(&table, "all", false);
    sator_grid_cell(&table, report_fixed(w->arena, r->scratchpad_bits_per_cycle, 2), false);
    sator_grid_cell(&table, report_fixed(w->arena, r->interconnect_bits_per_cycle, 2), false);
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

static const char *capacity(struct writer *w, const struct sator_level_result *level)
{
    if (isnan(level->capacity_bytes))
        return number(w, level->capacity_words);
    return sator_arena_printf(w->arena, "%s B", number(w, level->capacity_bytes));
}

/* How many time dimensions select the contents; in parentheses where that is derived. */
static const char *cut(struct writer *w, const struct sator_level_result *level)
{
    return sator_arena_printf(w->arena, level->cut_declared ? "%d" : "(%d)", level->time_cut);
}

static void level_row(struct writer *w, struct sator_grid *table,
        const struct sator_level_result *level, int tensor)
{
    const struct sator_level_tensor *t = &level->tensors[tensor];
    bool first = tensor == 0;

    sator_grid_cell(table, first ? report_clean(w->arena, level->name) : "", false);
    sator_grid_cell(table, first ? count(w, level->instances) : "", false);
    sator_grid_cell(table, first ? capacity(w, level) : "", false);
    sator_grid_cell(table, first ? cut(w, level) : "", false);
    sator_grid_cell(table, report_clean(w->arena, t->name), false);
    sator_grid_cell(table, report_role_name(t->role), false);
    sator_grid_cell(table, count(w, t->tile_words), false);
    sator_grid_cell(table, count(w, t->fills), false);
    sator_grid_cell(table, count(w, t->writes), false);
    sator_grid_cell(table, count(w, t->reads), false);
    sator_grid_cell(table, count(w, t->updates), false);
}

static void write_levels(struct writer *w)
{
    static const char *const headers[] = {"tile", "fills", "writes", "reads", "updates"};
    const struct sator_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};

    if (r->n_levels == 0)
        return;
    report_section(w->text,
            "Memory levels (words; all instances together, tile and capacity of one; (cut): "
            "derived)",
            w->look);
    sator_grid_column(&table, "level", "", true);
    sator_grid_column(&table, "instances", "", false);
    sator_grid_column(&table, "capacity", "", false);
    sator_grid_column(&table, "cut", "", false);
    sator_grid_column(&table, "tensor", "", true);
    sator_grid_key(&table);
    sator_grid_column(&table, "role", "", true);
    sator_grid_key(&table);
    for (int i = 0; i < (int)(sizeof headers / sizeof *headers); i++)
        sator_grid_column(&table, headers[i], "", false);
    for (int i = 0; i < r->n_levels; i++) {
        for (int j = 0; j < r->levels[i].n_tensors; j++)
            level_row(w, &table, &r->levels[i], j);
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

/* The number of the footnote for "source", which is added when it is new. */
static int footnote(
        struct sator_arena *arena, const char *source, const char ***notes, int *n_notes)
{
    for (int i = 0; i < *n_notes; i++) {
        if (strcmp((*notes)[i], source) == 0)
            return i + 1;
    }
    SATOR_PUSH(arena, *notes, *n_notes, source);
    return *n_notes;
}

static void energy_row(struct writer *w, struct sator_grid *table,
        const struct sator_energy_term *term, double unit_pj, const char *note)
{
    double share = term->pj / w->result->energy_pj;

    sator_grid_cell(table, report_clean(w->arena, term->component), false);
    sator_grid_cell(table, count(w, term->actions), false);
    sator_grid_cell(table, report_fixed(w->arena, term->pj_per_action, 3), false);
    sator_grid_cell(table, report_fixed(w->arena, term->pj / unit_pj, 2), false);
    sator_grid_cell(table, report_fixed(w->arena, 100 * share, 1), false);
    sator_grid_cell(table, note, false);
}

static void write_energy(struct writer *w)
{
    const struct sator_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};
    const char **notes = NULL;
    int n_notes = 0;
    double unit_pj;
    const char *unit = report_energy_unit(isnan(r->energy_pj) ? 0 : r->energy_pj, &unit_pj);

    if (strcmp(r->model, "tenet") == 0)
        return; /* it has none */
    report_section(w->text, "Energy", w->look);
    report_line(w->text, "total", "%s%s%s", report_number(w->arena, r->energy_pj / unit_pj, 2),
            isnan(r->energy_pj) ? "" : " ",
            isnan(r->energy_pj) ? " (a figure marked '-' is not given)" : unit);
    report_line(w->text, "EDP", "%s",
            isnan(r->edp) ? "-" : sator_arena_printf(w->arena, "%.3e pJ x cycles", r->edp));
    const struct report_control control =
            report_control_of(&r->control, r->n_energy_terms, r->energy_terms);
    if (control.instruction_bits > 0)
        report_line(
                w->text, "control", "%s", report_control_text(w->arena, &control, r->energy_pj));
    if (r->n_energy_terms == 0)
        return;
    sator_grid_column(&table, "component", "", true);
    sator_grid_column(&table, "actions", "", false);
    sator_grid_column(&table, "each", "pJ", false);
    sator_grid_column(&table, "energy", unit, false);
    sator_grid_column(&table, "share", "%", false);
    sator_grid_column(&table, "", "", true);
    struct sator_terms terms = {.arena = w->arena};
    for (int i = 0; i < r->n_energy_terms; i++)
        sator_terms_add(&terms, &r->energy_terms[i]);
    sator_terms_merge(&terms); /* a link has one for each tensor */
    for (int i = 0; i < terms.n; i++) {
        const struct sator_energy_term *term = &terms.term[i];
        const char *note = term->source == NULL
                ? ""
                : sator_arena_printf(
                          w->arena, "[%d]", footnote(w->arena, term->source, &notes, &n_notes));
        energy_row(w, &table, term, unit_pj, note);
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
    for (int i = 0; i < n_notes; i++)
        sator_text_add(w->text, "  [%d] %s\n", i + 1, report_clean(w->arena, notes[i]));
}

static void write_expected(struct writer *w)
{
    const struct sator_result *r = w->result;

    report_expected_write(w->text, w->arena,
            &(struct report_expected){r->expected_energy_pj, r->n_savings, r->savings}, w->look);
}

static void write_sweep(struct writer *w)
{
    static const char *const headers[] = {"read", "write", "latency"};
    const struct sator_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};

    if (r->n_sweep == 0)
        return;
    report_section(w->text, "Roofline by scratchpad bandwidth (cycles)", w->look);
    sator_grid_column(&table, "bits/cycle", "", false);
    for (int i = 0; i < (int)(sizeof headers / sizeof *headers); i++)
        sator_grid_column(&table, headers[i], "", false);
    sator_grid_column(&table, "bound by", "", true);
    for (int i = 0; i < r->n_sweep; i++) {
        const struct sator_bandwidth_point *point = &r->sweep[i];
        sator_grid_cell(&table, number(w, point->bits_per_cycle), false);
        sator_grid_cell(&table, number(w, point->read_cycles), false);
        sator_grid_cell(&table, number(w, point->write_cycles), false);
        sator_grid_cell(&table, number(w, point->total_cycles), false);
        sator_grid_cell(&table, report_clean(w->arena, point->bound_by), false);
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

void report_text_result(struct sator_text *text, struct sator_arena *arena,
        const struct sator_result *result, struct look look)
{
    struct writer w = {.text = text, .arena = arena, .result = result, .look = look};

    write_header(&w);
    write_volumes(&w);
    write_links(&w);
    write_metrics(&w);
    write_ports(&w);
    write_advice(&w);
    write_bandwidth(&w);
    write_levels(&w);
    write_energy(&w);
    write_expected(&w);
    write_sweep(&w);
}
