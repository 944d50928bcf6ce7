#include "report/physical.h"

#include <math.h>

static const double OPERATIONS_AN_INSTANCE = 2;

struct physical report_physical(
        double instances, double cycles, double energy_pj, double clock_mhz, double area_um2)
{
    double operations = OPERATIONS_AN_INSTANCE * instances;
    double ms = clock_mhz > 0 ? cycles / (clock_mhz * 1e3) : NAN;

    return (struct physical){.clock_mhz = clock_mhz,
            .area_um2 = area_um2,
            .ms = ms,
            .power_mw = energy_pj / ms * 1e-6, /* pJ a ms = 10^-9 W */
            .tops = operations / ms * 1e-9, /* operations a ms = 10^-9 of 10^12 a second */
            .tops_per_watt = operations / energy_pj}; /* operations a pJ = 10^12 a joule */
}

const char *report_time_unit(double ms, double *unit_ms)
{
    *unit_ms = ms < 1 ? 1e-3 : ms < 1000 ? 1 : 1000;
    return ms < 1 ? "us" : ms < 1000 ? "ms" : "s";
}

static void add_part(
        struct sator_text *text, struct sator_arena *arena, double value, const char *unit)
{
    if (isfinite(value))
        sator_text_add(text, "%s%s %s", text->length == 0 ? "" : ", ",
                report_number(arena, value, value < 0.1 ? 4 : 2), unit);
}

const char *report_physical_text(struct sator_arena *arena, const struct physical *physical)
{
    struct sator_text text = {0};
    double unit_ms;

    if (isfinite(physical->ms)) {
        const char *unit = report_time_unit(physical->ms, &unit_ms);
        add_part(&text, arena, physical->ms / unit_ms, unit);
        sator_text_add(&text, " at %s MHz", report_number(arena, physical->clock_mhz, 2));
    }
    add_part(&text, arena, physical->tops, "TOPS");
    add_part(&text, arena, physical->tops_per_watt, "TOPS/W");
    add_part(&text, arena, physical->area_um2 * 1e-6, "mm2");
    return sator_text_keep(&text, arena);
}

void json_put_physical(cJSON *object, const struct physical *physical)
{
    json_put_number(object, "clock_mhz", physical->clock_mhz);
    json_put_number(object, "ms", physical->ms);
    json_put_number(object, "power_mw", physical->power_mw);
    json_put_number(object, "tops", physical->tops);
    json_put_number(object, "tops_per_watt", physical->tops_per_watt);
    json_put_number(json_put_object(object, "area_um2"), "total", physical->area_um2);
}

struct physical report_result_physical(const struct sator_result *result)
{
    return report_physical((double)result->instances, result->total_cycles, result->energy_pj,
            result->clock_mhz, result->area_um2);
}

struct physical report_network_physical(const struct sator_network_result *network)
{
    return report_physical((double)network->instances, network->total_cycles, network->energy_pj,
            network->clock_mhz, network->area_um2);
}
