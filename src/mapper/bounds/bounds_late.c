/* What late links bring at most to tensors that do not slide (doc/search.md, "Late links"): they
 * lead over a few stamps, so over the innermost digits of an order, its bridge, and over nothing
 * further out. */
#include "mapper/bounds/bounds_parts.h"

enum {
    MOST_REACH = 4 /* stamps, over which two digits lead; links that lead further bring anything */
};

static bool is_known(const struct mapper_problem *p, int transfer)
{
    const struct mapper_transfer *t = &p->transfer[transfer];
    const struct mapper_access *access = &p->access[t->access];

    return t->reaches_back && t->links_alone != NULL && !access->is_sliding &&
            !access->may_be_empty && sator_mapper_reach(t) <= MOST_REACH &&
            sator_mapper_is_settled_early(p, t);
}

/* Where digits may come from. */
struct digits {
    const struct mapper_bounds *b;
    const struct outside *outside;
    bool are_whole; /* of one row, whose factors are known */
    int reach;
};

/* Whether a digit of so many steps may be the innermost one, or next to another one of its loop. */
static bool may_step(const struct digits *from, int loop, int64_t steps)
{
    if (from->b->given.open >> loop & 1)
        return from->b->problem->extent[loop] % steps == 0;
    if (from->are_whole)
        return from->outside->near[loop] == steps;
    return from->outside->near[loop] * from->outside->far[loop] % steps == 0;
}

/* Add a bridge, unless a longer one is known, or there are too many. */
static void add_bridge(struct bridges *bridges, const struct bridge *bridge)
{
    for (int i = 0; i < bridges->count; i++) {
        const struct bridge *other = &bridges->item[i];
        bool is_longer = other->n == bridge->n;
        for (int k = 0; k < bridge->n && is_longer; k++)
            is_longer = other->loop[k] == bridge->loop[k] && other->steps[k] >= bridge->steps[k];
        if (is_longer)
            return;
    }
    if (bridges->count < MOST_BRIDGES)
        bridges->item[bridges->count++] = *bridge;
}

/* Add the bridges whose innermost digit is of "loop": that digit alone, for what follows it may
 * have too many steps; and those of two digits, links leading from one to the next step of the
 * second. */
static void add_bridges(const struct digits *from, int loop, struct bridges *bridges)
{
    int n = from->b->problem->n_loops;

    for (int64_t steps = from->reach; steps > 1; steps--) {
        int64_t most = (from->reach + steps - 1) / steps;
        if (!may_step(from, loop, steps))
            continue;
        for (int64_t next = most; next > 1; next--) {
            for (int i = 0; i < n; i++) {
                bool same = i == loop;
                if (!may_step(from, i, same ? steps * next : next))
                    continue;
                if (same)
                    add_bridge(bridges, &(struct bridge){1, {loop}, {steps * next}});
                else
                    add_bridge(bridges, &(struct bridge){2, {loop, i}, {steps, next}});
            }
        }
        add_bridge(bridges, &(struct bridge){1, {loop}, {steps}});
    }
}

void bounds_find_bridges(struct mapper_bounds *b, uint32_t transfers, unsigned near, unsigned far,
        const struct outside *outside)
{
    bool are_whole = far == 0 && b->given.open == 0 && b->given.either == 0 && !b->given.strides;
    struct digits from = {b, outside, are_whole, 1};

    for (; transfers != 0 && (near == 0 || far == 0); transfers &= transfers - 1) {
        int t = __builtin_ctz(transfers), reach = sator_mapper_reach(&b->problem->transfer[t]);
        if (!is_known(b->problem, t))
            continue;
        b->bridges.late |= UINT32_C(1) << t;
        from.reach = reach > from.reach ? reach : from.reach;
    }
    if (b->bridges.late == 0)
        return;
    b->bridges.moving = near | far << b->problem->n_loops;
    for (int i = 0; i < b->problem->n_loops; i++)
        add_bridges(&from, i, &b->bridges);
    if (b->bridges.count == MOST_BRIDGES) { /* late links are taken to bring anything */
        b->bridges.late = 0;
        b->bridges.count = 0;
    }
}

/* How many times less a transfer brings in an order that begins with "bridge" than in one that has
 * these digits outermost: along those that do not index it all is kept. */
static double times_less(const struct mapper_bounds *b, const struct mapper_access *access,
        const struct order_keep *keep, const struct bridge *bridge)
{
    int n = b->problem->n_loops;
    double times = 1;

    for (int k = 0; k < bridge->n; k++) {
        unsigned bits = (1U << bridge->loop[k] | 1U << (n + bridge->loop[k])) & b->bridges.moving;
        bool is_kept = (access->relevant >> bridge->loop[k] & 1) || (bits & ~keep->reuse) == 0;
        times *= is_kept ? 1 : (double)bridge->steps[k];
    }
    return times;
}

double bounds_footprint(const struct mapper_bounds *b, int transfer)
{
    const struct mapper_transfer *t = &b->problem->transfer[transfer];
    bool crosses = t->is_counted && !t->is_outside;

    return crosses ? (double)b->problem->access[t->access].footprint : 0;
}

/* "range" where so many times less crosses. */
static struct mapper_range less(
        const struct mapper_bounds *b, int transfer, double times, const struct mapper_range *range)
{
    const double least = bounds_footprint(b, transfer);
    struct mapper_range result = *range;

    if (times != 1) { /* mostly it is */
        result.unique_lb /= times;
        result.arriving_lb /= times;
    }
    mapper_range_raise(&result, least * b->ranges.parts[transfer], least);
    return result;
}

struct mapper_range bounds_across(const struct mapper_bounds *b, int transfer, int k,
        const struct order_classes *classes, int number, const struct bridge *bridge)
{
    const struct mapper_access *access = &b->problem->access[b->problem->transfer[transfer].access];
    double kept = 1;

    if (access->is_sliding)
        return b->ranges.least[k];
    double times = times_less(b, access, &classes->keep[k][number], bridge);
    struct mapper_range range = less(b, transfer, times, &b->ranges.range[k][number]);
    for (int i = 0; i < bridge->n; i++) {
        if (access->relevant >> bridge->loop[i] & 1) {
            range.arriving_lb = b->ranges.arriving[k] / kept;
            break;
        }
        kept *= (double)bridge->steps[i];
    }
    return range;
}

struct mapper_range bounds_lowest(const struct mapper_bounds *b, int transfer,
        const struct order_keep *keep, const struct mapper_range *range)
{
    const struct mapper_access *access = &b->problem->access[b->problem->transfer[transfer].access];
    double most = 1;

    for (int i = 0; i < b->bridges.count && !access->is_sliding; i++)
        most = mapper_greater(most, times_less(b, access, keep, &b->bridges.item[i]));
    return most == 1 ? *range : less(b, transfer, most, range);
}
