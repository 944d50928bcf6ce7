/* Bounds for a known tile: the least over the classes of loop orders outside it
 * (order_classes.h).
 *
 * A sliding index may share its halo from its first loop on, at every step at most as much as
 * between neighbours, until a loop steps that stands alone in an index.
 */
#include "mapper/bounds.h"
#include "mapper/order_classes.h"
#include "mapper/slides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TRIED = 64 /* numbers of tiles */
};

/* The transfers into one child, by what is kept of them. */
struct ranges {
    double pj[MAPPER_ACCESSES][ORDER_CLASSES];
    struct mapper_range range[MAPPER_ACCESSES][ORDER_CLASSES];
};

/* A port that a child's transfers pass through, and the bits of a word of each. */
struct side {
    int port;
    double unique[MAPPER_ACCESSES], arriving[MAPPER_ACCESSES];
};

struct mapper_bounds {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    unsigned open; /* loops whose tiles are not known */
    const int64_t *shrink; /* how much smaller tiles may be by loop, or NULL */
    bool strides; /* see sator_mapper_bounds_strides */
    double compute; /* cycles that every mapping takes */
    const struct mapper_crew *crew;
    int known; /* memories from here inward have known tiles */
    const struct mapper_share *beside; /* what all other transfers cost at least, or NULL */
    struct order_table orders[MAPPER_MEMORIES + 1]; /* by child */
    int n_sides[MAPPER_MEMORIES + 1];
    struct side side[MAPPER_MEMORIES + 1][MAPPER_PORTS];
    struct ranges ranges; /* of the child that is being bounded */
};

/* Find the ports whose time the transfers into "child" take. */
static void find_sides(struct mapper_bounds *b, int child)
{
    const struct mapper_problem *p = b->problem;
    const struct order_table *orders = &b->orders[child];

    for (int i = 0; i < p->n_ports; i++) {
        struct side side = {.port = i};
        bool used = false;
        for (int k = 0; k < orders->count; k++) {
            const struct mapper_transfer *t = &p->transfer[orders->first + k];
            for (int f = 0; f < t->n_flows; f++) {
                const struct mapper_flow *flow = &t->flow[f];
                if (flow->port != i)
                    continue;
                *(flow->arriving ? &side.arriving[k] : &side.unique[k]) += flow->bits;
                used = true;
            }
        }
        if (used)
            b->side[child][b->n_sides[child]++] = side;
    }
}

struct mapper_bounds *sator_mapper_bounds_new(
        const struct mapper_problem *problem, struct mapper_words *words)
{
    struct mapper_bounds *b = sator_alloc(sizeof *b);

    b->problem = problem;
    b->words = words;
    b->open = 0;
    b->shrink = NULL;
    b->strides = false;
    b->compute = 0;
    b->crew = NULL;
    b->known = problem->n_memories;
    b->beside = NULL;
    for (int child = 0; child <= problem->n_memories; child++) {
        sator_mapper_order_table_init(&b->orders[child], problem, child);
        b->n_sides[child] = 0;
        find_sides(b, child);
    }
    return b;
}

void sator_mapper_bounds_free(struct mapper_bounds *b)
{
    if (b == NULL)
        return;
    for (int child = 0; child <= b->problem->n_memories; child++)
        sator_mapper_order_table_free(&b->orders[child]);
    free(b);
}

/* ---- a known tile ---- */

/* Where tiles may be short: the steps of a group of PEs, or of each by itself, along all loops, on
 * average over the groups, at the least; and what is left of them (near and far bits) where all is
 * kept along a loop. */
struct ragged_steps {
    double all, inverse[2 * MAPPER_LOOPS];
};

/* One transfer while it is bounded. */
struct local {
    struct mapper_walk walk;
    double group_words, tile_words; /* of a stamp; with short last tiles, on average */
    bool covers_only; /* nothing else is known */
    bool is_open; /* some loops of its sliding indices are */
    unsigned run_loops; /* those that the figures below are for: see find_run */
    double run_group, run_tile;
    bool ratio_fixed; /* no sliding index: arriving / unique is the same whatever is kept */
    /* compute units: loops with idle lanes that do not index the tensor, and what these take off
     * the words of groups and of tiles, when they are not fetched again along the loop and when
     * they are */
    int n_idle;
    struct idle {
        unsigned bits; /* near and far */
        double kept[2], fetched[2];
    } idle[MAPPER_LOOPS];
    struct mapper_slides slides;
    struct ragged_steps group_steps, tile_steps; /* chains */
    double lone; /* the share of the words that loops further out may keep, though some inside of
                    them move the tile: these may have but one step */
};

/* Whether a memory row lies between the child and a row over which words are shared: its factors,
 * and with them the distance between the shared tiles, are not known yet. */
static bool has_gap(const struct mapper_problem *p, const struct mapper_walk *walk)
{
    const struct mapper_transfer *t = walk->transfer;
    bool memory = false;

    for (int r = t->child_row - 1; r > p->memory[t->parent].row; r--) {
        memory |= !p->row[r].is_space;
        if (memory && (walk->shared >> r & 1))
            return true;
    }
    return false;
}

/* The loops outside a tile. */
struct outside {
    const int64_t *near, *far; /* factors by loop */
    double inverse[2 * MAPPER_LOOPS]; /* of the factors, by bit */
    double stamps, most_stamps;
    bool is_direct; /* an imperfect problem's compute units, but for chains */
    struct mapper_blocks blocks;
    /* other children of imperfect problems: both together, and how much shorter the last tile is */
    int64_t both[MAPPER_LOOPS], cut[MAPPER_LOOPS];
    /* chains: tiles of the child, over all PEs; the share of the iterations that a last
     * step of the inner factors may have for itself, as the only one of their steps */
    int64_t tiles[MAPPER_LOOPS];
    double lone[MAPPER_LOOPS];
};

/* How much shorter each loop's last tile is. */
static void find_cuts(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    int row = child == p->n_memories ? p->n_rows : p->memory[child].row;

    for (int i = 0; i < p->n_loops; i++) {
        outside->both[i] = outside->near[i] * outside->far[i];
        outside->cut[i] = shape->inside[row][i] * outside->both[i];
    }
    for (int k = 0; k < shape->n_digits; k++) {
        if (shape->digit[k].row < row)
            outside->cut[shape->digit[k].loop] *= shape->digit[k].count;
    }
    for (int i = 0; i < p->n_loops; i++)
        outside->cut[i] -= p->extent[i];
}

/* The steps of each loop outside the compute units: its factors at the nearest memory, the
 * innermost one, need not divide its blocks, and further out it has as many steps as tiles, on
 * average over the PEs that it runs on. What is not known of them, "far", is not used. */
static void find_blocks(
        const struct mapper_bounds *b, const struct mapper_shape *shape, struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    struct mapper_blocks *blocks = &outside->blocks;
    int64_t lanes[MAPPER_LOOPS], pes[MAPPER_LOOPS];

    for (int i = 0; i < p->n_loops; i++)
        lanes[i] = pes[i] = 1;
    for (int k = 0; k < shape->n_digits; k++)
        *(shape->digit[k].row > p->innermost ? &lanes[shape->digit[k].loop]
                                             : &pes[shape->digit[k].loop]) *= shape->digit[k].count;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t number = sator_mapper_blocks(p->extent[i], lanes[i]), tile = outside->near[i];
        int64_t tiles = (number + tile - 1) / tile;
        blocks->number[i] = number;
        blocks->tiles[i] = tile > 1 ? tiles / pes[i] : 0;
        blocks->near[i] = tile > 1 ? (double)number / (double)tiles : 1;
        blocks->far[i] = (double)(tile > 1 ? tiles : number) / (double)pes[i];
        /* a tile that is not known: (blocks + tiles) / tiles at most */
        outside->most_stamps *= tile > 1 ? (double)tile * (double)blocks->tiles[i]
                                         : 2 * (double)number / (double)pes[i];
    }
}

/* The least number of tiles of which the last may be a single block, when "number" blocks run on
 * "pes" PEs ("strides": or on more); as many as there are blocks where there is none. */
static int64_t least_single(int64_t number, int64_t tile, int64_t pes, bool strides)
{
    int64_t step = strides ? 1 : pes, first = pes > 1 ? pes : 2;

    if (tile > 1)
        return (number - 1) % tile == 0 ? (number + tile - 1) / tile : number;
    if (pes == 1 && !strides)
        return number; /* not in the space */
    for (int64_t tiles = first; tiles < first + MOST_TRIED * step; tiles += step) {
        int64_t size = (number + tiles - 1) / tiles;
        if (size <= 1)
            return number;
        if ((number - 1) % size == 0 && (number + size - 1) / size == tiles)
            return tiles;
    }
    return first + MOST_TRIED * step;
}

/* The parallel factors of a loop of a direct transfer. */
struct lanes {
    int64_t lanes, pes; /* inside and outside the innermost memory */
    int64_t apart; /* of the lanes, those that share no words */
    int64_t shared; /* of the PEs, those that do */
};

static struct lanes lanes_of(
        const struct mapper_walk *walk, const struct mapper_shape *shape, int loop)
{
    struct lanes found = {1, 1, 1, 1};

    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        bool collapsed = walk->transfer->collapsed >> digit->row & 1;
        if (digit->loop != loop)
            continue;
        if (digit->row > walk->problem->innermost) {
            found.lanes *= digit->count;
            found.apart *= collapsed ? 1 : digit->count;
        } else {
            found.pes *= digit->count;
            found.shared *= collapsed ? digit->count : 1;
        }
    }
    return found;
}

/* What the lanes that are idle in the last block of a loop take off the words: of a tensor that it
 * indexes, and of one that it does not. That is fetched for each block, or at the least for each
 * tile, where it is the last tile whose first block is short, if it has no other. */
static void cut_direct(const struct mapper_shape *shape, const struct outside *outside,
        bool strides, struct local *local)
{
    struct mapper_walk *walk = &local->walk;
    const struct mapper_problem *p = walk->problem;

    for (int i = 0; i < p->n_loops; i++) {
        struct lanes of = lanes_of(walk, shape, i);
        int64_t number = outside->blocks.number[i];
        int64_t last = p->extent[i] - (number - 1) * of.lanes;
        double share = (double)last / (double)of.lanes, blocks = (double)number;
        if (last == of.lanes)
            continue;
        if (walk->access->relevant >> i & 1) {
            walk->scale *= (blocks - 1 + share) / blocks;
            walk->tile_scale *= (blocks - 1 + share) / blocks;
            continue;
        }
        int64_t tiles = least_single(number, outside->near[i], of.pes, strides);
        struct idle *idle = &local->idle[local->n_idle++];
        idle->bits = 1U << i | 1U << (p->n_loops + i);
        for (int side = 0; side < 2; side++) {
            double active = side == 1                ? share
                    : of.shared > 1 || of.apart == 1 ? 1
                    : of.apart == of.lanes           ? share
                                                     : 1 / (double)of.apart;
            idle->fetched[side] = (blocks - 1 + active) / blocks;
            idle->kept[side] = tiles == number ? 1 : ((double)tiles - 1 + active) / (double)tiles;
        }
    }
}

static void cut_local(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    struct mapper_walk *walk = &local->walk;

    sator_mapper_walk_cut(walk, b->words, shape, outside->cut, outside->both);
    local->group_words = local->tile_words = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        local->group_words *= walk->group_mean[e];
        local->tile_words *= walk->tile_mean[e];
    }
}

/* Whether the last tile of some loop that indexes the access is short. */
static bool has_cut(const struct mapper_problem *p, const struct mapper_access *access,
        const struct outside *outside)
{
    for (int i = 0; i < p->n_loops && p->imperfect; i++) {
        if ((access->relevant >> i & 1) && outside->cut[i] != 0)
            return true;
    }
    return false;
}

/* ---- short tiles at any level ---- */

/* See struct outside: of "n" iterations in "steps" steps of "step", the last shorter. Unless the
 * nearest factor is known, any number of them that leaves one over may be a factor. */
static double lone_share(int64_t n, int64_t step, int64_t steps, int64_t near)
{
    bool is_lone = near == 1 ? steps > 2 : steps > near && steps % near == 1;

    return is_lone ? (double)(n - (steps - 1) * step) / (double)n : 0;
}

/* The tiles of each loop; of relevant ones no iteration is in two, so that words of loops that
 * stand alone in an index are as many as iterations, whatever the tiles. */
static void find_tiles(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    int row = child == p->n_memories ? p->n_rows : p->memory[child].row;
    int64_t pes[MAPPER_LOOPS], within[MAPPER_LOOPS]; /* the nearest memory */

    for (int i = 0; i < p->n_loops; i++)
        pes[i] = within[i] = 1;
    for (int k = 0; k < shape->n_digits && shape->digit[k].row < row; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        pes[digit->loop] *= digit->count;
        within[digit->loop] *= digit->row > p->memory[child - 1].row ? digit->count : 1;
    }
    for (int i = 0; i < p->n_loops; i++) {
        int64_t tiles = sator_mapper_blocks(p->extent[i], shape->inside[row][i]);
        /* a constraint may set factors where a single tile is left: these move nothing */
        bool is_near = outside->near[i] > 1 && tiles > within[i];
        bool is_far = tiles > pes[i] * outside->near[i];
        outside->tiles[i] = tiles;
        outside->lone[i] = lone_share(p->extent[i], shape->inside[row][i] * pes[i],
                sator_mapper_blocks(tiles, pes[i]), outside->near[i]);
        outside->inverse[i] = is_near ? 0 : 1; /* whether there is such a loop */
        outside->inverse[p->n_loops + i] = is_far ? 0 : 1;
        outside->stamps *= (double)sator_mapper_blocks(tiles, pes[i]);
        outside->most_stamps *= (double)tiles; /* of all PEs together */
    }
}

/* Of the positions of "loop" over which its tiles are spread outside row "row", the share that has
 * a tile at some time, at least. */
static double used_share(
        const struct mapper_problem *p, const struct mapper_shape *shape, int row, int loop)
{
    double used = 1, all = 1;

    for (int k = shape->n_digits - 1; k >= 0; k--) { /* innermost first */
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= row || digit->loop != loop)
            continue;
        int level = p->row[digit->row].level;
        int64_t pes = digit->count;
        while (k > 0 && p->row[shape->digit[k - 1].row].level == level) {
            k--;
            pes *= shape->digit[k].loop == loop ? shape->digit[k].count : 1;
        }
        double least = (double)sator_mapper_least_spread(p, digit->row, pes);
        used = least == 1 || all == 1 ? least * used : (least - 1) * all + 1;
        all *= (double)pes;
    }
    return used / all;
}

/* The steps of one side. Of a loop that does not index the tensor a tile is fetched again for each
 * step of its group, of one that does there are as many tiles as there are. */
static void find_steps_of(const struct mapper_bounds *b, const struct mapper_walk *walk,
        const struct mapper_shape *shape, const struct outside *outside, bool grouped,
        struct ragged_steps *steps)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_transfer *t = walk->transfer;

    steps->all = 1;
    for (int i = 0; i < p->n_loops; i++) {
        bool relevant = walk->access->relevant >> i & 1;
        int64_t shared = 1, apart = 1, near = outside->near[i], tiles = outside->tiles[i];
        for (int k = 0; k < shape->n_digits && shape->digit[k].row < t->child_row; k++) {
            const struct mapper_digit *digit = &shape->digit[k];
            bool copied = walk->is_relaxed && !relevant && !(t->collapsed >> digit->row & 1);
            if (digit->loop == i)
                *(grouped && (walk->shared >> digit->row & 1) && !copied ? &shared : &apart) *=
                        digit->count;
        }
        double pes = (double)apart, once = used_share(p, shape, t->child_row, i);
        double all = relevant ? (double)tiles / (double)shared / pes
                              : (double)sator_mapper_blocks(tiles, shared) / pes;
        double beyond = relevant ? all / (double)near
                                 : (double)sator_mapper_blocks(tiles, shared * near) / pes;
        once = fmin(once, all);
        beyond = fmax(beyond, once);
        if ((b->open >> i & 1) && !relevant && outside->inverse[p->n_loops + i] == 1)
            all = beyond =
                    once; /* with smaller tiles there may be steps, along which all is kept */
        steps->all *= all;
        steps->inverse[i] = beyond / all;
        steps->inverse[p->n_loops + i] = once / beyond;
    }
}

/* Whether a memory row lies between the child and a digit of "loop". */
static bool is_split(const struct mapper_problem *p, const struct mapper_transfer *t,
        const struct mapper_shape *shape, int loop)
{
    int near = t->child_row - 1;

    while (near >= 0 && p->row[near].is_space)
        near--;
    for (int k = 0; k < shape->n_digits; k++) {
        if (shape->digit[k].loop == loop && shape->digit[k].row < near)
            return true;
    }
    return false;
}

/* Where tiles may be short. Words of loops that stand alone in an index are as many as iterations,
 * whatever the tiles; others at least that share of what whole tiles would bring. */
static void open_ragged(struct mapper_bounds *b, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    struct mapper_walk *walk = &local->walk;
    const struct mapper_problem *p = b->problem;
    const int64_t *tile = shape->inside[walk->transfer->child_row];

    find_steps_of(b, walk, shape, outside, true, &local->group_steps);
    find_steps_of(b, walk, shape, outside, false, &local->tile_steps);
    for (int i = 0; i < p->n_loops; i++) {
        bool relevant = walk->access->relevant >> i & 1;
        int64_t shared = 1;
        for (int k = 0; k < shape->n_digits && shape->digit[k].row < walk->transfer->child_row; k++)
            shared *= shape->digit[k].loop == i && (walk->shared >> shape->digit[k].row & 1)
                    ? shape->digit[k].count
                    : 1;
        if (relevant)
            walk->scale *= (double)p->extent[i] / ((double)outside->tiles[i] * (double)tile[i]);
        else if (shared > 1)
            local->ratio_fixed &=
                    outside->tiles[i] % shared == 0 && !is_split(p, walk->transfer, shape, i);
    }
    walk->group_cover = walk->tile_cover = 0;
    unsigned near = 0;
    for (int i = 0; i < p->n_loops; i++)
        near |= (walk->access->relevant >> i & 1) && outside->near[i] > 1 ? 1U << i : 0;
    local->lone = 0;
    for (int i = 0; i < p->n_loops; i++) {
        double lone =
                b->open >> i & 1 ? 1. / 3 : outside->lone[i]; /* three smaller steps at least */
        if ((near != 0 ? near : walk->access->relevant) >> i & 1)
            local->lone = fmax(local->lone, lone);
    }
}

static void open_local(struct mapper_bounds *b, int transfer, const struct mapper_shape *shape,
        const struct outside *outside, struct local *local)
{
    const struct mapper_problem *p = b->problem;

    sator_mapper_walk_relax(p, b->words, shape, transfer, &local->walk);
    bool sliding = local->walk.access->is_sliding;
    if (sliding && local->walk.spread && has_gap(p, &local->walk)) {
        local->walk.group_words = local->walk.tile_words;
        for (int e = 0; e < local->walk.access->n_indices; e++) {
            local->walk.steps[e].n_spread = 0;
            local->walk.group_values[e] = local->walk.tile_values[e];
        }
    }
    local->group_words = (double)local->walk.group_words;
    local->tile_words = (double)local->walk.tile_words;
    /* quotients slide */
    local->ratio_fixed = !sliding && !local->walk.transfer->is_counted && !outside->is_direct;
    bool any_holds = local->walk.transfer->is_complex ||
            (local->walk.is_relaxed && local->walk.transfer->n_passes > 0);
    local->covers_only = sliding &&
            (b->strides || (local->walk.spread && any_holds && has_gap(p, &local->walk)));
    if (p->chains) {
        local->is_open = (local->walk.access->relevant & ~local->walk.access->plain & b->open) != 0;
        local->run_loops = ~0U;
        local->n_idle = 0;
        local->walk.open = b->open;
        local->covers_only |= local->walk.is_relaxed && any_holds;
        open_ragged(b, shape, outside, local);
        return;
    }
    if (local->walk.is_relaxed && outside->is_direct)
        local->covers_only = true;
    else if (local->walk.is_relaxed && has_cut(p, local->walk.access, outside))
        local->covers_only |= any_holds;
    else if (local->walk.is_relaxed && !local->covers_only && !has_gap(p, &local->walk) &&
            !shape->in_any_order) {
        local->walk.knows_net = true;
        sator_mapper_walk_digits(&local->walk, shape);
        local->walk.entering = (double)sator_mapper_entering(b->words, &local->walk, NULL) /
                (double)local->walk.copies;
        local->group_words = local->walk.entering;
    }
    bool is_asked = p->imperfect && sliding && local->walk.transfer->is_counted;
    local->covers_only |= is_asked;
    local->is_open = (local->walk.access->relevant & ~local->walk.access->plain & b->open) != 0;
    local->run_loops = ~0U;
    local->n_idle = 0;
    local->walk.open = b->open;
    if (local->is_open)
        local->walk.cut = p->imperfect ? outside->cut : NULL;
    else if (is_asked)
        local->walk.cut = outside->is_direct ? NULL : outside->cut;
    else if (outside->is_direct)
        cut_direct(shape, outside, b->strides, local);
    else if (p->imperfect)
        cut_local(b, shape, outside, local);
    if (!sliding)
        return;
    sator_mapper_walk_cover(&local->walk, b->words, shape);
    if (!local->is_open)
        sator_mapper_slides_init(&local->slides, b->words, &local->walk, shape, outside->near,
                outside->far, outside->is_direct ? &outside->blocks : NULL);
}

/* How the parallel digits of a loop are shared in a transfer. */
struct spread {
    bool any, all_shared; /* any digits; all of them by one group */
    bool contiguous; /* positions of a group are neighbours */
};

static struct spread spread_of(
        const struct mapper_walk *walk, const struct mapper_shape *shape, int loop)
{
    const struct mapper_transfer *t = walk->transfer;
    struct spread spread = {.any = false, .all_shared = true, .contiguous = true};
    bool outer_shared = false;

    for (int k = 0; k < shape->n_digits; k++) { /* outermost first */
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= t->child_row || digit->loop != loop)
            continue;
        bool shared = walk->shared >> digit->row & 1;
        spread.any = true;
        spread.all_shared &= shared;
        spread.contiguous &= shared || !outer_shared;
        outer_shared |= shared;
    }
    return spread;
}

/* What a transfer runs through between two steps of loops that stand alone in an index: of some
 * loops all, of others the steps of the nearest row. */
struct run {
    unsigned whole, near;
};

/* The steps of index "e" for a group, and for a tile alone, in a run. */
static void steps_of_run(const struct mapper_bounds *b, const struct local *local, int e,
        const struct run *run, const struct mapper_shape *shape, const struct outside *outside,
        struct mapper_steps *group, struct mapper_steps *alone)
{
    const struct mapper_walk *walk = &local->walk;
    const struct mapper_index *index = &walk->access->index[e];
    bool spreads = walk->steps[e].n_spread > 0;

    *group = *alone = (struct mapper_steps){.n_spread = 0};
    for (int i = 0; i < index->n_parts; i++) {
        int loop = index->loop[i];
        int64_t extent = b->problem->extent[loop];
        struct spread spread = spread_of(walk, shape, loop);
        if (run->whole >> loop & 1) {
            group->tile[i] = spread.all_shared ? extent : 1;
            alone->tile[i] = spread.any ? 1 : extent;
            continue;
        }
        group->tile[i] = alone->tile[i] = walk->steps[e].tile[i];
        if ((run->near >> loop & 1) && !spread.any) {
            int64_t steps = group->tile[i] * outside->near[loop];
            group->tile[i] = alone->tile[i] = steps < extent ? steps : extent;
        }
        for (int k = 0; k < shape->n_digits && spreads && spread.contiguous; k++) {
            const struct mapper_digit *digit = &shape->digit[k];
            if (digit->row >= walk->transfer->child_row || digit->loop != loop ||
                    !(walk->shared >> digit->row & 1))
                continue;
            group->spread_step[group->n_spread] =
                    index->coef[i] * shape->inside[digit->row + 1][loop];
            group->spread_count[group->n_spread++] = digit->count;
        }
    }
}

/* The words that cross at the least in a run: each word that is touched, since nothing was kept
 * before. Of the loops that are open the largest tiles are in the shape. As many runs bring no
 * fewer words with smaller ones: a tile's values grow with it, but each step adds no more than the
 * one before, so values over size only fall; the number of runs is one over the sizes. The same
 * holds where the last tile is short. */
static void find_run(struct mapper_bounds *b, struct local *local, const struct run *run,
        const struct mapper_shape *shape, const struct outside *outside)
{
    const struct mapper_problem *p = b->problem;
    const struct mapper_walk *walk = &local->walk;
    double share = 1;

    local->run_group = local->run_tile = 1;
    for (int e = 0; e < walk->access->n_indices; e++) {
        struct mapper_steps group, alone;
        if (walk->access->index[e].closed == 1) {
            local->run_group *= (double)walk->group_values[e];
            local->run_tile *= (double)walk->tile_values[e];
            continue;
        }
        steps_of_run(b, local, e, run, shape, outside, &group, &alone);
        local->run_group *=
                (double)sator_mapper_words_union(b->words, walk->transfer->access, e, &group);
        local->run_tile *=
                (double)sator_mapper_words_union(b->words, walk->transfer->access, e, &alone);
    }
    for (int i = 0; i < p->n_loops && p->imperfect; i++) { /* the last tile is short */
        double tile = (double)shape->inside[walk->transfer->child_row][i];
        double covered = p->chains ? (double)outside->tiles[i] * tile
                                   : (double)(p->extent[i] + outside->cut[i]);
        if ((walk->access->relevant >> i & 1) && !(run->whole >> i & 1))
            share *= (double)p->extent[i] / covered;
    }
    local->run_group *= share;
    local->run_tile *= share;
    local->run_loops = run->whole | run->near << p->n_loops;
}

/* The least that crosses when loops of a sliding index are open: each run by itself. */
static void bound_runs(struct mapper_bounds *b, struct local *local, const struct order_keep *keep,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    int n_loops = b->problem->n_loops;
    unsigned loops = (1U << n_loops) - 1;
    struct run run = {.whole = keep->halo >> n_loops & loops}; /* nothing is near */
    double runs = outside->stamps;

    for (unsigned left = run.whole; left != 0; left &= left - 1)
        runs *= outside->inverse[n_loops + __builtin_ctz(left)];
    for (int i = 0; i < n_loops; i++) /* with a smaller tile it may be in a run */
        run.whole |= outside->far[i] == 1 ? b->open & 1U << i : 0;
    run.whole &= walk->access->relevant & ~walk->access->plain;
    if (local->run_loops != run.whole)
        find_run(b, local, &run, shape, outside);
    range->unique_lb = (double)walk->groups * runs * local->run_group;
    range->arriving_lb = (double)walk->tiles * runs * local->run_tile;
}

/* The product of what is left of a side's steps when all is kept along the loops "bits". */
static double steps_left(const struct ragged_steps *steps, unsigned bits)
{
    double left = steps->all;

    for (; bits != 0; bits &= bits - 1)
        left *= steps->inverse[__builtin_ctz(bits)];
    return left;
}

/* The least that crosses where tiles may be short and all is kept along the loops "bits": each word
 * once for each step of others that do not index the tensor; of a tensor that slides, once a run.
 */
static void kept_along(struct mapper_bounds *b, struct local *local, unsigned bits,
        const struct mapper_shape *shape, const struct outside *outside, double *group,
        double *tile)
{
    const struct mapper_walk *walk = &local->walk;
    int n = b->problem->n_loops;
    unsigned slides = walk->access->relevant & ~walk->access->plain;
    struct run run = {0};

    *group = walk->scale * local->group_words;
    *tile = walk->scale * local->tile_words;
    for (int i = 0; i < n; i++) {
        bool has_near = outside->inverse[i] < 1, has_far = outside->inverse[n + i] < 1;
        bool near = !has_near || bits >> i & 1, far = !has_far || bits >> (n + i) & 1;
        bool opens = b->open >> i & 1 && !has_far;
        if (!(slides >> i & 1))
            continue;
        run.whole |= near && far && (has_near || has_far || opens) ? 1U << i : 0;
        run.near |= near && !far && has_near ? 1U << i : 0;
    }
    if (slides != 0) {
        if (local->run_loops != (run.whole | run.near << n))
            find_run(b, local, &run, shape, outside);
        *group = local->run_group;
        *tile = local->run_tile;
        bits |= run.whole | run.whole << n;
    }
    *group *= steps_left(&local->group_steps, bits);
    *tile *= steps_left(&local->tile_steps, bits);
}

static void bound_ragged(struct mapper_bounds *b, struct local *local,
        const struct order_keep *keep, const struct mapper_shape *shape,
        const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    int n = b->problem->n_loops;
    unsigned loops = ((1U << n) - 1) & ~walk->access->plain, bits = keep->reuse;
    double group, tile, lone_group, lone_tile;

    if (walk->access->is_sliding)
        bits |= keep->halo & (loops | loops << n);
    kept_along(b, local, bits, shape, outside, &group, &tile);
    if (local->lone > 0) {
        kept_along(b, local, loops | loops << n, shape, outside, &lone_group, &lone_tile);
        group += local->lone * (fmin(lone_group, group) - group);
        tile += local->lone * (fmin(lone_tile, tile) - tile);
    }
    range->unique_lb = (double)walk->groups * group;
    range->arriving_lb = (double)walk->tiles * tile;
}

/* The least that crosses with a known tile: all of it in the first stamp of each run, then what is
 * new in a step. */
static void bound_steps(struct local *local, const struct order_keep *keep,
        const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double stamps = outside->stamps;

    for (unsigned reuse = keep->reuse; reuse != 0; reuse &= reuse - 1)
        stamps *= outside->inverse[__builtin_ctz(reuse)];
    double group = stamps * local->group_words, tile = stamps * local->tile_words;
    if (keep->slide >= 0) {
        struct mapper_slide_order order = {keep->slide, keep->halo, stamps, outside->stamps};
        sator_mapper_slides_least(&local->slides, &order, &group, &tile);
    } else if (keep->slide == ORDER_ANY_SLIDE) { /* the first stamp brings all */
        group = local->group_words;
        tile = local->tile_words;
    }
    for (int i = 0; i < local->n_idle; i++) {
        const struct idle *idle = &local->idle[i];
        bool kept = keep->reuse & idle->bits;
        group *= kept ? idle->kept[0] : idle->fetched[0];
        tile *= kept ? idle->kept[1] : idle->fetched[1];
    }
    range->unique_lb = (double)walk->groups * walk->scale * group;
    range->arriving_lb = (double)walk->tiles * walk->tile_scale * tile;
}

/* The most that crosses when tiles may be smaller: along loops that do not index the tensor each of
 * the smaller tiles brings as many words, along others all of them together do. */
static void shrink_tiles(
        const struct mapper_bounds *b, const struct mapper_walk *walk, struct mapper_range *range)
{
    const struct mapper_access *access = walk->access;
    double times = 1;

    for (int i = 0; i < b->problem->n_loops; i++)
        times *= access->relevant >> i & 1 ? 1 : (double)b->shrink[i];
    range->unique_ub *= times;
    range->arriving_ub *= times;
    if (b->problem->imperfect || access->is_sliding)
        range->unique_ub = range->arriving_ub = (double)access->volume;
}

static void range_of(struct mapper_bounds *b, struct local *local, const struct order_keep *keep,
        const struct mapper_shape *shape, const struct outside *outside, struct mapper_range *range)
{
    const struct mapper_walk *walk = &local->walk;
    double groups = (double)walk->groups, tiles = (double)walk->tiles;

    if (b->problem->chains)
        bound_ragged(b, local, keep, shape, outside, range);
    else if (local->is_open)
        bound_runs(b, local, keep, shape, outside, range);
    else
        bound_steps(local, keep, outside, range);
    if (local->covers_only)
        range->unique_lb = range->arriving_lb = 0;
    range->ratio = 0;
    if (local->ratio_fixed)
        range->ratio = tiles * local->tile_words / (groups * local->group_words);
    if (walk->access->is_sliding) {
        range->unique_lb = fmax(range->unique_lb, groups * (double)walk->group_cover);
        range->arriving_lb = fmax(range->arriving_lb, tiles * (double)walk->tile_cover);
    }
    if (b->problem->chains && !walk->transfer->is_counted) {
        range->unique_lb = fmax(range->unique_lb, (double)walk->access->footprint);
        range->arriving_lb = fmax(range->arriving_lb, (double)walk->access->footprint);
        groups = tiles = 1; /* the stamps are those of all */
    }
    range->unique_ub = groups * outside->most_stamps * (double)walk->group_words;
    range->arriving_ub = tiles * outside->most_stamps * (double)walk->tile_words;
    if (b->problem->chains && b->open != 0 && walk->transfer->merges) {
        /* smaller tiles bring more, and leave other PEs of a tree idle */
        range->unique_ub = range->arriving_ub = (double)walk->access->volume;
        range->ratio = 0;
    }
    if (b->shrink != NULL)
        shrink_tiles(b, walk, range);
    if (walk->transfer->is_counted || walk->transfer->is_quotient)
        sator_mapper_range_counted(b->problem, (int)(walk->transfer - b->problem->transfer), range);
    if (walk->is_relaxed)
        range->unique_ub = range->arriving_ub;
    if (walk->transfer->is_outside && outside->stamps == 1 &&
            sator_mapper_is_loaded(b->problem, walk->transfer, 1))
        *range = (struct mapper_range){0};
}

/* What each unique word of the transfer lends to those that arrive further out. */
static double lent_by(const struct mapper_bounds *b, const struct mapper_transfer *t)
{
    if (!b->problem->lends || t->outward < 0 || b->problem->transfer[t->outward].child >= b->known)
        return 0;
    return b->crew->lent_pj[t->outward];
}

void sator_mapper_bounds_open(struct mapper_bounds *bounds, unsigned loops)
{
    bounds->open = loops;
}

void sator_mapper_bounds_shrink(struct mapper_bounds *bounds, const int64_t *most)
{
    bounds->shrink = most;
}

void sator_mapper_bounds_beside(struct mapper_bounds *bounds, const struct mapper_share *beside)
{
    bounds->beside = beside;
}

void sator_mapper_bounds_strides(struct mapper_bounds *bounds, bool strides)
{
    bounds->strides = strides;
}

void sator_mapper_bounds_crew(struct mapper_bounds *bounds, const struct mapper_crew *crew)
{
    bounds->crew = crew;
}

void sator_mapper_bounds_known(struct mapper_bounds *bounds, int m)
{
    bounds->known = m;
}

void sator_mapper_bounds_compute(struct mapper_bounds *bounds, double cycles)
{
    bounds->compute = cycles;
}

/* ---- classes of orders: energy against time ---- */

/* The cycles that the transfers take in order class "c", at least. */
static double class_cycles(
        const struct mapper_bounds *b, int child, const struct order_classes *classes, int c)
{
    int n_transfers = b->orders[child].count;
    double slowest = b->compute;

    for (int i = 0; i < b->n_sides[child]; i++) {
        const struct side *side = &b->side[child][i];
        double bits =
                b->beside != NULL ? b->beside->bits[side->port] : b->crew->fixed_bits[side->port];
        for (int k = 0; k < n_transfers; k++) {
            const struct mapper_range *r = &b->ranges.range[k][classes->keeps[c][k]];
            bits += side->unique[k] * r->unique_lb + side->arriving[k] * r->arriving_lb;
        }
        slowest = fmax(slowest, bits * b->crew->per_bit[side->port]);
    }
    return slowest;
}

/* Set the share's energy to the least of all classes, and the steps by which it rises for those
 * that are faster. */
static void find_steps(const struct mapper_bounds *b, int child,
        const struct order_classes *classes, struct mapper_share *share)
{
    const struct order_table *orders = &b->orders[child];
    double pj[ORDER_CLASSES], cycles[ORDER_CLASSES], limit = INFINITY;
    bool known = false; /* "cycles" */

    for (int c = 0; c < classes->count; c++) {
        pj[c] = 0;
        for (int k = 0; k < orders->count; k++)
            pj[c] += b->ranges.pj[k][classes->keeps[c][k]];
        pj[c] = isnan(pj[c]) ? 0 : pj[c]; /* of no account */
    }
    for (int n = 0; n <= MAPPER_STEPS; n++) {
        double least = INFINITY, fastest = INFINITY;
        for (int c = 0; c < classes->count; c++) {
            if (known && cycles[c] >= limit)
                continue;
            if (pj[c] > least)
                continue;
            if (!known && n == 0)
                cycles[c] = class_cycles(b, child, classes, c);
            fastest = pj[c] < least ? cycles[c] : fmin(fastest, cycles[c]);
            least = pj[c];
        }
        if (n == 0)
            share->pj = fmax(share->pj, least);
        else
            sator_mapper_share_step(share, limit, fmax(least - share->pj, 0));
        if (fastest <= b->compute || least == INFINITY)
            return;
        limit = fastest;
        for (int c = 0; c < classes->count && !known; c++)
            cycles[c] = class_cycles(b, child, classes, c);
        known = true;
    }
}

static void open_outside(const struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct outside *outside)
{
    const struct mapper_problem *p = b->problem;

    outside->near = near;
    outside->far = far;
    outside->stamps = outside->most_stamps = 1;
    outside->is_direct = p->imperfect && child == p->n_memories && !p->chains;
    if (p->chains) {
        find_tiles(b, child, shape, outside);
        return;
    }
    if (outside->is_direct)
        find_blocks(b, shape, outside);
    for (int i = 0; i < p->n_loops; i++) {
        double steps = outside->is_direct ? outside->blocks.near[i] : (double)near[i];
        double beyond = outside->is_direct ? outside->blocks.far[i] : (double)far[i];
        outside->stamps *= steps * beyond;
        outside->inverse[i] = steps == 1 ? 1 : 1 / steps;
        outside->inverse[p->n_loops + i] = beyond == 1 ? 1 : 1 / beyond;
    }
    if (!outside->is_direct)
        outside->most_stamps = outside->stamps;
    if (p->imperfect && !outside->is_direct)
        find_cuts(b, child, shape, outside);
}

void sator_mapper_bounds_share(struct mapper_bounds *b, int child, const struct mapper_shape *shape,
        const int64_t *near, const int64_t *far, struct mapper_share *share)
{
    const struct mapper_problem *p = b->problem;
    struct order_table *orders = &b->orders[child];
    struct local local;
    struct mapper_range least;
    struct ranges *ranges = &b->ranges;
    struct outside outside;
    unsigned near_loops = 0, far_loops = 0;

    *share = (struct mapper_share){0};
    if (orders->count == 0)
        return;
    open_outside(b, child, shape, near, far, &outside);
    for (int i = 0; i < p->n_loops; i++) {
        near_loops |= outside.inverse[i] < 1 ? 1U << i : 0;
        far_loops |= outside.inverse[p->n_loops + i] < 1 ? 1U << i : 0;
    }
    const struct order_classes *classes = sator_mapper_order_classes(orders, near_loops, far_loops);
    for (int k = 0; k < orders->count; k++) {
        const struct mapper_transfer *t = &p->transfer[orders->first + k];
        double lent = lent_by(b, t);
        open_local(b, orders->first + k, shape, &outside, &local);
        for (int i = 0; i < classes->n_keeps[k]; i++) {
            struct mapper_range *range = &ranges->range[k][i];
            range_of(b, &local, &classes->keep[k][i], shape, &outside, range);
            ranges->pj[k][i] = sator_mapper_range_pj(t->unique_pj - lent, t->arriving_pj, range);
            if (i == 0)
                least = *range;
            least.unique_lb = fmin(least.unique_lb, range->unique_lb);
            least.arriving_lb = fmin(least.arriving_lb, range->arriving_lb);
        }
        sator_mapper_share_transfer(p, orders->first + k, &least, lent, share);
    }
    find_steps(b, child, classes, share);
}
