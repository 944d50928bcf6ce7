/* The relaxation of a part (doc/certificate.md, "What a tensor brings at least").
 *
 * Outside a tile that is known, or no larger than a known one, every loop has the whole of its
 * factors at the place where it first stands. Then what a tensor brings depends on the set of loops
 * that stand before the first one that indexes it alone, and is no more for a larger set: the least
 * over all orders is found by going through the sets of tensors. Of a tensor with windows it is at
 * least what is new in each step of the first loop that moves its tile, too.
 */
#include "certificate/cert_bound.h"

#include <math.h>
#include <string.h>

/* Where a move is paid for. */
enum way {
    AT_END, /* the first loop that indexes its tensor alone */
    AT_SLIDE, /* the first one that indexes it, if its tile slides */
    N_WAYS
};

/* One move outside a tile. */
struct walk {
    const struct cert_move *move;
    const struct cert_tensor *tensor;
    int64_t shared[CERT_LOOPS], apart[CERT_LOOPS]; /* PEs that share words; that do not */
    int64_t next[CERT_LOOPS]; /* PEs that a step of the loop skips at least */
    unsigned whole[2]; /* loops whose values have no gap: of a tile, of a group of PEs ... */
    unsigned still_whole; /* ... also when steps in time are added */
    double copies[2]; /* tiles, groups */
    double joined; /* groups that open parallel factors make one of, at most */
    bool is_counted; /* its words have no formula: PEs that anything joins are one group ... */
    bool is_cold; /* ... of which only loops at the nearest memory keep anything */
    int64_t reach; /* a loop that stands alone ends it at the nearest memory with more factors */
};

/* What is known of a tile. */
struct tiling {
    int64_t tile[CERT_LOOPS]; /* at most ... */
    double near[CERT_LOOPS], rest[CERT_LOOPS]; /* factors outside, where it is known: at the
                                                  nearest memory, and all others */
    double share[CERT_LOOPS]; /* of the iterations that all of these make, those that there are */
    unsigned open; /* loops along which it may be smaller, with PEs' tiles between its parts */
    unsigned either; /* loops whose factor at the nearest memory is not decided: all is "near" */
    bool is_exact; /* ... or exactly */
    bool is_cold; /* only loops at the nearest memory keep anything */
};

/* Where loops may stand: at the nearest memory, or further out. */
struct place {
    unsigned ended[CERT_LOOPS]; /* walks that are paid for where a loop first stands ... */
    unsigned sure; /* ... of some loop that stands nowhere else */
    int n_ends; /* loops that end the same walks: */
    struct end {
        unsigned walks;
        double fresh[CERT_TENSORS][2]; /* the share of tiles, of groups that is new, at least */
    } end[CERT_LOOPS + 1];
    /* what crosses of each of some walks, tiles and groups, behind the loops that end none of them;
     * by these walks */
    double (*crosses)[2];
    bool *is_known;
};

/* The moves into one memory, or the compute units. */
struct child {
    int memory; /* n_memories: the compute units */
    struct tiling now;
    bool is_stale; /* its walks have changed */
    /* what it costs at least, by the view's prices (energy, then times), that were asked for since
     * it changed */
    double known[1 + CERT_TIMES];
    bool is_known[1 + CERT_TIMES];
    double stamps;
    int n_walks;
    struct walk walk[CERT_TENSORS];
    unsigned plain[CERT_LOOPS]; /* walks whose tensor the loop indexes alone ... */
    unsigned windows[CERT_LOOPS]; /* ... or with others */
    unsigned slides; /* walks whose tile is known, and has windows */
    bool counts; /* some walk's words have no formula */
    struct place place[N_WAYS][2];
};

/* What lies in memories, as far as it is decided: by memory, the extents. */
struct tiles {
    int64_t extent[CERT_MEMORIES][CERT_LOOPS];
};

struct cert_view {
    const struct cert_problem *p;
    const struct cert_part *part;
    struct cert_prices prices;
    struct tiles tiles;
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

static bool fits_alone(const struct cert_problem *p, int m, const int64_t *tile)
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

/* Set those of memory "m" and further out. */
static void set_tiles(
        const struct cert_problem *p, const struct cert_part *part, int m, struct tiles *tiles)
{
    cert_inside(p, part, p->memory[m].row, tiles->extent[m]);
    for (int k = m - 1; k > 0; k--) {
        memcpy(tiles->extent[k], tiles->extent[k + 1], sizeof tiles->extent[k]);
        for (int r = p->memory[k].row; r < p->memory[k + 1].row; r++) {
            for (int i = 0; i < p->n_loops; i++)
                tiles->extent[k][i] *= part->factor[r][i];
        }
    }
}

/* cert_fits, of these tiles. */
static bool fit(const struct cert_problem *p, const struct cert_part *part,
        const struct tiles *tiles, int m, int loop, int64_t times)
{
    bool fits = true;

    for (int k = m; k > 0 && fits; k--) {
        int64_t tile[CERT_LOOPS];
        if (k < m && (part->loose >> p->memory[k].row & 1) &&
                (part->known[p->memory[k].row] >> loop & 1))
            break; /* it has all of them now, and what is further out */
        if (p->memory[k].n_capacities == 0)
            continue;
        memcpy(tile, tiles->extent[k], sizeof tile);
        tile[loop] *= times;
        for (int i = 0; i < p->n_loops && p->fills; i++)
            tile[i] = tile[i] < p->extent[i] ? tile[i] : p->extent[i];
        fits = fits_alone(p, k, tile);
    }
    return fits;
}

bool cert_fits(
        const struct cert_problem *p, const struct cert_part *part, int m, int loop, int64_t times)
{
    struct tiles tiles;

    if (m > 0)
        set_tiles(p, part, m, &tiles);
    return fit(p, part, &tiles, m, loop, times);
}

/* Whether the product of the factors of rows "row" and inside is decided. */
static bool is_known(const struct cert_problem *p, const struct cert_part *part, int row)
{
    unsigned all = (1U << p->n_loops) - 1;

    for (int r = row; r < p->n_rows; r++) {
        if (part->known[r] != all)
            return false;
        if (part->loose >> r & 1)
            return true;
    }
    return true;
}

/* The same of one loop at a memory's row. */
static bool is_loop_known(
        const struct cert_problem *p, const struct cert_part *part, int row, int loop)
{
    return (part->known[row] >> loop & 1) &&
            ((part->loose >> row & 1) || is_known(p, part, row + 1));
}

/* The iterations of a loop that may stand in row "row", of "left" outside of it. */
static int64_t room(const struct cert_part *part, int row, int loop, int64_t left)
{
    for (int r = row - 1; r >= 0; r--) {
        if ((part->loose >> r & 1) && (part->known[r] >> loop & 1))
            return part->factor[r][loop];
    }
    return left;
}

/* The largest multiple of what is decided along one loop that fits alone, of "left" iterations. */
static int64_t widest(const struct cert_view *v, int m, int loop, int64_t left)
{
    const struct cert_problem *p = v->p;

    for (int k = p->n_divisors[loop] - 1; k > 0; k--) {
        int64_t d = p->divisors[loop][k];
        if (left % d == 0 && fit(p, v->part, &v->tiles, m, loop, d))
            return d;
    }
    return 1;
}

/* The same where it is not decided how long the tiles of the innermost memory are: of that memory
 * their largest size that makes a number of tiles which "pes" divides; of others any that fits, of
 * "left" iterations. */
static int64_t widest_open(const struct cert_view *v, int m, int loop, int64_t pes, int64_t left)
{
    const struct cert_problem *p = v->p;
    int64_t fits = 1, more = left + 1;

    for (int k = p->n_tiles[loop] - 1; k > 0 && m == p->n_memories - 1; k--) {
        const int64_t tile = p->tile[loop][k];
        if ((p->extent[loop] + tile - 1) / tile % pes == 0 &&
                fit(p, v->part, &v->tiles, m, loop, tile))
            return tile;
    }
    while (m < p->n_memories - 1 && more - fits > 1) { /* fits, and "more" does not */
        const int64_t half = fits + (more - fits) / 2;
        if (fit(p, v->part, &v->tiles, m, loop, half))
            fits = half;
        else
            more = half;
    }
    return fits;
}

/* Set the largest extents of what stands inside the child's memory, and in it. */
static void set_tile(const struct cert_view *v, struct child *c)
{
    const struct cert_problem *p = v->p;
    const struct cert_part *part = v->part;
    const int m = c->memory, row = m < p->n_memories ? p->memory[m].row : p->n_rows;
    const int inner = p->memory[p->n_memories - 1].row;
    int64_t least[CERT_LOOPS];
    unsigned outside = 0;

    for (int r = 0; r < row; r++)
        outside |= p->row[r].is_space ? 1U << r : 0;
    cert_inside(p, part, row, least);
    c->now.open = 0;
    for (int i = 0; i < p->n_loops; i++) {
        const int64_t pes = cert_spread(p, part, outside, i), all = cert_extent(p, part, i);
        const bool is_open = p->fills && !(part->known[inner] >> i & 1);
        int64_t left = (all + pes * least[i] - 1) / (pes * least[i]);
        c->now.tile[i] = least[i];
        if (m < p->n_memories && !is_loop_known(p, part, row, i))
            c->now.tile[i] *= is_open ? widest_open(v, m, i, cert_spread(p, part, ~0U, i), left)
                                      : widest(v, m, i, room(part, row, i, left));
        c->now.rest[i] = fmax(1, (double)all / (double)(pes * c->now.tile[i]));
        c->now.share[i] = (double)p->extent[i] / ((double)(pes * c->now.tile[i]) * c->now.rest[i]);
        c->now.open |= c->now.tile[i] > least[i] ? 1U << i : 0;
        c->now.near[i] = 1;
    }
    const bool known = part->is_unrolled && c->now.open == 0;
    int nearest = row - 1;
    while (nearest > 0 && p->row[nearest].is_space)
        nearest--;
    c->now.is_exact = c->now.open == 0; /* or nothing more fits */
    c->now.is_cold = known && nearest >= 0 && cert_cold_row(p, part, row) == nearest;
    c->now.either = 0;
    c->stamps = 1;
    for (int i = 0; i < p->n_loops; i++) {
        c->stamps *= c->now.rest[i];
        if (!known || nearest < 0 || c->now.rest[i] == 1)
            continue;
        bool is_open = !(part->known[nearest] >> i & 1);
        c->now.either |= is_open ? 1U << i : 0;
        c->now.near[i] = is_open ? c->now.rest[i] : (double)part->factor[nearest][i];
        c->now.rest[i] /= c->now.near[i];
    }
}

/* ---- walks ---- */

/* The groups of PEs that factors of parallel loops which are not decided may make one: on rows that
 * share words, those of all loops that do not stand alone in an index of the tensor. */
static double may_join(const struct cert_view *v, const struct cert_move *move)
{
    const struct cert_problem *p = v->p;
    const unsigned plain = p->tensor[move->tensor].plain;
    double all = 1;

    for (unsigned rows = move->between & (move->shared | move->passed); rows != 0;
            rows &= rows - 1) {
        const int r = __builtin_ctz(rows);
        double more = 1;
        for (int i = 0; i < p->n_loops; i++) {
            if (!((plain | v->part->known[r] | p->row[r].banned) >> i & 1))
                more *= ceil((double)p->extent[i] / (double)cert_spread(p, v->part, ~0U, i));
        }
        all *= cert_may_join(p, v->part, move, r, more);
    }
    return all;
}

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
        w->whole[1] |= joined || w->shared[i] == 1 ? 1U << i : 0;
        w->still_whole |= joined && outer == 1 ? 1U << i : 0;
        w->copies[0] *= (double)(w->apart[i] * w->shared[i]);
        w->copies[1] *= (double)w->apart[i];
    }
    w->copies[1] *= w->is_counted ? 1 : cert_buses(p, v->part, move);
    w->joined = may_join(v, move);
}

/* The values of dimension "e" when loop i has stepped placed[i] times. Of loops with gaps at least
 * as many as of any sets: |A + B| >= |A| + |B| - 1. */
static double dim_values(
        const struct walk *w, const struct child *c, int e, int grouped, const double *placed)
{
    const struct cert_index *d = &w->tensor->dim[e];
    struct cert_run run[CERT_LOOPS];
    bool whole = true;
    double least = 1;

    for (int k = 0; k < d->n; k++) {
        int i = d->loop[k];
        double count = (double)(c->now.tile[i] * (grouped ? w->shared[i] : 1)) * placed[i];
        bool is_alone = grouped || w->shared[i] == 1; /* no other PEs' values lie between */
        whole &= placed[i] > 1 || (c->now.open >> i & 1) ? (w->still_whole >> i & 1) && is_alone
                                                         : (w->whole[grouped] >> i & 1) != 0;
        run[k] = (struct cert_run){d->coef[k], (int64_t)(count * (1 + 1e-12))};
        least += count - 1;
    }
    return d->n > 1 && whole ? cert_sums(d->n, run) : least;
}

/* The dimension of a tensor that "loop" indexes. */
static const struct cert_index *dim_of(const struct cert_tensor *t, int loop)
{
    const struct cert_index *found = NULL;

    for (int e = 0; e < t->n_dims && found == NULL; e++) {
        for (int k = 0; k < t->dim[e].n; k++)
            found = t->dim[e].loop[k] == loop ? &t->dim[e] : found;
    }
    return found;
}

/* The share of a tile, or group, that is new at least on average where loop "i" first moves it: by
 * one in all of "steps" stamps but one, in which it falls back by as much or more while another
 * loop moves. That one may take the values back where it is of the same dimension. How far one step
 * leads is known at the nearest memory; further out ("last") it is that or more. */
static double fresh_share(
        const struct walk *w, const struct child *c, int grouped, bool last, int i)
{
    const double steps = last || (c->now.either >> i & 1) ? 2 : c->now.near[i];
    const struct cert_index *d = dim_of(w->tensor, i);
    struct cert_run run[CERT_LOOPS];
    int n_moving = 0;
    int64_t step = 0;

    if (d->n == 1)
        return 1;
    for (int k = 0; k < d->n; k++) {
        int j = d->loop[k];
        if (!(w->whole[grouped] >> j & 1))
            return 0;
        run[k] = (struct cert_run){d->coef[k], c->now.tile[j] * (grouped ? w->shared[j] : 1)};
        n_moving += c->now.near[j] * c->now.rest[j] > 1;
        step = j == i ? d->coef[k] * c->now.tile[j] * w->next[j] : step;
    }
    double all = cert_sums(d->n, run), most = cert_most_common(d->n, run, step);
    double kept = last ? most : cert_common(d->n, run, step), back = n_moving > 1 ? all : most;
    return fmax(0, 1 - ((steps - 1) * kept + back) / (steps * all));
}

/* What crosses, in all, at least: loop i stands placed[i] times before the first loop that indexes
 * the tensor alone. Every run of these loops brings what it touches. */
static double crossing(const struct cert_view *v, const struct child *c, const struct walk *w,
        int grouped, const double *placed)
{
    double words = w->copies[grouped] * c->stamps;

    for (int i = 0; i < v->p->n_loops; i++)
        words *= (w->tensor->relevant >> i & 1 ? c->now.share[i] : 1) / placed[i];
    for (int e = 0; e < w->tensor->n_dims; e++)
        words *= dim_values(w, c, e, grouped, placed);
    return words;
}

/* ---- the least over orders ---- */

/* The walks that are paid for with loop "i" of a place. What has no formula may have its words from
 * further back than a loop of few factors leads. */
static unsigned ended_by(const struct child *c, enum way way, bool last, int i)
{
    unsigned walks = c->plain[i] | (way == AT_SLIDE ? c->slides & c->windows[i] : 0);
    const bool is_decided = !(c->now.either >> i & 1);

    if (last ? c->now.is_cold || (c->now.rest[i] == 1 && is_decided) : c->now.near[i] == 1)
        return 0;
    for (int t = 0; t < c->n_walks && c->counts; t++) {
        const struct walk *w = &c->walk[t];
        if (w->is_counted && (last || !is_decided || c->now.near[i] <= (double)w->reach))
            walks &= ~(1U << t);
    }
    return walks;
}

static bool is_same_end(const struct child *c, const struct end *a, const struct end *b)
{
    bool same = a->walks == b->walks;

    for (int t = 0; t < c->n_walks; t++)
        same &= a->fresh[t][0] == b->fresh[t][0] && a->fresh[t][1] == b->fresh[t][1];
    return same;
}

/* Loop "i" ends "walks". */
static void add_end(
        const struct child *c, struct place *place, unsigned walks, enum way way, bool last, int i)
{
    /* where loops further out keep nothing, one may as well stand at the nearest memory */
    const bool is_sure = last || c->now.is_cold || !(c->now.either >> i & 1);
    struct end *end = &place->end[place->n_ends];
    int same = 0;

    place->sure |= is_sure ? walks : 0;
    end->walks = walks;
    for (int n = 0; n < 2 * c->n_walks; n++) {
        int t = n / 2, grouped = n % 2;
        bool slides = way == AT_SLIDE && (walks & c->slides) >> t & 1;
        end->fresh[t][grouped] = slides ? fresh_share(&c->walk[t], c, grouped, last, i) : 1;
    }
    while (!is_same_end(c, &place->end[same], end))
        same++;
    place->n_ends += same == place->n_ends;
}

static void set_places(const struct cert_view *v, struct child *c)
{
    memset(c->is_known, 0, sizeof c->is_known);
    c->slides = 0;
    c->counts = false;
    for (int t = 0; t < c->n_walks; t++) {
        const struct walk *w = &c->walk[t];
        bool slides = c->now.is_exact && !w->is_counted && w->tensor->relevant != w->tensor->plain;
        for (int i = 0; i < v->p->n_loops && slides;
                i++) /* what short tiles keep is another share */
            slides = !(w->tensor->relevant >> i & 1) || c->now.share[i] == 1;
        c->slides |= slides ? 1U << t : 0;
        c->counts |= w->is_counted;
    }
    for (int k = 0; k < (c->slides == 0 ? 2 : 2 * N_WAYS); k++) {
        struct place *place = &c->place[k / 2][k % 2];
        place->sure = 0;
        place->n_ends = 0;
        memset(place->is_known, 0, sizeof(bool) << c->n_walks);
        for (int i = 0; i < v->p->n_loops; i++) {
            place->ended[i] = ended_by(c, k / 2, k % 2, i);
            if (place->ended[i] != 0)
                add_end(c, place, place->ended[i], k / 2, k % 2, i);
        }
    }
}

/* What crosses of each of the walks "open" behind all loops that end none of them: of those at the
 * nearest memory, or, "last", of all. */
static double (*find_crossing(const struct cert_view *v, const struct child *c,
        const struct place *place, bool last, unsigned open))[2]
{
    double(*crosses)[2] = place->crosses + open * (unsigned)c->n_walks;
    double placed[CERT_LOOPS], all[CERT_LOOPS]; /* every element once in a run, or in all */

    if (place->is_known[open])
        return crosses;
    for (int i = 0; i < v->p->n_loops; i++)
        placed[i] = (place->ended[i] & open) != 0
                ? 1
                : c->now.near[i] * (last && !c->now.is_cold ? c->now.rest[i] : 1);
    for (int t = 0; t < c->n_walks; t++) {
        const struct walk *w = &c->walk[t];
        if (!(open >> t & 1))
            continue;
        for (int i = 0; i < v->p->n_loops; i++)
            all[i] = c->now.near[i] * (w->is_cold ? 1 : c->now.rest[i]);
        crosses[t][0] = crossing(v, c, w, 0, placed);
        crosses[t][1] = crossing(v, c, w, 1, last && w->is_counted ? all : placed);
        if (w->joined > 1)
            crosses[t][1] = fmax(crosses[t][1] / w->joined, crossing(v, c, w, 1, all));
    }
    place->is_known[open] = true;
    return crosses;
}

/* What each of the walks "open" costs there, its tiles and its groups; together. */
static double price(const struct cert_view *v, const struct child *c,
        const struct cert_weights *weights, double (*crosses)[2], unsigned open, double (*cost)[2])
{
    double all = 0;

    for (int t = 0; t < c->n_walks; t++) {
        long m = c->walk[t].move - v->p->move;
        cost[t][0] = open >> t & 1 ? weights->arriving[m] * crosses[t][0] : 0;
        cost[t][1] = open >> t & 1 ? weights->unique[m] * crosses[t][1] : 0;
        all += cost[t][0] + cost[t][1];
    }
    return all;
}

/* Let each loop of the place that ends some of the walks "open" be the next. */
static void place_next(const struct place *place, unsigned open, double (*cost)[2], double *least)
{
    for (int k = 0; k < place->n_ends; k++) {
        const struct end *end = &place->end[k];
        double sum = least[open];
        for (unsigned left = end->walks; left != 0; left &= left - 1) {
            int t = __builtin_ctz(left);
            sum += cost[t][0] * end->fresh[t][0] + cost[t][1] * end->fresh[t][1];
        }
        if ((open & end->walks) != 0 && sum < least[open & ~end->walks])
            least[open & ~end->walks] = sum;
    }
}

/* Place the loops at the nearest memory and the others behind them, in any order; the least that
 * "walks" cost. A walk costs no more when more loops stand before its end. So of the orders that
 * end walks one after the other in the same way the best has in front of each end all loops that
 * end none of the walks still open: going through the sets of open walks finds the least. Loops
 * that may stand at either place are placed whole where it is best. */
static double place_all(const struct cert_view *v, const struct child *c,
        const struct cert_weights *weights, enum way way, unsigned walks)
{
    double least[1 << CERT_TENSORS], cost[CERT_TENSORS][2], result = INFINITY;

    for (unsigned open = 0; open < walks; open++)
        least[open] = INFINITY;
    least[walks] = 0;
    for (int last = 0; last < 2; last++) {
        const struct place *place = &c->place[way][last];
        for (unsigned left = last || place->n_ends > 0 ? walks + 1 : 0; left > 0; left--) {
            const unsigned open = left - 1;
            if (isinf(least[open]))
                continue;
            double endless =
                    price(v, c, weights, find_crossing(v, c, place, last, open), open, cost);
            place_next(place, open, cost, least);
            if ((open & place->sure) != 0)
                least[open] = INFINITY;
            else if (last && least[open] + endless < result)
                result = least[open] + endless;
        }
    }
    return result;
}

static double least_of_child(
        const struct cert_view *v, const struct child *c, const struct cert_weights *weights)
{
    unsigned walks = 0;

    for (int t = 0; t < c->n_walks; t++) {
        long i = c->walk[t].move - v->p->move;
        walks |= weights->unique[i] != 0 || weights->arriving[i] != 0 ? 1U << t : 0;
    }
    double least = walks == 0 ? 0 : place_all(v, c, weights, AT_END, walks);
    return walks & c->slides ? fmax(least, place_all(v, c, weights, AT_SLIDE, walks)) : least;
}

/* Which of the view's prices these are; -1: none. */
static int price_of(const struct cert_view *v, const struct cert_weights *weights)
{
    for (int l = 0; l < v->prices.n_times; l++) {
        if (weights == &v->prices.time[l])
            return 1 + l;
    }
    return weights == &v->prices.energy ? 0 : -1;
}

/* The same of weights that are the k-th of the view's prices. */
static double known_of_child(
        const struct cert_view *v, struct child *c, const struct cert_weights *weights, int k)
{
    if (!c->is_known[k])
        c->known[k] = least_of_child(v, c, weights);
    c->is_known[k] = true;
    return c->known[k];
}

double cert_view_rest(struct cert_view *v, int first, int last, const struct cert_weights *weights)
{
    const int k = price_of(v, weights);
    double sum = 0;

    for (int i = 0; i < v->n_children; i++) {
        struct child *c = &v->child[i];
        const int row = c->memory < v->p->n_memories ? v->p->memory[c->memory].row : v->p->n_rows;
        if (row <= first || row > last)
            sum += k < 0 ? least_of_child(v, c, weights) : known_of_child(v, c, weights, k);
    }
    return sum;
}

static double least(void *data, const struct cert_weights *w)
{
    return fmax(w->constant + cert_view_rest(data, 0, 0, w), 0);
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
        c->is_stale = true;
        if (w->is_counted != cert_is_counted(p, v->part, w->move))
            set_walk(v, w->move, w);
        w->reach = w->is_counted ? cert_reach(p, v->part, w->move) : 1;
        w->is_cold = w->is_counted && c->now.is_exact && is_known(p, v->part, nearest) &&
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
        for (int k = 0; k < c->n_walks * p->n_loops; k++) {
            const struct cert_tensor *t = &p->tensor[c->walk[k % c->n_walks].move->tensor];
            int i = k / c->n_walks;
            c->plain[i] |= (t->plain >> i & 1) << k % c->n_walks;
            c->windows[i] |= ((t->relevant & ~t->plain) >> i & 1) << k % c->n_walks;
        }
        for (int k = 0; k < 2 * N_WAYS; k++) {
            size_t sets = (size_t)1 << c->n_walks;
            c->place[k / 2][k % 2].crosses =
                    sator_arena_alloc(arena, sizeof(double[2]) * sets * (size_t)c->n_walks);
            c->place[k / 2][k % 2].is_known = sator_arena_alloc(arena, sizeof(bool) * sets);
        }
        v->n_children++;
    }
    return v;
}

void cert_view_unroll(struct cert_view *v)
{
    cert_prices_init(v->p, v->part, false, &v->prices);
    for (int i = 0; i < v->n_children; i++) {
        v->child[i].is_stale = true;
        for (int t = 0; t < v->child[i].n_walks; t++)
            set_walk(v, v->child[i].walk[t].move, &v->child[i].walk[t]);
    }
}

static bool is_same_tiling(
        const struct cert_problem *p, const struct tiling *a, const struct tiling *b)
{
    bool same = a->open == b->open && a->either == b->either && a->is_exact == b->is_exact &&
            a->is_cold == b->is_cold;

    for (int i = 0; i < p->n_loops; i++)
        same &= a->tile[i] == b->tile[i] && a->near[i] == b->near[i] && a->rest[i] == b->rest[i] &&
                a->share[i] == b->share[i];
    return same;
}

const struct cert_prices *cert_view_prices(const struct cert_view *v)
{
    return &v->prices;
}

const struct cert_part *cert_view_now(struct cert_view *v)
{
    if (v->p->n_memories > 1)
        set_tiles(v->p, v->part, v->p->n_memories - 1, &v->tiles);
    for (int i = 0; i < v->n_children; i++) {
        struct child *c = &v->child[i];
        const struct tiling before = c->now;
        set_tile(v, c);
        set_counted(v, c);
        if (c->is_stale || !is_same_tiling(v->p, &before, &c->now))
            set_places(v, c);
        c->is_stale = false;
    }
    v->prices.cycles = cert_cycles(v->p, v->part);
    return v->part;
}

double cert_view_bound(struct cert_view *v, double goal)
{
    cert_view_now(v);
    return cert_least_value(v->p, &v->prices, least, v, goal);
}

double cert_bound(const struct cert_problem *p, const struct cert_part *part, double goal)
{
    struct sator_arena *arena = sator_arena_new();
    struct cert_view *v = cert_view_new(arena, p, part);

    cert_view_unroll(v);
    double bound = fmax(cert_view_bound(v, goal), cert_bound_decided(p, v, goal));
    sator_arena_free(arena);
    return bound;
}
