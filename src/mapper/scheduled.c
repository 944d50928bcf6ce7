/* The scheduled time of mappings (doc/mapper.md, "The scheduled time"), asked of the model.
 *
 * The roofline is never more than the scheduled time. So strategies search by it as they always do,
 * and of what they offer, better than the best by the roofline, each is timed: what their bounds
 * cut off against the best scheduled value is no better. But mappings whose traffic is the same
 * differ in phases, and of those one alone is offered: the best roofline is what bounds all
 * scheduled times, and where that is met the mapping is the best.
 */
#include "mapper/search.h"

#include "base/context.h"
#include "model/model.h"

#include <math.h>

enum {
    MOST_TIMED = 100 /* mappings of a search */
};

/* NAN where the model does not count it. */
static double ask_time(const struct mapper_search *search, const struct mapper_mapping *mapping)
{
    static const struct sator_analyze_options options = {.timing = SATOR_TIMING_SCHEDULED};
    const struct mapper_problem *p = search->problem;
    struct sator_arena *arena = sator_arena_new();
    struct sator_result *result = NULL;
    struct sator_hush before;
    double cycles = NAN;

    sator_ctx_hush(search->ctx, &before);
    enum sator_status st = sator_model_analyze(search->ctx, p->workload, p->arch,
            sator_mapper_dataflow(p, arena, mapping, "mapping"), &options, &result);
    sator_ctx_unhush(search->ctx, &before);
    if (st == SATOR_OK) {
        cycles = result->scheduled_cycles;
        sator_result_free(result);
    }
    sator_arena_free(arena);
    return cycles;
}

bool sator_mapper_time(struct mapper_search *search, const struct mapper_mapping *mapping,
        struct mapper_cost *cost)
{
    struct mapper_timer *timer = search->timer;
    const struct mapper_problem *p = search->problem;

    if (timer->n_asked == MOST_TIMED) {
        if (search->stopped == SATOR_OK)
            search->stopped = SATOR_LIMIT;
        return false;
    }
    timer->n_asked++;
    double cycles = ask_time(search, mapping);
    if (isnan(cycles)) {
        sator_mapper_note_unknown(search, cost->value);
        return false;
    }
    cost->pj += p->leakage_pj == 0 ? 0 : p->leakage_pj * (ceil(cycles) - ceil(cost->cycles));
    cost->cycles = cycles;
    cost->value = sator_mapper_value(p->objective, cost->pj, cycles);
    return sator_mapper_is_better(search, *cost);
}
