/* The relaxation of a part (doc/certificate.md, "What a tensor brings at least").
 *
 * Outside a tile that is known, or no larger than a known one, every loop has the whole of its
 * factors at the place where it first stands. Then what a tensor brings depends on the set of loops
 * that stand before the first one that indexes it alone, and is no more for a larger set: the least
 * over all orders is found by going through the sets of tensors.
 */
#include "certificate/cert_bound.h"

#include <math.h>
#include <string.h>

/* One move outside a tile. */
struct walk {
    const struct cert_move *move;
    const struct cert_tensor *tensor;
    int64_t shared[CERT_LOOPS], apart[CERT_LOOPS]; /* PEs that share words; that do not */
    int64_t next[CERT_LOOPS]; /* PEs that a step of the loop skips at least */
    unsigned whole[2]; /* loops whose values have no gap: of a tile, of a group of PEs ... */
    unsigned still_whole; /* ... also when steps in time are added */
    double copies[2]; /* tiles, groups */
    bool is_counted; /* its words have no formula: PEs that anything joins are one group ... */
    bool is_cold; /* ... of which only loops at the nearest memory keep anything */
    int64_t reach; /* a loop that stands alone ends it at the nearest memory with more factors */
};

/* The moves into one memory, or the compute units. */
struct child {
    int memory; /* n_memories: the compute units */
    int64_t tile[CERT_LOOPS]; /* at most ... */
    bool is_exact; /* ... or exactly */
    unsigned
            open; /* loops along which the tile may be smaller, with PEs' tiles between its parts */
    int64_t near[CERT_LOOPS], rest[CERT_LOOPS]; /* factors outside: at the nearest memory, if it is
                                                   known (else 1), and all others */
    bool has_near; /* a factor above 1 */
    bool is_cold; /* only loops at the nearest memory keep anything */
    double stamps;
    int n_walks;
    struct walk walk[CERT_TENSORS];
    unsigned plain[CERT_LOOPS]; /* walks whose tensor the loop indexes alone ... */
    unsigned ended[2][CERT_LOOPS]; /* ... and which end with it: at the nearest memory; further out
                                    */
    /* what crosses behind the loops that end none of some walks, by these: of each, tiles and
     * groups; of the loops at the nearest memory, and of the others */
    double (*crosses[2])[2];
    bool *is_known[2];
};

struct cert_view {
    const struct cert_problem *p;
    const struct cert_part *part;
    struct cert_prices prices;
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

/* Set the largest extents of what stands inside the child's memory, and in it. */
static void set_tile(const struct cert_view *v, struct child *c)
{
    const struct cert_problem *p = v->p;
    const struct cert_part *part = v->part;
    const int m = c->memory, row = m < p->n_memories ? p->memory[m].row : p->n_rows;
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
    bool is_near = known && nearest >= 0 && is_known(p, part, nearest);
    c->is_cold = is_near && cert_cold_row(p, part, row) == nearest;
    c->has_near = false;
    c->stamps = 1;
    for (int i = 0; i < p->n_loops; i++) {
        c->stamps *= (double)c->rest[i];
        if (is_near && part->factor[nearest][i] > 1) {
            c->near[i] = part->factor[nearest][i];
            c->rest[i] /= c->near[i];
            c->has_near = true;
        }
    }
}

/* ---- walks ---- */

static void set_walk(const struct cert_view *v, const struct cert_move *move, struct walk *w)
{
    const struct cert_problem *p = v->p;
    unsigned near = 0;
    bool is_passed = false; /* a memory's row lies between */

    *w = (struct walk){.move = move,
            .tensor = &p->tensor[move->tensor],
            .copies = {1, 1},
            .is_counted = move->may_count && cert_is_counted(p, v->part, move)};
    for (int r = move->child_row - 1; r > p->memory[move->parent].row; r--) {
        is_passed |= !p->row[r].is_space;
        near |= p->row[r].is_space && !is_passed ? 1U << r : 0;
    }
    for (int i = 0; i < p->n_loops; i++) {
        int64_t outer = cert_spread(p, v->part, move->outer, i);
        int64_t alone = cert_along(p, v->part, move, w->is_counted, i, false);
        w->next[i] = cert_spread(p, v->part, near, i);
        w->shared[i] = cert_along(p, v->part, move, w->is_counted, i, true);
        w->apart[i] = outer * alone;
        bool joined = alone == 1 && w->next[i] == w->shared[i];
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
                    cert_most_common(d->n, run, d->coef[k] * c->tile[i] * w->next[i]) /
                            cert_sums(d->n, run));
    }
    return n_moving > 1 ? (1 + share) / 2 : share;
}

/* What crosses, in all, at least: loop i stands placed[i] times before the first loop that indexes
 * the tensor alone. Either every run of these loops brings what it touches. Or, when the first that
 * moves the tile moves a window, each of its stamps brings what is new along that window. */
static double crossing(const struct cert_view *v, const struct child *c, const struct walk *w,
        int grouped, const int64_t *placed)
{
    static const int64_t none[CERT_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct cert_tensor *t = w->tensor;
    double inside = 1, still = 1, size = 1, tile = 1, share = 0;
    bool slides = false, may_slide = c->is_exact && !(grouped && w->is_counted);

    for (int i = 0; i < v->p->n_loops; i++) {
        inside *= (double)placed[i];
        still *= t->relevant >> i & 1 ? 1 : (double)placed[i];
        slides |= may_slide && (t->relevant >> i & 1) && placed[i] > 1;
    }
    for (int e = 0; e < t->n_dims; e++) {
        size *= dim_values(w, c, e, grouped, placed);
        tile *= slides ? dim_values(w, c, e, grouped, none) : 1;
        if (slides && t->dim[e].n > 1)
            share = fmax(share, kept_share(w, c, e, grouped));
    }
    double words = c->stamps / inside * size;
    if (slides)
        words = fmax(words, c->stamps / still * tile * (1 - share));
    return w->copies[grouped] * words;
}

/* ---- the least over orders ---- */

/* Set which walks end with loops at the nearest memory, and with those further out. What has no
 * formula may have its words from further back than a loop of few factors leads. */
static void set_ended(const struct cert_view *v, struct child *c)
{
    for (int i = 0; i < v->p->n_loops; i++) {
        c->ended[0][i] = c->near[i] > 1 ? c->plain[i] : 0;
        c->ended[1][i] = c->rest[i] > 1 && !c->is_cold ? c->plain[i] : 0;
        for (int t = 0; t < c->n_walks; t++) {
            const struct walk *w = &c->walk[t];
            if (w->is_counted && c->near[i] <= w->reach)
                c->ended[0][i] &= ~(1U << t);
            if (w->is_counted)
                c->ended[1][i] &= ~(1U << t);
        }
    }
}

/* The walks that loops at the nearest memory, or, "last", the others end. */
static unsigned ended_by(const struct child *c, bool last, int n_loops)
{
    unsigned walks = 0;

    for (int i = 0; i < n_loops; i++)
        walks |= c->ended[last][i];
    return walks;
}

/* What crosses of each of the walks "open" behind all loops that end none of them: of those at the
 * nearest memory, or, "last", of all. */
static double (*find_crossing(struct cert_view *v, struct child *c, bool last, unsigned open))[2]
{
    double(*crosses)[2] = c->crosses[last] + open * (unsigned)c->n_walks;
    int64_t placed[CERT_LOOPS], all[CERT_LOOPS];

    if (c->is_known[last][open])
        return crosses;
    for (int i = 0; i < v->p->n_loops; i++)
        placed[i] = (c->ended[last][i] & open) != 0
                ? 1
                : c->near[i] * (last && !c->is_cold ? c->rest[i] : 1);
    for (int t = 0; t < c->n_walks; t++) {
        const struct walk *w = &c->walk[t];
        bool is_whole = last && w->is_counted; /* each element once in a run, or in all */
        for (int i = 0; i < v->p->n_loops && is_whole; i++)
            all[i] = c->near[i] * (w->is_cold ? 1 : c->rest[i]);
        for (int grouped = 0; grouped < 2 && (open >> t & 1); grouped++)
            crosses[t][grouped] = crossing(v, c, w, grouped, is_whole && grouped ? all : placed);
    }
    c->is_known[last][open] = true;
    return crosses;
}

/* What the walks "ended", some of those "open", cost. */
static double weigh(const struct cert_view *v, const struct child *c,
        const struct cert_weights *weights, double (*crosses)[2], unsigned ended)
{
    double cost = 0;

    for (int t = 0; t < c->n_walks; t++) {
        long i = c->walk[t].move - v->p->move;
        if (ended >> t & 1)
            cost += weights->unique[i] * crosses[t][1] + weights->arriving[i] * crosses[t][0];
    }
    return cost;
}

/* Place the loops at the nearest memory, or, "last", the others behind them, in any order; the
 * least that the walks which end on the way cost, and, where it is "last", those which never end. A
 * walk costs no more when more loops stand before its end. So of the orders that end walks one
 * after the other in the same way the best has in front of each end all loops that end none of the
 * walks still open: going through the sets of open walks finds the least. */
static double place_all(
        struct cert_view *v, struct child *c, const struct cert_weights *weights, bool last)
{
    const unsigned behind = last ? ended_by(c, false, v->p->n_loops) : 0;
    const unsigned ending = ended_by(c, last, v->p->n_loops) & ~behind;
    const unsigned endless = ((1U << c->n_walks) - 1) & ~ending & ~behind;
    double least[1 << CERT_TENSORS];

    for (unsigned open = 0; open < ending; open++)
        least[open] = INFINITY;
    least[ending] = 0;
    for (unsigned open = ending; open > 0; open--) {
        if ((open & ~ending) != 0 || isinf(least[open]))
            continue;
        double(*crosses)[2] = find_crossing(v, c, last, open);
        for (int i = 0; i < v->p->n_loops; i++) {
            unsigned ended = open & c->ended[last][i];
            if (ended == 0)
                continue;
            double sum = least[open] + weigh(v, c, weights, crosses, ended);
            if (sum < least[open & ~ended])
                least[open & ~ended] = sum;
        }
    }
    if (!last || endless == 0)
        return least[0];
    return least[0] + weigh(v, c, weights, find_crossing(v, c, last, endless), endless);
}

static double least_of_child(
        struct cert_view *v, struct child *c, const struct cert_weights *weights)
{
    bool counts = false;

    for (int t = 0; t < c->n_walks; t++) {
        long i = c->walk[t].move - v->p->move;
        counts |= weights->unique[i] != 0 || weights->arriving[i] != 0;
    }
    if (!counts)
        return 0;
    return (c->has_near ? place_all(v, c, weights, false) : 0) + place_all(v, c, weights, true);
}

double cert_view_outer(struct cert_view *v, int m, const struct cert_weights *w)
{
    double sum = 0;

    for (int c = 0; c < v->n_children; c++)
        sum += v->child[c].memory <= m ? least_of_child(v, &v->child[c], w) : 0;
    return sum;
}

static double least(void *data, const struct cert_weights *w)
{
    struct cert_view *v = data;

    return fmax(w->constant + cert_view_outer(v, v->p->n_memories, w), 0);
}

/* ---- parts ---- */

/* What of the child's moves has a formula depends on tiles, too. */
static void set_counted(const struct cert_view *v, struct child *c)
{
    const struct cert_problem *p = v->p;
    const int row = c->memory < p->n_memories ? p->memory[c->memory].row : p->n_rows;
    int nearest = row - 1;

    while (nearest > 0 && p->row[nearest].is_space)
        nearest--;
    for (int t = 0; t < c->n_walks; t++) {
        struct walk *w = &c->walk[t];
        if (!w->move->may_count)
            continue;
        if (w->is_counted != cert_is_counted(p, v->part, w->move))
            set_walk(v, w->move, w);
        w->reach = w->is_counted && c->has_near ? cert_reach(p, v->part, w->move) : 1;
        w->is_cold = w->is_counted && c->is_exact && is_known(p, v->part, nearest) &&
                cert_counted_cold_row(p, v->part, w->move) == nearest;
    }
}

struct cert_view *cert_view_new(
        struct sator_arena *arena, const struct cert_problem *p, const struct cert_part *part)
{
    struct cert_view *v = SATOR_NEW(arena, struct cert_view);

    *v = (struct cert_view){.p = p, .part = part};
    for (int m = 1; m <= p->n_memories; m++) {
        struct child *c = &v->child[v->n_children];
        c->memory = m;
        for (int i = 0; i < p->n_moves; i++) {
            if (p->move[i].child == m)
                c->walk[c->n_walks++].move = &p->move[i];
        }
        if (c->n_walks == 0)
            continue;
        for (int t = 0; t < c->n_walks; t++) {
            const struct cert_tensor *tensor = &p->tensor[c->walk[t].move->tensor];
            for (int i = 0; i < p->n_loops; i++)
                c->plain[i] |= tensor->plain >> i & 1 ? 1U << t : 0;
        }
        for (int last = 0; last < 2; last++) {
            size_t sets = (size_t)1 << c->n_walks;
            c->crosses[last] =
                    sator_arena_alloc(arena, sizeof *c->crosses[last] * sets * (size_t)c->n_walks);
            c->is_known[last] = sator_arena_alloc(arena, sizeof(bool) * sets);
        }
        v->n_children++;
    }
    return v;
}

void cert_view_unroll(struct cert_view *v)
{
    cert_prices_init(v->p, v->part, false, &v->prices);
    for (int i = 0; i < v->n_children; i++) {
        for (int t = 0; t < v->child[i].n_walks; t++)
            set_walk(v, v->child[i].walk[t].move, &v->child[i].walk[t]);
    }
}

const struct cert_prices *cert_view_prices(const struct cert_view *v)
{
    return &v->prices;
}

const struct cert_problem *cert_view_now(struct cert_view *v, const struct cert_part **part)
{
    for (int i = 0; i < v->n_children; i++) {
        struct child *c = &v->child[i];
        set_tile(v, c);
        set_counted(v, c);
        set_ended(v, c);
        for (int last = 0; last < 2; last++)
            memset(c->is_known[last], 0, sizeof(bool) << c->n_walks);
    }
    v->prices.cycles = cert_cycles(v->p, v->part);
    *part = v->part;
    return v->p;
}

double cert_view_bound(struct cert_view *v, double goal)
{
    const struct cert_part *part;
    const struct cert_problem *p = cert_view_now(v, &part);

    return cert_least_value(p, &v->prices, least, v, goal);
}

double cert_bound(const struct cert_problem *p, const struct cert_part *part, double goal)
{
    struct sator_arena *arena = sator_arena_new();
    struct cert_view *v = cert_view_new(arena, p, part);
    int decided = p->n_memories; /* the outermost memory from which on all is decided */

    cert_view_unroll(v);
    double bound = cert_view_bound(v, goal);
    while (decided > 0 && is_known(p, part, p->memory[decided - 1].row))
        decided--;
    if (part->is_unrolled && decided > 0 && decided < p->n_memories)
        bound = fmax(bound, cert_bound_inside(v, decided, goal));
    sator_arena_free(arena);
    return bound;
}
