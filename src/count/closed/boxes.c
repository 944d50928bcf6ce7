/* Lists of boxes: made from loops, projected, made disjoint, intersected. */
#include "count/closed/boxes.h"

#include <assert.h>
#include <string.h>

static const struct sator_decline pool_full = {"the digit boxes are too many"};

struct closed_interval *closed_pool_take(struct closed_pool *pool, int count)
{
    if (count > pool->capacity - pool->used)
        return NULL;
    struct closed_interval *data = pool->data + pool->used;
    assert(count >= 0 && pool->used >= 0);
    pool->used += count;
    return data;
}

static void drop(struct closed_boxes *boxes, int i)
{
    size_t size = sizeof *boxes->box * (size_t)boxes->n_axes;
    assert(0 <= i && i < boxes->n);
    boxes->n--;
    if (i < boxes->n)
        memmove(closed_box(boxes, i), closed_box(boxes, boxes->n), size);
}

/* ---- the digits of an interval ---- */

/* Append a box whose digits above "k" are those of "prefix", digit k is "range" and the lower ones
 * are full. */
static const struct sator_decline *emit(struct closed_pool *pool, const struct closed_digit *digit,
        int k, const int64_t *prefix, struct closed_interval range, struct closed_boxes *boxes)
{
    struct closed_interval *box = closed_pool_take(pool, boxes->n_axes);
    if (box == NULL)
        return &pool_full;
    for (int j = 0; j < k; j++)
        box[j] = (struct closed_interval){0, digit[j].size - 1};
    box[k] = range;
    for (int j = k + 1; j < boxes->n_axes; j++)
        box[j] = (struct closed_interval){prefix[j], prefix[j]};
    boxes->n++;
    return NULL;
}

/* The boxes of begin <= x < end, where digits above "k" are fixed and x counts from their value. */
static const struct sator_decline *cover(struct closed_pool *pool, const struct closed_digit *digit,
        int k, int64_t begin, int64_t end, int64_t *prefix, struct closed_boxes *boxes)
{
    int64_t place = digit[k].place;
    int64_t first = begin / place;
    int64_t last = (end - 1) / place;
    int64_t begin_rest = begin % place;
    int64_t end_rest = (end - 1) % place + 1;
    const struct sator_decline *why = NULL;
    assert(k >= 0 && begin < end);
    if (first == last && (begin_rest > 0 || end_rest < place)) {
        prefix[k] = first;
        return cover(pool, digit, k - 1, begin_rest, end_rest, prefix, boxes);
    }
    struct closed_interval whole = {first + (begin_rest > 0), last - (end_rest < place)};
    if (!closed_is_empty(whole))
        why = emit(pool, digit, k, prefix, whole, boxes);
    if (why == NULL && begin_rest > 0) {
        prefix[k] = first;
        why = cover(pool, digit, k - 1, begin_rest, place, prefix, boxes);
    }
    if (why == NULL && end_rest < place) {
        prefix[k] = last;
        why = cover(pool, digit, k - 1, 0, end_rest, prefix, boxes);
    }
    return why;
}

/* Keep what has the values of the loop's fixed digits; "boxes" ends the pool. */
static void keep_fixed(
        struct closed_pool *pool, const struct closed_digit *digit, struct closed_boxes *boxes)
{
    for (int i = 0; i < boxes->n;) {
        struct closed_interval *box = closed_box(boxes, i);
        bool empty = false;
        for (int k = 0; k < boxes->n_axes; k++) {
            box[k] = closed_meet(box[k], closed_digit_range(&digit[k]));
            empty = empty || closed_is_empty(box[k]);
        }
        if (!empty) {
            i++;
            continue;
        }
        drop(boxes, i);
        pool->used -= boxes->n_axes;
    }
}

static const struct sator_decline *cover_loop(struct closed_pool *pool,
        const struct closed_digits *digits, int loop, struct closed_boxes *boxes)
{
    const struct closed_loop *l = &digits->loop[loop];
    int64_t prefix[CLOSED_RADICES];
    boxes->n = 0;
    boxes->n_axes = l->n_digits;
    boxes->box = pool->data + pool->used;
    if (l->is_full) { /* what cover finds, without its divisions */
        const struct closed_digit *last = &digits->digit[l->first_digit + l->n_digits - 1];
        return emit(pool, &digits->digit[l->first_digit], l->n_digits - 1, prefix,
                (struct closed_interval){0, last->size - 1}, boxes);
    }
    return cover(
            pool, &digits->digit[l->first_digit], l->n_digits - 1, l->begin, l->end, prefix, boxes);
}

const struct sator_decline *closed_boxes_of_loop(struct closed_pool *pool,
        const struct closed_digits *digits, int loop, struct closed_boxes *boxes)
{
    const struct closed_loop *l = &digits->loop[loop];
    const struct sator_decline *why = cover_loop(pool, digits, loop, boxes);
    if (why == NULL && l->has_fixed)
        keep_fixed(pool, &digits->digit[l->first_digit], boxes);
    return why;
}

/* ---- disjoint unions ---- */

static bool contains(
        const struct closed_interval *outer, const struct closed_interval *inner, int n)
{
    for (int i = 0; i < n; i++) {
        if (inner[i].lo < outer[i].lo || inner[i].hi > outer[i].hi)
            return false;
    }
    return true;
}

static bool overlap(const struct closed_interval *a, const struct closed_interval *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (closed_is_empty(closed_meet(a[i], b[i])))
            return false;
    }
    return true;
}

/* Enlarge "a" by "b" when their union is a box. */
static bool join(struct closed_interval *a, const struct closed_interval *b, int n)
{
    int differs = -1;
    for (int i = 0; i < n; i++) {
        if (a[i].lo == b[i].lo && a[i].hi == b[i].hi)
            continue;
        if (differs >= 0)
            return contains(a, b, n);
        differs = i;
    }
    if (differs < 0)
        return true;
    if (b[differs].lo > a[differs].hi + 1 || a[differs].lo > b[differs].hi + 1)
        return false;
    if (b[differs].lo < a[differs].lo)
        a[differs].lo = b[differs].lo;
    if (b[differs].hi > a[differs].hi)
        a[differs].hi = b[differs].hi;
    return true;
}

/* Join two boxes of the list; false when no two can be joined. */
static bool join_any(struct closed_boxes *boxes)
{
    int n_axes = boxes->n_axes;
    for (int i = 0; i < boxes->n; i++) {
        for (int j = 0; j < boxes->n; j++) {
            if (i == j || !join(closed_box(boxes, i), closed_box(boxes, j), n_axes))
                continue;
            drop(boxes, j);
            return true;
        }
    }
    return false;
}

static void join_all(struct closed_boxes *boxes)
{
    while (join_any(boxes))
        continue;
}

static bool disjoint(const struct closed_boxes *boxes)
{
    int n_axes = boxes->n_axes;
    for (int i = 0; i < boxes->n; i++) {
        for (int j = i + 1; j < boxes->n; j++) {
            if (overlap(closed_box(boxes, i), closed_box(boxes, j), n_axes))
                return false;
        }
    }
    return true;
}

/* Append the parts of "box" outside "hole" to "list", whose boxes end the pool. "box" is cut down
 * on the way. */
static const struct sator_decline *subtract(struct closed_pool *pool, struct closed_interval *box,
        const struct closed_interval *hole, struct closed_boxes *list)
{
    int n_axes = list->n_axes;
    for (int i = 0; i < n_axes; i++) {
        for (int side = 0; side < 2; side++) {
            struct closed_interval part = box[i];
            if (side == 0)
                part.hi = hole[i].lo - 1;
            else
                part.lo = hole[i].hi + 1;
            if (closed_is_empty(part))
                continue;
            struct closed_interval *piece = closed_pool_take(pool, n_axes);
            if (piece == NULL)
                return &pool_full;
            memcpy(piece, box, sizeof *piece * (size_t)n_axes);
            piece[i] = part;
            list->n++;
        }
        box[i] = closed_meet(box[i], hole[i]);
    }
    return NULL;
}

/* Subtract box "at" from all later ones of "list", which ends the pool; new parts are appended. */
static const struct sator_decline *cut(struct closed_pool *pool, int at, struct closed_boxes *list)
{
    for (int j = at + 1; j < list->n;) {
        const struct closed_interval *hole = closed_box(list, at);
        struct closed_interval *box = closed_box(list, j);
        if (!overlap(hole, box, list->n_axes)) {
            j++;
            continue;
        }
        const struct sator_decline *why = subtract(pool, box, hole, list);
        if (why != NULL)
            return why;
        drop(list, j);
        pool->used -= list->n_axes;
    }
    return NULL;
}

const struct sator_decline *closed_boxes_disjoin(
        struct closed_pool *pool, struct closed_boxes *boxes)
{
    join_all(boxes);
    if (disjoint(boxes))
        return NULL;
    int n_axes = boxes->n_axes;
    struct closed_boxes list = {.n = boxes->n, .n_axes = n_axes};
    list.box = closed_pool_take(pool, boxes->n * n_axes);
    if (list.box == NULL)
        return &pool_full;
    memcpy(list.box, boxes->box, sizeof *list.box * (size_t)(boxes->n * n_axes));
    for (int i = 0; i < list.n; i++) {
        const struct sator_decline *why = cut(pool, i, &list);
        if (why != NULL)
            return why;
    }
    join_all(&list);
    *boxes = list;
    return NULL;
}

const struct sator_decline *closed_boxes_project(
        struct closed_pool *pool, const bool *used, struct closed_boxes *boxes)
{
    int kept = 0;
    for (int axis = 0; axis < boxes->n_axes; axis++)
        kept += used[axis];
    if (kept == boxes->n_axes)
        return NULL;
    struct closed_interval *to = boxes->box;
    for (int i = 0; i < boxes->n; i++) {
        for (int axis = 0; axis < boxes->n_axes; axis++) {
            if (used[axis])
                *to++ = closed_box(boxes, i)[axis];
        }
    }
    boxes->n_axes = kept;
    return closed_boxes_disjoin(pool, boxes);
}

const struct sator_decline *closed_boxes_intersect(struct closed_pool *pool,
        const struct closed_boxes *a, const struct closed_boxes *b, const int64_t *shift,
        struct closed_boxes *result)
{
    int n_axes = a->n_axes;
    struct closed_boxes list = {.n_axes = n_axes, .box = pool->data + pool->used};
    assert(b->n_axes == n_axes);
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            const struct closed_interval *x = closed_box(a, i);
            const struct closed_interval *y = closed_box(b, j);
            struct closed_interval *meet = closed_pool_take(pool, n_axes);
            if (meet == NULL)
                return &pool_full;
            bool empty = false;
            for (int k = 0; k < n_axes && !empty; k++) {
                int64_t by = shift == NULL ? 0 : shift[k];
                meet[k] = closed_meet(x[k], (struct closed_interval){y[k].lo + by, y[k].hi + by});
                empty = closed_is_empty(meet[k]);
            }
            if (empty)
                pool->used -= n_axes;
            else
                list.n++;
        }
    }
    *result = list;
    return NULL;
}

const struct sator_decline *closed_boxes_subtract(struct closed_pool *pool,
        const struct closed_boxes *a, const struct closed_boxes *b, struct closed_boxes *result)
{
    int n_axes = a->n_axes;
    size_t size = sizeof *a->box * (size_t)n_axes;
    /* The hole comes first, and is taken out at the end: lists grow at the end of the pool. */
    struct closed_boxes list = {.n = a->n + 1, .n_axes = n_axes};
    assert(b->n_axes == n_axes);
    list.box = closed_pool_take(pool, (a->n + 1) * n_axes);
    if (list.box == NULL)
        return &pool_full;
    memcpy(closed_box(&list, 1), a->box, size * (size_t)a->n);
    for (int i = 0; i < b->n; i++) {
        memcpy(list.box, closed_box(b, i), size);
        const struct sator_decline *why = cut(pool, 0, &list);
        if (why != NULL)
            return why;
    }
    list.n--;
    list.box += n_axes;
    join_all(&list);
    *result = list;
    return NULL;
}

bool closed_boxes_meet(const struct closed_boxes *a, const struct closed_boxes *b)
{
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < b->n; j++) {
            if (overlap(closed_box(a, i), closed_box(b, j), a->n_axes))
                return true;
        }
    }
    return false;
}
