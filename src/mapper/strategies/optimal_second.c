/* Maximal tiles of the memory just inside the outermost one.
 *
 * A factor that moves from the outermost memory into the tile of the next one, outermost there,
 * brings no more words into that tile (optimal_growth.c). The transfers further in see the same
 * loops in another order. Where they keep nothing from one tile to the next, since a loop that
 * stands alone in an index runs in between, that costs nothing either; and of a skewed array it
 * makes one long run of several. The proof is in doc/search.md.
 */
#include "mapper/strategies/optimal.h"

enum {
    SECOND = 1 /* the memory */
};

void optimal_find_second(struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;

    plan->fills_second = p->n_memories > SECOND && p->memory[SECOND].row == SECOND &&
            !p->has_fixed && !p->has_orders && !plan->imperfect && !p->has_counted &&
            p->asked_ports == 0 &&
            p->phases == NULL; /* the scheduled time may fall with another order */
}

/* Whether the transfer, into something further in, keeps nothing from one tile to the next. */
static bool starts_anew(const struct optimizer *o, const struct mapper_transfer *t)
{
    const struct mapper_problem *p = o->problem;
    unsigned plain = p->access[t->access].plain;

    for (int r = p->memory[SECOND].row; r < t->child_row; r++) {
        if (!p->row[r].is_space && (mapper_loops_of(p, o->at.mapping.factor[r]) & plain) != 0)
            return true;
    }
    return false;
}

static bool may_take(struct optimizer *o, int loop, int64_t prime)
{
    int64_t before = o->at.mapping.factor[o->problem->memory[SECOND].row][loop];
    unsigned held = o->problem->memory[SECOND].holds;
    bool may = optimal_has_no_gaps(o, SECOND, loop, held);

    optimal_set_factor(o, SECOND, loop, before * prime);
    may = may && optimal_tile_fits(o, SECOND) && optimal_has_no_gaps(o, SECOND, loop, held);
    optimal_set_factor(o, SECOND, loop, before);
    return may;
}

bool optimal_may_fill_second(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    unsigned sliding = 0; /* loops of the transfers further in */

    if (m != SECOND || m == o->at.grown || !o->plan->fills_second || !o->at.costs_grow)
        return false;
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (t->child > SECOND && !starts_anew(o, t))
            return false;
        if (t->child > SECOND)
            sliding |= p->access[t->access].relevant & ~p->access[t->access].plain;
    }
    const int64_t *factors = o->at.mapping.factor[p->memory[SECOND].row];
    bool slides = (mapper_loops_of(p, factors) & sliding) != 0;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t factor = factors[i];
        int64_t rest = optimal_left(o, SECOND, i, factor);
        if (factor > 1 && slides)
            continue; /* it would not be the outermost there */
        const int64_t *divisor = o->plan->divisors[i];
        while (rest > 1) {
            int64_t prime = optimal_take_prime(&rest, &divisor);
            if (may_take(o, i, prime))
                return true;
        }
    }
    return false;
}
