#include "support/completions.h"

#include "support/checked.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

/* Compare the bound of the transfers into "child" with a mapping, and with others that have the
 * same rows from that of memory "known" inward. */
static void compare(struct checked *c, const char *what, int child, int known,
        const struct mapper_share *bound, const struct mapper_mapping *mapping)
{
    uint32_t group = sator_mapper_bounds_group(c->bounds, child);

    compare_group(c, what, group, known, bound, mapping);
    for (int k = 0; k < 6; k++) {
        struct mapper_mapping other = *mapping;
        checked_complete(c, checked_row(c, known), &other);
        compare_group(c, what, group, known, bound, &other);
    }
}

/* ---- the transfers into one memory ---- */

/* The bounds of the transfers into "child": nothing known; its tile known; its tile and the loops
 * of the memory outside it known. */
static void check_child(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    uint32_t group = sator_mapper_bounds_group(c->bounds, child);
    struct mapper_share bound;

    sator_mapper_bounds_least(p, &c->crew, group, &bound);
    compare_group(c, "nothing known", group, p->n_memories + 1, &bound, mapping);
    checked_bound(c, child, child, child, mapping, &bound);
    compare(c, "tile known", child, child, &bound, mapping);
    checked_bound(c, child, child - 1, child - 1, mapping, &bound);
    compare(c, "tile and nearest loops known", child, child - 1, &bound, mapping);
}

/* The bound of the transfers into "child" of mappings that spend no more there than some limit. */
static void check_limited(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    struct mapper_traffic traffic;
    struct mapper_share exact, bound;

    sator_mapper_count(c->problem, c->words, mapping, &traffic);
    if (traffic.is_unknown)
        return;
    checked_exact(c, sator_mapper_bounds_group(c->bounds, child), child, &traffic, &exact);
    if (!(exact.pj > 0))
        return;
    c->limit = exact.pj * (0.9 + 0.1 * checked_draw(c, 6));
    sator_mapper_bounds_given(c->bounds)->limit = c->limit * (1 + 1e-9); /* sums are rounded */
    checked_bound(c, child, child, child, mapping, &bound);
    sator_mapper_bounds_given(c->bounds)->limit = INFINITY;
    compare(c, "within a limit", child, child, &bound, mapping);
    c->limit = 0;
}

/* The same where the factors of arrays outside of what fills "child" are not known either: they
 * count as loops further out. */
static void check_apart(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_mapping apart = *mapping;
    struct mapper_shape shape;
    struct mapper_share bound[2];
    unsigned open = 0;
    int parent = child - 1, n_known = p->imperfect ? 1 : 2; /* nothing; the loops outside of it */

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
    /* where last tiles may be short, of PEs that are filled with compute units alone */
    if (open == 0 || (p->imperfect && child < p->n_memories))
        return;
    c->apart++;
    sator_mapper_shape_init(p, &apart, &shape);
    sator_mapper_crew_init(p, &shape, open, &c->crew);
    sator_mapper_bounds_given(c->bounds)->strides = true;
    for (int near = 0; near < n_known; near++)
        checked_bound(c, child, child - near, child - near, &apart, &bound[near]);
    for (int near = 0; near < n_known; near++)
        compare(c, "arrays outside open", child, child - near, &bound[near], mapping);
    sator_mapper_bounds_given(c->bounds)->strides = false;
    checked_know(c, mapping);
}

/* Complete a mapping of which the rows from "row" inward are known, but for loops "open" at "row".
 */
static void complete_open(struct checked *c, int row, unsigned open, struct mapper_mapping *mapping)
{
    checked_complete(c, row, mapping);
    for (; open != 0; open &= open - 1)
        checked_spread(c, __builtin_ctz(open), row + 1, false, mapping);
}

/* The bound of the transfers into "child" when its tile is known, and of the memory outside of it
 * the loops that slide and some others. */
static void check_either(struct checked *c, int child, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    uint32_t group = sator_mapper_bounds_group(c->bounds, child);
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
    sator_mapper_bounds_given(c->bounds)->either = open;
    sator_mapper_bounds_share(c->bounds, child, &shape, known.factor[near_row], far, &bound);
    sator_mapper_bounds_given(c->bounds)->either = 0;
    for (int k = 0; k < 7; k++) {
        struct mapper_mapping other = *mapping;
        if (k > 0)
            complete_open(c, near_row, open, &other);
        compare_group(c, "tile and some nearest loops known", group, child - 1, &bound, &other);
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
    int64_t outside[MAPPER_LOOPS], shrink[MAPPER_LOOPS];
    struct mapper_mapping larger = *mapping;
    struct mapper_shape shape;
    struct mapper_share bound;
    unsigned open = 0;

    checked_shape(c, row, mapping, &shape, outside);
    for (int i = 0; i < p->n_loops; i++) {
        int64_t pes = 1;
        shrink[i] = 1;
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
    sator_mapper_bounds_given(c->bounds)->open = open;
    sator_mapper_bounds_given(c->bounds)->shrink = grow ? NULL : shrink;
    sator_mapper_bounds_known(c->bounds, child);
    sator_mapper_bounds_share(c->bounds, child, &shape, checked_ones, outside, &bound);
    sator_mapper_bounds_given(c->bounds)->shrink = NULL;
    sator_mapper_bounds_given(c->bounds)->open = 0;
    int before = c->wrong;
    c->shrunk += !grow;
    compare(c, "tile at most known", child, child, &bound, mapping);
    if (c->wrong > before) {
        for (int i = 0; i < p->n_loops; i++)
            print_message("%s: at most %lld%s\n", p->loop_names[i],
                    (long long)larger.factor[row][i], open >> i & 1 ? "" : ", known");
    }
}

/* ---- two memories ---- */

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
    complete_open(c, row, either, other);
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

/* ---- the whole ---- */

/* What all transfers cost at the least, from a bound for each child, given what the others cost in
 * "traffic" exactly (NULL: nothing is known of them). */
static struct mapper_share sum_bounds(struct checked *c, const struct mapper_mapping *mapping,
        const struct mapper_traffic *traffic)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_share all = checked_fixed(c), one;

    for (int child = 1; child <= p->n_memories; child++) {
        struct mapper_share beside = checked_fixed(c);
        for (int other = 1; other <= p->n_memories && traffic != NULL; other++) {
            checked_exact(c, sator_mapper_bounds_group(c->bounds, other), 0, traffic, &one);
            if (other != child)
                sator_mapper_share_add(p, &beside, &one);
        }
        sator_mapper_bounds_given(c->bounds)->beside = traffic == NULL ? NULL : &beside;
        checked_bound(c, child, child, 0, mapping, &one);
        sator_mapper_bounds_given(c->bounds)->beside = NULL;
        sator_mapper_share_add(p, &all, &one);
    }
    return all;
}

/* Energy and cycles of the whole from a bound for each child. */
static void check_whole(struct checked *c, const struct mapper_mapping *mapping)
{
    const struct mapper_problem *p = c->problem;
    struct mapper_traffic traffic;

    sator_mapper_count(p, c->words, mapping, &traffic);
    if (traffic.is_unknown)
        return;
    struct mapper_share all = sum_bounds(c, mapping, NULL);
    struct mapper_share known = sum_bounds(c, mapping, &traffic);
    struct mapper_cost cost = sator_mapper_cost(p, &traffic);
    double compute = (double)traffic.time_stamps * p->cycles_per_instance;
    double cycles = sator_mapper_cycles(p, &c->crew, compute, &all);
    double pj = all.pj + p->leakage_pj * cycles;
    double bound = sator_mapper_bound(p, &c->crew, compute, &all).value;
    double beside = sator_mapper_bound(p, &c->crew, compute, &known).value;
    c->comparisons++;
    if (!checked_exceeds(cycles, cost.cycles) && !checked_exceeds(pj, cost.pj) &&
            !checked_exceeds(bound, cost.value) && !checked_exceeds(beside, cost.value))
        return;
    print_message(
            "the whole: bound %.17g pJ %.17g cycles (%.17g, %.17g), exact %.17g %.17g (%.17g)\n",
            pj, cycles, bound, beside, cost.pj, cost.cycles, cost.value);
    checked_show(c, mapping);
    c->wrong++;
}

/* ---- mappings ---- */

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

bool completions_check(struct checked *c, const struct mapper_problem *problem,
        struct machines_rng *rng, int n_mappings)
{
    uint64_t state = machines_draw(rng, UINT64_MAX);
    int before = c->wrong;

    checked_open(c, problem, rng);
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
    checked_close(c);
    return c->wrong == before;
}
