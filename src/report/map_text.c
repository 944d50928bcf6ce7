/* Mappings as text: the loop nest with what each memory holds, traffic, energy, certificate. */
#include "report/expected.h"
#include "report/map.h"
#include "report/physical.h"

#include <math.h>
#include <string.h>

struct writer {
    struct sator_text *text;
    struct sator_arena *arena;
    const struct sator_map_result *result;
    struct look look;
};

static const char *energy(struct writer *w, double pj)
{
    double unit_pj;

    if (isnan(pj))
        return "-";
    const char *unit = report_energy_unit(pj, &unit_pj);
    return sator_arena_printf(w->arena, "%s %s", report_fixed(w->arena, pj / unit_pj, 2), unit);
}

static const char *edp(struct writer *w, double value)
{
    return isnan(value) ? "-" : sator_arena_printf(w->arena, "%.4g", value);
}

/* A gap that is there is not 0.0%. */
static const char *percent(struct writer *w, double gap)
{
    return sator_arena_printf(w->arena, gap < 5e-4 ? "%.1g" : "%.1f", gap * 100);
}

/* "proved optimal", or how far from it. */
static const char *verdict(struct writer *w)
{
    const struct sator_map_result *r = w->result;

    if (r->proved)
        return "proved optimal";
    if (isfinite(r->gap))
        return sator_arena_printf(
                w->arena, "not proved: at most %s%% above the optimum", percent(w, r->gap));
    return r->strategy == SATOR_MAP_OPTIMAL || r->strategy == SATOR_MAP_EXHAUSTIVE
            ? "not proved, and no bound is known"
            : "no proof: this strategy gives no bound";
}

/* Where times of some mappings have no formula, the search for the best of them ends with the bound
 * of another, which has its proof. */
static bool is_bound_by_rooflines(const struct sator_map_result *r)
{
    return !r->proved && r->stopped == SATOR_OK && isfinite(r->gap) &&
            strcmp(r->timing, "scheduled") == 0;
}

static const char bound_of_rooflines[] =
        "the bound is of rooflines: with the timing \"roofline\" their optimum is proved";

/* What a reader who knows the machine would miss. */
static void write_idle_links(struct writer *w, const struct sator_map_result *r)
{
    if (r->idle_links != NULL)
        report_line(w->text, "idle links", "%s: to a later stamp, and carry nothing here",
                report_clean(w->arena, r->idle_links));
}

/* The skew chosen, and what it gains. */
static void write_skew(struct writer *w)
{
    static const char *const units[] = {"EDP", "energy", "cycles"};
    const struct sator_map_result *r = w->result;

    if (r->skew == NULL)
        return;
    if (isnan(r->unskewed))
        report_line(w->text, "skew", "%s, of %d", report_clean(w->arena, r->skew), r->n_skews);
    else
        report_line(w->text, "skew", "%s, of %d: the same loops without take %.4g times the %s",
                report_clean(w->arena, r->skew), r->n_skews, r->unskewed / r->value,
                units[r->objective]);
}

static void write_order(struct writer *w, const struct sator_map_result *r)
{
    if (r->order != NULL)
        report_line(
                w->text, "order", "kept by searching only: %s", report_clean(w->arena, r->order));
}

static bool is_said(const struct sator_map_result *const *results, int n_results, const char *what)
{
    for (int i = 0; i < n_results; i++) {
        for (int k = 0; k < results[i]->n_left_out && results[i]->proved; k++) {
            if (strcmp(results[i]->left_out[k], what) == 0)
                return true;
        }
    }
    return false;
}

/* What the proofs are not about, each once. */
static void write_left_out(
        struct writer *w, const struct sator_map_result *const *results, int n_results)
{
    bool any = false;

    for (int i = 0; i < n_results; i++) {
        for (int k = 0; k < results[i]->n_left_out && results[i]->proved; k++) {
            const char *what = results[i]->left_out[k];
            if (is_said(results, i, what))
                continue;
            report_line(w->text, any ? "" : "left out", "%s", report_clean(w->arena, what));
            any = true;
        }
    }
}

static struct physical physical_of(const struct sator_map_result *r)
{
    return report_physical(
            (double)r->instances, r->total_cycles, r->energy_pj, r->clock_mhz, r->area_um2);
}

/* A line of its own, where anything is known. */
static void write_physical(struct writer *w, const struct physical *physical)
{
    const char *text = report_physical_text(w->arena, physical);

    if (*text != '\0')
        report_line(w->text, "", "%s", text);
}

static void write_header(struct writer *w)
{
    const struct sator_map_result *r = w->result;
    const struct physical physical = physical_of(r);

    report_line(w->text, "workload", "%s: %s", report_clean(w->arena, r->workload),
            report_counted(w->arena, r->instances, "loop instance"));
    report_line(w->text, "arch", "%s: %s", report_clean(w->arena, r->arch),
            report_counted(w->arena, r->pes, "PE"));
    report_line(w->text, "mapping", "%s, objective %s: %s", report_map_strategy(r->strategy),
            report_map_objective(r->objective), verdict(w));
    if (is_bound_by_rooflines(r))
        report_line(w->text, "", "%s", bound_of_rooflines);
    write_left_out(w, &w->result, 1);
    write_skew(w);
    report_line(w->text, "energy", "%s", energy(w, r->energy_pj));
    const struct report_control control =
            report_control_of(&r->control, r->n_energy_terms, r->energy_terms);
    if (control.instruction_bits > 0)
        report_line(w->text, "control", "%s; chosen without it",
                report_control_text(w->arena, &control, r->energy_pj));
    report_line(w->text, "latency", "%s, bound by %s",
            report_quantity(w->arena, r->total_cycles, 1, "cycle"),
            report_clean(w->arena, r->bound_by));
    if (strcmp(r->timing, "scheduled") == 0)
        report_line(w->text, "roofline", "%s",
                report_quantity(w->arena, r->roofline_cycles, 1, "cycle"));
    if (!isnan(r->expected_cycles))
        report_line(w->text, "", "at least %s expected where zeros are skipped",
                report_quantity(w->arena, r->expected_cycles, 1, "cycle"));
    if (strcmp(r->timing, "scheduled") != 0)
        report_line(w->text, "", "the roofline, a lower bound%s%s",
                r->unscheduled == NULL ? "" : ": ", r->unscheduled == NULL ? "" : r->unscheduled);
    write_physical(w, &physical);
    report_line(w->text, "EDP", "%s%s", edp(w, r->edp), isnan(r->edp) ? "" : " pJ x cycles");
    report_line(w->text, "utilization", "%.1f%%; %s of %s %s work", r->utilization * 100,
            report_count(w->arena, r->active_pes), report_counted(w->arena, r->pes, "PE"),
            r->active_pes == 1 ? "has" : "have");
    write_idle_links(w, r);
    write_order(w, r);
}

static void indent(struct writer *w, int depth)
{
    sator_text_add(w->text, "  %*s", 2 * depth, "");
}

static void draw_memory(struct writer *w, const struct sator_map_level *level, int *depth)
{
    indent(w, *depth);
    sator_text_add(w->text, "%s holds ", report_clean(w->arena, level->name));
    const struct sator_level_result *contents = level->contents;
    for (int i = 0; i < contents->n_tensors; i++)
        sator_text_add(w->text, "%s%s %s", i == 0 ? "" : ", ",
                report_clean(w->arena, contents->tensors[i].name),
                i + 1 < contents->n_tensors
                        ? report_count(w->arena, contents->tensors[i].tile_words)
                        : report_counted(w->arena, contents->tensors[i].tile_words, "word"));
    sator_text_add(w->text, "%s", contents->n_tensors == 0 ? "nothing" : "");
    for (int i = 0; i < level->n_fills; i++) {
        const struct sator_map_fill *fill = &level->fills[i];
        sator_text_add(w->text, "; ");
        if (level->n_fills > 1)
            sator_text_add(w->text, "%s ", report_clean(w->arena, fill->tensors));
        sator_text_add(w->text, "%s of %s %s, %.0f%% full", report_number(w->arena, fill->used, 1),
                report_number(w->arena, fill->available, 1), fill->unit,
                fill->used / fill->available * 100);
    }
    for (int i = 0; i < level->n_bypassed; i++)
        sator_text_add(w->text, "%s%s%s", i == 0 ? "; " : ", ",
                report_clean(w->arena, level->bypassed[i]),
                i < level->n_bypassed - 1        ? ""
                        : level->n_bypassed == 1 ? " bypasses"
                                                 : " bypass");
    sator_text_add(w->text, "\n");
    for (int i = 0; i < level->n_loops; i++) {
        indent(w, ++*depth);
        sator_text_add(w->text, "for %s in %lld\n", report_clean(w->arena, level->loops[i].name),
                (long long)level->loops[i].factor);
    }
}

static void draw_array(struct writer *w, const struct sator_map_level *level, int *depth)
{
    indent(w, ++*depth);
    sator_text_add(w->text, "parallel on %s", report_clean(w->arena, level->name));
    for (int d = 0; d < level->n_dims; d++) {
        bool any = false;
        sator_text_add(w->text, "%s", d == 0 ? ": " : " x ");
        for (int i = 0; i < level->n_loops; i++) {
            if (level->loops[i].dim != d)
                continue;
            sator_text_add(w->text, "%s%s %lld", any ? ", " : "(",
                    report_clean(w->arena, level->loops[i].name),
                    (long long)level->loops[i].factor);
            any = true;
        }
        sator_text_add(w->text, "%s%lld of %lld", any ? ") " : "", (long long)level->used[d],
                (long long)level->shape[d]);
    }
    sator_text_add(w->text, "\n");
}

static void draw(struct writer *w)
{
    int depth = 0;

    report_section(w->text, "Loop nest", w->look);
    for (int i = 0; i < w->result->n_levels; i++) {
        const struct sator_map_level *level = &w->result->levels[i];
        if (level->is_array)
            draw_array(w, level, &depth);
        else
            draw_memory(w, level, &depth);
    }
    indent(w, depth + 1);
    sator_text_add(w->text, "one instance\n");
}

static void write_traffic(struct writer *w)
{
    static const char *const headers[] = {"tile", "fills", "writes", "reads", "updates"};
    struct sator_grid table = {.arena = w->arena};

    report_section(w->text, "Accesses (words)", w->look);
    sator_grid_column(&table, "level", "", true);
    sator_grid_column(&table, "tensor", "", true);
    sator_grid_key(&table);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        sator_grid_column(&table, headers[i], "", false);
    for (int i = 0; i < w->result->n_levels; i++) {
        const struct sator_map_level *level = &w->result->levels[i];
        for (int k = 0; !level->is_array && k < level->contents->n_tensors; k++) {
            const struct sator_level_tensor *t = &level->contents->tensors[k];
            sator_grid_cell(&table, report_clean(w->arena, level->name), false);
            sator_grid_cell(&table,
                    sator_arena_printf(w->arena, "%s (%s)", report_clean(w->arena, t->name),
                            report_role_name(t->role)),
                    false);
            sator_grid_cell(&table, report_count(w->arena, t->tile_words), false);
            sator_grid_cell(&table, report_count(w->arena, t->fills), false);
            sator_grid_cell(&table, report_count(w->arena, t->writes), false);
            sator_grid_cell(&table, report_count(w->arena, t->reads), false);
            sator_grid_cell(&table, report_count(w->arena, t->updates), false);
        }
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

static void write_energy(struct writer *w)
{
    const struct sator_map_result *r = w->result;
    struct sator_grid table = {.arena = w->arena};

    report_section(w->text, "Energy", w->look);
    sator_grid_column(&table, "component", "", true);
    sator_grid_column(&table, "actions", "", false);
    sator_grid_column(&table, "pJ each", "", false);
    sator_grid_column(&table, "pJ", "", false);
    sator_grid_column(&table, "share", "", false);
    for (int i = 0; i < r->n_energy_terms; i++) {
        const struct sator_energy_term *t = &r->energy_terms[i];
        sator_grid_cell(&table, report_clean(w->arena, t->component), false);
        sator_grid_cell(&table, report_count(w->arena, t->actions), false);
        sator_grid_cell(&table, report_number(w->arena, t->pj_per_action, 4), false);
        sator_grid_cell(&table, report_number(w->arena, t->pj, 1), false);
        sator_grid_cell(&table,
                isnan(r->energy_pj)
                        ? "-"
                        : sator_arena_printf(w->arena, "%.1f%%", t->pj / r->energy_pj * 100),
                false);
    }
    sator_grid_text(w->text, &table, w->look.width, w->look.color);
}

static const char *counted(const struct writer *w, uint64_t count, const char *noun)
{
    return report_counted(w->arena, (sator_int)count, noun);
}

static void write_certificate(struct writer *w)
{
    const struct sator_map_result *r = w->result;
    const struct sator_map_counters *c = &r->counters;
    const char *unit = report_map_unit(r->objective);

    report_section(w->text, "Certificate", w->look);
    report_line(
            w->text, "best", "%.10g %s (%s)", r->value, unit, report_map_objective(r->objective));
    if (isfinite(r->bound))
        report_line(w->text, "bound", "no mapping of the space is below %.10g %s; gap %.3g%%",
                r->bound, unit, r->gap * 100);
    if (isfinite(r->space_size))
        report_line(
                w->text, "space", "%.3g mapping%s", r->space_size, r->space_size == 1 ? "" : "s");
    report_line(w->text, "evaluated", "%s, in %.1f ms", counted(w, c->evaluated, "whole mapping"),
            r->seconds * 1e3);
    if (c->equal > 0)
        report_line(w->text, "",
                "%s more %s the same as one of them: only loops along which "
                "nothing is kept stand in another order",
                report_count(w->arena, (sator_int)c->equal), c->equal == 1 ? "costs" : "cost");
    report_line(w->text, "looked at", "%s (what runs in parallel), %s, %s",
            counted(w, c->unrollings, "unrolling"), counted(w, c->tilings, "tile"),
            counted(w, c->orders, "loop order"));
    report_line(w->text, "ruled out", "%s, %s, %s: whatever the rest, none beats the best",
            counted(w, c->pruned_unrolling, "unrolling"), counted(w, c->pruned_tiling, "tile"),
            counted(w, c->pruned_order, "order"));
    report_line(w->text, "", "%s that %s not fit; %s that a larger one is as good as",
            counted(w, c->pruned_capacity, "tile"), c->pruned_capacity == 1 ? "does" : "do",
            report_count(w->arena, (sator_int)c->pruned_dominated));
}

static void write_one(struct writer *w)
{
    const struct sator_map_result *r = w->result;

    write_header(w);
    draw(w);
    write_traffic(w);
    write_energy(w);
    report_expected_write(w->text, w->arena,
            &(struct report_expected){r->expected_energy_pj, r->n_savings, r->savings}, w->look);
    report_section(w->text, "Dataflow", w->look);
    report_line(w->text, "space", "%s", report_clean(w->arena, r->space));
    report_line(w->text, "time", "%s", report_clean(w->arena, r->time));
    report_line(w->text, "cuts", "%s", report_clean(w->arena, r->cuts));
    write_certificate(w);
}

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
        struct writer *w, int n_results, const struct report_map_totals *totals)
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
        ms = fmin(ms, physical_of(results[i]).ms);
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

static void cost_cells(struct writer *w, struct sator_grid *table, const struct units *units,
        const struct sator_map_result *r)
{
    sator_grid_cell(table, report_fixed(w->arena, r->energy_pj / units->pj, 2), false);
    sator_grid_cell(table, report_number(w->arena, r->total_cycles, 0), false);
    if (units->timed)
        sator_grid_cell(table, report_fixed(w->arena, physical_of(r).ms / units->ms, 2), false);
    sator_grid_cell(table, edp(w, r->edp), false);
    sator_grid_cell(table, report_fixed(w->arena, r->utilization * 100, 1), false);
}

static const char *proof(struct writer *w, const struct sator_map_result *r)
{
    return r->proved           ? "optimal"
            : isfinite(r->gap) ? sator_arena_printf(w->arena, "gap %s%%", percent(w, r->gap))
                               : "none";
}

static void layer_table(struct writer *w, struct sator_grid *table,
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
static void write_timing(struct writer *w, const struct report_timed *rows, int n)
{
    report_write_unscheduled(w->text, w->arena, rows, n);
    if (n > 0 && strcmp(report_timing(rows, n), "roofline") == 0 && rows[0].unscheduled == NULL)
        sator_text_add(w->text, "  latencies are rooflines, lower bounds\n");
}

static void write_network(struct writer *w, const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results)
{
    struct sator_grid table = {.arena = w->arena};
    struct report_map_totals t = report_map_totals(network, results, n_results);

    report_line(w->text, "network", "%s", report_clean(w->arena, network->name));
    if (n_results > 0)
        report_line(w->text, "mapping", "%s on %s, objective %s",
                report_map_strategy(results[0]->strategy), report_clean(w->arena, results[0]->arch),
                report_map_objective(results[0]->objective));
    write_left_out(w, results, n_results);
    if (n_results > 0 && same_idle_links(results, n_results))
        write_idle_links(w, results[0]);
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
        if (is_bound_by_rooflines(results[i]) && n++ == 0)
            sator_text_add(w->text, "  where nothing is proved %s\n", bound_of_rooflines);
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
    report_line(w->text, "total", "%s, %s, EDP %s%s; %s; %.0f ms of search", energy(w, t.pj),
            report_quantity(w->arena, t.cycles, 0, "cycle"), edp(w, t.edp),
            isnan(t.edp) ? "" : " pJ x cycles", totals_verdict(w, n_results, &t), t.seconds * 1e3);
    if (n_results > 0) {
        const struct physical physical = report_physical(
                (double)t.instances, t.cycles, t.pj, results[0]->clock_mhz, results[0]->area_um2);
        write_physical(w, &physical);
    }
    if (!isnan(t.expected_pj))
        report_line(w->text, "expected", "%s where zeros are gated; chosen without it",
                energy(w, t.expected_pj));
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

static const char *machine_proof(struct writer *w, const struct machine_row *row)
{
    if (row->machine->network->n_unmapped > 0)
        return sator_arena_printf(w->arena, "%d not mapped", row->machine->network->n_unmapped);
    if (row->totals.n_unproved > 0)
        return sator_arena_printf(w->arena, "%d not proved", row->totals.n_unproved);
    return "optimal";
}

/* On which machines, of which layers latencies are lower bounds. */
static void write_machines_unscheduled(
        struct writer *w, const struct sator_map_machine *machines, int n_machines)
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
    struct writer writer = {.text = text, .arena = arena, .look = look}, *w = &writer;
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
        sator_grid_cell(&table, edp(w, t->edp), false);
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
    struct writer writer = {.text = text, .arena = arena, .look = look}, *w = &writer;
    const struct units units = choose_units(results, n_results);
    struct sator_grid table = {.arena = arena};

    report_line(w->text, "workload", "%s", report_clean(w->arena, results[0]->workload));
    report_line(w->text, "arch", "%s", report_clean(w->arena, results[0]->arch));
    report_line(w->text, "front",
            "%s%d mapping%s that none beats in both energy and latency, proved%s",
            complete ? "" : "the first ", n_results, n_results == 1 ? "" : "s",
            complete ? "" : "; stopped before the faster ones");
    report_line(w->text, "latency", "%s", of_rooflines);
    write_left_out(w, results, n_results);
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

static void write_front_heading(struct writer *w, const struct sator_map_front *front, int n_rows)
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
            energy(w, front->points[least].energy_pj),
            report_quantity(w->arena, front->points[least].total_cycles, 0, "cycle"),
            edp(w, front->points[least].energy_pj * front->points[least].total_cycles));
}

void report_network_front_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_front *front, struct look look)
{
    enum {
        MOST_ROWS = 24
    };
    struct writer writer = {.text = text, .arena = arena, .look = look}, *w = &writer;
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
        sator_grid_cell(&table, edp(w, point->energy_pj * point->total_cycles), false);
    }
    sator_grid_text(text, &table, look.width, look.color);
}

void report_map_text(struct sator_text *text, struct sator_arena *arena,
        const struct sator_map_network *network, const struct sator_map_result *const *results,
        int n_results, struct look look)
{
    struct writer w = {.text = text, .arena = arena, .look = look};

    if (network != NULL) {
        write_network(&w, network, results, n_results);
        return;
    }
    for (int i = 0; i < n_results; i++) {
        w.result = results[i];
        sator_text_add(text, "%s", i == 0 ? "" : "\n");
        write_one(&w);
    }
}
