/* The parts of Sunstone: reuse, the trie of orders, the tree of tiles. */
#include "mapper/strategies/sunstone.h"
#include "base/memo.h"

#include <string.h>

/* ---- reuse ---- */

struct sunstone_reuse sator_sunstone_reuse(const struct mapper_problem *problem, int access)
{
    const struct mapper_access *what = &problem->access[access];
    unsigned all = (1U << problem->n_loops) - 1;

    return (struct sunstone_reuse){.indexed_by = what->relevant,
            .reused_by = all & ~what->relevant,
            .partly_reused_by = what->relevant & ~what->plain};
}

/* ---- orders ---- */

enum {
    MOST_NODES = 1 << 12
};

struct trie {
    const struct mapper_problem *problem;
    int row; /* of the memory */
    unsigned loops, accesses;
    int n_nodes, n_orders, room;
    struct sunstone_order *orders;
};

/* Put "loop" outside the order; whether that reuses anything more. */
static bool extend(const struct trie *trie, struct sunstone_order *order, int loop)
{
    unsigned inside = 0;
    bool more = false;

    for (int k = 0; k < order->n_loops; k++)
        inside |= 1U << order->loop[k];
    for (int a = 0; a < trie->problem->n_accesses; a++) {
        struct sunstone_reuse reuse = sator_sunstone_reuse(trie->problem, a);
        if (!(trie->accesses >> a & 1) || (inside & reuse.indexed_by) != 0)
            continue;
        if (reuse.reused_by >> loop & 1)
            order->full[a] |= 1U << loop;
        else if (reuse.partly_reused_by >> loop & 1)
            order->partial[a] |= 1U << loop;
        else
            continue;
        more = true;
    }
    order->loop[order->n_loops++] = (int8_t)loop;
    return more;
}

/* Whether "a" reuses all that "b" does. */
static bool covers(
        const struct trie *trie, const struct sunstone_order *a, const struct sunstone_order *b)
{
    for (int i = 0; i < trie->problem->n_accesses; i++) {
        if ((b->full[i] & ~a->full[i]) != 0 || (b->partial[i] & ~a->partial[i]) != 0)
            return false;
    }
    return true;
}

/* The second rule: of two orders one of which reuses all that the other does, the other goes. */
static void add_order(struct trie *trie, const struct sunstone_order *order)
{
    for (int i = 0; i < trie->n_orders; i++) {
        if (covers(trie, &trie->orders[i], order))
            return;
    }
    for (int i = 0; i < trie->n_orders; i++) {
        if (covers(trie, order, &trie->orders[i]))
            trie->orders[i--] = trie->orders[--trie->n_orders];
    }
    trie->orders = sator_grow(trie->orders, trie->n_orders, &trie->room, sizeof *trie->orders);
    trie->orders[trie->n_orders++] = *order;
}

/* Whether each access is indexed by both loops in the same way, or by neither. */
static bool are_alike(const struct trie *trie, int i, int k)
{
    bool alike = true;

    for (int a = 0; a < trie->problem->n_accesses; a++) {
        struct sunstone_reuse reuse = sator_sunstone_reuse(trie->problem, a);
        alike &= !(trie->accesses >> a & 1) ||
                ((reuse.indexed_by >> i & 1) == (reuse.indexed_by >> k & 1) &&
                        (reuse.partly_reused_by >> i & 1) == (reuse.partly_reused_by >> k & 1));
    }
    return alike;
}

/* The loop of "next" that is like the one placed last, or -1: outside of it, all that it reuses is
 * still reused, and what it would end has ended. So an order that has it there reuses all that one
 * does which has it further out, or not at all, and loops that are alike stand together. (Without
 * this the trie of 13 loops takes half a minute.) */
static int like_last(const struct trie *trie, const struct sunstone_order *node, unsigned next)
{
    int like = -1;

    for (int i = trie->problem->n_loops - 1; i >= 0 && node->n_loops > 0; i--) {
        struct sunstone_order child = *node;
        if ((next >> i & 1) && are_alike(trie, i, node->loop[node->n_loops - 1]) &&
                extend(trie, &child, i))
            like = i;
    }
    return like;
}

/* The first rule: a child that reuses nothing more is cut, with all below it. A trie that has grown
 * too large (of eight tensors, say, each indexed by loops of its own) grows one child a node. */
static void grow_trie(struct trie *trie, const struct sunstone_order *node)
{
    bool is_leaf = true;
    unsigned inside = 0;

    for (int k = 0; k < node->n_loops; k++)
        inside |= 1U << node->loop[k];
    unsigned next = sator_mapper_innermost_of(trie->problem, trie->row, trie->loops & ~inside);
    int like = like_last(trie, node, next);
    trie->n_nodes++;
    for (int i = 0; i < trie->problem->n_loops && (is_leaf || trie->n_nodes < MOST_NODES); i++) {
        struct sunstone_order child = *node;
        if (!(next >> i & 1) || (like >= 0 && i != like) || !extend(trie, &child, i))
            continue;
        is_leaf = false;
        grow_trie(trie, &child);
    }
    if (is_leaf)
        add_order(trie, node);
}

int sator_sunstone_orders(const struct mapper_problem *problem, int m, unsigned loops,
        unsigned accesses, struct sunstone_order **orders)
{
    struct trie trie = {.problem = problem,
            .row = problem->memory[m].row,
            .loops = loops,
            .accesses = accesses};
    struct sunstone_order root = {.n_loops = 0};

    grow_trie(&trie, &root);
    *orders = trie.orders;
    return trie.n_orders;
}

/* ---- tiles ---- */

struct tree {
    struct mapper_search *search;
    int memory;
    const int64_t *start, *room;
    unsigned grow;
    sunstone_leaf *leaf;
    void *data;
    struct sator_memo *seen; /* tiles visited: a tile has several parents */
};

/* Whether memory "m" holds the tile that is "factor" times the start. */
static bool fits(const struct tree *tree, int m, const int64_t *factor)
{
    const struct mapper_problem *p = tree->search->problem;
    int64_t tile[MAPPER_LOOPS];

    for (int i = 0; i < p->n_loops; i++)
        tile[i] = tree->start[i] * factor[i];
    return sator_mapper_tile_fits(p, tree->search->words, m, tile);
}

static bool was_seen(struct tree *tree, const int64_t *tile)
{
    bool is_new;

    sator_memo_place(tree->seen, tile, (size_t)tree->search->problem->n_loops, &is_new);
    return !is_new;
}

/* The next larger factor of "room" than "factor"; 0: none. */
static int64_t next_factor(int64_t room, int64_t factor)
{
    int64_t next = factor + 1;

    for (; next <= room / next; next++) {
        if (room % next == 0)
            return next;
    }
    for (int64_t other = room / next; other > 0; other--) { /* else "room" over another */
        if (room % other == 0)
            return room / other;
    }
    return 0;
}

static void grow_tile(struct tree *tree, const int64_t *factor)
{
    const struct mapper_problem *p = tree->search->problem;
    int64_t child[MAPPER_LOOPS];
    bool grown = false;

    if (sator_mapper_should_stop(tree->search) || was_seen(tree, factor))
        return;
    tree->search->counters.tilings++;
    for (int i = 0; i < p->n_loops; i++) {
        int64_t next = tree->grow >> i & 1 ? next_factor(tree->room[i], factor[i]) : 0;
        if (next == 0)
            continue;
        memcpy(child, factor, sizeof child);
        child[i] = next;
        if (!fits(tree, tree->memory, child)) {
            tree->search->counters
                    .tilings++; /* a node of the tree too, though nothing grows from it */
            continue;
        }
        grown = true;
        grow_tile(tree, child);
    }
    if (!grown)
        tree->leaf(tree->data, factor);
}

/* Let "factor" grow by a step along "loop"; false, with nothing changed, where that does not fit,
 * or not the memories outside, with no loops of their own. */
static bool grow_along(struct tree *tree, int64_t *factor, int loop)
{
    int64_t before = factor[loop], next = next_factor(tree->room[loop], before);
    bool fit = next != 0;

    factor[loop] = next;
    for (int m = tree->memory; m >= 0 && fit; m--)
        fit = fits(tree, m, factor);
    factor[loop] = fit ? next : before;
    return fit;
}

/* Some leaf: along random loops while it fits. */
static void grow_somehow(struct tree *tree, const int64_t *least, uint64_t *state)
{
    int n = tree->search->problem->n_loops;
    int64_t factor[MAPPER_LOOPS];
    unsigned open = tree->grow;

    memcpy(factor, least, sizeof factor);
    while (open != 0) {
        int loop = (int)(sator_mapper_random(state) % (uint64_t)n);
        while (!(open >> loop & 1))
            loop = (loop + 1) % n;
        if (!grow_along(tree, factor, loop))
            open &= ~(1U << loop);
    }
    if (!was_seen(tree, factor))
        tree->leaf(tree->data, factor);
}

void sator_sunstone_tiles(struct mapper_search *search, int m, const int64_t *start,
        const int64_t *least, const int64_t *room, unsigned grow, int n_some, sunstone_leaf *leaf,
        void *data)
{
    struct tree tree = {.search = search,
            .memory = m,
            .start = start,
            .room = room,
            .grow = grow,
            .leaf = leaf,
            .data = data,
            .seen = sator_memo_new(1)};
    int64_t factor[MAPPER_LOOPS];
    uint64_t state = 1;

    memcpy(factor, mapper_ones, sizeof factor);
    memcpy(factor, least, sizeof *least * (size_t)search->problem->n_loops);
    bool begins = fits(&tree, m, factor);
    if (begins && n_some == 0)
        grow_tile(&tree, factor);
    for (int k = 0; begins && k < n_some; k++)
        grow_somehow(&tree, factor, &state);
    sator_memo_free(tree.seen);
}
