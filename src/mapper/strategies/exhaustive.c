/* Every mapping: the oracle of the other strategies.
 *
 * Parallel factors first, then the factors of the memories from the innermost outward, then their
 * loop orders, innermost loop first. So what is known stays known: a tile that does not fit ends
 * the factors that are larger still, a transfer is prepared once for all that is chosen further
 * out, and orders that begin alike share what their common loops keep.
 *
 * Every legal mapping is either costed by itself or, when it differs from one that was only in the
 * order of loops that nothing is kept along any more, counted as its equal.
 */
#include "mapper/strategies/exhaustive.h"

#include "mapper/problem/skew.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- tiles ---- */

static void refresh_shape(struct enumeration *e, int row, int loop)
{
    int64_t extent = e->problem->extent[loop];

    for (int r = row; r > 0; r--) {
        int64_t inside = e->shape.inside[r + 1][loop] * e->mapping.factor[r][loop];
        e->shape.inside[r][loop] = inside < extent ? inside : extent;
    }
}

/* The tile of a sliding transfer is known, and what it keeps where it does not move. */
static void prepare_glide(const struct mapper_walk *walk, struct glide *g)
{
    int k = 0;

    g->groups = walk->groups;
    g->group_words = walk->group_words;
    g->tiles = walk->tiles;
    g->tile_words = walk->tile_words;
    g->group = g->tile = 1;
    for (int i = 0; i < walk->access->n_indices; i++) {
        int64_t group = walk->group_values[i], tile = walk->tile_values[i];
        if (walk->access->index[i].closed == 1) {
            g->group *= group;
            g->tile *= tile;
            continue;
        }
        for (int j = 1; j < KEPT; j++)
            g->kept[k][j].moved = 0; /* at no other place than its own */
        g->kept[k++][0] = (struct kept){0, group, tile};
    }
}

static void prepare(struct enumeration *e, unsigned transfers)
{
    for (; transfers != 0; transfers &= transfers - 1) {
        int t = __builtin_ctz(transfers);
        sator_mapper_walk_open(
                e->problem, e->search->words, &e->shape, t, MAPPER_AS_IT_IS, &e->walk[t]);
        const struct mapper_walk *walk = &e->walk[t];
        int64_t outside = 1;
        for (int i = 0; i < e->problem->n_loops; i++)
            outside *= e->rest[i];
        if (sator_mapper_is_loaded(e->problem, walk->transfer, outside))
            e->walk[t].groups = e->walk[t].tiles = 0;
        if (e->sliding >> t & 1)
            prepare_glide(walk, &e->glide[t]);
        e->all_groups[t] = e->walk[t].groups * e->walk[t].group_words;
        e->all_tiles[t] = e->walk[t].tiles * e->walk[t].tile_words;
    }
}

static void tiles_of(struct enumeration *e, int m);

/* The factors of memory "m" are chosen. */
static void go_outward(struct enumeration *e, int m)
{
    e->search->counters.tilings++;
    if (!e->ragged)
        prepare(e, e->ready[m]);
    if (m > 0)
        tiles_of(e, m - 1);
    else
        exhaustive_try_orders(e);
}

/* The factors of the innermost memory are chosen: what follows is one thread's. */
static void go_on(struct enumeration *e, int m)
{
    const struct mapper_problem *p = e->problem;
    uint64_t improvements = e->search->counters.improvements;

    e->number++;
    if (e->number % (uint64_t)e->n_members != (uint64_t)e->member)
        return;
    e->ragged = p->has_counted || e->passes || p->skew != NULL; /* each mapping by itself */
    e->ragged |= p->imperfect; /* tiles further out may be short */
    go_outward(e, m);
    if (e->search->counters.improvements != improvements)
        e->best_number = e->number;
}

/* Divide "tiles" among the array dimensions next outside row "row" (of the memory inside them);
 * false where fewer PEs would do. */
static bool spread_tiles(const struct enumeration *e, int row, int loop, int64_t *tiles)
{
    for (int r = row - 1; r >= 0 && e->problem->row[r].is_space; r--) {
        int64_t factor = e->mapping.factor[r][loop];
        if (!sator_mapper_is_ceiling(*tiles, factor))
            return false;
        *tiles = sator_mapper_blocks(*tiles, factor);
    }
    return true;
}

/* The same of a loop whose factors need not divide: they are a chain of ceilings, those of the
 * array dimensions with it. */
static int64_t left_of_chain(const struct enumeration *e, int m, int loop, int64_t factor)
{
    const struct mapper_problem *p = e->problem;
    const struct mapper_unrolled *unrolled = &e->unrolled[loop];
    bool is_inner = m == p->n_memories - 1, is_any = unrolled->form == MAPPER_ANY;
    int row = p->memory[m].row;
    int64_t tiles = p->extent[loop];

    if (is_inner &&
            (!spread_tiles(e, p->n_rows, loop, &tiles) ||
                    sator_mapper_left(p, loop, unrolled, factor) == 0))
        return 0;
    tiles = sator_mapper_blocks(p->extent[loop], e->shape.inside[row + 1][loop]);
    if (unrolled->form == MAPPER_SHORT && factor != (m == unrolled->memory ? tiles : 1))
        return 0;
    if (is_any ? !sator_mapper_is_ceiling(tiles, factor) && p->row[row].fixed[loop] != factor
               : !is_inner && e->rest[loop] % factor != 0)
        return 0;
    int64_t left = tiles = sator_mapper_blocks(tiles, factor);
    for (int r = row - 1; r >= 0; r--) /* further memories take none of it yet */
        left = sator_mapper_blocks(left, p->row[r].is_space ? e->mapping.factor[r][loop] : 1);
    return spread_tiles(e, row, loop, &tiles) ? left : 0;
}

/* What is left outside memory "m" of a loop that has "factor" there; 0: it cannot have. */
static int64_t left_outside(const struct enumeration *e, int m, int loop, int64_t factor)
{
    const struct mapper_problem *p = e->problem;
    int64_t whole = e->rest[loop];

    if (!sator_mapper_may_have(p, p->memory[m].row, loop, factor))
        return 0;
    if (p->imperfect) {
        whole = left_of_chain(e, m, loop, factor);
        return m > 0 || whole == 1 ? whole : 0;
    }
    return whole % factor == 0 ? whole / factor : 0;
}

static void count_too_large(struct enumeration *e, int m)
{
    bool by_all = m == e->problem->n_memories - 1; /* members */

    e->search->counters.pruned_capacity += !by_all || e->member == 0;
}

/* Factors of memory "m" for loop "loop" and on; "size": the words of its tile so far. */
static void tiles_from(struct enumeration *e, int m, int loop, const int64_t *size)
{
    const struct mapper_problem *p = e->problem;
    bool any = p->imperfect;
    int row = p->memory[m].row;

    if (sator_mapper_should_stop(e->search))
        return;
    if (loop == p->n_loops) {
        if (m == p->n_memories - 1)
            go_on(e, m);
        else
            go_outward(e, m);
        return;
    }
    int64_t rest = e->rest[loop], grown[MAPPER_ACCESSES];
    bool is_inner = any && m == p->n_memories - 1;
    const int64_t *list = is_inner ? e->tiles[loop] : e->factors[loop];
    int count = is_inner ? e->n_tiles[loop] : e->n_factors[loop];
    if (any && !is_inner && p->row[row].fixed[loop] != 0) { /* it may be more than there is */
        list = &p->row[row].fixed[loop];
        count = 1;
    }
    for (int k = 0; k < count && (any || list[k] <= rest); k++) {
        int64_t left = left_outside(e, m, loop, list[k]);
        if (left == 0)
            continue;
        e->mapping.factor[row][loop] = list[k];
        refresh_shape(e, row, loop);
        memcpy(grown, size, sizeof grown);
        for (int a = 0; a < p->n_accesses && list[k] > 1; a++) {
            if ((p->memory[m].holds >> a & 1) && (p->access[a].relevant >> loop & 1))
                grown[a] = sator_mapper_tile_words(e->search->words, a, e->shape.inside[row]);
        }
        if (list[k] > 1 && !sator_mapper_fits(p, m, grown)) {
            count_too_large(e, m);
            if (p->has_counted)
                continue;
            break; /* factors ascend, and larger tiles need no less */
        }
        e->rest[loop] = left;
        tiles_from(e, m, loop + 1, grown);
        e->rest[loop] = rest;
    }
    e->mapping.factor[row][loop] = 1;
    refresh_shape(e, row, loop);
}

/* The outermost memory takes all that is left; its tile is the whole problem. */
static void tile_outermost(struct enumeration *e)
{
    const struct mapper_problem *p = e->problem;
    const struct mapper_row *row = &p->row[p->memory[0].row];
    int64_t *factor = e->mapping.factor[p->memory[0].row];

    for (int i = 0; i < p->n_loops; i++) {
        bool may_exceed = p->imperfect && e->unrolled[i].form == MAPPER_ANY;
        if (row->fixed[i] != 0 &&
                (may_exceed ? row->fixed[i] < e->rest[i] : row->fixed[i] != e->rest[i]))
            return;
        factor[i] = row->fixed[i] != 0 ? row->fixed[i] : e->rest[i];
        if (!sator_mapper_may_have(p, p->memory[0].row, i, factor[i]))
            return;
    }
    if (sator_mapper_has_gaps(p, &e->mapping) ||
            (sator_mapper_ends_short(p) && !sator_mapper_runs_apart(p, &e->mapping)))
        return;
    if (p->n_memories == 1)
        go_on(e, 0);
    else
        go_outward(e, 0);
}

static void tiles_of(struct enumeration *e, int m)
{
    const struct mapper_problem *p = e->problem;
    int64_t size[MAPPER_ACCESSES];

    if (m == 0 && !(p->imperfect && p->n_memories == 1)) {
        tile_outermost(e);
        return;
    }
    sator_mapper_tile_sizes(p, e->search->words, m, e->shape.inside[p->memory[m].row], size);
    if (sator_mapper_fits(p, m, size))
        tiles_from(e, m, 0, size);
    else
        count_too_large(e, m);
}

/* ---- parallel factors ---- */

static void try_unrolling(struct enumeration *e)
{
    const struct mapper_problem *p = e->problem;
    double positions = 1;

    for (int r = 0; r < p->n_rows; r++)
        positions *= p->row[r].is_space ? (double)e->used[r] : 1;
    if (positions < p->least_pes || !sator_mapper_may_spread(p, &e->mapping, ~0U))
        return;
    e->search->counters.unrollings += e->member == 0; /* which all members go through */
    e->traffic.time_stamps = 1;
    for (int i = 0; i < p->n_loops; i++) {
        sator_mapper_unrolled(p, &e->mapping, i, &e->unrolled[i]);
        e->rest[i] = sator_mapper_blocks(p->extent[i], e->parallel[i]);
        e->traffic.time_stamps *= e->rest[i]; /* of whole tiles; those with short ones differ */
    }
    sator_mapper_shape_init(p, &e->mapping, &e->shape);
    memcpy(e->shape.inside[0], p->extent, sizeof p->extent); /* the outermost covers all */
    e->passes = sator_mapper_passed(p, &e->mapping) != 0;
    e->traffic.is_uneven = e->knows_crew = false;
    if (!e->passes)
        prepare(e, e->ready[p->n_memories]);
    tiles_of(e, p->n_memories - 1);
}

/* The loops on the rows from "row" on in all orders, those of the first "at" places are chosen. */
static void order_rows(struct enumeration *e, int row, int at)
{
    const struct mapper_problem *p = e->problem;
    int8_t *along = e->mapping.along[row], kept[MAPPER_LOOPS];
    int n = 0;

    if (row == p->n_rows) {
        try_unrolling(e);
        return;
    }
    memcpy(kept, along, sizeof kept);
    for (int k = 0; k < p->n_loops && (p->any_order >> row & 1); k++)
        n += e->mapping.factor[row][k] > 1;
    if (at >= n)
        order_rows(e, row + 1, 0);
    for (int k = at; k < p->n_loops && at < n; k++) {
        if (e->mapping.factor[row][kept[k]] == 1)
            continue;
        along[at] = kept[k];
        memmove(along + at + 1, kept + at, (size_t)(k - at));
        order_rows(e, row, at + 1);
        memcpy(along, kept, sizeof kept);
    }
}

static void unroll_from(struct enumeration *e, int row, int loop)
{
    const struct mapper_problem *p = e->problem;

    if (sator_mapper_should_stop(e->search))
        return;
    if (row == p->n_rows) {
        order_rows(e, 0, 0);
        return;
    }
    if (loop == p->n_loops || !p->row[row].is_space) {
        unroll_from(e, row + 1, 0);
        return;
    }
    int64_t used = e->used[row], before = e->parallel[loop];
    for (int k = 0; k < e->n_factors[loop]; k++) {
        int64_t d = e->factors[loop][k], rest = p->extent[loop] / before;
        if (p->imperfect) /* of a chain the product may be more than the extent */
            rest = p->extent[loop];
        if (d > rest || d > p->row[row].shape / used || (d > 1 && (p->row[row].banned >> loop & 1)))
            break;
        if (!p->imperfect && rest % d != 0)
            continue;
        e->mapping.factor[row][loop] = d;
        e->used[row] = used * d;
        e->parallel[loop] = before * d;
        unroll_from(e, row, loop + 1);
    }
    e->mapping.factor[row][loop] = 1;
    e->used[row] = used;
    e->parallel[loop] = before;
}

/* ---- the whole ---- */

/* Whatever may divide what is left of a loop: in an imperfect problem the numbers of its tiles. */
static int list_factors(struct sator_arena *arena, const struct mapper_problem *p, int loop,
        const int64_t **factors)
{
    int64_t *list = NULL;
    int count = 0;

    if (!p->imperfect)
        return sator_mapper_divisors(arena, p->extent[loop], factors);
    for (int64_t d = 1; d <= p->extent[loop]; d++)
        SATOR_PUSH(arena, list, count, d);
    *factors = list;
    return count;
}

/* A transfer's tile is known with its child's factors; where parallel positions that share words
 * stand further out, how far apart they are is known with those of the memories in between. */
static int ready_at(const struct mapper_problem *p, const struct mapper_transfer *t)
{
    int m = t->child;

    if (t->collapsed == 0)
        return m;
    while (m > 0 && p->memory[m - 1].row > __builtin_ctz(t->collapsed))
        m--;
    return m;
}

static bool outermost_holds_all(const struct mapper_problem *p)
{
    int64_t size[MAPPER_ACCESSES] = {0};

    for (int a = 0; a < p->n_accesses; a++)
        size[a] = p->memory[0].holds >> a & 1 ? p->access[a].footprint : 0;
    return sator_mapper_fits(p, 0, size);
}

/* Which indices slide, and by which loops. */
static void open_glide(const struct mapper_access *access, struct glide *g)
{
    for (int i = 0; i < access->n_indices; i++) {
        const struct mapper_index *index = &access->index[i];
        if (index->closed == 1)
            continue;
        for (int k = 0; k < index->n_parts; k++) {
            g->moves[index->loop[k]] = (int8_t)g->n;
            g->coef[index->loop[k]] = access->coef_of[index->loop[k]];
        }
        g->index[g->n++] = i;
    }
}

static void open_enumeration(struct enumeration *e, struct sator_arena *arena)
{
    const struct mapper_problem *p = e->problem;

    for (int i = 0; i < p->n_loops; i++) {
        e->n_factors[i] = list_factors(arena, p, i, &e->factors[i]);
        e->n_tiles[i] = e->n_factors[i]; /* whose lanes are not known yet */
        e->tiles[i] = e->factors[i];
        if (p->imperfect && (!p->is_direct || p->row[p->innermost].fixed[i] != 0))
            e->n_tiles[i] = sator_mapper_tiles_of(p, arena, i, &e->tiles[i]);
        e->parallel[i] = 1;
    }
    sator_mapper_mapping_init(p, &e->mapping);
    for (int r = 0; r < p->n_rows; r++)
        e->used[r] = 1;
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_access *access = &p->access[p->transfer[t].access];
        e->ready[ready_at(p, &p->transfer[t])] |= 1U << t;
        e->sliding |= access->is_sliding ? 1U << t : 0;
        open_glide(access, &e->glide[t]);
        for (int i = 0; i < p->n_loops; i++) {
            e->plain_of[i] |= access->plain >> i & 1 ? 1U << t : 0;
            e->slides_of[i] |= (access->relevant & ~access->plain) >> i & 1 ? 1U << t : 0;
        }
        for (int m = 0; m < p->n_memories; m++)
            e->inside[m] |= p->transfer[t].child_row > p->memory[m].row ? 1U << t : 0;
    }
}

struct member {
    struct mapper_search search;
    struct enumeration enumeration;
};

static void enumerate(void *data)
{
    struct member *member = data;

    if (outermost_holds_all(member->search.problem))
        unroll_from(&member->enumeration, 0, 0);
}

static void open_member(struct member *members, int i, int n, const struct mapper_search *search,
        struct sator_arena *arena, _Atomic uint64_t *evaluated)
{
    struct enumeration *e = &members[i].enumeration;

    members[i].search = *search;
    members[i].search.counters = (struct sator_map_counters){0};
    if (i > 0) {
        members[i].search.words = sator_mapper_words_new(search->problem);
        members[i].search.next_report = INFINITY; /* the caller's thread reports */
    }
    e->search = &members[i].search;
    e->problem = search->problem;
    e->member = i;
    e->n_members = n;
    e->evaluated = evaluated;
    open_enumeration(e, arena);
}

/* Take over what the members found, in the order in which one of them alone would have. */
static void merge(struct mapper_search *search, const struct member *members, int n)
{
    uint64_t done = 0; /* the number of the tile whose mapping was taken last */

    for (;;) {
        const struct member *next = NULL;
        for (int i = 0; i < n; i++) {
            uint64_t number = members[i].enumeration.best_number; /* 0: nothing found */
            if (number > done && (next == NULL || number < next->enumeration.best_number))
                next = &members[i];
        }
        if (next == NULL)
            return;
        done = next->enumeration.best_number;
        sator_mapper_offer(search, &next->search.best, next->search.best_cost);
    }
}

void sator_mapper_exhaustive(struct mapper_search *search)
{
    struct sator_arena *arena = sator_arena_new();
    int n = search->options->threads < 1                ? 1
            : search->options->threads > MAPPER_THREADS ? MAPPER_THREADS
                                                        : search->options->threads;
    struct member *members = sator_calloc((size_t)n, sizeof *members);
    _Atomic uint64_t evaluated = search->counters.evaluated;

    for (int i = 0; i < n; i++)
        open_member(members, i, n, search, arena, &evaluated);
    sator_mapper_run_threads(enumerate, members, sizeof *members, n);
    merge(search, members, n);
    search->next_report = members[0].search.next_report;
    for (int i = 0; i < n; i++) {
        sator_mapper_add_counters(&search->counters, &members[i].search.counters);
        if (members[i].search.has_unknown)
            sator_mapper_note_unknown(search, members[i].search.unknown_bound);
        if (members[i].search.stopped != SATOR_OK)
            search->stopped = members[i].search.stopped;
        if (i > 0)
            sator_mapper_words_free(members[i].search.words);
    }
    if (search->stopped == SATOR_OK)
        sator_mapper_finish(search);
    free(members);
    sator_arena_free(arena);
}
