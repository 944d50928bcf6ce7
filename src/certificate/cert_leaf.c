/* Parts whose factors are all decided: words order by order (doc/certificate.md, "Orders").
 *
 * From one stamp to the next a loop steps forward, and those inside it fall back to their start: a
 * tile moves by the same distance at every step of the loop. What it then keeps depends on which
 * loops stand inside, not on their order, and what is kept adds up. So the least of a sum over
 * words is found by going through the sets of loops that stand inside, memory by memory.
 */
#include "base/memory.h"
#include "certificate/cert_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A group of PEs that share words, or one tile. */
struct held {
    int n_tile[CERT_DIMS], n_runs[CERT_DIMS]; /* a tile's; and those of the places of tiles */
    struct cert_run run[CERT_DIMS][CERT_RUNS];
    double values[CERT_DIMS], words, copies;
};

struct leaf {
    const struct cert_problem *p;
    const struct cert_part *part;
    int64_t stride[CERT_ROWS][CERT_LOOPS]; /* iterations that a step skips */
    double stamps[CERT_MOVES]; /* outside the move's child */
    struct held held[CERT_MOVES][2]; /* a tile; a group */
};

static void hold(const struct leaf *leaf, const struct cert_move *v, int grouped, struct held *held)
{
    const struct cert_problem *p = leaf->p;
    const struct cert_tensor *t = &p->tensor[v->tensor];
    int64_t tile[CERT_LOOPS];

    cert_inside(p, leaf->part, v->child_row, tile);
    held->words = held->copies = 1;
    for (int e = 0; e < t->n_dims; e++) {
        int n = 0;
        for (int k = 0; k < t->dim[e].n; k++) {
            if (tile[t->dim[e].loop[k]] > 1)
                held->run[e][n++] = (struct cert_run){t->dim[e].coef[k], tile[t->dim[e].loop[k]]};
        }
        held->n_tile[e] = n;
        for (int k = 0; k < t->dim[e].n; k++) {
            int i = t->dim[e].loop[k];
            int64_t coef = t->dim[e].coef[k];
            for (int r = 0; r < v->child_row && grouped; r++) {
                if ((v->shared >> r & 1) && leaf->part->factor[r][i] > 1)
                    held->run[e][n++] =
                            (struct cert_run){coef * leaf->stride[r][i], leaf->part->factor[r][i]};
            }
        }
        held->n_runs[e] = n;
        held->values[e] = 1;
        for (int k = 0; k < n && t->dim[e].n == 1; k++)
            held->values[e] *= (double)held->run[e][k].count;
        if (t->dim[e].n > 1)
            held->values[e] = cert_sums(n, held->run[e]);
        held->words *= held->values[e];
    }
    unsigned apart = v->outer | (grouped ? v->between & ~v->shared : v->between);
    for (int i = 0; i < p->n_loops; i++)
        held->copies *= (double)cert_spread(p, leaf->part, apart, i);
}

static void init(const struct cert_problem *p, const struct cert_part *part, struct leaf *leaf)
{
    leaf->p = p;
    leaf->part = part;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t stride = 1;
        for (int r = p->n_rows - 1; r >= 0; r--) {
            leaf->stride[r][i] = stride;
            stride *= part->factor[r][i];
        }
    }
    for (int m = 0; m < p->n_moves; m++) {
        const struct cert_move *v = &p->move[m];
        leaf->stamps[m] = 1;
        for (int r = 0; r < v->child_row; r++) {
            for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++)
                leaf->stamps[m] *= (double)part->factor[r][i];
        }
        for (int grouped = 0; grouped < 2; grouped++)
            hold(leaf, v, grouped, &leaf->held[m][grouped]);
    }
}

/* The values of dimension "e" that need not cross when its tiles have moved. Over buses those that
 * no PE has anew; where links join PEs, whatever some PE had. */
static double kept_values(const struct leaf *leaf, int move, int grouped, int e, int64_t shift)
{
    const struct held *held = &leaf->held[move][grouped];
    int n_set = leaf->p->move[move].has_links ? held->n_runs[e] : held->n_tile[e];

    return cert_common_of_all(n_set, held->n_runs[e], held->run[e], shift);
}

/* The words of all groups, or tiles, that a move keeps each time its tile moves by "shift". */
static double kept_words(
        const struct leaf *leaf, int move, int grouped, const int64_t shift[CERT_DIMS])
{
    const struct cert_tensor *t = &leaf->p->tensor[leaf->p->move[move].tensor];
    const struct held *held = &leaf->held[move][grouped];
    double words = held->copies;

    for (int e = 0; e < t->n_dims && words > 0; e++) {
        if (shift[e] == 0)
            words *= held->values[e];
        else
            words *= t->dim[e].n == 1 ? 0 : kept_values(leaf, move, grouped, e, shift[e]);
    }
    return words;
}

/* What stands in time between a move's child and a row: stamps, and iterations that each loop falls
 * back by. */
struct inside {
    double stamps;
    int64_t back[CERT_LOOPS];
};

/* What the steps of "loop" in "row" keep of a move, weighed; loops of the row that stand inside of
 * it make "stamps" and fall back by "back". */
static double saved(const struct leaf *leaf, const struct cert_weights *w, int row, int loop,
        const struct inside *placed, const struct inside *further, int move)
{
    const struct cert_problem *p = leaf->p;
    const struct cert_tensor *t = &p->tensor[p->move[move].tensor];
    double factor = (double)leaf->part->factor[row][loop];
    double inside = placed->stamps * further->stamps;
    double steps = (factor - 1) * leaf->stamps[move] / (inside * factor), sum = 0;
    int64_t shift[CERT_DIMS];

    for (int e = 0; e < t->n_dims; e++) {
        shift[e] = 0;
        for (int k = 0; k < t->dim[e].n; k++) {
            int i = t->dim[e].loop[k];
            int64_t moved = i == loop ? leaf->stride[row][i] : 0;
            shift[e] += t->dim[e].coef[k] * (moved - placed->back[i] - further->back[i]);
        }
    }
    if (w->unique[move] != 0)
        sum += w->unique[move] * kept_words(leaf, move, 1, shift);
    if (w->arriving[move] != 0)
        sum += w->arriving[move] * kept_words(leaf, move, 0, shift);
    return steps * sum;
}

static void place(const struct leaf *leaf, int row, int loop, struct inside *inside)
{
    int64_t factor = leaf->part->factor[row][loop];

    inside->stamps *= (double)factor;
    inside->back[loop] += leaf->stride[row][loop] * (factor - 1);
}

/* The most that the orders of one row's loops save. "further" is by move of the rows inside. */
static double most_saved(const struct leaf *leaf, const struct cert_weights *w, int row,
        const struct inside *further)
{
    const struct cert_problem *p = leaf->p;
    int list[CERT_LOOPS], n = 0;

    for (int i = 0; i < p->n_loops; i++) {
        if (leaf->part->factor[row][i] > 1)
            list[n++] = i;
    }
    size_t sets = (size_t)1 << n;
    double own[256], *most = sets <= 256 ? own : sator_alloc(sizeof *most * sets);
    for (size_t s = 0; s < sets; s++)
        most[s] = s == 0 ? 0 : -INFINITY;
    for (size_t s = 0; s + 1 < sets; s++) {
        struct inside placed = {.stamps = 1};
        for (int k = 0; k < n; k++) {
            if (s >> k & 1)
                place(leaf, row, list[k], &placed);
        }
        for (int k = 0; k < n; k++) {
            double sum = most[s];
            if (s >> k & 1)
                continue;
            for (int m = 0; m < p->n_moves; m++) {
                if (p->move[m].child_row > row)
                    sum += saved(leaf, w, row, list[k], &placed, &further[m], m);
            }
            size_t next = s | (size_t)1 << k;
            most[next] = fmax(most[next], sum);
        }
    }
    double result = most[sets - 1];
    if (most != own)
        free(most);
    return result;
}

static double least(void *data, const struct cert_weights *w)
{
    const struct leaf *leaf = data;
    const struct cert_problem *p = leaf->p;
    struct inside further[CERT_MOVES];
    double sum = w->constant;

    for (int m = 0; m < p->n_moves; m++) {
        const struct held *held = leaf->held[m];
        sum += leaf->stamps[m] *
                (w->unique[m] * held[1].copies * held[1].words +
                        w->arriving[m] * held[0].copies * held[0].words);
        further[m] = (struct inside){.stamps = 1};
    }
    for (int r = p->n_rows - 1; r >= 0; r--) {
        if (p->row[r].is_space)
            continue;
        sum -= most_saved(leaf, w, r, further);
        for (int m = 0; m < p->n_moves; m++) {
            for (int i = 0; i < p->n_loops && p->move[m].child_row > r; i++)
                place(leaf, r, i, &further[m]);
        }
    }
    return fmax(sum, 0);
}

double cert_bound_orders(const struct cert_problem *p, const struct cert_part *part, double goal)
{
    struct leaf leaf;

    init(p, part, &leaf);
    return cert_least_value(p, part, true, least, &leaf, goal);
}
