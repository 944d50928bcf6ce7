#include "report/expected.h"

#include <math.h>

void report_expected_write(struct sator_text *text, struct sator_arena *arena,
        const struct report_expected *expected, struct look look)
{
    struct sator_grid table = {.arena = arena};
    double unit_pj, pj = expected->energy_pj;
    const char *unit = report_energy_unit(isnan(pj) ? 0 : pj, &unit_pj);

    if (expected->n_savings == 0)
        return;
    report_section(text, "Energy expected where zeros are gated", look);
    report_line(text, "total", "%s %s", report_number(arena, pj / unit_pj, 2), unit);
    sator_grid_column(&table, "gated", "", true);
    sator_grid_column(&table, "tensor", "", true);
    sator_grid_key(&table);
    sator_grid_column(&table, "actions", "", false);
    sator_grid_column(&table, "carried out", "%", false);
    sator_grid_column(&table, "saved", unit, false);
    for (int i = 0; i < expected->n_savings; i++) {
        const struct sator_saving *saving = &expected->savings[i];
        sator_grid_cell(&table, report_clean(arena, saving->component), false);
        sator_grid_cell(
                &table, saving->tensor == NULL ? "" : report_clean(arena, saving->tensor), false);
        sator_grid_cell(&table, report_count(arena, saving->actions), false);
        sator_grid_cell(&table, report_fixed(arena, 100 * saving->carried_out, 1), false);
        sator_grid_cell(&table, report_fixed(arena, saving->pj / unit_pj, 2), false);
    }
    sator_grid_text(text, &table, look.width, look.color);
}

void json_put_expected(
        cJSON *object, struct sator_arena *arena, const struct report_expected *expected)
{
    if (isnan(expected->energy_pj) && expected->n_savings == 0) {
        json_put(object, "energy_expected_pj", cJSON_CreateNull());
        return;
    }
    cJSON *put = json_put_object(object, "energy_expected_pj");
    json_put_number(put, "total", expected->energy_pj);
    cJSON *savings = json_put_array(put, "savings");
    for (int i = 0; i < expected->n_savings; i++) {
        const struct sator_saving *s = &expected->savings[i];
        cJSON *saving = json_append(savings, cJSON_CreateObject());
        json_put_text(saving, "component", arena, s->component);
        json_put_text(saving, "tensor", arena, s->tensor);
        json_put_count(saving, "actions", s->actions);
        json_put_number(saving, "carried_out", s->carried_out);
        json_put_number(saving, "pj", s->pj);
    }
}
