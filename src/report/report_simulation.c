/* An execution beside its analysis, as text and JSON. */
#include "sator/simulate.h"

#include "base/arguments.h"
#include "report/json.h"
#include "report/report.h"

#include <math.h>

static const char *word_of(const struct sator_simulation *s, bool equal)
{
    return !s->is_whole ? "unknown" : equal ? "equal" : "different";
}

/* ---- JSON ---- */

static void put_difference(cJSON *list, struct sator_arena *arena,
        const struct sator_simulation_difference *difference)
{
    cJSON *made = json_append(list, cJSON_CreateObject());

    json_put_text(made, "text", arena, difference->text);
    json_put_text(made, "instance", arena, difference->instance);
    json_put_text(made, "pe", arena, difference->pe);
    json_put_text(made, "port", arena, difference->port);
    if (difference->cycle >= 0)
        json_put_small(made, "cycle", difference->cycle);
    else
        json_put(made, "cycle", cJSON_CreateNull());
}

static char *to_json(struct sator_arena *arena, const struct sator_simulation *s, int schema)
{
    cJSON *root = cJSON_CreateObject();

    json_put_text(root, "workload", arena, s->workload);
    json_put_text(root, "arch", arena, s->arch);
    json_put_text(root, "dataflow", arena, s->dataflow);
    json_put_text(root, "space", arena, s->space);
    json_put_text(root, "time", arena, s->time);
    json_put(root, "complete", cJSON_CreateBool(s->is_whole));
    json_put_count(root, "instances", s->instances);
    json_put_count(root, "time_stamps", s->time_stamps);
    json_put_count(root, "words", s->words);
    json_put_text(root, "values", arena, word_of(s, s->values_are_equal));
    json_put_text(root, "counts", arena, word_of(s, s->counts_are_equal));
    if (s->cycles >= 0)
        json_put_small(root, "cycles", s->cycles);
    else
        json_put(root, "cycles", cJSON_CreateNull());
    json_put_number(root, "model_cycles", s->model_cycles);
    json_put_number(root, "roofline_cycles", s->roofline_cycles);
    cJSON *stalls = json_put_object(root, "stalls");
    for (int i = 0; i < s->n_stalls; i++)
        json_put_small(stalls, report_utf8(arena, s->stalls[i].port), s->stalls[i].cycles);
    cJSON *differences = json_put_array(root, "differences");
    for (int i = 0; i < s->n_kept; i++)
        put_difference(differences, arena, &s->differences[i]);
    json_put_small(root, "n_differences", s->n_differences);
    json_put_count(root, "memory_bytes", s->bytes);
    return json_print(root, schema);
}

/* ---- text ---- */

static void write_time(
        struct sator_text *out, struct sator_arena *arena, const struct sator_simulation *s)
{
    if (s->cycles < 0)
        return;
    report_line(out, "cycles", "%s executed, %s analysed, at least %s (roofline)",
            report_count(arena, s->cycles), report_number(arena, s->model_cycles, 2),
            report_number(arena, ceil(s->roofline_cycles), 2));
    for (int i = 0; i < s->n_stalls; i++)
        report_line(out, i == 0 ? "waiting" : "", "%s for %s",
                report_counted(arena, s->stalls[i].cycles, "cycle"),
                report_clean(arena, s->stalls[i].port));
}

static char *to_text(struct sator_arena *arena, const struct sator_simulation *s, struct look look)
{
    struct sator_text out = {0};

    report_line(&out, "workload", "%s: %s in %s%s", report_clean(arena, s->workload),
            report_counted(arena, s->instances, "loop instance"),
            report_counted(arena, s->time_stamps, "time-stamp"),
            s->is_whole ? "" : " until it was interrupted");
    report_line(&out, "arch", "%s", report_clean(arena, s->arch));
    report_line(&out, "dataflow", "%s", report_clean(arena, s->dataflow));
    report_line(&out, "  space", "%s", report_clean(arena, s->space));
    report_line(&out, "  time", "%s", report_clean(arena, s->time));
    report_section(&out, "Execution", look);
    report_line(&out, "values", "%s%s", word_of(s, s->values_are_equal),
            s->is_whole ? " to the loop nest in order" : "");
    report_line(&out, "counts", "%s%s; %s words moved", word_of(s, s->counts_are_equal),
            s->is_whole ? " to the analysis" : "", report_count(arena, s->words));
    write_time(&out, arena, s);
    if (s->n_differences > 0)
        report_section(&out, "Differences", look);
    for (int i = 0; i < s->n_kept; i++)
        sator_text_add(&out, "  %s\n", report_clean(arena, s->differences[i].text));
    if (s->n_differences > s->n_kept)
        sator_text_add(&out, "  and %d more\n", s->n_differences - s->n_kept);
    return report_take(&out, look);
}

enum sator_status sator_report_simulation(struct sator_ctx *ctx,
        const struct sator_simulation *simulation, const struct sator_report_options *options,
        char **text)
{
    struct sator_report_options own;
    SATOR_NEEDS(ctx, simulation != NULL && text != NULL);
    SATOR_CALL(ctx, return SATOR_NOMEM)
    SATOR_OPTIONS(ctx, options, own);
    struct sator_arena *arena = sator_arena_new();

    if (own.format != SATOR_FORMAT_TEXT && own.format != SATOR_FORMAT_JSON) {
        sator_arena_free(arena);
        return sator_misuse(ctx, "an execution is written as text or JSON");
    }
    *text = own.format == SATOR_FORMAT_JSON ? to_json(arena, simulation, own.schema)
                                            : to_text(arena, simulation, report_look(&own));
    sator_arena_free(arena);
    return SATOR_OK;
}
