/* What cycles and pJ are in seconds, watts and operations: where the architecture has a clock. */
#ifndef SATOR_REPORT_PHYSICAL_H
#define SATOR_REPORT_PHYSICAL_H

#include "report/json.h"

/* NAN: what it is made of is not known. */
struct physical {
    double clock_mhz, area_um2; /* of the machine */
    double ms; /* cycles / clock */
    double power_mw; /* energy / time */
    double tops; /* 10^12 operations a second; an instance is two: it multiplies and adds */
    double tops_per_watt; /* operations / energy: needs no clock */
};

struct physical report_physical(
        double instances, double cycles, double energy_pj, double clock_mhz, double area_um2);
/* "32.56 us at 700 MHz, 8.24 TOPS, 9.55 TOPS/W, 1.3 mm2": what is known; "" for nothing. */
const char *report_physical_text(struct sator_arena *arena, const struct physical *physical);
/* "us", "ms" or "s", whichever suits "ms", and its size in ms. */
const char *report_time_unit(double ms, double *unit_ms);
/* The members clock_mhz, ms, power_mw, tops, tops_per_watt and area_um2 of "object". */
void json_put_physical(cJSON *object, const struct physical *physical);

struct physical report_result_physical(const struct sator_result *result);
struct physical report_network_physical(const struct sator_network_result *network);

#endif
