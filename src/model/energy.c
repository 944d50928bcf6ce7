#include "model/analysis.h"
#include "model/control.h"

#include <assert.h>
#include <math.h>

static void add_term(struct analysis *analysis, const struct sator_energy_term *term)
{
    struct sator_result *result = analysis->result;
    struct sator_energy_term *terms = (struct sator_energy_term *)(uintptr_t)result->energy_terms;

    assert(term->actions >= 0);
    if (term->actions == 0 && isnan(term->pj_per_action))
        return; /* nothing happened, so nothing is missing */
    SATOR_PUSH(analysis->arena, terms, result->n_energy_terms, *term);
    result->energy_terms = terms;
}

void analysis_add_energy(struct analysis *analysis, const char *component, sator_int actions,
        const struct sator_figure *figure)
{
    add_term(analysis,
            &(struct sator_energy_term){.component = component,
                    .actions = actions,
                    .pj_per_action = figure->value,
                    .pj = actions == 0 ? 0 : (double)actions * figure->value,
                    .source = figure->source});
}

/* ---- words ---- */

void analysis_add_words(struct analysis *analysis, const char *component, sator_int words,
        const struct sator_action *action)
{
    add_term(analysis,
            &(struct sator_energy_term){.component = component,
                    .actions = sator_actions(action, words),
                    .pj_per_action = action->pj,
                    .pj = words == 0 ? 0 : (double)words * action->word_pj,
                    .source = action->source});
}

static sator_int words_of(const struct memory *memory, int access, bool writes)
{
    const struct sator_level_tensor *tensor = &memory->tensors[access];

    return writes ? tensor->writes + tensor->updates : tensor->reads;
}

/* What "actions" say of the tensors that "memory" holds: whether they are of one kind, and whether
 * a word of each costs the same. */
static void compare(const struct analysis *analysis, const struct memory *memory,
        const struct sator_action *actions, bool *one_kind, bool *one_cost)
{
    const struct sator_action *first = NULL;

    *one_kind = *one_cost = true;
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        if (!memory->held[i])
            continue;
        first = first == NULL ? &actions[i] : first;
        *one_kind = *one_kind && sator_same_action(first, &actions[i]);
        *one_cost = *one_cost && first->words == actions[i].words &&
                first->per_word == actions[i].per_word;
    }
}

void analysis_add_memory(struct analysis *analysis, const struct memory *memory, bool writes)
{
    const struct model_level *named = memory->named;
    const struct sator_action *actions = named->actions[writes];
    const char *name = writes ? named->write_name : named->read_name;
    struct sator_energy_term all = {.component = name, .pj_per_action = NAN};
    sator_int words = 0;
    bool one_kind, one_cost;

    compare(analysis, memory, actions, &one_kind, &one_cost);
    for (int i = 0; i < analysis->workload->n_accesses; i++) {
        sator_int its = words_of(memory, i, writes);
        if (!memory->held[i])
            continue;
        if (!one_kind) {
            analysis_add_words(analysis,
                    sator_arena_printf(analysis->arena, "%s.%s", name, memory->tensors[i].name),
                    its, &actions[i]);
            continue;
        }
        words += its;
        all.actions += sator_actions(&actions[i], its);
        all.pj_per_action = actions[i].pj;
        all.source = actions[i].source;
        all.pj = its == 0  ? all.pj
                : one_cost ? (double)words * actions[i].word_pj
                           : all.pj + (double)its * actions[i].word_pj;
    }
    if (one_kind)
        add_term(analysis, &all);
}

/* ---- control ---- */

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
        add_term(analysis, &terms[i]);
    return st;
}

/* ---- the sum ---- */

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
