/* Where a value may come from under skewed stamps: moves to the stamp before, as rules. */
#include "count/closed/fetches.h"

#include <string.h>

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

static const struct sator_decline *push(
        const struct closed_skews *skews, const int64_t *move, struct moves *moves)
{
    size_t size = sizeof *move * (size_t)skews->grid.n_axes;
    for (int i = 0; i < moves->n; i++) {
        if (size == 0 || memcmp(moves->at[i], move, size) == 0)
            return NULL;
    }
    if (moves->n == MOST_MOVES)
        return DECLINE("a value can come from too many skewed stamps");
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
static const struct sator_decline *push_sums(const struct closed_skews *skews,
        const struct drifts *drifts, int from, const int64_t *move, struct moves *moves)
{
    const struct sator_decline *why = push(skews, move, moves);
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
static const struct sator_decline *push_ends(const struct closed_skews *skews,
        const struct drifts *drifts, int axis, const int64_t *move, struct moves *moves)
{
    int64_t value[3];
    int64_t next[CLOSED_AXES];
    const struct sator_decline *why = NULL;
    while (axis < skews->grid.n_axes && drifts->direction[axis] == 0)
        axis++;
    memcpy(next, move, sizeof *next * (size_t)skews->grid.n_axes);
    if (axis == skews->grid.n_axes) {
        closed_skews_set_numbers(&skews->grid, next);
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
static const struct sator_decline *push_drifting(const struct closed_skews *skews,
        const struct drifts *drifts, const int64_t *move, struct moves *moves)
{
    struct moves sums;
    sums.n = 0;
    const struct sator_decline *why = push_sums(skews, drifts, 0, move, &sums);
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
    int order =
            closed_skews_fits(skews, generator->at) ? closed_skews_order(skews, generator->at) : 0;
    memcpy(drift, generator->at, sizeof *drift * (size_t)n);
    if (order > 0)
        closed_skews_negate(n, drift);
    return order != 0;
}

static const struct sator_decline *find_drifts(
        const struct closed_skews *skews, struct drifts *drifts)
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
            return DECLINE("a value can come from too many skewed stamps");
        memcpy(drifts->at[drifts->n++], drift, sizeof drift);
    }
    return NULL;
}

/* The moves along the generators, whose last coordinates are the number of hops (if "hops") and the
 * rise of the level's row: those of one hop and positive rise. What is a sum of more generators
 * than here would pass a stamp in between. */
static const struct sator_decline *collect(
        const struct closed_skews *skews, bool hops, struct moves *moves)
{
    int n = skews->grid.n_axes;
    struct drifts drifts;
    const struct sator_decline *why = find_drifts(skews, &drifts);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t first[CLOSED_DIMS];
        memcpy(first, skews->graver.element[i].at, sizeof first);
        int64_t *rise = &first[hops ? n + 1 : n];
        if (hops ? first[n] < 0 : *rise < 0)
            closed_skews_negate(skews->graver.n_dims, first);
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
                closed_skews_negate(skews->graver.n_dims, second);
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
static const struct sator_decline *bound_consumers(
        const struct reuse *reuse, struct closed_interval *box)
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
            return DECLINE("a link joins only some PEs under skewed stamps");
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
static const struct sator_decline *except(const struct closed_skews *skews,
        const struct closed_interval *inside, const int64_t *move,
        struct closed_exceptions *exceptions, bool *all)
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
        return DECLINE("the faces of skewed stamps meet in too many ways");
    memcpy(exceptions->box[exceptions->n++], box, sizeof box[0] * (size_t)n);
    return NULL;
}

/* The points x of "inside" for which the stamp of x - move is not the one before that of x:
 * another one lies in between, in the row of x, in that of x - move, or in a row between them. */
static const struct sator_decline *find_exceptions(const struct closed_skews *skews, int level,
        const struct closed_interval *inside, const int64_t *move,
        struct closed_exceptions *exceptions, bool *all)
{
    int64_t rise = closed_skews_product(skews, skews->time[skews->row_of_level[level]], move);
    const struct sator_decline *why = NULL;
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

static const struct sator_decline *add_rule(struct closed_cells *cells, int credit,
        const struct closed_interval *inside, const struct closed_exceptions *exceptions)
{
    struct closed_rule rule = {.credit = credit};
    const struct sator_decline *why = closed_cells_add(cells, inside, &rule.inside);
    for (int i = 0; i < exceptions->n && why == NULL; i++) {
        int hole = -1;
        why = closed_cells_add(cells, exceptions->box[i], &hole);
        if (why == NULL)
            closed_holes_set(&rule.outside, hole);
    }
    if (why != NULL)
        return why;
    if (cells->n_rules == CLOSED_RULES)
        return DECLINE("a value can come from too many skewed stamps");
    cells->rule[cells->n_rules++] = rule;
    return NULL;
}

/* Whether a rule holds for some point. */
static const struct sator_decline *try_rule(struct closed_skews *skews,
        const struct closed_interval *inside, const struct closed_exceptions *exceptions,
        bool *holds)
{
    sator_int credit = 0;
    sator_int points;
    closed_cells_init(&skews->probe, &skews->grid);
    skews->probe.exists = true;
    const struct sator_decline *why = add_rule(&skews->probe, 0, inside, exceptions);
    if (why == NULL)
        why = closed_cells_count(&skews->probe, &credit, &points);
    *holds = credit != 0;
    return why;
}

/* A rule for the points x that find their value at x - move; at the stamp before if "level" >= 0,
 * else at the same stamp. */
static const struct sator_decline *add_source(struct reuse *reuse, int level, const int64_t *move)
{
    struct closed_skews *skews = reuse->skews;
    struct closed_interval inside[CLOSED_AXES];
    struct closed_exceptions *exceptions = &skews->exceptions;
    exceptions->n = 0;
    for (int a = 0; a < skews->grid.n_axes; a++)
        inside[a] = closed_meet(skews->grid.range[a],
                (struct closed_interval){
                        skews->grid.range[a].lo + move[a], skews->grid.range[a].hi + move[a]});
    const struct sator_decline *why = bound_consumers(reuse, inside);
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
static const struct sator_decline *start_lattice(struct closed_skews *skews, const int64_t *offset)
{
    int n = skews->grid.n_axes;
    const struct sator_decline *why = NULL;
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
static const struct sator_decline *add_before(struct reuse *reuse, const int64_t *offset)
{
    struct closed_skews *skews = reuse->skews;
    const struct sator_decline *why = start_lattice(skews, offset);
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
static const struct sator_decline *add_beside(struct reuse *reuse, const int64_t *offset)
{
    struct closed_skews *skews = reuse->skews;
    const struct sator_decline *why = start_lattice(skews, offset);
    for (int r = 0; r < skews->n_time && why == NULL; r++)
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
    if (why == NULL)
        why = closed_graver_make(&skews->lattice, &skews->graver);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        int64_t move[CLOSED_DIMS];
        memcpy(move, skews->graver.element[i].at, sizeof move);
        if (move[skews->grid.n_axes] < 0)
            closed_skews_negate(skews->graver.n_dims, move);
        if (move[skews->grid.n_axes] == 1 && closed_skews_fits(skews, move))
            why = add_source(reuse, -1, move);
    }
    return why;
}

static const struct sator_decline *add_hop(
        struct reuse *reuse, int interval, const struct closed_hop *hop)
{
    const struct sator_decline *why = NULL;
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
static const struct sator_decline *exclude_equal_pairs(struct closed_skews *skews)
{
    const struct sator_decline *why = start_lattice(skews, NULL);
    for (int r = 0; r < skews->n_time && why == NULL; r++)
        why = closed_lattice_kernel(skews->time[r], &skews->lattice);
    return why != NULL ? why : closed_skews_exclude_equals(skews, &skews->lattice);
}

/* ---- the whole ---- */

const struct sator_decline *closed_skews_volumes(struct closed_state *state,
        const struct closed_system *system, const struct closed_request *request,
        const struct sator_transport *transport, const struct closed_hops *const *hops,
        sator_int *total, sator_int *credit, sator_int *by_bus)
{
    struct closed_skews *skews;
    int back = transport->registers ? 1 : 0;
    if (request->n_copies > 1)
        return DECLINE("a tensor with several accesses under skewed stamps");
    for (int i = 0; i < transport->n_links; i++)
        back = transport->links[i].interval > back ? transport->links[i].interval : back;
    if (back > 1)
        return DECLINE("a link of interval 2 or more under skewed stamps");
    const struct sator_decline *why = closed_skews_open(state, &system->digits, &skews);
    if (why != NULL)
        return why;
    struct reuse reuse = {.state = state, .skews = skews, .system = system};
    get_rows(skews, system, request);
    closed_cells_init(&skews->cells, &skews->grid);
    if (back > 0)
        why = closed_skews_levels(skews);
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
    return why != NULL ? why : closed_fetches_credit(skews, request, transport, left, by_bus);
}
