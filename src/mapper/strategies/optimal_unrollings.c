/* Which parallel factors there are: for each class of equal rows, all products that fit it. */
#include "mapper/phases/phases.h"
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void find_classes(struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;

    for (int r = 0; r < p->n_rows; r++) {
        int c = 0;
        if (!p->row[r].is_space)
            continue;
        /* neighbours only: rows in between would stand between their digits */
        while (c < plan->n_classes &&
                !(plan->class[c].row[plan->class[c].n_rows - 1] == r - 1 &&
                        sator_mapper_same_rows(p, plan->class[c].row[0], r, false, NULL)))
            c++;
        if (c == plan->n_classes)
            plan->class[plan->n_classes++] = (struct row_class){.most = 1};
        struct row_class *class = &plan->class[c];
        class->row[class->n_rows++] = r;
        class->most *= p->row[r].shape;
    }
}

/* Neighbouring classes of one row each that differ only when words pass. */
static void find_kins(struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;

    for (int c = 0, end; c < plan->n_classes; c = end) {
        struct kin *kin = &plan->kin[plan->n_kins];
        *kin = (struct kin){.classes = 0};
        for (end = c; end < plan->n_classes; end++) {
            int row = plan->class[end].row[0];
            if (plan->class[end].n_rows > 1 ||
                    (end > c &&
                            (row != plan->class[end - 1].row[0] + 1 ||
                                    !sator_mapper_same_rows(
                                            p, plan->class[c].row[0], row, true, &kin->told))))
                break;
            kin->rows.row[kin->rows.n_rows++] = row;
            kin->classes |= 1U << end;
        }
        plan->n_kins += kin->rows.n_rows > 1;
        end += end == c;
    }
}

/* How factors are given to rows. */
struct placing {
    bool still; /* so that no words pass */
    bool chains; /* as chains of ceilings of the tiles inside, which are chosen */
    unsigned staying; /* loops whose factors stay on their rows while others are placed */
    int64_t (*stay)[MAPPER_LOOPS]; /* these, by row of the class */
};

static bool may_place(
        const struct optimizer *o, const struct placing *placing, const struct row_class *class)
{
    const struct mapper_problem *p = o->problem;
    bool may = !(placing->still && sator_mapper_passed(p, &o->at.mapping) != 0);

    for (int k = 0; k < class->n_rows && may && placing->chains; k++)
        may = sator_mapper_is_row_chain(p, &o->at.mapping, class->row[k]);
    return may;
}

/* Give the factors of "u" to the rows of a class so that each fits; false when they cannot. */
static bool split_rows(struct optimizer *o, const struct placing *placing,
        const struct row_class *class, int k, int loop, int64_t room, int64_t *left)
{
    const struct mapper_problem *p = o->problem;

    if (k == class->n_rows - 1) {
        int64_t needed = 1;
        for (int i = 0; i < p->n_loops; i++) {
            o->at.mapping.factor[class->row[k]][i] = left[i];
            needed *= left[i];
        }
        return needed <= p->row[class->row[k]].shape && may_place(o, placing, class);
    }
    if (loop == p->n_loops)
        return split_rows(o, placing, class, k + 1, 0, p->row[class->row[k + 1]].shape, left);
    int64_t whole = left[loop];
    if (whole == 1) {
        o->at.mapping.factor[class->row[k]][loop] = 1;
        return split_rows(o, placing, class, k, loop + 1, room, left);
    }
    const int64_t *divisors = o->plan->divisors[loop];
    int n_divisors = o->plan->n_divisors[loop];
    if (o->plan->imperfect)
        n_divisors = optimal_divisors(o, whole, &divisors);
    for (int d = n_divisors - 1; d >= 0; d--) {
        int64_t factor = divisors[d];
        if (factor > room || whole % factor != 0 ||
                ((placing->staying >> loop & 1) && factor != placing->stay[k][loop]))
            continue;
        o->at.mapping.factor[class->row[k]][loop] = factor;
        left[loop] = whole / factor;
        if (split_rows(o, placing, class, k, loop + 1, room / factor, left))
            return true;
    }
    left[loop] = whole;
    return false;
}

static bool place(struct optimizer *o, const struct placing *placing, const struct row_class *class,
        const struct unrolling *u)
{
    int64_t left[MAPPER_LOOPS];

    memcpy(left, u->factor, sizeof left);
    return split_rows(o, placing, class, 0, 0, o->problem->row[class->row[0]].shape, left);
}

bool optimal_place_unrolling(
        struct optimizer *o, const struct row_class *class, const struct unrolling *u)
{
    return place(o, &(struct placing){.still = false}, class, u);
}

static bool place_again(
        struct optimizer *o, const struct placing *placing, const struct row_class *class)
{
    struct unrolling all;

    for (int i = 0; i < o->problem->n_loops; i++) {
        all.factor[i] = 1;
        for (int k = 0; k < class->n_rows; k++)
            all.factor[i] *= o->at.mapping.factor[class->row[k]][i];
    }
    return place(o, placing, class, &all);
}

bool optimal_is_moved(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    bool moved = false;

    if (o->plan->n_kins == 0 || sator_mapper_passed(p, &o->at.mapping) != 0)
        return false;
    for (int g = 0; g < o->plan->n_kins && !moved; g++) {
        const struct row_class *rows = &o->plan->kin[g].rows;
        int64_t before[MAPPER_ROWS][MAPPER_LOOPS];
        for (int k = 0; k < rows->n_rows; k++)
            memcpy(before[k], o->at.mapping.factor[rows->row[k]], sizeof before[k]);
        struct placing placing = {.still = true, .staying = o->plan->kin[g].told, .stay = before};
        place_again(o, &placing, rows); /* as it is, if in no other way */
        for (int k = 0; k < rows->n_rows; k++) {
            int64_t *factor = o->at.mapping.factor[rows->row[k]];
            moved |= memcmp(before[k], factor, sizeof *factor * (size_t)p->n_loops) != 0;
            memcpy(factor, before[k], sizeof before[k]);
        }
    }
    return moved;
}

bool optimal_place_chains(struct optimizer *o)
{
    unsigned merged = 0;
    bool all = true;

    if (sator_mapper_is_in_space(o->problem, &o->at.mapping))
        return true;
    struct placing placing = {
            .chains = true, .still = sator_mapper_passed(o->problem, &o->at.mapping) == 0};
    for (int g = 0; g < o->plan->n_kins && all && placing.still; g++) {
        all = place_again(o, &placing, &o->plan->kin[g].rows);
        merged |= o->plan->kin[g].classes;
    }
    placing.still = false;
    for (int c = 0; c < o->plan->n_classes && all; c++)
        all = (merged >> c & 1) || place_again(o, &placing, &o->plan->class[c]);
    return all && sator_mapper_is_in_space(o->problem, &o->at.mapping);
}

/* Whether the images of loops that share an array dimension stand there in the order that the loops
 * have: neighbours are then images of neighbours. */
static bool keeps_order(const struct mapper_problem *p, const struct mapper_mapping *mapping,
        const struct symmetry *symmetry)
{
    for (int r = 0; r < p->n_rows; r++) {
        const int8_t *order = mapping->along[r];
        int place[MAPPER_LOOPS], last = -1;
        if (!p->row[r].is_space)
            continue;
        for (int k = 0; k < p->n_loops; k++)
            place[order[k]] = k;
        for (int k = 0; k < p->n_loops; k++) {
            if (mapping->factor[r][order[k]] == 1)
                continue;
            if (place[symmetry->image[order[k]]] < last)
                return false;
            last = place[symmetry->image[order[k]]];
        }
    }
    return true;
}

/* Note the factors of a kin: those of each loop together, and those of loops that are told apart by
 * row. */
static void merge_kin(
        const struct optimal_plan *plan, struct optimal_branch *branch, const struct kin *kin)
{
    int64_t *all = branch->kin_factor[branch->n_unrolled];

    branch->unrolled[branch->n_unrolled++] = all;
    memcpy(all, mapper_ones, sizeof branch->kin_factor[0]);
    for (int k = 0; k < kin->rows.n_rows; k++) {
        const int64_t *factor = branch->mapping.factor[kin->rows.row[k]];
        int64_t *own = branch->kin_factor[branch->n_unrolled];
        for (int i = 0; i < plan->problem->n_loops; i++) {
            all[i] *= factor[i];
            own[i] = kin->told >> i & 1 ? factor[i] : 1;
        }
        if (kin->told != 0)
            branch->unrolled[branch->n_unrolled++] = own;
    }
}

void optimal_know_unrolling(
        const struct optimal_plan *plan, struct optimal_branch *branch, const int *choice)
{
    const struct mapper_problem *p = plan->problem;
    unsigned passed = sator_mapper_passed(p, &branch->mapping), merged = 0;

    branch->with_image = 0;
    for (int k = 0; k < plan->n_symmetries; k++)
        branch->with_image |= plan->orders || sator_mapper_counts_skew(p) ||
                        (passed == 0 && !p->mixes_wires) ||
                        keeps_order(p, &branch->mapping, &plan->symmetry[k])
                ? 1U << k
                : 0;
    branch->tangled = 0;
    for (int t = 0; t < p->n_transfers; t++) {
        bool is_grouped =
                p->transfer[t].grouped_rows != 0 && p->access[p->transfer[t].access].is_sliding;
        if ((passed >> t & 1) && (p->transfer[t].n_buses >= 2 || is_grouped))
            branch->tangled |= p->access[p->transfer[t].access].relevant;
    }
    branch->n_unrolled = 0;
    for (int g = 0; g < plan->n_kins && passed == 0; g++) {
        merged |= plan->kin[g].classes;
        merge_kin(plan, branch, &plan->kin[g]);
    }
    for (int c = 0; c < plan->n_classes; c++) {
        if (!(merged >> c & 1))
            branch->unrolled[branch->n_unrolled++] = plan->class[c].choice[choice[c]].factor;
    }
}

/* Whether nothing with the factors of the first "n" loops can be fast enough to win: the others
 * would take all PEs that are left. */
static bool is_too_slow(const struct optimal_plan *plan, const struct row_class *class, int n,
        const struct unrolling *u)
{
    const struct mapper_problem *p = plan->problem;
    double time = 1, pes = 1;

    for (int c = 0; c < plan->n_classes; c++)
        pes *= (double)plan->class[c].most;
    for (int i = 0; i < p->n_loops; i++) {
        double extent = (double)p->extent[i], factor = (double)(i < n ? u->factor[i] : 1);
        time *= i < n && plan->n_classes == 1 ? ceil(extent / factor) : extent / factor;
    }
    int64_t left = class->most / u->pes;
    pes *= (double)left / (double)class->most;
    return time / pes >= plan->most_stamps;
}

static void list_choices(const struct optimal_plan *plan, struct sator_arena *arena,
        struct row_class *class, int loop, struct unrolling *u)
{
    if (plan->most_stamps < INFINITY && is_too_slow(plan, class, loop, u))
        return;
    if (loop == plan->problem->n_loops) {
        SATOR_PUSH(arena, class->choice, class->n_choices, *u);
        return;
    }
    bool is_lane = plan->imperfect && class->row[0] > plan->problem->innermost;
    int count = is_lane ? plan->n_lanes[loop] : plan->n_divisors[loop];
    for (int d = 0; d < count; d++) {
        int64_t factor = is_lane ? plan->lanes[loop][d] : plan->divisors[loop][d], pes = u->pes;
        if (factor > class->most / pes ||
                (factor > 1 && (plan->problem->row[class->row[0]].banned >> loop & 1)))
            break;
        u->factor[loop] = factor;
        u->pes = pes * factor;
        u->loops |= factor > 1 ? 1U << loop : 0;
        list_choices(plan, arena, class, loop + 1, u);
        u->pes = pes;
    }
    u->factor[loop] = 1;
    u->loops &= ~(1U << loop);
}

static int by_pes(const void *a, const void *b)
{
    const struct unrolling *x = a, *y = b;

    if (x->pes != y->pes)
        return x->pes > y->pes ? -1 : 1;
    return memcmp(x->factor, y->factor, sizeof x->factor); /* any fixed order */
}

static void find_choices(struct optimal_plan *plan, struct sator_arena *arena)
{
    for (int c = 0; c < plan->n_classes; c++) {
        struct row_class *class = &plan->class[c];
        struct unrolling u = {.pes = 1};
        memcpy(u.factor, mapper_ones, sizeof u.factor);
        list_choices(plan, arena, class, 0, &u);
        if (class->n_choices > 0)
            qsort(class->choice, (size_t) class->n_choices, sizeof *class->choice, by_pes);
        class->first = SATOR_NEW_ARRAY(arena, int, class->n_choices + 1);
        for (int k = 0; k < class->n_choices; k++) {
            if (k == 0 || class->choice[k].pes != class->choice[k - 1].pes)
                class->first[class->n_sizes++] = k;
        }
        class->first[class->n_sizes] = class->n_choices;
    }
}

/* Time-stamps from which on nothing can win, at the least energy: INFINITY when there are none. */
static double most_stamps(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share all = optimal_fixed(o);
    double low = 0, high = 4 * (double)p->instances;

    sator_mapper_share_add(p, &all, &o->table.least[p->n_memories + 1]);
    for (int k = 0; k < 64; k++) {
        double middle = k == 0 ? high : (low + high) / 2;
        struct mapper_cost cost =
                sator_mapper_bound(p, &o->at.crew, middle * p->begun_cycles, &all);
        if (sator_mapper_is_hopeless(o->search, cost.pj, cost.cycles))
            high = middle;
        else if (k == 0)
            return INFINITY;
        else
            low = middle;
    }
    return high;
}

/* The classes of rows outside all memories that fill the compute units, or the innermost memory in
 * what is bounded with that; none where others could not be told apart by them. */
static int count_outer(const struct optimal_plan *plan)
{
    const struct mapper_problem *p = plan->problem;
    int row = p->n_rows, count = 0;

    for (int t = 0; t < p->n_transfers; t++) {
        bool fills = p->transfer[t].child == p->n_memories || (plan->joined >> t & 1);
        if (fills && p->memory[p->transfer[t].parent].row < row)
            row = p->memory[p->transfer[t].parent].row;
    }
    while (count < plan->n_classes && plan->class[count].row[0] < row)
        count++;
    return count == plan->n_classes ? 0 : count;
}

static int by_product(const void *a, const void *b)
{
    const struct sizes *x = a, *y = b;

    if (x->pes != y->pes)
        return x->pes > y->pes ? -1 : 1;
    return memcmp(x->size, y->size, sizeof x->size);
}

static void list_sizes(
        struct optimal_plan *plan, struct sator_arena *arena, int c, struct sizes *so_far)
{
    if (c == plan->n_classes) {
        SATOR_PUSH(arena, plan->sizes, plan->n_sizes, *so_far);
        return;
    }
    const struct row_class *class = &plan->class[c];
    double pes = so_far->pes;
    for (int s = 0; s < class->n_sizes; s++) {
        so_far->size[c] = s;
        so_far->pes = pes * (double)class->choice[class->first[s]].pes;
        list_sizes(plan, arena, c + 1, so_far);
    }
    so_far->pes = pes;
}

static void find_sizes(struct optimal_plan *plan, struct sator_arena *arena)
{
    const struct mapper_problem *p = plan->problem;
    struct sizes start = {.pes = 1};

    list_sizes(plan, arena, 0, &start);
    if (plan->n_sizes == 0) /* none is fast enough */
        return;
    qsort(plan->sizes, (size_t)plan->n_sizes, sizeof *plan->sizes, by_product);
    plan->least_cycles = sator_mapper_least_computing(p, plan->sizes[0].pes);
}

/* For a bound of all, that they may fill the arrays. */
static void assume_sizes(struct optimal_plan *plan, struct sator_arena *arena)
{
    const struct mapper_problem *p = plan->problem;
    struct sizes all = {.pes = fmin((double)p->pes, (double)p->instances)};

    SATOR_PUSH(arena, plan->sizes, plan->n_sizes, all);
}

void optimal_find_unrollings(
        struct optimizer *o, struct optimal_plan *plan, struct sator_arena *arena)
{
    if (plan->imperfect && o->search->stopped != SATOR_OK) { /* to list them takes milliseconds */
        assume_sizes(plan, arena);
        return;
    }
    find_classes(plan);
    plan->n_outer = count_outer(plan);
    while (plan->n_outside < plan->n_classes &&
            plan->class[plan->n_outside].row[0] < plan->problem->innermost)
        plan->n_outside++;
    find_kins(plan);
    plan->most_stamps = plan->imperfect ? most_stamps(o) : INFINITY;
    find_choices(plan, arena);
    find_sizes(plan, arena);
}
