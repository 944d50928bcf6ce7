/* Parts whose factors are all decided: words order by order (doc/certificate.md, "Orders").
 *
 * From one stamp to the next a loop steps forward, and those inside it fall back to their start: a
 * tile moves by the same distance at every step of the loop. What it then keeps depends on which
 * loops stand inside, not on their order, and what is kept adds up. So the least of a sum over
 * words is found by going through the sets of loops that stand inside, memory by memory.
 */
#include "certificate/cert_leaf.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SUMS = 1 + CERT_TIMES,
    MOST_FRONT = 32
};

/* Set what a dimension has: the runs of a tile first, then those of the places of tiles. */
static void hold_dim(
        const struct cert_leaf *leaf, int m, int grouped, int e, struct cert_held *held)
{
    const struct cert_move *v = &leaf->p->move[m];
    const struct cert_index *d = &leaf->p->tensor[v->tensor].dim[e];
    struct cert_run *run = held->runs[e];
    int64_t tile[CERT_LOOPS];
    int n = 0;

    cert_inside(leaf->p, leaf->part, v->child_row, tile);
    for (int k = 0; k < d->n; k++) {
        if (tile[d->loop[k]] > 1)
            run[n++] = (struct cert_run){d->coef[k], tile[d->loop[k]]};
    }
    held->n_tile[e] = n;
    for (int k = 0; k < d->n * v->child_row && grouped; k++) {
        const int i = d->loop[k / v->child_row], r = k % v->child_row;
        if (!(v->between >> r & 1) || leaf->part->factor[r][i] == 1)
            continue;
        int64_t shared = cert_shared(leaf->p, leaf->part, v, leaf->is_counted[m], r, i);
        if (shared > 1)
            run[n++] = (struct cert_run){d->coef[k / v->child_row] * leaf->stride[r][i], shared};
    }
    held->n_runs[e] = n;
    held->values[e] = 1;
    for (int k = 0; k < n && d->n == 1; k++)
        held->values[e] *= (double)run[k].count;
    if (d->n > 1)
        held->values[e] = cert_sums(n, run);
    if (leaf->p->fills)
        cert_shorten(leaf, m, e, held);
}

static void hold(const struct cert_leaf *leaf, int m, int grouped, struct cert_held *held)
{
    const struct cert_problem *p = leaf->p;
    const struct cert_move *v = &p->move[m];
    const struct cert_tensor *t = &p->tensor[v->tensor];
    const bool counted = leaf->is_counted[m];
    int64_t tile[CERT_LOOPS];

    cert_inside(p, leaf->part, v->child_row, tile);
    for (int i = 0; i < p->n_loops && p->fills; i++)
        held->span[i] = tile[i] * (grouped ? cert_along(p, leaf->part, v, counted, i, true) : 1);
    held->words = 1;
    held->copies = grouped && !counted ? cert_buses(p, leaf->part, v) : 1;
    for (int e = 0, all = 0; e < t->n_dims; all += held->n_runs[e++]) {
        held->runs[e] = &held->run[all];
        hold_dim(leaf, m, grouped, e, held);
        held->words *= held->values[e];
    }
    for (int i = 0; i < p->n_loops; i++) {
        held->copies *= (double)cert_spread(p, leaf->part, v->outer, i);
        held->copies *= (double)cert_along(p, leaf->part, v, counted, i, false);
        held->copies *= grouped ? 1 : (double)cert_along(p, leaf->part, v, counted, i, true);
    }
}

/* Whether it is known in which order loops stand on all rows of the move's links, if it has any. */
static bool is_ordered(const struct cert_part *part, const struct cert_move *v)
{
    bool ordered = v->is_directed;

    for (int l = 0; l < v->n_links && ordered; l++) {
        for (int r = 0; r < CERT_ROWS; r++)
            ordered &= v->link[l].shift[r] == 0 || (part->ordered >> r & 1);
    }
    return ordered;
}

static void count_links(struct cert_leaf *leaf, int m)
{
    const struct cert_move *v = &leaf->p->move[m];
    const struct cert_held *held = &leaf->held[m][0];
    struct cert_tile *tile = &leaf->tile[m];

    leaf->all[m] = leaf->held[m][1].copies * leaf->held[m][1].words;
    leaf->is_placed[m] = !leaf->is_counted[m] && is_ordered(leaf->part, v);
    if (!leaf->is_placed[m])
        return;
    tile->n_dims = leaf->p->tensor[v->tensor].n_dims;
    for (int e = 0; e < tile->n_dims; e++) {
        tile->n_runs[e] = held->n_tile[e];
        tile->run[e] = held->runs[e];
    }
    cert_tile_init(tile);
    for (int k = 0; k < CERT_FRESH; k++)
        leaf->fresh[m][k].is_known = false;
    cert_places_init(leaf->arena, leaf->p, leaf->part, v, &leaf->places[m]);
    leaf->all[m] = cert_fresh(&leaf->places[m], tile, NULL);
}

/* Whether the move's words depend on nothing but the rows that are decided. */
static bool is_here(const struct cert_leaf *leaf, int move)
{
    int child = leaf->p->move[move].child_row;

    return child > leaf->first && child <= leaf->last;
}

/* Return a leaf (GIVE: free_leaf). */
static struct cert_leaf *new_leaf(
        const struct cert_problem *p, const struct cert_part *part, int first, int last)
{
    struct sator_arena *arena = sator_arena_new();
    struct cert_leaf *leaf = sator_arena_alloc(arena, sizeof *leaf);

    leaf->arena = arena;
    leaf->held = sator_arena_alloc(arena, sizeof *leaf->held * (size_t)p->n_moves);
    leaf->fresh = sator_arena_alloc(arena, sizeof *leaf->fresh * (size_t)p->n_moves);
    leaf->any_counted = false;
    leaf->p = p;
    leaf->part = part;
    leaf->first = first;
    leaf->last = last;
    leaf->outside = 1;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t stride = 1, left = cert_extent(p, part, i);
        for (int r = 0; r < p->n_rows; r++)
            left /= r >= first || p->row[r].is_space ? part->factor[r][i] : 1;
        leaf->outside *= (double)left;
        for (int r = p->n_rows - 1; r >= 0; r--) {
            leaf->stride[r][i] = stride;
            stride *= part->factor[r][i];
        }
    }
    for (int m = 0; m < p->n_moves; m++) {
        const struct cert_move *v = &p->move[m];
        if (!is_here(leaf, m))
            continue;
        leaf->stamps[m] = leaf->outside;
        leaf->cold[m] = leaf->brought_cold[m] = cert_cold_row(p, part, v->child_row);
        leaf->is_counted[m] = v->may_count && cert_is_counted(p, part, v);
        leaf->any_counted |= leaf->is_counted[m];
        if (leaf->is_counted[m]) {
            leaf->brought_cold[m] = cert_counted_cold_row(p, part, v);
            leaf->reach[m] = cert_reach(p, part, v);
        }
        for (int r = first; r < v->child_row; r++) {
            for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++)
                leaf->stamps[m] *= (double)part->factor[r][i];
        }
        for (int grouped = 0; grouped < 2; grouped++)
            hold(leaf, m, grouped, &leaf->held[m][grouped]);
        count_links(leaf, m);
    }
    return leaf;
}

static void free_leaf(struct cert_leaf *leaf)
{
    sator_arena_free(leaf->arena);
}

/* The values of dimension "e" that need not cross when its tiles have moved. Over buses those that
 * no PE has anew; where links join PEs, or tiles may be shorter, whatever some PE had. */
static double kept_values(const struct cert_leaf *leaf, int move, int grouped, int e, int64_t shift)
{
    const struct cert_held *held = &leaf->held[move][grouped];
    const bool joins = leaf->p->move[move].n_links > 0 || leaf->p->fills;
    int n_set = joins ? held->n_runs[e] : held->n_tile[e];

    return cert_common_of_all(n_set, held->n_runs[e], held->runs[e], shift);
}

/* The words of all groups, or tiles, that a move keeps each time its tile moves by "shift", as
 * "loop" steps at "row" outside of those "placed" there. */
static double kept_words(const struct cert_leaf *leaf, int move, int grouped,
        const int64_t shift[CERT_DIMS], int row, int loop, unsigned placed)
{
    const struct cert_tensor *t = &leaf->p->tensor[leaf->p->move[move].tensor];
    const struct cert_held *held = &leaf->held[move][grouped];
    double words = held->copies;

    for (int e = 0; e < t->n_dims && words > 0; e++) {
        if (leaf->p->fills && held->is_whole[e])
            words *= cert_kept_of_short(leaf, move, grouped, e, shift[e], row, loop, placed);
        else if (shift[e] == 0)
            words *= held->values[e];
        else
            words *= t->dim[e].n == 1 ? 0 : kept_values(leaf, move, grouped, e, shift[e]);
    }
    return words;
}

/* What crosses, of the words that links may bring, where the tile of "move" has moved by "shift".
 */
static double fresh_words(struct cert_leaf *leaf, int move, const int64_t shift[CERT_DIMS])
{
    const struct cert_tile *tile = &leaf->tile[move];
    const size_t bytes = sizeof *shift * (size_t)tile->n_dims;
    uint64_t hash = 0;

    for (int e = 0; e < tile->n_dims; e++)
        hash = hash * 1000003 + (uint64_t)shift[e];
    struct cert_known_fresh *known = &leaf->fresh[move][(hash ^ hash >> 7) % CERT_FRESH];
    if (!known->is_known || memcmp(known->shift, shift, bytes) != 0) {
        known->is_known = true;
        memcpy(known->shift, shift, bytes);
        known->words = cert_fresh(&leaf->places[move], tile, shift);
    }
    return known->words;
}

/* Whether what others bring a PE in some step of the loops inside is not from another step of those
 * outside: one that stands alone in an index takes more steps than it may be from. */
static bool is_out_of_reach(const struct cert_leaf *leaf, int row, unsigned placed, int m)
{
    unsigned plain = leaf->p->tensor[leaf->p->move[m].tensor].plain;
    bool any = false;

    for (int r = row; r < leaf->p->move[m].child_row; r++) {
        for (int i = 0; i < leaf->p->n_loops && !leaf->p->row[r].is_space; i++)
            any |= (plain >> i & 1) && (r > row || (placed >> i & 1)) &&
                    leaf->part->factor[r][i] > leaf->reach[m];
    }
    return any;
}

/* The elements that all groups touch in the loops of a row that are "placed" and all further in: at
 * least. */
static double touched(const struct cert_leaf *leaf, int row, unsigned placed, int m)
{
    const struct cert_move *v = &leaf->p->move[m];
    const struct cert_tensor *t = &leaf->p->tensor[v->tensor];
    const struct cert_held *held = &leaf->held[m][1];
    double words = held->copies;

    for (int e = 0; e < t->n_dims; e++) {
        struct cert_run run[CERT_RUNS];
        int n = held->n_runs[e];
        memcpy(run, held->runs[e], sizeof *run * (size_t)n);
        for (int k = 0; k < t->dim[e].n; k++) {
            int i = t->dim[e].loop[k];
            for (int r = row; r < v->child_row; r++) {
                if (!leaf->p->row[r].is_space && (r > row || (placed >> i & 1)) &&
                        leaf->part->factor[r][i] > 1)
                    run[n++] = (struct cert_run){
                            t->dim[e].coef[k] * leaf->stride[r][i], leaf->part->factor[r][i]};
            }
        }
        words *= cert_sums(n, run);
    }
    return words;
}

/* What others bring at most in the steps of a loop, of words that have no formula: in all of them
 * together each element crosses once. */
static double brought(
        const struct cert_leaf *leaf, int row, int loop, double inside, unsigned placed, int m)
{
    double factor = (double)leaf->part->factor[row][loop];

    if (row < leaf->brought_cold[m] || is_out_of_reach(leaf, row, placed, m))
        return 0;
    return leaf->stamps[m] / (inside * factor) *
            (factor * touched(leaf, row, placed, m) - touched(leaf, row, placed | 1U << loop, m));
}

double cert_find_kept(struct cert_leaf *leaf, int row, int loop, const struct cert_inside *placed,
        const struct cert_inside *further, int move, double kept[2])
{
    const struct cert_problem *p = leaf->p;
    const struct cert_tensor *t = &p->tensor[p->move[move].tensor];
    double factor = (double)leaf->part->factor[row][loop];
    double inside = placed->stamps * further->stamps;
    double steps = (factor - 1) * leaf->stamps[move] / (inside * factor);
    int64_t shift[CERT_DIMS];

    for (int e = 0; e < t->n_dims; e++) {
        shift[e] = 0;
        for (int k = 0; k < t->dim[e].n; k++) {
            int i = t->dim[e].loop[k];
            int64_t moved = i == loop ? leaf->stride[row][i] : 0;
            shift[e] += t->dim[e].coef[k] * (moved - placed->back[i] - further->back[i]);
        }
    }
    kept[0] = kept[1] = 0;
    if (row >= leaf->cold[move])
        kept[0] = steps * kept_words(leaf, move, 0, shift, row, loop, placed->loops);
    if (leaf->is_counted[move])
        kept[1] = brought(leaf, row, loop, inside, placed->loops, move);
    else if (row >= leaf->cold[move])
        kept[1] = steps *
                (leaf->is_placed[move]
                                ? leaf->all[move] - fresh_words(leaf, move, shift)
                                : kept_words(leaf, move, 1, shift, row, loop, placed->loops));
    return steps;
}

void cert_place(const struct cert_leaf *leaf, int row, int loop, struct cert_inside *inside)
{
    int64_t factor = leaf->part->factor[row][loop];

    inside->stamps *= (double)factor;
    inside->back[loop] += leaf->stride[row][loop] * (factor - 1);
    inside->loops |= 1U << loop;
}

/* What orders save of several sums at once: of those that no other beats in all of them. */
struct front {
    int n;
    double *saved; /* a point after the other, each as many sums as there are */
};

/* Sums over words, and what the best orders of the rows so far save of them. */
struct sums {
    struct cert_leaf *leaf;
    int n;
    const struct cert_weights *const *weights;
    int most; /* points of a front: the best of one sum is one */
    struct front front;
    double saved[MOST_FRONT * MOST_SUMS]; /* the front's */
};

/* An order that saves nothing. */
static void begin_sums(struct sums *s)
{
    s->most = s->n == 1 ? 1 : MOST_FRONT;
    s->front = (struct front){1, s->saved};
    memset(s->saved, 0, sizeof s->saved[0] * (size_t)s->n);
}

/* Add "saved" to the front. Where it is full, what each of its sums saves at most takes the place
 * of all. */
static void add_point(const struct sums *s, struct front *front, const double *saved)
{
    const size_t size = sizeof *saved * (size_t)s->n;
    int n = 0;

    for (int k = 0; k < front->n; k++) {
        const double *point = &front->saved[k * s->n];
        bool beats = true, is_beaten = true;
        for (int w = 0; w < s->n; w++) {
            beats &= point[w] >= saved[w];
            is_beaten &= point[w] <= saved[w];
        }
        if (beats)
            return; /* nothing was taken away before: that would be beaten, too */
        if (!is_beaten)
            memmove(&front->saved[n++ * s->n], point, size);
    }
    if (n < s->most) {
        memcpy(&front->saved[n * s->n], saved, size);
        front->n = n + 1;
        return;
    }
    for (int k = 0; k < n; k++) {
        for (int w = 0; w < s->n; w++)
            front->saved[w] = fmax(front->saved[w], k == 0 ? saved[w] : front->saved[k * s->n + w]);
    }
    front->n = 1;
}

/* What "loop" saves where it stands next, added to each point of "from", into "to". */
static void step(const struct sums *s, int row, int loop, const struct cert_inside *placed,
        const struct cert_inside *further, const struct front *from, struct front *to)
{
    const struct cert_problem *p = s->leaf->p;
    double own[MOST_SUMS] = {0}, saved[MOST_SUMS];

    for (int m = 0; m < p->n_moves; m++) {
        double kept[2];
        if (p->move[m].child_row <= row || p->move[m].child_row > s->leaf->last)
            continue;
        cert_find_kept(s->leaf, row, loop, placed, &further[m], m, kept);
        for (int w = 0; w < s->n; w++)
            own[w] += s->weights[w]->unique[m] * kept[1] + s->weights[w]->arriving[m] * kept[0];
    }
    for (int k = 0; k < from->n; k++) {
        for (int w = 0; w < s->n; w++)
            saved[w] = from->saved[k * s->n + w] + own[w];
        add_point(s, to, saved);
    }
}

static void copy_front(const struct sums *s, struct front *to, const struct front *from)
{
    to->n = from->n;
    memcpy(to->saved, from->saved, sizeof *from->saved * (size_t)(from->n * s->n));
}

/* Add what the orders of one row's loops save. "further" is by move of the rows inside. */
static void order_row(struct sums *s, int row, const struct cert_inside *further)
{
    const struct cert_problem *p = s->leaf->p;
    unsigned within[CERT_LOOPS] = {0}; /* what constraints put inside, by place in the list */
    int list[CERT_LOOPS], n = 0;

    for (int i = 0; i < p->n_loops; i++) {
        if (s->leaf->part->factor[row][i] > 1)
            list[n++] = i;
    }
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++)
            within[k] |= p->row[row].within[list[k]] >> list[j] & 1 ? 1U << j : 0;
    }
    if (n == 0)
        return;
    const size_t sets = (size_t)1 << n, room = (size_t)s->most * (size_t)s->n;
    struct front *front = sator_alloc(sizeof *front * sets);
    double *saved = sator_alloc(sizeof *saved * room * sets);
    for (size_t set = 0; set < sets; set++)
        front[set] = (struct front){0, saved + room * set};
    copy_front(s, &front[0], &s->front);
    for (size_t set = 0; set + 1 < sets; set++) {
        struct cert_inside placed = {.stamps = 1};
        for (int k = 0; k < n; k++) {
            if (set >> k & 1)
                cert_place(s->leaf, row, list[k], &placed);
        }
        for (int k = 0; k < n; k++) {
            if (!(set >> k & 1) && (within[k] & ~set) == 0)
                step(s, row, list[k], &placed, further, &front[set], &front[set | (size_t)1 << k]);
        }
    }
    copy_front(s, &s->front, &front[sets - 1]);
    free(saved);
    free(front);
}

double cert_all_words(const struct cert_leaf *leaf, const struct cert_weights *w)
{
    double sum = w->constant;

    for (int m = 0; m < leaf->p->n_moves; m++) {
        const struct cert_held *held = leaf->held[m];
        if (!is_here(leaf, m))
            continue;
        double steps = leaf->cold[m] >= leaf->first ? 0 : leaf->outside - 1;
        sum += (leaf->stamps[m] - steps) *
                (w->unique[m] * leaf->all[m] + w->arriving[m] * held[0].copies * held[0].words);
    }
    return sum;
}

static void order_all(struct sums *s)
{
    const struct cert_problem *p = s->leaf->p;
    struct cert_inside further[CERT_MOVES];

    for (int m = 0; m < p->n_moves; m++)
        further[m] = (struct cert_inside){.stamps = 1};
    begin_sums(s);
    for (int r = s->leaf->last - 1; r >= s->leaf->first; r--) {
        if (p->row[r].is_space)
            continue;
        order_row(s, r, further);
        for (int m = 0; m < p->n_moves; m++) {
            for (int i = 0; i < p->n_loops && p->move[m].child_row > r; i++)
                cert_place(s->leaf, r, i, &further[m]);
        }
    }
}

static double least(void *data, const struct cert_weights *w)
{
    struct sums s = {.leaf = data, .n = 1, .weights = &w};

    order_all(&s);
    return fmax(cert_all_words(data, w) - s.saved[0], 0);
}

/* The least value of all orders, energy and the times of all lanes taken together. */
static double least_of_front(struct cert_leaf *leaf, const struct cert_prices *prices)
{
    const struct cert_problem *p = leaf->p;
    const struct cert_weights *list[MOST_SUMS];
    struct sums s = {.leaf = leaf, .weights = list};
    double value = INFINITY;

    list[s.n++] = &prices->energy;
    for (int l = 0; l < prices->n_times; l++)
        list[s.n++] = &prices->time[l];
    order_all(&s);
    for (int k = 0; k < s.front.n; k++) {
        double cycles = prices->cycles;
        for (int w = 1; w < s.n; w++)
            cycles = fmax(cycles, cert_all_words(leaf, list[w]) - s.saved[k * s.n + w]);
        double pj = cert_all_words(leaf, list[0]) - s.saved[k * s.n];
        value = fmin(value, cert_value_of(p, pj, cycles));
    }
    return value;
}

double cert_bound_leaf(const struct cert_problem *p, const struct cert_part *part,
        const struct cert_prices *exact, double goal)
{
    struct cert_leaf *leaf = new_leaf(p, part, 0, p->n_rows);
    double pj = p->objective == SATOR_MAP_LATENCY ? 0 : least(leaf, &exact->energy);
    double bound = cert_value_of(p, pj, exact->cycles);
    if (bound < goal)
        bound = least_of_front(leaf, exact);
    if (bound < goal)
        bound = fmax(bound, cert_least_value(p, exact, least, leaf, goal));
    if (bound < goal)
        bound = fmax(bound, cert_least_counted(leaf, exact, goal));
    free_leaf(leaf);
    return bound;
}

/* The rows "first" to "last" - 1 that are decided: from a memory on, up to one of which no more
 * than the tile is known, or to the end. */
static void find_decided(
        const struct cert_problem *p, const struct cert_part *part, int *first, int *last)
{
    const unsigned all = (1U << p->n_loops) - 1;

    *last = p->n_rows;
    for (int r = p->n_rows - 1; r >= 0; r--)
        *last = (part->loose >> r & 1) && part->known[r] == all ? r : *last;
    *first = *last;
    for (int r = *last - 1; r >= 0 && part->known[r] == all; r--)
        *first = p->row[r].is_space ? *first : r;
}

/* A leaf, and what the view knows of the rest. */
struct decided {
    struct cert_leaf *leaf;
    struct cert_view *view;
};

static double least_decided(void *data, const struct cert_weights *w)
{
    struct decided *d = data;
    struct sums s = {.leaf = d->leaf, .n = 1, .weights = &w};

    order_all(&s);
    double here = cert_all_words(d->leaf, w) - s.saved[0];
    return fmax(here + cert_view_rest(d->view, d->leaf->first, d->leaf->last, w), 0);
}

double cert_bound_decided(const struct cert_problem *p, struct cert_view *view, double goal)
{
    const struct cert_part *part = cert_view_now(view);
    double bound = 0;
    int first, last;

    find_decided(p, part, &first, &last);
    if (!part->is_unrolled || first == last || (first == 0 && last == p->n_rows))
        return 0;
    struct cert_leaf *leaf = new_leaf(p, part, first, last);
    if (!leaf->any_counted)
        bound = cert_least_value(
                p, cert_view_prices(view), least_decided, &(struct decided){leaf, view}, goal);
    free_leaf(leaf);
    return bound;
}

double cert_bound_orders(const struct cert_problem *p, const struct cert_part *part, double goal)
{
    struct cert_prices *exact = sator_alloc(sizeof *exact);

    cert_prices_init(p, part, true, exact);
    double bound = cert_bound_leaf(p, part, exact, goal);
    free(exact);
    return bound;
}
