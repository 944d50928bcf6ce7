/* Bounds for a known tile: the least over the classes of loop orders outside it
 * (order_classes.h).
 *
 * A sliding index may share its halo from its first loop on, at every step at most as much as
 * between neighbours, until a loop steps that stands alone in an index.
 */
#include "mapper/bounds/bounds_parts.h"
#include "mapper/phases/phases.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Find the ports whose time the transfers of a group take. */
static void find_sides(const struct mapper_problem *p, struct group *group)
{
    for (int i = 0; i < p->n_ports; i++) {
        struct side side = {.port = i};
        bool used = false;
        for (int k = 0; k < group->orders.count; k++) {
            const struct mapper_transfer *t = &p->transfer[group->orders.transfer[k]];
            for (int f = 0; f < t->n_flows; f++) {
                const struct mapper_flow *flow = &t->flow[f];
                if (flow->port != i)
                    continue;
                *(flow->arriving ? &side.arriving[k] : &side.unique[k]) += flow->bits;
                used = true;
            }
        }
        if (used)
            group->side[group->n_sides++] = side;
    }
}

void bounds_open_group(struct mapper_bounds *b, struct group *group, uint32_t transfers)
{
    group->transfers = transfers;
    group->inside = -1;
    group->n_sides = 0;
    sator_mapper_order_table_init(&group->orders, b->problem, transfers);
    find_sides(b->problem, group);
}

struct mapper_bounds *sator_mapper_bounds_new(
        const struct mapper_problem *problem, struct mapper_words *words, uint32_t joined)
{
    struct mapper_bounds *b = sator_alloc(sizeof *b);
    const struct mapper_domain *domain = problem->domain;

    assert(joined == 0 || (!problem->lends && !problem->imperfect));
    b->asked = problem;
    b->problem = domain != NULL ? domain->hull : problem;
    b->words = domain != NULL ? sator_mapper_words_new(domain->hull) : words;
    b->joined = joined;
    b->given = (struct mapper_given){
            .known = problem->n_memories, .chosen = problem->n_memories, .limit = INFINITY};
    for (int t = 0; t < MAPPER_TRANSFERS; t++)
        b->recalled[t].is_set = false;
    for (int child = 0; child <= problem->n_memories; child++) {
        uint32_t group = sator_mapper_transfers_into(problem, child);
        bool joins = child == problem->n_memories;
        bounds_open_group(b, &b->group[child], joins ? group | joined : group & ~joined);
        b->group[child].inside = joins ? child - 1 : -1;
    }
    b->n_groups = problem->n_memories + 1;
    b->bridges.late = 0;
    b->bridges.count = 0;
    return b;
}

uint32_t sator_mapper_bounds_group(const struct mapper_bounds *b, int child)
{
    return b->group[child].transfers;
}

void sator_mapper_bounds_free(struct mapper_bounds *b)
{
    if (b == NULL)
        return;
    for (int i = 0; i < b->n_groups; i++)
        sator_mapper_order_table_free(&b->group[i].orders);
    if (b->asked->domain != NULL)
        sator_mapper_words_free(b->words);
    free(b);
}

const struct mapper_problem *sator_mapper_bounds_problem(const struct mapper_bounds *b)
{
    return b->problem;
}

struct mapper_words *sator_mapper_bounds_words(const struct mapper_bounds *b)
{
    return b->words;
}

/* ---- a known tile ---- */

/* The least that crosses with a known tile: all of it in the first stamp of each run, then what is
 * new in a step. */
static void bound_steps(struct local *local, const struct order_keep *keep,
        const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double stamps = outside->stamps;

    for (unsigned reuse = keep->reuse; reuse != 0; reuse &= reuse - 1)
        stamps *= outside->inverse[__builtin_ctz(reuse)];
    double group = stamps * local->group_words, tile = stamps * local->tile_words;
    if (keep->slide >= 0) {
        struct mapper_slide_order order = {keep->slide, keep->halo, stamps, outside->stamps};
        sator_mapper_slides_least(&local->recalled->slides, &order, &group, &tile);
    } else if (keep->slide == ORDER_ANY_SLIDE) { /* the first stamp brings all */
        group = local->group_words;
        tile = local->tile_words;
    }
    for (int i = 0; i < local->n_idle; i++) {
        const struct idle *idle = &local->idle[i];
        bool kept = keep->reuse & idle->bits;
        group *= kept ? idle->kept[0] : idle->fetched[0];
        tile *= kept ? idle->kept[1] : idle->fetched[1];
    }
    range->unique_lb = (double)walk->groups * walk->scale * group;
    range->arriving_lb = (double)walk->tiles * walk->tile_scale * tile;
}

/* The most that crosses when tiles may be smaller: along loops that do not index the tensor each of
 * the smaller tiles brings as many words, along others all of them together do. */
static void shrink_tiles(
        const struct mapper_bounds *b, const struct mapper_walk *walk, struct mapper_range *range)
{
    const struct mapper_access *access = walk->access;
    double times = 1;

    for (int i = 0; i < b->problem->n_loops; i++)
        times *= access->relevant >> i & 1 ? 1 : (double)b->given.shrink[i];
    range->unique_ub *= times;
    range->arriving_ub *= times;
    if (b->problem->imperfect || access->is_sliding)
        range->unique_ub = range->arriving_ub = (double)access->volume;
}

/* The share of the hull's instances that surely have their words brought (domain.h), to PEs that
 * share or to each; 0: nothing is known of such tiles. */
static double brought(const struct mapper_bounds *b, const struct mapper_walk *walk,
        const struct mapper_shape *shape, const struct outside *outside, bool arriving)
{
    const struct mapper_domain *domain = b->asked->domain;
    const int64_t *inside = shape->inside[outside->nearest + 1];
    double share = domain->share;
    bool is_open = b->given.open != 0 || b->given.either != 0 || b->given.strides;
    unsigned near = is_open ? 0 : mapper_loops_of(b->problem, outside->near);
    bool any_near = (walk->access->relevant & near) != 0;
    unsigned rows = mapper_rows_before(walk->transfer->child_row) &
            ~mapper_rows_before(outside->nearest + 1) & ~(arriving ? 0 : walk->shared);

    if (!(domain->scaled >> walk->transfer->access & 1) || walk->transfer->reaches_back ||
            walk->transfer->is_outside)
        return 0;
    for (int i = 0; i < b->problem->n_loops; i++) {
        if (!(walk->access->relevant >> i & 1) ||
                (outside->near[i] == 1 && (any_near || outside->far[i] == 1)))
            continue;
        bool apart = mapper_positions_on(shape, rows, i) > 1;
        share = mapper_lesser(share,
                sator_mapper_domain_brought(domain, i, is_open ? 1 : inside[i],
                        any_near ? outside->near[i] : 0, apart));
    }
    return share;
}

static void range_of(struct mapper_bounds *b, struct local *local, const struct order_keep *keep,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double groups = (double)walk->groups, tiles = (double)walk->tiles;
    /* of those with equal words some order has none beside the other */
    bool is_parted = shape->in_any_order && walk->transfer->wired != 0;

    if (local->covers_only)
        range->unique_lb = range->arriving_lb = 0;
    else if (b->problem->chains)
        bounds_least_of_chains(b, local, keep, shape, outside, range);
    else if (local->is_open)
        bounds_least_of_runs(b, local, keep, shape, outside, range);
    else
        bound_steps(local, keep, outside, range);
    range->ratio = 0;
    if (local->ratio_fixed && !is_parted)
        range->ratio = tiles * local->tile_words / (groups * local->group_words);
    if (walk->access->is_sliding)
        mapper_range_raise(
                range, groups * (double)walk->group_cover, tiles * (double)walk->tile_cover);
    if (b->problem->chains && !walk->transfer->is_counted) {
        double footprint = (double)walk->access->footprint;
        mapper_range_raise(range, footprint, footprint);
        groups = tiles = 1; /* the stamps are those of all */
    }
    range->unique_ub = groups * outside->most_stamps * (double)walk->group_words;
    range->arriving_ub = tiles * outside->most_stamps * (double)walk->tile_words;
    if (b->problem->chains && b->given.open != 0 && walk->transfer->merges) {
        /* smaller tiles bring more, and leave other PEs of a tree idle */
        range->unique_ub = range->arriving_ub = (double)walk->access->volume;
        range->ratio = 0;
    }
    if (b->given.shrink != NULL)
        shrink_tiles(b, walk, range);
    if (walk->transfer->is_counted || walk->transfer->is_quotient) {
        double steps = b->bridges.late >> walk->number & 1 ? range->unique_lb : 0, each = 0;
        if (b->asked->domain != NULL) {
            steps = range->unique_lb * brought(b, walk, shape, outside, false);
            each = range->arriving_lb * brought(b, walk, shape, outside, true);
        }
        sator_mapper_range_counted(b->asked, walk->number, walk->parts, range);
        mapper_range_raise(range, steps, each);
    }
    if (walk->is_relaxed || local->is_apart || is_parted)
        range->unique_ub = range->arriving_ub;
    if (walk->transfer->is_outside && outside->stamps == 1 &&
            sator_mapper_is_loaded(b->problem, walk->transfer, 1))
        *range = (struct mapper_range){0};
}

/* What each unique word of the transfer lends to those that arrive further out. */
static double lent_by(const struct mapper_bounds *b, const struct mapper_transfer *t)
{
    if (!b->problem->lends || t->outward < 0 ||
            b->problem->transfer[t->outward].child >= b->given.known)
        return 0;
    return b->given.crew->lent_pj[t->outward];
}

static double pj_of(const struct mapper_bounds *b, int transfer, const struct mapper_range *range)
{
    const struct mapper_transfer *t = &b->problem->transfer[transfer];

    return sator_mapper_range_pj(t->unique_pj - lent_by(b, t), t->arriving_pj, range);
}

struct mapper_given *sator_mapper_bounds_given(struct mapper_bounds *bounds)
{
    return &bounds->given;
}

void sator_mapper_bounds_known(struct mapper_bounds *bounds, int m)
{
    bounds->given.known = bounds->given.chosen = m;
}

/* ---- classes of orders: energy against time ---- */

/* The bits that move through a port where transfer k brings "range[k]". */
static double bits_of(const struct mapper_bounds *b, const struct group *group,
        const struct side *side, const struct mapper_range *const *range)
{
    double bits = b->given.beside != NULL ? b->given.beside->bits[side->port]
                                          : b->given.crew->fixed_bits[side->port];

    for (int k = 0; k < group->orders.count; k++)
        bits += side->unique[k] * range[k]->unique_lb + side->arriving[k] * range[k]->arriving_lb;
    return bits;
}

/* The cycles that the transfers take in order class "c", at least: where it begins with no bridge,
 * or with any. */
static double class_cycles(const struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, int c)
{
    const struct mapper_range *range[MAPPER_ACCESSES];
    struct mapper_range across[MAPPER_ACCESSES];
    double bits[MAPPER_PORTS], slowest = b->given.compute;

    for (int k = 0; k < group->orders.count; k++)
        range[k] = &b->ranges.range[k][classes->keeps[c][k]];
    for (int i = 0; i < group->n_sides; i++) {
        bits[i] = bits_of(b, group, &group->side[i], range);
        if (b->ranges.stamps > 0)
            slowest =
                    mapper_greater(slowest, bounds_whole_cycles(b, group, &group->side[i], range));
    }
    for (int n = 0; n < b->bridges.count; n++) {
        for (int k = 0; k < group->orders.count; k++) {
            across[k] = bounds_across(b, group->orders.transfer[k], k, classes,
                    classes->keeps[c][k], &b->bridges.item[n]);
            range[k] = &across[k];
        }
        for (int i = 0; i < group->n_sides; i++)
            bits[i] = mapper_lesser(bits[i], bits_of(b, group, &group->side[i], range));
    }
    for (int i = 0; i < group->n_sides; i++)
        slowest = mapper_greater(slowest, bits[i] * b->given.crew->per_bit[group->side[i].port]);
    return slowest;
}

/* The energy that the transfers of "numbers" spend in order class "c", at least, whatever late
 * links bring. */
static double any_pj(
        const struct mapper_bounds *b, unsigned numbers, const struct order_classes *classes, int c)
{
    double pj = 0;

    for (; numbers != 0; numbers &= numbers - 1) {
        int k = __builtin_ctz(numbers);
        pj += b->ranges.any_pj[k][classes->keeps[c][k]];
    }
    return isnan(pj) ? 0 : pj; /* of no account */
}

/* What transfers cost in orders that begin with a bridge, by what is kept of them; NAN: not known
 * yet. */
typedef double across_table[MAPPER_ACCESSES][ORDER_CLASSES];

/* The energy of order class "c" with a bridge. */
static double class_across(const struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, int c, const struct bridge *bridge, across_table pj)
{
    double across = 0;

    for (int k = 0; k < group->orders.count; k++) {
        const int t = group->orders.transfer[k], number = classes->keeps[c][k];
        if (isnan(pj[k][number])) {
            struct mapper_range r = bounds_across(b, t, k, classes, number, bridge);
            pj[k][number] = pj_of(b, t, &r);
        }
        across += pj[k][number];
    }
    return across;
}

/* The least energy of each class "class[c]" that begins with a bridge. Few of the classes differ in
 * what one transfer keeps: what that costs is found once. */
static void across_pj(const struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, int count, const uint8_t *class, double *least)
{
    across_table pj;

    for (int c = 0; c < count; c++)
        least[c] = INFINITY;
    for (int i = 0; i < b->bridges.count; i++) {
        for (int k = 0; k < group->orders.count; k++) {
            for (int number = 0; number < classes->n_keeps[k]; number++)
                pj[k][number] = NAN;
        }
        for (int c = 0; c < count; c++)
            least[c] = mapper_lesser(
                    least[c], class_across(b, group, classes, class[c], &b -> bridges.item[i], pj));
    }
}

/* The energy that the transfers spend in order class "c", at least: without bridges, or "across"
 * one, and then no less than "any". */
static double class_pj(const struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, int c, double across, double any)
{
    double pj = 0;

    for (int k = 0; k < group->orders.count; k++)
        pj += b->ranges.pj[k][classes->keeps[c][k]];
    pj = mapper_lesser(pj, mapper_greater(across, any));
    return isnan(pj) ? 0 : pj; /* of no account */
}

/* Set the share's energy to the least of the classes of interest, and the steps by which it rises
 * for those that are faster. */
static void find_steps(const struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, struct mapper_share *share)
{
    double pj[ORDER_CLASSES], across[ORDER_CLASSES], cycles[ORDER_CLASSES];
    double limit = INFINITY, any = INFINITY;
    bool known = false; /* "cycles" */
    int count = b->ranges.n_classes;
    const uint8_t *class = b->ranges.class;

    for (int c = 0; c < count && b->bridges.count > 0; c++)
        any = mapper_lesser(any, any_pj(b, (1U << group->orders.count) - 1, classes, class[c]));
    if (b->bridges.count > 0 && any > b->given.limit) { /* bridges take long */
        share->pj = mapper_greater(share->pj, any);
        return;
    }
    across_pj(b, group, classes, count, class, across);
    for (int c = 0; c < count; c++)
        pj[c] = class_pj(b, group, classes, class[c], across[c], any);
    for (int n = 0; n <= MAPPER_STEPS; n++) {
        double least = INFINITY, fastest = INFINITY;
        for (int c = 0; c < count; c++) {
            if ((known && cycles[c] >= limit) || pj[c] > least)
                continue;
            if (!known && n == 0)
                cycles[c] = class_cycles(b, group, classes, class[c]);
            fastest = pj[c] < least ? cycles[c] : mapper_lesser(fastest, cycles[c]);
            least = pj[c];
        }
        if (n == 0)
            share->pj = mapper_greater(share->pj, least);
        else
            sator_mapper_share_step(share, limit, mapper_greater(least - share->pj, 0));
        if (fastest <= b->given.compute || least == INFINITY)
            return;
        limit = fastest;
        for (int c = 0; c < count && !known; c++)
            cycles[c] = class_cycles(b, group, classes, class[c]);
        known = true;
    }
}

/* Bound the "k"-th transfer into a child in the classes "of interest" (else in all), and add what
 * it costs in any. */
static void bound_transfer(struct mapper_bounds *b, const struct order_classes *classes,
        int transfer, int k, const struct mapper_shape *shape, const struct outside *outside,
        bool of_interest, struct mapper_share *share)
{
    bool takes_all = !of_interest || b->ranges.n_classes == classes->count;
    bool is_late = b->bridges.late >> transfer & 1;
    double unique = INFINITY, arriving = INFINITY; /* at the least, in any class */
    const struct mapper_range *last = NULL; /* classes differ in lower bounds alone */
    struct local local;

    bounds_open_local(b, transfer, shape, outside, &local);
    b->ranges.parts[transfer] = (double)local.walk.parts;
    b->ranges.each[k] = b->ranges.stamps == 0 ? 0 : sator_mapper_streamed_words(&local.walk);
    for (int i = 0; i < classes->n_keeps[k]; i++) {
        const struct order_keep *keep = &classes->keep[k][i];
        struct mapper_range *range = &b->ranges.range[k][i], fewer;
        if (!takes_all && !b->ranges.is_kept[k][i])
            continue;
        range_of(b, &local, keep, shape, outside, range);
        b->ranges.any_pj[k][i] = b->ranges.pj[k][i] = pj_of(b, transfer, range);
        if (is_late) {
            fewer = *range;
            fewer.unique_lb = bounds_footprint(b, transfer) * b->ranges.parts[transfer];
            b->ranges.any_pj[k][i] = pj_of(b, transfer, &fewer);
        }
        last = range;
        const struct mapper_range *lowest = range;
        if (b->bridges.count > 0) {
            fewer = bounds_lowest(b, transfer, keep, range);
            lowest = &fewer;
        }
        unique = mapper_lesser(unique, lowest->unique_lb);
        arriving = mapper_lesser(arriving, lowest->arriving_lb);
    }
    assert(last != NULL);
    b->ranges.least[k] = *last;
    b->ranges.least[k].unique_lb = unique;
    b->ranges.least[k].arriving_lb = arriving;
    b->ranges.arriving[k] =
            (double)local.walk.tiles * local.walk.tile_scale * outside->stamps * local.tile_words;
    sator_mapper_share_transfer(b->problem, transfer, &b->ranges.least[k],
            lent_by(b, &b->problem->transfer[transfer]), share);
}

static bool is_dear(const struct mapper_bounds *b, int transfer)
{
    return b->problem->access[b->problem->transfer[transfer].access].is_sliding;
}

static bool is_output(const struct mapper_bounds *b, int transfer)
{
    return b->problem->access[b->problem->transfer[transfer].access].role == SATOR_WRITE;
}

/* All classes are of interest. */
static void take_all(struct mapper_bounds *b, const struct order_classes *classes)
{
    b->ranges.n_classes = classes->count;
    for (int c = 0; c < classes->count; c++)
        b->ranges.class[c] = (uint8_t)c;
}

/* Take the classes in which no more is spent than is of interest if transfers with windows, which
 * are not bounded yet, bring every word once; false: there are none, and the share's energy is what
 * the least of them spends so. What is read lends nothing. */
static bool take_of_interest(struct mapper_bounds *b, const struct order_table *orders,
        const struct order_classes *classes, struct mapper_share *share)
{
    double least = INFINITY, windows = 0;
    unsigned cheap = 0, dear = 0; /* by number */

    take_all(b, classes);
    if (b->given.limit == INFINITY)
        return true;
    for (int k = 0; k < orders->count; k++) {
        bool is_one = is_dear(b, orders->transfer[k]);
        *(is_one ? &dear : &cheap) |= 1U << k;
        if (is_one && b->problem->lends && is_output(b, orders->transfer[k]))
            return true;
        if (is_one)
            windows += sator_mapper_least_pj(
                    b->problem, b->given.crew, UINT32_C(1) << orders->transfer[k]);
    }
    if (dear == 0)
        return true;
    b->ranges.n_classes = 0;
    for (unsigned left = dear; left != 0; left &= left - 1)
        memset(b->ranges.is_kept[__builtin_ctz(left)], false, sizeof *b->ranges.is_kept);
    for (int c = 0; c < classes->count; c++) {
        double pj = windows + any_pj(b, cheap, classes, c);
        least = mapper_lesser(least, pj);
        if (pj > b->given.limit)
            continue;
        b->ranges.class[b->ranges.n_classes++] = (uint8_t)c;
        for (unsigned left = dear; left != 0; left &= left - 1)
            b->ranges.is_kept[__builtin_ctz(left)][classes->keeps[c][__builtin_ctz(left)]] = true;
    }
    if (b->ranges.n_classes == 0) {
        share->pj = least;
        return false;
    }
    if (b->bridges.count > 0) /* with these outermost an order is of another class */
        take_all(b, classes);
    return true;
}

void bounds_of_group(struct mapper_bounds *b, const struct group *group,
        const struct order_classes *classes, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_share *share)
{
    const struct order_table *orders = &group->orders;

    for (int dear = 0; dear < 2; dear++) { /* windows take long */
        for (int k = 0; k < orders->count; k++) {
            int child = b->problem->transfer[orders->transfer[k]].child;
            const struct outside *its = &outside[child == group->inside ? 1 : 0];
            if (is_dear(b, orders->transfer[k]) == (dear == 1))
                bound_transfer(b, classes, orders->transfer[k], k, shape, its, dear == 1, share);
        }
        if (dear == 0 && !take_of_interest(b, orders, classes, share))
            return;
    }
    find_steps(b, group, classes, share);
}

/* Bound the transfers of a group of those into "child". */
static void share_of(struct mapper_bounds *b, int child, struct group *group,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far,
        struct mapper_share *share)
{
    const struct mapper_problem *p = b->problem;
    bool is_joined = child == p->n_memories && b->joined != 0;
    unsigned near_loops = 0, far_loops = 0;
    struct outside outside[2];

    *share = (struct mapper_share){0};
    if (group->orders.count == 0)
        return;
    bounds_open_outside(b, child, shape, near, far, &outside[0]);
    if (is_joined) /* the near loops are inside of its tile */
        bounds_open_outside(b, child - 1, shape, mapper_ones, far, &outside[1]);
    for (int i = 0; i < p->n_loops; i++) {
        near_loops |= outside[0].inverse[i] < 1 ? 1U << i : 0;
        far_loops |= outside[0].inverse[p->n_loops + i] < 1 ? 1U << i : 0;
    }
    if (!is_joined)
        bounds_find_bridges(b, group->transfers, near_loops, far_loops, &outside[0]);
    const struct order_classes *classes = sator_mapper_order_classes(
            &group->orders, near_loops, far_loops, b->given.either & far_loops);
    bounds_open_stamps(b, child, shape, &outside[0]);
    bounds_of_group(b, group, classes, shape, outside, share);
    b->bridges.late = 0;
    b->bridges.count = 0;
}

void sator_mapper_bounds_share(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct mapper_share *share)
{
    share_of(b, child, &b->group[child], shape, near, far, share);
}

bool sator_mapper_bounds_some(struct mapper_bounds *b, int child, uint32_t transfers,
        const struct mapper_shape *shape, const int64_t *near, const int64_t *far,
        struct mapper_share *share)
{
    struct group *group = bounds_find_group(b, transfers, b->group[child].inside, 0);

    if (group == NULL)
        return false;
    share_of(b, child, group, shape, near, far, share);
    return true;
}
