#include "model/analysis.h"
#include "model/control.h"

#include <assert.h>
#include <math.h>

/* The time rows of the memory below the outermost one that hold access "access". */
static int control_prefix(const struct analysis *analysis, int access)
{
    if (analysis->n_memories == 0 || !analysis->memories[0].held[access])
        return -1;
    for (int m = 1; m < analysis->n_memories; m++) {
        if (analysis->memories[m].held[access])
            return analysis->memories[m].time_cut;
    }
    return analysis->n_time;
}

enum sator_status analysis_control(struct analysis *analysis)
{
    int *prefix = SATOR_NEW_ARRAY(analysis->arena, int, analysis->workload->n_accesses + 1);
    const struct sator_control_question question = {.workload = analysis->workload,
            .arch = analysis->arch,
            .time = analysis->dataflow->time,
            .space = analysis->dataflow->space,
            .time_loc = analysis->dataflow->time_loc,
            .prefix = prefix,
            .engine = analysis->options->engine};
    struct sator_energy_term terms[SATOR_CONTROL_TERMS];
    int n_terms;

    for (int i = 0; i < analysis->workload->n_accesses; i++)
        prefix[i] = control_prefix(analysis, i);
    enum sator_status st = sator_control_count(
            analysis->ctx, analysis->arena, &question, &analysis->result->control, terms, &n_terms);
    for (int i = 0; st == SATOR_OK && i < n_terms; i++)
        sator_terms_add(&analysis->terms, &terms[i]);
    return st;
}

enum sator_status analysis_finish_energy(struct analysis *analysis)
{
    static const struct sator_loc nowhere;
    struct sator_result *result = analysis->result;
    const struct sator_level *leaks = sator_terms_add_levels(&analysis->terms, analysis->arch,
            analysis->model->levels, result->instances, result->total_cycles);

    if (leaks != NULL) {
        sator_error(analysis->ctx, nowhere,
                "the cycles in which '%s' leaks do not fit into 128 bits", leaks->name);
        return SATOR_OVERFLOW;
    }
    result->n_energy_terms = analysis->terms.n;
    result->energy_terms = analysis->terms.term;
    result->energy_pj = sator_terms_sum(&analysis->terms);
    result->edp = result->energy_pj * result->total_cycles;
    return SATOR_OK;
}
