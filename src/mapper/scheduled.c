/* The scheduled time of mappings that a search comes across (doc/search.md, "The scheduled time"):
 * in closed form where the problem has its phases (phases.h), else asked of the model.
 *
 * Where the model is asked, a search goes by the roofline, which is never more: what its bounds cut
 * off against the best scheduled value is no better. But mappings whose traffic is the same differ
 * in phases, and of those one alone is offered; so all that such a search proves is that nothing is
 * better than the least roofline of those whose time was asked for.
 */
#include "mapper/phases.h"
#include "mapper/search.h"

#include "base/context.h"
#include "model/model.h"

#include <math.h>

enum {
    MOST_TIMED = 100, /* mappings of a search */
    WORK_SHARE = 8 /* of a counting question's limit: the work of all of them */
};

/* NAN where the model does not count it, or not within the work that is left. */
static double ask_time(struct mapper_search *search, const struct mapper_mapping *mapping)
{
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    const struct mapper_problem *p = search->problem;
    struct sator_arena *arena = sator_arena_new();
    struct sator_result *result = NULL;
    struct sator_hush before;
    double cycles = NAN;
    uint64_t limit = search->ctx->work_limit, most = limit / WORK_SHARE;

    search->ctx->work_limit = most - search->timer->work;
    sator_ctx_hush(search->ctx, &before);
    enum sator_status st = sator_model_analyze(search->ctx, p->workload, p->arch,
            sator_mapper_dataflow(p, arena, mapping, "mapping"), &options, &result);
    sator_ctx_unhush(search->ctx, &before);
    search->ctx->work_limit = limit;
    search->timer->work += search->ctx->work_done;
    if (st == SATOR_OK) {
        cycles = result->scheduled_cycles;
        sator_result_free(result);
    }
    sator_arena_free(arena);
    return cycles;
}

/* The same; the search stops after so many. */
static double ask_model(struct mapper_search *search, const struct mapper_mapping *mapping,
        const struct mapper_cost *cost)
{
    struct mapper_timer *timer = search->timer;

    if (timer->is_worn_out) {
        if (search->stopped == SATOR_OK)
            search->stopped = SATOR_LIMIT;
        return NAN;
    }
    timer->n_asked++;
    double cycles = ask_time(search, mapping);
    timer->is_worn_out =
            timer->n_asked == MOST_TIMED || timer->work >= search->ctx->work_limit / WORK_SHARE;
    if (isnan(cycles) || search->problem->phases == NULL)
        sator_mapper_note_unknown(search, cost->value);
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

bool sator_mapper_time(struct mapper_search *search, const struct mapper_mapping *mapping,
        struct mapper_cost *cost)
{
    const struct mapper_problem *p = search->problem;
    double cycles;

    if (p->phases != NULL && p->skew != NULL &&
            sator_mapper_scheduled_least(p->phases, search->words, mapping, &cycles) &&
            !sator_mapper_is_better(search, at_time(p, *cost, fmax(cycles, cost->cycles))))
        return false;
    if (p->phases == NULL || !sator_mapper_scheduled(p->phases, search->words, mapping, &cycles))
        cycles = ask_model(search, mapping, cost);
    if (isnan(cycles))
        return false;
    *cost = at_time(p, *cost, cycles);
    return sator_mapper_is_better(search, *cost);
}
