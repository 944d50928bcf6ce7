/* Innermost tiles of any size, the last of them smaller (doc/mapper.md, "Factors that do not divide
 * an extent").
 *
 * Of the tiles with the same number the least is taken; the number is what the factors outside
 * multiply to. So everything outside the innermost memory divides as in a perfect problem, with the
 * number of tiles in the place of the extent.
 */
#include "mapper/strategies/optimal.h"

#include <string.h>

static int64_t number_of(int64_t extent, int64_t tile)
{
    return (extent + tile - 1) / tile;
}

int64_t optimal_left(const struct optimizer *o, int m, int loop, int64_t factor)
{
    const struct mapper_unrolled *unrolled = &o->unrolled_of[loop];

    if (!o->imperfect || m != o->problem->n_memories - 1)
        return o->rest[loop] / factor;
    return number_of(number_of(o->problem->extent[loop], unrolled->lanes), factor) / unrolled->pes;
}

double optimal_compute(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const int64_t *tile = o->mapping.factor[p->innermost];
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++)
        stamps *= o->unrolled_of[i].pes == 1
                ? (double)number_of(p->extent[i], o->unrolled_of[i].lanes)
                : (double)optimal_left(o, p->n_memories - 1, i, tile[i]) * (double)tile[i];
    return stamps * p->cycles_per_instance;
}

double optimal_least_compute(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++) {
        const struct mapper_unrolled *unrolled = &o->unrolled_of[i];
        stamps *= (double)number_of(number_of(p->extent[i], unrolled->lanes), unrolled->pes);
    }
    return stamps * p->cycles_per_instance;
}

bool optimal_is_whole(const struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    int64_t lanes = o->unrolled_of[loop].lanes;

    return !o->imperfect || p->extent[loop] % (lanes * o->mapping.factor[p->innermost][loop]) == 0;
}

/* ---- numbers of PEs and of lanes ---- */

/* The numbers of PEs up to "most" that divide some number of tiles of "blocks" blocks. */
static const char *mark_spreads(struct optimizer *o, int64_t blocks, int64_t most)
{
    char *marks = SATOR_NEW_ARRAY(o->arena, char, most + 1);

    memset(marks, 0, (size_t)most + 1);
    for (int64_t tile = 1;;) {
        int64_t number = number_of(blocks, tile);
        for (int64_t d = 1; d <= number / d; d++) {
            if (number % d != 0)
                continue;
            if (d <= most)
                marks[d] = 1;
            if (number / d <= most)
                marks[number / d] = 1;
        }
        if (number == 1)
            return marks;
        tile = number_of(blocks, number - 1); /* the least for its number */
    }
}

/* Whether some number of tiles of "loop" is a multiple of "pes". A constraint that sets the tile is
 * looked at later. */
static bool can_spread(struct optimizer *o, int loop, int64_t lanes, int64_t pes)
{
    const struct mapper_problem *p = o->problem;

    if (pes > o->most_spread[loop] || lanes > o->most_lanes[loop])
        return false;
    if (p->row[p->innermost].fixed[loop] != 0 || pes == 1)
        return pes == 1 || o->spreads[loop][pes];
    const char **marks = &o->lane_spreads[loop][lanes];
    if (*marks == NULL)
        *marks = mark_spreads(o, number_of(p->extent[loop], lanes), o->most_spread[loop]);
    return (*marks)[pes];
}

/* Whether "loop" has a tile for the current unrolling. */
static bool has_tile(struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_unrolled *unrolled = &o->unrolled_of[loop];
    int64_t lanes = unrolled->lanes;

    return sator_mapper_may_lane(p, loop, lanes) &&
            !(unrolled->wired && p->extent[loop] % (lanes * unrolled->pes) != 0) &&
            can_spread(o, loop, lanes, unrolled->pes);
}

bool optimal_can_unroll(struct optimizer *o, int row, int loop, int64_t factor)
{
    struct mapper_unrolled unrolled;

    if (row > o->problem->innermost)
        return true; /* all lanes are looked at together */
    sator_mapper_unrolled(o->problem, &o->mapping, loop, &unrolled); /* the lanes are placed */
    return can_spread(o, loop, unrolled.lanes, o->parallel[loop] / unrolled.lanes * factor);
}

double optimal_idle_share(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double share = 1;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t lanes = o->unrolled_of[i].lanes;
        share *= (double)(number_of(p->extent[i], lanes) * lanes) / (double)p->extent[i];
    }
    return share;
}

bool optimal_take_unrolling(struct optimizer *o)
{
    bool all = true;

    for (int i = 0; i < o->problem->n_loops && all; i++) {
        sator_mapper_unrolled(o->problem, &o->mapping, i, &o->unrolled_of[i]);
        all = has_tile(o, i);
    }
    return all;
}

/* The factors that an array inside the innermost memory may have: they divide some number of lanes.
 */
static void find_lanes(struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    int64_t *factors = NULL, most = p->extent[loop];
    double lanes = 1;
    int count = 0;

    for (int r = p->innermost + 1; r < p->n_rows; r++)
        lanes *= (double)p->row[r].shape;
    most = lanes < (double)most ? (int64_t)lanes : most;
    o->most_lanes[loop] = most;
    o->lane_spreads[loop] = SATOR_NEW_ARRAY(o->arena, const char *, most + 1);
    memset(o->lane_spreads[loop], 0, sizeof *o->lane_spreads[loop] * (size_t)(most + 1));
    for (int64_t n = 1; n <= most; n++) {
        bool divides = false;
        for (int64_t k = n; k <= most && !divides; k += n)
            divides = sator_mapper_may_lane(p, loop, k);
        if (divides)
            SATOR_PUSH(o->arena, factors, count, n);
    }
    o->n_lanes[loop] = count;
    o->lanes[loop] = factors;
}

/* ---- tiles ---- */

/* The numbers of PEs that some number of tiles of "loop" can be spread over. Whatever the lanes, n
 * iterations in tiles of t blocks of l are as many tiles as in tiles of t x l. */
static const char *find_spreads(struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    int64_t n = p->extent[loop], fixed = p->row[p->innermost].fixed[loop];
    int64_t most = o->most_spread[loop];

    if (fixed == 0)
        return mark_spreads(o, n, most);
    char *marks = SATOR_NEW_ARRAY(o->arena, char, most + 1);
    for (int64_t d = 1; d <= most; d++) /* with lanes, any number may be a number of tiles */
        marks[d] = p->is_direct || number_of(n, fixed) % d == 0 ? 1 : 0;
    return marks;
}

/* Drop the tiles of "loop" that do not fit even when every other loop has tiles of one. */
static void keep_fitting(struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    int m = p->n_memories - 1, kept = 1;
    int64_t tile[MAPPER_LOOPS], size[MAPPER_ACCESSES] = {0};

    if (p->has_counted) /* where a larger tile need not need more */
        return;
    memcpy(tile, optimal_ones, sizeof tile);
    for (; kept < o->n_tiles[loop]; kept++) {
        tile[loop] = o->every_tile[loop][kept];
        for (int a = 0; a < p->n_accesses; a++) {
            if (p->memory[m].holds >> a & 1)
                size[a] = sator_mapper_tile_words(o->search->words, a, tile);
        }
        if (!sator_mapper_fits(p, m, size, NULL))
            break;
    }
    o->n_tiles[loop] = kept;
}

void optimal_find_tiles(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    int64_t pes = 1;

    for (int r = 0; r < p->innermost; r++)
        pes *= p->row[r].is_space ? p->row[r].shape : 1;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t *numbers = NULL;
        int count = 0;
        o->n_tiles[i] = sator_mapper_tiles_of(p, o->arena, i, 1, &o->every_tile[i]);
        o->n_most_inner[i] = o->n_tiles[i] + 1;
        o->inner[i] = SATOR_NEW_ARRAY(o->arena, int64_t, o->n_most_inner[i]);
        keep_fitting(o, i);
        o->most_spread[i] = p->extent[i] < pes ? p->extent[i] : pes;
        o->spreads[i] = find_spreads(o, i);
        for (int64_t n = 1; n <= o->most_spread[i]; n++) {
            if (o->spreads[i][n])
                SATOR_PUSH(o->arena, numbers, count, n);
        }
        o->n_divisors[i] = count;
        o->divisors[i] = numbers;
        find_lanes(o, i);
    }
}

int optimal_divisors(struct optimizer *o, int64_t n, const int64_t **divisors)
{
    struct divisor_list *list = &o->divisor_lists[(uint64_t)n % N_DIVISOR_LISTS];

    while (list->n != n && list->next != NULL)
        list = list->next;
    if (list->n != n) {
        if (list->n != 0) {
            list->next = SATOR_NEW(o->arena, struct divisor_list);
            list = list->next;
        }
        list->n = n;
        list->next = NULL;
        list->count = sator_mapper_divisors(o->arena, n, &list->divisors);
    }
    *divisors = list->divisors;
    return list->count;
}

void optimal_take_tiles(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int i = 0; i < p->n_loops; i++) {
        const struct mapper_unrolled *unrolled = &o->unrolled_of[i];
        int64_t blocks = number_of(p->extent[i], unrolled->lanes);
        o->n_inner[i] = 0;
        for (int k = 0; k < o->n_tiles[i] && unrolled->lanes == 1; k++) {
            if (sator_mapper_left(p, i, unrolled, o->every_tile[i][k]) != 0)
                o->inner[i][o->n_inner[i]++] = o->every_tile[i][k];
        }
        int64_t fixed = p->row[p->innermost].fixed[i];
        for (int64_t tile = fixed == 0 ? 1 : fixed; unrolled->lanes > 1;) {
            int64_t number = number_of(blocks, tile);
            if (sator_mapper_left(p, i, unrolled, tile) != 0)
                o->inner[i][o->n_inner[i]++] = tile;
            if (number == 1 || fixed != 0)
                break;
            tile = number_of(blocks, number - 1);
        }
    }
}
