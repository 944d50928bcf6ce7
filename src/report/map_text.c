/* A mapping as text: the loop nest with what each memory holds, traffic, energy, certificate. */
#include "report/map_text.h"

#include "base/text.h"
#include "report/expected.h"
#include "report/physical.h"

#include <math.h>
#include <string.h>

const char *map_text_energy(struct map_writer *w, double pj)
{
    double unit_pj;

    if (isnan(pj))
        return "-";
    const char *unit = report_energy_unit(pj, &unit_pj);
    return sator_arena_printf(w->arena, "%s %s", report_fixed(w->arena, pj / unit_pj, 2), unit);
}

const char *map_text_edp(struct map_writer *w, double value)
{
    return isnan(value) ? "-" : sator_arena_printf(w->arena, "%.4g", value);
}

const char *map_text_percent(struct map_writer *w, double gap)
{
    return sator_arena_printf(w->arena, gap < 5e-4 ? "%.1g" : "%.1f", gap * 100);
}

/* "proved optimal", or how far from it. */
static const char *verdict(struct map_writer *w)
{
    const struct sator_map_result *r = w->result;

    if (r->proved)
        return "proved optimal";
    if (isfinite(r->gap))
        return sator_arena_printf(w->arena, "not proved: at most %s%% above the optimum",
                map_text_percent(w, r->gap));
    return r->strategy == SATOR_MAP_OPTIMAL || r->strategy == SATOR_MAP_EXHAUSTIVE
            ? "not proved, and no bound is known"
            : "no proof: this strategy gives no bound";
}

bool map_text_is_bound_by_rooflines(const struct sator_map_result *r)
{
    return !r->proved && r->stopped == SATOR_OK && isfinite(r->gap) &&
            strcmp(r->timing, "scheduled") == 0;
}

const char map_text_bound_of_rooflines[] =
        "the bound is of rooflines: the timing \"roofline\" may prove their optimum";

void map_text_idle_links(struct map_writer *w, const struct sator_map_result *r)
{
    if (r->idle_links != NULL)
        report_line(w->text, "idle links", "%s: to a later stamp, and carry nothing here",
                report_clean(w->arena, r->idle_links));
}

/* The skew chosen, and what it gains. */
static void write_skew(struct map_writer *w)
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

static void write_order(struct map_writer *w, const struct sator_map_result *r)
{
    if (r->order != NULL)
        report_line(
                w->text, "order", "kept by searching only: %s", report_clean(w->arena, r->order));
}

/* Whether it says how far from the optimum of its space it is at most; then it also says what that
 * space lacks. */
static bool has_bound(const struct sator_map_result *r)
{
    return r->proved || isfinite(r->gap);
}

static bool is_said(const struct sator_map_result *const *results, int n_results, const char *what)
{
    for (int i = 0; i < n_results; i++) {
        if (has_bound(results[i]) &&
                sator_lists(what, results[i]->n_left_out, results[i]->left_out))
            return true;
    }
    return false;
}

void map_text_left_out(
        struct map_writer *w, const struct sator_map_result *const *results, int n_results)
{
    bool any = false;

    for (int i = 0; i < n_results; i++) {
        for (int k = 0; k < results[i]->n_left_out && has_bound(results[i]); k++) {
            const char *what = results[i]->left_out[k];
            if (is_said(results, i, what))
                continue;
            report_line(w->text, any ? "" : "left out", "%s", report_clean(w->arena, what));
            any = true;
        }
    }
}

struct physical map_text_physical_of(const struct sator_map_result *r)
{
    return report_physical(
            (double)r->instances, r->total_cycles, r->energy_pj, r->clock_mhz, r->area_um2);
}

void map_text_physical(struct map_writer *w, const struct physical *physical)
{
    const char *text = report_physical_text(w->arena, physical);

    if (*text != '\0')
        report_line(w->text, "", "%s", text);
}

static void write_header(struct map_writer *w)
{
    const struct sator_map_result *r = w->result;
    const struct physical physical = map_text_physical_of(r);

    report_line(w->text, "workload", "%s: %s", report_clean(w->arena, r->workload),
            report_counted(w->arena, r->instances, "loop instance"));
    report_line(w->text, "arch", "%s: %s", report_clean(w->arena, r->arch),
            report_counted(w->arena, r->pes, "PE"));
    report_line(w->text, "mapping", "%s, objective %s: %s", report_map_strategy(r->strategy),
            report_map_objective(r->objective), verdict(w));
    if (map_text_is_bound_by_rooflines(r))
        report_line(w->text, "", "%s", map_text_bound_of_rooflines);
    map_text_left_out(w, &w->result, 1);
    write_skew(w);
    report_line(w->text, "energy", "%s", map_text_energy(w, r->energy_pj));
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
    map_text_physical(w, &physical);
    report_line(
            w->text, "EDP", "%s%s", map_text_edp(w, r->edp), isnan(r->edp) ? "" : " pJ x cycles");
    report_line(w->text, "utilization", "%.1f%%; %s of %s %s work", r->utilization * 100,
            report_count(w->arena, r->active_pes), report_counted(w->arena, r->pes, "PE"),
            r->active_pes == 1 ? "has" : "have");
    map_text_idle_links(w, r);
    write_order(w, r);
}

static void indent(struct map_writer *w, int depth)
{
    sator_text_add(w->text, "  %*s", 2 * depth, "");
}

/* The name of a tensor that a memory holds; with its role where it is read and written there. */
static const char *held_label(
        struct map_writer *w, const struct sator_level_result *contents, int tensor)
{
    const struct sator_level_tensor *own = &contents->tensors[tensor];
    const char *name = report_clean(w->arena, own->name);

    for (int i = 0; i < contents->n_tensors; i++) {
        if (i != tensor && strcmp(contents->tensors[i].name, own->name) == 0)
            return sator_arena_printf(w->arena, "%s(%s)", name, report_role_name(own->role));
    }
    return name;
}

static void draw_memory(struct map_writer *w, const struct sator_map_level *level, int *depth)
{
    indent(w, *depth);
    sator_text_add(w->text, "%s holds ", report_clean(w->arena, level->name));
    const struct sator_level_result *contents = level->contents;
    for (int i = 0; i < contents->n_tensors; i++)
        sator_text_add(w->text, "%s%s %s", i == 0 ? "" : ", ", held_label(w, contents, i),
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

static void draw_array(struct map_writer *w, const struct sator_map_level *level, int *depth)
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

static void draw(struct map_writer *w)
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

static void write_traffic(struct map_writer *w)
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

static void write_energy(struct map_writer *w)
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

static const char *counted(const struct map_writer *w, uint64_t count, const char *noun)
{
    return report_counted(w->arena, (sator_int)count, noun);
}

static void write_certificate(struct map_writer *w)
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

void map_text_one(struct map_writer *w)
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
