#include "mapper/problem/order_classes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 1 << 13 /* loops placed while the classes of two memories are found */
};

/* One class: what it keeps of each transfer. */
struct order_class {
    struct order_keep keep[MAPPER_ACCESSES];
};

struct class_search {
    const struct mapper_problem *problem;
    const struct order_table *table;
    int steps; /* loops placed, of two memories */
    int count;
    struct order_class order[ORDER_CLASSES];
};

static const struct mapper_access *access_of(const struct class_search *s, int k)
{
    return &s->problem->access[s->problem->transfer[s->table->transfer[k]].access];
}

/* Whether "a" keeps at least what "b" keeps, for every transfer. */
static bool covers(
        const struct class_search *s, const struct order_class *a, const struct order_class *b)
{
    for (int k = 0; k < s->table->count; k++) {
        if ((a->keep[k].reuse & b->keep[k].reuse) != b->keep[k].reuse ||
                (a->keep[k].halo & b->keep[k].halo) != b->keep[k].halo ||
                (b->keep[k].slide >= 0 && a->keep[k].slide != b->keep[k].slide))
            return false;
    }
    return true;
}

/* In place of all classes, one that covers them: a weaker bound, still one. */
static void cover_all(struct class_search *s)
{
    struct order_class all = {.keep = {{0}}};

    for (int k = 0; k < s->table->count; k++) {
        unsigned free = ~access_of(s, k)->relevant & ((1U << s->problem->n_loops) - 1);
        all.keep[k].reuse = free | free << s->problem->n_loops;
        all.keep[k].halo = ~0U;
        all.keep[k].slide = ORDER_ANY_SLIDE;
    }
    s->order[0] = all;
    s->count = 1;
}

static void add_class(struct class_search *s, const struct order_class *order)
{
    for (int i = 0; i < s->count; i++) {
        if (covers(s, &s->order[i], order))
            return;
    }
    for (int i = 0; i < s->count; i++) {
        if (covers(s, order, &s->order[i]))
            s->order[i--] = s->order[--s->count];
    }
    if (s->count == ORDER_CLASSES) {
        cover_all(s);
        return;
    }
    s->order[s->count++] = *order;
}

/* Sets of transfers, by number: those that stand still until now, and those that slide and then
 * keep nothing any more. */
struct moved {
    unsigned still, sliding;
};

/* A loop to be placed: the bits that stand for it, the lowest of which a window slides by, and the
 * transfers outside whose tiles it is. */
struct placed {
    int loop;
    unsigned bits, transfers;
};

static struct placed of_all(int loop, int bit)
{
    return (struct placed){loop, 1U << bit, ~0U};
}

/* Of the transfers those that it moves. */
static struct moved moved_by(
        const struct class_search *s, struct moved so_far, const struct placed *placed)
{
    struct moved moved = {0, 0};

    for (int k = 0; k < s->table->count; k++) {
        const struct mapper_access *access = access_of(s, k);
        unsigned one = placed->transfers & 1U << k;
        moved.still |= access->relevant >> placed->loop & 1 ? so_far.still & one : 0;
        moved.sliding |= access->plain >> placed->loop & 1 ? so_far.sliding & one : 0;
    }
    return moved;
}

static bool moves_none(
        const struct class_search *s, struct moved so_far, const struct placed *placed)
{
    struct moved moved = moved_by(s, so_far, placed);

    return (moved.still | moved.sliding) == 0;
}

/* Place a loop: what it does not move is kept along it. */
static struct moved place_loop(const struct class_search *s, struct order_class *order,
        struct moved state, const struct placed *placed)
{
    struct moved moved = moved_by(s, state, placed);

    for (int k = 0; k < s->table->count; k++) {
        bool slides = !(access_of(s, k)->plain >> placed->loop & 1);
        if (!(placed->transfers >> k & 1))
            continue;
        if (moved.still >> k & 1) {
            order->keep[k].slide = (int8_t)(slides ? __builtin_ctz(placed->bits) : -1);
            state.still &= ~(1U << k);
            state.sliding |= slides ? 1U << k : 0;
        } else if (state.still >> k & 1) {
            order->keep[k].reuse |= placed->bits;
        }
        state.sliding &= ~(moved.sliding & 1U << k);
        if ((state.still | state.sliding) >> k & 1)
            order->keep[k].halo |= placed->bits;
    }
    assert((state.still & state.sliding) == 0);
    return state;
}

/* The loops that are still to be placed: near ones first, then far ones, of which some may stand
 * before a near one, too. */
struct unplaced {
    unsigned near, far, either;
};

static struct unplaced without(struct unplaced rest, int loop, bool is_near)
{
    unsigned others = ~(1U << loop);

    return (struct unplaced){is_near ? rest.near & others : rest.near,
            is_near ? rest.far : rest.far & others, is_near ? rest.either : rest.either & others};
}

/* Place the loops "rest"; "state" are the transfers that still stand and those that slide. */
static void place_rest(struct class_search *s, struct unplaced rest, struct moved state,
        const struct order_class *so_far)
{
    struct order_class order = *so_far;
    int n = s->problem->n_loops;
    bool near_first = rest.near != 0;
    unsigned far = near_first ? rest.either : rest.far; /* that may be next */

    for (int i = 0; i < n; i++) { /* what moves nothing is kept along at no loss */
        bool is_near = rest.near >> i & 1;
        struct placed placed = of_all(i, is_near ? i : n + i);
        if (!((rest.near | far) >> i & 1) || !moves_none(s, state, &placed))
            continue;
        place_loop(s, &order, state, &placed);
        rest = without(rest, i, is_near);
    }
    if (near_first && rest.near == 0 && rest.far != 0) {
        place_rest(s, rest, state, &order);
        return;
    }
    if ((rest.near | rest.far) == 0 || (state.still | state.sliding) == 0) {
        add_class(s, &order);
        return;
    }
    far = near_first ? rest.either : rest.far;
    for (int i = 0; i < n; i++) {
        bool is_near = rest.near >> i & 1;
        if (!((rest.near | far) >> i & 1))
            continue;
        struct order_class next = order;
        struct placed placed = of_all(i, is_near ? i : n + i);
        struct moved left = place_loop(s, &next, state, &placed);
        place_rest(s, without(rest, i, is_near), left, &next);
    }
}

/* ---- the transfers into two memories, in one order of the far loops ---- */

/* Far loops, and those that did not stand at the nearest row though they might: their near factors
 * are far, too. */
struct far_loops {
    unsigned far, late;
};

static struct placed placed_far(const struct class_search *s, const struct far_loops *rest, int i)
{
    int n = s->problem->n_loops;
    unsigned late = rest->late & 1U << i, far = rest->far & 1U << i;

    return (struct placed){i, late | far << n, far != 0 ? ~0U : ~s->table->outer};
}

static void place_far(struct class_search *s, struct far_loops rest, struct moved state,
        const struct order_class *so_far)
{
    struct order_class order = *so_far;

    s->steps++;
    for (int i = 0; i < s->problem->n_loops; i++) {
        struct placed placed = placed_far(s, &rest, i);
        if (placed.bits == 0 || !moves_none(s, state, &placed))
            continue;
        place_loop(s, &order, state, &placed);
        rest = (struct far_loops){rest.far & ~(1U << i), rest.late & ~(1U << i)};
    }
    if ((rest.far | rest.late) == 0 || (state.still | state.sliding) == 0) {
        add_class(s, &order);
        return;
    }
    for (int i = 0; i < s->problem->n_loops && s->steps < MOST_STEPS; i++) {
        struct placed placed = placed_far(s, &rest, i);
        struct order_class next = order;
        if (placed.bits == 0)
            continue;
        struct moved left = place_loop(s, &next, state, &placed);
        place_far(
                s, (struct far_loops){rest.far & ~(1U << i), rest.late & ~(1U << i)}, left, &next);
    }
}

/* Place the loops of the nearest row: all of "near", and of "either" any. Those of "outer"
 * transfers are inside of their tiles. */
static void place_near(struct class_search *s, unsigned near, unsigned either,
        struct far_loops outside, struct moved state, const struct order_class *so_far)
{
    struct order_class order = *so_far;
    unsigned inner = ~s->table->outer;

    s->steps++;
    for (int i = 0; i < s->problem->n_loops; i++) {
        struct placed placed = {i, 1U << i, inner};
        if (!((near | either) >> i & 1) || !moves_none(s, state, &placed))
            continue;
        place_loop(s, &order, state, &placed);
        near &= ~placed.bits;
        either &= ~placed.bits;
        outside.late &= ~placed.bits;
    }
    bool is_over = ((state.still | state.sliding) & inner) == 0;
    if (near == 0 || is_over)
        place_far(s, outside, state, &order);
    for (int i = 0; i < s->problem->n_loops && !is_over && s->steps < MOST_STEPS; i++) {
        struct placed placed = {i, 1U << i, inner};
        struct order_class next = order;
        if (!((near | either) >> i & 1))
            continue;
        struct moved left = place_loop(s, &next, state, &placed);
        place_near(s, near & ~placed.bits, either & ~placed.bits,
                (struct far_loops){outside.far, outside.late & ~placed.bits}, left, &next);
    }
}

/* ---- the table ---- */

/* The number of "keep" among those of transfer "k"; a new one if it is none of them. */
static uint8_t keep_number(struct order_classes *classes, int k, const struct order_keep *keep)
{
    int j = 0;

    for (; j < classes->n_keeps[k]; j++) {
        const struct order_keep *one = &classes->keep[k][j];
        if (one->reuse == keep->reuse && one->halo == keep->halo && one->slide == keep->slide)
            return (uint8_t)j;
    }
    classes->keep[k] = sator_realloc(classes->keep[k], sizeof *keep * (size_t)(j + 1));
    classes->keep[k][j] = *keep;
    classes->n_keeps[k] = j + 1;
    return (uint8_t)j;
}

static void find_classes(const struct order_table *table, const struct unplaced *loops,
        struct order_classes *classes)
{
    struct class_search *s = sator_alloc(sizeof *s);
    struct order_class none = {.keep = {{0}}};
    struct moved still = {.still = (1U << table->count) - 1};

    for (int k = 0; k < MAPPER_ACCESSES; k++)
        none.keep[k].slide = -1;
    s->problem = table->problem;
    s->table = table;
    s->count = s->steps = 0;
    if (table->outer != 0)
        place_near(s, loops->near, loops->either, (struct far_loops){loops->far, loops->either},
                still, &none);
    else
        place_rest(s, *loops, still, &none);
    if (s->steps >= MOST_STEPS)
        cover_all(s);
    classes->keeps = sator_alloc(sizeof *classes->keeps * (size_t)s->count);
    for (int c = 0; c < s->count; c++) {
        for (int k = 0; k < table->count; k++)
            classes->keeps[c][k] = keep_number(classes, k, &s->order[c].keep[k]);
    }
    classes->count = s->count;
    free(s);
}

const struct order_classes *sator_mapper_order_classes(
        struct order_table *table, unsigned near, unsigned far, unsigned either)
{
    const int64_t key[] = {near | (int64_t)far << 32, either};
    bool is_new;
    struct order_classes *classes = sator_memo_place(table->classes, key, 2, &is_new);

    assert((near & either) == 0 && (table->outer != 0 || (either & ~far) == 0));
    if (is_new)
        find_classes(table, &(struct unplaced){near, far, either}, classes);
    return classes;
}

void sator_mapper_order_table_init(
        struct order_table *table, const struct mapper_problem *problem, uint32_t transfers)
{
    *table = (struct order_table){
            .problem = problem, .classes = sator_memo_new(sizeof(struct order_classes))};
    for (; transfers != 0; transfers &= transfers - 1) {
        assert(table->count < MAPPER_ACCESSES);
        table->transfer[table->count++] = __builtin_ctz(transfers);
    }
}

void sator_mapper_order_table_free(struct order_table *table)
{
    const struct order_classes *classes = sator_memo_items(table->classes);

    for (size_t i = 0; i < sator_memo_size(table->classes); i++) {
        for (int k = 0; k < table->count; k++)
            free(classes[i].keep[k]);
        free(classes[i].keeps);
    }
    sator_memo_free(table->classes);
}
