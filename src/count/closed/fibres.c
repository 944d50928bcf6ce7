/* Greatest fibres by the lattice of moves that keep the key.
 *
 * The lattice is a direct sum of lattices over parts of the axes, and so is every fibre. In a part,
 * values that lie on a line are counted by the longest move along it; a key of one row by the mode
 * of its distribution; what is left by laying strips (strips.h).
 */
#include "count/closed/fibres.h"
#include "base/room.h"

#include "base/checked.h"
#include "count/closed/skews.h"
#include "count/closed/strips.h"

#include <string.h>

enum {
    MOST_AUGMENTATIONS = SATOR_ROOM(100000, 10),
    MOST_SPAN = SATOR_ROOM(1023, 15), /* values of a row that is tabulated, less one */
    MOST_TABLE_STEPS = SATOR_ROOM(500000, 50)
};

/* The question at hand. */
struct fibres {
    struct closed_skews *skews;
    int n_keys, n_values;
    bool every;
    int64_t row[CLOSED_ROWS][CLOSED_DIMS]; /* keys, then values */
    uint32_t part; /* axes of the part at hand */
    int n_digits; /* of the part */
    int n_equal, n_moves; /* basis of the part: moves with equal values first */
    int64_t at[CLOSED_AXES]; /* a digit vector of the greatest fibre */
};

static const struct sator_decline ragged = {"skewed stamps run over ragged tiles"};

/* ---- parts ---- */

/* The moves along the axes of "part" that keep the key: a basis whose first vectors keep the value,
 * too. */
static const struct sator_decline *make_basis(struct fibres *fibres, uint32_t part)
{
    struct closed_skews *skews = fibres->skews;
    struct closed_lattice *lattice = &skews->lattice;
    const struct sator_decline *why = NULL;
    closed_skews_moves(skews, 0, lattice);
    for (int a = 0; a < skews->grid.n_axes && why == NULL; a++) {
        int64_t fixed[CLOSED_DIMS] = {0};
        fixed[a] = 1;
        if ((part >> a & 1) == 0 && skews->digit[a] >= 0)
            why = closed_lattice_kernel(fixed, lattice);
    }
    fibres->n_digits = lattice->n;
    for (int r = 0; r < fibres->n_keys && why == NULL; r++)
        why = closed_lattice_kernel(fibres->row[r], lattice);
    fibres->part = part;
    fibres->n_moves = lattice->n;
    for (int r = 0; r < fibres->n_values && !fibres->every && why == NULL; r++)
        why = closed_lattice_kernel(fibres->row[fibres->n_keys + r], lattice);
    fibres->n_equal = fibres->every ? 0 : lattice->n;
    lattice->n = fibres->n_moves;
    return why;
}

/* Put the axes that a generator of "lattice" joins into one part. */
static const struct sator_decline *join_parts(struct fibres *fibres, uint32_t *part, int *n_parts)
{
    struct closed_skews *skews = fibres->skews;
    const struct sator_decline *why = closed_graver_make(&skews->lattice, &skews->graver);
    for (int i = 0; i < skews->graver.n && why == NULL; i++) {
        uint32_t joined = skews->graver.element[i].above | skews->graver.element[i].below;
        int kept = 0;
        if (!closed_skews_fits(skews, skews->graver.element[i].at))
            continue;
        for (int p = 0; p < *n_parts; p++) {
            if ((part[p] & joined) != 0)
                joined |= part[p];
            else
                part[kept++] = part[p];
        }
        part[kept++] = joined;
        *n_parts = kept;
    }
    return why;
}

/* Parts of the axes of which moves that keep the key, and of them those that keep the value, are
 * sums. Axes that no move changes are in none. */
static const struct sator_decline *find_parts(struct fibres *fibres, uint32_t *part, int *n_parts)
{
    struct closed_skews *skews = fibres->skews;
    const struct sator_decline *why = make_basis(fibres, ((uint32_t)1 << skews->grid.n_axes) - 1);
    *n_parts = 0;
    if (why == NULL)
        why = join_parts(fibres, part, n_parts);
    skews->lattice.n = fibres->n_equal;
    if (why == NULL && fibres->n_equal > 0)
        why = join_parts(fibres, part, n_parts);
    return why;
}

/* ---- a line of values ---- */

/* The longest step along "move" from "from" that two points of the box can be apart by. */
static int64_t reach(const struct closed_skews *skews, const int64_t *from, const int64_t *move)
{
    int64_t steps = CLOSED_BOUND;
    for (int a = 0; a < skews->grid.n_axes; a++) {
        int64_t width = skews->grid.range[a].hi - skews->grid.range[a].lo;
        if (move[a] == 0)
            continue;
        int64_t room = move[a] > 0 ? width - from[a] : width + from[a];
        int64_t size = move[a] > 0 ? move[a] : -move[a];
        if (room / size < steps)
            steps = room / size;
    }
    return steps;
}

/* How far the points of a way go beyond its ends. */
struct margins {
    int64_t above[CLOSED_DIMS], below[CLOSED_DIMS];
};

/* Whether a way from "at" stays in the tiles of ragged loops. */
static bool stays_inside(
        const struct fibres *fibres, const int64_t *way, const struct margins *margins)
{
    const struct closed_grid *grid = &fibres->skews->grid;
    for (int g = 0; g < grid->n_groups; g++) {
        int number = grid->first[g + 1] - 1;
        int64_t value = margins->above[number] + (way[number] > 0 ? way[number] : 0);
        if (number == grid->first[g] || (fibres->part >> number & 1) == 0)
            continue;
        for (int a = grid->first[g]; a < number; a++)
            value += grid->place[a] * fibres->at[a];
        if (value > grid->range[number].hi)
            return false;
    }
    return true;
}

/* Widen the margins for points that "aside" leads to, from some way along "way" less "step"; false
 * when the box is too small for that. */
static bool widen(const struct closed_skews *skews, const int64_t *way, const int64_t *step,
        const int64_t *aside, struct margins *margins)
{
    struct margins next = *margins;
    for (int a = 0; a < skews->grid.n_axes; a++) {
        int64_t rest = way[a] - step[a];
        int64_t above = aside[a] + (rest > 0 ? rest : 0) - (way[a] > 0 ? way[a] : 0);
        int64_t below = -aside[a] - (rest < 0 ? rest : 0) + (way[a] < 0 ? way[a] : 0);
        int64_t length = way[a] < 0 ? -way[a] : way[a];
        next.above[a] = above > next.above[a] ? above : next.above[a];
        next.below[a] = below > next.below[a] ? below : next.below[a];
        if (length + next.above[a] + next.below[a] >= closed_width(skews->grid.range[a]))
            return false;
    }
    *margins = next;
    return true;
}

/* Whether every value along "way" is met: the way is a sum of generators; one that changes the
 * value by more than one needs points aside for the values in between. */
static bool meets_all(const struct closed_skews *skews, const int64_t *way, struct margins *margins)
{
    int n = skews->grid.n_axes;
    struct closed_generator rest = {.above = 0};
    memcpy(rest.at, way, sizeof *way * (size_t)(n + 1));
    closed_generator_signs(&rest, n + 1);
    for (int i = 0; i < skews->graver.n; i++) {
        const struct closed_generator *g = &skews->graver.element[i];
        bool negate = g->at[n] == 0 && closed_is_part(g, true, &rest, n + 1);
        if (!negate && !closed_is_part(g, false, &rest, n + 1))
            continue;
        for (int64_t between = 1; between < g->at[n]; between++) {
            bool found = false;
            for (int j = 0; j < skews->graver.n && !found; j++)
                found = skews->graver.element[j].at[n] == between &&
                        widen(skews, way, g->at, skews->graver.element[j].at, margins);
            if (!found)
                return false;
        }
        for (int d = 0; d <= n; d++)
            rest.at[d] -= negate ? -g->at[d] : g->at[d];
        closed_generator_signs(&rest, n + 1);
        i--; /* perhaps once more */
    }
    return true;
}

/* Set "way" to a greatest difference of two points of one key, its last coordinate being the
 * values': from any other, some generator leads further. */
static const struct sator_decline *find_way(const struct closed_skews *skews, int64_t *way)
{
    int budget = MOST_AUGMENTATIONS;
    for (bool longer = true; longer;) {
        longer = false;
        for (int i = 0; i < skews->graver.n; i++) {
            const int64_t *move = skews->graver.element[i].at;
            int64_t steps = move[skews->grid.n_axes] > 0 ? reach(skews, way, move) : 0;
            if (steps == 0)
                continue;
            if (--budget < 0)
                return DECLINE("the longest way in a skewed stamp takes too long to find");
            for (int a = 0; a <= skews->grid.n_axes; a++)
                way[a] += steps * move[a];
            longer = true;
        }
    }
    return NULL;
}

/* Values in a line: the most that the last basis vector's coordinate can differ by between two
 * points of one key, if all values in between are met. */
static const struct sator_decline *count_line(struct fibres *fibres, sator_int *most)
{
    struct closed_skews *skews = fibres->skews;
    struct closed_lattice *lattice = &skews->lattice;
    struct margins margins = {.above = {0}};
    int n = skews->grid.n_axes;
    int64_t way[CLOSED_DIMS] = {0};
    skews->measured = *lattice;
    skews->measured.n_dims = n + 1;
    for (int i = 0; i < lattice->n; i++)
        skews->measured.vector[i][n] = i + 1 == lattice->n;
    const struct sator_decline *why = closed_graver_make(&skews->measured, &skews->graver);
    for (int i = 0; i < skews->graver.n; i++) {
        struct closed_generator *g = &skews->graver.element[i];
        for (int d = 0; d <= n && (g->below >> n & 1); d++)
            g->at[d] = -g->at[d];
        closed_generator_signs(g, n + 1);
    }
    if (why == NULL)
        why = find_way(skews, way);
    if (why != NULL)
        return why;
    if (!meets_all(skews, way, &margins))
        return DECLINE("the values of a skewed stamp have gaps");
    /* The least point from which the way does not leave the digits' ranges. */
    for (int a = 0; a < n; a++) {
        if (fibres->part >> a & 1)
            fibres->at[a] = skews->grid.range[a].lo + margins.below[a] + (way[a] < 0 ? -way[a] : 0);
    }
    *most = (sator_int)way[n] + 1;
    return stays_inside(fibres, way, &margins) ? NULL : &ragged;
}

/* ---- one key row ---- */

static const struct sator_decline *count_row(struct fibres *fibres, bool point, sator_int *most)
{
    const struct closed_skews *skews = fibres->skews;
    int64_t coef[CLOSED_DIGITS];
    int64_t at[CLOSED_DIGITS];
    struct closed_interval x[CLOSED_DIGITS];
    int axis[CLOSED_DIGITS];
    int64_t value;
    int n = 0;
    for (int r = 0; r < fibres->n_keys && n == 0; r++) {
        for (int a = 0; a < skews->grid.n_axes; a++) {
            if ((fibres->part >> a & 1) == 0 || fibres->row[r][a] == 0)
                continue;
            axis[n] = a;
            coef[n] = fibres->row[r][a];
            x[n++] = skews->grid.range[a];
        }
    }
    int64_t unit = 0;
    for (int i = 0; i < n; i++)
        unit = sator_gcd(unit, coef[i]);
    for (int i = 0; i < n; i++)
        coef[i] /= unit;
    const struct sator_decline *why = closed_slab_most(n, coef, x, most, &value);
    if (why == NULL && point && !closed_slab_point(n, coef, x, value, at))
        why = DECLINE("a stamp is a sum whose values have no simple distribution");
    for (int i = 0; i < n && point && why == NULL; i++)
        fibres->at[axis[i]] = at[i];
    return why;
}

/* ---- one key row over ragged tiles ---- */

/* The values of a row over its axes so far, and how many points have each. */
struct table {
    int64_t span; /* greatest value less the least, which number[0] is of */
    sator_int number[MOST_SPAN + 1];
};

/* Append the row's values over a group to "value". Digits outside the part are 0, which leaves the
 * others the most room. */
static int64_t tabulate_group(
        const struct fibres *fibres, const int64_t *row, int group, int64_t *value)
{
    const struct closed_grid *grid = &fibres->skews->grid;
    int first = grid->first[group];
    int number = grid->first[group + 1] - 1;
    int64_t n_values = 0;
    for (int64_t n = grid->range[number].lo; n <= grid->range[number].hi; n++) {
        int64_t rest = n;
        int64_t sum = number == first ? row[first] * n : 0;
        bool counts = true;
        for (int a = number - 1; a >= first; a--) {
            int64_t digit = rest / grid->place[a];
            sum += row[a] * digit;
            rest %= grid->place[a];
            counts = counts && (digit == 0 || (fibres->part >> a & 1));
        }
        if (counts)
            value[n_values++] = sum;
    }
    return n_values;
}

/* Add the group's values to those of "table". */
static bool convolve(const struct fibres *fibres, const int64_t *row, int group,
        struct table *table, int64_t *budget)
{
    int64_t value[MOST_SPAN + 1] = {0};
    sator_int before[MOST_SPAN + 1];
    const struct closed_grid *grid = &fibres->skews->grid;
    if (closed_width(grid->range[grid->first[group + 1] - 1]) > MOST_SPAN + 1)
        return false;
    int64_t n_values = tabulate_group(fibres, row, group, value);
    int64_t least = value[0];
    int64_t greatest = value[0];
    for (int64_t n = 1; n < n_values; n++) {
        least = value[n] < least ? value[n] : least;
        greatest = value[n] > greatest ? value[n] : greatest;
    }
    *budget -= n_values * (table->span + 1);
    if (greatest - least + table->span > MOST_SPAN || *budget < 0)
        return false;
    memcpy(before, table->number, sizeof *before * (size_t)(table->span + 1));
    memset(table->number, 0, sizeof *before * (size_t)(table->span + greatest - least + 1));
    for (int64_t n = 0; n < n_values; n++) {
        for (int64_t v = 0; v <= table->span; v++)
            table->number[v + value[n] - least] += before[v];
    }
    table->span += greatest - least;
    return true;
}

/* Whether the part has digits of the group. */
static bool in_part(const struct fibres *fibres, int group)
{
    const struct closed_grid *grid = &fibres->skews->grid;
    for (int a = grid->first[group]; a < grid->first[group + 1]; a++) {
        if (fibres->part >> a & 1)
            return true;
    }
    return false;
}

/* The mode of a row that some ragged loop's digits are in, by its table. */
static const struct sator_decline *count_table(struct fibres *fibres, sator_int *most)
{
    const struct closed_grid *grid = &fibres->skews->grid;
    struct table table = {.number = {1}};
    int64_t row[CLOSED_DIMS] = {0};
    int64_t budget = MOST_TABLE_STEPS;
    bool found = false;
    for (int r = 0; r < fibres->n_keys && !found; r++) {
        for (int a = 0; a < grid->n_axes; a++) {
            row[a] = fibres->part >> a & 1 ? fibres->row[r][a] : 0;
            found |= row[a] != 0;
        }
    }
    for (int g = 0; g < grid->n_groups; g++) {
        if (in_part(fibres, g) && !convolve(fibres, row, g, &table, &budget))
            return &ragged;
    }
    *most = 0;
    for (int64_t v = 0; v <= table.span; v++)
        *most = table.number[v] > *most ? table.number[v] : *most;
    return NULL;
}

/* ---- strips ---- */

/* Of a part without ragged tiles. */
static const struct sator_decline *count_strips(struct fibres *fibres, sator_int *most)
{
    const struct closed_skews *skews = fibres->skews;
    struct closed_strips strips = {.n_dims = fibres->n_moves, .n_equal = fibres->n_equal};
    int axis[CLOSED_STRIP_FORMS];
    if (fibres->n_moves > CLOSED_STRIP_DIMS)
        return DECLINE("a skewed stamp holds instances in too many directions");
    for (int a = 0; a < skews->grid.n_axes; a++) {
        if ((fibres->part >> a & 1) == 0)
            continue;
        axis[strips.n] = a;
        strips.width[strips.n] = closed_width(skews->grid.range[a]);
        for (int d = 0; d < strips.n_dims; d++)
            strips.form[strips.n][d] = skews->lattice.vector[d][a];
        strips.n++;
    }
    const struct sator_decline *why = closed_strips_most(&strips, most);
    for (int i = 0; i < strips.n && why == NULL && fibres->n_equal == 0; i++)
        fibres->at[axis[i]] = skews->grid.range[axis[i]].lo + strips.at[i];
    return why;
}

/* ---- no key ---- */

/* The distinct values of all digit vectors of the part. */
static const struct sator_decline *count_free(struct fibres *fibres, sator_int *most)
{
    struct closed_skews *skews = fibres->skews;
    struct closed_interval saved[CLOSED_AXES];
    memcpy(saved, skews->grid.range, sizeof saved);
    for (int a = 0; a < skews->grid.n_axes; a++) {
        if ((fibres->part >> a & 1) == 0)
            skews->grid.range[a].hi = skews->grid.range[a].lo;
    }
    skews->lattice.n = fibres->n_equal;
    const struct sator_decline *why = closed_skews_classes(skews, most);
    memcpy(skews->grid.range, saved, sizeof saved);
    return why;
}

/* ---- the whole ---- */

static const struct sator_decline *count_part(
        struct fibres *fibres, uint32_t part, bool point, sator_int *most)
{
    const struct sator_decline *why = make_basis(fibres, part);
    int n_values = fibres->n_moves - fibres->n_equal;
    *most = 1;
    if (why != NULL || n_values == 0)
        return why;
    if (n_values == 1 && count_line(fibres, most) == NULL)
        return NULL;
    if (fibres->n_digits == fibres->n_moves)
        return count_free(fibres, most);
    if (fibres->n_digits != __builtin_popcount(part)) {
        bool row = fibres->n_equal == 0 && fibres->n_digits == fibres->n_moves + 1 && !point;
        return row && count_table(fibres, most) == NULL ? NULL : &ragged;
    }
    if (fibres->n_equal == 0 && fibres->n_digits == fibres->n_moves + 1) {
        why = count_row(fibres, point, most);
        if (why == NULL)
            return NULL;
    }
    return count_strips(fibres, most);
}

static void get_rows(struct fibres *fibres, const struct closed_classes *classes)
{
    for (int r = 0; r < classes->n_keys; r++)
        closed_skews_row(fibres->skews, classes->key[r], fibres->row[r]);
    for (int r = 0; r < classes->n_values; r++)
        closed_skews_row(fibres->skews, classes->value[r], fibres->row[classes->n_keys + r]);
}

/* The first number among the axes from "axis" on, -1 for none. */
static int next_number(const struct closed_skews *skews, int axis)
{
    while (axis < skews->grid.n_axes && skews->digit[axis] >= 0)
        axis++;
    return axis < skews->grid.n_axes ? axis : -1;
}

/* Set "*moving" to the digits that two digit vectors of one key can differ in, were no tile ragged.
 */
static const struct sator_decline *find_moving(
        struct fibres *fibres, const struct closed_classes *classes, uint32_t *moving)
{
    uint32_t part[CLOSED_AXES];
    int n_parts;
    struct closed_skews *skews = fibres->skews;
    for (int number = next_number(skews, 0); number >= 0; number = next_number(skews, number))
        closed_skews_drop(skews, number);
    get_rows(fibres, classes);
    const struct sator_decline *why = find_parts(fibres, part, &n_parts);
    *moving = 0;
    for (int p = 0; p < n_parts && why == NULL; p++) {
        for (int a = 0; a < skews->grid.n_axes; a++)
            *moving |= (part[p] >> a & 1) << skews->digit[a];
    }
    return why;
}

/* The axes of "digits", but for numbers whose moving digits, the others being 0, stay below the
 * loop's end: no fibre over other values of those is greater, and no tile of this one ragged. */
static const struct sator_decline *drop_numbers(struct closed_state *state,
        const struct closed_digits *digits, const struct closed_classes *classes,
        struct fibres *fibres)
{
    uint32_t moving = 0;
    const struct sator_decline *why = closed_skews_open(state, digits, &fibres->skews);
    if (why != NULL || next_number(fibres->skews, 0) < 0)
        return why;
    why = find_moving(fibres, classes, &moving);
    if (why == NULL)
        why = closed_skews_open(state, digits, &fibres->skews);
    if (why != NULL)
        return why;
    const struct closed_skews *skews = fibres->skews;
    const struct closed_grid *grid = &skews->grid;
    for (int number = next_number(skews, 0); number >= 0;) {
        sator_int corner = 0;
        int a = number - 1;
        for (; a >= 0 && skews->digit[a] >= 0 &&
                digits->digit[skews->digit[a]].loop == digits->digit[skews->digit[number - 1]].loop;
                a--)
            corner += moving >> skews->digit[a] & 1 ? (sator_int)grid->place[a] * grid->range[a].hi
                                                    : 0;
        bool fits = corner <= grid->range[number].hi;
        if (fits)
            closed_skews_drop(fibres->skews, number);
        number = next_number(skews, fits ? number : number + 1);
    }
    return NULL;
}

/* The iterators of the digit vector "at". */
static void get_instance(
        const struct fibres *fibres, const struct closed_digits *digits, int64_t *instance)
{
    const struct closed_skews *skews = fibres->skews;
    for (int l = 0; l < digits->n_loops; l++)
        instance[l] = digits->loop[l].lower;
    for (int a = 0; a < skews->grid.n_axes; a++) {
        if (skews->digit[a] < 0)
            continue;
        const struct closed_digit *digit = &digits->digit[skews->digit[a]];
        instance[digit->loop] += digit->place * (fibres->at[a] - skews->grid.range[a].lo);
    }
}

/* The greatest fibre over the axes as they are. */
static const struct sator_decline *count_axes(
        struct fibres *fibres, const struct closed_classes *classes, bool point, sator_int *most)
{
    uint32_t part[CLOSED_AXES];
    int n_parts = 0;
    sator_int product = 1;
    get_rows(fibres, classes);
    const struct sator_decline *why = find_parts(fibres, part, &n_parts);
    for (int a = 0; a < fibres->skews->grid.n_axes; a++)
        fibres->at[a] = fibres->skews->grid.range[a].lo;
    for (int p = 0; p < n_parts && why == NULL; p++) {
        sator_int n;
        why = count_part(fibres, part[p], point, &n);
        product *= n;
    }
    *most = product;
    return why;
}

/* Take tiles for whole that are &ragged: all of them, or (if "inner") leave out the last tile of
 * every loop. */
static void make_whole(struct closed_skews *skews, bool inner)
{
    for (int number = next_number(skews, 0); number >= 0; number = next_number(skews, 0)) {
        if (inner)
            skews->grid.range[number - 1].hi--; /* the top digit */
        closed_skews_drop(skews, number);
    }
}

/* The greatest fibre when ragged tiles may bound it: between that of whole tiles and that of the
 * tiles which are whole, if both are the same. */
static const struct sator_decline *count_between(struct closed_state *state,
        const struct closed_digits *digits, const struct closed_classes *classes,
        struct fibres *fibres, bool point, sator_int *most)
{
    sator_int bound;
    make_whole(fibres->skews, false);
    const struct sator_decline *why = count_axes(fibres, classes, false, &bound);
    if (why == NULL)
        why = drop_numbers(state, digits, classes, fibres);
    if (why != NULL)
        return why;
    make_whole(fibres->skews, true);
    why = count_axes(fibres, classes, point, most);
    return why == NULL && *most != bound ? &ragged : why;
}

const struct sator_decline *closed_fibres_most(struct closed_state *state,
        const struct closed_system *system, const struct closed_classes *classes, sator_int *most,
        int64_t *instance)
{
    struct fibres fibres = {
            .n_keys = classes->n_keys, .n_values = classes->n_values, .every = classes->every};
    sator_int count;
    bool point = instance != NULL;
    if (classes->copies != NULL && classes->copies->n_copies > 1)
        return DECLINE("a tensor with several accesses under a skewed stamp");
    const struct sator_decline *why = drop_numbers(state, &system->digits, classes, &fibres);
    if (why == NULL)
        why = count_axes(&fibres, classes, point, &count);
    if (why != NULL && why == &ragged)
        why = count_between(state, &system->digits, classes, &fibres, point, &count);
    if (why != NULL)
        return why;
    *most = count;
    if (point)
        get_instance(&fibres, &system->digits, instance);
    return NULL;
}
