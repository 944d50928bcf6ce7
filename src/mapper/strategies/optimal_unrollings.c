/* Which parallel factors there are: for each class of equal rows, all products that fit it. */
#include "mapper/skew.h"
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void find_classes(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int r = 0; r < p->n_rows; r++) {
        int c = 0;
        if (!p->row[r].is_space)
            continue;
        /* neighbours only: rows in between would stand between their digits */
        while (c < o->n_classes &&
                !(o->class[c].row[o->class[c].n_rows - 1] == r - 1 &&
                        sator_mapper_same_rows(p, o->class[c].row[0], r, false, NULL)))
            c++;
        if (c == o->n_classes)
            o->class[o->n_classes++] = (struct row_class){.most = 1};
        struct row_class *class = &o->class[c];
        class->row[class->n_rows++] = r;
        class->most *= p->row[r].shape;
    }
}

/* Neighbouring classes of one row each that differ only when words pass. */
static void find_kins(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int c = 0, end; c < o->n_classes; c = end) {
        struct kin *kin = &o->kin[o->n_kins];
        *kin = (struct kin){.classes = 0};
        for (end = c; end < o->n_classes; end++) {
            int row = o->class[end].row[0];
            if (o->class[end].n_rows > 1 ||
                    (end > c &&
                            (row != o->class[end - 1].row[0] + 1 ||
                                    !sator_mapper_same_rows(
                                            p, o->class[c].row[0], row, true, &kin->told))))
                break;
            kin->rows.row[kin->rows.n_rows++] = row;
            kin->classes |= 1U << end;
        }
        o->n_kins += kin->rows.n_rows > 1;
        end += end == c;
    }
}

static bool may_place(const struct optimizer *o, const struct row_class *class)
{
    const struct mapper_problem *p = o->problem;
    bool may = !(o->placing_still && sator_mapper_passed(p, &o->mapping) != 0);

    for (int k = 0; k < class->n_rows && may && o->placing_chains; k++)
        may = sator_mapper_is_row_chain(p, &o->mapping, class->row[k]);
    return may;
}

/* Give the factors of "u" to the rows of a class so that each fits; false when they cannot. */
static bool split_rows(struct optimizer *o, const struct row_class *class, int k, int loop,
        int64_t room, int64_t *left)
{
    const struct mapper_problem *p = o->problem;

    if (k == class->n_rows - 1) {
        int64_t needed = 1;
        for (int i = 0; i < p->n_loops; i++) {
            o->mapping.factor[class->row[k]][i] = left[i];
            needed *= left[i];
        }
        return needed <= p->row[class->row[k]].shape && may_place(o, class);
    }
    if (loop == p->n_loops)
        return split_rows(o, class, k + 1, 0, p->row[class->row[k + 1]].shape, left);
    int64_t whole = left[loop];
    const int64_t *divisors = o->divisors[loop];
    int n_divisors = o->n_divisors[loop];
    if (o->imperfect)
        n_divisors = optimal_divisors(o, whole, &divisors);
    for (int d = n_divisors - 1; d >= 0; d--) {
        int64_t factor = divisors[d];
        if (factor > room || whole % factor != 0 ||
                ((o->staying >> loop & 1) && factor != o->stay[k][loop]))
            continue;
        o->mapping.factor[class->row[k]][loop] = factor;
        left[loop] = whole / factor;
        if (split_rows(o, class, k, loop + 1, room / factor, left))
            return true;
    }
    left[loop] = whole;
    return false;
}

bool optimal_place_unrolling(
        struct optimizer *o, const struct row_class *class, const struct unrolling *u)
{
    int64_t left[MAPPER_LOOPS];

    memcpy(left, u->factor, sizeof left);
    return split_rows(o, class, 0, 0, o->problem->row[class->row[0]].shape, left);
}

bool optimal_is_moved(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    bool moved = false;

    if (o->n_kins == 0 || sator_mapper_passed(p, &o->mapping) != 0)
        return false;
    o->placing_still = true;
    for (int g = 0; g < o->n_kins && !moved; g++) {
        const struct row_class *rows = &o->kin[g].rows;
        int64_t before[MAPPER_ROWS][MAPPER_LOOPS];
        struct unrolling all;
        for (int i = 0; i < p->n_loops; i++) {
            all.factor[i] = 1;
            for (int k = 0; k < rows->n_rows; k++)
                all.factor[i] *= o->mapping.factor[rows->row[k]][i];
        }
        for (int k = 0; k < rows->n_rows; k++)
            memcpy(before[k], o->mapping.factor[rows->row[k]], sizeof before[k]);
        o->staying = o->kin[g].told;
        o->stay = before;
        optimal_place_unrolling(o, rows, &all); /* as it is, if in no other way */
        o->staying = 0;
        for (int k = 0; k < rows->n_rows; k++) {
            int64_t *factor = o->mapping.factor[rows->row[k]];
            moved |= memcmp(before[k], factor, sizeof *factor * (size_t)p->n_loops) != 0;
            memcpy(factor, before[k], sizeof before[k]);
        }
    }
    o->placing_still = false;
    return moved;
}

static bool place_again(struct optimizer *o, const struct row_class *class)
{
    struct unrolling all;

    for (int i = 0; i < o->problem->n_loops; i++) {
        all.factor[i] = 1;
        for (int k = 0; k < class->n_rows; k++)
            all.factor[i] *= o->mapping.factor[class->row[k]][i];
    }
    return optimal_place_unrolling(o, class, &all);
}

bool optimal_place_chains(struct optimizer *o)
{
    unsigned merged = 0;
    bool all = true;

    if (sator_mapper_is_in_space(o->problem, &o->mapping))
        return true;
    o->placing_chains = true;
    o->placing_still = sator_mapper_passed(o->problem, &o->mapping) == 0;
    for (int g = 0; g < o->n_kins && all && o->placing_still; g++) {
        all = place_again(o, &o->kin[g].rows);
        merged |= o->kin[g].classes;
    }
    o->placing_still = false;
    for (int c = 0; c < o->n_classes && all; c++)
        all = (merged >> c & 1) || place_again(o, &o->class[c]);
    o->placing_chains = false;
    return all && sator_mapper_is_in_space(o->problem, &o->mapping);
}

/* Whether the images of loops that share an array dimension stand there in the order that the loops
 * have: neighbours are then images of neighbours. */
static bool keeps_order(const struct optimizer *o, const struct symmetry *symmetry)
{
    const struct mapper_problem *p = o->problem;

    for (int r = 0; r < p->n_rows; r++) {
        const int8_t *order = o->mapping.along[r];
        int place[MAPPER_LOOPS], last = -1;
        if (!p->row[r].is_space)
            continue;
        for (int k = 0; k < p->n_loops; k++)
            place[order[k]] = k;
        for (int k = 0; k < p->n_loops; k++) {
            if (o->mapping.factor[r][order[k]] == 1)
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
static void merge_kin(struct optimizer *o, const struct kin *kin)
{
    int64_t *all = o->kin_factor[o->n_unrolled];

    o->unrolled[o->n_unrolled++] = all;
    memcpy(all, optimal_ones, sizeof o->kin_factor[0]);
    for (int k = 0; k < kin->rows.n_rows; k++) {
        const int64_t *factor = o->mapping.factor[kin->rows.row[k]];
        int64_t *own = o->kin_factor[o->n_unrolled];
        for (int i = 0; i < o->problem->n_loops; i++) {
            all[i] *= factor[i];
            own[i] = kin->told >> i & 1 ? factor[i] : 1;
        }
        if (kin->told != 0)
            o->unrolled[o->n_unrolled++] = own;
    }
}

void optimal_know_unrolling(struct optimizer *o, const int *choice)
{
    const struct mapper_problem *p = o->problem;
    unsigned passed = sator_mapper_passed(p, &o->mapping), merged = 0;

    o->with_image = 0;
    for (int k = 0; k < o->n_symmetries; k++)
        o->with_image |=
                o->orders || (passed == 0 && !p->mixes_wires) || keeps_order(o, &o->symmetry[k])
                ? 1U << k
                : 0;
    o->tangled = 0;
    for (int t = 0; t < p->n_transfers; t++) {
        if ((passed >> t & 1) && p->transfer[t].n_buses >= 2)
            o->tangled |= p->access[p->transfer[t].access].relevant;
    }
    o->n_unrolled = 0;
    for (int g = 0; g < o->n_kins && passed == 0; g++) {
        merged |= o->kin[g].classes;
        merge_kin(o, &o->kin[g]);
    }
    for (int c = 0; c < o->n_classes; c++) {
        if (!(merged >> c & 1))
            o->unrolled[o->n_unrolled++] = o->class[c].choice[choice[c]].factor;
    }
}

/* Whether nothing with the factors of the first "n" loops can be fast enough to win: the others
 * would take all PEs that are left. */
static bool is_too_slow(
        const struct optimizer *o, const struct row_class *class, int n, const struct unrolling *u)
{
    const struct mapper_problem *p = o->problem;
    double time = 1, pes = 1;

    for (int c = 0; c < o->n_classes; c++)
        pes *= (double)o->class[c].most;
    for (int i = 0; i < p->n_loops; i++) {
        double extent = (double)p->extent[i], factor = (double)(i < n ? u->factor[i] : 1);
        time *= i < n && o->n_classes == 1 ? ceil(extent / factor) : extent / factor;
    }
    int64_t left = class->most / u->pes;
    pes *= (double)left / (double)class->most;
    return time / pes >= o->most_stamps;
}

static void list_choices(
        struct optimizer *o, struct row_class *class, int loop, struct unrolling *u)
{
    if (o->most_stamps < INFINITY && is_too_slow(o, class, loop, u))
        return;
    if (loop == o->problem->n_loops) {
        SATOR_PUSH(o->arena, class->choice, class->n_choices, *u);
        return;
    }
    bool is_lane = o->imperfect && class->row[0] > o->problem->innermost;
    int count = is_lane ? o->n_lanes[loop] : o->n_divisors[loop];
    for (int d = 0; d < count; d++) {
        int64_t factor = is_lane ? o->lanes[loop][d] : o->divisors[loop][d], pes = u->pes;
        if (factor > class->most / pes ||
                (factor > 1 && (o->problem->row[class->row[0]].banned >> loop & 1)))
            break;
        u->factor[loop] = factor;
        u->pes = pes * factor;
        list_choices(o, class, loop + 1, u);
        u->pes = pes;
    }
    u->factor[loop] = 1;
}

static int by_pes(const void *a, const void *b)
{
    const struct unrolling *x = a, *y = b;

    if (x->pes != y->pes)
        return x->pes > y->pes ? -1 : 1;
    return memcmp(x->factor, y->factor, sizeof x->factor); /* any fixed order */
}

static void find_choices(struct optimizer *o)
{
    for (int c = 0; c < o->n_classes; c++) {
        struct row_class *class = &o->class[c];
        struct unrolling u = {.pes = 1};
        for (int i = 0; i < MAPPER_LOOPS; i++)
            u.factor[i] = 1;
        list_choices(o, class, 0, &u);
        if (class->n_choices > 0)
            qsort(class->choice, (size_t) class->n_choices, sizeof *class->choice, by_pes);
        class->first = SATOR_NEW_ARRAY(o->arena, int, class->n_choices + 1);
        for (int k = 0; k < class->n_choices; k++) {
            if (k == 0 || class->choice[k].pes != class->choice[k - 1].pes)
                class->first[class->n_sizes++] = k;
        }
        class->first[class->n_sizes] = class->n_choices;
    }
}

/* Time-stamps from which on nothing can win, at the least energy: INFINITY when there are none. */
static double most_stamps(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share all = optimal_fixed(o);
    double low = 0, high = 4 * (double)p->instances;

    sator_mapper_share_add(p, &all, &o->least[p->n_memories + 1]);
    for (int k = 0; k < 64; k++) {
        double middle = k == 0 ? high : (low + high) / 2;
        o->compute_cycles = middle * p->cycles_per_instance;
        struct mapper_cost cost = optimal_cost(o, &all);
        if (sator_mapper_is_hopeless(o->search, cost.pj, cost.cycles))
            high = middle;
        else if (k == 0)
            return INFINITY;
        else
            low = middle;
    }
    return high;
}

/* The classes of rows outside all memories that fill the compute units; none where others could not
 * be told apart by them. */
static int count_outer(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    int row = p->n_rows, count = 0;

    for (int t = 0; t < p->n_transfers; t++) {
        if (p->transfer[t].child == p->n_memories && p->memory[p->transfer[t].parent].row < row)
            row = p->memory[p->transfer[t].parent].row;
    }
    while (count < o->n_classes && o->class[count].row[0] < row)
        count++;
    return count == o->n_classes ? 0 : count;
}

void optimal_find_unrollings(struct optimizer *o)
{
    find_classes(o);
    o->n_outer = count_outer(o);
    while (o->n_outside < o->n_classes && o->class[o->n_outside].row[0] < o->problem->innermost)
        o->n_outside++;
    find_kins(o);
    o->most_stamps = o->imperfect ? most_stamps(o) : INFINITY;
    find_choices(o);
}
