/* What crosses into the innermost memory at least, whatever the tiles and the orders: a product
 * over the arrays' rows, so that unrollings are cut while they are being listed, row by row
 * (doc/search.md, "What crosses an array").
 *
 * Of a loop that does not index a tensor, the tensor is fetched again in each of its steps that the
 * order does not keep, unless PEs that share words run them; of one along which it is kept, each PE
 * that shares nothing fetches its own words. A tensor that slides has another word at each PE
 * whenever the innermost of its loops steps, if a PE holds no more than one iteration of them;
 * where PEs have words of their neighbours from the stamp before, one of those along that loop's
 * index has a word that none had. Else each word of a run crosses once, a run being the loops
 * inside of the first that stands alone in an index of the tensor.
 */
#include "mapper/problem/order_classes.h"
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <string.h>

/* Whether costs only grow with the words of the transfers into the memory; set their prices and
 * flows. */
static bool set_prices(struct crossing *c, const struct mapper_problem *p)
{
    for (int k = 0; k < c->n; k++) {
        const struct mapper_transfer *t = &p->transfer[c->first + k];
        double unique = t->unique_pj, arriving = t->arriving_pj;
        if (unique < 0) { /* no fewer words arrive */
            unique += arriving;
            arriving = 0;
        }
        if (!(unique >= 0 && arriving >= 0) || t->is_outside)
            return false;
        c->footprint[k] = (double)p->access[t->access].footprint;
        c->unique_pj[k] = unique;
        c->arriving_pj[k] = arriving;
        for (int f = 0; f < t->n_flows; f++)
            c->flow[c->n_flows++] = (struct crossing_flow){
                    k, t->flow[f].port, t->flow[f].arriving, t->flow[f].bits};
    }
    return true;
}

/* How the words of a transfer are bounded under a class of orders. */
struct form {
    const struct mapper_access *access;
    unsigned slides; /* loops of sliding indices */
    unsigned shares; /* rows along which PEs may have words of each other */
    unsigned passes; /* others, along which PEs pass on what they had in the stamp before */
    bool one_class; /* these are rows of one class only */
    bool follows; /* each step of the tensor's innermost loop brings other words, to each PE */
    unsigned kept; /* loops that do not index it, in whose steps all is kept ... */
    unsigned within; /* ... or some may be: those of a run */
    int first; /* of the tensor's loops, if it slides; -1: it stands alone in its index */
    const int64_t *most; /* iterations of each loop that a PE's tile may have */
};

static struct form form_of(const struct optimal_plan *plan, const struct mapper_transfer *t,
        const struct order_keep *keep, const int64_t *most)
{
    const struct mapper_problem *p = plan->problem;
    const struct mapper_access *access = &p->access[t->access];
    struct form form = {.access = access,
            .slides = access->relevant & ~access->plain,
            .shares = t->collapsed,
            .follows = keep->slide != ORDER_ANY_SLIDE,
            .kept = keep->reuse >> p->n_loops,
            .most = most,
            .first = keep->slide < 0 ? keep->slide : keep->slide % p->n_loops};
    int classes = 0;

    for (int e = 0; e < access->n_indices; e++)
        form.follows &= access->index[e].joint == NULL;
    for (int i = 0; i < p->n_loops; i++)
        form.follows &= !(form.slides >> i & 1) || most[i] == 1;
    form.follows &= form.slides == 0 || !t->reaches_back;
    form.within = form.kept;
    if (form.slides != 0 && !form.follows) {
        form.within |= keep->halo >> p->n_loops;
        form.shares |= t->linked_rows;
    } else if (form.slides != 0) {
        form.passes = t->linked_rows & ~form.shares;
    }
    for (int c = 0; c < plan->n_classes; c++)
        classes += ((form.shares | form.passes) >> plan->class[c].row[0] & 1) != 0;
    form.one_class = classes <= 1;
    return form;
}

/* Whether a PE may have the same word again when the innermost loop of the tensor begins anew: if
 * another loop of its index takes a step just then. Where one of another index does, this index has
 * gone back; from the first loop on that stands alone in one, that one has changed. */
static bool may_fall_back(const struct form *form, unsigned before)
{
    const struct mapper_index *index = &form->access->index[form->access->index_of[form->first]];
    bool may = false;

    for (int i = 0; i < index->n_parts; i++)
        may |= index->loop[i] != form->first && (before >> index->loop[i] & 1);
    return may;
}

/* The values of an index that a run touches, times the runs: at least those of a tile of the loops
 * outside of it for each step of these; of the loops inside, at least those of the longest. A sum
 * of sets of a and b numbers has a + b - 1 at least, and the larger a tile is, the fewer values it
 * has for an iteration. */
static double values_of(
        const struct mapper_problem *p, const struct form *form, const struct mapper_index *index)
{
    double steps = 1, values = 1, inside = 1;

    for (int i = 0; i < index->n_parts; i++) {
        double extent = (double)p->extent[index->loop[i]];
        double tile = (double)form->most[index->loop[i]];
        if (form->follows || !(form->within >> index->loop[i] & 1)) {
            steps *= extent / tile;
            values += tile - 1;
        } else {
            inside = mapper_greater(inside, extent);
        }
    }
    return mapper_greater(steps * values, inside);
}

/* The words if no PEs share any. */
static double words_unshared(const struct optimal_plan *plan, const struct form *form,
        const struct order_keep *keep, const int64_t *most)
{
    const struct mapper_problem *p = plan->problem;
    double words = 1;

    if (keep->slide == ORDER_ANY_SLIDE)
        return (double)form->access->footprint;
    for (int e = 0; e < form->access->n_indices; e++)
        words *= values_of(p, form, &form->access->index[e]);
    for (int i = 0; i < p->n_loops; i++) {
        if (!((form->access->relevant | form->within) >> i & 1))
            words *= (double)p->extent[i] / (double)most[i];
    }
    if (form->follows && form->first >= 0 &&
            may_fall_back(form, keep->halo | keep->halo >> p->n_loops)) {
        double steps = (double)sator_mapper_smallest_prime(p->extent[form->first]);
        words *= (steps - 1) / steps;
    }
    return mapper_greater(words, (double)form->access->footprint);
}

/* PEs that may share a word of a sliding index: of PEs that hold a value each, those along one of
 * its loops at least want different ones; of those with tiles, that is not so. Where some pass on
 * what they had, of the PEs along the index that moves first one at least has a value that none of
 * them had: no finite set is what it is after a move. */
static double shared_sliding(const struct form *form, const struct unrolling *u)
{
    int moved = form->passes != 0 && form->first >= 0 ? form->access->index_of[form->first] : -1;
    double shared = 1;

    for (int e = 0; e < form->access->n_indices; e++) {
        const struct mapper_index *index = &form->access->index[e];
        double most = 1, others = 1; /* PEs along one of its loops; along the others */
        bool is_single = true; /* a tile has one value */
        if (index->n_parts == 1)
            continue;
        for (int i = 0; i < index->n_parts; i++) {
            double pes = (double)u->factor[index->loop[i]];
            if (!form->follows && (form->within >> index->loop[i] & 1))
                continue;
            is_single &= form->most[index->loop[i]] == 1;
            others *= mapper_lesser(most, pes);
            most = mapper_greater(most, pes);
        }
        shared *= form->one_class && e != moved && is_single ? others : others * most;
    }
    return shared;
}

/* By how much an unrolling of the class with row "row" changes the words: those that enter, and
 * those that arrive in the PEs. */
static struct crossing_words factor_of(int row, const struct unrolling *u,
        const struct mapper_transfer *t, const struct form *form)
{
    bool shares = form->shares >> row & 1, passes = form->passes >> row & 1;
    struct crossing_words words = {1, 1};

    if (row > t->child_row || form->first == ORDER_ANY_SLIDE)
        return words;
    for (unsigned left = u->loops & ~form->access->relevant; left != 0; left &= left - 1) {
        int i = __builtin_ctz(left);
        double pes = (double)u->factor[i];
        if (form->kept >> i & 1) {
            words.arriving *= pes;
            words.unique *= shares ? 1 : pes;
        } else if (!(form->within >> i & 1)) {
            words.unique *= shares ? 1 / pes : 1;
        }
    }
    if ((shares || passes) && (form->slides & u->loops) != 0)
        words.unique /= shared_sliding(form, u);
    return words;
}

/* What each choice of class "c" makes of the words of the "k"-th transfer, which has "form" with
 * each of what orders keep of it. */
static void tabulate_class(struct optimal_plan *plan, const struct order_classes *orders, int c,
        int k, const struct form *form)
{
    struct crossing *crossing = &plan->crossing;
    const struct row_class *class = &plan->class[c];

    for (int n = 0; n < class->n_choices; n++) {
        struct crossing_words words[CROSSING_ORDERS];
        crossing_row *factor = crossing->factor[c] + n * crossing->n_orders;
        for (int i = 0; i < orders->n_keeps[k]; i++)
            words[i] = factor_of(class->row[0], &class->choice[n],
                    &plan->problem->transfer[crossing->first + k], &form[i]);
        for (int q = 0; q < orders->count; q++)
            factor[q][k] = words[orders->keeps[q][k]];
    }
}

/* What the transfers' words are, by order, and what each choice of each class makes of them. */
static void tabulate(
        struct optimal_plan *plan, const struct order_classes *orders, const int64_t *most)
{
    struct crossing *crossing = &plan->crossing;

    for (int k = 0; k < crossing->n; k++) {
        struct form form[CROSSING_ORDERS]; /* as many as there are orders at most */
        double words[CROSSING_ORDERS];
        for (int i = 0; i < orders->n_keeps[k]; i++) {
            const struct order_keep *keep = &orders->keep[k][i];
            form[i] = form_of(plan, &plan->problem->transfer[crossing->first + k], keep, most);
            words[i] = words_unshared(plan, &form[i], keep, most);
        }
        for (int q = 0; q < orders->count; q++) {
            double all = words[orders->keeps[q][k]];
            crossing->words[q][k] = (struct crossing_words){all, all};
        }
        for (int c = 0; c < plan->n_classes; c++)
            tabulate_class(plan, orders, c, k, form);
    }
}

static void take_least(const struct crossing *crossing, crossing_row *least, crossing_row *one)
{
    for (int q = 0; q < crossing->n_orders; q++) {
        for (int k = 0; k < crossing->n; k++) {
            least[q][k].unique = mapper_lesser(least[q][k].unique, one[q][k].unique);
            least[q][k].arriving = mapper_lesser(least[q][k].arriving, one[q][k].arriving);
        }
    }
}

/* The least of each factor over the choices of each size. */
static void find_least(struct optimal_plan *plan, int c)
{
    const struct row_class *class = &plan->class[c];
    struct crossing *crossing = &plan->crossing;

    for (int s = 0; s < class->n_sizes; s++) {
        crossing_row *least = crossing->least[c] + s * crossing->n_orders;
        crossing_row *factor = crossing->factor[c] + class->first[s] * crossing->n_orders;
        memcpy(least, factor, sizeof *least * (size_t)crossing->n_orders);
        for (int n = class->first[s] + 1; n < class->first[s + 1]; n++)
            take_least(crossing, least, factor += crossing->n_orders);
    }
}

void optimal_find_crossing(struct optimal_plan *plan, struct sator_arena *arena)
{
    const struct mapper_problem *p = plan->problem;
    struct crossing *crossing = &plan->crossing;
    struct order_table table;
    const int64_t *most = plan->most[p->n_memories - 1];

    *crossing = (struct crossing){.child = p->n_memories - 1};
    if (p->imperfect || p->has_counted || p->lends || p->n_memories < 2 || plan->n_classes == 0)
        return;
    sator_mapper_order_table_init(&table, p, sator_mapper_transfers_into(p, crossing->child));
    const struct order_classes *orders =
            sator_mapper_order_classes(&table, 0, (1U << p->n_loops) - 1, 0);
    crossing->first = table.transfer[0];
    crossing->n = table.count;
    crossing->n_orders = orders->count;
    crossing->known = table.count > 0 && table.count <= CROSSING_TRANSFERS &&
            orders->count <= CROSSING_ORDERS && set_prices(crossing, p);
    for (int c = 0; c < plan->n_classes && crossing->known; c++) {
        size_t size = sizeof(crossing_row) * (size_t)crossing->n_orders;
        crossing->factor[c] = sator_arena_take(arena, size * (size_t)plan->class[c].n_choices);
        crossing->least[c] = sator_arena_take(arena, size * (size_t)plan->class[c].n_sizes);
    }
    if (crossing->known) {
        tabulate(plan, orders, most);
        for (int c = 0; c < plan->n_classes; c++)
            find_least(plan, c);
    }
    sator_mapper_order_table_free(&table);
}

static struct crossing_words times(const struct crossing_words *a, const struct crossing_words *b)
{
    return (struct crossing_words){a->unique * b->unique, a->arriving * b->arriving};
}

/* The choices of the classes from "c" on are known: what is so of the class before them, in the
 * orders that may still win. */
static void know(struct optimizer *o, int c)
{
    const struct crossing *crossing = &o->plan->crossing;
    struct crossing_branch *crossed = &o->at.crossing;

    for (unsigned left = c > 0 ? crossed->alive[c] : 0; left != 0; left &= left - 1) {
        int q = __builtin_ctz(left);
        for (int k = 0; k < crossing->n; k++)
            crossed->outside[c - 1][q][k] =
                    times(&crossed->known_of[c][q][k], &crossed->open[c - 1][q][k]);
    }
}

void optimal_open_crossing(struct optimizer *o, const int *size)
{
    const struct crossing *crossing = &o->plan->crossing;
    struct crossing_branch *crossed = &o->at.crossing;
    const struct mapper_problem *p = o->problem;

    if (!crossing->known)
        return;
    crossed->most_pj = sator_mapper_most_pj(o->search, o->at.compute_cycles);
    crossed->beside = optimal_fixed(o);
    for (int child = 0; child <= p->n_memories; child++) {
        struct mapper_share one;
        if (child == crossing->child)
            continue;
        sator_mapper_bounds_least(p, &o->at.crew, sator_mapper_transfers_into(p, child), &one);
        if (child < p->n_memories && o->table.outer[child].complete)
            one = o->table.outer[child].least;
        one.n_steps = 0;
        sator_mapper_share_add(p, &crossed->beside, &one);
    }
    memcpy(&crossed->known_of[o->plan->n_classes], &crossing->words, sizeof crossing->words);
    for (int c = 0; c <= o->plan->n_classes; c++)
        for (int q = 0; q < crossing->n_orders; q++)
            for (int k = 0; k < crossing->n; k++) {
                struct crossing_words *open = &crossed->open[c][q][k];
                const struct crossing_words *least = c == 0
                        ? NULL
                        : &crossing->least[c - 1][size[c - 1] * crossing->n_orders + q][k];
                *open = c == 0 ? (struct crossing_words){1, 1}
                               : times(&crossed->open[c - 1][q][k], least);
            }
    crossed->alive[o->plan->n_classes] = (1U << crossing->n_orders) - 1;
    know(o, o->plan->n_classes);
}

/* The words of a transfer, "factor" times those but for it; each crosses once. */
static struct crossing_words words_of(
        double footprint, const struct crossing_words *outside, const struct crossing_words *factor)
{
    struct crossing_words words = times(outside, factor);

    words.unique = words.unique < footprint ? footprint : words.unique;
    words.arriving = words.arriving < footprint ? footprint : words.arriving;
    return words;
}

/* The energy that one class of orders spends at least. */
static inline double energy_of(const struct crossing *crossing, double beside_pj,
        const struct crossing_words *outside, const struct crossing_words *factor)
{
    double pj = beside_pj;

    for (int k = 0; k < crossing->n; k++) {
        struct crossing_words words = words_of(crossing->footprint[k], &outside[k], &factor[k]);
        pj += words.unique * crossing->unique_pj[k] + words.arriving * crossing->arriving_pj[k];
    }
    return pj;
}

/* The least that one class of orders costs whose energy is "pj". */
static struct mapper_cost cost_of(const struct optimizer *o, double pj,
        const struct crossing_words *outside, const struct crossing_words *factor)
{
    const struct crossing *crossing = &o->plan->crossing;
    const struct crossing_branch *crossed = &o->at.crossing;
    const struct mapper_problem *p = o->problem;
    crossing_row words;
    struct mapper_share share;

    share.pj = pj;
    share.n_steps = 0;
    for (int i = 0; i < p->n_ports; i++)
        share.bits[i] = crossed->beside.bits[i];
    for (int k = 0; k < crossing->n; k++)
        words[k] = words_of(crossing->footprint[k], &outside[k], &factor[k]);
    for (int f = 0; f < crossing->n_flows; f++) {
        const struct crossing_flow *flow = &crossing->flow[f];
        share.bits[flow->port] += flow->bits *
                (flow->arriving ? words[flow->transfer].arriving : words[flow->transfer].unique);
    }
    return sator_mapper_bound(p, &o->plan->unknown, o->at.compute_cycles, &share);
}

bool optimal_crosses_too_much(struct optimizer *o, int c, int choice, struct mapper_cost *bound)
{
    const struct crossing *crossing = &o->plan->crossing;
    struct crossing_branch *crossed = &o->at.crossing;

    *bound = (struct mapper_cost){0, 0, 0};
    if (!crossing->known)
        return false;
    unsigned alive = 0;
    crossing_row *factors = crossing->factor[c] + choice * crossing->n_orders;
    *bound = (struct mapper_cost){INFINITY, INFINITY, INFINITY};
    for (unsigned left = crossed->alive[c + 1]; left != 0; left &= left - 1) {
        int q = __builtin_ctz(left);
        const struct crossing_words *factor = factors[q];
        double pj = energy_of(crossing, crossed->beside.pj, crossed->outside[c][q], factor);
        if (pj > crossed->most_pj)
            continue;
        struct mapper_cost cost = cost_of(o, pj, crossed->outside[c][q], factor);
        if (sator_mapper_is_hopeless(o->search, cost.pj, cost.cycles))
            continue;
        alive |= 1U << q;
        bound->pj = mapper_lesser(bound->pj, cost.pj);
        bound->cycles = mapper_lesser(bound->cycles, cost.cycles);
        bound->value = mapper_lesser(bound->value, cost.value);
    }
    if (alive == 0)
        return true;
    if (o->problem->objective == SATOR_MAP_EDP) /* no order has both */
        bound->pj = mapper_greater(bound->pj, bound->value / bound->cycles);
    crossed->alive[c] = alive;
    for (unsigned left = c > 0 ? alive : 0; left != 0; left &= left - 1) {
        int q = __builtin_ctz(left);
        for (int k = 0; k < crossing->n; k++)
            crossed->known_of[c][q][k] = times(&crossed->known_of[c + 1][q][k], &factors[q][k]);
    }
    know(o, c);
    return false;
}
