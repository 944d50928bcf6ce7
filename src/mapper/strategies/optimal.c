/* Branch and bound over unrollings, tiles and orders (doc/search.md, "The optimal strategy").
 *
 * Unrollings are visited by the PEs they use, most first; when even the cheapest conceivable energy
 * at that parallelism cannot win, the rest cannot either. Below an unrolling the tiles are chosen
 * from the innermost memory outward, those with the best bound first, and below a full tiling the
 * loop orders, innermost loop first. Every cut is made by a bound that holds for all that it cuts
 * off.
 */
#include "mapper/strategies/optimal.h"
#include "mapper/skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t optimal_ones[MAPPER_LOOPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* ---- bounds of a branch ---- */

/* Energy and cycles from a share that covers all transfers. */
struct mapper_cost optimal_cost(const struct optimizer *o, const struct mapper_share *share)
{
    return sator_mapper_bound(o->problem, &o->crew, o->compute_cycles, share);
}

struct mapper_share optimal_fixed(const struct optimizer *o)
{
    struct mapper_share share = {.pj = o->problem->fixed_pj};

    memcpy(share.bits, o->crew.fixed_bits, sizeof *share.bits * (size_t)o->problem->n_ports);
    return share;
}

/* What "least" is found for. */
static void note_crew(struct optimizer *o)
{
    memcpy(o->least_lent_pj, o->crew.lent_pj, sizeof o->least_lent_pj);
    memcpy(o->least_ratio, o->crew.ratio, sizeof o->least_ratio);
}

void optimal_find_least(struct optimizer *o)
{
    note_crew(o);
    o->least[0] = (struct mapper_share){0};
    for (int child = 0; child <= o->problem->n_memories; child++) {
        struct mapper_share one;
        sator_mapper_bounds_least(o->problem, &o->crew, child, &one);
        if (child < o->problem->n_memories && o->outer[child].complete)
            one = o->outer[child].least;
        o->least[child + 1] = o->least[child];
        sator_mapper_share_add(o->problem, &o->least[child + 1], &one);
    }
}

double optimal_skewed_compute(const struct optimizer *o, int first)
{
    return (double)sator_mapper_skewed_stamps(o->problem, &o->mapping, first) *
            o->problem->cycles_per_instance;
}

/* ---- shapes ---- */

bool optimal_tile_fits(struct optimizer *o, int m)
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
void optimal_refresh_sizes(struct optimizer *o, int m, int loop, int64_t *size)
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
void optimal_refresh_shape(struct optimizer *o, int row, int loop)
{
    int64_t extent = o->problem->extent[loop];

    for (int r = row; r >= 0; r--) {
        int64_t inside = o->shape.inside[r + 1][loop] * o->mapping.factor[r][loop];
        o->shape.inside[r][loop] = inside < extent ? inside : extent;
    }
}

/* ---- the whole ---- */

static uint64_t looks_of(const struct optimizer *o)
{
    const struct sator_map_counters *c = &o->search->counters;

    return c->unrollings / 2 > c->tilings + c->orders ? c->unrollings / 2 : c->tilings + c->orders;
}

void optimal_climb(struct optimizer *o)
{
    uint64_t looks = looks_of(o);

    if (looks < o->climbs_at || o->orders) /* what is near the best was tried with the usual one */
        return;
    o->climbs_at = looks + 4 * (looks - o->climbs_at + WORTH_A_CLIMB);
    sator_mapper_climb(o->search, CLIMB_TRIES);
}

/* Equal bounds are visited in no particular order, always the same one: neighbours in the list are
 * alike, and the first few are to be different. Odd factors and shifts lose nothing. */
static uint32_t scramble(uint32_t number)
{
    number *= UINT32_C(2654435761);
    number ^= number >> 15;
    return number * UINT32_C(2246822519);
}

/* The crew is another one: its words may spare and lend other energies. */
static void know_least(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_crew *crew = &o->crew;
    size_t n = (size_t)p->n_transfers;

    if (!p->lends ||
            (memcmp(o->least_lent_pj, crew->lent_pj, sizeof *crew->lent_pj * n) == 0 &&
                    memcmp(o->least_ratio, crew->ratio, sizeof *crew->ratio * n) == 0))
        return;
    note_crew(o);
    for (int child = 0; child <= p->n_memories; child++) {
        bool listed = child < p->n_memories && o->outer[child].complete;
        double pj = listed ? o->outer[child].least.pj : sator_mapper_least_pj(p, crew, child);
        o->least[child + 1].pj = o->least[child].pj + pj;
    }
}

/* Bound the transfers into the compute units, and with them the whole. The factors of "open" rows
 * are not chosen yet. */
static struct mapper_cost bound_unrolling(
        struct optimizer *o, unsigned open, struct mapper_share *fixed, struct mapper_share *share)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->mapping, &o->shape);
    o->shape.in_any_order = o->is_unordered;
    sator_mapper_crew_init(p, &o->shape, open, &o->crew);
    know_least(o);
    sator_mapper_bounds_crew(o->bounds, &o->crew);
    sator_mapper_bounds_known(o->bounds, p->n_memories);
    sator_mapper_bounds_compute(o->bounds, o->compute_cycles);
    *fixed = optimal_fixed(o);
    struct mapper_share all = *fixed;
    sator_mapper_share_add(p, &all, &o->least[p->n_memories]);
    sator_mapper_bounds_beside(o->bounds, &all);
    sator_mapper_bounds_share(o->bounds, p->n_memories, &o->shape, optimal_ones, o->rest, share);
    sator_mapper_bounds_beside(o->bounds, NULL);
    sator_mapper_share_add(p, &all, share);
    return optimal_cost(o, &all);
}

/* Let the unrolling take its share of the loops. */
static void spread(struct optimizer *o, const struct unrolling *u)
{
    for (int i = 0; i < o->problem->n_loops; i++) {
        o->parallel[i] *= u->factor[i];
        if (!o->imperfect)
            o->rest[i] /= u->factor[i];
    }
}

static void gather(struct optimizer *o, const struct unrolling *u)
{
    for (int i = 0; i < o->problem->n_loops; i++) {
        o->parallel[i] /= u->factor[i];
        if (!o->imperfect)
            o->rest[i] *= u->factor[i];
    }
}

static double listing_rank(const struct optimizer *o, int loop)
{
    double longest = 0x1p41; /* beyond any extent */

    if (!o->slides[loop])
        return 2 * longest;
    return (optimal_is_spread(o, loop) ? 0 : longest) + (double)o->problem->extent[loop];
}

/* The order in which tiles are listed: sliding loops first, those that run in parallel before the
 * others and short ones before long ones (a window's loops leave no gaps once they are known); then
 * plain loops. */
void optimal_order_listing(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int i = 0; i < p->n_loops; i++) {
        int at = i;
        for (; at > 0 && listing_rank(o, o->listing[at - 1]) > listing_rank(o, i); at--)
            o->listing[at] = o->listing[at - 1];
        o->listing[at] = i;
    }
}

/* Search the tiles of the unrolling chosen, whose transfers into the compute units cost "share". */
static void search_tiles(struct optimizer *o, const struct visit *visit,
        const struct mapper_share *fixed, const struct mapper_share *share)
{
    optimal_know_unrolling(o, visit->choice);
    optimal_know_grown(o);
    optimal_order_listing(o);
    optimal_find_crowded(o);
    optimal_choose_tiles(o, o->problem->n_memories - 1, &(struct inner){fixed, share});
}

void optimal_visit(struct optimizer *o, const struct visit *visit)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share fixed, share;

    o->compute_cycles = visit->compute_cycles;
    for (int c = 0; c < o->n_classes; c++)
        spread(o, &o->class[c].choice[visit->choice[c]]);
    for (int c = 0; c < o->n_classes; c++)
        optimal_place_unrolling(o, &o->class[c], &o -> class[c].choice[visit->choice[c]]);
    if (o->imperfect) {
        optimal_take_unrolling(o);
        optimal_take_tiles(o);
    }
    struct mapper_cost bound = bound_unrolling(o, 0, &fixed, &share); /* more may be known by now */
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
    } else {
        search_tiles(o, visit, &fixed, &share);
    }
    for (int c = 0; c < o->n_classes; c++)
        gather(o, &o->class[c].choice[visit->choice[c]]);
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

/* Nothing is chosen. */
static void init_branch(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int i = 0; i < p->n_loops; i++) {
        o->rest[i] = p->extent[i];
        o->parallel[i] = 1;
    }
    sator_mapper_mapping_init(p, &o->mapping);
}

/* Visit the unrollings listed, the best bound first: a few of them by their best tiles only, for a
 * good mapping to measure the rest against ("dive"), or all. "rest" bounds the unrollings not
 * listed yet. */
static void visit_listed(struct optimizer *o, bool dive, double rest)
{
    struct visits *visits = &o->visits;

    rest = fmin(rest, o->later);
    int count = dive && visits->count > DIVES ? DIVES : visits->count;
    o->width = dive ? 1 : INT32_MAX;
    if (visits->count > 0)
        qsort(visits->item, (size_t)visits->count, sizeof *visits->item, by_visit);
    for (int k = 0; k < count && !sator_mapper_should_stop(o->search); k++) {
        const struct visit *visit = &visits->item[k];
        if (!dive && o->search->most_looks == 0 && optimal_is_worth_a_team(o)) {
            o->climbs_at = UINT64_MAX; /* what a visit finds is its own */
            optimal_visit_as_team(o, k, rest);
            break;
        }
        double open = visits->item[dive ? 0 : k].value; /* the least that is not settled */
        o->search->bound = open < rest ? open : rest;
        if (!dive && o->n_listings > OPTIMAL_WORTH_A_TABLE)
            optimal_tabulate(o);
        if (!sator_mapper_is_hopeless(o->search, visit->pj, visit->cycles))
            optimal_visit(o, visit);
        else
            o->search->counters.pruned_unrolling += !dive;
    }
}

static void visit_all(struct optimizer *o, double rest)
{
    visit_listed(o, true, rest);
    if (!o->search->only_dives)
        visit_listed(o, false, rest);
    o->visits.count = 0;
}

/* While unrollings are still being listed: a mapping to measure the others against. */
static void dive_early(struct optimizer *o)
{
    struct mapper_mapping mapping = o->mapping;
    int64_t rest[MAPPER_LOOPS], parallel[MAPPER_LOOPS];
    double compute = o->compute_cycles;

    memcpy(rest, o->rest, sizeof rest);
    memcpy(parallel, o->parallel, sizeof parallel);
    init_branch(o);
    visit_listed(o, true, o->search->bound);
    o->mapping = mapping;
    memcpy(o->rest, rest, sizeof rest);
    memcpy(o->parallel, parallel, sizeof parallel);
    o->compute_cycles = compute;
}

static void add_visit(struct optimizer *o, const int *choice)
{
    struct visits *visits = &o->visits;
    struct mapper_share fixed, share;

    if ((sator_mapper_passed(o->problem, &o->mapping) != 0) != o->passing ||
            (o->is_unordered && !sator_mapper_has_orders(o->problem, &o->mapping)))
        return;
    if ((o->imperfect && !optimal_take_unrolling(o)) || optimal_is_moved(o) ||
            !sator_mapper_may_spread(o->problem, &o->mapping, ~0U))
        return;
    optimal_know_unrolling(o, choice);
    if (optimal_is_image(o, NULL))
        return;
    o->search->counters.unrollings++;
    optimal_climb(o);
    double compute = o->compute_cycles; /* of any unrolling of as many PEs */
    if (o->imperfect)
        o->compute_cycles = optimal_least_compute(o);
    if (o->problem->skew != NULL)
        o->compute_cycles = optimal_skewed_compute(o, o->problem->n_memories);
    struct mapper_cost bound = bound_unrolling(o, 0, &fixed, &share);
    double least_cycles = o->compute_cycles;
    o->compute_cycles = compute;
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_unrolling++;
        return;
    }
    if (visits->count == visits->room) {
        visits->room = visits->room == 0 ? 1024 : 2 * visits->room;
        visits->item = sator_realloc(visits->item, sizeof *visits->item * (size_t)visits->room);
    }
    struct visit *visit = &visits->item[visits->count];
    if (o->crosses.value > bound.value)
        bound = o->crosses;
    *visit = (struct visit){.value = bound.value,
            .pj = bound.pj,
            .cycles = bound.cycles,
            .compute_cycles = least_cycles,
            .number = scramble((uint32_t)visits->count++)};
    memcpy(visit->choice, choice, sizeof *choice * (size_t)o->n_classes);
    if (visits->count == CHUNK && !o->search->found)
        dive_early(o);
}

/* Whether nothing with the unrolling of the inner arrays can win, whatever that of the outer ones:
 * one PE after the other, all of these would fill the compute units with no more words. */
static bool is_inner_hopeless(struct optimizer *o)
{
    struct mapper_share fixed, share;
    double compute = o->compute_cycles;
    unsigned open = 0;

    for (int c = 0; c < o->n_outer; c++) {
        for (int k = 0; k < o->class[c].n_rows; k++)
            open |= 1U << o->class[c].row[k];
    }
    if (o->imperfect)
        o->compute_cycles *= optimal_idle_share(o);
    sator_mapper_bounds_strides(o->bounds, true);
    struct mapper_cost bound = bound_unrolling(o, open, &fixed, &share);
    sator_mapper_bounds_strides(o->bounds, false);
    o->compute_cycles = compute;
    if (!sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
        return false;
    o->search->counters.pruned_unrolling++;
    return true;
}

/* List unrollings of the sizes "size" for the first "c" classes, those of the others are chosen. */
static void list_unrollings(struct optimizer *o, const int *size, int c, int *choice)
{
    const struct mapper_problem *p = o->problem;

    if (c == 0) {
        add_visit(o, choice);
        return;
    }
    if ((c == o->n_outer || c == o->n_outside) && o->imperfect && !optimal_take_unrolling(o))
        return;
    if (c == o->n_outer && is_inner_hopeless(o))
        return;
    struct row_class *class = &o->class[--c];
    for (int k = class->first[size[c]]; k < class->first[size[c] + 1]; k++) {
        const struct unrolling *u = &class->choice[k];
        bool divides = true;
        for (int i = 0; i < p->n_loops && divides; i++)
            divides = o->imperfect ? optimal_can_unroll(o, class->row[0], i, u->factor[i])
                                   : o->rest[i] % u->factor[i] == 0;
        if (!divides)
            continue;
        if (optimal_crosses_too_much(o, c, k, &o->crosses)) {
            o->search->counters.pruned_unrolling++;
            continue;
        }
        if (!optimal_place_unrolling(o, class, u))
            continue;
        spread(o, u);
        choice[c] = k;
        list_unrollings(o, size, c, choice);
        gather(o, u);
        if (sator_mapper_should_stop(o->search))
            break;
    }
    for (int k = 0; k < class->n_rows; k++) {
        for (int i = 0; i < p->n_loops; i++)
            o->mapping.factor[class->row[k]][i] = 1;
    }
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

/* No unrolling is chosen. */
static void know_nothing(struct optimizer *o)
{
    o->crew = o->unknown;
    know_least(o);
}

/* Search the unrollings of the sizes listed, if words pass from PE to PE there as "passing" says.
 */
static void search_sizes(struct optimizer *o, const struct sizes *list, int count)
{
    const struct mapper_problem *p = o->problem;
    int choice[MAPPER_ROWS];
    double pes = 1;

    for (int r = 0; r < p->n_rows; r++)
        pes *= p->row[r].is_space ? (double)p->row[r].shape : 1;
    for (int k = 0; k < count && list[k].pes >= p->least_utilization * pes; k++) {
        o->compute_cycles = (double)p->instances / list[k].pes * p->cycles_per_instance;
        know_nothing(o);
        struct mapper_share all = optimal_fixed(o);
        sator_mapper_share_add(p, &all, &o->least[p->n_memories + 1]);
        struct mapper_cost bound = optimal_cost(o, &all);
        if (k == 0 && !o->passing && o->later < INFINITY)
            o->later = bound.value;
        if (o->visits.count == 0) /* the least of all that is not settled yet */
            o->search->bound = fmin(bound.value, o->later);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles))
            break; /* fewer PEs take longer, at no less energy */
        optimal_open_crossing(o, list[k].size);
        list_unrollings(o, list[k].size, o->n_classes, choice);
        if (o->visits.count >= CHUNK)
            visit_all(o, bound.value);
        if (o->visits.count == 0 && o->search->only_dives && o->search->found)
            return; /* with a mapping of those that use most PEs */
        if (o->search->stopped != SATOR_OK)
            return;
    }
    visit_all(o, INFINITY);
}

static void search_all(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    struct sizes *list = NULL, start = {.pes = 1};
    bool may_pass = false;
    int count = 0;

    list_sizes(o, 0, &start, &list, &count);
    if (count > 0) { /* else none is fast enough */
        qsort(list, (size_t)count, sizeof *list, by_product);
        o->least_cycles = (double)p->instances / list[0].pes * p->cycles_per_instance;
    }
    for (int t = 0; t < p->n_transfers; t++)
        may_pass |= p->transfer[t].may_pass;
    o->passing = false;
    o->later = may_pass ? 0 : INFINITY;
    search_sizes(o, list, count);
    if (may_pass && o->search->stopped == SATOR_OK) {
        o->passing = true;
        o->later = INFINITY;
        search_sizes(o, list, count);
    }
    if (o->search->stopped != SATOR_OK || o->search->only_dives || o->search->gave_up)
        return;
    sator_mapper_finish(o->search);
}

static void optimize(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct optimizer *o = sator_alloc(sizeof *o);

    memset(o, 0, sizeof *o);
    o->search = search;
    o->problem = p;
    o->arena = sator_arena_new();
    o->factors = sator_arena_take(o->arena, sizeof *o->factors * MAPPER_LOOPS);
    o->bounds = sator_mapper_bounds_new(p, search->words);
    o->imperfect = p->imperfect;
    o->orders = o->is_unordered = search->searches_orders;
    for (int i = 0; i < p->n_loops && !o->imperfect; i++)
        o->n_divisors[i] = sator_mapper_divisors(o->arena, p->extent[i], &o->divisors[i]);
    if (o->imperfect)
        optimal_find_tiles(o);
    o->climbs_at = looks_of(o) + (p->n_rows <= SHALLOW ? WORTH_SHALLOW : WORTH_A_CLIMB);
    init_branch(o);
    for (int i = 0; i < p->n_loops; i++) {
        for (int a = 0; a < p->n_accesses; a++)
            o->slides[i] |= (p->access[a].relevant & ~p->access[a].plain) >> i & 1;
    }
    optimal_seen_init(o);
    optimal_find_symmetries(o);
    sator_mapper_crew_unknown(p, &o->unknown);
    o->crew = o->unknown;
    sator_mapper_bounds_crew(o->bounds, &o->crew);
    optimal_find_least(o);
    optimal_find_unrollings(o);
    optimal_find_most(o);
    optimal_find_crossing(o);
    optimal_find_grown(o);
    search_all(o);
    for (int m = 0; m < p->n_memories; m++) {
        free(o->tile_list[m].item);
        free(o->outer[m].item);
    }
    free(o->visits.item);
    optimal_seen_free(o);
    sator_mapper_bounds_free(o->bounds);
    sator_arena_free(o->arena);
    free(o);
}

/* Search the mappings of "p" with the best so far to beat. */
static void search_problem(struct mapper_search *search, const struct mapper_problem *p)
{
    const struct mapper_problem *all = search->problem;

    search->problem = p;
    search->proved = false;
    optimize(search); /* after a stop: only finds its bound */
    search->problem = all;
}

/* Give up after so much work on top of what was done; what was proved is then all that is. */
static bool search_within(
        struct mapper_search *search, const struct mapper_problem *p, uint64_t most_looks)
{
    struct sator_map_options alone = *search->options;
    const struct sator_map_options *options = search->options;
    bool proved = search->proved;
    double bound = search->bound;

    alone.threads = 1; /* for the same to be looked at, however many there are */
    search->options = &alone;
    search->most_looks = sator_mapper_looks(search) + most_looks;
    search_problem(search, p);
    search->options = options;
    search->most_looks = 0;
    if (!search->gave_up)
        return true;
    search->gave_up = false;
    search->proved = proved && search->found;
    search->bound = bound;
    if (search->proved)
        sator_mapper_finish(search);
    return false;
}

/* Chains of ceilings last, with what is best without them to beat. Where they are too many their
 * search is given up: the proof is over the others then. */
static void search_chains(struct mapper_search *search)
{
    search->chains_open |= !search_within(search, search->problem, MOST_CHAIN_LOOKS);
}

struct reordering {
    struct mapper_search *search;
    struct mapper_mapping mapping;
};

static bool try_order(void *data, bool is_usual)
{
    struct reordering *reordering = data;

    if (!is_usual)
        sator_mapper_try(reordering->search, &reordering->mapping);
    return !sator_mapper_should_stop(reordering->search);
}

/* Other orders of the loops that share an array dimension, with what is best in the usual one to
 * beat, and the best mapping's own other orders first. */
static void search_row_orders(struct mapper_search *search, const struct mapper_problem *p)
{
    uint64_t before = sator_mapper_looks(search) / 2;
    struct reordering best = {search, search->best};
    double usual = search->bound; /* of the usual order, which the rest says nothing of */

    if (p->any_order == 0 || search->only_dives)
        return; /* after a stop what follows only finds its bound */
    if (search->stopped == SATOR_OK && search->found &&
            sator_mapper_is_legal(p, search->words, &search->best))
        sator_mapper_each_order(p, &best.mapping, try_order, &best);
    search->searches_orders = true;
    search->orders_open |=
            !search_within(search, p, before > MOST_ORDER_LOOKS ? before : MOST_ORDER_LOOKS);
    search->searches_orders = false;
    if (search->stopped != SATOR_OK)
        search->bound = fmin(search->bound, usual);
}

/* The best mapping of the hull, which has formulas, is one of the domain that it holds; then the
 * domain's own are searched as far as that takes no longer than a user waits: each is counted. */
static void search_hull(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct mapper_search alone = *search;
    struct sator_workload box = *p->workload;
    struct mapper_problem *hull = SATOR_NEW(p->arena, struct mapper_problem);
    unsigned bypassed[MAPPER_MEMORIES];
    struct sator_hush before;

    for (int m = 0; m < p->n_memories; m++)
        bypassed[m] = p->memory[m].bypassed;
    box.is_box = true;
    sator_ctx_hush(search->ctx, &before);
    enum sator_status st = sator_mapper_problem_init(
            search->ctx, p->arena, &box, p->arch, p->objective, bypassed, hull);
    sator_ctx_unhush(search->ctx, &before);
    if (st == SATOR_OK && !search->found) {
        memcpy(hull->row, p->row, sizeof hull->row);
        memcpy(hull->spread_limits, p->spread_limits, sizeof hull->spread_limits);
        hull->n_spread_limits = p->n_spread_limits;
        hull->has_fixed = p->has_fixed;
        hull->has_limits = p->has_limits;
        hull->has_orders = p->has_orders;
        hull->ordered = p->ordered;
        hull->least_utilization = p->least_utilization;
        hull->watch = p->watch;
        alone.problem = hull;
        alone.words = sator_mapper_words_new(hull);
        optimize(&alone);
        sator_mapper_words_free(alone.words);
        search->counters = alone.counters;
        search->stopped = alone.stopped;
        if (alone.found && sator_mapper_is_legal(p, search->words, &alone.best))
            sator_mapper_try(search, &alone.best);
    }
    search->most_looks = sator_mapper_looks(search) + MOST_HULL_LOOKS;
    optimize(search);
    search->most_looks = 0;
    search->hull_open |= search->gave_up;
    search->gave_up = false;
}

void sator_mapper_optimal(struct mapper_search *search)
{
    const struct mapper_problem *p = search->problem;
    struct mapper_problem perfect = *p, filled = *p;

    perfect.imperfect = perfect.chains = filled.chains = false;
    if (p->has_fixed && !sator_mapper_is_feasible(p)) {
        search->proved = true; /* that there is none */
        return;
    }
    if (p->in_hull) {
        search_hull(search);
        return;
    }
    if (!p->imperfect) {
        optimize(search);
        search_row_orders(search, p);
        return;
    }
    /* the best of those that are searched faster are ones to measure the others against */
    if (sator_mapper_is_feasible(&perfect))
        search_problem(search, &perfect);
    search_problem(search, &filled);
    search_chains(search);
    search_row_orders(search, &filled);
    search_row_orders(search, p);
}
