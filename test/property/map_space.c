/* sator_map against an enumeration that knows nothing of it: small random problems, every mapping
 * of the space of doc/mapper.md written as a `loops:` dataflow and costed by sator_analyze. None
 * may be better than a proved optimum or bound, for any objective, and none may lie beyond a front;
 * what is found costs what sator_analyze says of its own file, and is one of those enumerated (of
 * some machines with links all mappings are, with their arrays under every skew; of the others
 * skews are not); where there is no mapping, sator_map says so, and sator_map_why_not calls legal
 * what sator_analyze takes. What a result names under "left_out" is left out of the comparison in
 * that dimension alone, and a phrase that is new to this test fails it.
 *
 *     property_map_space [--seed N] [--cases N] [--case N]
 */
#include "oracle/machines.h"
#include "oracle/run.h"

#include "sator/build.h"
#include "sator/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOPS = 4,
    LEVELS = 6,
    SLOTS = 8, /* memories and dimensions of arrays, outermost first */
    TEXT = 4096,
    LEAST_MAPPINGS = 20, /* of a problem */
    MOST_MAPPINGS = 1200,
    MOST_FAILURES = 5,
    N_PROBLEMS = 1000
};

/* ---- texts ---- */

struct text {
    char chars[TEXT];
    int length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    size_t rest = sizeof text->chars - (size_t)text->length;

    va_start(arguments, format);
    int n = vsnprintf(text->chars + text->length, rest, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= rest)
        abort(); /* TEXT is too small */
    text->length += n;
}

/* ---- problems ---- */

struct level {
    const char *name;
    int n_dims; /* of an array; 0: a memory */
    int shape[2];
    char may_bypass[4]; /* tensors, a letter each */
    bool is_passed_by; /* some tensor is not held */
    bool has_link, has_buses; /* of an array: one link, and how it leads */
    int step[2], interval;
};

struct slot {
    int level, dim; /* dim -1: a memory */
};

struct problem {
    struct machines_rng rng;
    const char *loops; /* a letter each */
    int n_loops, extent[LOOPS];
    int n_levels;
    struct level level[LEVELS];
    int n_slots, innermost_memory; /* a slot */
    struct slot slot[SLOTS];
    bool imperfect, pareto;
    bool skews; /* are enumerated, too */
    enum sator_map_objective objective;
    struct text workload, arch;
};

static int draw(struct problem *p, int n)
{
    return (int)machines_draw(&p->rng, (uint64_t)n);
}

static const struct kernel {
    const char *op, *loops;
} kernels[] = {
        {"Y[i,j] += A[i,k] * B[k,j]", "ijk"},
        {"Y[i] += A[i,j] * B[j]", "ij"},
        {"Y[k,x] += A[c,x+r] * B[k,c,r]", "kcxr"},
        {"Y[k,x] += A[2*x+r] * B[k,r]", "kxr"},
        {"Y[c,x] += A[c,x+r] * B[c,r]", "cxr"},
        {"Y[x] += A[x+r] * B[r]", "xr"},
        {"Y[x] += A[x+2*r] * B[r]", "xr"},
        {"Y[x,y] += A[x+r,y] * B[r]", "xyr"},
        {"Y[x+r] += A[x] * B[r]", "xr"},
        {"Y[i,j] += A[i,k,l] * B[k,j] * C[l,j]", "ijkl"},
        {"Y[i,j] += A[i,k] * B[k,j] * C[k]", "ijk"},
        {"Y[x] += A[x+r+s] * B[r,s]", "xrs"},
        /* the rest with factors that divide alone */
        {"Y[x] += A[x+r,x-r] * B[r]", "xr"},
        {"Y[c,x] = A[c,x] + A[c,x+1] + A[c,x-2] * B[c]", "cx"},
        {"Y[x] += A[fl((x+r)/2)] * B[r]", "xr"},
};

static void draw_workload(struct problem *p)
{
    const struct kernel *kernel = &kernels[draw(p, (int)(sizeof kernels / sizeof *kernels))];

    p->loops = kernel->loops;
    p->n_loops = (int)strlen(kernel->loops);
    add(&p->workload, "name: small\nsizes: {");
    for (int i = 0; i < p->n_loops; i++) {
        p->extent[i] = 1 + draw(p, p->n_loops == 2 ? 7 : p->n_loops == 3 ? 5 : 3);
        add(&p->workload, "%s%c: %d", i > 0 ? ", " : "", p->loops[i], p->extent[i]);
    }
    add(&p->workload, "}\nop: \"%s\"\n", kernel->op);
    if (draw(p, 4) == 0)
        add(&p->workload, "word_bits: {A: 8, B: 8, Y: 24}\n");
}

/* A memory that costs about "pj" a word and holds up to some "capacity" words; 0: all. */
static void add_memory(struct problem *p, const char *name, int pj, int capacity, bool holds_idle)
{
    static const char *const held[] = {
            "bypass: [B]", "bypass: [Y]", "tensors: [A, Y]", "bypass: [A]"};
    static const char *const open[] = {"A", "B", "Y", "AY"};
    struct level *level = &p->level[p->n_levels++];

    level->name = name;
    add(&p->arch, "  - memory: %s\n    energy_pj: {read: %d, write: %d}\n", name, pj + draw(p, pj),
            pj + draw(p, 2 * pj));
    if (draw(p, 2) == 0)
        add(&p->arch, "    bandwidth_bits: {read: %d, write: %d}\n", 4 << draw(p, 5),
                4 << draw(p, 5));
    if (holds_idle)
        add(&p->arch, "    holds: idle\n");
    if (capacity == 0)
        return;
    switch (draw(p, 5)) {
    case 0:
        add(&p->arch, "    capacity_bytes: %d\n", 4 + draw(p, 4 * capacity));
        break;
    case 1:
        add(&p->arch, "    capacity_words: {A: %d, B: %d, Y: %d}\n", 1 + draw(p, capacity),
                1 + draw(p, capacity), 1 + draw(p, capacity));
        break;
    case 2:
        add(&p->arch, "    capacity_words: %d\n    double_buffered: true\n",
                6 + draw(p, 4 * capacity));
        break;
    case 3:
        add(&p->arch, "    capacity_words: %d\n", 3 + draw(p, 2 * capacity));
        break;
    default:
        break;
    }
    if (draw(p, 4) == 0) {
        level->is_passed_by = true;
        add(&p->arch, "    %s\n", held[draw(p, 4)]);
    } else if (draw(p, 4) == 0) {
        level->is_passed_by = true;
        strcpy(level->may_bypass, open[draw(p, 4)]);
        add(&p->arch, "    may_bypass: [%c%s]\n", level->may_bypass[0],
                level->may_bypass[1] != '\0' ? ", Y" : "");
    }
}

/* Buses, trees, links or wires between PEs of an array with the indices "in". */
static void add_network(struct problem *p, const char *name, bool flat)
{
    static const int away[2][4][2] = {
            {{1, 0}, {-1, 0}, {1, 0}, {2, 0}}, {{1, 0}, {0, 1}, {0, -1}, {1, 1}}};
    static const char *const bus[2][4] = {{"0", "0", "i/2", "i%2"}, {"0", "i", "j", "i/2, j"}};
    static const char *const step[2][4] = {
            {"i+1", "i-1", "i+1", "i+2"}, {"i+1,j", "i,j+1", "i,j-1", "i+1,j+1"}};
    const char *in = flat ? "i" : "i,j";
    struct level *level = &p->level[p->n_levels - 1];
    int kind = draw(p, p->skews ? 4 : 8), way = draw(p, kind == 0 ? 3 : 4);

    level->has_buses = kind > 1 && kind != 7;
    if (kind < 3) {
        level->has_link = true;
        level->interval = p->skews && kind > 0 ? 1 + (draw(p, 4) == 0) : kind > 0;
        memcpy(level->step, away[!flat][way], sizeof level->step);
        add(&p->arch, "    links:\n      - {name: l_%s, map: \"%s[%s] -> %s[%s]\", interval: %d, ",
                name, name, in, name, step[!flat][way], level->interval);
        add(&p->arch, "energy_pj: 0.5%s}\n", draw(p, 2) ? ", tensors: [A]" : "");
    }
    if (kind > 1 && kind < 7)
        add(&p->arch, "    multicast: [{name: m_%s, map: \"%s[%s] -> BUS[%s]\", energy_pj: 0.5}]\n",
                name, name, in, bus[!flat][draw(p, 4)]);
    if (kind > 4)
        add(&p->arch,
                "    reduction: [{name: t_%s, map: \"%s[%s] -> TREE[%s]\", energy_pj: 0.5}]\n",
                name, name, in, bus[!flat][draw(p, 4)]);
}

static void add_array(struct problem *p, const char *name)
{
    struct level *level = &p->level[p->n_levels++];

    level->name = name;
    level->n_dims = 1 + draw(p, 2);
    add(&p->arch, "  - array: %s\n    shape: [", name);
    for (int d = 0; d < level->n_dims; d++) {
        level->shape[d] = 2 + draw(p, 3);
        add(&p->arch, "%s%d", d > 0 ? ", " : "", level->shape[d]);
    }
    add(&p->arch, "]\n");
    add_network(p, name, level->n_dims == 1);
}

/* Two to four memories, none to two arrays between and below them. */
static void draw_machine(struct problem *p)
{
    static const char *const memories[] = {"DRAM", "L2", "L1", "L0"};
    static const char *const arrays[] = {"PE", "lane"};
    int n_memories = 2 + (draw(p, 3) == 0) + (draw(p, 9) == 0), n_arrays = 0;
    int most_arrays = draw(p, 6) == 0 ? 0 : 1 + (draw(p, 4) == 0);

    add(&p->arch, "name: small-machine\nlevels:\n");
    for (int m = 0; m < n_memories; m++) {
        add_memory(
                p, memories[m], 64 >> 2 * m, m == 0 ? 0 : 16 >> m, n_arrays > 0 && draw(p, 3) == 0);
        bool is_last = m == n_memories - 1;
        if (n_arrays < most_arrays && (is_last ? draw(p, 2) : draw(p, 3)) != 0)
            add_array(p, arrays[n_arrays++]);
    }
    add(&p->arch, "  - {compute: mac, energy_pj: 1, cycles: 1}\n");
    for (int l = 0; l < p->n_levels; l++) {
        if (p->level[l].n_dims == 0)
            p->innermost_memory = p->n_slots;
        for (int d = p->level[l].n_dims > 0 ? 0 : -1; d < p->level[l].n_dims; d++) {
            if (d < 0 && p->level[l].n_dims > 0)
                continue;
            p->slot[p->n_slots++] = (struct slot){l, d};
        }
    }
}

static void draw_problem(struct problem *p, uint64_t seed)
{
    *p = (struct problem){0};
    p->rng.state = seed;
    p->skews = draw(p, 3) == 0;
    draw_workload(p);
    draw_machine(p);
    p->imperfect = draw(p, p->skews ? 4 : 2) == 0;
    p->objective = (enum sator_map_objective)draw(p, 3);
    p->pareto = draw(p, 6) == 0;
}

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
    USELESS = 128, /* ... along a dimension where that makes the link no wire and none from the
                      stamp before */
    SHARED = 256, /* ... in an array with buses or trees */
    LATE = 512, /* ... which has the link lead from PEs ahead, or from two stamps before */
    GAPS = 2048, /* ... by more than the loops outside, so that some value of time is nobody's */
    PASSED_BY = 1024, /* ... around a memory with loops that some tensor may not be held by */
    JOINED = 4096, /* ... in a row of loops that are joined across what a memory holds */
    SPARES = 8192, /* ... so that it holds or brings less */
    SKEWED_REMAINDER = 16384 /* REMAINDER and SKEW */
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
        walk->is_done = walk->n_mappings > MOST_MAPPINGS;
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

/* What the skew of the array whose dimensions are "n" slots from "slot" on uses. */
static unsigned uses_of_skew(const struct walk *walk, int slot, int n)
{
    const struct problem *p = walk->problem;
    const struct mapping *m = &walk->mapping;
    const struct level *level = &p->level[p->slot[slot].level];
    int interval = level->interval;
    unsigned uses = 0;

    for (int d = 0; d < n; d++)
        interval -= m->skew[slot + d] * level->step[d];
    for (int d = 0; d < n; d++) {
        bool is_useful = level->has_link && level->step[d] != 0 && (interval == 0 || interval == 1);
        uses |= m->skew[slot + d] == 0 ? 0 : is_useful ? SKEW : SKEW | USELESS;
    }
    if (uses == 0)
        return 0;
    uses |= level->has_buses ? SHARED : 0;
    uses |= steps_of(walk, slot) < 2 && level->interval > 1 ? GAPS : 0;
    uses |= level->has_link && (interval < 0 || interval > 1) ? LATE : 0;
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
            m->uses |= SKEWED_REMAINDER;
        if (memory_outside_skew(walk) >= 0)
            choose_joins(walk, memory_outside_skew(walk));
        else
            choose_bypass(walk);
        m->uses = uses;
        return;
    }
    const struct level *level = &p->level[p->slot[slot].level];
    int most = p->skews && p->slot[slot].dim >= 0 && m->n[slot] > 0 && level->has_link
            ? level->interval
            : 0;
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
 * there. A factor makes as many tiles as no lesser one does. */
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

/* ---- what is found ---- */

struct judge {
    struct sator_ctx *ctx;
    const struct problem *problem;
    struct sator_network *network;
    struct sator_arch *arch;
    struct sator_map_options options;
    enum sator_status status; /* of the search */
    struct sator_map_result *alone, **results; /* the best mapping, or a front */
    int n_results;
    bool is_proved, is_skewed, has_unknown;
    unsigned excused; /* what is left out */
    int n_legal, n_compared;
    double least; /* objective of those compared */
    struct text dataflow;
    struct text fault; /* "" when nothing is wrong */
};

struct figures {
    double pj, cycles;
    double fills; /* of the memories outside all arrays */
};

static void forget_messages(struct judge *judge)
{
    free(sator_ctx_take_messages(judge->ctx, false));
}

static double fills_of(const struct sator_result *result)
{
    double fills = 0;

    for (int i = 0; i < result->n_levels; i++) {
        for (int k = 0; k < result->levels[i].n_tensors && result->levels[i].space_cut == 0; k++)
            fills += (double)result->levels[i].tensors[k].fills;
    }
    return fills;
}

/* What sator_analyze says of a file; false when it refuses it. */
static bool analyze(struct judge *judge, const char *text, struct figures *figures)
{
    struct sator_dataflow *dataflow = NULL;
    struct sator_result *result = NULL;
    enum sator_status status = sator_dataflow_parse(judge->ctx, "nest", text, NULL, &dataflow);

    if (status == SATOR_OK)
        status = sator_analyze(judge->ctx, judge->network, 0, judge->arch, dataflow, NULL, &result);
    if (status == SATOR_OK)
        *figures = (struct figures){result->energy_pj, result->total_cycles, fills_of(result)};
    else
        forget_messages(judge);
    sator_result_free(result);
    sator_dataflow_free(dataflow);
    return status == SATOR_OK;
}

static double objective(const struct problem *p, const struct figures *figures)
{
    return p->objective == SATOR_MAP_EDP       ? figures->pj * figures->cycles
            : p->objective == SATOR_MAP_ENERGY ? figures->pj
                                               : figures->cycles;
}

static bool is_less(double a, double b)
{
    return a < b - 1e-9 * fabs(b);
}

static bool is_beaten(const struct judge *judge, const struct figures *figures)
{
    if (judge->status == SATOR_INFEASIBLE)
        return true;
    if (!judge->problem->pareto)
        return is_less(objective(judge->problem, figures), judge->alone->bound);
    for (int i = 0; i < judge->n_results; i++) {
        const struct sator_map_result *r = judge->results[i];
        if (!is_less(figures->pj, r->energy_pj) && !is_less(figures->cycles, r->total_cycles))
            return false;
    }
    return true;
}

/* Whether sator_map_why_not calls the mapping legal. */
static bool is_called_legal(struct judge *judge)
{
    struct sator_dataflow *dataflow = NULL;
    char *text = NULL;
    enum sator_status status =
            sator_dataflow_parse(judge->ctx, "nest", judge->dataflow.chars, NULL, &dataflow);

    if (status == SATOR_OK)
        status = sator_map_why_not(judge->ctx, judge->network, 0, judge->arch, dataflow,
                &judge->options, judge->alone, &text);
    free(text);
    sator_dataflow_free(dataflow);
    forget_messages(judge);
    return status == SATOR_OK;
}

/* Whether the joined mapping, whose figures these are, spares words of the same one with a run for
 * each tile, or room. */
static bool spares_words(
        struct judge *judge, const struct mapping *m, const struct figures *figures)
{
    struct mapping apart = *m;
    struct figures own;

    memset(apart.joined, 0, sizeof apart.joined);
    bool fits = write_mapping(judge->problem, &apart, &judge->dataflow) &&
            analyze(judge, judge->dataflow.chars, &own);
    write_mapping(judge->problem, m, &judge->dataflow);
    return !fits || own.fills > figures->fills;
}

static void look_at(struct walk *walk)
{
    struct judge *judge = walk->judge;
    struct figures figures;

    if ((walk->mapping.uses & judge->excused) != 0 ||
            !write_mapping(judge->problem, &walk->mapping, &judge->dataflow))
        return;
    bool is_legal = analyze(judge, judge->dataflow.chars, &figures);
    if (is_legal && (walk->mapping.uses & JOINED) && (judge->excused & SPARES) &&
            spares_words(judge, &walk->mapping, &figures))
        return;
    judge->n_compared++;
    judge->n_legal += is_legal;
    if (is_legal)
        judge->least = fmin(judge->least, objective(judge->problem, &figures));
    if (is_legal && is_beaten(judge, &figures)) {
        add(&judge->fault, "a better mapping: %.17g pJ, %.17g cycles", figures.pj, figures.cycles);
    } else if (walk->n_mappings % 128 == 1 && is_called_legal(judge) != is_legal) {
        add(&judge->fault, "why_not does not agree that this is %slegal", is_legal ? "" : "not ");
    }
    walk->is_done |= judge->fault.length > 0;
}

/* What a phrase of "left_out" excuses. */
static const struct phrase {
    const char *words;
    unsigned excuses;
} phrases[] = {
        {"factors that do not divide a loop's extent", REMAINDER},
        {"most mappings with remainders at several levels", DEEP},
        {"remainders at several levels of loops whose words pass", SPREAD_DEEP},
        {"remainders where PEs pass words on straight to compute units", SPREAD},
        {"remainders of loops that share an index of a sum", REMAINDER},
        {"most other orders of the loops that share an array dimension", ORDER},
        {"loops on several array dimensions with an outer digit on a later", DIGITS},
        {"PEs that run the nest at shifted times (skewed)", SKEW},
        {"skews that make no link a wire", USELESS},
        {"skews under which some words have no formula", SKEW},
        {"skewed arrays with factors that do not divide", SKEWED_REMAINDER},
        {"skews along dimensions whose PEs share words on a bus or a tree", SHARED},
        {"what links bring late, or from PEs ahead", LATE},
        {"loops at a memory inside a skewed array that some tensor bypasses", PASSED_BY},
        {"skewed loops joined across a memory's tiles where windows hold or bring", SPARES},
        {"skewed loops joined across a memory's tiles", JOINED},
        {"skews by more stamps than the loops outside", GAPS},
        {"nests with a loop twice at one memory or array dimension", 0},
        {"skewed arrays with factors that do not divide", REMAINDER},
};

static void excuse(struct judge *judge, const char *left_out)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        if (strncmp(left_out, phrases[i].words, strlen(phrases[i].words)) == 0) {
            judge->excused |= phrases[i].excuses;
            return;
        }
    }
    add(&judge->fault, "this test does not know what is left out by '%s'", left_out);
}

static void look_at_result(struct judge *judge, const struct sator_map_result *r)
{
    struct figures figures, own = {r->energy_pj, r->total_cycles, 0};

    judge->is_proved &= r->proved;
    judge->is_skewed |= r->skew != NULL;
    for (int i = 0; i < r->n_left_out; i++)
        excuse(judge, r->left_out[i]);
    if (!analyze(judge, r->yaml, &figures))
        add(&judge->fault, "sator_analyze refuses what is found");
    else if (fabs(figures.pj - own.pj) > 1e-9 * own.pj || figures.cycles != own.cycles)
        add(&judge->fault, "what is found costs %.17g pJ, %.17g cycles", figures.pj,
                figures.cycles);
    else if (!judge->problem->pareto &&
            fabs(objective(judge->problem, &own) - r->value) > 1e-9 * r->value)
        add(&judge->fault, "the value is not that of the figures");
}

static void search(struct judge *judge)
{
    const struct problem *p = judge->problem;

    judge->options = (struct sator_map_options){
            .size = sizeof judge->options, .objective = p->objective, .imperfect = p->imperfect};
    if (p->pareto)
        judge->status = sator_map_pareto(judge->ctx, judge->network, 0, judge->arch,
                &judge->options, &judge->results, &judge->n_results);
    else
        judge->status = sator_map(
                judge->ctx, judge->network, 0, judge->arch, &judge->options, &judge->alone);
    if (judge->alone != NULL)
        look_at_result(judge, judge->alone);
    for (int i = 0; i < judge->n_results; i++)
        look_at_result(judge, judge->results[i]);
}

static void show_result(const struct sator_map_result *r)
{
    printf("--- found: %.17g pJ, %.17g cycles, value %.17g, bound %.17g, proved %d\n%s",
            r->energy_pj, r->total_cycles, r->value, r->bound, r->proved, r->yaml);
    for (int i = 0; i < r->n_left_out; i++)
        printf("# left out: %s\n", r->left_out[i]);
}

static void show(const struct judge *judge)
{
    static const char *const objectives[] = {"edp", "energy", "latency"};
    const struct problem *p = judge->problem;

    printf("%s\n--- objective %s%s%s\n--- workload\n%s--- architecture\n%s--- mapping\n%s",
            judge->fault.chars, objectives[p->objective], p->pareto ? ", a front" : "",
            p->imperfect ? ", imperfect" : "", p->workload.chars, p->arch.chars,
            judge->dataflow.chars);
    if (judge->alone != NULL)
        show_result(judge->alone);
    for (int i = 0; i < judge->n_results; i++)
        show_result(judge->results[i]);
}

/* ---- cases ---- */

struct tally {
    int n_problems, n_declined, n_infeasible, n_unproved, n_fronts, n_imperfect, n_skewed, n_failed;
    int n_excused[15];
    int n_with_skews;
    int64_t n_mappings, n_legal;
};

static void finish(struct judge *judge, struct tally *tally)
{
    const struct problem *p = judge->problem;

    walk_space(p, look_at, judge);
    bool knows_skew = p->skews || !judge->is_skewed;
    if (judge->fault.length == 0 && judge->status == SATOR_OK && judge->n_legal == 0 && knows_skew)
        add(&judge->fault, "no mapping of those enumerated is legal");
    /* of what is not enumerated, or excused, some may be better than all that are enumerated */
    unsigned excused = p->skews ? judge->excused & ~(unsigned)(USELESS | SPARES | SKEWED_REMAINDER)
                                : judge->excused & (SKEW - 1U);
    if (judge->fault.length == 0 && judge->alone != NULL && knows_skew && excused == 0 &&
            is_less(judge->alone->value, judge->least))
        add(&judge->fault, "better than all that are enumerated, the least of which is %.17g",
                judge->least);
    tally->n_problems++;
    tally->n_infeasible += judge->status == SATOR_INFEASIBLE;
    tally->n_unproved += !judge->is_proved;
    tally->n_fronts += p->pareto;
    tally->n_imperfect += p->imperfect;
    tally->n_skewed += judge->is_skewed;
    tally->n_with_skews += p->skews;
    for (int bit = 0; bit < 15; bit++)
        tally->n_excused[bit] += (judge->excused >> bit & 1) != 0;
    tally->n_mappings += judge->n_compared;
    tally->n_legal += judge->n_legal;
}

static void run_problem(struct problem *p, struct tally *tally)
{
    struct judge judge = {
            .ctx = sator_ctx_new(), .problem = p, .is_proved = true, .least = INFINITY};

    if (sator_network_parse(judge.ctx, "workload", p->workload.chars, NULL, &judge.network) !=
                    SATOR_OK ||
            sator_arch_parse(judge.ctx, "arch", p->arch.chars, NULL, &judge.arch) != SATOR_OK) {
        char *messages = sator_ctx_take_messages(judge.ctx, false);
        add(&judge.fault, "cannot be read: %.2000s", messages);
        free(messages);
    } else {
        search(&judge);
        if (judge.status == SATOR_INPUT && p->imperfect) { /* not for all accesses */
            p->imperfect = false;
            search(&judge);
        }
        forget_messages(&judge);
        if (judge.status == SATOR_OK || judge.status == SATOR_INFEASIBLE)
            finish(&judge, tally);
        else
            tally->n_declined++;
    }
    if (judge.fault.length > 0) {
        tally->n_failed++;
        show(&judge);
    }
    for (int i = 0; i < judge.n_results; i++)
        sator_map_result_free(judge.results[i]);
    free(judge.results);
    sator_map_result_free(judge.alone);
    sator_network_free(judge.network);
    sator_arch_free(judge.arch);
    sator_ctx_free(judge.ctx);
}

int main(int argc, char **argv)
{
    static struct problem problem;
    struct run_options options;
    struct tally tally = {0};

    if (!run_options(argc, argv, N_PROBLEMS, &options))
        return 2;
    for (int64_t k = 0; k < options.n_cases && tally.n_failed < MOST_FAILURES; k++) {
        int64_t number = options.first_case + k;
        int n_failed = tally.n_failed, n_mappings;
        uint64_t seed = run_case_seed(&options, number);
        do
            n_mappings = (draw_problem(&problem, seed++), walk_space(&problem, NULL, NULL));
        while (n_mappings < LEAST_MAPPINGS || n_mappings > MOST_MAPPINGS);
        run_problem(&problem, &tally);
        if (tally.n_failed > n_failed)
            printf("FAILED: --seed %" PRIu64 " --case %" PRId64 "\n", options.seed, number);
        fflush(stdout);
    }
    printf("%d problems (%d without a mapping, %d declined, %d fronts, %d with remainders, %d best "
           "skewed, %d with all skews, %d not proved), %" PRId64 " mappings, %" PRId64 " legal\n",
            tally.n_problems, tally.n_infeasible, tally.n_declined, tally.n_fronts,
            tally.n_imperfect, tally.n_skewed, tally.n_with_skews, tally.n_unproved,
            tally.n_mappings, tally.n_legal);
    printf("excused: remainders %d, deep ones %d, orders %d, digits %d, on arrays %d %d; skews %d, "
           "of "
           "no use %d, with buses %d, late %d, around bypassed memories %d; joined across memories "
           "%d, where "
           "that spares words %d\n",
            tally.n_excused[0], tally.n_excused[1], tally.n_excused[2], tally.n_excused[3],
            tally.n_excused[4], tally.n_excused[5], tally.n_excused[6], tally.n_excused[7],
            tally.n_excused[8], tally.n_excused[9], tally.n_excused[10], tally.n_excused[12],
            tally.n_excused[13]);
    return tally.n_failed > 0;
}
