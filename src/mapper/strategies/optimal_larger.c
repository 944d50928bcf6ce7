/* Many tiles of a memory bounded at once, by one that is larger than all of them (doc/search.md,
 * "Maximal tiles").
 */
#include "base/checked.h"
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <string.h>

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

    for (int i = 0; i < count; i++)
        multiple *= factors[i] / sator_gcd(factors[i], multiple);
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

/* The loops from the "at"-th on. */
static unsigned open_loops(const struct optimizer *o, int at)
{
    unsigned open = 0;

    for (int k = at; k < o->problem->n_loops; k++)
        open |= 1U << o->at.listing[k];
    return open;
}

/* Whether the transfers into what lies inside memory "m" make any of its tiles hopeless whose
 * factors of the loops before the "at"-th are those chosen, and whose own transfers cost at least
 * "own": the others, which slide along nothing, may stand there or further out. */
static bool inner_cannot_win(struct optimizer *o, int m, int at, const struct inner *inner,
        const struct mapper_share *own, double *least_pj)
{
    struct mapper_share refined;

    *least_pj = fmax(*least_pj, optimal_bound_inner(o, m, open_loops(o, at), inner, own, &refined));
    return optimal_is_hopeless(o, m, inner->settled, &refined, own, NULL);
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
                optimal_left(o, m, loop, most[loop]) == 1 ||
                optimal_slides_apart(o, m, loop, factor);
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
 * "*least_pj" is what all of them spend at least; it is raised to what is then known. The "at"-th
 * loop's factors are listed last, and left in the table. */
static bool none_can_win(struct optimizer *o, int m, int at, bool grows, const struct inner *inner,
        double *least_pj, int *n_listed)
{
    const struct mapper_problem *p = o->problem;
    int n_tiles = 1, count = 0;
    int64_t far[MAPPER_LOOPS], most[MAPPER_LOOPS], *factors = o->table.factors[at];
    struct mapper_share own;
    bool costs_grow;

    if (!optimal_is_bounded(o, m, &costs_grow))
        return false;
    memcpy(most, mapper_ones, sizeof most);
    for (int k = p->n_loops - 1; k >= at; k--) {
        int loop = o->at.listing[k];
        count = optimal_list_factors(o, m, loop, *least_pj, factors);
        if (count == 0)
            return true; /* a constraint leaves nothing */
        if (!p->imperfect && !p->has_counted && p->skew == NULL)
            o->at.most[loop] = factors[count - 1]; /* with those chosen; with more no larger one */
        most[loop] = o->plan->slides[loop] && grows ? common_multiple(factors, count)
                                                    : factors[count - 1];
        n_tiles *= count < 64 ? count : 64;
        n_tiles = n_tiles < 64 ? n_tiles : 64;
    }
    *n_listed = count; /* of the last one listed */
    if (grows && !all_slide_apart(o, m, at, most))
        return none_can_win(o, m, at, false, inner, least_pj, n_listed);
    bool slides = o->plan->slides[o->at.listing[at]]; /* sliding loops are listed first */
    slides &= grows; /* else tensors that slide are bounded by what each run brings */
    if (n_tiles < 4 || (slides && !all_gapless(o, m)))
        return false; /* not worth the work, or not sure */
    for (int k = at; k < p->n_loops; k++)
        optimal_set_factor(o, m, o->at.listing[k], most[o->at.listing[k]]);
    optimal_find_far(o, m, far);
    o->given->open = grows ? 0 : open_loops(o, at);
    o->given->shrink = costs_grow ? NULL : most;
    sator_mapper_bounds_known(o->bounds, m);
    optimal_limit_bounds(o, optimal_energy_beside(o, m, inner));
    sator_mapper_bounds_share(o->bounds, m, &o->at.shape, mapper_ones, far, &own);
    o->given->limit = INFINITY;
    o->given->shrink = NULL;
    o->given->open = 0;
    bool is_sure = !slides || all_gapless(o, m);
    bool hopeless = is_sure && optimal_is_hopeless(o, m, inner->settled, inner->last, &own, NULL);
    if (is_sure)
        *least_pj = fmax(*least_pj, optimal_energy_beside(o, m, inner) + own.pj);
    bool is_known = !hopeless && is_sure && knows_inner(o, m, at);
    if (is_known && grows)
        hopeless = optimal_pair_cannot_win(o, m, open_loops(o, at), least_pj);
    for (int k = at; k < p->n_loops; k++)
        optimal_set_factor(o, m, o->at.listing[k], 1);
    if (!hopeless && is_known)
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
        if (plan->slides[branch->listing[k]] &&
                (branch->is_apart || optimal_is_spread(plan, branch, branch->listing[k])))
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

bool optimal_none_can_win(struct optimizer *o, int m, int at, const struct inner *inner,
        double *least_pj, int *n_listed)
{
    *n_listed = -1;
    return none_can_win(o, m, at, !o->plan->imperfect && may_grow(o->plan, &o->at, at), inner,
            least_pj, n_listed);
}
