/* A mapping as a dataflow: relations and cuts (doc/model.md, section 4). */
#include "mapper/cost/cost.h"
#include "mapper/problem/skew.h"

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

/* The row of time that memory "m"'s loops end in, with the skew of the arrays directly inside it:
 * the mixed radix number that its loops make, and those of the memories whose loops are joined. */
static const struct sator_expr *skewed_row(const struct mapper_problem *p,
        struct sator_arena *arena, const struct mapper_mapping *mapping,
        const struct mapper_shape *shape, int m)
{
    const struct sator_expr *zero = sator_expr_constant(arena, 0), *row = zero;

    for (int at = sator_mapper_joined_from(p, m); at <= m; at++) {
        int row_of = p->memory[at].row;
        for (int k = 0; k < p->n_loops; k++) {
            int loop = mapping->order[at][k];
            if (mapping->factor[row_of][loop] == 1)
                continue;
            row = sator_expr_add(arena, zero, mapping->factor[row_of][loop], row);
            row = sator_expr_add(arena, row, 1, digit(p, arena, mapping, shape, row_of, loop));
        }
    }
    for (int r = p->memory[m].row + 1; r < p->n_rows && p->row[r].is_space; r++) {
        if (p->skew->step[r] != 0)
            row = sator_expr_add(
                    arena, row, p->skew->step[r], coordinate(p, arena, mapping, shape, r));
    }
    return row;
}

/* The windows of the skewed row "row", which ends at memory "last", that the loops of memory "m"
 * select: floor((row - its least value) / stamps of a window). */
static const struct sator_expr *windows_of(const struct mapper_problem *p,
        struct sator_arena *arena, const struct mapper_mapping *mapping, int m, int last,
        const struct sator_expr *row)
{
    int64_t stamps = 1, lead = 0;

    for (int k = m + 1; k <= last; k++)
        stamps *= mapper_steps_at(p, mapping, p->memory[k].row);
    for (int r = p->memory[last].row + 1; r < p->n_rows && p->row[r].is_space; r++) {
        if (p->skew->step[r] < 0)
            lead -= p->skew->step[r] * (mapper_steps_at(p, mapping, r) - 1);
    }
    row = sator_expr_add(arena, sator_expr_constant(arena, lead), 1, row);
    return sator_expr_floor(arena, row, stamps);
}

/* Add the rows of time that the loops of memory "m" make; how many there are then. */
static int add_rows(const struct mapper_problem *p, struct sator_arena *arena,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int m, int n_time,
        const struct sator_expr **time)
{
    int row = p->memory[m].row, last = sator_mapper_row_memory(p, mapping, m), n_loops = 0;

    for (int k = 0; k < p->n_loops; k++) {
        int loop = mapping->order[m][k];
        if (mapping->factor[row][loop] == 1)
            continue;
        n_loops++;
        if (last < 0)
            time[n_time++] = digit(p, arena, mapping, shape, row, loop);
    }
    if (last == m || (last >= 0 && n_loops > 0)) {
        const struct sator_expr *joined = skewed_row(p, arena, mapping, shape, last);
        time[n_time++] = last == m ? joined : windows_of(p, arena, mapping, m, last, joined);
    }
    return n_time;
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
        n_time = add_rows(p, arena, mapping, &shape, m, n_time, time);
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
