/* What gating of zeros is expected to save (doc/model.md, section 4, "Expectations"), of an
 * analysis or a mapping alike. */
#ifndef SATOR_REPORT_EXPECTED_H
#define SATOR_REPORT_EXPECTED_H

#include "report/json.h"
#include "report/report.h"

struct report_expected {
    double energy_pj; /* NAN where the workload states no density */
    int n_savings;
    const struct sator_saving *savings;
};

/* A section with a table, apart from the energy of all that is counted; nothing where nothing is
 * saved. */
void report_expected_write(struct sator_text *text, struct sator_arena *arena,
        const struct report_expected *expected, struct look look);
/* The member "energy_expected_pj" of "object": null where the workload states no density. */
void json_put_expected(
        cJSON *object, struct sator_arena *arena, const struct report_expected *expected);

#endif
