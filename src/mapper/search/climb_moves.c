/* The changes that a climb tries.
 *
 * A prime factor of a loop moves from one row to another; two do, in opposite directions; a memory
 * that one leaves or enters takes an order that suits some tensors; a row gives all its loops to a
 * memory and takes others: an array as many as it has PEs, a memory as many as fit. The last is
 * what leads from a tile that keeps one tensor to one that keeps another, for all that lies between
 * them costs more than either.
 *
 * Where drawn changes lead no further, all exchanges of two loops between two rows are tried in
 * turn: the one that helps may be drawn once in ten thousand times.
 *
 * Where factors need not divide, what moves is divided rounding up, and the factors are made a
 * chain of ceilings again.
 */
#include "mapper/search/climb.h"

#include "base/checked.h"
#include "mapper/problem/invariants.h"

#include <assert.h>
#include <string.h>

enum {
    WHOLE = 4, /* of so many moves one is of all that a loop has in a row */
    TAKES = 10, /* factors that an array is offered */
    PERCENT = 100,
    ARRAY_REFILLS = 80, /* of a hundred changes of an array those that give it other loops, ... */
    MEMORY_REFILLS = 45, /* ... of a memory, ... */
    ORDERS = 50, /* ... and of changes that move factors those that also order a memory */
    KINDS = 8,
    REORDERS = 3,
    SWAPS = 6,
    SET = 25 /* of a hundred changes where factors need not divide those that set one */
};

static int draw(struct climb *c, int n)
{
    assert(n > 0);
    return (int)((sator_mapper_random(&c->state) >> 32) * (uint64_t)n >> 32);
}

void sator_mapper_climb_know(struct climb *c)
{
    for (int i = 0; i < c->problem->n_loops; i++) {
        int64_t rest = c->problem->extent[i];
        c->n_primes[i] = 0;
        for (int64_t d = 2; d <= 1000 && d <= rest; d++) {
            if (rest % d == 0)
                c->prime[i][c->n_primes[i]++] = d;
            while (rest % d == 0)
                rest /= d;
        }
        if (rest > 1)
            c->prime[i][c->n_primes[i]++] = rest;
        assert(c->n_primes[i] < CLIMB_PRIMES);
    }
}

/* ---- factors ---- */

/* A random prime factor of what "loop" has in row "row"; where factors need not divide, a prime of
 * the extent or a few more. */
static int64_t draw_prime(struct climb *c, int row, int loop)
{
    int64_t factor = c->factor[row][loop], prime[CLIMB_PRIMES];
    int count = 0;

    assert(factor > 1);
    if (c->problem->imperfect && draw(c, 2) == 0)
        return factor < 3 ? 2 : 2 + draw(c, 2);
    for (int k = 0; k < c->n_primes[loop]; k++) {
        if (c->problem->imperfect ? c->prime[loop][k] <= factor : factor % c->prime[loop][k] == 0)
            prime[count++] = c->prime[loop][k];
    }
    return count == 0 ? factor : prime[draw(c, count)];
}

/* The same, or now and then all that it has. */
static int64_t draw_factor(struct climb *c, int row, int loop)
{
    return draw(c, WHOLE) == 0 ? c->factor[row][loop] : draw_prime(c, row, loop);
}

/* The loops of row "row" with a factor above 1. */
static unsigned loops_at(const struct climb *c, int row)
{
    unsigned loops = 0;

    for (int i = 0; i < c->problem->n_loops; i++)
        loops |= (unsigned)(c->factor[row][i] > 1) << i;
    return loops;
}

/* A random one of "loops", or -1 where there is none. */
static int draw_of(struct climb *c, unsigned loops)
{
    int n = 0;

    if (loops == 0)
        return -1;
    for (unsigned left = loops; left != 0; left &= left - 1)
        n++; /* few: the compiler's function takes longer */
    for (int k = draw(c, n); k > 0; k--)
        loops &= loops - 1;
    return __builtin_ctz(loops);
}

static void move(struct climb *c, int from, int to, int loop, int64_t factor)
{
    int64_t *left = &c->factor[from][loop];

    assert(c->problem->imperfect || *left % factor == 0);
    *left = sator_mapper_blocks(*left, factor);
    c->factor[to][loop] *= factor;
}

/* Move a factor of some loop from row "from" to row "to"; false where there is none. */
static bool move_factor(struct climb *c, int from, int to)
{
    int loop = draw_of(c, loops_at(c, from));

    if (loop < 0)
        return false;
    move(c, from, to, loop, draw_factor(c, from, loop));
    return true;
}

/* Make the factors of all loops chains of ceilings, from inside outward, or where only the tiles of
 * the innermost memory may leave a remainder, divisors of what is left outside of it; the outermost
 * memory takes the rest. */
static void mend_chains(struct climb *c)
{
    const struct mapper_problem *p = c->problem;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t tiles = p->extent[i];
        for (int r = p->n_rows - 1; r > 0; r--) {
            int64_t *factor = &c->factor[r][i];
            *factor = *factor < tiles ? *factor : tiles;
            *factor = p->chains || r >= p->innermost
                    ? sator_mapper_blocks(tiles, sator_mapper_blocks(tiles, *factor))
                    : sator_gcd(tiles, *factor);
            tiles = sator_mapper_blocks(tiles, *factor);
        }
        c->factor[0][i] = tiles;
    }
}

/* Give a loop any number of tiles in a row. */
static bool set_factor(struct climb *c)
{
    const struct mapper_problem *p = c->problem;
    int row = draw(c, p->n_rows), loop = draw(c, p->n_loops);
    int64_t tiles = p->extent[loop];

    for (int r = p->n_rows - 1; r > row; r--)
        tiles = sator_mapper_blocks(tiles, c->factor[r][loop]);
    int64_t most = p->row[row].is_space && p->row[row].shape < tiles ? p->row[row].shape : tiles;
    if (row == 0 || most == 1)
        return false;
    c->factor[row][loop] = 1 + (int64_t)(sator_mapper_random(&c->state) % (uint64_t)most);
    return true;
}

/* ---- orders ---- */

/* Move a loop of a memory to another place in its order. */
static bool move_loop(struct climb *c)
{
    int n = c->problem->n_loops, m = draw(c, c->problem->n_memories), from = 0;
    int loop = draw_of(c, loops_at(c, c->problem->memory[m].row));
    int to = draw(c, 2) == 0 ? n - 1 : draw(c, n);
    int8_t *order = c->order[m];

    if (loop < 0 || order[to] == loop)
        return false;
    while (order[from] != loop)
        from++;
    memmove(order + from, order + from + 1, (size_t)(n - 1 - from));
    memmove(order + to + 1, order + to, (size_t)(n - 1 - to));
    order[to] = (int8_t)loop;
    assert(mapper_is_permutation(order, n));
    return true;
}

/* Give memory "m" the order that keeps tensors of a random sequence: innermost the loops that do
 * not index the first, among these those that do not index the second; if "slides", then those
 * along which they slide. */
static void draw_order(struct climb *c, int m)
{
    const struct mapper_problem *p = c->problem;
    int8_t *order = c->order[m];
    int accesses[MAPPER_ACCESSES] = {0}, rank[MAPPER_LOOPS] = {0};
    bool slides = draw(c, 2) == 0;

    for (int a = 0; a < p->n_accesses; a++) {
        int other = draw(c, a + 1);
        accesses[a] = accesses[other];
        accesses[other] = a;
    }
    for (int a = 0; a < p->n_accesses; a++) {
        const struct mapper_access *access = &p->access[accesses[a]];
        for (int i = 0; i < p->n_loops; i++) {
            bool part = slides && !(access->plain >> i & 1);
            rank[i] = 3 * rank[i] + (!(access->relevant >> i & 1) ? 2 : part);
        }
    }
    for (int k = 1; k < p->n_loops; k++) {
        int8_t loop = order[k];
        int at = k;
        for (; at > 0 && rank[order[at - 1]] > rank[loop]; at--)
            order[at] = order[at - 1];
        order[at] = loop;
    }
    assert(mapper_is_permutation(order, p->n_loops));
}

/* Let "next" be a copy of "from", for it to be changed: the rows that there are. */
static void copy(struct climb *c, const struct climb_place *from)
{
    const struct mapper_mapping *old = &from->counted.mapping;
    struct mapper_mapping *new = &c->next->counted.mapping;
    size_t n_rows = (size_t)c->problem->n_rows, n_memories = (size_t)c->problem->n_memories;

    memcpy(new->factor, old->factor, sizeof *new->factor *n_rows);
    memcpy(new->order, old->order, sizeof *new->order *n_memories);
    memcpy(new->along, old->along, sizeof *new->along *n_rows);
    c->factor = c->next->counted.mapping.factor;
    c->order = c->next->counted.mapping.order;
}

int sator_mapper_climb_order(struct climb *c, const struct climb_place *from)
{
    const struct mapper_shape *shape = &from->counted.shape;
    struct mapper_shape *same = &c->next->counted.shape;
    int m = draw(c, c->problem->n_memories);

    copy(c, from);
    draw_order(c, m);
    sator_mapper_arrange(c->problem, &c->next->counted.mapping);
    memcpy(same->inside, shape->inside, sizeof *shape->inside * (size_t)(c->problem->n_rows + 1));
    memcpy(same->digit, shape->digit, sizeof *shape->digit * (size_t)shape->n_digits);
    same->n_digits = shape->n_digits;
    same->in_any_order = shape->in_any_order;
    return m;
}

/* ---- what fits ---- */

/* Whether the tiles of the memories from "inner" outward to "outer" fit. */
static bool tiles_fit(struct climb *c, int outer, int inner)
{
    const struct mapper_problem *p = c->problem;
    int64_t tile[MAPPER_LOOPS];

    for (int i = 0; i < p->n_loops; i++)
        tile[i] = 1;
    for (int r = p->n_rows - 1; r >= p->memory[outer].row; r--) {
        for (int i = 0; i < p->n_loops; i++) {
            tile[i] *= c->factor[r][i];
            tile[i] = tile[i] < p->extent[i] ? tile[i] : p->extent[i];
        }
        int m = p->row[r].is_space ? p->n_memories : p->row[r].memory;
        if (m <= inner && !sator_mapper_tile_fits(p, c->search->words, m, tile))
            return false;
    }
    return true;
}

/* Whether "next", which fits the arrays, is legal, "here" being so: what that has of tiles fits. */
static bool is_legal(struct climb *c)
{
    const struct mapper_problem *p = c->problem;
    const struct mapper_mapping *mapping = &c->next->counted.mapping;
    bool is_legal = true;

    for (int m = 0; m < p->n_memories && is_legal; m++) {
        const int64_t *tile = c->next->counted.shape.inside[p->memory[m].row];
        const int64_t *before = c->here->counted.shape.inside[p->memory[m].row];
        is_legal = memcmp(tile, before, sizeof *tile * (size_t)p->n_loops) == 0 ||
                sator_mapper_tile_fits(p, c->search->words, m, tile);
    }
    is_legal = is_legal && (!p->imperfect || sator_mapper_is_in_space(p, mapping)) &&
            sator_mapper_is_allowed(p, mapping);
    assert(is_legal == sator_mapper_is_legal(p, c->search->words, mapping));
    return is_legal;
}

/* ---- rows filled anew ---- */

static void empty_row(struct climb *c, int row, int to)
{
    for (int i = 0; i < c->problem->n_loops; i++) {
        c->factor[to][i] *= c->factor[row][i];
        c->factor[row][i] = 1;
    }
}

/* Let array dimension "row" give its loops to row "to" and take others, from there or anywhere: a
 * prime of a loop, or as many as fit; where factors need not divide, as much as fits. */
static bool refill_array(struct climb *c, int row, int to)
{
    const struct mapper_problem *p = c->problem;
    int64_t used = 1;
    bool anywhere = draw(c, 3) == 0;

    if (row == to)
        return false;
    empty_row(c, row, to);
    for (int k = 0; k < TAKES; k++) {
        int from = anywhere ? draw(c, p->n_rows) : to;
        int loop = from == row ? -1 : draw_of(c, loops_at(c, from));
        if (loop < 0 || (p->row[row].banned >> loop & 1))
            continue;
        bool whole = draw(c, 2) == 0;
        do {
            int64_t room = p->row[row].shape / used, has = c->factor[from][loop];
            int64_t factor = !(whole && p->imperfect) ? draw_prime(c, from, loop)
                    : has < room                      ? has
                                                      : room;
            if (factor > room || factor == 1)
                break;
            used *= factor;
            move(c, from, row, loop, factor);
        } while (whole && c->factor[from][loop] > 1);
    }
    return true;
}

/* Let memory "m" give its loops to one further out, and grow its tile along others that this one
 * has then, in random steps, as long as tiles fit and constraints allow. */
static bool refill_memory(struct climb *c, int m)
{
    const struct mapper_problem *p = c->problem;
    int outer = m == 0 ? 0 : draw(c, m), row = p->memory[m].row, to = p->memory[outer].row;

    if (m == 0)
        return false;
    empty_row(c, row, to);
    for (unsigned open = loops_at(c, to); open != 0;) {
        int loop = draw_of(c, open);
        int64_t outside = c->factor[to][loop], inside = c->factor[row][loop];
        move(c, to, row, loop, draw_factor(c, to, loop));
        bool fits = tiles_fit(c, outer + 1, m) &&
                sator_mapper_may_have(p, row, loop, c->factor[row][loop]);
        if (!fits) {
            c->factor[to][loop] = outside;
            c->factor[row][loop] = inside;
        }
        if (!fits || c->factor[to][loop] == 1)
            open &= ~(1U << loop);
    }
    draw_order(c, outer);
    return true;
}

static bool change(struct climb *c, bool *refilled)
{
    const struct mapper_problem *p = c->problem;
    int from = draw(c, p->n_rows), to = draw(c, p->n_rows), kind = draw(c, KINDS);
    bool is_space = p->row[from].is_space;

    if (draw(c, PERCENT) < (is_space ? ARRAY_REFILLS : MEMORY_REFILLS)) {
        *refilled = true;
        return is_space ? refill_array(c, from, to) : refill_memory(c, p->row[from].memory);
    }
    if (kind < REORDERS)
        return move_loop(c);
    if (p->imperfect && draw(c, PERCENT) < SET)
        return set_factor(c);
    if (from == to || !move_factor(c, from, to))
        return false;
    if (kind >= SWAPS && !move_factor(c, to, from))
        return false;
    if (draw(c, PERCENT) < ORDERS)
        draw_order(c, draw(c, p->n_memories));
    return true;
}

/* Finish "next" after its factors changed; false where it is no change of "here", or not legal. */
static bool finish(struct climb *c)
{
    struct mapper_counted *next = &c->next->counted;

    if (c->problem->imperfect)
        mend_chains(c);
    sator_mapper_arrange(c->problem, &next->mapping);
    assert(mapper_is_complete(c->problem, &next->mapping));
    c->rows = mapper_fits_arrays(c->problem, &next->mapping)
            ? sator_mapper_differing_rows(c->problem, &c->here->counted.mapping, &next->mapping)
            : 0;
    if (c->rows == 0)
        return false;
    sator_mapper_shape_init(c->problem, &next->mapping, &next->shape);
    return is_legal(c);
}

bool sator_mapper_climb_change(struct climb *c, bool *refilled)
{
    *refilled = false;
    copy(c, c->here);
    if (!change(c, refilled) || (draw(c, 4) == 0 && !change(c, refilled)))
        return false;
    return finish(c);
}

/* ---- exchanges, one after the other ---- */

/* Set "choice" to the factors of "loop" that may leave row "row": primes and all; where factors
 * need not divide, a few more. Returns their number. */
static int list_factors(const struct climb *c, int row, int loop, int64_t *choice)
{
    int64_t factor = c->here->counted.mapping.factor[row][loop];
    int n = 0;

    for (int64_t small = 2; c->problem->imperfect && small <= 3 && small < factor; small++)
        choice[n++] = small;
    for (int k = 0; k < c->n_primes[loop]; k++) {
        int64_t prime = c->prime[loop][k];
        bool leaves = c->problem->imperfect ? prime > 3 : factor % prime == 0;
        if (leaves && prime < factor)
            choice[n++] = prime;
    }
    if (factor > 1)
        choice[n++] = factor;
    return n;
}

/* Try what loop "a" has in row "x" against what "b" has in row "y". */
static bool exchange(struct climb *c, int x, int a, int y, int b, bool (*take)(struct climb *c))
{
    int64_t of_a[CLIMB_PRIMES + 3], of_b[CLIMB_PRIMES + 3];
    int n_a = list_factors(c, x, a, of_a), n_b = n_a == 0 ? 0 : list_factors(c, y, b, of_b);

    for (int i = 0; i < n_a; i++) {
        for (int k = 0; k < n_b; k++) {
            copy(c, c->here);
            move(c, x, y, a, of_a[i]);
            move(c, y, x, b, of_b[k]);
            if (finish(c) && take(c))
                return true;
        }
    }
    return false;
}

/* All exchanges between rows "x" and "y". */
static bool exchange_rows(struct climb *c, int x, int y, bool (*take)(struct climb *c))
{
    const int n_loops = c->problem->n_loops;

    for (int a = 0; a < n_loops; a++) {
        for (int b = 0; b < n_loops; b++) {
            if (sator_mapper_should_stop(c->search))
                return false;
            if (a != b && exchange(c, x, a, y, b, take))
                return true;
        }
    }
    return false;
}

bool sator_mapper_climb_exchange(struct climb *c, bool (*take)(struct climb *c))
{
    for (int x = c->problem->n_rows - 1; x > 0; x--) {
        for (int y = x - 1; y >= 0; y--) {
            if (exchange_rows(c, x, y, take))
                return true;
        }
    }
    return false;
}
