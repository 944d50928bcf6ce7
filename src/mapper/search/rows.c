/* Array dimensions that cost the same. */
#include "mapper/phases/phases_machine.h"
#include "mapper/problem/skew.h"
#include "mapper/search/search.h"

/* Whether words may pass along row "r" in ways that depend on which loops it has. */
static bool may_pass(const struct mapper_transfer *t, int r)
{
    unsigned rows = t->linked_rows | (t->n_buses >= 2 ? t->collapsed : 0);

    return t->may_pass && (rows >> r & 1);
}

/* The loops for which it matters to transfer "t" whether they are on a row along which PEs share
 * words: those that stand alone in an index bring their words to each PE either way, by as many
 * buses or trees or not, which the model may tell where it is asked for the time. */
static unsigned told_by(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    bool any = p->imperfect || t->is_counted || t->is_quotient || t->is_complex;

    any |= p->phases != NULL && p->phases->at_least;
    return any ? ~0U : ~p->access[t->access].plain;
}

bool sator_mapper_same_rows(
        const struct mapper_problem *p, int a, int b, bool still, unsigned *told)
{
    unsigned all = (1U << p->n_loops) - 1, some = 0;

    if (p->row[a].level != p->row[b].level)
        return false;
    /* words that pass along one dimension may take longer than along another */
    if (p->times_wires && sator_array_limits_wires(&p->arch->levels[p->row[a].level].array))
        return false;
    if (p->row[a].banned != p->row[b].banned)
        return false;
    if (p->skew != NULL && (p->skew->step[a] != 0 || p->skew->step[b] != 0))
        return false;
    for (int k = 0; k < p->n_spread_limits; k++) {
        if (((p->spread_limits[k].rows >> a ^ p->spread_limits[k].rows >> b) & 1) != 0)
            return false;
    }
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (((t->apart >> a | t->apart >> b) & 1) != 0 || (!still && may_pass(t, a)))
            return false;
        if ((t->linked_rows >> a & 1) != (t->linked_rows >> b & 1))
            return false;
        if ((t->collapsed >> a & 1) != (t->collapsed >> b & 1))
            some |= told_by(p, t) & all;
    }
    if (some == all || (some != 0 && told == NULL))
        return false;
    if (told != NULL)
        *told |= some;
    return true;
}
