/* Mappings of several layers, machines and points of a front as text: a table, and what is said of
 * all. */
#include "report/expected.h"
#include "report/map_text.h"

#include <math.h>
#include <string.h>

static bool same_idle_links(const struct sator_map_result *const *results, int n_results)
{
    for (int i = 0; i < n_results; i++) {
        if (results[i]->idle_links == NULL ||
                strcmp(results[i]->idle_links, results[0]->idle_links) != 0)
            return false;
    }
    return true;
}

/* What is known of the sum of all layers. */
static const char *totals_verdict(
        struct map_writer *w, int n_results, const struct report_map_totals *totals)
{
    if (totals->n_unproved > 0)
        return sator_arena_printf(w->arena, "not proved optimal: %d of %s without proof",
                totals->n_unproved, report_counted(w->arena, n_results, "different layer"));
    return "every layer proved optimal";
}

/* The units of a table's columns: those that suit their least value. */
struct units {
    const char *energy, *time;
    double pj, ms;
    bool timed; /* the machine has a clock */
};

static struct units choose_units(const struct sator_map_result *const *results, int n_results)
{
    double pj = INFINITY, ms = INFINITY;
    struct units units;

    for (int i = 0; i < n_results; i++) {
        pj = fmin(pj, results[i]->energy_pj); /* the other operand where one is NAN */
        ms = fmin(ms, map_text_physical_of(results[i]).ms);
    }
    units.timed = isfinite(ms);
    units.energy = report_energy_unit(isfinite(pj) ? pj : 0, &units.pj);
    units.time = report_time_unit(units.timed ? ms : 0, &units.ms);
    return units;
}

static void cost_columns(struct sator_grid *table, const struct units *units)
{
    sator_grid_column(table, "energy", units->energy, false);
    sator_grid_column(table, "latency", "cycles", false);
    if (units->timed)
        sator_grid_column(table, "time", units->time, false);
    sator_grid_column(table, "EDP", "pJ x cycles", false);
    sator_grid_column(table, "utilization", "%", false);
}

static void cost_cells(struct map_writer *w, struct sator_grid *table, const struct units *units,
        const struct sator_map_result *r)
{
    sator_grid_cell(table, report_fixed(w->arena, r->energy_pj / units->pj, 2), false);
    sator_grid_cell(table, report_number(w->arena, r->total_cycles, 0), false);
    if (units->timed)
        sator_grid_cell(
                table, report_fixed(w->arena, map_text_physical_of(r).ms / units->ms, 2), false);
    sator_grid_cell(table, map_text_edp(w, r->edp), false);
    sator_grid_cell(table, report_fixed(w->arena, r->utilization * 100, 1), false);
}

static const char *proof(struct map_writer *w, const struct sator_map_result *r)
{
    return r->proved ? "optimal"
            : isfinite(r->gap)
            ? sator_arena_printf(w->arena, "gap %s%%", map_text_percent(w, r->gap))
            : "none";
}

static void layer_table(struct map_writer *w, struct sator_grid *table,
        const struct sator_map_result *const *results, int n_results)
{
    const struct units units = choose_units(results, n_results);

    sator_grid_column(table, "layer", "", true);
    sator_grid_column(table, "repeat", "", false);
    cost_columns(table, &units);
    sator_grid_column(table, "bound by", "", true);
    sator_grid_column(table, "proof", "", true);
    sator_grid_column(table, "search", "ms", false);
    for (int i = 0; i < n_results; i++) {
        const struct sator_map_result *r = results[i];
        sator_grid_cell(table, report_clean(w->arena, r->workload), false);
        sator_grid_cell(table, report_count(w->arena, r->repeat), false);
        cost_cells(w, table, &units, r);
        sator_grid_cell(table, report_clean(w->arena, r->bound_by), false);
        sator_grid_cell(table, proof(w, r), false);
        sator_grid_cell(table, report_fixed(w->arena, r->seconds * 1e3, 1), false);
    }
}

/* Which latencies of a table are lower bounds. */
static void write_timing(struct map_writer *w, const struct report_timed *rows, int n)
{
    report_write_unscheduled(w->text, w->arena, rows, n);
    if (n > 0 && strcmp(report_timing(rows, n), "roofline") == 0 && rows[0].unscheduled == NULL)
        sator_text_add(w->text, "  latencies are rooflines, lower bounds\n");
}

static void write_network(struct map_writer *w, const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results)
{
    struct sator_grid table = {.arena = w->arena};
    struct report_map_totals t = report_map_totals(network, results, n_results);

    report_line(w->text, "network", "%s", report_clean(w->arena, network->name));
    if (n_results > 0)
        report_line(w->text, "mapping", "%s on %s, objective %s",
                report_map_strategy(results[0]->strategy), report_clean(w->arena, results[0]->arch),
                report_map_objective(results[0]->objective));
    map_text_left_out(w, results, n_results);
    if (n_results > 0 && same_idle_links(results, n_results))
        map_text_idle_links(w, results[0]);
    for (int i = 0; i < n_results; i++) {
        if (results[i]->order != NULL)
            report_line(w->text, "order", "of %s, kept by searching only: %s",
                    report_clean(w->arena, results[i]->workload),
                    report_clean(w->arena, results[i]->order));
    }
    sator_text_add(w->text, "\n");
    layer_table(w, &table, results, n_results);
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
    write_timing(w, report_maps_timed(w->arena, results, n_results), n_results);
    for (int i = 0, n = 0; i < n_results; i++) {
        if (map_text_is_bound_by_rooflines(results[i]) && n++ == 0)
            sator_text_add(w->text, "  where nothing is proved %s\n", map_text_bound_of_rooflines);
    }
    sator_text_add(w->text, "\n");
    if (network->n_unmapped > 0) {
        struct sator_text names = {0};
        for (int i = 0; i < network->n_unmapped; i++)
            sator_text_add(&names, "%s%s", i == 0 ? "" : ", ",
                    report_clean(w->arena, network->unmapped[i]));
        report_line(w->text, "total", "not known: no mapping of %s", names.data);
        sator_text_clear(&names);
        return;
    }
    report_line(w->text, "total", "%s, %s, EDP %s%s; %s; %.0f ms of search",
            map_text_energy(w, t.pj), report_quantity(w->arena, t.cycles, 0, "cycle"),
            map_text_edp(w, t.edp), isnan(t.edp) ? "" : " pJ x cycles",
            totals_verdict(w, n_results, &t), t.seconds * 1e3);
    if (n_results > 0) {
        const struct physical physical = report_physical(
                (double)t.instances, t.cycles, t.pj, results[0]->clock_mhz, results[0]->area_um2);
        map_text_physical(w, &physical);
    }
    if (!isnan(t.expected_pj))
        report_line(w->text, "expected", "%s where zeros are gated; chosen without it",
                map_text_energy(w, t.expected_pj));
    if (!isnan(t.expected_cycles))
        report_line(w->text, "", "at least %s where zeros are skipped; chosen without it",
                report_quantity(w->arena, t.expected_cycles, 0, "cycle"));
    if (t.control.instruction_bits > 0)
        report_line(w->text, "control", "%s; chosen without it",
                report_control_text(w->arena, &t.control, t.pj));
}

/* A machine's totals: a network's with repeats, a layer's for once. */
struct machine_row {
    const struct sator_map_machine *machine;
    struct report_map_totals totals;
    struct physical physical;
};

static struct machine_row machine_row(const struct sator_map_machine *machine)
{
    struct machine_row row = {.machine = machine, .physical = report_physical(0, 0, 0, NAN, NAN)};

    if (machine->is_network || machine->n_results == 0) {
        row.totals = report_map_totals(machine->network, machine->results, machine->n_results);
    } else {
        struct sator_map_result once = *machine->results[0];
        const struct sator_map_result *result = &once;
        once.repeat = 1;
        row.totals = report_map_totals(machine->network, &result, 1);
    }
    if (machine->n_results > 0)
        row.physical = report_physical((double)row.totals.instances, row.totals.cycles,
                row.totals.pj, machine->results[0]->clock_mhz, machine->results[0]->area_um2);
    return row;
}

static const char *machine_proof(struct map_writer *w, const struct machine_row *row)
{
    if (row->machine->network->n_unmapped > 0)
        return sator_arena_printf(w->arena, "%d not mapped", row->machine->network->n_unmapped);
    if (row->totals.n_unproved > 0)
        return sator_arena_printf(w->arena, "%d not proved", row->totals.n_unproved);
    return "optimal";
}

/* On which machines, of which layers latencies are lower bounds. */
static void write_machines_unscheduled(
        struct map_writer *w, const struct sator_map_machine *machines, int n_machines)
{
    struct report_timed *rows = NULL;
    int n = 0;

    for (int i = 0; i < n_machines; i++) {
        const struct sator_map_machine *m = &machines[i];
        for (int k = 0; k < m->n_results; k++) {
            const struct sator_map_result *r = m->results[k];
            const char *name = m->is_network
                    ? sator_arena_printf(w->arena, "%s on %s", r->workload, m->arch)
                    : m->arch;
            SATOR_PUSH(w->arena, rows, n, ((struct report_timed){name, r->timing, r->unscheduled}));
        }
    }
    write_timing(w, rows, n);
}

void report_machines_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_machine *machines, int n_machines, struct look look)
{
    struct map_writer writer = {.text = text, .arena = arena, .look = look}, *w = &writer;
    struct machine_row *rows = SATOR_NEW_ARRAY(arena, struct machine_row, n_machines);
    double least_pj = INFINITY, least_ms = INFINITY, pj, ms;
    struct sator_grid table = {.arena = arena};

    for (int i = 0; i < n_machines; i++) {
        rows[i] = machine_row(&machines[i]);
        least_pj = fmin(least_pj, rows[i].totals.pj);
        least_ms = fmin(least_ms, rows[i].physical.ms);
    }
    const char *energy_unit = report_energy_unit(isfinite(least_pj) ? least_pj : 0, &pj);
    const char *time_unit = report_time_unit(isfinite(least_ms) ? least_ms : 0, &ms);
    report_line(text, machines[0].is_network ? "network" : "workload", "%s",
            report_clean(arena, machines[0].network->name));
    sator_text_add(text, "\n");
    sator_grid_column(&table, "machine", "", true);
    sator_grid_column(&table, "PEs", "", false);
    sator_grid_column(&table, "energy", energy_unit, false);
    sator_grid_column(&table, "latency", "cycles", false);
    sator_grid_column(&table, "time", time_unit, false);
    sator_grid_column(&table, "EDP", "pJ x cycles", false);
    sator_grid_column(&table, "utilization", "%", false);
    sator_grid_column(&table, "TOPS", "", false);
    sator_grid_column(&table, "TOPS/W", "", false);
    sator_grid_column(&table, "area", "mm2", false);
    sator_grid_column(&table, "proof", "", true);
    for (int i = 0; i < n_machines; i++) {
        const struct report_map_totals *t = &rows[i].totals;
        const struct physical *p = &rows[i].physical;
        sator_grid_cell(&table, report_clean(arena, machines[i].arch), false);
        sator_grid_cell(&table,
                machines[i].n_results > 0 ? report_count(arena, machines[i].results[0]->pes) : "-",
                false);
        sator_grid_cell(&table, report_fixed(arena, t->pj / pj, 2), false);
        sator_grid_cell(&table, report_number(arena, t->cycles, 0), false);
        sator_grid_cell(&table, report_fixed(arena, p->ms / ms, 2), false);
        sator_grid_cell(&table, map_text_edp(w, t->edp), false);
        sator_grid_cell(&table, report_fixed(arena, t->utilization * 100, 1), false);
        sator_grid_cell(&table, report_fixed(arena, p->tops, 3), false);
        sator_grid_cell(&table, report_fixed(arena, p->tops_per_watt, 3), false);
        sator_grid_cell(&table, report_fixed(arena, p->area_um2 * 1e-6, 2), false);
        sator_grid_cell(&table, machine_proof(w, &rows[i]), false);
    }
    sator_grid_text(text, &table, look.width, look.color);
    write_machines_unscheduled(w, machines, n_machines);
}

static const char of_rooflines[] = "the roofline, a lower bound: fronts are of it";

void report_front_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_result *const *results, int n_results, bool complete,
        struct look look)
{
    struct map_writer writer = {.text = text, .arena = arena, .look = look}, *w = &writer;
    const struct units units = choose_units(results, n_results);
    struct sator_grid table = {.arena = arena};

    report_line(w->text, "workload", "%s", report_clean(w->arena, results[0]->workload));
    report_line(w->text, "arch", "%s", report_clean(w->arena, results[0]->arch));
    report_line(w->text, "front",
            "%s%d mapping%s that none beats in both energy and latency, proved%s",
            complete ? "" : "the first ", n_results, n_results == 1 ? "" : "s",
            complete ? "" : "; stopped before the faster ones");
    report_line(w->text, "latency", "%s", of_rooflines);
    map_text_left_out(w, results, n_results);
    sator_text_add(w->text, "\n");
    cost_columns(&table, &units);
    sator_grid_column(&table, "PEs", "", false);
    sator_grid_column(&table, "bound by", "", true);
    for (int i = 0; i < n_results; i++) {
        cost_cells(w, &table, &units, results[i]);
        sator_grid_cell(&table, report_count(w->arena, results[i]->active_pes), false);
        sator_grid_cell(&table, report_clean(w->arena, results[i]->bound_by), false);
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

/* Of "n" points at most MOST_ROWS, evenly, with the first and the last. */
static int shown_point(int row, int n_rows, int n)
{
    return n_rows == 1 ? 0 : (int)((int64_t)row * (n - 1) / (n_rows - 1));
}

static void write_front_heading(
        struct map_writer *w, const struct sator_map_front *front, int n_rows)
{
    int least = 0;

    for (int i = 1; i < front->n_points; i++) {
        const struct sator_map_point *a = &front->points[i], *b = &front->points[least];
        if (a->energy_pj * a->total_cycles < b->energy_pj * b->total_cycles)
            least = i;
    }
    report_line(w->text, "network", "%s on %s", report_clean(w->arena, front->network),
            report_clean(w->arena, front->arch));
    report_line(w->text, "front",
            "%s%s of a mapping for each layer that no other beats in both energy and latency%s",
            front->thinned ? "some " : "", report_counted(w->arena, front->n_points, "choice"),
            front->stopped != SATOR_OK ? "; stopped before the faster ones" : ", proved");
    report_line(w->text, "latency", "%s", of_rooflines);
    if (n_rows < front->n_points)
        report_line(w->text, "shown", "%d of them; CSV and JSON have all", n_rows);
    report_line(w->text, "least EDP", "number %d: %s, %s, EDP %s pJ x cycles", least,
            map_text_energy(w, front->points[least].energy_pj),
            report_quantity(w->arena, front->points[least].total_cycles, 0, "cycle"),
            map_text_edp(w, front->points[least].energy_pj * front->points[least].total_cycles));
}

void report_network_front_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_front *front, struct look look)
{
    enum {
        MOST_ROWS = 24
    };
    struct map_writer writer = {.text = text, .arena = arena, .look = look}, *w = &writer;
    struct sator_grid table = {.arena = arena};
    int n = front->n_points, n_rows = n < MOST_ROWS ? n : MOST_ROWS;
    double clock_mhz = front->layers[0].results[0]->clock_mhz, unit_pj, unit_ms;
    const char *energy_unit = report_energy_unit(front->points[0].energy_pj, &unit_pj);
    const struct physical fastest =
            report_physical(0, front->points[n - 1].total_cycles, 1, clock_mhz, NAN);
    const char *time_unit = report_time_unit(isfinite(fastest.ms) ? fastest.ms : 0, &unit_ms);

    write_front_heading(w, front, n_rows);
    sator_text_add(text, "\n");
    sator_grid_column(&table, "number", "", false);
    sator_grid_column(&table, "energy", energy_unit, false);
    sator_grid_column(&table, "latency", "cycles", false);
    if (isfinite(fastest.ms))
        sator_grid_column(&table, "time", time_unit, false);
    sator_grid_column(&table, "EDP", "pJ x cycles", false);
    for (int row = 0; row < n_rows; row++) {
        int number = shown_point(row, n_rows, n);
        const struct sator_map_point *point = &front->points[number];
        const struct physical physical = report_physical(0, point->total_cycles, 1, clock_mhz, NAN);
        sator_grid_cell(&table, report_count(arena, number), false);
        sator_grid_cell(&table, report_fixed(arena, point->energy_pj / unit_pj, 2), false);
        sator_grid_cell(&table, report_number(arena, point->total_cycles, 0), false);
        if (isfinite(fastest.ms))
            sator_grid_cell(&table, report_fixed(arena, physical.ms / unit_ms, 3), false);
        sator_grid_cell(&table, map_text_edp(w, point->energy_pj * point->total_cycles), false);
    }
    sator_grid_text(text, &table, look.width, look.color);
}

void report_map_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_network *network, const struct sator_map_result *const *results,
        int n_results, struct look look)
{
    struct map_writer w = {.text = text, .arena = arena, .look = look};

    if (network != NULL) {
        write_network(&w, network, results, n_results);
        return;
    }
    for (int i = 0; i < n_results; i++) {
        w.result = results[i];
        sator_text_add(text, "%s", i == 0 ? "" : "\n");
        map_text_one(&w);
    }
}
