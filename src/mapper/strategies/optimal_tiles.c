/* The tiles of a memory, those with the best bound first. */
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENOUGH_BOUNDED = 64 /* tiles in single orders, to know what their bounds are worth */
};

static int by_value(const void *a, const void *b)
{
    const struct tile_choice *x = a, *y = b;

    assert(!isnan(x->bound.value) && (x == y || x->number != y->number));
    if (x->bound.value != y->bound.value)
        return x->bound.value < y->bound.value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

bool optimal_is_hopeless(struct optimizer *o, int m, const struct mapper_share *a,
        const struct mapper_share *b, const struct mapper_share *c, struct mapper_cost *bound)
{
    struct mapper_share all = *a;

    sator_mapper_share_add(o->problem, &all, b);
    sator_mapper_share_add(o->problem, &all, c);
    sator_mapper_share_add(o->problem, &all, &o->table.least[m]);
    all.pj += o->at.beyond_pj;
    struct mapper_cost cost = optimal_cost(o, &all);
    if (bound != NULL)
        *bound = cost;
    if (!sator_mapper_is_hopeless(o->search, cost.pj, cost.cycles))
        return false;
    o->search->counters.pruned_tiling++;
    return true;
}

double optimal_energy_beside(const struct optimizer *o, int m, const struct inner *inner)
{
    return inner->settled->pj + inner->last->pj + o->table.least[m].pj + o->at.beyond_pj;
}

/* The most energy that transfers may spend in a mapping that wins. */
static double most_pj(const struct optimizer *o)
{
    double cycles = o->at.compute_cycles;

    return sator_mapper_most_pj(o->search, cycles) - o->problem->leakage_pj * cycles;
}

void optimal_limit_bounds(struct optimizer *o, double beside)
{
    o->given->limit = most_pj(o) - beside;
}

void optimal_bound_own(struct optimizer *o, int m, struct mapper_share *own)
{
    int64_t far[MAPPER_LOOPS];

    optimal_find_far(o, m, far);
    sator_mapper_bounds_known(o->bounds, m);
    sator_mapper_bounds_share(o->bounds, m, &o->at.shape, mapper_ones, far, own);
}

double optimal_bound_inner(struct optimizer *o, int m, unsigned either, const struct inner *inner,
        const struct mapper_share *own, struct mapper_share *refined)
{
    const struct mapper_problem *p = o->problem;
    const int64_t *near = o->at.mapping.factor[p->memory[m].row];
    struct mapper_share beside = *inner->settled;
    int64_t far[MAPPER_LOOPS];

    optimal_find_far(o, m, far);
    sator_mapper_share_add(p, &beside, own);
    sator_mapper_share_add(p, &beside, &o->table.least[m]);
    sator_mapper_bounds_known(o->bounds, m);
    o->given->beside = &beside;
    o->given->either = either;
    optimal_limit_bounds(o, beside.pj);
    sator_mapper_bounds_share(o->bounds, m + 1, &o->at.shape, near, far, refined);
    o->given->limit = INFINITY;
    o->given->either = 0;
    o->given->beside = NULL;
    return beside.pj + refined->pj;
}

/* Bound the transfers into what lies inside memory "m" again, its factors being known: "settled"
 * and the bound of "choice", whose own transfers are. Whether the tile may win. */
static bool may_win(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{
    struct mapper_share refined, anew, none = {0};
    struct mapper_cost other;
    double least_pj = 0;

    optimal_bound_inner(o, m, 0, inner, &choice->own, &refined);
    if (optimal_is_hopeless(o, m, inner->settled, &refined, &choice->own, &choice->bound) ||
            optimal_pair_cannot_win(o, m, 0, &least_pj))
        return false;
    choice->settled = *inner->settled;
    sator_mapper_share_add(o->problem, &choice->settled, &refined);
    if (optimal_settle_anew(o, m, &choice->own, &anew)) {
        if (optimal_is_hopeless(o, m, &anew, &choice->own, &none, &other))
            return false;
        if (other.value > choice->bound.value) {
            choice->settled = anew;
            choice->bound = other;
        }
    }
    return true;
}

void optimal_add_choice(struct tile_list *list, const struct tile_choice *choice)
{
    list->item = sator_grow(list->item, list->count, &list->room, sizeof *list->item);
    list->item[list->count++] = *choice;
}

/* Keep the tile whose own transfers cost "choice->own" if it may win. */
static void keep_tile(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{
    struct tile_list *list = &o->table.tile_list[m];

    if (!may_win(o, m, inner, choice))
        return;
    choice->number = (uint32_t)list->count;
    memcpy(choice->factor, o->at.mapping.factor[o->problem->memory[m].row], sizeof choice->factor);
    optimal_add_choice(list, choice);
}

/* Take what the phases of the scheduled time add at least into account, the tiles of memories from
 * "m" inward being chosen, until what is returned are the compute cycles again, and nothing waits.
 * Nothing where time is the roofline, or loops on arrays have no order yet. */
static double add_phases(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    const double compute = o->at.compute_cycles;

    if (p->phases == NULL || o->at.is_unordered || o->at.is_apart)
        return compute;
    sator_mapper_exposed(p->phases, o->search->words, &o->at.mapping, &o->at.shape, m,
            m == 0 ? &o->at.crew : NULL,
            &o->at.exposed); /* few tiles of inner memories wait enough */
    o->at.compute_cycles += o->at.exposed.cycles;
    return compute;
}

static void drop_phases(struct optimizer *o, double compute)
{
    o->at.compute_cycles = compute;
    o->at.exposed.waits = false;
    o->at.exposed.alone = 0;
}

/* Keep it if it may win with what its phases add to the compute cycles. */
static void keep_phased(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{
    const double compute = add_phases(o, m);

    if ((o->at.compute_cycles == compute && !o->at.exposed.waits) ||
            !optimal_is_hopeless(o, m, inner->settled, inner->last, &choice->own, NULL))
        keep_tile(o, m, inner, choice);
    drop_phases(o, compute);
}

/* Whether its own transfers, with what is known of the others, leave it open to win. */
static bool add_tile(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct tile_choice choice;

    assert(0 <= m && m < p->n_memories);
    o->search->counters.tilings++;
    if (m == p->n_memories - 1 && optimal_is_image(o, o->at.mapping.factor[p->memory[m].row])) {
        o->search->counters.pruned_dominated++;
        return true;
    }
    if (!o->at.tabulating && optimal_is_dominated(o, m)) {
        o->search->counters.pruned_dominated++;
        return true;
    }
    double compute = o->at.compute_cycles;
    if (o->plan->imperfect && m == p->n_memories - 1)
        o->at.compute_cycles = optimal_compute(o);
    optimal_limit_bounds(o, optimal_energy_beside(o, m, inner));
    optimal_bound_own(o, m, &choice.own);
    o->given->limit = INFINITY;
    bool is_open = !optimal_is_hopeless(o, m, inner->settled, inner->last, &choice.own, NULL);
    if (is_open && o->at.tabulating)
        optimal_add_outer(o, m, &choice.own);
    else if (is_open)
        keep_phased(o, m, inner, &choice);
    o->at.compute_cycles = compute;
    return is_open;
}

/* How many of the table's tiles of memory "m", by energy, may win beside "others". */
static int find_affordable(struct optimizer *o, int m, const struct mapper_share *others)
{
    int first = 0, end = o->table.outer[m].count; /* the first that may not is between these */

    while (first < end) {
        int k = first + (end - first) / 2;
        struct mapper_share all = *others;
        all.pj += o->table.outer[m].item[k].all_pj;
        struct mapper_cost bound = optimal_cost(o, &all);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
            end = k;
        else
            first = k + 1;
    }
    return first;
}

/* The tiles of memory "m" from the table: those that the tile inside divides. */
static void take_outer(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share others = *inner->settled;

    sator_mapper_share_add(p, &others, inner->last);
    sator_mapper_share_add(p, &others, &o->table.least[m]);
    optimal_find_holding(o, m, -1);
    int count = find_affordable(o, m, &others);
    for (int k = optimal_next_outer(o, m, 0); k < count; k = optimal_next_outer(o, m, k + 1)) {
        const struct outer_tile *tile = &o->table.outer[m].item[k];
        if (sator_mapper_should_stop(o->search))
            break;
        struct tile_choice choice = {.own = tile->own, .item = k};
        o->search->counters.tilings++;
        o->at.beyond_pj = tile->beyond_pj;
        if (optimal_is_hopeless(o, m, inner->settled, inner->last, &choice.own, NULL))
            continue;
        for (int i = 0; i < p->n_loops; i++)
            optimal_set_factor(
                    o, m, i, tile->extent[i] / o->at.shape.inside[p->memory[m].row + 1][i]);
        if (optimal_is_dominated(o, m)) {
            o->search->counters.pruned_dominated++;
            continue;
        }
        keep_phased(o, m, inner, &choice);
    }
    o->at.beyond_pj = 0;
    optimal_set_factors(o, m, mapper_ones);
}

/* Whether the bound of what tiles of memory "m" bring never rises with their factor of "loop", the
 * last one to be chosen (optimal_none_can_win). */
static bool falls_with(const struct optimizer *o, int m, int loop)
{
    const struct mapper_problem *p = o->problem;
    bool grow;

    return !o->plan->slides[loop] && !p->imperfect && !p->has_counted && p->skew == NULL &&
            optimal_is_bounded(o, m, &grow) && grow;
}

/* The innermost tiles that divide the tile with the factor of "loop" just chosen, and what the
 * cheapest of them adds to "now"; false: none does. Of a table of a middle memory alone. */
static bool take_inside(struct optimizer *o, int m, int loop, struct mapper_share *now)
{
    int64_t extent = o->at.shape.inside[o->problem->memory[m].row][loop];
    uint64_t before = o->at.alive;

    o->at.alive = optimal_inside(o, before, loop, extent);
    if (o->at.alive == 0)
        return false;
    int first = __builtin_ctzll(o->at.alive), last = __builtin_ctzll(before);
    now->pj += o->table.inside.pj[first] - o->table.inside.pj[last];
    return true;
}

/* Whether the tiles of the memory outside "m" are known. */
static bool knows_outside(const struct optimizer *o, int m)
{
    return m > 0 && o->table.outer[m - 1].known;
}

/* Take the cheapest tile of memory "m - 1" in its table that the tile chosen so far divides, of
 * which "loop" is new; false: none does that leaves it open to win, where all spend "least_pj" so
 * far. */
static bool take_outside(struct optimizer *o, int m, int loop, double least_pj)
{
    const struct outer_tiles *tiles = &o->table.outer[m - 1];

    optimal_find_holding(o, m - 1, loop);
    o->at.outside = optimal_next_outer(o, m - 1, o->at.outside);
    if (o->at.outside == tiles->count)
        return false;
    double beyond = tiles->item[o->at.outside].all_pj - tiles->least.pj;
    bool may_win = least_pj + beyond - o->at.beyond_pj <= most_pj(o);
    o->at.beyond_pj = beyond;
    return may_win;
}

/* List the tiles of memory "m": factors for the loops from the "at"-th of the listing order on. All
 * of them spend at least "least_pj". Whether any may win by what it brings itself. */
static bool list_tiles(
        struct optimizer *o, int m, int at, const struct inner *inner, double least_pj)
{
    const struct mapper_problem *p = o->problem;
    int loop = o->at.listing[at]; /* one past the end: unused */

    optimal_climb(o);
    if (sator_mapper_should_stop(o->search) ||
            (o->at.tabulating && optimal_is_full(&o->table.outer[m])))
        return false;
    if (at == p->n_loops) {
        if (p->skew != NULL && !o->at.tabulating)
            o->at.compute_cycles = optimal_skewed_compute(o, m);
        return add_tile(o, m, inner);
    }
    int64_t before[MAPPER_ACCESSES], most[MAPPER_LOOPS], *factors = o->table.factors[at];
    if (p->skew != NULL &&
            !o->at.tabulating) /* larger tiles take longer, but longer runs are fewer */
        o->at.compute_cycles =
                optimal_skewed_compute(o, sator_mapper_span(p, &o->at.mapping, m) > 0 ? m + 1 : m);
    memcpy(most, o->at.most, sizeof most);
    int n_listed;
    if (optimal_none_can_win(o, m, at, inner, &least_pj, &n_listed)) {
        memcpy(o->at.most, most, sizeof most);
        return false;
    }
    memcpy(before, o->at.size, sizeof before);
    int count = n_listed >= 0 ? optimal_drop_slow(o, m, loop, least_pj, factors, n_listed)
                              : optimal_list_factors(o, m, loop, least_pj, factors);
    bool is_middle = o->at.tabulating && o->table.inside.n > 0, has_outside = knows_outside(o, m);
    bool falls = at == p->n_loops - 1 && falls_with(o, m, loop);
    double closed_pj = INFINITY; /* with so much inside, tiles from here on bring too much */
    uint64_t alive = o->at.alive;
    int outside = o->at.outside;
    double beyond = o->at.beyond_pj, compute = o->at.compute_cycles;
    const uint64_t *holding = o->at.holding[loop];
    struct mapper_share raised = *inner->last;
    struct inner now = {inner->settled, &raised};
    for (int n = 0; n < count; n++) {
        int k = falls ? count - 1 - n : n;
        optimal_set_factor(o, m, loop, factors[k]);
        o->at.alive = alive;
        o->at.outside = outside;
        o->at.beyond_pj = beyond;
        o->at.compute_cycles = compute; /* not those of the factors further in, tried before */
        raised.pj = inner->last->pj;
        if (is_middle && !take_inside(o, m, loop, &raised))
            continue;
        if (has_outside && !take_outside(o, m, loop, least_pj + raised.pj - inner->last->pj))
            continue;
        double more_pj = raised.pj - inner->last->pj + o->at.beyond_pj - beyond;
        if (more_pj >= closed_pj)
            continue;
        optimal_refresh_sizes(o, m, loop, o->at.size);
        if (!list_tiles(o, m, at + 1, &now, least_pj + more_pj) && falls)
            closed_pj = more_pj; /* less than before */
    }
    o->at.alive = alive;
    o->at.outside = outside;
    o->at.beyond_pj = beyond;
    o->at.holding[loop] = holding;
    optimal_set_factor(o, m, loop, 1);
    memcpy(o->at.size, before, sizeof before);
    memcpy(o->at.most, most, sizeof most);
    return true;
}

/* The energy that the transfers into memory "m" spend at least, whatever its tile: less than none
 * where words spare partial sums further in. */
static double least_own(const struct optimizer *o, int m)
{
    double pj =
            sator_mapper_least_pj(o->problem, &o->at.crew, sator_mapper_bounds_group(o->bounds, m));

    return isnan(pj) ? 0 : pj; /* of no account */
}

void optimal_list_tiles(struct optimizer *o, int m, const struct inner *inner)
{
    double compute = o->at.compute_cycles;

    optimal_refresh_sizes(o, m, -1, o->at.size);
    for (int i = 0; i < o->problem->n_loops; i++)
        o->at.most[i] = INT64_MAX;
    o->at.outside = 0;
    if (knows_outside(o, m))
        optimal_find_holding(o, m - 1, -1);
    if (sator_mapper_fits(o->problem, m, o->at.size))
        list_tiles(o, m, 0, inner, optimal_energy_beside(o, m, inner) + least_own(o, m));
    else
        o->search->counters.pruned_capacity++;
    o->at.compute_cycles = compute;
}

void optimal_list_again(struct optimizer *o, const struct tile_list *from)
{
    const struct mapper_problem *p = o->problem;
    const int m = p->n_memories - 1;
    struct inner inner = optimal_inner(o);

    o->table.tile_list[m].count = 0;
    optimal_open_pair(o, m, &inner);
    for (int k = 0; k < from->count; k++) {
        bool divides = true;
        for (int i = 0; i < p->n_loops && divides; i++)
            divides = o->at.rest[i] % from->item[k].factor[i] == 0;
        const struct mapper_cost *bound = &from->item[k].bound;
        if (!divides || sator_mapper_is_hopeless(o->search, bound->pj, bound->cycles))
            continue;
        optimal_set_factors(o, m, from->item[k].factor);
        optimal_refresh_sizes(o, m, -1, o->at.size);
        add_tile(o, m, &inner);
    }
    optimal_set_factors(o, m, mapper_ones);
    optimal_sort_choices(&o->table.tile_list[m]);
}

/* Go on with the tile chosen at memory "m". */
static void go_on(struct optimizer *o, int m, const struct mapper_share *settled,
        const struct mapper_share *own)
{
    int64_t rest[MAPPER_LOOPS], left[MAPPER_LOOPS];

    memcpy(rest, o->at.rest, sizeof rest);
    optimal_find_far(o, m, left);
    memcpy(o->at.rest, left, sizeof left);
    optimal_choose_tiles(o, m - 1, &(struct inner){settled, own});
    memcpy(o->at.rest, rest, sizeof rest);
}

struct ordering {
    struct optimizer *optimizer;
    int m; /* the memory whose tile was chosen last */
    const struct inner *inner;
    const struct tile_choice *choice; /* the tile; NULL: of the only memory */
    const struct mapper_shape *unordered;
};

/* Bound the tile of memory "m" in the order that loops now have on arrays: "choice", which has the
 * bound for all orders. Whether it may win there. */
static bool may_win_in_order(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{

    if (o->table.outer[m].known) { /* what is further in has no orders that matter to it */
        struct mapper_share none = {0};
        optimal_own_in_order(o, m, choice->item, &choice->own);
        return !optimal_is_hopeless(o, m, &choice->settled, &none, &choice->own, NULL);
    }
    optimal_bound_own(o, m, &choice->own);
    return !optimal_is_hopeless(o, m, inner->settled, inner->last, &choice->own, NULL) &&
            may_win(o, m, inner, choice);
}

/* The same, unless such bounds are known to rule out too little of this unrolling; tiles of a
 * memory further out, which are bounded in this order, too, come before loop orders and questions.
 */
static bool may_follow_in_order(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{
    struct row_orders *orders = &o->table.row_orders;

    if (m > 1 && orders->n_bounded >= ENOUGH_BOUNDED && 4 * orders->n_hopeless < orders->n_bounded)
        return true;
    bool may_win = may_win_in_order(o, m, inner, choice);
    orders->n_bounded++;
    orders->n_hopeless += !may_win;
    return may_win;
}

/* Go on with the tile chosen in the order that loops now have on arrays, if it may win there. */
static bool go_on_in_order(void *data)
{
    struct ordering *ordering = data;
    struct optimizer *o = ordering->optimizer;

    o->at.is_unordered = false;
    sator_mapper_shape_init(o->problem, &o->at.mapping, &o->at.shape);
    if (ordering->choice == NULL) {
        optimal_try_orders(o);
    } else {
        struct tile_choice choice = *ordering->choice;
        if (may_follow_in_order(o, ordering->m, ordering->inner, &choice))
            go_on(o, ordering->m, &choice.settled, &choice.own);
    }
    o->at.shape = *ordering->unordered;
    o->at.is_unordered = true;
    return !sator_mapper_should_stop(o->search);
}

/* The same in all of them: the tile was listed by bounds that hold in any. */
static void go_on_in_orders(
        struct optimizer *o, int m, const struct inner *inner, const struct tile_choice *choice)
{
    struct mapper_shape unordered = o->at.shape;

    optimal_each_row_order(o, go_on_in_order, &(struct ordering){o, m, inner, choice, &unordered});
}

/* The outermost memory takes what is left; then the orders. */
static void take_rest(struct optimizer *o, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    bool is_only = o->plan->imperfect && p->n_memories == 1; /* and takes all blocks */
    struct mapper_mapping placed = o->at.mapping;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t fixed = p->row[p->memory[0].row].fixed[i];
        int64_t factor = is_only ? sator_mapper_blocks(p->extent[i], o->at.unrolled_of[i].lanes)
                                 : o->at.rest[i];
        bool is_given = p->chains && o->at.unrolled_of[i].form == MAPPER_ANY && fixed > factor;
        optimal_set_factor(o, 0, i, is_given ? fixed : factor);
    }
    if (is_only)
        o->at.compute_cycles = optimal_compute(o);
    if (!optimal_tile_fits(o, 0))
        o->search->counters.pruned_capacity++;
    else if (sator_mapper_is_allowed(p, &o->at.mapping) &&
            (!(is_only || p->chains) || optimal_place_chains(o))) {
        const double compute = add_phases(o, 0);
        if (o->at.is_unordered) /* there is no other memory */
            go_on_in_orders(o, 0, inner, NULL);
        else
            optimal_try_orders(o);
        drop_phases(o, compute);
    }
    if (p->chains) {
        o->at.mapping = placed; /* with the factors as the tiles further out have them */
        sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    }
    optimal_set_factors(o, 0, mapper_ones);
}

void optimal_sort_choices(struct tile_list *list)
{
    if (list->count > 0)
        qsort(list->item, (size_t)list->count, sizeof *list->item, by_value);
}

void optimal_list_choices(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct tile_list *list = &o->table.tile_list[m];

    list->count = 0;
    optimal_open_pair(o, m, inner);
    if (o->table.outer[m].known)
        take_outer(o, m, inner);
    else
        optimal_list_tiles(o, m, inner);
    o->table.n_listings += m < p->n_memories - 1 && !p->row[p->memory[m].row - 1].is_space;
    optimal_sort_choices(list);
}

void optimal_follow_choices(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct tile_list *list = &o->table.tile_list[m];
    double compute = o->at.compute_cycles;
    for (int k = 0; k < list->count && !sator_mapper_should_stop(o->search); k++) {
        const struct tile_choice *choice = &list->item[k];
        if (sator_mapper_is_hopeless(o->search, choice->bound.pj, choice->bound.cycles)) {
            o->search->counters.pruned_tiling++;
            continue;
        }
        if (k >= o->at.width) {
            o->at.follows_all = false;
            break;
        }
        struct tile_choice chosen = *choice; /* the list may be another one soon */
        optimal_set_factors(o, m, choice->factor);
        if (m == o->at.grown) {
            optimal_refresh_sizes(o, m, -1, o->at.size);
            optimal_find_growable(o, false);
        }
        if (o->plan->imperfect && m == p->n_memories - 1)
            o->at.compute_cycles = optimal_compute(o);
        if (p->skew != NULL)
            o->at.compute_cycles = optimal_skewed_compute(o, m);
        if (o->at.is_unordered &&
                !(o->table.outer[m - 1].known && o->table.outer[m - 1].in_any_order))
            go_on_in_orders(o, m, inner, &chosen);
        else
            go_on(o, m, &chosen.settled, &chosen.own);
    }
    o->at.compute_cycles = compute;
    optimal_set_factors(o, m, mapper_ones);
}

void optimal_choose_tiles(struct optimizer *o, int m, const struct inner *inner)
{
    if (m == 0) {
        take_rest(o, inner);
        return;
    }
    optimal_list_choices(o, m, inner);
    optimal_follow_choices(o, m, inner);
}
