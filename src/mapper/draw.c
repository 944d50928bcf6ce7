/* Random mappings: every prime factor of every extent goes to a random row. */
#include "mapper/mapper.h"

uint64_t sator_mapper_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int64_t smallest_prime(int64_t n)
{
    for (int64_t p = 2; p <= n / p; p++) {
        if (n % p == 0)
            return p;
    }
    return n;
}

enum {
    MOST_TRIES = 1000
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

/* Give the prime factors of "rest" to random rows. */
static void draw_rows(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop, int64_t rest)
{
    while (rest > 1) {
        int64_t prime = smallest_prime(rest);
        int r = draw_row(problem, state, used, loop, prime);
        if (problem->imperfect && r >= problem->innermost)
            r = 0; /* its factor is drawn */
        used[r] *= prime;
        mapping->factor[r][loop] *= prime;
        rest /= prime;
    }
}

/* Take all factors of the loop back. */
static void take_back(const struct mapper_problem *problem, struct mapper_mapping *mapping,
        int64_t *used, int loop)
{
    for (int r = 0; r < problem->n_rows; r++) {
        used[r] /= mapping->factor[r][loop];
        mapping->factor[r][loop] = 1;
    }
}

/* A random number of lanes inside the innermost memory. */
static void draw_lanes(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop)
{
    int64_t lanes = 1;

    for (int r = problem->innermost + 1; r < problem->n_rows; r++) {
        int64_t most = problem->row[r].shape / used[r];
        most = most < problem->extent[loop] ? most : problem->extent[loop];
        if (problem->row[r].banned >> loop & 1 || sator_mapper_random(state) % 2 == 0)
            continue;
        int64_t factor = 1 + (int64_t)(sator_mapper_random(state) % (uint64_t)most);
        if (!sator_mapper_may_lane(problem, loop, lanes * factor))
            continue;
        mapping->factor[r][loop] = factor;
        used[r] *= factor;
        lanes *= factor;
    }
}

/* Any number of tiles, then the least tile for it, then the number that it needs. */
static int64_t draw_tile(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int loop)
{
    struct mapper_unrolled unrolled;

    sator_mapper_unrolled(problem, mapping, loop, &unrolled);
    int64_t blocks = sator_mapper_blocks(problem->extent[loop], unrolled.lanes);
    int64_t number = 1 + (int64_t)(sator_mapper_random(state) % (uint64_t)blocks);
    if (sator_mapper_random(state) % 2 == 0)
        number = (blocks + number - 1) / number; /* large tiles too */
    if (problem->innermost == 0)
        number = 1; /* nothing further out takes more */
    int64_t tile = problem->row[problem->innermost].fixed[loop];
    if (tile == 0)
        tile = (blocks + number - 1) / number;
    mapping->factor[problem->innermost][loop] = tile;
    return (blocks + tile - 1) / tile;
}

/* Give the factors of "loop" to random rows, prime by prime; first those that constraints set. */
static void draw_factors(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop)
{
    int64_t rest = problem->extent[loop];
    int innermost = problem->innermost;

    if (problem->imperfect) {
        draw_lanes(problem, state, mapping, used, loop);
        rest = draw_tile(problem, state, mapping, loop);
    }
    for (int r = 0; r < (problem->imperfect ? innermost : problem->n_rows); r++) {
        int64_t fixed = problem->row[r].fixed[loop];
        if (fixed == 0 || rest % fixed != 0)
            continue;
        mapping->factor[r][loop] = fixed;
        rest /= fixed;
    }
    draw_rows(problem, state, mapping, used, loop, rest);
}

/* Give factors that divide to the loops whose factors are not in the space of an imperfect problem;
 * fewer may be excluded then. */
static void mend(
        const struct mapper_problem *problem, struct mapper_mapping *mapping, int64_t *used)
{
    for (int i = 0; i < problem->n_loops; i++) {
        struct mapper_unrolled unrolled;
        int64_t *tile = &mapping->factor[problem->innermost][i];
        sator_mapper_unrolled(problem, mapping, i, &unrolled);
        if (sator_mapper_left(problem, i, &unrolled, *tile) != 0)
            continue;
        take_back(problem, mapping, used, i);
        *tile = problem->extent[i];
    }
}

void sator_mapper_draw(
        const struct mapper_problem *problem, uint64_t *state, struct mapper_mapping *mapping)
{
    int64_t used[MAPPER_ROWS];

    for (int r = 0; r < problem->n_rows; r++) {
        used[r] = 1;
        for (int i = 0; i < problem->n_loops; i++)
            mapping->factor[r][i] = 1;
    }
    int first = (int)(sator_mapper_random(state) % (uint64_t)(problem->n_loops + 1));
    for (int k = 0; k < problem->n_loops; k++) {
        int i = (first + k) % problem->n_loops;
        draw_factors(problem, state, mapping, used, i);
    }
    if (problem->imperfect && !problem->has_fixed)
        mend(problem, mapping, used);
    for (int m = 0; m < problem->n_memories; m++) {
        for (int i = 0; i < problem->n_loops; i++) {
            int j = (int)(sator_mapper_random(state) % (uint64_t)(i + 1));
            mapping->order[m][i] = mapping->order[m][j];
            mapping->order[m][j] = (int8_t)i;
        }
    }
    sator_mapper_arrange(problem, mapping);
}
