/* What gating of zeros is expected to save (doc/model.md, section 4, "Expectations"): beside the
 * counts, which are of all accesses. An analysis and a mapping ask alike. */
#include "base/context.h"
#include "base/text.h"
#include "model/analysis.h"

#include <math.h>
#include <string.h>

struct expecting {
    struct sator_ctx *ctx;
    struct sator_arena *arena; /* the answer's */
    const struct sator_workload *workload;
    const struct sator_arch *arch;
    const struct sator_expected_question *question;
    struct sator_expected *expected;
};

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
        if (!sator_lists(gate->zeros[i], i, gate->zeros))
            share *= density_of(workload, gate->zeros[i]);
    }
    return share;
}

static void add_saving(struct expecting *e, const struct sator_saving *saving)
{
    struct sator_saving *savings = (struct sator_saving *)(uintptr_t)e->expected->savings;

    SATOR_PUSH(e->arena, savings, e->expected->n_savings, *saving);
    e->expected->savings = savings;
    e->expected->energy_pj -= saving->pj;
}

/* Save of "words" words of "tensor" in one direction what "share" leaves. */
static void save_words(struct expecting *e, const struct sator_level *level,
        const struct sator_level_tensor *tensor, bool writes, sator_int words, double share)
{
    int bits = 0;

    if (words == 0)
        return;
    for (int i = 0; i < e->workload->n_accesses; i++) {
        if (strcmp(e->workload->accesses[i].tensor, tensor->name) == 0)
            bits = e->workload->accesses[i].word_bits;
    }
    struct sator_action action =
            sator_memory_action(NULL, &level->memory, tensor->name, bits, writes);
    add_saving(e,
            &(struct sator_saving){.component = sator_arena_printf(e->arena, "%s.%s", level->name,
                                           writes ? "write" : "read"),
                    .tensor = sator_arena_strdup(e->arena, tensor->name),
                    .actions = words,
                    .carried_out = share,
                    .pj = (1 - share) * (double)words * action.word_pj});
}

static bool gates_itself(const struct sator_gate *gate)
{
    return gate->n_zeros == 1 && strcmp(gate->zeros[0], gate->tensor) == 0;
}

static bool is_held_inside(const struct expecting *e, int memory, const char *tensor)
{
    for (int m = memory + 1; m < e->question->n_memories; m++) {
        const struct sator_level_result *inner = e->question->memories[m];
        for (int i = 0; i < inner->n_tensors; i++) {
            if (strcmp(inner->tensors[i].name, tensor) == 0)
                return true;
        }
    }
    return false;
}

/* A word that is 0 itself need not move at all. For other tensors' zeros only what a loop instance
 * does is left out: not the words that fill the memory, nor those that fill one inside. */
static enum sator_status save_at(struct expecting *e, int m, const struct sator_level *level,
        const struct sator_level_tensor *tensor, const struct sator_gate *gate)
{
    double share = carried_out(e->workload, gate);
    bool itself = gates_itself(gate);

    if (share == 1)
        return SATOR_OK;
    if (!itself && is_held_inside(e, m, tensor->name)) {
        sator_error(e->ctx, gate->loc,
                "gating of '%s' by other tensors' zeros at '%s', but a memory inside of it holds "
                "'%s', too",
                gate->tensor, level->name, gate->tensor);
        sator_help(e->ctx,
                "which of its words are needed by no loop instance is not known; gate the accesses "
                "of the innermost memory");
        return SATOR_INPUT;
    }
    save_words(e, level, tensor, false, tensor->reads, share);
    save_words(e, level, tensor, true, itself ? tensor->writes + tensor->updates : tensor->updates,
            share);
    return SATOR_OK;
}

static enum sator_status save_at_memory(struct expecting *e, int m, const struct sator_level *level)
{
    const struct sator_level_result *result = e->question->memories[m];
    enum sator_status st = SATOR_OK;

    for (int g = 0; g < level->memory.n_gates; g++) {
        const struct sator_gate *gate = &level->memory.gates[g];
        for (int i = 0; i < result->n_tensors; i++) {
            if (strcmp(gate->tensor, result->tensors[i].name) == 0)
                SATOR_TRY(save_at(e, m, level, &result->tensors[i], gate));
        }
    }
done:
    return st;
}

/* What either of the two leaves out, which may be NULL, is left out. */
static double carried_out_by(
        struct expecting *e, const struct sator_gate *gate, const struct sator_gate *skip)
{
    int n_gate = gate == NULL ? 0 : gate->n_zeros, n_skip = skip == NULL ? 0 : skip->n_zeros;
    const char **zeros = SATOR_NEW_ARRAY(e->arena, const char *, n_gate + n_skip + 1);

    for (int i = 0; i < n_gate; i++)
        zeros[i] = gate->zeros[i];
    for (int i = 0; i < n_skip; i++)
        zeros[n_gate + i] = skip->zeros[i];
    return carried_out(
            e->workload, &(struct sator_gate){.n_zeros = n_gate + n_skip, .zeros = zeros});
}

static void save_instances(struct expecting *e, const struct sator_level *level)
{
    const struct sator_compute *compute = &level->compute;
    sator_int instances = e->question->instances;
    double pj = sator_compute_figure(e->arena, compute, sator_operand_bits(e->workload)).value;
    double share = carried_out_by(e, compute->gates, compute->skips);

    if (share < 1)
        add_saving(e,
                &(struct sator_saving){.component = sator_arena_strdup(e->arena, level->name),
                        .actions = instances,
                        .carried_out = share,
                        .pj = (1 - share) * (double)instances * pj});
    if (compute->n_skips > 0)
        e->expected->cycles =
                fmax(carried_out(e->workload, compute->skips) * e->question->compute_cycles,
                        e->question->port_cycles);
}

enum sator_status sator_model_expected(struct sator_ctx *ctx, struct sator_arena *arena,
        const struct sator_workload *workload, const struct sator_arch *arch,
        const struct sator_expected_question *question, struct sator_expected *expected)
{
    struct expecting e = {ctx, arena, workload, arch, question, expected};
    enum sator_status st = SATOR_OK;
    int m = 0;

    *expected = (struct sator_expected){.energy_pj = NAN, .cycles = NAN};
    if (!says_density(workload))
        return SATOR_OK;
    expected->energy_pj = question->energy_pj;
    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        if (level->kind == SATOR_LEVEL_MEMORY)
            SATOR_TRY(save_at_memory(&e, m++, level));
        else if (level->kind == SATOR_LEVEL_COMPUTE)
            save_instances(&e, level);
    }
done:
    return st;
}

enum sator_status analysis_expected(struct analysis *analysis)
{
    struct sator_result *result = analysis->result;
    const struct sator_level_result **memories = NULL;
    struct sator_expected expected;
    enum sator_status st = SATOR_OK;

    if (!says_density(analysis->workload))
        return SATOR_OK;
    memories = SATOR_NEW_ARRAY(
            analysis->arena, const struct sator_level_result *, analysis->n_memories + 1);
    for (int m = 0; m < analysis->n_memories; m++)
        memories[m] = analysis->memories[m].result;
    const struct sator_expected_question question = {analysis->n_memories, memories,
            result->instances, result->energy_pj, result->compute_cycles,
            fmax(result->read_cycles, result->write_cycles)};
    SATOR_TRY(sator_model_expected(analysis->ctx, analysis->arena, analysis->workload,
            analysis->arch, &question, &expected));
    result->expected_energy_pj = expected.energy_pj;
    result->expected_cycles = expected.cycles;
    result->n_savings = expected.n_savings;
    result->savings = expected.savings;
done:
    return st;
}
