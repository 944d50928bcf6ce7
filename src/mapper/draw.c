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
        for (int64_t rest = problem->extent[i]; rest > 1;) {
            int64_t prime = smallest_prime(rest);
            int r = (int)(sator_mapper_random(state) % (uint64_t)problem->n_rows);
            if (problem->row[r].is_space && used[r] * prime > problem->row[r].shape)
                continue; /* the outermost row takes anything */
            used[r] *= prime;
            mapping->factor[r][i] *= prime;
            rest /= prime;
        }
    }
    for (int m = 0; m < problem->n_memories; m++) {
        for (int i = 0; i < problem->n_loops; i++) {
            int j = (int)(sator_mapper_random(state) % (uint64_t)(i + 1));
            mapping->order[m][i] = mapping->order[m][j];
            mapping->order[m][j] = (int8_t)i;
        }
    }
}
