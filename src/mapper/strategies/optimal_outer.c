/* The tiles of memories above all arrays.
 *
 * What the transfers into such a memory cost depends on its tile alone, not on what happens further
 * in. So the tiles that are worth anything are listed once, by the cost of what they bring, and
 * each inner tile takes those that it divides. The least that any of them costs bounds what is
 * still to be chosen, much better than that every word crosses once.
 */
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH_TABLES = 64, /* searches for the tiles of one memory, and ... */
    WORTH_SHORT_TABLES = 16, /* ... where the innermost tiles are listed: less may win then */
    MOST_OUTER = 1 << 15 /* tiles of a table; a memory with more is tiled without one */
};

/* ---- which tiles divide which ---- */

/* Set the multiples of each divisor of a loop: first the tiles with just this extent, then with
 * them those of its multiples, which still have theirs alone. */
static void find_multiples(
        const struct optimal_plan *plan, struct outer_tiles *tiles, int loop, uint64_t *words)
{
    const int64_t *divisors = plan->divisors[loop];
    int count = plan->n_divisors[loop];

    tiles->multiples[loop] = words;
    for (int k = 0; k < tiles->count; k++) {
        int d = sator_mapper_divisor_number(
                plan->divisors[loop], plan->n_divisors[loop], tiles->item[k].extent[loop]);
        words[(size_t)d * tiles->n_words + (size_t)k / 64] |= UINT64_C(1) << k % 64;
    }
    for (int d = 0; d < count; d++, words += tiles->n_words) {
        for (int e = d + 1; e < count; e++) {
            const uint64_t *more = words + (size_t)(e - d) * tiles->n_words;
            for (size_t w = 0; w < tiles->n_words && divisors[e] % divisors[d] == 0; w++)
                words[w] |= more[w];
        }
    }
}

static void find_all_multiples(const struct optimal_plan *plan, struct outer_tiles *tiles)
{
    size_t n = 1; /* none are room enough for no loops */

    tiles->n_words = (size_t)tiles->count / 64 + 1;
    for (int i = 0; i < plan->problem->n_loops; i++)
        n += (size_t)plan->n_divisors[i] * tiles->n_words;
    tiles->words = sator_realloc(tiles->words, n * sizeof *tiles->words);
    uint64_t *words = memset(tiles->words, 0, n * sizeof *tiles->words);
    for (int i = 0; i < plan->problem->n_loops; i++) {
        find_multiples(plan, tiles, i, words);
        words += (size_t)plan->n_divisors[i] * tiles->n_words;
    }
}

void optimal_find_holding(struct optimizer *o, int m, int loop)
{
    const struct outer_tiles *tiles = &o->table.outer[m];
    const int64_t *inside = o->at.shape.inside[o->problem->memory[m].row + 1];

    for (int i = loop < 0 ? 0 : loop; i < (loop < 0 ? o->problem->n_loops : loop + 1); i++)
        o->at.holding[i] = tiles->multiples[i] +
                (size_t)sator_mapper_divisor_number(
                        o->plan->divisors[i], o->plan->n_divisors[i], inside[i]) *
                        tiles->n_words;
}

int optimal_next_outer(const struct optimizer *o, int m, int first)
{
    const struct outer_tiles *tiles = &o->table.outer[m];
    uint64_t open = ~UINT64_C(0) << first % 64;

    for (size_t w = (size_t)first / 64; w < tiles->n_words; w++) {
        for (int i = 0; i < o->problem->n_loops && open != 0; i++)
            open &= o->at.holding[i][w];
        if (open != 0)
            return (int)(64 * w) + __builtin_ctzll(open);
        open = ~UINT64_C(0);
    }
    return tiles->count;
}

/* ---- tables ---- */

/* What the transfers into memories further in than "m" cost at least, and all mappings; of the
 * innermost one, what those of its tiles do that are "listed". */
static struct mapper_share least_inside(
        const struct optimizer *o, int m, const struct mapper_share *listed)
{
    struct mapper_share sum = listed != NULL ? *listed : optimal_fixed(o);
    int last = o->problem->n_memories - (listed != NULL ? 2 : 0);

    for (int child = m + 1; child <= last; child++) {
        struct mapper_share one;
        sator_mapper_bounds_least(
                o->problem, &o->at.crew, sator_mapper_transfers_into(o->problem, child), &one);
        sator_mapper_share_add(o->problem, &sum, &one);
    }
    return sum;
}

/* The least of each figure of two shares. */
static void take_least(const struct mapper_problem *p, struct mapper_share *least,
        const struct mapper_share *share)
{
    least->pj = fmin(least->pj, share->pj);
    for (int i = 0; i < p->n_ports; i++)
        least->bits[i] = fmin(least->bits[i], share->bits[i]);
}

void optimal_add_outer(struct optimizer *o, int m, const struct mapper_share *own)
{
    struct outer_tiles *tiles = &o->table.outer[m];

    if (tiles->count == 0) {
        tiles->least = *own;
        tiles->least.n_steps = 0;
    } else
        take_least(o->problem, &tiles->least, own);
    if (tiles->count == MOST_OUTER) {
        tiles->overflows = true;
        return;
    }
    tiles->item = sator_grow(tiles->item, tiles->count, &tiles->room, sizeof *tiles->item);
    struct outer_tile *tile = &tiles->item[tiles->count];
    tile->own = *own;
    tile->beyond_pj = o->at.beyond_pj;
    tile->all_pj = own->pj + o->at.beyond_pj;
    tile->number = (uint32_t)tiles->count++;
    memcpy(tile->extent, o->at.shape.inside[o->problem->memory[m].row], sizeof tile->extent);
}

static int by_energy(const void *a, const void *b)
{
    const struct outer_tile *x = a, *y = b;

    if (x->all_pj != y->all_pj)
        return x->all_pj < y->all_pj ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

bool optimal_is_full(const struct outer_tiles *tiles)
{
    return tiles->is_middle && tiles->overflows;
}

bool optimal_fill_table(struct optimizer *o, int m, const struct inner *inner)
{
    struct outer_tiles *tiles = &o->table.outer[m];

    o->at.tabulating = true;
    optimal_list_tiles(o, m, inner);
    o->at.tabulating = false;
    tiles->known = !tiles->overflows && o->search->stopped == SATOR_OK;
    tiles->complete = tiles->count > 0 && !optimal_is_full(tiles) && o->search->stopped == SATOR_OK;
    optimal_find_least(o);
    if (tiles->count > 0)
        qsort(tiles->item, (size_t)tiles->count, sizeof *tiles->item, by_energy);
    if (tiles->known)
        find_all_multiples(o->plan, tiles);
    return tiles->count > 0 || o->search->stopped != SATOR_OK;
}

void optimal_free_outer(struct outer_tiles *tiles)
{
    free(tiles->item);
    free(tiles->words);
}

bool optimal_is_worth_tables(const struct optimizer *o, int n_listings)
{
    int worth = o->table.inner != NULL ? WORTH_SHORT_TABLES : WORTH_TABLES;

    return n_listings > (o->search->alone > 0 ? 0 : worth);
}

void optimal_tabulate(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double compute = o->at.compute_cycles;
    struct mapper_share none = {0}, listed;

    if (o->table.tabulated || p->has_fixed || o->plan->imperfect)
        return;
    o->table.tabulated = true;
    optimal_find_least(o);
    optimal_know_grown(o->plan, &o->at);
    o->at.compute_cycles = o->plan->least_cycles;
    o->given->compute = o->at.compute_cycles;
    for (int i = 0; i < p->n_loops; i++)
        o->at.rest[i] = p->extent[i];
    sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    optimal_order_listing(o->plan, &o->at);
    optimal_find_crowded(o->plan, &o->at);
    bool is_listed = optimal_least_listed(o, &listed);
    for (int m = 1; m < p->n_memories - 1; m++) {
        struct mapper_share inside = least_inside(o, m, is_listed ? &listed : NULL);
        if (p->row[p->memory[m].row - 1].is_space)
            break;
        optimal_fill_table(o, m, &(struct inner){&none, &inside});
    }
    o->at.compute_cycles = compute;
}

void optimal_forget_tables(struct optimizer *o)
{
    for (int m = 0; m < o->problem->n_memories; m++)
        optimal_free_outer(&o->table.outer[m]);
    memset(o->table.outer, 0, sizeof o->table.outer);
    o->table.tabulated = false;
    optimal_find_least(o);
}
