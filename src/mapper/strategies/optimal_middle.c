/* The tiles of memories with arrays outside, but for the innermost one: middle memories.
 *
 * What the transfers into such a memory cost depends on its tile and on the arrays outside, not on
 * what is further in. So unrollings that have the same arrays outside are visited together: first
 * the innermost tiles of all of them are listed; then, where these are many, the tiles of the
 * middle memories that may win with any of them, once. The least that one of these costs bounds
 * all, and each innermost tile takes those that it divides.
 */
#include "mapper/strategies/optimal.h"

#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORTH_A_TABLE = 8, /* innermost tiles that would list tiles of the middle memories each */
    SHARES = 4, /* visits for each list of innermost tiles that they share */
    MOST_INNER = 1 << 16, /* arrays inside the middle memories */
    MOST_SHARED = 1 << 10 /* tiles of such a list; visits with more list their own */
};

static bool has_array_outside(const struct mapper_problem *p, int m)
{
    bool has = false;

    for (int r = 0; r < p->memory[m].row; r++)
        has |= p->row[r].is_space;
    return has;
}

/* Whether memory "m" is one whose tiles are listed for unrollings that are alike: no others have
 * the same arrays outside. */
static bool is_tabulated(const struct optimal_plan *plan, int m)
{
    const struct mapper_problem *p = plan->problem;

    return 0 < m && m <= plan->middle && has_array_outside(p, m) &&
            (m == plan->middle || p->memory[m].row + 1 == p->memory[m + 1].row);
}

/* Whether the arrays outside the middle memories are rows that no transfer tells apart but by what
 * passes over families of buses: a bound that takes all families as one, as those of any order do,
 * sees of each loop how many PEs it runs on. */
static bool joins_outside(const struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    unsigned rows = optimal_rows_of(plan, plan->n_alike);
    bool joins = false;

    for (int g = 0; g < plan->n_kins; g++)
        joins |= plan->kin[g].classes == (1U << plan->n_alike) - 1 && plan->kin[g].told == 0;
    for (int t = 0; t < p->n_transfers && joins; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        unsigned told = transfer->linked_rows | transfer->wired | transfer->grouped_rows;
        joins = (told & rows) == 0 &&
                ((transfer->collapsed & rows) == 0 || (rows & ~transfer->collapsed) == 0);
    }
    return joins;
}

void optimal_find_middle(struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    int m = p->n_memories - 2;

    plan->middle = plan->n_alike = 0;
    if (m < 1 || !has_array_outside(p, m) || p->has_fixed || p->has_counted || plan->imperfect)
        return;
    plan->middle = m;
    while (plan->n_alike < plan->n_classes && plan->class[plan->n_alike].row[0] < p->memory[m].row)
        plan->n_alike++;
    plan->joins_outside = joins_outside(plan);
}

/* ---- which visits are alike ---- */

static int by_place(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* What is outside the middle memories of a visit, as their tiles see it: the choices of arrays; or
 * the factors of loops on all of them, and what passes words there. */
struct outside_key {
    int64_t key[MAPPER_LOOPS + 1];
    int place; /* of the visit */
};

static int by_key(const void *a, const void *b)
{
    const struct outside_key *x = a, *y = b;
    int order = memcmp(x->key, y->key, sizeof x->key); /* any fixed order */

    return order != 0 ? order : x->place < y->place ? -1 : x->place > y->place;
}

static void find_key(struct optimizer *o, const struct visit *visit, struct outside_key *key)
{
    const struct optimal_plan *plan = o->plan;
    struct mapper_mapping *mapping = &o->at.mapping;

    *key = (struct outside_key){.place = visit->place};
    for (int c = 0; c < plan->n_alike && !plan->joins_outside; c++)
        key->key[c] = visit->choice[c];
    if (!plan->joins_outside)
        return;
    for (int i = 0; i < o->problem->n_loops; i++) {
        key->key[i] = 1;
        for (int c = 0; c < plan->n_alike; c++) {
            int64_t factor = plan->class[c].choice[visit->choice[c]].factor[i];
            mapping->factor[plan->class[c].row[0]][i] = factor;
            key->key[i] *= factor;
        }
    }
    key->key[MAPPER_LOOPS] = sator_mapper_passed(o->problem, mapping);
    for (int c = 0; c < plan->n_alike; c++)
        memcpy(mapping->factor[plan->class[c].row[0]], mapper_ones,
                sizeof *mapper_ones * (size_t)o->problem->n_loops);
}

/* Set "first" of each visit to the place of the first of those that are alike. */
static void find_first(struct optimizer *o)
{
    struct visits *visits = &o->table.visits;
    struct outside_key *keys = sator_alloc(sizeof *keys * (size_t)(visits->count + 1));

    for (int k = 0; k < visits->count; k++)
        find_key(o, &visits->item[k], &keys[k]);
    if (visits->count > 0)
        qsort(keys, (size_t)visits->count, sizeof *keys, by_key);
    for (int k = 1; k < visits->count; k++) {
        if (memcmp(keys[k].key, keys[k - 1].key, sizeof keys->key) == 0)
            visits->item[keys[k].place].first = visits->item[keys[k - 1].place].first;
    }
    free(keys);
}

void optimal_find_alike(struct optimizer *o)
{
    struct visits *visits = &o->table.visits;
    struct visit *item = visits->item;

    if (visits->alike_room < visits->count) {
        visits->alike_room = visits->count;
        visits->alike = sator_realloc(visits->alike, sizeof *visits->alike * (size_t)visits->count);
    }
    for (int k = 0; k < visits->count; k++)
        item[k].place = item[k].first = k;
    if (o->plan->middle > 0 && visits->count > 0) {
        find_first(o);
        qsort(item, (size_t)visits->count, sizeof *item, by_place);
    }
    visits->n_alike = 0;
    for (int k = 0; k < visits->count; k++) {
        if (k > 0 && item[k].first == item[k - 1].first)
            visits->alike[visits->n_alike - 1].count++;
        else
            visits->alike[visits->n_alike++] = (struct alike){k, 1};
    }
}

/* ---- the tiles of the middle memories ---- */

/* Let the innermost memory have what all innermost tiles are multiples of, with the arrays inside
 * the middle memories. */
static void take_common(struct optimizer *o, const struct visit *visits)
{
    const struct optimal_plan *plan = o->plan;
    const struct tile_list *list = &o->table.innermost;
    int row = o->problem->memory[o->problem->n_memories - 1].row;

    for (int i = 0; i < o->problem->n_loops; i++) {
        int64_t common = 0;
        for (int k = 0; k < list->count; k++) {
            const int *choice = visits[list->item[k].visit].choice;
            int64_t tile = list->item[k].factor[i];
            for (int c = plan->n_alike; c < plan->n_classes; c++)
                tile *= plan->class[c].choice[choice[c]].factor[i];
            common = sator_gcd(tile, common);
        }
        o->at.mapping.factor[row][i] = common;
        o->at.rest[i] /= common;
    }
}

static void give_back_common(struct optimizer *o)
{
    int row = o->problem->memory[o->problem->n_memories - 1].row;

    for (int i = 0; i < o->problem->n_loops; i++)
        o->at.rest[i] *= o->at.mapping.factor[row][i];
}

/* Lower "least" to what the innermost tiles of a list cost at least, the transfers into the compute
 * units included. */
static void take_least(
        const struct optimizer *o, const struct tile_list *list, struct mapper_share *least)
{
    for (int k = 0; k < list->count; k++) {
        struct mapper_share share = list->item[k].settled;
        sator_mapper_share_add(o->problem, &share, &list->item[k].own);
        least->pj = fmin(least->pj, share.pj);
        for (int i = 0; i < o->problem->n_ports; i++)
            least->bits[i] = fmin(least->bits[i], share.bits[i]);
    }
}

static struct mapper_share least_of_none(void)
{
    struct mapper_share least = {.pj = INFINITY};

    for (int i = 0; i < MAPPER_PORTS; i++)
        least.bits[i] = INFINITY;
    return least;
}

static int by_energy(const void *a, const void *b)
{
    const struct tile_choice *const *x = a, *const *y = b;
    double pj = (*x)->settled.pj + (*x)->own.pj, other = (*y)->settled.pj + (*y)->own.pj;

    if (pj != other)
        return pj < other ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Whether the visits have other factors on single rows of the arrays outside, those of all rows
 * being the same. */
static bool are_mixed(const struct optimal_plan *plan, const struct visit *visits, int count)
{
    bool mixed = false;

    for (int k = 1; k < count; k++)
        mixed |= memcmp(visits[k].choice, visits->choice,
                         sizeof *visits->choice * (size_t)plan->n_alike) != 0;
    return mixed;
}

/* Set table.inside to the innermost tiles. */
static void set_inside(struct optimizer *o, const struct visit *visits)
{
    const struct optimal_plan *plan = o->plan;
    const struct tile_list *list = &o->table.innermost;
    struct inside *inside = &o->table.inside;
    const struct tile_choice **sorted =
            SATOR_NEW_ARRAY(o->table.alike, const struct tile_choice *, (size_t)list->count);

    for (int k = 0; k < list->count; k++)
        sorted[k] = &list->item[k];
    qsort(sorted, (size_t)list->count, sizeof *sorted, by_energy);
    inside->n = list->count < MOST_INSIDE ? list->count : MOST_INSIDE;
    for (int k = 0; k < inside->n; k++) {
        const int *choice = visits[sorted[k]->visit].choice;
        bool is_rest = k == MOST_INSIDE - 1;
        inside->pj[k] = sorted[k]->settled.pj + sorted[k]->own.pj;
        for (int i = 0; i < o->problem->n_loops; i++) {
            inside->tile[k][i] = is_rest ? 1 : sorted[k]->factor[i];
            for (int c = plan->n_alike; c < plan->n_classes && !is_rest; c++)
                inside->tile[k][i] *= plan->class[c].choice[choice[c]].factor[i];
        }
    }
    o->at.alive = inside->n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << inside->n) - 1;
}

uint64_t optimal_inside(const struct optimizer *o, uint64_t alive, int loop, int64_t extent)
{
    uint64_t divide = 0;

    for (uint64_t left = alive; left != 0; left &= left - 1) {
        int k = __builtin_ctzll(left);
        if (extent % o->table.inside.tile[k][loop] == 0)
            divide |= UINT64_C(1) << k;
    }
    return divide;
}

/* What the tiles of a table cost with loops on arrays outside in one way, as far as it was asked.
 */
struct order_costs {
    struct order_costs *next;
    int64_t factor[MAPPER_ROWS][MAPPER_LOOPS];
    int8_t along[MAPPER_ROWS][MAPPER_LOOPS];
    bool *is_known; /* by item */
    struct mapper_share *own;
};

static struct order_costs *costs_in_order(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    struct outer_tiles *tiles = &o->table.outer[m];
    const struct mapper_mapping *mapping = &o->at.mapping;
    size_t rows = (size_t)p->memory[m].row;

    for (struct order_costs *costs = tiles->orders; costs != NULL; costs = costs->next) {
        if (memcmp(costs->along, mapping->along, sizeof *mapping->along * rows) == 0 &&
                memcmp(costs->factor, mapping->factor, sizeof *mapping->factor * rows) == 0)
            return costs;
    }
    struct order_costs *costs = SATOR_NEW(o->table.alike, struct order_costs);
    costs->next = tiles->orders;
    memcpy(costs->along, mapping->along, sizeof *mapping->along * rows);
    memcpy(costs->factor, mapping->factor, sizeof *mapping->factor * rows);
    costs->is_known = SATOR_NEW_ARRAY(o->table.alike, bool, (size_t)tiles->count);
    costs->own = SATOR_NEW_ARRAY(o->table.alike, struct mapper_share, (size_t)tiles->count);
    tiles->orders = costs;
    return costs;
}

void optimal_own_in_order(struct optimizer *o, int m, int k, struct mapper_share *own)
{
    struct order_costs *costs = costs_in_order(o, m);

    if (!costs->is_known[k]) { /* for all visits that are alike */
        o->given->crew = &o->plan->unknown;
        o->given->compute = o->table.alike_cycles;
        optimal_bound_own(o, m, &costs->own[k]);
        o->given->crew = &o->at.crew;
        o->given->compute = o->at.compute_cycles;
        costs->is_known[k] = true;
        double all_pj = o->table.outer[m].item[k].own.pj;
        assert(costs->own[k].pj >= all_pj - 1e-9 * fabs(all_pj));
        (void)all_pj; /* where nothing is asserted */
    }
    *own = costs->own[k];
}

/* List the tiles of the middle memories that may win with some innermost tile; false: none do. */
static bool tabulate(struct optimizer *o, const struct visit *visits, int count)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share none = {0}, inside = least_of_none();
    bool may_win = true;

    optimal_take_arrays(o, visits, 0, o->plan->n_alike);
    o->at.compute_cycles = INFINITY;
    for (int k = 0; k < o->table.innermost.count; k++)
        o->at.compute_cycles =
                fmin(o->at.compute_cycles, visits[o->table.innermost.item[k].visit].compute_cycles);
    take_least(o, &o->table.innermost, &inside);
    take_common(o, visits);
    sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    o->at.shape.in_any_order = o->at.is_unordered || are_mixed(o->plan, visits, count);
    o->given->compute = o->at.compute_cycles;
    optimal_find_least(o);
    optimal_know_grown(o->plan, &o->at);
    optimal_order_listing(o->plan, &o->at);
    optimal_find_crowded(o->plan, &o->at);
    o->table.alike_cycles = o->at.compute_cycles;
    set_inside(o, visits);
    for (int m = o->plan->middle; is_tabulated(o->plan, m) && may_win; m--) {
        o->table.outer[m] = o->table.middle[m];
        o->table.outer[m].is_middle = true;
        o->table.outer[m].in_any_order = o->at.shape.in_any_order;
        may_win = optimal_fill_table(o, m, &(struct inner){&none, &inside});
        struct mapper_share one = o->table.outer[m].least;
        if (!o->table.outer[m].complete)
            sator_mapper_bounds_least(
                    p, &o->at.crew, sator_mapper_bounds_group(o->bounds, m), &one);
        sator_mapper_share_add(p, &inside, &one);
    }
    o->table.inside.n = 0;
    give_back_common(o);
    optimal_leave_arrays(o, visits, 0, o->plan->n_alike);
    return may_win;
}

/* Forget them; the room is for others. */
static void forget_tables(struct optimizer *o)
{
    for (int m = o->plan->middle; is_tabulated(o->plan, m); m--) {
        struct outer_tiles *tiles = &o->table.outer[m];
        if (tiles->item != NULL || tiles->words != NULL)
            o->table.middle[m] = (struct outer_tiles){
                    .room = tiles->room, .item = tiles->item, .words = tiles->words};
        memset(tiles, 0, sizeof *tiles);
    }
    optimal_find_least(o);
}

/* ---- the innermost tiles of all visits with the same arrays inside ---- */

/* By the number of the choices of these arrays. */
struct inner_lists {
    size_t n;
    struct inner_list {
        bool is_asked, is_made, is_known; /* for some visit; not too long */
        struct tile_list tiles;
    } list[];
};

static size_t number_inside(const struct optimal_plan *plan, const struct visit *visit)
{
    size_t number = 0;

    for (int c = plan->n_alike; c < plan->n_classes; c++)
        number = number * (size_t)plan->class[c].n_choices + (size_t)visit->choice[c];
    return number;
}

/* Whether nothing further in than the middle memories sees what is outside of them, so that the
 * arrays there may be left open; how many arrays there are inside. */
static bool may_share(const struct optimal_plan *plan, size_t *n)
{
    const struct mapper_problem *p = plan->problem;
    bool may = plan->middle > 0 && p->skew == NULL;

    for (int t = 0; t < p->n_transfers; t++)
        may &= p->transfer[t].child <= plan->middle || p->transfer[t].parent >= plan->middle;
    *n = 1;
    for (int c = plan->n_alike; c < plan->n_classes && may; c++) {
        *n *= (size_t)plan->class[c].n_choices;
        may = *n <= MOST_INNER;
    }
    return may;
}

/* List the innermost tiles of all unrollings with the arrays of "visit" inside: one PE of the
 * arrays outside after the other, as if their loops were outermost ones, would bring no more words.
 */
static void list_for_all(struct optimizer *o, const struct visit *visit, struct inner_list *list)
{
    const struct mapper_problem *p = o->problem;
    int m = p->n_memories - 1;

    optimal_take_arrays(o, visit, o->plan->n_alike, o->plan->n_classes);
    o->at.compute_cycles = o->plan->least_cycles;
    o->at.is_apart = true;
    o->given->strides = true;
    struct mapper_cost bound =
            optimal_bound_unrolling(o, optimal_rows_of(o->plan, o->plan->n_alike));
    list->is_known = true;
    if (!sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->at.with_image = 0;
        optimal_know_grown(o->plan, &o->at);
        o->at.grown = -1; /* what is left outside is not known */
        optimal_order_listing(o->plan, &o->at);
        optimal_find_crowded(o->plan, &o->at);
        struct inner inner = optimal_inner(o);
        optimal_list_choices(o, m, &inner);
        list->is_known = o->table.tile_list[m].count <= MOST_SHARED;
        for (int k = 0; k < o->table.tile_list[m].count && list->is_known; k++)
            optimal_add_choice(&list->tiles, &o->table.tile_list[m].item[k]);
    }
    o->given->strides = false;
    o->at.is_apart = false;
    optimal_leave_arrays(o, visit, o->plan->n_alike, o->plan->n_classes);
}

void optimal_list_inner(struct optimizer *o, int first)
{
    const struct visits *visits = &o->table.visits;
    int n_open = 0, n_lists = 0;
    size_t n;

    if (o->table.has_shared || o->search->only_dives ||
            (optimal_looks(o) < WORTH_SHARING && o->search->alone == 0) || !may_share(o->plan, &n))
        return;
    o->table.has_shared = true;
    struct inner_lists *inner = sator_calloc(1, sizeof *inner + n * sizeof *inner->list);
    inner->n = n;
    for (int k = first; k < visits->count; k++) {
        struct inner_list *list = &inner->list[number_inside(o->plan, &visits->item[k])];
        n_open++;
        n_lists += !list->is_asked;
        list->is_asked = true;
    }
    o->table.inner = inner;
    if (n_open < SHARES * n_lists && o->search->alone == 0) {
        optimal_forget_inner(o);
        return;
    }
    for (int k = first; k < visits->count && !sator_mapper_should_stop(o->search); k++) {
        struct inner_list *list = &inner->list[number_inside(o->plan, &visits->item[k])];
        if (!list->is_made)
            list_for_all(o, &visits->item[k], list);
        list->is_made = true;
    }
}

bool optimal_least_listed(const struct optimizer *o, struct mapper_share *least)
{
    const struct mapper_problem *p = o->problem;
    const struct inner_lists *inner = o->table.inner;
    bool is_known = inner != NULL, any = false;

    *least = least_of_none();
    for (int t = 0; t < p->n_transfers; t++) /* what the tiles lend is what their arrays make it */
        is_known &= p->transfer[t].child >= p->n_memories - 1 || o->plan->unknown.lent_pj[t] == 0;
    for (size_t k = 0; is_known && k < inner->n; k++) {
        is_known = inner->list[k].is_known || !inner->list[k].is_asked;
        any |= inner->list[k].tiles.count > 0;
        take_least(o, &inner->list[k].tiles, least);
    }
    return is_known && any;
}

void optimal_forget_inner(struct optimizer *o)
{
    if (o->table.inner != NULL && o->table.tabulated) /* by these */
        optimal_forget_tables(o);
    for (size_t k = 0; o->table.inner != NULL && k < o->table.inner->n; k++)
        free(o->table.inner->list[k].tiles.item);
    free(o->table.inner);
    o->table.inner = NULL;
}

/* The list that the visit has part in; NULL: there is none. */
static const struct tile_list *shared_by(const struct optimizer *o, const struct visit *visit)
{
    const struct inner_list *list =
            o->table.inner == NULL ? NULL : &o->table.inner->list[number_inside(o->plan, visit)];

    return list == NULL || !list->is_known ? NULL : &list->tiles;
}

/* Whether the list is known to have no tile that may win there. */
static bool has_none(const struct optimizer *o, const struct visit *visit)
{
    const struct tile_list *tiles = shared_by(o, visit);
    bool has_none = tiles != NULL;

    for (int n = 0; has_none && n < tiles->count; n++)
        has_none = sator_mapper_is_hopeless(o->search, tiles->item[n].bound.pj,
                fmax(tiles->item[n].bound.cycles, visit->bound.cycles));
    return has_none;
}

/* ---- visits ---- */

void optimal_list_innermost(struct optimizer *o, const struct visit *visit)
{
    const struct tile_list *tiles = shared_by(o, visit);
    struct inner inner = optimal_inner(o);

    if (tiles != NULL)
        optimal_list_again(o, tiles);
    else
        optimal_list_choices(o, o->problem->n_memories - 1, &inner);
}

/* List the innermost tiles of the "k"-th visit. */
static void list_innermost(struct optimizer *o, const struct visit *visit, int k)
{
    int m = o->problem->n_memories - 1;

    if (has_none(o, visit) ||
            sator_mapper_is_hopeless(o->search, visit->bound.pj, visit->bound.cycles)) {
        o->search->counters.pruned_unrolling++;
        return;
    }
    if (optimal_open_visit(o, visit)) {
        optimal_list_innermost(o, visit);
        for (int n = 0; n < o->table.tile_list[m].count; n++) {
            o->table.tile_list[m].item[n].visit = k;
            optimal_add_choice(&o->table.innermost, &o->table.tile_list[m].item[n]);
        }
    }
    optimal_leave_arrays(o, visit, 0, o->plan->n_classes);
}

/* Follow those of the "k"-th visit, which begin with the "first", as far as they may win with what
 * is known by now; where those of the next one begin. */
static int follow_innermost(struct optimizer *o, const struct visit *visit, int k, int first)
{
    int m = o->problem->n_memories - 1, end = first;
    struct tile_list *all = &o->table.innermost, *list = &o->table.tile_list[m];
    struct mapper_share none = {0};

    while (end < all->count && all->item[end].visit == k)
        end++;
    if (end == first)
        return end;
    if (optimal_open_visit(o, visit)) {
        struct inner inner = optimal_inner(o);
        list->count = 0;
        for (int n = first; n < end; n++) {
            struct tile_choice choice = all->item[n];
            struct mapper_cost bound;
            if (optimal_is_hopeless(o, m, &choice.settled, &choice.own, &none, &bound))
                continue;
            choice.bound.value = fmax(choice.bound.value, bound.value);
            choice.bound.pj = fmax(choice.bound.pj, bound.pj);
            choice.bound.cycles = fmax(choice.bound.cycles, bound.cycles);
            optimal_add_choice(list, &choice);
        }
        optimal_sort_choices(list);
        optimal_follow_choices(o, m, &inner);
    }
    optimal_leave_arrays(o, visit, 0, o->plan->n_classes);
    return end;
}

void optimal_visit_alike(struct optimizer *o, const struct visit *visits, int count)
{
    struct tile_list *innermost = &o->table.innermost;
    int worth = o->search->alone > 0 ? 1 : WORTH_A_TABLE, at = 0;

    if (o->plan->middle == 0) { /* each visit is alone */
        if (!sator_mapper_is_hopeless(o->search, visits->bound.pj, visits->bound.cycles))
            optimal_visit(o, visits);
        else
            o->search->counters.pruned_unrolling++;
        return;
    }
    innermost->count = 0;
    o->table.alike = sator_arena_new();
    for (int k = 0; k < count; k++)
        list_innermost(o, &visits[k], k);
    if (innermost->count >= worth && !tabulate(o, visits, count))
        innermost->count = 0;
    for (int k = 0; k < count; k++)
        at = follow_innermost(o, &visits[k], k, at);
    forget_tables(o);
    sator_arena_free(o->table.alike);
    o->table.alike = NULL;
}
