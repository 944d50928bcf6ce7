/* The greatest number of distinct values that share a key: tile sizes, active PEs, instances in a
 * stamp.
 *
 * Axes that the key determines are pinned; the others are free, or coupled: bound together by a key
 * row such as i%8 + j%8 + k. Of each factor the best pinned value is taken, the one that most boxes
 * contain; a coupled row is then most often met at the mode of its distribution.
 */
#include "base/room.h"
#include "count/closed/fibres.h"

#include "base/checked.h"

#include <string.h>

enum {
    FAMILIES = SATOR_ROOM(4096, 2) /* families of boxes tried for one factor */
};

enum kind {
    AXIS_FREE,
    AXIS_PINNED,
    AXIS_COUPLED
};

struct most {
    const struct closed_image *image;
    int n_keys;
    enum kind kind[CLOSED_DIGITS]; /* of each axis */
    bool is_coupled[CLOSED_ROWS]; /* key rows with several unknown axes */
    struct closed_interval chosen[CLOSED_DIGITS]; /* pinned: the value; else: the fibre (coupled
                                                     factors) or a box of it */
    int budget;
};

/* ---- kinds of axes ---- */

/* Whether the unknown axes of key row "row" make a mixed-radix number, so that the row determines
 * them all: of each two, one counts in steps greater than all that smaller steps reach. */
static bool determines_all(const struct closed_image *image, int row, const bool *known)
{
    int64_t above = 0; /* the smallest step not yet looked at exceeds this */
    int64_t reach = 0;
    for (;;) {
        int64_t step = 0;
        int64_t span = 0;
        int n = 0;
        for (int a = 0; a < image->n_axes; a++) {
            int64_t coef = closed_image_coef(image, row, a);
            int64_t size = coef < 0 ? -coef : coef;
            if (size <= above || known[image->axis[a].class] || (step > 0 && size > step))
                continue;
            n = size == step ? n + 1 : 1;
            step = size;
            span = image->axis[a].span;
        }
        if (step == 0)
            return true;
        if (n > 1 || step <= reach)
            return false;
        above = step;
        reach += step * span;
    }
}

/* Set "known" for the classes that the key rows determine. */
static void find_known(const struct most *most, bool *known)
{
    const struct closed_image *image = most->image;
    bool progress = true;
    while (progress) {
        progress = false;
        for (int r = 0; r < most->n_keys; r++) {
            int unknown = 0;
            for (int c = 0; c < image->n_classes; c++)
                unknown += !known[c] && image->column[r][c] != 0;
            if (unknown == 0 || (unknown > 1 && !determines_all(image, r, known)))
                continue;
            for (int c = 0; c < image->n_classes; c++)
                known[c] = known[c] || image->column[r][c] != 0;
            progress = true;
        }
    }
}

static const struct sator_decline *find_kinds(struct most *most)
{
    const struct closed_image *image = most->image;
    bool known[CLOSED_DIGITS] = {false};
    find_known(most, known);
    for (int a = 0; a < image->n_axes; a++)
        most->kind[a] = known[image->axis[a].class] ? AXIS_PINNED : AXIS_FREE;
    for (int r = 0; r < most->n_keys; r++) {
        most->is_coupled[r] = false;
        for (int a = 0; a < image->n_axes; a++) {
            if (closed_image_coef(image, r, a) == 0 || most->kind[a] == AXIS_PINNED)
                continue;
            if (most->kind[a] == AXIS_COUPLED)
                return DECLINE("two dimensions of the stamp depend on the same loops");
            most->kind[a] = AXIS_COUPLED;
            most->is_coupled[r] = true;
        }
    }
    return NULL;
}

/* ---- the best fibre of a factor ---- */

/* A family of boxes with a common pinned value. */
struct family {
    int n;
    int box[64];
    struct closed_interval pinned[CLOSED_DIGITS];
};

static const struct closed_interval *box_of(const struct closed_factor *factor, int i)
{
    return factor->boxes.box + i * factor->boxes.n_axes;
}

/* Points that the family's boxes have over one pinned value: they are disjoint there. */
static sator_int fibre_volume(
        const struct most *most, const struct closed_factor *factor, const struct family *family)
{
    sator_int sum = 0;
    for (int i = 0; i < family->n; i++) {
        sator_int product = 1;
        for (int a = 0; a < factor->boxes.n_axes; a++) {
            if (most->kind[factor->first_axis + a] != AXIS_PINNED)
                product *= closed_width(box_of(factor, family->box[i])[a]);
        }
        sum += product;
    }
    return sum;
}

/* Extend "family" by boxes from "from" on in every way that leaves a common pinned value; keep the
 * greatest. */
static const struct sator_decline *search(struct most *most, const struct closed_factor *factor,
        int from, const struct family *family, sator_int *best, struct family *winner)
{
    if (--most->budget < 0)
        return DECLINE("the digit boxes overlap in too many ways");
    if (family->n > 0) {
        sator_int volume = fibre_volume(most, factor, family);
        if (volume > *best) {
            *best = volume;
            *winner = *family;
        }
    }
    for (int i = from; i < factor->boxes.n; i++) {
        struct family next = *family;
        bool empty = false;
        for (int a = 0; a < factor->boxes.n_axes && !empty; a++) {
            struct closed_interval range = box_of(factor, i)[a];
            if (most->kind[factor->first_axis + a] != AXIS_PINNED)
                continue;
            next.pinned[a] = family->n == 0 ? range : closed_meet(family->pinned[a], range);
            empty = closed_is_empty(next.pinned[a]);
        }
        if (empty || next.n == 64)
            continue;
        next.box[next.n++] = i;
        const struct sator_decline *why = search(most, factor, i + 1, &next, best, winner);
        if (why != NULL)
            return why;
    }
    return NULL;
}

/* The family's boxes over its pinned value. */
static const struct sator_decline *make_fibre(struct closed_pool *pool, const struct most *most,
        const struct closed_factor *factor, const struct family *family, struct closed_boxes *fibre)
{
    int n_axes = factor->boxes.n_axes;
    *fibre = (struct closed_boxes){.n = family->n, .n_axes = n_axes};
    fibre->box = closed_pool_take(pool, family->n * n_axes);
    if (fibre->box == NULL)
        return DECLINE("the digit boxes are too many");
    for (int i = 0; i < family->n; i++) {
        for (int a = 0; a < n_axes; a++) {
            int64_t at = family->pinned[a].lo;
            closed_box(fibre, i)[a] = most->kind[factor->first_axis + a] == AXIS_PINNED
                    ? (struct closed_interval){at, at}
                    : box_of(factor, family->box[i])[a];
        }
    }
    return closed_boxes_disjoin(pool, fibre);
}

/* Whether "box", its pinned axes aside, lies in one of the fibre's boxes. */
static bool in_fibre(const struct most *most, const struct closed_factor *factor,
        const struct closed_boxes *fibre, const struct closed_interval *box)
{
    for (int i = 0; i < fibre->n; i++) {
        const struct closed_interval *hull = closed_box(fibre, i);
        bool inside = true;
        for (int a = 0; a < fibre->n_axes; a++)
            inside = inside &&
                    (most->kind[factor->first_axis + a] == AXIS_PINNED ||
                            (box[a].lo >= hull[a].lo && box[a].hi <= hull[a].hi));
        if (inside)
            return true;
    }
    return false;
}

/* Set the chosen intervals of a coupled factor: one box that holds the fibre of every pinned value.
 */
static const struct sator_decline *choose_hull(struct closed_pool *pool, struct most *most,
        const struct closed_factor *factor, const struct family *winner)
{
    static const struct sator_decline why_not = {"a skewed stamp runs over ragged tiles"};
    struct closed_boxes fibre;
    const struct sator_decline *why = make_fibre(pool, most, factor, winner, &fibre);
    if (why != NULL || fibre.n != 1)
        return why != NULL ? why : &why_not;
    memcpy(&most->chosen[factor->first_axis], fibre.box, sizeof *fibre.box * (size_t)fibre.n_axes);
    for (int i = 0; i < factor->boxes.n; i++) {
        if (!in_fibre(most, factor, &fibre, box_of(factor, i)))
            return &why_not;
    }
    return NULL;
}

static bool is_coupled_factor(const struct most *most, const struct closed_factor *factor)
{
    for (int a = 0; a < factor->boxes.n_axes; a++) {
        if (most->kind[factor->first_axis + a] == AXIS_COUPLED)
            return true;
    }
    return false;
}

/* Multiply "*product" by what the factor contributes apart from coupled axes, and choose its fibre.
 */
static const struct sator_decline *count_factor(struct closed_pool *pool, struct most *most,
        const struct closed_factor *factor, sator_int *product)
{
    struct family none = {.n = 0};
    struct family winner = {.n = 0};
    sator_int best = 0;
    int n_axes = factor->boxes.n_axes;
    most->budget = FAMILIES;
    const struct sator_decline *why = search(most, factor, 0, &none, &best, &winner);
    if (why != NULL)
        return why;
    if (is_coupled_factor(most, factor)) {
        why = choose_hull(pool, most, factor, &winner);
        for (int a = 0; a < n_axes && why == NULL; a++) {
            if (most->kind[factor->first_axis + a] == AXIS_FREE)
                *product *= closed_width(most->chosen[factor->first_axis + a]);
        }
        return why;
    }
    *product *= best;
    for (int a = 0; a < n_axes; a++) {
        int64_t at = winner.pinned[a].lo;
        most->chosen[factor->first_axis + a] = most->kind[factor->first_axis + a] == AXIS_PINNED
                ? (struct closed_interval){at, at}
                : box_of(factor, winner.box[0])[a];
    }
    return NULL;
}

/* ---- coupled rows ---- */

/* Multiply "*product" by the mode of a coupled row; its axes' values there into "chosen" if
 * "point". */
static const struct sator_decline *count_row(
        struct most *most, int row, bool point, sator_int *product)
{
    int64_t coef[CLOSED_DIGITS];
    struct closed_interval x[CLOSED_DIGITS];
    int axis[CLOSED_DIGITS];
    int64_t at[CLOSED_DIGITS];
    int n = 0;
    sator_int mode;
    int64_t value;
    for (int a = 0; a < most->image->n_axes; a++) {
        int64_t c = closed_image_coef(most->image, row, a);
        if (c == 0 || most->kind[a] != AXIS_COUPLED)
            continue;
        axis[n] = a;
        coef[n] = c;
        x[n++] = most->chosen[a];
    }
    const struct sator_decline *why = closed_slab_most(n, coef, x, &mode, &value);
    if (why != NULL)
        return why;
    *product *= mode;
    if (!point)
        return NULL;
    if (!closed_slab_point(n, coef, x, value, at))
        return DECLINE("a stamp is a sum whose values have no simple distribution");
    for (int i = 0; i < n; i++)
        most->chosen[axis[i]] = (struct closed_interval){at[i], at[i]};
    return NULL;
}

/* ---- several accesses ---- */

/* The fibres chosen, as a region. Each must hold the fibre of every other pinned value, so that the
 * union of the copies is greatest there. */
static const struct sator_decline *fibre_region(
        struct closed_pool *pool, struct most *most, struct closed_region *region)
{
    closed_region_all(most->image, region);
    for (int f = 0; f < most->image->n_factors; f++) {
        const struct closed_factor *factor = &most->image->factor[f];
        struct family none = {.n = 0};
        struct family winner = {.n = 0};
        sator_int best = 0;
        if (is_coupled_factor(most, factor))
            return DECLINE("a tensor with several accesses under a skewed stamp");
        most->budget = FAMILIES;
        const struct sator_decline *why = search(most, factor, 0, &none, &best, &winner);
        if (why == NULL)
            why = make_fibre(pool, most, factor, &winner, &region->factor[f]);
        if (why != NULL)
            return why;
        for (int i = 0; i < factor->boxes.n; i++) {
            if (!in_fibre(most, factor, &region->factor[f], box_of(factor, i)))
                return DECLINE("a tensor with several accesses has tiles of different shapes");
        }
    }
    return NULL;
}

/* ---- the whole ---- */

static const struct sator_decline *count_most(struct closed_state *state,
        const struct closed_system *system, const struct closed_classes *classes, sator_int *most,
        int64_t *instance)
{
    const struct closed_form *rows[CLOSED_ROWS];
    struct most question = {.image = &state->image, .n_keys = classes->n_keys};
    sator_int product = 1;
    int n_rows = classes->n_keys + classes->n_values;
    if (n_rows > CLOSED_ROWS)
        return DECLINE("a stamp has too many dimensions");
    for (int r = 0; r < n_rows; r++)
        rows[r] = r < classes->n_keys ? classes->key[r] : classes->value[r - classes->n_keys];
    struct closed_copies *copies = &state->copies;
    const struct sator_decline *why;
    state->pool.used = 0;
    copies->n = 1;
    memset(copies->constant[0], 0, sizeof copies->constant[0]);
    if (classes->copies != NULL)
        closed_copies_of_request(classes->copies, classes->n_keys, copies);
    if (classes->every)
        why = closed_image_make_all(&state->pool, &system->digits, n_rows, rows, &state->image);
    else
        why = closed_copies_make(&state->pool, &system->digits, classes->n_keys, n_rows, 0, rows,
                &state->image, copies);
    if (why == NULL && classes->distinct != NULL && copies->n == 1) {
        struct closed_region all;
        closed_region_all(&state->image, &all);
        why = closed_region_count(&state->image, &all, classes->distinct);
    }
    if (why == NULL)
        why = find_kinds(&question);
    if (why == NULL && copies->n > 1) {
        struct closed_region fibre;
        why = fibre_region(&state->pool, &question, &fibre);
        return why != NULL ? why : closed_copies_count(state, &state->image, copies, &fibre, most);
    }
    for (int f = 0; f < state->image.n_factors && why == NULL; f++)
        why = count_factor(&state->pool, &question, &state->image.factor[f], &product);
    for (int r = 0; r < classes->n_keys && why == NULL; r++) {
        if (question.is_coupled[r])
            why = count_row(&question, r, instance != NULL, &product);
    }
    if (why != NULL)
        return why;
    *most = product;
    for (int l = 0; l < system->digits.n_loops && instance != NULL; l++) {
        const struct closed_loop *loop = &system->digits.loop[l];
        instance[l] = loop->value.constant;
        for (int d = loop->first_digit; d < loop->first_digit + loop->n_digits; d++)
            instance[l] += system->digits.digit[d].place *
                    question.chosen[state->image.axis_of_digit[d]].lo;
    }
    return NULL;
}

const struct sator_decline *closed_most(struct closed_state *state,
        const struct closed_system *system, const struct closed_classes *classes, sator_int *most,
        int64_t *instance)
{
    const struct sator_decline *why = count_most(state, system, classes, most, instance);
    if (why != NULL)
        why = closed_fibres_most(state, system, classes, most, instance);
    return why;
}
