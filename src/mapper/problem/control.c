/* What the instructions of a mapping cost, beside what the search looks at (doc/model.md, section
 * 8). */
#include "model/control.h"
#include "mapper/problem/mapping.h"

static int prefix_of(const struct mapper_problem *problem,
        const struct sator_bound_dataflow *dataflow, int access)
{
    if (problem->n_memories == 0 || !(problem->memory[0].holds >> access & 1))
        return -1;
    for (int m = 1; m < problem->n_memories; m++) {
        if (problem->memory[m].holds >> access & 1)
            return dataflow->cuts[m].time;
    }
    return dataflow->time->n_out;
}

enum sator_status sator_mapper_control(struct sator_ctx *ctx, const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct sator_map_result *result)
{
    const struct sator_bound_dataflow *dataflow =
            sator_mapper_dataflow(problem, result->arena, mapping, "");
    int prefix[MAPPER_ACCESSES];
    const struct sator_control_question question = {.workload = problem->workload,
            .arch = problem->arch,
            .time = dataflow->time,
            .space = dataflow->space,
            .time_loc = problem->workload->loc,
            .prefix = prefix};
    struct sator_energy_term made[SATOR_CONTROL_TERMS];
    struct sator_energy_term *terms = (struct sator_energy_term *)(uintptr_t)result->energy_terms;
    int n_made;

    for (int i = 0; i < problem->n_accesses; i++)
        prefix[i] = prefix_of(problem, dataflow, i);
    enum sator_status st =
            sator_control_count(ctx, result->arena, &question, &result->control, made, &n_made);
    for (int i = 0; st == SATOR_OK && i < n_made; i++) {
        made[i].source =
                made[i].source == NULL ? NULL : sator_arena_strdup(result->arena, made[i].source);
        SATOR_PUSH(result->arena, terms, result->n_energy_terms, made[i]);
        result->energy_pj += made[i].pj;
    }
    result->energy_terms = terms;
    result->edp = result->energy_pj * result->total_cycles;
    return st;
}
