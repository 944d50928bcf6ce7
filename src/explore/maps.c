/* Points as relations over the loops of a layer. */
#include "explore/space.h"

#include <assert.h>

struct maps {
    const struct space *space;
    const struct space_point *point;
    const struct sator_workload *layer;
    struct sator_arena *arena;
};

/* a + factor * b. The numbers are bounded by the loops' extents and the array's shape. */
static const struct sator_expr *add(const struct maps *m, const struct sator_expr *a,
        int64_t factor, const struct sator_expr *b)
{
    const struct sator_expr *sum = sator_expr_add(m->arena, a, factor, b);

    assert(sum != NULL);
    return sum;
}

/* The loop, counted from 0. */
static const struct sator_expr *loop_value(const struct maps *m, int loop)
{
    return add(m, sator_expr_constant(m->arena, -m->layer->lower[loop]), 1,
            sator_expr_var(m->arena, loop));
}

static const struct sator_expr *digit_value(const struct maps *m, const struct space_digit *digit)
{
    const struct sator_expr *loop = loop_value(m, digit->loop);

    return digit->has_upper ? sator_expr_mod(m->arena, loop, digit->width) : loop;
}

/* What the array leaves of a loop in time. */
static const struct sator_expr *time_value(const struct maps *m, int loop)
{
    for (int i = 0; i < m->point->n_digits; i++) {
        if (m->point->digits[i].loop == loop)
            return sator_expr_floor(m->arena, loop_value(m, loop), m->point->digits[i].width);
    }
    return loop_value(m, loop);
}

static const struct sator_expr *row_value(const struct maps *m, uint32_t row)
{
    const struct sator_expr *sum = sator_expr_constant(m->arena, 0);

    for (int l = 0; l < m->space->n_loops; l++) {
        if ((row >> l & 1) != 0)
            sum = add(m, sum, 1, loop_value(m, l));
    }
    return sum;
}

static const struct sator_expr *space_dim(const struct maps *m, int dim)
{
    const struct sator_expr *sum = sator_expr_constant(m->arena, 0);

    if (m->point->kind == SPACE_MATRIX)
        return row_value(m, m->point->rows[dim]);
    for (int i = 0; i < m->point->n_digits; i++) {
        const struct space_digit *digit = &m->point->digits[i];
        if (digit->dim == dim)
            sum = add(m, sum, digit->weight, digit_value(m, digit));
    }
    return sum;
}

static const struct sator_expr *time_dim(const struct maps *m, int dim, int n_dims)
{
    const struct space_point *point = m->point;
    const struct sator_expr *sum = sator_expr_constant(m->arena, 0);
    int inner = n_dims - 1 - dim;

    if (point->kind == SPACE_MATRIX && dim < point->n_time)
        return row_value(m, point->rows[m->space->n_dims + dim]);
    if (dim < point->n_time)
        sum = time_value(m, point->time[dim]);
    for (int i = 0; i < point->n_digits && inner < point->n_skewed; i++) {
        int skew = point->skew[inner][i];
        if (skew == 1 || skew == -1)
            sum = add(m, sum, skew, digit_value(m, &point->digits[i]));
        else if (skew != 0)
            sum = add(m, sum, skew / 2, loop_value(m, point->digits[i].loop));
    }
    return sum;
}

void sator_space_maps(const struct space *space, const struct space_point *point, int layer,
        struct sator_arena *arena, const struct sator_relation **space_map,
        const struct sator_relation **time_map)
{
    struct maps m = {space, point, space->family[layer], arena};
    int n_time = point->n_time == 0 ? 1 : point->n_time;
    const struct sator_expr **where =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, space->n_dims + 1);
    const struct sator_expr **when = SATOR_NEW_ARRAY(arena, const struct sator_expr *, n_time + 1);

    for (int d = 0; d < space->n_dims; d++)
        where[d] = space_dim(&m, d);
    for (int d = 0; d < n_time; d++)
        when[d] = time_dim(&m, d, n_time);
    const char *statement = m.layer->domain->in_name;
    *space_map = sator_relation_make(arena, statement, space->n_loops, m.layer->loop_names, "PE",
            space->n_dims, where, NULL);
    *time_map = sator_relation_make(
            arena, statement, space->n_loops, m.layer->loop_names, "T", n_time, when, NULL);
}
