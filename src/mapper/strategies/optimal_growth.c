/* Maximal tiles.
 *
 * Moving a factor of a loop from an outer memory into the tile of the innermost one never makes any
 * transfer larger, as long as all tiles on the way still fit: what the grown tile brings in one
 * stamp, the old one brought in one stamp or several. (For a sliding index this needs tiles without
 * gaps and coefficients of one sign, no parallel digits of the loop in between, and no other factor
 * of the loop in between, unless no other loop of the index is outside the tile; where the
 * innermost memory fills compute units in steps of its own, that none of these keeps anything from
 * one tile to the next: is_settled. The proof is in doc/search.md.) So mappings in which
 * such a move is possible need not be looked at.
 */
#include "mapper/strategies/optimal.h"

#include <string.h>

static bool one_sign(const struct mapper_index *index)
{
    for (int i = 1; i < index->n_parts; i++) {
        if ((index->coef[i] > 0) != (index->coef[0] > 0))
            return false;
    }
    return true;
}

/* Whether costs only grow with the words of transfer "i", and what bounds take for them. Those of
 * an output that trees merge may fall: a word that crosses takes the place of partial sums further
 * in. */
static bool cost_grows(const struct optimal_plan *plan, const struct optimal_branch *branch, int i)
{
    const struct mapper_problem *p = plan->problem;
    const struct mapper_transfer *t = &p->transfer[i];
    double lent = p->lends && t->outward >= 0 ? branch->crew.lent_pj[t->outward] : 0;
    double unique = t->unique_pj - lent, arriving = t->arriving_pj;

    if (unique >= 0 && arriving >= 0)
        return true;
    /* of an output that does not slide each word arrives as often */
    return t->merges && !t->is_counted && !t->is_quotient && !p->access[t->access].is_sliding &&
            unique + arriving >= 0 && unique + arriving * branch->crew.ratio[i] >= 0;
}

void optimal_know_grown(const struct optimal_plan *plan, struct optimal_branch *branch)
{
    const struct mapper_problem *p = plan->problem;

    branch->grows = 0;
    for (int t = 0; t < p->n_transfers; t++)
        branch->grows |= cost_grows(plan, branch, t) ? UINT32_C(1) << t : 0;
    branch->costs_grow = branch->grows == (UINT64_C(1) << p->n_transfers) - 1;
    branch->grown = plan->may_grow && branch->costs_grow ? p->n_memories - 1 : -1;
}

/* Where costs fall as words grow, the most words are known for all tiles together if each arrives
 * as often, and plain loops alone move it. */
bool optimal_is_bounded(const struct optimizer *o, int m, bool *grow)
{
    const struct mapper_problem *p = o->problem;
    bool bounded = true;

    *grow = true;
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (t->child != m || (o->at.grows >> i & 1))
            continue;
        *grow = false;
        bounded &=
                t->merges && !t->is_counted && !t->is_quotient && !p->access[t->access].is_sliding;
    }
    return bounded;
}

void optimal_find_grown(struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    int innermost = p->n_memories - 1;

    optimal_find_second(plan);
    plan->feeds = p->transfer[0].child == p->n_memories;
    /* what the model says of ports may take longer though less passes (doc/model.md, section 3) */
    plan->may_grow = innermost > 0 && !p->has_fixed && p->skew == NULL && p->phases == NULL &&
            p->asked_ports == 0 && !(plan->imperfect && p->has_passed_sums) &&
            !(plan->feeds && p->has_orders);
    for (int i = 0; i < p->n_transfers; i++)
        plan->may_grow &=
                !p->transfer[i].is_complex; /* what its PEs pass on may get less as tiles grow */
    if (!plan->may_grow)
        return;
    plan->outside_fits = true;
    for (int m = 1; m < innermost; m++) {
        int64_t size[MAPPER_ACCESSES] = {0};
        for (int a = 0; a < p->n_accesses; a++)
            size[a] = p->memory[m].holds >> a & 1 ? p->access[a].footprint : 0;
        plan->outside_fits &= sator_mapper_fits(p, m, size);
    }
}

bool optimal_is_gapless(struct optimizer *o, int m, int a)
{
    const struct mapper_access *access = &o->problem->access[a];

    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        struct mapper_steps steps = {.n_spread = 0};
        if (index->closed == 1)
            continue;
        for (int i = 0; i < index->n_parts; i++)
            steps.tile[i] = o->at.shape.inside[o->problem->memory[m].row][index->loop[i]];
        if (!one_sign(index) || !sator_mapper_words_gapless(o->search->words, a, e, &steps))
            return false;
    }
    return true;
}

bool optimal_has_no_gaps(struct optimizer *o, int m, int loop, unsigned accesses)
{
    const struct mapper_problem *p = o->problem;
    bool none = true;

    for (int a = 0; a < p->n_accesses && none && o->plan->slides[loop]; a++) {
        unsigned sliding = p->access[a].relevant & ~p->access[a].plain;
        none = !(accesses >> a & sliding >> loop & 1) || optimal_is_gapless(o, m, a);
    }
    return none;
}

/* Where the grown memory feeds the compute units: whether, with its factors as chosen, none of
 * these keeps anything from one of its tiles to the next, nor slides while there. */
static bool is_settled(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    unsigned loops = mapper_loops_of(p, o->at.mapping.factor[p->memory[o->at.grown].row]);

    for (int t = 0; t < p->n_transfers && p->transfer[t].child == p->n_memories; t++) {
        const struct mapper_access *access = &p->access[p->transfer[t].access];
        if (p->transfer[t].parent != o->at.grown || (loops & access->plain) == 0 ||
                (loops & access->relevant & ~access->plain) != 0)
            return false;
    }
    return true;
}

/* Whether a tensor that fills the compute units slides along "loop". */
static bool slides_inside(const struct mapper_problem *p, int loop)
{
    for (int t = 0; t < p->n_transfers && p->transfer[t].child == p->n_memories; t++) {
        const struct mapper_access *access = &p->access[p->transfer[t].access];
        if ((access->relevant & ~access->plain) >> loop & 1)
            return true;
    }
    return false;
}

bool optimal_is_spread(
        const struct optimal_plan *plan, const struct optimal_branch *branch, int loop)
{
    const struct mapper_problem *p = plan->problem;
    unsigned spread = 0; /* loops */

    for (int k = 0; k < branch->shape.n_digits; k++)
        spread |= 1U << branch->shape.digit[k].loop;
    for (int a = 0; a < p->n_accesses; a++) {
        unsigned sliding = p->access[a].relevant & ~p->access[a].plain;
        if ((sliding >> loop & 1) && (sliding & spread) != 0)
            return true;
    }
    return false;
}

/* Where chains of ceilings are factors: whether the grown tile may take some of "loop" from
 * outside. It slides along nothing, and these tiles leave no remainder on any PE. Factors outside
 * may do: the nearest of them, g, becomes ceil(g / prime), and there are no more tiles anywhere. */
static bool may_multiply(const struct optimizer *o, int loop)
{
    const struct mapper_unrolled *unrolled = &o->at.unrolled_of[loop];
    int64_t factor = o->at.mapping.factor[o->problem->innermost][loop];

    return !o->plan->slides[loop] &&
            o->problem->extent[loop] % (unrolled->lanes * unrolled->pes * factor) == 0;
}

/* Whether no last tile is short along "loop" or the loops that it slides with. */
static bool is_whole(const struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    bool whole = optimal_is_whole(o, loop);

    for (int a = 0; a < p->n_accesses && o->plan->imperfect; a++) {
        if (!(p->access[a].relevant >> loop & 1))
            continue;
        const struct mapper_index *index = &p->access[a].index[p->access[a].index_of[loop]];
        for (int i = 0; i < index->n_parts; i++)
            whole &= optimal_is_whole(o, index->loop[i]);
    }
    return whole;
}

/* Whether the tile of memory "m", grown by "prime" along "loop", fits and brings no more. */
static bool can_grow(struct optimizer *o, int m, int loop, int64_t prime)
{
    const struct mapper_problem *p = o->problem;
    int64_t before = o->at.mapping.factor[p->memory[m].row][loop], size[MAPPER_ACCESSES];

    if (!is_whole(o, loop) || slides_inside(p, loop) || (o->at.tangled >> loop & 1) ||
            !optimal_has_no_gaps(o, m, loop, ~0U) ||
            (o->plan->slides[loop] && optimal_is_spread(o->plan, &o->at, loop)))
        return false;
    optimal_set_factor(o, m, loop, before * prime);
    memcpy(size, o->at.size, sizeof size);
    optimal_refresh_sizes(o, m, loop, size);
    bool fine = sator_mapper_fits(p, m, size) && optimal_has_no_gaps(o, m, loop, ~0U);
    optimal_set_factor(o, m, loop, before);
    return fine;
}

bool optimal_slides_apart(const struct optimizer *o, int m, int loop, const int64_t *factor)
{
    const struct mapper_problem *p = o->problem;
    bool apart = true;

    for (int a = 0; a < p->n_accesses && m > 1; a++) {
        if (!((p->access[a].relevant & ~p->access[a].plain) >> loop & 1))
            continue;
        const struct mapper_index *index = &p->access[a].index[p->access[a].index_of[loop]];
        for (int i = 0; i < index->n_parts; i++) {
            int other = index->loop[i];
            apart &= other == loop || optimal_left(o, m, other, factor[other]) == 1;
        }
    }
    return apart;
}

/* Let the primes of "loop", the last "n" of those found of "n_primes", stand anywhere outside the
 * tile where that is so: else the prime of the factor that is next outside may not be one of them,
 * and be in between. */
static void know_place(struct optimizer *o, int loop, int n, int n_primes)
{
    const int64_t *factor = o->at.mapping.factor[o->problem->memory[o->at.grown].row];
    bool anywhere = n == n_primes || !o->plan->slides[loop] ||
            optimal_slides_apart(o, o->at.grown, loop, factor);

    for (int k = o->at.n_growable - n; k < o->at.n_growable; k++)
        o->at.growable[k].anywhere = anywhere;
    o->at.grows_anyhow |= anywhere && n > 0;
}

void optimal_find_growable(struct optimizer *o, bool only_whether)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[o->at.grown].row;

    o->at.n_growable = 0;
    o->at.grows_anyhow = false;
    if (o->plan->feeds && !is_settled(o))
        return;
    for (int at = p->n_loops - 1; at >= 0; at--) { /* the loops listed last are cheapest to check */
        int i = o->at.listing[at];
        int64_t rest = optimal_left(o, o->at.grown, i, o->at.mapping.factor[row][i]);
        const int64_t *divisors = o->plan->divisors[i];
        int before = o->at.n_growable, n_primes = 0;
        if (p->chains && !may_multiply(o, i))
            continue;
        if (o->plan->imperfect)
            optimal_divisors(o, rest, &divisors);
        while (rest > 1) {
            int64_t prime = optimal_take_prime(&rest, &divisors);
            n_primes++;
            if (o->at.n_growable < MAPPER_LOOPS * 8 && can_grow(o, o->at.grown, i, prime))
                o->at.growable[o->at.n_growable++] = (struct growth){i, prime, false};
            if (only_whether && o->at.n_growable > before && !o->plan->slides[i])
                break;
        }
        know_place(o, i, o->at.n_growable - before, n_primes);
        if (only_whether && o->at.grows_anyhow)
            return;
    }
}

bool optimal_is_dominated(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;

    if (optimal_may_fill_second(o, m))
        return true;
    if (o->at.grown < 0)
        return false;
    if (m == o->at.grown) {
        optimal_find_growable(o, o->plan->outside_fits);
        return o->at.grows_anyhow && o->plan->outside_fits;
    }
    if (m != o->at.grown - 1)
        return false;
    for (int k = 0; k < o->at.n_growable; k++) {
        int loop = o->at.growable[k].loop;
        int64_t prime = o->at.growable[k].prime, here = o->at.mapping.factor[row][loop];
        if (here % prime == 0)
            return true;
        if (m > 1 || o->at.rest[loop] % (here * prime) != 0 ||
                (here > 1 && !o->at.growable[k].anywhere))
            continue;
        optimal_set_factor(o, m, loop, here * prime);
        bool fits = optimal_tile_fits(o, m);
        optimal_set_factor(o, m, loop, here);
        if (fits)
            return true;
    }
    return false;
}
