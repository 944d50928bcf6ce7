/* The transfers into a memory and into what lies inside it, bounded in one order of the loops
 * outside (doc/search.md, "Two memories at once"). */
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <string.h>

/* The loops that have factors in the time rows between those of memory "m" and the tile of "t". */
static unsigned loops_between(const struct optimizer *o, int m, const struct mapper_transfer *t)
{
    const struct mapper_problem *p = o->problem;
    unsigned loops = 0;

    for (int r = p->memory[m].row + 1; r < t->child_row; r++)
        loops |= p->row[r].is_space ? 0 : mapper_loops_of(p, o->at.mapping.factor[r]);
    return loops;
}

/* Add what those of the group of "child" cost that are not bounded with memory "m". */
static bool add_beside(struct optimizer *o, int m, int child, struct pair *pair)
{
    const struct mapper_problem *p = o->problem;
    uint32_t others = sator_mapper_bounds_group(o->bounds, child) & ~pair->inner;
    const int64_t *near = o->at.mapping.factor[p->memory[child - 1].row];
    int64_t far[MAPPER_LOOPS];
    struct mapper_share share;

    memcpy(far, o->at.rest, sizeof far);
    for (int k = m + 1; k < child - 1; k++) {
        for (int i = 0; i < p->n_loops; i++)
            far[i] *= o->at.mapping.factor[p->memory[k].row][i];
    }
    if (others == 0)
        return true;
    if (!sator_mapper_bounds_some(o->bounds, child, others, &o->at.shape, near, far, &share))
        return false;
    sator_mapper_share_add(p, &pair->beside, &share);
    return true;
}

void optimal_open_pair(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct pair *pair = &o->at.pair[m];

    pair->is_known = m < p->n_memories && o->at.costs_grow && !p->imperfect && !p->has_counted;
    if (!pair->is_known)
        return;
    pair->inner = sator_mapper_bounds_group(o->bounds, m + 1);
    for (int child = m + 2; child <= p->n_memories; child++) {
        uint32_t group = sator_mapper_bounds_group(o->bounds, child);
        for (; group != 0; group &= group - 1) {
            const struct mapper_transfer *t = &p->transfer[__builtin_ctz(group)];
            if ((p->access[t->access].relevant & loops_between(o, m, t)) == 0)
                pair->inner |= UINT32_C(1) << __builtin_ctz(group);
        }
    }
    pair->beside = *inner->settled;
    pair->reaches_in = pair->inner != sator_mapper_bounds_group(o->bounds, m + 1);
    if (!pair->reaches_in)
        return;
    pair->beside = optimal_fixed(o);
    sator_mapper_bounds_known(o->bounds, m);
    o->given->chosen = m + 1;
    for (int child = m + 2; child <= p->n_memories; child++)
        pair->is_known &= add_beside(o, m, child, pair);
}

bool optimal_settle_anew(
        struct optimizer *o, int m, const struct mapper_share *own, struct mapper_share *settled)
{
    const struct mapper_problem *p = o->problem;
    const struct pair *pair = &o->at.pair[m];
    const int64_t *near = o->at.mapping.factor[p->memory[m].row];
    struct mapper_share beside = pair->beside;
    int64_t far[MAPPER_LOOPS];

    if (!pair->is_known || !pair->reaches_in || o->at.tabulating)
        return false;
    optimal_find_far(o, m, far);
    sator_mapper_share_add(p, &beside, own);
    sator_mapper_share_add(p, &beside, &o->table.least[m]);
    sator_mapper_bounds_known(o->bounds, m);
    o->given->beside = &beside;
    bool is_bounded = sator_mapper_bounds_some(
            o->bounds, m + 1, pair->inner, &o->at.shape, near, far, settled);
    o->given->beside = NULL;
    if (is_bounded)
        sator_mapper_share_add(p, settled, &pair->beside);
    return is_bounded;
}

bool optimal_pair_cannot_win(struct optimizer *o, int m, unsigned open, double *least_pj)
{
    const struct mapper_problem *p = o->problem;
    const struct pair *pair = &o->at.pair[m];
    const int64_t *near = o->at.mapping.factor[p->memory[m].row];
    struct mapper_share beside = pair->beside, both;
    int64_t far[MAPPER_LOOPS];

    if (!pair->is_known || o->at.tabulating)
        return false;
    for (int r = 0; r < p->memory[m].row && open != 0; r++) {
        if (p->row[r].is_space)
            return false;
    }
    optimal_find_far(o, m, far);
    sator_mapper_share_add(p, &beside, &o->table.least[m]);
    sator_mapper_bounds_known(o->bounds, m);
    o->given->beside = &beside;
    optimal_limit_bounds(o, beside.pj);
    bool is_bounded = sator_mapper_bounds_pair(
            o->bounds, m, pair->inner, open, &o->at.shape, near, far, &both);
    o->given->limit = INFINITY;
    o->given->beside = NULL;
    if (!is_bounded)
        return false;
    *least_pj = fmax(*least_pj, beside.pj + both.pj);
    return optimal_is_hopeless(o, m, &pair->beside, &both, &(struct mapper_share){0}, NULL);
}
