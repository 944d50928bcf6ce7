/* Random mappings: every prime factor of every extent goes to a random row. */
#include "mapper/problem/invariants.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_TRIES = 1000,
    FILL_TRIES = 20
};

/* A random row that may take "prime" more of "loop"; the outermost one when none is found. */
static int draw_row(const struct mapper_problem *problem, uint64_t *state, const int64_t *used,
        int loop, int64_t prime)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int r = (int)(sator_mapper_random(state) % (uint64_t)problem->n_rows);
        const struct mapper_row *row = &problem->row[r];
        if (row->is_space ? used[r] * prime <= row->shape && !(row->banned >> loop & 1)
                          : row->fixed[loop] == 0)
            return r;
    }
    return 0;
}

/* Give "loop" at row "row" the least factor that divides "*rest" and is at least so much. */
static void give(struct mapper_mapping *mapping, int row, int loop, int64_t least, int64_t room,
        int64_t *rest)
{
    int64_t factor = least;

    assert(least >= 1 && *rest >= 1);
    while (factor < *rest && *rest % factor != 0)
        factor++;
    if (factor > *rest || *rest % factor != 0 || factor > room)
        return;
    mapping->factor[row][loop] *= factor;
    *rest /= factor;
}

/* What constraints ask for at least, where it goes. */
static void give_least(const struct mapper_problem *problem, struct mapper_mapping *mapping,
        int64_t *used, int loop, int64_t *rest)
{
    for (int k = 0; k < problem->n_spread_limits; k++) {
        const struct mapper_spread_limits *spread = &problem->spread_limits[k];
        if (spread->loop != loop || spread->limits.least <= 1)
            continue;
        for (unsigned rows = spread->rows; rows != 0; rows &= rows - 1) {
            int row = __builtin_ctz(rows);
            int64_t before = *rest;
            give(mapping, row, loop, spread->limits.least, problem->row[row].shape / used[row],
                    rest);
            used[row] *= before / *rest;
            if (*rest != before)
                break;
        }
    }
    for (int r = 0; r < problem->n_rows; r++) {
        const struct mapper_row *row = &problem->row[r];
        if (row->fixed[loop] == 0 && row->limits[loop].least > 1)
            give(mapping, r, loop, row->limits[loop].least, *rest, rest);
    }
}

/* Give the factors of "loop" to random rows, prime by prime; first those that constraints set. */
static void draw_factors(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop)
{
    int64_t rest = problem->extent[loop];

    for (int r = 0; r < problem->n_rows; r++) {
        int64_t fixed = problem->row[r].fixed[loop];
        if (fixed == 0 || rest % fixed != 0)
            continue;
        mapping->factor[r][loop] = fixed;
        rest /= fixed;
    }
    give_least(problem, mapping, used, loop, &rest);
    while (rest > 1) {
        int64_t prime = sator_mapper_smallest_prime(rest);
        int r = draw_row(problem, state, used, loop, prime);
        used[r] *= prime;
        mapping->factor[r][loop] *= prime;
        rest /= prime;
    }
    assert(mapper_covered(problem, mapping, loop) == problem->extent[loop]);
}

/* A random ceiling of "tiles", "most" at most: any number of tiles is as likely as any other, or
 * any factor. */
static int64_t draw_ceiling(uint64_t *state, int64_t tiles, int64_t most)
{
    assert(tiles >= 1 && most >= 1);
    int64_t number = 1 + (int64_t)(sator_mapper_random(state) % (uint64_t)tiles);

    if (sator_mapper_random(state) % 2 == 0)
        number = sator_mapper_blocks(tiles, number);
    int64_t factor = sator_mapper_blocks(tiles, number);
    assert(sator_mapper_is_ceiling(tiles, factor));
    return factor <= most ? factor : 1;
}

/* A random chain of ceilings, from the innermost row outward; the outermost memory whose factor is
 * free takes what is left. */
static void draw_chain(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop)
{
    int64_t rest = problem->extent[loop];

    for (int r = problem->n_rows - 1; r >= 0; r--) {
        const struct mapper_row *row = &problem->row[r];
        int64_t factor = row->fixed[loop], room = row->is_space ? row->shape / used[r] : rest;
        if (factor == 0 && (r == 0 || (row->banned >> loop & 1)))
            factor = r == 0 ? rest : 1;
        if (factor == 0)
            factor = row->is_space && sator_mapper_random(state) % 2 == 0
                    ? 1
                    : draw_ceiling(state, rest, room);
        mapping->factor[r][loop] = factor;
        used[r] *= factor;
        assert(!row->is_space || used[r] <= row->shape);
        rest = sator_mapper_blocks(rest, factor);
    }
}

/* A random tile and random factors of memories for the PEs that "loop" has, if some leave each of
 * them a tile at all times; else one tile of all. */
static void fill(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop,
        const struct mapper_unrolled *unrolled)
{
    int64_t blocks = sator_mapper_blocks(problem->extent[loop], unrolled->lanes), left = 0;
    int64_t *tile = &mapping->factor[problem->innermost][loop];

    for (int r = 0; r < problem->innermost; r++)
        mapping->factor[r][loop] = problem->row[r].is_space ? mapping->factor[r][loop] : 1;
    if (unrolled->form == MAPPER_SHORT) {
        *tile = 1;
        mapping->factor[problem->memory[unrolled->memory].row][loop] =
                sator_mapper_blocks(blocks, unrolled->pes);
        return;
    }
    for (int tries = 0; tries < FILL_TRIES && left == 0; tries++) {
        *tile = draw_ceiling(state, blocks, blocks);
        left = sator_mapper_left(problem, loop, unrolled, *tile);
    }
    for (int r = 0; r < problem->n_rows && left == 0; r++) {
        used[r] /= mapping->factor[r][loop];
        mapping->factor[r][loop] = r == problem->innermost ? problem->extent[loop] : 1;
    }
    while (left > 1) {
        int64_t prime = sator_mapper_smallest_prime(left);
        int r = (int)(sator_mapper_random(state) % (uint64_t)problem->innermost);
        mapping->factor[problem->row[r].is_space ? 0 : r][loop] *= prime;
        left /= prime;
    }
}

/* Mend the loops whose words pass from PE to PE; fewer may do so then. And all loops where only the
 * last tiles are short. */
static void mend(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used)
{
    for (int i = 0; i < problem->n_loops; i++) {
        struct mapper_unrolled unrolled;
        sator_mapper_unrolled(problem, mapping, i, &unrolled);
        bool fills = unrolled.form != MAPPER_ANY || !problem->chains;
        if (fills && !sator_mapper_is_chain(problem, mapping, i))
            fill(problem, state, mapping, used, i, &unrolled);
    }
}

static void shuffle(uint64_t *state, int n, int8_t *order)
{
    int8_t own[MAPPER_LOOPS];

    memcpy(own, order, sizeof own);
    for (int i = 0; i < n; i++) {
        int j = (int)(sator_mapper_random(state) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = own[i];
    }
    assert(mapper_is_permutation(order, n));
}

void sator_mapper_draw(
        const struct mapper_problem *problem, uint64_t *state, struct mapper_mapping *mapping)
{
    int64_t used[MAPPER_ROWS];

    sator_mapper_mapping_init(problem, mapping);
    for (int r = 0; r < problem->n_rows; r++)
        used[r] = 1;
    int first = (int)(sator_mapper_random(state) % (uint64_t)(problem->n_loops + 1));
    /* factors that divide are chains, too, and those of small tiles */
    bool chains = problem->imperfect && sator_mapper_random(state) % 2 == 0;
    for (int k = 0; k < problem->n_loops; k++) {
        int i = (first + k) % problem->n_loops;
        if (chains)
            draw_chain(problem, state, mapping, used, i);
        else
            draw_factors(problem, state, mapping, used, i);
    }
    if (problem->imperfect && !problem->has_fixed)
        mend(problem, state, mapping, used);
    for (int m = 0; m < problem->n_memories; m++)
        shuffle(state, problem->n_loops, mapping->order[m]);
    for (int r = 0; r < problem->n_rows; r++) {
        if ((problem->any_order >> r & 1) && sator_mapper_random(state) % 2 == 0)
            shuffle(state, problem->n_loops, mapping->along[r]);
    }
    sator_mapper_arrange(problem, mapping);
    assert(mapper_is_ordered(problem, mapping) && mapper_fits_arrays(problem, mapping));
}
