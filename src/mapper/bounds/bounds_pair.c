/* The transfers into a memory and into what lies inside it, in one order of the loops outside
 * (doc/search.md, "Two memories at once"). */
#include "mapper/bounds/bounds_parts.h"

struct group *bounds_find_group(
        struct mapper_bounds *b, uint32_t transfers, int inside, unsigned outer)
{
    struct group *group = b->group + b->problem->n_memories + 1;

    for (; group < b->group + b->n_groups; group++) {
        if (group->transfers == transfers && group->inside == inside &&
                group->orders.outer == outer)
            return group;
    }
    if (b->n_groups == GROUPS || __builtin_popcount(transfers) > MAPPER_ACCESSES)
        return NULL;
    b->n_groups++;
    bounds_open_group(b, group, transfers);
    group->inside = inside;
    group->orders.outer = outer;
    return group;
}

/* The transfers into memory "m", by number in their group. */
static unsigned numbers_into(const struct mapper_problem *p, int m, uint32_t transfers)
{
    unsigned numbers = 0;

    for (int k = 0; transfers != 0; k++, transfers &= transfers - 1)
        numbers |= p->transfer[__builtin_ctz(transfers)].child == m ? 1U << k : 0;
    return numbers;
}

bool sator_mapper_bounds_pair(struct mapper_bounds *b, int m, uint32_t inner, unsigned either,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far,
        struct mapper_share *share)
{
    const struct mapper_problem *p = b->problem;
    uint32_t all = inner | b->group[m].transfers;
    unsigned near_loops = mapper_loops_of(p, near), outer = numbers_into(p, m, all);
    struct group *group = bounds_find_group(b, all, m, outer);
    struct outside outside[2];

    either &= near_loops;
    if (group == NULL || (outer == 0 && either != 0))
        return false;
    *share = (struct mapper_share){0};
    bounds_open_outside(b, m + 1, shape, near, far, &outside[0]);
    bounds_open_outside(b, m, shape, mapper_ones, far, &outside[1]);
    const struct order_classes *classes = sator_mapper_order_classes(
            &group->orders, near_loops & ~either, mapper_loops_of(p, far), either);
    bounds_open_stamps(b, either == 0 ? m + 1 : m, shape, &outside[0]);
    bounds_of_group(b, group, classes, shape, outside, share);
    return true;
}
