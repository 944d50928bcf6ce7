/* Stamps of the compute units take whole cycles each (phases.h): bounds of order classes. */
#include "mapper/bounds/bounds_parts.h"
#include "mapper/phases/phases.h"

void bounds_open_stamps(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const struct outside *outside)
{
    bool is_known = child == b->problem->n_memories && sator_mapper_has_whole_stamps(b->asked) &&
            b->given.open == 0 && b->given.shrink == NULL && !b->given.strides &&
            !shape->in_any_order;

    b->ranges.stamps = is_known ? outside->stamps : 0;
    b->ranges.begun = 1;
    for (int i = 0; i < b->problem->n_loops && is_known; i++) {
        if (!sator_mapper_sums_over(b->problem, i))
            b->ranges.begun *= (double)outside->near[i] * (double)outside->far[i];
    }
}

double bounds_whole_cycles(const struct mapper_bounds *b, const struct group *group,
        const struct side *side, const struct mapper_range *const *range)
{
    struct mapper_streams streams = {
            .port = side->port, .all = b->ranges.stamps, .begun = b->ranges.begun};

    for (int k = 0; k < group->orders.count; k++) {
        if (b->ranges.each[k] > 0)
            sator_mapper_stream_add(&streams, b->problem, b->given.crew, group->orders.transfer[k],
                    range[k]->unique_lb / b->ranges.each[k], b->ranges.each[k]);
    }
    return sator_mapper_whole_cycles(b->problem, &streams);
}
