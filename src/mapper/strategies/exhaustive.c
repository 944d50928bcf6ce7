/* Every mapping: the oracle of the other strategies. */
#include "mapper/search.h"

#include <string.h>

struct enumeration {
    struct mapper_search *search;
    struct mapper_mapping mapping;
    int n_divisors[MAPPER_LOOPS];
    const int64_t *divisors[MAPPER_LOOPS];
    int n_tiles[MAPPER_LOOPS]; /* imperfect: of the innermost row */
    const int64_t *tiles[MAPPER_LOOPS];
    int64_t used[MAPPER_ROWS];
};

/* All orders of the loops of memory rows "m" and inward that have factors to order. */
static void orders_from(struct enumeration *e, int m, int placed)
{
    const struct mapper_problem *p = e->search->problem;
    int8_t *order = e->mapping.order[m];

    if (sator_mapper_should_stop(e->search))
        return;
    if (m == p->n_memories) {
        sator_mapper_try(e->search, &e->mapping);
        return;
    }
    int movable = 0; /* loops with a factor stand first; the others do not matter */
    for (int i = 0; i < p->n_loops; i++)
        movable += e->mapping.factor[p->memory[m].row][i] > 1;
    if (placed >= movable || !sator_mapper_order_matters(p, m)) {
        orders_from(e, m + 1, 0);
        return;
    }
    const unsigned *outside = p->row[p->memory[m].row].outside;
    unsigned left = 0;
    for (int k = placed; k < movable; k++)
        left |= 1U << order[k];
    for (int k = placed; k < movable; k++) {
        if ((outside[order[k]] & left) != 0) /* a constraint puts another one outside it */
            continue;
        int8_t swap = order[placed];
        order[placed] = order[k];
        order[k] = swap;
        orders_from(e, m, placed + 1);
        order[k] = order[placed];
        order[placed] = swap;
    }
}

static void try_orders(struct enumeration *e)
{
    const struct mapper_problem *p = e->search->problem;

    for (int m = 0; m < p->n_memories; m++) {
        int at = 0;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < p->n_loops; i++) {
                if ((e->mapping.factor[p->memory[m].row][i] > 1) == (side == 0))
                    e->mapping.order[m][at++] = (int8_t)i;
            }
        }
    }
    sator_mapper_arrange(p, &e->mapping);
    orders_from(e, 0, 0);
}

static void factors_from(struct enumeration *e, int loop, int row, int64_t rest);

/* The tiles of an imperfect problem's innermost row, which is no array's. */
static void tiles_from(struct enumeration *e, int loop, int row)
{
    const struct mapper_problem *p = e->search->problem;

    for (int k = 0; k < e->n_tiles[loop]; k++) {
        int64_t tile = e->tiles[loop][k], fixed = p->row[row].fixed[loop];
        if (fixed != 0 && tile != fixed)
            continue;
        e->mapping.factor[row][loop] = tile;
        factors_from(e, loop, row - 1, (p->extent[loop] + tile - 1) / tile);
    }
}

static void factors_from(struct enumeration *e, int loop, int row, int64_t rest)
{
    const struct mapper_problem *p = e->search->problem;

    if (sator_mapper_should_stop(e->search))
        return;
    if (loop == p->n_loops) {
        e->search->counters.tilings++;
        if (sator_mapper_is_legal(p, e->search->words, &e->mapping))
            try_orders(e);
        else
            e->search->counters.pruned_capacity++;
        return;
    }
    if (row < 0) {
        if (rest == 1)
            factors_from(
                    e, loop + 1, p->n_rows - 1, loop + 1 < p->n_loops ? p->extent[loop + 1] : 1);
        return;
    }
    if (p->imperfect && row == p->n_rows - 1) {
        tiles_from(e, loop, row);
        return;
    }
    for (int k = 0; k < e->n_divisors[loop]; k++) {
        int64_t d = e->divisors[loop][k];
        if (d > rest)
            break;
        if (rest % d != 0 || (row == 0 && d != rest))
            continue;
        if ((p->row[row].fixed[loop] != 0 && d != p->row[row].fixed[loop]) ||
                (d > 1 && (p->row[row].banned >> loop & 1)))
            continue;
        if (p->row[row].is_space && e->used[row] * d > p->row[row].shape)
            break;
        e->mapping.factor[row][loop] = d;
        e->used[row] *= d;
        factors_from(e, loop, row - 1, rest / d);
        e->used[row] /= d;
    }
}

/* Whatever may divide what is left of a loop: in an imperfect problem the numbers of its tiles. */
static int list_factors(struct sator_arena *arena, const struct mapper_problem *p, int loop,
        const int64_t **factors)
{
    int64_t *list = NULL;
    int count = 0;

    if (!p->imperfect)
        return sator_mapper_divisors(arena, p->extent[loop], factors);
    for (int64_t d = 1; d <= p->extent[loop]; d++)
        SATOR_PUSH(arena, list, count, d);
    *factors = list;
    return count;
}

void sator_mapper_exhaustive(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct sator_arena *arena = sator_arena_new();
    struct enumeration e = {.search = search};

    for (int i = 0; i < p->n_loops; i++) {
        e.n_divisors[i] = list_factors(arena, p, i, &e.divisors[i]);
        e.n_tiles[i] = p->imperfect ? sator_mapper_tiles(arena, p->extent[i], &e.tiles[i]) : 0;
    }
    for (int r = 0; r < p->n_rows; r++) {
        e.used[r] = 1;
        for (int i = 0; i < p->n_loops; i++)
            e.mapping.factor[r][i] = 1;
    }
    factors_from(&e, 0, p->n_rows - 1, p->n_loops > 0 ? p->extent[0] : 1);
    search->proved = search->stopped == SATOR_OK;
    if (search->proved && search->found)
        search->bound = search->best_cost.value;
    sator_arena_free(arena);
}
