/* The scheduled time of mappings that a search comes across (doc/search.md, "The scheduled time"):
 * in closed form where the problem has its phases (phases.h), else asked of the model.
 *
 * Where the model is asked, a search goes by the roofline, which is never more: what its bounds cut
 * off against the best scheduled value is no better. But mappings whose traffic is the same differ
 * in phases, and of those one alone is offered; so all that such a search proves is that nothing is
 * better than the least roofline of those whose time was asked for.
 */
#include "mapper/phases/phases.h"
#include "mapper/problem/skew.h"
#include "mapper/search/search.h"

#include "base/context.h"

#include <math.h>

enum {
    MOST_TIMED = 10000, /* mappings of a search */
    MOST_TIMED_BLINDLY = 1000, /* of problems whose bounds know of no phases: more may be better */
    WORK_SHARE = 8, /* of a counting question's limit: the work of all but the first */
    MOST_SKEWED_WORK = 1 << 24 /* under a skew where words are counted: of all */
};

/* Whether the model is asked for each mapping of a skew that may be the best, and the skew given up
 * where that takes long. */
static bool asks_each(const struct mapper_problem *p)
{
    return sator_mapper_counts_skew(p) || sator_mapper_ends_short(p);
}

/* NAN where the model does not count it, or not within the work that is left. The first, which is
 * the best by the roofline where nothing has a closed form, has a question's work for itself: what
 * the search returns is then no worse than it. "value" is what the mapping is worth at the best. */
static double ask_model(
        struct mapper_search *search, const struct mapper_mapping *mapping, double value)
{
    struct mapper_timer *timer = search->timer;

    bool is_skewed = asks_each(search->problem);
    if (timer->is_worn_out) {
        search->gave_up |= is_skewed;
        if (search->stopped == SATOR_OK && !is_skewed)
            search->stopped = SATOR_LIMIT;
        return NAN;
    }
    uint64_t most = search->ctx->work_limit / WORK_SHARE, first = 0;
    most = is_skewed && most > MOST_SKEWED_WORK ? MOST_SKEWED_WORK : most;
    bool is_blind = search->problem->phases == NULL && !is_skewed;
    double cycles = timer->n_asked++ == 0 && !is_skewed
            ? sator_mapper_count_time(search->words, mapping, search->ctx->work_limit, &first)
            : sator_mapper_count_time(search->words, mapping, most - timer->work, &timer->work);
    timer->n_blind += is_blind;
    timer->is_worn_out = timer->n_asked == MOST_TIMED || timer->n_blind == MOST_TIMED_BLINDLY ||
            timer->work >= most;
    if (isnan(cycles) || is_blind)
        sator_mapper_note_unknown(search, value);
    return cycles;
}

/* The cost of the mapping whose roofline is "cost" when it takes "cycles". */
static struct mapper_cost at_time(
        const struct mapper_problem *p, struct mapper_cost cost, double cycles)
{
    cost.pj += p->leakage_pj == 0 ? 0 : p->leakage_pj * (ceil(cycles) - ceil(cost.cycles));
    cost.cycles = cycles;
    cost.value = sator_mapper_value(p->objective, cost.pj, cycles);
    return cost;
}

/* Whether the closed form, as if late links brought nothing, leaves a mapping in question.
 * "*cycles" is it, or NAN where it has none, as where words are counted under a skew; "*least" is
 * what it is at least. */
static bool may_be_better(struct mapper_search *search, const struct mapper_mapping *mapping,
        const struct mapper_cost *cost, double *least, double *cycles)
{
    const struct mapper_problem *p = search->problem;

    *cycles = NAN;
    *least = cost->cycles;
    if (asks_each(p))
        return true;
    if (p->phases != NULL && (p->skew != NULL || p->imperfect) &&
            sator_mapper_scheduled_least(p->phases, search->words, mapping, cycles)) {
        *least = fmax(*cycles, cost->cycles);
        *cycles = *least;
        if (!sator_mapper_is_better(search, at_time(p, *cost, *least)))
            return false;
    }
    if (p->phases != NULL && sator_mapper_scheduled(p->phases, search->words, mapping, cycles)) {
        *least = p->has_late ? *least : fmax(*least, *cycles);
        return sator_mapper_is_better(search, at_time(p, *cost, *cycles));
    }
    *cycles = NAN;
    return true;
}

bool sator_mapper_is_better_without_late(
        struct mapper_search *search, const struct mapper_mapping *mapping, struct mapper_cost cost)
{
    double least, cycles;

    return sator_mapper_is_better(search, cost) &&
            (search->timer == NULL || may_be_better(search, mapping, &cost, &least, &cycles));
}

bool sator_mapper_time(struct mapper_search *search, const struct mapper_mapping *mapping,
        struct mapper_cost *cost)
{
    const struct mapper_problem *p = search->problem;
    double least, cycles;

    bool may = may_be_better(search, mapping, cost, &least, &cycles);
    bool counts = may && !isnan(cycles) && !p->phases->at_least &&
            (!p->has_late || sator_mapper_late_is_idle(p, search->words, mapping));
    if (may && !counts)
        cycles = ask_model(search, mapping, at_time(p, *cost, least).value);
    if (isnan(cycles))
        return false;
    *cost = at_time(p, *cost, cycles);
    return sator_mapper_is_better(search, *cost);
}
