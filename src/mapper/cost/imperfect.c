/* Which factors the mappings of an imperfect problem have (doc/mapper.md, "Factors that do not
 * divide an extent").
 *
 * From inside outward a loop's factors are a chain of ceilings: of R iterations or tiles a factor f
 * makes ceil(R / f) tiles, and of the factors that make as many f is the least. The chain ends with
 * one tile. In some places only chains are in the space that leave no PE without a tile: see enum
 * mapper_form.
 */
#include "mapper/cost/cost.h"
#include "mapper/problem/invariants.h"
#include "mapper/problem/skew.h"

#include <assert.h>

static bool has_digit(const struct mapper_mapping *mapping, int loop, unsigned rows)
{
    bool any = false;

    for (; rows != 0; rows &= rows - 1)
        any |= mapping->factor[__builtin_ctz(rows)][loop] > 1;
    return any;
}

/* The transfers whose words pass from PE to PE. Over buses of some PEs of a row none is handed on:
 * it does not matter that others are without a tile. */
static unsigned passed_on(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    unsigned grouped = 0;

    for (int t = 0; t < problem->n_transfers; t++)
        grouped |= problem->transfer[t].grouped_rows != 0 ? 1U << t : 0;
    return sator_mapper_passed(problem, mapping) & ~grouped;
}

/* The parallel positions of "loop" where the transfers "passed" are those passed on, which matters
 * not where PEs may be idle. */
static void find_unrolled(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, unsigned passed,
        struct mapper_unrolled *unrolled)
{
    unsigned direct = 0;

    *unrolled = (struct mapper_unrolled){.lanes = 1, .pes = 1};
    for (int r = 0; r < problem->n_rows; r++) {
        int64_t factor = mapping->factor[r][loop];
        if (problem->row[r].is_space && factor > 1)
            *(r > problem->innermost ? &unrolled->lanes : &unrolled->pes) *= factor;
    }
    for (int t = 0; t < problem->n_transfers; t++)
        direct |= problem->transfer[t].child == problem->n_memories ? 1U << t : 0;
    bool may_idle = mapper_may_idle(problem);
    unsigned whole = may_idle ? problem->mixed_direct : problem->direct_wired;
    unsigned filled = may_idle ? problem->mixed_rows : problem->linked_rows;
    passed = may_idle ? 0 : passed;
    if ((passed & direct) != 0 || has_digit(mapping, loop, whole))
        unrolled->form = MAPPER_WHOLE;
    else if (passed != 0 || has_digit(mapping, loop, filled))
        unrolled->form = MAPPER_FILLED;
    if (problem->skew == NULL)
        return;
    bool divides = problem->extent[loop] % (unrolled->lanes * unrolled->pes) == 0;
    unrolled->memory = divides ? -1 : sator_mapper_short_row(problem, mapping, loop);
    unrolled->form =
            unrolled->form == MAPPER_ANY && unrolled->memory >= 0 ? MAPPER_SHORT : MAPPER_WHOLE;
}

void sator_mapper_unrolled(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, struct mapper_unrolled *unrolled)
{
    find_unrolled(problem, mapping, loop, passed_on(problem, mapping), unrolled);
}

int64_t sator_mapper_least_spread(const struct mapper_problem *problem, int row, int64_t pes)
{
    int64_t dims = 0, root = 1;

    assert(pes >= 1 && problem->row[row].is_space);
    for (int r = 0; r < problem->n_rows; r++)
        dims += problem->row[r].level == problem->row[row].level && problem->row[r].shape > 1;
    /* a x b PEs are for N tiles when a = ceil(N / b) and b = ceil(N / a): more than a (b - 1) and
     * (a - 1) b, so at least a b - min(a, b) + 1 */
    while ((root + 1) * (root + 1) <= pes)
        root++;
    return dims < 2 ? pes : dims == 2 ? pes - root + 1 : (pes + 1) / 2;
}

bool sator_mapper_spreads(const struct mapper_problem *problem, int row, int64_t tiles, int64_t pes)
{
    assert(tiles >= 1 && pes >= 1);
    if (pes == 1)
        return true;
    if (row < 0 || !problem->row[row].is_space)
        return false;
    for (int64_t here = 1; here <= pes && here <= problem->row[row].shape; here++) {
        if (pes % here == 0 && sator_mapper_is_ceiling(tiles, here) &&
                sator_mapper_spreads(
                        problem, row - 1, sator_mapper_blocks(tiles, here), pes / here))
            return true;
    }
    return false;
}

bool sator_mapper_may_lane(const struct mapper_problem *problem, int loop, int64_t lanes)
{
    int64_t n = problem->extent[loop];

    if (problem->chains)
        return sator_mapper_spreads(problem, problem->n_rows - 1, n, lanes);
    return problem->direct_sliding >> loop & 1 ? n % lanes == 0 : sator_mapper_is_ceiling(n, lanes);
}

int64_t sator_mapper_left(const struct mapper_problem *problem, int loop,
        const struct mapper_unrolled *unrolled, int64_t tile)
{
    int64_t n = problem->extent[loop], blocks = sator_mapper_blocks(n, unrolled->lanes);
    int64_t number = sator_mapper_blocks(blocks, tile);

    assert(tile >= 1 && unrolled->lanes >= 1 && unrolled->pes >= 1);
    if (unrolled->form == MAPPER_SHORT)
        return tile == (unrolled->memory < problem->n_memories - 1 ? 1 : blocks)
                ? sator_mapper_blocks(number, unrolled->pes)
                : 0;
    if (!sator_mapper_may_lane(problem, loop, unrolled->lanes))
        return 0;
    if (!sator_mapper_is_ceiling(blocks, tile) &&
            problem->row[problem->innermost].fixed[loop] != tile)
        return 0;
    if (tile > blocks || (problem->innermost == 0 && number > 1))
        return 0; /* nothing further out takes more tiles */
    if (unrolled->form == MAPPER_WHOLE && number * tile * unrolled->lanes != n)
        return 0;
    if ((unrolled->form != MAPPER_ANY || !problem->chains) && number % unrolled->pes != 0)
        return 0;
    if (!problem->chains && problem->is_direct && unrolled->pes == 1 && tile > 1 && number > 1 &&
            (blocks - 1) % tile == 0)
        return 0; /* the last tile is a single block */
    return sator_mapper_blocks(number, unrolled->pes);
}

bool sator_mapper_is_row_chain(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int row)
{
    bool all = true;

    for (int i = 0; i < problem->n_loops && all; i++) {
        int64_t number = problem->extent[i];
        for (int r = problem->n_rows - 1; r > row; r--)
            number = sator_mapper_blocks(number, mapping->factor[r][i]);
        all = sator_mapper_is_ceiling(number, mapping->factor[row][i]);
    }
    return all;
}

/* The parallel factors of the loop on array dimension "*row" and on those next outside of it, the
 * outermost of which "*row" is then. */
static int64_t array_factor(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, int *row)
{
    int64_t factor = mapping->factor[*row][loop];

    while (problem->row[*row - 1].is_space) /* a memory is outermost */
        factor *= mapping->factor[--*row][loop];
    assert(factor >= 1);
    return factor;
}

bool sator_mapper_spreads_short(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop)
{
    int64_t tiles = problem->extent[loop];
    bool all = true;

    for (int r = problem->n_rows - 1; r >= 0 && all; r--) {
        int inner = r;
        if (!problem->row[r].is_space)
            continue;
        int64_t factor = array_factor(problem, mapping, loop, &r);
        all = sator_mapper_spreads(problem, inner, tiles, factor);
        tiles = sator_mapper_blocks(tiles, factor);
    }
    return all;
}

static bool is_chain(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        int loop, unsigned passed)
{
    struct mapper_unrolled unrolled;
    int64_t tile = mapping->factor[problem->innermost][loop];

    find_unrolled(problem, mapping, loop, passed, &unrolled);
    if (sator_mapper_left(problem, loop, &unrolled, tile) == 0)
        return false;
    int64_t number =
            sator_mapper_blocks(sator_mapper_blocks(problem->extent[loop], unrolled.lanes), tile);
    for (int r = problem->innermost - 1; r >= 0; r--) {
        const struct mapper_row *row = &problem->row[r];
        int inner = r;
        int64_t factor =
                row->is_space ? array_factor(problem, mapping, loop, &r) : mapping->factor[r][loop];
        bool may = row->is_space
                ? sator_mapper_spreads(problem, inner, number, factor)
                : sator_mapper_is_ceiling(number, factor) || row->fixed[loop] == factor;
        if (unrolled.form == MAPPER_SHORT && !row->is_space)
            may = factor == (row->memory == unrolled.memory ? number : 1);
        bool divides = unrolled.form == MAPPER_FILLED || unrolled.form == MAPPER_WHOLE;
        if (problem->chains && !divides ? !may : number % factor != 0)
            return false;
        number = sator_mapper_blocks(number, factor);
    }
    return number == 1;
}

bool sator_mapper_is_chain(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, int loop)
{
    return is_chain(problem, mapping, loop, passed_on(problem, mapping));
}

bool sator_mapper_is_in_space(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    unsigned passed = passed_on(problem, mapping);
    bool all = true;

    for (int i = 0; i < problem->n_loops && all; i++)
        all = is_chain(problem, mapping, i, passed);
    for (int r = 0; r < problem->n_rows && all && problem->chains; r++)
        all = !problem->row[r].is_space || sator_mapper_is_row_chain(problem, mapping, r);
    if (problem->skew != NULL)
        all = all && sator_mapper_runs_apart(problem, mapping);
    return all;
}

bool sator_mapper_is_filled(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int i = 0; i < problem->n_loops; i++) {
        int64_t inside = 1, outside = 1;
        for (int r = 0; r < problem->n_rows; r++)
            *(r < problem->innermost ? &outside : &inside) *= mapping->factor[r][i];
        if (outside != sator_mapper_blocks(problem->extent[i], inside))
            return false;
    }
    return true;
}

int sator_mapper_tiles(struct sator_arena *arena, int64_t n, const int64_t **tiles)
{
    int64_t *list = NULL;
    int count = 0;

    for (int64_t tile = 1; tile != 0; tile = sator_mapper_next_ceiling(n, tile)) {
        assert(sator_mapper_is_ceiling(n, tile) && (count == 0 || list[count - 1] < tile));
        SATOR_PUSH(arena, list, count, tile);
    }
    *tiles = list;
    return count;
}

int sator_mapper_tiles_of(const struct mapper_problem *problem, struct sator_arena *arena, int loop,
        const int64_t **tiles)
{
    const int64_t *fixed = &problem->row[problem->innermost].fixed[loop];

    if (*fixed == 0)
        return sator_mapper_tiles(arena, problem->extent[loop], tiles);
    *tiles = fixed;
    return 1;
}

/* ---- what is cut short ---- */

bool sator_mapper_is_ragged(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping, unsigned loops)
{
    for (int i = 0; i < problem->n_loops && problem->imperfect; i++) {
        if ((loops >> i & 1) && mapper_covered(problem, mapping, i) != problem->extent[i])
            return true;
    }
    return false;
}

bool sator_mapper_is_cut(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int transfer)
{
    const struct mapper_transfer *t = &problem->transfer[transfer];
    unsigned relevant = problem->access[t->access].relevant;

    for (int i = 0; i < problem->n_loops && problem->imperfect; i++) {
        int64_t tile = shape->inside[t->child_row][i], outside = 1;
        for (int r = 0; r < t->child_row; r++)
            outside *= mapping->factor[r][i];
        if (outside != sator_mapper_blocks(problem->extent[i], tile) ||
                ((relevant >> i & 1) && outside * tile != problem->extent[i]))
            return true;
    }
    return false;
}
