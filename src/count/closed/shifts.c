/* Shifts between points of an image, and counting the points of its parts. */
#include "count/closed/image.h"

#include "base/checked.h"

#include <assert.h>
#include <string.h>

static const struct sator_decline too_many = {"a value can come from too many places"};
static const struct sator_decline pool_full = {"the digit boxes are too many"};

/* ---- solving ---- */

/* What row "row" < n_rows lacks to rhs[row] when the classes in "which" have their values. Values
 * are within the classes' spans, so the sum is one of differences of the row: it is below
 * CLOSED_BOUND. */
static int64_t rest_of_row(const struct closed_image *image, const int64_t *rhs, int row,
        uint32_t which, const int64_t *value)
{
    const int64_t *column = image->column[row];
    int64_t rest = rhs[row];
    for (; which != 0; which &= which - 1) {
        int c = __builtin_ctz(which);
        rest -= column[c] * value[c];
    }
    return rest;
}

/* What combinations of rows come to; whatever the values, so that it is worth remembering. */
struct combined {
    uint64_t known;
    sator_int rhs[CLOSED_ROWS];
};

/* The same for a combination of rows, whose coefficients may be large. */
static sator_int rest_of_combination(const struct closed_image *image, const int64_t *rhs, int row,
        uint32_t which, const int64_t *value, struct combined *combined)
{
    int at = row - image->n_rows;
    const int64_t *combine = image->combine[at];
    if (!(combined->known >> at & 1)) {
        combined->known |= UINT64_C(1) << at;
        combined->rhs[at] = 0;
        for (int r = 0; r < image->n_rows; r++)
            combined->rhs[at] += (sator_int)combine[r] * rhs[r];
    }
    sator_int rest = combined->rhs[at];
    for (; which != 0; which &= which - 1) {
        int c = __builtin_ctz(which);
        rest -= (sator_int)image->column[row][c] * value[c];
    }
    return rest;
}

/* Set the class's value so that its row comes to its right-hand side; false when no two points
 * differ by that. */
static bool solve_step(const struct closed_image *image, const struct closed_step *step,
        const int64_t *rhs, int64_t *value, struct combined *combined)
{
    int64_t span = image->span[step->class];
    int64_t divisor = step->divisor;
    int64_t quotient;
    if (step->row < image->n_rows) {
        int64_t rest = rest_of_row(image, rhs, step->row, step->others, value);
        bool is_unit = divisor == 1 || divisor == -1; /* most are */
        if (!is_unit && rest % divisor != 0)
            return false;
        quotient = is_unit ? rest * divisor : rest / divisor;
    } else {
        sator_int rest = rest_of_combination(image, rhs, step->row, step->others, value, combined);
        if (rest == (int64_t)rest && rest != INT64_MIN) { /* divisions of 128 bits are slow */
            quotient = (int64_t)rest / divisor;
            if ((int64_t)rest % divisor != 0)
                return false;
        } else {
            quotient = (int64_t)(rest / divisor);
            if (rest % divisor != 0 || quotient != rest / divisor)
                return false;
        }
    }
    value[step->class] = quotient;
    return quotient <= span && quotient >= -span;
}

/* Set the classes' values so that image(value) = rhs, the parameters' being set: false when there
 * is no integer solution that two points can differ by. */
static bool solve_classes(const struct closed_image *image, const int64_t *rhs, int64_t *value,
        struct combined *combined)
{
    for (int s = 0; s < image->n_steps; s++) {
        if (!solve_step(image, &image->step[s], rhs, value, combined))
            return false;
    }
    for (uint64_t rest = image->unsolved; rest != 0; rest &= rest - 1) {
        int r = __builtin_ctzll(rest);
        if (rest_of_row(image, rhs, r, image->uses[r], value) != 0)
            return false;
    }
    return true;
}

/* Start the parameters at their least difference; then the next combination, false after the last.
 */
static void first_try(const struct closed_image *image, int64_t *value)
{
    for (int i = 0; i < image->n_parameters; i++)
        value[image->parameter[i]] = -image->span[image->parameter[i]];
}

static bool next_try(const struct closed_image *image, int64_t *value)
{
    for (int i = 0; i < image->n_parameters; i++) {
        int c = image->parameter[i];
        if (++value[c] <= image->span[c])
            return true;
        value[c] = -image->span[c];
    }
    return false;
}

/* Axes of one class, and what those of smaller weight reach together. */
struct chain {
    const struct closed_image *image;
    int n;
    int axis[CLOSED_DIGITS]; /* greatest weight first */
    int64_t reach[CLOSED_DIGITS];
};

static void find_chain(const struct closed_image *image, int class, struct chain *chain)
{
    int64_t reach = 0;
    chain->image = image;
    chain->n = 0;
    for (int a = image->n_axes - 1; a >= 0; a--) {
        if (image->axis[a].class == class)
            chain->axis[chain->n++] = a; /* made in ascending order of weight */
    }
    for (int i = chain->n - 1; i >= 0; i--) {
        const struct closed_axis *axis = &image->axis[chain->axis[i]];
        chain->reach[i] = reach;
        reach += axis->weight * axis->span;
    }
}

/* Moves found so far. */
struct moves {
    int n, most;
    int64_t (*shift)[CLOSED_DIGITS];
};

/* Append the ways to write "rest" with the chain's axes from "i" on, the other axes as in "base".
 */
static const struct sator_decline *split_class(
        const struct chain *chain, int i, int64_t rest, int64_t *base, struct moves *moves)
{
    if (i == chain->n) {
        if (rest != 0)
            return NULL;
        if (moves->n == moves->most)
            return &too_many;
        memcpy(moves->shift[moves->n++], base, sizeof *base * CLOSED_DIGITS);
        return NULL;
    }
    const struct closed_axis *axis = &chain->image->axis[chain->axis[i]];
    int64_t first = -sator_floor_div(-(rest - chain->reach[i]), axis->weight);
    int64_t last = sator_floor_div(rest + chain->reach[i], axis->weight);
    struct closed_interval range = closed_meet((struct closed_interval){first, last},
            (struct closed_interval){-axis->span, axis->span});
    const struct sator_decline *why = NULL;
    for (int64_t v = range.lo; v <= range.hi && why == NULL; v++) {
        base[chain->axis[i]] = v;
        why = split_class(chain, i + 1, rest - v * axis->weight, base, moves);
    }
    return why;
}

/* Append the moves of the axes that give the classes these values. */
static const struct sator_decline *add_moves(
        const struct closed_image *image, const int64_t *value, struct moves *moves)
{
    int64_t base[CLOSED_DIGITS];
    if (moves->n == moves->most)
        return &too_many;
    if (image->n_axes == image->n_classes) {
        for (int a = 0; a < image->n_axes; a++) {
            const struct closed_axis *axis = &image->axis[a];
            base[a] = value[axis->class];
            if (axis->weight == 1) /* within the class's span, which is the axis's */
                continue;
            base[a] /= axis->weight;
            if (value[axis->class] % axis->weight != 0)
                return NULL;
        }
        memcpy(moves->shift[moves->n++], base, sizeof *base * (size_t)image->n_axes);
        return NULL;
    }
    /* One class after another: every way so far is continued in every way of the next class. */
    int first = moves->n;
    int end = first + 1;
    memset(moves->shift[first], 0, sizeof moves->shift[first]);
    for (int c = 0; c < image->n_classes; c++) {
        struct chain chain;
        moves->n = end;
        find_chain(image, c, &chain);
        for (int i = first; i < end; i++) {
            memcpy(base, moves->shift[i], sizeof base);
            const struct sator_decline *why = split_class(&chain, 0, value[c], base, moves);
            if (why != NULL)
                return why;
        }
        memmove(moves->shift + first, moves->shift + end,
                sizeof *moves->shift * (size_t)(moves->n - end));
        end = first + moves->n - end;
    }
    moves->n = end;
    return NULL;
}

const struct sator_decline *closed_image_solve(const struct closed_image *image, const int64_t *rhs,
        int most_shifts, int64_t (*shift)[CLOSED_DIGITS], int *n_shifts)
{
    int64_t value[CLOSED_DIGITS];
    struct moves moves = {.n = 0, .most = most_shifts, .shift = shift};
    struct combined combined;
    const struct sator_decline *why = NULL;
    combined.known = 0;
    first_try(image, value);
    do {
        if (solve_classes(image, rhs, value, &combined))
            why = add_moves(image, value, &moves);
    } while (why == NULL && next_try(image, value));
    *n_shifts = moves.n;
    return why;
}

bool closed_image_is_bijection(const struct closed_image *image)
{
    const int64_t rhs[CLOSED_ROWS] = {0};
    int64_t shift[16][CLOSED_DIGITS];
    int n_shifts;
    /* The move 0 is always found. */
    return closed_image_solve(image, rhs, 16, shift, &n_shifts) == NULL && n_shifts == 1;
}

/* ---- regions ---- */

void closed_region_all(const struct closed_image *image, struct closed_region *region)
{
    region->is_empty = false;
    for (int f = 0; f < image->n_factors; f++)
        region->factor[f] = image->factor[f].boxes;
    for (int r = 0; r < image->n_rows; r++)
        region->slab[r] = CLOSED_ANY;
}

/* The only axis of "row", -1 for none, -2 for several. */
static int only_axis(const struct closed_image *image, int row)
{
    uint32_t uses = image->uses[row];
    if (uses == 0)
        return -1;
    return (uses & (uses - 1)) != 0 ? -2 : image->only_axis[__builtin_ctz(uses)];
}

/* The values x with coef * x + constant in "slab". */
static struct closed_interval solve_slab(
        int64_t coef, int64_t constant, struct closed_interval slab)
{
    struct closed_interval part = {slab.lo - constant, slab.hi - constant};
    if (coef < 0) {
        coef = -coef;
        part = (struct closed_interval){-part.hi, -part.lo};
    }
    part.lo = -sator_floor_div(-part.lo, coef);
    part.hi = sator_floor_div(part.hi, coef);
    return part;
}

static int factor_of_axis(const struct closed_image *image, int axis)
{
    int f = image->n_factors - 1;
    while (image->factor[f].first_axis > axis)
        f--;
    return f;
}

const struct sator_decline *closed_region_clip(struct closed_pool *pool,
        const struct closed_image *image, int row, struct closed_interval slab,
        struct closed_region *region)
{
    int axis = only_axis(image, row);
    if (axis == -2) {
        region->slab[row] = closed_meet(region->slab[row], slab);
        return NULL;
    }
    if (axis == -1) {
        if (image->constant[row] < slab.lo || image->constant[row] > slab.hi)
            region->is_empty = true;
        return NULL;
    }
    struct closed_interval part =
            solve_slab(closed_image_coef(image, row, axis), image->constant[row], slab);
    int f = factor_of_axis(image, axis);
    int at = axis - image->factor[f].first_axis;
    const struct closed_boxes *boxes = &region->factor[f];
    int n_axes = boxes->n_axes;
    struct closed_boxes clipped = {.n_axes = n_axes, .box = pool->data + pool->used};
    for (int i = 0; i < boxes->n; i++) {
        struct closed_interval meet = closed_meet(closed_box(boxes, i)[at], part);
        if (closed_is_empty(meet))
            continue;
        struct closed_interval *box = closed_pool_take(pool, n_axes);
        if (box == NULL)
            return &pool_full;
        memcpy(box, closed_box(boxes, i), sizeof *box * (size_t)n_axes);
        box[at] = meet;
        clipped.n++;
    }
    region->factor[f] = clipped;
    return NULL;
}

const struct sator_decline *closed_region_move(struct closed_pool *pool,
        const struct closed_image *image, const int64_t *shift, const struct closed_region *region,
        struct closed_region *result)
{
    result->is_empty = region->is_empty;
    memcpy(result->slab, region->slab, sizeof result->slab[0] * (size_t)image->n_rows);
    for (int f = 0; f < image->n_factors; f++) {
        const struct closed_factor *factor = &image->factor[f];
        const int64_t *by = shift + factor->first_axis;
        bool moves = false;
        for (int a = 0; a < factor->boxes.n_axes; a++)
            moves |= by[a] != 0;
        result->factor[f] = region->factor[f];
        if (!moves)
            continue;
        const struct sator_decline *why = closed_boxes_intersect(
                pool, &region->factor[f], &factor->boxes, by, &result->factor[f]);
        if (why != NULL)
            return why;
    }
    return NULL;
}

/* ---- counting ---- */

/* Rows with a bound and several axes couple factors; a component is a set of factors that must be
 * counted together. */
struct component {
    int n_factors, n_rows;
    int factor[CLOSED_LOOPS];
    int row[CLOSED_ROWS];
};

/* A bounded row over a box: its range, and its part that varies. */
struct bounded {
    struct closed_interval range;
    int64_t fixed; /* the constant and the axes of one value */
    int n_free;
    int axis[CLOSED_DIGITS];
    int64_t coef[CLOSED_DIGITS];
};

static void bound_row(const struct closed_image *image, int row, const struct closed_interval *axis,
        struct bounded *bounded)
{
    bounded->fixed = image->constant[row];
    bounded->range = (struct closed_interval){bounded->fixed, bounded->fixed};
    bounded->n_free = 0;
    for (int a = 0; a < image->n_axes; a++) {
        int64_t coef = closed_image_coef(image, row, a);
        if (coef == 0)
            continue;
        bounded->range.lo += coef * (coef < 0 ? axis[a].hi : axis[a].lo);
        bounded->range.hi += coef * (coef < 0 ? axis[a].lo : axis[a].hi);
        if (axis[a].lo == axis[a].hi) {
            bounded->fixed += coef * axis[a].lo;
            continue;
        }
        bounded->axis[bounded->n_free] = a;
        bounded->coef[bounded->n_free++] = coef;
    }
}

/* Let rows that leave one axis free bound it, until none does. The rows that still bound something
 * are set in
 * "*pending"; false when no point is left. */
static bool settle_rows(const struct closed_image *image, const struct component *component,
        const struct closed_region *region, struct closed_interval *axis, uint64_t *pending)
{
    bool progress = true;
    *pending = 0;
    for (int i = 0; i < component->n_rows; i++)
        *pending |= (uint64_t)1 << component->row[i];
    while (progress) {
        progress = false;
        for (uint64_t rest = *pending; rest != 0; rest &= rest - 1) {
            int row = __builtin_ctzll(rest);
            struct closed_interval slab = region->slab[row];
            struct bounded bounded;
            bound_row(image, row, axis, &bounded);
            if (bounded.range.hi < slab.lo || bounded.range.lo > slab.hi)
                return false;
            bool holds = slab.lo <= bounded.range.lo && bounded.range.hi <= slab.hi;
            if (!holds && bounded.n_free != 1)
                continue;
            *pending &= ~((uint64_t)1 << row);
            if (holds)
                continue;
            struct closed_interval *only = &axis[bounded.axis[0]];
            *only = closed_meet(*only, solve_slab(bounded.coef[0], bounded.fixed, slab));
            if (closed_is_empty(*only))
                return false;
            progress = true;
        }
    }
    return true;
}

/* Count the points of one box (one interval an axis, for the axes of the component's factors)
 * between the bounds of its rows, which must not share a free axis. */
static const struct sator_decline *count_box(const struct closed_image *image,
        const struct component *component, const struct closed_region *region,
        struct closed_interval *axis, sator_int *count)
{
    bool counted[CLOSED_DIGITS] = {false};
    uint64_t pending;
    sator_int product = 1;
    *count = 0;
    if (!settle_rows(image, component, region, axis, &pending))
        return NULL;
    for (; pending != 0; pending &= pending - 1) {
        int row = __builtin_ctzll(pending);
        struct closed_interval x[CLOSED_DIGITS];
        struct bounded bounded;
        sator_int part;
        bound_row(image, row, axis, &bounded);
        for (int i = 0; i < bounded.n_free; i++) {
            if (counted[bounded.axis[i]])
                return DECLINE("two coupled stamps are bounded at once");
            counted[bounded.axis[i]] = true;
            x[i] = axis[bounded.axis[i]];
        }
        struct closed_interval slab = region->slab[row];
        slab.lo -= bounded.fixed;
        slab.hi -= bounded.fixed;
        const struct sator_decline *why =
                closed_slab_count(bounded.n_free, bounded.coef, x, slab, &part);
        if (why != NULL)
            return why;
        product *= part;
    }
    for (int i = 0; i < component->n_factors; i++) {
        const struct closed_factor *factor = &image->factor[component->factor[i]];
        for (int a = factor->first_axis; a < factor->first_axis + factor->boxes.n_axes; a++) {
            if (!counted[a])
                product *= closed_width(axis[a]);
        }
    }
    *count = product;
    return NULL;
}

/* Sum count_box over the product of the boxes of the component's factors. */
static const struct sator_decline *count_component(const struct closed_image *image,
        const struct component *component, const struct closed_region *region, sator_int *count)
{
    struct closed_interval axis[CLOSED_DIGITS];
    int at[CLOSED_LOOPS] = {0};
    int n = component->n_factors;
    *count = 0;
    for (;;) {
        for (int i = 0; i < n; i++) {
            const struct closed_boxes *boxes = &region->factor[component->factor[i]];
            memcpy(&axis[image->factor[component->factor[i]].first_axis], closed_box(boxes, at[i]),
                    sizeof *axis * (size_t)boxes->n_axes);
        }
        sator_int part;
        const struct sator_decline *why = count_box(image, component, region, axis, &part);
        if (why != NULL)
            return why;
        *count += part;
        int i = 0;
        while (i < n && ++at[i] == region->factor[component->factor[i]].n)
            at[i++] = 0;
        if (i == n)
            return NULL;
    }
}

static sator_int volume(const struct closed_boxes *boxes)
{
    sator_int sum = 0;
    for (int i = 0; i < boxes->n; i++) {
        sator_int product = 1;
        for (int a = 0; a < boxes->n_axes; a++)
            product *= closed_width(closed_box(boxes, i)[a]);
        sum += product;
    }
    return sum;
}

/* Which bounded rows use which factor; all bounded rows. False when a bound is empty. */
static bool find_bounded(const struct closed_image *image, const struct closed_region *region,
        uint64_t *rows_of, uint64_t *bounded)
{
    *bounded = 0;
    for (int r = 0; r < image->n_rows; r++) {
        if (region->slab[r].lo <= CLOSED_ANY.lo && region->slab[r].hi >= CLOSED_ANY.hi)
            continue;
        if (closed_is_empty(region->slab[r]))
            return false;
        for (int a = 0; a < image->n_axes; a++) {
            if (closed_image_coef(image, r, a) != 0)
                rows_of[factor_of_axis(image, a)] |= (uint64_t)1 << r;
        }
        *bounded |= (uint64_t)1 << r;
    }
    return true;
}

/* The component of the first of the "pending" rows, which leave it. */
static void take_component(const struct closed_image *image, const uint64_t *rows_of,
        uint64_t *pending, struct component *component)
{
    uint64_t rows = *pending & -*pending;
    uint64_t before = 0;
    while (rows != before) {
        before = rows;
        for (int f = 0; f < image->n_factors; f++)
            rows |= rows_of[f] & rows ? rows_of[f] : 0;
    }
    component->n_factors = 0;
    component->n_rows = 0;
    for (int f = 0; f < image->n_factors; f++) {
        if (rows_of[f] & rows)
            component->factor[component->n_factors++] = f;
    }
    for (int r = 0; r < image->n_rows; r++) {
        if (rows >> r & 1)
            component->row[component->n_rows++] = r;
    }
    *pending &= ~rows;
}

const struct sator_decline *closed_region_count(
        const struct closed_image *image, const struct closed_region *region, sator_int *count)
{
    uint64_t rows_of[CLOSED_LOOPS] = {0};
    uint64_t pending;
    sator_int product = 1;
    *count = 0;
    if (region->is_empty)
        return NULL;
    for (int f = 0; f < image->n_factors; f++) {
        if (region->factor[f].n == 0)
            return NULL;
    }
    if (!find_bounded(image, region, rows_of, &pending))
        return NULL;
    for (int f = 0; f < image->n_factors; f++) {
        if (rows_of[f] == 0)
            product *= volume(&region->factor[f]);
    }
    while (pending != 0) {
        struct component component;
        sator_int part;
        take_component(image, rows_of, &pending, &component);
        const struct sator_decline *why = count_component(image, &component, region, &part);
        if (why != NULL)
            return why;
        product *= part;
    }
    *count = product;
    return NULL;
}
