/* Which dataflows are legal (doc/model.md, section 1): every instance placed exactly once, in an
 * order that the nest allows. */
#ifndef SATOR_MODEL_LEGAL_H
#define SATOR_MODEL_LEGAL_H

#include "sator/context.h"

struct analysis;
struct sator_text;
struct sator_workload;

/* placement.c: SATOR_INPUT with a message that names an instance without a stamp, or with two. */
enum sator_status analysis_check_placement(struct analysis *analysis);

/* order.c: SATOR_INPUT with a message that names two instances that are out of order. */
enum sator_status analysis_check_order(struct analysis *analysis);

/* "S[i=0, j=1]" */
void legal_write_instance(
        struct sator_text *text, const struct sator_workload *workload, const int64_t *instance);
/* "PE[0, 1]" */
void legal_write_point(
        struct sator_text *text, const char *name, int n_values, const int64_t *values);

#endif
