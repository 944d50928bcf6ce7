/* The certificate: the bounds that the optimal strategy cuts by, checked by random completions:
 * whatever is known of a mapping, the bound must not exceed what any mapping that agrees with it
 * costs, counted exactly. What they cut off: mapper_cuts.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mapper/problem/domain.h"
#include "oracle/run.h"
#include "property/mapper_case.h"
#include "support/checked.h"

/* ---- comparisons ---- */

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
    checked_exact(c, group, known, &traffic, &exact);
    *(c->limit == 0 ? &c->comparisons : exact.pj > c->limit ? &c->beyond : &c->within) += 1;
    if (c->limit != 0 && exact.pj > c->limit)
        return;
    double cycles = sator_mapper_cost(c->problem, &traffic).cycles, pj = bound->pj;
    for (int i = 0; i < bound->n_steps && cycles < bound->step[i].cycles * (1 - 1e-9); i++) {
        pj = bound->pj + bound->step[i].pj; /* what so fast a mapping spends */
        c->raised++;
    }
    over = checked_exceeds(pj, exact.pj);
    for (int i = 0; i < c->problem->n_ports; i++)
        over |= checked_exceeds(bound->bits[i], exact.bits[i]);
    c->together += (c->joined & group) != 0;
    if (!over)
        return;
    print_message("%s: transfers %x: bound %.17g pJ, exact %.17g\n", what, group, pj, exact.pj);
    for (int i = 0; i < c->problem->n_ports; i++)
        print_message("  %s: bits %.17g, exact %.17g\n", c->problem->port[i].lane->name,
                bound->bits[i], exact.bits[i]);
    checked_show(c, mapping);
    c->wrong++;
}

static void compare(struct checked *c, const char *what, int child, int known,
        const struct mapper_share *bound, const struct mapper_mapping *mapping)
{
    compare_group(c, what, sator_mapper_bounds_group(c->bounds, child), known, bound, mapping);
}

/* ---- completions ---- */

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
    checked_shape(c, inside, mapping, &shape, outside);
    sator_mapper_bounds_known(c->bounds, child);
    sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &tile);
    checked_shape(c, near_row, mapping, &shape, far);
    sator_mapper_bounds_known(c->bounds, child - 1);
    sator_mapper_bounds_share(c->bounds, child, &shape, mapping->factor[near_row], far, &near);
    compare(c, "nothing known", child, p->n_memories + 1, &least, mapping);
    compare(c, "tile known", child, child, &tile, mapping);
    compare(c, "tile and nearest loops known", child, child - 1, &near, mapping);
    for (int k = 0; k < 6; k++) {
        other = *mapping;
        checked_complete(c, inside, &other);
        compare(c, "tile known", child, child, &tile, &other);
        other = *mapping;
        checked_complete(c, near_row, &other);
        compare(c, "tile and nearest loops known", child, child - 1, &near, &other);
    }
}

/* The bound of the transfers into "child" of mappings that spend no more there than some limit. */
static void check_limited(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int inside = child == p->n_memories ? p->n_rows : p->memory[child].row;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS];
    struct mapper_traffic traffic;
    struct mapper_shape shape;
    struct mapper_share exact, bound;

    sator_mapper_count(p, c->words, mapping, &traffic);
    if (traffic.is_unknown)
        return;
    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    checked_exact(c, sator_mapper_bounds_group(c->bounds, child), child, &traffic, &exact);
    if (!(exact.pj > 0))
        return;
    c->limit = exact.pj * (0.9 + 0.1 * checked_draw(c, 6));
    checked_shape(c, inside, mapping, &shape, outside);
    sator_mapper_bounds_known(c->bounds, child);
    sator_mapper_bounds_limit(c->bounds, c->limit);
    sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &bound);
    sator_mapper_bounds_limit(c->bounds, INFINITY);
    compare(c, "within a limit", child, child, &bound, mapping);
    for (int k = 0; k < 6; k++) {
        struct mapper_mapping other = *mapping;
        checked_complete(c, inside, &other);
        compare(c, "within a limit", child, child, &bound, &other);
    }
    c->limit = 0;
}

/* The same where the factors of arrays outside of what fills "child" are not known either: they
 * count as loops further out. */
static void check_apart(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    int inside = child == p->n_memories ? p->n_rows : p->memory[child].row, parent = child - 1;
    int near_row = p->memory[child - 1].row;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS], far[MAPPER_LOOPS];
    struct mapper_mapping apart = *mapping;
    struct mapper_shape shape;
    struct mapper_share tile, near;
    unsigned open = 0;

    for (int t = 0; t < p->n_transfers; t++) {
        if (sator_mapper_bounds_group(c->bounds, child) >> t & 1)
            parent = p->transfer[t].parent < parent ? p->transfer[t].parent : parent;
    }
    for (int r = 0; r < p->memory[parent].row; r++) {
        for (int i = 0; i < p->n_loops && p->row[r].is_space; i++) {
            open |= 1U << r;
            apart.factor[0][i] *= mapping->factor[r][i];
            apart.factor[r][i] = 1;
        }
    }
    if (open == 0 || p->imperfect)
        return;
    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    checked_shape(c, inside, &apart, &shape, outside);
    sator_mapper_crew_init(p, &shape, open, &c->crew);
    sator_mapper_bounds_strides(c->bounds, true);
    sator_mapper_bounds_known(c->bounds, child);
    sator_mapper_bounds_share(c->bounds, child, &shape, ones, outside, &tile);
    checked_shape(c, near_row, &apart, &shape, far);
    sator_mapper_bounds_known(c->bounds, child - 1);
    sator_mapper_bounds_share(c->bounds, child, &shape, apart.factor[near_row], far, &near);
    for (int k = 0; k < 6; k++) {
        struct mapper_mapping other = *mapping;
        compare(c, "tile known, arrays outside open", child, child, &tile, &other);
        compare(c, "nearest loops known, arrays outside open", child, child - 1, &near, &other);
        c->apart++;
        checked_complete(c, near_row, &other);
        compare(c, "nearest loops known, arrays outside open", child, child - 1, &near, &other);
        checked_complete(c, inside, &other);
        compare(c, "tile known, arrays outside open", child, child, &tile, &other);
    }
    sator_mapper_bounds_strides(c->bounds, false);
    checked_know(c, mapping);
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
            int64_t prime = checked_prime(rest);
            int r = checked_draw(c, end + 1);
            while (p->row[r].is_space)
                r = checked_draw(c, end + 1);
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
        open |= !(sliding >> i & 1) && checked_draw(c, 3) > 0 ? 1U << i : 0;
    for (int i = 0; i < p->n_loops; i++)
        known.factor[near_row][i] = open >> i & 1 ? 1 : mapping->factor[near_row][i];
    checked_shape(c, near_row, &known, &shape, far);
    for (int i = 0; i < p->n_loops; i++)
        far[i] *= mapping->factor[near_row][i] / known.factor[near_row][i];
    sator_mapper_bounds_known(c->bounds, child - 1);
    sator_mapper_bounds_either(c->bounds, open);
    sator_mapper_bounds_share(c->bounds, child, &shape, known.factor[near_row], far, &bound);
    sator_mapper_bounds_either(c->bounds, 0);
    compare(c, "tile and some nearest loops known", child, child - 1, &bound, mapping);
    for (int k = 0; k < 6; k++) {
        struct mapper_mapping other = *mapping;
        checked_complete(c, near_row, &other);
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
        int64_t larger =
                tile + checked_draw(c, (int)(short_last ? extent - tile + 1 : whole - tile + 1));
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

    checked_shape(c, row, mapping, &shape, outside);
    for (int i = 0; i < p->n_loops; i++) {
        int64_t pes = 1;
        ones[i] = shrink[i] = 1;
        if (checked_draw(c, 2) == 0)
            continue;
        for (int r = 0; r < p->n_rows; r++)
            pes *= p->row[r].is_space ? mapping->factor[r][i] : 1;
        larger.factor[row][i] =
                larger_tile(c, i, mapping->factor[row][i], pes, &outside[i], short_last);
        shrink[i] = larger.factor[row][i];
        open |= 1U << i;
    }
    int64_t unused[MAPPER_LOOPS];
    checked_shape(c, row, &larger, &shape, unused);
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
        checked_complete(c, row, &other);
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
        if (transfer->child <= m + 1 || (c->joined >> t & 1) || checked_draw(c, 3) == 0)
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
    return either & (unsigned)checked_draw(c, 1 << p->n_loops);
}

/* Another mapping with the same tile of memory "m", or a smaller one along "either"; false: none
 * was found. */
static bool draw_within(struct checked *c, int m, unsigned either,
        const struct mapper_mapping *mapping, struct mapper_mapping *other)
{
    int row = c->problem->memory[m].row;
    bool is_within = true;

    *other = *mapping;
    checked_complete(c, row, other);
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
    checked_shape(c, row, &mapping, &shape, far);
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
            checked_exact(c, sator_mapper_bounds_group(c->bounds, other), 0, traffic, &one);
            if (other != child)
                sator_mapper_share_add(p, &beside, &one);
        }
        checked_shape(c, child == p->n_memories ? p->n_rows : p->memory[child].row, mapping, &shape,
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
    struct mapper_share all = checked_fixed(c), one;
    struct mapper_traffic traffic;
    struct mapper_shape shape;
    int64_t ones[MAPPER_LOOPS], outside[MAPPER_LOOPS];

    for (int i = 0; i < MAPPER_LOOPS; i++)
        ones[i] = 1;
    struct mapper_share fixed = all;
    sator_mapper_bounds_known(c->bounds, 0);
    for (int child = 1; child <= p->n_memories; child++) {
        int inside = child == p->n_memories ? p->n_rows : p->memory[child].row;
        checked_shape(c, inside, mapping, &shape, outside);
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
    if (!checked_exceeds(cycles, cost.cycles) &&
            !checked_exceeds(all.pj + p->leakage_pj * cycles, cost.pj) &&
            !checked_exceeds(bound.value, cost.value) && !checked_exceeds(beside.value, cost.value))
        return;
    print_message(
            "the whole: bound %.17g pJ %.17g cycles (%.17g, %.17g), exact %.17g %.17g (%.17g)\n",
            all.pj + p->leakage_pj * cycles, cycles, bound.value, beside.value, cost.pj,
            cost.cycles, cost.value);
    checked_show(c, mapping);
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
                checked_draw(c, 2) == 0 || n++ >= MAPPER_ACCESSES)
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
        checked_know(c, &mapping);
        c->any_order = checked_draw(c, 2) == 0;
        for (int child = 1; child <= c->problem->n_memories; child++)
            check_child(c, child, &mapping);
        for (int child = 1; child <= c->problem->n_memories; child++)
            check_limited(c, child, &mapping);
        for (int child = 1; child <= c->problem->n_memories; child++)
            check_apart(c, child, &mapping);
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
            checked_open(&c, &one.problem, &rng);
            check_mappings(&c, 4);
            checked_close(&c);
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
    print_message("%d mappings beside bounds of all arrays outside\n", c.apart);
    assert_true(n_cases < 100 || c.apart > n_cases / 4);
    print_message("%d mappings within limits, %d beyond\n", c.within, c.beyond);
    assert_true(n_cases < 100 || (c.within > n_cases && c.beyond > n_cases));
    assert_true(imperfect > n_cases / 20);
    assert_true(n_cases < 100 || filled > n_cases / 40);
    assert_true(c.comparisons > n_cases * 20);
    assert_true(
            n_cases < 100 || c.raised > n_cases / 10); /* a few do not say how often it is met */
    assert_true(n_cases < 100 || c.together > n_cases / 4);
}

/* Check mappings of a problem with factors that need not divide, whose workload is written. */
static void check_short(
        struct checked *c, struct problem_case *one, struct machines_rng *rng, const char *buses)
{
    snprintf(one->arch_text, TEXT,
            "name: rows\nlevels:\n  - {memory: DRAM, energy_pj: {read: 96, write: 96}}\n"
            "  - array: PE\n    shape: [4, 4]\n    multicast:\n%s"
            "  - {memory: L1, energy_pj: {read: 1, write: 1}}\n"
            "  - {memory: registers, energy_pj: {read: 1, write: 1}}\n"
            "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
            buses);
    assert_true(open_texts(one, rng));
    assert_int_equal(sator_mapper_allow_imperfect(one->ctx, &one->problem), SATOR_OK);
    if (!one->problem.only_chains)
        one->problem.chains = machines_draw(rng, 2) != 0; /* else only last tiles are short */
    checked_open(c, &one->problem, rng);
    check_mappings(c, 6);
    checked_close(c);
    if (c->wrong > 0)
        print_message("%s%s", one->workload_text, one->arch_text);
    close_case(one);
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
        check_short(&c, &one, &rng,
                "      - {name: all, map: \"PE[i,j] -> BUS[0]\", energy_pj: 0.5}\n");
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* The same of what the engines count: quotients, of which a short tile may have fewer than its
 * share, over two families of buses. */
static void test_short_quotients(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int n_cases = (int)run_count(150);

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        int divisor = 2 + (int)machines_draw(&rng, 3);
        snprintf(one.workload_text, TEXT,
                "name: quotient\nsizes: {x: %d, r: %d, c: %d}\n"
                "op: \"Y[x] += A[c,fl((%dx+r)/%d)] * B[c,r]\"\n",
                3 + (int)machines_draw(&rng, 9), 1 + (int)machines_draw(&rng, 3),
                1 + (int)machines_draw(&rng, 3), 1 + (int)machines_draw(&rng, (uint64_t)divisor),
                divisor);
        check_short(&c, &one, &rng,
                "      - {name: rows, map: \"PE[i,j] -> BUS[i]\", energy_pj: 0.5}\n"
                "      - {name: columns, map: \"PE[i,j] -> BUS[j]\", energy_pj: 0.5}\n");
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* The same over buses that join some PEs of a row, and cost more than what they spare. */
static void test_short_groups(void **state)
{
    static const char *const map[] = {"i+j", "floor(i/2)", "i%2,j", "floor(i/2)+2j"};
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int n_cases = (int)run_count(100);

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        char buses[TEXT];
        snprintf(one.workload_text, TEXT,
                "name: groups\nsizes: {i: %d, j: %d, k: %d}\nop: \"Y[i,j] += A[i,k] * B[k,j]\"\n",
                1 + (int)machines_draw(&rng, 6), 1 + (int)machines_draw(&rng, 6),
                1 + (int)machines_draw(&rng, 6));
        snprintf(buses, sizeof buses,
                "      - {name: some, map: \"PE[i,j] -> BUS[%s]\", energy_pj: %d}\n",
                map[machines_draw(&rng, 4)], machines_draw(&rng, 2) == 0 ? 1 : 200);
        check_short(&c, &one, &rng, buses);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* Tensors that do not slide, over links from some stamps before, each with costs of its own. */
static void test_late_links(void **state)
{
    static const char *const link[] = {"i", "i", "i+1", "i-1"};
    static const char *const tensors[] = {"A", "B", "A, B"};
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int n_cases = (int)run_count(1000);

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        int size[3], pj[8];
        for (int i = 0; i < 3; i++)
            size[i] = i < 2 ? 2 : 5 + 2 * (int)machines_draw(&rng, 2);
        for (int i = 0; i < 8; i++)
            pj[i] = (int[]){0, 10, 100}[machines_draw(&rng, 3)];
        snprintf(one.workload_text, TEXT,
                "name: late\nsizes: {i: %d, j: %d, k: %d}\nop: \"Y[%s] += A[%s] * B[i]\"\n",
                size[0], size[1], size[2], machines_draw(&rng, 4) == 0 ? "j,k" : "k",
                machines_draw(&rng, 4) == 0 ? "i,j" : "j");
        snprintf(one.arch_text, TEXT,
                "name: late\nlevels:\n"
                "  - {memory: DRAM, energy_pj: {tensors: {A: %d, B: %d, Y: {read: %d, write: "
                "%d}}}}\n"
                "  - array: PE\n    shape: [3]\n    links:\n"
                "      - {name: late, map: \"PE[i] -> PE[%s]\", interval: %d, tensors: [%s], "
                "energy_pj: 0}\n"
                "  - {memory: L1, energy_pj: {tensors: {A: {read: 1, write: %d}, "
                "B: {read: 1, write: %d}, Y: {read: %d, write: %d}}}}\n"
                "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
                pj[0], pj[1], pj[2], pj[3], link[machines_draw(&rng, 4)],
                2 + (int)machines_draw(&rng, 3), tensors[machines_draw(&rng, 3)], pj[4], pj[5],
                pj[6], pj[7]);
        if (open_texts(&one, &rng)) {
            int before = c.wrong;
            checked_open(&c, &one.problem, &rng);
            check_mappings(&c, 6);
            checked_close(&c);
            if (c.wrong > before)
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* Where an access stands under a condition, PEs do not read as many words; the one that has to take
 * up the sums of a tree may be one with few. */
static void test_uneven_sums(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int n_cases = (int)run_count(200);

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        snprintf(one.workload_text, TEXT,
                "name: uneven\ndomain: \"{ S[i, j] : 0 <= i < %d and 0 <= j < 4 }\"\nreads:\n"
                "  - \"{ S[i, j] -> A[i, j] : i <= j + %d }\"\n  - \"{ S[i, j] -> B[j] }\"\n"
                "writes:\n  - \"{ S[i, j] -> Y[i] }\"\n",
                4 + 2 * (int)machines_draw(&rng, 3), (int)machines_draw(&rng, 4));
        snprintf(one.arch_text, TEXT,
                "name: uneven\nlevels:\n  - {memory: DRAM, energy_pj: 100}\n"
                "  - array: PE\n    shape: [4]\n"
                "    reduction: [{name: sum, map: \"PE[i] -> TREE[0]\", energy_pj: 1}]\n"
                "  - {memory: L1, energy_pj: 1, bandwidth_bits: 8}\n"
                "  - {compute: mac, energy_pj: 1, cycles: 1}\n");
        assert_true(open_texts(&one, &rng));
        if (machines_draw(&rng, 2) == 0)
            assert_int_equal(sator_mapper_allow_imperfect(one.ctx, &one.problem), SATOR_OK);
        checked_open(&c, &one.problem, &rng);
        check_mappings(&c, 2);
        checked_close(&c);
        if (c.wrong > 0)
            print_message("%s%s", one.workload_text, one.arch_text);
        close_case(&one);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* Where last tiles are short the PE that takes up the sums of wires may be the one with the short
 * one. */
static void test_short_sums(void **state)
{
    static const char *const way[] = {"i-1", "i+1"};
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int n_cases = (int)run_count(400);

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        snprintf(one.workload_text, TEXT,
                "name: sums\nsizes: {i: %d, k: %d}\nop: \"Y[i] += A[k] * B[i,k]\"\n",
                1 + (int)machines_draw(&rng, 5), 3 + (int)machines_draw(&rng, 9));
        snprintf(one.arch_text, TEXT,
                "name: sums\nlevels:\n  - {memory: DRAM, energy_pj: 100}\n"
                "  - array: PE\n    shape: [%d]\n"
                "    links: [{name: sum, map: \"PE[i] -> PE[%s]\", interval: 0, tensors: [Y], "
                "energy_pj: 1}]\n"
                "  - {memory: L1, energy_pj: 1, ports: [{name: own, tensors: [Y], bandwidth_bits: "
                "8}]}\n"
                "  - {compute: mac, energy_pj: 1, cycles: 1}\n",
                2 + (int)machines_draw(&rng, 3), way[machines_draw(&rng, 2)]);
        assert_true(open_texts(&one, &rng));
        assert_int_equal(sator_mapper_allow_imperfect(one.ctx, &one.problem), SATOR_OK);
        one.problem.chains = machines_draw(&rng, 2) != 0;
        checked_open(&c, &one.problem, &rng);
        check_mappings(&c, 6);
        checked_close(&c);
        if (c.wrong > 0)
            print_message("%s%s", one.workload_text, one.arch_text);
        close_case(&one);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
}

/* ---- real layers ---- */

static void test_real_layers(void **state)
{
    (void)state;
    struct machines_rng rng = {seed()};
    struct checked c = {.wrong = 0};
    int imperfect = 0;

    for (size_t i = 0; i < 2 * (size_t)CHECKED_LAYERS; i++) {
        struct checked_layer real;
        checked_open_layer(&real, i / 2);
        bool is_other = i % 2 == 0;
        if (i % 2 != 0) { /* with short last tiles, where they are allowed */
            is_other = sator_mapper_allow_imperfect(real.ctx, &real.problem) == SATOR_OK;
            imperfect += is_other;
        }
        if (is_other) {
            checked_open(&c, &real.problem, &rng);
            check_mappings(&c, 60);
            checked_close(&c);
        }
        checked_close_layer(&real);
    }
    print_message("%d comparisons\n", c.comparisons);
    assert_int_equal(c.wrong, 0);
    assert_true(imperfect >= 6);
}

/* Three loops of a domain that is no box: triangles either way, bands, parts of a grid, what leaves
 * fibers with gaps; products and sums over any of them. */
static void draw_domain(struct machines_rng *rng, char *text)
{
    static const char *const conditions[] = {"j <= i", "j >= i", "j < i + 2",
            "j <= i and j >= i - 1", "j != i", "k <= i", "k >= i", "k <= i and j <= i",
            "j + i <= 4", "(i + j) % 2 = 0", "k + j >= i", "j <= i or k <= i", "2*j <= i",
            "i % 2 = 0 or j <= 1", "k <= i + 1 and j <= i + 1"};
    static const char *const operations[] = {"Y[i,j] += A[i,k] * B[k,j]", "Y[i] += A[i,j] * B[j,k]",
            "Y[k] += A[i] * B[j,k]", "Y[i,j,k] += A[i] * B[j]", "Y[i,k] += A[i,j] * B[j+k]",
            "Y[j] += A[i,k]"};
    enum {
        CONDITIONS = sizeof conditions / sizeof *conditions,
        OPERATIONS = sizeof operations / sizeof *operations
    };

    snprintf(text, TEXT, "name: domain\nsizes: {i: %d, j: %d, k: %d}\nop: \"%s\"\nwhere: \"%s\"\n",
            2 + 2 * (int)machines_draw(rng, 4), 2 + (int)machines_draw(rng, 7),
            2 + (int)machines_draw(rng, 5), operations[machines_draw(rng, OPERATIONS)],
            conditions[machines_draw(rng, CONDITIONS)]);
}

/* Domains that are no box, whose hull is bounded: tiles may be empty. */
static void test_domains(void **state)
{
    (void)state;
    int n_cases = (int)run_count(300), known = 0, scaled = 0;
    struct machines_rng rng = {seed() + 1};
    struct checked c = {.wrong = 0};

    for (int k = 0; k < n_cases && c.wrong < 3; k++) {
        struct problem_case one;
        struct machines_options options = {.bandwidths = machines_draw(&rng, 2) != 0,
                .most_memories = 4,
                .counted = machines_draw(&rng, 8) == 0,
                .small = machines_draw(&rng, 3) == 0};
        draw_domain(&rng, one.workload_text);
        machines_arch(&rng, &options, one.arch_text, TEXT);
        if (open_texts(&one, &rng)) {
            int before = c.wrong;
            uint64_t draws = machines_draw(&rng, UINT64_MAX);
            known += one.problem.domain != NULL;
            scaled += one.problem.domain != NULL && one.problem.domain->scaled != 0;
            checked_open(&c, &one.problem, &rng);
            for (int i = 0; i < 4 && c.wrong < 3; i++) {
                struct mapper_mapping mapping;
                sator_mapper_draw(c.problem, &draws, &mapping);
                checked_know(&c, &mapping);
                for (int child = 1; child <= c.problem->n_memories; child++) {
                    check_child(&c, child, &mapping);
                    check_apart(&c, child, &mapping);
                }
                check_whole(&c, &mapping);
            }
            checked_close(&c);
            if (c.wrong > before)
                print_message("%s%s", one.workload_text, one.arch_text);
        }
        close_case(&one);
    }
    print_message("%d comparisons, %d domains known, %d with tensors of the hull\n", c.comparisons,
            known, scaled);
    assert_int_equal(c.wrong, 0);
    assert_true(n_cases < 100 || scaled > n_cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_random_machines),
            cmocka_unit_test(test_domains),
            cmocka_unit_test(test_short_windows),
            cmocka_unit_test(test_short_quotients),
            cmocka_unit_test(test_short_groups),
            cmocka_unit_test(test_late_links),
            cmocka_unit_test(test_uneven_sums),
            cmocka_unit_test(test_short_sums),
            cmocka_unit_test(test_real_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
