/* Branch and bound over unrollings, tiles and orders (doc/mapper.md, "The optimal strategy").
 *
 * Unrollings are visited by the PEs they use, most first; when even the cheapest conceivable energy
 * at that parallelism cannot win, the rest cannot either. Below an unrolling the tiles are chosen
 * from the innermost memory outward, those with the best bound first, and below a full tiling the
 * loop orders, innermost loop first. Every cut is made by a bound that holds for all that it cuts
 * off.
 */
#include "mapper/bounds.h"
#include "mapper/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = MAPPER_MEMORIES * MAPPER_LOOPS + 2,
    DIVES = 16,
    CHUNK = 8192, /* unrollings compared before the first is visited */
    MOST_DIVISORS = 8192 /* of an extent: below 2^40 there are at most 6720 */
};

/* Rows of an array that no transfer tells apart: only the product of their factors matters. */
struct row_class {
    int n_rows;
    int row[MAPPER_ROWS];
    int64_t most; /* PEs */
    int n_choices;
    struct unrolling *choice; /* by PEs, most first */
    int n_sizes; /* distinct numbers of PEs */
    int *first; /* of each size, n_sizes + 1 */
};

struct unrolling {
    int64_t pes;
    int64_t factor[MAPPER_LOOPS];
};

struct tile_choice {
    double value, pj, cycles; /* of the bound */
    uint32_t number;
    struct mapper_share settled, own; /* transfers further in; into this memory */
    int64_t factor[MAPPER_LOOPS];
};

struct tile_list {
    int count, room;
    struct tile_choice *item;
};

struct visit;

struct optimizer {
    struct mapper_search *search;
    const struct mapper_problem *problem;
    struct sator_arena *arena;
    struct mapper_bounds *bounds;
    int n_classes;
    struct row_class class[MAPPER_ROWS];
    int n_divisors[MAPPER_LOOPS];
    const int64_t *divisors[MAPPER_LOOPS];
    struct mapper_share least[MAPPER_MEMORIES + 2]; /* of children below the index, nothing known */
    int64_t size[MAPPER_ACCESSES]; /* words of the tile of the memory being tiled */
    int listing[MAPPER_LOOPS +
            1]; /* loops in the order in which tiles are listed: sliding ones first */
    bool slides[MAPPER_LOOPS]; /* part of a sliding index */
    bool costs_grow; /* with the words of each transfer */
    int grown; /* the memory whose tiles may be taken to be maximal; -1: none */
    bool outside_fits; /* the memories outside it hold the whole problem */
    bool beyond_fits; /* all of them but the nearest do */
    int n_growable; /* of the tile chosen there */
    struct growth {
        int loop;
        int64_t prime;
    } growable[MAPPER_LOOPS * 8];
    struct visits {
        int count, room;
        struct visit *item;
    } visits;
    /* the current branch */
    struct mapper_mapping mapping;
    struct mapper_shape shape;
    int64_t rest[MAPPER_LOOPS]; /* temporal factors still to be given, by loop */
    double compute_cycles;
    int width; /* tiles followed at each memory */
    struct tile_list tiles[MAPPER_MEMORIES];
    /* orders */
    struct mapper_walk walk[MAPPER_TRANSFERS];
    struct mapper_pace pace[MOST_DEPTH][MAPPER_TRANSFERS];
    int64_t plain_stamps[MAPPER_TRANSFERS]; /* products of loops that stand alone in an index */
};

/* ---- unrollings ---- */

static bool same_class(const struct mapper_problem *p, int a, int b)
{
    if (p->row[a].level != p->row[b].level)
        return false;
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
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
    for (int d = o->n_divisors[loop] - 1; d >= 0; d--) {
        int64_t factor = o->divisors[loop][d];
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

static bool place_unrolling(
        struct optimizer *o, const struct row_class *class, const struct unrolling *u)
{
    int64_t left[MAPPER_LOOPS];

    memcpy(left, u->factor, sizeof left);
    return split_rows(o, class, 0, 0, o->problem->row[class->row[0]].shape, left);
}

static void list_choices(
        struct optimizer *o, struct row_class *class, int loop, struct unrolling *u)
{
    if (loop == o->problem->n_loops) {
        SATOR_PUSH(o->arena, class->choice, class->n_choices, *u);
        return;
    }
    for (int d = 0; d < o->n_divisors[loop]; d++) {
        int64_t factor = o->divisors[loop][d], pes = u->pes;
        if (factor > class->most / pes)
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
        qsort(class->choice, (size_t) class->n_choices, sizeof *class->choice, by_pes);
        class->first = SATOR_NEW_ARRAY(o->arena, int, class->n_choices + 1);
        for (int k = 0; k < class->n_choices; k++) {
            if (k == 0 || class->choice[k].pes != class->choice[k - 1].pes)
                class->first[class->n_sizes++] = k;
        }
        class->first[class->n_sizes] = class->n_choices;
    }
}

/* ---- bounds of a branch ---- */

/* Energy and cycles from a share that covers all transfers. */
static struct mapper_cost cost_of(const struct optimizer *o, const struct mapper_share *share)
{
    const struct mapper_problem *p = o->problem;
    double cycles = sator_mapper_cycles(p, o->compute_cycles, share);
    double pj = share->pj + p->leakage_pj * cycles;

    return (struct mapper_cost){pj, cycles, sator_mapper_value(p->objective, pj, cycles)};
}

static struct mapper_share fixed_share(const struct mapper_problem *p)
{
    struct mapper_share share = {.pj = p->fixed_pj};

    memcpy(share.read_bits, p->fixed_read_bits, sizeof p->fixed_read_bits);
    memcpy(share.write_bits, p->fixed_write_bits, sizeof p->fixed_write_bits);
    return share;
}

/* least[c] sums the transfers into children 0 .. c - 1. */
static void find_least(struct optimizer *o)
{
    o->least[0] = (struct mapper_share){0};
    for (int child = 0; child <= o->problem->n_memories; child++) {
        struct mapper_share one;
        sator_mapper_bounds_least(o->problem, child, &one);
        o->least[child + 1] = o->least[child];
        sator_mapper_share_add(o->problem, &o->least[child + 1], &one);
    }
}

/* ---- orders ---- */

/* The bound of a partial order: what is placed is exact, what is not may be kept as far as loops
 * that stand alone in an index allow. */
static struct mapper_cost order_bound(struct optimizer *o, const struct mapper_pace *pace)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share share = fixed_share(p);

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_walk *walk = &o->walk[t];
        double groups = (double)walk->groups, tiles = (double)walk->tiles;
        double open =
                pace[t].dead ? 0 : (double)(walk->stamps / pace[t].inside - o->plain_stamps[t]);
        double unique = (double)(walk->group_words * walk->stamps - pace[t].kept_unique);
        double arriving = (double)(walk->tile_words * walk->stamps - pace[t].kept_arriving);
        struct mapper_range range = {
                .unique_ub = groups * unique,
                .unique_lb = groups * (unique - open * (double)walk->group_words),
                .arriving_ub = tiles * arriving,
                .arriving_lb = tiles * (arriving - open * (double)walk->tile_words),
        };
        if (walk->access->is_sliding) {
            range.unique_lb = fmax(range.unique_lb, groups * (double)walk->group_cover);
            range.arriving_lb = fmax(range.arriving_lb, tiles * (double)walk->tile_cover);
        } else
            range.ratio = tiles * (double)walk->tile_words / (groups * (double)walk->group_words);
        sator_mapper_share_transfer(p, t, &range, &share);
    }
    return cost_of(o, &share);
}

static void finish_order(struct optimizer *o, const struct mapper_pace *pace)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_traffic traffic = {.time_stamps = 1};

    for (int t = 0; t < p->n_transfers; t++) {
        traffic.unique[t] = sator_mapper_unique(&o->walk[t], &pace[t]);
        traffic.arriving[t] = sator_mapper_arriving(&o->walk[t], &pace[t]);
    }
    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops; i++)
            traffic.time_stamps *= o->mapping.factor[p->memory[m].row][i];
    }
    o->search->counters.evaluated++;
    sator_mapper_offer(o->search, &o->mapping, sator_mapper_cost(p, &traffic));
}

/* Put the loops not in "placed" outside, in any order: it does not matter. */
static void append_rest(struct optimizer *o, int m, unsigned placed, int n_placed)
{
    int n_loops = o->problem->n_loops;

    for (int i = 0; i < n_loops; i++) {
        if (!(placed >> i & 1))
            o->mapping.order[m][n_loops - 1 - n_placed++] = (int8_t)i;
    }
}

/* Which transfers still care for the loops of memory row "m". */
static unsigned alive_at(const struct optimizer *o, int m, const struct mapper_pace *pace)
{
    unsigned alive = 0;

    for (int t = 0; t < o->problem->n_transfers; t++) {
        if (o->problem->transfer[t].child_row > o->problem->memory[m].row && !pace[t].dead)
            alive |= 1U << t;
    }
    return alive;
}

/* Whether "loop" indexes nothing alive and nothing alive has moved: placing it next costs nothing.
 */
static bool is_harmless(
        const struct optimizer *o, unsigned alive, const struct mapper_pace *pace, int loop)
{
    for (int t = 0; t < o->problem->n_transfers; t++) {
        if ((alive >> t & 1) && (pace[t].moved || (o->walk[t].access->relevant >> loop & 1)))
            return false;
    }
    return true;
}

static void order_from(struct optimizer *o, int m, unsigned placed, int n_placed, int depth);

static void place_loop(
        struct optimizer *o, int m, unsigned placed, int n_placed, int depth, int loop)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    struct mapper_pace *pace = o->pace[depth + 1];

    memcpy(pace, o->pace[depth], sizeof *pace * (size_t)p->n_transfers);
    for (int t = 0; t < p->n_transfers; t++) {
        if (p->transfer[t].child_row > row)
            sator_mapper_pace_place(&o->walk[t], o->search->words, &pace[t], loop,
                    o->mapping.factor[row][loop], o->shape.inside[row + 1][loop]);
    }
    o->mapping.order[m][p->n_loops - 1 - n_placed] = (int8_t)loop;
    order_from(o, m, placed | 1U << loop, n_placed + 1, depth + 1);
}

static void order_from(struct optimizer *o, int m, unsigned placed, int n_placed, int depth)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_pace *pace = o->pace[depth];
    unsigned left = 0;

    if (sator_mapper_should_stop(o->search))
        return;
    o->search->counters.orders++;
    unsigned alive = alive_at(o, m, pace);
    for (int i = 0; i < p->n_loops; i++)
        left |= o->mapping.factor[p->memory[m].row][i] > 1 && !(placed >> i & 1) ? 1U << i : 0;
    if (left == 0 || alive == 0) {
        append_rest(o, m, placed, n_placed);
        if (m == 0) {
            finish_order(o, pace);
            return;
        }
        order_from(o, m - 1, 0, 0, depth);
        return;
    }
    struct mapper_cost bound = order_bound(o, pace);
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_order++;
        return;
    }
    for (int i = 0; i < p->n_loops; i++) {
        if ((left >> i & 1) && is_harmless(o, alive, pace, i)) {
            place_loop(o, m, placed, n_placed, depth, i);
            return;
        }
    }
    for (int i = 0; i < p->n_loops; i++) {
        if (left >> i & 1)
            place_loop(o, m, placed, n_placed, depth, i);
    }
}

static void try_orders(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->mapping, &o->shape);
    for (int t = 0; t < p->n_transfers; t++) {
        sator_mapper_walk_init(p, o->search->words, &o->shape, t, &o->walk[t]);
        sator_mapper_walk_stamps(&o->walk[t], &o->mapping);
        sator_mapper_pace_init(&o->pace[0][t]);
        if (o->walk[t].access->is_sliding)
            sator_mapper_walk_cover(&o->walk[t], o->search->words, &o->shape);
        o->plain_stamps[t] = 1;
        for (int r = 0; r < o->walk[t].transfer->child_row; r++) {
            for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++) {
                if (o->walk[t].access->plain >> i & 1)
                    o->plain_stamps[t] *= o->mapping.factor[r][i];
            }
        }
    }
    order_from(o, p->n_memories - 1, 0, 0, 0);
}

/* ---- tiles ---- */

static int by_value(const void *a, const void *b)
{
    const struct tile_choice *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool tile_fits(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    int64_t size[MAPPER_ACCESSES] = {0};

    for (int a = 0; a < p->n_accesses; a++) {
        if (p->memory[m].holds >> a & 1)
            size[a] =
                    sator_mapper_tile_words(o->search->words, a, o->shape.inside[p->memory[m].row]);
    }
    return sator_mapper_fits(p, m, size, NULL);
}

/* The sizes of memory "m"'s tile after a change along "loop" (-1: of everything). */
static void refresh_sizes(struct optimizer *o, int m, int loop, int64_t *size)
{
    const struct mapper_problem *p = o->problem;

    for (int a = 0; a < p->n_accesses; a++) {
        if (!(p->memory[m].holds >> a & 1))
            size[a] = 0;
        else if (loop < 0 || (p->access[a].relevant >> loop & 1))
            size[a] =
                    sator_mapper_tile_words(o->search->words, a, o->shape.inside[p->memory[m].row]);
    }
}

/* Keep the shape's suffix products right from row "row" outward for one loop. */
static void refresh_shape(struct optimizer *o, int row, int loop)
{
    for (int r = row; r >= 0; r--)
        o->shape.inside[r][loop] = o->shape.inside[r + 1][loop] * o->mapping.factor[r][loop];
}

/* ---- maximal tiles ----
 *
 * Moving a factor of a loop from an outer memory into the tile of a memory that nothing further in
 * is filled from never makes any transfer larger, as long as all tiles on the way still fit: what
 * the grown tile brings in one stamp, the old one brought in one stamp or several. (For a sliding
 * index this needs tiles without gaps and coefficients of one sign, and no parallel digits of the
 * loop in between; the proof is in doc/mapper.md.) So mappings in which such a move is possible
 * need not be looked at.
 */

static bool one_sign(const struct mapper_index *index)
{
    for (int i = 1; i < index->n_parts; i++) {
        if ((index->coef[i] > 0) != (index->coef[0] > 0))
            return false;
    }
    return true;
}

/* Whether costs only grow with the transfers into memory "m" and outer ones. */
static bool costs_grow(const struct mapper_problem *p)
{
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        double most = 1;
        if (!t->into_own) {
            if (t->unique_pj < 0 || t->arriving_pj < 0)
                return false;
            continue;
        }
        for (int r = 0; r < p->n_rows; r++)
            most *= t->collapsed >> r & 1 ? (double)p->row[r].shape : 1;
        if (p->access[t->access].is_sliding || t->unique_pj + t->arriving_pj < 0 ||
                t->unique_pj + t->arriving_pj * most < 0 ||
                (most > 1 && !isnan(p->memory[t->child].read_bits)))
            return false;
    }
    return true;
}

static void find_grown(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    int innermost = p->n_memories - 1;

    o->grown = -1;
    o->costs_grow = costs_grow(p);
    if (innermost == 0 || p->transfer[0].child == p->n_memories || !o->costs_grow)
        return;
    o->grown = innermost;
    o->outside_fits = o->beyond_fits = true;
    for (int m = 1; m < innermost; m++) {
        int64_t size[MAPPER_ACCESSES] = {0};
        for (int a = 0; a < p->n_accesses; a++)
            size[a] = p->memory[m].holds >> a & 1 ? p->access[a].footprint : 0;
        bool fits = sator_mapper_fits(p, m, size, NULL);
        o->outside_fits &= fits;
        o->beyond_fits &= fits || m == innermost - 1;
    }
}

/* Whether the sliding indices of "access" have no gaps in the tile of memory "m". */
static bool is_gapless(struct optimizer *o, int m, int a)
{
    const struct mapper_access *access = &o->problem->access[a];

    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        struct mapper_steps steps = {.n_spread = 0};
        if (index->n_parts == 1)
            continue;
        for (int i = 0; i < index->n_parts; i++)
            steps.tile[i] = o->shape.inside[o->problem->memory[m].row][index->loop[i]];
        if (!one_sign(index) || !sator_mapper_words_gapless(o->search->words, a, e, &steps))
            return false;
    }
    return true;
}

static bool has_digits(const struct optimizer *o, int loop)
{
    for (int k = 0; k < o->shape.n_digits; k++) {
        if (o->shape.digit[k].loop == loop)
            return true;
    }
    return false;
}

/* Whether the tile of memory "m", grown by "prime" along "loop", fits and brings no more. */
static bool can_grow(struct optimizer *o, int m, int loop, int64_t prime)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    bool slides = false, fine = true;

    for (int a = 0; a < p->n_accesses; a++) {
        bool here = ((p->access[a].relevant & ~p->access[a].plain) >> loop & 1) != 0;
        slides |= here;
        fine &= !here || is_gapless(o, m, a);
    }
    if (!fine || (slides && has_digits(o, loop)))
        return false;
    o->mapping.factor[row][loop] *= prime;
    refresh_shape(o, row, loop);
    int64_t size[MAPPER_ACCESSES];
    memcpy(size, o->size, sizeof size);
    refresh_sizes(o, m, loop, size);
    fine = sator_mapper_fits(p, m, size, NULL);
    for (int a = 0; a < p->n_accesses && fine && slides; a++) {
        if ((p->access[a].relevant & ~p->access[a].plain) >> loop & 1)
            fine = is_gapless(o, m, a);
    }
    o->mapping.factor[row][loop] /= prime;
    refresh_shape(o, row, loop);
    return fine;
}

/* Set the primes by which the tile of the grown memory could still grow, or only whether there are
 * any. */
static void find_growable(struct optimizer *o, bool only_whether)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[o->grown].row;

    o->n_growable = 0;
    for (int at = p->n_loops - 1; at >= 0; at--) { /* the loops listed last are cheapest to check */
        int i = o->listing[at];
        int64_t rest = o->rest[i] / o->mapping.factor[row][i];
        for (int d = 1; d < o->n_divisors[i] && rest > 1; d++) {
            int64_t prime = o->divisors[i][d]; /* ascending: the first that divides is prime */
            if (rest % prime != 0)
                continue;
            while (rest % prime == 0)
                rest /= prime;
            if (o->n_growable < MAPPER_LOOPS * 8 && can_grow(o, o->grown, i, prime))
                o->growable[o->n_growable++] = (struct growth){i, prime};
            if (only_whether && o->n_growable > 0)
                return;
        }
    }
}

/* Whether every tile of the memory outside the grown one that is not dominated itself (it has none
 * of the growable primes) still fits with one of them: then so is the grown memory's tile. */
static bool next_always_fits(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[o->grown].row, m = o->grown - 1;
    int64_t tile[MAPPER_LOOPS], size[MAPPER_ACCESSES] = {0};

    for (int i = 0; i < p->n_loops; i++) {
        int64_t rest = o->rest[i] / o->mapping.factor[row][i];
        for (int k = 0; k < o->n_growable; k++) {
            while (o->growable[k].loop == i && rest % o->growable[k].prime == 0)
                rest /= o->growable[k].prime;
        }
        tile[i] = o->shape.inside[p->memory[m].row][i] * rest;
    }
    for (int k = 0; k < o->n_growable; k++) {
        tile[o->growable[k].loop] *= o->growable[k].prime;
        for (int a = 0; a < p->n_accesses; a++)
            size[a] = p->memory[m].holds >> a & 1
                    ? sator_mapper_tile_words(o->search->words, a, tile)
                    : 0;
        tile[o->growable[k].loop] /= o->growable[k].prime;
        if (sator_mapper_fits(p, m, size, NULL))
            return true;
    }
    return false;
}

/* Whether the tile just chosen at memory "m" leaves room for a move into the grown memory. */
static bool is_dominated(struct optimizer *o, int m)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;

    if (o->grown < 0)
        return false;
    if (m == o->grown) {
        find_growable(o, o->outside_fits);
        return o->n_growable > 0 && (o->outside_fits || (o->beyond_fits && next_always_fits(o)));
    }
    if (m != o->grown - 1)
        return false;
    for (int k = 0; k < o->n_growable; k++) {
        int loop = o->growable[k].loop;
        int64_t prime = o->growable[k].prime, here = o->mapping.factor[row][loop];
        if (here % prime == 0)
            return true;
        if (m > 1 || (o->rest[loop] / here) % prime != 0)
            continue;
        o->mapping.factor[row][loop] *= prime;
        refresh_shape(o, row, loop);
        bool fits = tile_fits(o, m);
        o->mapping.factor[row][loop] = here;
        refresh_shape(o, row, loop);
        if (fits)
            return true;
    }
    return false;
}

/* The bounds of the transfers further in than the memory being tiled: those whose nearest row is
 * known, and those into the memory (or compute units) just inside, whose nearest row is being
 * chosen. */
struct inner {
    const struct mapper_share *settled, *last;
};

static const int64_t ones[MAPPER_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static bool is_hopeless(struct optimizer *o, int m, const struct mapper_share *a,
        const struct mapper_share *b, const struct mapper_share *c, struct mapper_cost *bound)
{
    struct mapper_share all = *a;

    sator_mapper_share_add(o->problem, &all, b);
    sator_mapper_share_add(o->problem, &all, c);
    sator_mapper_share_add(o->problem, &all, &o->least[m]);
    *bound = cost_of(o, &all);
    if (!sator_mapper_is_hopeless(o->search, bound->pj, bound->cycles))
        return false;
    o->search->counters.pruned_tiling++;
    return true;
}

static void add_tile(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    struct tile_list *list = &o->tiles[m];
    struct tile_choice choice;
    struct mapper_share refined;
    struct mapper_cost bound;
    int row = p->memory[m].row;
    int64_t far[MAPPER_LOOPS];

    o->search->counters.tilings++;
    if (is_dominated(o, m)) {
        o->search->counters.pruned_dominated++;
        return;
    }
    for (int i = 0; i < p->n_loops; i++)
        far[i] = o->rest[i] / o->mapping.factor[row][i];
    sator_mapper_bounds_share(o->bounds, m, &o->shape, ones, far, &choice.own);
    if (is_hopeless(o, m, inner->settled, inner->last, &choice.own, &bound))
        return;
    sator_mapper_bounds_share(o->bounds, m + 1, &o->shape, o->mapping.factor[row], far, &refined);
    if (is_hopeless(o, m, inner->settled, &refined, &choice.own, &bound))
        return;
    choice.settled = *inner->settled;
    sator_mapper_share_add(p, &choice.settled, &refined);
    choice.value = bound.value;
    choice.pj = bound.pj;
    choice.cycles = bound.cycles;
    choice.number = (uint32_t)list->count;
    memcpy(choice.factor, o->mapping.factor[row], sizeof choice.factor);
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->item = sator_realloc(list->item, sizeof *list->item * (size_t)list->room);
    }
    list->item[list->count++] = choice;
}

/* The factors of "loop" at memory "m" that fit, given those of the loops before it. */
static int list_factors(struct optimizer *o, int m, int loop, int64_t *factors)
{
    int row = o->problem->memory[m].row, count = 0;
    int64_t size[MAPPER_ACCESSES];

    memcpy(size, o->size, sizeof size);
    for (int d = 0; d < o->n_divisors[loop]; d++) {
        int64_t factor = o->divisors[loop][d];
        if (factor > o->rest[loop])
            break;
        if (o->rest[loop] % factor != 0)
            continue;
        if (factor > 1) {
            o->mapping.factor[row][loop] = factor;
            refresh_shape(o, row, loop);
            refresh_sizes(o, m, loop, size);
            if (!sator_mapper_fits(o->problem, m, size, NULL)) {
                o->search->counters.pruned_capacity++;
                break; /* a larger factor needs no less */
            }
        }
        factors[count++] = factor;
    }
    return count;
}

/* Whether a multiple of the "k"-th factor fits too, so that its tiles are dominated (see above). */
static bool has_multiple(const int64_t *factors, int count, int k)
{
    for (int i = k + 1; i < count; i++) {
        if (factors[i] % factors[k] == 0)
            return true;
    }
    return false;
}

/* Whether no tile of memory "m" with the factors chosen so far can win, whatever the plain loops
 * from the "at"-th on get: the bound of the tile that gives each of them the largest factor that
 * fits by itself. Larger tiles along plain loops bring no more ("Maximal tiles" above), so this
 * bounds all of them. */
static bool none_can_win(struct optimizer *o, int m, int at, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row, n_tiles = 1;
    int64_t far[MAPPER_LOOPS], most[MAPPER_LOOPS], factors[MOST_DIVISORS];
    struct mapper_share own;
    struct mapper_cost bound;

    for (int k = at; k < p->n_loops; k++) {
        int loop = o->listing[k];
        int count = list_factors(o, m, loop, factors);
        most[loop] = factors[count - 1];
        n_tiles *= count < 64 ? count : 64;
        n_tiles = n_tiles < 64 ? n_tiles : 64;
        o->mapping.factor[row][loop] = 1;
        refresh_shape(o, row, loop);
    }
    if (n_tiles < 4)
        return false; /* not worth the work */
    for (int k = at; k < p->n_loops; k++) {
        o->mapping.factor[row][o->listing[k]] = most[o->listing[k]];
        refresh_shape(o, row, o->listing[k]);
    }
    for (int i = 0; i < p->n_loops; i++)
        far[i] = o->rest[i] / o->mapping.factor[row][i];
    sator_mapper_bounds_share(o->bounds, m, &o->shape, ones, far, &own);
    bool hopeless = is_hopeless(o, m, inner->settled, inner->last, &own, &bound);
    for (int k = at; k < p->n_loops; k++) {
        o->mapping.factor[row][o->listing[k]] = 1;
        refresh_shape(o, row, o->listing[k]);
    }
    return hopeless;
}

/* List the tiles of memory "m": factors for the loops from the "at"-th of the listing order on. */
static void list_tiles(struct optimizer *o, int m, int at, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row, loop = o->listing[at]; /* one past the end: unused */

    if (sator_mapper_should_stop(o->search))
        return;
    if (at == p->n_loops) {
        add_tile(o, m, inner);
        return;
    }
    int64_t before[MAPPER_ACCESSES], factors[MOST_DIVISORS];
    if (o->costs_grow && !o->slides[loop] && none_can_win(o, m, at, inner))
        return;
    memcpy(before, o->size, sizeof before);
    int count = list_factors(o, m, loop, factors);
    bool only_maximal =
            m == o->grown && o->outside_fits && at == p->n_loops - 1 && !o->slides[loop];
    for (int k = 0; k < count; k++) {
        if (only_maximal && has_multiple(factors, count, k)) {
            o->search->counters.tilings++;
            o->search->counters.pruned_dominated++;
            continue;
        }
        o->mapping.factor[row][loop] = factors[k];
        refresh_shape(o, row, loop);
        refresh_sizes(o, m, loop, o->size);
        list_tiles(o, m, at + 1, inner);
    }
    o->mapping.factor[row][loop] = 1;
    refresh_shape(o, row, loop);
    memcpy(o->size, before, sizeof before);
}

/* Choose the factors of memory row "m", then of those outside it. */
static void choose_tiles(struct optimizer *o, int m, const struct inner *inner)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;

    if (m == 0) {
        for (int i = 0; i < p->n_loops; i++) {
            o->mapping.factor[row][i] = o->rest[i];
            refresh_shape(o, row, i);
        }
        if (tile_fits(o, 0))
            try_orders(o);
        else
            o->search->counters.pruned_capacity++;
        for (int i = 0; i < p->n_loops; i++) {
            o->mapping.factor[row][i] = 1;
            refresh_shape(o, row, i);
        }
        return;
    }
    struct tile_list *list = &o->tiles[m];
    list->count = 0;
    refresh_sizes(o, m, -1, o->size);
    if (!sator_mapper_fits(p, m, o->size, NULL)) {
        o->search->counters.pruned_capacity++;
        return;
    }
    list_tiles(o, m, 0, inner);
    qsort(list->item, (size_t)list->count, sizeof *list->item, by_value);
    int64_t rest[MAPPER_LOOPS];
    memcpy(rest, o->rest, sizeof rest);
    for (int k = 0; k < list->count && k < o->width && !sator_mapper_should_stop(o->search); k++) {
        const struct tile_choice *choice = &list->item[k];
        if (sator_mapper_is_hopeless(o->search, choice->pj, choice->cycles)) {
            o->search->counters.pruned_tiling++;
            continue;
        }
        struct mapper_share settled = choice->settled, own = choice->own;
        for (int i = 0; i < p->n_loops; i++) {
            o->mapping.factor[row][i] = choice->factor[i];
            o->rest[i] = rest[i] / choice->factor[i];
            refresh_shape(o, row, i);
        }
        if (m == o->grown) {
            memcpy(o->rest, rest, sizeof rest);
            refresh_sizes(o, m, -1, o->size);
            find_growable(o, false);
            for (int i = 0; i < p->n_loops; i++)
                o->rest[i] = rest[i] / choice->factor[i];
        }
        choose_tiles(o, m - 1, &(struct inner){&settled, &own});
    }
    memcpy(o->rest, rest, sizeof rest);
    for (int i = 0; i < p->n_loops; i++) {
        o->mapping.factor[row][i] = 1;
        refresh_shape(o, row, i);
    }
}

/* ---- the whole ---- */

/* An unrolling of all arrays, by its choice in each class, and its bound. */
struct visit {
    double value, pj, cycles, compute_cycles;
    uint32_t number;
    int choice[MAPPER_ROWS];
};

/* Bound the transfers into the compute units, and with them the whole. */
static struct mapper_cost bound_unrolling(
        struct optimizer *o, struct mapper_share *fixed, struct mapper_share *share)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->mapping, &o->shape);
    sator_mapper_bounds_share(o->bounds, p->n_memories, &o->shape, ones, o->rest, share);
    *fixed = fixed_share(p);
    struct mapper_share all = *fixed;
    sator_mapper_share_add(p, &all, share);
    sator_mapper_share_add(p, &all, &o->least[p->n_memories]);
    return cost_of(o, &all);
}

static void add_visit(struct optimizer *o, const int *choice)
{
    struct visits *visits = &o->visits;
    struct mapper_share fixed, share;

    if (!sator_mapper_is_modelled(o->problem, &o->mapping))
        return;
    o->search->counters.unrollings++;
    struct mapper_cost bound = bound_unrolling(o, &fixed, &share);
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
        return;
    }
    if (visits->count == visits->room) {
        visits->room = visits->room == 0 ? 1024 : 2 * visits->room;
        visits->item = sator_realloc(visits->item, sizeof *visits->item * (size_t)visits->room);
    }
    struct visit *visit = &visits->item[visits->count];
    *visit = (struct visit){.value = bound.value,
            .pj = bound.pj,
            .cycles = bound.cycles,
            .compute_cycles = o->compute_cycles,
            .number = (uint32_t)visits->count++};
    memcpy(visit->choice, choice, sizeof *choice * (size_t)o->n_classes);
}

/* List unrollings of the sizes "size" for class "c" and on. */
static void list_unrollings(struct optimizer *o, const int *size, int c, int *choice)
{
    const struct mapper_problem *p = o->problem;

    if (c == o->n_classes) {
        add_visit(o, choice);
        return;
    }
    struct row_class *class = &o->class[c];
    for (int k = class->first[size[c]]; k < class->first[size[c] + 1]; k++) {
        const struct unrolling *u = &class->choice[k];
        bool divides = true;
        for (int i = 0; i < p->n_loops; i++)
            divides &= o->rest[i] % u->factor[i] == 0;
        if (!divides || !place_unrolling(o, class, u))
            continue;
        for (int i = 0; i < p->n_loops; i++)
            o->rest[i] /= u->factor[i];
        choice[c] = k;
        list_unrollings(o, size, c + 1, choice);
        for (int i = 0; i < p->n_loops; i++)
            o->rest[i] *= u->factor[i];
        if (sator_mapper_should_stop(o->search))
            break;
    }
    for (int k = 0; k < class->n_rows; k++) {
        for (int i = 0; i < p->n_loops; i++)
            o->mapping.factor[class->row[k]][i] = 1;
    }
}

static void visit_unrolling(struct optimizer *o, const struct visit *visit)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share fixed, share;

    o->compute_cycles = visit->compute_cycles;
    for (int i = 0; i < p->n_loops; i++) {
        o->rest[i] = p->extent[i];
        for (int c = 0; c < o->n_classes; c++)
            o->rest[i] /= o->class[c].choice[visit->choice[c]].factor[i];
    }
    for (int c = 0; c < o->n_classes; c++)
        place_unrolling(o, &o->class[c], &o -> class[c].choice[visit->choice[c]]);
    bound_unrolling(o, &fixed, &share);
    choose_tiles(o, p->n_memories - 1, &(struct inner){&fixed, &share});
    for (int i = 0; i < p->n_loops; i++)
        o->rest[i] = p->extent[i];
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops; i++)
            o->mapping.factor[r][i] = 1;
    }
}

static int by_visit(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Visit the unrollings listed, the best bound first: a few of them by their best tiles only, for a
 * good mapping to measure the rest against, then all of them. */
static void visit_all(struct optimizer *o)
{
    struct visits *visits = &o->visits;

    qsort(visits->item, (size_t)visits->count, sizeof *visits->item, by_visit);
    for (int dive = 1; dive >= 0; dive--) {
        o->width = dive ? 1 : INT32_MAX;
        int count = dive && visits->count > DIVES ? DIVES : visits->count;
        for (int k = 0; k < count && !sator_mapper_should_stop(o->search); k++) {
            const struct visit *visit = &visits->item[k];
            if (!sator_mapper_is_hopeless(o->search, visit->pj, visit->cycles))
                visit_unrolling(o, visit);
            else
                o->search->counters.pruned_unrolling += !dive;
        }
    }
    visits->count = 0;
}

struct sizes {
    double pes;
    int size[MAPPER_ROWS];
};

static int by_product(const void *a, const void *b)
{
    const struct sizes *x = a, *y = b;

    if (x->pes != y->pes)
        return x->pes > y->pes ? -1 : 1;
    return memcmp(x->size, y->size, sizeof x->size);
}

static void list_sizes(
        struct optimizer *o, int c, struct sizes *so_far, struct sizes **list, int *count)
{
    if (c == o->n_classes) {
        SATOR_PUSH(o->arena, *list, *count, *so_far);
        return;
    }
    double pes = so_far->pes;
    for (int s = 0; s < o->class[c].n_sizes; s++) {
        so_far->size[c] = s;
        so_far->pes = pes * (double)o->class[c].choice[o->class[c].first[s]].pes;
        list_sizes(o, c + 1, so_far, list, count);
    }
    so_far->pes = pes;
}

static void search_all(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    struct sizes *list = NULL, start = {.pes = 1};
    int count = 0, choice[MAPPER_ROWS];

    list_sizes(o, 0, &start, &list, &count);
    qsort(list, (size_t)count, sizeof *list, by_product);
    for (int k = 0; k < count; k++) {
        o->compute_cycles = (double)p->instances / list[k].pes * p->cycles_per_instance;
        struct mapper_share all = fixed_share(p);
        sator_mapper_share_add(p, &all, &o->least[p->n_memories + 1]);
        struct mapper_cost bound = cost_of(o, &all);
        if (p->objective != SATOR_MAP_ENERGY || k == 0)
            o->search->bound = bound.value;
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
            break; /* fewer PEs take longer, at no less energy */
        list_unrollings(o, list[k].size, 0, choice);
        if (o->visits.count >= CHUNK)
            visit_all(o);
        if (o->search->stopped != SATOR_OK)
            return;
    }
    visit_all(o);
    if (o->search->stopped != SATOR_OK)
        return;
    o->search->proved = true;
    if (o->search->found)
        o->search->bound = o->search->best_cost.value;
}

static void order_listing(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    int at = 0;

    for (int i = 0; i < p->n_loops; i++) {
        for (int a = 0; a < p->n_accesses; a++)
            o->slides[i] |= (p->access[a].relevant & ~p->access[a].plain) >> i & 1;
    }
    for (int side = 1; side >= 0; side--) {
        for (int i = 0; i < p->n_loops; i++) {
            if (o->slides[i] == (side == 1))
                o->listing[at++] = i;
        }
    }
}

void sator_mapper_optimal(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct optimizer *o = sator_alloc(sizeof *o);

    memset(o, 0, sizeof *o);
    o->search = search;
    o->problem = p;
    o->arena = sator_arena_new();
    o->bounds = sator_mapper_bounds_new(p, search->words);
    for (int i = 0; i < p->n_loops; i++) {
        o->n_divisors[i] = sator_mapper_divisors(o->arena, p->extent[i], &o->divisors[i]);
        o->rest[i] = p->extent[i];
    }
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops; i++)
            o->mapping.factor[r][i] = 1;
    }
    order_listing(o);
    find_classes(o);
    find_choices(o);
    find_least(o);
    find_grown(o);
    search_all(o);
    for (int m = 0; m < p->n_memories; m++)
        free(o->tiles[m].item);
    free(o->visits.item);
    sator_mapper_bounds_free(o->bounds);
    sator_arena_free(o->arena);
    free(o);
}
