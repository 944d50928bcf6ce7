/* Time rows in normal form, the time trie, and the borrow cases of prev. */
#include "count/closed/times.h"

#include "base/checked.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- normal form ---- */

/* Whether two forms share a digit; the first shared one in "*digit". */
static bool share(const struct closed_form *a, const struct closed_form *b, int n, int *digit)
{
    for (int d = 0; d < n; d++) {
        if (a->coef[d] != 0 && b->coef[d] != 0) {
            *digit = d;
            return true;
        }
    }
    return false;
}

static int shared_digits(
        const struct closed_form *row, int n_rows, const struct closed_form *form, int n_digits)
{
    int count = 0;
    for (int i = 0; i < n_rows; i++) {
        for (int d = 0; d < n_digits; d++)
            count += row[i].coef[d] != 0 && form->coef[d] != 0;
    }
    return count;
}

/* row = a * row - b * earlier, a > 0, such that "digit" leaves it: the stamps' order and equality
 * stay, since the earlier row is compared first. False when a coefficient gets too large. */
static bool reduce(struct closed_form *row, const struct closed_form *earlier, int digit)
{
    int64_t common = sator_gcd(row->coef[digit], earlier->coef[digit]);
    int64_t a = earlier->coef[digit] / common;
    int64_t b = row->coef[digit] / common;
    if (a < 0) {
        a = -a;
        b = -b;
    }
    struct closed_form result;
    sator_int value = (sator_int)a * row->constant - (sator_int)b * earlier->constant;
    bool fits = value < CLOSED_BOUND && value > -CLOSED_BOUND;
    result.constant = (int64_t)value;
    for (int d = 0; d < CLOSED_DIGITS; d++) {
        value = (sator_int)a * row->coef[d] - (sator_int)b * earlier->coef[d];
        fits = fits && value < CLOSED_BOUND / 4096 && value > -CLOSED_BOUND / 4096;
        result.coef[d] = (int64_t)value;
    }
    if (fits)
        *row = result;
    return fits;
}

/* Take a multiple of an earlier row from row "k" if that leaves it fewer digits in common with the
 * earlier rows. */
static bool improve(int n_digits, struct closed_form *row, int k)
{
    int shared = shared_digits(row, k, &row[k], n_digits);
    for (int j = 0; j < k && shared > 0; j++) {
        for (int d = 0; d < n_digits; d++) {
            struct closed_form reduced = row[k];
            if (row[k].coef[d] == 0 || row[j].coef[d] == 0 || !reduce(&reduced, &row[j], d) ||
                    shared_digits(row, k, &reduced, n_digits) >= shared)
                continue;
            row[k] = reduced;
            return true;
        }
    }
    return false;
}

static void triangulate(int n_digits, int n_rows, struct closed_form *row)
{
    for (int k = 1; k < n_rows; k++) {
        while (improve(n_digits, row, k))
            continue;
    }
}

static bool is_zero(const struct closed_form *form, int n_digits)
{
    for (int d = 0; d < n_digits; d++) {
        if (form->coef[d] != 0)
            return false;
    }
    return true;
}

/* Append the axes of the image's class that row "row" uses, greatest weight first, as rows;
 * "*first" is the place of each axis in "row_of_axis". */
static const struct sator_decline *split_row(const struct closed_digits *digits,
        const struct closed_form *form, int row, const struct closed_image *image,
        struct closed_times *times, int *row_of_axis)
{
    int class = -1;
    for (int c = 0; c < image->n_classes; c++) {
        if (image->column[row][c] != 0)
            class = c;
    }
    int64_t sign = image->column[row][class];
    assert(sign == 1 || sign == -1);
    for (int a = image->n_axes - 1; a >= 0; a--) {
        if (image->axis[a].class != class)
            continue;
        if (times->n_rows == CLOSED_TIMES)
            return DECLINE("the time-stamp has too many dimensions");
        struct closed_form *out = &times->row[times->n_rows];
        memset(out, 0, sizeof *out);
        for (int d = 0; d < digits->n_digits; d++) {
            if (image->axis_of_digit[d] == a)
                out->coef[d] = form->coef[d] / image->axis[a].weight;
        }
        row_of_axis[a] = sign > 0 ? times->n_rows : -1 - times->n_rows;
        times->n_rows++;
    }
    return NULL;
}

static void make_room(struct closed_times *times, int boxes)
{
    if (times->room >= boxes)
        return;
    times->room = 2 * boxes;
    times->box = sator_realloc(times->box, sizeof *times->box * (size_t)times->room);
}

/* The product of the factors' boxes, as intervals of the normalised rows. */
static const struct sator_decline *collect_boxes(
        const struct closed_image *image, const int *row_of_axis, struct closed_times *times)
{
    int at[CLOSED_LOOPS] = {0};
    times->n_boxes = 0;
    times->stamps = 0;
    for (;;) {
        if (times->n_boxes == CLOSED_TIME_BOXES)
            return DECLINE("the time-domain has too many boxes");
        make_room(times, times->n_boxes + 1);
        struct closed_interval *box = times->box[times->n_boxes++];
        sator_int volume = 1;
        for (int f = 0; f < image->n_factors; f++) {
            const struct closed_factor *factor = &image->factor[f];
            int n_axes = factor->boxes.n_axes;
            for (int a = 0; a < n_axes; a++) {
                struct closed_interval range = closed_box(&factor->boxes, at[f])[a];
                int row = row_of_axis[factor->first_axis + a];
                if (row < 0)
                    range = (struct closed_interval){-range.hi, -range.lo};
                box[row < 0 ? -1 - row : row] = range;
                volume *= closed_width(range);
            }
        }
        times->stamps += volume;
        int f = 0;
        while (f < image->n_factors && ++at[f] == image->factor[f].boxes.n)
            at[f++] = 0;
        if (f == image->n_factors)
            return NULL;
    }
}

const struct sator_decline *closed_times_make(struct closed_pool *pool,
        const struct closed_digits *digits, int n_rows, const struct closed_form *row,
        struct closed_image *image, struct closed_times *times)
{
    struct closed_form reduced[CLOSED_TIMES];
    const struct closed_form *used[CLOSED_TIMES] = {NULL};
    int row_of_axis[CLOSED_DIGITS];
    int used_before[CLOSED_TIMES + 1];
    int n_used = 0;
    int digit;
    times->n_rows = 0;
    times->back = 0;
    if (n_rows > CLOSED_TIMES)
        return DECLINE("the time-stamp has too many dimensions");
    memcpy(reduced, row, sizeof *row * (size_t)n_rows);
    triangulate(digits->n_digits, n_rows, reduced);
    for (int r = 0; r < n_rows; r++) {
        used_before[r] = n_used;
        if (is_zero(&reduced[r], digits->n_digits))
            continue;
        const struct sator_decline *why = closed_form_check(digits, &reduced[r]);
        if (why != NULL)
            return why;
        for (int i = 0; i < n_used; i++) {
            if (share(used[i], &reduced[r], digits->n_digits, &digit))
                return DECLINE("two dimensions of the time-stamp share a digit");
        }
        reduced[r].constant = 0;
        used[n_used++] = &reduced[r];
    }
    const struct sator_decline *why = closed_image_make(pool, digits, n_used, used, image);
    for (int r = 0; r < n_rows && why == NULL; r++) {
        int at = used_before[r];
        times->end[r] = times->n_rows;
        if (at < (r + 1 < n_rows ? used_before[r + 1] : n_used))
            why = split_row(digits, used[at], at, image, times, row_of_axis);
    }
    times->end[n_rows] = times->n_rows;
    return why != NULL ? why : collect_boxes(image, row_of_axis, times);
}

/* ---- the trie ---- */

/* Some of the time boxes: those that contain a prefix of a stamp. */
struct subset {
    int n;
    uint16_t index[CLOSED_TIME_BOXES];
};

/* Children of a node: stamps lo .. hi of the level, with the boxes below. */
struct branch {
    struct closed_interval range;
    struct subset boxes;
};

static const struct sator_decline too_many_cases = {"the time-domain has too many cases"};

static struct closed_case *add_case(struct closed_cases *cases)
{
    if (cases->n == CLOSED_CASES)
        return NULL;
    if (cases->n == cases->capacity) {
        cases->capacity = cases->capacity == 0 ? 32 : cases->capacity * 2;
        cases->list = sator_realloc(cases->list, sizeof *cases->list * (size_t)cases->capacity);
    }
    return &cases->list[cases->n++];
}

/* The first (or last) stamp below a node: its rows from "level" on. */
static void extreme(const struct closed_times *times, const struct subset *boxes, int level,
        bool last, int64_t *path)
{
    struct subset rest = *boxes;
    for (int r = level; r < times->n_rows; r++) {
        int64_t best = 0;
        for (int i = 0; i < rest.n; i++) {
            struct closed_interval range = times->box[rest.index[i]][r];
            int64_t value = last ? range.hi : range.lo;
            if (i == 0 || (last ? value > best : value < best))
                best = value;
        }
        int n = 0;
        for (int i = 0; i < rest.n; i++) {
            struct closed_interval range = times->box[rest.index[i]][r];
            if (range.lo <= best && best <= range.hi)
                rest.index[n++] = rest.index[i];
        }
        rest.n = n;
        path[r] = best;
    }
}

/* Whether two sets of boxes have the same extents from "level" on. */
static bool same_below(
        const struct closed_times *times, const struct subset *a, const struct subset *b, int level)
{
    size_t size = sizeof(struct closed_interval) * (size_t)(times->n_rows - level);
    for (int side = 0; side < 2; side++) {
        const struct subset *x = side ? b : a;
        const struct subset *y = side ? a : b;
        for (int i = 0; i < x->n; i++) {
            bool found = size == 0;
            for (int j = 0; j < y->n && !found; j++)
                found = memcmp(&times->box[x->index[i]][level], &times->box[y->index[j]][level],
                                size) == 0;
            if (!found)
                return false;
        }
    }
    return true;
}

/* The least value above "after" that some box of the node has at "level" (in "*lo"), and the end of
 * the run of values that lie in the same boxes. False when there is none. */
static bool next_range(const struct closed_times *times, const struct subset *boxes, int level,
        int64_t after, struct branch *branch)
{
    bool found = false;
    for (int i = 0; i < boxes->n; i++) {
        struct closed_interval range = times->box[boxes->index[i]][level];
        int64_t lo = range.lo > after ? range.lo : after + 1;
        if (lo <= range.hi && (!found || lo < branch->range.lo)) {
            branch->range.lo = lo;
            found = true;
        }
    }
    if (!found)
        return false;
    branch->boxes.n = 0;
    branch->range.hi = INT64_MAX;
    for (int i = 0; i < boxes->n; i++) {
        struct closed_interval range = times->box[boxes->index[i]][level];
        int64_t end = INT64_MAX;
        if (range.lo > branch->range.lo)
            end = range.lo - 1;
        else if (range.hi >= branch->range.lo) {
            end = range.hi;
            branch->boxes.index[branch->boxes.n++] = boxes->index[i];
        }
        if (end < branch->range.hi)
            branch->range.hi = end;
    }
    return true;
}

/* The branch after "after", as long as neighbours look the same below. */
static bool next_branch(const struct closed_times *times, const struct subset *boxes, int level,
        int64_t after, struct branch *branch)
{
    struct branch next;
    if (!next_range(times, boxes, level, after, branch))
        return false;
    while (next_range(times, boxes, level, branch->range.hi, &next) &&
            next.range.lo == branch->range.hi + 1 &&
            same_below(times, &branch->boxes, &next.boxes, level + 1))
        branch->range.hi = next.range.hi;
    return true;
}

/* A case with the slabs of "prefix" above "level". */
static struct closed_case *start_case(
        struct closed_times *times, const struct closed_interval *prefix, int level)
{
    struct closed_case *c = add_case(&times->cases);
    if (c == NULL)
        return NULL;
    c->n_back = 1;
    memcpy(c->slab, prefix, sizeof *prefix * (size_t)level);
    memset(c->shift[0], 0, sizeof c->shift[0]);
    return c;
}

/* Rows below "level" go from their last path "from" to their first path "to". */
static void borrow(
        struct closed_case *c, int level, int n_rows, const int64_t *from, const int64_t *to)
{
    for (int r = level + 1; r < n_rows; r++) {
        c->slab[r] = (struct closed_interval){to[r], to[r]};
        c->shift[0][r] = to[r] - from[r];
    }
}

/* All cases of the node with "boxes" at "level". */
static const struct sator_decline *add_cases(struct closed_times *times, const struct subset *boxes,
        int level, struct closed_interval *prefix)
{
    struct branch branch;
    int64_t after = -CLOSED_BOUND * 4;
    int64_t last[CLOSED_TIMES]; /* of the branch before */
    int64_t before = 0;
    for (bool is_first = true; next_branch(times, boxes, level, after, &branch); is_first = false) {
        struct closed_interval range = branch.range;
        int64_t first[CLOSED_TIMES];
        extreme(times, &branch.boxes, level + 1, false, first);
        if (!is_first) {
            struct closed_case *c = start_case(times, prefix, level);
            if (c == NULL)
                return &too_many_cases;
            c->slab[level] = (struct closed_interval){range.lo, range.lo};
            c->shift[0][level] = range.lo - before;
            borrow(c, level, times->n_rows, last, first);
        }
        extreme(times, &branch.boxes, level + 1, true, last);
        if (range.lo < range.hi) {
            struct closed_case *c = start_case(times, prefix, level);
            if (c == NULL)
                return &too_many_cases;
            c->slab[level] = (struct closed_interval){range.lo + 1, range.hi};
            c->shift[0][level] = 1;
            borrow(c, level, times->n_rows, last, first);
        }
        if (level + 1 < times->n_rows) {
            prefix[level] = range;
            const struct sator_decline *why = add_cases(times, &branch.boxes, level + 1, prefix);
            if (why != NULL)
                return why;
        }
        before = range.hi;
        after = range.hi;
    }
    return NULL;
}

/* ---- prev^k ---- */

/* Continue every case whose prev^k is known by one more step. */
static const struct sator_decline *step_back(
        struct closed_times *times, int k, struct closed_cases *out)
{
    for (int i = 0; i < times->cases.n; i++) {
        const struct closed_case *known = &times->cases.list[i];
        if (known->n_back < k) {
            struct closed_case *c = add_case(out);
            if (c == NULL)
                return &too_many_cases;
            *c = *known;
            continue;
        }
        for (int j = 0; j < times->base.n; j++) {
            const struct closed_case *next = &times->base.list[j];
            struct closed_case *c = add_case(out);
            bool empty = false;
            if (c == NULL)
                return &too_many_cases;
            *c = *known;
            for (int r = 0; r < times->n_rows && !empty; r++) {
                int64_t by = known->shift[k - 1][r];
                c->slab[r] = closed_meet(known->slab[r],
                        (struct closed_interval){next->slab[r].lo + by, next->slab[r].hi + by});
                c->shift[k][r] = by + next->shift[0][r];
                empty = closed_is_empty(c->slab[r]);
            }
            c->n_back = k + next->n_back;
            if (empty)
                out->n--;
        }
    }
    return NULL;
}

const struct sator_decline *closed_times_cases(struct closed_times *times, int back)
{
    struct closed_interval prefix[CLOSED_TIMES];
    struct subset all = {.n = times->n_boxes};
    int64_t path[CLOSED_TIMES];
    if (times->back >= back)
        return NULL;
    if (back > CLOSED_BACK)
        return DECLINE("a link's interval is too long");
    for (int i = 0; i < all.n; i++)
        all.index[i] = (uint16_t)i;
    times->cases.n = 0;
    times->back = 0;
    extreme(times, &all, 0, false, path);
    struct closed_case *first = add_case(&times->cases);
    memset(first, 0, sizeof *first);
    for (int r = 0; r < times->n_rows; r++)
        first->slab[r] = (struct closed_interval){path[r], path[r]};
    const struct sator_decline *why = times->n_rows == 0 ? NULL : add_cases(times, &all, 0, prefix);
    if (why == NULL)
        closed_cases_join(times, &times->cases);
    if (why == NULL && back > 1) {
        times->base.n = 0;
        for (int i = 0; i < times->cases.n; i++)
            *add_case(&times->base) = times->cases.list[i];
    }
    for (int k = 1; k < back && why == NULL; k++) {
        struct closed_cases next = {0};
        why = step_back(times, k, &next);
        free(times->cases.list);
        times->cases = next;
        if (why == NULL)
            closed_cases_join(times, &times->cases);
    }
    if (why == NULL)
        times->back = back;
    return why;
}

bool closed_case_passes(
        const struct closed_times *times, const struct closed_case *when, int back, int n_given)
{
    size_t size = sizeof when->shift[0][0] * (size_t)times->end[n_given];
    const int64_t none[CLOSED_TIMES] = {0};
    for (int k = 0; k + 1 < back; k++) {
        if (memcmp(when->shift[k], none, size) != 0 &&
                memcmp(when->shift[k], when->shift[back - 1], size) != 0)
            return true;
    }
    return false;
}

static void copy_cases(struct closed_cases *cases, const struct closed_cases *from)
{
    if (cases->capacity < from->n) {
        cases->capacity = from->n;
        cases->list = sator_realloc(cases->list, sizeof *cases->list * (size_t)from->n);
    }
    cases->n = from->n;
    if (from->n > 0)
        memcpy(cases->list, from->list, sizeof *from->list * (size_t)from->n);
}

void closed_times_copy(struct closed_times *times, const struct closed_times *from)
{
    times->n_rows = from->n_rows;
    memcpy(times->row, from->row, sizeof *from->row * (size_t)from->n_rows);
    memcpy(times->end, from->end, sizeof from->end);
    times->n_boxes = from->n_boxes;
    make_room(times, from->n_boxes + 1);
    if (from->n_boxes > 0)
        memcpy(times->box, from->box, sizeof *from->box * (size_t)from->n_boxes);
    times->stamps = from->stamps;
    times->back = from->back;
    copy_cases(&times->cases, &from->cases);
    copy_cases(&times->base, &from->base);
}

void closed_times_init(struct closed_times *times)
{
    times->cases = (struct closed_cases){0};
    times->base = (struct closed_cases){0};
    times->n_boxes = times->room = 0;
    times->box = NULL;
}

void closed_times_clear(struct closed_times *times)
{
    free(times->cases.list);
    free(times->base.list);
    free(times->box);
    closed_times_init(times);
}
