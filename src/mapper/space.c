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

/* The ways to write "rest" as a product of factors in rows "row" to "n_rows" - 1. */
static double splits(const struct mapper_problem *p, int row, int64_t rest, int n_rows)
{
    double ways = 0;

    if (row == n_rows)
        return rest == 1;
    if (row == n_rows - 1)
        return !p->row[row].is_space || rest <= p->row[row].shape;
    for (int64_t d = 1; d <= rest / d; d++) {
        if (rest % d != 0)
            continue;
        if (!p->row[row].is_space || d <= p->row[row].shape)
            ways += splits(p, row + 1, rest / d, n_rows);
        if (rest / d != d && (!p->row[row].is_space || rest / d <= p->row[row].shape))
            ways += splits(p, row + 1, d, n_rows);
    }
    return ways;
}

/* The same with any tile of the innermost row that is the least for its number. */
static double imperfect_splits(const struct mapper_problem *p, int64_t extent)
{
    double ways = 0;

    for (int64_t tile = 1;;) {
        int64_t number = (extent + tile - 1) / tile;
        ways += splits(p, 0, number, p->n_rows - 1);
        if (number == 1)
            return ways;
        tile = (extent + number - 2) / (number - 1);
    }
}

double sator_mapper_space_size(const struct mapper_problem *problem)
{
    double size = problem->imperfect ? -1 : sator_mapper_count_space(problem);

    if (size >= 0)
        return size;
    size = 1; /* each loop by itself, without arrays and constraints: at most so many */
    for (int i = 0; i < problem->n_loops; i++)
        size *= problem->imperfect ? imperfect_splits(problem, problem->extent[i])
                                   : splits(problem, 0, problem->extent[i], problem->n_rows);
    for (int m = 0; m < problem->n_memories; m++) {
        if (sator_mapper_order_matters(problem, m))
            size *= factorial(problem->n_loops);
    }
    return size;
}
