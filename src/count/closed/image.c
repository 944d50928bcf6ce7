/* Making an image: classes of proportional digits, merged axes. */
#include "count/closed/image.h"

#include "base/checked.h"
#include "count/closed/carries.h"

#include <assert.h>
#include <string.h>

const struct sator_decline closed_image_empty = {"an image has no points"};

/* What is known while an image is made. */
struct maker {
    const struct closed_digits *digits;
    int n_rows;
    const struct closed_form *const *rows;
    uint64_t support[CLOSED_DIGITS]; /* rows that use the digit */
    int class_of[CLOSED_DIGITS]; /* -1: unused */
    int64_t multiple[CLOSED_DIGITS]; /* the digit's column is multiple * the class's column */
    int64_t size[CLOSED_DIGITS]; /* values of the digit, or of the number that it heads */
    int leader[CLOSED_LOOPS]; /* loops of one factor share a leader */
    bool joined; /* some factor has several loops */
    int head[CLOSED_LOOPS]; /* the digit that stands for itself and all above it, -1: none */
    uint32_t carries; /* that some row uses, or that another carry needs */
    uint32_t carrying; /* loops whose digits determine one of them */
    int home[CLOSED_LOOPS]; /* the loop with whose boxes this one's digits are: its own, or the
                               leader if carries join them */
    int at[CLOSED_DIGITS]; /* the digit's axis in the boxes of its home */
    struct closed_boxes loop[CLOSED_LOOPS]; /* over the used digits */
};

/* ---- classes ---- */

/* Whether the columns of digits "a" and "b", of equal support, are proportional. */
static bool proportional(const struct maker *maker, int a, int b)
{
    int first = __builtin_ctzll(maker->support[a]);
    int64_t ka = maker->rows[first]->coef[a];
    int64_t kb = maker->rows[first]->coef[b];
    for (uint64_t rest = maker->support[a]; rest != 0; rest &= rest - 1) {
        const struct closed_form *row = maker->rows[__builtin_ctzll(rest)];
        if ((sator_int)row->coef[a] * kb != (sator_int)row->coef[b] * ka)
            return false;
    }
    return true;
}

/* Start a class with the primitive column of "digit". */
static void start_class(struct maker *maker, int digit, struct closed_image *image)
{
    int class = image->n_classes++;
    int64_t unit = 0;
    for (uint64_t rest = maker->support[digit]; rest != 0 && unit != 1; rest &= rest - 1)
        unit = sator_gcd(maker->rows[__builtin_ctzll(rest)]->coef[digit], unit);
    for (int r = 0; r < maker->n_rows; r++) {
        int64_t coef = maker->rows[r]->coef[digit];
        image->column[r][class] = unit == 1 ? coef : coef / unit;
        image->uses[r] |= (uint32_t)(coef != 0) << class;
    }
    maker->class_of[digit] = class;
    maker->multiple[digit] = unit;
}

/* Put loops "a" and "b" into one factor. */
static void join_loops(struct maker *maker, int a, int b)
{
    int from = maker->leader[a];
    int to = maker->leader[b];
    for (int l = 0; l < maker->digits->n_loops; l++)
        maker->leader[l] = maker->leader[l] == from ? to : maker->leader[l];
    maker->joined = maker->joined || from != to;
}

/* Put "digit" into the class of digit "example", and their loops into one factor. */
static void join_class(
        struct maker *maker, int digit, int example, const struct closed_image *image)
{
    int class = maker->class_of[example];
    int row = __builtin_ctzll(maker->support[digit]);
    maker->class_of[digit] = class;
    maker->multiple[digit] = maker->rows[row]->coef[digit] / image->column[row][class];
    join_loops(maker, maker->digits->digit[digit].loop, maker->digits->digit[example].loop);
}

/* Sort the used digits into classes; loops whose digits share a class get one leader. */
static void classify(struct maker *maker, struct closed_image *image)
{
    int example[CLOSED_DIGITS];
    int n_digits = maker->digits->n_digits;
    for (int r = 0; r < maker->n_rows; r++) {
        const int64_t *coef = maker->rows[r]->coef;
        for (int d = 0; d < n_digits; d++)
            maker->support[d] |= (uint64_t)(coef[d] != 0) << r;
    }
    for (int d = 0; d < n_digits; d++) {
        uint64_t support = maker->support[d];
        maker->class_of[d] = -1;
        if (support == 0)
            continue;
        for (int c = 0; c < image->n_classes && maker->class_of[d] < 0; c++) {
            if (maker->support[example[c]] == support && proportional(maker, example[c], d))
                join_class(maker, d, example[c], image);
        }
        if (maker->class_of[d] < 0) {
            example[image->n_classes] = d;
            start_class(maker, d, image);
        }
    }
}

/* Every digit a class of its own, used or not. */
static void separate_all(struct maker *maker, struct closed_image *image)
{
    for (int d = 0; d < maker->digits->n_digits; d++) {
        maker->class_of[d] = image->n_classes++;
        maker->multiple[d] = 1;
        for (int r = 0; r < maker->n_rows; r++) {
            image->column[r][d] = maker->rows[r]->coef[d];
            image->uses[r] |= (uint32_t)(maker->rows[r]->coef[d] != 0) << d;
        }
    }
}

/* Find the carries in use, the last first: it may need earlier ones. Their loops make one factor.
 */
static void find_carries(struct maker *maker)
{
    const struct closed_digits *digits = maker->digits;
    for (int c = digits->n_carries - 1; c >= 0; c--) {
        const struct closed_carry *carry = &digits->carry[c];
        bool used = maker->class_of[carry->digit] >= 0 || digits->digit[carry->digit].is_fixed;
        for (int later = c + 1; later < digits->n_carries; later++)
            used = used ||
                    ((maker->carries >> later & 1) &&
                            digits->carry[later].rest.coef[carry->digit] != 0);
        if (!used)
            continue;
        maker->carries |= (uint32_t)1 << c;
        maker->carrying |= carry->loops;
        for (int l = 0; l < digits->n_loops; l++) {
            if (carry->loops >> l & 1)
                join_loops(maker, l, digits->digit[carry->digit].loop);
        }
    }
}

/* Whether the boxes need the digit: a row uses it, or a carry in use, or it is a fixed carry. */
static bool is_needed(const struct maker *maker, int digit)
{
    bool needed = maker->class_of[digit] >= 0;
    for (int c = 0; c < maker->digits->n_carries; c++) {
        const struct closed_carry *carry = &maker->digits->carry[c];
        if (maker->carries >> c & 1)
            needed = needed || carry->digit == digit || carry->rest.coef[digit] != 0;
    }
    return needed;
}

/* A loop whose used digits are some digit and all above it, in one class as a number needs them, is
 * that number: one interval without ragged tiles. */
static void find_head(struct maker *maker, int l)
{
    const struct closed_digits *digits = maker->digits;
    const struct closed_loop *loop = &digits->loop[l];
    int end = loop->first_digit + loop->n_digits;
    int head = loop->first_digit;
    maker->head[l] = -1;
    if (loop->n_digits < 2 || loop->has_fixed || (maker->carrying >> l & 1))
        return;
    while (head < end && maker->class_of[head] < 0)
        head++;
    for (int d = head; d < end; d++) {
        if (maker->class_of[d] != maker->class_of[head] ||
                (sator_int)maker->multiple[d] * digits->digit[head].place !=
                        (sator_int)maker->multiple[head] * digits->digit[d].place)
            return;
    }
    if (end - head < 2)
        return;
    maker->head[l] = head;
    for (int d = head + 1; d < end; d++)
        maker->class_of[d] = -1;
    int64_t place = digits->digit[head].place;
    maker->size[head] = (loop->end - 1) / place - loop->begin / place + 1;
}

/* Whether the boxes of a loop have the digit: a row uses it, or a carry in use. */
static bool is_kept(const struct maker *maker, int loop, int digit)
{
    return maker->class_of[digit] >= 0 ||
            ((maker->carrying >> loop & 1) && is_needed(maker, digit));
}

/* The only box of a loop whose digits do not depend on each other, over its used digits. */
static const struct sator_decline *make_full_loop(
        struct closed_pool *pool, struct maker *maker, int l)
{
    const struct closed_loop *loop = &maker->digits->loop[l];
    struct closed_interval *box = closed_pool_take(pool, loop->n_digits);
    int n = 0;
    if (box == NULL)
        return DECLINE("the digit boxes are too many");
    for (int d = loop->first_digit; d < loop->first_digit + loop->n_digits; d++) {
        maker->at[d] = n;
        if (is_kept(maker, l, d))
            box[n++] = closed_digit_range(&maker->digits->digit[d]);
    }
    pool->used -= loop->n_digits - n;
    maker->loop[l] = (struct closed_boxes){.n = 1, .n_axes = n, .box = box};
    return NULL;
}

/* The boxes of a loop over its used digits, and those that carries need. */
static const struct sator_decline *make_loop(struct closed_pool *pool, struct maker *maker, int l)
{
    const struct closed_loop *loop = &maker->digits->loop[l];
    bool used[CLOSED_RADICES];
    int n_used = 0;
    maker->home[l] = l;
    if (maker->head[l] >= 0) {
        int64_t place = maker->digits->digit[maker->head[l]].place;
        struct closed_interval *box = closed_pool_take(pool, 1);
        if (box == NULL)
            return DECLINE("the digit boxes are too many");
        *box = (struct closed_interval){loop->begin / place, (loop->end - 1) / place};
        maker->at[maker->head[l]] = 0;
        maker->loop[l] = (struct closed_boxes){.n = 1, .n_axes = 1, .box = box};
        return NULL;
    }
    if (loop->is_full)
        return make_full_loop(pool, maker, l);
    for (int k = 0; k < loop->n_digits; k++) {
        int digit = loop->first_digit + k;
        used[k] = is_kept(maker, l, digit);
        maker->at[digit] = n_used;
        n_used += used[k];
    }
    const struct sator_decline *why = closed_boxes_of_loop(pool, maker->digits, l, &maker->loop[l]);
    return why != NULL ? why : closed_boxes_project(pool, used, &maker->loop[l]);
}

/* ---- the product of loops ---- */

/* The product of the box lists of a factor's loops, one combination after another. */
struct product {
    int n_loops;
    int loop[CLOSED_LOOPS];
    int at[CLOSED_LOOPS];
};

static void first_combination(const struct maker *maker, uint32_t loops, struct product *product)
{
    product->n_loops = 0;
    for (int l = 0; l < maker->digits->n_loops; l++) {
        if ((loops >> l & 1) && maker->home[l] == l) {
            product->at[product->n_loops] = 0;
            product->loop[product->n_loops++] = l;
        }
    }
}

static bool next_combination(const struct maker *maker, struct product *product)
{
    for (int i = 0; i < product->n_loops; i++) {
        if (++product->at[i] < maker->loop[product->loop[i]].n)
            return true;
        product->at[i] = 0;
    }
    return false;
}

/* The interval of "digit" in the current combination. */
static struct closed_interval interval_of(
        const struct maker *maker, const struct product *product, int digit)
{
    int l = maker->home[maker->digits->digit[digit].loop];
    int i = 0;
    while (product->loop[i] != l)
        i++;
    const struct closed_boxes *boxes = &maker->loop[l];
    return boxes->box[product->at[i] * boxes->n_axes + maker->at[digit]];
}

/* ---- carries ---- */

/* Whether the factor "leader" has loops that a carry in use depends on. */
static bool joins_carrying(const struct maker *maker, int leader)
{
    bool joins = false;
    for (int l = 0; l < maker->digits->n_loops; l++)
        joins = joins || (maker->leader[l] == leader && (maker->carrying >> l & 1));
    return joins;
}

/* Join the boxes of the loops of factor "leader", which carries depend on, into one list that has
 * the carries too. */
static const struct sator_decline *join_carrying(
        struct closed_pool *pool, struct maker *maker, int leader)
{
    const struct closed_digits *digits = maker->digits;
    struct closed_boxes boxes = {.n = 0};
    struct closed_carrier carrier = {
            .pool = pool, .digits = digits, .carries = maker->carries, .boxes = &boxes};
    struct product product;
    int *at = carrier.at;
    bool used[CLOSED_DIGITS];
    uint32_t loops = 0;
    int n = 0;
    int n_used = 0;
    const struct sator_decline *why = NULL;
    for (int l = 0; l < digits->n_loops; l++)
        loops |= (uint32_t)(maker->leader[l] == leader) << l;
    for (int d = 0; d < digits->n_digits; d++) {
        bool mine = (loops >> digits->digit[d].loop & 1) && is_needed(maker, d);
        at[d] = mine ? n : -1;
        if (mine)
            used[n++] = maker->class_of[d] >= 0;
    }
    boxes.n_axes = n;
    struct closed_interval scratch[CLOSED_DIGITS];
    boxes.box = pool->data + pool->used;
    first_combination(maker, loops, &product);
    do {
        for (int d = 0; d < digits->n_digits; d++) {
            if (at[d] >= 0)
                scratch[at[d]] = digits->digit[d].place > 0
                        ? interval_of(maker, &product, d)
                        : (struct closed_interval){0, digits->digit[d].size - 1};
        }
        why = closed_carries_cut(&carrier, 0, scratch);
    } while (why == NULL && next_combination(maker, &product));
    if (why == NULL && boxes.n == 0)
        return &closed_image_empty;
    if (why == NULL)
        why = closed_boxes_project(pool, used, &boxes);
    if (why == NULL && boxes.n_axes == n)
        why = closed_boxes_disjoin(pool, &boxes);
    maker->loop[leader] = boxes;
    for (int l = 0; l < digits->n_loops; l++)
        maker->home[l] = maker->leader[l] == leader ? leader : maker->home[l];
    for (int d = 0; d < digits->n_digits; d++) {
        if (at[d] >= 0 && maker->class_of[d] >= 0)
            maker->at[d] = n_used++;
    }
    return why;
}

/* ---- merging the digits of a class ---- */

/* A run of digits that become one axis. */
struct run {
    int n;
    int digit[CLOSED_DIGITS];
    int64_t unit;
};

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* Whether adding "digit" to "run" leaves no gap in any combination of boxes. */
static bool stays_gapless(
        const struct maker *maker, uint32_t loops, const struct run *run, int digit)
{
    struct product product;
    if (maker->multiple[digit] % run->unit != 0)
        return false;
    first_combination(maker, loops, &product);
    do {
        int64_t reach = 0;
        for (int i = 0; i < run->n; i++) {
            int64_t width = closed_width(interval_of(maker, &product, run->digit[i]));
            reach += magnitude(maker->multiple[run->digit[i]]) * (width - 1);
        }
        if (closed_width(interval_of(maker, &product, digit)) > 1 &&
                magnitude(maker->multiple[digit]) > reach + run->unit)
            return false;
    } while (next_combination(maker, &product));
    return true;
}

/* The digits of a factor: those of its loop, or all, among which others may be. */
struct reach {
    int first, end;
};

static struct reach digits_of(const struct maker *maker, uint32_t loops)
{
    const struct closed_loop *loop = &maker->digits->loop[__builtin_ctz(loops)];
    if ((loops & (loops - 1)) != 0 || maker->carries != 0)
        return (struct reach){0, maker->digits->n_digits};
    return (struct reach){loop->first_digit, loop->first_digit + loop->n_digits};
}

/* The members of "class", in ascending order of their multiples' size. */
static int members_of(const struct maker *maker, struct reach among, int class, int *member)
{
    int n = 0;
    for (int d = among.first; d < among.end; d++) {
        if (maker->class_of[d] != class)
            continue;
        int at = n++;
        while (at > 0 &&
                magnitude(maker->multiple[member[at - 1]]) > magnitude(maker->multiple[d])) {
            member[at] = member[at - 1];
            at--;
        }
        member[at] = d;
    }
    return n;
}

/* Cut the members of a class into runs, each gapless, each run's unit above all that the earlier
 * ones reach. */
static const struct sator_decline *make_runs(const struct maker *maker, uint32_t loops, int n,
        const int *member, struct run *runs, int *n_runs)
{
    int64_t reach = 0; /* of all members so far, whatever the combination */
    *n_runs = 0;
    for (int i = 0; i < n; i++) {
        int64_t size = maker->size[member[i]] - 1;
        struct run *run = *n_runs > 0 ? &runs[*n_runs - 1] : NULL;
        if (run == NULL || !stays_gapless(maker, loops, run, member[i])) {
            int64_t unit = magnitude(maker->multiple[member[i]]);
            for (int j = i + 1; j < n; j++)
                unit = sator_gcd(unit, maker->multiple[member[j]]);
            if (run != NULL && unit <= reach)
                return DECLINE("a sum of loops has gaps");
            if (unit != magnitude(maker->multiple[member[i]]))
                return DECLINE("a sum of loops has gaps");
            run = &runs[(*n_runs)++];
            run->n = 0;
            run->unit = unit;
        }
        run->digit[run->n++] = member[i];
        reach += magnitude(maker->multiple[member[i]]) * size;
    }
    return NULL;
}

/* ---- factors ---- */

/* Make the axes of "class" and note them in "run_of_axis". */
static const struct sator_decline *make_axes(const struct maker *maker, uint32_t loops, int class,
        struct run *run_of_axis, struct closed_image *image)
{
    int member[CLOSED_DIGITS];
    int n = members_of(maker, digits_of(maker, loops), class, member);
    struct run *runs = &run_of_axis[image->n_axes];
    int n_runs;
    const struct sator_decline *why = make_runs(maker, loops, n, member, runs, &n_runs);
    image->only_axis[class] = n_runs == 1 ? image->n_axes : -2;
    image->span[class] = 0;
    for (int i = 0; why == NULL && i < n_runs; i++) {
        struct closed_axis *axis = &image->axis[image->n_axes];
        axis->class = class;
        axis->weight = runs[i].unit;
        axis->span = 0;
        for (int j = 0; j < runs[i].n; j++) {
            int digit = runs[i].digit[j];
            int64_t by = magnitude(maker->multiple[digit]);
            image->axis_of_digit[digit] = image->n_axes;
            axis->span += (by == axis->weight ? 1 : by / axis->weight) * (maker->size[digit] - 1);
        }
        image->span[class] += axis->weight * axis->span;
        image->n_axes++;
    }
    return why;
}

/* The boxes of a factor over its axes, one a combination of its loops' boxes. */
static const struct sator_decline *make_boxes(struct closed_pool *pool, const struct maker *maker,
        const struct run *run_of_axis, int n_axes, struct closed_factor *factor)
{
    struct product product;
    factor->boxes = (struct closed_boxes){.n_axes = n_axes, .box = pool->data + pool->used};
    first_combination(maker, factor->loops, &product);
    do {
        struct closed_interval *box = closed_pool_take(pool, n_axes);
        if (box == NULL)
            return DECLINE("the digit boxes are too many");
        factor->boxes.n++;
        for (int i = 0; i < n_axes; i++) {
            const struct run *run = &run_of_axis[factor->first_axis + i];
            box[i] = (struct closed_interval){0, 0};
            for (int j = 0; j < run->n; j++) {
                struct closed_interval part = interval_of(maker, &product, run->digit[j]);
                int64_t by = maker->multiple[run->digit[j]] / run->unit;
                box[i].lo += by * (by < 0 ? part.hi : part.lo);
                box[i].hi += by * (by < 0 ? part.lo : part.hi);
            }
        }
    } while (next_combination(maker, &product));
    return closed_boxes_disjoin(pool, &factor->boxes);
}

/* Whether the axes of a single loop's factor are its used digits, in their order. */
static bool axes_are_digits(const struct maker *maker, int loop, const struct closed_image *image,
        const struct closed_factor *factor)
{
    const struct closed_loop *l = &maker->digits->loop[loop];
    int axis = factor->first_axis;
    for (int d = l->first_digit; d < l->first_digit + l->n_digits; d++) {
        if (maker->class_of[d] < 0)
            continue;
        if (image->axis_of_digit[d] != axis++ || maker->multiple[d] < 0)
            return false;
    }
    return true;
}

static const struct sator_decline *make_factor(struct closed_pool *pool, const struct maker *maker,
        int leader, struct run *run_of_axis, struct closed_image *image)
{
    struct closed_factor *factor = &image->factor[image->n_factors];
    bool done[CLOSED_DIGITS] = {false};
    const struct sator_decline *why = NULL;
    factor->loops = (uint32_t)1 << leader;
    factor->first_axis = image->n_axes;
    for (int l = 0; l < maker->digits->n_loops && maker->joined; l++)
        factor->loops |= (uint32_t)(maker->leader[l] == leader) << l;
    struct reach among = digits_of(maker, factor->loops);
    for (int d = among.first; d < among.end && why == NULL; d++) {
        int class = maker->class_of[d];
        if (class < 0 || !(factor->loops >> maker->digits->digit[d].loop & 1) || done[class])
            continue;
        why = make_axes(maker, factor->loops, class, run_of_axis, image);
        done[class] = true;
    }
    int n_axes = image->n_axes - factor->first_axis;
    if (why != NULL || n_axes == 0)
        return why;
    image->n_factors++;
    if ((factor->loops & (factor->loops - 1)) == 0 && (factor->loops & maker->carrying) == 0 &&
            axes_are_digits(maker, leader, image, factor)) {
        factor->boxes = maker->loop[leader];
        return NULL;
    }
    return make_boxes(pool, maker, run_of_axis, n_axes, factor);
}

/* ---- the whole ---- */

static const struct sator_decline *make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        bool separate, struct closed_image *image)
{
    struct maker maker; /* large: set as far as it is read */
    struct run run_of_axis[CLOSED_DIGITS];
    const struct sator_decline *why = NULL;
    assert(n_rows <= CLOSED_ROWS);
    maker.digits = digits;
    maker.n_rows = n_rows;
    maker.rows = rows;
    maker.joined = false;
    maker.carries = 0;
    maker.carrying = 0;
    image->n_rows = n_rows;
    image->n_axes = 0;
    image->n_factors = 0;
    image->n_steps = 0;
    image->n_parameters = 0;
    for (int r = 0; r < n_rows; r++) {
        image->constant[r] = rows[r]->constant;
        image->uses[r] = 0;
    }
    for (int d = 0; d < digits->n_digits; d++) {
        image->axis_of_digit[d] = -1;
        maker.support[d] = 0;
        maker.size[d] = digits->digit[d].size;
    }
    for (int l = 0; l < digits->n_loops; l++) {
        maker.leader[l] = l;
        maker.head[l] = -1;
    }
    image->n_classes = 0;
    if (separate)
        separate_all(&maker, image);
    else
        classify(&maker, image);
    if (digits->n_carries > 0)
        find_carries(&maker);
    for (int l = 0; l < digits->n_loops && why == NULL; l++) {
        if (!separate)
            find_head(&maker, l);
        why = make_loop(pool, &maker, l);
        if (why == NULL && maker.loop[l].n == 0)
            why = &closed_image_empty;
    }
    for (int l = 0; l < digits->n_loops && why == NULL && maker.carrying != 0; l++) {
        if (maker.leader[l] == l && joins_carrying(&maker, l))
            why = join_carrying(pool, &maker, l);
    }
    for (int l = 0; l < digits->n_loops && why == NULL; l++) {
        if (maker.leader[l] == l)
            why = make_factor(pool, &maker, l, run_of_axis, image);
    }
    for (int l = 0; l < digits->n_loops; l++) {
        const struct closed_loop *loop = &digits->loop[l];
        for (int d = maker.head[l]; d >= 0 && d < loop->first_digit + loop->n_digits; d++)
            image->axis_of_digit[d] = image->axis_of_digit[maker.head[l]];
    }
    if (why == NULL && !separate)
        why = closed_image_order(image);
    return why;
}

const struct sator_decline *closed_image_make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        struct closed_image *image)
{
    return make(pool, digits, n_rows, rows, false, image);
}

const struct sator_decline *closed_image_make_all(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *const *rows,
        struct closed_image *image)
{
    return make(pool, digits, n_rows, rows, true, image);
}
