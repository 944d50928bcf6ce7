/* What gating of zeros is expected to save (doc/model.md, section 4, "Expectations"): beside the
 * counts, which are of all accesses. */
#include "model/analysis.h"

#include <math.h>
#include <string.h>

static bool says_density(const struct sator_workload *workload)
{
    for (int i = 0; i < workload->n_accesses; i++) {
        if (workload->accesses[i].says_density)
            return true;
    }
    return false;
}

static double density_of(const struct sator_workload *workload, const char *tensor)
{
    for (int i = 0; i < workload->n_accesses; i++) {
        if (workload->accesses[i].says_density && strcmp(workload->accesses[i].tensor, tensor) == 0)
            return workload->accesses[i].density;
    }
    return 1;
}

/* The share of what "gate" is about that is carried out: where no element of its tensors is 0.
 * Zeros of different tensors are independent. */
static double carried_out(const struct sator_workload *workload, const struct sator_gate *gate)
{
    double share = 1;

    for (int i = 0; i < gate->n_zeros; i++) {
        if (!model_lists(gate->zeros[i], i, gate->zeros))
            share *= density_of(workload, gate->zeros[i]);
    }
    return share;
}

static void add_saving(struct analysis *analysis, const struct sator_saving *saving)
{
    struct sator_result *result = analysis->result;
    struct sator_saving *savings = (struct sator_saving *)(uintptr_t)result->savings;

    SATOR_PUSH(analysis->arena, savings, result->n_savings, *saving);
    result->savings = savings;
    result->expected_energy_pj -= saving->pj;
}

/* Save of "words" words of access "access" in one direction what "share" leaves. */
static void save_words(struct analysis *analysis, const struct memory *memory, int access,
        bool writes, sator_int words, double share)
{
    const struct model_level *named = memory->named;

    if (words == 0)
        return;
    add_saving(analysis,
            &(struct sator_saving){.component = writes ? named->write_name : named->read_name,
                    .tensor = analysis->model->tensors[access],
                    .actions = words,
                    .carried_out = share,
                    .pj = (1 - share) * (double)words * named->actions[writes][access].word_pj});
}

static bool gates_itself(const struct sator_gate *gate)
{
    return gate->n_zeros == 1 && strcmp(gate->zeros[0], gate->tensor) == 0;
}

static bool is_held_inside(const struct analysis *analysis, int memory, int access)
{
    for (int m = memory + 1; m < analysis->n_memories; m++) {
        if (analysis->memories[m].held[access])
            return true;
    }
    return false;
}

/* A word that is 0 itself need not move at all. For other tensors' zeros only what a loop instance
 * does is left out: not the words that fill the memory, nor those that fill one inside. */
static enum sator_status save_at(
        struct analysis *analysis, int m, int access, const struct sator_gate *gate)
{
    const struct memory *memory = &analysis->memories[m];
    const struct sator_level_tensor *tensor = &memory->tensors[access];
    double share = carried_out(analysis->workload, gate);
    bool itself = gates_itself(gate);

    if (share == 1)
        return SATOR_OK;
    if (!itself && is_held_inside(analysis, m, access)) {
        sator_error(analysis->ctx, gate->loc,
                "gating of '%s' by other tensors' zeros at '%s', but a memory inside of it holds "
                "'%s', too",
                gate->tensor, memory->level->name, gate->tensor);
        sator_help(analysis->ctx,
                "which of its words are needed by no loop instance is not known; gate the accesses "
                "of the innermost memory");
        return SATOR_INPUT;
    }
    save_words(analysis, memory, access, false, tensor->reads, share);
    save_words(analysis, memory, access, true,
            itself ? tensor->writes + tensor->updates : tensor->updates, share);
    return SATOR_OK;
}

static enum sator_status save_at_memory(struct analysis *analysis, int m)
{
    const struct memory *memory = &analysis->memories[m];
    const struct sator_memory *declared = &memory->level->memory;
    enum sator_status st = SATOR_OK;

    for (int g = 0; g < declared->n_gates; g++) {
        for (int i = 0; i < analysis->workload->n_accesses; i++) {
            if (memory->held[i] &&
                    strcmp(declared->gates[g].tensor, analysis->workload->accesses[i].tensor) == 0)
                SATOR_TRY(save_at(analysis, m, i, &declared->gates[g]));
        }
    }
done:
    return st;
}

static void save_instances(struct analysis *analysis)
{
    int last = analysis->arch->n_levels - 1;
    const struct sator_compute *compute = &analysis->arch->levels[last].compute;
    const struct model_level *named = &analysis->model->levels[last];

    for (int g = 0; g < compute->n_gates; g++) {
        double share = carried_out(analysis->workload, &compute->gates[g]);
        if (share < 1)
            add_saving(analysis,
                    &(struct sator_saving){.component = named->name,
                            .actions = analysis->result->instances,
                            .carried_out = share,
                            .pj = (1 - share) * (double)analysis->result->instances *
                                    named->compute_pj.value});
    }
}

enum sator_status analysis_expected(struct analysis *analysis)
{
    enum sator_status st = SATOR_OK;

    if (!says_density(analysis->workload))
        return SATOR_OK;
    analysis->result->expected_energy_pj = analysis->result->energy_pj;
    for (int m = 0; m < analysis->n_memories; m++)
        SATOR_TRY(save_at_memory(analysis, m));
    save_instances(analysis);
done:
    return st;
}
