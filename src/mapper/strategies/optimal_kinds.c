/* Orders of loops on arrays, below one unrolling: kind by kind, and listed once for all its tiles.
 */
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_KINDS = 64, /* of orders that are looked at apart; of more all are looked at together */
    MOST_LISTED = 1024, /* orders that are told apart so */
    MOST_KEPT = 1024 /* orders that are remembered; more are listed for each tile */
};

/* ---- each order ---- */

struct row_order {
    int8_t along[MAPPER_ROWS][MAPPER_LOOPS];
};

void optimal_forget_row_orders(struct row_orders *orders)
{
    orders->count = 0;
    orders->is_listed = orders->are_too_many = false;
    orders->n_bounded = orders->n_hopeless = 0;
}

/* Set the parts of the PEs in the order that loops now have on arrays, by transfer. */
static void find_parts(const struct optimizer *o, int64_t *parts)
{
    struct mapper_shape shape;

    sator_mapper_shape_init(o->problem, &o->at.mapping, &shape);
    for (int t = 0; t < o->problem->n_transfers; t++)
        parts[t] = sator_mapper_parts(o->problem, o->search->words, &shape, t);
}

static bool are_parts(const struct optimizer *o, const int64_t *a, const int64_t *b)
{
    return memcmp(a, b, sizeof *a * (size_t)o->problem->n_transfers) == 0;
}

/* Whether the order that loops now have on arrays is one of those that are looked at. */
static bool has_parts(const struct optimizer *o)
{
    int64_t parts[MAPPER_TRANSFERS];

    if (o->at.parts == NULL)
        return true;
    find_parts(o, parts);
    return are_parts(o, parts, o->at.parts);
}

static bool keep_order(void *data, bool is_usual)
{
    struct optimizer *o = data;
    struct row_orders *orders = &o->table.row_orders;

    if (is_usual || !has_parts(o))
        return true;
    orders->are_too_many = orders->count == MOST_KEPT;
    if (orders->are_too_many)
        return false;
    orders->item = sator_grow(orders->item, orders->count, &orders->room, sizeof *orders->item);
    memcpy(orders->item[orders->count++].along, o->at.mapping.along, sizeof o->at.mapping.along);
    return true;
}

struct passing_on {
    struct optimizer *optimizer;
    optimal_order_visit *visit;
    void *data;
};

static bool pass_on(void *data, bool is_usual)
{
    const struct passing_on *on = data;

    return is_usual || !has_parts(on->optimizer) || on->visit(on->data);
}

void optimal_each_row_order(struct optimizer *o, optimal_order_visit *visit, void *data)
{
    struct row_orders *orders = &o->table.row_orders;
    struct mapper_mapping *mapping = &o->at.mapping;
    int8_t own[MAPPER_ROWS][MAPPER_LOOPS];
    bool goes_on = true;

    if (!orders->is_listed && !o->plan->imperfect) /* whose chains move factors among rows */
        sator_mapper_each_order(o->problem, mapping, keep_order, o);
    else if (!orders->is_listed)
        orders->are_too_many = true;
    orders->is_listed = true;
    if (orders->are_too_many) {
        sator_mapper_each_order(o->problem, mapping, pass_on, &(struct passing_on){o, visit, data});
        return;
    }
    memcpy(own, mapping->along, sizeof own);
    for (int k = 0; k < orders->count && goes_on; k++) {
        memcpy(mapping->along, orders->item[k].along, sizeof own);
        goes_on = visit(data);
    }
    memcpy(mapping->along, own, sizeof own);
}

/* ---- by kind ---- */

/* The parts of the orders of an unrolling on arrays. */
struct kinds {
    const struct optimizer *o;
    int n, n_listed;
    bool are_too_many;
    int64_t parts[MOST_KINDS][MAPPER_TRANSFERS];
};

/* Whether the orders of loops on arrays may make parts. */
static bool may_part(const struct mapper_problem *p)
{
    bool may = false;

    for (int t = 0; t < p->n_transfers; t++)
        may |= p->transfer[t].is_complex && p->transfer[t].links_alone != NULL;
    return may;
}

static bool note_kind(void *data, bool is_usual)
{
    struct kinds *kinds = data;
    int64_t parts[MAPPER_TRANSFERS];
    int k = 0;

    if (is_usual)
        return true;
    find_parts(kinds->o, parts);
    while (k < kinds->n && !are_parts(kinds->o, parts, kinds->parts[k]))
        k++;
    kinds->are_too_many = k == MOST_KINDS || ++kinds->n_listed > MOST_LISTED;
    if (kinds->are_too_many)
        return false;
    if (k == kinds->n)
        memcpy(kinds->parts[kinds->n++], parts, sizeof parts);
    return true;
}

/* Whether few innermost tiles may win in an order of any kind: most do where tensors have windows
 * and late links bring some of their words. */
static bool has_few_tiles(const struct mapper_problem *p)
{
    return !sator_mapper_lists_windows(p) || !sator_mapper_counts_skew(p);
}

/* List the innermost tiles for orders of all kinds: with the fewest parts of each transfer. */
static struct tile_list list_for_kinds(
        struct optimizer *o, const struct visit *visit, const struct kinds *kinds)
{
    int m = o->problem->n_memories - 1;
    struct tile_list tiles = {0};
    int64_t fewest[MAPPER_TRANSFERS];

    memcpy(fewest, kinds->parts[0], sizeof fewest);
    for (int k = 1; k < kinds->n; k++) {
        for (int t = 0; t < o->problem->n_transfers; t++)
            fewest[t] = kinds->parts[k][t] < fewest[t] ? kinds->parts[k][t] : fewest[t];
    }
    o->at.parts = fewest;
    if (optimal_open_visit(o, visit)) {
        optimal_list_innermost(o, visit);
        tiles = o->table.tile_list[m];
        o->table.tile_list[m] = (struct tile_list){0};
    }
    optimal_leave_arrays(o, visit, 0, o->plan->n_classes);
    return tiles;
}

/* Visit the orders on arrays kind by kind; false where there are too many kinds. */
static bool visit_kinds(struct optimizer *o, const struct visit *visit)
{
    struct kinds kinds = {.o = o};
    struct tile_list tiles = {0};

    optimal_take_arrays(o, visit, 0, o->plan->n_classes);
    sator_mapper_each_order(o->problem, &o->at.mapping, note_kind, &kinds);
    optimal_leave_arrays(o, visit, 0, o->plan->n_classes);
    if (kinds.are_too_many)
        return false;
    bool is_listed = kinds.n > 1 && o->problem->n_memories > 1 && has_few_tiles(o->problem);
    if (is_listed)
        tiles = list_for_kinds(o, visit, &kinds);
    for (int k = 0; k < kinds.n && (!is_listed || tiles.count > 0); k++) {
        o->at.parts = kinds.parts[k];
        optimal_visit_orders(o, visit, is_listed ? &tiles : NULL);
    }
    o->at.parts = NULL;
    free(tiles.item);
    return true;
}

void optimal_visit(struct optimizer *o, const struct visit *visit)
{
    bool by_kind = o->at.is_unordered && may_part(o->problem);

    if (!by_kind || !visit_kinds(o, visit))
        optimal_visit_orders(o, visit, NULL);
}
