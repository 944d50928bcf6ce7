/* Counting axis by axis, points of equal prospects together. */
#include "count/closed/cells.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

static const char too_many[] = "the faces of skewed stamps meet in too many ways";

/* ---- sets ---- */

static struct closed_holes both(const struct closed_holes *a, const struct closed_holes *b)
{
    struct closed_holes result;
    for (int w = 0; w < CLOSED_HOLE_WORDS; w++)
        result.word[w] = a->word[w] & b->word[w];
    return result;
}

static void unite(struct closed_holes *to, const struct closed_holes *from)
{
    for (int w = 0; w < CLOSED_HOLE_WORDS; w++)
        to->word[w] |= from->word[w];
}

static bool equal(const struct closed_holes *a, const struct closed_holes *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static uint64_t hash(const struct closed_holes *holes)
{
    uint64_t h = 0;
    for (int w = 0; w < CLOSED_HOLE_WORDS; w++)
        h = (h ^ holes->word[w]) * UINT64_C(0x9E3779B97F4A7C15);
    return h >> 32;
}

/* ---- making ---- */

void closed_cells_init(struct closed_cells *cells, int n_axes, const struct closed_interval *range)
{
    assert(n_axes <= CLOSED_AXES);
    cells->n_axes = n_axes;
    cells->n_holes = 0;
    cells->n_rules = 0;
    cells->exists = false;
    if (n_axes > 0)
        memcpy(cells->range, range, sizeof *range * (size_t)n_axes);
    memset(&cells->excluded, 0, sizeof cells->excluded);
}

const char *closed_cells_add(
        struct closed_cells *cells, const struct closed_interval *box, int *hole)
{
    struct closed_interval cut[CLOSED_AXES];
    size_t size = sizeof cut[0] * (size_t)cells->n_axes;
    *hole = -1;
    for (int a = 0; a < cells->n_axes; a++) {
        cut[a] = closed_meet(box[a], cells->range[a]);
        if (closed_is_empty(cut[a]))
            return NULL;
    }
    for (int i = 0; i < cells->n_holes && *hole < 0; i++) {
        if (size == 0 || memcmp(cells->hole[i], cut, size) == 0)
            *hole = i;
    }
    if (*hole >= 0)
        return NULL;
    if (cells->n_holes == CLOSED_HOLES)
        return too_many;
    memcpy(cells->hole[cells->n_holes], cut, size);
    *hole = cells->n_holes++;
    return NULL;
}

const char *closed_cells_add_move(struct closed_cells *cells, const int64_t *move, int *hole)
{
    struct closed_interval box[CLOSED_AXES];
    for (int a = 0; a < cells->n_axes; a++) {
        int64_t by = move == NULL ? 0 : move[a];
        box[a] = (struct closed_interval){cells->range[a].lo + by, cells->range[a].hi + by};
    }
    return closed_cells_add(cells, box, hole);
}

/* ---- one axis ---- */

/* Values of an axis that lie in the same boxes. */
struct strip {
    struct closed_holes holes;
    int64_t width;
};

enum {
    MOST_STRIPS = 128
};

/* The next value above "from" at which some box begins or ends. */
static int64_t next_face(const struct closed_cells *cells, int axis, int64_t from)
{
    int64_t next = cells->range[axis].hi + 1;
    for (int i = 0; i < cells->n_holes; i++) {
        struct closed_interval range = cells->hole[i][axis];
        if (range.lo > from && range.lo < next)
            next = range.lo;
        if (range.hi >= from && range.hi + 1 < next)
            next = range.hi + 1;
    }
    return next;
}

static const char *find_strips(
        const struct closed_cells *cells, int axis, struct strip *strip, int *n_strips)
{
    int64_t end = cells->range[axis].hi + 1;
    *n_strips = 0;
    for (int64_t from = cells->range[axis].lo; from < end;) {
        int64_t to = next_face(cells, axis, from);
        struct strip next = {.width = to - from};
        for (int i = 0; i < cells->n_holes; i++) {
            if (cells->hole[i][axis].lo <= from && from <= cells->hole[i][axis].hi)
                closed_holes_set(&next.holes, i);
        }
        int at = 0;
        while (at < *n_strips && !equal(&strip[at].holes, &next.holes))
            at++;
        if (at == MOST_STRIPS)
            return too_many;
        if (at == *n_strips)
            strip[(*n_strips)++] = next;
        else
            strip[at].width += next.width;
        from = to;
    }
    return NULL;
}

/* ---- states ---- */

enum verdict {
    VERDICT_OPEN,
    VERDICT_EXCLUDED,
    VERDICT_DECIDED
};

/* What is certain of the points that lie in the boxes "alive" so far, all others missed; "open" are
 * the boxes with a face yet to come. Boxes that no longer matter leave "alive". A decided state has
 * the credit, -1 for none. */
static enum verdict judge(const struct closed_cells *cells, const struct closed_holes *open,
        struct closed_holes *alive, int *credit)
{
    struct closed_holes matters = both(alive, &cells->excluded);
    bool may_exclude = false;
    for (int w = 0; w < CLOSED_HOLE_WORDS; w++) {
        if ((matters.word[w] & ~open->word[w]) != 0)
            return VERDICT_EXCLUDED;
        may_exclude |= matters.word[w] != 0;
    }
    bool is_open = false; /* some rule before may hold yet */
    bool settled = false; /* a rule holds for certain */
    *credit = -1;
    for (int r = 0; r < cells->n_rules && !settled; r++) {
        const struct closed_rule *rule = &cells->rule[r];
        if (!closed_holes_has(alive, rule->inside))
            continue;
        struct closed_holes outside = both(alive, &rule->outside);
        bool fails = false;
        bool may_fail = closed_holes_has(open, rule->inside);
        for (int w = 0; w < CLOSED_HOLE_WORDS; w++) {
            fails |= (outside.word[w] & ~open->word[w]) != 0;
            may_fail |= outside.word[w] != 0;
        }
        if (fails)
            continue;
        unite(&matters, &outside);
        closed_holes_set(&matters, rule->inside);
        settled = !may_fail;
        is_open |= may_fail;
        if (settled)
            *credit = rule->credit;
    }
    *alive = matters;
    return is_open || may_exclude ? VERDICT_OPEN : VERDICT_DECIDED;
}

/* Add "points" to the state "holes" of the next axis. */
static const char *add_state(struct closed_cells *cells, int side, int *n_states,
        const struct closed_holes *holes, sator_int points)
{
    const int n_buckets = CLOSED_CELL_STATES * 2;
    int at = (int)(hash(holes) % (uint64_t)n_buckets);
    while (cells->bucket[at] >= 0) {
        struct closed_cell *state = &cells->state[side][cells->bucket[at]];
        if (equal(&state->holes, holes)) {
            state->points = cells->exists ? 1 : state->points + points;
            return NULL;
        }
        at = at + 1 == n_buckets ? 0 : at + 1;
    }
    if (*n_states == CLOSED_CELL_STATES)
        return too_many;
    cells->bucket[at] = (int16_t)*n_states;
    cells->state[side][(*n_states)++] = (struct closed_cell){.holes = *holes, .points = points};
    return NULL;
}

static void add_points(const struct closed_cells *cells, sator_int points, sator_int *sum)
{
    *sum = cells->exists ? 1 : *sum + points;
}

/* The boxes with a face on axis "a" or a later one, for all a. */
static void find_undecided(struct closed_cells *cells)
{
    memset(&cells->undecided[cells->n_axes], 0, sizeof cells->undecided[0]);
    for (int a = cells->n_axes - 1; a >= 0; a--) {
        cells->undecided[a] = cells->undecided[a + 1];
        for (int i = 0; i < cells->n_holes; i++) {
            struct closed_interval range = cells->hole[i][a];
            if (range.lo != cells->range[a].lo || range.hi != cells->range[a].hi)
                closed_holes_set(&cells->undecided[a], i);
        }
    }
}

/* The number of points of the axes from "axis" on. */
static sator_int volume_from(const struct closed_cells *cells, int axis)
{
    sator_int product = 1;
    for (int a = axis; a < cells->n_axes && !cells->exists; a++)
        product *= closed_width(cells->range[a]);
    return product;
}

/* Put "alive", before "axis", into the states or the result. */
static const char *settle(struct closed_cells *cells, int axis, int side, int *n_states,
        struct closed_holes *alive, sator_int points, sator_int *credit, sator_int *total)
{
    int to = -1;
    enum verdict verdict = judge(cells, &cells->undecided[axis], alive, &to);
    if (verdict == VERDICT_EXCLUDED)
        return NULL;
    if (verdict == VERDICT_OPEN)
        return add_state(cells, side, n_states, alive, points);
    points *= volume_from(cells, axis);
    add_points(cells, points, total);
    if (to >= 0)
        add_points(cells, points, &credit[to]);
    return NULL;
}

const char *closed_cells_count(struct closed_cells *cells, sator_int *credit, sator_int *points)
{
    struct closed_holes all = {{0}};
    struct strip strip[MOST_STRIPS];
    int n_states = 0;
    *points = 0;
    for (int i = 0; i < cells->n_holes; i++)
        closed_holes_set(&all, i);
    find_undecided(cells);
    memset(cells->bucket, -1, sizeof cells->bucket);
    const char *why = settle(cells, 0, 0, &n_states, &all, 1, credit, points);
    for (int a = 0; a < cells->n_axes && n_states > 0 && why == NULL; a++) {
        int side = a % 2;
        int n_next = 0;
        int n_strips;
        why = find_strips(cells, a, strip, &n_strips);
        memset(cells->bucket, -1, sizeof cells->bucket);
        for (int s = 0; s < n_states && why == NULL; s++) {
            const struct closed_cell *state = &cells->state[side][s];
            for (int i = 0; i < n_strips && why == NULL; i++) {
                struct closed_holes alive = both(&state->holes, &strip[i].holes);
                sator_int n = cells->exists ? 1 : state->points * strip[i].width;
                why = settle(cells, a + 1, 1 - side, &n_next, &alive, n, credit, points);
            }
        }
        n_states = n_next;
    }
    return why;
}
