#include "model/analysis.h"

#include <math.h>

void analysis_add_energy(struct analysis *analysis, const char *component, sator_int actions,
        const struct sator_figure *figure)
{
    struct sator_result *result = analysis->result;
    struct sator_energy_term *terms = (struct sator_energy_term *)(uintptr_t)result->energy_terms;
    struct sator_energy_term term = {.component = component,
            .actions = actions,
            .pj_per_action = figure->value,
            .pj = actions == 0 ? 0 : (double)actions * figure->value,
            .source = figure->source};

    if (actions == 0 && isnan(figure->value))
        return; /* nothing happened, so nothing is missing */
    SATOR_PUSH(analysis->arena, terms, result->n_energy_terms, term);
    result->energy_terms = terms;
}

/* "instances" of "level" leak in every cycle that has begun. */
static enum sator_status add_leakage(
        struct analysis *analysis, const struct model_level *level, sator_int instances)
{
    static const struct sator_loc nowhere;
    const struct sator_figure *per_cycle = &level->leakage_pj;
    double cycles = ceil(analysis->result->total_cycles);

    if (isnan(per_cycle->value))
        return SATOR_OK; /* leakage is counted where it is given */
    if (cycles >= 0x1p127) {
        sator_error(analysis->ctx, nowhere,
                "the cycles in which '%s' leaks do not fit into 128 bits", level->name);
        return SATOR_OVERFLOW;
    }
    struct sator_figure figure = {per_cycle->value * (double)instances, per_cycle->source};
    analysis_add_energy(analysis, level->leakage_name, (sator_int)cycles, &figure);
    return SATOR_OK;
}

enum sator_status analysis_finish_energy(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    sator_int instances = 1;
    enum sator_status st = SATOR_OK;
    int memory = 0;

    for (int i = 0; i < analysis->arch->n_levels; i++) {
        const struct sator_level *level = &analysis->arch->levels[i];
        const struct model_level *named = &analysis->model->levels[i];
        if (level->kind == SATOR_LEVEL_ARRAY) {
            for (int d = 0; d < level->array.n_dims; d++)
                instances *= level->array.shape[d];
        } else if (level->kind == SATOR_LEVEL_MEMORY) {
            SATOR_TRY(add_leakage(analysis, named, analysis->levels[memory++].instances));
        } else {
            analysis_add_energy(analysis, named->name, result->instances, &named->compute_pj);
            SATOR_TRY(add_leakage(analysis, named, instances));
        }
    }
    result->energy_pj = 0;
    for (int i = 0; i < result->n_energy_terms; i++)
        result->energy_pj += result->energy_terms[i].pj;
    if (result->n_energy_terms == 0)
        result->energy_pj = NAN;
    result->edp = result->energy_pj * result->total_cycles;
done:
    return st;
}
