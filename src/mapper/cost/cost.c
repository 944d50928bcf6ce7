/* What a mapping costs, exactly (doc/search.md, "Counting").
 *
 * From one prefix stamp to the next, one temporal loop steps forward and all loops inside it fall
 * back to their start. So the tile moves by the same amount at every step of the same loop, and the
 * words kept from the stamp before are (times that loop steps) x (words of a tile and of the same
 * tile so shifted). The sum over the loops is exact; nothing is estimated.
 */
#include "mapper/cost/cost.h"
#include "mapper/problem/domain.h"
#include "mapper/problem/invariants.h"
#include "mapper/problem/skew.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The product of the values of each index over "tile"; of an access that has no formula, of those
 * that stand alone, beside one element of the rest. */
static int64_t product_of_indices(struct mapper_words *words, int access, const int64_t *tile)
{
    const struct mapper_access *what = &sator_mapper_words_problem(words)->access[access];
    int64_t size = 1;

    for (int e = 0; e < what->n_indices; e++) {
        const struct mapper_index *index = &what->index[e];
        if (index->closed != 0) {
            size *= index->closed == 1
                    ? tile[index->loop[0]]
                    : sator_mapper_pair(index, tile[index->loop[0]], tile[index->loop[1]]);
            continue;
        }
        struct mapper_steps steps;
        steps.n_spread = 0;
        steps.any = false;
        for (int i = 0; i < index->n_parts; i++)
            steps.tile[i] = tile[index->loop[i]];
        size *= sator_mapper_words_union(words, access, e, &steps);
    }
    return size;
}

int64_t sator_mapper_tile_words(struct mapper_words *words, int access, const int64_t *tile)
{
    const struct mapper_access *what = &sator_mapper_words_problem(words)->access[access];

    if (what->is_quotient)
        return sator_mapper_tiling_most(words, access, tile);
    if (what->is_counted)
        return sator_mapper_counted_tile(words, access, tile);
    return product_of_indices(words, access, tile);
}

void sator_mapper_count_footprints(struct mapper_problem *p)
{
    struct mapper_words *words = sator_mapper_words_new(p);

    for (int a = 0; a < p->n_accesses; a++) {
        if (!p->access[a].is_counted)
            p->access[a].footprint = sator_mapper_tile_words(words, a, p->extent);
    }
    sator_mapper_words_free(words);
}

bool sator_mapper_fits(const struct mapper_problem *problem, int m, const int64_t *size)
{
    const struct mapper_memory *memory = &problem->memory[m];

    for (int c = 0; c < memory->n_capacities; c++) {
        const struct mapper_capacity *capacity = &memory->capacity[c];
        sator_int needed = 0;
        for (unsigned left = capacity->accesses; left != 0; left &= left - 1) {
            int a = __builtin_ctz(left);
            if (problem->access[a].stored_as != a)
                continue;
            assert(size[a] >= 0);
            needed += (sator_int)mapper_stored_words(problem, a, size) *
                    (capacity->in_bits ? memory->word_bits[a] : 1);
        }
        if (needed > capacity->available)
            return false;
    }
    return true;
}

void sator_mapper_tile_sizes(const struct mapper_problem *problem, struct mapper_words *words,
        int m, const int64_t *tile, int64_t size[MAPPER_ACCESSES])
{
    for (int a = 0; a < problem->n_accesses; a++)
        size[a] = problem->memory[m].holds >> a & 1 ? sator_mapper_tile_words(words, a, tile) : 0;
}

bool sator_mapper_tile_fits(const struct mapper_problem *problem, struct mapper_words *words, int m,
        const int64_t *tile)
{
    int64_t size[MAPPER_ACCESSES];

    if (problem->memory[m].n_capacities == 0)
        return true;
    sator_mapper_tile_sizes(problem, words, m, tile, size);
    return sator_mapper_fits(problem, m, size);
}

/* ---- one transfer ---- */

/* Whether wires pass words along the row of digit "k", and PEs that differ in it alone are no
 * neighbours: some loop that indexes the access stands inside of it. */
static bool is_parted(const struct mapper_walk *walk, const struct mapper_shape *shape, int k)
{
    return (walk->transfer->wired >> shape->digit[k].row & 1) && !shape->in_any_order &&
            !walk->pools && !walk->passes && !walk->is_relaxed &&
            sator_mapper_has_inside(walk->access, shape, k);
}

/* The steps of each sliding index between the PEs that share; the counts of groups and tiles. */
static void init_space(
        struct mapper_walk *walk, struct mapper_words *words, const struct mapper_shape *shape)
{
    const struct mapper_transfer *t = walk->transfer;
    const struct mapper_access *access = walk->access;

    walk->parts = walk->transfer->is_complex
            ? sator_mapper_parts(walk->problem, words, shape, walk->number)
            : 1;
    walk->groups = walk->parts;
    walk->tiles = walk->copies = 1;
    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->row >= t->child_row)
            break; /* rows ascend */
        bool shared = walk->shared >> digit->row & 1;
        walk->tiles *= digit->count;
        if (!shared) {
            walk->groups *= digit->count;
            continue;
        }
        if (!(access->relevant >> digit->loop & 1)) {
            bool copied = !(t->collapsed >> digit->row & 1);
            if (is_parted(walk, shape, k))
                walk->groups *= digit->count;
            walk->copies *= copied ? digit->count : 1;
            walk->groups *= copied && walk->is_relaxed ? digit->count : 1;
            continue;
        }
        int e = access->index_of[digit->loop];
        walk->spread = true;
        if (access->index[e].closed == 1) {
            walk->group_values[e] *= digit->count;
            continue;
        }
        if (access->index[e].is_core && access->index[e].divisor == 0)
            continue;
        struct mapper_steps *steps = &walk->steps[e];
        assert(steps->n_spread < MAPPER_SPREADS);
        steps->spread_step[steps->n_spread] =
                access->coef_of[digit->loop] * shape->inside[digit->row + 1][digit->loop];
        for (int i = 0; i < access->index[e].n_parts; i++) {
            if (access->index[e].loop[i] == digit->loop)
                steps->spread_part[steps->n_spread] = i;
        }
        steps->spread_count[steps->n_spread++] = digit->count;
    }
    assert(1 <= walk->groups && walk->groups <= walk->tiles);
}

/* Whether, where tiles may be short, a PE that has no tile any more may hand its sum on to one that
 * has. Of words that are read there is no such thing: of PEs that have equal words between two
 * steps of loops that index them, all that ever have a tile have one from the first of these steps
 * on. By the last, fewer do. Not where each loop has but one digit, a row of them one loop, and
 * links lead ahead: there those behind have no tile either. */
static bool may_hand_on(const struct mapper_walk *walk, const struct mapper_shape *shape)
{
    const struct mapper_transfer *t = walk->transfer;
    unsigned seen = 0;
    bool hands_on = false;

    if (!walk->pools || walk->access->role == SATOR_READ)
        return false;
    for (int k = 0; k < shape->n_digits && shape->digit[k].row < t->child_row; k++) {
        hands_on |= seen >> shape->digit[k].row & 1;
        seen |= t->linked_rows & 1U << shape->digit[k].row;
    }
    for (int i = 0; i < t->n_passes; i++) {
        for (int r = 0; r < walk->problem->n_rows; r++)
            hands_on |= !t->passes[i].is_constant || t->passes[i].shift[r] < 0;
    }
    return hands_on;
}

void sator_mapper_walk_open(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_shape *shape, int transfer, enum mapper_passing as,
        struct mapper_walk *walk)
{
    const struct mapper_transfer *t = as == MAPPER_LINKS_ALONE
            ? problem->transfer[transfer].links_alone
            : &problem->transfer[transfer];
    const struct mapper_access *access = &problem->access[t->access];
    bool passes = t->may_pass && (as >= MAPPER_ALWAYS || sator_mapper_is_passed(problem, t, shape));

    walk->problem = problem;
    walk->transfer = t;
    walk->access = access;
    walk->number = transfer;
    walk->passes = passes && as != MAPPER_RELAXED;
    walk->is_relaxed = passes && as == MAPPER_RELAXED;
    walk->pools = as == MAPPER_RELAXED && mapper_may_idle(problem) && t->linked_rows != 0;
    walk->shared = t->collapsed | (passes || may_hand_on(walk, shape) ? t->linked_rows : 0);
    walk->first_way = 0;
    walk->n_ways = t->n_passes + t->n_buses;
    walk->spread = walk->knows_net = false;
    walk->cut = NULL;
    walk->open = 0;
    walk->scale = walk->tile_scale = 1;
    walk->cold_row = sator_mapper_cold_row(problem, shape, t);
    for (int e = 0; e < access->n_indices; e++) {
        const struct mapper_index *index = &access->index[e];
        walk->steps[e].n_spread = 0;
        walk->steps[e].any = t->is_complex || (passes && t->n_passes > 0);
        for (int i = 0; i < index->n_parts; i++)
            walk->steps[e].tile[i] = shape->inside[t->child_row][index->loop[i]];
        walk->tile_values[e] = index->closed == 1 ? walk->steps[e].tile[0]
                : index->closed == 2
                ? sator_mapper_pair(index, walk->steps[e].tile[0], walk->steps[e].tile[1])
                : sator_mapper_words_union(words, t->access, e, &walk->steps[e]);
        walk->group_values[e] = walk->tile_values[e];
    }
    init_space(walk, words, shape);
    walk->group_words = walk->tile_words = 1;
    for (int e = 0; e < access->n_indices; e++) {
        if (walk->steps[e].n_spread > 0 && !walk->passes)
            walk->group_values[e] = sator_mapper_words_union(words, t->access, e, &walk->steps[e]);
        walk->group_words *= walk->group_values[e];
        walk->tile_words *= walk->tile_values[e];
    }
    assert(walk->passes || walk->group_words >= walk->tile_words);
    if (!walk->passes)
        return;
    sator_mapper_walk_digits(walk, shape);
    walk->group_words = sator_mapper_entering(words, walk, NULL);
}

static int64_t lanes_of(const struct mapper_walk *walk, const struct mapper_shape *shape, int loop)
{
    int64_t lanes = 1;

    for (int k = 0; k < shape->n_digits; k++) {
        const struct mapper_digit *digit = &shape->digit[k];
        if (digit->loop == loop && digit->row > walk->problem->innermost)
            lanes *= digit->count;
    }
    return lanes;
}

/* The values of all indices over the whole run, along which the digits in "fixed" rows stand still:
 * of a loop with such a digit, only what lies inside the innermost of them is counted. */
static int64_t cover(const struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_shape *shape, unsigned fixed)
{
    const struct mapper_problem *p = walk->problem;
    int64_t extent[MAPPER_LOOPS];
    bool stands = false;

    for (int k = 0; k < shape->n_digits; k++) { /* rows ascend: the innermost comes last */
        const struct mapper_digit *digit = &shape->digit[k];
        if (!(fixed >> digit->row & 1) || !(walk->access->relevant >> digit->loop & 1))
            continue;
        if (!stands)
            memcpy(extent, p->extent, sizeof extent);
        stands = true;
        if (p->imperfect && walk->transfer->child == p->n_memories) {
            if (digit->row > p->innermost &&
                    p->extent[digit->loop] % lanes_of(walk, shape, digit->loop) != 0)
                return 0; /* it may always be idle */
            extent[digit->loop] = 1;
            continue;
        }
        extent[digit->loop] = shape->inside[digit->row + 1][digit->loop];
        if (walk->open >> digit->loop & 1)
            extent[digit->loop] = 1;
        else if (walk->cut != NULL)
            extent[digit->loop] -= walk->cut[digit->loop];
    }
    if (!stands)
        return walk->access->footprint;
    if (walk->access->is_counted)
        return product_of_indices(words, walk->transfer->access, extent);
    return sator_mapper_tile_words(words, walk->transfer->access, extent);
}

void sator_mapper_walk_cover(
        struct mapper_walk *walk, struct mapper_words *words, const struct mapper_shape *shape)
{
    const struct mapper_transfer *t = walk->transfer;

    walk->tile_cover = cover(walk, words, shape, t->outer | t->between);
    walk->group_cover = walk->shared == 0
            ? walk->tile_cover
            : cover(walk, words, shape, (t->outer | t->between) & ~walk->shared);
}

/* The temporal factors of the rows before "row". */
static int64_t stamps_outside(
        const struct mapper_problem *p, const struct mapper_mapping *mapping, int row)
{
    int64_t stamps = 1;

    for (int r = 0; r < row; r++)
        stamps *= p->row[r].is_space ? 1 : mapper_steps_at(p, mapping, r);
    return stamps;
}

void sator_mapper_walk_stamps(struct mapper_walk *walk, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = walk->problem;

    walk->stamps = stamps_outside(p, mapping, walk->transfer->child_row);
    if (sator_mapper_is_loaded(p, walk->transfer, walk->stamps))
        walk->groups = walk->tiles = 0;
}

void sator_mapper_kept_words(const struct mapper_walk *walk, struct mapper_words *words,
        const int64_t *shift, int loop, int64_t step, int64_t *group, int64_t *tile)
{
    const struct mapper_access *access = walk->access;
    int moved_index = access->relevant >> loop & 1 ? access->index_of[loop] : -1;
    int64_t move[MAPPER_INDICES];

    *group = *tile = 1;
    for (int e = 0; e < access->n_indices && (*group | *tile) != 0; e++) {
        move[e] = shift[e] + (e == moved_index ? access->coef_of[loop] * step : 0);
        if (move[e] == 0) {
            *group *= walk->group_values[e];
            *tile *= walk->tile_values[e];
            continue;
        }
        if (walk->passes && access->index[e].closed == 1) { /* all is new */
            *group = *tile = 0;
            return;
        }
        int64_t kept = walk->passes ? 0
                                    : sator_mapper_words_kept(words, walk->transfer->access, e,
                                              &walk->steps[e], move[e]);
        *group = walk->passes ? 1 : *group * kept; /* 1: not known yet */
        if (walk->steps[e].n_spread > 0 || walk->passes) {
            struct mapper_steps alone = {.n_spread = 0};
            memcpy(alone.tile, walk->steps[e].tile, sizeof alone.tile);
            kept = sator_mapper_words_kept(words, walk->transfer->access, e, &alone, move[e]);
        }
        *tile *= kept;
    }
    assert(0 <= *tile && *tile <= walk->tile_words);
    assert(walk->passes || (0 <= *group && *group <= walk->group_words));
    if (walk->passes)
        *group = walk->group_words - sator_mapper_entering(words, walk, move);
}

void sator_mapper_pace_init(struct mapper_pace *pace)
{
    *pace = (struct mapper_pace){.inside = 1, .still = 1};
}

void sator_mapper_pace_place(const struct mapper_walk *walk, struct mapper_words *words,
        struct mapper_pace *pace, int loop, int64_t factor, int64_t step)
{
    if (pace->settled || factor == 1)
        return;
    bool relevant = walk->access->relevant >> loop & 1;
    pace->settled = (walk->access->plain >> loop & 1) &&
            sator_mapper_is_out_of_reach(walk->transfer, pace->inside, factor);
    pace->inside *= factor;
    if (pace->dead)
        return;
    assert(walk->stamps % pace->inside == 0);
    int64_t times = walk->stamps / pace->inside * (factor - 1);
    if (!pace->moved && !relevant) {
        pace->still = pace->inside;
        pace->kept_unique += times * walk->group_words;
        pace->kept_arriving += times * walk->tile_words;
        return;
    }
    if (walk->access->plain >> loop & 1) { /* a tile of a plain index never returns to its place */
        pace->dead = true;
        return;
    }
    int64_t group, tile;
    sator_mapper_kept_words(walk, words, pace->shift, loop, step, &group, &tile);
    pace->kept_unique += times * group;
    pace->kept_arriving += times * tile;
    if (!relevant)
        return;
    pace->moved = true;
    pace->shift[walk->access->index_of[loop]] -= walk->access->coef_of[loop] * step * (factor - 1);
}

/* ---- a whole mapping ---- */

static const struct mapper_domain *domain_of(const struct mapper_problem *problem)
{
    return problem->domain != NULL ? problem->domain : problem->lengthened;
}

/* The stamps of the tied loops, remembered by their factors. */
static int64_t tied_stamps(const struct mapper_problem *p, struct mapper_words *words,
        const struct mapper_domain *domain, const struct mapper_mapping *mapping)
{
    int64_t key[1 + MAPPER_LOOPS * MAPPER_ROWS];
    int n = 0;
    bool is_new;

    key[n++] = -1 - 3 * MAPPER_TRANSFERS; /* below those of parts.c */
    for (int i = 0; i < p->n_loops; i++) {
        /* else it takes all iterations, anyhow */
        bool is_spread = mapper_positions(p, mapping, p->n_rows, i) > 1;
        for (int r = 0; r < p->n_rows && (domain->tied >> i & 1); r++)
            key[n++] = is_spread ? mapping->factor[r][i] : 1;
    }
    int64_t *count = sator_mapper_words_place(words, key, n, &is_new);
    if (is_new)
        *count = sator_mapper_tied_stamps(p, domain, mapping);
    return *count;
}

/* Of a domain that is no box, or a hull that stands for one; about, where points are many. */
static int64_t stamps_of_domain(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    const struct mapper_domain *domain = domain_of(problem);
    double stamps;

    if (domain->has == NULL)
        stamps = sator_mapper_domain_stamps(problem, domain, mapping);
    else
        stamps = sator_mapper_free_stamps(problem, domain, mapping) *
                (double)tied_stamps(problem, words, domain, mapping);
    return (int64_t)ceil(problem->domain != NULL ? stamps : stamps / problem->lengthened->share);
}

int64_t sator_mapper_time_stamps(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    int64_t stamps = 1;

    if (problem->skew != NULL)
        return sator_mapper_ordered_stamps(problem, mapping);
    if (domain_of(problem) != NULL)
        return stamps_of_domain(problem, words, mapping);
    if (!problem->imperfect)
        return stamps_outside(problem, mapping, problem->n_rows);
    for (int i = 0; i < problem->n_loops; i++)
        stamps *= sator_mapper_places(problem, mapping, i, false);
    return stamps;
}

void sator_mapper_walk_pace(struct mapper_walk *walk, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape,
        struct mapper_pace *pace)
{
    const struct mapper_problem *p = walk->problem;

    sator_mapper_walk_stamps(walk, mapping);
    sator_mapper_pace_init(pace);
    for (int r = walk->transfer->child_row - 1; r >= walk->cold_row && !pace->dead; r--) {
        const int8_t *order = mapping->order[p->row[r].memory];
        if (p->row[r].is_space)
            continue;
        for (int k = p->n_loops - 1; k >= 0 && !pace->dead; k--) {
            int loop = order[k];
            int64_t factor = mapping->factor[r][loop];
            if (factor > 1)
                sator_mapper_pace_place(
                        walk, words, pace, loop, factor, shape->inside[r + 1][loop]);
        }
    }
}

int64_t sator_mapper_count_ways(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, int transfer, int n_ways)
{
    struct mapper_shape shape;
    struct mapper_walk walk;
    struct mapper_pace pace;

    sator_mapper_shape_init(problem, mapping, &shape);
    if (sator_mapper_is_cut(problem, mapping, &shape, transfer)) {
        struct mapper_sharing sharing = sator_mapper_sharing_of(&problem->transfer[transfer]);
        sharing.n_ways = n_ways;
        int64_t crossing = sator_mapper_tiling_words(words, mapping, &shape, transfer, &sharing);
        return crossing < 0 ? 0 : crossing;
    }
    sator_mapper_walk_open(problem, words, &shape, transfer, MAPPER_ALWAYS, &walk);
    walk.n_ways = n_ways;
    walk.group_words = sator_mapper_entering(words, &walk, NULL);
    sator_mapper_walk_pace(&walk, words, mapping, &shape, &pace);
    return sator_mapper_unique(&walk, &pace);
}

static void count_transfer(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, int t,
        struct mapper_traffic *traffic)
{
    const struct mapper_transfer *what = &problem->transfer[t];
    struct mapper_walk walk;
    struct mapper_pace pace;

    if (what->is_outside &&
            sator_mapper_is_loaded(
                    problem, what, stamps_outside(problem, mapping, what->child_row))) {
        traffic->unique[t] = traffic->arriving[t] = traffic->merged[t] = 0;
        traffic->extra_pj[t] = 0;
        return;
    }
    if (what->is_quotient ||
            (!what->is_counted && sator_mapper_is_cut(problem, mapping, shape, t))) {
        const struct mapper_sharing sharing = sator_mapper_sharing_of(what);
        if (!sator_mapper_count_tiling(
                    words, mapping, shape, t, &sharing, &traffic->unique[t], &traffic->arriving[t]))
            traffic->is_unknown = true;
        return;
    }
    if (what->is_counted) {
        sator_mapper_count_transfer(words, mapping, t, traffic);
        return;
    }
    sator_mapper_walk_open(problem, words, shape, t, MAPPER_AS_IT_IS, &walk);
    sator_mapper_walk_pace(&walk, words, mapping, shape, &pace);
    traffic->unique[t] = sator_mapper_unique(&walk, &pace);
    traffic->arriving[t] = sator_mapper_arriving(&walk, &pace);
    assert(0 <= traffic->unique[t] && traffic->unique[t] <= traffic->arriving[t]);
}

/* The rows whose tiles differ; inside of all they do not. */
static unsigned differing_tiles(
        const struct mapper_problem *p, const struct mapper_shape *a, const struct mapper_shape *b)
{
    unsigned rows = 0;

    for (int r = 0; r < p->n_rows; r++) {
        int64_t differ = 0;
        for (int i = 0; i < p->n_loops; i++)
            differ |= a->inside[r][i] ^ b->inside[r][i];
        rows |= differ != 0 ? 1U << r : 0;
    }
    return rows;
}

/* Whether a transfer moves the same words in two mappings that differ in "rows" and have other
 * "tiles" in some, as far as that is soon told: tiles, PEs outside of them and loops outside are
 * the same, of these where something is kept: up to the first that stands alone in an index. */
static bool moves_alike(const struct mapper_problem *p, int transfer,
        const struct mapper_counted *a, const struct mapper_counted *b, unsigned rows,
        unsigned tiles)
{
    const struct mapper_transfer *t = &p->transfer[transfer];
    unsigned before = (1U << t->child_row) - 1, outside = rows & before;
    unsigned shared = (t->collapsed | t->linked_rows) & before;
    bool ends = false;

    if (t->is_counted || (outside & (t->outer | t->between)) != 0)
        return false;
    if ((tiles & (shared << 1 | 1U << t->child_row)) != 0)
        return false;
    if (outside != 0 && p->imperfect &&
            (sator_mapper_is_cut(p, &a->mapping, &a->shape, transfer) ||
                    sator_mapper_is_cut(p, &b->mapping, &b->shape, transfer)))
        return false;
    if (outside == 0)
        return true;
    for (int r = t->child_row - 1; r >= sator_mapper_cold_row(p, &a->shape, t) && !ends; r--) {
        if (!p->row[r].is_space &&
                !sator_mapper_runs_alike(
                        p, r, &a->mapping, &b->mapping, p->access[t->access].plain, &ends))
            return false;
    }
    return true;
}

/* What the words of transfer "t" spend; less than nothing where they merge, and spare others more.
 */
static double pj_of(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic, int t)
{
    return (double)traffic->unique[t] * problem->transfer[t].unique_pj +
            (double)traffic->arriving[t] * problem->transfer[t].arriving_pj;
}

/* Count all but the transfers "known", which are; false as soon as they spend more than "most_pj",
 * or all is worth more than "most". What outer memories spend differs most. */
static bool count(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, const struct mapper_shape *shape, unsigned known,
        double most_pj, double most, struct mapper_traffic *traffic)
{
    double pj = problem->fixed_pj;

    traffic->time_stamps = sator_mapper_time_stamps(problem, words, mapping);
    traffic->is_unknown = traffic->has_late = false;
    if (problem->in_hull)
        sator_mapper_count_stamps(words, mapping, traffic);
    for (unsigned left = known; left != 0; left &= left - 1)
        pj += pj_of(problem, traffic, __builtin_ctz(left));
    for (int t = problem->n_transfers - 1; t >= 0 && !(pj > most_pj); t--) {
        if (known >> t & 1)
            continue;
        count_transfer(problem, words, mapping, shape, t, traffic);
        pj += pj_of(problem, traffic, t);
    }
    return !(pj > most_pj) &&
            sator_mapper_find_busiest(problem, words, mapping, shape, most, traffic);
}

void sator_mapper_count(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping, struct mapper_traffic *traffic)
{
    struct mapper_shape shape;

    sator_mapper_shape_init(problem, mapping, &shape);
    count(problem, words, mapping, &shape, 0, INFINITY, INFINITY, traffic);
}

/* Whether transfer "t" of "next" moves what its traffic says, counted anew. */
static inline bool is_counted_so(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_counted *next, int t)
{
    struct mapper_traffic traffic;

    count_transfer(problem, words, &next->mapping, &next->shape, t, &traffic);
    return traffic.unique[t] == next->traffic.unique[t] &&
            traffic.arriving[t] == next->traffic.arriving[t];
}

bool sator_mapper_count_near(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_counted *near, unsigned rows, double most_pj, double most,
        struct mapper_counted *next)
{
    bool is_near = near != NULL && !near->traffic.is_unknown;
    unsigned tiles = is_near ? differing_tiles(problem, &near->shape, &next->shape) : 0, known = 0;

    for (int t = 0; t < problem->n_transfers && is_near; t++) {
        if (!moves_alike(problem, t, near, next, rows, tiles))
            continue;
        known |= 1U << t;
        next->traffic.unique[t] = near->traffic.unique[t];
        next->traffic.arriving[t] = near->traffic.arriving[t];
        assert(is_counted_so(problem, words, next, t));
    }
    return count(problem, words, &next->mapping, &next->shape, known,
            problem->lends ? INFINITY : most_pj, most, &next->traffic);
}

double sator_mapper_value(enum sator_map_objective objective, double pj, double cycles)
{
    switch (objective) {
    case SATOR_MAP_ENERGY:
        return pj;
    case SATOR_MAP_LATENCY:
        return cycles;
    default:
        return pj * cycles;
    }
}

struct mapper_cost sator_mapper_cost(
        const struct mapper_problem *problem, const struct mapper_traffic *traffic)
{
    double pj = problem->fixed_pj;
    bool has_extra = problem->has_counted || traffic->has_late;

    if (traffic->is_unknown)
        return (struct mapper_cost){INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < problem->n_transfers; i++) {
        pj += pj_of(problem, traffic, i);
        if (has_extra &&
                (problem->transfer[i].is_counted ||
                        (traffic->has_late && problem->transfer[i].has_late)))
            pj += traffic->extra_pj[i];
    }
    double cycles = fmax((double)traffic->time_stamps * problem->cycles_per_instance,
            sator_mapper_longest_port(problem, traffic));
    assert(cycles > 0);
    if (problem->leakage_pj != 0)
        pj += problem->leakage_pj * ceil(cycles);
    if (!problem->has_energy)
        pj = NAN;
    return (struct mapper_cost){pj, cycles, sator_mapper_value(problem->objective, pj, cycles)};
}

/* ---- legality ---- */

bool sator_mapper_is_legal(const struct mapper_problem *problem, struct mapper_words *words,
        const struct mapper_mapping *mapping)
{
    struct mapper_shape shape;

    if (!mapper_is_complete(problem, mapping)) /* it may be one of a space of other factors */
        return false;
    if (!mapper_fits_arrays(problem, mapping))
        return false;
    if (problem->imperfect && !sator_mapper_is_in_space(problem, mapping))
        return false;
    sator_mapper_shape_init(problem, mapping, &shape);
    for (int m = 0; m < problem->n_memories; m++) {
        if (!sator_mapper_tile_fits(problem, words, m, shape.inside[problem->memory[m].row]))
            return false;
    }
    return sator_mapper_is_allowed(problem, mapping);
}
