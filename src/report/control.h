/* What control takes (doc/model.md, section 8), of one result or of a network's, with repeats. */
#ifndef SATOR_REPORT_CONTROL_H
#define SATOR_REPORT_CONTROL_H

#include "report/json.h"

struct report_control {
    int instruction_bits; /* 0: the machine says nothing of it */
    bool known; /* the sums fit into 128 bits */
    sator_int loads, stores, reordered;
    double fetch_pj, reorder_pj;
};

/* Add a result, with its terms of the energy, "repeat" times. */
void report_control_add(struct report_control *control, const struct sator_control_cost *cost,
        int n_terms, const struct sator_energy_term *terms, int repeat);
/* One result's. */
struct report_control report_control_of(
        const struct sator_control_cost *cost, int n_terms, const struct sator_energy_term *terms);
/* All layers', with their repeats. */
struct report_control report_control_of_network(const struct sator_network_result *network);
/* "4,100,000 instructions of 256 bits, 5.0 % of the energy; ..."; "energy_pj" is all. */
const char *report_control_text(
        struct sator_arena *arena, const struct report_control *control, double energy_pj);
/* The member "control" of "object"; nothing where the machine says nothing of it. */
void json_put_control(cJSON *object, const struct report_control *control);

#endif
