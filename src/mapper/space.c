/* The size of the map space. */
#include "mapper/search.h"

#include <math.h>
#include <string.h>

bool sator_mapper_order_matters(const struct mapper_problem *problem, int m)
{
    for (int i = 0; i < problem->n_transfers; i++) {
        if (problem->transfer[i].child_row > problem->memory[m].row)
            return true;
    }
    return false;
}

static double factorial(int n)
{
    return n <= 1 ? 1 : n * factorial(n - 1);
}

/* The ways to write "rest" as a product of factors in rows "row" to "end" - 1. */
static double splits(const struct mapper_problem *p, int row, int64_t rest, int end)
{
    double ways = 0;

    if (row >= end)
        return rest == 1;
    if (row == end - 1)
        return !p->row[row].is_space || rest <= p->row[row].shape;
    for (int64_t d = 1; d <= rest / d; d++) {
        if (rest % d != 0)
            continue;
        if (!p->row[row].is_space || d <= p->row[row].shape)
            ways += splits(p, row + 1, rest / d, end);
        if (rest / d != d && (!p->row[row].is_space || rest / d <= p->row[row].shape))
            ways += splits(p, row + 1, d, end);
    }
    return ways;
}

/* The same with any tile of the innermost memory that is the least for its number, and any lanes
 * inside of it. */
static double imperfect_splits(const struct mapper_problem *p, int loop)
{
    int64_t most = p->extent[loop];
    double ways = 0, lanes = 1;

    for (int r = p->innermost + 1; r < p->n_rows; r++)
        lanes *= (double)p->row[r].shape;
    most = lanes < (double)most ? (int64_t)lanes : most;
    for (int64_t n = 1; n <= most; n++) {
        double inside =
                sator_mapper_may_lane(p, loop, n) ? splits(p, p->innermost + 1, n, p->n_rows) : 0;
        int64_t blocks = sator_mapper_blocks(p->extent[loop], n);
        for (int64_t tile = 1; inside > 0;) {
            int64_t number = (blocks + tile - 1) / tile;
            ways += inside * splits(p, 0, number, p->innermost);
            if (number == 1)
                break;
            tile = (blocks + number - 2) / (number - 1);
        }
    }
    return ways;
}

double sator_mapper_space_size(const struct mapper_problem *problem)
{
    double size = problem->imperfect ? -1 : sator_mapper_count_space(problem);

    if (size >= 0)
        return size;
    size = 1; /* each loop by itself, without arrays and constraints: at most so many */
    for (int i = 0; i < problem->n_loops; i++)
        size *= problem->imperfect ? imperfect_splits(problem, i)
                                   : splits(problem, 0, problem->extent[i], problem->n_rows);
    for (int m = 0; m < problem->n_memories; m++) {
        if (sator_mapper_order_matters(problem, m))
            size *= factorial(problem->n_loops);
    }
    return size;
}
