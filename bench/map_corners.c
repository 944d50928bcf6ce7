/* Problems that took the mapper long, or that it did not prove: each found in use. */
#include "map_bench.h"

#include "sator/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONV3D                                                                                     \
    "name: conv3d\n"                                                                               \
    "sizes: {n: 8, k: 64, c: 32, ox: 28, oy: 28, oz: 16, rx: 3, ry: 3, rz: 3}\n"                   \
    "op: \"Y[n,k,ox,oy,oz] += A[n,c,ox+rx,oy+ry,oz+rz] * B[k,c,rx,ry,rz]\"\n"
#define TREE "levels.PE.reduction=[{name: sums, map: \"PE[i,j] -> TREE[0]\", energy_pj: 0.2}]"

#define ROW_TREES "levels.PE.reduction=[{name: sums, map: \"PE[i,j] -> TREE[i]\", energy_pj: 0.2}]"

/* Five memories and three arrays. */
static const char three_arrays[] =
        "name: three-arrays\n"
        "levels:\n"
        "  - {memory: DRAM, bandwidth_bits: {read: 128, write: 128}, energy_pj: {read: 325, write: "
        "325}}\n"
        "  - {memory: L3, capacity_bytes: 4194304, bandwidth_bits: {read: 256, write: 256}, "
        "energy_pj: {read: 50, write: 50}}\n"
        "  - array: cluster\n"
        "    shape: [2, 2]\n"
        "    multicast: [{name: all, map: \"cluster[i,j] -> BUS[0]\", energy_pj: 0.2}]\n"
        "  - {memory: L2, capacity_bytes: 262144, bandwidth_bits: {read: 512, write: 512}, "
        "energy_pj: {read: 12.5, write: 12.5}}\n"
        "  - array: PE\n"
        "    shape: [4, 4]\n"
        "    multicast: [{name: all_PEs, map: \"PE[i,j] -> BUS[0]\", energy_pj: 0.2}]\n"
        "  - {memory: L1, capacity_bytes: 8192, bandwidth_bits: {read: 384, write: 128}, "
        "energy_pj: {read: 2.5, write: 2.5}}\n"
        "  - array: lane\n"
        "    shape: [8]\n"
        "    reduction: [{name: lanes, map: \"lane[l] -> TREE[0]\", tensors: [Y], energy_pj: 0}]\n"
        "  - {memory: registers, capacity_bytes: 32, energy_pj: {read: 0.16, write: 0.16}}\n"
        "  - {compute: mac, energy_pj: 0.85, cycles: 1}\n";

/* Register files of the tensors as memories of their own, one inside the other. */
static const char three_files[] =
        "name: three-files\n"
        "levels:\n"
        "  - {memory: DRAM, bandwidth_bits: {read: 128, write: 128}, energy_pj: {read: 325, write: "
        "325}}\n"
        "  - {memory: L2, capacity_bytes: 262144, bandwidth_bits: {read: 512, write: 512}, "
        "energy_pj: {read: 12.5, write: 12.5}}\n"
        "  - array: PE\n"
        "    shape: [12, 14]\n"
        "    multicast: [{name: all, map: \"PE[i,j] -> BUS[0]\", energy_pj: 0.2}]\n"
        "  - {memory: images, tensors: [A], capacity_words: 12, energy_pj: {read: 0.2, write: "
        "0.2}}\n"
        "  - {memory: filters, tensors: [B], capacity_words: 224, energy_pj: {read: 0.6, write: "
        "0.6}}\n"
        "  - {memory: sums, tensors: [Y], capacity_words: 24, energy_pj: {read: 0.3, write: 0.3}}\n"
        "  - {compute: mac, energy_pj: 0.85, cycles: 1}\n";

struct corner {
    const char *name, *network, *layer; /* of the network, or its text; NULL: all layers */
    const char *arch; /* the same */
    const char *set, *second; /* of the machine */
    bool imperfect;
};

static const struct corner corners[] = {
        {"no tree", "resnet18", NULL, "conventional", NULL, NULL, false},
        {"tree", "resnet18", NULL, "conventional", TREE, NULL, false},
        {"tree, n=16", "resnet18:n=16", NULL, "conventional", TREE, NULL, false},
        {"no tree, 9 loops", CONV3D, NULL, "conventional", NULL, NULL, false},
        {"tree, 9 loops", CONV3D, NULL, "conventional", TREE, NULL, false},
        {"row trees", "resnet18", NULL, "conventional", ROW_TREES, NULL, false},
        {"row trees, n=16", "resnet18:n=16", NULL, "conventional", ROW_TREES, NULL, false},
        {"row trees, 9 loops", CONV3D, NULL, "conventional", ROW_TREES, NULL, false},
        {"tree, ttmc", "ttmc", NULL, "conventional", TREE, NULL, false},
        {"tree, tcl", "tcl", NULL, "conventional", TREE, NULL, false},
        {"tree, update", "conv2d-weight-update:n=16,k=384,c=448,ox=8,oy=8,rx=3,ry=3", NULL,
                "conventional", TREE, NULL, false},
        {"five-level", "resnet18", NULL, "five-level", NULL, NULL, false},
        {"five-level, n=16", "resnet18:n=16", NULL, "five-level", NULL, NULL, false},
        {"five-level, 9 loops", CONV3D, NULL, "five-level", NULL, NULL, false},
        {"five-level, bypass", "resnet18", "conv2_x", "five-level", "levels.L2.may_bypass=[A,B,Y]",
                "levels.L3.may_bypass=[A,B,Y]", false},
        {"three arrays, n=64", "resnet18:n=64", "conv1", three_arrays, NULL, NULL, false},
        {"three files", "resnet18", NULL, three_files, NULL, NULL, false},
        {"Eyeriss, 256 PEs", "resnet18", NULL, "eyeriss", "levels.PE.shape=[16,16]", NULL, false},
        {"Eyeriss, 256 PEs", "resnet18", NULL, "eyeriss", "levels.PE.shape=[16,16]", NULL, true},
        {"links", "dilatednet", "layer5", "eyeriss-tenet", NULL, NULL, false},
        {"links", "googlenet", "inception_3b_5x5", "eyeriss-tenet", NULL, NULL, false},
        {"links", "inception-v3", "mixed_7a_7x7x3_4", "eyeriss-tenet", NULL, NULL, false},
        {"links", "gemm:i=60,j=48,k=36", NULL, "eyeriss-tenet", NULL, NULL, false},
        {"buses of four", "googlenet", "inception_4a", "multicast-1d-64", NULL, NULL, false},
        {"buses of four", "als", "mttkrp_films", "multicast-1d-64", NULL, NULL, false},
};

static bool is_text(const char *spec)
{
    return strchr(spec, '\n') != NULL;
}

static void load(struct sator_ctx *ctx, const struct corner *c, struct sator_network **network,
        struct sator_arch **arch)
{
    const char *const sets[] = {c->set, c->second};
    struct sator_input_options options = {
            .size = sizeof options, .sets = sets, .n_sets = (c->set != NULL) + (c->second != NULL)};

    if ((is_text(c->network) ? sator_network_parse(ctx, "corner", c->network, NULL, network)
                             : sator_network_load(ctx, c->network, NULL, network)) != SATOR_OK ||
            (is_text(c->arch) ? sator_arch_parse(ctx, "corner", c->arch, &options, arch)
                              : sator_arch_load(ctx, c->arch, &options, arch)) != SATOR_OK)
        bench_die(ctx, c->name);
}

static void run_layer(struct sator_ctx *ctx, const struct corner *c,
        const struct sator_network *network, int layer, const struct sator_arch *arch,
        struct bench_corners *sum, struct bench_certificates *certificates)
{
    struct sator_map_options options = {.size = sizeof options,
            .budget_seconds = 60,
            .imperfect = c->imperfect,
            .timing = SATOR_TIMING_ROOFLINE};
    struct sator_map_result *result;

    if (certificates != NULL) {
        bench_certify(ctx, c->name, network, layer, arch, &options, certificates);
        return;
    }
    double ms = bench_proof(ctx, network, layer, arch, &options, &result);
    double soon = ms < 10 ? 1 : bench_anytime(ctx, network, layer, arch, &options, result->value);

    fprintf(stderr, "%-20s %-12s %-14s %-20s %9.2f ms %s %.4g, after 10 ms %.3fx%s\n", c->name,
            sator_network_name(network), sator_arch_name(arch),
            sator_network_layer_name(network, layer), ms, result->proved ? "proved" : "OPEN  ",
            result->value, soon, c->imperfect ? ", imperfect" : "");
    sum->unproved += !result->proved;
    sum->worst_s = fmax(sum->worst_s, ms / 1e3);
    sum->anytime = fmax(sum->anytime, soon);
    if (strcmp(c->name, "tree") == 0)
        sum->tree_resnet18_s += ms / 1e3;
    if (strcmp(c->name, "row trees") == 0)
        sum->row_trees_resnet18_s += ms / 1e3;
    if (strcmp(c->arch, "five-level") == 0)
        sum->five_level_worst_s = fmax(sum->five_level_worst_s, ms / 1e3);
    sator_map_result_free(result);
}

struct bench_corners bench_corners(const char *only, struct bench_certificates *certificates)
{
    struct bench_corners sum = {.anytime = 1};

    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        if (only != NULL && strstr(corners[i].name, only) == NULL)
            continue;
        struct sator_ctx *ctx = sator_ctx_new();
        struct sator_network *network = NULL;
        struct sator_arch *arch = NULL;
        load(ctx, &corners[i], &network, &arch);
        for (int layer = 0; layer < sator_network_layer_count(network); layer++) {
            const char *name = sator_network_layer_name(network, layer);
            bool wanted = corners[i].layer == NULL || strstr(name, corners[i].layer) == name;
            if (wanted && sator_map_same_layer(network, layer) == layer)
                run_layer(ctx, &corners[i], network, layer, arch, &sum, certificates);
        }
        sator_network_free(network);
        sator_arch_free(arch);
        sator_ctx_free(ctx);
    }
    sum.tree_resnet18_s = fmax(sum.tree_resnet18_s, sum.row_trees_resnet18_s);
    return sum;
}
