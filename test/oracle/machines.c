#include "oracle/machines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t machines_draw(struct machines_rng *rng, uint64_t n)
{
    rng->state = rng->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = rng->state ^ rng->state >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return (x ^ x >> 33) % n;
}

__attribute__((format(printf, 3, 4))) static void add(char *text, int size, const char *format, ...)
{
    int used = (int)strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, (size_t)(size - used), format, arguments);
    va_end(arguments);
}

static int extent(struct machines_rng *rng, const struct machines_options *options)
{
    static const int friendly[] = {1, 2, 2, 3, 4, 4, 6, 6, 8, 9, 12, 16};
    static const int prime[] = {1, 2, 3, 5, 7, 10, 11, 13};

    for (;;) {
        int drawn = options->prime_extents ? prime[machines_draw(rng, 8)]
                                           : friendly[machines_draw(rng, 12)];
        if (drawn <= options->most_extent)
            return drawn;
    }
}

struct kernel {
    const char *op, *loops;
};

static const struct kernel kernels[] = {
        {"Y[i,j] += A[i,k] * B[k,j]", "ijk"},
        {"Y[k,x] += A[c,x+r] * B[k,c,r]", "kcxr"},
        {"Y[k,x] += A[c,2*x+r] * B[k,c,r]", "kcxr"},
        {"Y[k,x] += A[c,x+2*r] * B[k,c,r]", "kcxr"},
        {"Y[k,x] += A[c,3*x+2*r] * B[k,c,r]", "kcxr"},
        {"Y[c,x,y] += A[c,x+r,y+s] * B[c,r,s]", "cxyrs"},
        {"Y[x,y] += A[x+r,y+s] * B[r,s]", "xyrs"},
        {"Y[i,j] += A[i,k,l] * B[k,j] * C[l,j]", "ijkl"},
        {"Y[i,l] += A[i,j] * B[j,k] * C[k,l]", "ijkl"},
        {"Y[i] += A[i,j] * B[j]", "ij"},
        {"Y[x] += A[x-r] * B[r]", "xr"},
        {"Y[x+r] += A[x] * B[r]", "xr"},
        {"Y[k,x+r] += A[c,x] * B[k,c,r]", "kcxr"},
        {"Y[2*x+r] += A[x,k] * B[r,k]", "xrk"},
        {"Y[k,c,r] += A[n,c,x+r] * B[n,k,x]", "nkcxr"},
        {"Y[x] += A[x+r+s] * B[r,s]", "xrs"},
        /* several places, loops in two indices, and many loops in one */
        {"Y[i,j] = A[i,j] + A[i-1,j] + A[i,j-1] + A[i+1,j] + A[i,j+1] * B[i]", "ij"},
        {"Y[c,i] = A[c,i] + A[c,i+1] + A[c,i-2] * B[c]", "ci"},
        {"Y[k,x,y] += A[x+2*r-s,y+r+2*s-2] * B[k,r,s]", "kxyrs"},
        {"Y[x] += A[k,x+r,x-r] * B[k,r]", "kxr"},
        {"Y[i] += A[i,i,j] * B[0,j] * B[1,j]", "ij"},
        {"Y[x] += A[x+r+2*s+t+2*u] * B[r,s,t,u]", "xrstu"},
};

/* Accesses that are no sums of loops: read A, read B, write Y. */
static const struct {
    const char *loops, *a, *b, *y;
} relations[] = {
        {"xr", "A[floor((x + r)/2)]", "B[r]", "Y[x]"},
        {"cxyr", "A[c, floor((x + 2r)/3), y]", "B[c, r]", "Y[x, y]"},
        {"kxr", "A[k, x % 3, r]", "B[k]", "Y[k, x]"},
        {"ij", "A[i, j] : i <= j + 2", "B[j]", "Y[i]"},
        {"ijk", "A[k, i - j] : i >= j", "B[j]", "Y[k, i]"},
        {"ij", "A[a] : 2i <= a < 2i + 3", "B[j]", "Y[i, j]"},
        {"ij", "A[i, j]", "B[j]", "Y[floor((i + j)/2)]"},
        {"xyrs", "A[floor((x + r + 1)/2), floor((2y - s)/3)]", "B[r, s]", "Y[x, y]"},
        {"cxr", "A[floor(x/3), c + r]", "B[c, r]", "Y[floor((x + 2)/2)]"},
        {"kxr", "A[k, floor((2x + 3r)/4)]", "B[k, r]", "Y[x]"},
};

static void add_relations(
        struct machines_rng *rng, const struct machines_options *options, char *text, int size)
{
    size_t which = machines_draw(rng, sizeof relations / sizeof *relations);
    const char *const targets[] = {relations[which].a, relations[which].b, relations[which].y};
    char tuple[32] = "";

    for (const char *loop = relations[which].loops; *loop != '\0'; loop++)
        snprintf(tuple + strlen(tuple), sizeof tuple - strlen(tuple), "%s%c",
                loop == relations[which].loops ? "" : ", ", *loop);
    add(text, size, "name: random\ndomain: \"{ S[%s] : ", tuple);
    for (const char *loop = relations[which].loops; *loop != '\0'; loop++) {
        int lower = machines_draw(rng, 3) == 0 ? (int)machines_draw(rng, 5) - 2 : 0;
        add(text, size, "%s%d <= %c < %d", loop == relations[which].loops ? "" : " and ", lower,
                *loop, lower + extent(rng, options));
    }
    add(text, size, " }\"\n");
    for (int k = 0; k < 3; k++)
        add(text, size, "%s  - \"{ S[%s] -> %s }\"\n",
                k == 0           ? "reads:\n"
                        : k == 2 ? "writes:\n"
                                 : "",
                tuple, targets[k]);
}

static void add_small_workload(struct machines_rng *rng, char *text, int size)
{
    static const char *const a[] = {"x + r", "x + r, k", "2x + r", "x + r, x", "x, r", "k, x + 2r",
            "x + 2r", "2x + 3r, k", "floor((x + r)/2)", "k, floor((x + 2r)/3)", "floor(x/3), r",
            "floor((x + r + 1)/2), k"};
    static const char *const b[] = {"r", "r, k"};
    static const char *const y[] = {"x", "x, k", "k, x", "x, r"};
    static const int lengths[] = {4, 5, 6, 6, 7, 7, 8};

    add(text, size,
            "name: small\n"
            "domain: \"{ S[x, r, k] : 0 <= x < %d and 0 <= r < %d and 0 <= k < %d }\"\n"
            "reads: [\"{ S[x, r, k] -> A[%s] }\", \"{ S[x, r, k] -> B[%s] }\"]\n"
            "writes: [\"{ S[x, r, k] -> Y[%s] }\"]\n",
            lengths[machines_draw(rng, 7)], 2 + (int)machines_draw(rng, 3),
            1 + (int)machines_draw(rng, 3), a[machines_draw(rng, sizeof a / sizeof *a)],
            b[machines_draw(rng, 2)], y[machines_draw(rng, 4)]);
}

void machines_workload(
        struct machines_rng *rng, const struct machines_options *options, char *text, int size)
{
    text[0] = '\0';
    if (options->small) {
        add_small_workload(rng, text, size);
        return;
    }
    const struct kernel *kernel = &kernels[machines_draw(rng, sizeof kernels / sizeof *kernels)];
    if (options->counted && machines_draw(rng, 4) == 0) {
        add_relations(rng, options, text, size);
        return;
    }
    add(text, size, "name: random\nsizes: {");
    for (const char *loop = kernel->loops; *loop != '\0'; loop++)
        add(text, size, "%s%c: %d", loop == kernel->loops ? "" : ", ", *loop, extent(rng, options));
    add(text, size, "}\nop: \"%s\"\n", kernel->op);
    if (machines_draw(rng, 3) == 0)
        add(text, size, "word_bits: {A: 8, B: 8, Y: 24}\n");
}

static double quarter(struct machines_rng *rng, int most)
{
    return (double)(1 + machines_draw(rng, (uint64_t)most * 4)) / 4;
}

static void add_memory(struct machines_rng *rng, const struct machines_options *options,
        const char *name, double energy, int capacity, char *text, int size)
{
    static const char *const units[] = {", word_bits: 8", ", row_bits: 64", ", row_bits: 20",
            ", tensors: {A: 3}", ", tensors: {Y: {read: 1, write: 7, row_bits: 48}}"};
    static const char *const widths[] = {"8", "{Y: 32}", "{A: 4, Y: 24}", "24"};
    bool is_dear = machines_draw(rng, 8) == 0; /* a partial sum that is spared there counts */
    double read = energy * quarter(rng, 2) * (is_dear ? 32 : 1);

    add(text, size, "  - memory: %s\n    energy_pj: {read: %g, write: %g%s}\n", name, read,
            machines_draw(rng, 2) ? read : energy,
            machines_draw(rng, 4) ? "" : units[machines_draw(rng, 5)]);
    if (machines_draw(rng, 5) == 0)
        add(text, size, "    word_bits: %s\n", widths[machines_draw(rng, 4)]);
    if (options->idle && machines_draw(rng, 3) == 0)
        add(text, size, "    holds: idle\n");
    if (options->bandwidths && machines_draw(rng, 2))
        add(text, size, "    bandwidth_bits: {read: %d, write: %d}\n", 8 << machines_draw(rng, 5),
                8 << machines_draw(rng, 5));
    if (capacity == 0 || !options->capacities)
        return;
    switch (machines_draw(rng, 3)) {
    case 0:
        add(text, size, "    capacity_words: {A: %d, B: %d, C: %d, Y: %d}\n",
                1 + (int)machines_draw(rng, (uint64_t)capacity),
                1 + (int)machines_draw(rng, (uint64_t)capacity),
                1 + (int)machines_draw(rng, (uint64_t)capacity),
                1 + (int)machines_draw(rng, (uint64_t)capacity));
        break;
    case 1:
        add(text, size, "    capacity_bytes: %d\n",
                2 * (6 + (int)machines_draw(rng, 4 * (uint64_t)capacity)));
        break;
    default:
        add(text, size, "    capacity_words: %d\n    double_buffered: %s\n",
                6 + (int)machines_draw(rng, 4 * (uint64_t)capacity),
                machines_draw(rng, 3) ? "false" : "true");
    }
}

/* What a memory holds; returns tensors that it may hold, one letter each. */
static const char *add_bypass(struct machines_rng *rng, char *text, int size)
{
    static const char *const choices[] = {"tensors: [A, Y]", "tensors: [A, B, C]", "bypass: [B]",
            "bypass: [Y]", "may_bypass: [A, Y]", "may_bypass: [B, C, Y]",
            "bypass: [B]\n    may_bypass: [A]"};
    static const char *const held[] = {"AY", "AB", "AY", "AB", "ABY", "ABY", "AY"};
    size_t choice = machines_draw(rng, sizeof choices / sizeof *choices);

    if (machines_draw(rng, 2) != 0)
        return "ABY";
    add(text, size, "    %s\n", choices[choice]);
    return held[choice];
}

/* A port or two beside the memory's own bandwidth: for one of the tensors "held", and for all
 * others. */
static void add_ports(struct machines_rng *rng, const struct machines_options *options,
        const char *held, char *text, int size)
{
    static const char *const directions[] = {"both", "read", "write", "shared"};

    if (!options->bandwidths || machines_draw(rng, 3) != 0)
        return;
    add(text, size,
            "    ports:\n      - {name: own, tensors: [%c], direction: %s, bandwidth_bits: %d}\n",
            held[machines_draw(rng, strlen(held))], directions[machines_draw(rng, 4)],
            8 << machines_draw(rng, 5));
    if (machines_draw(rng, 2))
        add(text, size, "      - {name: rest, direction: %s, bandwidth_bits: %d}\n",
                directions[machines_draw(rng, 4)], 8 << machines_draw(rng, 5));
}

/* How much more a word costs on a wire than usual: it may be more than what it spares. */
static double dearness(struct machines_rng *rng)
{
    static const double some[] = {1, 1, 1, 0.1, 8, 50};

    return some[machines_draw(rng, 6)];
}

static void add_buses(struct machines_rng *rng, const char *name, int n_dims, char *text, int size)
{
    const char *in = n_dims == 1 ? "i" : "i,j";
    static const char *const outs[] = {"0", "i", "j"};
    static const char *const some[2][4] = {{"floor(i/2)", "floor((i+1)/3)", "i%2", "floor(i/4)"},
            {"floor(i/2)", "i+j", "i,floor(j/2)", "i%2,floor((i+j)/3)"}};
    bool is_some = machines_draw(rng, 4) == 0; /* each joins some PEs of a row */

    if (machines_draw(rng, 4) != 0) {
        const char *out = is_some ? some[n_dims - 1][machines_draw(rng, 4)]
                : n_dims == 1     ? "0"
                                  : outs[machines_draw(rng, 3)];
        double pj = 0.5 * dearness(rng); /* of all buses of a tensor, as the mapper handles */
        add(text, size,
                "    multicast:\n      - {name: cast_%s, map: \"%s[%s] -> BUS[%s]\", energy_pj: "
                "%g%s}\n",
                name, name, in, out, pj, machines_draw(rng, 3) ? "" : ", tensors: [A]");
        if (n_dims == 2 && *out != '0' && machines_draw(rng, 3) == 0)
            add(text, size, "      - {name: cast2_%s, map: \"%s[%s] -> BUS[%s]\", energy_pj: %g}\n",
                    name, name, in, *out == 'i' ? "j" : "i", pj);
    }
    if (machines_draw(rng, 2) != 0) {
        const char *out = is_some && machines_draw(rng, 2) ? some[n_dims - 1][machines_draw(rng, 4)]
                : n_dims == 1                              ? "0"
                                                           : outs[machines_draw(rng, 3)];
        double pj = 0.25 * dearness(rng);
        add(text, size,
                "    reduction:\n      - {name: sum_%s, map: \"%s[%s] -> TREE[%s]\", energy_pj: "
                "%g}\n",
                name, name, in, out, pj);
        if (n_dims == 2 && *out != '0' && machines_draw(rng, 3) == 0)
            add(text, size, "      - {name: sum2_%s, map: \"%s[%s] -> TREE[%s]\", energy_pj: %g}\n",
                    name, name, in, *out == 'i' ? "j" : "i", pj);
    }
}

/* Links for one tensor, which then has no buses: to the next PE along a dimension, or further. */
static void add_links(struct machines_rng *rng, const char *name, int n_dims, char *text, int size)
{
    bool wires = machines_draw(rng, 2) != 0;
    const char *tensor = machines_draw(rng, 2) ? "Y" : "A";
    const char *step = machines_draw(rng, 2) ? "+1" : "-1";
    static const char *const far[2][2] = {{"i+2", "0"}, {"i+1,j-1", "j,i"}};
    int dim = (int)machines_draw(rng, (uint64_t)n_dims);
    double pj = 0.25 * dearness(rng);

    if (!wires && machines_draw(rng, 2)) { /* somewhere else than next door */
        add(text, size,
                "    links:\n      - {name: far_%s, map: \"%s[i%s] -> %s[%s]\", interval: 1, "
                "tensors: [%s], energy_pj: %g}\n",
                name, name, n_dims == 1 ? "" : ",j", name, far[n_dims == 2][machines_draw(rng, 2)],
                tensor, pj);
        return;
    }
    add(text, size,
            "    links:\n      - {name: next_%s, map: \"%s[i%s] -> %s[i%s%s]\", "
            "interval: %d, tensors: [%s], energy_pj: %g}\n",
            name, name, n_dims == 1 ? "" : ",j", name, dim == 0 ? step : "",
            n_dims == 1                                          ? ""
                    : dim == 0                                   ? ",j"
                    : machines_draw(rng, 1) == 0 && *step == '+' ? ",j+1"
                                                                 : ",j-1",
            wires ? 0 : 1, tensor, pj);
    if (machines_draw(rng, 2))
        add(text, size,
                "    multicast:\n      - {name: cast_%s, map: \"%s[i%s] -> BUS[0]\", "
                "energy_pj: 0.5, tensors: [B, C]}\n",
                name, name, n_dims == 1 ? "" : ",j");
}

/* Networks that have no formula: groups of PEs on a bus, wires further than next door, several
 * kinds and costs for one tensor, links of interval 2. */
static void add_complex(
        struct machines_rng *rng, const char *name, int n_dims, char *text, int size)
{
    const char *in = n_dims == 1 ? "i" : "i,j";
    static const char *const far[2][3] = {{"i+2", "i+1", "i-1"}, {"i+1,j+1", "i,j+2", "i-1,j+1"}};
    static const char *const groups[2][3] = {
            {"floor(i/2)", "floor(i/3)", "0"}, {"floor(i/2),j", "i+j", "i"}};
    int n_links = 1 + (int)machines_draw(rng, 2);

    add(text, size, "    links:\n");
    for (int k = 0; k < n_links; k++)
        add(text, size,
                "      - {name: far%d_%s, map: \"%s[%s] -> %s[%s]\", interval: %d, energy_pj: "
                "%g%s}\n",
                k, name, name, in, name,
                far[n_dims == 2][(machines_draw(rng, 2) + (unsigned)k) % 3],
                k == 0 ? (int)machines_draw(rng, 3) : 1 + (int)machines_draw(rng, 2),
                quarter(rng, 1) * dearness(rng), machines_draw(rng, 2) ? "" : ", tensors: [A]");
    if (machines_draw(rng, 2) != 0)
        add(text, size,
                "    multicast:\n      - {name: cast_%s, map: \"%s[%s] -> BUS[%s]\", energy_pj: "
                "%g}\n",
                name, name, in, groups[n_dims == 2][machines_draw(rng, 3)],
                quarter(rng, 1) * dearness(rng));
    if (machines_draw(rng, 2) != 0)
        add(text, size,
                "    reduction:\n      - {name: sum_%s, map: \"%s[%s] -> TREE[%s]\", energy_pj: "
                "%g}\n",
                name, name, in, groups[n_dims == 2][machines_draw(rng, 3)],
                quarter(rng, 1) * dearness(rng));
}

/* Links of one cost to several places, from this stamp (next door) and from the one before, perhaps
 * a bus at the same cost: words of windows pass along them. */
static void add_mesh(struct machines_rng *rng, const char *name, int n_dims, char *text, int size)
{
    static const char *const steps[2][8] = {
            {"i+1", "i-1", "i+2", "i-2", "i+1", "i-1", "i+3", "i-3"},
            {"i+1,j", "i-1,j", "i,j+1", "i,j-1", "i+1,j+1", "i-1,j+1", "i-1,j-1", "i+2,j-1"}};
    const char *in = n_dims == 1 ? "i" : "i,j";
    int n_links = 1 + (int)machines_draw(rng, 4);
    bool bus = machines_draw(rng, 3) == 0;
    const char *tensors = machines_draw(rng, 2) ? ", tensors: [A]" : "";
    double pj = 0.5 * dearness(rng);

    add(text, size, "    links:\n");
    for (int k = 0; k < n_links; k++) {
        int step = (int)machines_draw(rng, 8);
        bool wire = !bus && step < (n_dims == 1 ? 2 : 4) && machines_draw(rng, 3) == 0;
        add(text, size,
                "      - {name: way%d_%s, map: \"%s[%s] -> %s[%s]\", interval: %d, energy_pj: "
                "%g%s}\n",
                k, name, name, in, name, steps[n_dims - 1][step], wire ? 0 : 1, pj, tensors);
    }
    if (bus)
        add(text, size,
                "    multicast:\n      - {name: cast_%s, map: \"%s[%s] -> BUS[%s]\", energy_pj: "
                "%g}\n",
                name, name, in, n_dims == 1 || machines_draw(rng, 2) ? "0" : "j", pj);
    if (machines_draw(rng, 3) == 0)
        add(text, size,
                "    reduction:\n      - {name: sum_%s, map: \"%s[%s] -> TREE[%s]\", energy_pj: "
                "%g}\n",
                name, name, in, n_dims == 1 ? "0" : "i", pj);
}

static void add_array(struct machines_rng *rng, const struct machines_options *options,
        const char *name, char *text, int size)
{
    int n_dims = 1 + (int)machines_draw(rng, 2);

    add(text, size, "  - array: %s\n    shape: [%d", name, 1 + (int)machines_draw(rng, 6));
    if (n_dims == 2)
        add(text, size, ", %d", 1 + (int)machines_draw(rng, 5));
    add(text, size, "]\n");
    if (machines_draw(rng, 8) == 0)
        add(text, size, "    word_bits: {%s: 32}\n", machines_draw(rng, 2) ? "Y" : "A");
    if (options->counted && machines_draw(rng, 4) == 0)
        add_complex(rng, name, n_dims, text, size);
    else if (machines_draw(rng, 4) == 0)
        add_links(rng, name, n_dims, text, size);
    else if (machines_draw(rng, 5) == 0)
        add_mesh(rng, name, n_dims, text, size);
    else
        add_buses(rng, name, n_dims, text, size);
}

static void add_small_arch(struct machines_rng *rng, char *text, int size)
{
    static const char *const bus_pj[] = {"0.5", "1", "4", "8"},
                             *const tree_pj[] = {"0.5", "2", "6"};
    static const char *const holds[] = {
            "", "", ", bypass: [A]", ", bypass: [B]", ", bypass: [A, B]", ", may_bypass: [A]"};
    static const int pj[] = {1, 3, 9, 9}, middle[] = {12, 20, 30}, inner[] = {4, 5, 6, 7, 10, 14};
    static const int shape[] = {2, 3, 4, 6};

    add(text, size, "name: small-machine\nlevels:\n  - {memory: D, energy_pj: %d%s}\n",
            pj[machines_draw(rng, 4)], machines_draw(rng, 2) ? "" : ", bandwidth_bits: 32");
    if (machines_draw(rng, 3) == 0)
        add(text, size, "  - {memory: G, capacity_words: %d, energy_pj: 3%s}\n",
                middle[machines_draw(rng, 3)], holds[machines_draw(rng, 4)]);
    if (machines_draw(rng, 4) == 0)
        add(text, size, "  - {memory: H, capacity_words: %d, energy_pj: 2%s}\n",
                middle[machines_draw(rng, 3)] - 5, holds[machines_draw(rng, 4)]);
    add(text, size, "  - array: PE\n    shape: [%d]\n", shape[machines_draw(rng, 4)]);
    if (machines_draw(rng, 2))
        add(text, size, "    multicast: [{name: row, map: \"PE[i] -> BUS[0]\", energy_pj: %s}]\n",
                bus_pj[machines_draw(rng, 4)]);
    if (machines_draw(rng, 2))
        add(text, size, "    reduction: [{name: tree, map: \"PE[i] -> TREE[0]\", energy_pj: %s}]\n",
                tree_pj[machines_draw(rng, 3)]);
    add(text, size, "  - {memory: R, capacity_words: %d, energy_pj: %s%s}\n",
            inner[machines_draw(rng, 6)], machines_draw(rng, 2) ? "0.1" : "1",
            holds[machines_draw(rng, 3) ? 1 : machines_draw(rng, 6)]);
    add(text, size, "  - {compute: mac, cycles: 1, energy_pj: 1}\n");
}

void machines_arch(
        struct machines_rng *rng, const struct machines_options *options, char *text, int size)
{
    text[0] = '\0';
    if (options->small) {
        add_small_arch(rng, text, size);
        return;
    }
    int n_inner = (int)machines_draw(rng, (uint64_t)options->most_memories);
    bool outer_memory = n_inner > 0 && machines_draw(rng, 3) != 0;
    add(text, size, "name: random-machine\nlevels:\n");
    add_memory(rng, options, "DRAM", 64, 0, text, size);
    if (machines_draw(rng, 10) == 0 && outer_memory) /* what nobody counts lies further out */
        add(text, size, "    bypass: [%s]\n", machines_draw(rng, 2) ? "Y" : "A");
    if (outer_memory) {
        add_memory(rng, options, "L2", 8, 40, text, size);
        add_ports(rng, options, add_bypass(rng, text, size), text, size);
        n_inner--;
    }
    add_array(rng, options, "PE", text, size);
    if (n_inner > 0) {
        add_memory(rng, options, "L1", 2, 12, text, size);
        add_ports(rng, options, add_bypass(rng, text, size), text, size);
        n_inner--;
        if (machines_draw(rng, 2))
            add_array(rng, options, "lane", text, size);
        if (n_inner > 0) {
            add_memory(rng, options, "registers", 1, 4, text, size);
            add_ports(rng, options, add_bypass(rng, text, size), text, size);
        }
    }
    add(text, size, "  - {compute: mac, energy_pj: %g, cycles: 1}\n", quarter(rng, 2));
}
