/* Taking the skew out of a stamping.
 *
 * The row is L + s.p. That PE p at its own time n has in the stamp before what it had at n - 1, and
 * over a link what its provider had h stamps before, holds if no stamp is missing: some PE is
 * active at every value of the row between the first and the last of a run, with all values of the
 * rows inside. The PE at the origin is active at every L when no digit of time is cut short for it
 * (is_full); the others fill the ends, step by step (has_no_gaps). Between runs nothing is kept
 * when no PE is active both in the first and in the last stamp of one: when it takes more values
 * than the PE at the origin has. A loop whose tiles are cut short has its digits of time in the row
 * alone: then all runs are alike.
 */
#include "count/skewed/skewed.h"

#include "base/arena.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- the row and its skew ---- */

static bool same_atom(const struct sator_term *a, const struct sator_term *b)
{
    if (a->atom != b->atom)
        return false;
    if (a->atom == SATOR_ATOM_VAR)
        return a->var == b->var;
    return a->divisor == b->divisor && sator_expr_equal(a->argument, b->argument);
}

/* How often "row" has the coordinate "space", by its first term. */
static int64_t coefficient(const struct sator_expr *row, const struct sator_expr *space)
{
    for (int i = 0; i < row->n_terms && space->n_terms > 0; i++) {
        if (same_atom(&row->terms[i], &space->terms[0]) &&
                row->terms[i].factor % space->terms[0].factor == 0)
            return row->terms[i].factor / space->terms[0].factor;
    }
    return 0;
}

/* Find the only row that has coordinates, and "*plain", what is left of it without them. */
static const struct sator_decline *find_row(struct sator_arena *arena, struct skewed_nest *nest,
        const struct sator_piece *space, const struct sator_piece *time,
        const struct sator_expr **plain)
{
    const struct sator_stamping *given = nest->given;

    nest->row = -1;
    for (int r = 0; r < given->n_time; r++) {
        int64_t skew[TILED_SPACES];
        bool any = false;
        const struct sator_expr *left = time->out[r];
        for (int d = 0; d < given->n_space && left != NULL; d++) {
            skew[d] = coefficient(time->out[r], space->out[d]);
            any |= skew[d] != 0;
            left = sator_expr_add(arena, left, -skew[d], space->out[d]);
        }
        if (left == NULL)
            return DECLINE("a row of the nest reaches beyond 64 bits");
        if (!any)
            continue;
        if (nest->row >= 0)
            return DECLINE("several rows of time are skewed");
        nest->row = r;
        memcpy(nest->skew, skew, sizeof skew);
        *plain = left;
    }
    return nest->row < 0 ? DECLINE("no row of time is skewed") : NULL;
}

/* ---- is no stamp missing? ---- */

/* Whether the PE at the origin runs all values of the loop's digits of time: on the path of the
 * tops none of them is cut short before a digit of another kind leaves it. */
static bool is_full(const struct tiled_nest *n, const struct tiled_loop *loop)
{
    bool on_path = false; /* of an outer digit of time */

    for (int k = 0; k < loop->n_digits; k++) {
        const struct tiled_digit *digit = &n->digit[loop->first + k];
        if (digit->kind != TILED_TIME && digit->top > 0)
            return true;
        if (digit->kind != TILED_TIME)
            continue;
        if (on_path && digit->top < digit->size - 1)
            return false;
        on_path = true;
    }
    return true;
}

static bool has_digits(
        const struct tiled_nest *n, const struct tiled_loop *loop, enum tiled_kind kind, int row)
{
    for (int k = loop->first; k < loop->first + loop->n_digits; k++) {
        if (n->digit[k].kind == kind && n->digit[k].size > 1 &&
                (kind != TILED_SPACE || n->digit[k].row == row))
            return true;
    }
    return false;
}

/* The values 0 .. "*length" - 1 of a row of "n", of kind "kind" (space: dimension "row"), are all
 * there and nothing else: it is a number whose every digit weighs as much as those inside of it
 * make. */
static bool is_exact(const struct tiled_nest *n, enum tiled_kind kind, int row, int64_t *length)
{
    bool found = true;
    int left = 0;

    *length = 1;
    for (int d = 0; d < n->n_digits; d++)
        left += n->digit[d].kind == kind && n->digit[d].size > 1 &&
                (kind != TILED_SPACE || n->digit[d].row == row);
    for (; left > 0 && found; left--) {
        found = false;
        for (int d = 0; d < n->n_digits && !found; d++) {
            const struct tiled_digit *digit = &n->digit[d];
            found = digit->kind == kind && digit->size > 1 && digit->weight == *length &&
                    (kind != TILED_SPACE || digit->row == row);
            if (found && __builtin_mul_overflow(*length, digit->size, length))
                return false;
        }
    }
    return found;
}

/* Whether PEs of dimension "row" are active together with all those before them: its digits are of
 * one loop, or of loops of which nothing is cut short. */
static bool is_down_closed(const struct tiled_nest *n, int row)
{
    int loops = 0;
    bool whole = true;

    for (int l = 0; l < n->n_loops; l++) {
        if (!has_digits(n, &n->loop[l], TILED_SPACE, row))
            continue;
        loops++;
        whole &= n->loop[l].whole_from == 0;
    }
    return whole || loops <= 1;
}

/* The nest of a stamping with these rows of time; in "arena". */
static const struct sator_decline *read_nest(struct sator_arena *arena,
        const struct sator_stamping *given, int n_time, const struct sator_expr *const *time,
        struct sator_stamping *stamping, struct tiled_nest **nest)
{
    const struct sator_relation *was = given->time;

    *nest = SATOR_NEW(arena, struct tiled_nest);
    *stamping = *given;
    stamping->n_time = n_time;
    stamping->time = sator_relation_make(
            arena, was->in_name, was->n_in, was->pieces[0].names, "T", n_time, time, NULL);
    const struct sator_decline *why = tiled_nest_begin(*nest, arena, stamping);
    return why != NULL ? why : tiled_nest_finish(*nest);
}

/* Whether "loop", tiles of which are cut short, has digits in other rows of time than the skewed
 * one: runs differ then, or what is inside of it is not the same for all PEs. */
static bool is_split(
        const struct skewed_nest *nest, const struct tiled_nest *n, const struct tiled_loop *loop)
{
    bool any = false;

    for (int k = loop->first; k < loop->first + loop->n_digits; k++)
        any |= n->digit[k].kind == TILED_TIME && n->digit[k].size > 1 &&
                n->digit[k].row != nest->row;
    return any;
}

/* The values that the row has in a run: those of a sum of digits, from the least to the greatest.
 */
static int64_t count_values(const struct skewed_nest *nest, const struct tiled_nest *n)
{
    int64_t weight[TILED_DIGITS] = {0}, against[TILED_DIGITS] = {0}, instance[TILED_LOOPS];

    for (int d = 0; d < n->n_digits; d++) {
        const struct tiled_digit *digit = &n->digit[d];
        if (digit->kind == TILED_TIME && digit->row == nest->row)
            weight[d] = digit->weight;
        else if (digit->kind == TILED_SPACE)
            weight[d] = nest->skew[digit->row] * digit->weight;
        against[d] = -weight[d];
    }
    return tiled_nest_most(n, weight, instance) + tiled_nest_most(n, against, instance) + 1;
}

/* Whether there are as many values of the row one after the other as the last PE is late, and one
 * more, at which no tile is cut short: so where the innermost digit of a loop that is cut short
 * takes its other values, and loops inside of it all of theirs. */
static bool find_together(const struct skewed_nest *nest, const struct tiled_nest *n)
{
    int64_t least = INT64_MAX;

    for (int l = 0; l < n->n_loops; l++) {
        int outer = 0; /* digits of the row */
        for (int k = n->loop[l].first; k < n->loop[l].first + n->loop[l].n_digits; k++) {
            const struct tiled_digit *digit = &n->digit[k];
            if (n->loop[l].whole_from == 0 || digit->kind != TILED_TIME ||
                    digit->row != nest->row || digit->size == 1)
                continue;
            if (outer++ > 0)
                return false;
            int64_t values = digit->weight * digit->top;
            least = values < least ? values : least;
        }
        if (n->loop[l].whole_from > 0 && outer == 0)
            return false;
    }
    return least > nest->span;
}

/* The PEs in use, the span, and whether the row has no gaps and its ends keep nothing. */
static const struct sator_decline *check_space(struct skewed_nest *nest, const struct tiled_nest *n)
{
    int64_t instance[TILED_LOOPS];
    int64_t longest = 0;

    nest->span = 0;
    nest->is_whole = true;
    for (int l = 0; l < n->n_loops; l++) {
        if (!is_full(n, &n->loop[l]))
            return DECLINE("tiles in time are cut short under a skew");
        if (n->loop[l].whole_from == 0)
            continue;
        nest->is_whole = false;
        if (is_split(nest, n, &n->loop[l]))
            return DECLINE("runs of a skewed row, or tiles inside of it, are cut short");
    }
    for (int d = 0; d < nest->given->n_space; d++) {
        int64_t step = nest->skew[d] < 0 ? -nest->skew[d] : nest->skew[d], exact;
        nest->used[d] = tiled_nest_reach(n, d, instance) + 1;
        if (n->origin[d] != 0)
            return DECLINE("a skewed array's coordinates do not begin at 0");
        if (step == 0)
            continue;
        if (!is_exact(n, TILED_SPACE, d, &exact))
            return DECLINE("a skewed array's coordinates leave gaps");
        if (!is_down_closed(n, d))
            return DECLINE("PEs of a skewed array are idle in between others");
        if (step > (INT64_C(1) << 40) / nest->used[d])
            return DECLINE("a skew is too large");
        nest->span += step * (nest->used[d] - 1);
        longest = step > longest ? step : longest;
    }
    if (longest > 1 && (!nest->is_whole || longest > nest->length))
        return DECLINE("a skew leaves stamps in which no PE runs");
    nest->values = nest->is_whole ? nest->length + nest->span : count_values(nest, n);
    nest->run_together = find_together(nest, n);
    return NULL;
}

/* ---- the stamping without ---- */

static const struct sator_decline *make_plain(struct sator_arena *arena, struct skewed_nest *nest,
        const struct sator_piece *space, const struct sator_piece *time,
        const struct sator_expr *row)
{
    const struct sator_stamping *given = nest->given;
    const struct sator_relation *was = given->space;
    int n_space = nest->row + given->n_space, n_time = given->n_time - nest->row;
    const struct sator_expr **out = SATOR_NEW_ARRAY(arena, const struct sator_expr *, n_space + 1);
    const struct sator_expr **rows = SATOR_NEW_ARRAY(arena, const struct sator_expr *, n_time);
    int64_t *shape = SATOR_NEW_ARRAY(arena, int64_t, n_space + 1);
    int64_t lower[TILED_LOOPS], upper[TILED_LOOPS], least, greatest;

    if (n_space > TILED_SPACES || !sator_set_is_box(given->domain, lower, upper))
        return DECLINE("there are too many rows outside a skewed one");
    for (int l = 0; l < given->domain->n_in; l++)
        upper[l]--;
    for (int r = 0; r < nest->row; r++) {
        out[r] = time->out[r];
        if (!sator_expr_range(out[r], lower, upper, &least, &greatest) || least < 0 ||
                greatest == INT64_MAX)
            return DECLINE("a row outside a skewed one begins below 0");
        shape[r] = greatest + 1;
    }
    for (int d = 0; d < given->n_space; d++) {
        out[nest->row + d] = space->out[d];
        shape[nest->row + d] = given->shape[d];
    }
    rows[0] = row;
    for (int r = 1; r < n_time; r++)
        rows[r] = time->out[nest->row + r];
    nest->n_runs = nest->row;
    nest->plain = (struct sator_stamping){.domain = given->domain,
            .space = sator_relation_make(
                    arena, was->in_name, was->n_in, was->pieces[0].names, "PE", n_space, out, NULL),
            .time = sator_relation_make(
                    arena, was->in_name, was->n_in, was->pieces[0].names, "T", n_time, rows, NULL),
            .n_space = n_space,
            .n_time = n_time,
            .shape = shape};
    return NULL;
}

/* The values of the rows before and after the skewed one. */
static const struct sator_decline *count_rows(
        struct sator_arena *arena, struct skewed_nest *nest, const struct sator_piece *time)
{
    sator_int *counts[2] = {&nest->runs, &nest->inside};

    for (int side = 0; side < 2; side++) {
        int n = side == 0 ? nest->row : nest->given->n_time - nest->row - 1;
        struct sator_stamping stamping;
        struct tiled_nest *rows;
        *counts[side] = 1;
        const struct sator_decline *why = read_nest(arena, nest->given, n,
                time->out + (side == 0 ? 0 : nest->row + 1), &stamping, &rows);
        if (why != NULL)
            return why;
        for (int l = 0; l < rows->n_loops; l++) {
            if (!sator_mul(
                        *counts[side], tiled_loop_count(rows, l, 1U << TILED_TIME), counts[side]))
                return DECLINE("there are too many stamps");
        }
    }
    return NULL;
}

/* Whether "row" is floor(("next" + c) / M): it tells nothing that the next row does not. */
static bool is_prefix(
        struct sator_arena *arena, const struct sator_expr *row, const struct sator_expr *next)
{
    int64_t m;
    const struct sator_expr *sum = windows_row(arena, row, &m);
    const struct sator_expr *rest = sum == NULL ? NULL : sator_expr_add(arena, sum, -1, next);

    return rest != NULL && sator_expr_is_constant(rest);
}

/* The stamping without rows that are windows of the next one, which order the stamps as they are.
 */
static const struct sator_stamping *drop_windows(
        struct sator_arena *arena, const struct sator_stamping *given)
{
    const struct sator_relation *was = given->time;
    const struct sator_piece *time = sator_relation_function(was);
    struct sator_stamping *made = SATOR_NEW(arena, struct sator_stamping);
    int n = 0;

    if (time == NULL)
        return given;
    const struct sator_expr **rows =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, given->n_time + 1);
    for (int r = 0; r < given->n_time; r++) {
        if (r == given->n_time - 1 || !is_prefix(arena, time->out[r], time->out[r + 1]))
            rows[n++] = time->out[r];
    }
    if (n == given->n_time)
        return given;
    *made = *given;
    made->n_time = n;
    made->time =
            sator_relation_make(arena, was->in_name, was->n_in, time->names, "T", n, rows, NULL);
    return made;
}

const struct sator_decline *skewed_reduce(
        struct sator_arena *arena, const struct sator_stamping *given, struct skewed_nest *nest)
{
    given = drop_windows(arena, given);
    const struct sator_piece *space = sator_relation_function(given->space);
    const struct sator_piece *time = sator_relation_function(given->time);
    const struct sator_expr *row = NULL;
    struct sator_stamping stamping;
    struct tiled_nest *n;
    const struct sator_decline *why;

    *nest = (struct skewed_nest){.given = given};
    if (space == NULL || time == NULL)
        return DECLINE("a stamp is restricted by a condition");
    if (given->n_space == 0 || given->n_space > TILED_SPACES || given->n_time == 0)
        return DECLINE("no row of time is skewed");
    if ((why = find_row(arena, nest, space, time, &row)) != NULL)
        return why;
    if ((why = read_nest(arena, given, 1, &row, &stamping, &n)) != NULL)
        return why;
    if (n->row[0]->constant != 0 || !is_exact(n, TILED_TIME, 0, &nest->length))
        return DECLINE("a skewed row leaves values out");
    const struct sator_expr **rows =
            SATOR_NEW_ARRAY(arena, const struct sator_expr *, given->n_time);
    memcpy(rows, time->out, sizeof *rows * (size_t)given->n_time);
    rows[nest->row] = row;
    if ((why = read_nest(arena, given, given->n_time, rows, &stamping, &n)) != NULL)
        return why;
    if ((why = check_space(nest, n)) != NULL || (why = count_rows(arena, nest, time)) != NULL)
        return why;
    if (nest->span == 0 || (nest->row > 0 && nest->values == nest->length))
        return DECLINE("no PE is late, or one runs from the first stamp of a run to the last");
    return make_plain(arena, nest, space, time, row);
}

const struct sator_decline *skewed_straighten(
        struct sator_arena *arena, const struct sator_stamping *given, struct skewed_nest *nest)
{
    const struct sator_stamping *all = drop_windows(arena, given);
    const struct sator_piece *space = sator_relation_function(all->space);
    const struct sator_piece *time = sator_relation_function(all->time);
    const struct sator_expr *row = NULL;

    *nest = (struct skewed_nest){.given = all};
    if (space == NULL || time == NULL)
        return DECLINE("a stamp is restricted by a condition");
    if (all->n_space == 0 || all->n_space > TILED_SPACES || all->n_time == 0)
        return DECLINE("no row of time is skewed");
    const struct sator_decline *why = find_row(arena, nest, space, time, &row);
    if (why != NULL)
        return why;
    const struct sator_relation *was = all->time;
    const struct sator_expr **rows = SATOR_NEW_ARRAY(arena, const struct sator_expr *, all->n_time);
    memcpy(rows, time->out, sizeof *rows * (size_t)all->n_time);
    rows[nest->row] = row;
    nest->plain = *all;
    nest->plain.time = sator_relation_make(
            arena, was->in_name, was->n_in, time->names, "T", all->n_time, rows, NULL);
    nest->n_before = all->n_time == given->n_time ? nest->row : 0;
    for (int d = 0; d < all->n_space; d++) {
        if (coefficient(row, space->out[d]) != 0) /* coordinates that have terms in common */
            return DECLINE("a skew cannot be taken out");
    }
    return NULL;
}
