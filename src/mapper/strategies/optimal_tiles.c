/* The tiles of a memory, those with the best bound first. */
#include "mapper/phases.h"
#include "mapper/skew.h"
#include "mapper/strategies/optimal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const struct tile_choice *x = a, *y = b;

    assert(!isnan(x->value) && (x == y || x->number != y->number));
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool is_hopeless(struct optimizer *o, int m, const struct mapper_share *a,
        const struct mapper_share *b, const struct mapper_share *c, struct mapper_cost *bound)
{
    struct mapper_share all = *a;

    sator_mapper_share_add(o->problem, &all, b);
    sator_mapper_share_add(o->problem, &all, c);
    sator_mapper_share_add(o->problem, &all, &o->table.least[m]);
    *bound = optimal_cost(o->problem, &o->at, &all);
    if (!sator_mapper_is_hopeless(o->search, bound->pj, bound->cycles))
        return false;
    o->search->counters.pruned_tiling++;
    return true;
}

/* The energy that all transfers but those into memory "m" spend at least. */
static double energy_beside(const struct optimizer *o, int m, const struct inner *inner)
{
    return inner->settled->pj + inner->last->pj + o->table.least[m].pj;
}

/* Let bounds of the transfers into memory "m" end where the tile cannot win: all others spend
 * "beside" at least. */
static void limit_bounds(struct optimizer *o, double beside)
{
    double cycles = o->at.compute_cycles;

    sator_mapper_bounds_limit(o->bounds,
            sator_mapper_most_pj(o->search, cycles) - o->problem->leakage_pj * cycles - beside);
}

/* What the transfers into memory "m" cost at least, its factors being known. */
static void bound_own(struct optimizer *o, int m, struct mapper_share *own)
{
    const struct mapper_problem *p = o->problem;
    int64_t far[MAPPER_LOOPS];

    for (int i = 0; i < p->n_loops; i++)
        far[i] = optimal_left(o->plan, &o->at, m, i, o->at.mapping.factor[p->memory[m].row][i]);
    sator_mapper_bounds_known(o->bounds, m);
    sator_mapper_bounds_share(o->bounds, m, &o->at.shape, optimal_ones, far, own);
}

/* Bound the transfers into what lies inside memory "m" again, its factors being known: "settled"
 * and the bound of "choice", whose own transfers are. Whether the tile may win. */
static bool may_win(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share refined;
    struct mapper_cost bound;
    int row = p->memory[m].row;
    int64_t far[MAPPER_LOOPS];

    for (int i = 0; i < p->n_loops; i++)
        far[i] = optimal_left(o->plan, &o->at, m, i, o->at.mapping.factor[row][i]);
    struct mapper_share beside = *inner->settled;
    sator_mapper_share_add(p, &beside, &choice->own);
    sator_mapper_share_add(p, &beside, &o->table.least[m]);
    sator_mapper_bounds_known(o->bounds, m);
    sator_mapper_bounds_beside(o->bounds, &beside);
    sator_mapper_bounds_share(
            o->bounds, m + 1, &o->at.shape, o->at.mapping.factor[row], far, &refined);
    sator_mapper_bounds_beside(o->bounds, NULL);
    if (is_hopeless(o, m, inner->settled, &refined, &choice->own, &bound))
        return false;
    choice->settled = *inner->settled;
    sator_mapper_share_add(p, &choice->settled, &refined);
    choice->value = bound.value;
    choice->pj = bound.pj;
    choice->cycles = bound.cycles;
    return true;
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
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->item = sator_realloc(list->item, sizeof *list->item * (size_t)list->room);
    }
    assert(list->count < list->room);
    list->item[list->count++] = *choice;
}

/* What the phases of the scheduled time add to the compute cycles at least, the tiles of memories
 * from "m" inward being chosen; 0 where time is the roofline, or loops on arrays have no order yet.
 */
static double exposed_cycles(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    int64_t left[MAPPER_LOOPS];

    if (p->phases == NULL || o->at.is_unordered)
        return 0;
    for (int i = 0; i < p->n_loops; i++)
        left[i] = optimal_left(o->plan, &o->at, m, i, o->at.mapping.factor[p->memory[m].row][i]);
    return sator_mapper_exposed(p->phases, o->search->words, &o->at.mapping, &o->at.shape, m, left);
}

/* Keep it if it may win with what its phases add to the compute cycles. */
static void keep_phased(
        struct optimizer *o, int m, const struct inner *inner, struct tile_choice *choice)
{
    double compute = o->at.compute_cycles, exposed = exposed_cycles(o, m);
    struct mapper_cost bound;

    o->at.compute_cycles += exposed;
    if (exposed == 0 || !is_hopeless(o, m, inner->settled, inner->last, &choice->own, &bound))
        keep_tile(o, m, inner, choice);
    o->at.compute_cycles = compute;
}

static void add_tile(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct tile_choice choice;
    struct mapper_cost bound;

    assert(0 <= m && m < p->n_memories);
    o->search->counters.tilings++;
    if (m == p->n_memories - 1 &&
            optimal_is_image(o->plan, &o->at, o->at.mapping.factor[p->memory[m].row])) {
        o->search->counters.pruned_dominated++;
        return;
    }
    if (!o->at.tabulating && optimal_is_dominated(o, m)) {
        o->search->counters.pruned_dominated++;
        return;
    }
    double compute = o->at.compute_cycles;
    if (o->plan->imperfect && m == p->n_memories - 1)
        o->at.compute_cycles = optimal_compute(o->plan, &o->at);
    limit_bounds(o, energy_beside(o, m, inner));
    bound_own(o, m, &choice.own);
    sator_mapper_bounds_limit(o->bounds, INFINITY);
    if (!is_hopeless(o, m, inner->settled, inner->last, &choice.own, &bound)) {
        if (o->at.tabulating)
            optimal_add_outer(o, m, &choice.own);
        else
            keep_phased(o, m, inner, &choice);
    }
    o->at.compute_cycles = compute;
}

/* The tiles of memory "m" from the table: those that the tile inside divides. */
static void take_outer(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    int64_t *factor = o->at.mapping.factor[row];
    struct mapper_share none = {0}, all = *inner->settled;
    struct mapper_cost base, bound;

    if (is_hopeless(o, m, inner->settled, inner->last, &none, &base))
        return;
    sator_mapper_share_add(p, &all, inner->last);
    sator_mapper_share_add(p, &all, &o->table.least[m]);
    double pj = all.pj;
    for (int k = 0; k < o->table.outer[m].count; k++) {
        const struct outer_tile *tile = &o->table.outer[m].item[k];
        bool divides = true;
        all.pj = pj + tile->own.pj;
        if (all.n_steps == 0)
            bound = (struct mapper_cost){base.pj + tile->own.pj, base.cycles, 0};
        else
            bound = optimal_cost(o->problem, &o->at, &all);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles) ||
                sator_mapper_should_stop(o->search))
            break; /* the rest cost as much */
        for (int i = 0; i < p->n_loops && divides; i++)
            divides = tile->extent[i] % o->at.shape.inside[row + 1][i] == 0;
        if (!divides)
            continue;
        struct tile_choice choice = {.own = tile->own};
        o->search->counters.tilings++;
        if (is_hopeless(o, m, inner->settled, inner->last, &choice.own, &bound))
            continue;
        for (int i = 0; i < p->n_loops; i++) {
            factor[i] = tile->extent[i] / o->at.shape.inside[row + 1][i];
            optimal_refresh_shape(o->problem, &o->at, row, i);
        }
        if (optimal_is_dominated(o, m))
            o->search->counters.pruned_dominated++;
        else
            keep_phased(o, m, inner, &choice);
    }
    for (int i = 0; i < p->n_loops; i++) {
        factor[i] = 1;
        optimal_refresh_shape(o->problem, &o->at, row, i);
    }
}

/* The most words of access "a" that memory "m" has room for. */
static int64_t most_words(const struct mapper_problem *p, int m, int a)
{
    const struct mapper_memory *memory = &p->memory[m];
    int64_t most = p->access[a].footprint;

    for (int c = 0; c < memory->n_capacities; c++) {
        const struct mapper_capacity *capacity = &memory->capacity[c];
        int64_t words = capacity->available / (capacity->in_bits ? memory->word_bits[a] : 1);
        if ((memory->holds & capacity->accesses) >> a & 1 && words < most)
            most = words;
    }
    return most;
}

/* The most words of access "a" that tiles of it which fit memory "m" have, those of all PEs inside
 * memory "outer" together. */
static int64_t most_together(const struct optimal_plan *plan, const struct optimal_branch *branch,
        int outer, int m, int a)
{
    const struct mapper_problem *p = plan->problem;
    int64_t footprint = p->access[a].footprint, words = most_words(p, m, a);

    for (int k = 0; k < branch->shape.n_digits; k++) {
        const struct mapper_digit *digit = &branch->shape.digit[k];
        if (digit->row < p->memory[outer].row || digit->row > p->memory[m].row ||
                !(p->access[a].relevant >> digit->loop & 1))
            continue;
        words = words > footprint / digit->count ? footprint : words * digit->count;
    }
    return words;
}

void optimal_find_crowded(const struct optimal_plan *plan, struct optimal_branch *branch)
{
    const struct mapper_problem *p = plan->problem;

    for (int m = 1; m < p->n_memories; m++) {
        branch->crowded[m] = 0;
        for (int outer = 0; outer < m; outer++) {
            int64_t size[MAPPER_ACCESSES] = {0};
            for (int a = 0; a < p->n_accesses; a++) {
                if (p->memory[outer].holds >> a & 1)
                    size[a] = most_together(plan, branch, outer, m, a);
            }
            if (!sator_mapper_fits(p, outer, size, NULL))
                branch->crowded[m] |= 1U << outer;
        }
    }
}

/* Whether the tiles of the memories outside "m" that "m" could fill (optimal_find_crowded) hold
 * those chosen further in, with no loops of their own: larger ones hold no less. */
static bool fits_outside(struct optimizer *o, int m)
{
    for (unsigned crowded = o->at.crowded[m]; crowded != 0; crowded &= crowded - 1) {
        if (!optimal_tile_fits(o, __builtin_ctz(crowded)))
            return false;
    }
    return true;
}

/* Whether the tile of memory "m" fits with "factor" along "loop", given those of the loops before
 * it; "size" are the words with factor 1. */
static bool fits_with(struct optimizer *o, int m, int loop, int64_t factor, const int64_t *size)
{
    int row = o->problem->memory[m].row;
    int64_t *inside = &o->at.shape.inside[row][loop], before = *inside;
    int64_t grown[MAPPER_ACCESSES];

    memcpy(grown, size, sizeof grown);
    *inside = o->at.shape.inside[row + 1][loop] * factor;
    if (*inside > o->problem->extent[loop]) /* the last of several tiles is short */
        *inside = o->problem->extent[loop];
    optimal_refresh_sizes(o, m, loop, grown);
    *inside = before;
    if (!sator_mapper_fits(o->problem, m, grown, NULL))
        return false;
    if (o->at.crowded[m] == 0)
        return true;
    o->at.mapping.factor[row][loop] = factor;
    optimal_refresh_shape(o->problem, &o->at, row, loop);
    bool fits = fits_outside(o, m);
    o->at.mapping.factor[row][loop] = 1;
    optimal_refresh_shape(o->problem, &o->at, row, loop);
    return fits;
}

/* The transfers into the innermost memory that bring one iteration's words each time. */
static uint32_t find_joined(const struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    int n = __builtin_popcount(sator_mapper_transfers_into(p, p->n_memories));
    uint32_t joined = 0;

    for (int t = 0; t < p->n_transfers && !p->lends && !p->imperfect; t++) {
        bool single = p->transfer[t].child == p->n_memories - 1 && !p->transfer[t].is_outside;
        for (int i = 0; i < p->n_loops; i++)
            single &= !(p->access[p->transfer[t].access].relevant >> i & 1) ||
                    plan->most[p->n_memories - 1][i] == 1;
        if (single && n++ < MAPPER_ACCESSES)
            joined |= UINT32_C(1) << t;
    }
    return joined;
}

void optimal_find_most(struct mapper_words *words, struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    int64_t tile[MAPPER_LOOPS];

    memcpy(tile, optimal_ones, sizeof tile);
    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops; i++) {
            bool fits = plan->imperfect || p->has_counted;
            plan->most[m][i] = p->extent[i];
            for (int d = plan->n_divisors[i] - 1; d > 0 && !fits; d--) {
                int64_t size[MAPPER_ACCESSES] = {0};
                tile[i] = plan->most[m][i] = plan->divisors[i][d];
                for (int a = 0; a < p->n_accesses; a++)
                    size[a] = p->memory[m].holds >> a & 1 ? sator_mapper_tile_words(words, a, tile)
                                                          : 0;
                fits = sator_mapper_fits(p, m, size, NULL);
            }
            plan->most[m][i] = fits ? plan->most[m][i] : 1;
            tile[i] = 1;
        }
    }
    plan->joined = find_joined(plan);
}

/* Drop the factors from which a prime could move into the grown memory's tile: dominated. */
static int drop_growable(struct optimizer *o, int loop, int64_t *factors, int count)
{
    for (int k = 0; k < o->at.n_growable; k++) {
        int kept = 0;
        for (int i = 0; i < count && o->at.growable[k].loop == loop; i++) {
            if (factors[i] % o->at.growable[k].prime != 0)
                factors[kept++] = factors[i];
        }
        if (o->at.growable[k].loop == loop) {
            o->search->counters.pruned_dominated += (uint64_t)(count - kept);
            count = kept;
        }
    }
    return count;
}

/* The factors of "loop" at memory "m" that fit, given those of the loops before it. */
static int list_factors(struct optimizer *o, int m, int loop, int64_t *factors)
{
    int row = o->problem->memory[m].row, count = 0;
    int64_t fixed = o->problem->row[row].fixed[loop];
    const int64_t *divisors = o->plan->divisors[loop];
    int n_divisors = o->plan->n_divisors[loop];
    bool is_given = false; /* and may be more than what is left */

    if (o->plan->imperfect && m == o->problem->n_memories - 1) {
        divisors = o->at.inner[loop];
        n_divisors = o->at.n_inner[loop];
    } else if (o->problem->chains && fixed != 0 && o->at.unrolled_of[loop].form == MAPPER_ANY) {
        divisors = &o->problem->row[row].fixed[loop];
        n_divisors = 1;
        is_given = true;
    } else if (o->plan->imperfect)
        n_divisors = optimal_factors(o, m, loop, &divisors);
    for (int d = 0; d < n_divisors && (o->plan->imperfect || divisors[d] <= o->at.rest[loop]);
            d++) {
        bool leaves = o->plan->imperfect
                ? optimal_fills_array(o->plan, &o->at, m, loop, divisors[d])
                : o->at.rest[loop] % divisors[d] == 0;
        if (leaves && sator_mapper_may_have(o->problem, row, loop, divisors[d]))
            factors[count++] = divisors[d];
    }
    if (m == o->at.grown - 1 && !o->at.tabulating)
        count = drop_growable(o, loop, factors, count);
    int fit = 0, listed = count;
    if (o->problem->has_counted) { /* a tile need not need more than one that it is no multiple of
                                    */
        for (int k = 0; k < count; k++) {
            if (factors[k] == 1 || fits_with(o, m, loop, factors[k], o->at.size))
                factors[fit++] = factors[k];
        }
        o->search->counters.pruned_capacity += fit < listed;
        return fit;
    }
    /* where the last tile is short, factors cover more than there is */
    int64_t most = sator_mapper_blocks(o->plan->most[m][loop], o->at.shape.inside[row + 1][loop]);
    while (!is_given && count > 0 && factors[count - 1] > most && factors[count - 1] > 1)
        count--;
    if (count > 0 &&
            (factors[count - 1] == 1 || fits_with(o, m, loop, factors[count - 1], o->at.size))) {
        o->search->counters.pruned_capacity += count < listed;
        return count;
    }
    for (int above = count; fit < above;) { /* a larger factor needs no less */
        int k = (fit + above) / 2;
        if (factors[k] == 1 || fits_with(o, m, loop, factors[k], o->at.size))
            fit = k + 1;
        else
            above = k;
    }
    o->search->counters.pruned_capacity += fit < listed;
    return fit;
}

/* The compute cycles with "factor" of "loop" at memory "m". */
static double cycles_with(struct optimizer *o, int m, int loop, int64_t factor)
{
    int64_t *here = &o->at.mapping.factor[o->problem->memory[m].row][loop], before = *here;

    *here = factor;
    double cycles = optimal_skewed_compute(o->problem, &o->at, m);
    *here = before;
    return cycles;
}

/* Whether that is too long for a mapping that spends "least_pj" at the least. */
static bool is_too_long(const struct optimizer *o, double least_pj, double cycles)
{
    return sator_mapper_is_hopeless(o->search, least_pj + o->problem->leakage_pj * cycles, cycles);
}

/* The same without factors that take too long: where PEs are skewed, each stamp of a run takes the
 * longer, its start and its end included, the more runs inside the array; by so much for each. */
static int list_fast_factors(
        struct optimizer *o, int m, int loop, double least_pj, int64_t *factors)
{
    const struct mapper_problem *p = o->problem;
    int count = list_factors(o, m, loop, factors), fast = count;

    if (p->skew == NULL || o->at.tabulating || count < 2 ||
            sator_mapper_span(p, &o->at.mapping, m) > 0)
        return count;
    double most = cycles_with(o, m, loop, factors[count - 1]);
    if (!is_too_long(o, least_pj, most))
        return count;
    double least = cycles_with(o, m, loop, factors[0]);
    double each = (most - least) / (double)(factors[count - 1] - factors[0]);
    for (fast--; fast > 1; fast--) {
        if (!is_too_long(o, least_pj, least + each * (double)(factors[fast - 1] - factors[0])))
            break;
    }
    o->search->counters.pruned_tiling += (uint64_t)(count - fast);
    return fast;
}

/* Whether a multiple of the "k"-th factor fits too, so that its tiles are dominated (see above). */
static bool has_multiple(const struct optimal_plan *plan, const struct optimal_branch *branch,
        int loop, const int64_t *factors, int count, int k)
{
    if (!optimal_may_multiply(plan, branch, loop, factors[k]))
        return false;
    for (int i = k + 1; i < count; i++) {
        if (factors[i] % factors[k] == 0 && optimal_may_multiply(plan, branch, loop, factors[i]))
            return true;
    }
    return false;
}

static bool all_gapless(struct optimizer *o, int m)
{
    for (int a = 0; a < o->problem->n_accesses; a++) {
        if (o->problem->access[a].is_sliding && !optimal_is_gapless(o, m, a))
            return false;
    }
    return true;
}

static int64_t common_multiple(const int64_t *factors, int count)
{
    int64_t multiple = 1;

    for (int i = 0; i < count; i++) {
        int64_t a = factors[i], b = multiple;
        while (b != 0) { /* a becomes their greatest common divisor, at least 1 */
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        multiple *= a > 1 ? factors[i] / a : factors[i];
    }
    return multiple; /* of divisors of one number: no more than that */
}

/* Whether the next has a bound: all loops that slide are chosen, and the loops of "m" are outside
 * of all that it asks about. */
static bool knows_inner(const struct optimizer *o, int m, int at)
{
    const struct mapper_problem *p = o->problem;
    bool is_joined = m == p->n_memories - 1 && o->plan->joined != 0;

    return !p->imperfect && !p->has_counted && p->skew == NULL && !o->at.tabulating && !is_joined &&
            !o->plan->slides[o->at.listing[at]];
}

/* Whether the transfers into what lies inside memory "m" make any of its tiles hopeless whose
 * factors of the loops before the "at"-th are those chosen, and whose own transfers cost at least
 * "own": the others, which slide along nothing, may stand there or further out. */
static bool inner_cannot_win(struct optimizer *o, int m, int at, const struct inner *inner,
        const struct mapper_share *own, double *least_pj)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    int64_t far[MAPPER_LOOPS];
    struct mapper_share beside = *inner->settled, refined;
    struct mapper_cost bound;
    unsigned open = 0;

    for (int k = at; k < p->n_loops; k++)
        open |= 1U << o->at.listing[k];
    for (int i = 0; i < p->n_loops; i++)
        far[i] = optimal_left(o->plan, &o->at, m, i, o->at.mapping.factor[row][i]);
    sator_mapper_share_add(p, &beside, own);
    sator_mapper_share_add(p, &beside, &o->table.least[m]);
    sator_mapper_bounds_known(o->bounds, m);
    sator_mapper_bounds_beside(o->bounds, &beside);
    sator_mapper_bounds_either(o->bounds, open);
    limit_bounds(o, beside.pj);
    sator_mapper_bounds_share(
            o->bounds, m + 1, &o->at.shape, o->at.mapping.factor[row], far, &refined);
    sator_mapper_bounds_limit(o->bounds, INFINITY);
    sator_mapper_bounds_either(o->bounds, 0);
    sator_mapper_bounds_beside(o->bounds, NULL);
    *least_pj = fmax(*least_pj, beside.pj + refined.pj);
    return is_hopeless(o, m, inner->settled, &refined, own, &bound);
}

/* Whether factors of all loops that slide may move into the tile of memory "m" up to "most" times
 * the factors chosen: what is left of each outside has no other factor in between, or nothing that
 * it slides with beside it. */
static bool all_slide_apart(const struct optimizer *o, int m, int at, const int64_t *most)
{
    const struct mapper_problem *p = o->problem;
    int64_t factor[MAPPER_LOOPS];
    bool apart = true;

    memcpy(factor, o->at.mapping.factor[p->memory[m].row], sizeof factor);
    for (int k = at; k < p->n_loops; k++)
        factor[o->at.listing[k]] = most[o->at.listing[k]];
    for (int k = at; k < p->n_loops && apart; k++) {
        int loop = o->at.listing[k];
        apart = most[loop] == 1 || !o->plan->slides[loop] ||
                optimal_left(o->plan, &o->at, m, loop, most[loop]) == 1 ||
                optimal_slides_apart(o->plan, &o->at, m, loop, factor);
    }
    return apart;
}

/* Whether no tile of memory "m" with the factors chosen so far can win, whatever the loops from the
 * "at"-th on get: the bound of one tile that is larger than all of them. For a plain loop that is
 * its largest factor that fits by itself, since the bound only falls with it (words that spare
 * energy further in are taken to be as many as of the smallest tile); for a sliding loop a common
 * multiple of its factors where that "grows": larger tiles bring less when they are multiples and
 * other loops that it slides with leave nothing outside ("Maximal tiles", doc/search.md). Else
 * tensors that slide along it are bounded as open.
 * "*least_pj" is what all of them spend at least; it is raised to what is then known. */
static bool none_can_win(
        struct optimizer *o, int m, int at, bool grows, const struct inner *inner, double *least_pj)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row, n_tiles = 1;
    int64_t far[MAPPER_LOOPS], most[MAPPER_LOOPS], *factors = o->table.factors[at];
    struct mapper_share own;
    struct mapper_cost bound;
    bool costs_grow;

    if (!optimal_is_bounded(o->plan, &o->at, m, &costs_grow))
        return false;
    memcpy(most, optimal_ones, sizeof most);
    for (int k = at; k < p->n_loops; k++) {
        int loop = o->at.listing[k];
        int count = list_fast_factors(o, m, loop, *least_pj, factors);
        if (count == 0)
            return true; /* a constraint leaves nothing */
        most[loop] = o->plan->slides[loop] && grows ? common_multiple(factors, count)
                                                    : factors[count - 1];
        n_tiles *= count < 64 ? count : 64;
        n_tiles = n_tiles < 64 ? n_tiles : 64;
    }
    if (grows && !all_slide_apart(o, m, at, most))
        return none_can_win(o, m, at, false, inner, least_pj);
    bool slides = o->plan->slides[o->at.listing[at]]; /* sliding loops are listed first */
    slides &= grows; /* else tensors that slide are bounded by what each run brings */
    if (n_tiles < 4 || (slides && !all_gapless(o, m)))
        return false; /* not worth the work, or not sure */
    for (int k = at; k < p->n_loops; k++) {
        o->at.mapping.factor[row][o->at.listing[k]] = most[o->at.listing[k]];
        optimal_refresh_shape(o->problem, &o->at, row, o->at.listing[k]);
    }
    for (int i = 0; i < p->n_loops; i++)
        far[i] = optimal_left(o->plan, &o->at, m, i, o->at.mapping.factor[row][i]);
    unsigned open = 0;
    for (int k = at; k < p->n_loops && !grows; k++)
        open |= 1U << o->at.listing[k];
    sator_mapper_bounds_open(o->bounds, open);
    sator_mapper_bounds_shrink(o->bounds, costs_grow ? NULL : most);
    sator_mapper_bounds_known(o->bounds, m);
    limit_bounds(o, energy_beside(o, m, inner));
    sator_mapper_bounds_share(o->bounds, m, &o->at.shape, optimal_ones, far, &own);
    sator_mapper_bounds_limit(o->bounds, INFINITY);
    sator_mapper_bounds_shrink(o->bounds, NULL);
    sator_mapper_bounds_open(o->bounds, 0);
    bool is_sure = !slides || all_gapless(o, m);
    bool hopeless = is_sure && is_hopeless(o, m, inner->settled, inner->last, &own, &bound);
    if (is_sure)
        *least_pj = fmax(*least_pj, energy_beside(o, m, inner) + own.pj);
    for (int k = at; k < p->n_loops; k++) {
        o->at.mapping.factor[row][o->at.listing[k]] = 1;
        optimal_refresh_shape(o->problem, &o->at, row, o->at.listing[k]);
    }
    if (!hopeless && is_sure && knows_inner(o, m, at))
        return inner_cannot_win(o, m, at, inner, &own, least_pj);
    return hopeless;
}

/* Whether "index" has no gaps for all factors of the loops from the "at"-th on once it has none for
 * the least and for the greatest: one loop open, or neither strides over the other. */
static bool has_simple_gaps(const struct optimal_plan *plan, const struct optimal_branch *branch,
        const struct mapper_index *index, int at)
{
    int open = 0;

    for (int k = at; k < plan->problem->n_loops; k++) {
        for (int i = 0; i < index->n_parts; i++)
            open += index->loop[i] == branch->listing[k];
    }
    return open <= 1 || (index->closed == 2 && index->reduced[0] == 1 && index->reduced[1] == 1);
}

/* Whether tiles only bring less when the loops from the "at"-th on grow: plain ones always, sliding
 * ones when their tensors' sliding indices are not spread over PEs and (checked at the ends) leave
 * no gaps. */
static bool may_grow(const struct optimal_plan *plan, const struct optimal_branch *branch, int at)
{
    const struct mapper_problem *p = plan->problem;

    for (int k = at; k < p->n_loops; k++) {
        if (plan->slides[branch->listing[k]] && optimal_is_spread(plan, branch, branch->listing[k]))
            return false;
    }
    for (int a = 0; a < p->n_accesses; a++) {
        for (int e = 0; e < p->access[a].n_indices; e++) {
            if (p->access[a].index[e].closed != 1 &&
                    !has_simple_gaps(plan, branch, &p->access[a].index[e], at))
                return false;
        }
    }
    return true;
}

/* List the tiles of memory "m": factors for the loops from the "at"-th of the listing order on. All
 * of them spend at least "least_pj". */
static void list_tiles(
        struct optimizer *o, int m, int at, const struct inner *inner, double least_pj)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row, loop = o->at.listing[at]; /* one past the end: unused */

    optimal_climb(o);
    if (sator_mapper_should_stop(o->search))
        return;
    if (at == p->n_loops) {
        if (p->skew != NULL && !o->at.tabulating)
            o->at.compute_cycles = optimal_skewed_compute(o->problem, &o->at, m);
        add_tile(o, m, inner);
        return;
    }
    int64_t before[MAPPER_ACCESSES], *factors = o->table.factors[at];
    if (p->skew != NULL &&
            !o->at.tabulating) /* larger tiles take longer, but longer runs are fewer */
        o->at.compute_cycles = optimal_skewed_compute(
                o->problem, &o->at, sator_mapper_span(p, &o->at.mapping, m) > 0 ? m + 1 : m);
    if (none_can_win(
                o, m, at, !o->plan->imperfect && may_grow(o->plan, &o->at, at), inner, &least_pj))
        return;
    memcpy(before, o->at.size, sizeof before);
    int count = list_fast_factors(o, m, loop, least_pj, factors);
    bool only_maximal = m == o->at.grown && o->plan->outside_fits && at == p->n_loops - 1 &&
            !o->plan->slides[loop] && !(o->at.tangled >> loop & 1) &&
            (!o->plan->feeds || optimal_is_settled(o->plan, &o->at));
    for (int k = 0; k < count; k++) {
        if (only_maximal && has_multiple(o->plan, &o->at, loop, factors, count, k)) {
            o->search->counters.tilings++;
            o->search->counters.pruned_dominated++;
            continue;
        }
        o->at.mapping.factor[row][loop] = factors[k];
        optimal_refresh_shape(o->problem, &o->at, row, loop);
        optimal_refresh_sizes(o, m, loop, o->at.size);
        list_tiles(o, m, at + 1, inner, least_pj);
    }
    o->at.mapping.factor[row][loop] = 1;
    optimal_refresh_shape(o->problem, &o->at, row, loop);
    memcpy(o->at.size, before, sizeof before);
}

void optimal_list_tiles(struct optimizer *o, int m, const struct inner *inner)
{
    double compute = o->at.compute_cycles;

    optimal_refresh_sizes(o, m, -1, o->at.size);
    if (sator_mapper_fits(o->problem, m, o->at.size, NULL))
        list_tiles(o, m, 0, inner, energy_beside(o, m, inner));
    else
        o->search->counters.pruned_capacity++;
    o->at.compute_cycles = compute;
}

/* Go on with the tile chosen at memory "m". */
static void go_on(struct optimizer *o, int m, const struct mapper_share *settled,
        const struct mapper_share *own)
{
    const int64_t *factor = o->at.mapping.factor[o->problem->memory[m].row];
    int64_t rest[MAPPER_LOOPS], left[MAPPER_LOOPS];

    memcpy(rest, o->at.rest, sizeof rest);
    for (int i = 0; i < o->problem->n_loops; i++)
        left[i] = optimal_left(o->plan, &o->at, m, i, factor[i]);
    memcpy(o->at.rest, left, sizeof left);
    optimal_choose_tiles(o, m - 1, &(struct inner){settled, own});
    memcpy(o->at.rest, rest, sizeof rest);
}

struct ordering {
    struct optimizer *optimizer;
    const struct inner *inner;
    const struct mapper_shape *unordered;
};

/* Go on with the tile of the innermost memory in the order that loops now have on arrays, unless
 * that is the usual one, if it may win there. */
static bool go_on_in_order(void *data, bool is_usual)
{
    struct ordering *ordering = data;
    struct optimizer *o = ordering->optimizer;
    const struct mapper_problem *p = o->problem;
    const struct inner *inner = ordering->inner;
    int m = p->n_memories - 1;
    struct tile_choice choice;
    struct mapper_cost bound;

    if (is_usual)
        return true;
    o->at.is_unordered = false;
    sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    if (m == 0) {
        optimal_try_orders(o);
    } else {
        bound_own(o, m, &choice.own);
        if (!is_hopeless(o, m, inner->settled, inner->last, &choice.own, &bound) &&
                may_win(o, m, inner, &choice))
            go_on(o, m, &choice.settled, &choice.own);
    }
    o->at.shape = *ordering->unordered;
    o->at.is_unordered = true;
    return !sator_mapper_should_stop(o->search);
}

/* The same in all of them: the tile was listed by bounds that hold in any. */
static void go_on_in_orders(struct optimizer *o, const struct inner *inner)
{
    struct mapper_shape unordered = o->at.shape;

    sator_mapper_each_order(
            o->problem, &o->at.mapping, go_on_in_order, &(struct ordering){o, inner, &unordered});
}

/* The outermost memory takes what is left; then the orders. */
static void take_rest(struct optimizer *o, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[0].row;

    bool is_only = o->plan->imperfect && p->n_memories == 1; /* and takes all blocks */
    struct mapper_mapping placed = o->at.mapping;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t fixed = p->row[row].fixed[i];
        o->at.mapping.factor[row][i] = is_only
                ? sator_mapper_blocks(p->extent[i], o->at.unrolled_of[i].lanes)
                : o->at.rest[i];
        if (p->chains && o->at.unrolled_of[i].form == MAPPER_ANY &&
                fixed > o->at.mapping.factor[row][i])
            o->at.mapping.factor[row][i] = fixed;
        optimal_refresh_shape(o->problem, &o->at, row, i);
    }
    if (is_only)
        o->at.compute_cycles = optimal_compute(o->plan, &o->at);
    if (!optimal_tile_fits(o, 0))
        o->search->counters.pruned_capacity++;
    else if (sator_mapper_is_allowed(p, &o->at.mapping) &&
            (!(is_only || p->chains) || optimal_place_chains(o))) {
        double compute = o->at.compute_cycles;
        o->at.compute_cycles += exposed_cycles(o, 0);
        if (o->at.is_unordered) /* there is no other memory */
            go_on_in_orders(o, inner);
        else
            optimal_try_orders(o);
        o->at.compute_cycles = compute;
    }
    if (p->chains) {
        o->at.mapping = placed; /* with the factors as the tiles further out have them */
        sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    }
    for (int i = 0; i < p->n_loops; i++) {
        o->at.mapping.factor[row][i] = 1;
        optimal_refresh_shape(o->problem, &o->at, row, i);
    }
}

/* Choose the factors of memory row "m", then of those outside it. */
void optimal_choose_tiles(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;

    if (m == 0) {
        take_rest(o, inner);
        return;
    }
    struct tile_list *list = &o->table.tile_list[m];
    list->count = 0;
    if (o->table.outer[m].known)
        take_outer(o, m, inner);
    else
        optimal_list_tiles(o, m, inner);
    o->table.n_listings += m < p->n_memories - 1 && !p->row[p->memory[m].row - 1].is_space;
    if (list->count > 0)
        qsort(list->item, (size_t)list->count, sizeof *list->item, by_value);
    double compute = o->at.compute_cycles;
    for (int k = 0; k < list->count && k < o->at.width && !sator_mapper_should_stop(o->search);
            k++) {
        const struct tile_choice *choice = &list->item[k];
        if (sator_mapper_is_hopeless(o->search, choice->pj, choice->cycles)) {
            o->search->counters.pruned_tiling++;
            continue;
        }
        struct mapper_share settled = choice->settled, own = choice->own;
        for (int i = 0; i < p->n_loops; i++) {
            o->at.mapping.factor[row][i] = choice->factor[i];
            optimal_refresh_shape(o->problem, &o->at, row, i);
        }
        if (m == o->at.grown) {
            optimal_refresh_sizes(o, m, -1, o->at.size);
            optimal_find_growable(o, false);
        }
        if (o->plan->imperfect && m == p->n_memories - 1)
            o->at.compute_cycles = optimal_compute(o->plan, &o->at);
        if (p->skew != NULL)
            o->at.compute_cycles = optimal_skewed_compute(o->problem, &o->at, m);
        if (o->at.is_unordered)
            go_on_in_orders(o, inner);
        else
            go_on(o, m, &settled, &own);
    }
    o->at.compute_cycles = compute;
    for (int i = 0; i < p->n_loops; i++) {
        o->at.mapping.factor[row][i] = 1;
        optimal_refresh_shape(o->problem, &o->at, row, i);
    }
}
