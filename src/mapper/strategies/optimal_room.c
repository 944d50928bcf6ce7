/* Which factors of a loop a memory has room for: tiles that fit. */
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <string.h>

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
            if (!sator_mapper_fits(p, outer, size))
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

    if (o->problem->memory[m].n_capacities == 0 && o->at.crowded[m] == 0)
        return true;
    memcpy(grown, size, sizeof grown);
    *inside = o->at.shape.inside[row + 1][loop] * factor;
    if (*inside > o->problem->extent[loop]) /* the last of several tiles is short */
        *inside = o->problem->extent[loop];
    optimal_refresh_sizes(o, m, loop, grown);
    *inside = before;
    if (!sator_mapper_fits(o->problem, m, grown))
        return false;
    if (o->at.crowded[m] == 0)
        return true;
    optimal_set_factor(o, m, loop, factor);
    bool fits = fits_outside(o, m);
    optimal_set_factor(o, m, loop, 1);
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

    memcpy(tile, mapper_ones, sizeof tile);
    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops; i++) {
            bool fits = plan->imperfect || p->has_counted;
            plan->most[m][i] = p->extent[i];
            for (int d = plan->n_divisors[i] - 1; d > 0 && !fits; d--) {
                tile[i] = plan->most[m][i] = plan->divisors[i][d];
                fits = sator_mapper_tile_fits(p, words, m, tile);
            }
            plan->most[m][i] = fits ? plan->most[m][i] : 1;
            tile[i] = 1;
        }
    }
    plan->joined = find_joined(plan);
}

/* The factors of "loop" at memory "m" that fit, given those of the loops before it. */
static int list_factors(struct optimizer *o, int m, int loop, int64_t *factors)
{
    int row = o->problem->memory[m].row, count = 0;
    int64_t fixed = o->problem->row[row].fixed[loop];
    const int64_t *divisors;
    int n_divisors;
    bool is_given = false; /* and may be more than what is left */

    if (o->plan->imperfect && m == o->problem->n_memories - 1) {
        divisors = o->at.inner[loop];
        n_divisors = o->at.n_inner[loop];
    } else if (o->problem->chains && fixed != 0 && o->at.unrolled_of[loop].form == MAPPER_ANY) {
        divisors = &o->problem->row[row].fixed[loop];
        n_divisors = 1;
        is_given = true;
    } else
        n_divisors = optimal_factors(o, m, loop, &divisors);
    for (int d = 0; d < n_divisors; d++) {
        if ((!o->plan->imperfect || optimal_fills_array(o, m, loop, divisors[d])) &&
                (!o->problem->has_fixed ||
                        sator_mapper_may_have(o->problem, row, loop, divisors[d])))
            factors[count++] = divisors[d];
    }
    int fit = 0, listed = count;
    if (o->problem->has_counted) { /* a tile need not need more than one that it is no multiple of
                                    */
        for (int k = 0; k < count; k++) {
            if (factors[k] == 1 || fits_with(o, m, loop, factors[k], o->at.size))
                factors[fit++] = factors[k];
        }
    } else {
        /* where the last tile is short, factors cover more than there is */
        int64_t most =
                sator_mapper_blocks(o->plan->most[m][loop], o->at.shape.inside[row + 1][loop]);
        most = o->at.most[loop] < most ? o->at.most[loop] : most;
        while (!is_given && count > 0 && factors[count - 1] > most && factors[count - 1] > 1)
            count--;
        /* a larger factor needs no less: mostly the largest fits */
        for (int above = count, k = count - 1; fit < above; k = (fit + above) / 2) {
            if (factors[k] == 1 || fits_with(o, m, loop, factors[k], o->at.size))
                fit = k + 1;
            else
                above = k;
        }
    }
    o->search->counters.pruned_capacity += fit < listed;
    return fit;
}

/* The compute cycles with "factor" of "loop" at memory "m". */
static double cycles_with(struct optimizer *o, int m, int loop, int64_t factor)
{
    int64_t *here = &o->at.mapping.factor[o->problem->memory[m].row][loop], before = *here;

    *here = factor;
    double cycles = optimal_skewed_compute(o, m);
    *here = before;
    return cycles;
}

/* Whether that is too long for a mapping that spends "least_pj" at the least. */
static bool is_too_long(const struct optimizer *o, double least_pj, double cycles)
{
    return sator_mapper_is_hopeless(o->search, least_pj + o->problem->leakage_pj * cycles, cycles);
}

/* Where PEs are skewed, each stamp of a run takes the longer, its start and its end included, the
 * more runs inside the array; by so much for each. */
int optimal_drop_slow(
        struct optimizer *o, int m, int loop, double least_pj, const int64_t *factors, int count)
{
    const struct mapper_problem *p = o->problem;
    int fast = count;

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

int optimal_list_factors(struct optimizer *o, int m, int loop, double least_pj, int64_t *factors)
{
    int count = list_factors(o, m, loop, factors);

    return optimal_drop_slow(o, m, loop, least_pj, factors, count);
}
