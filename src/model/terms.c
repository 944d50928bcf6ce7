#include "model/terms.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void sator_terms_add(struct sator_terms *terms, const struct sator_energy_term *term)
{
    assert(term->actions >= 0);
    if (term->actions > 0 || !isnan(term->pj_per_action))
        SATOR_PUSH(terms->arena, terms->term, terms->n, *term);
}

static void add_figure(struct sator_terms *terms, const char *component, sator_int actions,
        const struct sator_figure *figure)
{
    sator_terms_add(terms,
            &(struct sator_energy_term){.component = component,
                    .actions = actions,
                    .pj_per_action = figure->value,
                    .pj = actions == 0 ? 0 : (double)actions * figure->value,
                    .source = figure->source});
}

/* ---- words ---- */

void sator_terms_add_words(struct sator_terms *terms, const char *component, sator_int words,
        const struct sator_action *action)
{
    sator_terms_add(terms,
            &(struct sator_energy_term){.component = component,
                    .actions = sator_actions(action, words),
                    .pj_per_action = action->pj,
                    .pj = words == 0 ? 0 : (double)words * action->word_pj,
                    .source = action->source});
}

/* What "actions" say of the tensors held: whether they are of one kind, and whether a word of each
 * costs the same. */
static void compare(
        int n, const bool *held, const struct sator_action *actions, bool *one_kind, bool *one_cost)
{
    const struct sator_action *first = NULL;

    *one_kind = *one_cost = true;
    for (int i = 0; i < n; i++) {
        if (!held[i])
            continue;
        first = first == NULL ? &actions[i] : first;
        *one_kind = *one_kind && sator_same_action(first, &actions[i]);
        *one_cost = *one_cost && first->words == actions[i].words &&
                first->per_word == actions[i].per_word;
    }
}

void sator_terms_add_memory(struct sator_terms *terms, const struct model_level *level, int n,
        const bool *held, const struct sator_level_tensor *tensors, bool writes)
{
    const struct sator_action *actions = level->actions[writes];
    const char *name = writes ? level->write_name : level->read_name;
    struct sator_energy_term all = {.component = name, .pj_per_action = NAN};
    sator_int words = 0;
    bool one_kind, one_cost;

    compare(n, held, actions, &one_kind, &one_cost);
    for (int i = 0; i < n; i++) {
        const struct sator_level_tensor *tensor = &tensors[i];
        if (!held[i])
            continue;
        sator_int its = writes ? tensor->writes + tensor->updates : tensor->reads;
        if (!one_kind) {
            sator_terms_add_words(terms,
                    sator_arena_printf(terms->arena, "%s.%s", name, tensor->name), its,
                    &actions[i]);
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
        sator_terms_add(terms, &all);
}

/* ---- levels ---- */

const struct sator_level *sator_terms_add_levels(struct sator_terms *terms,
        const struct sator_arch *arch, const struct model_level *levels, sator_int instances,
        double cycles)
{
    double copies = 1; /* of the level */

    for (int i = 0; i < arch->n_levels; i++) {
        const struct sator_level *level = &arch->levels[i];
        const struct sator_figure *leakage = &levels[i].leakage_pj;
        for (int d = 0; level->kind == SATOR_LEVEL_ARRAY && d < level->array.n_dims; d++)
            copies *= (double)level->array.shape[d];
        if (level->kind == SATOR_LEVEL_COMPUTE)
            add_figure(terms, levels[i].name, instances, &levels[i].compute_pj);
        if (levels[i].leakage_name == NULL)
            continue; /* leakage is counted where it is given, in every cycle that has begun */
        if (ceil(cycles) >= 0x1p127)
            return level;
        add_figure(terms, levels[i].leakage_name, (sator_int)ceil(cycles),
                &(struct sator_figure){leakage->value * copies, leakage->source});
    }
    return NULL;
}

void sator_model_capacity(const struct sator_memory *memory, struct sator_level_result *result)
{
    result->capacity_words = result->capacity_bytes = memory->n_capacities == 0 ? NAN : 0;
    for (int i = 0; i < memory->n_capacities; i++) {
        result->capacity_words += memory->capacities[i].words;
        result->capacity_bytes += memory->capacities[i].bytes;
    }
}

/* ---- all of them ---- */

/* Whether two terms say the same but for their actions. */
static bool same_kind(const struct sator_energy_term *a, const struct sator_energy_term *b)
{
    struct sator_action one = {.pj = a->pj_per_action, .source = a->source};
    struct sator_action other = {.pj = b->pj_per_action, .source = b->source};

    return strcmp(a->component, b->component) == 0 && sator_same_action(&one, &other);
}

void sator_terms_merge(struct sator_terms *terms)
{
    int n = 0;

    for (int i = 0; i < terms->n; i++) {
        const struct sator_energy_term *term = &terms->term[i];
        int same = 0;
        while (same < n && !same_kind(&terms->term[same], term))
            same++;
        sator_int actions;
        if (same < n && sator_add(terms->term[same].actions, term->actions, &actions)) {
            terms->term[same].actions = actions;
            terms->term[same].pj += term->pj;
        } else {
            terms->term[n++] = *term;
        }
    }
    terms->n = n;
}

double sator_terms_sum(const struct sator_terms *terms)
{
    double sum = terms->n == 0 ? NAN : 0;

    for (int i = 0; i < terms->n; i++)
        sum += terms->term[i].pj;
    return sum;
}
