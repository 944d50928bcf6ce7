/* Small random problems of the mapper: a workload, a machine and an objective, as text and as what
 * an enumeration of their mappings has to know. */
#ifndef TEST_MAP_SPACE_PROBLEM_H
#define TEST_MAP_SPACE_PROBLEM_H

#include "oracle/machines.h"

#include "sator/map.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOPS = 4,
    LEVELS = 6,
    SLOTS = 8, /* memories and dimensions of arrays, outermost first */
    TEXT = 4096
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
    bool has_buses; /* of an array, and its links, the second of which leads back */
    int n_links;
    struct {
        int step[2], interval;
    } link[2];
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
    int most_mappings; /* the larger the space, the longer it takes */
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
    const char *op, *loops; /* with a condition all extents are one, so that its hull is all */
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
        {"Y[k,x+r] += A[c,x] * B[k,c,r]", "kcxr"},
        {"Y[2*x+r] += A[x,k] * B[r,k]", "xrk"},
        {"Y[k,x] += A[3*x+2*r] * B[k,r]", "kxr"},
        {"Y[k,c,x] += A[c,x+r] * B[k,c,r]", "kcxr"},
        {"Y[i,j] += A[i,k,l] * B[k,j] * C[l,j]", "ijkl"},
        {"Y[i,j] += A[i,k] * B[k,j] * C[k]", "ijk"},
        {"Y[x] += A[x+r+s] * B[r,s]", "xrs"},
        /* the rest with factors that divide alone */
        {"Y[x] += A[x+r,x-r] * B[r]", "xr"},
        {"Y[c,x] = A[c,x] + A[c,x+1] + A[c,x-2] * B[c]", "cx"},
        {"Y[x] += A[k,x+r,x-r] * B[k,r]", "kxr"},
        {"Y[x] += A[x+2*r-s,x+r+2*s] * B[r,s]", "xrs"},
        {"Y[i] += A[i,i,j] * B[0,j] * B[1,j]", "ij"},
        {"Y[x] += A[fl((x+r)/2)] * B[r]", "xr"},
        {"Y[k,x] += A[fl((x+2*r)/3),k] * B[k,r]", "kxr"},
        {"Y[fl(x/2)] += A[x,r] * B[r]", "xr"},
        {"Y[i,j] += A[i,k] * B[k,j]\"\nwhere: \"j <= i", "ijk"},
        {"Y[x] += A[x+r] * B[r]\"\nwhere: \"r <= x", "xr"},
};

/* Whether the domain is a box. */
static bool draw_workload(struct problem *p)
{
    const struct kernel *kernel = &kernels[draw(p, (int)(sizeof kernels / sizeof *kernels))];
    bool is_box = strstr(kernel->op, "where") == NULL;

    if (!is_box) /* of which each takes milliseconds */
        p->most_mappings = 300;
    p->loops = kernel->loops;
    p->n_loops = (int)strlen(kernel->loops);
    add(&p->workload, "name: small\nsizes: {");
    for (int i = 0; i < p->n_loops; i++) {
        static const int most[] = {0, 0, 8, 6, 4};
        p->extent[i] = i > 0 && !is_box ? p->extent[0] : 1 + draw(p, most[p->n_loops]);
        add(&p->workload, "%s%c: %d", i > 0 ? ", " : "", p->loops[i], p->extent[i]);
    }
    add(&p->workload, "}\nop: \"%s\"\n", kernel->op);
    if (draw(p, 4) == 0)
        add(&p->workload, "word_bits: {A: 8, B: 8, Y: 24}\n");
    return is_box;
}

/* Mostly nothing; of a memory that some tensor passes by nothing that names a tensor. */
static void add_now_and_then(struct problem *p, bool is_passed_by)
{
    static const char *const said[] = {"word_bits: 8", "leakage_pj: 3", "transfers: serial",
            "transfers: streamed", "setup_cycles: 3", "granule_bits: 64", "word_bits: {Y: 32}",
            "transfers: {A: overlapped, Y: serial}",
            "ports: [{name: own, tensors: [Y], direction: shared, bandwidth_bits: 16}]",
            "ports: [{name: own, tensors: [A], bandwidth_bits: 8}]"};

    if (draw(p, 4) == 0)
        add(&p->arch, "    %s\n", said[draw(p, is_passed_by ? 6 : 10)]);
}

/* Up to some "capacity" words, and what is not held. */
static void add_capacity(struct problem *p, struct level *level, int capacity)
{
    static const char *const held[] = {
            "bypass: [B]", "bypass: [Y]", "tensors: [A, Y]", "bypass: [A]"};
    static const char *const open[] = {"A", "B", "Y", "AY"};

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

/* A memory that costs about "pj" a word and holds up to some "capacity" words; 0: all. */
static void add_memory(struct problem *p, const char *name, int pj, int capacity, bool holds_idle)
{
    struct level *level = &p->level[p->n_levels++];

    level->name = name;
    add(&p->arch, "  - memory: %s\n    energy_pj: {read: %d, write: %d%s}\n", name,
            pj + draw(p, pj), pj + draw(p, 2 * pj), draw(p, 6) == 0 ? ", row_bits: 48" : "");
    if (draw(p, 2) == 0)
        add(&p->arch, "    bandwidth_bits: {read: %d, write: %d}\n", 4 << draw(p, 5),
                4 << draw(p, 5));
    if (holds_idle)
        add(&p->arch, "    holds: idle\n");
    if (capacity > 0)
        add_capacity(p, level, capacity);
    add_now_and_then(p, level->is_passed_by);
}

/* What a word costs on a link, bus or tree inside a memory whose own costs "pj": from a hundredth
 * of that to ten times as much. */
static double network_pj(struct problem *p, int pj)
{
    static const double shares[] = {0.01, 0.1, 0.5, 1, 2, 10};

    return shares[draw(p, 6)] * pj;
}

/* Buses, trees, links or wires between PEs of an array with the indices "in"; "pj" is about what
 * the memory outside costs a word. */
static void add_network(struct problem *p, const char *name, bool flat, int pj)
{
    static const int away[2][4][2] = {
            {{1, 0}, {-1, 0}, {1, 0}, {2, 0}}, {{1, 0}, {0, 1}, {0, -1}, {1, 1}}};
    static const char *const bus[2][4] = {{"0", "0", "i/2", "i%2"}, {"0", "i", "j", "i/2, j"}};
    static const char *const step[2][2][4] = {
            {{"i+1", "i-1", "i+1", "i+2"}, {"i+1,j", "i,j+1", "i,j-1", "i+1,j+1"}},
            {{"i-1", "i+1", "i-1", "i-2"}, {"i-1,j", "i,j-1", "i,j+1", "i-1,j-1"}}};
    static const char *const tensors[] = {
            "", "", ", tensors: [A]", ", tensors: [Y]", ", tensors: [A, B]"};
    const char *in = flat ? "i" : "i,j";
    struct level *level = &p->level[p->n_levels - 1];
    int drawn = draw(p, p->skews ? 4 : 10), kind = drawn < 8 ? drawn : 0; /* wires more often */
    int way = draw(p, kind == 0 ? 3 : 4);

    level->has_buses = kind > 1 && kind != 7;
    if (kind < 3)
        level->n_links = 1 + (draw(p, 2) == 0);
    add(&p->arch, "%s", level->n_links > 0 ? "    links:\n" : "");
    double link_pj = network_pj(p, pj);
    for (int i = 0; i < level->n_links; i++) {
        int interval = kind == 0 ? 0 : 1 + (draw(p, 4) == 0);
        level->link[i].interval = interval;
        for (int d = 0; d < 2; d++)
            level->link[i].step[d] = (i == 0 ? 1 : -1) * away[!flat][way][d];
        add(&p->arch, "      - {name: l_%s%d, map: \"%s[%s] -> %s[%s]\", interval: %d, ", name, i,
                name, in, name, step[i][!flat][way], interval);
        add(&p->arch, "energy_pj: %g%s}\n", draw(p, 4) ? link_pj : network_pj(p, pj),
                tensors[draw(p, 5)]);
    }
    if (kind > 1 && kind < 7)
        add(&p->arch,
                "    multicast: [{name: m_%s, map: \"%s[%s] -> BUS[%s]\", energy_pj: %g%s}]\n",
                name, name, in, bus[!flat][draw(p, 4)], network_pj(p, pj), tensors[draw(p, 5)]);
    if (kind > 4)
        add(&p->arch, "    reduction: [{name: t_%s, map: \"%s[%s] -> TREE[%s]\", energy_pj: %g}]\n",
                name, name, in, bus[!flat][draw(p, 4)], network_pj(p, pj));
}

static void add_array(struct problem *p, const char *name, int pj)
{
    struct level *level = &p->level[p->n_levels++];

    level->name = name;
    level->n_dims = 1 + draw(p, 2);
    add(&p->arch, "  - array: %s\n    shape: [", name);
    for (int d = 0; d < level->n_dims; d++) {
        level->shape[d] = draw(p, 2) == 0 ? 4 + draw(p, 5) : 2 + draw(p, 3);
        add(&p->arch, "%s%d", d > 0 ? ", " : "", level->shape[d]);
    }
    add(&p->arch, "]\n");
    if (draw(p, 8) == 0)
        add(&p->arch, "    word_bits: {Y: 24}\n");
    add_network(p, name, level->n_dims == 1, pj);
}

/* Two to four memories, none to two arrays between and below them. */
static void draw_machine(struct problem *p, bool is_box)
{
    static const char *const memories[] = {"DRAM", "L2", "L1", "L0"};
    static const char *const arrays[] = {"PE", "lane"};
    int n_memories = 2 + (draw(p, 3) == 0) + (draw(p, 9) == 0), n_arrays = 0;
    int most_arrays = draw(p, 6) == 0 ? 0 : 1 + (draw(p, 4) == 0);

    add(&p->arch, "name: small-machine\nlevels:\n");
    for (int m = 0; m < n_memories; m++) {
        add_memory(p, memories[m], 64 >> 2 * m, m == 0 ? 0 : 16 >> m,
                n_arrays > 0 && is_box && draw(p, 3) == 0);
        bool is_last = m == n_memories - 1;
        if (n_arrays < most_arrays && (is_last ? draw(p, 2) : draw(p, 3)) != 0)
            add_array(p, arrays[n_arrays++], 64 >> 2 * m);
    }
    add(&p->arch, "  - {compute: mac, energy_pj: 1, cycles: %d%s}\n", 1 + (draw(p, 4) == 0),
            draw(p, 8) == 0 ? ", leakage_pj: 2" : "");
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
    static const int most[] = {300, 1000, 1000, 1000, 3000, 20000};

    *p = (struct problem){0};
    p->rng.state = seed;
    p->most_mappings = most[draw(p, 6)];
    p->skews = draw(p, 3) == 0;
    draw_machine(p, draw_workload(p));
    p->imperfect = draw(p, p->skews ? 4 : 2) == 0;
    p->objective = (enum sator_map_objective)draw(p, 3);
    p->pareto = draw(p, 6) == 0;
}

#endif
