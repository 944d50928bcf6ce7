#include "report/timing.h"

#include <string.h>

const char *report_timing(const struct report_timed *rows, int n)
{
    for (int i = 1; i < n; i++) {
        if (strcmp(rows[i].timing, rows[0].timing) != 0)
            return "mixed";
    }
    return n > 0 ? rows[0].timing : "scheduled";
}

static bool is_like(const struct report_timed *a, const struct report_timed *b)
{
    return a->unscheduled != NULL && b->unscheduled != NULL &&
            strcmp(a->unscheduled, b->unscheduled) == 0;
}

void report_write_unscheduled(
        struct sator_text *text, struct sator_arena *arena, const struct report_timed *rows, int n)
{
    for (int i = 0; i < n; i++) {
        bool is_said = false;
        int n_alike = 0;
        for (int k = 0; k < n; k++) {
            is_said |= k < i && is_like(&rows[k], &rows[i]);
            n_alike += is_like(&rows[k], &rows[i]);
        }
        if (n_alike == 0 || is_said)
            continue;
        sator_text_add(text, "  roofline, a lower bound: ");
        for (int k = 0, n_named = 0; k < n && n_alike < n; k++) {
            if (is_like(&rows[k], &rows[i]))
                sator_text_add(text, "%s%s", n_named++ == 0 ? "" : ", ",
                        report_clean(arena, rows[k].name));
        }
        sator_text_add(text, "%s (%s)\n", n_alike < n ? "" : "all latencies", rows[i].unscheduled);
    }
}

const struct report_timed *report_network_timed(
        struct sator_arena *arena, const struct sator_network_result *network)
{
    struct report_timed *rows = SATOR_NEW_ARRAY(arena, struct report_timed, network->n_layers + 1);

    for (int i = 0; i < network->n_layers; i++) {
        const struct sator_result *result = network->layers[i].result;
        rows[i] =
                (struct report_timed){network->layers[i].name, result->timing, result->unscheduled};
    }
    return rows;
}
