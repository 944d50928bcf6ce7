/* Which parallel factors there are: for each class of equal rows, all products that fit it. */
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_class(const struct mapper_problem *p, int a, int b)
{
    if (p->row[a].level != p->row[b].level)
        return false;
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (((t->apart >> a | t->apart >> b) & 1) != 0)
            return false;
        if ((t->collapsed >> a & 1) != (t->collapsed >> b & 1) ||
                (t->linked_rows >> a & 1) != (t->linked_rows >> b & 1))
            return false;
    }
    return true;
}

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
                        same_class(p, o->class[c].row[0], r)))
            c++;
        if (c == o->n_classes)
            o->class[o->n_classes++] = (struct row_class){.most = 1};
        struct row_class *class = &o->class[c];
        class->row[class->n_rows++] = r;
        class->most *= p->row[r].shape;
    }
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
        return needed <= p->row[class->row[k]].shape;
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
        if (factor > room || whole % factor != 0)
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
    struct mapper_share all = optimal_fixed(p);
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
    o->most_stamps = o->imperfect ? most_stamps(o) : INFINITY;
    find_choices(o);
}
