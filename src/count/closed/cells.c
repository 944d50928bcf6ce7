/* Counting group by group, points of equal prospects together. */
#include "count/closed/cells.h"
#include "base/room.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

static const struct sator_decline too_many = {"the faces of skewed stamps meet in too many ways"};

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

void closed_cells_init(struct closed_cells *cells, const struct closed_grid *grid)
{
    cells->grid = grid;
    cells->n_holes = 0;
    cells->n_rules = 0;
    cells->exists = false;
    memset(&cells->excluded, 0, sizeof cells->excluded);
}

const struct sator_decline *closed_cells_add(
        struct closed_cells *cells, const struct closed_interval *box, int *hole)
{
    struct closed_interval cut[CLOSED_AXES];
    size_t size = sizeof cut[0] * (size_t)cells->grid->n_axes;
    *hole = -1;
    for (int a = 0; a < cells->grid->n_axes; a++) {
        cut[a] = closed_meet(box[a], cells->grid->range[a]);
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
        return &too_many;
    memcpy(cells->hole[cells->n_holes], cut, size);
    *hole = cells->n_holes++;
    return NULL;
}

const struct sator_decline *closed_cells_add_move(
        struct closed_cells *cells, const int64_t *move, int *hole)
{
    struct closed_interval box[CLOSED_AXES];
    for (int a = 0; a < cells->grid->n_axes; a++) {
        int64_t by = move == NULL ? 0 : move[a];
        box[a] = (struct closed_interval){
                cells->grid->range[a].lo + by, cells->grid->range[a].hi + by};
    }
    return closed_cells_add(cells, box, hole);
}

/* ---- one group ---- */

/* Points of a group that lie in the same boxes. */
struct strip {
    struct closed_holes holes;
    sator_int width;
};

enum {
    MOST_STRIPS = SATOR_ROOM(256, 8)
};

/* The next value above "from" at which some box begins or ends. */
static int64_t next_face(const struct closed_cells *cells, int axis, int64_t from)
{
    int64_t next = cells->grid->range[axis].hi + 1;
    for (int i = 0; i < cells->n_holes; i++) {
        struct closed_interval range = cells->hole[i][axis];
        if (range.lo > from && range.lo < next)
            next = range.lo;
        if (range.hi >= from && range.hi + 1 < next)
            next = range.hi + 1;
    }
    return next;
}

/* Add "width" values that lie in "holes". */
static const struct sator_decline *add_strip(
        const struct closed_holes *holes, sator_int width, struct strip *strip, int *n_strips)
{
    int at = 0;
    while (at < *n_strips && !equal(&strip[at].holes, holes))
        at++;
    if (at == MOST_STRIPS)
        return &too_many;
    if (at == *n_strips)
        strip[(*n_strips)++] = (struct strip){.holes = *holes};
    strip[at].width += width;
    return NULL;
}

/* The numbers 0 .. last whose digits, axes "first" to "end", are in the box. */
static sator_int count_numbers(const struct closed_grid *grid, int first, int end,
        const struct closed_interval *box, int64_t last)
{
    sator_int below[CLOSED_AXES + 1]; /* choices of the digits before an axis */
    sator_int sum = 0;
    below[first] = 1;
    for (int a = first; a < end; a++)
        below[a + 1] = below[a] * closed_width(box[a]);
    for (int a = end - 1; a >= first; a--) {
        int64_t digit = last / grid->place[a];
        last %= grid->place[a];
        int64_t less = (digit < box[a].hi + 1 ? digit : box[a].hi + 1) - box[a].lo;
        if (less > 0)
            sum += less * below[a];
        if (digit < box[a].lo || digit > box[a].hi)
            return sum;
    }
    return sum + 1;
}

/* The points of a group in "box". */
static sator_int count_group(
        const struct closed_grid *grid, int group, const struct closed_interval *box)
{
    int first = grid->first[group];
    int number = grid->first[group + 1] - 1;
    if (number == first)
        return closed_width(box[first]);
    sator_int count = count_numbers(grid, first, number, box, box[number].hi);
    if (box[number].lo > 0)
        count -= count_numbers(grid, first, number, box, box[number].lo - 1);
    return count;
}

/* Cut the group's axes from "axis" on at every face; "box" has the intervals of those before. */
static const struct sator_decline *find_strips(const struct closed_cells *cells, int group,
        int axis, const struct closed_holes *holes, struct closed_interval *box,
        struct strip *strip, int *n_strips)
{
    const struct closed_grid *grid = cells->grid;
    if (axis == grid->first[group + 1]) {
        sator_int width = count_group(grid, group, box);
        return width == 0 ? NULL : add_strip(holes, width, strip, n_strips);
    }
    int64_t end = grid->range[axis].hi + 1;
    const struct sator_decline *why = NULL;
    for (int64_t from = grid->range[axis].lo; from < end && why == NULL;) {
        int64_t to = next_face(cells, axis, from);
        struct closed_holes inside = {{0}};
        for (int i = 0; i < cells->n_holes; i++) {
            if (cells->hole[i][axis].lo <= from && from <= cells->hole[i][axis].hi)
                closed_holes_set(&inside, i);
        }
        inside = both(&inside, holes);
        box[axis] = (struct closed_interval){from, to - 1};
        why = find_strips(cells, group, axis + 1, &inside, box, strip, n_strips);
        from = to;
    }
    return why;
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

/* Add "points" to the state "holes" of the next group. */
static const struct sator_decline *add_state(struct closed_cells *cells, int side, int *n_states,
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
        return &too_many;
    cells->bucket[at] = (int16_t)*n_states;
    cells->state[side][(*n_states)++] = (struct closed_cell){.holes = *holes, .points = points};
    return NULL;
}

static void add_points(const struct closed_cells *cells, sator_int points, sator_int *sum)
{
    *sum = cells->exists ? 1 : *sum + points;
}

/* The boxes with a face in group "g" or a later one, for all g. */
static void find_undecided(struct closed_cells *cells)
{
    const struct closed_grid *grid = cells->grid;
    memset(&cells->undecided[grid->n_groups], 0, sizeof cells->undecided[0]);
    for (int g = grid->n_groups - 1; g >= 0; g--) {
        cells->undecided[g] = cells->undecided[g + 1];
        for (int i = 0; i < cells->n_holes; i++) {
            for (int a = grid->first[g]; a < grid->first[g + 1]; a++) {
                struct closed_interval range = cells->hole[i][a];
                if (range.lo != grid->range[a].lo || range.hi != grid->range[a].hi)
                    closed_holes_set(&cells->undecided[g], i);
            }
        }
    }
}

/* The number of points of the groups from "group" on. */
static sator_int volume_from(const struct closed_cells *cells, int group)
{
    sator_int product = 1;
    for (int g = group; g < cells->grid->n_groups && !cells->exists; g++)
        product *= count_group(cells->grid, g, cells->grid->range);
    return product;
}

/* Put "alive", before "group", into the states or the result. */
static const struct sator_decline *settle(struct closed_cells *cells, int group, int side,
        int *n_states, struct closed_holes *alive, sator_int points, sator_int *credit,
        sator_int *total)
{
    int to = -1;
    if (--cells->budget < 0)
        return &too_many;
    enum verdict verdict = judge(cells, &cells->undecided[group], alive, &to);
    if (verdict == VERDICT_EXCLUDED)
        return NULL;
    if (verdict == VERDICT_OPEN)
        return add_state(cells, side, n_states, alive, points);
    points *= volume_from(cells, group);
    add_points(cells, points, total);
    if (to >= 0)
        add_points(cells, points, &credit[to]);
    return NULL;
}

const struct sator_decline *closed_cells_count(
        struct closed_cells *cells, sator_int *credit, sator_int *points)
{
    struct closed_holes all = {{0}};
    struct strip strip[MOST_STRIPS];
    int n_states = 0;
    *points = 0;
    for (int i = 0; i < cells->n_holes; i++)
        closed_holes_set(&all, i);
    find_undecided(cells);
    memset(cells->bucket, -1, sizeof cells->bucket);
    struct closed_holes start = all;
    const struct sator_decline *why = settle(cells, 0, 0, &n_states, &start, 1, credit, points);
    for (int g = 0; g < cells->grid->n_groups && n_states > 0 && why == NULL; g++) {
        struct closed_interval box[CLOSED_AXES];
        int side = g % 2;
        int n_next = 0;
        int n_strips = 0;
        why = find_strips(cells, g, cells->grid->first[g], &all, box, strip, &n_strips);
        memset(cells->bucket, -1, sizeof cells->bucket);
        for (int s = 0; s < n_states && why == NULL; s++) {
            const struct closed_cell *state = &cells->state[side][s];
            for (int i = 0; i < n_strips && why == NULL; i++) {
                struct closed_holes alive = both(&state->holes, &strip[i].holes);
                sator_int n = cells->exists ? 1 : state->points * strip[i].width;
                why = settle(cells, g + 1, 1 - side, &n_next, &alive, n, credit, points);
            }
        }
        n_states = n_next;
    }
    return why;
}
