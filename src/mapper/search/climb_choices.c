/* Climbs over choices of what bypasses what.
 *
 * The same factors and orders are a mapping in most choices. Where there are many, to search one
 * takes most of a short budget, and the best mapping is in another: so a short climb in one choice
 * goes on in the one in which what it found is best, and so on, before any of them is searched.
 */
#include "mapper/search/question.h"

#include <math.h>

enum {
    MANY_CHOICES = 8, /* whose dives take longer than this does */
    ROUNDS = 10,
    TRIES = 250, /* in a round: 0.2 ms */
    SKEW_TRIES = 500
};

/* Whether to count a mapping takes microseconds. */
static bool is_quick(const struct mapper_problem *p)
{
    return !p->has_counted && !p->has_late && !p->in_hull && !p->imperfect;
}

/* Keep the best mapping in the choice in which it is best, whose number is then "*best"; returns
 * what it is worth in choice "i", INFINITY where it is none, or that is not known soon. */
static double try_choice(const struct mapper_question *q, struct mapper_search *search,
        const struct mapper_mapping *mapping, int i, int *best)
{
    uint64_t improvements = search->counters.improvements;
    double value = INFINITY;

    search->problem = &q->problems[i];
    search->words = sator_mapper_words_new(search->problem);
    if (is_quick(search->problem) &&
            sator_mapper_is_legal(search->problem, search->words, mapping)) {
        struct mapper_traffic traffic;
        search->counters.evaluated++;
        sator_mapper_count(search->problem, search->words, mapping, &traffic);
        struct mapper_cost cost = sator_mapper_cost(search->problem, &traffic);
        value = cost.value;
        sator_mapper_offer(search, mapping, cost);
    }
    sator_mapper_words_free(search->words);
    if (search->counters.improvements != improvements)
        *best = i;
    return value;
}

static void climb_in(const struct mapper_question *q, struct mapper_search *search, int i)
{
    search->problem = &q->problems[i];
    if (!is_quick(search->problem))
        return;
    search->words = sator_mapper_words_new(search->problem);
    sator_mapper_climb(search, TRIES);
    sator_mapper_words_free(search->words);
}

/* Set "order" to the choices by "value", the least first. */
static void sort_choices(const double *value, int n, int *order)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && value[order[at - 1]] > value[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

void sator_mapper_climb_choices(
        const struct mapper_question *q, struct mapper_search *search, int *order, int *best)
{
    double *value = SATOR_NEW_ARRAY(q->arena, double, q->n_unskewed);
    bool improves = true;

    if (q->n_unskewed < MANY_CHOICES || q->n_apart > q->n_unskewed || search->timer != NULL)
        return;
    for (int k = 0; k < ROUNDS && improves && search->stopped == SATOR_OK; k++) {
        uint64_t improvements = search->counters.improvements;
        climb_in(q, search, *best);
        if (!search->found)
            return;
        const struct mapper_mapping mapping = search->best;
        for (int i = 0; i < q->n_unskewed; i++)
            value[i] = sator_mapper_should_stop(search) ? INFINITY
                                                        : try_choice(q, search, &mapping, i, best);
        improves = search->counters.improvements != improvements;
    }
    sort_choices(value, q->n_unskewed, order);
    search->few_dives = true;
}

/* Good mappings under skews of which words are counted, whose searches come last. */
void sator_mapper_start_skews(
        const struct mapper_question *q, struct mapper_search *search, int *best)
{
    const bool has_unknown = search->has_unknown;
    const double unknown_bound = search->unknown_bound;

    for (int i = q->n_apart; i < q->n_counted && !sator_mapper_should_stop(search); i++) {
        uint64_t improvements = search->counters.improvements;
        search->problem = &q->problems[i];
        if (!sator_mapper_has_skew(search->problem))
            continue;
        search->words = sator_mapper_words_new(search->problem);
        sator_mapper_start(search, SKEW_TRIES);
        sator_mapper_words_free(search->words);
        if (search->counters.improvements != improvements)
            *best = i;
    }
    search->has_unknown = has_unknown; /* what could not be counted is met again, or left out */
    search->unknown_bound = unknown_bound;
}
