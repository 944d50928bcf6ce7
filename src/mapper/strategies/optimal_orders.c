/* The loop orders of a tiling, innermost loop first, cut by what is placed already. */
#include "count/tiled/tiling.h"
#include "mapper/phases/phases.h"
#include "mapper/problem/domain.h"
#include "mapper/problem/skew.h"
#include "mapper/strategies/optimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = MAPPER_MEMORIES * MAPPER_LOOPS + 2,
    MOST_SEEN = 1 << 12 /* orders of one tiling */
};

/* The orders of a tiling that have been looked at, by the loops placed. */
struct orders_seen {
    uint64_t tiling; /* its number */
    struct seen_set {
        uint64_t tiling;
        int last; /* order of these loops, or -1 */
    } * set; /* by memory and the loops placed there */
    int n_orders;
    struct seen_order {
        int before; /* one of the same loops, or -1 */
        double saved[1 + MAPPER_PORTS];
    } * order;
};

/* What does not depend on the order, by transfer, and what the loops placed do, by depth. */
struct optimal_tiling {
    struct mapper_walk walk[MAPPER_TRANSFERS];
    /* of a domain that is no box: shares of what its hull's transfers bring, as domain.h has them,
     * to PEs that share and to each */
    double brought[MAPPER_TRANSFERS][2];
    bool is_ragged[MAPPER_TRANSFERS]; /* last tiles are short: counted by these two ... */
    struct sator_tiling *groups[MAPPER_TRANSFERS]; /* ... what groups take ... */
    struct sator_tiling *tiles[MAPPER_TRANSFERS]; /* ... and all PEs */
    int64_t cut[MAPPER_TRANSFERS][MAPPER_LOOPS]; /* how much shorter */
    int64_t group_all[MAPPER_TRANSFERS], tile_all[MAPPER_TRANSFERS]; /* words, if none were kept */
    int64_t plain_stamps[MAPPER_TRANSFERS]; /* products of loops that stand alone in an index */
    bool is_filled; /* no innermost memory is ever without a tile, nor has one of a single step */
    bool is_short[MAPPER_LOOPS]; /* else: loops whose factors leave a remainder */
    bool is_uneven; /* what orders save is not the same at all instances of a memory */
    /* what compute units are streamed in a stamp, by transfer (phases.h); stamps, and those in
     * which sums begin */
    bool has_streams;
    double streamed[MAPPER_TRANSFERS], stamps, begun;
    struct mapper_pace pace[MOST_DEPTH][MAPPER_TRANSFERS];
    struct orders_seen seen;
};

/* The words of a transfer when nothing is kept but what the loops placed keep. */
static int64_t unique_of(const struct optimizer *o, int t, const struct mapper_pace *pace)
{
    return o->tiling->is_ragged[t] ? o->tiling->group_all[t] - pace->kept_unique
                                   : sator_mapper_unique(&o->tiling->walk[t], pace);
}

static int64_t arriving_of(const struct optimizer *o, int t, const struct mapper_pace *pace)
{
    return o->tiling->is_ragged[t] ? o->tiling->tile_all[t] - pace->kept_arriving
                                   : sator_mapper_arriving(&o->tiling->walk[t], pace);
}

/* Short last tiles that only the engines count: nothing is known until they are asked. */
static bool is_asked(const struct optimizer *o, int t)
{
    return o->tiling->is_ragged[t] && o->problem->transfer[t].is_counted;
}

static bool is_direct_ragged(const struct optimizer *o, int t)
{
    return o->tiling->is_ragged[t] && o->problem->transfer[t].child == o->problem->n_memories;
}

/* What the engines have counted of an order. */
struct counted_order {
    uint32_t known; /* transfers */
    struct mapper_traffic traffic;
};

/* A transfer whose words are known. */
static void add_counted(const struct mapper_problem *p, const struct mapper_traffic *traffic, int t,
        struct mapper_share *share)
{
    double unique = (double)traffic->unique[t], arriving = (double)traffic->arriving[t];
    struct mapper_range range = {unique, unique, arriving, arriving, 0};

    sator_mapper_share_transfer(p, t, &range, 0, share);
    share->pj += traffic->extra_pj[t];
}

/* What is known of a transfer that the engines count, whose relaxation has this range; of a domain
 * that is no box, whose hull has it. */
static void bound_counted(const struct optimizer *o, int t, struct mapper_range *range)
{
    const struct mapper_problem *p = o->problem;
    const double *brought = o->tiling->brought[t];
    double unique = range->unique_lb, arriving = range->arriving_lb;

    if (p->transfer[t].is_counted || p->transfer[t].is_quotient)
        sator_mapper_range_counted(p, t, o->tiling->walk[t].parts, range);
    if (p->domain == NULL)
        return;
    mapper_range_raise(range, brought[0] * unique, brought[1] * arriving);
}

static void open_streams(const struct optimizer *o, struct mapper_streams *streams)
{
    for (int q = 0; q < o->problem->n_ports && o->tiling->has_streams; q++) {
        streams[q].port = q;
        streams[q].n = 0;
        streams[q].all = o->tiling->stamps;
        streams[q].begun = o->tiling->begun;
        streams[q].sparing = streams[q].alone = 0;
    }
}

/* Take it that a transfer brings "range". */
static void add_streams(const struct optimizer *o, int t, const struct mapper_range *range,
        struct mapper_streams *streams)
{
    double each = o->tiling->streamed[t];

    for (int q = 0; q < o->problem->n_ports && each > 0; q++)
        sator_mapper_stream_add(
                &streams[q], o->problem, &o->at.crew, t, range->unique_lb / each, each);
}

/* The cost, if no stamp takes less than what it streams, in whole cycles. */
static struct mapper_cost cost_of(
        struct optimizer *o, const struct mapper_share *share, const struct mapper_streams *streams)
{
    const struct mapper_problem *p = o->problem;
    double compute = o->at.compute_cycles;

    for (int q = 0; q < p->n_ports && o->tiling->has_streams; q++)
        o->at.compute_cycles = mapper_greater(o->at.compute_cycles,
                sator_mapper_whole_cycles(p, &streams[q]) + o->at.exposed.alone);
    struct mapper_cost cost = optimal_cost(o, share);
    o->at.compute_cycles = compute;
    return cost;
}

/* The bound of a partial order: what is placed is exact, what is not may be kept as far as loops
 * that stand alone in an index allow. */
static struct mapper_cost order_bound(
        struct optimizer *o, const struct mapper_pace *pace, const struct counted_order *counted)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_share share = optimal_fixed(o);
    struct mapper_streams streams[MAPPER_PORTS];

    open_streams(o, streams);
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_walk *walk = &o->tiling->walk[t];
        double groups = (double)walk->groups, tiles = (double)walk->tiles;
        if (counted != NULL && (counted->known >> t & 1)) {
            add_counted(p, &counted->traffic, t, &share);
            continue;
        }
        int64_t runs = walk->stamps / pace[t].inside; /* of the loops placed */
        /* where it is not dead no loop is placed that stands alone, or the last ones have one step
         */
        bool is_ragged = o->tiling->is_ragged[t];
        int64_t plain = is_ragged && !o->tiling->is_filled ? 0 : o->tiling->plain_stamps[t];
        double open = pace[t].dead ? 0 : (double)(runs - plain);
        double unique = (double)unique_of(o, t, &pace[t]);
        double arriving = (double)arriving_of(o, t, &pace[t]);
        /* each word once, if any crosses */
        double each = p->chains && walk->groups == 0 ? 0 : (double)walk->access->footprint;
        /* what short tiles have may be on more buses than the rest, or on fewer */
        bool is_grouped = is_ragged && walk->transfer->grouped_rows != 0;
        double scale = is_grouped ? 1 : walk->scale;
        struct mapper_range range = {
                .unique_ub = unique,
                .unique_lb = unique - groups * scale * open * (double)walk->group_words,
                .arriving_ub = arriving,
                .arriving_lb = arriving - tiles * walk->scale * open * (double)walk->tile_words,
        };
        /* of one family of buses, and no links, a part of the PEs and words takes no more buses */
        bool is_joined = is_ragged && sator_mapper_sharing_of(walk->transfer).n_ways > 0 &&
                (walk->transfer->n_passes > 0 || walk->transfer->n_buses > 1);
        if (is_joined && !pace[t].dead) /* shorter tiles may leave more to fetch */
            range.unique_lb = 0;
        if (is_ragged && walk->transfer->is_quotient)
            range.unique_lb = range.arriving_lb = 0; /* the walk has the least that a tile brings */
        if ((is_ragged && p->chains) || (!walk->access->is_sliding && is_direct_ragged(o, t)))
            mapper_range_raise(&range, each, each);
        else if (walk->access->is_sliding)
            mapper_range_raise(&range, groups * (double)(walk->copies * walk->group_cover),
                    tiles * (double)walk->tile_cover);
        else if (!is_grouped)
            range.ratio = tiles * (double)walk->tile_words / (groups * (double)walk->group_words);
        if (is_asked(o, t))
            range.unique_lb = range.arriving_lb = 0;
        bound_counted(o, t, &range);
        if (walk->passes || is_joined) /* more may cross where some is kept than where nothing is */
            range.unique_ub = arriving;
        sator_mapper_share_transfer(p, t, &range, 0, &share);
        add_streams(o, t, &range, streams);
    }
    return cost_of(o, &share, streams);
}

/* Put the loops not in "placed" outside, in any order: it does not matter. */
static void append_rest(struct optimizer *o, int m, unsigned placed, int n_placed)
{
    int n_loops = o->problem->n_loops;

    for (int i = 0; i < n_loops; i++) {
        if (!(placed >> i & 1))
            o->at.mapping.order[m][n_loops - 1 - n_placed++] = (int8_t)i;
    }
}

/* Whether an order cannot win once the counted transfers "which", for which the loops placed are
 * all that matters, are counted: one after the other, since each question takes long. The mapping
 * has some order of the other loops. */
static bool counts_too_much(struct optimizer *o, uint32_t which, const struct mapper_pace *pace)
{
    struct counted_order counted = {.known = 0};

    for (; which != 0; which &= which - 1) {
        int t = __builtin_ctz(which);
        counted.traffic.is_unknown = false;
        sator_mapper_count_transfer(o->search->words, &o->at.mapping, t, &counted.traffic);
        if (counted.traffic.is_unknown)
            continue;
        counted.known |= UINT32_C(1) << t;
        struct mapper_cost bound = order_bound(o, pace, &counted);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
            o->search->counters.pruned_order++;
            return true;
        }
    }
    return false;
}

/* Whether loops outside those placed make transfer "t", counted or not, repeat what it brings. */
static bool is_settled(const struct optimizer *o, int t, const struct mapper_pace *pace)
{
    return pace[t].settled && sator_mapper_is_settled_early(o->problem, &o->problem->transfer[t]);
}

/* The counted transfers for which no other loops than those placed matter, from memory "m" inward:
 * some loop among these stands alone in an index. "pace" NULL: all loops are placed. */
static uint32_t counted_at(const struct optimizer *o, int m, const struct mapper_pace *pace)
{
    const struct mapper_problem *p = o->problem;
    uint32_t which = 0;

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        bool is_final = pace == NULL ||
                (is_settled(o, t, pace) && o->tiling->walk[t].cold_row <= p->memory[m].row);
        if (transfer->is_counted && !transfer->is_outside && is_final)
            which |= UINT32_C(1) << t;
    }
    return which;
}

static void finish_order(struct optimizer *o, const struct mapper_pace *pace)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_traffic traffic;

    if (p->has_counted) {
        double bound = order_bound(o, pace, NULL).value;
        if (counts_too_much(o, counted_at(o, 0, NULL), pace))
            return;
        sator_mapper_count(p, o->search->words, &o->at.mapping, &traffic);
        sator_mapper_offer_counted(o->search, &o->at.mapping, &traffic, bound);
        return;
    }
    for (int t = 0; t < p->n_transfers; t++) {
        traffic.unique[t] = unique_of(o, t, &pace[t]);
        traffic.arriving[t] = arriving_of(o, t, &pace[t]);
    }
    /* the busiest instance takes no less than all do on average */
    struct mapper_cost bound = {0};
    if (p->has_inner_ports) {
        bound = order_bound(o, pace, NULL);
        if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
            o->search->counters.pruned_order++;
            return;
        }
    }
    traffic.time_stamps = sator_mapper_time_stamps(p, o->search->words, &o->at.mapping);
    traffic.is_unknown = traffic.has_late = false;
    sator_mapper_find_busiest(
            p, o->search->words, &o->at.mapping, &o->at.shape, INFINITY, &traffic);
    struct mapper_cost cost = sator_mapper_cost(p, &traffic);
    if (p->has_late && !traffic.is_unknown &&
            !sator_mapper_is_better_without_late(o->search, &o->at.mapping, cost))
        return; /* nor do its bounds know of late links, which are left out of its proofs */
    sator_mapper_offer_counted(o->search, &o->at.mapping, &traffic, bound.value);
}

/* Which transfers still care for the loops of memory row "m". */
static unsigned alive_at(const struct optimizer *o, int m, const struct mapper_pace *pace)
{
    unsigned alive = 0;

    for (int t = 0; t < o->problem->n_transfers; t++) {
        const struct mapper_transfer *transfer = &o->problem->transfer[t];
        if (transfer->child_row > o->problem->memory[m].row &&
                o->tiling->walk[t].cold_row <= o->problem->memory[m].row &&
                (!pace[t].dead || (transfer->reaches_back && !is_settled(o, t, pace))))
            alive |= 1U << t;
    }
    return alive;
}

/* Whether some PEs that have something to do when "loop" begins have nothing when it ends: what
 * they then hold is lost, so it matters which loops are inside of it. */
static bool leaves_idle(const struct optimizer *o, int t, int loop)
{
    const struct mapper_problem *p = o->problem;
    bool is_spread = is_asked(o, t) || mapper_positions(p, &o->at.mapping, p->n_rows, loop) > 1;

    return is_spread && o->tiling->is_ragged[t] &&
            sator_mapper_is_ragged(p, &o->at.mapping, 1U << loop);
}

/* Whether some compute units that have something to do when "loop" begins have nothing when it
 * ends: what they then hold is lost, so it matters which loops are inside of it. */
static bool ends_idle(const struct optimizer *o, int t, int loop)
{
    const struct mapper_problem *p = o->problem;
    int64_t outside = 1;

    if (p->chains)
        return leaves_idle(o, t, loop);
    if (is_asked(o, t)) /* where the loop does not divide */
        return sator_mapper_is_ragged(p, &o->at.mapping, 1U << loop);
    if (!is_direct_ragged(o, t))
        return false;
    for (int r = 0; r <= p->innermost; r++)
        outside *= o->at.mapping.factor[r][loop];
    int64_t lanes = mapper_positions_on(&o->at.shape, ~mapper_rows_before(p->innermost), loop);
    return p->extent[loop] % lanes != 0 ||
            (mapper_positions(p, &o->at.mapping, p->innermost, loop) > 1 &&
                    outside != sator_mapper_blocks(p->extent[loop], lanes));
}

/* Whether "loop" indexes nothing alive and nothing alive has moved: placing it next keeps the most,
 * which costs the least. */
static bool is_harmless(
        const struct optimizer *o, unsigned alive, const struct mapper_pace *pace, int loop)
{
    for (int t = 0; t < o->problem->n_transfers; t++) {
        if ((alive >> t & 1) &&
                (pace[t].moved || o->problem->transfer[t].reaches_back || !(o->at.grows >> t & 1) ||
                        (o->problem->transfer[t].is_counted && o->problem->transfer[t].merges) ||
                        (o->tiling->walk[t].access->relevant >> loop & 1) || ends_idle(o, t, loop)))
            return false;
    }
    return true;
}

/* ---- orders of the same loops ---- */

/* What the loops placed save against keeping nothing: energy, then bits by port. */
static void find_saved(const struct optimizer *o, const struct mapper_pace *pace, double *saved)
{
    const struct mapper_problem *p = o->problem;
    double words[2 * MAPPER_TRANSFERS];

    saved[0] = 0;
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_walk *walk = &o->tiling->walk[t];
        bool whole = !o->tiling->is_ragged[t];
        words[2 * t] = (double)pace[t].kept_unique * (whole ? (double)walk->groups : 1);
        words[2 * t + 1] = (double)pace[t].kept_arriving * (whole ? (double)walk->tiles : 1);
        saved[0] += words[2 * t] * p->transfer[t].unique_pj +
                words[2 * t + 1] * p->transfer[t].arriving_pj;
    }
    memset(saved + 1, 0, sizeof *saved * (size_t)p->n_ports);
    for (int t = 0; t < p->n_transfers; t++) {
        for (int k = 0; k < p->transfer[t].n_flows; k++) {
            const struct mapper_flow *flow = &p->transfer[t].flow[k];
            saved[1 + flow->port] += words[2 * t + flow->arriving] * flow->bits;
        }
    }
}

/* Whether the loops placed, those of the memories inside "m" and "placed" of m's own, have been in
 * an order that saves at least as much of everything. What further loops save depends on which
 * loops are inside them, not on the order of these: so nothing is better than with that order. */
static bool is_no_better(
        struct optimizer *o, int m, unsigned placed, const struct mapper_pace *pace)
{
    struct orders_seen *seen = &o->tiling->seen;
    struct seen_set *set = &seen->set[(unsigned)m << o->problem->n_loops | placed];
    int n = 1 + o->problem->n_ports;
    struct seen_order *order = &seen->order[seen->n_orders];

    find_saved(o, pace, order->saved);
    if (set->tiling != seen->tiling)
        *set = (struct seen_set){seen->tiling, -1};
    for (int at = set->last; at >= 0; at = seen->order[at].before) {
        int i = 0;
        while (i < n && seen->order[at].saved[i] >= order->saved[i])
            i++;
        if (i == n)
            return true;
    }
    if (seen->n_orders < MOST_SEEN - 1) { /* else it is forgotten */
        order->before = set->last;
        set->last = seen->n_orders++;
    }
    return false;
}

static void order_from(struct optimizer *o, int m, unsigned placed, int n_placed, int depth);

/* Unless it is known, nothing crosses: the mapping is not costed in the end. */
static int64_t known(int64_t words)
{
    return words == TILING_UNKNOWN ? 0 : words;
}

/* Place a loop of a transfer with short last tiles. */
static void place_ragged(struct optimizer *o, int t, struct mapper_pace *pace, int loop,
        int64_t factor, int64_t step)
{
    const struct mapper_access *access = o->tiling->walk[t].access;
    bool relevant = access->relevant >> loop & 1;

    /* a constraint may set a factor where a single tile is left: it moves nothing */
    if (step < o->problem->extent[loop]) {
        pace->inside *= factor;
        /* its tiles share nothing, unless the last ones have but one step of it */
        pace->dead = (access->plain >> loop & 1) && !o->tiling->is_short[loop];
        pace->moved |= relevant;
    }
    if (is_asked(o, t))
        return;
    int64_t kept = known(sator_tiling_step(o->tiling->groups[t], loop));
    pace->kept_unique += kept;
    if (o->tiling->tiles[t] != o->tiling->groups[t])
        kept = known(sator_tiling_step(o->tiling->tiles[t], loop));
    pace->kept_arriving += kept;
}

static void unplace_ragged(struct optimizer *o, int t)
{
    if (is_asked(o, t))
        return;
    sator_tiling_back(o->tiling->groups[t]);
    if (o->tiling->tiles[t] != o->tiling->groups[t])
        sator_tiling_back(o->tiling->tiles[t]);
}

static void place_loop(
        struct optimizer *o, int m, unsigned placed, int n_placed, int depth, int loop)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row;
    struct mapper_pace *pace = o->tiling->pace[depth + 1];

    int64_t factor = o->at.mapping.factor[row][loop], step = o->at.shape.inside[row + 1][loop];
    uint32_t ragged = 0;

    memcpy(pace, o->tiling->pace[depth], sizeof *pace * (size_t)p->n_transfers);
    for (int t = 0; t < p->n_transfers; t++) {
        bool is_over = o->tiling->is_ragged[t] ? pace[t].dead : pace[t].settled;
        if (p->transfer[t].child_row <= row || is_over || factor == 1)
            continue;
        if (row < o->tiling->walk[t].cold_row) {
            pace[t].dead = true;
            continue;
        }
        ragged |= o->tiling->is_ragged[t] ? UINT32_C(1) << t : 0;
        if (o->tiling->is_ragged[t])
            place_ragged(o, t, &pace[t], loop, factor, step);
        else
            sator_mapper_pace_place(
                    &o->tiling->walk[t], o->bounded_words, &pace[t], loop, factor, step);
    }
    o->at.mapping.order[m][p->n_loops - 1 - n_placed] = (int8_t)loop;
    order_from(o, m, placed | 1U << loop, n_placed + 1, depth + 1);
    for (int t = 0; t < p->n_transfers; t++) {
        if (ragged >> t & 1)
            unplace_ragged(o, t);
    }
}

/* Whether the engines count some transfer for which any order may matter. */
static bool asks_engines(const struct mapper_problem *p)
{
    for (int t = 0; t < p->n_transfers; t++) {
        if (p->transfer[t].is_counted && !sator_mapper_is_settled_early(p, &p->transfer[t]))
            return true;
    }
    return false;
}

/* Whether "loops" all index an access, or none does. */
static bool index_alike(const struct mapper_access *access, unsigned loops)
{
    return (access->relevant & loops) == 0 || (access->relevant & loops) == loops;
}

/* Whether "loop" need not stand directly outside the last of the loops that are placed at memory
 * "m": exchanged, all stamps move the same, and that is looked at. */
static bool is_exchanged(const struct optimizer *o, int m, int n_placed, int depth, int loop)
{
    const struct mapper_problem *p = o->problem;
    int row = p->memory[m].row, last = o->at.mapping.order[m][p->n_loops - n_placed];
    unsigned both = 1U << loop | 1U << last;

    if (loop > last || (p->row[row].outside[last] >> loop & 1) ||
            sator_mapper_is_ragged(p, &o->at.mapping, both)) /* short steps come at other times */
        return false;
    for (int a = 0; a < p->n_accesses; a++) { /* sums begin where other loops do */
        if (p->access[a].role == SATOR_WRITE && !index_alike(&p->access[a], both))
            return false;
    }
    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_access *access = o->tiling->walk[t].access;
        const struct mapper_pace *pace = &o->tiling->pace[depth - 1][t];
        bool reaches_back = p->transfer[t].reaches_back;
        unsigned told = reaches_back ? ~0U : ~access->plain;
        if (p->transfer[t].child_row > row &&
                (reaches_back ? !is_settled(o, t, pace) : !pace->dead) &&
                (!index_alike(access, both) || (access->relevant & told & both) != 0))
            return false;
    }
    return true;
}

static void order_from(struct optimizer *o, int m, unsigned placed, int n_placed, int depth)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_pace *pace = o->tiling->pace[depth];
    bool asks = asks_engines(p); /* what they count may depend on any order */

    if (sator_mapper_should_stop(o->search))
        return;
    o->search->counters.orders++;
    unsigned alive = alive_at(o, m, pace);
    unsigned left = mapper_loops_of(p, o->at.mapping.factor[p->memory[m].row]) & ~placed;
    /* what moves when, or when each tile that is cut short comes, matters to the end */
    bool timed = p->phases != NULL || sator_mapper_ends_by_order(p, &o->at.mapping);
    timed |= sator_mapper_ends_short(p) && o->search->timer != NULL;
    if (left == 0 || (alive == 0 && !asks && !timed)) {
        append_rest(o, m, placed, n_placed);
        if (m == 0) {
            finish_order(o, pace);
            return;
        }
        order_from(o, m - 1, 0, 0, depth);
        return;
    }
    bool uneven = p->asked_ports != 0 || o->tiling->is_uneven;
    bool known = !p->has_counted && !uneven && !timed;
    if (known && (n_placed > 1 || (n_placed == 0 && depth > 1)) &&
            is_no_better(o, m, placed, pace)) {
        o->search->counters.pruned_order++;
        return;
    }
    struct mapper_cost bound = order_bound(o, pace, NULL);
    if (sator_mapper_is_hopeless(o->search, bound.pj, bound.cycles)) {
        o->search->counters.pruned_order++;
        return;
    }
    uint32_t settled = p->has_counted ? counted_at(o, m, pace) : 0;
    if (settled != 0) {
        append_rest(o, m, placed, n_placed);
        if (counts_too_much(o, settled, pace))
            return;
    }
    left = sator_mapper_innermost_of(p, p->memory[m].row, left);
    bool keeps_best =
            !asks && !timed && p->asked_ports == 0 && !(o->tiling->is_uneven && p->has_passed_sums);
    for (int i = 0; i < p->n_loops; i++) {
        if (keeps_best && (left >> i & 1) && is_harmless(o, alive, pace, i)) {
            place_loop(o, m, placed, n_placed, depth, i);
            return;
        }
    }
    for (int i = 0; i < p->n_loops; i++) {
        if ((left >> i & 1) && !(timed && n_placed > 0 && is_exchanged(o, m, n_placed, depth, i)))
            place_loop(o, m, placed, n_placed, depth, i);
    }
}

static struct sator_tiling *open_tiling(
        struct optimizer *o, int t, const struct mapper_sharing *sharing)
{
    return sator_mapper_tiling_open(
            o->search->words, &o->at.mapping, &o->at.shape, t, sharing, true);
}

/* Begin to count a transfer with short last tiles; false where all are whole. */
static bool open_ragged(struct optimizer *o, int t)
{
    const struct mapper_problem *p = o->problem;
    struct mapper_walk *walk = &o->tiling->walk[t];

    if (!sator_mapper_is_cut(p, &o->at.mapping, &o->at.shape, t))
        return false;
    o->tiling->group_all[t] = o->tiling->tile_all[t] = walk->access->volume;
    if (p->transfer[t].is_counted)
        return true;
    struct mapper_sharing sharing = sator_mapper_sharing_of(&p->transfer[t]);
    o->tiling->groups[t] = o->tiling->tiles[t] = open_tiling(o, t, &sharing);
    o->tiling->group_all[t] = o->tiling->tile_all[t] =
            known(sator_tiling_all(o->tiling->groups[t]));
    if (sharing.rows != 0) {
        o->tiling->tiles[t] = open_tiling(o, t, &(struct mapper_sharing){0});
        o->tiling->tile_all[t] = known(sator_tiling_all(o->tiling->tiles[t]));
    }
    if (walk->groups == 0) /* nothing crosses */
        o->tiling->group_all[t] = o->tiling->tile_all[t] = 0;
    walk->cut = p->chains || p->transfer[t].child == p->n_memories ? NULL : o->tiling->cut[t];
    for (int i = 0; i < p->n_loops; i++) {
        int row = p->transfer[t].child_row;
        int64_t covered = o->at.shape.inside[row][i]; /* iterations, with those that are not */
        for (int r = 0; r < row; r++)
            covered *= o->at.mapping.factor[r][i];
        o->tiling->cut[t][i] = covered - p->extent[i];
        if (walk->access->plain >> i & 1) /* a single tile has none of these */
            walk->scale *= (double)p->extent[i] / (double)covered;
    }
    return true;
}

/* Whether the last innermost tile of some loop is a single step: along it nothing moves there. */
static bool has_single(const struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t tile = o->at.mapping.factor[p->innermost][i];
        int64_t blocks = sator_mapper_blocks(p->extent[i], o->at.unrolled_of[i].lanes);
        if (tile > 1 && blocks % tile == 1)
            return true;
    }
    return false;
}

struct optimal_tiling *optimal_tiling_new(const struct mapper_problem *problem)
{
    size_t n_sets = (size_t)problem->n_memories << problem->n_loops;
    struct optimal_tiling *tiling = sator_alloc(sizeof *tiling);
    struct orders_seen *seen = &tiling->seen;

    seen->tiling = 0;
    seen->set = sator_calloc(n_sets, sizeof *seen->set);
    seen->order = sator_alloc(sizeof *seen->order * MOST_SEEN);
    return tiling;
}

void optimal_tiling_free(struct optimal_tiling *tiling)
{
    free(tiling->seen.set);
    free(tiling->seen.order);
    free(tiling);
}

/* Where late links may lead from one run to the next, loops outside a run are told apart, too. */
static void open_late(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    for (int t = 0; t < p->n_transfers && sator_mapper_counts_skew(p); t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        if (transfer->reaches_back && sator_mapper_is_settled_early(p, transfer) &&
                transfer->links_alone != NULL &&
                sator_mapper_span(p, &o->at.mapping, transfer->child - 1) <
                        sator_mapper_reach(transfer))
            o->tiling->walk[t].cold_row = 0;
    }
}

/* What compute units are streamed whatever the order. */
static void find_streams(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;
    bool is_known = sator_mapper_has_whole_stamps(p);

    o->tiling->has_streams = false;
    o->tiling->stamps = o->tiling->begun = 1;
    for (int t = 0; t < p->n_transfers; t++) {
        o->tiling->streamed[t] = is_known ? sator_mapper_streamed_words(&o->tiling->walk[t]) : 0;
        o->tiling->has_streams |= o->tiling->streamed[t] > 0;
    }
    for (int m = 0; m < p->n_memories; m++) {
        for (int i = 0; i < p->n_loops && is_known; i++) {
            double steps = (double)o->at.mapping.factor[p->memory[m].row][i];
            o->tiling->stamps *= steps;
            o->tiling->begun *= sator_mapper_sums_over(p, i) ? 1 : steps;
        }
    }
}

/* What is surely brought of a domain that is no box, whatever the order of each memory's loops: the
 * innermost digit that moves a tensor is one of the innermost memory that has any. */
static void find_brought(struct optimizer *o, int t)
{
    const struct mapper_problem *p = o->problem;
    const struct mapper_transfer *transfer = &p->transfer[t];
    bool is_known = !transfer->reaches_back && !transfer->is_outside &&
            (p->domain->scaled >> transfer->access & 1);
    double *brought = o->tiling->brought[t];
    bool moves = false;

    brought[0] = brought[1] = is_known ? p->domain->share : 0;
    for (int r = transfer->child_row - 1; r >= 0 && !moves && is_known; r--) {
        for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++) {
            int64_t steps = o->at.mapping.factor[r][i];
            if (!(o->tiling->walk[t].access->relevant >> i & 1) || steps == 1)
                continue;
            moves = true;
            unsigned rows = mapper_rows_before(transfer->child_row) & ~mapper_rows_before(r + 1);
            for (int k = 0; k < 2; k++) {
                unsigned apart = rows & ~(k == 0 ? transfer->collapsed : 0);
                brought[k] = mapper_lesser(brought[k],
                        sator_mapper_domain_brought(p->domain, i, o->at.shape.inside[r + 1][i],
                                steps, mapper_positions_on(&o->at.shape, apart, i) > 1));
            }
        }
    }
}

void optimal_try_orders(struct optimizer *o)
{
    const struct mapper_problem *p = o->problem;

    sator_mapper_shape_init(p, &o->at.mapping, &o->at.shape);
    for (int t = 0; t < p->n_transfers; t++) {
        sator_mapper_walk_open(o->bounded, o->bounded_words, &o->at.shape, t, MAPPER_AS_IT_IS,
                &o->tiling->walk[t]);
        sator_mapper_walk_stamps(&o->tiling->walk[t], &o->at.mapping);
        sator_mapper_pace_init(&o->tiling->pace[0][t]);
        o->tiling->is_ragged[t] = open_ragged(o, t);
        if (p->domain != NULL)
            find_brought(o, t);
        if (o->tiling->walk[t].access->is_sliding)
            sator_mapper_walk_cover(&o->tiling->walk[t], o->bounded_words, &o->at.shape);
        o->tiling->plain_stamps[t] = 1;
        for (int r = 0; r < o->tiling->walk[t].transfer->child_row; r++) {
            for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++) {
                if (o->tiling->walk[t].access->plain >> i & 1)
                    o->tiling->plain_stamps[t] *= o->at.mapping.factor[r][i];
            }
        }
    }
    find_streams(o);
    open_late(o);
    o->tiling->is_uneven = p->has_inner_ports && sator_mapper_is_ragged(p, &o->at.mapping, ~0U);
    o->tiling->is_filled =
            !p->chains || (sator_mapper_is_filled(p, &o->at.mapping) && !has_single(o));
    for (int i = 0; i < p->n_loops; i++)
        o->tiling->is_short[i] =
                !o->tiling->is_filled && sator_mapper_is_ragged(p, &o->at.mapping, 1U << i);
    o->tiling->seen.tiling++;
    o->tiling->seen.n_orders = 0;
    order_from(o, p->n_memories - 1, 0, 0, 0);
}
