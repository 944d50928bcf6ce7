#include "mapper/problem/mapping.h"

#include <assert.h>
#include <string.h>

const int64_t mapper_ones[MAPPER_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
_Static_assert(sizeof mapper_ones / sizeof *mapper_ones == MAPPER_LOOPS, "one of each loop");

void sator_mapper_mapping_init(const struct mapper_problem *problem, struct mapper_mapping *mapping)
{
    memset(mapping, 0, sizeof *mapping); /* so that equal mappings are equal byte by byte */
    for (int r = 0; r < problem->n_rows; r++) {
        const struct mapper_row *row = &problem->row[r];
        for (int i = 0; i < problem->n_loops; i++)
            mapping->factor[r][i] = 1;
        assert(row->is_space || (row->memory >= 0 && row->memory < problem->n_memories));
        for (int i = 0; i < problem->n_loops && !row->is_space; i++)
            mapping->order[row->memory][i] = (int8_t)i;
        if (row->is_space)
            sator_mapper_row_order(problem, r, mapping->along[r]);
    }
}

static const int8_t *order_at(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int row)
{
    return p->row[row].is_space ? mapping->along[row] : mapping->order[p->row[row].memory];
}

bool sator_mapper_runs_alike(const struct mapper_problem *problem, int row,
        const struct mapper_mapping *a, const struct mapper_mapping *b, unsigned until, bool *ends)
{
    const int8_t *first = order_at(problem, a, row), *second = order_at(problem, b, row);
    int i = problem->n_loops - 1, k = i;

    for (*ends = false; !*ends; i--, k--) {
        while (i >= 0 && a->factor[row][first[i]] == 1)
            i--;
        while (k >= 0 && b->factor[row][second[k]] == 1)
            k--;
        if (i < 0 || k < 0)
            return i == k;
        if (first[i] != second[k] || a->factor[row][first[i]] != b->factor[row][first[i]])
            return false;
        *ends = until >> first[i] & 1;
    }
    return true;
}

unsigned sator_mapper_differing_rows(const struct mapper_problem *problem,
        const struct mapper_mapping *a, const struct mapper_mapping *b)
{
    unsigned rows = 0;
    int n = problem->n_loops;
    bool ends;

    for (int r = 0; r < problem->n_rows; r++) {
        int64_t differ = 0;
        for (int i = 0; i < n; i++)
            differ |= a->factor[r][i] ^ b->factor[r][i];
        bool is_same = memcmp(order_at(problem, a, r), order_at(problem, b, r), (size_t)n) == 0;
        if (differ != 0 || (!is_same && !sator_mapper_runs_alike(problem, r, a, b, 0, &ends)))
            rows |= 1U << r;
    }
    return rows;
}

static void list_digits(const struct mapper_problem *problem, const struct mapper_mapping *mapping,
        struct mapper_shape *shape)
{
    shape->n_digits = 0;
    for (int r = 0; r < problem->n_rows; r++) {
        for (int k = 0; k < problem->n_loops && problem->row[r].is_space; k++) {
            int i = mapping->along[r][k];
            int64_t factor = mapping->factor[r][i];
            if (factor > 1)
                shape->digit[shape->n_digits++] = (struct mapper_digit){r, i, factor};
        }
    }
    assert(shape->n_digits <= MAPPER_DIGITS);
}

void sator_mapper_shape_init(const struct mapper_problem *problem,
        const struct mapper_mapping *mapping, struct mapper_shape *shape)
{
    int n = problem->n_loops;

    for (int i = 0; i < n; i++)
        shape->inside[problem->n_rows][i] = 1;
    for (int r = problem->n_rows - 1; r >= 0; r--) {
        const int64_t *factor = mapping->factor[r], *inner = shape->inside[r + 1];
        for (int i = 0; i < n; i++) {
            int64_t product = factor[i] * inner[i];
            assert(factor[i] >= 1);
            shape->inside[r][i] = product < problem->extent[i] ? product : problem->extent[i];
        }
    }
    list_digits(problem, mapping, shape);
    shape->in_any_order = false;
    shape->parts = NULL;
}

int64_t sator_mapper_places(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        int loop, bool in_space)
{
    int64_t places = 0, left = p->extent[loop], inside[MAPPER_ROWS + 1], counted[MAPPER_ROWS + 1];

    inside[p->n_rows] = counted[p->n_rows] = 1;
    for (int r = p->n_rows - 1; r >= 0; r--) {
        int64_t factor = mapping->factor[r][loop];
        inside[r] = inside[r + 1] * factor;
        counted[r] = counted[r + 1] * (p->row[r].is_space == in_space ? factor : 1);
    }
    for (int r = 0; r < p->n_rows && left > 0; r++) {
        int64_t whole = left / inside[r + 1];
        if (p->row[r].is_space != in_space && whole > 0)
            return places + counted[r + 1];
        places += whole * counted[r + 1];
        left %= inside[r + 1];
    }
    assert(places >= 1);
    return places;
}

bool sator_mapper_is_passed(const struct mapper_problem *problem, const struct mapper_transfer *t,
        const struct mapper_shape *shape)
{
    const struct mapper_access *access = &problem->access[t->access];
    unsigned sliding = access->relevant & ~access->plain, rows = 0, all = 0;

    for (int k = 0; k < shape->n_digits && shape->digit[k].row < t->child_row; k++) {
        all |= 1U << shape->digit[k].row;
        rows |= sliding >> shape->digit[k].loop & 1 ? 1U << shape->digit[k].row : 0;
    }
    if ((rows & t->linked_rows) != 0 || (all & t->grouped_rows) != 0)
        return true;
    rows &= t->collapsed;
    for (int k = 0; k < t->n_buses; k++) {
        if ((rows & ~t->bus_rows[k]) == 0)
            return false; /* the others spread words of plain loops, and of those that index none */
    }
    return rows != 0 && t->n_buses > 0;
}

unsigned sator_mapper_passed(
        const struct mapper_problem *problem, const struct mapper_mapping *mapping)
{
    unsigned transfers = 0;
    struct mapper_shape shape;

    for (int i = 0; i < problem->n_transfers; i++)
        transfers |= problem->transfer[i].may_pass ? 1U << i : 0;
    if (transfers != 0)
        list_digits(problem, mapping, &shape);
    for (unsigned left = transfers; left != 0; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (!sator_mapper_is_passed(problem, &problem->transfer[i], &shape))
            transfers &= ~(1U << i);
    }
    return transfers;
}

bool sator_mapper_has_inside(
        const struct mapper_access *access, const struct mapper_shape *shape, int k)
{
    int row = shape->digit[k].row;
    bool any = false;

    for (k++; k < shape->n_digits && shape->digit[k].row == row; k++)
        any |= access->relevant >> shape->digit[k].loop & 1;
    return any;
}
