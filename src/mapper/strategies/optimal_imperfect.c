/* Factors that need not divide: chains of ceilings (doc/mapper.md, "Factors that do not divide an
 * extent").
 *
 * What is left of a loop outside a memory is the number of its tiles, rounded up, over the PEs that
 * are further out, rounded up: in whatever order factors are divided by, ceilings of ceilings are
 * the same.
 */
#include "mapper/phases/phases.h"
#include "mapper/strategies/optimal.h"

#include <assert.h>
#include <string.h>

int64_t optimal_left(const struct optimizer *o, int m, int loop, int64_t factor)
{
    const struct mapper_problem *p = o->problem;

    assert(factor >= 1 && (o->plan->imperfect || o->at.rest[loop] % factor == 0));
    if (!o->plan->imperfect)
        return o->at.rest[loop] / factor;
    int64_t tiles =
            sator_mapper_blocks(p->extent[loop], o->at.shape.inside[p->memory[m].row + 1][loop]);
    return sator_mapper_blocks(sator_mapper_blocks(tiles, factor), o->at.pes_outside[m][loop]);
}

/* Of the steps of an outer loop all but the last have a tile at the first PE that is whole; the
 * last one has, too, unless only the short one is left. */
double optimal_compute(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const int64_t *factor = o->at.mapping.factor[p->innermost];
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++) {
        const struct mapper_unrolled *unrolled = &o->at.unrolled_of[i];
        int64_t blocks = sator_mapper_blocks(p->extent[i], unrolled->lanes);
        int64_t tiles = sator_mapper_blocks(blocks, factor[i]),
                steps = sator_mapper_blocks(tiles, unrolled->pes);
        assert(tiles >= 1 && steps >= 1);
        bool only_last = tiles - (steps - 1) * unrolled->pes == 1;
        int64_t last = only_last ? blocks - (tiles - 1) * factor[i] : factor[i];
        stamps *= (double)(steps - 1) * (double)factor[i] + (double)last;
    }
    return sator_mapper_computing(p, &o->at.mapping, stamps, stamps);
}

double optimal_least_compute(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++) {
        const struct mapper_unrolled *unrolled = &o->at.unrolled_of[i];
        stamps *= (double)sator_mapper_blocks(
                sator_mapper_blocks(p->extent[i], unrolled->lanes), unrolled->pes);
    }
    return sator_mapper_computing(p, &o->at.mapping, stamps, stamps);
}

bool optimal_is_whole(const struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    int64_t lanes = o->at.unrolled_of[loop].lanes;

    return !o->plan->imperfect ||
            p->extent[loop] % (lanes * o->at.mapping.factor[p->innermost][loop]) == 0;
}

/* ---- numbers of PEs and of lanes ---- */

/* The numbers of PEs up to "most" that divide some number of tiles of "blocks" blocks. */
static const char *mark_spreads(struct sator_arena *arena, int64_t blocks, int64_t most)
{
    char *marks = SATOR_NEW_ARRAY(arena, char, most + 1);

    for (int64_t tile = 1; tile != 0; tile = sator_mapper_next_ceiling(blocks, tile)) {
        int64_t number = sator_mapper_blocks(blocks, tile);
        for (int64_t d = 1; d <= number / d; d++) {
            if (number % d != 0)
                continue;
            if (d <= most)
                marks[d] = 1;
            if (number / d <= most)
                marks[number / d] = 1;
        }
    }
    return marks;
}

/* Whether some number of tiles of "loop" is a multiple of "pes". A constraint that sets the tile is
 * looked at later. */
static bool can_spread(struct optimizer *o, int loop, int64_t lanes, int64_t pes)
{
    const struct mapper_problem *p = o->problem;

    if (pes > o->plan->most_spread[loop] || lanes > o->plan->most_lanes[loop])
        return false;
    if (p->row[p->innermost].fixed[loop] != 0 || pes == 1)
        return pes == 1 || o->plan->spreads[loop][pes];
    const char **marks = &o->table.lane_spreads[loop][lanes];
    if (*marks == NULL)
        *marks = mark_spreads(
                o->arena, sator_mapper_blocks(p->extent[loop], lanes), o->plan->most_spread[loop]);
    return (*marks)[pes];
}

/* Mark the products up to "most", times "product", of "rows" ceilings of "number" tiles, none of
 * them above "shape". */
static void mark_products(
        char *marks, int64_t most, int64_t number, int rows, int64_t shape, int64_t product)
{
    marks[product] = 1;
    for (int64_t factor = sator_mapper_next_ceiling(number, 1);
            factor != 0 && factor <= shape && factor <= most / product && rows > 0;
            factor = sator_mapper_next_ceiling(number, factor))
        mark_products(marks, most, sator_mapper_blocks(number, factor), rows - 1, shape,
                product * factor);
}

/* The numbers of PEs outside the innermost memory that tiles of "loop" may be spread over. */
static const char *mark_chains(const struct optimal_plan *plan, struct sator_arena *arena, int loop)
{
    const struct mapper_problem *p = plan->problem;
    int64_t n = p->extent[loop], most = plan->most_spread[loop], shape = 1;
    char *marks = SATOR_NEW_ARRAY(arena, char, most + 1);
    int rows = 0;

    for (int r = 0; r < p->innermost; r++) {
        rows += p->row[r].is_space && p->row[r].shape > 1;
        shape = p->row[r].is_space && p->row[r].shape > shape ? p->row[r].shape : shape;
    }
    for (int64_t tile = 1; tile != 0; tile = sator_mapper_next_ceiling(n, tile))
        mark_products(
                marks, most, sator_mapper_blocks(n, tile), rows, shape, 1); /* any may be spread */
    return marks;
}

/* Whether "loop" has a tile for the current unrolling. */
static bool has_tile(struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_unrolled *unrolled = &o->at.unrolled_of[loop];
    int64_t lanes = unrolled->lanes, n = p->extent[loop];

    if (unrolled->form == MAPPER_SHORT)
        return sator_mapper_spreads_short(p, &o->at.mapping, loop);
    return sator_mapper_may_lane(p, loop, lanes) &&
            !(unrolled->form == MAPPER_WHOLE && n % (lanes * unrolled->pes) != 0) &&
            (p->chains || can_spread(o, loop, lanes, unrolled->pes));
}

bool optimal_can_unroll(struct optimizer *o, int row, int loop, int64_t factor)
{
    const struct mapper_problem *p = o->problem;
    int64_t lanes = 1;

    if (row > p->innermost)
        return true; /* all lanes are looked at together */
    if (p->chains)
        return o->at.parallel[loop] * factor <=
                o->plan->most_spread[loop] * o->plan->most_lanes[loop];
    for (int r = p->innermost + 1; r < p->n_rows; r++) /* they are placed */
        lanes *= p->row[r].is_space ? o->at.mapping.factor[r][loop] : 1;
    return can_spread(o, loop, lanes, o->at.parallel[loop] / lanes * factor);
}

double optimal_idle_share(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double share = 1;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t lanes = o->at.unrolled_of[i].lanes;
        share *= (double)(sator_mapper_blocks(p->extent[i], lanes) * lanes) / (double)p->extent[i];
    }
    return share;
}

bool optimal_take_unrolling(struct optimizer *o)
{
    bool all = true;

    for (int i = 0; i < o->problem->n_loops; i++) {
        sator_mapper_unrolled(o->problem, &o->at.mapping, i, &o->at.unrolled_of[i]);
        all = all && has_tile(o, i);
    }
    return all;
}

/* The factors that an array inside the innermost memory may have: they divide some number of lanes.
 */
static void find_lanes(struct optimal_plan *plan, struct sator_arena *arena, int loop)
{
    const struct mapper_problem *p = plan->problem;
    bool one_row = !p->chains || p->innermost + 2 == p->n_rows;
    int64_t *factors = NULL, most = one_row ? p->extent[loop] : 2 * p->extent[loop];
    double lanes = 1;
    int count = 0;

    for (int r = p->innermost + 1; r < p->n_rows; r++)
        lanes *= (double)p->row[r].shape;
    most = lanes < (double)most ? (int64_t)lanes : most;
    plan->most_lanes[loop] = most;
    for (int64_t n = 1; n <= most; n++) {
        bool divides = false;
        for (int64_t k = n; k <= most && !divides; k += n)
            divides = sator_mapper_may_lane(p, loop, k);
        if (divides)
            SATOR_PUSH(arena, factors, count, n);
    }
    plan->n_lanes[loop] = count;
    plan->lanes[loop] = factors;
}

/* ---- tiles ---- */

/* The numbers of PEs that some number of tiles of "loop" can be spread over. Whatever the lanes, n
 * iterations in tiles of t blocks of l are as many tiles as in tiles of t x l. */
static const char *find_spreads(
        const struct optimal_plan *plan, struct sator_arena *arena, int loop)
{
    const struct mapper_problem *p = plan->problem;
    int64_t n = p->extent[loop], fixed = p->row[p->innermost].fixed[loop];
    int64_t most = plan->most_spread[loop];

    if (fixed == 0)
        return mark_spreads(arena, n, most);
    char *marks = SATOR_NEW_ARRAY(arena, char, most + 1);
    for (int64_t d = 1; d <= most; d++) /* with lanes, any number may be a number of tiles */
        marks[d] = p->is_direct || sator_mapper_blocks(n, fixed) % d == 0 ? 1 : 0;
    return marks;
}

/* Drop the tiles of "loop" that do not fit even when every other loop has tiles of one. */
static void keep_fitting(struct mapper_words *words, struct optimal_plan *plan, int loop)
{
    const struct mapper_problem *p = plan->problem;
    int m = p->n_memories - 1, kept = 1;
    int64_t tile[MAPPER_LOOPS];

    if (p->has_counted) /* where a larger tile need not need more */
        return;
    memcpy(tile, mapper_ones, sizeof tile);
    for (; kept < plan->n_tiles[loop]; kept++) {
        tile[loop] = plan->every_tile[loop][kept];
        if (!sator_mapper_tile_fits(p, words, m, tile))
            break;
    }
    plan->n_tiles[loop] = kept;
}

void optimal_find_tiles(
        struct mapper_words *words, struct optimal_plan *plan, struct sator_arena *arena)
{
    const struct mapper_problem *p = plan->problem;
    int64_t pes = 1;

    for (int r = 0; r < p->innermost; r++)
        pes *= p->row[r].is_space ? p->row[r].shape : 1;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t *numbers = NULL;
        int count = 0;
        plan->n_tiles[i] = sator_mapper_tiles_of(p, arena, i, &plan->every_tile[i]);
        plan->n_most_inner[i] = plan->n_tiles[i] + 1;
        keep_fitting(words, plan, i);
        int64_t most = p->chains ? 2 * p->extent[i] : p->extent[i];
        plan->most_spread[i] = most < pes ? most : pes;
        plan->spreads[i] = p->chains ? mark_chains(plan, arena, i) : find_spreads(plan, arena, i);
        for (int64_t n = 1; n <= plan->most_spread[i]; n++) {
            if (plan->spreads[i][n])
                SATOR_PUSH(arena, numbers, count, n);
        }
        plan->n_divisors[i] = count;
        plan->divisors[i] = numbers;
        find_lanes(plan, arena, i);
    }
}

/* The list of "n" among "lists", made by "list" when first asked for. */
static int remembered(struct sator_arena *arena, struct divisor_list *lists, int64_t n,
        int (*make)(struct sator_arena *into, int64_t n, const int64_t **list),
        const int64_t **divisors)
{
    struct divisor_list *list = &lists[(uint64_t)n % N_DIVISOR_LISTS];

    while (list->n != n && list->next != NULL)
        list = list->next;
    if (list->n != n) {
        if (list->n != 0) {
            list->next = SATOR_NEW(arena, struct divisor_list);
            list = list->next;
        }
        list->n = n;
        list->next = NULL;
        list->count = make(arena, n, &list->divisors);
    }
    *divisors = list->divisors;
    return list->count;
}

int optimal_divisors(struct optimizer *o, int64_t n, const int64_t **divisors)
{
    return remembered(o->arena, o->table.divisor_lists, n, sator_mapper_divisors, divisors);
}

int optimal_factors(struct optimizer *o, int m, int loop, const int64_t **factors)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_unrolled *unrolled = &o->at.unrolled_of[loop];

    if (unrolled->form == MAPPER_SHORT) {
        *factors = m == unrolled->memory ? &o->at.rest[loop] : mapper_ones;
        return 1;
    }
    if (!p->chains || unrolled->form != MAPPER_ANY)
        return optimal_divisors(o, o->at.rest[loop], factors);
    int64_t tiles =
            sator_mapper_blocks(p->extent[loop], o->at.shape.inside[p->memory[m].row + 1][loop]);
    return remembered(o->arena, o->table.ceiling_lists, tiles, sator_mapper_tiles, factors);
}

/* Whether the PEs of the arrays next outside memory "m" are a chain over the tiles that it has when
 * "loop" has "factor" there: else fewer do. */
bool optimal_fills_array(const struct optimizer *o, int m, int loop, int64_t factor)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    int64_t pes = 1;

    if (!p->chains)
        return m == p->n_memories - 1 || o->at.rest[loop] % factor == 0;
    for (int r = row - 1; r >= 0 && p->row[r].is_space; r--)
        pes *= o->at.mapping.factor[r][loop];
    if (pes == 1)
        return true;
    int64_t tiles = sator_mapper_blocks(
            sator_mapper_blocks(p->extent[loop], o->at.shape.inside[row + 1][loop]), factor);
    return sator_mapper_spreads(p, row - 1, tiles, pes);
}

void optimal_take_tiles(const struct optimal_plan *plan, struct optimal_branch *branch)
{
    const struct mapper_problem *p = plan->problem;

    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops; i++)
            branch->pes_outside[m][i] = mapper_positions(p, &branch->mapping, p->memory[m].row, i);
    }
    for (int i = 0; i < p->n_loops; i++) {
        const struct mapper_unrolled *unrolled = &branch->unrolled_of[i];
        int64_t blocks = sator_mapper_blocks(p->extent[i], unrolled->lanes);
        int64_t fixed = p->row[p->innermost].fixed[i];
        branch->n_inner[i] = 0;
        for (int k = 0; k < plan->n_tiles[i] && unrolled->lanes == 1; k++) {
            if (sator_mapper_left(p, i, unrolled, plan->every_tile[i][k]) != 0)
                branch->inner[i][branch->n_inner[i]++] = plan->every_tile[i][k];
        }
        for (int64_t tile = fixed == 0 ? 1 : fixed; unrolled->lanes > 1 && tile != 0;
                tile = fixed == 0 ? sator_mapper_next_ceiling(blocks, tile) : 0) {
            if (sator_mapper_left(p, i, unrolled, tile) != 0)
                branch->inner[i][branch->n_inner[i]++] = tile;
        }
    }
}
