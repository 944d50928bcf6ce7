/* The terms of an energy, of an analysis or of a mapping, and the levels of a machine that they are
 * of (doc/model.md, section 4). */
#ifndef SATOR_MODEL_TERMS_H
#define SATOR_MODEL_TERMS_H

#include "arch/arch.h"
#include "sator/analyze.h"

/* A level of the architecture as results refer to it; figures have their own copy of the source. */
struct model_level {
    const char *name;
    const char *read_name, *write_name, *leakage_name; /* energy terms */
    struct sator_action *actions[2]; /* of a memory: reads and writes, one an access */
    int *word_bits; /* of a memory, one an access */
    struct sator_figure compute_pj, leakage_pj;
    int n_lanes; /* of a memory */
    const struct sator_lane *lanes;
};
/* Those of "arch" for the accesses of "workload", with their texts in "arena". */
const struct model_level *sator_model_levels(struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch);

struct sator_terms {
    struct sator_arena *arena;
    int n;
    struct sator_energy_term *term;
};
/* Each adds nothing where nothing happened and what it would take is not known. */
void sator_terms_add(struct sator_terms *terms, const struct sator_energy_term *term);
/* The actions that move "words" words. */
void sator_terms_add_words(struct sator_terms *terms, const char *component, sator_int words,
        const struct sator_action *action);
/* Reads (or writes and updates) of the tensors, "n" of them, of which memory "level" holds some:
 * one term, or one a tensor where actions differ. */
void sator_terms_add_memory(struct sator_terms *terms, const struct model_level *level, int n,
        const bool *held, const struct sator_level_tensor *tensors, bool writes);
/* "instances" loop instances at the compute level, and what all levels leak in "cycles" cycles.
 * Returns a level that leaks in more cycles than fit into 128 bits, or NULL. */
const struct sator_level *sator_terms_add_levels(struct sator_terms *terms,
        const struct sator_arch *arch, const struct model_level *levels, sator_int instances,
        double cycles);
/* Let terms of one component, figure and source be one, as of a link that moves several tensors. */
void sator_terms_merge(struct sator_terms *terms);
double sator_terms_sum(const struct sator_terms *terms);

/* All capacities of a memory together in words, in bytes: NAN when some are given in the other, or
 * none is. */
void sator_model_capacity(const struct sator_memory *memory, struct sator_level_result *result);

#endif
