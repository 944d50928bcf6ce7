/* The certificate: the bounds that the optimal strategy cuts by, checked by random completions:
 * whatever is known of a mapping, the bound must not exceed what any mapping that agrees with it
 * costs, counted exactly. Its answers on real layers: no neighbour of an optimum, and no random
 * mapping, is better.
 *
 * What a mapping costs is summed here from the words of its transfers; only the bounds themselves
 * come from src/mapper/bounds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/run.h"
#include "property/mapper_case.h"

#include "mapper/bounds/bounds.h"
#include "mapper/search/search.h"
#include "sator/analyze.h"

struct checked {
    const struct mapper_problem *problem;
    struct mapper_words *words;
    struct mapper_bounds *bounds;
    struct machines_rng *rng;
    struct mapper_crew crew;
    bool any_order; /* bounds are of all orders of the loops on arrays */
    uint32_t joined; /* transfers that are bounded with those into the compute units */
    unsigned single; /* loops that have no factor at the innermost memory, for these */
    /* raised: by a step; together: with some joined; shrunk: words that spare energy */
    int wrong, comparisons, raised, together, shrunk;
    int pairs, standing, either; /* bounds of two memories; with what is further in; of any tile */
};

/* ---- exact shares ---- */

/* What the transfers of a group cost in a mapping, from its words (doc/model.md, section 4), when
 * the tiles of memories from "known" inward are known: others lend and are lent. */
static void exact_share(const struct checked *c, uint32_t group, int known,
        const struct mapper_traffic *traffic, struct mapper_share *share)
{
    const struct mapper_problem *p = c->problem;

    *share = (struct mapper_share){0};
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        if (!(group >> i & 1))
            continue;
        double unique = (double)traffic->unique[i], arriving = (double)traffic->arriving[i];
        share->pj += unique * t->unique_pj + arriving * t->arriving_pj +
                (t->is_counted ? traffic->extra_pj[i] : 0);
        if (p->lends && t->child < known)
            share->pj += c->crew.lent_pj[i] *
                    (arriving - (t->inward < 0 ? (double)p->access[t->access].volume : 0));
        if (p->lends && t->outward >= 0 && p->transfer[t->outward].child < known)
            share->pj -= c->crew.lent_pj[t->outward] * unique;
        for (int k = 0; k < t->n_flows; k++)
            share->bits[t->flow[k].port] +=
                    (t->flow[k].arriving ? arriving : unique) * t->flow[k].bits;
    }
}

/* What is known of the unrolling. */
static void know(struct checked *c, const struct mapper_mapping *mapping)
{
    struct mapper_shape shape;

    sator_mapper_shape_init(c->problem, mapping, &shape);
    sator_mapper_crew_init(c->problem, &shape, 0, &c->crew);
    sator_mapper_bounds_crew(c->bounds, &c->crew);
}

static struct mapper_share fixed_share(const struct checked *c)
{
    struct mapper_share share = {.pj = c->problem->fixed_pj};

    memcpy(share.bits, c->crew.fixed_bits, sizeof share.bits);
    return share;
}

static bool exceeds(double bound, double exact)
{
    return bound > exact + 1e-9 * fabs(exact) + 1e-6;
}

static void show(const struct checked *c, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;

    for (int r = 0; r < p->n_rows; r++) {
        print_message("  %s%s:", p->arch->levels[p->row[r].level].name,
                p->row[r].is_space ? " (parallel)" : "");
        for (int k = 0; k < p->n_loops; k++) {
            int i = p->row[r].is_space ? k : mapping->order[p->row[r].memory][k];
            if (mapping->factor[r][i] > 1)
                print_message(" %s %lld", p->loop_names[i], (long long)mapping->factor[r][i]);
        }
        print_message("\n");
    }
}

static void compare_group(struct checked *c, const char *what, uint32_t group, int known,
        const struct mapper_share *bound, const struct mapper_mapping *mapping)
{
    struct mapper_traffic traffic;
    struct mapper_share exact;
    bool over = false;

    if (c->problem->imperfect && !sator_mapper_is_in_space(c->problem, mapping))
        return; /* completed to a chain that is longer than it need be */
    sator_mapper_count(c->problem, c->words, mapping, &traffic);
    if (traffic.is_unknown)
        return;
    exact_share(c, group, known, &traffic, &exact);
    double cycles = sator_mapper_cost(c->problem, &traffic).cycles, pj = bound->pj;
    for (int i = 0; i < bound->n_steps && cycles < bound->step[i].cycles * (1 - 1e-9); i++) {
        pj = bound->pj + bound->step[i].pj; /* what so fast a mapping spends */
        c->raised++;
    }
    over = exceeds(pj, exact.pj);
    for (int i = 0; i < c->problem->n_ports; i++)
        over |= exceeds(bound->bits[i], exact.bits[i]);
    c->comparisons++;
    c->together += (c->joined & group) != 0;
    if (!over)
        return;
    print_message("%s: transfers %x: bound %.17g pJ, exact %.17g\n", what, group, pj, exact.pj);
    for (int i = 0; i < c->problem->n_ports; i++)
        print_message("  %s: bits %.17g, exact %.17g\n", c->problem->port[i].lane->name,
                bound->bits[i], exact.bits[i]);
    show(c, mapping);
    c->wrong++;
}

static void compare(struct checked *c, const char *what, int child, int known,
        const struct mapper_share *bound, const struct mapper_mapping *mapping)
{
    compare_group(c, what, sator_mapper_bounds_group(c->bounds, child), known, bound, mapping);
}

/* ---- completions ---- */

static int draw(struct checked *c, int n)
{
    return (int)machines_draw(c->rng, (uint64_t)n);
}

static int64_t smallest_prime(int64_t n)
{
    for (int64_t p = 2; p <= n / p; p++) {
        if (n % p == 0)
            return p;
    }
    return n;
}

/* Another innermost tile of loop "i" for the same parallel factors; what is left outside of it. 0:
 * none was found, and the tile is as it was. */
static int64_t draw_tile(struct checked *c, int i, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int64_t *tile = &mapping->factor[p->innermost][i], before = *tile, left = 0;
    struct mapper_unrolled unrolled;

    sator_mapper_unrolled(p, mapping, i, &unrolled);
    for (int try = 0; try < 1000 && left == 0; try++) {
        *tile = 1 + draw(c, (int)p->extent[i]);
        left = sator_mapper_left(p, i, &unrolled, *tile);
    }
    if (left == 0)
        *tile = before;
    return left;
}

static void shuffle(struct checked *c, int8_t *order)
{
    for (int k = c->problem->n_loops - 1; k > 0; k--) {
        int other = draw(c, k + 1);
        int8_t swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
}

/* Give the factors of the time rows before "end" to these rows anew, and all of them new orders. */
static void complete(struct checked *c, int end, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    bool any_tile = p->imperfect && end > p->innermost;

    for (int i = 0; i < p->n_loops; i++) {
        int64_t rest = any_tile ? draw_tile(c, i, mapping) : 1;
        if (rest == 0)
            continue;
        for (int r = 0; r < end; r++) {
            if (p->row[r].is_space || (any_tile && r == p->innermost))
                continue;
            rest *= any_tile ? 1 : mapping->factor[r][i];
            mapping->factor[r][i] = 1;
        }
        while (rest > 1) {
            int64_t prime = smallest_prime(rest);
            int r = draw(c, end);
            bool is_single = c->single >> i & 1;
            while (p->row[r].is_space || ((any_tile || is_single) && r == p->innermost))
                r = draw(c, end);
            mapping->factor[r][i] *= prime;
            rest /= prime;
        }
    }
    for (int m = 0; m < p->n_memories; m++)
        shuffle(c, mapping->order[m]);
    for (int r = 0; r < p->n_rows && c->any_order; r++) {
        if (p->any_order >> r & 1)
            shuffle(c, mapping->along[r]);
    }
}

/* The shape of what is known when the time rows before "end" are not. */
static void known_shape(const struct checked *c, int end, const struct mapper_mapping *mapping,
        struct mapper_shape *shape, int64_t *outside)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_mapping known = *mapping;

    for (int i = 0; i < p->n_loops; i++) {
        outside[i] = 1;
        for (int r = 0; r < end; r++) {
            if (p->row[r].is_space)
                continue;
            outside[i] *= mapping->factor[r][i];
            known.factor[r][i] = 1;
        }
    }
    sator_mapper_shape_init(p, &known, shape);
    shape->in_any_order = c->any_order;
}

/* The bounds of the transfers into "child": nothing known; its tile known; its tile and the loops
 * of the memory outside it known. */
static void check_child(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int inside = child == p->n_memories ? p->n_rows : p->memory[child].row;
    int near_row = p->memory[child - 1].row;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS], far[MAPPER_LOOPS];
    struct mapper_shape shape;
    struct mapper_share least, tile, near;
    struct mapper_mapping other;

    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    sator_mapper_bounds_least(p, &c->crew, sator_mapper_bounds_group(c->bounds, child), &least);
    known_shape(c, inside, mapping, &shape, outside);
    sator_mapper_bounds_known(c->bounds, child);
    sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &tile);
    known_shape(c, near_row, mapping, &shape, far);
    sator_mapper_bounds_known(c->bounds, child - 1);
    sator_mapper_bounds_share(c->bounds, child, &shape, mapping->factor[near_row], far, &near);
    compare(c, "nothing known", child, p->n_memories + 1, &least, mapping);
    compare(c, "tile known", child, child, &tile, mapping);
    compare(c, "tile and nearest loops known", child, child - 1, &near, mapping);
    for (int k = 0; k < 6; k++) {
        other = *mapping;
        complete(c, inside, &other);
        compare(c, "tile known", child, child, &tile, &other);
        other = *mapping;
        complete(c, near_row, &other);
        compare(c, "tile and nearest loops known", child, child - 1, &near, &other);
    }
}

/* Give what the time rows up to "end" have of the loops "open" to these rows anew. */
static void spread_anew(struct checked *c, int end, unsigned open, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;

    for (; open != 0; open &= open - 1) {
        int i = __builtin_ctz(open);
        int64_t rest = 1;
        for (int r = 0; r <= end; r++) {
            rest *= p->row[r].is_space ? 1 : mapping->factor[r][i];
            mapping->factor[r][i] = p->row[r].is_space ? mapping->factor[r][i] : 1;
        }
        while (rest > 1) {
            int64_t prime = smallest_prime(rest);
            int r = draw(c, end + 1);
            while (p->row[r].is_space)
                r = draw(c, end + 1);
            mapping->factor[r][i] *= prime;
            rest /= prime;
        }
    }
}

/* The bound of the transfers into "child" when its tile is known, and of the memory outside of it
 * the loops that slide and some others. */
static void check_either(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int near_row = p->memory[child - 1].row;
    int64_t far[MAPPER_LOOPS];
    struct mapper_mapping known = *mapping;
    struct mapper_shape shape;
    struct mapper_share bound;
    unsigned sliding = 0, open = 0;

    for (int a = 0; a < p->n_accesses; a++)
        sliding |= p->access[a].relevant & ~p->access[a].plain;
    if (p->imperfect || p->has_counted || p->skew != NULL ||
            (child == p->n_memories && c->joined != 0))
        return;
    for (int i = 0; i < p->n_loops; i++)
        open |= !(sliding >> i & 1) && draw(c, 3) > 0 ? 1U << i : 0;
    for (int i = 0; i < p->n_loops; i++)
        known.factor[near_row][i] = open >> i & 1 ? 1 : mapping->factor[near_row][i];
    known_shape(c, near_row, &known, &shape, far);
    for (int i = 0; i < p->n_loops; i++)
        far[i] *= mapping->factor[near_row][i] / known.factor[near_row][i];
    sator_mapper_bounds_known(c->bounds, child - 1);
    sator_mapper_bounds_either(c->bounds, open);
    sator_mapper_bounds_share(c->bounds, child, &shape, known.factor[near_row], far, &bound);
    sator_mapper_bounds_either(c->bounds, 0);
    compare(c, "tile and some nearest loops known", child, child - 1, &bound, mapping);
    for (int k = 0; k < 6; k++) {
        struct mapper_mapping other = *mapping;
        complete(c, near_row, &other);
        spread_anew(c, near_row, open, &other);
        compare(c, "tile and some nearest loops known", child, child - 1, &bound, &other);
    }
}

/* Whether the costs of the transfers into "child" are bounded by those of a tile that is larger
 * than others: more words cost no less, or else ("*grow" false) each of them arrives as often. */
static bool is_bounded(const struct checked *c, int child, bool *grow)
{
    const struct mapper_problem *p = c->problem;
    bool bounded = true;

    *grow = true;
    for (int i = 0; i < p->n_transfers; i++) {
        const struct mapper_transfer *t = &p->transfer[i];
        double lent = p->lends && t->outward >= 0 ? c->crew.lent_pj[t->outward] : 0;
        if (t->child != child || (t->unique_pj - lent >= 0 && t->arriving_pj >= 0))
            continue;
        *grow = false;
        bounded &=
                t->merges && !t->is_counted && !t->is_quotient && !p->access[t->access].is_sliding;
    }
    return bounded;
}

/* Some tile along "loop" that is at least "tile" and that the outside, "outside" tiles of "tile" on
 * "pes" PEs each, can be divided into as well; sets how many there are outside of it. */
static int64_t larger_tile(
        struct checked *c, int loop, int64_t tile, int64_t pes, int64_t *outside, bool short_last)
{
    int64_t extent = c->problem->extent[loop], whole = tile * *outside;

    for (int tries = 0; tries < 20; tries++) {
        int64_t larger = tile + draw(c, (int)(short_last ? extent - tile + 1 : whole - tile + 1));
        if (short_last) {
            int64_t number = (extent + larger - 1) / larger;
            if (number % pes != 0)
                continue;
            *outside = number / pes;
            return larger;
        }
        if (whole % larger == 0) {
            *outside = whole / larger;
            return larger;
        }
    }
    return tile;
}

/* The bound of the transfers into a memory when the tile along some loops is only known to be no
 * larger than some other. */
static void check_open(
        struct checked *c, int child, bool grow, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int row = p->memory[child].row;
    bool short_last = p->imperfect && child == p->n_memories - 1;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS], shrink[MAPPER_LOOPS];
    struct mapper_mapping larger = *mapping;
    struct mapper_shape shape;
    struct mapper_share bound;
    unsigned open = 0;

    known_shape(c, row, mapping, &shape, outside);
    for (int i = 0; i < p->n_loops; i++) {
        int64_t pes = 1;
        ones[i] = shrink[i] = 1;
        if (draw(c, 2) == 0)
            continue;
        for (int r = 0; r < p->n_rows; r++)
            pes *= p->row[r].is_space ? mapping->factor[r][i] : 1;
        larger.factor[row][i] =
                larger_tile(c, i, mapping->factor[row][i], pes, &outside[i], short_last);
        shrink[i] = larger.factor[row][i];
        open |= 1U << i;
    }
    int64_t unused[MAPPER_LOOPS];
    known_shape(c, row, &larger, &shape, unused);
    sator_mapper_bounds_open(c->bounds, open);
    sator_mapper_bounds_shrink(c->bounds, grow ? NULL : shrink);
    sator_mapper_bounds_known(c->bounds, child);
    sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &bound);
    sator_mapper_bounds_shrink(c->bounds, NULL);
    sator_mapper_bounds_open(c->bounds, 0);
    int before = c->wrong;
    c->shrunk += !grow;
    compare(c, "tile at most known", child, child, &bound, mapping);
    for (int k = 0; k < 6; k++) {
        struct mapper_mapping other = *mapping;
        complete(c, row, &other);
        compare(c, "tile at most known", child, child, &bound, &other);
    }
    if (c->wrong > before) {
        for (int i = 0; i < p->n_loops; i++)
            print_message("%s: at most %lld%s\n", p->loop_names[i],
                    (long long)larger.factor[row][i], open >> i & 1 ? "" : ", known");
    }
}

/* Some transfers further in than what memory "m" fills, and the mapping with none of their loops
 * between their tiles and the memory's row: all of these go to the outermost one. */
static uint32_t draw_standing(struct checked *c, int m, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    uint32_t standing = 0;

    for (int t = 0; t < p->n_transfers; t++) {
        const struct mapper_transfer *transfer = &p->transfer[t];
        if (transfer->child <= m + 1 || (c->joined >> t & 1) || draw(c, 3) == 0)
            continue;
        standing |= UINT32_C(1) << t;
        for (int r = p->memory[m].row + 1; r < transfer->child_row; r++) {
            for (int i = 0; i < p->n_loops && !p->row[r].is_space; i++) {
                if (!(p->access[transfer->access].relevant >> i & 1))
                    continue;
                mapping->factor[0][i] *= mapping->factor[r][i];
                mapping->factor[r][i] = 1;
            }
        }
    }
    return standing;
}

/* The loops along which the tile of memory "m" may be smaller than it is: some that slide along
 * nothing, where larger ones cost no more. */
static unsigned draw_either(struct checked *c, int m)
{
    const struct mapper_problem *p = c->problem;
    unsigned either = (1U << p->n_loops) - 1;

    for (int r = 0; r < p->memory[m].row; r++)
        either = p->row[r].is_space ? 0 : either;
    for (int a = 0; a < p->n_accesses; a++)
        either &= ~(p->access[a].relevant & ~p->access[a].plain);
    for (int child = m; child <= p->n_memories; child++) {
        bool grow;
        either = is_bounded(c, child, &grow) && grow ? either : 0;
    }
    return either & (unsigned)draw(c, 1 << p->n_loops);
}

/* Another mapping with the same tile of memory "m", or a smaller one along "either"; false: none
 * was found. */
static bool draw_within(struct checked *c, int m, unsigned either,
        const struct mapper_mapping *mapping, struct mapper_mapping *other)
{
    int row = c->problem->memory[m].row;
    bool is_within = true;

    *other = *mapping;
    complete(c, row, other);
    spread_anew(c, row, either, other);
    for (int i = 0; i < c->problem->n_loops; i++)
        is_within &= other->factor[row][i] <= mapping->factor[row][i];
    return is_within;
}

/* The bound of the transfers into memory "m" and into what lies inside it, and of some that are
 * further in, when its tile is known, or only known to be no larger along some loops. */
static void check_pair(struct checked *c, int m, const struct mapper_mapping *drawn)
{
    const struct mapper_problem *p = c->problem;
    int row = p->memory[m].row;
    struct mapper_mapping mapping = *drawn, other;
    uint32_t inner = sator_mapper_bounds_group(c->bounds, m + 1);
    uint32_t group = inner | sator_mapper_bounds_group(c->bounds, m);
    int64_t far[MAPPER_LOOPS];
    struct mapper_shape shape;
    struct mapper_share bound;

    if (p->imperfect || p->has_counted)
        return;
    uint32_t standing = draw_standing(c, m, &mapping);
    unsigned either = draw_either(c, m);
    known_shape(c, row, &mapping, &shape, far);
    sator_mapper_bounds_known(c->bounds, m);
    if (!sator_mapper_bounds_pair(
                c->bounds, m, inner | standing, either, &shape, mapping.factor[row], far, &bound))
        return;
    c->pairs++;
    c->standing += standing != 0;
    c->either += either != 0;
    compare_group(c, "two memories", group | standing, m, &bound, &mapping);
    for (int k = 0; k < 12; k++) {
        if (draw_within(c, m, either, &mapping, &other))
            compare_group(c, "two memories", group | standing, m, &bound, &other);
    }
}

/* A bound of the whole from a bound for each child, given what the others cost exactly. */
static struct mapper_cost bound_beside(struct checked *c, const struct mapper_mapping *mapping,
        const struct mapper_traffic *traffic, const struct mapper_share *fixed, double compute)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_share all = *fixed;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS];

    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    for (int child = 1; child <= p->n_memories; child++) {
        struct mapper_share beside = *fixed, one;
        struct mapper_shape shape;
        for (int other = 1; other <= p->n_memories; other++) {
            exact_share(c, sator_mapper_bounds_group(c->bounds, other), 0, traffic, &one);
            if (other != child)
                sator_mapper_share_add(p, &beside, &one);
        }
        known_shape(c, child == p->n_memories ? p->n_rows : p->memory[child].row, mapping, &shape,
                outside);
        sator_mapper_bounds_chosen(c->bounds, child);
        sator_mapper_bounds_beside(c->bounds, &beside);
        sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &one);
        sator_mapper_bounds_beside(c->bounds, NULL);
        sator_mapper_share_add(p, &all, &one);
    }
    return sator_mapper_bound(p, &c->crew, compute, &all);
}

/* Energy and cycles of the whole from a bound for each child. */
static void check_whole(struct checked *c, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_share all = fixed_share(c), one;
    struct mapper_traffic traffic;
    struct mapper_shape shape;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS];

    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    struct mapper_share fixed = all;
    sator_mapper_bounds_known(c->bounds, 0);
    for (int child = 1; child <= p->n_memories; child++) {
        int inside = child == p->n_memories ? p->n_rows : p->memory[child].row;
        known_shape(c, inside, mapping, &shape, outside);
        sator_mapper_bounds_chosen(c->bounds, child);
        sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &one);
        sator_mapper_share_add(p, &all, &one);
    }
    sator_mapper_count(p, c->words, mapping, &traffic);
    if (traffic.is_unknown)
        return;
    struct mapper_cost cost = sator_mapper_cost(p, &traffic);
    double compute = (double)traffic.time_stamps * p->cycles_per_instance;
    double cycles = sator_mapper_cycles(p, &c->crew, compute, &all);
    struct mapper_cost bound = sator_mapper_bound(p, &c->crew, compute, &all);
    struct mapper_cost beside = bound_beside(c, mapping, &traffic, &fixed, compute);
    c->comparisons++;
    if (!exceeds(cycles, cost.cycles) && !exceeds(all.pj + p->leakage_pj * cycles, cost.pj) &&
            !exceeds(bound.value, cost.value) && !exceeds(beside.value, cost.value))
        return;
    print_message(
            "the whole: bound %.17g pJ %.17g cycles (%.17g, %.17g), exact %.17g %.17g (%.17g)\n",
            all.pj + p->leakage_pj * cycles, cycles, bound.value, beside.value, cost.pj,
            cost.cycles, cost.value);
    show(c, mapping);
    c->wrong++;
}

/* Choose transfers into the innermost memory to be joined, and have the mapping give their loops no
 * factor there or further in: these go to the outermost memory. */
static void join(struct checked *c, struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int n = __builtin_popcount(sator_mapper_transfers_into(p, p->n_memories));

    c->joined = c->single = 0;
    for (int t = 0; t < p->n_transfers && !p->lends && !p->imperfect && p->n_memories > 1; t++) {
        if (p->transfer[t].child != p->n_memories - 1 || p->transfer[t].is_outside ||
                draw(c, 2) == 0 || n++ >= MAPPER_ACCESSES)
            continue;
        c->joined |= UINT32_C(1) << t;
        c->single |= p->access[p->transfer[t].access].relevant;
    }
    for (int i = 0; i < p->n_loops; i++) {
        for (int r = p->innermost; r < p->n_rows && (c->single >> i & 1); r++) {
            mapping->factor[0][i] *= mapping->factor[r][i];
            mapping->factor[r][i] = 1;
        }
    }
    sator_mapper_bounds_free(c->bounds);
    c->bounds = sator_mapper_bounds_new(p, c->words, c->joined);
}

static void check_mappings(struct checked *c, int n_mappings)
{
    uint64_t state = machines_draw(c->rng, UINT64_MAX);

    for (int k = 0; k < n_mappings && c->wrong < 3; k++) {
        struct mapper_mapping mapping;
        sator_mapper_draw(c->problem, &state, &mapping);
        /* of mappings outside the space, bounds say nothing */
        assert_true(!c->problem->imperfect || sator_mapper_is_in_space(c->problem, &mapping));
        join(c, &mapping);
        know(c, &mapping);
        c->any_order = draw(c, 2) == 0;
        for (int child = 1; child <= c->problem->n_memories; child++)
            check_child(c, child, &mapping);
        for (int child = 1; child <= c->problem->n_memories; child++)
            check_either(c, child, &mapping);
        for (int child = 1; child < c->problem->n_memories; child++) {
            bool grow;
            if (is_bounded(c, child, &grow))
                check_open(c, child, grow, &mapping);
        }
        for (int m = 1; m < c->problem->n_memories; m++)
            check_pair(c, m, &mapping);
        check_whole(c, &mapping);
    }
}

static void open_checked(
        struct checked *c, const struct mapper_problem *problem, struct machines_rng *rng)
{
    c->problem = problem;
    c->rng = rng;
    c->words = sator_mapper_words_new(problem);
    c->joined = c->single = 0;
    c->bounds = sator_mapper_bounds_new(problem, c->words, 0);
}

static void close_checked(struct checked *c)
{
    sator_mapper_bounds_free(c->bounds);
    sator_mapper_words_free(c->words);
}

static void test_random_machines(void **state)
{
    (void)state;
    int n_cases = (int)run_count(400), imperfect = 0, filled = 0;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        struct machines_options options = {.most_extent = 4 + (int)machines_draw(&rng, 20),
                .bandwidths = machines_draw(&rng, 2) != 0,
                .prime_extents = machines_draw(&rng, 4) == 0,
                .most_memories = 4,
                .counted = machines_draw(&rng, 8) == 0,
                .small = machines_draw(&rng, 3) == 0};
        if (open_case(&one, &rng, &options)) {
            int before = c.wrong;
            if (machines_draw(&rng, 2) == 0) /* not on all machines */
                imperfect += sator_mapper_allow_imperfect(one.ctx, &one.problem) == SATOR_OK;
            const struct mapper_row *innermost = &one.problem.row[one.problem.innermost];
            if (machines_draw(&rng, 2) == 0 && innermost->memory > 0 && !one.problem.only_chains) {
                /* the space that is searched first: only the last tiles are short; a lone memory's
                 * is whole, and no other row could take what is left */
                filled += one.problem.chains;
                one.problem.chains = false;
            }
            if (machines_draw(&rng, 2) == 0)
                sator_mapper_allow_orders(&one.problem);
            open_checked(&c, &one.problem, &rng);
            check_mappings(&c, 4);
            close_checked(&c);
            if (c.wrong > before)
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message("%d comparisons, %d with steps, %d of joined transfers, %d of open tiles whose "
                  "words spare energy; %d machines with short tiles, of %d last ones only\n",
            c.comparisons, c.raised, c.together, c.shrunk, imperfect, filled);
    assert_int_equal(c.wrong, 0);
    print_message("%d bounds of two memories, %d with what is further in, %d of any tile\n",
            c.pairs, c.standing, c.either);
    assert_true(n_cases < 100 || (c.standing > n_cases / 10 && c.either > n_cases / 20));
    assert_true(imperfect > n_cases / 20);
    assert_true(n_cases < 100 || filled > n_cases / 40);
    assert_true(c.comparisons > n_cases * 20);
    assert_true(
            n_cases < 100 || c.raised > n_cases / 10); /* a few do not say how often it is met */
    assert_true(n_cases < 100 || c.together > n_cases / 4);
}

/* Windows with short last tiles on PEs that share rows: each loop moves the tile by its own step.
 */
static void test_short_windows(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};

    for (int k = 0; k < 600 && c.wrong < 3; k++) {
        struct problem_case one;
        int size[4];
        for (int i = 0; i < 4; i++)
            size[i] = 2 + (int)machines_draw(&rng, 9);
        snprintf(one.workload_text, TEXT,
                "name: window\nsizes: {x: %d, y: %d, r: %d, s: %d}\n"
                "op: \"Y[x,y] += A[%dx+r,%dy+s] * B[r,s]\"\n",
                size[0], size[1], size[2], size[3], 1 + (int)machines_draw(&rng, 2),
                1 + (int)machines_draw(&rng, 2));
        snprintf(one.arch_text, TEXT,
                "name: rows\nlevels:\n  - {memory: DRAM, energy_pj: {read: 96, write: 96}}\n"
                "  - array: PE\n    shape: [4, 4]\n    multicast:\n"
                "      - {name: rows, map: \"PE[i,j] -> BUS[0]\", energy_pj: 0.5}\n"
                "  - {memory: L1, energy_pj: {read: 1, write: 1}}\n"
                "  - {memory: registers, energy_pj: {read: 1, write: 1}}\n"
                "  - {compute: mac, energy_pj: 1, cycles: 1}\n");
        assert_true(open_texts(&one, &rng));
        assert_int_equal(sator_mapper_allow_imperfect(one.ctx, &one.problem), SATOR_OK);
        open_checked(&c, &one.problem, &rng);
        check_mappings(&c, 6);
        close_checked(&c);
        if (c.wrong > 0)
            print_message("%s", one.workload_text);
        close_case(&one);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* ---- real layers ---- */

static const struct {
    const char *workload, *layer, *arch;
} layers[] = {{"resnet18", "conv1", "conventional"}, {"resnet18", "conv3_1", "simba-like"},
        {"resnet18", "conv4_x", "eyeriss"}, {"resnet18", "conv2_x", "five-level"},
        {"inception-v3", "mixed_6b_7x7_2_1x7", "conventional"},
        {"conv2d-weight-update", NULL, "conventional"}, {"conv2d-dilated", NULL, "five-level"},
        {"conv2d-grouped", NULL, "conventional"}, {"mttkrp", NULL, "conventional"},
        {"ttmc", NULL, "five-level"}, {"attention-qk", NULL, "simba-like"},
        {"resnet18", "conv5_x", "gemmini"}};

struct real_case {
    struct sator_ctx *ctx;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_arena *arena;
    struct mapper_problem problem;
};

static void open_real(struct real_case *c, size_t which)
{
    const struct sator_workload *layer;
    int number = 0;

    c->ctx = sator_ctx_new();
    c->arena = sator_arena_new();
    assert_int_equal(
            sator_network_load(c->ctx, layers[which].workload, NULL, &c->network), SATOR_OK);
    assert_int_equal(sator_arch_load(c->ctx, layers[which].arch, NULL, &c->arch), SATOR_OK);
    while (layers[which].layer != NULL &&
            strcmp(c->network->layers[number].name, layers[which].layer) != 0)
        assert_true(++number < c->network->n_layers);
    layer = &c->network->layers[number];
    assert_int_equal(sator_mapper_problem_init(
                             c->ctx, c->arena, layer, c->arch, SATOR_MAP_EDP, NULL, &c->problem),
            SATOR_OK);
}

static void close_real(struct real_case *c)
{
    sator_network_free(c->network);
    sator_arch_free(c->arch);
    sator_arena_free(c->arena);
    sator_ctx_free(c->ctx);
}

static void test_real_layers(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int imperfect = 0;

    for (size_t i = 0; i < 2 * (sizeof layers / sizeof *layers); i++) {
        struct real_case real;
        open_real(&real, i / 2);
        bool is_other = i % 2 == 0;
        if (i % 2 != 0) { /* with short last tiles, where they are allowed */
            is_other = sator_mapper_allow_imperfect(real.ctx, &real.problem) == SATOR_OK;
            imperfect += is_other;
        }
        if (is_other) {
            open_checked(&c, &real.problem, &rng);
            check_mappings(&c, 60);
            close_checked(&c);
        }
        close_real(&real);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
    assert_true(imperfect >= 6);
}

/* ---- neighbours of an optimum ---- */

/* Whether a mapping is legal and better than "value". */
static bool is_better(struct checked *c, const struct mapper_mapping *mapping, double value)
{
    struct mapper_traffic traffic;

    if (!sator_mapper_is_legal(c->problem, c->words, mapping))
        return false;
    c->comparisons++;
    sator_mapper_count(c->problem, c->words, mapping, &traffic);
    double cost = sator_mapper_cost(c->problem, &traffic).value;
    if (cost >= value * (1 - 1e-9))
        return false;
    print_message("better than the optimum %.17g: %.17g\n", value, cost);
    show(c, mapping);
    return true;
}

/* A prime factor of one loop moves between two rows; and all orders anew, a few times. */
static void check_moves(struct checked *c, const struct mapper_mapping *best, double value)
{
    const struct mapper_problem *p = c->problem;

    for (int i = 0; i < p->n_loops; i++) {
        for (int from = 0; from < p->n_rows; from++) {
            int64_t prime = smallest_prime(best->factor[from][i]);
            for (int to = 0; to < p->n_rows && prime > 1; to++) {
                struct mapper_mapping moved = *best;
                moved.factor[from][i] /= prime;
                moved.factor[to][i] *= prime;
                for (int k = 0; k < 8; k++) {
                    c->wrong += is_better(c, &moved, value);
                    complete(c, 0, &moved); /* orders only */
                }
            }
        }
    }
}

static void test_neighbours(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct sator_map_options options = {0};
    struct checked c = {.wrong = 0};

    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        struct real_case real;
        open_real(&real, i);
        open_checked(&c, &real.problem, &rng);
        struct mapper_search search = {.ctx = real.ctx,
                .problem = &real.problem,
                .words = c.words,
                .options = &options,
                .deadline = INFINITY,
                .next_report = INFINITY};
        sator_mapper_optimal(&search);
        assert_true(search.proved && search.found);
        check_moves(&c, &search.best, search.best_cost.value);
        uint64_t random = machines_draw(&rng, UINT64_MAX);
        for (int k = 0; k < 500; k++) {
            struct mapper_mapping mapping;
            sator_mapper_draw(&real.problem, &random, &mapping);
            c.wrong += is_better(&c, &mapping, search.best_cost.value);
        }
        close_checked(&c);
        close_real(&real);
    }
    print_message("%d mappings compared\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
    assert_true(c.comparisons > 5000);
}

/* ---- every mapping of small spaces ---- */

/* The account of a space: every mapping is illegal, or lies below a partial one whose bound is
 * worse than the optimum (cut), or was open. */
struct account {
    struct checked *checked;
    double optimum, illegal, cut, open;
    struct mapper_mapping mapping;
};

/* A bound of the value of all mappings with these rows of memory "m" and inside, and these parallel
 * factors. */
static double partial_bound(struct checked *c, int m, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    know(c, mapping);
    struct mapper_share all = fixed_share(c), one;
    struct mapper_shape shape;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS];
    double compute = (double)p->instances * p->cycles_per_instance;

    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    for (int r = 0; r < p->n_rows; r++) {
        for (int i = 0; i < p->n_loops && p->row[r].is_space; i++)
            compute /= (double)mapping->factor[r][i];
    }
    sator_mapper_bounds_known(c->bounds, m);
    known_shape(c, m == p->n_memories ? p->n_rows : p->memory[m].row, mapping, &shape, outside);
    for (int child = 1; child <= p->n_memories; child++) {
        if (child < m) {
            sator_mapper_bounds_least(
                    p, &c->crew, sator_mapper_bounds_group(c->bounds, child), &one);
        } else if (child == m) {
            sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &one);
        } else {
            int64_t far[MAPPER_LOOPS];
            struct mapper_shape near;
            int row = p->memory[child - 1].row;
            known_shape(c, row, mapping, &near, far);
            sator_mapper_bounds_chosen(c->bounds, child - 1);
            sator_mapper_bounds_share(c->bounds, child, &near, mapping->factor[row], far, &one);
        }
        sator_mapper_share_add(p, &all, &one);
    }
    return sator_mapper_bound(p, &c->crew, compute, &all).value;
}

/* All orders of the memories from "m" inward that matter. */
static void account_orders(struct account *a, int m, int placed, const double *bound)
{
    struct checked *c = a->checked;
    const struct mapper_problem *p = c->problem;
    int8_t *order = a->mapping.order[m];
    struct mapper_traffic traffic;
    bool is_cut = false;

    if (m < p->n_memories && (placed == p->n_loops || !sator_mapper_order_matters(p, m))) {
        account_orders(a, m + 1, 0, bound);
        return;
    }
    for (int k = placed; k < p->n_loops && m < p->n_memories; k++) {
        int8_t swap = order[placed];
        order[placed] = order[k];
        order[k] = swap;
        account_orders(a, m, placed + 1, bound);
        order[k] = order[placed];
        order[placed] = swap;
    }
    if (m < p->n_memories)
        return;
    sator_mapper_count(p, c->words, &a->mapping, &traffic);
    double value = sator_mapper_cost(p, &traffic).value;
    c->comparisons++;
    for (int k = 1; k <= p->n_memories; k++) {
        is_cut |= bound[k] > a->optimum * (1 + 1e-9);
        if (!exceeds(bound[k], value))
            continue;
        print_message("memory %d and inside: bound %.17g, value %.17g\n", k, bound[k], value);
        show(c, &a->mapping);
        c->wrong++;
    }
    c->wrong += value < a->optimum * (1 - 1e-9); /* the certificate is wrong */
    *(is_cut ? &a->cut : &a->open) += 1;
}

static void account_factors(struct account *a, int row, int loop, int64_t *left, int64_t used)
{
    struct checked *c = a->checked;
    const struct mapper_problem *p = c->problem;

    if (c->wrong > 2)
        return;
    if (row == p->n_rows) {
        double bound[MAPPER_MEMORIES + 1], orders = 1;
        for (int i = 0; i < p->n_loops; i++) {
            if (left[i] > 1)
                return;
        }
        for (int m = 0; m < p->n_memories; m++) {
            for (int i = 0; i < p->n_loops; i++) {
                a->mapping.order[m][i] = (int8_t)i;
                orders *= sator_mapper_order_matters(p, m) ? i + 1 : 1;
            }
        }
        if (!sator_mapper_is_legal(p, c->words, &a->mapping)) {
            a->illegal += orders;
            return;
        }
        for (int m = 1; m <= p->n_memories; m++)
            bound[m] = partial_bound(c, m, &a->mapping);
        account_orders(a, 0, 0, bound);
        return;
    }
    if (loop == p->n_loops) {
        account_factors(a, row + 1, 0, left, 1);
        return;
    }
    int64_t whole = left[loop];
    for (int64_t d = 1; d <= whole; d++) {
        if (whole % d != 0 || (p->row[row].is_space && used * d > p->row[row].shape))
            continue;
        left[loop] = whole / d;
        a->mapping.factor[row][loop] = d;
        account_factors(a, row, loop + 1, left, used * d);
    }
    left[loop] = whole;
}

/* Cut, open and illegal ones together are the space, no mapping is better than the optimum, and
 * none is better than the bound of a partial mapping that it completes. */
static void test_small_spaces(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct sator_map_options options = {0};
    struct checked c = {.wrong = 0};
    int compared = 0;
    double cut = 0, open = 0;

    while (compared < 60 && c.wrong == 0) {
        struct problem_case one;
        struct machines_options machine = {.most_extent = 4 + (int)machines_draw(&rng, 7),
                .capacities = machines_draw(&rng, 2) != 0,
                .bandwidths = machines_draw(&rng, 2) != 0,
                .most_memories = 3,
                .counted = machines_draw(&rng, 4) == 0};
        bool opened = open_case(&one, &rng, &machine);
        double size = opened ? sator_mapper_count_space(&one.problem) : INFINITY;
        if (size > 500 && size < 20000) {
            one.problem.objective = (enum sator_map_objective)machines_draw(&rng, 3);
            open_checked(&c, &one.problem, &rng);
            struct mapper_search search = {.ctx = one.ctx,
                    .problem = &one.problem,
                    .words = c.words,
                    .options = &options,
                    .deadline = INFINITY,
                    .next_report = INFINITY};
            sator_mapper_optimal(&search);
            struct account a = {
                    .checked = &c, .optimum = search.found ? search.best_cost.value : INFINITY};
            sator_mapper_mapping_init(&one.problem, &a.mapping);
            int64_t left[MAPPER_LOOPS];
            memcpy(left, one.problem.extent, sizeof left);
            account_factors(&a, 0, 0, left, 1);
            assert_true(search.proved);
            assert_true(c.wrong > 0 || a.illegal + a.cut + a.open == size);
            cut += a.cut;
            open += a.open;
            close_checked(&c);
            compared++;
            if (c.wrong > 0)
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message("%d spaces, %.0f mappings cut, %.0f open\n", compared, cut, open);
    assert_int_equal(c.wrong, 0);
    assert_true(cut > open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_random_machines),
            cmocka_unit_test(test_short_windows),
            cmocka_unit_test(test_real_layers),
            cmocka_unit_test(test_neighbours),
            cmocka_unit_test(test_small_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
