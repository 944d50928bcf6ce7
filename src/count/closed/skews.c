/* Distinct images, and reuse between consecutive stamps, of one box under any rows. */
#include "count/closed/skews.h"

#include <stdlib.h>
#include <string.h>

/* ---- the box ---- */

/* Append an axis to the last group. */
static const char *add_axis(
        struct closed_skews *skews, int digit, int64_t place, struct closed_interval range)
{
    struct closed_grid *grid = &skews->grid;
    int a = grid->n_axes;
    /* Two more coordinates of a move are measured. */
    if (a == CLOSED_DIMS - 2)
        return "skewed stamps run over too many digits";
    skews->digit[a] = digit;
    grid->range[a] = range;
    grid->place[a] = place;
    grid->first[grid->n_groups] = ++grid->n_axes;
    return NULL;
}

/* The digits of a loop: each on its own if it has all combinations of them, else with the number
 * that they form. */
static const char *add_loop(struct closed_state *state, const struct closed_digits *digits, int l,
        struct closed_skews *s)
{
    const struct closed_loop *loop = &digits->loop[l];
    struct closed_boxes boxes;
    const char *why = closed_boxes_of_loop(&state->pool, digits, l, &boxes);
    bool ragged = why == NULL && boxes.n > 1;
    if (ragged && loop->begin != 0)
        return "skewed stamps run over a loop that begins inside a tile";
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

const char *closed_skews_open(
        struct closed_state *state, const struct closed_digits *digits, struct closed_skews **skews)
{
    if (state->skews == NULL)
        state->skews = sator_alloc(sizeof *state->skews);
    if (digits->n_carries > 0)
        return "a sum under / or % crosses blocks under skewed stamps";
    struct closed_skews *s = state->skews;
    int used = state->pool.used;
    const char *why = NULL;
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
static void set_numbers(const struct closed_grid *grid, int64_t *move)
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
        set_numbers(grid, lattice->vector[lattice->n++]);
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

static int64_t product(const struct closed_skews *skews, const int64_t *row, const int64_t *move)
{
    int64_t sum = 0;
    for (int a = 0; a < skews->grid.n_axes; a++)
        sum += row[a] * move[a];
    return sum;
}

/* The sign of the first coordinate that is not 0. */
static int sign_of(int n, const int64_t *move)
{
    for (int a = 0; a < n; a++) {
        if (move[a] != 0)
            return move[a] > 0 ? 1 : -1;
    }
    return 0;
}

/* Whether a move (that fits the box) leads to a later stamp (1), an earlier one (-1) or neither. */
static int order_of(const struct closed_skews *skews, const int64_t *move)
{
    for (int r = 0; r < skews->n_time; r++) {
        int64_t by = product(skews, skews->time[r], move);
        if (by != 0)
            return by > 0 ? 1 : -1;
    }
    return 0;
}

static void negate(int n, int64_t *move)
{
    for (int a = 0; a < n; a++)
        move[a] = -move[a];
}

/* ---- distinct images ---- */

/* Exclude all but one point of each set with the same image: the generators of the moves in
 * "lattice", which leave the image as it is, lead from any other point to one before it. */
static const char *exclude_equals(struct closed_skews *skews, const struct closed_lattice *lattice)
{
    const char *why = closed_graver_make(lattice, &skews->graver);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t *move = skews->graver.element[i].at;
        int hole;
        if (!closed_skews_fits(skews, move))
            continue;
        if (sign_of(skews->grid.n_axes, move) < 0)
            negate(skews->grid.n_axes, move);
        why = closed_cells_add_move(&skews->cells, move, &hole);
        if (why == NULL)
            closed_holes_set(&skews->cells.excluded, hole);
    }
    return why;
}

const char *closed_skews_classes(struct closed_skews *skews, sator_int *count)
{
    closed_cells_init(&skews->cells, &skews->grid);
    const char *why = exclude_equals(skews, &skews->lattice);
    return why != NULL ? why : closed_cells_count(&skews->cells, NULL, count);
}

const char *closed_skews_distinct(struct closed_state *state, const struct closed_digits *digits,
        int n_rows, const struct closed_form *const *rows, sator_int *count)
{
    struct closed_skews *skews;
    const char *why = closed_skews_open(state, digits, &skews);
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
static const char *add_steps(struct closed_skews *skews, int level)
{
    int n = skews->grid.n_axes;
    int at = skews->first_step[level];
    for (int i = 0; i < skews->graver.n; i++) {
        int64_t *move = skews->graver.element[i].at;
        int order;
        if (!closed_skews_fits(skews, move) || (order = order_of(skews, move)) == 0)
            continue;
        if (order < 0)
            negate(n + 1, move);
        if (at == CLOSED_STEPS)
            return "the skewed stamps can be left in too many directions";
        skews->step[at].rise = move[n];
        memcpy(skews->step[at++].at, move, sizeof *move * (size_t)n);
    }
    skews->first_step[level + 1] = at;
    return NULL;
}

static const char *make_levels(struct closed_skews *skews)
{
    const char *why = NULL;
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

/* ---- sources ---- */

enum {
    MOST_MOVES = 64 /* to the providers of one hop */
};

/* Moves v from a point to the one that may provide its value at the stamp before. */
struct moves {
    int n;
    int64_t at[MOST_MOVES][CLOSED_AXES];
};

/* The question at hand. */
struct reuse {
    struct closed_state *state;
    struct closed_skews *skews;
    const struct closed_system *system;
    int credit;
    const struct closed_interval *consumers; /* PEs that the hop at hand serves, or NULL */
};

static bool conformal(int n, const int64_t *a, const int64_t *b)
{
    for (int i = 0; i < n; i++) {
        if ((a[i] > 0 && b[i] < 0) || (a[i] < 0 && b[i] > 0))
            return false;
    }
    return true;
}

static const char *push(const struct closed_skews *skews, const int64_t *move, struct moves *moves)
{
    size_t size = sizeof *move * (size_t)skews->grid.n_axes;
    for (int i = 0; i < moves->n; i++) {
        if (size == 0 || memcmp(moves->at[i], move, size) == 0)
            return NULL;
    }
    if (moves->n == MOST_MOVES)
        return "a value can come from too many skewed stamps";
    memcpy(moves->at[moves->n++], move, size);
    return NULL;
}

/* The only digit that a move changes, by one; -1 when it is another kind of move. */
static int only_axis(const struct closed_skews *skews, const int64_t *move)
{
    int only = -1;
    for (int a = 0; a < skews->grid.n_axes; a++) {
        if (move[a] == 0 || skews->digit[a] < 0)
            continue;
        if (only >= 0 || move[a] > 1 || move[a] < -1)
            return -1;
        only = a;
    }
    return only;
}

/* Moves within a row of stamps, each to an earlier one, that may follow another move. The provider
 * is the last stamp of its row and the consumer the first of its own: a digit that drifts by itself
 * is at its end in both. */
struct drifts {
    int n; /* those that change other digits, too */
    int64_t at[MOST_MOVES][CLOSED_AXES];
    int direction[CLOSED_AXES]; /* +-1 for digits that drift by themselves */
};

/* Append "move" and all sums of it with "drifts" from number "from" on. */
static const char *push_sums(const struct closed_skews *skews, const struct drifts *drifts,
        int from, const int64_t *move, struct moves *moves)
{
    const char *why = push(skews, move, moves);
    for (int i = from; i < drifts->n && why == NULL; i++) {
        int64_t sum[CLOSED_AXES];
        if (!conformal(skews->grid.n_axes, move, drifts->at[i]))
            continue;
        for (int a = 0; a < skews->grid.n_axes; a++)
            sum[a] = move[a] + drifts->at[i][a];
        if (closed_skews_fits(skews, sum))
            why = push_sums(skews, drifts, i, sum, moves);
    }
    return why;
}

/* How far from 0 a digit may be when it cannot grow: at its greatest value or, in the last tile of
 * a ragged loop, one of two more. Returns the number of values. */
static int greatest_values(const struct closed_grid *grid, int axis, int64_t *value)
{
    int g = 0;
    int n = 0;
    while (grid->first[g + 1] <= axis)
        g++;
    int number = grid->first[g + 1] - 1;
    value[n++] = grid->range[axis].hi - grid->range[axis].lo;
    if (number == grid->first[g])
        return n;
    int64_t last = grid->range[number].hi;
    if (axis + 1 < number)
        last %= grid->place[axis + 1];
    for (int less = 0; less < 2; less++) {
        int64_t next = last / grid->place[axis] - less;
        if (next >= 0 && next < value[0] && next != value[n - 1])
            value[n++] = next;
    }
    return n;
}

/* Append "move" with the digits from "axis" on that drift by themselves going from end to end. */
static const char *push_ends(const struct closed_skews *skews, const struct drifts *drifts,
        int axis, const int64_t *move, struct moves *moves)
{
    int64_t value[3];
    int64_t next[CLOSED_AXES];
    const char *why = NULL;
    while (axis < skews->grid.n_axes && drifts->direction[axis] == 0)
        axis++;
    memcpy(next, move, sizeof *next * (size_t)skews->grid.n_axes);
    if (axis == skews->grid.n_axes) {
        set_numbers(&skews->grid, next);
        return closed_skews_fits(skews, next) ? push(skews, next, moves) : NULL;
    }
    int n = greatest_values(&skews->grid, axis, value);
    for (int i = 0; i < n && why == NULL; i++) {
        next[axis] = drifts->direction[axis] * value[i];
        why = push_ends(skews, drifts, axis + 1, next, moves);
    }
    return why;
}

/* Append "move" with every sum of the drifts. */
static const char *push_drifting(const struct closed_skews *skews, const struct drifts *drifts,
        const int64_t *move, struct moves *moves)
{
    struct moves sums;
    sums.n = 0;
    const char *why = push_sums(skews, drifts, 0, move, &sums);
    for (int i = 0; i < sums.n && why == NULL; i++)
        why = push_ends(skews, drifts, 0, sums.at[i], moves);
    return why;
}

/* Whether a drift changes only digits that drift by themselves. */
static bool is_covered(
        const struct closed_skews *skews, const struct drifts *drifts, const int64_t *move)
{
    for (int a = 0; a < skews->grid.n_axes; a++) {
        if (move[a] != 0 && skews->digit[a] >= 0 && drifts->direction[a] == 0)
            return false;
    }
    return true;
}

/* Whether a generator neither hops nor rises, fits the box and leads to another stamp: set "drift"
 * to it or its opposite, to an earlier one. */
static bool is_drift(
        const struct closed_skews *skews, const struct closed_generator *generator, int64_t *drift)
{
    int n = skews->grid.n_axes;
    for (int m = n; m < skews->graver.n_dims; m++) {
        if (generator->at[m] != 0)
            return false;
    }
    int order = closed_skews_fits(skews, generator->at) ? order_of(skews, generator->at) : 0;
    memcpy(drift, generator->at, sizeof *drift * (size_t)n);
    if (order > 0)
        negate(n, drift);
    return order != 0;
}

static const char *find_drifts(const struct closed_skews *skews, struct drifts *drifts)
{
    int64_t drift[CLOSED_AXES] = {0};
    drifts->n = 0;
    memset(drifts->direction, 0, sizeof drifts->direction);
    for (int i = 0; i < skews->graver.n; i++) {
        int axis = -1;
        if (is_drift(skews, &skews->graver.element[i], drift))
            axis = only_axis(skews, drift);
        if (axis >= 0)
            drifts->direction[axis] = (int)drift[axis];
    }
    for (int i = 0; i < skews->graver.n; i++) {
        if (!is_drift(skews, &skews->graver.element[i], drift) || is_covered(skews, drifts, drift))
            continue;
        if (drifts->n == MOST_MOVES)
            return "a value can come from too many skewed stamps";
        memcpy(drifts->at[drifts->n++], drift, sizeof drift);
    }
    return NULL;
}

/* The moves along the generators, whose last coordinates are the number of hops (if "hops") and the
 * rise of the level's row: those of one hop and positive rise. What is a sum of more generators
 * than here would pass a stamp in between. */
static const char *collect(const struct closed_skews *skews, bool hops, struct moves *moves)
{
    int n = skews->grid.n_axes;
    struct drifts drifts;
    const char *why = find_drifts(skews, &drifts);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t first[CLOSED_DIMS];
        memcpy(first, skews->graver.element[i].at, sizeof first);
        int64_t *rise = &first[hops ? n + 1 : n];
        if (hops ? first[n] < 0 : *rise < 0)
            negate(skews->graver.n_dims, first);
        if ((hops && first[n] != 1) || *rise < 0 || !closed_skews_fits(skews, first))
            continue;
        if (*rise > 0)
            why = push_drifting(skews, &drifts, first, moves);
        /* A hop that does not rise, and a rise without hop. */
        for (int j = 0; j < skews->graver.n && *rise == 0 && hops && why == NULL; j++) {
            int64_t second[CLOSED_DIMS];
            memcpy(second, skews->graver.element[j].at, sizeof second);
            if (second[n] != 0 || second[n + 1] == 0)
                continue;
            if (second[n + 1] < 0)
                negate(skews->graver.n_dims, second);
            if (!conformal(n, first, second))
                continue;
            for (int a = 0; a < n; a++)
                second[a] += first[a];
            if (closed_skews_fits(skews, second))
                why = push_drifting(skews, &drifts, second, moves);
        }
    }
    return why;
}

/* ---- rules ---- */

/* The PEs that the hop serves, as bounds of the axes: only where a row is one axis. */
static const char *bound_consumers(const struct reuse *reuse, struct closed_interval *box)
{
    const struct closed_skews *skews = reuse->skews;
    for (int k = 0; k < skews->n_space && reuse->consumers != NULL; k++) {
        struct closed_interval bounds = reuse->consumers[k];
        struct closed_interval range = {
                reuse->system->space[k].constant, reuse->system->space[k].constant};
        int axis = -1;
        int n = 0;
        for (int a = 0; a < skews->grid.n_axes; a++) {
            int64_t coef = skews->space[k][a];
            range.lo += coef * (coef < 0 ? skews->grid.range[a].hi : skews->grid.range[a].lo);
            range.hi += coef * (coef < 0 ? skews->grid.range[a].lo : skews->grid.range[a].hi);
            axis = coef != 0 ? a : axis;
            n += coef != 0;
        }
        if (range.lo >= bounds.lo && range.hi <= bounds.hi)
            continue;
        if (n > 1 || (n == 1 && skews->space[k][axis] != 1 && skews->space[k][axis] != -1))
            return "a link joins only some PEs under skewed stamps";
        if (n == 0) {
            box[0] = (struct closed_interval){0, -1};
            return NULL;
        }
        bool turned = skews->space[k][axis] < 0;
        int64_t base = turned ? range.hi + skews->grid.range[axis].lo
                              : range.lo - skews->grid.range[axis].lo;
        struct closed_interval part = {bounds.lo - base, bounds.hi - base};
        if (turned)
            part = (struct closed_interval){base - bounds.hi, base - bounds.lo};
        box[axis] = closed_meet(box[axis], part);
    }
    return NULL;
}

static bool within(int n, const struct closed_interval *a, const struct closed_interval *b)
{
    for (int i = 0; i < n; i++) {
        if (a[i].lo < b[i].lo || a[i].hi > b[i].hi)
            return false;
    }
    return true;
}

/* Add the points of "inside" that, moved by -move, are in the box: "*all" when these are all of
 * them. */
static const char *except(const struct closed_skews *skews, const struct closed_interval *inside,
        const int64_t *move, struct closed_exceptions *exceptions, bool *all)
{
    struct closed_interval box[CLOSED_AXES];
    int n = skews->grid.n_axes;
    for (int a = 0; a < n; a++) {
        box[a] = closed_meet(inside[a],
                (struct closed_interval){
                        skews->grid.range[a].lo + move[a], skews->grid.range[a].hi + move[a]});
        if (closed_is_empty(box[a]))
            return NULL;
    }
    *all = within(n, inside, box);
    for (int i = 0; i < exceptions->n; i++) {
        if (within(n, box, exceptions->box[i]))
            return NULL;
    }
    int kept = 0;
    for (int i = 0; i < exceptions->n; i++) {
        if (within(n, exceptions->box[i], box))
            continue;
        if (kept != i)
            memcpy(exceptions->box[kept], exceptions->box[i], sizeof box);
        kept++;
    }
    exceptions->n = kept;
    if (exceptions->n == CLOSED_EXCEPTIONS)
        return "the faces of skewed stamps meet in too many ways";
    memcpy(exceptions->box[exceptions->n++], box, sizeof box[0] * (size_t)n);
    return NULL;
}

/* The points x of "inside" for which the stamp of x - move is not the one before that of x:
 * another one lies in between, in the row of x, in that of x - move, or in a row between them. */
static const char *find_exceptions(const struct closed_skews *skews, int level,
        const struct closed_interval *inside, const int64_t *move,
        struct closed_exceptions *exceptions, bool *all)
{
    int64_t rise = product(skews, skews->time[skews->row_of_level[level]], move);
    const char *why = NULL;
    exceptions->n = 0;
    *all = false;
    for (int i = skews->first_step[level]; i < skews->first_step[level + 1]; i++) {
        const struct closed_step_move *step = &skews->step[i];
        if (step->rise >= rise)
            continue;
        why = except(skews, inside, step->at, exceptions, all);
        if (why != NULL || *all)
            return why;
        if (step->rise > 0)
            continue;
        int64_t onwards[CLOSED_AXES];
        for (int a = 0; a < skews->grid.n_axes; a++)
            onwards[a] = move[a] - step->at[a];
        why = except(skews, inside, onwards, exceptions, all);
        if (why != NULL || *all)
            return why;
    }
    return why;
}

static const char *add_rule(struct closed_cells *cells, int credit,
        const struct closed_interval *inside, const struct closed_exceptions *exceptions)
{
    struct closed_rule rule = {.credit = credit};
    const char *why = closed_cells_add(cells, inside, &rule.inside);
    for (int i = 0; i < exceptions->n && why == NULL; i++) {
        int hole = -1;
        why = closed_cells_add(cells, exceptions->box[i], &hole);
        if (why == NULL)
            closed_holes_set(&rule.outside, hole);
    }
    if (why != NULL)
        return why;
    if (cells->n_rules == CLOSED_RULES)
        return "a value can come from too many skewed stamps";
    cells->rule[cells->n_rules++] = rule;
    return NULL;
}

/* Whether a rule holds for some point. */
static const char *try_rule(struct closed_skews *skews, const struct closed_interval *inside,
        const struct closed_exceptions *exceptions, bool *holds)
{
    sator_int credit = 0;
    sator_int points;
    closed_cells_init(&skews->probe, &skews->grid);
    skews->probe.exists = true;
    const char *why = add_rule(&skews->probe, 0, inside, exceptions);
    if (why == NULL)
        why = closed_cells_count(&skews->probe, &credit, &points);
    *holds = credit != 0;
    return why;
}

/* A rule for the points x that find their value at x - move; at the stamp before if "level" >= 0,
 * else at the same stamp. */
static const char *add_source(struct reuse *reuse, int level, const int64_t *move)
{
    struct closed_skews *skews = reuse->skews;
    struct closed_interval inside[CLOSED_AXES];
    struct closed_exceptions *exceptions = &skews->exceptions;
    exceptions->n = 0;
    for (int a = 0; a < skews->grid.n_axes; a++)
        inside[a] = closed_meet(skews->grid.range[a],
                (struct closed_interval){
                        skews->grid.range[a].lo + move[a], skews->grid.range[a].hi + move[a]});
    const char *why = bound_consumers(reuse, inside);
    for (int a = 0; a < skews->grid.n_axes && why == NULL; a++) {
        if (closed_is_empty(inside[a]))
            return NULL;
    }
    bool none = false;
    bool holds = true;
    if (why == NULL && level >= 0)
        why = find_exceptions(skews, level, inside, move, exceptions, &none);
    if (why != NULL || none)
        return why;
    if (exceptions->n > 0)
        why = try_rule(skews, inside, exceptions, &holds);
    if (why != NULL || !holds)
        return why;
    return add_rule(&skews->cells, reuse->credit, inside, exceptions);
}

/* The lattice of moves that leave the tensor's element as it is and the PE, or move it by a
 * multiple of "offset", measured by a coordinate of its own. */
static const char *start_lattice(struct closed_skews *skews, const int64_t *offset)
{
    int n = skews->grid.n_axes;
    const char *why = NULL;
    closed_skews_moves(skews, offset == NULL ? 0 : 1, &skews->lattice);
    for (int i = 0; i < skews->n_index && why == NULL; i++)
        why = closed_lattice_kernel(skews->index[i], &skews->lattice);
    for (int k = 0; k < skews->n_space && why == NULL; k++) {
        int64_t row[CLOSED_DIMS];
        memcpy(row, skews->space[k], sizeof row);
        if (offset != NULL)
            row[n] = -offset[k];
        why = closed_lattice_kernel(row, &skews->lattice);
    }
    return why;
}

/* Rules for the value at PE p - offset (NULL: p) and the stamp before. */
static const char *add_before(struct reuse *reuse, const int64_t *offset)
{
    struct closed_skews *skews = reuse->skews;
    const char *why = start_lattice(skews, offset);
    for (int l = 0; l < skews->n_levels && skews->lattice.n > 0 && why == NULL; l++) {
        const int64_t *row = skews->time[skews->row_of_level[l]];
        struct moves moves = {.n = 0};
        skews->measured = skews->lattice;
        why = closed_lattice_measure(row, &skews->measured);
        if (why == NULL)
            why = closed_graver_make(&skews->measured, &skews->graver);
        if (why == NULL)
            why = collect(skews, offset != NULL, &moves);
        for (int i = 0; i < moves.n && why == NULL; i++)
            why = add_source(reuse, l, moves.at[i]);
        if (why == NULL)
            why = closed_lattice_kernel(row, &skews->lattice);
    }
    return why;
}

/* Rules for the value at PE p - offset and the same stamp. */
static const char *add_beside(struct reuse *reuse, const int64_t *offset)
{
    struct closed_skews *skews = reuse->skews;
    const char *why = start_lattice(skews, offset);
    for (int r = 0; r < skews->n_time && why == NULL; r++)
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
    if (why == NULL)
        why = closed_graver_make(&skews->lattice, &skews->graver);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t move[CLOSED_DIMS];
        memcpy(move, skews->graver.element[i].at, sizeof move);
        if (move[skews->grid.n_axes] < 0)
            negate(skews->graver.n_dims, move);
        if (move[skews->grid.n_axes] == 1 && closed_skews_fits(skews, move))
            why = add_source(reuse, -1, move);
    }
    return why;
}

static const char *add_hop(struct reuse *reuse, int interval, const struct closed_hop *hop)
{
    const char *why = NULL;
    int n_boxes = hop->n_boxes > 0 ? hop->n_boxes : 1;
    for (int b = 0; b < n_boxes && why == NULL; b++) {
        reuse->consumers = hop->n_boxes > 0 ? hop->box + b * reuse->skews->n_space : NULL;
        why = interval == 0 ? add_beside(reuse, hop->offset) : add_before(reuse, hop->offset);
    }
    reuse->consumers = NULL;
    return why;
}

/* ---- the question ---- */

static void get_rows(struct closed_skews *skews, const struct closed_system *system,
        const struct closed_request *request)
{
    skews->n_space = system->n_space;
    skews->n_time = system->n_time;
    skews->n_index = request->access->n_out;
    for (int i = 0; i < skews->n_space; i++)
        closed_skews_row(skews, &system->space[i], skews->space[i]);
    for (int i = 0; i < skews->n_time; i++)
        closed_skews_row(skews, &system->time[i], skews->time[i]);
    for (int i = 0; i < skews->n_index; i++)
        closed_skews_row(skews, &request->copy[0][i], skews->index[i]);
}

/* One point a pair. */
static const char *exclude_equal_pairs(struct closed_skews *skews)
{
    const char *why = start_lattice(skews, NULL);
    for (int r = 0; r < skews->n_time && why == NULL; r++)
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
    return why != NULL ? why : exclude_equals(skews, &skews->lattice);
}

/* ---- buses ---- */

/* 1 if a move goes to a greater PE, or to a point that is greater at the same PE. */
static int sign_at_pe(const struct closed_skews *skews, const int64_t *move, bool *other_pe)
{
    for (int k = 0; k < skews->n_space; k++) {
        int64_t by = product(skews, skews->space[k], move);
        *other_pe = by != 0;
        if (by != 0)
            return by > 0 ? 1 : -1;
    }
    *other_pe = false;
    return sign_of(skews->grid.n_axes, move);
}

/* Add box "hole" of the cells to the probe, moved by -move. */
static const char *copy_hole(struct closed_skews *skews, int hole, const int64_t *move, int *copy)
{
    struct closed_interval box[CLOSED_AXES];
    for (int a = 0; a < skews->grid.n_axes; a++) {
        struct closed_interval range = skews->cells.hole[hole][a];
        box[a] = (struct closed_interval){range.lo - move[a], range.hi - move[a]};
    }
    return closed_cells_add(&skews->probe, box, copy);
}

/* Copy a set of boxes, moved by -move, into "*copies". */
static const char *copy_holes(struct closed_skews *skews, const struct closed_holes *holes,
        const int64_t *move, struct closed_holes *copies)
{
    const char *why = NULL;
    for (int i = 0; i < skews->cells.n_holes && why == NULL; i++) {
        int copy;
        if (!closed_holes_has(holes, i))
            continue;
        why = copy_hole(skews, i, move, &copy);
        if (why == NULL && copy >= 0)
            closed_holes_set(copies, copy);
    }
    return why;
}

/* Copy the rules, moved by -move, as rules of the probe with credit "credit". */
static const char *copy_rules(struct closed_skews *skews, const int64_t *move, int credit)
{
    const char *why = NULL;
    for (int r = 0; r < skews->cells.n_rules && why == NULL; r++) {
        const struct closed_rule *from = &skews->cells.rule[r];
        struct closed_rule rule = {.credit = credit};
        why = copy_hole(skews, from->inside, move, &rule.inside);
        if (why != NULL || rule.inside < 0)
            continue;
        why = copy_holes(skews, &from->outside, move, &rule.outside);
        if (skews->probe.n_rules == CLOSED_RULES)
            return "a value can come from too many skewed stamps";
        skews->probe.rule[skews->probe.n_rules++] = rule;
    }
    return why;
}

/* Whether some point that is fetched (in no box of "gone", served by no rule) has a point at
 * x + move that is not. */
static const char *find_split(struct closed_skews *skews, const struct closed_holes *gone,
        const int64_t *move, bool *split)
{
    static const int64_t stay[CLOSED_AXES] = {0};
    struct closed_cells *probe = &skews->probe;
    struct closed_holes moved = {{0}};
    sator_int credit[2] = {0};
    sator_int points;
    closed_cells_init(probe, &skews->grid);
    probe->exists = true;
    const char *why = copy_holes(skews, gone, stay, &probe->excluded);
    if (why == NULL)
        why = copy_rules(skews, stay, 0);
    if (why == NULL)
        why = copy_rules(skews, move, 1);
    if (why == NULL)
        why = copy_holes(skews, gone, move, &moved);
    for (int i = 0; i < probe->n_holes && why == NULL; i++) {
        if (!closed_holes_has(&moved, i))
            continue;
        if (probe->n_rules == CLOSED_RULES)
            return "a value can come from too many skewed stamps";
        probe->rule[probe->n_rules++] = (struct closed_rule){.inside = i, .credit = 1};
    }
    if (why == NULL)
        why = closed_cells_count(probe, credit, &points);
    *split = credit[1] != 0;
    return why;
}

/* The generators of the moves that keep a fetch: bus, stamp and element. */
static const char *find_shares(struct closed_skews *skews, const struct closed_form *bus, int n_bus)
{
    const char *why = NULL;
    closed_skews_moves(skews, 0, &skews->lattice);
    for (int i = 0; i < n_bus && why == NULL; i++) {
        int64_t row[CLOSED_DIMS];
        closed_skews_row(skews, &bus[i], row);
        why = closed_lattice_kernel(row, &skews->lattice);
    }
    for (int i = 0; i < skews->n_index && why == NULL; i++)
        why = closed_lattice_kernel(skews->index[i], &skews->lattice);
    for (int r = 0; r < skews->n_time && why == NULL; r++)
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
    return why != NULL ? why : closed_graver_make(&skews->lattice, &skews->graver);
}

/* Count the fetches over one bus: the pairs left (in no box of "*gone", served by no rule) that no
 * generator takes to one before. Where each generator takes fetched pairs to fetched pairs alone,
 * those of one fetch are connected by them. Boxes of pairs at greater PEs join "*gone". */
static const char *count_fetches(struct closed_skews *skews, struct closed_holes *gone,
        const struct sator_transport *transport, sator_int *fetches)
{
    struct closed_holes excluded = *gone;
    struct closed_holes greater = *gone;
    sator_int credit[CLOSED_CREDITS] = {0};
    sator_int points;
    const char *why = NULL;
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t *move = skews->graver.element[i].at;
        bool other_pe;
        int hole;
        if (!closed_skews_fits(skews, move))
            continue;
        for (int side = 0; side < 2 && why == NULL; side++) {
            bool split = false;
            why = find_split(skews, gone, move, &split);
            if (why == NULL && split)
                why = "a bus serves only some of a fetch under skewed stamps";
            negate(skews->grid.n_axes, move);
        }
        if (sign_at_pe(skews, move, &other_pe) < 0)
            negate(skews->grid.n_axes, move);
        if (why == NULL)
            why = closed_cells_add_move(&skews->cells, move, &hole);
        if (why != NULL)
            return why;
        closed_holes_set(&excluded, hole);
        if (other_pe)
            closed_holes_set(&greater, hole);
    }
    if (why != NULL)
        return why;
    skews->cells.excluded = excluded;
    why = closed_cells_count(&skews->cells, credit, &points);
    *fetches = points;
    for (int i = 0; i <= transport->n_links; i++)
        *fetches -= credit[i];
    *gone = greater;
    return why;
}

static const char *credit_buses(struct closed_skews *skews, const struct closed_request *request,
        const struct sator_transport *transport, sator_int left, sator_int *by_bus)
{
    struct closed_holes gone = {{0}};
    const char *why = NULL;
    for (int b = 0; b < transport->n_buses && why == NULL; b++) {
        sator_int fetches = 0;
        why = find_shares(skews, request->bus[b], request->buses[b]->n_out);
        if (why == NULL)
            why = count_fetches(skews, &gone, transport, &fetches);
        by_bus[b] = left - fetches;
        left = fetches;
    }
    return why;
}

/* ---- the whole ---- */

const char *closed_skews_volumes(struct closed_state *state, const struct closed_system *system,
        const struct closed_request *request, const struct sator_transport *transport,
        const struct closed_hops *const *hops, sator_int *total, sator_int *credit,
        sator_int *by_bus)
{
    struct closed_skews *skews;
    int back = transport->registers ? 1 : 0;
    if (request->n_copies > 1)
        return "a tensor with several accesses under skewed stamps";
    for (int i = 0; i < transport->n_links; i++)
        back = transport->links[i].interval > back ? transport->links[i].interval : back;
    if (back > 1)
        return "a link of interval 2 or more under skewed stamps";
    const char *why = closed_skews_open(state, &system->digits, &skews);
    if (why != NULL)
        return why;
    struct reuse reuse = {.state = state, .skews = skews, .system = system};
    get_rows(skews, system, request);
    closed_cells_init(&skews->cells, &skews->grid);
    if (back > 0)
        why = make_levels(skews);
    if (why == NULL)
        why = exclude_equal_pairs(skews);
    if (why == NULL && transport->registers)
        why = add_before(&reuse, NULL);
    for (int i = 0; i < transport->n_links && why == NULL; i++) {
        reuse.credit = 1 + i;
        for (int h = 0; h < hops[i]->n && why == NULL; h++)
            why = add_hop(&reuse, transport->links[i].interval, &hops[i]->hop[h]);
    }
    memset(credit, 0, sizeof *credit * (size_t)(transport->n_links + 1));
    if (why == NULL)
        why = closed_cells_count(&skews->cells, credit, total);
    sator_int left = *total;
    for (int i = 0; i <= transport->n_links; i++)
        left -= credit[i];
    return why != NULL ? why : credit_buses(skews, request, transport, left, by_bus);
}
