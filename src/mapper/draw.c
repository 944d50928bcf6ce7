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

/* Give the factors of "loop" to random rows, prime by prime; first those that constraints set. */
static void draw_factors(const struct mapper_problem *problem, uint64_t *state,
        struct mapper_mapping *mapping, int64_t *used, int loop)
{
    int64_t rest = problem->extent[loop];
    int innermost = problem->n_rows - 1;

    if (problem->imperfect) {
        /* any number of tiles, then the least tile for it, then the number that it needs */
        int64_t number = 1 + (int64_t)(sator_mapper_random(state) % (uint64_t)rest);
        if (sator_mapper_random(state) % 2 == 0)
            number = (rest + number - 1) / number; /* large tiles too */
        int64_t tile = problem->row[innermost].fixed[loop];
        if (tile == 0)
            tile = (rest + number - 1) / number;
        mapping->factor[innermost][loop] = tile;
        rest = (rest + tile - 1) / tile;
    }
    for (int r = 0; r < (problem->imperfect ? innermost : problem->n_rows); r++) {
        int64_t fixed = problem->row[r].fixed[loop];
        if (fixed == 0 || rest % fixed != 0)
            continue;
        mapping->factor[r][loop] = fixed;
        rest /= fixed;
    }
    while (rest > 1) {
        int64_t prime = smallest_prime(rest);
        int r = draw_row(problem, state, used, loop, prime);
        if (problem->imperfect && r == innermost)
            r = 0; /* its factor is drawn */
        used[r] *= prime;
        mapping->factor[r][loop] *= prime;
        rest /= prime;
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
    for (int m = 0; m < problem->n_memories; m++) {
        for (int i = 0; i < problem->n_loops; i++) {
            int j = (int)(sator_mapper_random(state) % (uint64_t)(i + 1));
            mapping->order[m][i] = mapping->order[m][j];
            mapping->order[m][j] = (int8_t)i;
        }
    }
    sator_mapper_arrange(problem, mapping);
}
