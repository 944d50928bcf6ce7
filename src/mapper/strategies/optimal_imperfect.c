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
    if (!o->imperfect || m != o->problem->n_memories - 1)
        return o->rest[loop] / factor;
    return number_of(number_of(o->problem->extent[loop], factor), o->parallel[loop]);
}

double optimal_compute(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const int64_t *tile = o->mapping.factor[p->n_rows - 1];
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++)
        stamps *= o->parallel[i] == 1
                ? (double)p->extent[i]
                : (double)optimal_left(o, p->n_memories - 1, i, tile[i]) * (double)tile[i];
    return stamps * p->cycles_per_instance;
}

double optimal_least_compute(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    double stamps = 1;

    for (int i = 0; i < p->n_loops; i++)
        stamps *= (double)number_of(p->extent[i], o->parallel[i]);
    return stamps * p->cycles_per_instance;
}

bool optimal_is_whole(const struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;

    return !o->imperfect || p->extent[loop] % o->mapping.factor[p->n_rows - 1][loop] == 0;
}

/* Mark the numbers of PEs up to "most" that divide some number of tiles. */
static void mark_spreads(struct optimizer *o, int loop, int64_t most)
{
    char *marks = SATOR_NEW_ARRAY(o->arena, char, most + 1);

    memset(marks, 0, (size_t)most + 1);
    for (int k = 0; k < o->n_tiles[loop]; k++) {
        int64_t number = number_of(o->problem->extent[loop], o->every_tile[loop][k]);
        for (int64_t d = 1; d <= number / d; d++) {
            if (number % d != 0)
                continue;
            if (d <= most)
                marks[d] = 1;
            if (number / d <= most)
                marks[number / d] = 1;
        }
    }
    o->spreads[loop] = marks;
    o->most_spread[loop] = most;
}

/* Drop the tiles of "loop" that do not fit even when every other loop has tiles of one. */
static void keep_fitting(struct optimizer *o, int loop)
{
    const struct mapper_problem *p = o->problem;
    int m = p->n_memories - 1, kept = 1;
    int64_t tile[MAPPER_LOOPS], size[MAPPER_ACCESSES] = {0};

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

    for (int r = 0; r < p->n_rows; r++)
        pes *= p->row[r].is_space ? p->row[r].shape : 1;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t *numbers = NULL;
        int count = 0;
        o->n_tiles[i] = sator_mapper_tiles_of(p, o->arena, i, &o->every_tile[i]);
        keep_fitting(o, i);
        o->inner[i] = SATOR_NEW_ARRAY(o->arena, int64_t, o->n_tiles[i]);
        mark_spreads(o, i, p->extent[i] < pes ? p->extent[i] : pes);
        for (int64_t n = 1; n <= o->most_spread[i]; n++) {
            if (o->spreads[i][n])
                SATOR_PUSH(o->arena, numbers, count, n);
        }
        o->n_divisors[i] = count;
        o->divisors[i] = numbers;
    }
}

bool optimal_can_spread(const struct optimizer *o, int loop, int64_t pes)
{
    return pes <= o->most_spread[loop] && o->spreads[loop][pes];
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
        o->n_inner[i] = 0;
        for (int k = 0; k < o->n_tiles[i]; k++) {
            int64_t tile = o->every_tile[i][k];
            if (number_of(p->extent[i], tile) % o->parallel[i] == 0)
                o->inner[i][o->n_inner[i]++] = tile;
        }
    }
}
