#include "report/map.h"

#include "base/arguments.h"
#include "base/checked.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const char *report_map_objective(enum sator_map_objective objective)
{
    static const char *const names[] = {"edp", "energy", "latency"};

    return names[objective];
}

const char *report_map_unit(enum sator_map_objective objective)
{
    static const char *const units[] = {"pJ x cycles", "pJ", "cycles"};

    return units[objective];
}

const char *report_map_strategy(enum sator_map_strategy strategy)
{
    static const char *const names[] = {"optimal", "sunstone", "random", "exhaustive"};

    return names[strategy];
}

const struct report_timed *report_maps_timed(
        struct sator_arena *arena, const struct sator_map_result *const *results, int n_results)
{
    struct report_timed *rows = SATOR_NEW_ARRAY(arena, struct report_timed, n_results + 1);

    for (int i = 0; i < n_results; i++)
        rows[i] = (struct report_timed){
                results[i]->workload, results[i]->timing, results[i]->unscheduled};
    return rows;
}

struct report_map_totals report_map_totals(const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results)
{
    struct report_map_totals t = {
            .known = network->n_unmapped == 0, .proved = network->n_unmapped == 0};
    double pe_steps = 0, busy = 0;
    bool expects = false, skips = false;

    for (int i = 0; i < n_results; i++) {
        const struct sator_map_result *r = results[i];
        sator_int instances;
        double steps = (double)r->time_stamps * r->repeat;
        t.known &= sator_mul(r->instances, r->repeat, &instances) &&
                sator_add(t.instances, instances, &t.instances);
        report_control_add(&t.control, &r->control, r->n_energy_terms, r->energy_terms, r->repeat);
        t.pj += r->energy_pj * r->repeat;
        expects |= !isnan(r->expected_energy_pj);
        t.expected_pj +=
                r->repeat * (isnan(r->expected_energy_pj) ? r->energy_pj : r->expected_energy_pj);
        t.cycles += r->total_cycles * r->repeat;
        skips |= !isnan(r->expected_cycles);
        t.expected_cycles +=
                r->repeat * (isnan(r->expected_cycles) ? r->total_cycles : r->expected_cycles);
        busy += r->utilization * steps;
        pe_steps += steps;
        t.proved &= r->proved;
        t.n_unproved += !r->proved;
        t.evaluated += (double)r->counters.evaluated;
        t.seconds += r->seconds;
    }
    t.utilization = busy / pe_steps;
    t.edp = t.pj * t.cycles;
    if (!t.known)
        t.pj = t.cycles = t.edp = t.utilization = NAN;
    if (!t.known || !expects)
        t.expected_pj = NAN;
    if (!t.known || !skips)
        t.expected_cycles = NAN;
    return t;
}

/* ---- CSV ---- */

static void csv_name(struct sator_text *text, const char *name)
{
    sator_text_add(text, "\"");
    for (const char *c = name; *c != '\0'; c++)
        sator_text_add(text, *c == '"' ? "\"\"" : "%c", *c);
    sator_text_add(text, "\"");
}

static void csv_number(struct sator_text *text, double number)
{
    if (isfinite(number))
        sator_text_add(text, ",%.15g", number);
    else
        sator_text_add(text, ",");
}

static void write_csv_header(struct sator_text *text)
{
    sator_text_add(text,
            "workload,repeat,arch,strategy,objective,energy_pj,latency_cycles,edp,"
            "utilization,bound_by,proved,bound,gap,evaluated,seconds,timing\n");
}

static void write_csv(
        struct sator_text *text, const struct sator_map_result *const *results, int n_results)
{
    for (int i = 0; i < n_results; i++) {
        const struct sator_map_result *r = results[i];
        csv_name(text, r->workload);
        sator_text_add(text, ",%d,", r->repeat);
        csv_name(text, r->arch);
        sator_text_add(text, ",%s,%s", report_map_strategy(r->strategy),
                report_map_objective(r->objective));
        csv_number(text, r->energy_pj);
        csv_number(text, r->total_cycles);
        csv_number(text, r->edp);
        csv_number(text, r->utilization);
        sator_text_add(text, ",%s,%s", r->bound_by, r->proved ? "true" : "false");
        csv_number(text, r->bound);
        csv_number(text, r->gap);
        sator_text_add(text, ",%llu", (unsigned long long)r->counters.evaluated);
        csv_number(text, r->seconds);
        sator_text_add(text, ",%s\n", r->timing);
    }
}

/* ---- the public functions ---- */

static enum sator_status take(struct sator_text *made, struct sator_arena *arena,
        const struct sator_report_options *options, char **text)
{
    *text = report_finish(made, options);
    sator_arena_free(arena);
    return SATOR_OK;
}

enum sator_status sator_report_maps(struct sator_ctx *ctx, const struct sator_map_network *network,
        const struct sator_map_result *const *results, int n_results,
        const struct sator_report_options *options, char **text)
{
    SATOR_CALL(ctx, return SATOR_NOMEM)
    struct sator_map_network own_network, *whole = NULL;
    if (network != NULL) {
        SATOR_OPTIONS(ctx, network, own_network);
        whole = &own_network;
        SATOR_NEEDS(ctx, whole->name != NULL);
        SATOR_TEXTS(ctx, whole->unmapped, whole->n_unmapped);
    }
    struct sator_report_options own;
    SATOR_NEEDS(ctx, text != NULL);
    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    SATOR_NUMBER(ctx, n_results, 0, INT_MAX);
    SATOR_NEEDS(ctx, report_has_results((const void *const *)results, n_results));
    struct sator_arena *arena = sator_arena_new();
    struct sator_text made = {0};

    if (options->format == SATOR_FORMAT_JSON)
        report_map_json(&made, arena, whole, results, n_results, options->schema);
    else if (report_is_csv(options->format)) {
        write_csv_header(&made);
        write_csv(&made, results, n_results);
    } else
        report_map_text(&made, arena, whole, results, n_results, report_look(options));
    return take(&made, arena, options, text);
}

/* The caller's machines, whose struct may be of another size, as "own". */
static enum sator_status take_machines(struct sator_ctx *ctx,
        const struct sator_map_machine *machines, int n_machines, struct sator_map_machine *own)
{
    const char *next = (const char *)machines;

    for (int i = 0; i < n_machines; i++) {
        size_t size;
        SATOR_OPTIONS(ctx, next, own[i]);
        memcpy(&size, next, sizeof size);
        next += size == 0 ? sizeof *machines : size;
        SATOR_NEEDS(ctx, own[i].arch != NULL && own[i].network != NULL);
        SATOR_NUMBER(ctx, own[i].n_results, 0, INT32_MAX);
        SATOR_NEEDS(ctx, own[i].results != NULL || own[i].n_results == 0);
    }
    return SATOR_OK;
}

enum sator_status sator_report_machines(struct sator_ctx *ctx,
        const struct sator_map_machine *given, int n_machines,
        const struct sator_report_options *options, char **text)
{
    struct sator_report_options own;
    SATOR_NEEDS(ctx, text != NULL && given != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_NUMBER(ctx, n_machines, 1, INT32_MAX);
    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    struct sator_arena *arena = sator_arena_new();
    struct sator_map_machine *machines =
            SATOR_NEW_ARRAY(arena, struct sator_map_machine, n_machines);
    enum sator_status st = take_machines(ctx, given, n_machines, machines);
    if (st != SATOR_OK) {
        sator_arena_free(arena);
        return st;
    }
    struct sator_text made = {0};

    if (options->format == SATOR_FORMAT_JSON) {
        report_machines_json(&made, arena, machines, n_machines, options->schema);
    } else if (report_is_csv(options->format)) {
        write_csv_header(&made);
        for (int i = 0; i < n_machines; i++)
            write_csv(&made, machines[i].results, machines[i].n_results);
    } else {
        report_machines_text(&made, arena, machines, n_machines, report_look(options));
    }
    return take(&made, arena, options, text);
}

static void front_csv(struct sator_text *text, const struct sator_map_front *front)
{
    sator_text_add(text, "energy_pj,latency_cycles,edp");
    for (int i = 0; i < front->n_layers; i++) {
        sator_text_add(text, ",");
        csv_name(text, front->layers[i].name);
    }
    sator_text_add(text, "\n");
    for (int i = 0; i < front->n_points; i++) {
        const struct sator_map_point *point = &front->points[i];
        sator_text_add(text, "%.15g", point->energy_pj);
        csv_number(text, point->total_cycles);
        csv_number(text, point->energy_pj * point->total_cycles);
        for (int k = 0; k < front->n_layers; k++)
            sator_text_add(text, ",%d", point->choices[k]);
        sator_text_add(text, "\n");
    }
}

enum sator_status sator_report_network_front(struct sator_ctx *ctx,
        const struct sator_map_front *front, const struct sator_report_options *options,
        char **text)
{
    struct sator_report_options own;
    SATOR_NEEDS(ctx, text != NULL && front != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    struct sator_arena *arena = sator_arena_new();
    struct sator_text made = {0};

    if (options->format == SATOR_FORMAT_JSON)
        report_network_front_json(&made, arena, front, options->schema);
    else if (report_is_csv(options->format))
        front_csv(&made, front);
    else
        report_network_front_text(&made, arena, front, report_look(options));
    return take(&made, arena, options, text);
}

enum sator_status sator_report_front(struct sator_ctx *ctx,
        const struct sator_map_result *const *results, int n_results, bool complete,
        const struct sator_report_options *options, char **text)
{
    struct sator_report_options own;
    SATOR_NEEDS(ctx, text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    options = &own;
    SATOR_NUMBER(ctx, options->format, SATOR_FORMAT_TEXT, SATOR_FORMAT_LATEX);
    SATOR_NUMBER(ctx, n_results, 0, INT_MAX);
    SATOR_NEEDS(ctx, report_has_results((const void *const *)results, n_results));
    struct sator_arena *arena = sator_arena_new();
    struct sator_text made = {0};

    if (options->format == SATOR_FORMAT_JSON)
        report_front_json(&made, arena, results, n_results, complete, options->schema);
    else if (report_is_csv(options->format)) {
        write_csv_header(&made);
        write_csv(&made, results, n_results);
    } else
        report_front_text(&made, arena, results, n_results, complete, report_look(options));
    return take(&made, arena, options, text);
}
