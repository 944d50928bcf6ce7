/* Every mapping of the space of doc/mapper.md, one after the other, and each as a `loops:`
 * dataflow: without anything of src/mapper. */
#ifndef TEST_MAP_SPACE_WALK_H
#define TEST_MAP_SPACE_WALK_H

#include "property/map_space_problem.h"

/* ---- the space ---- */

/* What a mapping uses that a result may say it left out. */
enum {
    REMAINDER = 1, /* a factor that does not divide what it covers */
    DEEP = 2, /* such a factor elsewhere than at the innermost memory */
    ORDER = 4, /* loops on an array dimension in another order than the workload's */
    DIGITS = 8, /* a loop with its outer digit on the later dimension of an array */
    SPREAD = 16, /* REMAINDER, and loops on an array */
    SPREAD_DEEP = 32, /* DEEP, and loops on an array */
    SKEW = 64, /* PEs that run apart */
    USELESS = 128, /* ... along a dimension where that makes no link a wire or one from the stamp
                      before */
    SHARED = 256, /* ... in an array with buses or trees */
    LATE = 512, /* ... which has a link lead from PEs ahead, or from two stamps before */
    GAPS = 2048, /* ... by more than the loops outside, so that some value of time is nobody's */
    PASSED_BY = 1024, /* ... around a memory with loops that some tensor may not be held by */
    JOINED = 4096, /* ... in a row of loops that are joined across what a memory holds */
    SPARES = 8192, /* ... so that it holds or brings less */
    SKEWED_REMAINDER = 16384, /* REMAINDER and SKEW */
    SKEWED_ORDER = 32768, /* ORDER and SKEW */
    SKEWED_SPLIT = 65536, /* SKEWED_REMAINDER, of a loop that is not in one memory, or not alone
                             along a dimension */
    SKEWED_AHEAD = 131072, /* ... with steps of several stamps, or a last tile of a single PE */
    SKEWED_COUNTED = 262144 /* SKEWED_REMAINDER, and SHARED, LATE, PASSED_BY or links to
                                other PEs than the next */
};

struct mapping {
    int factor[SLOTS][LOOPS];
    int n[SLOTS], order[SLOTS][LOOPS]; /* loops of factors above 1, outermost first */
    bool later_first[LEVELS][LOOPS]; /* at an array: the outer digit is on dimension 1 */
    int skew[SLOTS]; /* of array dimensions */
    int joined[SLOTS]; /* loops of memories that are joined across the memory inside */
    unsigned bypass; /* bits, numbered over all letters of may_bypass */
    unsigned uses;
};

struct walk {
    const struct problem *problem;
    struct mapping mapping;
    int n_mappings;
    bool is_done;
    void (*visit)(struct walk *walk);
    struct judge *judge;
};

static void choose_bypass(struct walk *walk)
{
    const struct problem *p = walk->problem;
    int n_bits = 0;

    for (int l = 0; l < p->n_levels; l++)
        n_bits += (int)strlen(p->level[l].may_bypass);
    for (unsigned bits = 0; bits < 1U << n_bits && !walk->is_done; bits++) {
        walk->mapping.bypass = bits;
        walk->n_mappings++;
        walk->is_done = walk->n_mappings > p->most_mappings;
        if (walk->visit != NULL)
            walk->visit(walk);
    }
}

/* The steps of the memory outside the array at "slot". */
static int steps_of(const struct walk *walk, int slot)
{
    int steps = 1;

    while (slot > 0 && walk->problem->slot[slot].dim >= 0)
        slot--;
    for (int i = 0; i < walk->problem->n_loops; i++)
        steps *= walk->mapping.factor[slot][i];
    return steps;
}

static int longest_interval(const struct level *level)
{
    int longest = 0;

    for (int i = 0; i < level->n_links; i++)
        longest = level->link[i].interval > longest ? level->link[i].interval : longest;
    return longest;
}

/* What the skew of the array whose dimensions are "n" slots from "slot" on uses. */
static unsigned uses_of_skew(const struct walk *walk, int slot, int n)
{
    const struct problem *p = walk->problem;
    const struct mapping *m = &walk->mapping;
    const struct level *level = &p->level[p->slot[slot].level];
    bool is_useful[2] = {false, false}, is_late = false;
    unsigned uses = 0;

    for (int i = 0; i < level->n_links; i++) {
        int interval = level->link[i].interval;
        for (int d = 0; d < n; d++)
            interval -= m->skew[slot + d] * level->link[i].step[d];
        bool is_late_one = interval < 0 || interval > 1;
        is_late |= is_late_one;
        for (int d = 0; d < n; d++)
            is_useful[d] |= level->link[i].step[d] != 0 && !is_late_one;
    }
    for (int d = 0; d < n; d++)
        uses |= m->skew[slot + d] == 0 ? 0 : is_useful[d] ? SKEW : SKEW | USELESS;
    if (uses == 0)
        return 0;
    uses |= level->has_buses ? SHARED : 0;
    uses |= steps_of(walk, slot) < 2 && longest_interval(level) > 1 ? GAPS : 0;
    uses |= is_late ? LATE : 0;
    for (int s = slot + n; s < p->n_slots; s++)
        uses |= p->slot[s].dim < 0 && m->n[s] > 0 && p->level[p->slot[s].level].is_passed_by
                ? PASSED_BY
                : 0;
    return uses;
}

/* The memory outside that at "slot", with no skewed array between; -1: none. */
static int memory_outside(const struct walk *walk, int slot)
{
    for (slot--; slot >= 0 && walk->problem->slot[slot].dim >= 0; slot--) {
        if (walk->mapping.skew[slot] != 0)
            return -1;
    }
    return slot;
}

/* All joins of the loops of memories outside the one at "slot", whose own are joined. */
static void choose_joins(struct walk *walk, int slot)
{
    struct mapping *m = &walk->mapping;
    unsigned uses = m->uses;
    int outside = memory_outside(walk, slot);

    if (outside < 0) {
        choose_bypass(walk);
        return;
    }
    for (m->joined[outside] = 0; m->joined[outside] <= m->n[outside]; m->joined[outside]++) {
        m->uses = uses | (m->joined[outside] > 0 ? JOINED : 0);
        if (m->joined[outside] == m->n[outside])
            choose_joins(walk, outside);
        else
            choose_bypass(walk);
    }
    m->joined[outside] = 0;
    m->uses = uses;
}

/* The memory directly outside the first array that is skewed; -1: none is. */
static int memory_outside_skew(const struct walk *walk)
{
    int memory = 0;

    for (int s = 0; s < walk->problem->n_slots; s++) {
        memory = walk->problem->slot[s].dim < 0 ? s : memory;
        if (walk->mapping.skew[s] != 0)
            return memory;
    }
    return -1;
}

/* Whether some link leads further than to the next PE. */
static bool has_long_links(const struct problem *p)
{
    bool any = false;

    for (int l = 0; l < p->n_levels; l++) {
        for (int i = 0; i < p->level[l].n_links; i++)
            any |= abs(p->level[l].link[i].step[0]) + abs(p->level[l].link[i].step[1]) > 1;
    }
    return any;
}

/* What a mapping that is skewed, with remainders, has besides. */
static unsigned uses_of_remainders(const struct walk *walk)
{
    const struct problem *p = walk->problem;
    const struct mapping *m = &walk->mapping;
    int memory = memory_outside_skew(walk);
    bool is_late = false, is_inside = false; /* of a memory inside the first skewed array */
    unsigned uses = SKEWED_REMAINDER;

    for (int s = 0; s < p->n_slots; s++) {
        uses |= m->skew[s] > 1 || m->skew[s] < -1 ? SKEWED_AHEAD : 0;
        is_inside |= p->slot[s].dim < 0 && s > memory;
        uses |= is_inside && m->skew[s] != 0 ? SKEWED_SPLIT : 0;
    }
    for (int i = 0; i < p->n_loops; i++) {
        int covered = 1, pes = 1;
        for (int s = 0; s < p->n_slots; s++) {
            covered *= m->factor[s][i];
            pes *= p->slot[s].dim >= 0 ? m->factor[s][i] : 1;
        }
        for (int s = 0; s < p->n_slots; s++) {
            bool is_split = s < memory || (p->slot[s].dim < 0 && s > memory);
            if (covered == p->extent[i] || m->factor[s][i] == 1)
                continue;
            uses |= is_split || (m->skew[s] != 0 && m->n[s] > 1) ? SKEWED_SPLIT : 0;
        }
        for (int s = 0; s < p->n_slots; s++)
            is_late |= m->skew[s] != 0 && m->factor[s][i] > 1 &&
                    (covered == p->extent[i] || (p->extent[i] - 1) % pes > 0);
    }
    return uses | (is_late ? 0 : SKEWED_AHEAD);
}

/* All skews of the array dimensions from "slot" on that have loops: one whose array has no link is
 * of no use. */
static void choose_skews(struct walk *walk, int slot)
{
    const struct problem *p = walk->problem;
    struct mapping *m = &walk->mapping;
    unsigned uses = m->uses;

    if (slot == p->n_slots) {
        for (int s = 0; s < p->n_slots && p->skews; s++) {
            if (p->slot[s].dim == 0)
                m->uses |= uses_of_skew(walk, s, p->level[p->slot[s].level].n_dims);
        }
        if ((m->uses & SKEW) && (m->uses & REMAINDER))
            m->uses |= uses_of_remainders(walk) |
                    (m->uses & (SHARED | LATE | PASSED_BY) || has_long_links(p) ? SKEWED_COUNTED
                                                                                : 0);
        if ((m->uses & SKEW) && (m->uses & ORDER))
            m->uses |= SKEWED_ORDER;
        if (memory_outside_skew(walk) >= 0)
            choose_joins(walk, memory_outside_skew(walk));
        else
            choose_bypass(walk);
        m->uses = uses;
        return;
    }
    const struct level *level = &p->level[p->slot[slot].level];
    int most = p->skews && p->slot[slot].dim >= 0 && m->n[slot] > 0 ? longest_interval(level) : 0;
    for (m->skew[slot] = -most; m->skew[slot] <= most && !walk->is_done; m->skew[slot]++)
        choose_skews(walk, slot + 1);
    m->skew[slot] = 0;
}

/* All orders of the loops at the slots from "slot" on, those before "at" being placed. */
static void choose_orders(struct walk *walk, int slot, int at)
{
    struct mapping *m = &walk->mapping;

    if (walk->is_done)
        return;
    if (slot == walk->problem->n_slots) {
        choose_skews(walk, 0);
        return;
    }
    if (at >= m->n[slot] - 1) {
        unsigned uses = m->uses;
        for (int k = 1; k < m->n[slot] && walk->problem->slot[slot].dim >= 0; k++)
            m->uses |= m->order[slot][k] < m->order[slot][k - 1] ? ORDER : 0;
        choose_orders(walk, slot + 1, 0);
        m->uses = uses;
        return;
    }
    for (int k = at; k < m->n[slot]; k++) {
        int kept[LOOPS];
        memcpy(kept, m->order[slot], sizeof kept);
        m->order[slot][at] = kept[k];
        memmove(&m->order[slot][at + 1], &kept[at], (size_t)(k - at) * sizeof *kept);
        choose_orders(walk, slot, at + 1);
        memcpy(m->order[slot], kept, sizeof kept);
    }
}

static bool fits_array(const struct walk *walk, int slot)
{
    const struct slot *s = &walk->problem->slot[slot];
    int tiles = 1;

    for (int i = 0; i < walk->problem->n_loops && s->dim >= 0; i++)
        tiles *= walk->mapping.factor[slot][i];
    return s->dim < 0 || tiles <= walk->problem->level[s->level].shape[s->dim];
}

static void begin_loop(struct walk *walk, int loop);

/* The factors of "loop" from place "place" of "chain", its slots, outward: "rest" tiles are left
 * there. A factor makes as many tiles as no lesser one does: the others are said to be left
 * out. */
static void choose_factors(struct walk *walk, int loop, const int *chain, int place, int rest)
{
    struct mapping *m = &walk->mapping;
    unsigned uses = m->uses;

    if (place < 0) {
        if (rest == 1)
            begin_loop(walk, loop + 1);
        return;
    }
    int slot = chain[place];
    for (int f = 1; f <= rest && !walk->is_done; f++) {
        int tiles = (rest + f - 1) / f;
        if ((rest + tiles - 1) / tiles != f || (rest % f != 0 && !walk->problem->imperfect))
            continue;
        m->factor[slot][loop] = f;
        if (rest % f != 0)
            m->uses |= slot == walk->problem->innermost_memory ? REMAINDER : REMAINDER | DEEP;
        if (fits_array(walk, slot))
            choose_factors(walk, loop, chain, place - 1, tiles);
        m->uses = uses;
    }
    m->factor[slot][loop] = 1;
}

/* All factors of the loops from "loop" on: first which arrays have its digits the other way round,
 * of which those count that it is on both dimensions of. */
static void begin_loop(struct walk *walk, int loop)
{
    const struct problem *p = walk->problem;
    struct mapping *m = &walk->mapping;

    if (loop > 0) {
        for (int s = 1; s < p->n_slots; s++) {
            if (p->slot[s].dim == 1 && m->later_first[p->slot[s].level][loop - 1] &&
                    (m->factor[s][loop - 1] == 1 || m->factor[s - 1][loop - 1] == 1))
                return;
        }
    }
    if (loop == p->n_loops) {
        unsigned uses = m->uses;
        for (int s = 0; s < p->n_slots; s++) {
            m->n[s] = 0;
            for (int i = 0; i < p->n_loops; i++) {
                if (m->factor[s][i] > 1)
                    m->order[s][m->n[s]++] = i;
            }
            if (p->slot[s].dim >= 0 && m->n[s] > 0)
                m->uses |= (uses & REMAINDER ? SPREAD : 0) | (uses & DEEP ? SPREAD_DEEP : 0);
        }
        choose_orders(walk, 0, 0);
        m->uses = uses;
        return;
    }
    unsigned uses = m->uses;
    for (unsigned flips = 0; flips < 1U << p->n_levels; flips++) {
        int chain[SLOTS];
        bool is_meant = true;
        for (int l = 0; l < p->n_levels; l++) {
            m->later_first[l][loop] = flips >> l & 1;
            is_meant &= !(flips >> l & 1) || p->level[l].n_dims == 2;
        }
        if (!is_meant)
            continue;
        for (int s = 0; s < p->n_slots; s++) {
            int dim = p->slot[s].dim;
            chain[s] = dim >= 0 && (flips >> p->slot[s].level & 1) ? s + 1 - 2 * dim : s;
        }
        m->uses |= flips != 0 ? DIGITS : 0;
        choose_factors(walk, loop, chain, p->n_slots - 1, p->extent[loop]);
        m->uses = uses;
    }
}

static int walk_space(
        const struct problem *p, void (*visit)(struct walk *walk), struct judge *judge)
{
    struct walk walk = {.problem = p, .visit = visit, .judge = judge};

    for (int s = 0; s < p->n_slots; s++) {
        for (int i = 0; i < p->n_loops; i++)
            walk.mapping.factor[s][i] = 1;
    }
    begin_loop(&walk, 0);
    return walk.n_mappings;
}

/* ---- a mapping as a file ---- */

/* The loops of the array whose first slot is "slot", each dimension in its order, and a loop's
 * outer digit before its inner one; false when there is no such list. */
static bool add_parallel(
        const struct problem *p, const struct mapping *m, int slot, int n_dims, struct text *text)
{
    const bool *later_first = m->later_first[p->slot[slot].level];
    int at[2] = {0, 0}, total = m->n[slot] + (n_dims == 2 ? m->n[slot + 1] : 0);

    for (int done = 0; done < total; done++) {
        bool found = false;
        for (int d = 0; d < n_dims && !found; d++) {
            if (at[d] == m->n[slot + d])
                continue;
            int loop = m->order[slot + d][at[d]];
            bool waits = n_dims == 2 && later_first[loop] == (d == 0);
            bool other_is_open = false;
            for (int k = n_dims == 2 ? at[!d] : 0; n_dims == 2 && k < m->n[slot + !d]; k++)
                other_is_open |= m->order[slot + !d][k] == loop;
            if (waits && other_is_open)
                continue;
            add(text, "%s%c %d -> %d", done > 0 ? ", " : "", p->loops[loop],
                    m->factor[slot + d][loop], d);
            at[d]++;
            found = true;
        }
        if (!found)
            return false;
    }
    return true;
}

static void add_for(const struct problem *p, const struct mapping *m, int slot, struct text *text)
{
    for (int k = 0; k < m->n[slot]; k++) {
        int loop = m->order[slot][k];
        add(text, "%s%c %d", k > 0 ? ", " : "", p->loops[loop], m->factor[slot][loop]);
    }
}

static bool write_mapping(const struct problem *p, const struct mapping *m, struct text *text)
{
    int bit = 0;

    text->length = 0;
    add(text, "name: nest\nloops:\n");
    for (int s = 0; s < p->n_slots; s++) {
        const struct level *level = &p->level[p->slot[s].level];
        int n_bypassed = 0;
        if (p->slot[s].dim > 0)
            continue;
        add(text, "  - at: %s\n    %s: [", level->name, level->n_dims > 0 ? "parallel" : "for");
        if (level->n_dims == 0)
            add_for(p, m, s, text);
        else if (!add_parallel(p, m, s, level->n_dims, text))
            return false;
        add(text, "]\n");
        if (m->joined[s] > 0)
            add(text, "    joined: %d\n", m->joined[s]);
        bool is_skewed = m->skew[s] != 0 || (level->n_dims == 2 && m->skew[s + 1] != 0);
        for (int d = 0; d < level->n_dims && is_skewed; d++)
            add(text, "%s%d%s", d > 0 ? ", " : "    skew: [", m->skew[s + d],
                    d == level->n_dims - 1 ? "]\n" : "");
        for (int k = 0; level->may_bypass[k] != '\0'; k++, bit++) {
            if (m->bypass >> bit & 1)
                add(text, "%s%c", n_bypassed++ == 0 ? "    bypass: [" : ", ", level->may_bypass[k]);
        }
        add(text, "%s", n_bypassed > 0 ? "]\n" : "");
    }
    return true;
}

#endif
