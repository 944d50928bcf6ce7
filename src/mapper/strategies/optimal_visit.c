/* The search below one unrolling, and the bounds of a branch. */
#include "mapper/problem/invariants.h"
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <assert.h>
#include <string.h>

/* ---- bounds of a branch ---- */

struct mapper_cost optimal_cost(const struct optimizer *o, const struct mapper_share *share)
{
    struct mapper_share all;

    if (!o->at.exposed.waits)
        return sator_mapper_bound(o->problem, &o->at.crew, o->at.compute_cycles, share);
    all = *share;
    for (int q = 0; q < o->problem->n_ports; q++)
        all.bits[q] += o->at.exposed.waiting[q];
    return sator_mapper_bound(o->problem, &o->at.crew, o->at.compute_cycles, &all);
}

struct mapper_share optimal_fixed(const struct optimizer *o)
{
    struct mapper_share share = {.pj = o->problem->fixed_pj};

    memcpy(share.bits, o->at.crew.fixed_bits, sizeof *share.bits * (size_t)o->problem->n_ports);
    return share;
}

/* What "least" is found for. */
static void note_crew(struct optimizer *o)
{
    memcpy(o->table.least_lent_pj, o->at.crew.lent_pj, sizeof o->table.least_lent_pj);
    memcpy(o->table.least_ratio, o->at.crew.ratio, sizeof o->table.least_ratio);
}

void optimal_find_least(struct optimizer *o)
{
    o->at.crew = o->plan->unknown;
    note_crew(o);
    o->table.least[0] = (struct mapper_share){0};
    for (int child = 0; child <= o->problem->n_memories; child++) {
        struct mapper_share one;
        sator_mapper_bounds_least(
                o->problem, &o->at.crew, sator_mapper_bounds_group(o->bounds, child), &one);
        if (child < o->problem->n_memories && o->table.outer[child].complete)
            one = o->table.outer[child].least;
        o->table.least[child + 1] = o->table.least[child];
        sator_mapper_share_add(o->problem, &o->table.least[child + 1], &one);
    }
}

double optimal_skewed_compute(const struct optimizer *o, int first)
{
    const struct mapper_problem *p = o->problem;
    double used = 1;

    for (int i = 0; i < p->n_loops; i++)
        used *= (double)mapper_positions(p, &o->at.mapping, p->n_rows, i);
    return sator_mapper_computing(p, &o->at.mapping,
            (double)sator_mapper_skewed_stamps(p, &o->at.mapping, first),
            (double)p->instances / used);
}

/* ---- shapes ---- */

bool optimal_tile_fits(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;

    return sator_mapper_tile_fits(p, o->search->words, m, o->at.shape.inside[p->memory[m].row]);
}

void optimal_refresh_sizes(struct optimizer *o, int m, int loop, int64_t *size)
{
    const struct mapper_problem *p = o->problem;

    for (int a = 0; a < p->n_accesses && p->memory[m].n_capacities > 0; a++) {
        if (!(p->memory[m].holds >> a & 1))
            size[a] = 0;
        else if (loop < 0 || (p->access[a].relevant >> loop & 1))
            size[a] = sator_mapper_tile_words(
                    o->search->words, a, o->at.shape.inside[p->memory[m].row]);
    }
}

void optimal_set_factor(struct optimizer *o, int m, int loop, int64_t factor)
{
    int row = o->problem->memory[m].row;
    int64_t extent = o->problem->extent[loop];

    o->at.mapping.factor[row][loop] = factor;
    for (int r = row; r >= 0; r--) {
        int64_t inside = o->at.shape.inside[r + 1][loop] * o->at.mapping.factor[r][loop];
        o->at.shape.inside[r][loop] = inside < extent ? inside : extent;
    }
}

void optimal_set_factors(struct optimizer *o, int m, const int64_t *factor)
{
    for (int i = 0; i < o->problem->n_loops; i++)
        optimal_set_factor(o, m, i, factor[i]);
}

void optimal_find_far(const struct optimizer *o, int m, int64_t *far)
{
    const int64_t *factor = o->at.mapping.factor[o->problem->memory[m].row];

    for (int i = 0; i < o->problem->n_loops; i++)
        far[i] = optimal_left(o, m, i, factor[i]);
}

/* ---- the whole ---- */

uint64_t optimal_looks(const struct optimizer *o)
{
    const struct sator_map_counters *c = &o->search->counters;
    uint64_t unrollings = c->unrollings / (o->problem->lends ? 1 : 2); /* by what one takes */

    return unrollings > c->tilings + c->orders ? unrollings : c->tilings + c->orders;
}

/* The changes that a climb tries: as many as make a small part of the search; all where it begins
 * with one, where the budget may end before it, or where the engines are asked what late links
 * bring to what each climb reaches. */
static int climb_tries(const struct optimizer *o, uint64_t looks)
{
    uint64_t tries = looks / LOOKS_A_CHANGE;

    if (looks == 0 || o->problem->has_late || tries > CLIMB_TRIES ||
            sator_mapper_is_short(o->search))
        return CLIMB_TRIES;
    return tries < LEAST_CLIMB ? LEAST_CLIMB : (int)tries;
}

void optimal_climb(struct optimizer *o)
{
    uint64_t looks = optimal_looks(o);
    int tries = climb_tries(o, looks);

    if (looks < o->table.climbs_at ||
            o->plan->orders) /* what is near the best was tried with the usual one */
        return;
    o->table.climbs_at = looks + looks / 2 + WORTH_A_CLIMB;
    if (o->group != NULL) {
        optimal_climb_in_part(o, tries);
        return;
    }
    if (o->problem->has_counted && !o->table.has_started)
        sator_mapper_start(o->search, START_TRIES);
    o->table.has_started = true;
    if (tries < CLIMB_TRIES || o->table.n_climbs++ % 2 == 0) /* few changes lead nowhere else */
        sator_mapper_climb(o->search, tries);
    else
        sator_mapper_climb_anew(o->search, CLIMB_TRIES);
}

void optimal_know_least(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_crew *crew = &o->at.crew;
    size_t n = (size_t)p->n_transfers;

    if (!p->lends ||
            (memcmp(o->table.least_lent_pj, crew->lent_pj, sizeof *crew->lent_pj * n) == 0 &&
                    memcmp(o->table.least_ratio, crew->ratio, sizeof *crew->ratio * n) == 0))
        return;
    note_crew(o);
    for (int child = 0; child <= p->n_memories; child++) {
        bool listed = child < p->n_memories && o->table.outer[child].complete;
        uint32_t group = sator_mapper_bounds_group(o->bounds, child);
        double pj = listed ? o->table.outer[child].least.pj : sator_mapper_least_pj(p, crew, group);
        o->table.least[child + 1].pj = o->table.least[child].pj + pj;
    }
}

struct mapper_cost optimal_bound_unrolling(struct optimizer *o, unsigned open)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    o->at.shape.in_any_order = o->at.is_unordered;
    o->at.shape.parts = o->at.parts;
    sator_mapper_crew_init(p, &o->at.shape, open, &o->at.crew);
    optimal_know_least(o);
    sator_mapper_bounds_known(o->bounds, p->n_memories);
    o->given->compute = o->at.compute_cycles;
    o->at.fixed = optimal_fixed(o);
    struct mapper_share all = o->at.fixed;
    sator_mapper_share_add(p, &all, &o->table.least[p->n_memories]);
    o->given->beside = &all;
    sator_mapper_bounds_share(
            o->bounds, p->n_memories, &o->at.shape, mapper_ones, o->at.rest, &o->at.streamed);
    o->given->beside = NULL;
    sator_mapper_share_add(p, &all, &o->at.streamed);
    return optimal_cost(o, &all);
}

void optimal_spread(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct unrolling *u)
{
    for (int i = 0; i < plan->problem->n_loops; i++) {
        assert(u->factor[i] >= 1 && (plan->imperfect || branch->rest[i] % u->factor[i] == 0));
        branch->parallel[i] *= u->factor[i];
        if (!plan->imperfect)
            branch->rest[i] /= u->factor[i];
    }
}

void optimal_gather(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct unrolling *u)
{
    for (int i = 0; i < plan->problem->n_loops; i++) {
        assert(branch->parallel[i] % u->factor[i] == 0);
        branch->parallel[i] /= u->factor[i];
        if (!plan->imperfect)
            branch->rest[i] *= u->factor[i];
    }
}

static double listing_rank(
        const struct optimal_plan *plan, const struct optimal_branch *branch, int loop)
{
    double longest = 0x1p41; /* beyond any extent */

    if (!plan->slides[loop])
        return 2 * longest;
    return (optimal_is_spread(plan, branch, loop) ? 0 : longest) +
            (double)plan->problem->extent[loop];
}

/* The order in which tiles are listed: sliding loops first, those that run in parallel before the
 * others and short ones before long ones (a window's loops leave no gaps once they are known); then
 * plain loops. */
void optimal_order_listing(const struct optimal_plan *plan, struct optimal_branch *branch)
{
    const struct mapper_problem *p = plan->problem;

    for (int i = 0; i < p->n_loops; i++) {
        int at = i;
        for (; at > 0 &&
                listing_rank(plan, branch, branch->listing[at - 1]) > listing_rank(plan, branch, i);
                at--)
            branch->listing[at] = branch->listing[at - 1];
        branch->listing[at] = i;
    }
}

unsigned optimal_rows_of(const struct optimal_plan *plan, int n)
{
    unsigned rows = 0;

    for (int c = 0; c < n; c++) {
        for (int k = 0; k < plan->class[c].n_rows; k++)
            rows |= 1U << plan->class[c].row[k];
    }
    return rows;
}

void optimal_take_arrays(struct optimizer *o, const struct visit *visit, int first, int end)
{
    for (int c = first; c < end; c++) {
        const struct row_class *class = &o->plan->class[c];
        const struct unrolling *u = &class->choice[visit->choice[c]];
        optimal_spread(o->plan, &o->at, u);
        optimal_place_unrolling(o, class, u);
    }
}

void optimal_leave_arrays(struct optimizer *o, const struct visit *visit, int first, int end)
{
    for (int c = first; c < end; c++)
        optimal_gather(o->plan, &o->at, &o->plan->class[c].choice[visit->choice[c]]);
    for (int r = 0; r < o->problem->n_rows; r++)
        memcpy(o->at.mapping.factor[r], mapper_ones,
                sizeof *mapper_ones * (size_t)o->problem->n_loops);
}

bool optimal_open_visit(struct optimizer *o, const struct visit *visit)
{
    const struct optimal_plan *plan = o->plan;

    o->at.compute_cycles = visit->compute_cycles;
    optimal_take_arrays(o, visit, 0, plan->n_classes);
    if (plan->imperfect) {
        optimal_take_unrolling(o);
        optimal_take_tiles(plan, &o->at);
    }
    assert(mapper_fits_arrays(o->problem, &o->at.mapping));
    struct mapper_cost bound = optimal_bound_unrolling(o, 0); /* more may be known by now */
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
        return false;
    }
    optimal_know_unrolling(plan, &o->at, visit->choice);
    optimal_know_grown(plan, &o->at);
    optimal_order_listing(plan, &o->at);
    optimal_find_crowded(plan, &o->at);
    optimal_forget_row_orders(&o->table.row_orders);
    return true;
}

void optimal_visit_orders(
        struct optimizer *o, const struct visit *visit, const struct tile_list *from)
{
    if (optimal_open_visit(o, visit) &&
            (!o->at.is_unordered || sator_mapper_has_orders(o->problem, &o->at.mapping))) {
        struct inner inner = optimal_inner(o);
        int m = o->problem->n_memories - 1;
        if (from != NULL)
            optimal_list_again(o, from);
        else if (m > 0)
            optimal_list_innermost(o, visit);
        if (o->group != NULL)
            optimal_follow_parts(o, visit);
        else if (m > 0)
            optimal_follow_choices(o, m, &inner);
        else
            optimal_choose_tiles(o, m, &inner);
    }
    optimal_leave_arrays(o, visit, 0, o->plan->n_classes);
}

void optimal_begin(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int i = 0; i < p->n_loops; i++) {
        o->at.rest[i] = p->extent[i];
        o->at.parallel[i] = 1;
    }
    sator_mapper_mapping_init(p, &o->at.mapping);
}
