/* Which factors the mappings of an imperfect problem have (doc/mapper.md, "Factors that do not
 * divide an extent").
 *
 * From inside outward a loop has lanes (the arrays inside the innermost memory), a tile of blocks
 * of so many iterations (that memory's factor), and a number of tiles, which is what its factors
 * further out multiply to.
 */
#include "mapper/mapper.h"

void sator_mapper_unrolled(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, int loop, struct mapper_unrolled *unrolled)
{
    *unrolled = (struct mapper_unrolled){
            .lanes = 1, .pes = 1, .wired = sator_mapper_passes_directly(problem, mapping)};
    for (int r = 0; r < problem->n_rows; r++) {
        int64_t factor = mapping->factor[r][loop];
        if (!problem->row[r].is_space || factor == 1)
            continue;
        *(r > problem->innermost ? &unrolled->lanes : &unrolled->pes) *= factor;
        unrolled->wired |= problem->direct_wired >> r & 1;
    }
}

bool sator_mapper_may_lane(const struct mapper_problem *problem, int loop, int64_t lanes)
{
    int64_t n = problem->extent[loop], blocks = sator_mapper_blocks(n, lanes);

    if (problem->direct_sliding >> loop & 1)
        return n % lanes == 0;
    return (n + blocks - 1) / blocks == lanes; /* no fewer do for as many blocks */
}

int64_t sator_mapper_left(const struct mapper_problem *problem, int loop,
        const struct mapper_unrolled *unrolled, int64_t tile)
{
    int64_t n = problem->extent[loop], blocks = sator_mapper_blocks(n, unrolled->lanes);
    int64_t number = (blocks + tile - 1) / tile;

    if (!sator_mapper_may_lane(problem, loop, unrolled->lanes) || number % unrolled->pes != 0)
        return 0;
    if ((blocks + number - 1) / number != tile &&
            problem->row[problem->innermost].fixed[loop] != tile)
        return 0;
    if (tile > blocks || (problem->innermost == 0 && number > 1))
        return 0; /* nothing further out takes more tiles */
    if (unrolled->wired && number * tile * unrolled->lanes != n)
        return 0;
    if (problem->is_direct && unrolled->pes == 1 && tile > 1 && number > 1 &&
            (blocks - 1) % tile == 0)
        return 0; /* the last tile is a single block */
    return number / unrolled->pes;
}

bool sator_mapper_is_in_space(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    for (int i = 0; i < problem->n_loops; i++) {
        struct mapper_unrolled unrolled;
        int64_t outside = 1;
        sator_mapper_unrolled(problem, mapping, i, &unrolled);
        for (int r = 0; r < problem->innermost; r++)
            outside *= problem->row[r].is_space ? 1 : mapping->factor[r][i];
        if (outside !=
                sator_mapper_left(problem, i, &unrolled, mapping->factor[problem->innermost][i]))
            return false;
    }
    return true;
}

int sator_mapper_tiles(struct sator_arena *arena, int64_t n, const int64_t **tiles)
{
    int64_t *list = NULL;
    int count = 0;

    for (int64_t tile = 1; tile <= n;) { /* the least tile of each number of tiles */
        SATOR_PUSH(arena, list, count, tile);
        int64_t number = (n + tile - 1) / tile;
        if (number == 1)
            break;
        tile = (n + number - 2) / (number - 1);
    }
    *tiles = list;
    return count;
}

int sator_mapper_tiles_of(const struct mapper_problem *problem, struct sator_arena *arena, int loop,
        int64_t lanes, const int64_t **tiles)
{
    const int64_t *fixed = &problem->row[problem->innermost].fixed[loop];

    if (*fixed == 0)
        return sator_mapper_tiles(arena, sator_mapper_blocks(problem->extent[loop], lanes), tiles);
    *tiles = fixed;
    return 1;
}
