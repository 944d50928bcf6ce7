/* A mapping as a dataflow: relations and cuts (doc/model.md, section 4). */
#include "mapper/cost.h"
#include "mapper/skew.h"

#include <assert.h>
#include <string.h>

/* The digit of "loop" that row "row" counts: (x / inside) % factor. */
static const struct sator_expr *digit(const struct mapper_problem *p, struct sator_arena *arena,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int row, int loop)
{
    int var = p->loop_of[loop];
    int64_t inside = shape->inside[row + 1][loop];
    assert(inside >= 1 && mapping->factor[row][loop] >= 1);
    const struct sator_expr *value = sator_expr_add(arena,
            sator_expr_constant(arena, -p->workload->lower[var]), 1, sator_expr_var(arena, var));

    if (inside >= p->extent[loop])
        return sator_expr_constant(arena, 0);
    value = sator_expr_floor(arena, value, inside);
    if (shape->inside[row][loop] < p->extent[loop])
        value = sator_expr_mod(arena, value, mapping->factor[row][loop]);
    return value;
}

static const struct sator_expr *coordinate(const struct mapper_problem *p,
        struct sator_arena *arena, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int row)
{
    const struct sator_expr *zero = sator_expr_constant(arena, 0), *sum = zero;

    assert(p->row[row].is_space);
    for (int k = 0; k < p->n_loops; k++) {
        int i = mapping->along[row][k];
        if (mapping->factor[row][i] == 1)
            continue;
        sum = sator_expr_add(arena, zero, mapping->factor[row][i], sum);
        sum = sator_expr_add(arena, sum, 1, digit(p, arena, mapping, shape, row, i));
    }
    return sum;
}

/* Join the "n" rows of memory "m"'s loops into one, the mixed radix number that they make, and add
 * the skew of the arrays directly inside it. */
static const struct sator_expr *join(const struct mapper_problem *p, struct sator_arena *arena,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m, int n,
        const struct sator_expr *const *rows)
{
    const struct sator_expr *zero = sator_expr_constant(arena, 0), *row = zero;
    int row_of = p->memory[m].row;

    for (int k = 0, i = 0; k < p->n_loops && i < n; k++) {
        int64_t factor = mapping->factor[row_of][mapping->order[m][k]];
        if (factor == 1)
            continue;
        row = sator_expr_add(arena, zero, factor, row);
        row = sator_expr_add(arena, row, 1, rows[i++]);
    }
    for (int r = row_of + 1; r < p->n_rows && p->row[r].is_space; r++) {
        if (p->skew->step[r] != 0)
            row = sator_expr_add(
                    arena, row, p->skew->step[r], coordinate(p, arena, mapping, shape, r));
    }
    return row;
}

/* The tensors that bypass memory "m" by choice. */
static void add_bypassed(
        const struct mapper_problem *p, struct sator_arena *arena, int m, struct sator_cut *cut)
{
    const char **names = NULL;

    for (int a = 0; a < p->n_accesses; a++) {
        if ((p->memory[m].bypassed >> a & 1) && p->access[a].stored_as == a)
            SATOR_PUSH(arena, names, cut->n_bypass, p->access[a].name);
    }
    cut->bypass = names;
}

const struct sator_bound_dataflow *sator_mapper_dataflow(const struct mapper_problem *p,
        struct sator_arena *arena, const struct mapper_mapping *mapping, const char *name)
{
    const struct sator_workload *w = p->workload;
    struct sator_bound_dataflow *bound = SATOR_NEW(arena, struct sator_bound_dataflow);
    struct sator_cut *cuts = SATOR_NEW_ARRAY(arena, struct sator_cut, MAPPER_MEMORIES);
    const struct sator_expr **space =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, MAPPER_ROWS);
    const struct sator_expr **time =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, MAPPER_MEMORIES *(MAPPER_LOOPS + 1));
    int n_space = 0, n_time = 0;
    struct mapper_shape shape;

    *bound = (struct sator_bound_dataflow){.name = name, .cuts = cuts, .n_cuts = p->n_memories};
    sator_mapper_shape_init(p, mapping, &shape);
    for (int r = 0; r < p->n_rows; r++) {
        if (p->row[r].is_space) {
            space[n_space++] = coordinate(p, arena, mapping, &shape, r);
            continue;
        }
        int m = p->row[r].memory;
        cuts[m] = (struct sator_cut){
                .level = p->arch->levels[p->row[r].level].name, .time = n_time, .space = n_space};
        add_bypassed(p, arena, m, &cuts[m]);
        for (int k = 0; k < p->n_loops; k++) {
            int loop = mapping->order[m][k];
            if (mapping->factor[r][loop] > 1)
                time[n_time++] = digit(p, arena, mapping, &shape, r, loop);
        }
        if (sator_mapper_span(p, mapping, m) > 0) {
            int first = cuts[m].time;
            time[first] = join(p, arena, mapping, &shape, m, n_time - first, &time[first]);
            n_time = first + 1;
        }
    }
    assert(n_space == p->n_space_dims && n_time <= MAPPER_MEMORIES * (MAPPER_LOOPS + 1));
    if (n_time == 0)
        time[n_time++] = sator_expr_constant(arena, 0);
    bound->space = sator_relation_make(
            arena, w->domain->in_name, w->n_loops, w->loop_names, "PE", n_space, space, NULL);
    bound->time = sator_relation_make(
            arena, w->domain->in_name, w->n_loops, w->loop_names, "T", n_time, time, NULL);
    return bound;
}
