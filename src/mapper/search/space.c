/* The size of the map space. */
#include "mapper/search/search.h"

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

/* The ways to write "rest" as a product of factors in the rows from "row" on. */
static double splits(const struct mapper_problem *p, int row, int64_t rest)
{
    double ways = 0;

    if (row == p->n_rows - 1)
        return !p->row[row].is_space || rest <= p->row[row].shape;
    for (int64_t d = 1; d <= rest / d; d++) {
        if (rest % d != 0)
            continue;
        if (!p->row[row].is_space || d <= p->row[row].shape)
            ways += splits(p, row + 1, rest / d);
        if (rest / d != d && (!p->row[row].is_space || rest / d <= p->row[row].shape))
            ways += splits(p, row + 1, d);
    }
    return ways;
}

enum {
    MOST_COUNTED = 256 /* iterations of a loop whose chains are counted, not estimated */
};

/* The chains of ceilings of "rest" tiles over the rows from "row" outward. */
static double chains(const struct mapper_problem *p, int row, int64_t rest)
{
    double ways = 0;

    if (row <= 0)
        return 1;
    if (rest > MOST_COUNTED)
        return pow(2 * sqrt((double)rest), row);
    for (int64_t factor = 1; factor != 0; factor = sator_mapper_next_ceiling(rest, factor)) {
        if (!p->row[row].is_space || factor <= p->row[row].shape)
            ways += chains(p, row - 1, sator_mapper_blocks(rest, factor));
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
        size *= problem->imperfect ? chains(problem, problem->n_rows - 1, problem->extent[i])
                                   : splits(problem, 0, problem->extent[i]);
    for (int m = 0; m < problem->n_memories; m++) {
        if (sator_mapper_order_matters(problem, m))
            size *= factorial(problem->n_loops);
    }
    return size;
}
