#include "report/map.h"

#include <math.h>

const char *report_map_objective(enum sator_map_objective objective)
{
    static const char *const names[] = {"edp", "energy", "latency"};

    return names[objective];
}

const char *report_map_strategy(enum sator_map_strategy strategy)
{
    static const char *const names[] = {"optimal", "sunstone", "random", "exhaustive"};

    return names[strategy];
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

static void write_csv(
        struct sator_text *text, const struct sator_map_result *const *results, int n_results)
{
    sator_text_add(text,
            "workload,repeat,arch,strategy,objective,energy_pj,latency_cycles,edp,"
            "utilization,bound_by,proved,bound,gap,evaluated,seconds\n");
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
        sator_text_add(text, "\n");
    }
}

/* ---- the public function ---- */

enum sator_status sator_report_maps(struct sator_ctx *ctx, const char *name,
        const struct sator_map_result *const *results, int n_results,
        const struct sator_report_options *options, char **text)
{
    struct sator_arena *arena = sator_arena_new();
    struct sator_text made = {0};

    (void)ctx;
    switch (options->format) {
    case SATOR_FORMAT_JSON:
        report_map_json(&made, arena, name, results, n_results);
        break;
    case SATOR_FORMAT_CSV:
        write_csv(&made, results, n_results);
        break;
    default:
        report_map_text(&made, arena, name, results, n_results, options->color);
    }
    *text = sator_text_take(&made);
    sator_arena_free(arena);
    return SATOR_OK;
}
