/* The loops outside a tile, as far as their factors are known. */
#include "mapper/bounds/bounds_parts.h"

/* How much shorter each loop's last tile is. */
static void find_cuts(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    int row = child == p->n_memories ? p->n_rows : p->memory[child].row;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t pes = mapper_positions_on(shape, mapper_rows_before(row), i);
        outside->both[i] = outside->near[i] * outside->far[i];
        outside->cut[i] = shape->inside[row][i] * outside->both[i] * pes - p->extent[i];
    }
}

/* The steps of each loop outside the compute units: its factors at the nearest memory, the
 * innermost one, need not divide its blocks, and further out it has as many steps as tiles, on
 * average over the PEs that it runs on. What is not known of them, "far", is not used. */
static void find_blocks(
        const struct mapper_bounds *b, const struct mapper_shape *shape, struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    struct mapper_blocks *blocks = &outside->blocks;
    unsigned outer = mapper_rows_before(p->innermost);

    for (int i = 0; i < p->n_loops; i++) {
        int64_t lanes = mapper_positions_on(shape, ~outer, i);
        int64_t pes = mapper_positions_on(shape, outer, i), tile = outside->near[i];
        int64_t number = sator_mapper_blocks(p->extent[i], lanes);
        int64_t tiles = sator_mapper_blocks(number, tile);
        blocks->number[i] = number;
        blocks->tiles[i] = tile > 1 ? tiles / pes : 0;
        blocks->near[i] = tile > 1 ? (double)number / (double)tiles : 1;
        blocks->far[i] = (double)(tile > 1 ? tiles : number) / (double)pes;
        /* a tile that is not known: (blocks + tiles) / tiles at most */
        outside->most_stamps *= tile > 1 ? (double)tile * (double)blocks->tiles[i]
                                         : 2 * (double)number / (double)pes;
    }
}

/* See struct outside: of "n" iterations in "steps" steps of "step", the last shorter. Unless the
 * nearest factor is known, any number of them that leaves one over may be a factor. */
static double lone_share(int64_t n, int64_t step, int64_t steps, int64_t near)
{
    bool is_lone = near == 1 ? steps > 2 : steps > near && steps % near == 1;

    return is_lone ? (double)(n - (steps - 1) * step) / (double)n : 0;
}

/* The tiles of each loop; of relevant ones no iteration is in two, so that words of loops that
 * stand alone in an index are as many as iterations, whatever the tiles. */
static void find_tiles(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    int row = child == p->n_memories ? p->n_rows : p->memory[child].row;
    unsigned outer = mapper_rows_before(row), beyond = mapper_rows_before(outside->nearest + 1);

    for (int i = 0; i < p->n_loops; i++) {
        int64_t pes = mapper_positions_on(shape, outer, i);
        int64_t within = mapper_positions_on(shape, outer & ~beyond, i); /* the nearest memory */
        int64_t tiles = sator_mapper_blocks(p->extent[i], shape->inside[row][i]);
        /* a constraint may set factors where a single tile is left: these move nothing */
        bool is_near = outside->near[i] > 1 && tiles > within;
        bool is_far = tiles > pes * outside->near[i];
        outside->tiles[i] = tiles;
        outside->pes[i] = pes;
        outside->lone[i] = lone_share(p->extent[i], shape->inside[row][i] * pes,
                sator_mapper_blocks(tiles, pes), outside->near[i]);
        outside->inverse[i] = is_near ? 0 : 1; /* whether there is such a loop */
        outside->inverse[p->n_loops + i] = is_far ? 0 : 1;
        outside->stamps *= (double)sator_mapper_blocks(tiles, pes);
        outside->most_stamps *= (double)tiles; /* of all PEs together */
    }
}

void bounds_open_outside(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct outside *outside)
{
    const struct mapper_problem *p = b->problem;

    outside->nearest = child > 0 ? p->memory[child - 1].row : -1;
    outside->near = near;
    outside->far = far;
    outside->stamps = outside->most_stamps = 1;
    outside->is_direct = p->imperfect && child == p->n_memories && !p->chains;
    if (p->chains) {
        find_tiles(b, child, shape, outside);
        return;
    }
    if (outside->is_direct)
        find_blocks(b, shape, outside);
    for (int i = 0; i < p->n_loops; i++) {
        double steps = outside->is_direct ? outside->blocks.near[i] : (double)near[i];
        double beyond = outside->is_direct ? outside->blocks.far[i] : (double)far[i];
        outside->stamps *= steps * beyond;
        outside->inverse[i] = steps == 1 ? 1 : 1 / steps;
        outside->inverse[p->n_loops + i] = beyond == 1 ? 1 : 1 / beyond;
    }
    if (!outside->is_direct)
        outside->most_stamps = outside->stamps;
    if (p->imperfect && !outside->is_direct)
        find_cuts(b, child, shape, outside);
}
