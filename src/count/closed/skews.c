/* Distinct images under any rows, and the levels of time. */
#include "count/closed/skews.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMPARISONS =
            SATOR_ROOM(20000000, 2000), /* of two vectors, for the bases of one question */
    MOST_STEPS = SATOR_ROOM(2000000, 200), /* of counting cells, for one question */
    FEW_COMPARISONS = 20000, /* when there is no time */
    FEW_STEPS = 20000
};

/* ---- the box ---- */

/* Append an axis to the last group. */
static const struct sator_decline *add_axis(
        struct closed_skews *skews, int digit, int64_t place, struct closed_interval range)
{
    struct closed_grid *grid = &skews->grid;
    int a = grid->n_axes;
    /* Two more coordinates of a move are measured. */
    if (a == CLOSED_DIMS - 2)
        return DECLINE("skewed stamps run over too many digits");
    skews->digit[a] = digit;
    grid->range[a] = range;
    grid->place[a] = place;
    grid->first[grid->n_groups] = ++grid->n_axes;
    return NULL;
}

/* The digits of a loop: each on its own if it has all combinations of them, else with the number
 * that they form. */
static const struct sator_decline *add_loop(struct closed_state *state,
        const struct closed_digits *digits, int l, struct closed_skews *s)
{
    const struct closed_loop *loop = &digits->loop[l];
    struct closed_boxes boxes;
    const struct sator_decline *why = closed_boxes_of_loop(&state->pool, digits, l, &boxes);
    bool ragged = why == NULL && boxes.n > 1;
    if (ragged && loop->begin != 0)
        return DECLINE("skewed stamps run over a loop that begins inside a tile");
    for (int k = 0; k < loop->n_digits && why == NULL; k++) {
        int d = loop->first_digit + k;
        struct closed_interval range =
                ragged ? (struct closed_interval){0, digits->digit[d].size - 1} : boxes.box[k];
        if (!ragged && range.lo == range.hi)
            continue;
        if (!ragged || k == 0)
            s->grid.n_groups++;
        why = add_axis(s, d, digits->digit[d].place, range);
    }
    if (ragged && why == NULL)
        why = add_axis(s, -1, 0, (struct closed_interval){0, loop->end - 1});
    return why;
}

const struct sator_decline *closed_skews_open(
        struct closed_state *state, const struct closed_digits *digits, struct closed_skews **skews)
{
    if (state->skews == NULL)
        state->skews = sator_alloc(sizeof *state->skews);
    if (digits->n_carries > 0)
        return DECLINE("a sum under / or % crosses blocks under skewed stamps");
    for (int d = 0; d < digits->n_digits; d++) {
        if (digits->digit[d].is_fixed)
            return DECLINE("a part of an access is asked for under skewed stamps");
    }
    struct closed_skews *s = state->skews;
    int used = state->pool.used;
    const struct sator_decline *why = NULL;
    s->graver.budget = state->hurried ? FEW_COMPARISONS : MOST_COMPARISONS;
    s->cells.budget = state->hurried ? FEW_STEPS : MOST_STEPS;
    s->probe.budget = s->cells.budget;
    state->gave_up = state->gave_up || state->hurried;
    s->grid.n_axes = 0;
    s->grid.n_groups = 0;
    s->grid.first[0] = 0;
    for (int l = 0; l < digits->n_loops && why == NULL; l++)
        why = add_loop(state, digits, l, s);
    state->pool.used = used;
    *skews = s;
    return why;
}

/* Set the numbers of a move (or a point) from its digits. */
void closed_skews_set_numbers(const struct closed_grid *grid, int64_t *move)
{
    for (int g = 0; g < grid->n_groups; g++) {
        int number = grid->first[g + 1] - 1;
        if (number == grid->first[g])
            continue;
        move[number] = 0;
        for (int a = grid->first[g]; a < number; a++)
            move[number] += grid->place[a] * move[a];
    }
}

void closed_skews_moves(
        const struct closed_skews *skews, int n_more, struct closed_lattice *lattice)
{
    const struct closed_grid *grid = &skews->grid;
    lattice->n_dims = grid->n_axes + n_more;
    lattice->n = 0;
    memset(lattice->vector, 0, sizeof lattice->vector);
    for (int a = 0; a < lattice->n_dims; a++) {
        if (a < grid->n_axes && skews->digit[a] < 0)
            continue;
        lattice->vector[lattice->n][a] = 1;
        closed_skews_set_numbers(grid, lattice->vector[lattice->n++]);
    }
}

void closed_skews_drop(struct closed_skews *skews, int axis)
{
    const struct closed_grid before = skews->grid;
    struct closed_grid *grid = &skews->grid;
    int digit[CLOSED_AXES];
    memcpy(digit, skews->digit, sizeof digit);
    grid->n_axes = 0;
    grid->n_groups = 0;
    for (int g = 0; g < before.n_groups; g++) {
        int end = before.first[g + 1];
        for (int a = before.first[g]; a < end; a++) {
            if (a == axis)
                continue;
            grid->n_groups += a == before.first[g] || end - 1 == axis;
            add_axis(skews, digit[a], before.place[a], before.range[a]);
        }
    }
}

void closed_skews_row(
        const struct closed_skews *skews, const struct closed_form *form, int64_t *row)
{
    memset(row, 0, sizeof *row * CLOSED_DIMS);
    for (int a = 0; a < skews->grid.n_axes; a++)
        row[a] = skews->digit[a] < 0 ? 0 : form->coef[skews->digit[a]];
}

bool closed_skews_fits(const struct closed_skews *skews, const int64_t *move)
{
    for (int a = 0; a < skews->grid.n_axes; a++) {
        int64_t reach = skews->grid.range[a].hi - skews->grid.range[a].lo;
        if (move[a] > reach || move[a] < -reach)
            return false;
    }
    return true;
}

int64_t closed_skews_product(
        const struct closed_skews *skews, const int64_t *row, const int64_t *move)
{
    int64_t sum = 0;
    for (int a = 0; a < skews->grid.n_axes; a++)
        sum += row[a] * move[a];
    return sum;
}

/* The sign of the first coordinate that is not 0. */
int closed_skews_sign(int n, const int64_t *move)
{
    for (int a = 0; a < n; a++) {
        if (move[a] != 0)
            return move[a] > 0 ? 1 : -1;
    }
    return 0;
}

/* Whether a move (that fits the box) leads to a later stamp (1), an earlier one (-1) or neither. */
int closed_skews_order(const struct closed_skews *skews, const int64_t *move)
{
    for (int r = 0; r < skews->n_time; r++) {
        int64_t by = closed_skews_product(skews, skews->time[r], move);
        if (by != 0)
            return by > 0 ? 1 : -1;
    }
    return 0;
}

void closed_skews_negate(int n, int64_t *move)
{
    for (int a = 0; a < n; a++)
        move[a] = -move[a];
}

/* ---- distinct images ---- */

/* Exclude all but one point of each set with the same image: the generators of the moves in
 * "lattice", which leave the image as it is, lead from any other point to one before it. */
const struct sator_decline *closed_skews_exclude_equals(
        struct closed_skews *skews, const struct closed_lattice *lattice)
{
    const struct sator_decline *why = closed_graver_make(lattice, &skews->graver);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t *move = skews->graver.element[i].at;
        int hole;
        if (!closed_skews_fits(skews, move))
            continue;
        if (closed_skews_sign(skews->grid.n_axes, move) < 0)
            closed_skews_negate(skews->grid.n_axes, move);
        why = closed_cells_add_move(&skews->cells, move, &hole);
        if (why == NULL)
            closed_holes_set(&skews->cells.excluded, hole);
    }
    return why;
}

const struct sator_decline *closed_skews_classes(struct closed_skews *skews, sator_int *count)
{
    closed_cells_init(&skews->cells, &skews->grid);
    const struct sator_decline *why = closed_skews_exclude_equals(skews, &skews->lattice);
    return why != NULL ? why : closed_cells_count(&skews->cells, NULL, count);
}

const struct sator_decline *closed_skews_distinct(struct closed_state *state,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        sator_int *count)
{
    struct closed_skews *skews;
    const struct sator_decline *why = closed_skews_open(state, digits, &skews);
    if (why != NULL)
        return why;
    closed_skews_moves(skews, 0, &skews->lattice);
    for (int r = 0; r < n_rows && why == NULL; r++) {
        int64_t row[CLOSED_DIMS];
        closed_skews_row(skews, rows[r], row);
        why = closed_lattice_kernel(row, &skews->lattice);
    }
    return why != NULL ? why : closed_skews_classes(skews, count);
}

/* ---- levels of time ---- */

/* Append the generators of a level: moves by which its row grows or, if it stays, a later one. */
static const struct sator_decline *add_steps(struct closed_skews *skews, int level)
{
    int n = skews->grid.n_axes;
    int at = skews->first_step[level];
    for (int i = 0; i < skews->graver.n; i++) {
        int64_t *move = skews->graver.element[i].at;
        int order;
        if (!closed_skews_fits(skews, move) || (order = closed_skews_order(skews, move)) == 0)
            continue;
        if (order < 0)
            closed_skews_negate(n + 1, move);
        if (at == CLOSED_STEPS)
            return DECLINE("the skewed stamps can be left in too many directions");
        skews->step[at].rise = move[n];
        memcpy(skews->step[at++].at, move, sizeof *move * (size_t)n);
    }
    skews->first_step[level + 1] = at;
    return NULL;
}

const struct sator_decline *closed_skews_levels(struct closed_skews *skews)
{
    const struct sator_decline *why = NULL;
    skews->n_levels = 0;
    skews->first_step[0] = 0;
    closed_skews_moves(skews, 0, &skews->lattice);
    for (int r = 0; r < skews->n_time && why == NULL; r++) {
        int before = skews->lattice.n;
        skews->measured = skews->lattice;
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
        if (why != NULL || skews->lattice.n == before)
            continue;
        skews->row_of_level[skews->n_levels] = r;
        why = closed_lattice_measure(skews->time[r], &skews->measured);
        if (why == NULL)
            why = closed_graver_make(&skews->measured, &skews->graver);
        if (why == NULL)
            why = add_steps(skews, skews->n_levels++);
    }
    return why;
}
