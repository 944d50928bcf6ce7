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
    unsigned moves[MAPPER_LOOPS], parts[MAPPER_LOOPS]; /* the transfers, by number, whose tensors a
                                                          loop indexes, and stands alone there */
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

/* Of the transfers those that it moves. */
static struct moved moved_by(
        const struct class_search *s, struct moved so_far, const struct placed *placed)
{
    return (struct moved){s->moves[placed->loop] & so_far.still & placed->transfers,
            s->parts[placed->loop] & so_far.sliding & placed->transfers};
}

/* Place a loop: what it does not move is kept along it. */
static struct moved place_loop(const struct class_search *s, struct order_class *order,
        struct moved state, const struct placed *placed)
{
    struct moved moved = moved_by(s, state, placed);
    unsigned slid = moved.still & ~s->parts[placed->loop];

    for (unsigned left = slid; left != 0; left &= left - 1)
        order->keep[__builtin_ctz(left)].slide = (int8_t)__builtin_ctz(placed->bits);
    state.still &= ~moved.still;
    state.sliding = (state.sliding & ~moved.sliding) | slid;
    for (unsigned left = state.still & placed->transfers; left != 0; left &= left - 1)
        order->keep[__builtin_ctz(left)].reuse |= placed->bits;
    for (unsigned left = (state.still | state.sliding) & placed->transfers; left != 0;
            left &= left - 1)
        order->keep[__builtin_ctz(left)].halo |= placed->bits;
    assert((state.still & state.sliding) == 0);
    return state;
}

/* The loops of which one is placed next. */
struct candidates {
    int n;
    struct placed loop[MAPPER_LOOPS];
    struct moved moved[MAPPER_LOOPS]; /* transfers, by each */
};

static void add_candidate(const struct class_search *s, struct candidates *next, struct moved state,
        struct placed placed)
{
    next->moved[next->n] = moved_by(s, state, &placed);
    next->loop[next->n++] = placed;
}

/* Place those that move nothing, which are kept along at no loss; the set of these loops. */
static unsigned place_free(const struct class_search *s, struct candidates *next,
        struct moved state, struct order_class *order)
{
    unsigned free = 0;
    int n = 0;

    for (int k = 0; k < next->n; k++) {
        if ((next->moved[k].still | next->moved[k].sliding) == 0) {
            place_loop(s, order, state, &next->loop[k]);
            free |= 1U << next->loop[k].loop;
            continue;
        }
        next->loop[n] = next->loop[k];
        next->moved[n++] = next->moved[k];
    }
    next->n = n;
    return free;
}

/* Whether every order in which the "k"-th is next keeps no more than one in which another of them
 * is: that moves nothing that the "k"-th does not move, too, and ends there what it keeps. Placed
 * before it, it ends nothing earlier, and is kept along by all that it does not move. */
static bool is_needless(const struct class_search *s, const struct candidates *next, int k)
{
    const struct moved *moved = &next->moved[k];
    unsigned parts = s->parts[next->loop[k].loop];

    for (int i = 0; i < next->n; i++) {
        const struct moved *other = &next->moved[i];
        bool is_same = other->still == moved->still && other->sliding == moved->sliding &&
                (moved->still & ~s->parts[next->loop[i].loop]) == 0;
        if (i != k && (other->still & ~(moved->still & parts)) == 0 &&
                (other->sliding & ~moved->sliding) == 0 && (!is_same || i < k))
            return true;
    }
    return false;
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
    struct candidates next = {.n = 0};
    int n = s->problem->n_loops;
    bool near_first = rest.near != 0;
    unsigned far = near_first ? rest.either : rest.far; /* that may be next */

    for (int i = 0; i < n; i++) {
        bool is_near = rest.near >> i & 1;
        if ((rest.near | far) >> i & 1)
            add_candidate(s, &next, state, (struct placed){i, 1U << (is_near ? i : n + i), ~0U});
    }
    for (unsigned free = place_free(s, &next, state, &order); free != 0; free &= free - 1) {
        int i = __builtin_ctz(free);
        rest = without(rest, i, rest.near >> i & 1);
    }
    if (near_first && rest.near == 0 && rest.far != 0) {
        place_rest(s, rest, state, &order);
        return;
    }
    if ((rest.near | rest.far) == 0 || (state.still | state.sliding) == 0) {
        add_class(s, &order);
        return;
    }
    for (int k = 0; k < next.n; k++) {
        struct order_class one = order;
        int i = next.loop[k].loop;
        if (is_needless(s, &next, k))
            continue;
        struct moved left = place_loop(s, &one, state, &next.loop[k]);
        place_rest(s, without(rest, i, rest.near >> i & 1), left, &one);
    }
}

/* ---- the transfers into two memories, in one order of the far loops ---- */

/* Far loops, and those that did not stand at the nearest row though they might: their near factors
 * are far, too. */
struct far_loops {
    unsigned far, late;
};

static struct far_loops without_far(struct far_loops rest, unsigned loops)
{
    return (struct far_loops){rest.far & ~loops, rest.late & ~loops};
}

static void place_far(struct class_search *s, struct far_loops rest, struct moved state,
        const struct order_class *so_far)
{
    struct order_class order = *so_far;
    struct candidates next = {.n = 0};
    int n = s->problem->n_loops;

    s->steps++;
    for (unsigned left = rest.far | rest.late; left != 0; left &= left - 1) {
        int i = __builtin_ctz(left);
        unsigned far = rest.far & 1U << i;
        add_candidate(s, &next, state,
                (struct placed){
                        i, (rest.late & 1U << i) | far << n, far != 0 ? ~0U : ~s->table->outer});
    }
    rest = without_far(rest, place_free(s, &next, state, &order));
    if ((rest.far | rest.late) == 0 || (state.still | state.sliding) == 0) {
        add_class(s, &order);
        return;
    }
    for (int k = 0; k < next.n && s->steps < MOST_STEPS; k++) {
        struct order_class one = order;
        if (is_needless(s, &next, k))
            continue;
        struct moved left = place_loop(s, &one, state, &next.loop[k]);
        place_far(s, without_far(rest, 1U << next.loop[k].loop), left, &one);
    }
}

/* Place the loops of the nearest row: all of "near", and of "either" any. Those of "outer"
 * transfers are inside of their tiles. */
static void place_near(struct class_search *s, unsigned near, unsigned either,
        struct far_loops outside, struct moved state, const struct order_class *so_far)
{
    struct order_class order = *so_far;
    struct candidates next = {.n = 0};
    unsigned inner = ~s->table->outer;

    s->steps++;
    for (unsigned left = near | either; left != 0; left &= left - 1)
        add_candidate(s, &next, state, (struct placed){__builtin_ctz(left), left & -left, inner});
    unsigned free = place_free(s, &next, state, &order);
    near &= ~free;
    either &= ~free;
    outside.late &= ~free;
    bool is_over = ((state.still | state.sliding) & inner) == 0;
    if (near == 0 || is_over)
        place_far(s, outside, state, &order);
    for (int k = 0; k < next.n && !is_over && s->steps < MOST_STEPS; k++) {
        struct order_class one = order;
        unsigned others = ~next.loop[k].bits;
        if (is_needless(s, &next, k))
            continue;
        struct moved left = place_loop(s, &one, state, &next.loop[k]);
        place_near(s, near & others, either & others,
                (struct far_loops){outside.far, outside.late & others}, left, &one);
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
    for (int i = 0; i < s->problem->n_loops; i++) {
        s->moves[i] = s->parts[i] = 0;
        for (int k = 0; k < table->count; k++) {
            s->moves[i] |= (access_of(s, k)->relevant >> i & 1) << k;
            s->parts[i] |= (access_of(s, k)->plain >> i & 1) << k;
        }
    }
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
