/* The relaxation of a part (doc/certificate.md, "What a tensor brings at least").
 *
 * Outside a tile that is known, or no larger than a known one, every loop has the whole of its
 * factors at the place where it first stands. Then what a tensor brings depends on the set of loops
 * that stand before the first one that indexes it alone, and the least over all orders is found by
 * going through the sets.
 */
#include "certificate/cert_bound.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One move outside a tile. */
struct walk {
    const struct cert_move *move;
    const struct cert_tensor *tensor;
    int64_t shared[CERT_LOOPS], apart[CERT_LOOPS]; /* PEs that share words; that do not */
    int64_t step[CERT_LOOPS]; /* the least that a step of the loop skips */
    unsigned whole[2]; /* loops whose values have no gap: of a tile, of a group of PEs ... */
    unsigned still_whole; /* ... also when steps in time are added */
    double copies[2]; /* tiles, groups */
};

/* The moves into one memory, or the compute units. */
struct child {
    int64_t tile[CERT_LOOPS]; /* at most ... */
    bool is_exact; /* ... or exactly */
    unsigned
            open; /* loops along which the tile may be smaller, with PEs' tiles between its parts */
    int64_t near[CERT_LOOPS], rest[CERT_LOOPS]; /* factors outside: at the nearest memory, if it is
                                                   known (else 1), and all others */
    double stamps;
    int n_walks;
    struct walk walk[CERT_TENSORS];
};

struct view {
    const struct cert_problem *p;
    const struct cert_part *part;
    int n_children;
    struct child child[CERT_MEMORIES + 1];
};

/* ---- tiles ---- */

static double tile_words(const struct cert_tensor *t, const int64_t *tile)
{
    double words = 1;

    for (int e = 0; e < t->n_dims; e++) {
        const struct cert_index *d = &t->dim[e];
        struct cert_run run[CERT_LOOPS];
        for (int i = 0; i < d->n; i++)
            run[i] = (struct cert_run){d->coef[i], tile[d->loop[i]]};
        words *= d->n == 1 ? (double)tile[d->loop[0]] : cert_sums(d->n, run);
    }
    return words;
}

bool cert_fits(const struct cert_problem *p, int m, const int64_t *tile)
{
    const struct cert_memory *memory = &p->memory[m];

    for (int c = 0; c < memory->n_capacities; c++) {
        const struct cert_capacity *capacity = &memory->capacity[c];
        double used = 0;
        for (int a = 0; a < p->n_tensors; a++) {
            if (capacity->tensors >> a & 1)
                used += tile_words(&p->tensor[a], tile) * (capacity->in_bits ? memory->bits[a] : 1);
        }
        if (used > capacity->available)
            return false;
    }
    return true;
}

/* Whether all factors of rows "row" and inside are decided. */
static bool is_known(const struct cert_problem *p, const struct cert_part *part, int row)
{
    unsigned all = (1U << p->n_loops) - 1;

    for (int r = row; r < p->n_rows; r++) {
        if (part->known[r] != all)
            return false;
    }
    return true;
}

/* The largest multiple of "tile" along one loop that fits alone; of "left" iterations. */
static int64_t widest(
        const struct cert_problem *p, int m, const int64_t *tile, int loop, int64_t left)
{
    int64_t wide[CERT_LOOPS];

    memcpy(wide, tile, sizeof wide);
    for (int k = p->n_divisors[loop] - 1; k > 0; k--) {
        int64_t d = p->divisors[loop][k];
        if (left % d != 0)
            continue;
        wide[loop] = tile[loop] * d;
        if (cert_fits(p, m, wide))
            return wide[loop];
    }
    return tile[loop];
}

/* Set the largest extents of what stands in rows "row" and inside. */
static void set_tile(const struct view *v, int m, int row, struct child *c)
{
    const struct cert_problem *p = v->p;
    const struct cert_part *part = v->part;
    int64_t least[CERT_LOOPS];
    unsigned outside = 0;

    for (int r = 0; r < row; r++)
        outside |= p->row[r].is_space ? 1U << r : 0;
    cert_inside(p, part, row, least);
    bool known = part->is_unrolled && is_known(p, part, row);
    c->is_exact = known;
    c->open = 0;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t left = p->extent[i] / cert_spread(p, part, outside, i) / least[i];
        c->tile[i] = least[i];
        if (!part->is_unrolled)
            c->tile[i] *= left;
        else if (!known)
            c->tile[i] = (part->known[row] >> i & 1) && is_known(p, part, row + 1)
                    ? least[i]
                    : widest(p, m, least, i, left);
        c->rest[i] = least[i] * left / c->tile[i];
        c->open |= c->tile[i] > least[i] ? 1U << i : 0;
        c->near[i] = 1;
    }
    int nearest = row - 1;
    while (nearest > 0 && p->row[nearest].is_space)
        nearest--;
    if (!known || nearest < 0 || !is_known(p, part, nearest))
        return;
    for (int i = 0; i < p->n_loops; i++) {
        c->near[i] = part->factor[nearest][i];
        c->rest[i] /= c->near[i];
    }
}

/* ---- walks ---- */

static void set_walk(
        const struct view *v, const struct child *c, const struct cert_move *move, struct walk *w)
{
    const struct cert_problem *p = v->p;
    unsigned apart = move->between & ~move->shared, near = 0;
    bool is_passed = false; /* a memory's row lies between */

    *w = (struct walk){.move = move, .tensor = &p->tensor[move->tensor], .copies = {1, 1}};
    for (int r = move->child_row - 1; r > p->memory[move->parent].row; r--) {
        is_passed |= !p->row[r].is_space;
        near |= p->row[r].is_space && !is_passed ? 1U << r : 0;
    }
    for (int i = 0; i < p->n_loops; i++) {
        int64_t outer = cert_spread(p, v->part, move->outer, i);
        int64_t alone = cert_spread(p, v->part, apart, i);
        int64_t next = cert_spread(p, v->part, near, i);
        w->shared[i] = cert_spread(p, v->part, move->shared, i);
        w->apart[i] = outer * alone;
        w->step[i] = c->tile[i] * next;
        bool joined = alone == 1 && next == w->shared[i];
        w->whole[0] |= 1U << i;
        w->whole[1] |= joined ? 1U << i : 0;
        w->still_whole |= joined && outer == 1 ? 1U << i : 0;
        w->copies[0] *= (double)(w->apart[i] * w->shared[i]);
        w->copies[1] *= (double)w->apart[i];
    }
}

/* The values of dimension "e" when loop i has stepped placed[i] times. Of loops with gaps at least
 * as many as of any sets: |A + B| >= |A| + |B| - 1. */
static double dim_values(
        const struct walk *w, const struct child *c, int e, int grouped, const int64_t *placed)
{
    const struct cert_index *d = &w->tensor->dim[e];
    struct cert_run run[CERT_LOOPS];
    bool whole = true;
    double least = 1;

    for (int k = 0; k < d->n; k++) {
        int i = d->loop[k];
        int64_t count = c->tile[i] * (grouped ? w->shared[i] : 1) * placed[i];
        bool is_alone = grouped || w->shared[i] == 1; /* no other PEs' values lie between */
        whole &= placed[i] > 1 || (c->open >> i & 1) ? (w->still_whole >> i & 1) && is_alone
                                                     : (w->whole[grouped] >> i & 1) != 0;
        run[k] = (struct cert_run){d->coef[k], count};
        least += (double)(count - 1);
    }
    return d->n > 1 && whole ? cert_sums(d->n, run) : least;
}

/* The share of the values of dimension "e" that is kept at most on average while one of its loops
 * is the first that moves. It steps by one, or falls back by as much and more, while another moves:
 * in every second stamp at most. That one may take the values back where it is of the same
 * dimension. */
static double kept_share(const struct walk *w, const struct child *c, int e, int grouped)
{
    const struct cert_index *d = &w->tensor->dim[e];
    struct cert_run run[CERT_LOOPS];
    int n_moving = 0;
    double share = 0;

    for (int k = 0; k < d->n; k++) {
        int i = d->loop[k];
        if (!(w->whole[grouped] >> i & 1))
            return 1;
        run[k] = (struct cert_run){d->coef[k], c->tile[i] * (grouped ? w->shared[i] : 1)};
        n_moving += c->near[i] * c->rest[i] > 1;
    }
    for (int k = 0; k < d->n; k++) {
        int i = d->loop[k];
        if (c->near[i] * c->rest[i] > 1)
            share = fmax(share,
                    cert_most_common(d->n, run, d->coef[k] * w->step[i]) / cert_sums(d->n, run));
    }
    return n_moving > 1 ? (1 + share) / 2 : share;
}

/* What crosses, in all, at least: loop i stands placed[i] times before the first loop that indexes
 * the tensor alone. Either every run of these loops brings what it touches. Or, when the first that
 * moves the tile moves a window, each of its stamps brings what is new along that window. */
static double crossing(const struct view *v, const struct child *c, const struct walk *w,
        int grouped, const int64_t *placed)
{
    static const int64_t none[CERT_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct cert_tensor *t = w->tensor;
    double runs = c->stamps, stamps = c->stamps, size = 1, tile = 1, share = 0;
    bool slides = false;

    for (int i = 0; i < v->p->n_loops; i++) {
        runs /= (double)placed[i];
        stamps /= t->relevant >> i & 1 ? 1 : (double)placed[i];
        slides |= c->is_exact && (t->relevant >> i & 1) && placed[i] > 1;
    }
    for (int e = 0; e < t->n_dims; e++) {
        size *= dim_values(w, c, e, grouped, placed);
        tile *= slides ? dim_values(w, c, e, grouped, none) : 1;
        if (slides && t->dim[e].n > 1)
            share = fmax(share, kept_share(w, c, e, grouped));
    }
    double words = runs * size;
    if (slides)
        words = fmax(words, stamps * tile * (1 - share));
    return w->copies[grouped] * words;
}

/* ---- the least over orders ---- */

static double weigh(const struct view *v, const struct child *c, const struct walk *w,
        const struct cert_weights *weights, const int64_t *placed)
{
    long i = w->move - v->p->move;
    double cost = 0;

    if (weights->unique[i] != 0)
        cost += weights->unique[i] * crossing(v, c, w, 1, placed);
    if (weights->arriving[i] != 0)
        cost += weights->arriving[i] * crossing(v, c, w, 0, placed);
    return cost;
}

/* The loops of factors above 1. */
static unsigned loops_of(const int64_t *factor, int n_loops)
{
    unsigned loops = 0;

    for (int i = 0; i < n_loops; i++)
        loops |= factor[i] > 1 ? 1U << i : 0;
    return loops;
}

/* What the walks that may end behind the loops "placed" cost then, by walk; those that go on there.
 * "left" are the loops still to be placed, 0 where those that never end do here. */
static unsigned weigh_open(const struct view *v, const struct child *c,
        const struct cert_weights *weights, const int64_t *factor, const int64_t *before,
        unsigned set, unsigned left, bool last, double *cost)
{
    int64_t placed[CERT_LOOPS];
    unsigned open = 0, over = loops_of(before, v->p->n_loops) | set;

    for (int t = 0; t < c->n_walks; t++)
        open |= (c->walk[t].tensor->plain & over) == 0 ? 1U << t : 0;
    if (open == 0)
        return 0;
    for (int i = 0; i < v->p->n_loops; i++)
        placed[i] = before[i] * (set >> i & 1 ? factor[i] : 1);
    for (int t = 0; t < c->n_walks; t++) {
        bool ends = (c->walk[t].tensor->plain & left) != 0 || (left == 0 && last);
        cost[t] = (open >> t & 1) && ends ? weigh(v, c, &c->walk[t], weights, placed) : 0;
    }
    return open;
}

/* What the "open" walks cost that end with a loop. */
static double ended_by(const struct child *c, int loop, unsigned open, const double *cost)
{
    double sum = 0;

    for (int t = 0; t < c->n_walks; t++) {
        if ((open >> t & 1) && (c->walk[t].tensor->plain >> loop & 1))
            sum += cost[t];
    }
    return sum;
}

/* Place the loops of "factor" above 1, in any order, beside those "before"; the least that the
 * walks which end on the way cost, and, where it is "last", those which never end. */
static double place_all(const struct view *v, const struct child *c,
        const struct cert_weights *weights, const int64_t *before, const int64_t *factor, bool last)
{
    const unsigned all = loops_of(factor, v->p->n_loops);
    size_t sets = (size_t)1 << __builtin_popcount(all);
    double own[256], *least = sets <= 256 ? own : sator_alloc(sizeof *least * sets);
    double result = INFINITY, cost[CERT_TENSORS];
    int list[CERT_LOOPS], n = 0;

    for (unsigned left = all; left != 0; left &= left - 1)
        list[n++] = __builtin_ctz(left);
    for (size_t s = 0; s < sets; s++)
        least[s] = s == 0 ? 0 : INFINITY;
    for (size_t s = 0; s < sets; s++) {
        unsigned set = 0;
        if (!(least[s] < result))
            continue;
        for (int k = 0; k < n; k++)
            set |= s >> k & 1 ? 1U << list[k] : 0;
        unsigned open = weigh_open(v, c, weights, factor, before, set, all & ~set, last, cost);
        double rest = least[s];
        for (int t = 0; t < c->n_walks && set == all && last; t++)
            rest += open >> t & 1 ? cost[t] : 0;
        if (open == 0 || set == all)
            result = fmin(result, rest);
        for (int k = 0; k < n && open != 0; k++) {
            size_t next = s | (size_t)1 << k;
            if (next != s)
                least[next] = fmin(least[next], least[s] + ended_by(c, list[k], open, cost));
        }
    }
    if (least != own)
        free(least);
    return result;
}

static double least_of_child(
        const struct view *v, const struct child *c, const struct cert_weights *weights)
{
    static const int64_t none[CERT_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    double cost = 0;
    bool counts = false, has_near = false;

    for (int t = 0; t < c->n_walks; t++) {
        long i = c->walk[t].move - v->p->move;
        counts |= weights->unique[i] != 0 || weights->arriving[i] != 0;
    }
    if (!counts)
        return 0;
    for (int i = 0; i < v->p->n_loops; i++)
        has_near |= c->near[i] > 1;
    if (has_near)
        cost = place_all(v, c, weights, none, c->near, false);
    return cost + place_all(v, c, weights, c->near, c->rest, true);
}

static double least(void *data, const struct cert_weights *w)
{
    const struct view *v = data;
    double sum = w->constant;

    for (int c = 0; c < v->n_children; c++)
        sum += least_of_child(v, &v->child[c], w);
    return fmax(sum, 0);
}

double cert_bound(const struct cert_problem *p, const struct cert_part *part, double goal)
{
    struct view v = {.p = p, .part = part};

    for (int m = 1; m <= p->n_memories; m++) {
        struct child *c = &v.child[v.n_children];
        int row = m < p->n_memories ? p->memory[m].row : p->n_rows;
        c->n_walks = 0;
        for (int i = 0; i < p->n_moves; i++) {
            if (p->move[i].child != m)
                continue;
            if (c->n_walks == 0)
                set_tile(&v, m, row, c);
            set_walk(&v, c, &p->move[i], &c->walk[c->n_walks++]);
        }
        if (c->n_walks == 0)
            continue;
        c->stamps = 1;
        for (int i = 0; i < p->n_loops; i++)
            c->stamps *= (double)(c->near[i] * c->rest[i]);
        v.n_children++;
    }
    return cert_least_value(p, part, false, least, &v, goal);
}
