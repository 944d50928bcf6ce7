/* What controlling a machine with coarse transfers takes (doc/model.md, section 8). */
#ifndef SATOR_MODEL_CONTROL_H
#define SATOR_MODEL_CONTROL_H

#include "arch/arch.h"
#include "sator/analyze.h"

enum {
    SATOR_CONTROL_TERMS = 2 /* of the energy, at most */
};

/* A dataflow as its instructions see it. */
struct sator_control_question {
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_relation *time;
    const struct sator_relation *space;
    struct sator_loc time_loc;
    const int *prefix; /* of each access: the time rows that select what the memory below the
                          outermost holds of it; -1: the outermost does not hold it */
    enum sator_engine_choice engine;
};

/* What "arch"->control takes, and its terms of the energy, with texts in "arena": *n_terms of them.
 * Nothing where the machine's file says nothing of it. SATOR_INPUT, with a message, when the
 * time-stamp is not one expression a dimension. */
enum sator_status sator_control_count(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_control_question *question, struct sator_control_cost *cost,
        struct sator_energy_term *terms, int *n_terms);

#endif
